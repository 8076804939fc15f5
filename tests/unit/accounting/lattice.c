/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice accountant as its callers see it: reference values, both bounds,
 * monotone answers, hostile input, failing allocations. */
#include <float.h>
#include <math.h>

#include "accounting/accountants.h"
#include "base/memory.h"
#include "pairs_of.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static dusk_bound epsilon_of(const char *text, dusk_direction direction, double delta)
{
    dusk_pairs pairs;
    dusk_bound out;
    pairs = pairs_of(text, direction);
    assert_int_equal(dusk_lattice_epsilon(&out, &pairs, delta, NULL), DUSK_OK);
    dusk_pairs_free(&pairs);
    return out;
}

static dusk_bound delta_of(const char *text, dusk_direction direction, double epsilon)
{
    dusk_pairs pairs;
    dusk_bound out;
    pairs = pairs_of(text, direction);
    assert_int_equal(dusk_lattice_delta(&out, &pairs, epsilon, NULL), DUSK_OK);
    dusk_pairs_free(&pairs);
    return out;
}

/* Known to ten digits or more; `tolerance` is how close the bounds must be. */
typedef struct known {
    const char *text;
    dusk_direction direction;
    double delta, epsilon, tolerance;
} known;

static const known knowns[] = {
    { "laplace(1)", DUSK_REMOVE, 1e-5, 0.9999799999000061, 1e-8 },
    { "laplace(2) * 2", DUSK_ADD, 1e-6, 0.9999960000000101, 1e-8 },
    { "laplace(1) * 5", DUSK_REMOVE, 1e-6, 4.999968000768007, 1e-8 },
    { "laplace(0.5) * 8", DUSK_REMOVE, 1e-10, 15.999999974400453, 1e-8 },
    { "discrete_gaussian(1)", DUSK_REMOVE, 1e-6, 4.499590982194308, 1e-11 },
    { "discrete_gaussian(1) * 10", DUSK_REMOVE, 1e-6, 19.491638525066644, 1e-11 },
    { "discrete_gaussian(2) * 100", DUSK_REMOVE, 1e-6, 35.56753635255853, 1e-11 },
    { "discrete_gaussian(5) * 100", DUSK_ADD, 1e-8, 12.74934431599738, 1e-11 },
    { "discrete_laplace(2) * 10", DUSK_REMOVE, 1e-6, 4.9998854711099865, 1e-11 },
    { "discrete_laplace(10) * 100", DUSK_REMOVE, 1e-6, 4.774567588107987, 1e-11 },
    { "discrete_laplace(0.5) * 5", DUSK_REMOVE, 1e-9, 9.999999998113658, 1e-11 },
    { "randomized_response(1.6094379124341003, 4) * 10", DUSK_REPLACE, 1e-6, 16.094269167133152, 1e-11 },
    { "pure(0.1) * 10", DUSK_REMOVE, 1e-6, 0.9993709057217588, 1e-11 },
    { "approx(0.1, 1e-8) * 100", DUSK_REMOVE, 1e-5, 4.3296367140166065, 1e-11 },
    { "approx(0.05, 1e-10) * 2000", DUSK_REMOVE, 1e-6, 12.676902988937739, 1e-11 },
    { "poisson(0.5, gaussian(1))", DUSK_REMOVE, 1e-6, 4.054290564082655, 1e-8 },
    { "poisson(0.1, gaussian(1)) * 10", DUSK_REMOVE, 1e-12, 6.908306932717305, 1e-8 },
    { "poisson(0.01, gaussian(1)) * 100", DUSK_REMOVE, 1e-5, 0.7180356613388083, 4e-7 },
};

static void encloses_known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(knowns); i++) {
        const known *k = &knowns[i];
        dusk_bound b = epsilon_of(k->text, k->direction, k->delta);
        double slack = 2e-12 * k->epsilon; /* of the reference */
        if (!(b.lower <= k->epsilon + slack && b.upper >= k->epsilon - slack))
            fail_msg("%s: [%.17g, %.17g], known %.17g", k->text, b.lower, b.upper, k->epsilon);
        if (!(b.upper - b.lower <= k->tolerance * k->epsilon))
            fail_msg("%s: [%.17g, %.17g] is wide", k->text, b.lower, b.upper);
    }
}

static void questions_are_inverse(void **state)
{
    (void)state;
    const char *texts[] = { "laplace(1) * 4", "discrete_gaussian(3) * 20", "poisson(0.1, laplace(0.5)) * 6" };
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_bound e = epsilon_of(texts[i], DUSK_REMOVE, 1e-4), d = delta_of(texts[i], DUSK_REMOVE, e.upper);
        assert_true(d.lower <= 1e-4);
        assert_true(d.upper >= 0.9999e-4);
        d = delta_of(texts[i], DUSK_REMOVE, e.lower * (1 - 1e-9));
        assert_true(d.upper >= 1e-4 && d.lower > 0.9999e-4);
    }
}

static void monotone(void **state)
{
    (void)state;
    double before = 0;
    const char *more[] = { "laplace(2) * 3", "laplace(2) * 4", "laplace(2) * 4 + pure(0.01)",
                           "laplace(2) * 5 + pure(0.1)", "laplace(1.9) * 5 + pure(0.1)" };
    for (size_t i = 0; i < COUNT(more); i++) {
        dusk_bound b = epsilon_of(more[i], DUSK_REMOVE, 1e-6);
        assert_true(b.lower > before);
        before = b.upper;
    }
    before = 1;
    for (double epsilon = 0; epsilon < 2.2; epsilon += 0.3) {
        dusk_bound b = delta_of("poisson(0.3, laplace(1)) * 5", DUSK_REMOVE, epsilon);
        assert_true(b.upper < before);
        before = b.lower;
    }
}

/* Composition does not care about the order, nor about what was counted together. */
static void order_is_nothing(void **state)
{
    (void)state;
    dusk_bound a = epsilon_of("laplace(1) * 3 + laplace(2) * 2", DUSK_REMOVE, 1e-6);
    dusk_bound b = epsilon_of("laplace(2) * 2 + laplace(1) * 3", DUSK_REMOVE, 1e-6);
    assert_true(a.lower <= b.upper && b.lower <= a.upper);
    dusk_pairs pairs;
    dusk_bound c;
    pairs = pairs_of("laplace(1) * 3 + laplace(1.5) * 2", DUSK_REMOVE);
    pairs.pair[1].scale = pairs.pair[0].scale; /* five of one, in two heaps */
    assert_int_equal(dusk_lattice_epsilon(&c, &pairs, 1e-6, NULL), DUSK_OK);
    assert_true(c.lower <= 4.999968000768007 && c.upper >= 4.999968000768006);
    assert_true(c.upper - c.lower < 1e-7);
    dusk_pairs_free(&pairs);
}

static void ends(void **state)
{
    (void)state;
    dusk_bound b = epsilon_of("laplace(2) * 5", DUSK_REMOVE, 0);
    assert_true(b.lower <= 2.5 && b.upper >= 2.5 && b.upper - b.lower < 1e-14);
    b = epsilon_of("laplace(1) * 100", DUSK_REMOVE, 1e-300);
    assert_true(b.upper == 100 && b.lower > 100 - 1e-9);
    b = epsilon_of("gaussian(1)", DUSK_REMOVE, 0);
    assert_true(isinf(b.upper));
    b = delta_of("laplace(2) * 5", DUSK_REMOVE, 2.5);
    assert_true(b.upper == 0);
    b = delta_of("approx(0.1, 0.1) * 3", DUSK_REMOVE, 100);
    assert_true(b.lower <= 0.271 && b.upper >= 0.271 && b.upper - b.lower < 1e-14);
    b = epsilon_of("approx(0.1, 0.1) * 3", DUSK_REMOVE, 0.27);
    assert_true(isinf(b.lower) && isinf(b.upper));
    dusk_pairs nothing = { .direction = DUSK_REMOVE };
    assert_int_equal(dusk_lattice_epsilon(&b, &nothing, 1e-6, NULL), DUSK_OK);
    assert_true(b.lower == 0 && b.upper == 0);
    assert_int_equal(dusk_lattice_delta(&b, &nothing, 0, NULL), DUSK_OK);
    assert_true(b.lower == 0 && b.upper == 0);
}

/* A sound answer or one sentence, never a number that is none. */
static void hostile(void **state)
{
    (void)state;
    const char *texts[] = { "gaussian(1e-12)",
                            "gaussian(1e12)",
                            "laplace(1e-300)",
                            "laplace(1e300) * 4611686018427387904",
                            "poisson(1e-300, gaussian(1)) * 1000000",
                            "poisson(0.9999999999999999, gaussian(3)) * 2",
                            "poisson(0.5, laplace(0.001))",
                            "pure(1e300) * 7",
                            "pure(1e-300) * 4611686018427387904",
                            "approx(1, 0.9999999999999999) * 1000",
                            "discrete_gaussian(0.001) * 1000000",
                            "discrete_laplace(1e-9) * 10",
                            "laplace(1) * 4611686018427387904",
                            "poisson(0.01, gaussian(1)) * 4611686018427387904" };
    const double deltas[] = { 0, 1e-300, 1e-6, 0.9 };
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_pairs pairs;
        pairs = pairs_of(texts[i], i % 2 ? DUSK_ADD : DUSK_REMOVE);
        for (size_t j = 0; j < COUNT(deltas); j++) {
            dusk_bound b = { -1, -1 };
            dusk_error err = { 0 };
            dusk_status status = dusk_lattice_epsilon(&b, &pairs, deltas[j], &err);
            if (status == DUSK_OK)
                assert_true(b.lower >= 0 && b.upper >= b.lower);
            else
                assert_true(status == DUSK_ERR_UNSUPPORTED && err.message[0] && b.lower == -1);
        }
        dusk_pairs_free(&pairs);
    }
    dusk_bound b;
    dusk_pairs pairs;
    pairs = pairs_of("laplace(1)", DUSK_REMOVE);
    assert_int_equal(dusk_lattice_epsilon(&b, &pairs, (double)NAN, NULL), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_lattice_delta(&b, &pairs, (double)INFINITY, NULL), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_lattice_delta(&b, &pairs, -1, NULL), DUSK_ERR_UNSUPPORTED);
    dusk_pairs_free(&pairs);
}

static void without_memory(void **state)
{
    (void)state;
    const char *texts[] = { "discrete_gaussian(2) * 3", "laplace(1) * 3", "laplace(1) + laplace(2)" };
    for (size_t i = 0; i < COUNT(texts); i++) {
        dusk_pairs pairs;
        pairs = pairs_of(texts[i], DUSK_REMOVE);
        for (long n = 1;; n++) {
            dusk_bound b = { -1, -1 };
            dusk_memory_fail_at(n);
            dusk_status status = dusk_lattice_epsilon(&b, &pairs, 1e-3, NULL);
            dusk_memory_fail_at(0);
            if (status == DUSK_OK) break;
            assert_int_equal(status, DUSK_ERR_MEMORY);
            assert_true(b.lower == -1);
            assert_true(n < 1000);
        }
        dusk_pairs_free(&pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encloses_known_values),
        cmocka_unit_test(questions_are_inverse),
        cmocka_unit_test(monotone),
        cmocka_unit_test(order_is_nothing),
        cmocka_unit_test(ends),
        cmocka_unit_test(hostile),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
