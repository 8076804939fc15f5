/* SPDX-License-Identifier: Apache-2.0 */
/* Losses, example by example. */
#include "deep/loss.h"

#include "base/mutant.h"
#include "base/platform.h"

void deep_softmax(const deep_real *from, deep_real *to, size_t k)
{
    deep_real most = from[0], sum = 0;
    for (size_t j = 1; j < k; j++) most = from[j] > most ? from[j] : most;
    for (size_t j = 0; j < k; j++) {
        to[j] = deep_exp(from[j] - most);
        sum += to[j];
    }
    for (size_t j = 0; j < k; j++) to[j] /= sum;
}

static void mark_slopes(const deep_real *out, const int8_t *mark, deep_real *slope, size_t k)
{
    for (size_t j = 0; j < k; j++) slope[j] = mark[j] < 0 ? 0 : deep_sigmoid(out[j]) - (deep_real)mark[j];
}

/* Chances of classes, less what they are once the answer is known. */
static void answer_slopes(const deep_real *out, const deep_real *likelihood, deep_real *slope, size_t k)
{
    deep_real sum = 0;
    deep_softmax(out, slope, k);
    for (size_t j = 0; j < k; j++) sum += slope[j] * likelihood[j];
    for (size_t j = 0; j < k; j++) slope[j] -= slope[j] * likelihood[j] / sum;
}

/* Of which example the answer is that example i is to give: its own. */
static size_t wanted_by(size_t i, size_t examples)
{
    (void)examples;
    i = DUSK_MUTATE(DEEP_LOSS_OF_THE_ROW_BEFORE, i, i > 0 ? i - 1 : i);
    return DUSK_MUTATE(DEEP_LOSS_OF_THE_ROW_AFTER, i, i + 1 < examples ? i + 1 : i);
}

DUSK_PROVEN(deep_loss_slopes)
void deep_loss_slopes(deep_loss loss, deep_pass *pass, const deep_wanted *wanted)
{
    const size_t k = deep_size(pass->net->out);
    const deep_real *out = pass->value[pass->net->layers];
    deep_real *slope = pass->slope[pass->net->layers];
    for (size_t i = 0; i < pass->examples; i++, out += k, slope += k) {
        const size_t own = wanted_by(i, pass->examples);
        if (loss == DEEP_SOFTMAX) {
            deep_softmax(out, slope, k);
            slope[wanted->code[own]] -= 1;
            continue;
        }
        if (loss == DEEP_MARKS) {
            mark_slopes(out, wanted->mark + own * k, slope, k);
            continue;
        }
        if (loss == DEEP_ANSWER) {
            answer_slopes(out, wanted->number + own * k, slope, k);
            continue;
        }
        const deep_real *target = loss == DEEP_INPUT ? pass->value[0] + own * k : wanted->number + own * k;
        const deep_real share = loss == DEEP_INPUT ? 1 / (deep_real)k : 1;
        for (size_t j = 0; j < k; j++) slope[j] = (out[j] - target[j]) * share;
    }
}

DUSK_PROVEN(deep_loss_of)
double deep_loss_of(deep_loss loss, const deep_pass *pass, const deep_wanted *wanted, size_t i)
{
    const size_t k = deep_size(pass->net->out);
    const deep_real *out = pass->value[pass->net->layers] + i * k;
    double sum = 0, answered = 0;
    if (loss == DEEP_SOFTMAX || loss == DEEP_ANSWER) {
        double most = (double)out[0];
        for (size_t j = 1; j < k; j++) most = fmax(most, (double)out[j]);
        for (size_t j = 0; j < k; j++) sum += exp((double)out[j] - most);
        if (loss == DEEP_SOFTMAX) return log(sum) + most - (double)out[wanted->code[i]];
        for (size_t j = 0; j < k; j++)
            answered += exp((double)out[j] - most) * (double)wanted->number[i * k + j];
        return log(sum) - log(answered);
    }
    if (loss == DEEP_MARKS) {
        const int8_t *mark = wanted->mark + i * k;
        for (size_t j = 0; j < k; j++) {
            const double x = (double)out[j];
            if (mark[j] >= 0) sum += log1p(exp(-fabs(x))) + fmax(x, 0) - (mark[j] > 0 ? x : 0);
        }
        return sum;
    }
    const deep_real *target = loss == DEEP_INPUT ? pass->value[0] + i * k : wanted->number + i * k;
    for (size_t j = 0; j < k; j++)
        sum += ((double)out[j] - (double)target[j]) * ((double)out[j] - (double)target[j]);
    return sum / 2 / (loss == DEEP_INPUT ? (double)k : 1);
}
