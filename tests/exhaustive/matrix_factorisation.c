/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix factorisation, for every length up to 64 and every number of bands: the columns of
 * C as it is computed with are no longer than the noise is calibrated to, A C^-1 C x is A x
 * to the last bit, and the rows of A C^-1 are as long as the intervals say. */
#include <math.h>
#include <string.h>

#include "mechanisms/stream.h"
#include "streams.h"
#include "support.h"

enum { LONGEST = 64 };

static dusk_matrix make(uint64_t length, uint64_t bands, uint64_t window)
{
    dusk_matrix m;
    dusk_error err;
    if (dusk_matrix_new(&m, length, bands, window, &err) != DUSK_OK) fail_msg("%s", err.message);
    return m;
}

/* C x for numbers that are 1 at two steps (0: none) and 0 elsewhere; its squared norm. */
static dusk_int128 squared_norm(uint64_t length, uint64_t bands, uint64_t one, uint64_t other)
{
    dusk_matrix m = make(length, bands, length);
    dusk_int128 squares = 0;
    for (uint64_t t = 1; t <= length; t++) {
        dusk_int128 y = dusk_matrix_add(&m, (t == one) + (t == other));
        dusk_matrix_estimate(&m, y);
        squares += y * y;
    }
    dusk_matrix_free(&m);
    return squares;
}

/* Of the declared norm, rounded down: exact in 113 or 64 digits. */
static bool covers(double norm, dusk_int128 squares, double factor)
{
    long double declared = (long double)norm * norm * factor * 0x1p60L;
    return declared * (1 + 0x1p-60L) >= (long double)squares;
}

static void columns_are_no_longer_than_declared(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length++)
        for (uint64_t bands = 1; bands <= length; bands += 1 + bands / 4) {
            dusk_matrix m = make(length, bands, length);
            for (uint64_t one = 1; one <= length; one += 1 + one / 3) {
                dusk_int128 squares = squared_norm(length, bands, one, 0);
                if (!covers(m.norm, squares, 1))
                    fail_msg("length %d, bands %d, step %d: norm %.17g is too small", (int)length, (int)bands,
                             (int)one, m.norm);
                if (one == 1) assert_true(m.norm < sqrt((double)squares) * 0x1p-30 * (1 + 1e-14));
            }
            dusk_matrix_free(&m);
        }
}

/* The noise of a stream is enough for the longest column that was measured, and no more. */
static void noise_covers_the_columns(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length += 3) {
        dusk_stream_method method = length % 2 ? DUSK_STREAM_SQUARE_ROOT : DUSK_STREAM_BANDED;
        dusk_stream_options o = stream_request(method, length, 1e-5);
        dusk_stream *s;
        dusk_event event;
        double epsilon;
        o.neighbours = DUSK_REPLACE_ONE;
        o.upper = 1;
        o.items_per_unit = 3;
        o.bands = 7;
        o.epsilon = 0.4;
        assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
        double column = sqrt((double)squared_norm(length, s->matrix.bands, 1, 0)) * 0x1p-30;
        assert_int_equal(dusk_event_gaussian(&event, s->noise.scale / (6 * column) * (1 + 1e-14), NULL),
                         DUSK_OK);
        assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 1e-5, NULL), DUSK_OK);
        assert_true(epsilon <= 0.4 && epsilon > 0.4 * (1 - 1e-9));
        dusk_stream_free(s);
    }
}

/* Columns at least `bands` apart have nothing in common, so that squares add up; others
 * together are at most twice as long. */
static void columns_far_apart_are_orthogonal(void **state)
{
    (void)state;
    const uint64_t length = 20;
    for (uint64_t bands = 1; bands <= length; bands++) {
        dusk_matrix m = make(length, bands, length);
        for (uint64_t one = 1; one <= length; one++)
            for (uint64_t other = one; other <= length; other++) {
                dusk_int128 squares = squared_norm(length, bands, one, other);
                assert_true(covers(m.norm, squares, other - one >= bands ? 2 : 4));
            }
        dusk_matrix_free(&m);
    }
}

static void a_matrix_and_its_inverse_are_nothing(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint64_t length = 1; length <= LONGEST; length += 1 + length / 7)
        for (uint64_t bands = 1; bands <= length; bands++)
            for (uint64_t window = 1; window <= length; window += 1 + window / 2) {
                dusk_matrix m = make(length, bands, window);
                int64_t numbers[LONGEST];
                dusk_int128 sum = 0;
                for (uint64_t t = 0; t < length; t++) {
                    numbers[t] = (int64_t)splitmix64(&seed) >> 28;
                    sum += numbers[t];
                    if (t >= window) sum -= numbers[t - window];
                    dusk_matrix_estimate(&m, dusk_matrix_add(&m, numbers[t]));
                    assert_true(m.total == sum * ((dusk_int128)1 << DUSK_MATRIX_BITS));
                }
                dusk_matrix_free(&m);
            }
}

/* The weight of the noise of step j in the answer of step t, from noise 2^70 at j alone. */
static void weights_of(double *weight, uint64_t length, uint64_t bands, uint64_t window, uint64_t j)
{
    dusk_matrix m = make(length, bands, window);
    for (uint64_t t = 1; t <= length; t++) {
        (void)dusk_matrix_add(&m, 0);
        dusk_matrix_estimate(&m, t == j ? (dusk_int128)1 << 70 : 0);
        weight[t] = ldexp((double)m.total, -70);
    }
    dusk_matrix_free(&m);
}

static void check_rows(uint64_t length, uint64_t bands, uint64_t window)
{
    double weight[LONGEST + 1], squares[LONGEST + 1] = { 0 }, sizes[LONGEST + 1] = { 0 };
    dusk_matrix m = make(length, bands, window);
    for (uint64_t j = 1; j <= length; j++) {
        weights_of(weight, length, bands, window, j);
        for (uint64_t t = 1; t <= length; t++) {
            squares[t] += weight[t] * weight[t];
            sizes[t] += fabs(weight[t]);
        }
    }
    for (uint64_t t = 1; t <= length; t++) {
        assert_true(m.squares[t] >= squares[t] && m.squares[t] < squares[t] * (1 + 1e-6));
        assert_true(m.lengths[t] >= sizes[t] && m.lengths[t] < sizes[t] * (1 + 1e-6));
    }
    dusk_matrix_free(&m);
}

static void rows_are_as_long_as_said(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length += 1 + length / 5)
        for (uint64_t bands = 1; bands <= length; bands += 1 + bands / 2)
            for (uint64_t window = 1; window <= length; window += 1 + window)
                check_rows(length, bands, window);
    check_rows(LONGEST, LONGEST, LONGEST);
}

/* Both factors of the square root have the squared norm sum of r_k^2, Landau's constant:
 * (ln n + gamma + 4 ln 2) / pi, up to less than 1/n [Landau 1913; Brutman 1982]. */
static void the_square_root_is_as_good_as_published(void **state)
{
    (void)state;
    for (uint64_t length = 2; length <= 1 << 16; length *= 2) {
        dusk_matrix m = make(length, length, length);
        double n = (double)length, landau = (log(n) + 0.57721566490153286 + 4 * log(2)) / acos(-1);
        assert_true(fabs(m.norm * m.norm - landau) < 1 / n + 1e-6);
        assert_true(fabs(m.squares[length] - landau) < 1 / n + 1e-3);
        dusk_matrix_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_no_longer_than_declared),
        cmocka_unit_test(noise_covers_the_columns),
        cmocka_unit_test(columns_far_apart_are_orthogonal),
        cmocka_unit_test(a_matrix_and_its_inverse_are_nothing),
        cmocka_unit_test(rows_are_as_long_as_said),
        cmocka_unit_test(the_square_root_is_as_good_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
