/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that come from the data, and functions of blocks of rows, as subjects of the suite; see
 * self.h. Whether a key that only one unit has is shown may not happen more often than delta. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_choice.h"
#include "dusk/mechanisms_summaries.h"

/* ---- Keys ------------------------------------------------------------------------ */

#define KEYS_DELTA 0.01
#define KEYS 2

typedef struct keys_state {
    dusk_key_selection selection;
    uint64_t half; /* a key of so many units is kept half of the time */
} keys_state;

static dusk_status begin_keys(keys_state *s, dusk_key_method method, double epsilon, dusk_error *err)
{
    dusk_status status = dusk_key_selection_init(&s->selection, method, KEYS, epsilon, KEYS_DELTA, err);
    for (double p = 0; status == DUSK_OK && p < 0.5;)
        status = dusk_key_selection_probability(&s->selection, &p, ++s->half, err);
    return status;
}

static dusk_status begin_geometric(void *state, double *epsilon, dusk_error *err)
{
    return begin_keys(state, DUSK_KEYS_TRUNCATED_GEOMETRIC, *epsilon, err);
}

static dusk_status begin_laplace(void *state, double *epsilon, dusk_error *err)
{
    return begin_keys(state, DUSK_KEYS_LAPLACE, *epsilon, err);
}

static dusk_status begin_gaussian(void *state, double *epsilon, dusk_error *err)
{
    return begin_keys(state, DUSK_KEYS_GAUSSIAN, *epsilon, err);
}

/* How many of the two keys are kept, which have so many units each. */
static dusk_status keep_both(const keys_state *s, double *out, uint64_t units_each, dusk_generator *gen,
                             dusk_error *err)
{
    const uint64_t units[KEYS] = { units_each, units_each };
    bool keep[KEYS] = { false };
    dusk_status status = dusk_key_selection_release(&s->selection, keep, NULL, units, KEYS, gen, err);
    *out = keep[0] + keep[1];
    return status;
}

/* A unit with keys that nobody else has. */
static dusk_status release_alone(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return keep_both(state, out, (uint64_t)world, gen, err);
}

/* One unit more where keys of so many are kept half of the time. */
static dusk_status release_keys(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const keys_state *s = state;
    return keep_both(s, out, s->half + (uint64_t)world, gen, err);
}

#define KEYS_MECHANISM(name, start, release, most)                                                           \
    static const self_mechanism name = { .output_length = 1,                                                 \
                                         .pair_count = 1,                                                    \
                                         .names = { "a unit with both keys" },                               \
                                         .delta = KEYS_DELTA,                                                \
                                         .draws = (most),                                                    \
                                         .state = sizeof(keys_state),                                        \
                                         .begin = start,                                                     \
                                         .one = release };                                                   \
    SELF_OPEN(name)
KEYS_MECHANISM(geometric, begin_geometric, release_keys, 20000)
KEYS_MECHANISM(geometric_alone, begin_geometric, release_alone, 25000)
KEYS_MECHANISM(laplace, begin_laplace, release_keys, 100000)
KEYS_MECHANISM(laplace_alone, begin_laplace, release_alone, 100000)
KEYS_MECHANISM(gaussian, begin_gaussian, release_keys, 100000)

/* ---- Keys of the largest counts -------------------------------------------------- */

#define TOP_DELTA 0.01
#define TOP 3

static dusk_status begin_top(void *state, double *epsilon, dusk_error *err)
{
    return dusk_limit_domain_init(state, TOP, TOP, TOP, 1, *epsilon / TOP, TOP_DELTA, err);
}

/* A unit with three keys that nobody else has; and one that makes a rare key less rare. What is
 * shown, as digits in order. */
static dusk_status release_top(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const uint64_t counts[][TOP + 1] = {
        { 0, 0, 0, 0 }, { 1, 1, 1, 0 }, { 20, 30, 30, 30 }, { 21, 30, 30, 30 }
    };
    size_t indices[TOP] = { 0 }, shown = 0;
    dusk_status status = dusk_limit_domain_release(state, indices, &shown, counts[world], TOP + 1, gen, err);
    double word = 0;
    for (size_t i = 0; i < shown; i++) word = (TOP + 2) * word + (double)indices[i] + 1;
    *out = word;
    return status;
}

static const self_mechanism top_keys = { .output_length = 1,
                                         .pair_count = 2,
                                         .names = { "a unit with keys that nobody else has",
                                                    "a rare key gains" },
                                         .delta = TOP_DELTA,
                                         .draws = 200000,
                                         .state = sizeof(dusk_limit_domain),
                                         .begin = begin_top,
                                         .one = release_top };
SELF_OPEN(top_keys)

/* ---- Blocks ---------------------------------------------------------------------- */

#define BLOCKS 2
#define BLOCK_ROWS 2

/* The largest row of a block, 0 where it has none; rows are all 1. */
static double largest(const size_t *rows, size_t n, void *context)
{
    (void)rows;
    (void)context;
    return n > 0 ? 1 : 0;
}

static void set_blocks(dusk_aggregate *how, uint32_t rows_per_unit, double epsilon)
{
    dusk_aggregate_init(how);
    how->neighbours = DUSK_ADD_REMOVE;
    how->lower = 0;
    how->upper = 1;
    how->rows_per_unit = rows_per_unit;
    how->epsilon = epsilon;
}

static dusk_status begin_blocks(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_blocks(state, 1, *epsilon);
    return DUSK_OK;
}

static dusk_status begin_unit_blocks(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_blocks(state, BLOCK_ROWS, *epsilon);
    return DUSK_OK;
}

/* No row, or those of one unit, which change as many blocks as it has rows. */
static dusk_status release_blocks(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const dusk_aggregate *how = state;
    dusk_answer answer;
    dusk_status status =
        dusk_sample_and_aggregate_release(&answer, how, DUSK_BLOCKS_MEAN, BLOCKS,
                                          world == 0 ? 0 : how->rows_per_unit, NULL, largest, NULL, gen, err);
    if (status == DUSK_OK) *out = answer.value;
    return status;
}

static const self_mechanism blocks = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "the only row" },
                                       .draws = 80000,
                                       .state = sizeof(dusk_aggregate),
                                       .begin = begin_blocks,
                                       .one = release_blocks,
                                       .exact = audit_self_tight };
SELF_OPEN(blocks)

static const self_mechanism unit_blocks = { .output_length = 1,
                                            .pair_count = 1,
                                            .names = { "the only unit, of two rows" },
                                            .draws = 80000,
                                            .state = sizeof(dusk_aggregate),
                                            .begin = begin_unit_blocks,
                                            .one = release_blocks };
SELF_OPEN(unit_blocks)

/* Rows with the name of their unit: however many it has, they are in one block. */
#define NAMED_BLOCKS 4
#define NAMED_ROWS 4

static dusk_status release_named(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const uint64_t units[NAMED_ROWS] = { 7, 7, 7, 7 };
    dusk_answer answer;
    dusk_status status =
        dusk_sample_and_aggregate_release(&answer, state, DUSK_BLOCKS_MEAN, NAMED_BLOCKS,
                                          world == 0 ? 0 : NAMED_ROWS, units, largest, NULL, gen, err);
    if (status == DUSK_OK) *out = answer.value;
    return status;
}

static const self_mechanism named_blocks = { .output_length = 1,
                                             .pair_count = 1,
                                             .names = { "the only unit, of four rows" },
                                             .draws = 80000,
                                             .state = sizeof(dusk_aggregate),
                                             .begin = begin_blocks,
                                             .one = release_named,
                                             .exact = audit_self_tight };
SELF_OPEN(named_blocks)

const audit_subject audit_self_keys[] = {
    SELF_ROW("dusk.keys", geometric, "which keys may be shown, by the optimal rule"),
    SELF_ROW("dusk.keys.alone", geometric_alone, "the same for keys that one unit has alone"),
    SELF_ROW("dusk.keys.laplace.alone", laplace_alone, "keys that one unit has alone, by a noisy count"),
    SELF_ROW("dusk.keys.laplace", laplace, "which keys may be shown, by a noisy count"),
    SELF_ROW("dusk.keys.gaussian", gaussian, "the same with Gaussian noise"),
    SELF_ROW("dusk.top-keys", top_keys, "the keys of the largest counts"),
    SELF_ROW("dusk.sample-and-aggregate", blocks, "a function of blocks, averaged"),
    SELF_ROW("dusk.sample-and-aggregate.units", unit_blocks, "the same, two rows of a unit in two blocks"),
    SELF_ROW("dusk.sample-and-aggregate.named", named_blocks, "the same, rows with the name of their unit"),
    { .says = { .name = NULL } },
};
