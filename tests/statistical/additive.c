/* SPDX-License-Identifier: Apache-2.0 */
/* The noise laws as they are used: full width, a seeded generator, one by one
 * and in bulk, at scales from a fraction of a step to 2^52 steps. Chi-square of
 * the integers against the exact law, far tails included; low bytes; signs;
 * pairs of draws that are neighbours, or eight apart as the lanes of a vector
 * are. All tests together fail a right sampler with probability 1e-6.
 * DUSK_SEED chooses other coins. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "numeric/special.h"
#include "random/noise_additive.h"
#include "random/tape.h"
#include "support.h"

enum { N = 1 << 20, BINS = 300, GROUPS = 8, BYTES = 256 };

#define TESTS 1000 /* at least as many as there are */
#define ALPHA (1e-6 / TESTS)

static int64_t draws[N];
static uint32_t places[N]; /* the bin of each draw */

/* --- the exact laws ------------------------------------------------------------- */

/* P(K <= k) for the discrete Gaussian. Large scales: the sum is the integral up
 * to k + 1/2 with an error below 1 / (24 scale^2) [Euler-Maclaurin]. */
static double discrete_gaussian_cdf(double scale, double k)
{
    double norm = 0, sum = 0;
    if (scale > 50) return dusk_normal_cdf((k + 0.5) / scale);
    for (double i = -40 * ceil(scale); i <= 40 * ceil(scale); i++) {
        double p = exp(-i * i / (2 * scale * scale));
        norm += p;
        if (i <= k) sum += p;
    }
    return sum / norm;
}

/* P(K <= k). */
static double cdf(dusk_additive_law law, double scale, int64_t whole)
{
    double k = (double)whole, x = (k + 0.5) / scale;
    switch (law) {
    case DUSK_ADDITIVE_LAPLACE: return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;
    case DUSK_ADDITIVE_GAUSSIAN: return dusk_normal_cdf(x);
    case DUSK_ADDITIVE_GEOMETRIC: return k < 0 ? 0 : -expm1(-(k + 1) / scale);
    case DUSK_ADDITIVE_DISCRETE_LAPLACE: {
        double q = exp(-1 / scale);
        return k < 0 ? exp(k / scale) / (1 + q) : 1 - exp(-(k + 1) / scale) / (1 + q);
    }
    case DUSK_ADDITIVE_DISCRETE_GAUSSIAN: return discrete_gaussian_cdf(scale, k);
    }
    return NAN;
}

/* The least k with P(K <= k) >= p. */
static int64_t quantile(dusk_additive_law law, double scale, double p)
{
    int64_t above = (int64_t)ceil(100 * scale), below = -above;
    while (above - below > 1) {
        int64_t middle = below + (above - below) / 2;
        *(cdf(law, scale, middle) >= p ? &above : &below) = middle;
    }
    return above;
}

/* Bin i holds the k with last[i - 1] < k <= last[i]. */
typedef struct bins {
    size_t count;
    int64_t last[BINS];
    double p[BINS];
} bins;

static void add_bin(bins *b, double *before, int64_t last, double upto)
{
    if (upto - *before < 40.0 / N) return; /* too few to count: goes to the next */
    b->last[b->count] = last;
    b->p[b->count++] = upto - *before;
    *before = upto;
}

/* 256 bins of equal mass as far as atoms allow, and tails down to 2^-12. */
static void make_bins(bins *b, dusk_additive_law law, double scale)
{
    double before = 0;
    b->count = 0;
    for (int i = -3; i < 256 + 3; i++) {
        double p = i < 1 ? ldexp(1, i - 9) : i > 255 ? 1 - ldexp(1, 247 - i) : i / 256.0;
        int64_t k = quantile(law, scale, p);
        if (b->count == 0 || k > b->last[b->count - 1]) add_bin(b, &before, k, cdf(law, scale, k));
    }
    if (1 - before < 40.0 / N) { /* the rest goes to the last bin */
        b->count--;
        before -= b->p[b->count];
    }
    b->last[b->count] = INT64_MAX;
    b->p[b->count++] = 1 - before;
}

static uint32_t bin_of(const bins *b, int64_t k)
{
    uint32_t low = 0, high = (uint32_t)b->count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k <= b->last[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* --- statistics -------------------------------------------------------------------- */

typedef struct subject {
    dusk_additive_law law;
    double scale;
    bool bulk;
} subject;

static unsigned tests_made;

static void judge(const subject *s, const char *what, double p)
{
    tests_made++;
    if (!(p >= ALPHA))
        fail_msg("law %d scale %g %s: %s has p = %g", (int)s->law, s->scale, s->bulk ? "in bulk" : "by one",
                 what, p);
}

/* Pearson's chi-square, on both sides: too even is suspicious as well. Cells
 * where fewer than 20 are expected are counted together. */
static void chi_square(const subject *s, const char *what, const uint64_t *counts, const double *p,
                       size_t cells, double total)
{
    double chi = 0, freedom = -1, rare = 0, rare_expected = 0;
    for (size_t i = 0; i <= cells; i++) {
        bool last = i == cells;
        double expected = last ? rare_expected : total * p[i], count = last ? rare : (double)counts[i];
        if (expected >= 20) {
            chi += (count - expected) * (count - expected) / expected;
            freedom++;
        } else {
            rare_expected += expected;
            rare += count;
        }
    }
    if (freedom < 1) return;
    judge(s, what, 2 * fmin(dusk_gamma_q(freedom / 2, chi / 2), dusk_gamma_p(freedom / 2, chi / 2)));
}

static void check_law(const subject *s, const bins *b)
{
    uint64_t counts[BINS] = { 0 };
    for (size_t i = 0; i < N; i++) counts[places[i]]++;
    chi_square(s, "the law", counts, b->p, b->count, N);
}

/* A byte of the numbers; even where the scale is many times what it counts. */
static void check_byte(const subject *s, unsigned shift)
{
    uint64_t counts[BYTES] = { 0 };
    double p[BYTES];
    if (s->scale < ldexp(0x1p12, (int)shift + 8)) return;
    for (size_t i = 0; i < N; i++) counts[(uint64_t)draws[i] >> shift & 255]++;
    for (size_t i = 0; i < BYTES; i++) p[i] = 1.0 / BYTES;
    chi_square(s, "a low byte", counts, p, BYTES, N);
}

static void check_signs(const subject *s)
{
    double positive = 0, negative = 0;
    for (size_t i = 0; i < N; i++) {
        positive += draws[i] > 0;
        negative += draws[i] < 0;
    }
    if (s->law == DUSK_ADDITIVE_GEOMETRIC)
        assert_true(negative == 0);
    else
        judge(s, "the sign", erfc(fabs(positive - negative) / sqrt(2 * (positive + negative + 1))));
}

/* Bins taken together, of about equal mass. */
static size_t make_groups(const bins *b, uint32_t *group, double *p)
{
    size_t count = 0;
    double before = 0;
    for (size_t i = 0; i < GROUPS; i++) p[i] = 0;
    for (size_t i = 0; i < b->count; i++) {
        bool full = p[count] > 0 && (size_t)(GROUPS * (before + b->p[i] / 2)) > count;
        count += full && count + 1 < GROUPS;
        group[i] = (uint32_t)count;
        p[count] += b->p[i];
        before += b->p[i];
    }
    return count + 1;
}

/* Pairs of draws `apart` from each other, no draw in two pairs. */
static void check_pairs(const subject *s, const bins *b, size_t apart)
{
    uint32_t group[BINS];
    uint64_t counts[GROUPS * GROUPS] = { 0 };
    double p[GROUPS], both[GROUPS * GROUPS];
    size_t groups = make_groups(b, group, p), total = 0;
    for (size_t i = 0; i + apart < N; i += i % apart == apart - 1 ? apart + 1 : 1, total++)
        counts[group[places[i]] * groups + group[places[i + apart]]]++;
    for (size_t i = 0; i < groups * groups; i++) both[i] = p[i / groups] * p[i % groups];
    chi_square(s, apart == 1 ? "neighbours" : "lanes", counts, both, groups * groups, (double)total);
}

static void draw_all(const subject *s, dusk_generator *gen)
{
    dusk_additive sampler;
    dusk_additive_init(&sampler, s->law, s->scale, DUSK_WIDTH_FULL);
    if (s->bulk) {
        assert_int_equal(dusk_additive_fill(&sampler, draws, N - 5, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_additive_fill(&sampler, draws + N - 5, 5, gen, NULL), DUSK_OK);
        return;
    }
    for (size_t i = 0; i < N; i++) {
        dusk_int128 k;
        assert_int_equal(dusk_additive_draw(&sampler, &k, gen, NULL), DUSK_OK);
        assert_true(k == (int64_t)k);
        draws[i] = (int64_t)k;
    }
}

static void check_subject(const subject *s, dusk_generator *gen)
{
    static bins b;
    make_bins(&b, s->law, s->scale);
    draw_all(s, gen);
    for (size_t i = 0; i < N; i++) places[i] = bin_of(&b, draws[i]);
    check_law(s, &b);
    for (unsigned shift = 0; shift <= 32; shift += 8) check_byte(s, shift);
    check_signs(s);
    check_pairs(s, &b, 1);
    check_pairs(s, &b, 8);
}

static void check_all(dusk_additive_law law)
{
    static const double scales[] = { 0.3, 1, 5, 1000, 0x1p20, 0x1p40, 0x1p52 };
    const char *text = getenv("DUSK_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 20240601;
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed + 1000003 * (uint64_t)law, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        for (int bulk = 0; bulk < 2; bulk++) check_subject(&(subject){ law, scales[i], bulk != 0 }, gen);
    assert_true(tests_made <= TESTS);
    dusk_generator_free(gen);
}

static void test_laplace(void **state)
{
    (void)state;
    check_all(DUSK_ADDITIVE_LAPLACE);
}

static void test_gaussian(void **state)
{
    (void)state;
    check_all(DUSK_ADDITIVE_GAUSSIAN);
}

static void test_geometric(void **state)
{
    (void)state;
    check_all(DUSK_ADDITIVE_GEOMETRIC);
}

static void test_discrete_laplace(void **state)
{
    (void)state;
    check_all(DUSK_ADDITIVE_DISCRETE_LAPLACE);
}

static void test_discrete_gaussian(void **state)
{
    (void)state;
    check_all(DUSK_ADDITIVE_DISCRETE_GAUSSIAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_laplace), cmocka_unit_test(test_gaussian),
                                        cmocka_unit_test(test_geometric),
                                        cmocka_unit_test(test_discrete_laplace),
                                        cmocka_unit_test(test_discrete_gaussian) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
