/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a limit: the largest charge of the form approx(epsilon, delta) that would still
 * be accepted. It is found by trying, on copies, so that it is accepted indeed. */
#include <string.h>

#include "base/memory.h"
#include "ledger/balance.h"

/* Copies of one or two filters, so that trying leaves no trace in what they remember. */
typedef struct trial {
    dusk_filter *filter[2];
    size_t n;
    bool with_delta;    /* basic; the others price pure(epsilon) */
    dusk_error said;    /* by the last that failed */
    dusk_status status; /* DUSK_OK as long as nothing went wrong */
} trial;

static bool accepts(trial *t, double epsilon, double delta)
{
    dusk_event event;
    dusk_status status = t->with_delta ? dusk_event_approx(&event, epsilon, delta, &t->said)
                                       : dusk_event_pure(&event, epsilon, &t->said);
    for (size_t i = 0; i < t->n && status == DUSK_OK; i++) {
        dusk_price price;
        status = dusk_filter_price(t->filter[i], &price, &event, 0, &t->said);
        if (status == DUSK_OK && !dusk_filter_fits(t->filter[i], &price)) return false;
    }
    /* No price is no room. */
    if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED && t->status == DUSK_OK) t->status = status;
    return status == DUSK_OK;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The largest x up to `most` for which (x, delta) or, of deltas, (0, x) is accepted; 0 is. The bits
 * of numbers from 0 on are in their order. */
static double largest(trial *t, double most, double delta, bool of_deltas)
{
    uint64_t low = 0, high = bits_of(most);
    if (of_deltas ? accepts(t, 0, most) : accepts(t, most, delta)) return most;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        double x = of_bits(middle);
        if (of_deltas ? accepts(t, 0, x) : accepts(t, x, delta))
            low = middle;
        else
            high = middle;
    }
    return of_bits(low);
}

static dusk_status copy(trial *t, const dusk_filter *filter, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(t->filter[t->n], 1);
    *t->filter[t->n++] = *filter;
done:
    return status;
}

dusk_status ledger_left(dusk_budget *out, const ledger_filter *total, const ledger_filter *own,
                        dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_budget left = { 0, 0 }, most = total->limit;
    trial t = { .with_delta = total->filter->meter.kind == DUSK_FILTER_BASIC };
    DUSK_TRY(copy(&t, total->filter, err));
    if (own) {
        DUSK_TRY(copy(&t, own->filter, err));
        if (own->limit.epsilon < most.epsilon) most.epsilon = own->limit.epsilon;
        if (own->limit.delta < most.delta) most.delta = own->limit.delta;
    }
    if (accepts(&t, 0, 0)) {
        if (t.with_delta) left.delta = largest(&t, most.delta, 0, true);
        left.epsilon = largest(&t, most.epsilon, left.delta, false);
    }
    status = t.status;
    if (status == DUSK_OK)
        *out = left;
    else if (err)
        *err = t.said;
done:
    for (size_t i = 0; i < 2; i++) dusk_deallocate(t.filter[i]);
    return status;
}
