/* SPDX-License-Identifier: Apache-2.0 */
/* What learners have in common while they plan and fit: settings, words, features, and how many rows there are. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "learn/learner.h"
#include "learn/scaling.h"

static size_t find_setting(const learn_job *job, const char *name)
{
    const dusk_setting *settings = job->learner->shown.settings;
    for (size_t i = 0; settings[i].name; i++)
        if (!strcmp(settings[i].name, name)) return i;
    return DUSK_NO_LINK;
}

double learn_setting(const learn_job *job, const char *name)
{
    const size_t i = find_setting(job, name);
    return i == DUSK_NO_LINK ? (double)NAN : job->setting[i];
}

const char *learn_text(const learn_job *job, const char *name)
{
    const size_t i = find_setting(job, name);
    return i == DUSK_NO_LINK ? "" : job->text[i];
}

int learn_choice(const learn_job *job, const char *name) { return (int)learn_setting(job, name); }

void learn_say(learn_job *job, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    dusk_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    dusk_buffer_add(&job->said, "%s\n", line);
}

void learn_progress(const learn_job *job, double part)
{
    if (job->progress) job->progress(job->progress_context, part);
}

bool learn_is_observed(const learn_job *job, uint64_t step)
{
    const uint64_t twentieth = job->steps / 20 > 0 ? job->steps / 20 : 1;
    const uint64_t every = job->check_every > 0 ? job->check_every : twentieth;
    return job->check_rows && job->observe && (step % every == 0 || step == job->steps);
}

void learn_observe(const learn_job *job, const dusk_train_point *point)
{
    job->observe(job->observe_context, point);
}

dusk_status learn_refuse_versions(const learn_job *job, const char *hint, dusk_error *err)
{
    if (!job->budget.versions) return DUSK_OK;
    return dusk_fail(
        err, DUSK_ERR_UNSUPPORTED, hint,
        "%s has no versions with less noise: with these settings one release follows from another",
        job->learner->shown.name);
}

dusk_status learn_plan_features(learn_job *job, bool constant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool standard = learn_choice(job, "scaling") == 1;
    double norm = learn_setting(job, "norm");
    DUSK_TRY(learn_features_init(&job->features, job->fields, job->label, constant,
                                 standard && norm == 0 ? 1 : norm, err));
    if (standard &&
        norm == 0) { /* few rows are twice as long as most; what deviations will be is not known yet */
        norm = fmin(2 * learn_typical_length(&job->features), LEARN_NORM_MOST);
        learn_features_clear(&job->features);
        DUSK_TRY(learn_features_init(&job->features, job->fields, job->label, constant, norm, err));
    }
    DUSK_TRY(learn_labels_leave_out(&job->labels, &job->features, err));
    learn_say(job, "rows are vectors of %zu column%s, at most %.4g long", job->features.width,
              job->features.width == 1 ? "" : "s", job->features.norm);
    if (standard) DUSK_TRY(learn_refuse_versions(job, "use scaling=bounds", err));
    if (standard) DUSK_TRY(learn_plan_scaling(job, learn_setting(job, "scaling_share"), err));
done:
    return status;
}

dusk_status learn_fit_features(learn_job *job, learn_matrix *out, const dusk_frame *frame,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = learn_fit_scaling(job, frame, gen, err);
    return status == DUSK_OK ? learn_matrix_make(out, &job->features, frame, err) : status;
}

dusk_status learn_plan_count(learn_job *job, learn_noise *noise, double share, dusk_error *err)
{
    *noise = (learn_noise){ .dimension = 0 };
    if (job->rows > 0) {
        learn_say(job, "the number of rows is declared: %llu", (unsigned long long)job->rows);
        return DUSK_OK;
    }
    if (job->plain || job->budget.multiplier > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --rows N",
                         "without an epsilon there is nothing to pay a count of the rows with");
    dusk_status status = learn_budget_noise(&job->budget, noise, 1, 1, 0, share, 1, err);
    if (status == DUSK_OK)
        learn_say(job, "the number of rows, with noise of deviation %.4g", noise->deviation);
    return status;
}

dusk_status learn_fit_count(const learn_job *job, const learn_noise *noise, double *count, size_t rows,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 total = (dusk_int128)rows;
    double noisy;
    if (noise->dimension == 0) {
        *count = (double)job->rows;
        return DUSK_OK;
    }
    DUSK_TRY(learn_noise_release(noise, &noisy, &total, gen, err));
    *count = fmax(noisy, 1);
done:
    return status;
}

dusk_status learn_assume_rows(dusk_statement *statement, const dusk_fields *fields, uint64_t rows,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t most = fields->rows_per_unit;
    char text[64];
    if (most > 1 || strcmp(fields->unit, "row") != 0) {
        snprintf(text, sizeof text, "at most %u row%s a unit", most, most > 1 ? "s" : "");
        DUSK_TRY(dusk_statement_assume(statement, text, err));
    }
    if (rows > 0) {
        snprintf(text, sizeof text, "about %llu rows, declared", (unsigned long long)rows);
        DUSK_TRY(dusk_statement_assume(statement, text, err));
    }
done:
    return status;
}
