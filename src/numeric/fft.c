/* SPDX-License-Identifier: Apache-2.0 */
/* The transform as a tree of remainders: a polynomial modulo z^n - s^2 is known
 * modulo z^(n/2) - s and z^(n/2) + s, where a + b z^(n/2) becomes a + s b and
 * a - s b [Fiduccia 1972; Bernstein 2001, "Multidigit multiplication for
 * mathematicians", section 3]. Node b of a level has s = exp(i angle(b)) with
 *     angle(2b) = angle(b)/2,   angle(2b+1) = angle(b)/2 + pi/2,
 * so that bit k of b adds pi/2^(k+1): one table serves all levels and sizes, and
 * an inner loop has one constant factor. Two levels are done at once. The bound
 * of the error is derived in fft.proof.md. */
#include "numeric/fft.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

#define LOW_BITS 10      /* roots are products of two that are made directly */
#define IN_CACHE 4096    /* points that are finished level by level */
#define ERROR_STEP 1e-15 /* relative error of a level, fft.proof.md */

typedef double two __attribute__((vector_size(16)));

_Static_assert(LDBL_MANT_DIG >= 64, "roots are made in extended precision");

static inline two load(const double *x)
{
    two q;
    memcpy(&q, x, sizeof q);
    return q;
}

static inline void store(double *x, two q) { memcpy(x, &q, sizeof q); }

/* exp(i angle(b)), each part rounded once but for 2^-60 */
static void root(double *re, double *im, size_t b)
{
    long double turn = 0.0L, bit = 0.5L; /* angle / pi: exact */
    for (; b; b >>= 1, bit /= 2)
        if (b & 1) turn += bit;
    long double angle = 3.14159265358979323846264338327950288L * turn;
    *re = DUSK_MUTATE(FFT_ROOTS_IN_SINGLE, (double)cosl(angle), (double)(float)cosl(angle));
    *im = (double)sinl(angle);
}

DUSK_PROVEN(dusk_fft_new)
dusk_status dusk_fft_new(dusk_fft *out, unsigned log_size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t half = (size_t)1 << (log_size - 1), low = (size_t)1 << LOW_BITS;
    out->log_size = log_size;
    out->size = 2 * half;
    out->re = out->im = NULL;
    DUSK_NEW(out->re, half);
    DUSK_NEW(out->im, half);
    for (size_t b = 0; b < half && b < low; b++) root(&out->re[b], &out->im[b], b);
    for (size_t b = low; b < half; b += low) {
        double c, s;
        root(&c, &s, b);
        for (size_t j = 0; j < low; j++) {
            out->re[b + j] = c * out->re[j] - s * out->im[j];
            out->im[b + j] = c * out->im[j] + s * out->re[j];
        }
    }
    return DUSK_OK;
done:
    dusk_fft_free(out);
    return status;
}

void dusk_fft_free(dusk_fft *fft)
{
    dusk_deallocate(fft->re);
    dusk_deallocate(fft->im);
    fft->re = fft->im = NULL;
}

double dusk_fft_error_up(unsigned log_size)
{
    /* (1 + e)^levels - 1 <= levels e (1 + levels e) */
    double e = (double)log_size * ERROR_STEP;
    return e * (1 + 2 * e);
}

/* One level at one node: a, b to a + s b, a - s b. */
static void split(const dusk_fft *fft, double *re, double *im, size_t half, size_t node)
{
    double c = fft->re[node], s = fft->im[node];
    for (size_t j = 0; j < half; j++) {
        double x = re[j + half], y = im[j + half];
        double tr = c * x - s * y, ti = c * y + s * x;
        re[j + half] = re[j] - tr;
        im[j + half] = im[j] - ti;
        re[j] += tr;
        im[j] += ti;
    }
}

static void join(const dusk_fft *fft, double *re, double *im, size_t half, size_t node)
{
    double c = fft->re[node], s = fft->im[node];
    for (size_t j = 0; j < half; j++) {
        double x = re[j] - re[j + half], y = im[j] - im[j + half];
        re[j] += re[j + half];
        im[j] += im[j + half];
        re[j + half] = c * x + s * y;
        im[j + half] = c * y - s * x;
    }
}

/* Two levels at one node of 4 m points: s at the node, t at its first child and
 * i t at the second. */
typedef struct roots {
    double sr, si, tr, ti;
} roots;

static inline roots roots_at(const dusk_fft *fft, size_t node)
{
    return (roots){ fft->re[node], fft->im[node], fft->re[2 * node], fft->im[2 * node] };
}

/* m a multiple of 2 */
static void split_wide(double *re, double *im, size_t m, roots w)
{
    for (size_t j = 0; j < m; j += 2) {
        two ar = load(re + j), ai = load(im + j), br = load(re + m + j), bi = load(im + m + j);
        two cr = load(re + 2 * m + j), ci = load(im + 2 * m + j);
        two dr = load(re + 3 * m + j), di = load(im + 3 * m + j);
        two xr = w.sr * cr - w.si * ci, xi = w.sr * ci + w.si * cr;
        two yr = w.sr * dr - w.si * di, yi = w.sr * di + w.si * dr;
        two pr = ar + xr, pi = ai + xi, qr = ar - xr, qi = ai - xi;
        two er = br + yr, ei = bi + yi, fr = br - yr, fi = bi - yi;
        xr = w.tr * er - w.ti * ei, xi = w.tr * ei + w.ti * er;
        yr = w.tr * fr - w.ti * fi, yi = w.tr * fi + w.ti * fr;
        store(re + j, pr + xr), store(im + j, pi + xi);
        store(re + m + j, pr - xr), store(im + m + j, pi - xi);
        store(re + 2 * m + j, qr - yi), store(im + 2 * m + j, qi + yr);
        store(re + 3 * m + j, qr + yi), store(im + 3 * m + j, qi - yr);
    }
}

static void join_wide(double *re, double *im, size_t m, roots w)
{
    for (size_t j = 0; j < m; j += 2) {
        two ar = load(re + j), ai = load(im + j), br = load(re + m + j), bi = load(im + m + j);
        two cr = load(re + 2 * m + j), ci = load(im + 2 * m + j);
        two dr = load(re + 3 * m + j), di = load(im + 3 * m + j);
        two pr = ar + br, pi = ai + bi, xr = ar - br, xi = ai - bi;
        two qr = cr + dr, qi = ci + di, yr = ci - di, yi = dr - cr; /* (c - d) / i */
        two er = w.tr * xr + w.ti * xi, ei = w.tr * xi - w.ti * xr;
        two fr = w.tr * yr + w.ti * yi, fi = w.tr * yi - w.ti * yr;
        xr = pr - qr, xi = pi - qi, yr = er - fr, yi = ei - fi;
        store(re + j, pr + qr), store(im + j, pi + qi);
        store(re + m + j, er + fr), store(im + m + j, ei + fi);
        store(re + 2 * m + j, w.sr * xr + w.si * xi), store(im + 2 * m + j, w.sr * xi - w.si * xr);
        store(re + 3 * m + j, w.sr * yr + w.si * yi), store(im + 3 * m + j, w.sr * yi - w.si * yr);
    }
}

static void split_four(double *re, double *im, roots w)
{
    double xr = w.sr * re[2] - w.si * im[2], xi = w.sr * im[2] + w.si * re[2];
    double yr = w.sr * re[3] - w.si * im[3], yi = w.sr * im[3] + w.si * re[3];
    double pr = re[0] + xr, pi = im[0] + xi, qr = re[0] - xr, qi = im[0] - xi;
    double er = re[1] + yr, ei = im[1] + yi, fr = re[1] - yr, fi = im[1] - yi;
    xr = w.tr * er - w.ti * ei, xi = w.tr * ei + w.ti * er;
    yr = w.tr * fr - w.ti * fi, yi = w.tr * fi + w.ti * fr;
    re[0] = pr + xr, im[0] = pi + xi, re[1] = pr - xr, im[1] = pi - xi;
    re[2] = qr - yi, im[2] = qi + yr, re[3] = qr + yi, im[3] = qi - yr;
}

static void join_four(double *re, double *im, roots w)
{
    double pr = re[0] + re[1], pi = im[0] + im[1], xr = re[0] - re[1], xi = im[0] - im[1];
    double qr = re[2] + re[3], qi = im[2] + im[3], yr = im[2] - im[3], yi = re[3] - re[2];
    double er = w.tr * xr + w.ti * xi, ei = w.tr * xi - w.ti * xr;
    double fr = w.tr * yr + w.ti * yi, fi = w.tr * yi - w.ti * yr;
    xr = pr - qr, xi = pi - qi, yr = er - fr, yi = ei - fi;
    re[0] = pr + qr, im[0] = pi + qi, re[1] = er + fr, im[1] = ei + fi;
    re[2] = w.sr * xr + w.si * xi, im[2] = w.sr * xi - w.si * xr;
    re[3] = w.sr * yr + w.si * yi, im[3] = w.sr * yi - w.si * yr;
}

static void split_two_levels(const dusk_fft *fft, double *re, double *im, size_t n, size_t node)
{
    if (n == 4)
        split_four(re, im, roots_at(fft, node));
    else
        split_wide(re, im, n / 4, roots_at(fft, node));
}

static void join_two_levels(const dusk_fft *fft, double *re, double *im, size_t n, size_t node)
{
    if (n == 4)
        join_four(re, im, roots_at(fft, node));
    else
        join_wide(re, im, n / 4, roots_at(fft, node));
}

/* Everything below a node of n = 4^k points; large nodes one child after the
 * other, so that small ones are in the cache. */
static void forward_below(const dusk_fft *fft, double *re, double *im, size_t n, size_t node)
{
    if (n <= IN_CACHE) {
        for (size_t size = n, count = 1; size >= 4; size /= 4, count *= 4)
            for (size_t b = 0; b < count; b++)
                split_two_levels(fft, re + b * size, im + b * size, size, node * count + b);
        return;
    }
    split_two_levels(fft, re, im, n, node);
    for (size_t b = 0; b < 4; b++)
        forward_below(fft, re + b * (n / 4), im + b * (n / 4), n / 4, 4 * node + b);
}

static void inverse_below(const dusk_fft *fft, double *re, double *im, size_t n, size_t node)
{
    if (n <= IN_CACHE) {
        for (size_t size = 4, count = n / 4; size <= n; size *= 4, count /= 4)
            for (size_t b = 0; b < count; b++)
                join_two_levels(fft, re + b * size, im + b * size, size, node * count + b);
        return;
    }
    for (size_t b = 0; b < 4; b++)
        inverse_below(fft, re + b * (n / 4), im + b * (n / 4), n / 4, 4 * node + b);
    join_two_levels(fft, re, im, n, node);
}

DUSK_PROVEN(dusk_fft_forward)
void dusk_fft_forward(const dusk_fft *fft, double *re, double *im)
{
    size_t n = fft->size, half = n / 2;
    if (fft->log_size % 2 == 0) {
        forward_below(fft, re, im, n, 0);
        return;
    }
    split(fft, re, im, half, 0);
    forward_below(fft, re, im, half, 0);
    forward_below(fft, re + half, im + half, half, 1);
}

DUSK_PROVEN(dusk_fft_inverse)
void dusk_fft_inverse(const dusk_fft *fft, double *re, double *im)
{
    size_t n = fft->size, half = n / 2;
    if (fft->log_size % 2 == 0) {
        inverse_below(fft, re, im, n, 0);
    } else {
        inverse_below(fft, re, im, half, 0);
        inverse_below(fft, re + half, im + half, half, 1);
        join(fft, re, im, half, 0);
    }
    double share = 1.0 / (double)n; /* a power of two */
    for (size_t k = 0; k < n; k++) {
        re[k] *= share;
        im[k] *= share;
    }
}
