/* SPDX-License-Identifier: Apache-2.0 */
/* Stockham's transform [Cochran et al. 1967] by factors of 4, 3 and 2: each stage reads one plane and writes another, and its innermost loop goes over
 * numbers side by side. */
#include "deep/fourier.h"

#include <stdbool.h>

static bool is_smooth(size_t n)
{
    while (n % 2 == 0) n /= 2;
    while (n % 3 == 0) n /= 3;
    return n == 1;
}

size_t deep_fourier_side(size_t n, size_t step)
{
    size_t side = (n + step - 1) / step * step;
    while (!is_smooth(side)) side += step;
    return side;
}

void deep_fourier_roots(deep_real *out, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        out[k] = (deep_real)cos(angle);
        out[n + k] = (deep_real)sin(angle);
    }
}

static size_t radix_of(size_t n) { return n % 4 == 0 ? 4 : n % 3 == 0 ? 3 : 2; }

/* One butterfly of a stage: numbers 0 .. radix - 1, m * s apart in x, become numbers s apart in y, the j-th multiplied by turn[j]. */
typedef struct butterfly {
    size_t s, apart;
    deep_real cosine[4], sine[4];
} butterfly;

#define TURN(j, a, b)                                                                                        \
    do {                                                                                                     \
        const deep_real r_ = (a), i_ = (b);                                                                  \
        yr[(j)*s + q] = r_ * w->cosine[j] - i_ * w->sine[j];                                                 \
        yi[(j)*s + q] = r_ * w->sine[j] + i_ * w->cosine[j];                                                 \
    } while (0)

DEEP_LANES
static void by_four(const butterfly *w, const deep_real *restrict xr, const deep_real *restrict xi,
                    deep_real *restrict yr, deep_real *restrict yi)
{
    const size_t s = w->s, m = w->apart;
    for (size_t q = 0; q < s; q++) {
        const deep_real pr = xr[q] + xr[2 * m + q], pi = xi[q] + xi[2 * m + q];
        const deep_real nr = xr[q] - xr[2 * m + q], ni = xi[q] - xi[2 * m + q];
        const deep_real ur = xr[m + q] + xr[3 * m + q], ui = xi[m + q] + xi[3 * m + q];
        const deep_real vr = xr[m + q] - xr[3 * m + q], vi = xi[m + q] - xi[3 * m + q];
        yr[q] = pr + ur;
        yi[q] = pi + ui;
        TURN(1, nr + vi, ni - vr);
        TURN(2, pr - ur, pi - ui);
        TURN(3, nr - vi, ni + vr);
    }
}

DEEP_LANES
static void by_three(const butterfly *w, const deep_real *restrict xr, const deep_real *restrict xi,
                     deep_real *restrict yr, deep_real *restrict yi)
{
    const size_t s = w->s, m = w->apart;
    const deep_real half = (deep_real)0.5, height = (deep_real)0.86602540378443864676;
    for (size_t q = 0; q < s; q++) {
        const deep_real tr = xr[m + q] + xr[2 * m + q], ti = xi[m + q] + xi[2 * m + q];
        const deep_real dr = (xr[m + q] - xr[2 * m + q]) * height, di = (xi[m + q] - xi[2 * m + q]) * height;
        const deep_real cr = xr[q] - half * tr, ci = xi[q] - half * ti;
        yr[q] = xr[q] + tr;
        yi[q] = xi[q] + ti;
        TURN(1, cr + di, ci - dr);
        TURN(2, cr - di, ci + dr);
    }
}

DEEP_LANES
static void by_two(const butterfly *w, const deep_real *restrict xr, const deep_real *restrict xi,
                   deep_real *restrict yr, deep_real *restrict yi)
{
    const size_t s = w->s, m = w->apart;
    for (size_t q = 0; q < s; q++) {
        yr[q] = xr[q] + xr[m + q];
        yi[q] = xi[q] + xi[m + q];
        TURN(1, xr[q] - xr[m + q], xi[q] - xi[m + q]);
    }
}

/* What is left to transform is n long, in s runs; `all` is the side that roots are of. */
static void stage(size_t n, size_t s, const deep_real *roots, size_t all, deep_plane x, deep_plane y)
{
    const size_t radix = radix_of(n), m = n / radix;
    for (size_t p = 0; p < m; p++) {
        butterfly w = { .s = s, .apart = m * s };
        for (size_t j = 0; j < radix; j++) {
            const size_t k = p * j * (all / n) % all;
            w.cosine[j] = roots[k];
            w.sine[j] = roots[all + k];
        }
        const deep_real *xr = x.re + s * p, *xi = x.im + s * p;
        deep_real *yr = y.re + s * radix * p, *yi = y.im + s * radix * p;
        if (radix == 4)
            by_four(&w, xr, xi, yr, yi);
        else if (radix == 3)
            by_three(&w, xr, xi, yr, yi);
        else
            by_two(&w, xr, xi, yr, yi);
    }
}

static void swap(deep_plane *a, deep_plane *b)
{
    const deep_plane t = *a;
    *a = *b;
    *b = t;
}

void deep_fourier_run(const deep_fourier *f, deep_plane *a, deep_plane *spare)
{
    const size_t line = f->columns * f->lanes;
    for (size_t n = f->rows, s = line; n > 1; s *= radix_of(n), n /= radix_of(n)) {
        stage(n, s, f->row_roots, f->all_rows, *a, *spare);
        swap(a, spare);
    }
    for (size_t n = f->columns, s = f->lanes; n > 1; s *= radix_of(n), n /= radix_of(n)) {
        for (size_t y = 0; y < f->rows; y++)
            stage(n, s, f->column_roots, f->all_columns, (deep_plane){ a->re + y * line, a->im + y * line },
                  (deep_plane){ spare->re + y * line, spare->im + y * line });
        swap(a, spare);
    }
}
