/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_LOCAL_LAW_H
#define DUSK_TESTS_LOCAL_LAW_H

/* The law of a device's reports as fractions: the shipped randomiser runs once for every sequence of choices that its coins can make, and
 * probabilities are added up as rational numbers. Nothing is sampled and nothing is rounded. What the coins themselves do is
 * tests/exhaustive/client_coins.c. */

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local.h"
#include "local/client.h"
#include "support.h"

enum { LAW_CHOICES = 64, LAW_REPORT = 64 };

/* One run: the choices that it is to make, and what they were among. */
typedef struct law_run {
    uint64_t choice[LAW_CHOICES], ways[LAW_CHOICES];
    size_t length, at;
    mpq_t weight;
} law_run;

/* Reports that can be, with their probabilities. */
typedef struct local_law {
    size_t count, room, bytes;
    uint8_t (*report)[LAW_REPORT];
    mpq_t *weight;
} local_law;

static inline void law_multiply(mpq_t weight, uint64_t above, uint64_t below_high, uint64_t below)
{
    mpq_t x;
    mpq_init(x);
    mpz_set_ui(mpq_numref(x), above);
    mpz_set_ui(mpq_denref(x), below_high);
    mpz_mul_2exp(mpq_denref(x), mpq_denref(x), 64);
    mpz_add_ui(mpq_denref(x), mpq_denref(x), below);
    mpq_canonicalize(x);
    mpq_mul(weight, weight, x);
    mpq_clear(x);
}

static inline uint64_t law_choose(void *context, uint32_t ways, uint64_t p, unsigned lanes)
{
    law_run *run = context;
    assert_true(run->at < LAW_CHOICES);
    assert_true(ways > 0 || (lanes >= 1 && lanes <= 16));
    if (run->at == run->length) run->choice[run->length++] = 0;
    run->ways[run->at] = ways > 0 ? ways : (uint64_t)1 << lanes;
    const uint64_t choice = run->choice[run->at++];
    if (ways > 0 && lanes == 1) {
        run->ways[run->at - 1] = 2;
        law_multiply(run->weight, choice ? p : ways - p, 0, ways);
        return choice;
    }
    if (ways > 0) {
        law_multiply(run->weight, 1, 0, ways);
        return choice;
    }
    for (unsigned lane = 0; lane < lanes; lane++)
        if (choice >> lane & 1)
            law_multiply(run->weight, p, 1, 0);
        else if (p > 0)
            law_multiply(run->weight, 0 - p, 1, 0);
    return choice;
}

static inline void law_add(local_law *law, const uint8_t *report, const mpq_t weight)
{
    size_t i = 0;
    if (mpq_sgn(weight) == 0) return;
    while (i < law->count && memcmp(law->report[i], report, law->bytes) != 0) i++;
    if (i == law->count) {
        if (law->count == law->room) {
            law->room = law->room ? 2 * law->room : 64;
            law->report = realloc(law->report, law->room * sizeof *law->report);
            law->weight = realloc(law->weight, law->room * sizeof *law->weight);
            assert_non_null(law->report);
            assert_non_null(law->weight);
        }
        memcpy(law->report[i], report, law->bytes);
        mpq_init(law->weight[i]);
        law->count++;
    }
    mpq_add(law->weight[i], law->weight[i], weight);
}

/* A device as the law sees it: writes a report of a value. */
typedef int law_device(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy);

static inline void law_of(local_law *law, law_device *device, const dusk_client_task *task, uint64_t value)
{
    law_run run = { .length = 0 };
    dusk_entropy none = { NULL, NULL };
    uint8_t report[LAW_REPORT];
    mpq_init(run.weight);
    *law = (local_law){ .bytes = dusk_report_size(task) };
    assert_true(law->bytes <= LAW_REPORT);
    dusk_client_script = law_choose;
    dusk_client_script_context = &run;
    for (;;) {
        run.at = 0;
        mpq_set_ui(run.weight, 1, 1);
        assert_int_equal(device(task, report, value, &none), DUSK_CLIENT_OK);
        law_add(law, report, run.weight);
        run.length = run.at;
        while (run.length > 0 && run.choice[run.length - 1] + 1 == run.ways[run.length - 1]) run.length--;
        if (run.length == 0) break;
        run.choice[run.length - 1]++;
    }
    dusk_client_script = NULL;
    mpq_clear(run.weight);
}

static inline void law_clear(local_law *law)
{
    for (size_t i = 0; i < law->count; i++) mpq_clear(law->weight[i]);
    free(law->report);
    free(law->weight);
}

/* out = the probability of a report; 0 where it cannot be. */
static inline void law_weight(mpq_t out, const local_law *law, const uint8_t *report)
{
    mpq_set_ui(out, 0, 1);
    for (size_t i = 0; i < law->count; i++)
        if (memcmp(law->report[i], report, law->bytes) == 0) mpq_set(out, law->weight[i]);
}

/* The largest ratio that a report has under two values, as a double that is within 1e-15 of its log; INFINITY where a report betrays a value. All laws add
 * up to 1. */
static inline double law_epsilon(law_device *device, const dusk_client_task *task, uint64_t values)
{
    local_law *law = calloc(values, sizeof *law);
    mpq_t sum, a, b, most;
    mpfr_t log;
    double epsilon = 0;
    assert_non_null(law);
    mpq_inits(sum, a, b, most, NULL);
    for (uint64_t v = 0; v < values; v++) {
        law_of(&law[v], device, task, v);
        mpq_set_ui(sum, 0, 1);
        for (size_t i = 0; i < law[v].count; i++) mpq_add(sum, sum, law[v].weight[i]);
        assert_int_equal(mpq_cmp_ui(sum, 1, 1), 0);
    }
    for (uint64_t v = 0; v < values; v++)
        for (uint64_t w = 0; w < values; w++)
            for (size_t i = 0; i < law[v].count; i++) {
                law_weight(b, &law[w], law[v].report[i]);
                if (mpq_sgn(b) == 0) epsilon = INFINITY;
                if (mpq_sgn(b) == 0) continue;
                mpq_div(a, law[v].weight[i], b);
                if (mpq_cmp(a, most) > 0) mpq_set(most, a);
            }
    mpfr_init2(log, 200);
    mpfr_set_q(log, most, MPFR_RNDN);
    mpfr_log(log, log, MPFR_RNDN);
    if (epsilon < INFINITY) epsilon = mpfr_get_d(log, MPFR_RNDN);
    mpfr_clear(log);
    for (uint64_t v = 0; v < values; v++) law_clear(&law[v]);
    free(law);
    mpq_clears(sum, a, b, most, NULL);
    return epsilon;
}

/* What a survey says is not below the truth, not above it by more than rounding, and what was asked for; and the estimate from one report is right on
 * average, whatever the value. The last of `values` may be one beyond the domain, which counts as the last of it. */
static inline void law_check(const dusk_survey *survey, double asked, uint64_t values)
{
    const double truth = law_epsilon(dusk_client_report, &survey->task, values);
    const uint64_t domain = survey->task.domain;
    dusk_tally *tally = NULL;
    if (!(survey->epsilon >= truth * (1 - 1e-15) && survey->epsilon <= truth * (1 + 1e-12) &&
          truth <= asked * (1 + 1e-15)))
        fail_msg("%s: the law has %.17g, the survey says %.17g of %.17g",
                 dusk_randomiser_name(survey->task.mechanism), truth, survey->epsilon, asked);
    if (dusk_randomiser_question((dusk_randomiser)survey->task.mechanism) != DUSK_ASKS_COUNTS) return;
    double *mean = calloc(domain, sizeof *mean), *count = calloc(domain, sizeof *count);
    assert_true(mean && count);
    for (uint64_t v = 0; v < values; v++) {
        local_law law;
        law_of(&law, dusk_client_report, &survey->task, v);
        memset(mean, 0, domain * sizeof *mean);
        for (size_t i = 0; i < law.count; i++) {
            assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
            dusk_tally_add(tally, law.report[i], 1);
            assert_int_equal(dusk_tally_reports(tally), 1);
            assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, domain, NULL), DUSK_OK);
            for (uint64_t x = 0; x < domain; x++) mean[x] += mpq_get_d(law.weight[i]) * count[x];
            dusk_tally_free(tally);
        }
        for (uint64_t x = 0; x < domain; x++) {
            const double right = x == (v < domain ? v : domain - 1);
            if (!(fabs(mean[x] - right) < 1e-9))
                fail_msg("%s: of %d the estimate of %d is %.17g on average",
                         dusk_randomiser_name(survey->task.mechanism), (int)v, (int)x, mean[x]);
        }
        law_clear(&law);
    }
    free(mean);
    free(count);
}

/* The estimates of a tally of one report, averaged by the law of a device that has a value, are 1 of this value and 0 of all others. */
static inline void law_unbiased(const dusk_survey *survey, uint64_t values)
{
    double *mean = calloc(values, sizeof *mean), *count = calloc(values, sizeof *count);
    assert_non_null(mean);
    assert_non_null(count);
    for (uint64_t v = 0; v < values; v++) {
        local_law law;
        double size = 1;
        law_of(&law, dusk_client_report, &survey->task, v);
        for (uint64_t w = 0; w < values; w++) mean[w] = 0;
        for (size_t i = 0; i < law.count; i++) {
            dusk_tally *tally;
            assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
            dusk_tally_add(tally, law.report[i], 1);
            assert_int_equal(dusk_tally_reports(tally), 1);
            assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, values, NULL), DUSK_OK);
            for (uint64_t w = 0; w < values; w++) {
                mean[w] += mpq_get_d(law.weight[i]) * count[w];
                size = fmax(size, fabs(count[w]));
            }
            dusk_tally_free(tally);
        }
        for (uint64_t w = 0; w < values; w++)
            if (!(fabs(mean[w] - (v == w)) <= 1e-12 * size))
                fail_msg("%s: of value %llu the mean is %.17g where %llu is the truth",
                         dusk_randomiser_name(survey->task.mechanism), (unsigned long long)w, mean[w],
                         (unsigned long long)v);
        law_clear(&law);
    }
    free(mean);
    free(count);
}

#endif
