/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds, quantiles, and noise that follows the data as subjects of the suite; see self.h. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_summaries.h"

static void set_how(dusk_aggregate *how, dusk_neighbours neighbours, double epsilon, double delta)
{
    dusk_aggregate_init(how);
    how->neighbours = neighbours;
    how->lower = 0;
    how->upper = 1;
    how->epsilon = epsilon;
    how->delta = delta;
}

/* `low` rows at 0, `middle` at one half and `high` at 1. */
#define ROWS 32
static size_t fill(double rows[ROWS], size_t low, size_t middle, size_t high)
{
    size_t n = 0;
    while (low-- > 0) rows[n++] = 0;
    while (middle-- > 0) rows[n++] = 0.5;
    while (high-- > 0) rows[n++] = 1;
    return n;
}

/* ---- Bounds ---------------------------------------------------------------------- */

/* Few rows decide where confidence is small: the threshold is then near 0. */
static dusk_status begin_bounds(void *state, double *epsilon, dusk_error *err)
{
    dusk_aggregate *how = state;
    (void)err;
    set_how(how, DUSK_REPLACE_ONE, *epsilon, 0);
    how->confidence = 0.3;
    return DUSK_OK;
}

/* The row of one bin goes to another one; both bins had none or a few. */
static dusk_status release_bounds(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double rows[][3] = { { 1, 1, 1 }, { 4, 1, 1 }, { 1, 1, 1 }, { -4, 1, 1 } };
    dusk_bounds bounds;
    dusk_status status = dusk_bounds_release(&bounds, state, 1, 4, rows[world], 3, gen, err);
    if (status == DUSK_OK) *out = bounds.found ? 16 * bounds.lower + bounds.upper : NAN;
    return status;
}

static const self_mechanism bounds = { .output_length = 1,
                                       .pair_count = 2,
                                       .names = { "a row goes to the last bin",
                                                  "a row goes to the first bin" },
                                       .draws = 40000,
                                       .state = sizeof(dusk_aggregate),
                                       .begin = begin_bounds,
                                       .one = release_bounds };
SELF_OPEN(bounds)

/* ---- Quantiles ------------------------------------------------------------------- */

static dusk_status begin_quantiles(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_how(state, DUSK_ADD_REMOVE, *epsilon, 0);
    return DUSK_OK;
}

/* Rows at 0, 1/2 and 1: the upper half of the range is right for the median and the lower one is
 * rare; a row more at 0 makes it less rare and the upper half worse. */
static dusk_status release_median(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const size_t low[] = { 1, 2, 0, 0 }, middle[] = { 4, 4, 1, 2 }, high[] = { 5, 5, 0, 0 };
    const double q = 0.5;
    double rows[ROWS], rank_error;
    dusk_statement statement;
    size_t n = fill(rows, low[world], middle[world], high[world]);
    return dusk_quantiles_release(out, &rank_error, &statement, state, &q, 1, rows, n, gen, err);
}

static const self_mechanism median = { .output_length = 1,
                                       .pair_count = 2,
                                       .names = { "a row more at the lower bound", "a second row" },
                                       .draws = 200000,
                                       .state = sizeof(dusk_aggregate),
                                       .begin = begin_quantiles,
                                       .one = release_median };
SELF_OPEN(median)

static dusk_status release_quantiles(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    static const size_t low[] = { 1, 2 }, middle[] = { 4, 4 }, high[] = { 5, 5 };
    static const double q[] = { 0.25, 0.5, 0.75 };
    double rows[ROWS], rank_error;
    dusk_statement statement;
    size_t n = fill(rows, low[world], middle[world], high[world]);
    return dusk_quantiles_release(out, &rank_error, &statement, state, q, 3, rows, n, gen, err);
}

static const self_mechanism quantiles = { .output_length = 3,
                                          .pair_count = 1,
                                          .names = { "a row more at the lower bound" },
                                          .draws = 100000,
                                          .state = sizeof(dusk_aggregate),
                                          .begin = begin_quantiles,
                                          .one = release_quantiles };
SELF_OPEN(quantiles)

/* ---- Smooth sensitivity ---------------------------------------------------------- */

#define SMOOTH_DELTA 0.01
#define SMOOTH_GRID (-10)

static dusk_status begin_smooth(void *state, double *epsilon, dusk_error *err)
{
    return dusk_smooth_init(state, DUSK_SMOOTH_CAUCHY, 1, 0, *epsilon, 0, SMOOTH_GRID, err);
}

static dusk_status begin_smooth_laplace(void *state, double *epsilon, dusk_error *err)
{
    return dusk_smooth_init(state, DUSK_SMOOTH_LAPLACE, 1, 0, *epsilon, SMOOTH_DELTA, SMOOTH_GRID, err);
}

static dusk_status begin_smooth_gaussian(void *state, double *epsilon, dusk_error *err)
{
    return dusk_smooth_init(state, DUSK_SMOOTH_GAUSSIAN, 1, 0, *epsilon, SMOOTH_DELTA, SMOOTH_GRID, err);
}

static dusk_status begin_student(void *state, double *epsilon, dusk_error *err)
{
    return dusk_smooth_init(state, DUSK_SMOOTH_STUDENT_T, 3, 0, *epsilon, 0, SMOOTH_GRID, err);
}

/* The value moves by all that its sensitivity allows; the sensitivity moves by all that beta
 * allows, at the same value; and both. */
static dusk_status release_smooth(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const dusk_smooth *smooth = state;
    double wider = exp(smooth->beta) * (1 - 1e-9);
    const double value[] = { 0, 1, 0, 0, 0, 1 }, sensitivity[] = { 1, 1, 1, wider, 1, wider };
    return dusk_smooth_release(smooth, out, value[world], sensitivity[world], gen, err);
}

#define SMOOTH(name, law_delta, start, most)                                                                 \
    static const self_mechanism name = { .output_length = 1,                                                 \
                                         .pair_count = 3,                                                    \
                                         .names = { "the value moves", "its sensitivity moves",              \
                                                    "both move" },                                           \
                                         .delta = (law_delta),                                               \
                                         .draws = (most),                                                    \
                                         .state = sizeof(dusk_smooth),                                       \
                                         .begin = start,                                                     \
                                         .one = release_smooth };                                            \
    SELF_OPEN(name)
SMOOTH(smooth, 0, begin_smooth, 4000)
SMOOTH(smooth_student, 0, begin_student, 4000)
SMOOTH(smooth_laplace, SMOOTH_DELTA, begin_smooth_laplace, 60000)
SMOOTH(smooth_gaussian, SMOOTH_DELTA, begin_smooth_gaussian, 4000)

/* A sensitivity that moves by more than this noise can hide, which must be refused; then nothing
 * is released. What stretching costs decides it. */
typedef struct stretch_state {
    dusk_smooth smooth;
    bool refused;
} stretch_state;

static dusk_status begin_stretch(stretch_state *s, dusk_smooth_law law, double beta, double epsilon,
                                 double delta, dusk_error *err)
{
    dusk_status status = dusk_smooth_init(&s->smooth, law, 1, beta, epsilon, delta, SMOOTH_GRID, err);
    s->refused = status == DUSK_ERR_ARGUMENT;
    return s->refused ? DUSK_OK : status;
}

static dusk_status begin_stretch_cauchy(void *state, double *epsilon, dusk_error *err)
{
    return begin_stretch(state, DUSK_SMOOTH_CAUCHY, 4 * *epsilon, *epsilon, 0, err);
}

static dusk_status begin_stretch_gaussian(void *state, double *epsilon, dusk_error *err)
{
    return begin_stretch(state, DUSK_SMOOTH_GAUSSIAN, 0.95 * *epsilon, *epsilon, SMOOTH_DELTA, err);
}

static dusk_status release_stretch(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const stretch_state *s = state;
    double wider = exp(s->smooth.beta) * (1 - 1e-9);
    *out = NAN;
    return s->refused ? DUSK_OK : dusk_smooth_release(&s->smooth, out, 0, world == 0 ? 1 : wider, gen, err);
}

#define STRETCH(name, law_delta)                                                                             \
    static const self_mechanism name = { .output_length = 1,                                                 \
                                         .pair_count = 1,                                                    \
                                         .names = { "its sensitivity moves" },                               \
                                         .delta = (law_delta),                                               \
                                         .draws = 4000,                                                      \
                                         .state = sizeof(stretch_state),                                     \
                                         .begin = begin_##name,                                              \
                                         .one = release_stretch };                                           \
    SELF_OPEN(name)
STRETCH(stretch_cauchy, 0)
STRETCH(stretch_gaussian, SMOOTH_DELTA)

/* Half of the rows at one bound and half at the other, one of which changes sides: the median
 * goes with it. The widest window is the one across. */
#define HALF 10

typedef struct smooth_state {
    dusk_aggregate how;
    dusk_smooth_options options;
    double q;
} smooth_state;

static dusk_status begin_smooth_median(void *state, double *epsilon, dusk_error *err)
{
    smooth_state *s = state;
    (void)err;
    set_how(&s->how, DUSK_REPLACE_ONE, *epsilon, 0);
    dusk_smooth_options_init(&s->options);
    s->q = 0.5;
    return DUSK_OK;
}

static dusk_status begin_smooth_quantile(void *state, double *epsilon, dusk_error *err)
{
    smooth_state *s = state;
    dusk_status status = begin_smooth_median(state, epsilon, err);
    s->q = 0.25;
    return status;
}

static dusk_status release_smooth_quantile(void *state, double *out, int world, dusk_generator *gen,
                                           dusk_error *err)
{
    const smooth_state *s = state;
    double rows[ROWS];
    dusk_answer answer;
    size_t low = (size_t)ceil(s->q * (2 * HALF + 1)) - (world == 0);
    size_t n = fill(rows, low, 0, 2 * HALF + 1 - low);
    dusk_status status = dusk_smooth_quantile_release(&answer, &s->how, &s->options, s->q, rows, n, gen, err);
    if (status == DUSK_OK) *out = answer.value;
    return status;
}

static const self_mechanism smooth_median = { .output_length = 1,
                                              .pair_count = 1,
                                              .names = { "the median changes sides" },
                                              .draws = 6000,
                                              .state = sizeof(smooth_state),
                                              .begin = begin_smooth_median,
                                              .one = release_smooth_quantile };
SELF_OPEN(smooth_median)

static const self_mechanism smooth_quantile = { .output_length = 1,
                                                .pair_count = 1,
                                                .names = { "the quantile changes sides" },
                                                .draws = 3000,
                                                .state = sizeof(smooth_state),
                                                .begin = begin_smooth_quantile,
                                                .one = release_smooth_quantile };
SELF_OPEN(smooth_quantile)

/* ---- Propose-test-release -------------------------------------------------------- */

#define PROPOSE_DELTA 0.01
#define QUANTILE_DELTA 0.1

static dusk_status begin_propose(void *state, double *epsilon, dusk_error *err)
{
    return dusk_propose_init(state, DUSK_LAPLACE, 1, 0, *epsilon, PROPOSE_DELTA, err);
}

/* At distance 0 the value may move by anything, but must not be told; at the threshold it is told
 * half of the time, and moves by what was proposed while the distance shrinks. NaN is "refused". */
static dusk_status release_propose(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const dusk_propose *proposed = state;
    const uint64_t edge = (uint64_t)proposed->threshold;
    const double value[] = { 0, 1e6, 0, 1 };
    const uint64_t distance[] = { 0, 0, edge, edge - 1 };
    bool released = false;
    return dusk_propose_release(proposed, &released, out, value[world], distance[world], gen, err);
}

static const self_mechanism propose = { .output_length = 1,
                                        .pair_count = 2,
                                        .names = { "a value that may move by anything",
                                                   "a value that moves as proposed" },
                                        .delta = PROPOSE_DELTA,
                                        .draws = 400000,
                                        .state = sizeof(dusk_propose),
                                        .begin = begin_propose,
                                        .one = release_propose };
SELF_OPEN(propose)

static dusk_status begin_propose_median(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_how(state, DUSK_REPLACE_ONE, *epsilon, QUANTILE_DELTA);
    return DUSK_OK;
}

/* The median changes sides with one row: its distance is 0 on both sides. */
static dusk_status release_propose_median(void *state, double *out, int world, dusk_generator *gen,
                                          dusk_error *err)
{
    double rows[ROWS];
    dusk_answer answer;
    bool released = false;
    size_t low = HALF + (world == 0 ? 0 : 1), n = fill(rows, low, 0, 2 * HALF + 1 - low);
    dusk_status status = dusk_propose_quantile_release(&answer, &released, state, DUSK_LAPLACE, 0x1p-10, 0.5,
                                                       rows, n, gen, err);
    if (status == DUSK_OK) *out = released ? answer.value : NAN;
    return status;
}

static const self_mechanism propose_median = { .output_length = 1,
                                               .pair_count = 1,
                                               .names = { "the median changes sides" },
                                               .delta = QUANTILE_DELTA,
                                               .draws = 600,
                                               .state = sizeof(dusk_aggregate),
                                               .begin = begin_propose_median,
                                               .one = release_propose_median };
SELF_OPEN(propose_median)

const audit_subject audit_self_ranks[] = {
    SELF_ROW("dusk.bounds", bounds, "bounds of rows about which nothing is known"),
    SELF_ROW("dusk.quantiles", quantiles, "three quantiles of clamped rows"),
    SELF_ROW("dusk.median", median, "the median of clamped rows"),
    SELF_ROW("dusk.smooth-sensitivity", smooth, "a number and its smooth sensitivity, Cauchy noise"),
    SELF_ROW("dusk.smooth-sensitivity.student", smooth_student, "the same with Student's noise"),
    SELF_ROW("dusk.smooth-sensitivity.laplace", smooth_laplace, "the same with Laplace noise and a delta"),
    SELF_ROW("dusk.smooth-sensitivity.gaussian", smooth_gaussian, "the same with Gaussian noise and a delta"),
    SELF_ROW("dusk.smooth-sensitivity.stretch", stretch_cauchy,
             "Cauchy noise for a sensitivity that moves too much, which must be refused"),
    SELF_ROW("dusk.smooth-sensitivity.gaussian.stretch", stretch_gaussian,
             "Gaussian noise for a sensitivity that moves too much, which must be refused"),
    SELF_ROW("dusk.smooth-median", smooth_median, "the median with noise that follows the rows"),
    SELF_ROW("dusk.smooth-quantile", smooth_quantile, "a quantile with noise that follows the rows"),
    SELF_ROW("dusk.propose-test-release", propose, "a number that is told where it is far from unstable"),
    SELF_ROW("dusk.propose-test-release.median", propose_median, "the same for a median"),
    { .says = { .name = NULL } },
};
