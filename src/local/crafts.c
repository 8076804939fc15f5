/* SPDX-License-Identifier: Apache-2.0 */
/* The maximal gain attack of each randomiser [Cao, Jia & Gong 2021]; see attacks.h. */
#include <string.h>

#include "base/mutant.h"
#include "local/attacks.h"
#include "local/protocol.h"

#define NO_ENTROPY DUSK_CLIENT_NO_ENTROPY

static uint32_t supported(const dusk_client_task *task, const uint8_t *report, const uint64_t *targets,
                          uint32_t n)
{
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) count += protocol->supports(task, report, targets[i]);
    return count;
}

static int honest(const dusk_client_task *task, const uint64_t *targets, uint32_t n, uint8_t *report,
                  dusk_entropy *entropy)
{
    uint32_t which;
    if (client_below(entropy, &which, n)) return NO_ENTROPY;
    return dusk_client_report(task, report, targets[which], entropy);
}

/* Of honest reports on targets the one that supports the most; of answers that are numbers, 8 bytes at most. */
static int best_of_honest(const dusk_client_task *task, const uint64_t *targets, uint32_t n, uint8_t *report,
                          dusk_entropy *entropy)
{
    uint8_t next[8];
    uint32_t most = 0;
    if (honest(task, targets, n, report, entropy)) return NO_ENTROPY;
    most = supported(task, report, targets, n);
    for (uint32_t i = 1; i < LOCAL_TRIES && most < n; i++) {
        if (honest(task, targets, n, next, entropy)) return NO_ENTROPY;
        const uint32_t count = supported(task, next, targets, n);
        if (count <= most) continue;
        most = count;
        memcpy(report, next, dusk_report_size(task));
    }
    return DUSK_CLIENT_OK;
}

/* The targets in random order. */
static int shuffled(const uint64_t *targets, uint32_t n, uint64_t *order, dusk_entropy *entropy)
{
    memcpy(order, targets, n * sizeof *order);
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j;
        if (client_below(entropy, &j, i)) return NO_ENTROPY;
        const uint64_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    return DUSK_CLIENT_OK;
}

/* --- numbers --------------------------------------------------------------------------------------------------------------- */

int local_craft_number(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                       uint8_t *report, dusk_entropy *entropy)
{
    uint32_t which;
    (void)hides;
    if (client_below(entropy, &which, n)) return NO_ENTROPY;
    client_put(report, targets[which], dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* A hash function with a = 0 takes all values to one answer. */
int local_craft_hash(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                     uint8_t *report, dusk_entropy *entropy)
{
    uint32_t b;
    if (hides) return best_of_honest(task, targets, n, report, entropy);
    if (client_below(entropy, &b, task->rows)) return NO_ENTROPY;
    client_put(report, (uint64_t)b * task->width + client_hash_value(task, 0, b, 0), dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* In the first row all values have one sign. */
int local_craft_sign(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                     uint8_t *report, dusk_entropy *entropy)
{
    if (hides) return best_of_honest(task, targets, n, report, entropy);
    client_put(report, 0, dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* The first number of a block is in the sets of all its values: the block with the most targets. */
int local_craft_block(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                      uint8_t *report, dusk_entropy *entropy)
{
    uint64_t block = 0;
    uint32_t most = 0;
    if (hides) return best_of_honest(task, targets, n, report, entropy);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < n; j++) same += targets[j] % task->rows == targets[i] % task->rows;
        if (same <= most) continue;
        most = same;
        block = targets[i] % task->rows;
    }
    client_put(report, block * task->width, dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* A row by lot; its first coefficient has one sign everywhere. */
int local_craft_row_sign(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                         uint8_t *report, dusk_entropy *entropy)
{
    uint32_t row;
    if (hides) return best_of_honest(task, targets, n, report, entropy);
    if (client_below(entropy, &row, task->rows)) return NO_ENTROPY;
    client_put(report, (uint64_t)row * task->width * 2, dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* --- points ----------------------------------------------------------------------------------------------------------------- */

typedef struct system {
    uint32_t q, t, rank;
    uint32_t row[DUSK_GEOMETRY_MOST][DUSK_GEOMETRY_MOST], pivot[DUSK_GEOMETRY_MOST];
} system;

/* One more equation x y = 0, unless then only 0 would be left; rows stay reduced. */
static void demand(system *s, uint32_t point)
{
    uint32_t x[DUSK_GEOMETRY_MOST], lead = 0;
    client_point(s->q, s->t, point, x);
    for (uint32_t r = 0; r < s->rank; r++) {
        const uint32_t factor = s->q - x[s->pivot[r]];
        for (uint32_t i = 0; i < s->t; i++)
            x[i] = (uint32_t)((x[i] + (uint64_t)factor * s->row[r][i]) % s->q);
    }
    while (lead < s->t && x[lead] == 0) lead++;
    if (lead == s->t || s->rank + 1 == s->t) return;
    const uint32_t scale = client_inverse(s->q, x[lead]);
    for (uint32_t i = 0; i < s->t; i++) x[i] = (uint32_t)((uint64_t)x[i] * scale % s->q);
    for (uint32_t r = 0; r < s->rank; r++) {
        const uint32_t factor = s->q - s->row[r][lead];
        for (uint32_t i = 0; i < s->t; i++)
            s->row[r][i] = (uint32_t)((s->row[r][i] + (uint64_t)factor * x[i]) % s->q);
    }
    memcpy(s->row[s->rank], x, sizeof x);
    s->pivot[s->rank++] = lead;
}

/* A solution that is not 0, each as likely: coordinates that are no pivots are anything but all 0. */
static int solve(const system *s, uint32_t *point, dusk_entropy *entropy)
{
    uint32_t y[DUSK_GEOMETRY_MOST], some = 0;
    while (!some)
        for (uint32_t i = 0; i < s->t; i++) {
            bool pivot = false;
            y[i] = 0;
            for (uint32_t r = 0; r < s->rank; r++) pivot |= s->pivot[r] == i;
            if (!pivot && client_below(entropy, &y[i], s->q)) return NO_ENTROPY;
            some |= y[i];
        }
    for (uint32_t r = 0; r < s->rank; r++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < s->t; i++)
            if (i != s->pivot[r]) sum += (uint64_t)s->row[r][i] * y[i];
        y[s->pivot[r]] = (uint32_t)((s->q - sum % s->q) % s->q);
    }
    *point = client_point_number(s->q, s->t, y);
    return DUSK_CLIENT_OK;
}

/* A point that is orthogonal to the targets, as many as there is one for: they are demanded in random order, 16 times where not all can be had. Not always the most. */
int local_craft_point(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                      uint8_t *report, dusk_entropy *entropy)
{
    uint64_t order[LOCAL_TARGETS_MOST];
    uint32_t best = 0, most = 0;
    if (hides) return best_of_honest(task, targets, n, report, entropy);
    for (int i = 0; i < 16 && most < n; i++) {
        system s = { .q = task->width, .t = task->rows, .rank = 0 };
        uint32_t point;
        if (shuffled(targets, n, order, entropy)) return NO_ENTROPY;
        for (uint32_t j = 0; j < n; j++) demand(&s, (uint32_t)order[j]);
        if (solve(&s, &point, entropy)) return NO_ENTROPY;
        client_put(report, point, dusk_report_size(task));
        const uint32_t count = supported(task, report, targets, n);
        if (count <= most) continue;
        most = count;
        best = point;
    }
    client_put(report, best, dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

/* --- bit maps --------------------------------------------------------------------------------------------------------------- */

static uint32_t bits_of(const uint8_t *map, uint32_t bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < (bits + 7) / 8; i++) count += (uint32_t)__builtin_popcount(map[i]);
    return count;
}

static void set_bit(uint8_t *map, uint32_t bit) { map[bit / 8] |= (uint8_t)(1 << bit % 8); }

/* Other bits by lot, until `count` of them are set. */
static int fill(uint8_t *map, uint32_t bits, uint32_t count, dusk_entropy *entropy)
{
    for (uint32_t have = bits_of(map, bits); have < count;) {
        uint32_t bit;
        if (client_below(entropy, &bit, bits)) return NO_ENTROPY;
        have += !local_bit(map, bit);
        set_bit(map, bit);
    }
    return DUSK_CLIENT_OK;
}

int local_craft_map(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                    uint8_t *report, dusk_entropy *entropy)
{
    uint64_t order[LOCAL_TARGETS_MOST];
    uint32_t bits = n;
    if (hides) {
        if (honest(task, targets, n, report, entropy)) return NO_ENTROPY;
        bits = bits_of(report, task->domain);
    }
    if (shuffled(targets, n, order, entropy)) return NO_ENTROPY;
    client_zero(report, dusk_report_size(task));
    for (uint32_t i = 0; i < n && i < bits; i++) set_bit(report, (uint32_t)order[i]);
    return fill(report, task->domain, bits, entropy);
}

/* Targets as far as there is room, then others: sets have one size. */
int local_craft_subset(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                       uint8_t *report, dusk_entropy *entropy)
{
    const uint32_t room = DUSK_MUTATE(CRAFT_SET_IS_TOO_LARGE, task->width, n);
    uint64_t order[LOCAL_TARGETS_MOST];
    (void)hides;
    if (shuffled(targets, n, order, entropy)) return NO_ENTROPY;
    client_zero(report, dusk_report_size(task));
    for (uint32_t i = 0; i < n && i < room; i++) set_bit(report, (uint32_t)order[i]);
    return fill(report, task->domain, task->width, entropy);
}

/* Of CMS and RAPPOR: the places of targets in a row by lot. */
int local_craft_row(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                    uint8_t *report, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->rows), hashes = task->hashes ? task->hashes : 1;
    uint8_t *map = report + bytes;
    uint64_t order[LOCAL_TARGETS_MOST];
    uint32_t bits = 0, have = 0;
    if (honest(task, targets, n, report, entropy) || shuffled(targets, n, order, entropy)) return NO_ENTROPY;
    const uint32_t row = (uint32_t)client_get(report, bytes);
    bits = hides ? bits_of(map, task->width) : task->width;
    client_zero(map, (task->width + 7) / 8);
    for (uint32_t i = 0; i < n * hashes && have < bits; i++) {
        const uint32_t place =
            client_place(task->seed, row * hashes + i % hashes, order[i / hashes], task->width);
        have += !local_bit(map, place);
        set_bit(map, place);
    }
    return fill(map, task->width, hides ? bits : 0, entropy);
}

/* --- buckets ------------------------------------------------------------------------------------------------------------------ */

/* Targets, and others by lot, in increasing order: devices can draw them so. Yes for targets, and of others a lie now and then. */
int local_craft_buckets(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                        uint8_t *report, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->domain), width = task->width;
    uint64_t order[LOCAL_TARGETS_MOST];
    uint32_t count = 0;
    (void)hides;
    client_zero(report, dusk_report_size(task));
    if (shuffled(targets, n, order, entropy)) return NO_ENTROPY;
    for (uint32_t i = 0; count < width; i++) {
        uint32_t bucket, at = 0;
        if (client_below(entropy, &bucket, task->domain)) return NO_ENTROPY;
        if (i < n) bucket = (uint32_t)order[i];
        while (at < count && client_get(report + at * bytes, bytes) < bucket) at++;
        if (at < count && client_get(report + at * bytes, bytes) == bucket) continue;
        at = DUSK_MUTATE(CRAFT_BUCKETS_IN_ANY_ORDER, at, count);
        memmove(report + (at + 1) * bytes, report + at * bytes, (size_t)(count++ - at) * bytes);
        client_put(report + at * bytes, bucket, bytes);
    }
    for (uint32_t i = 0; i < width; i++) {
        const uint64_t bucket = client_get(report + i * bytes, bytes);
        int yes = client_coin(entropy, 0 - task->p);
        if (yes < 0) return NO_ENTROPY;
        for (uint32_t j = 0; j < n; j++) yes |= targets[j] == bucket;
        if (yes) set_bit(report + width * bytes, i);
    }
    return DUSK_CLIENT_OK;
}
