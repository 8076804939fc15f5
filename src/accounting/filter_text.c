/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a filter as text, for files, and a charge in steps. Nothing is rounded: a
 * filter that is read back goes on with the same bits. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "accounting/filter.h"

enum { DIGITS = 16 };

dusk_status dusk_filter_price(dusk_filter *filter, dusk_price *out, const dusk_event *event, double delta,
                              dusk_error *err)
{
    return dusk_meter_price(out, &filter->meter, event, delta, err);
}

void dusk_filter_add(dusk_filter *filter, const dusk_price *price)
{
    filter->meter.sum = dusk_meter_after(&filter->meter, price);
}

void dusk_filter_clear(dusk_filter *filter) { filter->meter.sum = (dusk_price){ { 0 } }; }

dusk_status dusk_filter_epsilon_up(const dusk_filter *filter, double *out, double delta, dusk_error *err)
{
    dusk_odometer odometer = { .meter = filter->meter, .delta = delta };
    /* The sums of zcdp and gdp are for all orders; those of rdp for the filter's own, whose
     * offsets share delta as an odometer's do. */
    if (filter->meter.kind != DUSK_FILTER_RDP)
        dusk_meter_set_orders(&odometer.meter, DUSK_ORDERS_WIDE, dusk_meter_best_order(1, delta / 2), delta,
                              INFINITY);
    return dusk_odometer_epsilon(&odometer, out, err);
}

static void write_bits(dusk_text *text, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    dusk_text_add(text, "%016" PRIx64, bits);
}

/* A number that is at least 0, +inf included. */
static bool read_bits(double *out, const char **at)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = 0;
    for (int i = 0; i < DIGITS; i++, (*at)++) {
        const char *digit = **at ? strchr(digits, **at) : NULL;
        if (!digit) return false;
        bits = bits << 4 | (uint64_t)(digit - digits);
    }
    memcpy(out, &bits, sizeof bits);
    return bits >> 63 == 0 && *out >= 0;
}

static bool take(const char **at, char c)
{
    if (**at != c) return false;
    (*at)++;
    return true;
}

void dusk_price_write(const dusk_filter *filter, const dusk_price *price, dusk_text *text)
{
    for (size_t i = 0; i < filter->meter.slots; i++) {
        if (i > 0) dusk_text_add(text, " ");
        write_bits(text, price->slot[i]);
    }
}

void dusk_filter_write(const dusk_filter *filter, dusk_text *text)
{
    const dusk_meter *meter = &filter->meter;
    if (meter->kind != DUSK_FILTER_RDP) {
        dusk_price_write(filter, &meter->sum, text);
        return;
    }
    for (size_t i = 0; i < meter->slots; i++) {
        if (i > 0) dusk_text_add(text, " ");
        write_bits(text, meter->alpha[i]);
        dusk_text_add(text, ":");
        write_bits(text, meter->sum.slot[i]);
    }
}

bool dusk_slots_read(dusk_slots *out, const char *text, bool with_orders)
{
    dusk_slots slots = { .count = 0 };
    do {
        if (slots.count == DUSK_METER_ORDERS) return false;
        if (with_orders && (!read_bits(&slots.order.slot[slots.count], &text) || !take(&text, ':')))
            return false;
        if (!read_bits(&slots.value.slot[slots.count], &text)) return false;
        slots.count++;
    } while (take(&text, ' '));
    if (*text) return false;
    *out = slots;
    return true;
}

bool dusk_price_read(const dusk_filter *filter, dusk_price *out, const char *text)
{
    dusk_slots slots;
    if (!dusk_slots_read(&slots, text, false) || slots.count != filter->meter.slots) return false;
    *out = slots.value;
    return true;
}

bool dusk_filter_read(dusk_filter *filter, bool *other_orders, const char *text)
{
    dusk_meter *meter = &filter->meter;
    dusk_slots slots;
    bool is_rdp = meter->kind == DUSK_FILTER_RDP;
    *other_orders = false;
    if (!dusk_slots_read(&slots, text, is_rdp) || (!is_rdp && slots.count != meter->slots)) return false;
    if (is_rdp)
        *other_orders = slots.count != meter->orders ||
                        memcmp(slots.order.slot, meter->alpha, slots.count * sizeof *meter->alpha) != 0;
    if (!*other_orders) meter->sum = slots.value;
    return true;
}
