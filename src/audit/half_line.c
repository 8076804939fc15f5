/* SPDX-License-Identifier: Apache-2.0 */
/* Half-lines: one number of an output, or one made of them (the step from the number before,
 * the least, the largest, the sum), beyond a threshold. Of long outputs only the numbers
 * whose means differ most between the sides are proposed. */
#include <math.h>

#include "audit/score.h"
#include "base/memory.h"

enum { MOST_COORDINATES = 24, FEW = 8 /* values that are named */ };

typedef enum view { VALUE, STEP, LEAST, MOST, SUM } view;

typedef struct half_line {
    view view;
    size_t at;
    size_t few; /* how many values there are; 0: too many */
    double seen[FEW];
} half_line;

static double least(const double *x, size_t length)
{
    double y = x[0];
    for (size_t i = 1; i < length; i++) y = fmin(y, x[i]); /* passes over NaN */
    return y;
}

static double most(const double *x, size_t length)
{
    double y = x[0];
    for (size_t i = 1; i < length; i++) y = fmax(y, x[i]);
    return y;
}

static double sum(const double *x, size_t length)
{
    double y = 0;
    for (size_t i = 0; i < length; i++) y += isnan(x[i]) ? 0 : x[i];
    return y;
}

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    (void)err;
    const half_line *h = score->self;
    size_t length = score->length;
    const double *x = outputs + h->at;
    switch (h->view) {
    case VALUE:
        for (size_t i = 0; i < n; i++, x += length) values[i] = *x;
        break;
    case STEP:
        for (size_t i = 0; i < n; i++, x += length) values[i] = x[0] - x[-1];
        break;
    case LEAST:
        for (size_t i = 0; i < n; i++, x += length) values[i] = least(x, length);
        break;
    case MOST:
        for (size_t i = 0; i < n; i++, x += length) values[i] = most(x, length);
        break;
    case SUM:
        for (size_t i = 0; i < n; i++, x += length) values[i] = sum(x, length);
        break;
    }
    return DUSK_OK;
}

/* "is 1", "is one of 2, 3". */
static void name_values(const half_line *h, dusk_text *text, bool above, double threshold)
{
    size_t count = 0;
    double last = -INFINITY;
    for (size_t i = 0; i < h->few; i++) count += above ? h->seen[i] > threshold : h->seen[i] < threshold;
    dusk_text_add(text, count == 1 ? " is " : count ? " is one of " : " is none of those seen");
    for (size_t done = 0; done < count; done++) {
        double next = INFINITY; /* in their order */
        for (size_t i = 0; i < h->few; i++) {
            bool in = above ? h->seen[i] > threshold : h->seen[i] < threshold;
            if (in && (h->seen[i] > last || done == 0)) next = fmin(next, h->seen[i]);
        }
        dusk_text_add(text, "%s%.6g", done ? ", " : "", next);
        last = next;
    }
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    static const char *const names[] = { [LEAST] = "least", [MOST] = "largest", [SUM] = "sum" };
    const half_line *h = score->self;
    if (h->view == VALUE && score->length == 1)
        dusk_text_add(text, "output");
    else if (h->view == VALUE)
        dusk_text_add(text, "output[%zu]", h->at + 1);
    else if (h->view == STEP)
        dusk_text_add(text, "output[%zu] - output[%zu]", h->at + 1, h->at);
    else
        dusk_text_add(text, "%s of the output", names[h->view]);
    if (h->few)
        name_values(h, text, above, threshold);
    else
        dusk_text_add(text, " %s %.6g", above ? ">" : "<", threshold);
}

static const audit_score_kind kind = { "half-line", evaluate, describe, dusk_deallocate };

/* The values of one number of the training draws, where they are few. NaN is in no set. */
static void find_values(half_line *h, const audit_sample *train)
{
    size_t few = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < train->n; i++) {
            double x = train->out[side][i * train->length + h->at];
            size_t k = 0;
            while (k < few && h->seen[k] != x) k++;
            if (k < few || isnan(x)) continue;
            if (few == FEW) return;
            h->seen[few++] = x;
        }
    h->few = few;
}

static dusk_status propose(audit_scores *scores, const audit_sample *train, view v, size_t at,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    half_line *h;
    DUSK_NEW(h, 1);
    *h = (half_line){ .view = v, .at = at };
    if (v == VALUE) find_values(h, train);
    return audit_scores_take(scores, (audit_score){ &kind, h, train->length }, err);
done:
    return status;
}

/* How differently one number behaves on the two sides: the distance of the means of its
 * sign-like squashings, over a part of the draws. */
static double difference(const audit_sample *train, const half_line *h)
{
    size_t n = train->n < 4096 ? train->n : 4096;
    double mean[2] = { 0, 0 }, centre = 0, seen = 0, spread = 0;
    double values[4096];
    audit_score score = { &kind, (void *)h, train->length };
    for (int side = 0; side < 2; side++) {
        (void)evaluate(&score, values, train->out[side], n, NULL);
        for (size_t i = 0; i < n; i++)
            if (isfinite(values[i])) {
                centre += values[i];
                spread += fabs(values[i]);
                seen++;
            }
    }
    if (!(seen > 0)) return 0;
    centre /= seen;
    spread = spread / seen + 1e-300;
    for (int side = 0; side < 2; side++) {
        (void)evaluate(&score, values, train->out[side], n, NULL);
        for (size_t i = 0; i < n; i++)
            mean[side] += isnan(values[i]) ? 2 : tanh(4 * (values[i] - centre) / spread);
    }
    return fabs(mean[0] - mean[1]);
}

/* The best of one view, at most MOST_COORDINATES. */
static dusk_status propose_view(audit_scores *scores, const audit_sample *train, view v, size_t first,
                                dusk_error *err)
{
    double found[MOST_COORDINATES];
    size_t where[MOST_COORDINATES], count = 0;
    for (size_t i = first; i < train->length; i++) {
        double d =
            train->length <= MOST_COORDINATES ? 0 : difference(train, &(half_line){ .view = v, .at = i });
        size_t place = count < MOST_COORDINATES ? count++ : MOST_COORDINATES;
        while (place > 0 && d > found[place - 1]) {
            if (place < MOST_COORDINATES) {
                found[place] = found[place - 1];
                where[place] = where[place - 1];
            }
            place--;
        }
        if (place < MOST_COORDINATES) {
            found[place] = d;
            where[place] = i;
        }
    }
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < count; i++) DUSK_TRY(propose(scores, train, v, where[i], err));
done:
    return status;
}

dusk_status audit_propose_half_lines(audit_scores *scores, const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(propose_view(scores, train, VALUE, 0, err));
    if (train->length > 1) {
        DUSK_TRY(propose_view(scores, train, STEP, 1, err));
        DUSK_TRY(propose(scores, train, LEAST, 0, err));
        DUSK_TRY(propose(scores, train, MOST, 0, err));
        DUSK_TRY(propose(scores, train, SUM, 0, err));
    }
done:
    return status;
}
