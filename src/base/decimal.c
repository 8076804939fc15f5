/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals with a direction; see decimal.h. printf writes a double exactly when
 * it is asked for enough digits, and then rounding is a matter of characters. */
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mutant.h"

#define EXACT_DIGITS 800 /* a double has at most 767 significant ones */

/* d1.d2 d3 ... times 10^exponent. */
typedef struct decimal {
    char digit[EXACT_DIGITS + 2];
    int count;
    int exponent;
    bool negative;
} decimal;

/* What printf says of x with so many digits. */
static void expand(decimal *out, double x, int digits)
{
    char text[EXACT_DIGITS + 32];
    dusk_format(text, sizeof text, "%.*e", digits - 1, fabs(x));
    const char *e = strchr(text, 'e');
    *out = (decimal){ .negative = x < 0, .exponent = e ? (int)strtol(e + 1, NULL, 10) : 0 };
    for (const char *c = text; c < e; c++)
        if (*c >= '0' && *c <= '9') out->digit[out->count++] = *c;
}

static void trim(decimal *x)
{
    while (x->count > 1 && x->digit[x->count - 1] == '0') x->count--;
}

/* Keep `digits` of them; away from zero when anything is cut off and `away`. */
static void cut(decimal *x, int digits, bool away)
{
    trim(x);
    if (x->count <= digits) return;
    x->count = digits;
    if (away) {
        int i = digits - 1;
        while (i >= 0 && x->digit[i] == '9') x->digit[i--] = '0';
        if (i >= 0) {
            x->digit[i]++;
        } else {
            x->digit[0] = '1';
            x->exponent++;
        }
    }
    trim(x);
}

static void write_plain(char text[DUSK_DECIMAL_SIZE], const decimal *x)
{
    char *at = text;
    if (x->negative) *at++ = '-';
    if (x->exponent < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > x->exponent; i--) *at++ = '0';
    }
    for (int i = 0; i < x->count; i++) {
        if (x->exponent >= 0 && i == x->exponent + 1) *at++ = '.';
        *at++ = x->digit[i];
    }
    for (int i = x->count; i <= x->exponent; i++) *at++ = '0';
    *at = '\0';
}

static void write_scientific(char text[DUSK_DECIMAL_SIZE], const decimal *x)
{
    snprintf(text, DUSK_DECIMAL_SIZE, "%s%c%s%.*se%d", x->negative ? "-" : "", x->digit[0],
             x->count > 1 ? "." : "", x->count - 1, x->digit + 1, x->exponent);
}

static void put(char text[DUSK_DECIMAL_SIZE], const decimal *x)
{
    if (x->exponent >= -4 && x->exponent <= 15)
        write_plain(text, x);
    else
        write_scientific(text, x);
}

static bool put_word(char text[DUSK_DECIMAL_SIZE], double x)
{
    if (isfinite(x) && x != 0) return false;
    snprintf(text, DUSK_DECIMAL_SIZE, "%s",
             x == 0     ? "0"
             : isnan(x) ? "nan"
             : x > 0    ? "infinity"
                        : "-infinity");
    return true;
}

/* The digits of the shortest form. */
static void shorten(decimal *out, double x)
{
    char text[40];
    int digits = 1;
    for (; digits < 17; digits++) {
        dusk_format(text, sizeof text, "%.*e", digits - 1, x);
        if (dusk_number_at(text, NULL) == x) break;
    }
    expand(out, x, digits);
    trim(out);
}

void dusk_decimal(char text[DUSK_DECIMAL_SIZE], double x)
{
    decimal it;
    if (put_word(text, x)) return;
    shorten(&it, x);
    put(text, &it);
}

static void directed(char text[DUSK_DECIMAL_SIZE], double x, int digits, bool away)
{
    decimal it;
    if (put_word(text, x)) return;
    shorten(&it, x);
    if (it.count > digits) {
        expand(&it, x, DUSK_MUTATE(BOUND_SHOWN_TO_NEAREST, EXACT_DIGITS, digits));
        cut(&it, digits, away);
    }
    put(text, &it);
}

void dusk_decimal_up(char text[DUSK_DECIMAL_SIZE], double x, int digits) { directed(text, x, digits, x > 0); }

void dusk_decimal_down(char text[DUSK_DECIMAL_SIZE], double x, int digits)
{
    directed(text, x, digits, x < 0);
}

dusk_shown dusk_shown_up(double x, int digits)
{
    dusk_shown shown;
    dusk_decimal_up(shown.text, x, digits);
    return shown;
}

dusk_shown dusk_shown_down(double x, int digits)
{
    dusk_shown shown;
    dusk_decimal_down(shown.text, x, digits);
    return shown;
}

void dusk_decimal_percent(char text[DUSK_DECIMAL_SIZE], double confidence)
{
    double percent = 100 * confidence, slack = 1e-3 * (100 - percent);
    decimal it;
    int digits = 6;
    if (put_word(text, percent)) return;
    for (; digits < 17; digits++) {
        dusk_format(text, DUSK_DECIMAL_SIZE, "%.*e", digits - 1, percent);
        if (dusk_number_at(text, NULL) <= percent + slack) break;
    }
    expand(&it, percent, digits);
    trim(&it);
    put(text, &it);
}
