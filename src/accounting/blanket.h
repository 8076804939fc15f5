/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_BLANKET_H
#define DUSK_ACCOUNTING_BLANKET_H

/* The privacy blanket [Balle, Bell, Gascon & Nissim 2019] with at most three
 * kinds of messages: the two of which one unit sends the first e^eps0 times as
 * often as the second or the other way round, and a third that tells nothing.
 * A unit sends a message of the blanket whatever its data is, with probability
 * r for each of the first two and `rest` for the third. */

#include <stdbool.h>

#include "accounting/excess_sum.h"

/* Which decomposition of the local randomizer. */
typedef enum dusk_blanket_kind {
    DUSK_BLANKET_CLONES,          /* Feldman, McMillan & Talwar 2020 */
    DUSK_BLANKET_STRONGER_CLONES, /* the same 2023; Wang et al. 2024, worst case */
    DUSK_BLANKET_VARIATION,       /* total variation at most a given one */
    DUSK_BLANKET_RESPONSE         /* k-ary randomized response */
} dusk_blanket_kind;

#define DUSK_BLANKET_BLOCKS_MAX 96

typedef struct dusk_blanket {
    uint64_t n;
    bool third;                /* there is a third kind of message */
    mpfr_t scale, tau, coth;   /* as in blanket.c; tau over tanh(eps/2), 1/tanh(eps0/2) */
    mpfr_t log_rho, log_other; /* ln rho and ln(1 - rho), rho = 1/(1 + odds) */
    double odds;               /* against one of the first two messages */
    /* With a third kind: P(one unit is in the blanket), the odds against that, and
     * the number N of units in the blanket in blocks, made for the guess of delta. */
    mpfr_t weight, against;
    double guess;
    unsigned blocks;
    uint64_t block[DUSK_BLANKET_BLOCKS_MAX]; /* the smallest N of each */
    double mass[DUSK_BLANKET_BLOCKS_MAX];
    double below; /* mass of smaller N */
} dusk_blanket;

/* The blanket of n >= 1 reports, 1e-30 <= local_epsilon <= 300; `variation` in
 * (0, tanh(local_epsilon/2)) and `answers` >= 3 are for the last two kinds. */
void dusk_blanket_init(dusk_blanket *blanket, dusk_blanket_kind kind, uint64_t n, double local_epsilon,
                       double variation, uint64_t answers);
void dusk_blanket_clear(dusk_blanket *blanket);

/* out >= delta of the shuffled reports at 0 <= epsilon < local_epsilon. `about` is a
 * guess of delta, which decides how far sums are carried and not whether the
 * result is a bound. */
void dusk_blanket_delta_up(mpfr_t out, dusk_blanket *blanket, double epsilon, double about);

/* The deviation of the privacy loss, about: where to look for epsilon first. */
double dusk_blanket_deviation(const dusk_blanket *blanket);

#endif
