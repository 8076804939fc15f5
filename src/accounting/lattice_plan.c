/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sum of the losses matters for a question: by its cumulant function
 * K(s) = ln E exp(s sum), as in saddle point methods [Daniels 1954]. What is
 * found here steers the convolution; its errors are bounded there, whatever it
 * is steered to. */
#include "accounting/lattice.h"
#include "base/memory.h"

#define BEYOND 45.0   /* -ln of the tilted mass that may lie outside of the window */
#define TILT_MAX 60.0 /* of one step */
#define SEARCH_STEPS 70
#define THIN 32768 /* points that are enough */

/* K and its first two derivatives, by index. */
typedef struct cumulant {
    double value, slope, curvature;
} cumulant;

/* Running powers in extended range: a law of masses down to 1e-300 and tilts of
 * e^10000 are fine. */
static cumulant cumulant_of_law(const dusk_lattice_law *law, double theta, bool better)
{
    const double *mass = better ? law->lower : law->upper;
    long double sum = 0, first = 0, second = 0, power = 1;
    size_t n = law->count;
    bool down = theta >= 0; /* from the end where powers are largest */
    long double factor = expl(-(long double)fabs(theta));
    /* what is left is at most `power` */
    for (size_t i = 0; i < n && power > 1e-25L * sum && power > 0; i++, power *= factor) {
        long double term = mass[down ? n - 1 - i : i] * power, k = (long double)i;
        sum += term;
        first += k * term;
        second += k * k * term;
    }
    long double mean = first / sum, variance = second / sum - mean * mean;
    cumulant c = { .slope = (double)(down ? (long double)(n - 1) - mean : mean),
                   .curvature = variance > 0 ? (double)variance : 0 };
    c.value = (double)(logl(sum) + (down ? (long double)theta * (long double)(n - 1) : 0.0L));
    return c;
}

static cumulant cumulant_at(const dusk_lattice *lattice, double theta, bool better)
{
    cumulant all = { 0, 0, 0 };
    for (size_t i = 0; i < lattice->count; i++) {
        cumulant c = cumulant_of_law(&lattice->law[i], theta, better);
        double times = (double)lattice->law[i].times;
        all.value += times * c.value;
        all.slope += times * c.slope;
        all.curvature += times * c.curvature;
    }
    return all;
}

static double origin_of(const dusk_lattice *lattice)
{
    double origin = 0;
    for (size_t i = 0; i < lattice->count; i++)
        origin += (double)lattice->law[i].times * lattice->law[i].origin.upper;
    return origin;
}

/* The epsilon and ln delta for which the tilt theta is right. */
static void saddle(double *epsilon, double *log_delta, const dusk_lattice *lattice, double theta)
{
    double step = lattice->step.upper, c = theta / step, origin = origin_of(lattice);
    cumulant k = cumulant_at(lattice, theta, false);
    *epsilon = origin + k.slope * step - 1 / c - 1 / (c + 1);
    double spread = k.curvature * step * step + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
    *log_delta =
        k.value - theta * ((*epsilon - origin) / step) - log(c) - log1p(c) - 0.5 * log(2 * M_PI * spread);
}

/* How far from the mean the tilted sum may be; *more is the tilt that shows it.
 * Above it is the worse law that must be held, below only the better one. */
static double reach(const dusk_lattice *lattice, double theta, double sign, double *more)
{
    cumulant k = cumulant_at(lattice, theta, false);
    double start = log(sqrt(2 * BEYOND / fmax(k.curvature, 0.01))), width = 3, best = INFINITY,
           centre = start;
    for (int round = 0; round < 3; round++, width /= 4) {
        double from = centre;
        for (int i = -4; i <= 4; i++) {
            double a = fmin(exp(from + width * i / 4), TILT_MAX);
            double at = (cumulant_at(lattice, theta + sign * a, sign < 0).value - k.value + BEYOND) / a;
            if (at < best) {
                best = at;
                centre = log(a);
                *more = a;
            }
        }
    }
    return sign * best;
}

/* The same with fewer points, masses shared between two so that means stay. */
static dusk_status thin(dusk_lattice *out, const dusk_lattice *lattice, size_t every, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(out->law, lattice->count);
    out->count = lattice->count;
    out->step = dusk_bound_of((double)every * lattice->step.upper);
    for (size_t i = 0; i < lattice->count; i++) {
        const dusk_lattice_law *law = &lattice->law[i];
        dusk_lattice_law *thinned = &out->law[i];
        *thinned = (dusk_lattice_law){ .times = law->times, .count = law->count / every + 2 };
        thinned->origin = law->origin;
        DUSK_NEW(thinned->upper, thinned->count);
        DUSK_NEW(thinned->lower, thinned->count);
        for (size_t k = 0; k < law->count; k++) {
            double high = (double)(k % every) / (double)every;
            thinned->upper[k / every] += law->upper[k] * (1 - high);
            thinned->upper[k / every + 1] += law->upper[k] * high;
            thinned->lower[k / every] += law->lower[k] * (1 - high);
            thinned->lower[k / every + 1] += law->lower[k] * high;
        }
    }
    return DUSK_OK;
done:
    dusk_lattice_free(out);
    return status;
}

static void make_plan(dusk_lattice_plan *out, const dusk_lattice *lattice, dusk_lattice_question question,
                      double low, double high)
{
    double step = lattice->step.upper, origin = origin_of(lattice), epsilon, log_delta;
    double wanted = question.of_delta ? question.at : log(question.at);
    for (int i = 0; i < SEARCH_STEPS && high - low > 1e-3; i++) {
        double middle = 0.5 * (low + high);
        saddle(&epsilon, &log_delta, lattice, exp(middle));
        bool more = question.of_delta ? epsilon < wanted : log_delta > wanted || epsilon < 0;
        *(more ? &low : &high) = middle;
    }
    double theta = exp(high), above = 0, below = 0, last = 0;
    saddle(&epsilon, &out->log_delta, lattice, theta);
    double top = reach(lattice, theta, 1, &above), bottom = reach(lattice, theta, -1, &below);
    for (size_t i = 0; i < lattice->count; i++)
        last += (double)lattice->law[i].times * (double)(lattice->law[i].count - 1);
    out->tilt = theta / step;
    out->width = (fmin(top, last) - fmax(bottom, 0) + 4) * step;
    out->top = top < last ? origin + top * step : INFINITY;
    out->bottom = bottom > 0 ? origin + bottom * step : -INFINITY;
    out->above = above / step;
    out->below = below / step;
}

/* With a hint the tilt is looked for near that of the hint, and where the laws are long on fewer points. */
static dusk_status plan_near(dusk_lattice_plan *out, const dusk_lattice *lattice,
                             dusk_lattice_question question, const dusk_lattice_plan *hint, dusk_error *err)
{
    dusk_lattice thinned = { 0 };
    double step = lattice->step.upper, low = log(hint->tilt * step / 4),
           high = fmin(log(hint->tilt * step * 4), log(TILT_MAX));
    double fine = 0.02 / ((4 * hint->tilt + hint->above + hint->below) * step);
    size_t all = 0, every = 1;
    for (size_t i = 0; i < lattice->count; i++) all += lattice->law[i].count;
    if (all > THIN && fine > 2) every = (size_t)fmin(fine, (double)(all / THIN));
    if (every <= 1) {
        make_plan(out, lattice, question, low, high);
        return DUSK_OK;
    }
    dusk_status status = thin(&thinned, lattice, every, err);
    if (status != DUSK_OK) return status;
    double finer = log((double)every);
    make_plan(out, &thinned, question, low + finer, high + finer);
    dusk_lattice_free(&thinned);
    return DUSK_OK;
}

/* Whether it was found, and not where the search ended: a coarse law may be nothing like a fine one. */
static bool is_found(const dusk_lattice_plan *plan, const dusk_lattice_plan *hint)
{
    return plan->tilt < 3.9 * hint->tilt && plan->tilt > hint->tilt / 3.9 && plan->width > 0 &&
           isfinite(plan->width);
}

dusk_status dusk_lattice_plan_make(dusk_lattice_plan *out, const dusk_lattice *lattice,
                                   dusk_lattice_question question, const dusk_lattice_plan *hint,
                                   dusk_error *err)
{
    double step = lattice->step.upper, low = log(1e-7 * step), high = log(fmin(1e9 * step, TILT_MAX));
    if (high < low) low = high - 30;
    if (hint && hint->tilt > 0) {
        dusk_status status = plan_near(out, lattice, question, hint, err);
        if (status != DUSK_OK || is_found(out, hint)) return status;
    }
    make_plan(out, lattice, question, low, high);
    return DUSK_OK;
}
