/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8; see utf8.h. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t dusk_utf8_size(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    if (length == 0) return 0;
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (n > length) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return n;
}

/* The first byte at or after `at` that is not ASCII; eight are looked at together. */
static size_t skip_ascii(const char *text, size_t at, size_t length)
{
    for (; length - at >= 8; at += 8) {
        uint64_t eight;
        memcpy(&eight, text + at, sizeof eight);
        if (eight & 0x8080808080808080u) break;
    }
    while (at < length && (unsigned char)text[at] < 0x80) at++;
    return at;
}

bool dusk_utf8_valid(const char *text, size_t length)
{
    for (size_t at = skip_ascii(text, 0, length); at < length; at = skip_ascii(text, at, length)) {
        size_t n = dusk_utf8_size(text + at, length - at);
        if (n == 0) return false;
        at += n;
    }
    return true;
}

size_t dusk_utf8_repair(char *out, const char *in, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t size = in[i] ? dusk_utf8_size(in + i, length - i) : 0;
        memcpy(out + used, size ? in + i : "\xEF\xBF\xBD", size ? size : 3);
        used += size ? size : 3;
        i += size ? size : 1;
    }
    return used;
}
