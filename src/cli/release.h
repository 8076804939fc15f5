/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_RELEASE_H
#define DUSK_CLI_RELEASE_H

/* dusk release: one mechanism, by hand. The families of mechanisms are in
 * release_*.c; each one checks everything that is public, then (unless this is
 * a dry run) reads the data, releases, prints, and ends with a receipt. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_release_command;
extern const dusk_operand dusk_release_mechanisms[];
extern const dusk_option dusk_release_options[];

typedef struct release_settings {
    double epsilon, delta, sensitivity, value, confidence;
    double threshold, numeric_epsilon, first, second, gamma, rho, omega;
    int64_t grid, k, answers, hits, rows_per_unit, keys_per_unit;
    double beta, interval_epsilon; /* of smooth sensitivity */
    int64_t degrees;
    int64_t blocks; /* of samples */
    const char *exec;
    int function, aggregate;
    const char *column, *scores, *bounds, *bins, *edges, *q, *unit;
    const char *schema, *marginals; /* of tables */
    int64_t rounds, rows;
    const char *unit_column;                   /* of sample-and-aggregate */
    const char *regions, *columns, *shares;    /* of trees */
    int64_t contributions;                     /* of monitors */
    int64_t length, window, bands, separation; /* of streams */
    const char *plot;
    bool smooth;
    const char *box; /* of places */
    const char *query;
    double prune;
    int64_t depth, branching;
    int outside;
    double distance;
    bool lat_lon;
    int counts, norm;
    bool prefixes;
    int neighbours, noise, method;
    int64_t limit, padding;
    double runs, eta;           /* of candidates */
    double resolution, largest; /* of bounds */
    bool poisson;
    const char *values;
    bool unrestricted;
    bool classical, squared, monotonic, estimate, json, dry_run, list;
} release_settings;

/* The words of --method: those of keys, then those of streams. */
enum { RELEASE_METHOD_TREE = 3 };

/* One run. */
typedef struct release_job {
    const release_settings *settings;
    const dusk_parsed *parsed;
    const dusk_operand *mechanism;
    const char *path; /* of the data; NULL: standard input */
    dusk_neighbours neighbours;
    const char *unit;
    dusk_generator *gen;
    dusk_json json; /* open on standard output with --json */
} release_job;

typedef dusk_status release_function(release_job *job, dusk_error *err);
/* What runs the mechanism called `name`, or NULL. */
release_function *release_find(const char *name);
release_function release_laplace, release_gaussian, release_discrete_laplace, release_discrete_gaussian;
release_function release_staircase, release_truncated_laplace, release_bounded_laplace;
release_function release_sinh_normal;
release_function release_exponential, release_permute_and_flip, release_noisy_max, release_top_k;
release_function release_randomized_response, release_sparse_vector, release_threshold_monitor;
release_function release_count, release_sum, release_mean, release_variance;
release_function release_histogram, release_quantiles, release_median, release_keys;
release_function release_smooth_median, release_smooth_quantile, release_propose_test_release;
release_function release_top_keys, release_mode, release_candidates, release_bounds;
release_function release_sample_and_aggregate, release_smooth_sensitivity;
release_function release_marginals, release_mwem, release_synthetic_table;
release_function release_k_norm, release_planar_laplace;
release_function release_hierarchy, release_range_histogram, release_quadtree;
release_function release_count_stream, release_sum_stream;

/* What the receipt says besides the statement. */
typedef struct release_receipt {
    const dusk_statement *statement; /* NULL: nothing private was touched */
    const char *label;               /* of the next: NULL means "interval"  */
    char interval[400];              /* a sentence, or empty                */
    char input[200];                 /* how the data was read, or empty     */
} release_receipt;

bool release_given(const release_job *job, const char *option);
/* The data: a column of a table, or plain text. */
dusk_status release_open(const release_job *job, dusk_input *input, dusk_input_kind kind, dusk_error *err);
/* All numbers of the data. */
dusk_status release_read(const release_job *job, double **values, size_t *n, dusk_error *err);
/* Lines of a candidate and its score; there is one at least. To be freed also on failure. */
dusk_status release_read_scores(const release_job *job, dusk_named **list, double **scores, size_t *n,
                                dusk_error *err);
/* Lines of a key and a number of units, in the order of the keys' bytes: `keys` of
 * them, of n lines. To be freed also on failure. */
dusk_status release_read_keys(const release_job *job, dusk_named **list, size_t *n, uint64_t **units,
                              size_t *keys, dusk_error *err);
void release_keys_free(dusk_named *list, size_t n, uint64_t *units);
/* What --epsilon, --delta, --bounds and their kin say of rows. */
dusk_status release_aggregate(const release_job *job, dusk_aggregate *how, dusk_error *err);
/* --option must have the form ..., with an example. */
dusk_status release_fail_form(const char *option, const char *form, dusk_error *err);
/* A statement of this job for an event, with one declared fact ("" for none). */
dusk_status release_state(const release_job *job, dusk_statement *out, const dusk_event *event, double delta,
                          const char *fact, dusk_error *err);
/* With --json open the object and give true; an interval in it. */
bool release_json(release_job *job);
/* The same for an answer of one number, which it holds then; without --json print that.
 * In a dry run there is none. */
bool release_value(release_job *job, double value);
void release_json_interval(release_job *job, double low, double high);
/* The end of every run: statement and ledger in the JSON object, then, when the
 * answer has left, the receipt on standard error. */
dusk_status release_end(release_job *job, const release_receipt *receipt, dusk_error *err);
/* The same where some answers were given before `answered` said why there are no more: what
 * was spent is told first, and the failure stays the result. */
dusk_status release_end_after(release_job *job, const release_receipt *receipt, dusk_status answered,
                              dusk_error *err);

#endif
