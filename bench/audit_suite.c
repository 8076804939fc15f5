/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor on all standard subjects: its time beside that of DP-Sniper (Bichsel et al. 2021,
 * the logs of its authors: 20 mechanisms, claim 0.1, on their machine; 34 minutes with a logistic
 * classifier, 3.1 hours with a network, StatDP 13.3 hours), how many are sorted right, and the
 * least share of the truth that is shown (DP-Sniper: 0.50). */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bench.h"
#include "dusk/audit.h"

typedef struct outcome {
    double epsilon, cpu, cpu_peers, subjects, right, least;
} outcome;

/* The twenty mechanisms of DP-Sniper's logs; all their programs are among the standard subjects. */
static bool is_of_peers(const char *name)
{
    static const char *const names[] = {
        "laplace",
        "noisy-hist1",
        "noisy-hist2",
        "rnm1",
        "rnm2",
        "rnm3",
        "rnm4",
        "svt1",
        "svt2",
        "svt3",
        "svt4",
        "svt5",
        "svt6",
        "prefix-sum",
        "numerical-svt",
        "rappor",
        "one-time-rappor",
        "truncated-geometric",
        "laplace-parallel",
        "svt34-parallel",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

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
    double start = bench_cpu_seconds();
    bench_require(dusk_suite_audit(&r, index, all->epsilon, &options, gen, &err), &err);
    double took = bench_cpu_seconds() - start;
    all->cpu += took;
    if (is_of_peers(dusk_suite_at(index)->name)) all->cpu_peers += took;
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
    for (size_t i = 0; i < dusk_suite_size(); i++)
        if (dusk_suite_at(i)->part == DUSK_SUITE_STANDARD) audit_one(all, i, gen);
    return all;
}

static void peers_case(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    *out = (bench_result){ run_suite(*(const double *)self->setup, gen)->cpu_peers, 34 * 60 };
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
    { "audit-suite/peers/0.7", "the twenty mechanisms of the floor, claim 0.7", "CPU s",
      "DP-Sniper, its authors' machine", "<= 30", peers_case, &large },
    { "audit-suite/time/0.7", "all forty standard subjects, claim 0.7", "CPU s",
      "DP-Sniper with twenty, its authors' machine", "", time_case, &large },
    { "audit-suite/right/0.7", "verdicts as expected, claim 0.7", "subjects", "all subjects", "ratio >= 1",
      right_case, &large },
    { "audit-suite/least/0.7", "least bound over truth, claim 0.7", "share", "DP-Sniper's least", ">= 0.95",
      least_case, &large },
    { "audit-suite/peers/0.1", "the twenty mechanisms of the floor, claim 0.1", "CPU s",
      "DP-Sniper, its authors' machine", "<= 120", peers_case, &small },
    { "audit-suite/time/0.1", "all forty standard subjects, claim 0.1", "CPU s",
      "DP-Sniper with twenty, its authors' machine", "", time_case, &small },
    { "audit-suite/right/0.1", "verdicts as expected, claim 0.1", "subjects", "all subjects", "ratio >= 1",
      right_case, &small },
    { "audit-suite/least/0.1", "least bound over truth, claim 0.1", "share", "DP-Sniper's least", ">= 0.95",
      least_case, &small },
    { .name = NULL },
};
