/* SPDX-License-Identifier: Apache-2.0 */
/* The transform against its definition in extended precision, within the proven
 * bound; back and forth; the order of the result; failing allocations. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "numeric/fft.h"
#include "support.h"

#define PI 3.14159265358979323846264338327950288L

static double uniform(uint64_t *state) { return (double)(splitmix64(state) >> 11) * 0x1p-53; }

static size_t reversed(size_t p, unsigned bits)
{
    size_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        if (p >> i & 1) r |= (size_t)1 << (bits - 1 - i);
    return r;
}

/* The largest error of the forward transform at some positions over sum |x|. */
static double forward_error(const dusk_fft *fft, const double *re, const double *im, const double *x,
                            const double *y, size_t every)
{
    size_t n = fft->size;
    long double worst = 0, sum = 0;
    for (size_t k = 0; k < n; k++) sum += hypotl((long double)x[k], (long double)y[k]);
    for (size_t p = 0; p < n; p += every) {
        size_t f = reversed(p, fft->log_size);
        long double a = 0, b = 0;
        for (size_t k = 0; k < n; k++) {
            long double angle = 2 * PI * (long double)(k * f % n) / (long double)n;
            long double c = cosl(angle), s = sinl(angle);
            a += (long double)x[k] * c - (long double)y[k] * s;
            b += (long double)x[k] * s + (long double)y[k] * c;
        }
        worst = fmaxl(worst, hypotl(a - (long double)re[p], b - (long double)im[p]));
    }
    return (double)(worst / sum);
}

static void within_the_bound(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned bits = 1; bits <= 14; bits++) {
        dusk_fft fft;
        assert_int_equal(dusk_fft_new(&fft, bits, NULL), DUSK_OK);
        size_t n = fft.size;
        double *x = calloc(4 * n, sizeof *x), *y = x + n, *re = x + 2 * n, *im = x + 3 * n;
        assert_non_null(x);
        for (size_t k = 0; k < n; k++) {
            re[k] = x[k] = uniform(&seed) * exp(-20 * uniform(&seed));
            im[k] = y[k] = uniform(&seed);
        }
        dusk_fft_forward(&fft, re, im);
        double bound = dusk_fft_error_up(bits);
        assert_true(forward_error(&fft, re, im, x, y, n > 128 ? n / 16 + 1 : 1) <= bound);
        /* the bound is not idle either */
        assert_true(bound < 1e-15 * bits * 1.01);
        dusk_fft_inverse(&fft, re, im);
        for (size_t k = 0; k < n; k++) {
            assert_true(fabs(re[k] - x[k]) < 3 * bound);
            assert_true(fabs(im[k] - y[k]) < 3 * bound);
        }
        free(x);
        dusk_fft_free(&fft);
    }
}

/* All mass at one place: every frequency has size 1, and errors cannot average out. */
static void single_points(void **state)
{
    (void)state;
    dusk_fft fft;
    enum { N = 1024 };
    assert_int_equal(dusk_fft_new(&fft, 10, NULL), DUSK_OK);
    for (size_t at = 0; at < N; at += 101) {
        double re[N] = { 0 }, im[N] = { 0 }, x[N] = { 0 }, y[N] = { 0 };
        re[at] = x[at] = 1;
        dusk_fft_forward(&fft, re, im);
        assert_true(forward_error(&fft, re, im, x, y, 1) <= dusk_fft_error_up(10));
    }
    dusk_fft_free(&fft);
}

static void partners(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 12; bits++) {
        size_t n = (size_t)1 << bits;
        for (size_t p = 0; p < n; p++) {
            size_t f = reversed(p, bits), g = reversed(dusk_fft_partner(p), bits);
            assert_int_equal((f + g) % n, 0);
        }
    }
}

static void without_memory(void **state)
{
    (void)state;
    for (long n = 1; n <= 2; n++) {
        dusk_fft fft;
        dusk_memory_fail_at(n);
        assert_int_equal(dusk_fft_new(&fft, 8, NULL), DUSK_ERR_MEMORY);
        assert_null(fft.re);
    }
    dusk_memory_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(within_the_bound), cmocka_unit_test(single_points),
                                        cmocka_unit_test(partners), cmocka_unit_test(without_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
