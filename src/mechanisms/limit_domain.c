/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the largest counts, in one shot, when the keys themselves come
 * from the data [Durfee & Rogers 2019, "limited domain", Algorithm 1; as in
 * Rogers et al. 2020]. Only the `limit` largest counts and the next one are
 * looked at. Counts and a threshold above the next one get Gumbel noise, and
 * keys are shown, best first, until the threshold comes or there are k of them.
 * A key that a single unit can bring into the list beats the threshold with
 * probability delta at most, for all such keys together.
 *
 * Two things differ from the paper: ties at the end of the list are broken by
 * lot, and places that no key fills take part with count 0; with them the price
 * is exactly that of k choices and one delta. Proof: limit_domain.proof.md.
 *
 * Counting units, not rows, and bounding their keys is done by the caller. */
#include "mechanisms/limit_domain.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/noisy_max.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/record.h"
#include "random/rounded.h"
#include "random/sampling.h"

/* More counts as this: differences of counts are then exact doubles. */
static const uint64_t count_max = (uint64_t)1 << 52;
static const size_t limit_max = (size_t)1 << 30;

/* --- parameters ------------------------------------------------------------------ */

static dusk_status check(const dusk_limit_domain *domain, dusk_error *err)
{
    if (domain->k < 1 || domain->limit < domain->k || domain->limit > limit_max)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "look at more keys than are shown, such as 10 times as many",
                         "k must be at least 1, and limit at least k and at most 2^30");
    if (domain->count_per_key < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 1 where distinct units are counted",
                         "count_per_key must be at least 1");
    if (!(domain->epsilon >= 0x1p-900 && domain->epsilon <= 0x1p20))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.01 and 1 for each key",
                         "epsilon must be above 0, and between 2^-900 and 2^20");
    if (!(domain->delta >= 0x1p-1000 && domain->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1, and 2^-1000 at least");
    return DUSK_OK;
}

/* How many of a unit's keys can come into the list, or go. */
static double movable(const dusk_limit_domain *domain)
{
    double keys = domain->keys_per_unit, limit = (double)domain->limit;
    keys = keys > 0 && keys < limit ? keys : limit;
    return DUSK_MUTATE(LIMIT_DOMAIN_ONE_KEY, keys, 1);
}

/* An upper bound of the probability that one of the movable keys, whose counts
 * are at most count_per_key above the next one, beats the threshold. */
static double spent_up(const dusk_limit_domain *domain, double threshold)
{
    double reach = DUSK_MUTATE(LIMIT_DOMAIN_FORGETS_REACH, (double)domain->count_per_key, 0);
    double gap = dusk_div_down(dusk_sub_down(threshold, reach), domain->count_per_key);
    double ratio = dusk_mul_up(movable(domain), dusk_exp_up(-dusk_mul_down(domain->epsilon, gap)));
    return dusk_div_up(ratio, dusk_add_down(1, ratio));
}

/* The least threshold, about, that spends no more than delta. */
static dusk_status set_threshold(dusk_limit_domain *domain, dusk_error *err)
{
    double step = domain->count_per_key;
    double odds = dusk_div_up(dusk_sub_up(1, domain->delta), domain->delta);
    double ways = fmax(dusk_log_up(dusk_mul_up(movable(domain), odds)), 0);
    double threshold = dusk_mul_up(step, dusk_add_up(1, dusk_div_up(ways, domain->epsilon)));
    for (double excess = 0x1p-52; excess <= 0x1p-20 && threshold <= (double)count_max; excess *= 2) {
        double spent = spent_up(domain, threshold);
        if (spent <= domain->delta) {
            domain->threshold = threshold;
            domain->delta = spent;
            return DUSK_OK;
        }
        threshold = dusk_mul_up(threshold, 1 + excess);
    }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "raise epsilon or delta",
                     "the threshold would be above 2^52: nothing would ever be shown");
}

DUSK_PROVEN(dusk_limit_domain_init)
dusk_status dusk_limit_domain_init(dusk_limit_domain *out, size_t k, size_t limit, uint32_t keys_per_unit,
                                   uint32_t count_per_key, double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_limit_domain made = { .k = k,
                               .limit = limit,
                               .keys_per_unit = keys_per_unit,
                               .count_per_key = count_per_key,
                               .epsilon = epsilon,
                               .delta = delta };

    DUSK_TRY(check(&made, err));
    DUSK_TRY(set_threshold(&made, err));
    *out = made;
done:
    return status;
}

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_made(const dusk_limit_domain *domain, dusk_error *err)
{
    dusk_status status = check(domain, err);
    if (status != DUSK_OK) return status;
    if (domain->threshold >= 0 && domain->threshold <= (double)count_max &&
        spent_up(domain, domain->threshold) <= domain->delta)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_limit_domain_init",
                     "the limited domain was never made");
}

/* --- the list ---------------------------------------------------------------------- */

static uint64_t count_of(uint64_t count) { return count < count_max ? count : count_max; }

/* Replace the smallest of a heap by something larger. */
static void heap_replace(uint64_t *heap, size_t n, uint64_t x)
{
    size_t i = 0;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && heap[child + 1] < heap[child]) child++;
        if (!(heap[child] < x)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = x;
}

/* *next = the limit+1-st largest count, 0 when there are fewer. */
static dusk_status find_next(uint64_t *next, const dusk_limit_domain *domain, const uint64_t *counts,
                             size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = domain->limit + DUSK_MUTATE(LIMIT_DOMAIN_NEXT_IS_LAST, 1, 0);
    uint64_t *heap = NULL;

    DUSK_NEW(heap, room);
    for (size_t i = 0; i < n; i++)
        if (count_of(counts[i]) > heap[0]) heap_replace(heap, room, count_of(counts[i]));
    *next = heap[0];
done:
    if (heap) dusk_wipe(heap, room * sizeof *heap);
    dusk_deallocate(heap);
    return status;
}

static void set_place(dusk_limit_places *places, size_t at, size_t key, uint64_t above)
{
    places->key[at] = key;
    places->scores[at] = (double)above;
}

/* Those whose count is above the next one all have a place; of those that equal
 * it every subset of the right size is as likely (reservoir sampling). */
DUSK_PROVEN(dusk_limit_domain_fill)
dusk_status dusk_limit_domain_fill(const dusk_limit_domain *domain, dusk_limit_places *places,
                                   const uint64_t *counts, size_t n, unsigned width, dusk_generator *gen,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t next = 0, lot = 0;
    size_t above = 0, ties = 0;

    DUSK_TRY(find_next(&next, domain, counts, n, err));
    for (size_t i = 0; i < n; i++)
        if (count_of(counts[i]) > next) set_place(places, above++, i, count_of(counts[i]) - next);
    for (size_t at = above; at < domain->limit; at++) set_place(places, at, DUSK_NO_KEY, 0);
    for (size_t i = 0; i < n && next > 0 && above < domain->limit; i++) {
        if (count_of(counts[i]) != next) continue;
        lot = ties++;
        if (ties > domain->limit - above)
            DUSK_TRY(DUSK_MUTATE(LIMIT_DOMAIN_TIES_BY_PLACE,
                                 dusk_uniform_below_width(gen, &lot, ties, width, err), DUSK_OK));
        if (lot < domain->limit - above) set_place(places, above + (size_t)lot, i, 0);
    }
    places->scores[domain->limit] = domain->threshold;
done:
    return status;
}

/* --- release ------------------------------------------------------------------------- */

#ifdef DUSK_TESTING
/* Keys by their own number; the threshold stands for itself. */
static dusk_record_at record_list(const dusk_limit_domain *domain, const dusk_limit_places *places,
                                  const dusk_noisy_scores *in, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "limit_domain",
        .law = DUSK_RECORD_GUMBEL,
        .norm = DUSK_RECORD_RANGE,
        .sensitivity = domain->count_per_key,
        .scale = in->denominator / in->numerator,
        .epsilon = domain->epsilon,
        .delta = domain->delta,
        .choices = (uint32_t)domain->k,
        .selects = true,
        .threshold = domain->threshold,
        .parameter = { { "limit", (double)domain->limit }, { "keys per unit", domain->keys_per_unit } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    for (size_t i = 0; i < domain->limit; i++)
        if (places->key[i] != DUSK_NO_KEY) dusk_record_real(at, places->key[i], places->scores[i], NULL);
    return at;
}
#endif

DUSK_PROVEN(dusk_limit_domain_release_width)
dusk_status dusk_limit_domain_release_width(const dusk_limit_domain *domain, size_t *indices, size_t *shown,
                                            const uint64_t *counts, size_t n, unsigned width,
                                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_limit_places places = { NULL, NULL };
    size_t *order = NULL, count = 0;
    dusk_noisy_scores in = { .n = domain->limit + 1,
                             .numerator = domain->epsilon,
                             .denominator = domain->count_per_key,
                             .law = DUSK_NOISY_GUMBEL,
                             .width = width };

    DUSK_TRY(check_made(domain, err));
    DUSK_NEW(places.key, domain->limit);
    DUSK_NEW(places.scores, domain->limit + 1);
    DUSK_NEW(order, domain->k);
    DUSK_TRY(dusk_limit_domain_fill(domain, &places, counts, n, width, gen, err));
    in.scores = places.scores;
    DUSK_TRY(dusk_noisy_max(order, domain->k, &in, gen, err));
    DUSK_RECORD(const dusk_record_at at = record_list(domain, &places, &in, gen);)
    for (size_t i = 0; i < domain->k; i++) {
        if (order[i] == domain->limit && DUSK_MUTATE(LIMIT_DOMAIN_GOES_ON, true, false)) break;
        if (order[i] < domain->limit && places.key[order[i]] != DUSK_NO_KEY)
            indices[count++] = places.key[order[i]];
    }
    DUSK_RECORD(dusk_record_output(at, &count, sizeof count);)
    DUSK_RECORD(dusk_record_output(at, indices, count * sizeof *indices);)
    *shown = count;
done:
    if (places.scores) dusk_wipe(places.scores, (domain->limit + 1) * sizeof *places.scores);
    dusk_deallocate(places.key);
    dusk_deallocate(places.scores);
    dusk_deallocate(order);
    return status;
}

dusk_status dusk_limit_domain_release(const dusk_limit_domain *domain, size_t *indices, size_t *shown,
                                      const uint64_t *counts, size_t n, dusk_generator *gen, dusk_error *err)
{
    return dusk_limit_domain_release_width(domain, indices, shown, counts, n, DUSK_WIDTH_FULL, gen, err);
}

/* --- what it says about itself --------------------------------------------------------- */

DUSK_PROVEN(dusk_limit_domain_event)
dusk_status dusk_limit_domain_event(const dusk_limit_domain *domain, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event choices, threshold;

    DUSK_TRY(check_made(domain, err));
    DUSK_TRY(dusk_event_exponential(&choices, domain->epsilon, err));
    DUSK_TRY(dusk_event_repeat(&choices, &choices, domain->k, err));
    DUSK_TRY(dusk_event_approx(&threshold, 0, domain->delta, err));
    DUSK_TRY(dusk_event_add(out, &choices, &threshold, err));
done:
    return status;
}

DUSK_PROVEN(dusk_limit_domain_interval)
dusk_status dusk_limit_domain_interval(const dusk_limit_domain *domain, double *shortfall, double confidence,
                                       dusk_error *err)
{
    dusk_status status = check_made(domain, err);
    if (status != DUSK_OK) return status;
    if ((status = dusk_request_confidence(confidence, err)) != DUSK_OK) return status;
    double ways = dusk_mul_up((double)domain->k, (double)domain->limit); /* both are exact */
    double ratio = dusk_div_up(ways, dusk_sub_down(1, confidence));
    double y = ratio > 1 ? dusk_log_up(ratio) : 0;
    *shortfall = dusk_div_up(dusk_mul_up(y, domain->count_per_key), domain->epsilon);
    return DUSK_OK;
}
