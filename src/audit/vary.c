/* SPDX-License-Identifier: Apache-2.0 */
/* Local search for a worse pair of inputs: change one number of the difference, or shift one
 * number of both, keep what promises more. Every attempt has fresh draws; how the pair was
 * found plays no part in the bound. It ends after a fixed number of attempts, or when a round
 * of them brought nothing. */
#include <math.h>
#include <string.h>

#include "audit/coins.h"
#include "audit/select.h"
#include "base/memory.h"

enum { ATTEMPTS = 24, PATIENCE = 10, LEAST_DRAWS = 1 << 13 };

/* One change of (a, b) that keeps them neighbours. */
static void change(double *a, double *b, size_t length, dusk_distance distance, audit_coins *coins)
{
    size_t i = audit_below(coins, length);
    double step = (double)audit_below(coins, 3) - 1;
    if (audit_below(coins, 3) == 0) { /* both move */
        double shift = audit_below(coins, 2) ? 1 : -1;
        a[i] += shift;
        b[i] += shift;
    } else if (distance == DUSK_ALL_MOVE) {
        b[i] = a[i] + step;
    } else { /* the one that differs moves to another place, or turns */
        memcpy(b, a, length * sizeof *b);
        b[i] = a[i] + (step < 0 ? -1 : 1);
    }
}

dusk_status audit_vary(audit_selection *chosen, audit_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = job->sampler->input_length, n = audit_last_round(job), idle = 0;
    size_t few = n / 8 > LEAST_DRAWS ? n / 8 : LEAST_DRAWS;
    double *best = NULL, *next = NULL, now, tried;
    audit_coins coins = audit_coins_seeded(job->seed);
    bool better = false;
    if (few > n) few = n;
    if (length == 0) return DUSK_OK;
    DUSK_NEW(best, 2 * length);
    DUSK_NEW(next, 2 * length);
    memcpy(best, chosen->input[0], length * sizeof *best);
    memcpy(best + length, chosen->input[1], length * sizeof *best);
    const dusk_input_pair at = { { best, best + length }, "varied" },
                          beside = { { next, next + length }, "" };
    DUSK_TRY(audit_promise(&now, job, &at, few, err));
    for (int i = 0; i < ATTEMPTS && idle < PATIENCE; i++) {
        memcpy(next, best, 2 * length * sizeof *next);
        change(next, next + length, length, job->options->search, &coins);
        if (!memcmp(next, best, 2 * length * sizeof *next)) continue;
        DUSK_TRY(audit_promise(&tried, job, &beside, few, err));
        idle++;
        if (!(tried > now + 0.02 * fabs(now))) continue;
        memcpy(best, next, 2 * length * sizeof *next);
        now = tried;
        idle = 0;
        better = true;
    }
    if (better) {
        /* with all its draws the new pair must still promise more than the old one did */
        audit_selection found;
        DUSK_TRY(audit_select_well(&found, job, &at, err));
        if (found.event.forecast > chosen->event.forecast) {
            size_t given = chosen->pair;
            audit_selection_clear(chosen);
            *chosen = found;
            chosen->pair = given;
            chosen->varied = best;
            best = NULL;
        } else {
            audit_selection_clear(&found);
        }
    }
done:
    dusk_deallocate(best);
    dusk_deallocate(next);
    return status;
}
