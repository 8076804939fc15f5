/* SPDX-License-Identifier: Apache-2.0 */
/* Draws with replacement, where a unit is replaced and the number of units is public: the privacy curve of
 * Balle, Barthe & Gaboardi 2018, Theorem 10, for Gaussian noise, made into a pair by its points. With q the chance
 * that the unit is drawn at all and b_k that it is drawn k times,
 *   delta'(ln(1 + q (e^eps - 1))) <= sum over k >= 1 of b_k delta_k(eps),
 * delta_k being that of noise at k times the distance. See pair_draws.proof.md. */
#include <float.h>

#include "accounting/bound.h"
#include "accounting/gaussian.h"
#include "accounting/pair_make.h"
#include "base/mutant.h"
#include "numeric/special.h"

#define POINTS 1024
#define TIMES_MOST                                                                                           \
    64 /* that a unit is drawn; what is beyond, and what is less likely than this, counts as delta */
#define LEAST 1e-40
#define TAIL_MOST 36 /* P(Z > x) is above 1e-285 below */
#define QUICK_MOST 0x1p20
#define QUICK_ERROR 0x1p-41

typedef struct draws {
    double sigma;                  /* over the distance of one replacement */
    double rate;                   /* q, rounded up */
    double chance[TIMES_MOST + 1]; /* b_k, rounded up */
    size_t most;
    double tail; /* the chance of more than that */
} draws;

/* eps with ln(1 + q (e^eps - 1)) = epsilon, rounded down. */
static double base_epsilon_down(double epsilon, double rate_up)
{
    if (epsilon > 600) return epsilon; /* it is larger, and delta nothing at either */
    return dusk_log1p_down(dusk_div_down(dusk_expm1_down(epsilon), rate_up));
}

/* e^epsilon P(Z > y), rounded down by a little: phi(x) M(y), with M(y) > y / (y^2 + 1), where y is large. */
static double subtracted(double epsilon, double x, double y)
{
    if (y < TAIL_MOST && epsilon < 2 * TAIL_MOST) return exp(epsilon) * dusk_normal_sf(y);
    return exp(-0.5 * x * x) * M_SQRT1_2 * M_2_SQRTPI / 2 / (y + 1 / y);
}

/* delta of Gaussian noise, Phi(-x) - e^epsilon Phi(-y), rounded up by a little more than dusk_gaussian_delta_up,
 * in far less time. */
DUSK_PROVEN(quick_delta_up)
static double quick_delta_up(double sigma, double epsilon)
{
    const double half = 0.5 / sigma, middle = epsilon * sigma;
    const double x = middle - half, y = middle + half, room = 4 * DUSK_UNIT * y;
    if (!(x < TAIL_MOST && y < QUICK_MOST)) return dusk_gaussian_delta_up(sigma, epsilon);
    const double all = dusk_normal_sf(x - room), less = subtracted(epsilon, fabs(x) + room, y + room);
    return DUSK_MUTATE(QUICK_DELTA_WITHOUT_ROOM, all * (1 + QUICK_ERROR) - less * (1 - QUICK_ERROR),
                       (all - less) * (1 - 0x1p-30));
}

DUSK_PROVEN(draws_delta_up)
static double draws_delta_up(double epsilon, const void *context)
{
    const draws *d = context;
    const double base = base_epsilon_down(epsilon, d->rate);
    double delta = 0;
    for (size_t k = 1; k <= d->most; k++) {
        const double times = DUSK_MUTATE(DRAWN_ONCE_AT_MOST, (double)k, 1);
        delta = dusk_add_up(delta,
                            dusk_mul_up(d->chance[k], quick_delta_up(dusk_div_down(d->sigma, times), base)));
    }
    return delta < 1 ? delta : 1;
}

/* b_k for m draws of n units, each from the one before; m and n are exact. */
DUSK_PROVEN(set_chances)
static void set_chances(draws *d, double m, double n)
{
    double chance = dusk_exp_up(dusk_mul_up(m, dusk_log1p_up(dusk_div_up(-1, n)))); /* b_0 */
    d->rate = fmin(-dusk_expm1_down(dusk_mul_down(m, dusk_log1p_down(dusk_div_down(-1, n)))), 1);
    d->most = 0;
    d->tail = 0;
    for (double k = 1; k <= m; k++) {
        const double ratio = dusk_div_up(dusk_div_up(m - k + 1, k), n - 1); /* b_k over b_(k - 1) */
        chance = dusk_mul_up(chance, ratio);
        if (d->most == TIMES_MOST || (chance < LEAST && ratio < 0.5)) {
            /* terms fall by this factor, and then by more: a geometric sum */
            d->tail = ratio < 0.5 ? fmin(dusk_mul_up(2, chance), 1) : 1;
            return;
        }
        d->chance[++d->most] = fmin(chance, 1);
    }
}

DUSK_PROVEN(dusk_atoms_draws)
dusk_status dusk_atoms_draws(dusk_pair *pair, double sigma, uint64_t m, uint64_t n, dusk_error *err)
{
    draws d = { .sigma = sigma };
    set_chances(&d, (double)m, (double)n);
    if (!(d.tail <= 2 * LEAST))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "draw fewer, or sample without replacement",
                         "a unit would be drawn too often to be priced");
    dusk_status status = dusk_atoms_sample_curve(pair, draws_delta_up, &d, INFINITY, POINTS, err);
    if (status != DUSK_OK) return status;
    pair->infinite.upper = dusk_add_up(pair->infinite.upper, d.tail);
    pair->absent.upper = dusk_add_up(pair->absent.upper, d.tail);
    return DUSK_OK;
}
