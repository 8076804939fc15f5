/* SPDX-License-Identifier: Apache-2.0 */
/* How likely an honest report supports several values at once; see attacks.h. What a liar gains by pushing several values is that his report supports them together, which honest reports seldom do
 * [Cao, Jia & Gong 2021, section 6.2]. Every number here is an upper bound over all values that the reporter may have. */
#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/attacks.h"
#include "local/protocol.h"
#include "local/valid.h"

enum { ANSWERS_MOST = 1 << 22, PRIME_MOST = 4096, ROWS_MOST = 4096, ROW_VALUES = 10 };

static double larger(double a, double b) { return a > b ? a : b; }

/* The most likely report, of answers that are numbers. */
static double peak_of(const dusk_client_task *task)
{
    const double p = local_chance(task->p), lie = local_chance(0 - task->p), width = task->width,
                 rows = task->rows;
    switch (task->mechanism) {
    case DUSK_OLH: return larger(p, lie / (width - 1)) / rows / rows;
    case DUSK_HADAMARD: return larger(p, lie) / width;
    case DUSK_HCMS: return larger(p, lie) / width / rows;
    case DUSK_HR: return larger(p / (width / 2), lie / (rows * width - width / 2));
    case DUSK_PGR: {
        const double points = client_points(task->width, task->rows),
                     within = client_points(task->width, task->rows - 1);
        return larger(p / within, lie / (points - within));
    }
    default: return 1;
    }
}

static double log_choose(double n, double k) { return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1); }

bool local_report_peak(const dusk_client_task *task, double *chance, double *reports)
{
    const double p = local_chance(task->p), q = local_chance(task->q), d = task->domain, k = task->width,
                 rows = task->rows;
    *reports = log((double)local_answers(task));
    switch (task->mechanism) {
    case DUSK_OLH:
    case DUSK_HADAMARD:
    case DUSK_HCMS:
    case DUSK_HR:
    case DUSK_PGR: *chance = log(peak_of(task)); return true;
    case DUSK_SUE:
    case DUSK_OUE:
        *chance = log(larger(p, 1 - p)) + (d - 1) * log(larger(q, 1 - q));
        *reports = d * log(2);
        return true;
    case DUSK_SS:
        *chance = larger(log(p) - log_choose(d - 1, k - 1), log1p(-p) - log_choose(d - 1, k));
        *reports = log_choose(d, k);
        return true;
    case DUSK_CMS:
        *chance = k * log(larger(p, 1 - p)) - log(rows);
        *reports = log(rows) + k * log(2);
        return true;
    default: return false;
    }
}

/* --- all reports ------------------------------------------------------------------------------------------------------------- */

/* part[s] += for every hash function and each of its answers, where s is what the answer supports: b goes round, and with it the answers. */
static void count_hashes(double *part, const dusk_client_task *task, const uint64_t *values, uint32_t n)
{
    const uint32_t prime = task->rows;
    for (uint32_t a = 0; a < prime; a++)
        for (uint32_t b = 0; b < prime; b++) {
            uint32_t answer[LOCAL_TOGETHER_MOST], left = ((uint32_t)1 << n) - 1;
            for (uint32_t i = 0; i < n; i++)
                answer[i] = (uint32_t)(((uint64_t)a * values[i] + b) % prime * task->width / prime);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t same = 0;
                if (!(left >> i & 1)) continue;
                for (uint32_t j = i; j < n; j++) same |= (uint32_t)(answer[j] == answer[i]) << j;
                part[same]++;
                left &= ~same;
            }
        }
}

static void count_answers(double *part, const dusk_client_task *task, const uint64_t *values, uint32_t n)
{
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    const uint64_t answers = local_answers(task);
    const uint32_t bytes = dusk_report_size(task);
    uint8_t report[8];
    for (uint64_t x = 0; x < answers; x++) {
        uint32_t set = 0;
        client_put(report, x, bytes);
        for (uint32_t i = 0; i < n; i++) set |= (uint32_t)protocol->supports(task, report, values[i]) << i;
        part[set]++;
    }
}

/* chance[s] = sum of part[t] over t that have all of s. */
static void add_supersets(double *chance, const double *part, uint32_t n)
{
    const uint32_t sets = (uint32_t)1 << n;
    for (uint32_t s = 0; s < sets; s++) chance[s] = part[s];
    for (uint32_t bit = 1; bit < sets; bit <<= 1)
        for (uint32_t s = 0; s < sets; s++)
            if (!(s & bit)) chance[s] += chance[s | bit];
}

static dusk_status go_through(local_together *out, const dusk_client_task *task, const uint64_t *values,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t sets = (uint32_t)1 << out->values;
    const double peak = peak_of(task);
    DUSK_NEW(out->part, sets);
    if (task->mechanism == DUSK_OLH)
        count_hashes(out->part, task, values, out->values);
    else
        count_answers(out->part, task, values, out->values);
    for (uint32_t s = 0; s < sets; s++) out->part[s] *= peak;
    add_supersets(out->chance, out->part, out->values);
done:
    return status;
}

/* --- closed forms -------------------------------------------------------------------------------------------------------------- */

/* The chance that `among` things, each as likely, are all in a set of `size` of `all`. */
static double all_in(double among, double size, double all)
{
    double chance = 1;
    for (double i = 0; i < among; i++) chance *= larger(size - i, 0) / larger(all - i, 1);
    return chance;
}

/* Of z values, where all sets of so many are alike. */
static double by_size(const dusk_client_task *task, uint32_t z)
{
    const double p = local_chance(task->p), q = local_chance(task->q), d = task->domain, k = task->width;
    switch (task->mechanism) {
    case DUSK_SS: { /* the reporter's value is one of them, or it is not */
        const double in = p * all_in(z - 1.0, k - 1, d - 1);
        return larger(in, p * all_in(z, k - 1, d - 1) + (1 - p) * all_in(z, k, d - 1));
    }
    case DUSK_DBITFLIP: return all_in(z, k, d) * pow(1 - p, z - 1.0) * larger(p, 1 - p);
    default: return pow(q, DUSK_MUTATE(TOGETHER_ONE_MORE, z - 1.0, z)) * larger(p, q);
    }
}

/* Of a set in all rows of a sketch or a filter: values may share places. */
static double by_rows(const dusk_client_task *task, const uint64_t *values, uint32_t n, uint32_t set)
{
    const bool filter = task->mechanism == DUSK_RAPPOR;
    const uint32_t hashes = filter ? task->hashes : 1;
    const double one = filter ? local_rappor_chance(task, true) : local_chance(task->p);
    const double zero = filter ? local_rappor_chance(task, false) : local_chance(0 - task->p);
    double sum = 0;
    for (uint32_t row = 0; row < task->rows; row++) {
        uint32_t place[ROW_VALUES * 16], count = 0;
        for (uint32_t i = 0; i < n * hashes; i++) {
            bool there = !(set >> i / hashes & 1);
            const uint32_t at =
                client_place(task->seed, row * hashes + i % hashes, values[i / hashes], task->width);
            for (uint32_t j = 0; j < count && !there; j++) there = place[j] == at;
            if (!there) place[count++] = at;
        }
        const uint32_t own = count < hashes ? count : hashes; /* a value has no more of them */
        sum += pow(larger(one, zero), own) * pow(zero, count - own);
    }
    return sum / task->rows;
}

/* --- tables ---------------------------------------------------------------------------------------------------------------------- */

uint32_t local_together_room(const dusk_client_task *task)
{
    switch (task->mechanism) {
    case DUSK_OLH: return task->rows <= PRIME_MOST ? 12 : 0;
    case DUSK_HADAMARD:
    case DUSK_HR:
    case DUSK_PGR:
    case DUSK_HCMS: return local_answers(task) <= ANSWERS_MOST ? 12 : 0;
    case DUSK_SUE:
    case DUSK_OUE:
    case DUSK_SS:
    case DUSK_DBITFLIP: return LOCAL_TOGETHER_MOST;
    case DUSK_CMS:
    case DUSK_RAPPOR: return task->rows <= ROWS_MOST ? ROW_VALUES : 0;
    default: return 0;
    }
}

dusk_status local_together_new(local_together *out, const dusk_client_task *task, const uint64_t *values,
                               uint32_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool rows = task->mechanism == DUSK_CMS || task->mechanism == DUSK_RAPPOR;
    double size[LOCAL_TOGETHER_MOST + 1] = { 1 };
    *out = (local_together){ .values = n };
    DUSK_NEW(out->chance, (size_t)1 << n);
    if (local_answers(task) > 0) {
        DUSK_TRY(go_through(out, task, values, err));
        goto done;
    }
    for (uint32_t z = 1; z <= n && !rows; z++) size[z] = by_size(task, z);
    for (uint32_t s = 0; s < (uint32_t)1 << n; s++)
        out->chance[s] = rows ? by_rows(task, values, n, s) : size[__builtin_popcount(s)];
done:
    if (status != DUSK_OK) local_together_free(out);
    return status;
}

void local_together_free(local_together *together)
{
    dusk_deallocate(together->chance);
    dusk_deallocate(together->part);
    *together = (local_together){ 0 };
}

/* By parts, or one set of `least` of them or another. */
double local_together_tail(const local_together *together, uint32_t set, uint32_t least)
{
    double sum = 0;
    if (together->part) {
        for (uint32_t s = 0; s < (uint32_t)1 << together->values; s++)
            if ((uint32_t)__builtin_popcount(s & set) >= least) sum += together->part[s];
        return sum < 1 ? sum : 1;
    }
    for (uint32_t s = set; s; s = (s - 1) & set)
        if ((uint32_t)__builtin_popcount(s) == least) sum += together->chance[s];
    return least == 0 || sum > 1 ? 1 : sum;
}
