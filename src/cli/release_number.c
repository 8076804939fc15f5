/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release laplace, gaussian, discrete-laplace, discrete-gaussian: a number
 * or a vector with noise on a grid; staircase, truncated-laplace, sinh-normal: one number. How many numbers there are
 * is public. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

/* Calibrate for so many coordinates. */
typedef dusk_status calibrate(const release_job *job, dusk_noise *out, uint32_t dimension, dusk_error *err);

static int grid_or(const release_job *job, int fallback)
{
    return release_given(job, "grid") ? (int)job->settings->grid : fallback;
}

static dusk_status calibrate_laplace(const release_job *job, dusk_noise *out, uint32_t dimension,
                                     dusk_error *err)
{
    const release_settings *s = job->settings;
    return dusk_laplace_init(out, dimension, s->sensitivity, s->epsilon, grid_or(job, DUSK_GRID_DEFAULT),
                             err);
}

static dusk_status calibrate_gaussian(const release_job *job, dusk_noise *out, uint32_t dimension,
                                      dusk_error *err)
{
    const release_settings *s = job->settings;
    int grid = grid_or(job, DUSK_GRID_DEFAULT);
    return s->classical
               ? dusk_gaussian_classical_init(out, dimension, s->sensitivity, s->epsilon, s->delta, grid, err)
               : dusk_gaussian_init(out, dimension, s->sensitivity, s->epsilon, s->delta, grid, err);
}

static dusk_status calibrate_discrete_laplace(const release_job *job, dusk_noise *out, uint32_t dimension,
                                              dusk_error *err)
{
    const release_settings *s = job->settings;
    return dusk_discrete_laplace_init(out, dimension, s->sensitivity, s->epsilon, grid_or(job, 0), err);
}

static dusk_status calibrate_discrete_gaussian(const release_job *job, dusk_noise *out, uint32_t dimension,
                                               dusk_error *err)
{
    const release_settings *s = job->settings;
    return dusk_discrete_gaussian_init(out, dimension, s->sensitivity, s->epsilon, s->delta, grid_or(job, 0),
                                       err);
}

static dusk_status check_single(const release_job *job, uint32_t dimension, dusk_error *err)
{
    if (dimension == 1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_PARSE, "laplace and gaussian take vectors", "%s releases one number",
                     job->mechanism->name);
}

static dusk_status calibrate_staircase(const release_job *job, dusk_noise *out, uint32_t dimension,
                                       dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status = check_single(job, dimension, err);
    double gamma = s->squared ? DUSK_GAMMA_SQUARED : DUSK_GAMMA_ABSOLUTE;
    if (status != DUSK_OK) return status;
    if (release_given(job, "gamma")) {
        if (s->squared || !(s->gamma > 0 && s->gamma < 1))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                             s->squared ? "give --gamma or --squared, not both"
                                        : "--gamma must be above 0 and below 1");
        gamma = s->gamma;
    }
    return dusk_staircase_init(out, s->sensitivity, s->epsilon, gamma, grid_or(job, DUSK_GRID_DEFAULT), err);
}

static dusk_status calibrate_truncated_laplace(const release_job *job, dusk_noise *out, uint32_t dimension,
                                               dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status = check_single(job, dimension, err);
    if (status != DUSK_OK) return status;
    return dusk_truncated_laplace_init(out, s->sensitivity, s->epsilon, s->delta,
                                       grid_or(job, DUSK_GRID_DEFAULT), err);
}

static dusk_status calibrate_sinh_normal(const release_job *job, dusk_noise *out, uint32_t dimension,
                                         dusk_error *err)
{
    const release_settings *s = job->settings;
    bool rho = release_given(job, "rho"), omega = release_given(job, "omega");
    int grid = grid_or(job, DUSK_GRID_DEFAULT);
    dusk_status status = check_single(job, dimension, err);
    if (status != DUSK_OK) return status;
    if (release_given(job, "epsilon") == (rho || omega) || rho != omega)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "sinh-normal needs --epsilon, or --rho and --omega");
    if (rho && !(s->delta > 0 && s->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1");
    return rho ? dusk_sinh_normal_tcdp_init(out, s->sensitivity, s->rho, s->omega, grid, err)
               : dusk_sinh_normal_init(out, s->sensitivity, s->epsilon, s->delta, grid, err);
}

/* The delta at which the statement names an epsilon. */
static double delta_of(const release_job *job, const dusk_noise *noise)
{
    return noise->law == DUSK_SINH_NORMAL ? job->settings->delta : noise->promise.delta;
}

/* What follows from the public parameters alone. */
static dusk_status state(const release_job *job, const dusk_noise *noise, dusk_statement *out,
                         double *half_width, dusk_error *err)
{
    char fact[128], sensitivity[64];
    dusk_text text;
    dusk_event event;
    dusk_status status;
    bool l1 = noise->law == DUSK_LAPLACE || noise->law == DUSK_DISCRETE_LAPLACE;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, noise->sensitivity);
    dusk_text_add(&text, "%s sensitivity %s", noise->dimension == 1 ? "" : l1 ? "l1" : "l2", sensitivity);
    if (noise->dimension > 1) dusk_text_add(&text, " of %u public coordinates", noise->dimension);
    DUSK_TRY(dusk_noise_event(noise, &event, err));
    DUSK_TRY(release_state(job, out, &event, delta_of(job, noise), fact + (fact[0] == ' '), err));
    DUSK_TRY(dusk_noise_interval(noise, half_width, job->settings->confidence, err));
done:
    return status;
}

/* Truncated noise, and half a step for the rounding of the value. */
static double furthest(const dusk_noise *noise) { return noise->shape + ldexp(0.5, noise->grid); }

static void describe_interval(const release_job *job, release_receipt *receipt, const dusk_noise *noise,
                              const double *answers, double half_width)
{
    size_t n = noise->dimension;
    char range[200];
    dusk_text text;
    double percent = 100 * job->settings->confidence;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    if (answers && n == 1) {
        dusk_format_interval(range, sizeof range, answers[0] - half_width, answers[0] + half_width);
        dusk_text_add(&text, "the exact value is between %s with %g %% confidence", range, percent);
    } else {
        dusk_format_width(range, sizeof range, half_width);
        dusk_text_add(&text, "%s within %s of the exact %s with %g %% confidence",
                      !answers ? "the answer will be" : "all answers are", range, n > 1 ? "values" : "value",
                      percent);
    }
    if (noise->law == DUSK_TRUNCATED_LAPLACE) {
        dusk_format_width(range, sizeof range, furthest(noise));
        dusk_text_add(&text, ", and within %s in any case", range);
    }
}

static void print_json(release_job *job, const dusk_noise *noise, const double *answers, double half_width)
{
    size_t n = noise->dimension;
    dusk_json *json = &job->json;
    dusk_json_key(json, n > 1 ? "values" : "value");
    if (n > 1) dusk_json_open(json, '[');
    for (size_t i = 0; answers && i < n; i++) dusk_json_number(json, answers[i]);
    if (n > 1) dusk_json_close(json, ']');
    if (!answers) dusk_json_null(json);
    if (answers && n == 1) release_json_interval(job, answers[0] - half_width, answers[0] + half_width);
    dusk_json_number_field(json, "half_width", half_width);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
    if (noise->law == DUSK_TRUNCATED_LAPLACE) {
        dusk_json_number_field(json, "furthest", furthest(noise));
    }
}

/* Print answers (NULL: a dry run) and the receipt. */
static dusk_status report(release_job *job, const dusk_noise *noise, const double *answers, dusk_error *err)
{
    dusk_status status;
    dusk_statement statement;
    double half_width = 0;
    release_receipt receipt = { .statement = &statement };
    DUSK_TRY(state(job, noise, &statement, &half_width, err));
    if (release_json(job)) {
        print_json(job, noise, answers, half_width);
    } else {
        for (size_t i = 0; answers && i < noise->dimension; i++) {
            dusk_print_number(stdout, answers[i]);
            fputc('\n', stdout);
        }
    }
    if (!release_given(job, "value"))
        snprintf(receipt.input, sizeof receipt.input, "what is not a number counts as 0");
    describe_interval(job, &receipt, noise, answers, half_width);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    return status;
}

static dusk_status read_values(const release_job *job, double **values, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (release_given(job, "value")) {
        DUSK_NEW(*values, 1);
        **values = job->settings->value;
        *n = 1;
        return DUSK_OK;
    }
    DUSK_TRY(release_read(job, values, n, err));
    if (*n == 0)
        return dusk_fail(err, DUSK_ERR_PARSE, job->mechanism->example, "there is no number to release");
    if (*n > UINT32_MAX)
        return dusk_fail(err, DUSK_ERR_PARSE, "release it in parts", "a vector has at most %u numbers",
                         UINT32_MAX);
done:
    return status;
}

static dusk_status release_noise(release_job *job, calibrate *make, dusk_error *err)
{
    dusk_status status;
    dusk_noise noise;
    dusk_statement statement;
    double *values = NULL, *answers = NULL, half_width;
    size_t n = 0;
    /* Everything public is checked before the data is opened. */
    DUSK_TRY(make(job, &noise, 1, err));
    DUSK_TRY(state(job, &noise, &statement, &half_width, err));
    if (job->settings->dry_run) return report(job, &noise, NULL, err);
    DUSK_TRY(read_values(job, &values, &n, err));
    if (n > 1) DUSK_TRY(make(job, &noise, (uint32_t)n, err));
    DUSK_NEW(answers, n);
    DUSK_TRY(dusk_noise_release_vector(&noise, answers, values, job->gen, err));
    DUSK_TRY(report(job, &noise, answers, err));
done:
    dusk_numbers_free(values, n);
    dusk_deallocate(answers);
    return status;
}

dusk_status release_laplace(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_laplace, err);
}

dusk_status release_gaussian(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_gaussian, err);
}

dusk_status release_discrete_laplace(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_discrete_laplace, err);
}

dusk_status release_discrete_gaussian(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_discrete_gaussian, err);
}

dusk_status release_staircase(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_staircase, err);
}

dusk_status release_truncated_laplace(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_truncated_laplace, err);
}

dusk_status release_sinh_normal(release_job *job, dusk_error *err)
{
    return release_noise(job, calibrate_sinh_normal, err);
}
