/* SPDX-License-Identifier: Apache-2.0 */
/* Private-kNN [Zhu, Yu, Chandraker & Wang 2020]: questions about public rows are answered by the nearest of a sample of the private rows, with noise, and a student learns from
 * public rows and those answers, as in pate.c. No row is bound to a part of the data: every answer is over a fresh sample, and since a row is hardly ever in it, noise is far less than
 * that of teachers. Proof: private_knn.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/distil.h"
#include "deep/neighbours.h"
#include "deep/net_learner.h"
#include "deep/votes.h"
#include "learn/scaling.h"

enum {
    NEIGHBOURS_USUAL = 50,
    NEIGHBOURS_LEAST = 10,
    NEIGHBOURS_MOST = 200,
    SAMPLE_PART = 200,
    NEAR_PART = 8
};

typedef struct knn_plan {
    deep_distil distil;
    deep_votes votes;
    learn_sampler sampler;
} knn_plan;

static void forget(void *plan)
{
    knn_plan *p = plan;
    if (p) deep_distil_clear(&p->distil);
    dusk_deallocate(p);
}

/* As many questions as noise of `noise` times the neighbours leaves, about. Nothing rests on it. */
static double questions_for(const learn_job *job, const knn_plan *p, double share)
{
    const learn_budget *b = &job->budget;
    const double units = b->factor * (b->neighbours == DUSK_REPLACE_ONE ? 0.5 : 1) * p->sampler.rate;
    const double root = b->mu * sqrt(b->left * share) * learn_setting(job, "noise") *
                        (double)p->votes.teachers / (M_SQRT2 * units);
    return root * root;
}

static dusk_status plan_votes(learn_job *job, knn_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_votes *v = &p->votes;
    const double open = fmin((double)job->open_rows->rows, DEEP_OPEN_MOST);
    const double screening = learn_setting(job, "screening");
    double questions = learn_setting(job, "questions"), answers = learn_setting(job, "answers");
    v->way = learn_choice(job, "method") == 1 ? DEEP_CONFIDENT : DEEP_GNMAX;
    v->classes = p->distil.classes;
    v->threshold = learn_setting(job, "threshold") * (double)v->teachers;
    v->margin = learn_setting(job, "margin");
    v->sampler = &p->sampler;
    if (answers == 0) answers = questions_for(job, p, v->way == DEEP_CONFIDENT ? 1 - screening : 1);
    if (questions == 0) questions = v->way == DEEP_CONFIDENT ? 2 * answers : answers;
    v->questions = p->distil.questions = (size_t)fmax(fmin(questions, open), 1);
    v->answers = (size_t)fmax(fmin(answers, (double)v->questions), 1);
    DUSK_TRY(deep_votes_plan(job, v, screening, err));
    deep_distil_say(job, &p->distil, v->answers);
done:
    return status;
}

/* Of a sample of so many rows; where they are few, rather some that are less near than answers that are few. */
static size_t usual_neighbours(double rows)
{
    const double many = rows / SAMPLE_PART, few = fmin(NEIGHBOURS_USUAL, rows / NEAR_PART);
    return rows > 0 ? (size_t)fmin(fmax(fmax(many, few), NEIGHBOURS_LEAST), NEIGHBOURS_MOST)
                    : NEIGHBOURS_USUAL;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    knn_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    job->assumed = "the rows that neighbours are asked about are public";
    if (!(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --delta 1e-6, or choose pate with --set method=lnmax",
                         "votes over samples need a delta");
    DUSK_TRY(deep_distil_plan(job, &p->distil, err));
    DUSK_TRY(learn_sampler_init(&p->sampler, LEARN_POISSON, learn_setting(job, "rate"), job->rows,
                                job->budget.neighbours, err));
    p->votes.teachers = (size_t)learn_setting(job, "neighbours");
    if (p->votes.teachers == 0) p->votes.teachers = usual_neighbours(p->sampler.rate * (double)job->rows);
    DUSK_TRY(plan_votes(job, p, err));
    learn_sampler_say(job, &p->sampler);
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------ */

typedef struct poll {
    const knn_plan *plan;
    const deep_public *open;
    deep_vectors rows;
    learn_draw draw; /* of places in the frame */
    size_t *at;      /* the row at a place, or `rows.count` */
    size_t *row;     /* of a sample */
    deep_near *near;
    int32_t *count; /* of the screening, and of the answer */
    deep_asked asked;
} poll;

/* The votes over sample number `sample`. */
DUSK_PROVEN(vote_of_sample)
static dusk_status vote_of_sample(poll *p, size_t question, uint64_t sample, int32_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t w = p->rows.width;
    size_t taken, n = 0;
    DUSK_TRY(learn_draw_take(&p->draw, DUSK_MUTATE(KNN_SAMPLES_ONCE, sample, 0), &taken, err));
    for (size_t i = 0; i < taken; i++)
        if (p->at[p->draw.row[i]] < p->rows.count) p->row[n++] = p->at[p->draw.row[i]];
    deep_nearest_vote(&p->rows, p->open->asked + question * w, p->row, n, p->plan->votes.teachers,
                      p->plan->votes.classes, p->near, count);
done:
    return status;
}

/* A sample of its own for the screening, and one for the answer. */
DUSK_PROVEN(answer)
static dusk_status answer(void *context, size_t q, const float *guess, int32_t *out, dusk_generator *gen,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    poll *p = context;
    const deep_votes *v = &p->plan->votes;
    for (size_t turn = 0; turn < 2; turn++)
        DUSK_TRY(vote_of_sample(p, q, 2 * (uint64_t)q + DUSK_MUTATE(KNN_SAMPLE_OF_BOTH, turn, 0),
                                p->count + turn * v->classes, err));
    DUSK_TRY(deep_votes_answer(v, &p->asked, p->count, p->count + v->classes, guess, out, gen, err));
done:
    return status;
}

static dusk_status poll_open(poll *p, const learn_job *job, const dusk_frame *frame, float **x,
                             int32_t **code, size_t **place, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->rows.width = p->open->map.width;
    DUSK_TRY(
        deep_private_make(job, p->open, frame, p->plan->distil.threads, x, code, place, &p->rows.count, err));
    p->rows.x = *x;
    p->rows.code = *code;
    DUSK_NEW(p->at, frame->rows + 1);
    DUSK_NEW(p->row, frame->rows + 1);
    DUSK_NEW(p->near, p->plan->votes.teachers + 1);
    DUSK_NEW(p->count, 2 * p->plan->votes.classes);
    for (size_t r = 0; r < frame->rows; r++) p->at[r] = p->rows.count;
    for (size_t i = 0; i < p->rows.count; i++) p->at[(*place)[i]] = i;
    DUSK_TRY(learn_draw_open(&p->draw, &p->plan->sampler, frame->rows, gen, err));
done:
    return status;
}

#define WIPE(pointer, n)                                                                                     \
    do {                                                                                                     \
        if (pointer) dusk_wipe(pointer, (n) * sizeof *(pointer));                                            \
        dusk_deallocate(pointer);                                                                            \
    } while (0)

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const knn_plan *plan = job->plan;
    deep_public open = { .rows = 0 };
    poll p = { .plan = plan, .open = &open };
    float *x = NULL;
    int32_t *code = NULL;
    size_t *place = NULL;
    DUSK_TRY(learn_fit_scaling(job, frame, gen, err));
    DUSK_TRY(deep_public_make(&open, job, &plan->distil, err));
    learn_progress(job, 0.2);
    DUSK_TRY(poll_open(&p, job, frame, &x, &code, &place, gen, err));
    learn_progress(job, 0.5);
    DUSK_TRY(deep_distil_run(job, &plan->distil, &open, answer, &p, gen, err));
done:
    learn_draw_close(&p.draw);
    deep_private_clear(x, code, place, p.rows.count, p.rows.width);
    WIPE(p.at, frame->rows + 1);
    WIPE(p.row, frame->rows + 1);
    WIPE(p.near, plan->votes.teachers + 1);
    WIPE(p.count, 2 * plan->votes.classes);
    deep_public_clear(&open);
    return status;
}

static const dusk_setting settings[] = {
    DEEP_DISTIL_SETTINGS,
    { "rate", "0.2", NULL, 1e-6, 1, false,
      "the chance of a row to be in a sample; there is one for every answer" },
    { "neighbours", "0", NULL, 0, 10000, true,
      "how many rows vote; 0: 50, or, where --rows is public, fewer if a sample is small (one of 8) and more "
      "if it is large (one of 200), from 10 to 200" },
    { "method", "gnmax", "gnmax|confident", 0, 0, false,
      "the largest of votes with Gaussian noise, or of votes that agree, which is asked first" },
    { "questions", "0", NULL, 0, 1e6, true, "how many public rows are asked about; 0: by the noise" },
    { "answers", "0", NULL, 0, 1e6, true, "of confident: how many are answered at most; 0: by the noise" },
    { "noise", "0.2", NULL, 0.001, 10, false,
      "of the votes of a class, in parts of the neighbours, where the number of answers is not given; "
      "about" },
    { "screening", "0.3", NULL, 0.01, 0.9, false,
      "of the noise of confident, for whether there is an answer" },
    { "threshold", "0.6", NULL, 0, 1, false, "of confident: how many of the neighbours have to agree" },
    { "margin", "1.5", NULL, 0, 100, false,
      "answers that lead by less than so many deviations of the noise are not learned from" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner deep_private_knn = {
    .shown = { "private_knn", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a network taught by noisy votes of the nearest rows about public rows", "Zhu et al. 2020",
               settings },
    .plan = plan,
    .fit = fit,
    .open_rows = true,
    .forget = forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
};
