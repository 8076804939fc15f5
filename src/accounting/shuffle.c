/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for shuffled reports by name, and their inversion. Outside of 1e-30 <=
 * eps0 <= 300, and for what no sum improves, a report alone is the bound:
 * shuffling is post-processing, so that eps0 and the curve of binary randomized
 * response always hold. Proofs: shuffle.proof.md. */
#include "accounting/shuffle.h"

#include <math.h>

#include "accounting/accountants.h"
#include "accounting/inversion.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

#define LOCAL_LEAST 1e-30
#define LOCAL_MOST 300.0
#define PRECISION 160
#define LOOKS_MAX 40
#define CLOSE 1e-11 /* in relation: an epsilon this close to the least one will do */

/* (e^eps0 - e^eps)/(e^eps0 + 1), the curve of any eps0-private mechanism. */
DUSK_PROVEN(local_delta_up)
static double local_delta_up(double local_epsilon, double epsilon)
{
    if (epsilon >= local_epsilon) return 0;
    /* (1 - e^(eps - eps0)) / (1 + e^-eps0) */
    double top = -dusk_expm1_down(dusk_sub_down(epsilon, local_epsilon));
    double delta = dusk_div_up(top, dusk_add_down(1, dusk_exp_down(-local_epsilon)));
    return delta < 1 ? delta : 1;
}

/* 1 - e^(eps - eps0) <= delta (1 + e^-eps0) */
DUSK_PROVEN(local_epsilon_up)
static double local_epsilon_up(double local_epsilon, double delta)
{
    double top = dusk_mul_down(delta, dusk_add_down(1, dusk_exp_down(-local_epsilon)));
    if (top >= 1) return 0;
    double epsilon = dusk_add_up(local_epsilon, dusk_log1p_up(-top));
    return epsilon > 0 ? fmin(epsilon, local_epsilon) : 0;
}

/* Whether the randomizer is the worst one, whatever was said about it. */
static dusk_shuffle_bound normal_form(dusk_shuffle_bound bound, double local_epsilon)
{
    bool worst = (bound.kind == DUSK_BLANKET_RESPONSE && bound.answers < 3) ||
                 (bound.kind == DUSK_BLANKET_VARIATION &&
                  !(bound.variation > 0 && bound.variation < 0.999999 * tanh(local_epsilon / 2)));
    if (worst) bound.kind = DUSK_BLANKET_STRONGER_CLONES;
    return bound;
}

static bool is_plain(uint64_t n, double local_epsilon)
{
    return n < 2 || local_epsilon < LOCAL_LEAST || local_epsilon > LOCAL_MOST;
}

DUSK_PROVEN(dusk_shuffle_bound_delta_up)
double dusk_shuffle_bound_delta_up(dusk_shuffle_bound bound, uint64_t n, double local_epsilon, double epsilon)
{
    if (n < 1 || !(local_epsilon >= 0) || !(epsilon >= 0)) return 1;
    double local = local_delta_up(local_epsilon, epsilon);
    if (is_plain(n, local_epsilon) || local == 0) return local;
    dusk_blanket blanket;
    mpfr_t delta;
    bound = normal_form(bound, local_epsilon);
    dusk_blanket_init(&blanket, bound.kind, n, local_epsilon, bound.variation, bound.answers);
    mpfr_init2(delta, PRECISION);
    /* The Gaussian curve with the same deviation guesses the size. */
    double x = epsilon / dusk_blanket_deviation(&blanket);
    dusk_blanket_delta_up(delta, &blanket, epsilon, exp(-fmin(690, x * x / 2)));
    double result = mpfr_get_d(delta, MPFR_RNDU);
    mpfr_clear(delta);
    dusk_blanket_clear(&blanket);
    return result < local ? result : local;
}

/* About the epsilon of a Gaussian loss of that deviation: delta is about
 * mu phi(x)/(1 + 3x/2 + x^2) at epsilon = x mu. */
static double first_guess(double mu, double delta)
{
    double low = 0, high = 60;
    for (int i = 0; i < 50; i++) {
        double x = (low + high) / 2;
        if (log(mu) - 0.919 - x * x / 2 - log(1 + 1.5 * x + x * x) > log(delta))
            low = x;
        else
            high = x;
    }
    return high * mu;
}

typedef struct search {
    double low, high;       /* not enough, enough */
    double x[2], excess[2]; /* the last two looks */
    int looks;
} search;

/* The excess of ln delta over the target, bent so that it is about linear in epsilon;
 * the sign stays. */
static double straighten(double excess, double delta)
{
    double size = -log(delta);
    return sqrt(size) - sqrt(fmax(0, size - excess));
}

/* Where the line through the last two looks is a little below zero. */
static double next_look(const search *s)
{
    double middle = s->low > 0 && s->high / s->low > 4 ? sqrt(s->low * s->high) : (s->low + s->high) / 2;
    if (s->looks < 2) return s->x[0] * (s->excess[0] > 0 ? 1.01 : 0.99);
    double slope = (s->excess[0] - s->excess[1]) / (s->x[0] - s->x[1]);
    double next = (s->x[0] - s->excess[0] / slope) * (1 + CLOSE / 2);
    return slope < 0 && next > s->low && next < s->high && s->looks % 8 != 7 ? next : middle;
}

/* Whether the last look is enough and no much smaller one would be. */
static bool is_done(const search *s)
{
    if (s->high - s->low <= CLOSE * s->high) return true;
    if (s->looks < 2 || s->excess[0] > 0 || s->x[0] != s->high) return false;
    double slope = (s->excess[0] - s->excess[1]) / (s->x[0] - s->x[1]);
    return slope < 0 && s->excess[0] >= slope * CLOSE * s->x[0];
}

DUSK_PROVEN(invert)
static double invert(dusk_blanket *blanket, double local_epsilon, double delta)
{
    mpfr_t bound;
    mpfr_init2(bound, PRECISION);
    search s = { .low = 0, .high = local_epsilon };
    double x = first_guess(dusk_blanket_deviation(blanket), delta);
    if (!(x > 0 && x < local_epsilon)) x = local_epsilon / 2;
    for (; s.looks < LOOKS_MAX && x > 0 && x < local_epsilon && !is_done(&s); x = next_look(&s)) {
        dusk_blanket_delta_up(bound, blanket, x, delta);
        s.x[1] = s.x[0];
        s.excess[1] = s.excess[0];
        s.x[0] = x;
        double excess = dusk_curve_excess(bound, delta);
        s.excess[0] = straighten(excess, delta);
        s.looks++;
        if (excess <= 0)
            s.high = x < s.high ? x : s.high;
        else
            s.low = x > s.low ? x : s.low;
    }
    mpfr_clear(bound);
    return DUSK_MUTATE(SHUFFLE_EPSILON_NOT_CERTIFIED, s.high, s.low);
}

DUSK_PROVEN(dusk_shuffle_bound_epsilon_up)
double dusk_shuffle_bound_epsilon_up(dusk_shuffle_bound bound, uint64_t n, double local_epsilon, double delta)
{
    if (n < 1 || !(local_epsilon >= 0) || !(delta >= 0)) return INFINITY;
    if (delta >= 1) return 0;
    double local = local_epsilon_up(local_epsilon, delta);
    if (is_plain(n, local_epsilon) || delta < 1e-305 || local == 0) return local;
    dusk_blanket blanket;
    bound = normal_form(bound, local_epsilon);
    dusk_blanket_init(&blanket, bound.kind, n, local_epsilon, bound.variation, bound.answers);
    /* delta at 0 is about 0.4 deviations: only where it can be enough it is asked for. */
    bool none = delta > 0.05 * fmin(1, dusk_blanket_deviation(&blanket)) &&
                dusk_shuffle_bound_delta_up(bound, n, local_epsilon, 0) <= delta;
    double epsilon = none ? 0 : invert(&blanket, local_epsilon, delta);
    dusk_blanket_clear(&blanket);
    return epsilon < local ? epsilon : local;
}

static const dusk_shuffle_bound worst_case = { .kind = DUSK_BLANKET_STRONGER_CLONES };

DUSK_PROVEN(dusk_shuffle_delta_up)
double dusk_shuffle_delta_up(uint64_t n, double local_epsilon, double epsilon)
{
    return dusk_shuffle_bound_delta_up(worst_case, n, local_epsilon, epsilon);
}

DUSK_PROVEN(dusk_shuffle_epsilon_up)
double dusk_shuffle_epsilon_up(uint64_t n, double local_epsilon, double delta)
{
    return dusk_shuffle_bound_epsilon_up(worst_case, n, local_epsilon, delta);
}

/* Where the answers are few and n is not, the blocks of N can cost more than the
 * third message is worth: the worst case holds as well. */
DUSK_PROVEN(dusk_shuffle_response_delta_up)
double dusk_shuffle_response_delta_up(uint64_t n, double local_epsilon, uint64_t answers, double epsilon)
{
    dusk_shuffle_bound bound = { .kind = DUSK_BLANKET_RESPONSE, .answers = answers };
    double delta = dusk_shuffle_bound_delta_up(bound, n, local_epsilon, epsilon);
    return fmin(delta, dusk_shuffle_delta_up(n, local_epsilon, epsilon));
}

DUSK_PROVEN(dusk_shuffle_response_epsilon_up)
double dusk_shuffle_response_epsilon_up(uint64_t n, double local_epsilon, uint64_t answers, double delta)
{
    dusk_shuffle_bound bound = { .kind = DUSK_BLANKET_RESPONSE, .answers = answers };
    double epsilon = dusk_shuffle_bound_epsilon_up(bound, n, local_epsilon, delta);
    return fmin(epsilon, dusk_shuffle_epsilon_up(n, local_epsilon, delta));
}
