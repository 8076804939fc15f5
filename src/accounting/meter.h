/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_METER_H
#define DUSK_ACCOUNTING_METER_H

/* What filters and odometers have in common: the running sums of what events
 * cost, and what a Renyi divergence says about (epsilon, delta) when events were
 * chosen by looking at earlier answers. All of it has a fixed size, whatever was
 * charged before. The proofs are in meter.proof.md. */

#include <stdbool.h>

#include "accounting/event.h"

/* Orders of an RDP meter: one in the middle and 16 on each side. */
#define DUSK_METER_SIDE 16
#define DUSK_METER_ORDERS (2 * DUSK_METER_SIDE + 1)

/* The slots of a price or a sum, by kind:
 *   basic  epsilon, delta
 *   zcdp   xi, rho
 *   rdp    the divergence at each order
 *   gdp    mu^2 */
typedef struct dusk_price {
    double slot[DUSK_METER_ORDERS];
} dusk_price;

/* What an event cost, at a delta. */
#define DUSK_METER_PRICED 8
typedef struct dusk_priced {
    bool known;
    double delta;
    dusk_price price;
    dusk_event event;
} dusk_priced;

typedef struct dusk_meter {
    dusk_filter_kind kind;
    dusk_neighbours neighbours;
    size_t slots;
    dusk_price sum;
    /* A divergence r at alpha[j] in all is worth the epsilon r + offset[j]. */
    size_t orders;
    double alpha[DUSK_METER_ORDERS], offset[DUSK_METER_ORDERS];
    /* The last few events that were priced, in a ring: charges that take turns are
     * priced once. */
    dusk_priced priced[DUSK_METER_PRICED];
    uint64_t pricings; /* how many were priced */
} dusk_meter;

/* Nothing is spent; no orders yet. DUSK_ERR_ARGUMENT for unknown kinds and
 * neighbours, and where `delta` is not one the kind can do with. */
DUSK_MUST_USE dusk_status dusk_meter_init(dusk_meter *meter, dusk_filter_kind kind, double delta,
                                          dusk_neighbours neighbours, dusk_error *err);

/* The order that is best for divergences that grow like alpha, for a target. Any
 * order is sound. */
double dusk_meter_best_order(double epsilon, double delta);
/* Which orders to use, the one given being in the middle. */
typedef enum dusk_orders {
    DUSK_ORDERS_ONE = 1, /* it alone, with all of delta; the others share delta */
    DUSK_ORDERS_NEAR,    /* dense about it, for the budget epsilon it was made for: an order
                            whose offset is all of epsilon is left out */
    DUSK_ORDERS_WIDE     /* a factor of 2^8 on each side, for any epsilon  */
} dusk_orders;
void dusk_meter_set_orders(dusk_meter *meter, dusk_orders orders, double middle, double delta,
                           double epsilon);

/* What the event costs. At delta 0 a basic meter takes the event's largest loss
 * and own delta; else its epsilon at delta, by the best accountant.
 * DUSK_ERR_UNSUPPORTED when it has no price of this kind. */
DUSK_MUST_USE dusk_status dusk_meter_price(dusk_price *out, dusk_meter *meter, const dusk_event *event,
                                           double delta, dusk_error *err);
/* The sum after one more price. */
dusk_price dusk_meter_after(const dusk_meter *meter, const dusk_price *price);
/* The divergence at order j that a sum of the kinds zcdp, rdp and gdp comes to. */
double dusk_meter_divergence_up(const dusk_meter *meter, const dusk_price *sum, size_t j);

#endif
