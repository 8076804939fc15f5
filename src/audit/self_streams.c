/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vectors, monitors and sums of streams as subjects of the suite; see self.h. */
#include <math.h>

#include "audit/self.h"
#include "base/memory.h"
#include "dusk/mechanisms_streams.h"

/* ---- Sparse vector --------------------------------------------------------------- */

#define QUERIES 6
#define MANY_HITS 3

typedef struct sparse_state {
    dusk_sparse_vector_options options;
} sparse_state;

static void begin_options(sparse_state *s, double epsilon)
{
    dusk_sparse_vector_options_init(&s->options);
    s->options.sensitivity = 1;
    s->options.threshold = 0;
    s->options.epsilon = epsilon;
}

static dusk_status begin_one_hit(void *state, double *epsilon, dusk_error *err)
{
    sparse_state *s = state;
    (void)err;
    begin_options(s, *epsilon);
    s->options.hits = 1;
    return DUSK_OK;
}

static dusk_status begin_hits(void *state, double *epsilon, dusk_error *err)
{
    sparse_state *s = state;
    (void)err;
    begin_options(s, *epsilon);
    s->options.hits = MANY_HITS;
    return DUSK_OK;
}

/* Queries of two neighbours: at the threshold, then the first half rises and the second falls;
 * and the first half below the second, then above. */
static double query_of(int world, size_t i)
{
    bool first = i < QUERIES / 2;
    switch (world) {
    case 0: return 0;
    case 1: return first ? 1 : -1;
    case 2: return first ? 0 : 1;
    default: return first ? 1 : 0;
    }
}

/* The answers as digits: 1 below, 2 above, 0 once nothing more is said. */
static dusk_status ask_all(dusk_sparse_vector *sv, double *out, int world, size_t queries,
                           dusk_generator *gen, dusk_error *err)
{
    double word = 0;
    for (size_t i = 0; i < queries; i++) {
        bool above = false;
        dusk_status status = dusk_sparse_vector_release(sv, &above, NULL, query_of(world, i), gen, err);
        if (status != DUSK_OK && status != DUSK_ERR_BUDGET) return status;
        word = 3 * word + (status == DUSK_ERR_BUDGET ? 0 : above ? 2 : 1);
    }
    *out = word;
    return DUSK_OK;
}

static dusk_status release_sparse(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const sparse_state *s = state;
    dusk_sparse_vector *sv = NULL;
    dusk_status status = dusk_sparse_vector_new(&sv, &s->options, gen, err);
    if (status == DUSK_OK) status = ask_all(sv, out, world, QUERIES, gen, err);
    dusk_sparse_vector_free(sv);
    return status;
}

static const self_mechanism one_hit = { .output_length = 1,
                                        .pair_count = 2,
                                        .names = { "half rise and half fall", "halves change places" },
                                        .draws = 300000,
                                        .state = sizeof(sparse_state),
                                        .begin = begin_one_hit,
                                        .one = release_sparse };
SELF_OPEN(one_hit)

static const self_mechanism hits = { .output_length = 1,
                                     .pair_count = 2,
                                     .names = { "half rise and half fall", "halves change places" },
                                     .draws = 300000,
                                     .state = sizeof(sparse_state),
                                     .begin = begin_hits,
                                     .one = release_sparse };
SELF_OPEN(hits)

/* A hit that also tells its value, with much noise: a tenth of epsilon for it. */
static dusk_status begin_numeric(void *state, double *epsilon, dusk_error *err)
{
    sparse_state *s = state;
    (void)err;
    begin_options(s, 0.9 * *epsilon);
    s->options.hits = 1;
    s->options.numeric_epsilon = 0.1 * *epsilon;
    return DUSK_OK;
}

/* The value where the last query is the first above: were its noise that of the comparison, a
 * small value would tell that the threshold was small, and all others below it [Lyu et al. 2017
 * on variant 3]. NaN where another one was above, and a large number where none was. */
static dusk_status release_numeric(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const sparse_state *s = state;
    dusk_sparse_vector *sv = NULL;
    double last = NAN;
    bool above = false;
    size_t i = 0;
    dusk_status status = dusk_sparse_vector_new(&sv, &s->options, gen, err);
    for (; i < QUERIES && status == DUSK_OK && !above; i++)
        status = dusk_sparse_vector_release(sv, &above, &last, i + 1 < QUERIES ? world : -world, gen, err);
    dusk_sparse_vector_free(sv);
    *out = !above ? 1e9 : i == QUERIES ? last : NAN;
    return status;
}

static const self_mechanism numeric = { .output_length = 1,
                                        .pair_count = 1,
                                        .names = { "the last falls and the others rise" },
                                        .draws = 400000,
                                        .state = sizeof(sparse_state),
                                        .begin = begin_numeric,
                                        .one = release_numeric };
SELF_OPEN(numeric)

/* ---- Threshold monitor ----------------------------------------------------------- */

#define MONITOR_DELTA 0.01
#define ASKED 10
#define GROUPS 256

typedef struct monitor_state {
    dusk_threshold_monitor_options options;
    uint32_t records[GROUPS]; /* the group that a record is in */
} monitor_state;

static dusk_status begin_monitor(void *state, double *epsilon, dusk_error *err)
{
    monitor_state *s = state;
    (void)err;
    dusk_threshold_monitor_options_init(&s->options);
    s->options.threshold = 1;
    s->options.neighbours = DUSK_ADD_REMOVE;
    s->options.epsilon = *epsilon;
    s->options.delta = MONITOR_DELTA;
    for (uint32_t i = 0; i < GROUPS; i++) s->records[i] = i;
    return DUSK_OK;
}

static bool is_in_group(const void *record, void *context)
{
    const uint32_t *of = record, *group = context;
    return *of == *group;
}

/* All queries about one group: how many were above, and how many before the first below. */
static dusk_status ask_group(dusk_threshold_monitor *monitor, double *out, uint32_t group,
                             dusk_generator *gen, dusk_error *err)
{
    int count = 0, leading = 0;
    for (int i = 0; i < ASKED; i++) {
        bool above = false;
        dusk_status status = dusk_threshold_monitor_release(monitor, &above, is_in_group, &group, gen, err);
        if (status != DUSK_OK) return status;
        count += above;
        leading += above && leading == i;
    }
    *out = 16 * leading + count;
    return DUSK_OK;
}

/* One record or none. Making a monitor costs much, so that one of them has many groups, each
 * asked about on its own: every answer has fresh noise, and counts the records of its group
 * only, so that groups are independent and as if each had a monitor of its own. */
static dusk_status release_monitor(void *state, double *out, size_t n, int world, dusk_generator *gen,
                                   dusk_error *err)
{
    const monitor_state *s = state;
    dusk_status status = DUSK_OK;
    while (n > 0 && status == DUSK_OK) {
        size_t here = n < GROUPS ? n : GROUPS;
        dusk_threshold_monitor *monitor = NULL;
        status = dusk_threshold_monitor_new(&monitor, &s->options, s->records, world == 0 ? 0 : here,
                                            sizeof s->records[0], err);
        for (uint32_t i = 0; i < here && status == DUSK_OK; i++)
            status = ask_group(monitor, out++, i, gen, err);
        dusk_threshold_monitor_free(monitor);
        n -= here;
    }
    return status;
}

static const self_mechanism monitor = { .output_length = 1,
                                        .pair_count = 1,
                                        .names = { "one record or none" },
                                        .delta = MONITOR_DELTA,
                                        .draws = 40000,
                                        .state = sizeof(monitor_state),
                                        .begin = begin_monitor,
                                        .many = release_monitor };
SELF_OPEN(monitor)

const audit_subject audit_self_streams[] = {
    SELF_ROW("dusk.sparse-vector", one_hit, "six queries until the first is above"),
    SELF_ROW("dusk.sparse-vector.hits", hits, "six queries until three are above"),
    SELF_ROW("dusk.sparse-vector.numeric", numeric, "queries until one is above, and its noisy value"),
    SELF_ROW("dusk.threshold-monitor", monitor, "ten questions about the same record"),
    { .says = { .name = NULL } },
};
