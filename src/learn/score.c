/* SPDX-License-Identifier: Apache-2.0 */
/* How right a model is on rows that may be seen. Not private: the released form is score_release.c. Rows are looked at in
 * slices, so that memory is the frame, and for the area under the ROC curve one double a row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"
#include "learn/scores.h"
#include "table/numbers.h"

#define BINS 10
#define LEAST_PROBABILITY 0x1p-40

/* --- rows ------------------------------------------------------------------------------------------------------- */

size_t learn_largest(const double *value, size_t k)
{
    size_t best = 0;
    for (size_t j = 1; j < k; j++)
        if (value[j] > value[best] || (isnan(value[best]) && !isnan(value[j]))) best = j;
    return best;
}

const double *learn_centres(const dusk_model *model, size_t *groups)
{
    size_t columns;
    const double *centres = dusk_model_array(model, "centres", groups, &columns);
    if (!centres || columns == 0 || columns != model->features.width ||
        *groups != model->learner->outputs(model))
        return NULL;
    return centres;
}

dusk_status learn_squared_distances(const dusk_model *model, const dusk_frame *slice,
                                    const double *memberships, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = model->features.width;
    size_t groups;
    const double *centres = learn_centres(model, &groups);
    learn_matrix matrix = { .bound = 0 };

    if (!centres) {
        for (size_t i = 0; i < slice->rows; i++) out[i] = NAN;
        return DUSK_OK;
    }
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, slice, err));
    for (size_t i = 0; i < slice->rows; i++) {
        const double *centre = centres + learn_largest(memberships + i * groups, groups) * d;
        out[i] = 0;
        for (size_t j = 0; j < d; j++) {
            double away = (double)matrix.rows.x[i * d + j] / LEARN_ONE - centre[j];
            out[i] += away * away;
        }
    }
done:
    learn_matrix_clear(&matrix);
    return status;
}

/* --- categories ---------------------------------------------------------------------------------------------------- */

typedef struct bin {
    double rows, right, confidence;
} bin;

typedef struct class_tally {
    size_t rows, right;
    size_t *with_label; /* a category */
    double loss;
    bin bins[BINS];
    double *first,
        *second; /* scores of rows of either category: `first` ends where `second` begins, backwards */
    size_t firsts, seconds;
} class_tally;

static void tally_class(class_tally *tally, const double *p, size_t k, size_t label)
{
    size_t best = learn_largest(p, k);
    double confidence = fmin(fmax(p[best], 0), 1);
    size_t at = (size_t)(confidence * BINS);
    bin *b = &tally->bins[at < BINS ? at : BINS - 1];
    tally->rows++;
    tally->right += best == label;
    tally->with_label[label]++;
    tally->loss -= log(fmin(fmax(p[label], LEAST_PROBABILITY), 1));
    b->rows++;
    b->right += best == label;
    b->confidence += confidence;
    if (!tally->first) return;
    if (label == 0)
        tally->first[tally->firsts++] = isnan(p[1]) ? 0 : p[1];
    else
        *(tally->second - ++tally->seconds) = isnan(p[1]) ? 0 : p[1];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Pairs of a row of either kind that are in the right order, ties counting half: twice their number is whole, and is
 * exact for up to 2^32 rows. */
static double area(double *first, size_t firsts, double *second, size_t seconds)
{
    uint64_t twice = 0;
    if (firsts == 0 || seconds == 0) return NAN;
    qsort(first, firsts, sizeof *first, ascending);
    qsort(second, seconds, sizeof *second, ascending);
    for (size_t i = 0, below = 0, upto = 0; i < seconds; i++) {
        while (below < firsts && first[below] < second[i]) below++;
        if (upto < below) upto = below;
        while (upto < firsts && first[upto] == second[i]) upto++;
        twice += below + upto;
    }
    return (double)twice / (2.0 * (double)firsts * (double)seconds);
}

static void finish_classes(dusk_model_scores *out, class_tally *tally, size_t k)
{
    double n = (double)tally->rows, most = 0, gap = 0;
    out->rows = tally->rows;
    if (tally->rows == 0) return;
    for (size_t c = 0; c < k; c++) most = fmax(most, (double)tally->with_label[c]);
    for (size_t b = 0; b < BINS; b++) gap += fabs(tally->bins[b].right - tally->bins[b].confidence);
    out->accuracy = (double)tally->right / n;
    out->majority = most / n;
    out->log_loss = tally->loss / n;
    out->calibration = gap / n;
    if (tally->first)
        out->auc = area(tally->first, tally->firsts, tally->second - tally->seconds, tally->seconds);
}

static dusk_status score_classes(dusk_model_scores *out, learn_slices *slices, double *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    const dusk_field *field = &model->fields->field[model->label];
    const size_t k = field->values;
    class_tally tally = { .rows = 0 };

    DUSK_NEW(tally.with_label, k);
    if (k == 2) {
        DUSK_NEW(tally.first, slices->source->rows);
        tally.second = tally.first + slices->source->rows;
    }
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, p, err));
        for (size_t i = 0; i < slices->slice.rows; i++)
            if (learn_row_labelled(field, slices->label, slices->first + i))
                tally_class(&tally, p + i * k, k, (size_t)slices->label->code[slices->first + i]);
    }
    finish_classes(out, &tally, k);
done:
    dusk_deallocate(tally.with_label);
    dusk_deallocate(tally.first);
    return status;
}

/* --- several labels -------------------------------------------------------------------------------------------------- */

static dusk_status check_labels(const learn_slices *slices, dusk_error *err)
{
    const learn_labels *labels = &slices->model->labels;
    for (size_t c = 0; c < labels->count; c++)
        if (slices->from[labels->field[c]] == DUSK_NO_LINK)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give rows whose labels are known",
                             "the rows have no field %.60s, which the model has learned",
                             slices->model->fields->field[labels->field[c]].name);
    return DUSK_OK;
}

/* Labels of rows one by one: `rows` is how many there are of them, of those that are known. */
static void tally_label(class_tally *tally, double p, size_t label, size_t code)
{
    const double right = code == 1 ? p : 1 - p;
    tally->rows++;
    tally->right += (p > 0.5) == (code == 1);
    tally->with_label[2 * label + code]++;
    tally->loss -= log(fmin(fmax(right, LEAST_PROBABILITY), 1));
}

static void finish_labels(dusk_model_scores *out, const class_tally *tally, size_t k)
{
    const double n = (double)tally->rows;
    double most = 0;
    if (tally->rows == 0) return;
    for (size_t c = 0; c < k; c++)
        most += fmax((double)tally->with_label[2 * c], (double)tally->with_label[2 * c + 1]);
    out->accuracy = (double)tally->right / n;
    out->majority = most / n;
    out->log_loss = tally->loss / n;
}

static dusk_status score_labels(dusk_model_scores *out, learn_slices *slices, double *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    const learn_labels *labels = &model->labels;
    const size_t k = labels->count;
    class_tally tally = { .rows = 0 };

    DUSK_TRY(check_labels(slices, err));
    DUSK_NEW(tally.with_label, 2 * k);
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, p, err));
        for (size_t i = 0; i < slices->slice.rows; i++) {
            const size_t row = slices->first + i, before = tally.rows;
            for (size_t c = 0; c < k; c++) {
                const size_t field = labels->field[c];
                const dusk_frame_column *column = &slices->source->column[slices->from[field]];
                if (learn_row_labelled(&model->fields->field[field], column, row))
                    tally_label(&tally, p[i * k + c], c, (size_t)column->code[row]);
            }
            out->rows += tally.rows > before;
        }
    }
    finish_labels(out, &tally, k);
done:
    dusk_deallocate(tally.with_label);
    return status;
}

/* --- numbers --------------------------------------------------------------------------------------------------------- */

static dusk_status score_numbers(dusk_model_scores *out, learn_slices *slices, double *value, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    const dusk_field *field = &model->fields->field[model->label];
    double n = 0, mean = 0, spread = 0, squares = 0, sizes = 0;

    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, value, err));
        for (size_t i = 0; i < slices->slice.rows; i++) {
            if (!learn_row_labelled(field, slices->label, slices->first + i)) continue;
            double y = table_number(slices->label, slices->first + i), before = y - mean;
            n++;
            mean += before / n;
            spread += before * (y - mean);
            squares += (value[i] - y) * (value[i] - y);
            sizes += fabs(value[i] - y);
        }
    }
    out->rows = (size_t)n;
    if (n > 0) {
        out->rmse = sqrt(squares / n);
        out->mae = sizes / n;
        out->r2 = spread > 0 ? 1 - squares / spread : NAN;
    }
done:
    return status;
}

/* --- without a label --------------------------------------------------------------------------------------------------- */

static dusk_status score_groups(dusk_model_scores *out, learn_slices *slices, double *memberships,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    double *each = NULL, distances = 0, likelihoods = 0;

    DUSK_NEW(each, slices->room);
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, memberships, err));
        DUSK_TRY(learn_squared_distances(model, &slices->slice, memberships, each, err));
        for (size_t i = 0; i < slices->slice.rows; i++) distances += each[i];
        if (!model->learner->likelihood) continue;
        DUSK_TRY(model->learner->likelihood(model, &slices->slice, each, err));
        for (size_t i = 0; i < slices->slice.rows; i++) likelihoods += each[i];
    }
    out->rows = slices->source->rows;
    if (out->rows > 0) {
        out->inertia = distances / (double)out->rows;
        if (model->learner->likelihood) out->log_likelihood = likelihoods / (double)out->rows;
    }
done:
    dusk_deallocate(each);
    return status;
}

/* Sums for the variance of rows, and of what is left of them when coordinates are taken away. */
typedef struct remainders {
    double *row, *rest; /* sums of each column */
    double rows_square, rests_square;
} remainders;

static void tally_row(remainders *sums, const float *x, const double *coordinates, const double *parts,
                      size_t k, size_t d)
{
    for (size_t j = 0; j < d; j++) {
        double whole = (double)x[j] / LEARN_ONE, rest = whole;
        for (size_t c = 0; c < k; c++) rest -= coordinates[c] * parts[c * d + j];
        sums->row[j] += whole;
        sums->rest[j] += rest;
        sums->rows_square += whole * whole;
        sums->rests_square += rest * rest;
    }
}

static double variance(double squares, const double *sums, size_t d, double n)
{
    for (size_t j = 0; j < d; j++) squares -= sums[j] * sums[j] / n;
    return squares;
}

/* By how far rows are from what came back of them; worse than their mean is below 0. */
static dusk_status score_rebuilt(dusk_model_scores *out, learn_slices *slices, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    const size_t d = model->features.width;
    const double n = (double)slices->source->rows;
    double *sum = NULL, *back = NULL, squares = 0, errors = 0;
    learn_matrix matrix = { .bound = 0 };

    out->rows = slices->source->rows;
    DUSK_NEW(sum, d);
    DUSK_NEW(back, slices->room * d);
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->rebuild(model, &slices->slice, back, err));
        DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, &slices->slice, err));
        for (size_t i = 0; i < matrix.rows.rows * d; i++) {
            const double x = (double)matrix.rows.x[i] / LEARN_ONE;
            sum[i % d] += x;
            squares += x * x;
            errors += (x - back[i]) * (x - back[i]);
        }
        learn_matrix_clear(&matrix);
    }
    const double all = n > 0 ? variance(squares, sum, d, n) : 0;
    if (all > 0) out->explained = 1 - errors / all;
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(sum);
    dusk_deallocate(back);
    return status;
}

/* By what is left of a row, so that components that are not perpendicular are not counted twice. */
static dusk_status score_vectors(dusk_model_scores *out, learn_slices *slices, double *coordinates,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    size_t k = 0, d = 0;
    const double *parts = dusk_model_array(model, "components", &k, &d), n = (double)slices->source->rows;
    remainders sums = { .row = NULL };
    learn_matrix matrix = { .bound = 0 };

    out->rows = slices->source->rows;
    if (!parts || d == 0 || d != model->features.width || k != model->learner->outputs(model)) return DUSK_OK;
    DUSK_NEW(sums.row, d);
    DUSK_NEW(sums.rest, d);
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, coordinates, err));
        DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, &slices->slice, err));
        for (size_t i = 0; i < matrix.rows.rows; i++)
            tally_row(&sums, matrix.rows.x + i * d, coordinates + i * k, parts, k, d);
        learn_matrix_clear(&matrix);
    }
    double all = variance(sums.rows_square, sums.row, d, n);
    if (n > 0 && all > 0) out->explained = 1 - variance(sums.rests_square, sums.rest, d, n) / all;
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(sums.row);
    dusk_deallocate(sums.rest);
    return status;
}

static dusk_status score_density(dusk_model_scores *out, learn_slices *slices, double *each, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double sum = 0;
    while (learn_slices_next(slices)) {
        DUSK_TRY(slices->model->learner->predict(slices->model, &slices->slice, each, err));
        for (size_t i = 0; i < slices->slice.rows; i++) sum += each[i];
    }
    out->rows = slices->source->rows;
    if (out->rows > 0) out->log_likelihood = sum / (double)out->rows;
done:
    return status;
}

/* --- all of them ----------------------------------------------------------------------------------------------------- */

static dusk_status score_by_task(dusk_model_scores *out, learn_slices *slices, double *prediction,
                                 dusk_error *err)
{
    switch (slices->model->learner->shown.task) {
    case DUSK_TASK_BINARY:
    case DUSK_TASK_CLASS: return score_classes(out, slices, prediction, err);
    case DUSK_TASK_NUMBER: return score_numbers(out, slices, prediction, err);
    case DUSK_TASK_GROUPS: return score_groups(out, slices, prediction, err);
    case DUSK_TASK_VECTOR:
        return slices->model->learner->rebuild ? score_rebuilt(out, slices, err)
                                               : score_vectors(out, slices, prediction, err);
    case DUSK_TASK_DENSITY: return score_density(out, slices, prediction, err);
    case DUSK_TASK_LABELS: return score_labels(out, slices, prediction, err);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a learner of an unknown task");
}

dusk_status dusk_model_score(dusk_model_scores *out, const dusk_model *model, const dusk_frame *frame,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_scores scores = { .accuracy = NAN,
                                 .majority = NAN,
                                 .auc = NAN,
                                 .log_loss = NAN,
                                 .calibration = NAN,
                                 .rmse = NAN,
                                 .mae = NAN,
                                 .r2 = NAN,
                                 .inertia = NAN,
                                 .explained = NAN,
                                 .log_likelihood = NAN };
    learn_slices slices = { .first = 0 };
    double *prediction = NULL;

    DUSK_TRY(learn_slices_open(&slices, model, frame, err));
    if (model->label != DUSK_NO_LINK && !slices.label) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give rows whose label is known",
                           "the rows have no field %.60s, which the model has learned",
                           model->fields->field[model->label].name);
        goto done;
    }
    DUSK_NEW(prediction, slices.room * model->learner->outputs(model));
    DUSK_TRY(score_by_task(&scores, &slices, prediction, err));
    *out = scores;
done:
    dusk_deallocate(prediction);
    learn_slices_close(&slices);
    return status;
}
