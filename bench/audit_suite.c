/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor on all standard subjects: its time beside that of DP-Sniper (Bichsel et al. 2021,
 * the logs of its authors: 20 mechanisms, claim 0.1, on their machine; 34 minutes with a logistic
 * classifier, 3.1 hours with a network, StatDP 13.3 hours), how many are sorted right, and the
 * least share of the truth that is shown (DP-Sniper: 0.50). */
#include <math.h>
#include <stdbool.h>

#include "bench.h"
#include "dusk/audit.h"

typedef struct outcome {
    double epsilon, cpu, subjects, right, least;
} outcome;

/* What is not counted to 5 %: sets whose rarer side has a mass m below 1e-5; and small truths e
 * that take more than 2^25 draws a side, as two limits at 97.5 % of a count m n lie within
 * 2 * 2.24/sqrt(m n) of each other and that is to be 0.05 e. */
static bool beyond_counting(const dusk_suite_result *r)
{
    double m = r->rarer_mass, within = 0.05 * r->exact;
    return m > 0 && (m < 1e-5 || 20 / (m * within * within) > 0x1p25);
}

static void audit_one(outcome *all, size_t index, dusk_generator *gen)
{
    dusk_suite_result r;
    dusk_audit_options options;
    dusk_error err;
    dusk_audit_options_init(&options);
    options.seed = index + 1;
    bench_require(dusk_suite_audit(&r, index, all->epsilon, &options, gen, &err), &err);
    all->subjects++;
    all->right += r.report.verdict == r.expected;
    if (isfinite(r.exact) && !beyond_counting(&r)) all->least = fmin(all->least, r.report.epsilon / r.exact);
}

/* One run for all cases of a claim. */
static const outcome *run_suite(double epsilon, dusk_generator *gen)
{
    static outcome known[2];
    outcome *all = &known[epsilon < 0.5];
    if (all->subjects > 0) return all;
    *all = (outcome){ .epsilon = epsilon, .least = INFINITY };
    double start = bench_cpu_seconds();
    for (size_t i = 0; i < dusk_suite_size(); i++)
        if (dusk_suite_at(i)->part == DUSK_SUITE_STANDARD) audit_one(all, i, gen);
    all->cpu = bench_cpu_seconds() - start;
    return all;
}

static void time_case(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    *out = (bench_result){ run_suite(*(const double *)self->setup, gen)->cpu, 34 * 60 };
}

static void right_case(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const outcome *all = run_suite(*(const double *)self->setup, gen);
    *out = (bench_result){ all->right, all->subjects };
}

static void least_case(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    *out = (bench_result){ run_suite(*(const double *)self->setup, gen)->least, 0.50 };
}

static const double large = 0.7, small = 0.1;

const bench_case bench_audit_suite_cases[] = {
    { "audit-suite/time/0.7", "all standard subjects, claim 0.7", "CPU s", "DP-Sniper, its authors' machine",
      "<= 30", time_case, &large },
    { "audit-suite/right/0.7", "verdicts as expected, claim 0.7", "subjects", "all subjects", "ratio >= 1",
      right_case, &large },
    { "audit-suite/least/0.7", "least bound over truth, claim 0.7", "share", "DP-Sniper's least", ">= 0.95",
      least_case, &large },
    { "audit-suite/time/0.1", "all standard subjects, claim 0.1", "CPU s", "DP-Sniper, its authors' machine",
      "<= 120", time_case, &small },
    { "audit-suite/right/0.1", "verdicts as expected, claim 0.1", "subjects", "all subjects", "ratio >= 1",
      right_case, &small },
    { "audit-suite/least/0.1", "least bound over truth, claim 0.1", "share", "DP-Sniper's least", ">= 0.95",
      least_case, &small },
    { .name = NULL },
};
