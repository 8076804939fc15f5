/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_NOISE_RUNS_H
#define DUSK_RANDOM_NOISE_RUNS_H

/* Random numbers of runs [Papernot & Steinke 2022, section 3], drawn exactly:
 *   negative binomial, truncated to k >= 1:  P(k) ~ (1-gamma)^k prod_(l<k) (l+eta)/(l+1)
 *   Poisson:                                 P(k) = exp(-mu) mu^k / k!,  k >= 0
 * The work grows with the number drawn, as the runs themselves do. */

#include <stdint.h>

#include "random/generator.h"

typedef enum dusk_runs_kind { DUSK_RUNS_NEGATIVE_BINOMIAL = 1, DUSK_RUNS_POISSON = 2 } dusk_runs_kind;

/* A value. */
typedef struct dusk_runs {
    dusk_runs_kind kind;
    double eta, gamma; /* eta > -1 (0: logarithmic, 1: geometric), 0 < gamma < 1 */
    double mu;         /* > 0 */
} dusk_runs;

/* `width` coins are tossed at a time: 64 in production, fewer in tests. */
DUSK_MUST_USE dusk_status dusk_runs_draw(const dusk_runs *runs, uint64_t *out, unsigned width,
                                         dusk_generator *gen, dusk_error *err);
/* A number of runs that is exceeded with probability at most `tail` in (0, 1): the
 * least, but where rounding decides. UINT64_MAX when none is found. */
uint64_t dusk_runs_at_most(const dusk_runs *runs, double tail);
/* Upper bounds of the mean, and of E[x^runs] for 0 <= x <= 1. */
double dusk_runs_mean_up(const dusk_runs *runs);
double dusk_runs_power_up(const dusk_runs *runs, double x);

#endif
