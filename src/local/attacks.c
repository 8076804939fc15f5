/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of liars, for simulations. */
#include <string.h>

#include "base/error.h"
#include "dusk/local_liars.h"
#include "local/attacks.h"
#include "local/protocol.h"
#include "local/valid.h"

/* Fair coins for `bits` bits. */
static int fair_bits(uint8_t *map, uint32_t bits, dusk_entropy *entropy)
{
    if (entropy->fill(entropy->context, map, (bits + 7) / 8)) return DUSK_CLIENT_NO_ENTROPY;
    if (bits % 8) map[bits / 8] &= (uint8_t)((1 << bits % 8) - 1);
    return DUSK_CLIENT_OK;
}

/* Any report, all as likely; of DBITFLIP any draw of buckets. -1: not known. */
static int any_report(const dusk_client_task *task, uint8_t *report, dusk_entropy *entropy)
{
    const uint64_t answers = local_answers(task);
    uint32_t high, low, bytes = client_bytes_for(task->rows);
    if (answers > UINT32_MAX) { /* OLH: hash functions, and answers */
        uint32_t answer;
        if (client_below(entropy, &high, task->rows) || client_below(entropy, &low, task->rows) ||
            client_below(entropy, &answer, task->width))
            return DUSK_CLIENT_NO_ENTROPY;
        client_put(report, ((uint64_t)high * task->rows + low) * task->width + answer,
                   dusk_report_size(task));
        return DUSK_CLIENT_OK;
    }
    if (answers > 0) {
        if (client_below(entropy, &low, (uint32_t)answers)) return DUSK_CLIENT_NO_ENTROPY;
        client_put(report, low, dusk_report_size(task));
        return DUSK_CLIENT_OK;
    }
    switch (task->mechanism) {
    case DUSK_SUE:
    case DUSK_OUE: return fair_bits(report, task->domain, entropy);
    case DUSK_SS: /* of a value by lot all sets are as likely */
        if (client_below(entropy, &low, task->domain)) return DUSK_CLIENT_NO_ENTROPY;
        return dusk_client_report(task, report, low, entropy);
    case DUSK_CMS:
    case DUSK_RAPPOR:
        if (client_below(entropy, &low, task->rows)) return DUSK_CLIENT_NO_ENTROPY;
        client_put(report, low, bytes);
        return fair_bits(report + bytes, task->width, entropy);
    case DUSK_DBITFLIP:
        if (dusk_client_report(task, report, 0, entropy)) return DUSK_CLIENT_NO_ENTROPY;
        return fair_bits(report + (size_t)task->width * client_bytes_for(task->domain), task->width, entropy);
    default: return -1;
    }
}

static dusk_status check_targets(const dusk_survey *survey, const local_protocol *protocol,
                                 const uint64_t *targets, size_t n, dusk_error *err)
{
    if (protocol->question != DUSK_ASKS_COUNTS) {
        if (n == 0) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give none: liars push the mean up",
                         "numbers have no targets");
    }
    if (n < 1 || n > LOCAL_TARGETS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 10", "liars push 1 to %d values",
                         LOCAL_TARGETS_MOST);
    for (size_t i = 0; i < n; i++) {
        if (!protocol->hashed && targets[i] >= survey->task.domain)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "values of the domain, from 0",
                             "target %llu is not in the domain", (unsigned long long)targets[i]);
        for (size_t j = 0; j < i; j++)
            if (targets[i] == targets[j])
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "give every value once",
                                 "target %llu is there twice", (unsigned long long)targets[i]);
    }
    return DUSK_OK;
}

/* An honest device with a target by lot, or with the highest number. */
static int input_report(const dusk_client_task *task, const uint64_t *targets, size_t n, uint8_t *report,
                        dusk_entropy *entropy)
{
    uint32_t which = 0;
    if (n == 0) return dusk_client_report(task, report, UINT32_MAX, entropy);
    if (client_below(entropy, &which, (uint32_t)n)) return DUSK_CLIENT_NO_ENTROPY;
    return dusk_client_report(task, report, targets[which], entropy);
}

dusk_status dusk_liar_report(const dusk_survey *survey, dusk_attack attack, const uint64_t *targets, size_t n,
                             uint8_t *report, dusk_entropy *entropy, dusk_error *err)
{
    const dusk_client_task *task = &survey->task;
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    const bool numbers = protocol->question != DUSK_ASKS_COUNTS, hides = attack == DUSK_ATTACK_HIDDEN;
    dusk_status status = DUSK_OK;
    int made = -1;
    DUSK_TRY(check_targets(survey, protocol, targets, n, err));
    switch (attack) {
    case DUSK_ATTACK_OUTPUT: made = any_report(task, report, entropy); break;
    case DUSK_ATTACK_INPUT: /* of several attributes targets are cells, and no value of a device */
        if (!protocol->several) made = input_report(task, targets, n, report, entropy);
        break;
    case DUSK_ATTACK_MAXIMAL:
    case DUSK_ATTACK_HIDDEN:
        if (hides && numbers)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                               "take the input attack: an honest device with the top",
                               "the best report of %s does not hide", protocol->name));
        if (protocol->craft) made = protocol->craft(task, targets, (uint32_t)n, hides, report, entropy);
        break;
    default:
        DUSK_TRY(
            dusk_fail(err, DUSK_ERR_ARGUMENT, "for example DUSK_ATTACK_MAXIMAL", "there is no such attack"));
    }
    if (made < 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take the input attack, or oue",
                           "it is not known how liars of %s attack", protocol->name));
    if (made != DUSK_CLIENT_OK) {
        client_zero(report, dusk_report_size(task));
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ENTROPY, "", "the random source failed"));
    }
done:
    return status;
}

static const struct {
    dusk_attack attack;
    const char *name;
} attacks[] = {
    { DUSK_ATTACK_OUTPUT, "output" },
    { DUSK_ATTACK_INPUT, "input" },
    { DUSK_ATTACK_MAXIMAL, "maximal" },
    { DUSK_ATTACK_HIDDEN, "hidden" },
};

dusk_status dusk_attack_find(dusk_attack *out, const char *name, dusk_error *err)
{
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        if (!strcmp(attacks[i].name, name)) {
            *out = attacks[i].attack;
            return DUSK_OK;
        }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "output, input, maximal or hidden",
                     "there is no attack \"%.30s\"", name);
}
