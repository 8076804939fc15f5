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

/* The promise of a pair with n draws of each kind. */
static dusk_status promise(double *out, audit_job *job, const double *a, const double *b, size_t n,
                           dusk_error *err)
{
    audit_selection tried;
    const dusk_input_pair pair = { { a, b }, "varied" };
    dusk_status status = audit_select_set(&tried, job, &pair, n, err);
    if (status != DUSK_OK) return status;
    *out = tried.event.forecast;
    audit_selection_clear(&tried);
    return DUSK_OK;
}

dusk_status audit_vary(audit_selection *chosen, audit_job *job, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = job->sampler->input_length, few = n / 8 > LEAST_DRAWS ? n / 8 : LEAST_DRAWS, idle = 0;
    double *best = NULL, *next = NULL, now, tried;
    audit_coins coins = audit_coins_seeded(job->seed);
    bool better = false;
    if (few > n) few = n;
    if (length == 0) return DUSK_OK;
    DUSK_NEW(best, 2 * length);
    DUSK_NEW(next, 2 * length);
    memcpy(best, chosen->input[0], length * sizeof *best);
    memcpy(best + length, chosen->input[1], length * sizeof *best);
    DUSK_TRY(promise(&now, job, best, best + length, few, err));
    for (int i = 0; i < ATTEMPTS && idle < PATIENCE; i++) {
        memcpy(next, best, 2 * length * sizeof *next);
        change(next, next + length, length, job->options->search, &coins);
        if (!memcmp(next, best, 2 * length * sizeof *next)) continue;
        DUSK_TRY(promise(&tried, job, next, next + length, few, err));
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
        const dusk_input_pair pair = { { best, best + length }, "varied" };
        DUSK_TRY(audit_select_set(&found, job, &pair, n, err));
        if (found.event.forecast > chosen->event.forecast) {
            size_t at = chosen->pair;
            audit_selection_clear(chosen);
            *chosen = found;
            chosen->pair = at;
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
