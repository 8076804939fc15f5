/* SPDX-License-Identifier: Apache-2.0 */
/* The public groups of a query: every combination of its keys, in an order that depends on
 * declared facts and public tables alone. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/source.h"

void query_groups_clear(query_groups *groups)
{
    dusk_deallocate(groups->value);
    query_arena_free(groups->texts);
    *groups = (query_groups){ 0 };
}

static dusk_status too_many(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "group by fewer keys, or by coarser ones",
                     "the keys have more than %u combinations", QUERY_GROUPS_MAX);
}

/* --- the product of declared domains ---------------------------------------------------- */

/* A declared text as a cell of its column's type. */
static query_value cell_of(const char *text, dusk_type type)
{
    query_value value = { .text = text, .length = strlen(text) };
    switch (type) {
    case DUSK_TYPE_BOOLEAN: value.integer = text[0] == 't'; break;
    case DUSK_TYPE_INTEGER: value.integer = strtoll(text, NULL, 10); break;
    case DUSK_TYPE_REAL: value.real = dusk_number_at(text, NULL); break;
    default: break;
    }
    if (type == DUSK_TYPE_BOOLEAN || type == DUSK_TYPE_INTEGER) value.real = (double)value.integer;
    return value;
}

/* NULL comes last where a key may be NULL. */
static size_t domain_size(const query_column *key) { return key->facts.values + key->facts.nullable; }

static query_value domain_value(const query_column *key, size_t i)
{
    if (i == key->facts.values) return (query_value){ .null = true };
    return cell_of(key->facts.domain[i], key->type);
}

static dusk_status product(query_groups *out, const query_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const query_column *key = plan->input->column + 1;
    size_t groups = 1, rest;
    for (size_t k = 0; k < plan->keys; k++) {
        if (domain_size(&key[k]) > QUERY_GROUPS_MAX / groups) return too_many(err);
        groups *= domain_size(&key[k]);
    }
    DUSK_NEW(out->value, groups * plan->keys + 1);
    for (size_t g = 0; g < groups; g++) {
        rest = g; /* the last key changes fastest */
        for (size_t k = plan->keys; k-- > 0; rest /= domain_size(&key[k]))
            out->value[g * plan->keys + k] = domain_value(&key[k], rest % domain_size(&key[k]));
    }
    out->groups = groups;
done:
    return status;
}

/* --- public tables ------------------------------------------------------------------------ */

static dusk_status take_cell(query_value *out, query_arena *texts, const dusk_cells *cells, size_t row,
                             dusk_error *err)
{
    query_value value = { .null = cells->null && cells->null[row] };
    if (value.null) {
        *out = value;
        return DUSK_OK;
    }
    if (cells->type == DUSK_CELL_INTEGER) {
        value.integer = cells->integers[row];
        value.real = (double)value.integer;
    } else if (cells->type == DUSK_CELL_REAL) {
        value.real = cells->reals[row];
    } else {
        value.length = cells->lengths[row];
        value.text = query_arena_text(texts, cells->texts[row], value.length);
        if (!value.text) return dusk_fail_memory(err);
    }
    *out = value;
    return DUSK_OK;
}

static dusk_status take_chunk(query_groups *out, size_t *room, size_t *used, const dusk_chunk *chunk,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < chunk->rows; i++) {
        if (out->groups == QUERY_GROUPS_MAX) return too_many(err);
        for (size_t k = 0; k < chunk->columns; k++) {
            DUSK_GROW(out->value, *room, *used);
            DUSK_TRY(take_cell(&out->value[*used], out->texts, &chunk->column[k], i, err));
            (*used)++;
        }
        out->groups++;
    }
done:
    return status;
}

static dusk_status ask_engine(query_groups *out, const query_plan *plan, dusk_engine *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *sql = NULL;
    dusk_cell_type *types = NULL;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    size_t room = 0, used = 0;
    DUSK_NEW(types, plan->domain->columns);
    if (DUSK_MUTATE(GROUPS_NONE_ARE_PRIVATE, true, false))
        DUSK_GROW(out->value, room, used); /* no groups are a list, too */
    DUSK_TRY(query_emit(&sql, types, plan, plan->domain, engine->class->dialect, err));
    DUSK_TRY(engine->class->query(engine, &cursor, sql, types, plan->domain->columns, err));
    do {
        DUSK_TRY(engine->class->next(cursor, &chunk, err));
        DUSK_TRY(take_chunk(out, &room, &used, &chunk, err));
    } while (chunk.rows > 0);
done:
    if (cursor) engine->class->end(cursor);
    dusk_deallocate(types);
    dusk_deallocate(sql);
    return status;
}

/* An engine gives rows in whatever order it likes. */
static int compare_values(const query_value *a, const query_value *b)
{
    if (a->null || b->null) return a->null - b->null;
    if (a->text && b->text) {
        size_t shared = a->length < b->length ? a->length : b->length;
        int order = memcmp(a->text, b->text, shared);
        return order ? order : (a->length > b->length) - (a->length < b->length);
    }
    if (a->integer != b->integer) return a->integer < b->integer ? -1 : 1;
    return (a->real > b->real) - (a->real < b->real);
}

/* Heapsort of rows of `keys` values: qsort has no context for the number of keys. */
static int compare_rows(const query_value *value, size_t keys, size_t a, size_t b)
{
    int order = 0;
    for (size_t k = 0; k < keys && order == 0; k++)
        order = compare_values(&value[a * keys + k], &value[b * keys + k]);
    return order;
}

static void swap_rows(query_value *value, size_t keys, size_t a, size_t b)
{
    for (size_t k = 0; k < keys; k++) {
        query_value t = value[a * keys + k];
        value[a * keys + k] = value[b * keys + k];
        value[b * keys + k] = t;
    }
}

static void sift(query_value *value, size_t keys, size_t root, size_t end)
{
    for (size_t child; (child = 2 * root + 1) < end; root = child) {
        if (child + 1 < end && compare_rows(value, keys, child, child + 1) < 0) child++;
        if (compare_rows(value, keys, root, child) >= 0) return;
        swap_rows(value, keys, root, child);
    }
}

static void sort_rows(query_value *value, size_t keys, size_t rows)
{
    for (size_t root = rows / 2; root-- > 0;) sift(value, keys, root, rows);
    for (size_t end = rows; end > 1; end--) {
        swap_rows(value, keys, 0, end - 1);
        sift(value, keys, 0, end - 1);
    }
}

dusk_status query_groups_of(query_groups *out, const query_plan *plan, dusk_engine *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_groups made = { 0 };
    DUSK_TRY(query_arena_new(&made.texts, err));
    if (plan->domain)
        DUSK_TRY(ask_engine(&made, plan, engine, err));
    else
        DUSK_TRY(product(&made, plan, err));
    if (plan->domain && DUSK_MUTATE(GROUPS_IN_ENGINE_ORDER, true, false))
        sort_rows(made.value, plan->keys, made.groups);
    *out = made;
    made = (query_groups){ 0 };
done:
    query_groups_clear(&made);
    return status;
}
