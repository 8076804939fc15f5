/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_TEXT_H
#define DUSK_BASE_TEXT_H

/* Writing text into a buffer of the caller, without allocation: what does not
 * fit is counted, not written, and `overflow` says so. Numbers are written
 * with the fewest digits that read back as the same double. */

#include <stdbool.h>
#include <stddef.h>

typedef struct dusk_text {
    char *data;      /* always ends in '\0' when capacity > 0 */
    size_t capacity; /* bytes at data */
    size_t length;   /* bytes written, without the '\0' */
    bool overflow;
} dusk_text;

void dusk_text_init(dusk_text *text, char *data, size_t capacity);
void dusk_text_add(dusk_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shortest decimal that round-trips; "inf", "-inf", "nan" otherwise. */
void dusk_text_number(dusk_text *text, double x);
/* A JSON string with quotes and escapes, or null for NULL. */
void dusk_text_json_string(dusk_text *text, const char *s);
/* A JSON number, or null when x is not finite. */
void dusk_text_json_number(dusk_text *text, double x);

#endif
