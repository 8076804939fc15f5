/* SPDX-License-Identifier: Apache-2.0 */
/* Noise for a report of prices by votes, and the report; see agreement.h. Proof: agreement_report.proof.md. */
#include "deep/agreement.h"

#include <math.h>
#include <string.h>

#include "accounting/rdp_conversion.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"

enum { COARSE = -2, DEGREES = 3, SLOPES = 20, LOG_GRID = -40 };
#define LOG_SHARE 0.3      /* of what a smooth report has: for the logarithm of its sensitivity */
#define LIKELY 0.9         /* of the teachers say the same, as is likely */
#define DIVIDED 0.125      /* of the questions are ones that any number of them may agree on */
#define WORTH 0.95         /* of what is known without a report: more it is not to say where all agree */
#define QUARTILE 0.7       /* deviations, about, that one of four is above */
#define EPSILON_MOST 500.0 /* that dusk_smooth takes */
#define T_AT_95 3.1825     /* what Student's t of DEGREES is within with 95 % */

/* --- noise ------------------------------------------------------------------------------------------------------------ */

static double largest_move(const deep_agreement *a)
{
    int64_t most = 1;
    for (size_t i = 0; i < deep_agreement_cells(a); i++)
        if (a->moves[i] > most) most = a->moves[i];
    return (double)most;
}

/* Gaussian noise for the largest sensitivity of all. */
DUSK_PROVEN(plan_total)
static dusk_status plan_total(deep_agreement *a, learn_budget *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double moves = ceil(dusk_div_up(largest_move(a) * (double)a->questions, b->factor));
    DUSK_TRY(learn_budget_noise(b, &a->total, 1,
                                DUSK_MUTATE(REPORT_TOTAL_MOVES_LITTLE, moves, ceil(moves / 100)), a->grid,
                                b->left, 1, err));
    DUSK_TRY(dusk_noise_interval(&a->total.gauss, &a->reach, 0.9, err));
done:
    return status;
}

/* Steps that the logarithm of a beta-smooth sensitivity moves by, for learn_budget_noise. */
DUSK_PROVEN(log_steps)
static double log_steps(const learn_budget *b, double beta)
{
    const double steps = floor(ldexp(dusk_add_up(beta, 0x1p-36), -LOG_GRID)) + 2;
    return ceil(DUSK_MUTATE(REPORT_LOG_MOVES_LITTLE, steps, steps / 100) / b->factor);
}

/* Student's t by smooth sensitivity, and Gaussian noise on the logarithm of that. */
DUSK_PROVEN(plan_smooth)
static dusk_status plan_smooth(deep_agreement *a, learn_budget *b, double beta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *b;
    double epsilon;
    DUSK_TRY(
        learn_budget_noise(b, &a->log_noise, 1, log_steps(b, beta), LOG_GRID, b->left * LOG_SHARE, 1, err));
    if (DUSK_MUTATE(REPORT_LOG_IS_FREE, false, true)) *b = before;
    DUSK_TRY(learn_budget_pure_most(b, &epsilon, 1, err));
    epsilon = fmin(DUSK_MUTATE(REPORT_HALF_CHARGED, epsilon, 2 * epsilon), EPSILON_MOST);
    DUSK_TRY(dusk_smooth_init(&a->smooth, DUSK_SMOOTH_STUDENT_T, DEGREES, beta, epsilon, 0, a->grid, err));
    DUSK_TRY(dusk_smooth_interval(&a->smooth, &a->multiple, 0.95, err));
    DUSK_TRY(dusk_noise_interval(&a->log_noise.gauss, &a->reach, 0.95, err));
done:
    return status;
}

/* --- what a report may say -------------------------------------------------------------------------------------------- */

/* By what is public: orders and noises are tried on questions as they may be answered. Nothing rests on it. */
typedef struct guess {
    size_t teachers;
    double passing;         /* of the questions: as many as may be answered, after which none is asked */
    double plain;           /* deviation of Gaussian noise, of its sensitivity */
    double pure, log_width; /* of a smooth report: its epsilon; deviation of noise on a logarithm, of beta */
    double order, beta;     /* the best so far; beta 0: Gaussian noise */
    double score, least;    /* of that; and of any, where all teachers agree */
    double total[2], *local[2]; /* of questions as is likely, and where all agree; in steps */
    size_t n;
    int32_t *count;
} guess;

static void add_guess(const deep_agreement *a, guess *g, int which, double agree, double times)
{
    g->count[0] = (int32_t)(agree * (double)g->teachers);
    if (a->classes > 1) g->count[1] = (int32_t)g->teachers - g->count[0];
    const size_t cell = deep_agreement_cell(a, g->count, g->count[0]);
    if (a->as_asked && which == 1 && g->count[0] > a->enough) times *= g->passing;
    g->total[which] += times * (double)a->price[cell];
    deep_agreement_add_local(a, cell, times, g->local[which], g->n);
}

static void guess_locals(const deep_agreement *a, guess *g)
{
    const double n = (double)a->questions;
    for (int which = 0; which < 2; which++) {
        g->total[which] = 0;
        memset(g->local[which], 0, g->n * sizeof *g->local[which]);
    }
    add_guess(a, g, 0, LIKELY, n * (1 - DIVIDED));
    for (int k = 0; k < 8; k++) add_guess(a, g, 0, (8.5 + k) / 16, n * DIVIDED / 8);
    add_guess(a, g, 1, 1, n);
}

/* The epsilon of so much divergence. */
static double epsilon_up(const deep_agreement *a, double divergence)
{
    const double s = dusk_sub_down(a->order, 1);
    return dusk_moment_to_epsilon_up(s, dusk_mul_up(divergence, s), a->delta);
}

/* What is said of a total with so much above it, in steps. */
static double say(const deep_agreement *a, double total)
{
    const double most = fmin(ldexp(total, a->grid), a->order * a->always);
    return fmin(epsilon_up(a, most), a->known);
}

/* What noise makes of the report: `width` above the total if no noise falls, `worse` where one of four is worse. */
static void try_widths(const deep_agreement *a, guess *g, const double width[2], const double worse[2],
                       double beta)
{
    const double least = say(a, g->total[1] + width[1]);
    const double score = say(a, g->total[0] + worse[0]) + say(a, g->total[1] + worse[1]) + least;
    g->least = fmin(g->least, least);
    if (!(score < g->score)) return;
    g->score = score;
    g->order = a->order;
    g->beta = beta;
}

static void try_smooth(const deep_agreement *a, guess *g, double beta)
{
    dusk_smooth smooth;
    double width[2], worse[2];
    if (dusk_smooth_init(&smooth, DUSK_SMOOTH_STUDENT_T, DEGREES, beta, g->pure, 0, a->grid, NULL) != DUSK_OK)
        return;
    for (int which = 0; which < 2; which++) {
        double most = 0;
        for (size_t k = 0; k < g->n; k++) most = fmax(most, g->local[which][k] * exp(-beta * (double)k));
        width[which] = most / smooth.ratio * T_AT_95 * exp(beta * 1.96 * g->log_width);
        worse[which] =
            most / smooth.ratio * (T_AT_95 * exp(beta * (1.96 + QUARTILE) * g->log_width) + QUARTILE);
    }
    try_widths(a, g, width, worse, beta);
}

static void try_order(deep_agreement *a, guess *g, double order)
{
    a->order = order;
    deep_agreement_tabulate(a);
    guess_locals(a, g);
    const double plain = g->plain * largest_move(a) * (double)a->questions;
    const double width = 1.645 * plain, worse = (1.645 + QUARTILE) * plain;
    try_widths(a, g, (const double[]){ width, width }, (const double[]){ worse, worse }, 0);
    for (int i = 1; i < SLOPES; i++) try_smooth(a, g, fmin(g->pure, EPSILON_MOST) * i / SLOPES);
}

/* The epsilon that is left for a smooth release, and how wide noise is. */
static dusk_status guess_noise(const deep_agreement *a, guess *g, const learn_budget *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double mu = b->mu * sqrt(b->left);
    deep_agreement trial = *a;
    learn_budget budget = *b;
    g->plain = 1 / mu;
    g->log_width = 1 / (mu * sqrt(LOG_SHARE));
    DUSK_TRY(learn_budget_noise(&budget, &trial.log_noise, 1, log_steps(b, 1), LOG_GRID, b->left * LOG_SHARE,
                                1, err));
    DUSK_TRY(learn_budget_pure_most(&budget, &g->pure, 1, err));
    g->pure = fmin(g->pure, EPSILON_MOST);
done:
    return status;
}

/* The order and the noise with which the report is least, if teachers agree as is likely; and whether it is worth anything. */
static dusk_status choose(deep_agreement *a, guess *g, const learn_budget *b, dusk_error *err)
{
    static const double orders[] = { 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128 };
    dusk_status status = DUSK_OK;
    g->n = deep_agreement_reach(a);
    g->score = g->least = INFINITY;
    DUSK_NEW(g->count, a->classes);
    for (int which = 0; which < 2; which++) DUSK_NEW(g->local[which], g->n);
    DUSK_TRY(guess_noise(a, g, b, err));
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) try_order(a, g, orders[i]);
    if (!(g->least <= WORTH * a->alone))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT,
            "try less --set noise, --set margin=0 or a larger --set report_share, or leave out report",
            "noise alone says that the answers cost epsilon %.4g, and a report would say %.4g if all "
            "teachers agreed",
            a->alone, g->least);
done:
    return status;
}

DUSK_PROVEN(deep_agreement_plan)
dusk_status deep_agreement_plan(learn_job *job, deep_agreement *out, const deep_votes *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    deep_agreement a = { .noise = 0 };
    guess g = { .teachers = v->teachers, .passing = (double)v->answers / (double)v->questions };
    if (!(b->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta, or --set report=no",
                         "a report says an epsilon at a delta");
    DUSK_TRY(deep_agreement_make(&a, b, v, 2, COARSE, err)); /* enough for a guess */
    DUSK_TRY(choose(&a, &g, b, err));
    deep_agreement_clear(&a);
    DUSK_TRY(deep_agreement_of(&a, b, v, g.order, err));
    a.smoothly = g.beta > 0;
    DUSK_TRY(a.smoothly ? plan_smooth(&a, b, g.beta, err) : plan_total(&a, b, err));
    learn_say(job,
              "a report of what the answers cost by how teachers agreed, a divergence of order %.4g, with "
              "noise by its %s sensitivity; the "
              "promise does not depend on it",
              a.order, a.smoothly ? "smooth" : "largest");
    *out = a;
    a.price = a.moves = NULL;
done:
    for (int which = 0; which < 2; which++) dusk_deallocate(g.local[which]);
    dusk_deallocate(g.count);
    deep_agreement_clear(&a);
    return status;
}

/* --- fit --------------------------------------------------------------------------------------------------------------- */

/* The total with noise, and what it is at most. */
DUSK_PROVEN(release_total)
static dusk_status release_total(const deep_agreement *a, double total, double *local, size_t n,
                                 double *noisy, double *most, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 whole = (dusk_int128)total;
    double log_noisy, width = a->reach;
    if (a->smoothly) {
        for (size_t k = 0; k < n; k++) local[k] = ldexp(local[k], a->grid);
        const double sensitivity =
            dusk_smooth_sensitivity(&a->smooth, local, DUSK_MUTATE(REPORT_LOCAL_SENSITIVITY, n, 1));
        DUSK_TRY(dusk_smooth_release(&a->smooth, noisy, ldexp(total, a->grid),
                                     DUSK_MUTATE(REPORT_LITTLE_NOISE, sensitivity, 0.01 * sensitivity), gen,
                                     err));
        whole = (dusk_int128)rint(ldexp(dusk_log_up(sensitivity), -LOG_GRID));
        DUSK_TRY(learn_noise_release(&a->log_noise, &log_noisy, &whole, gen, err));
        width = dusk_mul_up(a->multiple,
                            dusk_exp_up(dusk_add_up(log_noisy, dusk_add_up(a->reach, ldexp(1, LOG_GRID)))));
    } else
        DUSK_TRY(learn_noise_release(&a->total, noisy, &whole, gen, err));
    *most = dusk_add_up(*noisy, dusk_add_up(width, ldexp(1, a->grid)));
done:
    return status;
}

DUSK_PROVEN(deep_agreement_report)
dusk_status deep_agreement_report(learn_job *job, const deep_agreement *a, const size_t *cell,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *local = NULL, total, noisy, most;
    size_t n = 0;
    DUSK_TRY(deep_agreement_total(a, cell, &total, &local, &n, err));
    DUSK_TRY(release_total(a, total, local, n, &noisy, &most, gen, err));
    const double always = dusk_mul_up(a->order, a->always);
    most = fmax(fmin(most, always), 0);
    const double least = DUSK_MUTATE(REPORT_CAPPED_BY_ALL, a->known, job->budget.epsilon);
    const double epsilon = fmin(epsilon_up(a, most), least);
    const double put[] = {
        a->order, fmax(fmin(noisy, always), 0), most, epsilon, job->budget.delta, a->alone
    };
    DUSK_TRY(learn_model_put(job->model, "report", 1, sizeof put / sizeof *put, put, err));
done:
    if (local) dusk_wipe(local, n * sizeof *local);
    dusk_deallocate(local);
    return status;
}
