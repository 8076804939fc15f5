/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of mechanisms from the inside: a plan is made once and drawn from many times, where the
 * public release plans anew for each answer; and the claim is what the plan says of itself, its
 * event priced once, also where that is less than what was asked for. A delta is large here, so that
 * a set of that probability can be counted. None is accused; with DUSK_SUBJECT and DUSK_EPSILON one is
 * audited alone, and tests/audit_mutants.txt names the planted bug with which it is (inner.NAME). */
#include <math.h>

#include "inner_audit.h"
#include "mechanisms/mwem.h"
#include "mechanisms/propose_test_release.h"
#include "mechanisms/smooth_quantile.h"
#include "mechanisms/spanning_tree.h"
#include "mechanisms/sparse_vector.h"
#include "mechanisms/synthetic_table.h"
#include "mechanisms/threshold_monitor.h"
#include "mechanisms/totals.h"
#include "random/rounded.h"
#include "random/sampling.h"
#include "requests.h"

/* --- a threshold monitor ----------------------------------------------------------- */

enum { ASKED = 40 };

static struct {
    dusk_threshold_monitor_options options;
    dusk_monitor_plan plan;
} monitor;

static claim begin_monitor(double epsilon)
{
    dusk_threshold_monitor_options_init(&monitor.options);
    monitor.options.threshold = 1;
    monitor.options.neighbours = DUSK_ADD_REMOVE;
    monitor.options.epsilon = epsilon;
    monitor.options.delta = 0.1;
    must(dusk_monitor_plan_make(&monitor.plan, &monitor.options, NULL));
    return (claim){ epsilon, monitor.options.delta };
}

static bool is_there(const void *record, void *context)
{
    (void)context;
    return *(const int *)record == 1;
}

/* One record, which all queries count, there or not: how many answers are below before the first
 * above, and how many above follow at once. */
static void draw_monitor(double *out, int world)
{
    const int records[1] = { 1 };
    dusk_threshold_monitor *m;
    int below = 0, above = 0;
    must(dusk_threshold_monitor_start(&m, &monitor.options, &monitor.plan, records, (size_t)world,
                                      sizeof *records, DUSK_WIDTH_FULL, NULL));
    for (int i = 0; i < ASKED; i++) {
        bool is_above = false;
        must(dusk_threshold_monitor_release(m, &is_above, is_there, NULL, coins, NULL));
        if (!is_above && above > 0) break;
        *(is_above ? &above : &below) += 1;
    }
    dusk_threshold_monitor_free(m);
    out[0] = below;
    out[1] = above;
}

/* --- sparse vector ------------------------------------------------------------------ */

/* Queries of two kinds, one after the other, which move in opposite directions between the worlds. */
enum { ENDS = 2 };
static struct {
    dusk_sparse_vector_options options;
    dusk_sparse_plan plan;
    int first, all;  /* how many there are of the first kind, and of both */
    double level[2]; /* of either kind */
    double log_law[2][ENDS + 1];
} sparse;

static double sparse_query(int i, int world)
{
    return i < sparse.first ? sparse.level[0] + world : sparse.level[1] - world;
}

/* How a run ends: with a hit of the first kind, of the second, or without. */
static int run_sparse(int world)
{
    dusk_sparse_vector *sv;
    int end = ENDS;
    must(dusk_sparse_vector_start(&sv, &sparse.options, &sparse.plan, DUSK_WIDTH_FULL, coins, NULL));
    for (int i = 0; i < sparse.all && end == ENDS && dusk_sparse_vector_queries_left(sv) > 0; i++) {
        bool above;
        must(dusk_sparse_vector_release(sv, &above, NULL, sparse_query(i, world), coins, NULL));
        if (above) end = i < sparse.first ? 0 : 1;
    }
    dusk_sparse_vector_free(sv);
    return end;
}

/* After how many a run is over that has no hit. */
static int queries_answered(void)
{
    dusk_sparse_vector *sv;
    int count = 0;
    bool above;
    must(dusk_sparse_vector_start(&sv, &sparse.options, &sparse.plan, DUSK_WIDTH_FULL, coins, NULL));
    for (; count < sparse.all && dusk_sparse_vector_queries_left(sv) > 0; count++)
        must(dusk_sparse_vector_release(sv, &above, NULL, -1e9, coins, NULL));
    dusk_sparse_vector_free(sv);
    return count;
}

static double above_by(double noise, double scale) { return erfc(noise / scale / sqrt(2)) / 2; }

/* Given the threshold's noise z the answers are independent; the rest is a sum over z. */
static void set_sparse_law(int world, int asked)
{
    double law[ENDS + 1] = { 0 }, total = 0;
    for (double z = -9; z <= 9; z += 0x1p-6) {
        double weight = exp(-z * z / 2), left = weight;
        for (int kind = 0; kind < 2; kind++) {
            int from = kind == 0 ? 0 : sparse.first, to = kind == 0 ? sparse.first : sparse.all;
            double hit = above_by(z * sparse.plan.threshold - sparse_query(from, world), sparse.plan.query);
            double missed = left * exp(fmax((asked < to ? asked : to) - from, 0) * log1p(-hit));
            law[kind] += left - missed;
            left = missed;
        }
        law[ENDS] += left;
        total += weight;
    }
    for (int end = 0; end <= ENDS; end++) sparse.log_law[world][end] = log(law[end] / total);
}

/* Gaussian noise for a run of `length` queries: how many are answered is found out, and with the noise
 * of the plan the law follows. */
static claim begin_sparse(double epsilon, double delta, uint64_t length)
{
    dusk_sparse_vector_options_init(&sparse.options);
    sparse.options.sensitivity = 1;
    sparse.options.noise = DUSK_GAUSSIAN;
    sparse.options.epsilon = epsilon;
    sparse.options.delta = delta;
    sparse.options.length = length;
    must(dusk_sparse_plan_make(&sparse.plan, &sparse.options, DUSK_GRID_DEFAULT, NULL));
    for (int world = 0; world < 2; world++) set_sparse_law(world, queries_answered());
    return priced(&sparse.plan.event, delta);
}

/* A run of one query, and many more are asked. */
static claim begin_sparse_short(double epsilon)
{
    sparse.first = 622;
    sparse.all = 622 + 863;
    sparse.level[0] = -3.818;
    sparse.level[1] = -4.106;
    return begin_sparse(epsilon, 0.01, 1);
}

/* As many as are allowed. With a small delta the claim is nearest to what runs tell. */
static claim begin_sparse_long(double epsilon)
{
    sparse.first = 700;
    sparse.all = 1000;
    sparse.level[0] = -4.96;
    sparse.level[1] = -6.72;
    return begin_sparse(epsilon, 1e-5, 1000);
}

static void draw_sparse(double *out, int world) { *out = run_sparse(world); }

static double log_chance_sparse(double end, int world) { return sparse.log_law[world][(int)end]; }

/* --- keys --------------------------------------------------------------------------- */

enum { KEYS = 3 };
static dusk_key_selection keys;

static claim begin_keys_by(dusk_key_method method, uint32_t keys_per_unit, double epsilon)
{
    dusk_event event;
    must(dusk_key_selection_init(&keys, method, keys_per_unit, epsilon, 0.2, NULL));
    must(dusk_key_selection_event(&keys, &event, NULL));
    return priced(&event, 0.2);
}

static claim begin_keys(double epsilon)
{
    return begin_keys_by(DUSK_KEYS_TRUNCATED_GEOMETRIC, KEYS, epsilon);
}

/* A unit with keys that nobody else has. */
static void draw_keys(double *out, int world)
{
    const uint64_t units[KEYS] = { (uint64_t)world, (uint64_t)world, (uint64_t)world };
    bool keep[KEYS] = { false };
    must(dusk_key_selection_release(&keys, keep, NULL, units, KEYS, coins, NULL));
    *out = keep[0] + keep[1] + keep[2];
}

static claim begin_noisy_keys(double epsilon) { return begin_keys_by(DUSK_KEYS_LAPLACE, 2, epsilon); }

/* A unit with one key that many have, and one that nobody else has. */
static void draw_noisy_keys(double *out, int world)
{
    const uint64_t units[2] = { 40 + (uint64_t)world, (uint64_t)world };
    bool keep[2] = { false };
    must(dusk_key_selection_release(&keys, keep, NULL, units, 2, coins, NULL));
    *out = keep[1];
}

/* --- the keys of the largest counts ---------------------------------------------------- */

static dusk_limit_domain domain;

/* Its delta is what the threshold spends, which is a little less than was asked for. */
static claim begin_top(double epsilon)
{
    dusk_event event;
    must(dusk_limit_domain_init(&domain, 1, 1, 1, 1, epsilon, 0.2, NULL));
    must(dusk_limit_domain_event(&domain, &event, NULL));
    return priced(&event, domain.delta);
}

static void draw_top(double *out, int world)
{
    const uint64_t counts[1] = { (uint64_t)world };
    size_t index, shown;
    must(dusk_limit_domain_release(&domain, &index, &shown, counts, 1, coins, NULL));
    *out = (double)shown;
}

/* --- models ---------------------------------------------------------------------------- */

static dusk_aggregate how;
static const uint32_t two_values[] = { 2, 2, 2 };

enum { ROUNDS = 8 };
static dusk_schedule_part measured;

/* The rounds of MWEM by its own schedule; claimed is what will be stated for all of it. */
static claim begin_rounds(double epsilon)
{
    dusk_schedule_part parts[DUSK_MWEM_PARTS];
    dusk_statement statement;
    how = request_of(DUSK_ADD_REMOVE, epsilon, 0);
    size_t n = dusk_mwem_parts(parts, &how, ROUNDS);
    must(dusk_schedule_calibrate(parts, n, &how, &statement, NULL));
    measured = parts[DUSK_MWEM_MEASURE];
    return (claim){ statement.epsilon, 0 };
}

/* The same count, 0 or 1, measured in every round: how often 1 or more came, which is all that tells
 * the worlds apart. */
static void draw_rounds(double *out, int world)
{
    *out = 0;
    for (uint64_t i = 0; i < measured.times; i++) {
        double noisy;
        must(dusk_noise_release(&measured.noise, &noisy, world, coins, NULL));
        *out += noisy >= 1;
    }
}

/* The choice of pairs alone: what the schedule of a synthetic table gives it, and the scores of all
 * pairs of three columns against a model that is public by then. */
enum { COLUMNS = 3, MOST_ROWS = 32 };
static dusk_schedule_part choices;
static double pair_scores[2][COLUMNS];

/* So many rows of each kind, a bit a column; the scores are those of a `world`. */
static void score_pairs(int world, const unsigned kinds[8], const double model[COLUMNS][2])
{
    uint32_t codes[COLUMNS * MOST_ROWS];
    const double *const singles[COLUMNS] = { model[0], model[1], model[2] };
    dusk_table table = { .columns = COLUMNS, .sizes = two_values, .codes = codes };
    uint64_t exact[4];
    int at = 0;
    for (unsigned kind = 0; kind < 8; kind++)
        for (unsigned i = 0; i < kinds[kind]; i++, table.rows++)
            for (unsigned c = 0; c < COLUMNS; c++) codes[COLUMNS * table.rows + c] = kind >> c & 1;
    for (uint32_t i = 0; i < COLUMNS; i++)
        for (uint32_t j = i + 1; j < COLUMNS; j++)
            pair_scores[world][at++] = dusk_pair_score(exact, &table, (dusk_column_pair){ i, j }, singles,
                                                       model[0][0] + model[0][1]);
}

static claim begin_choices(dusk_neighbours neighbours, double epsilon)
{
    dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS];
    dusk_statement statement;
    dusk_event event;
    how = request_of(neighbours, epsilon, 0);
    size_t n = dusk_synthetic_table_parts(parts, &how, COLUMNS);
    must(dusk_schedule_calibrate(parts, n, &how, &statement, NULL));
    choices = parts[DUSK_SYNTHETIC_CHOICES];
    must(dusk_selection_event(&choices.selection, 1, &event, NULL));
    must(dusk_event_repeat(&event, &event, COLUMNS - 1, NULL));
    return priced(&event, 0);
}

/* A row is exchanged: two pairs come nearer to the model and one goes away from it. */
static claim begin_exchanged(double epsilon)
{
    static const double model[COLUMNS][2] = { { 0, 9 }, { 5, 4 }, { 4, 5 } };
    score_pairs(0, (const unsigned[8]){ [3] = 4 }, model);
    score_pairs(1, (const unsigned[8]){ [3] = 3, [4] = 1 }, model);
    return begin_choices(DUSK_REPLACE_ONE, epsilon);
}

/* A row is added to 14, where the model has 20. */
static claim begin_added(double epsilon)
{
    static const double model[COLUMNS][2] = { { 11, 9 }, { 5, 15 }, { 9, 11 } };
    score_pairs(0, (const unsigned[8]){ 2, 0, 0, 5, 2, 0, 0, 5 }, model);
    score_pairs(1, (const unsigned[8]){ 2, 0, 0, 5, 3, 0, 0, 5 }, model);
    return begin_choices(DUSK_ADD_REMOVE, epsilon);
}

static void draw_choices(double *out, int world)
{
    dusk_column_pair edges[COLUMNS - 1];
    must(dusk_spanning_tree_release(edges, COLUMNS, pair_scores[world], &choices.selection, coins, NULL));
    *out = 0;
    for (int i = 0; i < COLUMNS - 1; i++) *out = 10 * *out + edges[i].first + edges[i].second;
}

/* --- blocks ---------------------------------------------------------------------------- */

enum { BLOCKS = 3 };

static claim begin_blocks(double epsilon)
{
    how = request_within(0, 1, DUSK_REPLACE_ONE, epsilon, 0);
    return (claim){ epsilon, 0 };
}

/* One row, 0 or 1; a block without it is near the lower end, below which answers are then rare. */
static double one_row(const size_t *rows, size_t n, void *context)
{
    (void)rows;
    return n > 0 ? *(const int *)context : 0.05;
}

static void draw_blocks(double *out, int world)
{
    dusk_answer answer;
    must(dusk_sample_and_aggregate_release(&answer, &how, DUSK_BLOCKS_MEDIAN, BLOCKS, 1, NULL, one_row,
                                           &world, coins, NULL));
    *out = answer.value;
}

/* --- propose-test-release ----------------------------------------------------------------- */

enum { ROWS = 5 };
#define PROPOSED 0x1p-10
static dusk_propose proposed;

static claim begin_propose(double epsilon)
{
    dusk_event event;
    must(dusk_propose_init(&proposed, DUSK_LAPLACE, PROPOSED, 0, epsilon, 0.2, NULL));
    must(dusk_propose_event(&proposed, &event, NULL));
    return priced(&event, proposed.failure);
}

/* A median that changes sides with one row: its distance is 0, and only delta covers it. */
static void draw_propose(double *out, int world)
{
    const double rows[2][ROWS] = { { 0, 0, 0, 1, 1 }, { 0, 0, 1, 1, 1 } };
    const dusk_ordered x = { rows[world], ROWS, 0, 1 };
    size_t r = dusk_rank_of(dusk_rank_target(0.5), ROWS);
    bool passed;
    must(dusk_propose_release(&proposed, &passed, out, dusk_ordered_row(&x, (int64_t)r),
                              dusk_propose_distance(&x, r, 1, PROPOSED), coins, NULL));
}

/* --- the best of a random number of runs ----------------------------------------------------- */

static dusk_candidates candidates;
static uint64_t low[2]; /* of 2^32: how often a run gives the lower of two scores, in each world */

/* A negative order prices the best of all runs little above one of them: hardly more may be made. */
static claim begin_runs(double epsilon)
{
    dusk_event run, event;
    low[0] = UINT64_C(1) << 29;
    low[1] = (uint64_t)(exp(epsilon) * 0x1p29);
    must(dusk_event_pure(&run, epsilon, NULL));
    must(dusk_candidates_init(&candidates, -0.8, 0.1, NULL));
    must(dusk_candidates_event(&candidates, &event, &run, NULL));
    return priced(&event, 0);
}

static dusk_status run_once(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    const uint64_t *often = context;
    uint64_t u;
    (void)output;
    dusk_status status = dusk_uniform_below(gen, &u, UINT64_C(1) << 32, err);
    if (status == DUSK_OK) *score = u < *often ? 0 : 1;
    return status;
}

static void draw_runs(double *out, int world)
{
    bool any;
    must(dusk_candidates_release(&candidates, &any, out, NULL, 0, run_once, &low[world], coins, NULL));
}

/* --- totals in pieces -------------------------------------------------------------------------- */

enum { TOTALS = 11, AGAIN = 64 };
static dusk_noise total_noise;

static claim begin_totals(double epsilon)
{
    const double delta = 0.05;
    dusk_event event;
    must(dusk_gaussian_init(&total_noise, TOTALS, 1, epsilon, delta, -10, NULL));
    must(dusk_noise_event(&total_noise, &event, NULL));
    return priced(&event, delta);
}

/* The last total, and the mean of all further answers that can be had of it. */
static void draw_totals(double *out, int world)
{
    const int64_t totals[TOTALS] = { [TOTALS - 1] = (int64_t)world << 10 };
    double answers[TOTALS], more, sum = 0;
    dusk_totals release;
    int told = 0;
    must(dusk_totals_begin(&release, &total_noise, NULL, coins, NULL));
    must(dusk_totals_release(&release, answers, totals, TOTALS, coins, NULL));
    for (; told < AGAIN; told++, sum += more)
        if (dusk_totals_release(&release, &more, totals + TOTALS - 1, 1, coins, NULL) != DUSK_OK) break;
    *out = told > 0 ? sum / told : answers[TOTALS - 1];
}

/* The second total less the first, which is in a piece of its own and known; or less what a second release of the same
 * noise says, if there is one. */
static void draw_totals_ahead(double *out, int world)
{
    const int64_t totals[TOTALS] = { 0, (int64_t)world << 10 }, none[TOTALS] = { 0 };
    double answers[TOTALS], second[TOTALS];
    dusk_ahead ahead = { .n = 0 };
    dusk_totals release;
    must(dusk_ahead_draw(&ahead, &total_noise, coins, NULL));
    must(dusk_totals_begin(&release, &total_noise, &ahead, coins, NULL));
    must(dusk_totals_release(&release, answers, totals, 1, coins, NULL));
    must(dusk_totals_release(&release, answers + 1, totals + 1, TOTALS - 1, coins, NULL));
    *out = answers[1] - answers[0];
    if (dusk_totals_begin(&release, &total_noise, &ahead, coins, NULL) == DUSK_OK) {
        must(dusk_totals_release(&release, second, none, TOTALS, coins, NULL));
        *out = answers[1] - second[1];
    }
    dusk_ahead_clear(&ahead);
}

/* --- all of them ---------------------------------------------------------------------------- */

static const subject subjects[] = {
    { "monitor", "one record", 2, 2, 200000, begin_monitor, draw_monitor, NULL },
    { "sparse.length", "queries move", 5, 1, 4000, begin_sparse_short, draw_sparse, log_chance_sparse },
    { "sparse.gaussian", "queries move", 3, 1, 20000, begin_sparse_long, draw_sparse, log_chance_sparse },
    { "keys", "a unit with keys that nobody else has", 1, 1, 4000, begin_keys, draw_keys, NULL },
    { "keys.laplace", "a unit with a key that nobody else has", 1, 1, 20000, begin_noisy_keys,
      draw_noisy_keys, NULL },
    { "top-keys", "a unit with a key that nobody else has", 2, 1, 50000, begin_top, draw_top, NULL },
    { "rounds", "a row is added", 8, 1, 50000, begin_rounds, draw_rounds, NULL },
    { "pairs.replace-one", "a row is exchanged", 12, 1, 50000, begin_exchanged, draw_choices, NULL },
    { "pairs", "a row is added", 9, 1, 50000, begin_added, draw_choices, NULL },
    { "blocks", "a row is exchanged", 1, 1, 30000, begin_blocks, draw_blocks, NULL },
    { "propose", "the median changes sides", 3, 1, 50000, begin_propose, draw_propose, NULL },
    { "runs", "a run of two scores", 1, 1, 50000, begin_runs, draw_runs, NULL },
    { "totals", "the last total moves", 1, 1, 3000, begin_totals, draw_totals, NULL },
    { "totals.ahead", "the second total moves", 1, 1, 3000, begin_totals, draw_totals_ahead, NULL },
};

static void no_plan_is_accused(void **state)
{
    (void)state;
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_plan_is_accused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
