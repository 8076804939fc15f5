/* SPDX-License-Identifier: Apache-2.0 */
/* Noise for one number when something is missing: too few coins at every length of the
 * tape, or no memory at the n-th request. Each release answers with the status for it, leaves
 * its output untouched, and leaks nothing (the sanitizer build looks). */
#include <string.h>

#include "dusk/mechanisms.h"
#include "failing_memory.h"
#include "seeded.h"
#include "support.h"

typedef dusk_status subject(double *out, dusk_generator *gen, dusk_error *err);

static dusk_status staircase(double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_noise noise;
    dusk_status status = dusk_staircase_init(&noise, 1, 1, DUSK_GAMMA_ABSOLUTE, DUSK_GRID_DEFAULT, err);
    return status == DUSK_OK ? dusk_noise_release(&noise, out, 3, gen, err) : status;
}

static dusk_status truncated(double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_noise noise;
    dusk_status status = dusk_truncated_laplace_init(&noise, 1, 1, 1e-6, DUSK_GRID_DEFAULT, err);
    return status == DUSK_OK ? dusk_noise_release(&noise, out, 3, gen, err) : status;
}

static dusk_status bounded(double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_bounded_laplace mechanism;
    dusk_status status = dusk_bounded_laplace_init(&mechanism, 0, 9, 1, 1, DUSK_GRID_DEFAULT, err);
    return status == DUSK_OK ? dusk_bounded_laplace_release(&mechanism, out, 3, gen, err) : status;
}

/* On a grid so fine that every draw is decided by further digits. */
static dusk_status sinh_normal(double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_noise noise;
    dusk_status status = dusk_sinh_normal_init(&noise, 1, 1, 1e-6, -55, err);
    return status == DUSK_OK ? dusk_noise_release(&noise, out, 3, gen, err) : status;
}

static subject *const subjects[] = { staircase, truncated, bounded, sinh_normal };
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void coins_run_out(void **state)
{
    static const uint64_t bits[64] = { 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                                       0x2545f4914f6cdd1du, 0x123456789abcdef0u, 0xd1b54a32d192ed03u,
                                       0x8cb92ba72f3d8dd7u, 0xaef17502108ef2d9u };
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        unsigned length = 0, failed = 0;
        for (;; length += 32) {
            dusk_generator *tape;
            dusk_error err;
            double out = 7;
            assert_int_equal(dusk_generator_new_tape(&tape, bits, length, NULL), DUSK_OK);
            dusk_status status = subjects[i](&out, tape, &err);
            dusk_generator_free(tape);
            if (status == DUSK_OK) break;
            assert_int_equal(status, DUSK_ERR_ENTROPY);
            assert_true(out == 7 && length < 4000);
            failed++;
        }
        assert_true(failed >= 4);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++)
        for (long n = 1;; n++) {
            dusk_generator *gen = seeded(4);
            dusk_error err;
            double out = 7;
            dusk_memory_fail_at(n);
            bool done = went_through(subjects[i](&out, gen, &err), &err, n, 2000);
            dusk_generator_free(gen);
            if (done) {
                assert_true(n > 1 || subjects[i] != sinh_normal);
                break;
            }
            assert_true(out == 7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(coins_run_out), cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
