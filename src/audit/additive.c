/* SPDX-License-Identifier: Apache-2.0 */
/* A small learned score: a sum of one weight for each number of the output, chosen by the
 * symbol that it shows (cells.h). The weights are those of a logistic regression that tells
 * the sides apart (an additive model, Hastie & Tibshirani 1986), fitted by Newton steps for
 * one number after the other; where the numbers are independent they are the logarithms of
 * the likelihood ratios. Once for the numbers and once for their steps. */
#include <math.h>

#include "audit/cells.h"
#include "base/memory.h"

enum { SWEEPS = 2, MOST_DRAWS = 1 << 16 };
#define RIDGE 8.0 /* as many draws as a weight needs to be believed by half, over 4 */

typedef struct additive {
    audit_cells cells;
    double *weight; /* AUDIT_SYMBOLS a number */
} additive;

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    const additive *a = score->self;
    size_t length = score->length;
    (void)err;
    for (size_t i = 0; i < n; i++, outputs += length) {
        double sum = 0;
        for (size_t j = 0; j < length; j++) {
            double x = a->cells.steps && j > 0 ? outputs[j] - outputs[j - 1] : outputs[j];
            size_t count = a->cells.count[j], symbol = count + 1;
            if (!isnan(x)) symbol = audit_place(x, a->cells.edges + j * AUDIT_EDGES, count);
            sum += a->weight[j * AUDIT_SYMBOLS + symbol];
        }
        values[i] = sum;
    }
    return DUSK_OK;
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    const additive *a = score->self;
    dusk_text_add(text, "learned score of the %s %s %.6g", a->cells.steps ? "steps" : "numbers",
                  above ? ">" : "<", threshold);
}

static void additive_free(void *self)
{
    additive *a = self;
    if (!a) return;
    audit_cells_clear(&a->cells);
    dusk_deallocate(a->weight);
    dusk_deallocate(a);
}

static const audit_score_kind kind = { "score", evaluate, describe, additive_free };

/* One Newton step for the weights of one number. `fit` has the scores of all draws. */
static void sweep(additive *a, size_t at, const uint8_t *symbols, double *fit, size_t n)
{
    double slope[AUDIT_SYMBOLS] = { 0 }, curvature[AUDIT_SYMBOLS] = { 0 }, step[AUDIT_SYMBOLS];
    size_t length = a->cells.length;
    double *weight = a->weight + at * AUDIT_SYMBOLS;
    for (size_t i = 0; i < 2 * n; i++) {
        double chance = 1 / (1 + exp(-fit[i]));
        slope[symbols[i * length + at]] += (i < n ? 1 : 0) - chance;
        curvature[symbols[i * length + at]] += chance * (1 - chance);
    }
    for (size_t s = 0; s < AUDIT_SYMBOLS; s++) {
        step[s] = (slope[s] - RIDGE * weight[s]) / (curvature[s] + RIDGE);
        weight[s] += step[s];
    }
    for (size_t i = 0; i < 2 * n; i++) fit[i] += step[symbols[i * length + at]];
}

static dusk_status fit(additive *a, const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = train->n < MOST_DRAWS ? train->n : MOST_DRAWS, length = train->length;
    uint8_t *symbols = NULL;
    double *scores = NULL;
    DUSK_NEW(symbols, 2 * n * length);
    DUSK_NEW(scores, 2 * n);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++)
            audit_cells_of(&a->cells, symbols + ((size_t)side * n + i) * length,
                           train->out[side] + i * length);
    for (int round = 0; round < SWEEPS; round++)
        for (size_t j = 0; j < length; j++) sweep(a, j, symbols, scores, n);
done:
    dusk_deallocate(symbols);
    dusk_deallocate(scores);
    return status;
}

static dusk_status propose(audit_scores *scores, const audit_sample *train, bool steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    additive *a = NULL;
    DUSK_NEW(a, 1);
    DUSK_TRY(audit_cells_make(&a->cells, train, steps, err));
    DUSK_NEW(a->weight, train->length * AUDIT_SYMBOLS);
    DUSK_TRY(fit(a, train, err));
    audit_score score = { &kind, a, train->length };
    a = NULL;
    status = audit_scores_take(scores, score, err);
done:
    additive_free(a);
    return status;
}

dusk_status audit_propose_additive(audit_scores *scores, const audit_sample *train, dusk_error *err)
{
    dusk_status status = propose(scores, train, false, err);
    if (status == DUSK_OK && train->length > 1) status = propose(scores, train, true, err);
    return status;
}
