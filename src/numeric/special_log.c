/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sums and differences of exponentials, without the
 * cancellation and the overflow of the textbook forms (Maechler 2012,
 * "Accurately computing log(1 - exp(-|a|))"). Close, not bounds: they stand
 * on libm. */
#include <math.h>

#include "base/mutant.h"
#include "numeric/special.h"

double dusk_log1mexp(double x)
{
    /* Both forms are exact to rounding near their own end and meet at ln 2,
     * where neither log is close to zero. */
    const double split = DUSK_MUTATE(LOG1MEXP_ONE_FORM, M_LN2, 0.0);
    return x <= split ? log(-expm1(-x)) : log1p(-exp(-x));
}

double dusk_log_sum_exp(const double *x, size_t n)
{
    size_t top = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        if (x[i] > x[top]) top = i;
    }
    if (n == 0) return -INFINITY;
    if (isinf(x[top])) return x[top];

    /* The largest term is 1 after scaling; log1p of the others keeps the
     * digits of a sum that is dominated by it. */
    double others = 0;
    for (size_t i = 0; i < n; i++) {
        if (i != top) others += exp(x[i] - x[top]);
    }
    return x[top] + log1p(others);
}
