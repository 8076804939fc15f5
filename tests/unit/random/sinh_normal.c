/* SPDX-License-Identifier: Apache-2.0 */
/* arsinh of the sinh-normal sampler against MPFR: off by at most 16 units 2^-53, from tiny to large. */
#include <math.h>

#include <mpfr.h>

#include "random/noise_sinh_normal.h"
#include "random/tape.h"
#include "support.h"

static void arsinh_is_good_to_16_units(void **state)
{
    uint64_t at = 3;
    mpfr_t want, got;
    double worst = 0;
    (void)state;
    mpfr_inits2(200, want, got, (mpfr_ptr)0);
    for (int i = 0; i < 60000; i++) {
        double x = ldexp(1 + (double)(splitmix64(&at) >> 11) * 0x1p-53, (int)(splitmix64(&at) % 60) - 40);
        if (i % 3 == 0) x = 3 * (double)(splitmix64(&at) >> 11) * 0x1p-53; /* where it is used most */
        mpfr_set_d(want, x, MPFR_RNDN);
        mpfr_asinh(want, want, MPFR_RNDN);
        mpfr_set_d(got, dusk_sinh_normal_arsinh(x), MPFR_RNDN);
        mpfr_sub(got, got, want, MPFR_RNDN);
        mpfr_div(got, got, want, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(got, MPFR_RNDN)) * 0x1p53);
    }
    if (!(worst <= 16)) fail_msg("off by %g units", worst);
    assert_true(dusk_sinh_normal_arsinh(0) == 0);
    mpfr_clears(want, got, (mpfr_ptr)0);
}

/* The same coins by the leading digits and by enclosures alone, with all digits: one answer. */
static void digits_decide_what_enclosures_do(void **state)
{
    static const double scales[] = { 0x1p-40, 0.7, 0x1p30, 0x1p36, 0x1p39, 0x1p60 };
    (void)state;
    for (uint64_t k = 0; k < 3000; k++) {
        double scale = scales[k % 6], bend = fmax(scale * (2 + (double)(k % 5)), 8.5);
        dusk_sinh_normal_sampler sampler;
        dusk_int128 draw[2] = { 0, 1 };
        dusk_sinh_normal_sampler_init(&sampler, scale, bend, DUSK_WIDTH_FULL);
        for (int i = 0; i < 2; i++) {
            dusk_generator *gen;
            if (i) sampler.margin = 1; /* nothing is decided */
            assert_int_equal(dusk_generator_new_seeded(&gen, k, NULL), DUSK_OK);
            assert_int_equal(dusk_sinh_normal_sampler_draw(&sampler, &draw[i], gen, NULL), DUSK_OK);
            dusk_generator_free(gen);
        }
        assert_true(draw[0] == draw[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(arsinh_is_good_to_16_units),
                                        cmocka_unit_test(digits_decide_what_enclosures_do) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
