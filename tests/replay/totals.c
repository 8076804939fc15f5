/* SPDX-License-Identifier: Apache-2.0 */
/* A vector of totals in pieces, beside its neighbour: one call of the mechanism for all of its pieces, whose inputs are
 * together within the one sensitivity; answers and later steps follow from what was released. */
#include "mechanisms/totals.h"

#include <math.h>

#include "mechanisms/noise.h"
#include "replay.h"

enum { D = 3000, STEPS = 3 };
static const double epsilon = 1.3, delta = 1e-6;

/* A row of length at most `reach` steps: in one coordinate, or in all. */
static int64_t row_at(size_t i, size_t kind, int64_t reach)
{
    if (kind == 0) return i == D - 1 ? reach : 0;
    if (kind == 1) return i == 2048 ? -reach : 0;
    return (i % 2 ? 1 : -1) * (int64_t)floor((double)reach / sqrt(D));
}

/* As a training does it: totals that depend on what was released, in pieces, into floats or doubles. */
static void train(double *weights, size_t kind, bool with_row, const dusk_noise *noise, dusk_generator *gen)
{
    static int64_t totals[D];
    static float floats[D];
    const size_t piece = 700 + 611 * kind;
    dusk_ahead ahead = { .n = 0 };
    memset(weights, 0, D * sizeof *weights);
    for (size_t step = 0; step < STEPS; step++) {
        dusk_totals release;
        static double out[D];
        for (size_t i = 0; i < D; i++)
            totals[i] = (int64_t)i - (int64_t)ldexp(weights[i], -noise->grid) / 100 +
                        (with_row ? row_at(i, kind, (int64_t)1 << -noise->grid) : 0);
        if (kind == 2) assert_int_equal(dusk_ahead_draw(&ahead, noise, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_totals_begin(&release, noise, kind == 2 ? &ahead : NULL, gen, NULL), DUSK_OK);
        for (size_t at = 0; at < D; at += piece) {
            size_t m = D - at < piece ? D - at : piece;
            if (step % 2)
                assert_int_equal(dusk_totals_release(&release, out + at, totals + at, m, gen, NULL), DUSK_OK);
            else
                assert_int_equal(dusk_totals_release_floats(&release, floats + at, totals + at, m, gen, NULL),
                                 DUSK_OK);
        }
        for (size_t i = 0; i < D; i++) weights[i] += step % 2 ? out[i] : (double)floats[i];
    }
    dusk_ahead_clear(&ahead);
}

static void steps_follow_from_releases(void **state)
{
    static double weights[2][D];
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_gaussian_init(&noise, D, 1, epsilon / STEPS, delta / STEPS, -20, NULL), DUSK_OK);
    for (uint64_t seed = 0; seed < 6; seed++) {
        replay r = replay_open(seed);
        for (int side = 0; side < 2; side++)
            train(weights[side], seed % 3, side == (int)(seed / 3), &noise, r.gen[side]);
        replay_same(weights[0], weights[1], D);
        assert_int_equal(r.record[0]->n, STEPS);
        for (size_t i = 0; i < STEPS; i++) assert_int_equal(r.record[0]->calls[i].n, D);
        replay_close(&r, (replay_declared){ .epsilon = epsilon, .delta = delta });
    }
}

/* A row that is too long is seen, in whichever piece it is. */
static void long_rows_are_seen(void **state)
{
    static double weights[2][D];
    char why[REPLAY_WHY];
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_gaussian_init(&noise, D, 0.99, epsilon / STEPS, delta / STEPS, -20, NULL), DUSK_OK);
    for (size_t kind = 0; kind < 2; kind++) {
        replay r = replay_open(3);
        for (int side = 0; side < 2; side++) train(weights[side], kind, side, &noise, r.gen[side]);
        assert_false(replay_compare(why, r.record[0], r.record[1], &(replay_declared){ .epsilon = 0 }));
        replay_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_follow_from_releases),
                                        cmocka_unit_test(long_rows_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
