/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "accounting/filter.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

dusk_status dusk_odometer_new(dusk_odometer **out, dusk_filter_kind kind, double delta,
                              dusk_neighbours neighbours, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_odometer *odometer = NULL;
    *out = NULL;
    DUSK_NEW(odometer, 1);
    DUSK_TRY(dusk_meter_init(&odometer->meter, kind, delta, neighbours, err));
    odometer->delta = delta;
    /* The middle is right for an epsilon of 1; others are a few steps away. */
    if (kind != DUSK_FILTER_BASIC)
        dusk_meter_set_orders(&odometer->meter, DUSK_ORDERS_WIDE, dusk_meter_best_order(1, delta / 2), delta,
                              INFINITY);
    *out = odometer;
    odometer = NULL;
done:
    dusk_odometer_free(odometer);
    return status;
}

void dusk_odometer_free(dusk_odometer *odometer) { dusk_deallocate(odometer); }

dusk_status dusk_odometer_charge(dusk_odometer *odometer, const dusk_event *event, dusk_error *err)
{
    dusk_price price;
    dusk_status status = dusk_meter_price(&price, &odometer->meter, event, 0, err);
    if (status == DUSK_OK) odometer->meter.sum = dusk_meter_after(&odometer->meter, &price);
    return status;
}

DUSK_PROVEN(dusk_odometer_epsilon)
dusk_status dusk_odometer_epsilon(const dusk_odometer *odometer, double *epsilon, dusk_error *err)
{
    const dusk_meter *meter = &odometer->meter;
    (void)err;
    if (meter->kind == DUSK_FILTER_BASIC) {
        bool within = DUSK_MUTATE(ODOMETER_DELTA_NOT_COUNTED, meter->sum.slot[1] <= odometer->delta, true);
        *epsilon = within ? meter->sum.slot[0] : INFINITY;
        return DUSK_OK;
    }
    double least = INFINITY;
    for (size_t j = 0; j < meter->orders; j++) {
        double divergence = dusk_meter_divergence_up(meter, &meter->sum, j);
        double here = divergence > 0 ? dusk_add_up(divergence, meter->offset[j]) : 0;
        if (here < least) least = here;
    }
    *epsilon = least > 0 ? least : 0;
    return DUSK_OK;
}
