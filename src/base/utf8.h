/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_UTF8_H
#define DUSK_BASE_UTF8_H

/* UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at text[0], of which `length` bytes may be read; 0 when there is none. */
size_t dusk_utf8_size(const char *text, size_t length);
/* Whether all of text[0 .. length) is UTF-8. */
bool dusk_utf8_valid(const char *text, size_t length);
/* Copy in[0 .. length) to `out`, which has room for 3 length bytes, with U+FFFD for NUL and for every byte
 * that begins no character; how many bytes were written. */
size_t dusk_utf8_repair(char *out, const char *in, size_t length);

#endif
