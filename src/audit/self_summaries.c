/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates on bounded rows as subjects of the suite; see self.h. Tables of a few rows, to
 * which the most extreme one is added or against which it is exchanged. */
#include <math.h>

#include "audit/self.h"
#include "dusk/mechanisms_summaries.h"

/* Bounds are 0 and 1 everywhere. */
static dusk_status set_how(dusk_aggregate *how, dusk_neighbours neighbours, uint32_t rows_per_unit,
                           double epsilon)
{
    dusk_aggregate_init(how);
    how->neighbours = neighbours;
    how->rows_per_unit = rows_per_unit;
    how->lower = 0;
    how->upper = 1;
    how->epsilon = epsilon;
    return DUSK_OK;
}

static dusk_status begin_adding(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    return set_how(state, DUSK_ADD_REMOVE, 1, *epsilon);
}

static dusk_status begin_two_rows(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    return set_how(state, DUSK_ADD_REMOVE, 2, *epsilon);
}

static dusk_status begin_replacing(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    return set_how(state, DUSK_REPLACE_ONE, 1, *epsilon);
}

/* A table of at most so many rows. */
#define ROWS 4
typedef struct small_table {
    size_t n;
    double rows[ROWS];
} small_table;

typedef dusk_status aggregate_release(dusk_answer *out, const dusk_aggregate *how, const double *rows,
                                      size_t n, dusk_generator *gen, dusk_error *err);

static dusk_status release_value(aggregate_release *release, const dusk_aggregate *how, double *out,
                                 const small_table *table, dusk_generator *gen, dusk_error *err)
{
    dusk_answer answer;
    dusk_status status = release(&answer, how, table->rows, table->n, gen, err);
    if (status == DUSK_OK) *out = answer.value;
    return status;
}

/* ---- Counts ---------------------------------------------------------------------- */

static dusk_status release_count(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const dusk_aggregate *how = state;
    dusk_answer answer;
    dusk_status status = dusk_count_release(&answer, how, world == 0 ? 0 : how->rows_per_unit, gen, err);
    if (status == DUSK_OK) *out = answer.value;
    return status;
}

static const self_mechanism count = { .output_length = 1,
                                      .pair_count = 1,
                                      .names = { "a row is added" },
                                      .draws = 100000,
                                      .state = sizeof(dusk_aggregate),
                                      .begin = begin_adding,
                                      .one = release_count,
                                      .exact = audit_self_tight };
SELF_OPEN(count)

static const self_mechanism count_units = { .output_length = 1,
                                            .pair_count = 1,
                                            .names = { "a unit of two rows is added" },
                                            .draws = 60000,
                                            .state = sizeof(dusk_aggregate),
                                            .begin = begin_two_rows,
                                            .one = release_count,
                                            .exact = audit_self_tight };
SELF_OPEN(count_units)

/* ---- Sums, means, variances ------------------------------------------------------ */

/* A row at the bound, and one far beyond it. */
static const small_table added[] = { { 0, { 0 } }, { 1, { 1 } }, { 0, { 0 } }, { 1, { 1e300 } } };
static const small_table replaced[] = {
    { 1, { 0 } }, { 1, { 1 } }, { 1, { -INFINITY } }, { 1, { INFINITY } }
};

static dusk_status release_sum(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_value(dusk_sum_release, state, out, &added[world], gen, err);
}

static const self_mechanism sum = { .output_length = 1,
                                    .pair_count = 2,
                                    .names = { "the largest row is added",
                                               "a row beyond the bound is added" },
                                    .draws = 100000,
                                    .state = sizeof(dusk_aggregate),
                                    .begin = begin_adding,
                                    .one = release_sum,
                                    .exact = audit_self_tight };
SELF_OPEN(sum)

static dusk_status release_replaced(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_value(dusk_sum_release, state, out, &replaced[world], gen, err);
}

static const self_mechanism sum_replaced = { .output_length = 1,
                                             .pair_count = 2,
                                             .names = { "the least row for the largest",
                                                        "rows beyond both bounds" },
                                             .draws = 60000,
                                             .state = sizeof(dusk_aggregate),
                                             .begin = begin_replacing,
                                             .one = release_replaced,
                                             .exact = audit_self_tight };
SELF_OPEN(sum_replaced)

/* A mean of few rows: of one more at the end, and of one more in the middle, which moves the
 * number of rows alone. */
static const small_table means[] = { { 0, { 0 } },        { 1, { 1 } }, { 1, { 0.5 } },
                                     { 2, { 0.5, 0.5 } }, { 1, { 0 } }, { 2, { 0, 1 } } };

static dusk_status release_mean(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_value(dusk_mean_release, state, out, &means[world], gen, err);
}

static const self_mechanism mean = { .output_length = 1,
                                     .pair_count = 3,
                                     .names = { "the largest row is added", "a row in the middle is added",
                                                "the largest row is added to the least" },
                                     .draws = 50000,
                                     .state = sizeof(dusk_aggregate),
                                     .begin = begin_adding,
                                     .one = release_mean };
SELF_OPEN(mean)

/* The same, and two that are as far apart as rows can be. */
static const small_table variances[] = { { 0, { 0 } },    { 1, { 0.5 } },       { 1, { 0 } },
                                         { 2, { 0, 1 } }, { 3, { 0, 1, 0.5 } }, { 4, { 0, 1, 0.5, 0.5 } } };

static dusk_status release_variance(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_value(dusk_variance_release, state, out, &variances[world], gen, err);
}

static const self_mechanism variance = { .output_length = 1,
                                         .pair_count = 3,
                                         .names = { "a row in the middle is added",
                                                    "the largest row is added to the least",
                                                    "a row in the middle of four" },
                                         .draws = 40000,
                                         .state = sizeof(dusk_aggregate),
                                         .begin = begin_adding,
                                         .one = release_variance };
SELF_OPEN(variance)

/* ---- Histograms ------------------------------------------------------------------ */

static const double edges[] = { 0, 0.5, 1 };

/* The bin that gains, and the one that loses where a row is exchanged. */
static dusk_status release_bins(const dusk_aggregate *how, double counts[2], const small_table *table,
                                dusk_generator *gen, dusk_error *err)
{
    double half_width;
    dusk_statement statement;
    return dusk_histogram_release(counts, &half_width, &statement, how, edges, 2, table->rows, table->n, gen,
                                  err);
}

static dusk_status release_histogram(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    double counts[2] = { 0 };
    dusk_status status = release_bins(state, counts, &added[world], gen, err);
    *out = counts[1];
    return status;
}

static const self_mechanism histogram = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "a row is added" },
                                          .draws = 80000,
                                          .state = sizeof(dusk_aggregate),
                                          .begin = begin_adding,
                                          .one = release_histogram,
                                          .exact = audit_self_tight };
SELF_OPEN(histogram)

static dusk_status release_two_bins(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    double counts[2] = { 0 };
    dusk_status status = release_bins(state, counts, &replaced[world], gen, err);
    *out = fmin(counts[1], -counts[0]);
    return status;
}

static const self_mechanism histogram_replaced = { .output_length = 1,
                                                   .pair_count = 1,
                                                   .names = { "a row goes from one bin to the other" },
                                                   .draws = 80000,
                                                   .state = sizeof(dusk_aggregate),
                                                   .begin = begin_replacing,
                                                   .one = release_two_bins,
                                                   .exact = audit_self_tight };
SELF_OPEN(histogram_replaced)

/* ---- The mode -------------------------------------------------------------------- */

#define PRIVATE_DELTA 0.1

static dusk_status release_index(const dusk_aggregate *how, double *out, const uint64_t *counts, size_t n,
                                 dusk_generator *gen, dusk_error *err)
{
    size_t index = 0;
    double shortfall;
    dusk_statement statement;
    dusk_status status = dusk_mode_release(&index, &shortfall, &statement, how, counts, n, gen, err);
    *out = index == DUSK_NO_MODE ? -1 : (double)index;
    return status;
}

/* The rarer value gains a row. */
static dusk_status release_mode(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const uint64_t counts[][2] = { { 0, 5 }, { 1, 5 }, { 3, 3 }, { 4, 3 } };
    return release_index(state, out, counts[world], 2, gen, err);
}

static const self_mechanism mode = { .output_length = 1,
                                     .pair_count = 2,
                                     .names = { "the rarer value gains", "one of two that are equal gains" },
                                     .draws = 400000,
                                     .state = sizeof(dusk_aggregate),
                                     .begin = begin_adding,
                                     .one = release_mode,
                                     .exact = audit_self_tight };
SELF_OPEN(mode)

static dusk_status release_mode_replaced(void *state, double *out, int world, dusk_generator *gen,
                                         dusk_error *err)
{
    static const uint64_t counts[][2] = { { 0, 5 }, { 1, 4 } };
    return release_index(state, out, counts[world], 2, gen, err);
}

static const self_mechanism mode_replaced = { .output_length = 1,
                                              .pair_count = 1,
                                              .names = { "a row goes to the rarer value" },
                                              .draws = 400000,
                                              .state = sizeof(dusk_aggregate),
                                              .begin = begin_replacing,
                                              .one = release_mode_replaced,
                                              .exact = audit_self_tight };
SELF_OPEN(mode_replaced)

/* Values that come from the data: a unit of two rows is the only one that has them. */
static dusk_status begin_private_mode(void *state, double *epsilon, dusk_error *err)
{
    dusk_aggregate *how = state;
    dusk_status status = begin_two_rows(state, epsilon, err);
    how->delta = PRIVATE_DELTA;
    return status;
}

static dusk_status release_private_mode(void *state, double *out, int world, dusk_generator *gen,
                                        dusk_error *err)
{
    static const uint64_t counts[][2] = { { 0, 0 }, { 2, 0 }, { 0, 0 }, { 1, 1 } };
    return release_index(state, out, counts[world], 2, gen, err);
}

static const self_mechanism private_mode = { .output_length = 1,
                                             .pair_count = 2,
                                             .names = { "both rows have the same value",
                                                        "each row has a value of its own" },
                                             .delta = PRIVATE_DELTA,
                                             .draws = 100000,
                                             .state = sizeof(dusk_aggregate),
                                             .begin = begin_private_mode,
                                             .one = release_private_mode };
SELF_OPEN(private_mode)

const audit_subject audit_self_summaries[] = {
    SELF_ROW("dusk.count", count, "how many rows"),
    SELF_ROW("dusk.count.units", count_units, "how many rows, two of a unit"),
    SELF_ROW("dusk.sum", sum, "the sum of clamped rows"),
    SELF_ROW("dusk.sum.replace-one", sum_replaced, "the sum of clamped rows, one of which is exchanged"),
    SELF_ROW("dusk.mean", mean, "the mean of clamped rows"),
    SELF_ROW("dusk.variance", variance, "the variance of clamped rows"),
    SELF_ROW("dusk.histogram", histogram, "counts of two bins"),
    SELF_ROW("dusk.histogram.replace-one", histogram_replaced, "counts of two bins, one row is exchanged"),
    SELF_ROW("dusk.mode", mode, "the most frequent of two public values"),
    SELF_ROW("dusk.mode.replace-one", mode_replaced, "the same where a row is exchanged"),
    SELF_ROW("dusk.mode.private-values", private_mode, "the most frequent value, which comes from the data"),
    { .says = { .name = NULL } },
};
