/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm, and places, as subjects of the suite; see self.h. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_numbers.h"

/* ---- K-norm ---------------------------------------------------------------------- */

/* Which norm, and where the vector goes that moves by 1 in it: the second world. */
#define NORM_COORDINATES 3

typedef struct norm_state {
    dusk_knorm knorm;
    double step[NORM_COORDINATES];
    bool round; /* l2 */
} norm_state;

/* Zero, or one step away from it. Beside the answer goes its length, or its largest coordinate: a law
 * that is too dense in its middle shows there. */
static dusk_status release_norm(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const norm_state *s = state;
    double value[NORM_COORDINATES] = { 0 }, answer[NORM_COORDINATES] = { 0 };
    for (int i = 0; i < NORM_COORDINATES; i++) value[i] = world * s->step[i];
    dusk_status status = dusk_knorm_release(&s->knorm, answer, value, gen, err);
    out[0] = answer[0];
    out[1] = 0;
    for (int i = 0; i < NORM_COORDINATES; i++)
        out[1] = s->round ? hypot(out[1], answer[i]) : fmax(out[1], fabs(answer[i]));
    return status;
}

static dusk_status begin_norm(norm_state *s, dusk_norm norm, uint32_t dimension, double epsilon,
                              dusk_error *err)
{
    s->step[0] = 1;
    s->round = norm == DUSK_NORM_L2;
    s->step[1] = norm == DUSK_NORM_LINF && dimension == 2 ? 1 : 0;
    return dusk_knorm_init(&s->knorm, norm, dimension, 1, epsilon, DUSK_GRID_DEFAULT, err);
}

static dusk_status begin_l2(void *state, double *epsilon, dusk_error *err)
{
    return begin_norm(state, DUSK_NORM_L2, 2, *epsilon, err);
}

static const self_mechanism l2 = { .output_length = 2,
                                   .pair_count = 1,
                                   .names = { "one step along an axis" },
                                   .state = sizeof(norm_state),
                                   .begin = begin_l2,
                                   .one = release_norm };
SELF_OPEN(l2)

static dusk_status begin_odd(void *state, double *epsilon, dusk_error *err)
{
    return begin_norm(state, DUSK_NORM_L2, 3, *epsilon, err);
}

static const self_mechanism odd = { .output_length = 2,
                                    .pair_count = 1,
                                    .names = { "one step along an axis" },
                                    .state = sizeof(norm_state),
                                    .begin = begin_odd,
                                    .one = release_norm };
SELF_OPEN(odd)

static dusk_status begin_l1(void *state, double *epsilon, dusk_error *err)
{
    return begin_norm(state, DUSK_NORM_L1, 2, *epsilon, err);
}

static const self_mechanism l1 = { .output_length = 2,
                                   .pair_count = 1,
                                   .names = { "one step along an axis" },
                                   .state = sizeof(norm_state),
                                   .begin = begin_l1,
                                   .one = release_norm,
                                   .exact = audit_self_tight };
SELF_OPEN(l1)

static dusk_status begin_linf(void *state, double *epsilon, dusk_error *err)
{
    return begin_norm(state, DUSK_NORM_LINF, 2, *epsilon, err);
}

static const self_mechanism linf = { .output_length = 2,
                                     .pair_count = 1,
                                     .names = { "one step in both coordinates" },
                                     .state = sizeof(norm_state),
                                     .begin = begin_linf,
                                     .one = release_norm };
SELF_OPEN(linf)

/* ---- Places ---------------------------------------------------------------------- */

#define DISTANCE 100 /* metres between neighbours */

static dusk_status begin_planar(void *state, double *epsilon, dusk_error *err)
{
    return dusk_planar_laplace_init(state, *epsilon / DISTANCE, DISTANCE, DUSK_GRID_DEFAULT, err);
}

static dusk_status release_place(const dusk_planar_laplace *planar, double answer[2], int world,
                                 dusk_generator *gen, dusk_error *err)
{
    const double place[2] = { world == 0 ? 0 : DISTANCE, 0 };
    return dusk_planar_laplace_release(planar, answer, place, 1, gen, err);
}

static dusk_status release_planar(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    double answer[2] = { 0, 0 };
    dusk_status status = release_place(state, answer, world, gen, err);
    *out = answer[0];
    return status;
}

static const self_mechanism planar = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "100 m to the east" },
                                       .state = sizeof(dusk_planar_laplace),
                                       .begin = begin_planar,
                                       .one = release_planar };
SELF_OPEN(planar)

/* How far apart the two coordinates are: noise on a line would show there. */
static dusk_status release_diagonal(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    double answer[2] = { 0, 0 };
    dusk_status status = release_place(state, answer, world, gen, err);
    *out = answer[0] - answer[1];
    return status;
}

static const self_mechanism diagonal = { .output_length = 1,
                                         .pair_count = 1,
                                         .names = { "100 m to the east" },
                                         .state = sizeof(dusk_planar_laplace),
                                         .begin = begin_planar,
                                         .one = release_diagonal };
SELF_OPEN(diagonal)

/* Far in the north, where degrees of longitude are short: between the 79th and the 81st
 * parallel a thousandth of a degree is at most 21.3 m, at the 80th 19.4 m. */
static dusk_status begin_north(void *state, double *epsilon, dusk_error *err)
{
    static const double low[2] = { 79, -10 }, high[2] = { 81, 10 };
    return dusk_planar_laplace_degrees_init(state, *epsilon / DISTANCE, DISTANCE, low, high,
                                            DUSK_GRID_DEFAULT, err);
}

/* 97 m apart on the 80th parallel; and 78 m apart on the other side of the earth, to the west
 * and to the east of the 180th meridian, far outside of the box. */
static dusk_status release_north(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double places[][2] = { { 80, 0 }, { 80, 0.005 }, { 80, 179.998 }, { 80, -179.998 } };
    double answer[2] = { 0, 0 };
    dusk_status status = dusk_planar_laplace_release(state, answer, places[world], 1, gen, err);
    *out = answer[1];
    return status;
}

static const self_mechanism north = { .output_length = 1,
                                      .pair_count = 2,
                                      .names = { "97 m to the east", "across the 180th meridian" },
                                      .state = sizeof(dusk_planar_laplace),
                                      .begin = begin_north,
                                      .one = release_north };
SELF_OPEN(north)

const audit_subject audit_self_places[] = {
    SELF_ROW("dusk.k-norm", l2, "two numbers with noise of the l2 norm"),
    SELF_ROW("dusk.k-norm.odd", odd, "three numbers with noise of the l2 norm"),
    SELF_ROW("dusk.k-norm.l1", l1, "two numbers with noise of the l1 norm"),
    SELF_ROW("dusk.k-norm.linf", linf, "two numbers with noise of the l-infinity norm"),
    SELF_ROW("dusk.planar-laplace", planar, "a place in the plane"),
    SELF_ROW("dusk.planar-laplace.diagonal", diagonal, "the difference of its coordinates"),
    SELF_ROW("dusk.planar-laplace.degrees", north, "a place in the far north, and one outside of the box"),
    { .says = { .name = NULL } },
};
