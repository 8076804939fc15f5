/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_FORMAT_H
#define DUSK_BASE_FORMAT_H

/* printf and strtod with a point in numbers, whatever locale the program has chosen that embeds the library: what is written here is read
 * again, by us and by others. Wherever a text with such a number is made or read in the library, this is what does it. */

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf. */
int dusk_format(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int dusk_format_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
/* As strtod; `end` may be NULL. */
double dusk_number_at(const char *text, char **end);

#endif
