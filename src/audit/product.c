/* SPDX-License-Identifier: Apache-2.0 */
/* Products of half-lines: the numbers (or their steps) whose law differs between the sides,
 * each turned so that the first side has the larger ones, and brought to one scale; the
 * score is the least of them, or the largest. {least > t} is the set where each lies beyond
 * its own threshold, {largest < t} where none does. */
#include <math.h>

#include "audit/cells.h"
#include "base/memory.h"

enum { MOST_DRAWS = 1 << 15 /* a side, to learn from */ };

typedef struct product {
    size_t length;
    bool steps, largest;
    double *centre, *scale; /* a number: scale 0 where it does not count, below 0 where the
                               first side has the smaller ones */
} product;

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    const product *p = score->self;
    size_t length = p->length;
    (void)err;
    for (size_t i = 0; i < n; i++, outputs += length) {
        double best = p->largest ? -INFINITY : INFINITY;
        for (size_t j = 0; j < length; j++) {
            if (p->scale[j] == 0) continue;
            double x = p->steps && j > 0 ? outputs[j] - outputs[j - 1] : outputs[j];
            double y = (x - p->centre[j]) * p->scale[j];
            best = p->largest ? fmax(best, y) : fmin(best, y); /* passes over NaN */
        }
        values[i] = best;
    }
    return DUSK_OK;
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    const product *p = score->self;
    /* {least > t} and {largest < t} are products, the others their complements */
    dusk_text_add(text, "%s", above != p->largest ? "all of" : "one of");
    for (size_t j = 0; j < p->length && text->length < 150; j++) {
        if (p->scale[j] == 0) continue;
        dusk_text_add(text, " %s[%zu] %s %.4g", p->steps && j > 0 ? "step" : "output", j + 1,
                      above == (p->scale[j] > 0) ? ">" : "<", p->centre[j] + threshold / p->scale[j]);
    }
    if (text->length >= 150) dusk_text_add(text, " ...");
}

static void product_free(void *self)
{
    product *p = self;
    if (!p) return;
    dusk_deallocate(p->centre);
    dusk_deallocate(p->scale);
    dusk_deallocate(p);
}

static const audit_score_kind kind = { "product", evaluate, describe, product_free };

/* Median and half the distance of the quartiles of one number, and by how many standard
 * deviations the first side is more often above the median. */
typedef struct shape {
    double centre, spread, lean;
} shape;

static shape shape_of(const audit_sample *train, bool steps, size_t at, double *values, double *scratch)
{
    size_t n = train->n < MOST_DRAWS ? train->n : MOST_DRAWS, length = train->length, count = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++) {
            const double *x = train->out[side] + i * length + at;
            double y = steps && at > 0 ? x[0] - x[-1] : x[0];
            if (isfinite(y)) values[count++] = y;
        }
    if (count < 64) return (shape){ 0 };
    audit_sort_many(values, count, scratch);
    shape s = { audit_inside(values[count / 2], values[count / 2 + 1]),
                0.5 * (values[3 * count / 4] - values[count / 4]), 0 };
    double above[2] = { 0, 0 };
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++) {
            const double *x = train->out[side] + i * length + at;
            above[side] += (steps && at > 0 ? x[0] - x[-1] : x[0]) > s.centre;
        }
    s.lean = (above[0] - above[1]) / sqrt(above[0] + above[1] + 1);
    return s;
}

static dusk_status propose(audit_scores *scores, const audit_sample *train, bool steps, bool largest,
                           const shape *shapes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = train->length, used = 0;
    product *p = NULL;
    DUSK_NEW(p, 1);
    *p = (product){ .length = length, .steps = steps, .largest = largest };
    DUSK_NEW(p->centre, length);
    DUSK_NEW(p->scale, length);
    for (size_t j = 0; j < length; j++) {
        if (!(shapes[j].spread > 0 && fabs(shapes[j].lean) > 3)) continue;
        p->centre[j] = shapes[j].centre;
        p->scale[j] = copysign(1 / shapes[j].spread, shapes[j].lean);
        used++;
    }
    if (used > 1) {
        audit_score score = { &kind, p, length };
        p = NULL;
        status = audit_scores_take(scores, score, err);
    }
done:
    product_free(p);
    return status;
}

dusk_status audit_propose_products(audit_scores *scores, const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    shape *shapes = NULL;
    double *values = NULL, *scratch = NULL;
    if (train->length < 2) return DUSK_OK;
    DUSK_NEW(shapes, train->length);
    DUSK_NEW(values, 2 * train->n);
    DUSK_NEW(scratch, 2 * train->n);
    for (int steps = 0; steps < 2; steps++) {
        for (size_t j = 0; j < train->length; j++) shapes[j] = shape_of(train, steps, j, values, scratch);
        DUSK_TRY(propose(scores, train, steps, false, shapes, err));
        DUSK_TRY(propose(scores, train, steps, true, shapes, err));
    }
done:
    dusk_deallocate(shapes);
    dusk_deallocate(values);
    dusk_deallocate(scratch);
    return status;
}
