/* SPDX-License-Identifier: Apache-2.0 */
/* Naive Bayes: how often each value comes with each class, all in one release [Vaidya, Shafiq, Basu & Hong 2013]. Numbers are counted in bins, or
 * told by mean and deviation a class. A row adds one count for each column: with many columns the l2 norm is far below the l1 norm, so
 * that Gaussian noise is less than Laplace noise where there is a delta; the smaller of the two is taken. Counts that noise could explain are drawn
 * to what all classes have in common, so that rare values say little. Proof: naive_bayes.proof.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/bins.h"
#include "learn/learner.h"
#include "table/numbers.h"

#define PRIOR_WEIGHT 4.0 /* deviations of the noise by which counts are drawn to those of all classes */
#define LEAST 1e-9       /* probability of a value */

/* What a class has: [rows | for each column its bins, or the sum and the squares of a number]. */
typedef struct layout {
    learn_bins bins;
    bool normal; /* numbers by mean and deviation */
    size_t *start;
    size_t cells; /* of a class */
} layout;

typedef struct bayes_plan {
    layout layout;
    learn_noise noise;
} bayes_plan;

/* --- layout -------------------------------------------------------------------------------------------------- */

static void clear_layout(layout *l)
{
    learn_bins_clear(&l->bins);
    dusk_deallocate(l->start);
    *l = (layout){ .cells = 0 };
}

static bool by_moments(const layout *l, const dusk_fields *fields, size_t j)
{
    return l->normal && learn_bins_ordered(&l->bins, fields, j);
}

static dusk_status make_layout(layout *out, const dusk_fields *fields, size_t label, size_t bins, bool normal,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    layout l = { .normal = normal, .cells = 1 };
    *out = (layout){ .cells = 0 };
    DUSK_TRY(learn_bins_init(&l.bins, fields, label, bins, err));
    DUSK_NEW(l.start, l.bins.columns + 1);
    for (size_t j = 0; j < l.bins.columns; j++) {
        l.start[j] = l.cells;
        l.cells += by_moments(&l, fields, j) ? 2 : l.bins.first[j + 1] - l.bins.first[j];
    }
    l.start[l.bins.columns] = l.cells;
    *out = l;
    l = (layout){ .cells = 0 };
done:
    clear_layout(&l);
    return status;
}

/* --- plan ---------------------------------------------------------------------------------------------------- */

static void forget(void *plan)
{
    bayes_plan *p = plan;
    if (!p) return;
    clear_layout(&p->layout);
    dusk_deallocate(p);
}

/* What a row adds: a one for itself, a one for each column of bins, two numbers of at most one for the others. */
DUSK_PROVEN(plan_noise)
static dusk_status plan_noise(learn_job *job, bayes_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t classes = job->label_field->values, numbers = classes * p->layout.cells;
    double sum = 1;
    for (size_t j = 0; j < p->layout.bins.columns; j++) sum += by_moments(&p->layout, job->fields, j) ? 2 : 1;
    const double all = DUSK_MUTATE(BAYES_COLUMNS_ARE_FREE, sum, 1);
    const double straight = ceil(LEARN_ONE * sqrt(all)), around = LEARN_ONE * all;
    const bool gaussian =
        job->budget.delta > 0 &&
        (job->budget.versions || straight / job->budget.mu < M_SQRT2 * around / job->budget.epsilon);
    if (numbers > 1u << 24)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer categories, or ask for fewer bins",
                         "%zu classes with %zu counts each are too many", classes, p->layout.cells);
    if (gaussian)
        DUSK_TRY(learn_budget_noise(&job->budget, &p->noise, (uint32_t)numbers, straight, 0, job->budget.left,
                                    1, err));
    else
        DUSK_TRY(learn_budget_counts(&job->budget, &p->noise, around, job->budget.left, err));
    learn_say(job, "%zu counts for each of %zu classes, all at once, with %s noise of deviation %.4g",
              p->layout.cells, classes, gaussian ? "Gaussian" : "Laplace", p->noise.deviation / LEARN_ONE);
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bayes_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    DUSK_TRY(make_layout(&p->layout, job->fields, job->label, (size_t)learn_setting(job, "bins"),
                         learn_choice(job, "numbers") == 1, err));
    DUSK_TRY(plan_noise(job, p, err));
done:
    return status;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

/* A number in whole steps, [lower, upper] being [-LEARN_ONE, LEARN_ONE]. */
static int64_t number_steps(const dusk_field *field, double x)
{
    double middle = field->lower / 2 + field->upper / 2, half = field->upper / 2 - field->lower / 2;
    if (!isfinite(x)) x = field->missing;
    x = (fmin(fmax(x, field->lower), field->upper) - middle) / half;
    return (int64_t)trunc(fmin(fmax(x, -1), 1) * LEARN_ONE);
}

/* Is the label of this row a class? */
static bool has_class(const learn_job *job, const dusk_frame *frame, size_t row)
{
    int32_t code = frame->column[job->label].code[row];
    return code >= 0 && (size_t)code < job->label_field->values;
}

/* Rows without a class are left out, as by learn_codes_make. */
DUSK_PROVEN(add_column)
static void add_column(int64_t *sums, const learn_job *job, const dusk_frame *frame, const learn_codes *codes,
                       size_t j)
{
    const layout *l = &((const bayes_plan *)job->plan)->layout;
    const size_t column = l->bins.column[j];
    const int64_t one = (int64_t)LEARN_ONE;
    if (!by_moments(l, job->fields, j)) {
        for (size_t i = 0; i < codes->rows; i++)
            sums[(size_t)codes->target[i] * l->cells + l->start[j] + codes->code[j][i]] += one;
        return;
    }
    for (size_t row = 0; row < frame->rows; row++) {
        if (!has_class(job, frame, row)) continue;
        int64_t x = number_steps(&job->fields->field[column], table_number(&frame->column[column], row));
        int64_t *own = sums + (size_t)frame->column[job->label].code[row] * l->cells + l->start[j];
        own[0] += x;
        own[1] += x * x / one;
    }
}

static dusk_status release(const learn_job *job, double *out, const int64_t *sums, size_t n,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_noise *noise = &((const bayes_plan *)job->plan)->noise;
    dusk_int128 *totals = NULL;
    DUSK_NEW(totals, n);
    for (size_t i = 0; i < n; i++) totals[i] = sums[i];
    DUSK_TRY(noise->gaussian ? learn_noise_release(noise, out, totals, gen, err)
                             : learn_counts_release(noise, out, totals, n, gen, err));
    for (size_t i = 0; i < n; i++) out[i] /= LEARN_ONE;
done:
    if (totals) dusk_wipe(totals, n * sizeof *totals);
    dusk_deallocate(totals);
    return status;
}

/* --- what was released ----------------------------------------------------------------------------------------- */

/* Chances of the bins of a column in each class. Counts below 0 are 0; PRIOR_WEIGHT deviations of counts are shared like all classes'. */
static void settle_bins(double *counts, size_t classes, size_t cells, size_t first, size_t bins, double prior)
{
    double total = 0;
    for (size_t i = 0; i < classes * bins; i++) {
        double *c = &counts[i / bins * cells + first + i % bins];
        *c = fmax(*c, 0);
        total += *c;
    }
    for (size_t b = 0; b < bins; b++) {
        double common = 0;
        for (size_t y = 0; y < classes; y++) common += counts[y * cells + first + b];
        common = total > 0 ? common / total : 1 / (double)bins;
        for (size_t y = 0; y < classes; y++) counts[y * cells + first + b] += prior * fmax(common, LEAST);
    }
    for (size_t y = 0; y < classes; y++) {
        double *own = counts + y * cells + first, sum = 0;
        for (size_t b = 0; b < bins; b++) sum += own[b];
        for (size_t b = 0; b < bins; b++) own[b] = fmax(own[b] / sum, LEAST);
    }
}

/* Mean and deviation of a number in each class, drawn to those of all. */
static void settle_moments(double *counts, size_t classes, size_t cells, size_t first, double prior)
{
    double rows = prior, sum = 0, squares = prior / 3; /* of a number anywhere within its bounds */
    for (size_t y = 0; y < classes; y++) {
        rows += fmax(counts[y * cells], 0);
        sum += counts[y * cells + first];
        squares += counts[y * cells + first + 1];
    }
    double mean = fmin(fmax(sum / rows, -1), 1), square = fmin(fmax(squares / rows, 0), 1);
    for (size_t y = 0; y < classes; y++) {
        double *own = counts + y * cells, n = fmax(own[0], 0) + prior;
        double here = fmin(fmax((own[first] + prior * mean) / n, -1), 1);
        double spread = fmin(fmax((own[first + 1] + prior * square) / n, 0), 1) - here * here;
        own[first] = here;
        own[first + 1] = sqrt(fmax(spread, 1e-4));
    }
}

static dusk_status put_model(learn_job *job, double *counts, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bayes_plan *p = job->plan;
    const layout *l = &p->layout;
    const size_t classes = job->label_field->values, cells = l->cells;
    const double prior = fmax(PRIOR_WEIGHT * p->noise.deviation / LEARN_ONE, 1);
    double *shares = NULL, total = 0;
    DUSK_NEW(shares, classes);
    for (size_t j = 0; j < l->bins.columns; j++)
        if (by_moments(l, job->fields, j))
            settle_moments(counts, classes, cells, l->start[j], prior);
        else
            settle_bins(counts, classes, cells, l->start[j], l->start[j + 1] - l->start[j], prior);
    for (size_t y = 0; y < classes; y++) total += shares[y] = fmax(counts[y * cells], 0) + 1;
    for (size_t y = 0; y < classes; y++) counts[y * cells] = shares[y] /= total;
    DUSK_TRY(learn_model_put(job->model, "shares", 1, classes, shares, err));
    DUSK_TRY(learn_model_put(job->model, "chances", classes, cells, counts, err));
done:
    dusk_deallocate(shares);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const layout *l = &((const bayes_plan *)job->plan)->layout;
    const size_t n = job->label_field->values * l->cells;
    learn_codes codes = { .rows = 0 };
    int64_t *sums = NULL;
    double *counts = NULL;

    DUSK_NEW(sums, n);
    DUSK_NEW(counts, n);
    DUSK_TRY(learn_codes_make(&codes, &l->bins, frame, err));
    for (size_t i = 0; i < codes.rows; i++) sums[(size_t)codes.target[i] * l->cells] += (int64_t)LEARN_ONE;
    for (size_t j = 0; j < l->bins.columns; j++) add_column(sums, job, frame, &codes, j);
    learn_progress(job, 0.9);
    DUSK_TRY(release(job, counts, sums, n, gen, err));
    DUSK_TRY(put_model(job, counts, err));
done:
    learn_codes_clear(&codes);
    if (sums) dusk_wipe(sums, n * sizeof *sums);
    dusk_deallocate(sums);
    dusk_deallocate(counts);
    return status;
}

/* --- prediction ------------------------------------------------------------------------------------------------- */

static dusk_status layout_of(layout *out, const dusk_model *model, dusk_error *err)
{
    const char *bins = learn_model_value(model, "bins"), *numbers = learn_model_value(model, "numbers");
    return make_layout(out, model->fields, model->label, bins ? (size_t)strtoul(bins, NULL, 10) : 1,
                       numbers && !strcmp(numbers, "normal"), err);
}

static size_t outputs(const dusk_model *model)
{
    size_t rows = 0, columns;
    (void)dusk_model_array(model, "chances", &rows, &columns);
    return rows;
}

/* Logarithms to chances that add to 1. */
static void normalise(double *log_chance, size_t classes)
{
    double most = log_chance[0], sum = 0;
    for (size_t y = 1; y < classes; y++) most = fmax(most, log_chance[y]);
    for (size_t y = 0; y < classes; y++) sum += log_chance[y] = exp(log_chance[y] - most);
    for (size_t y = 0; y < classes; y++) log_chance[y] /= sum;
}

/* What column j says of a row. */
static double evidence(const layout *l, const dusk_model *model, const dusk_frame *frame,
                       const learn_codes *codes, const double *own, size_t j, size_t row)
{
    const double *cell = own + l->start[j];
    if (!by_moments(l, model->fields, j)) return log(fmax(cell[codes->code[j][row]], LEAST));
    size_t column = l->bins.column[j];
    double x =
        (double)number_steps(&model->fields->field[column], table_number(&frame->column[column], row)) /
        LEARN_ONE;
    double away = (x - cell[0]) / fmax(cell[1], 1e-3);
    return -log(fmax(cell[1], 1e-3)) - fmin(away * away, 1e6) / 2;
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t classes, cells;
    const double *chances = dusk_model_array(model, "chances", &classes, &cells);
    layout l = { .cells = 0 };
    learn_codes codes = { .rows = 0 };
    DUSK_TRY(layout_of(&l, model, err));
    DUSK_TRY(learn_codes_make_all(&codes, &l.bins, frame, err));
    for (size_t i = 0; i < frame->rows; i++) {
        for (size_t y = 0; y < classes; y++) {
            const double *own = chances + y * cells;
            double sum = log(fmax(own[0], LEAST));
            for (size_t j = 0; j < l.bins.columns; j++) sum += evidence(&l, model, frame, &codes, own, j, i);
            out[i * classes + y] = sum;
        }
        normalise(out + i * classes, classes);
    }
done:
    learn_codes_clear(&codes);
    clear_layout(&l);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t classes, cells;
    layout l;
    if (!dusk_model_array(model, "chances", &classes, &cells) || model->label == DUSK_NO_LINK) return false;
    if (layout_of(&l, model, NULL) != DUSK_OK) return false;
    bool fits = cells == l.cells && classes == model->fields->field[model->label].values;
    clear_layout(&l);
    return fits;
}

static const dusk_setting settings[] = {
    { "numbers", "bins", "bins|normal", 0, 0, false,
      "counted in bins, or by mean and deviation in each class" },
    { "bins", "8", NULL, 2, LEARN_BINS_MOST, true, "parts of the bounds of a number" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_naive_bayes = {
    .shown = { "naive_bayes", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "naive Bayes on noisy counts of every value in every class",
               "Vaidya, Shafiq, Basu & Hong 2013", settings },
    .plan = plan,
    .fit = fit,
    .versions = true,
    .forget = forget,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
