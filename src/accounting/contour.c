/* SPDX-License-Identifier: Apache-2.0 */
/* The contour accountant:
 *     delta(eps) = 1/(2 pi i) Int exp(sum T K(s) - s eps) / (s (s+1)) ds,   Re s = c > 0,
 * by the trapezoid rule with nodes s_j = c + i j h. By Poisson's summation formula
 * that sum is not about delta(eps), it is
 *     sum over whole m of exp(c A m) delta(eps + A m),   A = 2 pi / h:
 * all terms are positive, so that the rule errs upward, and by how much is
 * bounded by delta <= 1 on the left and by a Chernoff bound on the right. What is
 * cut off is bounded by how the characteristic function falls. The cost does not
 * depend on how often a pair runs. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/contour_line.h"
#include "base/mutant.h"

#define LOOKS 64
#define FAILURES 8 /* abscissas out of reach, before the search for a saddle ends */

/* What losses far from epsilon add: exp(c A m) delta(eps + A m), m > 0. By
 * Chernoff delta(eps') <= k exp(T K(c') - c' eps'), k = c'^c' / (1 + c')^(1 + c'). */
DUSK_PROVEN(alias_right)
static double alias_right(const dusk_contour_line *line, double epsilon, double period)
{
    double right = line->right, gap = (right - line->c) * period;
    double factor = right * log(right) - (1 + right) * log1p(right);
    double exponent = line->right_start - right * epsilon + factor;
    double slack = 4 * DUSK_LIBM *
                   (fabs(line->right_start) + right * fabs(epsilon) + (1 + right) * log1p(right) +
                    right * fabs(log(right)) + gap + 1);
    return 1.0001 * exp(exponent + slack - gap) / -expm1(-gap * (1 - 8 * DUSK_UNIT));
}

DUSK_PROVEN(dusk_contour_look_at)
dusk_contour_look dusk_contour_look_at(const dusk_contour_line *line, double epsilon)
{
    double c = line->c, h = line->step, period = 2 * M_PI / h;
    double sum = 0.5 / (c * (c + 1)), moved = 0.5 / (c + 1), size = sum, blur = 4 * DUSK_UNIT * sum;
    for (size_t j = 1; j <= line->count; j++) {
        double t = (double)j * h, angle = line->im[j] - t * epsilon, modulus = exp(line->re[j]);
        double norm = c * c + t * t, norm_next = (c + 1) * (c + 1) + t * t,
               weight = modulus / (norm * norm_next);
        if (isnan(line->im[j])) {
            blur += modulus / (t * t) * exp(line->blur[j]);
            continue;
        }
        double cosine = cos(angle), sine = sin(angle);
        /* 1/(s (s+1)) = conj(s (s+1)) / norms, s (s+1) = c (c+1) - t^2 + i t (2 c + 1) */
        double g = weight * (cosine * (c * (c + 1) - t * t) + sine * t * (2 * c + 1));
        double most = modulus / sqrt(norm * norm_next);
        sum += g;
        moved += modulus / norm_next * (cosine * (c + 1) + sine * t);
        size += most;
        double off = line->blur[j] + 4 * DUSK_UNIT * (fabs(line->im[j]) + t * fabs(epsilon)) + 4 * DUSK_LIBM +
                     DUSK_LIBM * fabs(line->re[j]);
        blur += most * (off < 0.5 ? 1.5 * off : expm1(off));
    }
    blur += (double)line->count * 2 * DUSK_UNIT * size;
    double end = (double)line->count * h;
    double cut = DUSK_MUTATE(CONTOUR_CUT_FORGOTTEN, 1, 0) * exp(line->beyond) / end *
                 (1 + 1e-12); /* of the sum: 1/h Int_end dt/t^2 h */
    double high = (sum + 1.0001 * (blur + cut / h)) * h / M_PI * (1 + 1e-14);
    double low = (sum - 1.0001 * (blur + cut / h)) * h / M_PI * (1 - 1e-14);
    double scale_up = dusk_exp_up(dusk_sub_up(line->start.upper, dusk_mul_down(c, epsilon)));
    double scale_down = dusk_exp_down(dusk_sub_down(line->start.lower, dusk_mul_up(c, epsilon)));
    double alias = 1.0001 / expm1(c * period * (1 - 8 * DUSK_UNIT)) + alias_right(line, epsilon, period);
    dusk_contour_look out = { .slope = -moved / sum, .value = scale_up * sum * h / M_PI };
    dusk_bound finite = { low > 0 ? dusk_sub_down(dusk_mul_down(scale_down, low), alias) : 0,
                          high <= 0 ? 0 : dusk_mul_up(scale_up, high) }; /* NaN becomes 1 */
    finite.lower -= DUSK_MUTATE(CONTOUR_ALIAS_FORGOTTEN, 0, -alias);
    if (!(finite.lower > 0)) finite.lower = 0;
    if (!(finite.upper < 1)) finite.upper = 1;
    out.delta = dusk_bound_clamp(dusk_bound_add(finite, line->infinite));
    return out;
}

/* The saddle for epsilon: where T K(c) - c eps - ln c (c + 1) is least. Returns 0
 * when none is in reach. Also ln delta there, about. */
static double saddle_of_epsilon(const dusk_contour_list *list, double epsilon, double *log_delta)
{
    double low = 0, high = INFINITY, c = list->hint > 0 ? list->hint : 1, k[3];
    int failures = 0;
    for (int i = 0; i < 200; i++) {
        bool ok = dusk_contour_sketch(k, list, c);
        if (!ok && ++failures > FAILURES) return 0;
        double first = k[1] - 1 / c - 1 / (c + 1) - epsilon,
               second = k[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
        if (!ok || first > 0)
            high = c;
        else
            low = c;
        if (ok && fabs(first) < 0.02 * sqrt(second)) {
            *log_delta = k[0] - c * epsilon - log(c * (c + 1)) - log(2 * M_PI * second) / 2;
            return c;
        }
        double next = ok ? c - first / second : c / 2;
        if (!(next > low) || !(next < high) || (low > 0 && isfinite(high) && i % 4 == 3))
            next = isinf(high) ? 4 * c : low > 0 ? sqrt(low * high) : c / 4;
        if (next > 8 * c) next = 8 * c;
        if (next < c / 8) next = c / 8;
        c = next;
        if (c < 1e-9 || c > 1e12) return 0;
    }
    return 0;
}

/* The abscissa whose saddle point approximation of delta is the one wanted, and
 * the epsilon that goes with it. */
static double saddle_of_delta(const dusk_contour_list *list, double log_delta, double *epsilon)
{
    double low = 0, high = INFINITY, c = 1, k[3];
    int failures = 0;
    for (int i = 0; i < 100; i++) {
        bool ok = dusk_contour_sketch(k, list, c);
        if (!ok && ++failures > FAILURES) return 0;
        double second = k[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
        *epsilon = k[1] - 1 / c - 1 / (c + 1);
        double found = k[0] - c * *epsilon - log(c * (c + 1)) - log(2 * M_PI * second) / 2;
        if (!ok || found < log_delta)
            high = c;
        else
            low = c;
        if (ok && fabs(found - log_delta) < 0.1) return c;
        if (low > 0 && isfinite(high) && high < low * (1 + 1e-6)) return ok ? c : low;
        /* d found / dc is about -c second */
        double next = ok ? sqrt(fmax(c * c + 2 * (found - log_delta) / second, c * c / 16)) : c / 2;
        if (!(next > low) || !(next < high) || i % 4 == 3)
            next = isinf(high) ? 4 * c : low > 0 ? sqrt(low * high) : c / 4;
        if (next > 8 * c) next = 8 * c;
        c = next;
        if (c < 1e-9 || c > 1e12) return 0;
    }
    return 0;
}

/* A saddle between a bulk and rare far losses sees both: the tilted law is wide and
 * needs many nodes. A little to the left the bulk alone counts, and the integrand
 * is not much larger. */
static double avoid_far_losses(const dusk_contour_list *list, double c, double epsilon, double log_delta)
{
    double k[3], best = c, least = INFINITY, start = NAN;
    for (double at = c; at > c / 4; at *= 0.9) {
        if (!dusk_contour_sketch(k, list, at)) continue;
        double height = k[0] - at * epsilon - log(at * (at + 1)), spread = sqrt(k[2] + 1 / (at * at));
        double period = fmax((DUSK_CONTOUR_DIGITS - log_delta) / at, 12 * spread);
        if (isnan(start)) start = height;
        if (height > start + 5 || (at < 0.85 * c && best == c) || (best < c && at < 0.85 * best)) break;
        if (period < (best == c ? 0.95 : 0.9) * least) best = at, least = period;
    }
    return best;
}

static dusk_status no_saddle(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "the lattice or the rdp accountant may do",
                     "the contour accountant finds no saddle point");
}

/* Losses are cut off whose chance is below e^-far delta, and how sharply: nothing by
 * default, more and more where the farthest losses alone rule the saddle, which is
 * further to the right without them. */
static const struct cut {
    double far, sharpness;
} cuts[] = { { INFINITY, 1 }, { 40, 2 }, { 40, 8 }, { 21, 8 }, { 21, 32 } };
#define CUTS (sizeof cuts / sizeof *cuts)
#define BETTER 1.2 /* how much further to the right is worth it */
#define GOOD 1e-7  /* relative width that makes another list superfluous */

typedef double saddle_search(const dusk_contour_list *list, double at, double *found);

/* The list to work with among the first `most` cuts, which one that is, its saddle (0: none)
 * and what the search found there. */
typedef struct choice {
    dusk_contour_list list;
    size_t cut;
    double c, found;
} choice;

static dusk_status choose_list(choice *out, const dusk_pairs *pairs, size_t most, saddle_search *search,
                               double at, double log_delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    out->c = 0;
    for (size_t i = 0; i < most; i++) {
        choice next = { .cut = i };
        double whole[3], cut[3], beside = 1.5 * out->c;
        DUSK_TRY(
            dusk_contour_list_init(&next.list, pairs, exp(log_delta - cuts[i].far), cuts[i].sharpness, err));
        /* no search where beside the saddle nothing changes that would change it */
        bool same = i > 0 && out->c > 0 && dusk_contour_sketch(whole, &out->list, beside) &&
                    dusk_contour_sketch(cut, &next.list, beside) && whole[1] < 1.01 * cut[1];
        next.c = same ? 0 : search(&next.list, at, &next.found);
        bool better = i == 0 || next.c > (i == 1 ? 1 : BETTER) * out->c;
        choice drop = better ? *out : next;
        if (better) *out = next;
        dusk_contour_list_free(&drop.list);
        if (i == 1 && (same || !(out->c > 0))) break; /* the sharper ones would not help either */
    }
    if (!(out->c > 0)) status = no_saddle(err);
done:
    return status;
}

/* Long lists are not worth the searches. */
static size_t cuts_for(const dusk_pairs *pairs) { return pairs->count > 50 ? 1 : CUTS; }

DUSK_PROVEN(dusk_contour_delta)
dusk_status dusk_contour_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    choice best = { 0 };
    dusk_contour_line line = { 0 };
    double log_delta = -60;
    size_t most = cuts_for(pairs);
    if (pairs->count == 0) {
        *out = dusk_bound_of(0);
        return DUSK_OK;
    }
    /* what is cut off depends on delta: first about, then again */
    DUSK_TRY(dusk_contour_list_init(&best.list, pairs, 0, 1, err));
    if (!(saddle_of_epsilon(&best.list, epsilon, &log_delta) > 0)) log_delta = -60;
    DUSK_TRY(choose_list(&best, pairs, most, saddle_of_epsilon, epsilon, log_delta, err));
    log_delta = best.found;
    DUSK_TRY(choose_list(&best, pairs, most, saddle_of_epsilon, epsilon, log_delta, err));
    log_delta = best.found;
    double c = avoid_far_losses(&best.list, best.c, epsilon, log_delta);
    DUSK_TRY(dusk_contour_line_init(&line, &best.list, c, epsilon, log_delta, DUSK_CONTOUR_DIGITS, err));
    *out = dusk_contour_look_at(&line, epsilon).delta;
done:
    dusk_contour_line_free(&line);
    dusk_contour_list_free(&best.list);
    return status;
}

/* Where the line's delta is `delta`, about, by Newton's method within a bracket: far
 * to the right of its saddle the line sees nothing but noise, which may be
 * negative. 0 when delta(0) is smaller. */
static double find_epsilon(const dusk_contour_line *line, double delta, double epsilon)
{
    double low = 0, high = INFINITY, width = 1 / line->c;
    if (!(dusk_contour_look_at(line, 0).value > delta)) return 0;
    if (!(epsilon > 0)) epsilon = width;
    for (int i = 0; i < 200; i++) {
        dusk_contour_look l = dusk_contour_look_at(line, epsilon);
        bool seen = l.value > 0 && l.slope < 0;
        double next = seen ? epsilon + log(l.value / delta) / -l.slope : NAN;
        if (seen && l.value > delta)
            low = epsilon;
        else
            high = epsilon;
        if (seen && fabs(next - epsilon) < 1e-13 * (1 + epsilon)) break;
        if (!(next > low && next < high)) next = isinf(high) ? epsilon + (width *= 2) : low / 2 + high / 2;
        if (next == epsilon) break;
        epsilon = next;
    }
    return epsilon;
}

/* From the estimate outward until the bounds of delta say so. */
DUSK_PROVEN(enclose_epsilon)
static dusk_bound enclose_epsilon(const dusk_contour_line *line, double delta, double epsilon)
{
    dusk_bound out = { 0, INFINITY };
    dusk_contour_look l = dusk_contour_look_at(line, epsilon > 0 ? epsilon : 0);
    if (!(epsilon > 0) && l.delta.upper <= delta) return dusk_bound_of(0);
    double slope = fmax(-l.slope, 0.01 * line->c), least = 4 * DUSK_UNIT * fabs(epsilon) + 1e-300;
    double step = fmax((l.delta.upper - delta) / (delta * slope), least);
    for (int i = 0; i < LOOKS && isinf(out.upper); i++, step *= 2) {
        double e = epsilon + step > 0 ? dusk_add_up(epsilon, step) : 0;
        if (dusk_contour_look_at(line, e).delta.upper <= delta) out.upper = e;
    }
    step = fmax((delta - l.delta.lower) / (delta * slope), least);
    for (int i = 0; i < LOOKS; i++, step *= 2) {
        double e = dusk_sub_down(epsilon, step);
        if (!(e > 0)) break;
        if (dusk_contour_look_at(line, e).delta.lower > delta) {
            out.lower = e;
            break;
        }
    }
    return out;
}

/* One line, and what it says of the epsilon at delta; `guess` becomes its estimate. */
static dusk_status try_line(dusk_bound *out, bool *good, double *guess, const dusk_contour_list *list,
                            double saddle, double delta, bool first, dusk_error *err)
{
    dusk_contour_line line;
    double log_delta = log(delta), c = avoid_far_losses(list, saddle, *guess, log_delta);
    bool rough = first && c < saddle; /* the guess is poor then */
    dusk_status status =
        dusk_contour_line_init(&line, list, c, *guess, log_delta, rough ? 8 : DUSK_CONTOUR_DIGITS, err);
    if (status != DUSK_OK) return status;
    double rest = delta - line.infinite.upper / 2 - line.infinite.lower / 2;
    double epsilon = rest > 0 ? find_epsilon(&line, rest, *guess) : INFINITY;
    *out = rest > 0 ? enclose_epsilon(&line, delta, epsilon) : (dusk_bound){ 0, INFINITY };
    dusk_contour_line_free(&line);
    *good = out->upper - out->lower <= 1e-9 * out->upper || !(epsilon > 0) || isinf(epsilon) ||
            (!rough && fabs(epsilon - *guess) < 0.1 / c);
    *guess = epsilon;
    return DUSK_OK;
}

/* What one list says: a few lines, each nearer to the answer. */
static dusk_status try_list(dusk_bound *out, choice *from, double delta, dusk_error *err)
{
    double guess = from->found, c = from->c, ignored;
    bool good = false;
    *out = (dusk_bound){ 0, INFINITY };
    for (int round = 0; !good && round < 4; round++) {
        dusk_status status = try_line(out, &good, &guess, &from->list, c, delta, round == 0, err);
        if (status != DUSK_OK) return status;
        if (good) break;
        from->list.hint = c;
        c = saddle_of_epsilon(&from->list, guess, &ignored);
        if (!(c > 0)) return no_saddle(err);
    }
    return DUSK_OK;
}

DUSK_PROVEN(dusk_contour_epsilon)
dusk_status dusk_contour_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    choice best = { 0 };
    dusk_bound all = { 0, pairs->count > 0 ? INFINITY : 0 };
    if (pairs->count > 0 && delta > 0) {
        bool answered = false;
        for (size_t most = cuts_for(pairs); most > 0; most = best.cut) {
            dusk_bound one = { 0, INFINITY };
            DUSK_TRY(choose_list(&best, pairs, most, saddle_of_delta, log(delta), log(delta), err));
            status = try_list(&one, &best, delta, err);
            if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED) goto done;
            if (status == DUSK_OK) answered = true;
            if (one.lower > all.lower) all.lower = one.lower;
            if (one.upper < all.upper) all.upper = one.upper;
            if (all.upper - all.lower <= GOOD * all.upper) break;
        }
        if (answered) status = DUSK_OK;
        if (status != DUSK_OK) goto done;
    }
    *out = all;
done:
    dusk_contour_list_free(&best.list);
    return status;
}
