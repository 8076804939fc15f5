/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice accountant as its callers see it: reference values, both bounds,
 * monotone answers, hostile input, failing allocations. */
#include <float.h>
#include <math.h>

#include "accounting/accountants.h"
#include "base/memory.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void resolve(dusk_pairs *out, const char *text, dusk_direction direction)
{
    dusk_composition *composition;
    dusk_error err = { 0 };
    dusk_neighbours neighbours = direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    assert_int_equal(dusk_composition_new(&composition, neighbours, &err), DUSK_OK);
    assert_int_equal(dusk_composition_parse(composition, text, &err), DUSK_OK);
    assert_int_equal(dusk_pairs_resolve(out, composition, direction, "lattice", &err), DUSK_OK);
    for (size_t i = 0; i < out->count; i++) out->pair[i].tree = NULL;
    dusk_composition_free(composition);
}

static dusk_bound epsilon_of(const char *text, dusk_direction direction, double delta)
{
    dusk_pairs pairs;
    dusk_bound out;
    resolve(&pairs, text, direction);
    assert_int_equal(dusk_lattice_epsilon(&out, &pairs, delta, NULL), DUSK_OK);
    dusk_pairs_free(&pairs);
    return out;
}

static dusk_bound delta_of(const char *text, dusk_direction direction, double epsilon)
{
    dusk_pairs pairs;
    dusk_bound out;
    resolve(&pairs, text, direction);
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
    { "poisson(0.01, gaussian(1)) * 100", DUSK_REMOVE, 1e-5, 0.7180356613388083, 1e-6 },
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(encloses_known_values) };
    (void)delta_of;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
