/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of shuffled reports against Arb: the hockey-stick divergence of the two
 * laws of message counts that each theorem compares, in both directions, summed
 * over all counts. The bound is never below it and within 1e-9 of it. For many
 * reports, where no sum over all counts ends, one-dimensional sums in Arb. */
#include <math.h>

#include <arb.h>

#include "accounting/accountants.h"
#include "accounting/shuffle.h"
#include "support.h"

#define BITS 256
#define TOLERANCE 1e-9
#define N_MAX 64

/* What n - 1 units send with these probabilities whatever they have, and the
 * one unit: first and second (exchanged for its other data), third. */
typedef struct pair {
    arb_t r, rest, other; /* each of two, the third, none of them */
    arb_t first, second, third;
} pair;

static void pair_init(pair *x)
{
    arb_init(x->r), arb_init(x->rest), arb_init(x->other);
    arb_init(x->first), arb_init(x->second), arb_init(x->third);
}

static void pair_clear(pair *x)
{
    arb_clear(x->r), arb_clear(x->rest), arb_clear(x->other);
    arb_clear(x->first), arb_clear(x->second), arb_clear(x->third);
}

static void pair_make(pair *x, dusk_shuffle_bound bound, double local_epsilon)
{
    arb_t p, t;
    arb_init(p), arb_init(t);
    arb_set_d(p, local_epsilon);
    arb_exp(p, p, BITS);
    arb_add_ui(t, p, 1, BITS);
    arb_inv(x->second, t, BITS); /* 1/(p+1) */
    if (bound.kind == DUSK_BLANKET_RESPONSE) {
        arb_add_ui(t, p, bound.answers - 1, BITS);
        arb_inv(x->second, t, BITS);
    } else if (bound.kind == DUSK_BLANKET_VARIATION) {
        arb_sub_ui(t, p, 1, BITS);
        arb_set_d(x->second, bound.variation);
        arb_div(x->second, x->second, t, BITS);
    }
    arb_mul(x->first, x->second, p, BITS);
    arb_add(t, x->first, x->second, BITS);
    arb_sub_ui(t, t, 1, BITS);
    arb_neg(x->third, t);
    arb_set(x->r, x->second);
    arb_zero(x->rest);
    if (bound.kind == DUSK_BLANKET_CLONES) {
        arb_inv(x->r, p, BITS);
        arb_mul_2exp_si(x->r, x->r, -1);
    }
    if (bound.kind == DUSK_BLANKET_RESPONSE) arb_set(x->rest, x->third);
    if (bound.kind == DUSK_BLANKET_VARIATION) arb_div(x->rest, x->third, p, BITS);
    if (bound.kind == DUSK_BLANKET_CLONES || bound.kind == DUSK_BLANKET_STRONGER_CLONES) arb_zero(x->third);
    arb_mul_2exp_si(t, x->r, 1);
    arb_add(t, t, x->rest, BITS);
    arb_sub_ui(t, t, 1, BITS);
    arb_neg(x->other, t);
    arb_clear(p), arb_clear(t);
}

/* Powers over factorials: x^i/i!. */
static void powers(arb_t *out, const arb_t x, slong n)
{
    for (slong i = 0; i <= n; i++) {
        if (i == 0) {
            arb_one(out[0]);
        } else {
            arb_mul(out[i], out[i - 1], x, BITS);
            arb_div_ui(out[i], out[i], (ulong)i, BITS);
        }
    }
}

typedef struct tables {
    arb_t r[N_MAX + 1], rest[N_MAX + 1], other[N_MAX + 1];
    slong n; /* units that send from the blanket or elsewhere */
} tables;

/* P(counts are a, b, c) / n!, 0 when one is negative. */
static void chance(arb_t out, const tables *t, slong a, slong b, slong c)
{
    slong d = t->n - a - b - c;
    if (a < 0 || b < 0 || c < 0 || d < 0) {
        arb_zero(out);
        return;
    }
    arb_mul(out, t->r[a], t->r[b], BITS);
    arb_mul(out, out, t->rest[c], BITS);
    arb_mul(out, out, t->other[d], BITS);
}

/* Sum of (P - e^epsilon Q)+; `reverse` exchanges P and Q. */
static void truth(arb_t out, dusk_shuffle_bound bound, slong n, double local_epsilon, double epsilon,
                  bool reverse)
{
    static tables t; /* large */
    pair x;
    arb_t e, p, q, m;
    pair_init(&x);
    arb_init(e), arb_init(p), arb_init(q), arb_init(m);
    pair_make(&x, bound, local_epsilon);
    for (slong i = 0; i <= N_MAX; i++) arb_init(t.r[i]), arb_init(t.rest[i]), arb_init(t.other[i]);
    t.n = n - 1;
    powers(t.r, x.r, n);
    powers(t.rest, x.rest, n);
    powers(t.other, x.other, n);
    arb_set_d(e, epsilon);
    arb_exp(e, e, BITS);
    arb_zero(out);
    for (slong a = 0; a <= n; a++)
        for (slong b = 0; a + b <= n; b++)
            for (slong c = 0; c <= (arb_is_zero(x.rest) ? 0 : n - a - b); c++) {
                chance(m, &t, a - 1, b, c);
                arb_mul(p, x.first, m, BITS);
                arb_mul(q, x.second, m, BITS);
                chance(m, &t, a, b - 1, c);
                arb_addmul(p, x.second, m, BITS);
                arb_addmul(q, x.first, m, BITS);
                chance(m, &t, a, b, c - 1);
                arb_addmul(p, x.third, m, BITS);
                arb_addmul(q, x.third, m, BITS);
                if (reverse) arb_swap(p, q);
                arb_submul(p, e, q, BITS);
                arb_zero(m);
                arb_max(p, p, m, BITS);
                arb_add(out, out, p, BITS);
            }
    arb_fac_ui(m, (ulong)(n - 1), BITS);
    arb_mul(out, out, m, BITS);
    for (slong i = 0; i <= N_MAX; i++) arb_clear(t.r[i]), arb_clear(t.rest[i]), arb_clear(t.other[i]);
    arb_clear(e), arb_clear(p), arb_clear(q), arb_clear(m);
    pair_clear(&x);
}

/* truth <= bound <= truth (1 + tolerance) */
static void assert_encloses(const arb_t exact, double bound, double tolerance, const char *what)
{
    arb_t x, y;
    arb_init(x), arb_init(y);
    arb_set_d(x, bound);
    arb_set_d(y, 1 + tolerance);
    arb_mul(y, y, exact, BITS);
    bool below = !arb_le(exact, x), above = arb_gt(x, y);
    if (below || above)
        fail_msg("%s: %.17g is %s %.17g", what, bound, below ? "below" : "too far above",
                 arf_get_d(arb_midref(exact), ARF_RND_NEAR));
    arb_clear(x), arb_clear(y);
}

static void check_delta(dusk_shuffle_bound bound, slong n, double local_epsilon, double epsilon)
{
    char what[120];
    arb_t exact, reverse;
    arb_init(exact), arb_init(reverse);
    truth(exact, bound, n, local_epsilon, epsilon, false);
    truth(reverse, bound, n, local_epsilon, epsilon, true);
    snprintf(what, sizeof what, "kind %d n %ld local %g epsilon %g", (int)bound.kind, (long)n, local_epsilon,
             epsilon);
    if (!arb_overlaps(exact, reverse)) fail_msg("%s: the two directions differ", what);
    double up = dusk_shuffle_bound_delta_up(bound, (uint64_t)n, local_epsilon, epsilon);
    assert_encloses(exact, up, TOLERANCE, what);
    arb_clear(exact), arb_clear(reverse);
}

static void small_sums_enclose(void **state)
{
    const slong ns[] = { 2, 3, 7, 20, 60 };
    const double locals[] = { 1e-6, 0.1, 1, 3, 9, 15 };
    const double parts[] = { 0, 0.01, 0.1, 0.4, 0.75, 0.99 };
    (void)state;
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t j = 0; j < sizeof locals / sizeof *locals; j++)
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                double local = locals[j], epsilon = parts[k] * local;
                check_delta((dusk_shuffle_bound){ .kind = DUSK_BLANKET_CLONES }, ns[i], local, epsilon);
                check_delta((dusk_shuffle_bound){ .kind = DUSK_BLANKET_STRONGER_CLONES }, ns[i], local,
                            epsilon);
                if (ns[i] > 20 && (k != 1 || j % 2)) continue; /* sums over three counts are long */
                check_delta((dusk_shuffle_bound){ .kind = DUSK_BLANKET_RESPONSE, .answers = j % 2 ? 3 : 50 },
                            ns[i], local, epsilon);
                check_delta((dusk_shuffle_bound){ .kind = DUSK_BLANKET_VARIATION,
                                                  .variation = 0.4 * tanh(local / 2) },
                            ns[i], local, epsilon);
            }
}

/* The clones of many reports: delta = Sum over m of P(M = m) E(...)+ with the
 * inner sum over all counts; costs n^2/2 terms. */
static void wide_truth(arb_t out, slong n, double local_epsilon, double epsilon)
{
    arb_t p, e, weight, ratio, inner, term, value, zero, odds;
    arb_init(p), arb_init(e), arb_init(weight), arb_init(ratio), arb_init(inner), arb_init(term);
    arb_init(value), arb_init(zero), arb_init(odds);
    arb_set_d(p, local_epsilon);
    arb_exp(p, p, BITS);
    arb_set_d(e, epsilon);
    arb_exp(e, e, BITS);
    arb_add_ui(term, p, 1, BITS);
    arb_inv(weight, term, BITS);
    arb_mul_2exp_si(weight, weight, 1);
    arb_pow_ui(weight, weight, (ulong)n, BITS); /* P(M = n) */
    arb_sub_ui(odds, p, 1, BITS);
    arb_mul_2exp_si(odds, odds, -1);
    arb_zero(out);
    for (slong m = n; m >= 1; m--) {
        arb_zero(inner);
        arb_one(term);
        arb_mul_2exp_si(term, term, -m); /* P(A = m) */
        for (slong a = m; 2 * a >= m; a--) {
            /* (p - e) a - (p e - 1)(m - a) */
            arb_sub(value, p, e, BITS);
            arb_mul_ui(value, value, (ulong)a, BITS);
            arb_mul(ratio, p, e, BITS);
            arb_sub_ui(ratio, ratio, 1, BITS);
            arb_submul_ui(value, ratio, (ulong)(m - a), BITS);
            if (!arb_is_positive(value)) break;
            arb_addmul(inner, value, term, BITS);
            arb_mul_ui(term, term, (ulong)a, BITS);
            arb_div_ui(term, term, (ulong)(m - a + 1), BITS);
        }
        arb_addmul(out, inner, weight, BITS);
        arb_mul_ui(weight, weight, (ulong)m, BITS);
        arb_div_ui(weight, weight, (ulong)(n - m + 1), BITS);
        arb_mul(weight, weight, odds, BITS);
    }
    arb_div_ui(out, out, (ulong)n, BITS);
    arb_clear(p), arb_clear(e), arb_clear(weight), arb_clear(ratio), arb_clear(inner), arb_clear(term);
    arb_clear(value), arb_clear(zero), arb_clear(odds);
}

static void wide_sums_enclose(void **state)
{
    const struct {
        slong n;
        double local_epsilon, epsilon;
    } cases[] = { { 300, 1, 0.2 },   { 300, 1, 0.9 },     { 1000, 1, 0.15 },    { 1000, 1, 0.6 },
                  { 1000, 4, 1 },    { 1000, 4, 3.9 },    { 1000, 0.1, 0.001 }, { 1500, 0.3, 0.25 },
                  { 1500, 8, 7.99 }, { 1000, 1, 0.9999 }, { 3000, 1, 0.84 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[100];
        arb_t exact;
        arb_init(exact);
        wide_truth(exact, cases[i].n, cases[i].local_epsilon, cases[i].epsilon);
        snprintf(what, sizeof what, "case %zu", i);
        double up = dusk_shuffle_delta_up((uint64_t)cases[i].n, cases[i].local_epsilon, cases[i].epsilon);
        assert_encloses(exact, up, TOLERANCE, what);
        if (i + 1 == sizeof cases / sizeof *cases) assert_true(up < 1e-280 && up > 1e-305);
        arb_clear(exact);
    }
}

/* E (A - line)+ over all m and a, line = step m + offset in units of 2^-64. */
static void excess_truth(arb_t out, const dusk_excess_sum *sum, const arb_t rho)
{
    arb_t weight, other, line, step, term, value;
    fmpz_t z;
    arb_init(weight), arb_init(other), arb_init(line), arb_init(step), arb_init(term), arb_init(value);
    fmpz_init(z);
    fmpz_set_ui(z, (ulong)(sum->step >> 32));
    fmpz_mul_2exp(z, z, 32);
    fmpz_add_ui(z, z, (ulong)(sum->step & UINT32_MAX));
    arb_set_fmpz(step, z);
    fmpz_set_ui(z, (ulong)(sum->offset >> 32));
    fmpz_mul_2exp(z, z, 32);
    fmpz_add_ui(z, z, (ulong)(sum->offset & UINT32_MAX));
    arb_set_fmpz(line, z);
    arb_mul_2exp_si(step, step, -64);
    arb_mul_2exp_si(line, line, -64);
    arb_sub_ui(other, rho, 1, BITS);
    arb_neg(other, other);
    arb_zero(out);
    for (ulong m = 1; m <= sum->trials; m++) {
        arb_add(line, line, step, BITS);
        arb_bin_uiui(weight, (ulong)sum->trials, m, BITS);
        arb_pow_ui(term, rho, m, BITS);
        arb_mul(weight, weight, term, BITS);
        arb_pow_ui(term, other, (ulong)sum->trials - m, BITS);
        arb_mul(weight, weight, term, BITS);
        arb_mul_2exp_si(weight, weight, -(slong)m);
        arb_one(term);
        for (ulong a = m; a > 0; a--) {
            arb_sub_ui(value, line, a, BITS);
            arb_neg(value, value);
            if (!arb_is_positive(value)) break;
            arb_mul(value, value, term, BITS);
            arb_addmul(out, value, weight, BITS);
            arb_mul_ui(term, term, a, BITS);
            arb_div_ui(term, term, m - a + 1, BITS);
        }
    }
    arb_clear(weight), arb_clear(other), arb_clear(line), arb_clear(step), arb_clear(term), arb_clear(value);
    fmpz_clear(z);
}

static double uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* Any line above m/2, any odds. */
static void excess_sums_enclose(void **state)
{
    uint64_t seed = 3;
    mpfr_t log_rho, log_rest, bound;
    arb_t rho, exact;
    (void)state;
    mpfr_inits2(160, log_rho, log_rest, bound, (mpfr_ptr)0);
    arb_init(rho), arb_init(exact);
    for (int i = 0; i < 200; i++) {
        dusk_excess_sum sum = { .trials = 1 + splitmix64(&seed) % (i % 10 ? 40 : 250),
                                .odds = exp(16 * uniform(&seed) - 8) };
        double step = uniform(&seed), offset = fmax(0, 0.5 - step) * (double)sum.trials;
        offset += i % 3 ? 0.2 * uniform(&seed) * (double)sum.trials : 0;
        sum.step = (dusk_uint128)ldexp(step, 64);
        sum.offset = (dusk_uint128)ldexp(offset, 64);
        mpfr_set_d(log_rho, sum.odds, MPFR_RNDN);
        mpfr_log1p(log_rho, log_rho, MPFR_RNDN);
        mpfr_neg(log_rho, log_rho, MPFR_RNDN);
        mpfr_set_d(log_rest, sum.odds, MPFR_RNDN);
        mpfr_log(log_rest, log_rest, MPFR_RNDN);
        mpfr_add(log_rest, log_rest, log_rho, MPFR_RNDN);
        sum.log_rho = log_rho;
        sum.log_rest = log_rest;
        dusk_excess_sum_up(bound, &sum);
        arb_set_d(rho, sum.odds);
        arb_add_ui(rho, rho, 1, BITS);
        arb_inv(rho, rho, BITS);
        excess_truth(exact, &sum, rho);
        char what[100];
        snprintf(what, sizeof what, "case %d: %lu trials, odds %g, step %g", i, (unsigned long)sum.trials,
                 sum.odds, step);
        /* Rounded to a double the bound is still one; a tiny sum has a tail that shows. */
        double up = mpfr_get_d(bound, MPFR_RNDU);
        if (arf_cmpabs_2exp_si(arb_midref(exact), -200) > 0) assert_encloses(exact, up, 1e-8, what);
    }
    mpfr_clears(log_rho, log_rest, bound, (mpfr_ptr)0);
    arb_clear(rho), arb_clear(exact);
}

/* An epsilon is enough, and the one a little smaller is not. */
static void epsilons_enclose(void **state)
{
    const double deltas[] = { 1e-12, 1e-6, 1e-3, 0.05 };
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
            dusk_shuffle_bound bound = { .kind = (dusk_blanket_kind)kind, .variation = 0.2, .answers = 5 };
            double epsilon = dusk_shuffle_bound_epsilon_up(bound, 30, 1, deltas[i]);
            arb_t exact, target;
            arb_init(exact), arb_init(target);
            arb_set_d(target, deltas[i]);
            truth(exact, bound, 30, 1, epsilon, false);
            if (!arb_le(exact, target)) fail_msg("kind %d delta %g: %.17g", kind, deltas[i], epsilon);
            if (epsilon > 0) {
                truth(exact, bound, 30, 1, epsilon * (1 - 1e-8), false);
                if (!arb_gt(exact, target))
                    fail_msg("kind %d delta %g: %.17g is too large", kind, deltas[i], epsilon);
            }
            arb_clear(exact), arb_clear(target);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sums_enclose),
        cmocka_unit_test(wide_sums_enclose),
        cmocka_unit_test(epsilons_enclose),
        cmocka_unit_test(excess_sums_enclose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
