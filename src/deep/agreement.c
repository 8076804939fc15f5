/* SPDX-License-Identifier: Apache-2.0 */
/* Prices by votes; see agreement.h. Proof: agreement.proof.md. */
#include "deep/agreement.h"

#include <math.h>
#include <string.h>

#include "accounting/rdp_conversion.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

enum {
    STEPS_MOST = 1 << 14,
    FINEST = -4,
    COARSE = -2,
    TOTAL_BITS = 44,
    DEGREES = 3,
    SLOPES = 20,
    TURNS = 60,
    LOG_GRID = -40
};
#define SLACK 0x1p-10 /* votes: more than the rounding of a lead, and of noise to its grid */
#define FAR 36.0      /* deviations: leads end there */
#define FAR_OUT 400.0 /* the same of Laplace noise, in scales */
#define DISCRETE                                                                                             \
    (1 + 0x1p-9) /* more than a discrete law has beyond a place, over the same of the continuous one */
#define NOISE_MOST 0x1p20  /* votes */
#define NOISE_LEAST 0x1p-8 /* votes; and of a screening over that of an answer */
#define BEYOND 1e-200      /* more than the probability that noise does not fit a double exactly */
#define LOG_SHARE 0.3      /* of what a smooth report has: for the logarithm of its sensitivity */
#define LIKELY 0.9         /* of the teachers say the same, as is likely */
#define DIVIDED 0.125      /* of the questions are ones that any number of them may agree on */
#define WORTH 0.95         /* of what is known without a report: more it is not to say where all agree */
#define QUARTILE 0.7       /* deviations, about, that one of four is above */
#define EPSILON_MOST 500.0 /* that dusk_smooth takes */
#define T_AT_95 3.1825     /* what Student's t of DEGREES is within with 95 % */

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

/* What tails are counted in: deviations of a difference of two counts, or scales of their noise. */
static double width_of(const deep_agreement *a) { return a->laplace ? a->noise : a->noise * M_SQRT2; }

/* How likely a difference of two noises is above x >= 0 widths. */
static double tail(const deep_agreement *a, double x)
{
    return a->laplace ? (2 + x) * exp(-x) / 4 : dusk_normal_sf(x);
}

static double tail_up(const deep_agreement *a, double x_down)
{
    if (!a->laplace) return dusk_normal_cdf_up(-x_down);
    const double upper = dusk_mul_up(dusk_add_up(2, x_down) / 4, dusk_exp_up(-x_down));
    return dusk_mul_up(upper, DISCRETE);
}

/* Where the tail is p <= 1/2. */
static double tail_quantile(const deep_agreement *a, double p)
{
    double x = 0;
    if (!a->laplace) return dusk_normal_upper_quantile(p);
    for (int turn = 0; turn < TURNS; turn++)
        x = fmax(log(2 + x) - log(4 * p), 0); /* falls by half and more */
    return x;
}

/* The probability, rounded up, that an answer is not the first class when that leads by `steps`, or that there is none. */
static double other_up(const deep_agreement *a, double steps)
{
    const double lead = dusk_sub_down(ldexp(steps, a->unit), SLACK),
                 over = dusk_sub_down(lead, DUSK_MUTATE(REPORT_OF_THE_ARGMAX, a->need, 0));
    const double wide = a->laplace ? a->noise : dusk_mul_up(a->noise, dusk_sqrt_up(2));
    if (!(over > 0)) return 1;
    const double others = a->classes > 1 ? (double)a->classes - 1 : 1;
    double q = dusk_add_up(dusk_mul_up(others, tail_up(a, dusk_div_down(over, wide))), BEYOND);
    if (a->screen > 0) q = dusk_add_up(q, dusk_normal_cdf_up(-dusk_div_down(lead, wide)));
    return fmin(q, 1);
}

/* The same of not to be answered, when votes are `steps` of a lead too few. */
static double answer_up(const deep_agreement *a, double steps)
{
    const double below = dusk_sub_down(ldexp(steps, a->unit), SLACK);
    if (!(below > 0)) return 1;
    const double wide = dusk_mul_up(a->noise, dusk_sqrt_up(2));
    return fmin(dusk_add_up(dusk_normal_cdf_up(-dusk_div_down(below, wide)), BEYOND), 1);
}

static double lead_of(const deep_agreement *a, const int32_t *count, size_t best)
{
    const double wide = width_of(a), others = a->classes > 1 ? (double)a->classes - 1 : 1;
    double sum = 0;
    for (size_t c = 0; c < a->classes; c++)
        if (c != best)
            sum += tail(a, fmin((double)(count[best] - count[c]) / wide, a->laplace ? FAR_OUT : FAR));
    return sum > 0 ? wide * fmax(tail_quantile(a, fmin(sum / others, 0.5)), 0) : INFINITY;
}

DUSK_PROVEN(deep_agreement_cell)
size_t deep_agreement_cell(const deep_agreement *a, const int32_t *count, double over)
{
    size_t best = 0;
    for (size_t c = 1; c < a->classes; c++)
        if (count[c] > count[best]) best = c;
    double lead = lead_of(a, count, best);
    if (DUSK_MUTATE(REPORT_WITHOUT_SCREENING, a->screen > 0, false))
        lead = fmin(lead, (over - a->enough) * (width_of(a) / a->screen));
    const double steps = floor(ldexp(fabs(lead), -a->unit));
    if (lead < 0) return a->zero - 1 - (size_t)fmin(steps, (double)a->zero - 1);
    return a->zero + (size_t)fmin(steps, (double)a->steps);
}

/* --- plan ---------------------------------------------------------------------------------------------------------------- */

static size_t cells_of(const deep_agreement *a) { return a->zero + a->steps + 1; }

/* What a question of this cell costs: one of its outcomes is likely. */
static double price_of(const deep_agreement *a, size_t cell)
{
    const double q =
        cell < a->zero ? answer_up(a, (double)(a->zero - 1 - cell)) : other_up(a, (double)(cell - a->zero));
    return deep_agreed_price_up(q, a->square, a->order);
}

/* What is further from 0 is less far from it, too, so that prices need not rise on the way. */
DUSK_PROVEN(set_prices)
static void set_prices(deep_agreement *a)
{
    const size_t cells = cells_of(a);
    const double most = dusk_mul_up(dusk_mul_up(a->order, a->square), (double)a->questions);
    a->grid = ilogb(most) + 1 - TOTAL_BITS;
    for (size_t i = 0; i < cells; i++) a->price[i] = (int64_t)ceil(ldexp(price_of(a, i), -a->grid));
    for (size_t i = a->zero + 1; i < cells; i++)
        if (a->price[i] > a->price[i - 1]) a->price[i] = a->price[i - 1];
    for (size_t i = a->zero; i-- > 1;)
        if (a->price[i - 1] > a->price[i]) a->price[i - 1] = a->price[i];
}

/* How far a change moves the price of a question of this cell, at most. */
DUSK_PROVEN(set_moves)
static void set_moves(deep_agreement *a)
{
    const size_t cells = cells_of(a);
    for (size_t i = 0; i < cells; i++) {
        const size_t down = DUSK_MUTATE(REPORT_ONLY_UPWARDS, a->moved, 0);
        const size_t first = i > down ? i - down : 0, last = i + a->moved < cells ? i + a->moved : cells - 1;
        a->moves[i] = 0;
        for (size_t j = first; j <= last; j++) {
            const int64_t apart =
                a->price[i] > a->price[j] ? a->price[i] - a->price[j] : a->price[j] - a->price[i];
            if (apart > a->moves[i]) a->moves[i] = apart;
        }
    }
}

/* So many changes, and all cells are within reach. */
static size_t reach_of(const deep_agreement *a) { return cells_of(a) / a->moved + 2; }

/* Add what questions of one cell, `times` of them, contribute: the furthest move of a price within reach of k changes. */
static void add_local(const deep_agreement *a, size_t cell, double times, double *local, size_t n)
{
    size_t low = cell, high = cell;
    int64_t most = a->moves[cell];
    for (size_t k = 0; k < n; k++) {
        const size_t reach = k * a->moved, last = cells_of(a) - 1;
        const size_t first = cell > reach ? cell - reach : 0, end = cell + reach < last ? cell + reach : last;
        while (low > first)
            if (a->moves[--low] > most) most = a->moves[low];
        while (high < end)
            if (a->moves[++high] > most) most = a->moves[high];
        local[k] += times * (double)most;
    }
}

static double largest_move(const deep_agreement *a)
{
    int64_t most = 1;
    for (size_t i = 0; i < cells_of(a); i++)
        if (a->moves[i] > most) most = a->moves[i];
    return (double)most;
}

/* Gaussian noise for the largest sensitivity of all. */
DUSK_PROVEN(plan_total)
static dusk_status plan_total(deep_agreement *a, learn_budget *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double moves = ceil(dusk_div_up(largest_move(a) * (double)a->questions, b->factor));
    DUSK_TRY(learn_budget_noise(b, &a->total, 1, moves, a->grid, b->left, 1, err));
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
    g->total[which] += times * (double)a->price[cell];
    add_local(a, cell, times, g->local[which], g->n);
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
    return fmin(epsilon_up(a, most), a->alone);
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
    set_prices(a);
    set_moves(a);
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

/* Epsilon of the answers by their own event. */
DUSK_PROVEN(price_alone)
static dusk_status price_alone(deep_agreement *a, const learn_budget *b, const deep_votes *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event, screening;
    dusk_statement statement;
    DUSK_TRY(dusk_noise_event(&v->counts.gauss, &event, err));
    DUSK_TRY(dusk_event_repeat(&event, &event, v->answers, err));
    if (a->screen > 0) {
        DUSK_TRY(dusk_noise_event(&v->screen.gauss, &screening, err));
        DUSK_TRY(dusk_event_repeat(&screening, &screening, v->questions, err));
        DUSK_TRY(dusk_event_add(&event, &event, &screening, err));
    }
    DUSK_TRY(dusk_statement_init(&statement, &event, a->delta, b->neighbours, "row", err));
    a->alone = statement.epsilon;
done:
    return status;
}

/* The order and the noise with which the report is least, if teachers agree as is likely; and whether it is worth anything. */
static dusk_status choose(deep_agreement *a, guess *g, const learn_budget *b, dusk_error *err)
{
    static const double orders[] = { 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128 };
    dusk_status status = DUSK_OK;
    g->n = reach_of(a);
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

/* (changed / noise)^2, rounded up: what costs at order 1 are made of (proof, (1)). */
static double cost_up(double changed, double noise)
{
    const double each = dusk_div_up(changed, noise);
    return dusk_mul_up(each, each);
}

/* Noise, what a change moves, and what it costs without further knowledge. */
static dusk_status set_noise(deep_agreement *a, const learn_budget *b, const deep_votes *v, dusk_error *err)
{
    const double changed = b->neighbours == DUSK_REPLACE_ONE ? b->factor / 2 : b->factor;
    const double counted = DUSK_MUTATE(REPORT_OF_ONE_ROW, changed, 1);
    a->laplace = v->way == DEEP_LNMAX;
    a->noise = v->counts.gauss.scale;
    a->need = v->margin * v->counts.deviation;
    a->screen = v->way == DEEP_CONFIDENT || v->way == DEEP_INTERACTIVE ? v->screen.gauss.scale : 0;
    a->enough = v->threshold;
    if (!(a->noise <= NOISE_MOST && a->noise >= NOISE_LEAST && a->screen <= NOISE_MOST &&
          (a->screen == 0 || a->screen >= a->noise * NOISE_LEAST)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for another epsilon, or --set report=no",
                         "noise of deviation %.3g leaves nothing to report", a->noise);
    const double answer = dusk_mul_up(a->laplace ? 2 : 1, cost_up(counted, a->noise));
    const double screening = a->screen > 0 ? cost_up(counted, a->screen) / 2 : 0;
    a->square = dusk_add_up(answer, screening);
    a->always = a->as_asked ? dusk_mul_up((double)v->questions, a->square)
                            : dusk_add_up(dusk_mul_up((double)v->answers, answer),
                                          dusk_mul_up((double)v->questions, screening));
    while (ldexp((double)v->teachers, -a->unit) > STEPS_MOST) a->unit++;
    a->steps = (size_t)ceil(ldexp((double)v->teachers, -a->unit));
    a->zero = a->screen > 0 ? a->steps : 0;
    const double moved = a->screen > 0 ? fmax(2, width_of(a) / a->screen * (1 + 0x1p-40)) : 2;
    const double most =
        (double)DUSK_MUTATE(REPORT_MOVE_IS_CUT, cells_of(a), STEPS_MOST + 1); /* from any cell to any */
    a->moved = (size_t)fmin(ceil(ldexp(moved * changed, -a->unit)) + 1, most);
    return DUSK_OK;
}

/* With steps of 2^unit votes, or more where teachers are many. */
DUSK_PROVEN(make_prices)
static dusk_status make_prices(deep_agreement *out, const learn_budget *b, const deep_votes *v, double order,
                               int unit, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_agreement a = { .classes = v->classes, .questions = v->questions, .order = order, .unit = unit };
    a.as_asked = v->way == DEEP_INTERACTIVE;
    a.delta = b->delta / DUSK_MUTATE(REPORT_TAKES_THE_LESS, a.as_asked ? 2 : 1, 1);
    DUSK_TRY(set_noise(&a, b, v, err));
    DUSK_TRY(price_alone(&a, b, v, err));
    DUSK_NEW(a.price, cells_of(&a));
    DUSK_NEW(a.moves, cells_of(&a));
    set_prices(&a);
    set_moves(&a);
    *out = a;
    a.price = a.moves = NULL;
done:
    deep_agreement_clear(&a);
    return status;
}

dusk_status deep_agreement_of(deep_agreement *out, const learn_budget *b, const deep_votes *v, double order,
                              dusk_error *err)
{
    return make_prices(out, b, v, order, FINEST, err);
}

DUSK_PROVEN(deep_agreement_plan)
dusk_status deep_agreement_plan(learn_job *job, deep_agreement *out, const deep_votes *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    deep_agreement a = { .noise = 0 };
    guess g = { .teachers = v->teachers };
    if (!(b->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta, or --set report=no",
                         "a report says an epsilon at a delta");
    DUSK_TRY(make_prices(&a, b, v, 2, COARSE, err)); /* enough for a guess */
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

void deep_agreement_clear(deep_agreement *a)
{
    dusk_deallocate(a->price);
    dusk_deallocate(a->moves);
    *a = (deep_agreement){ .noise = 0 };
}

/* --- fit -------------------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(deep_agreement_total)
dusk_status deep_agreement_total(const deep_agreement *a, const size_t *cell, double *total, double **out,
                                 size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t cells = cells_of(a);
    double *times = NULL, *local = NULL;
    *n = reach_of(a);
    DUSK_NEW(times, cells);
    DUSK_NEW(local, *n);
    *total = 0;
    for (size_t q = 0; q < a->questions; q++)
        if (cell[q] != DEEP_NOT_ASKED) times[cell[q]] += 1;
    for (size_t i = 0; i < cells; i++) {
        if (times[i] == 0) continue;
        *total += times[i] * (double)a->price[i];
        add_local(a, i, times[i], local, *n);
    }
    *out = local;
    local = NULL;
done:
    if (times) dusk_wipe(times, cells * sizeof *times);
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
    const double least = DUSK_MUTATE(REPORT_CAPPED_BY_ALL, a->alone, job->budget.epsilon);
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
