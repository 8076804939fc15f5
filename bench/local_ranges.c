/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of 1024 categories at epsilon 1, people as Zipf has them: how far off a tree is beside its formula, and beside adding up an ordinary histogram. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/local_estimates.h"

enum { DOMAIN = 1024, PEOPLE = 50000, SURVEYS = 100, RANGES = 200 };

typedef struct job {
    uint32_t value[PEOPLE];
    double below[DOMAIN + 1]; /* people with a smaller value */
    dusk_range range[RANGES];
} job;

/* Values with shares as 1 / (v + 1)^1.1, and ranges between two uniform ones. */
static void begin(job *j, dusk_generator *gen)
{
    double total = 0, sum = 0, *at = bench_uniform(2 * RANGES, 0, DOMAIN, gen);
    size_t i = 0;
    memset(j, 0, sizeof *j);
    for (size_t v = 0; v < DOMAIN; v++) total += pow((double)(v + 1), -1.1);
    for (uint32_t v = 0; v < DOMAIN; v++) {
        sum += pow((double)(v + 1), -1.1);
        for (; i < PEOPLE && (double)i < sum / total * PEOPLE; i++) j->value[i] = v;
        j->below[v + 1] = (double)i;
    }
    for (size_t r = 0; r < RANGES; r++) {
        const uint64_t a = (uint64_t)at[2 * r], b = (uint64_t)at[2 * r + 1];
        j->range[r] = (dusk_range){ a < b ? a : b, a < b ? b : a };
    }
    free(at);
}

/* The mean squared error of ranges by people, and what the formula says of it. */
static double measure(const job *j, dusk_randomiser mechanism, double *theory, dusk_generator *gen)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    double count[RANGES], error = 0;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.domain = DOMAIN;
    options.epsilon = 1;
    bench_require(dusk_survey_init(&survey, &options, &err), &err);
    uint8_t *report = bench_allocate(1, dusk_report_size(&survey.task));
    *theory = 0;
    for (size_t s = 0; s < SURVEYS; s++) {
        dusk_tally *tally;
        bench_require(dusk_tally_new(&tally, &survey, &err), &err);
        for (size_t i = 0; i < PEOPLE; i++) {
            dusk_client_report(&survey.task, report, j->value[i], &entropy);
            dusk_tally_add(tally, report, 1);
        }
        bench_require(dusk_tally_ranges(tally, count, NULL, j->range, RANGES, &err), &err);
        for (size_t r = 0; r < RANGES; r++) {
            const double truth = j->below[j->range[r].to + 1] - j->below[j->range[r].from];
            error += (count[r] - truth) * (count[r] - truth) / PEOPLE / RANGES / SURVEYS;
            *theory += dusk_survey_range_variance(&survey, j->range[r], truth / PEOPLE) / RANGES / SURVEYS;
        }
        dusk_tally_free(tally);
    }
    free(report);
    return error;
}

static void run_error(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    double theory;
    (void)self;
    begin(&j, gen);
    out->value = measure(&j, DUSK_TREE, &theory, gen);
    out->floor_value = theory;
}

static void run_sums(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static job j;
    double theory;
    (void)self;
    begin(&j, gen);
    out->value = measure(&j, DUSK_TREE, &theory, gen);
    out->floor_value = measure(&j, DUSK_HADAMARD, &theory, gen);
}

const bench_case bench_local_range_cases[] = {
    { .name = "local/tree/ranges",
      .what = "squared error of 200 random ranges of 1024 categories by people",
      .unit = "MSE/n",
      .floor = "the formula",
      .aim = "ratio <= 1.1",
      .run = run_error,
      .setup = NULL },
    { .name = "local/tree/ranges/sums",
      .what = "the same, beside adding up a histogram",
      .unit = "MSE/n",
      .floor = "hadamard, added up",
      .aim = "ratio <= 0.1",
      .run = run_sums,
      .setup = NULL },
    { .name = NULL },
};
