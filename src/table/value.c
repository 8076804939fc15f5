/* SPDX-License-Identifier: Apache-2.0 */
/* Values out of text; see value.h. */
#include "table/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quick_number.h"
#include "base/text.h"
#include "table/calendar.h"
#include "table/schema.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void trim(const char **text, size_t *length)
{
    while (*length && is_blank(**text)) ++*text, --*length;
    while (*length && is_blank((*text)[*length - 1])) --*length;
}

bool table_read_integer(int64_t *out, const char *text, size_t length)
{
    trim(&text, &length);
    bool minus = length && *text == '-';
    if (length && (*text == '-' || *text == '+')) text++, length--;
    if (length == 0) return false;
    uint64_t limit = (uint64_t)INT64_MAX + minus, value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (limit - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = minus ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* Digits, at most one point, an exponent: what strtod reads besides (hexadecimal numbers, nan(7))
 * is nothing that a table should hold. */
static bool looks_decimal(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_digit(text[i]) && text[i] != '.' && text[i] != 'e' && text[i] != 'E' && text[i] != '-' &&
            text[i] != '+')
            return false;
    return length > 0;
}

bool table_read_real(double *out, const char *text, size_t length)
{
    trim(&text, &length);
    if (looks_decimal(text, length)) return dusk_quick_number(text, length, out);
    bool minus = length && *text == '-';
    if (length && (*text == '-' || *text == '+')) text++, length--;
    if (!table_same_name(text, length, "inf") && !table_same_name(text, length, "infinity")) return false;
    *out = minus ? -INFINITY : INFINITY;
    return true;
}

bool table_read_boolean(bool *out, const char *text, size_t length)
{
    static const char *const words[][2] = { { "false", "true" }, { "f", "t" },    { "0", "1" },
                                            { "no", "yes" },     { "off", "on" }, { "n", "y" } };
    trim(&text, &length);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int value = 0; value < 2; value++)
            if (table_same_name(text, length, words[i][value])) {
                *out = value;
                return true;
            }
    return false;
}

bool table_whole(int64_t *out, double x)
{
    double r = round(x);
    if (!(r >= -0x1p63 && r < 0x1p63)) return false;
    *out = (int64_t)r;
    return true;
}

static bool canonical_real(char out[TABLE_VALUE_MAX], const char *text, size_t length)
{
    dusk_text writer;
    double x;
    if (!table_read_real(&x, text, length)) return false;
    dusk_text_init(&writer, out, TABLE_VALUE_MAX);
    dusk_text_number(&writer, x + 0.0); /* -0 is 0 */
    return true;
}

bool table_canonical(char out[TABLE_VALUE_MAX], dusk_type type, const char *text, size_t length)
{
    int64_t whole;
    bool truth;
    table_time time;
    switch (type) {
    case DUSK_TYPE_INTEGER:
        if (!table_read_integer(&whole, text, length)) return false;
        snprintf(out, TABLE_VALUE_MAX, "%" PRId64, whole);
        return true;
    case DUSK_TYPE_REAL: return canonical_real(out, text, length);
    case DUSK_TYPE_BOOLEAN:
        if (!table_read_boolean(&truth, text, length)) return false;
        snprintf(out, TABLE_VALUE_MAX, "%s", truth ? "true" : "false");
        return true;
    case DUSK_TYPE_DATE:
        if (!table_read_time(&time, text, length)) return false;
        table_write_date(out, &time);
        return true;
    case DUSK_TYPE_TIMESTAMP:
        if (!table_read_time(&time, text, length)) return false;
        table_write_timestamp(out, &time);
        return true;
    case DUSK_TYPE_TEXT: break;
    }
    return false;
}
