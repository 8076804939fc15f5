/* SPDX-License-Identifier: Apache-2.0 */
/* Shuffled reports: ends of the range, monotone where the truth is, bounds in the
 * order that theory gives them, and the guard of the theorems themselves: for few
 * reports the true delta of shuffled randomized response, by enumeration. */
#include <float.h>
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/shuffle.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define ANSWERS_MAX 4
#define REPORTS_MAX 5

static const dusk_shuffle_bound clones = { .kind = DUSK_BLANKET_CLONES };

static void ends(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= UINT64_MAX / 1000; n *= 1000) {
        assert_true(dusk_shuffle_epsilon_up(n, 1, 0) == 1);
        assert_true(dusk_shuffle_epsilon_up(n, 0, 0) == 0);
        assert_true(dusk_shuffle_epsilon_up(n, 0, 1e-6) == 0);
        assert_true(dusk_shuffle_epsilon_up(n, 1, 1) == 0);
        assert_true(dusk_shuffle_delta_up(n, 1, 1) == 0);
        assert_true(dusk_shuffle_delta_up(n, 0, 0) == 0);
        assert_true(dusk_shuffle_epsilon_up(n, 1000, 1e-6) <= 1000);
        assert_true(dusk_shuffle_epsilon_up(n, 1000, 1e-6) > 999);
        assert_true(dusk_shuffle_epsilon_up(n, DBL_MAX, 1e-6) <= DBL_MAX);
    }
    /* One report: nothing to hide among. */
    double alone = dusk_shuffle_delta_up(1, 1, 0.5);
    assert_true(fabs(alone - (exp(1) - exp(0.5)) / (exp(1) + 1)) < 1e-15);
    assert_true(dusk_shuffle_delta_up(0, 1, 0.5) == 1);
    assert_true(dusk_shuffle_delta_up(5, -1, 0.5) == 1);
    assert_true(dusk_shuffle_delta_up(5, 1, NAN) == 1);
    assert_true(dusk_shuffle_epsilon_up(5, NAN, 0.5) == INFINITY);
    assert_true(dusk_shuffle_epsilon_up(5, 1, -0.5) == INFINITY);
    assert_true(dusk_shuffle_epsilon_up(5, INFINITY, 0.5) == INFINITY);
}

static void hostile_numbers_end_well(void **state)
{
    const uint64_t ns[] = { 1, 2, 3, 1000, 1000000, UINT64_MAX };
    const double locals[] = { 0, DBL_TRUE_MIN, 1e-200, 1e-30, 1e-12, 0.1, 1, 12, 40, 299, 301, 1e3, 1e300 };
    const double deltas[] = { 0, DBL_TRUE_MIN, 1e-300, 1e-12, 0.5, 1 - 0x1p-53 };
    (void)state;
    for (size_t i = 0; i < COUNT(ns); i++)
        for (size_t j = 0; j < COUNT(locals); j++)
            for (size_t k = 0; k < COUNT(deltas); k++) {
                double epsilon = dusk_shuffle_epsilon_up(ns[i], locals[j], deltas[k]);
                if (!(epsilon >= 0 && epsilon <= locals[j]))
                    fail_msg("n %zu local %g delta %g: %g", i, locals[j], deltas[k], epsilon);
                double delta = dusk_shuffle_delta_up(ns[i], locals[j], epsilon);
                if (!(delta >= 0 && delta <= 1 && delta <= deltas[k] + 1e-15))
                    fail_msg("n %zu local %g delta %g: back to %g", i, locals[j], deltas[k], delta);
            }
    assert_true(dusk_shuffle_response_epsilon_up(1000, 1, UINT64_MAX, 1e-6) < 1e-5);
}

static void monotone(void **state)
{
    (void)state;
    double before = 1;
    for (uint64_t n = 1; n <= 1000000000; n *= 10) {
        double epsilon = dusk_shuffle_epsilon_up(n, 1, 1e-6);
        assert_true(epsilon <= before && epsilon > 0);
        before = epsilon;
    }
    before = 0;
    for (double local = 0.01; local < 20; local *= 1.5) {
        double epsilon = dusk_shuffle_epsilon_up(10000, local, 1e-6);
        assert_true(epsilon >= before);
        before = epsilon;
    }
    before = INFINITY;
    for (double delta = 1e-300; delta < 0.1; delta *= 1e20) {
        double epsilon = dusk_shuffle_epsilon_up(100000, 1, delta);
        assert_true(epsilon < before);
        before = epsilon;
    }
    before = 1;
    for (double epsilon = 0; epsilon < 1; epsilon += 0.01) {
        double delta = dusk_shuffle_delta_up(1000, 1, epsilon);
        assert_true(delta <= before);
        before = delta;
    }
    before = 1;
    for (uint64_t answers = 2; answers < 100000; answers *= 3) {
        double epsilon = dusk_shuffle_response_epsilon_up(1000, 1, answers, 1e-6);
        assert_true(epsilon < before && epsilon > 0);
        before = epsilon;
    }
}

static void names_are_in_order(void **state)
{
    (void)state;
    for (uint64_t n = 10; n <= 1000000; n *= 10)
        for (double local = 0.1; local < 10; local *= 3) {
            double first = dusk_shuffle_bound_epsilon_up(clones, n, local, 1e-6);
            double worst = dusk_shuffle_epsilon_up(n, local, 1e-6);
            dusk_shuffle_bound half = { .kind = DUSK_BLANKET_VARIATION, .variation = tanh(local / 2) / 2 };
            double variation = dusk_shuffle_bound_epsilon_up(half, n, local, 1e-6);
            assert_true(worst <= first && variation < worst * (1 + 1e-3) && variation > 0);
            assert_true(dusk_shuffle_response_epsilon_up(n, local, 2, 1e-6) == worst);
            assert_true(dusk_shuffle_response_epsilon_up(n, local, 10, 1e-6) <= worst);
        }
}

/* The law of the counts of `answers` answers among `reports` reports, as a table
 * by the mixed-radix number of the counts. */
typedef struct law {
    double p[1296];
} law;

static size_t place(const unsigned *count, unsigned answers)
{
    size_t at = 0;
    for (unsigned y = 0; y < answers; y++) at = at * (REPORTS_MAX + 1) + count[y];
    return at;
}

static void spread(law *out, const unsigned *data, unsigned reports, unsigned answers, double local,
                   unsigned *count, double p)
{
    if (reports == 0) {
        out->p[place(count, answers)] += p;
        return;
    }
    for (unsigned y = 0; y < answers; y++) {
        double q = (y == data[0] ? exp(local) : 1) / (exp(local) + answers - 1);
        count[y]++;
        spread(out, data + 1, reports - 1, answers, local, count, p * q);
        count[y]--;
    }
}

static law law_of(const unsigned *data, unsigned reports, unsigned answers, double local)
{
    law result = { { 0 } };
    unsigned count[ANSWERS_MAX] = { 0 };
    spread(&result, data, reports, answers, local, count, 1);
    return result;
}

static double true_delta(const law *a, const law *b, double epsilon)
{
    double delta = 0;
    for (size_t i = 0; i < COUNT(a->p); i++) {
        double d = a->p[i] - exp(epsilon) * b->p[i];
        if (d > 0) delta += d;
    }
    return delta;
}

/* Unit 0 changes from answer 0 to answer 1; the others have any data. */
static void check_truth(unsigned reports, unsigned answers, double local)
{
    const double epsilons[] = { 0, 0.1, 0.3, 0.7, 1.5 };
    double worst[COUNT(epsilons)] = { 0 };
    unsigned data[REPORTS_MAX] = { 0 }, cases = 1;
    for (unsigned i = 1; i < reports; i++) cases *= answers;
    for (unsigned c = 0; c < cases; c++) {
        for (unsigned i = 1, rest = c; i < reports; i++, rest /= answers) data[i] = rest % answers;
        data[0] = 0;
        law a = law_of(data, reports, answers, local);
        data[0] = 1;
        law b = law_of(data, reports, answers, local);
        for (size_t i = 0; i < COUNT(epsilons); i++)
            worst[i] = fmax(worst[i], true_delta(&a, &b, epsilons[i]));
    }
    dusk_shuffle_bound variation = { .kind = DUSK_BLANKET_VARIATION,
                                     .variation = expm1(local) / (exp(local) + answers - 1) };
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        double response = dusk_shuffle_response_delta_up(reports, local, answers, epsilons[i]);
        double any = dusk_shuffle_delta_up(reports, local, epsilons[i]);
        double varied = dusk_shuffle_bound_delta_up(variation, reports, local, epsilons[i]);
        double slack = worst[i] * (1 - 1e-12) - 1e-15;
        if (response < slack || any < slack || varied < slack)
            fail_msg("%u reports, %u answers, local %g, epsilon %g: truth %.17g, bounds %.17g %.17g %.17g",
                     reports, answers, local, epsilons[i], worst[i], response, any, varied);
        /* With two reports nothing is lost. */
        if (reports == 2 && fabs(response - worst[i]) > 1e-8 * worst[i])
            fail_msg("%u answers, local %g, epsilon %g: %.17g is not the truth %.17g", answers, local,
                     epsilons[i], response, worst[i]);
    }
}

static void truth_is_below(void **state)
{
    (void)state;
    for (double local = 0.2; local < 5; local *= 2.2) {
        for (unsigned reports = 1; reports <= 5; reports++)
            for (unsigned answers = 2; answers <= (reports < 5 ? 4u : 3u); answers++)
                check_truth(reports, answers, local);
    }
}

/* Theorem 1 for randomized response with n reports, by all counts; good to 1e-11. */
static double response_sum(unsigned n, double local, double answers, double epsilon)
{
    double p = exp(local), e = exp(epsilon), alpha = 1 / (p + answers - 1), sum = 0;
    for (unsigned a = 0; a <= n; a++)
        for (unsigned b = 0; a + b <= n; b++)
            for (unsigned c = 0; a + b + c <= n; c++) {
                double z = (p - e) * a - (p * e - 1) * b - (e - 1) * c;
                if (!(z > 0)) break;
                unsigned d = n - a - b - c;
                double chance = lgamma(n + 1.0) - lgamma(a + 1.0) - lgamma(b + 1.0) - lgamma(c + 1.0) -
                                lgamma(d + 1.0) + (a + b) * log(alpha) + c * log((answers - 2) * alpha) +
                                d * log((p - 1) * alpha);
                sum += exp(chance) * z;
            }
    return sum / n;
}

static void blocks_are_on_the_safe_side(void **state)
{
    (void)state;
    for (double epsilon = 0.05; epsilon < 0.7; epsilon *= 2) {
        double exact = response_sum(160, 1, 3, epsilon);
        double bound = dusk_shuffle_response_delta_up(160, 1, 3, epsilon);
        if (!(bound >= exact * (1 - 1e-10) && bound < exact * 1.3 && bound > exact * (1 + 1e-7)))
            fail_msg("epsilon %g: %.17g for %.17g", epsilon, bound, exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),           cmocka_unit_test(hostile_numbers_end_well),
        cmocka_unit_test(monotone),       cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(truth_is_below), cmocka_unit_test(blocks_are_on_the_safe_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
