/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of text; see quick_number.h. Up to 19 digits are one whole number m, to be
 * multiplied by a power of ten. Where m and the power are doubles that is one operation,
 * rounded once [Clinger 1990]. Where they are numbers of 64 bits it is one operation of
 * those, rounded a second time to 53 bits, which is right unless the first result lies half
 * way between two doubles: there, and for everything else, strtod is asked. */
#include "base/quick_number.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/format.h"
#include "base/mutant.h"

#define DIGITS_MAX 19 /* of a whole number that fits 64 bits */
#define SLOW_MAX 800  /* bytes; no double needs more digits */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool slow_number(const char *text, size_t length, double *out)
{
    char copy[SLOW_MAX + 1], *end = NULL;
    if (length == 0 || length > SLOW_MAX || (text[0] >= '\t' && text[0] <= ' ')) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    double x = dusk_number_at(copy, &end);
    if (end != copy + length) return false;
    *out = x;
    return true;
}

#if LDBL_MANT_DIG == 64
/* m 10^exponent for |exponent| <= 27, where powers of ten have 64 bits; false in doubt. */
static bool wide_number(uint64_t m, int exponent, double *out)
{
    static const long double powers[] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                          1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                          1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                          1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L };
    uint64_t bits;
    if (exponent < -27 || exponent > 27) return false;
    long double x = exponent < 0 ? (long double)m / powers[-exponent] : (long double)m * powers[exponent];
    memcpy(&bits, &x, sizeof bits); /* the significand comes first in memory */
    if (DUSK_MUTATE(QUICK_NUMBER_ROUNDED_TWICE, (bits & 0x7FF) == 0x400, false)) return false;
    *out = (double)x;
    return true;
}
#else
static bool wide_number(uint64_t m, int exponent, double *out)
{
    (void)m, (void)exponent, (void)out;
    return false;
}
#endif

/* m 10^exponent without a rounding before the last. */
static bool exact_number(uint64_t m, int exponent, double *out)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (m == 0) {
        *out = 0;
        return true;
    }
    if (m > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) return wide_number(m, exponent, out);
    *out = exponent < 0 ? (double)m / powers[-exponent] : (double)m * powers[exponent];
    return true;
}

/* "e-12" at *at: added to *exponent. False when it is malformed or far too large. */
static bool read_exponent(const char **at, const char *end, int *exponent)
{
    const char *p = *at + 1;
    bool minus = p < end && *p == '-';
    int e = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || end - p > 4) return false;
    for (; p < end && is_digit(*p); p++) e = 10 * e + (*p - '0');
    *exponent += minus ? -e : e;
    *at = p;
    return true;
}

bool dusk_quick_number(const char *text, size_t length, double *out)
{
    const char *p = text, *end = text + length;
    uint64_t m = 0;
    int exponent = 0;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    for (; p < end && is_digit(*p); p++) m = 10 * m + (uint64_t)(*p - '0');
    long digits = p - first;
    if (p < end && *p == '.') {
        const char *point = ++p;
        for (; p < end && is_digit(*p); p++) m = 10 * m + (uint64_t)(*p - '0');
        exponent = -(int)(p - point);
        digits += p - point;
    }
    if (digits == 0 || digits > DIGITS_MAX) return slow_number(text, length, out);
    if (p < end && (*p == 'e' || *p == 'E') && !read_exponent(&p, end, &exponent))
        return slow_number(text, length, out);
    if (p != end || !exact_number(m, exponent, out)) return slow_number(text, length, out);
    if (minus) *out = -*out;
    return true;
}
