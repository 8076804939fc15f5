/* SPDX-License-Identifier: Apache-2.0 */
/* delta of one pair against its definition, the integral or sum of what P has
 * more than e^eps Q, in ball arithmetic: bounds hold, and are narrow. */
#include <acb.h>
#include <acb_calc.h>
#include <arb.h>
#include <string.h>

#include "accounting/accountants.h"
#include "support.h"

#define BITS 160
#define NARROW 4e-12
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define PARTS 9

/* Laws on the line: weights, and noise around centres. */
typedef struct law {
    size_t n;
    double centre[PARTS];
    arb_struct weight[PARTS];
} law;

typedef struct laws {
    bool laplace;
    double size, epsilon; /* of the noise */
    double at;            /* a point of the piece, in which |x - c| is straight */
    law p, q;
} laws;

static void law_init(law *x)
{
    x->n = 0;
    for (size_t i = 0; i < PARTS; i++) arb_init(&x->weight[i]);
}

static void law_clear(law *x)
{
    for (size_t i = 0; i < PARTS; i++) arb_clear(&x->weight[i]);
}

static void law_alone(law *x)
{
    x->n = 1;
    x->centre[0] = 0;
    arb_one(&x->weight[0]);
}

/* k units, each taken with the chance q. */
static void law_sampled(law *x, const arb_t q, unsigned k, double side)
{
    arb_t t, rest;
    arb_init(t);
    arb_init(rest);
    arb_sub_ui(rest, q, 1, BITS);
    arb_neg(rest, rest);
    x->n = k + 1;
    for (unsigned j = 0; j <= k; j++) {
        x->centre[j] = side * j;
        arb_bin_uiui(&x->weight[j], k, j, BITS);
        arb_pow_ui(t, q, j, BITS);
        arb_mul(&x->weight[j], &x->weight[j], t, BITS);
        arb_pow_ui(t, rest, k - j, BITS);
        arb_mul(&x->weight[j], &x->weight[j], t, BITS);
    }
    arb_clear(t);
    arb_clear(rest);
}

/* e^shift times the density of a law at z, all but a constant */
static void density(acb_t out, const laws *l, const law *x, const acb_t z, double shift, slong prec)
{
    acb_t t;
    acb_init(t);
    acb_zero(out);
    for (size_t i = 0; i < x->n; i++) {
        acb_set_d(t, x->centre[i]);
        acb_sub(t, z, t, prec);
        arb_t size;
        arb_init(size);
        arb_set_d(size, l->size);
        acb_div_arb(t, t, size, prec);
        if (l->laplace) {
            if (l->at > x->centre[i]) acb_neg(t, t);
        } else {
            acb_mul(t, t, t, prec);
            acb_mul_2exp_si(t, t, -1);
            acb_neg(t, t);
        }
        arb_set_d(size, shift);
        acb_add_arb(t, t, size, prec);
        acb_exp(t, t, prec);
        acb_mul_arb(t, t, &x->weight[i], prec);
        acb_add(out, out, t, prec);
        arb_clear(size);
    }
    acb_clear(t);
}

/* P's density less e^eps times Q's */
static int advantage(acb_ptr out, const acb_t z, void *param, slong order, slong prec)
{
    const laws *l = param;
    acb_t q;
    (void)order;
    acb_init(q);
    density(out, l, &l->p, z, 0, prec);
    density(q, l, &l->q, z, l->epsilon, prec);
    acb_sub(out, out, q, prec);
    acb_clear(q);
    return 0;
}

static bool is_positive_at(laws *l, const arf_t x)
{
    l->at = arf_get_d(x, ARF_RND_NEAR);
    acb_t z, y;
    acb_init(z);
    acb_init(y);
    arb_set_arf(acb_realref(z), x);
    advantage(y, z, l, 0, BITS);
    bool positive = arf_sgn(arb_midref(acb_realref(y))) > 0;
    acb_clear(z);
    acb_clear(y);
    return positive;
}

static void add_integral(arb_t sum, laws *l, const arf_t a, const arf_t b)
{
    acb_t from, to, piece;
    mag_t tolerance;
    acb_init(from);
    acb_init(to);
    acb_init(piece);
    mag_init(tolerance);
    l->at = arf_get_d(a, ARF_RND_NEAR) / 2 + arf_get_d(b, ARF_RND_NEAR) / 2;
    mag_set_ui_2exp_si(tolerance, 1, -1300);
    arb_set_arf(acb_realref(from), a);
    arb_set_arf(acb_realref(to), b);
    acb_calc_integrate(piece, advantage, l, from, to, 100, tolerance, NULL, BITS);
    arb_add(sum, sum, acb_realref(piece), BITS);
    acb_clear(from);
    acb_clear(to);
    acb_clear(piece);
    mag_clear(tolerance);
}

/* The integral from where the loss is eps to far beyond, cut at the centres. */
static void integrate(arb_t delta, laws *l)
{
    arf_t low, high, middle, next;
    double reach = PARTS + (l->laplace ? 400 : 60) * l->size;
    arf_init(low);
    arf_init(high);
    arf_init(middle);
    arf_init(next);
    arf_set_d(low, -reach);
    arf_set_d(high, reach);
    arb_zero(delta);
    if (is_positive_at(l, high)) {
        for (int i = 0; i < 150; i++) {
            arf_add(middle, low, high, BITS, ARF_RND_NEAR);
            arf_mul_2exp_si(middle, middle, -1);
            arf_set(is_positive_at(l, middle) ? high : low, middle);
        }
        for (int cut = -PARTS; cut <= PARTS; cut++) {
            arf_set_d(next, cut);
            if (arf_cmp(next, high) <= 0) continue;
            add_integral(delta, l, high, next);
            arf_set(high, next);
        }
        /* the tail in two pieces: most of it is near */
        arf_set_d(next, PARTS + reach / 20);
        if (arf_cmp(next, high) > 0) {
            add_integral(delta, l, high, next);
            arf_set(high, next);
        }
        arf_set_d(next, PARTS + reach);
        add_integral(delta, l, high, next);
    }
    arb_t scale;
    arb_init(scale);
    if (l->laplace) {
        arb_set_d(scale, 2);
    } else {
        arb_const_pi(scale, BITS);
        arb_mul_2exp_si(scale, scale, 1);
        arb_sqrt(scale, scale, BITS);
    }
    arb_div(delta, delta, scale, BITS);
    arb_set_d(scale, l->size);
    arb_div(delta, delta, scale, BITS);
    arb_clear(scale);
    arf_clear(low);
    arf_clear(high);
    arf_clear(middle);
    arf_clear(next);
}

static dusk_bound delta_of(const char *text, dusk_direction direction, double epsilon)
{
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_bound delta = { 0, 0 };
    dusk_error err = { 0 };
    dusk_neighbours how = direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    if (dusk_pairs_resolve(&pairs, c, direction, "test", &err) != DUSK_OK ||
        dusk_exact_delta(&delta, &pairs, epsilon, &err) != DUSK_OK)
        fail_msg("%s: %s", text, err.message);
    dusk_pairs_free(&pairs);
    dusk_composition_free(c);
    return delta;
}

/* A rate that had to be rounded up has no lower bound. */
static bool rounded_up(const char *text) { return strstr(text, "group(1,") != NULL; }

/* lower <= truth <= upper, near each other. */
static void assert_bounds(const char *text, dusk_direction direction, double epsilon, const arb_t truth)
{
    dusk_bound delta = delta_of(text, direction, epsilon);
    arb_t end;
    arb_init(end);
    arb_set_d(end, delta.upper);
    bool above = !arb_lt(end, truth);
    arb_set_d(end, delta.lower);
    bool below = !arb_gt(end, truth);
    double value = arf_get_d(arb_midref(truth), ARF_RND_NEAR);
    bool known = mag_get_d(arb_radref(truth)) <= 1e-25 * value || value < 1e-305;
    if (!above || !below || !known ||
        !(delta.upper - delta.lower <= NARROW * delta.upper || delta.upper < 1e-305 || rounded_up(text)))
        fail_msg("%s, direction %d, at %g: [%.17g, %.17g] for %.17g, %d", text, (int)direction, epsilon,
                 delta.lower, delta.upper, value, known);
    arb_clear(end);
}

typedef struct noise {
    const char *text;
    bool laplace;
    double size;
    double rate[2]; /* a product */
    unsigned units;
} noise;

static const double epsilons[] = { 0, 1e-6, 0.01, 0.3, 2, 9 };

static void check_noise(const noise *x, dusk_direction direction)
{
    laws l = { .laplace = x->laplace, .size = x->size };
    arb_t q, t, truth;
    arb_init(q);
    arb_init(t);
    arb_init(truth);
    law_init(&l.p);
    law_init(&l.q);
    arb_set_d(q, x->rate[0]);
    arb_set_d(t, x->rate[1]);
    arb_mul(q, q, t, BITS);
    if (direction == DUSK_ADD)
        law_alone(&l.p);
    else
        law_sampled(&l.p, q, x->units, 1);
    if (direction == DUSK_REMOVE)
        law_alone(&l.q);
    else
        law_sampled(&l.q, q, x->units, -1);
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        l.epsilon = epsilons[i];
        integrate(truth, &l);
        assert_bounds(x->text, direction, epsilons[i], truth);
    }
    law_clear(&l.p);
    law_clear(&l.q);
    arb_clear(q);
    arb_clear(t);
    arb_clear(truth);
}

static void gaussian_noise(void **state)
{
    static const noise all[] = {
        { "gaussian(1)", false, 1, { 1, 1 }, 1 },
        { "gaussian(0.3)", false, 0.3, { 1, 1 }, 1 },
        { "poisson(0.01, gaussian(1))", false, 1, { 0.01, 1 }, 1 },
        { "poisson(0.7, gaussian(0.4))", false, 0.4, { 0.7, 1 }, 1 },
        { "poisson(0.3, gaussian(20))", false, 20, { 0.3, 1 }, 1 },
        { "poisson(0.3, poisson(0.7, gaussian(1)))", false, 1, { 0.3, 0.7 }, 1 },
        { "poisson(0.1, group(1, poisson(0.7, gaussian(2))))", false, 2, { 0.1, 0.7 }, 1 },
        { "group(4, poisson(0.2, gaussian(3)))", false, 3, { 0.2, 1 }, 4 },
        { "group(7, poisson(0.99, gaussian(2)))", false, 2, { 0.99, 1 }, 7 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) check_noise(&all[i], d);
}

static void laplace_noise(void **state)
{
    static const noise all[] = {
        { "laplace(1)", true, 1, { 1, 1 }, 1 },
        { "poisson(0.3, laplace(1))", true, 1, { 0.3, 1 }, 1 },
        { "poisson(0.01, laplace(0.2))", true, 0.2, { 0.01, 1 }, 1 },
        { "poisson(0.9, laplace(5))", true, 5, { 0.9, 1 }, 1 },
        { "poisson(0.3, poisson(0.7, laplace(0.5)))", true, 0.5, { 0.3, 0.7 }, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_REPLACE; d++) check_noise(&all[i], d);
}

/* Sampling of a fixed size, where a unit is replaced: the law of removing at twice
 * the distance, at eps >= 0. */
static void fixed_size(void **state)
{
    laws l = { .epsilon = 0 };
    arb_t q, truth;
    (void)state;
    arb_init(q);
    arb_init(truth);
    law_init(&l.p);
    law_init(&l.q);
    arb_set_ui(q, 1);
    arb_div_ui(q, q, 7, BITS);
    law_sampled(&l.p, q, 1, 1);
    law_alone(&l.q);
    for (int laplace = 0; laplace < 2; laplace++)
        for (size_t i = 0; i < COUNT(epsilons); i++) {
            l.laplace = laplace == 1;
            l.size = 0.5 * (laplace ? 3 : 1);
            l.epsilon = epsilons[i];
            integrate(truth, &l);
            assert_bounds(laplace ? "without_replacement(2, 14, laplace(3))"
                                  : "without_replacement(2, 14, gaussian(1))",
                          DUSK_REPLACE, epsilons[i], truth);
        }
    law_clear(&l.p);
    law_clear(&l.q);
    arb_clear(q);
    arb_clear(truth);
}

/* --- atoms ---------------------------------------------------------------------- */

typedef void mass_of(arb_t out, long k, double size);

static void laplace_mass(arb_t out, long k, double size)
{
    arb_set_d(out, size);
    arb_set_si(out, k < 0 ? k : -k);
    arb_t t;
    arb_init(t);
    arb_set_d(t, size);
    arb_div(out, out, t, BITS);
    arb_exp(out, out, BITS);
    arb_clear(t);
}

static void gaussian_mass(arb_t out, long k, double size)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, size);
    arb_set_si(out, k);
    arb_div(out, out, t, BITS);
    arb_mul(out, out, out, BITS);
    arb_mul_2exp_si(out, out, -1);
    arb_neg(out, out);
    arb_exp(out, out, BITS);
    arb_clear(t);
}

/* sum of (P - e^eps Q)+, where P and Q are noise `distance` apart, sampled at q:
 * P = (1-q) Q0 + q P0, Q = Q0 (removing), or P = P0, Q = (1-q) P0 + q Q0 (adding). */
static void sum_of(arb_t out, mass_of *mass, double size, long distance, double rate, bool adding,
                   double epsilon)
{
    long last = (long)(size * (mass == laplace_mass ? 900 : 45)) + 10 + distance;
    arb_t total, a, b, t, e, q;
    arb_struct *const all[] = { total, a, b, t, e, q };
    for (size_t i = 0; i < COUNT(all); i++) arb_init(all[i]);
    arb_set_d(e, epsilon);
    arb_exp(e, e, BITS);
    arb_set_d(q, rate);
    arb_zero(out);
    for (long k = -last; k <= last; k++) {
        mass(a, k - distance, size);
        mass(b, k, size);
        arb_add(total, total, b, BITS);
        if (adding) arb_swap(a, b);
        /* t = (1-q) b + q a, the sampled law; for adding the roles of a and b are exchanged */
        arb_sub(t, a, b, BITS);
        arb_mul(t, t, q, BITS);
        arb_add(t, t, b, BITS);
        if (adding)
            arb_submul(b, e, t, BITS), arb_set(t, b);
        else
            arb_submul(t, e, b, BITS);
        if (arb_is_positive(t)) arb_add(out, out, t, BITS);
    }
    arb_div(out, out, total, BITS);
    for (size_t i = 0; i < COUNT(all); i++) arb_clear(all[i]);
}

static void discrete_noise(void **state)
{
    static const struct {
        const char *text;
        mass_of *mass;
        double size, rate;
        long distance;
    } all[] = {
        { "discrete_laplace(1.5, 2)", laplace_mass, 1.5, 1, 2 },
        { "discrete_laplace(0.3)", laplace_mass, 0.3, 1, 1 },
        { "poisson(0.2, discrete_laplace(2, 3))", laplace_mass, 2, 0.2, 3 },
        { "discrete_gaussian(2)", gaussian_mass, 2, 1, 1 },
        { "discrete_gaussian(0.6, 2)", gaussian_mass, 0.6, 1, 2 },
        { "poisson(0.1, discrete_gaussian(3, 2))", gaussian_mass, 3, 0.1, 2 },
    };
    arb_t truth;
    (void)state;
    arb_init(truth);
    for (size_t i = 0; i < COUNT(all); i++)
        for (dusk_direction d = DUSK_REMOVE; d <= DUSK_ADD; d++)
            for (size_t k = 0; k < COUNT(epsilons); k++) {
                sum_of(truth, all[i].mass, all[i].size, all[i].distance, all[i].rate, d == DUSK_ADD,
                       epsilons[k]);
                assert_bounds(all[i].text, d, epsilons[k], truth);
            }
    arb_clear(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_noise),
        cmocka_unit_test(laplace_noise),
        cmocka_unit_test(fixed_size),
        cmocka_unit_test(discrete_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
