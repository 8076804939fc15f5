/* SPDX-License-Identifier: Apache-2.0 */
/* Honaker's estimate "from below" [Honaker 2015]: a node's sum is known twice, from its
 * own noisy value and from the estimates of its two halves; weighted by the inverse of
 * their variances. For nodes of one variance the weights have a closed form: with
 *     T(node of level h) = 2^h noisy(node) + T(left half) + T(right half)
 * the estimate is T / (2^(h+1) - 1) and its variance 2^h / (2^(h+1) - 1) of that of a node:
 * 1, 2/3, 4/7, ... down to a half. T is a whole number, so that nothing is rounded before the
 * last division. Post-processing of noisy sums: it costs nothing. Proof: honaker.proof.md. */
#include <math.h>

#include "base/mutant.h"
#include "mechanisms/stream.h"

DUSK_PROVEN(dusk_honaker_close)
void dusk_honaker_close(const dusk_tree *tree, unsigned level, uint64_t i, dusk_int128 noisy)
{
    dusk_int128 sum = noisy * ((dusk_int128)1 << DUSK_MUTATE(HONAKER_EQUAL_WEIGHTS, level, 0U));
    if (level > 0) {
        sum += *dusk_tree_node(tree, level - 1, 2 * i);
        sum += *dusk_tree_node(tree, level - 1, 2 * i + 1);
    }
    *dusk_tree_node(tree, level, i) = sum;
}

/* Whole parts are added exactly; what is left of each node is below 1. */
DUSK_PROVEN(dusk_honaker_sum)
double dusk_honaker_sum(const dusk_tree *tree, uint64_t from, uint64_t to)
{
    dusk_int128 whole = 0;
    double rest = 0;
    while (from < to) {
        unsigned level = dusk_tree_next_level(tree->levels, from, to);
        dusk_int128 parts = ((dusk_int128)2 << level) - 1;
        dusk_int128 sum = *dusk_tree_node(tree, level, from >> level);
        whole += sum / parts;
        rest += (double)(sum % parts) / (double)parts;
        from += UINT64_C(1) << level;
    }
    dusk_int128 carry = (dusk_int128)floor(rest);
    return (double)(whole + carry) + (rest - (double)carry);
}
