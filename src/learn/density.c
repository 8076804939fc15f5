/* SPDX-License-Identifier: Apache-2.0 */
/* A density of rows from noisy counts.
 *   independent  every column by itself: a histogram of numbers, shares of categories; a row's density is their product.
 *   tree         every column given one other: a graphical model on noisy counts of pairs [Chow & Liu 1968; McKenna, Miklau & Sheldon
 *                2021]. After the counts of columns, for each pair a noisy distance between its counts and what independence would make of
 *                them decides which pairs are worth the noise of counting them (a score that one row moves by 1 at most), and these are counted.
 * Numbers are in bins between their bounds (bins.h), within which the density is flat; it is in units of the bounds, the density of
 * a number that may be anywhere being 1. Counts are exact, noise is drawn once; what is made of it is post-processing. Proofs:
 * density.proof.md, tallies.proof.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/bins.h"
#include "learn/learner.h"
#include "learn/tallies.h"

enum { INDEPENDENT, TREE };
#define TREE_COLUMNS_MAX 256
#define PAIR_CELLS_MAX ((size_t)1 << 22)

typedef struct density_plan {
    learn_bins bins;
    bool tree;
    learn_tally singles, scores, pairs;
} density_plan;

static size_t size_of(const learn_bins *bins, size_t c) { return bins->first[c + 1] - bins->first[c]; }

static size_t pairs_of(size_t columns) { return columns * (columns - 1) / 2; }

/* --- plan --------------------------------------------------------------------------------------------------- */

static void forget(void *plan)
{
    density_plan *p = plan;
    if (!p) return;
    learn_bins_clear(&p->bins);
    dusk_deallocate(p);
}

static dusk_status check_tree(const learn_bins *bins, dusk_error *err)
{
    if (bins->columns < 2 || bins->columns > TREE_COLUMNS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use structure=independent",
                         "a tree is of 2 to %d columns, and there are %zu", TREE_COLUMNS_MAX, bins->columns);
    for (size_t a = 0; a < bins->columns; a++)
        for (size_t b = 0; b < a; b++)
            if (size_of(bins, a) * size_of(bins, b) > PAIR_CELLS_MAX / 4)
                return dusk_fail(err, DUSK_ERR_ARGUMENT,
                                 "declare fewer categories, or use structure=independent",
                                 "a pair of columns has %zu times %zu values, too many to count",
                                 size_of(bins, a), size_of(bins, b));
    return DUSK_OK;
}

DUSK_PROVEN(plan_tree)
static dusk_status plan_tree(learn_job *job, density_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t columns = p->bins.columns;
    DUSK_TRY(check_tree(&p->bins, err));
    DUSK_TRY(learn_plan_tally(job, &p->scores, pairs_of(columns), 0.1, err));
    DUSK_TRY(learn_plan_tally(job, &p->pairs, columns - 1, job->budget.left, err));
    learn_say(
        job,
        "for each of %zu pairs of columns how far it is from independent, with noise of deviation %.4g; the "
        "counts of %zu pairs, with noise of deviation %.4g",
        pairs_of(columns), p->scores.deviation, columns - 1, p->pairs.deviation);
done:
    return status;
}

DUSK_PROVEN(plan)
static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    density_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    p->tree = learn_choice(job, "structure") == TREE;
    if (p->tree) DUSK_TRY(learn_refuse_versions(job, "use structure=independent", err));
    DUSK_TRY(learn_bins_init(&p->bins, job->fields, DUSK_NO_LINK, (size_t)learn_setting(job, "bins"), err));
    DUSK_TRY(learn_model_room(2 * (double)p->bins.first[p->bins.columns], err));
    DUSK_TRY(learn_plan_tally(job, &p->singles, p->bins.columns, p->tree ? 0.2 : job->budget.left, err));
    learn_say(job, "the counts of all values of %zu column%s, %zu numbers with noise of deviation %.4g",
              p->bins.columns, p->bins.columns == 1 ? "" : "s", p->bins.first[p->bins.columns],
              p->singles.deviation);
    if (p->tree) DUSK_TRY(plan_tree(job, p, err));
done:
    return status;
}

/* --- columns ------------------------------------------------------------------------------------------------- */

/* What was released and made of it. */
typedef struct density {
    const density_plan *plan;
    learn_codes codes;
    double *counts; /* of all values, as released */
    double *single; /* probabilities of all values */
    double count;   /* of rows, as far as known */
    double *parent; /* a column: which one it depends on, or -1 */
    double *pair;   /* p(value | value of the parent), column after column, the parent's value slowest */
    size_t pair_cells;
} density;

DUSK_PROVEN(count_singles)
static dusk_status count_singles(density *d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_codes *codes = &d->codes;
    const learn_bins *bins = &d->plan->bins;
    const size_t cells = bins->first[bins->columns];
    int64_t *exact = NULL;
    DUSK_NEW(exact, cells);
    for (size_t c = 0; c < bins->columns; c++)
        for (size_t i = 0; i < codes->rows; i++) exact[bins->first[c] + codes->code[c][i]]++;
    DUSK_TRY(learn_fit_tally(&d->plan->singles, d->counts, exact, cells, gen, err));
done:
    dusk_deallocate(exact);
    return status;
}

/* How many rows, by all columns together: those with fewer values know better. */
static double count_rows(const density *d)
{
    const learn_bins *bins = &d->plan->bins;
    double sum = 0, weights = 0;
    for (size_t c = 0; c < bins->columns; c++) {
        double total = 0;
        for (size_t v = bins->first[c]; v < bins->first[c + 1]; v++) total += d->counts[v];
        sum += total / (double)size_of(bins, c);
        weights += 1 / (double)size_of(bins, c);
    }
    return fmax(sum / weights, 1);
}

/* Counts to probabilities, none of them 0: as if one more row was everywhere at once, and one deviation of the noise. */
static void smooth(double *p, const double *counts, size_t n, double total, double deviation, double *scratch)
{
    const double more = 1 + deviation;
    memcpy(p, counts, n * sizeof *p);
    learn_project_total(p, n, total, scratch);
    for (size_t v = 0; v < n; v++) p[v] = (p[v] + more / (double)n) / (total + more);
}

static dusk_status make_singles(density *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &d->plan->bins;
    double *scratch = NULL;
    DUSK_NEW(scratch, bins->first[bins->columns]);
    for (size_t c = 0; c < bins->columns; c++)
        smooth(d->single + bins->first[c], d->counts + bins->first[c], size_of(bins, c), d->count,
               d->plan->singles.deviation, scratch);
done:
    dusk_deallocate(scratch);
    return status;
}

/* --- which pairs ------------------------------------------------------------------------------------------------- */

/* The exact table of columns a and b, b's value fastest. */
static void count_pair(int64_t *table, const density *d, size_t a, size_t b)
{
    const learn_codes *codes = &d->codes;
    const learn_bins *bins = &d->plan->bins;
    const uint16_t *x = codes->code[a], *y = codes->code[b];
    memset(table, 0, size_of(bins, a) * size_of(bins, b) * sizeof *table);
    for (size_t i = 0; i < codes->rows; i++) table[(size_t)x[i] * size_of(bins, b) + y[i]]++;
}

/* How far a table is from what independent columns would make of released numbers, in whole rows. */
DUSK_PROVEN(distance_of)
static int64_t distance_of(const int64_t *table, const density *d, size_t a, size_t b)
{
    const learn_bins *bins = &d->plan->bins;
    int64_t distance = 0;
    for (size_t v = 0; v < size_of(bins, a); v++)
        for (size_t w = 0; w < size_of(bins, b); w++) {
            double expected = rint(d->count * d->single[bins->first[a] + v] * d->single[bins->first[b] + w]);
            int64_t away = table[v * size_of(bins, b) + w] - (int64_t)fmin(expected, 0x1p40);
            distance += (away < 0 ? -away : away) * DUSK_MUTATE(DENSITY_SCORE_MOVES_TWICE, 1, 2);
        }
    return distance;
}

static size_t largest_table(const learn_bins *bins)
{
    size_t largest = 1;
    for (size_t a = 0; a < bins->columns; a++)
        for (size_t b = 0; b < a; b++)
            if (size_of(bins, a) * size_of(bins, b) > largest) largest = size_of(bins, a) * size_of(bins, b);
    return largest;
}

/* scores: pair (a, b), b < a, at a (a - 1) / 2 + b. */
DUSK_PROVEN(score_pairs)
static dusk_status score_pairs(const density *d, double *scores, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &d->plan->bins;
    const size_t cells = largest_table(bins), pairs = pairs_of(bins->columns);
    int64_t *exact = NULL, *table = NULL;
    DUSK_NEW(exact, pairs);
    DUSK_NEW(table, cells);
    for (size_t a = 0, at = 0; a < bins->columns; a++)
        for (size_t b = 0; b < a; b++) {
            count_pair(table, d, a, b);
            exact[at++] = distance_of(table, d, a, b);
        }
    DUSK_TRY(learn_fit_tally(&d->plan->scores, scores, exact, pairs, gen, err));
done:
    if (table) dusk_wipe(table, cells * sizeof *table);
    dusk_deallocate(table);
    dusk_deallocate(exact);
    return status;
}

/* Less what the noise of counting a pair would add to the distance. */
static double gain_of(const density *d, const double *scores, size_t a, size_t b)
{
    double cells = (double)size_of(&d->plan->bins, a) * (double)size_of(&d->plan->bins, b);
    return scores[(a > b ? pairs_of(a) + b : pairs_of(b) + a)] -
           sqrt(2 / M_PI) * d->plan->pairs.deviation * cells;
}

/* A spanning forest of the most gain, from column 0 on [Prim]; a column that would gain nothing stays by itself. */
static dusk_status choose_parents(density *d, const double *scores, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t columns = d->plan->bins.columns;
    double *best = NULL;
    bool *in = NULL;
    DUSK_NEW(best, columns);
    DUSK_NEW(in, columns);
    for (size_t c = 0; c < columns; c++) d->parent[c] = -1;
    for (size_t step = 0; step < columns; step++) {
        size_t next = columns;
        for (size_t c = 0; c < columns; c++)
            if (!in[c] && (next == columns || best[c] > best[next])) next = c;
        in[next] = true;
        for (size_t c = 0; c < columns; c++) {
            double gain = in[c] ? 0 : gain_of(d, scores, c, next);
            if (in[c] || !(gain > best[c])) continue;
            best[c] = gain;
            d->parent[c] = (double)next;
        }
    }
done:
    dusk_deallocate(best);
    dusk_deallocate(in);
    return status;
}

/* --- pairs ---------------------------------------------------------------------------------------------------------- */

static size_t pair_cells(const learn_bins *bins, const double *parent)
{
    size_t cells = 0;
    for (size_t c = 0; c < bins->columns; c++)
        if (parent[c] >= 0) cells += size_of(bins, (size_t)parent[c]) * size_of(bins, c);
    return cells;
}

DUSK_PROVEN(count_pairs)
static dusk_status count_pairs(density *d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &d->plan->bins;
    int64_t *exact = NULL, *at;
    d->pair_cells = pair_cells(bins, d->parent);
    DUSK_NEW(exact, d->pair_cells);
    DUSK_NEW(d->pair, d->pair_cells);
    at = exact;
    for (size_t c = 0; c < bins->columns; c++) {
        if (d->parent[c] < 0) continue;
        count_pair(at, d, (size_t)d->parent[c], c);
        at += size_of(bins, (size_t)d->parent[c]) * size_of(bins, c);
    }
    DUSK_TRY(learn_fit_tally(&d->plan->pairs, d->pair, exact, d->pair_cells, gen, err));
done:
    dusk_deallocate(exact);
    return status;
}

/* Noisy counts of a pair into probabilities given the parent's value, drawn towards the child's own by as many rows as a row of the
 * table has noise: where the noise is larger than what there is, the columns are independent. */
static void condition(double *table, size_t parents, size_t n, const double *single, double total,
                      double deviation, double *scratch)
{
    const double more = 1 + deviation * sqrt((double)n);
    learn_project_total(table, parents * n, total, scratch);
    for (size_t v = 0; v < parents; v++) {
        double sum = 0;
        for (size_t w = 0; w < n; w++) sum += table[v * n + w];
        for (size_t w = 0; w < n; w++)
            table[v * n + w] = (table[v * n + w] + more * single[w]) / (sum + more);
    }
}

static dusk_status make_pairs(density *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &d->plan->bins;
    double *scratch = NULL, *at = d->pair;
    DUSK_NEW(scratch, largest_table(bins));
    for (size_t c = 0; c < bins->columns; c++) {
        if (d->parent[c] < 0) continue;
        size_t parents = size_of(bins, (size_t)d->parent[c]);
        condition(at, parents, size_of(bins, c), d->single + bins->first[c], d->count,
                  d->plan->pairs.deviation, scratch);
        at += parents * size_of(bins, c);
    }
done:
    dusk_deallocate(scratch);
    return status;
}

static dusk_status fit_tree(density *d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *scores = NULL;
    DUSK_NEW(scores, pairs_of(d->plan->bins.columns));
    DUSK_TRY(score_pairs(d, scores, gen, err));
    DUSK_TRY(choose_parents(d, scores, err));
    DUSK_TRY(count_pairs(d, gen, err));
    DUSK_TRY(make_pairs(d, err));
done:
    dusk_deallocate(scores);
    return status;
}

/* --- fit -------------------------------------------------------------------------------------------------------------- */

static dusk_status put(dusk_model *model, const density *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t columns = d->plan->bins.columns, cells = d->plan->bins.first[columns];
    DUSK_TRY(learn_model_put(model, "count", 1, 1, &d->count, err));
    DUSK_TRY(learn_model_put(model, "counts", 1, cells, d->counts, err));
    DUSK_TRY(learn_model_put(model, "noise", 1, 1, &d->plan->singles.deviation, err));
    DUSK_TRY(learn_model_put(model, "single", 1, cells, d->single, err));
    DUSK_TRY(learn_model_put(model, "parent", 1, columns, d->parent, err));
    if (d->pair_cells > 0) DUSK_TRY(learn_model_put(model, "pair", 1, d->pair_cells, d->pair, err));
done:
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const density_plan *p = job->plan;
    density d = { .plan = p };

    DUSK_TRY(learn_codes_make_all(&d.codes, &p->bins, frame, err));
    DUSK_NEW(d.counts, p->bins.first[p->bins.columns]);
    DUSK_NEW(d.single, p->bins.first[p->bins.columns]);
    DUSK_NEW(d.parent, p->bins.columns);
    for (size_t c = 0; c < p->bins.columns; c++) d.parent[c] = -1;
    DUSK_TRY(count_singles(&d, gen, err));
    d.count = job->rows > 0 ? (double)job->rows : count_rows(&d);
    DUSK_TRY(make_singles(&d, err));
    if (p->tree) DUSK_TRY(fit_tree(&d, gen, err));
    DUSK_TRY(put(job->model, &d, err));
done:
    learn_codes_clear(&d.codes);
    dusk_deallocate(d.counts);
    dusk_deallocate(d.single);
    dusk_deallocate(d.parent);
    dusk_deallocate(d.pair);
    return status;
}

/* --- predict ------------------------------------------------------------------------------------------------------------ */

static size_t outputs(const dusk_model *model)
{
    (void)model;
    return 1;
}

static size_t bins_of(const dusk_model *model)
{
    const char *value = learn_model_value(model, "bins");
    double bins = value ? dusk_number_at(value, NULL) : 0;
    return bins >= 1 && bins <= LEARN_BINS_MOST ? (size_t)bins : 0;
}

/* Where the table of each column that has a parent begins. */
static void find_tables(size_t *at, const learn_bins *bins, const double *parent)
{
    size_t cells = 0;
    for (size_t c = 0; c < bins->columns; c++) {
        at[c] = cells;
        if (parent[c] >= 0) cells += size_of(bins, (size_t)parent[c]) * size_of(bins, c);
    }
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t one, n;
    const double *single = dusk_model_array(model, "single", &one, &n);
    const double *parent = dusk_model_array(model, "parent", &one, &n);
    const double *pair = dusk_model_array(model, "pair", &one, &n);
    learn_bins bins = { 0 };
    learn_codes codes = { 0 };
    size_t *at = NULL;

    DUSK_TRY(learn_bins_init(&bins, model->fields, DUSK_NO_LINK, bins_of(model), err));
    DUSK_TRY(learn_codes_make_all(&codes, &bins, frame, err));
    DUSK_NEW(at, bins.columns);
    find_tables(at, &bins, parent);
    memset(out, 0, frame->rows * sizeof *out);
    for (size_t c = 0; c < bins.columns; c++) {
        const double *table = parent[c] >= 0 ? pair + at[c] : single + bins.first[c];
        const uint16_t *own = codes.code[c], *given = parent[c] >= 0 ? codes.code[(size_t)parent[c]] : NULL;
        for (size_t i = 0; i < frame->rows; i++)
            out[i] += log(table[(given ? given[i] * size_of(&bins, c) : 0) + own[i]]) -
                      log(learn_bin_width(&bins, model->fields, c, own[i]));
    }
done:
    learn_codes_clear(&codes);
    learn_bins_clear(&bins);
    dusk_deallocate(at);
    return status;
}

static bool all_positive(const double *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(p[i] > 0 && p[i] <= 1)) return false;
    return true;
}

static bool complete(const dusk_model *model)
{
    size_t one[3] = { 0 }, singles = 0, parents = 0, pairs = 0, cells = 0, wanted = 0;
    const double *single = dusk_model_array(model, "single", &one[0], &singles);
    const double *parent = dusk_model_array(model, "parent", &one[1], &parents);
    const double *pair = dusk_model_array(model, "pair", &one[2], &pairs);
    learn_bins bins;

    if (!single || !parent || bins_of(model) == 0 || one[0] != 1 || one[1] != 1 || (pair && one[2] != 1))
        return false;
    if (parents != model->fields->count ||
        learn_bins_init(&bins, model->fields, DUSK_NO_LINK, bins_of(model), NULL) != DUSK_OK)
        return false;
    cells = bins.first[bins.columns];
    bool fine = true;
    for (size_t c = 0; fine && c < parents; c++)
        fine = parent[c] == -1 ||
               (parent[c] >= 0 && parent[c] < (double)parents && parent[c] == floor(parent[c]));
    if (fine) wanted = pair_cells(&bins, parent);
    learn_bins_clear(&bins);
    return fine && singles == cells && pairs == wanted && all_positive(single, singles) &&
           all_positive(pair, pairs);
}

static const dusk_setting settings[] = {
    { "structure", "tree", "independent|tree", 0, 0, false,
      "columns by themselves, or each given one other" },
    { "bins", "16", NULL, 1, LEARN_BINS_MOST, true,
      "equal parts of the bounds of a number; those beside 0 are cut further" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_density = {
    .shown = { "density", DUSK_TASK_DENSITY, DUSK_NUMERICS_EXACT,
               "noisy histograms of columns, or a tree of pairs of columns, as a density",
               "Chow & Liu 1968; McKenna, Miklau & Sheldon 2021", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .forget = forget,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
