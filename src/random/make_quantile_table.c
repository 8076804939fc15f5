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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "random/quantile_table.h"

#define PRECISION 300
#define ORDER (DUSK_TABLE_WIDE + 1)
#define UNIT 0x1p-53
#define SLACK 1.0001 /* covers the rounding of the bounds themselves, done in double */

typedef struct law {
    const char *name;
    int octaves; /* of coefficients: 1 when octaves differ by a constant */
    void (*taylor)(mpfr_t *x, int octave, double m);
} law;

typedef struct bounds {
    double narrow_error, plain_error, medium_error, wide_error, narrow_max, wide_max, slope;
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

/* Lagrange: the first omitted coefficient at the small end, times (h/2)^terms. */
static double remainder_bound(mpfr_t *left, int terms)
{
    double bound = mpfr_get_d(left[terms], MPFR_RNDU);
    for (int n = 0; n < terms; n++) bound *= 0.5 / DUSK_TABLE_SEGMENTS;
    return bound * SLACK;
}

static double form_bound(const double *a, mpfr_t *left, int terms, int paired, int dropped)
{
    return (rounding_bound(a, terms, paired, dropped) + remainder_bound(left, terms)) * SLACK;
}

static void fold(bounds *b, const double *a, mpfr_t *left, int octave)
{
    double largest = mpfr_get_d(left[0], MPFR_RNDU);
    if (octave < DUSK_TABLE_NARROW_OCTAVES) {
        b->narrow_error = larger(b->narrow_error, form_bound(a, left, DUSK_TABLE_NARROW, 0, 0));
        b->narrow_max = larger(b->narrow_max, largest);
    }
    b->plain_error = larger(b->plain_error, form_bound(a, left, DUSK_TABLE_NARROW, 0, 2));
    b->medium_error =
        larger(b->medium_error, form_bound(a, left, DUSK_TABLE_MEDIUM, DUSK_TABLE_MEDIUM_PAIRED, 2));
    b->wide_error = larger(b->wide_error, form_bound(a, left, DUSK_TABLE_WIDE, DUSK_TABLE_WIDE_PAIRED, 2));
    b->wide_max = larger(b->wide_max, largest);
    b->slope = larger(b->slope, mpfr_get_d(left[1], MPFR_RNDU) * SLACK);
}

/* Write one segment's three rows and fold its error into the bounds. */
static void segment(FILE *out[3], const law *l, int octave, int i, bounds *b)
{
    mpfr_t x[ORDER + 1], left[ORDER + 1], rest;
    double a[DUSK_TABLE_WIDE], row[2 * DUSK_TABLE_ROW] = { 0 }, h = 1.0 / DUSK_TABLE_SEGMENTS;
    mpfr_init2(rest, PRECISION);
    for (int n = 0; n <= ORDER; n++) mpfr_inits2(PRECISION, x[n], left[n], (mpfr_ptr)0);
    l->taylor(x, octave, (i + 0.5) * h);
    l->taylor(left, octave, i * h);
    for (int n = 0; n < DUSK_TABLE_WIDE; n++) {
        for (int k = 0; k < n; k++) mpfr_div_ui(x[n], x[n], DUSK_TABLE_SEGMENTS, MPFR_RNDN); /* rho = m / h */
        if (n % 2) mpfr_neg(x[n], x[n], MPFR_RNDN);                                          /* tau = -m */
        row[DUSK_TABLE_HIGH(n)] = a[n] = mpfr_get_d(x[n], MPFR_RNDN);
        mpfr_sub_d(rest, x[n], a[n], MPFR_RNDN);
        if (n < DUSK_TABLE_WIDE_PAIRED) row[DUSK_TABLE_LOW(n)] = mpfr_get_d(rest, MPFR_RNDN);
    }
    fold(b, a, left, octave);
    for (int n = 0; n < DUSK_TABLE_NARROW; n++) fprintf(out[0], "%a,", a[n]);
    for (int n = 0; n < 2 * DUSK_TABLE_ROW; n++) fprintf(out[1 + n / DUSK_TABLE_ROW], "%a,", row[n]);
    for (int k = 0; k < 3; k++) fputs("\n", out[k]);
    for (int n = 0; n <= ORDER; n++) mpfr_clears(x[n], left[n], (mpfr_ptr)0);
    mpfr_clear(rest);
}

/* ln 2 as 46 bits and the rest, or nothing. */
static void print_step(FILE *out, int octaves_of_coefficients)
{
    mpfr_t step, high;
    mpfr_init2(step, PRECISION);
    mpfr_init2(high, 46);
    mpfr_const_log2(step, MPFR_RNDN);
    if (octaves_of_coefficients > 1) mpfr_set_zero(step, 1);
    mpfr_set(high, step, MPFR_RNDN);
    mpfr_sub(step, step, high, MPFR_RNDN);
    fprintf(out, "%a, %a,\n", mpfr_get_d(high, MPFR_RNDN), mpfr_get_d(step, MPFR_RNDN));
    mpfr_clear(step);
    mpfr_clear(high);
}

/* Adding (octave + 1) step: step_lo and its multiple are off by 2^-52 of at most
 * 2^-41, the two sums by one rounding each, in double-double by 2^-98. */
static void add_step(bounds *b, int octaves_of_coefficients)
{
    if (octaves_of_coefficients > 1) return;
    b->narrow_max += DUSK_TABLE_NARROW_OCTAVES * 0.6931471805599454;
    b->wide_max += DUSK_TABLE_OCTAVES * 0.6931471805599454;
    b->narrow_error += (2 * UNIT * b->narrow_max + 0x1p-93) * SLACK;
    b->plain_error += (2 * UNIT * b->wide_max + 0x1p-93) * SLACK;
    b->medium_error += (0x1p-98 * b->wide_max + 0x1p-93) * SLACK;
    b->wide_error += (0x1p-98 * b->wide_max + 0x1p-93) * SLACK;
}

static void copy(FILE *from, FILE *to)
{
    char line[4096];
    rewind(from);
    while (fgets(line, sizeof line, from)) fputs(line, to);
    if (ferror(from)) {
        perror("make_quantile_table");
        exit(1);
    }
    fclose(from);
}

static void write_law(FILE *out, FILE *summary, const law *l)
{
    const char *names[] = { "narrow", "medium", "rest" };
    FILE *rows[3] = { tmpfile(), tmpfile(), tmpfile() };
    bounds b = { 0 };
    if (!rows[0] || !rows[1] || !rows[2]) {
        perror("make_quantile_table");
        exit(1);
    }
    for (int i = 0; i < DUSK_TABLE_SEGMENTS; i++)
        for (int octave = 0; octave < l->octaves; octave++) segment(rows, l, octave, i, &b);
    add_step(&b, l->octaves);
    fputs("{ ", summary);
    for (int k = 0; k < 3; k++) {
        fprintf(out, "static const _Alignas(64) double %s_%s[] = {\n", l->name, names[k]);
        copy(rows[k], out);
        fputs("};\n", out);
        fprintf(summary, "%s_%s, ", l->name, names[k]);
    }
    fprintf(summary, "%d, %d,\n", l->octaves, l->octaves > 1);
    print_step(summary, l->octaves);
    fprintf(summary, "%a, %a, %a, %a, %a, %a, %a },\n", b.narrow_error, b.plain_error, b.medium_error,
            b.wide_error, b.narrow_max, b.wide_max, b.slope);
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
    bool failed = ferror(out); /* a table cut short by a full disk must not be compiled */
    if (fclose(out) != 0 || failed) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
