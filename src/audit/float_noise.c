/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of doubles, as in textbooks and libraries; see float_noise.h. Also Mironov's
 * snapping mechanism, which is what to do instead when it must be doubles [Mironov 2012,
 * section 5.2]: clamp(round(clamp(value) + S b LN(U))), where U is uniform on the reals
 * of (0, 1) and rounded to a double, LN is the correctly rounded logarithm, and round is to the
 * nearest multiple of the smallest power of two that is not below b. */
#include "audit/float_noise.h"

#include <math.h>
#include <mpfr.h>

/* --- uniform numbers as generators give them ------------------------------------------------ */

/* k 2^-53 in [0, 1). */
static double unit53(audit_coins *coins) { return (double)(audit_word(coins) >> 11) * 0x1p-53; }
/* k 2^-32 in [0, 1). */
static double unit32(audit_coins *coins) { return (double)(audit_word(coins) >> 32) * 0x1p-32; }
/* 1 - k 2^-53 in (0, 1]. */
static double positive(audit_coins *coins) { return 1 - unit53(coins); }

static double sign(audit_coins *coins) { return audit_word(coins) >> 63 ? -1 : 1; }

/* --- Laplace ---------------------------------------------------------------------------------- */

static double inverse_laplace(double u, double scale)
{
    return -scale * copysign(1, u) * log(1 - 2 * fabs(u));
}

double audit_float_laplace(audit_float_noise *noise, double value)
{
    double u = unit53(&noise->coins) - 0.5;
    while (u == -0.5) u = unit53(&noise->coins) - 0.5;
    return value + inverse_laplace(u, noise->scale);
}

double audit_float_laplace_32(audit_float_noise *noise, double value)
{
    double u = unit32(&noise->coins) - 0.5;
    while (u == -0.5) u = unit32(&noise->coins) - 0.5;
    return value + inverse_laplace(u, noise->scale);
}

double audit_float_laplace_numpy(audit_float_noise *noise, double value)
{
    double u = unit53(&noise->coins);
    while (u == 0) u = unit53(&noise->coins);
    return u >= 0.5 ? value - noise->scale * log(2 - u - u) : value + noise->scale * log(u + u);
}

double audit_float_laplace_difference(audit_float_noise *noise, double value)
{
    double first = -log(positive(&noise->coins)), second = -log(positive(&noise->coins));
    return value + noise->scale * (first - second);
}

double audit_float_laplace_sign(audit_float_noise *noise, double value)
{
    double size = -noise->scale * log(positive(&noise->coins));
    return value + sign(&noise->coins) * size;
}

double audit_float_laplace_single(audit_float_noise *noise, double value)
{
    float size = -(float)noise->scale * logf((float)(positive(&noise->coins)));
    return value + sign(&noise->coins) * (double)size;
}

/* Rounded to 20 binary digits of the value. */
double audit_float_laplace_data_grid(audit_float_noise *noise, double value)
{
    double step = ldexp(1, ilogb(value) - 20);
    return rint(audit_float_laplace(noise, value) / step) * step;
}

/* --- Gaussian ---------------------------------------------------------------------------------- */

static double give_pair(audit_float_noise *noise, double value, double now, double later)
{
    noise->other = later;
    noise->has_other = true;
    return value + noise->scale * now;
}

static double give_other(audit_float_noise *noise, double value)
{
    noise->has_other = false;
    return value + noise->scale * noise->other;
}

double audit_float_box_muller(audit_float_noise *noise, double value)
{
    if (noise->has_other) return give_other(noise, value);
    double radius = sqrt(-2 * log(positive(&noise->coins)));
    double angle = 2 * 3.141592653589793 * unit53(&noise->coins);
    return give_pair(noise, value, radius * cos(angle), radius * sin(angle));
}

double audit_float_polar(audit_float_noise *noise, double value)
{
    double v1, v2, square;
    if (noise->has_other) return give_other(noise, value);
    do {
        v1 = 2 * unit53(&noise->coins) - 1;
        v2 = 2 * unit53(&noise->coins) - 1;
        square = v1 * v1 + v2 * v2;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    return give_pair(noise, value, factor * v2, factor * v1);
}

/* Strips of equal area under exp(-x^2/2) [Marsaglia & Tsang 2000]: strip[0] is the width of the
 * base with its tail, the last one is 0. */
#define TAIL 3.442619855899
#define AREA 9.91256303526217e-3

static void make_strips(double strip[AUDIT_STRIPS + 1])
{
    strip[0] = AREA / exp(-TAIL * TAIL / 2);
    strip[1] = TAIL;
    for (int i = 2; i < AUDIT_STRIPS; i++)
        strip[i] = sqrt(-2 * log(AREA / strip[i - 1] + exp(-strip[i - 1] * strip[i - 1] / 2)));
    strip[AUDIT_STRIPS] = 0;
}

static double ziggurat_tail(audit_coins *coins)
{
    double x, y;
    do {
        x = -log(positive(coins)) / TAIL;
        y = -log(positive(coins));
    } while (y + y < x * x);
    return TAIL + x;
}

double audit_float_ziggurat(audit_float_noise *noise, double value)
{
    audit_coins *coins = &noise->coins;
    for (;;) {
        uint64_t word = audit_word(coins);
        size_t i = word % AUDIT_STRIPS;
        const double *edge = &noise->strip[i];
        double side = word & AUDIT_STRIPS ? -noise->scale : noise->scale;
        double x = (double)(word >> 12) * 0x1p-52 * edge[0];
        if (x < edge[1]) return value + side * x;
        if (i == 0) return value + side * ziggurat_tail(coins);
        double low = exp(-edge[0] * edge[0] / 2), high = exp(-edge[1] * edge[1] / 2);
        if (low + unit53(coins) * (high - low) < exp(-x * x / 2)) return value + side * x;
    }
}

double audit_float_uniform(audit_float_noise *noise, double value)
{
    return value + noise->scale * (2 * unit53(&noise->coins) - 1);
}

/* --- snapping ------------------------------------------------------------------------------------ */

#define SNAPPING_BOUND 0x1p20

/* A uniform real number rounded down to a double: 53 digits after as many zeros as it has. */
static double uniform_real(audit_coins *coins)
{
    int exponent = -1;
    uint64_t word;
    while ((word = audit_word(coins)) == 0) exponent -= 64;
    exponent -= __builtin_clzll(word);
    return ldexp(1 + (double)(audit_word(coins) >> 12) * 0x1p-52, exponent);
}

/* ln x correctly rounded: extended precision where that decides, else MPFR. */
static double log_rounded(double x)
{
    long double y = logl(x), room = fabsl(y) * 0x1p-60L;
    double low = (double)(y - room), high = (double)(y + room);
    if (low == high && sizeof y > sizeof low) return low;
    mpfr_t real;
    mpfr_init2(real, 53);
    mpfr_set_d(real, x, MPFR_RNDN);
    mpfr_log(real, real, MPFR_RNDN);
    double out = mpfr_get_d(real, MPFR_RNDN);
    mpfr_clear(real);
    return out;
}

static double clamp(double x) { return fmax(-SNAPPING_BOUND, fmin(SNAPPING_BOUND, x)); }

double audit_float_snapping(audit_float_noise *noise, double value)
{
    double step = ldexp(1, ilogb(noise->scale));
    if (step < noise->scale) step *= 2;
    double size = noise->scale * log_rounded(uniform_real(&noise->coins));
    double sum = clamp(value) + sign(&noise->coins) * size;
    double steps = sum / step, whole = floor(steps); /* both exact: the step is a power of two */
    return clamp((steps - whole >= 0.5 ? whole + 1 : whole) * step);
}

/* --- as samplers ---------------------------------------------------------------------------------- */

void audit_float_noise_init(audit_float_noise *noise, audit_float_method *method, double scale, uint64_t seed)
{
    *noise = (audit_float_noise){ .method = method, .scale = scale, .coins = audit_coins_seeded(seed) };
    make_strips(noise->strip);
}

static dusk_status draw(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_float_noise *noise = context;
    (void)err;
    for (size_t i = 0; i < n; i++) out[i] = noise->method(noise, *input);
    return DUSK_OK;
}

dusk_sampler audit_float_sampler(audit_float_noise *noise)
{
    return (dusk_sampler){ .context = noise, .input_length = 1, .output_length = 1, .draw = draw };
}
