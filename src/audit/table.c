/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of outputs that repeat, of any length, with NaN ("nothing here") as a value like
 * any other: cells are counted on the training draws of both sides and ordered by how much
 * likelier they are on the first, with few draws counting for little. The score of an
 * output is the place of its cell, NaN where the cell was not seen often enough; its level
 * sets are the unions of the likeliest cells.
 *
 * Numbers are the same cell when they agree in 40 bits: last bits are another audit's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/score.h"
#include "base/memory.h"

enum { SHOWN = 24, LEAST_COUNT = 4 };

typedef struct cell {
    uint64_t key; /* 0: free */
    uint32_t hits[2];
    double score;
    const double *example; /* in the training draws, while they last */
} cell;

typedef struct table {
    cell *cells;
    size_t mask;        /* of the places, a power of two, less 1 */
    size_t kept;        /* cells with a score                   */
    double *shown;      /* outputs of the first and last cells  */
    size_t shown_count; /* from either end                      */
} table;

/* The 40 leading bits of x, to nearest; one NaN, one zero. */
static uint64_t forty_bits(double x)
{
    uint64_t bits;
    if (isnan(x)) return 0x7ff8000000000000u;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0x800) & ~(uint64_t)0xfff;
}

static uint64_t key_of(const double *output, size_t length)
{
    uint64_t key = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < length; i++) {
        key = (key ^ forty_bits(output[i])) * 0xBF58476D1CE4E5B9u;
        key ^= key >> 29;
    }
    key *= 0x94D049BB133111EBu;
    key ^= key >> 32;
    return key ? key : 1;
}

/* The place of a key: its own or a free one. */
static cell *find(const table *t, uint64_t key)
{
    size_t i = key & t->mask;
    while (t->cells[i].key && t->cells[i].key != key) i = (i + 1) & t->mask;
    return &t->cells[i];
}

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    (void)err;
    const table *t = score->self;
    for (size_t i = 0; i < n; i++) {
        const cell *c = find(t, key_of(outputs + i * score->length, score->length));
        values[i] = c->key ? c->score : NAN;
    }
    return DUSK_OK;
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    const table *t = score->self;
    double last = (double)t->kept - 1;
    size_t count = (size_t)fmax(0, above ? ceil(last - threshold) : ceil(threshold)), length = score->length;
    if (count == 1)
        dusk_text_add(text, "output is ");
    else
        dusk_text_add(text, "one of %zu outputs: ", count);
    for (size_t i = 0; i < count && i < t->shown_count && text->length < 150; i++) {
        const double *x = t->shown + (above ? t->shown_count + i : i) * length;
        dusk_text_add(text, "%s%s", i ? ", " : "", length > 1 ? "(" : "");
        for (size_t j = 0; j < length && text->length < 150; j++) {
            dusk_text_add(text, "%s", j ? " " : "");
            if (isnan(x[j]))
                dusk_text_add(text, "-");
            else
                dusk_text_add(text, "%.6g", x[j]);
        }
        dusk_text_add(text, "%s", length > 1 ? ")" : "");
    }
    if (count > t->shown_count) dusk_text_add(text, ", ...");
}

static void table_free(void *self)
{
    table *t = self;
    if (!t) return;
    dusk_deallocate(t->cells);
    dusk_deallocate(t->shown);
    dusk_deallocate(t);
}

static const audit_score_kind kind = { "table", evaluate, describe, table_free };

static void count_cells(table *t, const audit_sample *train)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < train->n; i++) {
            const double *x = train->out[side] + i * train->length;
            uint64_t key = key_of(x, train->length);
            cell *c = find(t, key);
            c->key = key;
            c->hits[side]++;
            c->example = x;
        }
}

/* The logarithm of a cell's ratio less its standard error, toward 0. */
static double shrunk_ratio(const cell *c)
{
    double a = c->hits[0] + 0.5, b = c->hits[1] + 0.5, ratio = log(a / b);
    return copysign(fmax(0, fabs(ratio) - sqrt(1 / a + 1 / b)), ratio) + 1e-4 * ratio;
}

static int by_score(const void *a, const void *b)
{
    const cell *x = *(const cell *const *)a, *y = *(const cell *const *)b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Cells often enough seen get their place in the order as score, the others NaN. */
static dusk_status order_cells(table *t, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    cell **order = NULL;
    for (size_t i = 0; i <= t->mask; i++) t->kept += t->cells[i].hits[0] + t->cells[i].hits[1] >= LEAST_COUNT;
    DUSK_NEW(order, t->kept);
    size_t count = 0;
    for (size_t i = 0; i <= t->mask; i++) {
        cell *c = &t->cells[i];
        c->score = NAN;
        if (c->hits[0] + c->hits[1] < LEAST_COUNT) continue;
        c->score = shrunk_ratio(c);
        order[count++] = c;
    }
    qsort(order, count, sizeof *order, by_score);
    t->shown_count = count < SHOWN ? count : SHOWN;
    DUSK_NEW(t->shown, 2 * t->shown_count * length);
    for (size_t i = 0; i < t->shown_count; i++) {
        memcpy(t->shown + i * length, order[i]->example, length * sizeof(double));
        memcpy(t->shown + (t->shown_count + i) * length, order[count - 1 - i]->example,
               length * sizeof(double));
    }
    for (size_t i = 0; i < count; i++) order[i]->score = (double)i;
done:
    dusk_deallocate(order);
    return status;
}

/* Keep only the cells with a score, in a table of their size. */
static dusk_status shrink(table *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table small = *t;
    for (small.mask = 15; small.mask < 3 * t->kept;) small.mask = 2 * small.mask + 1;
    DUSK_NEW(small.cells, small.mask + 1);
    for (size_t i = 0; i <= t->mask; i++)
        if (t->cells[i].key && !isnan(t->cells[i].score)) *find(&small, t->cells[i].key) = t->cells[i];
    dusk_deallocate(t->cells);
    *t = small;
done:
    return status;
}

dusk_status audit_propose_tables(audit_scores *scores, const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table *t = NULL;
    DUSK_NEW(t, 1);
    for (t->mask = 15; t->mask < 4 * train->n;) t->mask = 2 * t->mask + 1;
    DUSK_NEW(t->cells, t->mask + 1);
    count_cells(t, train);
    DUSK_TRY(order_cells(t, train->length, err));
    if (t->kept > 0) {
        DUSK_TRY(shrink(t, err));
        audit_score score = { &kind, t, train->length };
        t = NULL;
        status = audit_scores_take(scores, score, err);
    }
done:
    table_free(t);
    return status;
}
