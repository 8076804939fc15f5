/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of totals in pieces of odd lengths, at the scales of private training: its law, against the normal one, by the
 * largest distance of the distribution functions [Dvoretzky, Kiefer & Wolfowitz 1956; Massart 1990]; and that neighbours, the
 * same places of two pieces and of two releases have nothing to do with each other. All tests together fail right noise with
 * probability 1e-6. DUSK_SEED chooses other coins. */
#include "mechanisms/totals.h"

#include <math.h>
#include <stdlib.h>

#include "dusk/accounting.h"
#include "numeric/special.h"
#include "seeded.h"

enum { N = 1 << 18, SCALES = 3, TESTS = 20 };
#define ALPHA (1e-6 / TESTS)

static double z[2][N], sorted[N];

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_law(const double *x, const char *what)
{
    double most = sqrt(log(2 / ALPHA) / (2.0 * N));
    memcpy(sorted, x, sizeof sorted);
    qsort(sorted, N, sizeof *sorted, compare);
    for (size_t i = 0; i < N; i++) {
        double p = dusk_normal_cdf(sorted[i]);
        if (p - (double)i / N > most || (double)(i + 1) / N - p > most)
            fail_msg("%s: %zu of %d draws are at most %g", what, i + 1, N, sorted[i]);
    }
}

/* The sum of x_i y_i over i < n is nearly normal of variance n. */
static void check_apart(const double *x, const double *y, size_t n, const char *what)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    if (!(fabs(sum) < 5.8 * sqrt((double)n))) fail_msg("%s: %g", what, sum / sqrt((double)n));
}

static void draw(double *out, double scale, size_t piece, bool before, dusk_generator *gen)
{
    static const int64_t none[N];
    dusk_noise noise;
    dusk_ahead ahead = { .n = 0 };
    dusk_totals release;
    assert_int_equal(dusk_gaussian_multiplier_init(&noise, N, ldexp(1, -22), scale, -22, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_for_total(&noise, NULL), DUSK_OK);
    if (before) assert_int_equal(dusk_ahead_draw(&ahead, &noise, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_totals_begin(&release, &noise, before ? &ahead : NULL, gen, NULL), DUSK_OK);
    for (size_t at = 0; at < N; at += piece)
        assert_int_equal(
            dusk_totals_release(&release, out + at, none + at, N - at < piece ? N - at : piece, gen, NULL),
            DUSK_OK);
    for (size_t i = 0; i < N; i++) out[i] /= noise.scale;
    dusk_ahead_clear(&ahead);
}

static void test_pieces(void **state)
{
    static const double scales[SCALES] = { 0x1p20, 0x1.7p22, 0x1p26 };
    static const size_t pieces[SCALES] = { 4001, 2047, 33333 };
    for (size_t s = 0; s < SCALES; s++) {
        for (int turn = 0; turn < 2; turn++) draw(z[turn], scales[s], pieces[s], turn == 1, *state);
        check_law(z[0], "piece by piece");
        check_law(z[1], "ahead");
        check_apart(z[0], z[0] + 1, N - 1, "neighbours");
        check_apart(z[0], z[0] + 2048, N - 2048, "blocks");
        check_apart(z[0], z[0] + pieces[s], N - pieces[s], "pieces");
        check_apart(z[0], z[1], N, "releases");
    }
}

static int open(void **state)
{
    const char *seed = getenv("DUSK_SEED");
    return open_seeded(state, seed ? strtoull(seed, NULL, 10) : 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pieces) };
    return cmocka_run_group_tests(tests, open, close_generator);
}
