/* SPDX-License-Identifier: Apache-2.0 */
/* A score on private rows, released. Every row has an error in [0, 1], rounded to steps: 1 when the category is wrong, the
 * squared error or distance as a share of the most that it can be. Two totals are released, that of the errors and that of
 * 1 - error: a row adds to both, but at most 1 in l2, so the count comes at no cost in noise, and mean = first / (first +
 * second). Where the number of rows is public one total does, of 2 error - 1. Proof: score_release.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/learner.h"
#include "learn/scores.h"
#include "table/numbers.h"

#define ERROR_BITS 20
#define ERROR_ONE LEARN_EXCESS_ONE

/* How far noise of scale 1 goes in one direction with probability 95 %: normal, Laplace, and the l2 K-norm law in two
 * dimensions, of density exp(-|z|) / (2 pi). */
#define REACH_NORMAL 1.9599640
#define REACH_LAPLACE 2.9957323
#define REACH_PLANE 3.6033787

typedef struct score_plan {
    dusk_metric metric;
    double most; /* the largest error, in the unit of the metric */
    double rows; /* declared, or 0 */
    learn_noise noise;
    dusk_statement statement;
} score_plan;

/* --- plan: public facts ------------------------------------------------------------------------------------------ */

static dusk_status check_metric(dusk_metric metric, const dusk_model *model, dusk_error *err)
{
    dusk_task task = model->learner->shown.task;
    size_t groups;
    bool fine = metric == DUSK_METRIC_ACCURACY  ? task == DUSK_TASK_BINARY || task == DUSK_TASK_CLASS
                : metric == DUSK_METRIC_MSE     ? task == DUSK_TASK_NUMBER
                : metric == DUSK_METRIC_INERTIA ? task == DUSK_TASK_GROUPS && learn_centres(model, &groups)
                                                : false;
    if (fine) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "accuracy is for categories, squared error for numbers, inertia for groups with centres",
                     "there is no such released score of a model of %s", model->learner->shown.name);
}

/* Of rows of such fields: found out before anything is charged. */
static dusk_status check_fields(dusk_metric metric, const dusk_model *model, const dusk_fields *fields,
                                dusk_error *err)
{
    dusk_status status = learn_fields_fit(model, fields, NULL, err);
    if (status != DUSK_OK || metric == DUSK_METRIC_INERTIA) return status;
    const char *label = model->fields->field[model->label].name;
    if (dusk_fields_find(fields, label) != DUSK_NO_LINK) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give rows whose label is known",
                     "the rows have no field %.60s, which the model has learned", label);
}

/* The largest squared distance of a row to the centre of its group. */
static double largest_distance(const dusk_model *model)
{
    size_t groups, d = model->features.width;
    const double *centres = learn_centres(model, &groups);
    double longest = 0;
    for (size_t g = 0; g < groups; g++) {
        double square = 0;
        for (size_t j = 0; j < d; j++) square += centres[g * d + j] * centres[g * d + j];
        longest = fmax(longest, sqrt(square));
    }
    return (model->features.norm + longest) * (model->features.norm + longest);
}

static double largest_error(dusk_metric metric, const dusk_model *model)
{
    if (metric == DUSK_METRIC_INERTIA) return largest_distance(model);
    if (metric == DUSK_METRIC_ACCURACY) return 1;
    const dusk_field *label = &model->fields->field[model->label];
    return (label->upper - label->lower) * (label->upper - label->lower);
}

DUSK_PROVEN(plan_score)
static dusk_status plan_score(score_plan *plan, dusk_metric metric, const dusk_model *model,
                              const dusk_fields *fields, const dusk_train_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget budget;

    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_train_options_init",
                         "the options were never made");
    DUSK_TRY(check_metric(metric, model, err));
    DUSK_TRY(check_fields(metric, model, fields, err));
    DUSK_TRY(learn_budget_init(&budget, options->neighbours, options->epsilon, options->delta,
                               fields->rows_per_unit, err));
    plan->metric = metric;
    plan->most = largest_error(metric, model);
    plan->rows = (double)options->rows;
    if (!isfinite(plan->most))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds", "the error may be infinite");
    DUSK_TRY(learn_budget_noise(&budget, &plan->noise, options->rows > 0 ? 1 : 2, ERROR_ONE, -ERROR_BITS, 1,
                                1, err));
    DUSK_TRY(learn_budget_state(&budget, &plan->statement, fields->unit, err));
    DUSK_TRY(learn_assume_rows(&plan->statement, fields, options->rows, err));
done:
    return status;
}

/* --- totals of errors ---------------------------------------------------------------------------------------------- */

/* Whole steps in [0, ERROR_ONE]; what is no number counts as the worst. */
static int64_t error_steps(double error, double most)
{
    double part = most > 0 ? error / most : 0;
    if (!(part <= DUSK_MUTATE(SCORE_ERROR_UNBOUNDED, 1, INFINITY))) part = 1;
    return (int64_t)nearbyint(fmax(part, 0) * ERROR_ONE);
}

static double row_error(const score_plan *plan, const learn_slices *slices, const double *prediction,
                        size_t i)
{
    const dusk_field *field = &slices->model->fields->field[slices->model->label];
    if (plan->metric == DUSK_METRIC_ACCURACY)
        return learn_largest(prediction, field->values) != (size_t)slices->label->code[slices->first + i];
    double value =
        DUSK_MUTATE(SCORE_ERROR_UNBOUNDED, fmin(fmax(*prediction, field->lower), field->upper), *prediction);
    double label = fmin(fmax(table_number(slices->label, slices->first + i), field->lower), field->upper);
    return (value - label) * (value - label);
}

static void add_error(dusk_int128 *totals, const score_plan *plan, double error)
{
    int64_t steps = error_steps(error, plan->most), one = (int64_t)ERROR_ONE;
    if (plan->rows > 0) {
        totals[0] += 2 * steps - one;
    } else {
        totals[0] += steps;
        totals[1] += one - steps;
    }
}

DUSK_PROVEN(add_errors)
static dusk_status add_errors(dusk_int128 *totals, const score_plan *plan, learn_slices *slices,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_model *model = slices->model;
    const size_t k = model->learner->outputs(model);
    const bool groups = plan->metric == DUSK_METRIC_INERTIA;
    const dusk_field *field = groups ? NULL : &model->fields->field[model->label];
    double *prediction = NULL, *distance = NULL;

    DUSK_NEW(prediction, slices->room * k);
    DUSK_NEW(distance, slices->room);
    while (learn_slices_next(slices)) {
        DUSK_TRY(model->learner->predict(model, &slices->slice, prediction, err));
        if (groups) DUSK_TRY(learn_squared_distances(model, &slices->slice, prediction, distance, err));
        for (size_t i = 0; i < slices->slice.rows; i++) {
            if (groups)
                add_error(totals, plan, distance[i]);
            else if (learn_row_labelled(field, slices->label, slices->first + i))
                add_error(totals, plan, row_error(plan, slices, prediction + i * k, i));
        }
    }
done:
    if (prediction) dusk_wipe(prediction, slices->room * k * sizeof *prediction);
    dusk_deallocate(prediction);
    if (distance) dusk_wipe(distance, slices->room * sizeof *distance);
    dusk_deallocate(distance);
    return status;
}

DUSK_PROVEN(learn_excess)
dusk_status learn_excess(dusk_int128 *out, dusk_metric metric, const dusk_model *model,
                         const dusk_frame *frame, double most, double level, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const score_plan plan = { .metric = metric, .most = most };
    const int64_t expected = (int64_t)rint(fmin(fmax(level, 0), 1) * ERROR_ONE);
    learn_slices slices = { .first = 0 };
    dusk_int128 totals[2] = { 0, 0 };
    DUSK_TRY(learn_slices_open(&slices, model, frame, err));
    DUSK_TRY(add_errors(totals, &plan, &slices, err));
    *out = totals[1] - (totals[0] + totals[1]) / (dusk_int128)ERROR_ONE * expected;
done:
    dusk_wipe(totals, sizeof totals);
    learn_slices_close(&slices);
    return status;
}

/* --- from what was released to a mean ---------------------------------------------------------------------------------- */

typedef struct interval {
    double value, low, high;
} interval;

static double reach(const learn_noise *noise)
{
    if (noise->gaussian) return REACH_NORMAL * noise->deviation;
    return (noise->dimension == 1 ? REACH_LAPLACE : REACH_PLANE) * noise->norm.scale;
}

/* The mean m makes first (1 - m) - second m all noise, of at most r sqrt(m^2 + (1 - m)^2) with the probability of r
 * (Fieller). Where the count is lost in noise every mean is possible. */
static interval mean_of_two(double first, double second, double r)
{
    double count = first + second, square = count * count - 2 * r * r;
    if (!(count > 0 && square > 0)) return (interval){ 0.5, 0, 1 };
    double middle = first * count - r * r;
    double half = r * sqrt(fmax(first * first + second * second - r * r, 0));
    return (interval){ first / count, (middle - half) / square, (middle + half) / square };
}

static interval mean_of_errors(const score_plan *plan, const double *released)
{
    double r = reach(&plan->noise);
    interval mean;
    if (plan->rows > 0) {
        double value = 0.5 + released[0] / plan->rows / 2, half = r / plan->rows / 2;
        mean = (interval){ value, value - half, value + half };
    } else {
        mean = mean_of_two(released[0], released[1], r);
    }
    mean.low = fmin(fmax(mean.low - 1 / ERROR_ONE, 0), 1); /* errors were rounded */
    mean.high = fmin(fmax(mean.high + 1 / ERROR_ONE, 0), 1);
    mean.value = fmin(fmax(mean.value, mean.low), mean.high);
    return mean;
}

/* --- the two functions --------------------------------------------------------------------------------------------------- */

dusk_status dusk_model_score_price(dusk_statement *statement, dusk_metric metric, const dusk_model *model,
                                   const dusk_fields *fields, const dusk_train_options *options,
                                   dusk_error *err)
{
    score_plan plan;
    dusk_status status = plan_score(&plan, metric, model, fields, options, err);
    if (status == DUSK_OK) *statement = plan.statement;
    return status;
}

DUSK_PROVEN(dusk_model_score_release)
dusk_status dusk_model_score_release(double *value, double *low, double *high, dusk_statement *statement,
                                     dusk_metric metric, const dusk_model *model, const dusk_frame *frame,
                                     const dusk_train_options *options, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    score_plan plan;
    learn_slices slices = { .first = 0 };
    dusk_int128 totals[2] = { 0, 0 };
    double released[2];

    DUSK_TRY(plan_score(&plan, metric, model, frame->fields, options, err));
    DUSK_TRY(learn_slices_open(&slices, model, frame, err));
    DUSK_TRY(add_errors(totals, &plan, &slices, err));
    DUSK_TRY(learn_noise_release(&plan.noise, released, totals, gen, err));
    if (DUSK_MUTATE(SCORE_COUNTS_FOR_FREE, 0, 1))
        released[1] = ldexp((double)(totals[0] + totals[1]), -ERROR_BITS) - released[0];
    interval mean = mean_of_errors(&plan, released);
    bool right = metric == DUSK_METRIC_ACCURACY; /* shares of rows that are right, not of errors */
    *value = right ? 1 - mean.value : mean.value * plan.most;
    *low = right ? 1 - mean.high : mean.low * plan.most;
    *high = right ? 1 - mean.low : mean.high * plan.most;
    *statement = plan.statement;
done:
    dusk_wipe(totals, sizeof totals);
    learn_slices_close(&slices);
    return status;
}
