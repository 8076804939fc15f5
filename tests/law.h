/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LAW_H
#define TESTS_LAW_H

/* Whether what was seen in many runs is of an exact law: chi-square, alpha 1e-6. */

#include <math.h>

#include "numeric/special.h"
#include "support.h"

/* Cells that expect fewer than 10 are counted together. */
static inline void assert_law(const uint64_t *seen, const double *p, size_t cells, double runs)
{
    double chi2 = 0, rare_seen = 0, rare = 0;
    int used = 0;
    for (size_t i = 0; i < cells; i++) {
        double want = runs * p[i], have = (double)seen[i];
        if (want < 10) {
            rare += want;
            rare_seen += have;
            continue;
        }
        chi2 += (have - want) * (have - want) / want;
        used++;
    }
    assert_true(rare_seen <= rare + 6 * sqrt(rare) + 15);
    assert_true(dusk_gamma_q((used - 1 > 0 ? used - 1 : 1) / 2.0, chi2 / 2) > 1e-6);
}

#endif
