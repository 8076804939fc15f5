/* SPDX-License-Identifier: Apache-2.0 */
/* Prices by votes; see agreement.h. Proof: agreement.proof.md. */
#include "deep/agreement.h"

#include <math.h>

#include "accounting/accountants.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

enum { STEPS_MOST = 1 << 14, FINEST = -4, TOTAL_BITS = 44, DEGREES = 3, PIECES = 40 };
#define SLACK 0x1p-10      /* votes: more than the rounding of a lead, and of noise to its grid */
#define FAR 36.0           /* deviations: leads end there */
#define NOISE_MOST 0x1p20  /* votes */
#define BEYOND 1e-200      /* more than the probability that noise does not fit a double exactly */
#define VALUE_PART 0.8     /* of a smooth report, of its epsilon: for the total */
#define LIKELY 0.8         /* the lead, in teachers, that the order is chosen for */
#define EPSILON_MOST 500.0 /* that dusk_smooth takes */

/* --- the price of one answer ------------------------------------------------------------------------------------------ */

/* ln A of the proof, rounded up, where the bound grows with q up to here; infinite where it may not. */
static double log_likely_up(double q, double square, double mu)
{
    const double log_q = dusk_log_up(q), cost = dusk_mul_up(mu, square);
    const double rest = dusk_add_up(log_q, cost);
    const double kappa_down = dusk_div_down(mu - 1, mu), kappa_up = dusk_div_up(mu - 1, mu);
    if (!(rest < 0)) return INFINITY;
    const double log_p_up = -dusk_mul_down(kappa_down, -rest);
    const double log_p_down =
        -dusk_mul_up(kappa_up, -dusk_add_down(dusk_log_down(q), dusk_mul_down(mu, square)));
    if (!(dusk_add_down(dusk_log_down(kappa_down), dusk_sub_down(log_p_down, log_q)) >= 0)) return INFINITY;
    const double p = dusk_exp_up(log_p_up);
    return p < 1 ? dusk_sub_up(dusk_log1p_up(-q), dusk_log1p_down(-p)) : INFINITY;
}

DUSK_PROVEN(deep_agreed_price_up)
double deep_agreed_price_up(double q, double square, double order)
{
    const double always = dusk_mul_up(order, square), s = dusk_sub_up(order, 1);
    if (!(q > 0 && q < 1) || !(square > 0)) return always;
    const double mu =
        floor(0x1p20 * sqrt(-log(q) / square)) * 0x1p-20; /* any mu is sound; this is the best */
    if (!(mu > 1 && s < mu && mu < 0x1p30)) return always;
    const double log_a = log_likely_up(q, square, mu);
    const double log_b_up =
        dusk_add_up(dusk_mul_up(dusk_add_up(mu, 1), square), dusk_div_up(-dusk_log_down(q), mu));
    const double log_b_down =
        dusk_add_down(dusk_mul_down(dusk_add_down(mu, 1), square), dusk_div_down(-dusk_log_up(q), mu));
    const double gap = dusk_mul_down(dusk_sub_down(order, 1), dusk_sub_down(log_b_down, log_a));
    if (!(log_b_down > log_a && dusk_add_down(dusk_log1p_down(-dusk_div_up(s, mu)), gap) >= 0)) return always;
    const double first = dusk_mul_up(dusk_sub_up(1, q), dusk_exp_up(dusk_mul_up(s, fmax(log_a, 0)))),
                 second = dusk_mul_up(q, dusk_exp_up(dusk_mul_up(s, log_b_up)));
    const double price = dusk_div_up(dusk_log_up(dusk_add_up(first, second)), dusk_sub_down(order, 1));
    return fmin(always, fmax(price, 0));
}

/* --- leads ------------------------------------------------------------------------------------------------------------- */

/* The probability, rounded up, that an answer is not the first class when that leads by `steps`. */
static double other_up(const deep_agreement *a, double steps)
{
    const double lead = dusk_sub_down(dusk_sub_down(ldexp(steps, a->unit), SLACK),
                                      DUSK_MUTATE(REPORT_OF_THE_ARGMAX, a->need, 0));
    const double wide = dusk_mul_up(a->noise, dusk_sqrt_up(2));
    if (!(lead > 0)) return 1;
    const double others = a->classes > 1 ? (double)a->classes - 1 : 1;
    return fmin(dusk_add_up(dusk_mul_up(others, dusk_normal_cdf_up(-dusk_div_down(lead, wide))), BEYOND), 1);
}

DUSK_PROVEN(deep_agreement_lead)
size_t deep_agreement_lead(const deep_agreement *a, const int32_t *count)
{
    const double wide = a->noise * M_SQRT2, others = a->classes > 1 ? (double)a->classes - 1 : 1;
    size_t best = 0;
    double sum = 0;
    for (size_t c = 1; c < a->classes; c++)
        if (count[c] > count[best]) best = c;
    for (size_t c = 0; c < a->classes; c++)
        if (c != best) sum += dusk_normal_sf(fmin((double)(count[best] - count[c]) / wide, FAR));
    if (!(sum > 0)) return a->steps;
    const double lead = wide * fmax(dusk_normal_upper_quantile(fmin(sum / others, 0.5)), 0);
    return (size_t)fmin(floor(ldexp(lead, -a->unit)), (double)a->steps);
}

/* --- plan ---------------------------------------------------------------------------------------------------------------- */

/* By what is public: the order at which the report is least if teachers agree as is likely, with Gaussian noise of `mu`. Nothing rests on it. */
static double choose_order(const deep_agreement *a, size_t teachers, double mu, double delta)
{
    static const double orders[] = {
        1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 256
    };
    const double q = other_up(a, floor(ldexp(LIKELY * (double)teachers, -a->unit))), n = (double)a->questions;
    double best = orders[0], least = INFINITY;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double before = orders[i] * a->square, steepest = 0;
        const double always = n * before, piece = (double)a->steps / PIECES;
        for (int k = 1; k <= PIECES; k++) {
            const double price = deep_agreed_price_up(other_up(a, floor(k * piece)), a->square, orders[i]);
            steepest = fmax(steepest, fmin((double)a->moved / piece, 1) * (before - price));
            before = price;
        }
        const double total = n * (deep_agreed_price_up(q, a->square, orders[i]) + 1.7 * steepest / mu);
        const double epsilon = dusk_rdp_to_epsilon_up(orders[i], fmin(total, always), delta);
        if (epsilon < least) {
            least = epsilon;
            best = orders[i];
        }
    }
    return best;
}

/* A lead of more steps is one of fewer, too, so that a price need not rise. */
DUSK_PROVEN(set_prices)
static void set_prices(deep_agreement *a)
{
    const double always = dusk_mul_up(a->order, a->square);
    a->grid = ilogb(dusk_mul_up(always, (double)a->questions)) + 1 - TOTAL_BITS;
    for (size_t i = 0; i <= a->steps; i++) {
        const double price = deep_agreed_price_up(other_up(a, (double)i), a->square, a->order);
        a->price[i] = (int64_t)ceil(ldexp(price, -a->grid));
        if (i > 0 && a->price[i] > a->price[i - 1]) a->price[i] = a->price[i - 1];
    }
}

/* How far a change moves the price of a question that leads by `at` steps or more, at most. */
static int64_t drop(const deep_agreement *a, size_t at)
{
    return a->price[at] - a->price[at + a->moved < a->steps ? at + a->moved : a->steps];
}

/* Gaussian noise for the largest sensitivity of all. */
DUSK_PROVEN(plan_total)
static dusk_status plan_total(deep_agreement *a, learn_budget *b, double *width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t most = 1;
    for (size_t i = 0; i <= a->steps; i++)
        if (drop(a, i) > most) most = drop(a, i);
    const double moves = ceil(dusk_div_up((double)most * (double)a->questions, b->factor));
    DUSK_TRY(learn_budget_noise(b, &a->total, 1, moves, a->grid, b->left, 1, err));
    DUSK_TRY(dusk_noise_interval(&a->total.gauss, width, 0.9, err));
done:
    return status;
}

/* Noise by smooth sensitivity, and on its logarithm, in parts of one pure epsilon. */
DUSK_PROVEN(plan_smooth)
static dusk_status plan_smooth(deep_agreement *a, learn_budget *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double both;
    DUSK_TRY(learn_budget_pure(b, &both, false, b->left, 1, err));
    both = fmin(both, EPSILON_MOST);
    const double first = dusk_mul_down(VALUE_PART, both);
    DUSK_TRY(dusk_smooth_init(&a->smooth, DUSK_SMOOTH_STUDENT_T, DEGREES, 0, first, 0, a->grid, err));
    DUSK_TRY(dusk_laplace_init(&a->log_noise, 1, dusk_add_up(a->smooth.beta, 0x1p-40),
                               dusk_sub_down(both, first), DUSK_GRID_DEFAULT, err));
    DUSK_TRY(dusk_noise_interval(&a->log_noise, &a->reach, 0.95, err));
    DUSK_TRY(dusk_smooth_interval(&a->smooth, &a->multiple, 0.95, err));
done:
    return status;
}

/* How far above the total a report by smooth sensitivity will be, if teachers agree as is likely. */
static dusk_status smooth_width(const deep_agreement *a, size_t teachers, double *width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int32_t *count = NULL;
    double total, *local = NULL;
    size_t n = 0;
    deep_agreement one = *a;
    one.questions = 1;
    DUSK_NEW(count, a->classes + 1);
    count[0] = (int32_t)(LIKELY * (double)teachers);
    DUSK_TRY(deep_agreement_total(&one, count, &total, &local, &n, err));
    for (size_t k = 0; k < n; k++) local[k] = ldexp(local[k] * (double)a->questions, a->grid);
    *width = a->multiple * dusk_smooth_sensitivity(&a->smooth, local, n) * exp(a->reach);
done:
    dusk_deallocate(count);
    dusk_deallocate(local);
    return status;
}

static dusk_status plan_noise(deep_agreement *a, learn_budget *b, size_t teachers, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget trial = *b;
    double plain, smooth = INFINITY;
    if (plan_smooth(a, &trial, NULL) == DUSK_OK) DUSK_TRY(smooth_width(a, teachers, &smooth, err));
    learn_budget other = *b;
    DUSK_TRY(plan_total(a, &other, &plain, err));
    a->smoothly = smooth < plain;
    *b = a->smoothly ? trial : other;
    if (!a->smoothly) a->reach = plain;
done:
    return status;
}

DUSK_PROVEN(deep_agreement_plan)
dusk_status deep_agreement_plan(learn_job *job, deep_agreement *out, const deep_votes *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    const double changed = b->neighbours == DUSK_REPLACE_ONE ? b->factor / 2 : b->factor;
    deep_agreement a = { .noise = v->counts.gauss.scale,
                         .need = v->margin * v->counts.deviation,
                         .classes = v->classes,
                         .questions = v->questions,
                         .unit = FINEST };
    if (v->way != DEEP_GNMAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose --set method=gnmax, or --set report=no",
                         "a report is made of answers with Gaussian noise that are not screened");
    if (!(a.noise <= NOISE_MOST))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon, or --set report=no",
                         "noise of deviation %.3g leaves nothing to report", a.noise);
    const double each = dusk_div_up(DUSK_MUTATE(REPORT_OF_ONE_ROW, changed, 1), a.noise);
    a.square = dusk_mul_up(each, each);
    while (ldexp((double)v->teachers, -a.unit) > STEPS_MOST) a.unit++;
    a.steps = (size_t)ceil(ldexp((double)v->teachers, -a.unit));
    a.moved = (size_t)fmin(ceil(ldexp(2 * changed, -a.unit)), STEPS_MOST) + 1;
    a.order = choose_order(&a, v->teachers, b->mu * sqrt(b->left), b->delta);
    DUSK_NEW(a.price, a.steps + 1);
    set_prices(&a);
    DUSK_TRY(plan_noise(&a, b, v->teachers, err));
    learn_say(job,
              "a report of what the answers cost by how teachers agreed, a divergence of order %.4g, with "
              "noise by its %s sensitivity; the "
              "promise does not depend on it",
              a.order, a.smoothly ? "smooth" : "largest");
    *out = a;
    a.price = NULL;
done:
    dusk_deallocate(a.price);
    return status;
}

void deep_agreement_clear(deep_agreement *a)
{
    dusk_deallocate(a->price);
    *a = (deep_agreement){ .noise = 0 };
}

/* --- fit -------------------------------------------------------------------------------------------------------------------- */

/* Add what questions with one lead, `times` of them, contribute: the largest drop within reach of k changes. */
static void add_local(const deep_agreement *a, size_t lead, double times, double *local, size_t n)
{
    size_t low = lead, high = lead;
    int64_t most = drop(a, lead);
    for (size_t k = 0; k < n; k++) {
        const size_t down = DUSK_MUTATE(REPORT_ONLY_UPWARDS, (k + 1) * a->moved, 0), up = k * a->moved;
        const size_t first = lead > down ? lead - down : 0,
                     last = lead + up < a->steps ? lead + up : a->steps;
        while (low > first) {
            const int64_t d = drop(a, --low);
            if (d > most) most = d;
        }
        while (high < last) {
            const int64_t d = drop(a, ++high);
            if (d > most) most = d;
        }
        local[k] += times * (double)most;
    }
}

DUSK_PROVEN(deep_agreement_total)
dusk_status deep_agreement_total(const deep_agreement *a, const int32_t *count, double *total, double **out,
                                 size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *times = NULL, *local = NULL;
    *n = a->steps / a->moved + 2; /* all leads are within reach */
    DUSK_NEW(times, a->steps + 1);
    DUSK_NEW(local, *n);
    *total = 0;
    for (size_t q = 0; q < a->questions; q++) times[deep_agreement_lead(a, count + q * a->classes)] += 1;
    for (size_t lead = 0; lead <= a->steps; lead++) {
        if (times[lead] == 0) continue;
        *total += times[lead] * (double)a->price[lead];
        add_local(a, lead, times[lead], local, *n);
    }
    *out = local;
    local = NULL;
done:
    if (times) dusk_wipe(times, (a->steps + 1) * sizeof *times);
    dusk_deallocate(times);
    dusk_deallocate(local);
    return status;
}

/* The total with noise, and what it is at most. */
DUSK_PROVEN(release_total)
static dusk_status release_total(const deep_agreement *a, double total, double *local, size_t n,
                                 double *noisy, double *most, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_int128 whole = (dusk_int128)total;
    double log_noisy, width = a->reach;
    if (a->smoothly) {
        for (size_t k = 0; k < n; k++) local[k] = ldexp(local[k], a->grid);
        const double sensitivity = dusk_smooth_sensitivity(&a->smooth, local, n);
        DUSK_TRY(dusk_smooth_release(&a->smooth, noisy, ldexp(total, a->grid), sensitivity, gen, err));
        DUSK_TRY(dusk_noise_release(&a->log_noise, &log_noisy, dusk_log_up(sensitivity), gen, err));
        width = dusk_mul_up(a->multiple, dusk_exp_up(dusk_add_up(log_noisy, a->reach)));
    } else
        DUSK_TRY(learn_noise_release(&a->total, noisy, &whole, gen, err));
    *most = dusk_add_up(*noisy, dusk_add_up(width, ldexp(1, a->grid)));
done:
    return status;
}

DUSK_PROVEN(deep_agreement_report)
dusk_status deep_agreement_report(learn_job *job, const deep_agreement *a, const int32_t *count,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *local = NULL, total, noisy, most;
    size_t n = 0;
    DUSK_TRY(deep_agreement_total(a, count, &total, &local, &n, err));
    DUSK_TRY(release_total(a, total, local, n, &noisy, &most, gen, err));
    const double always = dusk_mul_up(dusk_mul_up(a->order, a->square), (double)a->questions);
    most = fmax(fmin(most, always), 0);
    const double put[] = { a->order, fmax(fmin(noisy, always), 0), most,
                           dusk_rdp_to_epsilon_up(a->order, most, job->budget.delta) };
    DUSK_TRY(learn_model_put(job->model, "report", 1, sizeof put / sizeof *put, put, err));
done:
    if (local) dusk_wipe(local, n * sizeof *local);
    dusk_deallocate(local);
    return status;
}
