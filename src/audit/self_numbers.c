/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with noise as subjects of the suite; see self.h. Values one sensitivity apart, on
 * the grid and between its steps. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_numbers.h"

#define DELTA 0.01          /* large, so that what it hides is seen in few draws */
#define NARROW_DELTA 0.3    /* so large that whole-numbered noise has a scale below 1 */
#define CLASSICAL_DELTA 0.1 /* the classical calibration fails where both are large */

/* ---- One number ------------------------------------------------------------------ */

/* On the grid; and with a grid of whole steps two ties, which must be rounded the same way. */
static const double values[] = { 0, 1, 0.5, 1.5 };

static dusk_status release_number(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return dusk_noise_release(state, out, values[world], gen, err);
}

static dusk_status begin_laplace(void *state, double *epsilon, dusk_error *err)
{
    return dusk_laplace_init(state, 1, 1, *epsilon, DUSK_GRID_DEFAULT, err);
}

static const self_mechanism laplace = { .output_length = 1,
                                        .pair_count = 1,
                                        .names = { "0 or 1" },
                                        .state = sizeof(dusk_noise),
                                        .begin = begin_laplace,
                                        .one = release_number,
                                        .exact = audit_self_tight };
SELF_OPEN(laplace)

static dusk_status begin_coarse(void *state, double *epsilon, dusk_error *err)
{
    return dusk_laplace_init(state, 1, 1, *epsilon, 0, err);
}

static const self_mechanism laplace_coarse = { .output_length = 1,
                                               .pair_count = 2,
                                               .names = { "0 or 1", "ties one step apart" },
                                               .state = sizeof(dusk_noise),
                                               .begin = begin_coarse,
                                               .one = release_number,
                                               .exact = audit_self_tight };
SELF_OPEN(laplace_coarse)

static dusk_status begin_gaussian(void *state, double *epsilon, dusk_error *err)
{
    return dusk_gaussian_init(state, 1, 1, *epsilon, DELTA, DUSK_GRID_DEFAULT, err);
}

static const self_mechanism gaussian = { .output_length = 1,
                                         .pair_count = 1,
                                         .names = { "0 or 1" },
                                         .delta = DELTA,
                                         .state = sizeof(dusk_noise),
                                         .begin = begin_gaussian,
                                         .one = release_number,
                                         .exact = audit_self_tight };
SELF_OPEN(gaussian)

/* Refused from epsilon 1 on; then nothing is released. */
typedef struct classical_state {
    dusk_noise noise;
    bool refused;
} classical_state;

static dusk_status begin_classical(void *state, double *epsilon, dusk_error *err)
{
    classical_state *classical = state;
    dusk_status status = dusk_gaussian_classical_init(&classical->noise, 1, 1, *epsilon, CLASSICAL_DELTA,
                                                      DUSK_GRID_DEFAULT, err);
    classical->refused = *epsilon >= 1 && status == DUSK_ERR_ARGUMENT;
    return classical->refused ? DUSK_OK : status;
}

static dusk_status release_classical(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    classical_state *classical = state;
    *out = NAN;
    return classical->refused ? DUSK_OK : dusk_noise_release(&classical->noise, out, values[world], gen, err);
}

static const self_mechanism classical = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "0 or 1" },
                                          .delta = CLASSICAL_DELTA,
                                          .state = sizeof(classical_state),
                                          .begin = begin_classical,
                                          .one = release_classical };
SELF_OPEN(classical)

static dusk_status begin_discrete_laplace(void *state, double *epsilon, dusk_error *err)
{
    return dusk_discrete_laplace_init(state, 1, 1, *epsilon, 0, err);
}

static const self_mechanism discrete_laplace = { .output_length = 1,
                                                 .pair_count = 2,
                                                 .names = { "0 or 1", "ties one step apart" },
                                                 .state = sizeof(dusk_noise),
                                                 .begin = begin_discrete_laplace,
                                                 .one = release_number,
                                                 .exact = audit_self_tight };
SELF_OPEN(discrete_laplace)

static dusk_status begin_discrete_gaussian(void *state, double *epsilon, dusk_error *err)
{
    return dusk_discrete_gaussian_init(state, 1, 1, *epsilon, DELTA, 0, err);
}

static const self_mechanism discrete_gaussian = { .output_length = 1,
                                                  .pair_count = 2,
                                                  .names = { "0 or 1", "ties one step apart" },
                                                  .delta = DELTA,
                                                  .state = sizeof(dusk_noise),
                                                  .begin = begin_discrete_gaussian,
                                                  .one = release_number,
                                                  .exact = audit_self_tight };
SELF_OPEN(discrete_gaussian)

static dusk_status begin_narrow(void *state, double *epsilon, dusk_error *err)
{
    return dusk_discrete_gaussian_init(state, 1, 1, *epsilon, NARROW_DELTA, 0, err);
}

/* Scales below 1 are drawn in another way. */
static const self_mechanism narrow = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "0 or 1" },
                                       .delta = NARROW_DELTA,
                                       .state = sizeof(dusk_noise),
                                       .begin = begin_narrow,
                                       .one = release_number,
                                       .exact = audit_self_tight };
SELF_OPEN(narrow)

static dusk_status begin_staircase(void *state, double *epsilon, dusk_error *err)
{
    return dusk_staircase_init(state, 1, *epsilon, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, err);
}

static const self_mechanism staircase = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "0 or 1" },
                                          .state = sizeof(dusk_noise),
                                          .begin = begin_staircase,
                                          .one = release_number,
                                          .exact = audit_self_tight };
SELF_OPEN(staircase)

static dusk_status begin_truncated(void *state, double *epsilon, dusk_error *err)
{
    return dusk_truncated_laplace_init(state, 1, *epsilon, DELTA, DUSK_GRID_DEFAULT, err);
}

static const self_mechanism truncated = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "0 or 1" },
                                          .delta = DELTA,
                                          .state = sizeof(dusk_noise),
                                          .begin = begin_truncated,
                                          .one = release_number,
                                          .exact = audit_self_tight };
SELF_OPEN(truncated)

static dusk_status begin_sinh_normal(void *state, double *epsilon, dusk_error *err)
{
    return dusk_sinh_normal_init(state, 1, *epsilon, DELTA, DUSK_GRID_DEFAULT, err);
}

static const self_mechanism sinh_normal = { .output_length = 1,
                                            .pair_count = 1,
                                            .names = { "0 or 1" },
                                            .delta = DELTA,
                                            .state = sizeof(dusk_noise),
                                            .begin = begin_sinh_normal,
                                            .one = release_number };
SELF_OPEN(sinh_normal)

/* Five answers, 0 to 4: at the end of the range all of epsilon shows. */
static dusk_status begin_bounded(void *state, double *epsilon, dusk_error *err)
{
    return dusk_bounded_laplace_init(state, 0, 4, 1, *epsilon, 0, err);
}

static dusk_status release_bounded(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double places[] = { 0, 1, 2, 3 };
    return dusk_bounded_laplace_release(state, out, places[world], gen, err);
}

static const self_mechanism bounded = { .output_length = 1,
                                        .pair_count = 2,
                                        .names = { "at the lower end", "in the middle" },
                                        .state = sizeof(dusk_bounded_laplace),
                                        .begin = begin_bounded,
                                        .one = release_bounded,
                                        .exact = audit_self_tight };
SELF_OPEN(bounded)

/* ---- Vectors --------------------------------------------------------------------- */

#define COORDINATES 4

/* The least coordinate: where all of them rise, that it is large is the worst event. */
static double least_of(const double *x, size_t n)
{
    double least = x[0];
    for (size_t i = 1; i < n; i++) least = fmin(least, x[i]);
    return least;
}

static dusk_status begin_vector(void *state, double *epsilon, dusk_error *err)
{
    return dusk_laplace_init(state, COORDINATES, 1, *epsilon, 0, err);
}

/* A vector that moves by 1 in l1, and over a rounding edge in every coordinate. */
static dusk_status release_vector(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double vectors[2][COORDINATES] = { { 0.25, 0.25, 0.25, 0.25 }, { 0.5, 0.5, 0.5, 0.5 } };
    double answers[COORDINATES];
    dusk_status status = dusk_noise_release_vector(state, answers, vectors[world], gen, err);
    *out = least_of(answers, COORDINATES);
    return status;
}

static const self_mechanism vector = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "over an edge in every coordinate" },
                                       .state = sizeof(dusk_noise),
                                       .begin = begin_vector,
                                       .one = release_vector,
                                       .exact = audit_self_tight };
SELF_OPEN(vector)

/* Totals over units: three coordinates on a grid of halves. */
#define TOTAL_COORDINATES 3
#define TOTAL_GRID (-1)

typedef struct total_state {
    dusk_total *total;
} total_state;

static dusk_status begin_total(void *state, double *epsilon, dusk_error *err)
{
    total_state *t = state;
    dusk_noise noise;
    dusk_status status = dusk_laplace_init(&noise, TOTAL_COORDINATES, 1, *epsilon, TOTAL_GRID, err);
    if (status == DUSK_OK) status = dusk_noise_for_total(&noise, err);
    if (status == DUSK_OK) status = dusk_total_new(&t->total, &noise, err);
    return status;
}

/* A unit of norm 1 in one coordinate; one that is a third in each, which would grow if it were
 * rounded to the nearest half; and one that must be clipped. */
static dusk_status release_total(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double units[][TOTAL_COORDINATES] = { { 1, 0, 0 },
                                                       { 1.0 / 3, 1.0 / 3, 1.0 / 3 },
                                                       { 100, 100, 100 } };
    total_state *t = state;
    double answers[TOTAL_COORDINATES];
    if (world % 2 == 1) dusk_total_add(t->total, units[world / 2]);
    dusk_status status = dusk_total_release(t->total, answers, gen, err);
    out[0] = answers[0];
    out[1] = least_of(answers, TOTAL_COORDINATES);
    return status;
}

static void end_total(void *state)
{
    total_state *t = state;
    dusk_total_free(t->total);
}

static const self_mechanism total = { .output_length = 2,
                                      .pair_count = 3,
                                      .names = { "a unit of one coordinate", "a unit between the steps",
                                                 "a unit that is clipped" },
                                      .state = sizeof(total_state),
                                      .begin = begin_total,
                                      .one = release_total,
                                      .end = end_total,
                                      .exact = audit_self_tight };
SELF_OPEN(total)

const audit_subject audit_self_numbers[] = {
    SELF_ROW("dusk.laplace", laplace, "a number with Laplace noise"),
    SELF_ROW("dusk.laplace.coarse", laplace_coarse, "the same on a grid of whole steps, values on ties"),
    SELF_ROW("dusk.laplace.vector", vector, "a vector on a grid of whole steps, every coordinate rounded up"),
    SELF_ROW("dusk.laplace.total", total, "a total over units that are clipped and rounded toward zero"),
    SELF_ROW("dusk.gaussian", gaussian, "a number with Gaussian noise"),
    SELF_ROW("dusk.gaussian.classical", classical,
             "the classical Gaussian, which must be refused from epsilon 1 on"),
    SELF_ROW("dusk.discrete-laplace", discrete_laplace, "a whole number with discrete Laplace noise"),
    SELF_ROW("dusk.discrete-gaussian", discrete_gaussian, "a whole number with discrete Gaussian noise"),
    SELF_ROW("dusk.discrete-gaussian.narrow", narrow, "the same with a scale below 1, for a delta of 0.3"),
    SELF_ROW("dusk.staircase", staircase, "a number with staircase noise"),
    SELF_ROW("dusk.truncated-laplace", truncated, "a number with Laplace noise that is never large"),
    SELF_ROW("dusk.bounded-laplace", bounded,
             "a number with Laplace noise in a public range of five answers"),
    SELF_ROW("dusk.sinh-normal", sinh_normal, "a number with Gaussian noise whose tails are bent"),
    { .says = { .name = NULL } },
};
