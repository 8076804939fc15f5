/* SPDX-License-Identifier: Apache-2.0 */
/* Counts without what liars added [LDPRecover, Sun et al. 2024]. Liars are a share b of all; estimates are (1 - b) times the honest ones and b times what reports of liars are worth. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"
#include "dusk/local_liars.h"
#include "local/protocol.h"

void dusk_recovery_options_init(dusk_recovery_options *options)
{
    *options = (dusk_recovery_options){ .size = sizeof *options, .liars = 0.05, .whole = true };
}

static dusk_status check(const local_protocol *protocol, size_t n, double total,
                         const dusk_recovery_options *options, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_recovery_options_init first",
                         "the options are of another version of the library");
    if (!(options->liars >= 0 && options->liars < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.05", "a share of liars is from 0 to below 1");
    if (protocol->question != DUSK_ASKS_COUNTS || !protocol->reach)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take oue or olh", "counts of %s cannot be recovered",
                         protocol->name);
    if (n < 1 || !(total >= 0 && total < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give how many reports there were",
                         "counts are recovered for one value at least, of a number of people");
    if ((options->targets == NULL) != (options->target_count == 0) || options->target_count >= n + 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name the values that look pushed, or none",
                         "there are as many targets as values, at most");
    for (size_t i = 0; i < options->target_count; i++)
        if (options->targets[i] >= n)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "places of the counts given, from 0",
                             "target %llu is none of the counts", (unsigned long long)options->targets[i]);
    return DUSK_OK;
}

/* Targets not known: a report of a liar supports one of n values, and what is at or below 0 was not pushed. */
static void take_from_all(double *counts, size_t n, double lies, double yes, double no)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++) there += counts[i] > 0;
    const double each = there ? lies * (yes + (double)(n - 1) * no) / (double)there : 0;
    for (size_t i = 0; i < n; i++)
        if (counts[i] > 0) counts[i] -= DUSK_MUTATE(RECOVER_TAKES_TWICE, each, 2 * each);
}

/* Targets known; all others have the rest of 1. */
static void take_from_targets(double *counts, size_t n, double lies, double most,
                              const dusk_recovery_options *options)
{
    const double count = (double)options->target_count;
    const double others = options->whole && n > options->target_count ? (1 - most) / ((double)n - count) : 0;
    for (size_t i = 0; i < n; i++) counts[i] -= lies * others;
    for (size_t i = 0; i < options->target_count; i++)
        counts[options->targets[i]] -= lies * (DUSK_MUTATE(RECOVER_IGNORES_LIES, most / count, 0) - others);
}

dusk_status dusk_counts_recover(double *counts, size_t n, double total, const dusk_survey *survey,
                                const dusk_recovery_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    double no, yes, least, most, *left = NULL;
    DUSK_TRY(check(protocol, n, total, options, err));
    const double lies = options->liars * total;
    DUSK_NEW(left, n);
    memcpy(left, counts, n * sizeof *left);
    protocol->reach(&survey->task, 1, &no, &yes);
    if (options->targets) {
        protocol->reach(&survey->task, (uint32_t)options->target_count, &least, &most);
        take_from_targets(left, n, lies, most, options);
    } else {
        take_from_all(left, n, lies, yes, no);
    }
    for (size_t i = 0; i < n; i++) left[i] /= 1 - options->liars;
    if (options->whole) DUSK_TRY(dusk_counts_consistent(left, NULL, n, total, DUSK_NORM_SUB, err));
    memcpy(counts, left, n * sizeof *left);
done:
    dusk_deallocate(left);
    return status;
}
