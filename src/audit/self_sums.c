/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a stream as subjects of the suite; see self.h. One item at a step where all sums of
 * the tree that hold it are told: their least is the worst thing to look at. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_streams.h"

#define STEPS_MAX 64

/* Feed `numbers` and keep all answers. */
static dusk_status run(const dusk_stream_options *options, double *answers, const double *numbers,
                       size_t steps, dusk_generator *gen, dusk_error *err)
{
    dusk_stream *stream = NULL;
    dusk_status status = dusk_stream_new(&stream, options, err);
    for (size_t i = 0; i < steps && status == DUSK_OK; i++)
        status = dusk_stream_release(stream, &answers[i], numbers[i], gen, err);
    dusk_stream_free(stream);
    return status;
}

static void begin_options(dusk_stream_options *options, double epsilon)
{
    dusk_stream_options_init(options);
    options->neighbours = DUSK_ADD_REMOVE;
    options->lower = 0;
    options->upper = 1;
    options->epsilon = epsilon;
}

/* ---- Trees ----------------------------------------------------------------------- */

/* Four steps: an item in the first is in the answers of steps 1, 2 and 4 by three sums with
 * noise of their own; one in the second is the difference of the first two answers. */
#define TREE_STEPS 4

static dusk_status begin_count(void *state, double *epsilon, dusk_error *err)
{
    dusk_stream_options *options = state;
    (void)err;
    begin_options(options, *epsilon);
    options->whole = true;
    options->length = TREE_STEPS;
    return DUSK_OK;
}

static dusk_status release_tree(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const double numbers[TREE_STEPS] = { world };
    double a[TREE_STEPS] = { 0 };
    dusk_status status = run(state, a, numbers, TREE_STEPS, gen, err);
    *out = fmin(fmin(a[0], a[1]), a[3]);
    return status;
}

static const self_mechanism count_stream = { .output_length = 1,
                                             .pair_count = 1,
                                             .names = { "an item in the first step" },
                                             .draws = 60000,
                                             .state = sizeof(dusk_stream_options),
                                             .begin = begin_count,
                                             .one = release_tree,
                                             .exact = audit_self_tight };
SELF_OPEN(count_stream)

static dusk_status release_second(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const double numbers[TREE_STEPS] = { 0, world };
    double a[TREE_STEPS] = { 0 };
    dusk_status status = run(state, a, numbers, TREE_STEPS, gen, err);
    *out = a[1] - a[0];
    return status;
}

static const self_mechanism second_step = { .output_length = 1,
                                            .pair_count = 1,
                                            .names = { "an item in the second step" },
                                            .draws = 60000,
                                            .state = sizeof(dusk_stream_options),
                                            .begin = begin_count,
                                            .one = release_second };
SELF_OPEN(second_step)

static dusk_status begin_sum(void *state, double *epsilon, dusk_error *err)
{
    dusk_stream_options *options = state;
    (void)err;
    begin_options(options, *epsilon);
    options->length = TREE_STEPS;
    return DUSK_OK;
}

static const self_mechanism sum_stream = { .output_length = 1,
                                           .pair_count = 1,
                                           .names = { "an item in the first step" },
                                           .draws = 40000,
                                           .state = sizeof(dusk_stream_options),
                                           .begin = begin_sum,
                                           .one = release_tree,
                                           .exact = audit_self_tight };
SELF_OPEN(sum_stream)

static dusk_status begin_honaker(void *state, double *epsilon, dusk_error *err)
{
    dusk_stream_options *options = state;
    dusk_status status = begin_sum(state, epsilon, err);
    options->method = DUSK_STREAM_HONAKER;
    return status;
}

static const self_mechanism honaker = { .output_length = 1,
                                        .pair_count = 1,
                                        .names = { "an item in the first step" },
                                        .draws = 40000,
                                        .state = sizeof(dusk_stream_options),
                                        .begin = begin_honaker,
                                        .one = release_tree };
SELF_OPEN(honaker)

/* Without a length, the steps 4 to 7 are an epoch of three levels, after two with fewer: an item
 * in step 4 is in three sums, which the answers of steps 4, 5 and 7 tell beyond that of step 3. */
#define EPOCH_STEPS 7

static dusk_status begin_endless(void *state, double *epsilon, dusk_error *err)
{
    dusk_stream_options *options = state;
    dusk_status status = begin_count(state, epsilon, err);
    options->length = 0;
    return status;
}

static dusk_status release_endless(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const double numbers[][EPOCH_STEPS] = { { 0 }, { 0, 0, 0, 1 } };
    double a[EPOCH_STEPS] = { 0 };
    dusk_status status = run(state, a, numbers[world], EPOCH_STEPS, gen, err);
    *out = fmin(fmin(a[3], a[4]), a[6]) - a[2];
    return status;
}

static const self_mechanism endless = { .output_length = 1,
                                        .pair_count = 1,
                                        .names = { "an item in the fourth step" },
                                        .draws = 64000,
                                        .state = sizeof(dusk_stream_options),
                                        .begin = begin_endless,
                                        .one = release_endless,
                                        .exact = audit_self_tight };
SELF_OPEN(endless)

/* ---- Matrices -------------------------------------------------------------------- */

#define MATRIX_DELTA 0.01

/* Two steps. C = (1, 0; 1/2, 1), the answers are y1 and y1/2 + y2, and the sum of y1 and y2/2 is
 * what tells most of an item in the first step. y2 has half of that item in it: were its noise
 * a whole number, the rest would tell it. */
static dusk_status begin_root(void *state, double *epsilon, dusk_error *err)
{
    dusk_stream_options *options = state;
    (void)err;
    begin_options(options, *epsilon);
    options->method = DUSK_STREAM_SQUARE_ROOT;
    options->whole = true;
    options->length = 2;
    options->delta = MATRIX_DELTA;
    return DUSK_OK;
}

static dusk_status release_root(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const double numbers[2] = { world, 0 };
    double a[2] = { 0 };
    dusk_status status = run(state, a, numbers, 2, gen, err);
    double second = a[1] - a[0] / 2;
    out[0] = a[0] + second / 2;
    out[1] = second - floor(second);
    return status;
}

static const self_mechanism root = { .output_length = 2,
                                     .pair_count = 1,
                                     .names = { "an item in the first step" },
                                     .delta = MATRIX_DELTA,
                                     .draws = 400,
                                     .state = sizeof(dusk_stream_options),
                                     .begin = begin_root,
                                     .one = release_root,
                                     .exact = audit_self_tight };
SELF_OPEN(root)

/* A unit has an item in each of sixteen steps, closer than the bands. The sums of all its columns of
 * C, which are taken from the answers, are what tells most. Making a stream costs much, so that one
 * of them has many units, one after the other and further apart than the bands: C x + z at the steps
 * of one of them has noise of its own and nothing of the others' items, so that units are
 * independent and as if each had a stream of its own. */
#define BANDS 16
#define ITEMS 16
#define BAND_STEPS (ITEMS + BANDS)
#define BAND_UNITS 256

typedef struct banded_state {
    dusk_stream_options options;
    double diagonal[BANDS];   /* of C: coefficients of (1 - x)^(-1/2) */
    double moved[BAND_STEPS]; /* C x of one unit */
    double recent[BANDS];     /* how far the last answers went up, the newest first */
} banded_state;

static dusk_status begin_banded(void *state, double *epsilon, dusk_error *err)
{
    banded_state *s = state;
    (void)err;
    begin_options(&s->options, *epsilon);
    s->options.method = DUSK_STREAM_BANDED;
    s->options.whole = true;
    s->options.length = BAND_STEPS * BAND_UNITS;
    s->options.bands = BANDS;
    s->options.items_per_unit = ITEMS;
    s->options.separation = 1;
    s->options.delta = MATRIX_DELTA;
    s->diagonal[0] = 1;
    for (size_t k = 1; k < BANDS; k++) s->diagonal[k] = s->diagonal[k - 1] * ((double)k - 0.5) / (double)k;
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t k = 0; k < BANDS; k++) s->moved[i + k] += s->diagonal[k];
    return DUSK_OK;
}

/* The steps of one unit. */
static dusk_status release_unit(banded_state *s, dusk_stream *stream, double *out, double *last, int world,
                                dusk_generator *gen, dusk_error *err)
{
    double sum = 0;
    for (size_t t = 0; t < BAND_STEPS; t++) {
        double answer, y = 0;
        dusk_status status = dusk_stream_release(stream, &answer, t < ITEMS ? world : 0, gen, err);
        if (status != DUSK_OK) return status;
        for (size_t k = BANDS - 1; k > 0; k--) s->recent[k] = s->recent[k - 1];
        s->recent[0] = answer - *last;
        *last = answer;
        for (size_t k = 0; k < BANDS; k++) y += s->diagonal[k] * s->recent[k];
        sum += s->moved[t] * y;
    }
    *out = sum;
    return DUSK_OK;
}

static dusk_status release_banded(void *state, double *out, size_t n, int world, dusk_generator *gen,
                                  dusk_error *err)
{
    banded_state *s = state;
    dusk_status status = DUSK_OK;
    while (n > 0 && status == DUSK_OK) {
        size_t here = n < BAND_UNITS ? n : BAND_UNITS;
        double last = 0;
        dusk_stream *stream = NULL;
        for (size_t k = 0; k < BANDS; k++) s->recent[k] = 0;
        status = dusk_stream_new(&stream, &s->options, err);
        for (size_t i = 0; i < here && status == DUSK_OK; i++)
            status = release_unit(s, stream, out++, &last, world, gen, err);
        dusk_stream_free(stream);
        n -= here;
    }
    return status;
}

static const self_mechanism banded = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "a unit of sixteen items in a row" },
                                       .delta = MATRIX_DELTA,
                                       .draws = 44000,
                                       .state = sizeof(banded_state),
                                       .begin = begin_banded,
                                       .many = release_banded };
SELF_OPEN(banded)

const audit_subject audit_self_sums[] = {
    SELF_ROW("dusk.count-stream", count_stream, "how many so far, four steps, a tree"),
    SELF_ROW("dusk.count-stream.second", second_step, "the difference of its first two answers"),
    SELF_ROW("dusk.count-stream.endless", endless, "how many so far, no length, in the third epoch"),
    SELF_ROW("dusk.sum-stream", sum_stream, "sums so far, four steps, a tree"),
    SELF_ROW("dusk.sum-stream.honaker", honaker, "the same, every node used"),
    SELF_ROW("dusk.sum-stream.square-root", root, "two steps, by the square root of the matrix of sums"),
    SELF_ROW("dusk.sum-stream.banded", banded, "a unit of many items, by a banded matrix"),
    { .says = { .name = NULL } },
};
