/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal accountant against its definition in ball arithmetic: the loss of a
 * composition is listed outcome by outcome, and
 *     delta(eps) = P(L = inf) + sum over losses L > eps of P(L) (1 - e^(eps - L)).
 * Bounds contain it and are narrow. */
#include <arb.h>
#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "accounting/optimal.h"
#include "support.h"

#define BITS 600
#define CLASSES 16
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* n times (eps, delta)-privacy */
typedef struct class
{
    double epsilon, delta;
    unsigned long n;
} class;

typedef struct composition {
    size_t count;
    class class[CLASSES];
} composition;

/* One outcome of the classes before this one. */
static void enumerate(arb_t sum, const composition *c, size_t at, const arb_t mass, const arb_t loss,
                      const arb_t epsilon)
{
    arb_t p, q, term, next;
    if (at == c->count) {
        arb_init(term);
        arb_sub(term, epsilon, loss, BITS);
        if (arb_is_negative(term)) {
            arb_expm1(term, term, BITS);
            arb_submul(sum, mass, term, BITS);
        }
        assert_false(arb_contains_zero(term) && !arb_is_zero(term));
        arb_clear(term);
        return;
    }
    arb_init(p);
    arb_init(q);
    arb_init(term);
    arb_init(next);
    const class *k = &c->class[at];
    arb_set_d(p, -k->epsilon); /* p = (1 - delta) / (1 + e^-eps), q = p e^-eps */
    arb_exp(q, p, BITS);
    arb_add_ui(p, q, 1, BITS);
    arb_set_d(term, k->delta);
    arb_sub_ui(term, term, 1, BITS);
    arb_neg(term, term);
    arb_div(p, term, p, BITS);
    arb_mul(q, q, p, BITS);
    arb_div(p, p, q, BITS); /* from now on the ratio */
    arb_pow_ui(q, q, k->n, BITS);
    arb_mul(term, mass, q, BITS); /* all -eps */
    for (unsigned long i = 0; i <= k->n; i++) {
        arb_set_d(next, k->epsilon);
        arb_mul_si(next, next, 2 * (long)i - (long)k->n, BITS);
        arb_add(next, next, loss, BITS);
        enumerate(sum, c, at + 1, term, next, epsilon);
        arb_mul(term, term, p, BITS);
        arb_mul_ui(term, term, k->n - i, BITS);
        arb_div_ui(term, term, i + 1, BITS);
    }
    arb_clear(p);
    arb_clear(q);
    arb_clear(term);
    arb_clear(next);
}

static void truth(arb_t delta, const composition *c, double epsilon)
{
    arb_t mass, loss, e;
    arb_init(mass);
    arb_init(loss);
    arb_init(e);
    arb_one(delta); /* 1 - product of (1 - delta_i)^n_i */
    for (size_t i = 0; i < c->count; i++) {
        arb_set_d(e, c->class[i].delta);
        arb_sub_ui(e, e, 1, BITS);
        arb_neg(e, e);
        arb_pow_ui(e, e, c->class[i].n, BITS);
        arb_mul(delta, delta, e, BITS);
    }
    arb_sub_ui(delta, delta, 1, BITS);
    arb_neg(delta, delta);
    arb_one(mass);
    arb_zero(loss);
    arb_set_d(e, epsilon);
    enumerate(delta, c, 0, mass, loss, e);
    arb_clear(mass);
    arb_clear(loss);
    arb_clear(e);
}

static dusk_pairs resolve(const composition *c)
{
    dusk_composition *made;
    dusk_pairs pairs;
    dusk_event event;
    dusk_error err;
    assert_int_equal(dusk_composition_new(&made, DUSK_REPLACE_ONE, &err), DUSK_OK);
    for (size_t i = 0; i < c->count; i++) {
        assert_int_equal(dusk_event_approx(&event, c->class[i].epsilon, c->class[i].delta, &err), DUSK_OK);
        assert_int_equal(dusk_composition_add(made, &event, c->class[i].n, &err), DUSK_OK);
    }
    if (dusk_pairs_resolve(&pairs, made, DUSK_REPLACE, "optimal", &err) != DUSK_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < pairs.count; i++) pairs.pair[i].tree = NULL;
    dusk_composition_free(made);
    return pairs;
}

static void describe(char *text, size_t size, const composition *c)
{
    size_t at = 0;
    for (size_t i = 0; i < c->count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "approx(%.17g, %.17g) * %lu + ", c->class[i].epsilon,
                               c->class[i].delta, c->class[i].n);
}

static void check_bound(const char *text, const arb_t t, dusk_bound b, double epsilon, double width)
{
    arb_t bound;
    arb_init(bound);
    arb_set_d(bound, b.upper);
    if (b.upper < 1 && !arb_le(t, bound))
        fail_msg("%sepsilon %.17g: %.17g is below the truth", text, epsilon, b.upper);
    arb_set_d(bound, b.lower);
    if (!arb_ge(t, bound)) fail_msg("%sepsilon %.17g: %.17g is above the truth", text, epsilon, b.lower);
    if (b.upper - b.lower > width * b.upper && b.upper > 1e-307)
        fail_msg("%sepsilon %.17g: %.17g .. %.17g is wide", text, epsilon, b.lower, b.upper);
    arb_clear(bound);
}

/* The answer, and for equal parts both ways to it. */
static void check_delta(const composition *c, double epsilon, double width)
{
    char text[2048];
    arb_t t;
    dusk_bound b;
    dusk_error err = { 0 };
    dusk_loss_curve curve;
    dusk_pairs pairs = resolve(c);
    describe(text, sizeof text, c);
    arb_init(t);
    truth(t, c, epsilon);
    if (dusk_optimal_delta(&b, &pairs, epsilon, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    check_bound(text, t, b, epsilon, width);
    if (c->count == 1) {
        assert_int_equal(dusk_binomial_curve(&curve, &pairs.pair[0], &err), DUSK_OK);
        if (epsilon < curve.top.upper)
            check_bound(text, t, curve.look(curve.curve, epsilon).delta, epsilon, width);
        dusk_loss_curve_free(&curve);
    }
    arb_clear(t);
    dusk_pairs_free(&pairs);
}

static void check_epsilon(const composition *c, double delta, double width)
{
    char text[2048];
    arb_t t, target;
    dusk_bound b;
    dusk_error err = { 0 };
    dusk_pairs pairs = resolve(c);
    describe(text, sizeof text, c);
    arb_init(t);
    arb_init(target);
    arb_set_d(target, delta);
    if (dusk_optimal_epsilon(&b, &pairs, delta, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    if (isfinite(b.upper)) {
        truth(t, c, b.upper);
        if (!arb_le(t, target)) fail_msg("%sdelta %.17g: %.17g is not enough", text, delta, b.upper);
    }
    if (b.lower > 0) {
        truth(t, c, isfinite(b.lower) ? nextafter(b.lower, 0) : 1e6);
        if (!arb_gt(t, target)) fail_msg("%sdelta %.17g: %.17g is too much", text, delta, b.lower);
    }
    if (b.upper - b.lower > width * b.upper)
        fail_msg("%sdelta %.17g: %.17g .. %.17g is wide", text, delta, b.lower, b.upper);
    arb_clear(t);
    arb_clear(target);
    dusk_pairs_free(&pairs);
}

static const double deltas[] = { 1e-300, 1e-100, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5 };
static const double shares[] = { 0, 1e-9, 0.01, 0.1, 0.3, 0.6, 0.9, 0.999, 1 };

/* A loss that is 1e-12 above epsilon keeps few digits of the difference. */
static void check(const composition *c, double width)
{
    double top = 0;
    for (size_t i = 0; i < c->count; i++) top += c->class[i].epsilon * (double)c->class[i].n;
    for (size_t i = 0; i < COUNT(shares); i++)
        check_delta(c, top * shares[i] * (1 - 1e-12), shares[i] < 1 ? width : 1e-4);
    for (size_t i = 0; i < COUNT(deltas); i++) check_epsilon(c, deltas[i], width);
}

static void equal_parts_enclose(void **state)
{
    static const double epsilons[] = { 1e-9, 0.01, 0.3, 2, 50 }, losses[] = { 0, 1e-10, 0.02 };
    static const unsigned long n[] = { 1, 2, 10, 61 };
    (void)state;
    for (size_t i = 0; i < COUNT(epsilons); i++)
        for (size_t j = 0; j < COUNT(losses); j++)
            for (size_t k = 0; k < COUNT(n); k++) {
                composition c = { 1, { { epsilons[i], losses[j], n[k] } } };
                check(&c, 1e-12);
            }
}

static void many_equal_parts_enclose(void **state)
{
    (void)state;
    composition c = { 1, { { 0.01, 0, 20000 } } };
    check_delta(&c, 0, 1e-12);
    check_delta(&c, 1, 1e-12);
    check_delta(&c, 9, 1e-12);
    check_delta(&c, 60, 1e-12);
    check_epsilon(&c, 1e-9, 1e-12);
    /* next to the mean: terms are summed one by one */
    c = (composition){ 1, { { 1e-4, 1e-12, 100000 } } };
    check_delta(&c, 0, 1e-12);
}

/* P(L = inf) alone decides; with nothing left for finite losses the top is the answer. */
static void infinite_losses_decide(void **state)
{
    (void)state;
    composition c = { 1, { { 1, 0.01, 1 } } };
    check_epsilon(&c, 0.01, 0);
    dusk_pairs pairs = resolve(&c);
    dusk_error err = { 0 };
    dusk_bound b;
    assert_int_equal(dusk_optimal_epsilon(&b, &pairs, 0.009, &err), DUSK_OK);
    assert_true(isinf(b.lower) && isinf(b.upper));
    dusk_pairs_free(&pairs);
    c.class[0] = (class){ 0.5, 0, 12 };
    pairs = resolve(&c);
    assert_int_equal(dusk_optimal_epsilon(&b, &pairs, 0, &err), DUSK_OK);
    assert_true(b.lower == 6 && b.upper == 6);
    dusk_pairs_free(&pairs);
}

/* Different parts, by all 2^k outcomes. */
static void different_parts_enclose(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (size_t k = 2; k <= 12; k += 2) {
        composition c = { .count = k };
        for (size_t i = 0; i < k; i++) {
            double u = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
            c.class[i] = (class){ 0.02 + u * u, k % 4 == 0 ? 1e-9 * u : 0, 1 };
        }
        if (k <= 6)
            check(&c, 1e-12);
        else {
            check_delta(&c, 0, 1e-12);
            check_epsilon(&c, 1e-6, 1e-12);
        }
    }
}

/* delta of n runs of poisson(q, pure(e)) where a unit is removed: one run has the
 * masses q p + (1-q) (1-p) and q (1-p) + (1-q) p against 1 - p and p. */
static void sampled_truth(arb_t delta, double q, double e, unsigned long n, double epsilon)
{
    arb_t p[2], other[2], x, term;
    arb_init(x);
    arb_init(term);
    for (int i = 0; i < 2; i++) {
        arb_init(p[i]);
        arb_init(other[i]);
    }
    arb_set_d(x, -e);
    arb_exp(x, x, BITS);
    arb_add_ui(x, x, 1, BITS);
    arb_inv(other[0], x, BITS); /* Q at the outcome that P makes less likely */
    arb_sub_ui(other[1], other[0], 1, BITS);
    arb_neg(other[1], other[1]);
    arb_set_d(x, q);
    for (int i = 0; i < 2; i++) {
        arb_sub(p[i], other[1 - i], other[i], BITS);
        arb_mul(p[i], p[i], x, BITS);
        arb_add(p[i], p[i], other[i], BITS);
    }
    arb_zero(delta);
    for (unsigned long i = 0; i <= n; i++) {
        /* C(n, i) (p1^i p0^(n-i) - e^eps q1^i q0^(n-i))+ */
        arb_pow_ui(term, p[1], i, BITS);
        arb_pow_ui(x, p[0], n - i, BITS);
        arb_mul(term, term, x, BITS);
        arb_t less;
        arb_init(less);
        arb_pow_ui(less, other[1], i, BITS);
        arb_pow_ui(x, other[0], n - i, BITS);
        arb_mul(less, less, x, BITS);
        arb_set_d(x, epsilon);
        arb_exp(x, x, BITS);
        arb_submul(term, less, x, BITS);
        arb_clear(less);
        arb_bin_uiui(x, n, i, BITS);
        if (arb_is_positive(term)) arb_addmul(delta, term, x, BITS);
    }
    for (int i = 0; i < 2; i++) {
        arb_clear(p[i]);
        arb_clear(other[i]);
    }
    arb_clear(x);
    arb_clear(term);
}

/* Two losses that are not symmetric, by lists and by the closed form. */
static void sampled_parts_enclose(void **state)
{
    static const double rates[] = { 1e-4, 0.03, 0.7 }, epsilons[] = { 0.01, 1, 4 },
                        places[] = { 0, 0.02, 0.3, 0.9 };
    (void)state;
    for (size_t i = 0; i < 36; i++) {
        double q = rates[i % 3], e = epsilons[i / 3 % 3], place = places[i / 9];
        unsigned long n = 40;
        char text[80];
        dusk_composition *c;
        dusk_pairs pairs;
        dusk_loss_curve curve;
        dusk_error err;
        arb_t t;
        snprintf(text, sizeof text, "poisson(%.17g, pure(%.17g)) * %lu", q, e, n);
        assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
        assert_int_equal(dusk_composition_parse(c, text, &err), DUSK_OK);
        assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REMOVE, "optimal", &err), DUSK_OK);
        double epsilon = place * pairs.pair[0].loss[1].lower * (double)n;
        arb_init(t);
        sampled_truth(t, q, e, n, epsilon);
        assert_int_equal(dusk_binomial_curve(&curve, &pairs.pair[0], &err), DUSK_OK);
        check_bound(text, t, curve.look(curve.curve, epsilon).delta, epsilon, 1e-8);
        dusk_loss_curve_free(&curve);
        assert_int_equal(dusk_product_curve(&curve, &pairs, &err), DUSK_OK);
        check_bound(text, t, curve.look(curve.curve, epsilon).delta, epsilon, 1e-8);
        dusk_loss_curve_free(&curve);
        arb_clear(t);
        dusk_pairs_free(&pairs);
        dusk_composition_free(c);
    }
}

/* What is above the lattice counts as infinite. */
static void short_lattice_encloses(void **state)
{
    composition c = { 3, { { 0.5, 0, 3 }, { 0.3, 0, 2 }, { 0.71, 0, 2 } } };
    dusk_pairs pairs = resolve(&c);
    dusk_loss_curve curve;
    dusk_error err;
    arb_t t;
    (void)state;
    arb_init(t);
    assert_int_equal(dusk_grid_curve(&curve, &pairs, 0.3, &err), DUSK_OK);
    for (double epsilon = 0; epsilon < 3; epsilon += 0.25) {
        truth(t, &c, epsilon);
        check_bound("short lattice, ", t, curve.look(curve.curve, epsilon).delta, epsilon, 1);
    }
    arb_clear(t);
    dusk_loss_curve_free(&curve);
    dusk_pairs_free(&pairs);
}

/* The lattice, which is for more parts than can be listed, where they can be. */
static void lattice_encloses(void **state)
{
    static const double places[] = { 0, 0.05, 0.2, 0.33, 0.5, 0.7 };
    uint64_t seed = 11;
    (void)state;
    for (size_t round = 0; round < 2; round++) {
        composition c = { .count = 9 };
        double top = 0;
        for (size_t i = 0; i < c.count; i++) {
            double u = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
            c.class[i] = (class){ 0.1 + u, round ? 1e-9 * u : 0, 1 + i % 2 };
            top += c.class[i].epsilon * (double)c.class[i].n;
        }
        dusk_error err = { 0 };
        dusk_loss_curve curve;
        dusk_pairs pairs = resolve(&c);
        assert_int_equal(dusk_grid_curve(&curve, &pairs, 1e-20, &err), DUSK_OK);
        arb_t t;
        arb_init(t);
        for (size_t i = 0; i < COUNT(places); i++) {
            truth(t, &c, top * places[i]);
            check_bound("lattice, ", t, curve.look(curve.curve, top * places[i]).delta, top * places[i],
                        1e-3);
        }
        arb_clear(t);
        dusk_loss_curve_free(&curve);
        dusk_pairs_free(&pairs);
    }
}

/* Few classes, each several times; losses of very different size. */
static void few_classes_enclose(void **state)
{
    (void)state;
    composition c = { 2, { { 0.1, 1e-9, 40 }, { 0.37, 0, 21 } } };
    check(&c, 1e-12);
    c = (composition){ 3, { { 1e-8, 0, 9 }, { 1.5, 1e-7, 5 }, { 0.2, 0, 6 } } };
    check(&c, 1e-12);
    c = (composition){ 3, { { 12, 0, 4 }, { 3e-5, 0, 30 }, { 0.7, 0.001, 2 } } };
    check(&c, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_parts_enclose),    cmocka_unit_test(many_equal_parts_enclose),
        cmocka_unit_test(infinite_losses_decide), cmocka_unit_test(different_parts_enclose),
        cmocka_unit_test(few_classes_enclose),    cmocka_unit_test(lattice_encloses),
        cmocka_unit_test(short_lattice_encloses), cmocka_unit_test(sampled_parts_enclose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
