/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BOUNDING_TABLES_H
#define TESTS_BOUNDING_TABLES_H

/* Small tables for the bounding: rows of a unit, up to two keys and up to two values, each of any type;
 * running one with a seed, and looking up what came out. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/bounding.h"
#include "seeded.h"

/* One cell: what its column's type says counts. */
typedef struct cell {
    int64_t integer;
    double real;
    const char *text; /* NULL for numbers */
    bool null;
} cell;

enum { ROW_KEYS = 2, ROW_VALUES = 2, ROW_CELLS = 1 + ROW_KEYS + ROW_VALUES };

typedef struct row {
    cell unit, key[ROW_KEYS], value[ROW_VALUES];
} row;

#define NOTHING                                                                                              \
    {                                                                                                        \
        .null = true                                                                                         \
    }
#define WHOLE(x)                                                                                             \
    {                                                                                                        \
        .integer = (x), .real = (double)(x)                                                                  \
    }
#define REAL(x)                                                                                              \
    {                                                                                                        \
        .real = (x)                                                                                          \
    }
#define TEXT(x)                                                                                              \
    {                                                                                                        \
        .text = (x)                                                                                          \
    }

static inline void fill_cells(dusk_cells *out, dusk_cell_type type, const row *rows, size_t n, size_t column,
                              const bounding_options *options)
{
    int64_t *integers = calloc(n + 1, sizeof *integers);
    double *reals = calloc(n + 1, sizeof *reals);
    const char **texts = calloc(n + 1, sizeof *texts);
    uint32_t *lengths = calloc(n + 1, sizeof *lengths);
    uint8_t *null = calloc(n + 1, 1);
    assert_true(integers && reals && texts && lengths && null);
    for (size_t i = 0; i < n; i++) {
        const cell *c = column == 0               ? &rows[i].unit
                        : column <= options->keys ? &rows[i].key[column - 1]
                                                  : &rows[i].value[column - 1 - options->keys];
        integers[i] = c->null ? -7 : c->integer; /* what is NULL may hold anything */
        reals[i] = c->null ? 1e300 : c->real;
        texts[i] = c->null || !c->text ? "" : c->text;
        lengths[i] = (uint32_t)strlen(texts[i]);
        null[i] = c->null;
    }
    *out = (dusk_cells){ type, null, integers, reals, texts, lengths };
}

static inline void free_cells(dusk_cells *cells)
{
    free((void *)(uintptr_t)cells->integers);
    free((void *)(uintptr_t)cells->reals);
    free((void *)(uintptr_t)cells->texts);
    free((void *)(uintptr_t)cells->lengths);
    free((void *)(uintptr_t)cells->null);
}

static inline dusk_status add_rows_to(bounding *b, const bounding_options *options, const row *rows, size_t n,
                                      dusk_error *err)
{
    dusk_cells cells[ROW_CELLS];
    dusk_chunk chunk = { n, 1 + options->keys + options->values, cells };
    for (size_t c = 0; c < chunk.columns; c++) {
        dusk_cell_type type = c == 0               ? options->unit_type
                              : c <= options->keys ? options->key_types[c - 1]
                                                   : options->value_types[c - 1 - options->keys];
        fill_cells(&cells[c], type, rows, n, c, options);
    }
    dusk_status status = bounding_add(b, &chunk, err);
    for (size_t c = 0; c < chunk.columns; c++) free_cells(&cells[c]);
    return status;
}

/* In chunks of so many rows. */
static inline dusk_status try_bounding(bounded **out, const bounding_options *options, const row *rows,
                                       size_t n, size_t chunk, uint64_t seed, dusk_error *err)
{
    dusk_generator *gen = seeded(seed);
    bounding *b = NULL;
    *out = NULL;
    dusk_status status = bounding_new(&b, options, gen, err);
    for (size_t at = 0; status == DUSK_OK && at < n; at += chunk)
        status = add_rows_to(b, options, rows + at, n - at < chunk ? n - at : chunk, err);
    if (status == DUSK_OK) status = bounding_finish(b, out, err);
    bounding_free(b);
    dusk_generator_free(gen);
    return status;
}

static inline bounded *run_bounding(const bounding_options *options, const row *rows, size_t n, size_t chunk,
                                    uint64_t seed)
{
    bounded *out;
    dusk_error err = { .message = "" };
    dusk_status status = try_bounding(&out, options, rows, n, chunk, seed, &err);
    if (status != DUSK_OK) fail_msg("%s", err.message);
    return out;
}

static inline bool same_key(const query_value *a, const query_value *b, dusk_cell_type type)
{
    if (a->null || b->null) return a->null && b->null;
    if (type == DUSK_CELL_INTEGER) return a->integer == b->integer;
    if (type == DUSK_CELL_REAL) return a->real == b->real;
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Which group has these keys; SIZE_MAX: none. */
static inline size_t find_group(const bounded *g, const bounding_options *options, const query_value *key)
{
    for (size_t i = 0; i < g->groups; i++) {
        bool same = true;
        for (size_t k = 0; k < options->keys; k++)
            same = same && same_key(&g->key[i * options->keys + k], &key[k], options->key_types[k]);
        if (same) return i;
    }
    return SIZE_MAX;
}

#endif
