/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_QUICK_NUMBER_H
#define DUSK_BASE_QUICK_NUMBER_H

/* Numbers of which there are millions: the same double as strtod in the C locale, sooner. */

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole of text[0 .. length) is a number: decimal or hexadecimal, nan or inf. */
bool dusk_quick_number(const char *text, size_t length, double *out);

#endif
