/* SPDX-License-Identifier: Apache-2.0 */
/* The standard subjects draw from the laws that their truths are computed from: counts of
 * patterns, of winners, of bits and of cells of the line against the oracles (chi-square), and
 * exported densities against those of the draws. All tests together fail by chance with
 * probability 1e-6. DUSK_SEED chooses other coins. */
#include <math.h>
#include <stdlib.h>

#include "audit/subject_kit.h"
#include "numeric/special.h"
#include "support.h"

enum { DRAWS = 400000, LENGTH_MAX = 20, CELLS_MAX = 1 << 10, TESTS_MAX = 100 };

static double outputs[DRAWS * LENGTH_MAX], densities[DRAWS];
static double seen[CELLS_MAX], law[CELLS_MAX];

static uint64_t seed_of(uint64_t own)
{
    const char *text = getenv("DUSK_SEED");
    return own + 1000003 * (text ? strtoull(text, NULL, 10) : 20261116);
}

static const audit_subject *find(const char *name)
{
    static const audit_subject *const tables[] = { audit_additive_subjects, audit_discrete_subjects,
                                                   audit_noisy_max_subjects, audit_sparse_vector_subjects };
    for (int t = 0; t < 4; t++)
        for (const audit_subject *s = tables[t]; s->says.name; s++)
            if (!strcmp(s->says.name, name)) return s;
    fail_msg("%s", name);
    return NULL;
}

static audit_case open_subject(const char *name, double epsilon)
{
    static uint64_t opened;
    audit_case c;
    assert_int_equal(find(name)->open(&c, epsilon, seed_of(opened++), NULL, NULL), DUSK_OK);
    return c;
}

static void draw(const audit_case *c, const double *input)
{
    assert_true(c->sampler.output_length <= LENGTH_MAX);
    assert_int_equal(c->sampler.draw(c->sampler.context, outputs, DRAWS, input, NULL), DUSK_OK);
}

/* seen against law; cells that expect fewer than 10 are taken together. */
static void check_law(size_t cells)
{
    double chi2 = 0, rest_seen = 0, rest_law = 0, sum = 0;
    int used = -1;
    for (size_t i = 0; i < cells; i++) sum += law[i];
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t i = 0; i <= cells; i++) {
        double have = i < cells ? seen[i] : rest_seen, want = DRAWS * (i < cells ? law[i] : rest_law);
        if (i < cells && want < 10) {
            rest_seen += have;
            rest_law += law[i];
            continue;
        }
        if (want < 10) {
            assert_true(have < 80);
            continue;
        }
        chi2 += (have - want) * (have - want) / want;
        used++;
    }
    assert_true(used >= 1);
    assert_true(dusk_gamma_q(used / 2.0, chi2 / 2) > 1e-6 / TESTS_MAX);
}

/* The cell of a pattern: bits, or the place of the first 1 (none: the length). */
static void count_patterns(size_t length, bool stops)
{
    memset(seen, 0, sizeof seen);
    for (size_t k = 0; k < DRAWS; k++) {
        const double *x = outputs + k * length;
        size_t cell = 0;
        if (stops) {
            while (cell < length && x[cell] == 0) cell++;
            for (size_t i = cell + 1; i < length; i++) assert_true(isnan(x[i]));
        } else
            for (size_t i = 0; i < length; i++) cell |= (size_t)(x[i] == 1) << i;
        seen[cell]++;
    }
}

static void test_sparse_vectors(void **state)
{
    static const char *const names[] = { "svt1", "svt4", "svt5", "svt6" };
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int run = 0; run < 4; run++) {
            audit_case c = open_subject(names[i], run < 2 ? 0.1 : 0.7);
            const audit_kit *kit = c.sampler.context;
            const double *input = c.pairs[(size_t)run / 2 % c.pair_count].input[run % 2];
            draw(&c, input);
            count_patterns(10, kit->svt.stops);
            assert_true(audit_svt_law(law, &kit->svt, input));
            check_law(audit_svt_patterns(&kit->svt));
            c.close(c.sampler.context);
        }
}

/* The first answer above of svt2; and the second, given where the first was. */
static void test_redrawn(void **state)
{
    audit_case c = open_subject("svt2", 0.7);
    const audit_kit *kit = c.sampler.context;
    const double *input = c.pairs[0].input[0];
    audit_svt rest = kit->svt;
    double first[11], then[11];
    (void)state;
    draw(&c, input);
    memset(seen, 0, sizeof seen);
    memset(law, 0, sizeof law);
    for (size_t k = 0; k < DRAWS; k++) {
        const double *x = outputs + k * 10;
        size_t a = 0, b;
        while (a < 10 && x[a] == 0) a++;
        b = a + 1;
        while (b < 10 && x[b] == 0) b++;
        seen[11 * a + (a < 10 ? (b < 10 ? b : 10) : 10)]++;
    }
    assert_true(audit_svt_law(first, &kit->svt, input));
    for (size_t a = 0; a < 10; a++) {
        rest.queries = 9 - a;
        if (a == 9)
            law[11 * 9 + 10] = first[9];
        else {
            assert_true(audit_svt_law(then, &rest, input + a + 1));
            for (size_t b = 0; b <= 9 - a; b++) law[11 * a + a + 1 + b] = first[a] * then[b];
        }
    }
    law[11 * 10 + 10] = first[10];
    check_law(11 * 11);
    c.close(c.sampler.context);
}

/* Where it stops, and in which of 16 cells the value lies: integrals of the density by the
 * same rule that is good for pieces without kinks; edges at the kinks and between. */
enum { EDGES = 17 };
static const double edges[EDGES] = { -40, -20, -12, -8, -4, -2, -1, 0, 1, 2, 3, 4, 6, 9, 14, 25, 45 };

static double cell_mass(const audit_shown *shown, size_t below, double from, double to)
{
    double at[AUDIT_RULE], measure[AUDIT_RULE], sum = 0;
    audit_rule(at, measure, from, to);
    for (int i = 0; i < AUDIT_RULE; i++)
        sum += measure[i] * exp(audit_shown_log_density(shown, below, at[i]));
    return sum;
}

static void count_values(size_t length, size_t index, size_t value)
{
    memset(seen, 0, sizeof seen);
    for (size_t k = 0; k < DRAWS; k++) {
        double below = outputs[k * length + index], v = outputs[k * length + value];
        size_t cell = 0;
        if (isnan(below)) {
            assert_true(isnan(v));
            seen[0]++;
            continue;
        }
        while (cell < EDGES && v >= edges[cell]) cell++;
        seen[1 + 18 * (size_t)below + cell]++;
    }
}

static void test_shown(void **state)
{
    static audit_shown shown;
    audit_case c = open_subject("svt3", 0.7);
    const audit_kit *kit = c.sampler.context;
    const double *input = c.pairs[0].input[0];
    double stop[11];
    (void)state;
    draw(&c, input);
    count_values(2, 0, 1);
    assert_true(audit_shown_make(&shown, &kit->svt, input));
    assert_true(audit_svt_law(stop, &kit->svt, input));
    law[0] = stop[10];
    for (size_t k = 0; k < 10; k++) {
        double inside = 0;
        for (size_t i = 1; i < EDGES; i++)
            inside += law[1 + 18 * k + i] = cell_mass(&shown, k, edges[i - 1], edges[i]);
        law[1 + 18 * k] = cell_mass(&shown, k, -150, edges[0]);
        law[1 + 18 * k + 17] = stop[k] - inside - law[1 + 18 * k];
    }
    check_law(1 + 18 * 10);
    c.close(c.sampler.context);
}

/* Fresh noise is independent of the pattern. */
static void test_numerical(void **state)
{
    audit_case c = open_subject("numerical-svt", 0.7);
    const audit_kit *kit = c.sampler.context;
    const double *input = c.pairs[0].input[1];
    double stop[11];
    (void)state;
    draw(&c, input);
    count_values(2, 0, 1);
    assert_true(audit_svt_law(stop, &kit->svt, input));
    law[0] = stop[10];
    for (size_t k = 0; k < 10; k++)
        for (size_t i = 0; i <= EDGES; i++) {
            double above = i == 0 ? 1 : audit_laplace_tail(edges[i - 1] - input[k], kit->scale[2]);
            double next = i == EDGES ? 0 : audit_laplace_tail(edges[i] - input[k], kit->scale[2]);
            law[1 + 18 * k + i] = stop[k] * (above - next);
        }
    check_law(1 + 18 * 10);
    c.close(c.sampler.context);
}

static void test_winners(void **state)
{
    static const char *const names[] = { "rnm1", "rnm2" };
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int side = 0; side < 2; side++) {
            audit_case c = open_subject(names[i], 0.7);
            const audit_kit *kit = c.sampler.context;
            const double *input = c.pairs[1].input[side];
            draw(&c, input);
            memset(seen, 0, sizeof seen);
            for (size_t k = 0; k < DRAWS; k++) seen[(size_t)outputs[k]]++;
            assert_true(audit_argmax_law(law, input, 5, kit->scale[0], i == 1));
            check_law(5);
            c.close(c.sampler.context);
        }
}

/* Whole numbers by a law in closed form: two-sided geometric noise, and its ends clamped. */
static void test_geometric(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        audit_case c = open_subject(clamped ? "truncated-geometric" : "geometric", 0.7);
        const audit_kit *kit = c.sampler.context;
        double a = exp(-kit->scale[0]), input = c.pairs[0].input[1][0];
        int from = clamped ? 0 : -20, to = clamped ? 5 : 20;
        draw(&c, c.pairs[0].input[1]);
        memset(seen, 0, sizeof seen);
        for (size_t k = 0; k < DRAWS; k++) seen[(size_t)(fmin(fmax(outputs[k], from), to) - from)]++;
        for (int z = from; z <= to; z++)
            law[z - from] = (z > from && z < to ? 1 - a : 1) / (1 + a) * pow(a, fabs(z - input));
        check_law((size_t)(to - from + 1));
        c.close(c.sampler.context);
    }
}

static void test_discrete_gaussian(void **state)
{
    audit_case c = open_subject("discrete-gaussian", 0.7);
    const audit_kit *kit = c.sampler.context;
    double sum = 0;
    (void)state;
    draw(&c, c.pairs[0].input[0]);
    memset(seen, 0, sizeof seen);
    for (size_t k = 0; k < DRAWS; k++) {
        assert_true(fabs(outputs[k]) <= 500);
        seen[(size_t)(outputs[k] + 500)]++;
    }
    for (int z = -500; z <= 500; z++) sum += exp(-0.5 * z * z / (kit->scale[0] * kit->scale[0]));
    for (int z = -500; z <= 500; z++)
        law[z + 500] = exp(-0.5 * z * z / (kit->scale[0] * kit->scale[0])) / sum;
    check_law(1001);
    c.close(c.sampler.context);
}

/* The mean of q(x)/p(x) over draws of p is 1, and lies within [e^-b, e^b] with b bounded: a
 * density that is not that of the sampler moves it. */
static void check_density(const char *name, double epsilon)
{
    audit_case c = open_subject(name, epsilon);
    for (int side = 0; side < 2; side++) {
        const double *p = c.pairs[0].input[side], *q = c.pairs[0].input[!side];
        double sum = 0, squares = 0;
        draw(&c, p);
        assert_int_equal(c.sampler.log_density(c.sampler.context, densities, outputs, DRAWS, p, NULL),
                         DUSK_OK);
        for (size_t k = 0; k < DRAWS; k++) sum -= densities[k] / DRAWS;
        assert_true(isfinite(sum)); /* what was drawn is possible */
        static double other[DRAWS];
        assert_int_equal(c.sampler.log_density(c.sampler.context, other, outputs, DRAWS, q, NULL), DUSK_OK);
        sum = 0;
        for (size_t k = 0; k < DRAWS; k++) {
            double ratio = exp(other[k] - densities[k]);
            sum += ratio;
            squares += ratio * ratio;
        }
        double mean = sum / DRAWS, spread = sqrt((squares / DRAWS - mean * mean) / DRAWS);
        assert_true(fabs(mean - 1) < 6.5 * spread + 1e-12);
    }
    c.close(c.sampler.context);
}

static void test_densities(void **state)
{
    static const char *const names[] = { "laplace",
                                         "laplace-50",
                                         "laplace-parallel",
                                         "noisy-hist1",
                                         "prefix-sum-one",
                                         "gaussian",
                                         "rappor",
                                         "one-time-rappor",
                                         "randomized-response",
                                         "rnm3",
                                         "svt1",
                                         "svt2",
                                         "svt3",
                                         "svt4",
                                         "svt6",
                                         "numerical-svt",
                                         "svt34-parallel" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_density(names[i], 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_vectors),
        cmocka_unit_test(test_redrawn),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_numerical),
        cmocka_unit_test(test_winners),
        cmocka_unit_test(test_geometric),
        cmocka_unit_test(test_discrete_gaussian),
        cmocka_unit_test(test_densities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
