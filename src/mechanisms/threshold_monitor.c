/* SPDX-License-Identifier: Apache-2.0 */
/* A threshold monitor: the sparse vector technique of Kaplan, Mansour & Stemmer 2021, where a
 * query is a predicate over records. In their words: count the records that are left and for
 * which it holds, add noise, compare with the threshold; after an answer above, every
 * record that was counted is charged, and one that was charged k times is removed. What
 * a record can lose depends on k and not on how many answers there are, above or below.
 *
 * Noise is discrete Laplace noise on whole counts, fresh for every query. What the whole
 * costs is exact, a negative binomial law (accounting/pair_monitor.proof.md), and the
 * scale is the least with which it is within (epsilon, delta); the published constants are
 * not used. Proof: threshold_monitor.proof.md.
 *
 * Who was removed is private and cannot be asked. Numbers that go with answers are not
 * offered: they would be paid for each time. */
#include "mechanisms/threshold_monitor.h"

#include <math.h>

#include "accounting/account.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "base/taint.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/noise_additive.h"
#include "random/record.h"

/* Of the noise; there is next to none with the first. */
#define LEAST_SCALE 0x1p-4
#define MOST_SCALE 0x1p55

struct dusk_threshold_monitor {
    dusk_threshold_monitor_options options;
    dusk_monitor_plan plan;
    dusk_additive noise;
    const unsigned char *records; /* borrowed */
    size_t count, record_size;
    uint32_t *left; /* for each record: how often it may still be charged */
    bool *counted;  /* in the query at hand */
};

void dusk_threshold_monitor_options_init(dusk_threshold_monitor_options *options)
{
    *options = (dusk_threshold_monitor_options){ .size = sizeof *options, .contributions = 1 };
}

/* --- the plan ----------------------------------------------------------------- */

static dusk_status check_options(const dusk_threshold_monitor_options *options, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_threshold_monitor_options_init first",
                         "the options were not initialised");
    if (options->neighbours != DUSK_ADD_REMOVE && options->neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "set neighbours to DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "the neighbouring relation is not set");
    if (!(fabs(options->threshold) <= 0x1p53))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "it is compared with a number of records",
                         "the threshold must be finite and at most 2^53");
    if (options->contributions == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1 removes a record after the first answer above",
                         "contributions must be at least 1");
    if (!(options->epsilon > 0 && options->epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.01 and 10",
                         "epsilon must be positive and finite");
    if (!(options->delta > 0 && options->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "far below 1 over the number of people",
                         "delta must lie between 0 and 1");
    return DUSK_OK;
}

/* Whether noise of this scale is enough; then *event says what it costs. */
static dusk_status try_scale(const dusk_threshold_monitor_options *options, double scale, bool *enough,
                             dusk_event *event, dusk_error *err)
{
    dusk_account account;
    double each = DUSK_MUTATE(MONITOR_EACH_TOO_SMALL, dusk_div_up(1, scale), 0.9 / scale);
    dusk_status status = dusk_event_threshold_monitor(event, each, options->contributions, err);
    if (status != DUSK_OK) return status;
    /* the losses are a lattice; where it gives up the noise is far too small */
    dusk_accountant accountant = options->contributions == 1 ? DUSK_BEST : DUSK_LATTICE;
    *enough = false;
    status = dusk_account_event(&account, event, options->delta, options->neighbours, accountant, err);
    if (status == DUSK_OK) *enough = account.bound.upper <= options->epsilon;
    return status == DUSK_ERR_UNSUPPORTED ? DUSK_OK : status;
}

enum { HALVINGS = 28 };

/* Scales *low and *high, the first too small or the least that is tried, the second enough;
 * the search begins where the noise of so many contributions lies. */
static dusk_status bracket(const dusk_threshold_monitor_options *options, double *low, double *high,
                           dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event other;
    bool enough = false;
    *high = exp2(floor(log2(sqrt(options->contributions) / fmax(options->epsilon, 1))));
    for (*high = fmax(*high, LEAST_SCALE); *high <= MOST_SCALE && !enough; *high *= enough ? 1 : 2)
        DUSK_TRY(try_scale(options, *high, &enough, event, err));
    if (!enough)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take a larger epsilon or delta, or fewer contributions",
                         "no noise is enough for this promise");
    for (*low = *high / 2; enough && *low >= LEAST_SCALE; *low /= 2) {
        DUSK_TRY(try_scale(options, *low, &enough, &other, err));
        if (!enough) break;
        *high = *low;
        *event = other;
    }
done:
    return status;
}

/* The least scale, up to 2^-28 of itself, that try_scale was seen to accept. */
DUSK_PROVEN(dusk_monitor_plan_make)
dusk_status dusk_monitor_plan_make(dusk_monitor_plan *out, const dusk_threshold_monitor_options *options,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double low = 0, high = 0;
    bool enough;
    DUSK_TRY(check_options(options, err));
    DUSK_TRY(bracket(options, &low, &high, &out->event, err));
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        DUSK_TRY(try_scale(options, middle, &enough, &event, err));
        if (enough) {
            high = middle;
            out->event = event;
        } else {
            low = middle;
        }
    }
    out->scale = high;
    out->least = (int64_t)ceil(options->threshold);
done:
    return status;
}

/* --- the monitor ------------------------------------------------------------------ */

dusk_status dusk_threshold_monitor_start(dusk_threshold_monitor **out,
                                         const dusk_threshold_monitor_options *options,
                                         const dusk_monitor_plan *plan, const void *records, size_t count,
                                         size_t record_size, unsigned width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_threshold_monitor *m = NULL;
    *out = NULL;
    DUSK_NEW(m, 1);
    *m = (dusk_threshold_monitor){ .options = *options, .plan = *plan, .records = records };
    m->record_size = record_size;
    dusk_additive_init(&m->noise, DUSK_ADDITIVE_DISCRETE_LAPLACE, plan->scale, width);
    DUSK_NEW(m->left, count);
    DUSK_NEW(m->counted, count);
    m->count = count;
    for (size_t i = 0; i < count; i++) m->left[i] = options->contributions;
    *out = m;
    m = NULL;
done:
    dusk_threshold_monitor_free(m);
    return status;
}

dusk_status dusk_threshold_monitor_new(dusk_threshold_monitor **out,
                                       const dusk_threshold_monitor_options *options, const void *records,
                                       size_t count, size_t record_size, dusk_error *err)
{
    dusk_monitor_plan plan;
    *out = NULL;
    dusk_status status = dusk_monitor_plan_make(&plan, options, err);
    if (status != DUSK_OK) return status;
    return dusk_threshold_monitor_start(out, options, &plan, records, count, record_size, DUSK_WIDTH_FULL,
                                        err);
}

/* Who was removed tells what the answers hide. */
void dusk_threshold_monitor_free(dusk_threshold_monitor *monitor)
{
    if (!monitor) return;
    if (monitor->left) dusk_wipe(monitor->left, monitor->count * sizeof *monitor->left);
    if (monitor->counted) dusk_wipe(monitor->counted, monitor->count * sizeof *monitor->counted);
    dusk_deallocate(monitor->left);
    dusk_deallocate(monitor->counted);
    dusk_deallocate(monitor);
}

/* How many records are left and hold; each is looked at once, whoever is left. */
static int64_t count_records(dusk_threshold_monitor *m, dusk_predicate *predicate, void *context)
{
    int64_t sum = 0;
    const unsigned char *record = m->records;
    for (size_t i = 0; i < m->count; i++, record += m->record_size) {
        bool left = DUSK_MUTATE(MONITOR_COUNTS_THE_REMOVED, m->left[i] > 0, true);
        m->counted[i] = predicate(record, context) & left;
        sum += m->counted[i];
    }
    return sum;
}

/* After an answer above every record that was counted has one contribution less; whoever
 * was counted had one. */
static void charge_records(dusk_threshold_monitor *m, bool above)
{
    above = DUSK_MUTATE(MONITOR_NOBODY_REMOVED, above, false);
    for (size_t i = 0; i < m->count; i++) m->left[i] -= (uint32_t)(m->counted[i] & above);
}

#ifdef DUSK_TESTING
/* One record moves a count by one; in how many answers above it may do so is for the whole run. */
static void record_count(const dusk_threshold_monitor *m, int64_t count, bool *above, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "threshold_monitor",
        .norm = DUSK_RECORD_LINF,
        .sensitivity = 1,
        .scale = m->plan.scale,
        .parameter = { { "threshold", (double)m->plan.least },
                       { "contributions", m->options.contributions } },
    };
    dusk_record_at at = dusk_record_begin(gen, &header);
    dusk_record_whole(at, 0, count, NULL);
    dusk_record_output(at, above, sizeof *above);
}
#endif

/* The noise is drawn before a record is looked at; what comes after cannot fail. */
DUSK_PROVEN(dusk_threshold_monitor_release)
dusk_status dusk_threshold_monitor_release(dusk_threshold_monitor *monitor, bool *above,
                                           dusk_predicate *predicate, void *context, dusk_generator *gen,
                                           dusk_error *err)
{
    dusk_int128 noise;
    dusk_status status = dusk_additive_draw(&monitor->noise, &noise, gen, err);
    if (status != DUSK_OK) return status;
    int64_t count = count_records(monitor, predicate, context);
    *above = count + noise >= monitor->plan.least;
    DUSK_RECORD(record_count(monitor, count, above, gen);)
    DUSK_DECLASSIFY(above, sizeof *above);
    charge_records(monitor, DUSK_MUTATE(MONITOR_CHARGES_BELOW, *above, !*above));
    return DUSK_OK;
}

/* --- what it says about itself ------------------------------------------------------ */

dusk_status dusk_threshold_monitor_event(const dusk_threshold_monitor *monitor, dusk_event *out,
                                         dusk_error *err)
{
    (void)err;
    *out = monitor->plan.event;
    return DUSK_OK;
}

/* A count that is m or more beyond the threshold is compared wrong with probability
 * P(K >= m) at most, e^(-m/b)/(1 + e^(-1/b)) for m >= 0. */
DUSK_PROVEN(dusk_threshold_monitor_interval)
dusk_status dusk_threshold_monitor_interval(const dusk_threshold_monitor *monitor, double *margin,
                                            uint64_t queries, double confidence, dusk_error *err)
{
    if (queries == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the number of queries must be at least 1");
    dusk_status status = dusk_request_confidence(confidence, err);
    if (status != DUSK_OK) return status;
    double scale = monitor->plan.scale, asked = (double)queries * (1 + 0x1p-52);
    double each = dusk_div_down(dusk_sub_down(1, confidence), asked);
    double total = dusk_add_down(1, dusk_exp_down(dusk_div_down(-1, scale)));
    double least = dusk_mul_up(scale, -dusk_log_down(dusk_mul_down(each, total)));
    *margin = fmax(ceil(least), 0);
    return DUSK_OK;
}
