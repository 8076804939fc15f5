/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice accountant: any pairs, both bounds, by convolution of the laws of
 * their losses on a lattice. Atoms that have a lattice of their own are convolved
 * as they are; else the step is made smaller until both bounds agree, or the work
 * is enough: errors fall with its square. */
#include "accounting/lattice.h"

#include "accounting/accountants.h"
#include "base/memory.h"
#include "base/mutant.h"

#define STAGES 6
#define COARSE 1024       /* points of the first look, for each pair */
#define COARSE_ALL 65536  /* and for all */
#define POINTS 1048576    /* of all laws together, at most, each counted by its effort */
#define ALL_POINTS 0x1p23 /* of all transforms together, unless */
#define MANY_LOG 13       /* they are no longer than this */
#define FIRST_LOOK 8192   /* points of the first window */
#define NARROW 1e-9       /* relative width that is narrow enough */
#define BELOW 1e-18       /* tilted mass that may be cut on the good side */
#define LEAST 1e-300      /* a delta that is small enough */
#define SEARCHES 120
#define SMOOTH_MAX 5000 /* pairs with a density: each is made a law of its own */

typedef dusk_lattice_question question;

static dusk_status refuse(dusk_error *err, const char *why)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "", "the lattice accountant cannot price this: %s", why);
}

/* --- answers of one sum -------------------------------------------------- */

static double excess(const dusk_lattice_sum *sum, double epsilon, double delta, bool up)
{
    double at = up ? dusk_lattice_sum_delta_up(sum, epsilon) : dusk_lattice_sum_delta_down(sum, epsilon);
    return at > 0 ? log(at / delta) : -INFINITY;
}

/* Regula falsi on ln delta, halving when it stalls, between two numbers of which
 * delta is surely above (left) or not above (right) what is wanted. */
static void narrow(double *low, double *high, const dusk_lattice_sum *sum, double delta, bool up)
{
    double left = excess(sum, *low, delta, up), right = excess(sum, *high, delta, up);
    for (int i = 0; i<SEARCHES && * high - *low> 4e-16 * *high; i++) {
        double share =
            i % 3 < 2 && isfinite(left) && isfinite(right) && left > right ? left / (left - right) : 0.5;
        /* towards the middle, so that both ends move */
        share = fmin(fmax(share + (share < 0.5 ? 1e-7 : -1e-7), 1e-9), 1 - 1e-9);
        double middle = *low + share * (*high - *low);
        if (!(middle > *low && middle < *high)) break;
        double at = excess(sum, middle, delta, up);
        if (at > 0) {
            *low = middle;
            left = at;
        } else {
            *high = middle;
            right = at;
        }
        if (*high - *low < 1e-12 * *high) break;
    }
}

DUSK_PROVEN(epsilon_of)
static dusk_bound epsilon_of(const dusk_lattice_sum *sum, double delta)
{
    dusk_bound out = { 0, INFINITY };
    double most = dusk_add_up(sum->origin.upper, dusk_mul_up(sum->last, sum->step.upper)), low = 0,
           high = most;
    if (dusk_lattice_sum_delta_up(sum, 0) <= delta) {
        out.upper = 0;
    } else if (most > 0 && dusk_lattice_sum_delta_up(sum, most) <= delta) {
        narrow(&low, &high, sum, delta, true);
        out.upper = high;
    }
    if (sum->infinite.lower > delta) {
        out.lower = INFINITY;
        return out;
    }
    /* The tilt is right near the answer: look down from there. */
    high = isfinite(out.upper) ? out.upper : most;
    for (double gap = 1e-13 * high; high > 0 && gap < 8 * high; gap *= 8) {
        low = gap < high ? high - gap : 0;
        if (dusk_lattice_sum_delta_down(sum, low) > delta) {
            double top = fmin(low + gap, high);
            narrow(&low, &top, sum, delta, false);
            out.lower = low;
            break;
        }
    }
    return out;
}

static dusk_bound answer(const dusk_lattice_sum *sum, question q)
{
    if (!q.of_delta) return epsilon_of(sum, q.at);
    return (dusk_bound){ dusk_lattice_sum_delta_down(sum, q.at), dusk_lattice_sum_delta_up(sum, q.at) };
}

static void improve(dusk_bound *best, dusk_bound now)
{
    if (now.lower > best->lower) best->lower = now.lower;
    if (now.upper < best->upper) best->upper = now.upper;
}

static double width(dusk_bound b) { return b.upper > 0 ? (b.upper - b.lower) / b.upper : 0; }

/* --- stages -------------------------------------------------------------- */

static dusk_status ask(dusk_bound *best, const dusk_lattice *lattice, const dusk_lattice_plan *plan,
                       question q, dusk_error *err)
{
    dusk_lattice_sum sum;
    dusk_status status = dusk_lattice_sum_make(&sum, lattice, plan, err);
    if (status != DUSK_OK) return status;
    improve(best, answer(&sum, q));
    dusk_lattice_sum_free(&sum);
    return DUSK_OK;
}

/* Atoms on their own lattice: one stage, nothing is rounded. */
static dusk_status ask_atoms(dusk_bound *best, bool *done, const dusk_pairs *pairs, question q,
                             dusk_error *err)
{
    dusk_lattice lattice;
    dusk_lattice_plan plan;
    dusk_status status = dusk_lattice_of_atoms(&lattice, done, pairs, err);
    if (status != DUSK_OK || !*done) return status;
    status = dusk_lattice_plan_make(&plan, &lattice, q, NULL, err);
    *done = plan.width / lattice.step.upper <
            ldexp(1, DUSK_LATTICE_LOG_MAX) - 16; /* else a coarser one will do */
    if (status == DUSK_OK && *done) status = ask(best, &lattice, &plan, q, err);
    dusk_lattice_free(&lattice);
    return status;
}

/* How much may be cut off, when delta and the tilt are known roughly. */
static dusk_lattice_cut cut_by(const dusk_lattice_plan *plan, question q)
{
    double log_delta = q.of_delta ? plan->log_delta : log(q.at);
    return (dusk_lattice_cut){ .above = exp(fmax(fmin(log_delta, 0) - 32, -721)),
                               .below = BELOW,
                               .tilt = 0.9 * plan->tilt };
}

/* Long transforms for few pairs, shorter ones for many. */
static int log_size_for(const dusk_pairs *pairs)
{
    int log_size = DUSK_LATTICE_LOG_MAX;
    while (log_size > MANY_LOG && ldexp((double)pairs->count, log_size) > ALL_POINTS) log_size--;
    return log_size;
}

static dusk_status ask_stages(dusk_bound *best, const dusk_pairs *pairs, question q, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_lattice lattice = { 0 };
    dusk_lattice_plan plan, hint;
    dusk_lattice_cut cut = { .above = 1e-308, .below = BELOW };
    double effort, length = dusk_lattice_length(&effort, pairs, cut), before = INFINITY;
    double count = (double)pairs->count, points = fmin(COARSE * count, COARSE_ALL);
    if (!isfinite(length)) return refuse(err, "a single loss is too large");
    if (!(length > 0)) length = 1;
    double step = length / points;
    for (int stage = 0; stage < STAGES; stage++) {
        dusk_lattice_free(&lattice);
        DUSK_TRY(dusk_lattice_make(&lattice, pairs, step, cut, err));
        DUSK_TRY(dusk_lattice_plan_make(&plan, &lattice, q, stage > 1 ? &hint : NULL, err));
        if (stage == 0) { /* a look only */
            cut = cut_by(&plan, q);
            length = fmax(dusk_lattice_length(&effort, pairs, cut), 1e-300);
            step = fmax(plan.width / FIRST_LOOK, length / (8 * points));
            continue;
        }
        hint = plan;
        DUSK_TRY(ask(best, &lattice, &plan, q, err));
        double wide = width(*best) / (q.of_delta ? 10 * NARROW : NARROW);
        /* what is not gone with the square of the step will not go */
        if (!(wide > 1) || (q.of_delta && best->upper < LEAST) || wide > 6 * before) break;
        double least = fmax(plan.width / ldexp(0.98, log_size_for(pairs)), effort / POINTS);
        double next = fmax(step / sqrt(1.5 * wide), least);
        if (next < step / 64 && stage < 3) next = fmax(step / 64, least);
        if (next > step / 1.4) break;
        before = width(*best) < 0.01 ? wide * (next / step) * (next / step) : INFINITY; /* expected */
        step = next;
    }
done:
    dusk_lattice_free(&lattice);
    return status;
}

/* --- ends of the losses -------------------------------------------------- */

/* The largest finite loss of one run; 0 when there is none above. */
static dusk_bound largest(const dusk_pair *pair)
{
    dusk_bound one = { 1 - 0x1p-49, 1 + 0x1p-49 }, sum = dusk_bound_of(0), none = { INFINITY, INFINITY };
    if (pair->kind == DUSK_PAIR_ATOMS) {
        size_t i = pair->atoms;
        if (i == 0) return sum;
        sum.upper = fmax(pair->loss[i - 1].upper, 0);
        while (i > 0 && !(pair->mass[i - 1].lower > 0)) i--;
        sum.lower = i > 0 ? fmax(pair->loss[i - 1].lower, 0) : 0;
        return sum;
    }
    if (pair->kind == DUSK_PAIR_LAPLACE) {
        dusk_bound rate = pair->rate < 1 ? dusk_bound_mul(dusk_bound_of(pair->rate), one) : dusk_bound_of(1);
        dusk_bound y = dusk_bound_div(dusk_bound_of(1), pair->scale), up = y, down = y;
        if (rate.upper > 1) rate.upper = 1;
        if (pair->rate < 1) {
            up = (dusk_bound){ dusk_log1p_down(dusk_mul_down(rate.lower, dusk_expm1_down(y.lower))),
                               dusk_log1p_up(dusk_mul_up(rate.upper, dusk_expm1_up(y.upper))) };
            down = (dusk_bound){ -dusk_log1p_up(-dusk_mul_down(rate.lower, -dusk_expm1_up(-y.lower))),
                                 -dusk_log1p_down(-dusk_mul_up(rate.upper, -dusk_expm1_down(-y.upper))) };
            if (up.upper > y.upper) up.upper = y.upper;
            if (down.upper > y.upper) down.upper = y.upper;
        } else if (pair->direction != DUSK_REPLACE) {
            return y;
        }
        if (pair->direction != DUSK_ADD) sum = dusk_bound_add(sum, up);
        if (pair->direction != DUSK_REMOVE) sum = dusk_bound_add(sum, down);
        return sum;
    }
    if (pair->kind != DUSK_PAIR_MIXTURE || pair->direction != DUSK_ADD) return none;
    for (size_t j = 1; j <= pair->shifts; j++)
        sum = dusk_bound_add(sum, dusk_bound_mul(dusk_bound_of(pair->weight[j]), one));
    if (!(sum.upper < 1)) return none;
    return (dusk_bound){ -dusk_log1p_up(-sum.lower), -dusk_log1p_down(-sum.upper) };
}

/* The largest finite sum of losses, and the mass of infinite ones. */
DUSK_PROVEN(ends_of)
static dusk_bound ends_of(dusk_bound *infinite, const dusk_pairs *pairs)
{
    dusk_bound sum = dusk_bound_of(0), some = dusk_bound_of(0);
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound times = dusk_bound_of_whole(pair->times);
        sum = dusk_bound_add(sum, dusk_bound_mul(largest(pair), times));
        some.upper =
            dusk_add_up(some.upper, pair->infinite.upper < 1
                                        ? dusk_mul_up(times.upper, -dusk_log1p_down(-pair->infinite.upper))
                                        : INFINITY);
        some.lower =
            dusk_add_down(some.lower, dusk_mul_down(times.lower, -dusk_log1p_up(-pair->infinite.lower)));
    }
    *infinite = (dusk_bound){ fmax(-dusk_expm1_up(-some.lower), 0), fmin(-dusk_expm1_down(-some.upper), 1) };
    return sum;
}

static dusk_status price(dusk_bound *out, const dusk_pairs *pairs, question q, dusk_error *err)
{
    dusk_bound best = { 0, q.of_delta ? 1 : INFINITY }, infinite, ends = ends_of(&infinite, pairs);
    bool done = false;
    size_t smooth = 0;
    for (size_t i = 0; i < pairs->count; i++) smooth += pairs->pair[i].kind != DUSK_PAIR_ATOMS;
    if (smooth > SMOOTH_MAX) return refuse(err, "there are too many different parts");
    if (!(ends.upper >= 0 && infinite.upper >= 0)) return refuse(err, "a single loss is too large");
    if (q.of_delta ? q.at >= ends.upper : !(q.at > 0)) {
        *out = infinite;
        if (!q.of_delta) out->lower = infinite.lower > 0 ? INFINITY : ends.lower;
        if (!q.of_delta) out->upper = infinite.upper > 0 ? INFINITY : ends.upper;
        return DUSK_OK;
    }
    dusk_status status = ask_atoms(&best, &done, pairs, q, err);
    if (status == DUSK_OK && !done) status = ask_stages(&best, pairs, q, err);
    if (status != DUSK_OK) return status;
    if (!q.of_delta && infinite.upper <= q.at && ends.upper < best.upper) best.upper = ends.upper;
    if (best.lower > best.upper) return refuse(err, "its bounds cross");
    if (best.lower <= 0 && best.upper >= (q.of_delta ? 1 : INFINITY))
        return refuse(err, "no bound was found");
    *out = best;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_lattice_epsilon)
dusk_status dusk_lattice_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta, dusk_error *err)
{
    if (!(delta >= 0 && delta < 1)) return refuse(err, "delta must be in [0, 1)");
    return price(out, pairs, (question){ .at = delta }, err);
}

DUSK_PROVEN(dusk_lattice_delta)
dusk_status dusk_lattice_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon, dusk_error *err)
{
    if (!(epsilon >= 0 && isfinite(epsilon))) return refuse(err, "epsilon must be finite");
    return price(out, pairs, (question){ .of_delta = true, .at = epsilon }, err);
}
