/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_ATTACKS_H
#define DUSK_LOCAL_ATTACKS_H

/* What reports are to liars, and to who looks for them. supports.c: which values a report speaks for. crafts.c: the maximal gain attack of each randomiser [Cao, Jia & Gong 2021], a report that
 * supports as many of n targets (distinct, of the domain, 1 .. LOCAL_TARGETS_MOST) as one can. Where it hides, it is one that honest devices make as well: bit maps have as many bits as
 * an honest report has, by the same law, and answers that are numbers are the best of LOCAL_TRIES honest ones.
 * Returns DUSK_CLIENT_OK or DUSK_CLIENT_NO_ENTROPY. */

#include <stdbool.h>

#include "base/error.h"
#include "local/client.h"

enum { LOCAL_TARGETS_MOST = 64, LOCAL_TRIES = 1000 };

typedef bool local_supports(const dusk_client_task *task, const uint8_t *report, uint64_t value);
local_supports local_supports_number, local_supports_map, local_supports_hash, local_supports_sign,
    local_supports_block, local_supports_point, local_supports_row, local_supports_row_sign,
    local_supports_filter, local_supports_bucket;

typedef int local_craft(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                        uint8_t *report, dusk_entropy *entropy);
local_craft local_craft_number, local_craft_map, local_craft_hash, local_craft_subset, local_craft_sign,
    local_craft_block, local_craft_point, local_craft_row, local_craft_row_sign, local_craft_buckets;

/* rappor.c: the chance that a bit of the filter that is 1 (0) is reported as 1. */
double local_rappor_chance(const dusk_client_task *task, bool set);

/* together.c: bounds of the chances that an honest report supports several values at once, whatever its value is. Sets of the values are bits of a number. Free it with local_together_free. */
typedef struct local_together {
    uint32_t values;
    double *chance; /* of all values of a set, for every set */
    double *part; /* of these values and of no others, where all reports were gone through; NULL: not known */
} local_together;
enum { LOCAL_TOGETHER_MOST = 16 };
/* How many values are worth a table; 0: nothing is known of the randomiser, or it is too large. */
uint32_t local_together_room(const dusk_client_task *task);
DUSK_MUST_USE dusk_status local_together_new(local_together *out, const dusk_client_task *task,
                                             const uint64_t *values, uint32_t n, dusk_error *err);
void local_together_free(local_together *together);
/* Of `least` of a set at least. */
double local_together_tail(const local_together *together, uint32_t set, uint32_t least);
/* The largest chance that any report has, whatever the value, as a logarithm, and the logarithm of how many reports there are; false: not known, or of GRR: too many answers of a
 * value say that it is pushed, and not by whom, and without all of them nothing would be known of it. */
bool local_report_peak(const dusk_client_task *task, double *chance, double *reports);

static inline bool local_bit(const uint8_t *map, uint32_t bit) { return map[bit / 8] >> bit % 8 & 1; }

#endif
