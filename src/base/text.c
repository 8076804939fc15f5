/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded text writing; see text.h. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

void dusk_text_init(dusk_text *text, char *data, size_t capacity)
{
    *text = (dusk_text){ .data = data, .capacity = capacity };
    if (capacity) data[0] = '\0';
}

void dusk_text_add(dusk_text *text, const char *format, ...)
{
    size_t room = text->capacity - text->length;
    va_list args;
    va_start(args, format);
    int n = dusk_format_list(room ? text->data + text->length : NULL, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room) {
        text->overflow = true;
        text->length = text->capacity ? text->capacity - 1 : 0;
    } else {
        text->length += (size_t)n;
    }
}

void dusk_text_number(dusk_text *text, double x)
{
    char digits[400];
    int precision = 1, exponent = 0;
    for (; precision <= 17; precision++) {
        dusk_format(digits, sizeof digits, "%.*e", precision - 1, x);
        if (dusk_number_at(digits, NULL) == x) break;
    }
    const char *e = strchr(digits, 'e');
    if (e) exponent = (int)strtol(e + 1, NULL, 10);
    if (!isfinite(x) || exponent < -5 || exponent > 15)
        dusk_format(digits, sizeof digits, "%.*g", precision, x); /* 1e-06, 3.2e+40 */
    else
        dusk_format(digits, sizeof digits, "%.*f", precision - 1 > exponent ? precision - 1 - exponent : 0,
                    x);
    dusk_text_add(text, "%s", digits);
}

void dusk_text_json_number(dusk_text *text, double x)
{
    if (isfinite(x))
        dusk_text_number(text, x);
    else
        dusk_text_add(text, "null");
}

void dusk_text_json_string(dusk_text *text, const char *s)
{
    if (!s) {
        dusk_text_add(text, "null");
        return;
    }
    dusk_text_add(text, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            dusk_text_add(text, "\\%c", c);
        else if (c < 0x20)
            dusk_text_add(text, "\\u%04x", c);
        else
            dusk_text_add(text, "%c", c);
    }
    dusk_text_add(text, "\"");
}
