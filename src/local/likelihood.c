/* SPDX-License-Identifier: Apache-2.0 */
/* The chance of a report under a value, by the laws of client_*.proof.md; see likelihood.h. */
#include "local/likelihood.h"

#include <math.h>

#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

dusk_status local_likelihood_of(local_likelihood *out, const dusk_survey *survey, dusk_error *err)
{
    const dusk_client_task *task = &survey->task;
    const double p = local_chance(task->p), not_p = local_chance(0 - task->p), q = local_chance(task->q),
                 not_q = local_chance(0 - task->q);
    *out = (local_likelihood){ .task = *task };
    switch (task->mechanism) {
    case DUSK_GRR:
        out->yes = log(p);
        out->no = log(not_p / (task->domain - 1));
        return DUSK_OK;
    case DUSK_HCMS:
        out->yes = log(p);
        out->no = log(not_p);
        return DUSK_OK;
    case DUSK_SUE:
    case DUSK_OUE:
        out->yes = log(p / q);
        out->no = log(not_p / not_q);
        return DUSK_OK;
    case DUSK_CMS:
        out->yes = log(p / not_p);
        out->no = log(not_p / p);
        return DUSK_OK;
    case DUSK_RAPPOR: {
        const double one = local_rappor_chance(task, true), zero = local_rappor_chance(task, false);
        out->yes = log(one / zero);
        out->no = log((1 - one) / (1 - zero));
        return DUSK_OK;
    }
    default:
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take grr, sue, oue, cms, hcms or rappor",
                         "how likely a report of %s is under a value is not known",
                         dusk_randomiser_name(task->mechanism));
    }
}

bool local_likelihood_hashed(const local_likelihood *l)
{
    return l->task.mechanism == DUSK_CMS || l->task.mechanism == DUSK_HCMS ||
           l->task.mechanism == DUSK_RAPPOR;
}

static bool bit(const uint8_t *map, uint32_t i) { return map[i / 8] >> i % 8 & 1; }

static bool of_answer(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                      double *out)
{
    const uint64_t answer = client_get(report, client_bytes_for(l->task.domain));
    if (answer >= l->task.domain) return false;
    for (size_t i = 0; i < n; i++) out[i] = (candidates ? candidates[i] : i) == answer ? l->yes : l->no;
    return true;
}

static bool of_map(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                   double *out)
{
    if (local_row_is_padded(l->task.domain, report)) return false;
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = candidates ? candidates[i] : i;
        out[i] = value < l->task.domain && bit(report, (uint32_t)value) ? l->yes : l->no;
    }
    return true;
}

/* How many ways there are to have `some` different places among n, one after the other. */
static double ways(double n, uint32_t some)
{
    double product = 1;
    for (uint32_t i = 0; i < some; i++) product *= n - i;
    return product;
}

/* A text on no list, on average over texts: hash functions give places as if drawn. Stirling's numbers say how often so many of them are different, and of these some are set in the report. */
static double of_other_text(const local_likelihood *l, const uint8_t *map, uint32_t hashes)
{
    const double yes = exp(l->yes), no = exp(l->no), m = l->task.width;
    double different[17] = { 1 }, set = 0, sum = 0; /* chances that so many places are different */
    for (uint32_t b = 0; b < l->task.width; b++) set += bit(map, b);
    for (uint32_t h = 1; h <= hashes; h++) {
        for (uint32_t j = h; j > 0; j--) different[j] = (j * different[j] + different[j - 1]) / m;
        different[0] = 0;
    }
    for (uint32_t j = 1; j <= hashes; j++) {
        double choose = 1;
        for (uint32_t i = 0; i <= j; i++) {
            sum += different[j] * choose * ways(set, i) * ways(m - set, j - i) * pow(yes, i) * pow(no, j - i);
            choose *= (double)(j - i) / (i + 1);
        }
    }
    return log(sum);
}

static bool of_filter(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                      double *out)
{
    const dusk_client_task *task = &l->task;
    const uint32_t bytes = client_bytes_for(task->rows), hashes = task->hashes ? task->hashes : 1;
    const uint64_t row = client_get(report, bytes);
    if (row >= task->rows || local_row_is_padded(task->width, report + bytes)) return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t at[16], places = 0;
        out[i] = 0;
        for (uint32_t h = 0; h < hashes; h++) {
            const uint32_t place =
                client_place(task->seed, (uint32_t)row * hashes + h, candidates[i], task->width);
            uint32_t k = 0;
            while (k < places && at[k] != place) k++;
            if (DUSK_MUTATE(LIKELIHOOD_COUNTS_BITS_TWICE, k < places, false)) continue;
            at[places++] = place;
            out[i] += bit(report + bytes, place) ? l->yes : l->no;
        }
    }
    out[n] = of_other_text(l, report + bytes, hashes);
    return true;
}

/* Of the coefficient 0 every place has one sign, of others half of them. */
static bool of_sign(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                    double *out)
{
    const dusk_client_task *task = &l->task;
    const uint64_t number = client_get(report, dusk_report_size(task)), at = number >> 1;
    if (at >= (uint64_t)task->rows * task->width) return false;
    const uint32_t row = (uint32_t)(at / task->width), coefficient = (uint32_t)(at % task->width);
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = client_place(task->seed, row, candidates[i], task->width);
        out[i] = client_parity(coefficient & place) == (number & 1) ? l->yes : l->no;
    }
    out[n] = coefficient > 0 ? log(0.5) : (number & 1) == 0 ? l->yes : l->no;
    return true;
}

bool local_likelihoods(const local_likelihood *l, const uint8_t *report, const uint64_t *candidates, size_t n,
                       double *out)
{
    switch (l->task.mechanism) {
    case DUSK_GRR: return of_answer(l, report, candidates, n, out);
    case DUSK_SUE:
    case DUSK_OUE: return of_map(l, report, candidates, n, out);
    case DUSK_HCMS: return of_sign(l, report, candidates, n, out);
    default: return of_filter(l, report, candidates, n, out);
    }
}
