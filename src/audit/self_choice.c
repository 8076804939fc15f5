/* SPDX-License-Identifier: Apache-2.0 */
/* Choices and responses as subjects of the suite; see self.h. The worst event of a choice is
 * that the worse candidate wins, when between neighbours it rises and the other falls. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_choice.h"

/* ---- Two candidates -------------------------------------------------------------- */

#define DEPTH 3.5 /* the worse one is so far below that it wins in about three of a hundred times */

typedef struct choice_state {
    dusk_selection selection;
    double below; /* how far the worse one is below, in scores */
} choice_state;

static dusk_status begin_choice(choice_state *s, dusk_selection_method method, double epsilon,
                                dusk_error *err)
{
    s->below = 2 * DEPTH / epsilon;
    return dusk_selection_init(&s->selection, method, 1, false, epsilon, err);
}

/* The first candidate is the worse one and comes nearer by two; or both are equal, then not. */
static dusk_status release_choice(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const choice_state *s = state;
    const double scores[][2] = { { -s->below, 0 }, { 1 - s->below, -1 }, { 0, 0 }, { -1, 1 } };
    size_t index = 0;
    dusk_status status = dusk_selection_release(&s->selection, &index, scores[world], 2, gen, err);
    *out = (double)index;
    return status;
}

#define CHOICE(name, method)                                                                                 \
    static dusk_status begin_##name(void *state, double *epsilon, dusk_error *err)                           \
    {                                                                                                        \
        return begin_choice(state, method, *epsilon, err);                                                   \
    }                                                                                                        \
    static const self_mechanism name = { .output_length = 1,                                                 \
                                         .pair_count = 2,                                                    \
                                         .names = { "the worse one comes nearer", "equal ones part" },       \
                                         .state = sizeof(choice_state),                                      \
                                         .begin = begin_##name,                                              \
                                         .one = release_choice,                                              \
                                         .exact = exact_##name };                                            \
    SELF_OPEN(name)

/* P = 1 / (1 + exp(x)), x = DEPTH, and DEPTH - epsilon on the other side. */
static double exact_exponential(double epsilon) { return log((1 + exp(DEPTH)) / (1 + exp(DEPTH - epsilon))); }
CHOICE(exponential, DUSK_SELECT_EXPONENTIAL)

/* The worse one is looked at first half of the time, and wins then with exp(-x). */
static double exact_flip(double epsilon) { return epsilon; }
CHOICE(flip, DUSK_SELECT_PERMUTE_AND_FLIP)

/* P(Z - Z' > x) = exp(-x) (1/2 + x/4) for standard Laplace variables. */
static double exact_laplace_max(double epsilon)
{
    return epsilon + log((0.5 + (DEPTH - epsilon) / 4) / (0.5 + DEPTH / 4));
}
CHOICE(laplace_max, DUSK_SELECT_NOISY_MAX_LAPLACE)

static double exact_gumbel_max(double epsilon) { return exact_exponential(epsilon); }
CHOICE(gumbel_max, DUSK_SELECT_NOISY_MAX_GUMBEL)

static double exact_exponential_max(double epsilon) { return epsilon; }
CHOICE(exponential_max, DUSK_SELECT_NOISY_MAX_EXPONENTIAL)

/* ---- The k best ------------------------------------------------------------------ */

#define TOP 2
#define TOP_OF 4
#define TOP_DEPTH 1.5

typedef struct top_state {
    dusk_selection selection;
    double below;
} top_state;

static dusk_status begin_top(void *state, double *epsilon, dusk_error *err)
{
    top_state *s = state;
    double each = *epsilon / TOP;
    s->below = 2 * TOP_DEPTH / each;
    return dusk_selection_init(&s->selection, DUSK_SELECT_EXPONENTIAL, 1, false, each, err);
}

/* Two are below, and both come nearer; that both are chosen is the worst event. */
static dusk_status release_top(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const top_state *s = state;
    double move = world == 0 ? 0 : 1;
    const double scores[TOP_OF] = { move - s->below, move - s->below, -move, -move };
    size_t chosen[TOP] = { 0 };
    dusk_status status = dusk_selection_release_top(&s->selection, chosen, TOP, scores, TOP_OF, gen, err);
    *out = (double)(TOP_OF * chosen[0] + chosen[1]);
    return status;
}

/* One after the other: P = q/(2q + 2) q/(q + 2) for the two of weight q below two of weight 1;
 * both orders alike. */
static double exact_top(double epsilon)
{
    double q = exp(-TOP_DEPTH), r = exp(-TOP_DEPTH + epsilon / TOP);
    return 2 * log(r / q) - log((2 * r + 2) * (r + 2) / ((2 * q + 2) * (q + 2)));
}

static const self_mechanism top = { .output_length = 1,
                                    .pair_count = 1,
                                    .names = { "two worse ones come nearer" },
                                    .state = sizeof(top_state),
                                    .begin = begin_top,
                                    .one = release_top,
                                    .exact = exact_top };
SELF_OPEN(top)

/* ---- The best of several runs ---------------------------------------------------- */

#define RUNS_GAMMA 0.1 /* geometric: ten runs on average */
#define RUNS_PADDING 20

typedef struct runs_state {
    dusk_candidates candidates;
    dusk_noise noise;
} runs_state;

/* With a geometric number of runs the best one costs three [Liu & Talwar 2019]. */
static dusk_status begin_runs(void *state, double *epsilon, dusk_error *err)
{
    runs_state *s = state;
    dusk_status status = dusk_candidates_init(&s->candidates, 1, RUNS_GAMMA, err);
    if (status != DUSK_OK) return status;
    return dusk_laplace_init(&s->noise, 1, 1, *epsilon / 3, DUSK_GRID_DEFAULT, err);
}

static dusk_status begin_padded(void *state, double *epsilon, dusk_error *err)
{
    runs_state *s = state;
    dusk_status status = begin_runs(state, epsilon, err);
    s->candidates.padding = RUNS_PADDING;
    return status;
}

/* One candidate with the score 0 or 1. */
static dusk_status release_runs(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const runs_state *s = state;
    const double scores[1] = { world };
    bool any = false;
    size_t index = 0;
    return dusk_candidates_release_scores(&s->candidates, &any, &index, out, &s->noise, scores, 1, gen, err);
}

static const self_mechanism runs = { .output_length = 1,
                                     .pair_count = 1,
                                     .names = { "a score of 0 or 1" },
                                     .draws = 90000,
                                     .state = sizeof(runs_state),
                                     .begin = begin_runs,
                                     .one = release_runs };
SELF_OPEN(runs)

static const self_mechanism padded = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "a score of 0 or 1" },
                                       .draws = 90000,
                                       .state = sizeof(runs_state),
                                       .begin = begin_padded,
                                       .one = release_runs };
SELF_OPEN(padded)

/* ---- Responses ------------------------------------------------------------------- */

#define ANSWERS 3
#define CHUNK 256

static dusk_status begin_response(void *state, double *epsilon, dusk_error *err)
{
    return dusk_randomized_response_init(state, ANSWERS, *epsilon, err);
}

/* Many people with the same answer: the first one or the last one. */
static dusk_status answer_many(const dusk_randomized_response *response, double *out, size_t n,
                               uint32_t truth, dusk_generator *gen, dusk_error *err)
{
    uint32_t answers[CHUNK], said[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) answers[i] = truth;
    while (n > 0) {
        size_t here = n < CHUNK ? n : CHUNK;
        dusk_status status = dusk_randomized_response_release(response, said, answers, here, gen, err);
        if (status != DUSK_OK) return status;
        for (size_t i = 0; i < here; i++) *out++ = said[i];
        n -= here;
    }
    return DUSK_OK;
}

static dusk_status release_response(void *state, double *out, size_t n, int world, dusk_generator *gen,
                                    dusk_error *err)
{
    return answer_many(state, out, n, world == 0 ? 0 : ANSWERS - 1, gen, err);
}

static const self_mechanism response = { .output_length = 1,
                                         .pair_count = 1,
                                         .names = { "the first answer or the last" },
                                         .state = sizeof(dusk_randomized_response),
                                         .begin = begin_response,
                                         .many = release_response,
                                         .exact = audit_self_tight };
SELF_OPEN(response)

/* Two people, the first of whom answers otherwise: the second must say as much as before. */
static dusk_status release_crowd(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const uint32_t answers[2] = { world == 0 ? 0 : ANSWERS - 1, 0 };
    uint32_t said[2] = { 0 };
    dusk_status status = dusk_randomized_response_release(state, said, answers, 2, gen, err);
    *out = ANSWERS * said[0] + said[1];
    return status;
}

static const self_mechanism crowd = { .output_length = 1,
                                      .pair_count = 1,
                                      .names = { "the first of two people" },
                                      .state = sizeof(dusk_randomized_response),
                                      .begin = begin_response,
                                      .one = release_crowd,
                                      .exact = audit_self_tight };
SELF_OPEN(crowd)

/* Two coins of which the second nearly always says yes: a no tells most. The first is such that
 * ln(1 + first / ((1 - first) (1 - SECOND))) is the epsilon asked for; the claim is what the
 * mechanism says of itself. */
#define SECOND 0.9

static dusk_status begin_coins(void *state, double *epsilon, dusk_error *err)
{
    dusk_randomized_response *s = state;
    double odds = (1 - SECOND) * expm1(*epsilon);
    dusk_status status = dusk_two_coin_init(s, odds / (1 + odds), SECOND, err);
    *epsilon = s->epsilon;
    return status;
}

static dusk_status release_coins(void *state, double *out, size_t n, int world, dusk_generator *gen,
                                 dusk_error *err)
{
    return answer_many(state, out, n, (uint32_t)world, gen, err);
}

static const self_mechanism coins = { .output_length = 1,
                                      .pair_count = 1,
                                      .names = { "no or yes" },
                                      .state = sizeof(dusk_randomized_response),
                                      .begin = begin_coins,
                                      .many = release_coins };
SELF_OPEN(coins)

const audit_subject audit_self_choice[] = {
    SELF_ROW("dusk.exponential", exponential, "the better of two by the exponential mechanism"),
    SELF_ROW("dusk.permute-and-flip", flip, "the better of two by permute-and-flip"),
    SELF_ROW("dusk.noisy-max", laplace_max, "the better of two after Laplace noise"),
    SELF_ROW("dusk.noisy-max.gumbel", gumbel_max, "the better of two after Gumbel noise"),
    SELF_ROW("dusk.noisy-max.exponential", exponential_max, "the better of two after exponential noise"),
    SELF_ROW("dusk.top-k", top, "the two best of four, in order"),
    SELF_ROW("dusk.candidates", runs, "the best of a random number of noisy looks"),
    SELF_ROW("dusk.candidates.padded", padded, "the same, with runs that are made and thrown away"),
    SELF_ROW("dusk.randomized-response", response, "one of three answers"),
    SELF_ROW("dusk.randomized-response.crowd", crowd, "the answers of two people, one of whom changes"),
    SELF_ROW("dusk.randomized-response.two-coin", coins, "yes or no by two coins"),
    { .says = { .name = NULL } },
};
