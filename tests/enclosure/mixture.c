/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of Gaussian mixtures against rigorous integration by Arb: ln M(c), the
 * characteristic function along the line, and the bound on how it falls. Coarse
 * grids are tried as well as fine ones, so that the bounds are put to work. */
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>

#include "accounting/accountants.h"
#include "accounting/mixture.h"
#include <math.h>

#include "pairs_of.h"
#include "support.h"

#define BITS 128
#define LOOKS 3

typedef struct integrand {
    const dusk_mixture *mixture;
    const dusk_pair *pair;
    double c, t;
} integrand;

/* P(Z > (x - at)/width) */
static void taper(acb_t out, const dusk_mixture *m, const acb_t x, slong bits)
{
    arb_t s;
    acb_t at;
    arb_init(s), acb_init(at);
    acb_set_d(at, m->at);
    acb_sub(out, x, at, bits);
    arb_set_d(s, m->width);
    acb_div_arb(out, out, s, bits);
    arb_sqrt_ui(s, 2, bits);
    acb_div_arb(out, out, s, bits);
    acb_hypgeom_erfc(out, out, bits);
    acb_mul_2exp_si(out, out, -1);
    arb_clear(s), acb_clear(at);
}

/* r(x), or r(-x) */
static void ratio(acb_t out, const dusk_pair *pair, const acb_t x, int mirrored, slong bits)
{
    acb_t y, w;
    arb_t sigma;
    acb_init(y), acb_init(w), arb_init(sigma);
    acb_one(out);
    arb_set_d(sigma, pair->sigma);
    arb_mul(sigma, sigma, sigma, bits);
    for (size_t j = 1; j <= pair->shifts; j++) {
        acb_mul_si(y, x, mirrored ? -2 : 2, bits);
        acb_sub_ui(y, y, j, bits);
        acb_mul_ui(y, y, j, bits);
        acb_mul_2exp_si(y, y, -1);
        acb_div_arb(y, y, sigma, bits);
        acb_exp(y, y, bits);
        acb_sub_ui(y, y, 1, bits);
        acb_set_d(w, pair->weight[j]);
        acb_addmul(out, y, w, bits);
    }
    acb_clear(y), acb_clear(w), arb_clear(sigma);
}

/* f r_a^(s+1) r_b^(-s) */
static int density(acb_ptr out, const acb_t x, void *context, slong order, slong bits)
{
    const integrand *g = context;
    acb_t r, s, e;
    arb_t sigma;
    acb_init(r), acb_init(s), acb_init(e), arb_init(sigma);
    acb_set_d_d(s, g->c, g->t);
    arb_set_d(sigma, g->pair->sigma);
    acb_div_arb(e, x, sigma, bits);
    acb_mul(e, e, e, bits);
    acb_mul_2exp_si(e, e, -1);
    acb_neg(e, e);
    if (g->pair->direction != DUSK_REMOVE) {
        ratio(r, g->pair, x, g->pair->direction == DUSK_REPLACE, bits);
        acb_log_analytic(r, r, order != 0, bits);
        acb_submul(e, s, r, bits);
    }
    acb_add_ui(s, s, 1, bits);
    if (g->pair->direction != DUSK_ADD) {
        ratio(r, g->pair, x, 0, bits);
        acb_log_analytic(r, r, order != 0, bits);
        acb_addmul(e, s, r, bits);
    }
    acb_exp(out, e, bits);
    if (g->mixture->width > 0) {
        taper(r, g->mixture, x, bits);
        acb_mul(out, out, r, bits);
    }
    acb_clear(r), acb_clear(s), acb_clear(e), arb_clear(sigma);
    return 0;
}

/* M(c + it) */
static void moment(acb_t out, const dusk_mixture *mixture, double c, double t)
{
    const dusk_pair *pair = mixture->pair;
    integrand g = { mixture, pair, c, t };
    double reach = (2 * c + 2) * (double)pair->shifts + 25 * pair->sigma;
    if (mixture->width > 0) reach = mixture->at + 10 * pair->sigma;
    acb_t from, to;
    arb_t norm;
    mag_t tolerance;
    acb_init(from), acb_init(to), arb_init(norm), mag_init(tolerance);
    acb_set_d(from, -reach);
    acb_set_d(to, reach);
    mag_set_ui_2exp_si(tolerance, 1, -100);
    acb_calc_integrate(out, density, &g, from, to, 100, tolerance, NULL, BITS);
    arb_const_pi(norm, BITS);
    arb_mul_2exp_si(norm, norm, 1);
    arb_sqrt(norm, norm, BITS);
    acb_div_arb(out, out, norm, BITS);
    arb_set_d(norm, pair->sigma);
    acb_div_arb(out, out, norm, BITS);
    acb_clear(from), acb_clear(to), arb_clear(norm), mag_clear(tolerance);
}

static double middle(const arb_t x) { return arf_get_d(arb_midref(x), ARF_RND_NEAR); }

static const struct {
    const char *text;
    dusk_direction direction;
    double c;
    double lost, sharpness; /* of the taper; 0: none */
} cases[] = {
    { "poisson(0.01, gaussian(1))", DUSK_REMOVE, 3.3, 0, 0 },
    { "poisson(0.01, gaussian(1))", DUSK_ADD, 4.1, 0, 0 },
    { "poisson(0.01, gaussian(1))", DUSK_REPLACE, 3, 0, 0 },
    { "poisson(1e-5, gaussian(1))", DUSK_REMOVE, 20, 0, 0 },
    { "poisson(0.001, gaussian(0.5))", DUSK_REMOVE, 0.7, 0, 0 },
    { "poisson(0.5, gaussian(20))", DUSK_ADD, 60, 0, 0 },
    { "poisson(0.9, gaussian(0.3))", DUSK_REMOVE, 2, 0, 0 },
    { "poisson(0.9, gaussian(0.3))", DUSK_ADD, 2, 0, 0 },
    { "group(3, poisson(0.1, gaussian(2)))", DUSK_REMOVE, 5, 0, 0 },
    { "group(3, poisson(0.1, gaussian(2)))", DUSK_REPLACE, 5, 0, 0 },
    { "poisson(0.02, gaussian(0.1))", DUSK_REMOVE, 12, 0, 0 },
    { "poisson(0.01, gaussian(1))", DUSK_REMOVE, 12, 1e-20, 2 },
    { "poisson(1e-5, gaussian(1))", DUSK_REMOVE, 200, 1e-24, 8 },
    { "poisson(1e-5, gaussian(1))", DUSK_REPLACE, 100, 1e-20, 4 },
    { "poisson(1e-4, gaussian(20))", DUSK_REMOVE, 2000, 1e-30, 32 },
};
#define CASES (sizeof cases / sizeof *cases)

static dusk_mixture mixture_of(size_t i, const dusk_pair *pair)
{
    return cases[i].lost > 0 ? dusk_mixture_tapered(pair, cases[i].lost, cases[i].sharpness)
                             : dusk_mixture_whole(pair);
}

/* |computed - ln M(c)| <= error, at every tolerance. */
static void log_moments(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        dusk_pairs pairs = pairs_of(cases[i].text, cases[i].direction);
        acb_t m;
        arb_t truth;
        acb_init(m), arb_init(truth);
        dusk_mixture mixture = mixture_of(i, pairs.pair);
        moment(m, &mixture, cases[i].c, 0);
        arb_log(truth, acb_realref(m), BITS);
        for (double tolerance = 1e-2; tolerance > 1e-20; tolerance *= 0.03) {
            dusk_mixture_grid grid = { 0 };
            arb_t gap;
            arb_init(gap);
            dusk_status status =
                dusk_mixture_grid_init(&grid, &mixture, cases[i].c, 0, tolerance, NULL, NULL);
            if (status == DUSK_OK) {
                arb_set_d(gap, grid.log_moment);
                arb_sub(gap, gap, truth, BITS);
                if (!(fabs(middle(gap)) <= grid.log_moment_error))
                    fail_msg("%s c %g at %g: off by %g, not %g", cases[i].text, cases[i].c, tolerance,
                             middle(gap), grid.log_moment_error);
                /* and the bound is not idle */
                if (tolerance < 1e-18)
                    assert_true(grid.log_moment_error <
                                1e-12 * fabs(grid.log_moment) + 1e-17 + 4 * cases[i].c * mixture.lost);
            }
            arb_clear(gap);
            dusk_mixture_grid_free(&grid);
        }
        acb_clear(m), arb_clear(truth);
        dusk_pairs_free(&pairs);
    }
}

/* phi(j step) - 1 of a sweep, near and far, and the bound on its modulus. */
static void sweeps(void **state)
{
    (void)state;
    const size_t count = 200, look[LOOKS] = { 1, 65, 199 };
    for (size_t i = 0; i < CASES; i++) {
        dusk_pairs pairs = pairs_of(cases[i].text, cases[i].direction);
        dusk_mixture mixture = mixture_of(i, pairs.pair);
        dusk_mixture_grid grid = { 0 };
        dusk_decay decay;
        double re[200], im[200], c = cases[i].c;
        assert_int_equal(dusk_mixture_grid_init(&grid, &mixture, c, 0, 1e-16, NULL, NULL), DUSK_OK);
        dusk_mixture_frame frame = { grid.left, grid.right, grid.log_moment - grid.log_moment_error };
        assert_int_equal(dusk_decay_init(&decay, &mixture, &grid, NULL), DUSK_OK);
        double step = fmin(6 / sqrt(grid.variance) / (double)count, 8);
        acb_t one;
        acb_init(one);
        moment(one, &mixture, c, 0);
        for (size_t k = 0; k < LOOKS; k++) {
            double t = (double)look[k] * step;
            acb_t m;
            arb_t size;
            acb_init(m), arb_init(size);
            moment(m, &mixture, c, t);
            acb_div(m, m, one, BITS);
            acb_abs(size, m, BITS);
            assert_true(mag_get_d(arb_radref(size)) < 1e-18);
            if (!(dusk_decay_log_up(&decay, t) >= log(middle(size))))
                fail_msg("%s c %g t %g: |phi| is %g, not below %g", cases[i].text, c, t, middle(size),
                         exp(dusk_decay_log_up(&decay, t)));
            acb_sub_ui(m, m, 1, BITS);
            for (double tolerance = 1e-4; tolerance > 1e-17; tolerance *= 1e-6) {
                acb_t off;
                double reach = step * (double)count;
                if (dusk_mixture_grid_init(&grid, &mixture, c, reach, tolerance, &frame, NULL) != DUSK_OK)
                    continue;
                dusk_mixture_sweep(&grid, step, count, re, im);
                acb_init(off);
                acb_set_d_d(off, re[look[k] - 1], im[look[k] - 1]);
                acb_sub(off, off, m, BITS);
                acb_abs(size, off, BITS);
                if (!(middle(size) <= grid.constant + t * grid.linear))
                    fail_msg("%s c %g t %g at %g: off by %g, not %g", cases[i].text, c, t, tolerance,
                             middle(size), grid.constant + t * grid.linear);
                acb_clear(off);
            }
            acb_clear(m), arb_clear(size);
        }
        acb_clear(one);
        dusk_mixture_grid_free(&grid);
        dusk_pairs_free(&pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_moments),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
