/* SPDX-License-Identifier: Apache-2.0 */
/* Prices by votes; see agreement.h. Proof: agreement.proof.md. */
#include "deep/agreement.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

enum { STEPS_MOST = 1 << 14, FINEST = -4, TOTAL_BITS = 44, TURNS = 60 };
#define SLACK 0x1p-10 /* votes: more than the rounding of a lead, and of noise to its grid */
#define FAR 36.0      /* deviations: leads end there */
#define FAR_OUT 400.0 /* the same of Laplace noise, in scales */
#define DISCRETE                                                                                             \
    (1 + 0x1p-9) /* more than a discrete law has beyond a place, over the same of the continuous one */
#define NOISE_MOST 0x1p20  /* votes */
#define NOISE_LEAST 0x1p-8 /* votes; and of a screening over that of an answer */
#define BEYOND 1e-200      /* more than the probability that noise does not fit a double exactly */

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

/* --- prices ---------------------------------------------------------------------------------------------------------------- */

size_t deep_agreement_cells(const deep_agreement *a) { return a->zero + a->steps + 1; }

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
    const size_t cells = deep_agreement_cells(a);
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
    const size_t cells = deep_agreement_cells(a);
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

void deep_agreement_tabulate(deep_agreement *a)
{
    set_prices(a);
    set_moves(a);
}

size_t deep_agreement_reach(const deep_agreement *a) { return deep_agreement_cells(a) / a->moved + 2; }

void deep_agreement_add_local(const deep_agreement *a, size_t cell, double times, double *local, size_t n)
{
    size_t low = cell, high = cell;
    int64_t most = a->moves[cell];
    for (size_t k = 0; k < n; k++) {
        const size_t reach = k * a->moved, last = deep_agreement_cells(a) - 1;
        const size_t first = cell > reach ? cell - reach : 0, end = cell + reach < last ? cell + reach : last;
        while (low > first)
            if (a->moves[--low] > most) most = a->moves[low];
        while (high < end)
            if (a->moves[++high] > most) most = a->moves[high];
        local[k] += times * (double)most;
    }
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
    DUSK_TRY(dusk_statement_init(&statement, &event, b->delta, b->neighbours, "row", err));
    a->alone = statement.epsilon;
    if (a->delta < b->delta)
        DUSK_TRY(dusk_statement_init(&statement, &event, a->delta, b->neighbours, "row", err));
    a->known = statement.epsilon;
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
    const double most = (double)DUSK_MUTATE(REPORT_MOVE_IS_CUT, deep_agreement_cells(a),
                                            STEPS_MOST + 1); /* from any cell to any */
    a->moved = (size_t)fmin(ceil(ldexp(moved * changed, -a->unit)) + 1, most);
    return DUSK_OK;
}

DUSK_PROVEN(deep_agreement_make)
dusk_status deep_agreement_make(deep_agreement *out, const learn_budget *b, const deep_votes *v, double order,
                                int unit, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_agreement a = { .classes = v->classes, .questions = v->questions, .order = order, .unit = unit };
    a.as_asked = v->way == DEEP_INTERACTIVE;
    a.delta = b->delta / DUSK_MUTATE(REPORT_TAKES_THE_LESS, a.as_asked ? 2 : 1, 1);
    DUSK_TRY(set_noise(&a, b, v, err));
    DUSK_TRY(price_alone(&a, b, v, err));
    DUSK_NEW(a.price, deep_agreement_cells(&a));
    DUSK_NEW(a.moves, deep_agreement_cells(&a));
    deep_agreement_tabulate(&a);
    *out = a;
    a.price = a.moves = NULL;
done:
    deep_agreement_clear(&a);
    return status;
}

dusk_status deep_agreement_of(deep_agreement *out, const learn_budget *b, const deep_votes *v, double order,
                              dusk_error *err)
{
    return deep_agreement_make(out, b, v, order, FINEST, err);
}

void deep_agreement_clear(deep_agreement *a)
{
    dusk_deallocate(a->price);
    dusk_deallocate(a->moves);
    *a = (deep_agreement){ .noise = 0 };
}

/* --- questions -------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(deep_agreement_total)
dusk_status deep_agreement_total(const deep_agreement *a, const size_t *cell, double *total, double **out,
                                 size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t cells = deep_agreement_cells(a);
    double *times = NULL, *local = NULL;
    *n = deep_agreement_reach(a);
    DUSK_NEW(times, cells);
    DUSK_NEW(local, *n);
    *total = 0;
    for (size_t q = 0; q < a->questions; q++)
        if (cell[q] != DEEP_NOT_ASKED) times[cell[q]] += 1;
    for (size_t i = 0; i < cells; i++) {
        if (times[i] == 0) continue;
        *total += times[i] * (double)a->price[i];
        deep_agreement_add_local(a, i, times[i], local, *n);
    }
    *out = local;
    local = NULL;
done:
    if (times) dusk_wipe(times, cells * sizeof *times);
    dusk_deallocate(times);
    dusk_deallocate(local);
    return status;
}
