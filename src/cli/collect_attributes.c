/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes of a person on the command line: --attributes age:10,sex:2, lines of a category each, names of categories as age:young, and tables. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect.h"
#include "cli/input.h"

/* Cut the next part off, at a comma; NULL at the end. */
static char *next_part(char **rest)
{
    char *part = *rest, *comma = part ? strchr(part, ',') : NULL;
    if (comma) *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return part;
}

static dusk_status bad_attributes(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --attributes age:10,sex:2,region:20",
                     "--attributes has a name and a number of categories for each, at most %d",
                     DUSK_ATTRIBUTES_MOST);
}

dusk_status collect_attributes_read(collect_attributes *out, const char *text, dusk_error *err)
{
    char copy[1024], *rest = copy, *part;
    *out = (collect_attributes){ .count = 0 };
    if (!text) return DUSK_OK;
    if (strlen(text) >= sizeof copy) return bad_attributes(err);
    memcpy(copy, text, strlen(text) + 1);
    while ((part = next_part(&rest))) {
        char *colon = strchr(part, ':');
        int64_t size;
        if (!colon || out->count == DUSK_ATTRIBUTES_MOST) return bad_attributes(err);
        *colon = '\0';
        if (strlen(part) >= DUSK_ATTRIBUTE_NAME || !dusk_parse_whole(colon + 1, 2, 4294967295, &size))
            return bad_attributes(err);
        memcpy(out->name[out->count], part, strlen(part) + 1);
        out->size[out->count++] = (uint32_t)size;
    }
    return DUSK_OK;
}

void collect_attributes_set(const collect_attributes *from, dusk_survey_options *options)
{
    options->attributes = from->count;
    for (uint32_t i = 0; i < from->count; i++) {
        options->sizes[i] = from->size[i];
        options->attribute[i] = from->name[i];
    }
}

/* ---- Names of categories ---------------------------------------------------------------------------------- */

/* "age:young": whether it is of this attribute, and what stands behind the colon. */
static const char *behind(const char *name, const char *attribute)
{
    const size_t n = strlen(attribute);
    return !strncmp(name, attribute, n) && name[n] == ':' ? name + n + 1 : NULL;
}

/* Lines of an attribute in their order are its categories: the number is kept as the weight of the name. */
dusk_status collect_attributes_check(collect_values *values, const dusk_survey *survey, const char *path,
                                     dusk_error *err)
{
    uint32_t of[DUSK_ATTRIBUTES_MOST] = { 0 };
    for (size_t i = 0; i < values->count; i++) {
        uint32_t a = 0;
        while (a < survey->task.attributes && !behind(values->name[i], survey->attribute[a])) a++;
        if (a == survey->task.attributes)
            return dusk_fail(err, DUSK_ERR_PARSE, "an attribute, a colon and a category on every line",
                             "%.100s: \"%.60s\" is of no attribute of the survey", path, values->name[i]);
        values->weight[i] = of[a];
        if (++of[a] > survey->task.sizes[a])
            return dusk_fail(err, DUSK_ERR_PARSE, "plan with a larger size",
                             "%.100s has more categories of %s than the survey, %u", path,
                             survey->attribute[a], survey->task.sizes[a]);
    }
    return DUSK_OK;
}

/* The category of a name, or UINT32_MAX; by number where there are no names. */
static uint32_t category_of(const collect_values *values, const dusk_survey *survey, uint32_t a,
                            const char *text)
{
    char name[600];
    int64_t whole;
    if (values->count == 0)
        return dusk_parse_whole(text, 0, (int64_t)survey->task.sizes[a] - 1, &whole) ? (uint32_t)whole
                                                                                     : UINT32_MAX;
    snprintf(name, sizeof name, "%s:%s", survey->attribute[a], text);
    const size_t found = collect_values_find(values, name);
    return found == SIZE_MAX ? UINT32_MAX : (uint32_t)values->weight[found];
}

uint64_t collect_attributes_value(const collect_values *values, const dusk_survey *survey, char *line,
                                  bool *known)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST];
    char *rest = line;
    *known = true;
    for (uint32_t a = 0; a < survey->task.attributes; a++) {
        char *part = next_part(&rest);
        while (part && *part == ' ') part++;
        category[a] = part ? category_of(values, survey, a, part) : UINT32_MAX;
        if (category[a] == UINT32_MAX) *known = false;
    }
    if (rest) *known = false;
    return dusk_client_pack(&survey->task, category); /* what is no category counts as the last */
}

static void add_name(const collect_values *values, const dusk_survey *survey, uint32_t a, uint32_t category,
                     char *text, size_t size)
{
    const size_t used = strlen(text);
    for (size_t i = 0; i < values->count; i++)
        if (behind(values->name[i], survey->attribute[a]) && values->weight[i] == category) {
            snprintf(text + used, size - used, "%s", values->name[i]);
            return;
        }
    snprintf(text + used, size - used, "%s:%u", survey->attribute[a], category);
}

/* ---- Tables --------------------------------------------------------------------------------------------------- */

static dusk_status find_attribute(const dusk_survey *survey, const char *name, uint32_t *out, dusk_error *err)
{
    *out = dusk_survey_attribute(survey, name);
    if (*out < survey->task.attributes) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "the names that stand in the survey",
                     "the survey has no attribute \"%.40s\"", name);
}

static void add_table(collect_tables *t, const dusk_survey *survey, uint32_t first, uint32_t second,
                      uint32_t n)
{
    collect_one_table *one = &t->table[t->count++];
    *one = (collect_one_table){ .attribute = { first, second }, .n = n, .at = t->cells };
    one->cells = (size_t)survey->task.sizes[first] * (n == 2 ? survey->task.sizes[second] : 1);
    t->cells += one->cells;
}

dusk_status collect_tables_choose(collect_tables *out, const dusk_survey *survey, const char *attribute,
                                  const char *marginal, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t first, second;
    char copy[256], *rest = copy;
    out->count = 0;
    out->cells = 0;
    if (attribute) {
        DUSK_TRY(find_attribute(survey, attribute, &first, err));
        add_table(out, survey, first, first, 1);
    }
    if (marginal) {
        snprintf(copy, sizeof copy, "%s", marginal);
        char *a = next_part(&rest), *b = next_part(&rest);
        if (!b || rest || !strcmp(a, b))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --marginal age,sex",
                             "--marginal names two attributes");
        DUSK_TRY(find_attribute(survey, a, &first, err));
        DUSK_TRY(find_attribute(survey, b, &second, err));
        add_table(out, survey, first, second, 2);
    }
    if (!attribute && !marginal)
        for (uint32_t a = 0; a < survey->task.attributes; a++) add_table(out, survey, a, a, 1);
done:
    return status;
}

dusk_status collect_tables_fill(const collect_tables *tables, const dusk_tally *tally, double *counts,
                                double *deviations, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < tables->count; i++) {
        const collect_one_table *t = &tables->table[i];
        DUSK_TRY(dusk_tally_marginal(tally, t->attribute, t->n, counts + t->at, deviations + t->at, err));
    }
done:
    return status;
}

void collect_tables_name(const collect_tables *tables, const dusk_survey *survey,
                         const collect_values *values, size_t i, char *text, size_t size)
{
    const collect_one_table *t = tables->table;
    while (i >= t->at + t->cells) t++;
    const size_t cell = i - t->at, width = survey->task.sizes[t->attribute[0]];
    text[0] = '\0';
    add_name(values, survey, t->attribute[0], (uint32_t)(cell % width), text, size);
    if (t->n < 2) return;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, ",");
    add_name(values, survey, t->attribute[1], (uint32_t)(cell / width), text, size);
}
