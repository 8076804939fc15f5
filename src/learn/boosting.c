/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient boosting of one column at a time: an additive model whose every part can be looked at [Nori, Caruana, Bu, Shen &
 * Kulkarni 2021, "DP-EBM"]. The model is intercept + sum over columns j of f_j(bin of column j). In turn, round after round, the
 * residuals of all rows are added up by the bins of one column, exactly, released with noise, and f_j moves.
 *
 * What differs from the paper: all bins of a column are moved at once by a step that knows how large the noise is (shape_step.c),
 * instead of a few random leaves; the whole is one Gaussian budget. Not here: pairs of columns, and more than two classes.
 * Proof: boosting.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/bins.h"
#include "learn/learner.h"
#include "learn/shape_step.h"

/* Margins, like targets, are whole numbers of steps of 1 / LEARN_ONE. A part of the model is at most 16. */
#define PART_MOST 16.0
/* The logistic function in a table: 8192 places for margins within +-8. */
enum { TABLE_BITS = 13, TABLE_SHIFT = LEARN_BITS + 4 - TABLE_BITS, TABLE_SIZE = 1 << TABLE_BITS };

typedef struct boosting_plan {
    learn_bins bins;
    learn_noise start, counts, sums;
    bool logistic;
    int32_t clip; /* residuals end there, in steps */
    size_t rounds;
    double drift;
    int32_t chance[TABLE_SIZE]; /* of the second category, by margin, in steps */
} boosting_plan;

/* The moving parts of a fit. */
typedef struct boosting {
    const boosting_plan *plan;
    learn_job *job;
    learn_codes codes;
    int32_t *margin;             /* of each row */
    int64_t *sum;                /* widest */
    dusk_int128 *total;          /* widest */
    double *released;            /* widest */
    double *shape;               /* of all bins: f, a whole number of steps of 1 / LEARN_ONE */
    double *count;               /* of all bins, released */
    double *evidence, *variance; /* of all bins: shape_known */
    int32_t *move;               /* widest: what the last step did */
    shape_step step;
} boosting;

/* --- residuals ------------------------------------------------------------------------------------------------------------- */

static int32_t chance_of(const boosting_plan *p, int32_t margin)
{
    const int32_t most = TABLE_SIZE / 2 << TABLE_SHIFT;
    int32_t place = margin > -most ? margin + most : 0;
    return p->chance[margin < most ? place >> TABLE_SHIFT : TABLE_SIZE - 1];
}

/* Of a row whose label is `target`: within +-clip, for any margin. */
DUSK_PROVEN(residual)
static inline int32_t residual(const boosting_plan *p, int32_t target, int32_t margin)
{
    int32_t most = DUSK_MUTATE(BOOSTING_NEVER_CLIPS, p->clip, INT32_MAX);
    int32_t r = p->logistic ? (target > 0) * (int32_t)LEARN_ONE - chance_of(p, margin) : target - margin;
    r = r < most ? r : most;
    return r > -most ? r : -most;
}

/* Exact sums by the bins of column j. */
DUSK_PROVEN(add_up)
static void add_up(const boosting *b, size_t j)
{
    const uint16_t *code = b->codes.code[j];
    memset(b->sum, 0, b->plan->bins.widest * sizeof *b->sum);
    for (size_t i = 0; i < b->codes.rows; i++)
        b->sum[code[i]] += residual(b->plan, b->codes.target[i], b->margin[i]);
}

static void count_up(const boosting *b, size_t j)
{
    const uint16_t *code = b->codes.code[j];
    memset(b->sum, 0, b->plan->bins.widest * sizeof *b->sum);
    for (size_t i = 0; i < b->codes.rows; i++) b->sum[code[i]]++;
}

static dusk_status release(const boosting *b, const learn_noise *noise, dusk_generator *gen, dusk_error *err)
{
    for (size_t v = 0; v < noise->dimension; v++) b->total[v] = b->sum[v];
    return learn_noise_release(noise, b->released, b->total, gen, err);
}

/* --- plan ---------------------------------------------------------------------------------------------------------------------- */

static void make_chances(boosting_plan *p)
{
    for (int place = 0; place < TABLE_SIZE; place++) {
        double margin = ((double)(place - TABLE_SIZE / 2) + 0.5) * ldexp(1, TABLE_SHIFT) / LEARN_ONE;
        p->chance[place] = (int32_t)fmin(LEARN_ONE / (1 + exp(-margin)), LEARN_ONE);
    }
}

/* Without delta a round costs as much as all others: few of them. */
static size_t rounds_of(const learn_job *job)
{
    size_t rounds = (size_t)learn_setting(job, "rounds");
    if (rounds > 0) return rounds;
    return job->budget.delta > 0 ? 16 : 2;
}

static void forget(void *plan)
{
    boosting_plan *p = plan;
    if (p) learn_bins_clear(&p->bins);
    dusk_deallocate(p);
}

DUSK_PROVEN(plan)
static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    boosting_plan *p = NULL;
    const double share = learn_setting(job, "counts_share");

    DUSK_NEW(p, 1);
    job->plan = p;
    p->logistic = job->learner->shown.task == DUSK_TASK_BINARY;
    p->clip = (int32_t)floor((p->logistic ? 1 : learn_setting(job, "clip")) * LEARN_ONE);
    p->rounds = rounds_of(job);
    p->drift = learn_setting(job, "drift");
    if (p->logistic) make_chances(p);
    DUSK_TRY(learn_bins_init(&p->bins, job->fields, job->label, (size_t)learn_setting(job, "bins"), err));
    const uint32_t widest = (uint32_t)p->bins.widest;
    const size_t columns = p->bins.columns;
    DUSK_TRY(learn_budget_cells(&job->budget, &p->counts, widest, 1, 0, share, columns, err));
    DUSK_TRY(learn_budget_cells(&job->budget, &p->start, 1, p->clip, -LEARN_BITS, 0.02, 1, err));
    DUSK_TRY(learn_budget_cells(&job->budget, &p->sums, widest,
                                DUSK_MUTATE(BOOSTING_HALF_SENSITIVE, p->clip, p->clip / 2), -LEARN_BITS,
                                job->budget.left, p->rounds * columns, err));
    learn_say(job, "the sum of the residuals of all rows, with noise of deviation %.4g", p->start.deviation);
    learn_say(job, "%zu column%s, %zu bins in all: how many rows are in each, with noise of deviation %.4g",
              columns, columns == 1 ? "" : "s", p->bins.first[columns], p->counts.deviation);
    learn_say(job,
              "%zu rounds, column by column: sums of residuals in each bin, at most %.3g a row, with noise "
              "of deviation %.4g",
              p->rounds, p->clip / LEARN_ONE, p->sums.deviation);
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------------ */

static dusk_status open(boosting *b, const dusk_frame *frame, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &b->plan->bins;
    DUSK_TRY(learn_codes_make(&b->codes, bins, frame, err));
    DUSK_NEW(b->margin, b->codes.rows);
    DUSK_NEW(b->sum, bins->widest);
    DUSK_NEW(b->total, bins->widest);
    DUSK_NEW(b->released, bins->widest);
    DUSK_NEW(b->shape, bins->first[bins->columns]);
    DUSK_NEW(b->count, bins->first[bins->columns]);
    DUSK_NEW(b->evidence, bins->first[bins->columns]);
    DUSK_NEW(b->variance, bins->first[bins->columns]);
    for (size_t v = 0; v < bins->first[bins->columns]; v++) b->variance[v] = -1;
    DUSK_NEW(b->move, bins->widest);
    DUSK_TRY(shape_step_open(&b->step, bins->widest, err));
done:
    return status;
}

static void close(boosting *b)
{
    const learn_bins *bins = &b->plan->bins;
    if (b->margin) dusk_wipe(b->margin, b->codes.rows * sizeof *b->margin);
    if (b->sum) dusk_wipe(b->sum, bins->widest * sizeof *b->sum);
    if (b->total) dusk_wipe(b->total, bins->widest * sizeof *b->total);
    learn_codes_clear(&b->codes);
    dusk_deallocate(b->margin);
    dusk_deallocate(b->sum);
    dusk_deallocate(b->total);
    dusk_deallocate(b->released);
    dusk_deallocate(b->shape);
    dusk_deallocate(b->count);
    dusk_deallocate(b->evidence);
    dusk_deallocate(b->variance);
    dusk_deallocate(b->move);
    shape_step_close(&b->step);
}

/* How many rows are in each bin, and in all: the mean of the columns' totals, as each counts all rows. */
static dusk_status fit_counts(boosting *b, double *rows, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &b->plan->bins;
    double all = 0;
    for (size_t j = 0; j < bins->columns; j++) {
        count_up(b, j);
        DUSK_TRY(release(b, &b->plan->counts, gen, err));
        for (size_t v = bins->first[j]; v < bins->first[j + 1]; v++) {
            b->count[v] = b->released[v - bins->first[j]];
            all += b->count[v];
        }
    }
    *rows = fmax(all / (double)bins->columns, 1);
done:
    return status;
}

/* The first margin of all rows, in steps, from the noisy sum of residuals at 0. */
static dusk_status fit_start(boosting *b, double *intercept, double rows, dusk_generator *gen,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t sum = 0;
    double mean;
    for (size_t i = 0; i < b->codes.rows; i++) sum += residual(b->plan, b->codes.target[i], 0);
    b->sum[0] = sum;
    DUSK_TRY(release(b, &b->plan->start, gen, err));
    mean = b->released[0] / rows;
    if (b->plan->logistic) {
        double chance = fmin(fmax(0.5 + mean, 0.02), 0.98);
        mean = log(chance / (1 - chance));
        b->step.curvature = fmax(chance * (1 - chance), 0.16);
    } else {
        mean = fmin(fmax(mean, -1), 1);
        b->step.curvature = 1;
    }
    *intercept = rint(mean * LEARN_ONE);
    for (size_t i = 0; i < b->codes.rows; i++) b->margin[i] = (int32_t)*intercept;
done:
    return status;
}

/* Move f_j by what was released, and the margins of rows with it. */
static void move_column(boosting *b, size_t j)
{
    const learn_bins *bins = &b->plan->bins;
    const size_t first = bins->first[j];
    const uint16_t *code = b->codes.code[j];
    const shape_known known = { .counts = b->count + first,
                                .evidence = b->evidence + first,
                                .variance = b->variance + first,
                                .n = bins->first[j + 1] - first,
                                .ordered = learn_bins_ordered(bins, b->job->fields, j) };
    shape_step_solve(&b->step, &known, b->released, b->shape + first);
    for (size_t v = 0; v < known.n; v++) {
        double *f = &b->shape[first + v], from = *f;
        *f = rint(fmin(fmax(b->step.answer[v], -PART_MOST), PART_MOST) * LEARN_ONE) / LEARN_ONE;
        b->move[v] = (int32_t)((*f - from) * LEARN_ONE);
    }
    for (size_t i = 0; i < b->codes.rows; i++) b->margin[i] += b->move[code[i]];
}

static dusk_status fit_rounds(boosting *b, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t columns = b->plan->bins.columns;
    for (size_t t = 0; t < b->plan->rounds; t++)
        for (size_t j = 0; j < columns; j++) {
            b->step.drift = b->plan->drift / (double)(t + 1);
            add_up(b, j);
            DUSK_TRY(release(b, &b->plan->sums, gen, err));
            move_column(b, j);
            learn_progress(b->job, (double)(t * columns + j + 1) / (double)(b->plan->rounds * columns));
        }
done:
    return status;
}

static dusk_status put_model(const boosting *b, double intercept, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_bins *bins = &b->plan->bins;
    const size_t all = bins->first[bins->columns];
    intercept /= LEARN_ONE;
    DUSK_TRY(learn_model_put(b->job->model, "shapes", 1, all, b->shape, err));
    DUSK_TRY(learn_model_put(b->job->model, "counts", 1, all, b->count, err));
    DUSK_TRY(learn_model_put(b->job->model, "bins", 1, all, bins->edge, err));
    DUSK_TRY(learn_model_put(b->job->model, "intercept", 1, 1, &intercept, err));
done:
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const boosting_plan *p = job->plan;
    boosting b = { .plan = p, .job = job };
    double rows, intercept;

    DUSK_TRY(open(&b, frame, err));
    DUSK_TRY(fit_counts(&b, &rows, gen, err));
    DUSK_TRY(fit_start(&b, &intercept, rows, gen, err));
    b.step.noise = p->sums.deviation;
    DUSK_TRY(fit_rounds(&b, gen, err));
    DUSK_TRY(put_model(&b, intercept, err));
done:
    close(&b);
    return status;
}

/* --- prediction --------------------------------------------------------------------------------------------------------------- */

static dusk_status model_bins(learn_bins *out, const dusk_model *model, dusk_error *err)
{
    return learn_bins_init(out, model->fields, model->label, learn_model_whole(model, "bins", 0), err);
}

static size_t outputs(const dusk_model *model)
{
    return model->learner->shown.task == DUSK_TASK_BINARY ? 2 : 1;
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool logistic = model->learner->shown.task == DUSK_TASK_BINARY;
    const dusk_field *label = &model->fields->field[model->label];
    learn_bins bins = { 0 };
    learn_codes codes = { 0 };
    size_t one, all;
    const double *shape = dusk_model_array(model, "shapes", &one, &all);

    DUSK_TRY(model_bins(&bins, model, err));
    DUSK_TRY(learn_codes_make_all(&codes, &bins, frame, err));
    for (size_t i = 0; i < codes.rows; i++) {
        double margin = learn_model_number(model, "intercept", 0);
        for (size_t j = 0; j < bins.columns; j++) margin += shape[bins.first[j] + codes.code[j][i]];
        if (logistic) {
            out[2 * i] = 1 / (1 + exp(margin));
            out[2 * i + 1] = 1 / (1 + exp(-margin));
        } else {
            out[i] = learn_target_value(label, fmin(fmax(margin, -1), 1) * LEARN_ONE);
        }
    }
done:
    learn_codes_clear(&codes);
    learn_bins_clear(&bins);
    return status;
}

static bool complete(const dusk_model *model)
{
    learn_bins bins = { 0 };
    size_t rows, columns, one;
    const double *shape = dusk_model_array(model, "shapes", &rows, &columns);
    const double *intercept = dusk_model_array(model, "intercept", &one, &one);
    bool fine = shape && intercept && one == 1 && isfinite(*intercept) && rows == 1 &&
                model->label != DUSK_NO_LINK && model_bins(&bins, model, NULL) == DUSK_OK &&
                bins.first[bins.columns] == columns;
    for (size_t v = 0; fine && v < columns; v++) fine = isfinite(shape[v]);
    learn_bins_clear(&bins);
    return fine;
}

#define COMMON_SETTINGS                                                                                      \
    { "bins", "32", NULL, 1, LEARN_BINS_MOST, true, "equal parts of the bounds of a number" },               \
        { "rounds", "0", NULL, 0, 1000, true, "times each column moves; 0: 16, and 2 without delta" },       \
        { "drift", "0.5", NULL, 0, 100, false, "how far a part may still move after the first round" },      \
    {                                                                                                        \
        "counts_share", "0.1", NULL, 0.001, 0.9, false, "of the budget, for how many rows are in a bin"      \
    }

static const dusk_setting settings[] = {
    COMMON_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

static const dusk_setting number_settings[] = {
    COMMON_SETTINGS,
    { "clip", "0.5", NULL, 0.001, 2, false, "residuals end there; 1: half of the range of the label" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_boosting = {
    .shown = { "boosting", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "an additive model of two categories, by boosting one column at a time",
               "Nori, Caruana, Bu, Shen & Kulkarni 2021", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};

const learn_learner learn_boosting_numbers = {
    .shown = { "boosting_numbers", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "an additive model of a number, by boosting one column at a time",
               "Nori, Caruana, Bu, Shen & Kulkarni 2021", number_settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
