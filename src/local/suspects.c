/* SPDX-License-Identifier: Apache-2.0 */
/* Reports that honest devices would hardly have made [Cao, Jia & Gong 2021, section 6]. Three tests, each with a third of the rate of false alarms:
 *
 *     bits      a bit map has far too many or too few bits                                     each of n reports, by its exact law
 *     repeats   the same report comes far too often                                           each report that there is
 *     sets      far too many reports support several of some values together                  each set of values that there is
 *
 * The last two compare a count with Binomial(n, c), where c bounds the chance of an honest report whatever its value, by Chernoff's bound, over all reports, or sets, that there could be: which of them are looked at
 * may therefore depend on the reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_liars.h"
#include "local/attacks.h"
#include "local/liars.h"
#include "local/protocol.h"

enum { ROUNDS = 8 };

typedef struct search {
    const dusk_survey *survey;
    const uint8_t *reports;
    size_t n, size;
    double limit; /* the logarithm of 3 / rate */
    bool *suspect;
    dusk_suspicion *found;
} search;

/* -ln of Chernoff's bound for count >= c of n coins of `chance`: n KL(c / n, chance); 0 where c is not above the mean. */
static double surprise(double c, double n, double log_chance)
{
    const double a = c / n;
    if (c <= 0 || !(log(a) > log_chance)) return 0;
    const double no = a < 1 ? (1 - a) * (log1p(-a) - log1p(-exp(log_chance))) : 0;
    return n * (a * (log(a) - log_chance) + no);
}

/* --- bits ------------------------------------------------------------------------------------------------------------------------ */

static dusk_status look_at_bits(search *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t most = local_map_bits(&s->survey->task);
    double *chance = NULL;
    if (most == 0) return DUSK_OK;
    DUSK_NEW(chance, (size_t)most + 1);
    for (uint32_t i = 0; i <= most; i++) chance[i] = -1;
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t bits = local_map_count(&s->survey->task, s->reports + i * s->size);
        if (s->suspect[i] || bits > most) continue;
        if (chance[bits] < 0) chance[bits] = local_chance_of_bits(&s->survey->task, bits);
        if (!(-log(chance[bits]) > s->limit + log((double)s->n))) continue;
        s->suspect[i] = true;
        s->found->bits++;
    }
done:
    dusk_deallocate(chance);
    return status;
}

/* --- repeats --------------------------------------------------------------------------------------------------------------------- */

typedef struct copy {
    const uint8_t *report;
    size_t size, place;
} copy;

static int by_bytes(const void *a, const void *b)
{
    const copy *x = a, *y = b;
    return memcmp(x->report, y->report, x->size);
}

static dusk_status look_at_repeats(search *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    copy *copies = NULL;
    double chance, kinds;
    size_t count = 0, until;
    if (!local_report_peak(&s->survey->task, &chance, &kinds)) return DUSK_OK;
    DUSK_NEW(copies, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (!s->suspect[i]) copies[count++] = (copy){ s->reports + i * s->size, s->size, i };
    if (count > 0) qsort(copies, count, sizeof *copies, by_bytes);
    for (size_t i = 0; i < count; i = until) {
        until = i + 1;
        while (until < count && by_bytes(&copies[i], &copies[until]) == 0) until++;
        if (!(surprise((double)(until - i), (double)s->n, chance) >
              s->limit + DUSK_MUTATE(REPEATS_OF_ONE_REPORT, kinds, 0)))
            continue;
        for (size_t j = i; j < until; j++) s->suspect[copies[j].place] = true;
        s->found->repeats += until - i;
    }
done:
    dusk_deallocate(copies);
    return status;
}

/* --- sets ------------------------------------------------------------------------------------------------------------------------- */

/* ln of how many sets of z values there are, each with z thresholds, and as many sizes. */
static double log_sets(double values, double z)
{
    return lgamma(values + 1) - lgamma(z + 1) - lgamma(values - z + 1) + log(z) + log(LOCAL_TOGETHER_MOST);
}

/* The set whose reports are the most beyond what honest ones can be; 0: none that stands out. */
static uint32_t best_set(const search *s, const local_together *t, const double *count, double values)
{
    uint32_t best = 0;
    double most = 0;
    for (uint32_t set = 1; set < (uint32_t)1 << t->values; set++) {
        const double z = __builtin_popcount(set), score = count[set] - 2 * (double)s->n * t->chance[set];
        if (z < 2 || score <= most) continue;
        if (!(surprise(count[set], (double)s->n, log(t->chance[set])) > s->limit + log_sets(values, z)))
            continue;
        most = score;
        best = set;
    }
    return best;
}

/* The values of sets that stand out, one after the other, each time without the reports that the sets before explain. */
static dusk_status pushed_values(const search *s, const local_together *t, const uint32_t *mask,
                                 double values, uint32_t *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t sets = (uint32_t)1 << t->values;
    uint32_t seen[ROUNDS], rounds = 0;
    double *count = NULL;
    DUSK_NEW(count, sets);
    for (*out = 0; rounds < ROUNDS;) {
        for (uint32_t set = 0; set < sets; set++) count[set] = 0;
        for (size_t i = 0; i < s->n; i++) {
            bool explained = s->suspect[i];
            for (uint32_t r = 0; r < rounds; r++) explained |= (mask[i] & seen[r]) == seen[r];
            count[mask[i]] += !explained;
        }
        for (uint32_t bit = 1; bit < sets; bit <<= 1)
            for (uint32_t set = 0; set < sets; set++)
                if (!(set & bit)) count[set] += count[set | bit];
        const uint32_t best = best_set(s, t, count, values);
        if (!best) break;
        seen[rounds++] = best;
        *out |= best;
    }
done:
    dusk_deallocate(count);
    return status;
}

/* Of the pushed values a report supports `least` or more: with the `least` that takes the most liars for the fewest honest. */
static void throw_out(search *s, const local_together *t, const uint32_t *mask, double values, uint32_t set)
{
    const uint32_t size = (uint32_t)__builtin_popcount(set);
    double of[LOCAL_TOGETHER_MOST + 2] = { 0 }, most = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->suspect[i]) of[__builtin_popcount(mask[i] & set)]++;
    for (uint32_t m = size; m >= 2; m--) {
        const double chance = local_together_tail(t, set, m);
        of[m] += of[m + 1];
        const double score = of[m] - 2 * (double)s->n * chance;
        if (score <= most ||
            !(surprise(of[m], (double)s->n, log(chance)) > s->limit + log_sets(values, size)))
            continue;
        most = score;
        best = m;
    }
    for (size_t i = 0; i < s->n && best; i++)
        if (!s->suspect[i] && (uint32_t)__builtin_popcount(mask[i] & set) >= best) {
            s->suspect[i] = true;
            s->found->sets++;
        }
    s->found->together = best;
}

typedef struct ranked {
    double count;
    uint64_t value;
} ranked;

static int decreasing(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->count, y = ((const ranked *)b)->count;
    return (x < y) - (x > y);
}

/* The values with the largest estimates: liars push theirs there. */
static dusk_status largest(const dusk_tally *tally, const uint64_t *values, size_t n, uint64_t *out,
                           uint32_t room, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *counts = NULL;
    ranked *rank = NULL;
    DUSK_NEW(counts, n);
    DUSK_NEW(rank, n);
    DUSK_TRY(dusk_tally_counts(tally, counts, NULL, values, n, err));
    for (size_t i = 0; i < n; i++) rank[i] = (ranked){ counts[i], values ? values[i] : i };
    qsort(rank, n, sizeof *rank, decreasing);
    for (uint32_t i = 0; i < room; i++) out[i] = rank[i].value;
done:
    dusk_deallocate(counts);
    dusk_deallocate(rank);
    return status;
}

static dusk_status look_at_sets(search *s, const dusk_tally *tally, const uint64_t *values, size_t n,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_client_task *task = &s->survey->task;
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    const uint32_t room = local_together_room(task), k = n < room ? (uint32_t)n : room;
    uint64_t top[LOCAL_TOGETHER_MOST];
    uint32_t *mask = NULL, set = 0;
    local_together together = { 0 };
    if (k < 2) return DUSK_OK;
    DUSK_NEW(mask, s->n);
    DUSK_TRY(largest(tally, values, n, top, k, err));
    DUSK_TRY(local_together_new(&together, task, top, k, err));
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < k; j++)
            mask[i] |= (uint32_t)protocol->supports(task, s->reports + i * s->size, top[j]) << j;
    DUSK_TRY(pushed_values(s, &together, mask, (double)n, &set, err));
    if (set) throw_out(s, &together, mask, (double)n, set);
    for (uint32_t j = 0; j < k && s->found->sets > 0; j++)
        if (set >> j & 1) s->found->targets[s->found->target_count++] = top[j];
done:
    local_together_free(&together);
    dusk_deallocate(mask);
    return status;
}

/* --- all of it --------------------------------------------------------------------------------------------------------------------- */

/* Reports that no device makes are none; the others are added up. */
static dusk_status read_all(search *s, dusk_tally **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_tally_new(out, s->survey, err));
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t dropped = dusk_tally_dropped(*out);
        dusk_tally_add(*out, s->reports + i * s->size, 1);
        s->suspect[i] = dusk_tally_dropped(*out) != dropped;
        s->found->invalid += s->suspect[i];
    }
done:
    return status;
}

dusk_status dusk_reports_suspects(const dusk_survey *survey, const uint8_t *reports, size_t n,
                                  const uint64_t *values, size_t value_count, double rate, bool *suspect,
                                  dusk_suspicion *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    dusk_suspicion found = { 0 };
    dusk_tally *tally = NULL;
    if (!(rate > 0 && rate < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.001",
                         "a rate of false alarms lies between 0 and 1");
    if (protocol->question != DUSK_ASKS_COUNTS || !protocol->supports)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "reports of oue and olh can",
                         "liars cannot be looked for among reports of %s", protocol->name);
    if (!values && (protocol->hashed || value_count > survey->task.domain))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the values, or all of the domain",
                         "values of %s are not 0 to %zu", protocol->name, value_count);
    search s = { survey, reports, n, dusk_report_size(&survey->task), log(3 / rate), suspect, &found };
    DUSK_TRY(read_all(&s, &tally, err));
    DUSK_TRY(look_at_bits(&s, err));
    DUSK_TRY(look_at_repeats(&s, err));
    DUSK_TRY(look_at_sets(&s, tally, values, value_count, err));
    *out = found;
done:
    dusk_tally_free(tally);
    return status;
}
