/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: writes the quantile tables of random/quantile_table.h as C.
 *
 * For each segment the Taylor coefficients at its centre are computed with
 * MPFR at 300 bits by the recurrence of the law's differential equation, and
 * rounded to double or double-double. Written as functions of -m, all
 * derivatives of both quantile functions are positive and increasing, so the
 * Lagrange remainder is bounded by the first omitted coefficient at the end of
 * the segment with the smaller tail; no sampling, no fitting. The bounds on
 * the rounding of the evaluation are those of random/rounded.proof.md. */
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "random/quantile_table.h"

#define PRECISION 300
#define ORDER (DUSK_TABLE_TERMS + 1)
#define UNIT 0x1p-53
#define SLACK 1.0001 /* covers the rounding of the bounds themselves, done in double */

typedef struct law {
    const char *name;
    int octaves; /* of coefficients: 1 when octaves differ by a constant */
    void (*taylor)(mpfr_t *x, int octave, double m);
} law;

typedef struct bounds {
    double narrow_error, plain_error, wide_error, narrow_max, wide_max, slope;
} bounds;

/* Coefficients x[0..ORDER] of tau -> -ln(1 + m - tau): x[n] = 1 / (n (1+m)^n).
 * The octave's (octave + 1) ln 2 is in the base. */
static void exponential_taylor(mpfr_t *x, int octave, double m)
{
    mpfr_t power;
    (void)octave;
    mpfr_init2(power, PRECISION);
    mpfr_set_d(power, 1 + m, MPFR_RNDN);
    mpfr_log(x[0], power, MPFR_RNDN);
    mpfr_neg(x[0], x[0], MPFR_RNDN);
    for (int n = 1; n <= ORDER; n++) {
        mpfr_mul_ui(x[n], power, (unsigned)n, MPFR_RNDN);
        mpfr_ui_div(x[n], 1, x[n], MPFR_RNDN);
        mpfr_mul_d(power, power, 1 + m, MPFR_RNDN);
    }
    mpfr_clear(power);
}

/* x with erfc(x / sqrt 2) = v, by Newton on the logarithm; 300 bits are far
 * more than the 107 that are kept, so a residual error of 2^-250 is harmless. */
static void half_normal(mpfr_t x, const mpfr_t v)
{
    mpfr_t f, g, y, target;
    mpfr_inits2(PRECISION, f, g, y, target, (mpfr_ptr)0);
    mpfr_log(target, v, MPFR_RNDN);
    mpfr_mul_si(x, target, -2, MPFR_RNDN); /* sqrt(-2 ln v) is an upper bound */
    mpfr_sqrt(x, x, MPFR_RNDN);
    if (mpfr_cmp_d(v, 0.5) > 0) mpfr_set_d(x, 0.3, MPFR_RNDN);
    for (int i = 0; i < 200; i++) {
        mpfr_sqrt_ui(g, 2, MPFR_RNDN);
        mpfr_div(y, x, g, MPFR_RNDN);
        mpfr_erfc(f, y, MPFR_RNDN); /* tail at x */
        mpfr_sqr(y, y, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
        mpfr_exp(y, y, MPFR_RNDN);    /* exp(-x^2/2) */
        mpfr_div(y, f, y, MPFR_RNDN); /* tail / density, up to sqrt(pi/2) */
        mpfr_const_pi(g, MPFR_RNDN);
        mpfr_div_ui(g, g, 2, MPFR_RNDN);
        mpfr_sqrt(g, g, MPFR_RNDN);
        mpfr_mul(y, y, g, MPFR_RNDN);
        mpfr_log(f, f, MPFR_RNDN);
        mpfr_sub(f, f, target, MPFR_RNDN);
        mpfr_mul(f, f, y, MPFR_RNDN); /* Newton step on ln tail */
        mpfr_add(x, x, f, MPFR_RNDN);
        if (mpfr_zero_p(f) || mpfr_get_exp(f) < mpfr_get_exp(x) - 260) break;
    }
    mpfr_clears(f, g, y, target, (mpfr_ptr)0);
}

/* Coefficients of tau -> Q(2^-(octave+1) (1 + m - tau)) for the half-normal:
 * x' = y, y' = x y^2 with y(0) = 2^-(octave+1) sqrt(pi/2) exp(x^2/2). */
static void half_normal_taylor(mpfr_t *x, int octave, double m)
{
    mpfr_t y[ORDER + 1], square[ORDER + 1], t;
    mpfr_init2(t, PRECISION);
    for (int n = 0; n <= ORDER; n++) mpfr_inits2(PRECISION, y[n], square[n], (mpfr_ptr)0);
    mpfr_set_d(t, 1 + m, MPFR_RNDN);
    mpfr_div_2ui(t, t, (unsigned long)octave + 1, MPFR_RNDN);
    half_normal(x[0], t);
    mpfr_sqr(t, x[0], MPFR_RNDN);
    mpfr_div_ui(t, t, 2, MPFR_RNDN);
    mpfr_exp(y[0], t, MPFR_RNDN);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_div_ui(t, t, 2, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(y[0], y[0], t, MPFR_RNDN);
    mpfr_div_2ui(y[0], y[0], (unsigned long)octave + 1, MPFR_RNDN);
    for (int n = 0; n < ORDER; n++) {
        mpfr_div_ui(x[n + 1], y[n], (unsigned)n + 1, MPFR_RNDN);
        mpfr_set_ui(square[n], 0, MPFR_RNDN);
        for (int i = 0; i <= n; i++) {
            mpfr_mul(t, y[i], y[n - i], MPFR_RNDN);
            mpfr_add(square[n], square[n], t, MPFR_RNDN);
        }
        mpfr_set_ui(y[n + 1], 0, MPFR_RNDN);
        for (int i = 0; i <= n; i++) {
            mpfr_mul(t, x[i], square[n - i], MPFR_RNDN);
            mpfr_add(y[n + 1], y[n + 1], t, MPFR_RNDN);
        }
        mpfr_div_ui(y[n + 1], y[n + 1], (unsigned)n + 1, MPFR_RNDN);
    }
    for (int n = 0; n <= ORDER; n++) mpfr_clears(y[n], square[n], (mpfr_ptr)0);
    mpfr_clear(t);
}

static double larger(double a, double b) { return a > b ? a : b; }

static double magnitude(double x) { return x < 0 ? -x : x; }

/* Rounding of Horner's rule and of the coefficients, for |rho| <= 1/2. `partial`
 * bounds |p rho| + |a| at each step. In double-double a step costs 2^-98 of it
 * and a coefficient 2^-106; in double, one rounding for the step, one for the
 * coefficient, and, where the low part of rho is dropped (`dropped`), two more
 * (rounded.proof.md, steps 2 and 3). */
static double rounding_bound(const double *a, int terms, int paired, int dropped)
{
    double partial = 0, error = 0;
    for (int n = terms - 1; n >= 0; n--) {
        partial = partial / 2 + magnitude(a[n]);
        error = error / 2 + (n < paired ? 0x1p-98 : (2 + dropped) * UNIT) * partial;
    }
    return error * SLACK;
}

/* Write one segment's two rows and fold its error into the bounds. */
static void segment(FILE *narrow, FILE *wide, const law *l, int octave, int i, bounds *b)
{
    mpfr_t x[ORDER + 1], left[ORDER + 1], rest;
    double a[DUSK_TABLE_TERMS], low[DUSK_TABLE_PAIRED], h = 1.0 / DUSK_TABLE_SEGMENTS, error;
    mpfr_init2(rest, PRECISION);
    for (int n = 0; n <= ORDER; n++) mpfr_inits2(PRECISION, x[n], left[n], (mpfr_ptr)0);
    l->taylor(x, octave, (i + 0.5) * h);
    l->taylor(left, octave, i * h);
    for (int n = 0; n < DUSK_TABLE_TERMS; n++) {
        for (int k = 0; k < n; k++) mpfr_div_ui(x[n], x[n], DUSK_TABLE_SEGMENTS, MPFR_RNDN); /* rho = m / h */
        if (n % 2) mpfr_neg(x[n], x[n], MPFR_RNDN);                                          /* tau = -m */
        a[n] = mpfr_get_d(x[n], MPFR_RNDN);
        mpfr_sub_d(rest, x[n], a[n], MPFR_RNDN);
        if (n < DUSK_TABLE_PAIRED) low[n] = mpfr_get_d(rest, MPFR_RNDN);
    }
    /* Lagrange: |remainder| <= (first omitted coefficient at the small end) (h/2)^terms */
    double omitted_narrow = mpfr_get_d(left[DUSK_TABLE_NARROW], MPFR_RNDU);
    double omitted_wide = mpfr_get_d(left[DUSK_TABLE_TERMS], MPFR_RNDU);
    for (int n = 0; n < DUSK_TABLE_NARROW; n++) omitted_narrow *= h / 2;
    for (int n = 0; n < DUSK_TABLE_TERMS; n++) omitted_wide *= h / 2;
    b->slope = larger(b->slope, mpfr_get_d(left[1], MPFR_RNDU) * SLACK);
    if (octave < DUSK_TABLE_NARROW_OCTAVES) {
        error = rounding_bound(a, DUSK_TABLE_NARROW, 0, 0);
        b->narrow_error = larger(b->narrow_error, (error + omitted_narrow) * SLACK);
        b->narrow_max = larger(b->narrow_max, mpfr_get_d(left[0], MPFR_RNDU));
    }
    error = rounding_bound(a, DUSK_TABLE_NARROW, 0, 2);
    b->plain_error = larger(b->plain_error, (error + omitted_narrow) * SLACK);
    error = rounding_bound(a, DUSK_TABLE_TERMS, DUSK_TABLE_PAIRED, 2);
    b->wide_error = larger(b->wide_error, (error + omitted_wide) * SLACK);
    b->wide_max = larger(b->wide_max, mpfr_get_d(left[0], MPFR_RNDU));
    for (int n = 0; n < DUSK_TABLE_NARROW; n++) fprintf(narrow, "%a,", a[n]);
    for (int n = 0; n < DUSK_TABLE_PAIRED; n++) fprintf(wide, "%a,", a[n]);
    for (int n = 0; n < DUSK_TABLE_PAIRED; n++) fprintf(wide, "%a,", low[n]);
    for (int n = DUSK_TABLE_PAIRED; n < DUSK_TABLE_TERMS; n++) fprintf(wide, "%a,", a[n]);
    for (int n = DUSK_TABLE_PAIRED + DUSK_TABLE_TERMS; n < DUSK_TABLE_ROW; n++) fprintf(wide, "0,");
    fputs("\n", narrow);
    fputs("\n", wide);
    for (int n = 0; n <= ORDER; n++) mpfr_clears(x[n], left[n], (mpfr_ptr)0);
    mpfr_clear(rest);
}

static void print_base(FILE *out, int octaves_of_coefficients)
{
    mpfr_t t;
    char low[DUSK_TABLE_OCTAVES * 32] = "";
    size_t at = 0;
    mpfr_init2(t, PRECISION);
    fputs("{", out);
    for (int j = 0; j < DUSK_TABLE_OCTAVES; j++) {
        mpfr_const_log2(t, MPFR_RNDN);
        mpfr_mul_ui(t, t, octaves_of_coefficients == 1 ? (unsigned)j + 1 : 0, MPFR_RNDN);
        double hi = mpfr_get_d(t, MPFR_RNDN);
        mpfr_sub_d(t, t, hi, MPFR_RNDN);
        fprintf(out, "%a,", hi);
        at += (size_t)snprintf(low + at, sizeof low - at, "%a,", mpfr_get_d(t, MPFR_RNDN));
    }
    fprintf(out, "},\n{%s},\n", low);
    mpfr_clear(t);
}

/* Adding the base: one more rounding of the sum, and the base's own. */
static void add_base(bounds *b, int octaves_of_coefficients)
{
    if (octaves_of_coefficients > 1) return;
    b->narrow_max += DUSK_TABLE_NARROW_OCTAVES * 0.6931471805599454;
    b->wide_max += DUSK_TABLE_OCTAVES * 0.6931471805599454;
    b->narrow_error += 2 * UNIT * b->narrow_max * SLACK;
    b->plain_error += 2 * UNIT * b->wide_max * SLACK;
    b->wide_error += 0x1p-98 * b->wide_max * SLACK;
}

static void copy(FILE *from, FILE *to)
{
    char line[4096];
    rewind(from);
    while (fgets(line, sizeof line, from)) fputs(line, to);
    fclose(from);
}

static void write_law(FILE *out, FILE *summary, const law *l)
{
    FILE *narrow = tmpfile(), *wide = tmpfile();
    bounds b = { 0 };
    if (!narrow || !wide) {
        perror("make_quantile_table");
        exit(1);
    }
    for (int octave = 0; octave < l->octaves; octave++)
        for (int i = 0; i < DUSK_TABLE_SEGMENTS; i++) segment(narrow, wide, l, octave, i, &b);
    add_base(&b, l->octaves);
    fprintf(out, "static const _Alignas(64) double %s_narrow[] = {\n", l->name);
    copy(narrow, out);
    fprintf(out, "};\nstatic const _Alignas(64) double %s_wide[] = {\n", l->name);
    copy(wide, out);
    fprintf(out, "};\n");
    fprintf(summary, "{ %s_narrow, %s_wide, %d,\n", l->name, l->name,
            l->octaves > 1 ? DUSK_TABLE_SEGMENTS : 0);
    print_base(summary, l->octaves);
    fprintf(summary, "%a, %a, %a, %a, %a, %a },\n", b.narrow_error, b.plain_error, b.wide_error, b.narrow_max,
            b.wide_max, b.slope);
}

int main(int argc, char **argv)
{
    const law laws[] = { { "exponential", 1, exponential_taylor },
                         { "half_normal", DUSK_TABLE_OCTAVES, half_normal_taylor } };
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL, *summary = tmpfile();
    if (!out || !summary) {
        fprintf(stderr, "usage: make_quantile_table OUTPUT.c\n");
        return 1;
    }
    fputs("/* Made by make_quantile_table. Do not edit. */\n#include \"random/quantile_table.h\"\n", out);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) write_law(out, summary, &laws[i]);
    fputs("const dusk_quantile_table dusk_quantile_tables[2] = {\n", out);
    copy(summary, out);
    fputs("};\n", out);
    mpfr_free_cache();
    return fclose(out) != 0;
}
