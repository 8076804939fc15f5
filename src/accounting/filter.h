/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_FILTER_H
#define DUSK_ACCOUNTING_FILTER_H

/* The inside of filters and odometers, and what whoever keeps a filter on disk needs:
 * its sums as text, and a charge in steps. */

#include "accounting/meter.h"
#include "base/text.h"

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

/* Filters whose charges together keep a promise of one kind, for whoever composes it with others: rdp(alpha: most),
 * a Renyi divergence of at most `most` at one order alpha > 1; and gdp(mu). They have no epsilon. */
DUSK_MUST_USE dusk_status dusk_filter_new_renyi(dusk_filter **out, double alpha, double most,
                                                dusk_neighbours neighbours, dusk_error *err);
DUSK_MUST_USE dusk_status dusk_filter_new_gdp(dusk_filter **out, double mu, dusk_neighbours neighbours,
                                              dusk_error *err);
/* What is left, rounded down: a divergence, or mu^2. Of these two. */
double dusk_filter_left_down(const dusk_filter *filter);

/* A charge in steps. dusk_filter_charge is: price, fits, add; whoever adds a price that does
 * not fit has to refuse all that comes after it, and dusk_filter_fits then does. */
DUSK_MUST_USE dusk_status dusk_filter_price(dusk_filter *filter, dusk_price *out, const dusk_event *event,
                                            double delta, dusk_error *err);
bool dusk_filter_fits(const dusk_filter *filter, const dusk_price *price);
void dusk_filter_add(dusk_filter *filter, const dusk_price *price);
/* dusk_filter_spent without its end at 1; +inf when something was spent of nothing. */
double dusk_filter_share_up(const dusk_filter *filter);
/* What was spent, as an epsilon at the delta of the budget that the filter was made with: valid at
 * any time, as an odometer's is. Not for basic. */
DUSK_MUST_USE dusk_status dusk_filter_epsilon_up(const dusk_filter *filter, double *out, double delta,
                                                 dusk_error *err);

/* Text forms of sums and prices: the bits of each number in 16 hexadecimal digits, blanks
 * between; in sums of kind rdp each behind its order and a colon. What is written reads back as
 * the same bits. The readers take any text, change nothing on failure, and answer false for
 * what no writer wrote for this kind: a number that is negative or no number, another count. */
#define DUSK_FILTER_TEXT_MAX (34 * DUSK_METER_ORDERS + 1)
void dusk_filter_write(const dusk_filter *filter, dusk_text *text);
void dusk_price_write(const dusk_filter *filter, const dusk_price *price, dusk_text *text);
bool dusk_price_read(const dusk_filter *filter, dusk_price *out, const char *text);
/* The numbers alone, of sums or of a price, for whoever has no filter; orders are of sums of kind rdp. */
typedef struct dusk_slots {
    size_t count;
    dusk_price order, value;
} dusk_slots;
bool dusk_slots_read(dusk_slots *out, const char *text, bool with_orders);
/* *other_orders: the text is well formed, but its sums are for orders that this filter does not
 * have (mathematical libraries differ in last digits); the filter is as it was. */
bool dusk_filter_read(dusk_filter *filter, bool *other_orders, const char *text);
/* Nothing is spent. */
void dusk_filter_clear(dusk_filter *filter);

#endif
