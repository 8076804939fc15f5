/* SPDX-License-Identifier: Apache-2.0 */
#include "accounting/order_search.h"

#include <math.h>
#include <stdbool.h>

#define LEAST (-14.0) /* ln s */
#define MOST 21.0
#define GOLDEN 0.61803398874989485

/* Golden sections of [a, b] in ln s until the ends are near. */
static double golden(dusk_order_price *price, const void *context, double a, double b, double near)
{
    double x = b - GOLDEN * (b - a), y = a + GOLDEN * (b - a);
    double at_x = price(exp(x), context), at_y = price(exp(y), context);
    double best = fmin(at_x, at_y);
    for (int i = 0; i < 60 && b - a > near; i++) {
        if (at_x <= at_y) {
            b = y;
            y = x;
            at_y = at_x;
            x = b - GOLDEN * (b - a);
            best = fmin(best, at_x = price(exp(x), context));
        } else {
            a = x;
            x = y;
            at_x = at_y;
            y = a + GOLDEN * (b - a);
            best = fmin(best, at_y = price(exp(y), context));
        }
    }
    return best;
}

double dusk_order_search(dusk_order_price *price, const void *context, unsigned effort)
{
    double step = (MOST - LEAST) / (effort - 1), best = INFINITY, at = LEAST;
    for (unsigned i = 0; i < effort; i++) {
        double x = LEAST + step * i, value = price(exp(x), context);
        if (value < best) {
            best = value;
            at = x;
        }
    }
    if (!(best < INFINITY)) at = 0;
    /* the price is flat at its bottom: half the digits of s are enough */
    return fmin(best, golden(price, context, at - step, at + step, 1e-6));
}

double dusk_order_descend(dusk_order_price *price, const void *context, double start)
{
    double x = fmin(fmax(log(start), LEAST), MOST), best = price(exp(x), context);
    for (int side = -1; side <= 1; side += 2) {
        bool moved = false;
        for (; x > LEAST && x < MOST; x += side, moved = true) {
            double next = price(exp(x + side), context);
            if (!(next < best)) break;
            best = next;
        }
        if (moved) break;
    }
    return fmin(best, golden(price, context, x - 1, x + 1, 1e-2));
}
