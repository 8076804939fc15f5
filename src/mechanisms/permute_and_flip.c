/* SPDX-License-Identifier: Apache-2.0 */
/* Permute-and-flip [McKenna & Sheldon 2020, Algorithm 1]: walk through the
 * candidates in random order, toss a coin of bias exp(-rate (max - score)) for
 * each, take the first that shows heads. Coins and order are independent, and
 * the first of the heads in a random order is any of them with the same
 * probability. So: toss all coins in bulk, one bit each, and choose uniformly
 * among the heads. It is also the noisy maximum with exponential noise [Ding,
 * Kifer, Steinke et al. 2021]: heads are the candidates whose value exceeds the
 * best score, and what they exceed it by has no memory.
 *
 * Proof: permute_and_flip.proof.md. What the rate means for privacy is said in
 * selection.c. Takes all coins, so it is for lists in memory, not for streams. */
#include "mechanisms/permute_and_flip.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noisy_max.h"
#include "random/noise_coin.h"
#include "random/sampling.h"

enum {
    LANES = 16,  /* independent maxima, so that the loop is not one long chain */
    BLOCK = 2048 /* scores cleaned at a time; a multiple of 64 */
};

/* The highest score. NaN compares false and infinities are cut at the end, so
 * that the loop is a plain maximum. */
static double highest(const double *scores, size_t n)
{
    double lane[LANES], top = -DBL_MAX;
    size_t i = 0;
    for (size_t j = 0; j < LANES; j++) lane[j] = -DBL_MAX;
    for (; i + LANES <= n; i += LANES)
        for (size_t j = 0; j < LANES; j++) lane[j] = scores[i + j] > lane[j] ? scores[i + j] : lane[j];
    for (size_t j = 0; j < LANES; j++) top = lane[j] > top ? lane[j] : top;
    for (; i < n; i++) top = scores[i] > top ? scores[i] : top;
    return dusk_noisy_score(top);
}

/* One coin a candidate, in blocks that stay in the cache. */
static dusk_status toss(uint64_t *heads, const double *scores, size_t n, double numerator, double denominator,
                        unsigned width, dusk_generator *gen, dusk_error *err)
{
    double clean[BLOCK], top = highest(scores, n);
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t count = n - start < BLOCK ? n - start : BLOCK;
        for (size_t i = 0; i < count; i++) clean[i] = dusk_noisy_score(scores[start + i]);
        dusk_status status =
            dusk_coin_gaps(gen, heads + start / 64, top, clean, count, numerator, denominator, width, err);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}

static uint64_t count_heads(const uint64_t *heads, size_t words)
{
    uint64_t count = 0;
    for (size_t i = 0; i < words; i++) count += (uint64_t)__builtin_popcountll(heads[i]);
    return count;
}

/* Where heads number `rank` (from 0) is. Requires more than `rank` of them. */
static size_t find_heads(const uint64_t *heads, uint64_t rank)
{
    size_t i = 0;
    for (uint64_t here; (here = (uint64_t)__builtin_popcountll(heads[i])) <= rank; i++) rank -= here;
    uint64_t word = heads[i];
    for (; rank > 0; rank--) word &= word - 1;
    return 64 * i + (size_t)__builtin_ctzll(word);
}

DUSK_PROVEN(dusk_permute_and_flip)
dusk_status dusk_permute_and_flip(size_t *index, const double *scores, size_t n, double numerator,
                                  double denominator, unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t words = (n + 63) / 64;
    uint64_t *heads = NULL, count, rank = 0;

    DUSK_NEW(heads, words);
    DUSK_TRY(toss(heads, scores, n, numerator, denominator, width, gen, err));
    count = count_heads(heads, words);
    if (count == 0) {
        status = dusk_fail(err, DUSK_ERR_INTERNAL, "", "the best candidate did not show heads");
        goto done;
    }
    if (DUSK_MUTATE(FLIP_WITHOUT_PERMUTE, count > 1, false))
        DUSK_TRY(dusk_uniform_below_width(gen, &rank, count, width, err));
    *index = find_heads(heads, rank);
done:
    if (heads) dusk_wipe(heads, words * sizeof *heads);
    dusk_deallocate(heads);
    return status;
}
