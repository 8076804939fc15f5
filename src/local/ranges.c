/* SPDX-License-Identifier: Apache-2.0 */
/* How many people have a value from here to there, and below which value a part of them is. Estimates are sums of counts; what is known of their variance is in the protocols (range), and where nothing is, deviations are
 * added up: that of a sum is never larger. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"
#include "local/tally.h"
#include "numeric/special.h"

/* sum[v]: of the counts before value v; spread[v]: of their deviations, where these are added up, or NULL. */
typedef struct sums {
    double *sum, *spread;
    uint64_t domain;
} sums;

static void sums_free(sums *s)
{
    dusk_deallocate(s->sum);
    dusk_deallocate(s->spread);
}

static void add_up(double *x, uint64_t n)
{
    double before = 0;
    for (uint64_t v = 0; v <= n; v++) {
        const double here = v < n ? x[v] : 0;
        x[v] = before;
        before += here;
    }
}

static dusk_status sums_of(sums *out, const dusk_tally *tally, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sums s = { .domain = tally->survey.task.domain };
    if (tally->protocol->question != DUSK_ASKS_COUNTS || s.domain == 0 || tally->survey.task.attributes ||
        dusk_randomiser_finds(tally->protocol->mechanism))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "plan the survey with tree and a domain",
                           "ranges are of categories that are numbered, and this survey has none"));
    DUSK_NEW(s.sum, s.domain + 1);
    if (!tally->protocol->range) DUSK_NEW(s.spread, s.domain + 1);
    DUSK_TRY(dusk_tally_counts(tally, s.sum, s.spread, NULL, s.domain, err));
    add_up(s.sum, s.domain);
    if (s.spread) add_up(s.spread, s.domain);
    *out = s;
    s = (sums){ .sum = NULL };
done:
    sums_free(&s);
    return status;
}

static double deviation_of(const sums *s, const dusk_tally *tally, dusk_range r, double count)
{
    const double all = (double)tally->reports, holders = fmin(fmax(count, 0), all);
    double inside, outside;
    if (s->spread) return s->spread[r.to + 1] - s->spread[r.from];
    tally->protocol->range(&tally->survey.task, r.from, r.to, &inside, &outside);
    return sqrt(holders * inside + (all - holders) * outside);
}

dusk_status dusk_tally_ranges(const dusk_tally *tally, double *counts, double *deviations,
                              const dusk_range *ranges, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sums s = { .sum = NULL };
    DUSK_TRY(sums_of(&s, tally, err));
    for (size_t i = 0; i < n; i++)
        if (ranges[i].from > ranges[i].to || ranges[i].to >= s.domain)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "the first value is 0, and both ends are in the range",
                               "%llu to %llu is no range of %llu values", (unsigned long long)ranges[i].from,
                               (unsigned long long)ranges[i].to, (unsigned long long)s.domain));
    for (size_t i = 0; i < n; i++) {
        counts[i] = s.sum[ranges[i].to + 1] - s.sum[ranges[i].from];
        if (deviations) deviations[i] = deviation_of(&s, tally, ranges[i], counts[i]);
    }
done:
    sums_free(&s);
    return status;
}

bool dusk_survey_ranges_known(const dusk_survey *survey)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    return protocol->range && !protocol->range_bound;
}

double dusk_survey_range_variance(const dusk_survey *survey, dusk_range range, double share)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    double inside, outside;
    if (!protocol->range || range.from > range.to || range.to >= survey->task.domain) return NAN;
    protocol->range(&survey->task, range.from, range.to, &inside, &outside);
    return share * inside + (1 - share) * outside;
}

/* --- quantiles ------------------------------------------------------------------------------------------------------------- */

/* The nearest increasing numbers, by the method of pooling neighbours that are in the wrong order [Ayer et al. 1955]. */
static dusk_status increase(double *x, uint64_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *length = NULL, pools = 0;
    double *mean = NULL;
    DUSK_NEW(length, n);
    DUSK_NEW(mean, n);
    for (uint64_t i = 0; i < n; i++) {
        mean[pools] = x[i];
        length[pools++] = 1;
        for (; pools > 1 && mean[pools - 2] >= mean[pools - 1]; pools--) {
            const double a = (double)length[pools - 2], b = (double)length[pools - 1];
            mean[pools - 2] = (a * mean[pools - 2] + b * mean[pools - 1]) / (a + b);
            length[pools - 2] += length[pools - 1];
        }
    }
    for (uint64_t p = 0, i = 0; p < pools; p++)
        for (uint64_t k = 0; k < length[p]; k++) x[i++] = mean[p];
done:
    dusk_deallocate(length);
    dusk_deallocate(mean);
    return status;
}

/* The estimate of how many have v or are below it, `reach` deviations higher. */
static double bound(const sums *s, const dusk_tally *tally, uint64_t v, double reach)
{
    const double count = s->sum[v + 1];
    return count + reach * deviation_of(s, tally, (dusk_range){ 0, v }, count);
}

/* The first value up to which there are `wanted` or more, found by halving, where the count at each place that is looked at is `reach` deviations higher than estimated.
 *
 * For the low end counts are taken higher: it is above the true value only if some place at or behind that says no. As long as none did, places are those that halving towards the true value looks at, which are fixed; and once
 * a place before it says yes there is no way back above it. So there is no more doubt than that of `steps` intervals. The high end is the same the other way round. */
static uint64_t halve(const sums *s, const dusk_tally *tally, double wanted, double reach)
{
    uint64_t low = 0, high = s->domain - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (bound(s, tally, middle, reach) >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static dusk_quantile interval(const sums *s, const dusk_tally *tally, double wanted, double confidence)
{
    const double steps = ceil(log2((double)s->domain));
    const double reach = dusk_normal_upper_quantile((1 - confidence) / 2 / fmax(steps, 1));
    dusk_quantile out = { .low = halve(s, tally, wanted, reach) };
    out.high = halve(s, tally, wanted, DUSK_MUTATE(QUANTILE_ONE_SIDE, -reach, reach));
    if (out.high < out.low) out.high = out.low;
    return out;
}

dusk_status dusk_tally_quantiles(const dusk_tally *tally, dusk_quantile *quantiles, const double *q, size_t n,
                                 double confidence, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sums s = { .sum = NULL };
    double *level = NULL;
    for (size_t i = 0; i < n; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.5 is the median", "a quantile lies between 0 and 1");
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.95", "a confidence is above 0 and below 1");
    DUSK_TRY(sums_of(&s, tally, err));
    DUSK_NEW(level, s.domain);
    memcpy(level, s.sum + 1, s.domain * sizeof *level);
    DUSK_TRY(increase(level, s.domain, err));
    for (size_t i = 0; i < n; i++) {
        const double wanted = q[i] * (double)tally->reports;
        quantiles[i] = interval(&s, tally, wanted, confidence);
        uint64_t v = quantiles[i].low;
        while (v < quantiles[i].high && level[v] < wanted) v++;
        quantiles[i].value = v;
    }
done:
    sums_free(&s);
    dusk_deallocate(level);
    return status;
}
