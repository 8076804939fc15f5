/* SPDX-License-Identifier: Apache-2.0 */
/* A batch whose number is hidden, on few people, exactly: what the server sees with a person and without, over every noise, every subset that leaves and every report, is as far apart as the statement says, at the
 * most. And the shuffler draws what is reckoned with here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local_shuffle.h"
#include "dusk/mechanisms_numbers.h"
#include "local/record.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 8 };

static dusk_survey survey_of(double epsilon)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_GRR;
    o.domain = 2;
    o.epsilon = epsilon;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

/* at[m][k]: m reports leave and k of them are 1; [0][0]: none. `ones` of n people have 1, the others 0. */
typedef struct law {
    double at[MOST + 1][MOST + 1];
} law;

static double choose(int n, int k)
{
    return k < 0 || k > n ? 0 : exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/* The chance of `k` reports of 1 by `ones` people who have it and `zeros` who have not. */
static double answers(int ones, int zeros, int k, double keep)
{
    double sum = 0;
    for (int i = 0; i <= ones && i <= k; i++)
        sum += choose(ones, i) * pow(keep, i) * pow(1 - keep, ones - i) * choose(zeros, k - i) *
               pow(1 - keep, k - i) * pow(keep, zeros - (k - i));
    return sum;
}

static void see(law *out, int n, int ones, int threshold, double keep, const dusk_noise *noise)
{
    const int shape = (int)noise->shape;
    double total = 0;
    memset(out, 0, sizeof *out);
    for (int z = -shape; z <= shape; z++) total += exp(-abs(z) / noise->scale);
    for (int z = -shape; z <= shape; z++) {
        const double chance = exp(-abs(z) / noise->scale) / total;
        const int m = n + z - shape;
        if (m < threshold) out->at[0][0] += chance;
        for (int a = 0; a <= m && m >= threshold; a++) /* a of the ones leave */
            for (int k = 0; k <= m; k++)
                out->at[m][k] += chance * choose(ones, a) * choose(n - ones, m - a) / choose(n, m) *
                                 answers(a, m - a, k, keep);
    }
}

/* The least delta for which one is e^epsilon close to the other. */
static double apart(const law *a, const law *b, double epsilon)
{
    double sum = 0;
    for (int m = 0; m <= MOST; m++)
        for (int k = 0; k <= MOST; k++) sum += fmax(a->at[m][k] - exp(epsilon) * b->at[m][k], 0);
    return sum;
}

static void never_further_apart(void **state)
{
    static const double number[] = { 0.5, 2 }, local[] = { 0.3, 2.5 }, delta[] = { 0.3, 0.05 };
    static law with, without;
    double nearest = 0;
    (void)state;
    for (size_t e = 0; e < 2; e++)
        for (size_t l = 0; l < 2; l++)
            for (size_t d = 0; d < 2; d++)
                for (int threshold = 1; threshold <= 3; threshold += 2) {
                    const dusk_survey survey = survey_of(local[l]);
                    const double keep = ldexp((double)survey.task.p, -64);
                    dusk_statement statement;
                    dusk_noise noise;
                    assert_int_equal(dusk_hidden_statement(&statement, &survey, (uint64_t)threshold,
                                                           number[e], delta[d], NULL),
                                     DUSK_OK);
                    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, number[e], delta[d] / 2, 0, NULL),
                                     DUSK_OK);
                    assert_true(noise.shape == floor(noise.shape) && noise.shape >= 1);
                    for (int n = 0; n < MOST; n++)
                        for (int ones = 0; ones <= n; ones++)
                            for (int has = 0; has < 2; has++) {
                                see(&without, n, ones, threshold, keep, &noise);
                                see(&with, n + 1, ones + has, threshold, keep, &noise);
                                const double far = fmax(apart(&with, &without, statement.epsilon),
                                                        apart(&without, &with, statement.epsilon));
                                nearest = fmax(nearest, far / statement.delta);
                                if (!(far <= statement.delta * (1 + 1e-9)))
                                    fail_msg("%g and %g, delta %g, %d people: %.6g", number[e], local[l],
                                             delta[d], n, far);
                            }
                }
    assert_true(nearest > 0.05); /* there is something to hide */
}

static dusk_status count_up(void *context, const uint8_t *bytes, size_t n, dusk_error *err)
{
    uint32_t *seen = context;
    size_t head;
    uint64_t length;
    (void)err;
    for (size_t at = 0; at < n; at += head + length) {
        assert_int_equal(local_frame_read(bytes + at, n - at, &head, &length), LOCAL_FRAME_WHOLE);
        seen[bytes[at + head + length - 1]]++; /* the report is the last byte */
        seen[8]++;
    }
    return DUSK_OK;
}

/* Seven reports, 6000 batches: numbers come as often as the noise says, each report leaves as often as others, and too few leave nothing, not even a second try. Seven deviations. */
static void as_reckoned(void **state)
{
    enum { PEOPLE = 7, RUNS = 6000, THRESHOLD = 3 };
    dusk_survey survey = survey_of(1);
    uint8_t bytes[PEOPLE * 64];
    size_t used = 0;
    uint32_t numbers[PEOPLE + 1] = { 0 }, each[PEOPLE] = { 0 }, all = 0;
    dusk_generator *gen;
    dusk_generator_entropy coins;
    dusk_noise noise;
    (void)state;
    dusk_survey_options o;
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_GRR;
    o.domain = 8;
    o.epsilon = 1;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_new_seeded(&gen, 12, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    for (uint8_t i = 0; i < PEOPLE; i++)
        used += dusk_client_record(&survey.task, 0, bytes + used, &i, &entropy);
    assert_int_equal(dusk_truncated_laplace_init(&noise, 1, 1, 0.05, 0, NULL), DUSK_OK);
    for (int run = 0; run < RUNS; run++) {
        dusk_shuffler *s;
        uint32_t seen[9] = { 0 };
        assert_int_equal(dusk_shuffler_new(&s, &survey, 0, THRESHOLD, NULL), DUSK_OK);
        assert_int_equal(dusk_shuffler_hide_number(s, 1, 0.1, NULL), DUSK_OK);
        assert_int_equal(dusk_shuffler_take(s, bytes, used, NULL), DUSK_OK);
        const dusk_status status = dusk_shuffler_release(s, gen, count_up, seen, NULL);
        assert_true(status == DUSK_OK || (status == DUSK_ERR_ARGUMENT && seen[8] == 0));
        assert_true(status != DUSK_OK || (seen[8] >= THRESHOLD && seen[8] == dusk_shuffler_left(s)));
        if (run < 100)
            assert_int_equal(dusk_shuffler_release(s, gen, count_up, seen, NULL), DUSK_ERR_ARGUMENT);
        numbers[seen[8]]++;
        all += seen[8];
        for (int i = 0; i < PEOPLE; i++) each[i] += seen[i];
        dusk_shuffler_free(s);
    }
    static law right;
    see(&right, PEOPLE, 0, THRESHOLD, 0.5, &noise);
    for (int m = 0; m <= PEOPLE; m++) {
        double chance = 0;
        for (int k = 0; k <= MOST; k++) chance += right.at[m][k];
        const double off = numbers[m] - RUNS * chance;
        if (!(fabs(off) <= 7 * sqrt(RUNS * chance * (1 - chance)) + 1e-9))
            fail_msg("%d reports leave %u times, not %.1f", m, numbers[m], RUNS * chance);
    }
    for (int i = 0; i < PEOPLE; i++)
        assert_true(fabs(each[i] - (double)all / PEOPLE) < 7 * sqrt((double)all / PEOPLE));
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(never_further_apart),
                                        cmocka_unit_test(as_reckoned) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
