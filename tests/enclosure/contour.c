/* SPDX-License-Identifier: Apache-2.0 */
/* The contour accountant against the same integral in ball arithmetic, with steps
 * so fine and ranges so long that what they leave out is below 1e-30; and
 * against closed forms where there are any. Lines of few digits must enclose the
 * truth as those of many do: there aliases and what is cut off are plain to see. */
#include <math.h>

#include <acb.h>
#include <arb_hypgeom.h>

#include "accounting/accountants.h"
#include "accounting/contour_line.h"
#include "pairs_of.h"
#include "support.h"

#define BITS 160
#define NODES_MAX 4000

/* ln r(x) of one shift */
static void log_ratio(arb_t out, const dusk_pair *pair, double x)
{
    arb_t y, s;
    arb_init(y), arb_init(s);
    arb_set_d(s, pair->sigma);
    arb_mul(s, s, s, BITS);
    arb_set_d(y, 2 * x); /* exact: x is a multiple of a coarse power of 2 */
    arb_sub_ui(y, y, 1, BITS);
    arb_mul_2exp_si(y, y, -1);
    arb_div(y, y, s, BITS);
    arb_expm1(y, y, BITS);
    arb_set_d(s, pair->weight[1]);
    arb_mul(y, y, s, BITS);
    arb_log1p(out, y, BITS);
    arb_clear(y), arb_clear(s);
}

/* The loss and the tilted mass of P, not normalised, at nodes `step` apart. */
typedef struct law {
    size_t count;
    arb_ptr loss, mass;
} law;

static law law_of(const dusk_pair *pair, double c, double step, double reach)
{
    law out = { (size_t)(2 * reach / step) + 1, NULL, NULL };
    arb_t a, b, e, s;
    assert_true(out.count < NODES_MAX);
    out.loss = _arb_vec_init((slong)out.count);
    out.mass = _arb_vec_init((slong)out.count);
    arb_init(a), arb_init(b), arb_init(e), arb_init(s);
    for (size_t k = 0; k < out.count; k++) {
        double x = (double)k * step - reach;
        arb_zero(a), arb_zero(b);
        if (pair->direction != DUSK_ADD) log_ratio(a, pair, x);
        if (pair->direction != DUSK_REMOVE) log_ratio(b, pair, pair->direction == DUSK_ADD ? x : -x);
        arb_sub(out.loss + k, a, b, BITS);
        arb_set_d(e, x);
        arb_set_d(s, pair->sigma);
        arb_div(e, e, s, BITS);
        arb_mul(e, e, e, BITS);
        arb_mul_2exp_si(e, e, -1);
        arb_sub(e, a, e, BITS);
        arb_set_d(s, c);
        arb_addmul(e, s, out.loss + k, BITS);
        arb_exp(e, e, BITS);
        arb_set_d(s, step);
        arb_mul(out.mass + k, e, s, BITS);
        arb_set_d(s, pair->sigma);
        arb_div(out.mass + k, out.mass + k, s, BITS);
        arb_const_pi(s, BITS);
        arb_mul_2exp_si(s, s, 1);
        arb_rsqrt(s, s, BITS);
        arb_mul(out.mass + k, out.mass + k, s, BITS);
    }
    arb_clear(a), arb_clear(b), arb_clear(e), arb_clear(s);
    return out;
}

/* M(c + it) */
static void moment(acb_t out, const law *l, double t)
{
    acb_t e;
    arb_t angle;
    acb_init(e), arb_init(angle);
    acb_zero(out);
    for (size_t k = 0; k < l->count; k++) {
        arb_set_d(angle, t);
        arb_mul(angle, angle, l->loss + k, BITS);
        arb_sin_cos(acb_imagref(e), acb_realref(e), angle, BITS);
        acb_mul_arb(e, e, l->mass + k, BITS);
        acb_add(out, out, e, BITS);
    }
    acb_clear(e), arb_clear(angle);
}

/* delta(eps) of `times` runs. */
static double truth(const dusk_pair *pair, uint64_t times, double epsilon, double c, double period,
                    double end, double x_step, double x_reach)
{
    law l = law_of(pair, c, x_step, x_reach);
    double step = 2 * 3.14159265358979323846 / period;
    acb_t m, s, s1;
    arb_t sum, scale;
    acb_init(m), acb_init(s), acb_init(s1), arb_init(sum), arb_init(scale);
    for (double j = 0; j * step < end; j++) {
        moment(m, &l, j * step);
        acb_pow_ui(m, m, times, BITS);
        acb_set_d_d(s, c, j * step);
        acb_add_ui(s1, s, 1, BITS);
        acb_div(m, m, s, BITS);
        acb_div(m, m, s1, BITS);
        acb_set_d(s1, -epsilon);
        acb_mul(s, s, s1, BITS);
        acb_exp(s, s, BITS);
        acb_mul(m, m, s, BITS);
        if (j == 0) acb_mul_2exp_si(m, m, -1);
        arb_add(sum, sum, acb_realref(m), BITS);
    }
    arb_set_d(scale, step);
    arb_mul(sum, sum, scale, BITS);
    arb_const_pi(scale, BITS);
    arb_div(sum, sum, scale, BITS);
    double out = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
    assert_true(mag_get_d(arb_radref(sum)) < 1e-15 * out);
    acb_clear(m), acb_clear(s), acb_clear(s1), arb_clear(sum), arb_clear(scale);
    _arb_vec_clear(l.loss, (slong)l.count);
    _arb_vec_clear(l.mass, (slong)l.count);
    return out;
}

/* c, period and end of the reference are chosen apart from those of the code. */
static const struct {
    const char *text;
    dusk_direction direction;
    double epsilon, c, period, end, x_step, x_reach;
} cases[] = {
    { "poisson(0.01, gaussian(1)) * 10000", DUSK_REMOVE, 6.5, 3, 34, 14, 0.125, 20 },
    { "poisson(0.01, gaussian(1)) * 10000", DUSK_ADD, 6.5, 4, 28, 16, 0.125, 20 },
    { "poisson(0.1, gaussian(5)) * 1000", DUSK_REMOVE, 2, 4, 28, 25, 0.5, 110 },
    { "poisson(0.02, gaussian(2)) * 5000", DUSK_REPLACE, 4, 3, 34, 12, 0.25, 50 },
};

/* Every m-th node of a line is a line, whose copies of delta are closer. */
static void thin_out(dusk_contour_line *line, size_t m)
{
    line->count /= m;
    line->step *= (double)m;
    for (size_t j = 1; j <= line->count; j++) {
        line->re[j] = line->re[m * j];
        line->im[j] = line->im[m * j];
        line->blur[j] = line->blur[m * j];
    }
}

static void lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_pairs pairs = pairs_of(cases[i].text, cases[i].direction);
        double t = truth(pairs.pair, pairs.pair[0].times, cases[i].epsilon, cases[i].c, cases[i].period,
                         cases[i].end, cases[i].x_step, cases[i].x_reach);
        dusk_contour_list list;
        assert_int_equal(dusk_contour_list_init(&list, &pairs, i % 2 ? t * 1e-12 : 0, 2, NULL), DUSK_OK);
        for (double digits = 1; digits < 40; digits += 2.5) {
            dusk_contour_line line;
            assert_int_equal(dusk_contour_line_init(&line, &list, cases[i].c * 1.1, cases[i].epsilon, log(t),
                                                    digits, NULL),
                             DUSK_OK);
            dusk_bound d = dusk_contour_look_at(&line, cases[i].epsilon).delta;
            if (!(d.lower <= t * (1 + 4e-16) && t * (1 - 4e-16) <= d.upper))
                fail_msg("%s at %g, %g digits: %.17g is not in [%.17g, %.17g]", cases[i].text,
                         cases[i].epsilon, digits, t, d.lower, d.upper);
            if (digits > 30) assert_true(d.upper - d.lower < 1e-9 * t);
            dusk_contour_line_free(&line);
        }
        for (size_t m = 2; m < 8; m++) {
            dusk_contour_line line;
            assert_int_equal(
                dusk_contour_line_init(&line, &list, cases[i].c, cases[i].epsilon, log(t), 36, NULL),
                DUSK_OK);
            thin_out(&line, m);
            dusk_bound d = dusk_contour_look_at(&line, cases[i].epsilon).delta;
            if (!(d.lower <= t * (1 + 4e-16) && t * (1 - 4e-16) <= d.upper))
                fail_msg("%s at %g, every %zu: %.17g is not in [%.17g, %.17g]", cases[i].text,
                         cases[i].epsilon, m, t, d.lower, d.upper);
            dusk_contour_line_free(&line);
        }
        dusk_contour_list_free(&list);
        dusk_bound d, e;
        assert_int_equal(dusk_contour_delta(&d, &pairs, cases[i].epsilon, NULL), DUSK_OK);
        assert_true(d.lower <= t && t <= d.upper && d.upper - d.lower < 1e-10 * t);
        assert_int_equal(dusk_contour_epsilon(&e, &pairs, t, NULL), DUSK_OK);
        assert_true(e.lower <= cases[i].epsilon * (1 + 1e-15) && cases[i].epsilon * (1 - 1e-15) <= e.upper);
        assert_true(e.upper - e.lower < 1e-10 * e.upper);
        dusk_pairs_free(&pairs);
    }
}

/* delta of N(mu, 1) against N(0, 1) at any real eps. */
static void gaussian_delta(arb_t out, double mu, const arb_t epsilon)
{
    arb_t a, b, root;
    arb_init(a), arb_init(b), arb_init(root);
    arb_sqrt_ui(root, 2, BITS);
    for (int sign = -1; sign <= 1; sign += 2) { /* Phi(mu/2 - eps/mu), e^eps Phi(-mu/2 - eps/mu) */
        arb_set_d(a, mu);
        arb_div(b, epsilon, a, BITS);
        arb_mul_2exp_si(a, a, -1);
        if (sign > 0) arb_neg(a, a);
        arb_sub(a, b, a, BITS); /* minus the argument */
        arb_div(a, a, root, BITS);
        arb_hypgeom_erfc(a, a, BITS);
        arb_mul_2exp_si(a, a, -1);
        if (sign < 0) {
            arb_set(out, a);
        } else {
            arb_exp(b, epsilon, BITS);
            arb_submul(out, a, b, BITS);
        }
    }
    arb_clear(a), arb_clear(b), arb_clear(root);
}

/* One Gaussian and n pure events: a binomial sum of Gaussian curves. */
static void gaussian_and_atoms(void **state)
{
    (void)state;
    const char *text[] = { "gaussian(1) + pure(0.1) * 60", "gaussian(0.5) + approx(0.3, 1e-7) * 10",
                           "gaussian(3) + pure(2) * 4" };
    const double mu[] = { 1, 2, 1.0 / 3 }, e0[] = { 0.1, 0.3, 2 }, d0[] = { 0, 1e-7, 0 };
    const ulong n[] = { 60, 10, 4 };
    for (size_t i = 0; i < 3; i++) {
        for (double epsilon = 0.5; epsilon < 9; epsilon *= 2) {
            arb_t sum, term, p, shift, q;
            arb_init(sum), arb_init(term), arb_init(p), arb_init(shift), arb_init(q);
            for (ulong k = 0; k <= n[i]; k++) { /* k losses of +e0 */
                arb_set_d(p, -e0[i]);
                arb_exp(p, p, BITS);
                arb_add_ui(p, p, 1, BITS);
                arb_inv(p, p, BITS);
                arb_sub_ui(q, p, 1, BITS);
                arb_neg(q, q);
                arb_pow_ui(p, p, k, BITS);
                arb_pow_ui(q, q, n[i] - k, BITS);
                arb_mul(p, p, q, BITS);
                arb_bin_uiui(q, n[i], k, BITS);
                arb_mul(p, p, q, BITS);
                arb_set_d(shift, e0[i]);
                arb_mul_si(shift, shift, (slong)n[i] - 2 * (slong)k, BITS);
                arb_set_d(q, epsilon);
                arb_add(shift, shift, q, BITS);
                gaussian_delta(term, mu[i], shift);
                arb_addmul(sum, p, term, BITS);
            }
            /* 1 - (1 - d0)^n (1 - sum) */
            arb_set_d(q, d0[i]);
            arb_sub_ui(q, q, 1, BITS);
            arb_neg(q, q);
            arb_pow_ui(q, q, n[i], BITS);
            arb_sub_ui(sum, sum, 1, BITS);
            arb_mul(sum, sum, q, BITS);
            arb_add_ui(sum, sum, 1, BITS);
            double t = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
            dusk_pairs pairs = pairs_of(text[i], DUSK_REMOVE);
            dusk_bound d = { 0 };
            assert_int_equal(dusk_contour_delta(&d, &pairs, epsilon, NULL), DUSK_OK);
            if (!(d.lower <= t && t <= d.upper && d.upper - d.lower < 1e-9 * t + 1e-15))
                fail_msg("%s at %g: %.17g is not in [%.17g, %.17g]", text[i], epsilon, t, d.lower, d.upper);
            dusk_pairs_free(&pairs);
            arb_clear(sum), arb_clear(term), arb_clear(p), arb_clear(shift), arb_clear(q);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(gaussian_and_atoms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
