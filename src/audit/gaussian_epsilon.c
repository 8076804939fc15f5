/* SPDX-License-Identifier: Apache-2.0 */
/* Epsilon at delta of mu-Gaussian DP [Dong, Roth & Su 2022, Corollary 2.13]:
 *     delta = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu),
 * falling in epsilon. An epsilon at which the right side is surely above delta is below the
 * true one. */
#include <math.h>

#include "audit/one_run.h"
#include "base/platform.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

typedef struct point {
    double mu, delta;
} point;

/* The arguments of Phi are rounded against us by directed quotients and differences. */
DUSK_PROVEN(is_below)
static bool is_below(double epsilon, const void *context)
{
    const point *p = context;
    double half = 0.5 * p->mu;
    double first = dusk_normal_cdf_down(dusk_sub_down(half, dusk_div_up(epsilon, p->mu)));
    double second = dusk_normal_cdf_up(dusk_sub_up(-half, dusk_div_down(epsilon, p->mu)));
    return dusk_sub_down(first, dusk_mul_up(dusk_exp_up(epsilon), second)) > p->delta;
}

double dusk_mu_epsilon_down(double mu, double delta)
{
    if (!(mu > 0 && delta < 1)) return 0;
    if (!(delta > 0)) return delta == 0 ? INFINITY : 0;
    point p = { fmin(mu, 37), delta }; /* epsilon stays where its exponential is finite */
    return audit_largest_refuted(is_below, &p, 0, 700);
}
