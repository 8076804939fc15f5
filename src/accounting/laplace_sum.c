/* SPDX-License-Identifier: Apache-2.0 */
/* The exact curve of n equal Laplace mechanisms. One loss is L = e - 2 X, e the
 * inverse scale, where X has half its mass at 0, density exp(-x)/2 on (0, e) and the
 * rest, exp(-e)/2, at e. Its Laplace transform is
 *     phi(s) = ((2+s) + exp(-e(1+s)) s) / (2 (1+s)),
 * and delta(eps) = E[(1 - exp(-2 (tau - sum X)))+], tau = (n e - eps)/2, has in tau the
 * transform phi^n 2/(s(s+2)). Expanding phi^n and inverting term by term, with u = 1+s,
 *     delta = 2^-n sum over m of C(n,m) exp(-m e) G_m(tau - m e),  while tau > m e,
 *     G_0(y) = 2 sum over k < n of C(n-1,k) P(n-k, y),  P the incomplete gamma function,
 *     G_m(y) = 2 exp(-y) sum over k <= n-2 of c_k y^(n-1-k)/(n-1-k)!,
 * c_k the coefficients of (u+1)^(n-m-1) (u-1)^(m-1). Terms of both signs cancel:
 * precision is raised until enough is left. The conditioning on counts of atoms is
 * in the expansion; there is no grid. */
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/optimal.h"
#include "base/memory.h"
#include "base/mutant.h"

#define TIMES_MAX 128
#define REACH_MAX 1e8 /* n e */
#define PRECISION_MAX 16384
#define GOOD 50 /* bits wanted in delta */

typedef struct laplace_curve {
    unsigned n;
    dusk_bound scale;
    bool tight;
    mpz_t *c; /* c[(m-1) * (n-1) + k], 1 <= m <= n/2 */
    size_t numbers;
} laplace_curve;

/* What one evaluation works with. */
typedef struct workspace {
    mpfr_prec_t precision;
    mpfr_t inverse; /* e, a number of `precision` - 16 bits */
    mpfr_t y, power, part, decay, sum;
    mpfr_t size, low; /* the sum of absolute values, rounded up; 64 bits */
} workspace;

static void laplace_free(void *curve)
{
    laplace_curve *c = curve;
    if (!c) return;
    for (size_t i = 0; i < c->numbers; i++) mpz_clear(c->c[i]);
    dusk_deallocate(c->c);
    dusk_deallocate(c);
}

/* Row 1 is (u+1)^(n-2); the next ones by (u-1)/(u+1), which divides. */
static void fill_rows(laplace_curve *c)
{
    size_t width = c->n - 1;
    for (size_t k = 0; k < width; k++) mpz_bin_uiui(c->c[k], width - 1, k);
    for (size_t row = width; row < c->numbers; row += width) {
        const mpz_t *before = (const mpz_t *)&c->c[row - width];
        mpz_t *now = &c->c[row];
        /* now (u+1) = before (u-1): from the constant upward */
        for (size_t k = 0; k < width; k++) {
            mpz_neg(now[k], before[k]);
            if (k > 0) {
                mpz_add(now[k], now[k], before[k - 1]);
                mpz_sub(now[k], now[k], now[k - 1]);
            }
        }
    }
}

static void workspace_init(workspace *w, mpfr_prec_t precision)
{
    w->precision = precision;
    mpfr_init2(w->inverse, precision - 16);
    mpfr_inits2(precision, w->y, w->power, w->part, w->decay, w->sum, (mpfr_ptr)0);
    mpfr_inits2(64, w->size, w->low, (mpfr_ptr)0);
}

static void workspace_clear(workspace *w)
{
    mpfr_clears(w->inverse, w->y, w->power, w->part, w->decay, w->sum, w->size, w->low, (mpfr_ptr)0);
}

/* y = ((n - 2m) e - eps) / 2, rounded once: the product is exact. */
static void set_place(workspace *w, unsigned n, unsigned m, double epsilon)
{
    mpfr_mul_si(w->y, w->inverse, (long)n - 2 * (long)m, MPFR_RNDN);
    mpfr_sub_d(w->y, w->y, epsilon, MPFR_RNDN);
    mpfr_div_2ui(w->y, w->y, 1, MPFR_RNDN);
}

/* sum += x, and |x| to the size */
static void add(workspace *w, const mpfr_t x)
{
    mpfr_add(w->sum, w->sum, x, MPFR_RNDN);
    mpfr_abs(w->low, x, MPFR_RNDU);
    mpfr_add(w->size, w->size, w->low, MPFR_RNDU);
}

/* part = P(n, y): the series below 2 n, else one minus the other tail. */
static void last_gamma(workspace *w, unsigned n)
{
    mpfr_neg(w->decay, w->y, MPFR_RNDN);
    mpfr_exp(w->decay, w->decay, MPFR_RNDN); /* exp(-y) */
    mpfr_set(w->power, w->decay, MPFR_RNDN);
    if (mpfr_cmp_ui(w->y, 2 * n) >= 0) {
        mpfr_set_ui(w->part, 1, MPFR_RNDN);
        for (unsigned i = 0; i < n; i++) {
            mpfr_sub(w->part, w->part, w->power, MPFR_RNDN);
            mpfr_mul(w->power, w->power, w->y, MPFR_RNDN);
            mpfr_div_ui(w->power, w->power, i + 1, MPFR_RNDN);
        }
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        mpfr_mul(w->power, w->power, w->y, MPFR_RNDN);
        mpfr_div_ui(w->power, w->power, i + 1, MPFR_RNDN);
    }
    mpfr_set(w->part, w->power, MPFR_RNDN);
    /* the ratio is below 1/2 from i = 4 n on */
    for (unsigned i = n; !mpfr_zero_p(w->power); i++) {
        mpfr_mul(w->power, w->power, w->y, MPFR_RNDN);
        mpfr_div_ui(w->power, w->power, i + 1, MPFR_RNDN);
        mpfr_add(w->part, w->part, w->power, MPFR_RNDN);
        if (i > 4 * n && mpfr_get_exp(w->power) < mpfr_get_exp(w->part) - w->precision - 4) break;
    }
}

/* G_0(y)/2: from P(n, y) down to P(1, y), each larger by exp(-y) y^a/a!. */
static void add_first(workspace *w, unsigned n)
{
    mpfr_t term;
    mpz_t binomial;
    mpfr_init2(term, w->precision);
    mpz_init(binomial);
    last_gamma(w, n);
    mpfr_set(w->power, w->decay, MPFR_RNDN); /* exp(-y) y^n/n! */
    for (unsigned i = 1; i <= n; i++) {
        mpfr_mul(w->power, w->power, w->y, MPFR_RNDN);
        mpfr_div_ui(w->power, w->power, i, MPFR_RNDN);
    }
    for (unsigned a = n; a >= 1; a--) {
        mpz_bin_uiui(binomial, n - 1, n - a);
        mpfr_mul_z(term, w->part, binomial, MPFR_RNDN);
        add(w, term);
        /* y^(a-1)/(a-1)! from y^a/a!; y > 0 */
        mpfr_mul_ui(w->power, w->power, a, MPFR_RNDN);
        mpfr_div(w->power, w->power, w->y, MPFR_RNDN);
        if (a > 1) mpfr_add(w->part, w->part, w->power, MPFR_RNDN);
    }
    mpz_clear(binomial);
    mpfr_clear(term);
}

/* C(n,m) exp(-m e) G_m(y)/2 */
static void add_row(workspace *w, const laplace_curve *c, unsigned m)
{
    const mpz_t *row = (const mpz_t *)&c->c[(size_t)(m - 1) * (c->n - 1)];
    mpz_t binomial;
    mpz_init(binomial);
    mpz_bin_uiui(binomial, c->n, m);
    mpfr_mul_ui(w->part, w->inverse, m, MPFR_RNDN);
    mpfr_add(w->part, w->part, w->y, MPFR_RNDN);
    mpfr_neg(w->part, w->part, MPFR_RNDN);
    mpfr_exp(w->power, w->part, MPFR_RNDN);
    mpfr_mul_z(w->power, w->power, binomial, MPFR_RNDN);
    for (unsigned r = 1; r < c->n; r++) {
        mpfr_mul(w->power, w->power, w->y, MPFR_RNDN);
        mpfr_div_ui(w->power, w->power, r, MPFR_RNDN);
        mpfr_mul_z(w->part, w->power, row[c->n - 1 - r], MPFR_RNDN);
        if (DUSK_MUTATE(LAPLACE_SUM_UNSIGNED, false, true)) mpfr_abs(w->part, w->part, MPFR_RNDN);
        add(w, w->part);
    }
    mpz_clear(binomial);
}

/* How many units each term, and the sum of all, may be wrong by: exp by its argument,
 * n e at most, powers and factors by their roundings, a sum by its length. */
static unsigned long units_of(workspace *w, unsigned n)
{
    mpfr_mul_ui(w->low, w->inverse, 4 * n, MPFR_RNDU);
    return mpfr_get_ui(w->low, MPFR_RNDU) + 64 * (n + 8ul) + (unsigned long)n * n;
}

/* A bound of delta at e = w->inverse from one side; false when too much cancelled. */
DUSK_PROVEN(evaluate)
static bool evaluate(double *delta, workspace *w, const laplace_curve *c, double epsilon, bool up)
{
    mpfr_set_zero(w->sum, 1);
    mpfr_set_zero(w->size, 1);
    for (unsigned m = 0; m <= c->n / 2; m++) {
        set_place(w, c->n, m, epsilon);
        if (mpfr_sgn(w->y) <= 0) break;
        if (m == 0)
            add_first(w, c->n);
        else if (DUSK_MUTATE(LAPLACE_SUM_ONE_SIDE, true, false))
            add_row(w, c, m);
    }
    mpfr_mul_ui(w->size, w->size, units_of(w, c->n), MPFR_RNDU);
    mpfr_div_2ui(w->size, w->size, (unsigned long)w->precision - 1, MPFR_RNDU);
    bool good =
        mpfr_zero_p(w->size) || (mpfr_sgn(w->sum) > 0 && mpfr_get_exp(w->size) < mpfr_get_exp(w->sum) - GOOD);
    if (up)
        mpfr_add(w->sum, w->sum, w->size, MPFR_RNDU);
    else
        mpfr_sub(w->sum, w->sum, w->size, MPFR_RNDD);
    mpfr_mul_2si(w->sum, w->sum, 1 - (long)c->n, MPFR_RNDN); /* exact */
    *delta = mpfr_get_d(w->sum, up ? MPFR_RNDU : MPFR_RNDD);
    return good;
}

/* delta at the scale that is worse, or not worse, than the truth. */
static double bound_delta(const laplace_curve *c, double epsilon, bool up)
{
    double delta = up ? 1 : 0;
    bool good = false;
    for (mpfr_prec_t precision = 128 + 2 * (mpfr_prec_t)c->n; !good && precision <= PRECISION_MAX;
         precision *= 2) {
        workspace w;
        workspace_init(&w, precision);
        mpfr_set_d(w.y, up ? c->scale.lower : c->scale.upper, MPFR_RNDN);
        mpfr_ui_div(w.inverse, 1, w.y, up ? MPFR_RNDU : MPFR_RNDD);
        good = evaluate(&delta, &w, c, epsilon, up);
        workspace_clear(&w);
    }
    return delta;
}

DUSK_PROVEN(laplace_look)
static dusk_curve_look laplace_look(const void *curve, double epsilon)
{
    const laplace_curve *c = curve;
    dusk_curve_look found = { .slope = NAN };
    found.delta.upper = bound_delta(c, epsilon, true);
    found.delta.lower = c->tight ? bound_delta(c, epsilon, false) : 0;
    if (found.delta.upper < DBL_TRUE_MIN) found.delta.upper = DBL_TRUE_MIN; /* what underflows */
    found.delta = dusk_bound_clamp(found.delta);
    return found;
}

bool dusk_laplace_curve_fits(const dusk_pair *pair)
{
    return pair->kind == DUSK_PAIR_LAPLACE && pair->rate == 1 && !pair->folded && pair->times >= 1 &&
           pair->times <= TIMES_MAX && pair->scale.lower > 0 &&
           (double)pair->times / pair->scale.lower <= REACH_MAX;
}

dusk_status dusk_laplace_curve(dusk_loss_curve *out, const dusk_pair *pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    laplace_curve *c;
    DUSK_NEW(c, 1);
    c->n = (unsigned)pair->times;
    c->scale = pair->scale;
    c->tight = pair->tight;
    size_t numbers = (size_t)(c->n / 2) * (c->n - 1);
    DUSK_NEW(c->c, numbers);
    for (; c->numbers < numbers; c->numbers++) mpz_init(c->c[c->numbers]);
    if (numbers > 0) fill_rows(c);
    double n = c->n, e = 1 / c->scale.lower;
    *out = (dusk_loss_curve){ .look = laplace_look, .free = laplace_free, .curve = c, .tight = c->tight };
    out->top =
        (dusk_bound){ c->tight ? dusk_div_down(n, c->scale.upper) : 0, dusk_div_up(n, c->scale.lower) };
    /* mean and variance of one loss are e - 1 + exp(-e) and about 3 - e^2 ... at most e^2 */
    out->mean = n * (e + expm1(-e));
    out->deviation = sqrt(n) * (e < 1 ? e : 1);
    c = NULL;
done:
    laplace_free(c);
    return status;
}
