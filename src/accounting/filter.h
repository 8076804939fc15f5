/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_FILTER_H
#define DUSK_ACCOUNTING_FILTER_H

/* The inside of filters and odometers. */

#include "accounting/meter.h"

struct dusk_filter {
    dusk_meter meter;
    /* basic  epsilon and delta: both must hold
     * gdp    mu^2
     * zcdp, rdp  a divergence for each order: one must hold; not negative */
    double budget[DUSK_METER_ORDERS];
};

struct dusk_odometer {
    dusk_meter meter;
    double delta;
};

#endif
