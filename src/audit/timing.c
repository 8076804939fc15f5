/* SPDX-License-Identifier: Apache-2.0 */
/* Time against value, by ranks within blocks. Given the times of a block and the set of its values,
 * values that are independent of each other and of the times come in every order equally
 * often; so Spearman's correlation of the block, ties included, has mean 0 and variance
 * 1/(m - 1) [Hoeffding 1951; Hajek, Sidak & Sen 1999, section 3.3], whatever the times are.
 * Blocks are independent, and their sum is bounded by Bernstein's inequality [Boucheron, Lugosi &
 * Massart 2013, Corollary 2.11].
 *
 * Ranks are untouched by how long an interrupt took, blocks by a machine that changes its
 * speed. Small blocks cost little power, and make the inequality nearly the normal law. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/ticks.h"
#include "dusk/audit_floats.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

enum { BLOCK = 16, CLASSES = 64, QUESTIONS = 2, LEAST_DRAWS = 64 };
/* A correlation of this size is worth showing. */
#define WORTH 0.1

/* --- ranks -------------------------------------------------------------------------------- */

/* NaN is larger than everything, so that every list has ranks. */
static bool is_less(double a, double b) { return isnan(b) ? !isnan(a) : a < b; }

/* Twice the rank of each of the block, from the middle one: whole numbers of sum 0. */
static void ranks_of(int out[BLOCK], const double *x)
{
    for (int i = 0; i < BLOCK; i++) {
        out[i] = 0;
        for (int j = 0; j < BLOCK; j++) out[i] += (int)is_less(x[j], x[i]) - (int)is_less(x[i], x[j]);
    }
}

/* Spearman's correlation of a block; 0 where all are equal. */
static double block_correlation(const double *x, const double *y)
{
    int a[BLOCK], b[BLOCK], ab = 0, aa = 0, bb = 0;
    ranks_of(a, x);
    ranks_of(b, y);
    for (int i = 0; i < BLOCK; i++) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return aa > 0 && bb > 0 ? ab / sqrt((double)aa * bb) : 0;
}

/* --- one question ----------------------------------------------------------------------------- */

typedef struct answer {
    double sum; /* of the blocks' correlations */
    double blocks;
} answer;

static answer ask(const double *scores, const double *durations, size_t n)
{
    answer a = { .blocks = (double)(n / BLOCK) };
    for (size_t i = 0; i + BLOCK <= n; i += BLOCK) a.sum += block_correlation(scores + i, durations + i);
    return a;
}

static double variance_of(answer a) { return a.blocks / (BLOCK - 1); }

/* P(|sum| is as large), no less than the truth, for `questions` of them. */
DUSK_PROVEN(timing_p_up)
static double timing_p_up(answer a)
{
    /* each correlation and each addition is wrong by less than 2^-48 */
    double t = fabs(a.sum) - a.blocks * a.blocks * 0x1p-50;
    if (!(t > 0)) return 1;
    double below = dusk_mul_up(2, dusk_add_up(dusk_div_up(a.blocks, BLOCK - 1), dusk_div_up(t, 3)));
    double exponent =
        dusk_div_down(dusk_mul_down(t, t), DUSK_MUTATE(TIMING_VARIANCE_SMALL, below, below / 4));
    return fmin(1, dusk_mul_up(2 * DUSK_MUTATE(TIMING_NO_UNION, QUESTIONS, 1), dusk_exp_up(-exponent)));
}

static double p_normal(answer a)
{
    if (!(a.blocks > 0)) return 1;
    return fmin(1, 2 * QUESTIONS * dusk_normal_sf(fabs(a.sum) / sqrt(variance_of(a))));
}

/* The correlation that would be seen nine times in ten: Bernstein's inequality solved for
 * the sum, and 1.3 deviations. */
static double detectable(answer a, double alarm)
{
    double v = a.blocks / (BLOCK - 1), need = log(2 * QUESTIONS / alarm);
    if (!(a.blocks > 0)) return INFINITY;
    double t = need / 3 + sqrt(need * need / 9 + 2 * v * need);
    return (t + 1.3 * sqrt(v)) / a.blocks;
}

/* --- classes ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (int)is_less(y, x) - (int)is_less(x, y);
}

/* Ends of classes that hold equally many of n values. */
static void find_classes(double ends[CLASSES - 1], double *sorted, size_t n)
{
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 1; i < CLASSES; i++) ends[i - 1] = sorted[i * n / CLASSES];
}

static size_t class_of(const double ends[CLASSES - 1], double x)
{
    size_t low = 0, high = CLASSES - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (is_less(x, ends[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The mean rank of the times of each class. */
static void learn(double mean[CLASSES], const double ends[CLASSES - 1], const double *values,
                  const double *durations, size_t n)
{
    double count[CLASSES] = { 0 };
    memset(mean, 0, CLASSES * sizeof *mean);
    for (size_t i = 0; i + BLOCK <= n; i += BLOCK) {
        int rank[BLOCK];
        ranks_of(rank, durations + i);
        for (size_t j = 0; j < BLOCK; j++) {
            size_t place = class_of(ends, values[i + j]);
            mean[place] += rank[j];
            count[place]++;
        }
    }
    for (size_t i = 0; i < CLASSES; i++)
        if (count[i] > 0) mean[i] /= count[i];
}

/* What the first half teaches is asked of the second. `scores` has room for n numbers. */
static answer ask_classes(double *scores, const double *values, const double *durations, size_t n)
{
    double ends[CLASSES - 1], mean[CLASSES];
    size_t half = n / 2, fresh = DUSK_MUTATE(TIMING_SAME_HALF, half, 0);
    memcpy(scores, values, half * sizeof *scores);
    find_classes(ends, scores, half);
    learn(mean, ends, values, durations, half);
    for (size_t i = 0; i < n - half; i++) scores[i] = mean[class_of(ends, values[fresh + i])];
    return ask(scores, durations + fresh, n - half);
}

/* --- the test -------------------------------------------------------------------------------------- */

dusk_status dusk_audit_timing(dusk_timing_report *out, const double *values, const double *durations,
                              size_t n, double alarm, dusk_error *err)
{
    static const char *const names[QUESTIONS] = { "size", "classes" };
    dusk_status status = DUSK_OK;
    dusk_timing_report report = { .draws = n };
    dusk_text question;
    double *scores = NULL;
    if (n < LEAST_DRAWS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give some hundred thousand",
                         "times of %zu draws are too few, at least %d are needed", n, LEAST_DRAWS);
    if (!(alarm > 0 && alarm < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1e-6 is usual",
                         "the chance of a false alarm must be between 0 and 1");
    DUSK_NEW(scores, n);
    for (size_t i = 0; i < n; i++) scores[i] = fabs(values[i]);
    answer answers[QUESTIONS] = { ask(scores, durations, n) };
    answers[1] = ask_classes(scores, values, durations, n);
    double p[QUESTIONS] = { timing_p_up(answers[0]), timing_p_up(answers[1]) };
    size_t best = p[1] < p[0] ? 1 : 0;
    report.p_sure = p[best];
    report.p = p_normal(answers[best]);
    report.correlation = answers[best].sum / answers[best].blocks;
    report.detectable = detectable(answers[0], alarm);
    report.verdict = report.p_sure <= alarm      ? DUSK_VIOLATION
                     : report.detectable < WORTH ? DUSK_PASS
                                                 : DUSK_INCONCLUSIVE;
    dusk_text_init(&question, report.question, sizeof report.question);
    dusk_text_add(&question, "%s", names[best]);
    *out = report;
done:
    dusk_deallocate(scores);
    return status;
}

dusk_status dusk_timing_measure(double *values, double *durations, size_t n, const dusk_sampler *sampler,
                                const double *input, dusk_error *err)
{
    double *output = NULL;
    dusk_status status = DUSK_OK;
    DUSK_NEW(output, sampler->output_length ? sampler->output_length : 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t start = dusk_ticks();
        status = sampler->draw(sampler->context, output, 1, input, err);
        uint64_t end = dusk_ticks();
        if (status != DUSK_OK) goto done;
        values[i] = output[0];
        durations[i] = (double)(end - start);
    }
done:
    dusk_deallocate(output);
    return status;
}
