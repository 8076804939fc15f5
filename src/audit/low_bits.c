/* SPDX-License-Identifier: Apache-2.0 */
/* Low-bit features: of any output, whatever made it. A sum of doubles ends where its larger
 * part ends: value 1 plus noise is a multiple of 2^-53 wherever it comes to lie, and value 0
 * plus noise is as fine as the noise [Mironov 2012; Haney et al. 2022, "precision-based
 * attacks"]. So the last bit that is set, by octave, of the output and of its differences
 * from both values; the digits that these take (24 for noise in single precision); whether
 * the output can be had as a rounded sum at all; its rest modulo 1, for grids that are no
 * powers of two.
 *
 * Cells say how the last bits of *one* output look. They do not know formulae: see
 * laplace_support.c and gaussian_pairs.c. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "audit/bits.h"

enum { NONE = 1 << 20 }; /* the last bit of zero, and of what is no number */

/* The exponent of the lowest bit that is set: x is an odd multiple of 2^that. */
static int last_bit(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    uint64_t digits = word & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(word >> 52 & 0x7ff);
    if (exponent == 0x7ff || x == 0) return NONE;
    if (exponent > 0)
        digits |= (uint64_t)1 << 52;
    else
        exponent = 1;
    return exponent - 1075 + __builtin_ctzll(digits);
}

static unsigned clip(int x, int low, unsigned last)
{
    return x <= low ? 0 : x - low >= (int)last ? last : (unsigned)(x - low);
}

/* Six bits: the place of the last bit below the value's exponent. */
static unsigned fineness(const audit_bits *bits, double x) { return clip(last_bit(x), bits->top - 58, 63); }

/* Six bits: from the first digit to the last, 0 for zero and for what is no number. */
static unsigned width(double x)
{
    int last = last_bit(x);
    return last == NONE ? 0 : clip(ilogb(x) - last + 1, 0, 63);
}

/* Seven bits: sign and octave, with cells for zero and for what is no number. */
static unsigned octave(const audit_bits *bits, double x)
{
    unsigned sign = signbit(x) ? 64 : 0;
    if (x == 0) return 0;
    if (!isfinite(x)) return 63 | (isnan(x) ? 0 : sign);
    return sign | (1 + clip(ilogb(x), bits->top - 36, 61));
}

/* Five bits: can y be a sum with either value, is the difference exact, is y even? */
static unsigned can_be_sum(double y, double a, double b)
{
    uint64_t word;
    memcpy(&word, &y, sizeof word);
    double less_a = y - a, less_b = y - b;
    return (less_a + a == y ? 1u : 0) | (less_b + b == y ? 2u : 0) | (y - less_a == a ? 4u : 0) |
           (y - less_b == b ? 8u : 0) | (unsigned)(word & 1) << 4;
}

/* Eight bits: where between two whole numbers. */
static unsigned rest(double y) { return isfinite(y) ? (unsigned)(int)floor((y - floor(y)) * 256) & 255 : 0; }

enum form { SIZE, LAST, LESS_A, LESS_B, LESS_BOTH, WIDTHS, OWN_WIDTH, SUM, REST, FORMS };

static unsigned low_bits_key(const audit_bits *bits, const double *y, size_t i, unsigned form)
{
    double x = y[i], a = audit_bits_centre(bits, 0, i), b = audit_bits_centre(bits, 1, i);
    switch ((enum form)form) {
    case SIZE: return octave(bits, x);
    case LAST: return octave(bits, x) << 6 | fineness(bits, x);
    case LESS_A: return octave(bits, x) << 6 | fineness(bits, x - a);
    case LESS_B: return octave(bits, x) << 6 | fineness(bits, x - b);
    case LESS_BOTH: return fineness(bits, x - a) << 6 | fineness(bits, x - b);
    case WIDTHS: return width(x - a) << 6 | width(x - b);
    case OWN_WIDTH: return width(x) << 6 | fineness(bits, x);
    case SUM: return octave(bits, x) << 5 | can_be_sum(x, a, b);
    case REST: return rest(x);
    case FORMS: break;
    }
    return 0;
}

/* The same of (output - value) / scale, which undoes the last step of most samplers. */
static unsigned scaled_key(const audit_bits *bits, const double *y, size_t i, unsigned form)
{
    double a = (y[i] - audit_bits_centre(bits, 0, i)) / bits->scale;
    double b = (y[i] - audit_bits_centre(bits, 1, i)) / bits->scale;
    audit_bits unit = { .top = 0 };
    return form == 0 ? fineness(&unit, a) << 6 | fineness(&unit, b) : width(a) << 6 | width(b);
}

/* --- words ------------------------------------------------------------------------------ */

static void say_octave(dusk_text *text, const audit_bits *bits, unsigned cell)
{
    unsigned place = cell & 63;
    const char *sign = cell & 64 ? "-" : "";
    if (place == 0)
        dusk_text_add(text, "output 0");
    else if (place == 63)
        dusk_text_add(text, "output is no finite number");
    else if (place == 1)
        dusk_text_add(text, "output near %s0", sign);
    else
        dusk_text_add(text, "output in %s2^%d..%s2^%d", sign, bits->top - 37 + (int)place, sign,
                      bits->top - 36 + (int)place);
}

static void say_last(dusk_text *text, const char *what, int top, unsigned cell)
{
    int place = top - 58 + (int)cell;
    if (cell == 63)
        dusk_text_add(text, "%s a multiple of 2^%d", what, place);
    else
        dusk_text_add(text, "%s an odd multiple of 2^%d%s", what, place, cell ? "" : " or finer");
}

static void say_sum(dusk_text *text, unsigned cell)
{
    dusk_text_add(text, "; %s be A + noise, %s be B + noise", cell & 1 ? "can" : "cannot",
                  cell & 2 ? "can" : "cannot");
}

static void say_low_bits(dusk_text *text, const audit_bits *bits, unsigned key, unsigned form)
{
    unsigned high = key >> 6, low = key & 63;
    switch ((enum form)form) {
    case SIZE: say_octave(text, bits, key); break;
    case LAST:
    case LESS_A:
    case LESS_B:
        say_octave(text, bits, high);
        say_last(text, form == LAST ? "," : form == LESS_A ? ", less A" : ", less B", bits->top, low);
        break;
    case LESS_BOTH:
        say_last(text, "output less A", bits->top, high);
        say_last(text, ", less B", bits->top, low);
        break;
    case WIDTHS: dusk_text_add(text, "output less A has %u digits, less B %u digits", high, low); break;
    case OWN_WIDTH:
        dusk_text_add(text, "output has %u digits", high);
        say_last(text, " and is", bits->top, low);
        break;
    case SUM:
        say_octave(text, bits, key >> 5);
        say_sum(text, key & 31);
        break;
    case REST: dusk_text_add(text, "output modulo 1 near %.3f", (key + 0.5) / 256); break;
    case FORMS: break;
    }
}

static void say_scaled(dusk_text *text, const audit_bits *bits, unsigned key, unsigned form)
{
    (void)bits;
    if (form == 0) {
        say_last(text, "noise / scale on A", 0, key >> 6);
        say_last(text, ", on B", 0, key & 63);
    } else
        dusk_text_add(text, "noise / scale has %u digits on A, %u on B", key >> 6, key & 63);
}

const audit_bits_feature audit_low_bits = {
    .family = "last bits",
    .key = low_bits_key,
    .forms = FORMS,
    .say = say_low_bits,
};

const audit_bits_feature audit_low_bits_scaled = {
    .family = "last bits",
    .key = scaled_key,
    .forms = 2,
    .scaled = true,
    .say = say_scaled,
};
