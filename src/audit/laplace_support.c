/* SPDX-License-Identifier: Apache-2.0 */
/* Which outputs can -b ln u give, u on a lattice? [Mironov 2012, section 4.2] A sampler of
 * Laplace noise by the inverse of its distribution function, by a sign and an exponential
 * number, with 1 - u or 2 u for u: the noise n is always b ln t for some t on a lattice, up to
 * the rounding of the logarithm, of the product and of the sum. Led back, t = exp(-|n| / b)
 * must be near a point of the lattice; how near, in units of that rounding, under either
 * value, is the cell. Outputs that are near under one value and far under the other give it
 * away; which distances are near is seen on the draws, so that nothing need be known of the
 * library's logarithm.
 *
 * The difference of two exponential numbers has no such lattice; low_bits.c sees it. */
#include <float.h>
#include <math.h>

#include "audit/bits.h"

/* 2^-53 is what most generators do; twice that for 1 - 2|u - 1/2|; whole words of 32 bits;
 * odd multiples of half a step for those that avoid zero. */
const audit_lattice audit_lattices[AUDIT_LATTICES] = {
    { 0x1p-53, 0, "k 2^-53" },         { 0x1p-52, 0, "k 2^-52" },         { 0x1p-53, 0.5, "(k+1/2) 2^-53" },
    { 0x1p-52, 0.5, "(k+1/2) 2^-52" }, { 0x1p-32, 0, "k 2^-32" },         { 0x1p-31, 0, "k 2^-31" },
    { 0x1p-32, 0.5, "(k+1/2) 2^-32" }, { 0x1p-31, 0.5, "(k+1/2) 2^-31" },
};

unsigned audit_lattice_miss(const audit_lattice *lattice, long double u, long double error)
{
    static const long double limits[] = { 0.25L, 0.5L, 0.75L, 1, 1.5L, 3, 10 };
    long double place = u / lattice->step - lattice->offset;
    long double miss = fabsl(place - rintl(place)), unit = error / lattice->step;
    unsigned level = 0;
    if (!isfinite(place)) return 7;
    while (level < 7 && miss > limits[level] * unit) level++;
    return level;
}

double audit_sum_error(double y, double centre)
{
    if (centre == 0) return 0;
    double size = fabs(y);
    return (nextafter(size, INFINITY) - size) / 2;
}

/* Three bits: how far off the lattice under one value. */
static unsigned miss_of(const audit_bits *bits, double y, double centre, const audit_lattice *lattice)
{
    long double noise = fabsl((long double)y - centre), scale = bits->scale;
    long double t = expl(-noise / scale);
    long double error = noise * DBL_EPSILON + audit_sum_error(y, centre);
    return audit_lattice_miss(lattice, t, t * error / scale);
}

static unsigned support_key(const audit_bits *bits, const double *y, size_t i, unsigned form)
{
    const audit_lattice *lattice = &audit_lattices[form];
    return miss_of(bits, y[i], audit_bits_centre(bits, 0, i), lattice) << 3 |
           miss_of(bits, y[i], audit_bits_centre(bits, 1, i), lattice);
}

static void say_miss(dusk_text *text, const audit_bits *bits, unsigned key, unsigned form)
{
    unsigned a = key >> 3, b = key & 7;
    (void)bits;
    dusk_text_add(text, "-b ln u with u = %s gives the output from %c, not from %c",
                  audit_lattices[form].name, a < b ? 'A' : 'B', a < b ? 'B' : 'A');
}

const audit_bits_feature audit_laplace_support = {
    .family = "laplace support",
    .key = support_key,
    .forms = AUDIT_LATTICES,
    .scaled = true,
    .say = say_miss,
};
