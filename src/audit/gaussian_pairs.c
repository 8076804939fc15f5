/* SPDX-License-Identifier: Apache-2.0 */
/* Two outputs of one call [Jin, McMurtry, Rubinstein & Ohrimenko 2022]: Box & Muller's and
 * the polar method turn two uniform numbers into two Gaussian ones, which are often given
 * out one after the other. Led back, from noise n1, n2 in units of sigma and r^2 = n1^2 +
 * n2^2,
 *     Box & Muller:  u1 = exp(-r^2/2),  u2 = angle / (2 pi) modulo 1;
 *     polar:         v_i = n_i exp(-r^2/4) / r,  v_i = 2 u_i - 1,
 * must both be near points of a lattice. As in laplace_support.c the cell says how near,
 * under either value, in units of what rounding does; the worse of the two counts. */
#include <float.h>
#include <math.h>

#include "audit/bits.h"

/* Noise of a pair in units of sigma, and what rounding may have done to it. */
typedef struct noise {
    long double n[2], error[2], square;
} noise;

static noise noise_of(const audit_bits *bits, const double *y, size_t i, unsigned side)
{
    noise out = { .square = 0 };
    for (size_t j = 0; j < 2; j++) {
        double centre = audit_bits_centre(bits, side, i + j);
        out.n[j] = ((long double)y[i + j] - centre) / bits->scale;
        out.error[j] =
            fabsl(out.n[j]) * (1.5L * DBL_EPSILON) + audit_sum_error(y[i + j], centre) / bits->scale;
        out.square += out.n[j] * out.n[j];
    }
    return out;
}

static unsigned worse(unsigned a, unsigned b) { return a > b ? a : b; }

static unsigned box_muller(const noise *z, const audit_lattice *lattice)
{
    static const long double turn = 2 * 3.141592653589793; /* as a double, which is what is used */
    long double u1 = expl(-z->square / 2), angle = atan2l(z->n[1], z->n[0]);
    if (angle < 0) angle += 2 * 3.14159265358979323846264338327950288L;
    long double u2 = angle / turn;
    long double moved = fabsl(z->n[0]) * z->error[0] + fabsl(z->n[1]) * z->error[1];
    long double turned = (fabsl(z->n[0]) * z->error[1] + fabsl(z->n[1]) * z->error[0]) / z->square / turn;
    return worse(audit_lattice_miss(lattice, u1, u1 * moved),
                 audit_lattice_miss(lattice, u2, turned + u2 * (DBL_EPSILON / 4)));
}

/* v = 2 u - 1 lies on the lattice of twice the step; u = k + 1/2 makes odd multiples. */
static unsigned polar(const noise *z, const audit_lattice *lattice)
{
    audit_lattice twice = { .step = 2 * lattice->step, .offset = lattice->offset };
    long double factor = expl(-z->square / 4) / sqrtl(z->square);
    long double moved = (fabsl(z->n[0]) * z->error[0] + fabsl(z->n[1]) * z->error[1]) *
                        (0.5L + 1 / z->square); /* of ln factor */
    unsigned miss = 0;
    for (size_t j = 0; j < 2; j++) {
        long double v = z->n[j] * factor;
        miss = worse(miss, audit_lattice_miss(&twice, v, z->error[j] * factor + fabsl(v) * moved));
    }
    return miss;
}

/* Forms 0 to 7 are Box & Muller's on the lattices, 8 to 15 polar. */
static unsigned pair_key(const audit_bits *bits, const double *y, size_t i, unsigned form)
{
    const audit_lattice *lattice = &audit_lattices[form % AUDIT_LATTICES];
    unsigned miss[2];
    for (unsigned side = 0; side < 2; side++) {
        noise z = noise_of(bits, y, i, side);
        if (!(z.square > 0 && z.square < 1e4L))
            miss[side] = 7;
        else
            miss[side] = form < AUDIT_LATTICES ? box_muller(&z, lattice) : polar(&z, lattice);
    }
    return miss[0] << 3 | miss[1];
}

static void say_pair(dusk_text *text, const audit_bits *bits, unsigned key, unsigned form)
{
    unsigned a = key >> 3, b = key & 7;
    (void)bits;
    dusk_text_add(text, "two outputs are a pair of the %s method with u = %s around %c, not %c",
                  form < AUDIT_LATTICES ? "Box-Muller" : "polar", audit_lattices[form % AUDIT_LATTICES].name,
                  a < b ? 'A' : 'B', a < b ? 'B' : 'A');
}

const audit_bits_feature audit_gaussian_pairs = {
    .family = "gaussian pair",
    .key = pair_key,
    .forms = 2 * AUDIT_LATTICES,
    .scaled = true,
    .paired = true,
    .say = say_pair,
};
