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

/* A randomizer: the chance of each message for each of a unit's possible data. */
typedef struct randomizer {
    unsigned inputs, messages;
    double chance[ANSWERS_MAX][ANSWERS_MAX];
} randomizer;

static void spread(law *out, const randomizer *r, const unsigned *data, unsigned reports, unsigned *count,
                   double p)
{
    if (reports == 0) {
        out->p[place(count, r->messages)] += p;
        return;
    }
    for (unsigned y = 0; y < r->messages; y++) {
        count[y]++;
        spread(out, r, data + 1, reports - 1, count, p * r->chance[data[0]][y]);
        count[y]--;
    }
}

static law law_of(const randomizer *r, const unsigned *data, unsigned reports)
{
    law result = { { 0 } };
    unsigned count[ANSWERS_MAX] = { 0 };
    spread(&result, r, data, reports, count, 1);
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

static const double epsilons[] = { 0, 0.1, 0.3, 0.7, 1, 1.5 };

/* The largest delta when unit 0 changes from input 0 to 1, whatever the others have. */
static void true_deltas(double *worst, const randomizer *r, unsigned reports)
{
    unsigned data[REPORTS_MAX] = { 0 }, cases = 1;
    for (size_t i = 0; i < COUNT(epsilons); i++) worst[i] = 0;
    for (unsigned i = 1; i < reports; i++) cases *= r->inputs;
    for (unsigned c = 0; c < cases; c++) {
        for (unsigned i = 1, rest = c; i < reports; i++, rest /= r->inputs) data[i] = rest % r->inputs;
        data[0] = 0;
        law a = law_of(r, data, reports);
        data[0] = 1;
        law b = law_of(r, data, reports);
        for (size_t i = 0; i < COUNT(epsilons); i++)
            worst[i] = fmax(worst[i], fmax(true_delta(&a, &b, epsilons[i]), true_delta(&b, &a, epsilons[i])));
    }
}

static void assert_above(double bound, double truth, const char *what, unsigned reports, double epsilon)
{
    if (!(bound >= truth * (1 - 1e-12) - 1e-15))
        fail_msg("%s, %u reports, epsilon %g: %.17g is below the truth %.17g", what, reports, epsilon, bound,
                 truth);
}

static void check_response(unsigned reports, unsigned answers, double local)
{
    double worst[COUNT(epsilons)];
    randomizer r = { .inputs = answers, .messages = answers };
    for (unsigned x = 0; x < answers; x++)
        for (unsigned y = 0; y < answers; y++)
            r.chance[x][y] = (x == y ? exp(local) : 1) / (exp(local) + answers - 1);
    true_deltas(worst, &r, reports);
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        double bound = dusk_shuffle_response_delta_up(reports, local, answers, epsilons[i]);
        assert_above(bound, worst[i], "response", reports, epsilons[i]);
        /* With two reports nothing is lost. */
        if (reports == 2 && fabs(bound - worst[i]) > 1e-8 * worst[i])
            fail_msg("%u answers, local %g, epsilon %g: %.17g is not the truth %.17g", answers, local,
                     epsilons[i], bound, worst[i]);
    }
}

/* Any randomizer: its eps0 and total variation decide, rounded up a little. */
static void check_any(const randomizer *r, unsigned reports)
{
    double worst[COUNT(epsilons)], local = 0, variation = 0;
    for (unsigned y = 0; y < r->messages; y++) {
        for (unsigned x = 0; x < r->inputs; x++)
            for (unsigned z = 0; z < r->inputs; z++)
                local = fmax(local, log(r->chance[x][y] / r->chance[z][y]) + 1e-13);
        variation += fabs(r->chance[0][y] - r->chance[1][y]) / 2;
    }
    dusk_shuffle_bound varied = { .kind = DUSK_BLANKET_VARIATION, .variation = variation + 1e-15 };
    true_deltas(worst, r, reports);
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        assert_above(dusk_shuffle_delta_up(reports, local, epsilons[i]), worst[i], "any", reports,
                     epsilons[i]);
        assert_above(dusk_shuffle_bound_delta_up(varied, reports, local, epsilons[i]), worst[i], "variation",
                     reports, epsilons[i]);
        assert_above(dusk_shuffle_bound_delta_up(clones, reports, local, epsilons[i]), worst[i], "clones",
                     reports, epsilons[i]);
    }
}

/* Weights of 1 or e^spread, mostly, or anything between. */
static void any_randomizer_is_below(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        randomizer r = { .inputs = 3, .messages = 2 + i % 3 };
        double spread = 0.3 + 0.6 * (i % 4);
        for (unsigned x = 0; x < r.inputs; x++) {
            double sum = 0;
            for (unsigned y = 0; y < r.messages; y++) {
                double u = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
                u = u < 0.4 ? 0 : u < 0.8 ? 1 : u;
                sum += r.chance[x][y] = exp(spread * u);
            }
            for (unsigned y = 0; y < r.messages; y++) r.chance[x][y] /= sum;
        }
        for (unsigned reports = 1; reports <= 4; reports++) check_any(&r, reports);
    }
}

static void truth_is_below(void **state)
{
    (void)state;
    for (double local = 0.2; local < 5; local *= 2.2) {
        for (unsigned reports = 1; reports <= 5; reports++)
            for (unsigned answers = 2; answers <= (reports < 5 ? 4u : 3u); answers++)
                check_response(reports, answers, local);
    }
}

/* P(a and b of `units` units send the two answers), each with chance alpha. */
static double two_chance(int units, double alpha, int a, int b)
{
    int c = units - a - b;
    if (a < 0 || b < 0 || c < 0) return 0;
    double ways = tgamma(units + 1) / (tgamma(a + 1) * tgamma(b + 1) * tgamma(c + 1));
    return ways * pow(alpha, a + b) * pow(1 - 2 * alpha, c);
}

/* delta of the counts of the two answers alone. */
static double two_counts(int reports, double local, double answers, double epsilon)
{
    double p = exp(local), alpha = 1 / (p + answers - 1), delta = 0;
    for (int a = 0; a <= reports; a++)
        for (int b = 0; a + b <= reports; b++) {
            double first = alpha * two_chance(reports - 1, alpha, a - 1, b);
            double second = alpha * two_chance(reports - 1, alpha, a, b - 1);
            double neither = (1 - alpha * (p + 1)) * two_chance(reports - 1, alpha, a, b);
            delta += fmax(0, p * first + second + neither - exp(epsilon) * (first + p * second + neither));
        }
    return delta;
}

/* The counts of the two answers are not the worst case: the others tell how often the
 * unit sent neither. Who leaves them out is below the truth. */
static void the_third_count_matters(void **state)
{
    double worst[COUNT(epsilons)];
    randomizer r = { .inputs = 4, .messages = 4 };
    (void)state;
    for (unsigned x = 0; x < 4; x++)
        for (unsigned y = 0; y < 4; y++) r.chance[x][y] = (x == y ? exp(2) : 1) / (exp(2) + 3);
    true_deltas(worst, &r, 4);
    assert_true(epsilons[4] == 1);
    assert_true(two_counts(4, 2, 4, 1) < worst[4] * (1 - 1e-4));
    double bound = dusk_shuffle_response_delta_up(4, 2, 4, 1);
    assert_true(bound >= worst[4] && bound < 1.002 * worst[4]);
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
        cmocka_unit_test(ends),
        cmocka_unit_test(hostile_numbers_end_well),
        cmocka_unit_test(monotone),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(truth_is_below),
        cmocka_unit_test(any_randomizer_is_below),
        cmocka_unit_test(the_third_count_matters),
        cmocka_unit_test(blocks_are_on_the_safe_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
