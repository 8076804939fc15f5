/* SPDX-License-Identifier: Apache-2.0 */
/* PATE: private aggregation of teacher ensembles [Papernot et al. 2017, 2018]. Teachers learn from parts of the private rows, their votes on public rows
 * are released with noise, and a student learns from public rows and those answers. What is paid for is what was planned, whatever the
 * votes are. Proofs: teachers.proof.md, votes.proof.md, agreement.proof.md, agreement_report.proof.md. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/agreement.h"
#include "deep/distil.h"
#include "deep/net_learner.h"
#include "deep/teachers.h"
#include "deep/votes.h"
#include "learn/scaling.h"

enum { TEACHER_ROWS = 240, TEACHER_ROWS_LEAST = 8, TEACHERS_USUAL = 250, ROUNDS = 4 };

typedef struct pate_plan {
    deep_distil distil;
    deep_teaching teaching;
    deep_votes votes;
    bool reported;
    deep_agreement agreement; /* where it is reported */
    double kernel;            /* squared width of the kernel, in mean squared distances of public rows */
} pate_plan;

static void forget(void *plan)
{
    pate_plan *p = plan;
    if (p) deep_distil_clear(&p->distil);
    if (p) deep_agreement_clear(&p->agreement);
    dusk_deallocate(p);
}

/* As many questions as noise of `noise` times the teachers leaves. */
static double questions_for(const learn_job *job, const pate_plan *p, double share, double noise)
{
    const learn_budget *b = &job->budget;
    const double deviation = noise * (double)p->teaching.teachers,
                 units = b->neighbours == DUSK_REPLACE_ONE ? b->factor / 2 : b->factor;
    const double each = 2 * M_SQRT2 * units / deviation; /* epsilon of one, of Laplace noise */
    if (!(b->delta > 0)) return b->epsilon * b->left / each;
    if (p->votes.way == DEEP_LNMAX)
        return each < b->epsilon ? (double)learn_budget_pure_times(b, each, DEEP_OPEN_MOST) : 1;
    const double root = b->mu * sqrt(b->left * share) * deviation / (M_SQRT2 * units);
    return root * root;
}

static dusk_status plan_votes(learn_job *job, pate_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_votes *v = &p->votes;
    const double open = fmin((double)job->open_rows->rows, DEEP_OPEN_MOST);
    const double screening = learn_setting(job, "screening"), noise = learn_setting(job, "noise");
    double questions = learn_setting(job, "questions"), answers = learn_setting(job, "answers");
    p->reported = learn_choice(job, "report") == 1;
    const double report = p->reported ? job->budget.left * learn_setting(job, "report_share") : 0;
    job->budget.left -= report; /* votes take all that they see */
    v->way = (deep_aggregation)learn_choice(job, "method");
    v->classes = p->distil.classes;
    v->teachers = p->teaching.teachers;
    v->threshold = learn_setting(job, "threshold") * (double)v->teachers;
    v->sure = learn_setting(job, "sure");
    v->margin = learn_setting(job, "margin");
    const bool screened = v->way == DEEP_CONFIDENT || v->way == DEEP_INTERACTIVE;
    if (answers == 0) answers = questions_for(job, p, screened ? 1 - screening : 1, noise);
    if (questions == 0) questions = screened ? 2 * answers : answers;
    v->questions = p->distil.questions = (size_t)fmax(fmin(questions, open), 1);
    v->answers = (size_t)fmax(fmin(answers, (double)v->questions), 1);
    p->distil.rounds = v->way == DEEP_INTERACTIVE && v->questions >= 2 * ROUNDS ? ROUNDS : 1;
    DUSK_TRY(deep_votes_plan(job, v, screening, err));
    deep_distil_say(job, &p->distil, v->answers);
    job->budget.left += report;
    if (p->reported) DUSK_TRY(deep_agreement_plan(job, &p->agreement, v, err));
done:
    return status;
}

/* Where rows are few, rather some more teachers who know little than answers that are few: what these cost falls with the square of how many teachers there are. */
static size_t usual_teachers(double rows)
{
    const double many = rows / TEACHER_ROWS, few = fmin(TEACHERS_USUAL, rows / TEACHER_ROWS_LEAST);
    return rows > 0 ? (size_t)fmin(fmax(fmax(many, few), 10), 100000) : TEACHERS_USUAL;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    pate_plan *p = NULL;
    DUSK_NEW(p, 1);
    job->plan = p;
    job->assumed = "the rows that teachers are asked about are public";
    DUSK_TRY(deep_distil_plan(job, &p->distil, err));
    p->teaching = (deep_teaching){ .teachers = (size_t)learn_setting(job, "teachers"),
                                   .classes = p->distil.classes,
                                   .rows_most = (size_t)learn_setting(job, "teacher_rows"),
                                   .ridge = learn_setting(job, "ridge"),
                                   .threads = p->distil.threads };
    p->kernel = learn_setting(job, "width");
    if (p->teaching.teachers == 0) p->teaching.teachers = usual_teachers((double)job->rows);
    DUSK_TRY(plan_votes(job, p, err));
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------ */

typedef struct ballot {
    const deep_votes *votes;
    const deep_agreement *agreement; /* where it is reported; else NULL */
    deep_asked asked;
    int32_t *count; /* of each question */
    size_t *cell;   /* the same, for the report */
} ballot;

static size_t cell_of(const ballot *b, size_t q, const float *guess)
{
    const int32_t *count = b->count + q * b->votes->classes;
    return deep_agreement_cell(b->agreement, count, deep_votes_over(b->votes, count, guess));
}

/* Questions that follow from earlier answers count when they are asked. */
static void open_report(ballot *b)
{
    for (size_t q = 0; b->agreement && q < b->votes->questions; q++)
        b->cell[q] = b->agreement->as_asked ? DEEP_NOT_ASKED : cell_of(b, q, NULL);
}

static dusk_status answer(void *context, size_t q, const float *guess, int32_t *out, dusk_generator *gen,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ballot *b = context;
    const int32_t *count = b->count + q * b->votes->classes;
    const size_t *asked = DUSK_MUTATE(REPORT_REFUSED_ARE_FREE, &b->asked.questions, &b->asked.answers);
    const size_t before = *asked;
    DUSK_TRY(deep_votes_answer(b->votes, &b->asked, count, count, guess, out, gen, err));
    if (b->agreement && b->agreement->as_asked && *asked > before)
        b->cell[q] = cell_of(b, q, DUSK_MUTATE(REPORT_BY_VOTES_ALONE, guess, NULL));
done:
    return status;
}

/* All rows are dealt by their places in the frame, so that a row that is replaced by one without a label moves nobody. */
DUSK_PROVEN(count_votes)
static dusk_status count_votes(const learn_job *job, const pate_plan *p, const deep_public *open,
                               const dusk_frame *frame, int32_t *count, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_teaching teaching = p->teaching;
    deep_vectors rows = { .width = open->map.width };
    float *x = NULL;
    int32_t *code = NULL;
    size_t *place = NULL;
    uint32_t *teacher = NULL;
    const deep_open vectors = { open->x, open->rows, open->map.width };
    const double spread = deep_open_spread(&vectors);
    teaching.width = sqrt(p->kernel * (spread > 0 ? spread : 1));
    DUSK_NEW(teacher, frame->rows + 1);
    DUSK_TRY(deep_deal(teacher, frame->rows, teaching.teachers, gen, err));
    DUSK_TRY(deep_private_make(job, open, frame, teaching.threads, &x, &code, &place, &rows.count, err));
    learn_progress(job, 0.3);
    for (size_t i = 0; i < rows.count; i++) teacher[i] = teacher[place[i]];
    rows.x = x;
    rows.code = code;
    DUSK_TRY(deep_teachers_vote(&teaching, &rows, teacher, open->asked, p->votes.questions, count, err));
done:
    deep_private_clear(x, code, place, rows.count, rows.width);
    if (teacher) dusk_wipe(teacher, frame->rows * sizeof *teacher);
    dusk_deallocate(teacher);
    return status;
}

static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const pate_plan *p = job->plan;
    const size_t cells = p->votes.questions * p->votes.classes;
    deep_public open = { .rows = 0 };
    ballot b = { .votes = &p->votes, .agreement = p->reported ? &p->agreement : NULL };
    DUSK_TRY(learn_fit_scaling(job, frame, gen, err));
    DUSK_NEW(b.count, cells);
    DUSK_NEW(b.cell, p->votes.questions);
    DUSK_TRY(deep_public_make(&open, job, &p->distil, err));
    learn_progress(job, 0.1);
    DUSK_TRY(count_votes(job, p, &open, frame, b.count, gen, err));
    learn_progress(job, 0.5);
    open_report(&b);
    DUSK_TRY(deep_distil_run(job, &p->distil, &open, answer, &b, gen, err));
    if (p->reported) DUSK_TRY(deep_agreement_report(job, &p->agreement, b.cell, gen, err));
done:
    deep_public_clear(&open);
    if (b.count) dusk_wipe(b.count, cells * sizeof *b.count);
    if (b.cell) dusk_wipe(b.cell, p->votes.questions * sizeof *b.cell);
    dusk_deallocate(b.count);
    dusk_deallocate(b.cell);
    return status;
}

static const dusk_setting settings[] = {
    DEEP_DISTIL_SETTINGS,
    { "teachers", "0", NULL, 0, 100000, true,
      "how many; 0: 250, fewer where --rows is public and below 2000, more above 60,000: one for every 8, or "
      "240, rows" },
    { "method", "gnmax", "gnmax|confident|interactive|lnmax", 0, 0, false,
      "the largest of votes with Gaussian noise, of votes that agree, of votes that contradict the student, "
      "or with Laplace noise" },
    { "questions", "0", NULL, 0, 1e6, true, "how many public rows teachers vote on; 0: by the noise" },
    { "answers", "0", NULL, 0, 1e6, true,
      "of confident and interactive: how many questions are answered at most; 0: by the noise" },
    { "noise", "0.17", NULL, 0.001, 10, false,
      "of the votes of a class, in parts of the teachers, where the number of answers is not given" },
    { "screening", "0.3", NULL, 0.01, 0.9, false, "of the budget, for whether teachers are to answer" },
    { "threshold", "0.6", NULL, 0, 1, false, "how many of the teachers have to agree, or to contradict" },
    { "margin", "1.5", NULL, 0, 100, false,
      "answers that lead by less than so many deviations of the noise are not learned from" },
    { "sure", "0.8", NULL, 0, 1, false,
      "of interactive: from which score on the student is right by itself" },
    { "report", "no", "no|yes", 0, 0, false,
      "also release, with noise, what the answers cost by how teachers agreed; the promise stays what it is. "
      "Refused where that could hardly be less than by noise alone" },
    { "report_share", "0.1", NULL, 0.001, 0.5, false, "of the budget, for report=yes" },
    { "teacher_rows", "512", NULL, 1, 8192, true, "how many rows a teacher learns from at most" },
    { "ridge", "0.1", NULL, 1e-6, 1e6, false, "of teachers: what is added to the diagonal of the kernel" },
    { "width", "0.5", NULL, 1e-3, 1e3, false,
      "of the kernel of teachers, squared, in mean squared distances of public rows" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner deep_pate = {
    .shown = { "pate", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a network taught by noisy votes of teachers about public rows (PATE)", "Papernot et al. 2018",
               settings },
    .plan = plan,
    .fit = fit,
    .open_rows = true,
    .forget = forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
};
