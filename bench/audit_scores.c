/* SPDX-License-Identifier: Apache-2.0 */
/* Audits from scores: time of a bound beside one pass over the scores that it is about, and
 * how often each bound is above 0.01 when nothing leaks, beside the 5 % that it may be. The
 * named peers take 0.2 to 1.1 s for the second bound; four of five routines of another raise
 * 86 to 96 % false alarms on the same null scores. */
#include <math.h>
#include <stdlib.h>

#include "audit/coins.h"
#include "bench.h"
#include "dusk/audit_scores.h"

enum { NULLS = 1000, CANARIES = 1000, REPEATS = 4 };

static double normal(audit_coins *coins)
{
    return sqrt(-2 * log(audit_uniform(coins))) * cos(2 * M_PI * audit_uniform(coins));
}

/* --- time ------------------------------------------------------------------------------ */

typedef struct job {
    dusk_score_method method;
    uint64_t canaries;
    double *scores;
} job;

/* A tenth of the canaries is guessed, nine of ten rightly; and all, 55 of 100. */
static double bound(const job *j, uint64_t guesses, uint64_t correct)
{
    uint64_t m = j->canaries;
    if (j->method == DUSK_ONE_RUN) return dusk_one_run_epsilon_down(m, guesses, correct, 1e-5, 0.05);
    if (j->method == DUSK_ONE_RUN_FDP) return dusk_one_run_fdp_epsilon_down(m, guesses, correct, 1e-5, 0.05);
    return dusk_mu_epsilon_down(dusk_one_run_mu_down(m, guesses, correct, 0.05), 1e-5);
}

static void run_bounds(void *context)
{
    const job *j = context;
    for (int i = 0; i < REPEATS / 2; i++) {
        bench_keep(bound(j, j->canaries / 10, j->canaries * 9 / 100));
        bench_keep(bound(j, j->canaries, j->canaries * 55 / 100));
    }
}

static void read_scores(void *context)
{
    const job *j = context;
    for (int k = 0; k < REPEATS; k++) {
        double sum = 0;
        for (uint64_t i = 0; i < j->canaries; i++) sum += j->scores[i];
        bench_keep(sum);
    }
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = *(const job *)self->setup;
    j.scores = bench_uniform(j.canaries, 0, 1, gen);
    bench_times times = bench_compare(run_bounds, read_scores, &j);
    *out = (bench_result){ times.work / REPEATS * 1e3, times.floor / REPEATS * 1e3 };
    free(j.scores);
}

/* --- false alarms -------------------------------------------------------------------------- */

typedef struct nulls {
    dusk_score_method method;
    dusk_choice_rule rule;
    bool listed; /* 500 members and 500 others; otherwise a coin each */
} nulls;

static bool is_alarm(const nulls *n, audit_coins *coins)
{
    double score[CANARIES];
    bool member[CANARIES], alarm = false;
    dusk_error err;
    dusk_scores *scores;
    dusk_score_options options;
    dusk_score_report report;
    for (size_t i = 0; i < CANARIES; i++) {
        member[i] = n->listed ? i < CANARIES / 2 : audit_word(coins) >> 63;
        score[i] = normal(coins);
    }
    dusk_score_options_init(&options);
    options.rule = n->rule;
    options.delta = 1e-5;
    options.seed = audit_word(coins);
    bench_require(dusk_scores_new(&scores, score, member, CANARIES, &err), &err);
    bench_require(dusk_scores_audit(&report, scores, &options, &err), &err);
    for (size_t i = 0; i < report.count; i++)
        if (report.bound[i].method == n->method) alarm = report.bound[i].epsilon > 0.01;
    dusk_scores_free(scores);
    return alarm;
}

static void run_nulls(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    audit_coins coins = audit_coins_seeded(1);
    double alarms = 0;
    (void)gen;
    for (int i = 0; i < NULLS; i++) alarms += is_alarm(self->setup, &coins);
    *out = (bench_result){ 100 * alarms / NULLS, 5 };
}

/* --- the table -------------------------------------------------------------------------------- */

#define TIME(name_, method_, m_)                                                                             \
    {                                                                                                        \
        .name = "scores/" name_ "/" #m_, .what = "a bound of " #m_ " canaries in one run", .unit = "ms",     \
        .floor = "adding up the scores", .aim = "<= 10", .run = run_time, .setup = &(const job)              \
        {                                                                                                    \
            .method = (method_), .canaries = (m_)                                                            \
        }                                                                                                    \
    }
#define NULLS_OF(name_, method_, rule_, listed_)                                                             \
    {                                                                                                        \
        .name = "scores/false-alarms/" name_, .what = "1000 runs without a leak: bounds above 0.01",         \
        .unit = "%", .floor = "what is allowed", .aim = "<= 5", .run = run_nulls, .setup = &(const nulls)    \
        {                                                                                                    \
            .method = (method_), .rule = (rule_), .listed = (listed_)                                        \
        }                                                                                                    \
    }

const bench_case bench_score_cases[] = {
    TIME("one-run", DUSK_ONE_RUN, 1000),
    TIME("one-run", DUSK_ONE_RUN, 10000),
    TIME("one-run-fdp", DUSK_ONE_RUN_FDP, 1000),
    TIME("one-run-fdp", DUSK_ONE_RUN_FDP, 10000),
    TIME("one-run-gdp", DUSK_ONE_RUN_GDP, 1000),
    TIME("one-run-gdp", DUSK_ONE_RUN_GDP, 10000),
    NULLS_OF("one-run/coins", DUSK_ONE_RUN, DUSK_CHOICE_LIST, false),
    NULLS_OF("one-run/500+500", DUSK_ONE_RUN, DUSK_CHOICE_LIST, true),
    NULLS_OF("one-run/split", DUSK_ONE_RUN, DUSK_CHOICE_SPLIT, false),
    NULLS_OF("one-run-fdp/coins", DUSK_ONE_RUN_FDP, DUSK_CHOICE_LIST, false),
    NULLS_OF("one-run-fdp/500+500", DUSK_ONE_RUN_FDP, DUSK_CHOICE_LIST, true),
    NULLS_OF("one-run-fdp/split", DUSK_ONE_RUN_FDP, DUSK_CHOICE_SPLIT, false),
    NULLS_OF("one-run-gdp/coins", DUSK_ONE_RUN_GDP, DUSK_CHOICE_LIST, false),
    NULLS_OF("clopper-pearson/500+500", DUSK_CLOPPER_PEARSON, DUSK_CHOICE_SPLIT, true),
    NULLS_OF("threshold-gdp/500+500", DUSK_THRESHOLD_GDP, DUSK_CHOICE_SPLIT, true),
    { .name = NULL },
};
