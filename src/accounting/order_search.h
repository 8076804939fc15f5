/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_ORDER_SEARCH_H
#define DUSK_ACCOUNTING_ORDER_SEARCH_H

/* The least value of a function of s = alpha - 1 over (0, inf), as far as it is
 * found: `effort` points on a logarithmic scale from 1e-6 to 1e9, then golden
 * sections around the best of them. Every value it returns was taken somewhere. */
typedef double dusk_order_price(double s, const void *context);
double dusk_order_search(dusk_order_price *price, const void *context, unsigned effort);
/* The same with few looks: downhill from `start`, for a price that costs much. */
double dusk_order_descend(dusk_order_price *price, const void *context, double start);

#endif
