/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values: lines of a file, found again by name. The list is public. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"
#include "cli/input.h"

#define LINE_MOST 512

uint64_t collect_hash(const char *text) { return dusk_client_hash((const uint8_t *)text, strlen(text)); }

/* Where the name is, or would be. */
static size_t place_of(const collect_values *v, const char *name)
{
    size_t i = (size_t)collect_hash(name) & (v->places - 1);
    while (v->place[i] && strcmp(v->name[v->place[i] - 1], name) != 0) i = (i + 1) & (v->places - 1);
    return i;
}

size_t collect_values_find(const collect_values *values, const char *name)
{
    return values->places ? values->place[place_of(values, name)] - 1 : SIZE_MAX;
}

/* At most half of the places are taken. */
static dusk_status make_room(collect_values *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *old = v->place;
    if (2 * (v->count + 1) <= v->places) return DUSK_OK;
    v->places = v->places ? 2 * v->places : 64;
    DUSK_NEW(v->place, v->places);
    for (size_t i = 0; i < v->count; i++) v->place[place_of(v, v->name[i])] = i + 1;
done:
    dusk_deallocate(old);
    return status;
}

dusk_status collect_values_add(collect_values *v, const char *name, double weight, bool *known,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(make_room(v, err));
    DUSK_GROW(v->name, v->room, v->count);
    DUSK_GROW(v->weight, v->weights, v->count);
    const size_t place = place_of(v, name);
    *known = v->place[place] != 0;
    if (*known) {
        v->weight[v->place[place] - 1] += weight;
    } else {
        DUSK_NEW(v->name[v->count], strlen(name) + 1);
        memcpy(v->name[v->count], name, strlen(name));
        v->weight[v->count] = weight;
        v->place[place] = ++v->count;
    }
done:
    return status;
}

/* Cut the number off that a line ends in; false where it ends in none. */
static bool cut_weight(char *line, double *weight)
{
    char *tab = strrchr(line, '\t'), *comma = strrchr(line, ','), *space = strrchr(line, ' ');
    char *at = tab ? tab : comma > space ? comma : space;
    if (!at || at == line || !dusk_parse_number(at + 1, weight) || *weight < 0) return false;
    while (at > line && strchr(" \t,", at[-1])) at--;
    *at = '\0';
    return *line != '\0';
}

dusk_status collect_values_read(collect_values *out, const char *path, bool weights, dusk_error *err)
{
    dusk_status status = DUSK_OK, closed;
    dusk_input input;
    collect_values v = { .count = 0 };
    char line[LINE_MOST];
    bool known = false;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NAMED, err));
    while (status == DUSK_OK && dusk_input_value(&input, line, sizeof line)) {
        double weight = 1;
        const bool cut = weights && (v.count == 0 || v.weighed) && cut_weight(line, &weight);
        if (v.count == 0) v.weighed = cut; /* the first line says what the others are */
        if (v.weighed && !cut)
            status = dusk_fail(err, DUSK_ERR_PARSE, "a value and its number on every line, or on none",
                               "%.150s: after %zu lines one has no number", input.name, v.count);
        if (status != DUSK_OK) break;
        status = collect_values_add(&v, line, weight, &known, err);
        if (status == DUSK_OK && known && !weights)
            status = dusk_fail(err, DUSK_ERR_PARSE, "every category once",
                               "%.100s: \"%.60s\" stands in it twice", path, line);
    }
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK) status = closed;
    if (status == DUSK_OK && v.count == 0)
        status = dusk_fail(err, DUSK_ERR_PARSE, "one value a line", "%.150s has no values", path);
done:
    if (status == DUSK_OK)
        *out = v;
    else
        collect_values_free(&v);
    return status;
}

void collect_values_free(collect_values *values)
{
    for (size_t i = 0; i < values->count; i++) dusk_deallocate(values->name[i]);
    dusk_deallocate(values->name);
    dusk_deallocate(values->weight);
    dusk_deallocate(values->place);
    *values = (collect_values){ .count = 0 };
}
