/* SPDX-License-Identifier: Apache-2.0 */
/* Linear regression on the UCI sets of Wang 2018, as mean squared error in the unit of the largest |label|, so that figures
 * compare with his: five folds, twice. "outside" is his preparation, which looks at the rows and is not private: columns of mean 0
 * and deviation 1, rows of length 1, no constant column. Without it columns are scaled by declared bounds, and all is private.
 * Then time beside the same solver without noise. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"
#include "learn_data.h"

typedef struct linear_case {
    const char *learner, *settings, *data, *label;
    double epsilon;
    bool outside;
    int rounds;         /* of five folds */
    const char *column; /* the only one, besides the label; NULL: all */
} linear_case;

enum { FOLDS = 5 };

/* All rows of a set as one frame; columns are those of the fields, found by name, or by place for fields of other names. */
static dusk_frame *join(const bench_data *data, const dusk_fields *fields)
{
    dusk_frame *out;
    dusk_error err;
    size_t n = data->train->rows, m = data->test->rows;
    bench_require(dusk_frame_new(&out, fields, n + m, &err), &err);
    for (size_t c = 0; c < fields->count; c++) {
        size_t from = dusk_fields_find(data->train->fields, fields->field[c].name);
        if (from == DUSK_NO_LINK) from = c;
        memcpy(out->column[c].number, data->train->column[from].number, n * sizeof(double));
        memcpy(out->column[c].number + n, data->test->column[from].number, m * sizeof(double));
    }
    return out;
}

/* Those of the set, or the two that the case is about. */
static dusk_fields *fields_of(const linear_case *how, const dusk_fields *all)
{
    const char *keep[] = { how->column, how->label };
    dusk_fields *fields;
    dusk_error err;
    bench_require(dusk_fields_copy(&fields, all, how->column ? keep : NULL, how->column ? 2 : 0, &err), &err);
    return fields;
}

static double largest_label(const dusk_frame *frame, const char *label)
{
    double most = 0;
    const double *y = frame->column[dusk_fields_find(frame->fields, label)].number;
    for (size_t i = 0; i < frame->rows; i++) most = fmax(most, fabs(y[i]));
    return most;
}

static dusk_fields *unit_fields(size_t columns)
{
    char text[4096];
    dusk_fields *fields;
    dusk_error err;
    snprintf(text, sizeof text, "x[%zu] numeric -1:1\ny numeric -1:1\n", columns);
    bench_require(dusk_fields_parse(&fields, text, &err), &err);
    return fields;
}

static void standardise(double *x, size_t n)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) mean += x[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
    double deviation = sqrt(square / (double)(n - 1));
    for (size_t i = 0; i < n; i++) x[i] = deviation > 1e-12 ? (x[i] - mean) / deviation : 0;
}

/* Wang's preparation. */
static void prepare_outside(dusk_frame *frame, double most)
{
    const size_t d = frame->fields->count - 1;
    for (size_t c = 0; c < d; c++) standardise(frame->column[c].number, frame->rows);
    for (size_t i = 0; i < frame->rows; i++) {
        double square = 0;
        for (size_t c = 0; c < d; c++) square += frame->column[c].number[i] * frame->column[c].number[i];
        for (size_t c = 0; c < d && square > 0; c++) frame->column[c].number[i] /= sqrt(square);
        frame->column[d].number[i] /= most;
    }
}

/* Rows whose number in `order` leaves `fold`, or those others. */
static dusk_frame *take_fold(const dusk_frame *frame, const size_t *order, size_t fold, bool test)
{
    dusk_frame *out;
    dusk_error err;
    size_t n = 0;
    for (size_t k = 0; k < frame->rows; k++) n += (k % FOLDS == fold) == test;
    bench_require(dusk_frame_new(&out, frame->fields, n, &err), &err);
    n = 0;
    for (size_t k = 0; k < frame->rows; k++) {
        if ((k % FOLDS == fold) != test) continue;
        for (size_t c = 0; c < frame->fields->count; c++)
            out->column[c].number[n] = frame->column[c].number[order[k]];
        n++;
    }
    return out;
}

static double fold_error(const linear_case *how, const dusk_frame *train, const dusk_frame *test,
                         double epsilon, dusk_generator *gen)
{
    char text[256];
    const char *words[8];
    size_t count = 0;
    dusk_train_options options;
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    dusk_error err = { .message = "" };

    snprintf(text, sizeof text, "%s%s", how->settings, how->outside ? " intercept=no norm=1" : "");
    for (char *at = text; count < 8 && *(at += strspn(at, " "));) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
    dusk_train_options_init(&options);
    options.settings = words;
    options.settings_count = count;
    options.label = how->label;
    options.epsilon = epsilon;
    options.delta = 1e-6;
    options.neighbours = DUSK_ADD_REMOVE;
    options.rows = train->rows;
    options.accept_idealised = true;
    bench_require(dusk_training_prepare(&training, how->learner, train->fields, &options, &err), &err);
    bench_require(dusk_training_run(training, &model, train, gen, &err), &err);
    bench_require(dusk_model_score(&scores, model, test, &err), &err);
    dusk_model_free(model);
    dusk_training_free(training);
    return scores.rmse * scores.rmse;
}

/* A new order of rows, by plain arithmetic: the folds need not be secret. */
static void shuffle(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > 1; i--) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        size_t j = (size_t)(*state >> 33) % i, moved = order[i - 1];
        order[i - 1] = order[j];
        order[j] = moved;
    }
}

static void run_folds(const linear_case *how, const dusk_frame *frame, double unit, bench_result *out,
                      dusk_generator *gen)
{
    size_t *order = malloc(frame->rows * sizeof *order);
    double sum = 0, squares = 0, floor = 0, n = FOLDS * how->rounds;
    uint64_t state = 1;
    for (int round = 0; order && round < how->rounds; round++) {
        shuffle(order, frame->rows, &state);
        for (size_t fold = 0; fold < FOLDS; fold++) {
            dusk_frame *train = take_fold(frame, order, fold, false),
                       *test = take_fold(frame, order, fold, true);
            double value = fold_error(how, train, test, how->epsilon, gen) / unit;
            floor += fold_error(how, train, test, 1e6, gen) / unit;
            sum += value;
            squares += value * value;
            dusk_frame_free(train);
            dusk_frame_free(test);
        }
    }
    free(order);
    *out = (bench_result){ .value = sum / n,
                           .floor_value = floor / n,
                           .epsilon = how->epsilon,
                           .spread = sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)),
                           .trainings = FOLDS * how->rounds };
}

static void run_linear(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const linear_case *how = self->setup;
    bench_data data;
    *out = (bench_result){ .value = NAN };
    if (!bench_data_open(&data, how->data)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no %s\n", self->name, how->data);
        return;
    }
    dusk_fields *fields =
        how->outside ? unit_fields(data.train->fields->count - 1) : fields_of(how, data.train->fields);
    dusk_frame *frame = join(&data, fields);
    double most = largest_label(frame, how->label);
    if (how->outside) prepare_outside(frame, most);
    run_folds(how, frame, how->outside ? 1 : most * most, out, gen);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    bench_data_close(&data);
}

/* --- time ------------------------------------------------------------------------------------------------------- */

typedef struct fit {
    dusk_frame *frame;
    dusk_training *training;
    dusk_generator *gen;
    double *plain; /* (d + 1)^2 sums, then weights */
} fit;

static void fit_private(void *context)
{
    fit *f = context;
    dusk_model *model;
    dusk_error err;
    bench_require(dusk_training_run(f->training, &model, f->frame, f->gen, &err), &err);
    dusk_model_free(model);
}

enum { BLOCK = 512 };

/* Columns by their bounds to [-1, 1], a constant column, sums by BLAS in doubles, a solution: no privacy at all. */
static void fit_plain(void *context)
{
    fit *f = context;
    const size_t d = f->frame->fields->count, width = d; /* the label is left out, the constant comes in */
    double *block = malloc(BLOCK * width * sizeof *block), *y = malloc(BLOCK * sizeof *y),
           *b = calloc(width, sizeof *b);
    memset(f->plain, 0, width * width * sizeof *f->plain);
    for (size_t first = 0; first < f->frame->rows; first += BLOCK) {
        size_t n = f->frame->rows - first < BLOCK ? f->frame->rows - first : BLOCK;
        for (size_t c = 0; c + 1 < d; c++) {
            const dusk_field *field = &f->frame->fields->field[c];
            const double *from = f->frame->column[c].number + first,
                         centre = (field->lower + field->upper) / 2,
                         factor = 2 / (field->upper - field->lower);
            for (size_t i = 0; i < n; i++) block[i * width + c] = (from[i] - centre) * factor;
        }
        for (size_t i = 0; i < n; i++) block[i * width + width - 1] = 1;
        memcpy(y, f->frame->column[d - 1].number + first, n * sizeof *y);
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)width, (int)n, 1, block, (int)width, 1,
                    f->plain, (int)width);
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)width, 1, block, (int)width, y, 1, 1, b, 1);
    }
    (void)LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (int)width, 1, f->plain, (int)width, b, 1);
    memcpy(f->plain, b, width * sizeof *b);
    free(block);
    free(y);
    free(b);
}

static dusk_frame *random_frame(size_t rows, size_t columns)
{
    dusk_fields *fields = unit_fields(columns);
    dusk_frame *frame;
    dusk_error err;
    uint64_t state = 1;
    bench_require(dusk_frame_new(&frame, fields, rows, &err), &err);
    for (size_t c = 0; c <= columns; c++)
        for (size_t i = 0; i < rows; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            frame->column[c].number[i] = (double)(state >> 11) * 0x1p-52 - 1;
        }
    dusk_fields_free(fields);
    return frame;
}

static fit open_fit(size_t rows, size_t columns, dusk_generator *gen)
{
    dusk_train_options options;
    dusk_error err = { .message = "" };
    fit f = { .gen = gen, .frame = random_frame(rows, columns) };
    f.plain = malloc((columns + 1) * (columns + 1) * sizeof *f.plain);
    dusk_train_options_init(&options);
    options.label = "y";
    options.epsilon = 1;
    options.delta = 1e-6;
    options.neighbours = DUSK_ADD_REMOVE;
    bench_require(dusk_training_prepare(&f.training, "linear", f.frame->fields, &options, &err), &err);
    return f;
}

static void close_fit(fit *f)
{
    dusk_training_free(f->training);
    dusk_frame_free(f->frame);
    free(f->plain);
}

static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    fit f = open_fit(1000000, *(const size_t *)self->setup, gen);
    bench_times times = bench_compare(fit_private, fit_plain, &f);
    *out = (bench_result){ .value = times.work, .floor_value = times.floor };
    close_fit(&f);
}

/* --- cases ------------------------------------------------------------------------------------------------------ */

#define CASE(learner, set, words, e, ...)                                                                    \
    {                                                                                                        \
        "learn/" learner "/" set "/" words "/epsilon-" #e,                                                   \
            "mean squared error in units of the largest label, delta 1e-6", "mse", "epsilon 10^6", "",       \
            run_linear, &(const linear_case)                                                                 \
        {                                                                                                    \
            learner, __VA_ARGS__                                                                             \
        }                                                                                                    \
    }
#define OUTSIDE(learner, set, e, rounds) CASE(learner, set, "outside", e, "", set, "y", e, true, rounds, NULL)
#define PRIVATE(learner, set, e, rounds)                                                                     \
    CASE(learner, set, "private", e, "scaling=standard norm=2", set, "y", e, false, rounds, NULL)
/* The six that the notes on AdaSSP have. */
#define SIX(KIND, learner)                                                                                   \
    KIND(learner, "airfoil", 0.1, 8), KIND(learner, "bike", 0.1, 2), KIND(learner, "bike", 1, 2),            \
        KIND(learner, "protein", 0.1, 2), KIND(learner, "pol", 0.1, 2), KIND(learner, "pol", 1, 2)

#define FOUR(learner)                                                                                        \
    PRIVATE(learner, "bike", 0.1, 2), PRIVATE(learner, "bike", 0.3, 2), PRIVATE(learner, "bike", 1, 2),      \
        PRIVATE(learner, "bike", 3, 2)

static const size_t narrow = 20, wide = 100;

const bench_case bench_learn_linear_cases[] = {
    { "learn/linear/time/1e6x20", "a fit on 10^6 rows of 20 numbers in memory (scikit-learn: 1.62 s)", "s",
      "the same sums by cblas_dsyrk in doubles, and a solution", "ratio <= 1.1", run_time, &narrow },
    { "learn/linear/time/1e6x100", "a fit on 10^6 rows of 100 numbers in memory", "s",
      "the same sums by cblas_dsyrk in doubles, and a solution", "ratio <= 1.1", run_time, &wide },
    SIX(OUTSIDE, "linear"),
    SIX(PRIVATE, "linear"),
    SIX(OUTSIDE, "bayes_linear"),
    SIX(PRIVATE, "bayes_linear"),
    FOUR("lasso"),
    FOUR("aggregate_linear"),
    FOUR("posterior_linear"),
    PRIVATE("linear", "bike", 0.3, 2),
    PRIVATE("linear", "bike", 3, 2),
    PRIVATE("bayes_linear", "bike", 0.3, 2),
    PRIVATE("bayes_linear", "bike", 3, 2),
    CASE("posterior_linear", "bike", "adaptive", 1, "method=adaptive scaling=standard norm=2", "bike", "y", 1,
         false, 2, NULL),
    PRIVATE("aggregate_linear", "protein", 1, 2),
    PRIVATE("lasso", "pol", 1, 2),
    CASE("theil_sen", "california", "one", 0.1, "", "california", "median_house_value", 0.1, false, 2,
         "median_income"),
    CASE("theil_sen", "california", "one", 1, "", "california", "median_house_value", 1, false, 2,
         "median_income"),
    CASE("linear", "california", "one", 0.1, "", "california", "median_house_value", 0.1, false, 2,
         "median_income"),
    CASE("linear", "california", "one", 1, "", "california", "median_house_value", 1, false, 2,
         "median_income"),
    { .name = NULL },
};
