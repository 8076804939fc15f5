/* SPDX-License-Identifier: Apache-2.0 */
/* The price of a threshold monitor against its definition: negative binomial laws of
 * both worlds, summed in ball arithmetic. The bounds hold and are narrow. */
#include <arb.h>
#include <math.h>
#include <stdbool.h>

#include "dusk/accounting.h"
#include "support.h"

#define BITS 192
enum { MOST = 900 };

typedef struct laws {
    arb_struct there[MOST], gone[MOST]; /* P(m answers below), the unit being there or not */
} laws;

static void law(arb_struct *p, const arb_t above, unsigned k)
{
    arb_t below, power;
    arb_init(below);
    arb_init(power);
    arb_sub_ui(below, above, 1, BITS);
    arb_neg(below, below);
    for (unsigned m = 0; m < MOST; m++) {
        arb_init(&p[m]);
        arb_bin_uiui(&p[m], m + k - 1, m, BITS);
        arb_pow_ui(power, above, k, BITS);
        arb_mul(&p[m], &p[m], power, BITS);
        arb_pow_ui(power, below, m, BITS);
        arb_mul(&p[m], &p[m], power, BITS);
    }
    arb_clear(below);
    arb_clear(power);
}

static void laws_init(laws *l, double epsilon, unsigned k)
{
    arb_t above, t;
    arb_init(above);
    arb_init(t);
    arb_set_d(t, epsilon);
    arb_exp(t, t, BITS);
    arb_add_ui(above, t, 1, BITS);
    arb_div(above, t, above, BITS);
    law(l->there, above, k);
    arb_sub_ui(above, above, 1, BITS);
    arb_neg(above, above);
    law(l->gone, above, k);
    arb_clear(above);
    arb_clear(t);
}

static void laws_clear(laws *l)
{
    for (unsigned m = 0; m < MOST; m++) {
        arb_clear(&l->there[m]);
        arb_clear(&l->gone[m]);
    }
}

/* out += (p - factor q)+ */
static void add_excess(arb_t out, const arb_t p, const arb_t q, const arb_t factor)
{
    arb_t t;
    arb_init(t);
    arb_mul(t, q, factor, BITS);
    arb_sub(t, p, t, BITS);
    if (arb_is_positive(t)) arb_add(out, out, t, BITS);
    arb_clear(t);
}

static double divergence(const laws *l, double epsilon, bool add)
{
    arb_t sum, factor;
    arb_init(sum);
    arb_init(factor);
    arb_set_d(factor, epsilon);
    arb_exp(factor, factor, BITS);
    for (unsigned m = 0; m < MOST; m++)
        add_excess(sum, add ? &l->gone[m] : &l->there[m], add ? &l->there[m] : &l->gone[m], factor);
    double value = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
    arb_clear(sum);
    arb_clear(factor);
    return value;
}

/* Two units that change places; the first `span` numbers have all but 1e-20. */
static double divergence_replaced(const laws *l, double epsilon, unsigned span)
{
    arb_t sum, factor, p, q;
    arb_init(sum);
    arb_init(factor);
    arb_init(p);
    arb_init(q);
    arb_set_d(factor, epsilon);
    arb_exp(factor, factor, BITS);
    for (unsigned m = 0; m < span; m++)
        for (unsigned n = 0; n < span; n++) {
            arb_mul(p, &l->there[m], &l->gone[n], BITS);
            arb_mul(q, &l->gone[m], &l->there[n], BITS);
            add_excess(sum, p, q, factor);
        }
    double value = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
    arb_clear(sum);
    arb_clear(factor);
    arb_clear(p);
    arb_clear(q);
    return value;
}

static void check(double each, unsigned k, dusk_neighbours neighbours, double epsilon, double exact)
{
    dusk_composition *c;
    dusk_event event;
    dusk_account account;
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    assert_int_equal(dusk_event_threshold_monitor(&event, each, k, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_delta(&account, c, epsilon, DUSK_BEST, NULL), DUSK_OK);
    assert_true(account.bound.upper >= exact && account.bound.lower <= exact * (1 + 1e-12));
    assert_true(account.bound.upper <= exact * (1 + 1e-6) + 1e-15);
    dusk_composition_free(c);
}

static void prices_are_negative_binomial_sums(void **state)
{
    (void)state;
    const double each[] = { 0.02, 0.1, 0.5, 1.5 };
    const unsigned k[] = { 1, 3, 20 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++) {
            laws l;
            if (each[i] > 1 && k[j] > 3) continue; /* too long a tail for MOST */
            laws_init(&l, each[i], k[j]);
            for (double epsilon = 0.03; epsilon < 30; epsilon *= 7) {
                double add = divergence(&l, epsilon, true), remove = divergence(&l, epsilon, false);
                check(each[i], k[j], DUSK_ADD_REMOVE, epsilon, fmax(add, remove));
            }
            laws_clear(&l);
        }
}

static void replacing_is_removing_and_adding(void **state)
{
    (void)state;
    laws l;
    laws_init(&l, 0.1, 2);
    for (double epsilon = 0.05; epsilon < 2; epsilon *= 3)
        check(0.1, 2, DUSK_REPLACE_ONE, epsilon, divergence_replaced(&l, epsilon, 120));
    laws_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_negative_binomial_sums),
        cmocka_unit_test(replacing_is_removing_and_adding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
