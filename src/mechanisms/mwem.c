/* SPDX-License-Identifier: Apache-2.0 */
/* MWEM [Hardt, Ligett & McSherry 2012, Figure 1; practical form of section 3.1: the last
 * model, not an average, and all measurements are gone through again]. What differs from
 * the paper is what its statement leaves out: the number of rows is measured where it is not
 * public, scores and answers are counts that no private number divides, and the price
 * is that of the best accountant. The bound on the error comes from the last round:
 * what was chosen is nearly the worst, and how bad it is was measured. Privacy:
 * mwem.proof.md. */
#include "mechanisms/mwem.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "mechanisms/weights.h"
#include "numeric/rounding.h"
#include "random/record.h"
#include "random/rounded.h"

static const double count_max = 0x1p42, total_max = 0x1p42 - 0x1p20, fine = 0x1p10;

typedef struct mwem {
    const dusk_aggregate *how;
    const dusk_mwem_options *options;
    const dusk_table *table;
    size_t queries; /* in all marginals together */
    dusk_schedule_part parts[DUSK_MWEM_PARTS];
    size_t parts_count;
    dusk_statement statement;
    dusk_pool noise, total_noise;
    uint64_t *exact;
    double *answers, *scores;
    dusk_cell_query *measured;
    dusk_weights model;
} mwem;

void dusk_mwem_options_init(dusk_mwem_options *options)
{
    *options = (dusk_mwem_options){ .size = sizeof *options, .rounds = 10, .replays = 20 };
}

/* --- plan ----------------------------------------------------------------------- */

DUSK_PROVEN(dusk_mwem_parts)
size_t dusk_mwem_parts(dusk_schedule_part parts[DUSK_MWEM_PARTS], const dusk_aggregate *how, uint32_t rounds)
{
    bool known = DUSK_MUTATE(MWEM_USES_THE_ROWS, dusk_aggregate_size_is_public(how), true);
    double share = known ? 0.5 : 0.475, m = how->rows_per_unit;
    parts[DUSK_MWEM_CHOICE] =
        (dusk_schedule_part){ .choice = true, .times = rounds, .share = share, .sensitivity = m };
    parts[DUSK_MWEM_MEASURE] =
        (dusk_schedule_part){ .times = rounds, .share = share, .sensitivity = m, .dimension = 1 };
    parts[DUSK_MWEM_TOTAL] =
        (dusk_schedule_part){ .times = 1, .share = 0.05, .sensitivity = m, .dimension = 1 };
    return known ? DUSK_MWEM_TOTAL : DUSK_MWEM_PARTS;
}

static dusk_status check(const dusk_aggregate *how, const dusk_mwem_options *options, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_mwem_options_init first",
                         "the dusk_mwem_options were not initialised");
    if (options->rounds < 1 || options->rounds > 100000 || options->replays < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "5 to 50 rounds and 20 replays are common",
                         "there must be 1 to 100000 rounds, and at least one replay");
    return dusk_aggregate_check(how, false, err);
}

/* Everything that needs no coins. */
static dusk_status plan(mwem *w, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_mwem_options *options = w->options;

    DUSK_TRY(check(w->how, options, err));
    w->parts_count = dusk_mwem_parts(w->parts, w->how, options->rounds);
    DUSK_TRY(dusk_marginals_cells(&w->queries, w->table, options->marginals, options->marginals_count, err));
    DUSK_TRY(dusk_table_cells(&w->model.cells, w->table, err));
    DUSK_TRY(dusk_schedule_calibrate(w->parts, w->parts_count, w->how, &w->statement, err));
    DUSK_TRY(dusk_statement_assume(&w->statement, "domain declared", err));
done:
    return status;
}

dusk_status dusk_mwem_state(dusk_statement *out, const dusk_aggregate *how, const dusk_mwem_options *options,
                            const dusk_table *domain, dusk_error *err)
{
    mwem w = { .how = how, .options = options, .table = domain };
    dusk_status status = plan(&w, err);
    if (status == DUSK_OK) *out = w.statement;
    return status;
}

static dusk_status start(mwem *w, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_mwem_options *options = w->options;

    DUSK_TRY(plan(w, err));
    DUSK_NEW(w->exact, w->queries);
    DUSK_NEW(w->answers, w->queries);
    DUSK_NEW(w->scores, w->queries);
    DUSK_NEW(w->measured, options->rounds);
    DUSK_TRY(dusk_pool_draw(&w->noise, &w->parts[DUSK_MWEM_MEASURE].noise, options->rounds, DUSK_WIDTH_FULL,
                            gen, err));
    /* each round by itself: a unit moves what every round measures */
    DUSK_RECORD(dusk_record_declare(w->noise.at, DUSK_RECORD_LINF, w->how->rows_per_unit);)
    if (w->parts_count > DUSK_MWEM_TOTAL)
        DUSK_TRY(
            dusk_pool_draw(&w->total_noise, &w->parts[DUSK_MWEM_TOTAL].noise, 1, DUSK_WIDTH_FULL, gen, err));
done:
    return status;
}

static void finish(mwem *w)
{
    dusk_pool_clear(&w->noise);
    dusk_pool_clear(&w->total_noise);
    if (w->exact) dusk_wipe(w->exact, w->queries * sizeof *w->exact);
    if (w->scores) dusk_wipe(w->scores, w->queries * sizeof *w->scores);
    dusk_deallocate(w->exact);
    dusk_deallocate(w->scores);
    dusk_deallocate(w->answers);
    dusk_deallocate(w->measured);
    dusk_deallocate(w->model.weight);
}

/* --- the data --------------------------------------------------------------------- */

static bool is_cumulative(const mwem *w, const dusk_marginal *marginal)
{
    return w->options->prefixes && marginal->columns == 1;
}

/* The exact answers to all queries. */
DUSK_PROVEN(count_queries)
static void count_queries(mwem *w)
{
    uint64_t *exact = w->exact;
    for (size_t i = 0; i < w->options->marginals_count; i++) {
        const dusk_marginal *marginal = &w->options->marginals[i];
        size_t cells = dusk_marginal_cells(w->table, marginal);
        dusk_marginal_count(exact, w->table, marginal);
        for (size_t c = 1; c < cells && is_cumulative(w, marginal); c++) exact[c] += exact[c - 1];
        exact += cells;
    }
}

/* The model's answers; public. */
static dusk_status answer_queries(mwem *w, dusk_error *err)
{
    const dusk_mwem_options *options = w->options;
    double *answers = w->answers;
    dusk_status status = dusk_marginals_of(answers, w->table, options->marginals, options->marginals_count,
                                           w->model.weight, err);
    for (size_t i = 0; i < options->marginals_count && status == DUSK_OK; i++) {
        size_t cells = dusk_marginal_cells(w->table, &options->marginals[i]);
        for (size_t c = 1; c < cells && is_cumulative(w, &options->marginals[i]); c++)
            answers[c] += answers[c - 1];
        answers += cells;
    }
    return status;
}

static double on_grid(double answer)
{
    double a = isnan(answer) ? 0 : fmin(fmax(answer, 0), count_max);
    return DUSK_MUTATE(MWEM_ANSWER_OFF_THE_GRID, rint(a * fine) / fine, a);
}

DUSK_PROVEN(dusk_mwem_scores)
void dusk_mwem_scores(double *scores, const uint64_t *exact, const double *answers, size_t n)
{
    const uint64_t most = (uint64_t)count_max;
    for (size_t i = 0; i < n; i++)
        scores[i] = fabs((double)(exact[i] < most ? exact[i] : most) - on_grid(answers[i]));
}

/* --- rounds ----------------------------------------------------------------------- */

/* Query number i of all. */
static dusk_cell_query query_of(const mwem *w, size_t i)
{
    const dusk_marginal *marginal = w->options->marginals;
    size_t cells;
    while (i >= (cells = dusk_marginal_cells(w->table, marginal))) {
        i -= cells;
        marginal++;
    }
    return (dusk_cell_query){ .marginal = marginal, .first = is_cumulative(w, marginal) ? 0 : i, .last = i };
}

/* Choose, measure, learn. *miss: by how much the model was off, as measured. */
DUSK_PROVEN(run_round)
static dusk_status run_round(mwem *w, uint32_t round, double *miss, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_cell_query *query = &w->measured[round];
    size_t chosen;

    DUSK_TRY(answer_queries(w, err));
    dusk_mwem_scores(w->scores, w->exact, w->answers, w->queries);
    DUSK_TRY(dusk_selection_release(&w->parts[DUSK_MWEM_CHOICE].selection, &chosen, w->scores, w->queries,
                                    gen, err));
    *query = query_of(w, chosen);
    query->measured = (double)dusk_pool_add(&w->noise, round, w->exact[chosen]);
    if (DUSK_MUTATE(MWEM_MEASURES_EXACTLY, false, true)) query->measured = (double)w->exact[chosen];
    *miss = fabs(query->measured - w->answers[chosen]);
    dusk_weights_learn(&w->model, w->measured, round + 1, w->options->replays);
done:
    return status;
}

/* The number of rows as far as it is known; from 1 to total_max. */
DUSK_PROVEN(estimate_total)
static double estimate_total(const mwem *w)
{
    double total = w->total_noise.n == 0 ? (double)w->table->rows
                                         : (double)dusk_pool_add(&w->total_noise, 0, w->table->rows);
    return fmin(fmax(total, 1), total_max);
}

/* No query of the model that was scored in the last round is off by more than what was
 * chosen, plus the shortfall of choosing; what was chosen is off by what was measured, plus
 * the noise; and since then the model's answers have moved by what can be seen. */
DUSK_PROVEN(bound_error)
static dusk_status bound_error(mwem *w, double *error, double miss, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double shortfall, noise, drift = 0, *before = NULL;
    double half = dusk_sub_up(1, dusk_sub_down(1, w->how->confidence) / 2);

    DUSK_NEW(before, w->queries);
    for (size_t i = 0; i < w->queries; i++) before[i] = w->answers[i];
    DUSK_TRY(
        dusk_selection_interval(&w->parts[DUSK_MWEM_CHOICE].selection, &shortfall, 1, w->queries, half, err));
    DUSK_TRY(dusk_noise_interval(&w->parts[DUSK_MWEM_MEASURE].noise, &noise, half, err));
    DUSK_TRY(answer_queries(w, err));
    for (size_t i = 0; i < w->queries; i++) drift = fmax(drift, fabs(w->answers[i] - before[i]));
    *error = (miss + shortfall + noise + drift) * (1 + 0x1p-20) + 2 / fine;
done:
    dusk_deallocate(before);
    return status;
}

DUSK_PROVEN(dusk_mwem_release)
dusk_status dusk_mwem_release(double *model, double *error, dusk_statement *statement,
                              const dusk_aggregate *how, const dusk_mwem_options *options,
                              const dusk_table *table, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    mwem w = { .how = how, .options = options, .table = table, .model = { .domain = table } };
    double miss = 0, bound = 0;

    DUSK_TRY(start(&w, gen, err));
    DUSK_NEW(w.model.weight, w.model.cells);
    count_queries(&w);
    w.model.total = estimate_total(&w);
    dusk_weights_start(&w.model);
    for (uint32_t round = 0; round < options->rounds; round++)
        DUSK_TRY(run_round(&w, round, &miss, gen, err));
    DUSK_TRY(bound_error(&w, &bound, miss, err));
    for (size_t c = 0; c < w.model.cells; c++) model[c] = w.model.weight[c];
    *error = bound;
    *statement = w.statement;
done:
    finish(&w);
    return status;
}
