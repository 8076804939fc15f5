/* SPDX-License-Identifier: Apache-2.0 */
/* k-means: a summary of the rows that is paid for (kmeans_start.c), k-means of that summary, and a few rounds of Lloyd
 * about the centres found (groups.c). A good start is worth most: after it rows are near their centres, and offsets from them are
 * short, so that means cost little [Su, Cao, Li, Bertino & Jin 2016 compare starts and rounds]. Proofs: kmeans_start.proof.md,
 * groups.proof.md, kmeans.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/groups.h"
#include "learn/kmeans_start.h"

typedef struct kmeans_plan {
    size_t k;
    uint64_t rounds;
    learn_start start;
    learn_group_noise round;
} kmeans_plan;

/* --- plan -------------------------------------------------------------------------------------------------------- */

static dusk_status check(const learn_job *job, const kmeans_plan *p, dusk_error *err)
{
    if ((p->start.method == LEARN_START_GRID || p->start.method == LEARN_START_BLOCKS) &&
        job->features.width > 8)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use method=hash",
                         "a grid over %zu columns has too many cells (at most 8 columns)",
                         job->features.width);
    if (p->rounds == 0 && p->start.method == LEARN_START_SPREAD)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for rounds, or leave the method out",
                         "method=lloyd without rounds would release nothing");
    return learn_model_room(2 * (double)p->k * (double)(job->features.width + 1), err);
}

static uint64_t rounds_of(const learn_job *job, int method)
{
    double rounds = learn_setting(job, "rounds");
    if (rounds >= 0) return (uint64_t)rounds;
    if (method == LEARN_START_SPREAD) return 6;
    return method == LEARN_START_HASH || method == LEARN_START_CHOICE ? 2 : 0;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    kmeans_plan *p = NULL;
    DUSK_TRY(learn_plan_features(job, false, err));
    job->features.unmeasured = true;
    DUSK_NEW(p, 1);
    job->plan = p;
    p->k = (size_t)learn_setting(job, "groups");
    p->start.method = learn_start_method(job, learn_choice(job, "method"));
    p->rounds = rounds_of(job, p->start.method);
    DUSK_TRY(check(job, p, err));
    DUSK_TRY(learn_plan_start(job, &p->start, p->k, p->rounds ? learn_setting(job, "start") : 1, err));
    if (p->rounds == 0) goto done;
    DUSK_TRY(learn_plan_groups(job, &p->round, job->budget.left, p->rounds, err));
    learn_say(
        job,
        "%llu times rows and means of %zu groups: a mean of m rows has noise of deviation %.4g radius / m",
        (unsigned long long)p->rounds, p->k, p->round.noise.deviation / LEARN_GROUP_SIZE);
done:
    return status;
}

/* --- fit ---------------------------------------------------------------------------------------------------------- */

/* Centres as vectors, and as numbers in the unit of their fields (of categories: the share of the value). */
static dusk_status put_model(learn_job *job, const learn_groups *groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = groups->k, d = groups->width;
    double *values = NULL;
    DUSK_NEW(values, k * d);
    for (size_t i = 0; i < k * d; i++) values[i] = groups->centre[i] / LEARN_ONE;
    DUSK_TRY(learn_model_put(job->model, "centres", k, d, values, err));
    for (size_t i = 0; i < k * d; i++) {
        const learn_feature *f = &job->features.feature[i % d];
        if (f->code < 0) values[i] = f->centre + (f->factor != 0 ? values[i] / f->factor : 0);
    }
    DUSK_TRY(learn_model_put(job->model, "centres_in_units", k, d, values, err));
    DUSK_TRY(learn_model_put(job->model, "counts", 1, k, groups->count, err));
    for (size_t j = 0; j < k; j++) values[j] = groups->spread[j] / LEARN_ONE;
    DUSK_TRY(learn_model_put(job->model, "spreads", 1, k, values, err));
done:
    dusk_deallocate(values);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const kmeans_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    learn_groups groups = { .k = 0 };

    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    DUSK_TRY(learn_groups_init(&groups, p->k, &job->features, job->fields, err));
    DUSK_TRY(learn_fit_start(job, &p->start, &groups, &matrix, gen, err));
    for (uint64_t r = 0; r < p->rounds; r++) {
        learn_progress(job, (double)(r + 1) / (double)(p->rounds + 1));
        DUSK_TRY(learn_groups_round(&groups, &p->round, &matrix, gen, err));
    }
    DUSK_TRY(put_model(job, &groups, err));
done:
    learn_groups_clear(&groups);
    learn_matrix_clear(&matrix);
    return status;
}

/* --- prediction ------------------------------------------------------------------------------------------------------ */

static size_t outputs(const dusk_model *model)
{
    size_t rows = 0, columns;
    (void)dusk_model_array(model, "centres", &rows, &columns);
    return rows;
}

/* 1 for the nearest centre, 0 for the others. */
static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *centres = dusk_model_array(model, "centres", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    double *x = NULL, square;
    DUSK_NEW(x, d);
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    memset(out, 0, matrix.rows.rows * k * sizeof *out);
    for (size_t i = 0; i < matrix.rows.rows; i++) {
        for (size_t j = 0; j < d; j++) x[j] = (double)matrix.rows.x[i * d + j] / LEARN_ONE;
        out[i * k + learn_nearest(x, centres, k, d, &square)] = 1;
    }
done:
    learn_matrix_clear(&matrix);
    dusk_deallocate(x);
    return status;
}

static bool complete(const dusk_model *model)
{
    size_t k, d;
    return dusk_model_array(model, "centres", &k, &d) && d == model->features.width && k >= 1;
}

static const dusk_setting settings[] = {
    { "groups", "8", NULL, 1, 4096, true, "how many" },
    { "method", "auto", "auto|grid|hash|lloyd|choice|blocks|sketch", 0, 0, false,
      "where it begins: counts on a grid (few columns), means of cells that random planes cut (hash), spread "
      "over the box (lloyd), places chosen one by one (choice), the centres of blocks of rows, or heaps that "
      "explain a sketch" },
    { "rounds", "-1", NULL, -1, 1000, true, "of Lloyd after the start; -1: by the method" },
    { "start", "0.5", NULL, 0.01, 0.99, false, "of the budget, for the start" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_kmeans = {
    .shown = { "kmeans", DUSK_TASK_GROUPS, DUSK_NUMERICS_EXACT,
               "k-means from a paid summary and rounds of Lloyd about its centres",
               "Su, Cao, Li, Bertino & Jin 2016; Chang, Ghazi, Kumar & Manurangsi 2021", settings },
    .plan = plan,
    .fit = fit,
    .outputs = outputs,
    .predict = predict,
    .complete = complete,
};
