/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_LOCAL_ERRORS_H
#define DUSK_TESTS_LOCAL_ERRORS_H

/* What statistical tests of surveys have in common: means over many small surveys, with seeded coins. */

#include "local_survey.h"
#include "seeded.h"

/* DUSK_SEED chooses other coins. */
static inline dusk_generator *chosen_coins(void)
{
    const char *seed = getenv("DUSK_SEED");
    return seeded(seed ? strtoull(seed, NULL, 10) : 1);
}

/* Zipf: people with value v are as 1 / (v + 1). */
static inline void deal_zipf(uint64_t *value, size_t people, double *truth, size_t values)
{
    double sum = 0, total = 0;
    size_t at = 0;
    for (size_t v = 0; v < values; v++) total += 1.0 / (double)(v + 1);
    for (size_t v = 0; v < values; v++) {
        sum += 1.0 / (double)(v + 1);
        truth[v] = 0;
        for (; at < people && (double)at < sum / total * (double)people; at++) {
            value[at] = v;
            truth[v]++;
        }
    }
}

/* Independent numbers, one a survey. */
typedef struct moments {
    double sum, squares, n;
} moments;

static inline void note(moments *m, double x)
{
    m->sum += x;
    m->squares += x * x;
    m->n++;
}

static inline double mean_of(const moments *m) { return m->sum / m->n; }

/* Their mean lies from `least` to `most`, to within five of its deviations. */
static inline void check_mean(const moments *m, double least, double most, const char *what,
                              dusk_randomiser mechanism, double epsilon)
{
    const double mean = mean_of(m), deviation = sqrt((m->squares / m->n - mean * mean) / (m->n - 1));
    if (!(mean >= least - 5 * deviation && mean <= most + 5 * deviation))
        fail_msg("%s at %g: %s %.4f +- %.4f, not %.4f to %.4f", dusk_randomiser_name(mechanism), epsilon,
                 what, mean, deviation, least, most);
}

#endif
