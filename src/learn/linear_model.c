/* SPDX-License-Identifier: Apache-2.0 */
/* Models of linear learners: weights of encoded columns, what they are in the units of the data, how sure they are,
 * and predictions. Nothing here sees private rows, but for those whose prediction is asked for. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/regression.h"
#include "numeric/special.h"

/* --- units of the data -------------------------------------------------------------------------------- */

/* An encoded column is (x - centre) factor, an encoded label (y - middle) / half. So a coefficient is a multiple of one
 * weight; the intercept is a sum over all of them, whose parts go to `mix`. */
static double find_slope(const learn_job *job, size_t i)
{
    const dusk_field *label = job->label_field;
    return (label->upper / 2 - label->lower / 2) * job->features.feature[i].factor;
}

static void find_mix(const learn_job *job, double *mix)
{
    for (size_t i = 0; i < job->features.width; i++) {
        const learn_feature *f = &job->features.feature[i];
        mix[i] = f->column == DUSK_NO_LINK ? find_slope(job, i) : -find_slope(job, i) * f->centre;
    }
}

static double intercept_of(const learn_job *job, const double *mix, const double *weights)
{
    const dusk_field *label = job->label_field;
    double sum = label->lower / 2 + label->upper / 2;
    for (size_t i = 0; i < job->features.width; i++) sum += mix[i] * weights[i];
    return sum;
}

static double variance_along(const double *covariance, const double *direction, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) sum += direction[i] * covariance[i * d + j] * direction[j];
    return sum;
}

/* --- intervals ----------------------------------------------------------------------------------------- */

typedef struct table {
    double *coefficient, *error, *low, *high, *p;
} table;

static void fill_errors(const learn_job *job, const table *t, const double *mix, const double *covariance,
                        double confidence)
{
    const size_t d = job->features.width;
    const double z = dusk_normal_upper_quantile((1 - confidence) / 2);
    for (size_t i = 0; i < d; i++) {
        bool constant = job->features.feature[i].column == DUSK_NO_LINK;
        double slope = find_slope(job, i);
        double variance =
            constant ? variance_along(covariance, mix, d) : slope * slope * covariance[i * d + i];
        double error = sqrt(fmax(variance, 0)), c = t->coefficient[i];
        t->error[i] = error;
        t->low[i] = c - z * error;
        t->high[i] = c + z * error;
        t->p[i] = error > 0 ? erfc(fabs(c) / error * M_SQRT1_2) : c == 0;
    }
}

static dusk_status put_errors(learn_job *job, const table *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    DUSK_TRY(learn_model_put(job->model, "standard_error", 1, d, t->error, err));
    DUSK_TRY(learn_model_put(job->model, "low", 1, d, t->low, err));
    DUSK_TRY(learn_model_put(job->model, "high", 1, d, t->high, err));
    DUSK_TRY(learn_model_put(job->model, "p_value", 1, d, t->p, err));
done:
    return status;
}

dusk_status learn_put_number(learn_job *job, const char *name, double value, dusk_error *err)
{
    return learn_model_put(job->model, name, 1, 1, &value, err);
}

dusk_status learn_put_linear(learn_job *job, const double *weights, const double *covariance,
                             double confidence, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    double *room = NULL, *mix;

    DUSK_NEW(room, 6 * d);
    table t = { room, room + d, room + 2 * d, room + 3 * d, room + 4 * d };
    mix = room + 5 * d;
    find_mix(job, mix);
    double intercept = intercept_of(job, mix, weights);
    for (size_t i = 0; i < d; i++)
        t.coefficient[i] =
            job->features.feature[i].column == DUSK_NO_LINK ? intercept : find_slope(job, i) * weights[i];
    DUSK_TRY(learn_model_put(job->model, "weights", 1, d, weights, err));
    DUSK_TRY(learn_model_put(job->model, "coefficients", 1, d, t.coefficient, err));
    DUSK_TRY(learn_put_number(job, "intercept", intercept, err));
    if (covariance) {
        fill_errors(job, &t, mix, covariance, confidence);
        DUSK_TRY(put_errors(job, &t, err));
    }
done:
    dusk_deallocate(room);
    return status;
}

/* --- predictions ---------------------------------------------------------------------------------------- */

size_t learn_linear_outputs(const dusk_model *model)
{
    (void)model;
    return 1;
}

dusk_status learn_linear_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t rows, d;
    const double *weights = dusk_model_array(model, "weights", &rows, &d);
    const dusk_field *label = &model->fields->field[model->label];
    learn_matrix matrix = { .bound = 0 };

    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    for (size_t i = 0; i < matrix.rows.rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < d; j++) sum += (double)matrix.rows.x[i * d + j] * weights[j];
        out[i] = fmin(fmax(learn_target_value(label, sum), label->lower), label->upper);
    }
done:
    learn_matrix_clear(&matrix);
    return status;
}

bool learn_linear_complete(const dusk_model *model)
{
    size_t rows, d;
    const double *weights = dusk_model_array(model, "weights", &rows, &d);
    if (!weights || rows != 1 || d != model->features.width || model->label == DUSK_NO_LINK) return false;
    if (model->fields->field[model->label].kind != DUSK_FIELD_NUMERIC) return false;
    for (size_t i = 0; i < d; i++)
        if (!isfinite(weights[i])) return false;
    return true;
}
