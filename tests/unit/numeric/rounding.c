/* SPDX-License-Identifier: Apache-2.0 */
/* Directed rounding on cases worked out by hand. The comparison with MPFR on
 * many inputs is tests/enclosure/rounding.c. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "dusk/learn.h"
#include "dusk/random.h"
#include "numeric/rounding.h"
#include "support.h"

static void test_sums(void **state)
{
    (void)state;
    assert_true(dusk_add_up(1, 0x1p-60) == 1 + DBL_EPSILON && dusk_add_down(1, 0x1p-60) == 1);
    assert_true(dusk_add_up(1, -0x1p-60) == 1 && dusk_add_down(1, -0x1p-60) == 1 - DBL_EPSILON / 2);
    assert_true(dusk_sub_up(1, -0x1p-60) == 1 + DBL_EPSILON && dusk_sub_down(1, 0.5) == 0.5);
    assert_true(dusk_add_up(0.5, 0.25) == 0.75 && dusk_add_down(0.5, 0.25) == 0.75); /* exact: no step */
    assert_true(dusk_add_up(0.1, 0.2) > dusk_add_down(0.1, 0.2));
}

static void test_products(void **state)
{
    (void)state;
    assert_true(dusk_mul_up(3, 7) == 21 && dusk_mul_down(3, 7) == 21);
    assert_true(nextafter(dusk_mul_down(0.1, 0.1), 1) == dusk_mul_up(0.1, 0.1));
    assert_true(dusk_mul_up(-0.1, 0.1) == -dusk_mul_down(0.1, 0.1));
    assert_true(dusk_mul_up(DBL_TRUE_MIN, DBL_TRUE_MIN) == DBL_TRUE_MIN);
    assert_true(dusk_mul_down(DBL_TRUE_MIN, DBL_TRUE_MIN) == 0);
    assert_true(dusk_mul_down(-DBL_TRUE_MIN, 0.25) == -DBL_TRUE_MIN);
    assert_true(dusk_mul_up(0x1p-1000, 0.5) == 0x1p-1001); /* exact near underflow: no step */
}

static void test_quotients(void **state)
{
    (void)state;
    assert_true(dusk_div_up(1, 4) == 0.25 && dusk_div_down(1, 4) == 0.25);
    assert_true(nextafter(dusk_div_down(1, 3), 1) == dusk_div_up(1, 3));
    assert_true(dusk_div_up(1, -3) == -dusk_div_down(1, 3));
    assert_true(dusk_div_up(DBL_TRUE_MIN, 3) == DBL_TRUE_MIN && dusk_div_down(DBL_TRUE_MIN, 3) == 0);
    assert_true(dusk_div_up(1, 0) == INFINITY && dusk_div_down(1, 0) == INFINITY); /* IEEE, no bound */
    assert_true(dusk_div_up(1, INFINITY) == 0 && isnan(dusk_div_up(0, 0)));
}

static void test_overflow(void **state)
{
    (void)state;
    assert_true(dusk_add_up(DBL_MAX, DBL_MAX) == INFINITY && dusk_add_down(DBL_MAX, DBL_MAX) == DBL_MAX);
    assert_true(dusk_add_up(-DBL_MAX, -DBL_MAX) == -DBL_MAX);
    assert_true(dusk_add_up(DBL_MAX, 1) == INFINITY && dusk_add_down(DBL_MAX, 1) == DBL_MAX);
    assert_true(dusk_mul_down(1e200, 1e200) == DBL_MAX && dusk_mul_up(-1e200, 1e200) == -DBL_MAX);
    assert_true(dusk_div_down(1e200, 1e-200) == DBL_MAX && dusk_div_up(1e200, 1e-200) == INFINITY);
    assert_true(dusk_exp_down(1e5) == DBL_MAX && dusk_exp_up(-1e5) == DBL_TRUE_MIN &&
                dusk_exp_down(-1e5) == 0);
}

static void test_infinities_pass(void **state)
{
    (void)state;
    assert_true(dusk_add_down(INFINITY, -1) == INFINITY && dusk_add_up(-INFINITY, 1) == -INFINITY);
    assert_true(isnan(dusk_add_up(INFINITY, -INFINITY)) && isnan(dusk_mul_up(0, INFINITY)));
    assert_true(dusk_mul_down(INFINITY, 2) == INFINITY && dusk_sqrt_down(INFINITY) == INFINITY);
    assert_true(isnan(dusk_sqrt_up(-1)) && isnan(dusk_log_up(-1)) && isnan(dusk_exp_up(NAN)));
    assert_true(dusk_log_down(0) == -INFINITY && dusk_log1p_down(-1) == -INFINITY);
    assert_true(dusk_exp_up(-INFINITY) == 0 && dusk_expm1_down(-INFINITY) == -1);
}

static void test_functions(void **state)
{
    (void)state;
    assert_true(dusk_sqrt_up(9) == 3 && dusk_sqrt_down(9) == 3);
    assert_true(nextafter(dusk_sqrt_down(2), 2) == dusk_sqrt_up(2));
    assert_true(dusk_exp_up(0) == 1 && dusk_exp_down(0) == 1 && dusk_log_up(1) == 0);
    assert_true(dusk_exp_up(1) == 0x1.5bf0a8b14576ap+1 && dusk_exp_down(1) == 0x1.5bf0a8b145769p+1); /* e */
    assert_true(dusk_log_up(2) == 0x1.62e42fefa39fp-1 && dusk_log_down(2) == 0x1.62e42fefa39efp-1); /* ln 2 */
    assert_true(dusk_log_down(0.5) == -0x1.62e42fefa39fp-1);
    assert_true(dusk_expm1_up(1e-300) > 1e-300 && dusk_log1p_down(1e-300) < 1e-300);
}

/* Nothing begins where bounds would be wrong: in another rounding mode, or where small numbers are zero. */
static void test_arithmetic_is_checked(void **state)
{
    (void)state;
    static const int mode[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
    for (size_t k = 0; k < 4; k++) {
        dusk_generator *gen = NULL;
        dusk_training *training;
        dusk_train_options o;
        dusk_train_options_init(&o);
        assert_int_equal(fesetround(mode[k]), 0);
        const dusk_status one = dusk_check_arithmetic(NULL), two = dusk_generator_new(&gen, NULL);
        const dusk_status three =
            one == DUSK_OK ? one : dusk_training_prepare(&training, "net", NULL, &o, NULL);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(one, mode[k] == FE_TONEAREST ? DUSK_OK : DUSK_ERR_UNSUPPORTED);
        assert_int_equal(two, one);
        assert_int_equal(three, one);
        assert_true((gen == NULL) == (one != DUSK_OK));
        dusk_generator_free(gen);
    }
#ifdef __SSE2__
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zeros */
    const dusk_status flushed = dusk_check_arithmetic(NULL);
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
    assert_int_equal(flushed, DUSK_ERR_UNSUPPORTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_infinities_pass),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_arithmetic_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
