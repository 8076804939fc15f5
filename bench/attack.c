/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on releases: products with the matrix of groups beside the plain loop, decoders beside
 * the dense normal equations, shares of a column that are given back beside what theory and the
 * accountant say, and how often intervals and p-values err beside what they promise. */
#include <math.h>
#include <stdlib.h>

#include "attack/groups.h"
#include "bench.h"
#include "dusk/dusk.h"

enum { PEOPLE = 512, QUESTIONS = 2 * PEOPLE, RUNS = 1000 };

typedef struct setup {
    dusk_decoder decoder;
    double epsilon; /* of each answer; 0: exact */
    double wrong;   /* share of answers that are arbitrary */
} setup;

typedef struct job {
    dusk_groups *groups;
    dusk_generator *gen;
    double *truth, *exact, *answers, *values, *gram;
    dusk_reconstruction_options options;
} job;

static double release_count(double exact, double epsilon, dusk_generator *gen)
{
    dusk_aggregate how;
    dusk_answer answer;
    dusk_error err;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = epsilon;
    bench_require(dusk_count_release(&answer, &how, (uint64_t)exact, gen, &err), &err);
    return answer.value;
}

static job open_job(const setup *s, dusk_generator *gen)
{
    dusk_error err;
    job j = { .gen = gen };
    bench_require(dusk_groups_random(&j.groups, PEOPLE, QUESTIONS, 1, &err), &err);
    j.truth = bench_uniform(PEOPLE, 0, 1, gen);
    for (size_t i = 0; i < PEOPLE; i++) j.truth[i] = j.truth[i] > 0.5;
    j.exact = bench_allocate(QUESTIONS, sizeof *j.exact);
    j.answers = bench_uniform(QUESTIONS, 0, PEOPLE, gen);
    j.values = bench_allocate(PEOPLE, sizeof *j.values);
    j.gram = bench_allocate(PEOPLE * PEOPLE, sizeof *j.gram);
    dusk_groups_answer(j.groups, j.exact, j.truth);
    for (size_t q = (size_t)(s->wrong * QUESTIONS); q < QUESTIONS; q++)
        j.answers[q] = s->epsilon > 0 ? release_count(j.exact[q], s->epsilon, gen) : j.exact[q];
    dusk_reconstruction_options_init(&j.options);
    j.options.decoder = s->decoder;
    return j;
}

static void close_job(job *j)
{
    dusk_groups_free(j->groups);
    free(j->truth);
    free(j->exact);
    free(j->answers);
    free(j->values);
    free(j->gram);
}

/* --- speed ---------------------------------------------------------------------------------- */

static void multiply_packed(void *context)
{
    job *j = context;
    for (int i = 0; i < 20; i++) {
        attack_counts(j->groups, j->answers, j->truth);
        attack_shares(j->groups, j->values, j->answers);
    }
    bench_keep(j->values[0]);
}

/* The same with a byte for each person: a matrix of doubles would not fit any cache. */
static void multiply_plainly(void *context)
{
    job *j = context;
    const uint8_t *bits = (const uint8_t *)j->gram;
    for (int i = 0; i < 20; i++) {
        for (size_t q = 0; q < QUESTIONS; q++) {
            double sum = 0;
            for (size_t p = 0; p < PEOPLE; p++) sum += bits[q * PEOPLE + p] * j->truth[p];
            j->answers[q] = sum;
        }
        for (size_t p = 0; p < PEOPLE; p++) j->values[p] = 0;
        for (size_t q = 0; q < QUESTIONS; q++)
            for (size_t p = 0; p < PEOPLE; p++) j->values[p] += bits[q * PEOPLE + p] * j->answers[q];
    }
    bench_keep(j->values[0]);
}

static void run_products(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = open_job(self->setup, gen);
    *out = bench_cost(bench_compare(multiply_packed, multiply_plainly, &j), 40.0 * PEOPLE * QUESTIONS);
    close_job(&j);
}

static void decode(void *context)
{
    job *j = context;
    dusk_reconstruction found;
    dusk_error err;
    bench_require(dusk_reconstruct(&found, j->values, j->groups, j->answers, &j->options, &err), &err);
}

/* A^T A by the bits, then Cholesky and two triangular systems. */
static void solve_normal_equations(void *context)
{
    job *j = context;
    double *g = j->gram, *x = j->values, indicator[PEOPLE] = { 0 }, counts[QUESTIONS];
    for (size_t p = 0; p < PEOPLE; p++) {
        indicator[p] = 1;
        attack_counts(j->groups, counts, indicator);
        attack_shares(j->groups, g + p * PEOPLE, counts);
        indicator[p] = 0;
    }
    attack_shares(j->groups, x, j->answers);
    for (size_t k = 0; k < PEOPLE; k++)
        for (size_t i = k; i < PEOPLE; i++) {
            double sum = g[i * PEOPLE + k];
            for (size_t m = 0; m < k; m++) sum -= g[i * PEOPLE + m] * g[k * PEOPLE + m];
            g[i * PEOPLE + k] = i == k ? sqrt(sum) : sum / g[k * PEOPLE + k];
        }
    for (size_t i = 0; i < PEOPLE; i++) {
        for (size_t m = 0; m < i; m++) x[i] -= g[i * PEOPLE + m] * x[m];
        x[i] /= g[i * PEOPLE + i];
    }
    for (size_t i = PEOPLE; i-- > 0;) {
        for (size_t m = i + 1; m < PEOPLE; m++) x[i] -= g[m * PEOPLE + i] * x[m];
        x[i] /= g[i * PEOPLE + i];
    }
}

static void run_decode(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = open_job(self->setup, gen);
    bench_times times = bench_compare(decode, solve_normal_equations, &j);
    *out = (bench_result){ 1e3 * times.work, 1e3 * times.floor };
    close_job(&j);
}

/* --- what is given back --------------------------------------------------------------------- */

static void run_share(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    job j = open_job(s, gen);
    double q = exp(-s->epsilon), deviation = s->epsilon > 0 ? sqrt(2 * q) / (1 - q) : 0;
    decode(&j);
    out->value = 100 * (double)dusk_reconstruction_right(j.values, j.truth, PEOPLE) / PEOPLE;
    out->floor_value = 100 * dusk_reconstruction_expected(PEOPLE, QUESTIONS, deviation);
    close_job(&j);
}

static dusk_status answer_twice(void *context, double answers[2], bool there, dusk_error *err)
{
    (void)err;
    answers[0] = release_count(there ? 101 : 100, 0.5, context);
    answers[1] = release_count(100, 0.5, context);
    return DUSK_OK;
}

/* Beside what the accountant leaves to any attack at epsilon 1 for both answers. */
static void run_differencing(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)self;
    dusk_guesses got;
    dusk_composition *spent;
    dusk_error err;
    bench_require(dusk_composition_new(&spent, DUSK_ADD_REMOVE, &err), &err);
    bench_require(dusk_composition_parse(spent, "discrete_laplace(2) * 2", &err), &err);
    bench_require(dusk_right_guesses_up(&out->floor_value, spent, 0.5, &err), &err);
    bench_require(dusk_differencing_play(&got, answer_twice, gen, 1, 100000, 0.95, 1, &err), &err);
    out->value = 100 * got.share;
    out->floor_value *= 100;
    dusk_composition_free(spent);
}

/* --- errors that are promised ----------------------------------------------------------------- */

static void run_intervals(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { ANSWERS = 100 };
    (void)self;
    int missed = 0;
    dusk_error err;
    for (int r = 0; r < RUNS; r++) {
        double answers[ANSWERS];
        dusk_average got;
        for (int i = 0; i < ANSWERS; i++) answers[i] = release_count(1000, 0.01, gen);
        bench_require(dusk_average_answers(&got, answers, ANSWERS, 1, 0.95, &err), &err);
        missed += !(got.low <= 1000 && 1000 <= got.high);
    }
    *out = (bench_result){ 100.0 * missed / RUNS, 5 };
}

/* Strangers beside exact means of a study of 20 with 100 attributes. */
static void run_false_positives(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum {
        MEMBERS = 20,
        OTHERS = 40,
        OUTSIDERS = 99,
        ATTRIBUTES = 100,
        ALL = MEMBERS + OTHERS + OUTSIDERS + 1
    };
    (void)self;
    int accused = 0;
    dusk_error err;
    for (int r = 0; r < RUNS; r++) {
        double *people = bench_uniform(ALL * ATTRIBUTES, 0, 1, gen), means[ATTRIBUTES] = { 0 };
        double weights[ATTRIBUTES], population[ATTRIBUTES], scores[OUTSIDERS + 1];
        for (size_t i = 0; i < ALL * ATTRIBUTES; i++)
            people[i] = people[i] < (double)(i % ATTRIBUTES + 1) / (ATTRIBUTES + 1);
        for (size_t i = 0; i < MEMBERS * ATTRIBUTES; i++) means[i % ATTRIBUTES] += people[i] / MEMBERS;
        bench_require(dusk_membership_weights(weights, population, DUSK_INNER_PRODUCT, means,
                                              people + MEMBERS * ATTRIBUTES, OTHERS, ATTRIBUTES, &err),
                      &err);
        dusk_membership_scores(scores, people + (MEMBERS + OTHERS) * ATTRIBUTES, OUTSIDERS + 1, weights,
                               population, ATTRIBUTES);
        accused += dusk_membership_p_value(scores[OUTSIDERS], scores, OUTSIDERS) <= 0.05;
        free(people);
    }
    *out = (bench_result){ 100.0 * accused / RUNS, 5 };
}

#define SETUP(decoder_, epsilon_, wrong_)                                                                    \
    &(const setup) { .decoder = DUSK_LEAST_##decoder_, .epsilon = epsilon_, .wrong = wrong_ }
#define EQUATIONS "dense normal equations, no bounds"
#define THEORY "what theory expects, no bounds"

const bench_case bench_attack_cases[] = {
    { "attack/products", "both products with 1024 x 512 bits", "ns/bit", "a byte a bit, plain loops",
      "ratio <= 0.5", run_products, SETUP(SQUARES, 0, 0) },
    { "attack/decode/squares/exact", "512 people from 1024 exact counts", "ms", EQUATIONS, "ratio <= 1",
      run_decode, SETUP(SQUARES, 0, 0) },
    { "attack/decode/squares/noisy", "the same with epsilon 0.25 for each count", "ms", EQUATIONS,
      "ratio <= 1", run_decode, SETUP(SQUARES, 0.25, 0) },
    { "attack/decode/absolute/wrong", "the same exact but for one in twenty", "ms", EQUATIONS, "", run_decode,
      SETUP(ABSOLUTE, 0, 0.05) },
    { "attack/share/exact", "people given back by exact counts", "%", THEORY, ">= 100", run_share,
      SETUP(SQUARES, 0, 0) },
    { "attack/share/edge", "noise of sqrt(people)/4", "%", THEORY, "ratio >= 0.95", run_share,
      SETUP(SQUARES, 0.25, 0) },
    { "attack/share/wrong/absolute", "one exact count in twenty is arbitrary", "%",
      "100: all others are exact", ">= 100", run_share, SETUP(ABSOLUTE, 0, 0.05) },
    { "attack/share/wrong/squares", "the same by least squares", "%", "100: all others are exact", "",
      run_share, SETUP(SQUARES, 0, 0.05) },
    { "attack/share/dusk", "one budget of epsilon 1 for all counts", "%", THEORY, "", run_share,
      SETUP(SQUARES, 1.0 / QUESTIONS, 0) },
    { "attack/guesses/differencing", "right guesses, epsilon 1 for two counts", "%",
      "at most, by the accountant", "ratio <= 1", run_differencing, NULL },
    { "attack/errors/averaging", "1000 intervals at 95 % that miss", "%", "5 % are promised", "",
      run_intervals, NULL },
    { "attack/errors/membership", "1000 strangers taken for members at 5 %", "%", "5 % are promised", "",
      run_false_positives, NULL },
    { .name = NULL },
};
