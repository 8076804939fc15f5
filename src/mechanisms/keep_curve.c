/* SPDX-License-Identifier: Apache-2.0 */
/* Optimal probabilities of keeping a key [Desfontaines, Voss, Gipson & Mandayam
 * 2022, "Differentially private partition selection", Theorem 1]: with E =
 * exp(epsilon), the largest sequence with pi(0) = 0 that is (epsilon,
 * delta)-private for one more or one fewer unit,
 *     pi(n + 1) = min(E pi(n) + delta, 1 - (1 - pi(n) - delta) / E, 1).
 * The first term is the least while pi(n) <= (1 - delta) / (1 + E): this is so
 * for n < bend. Both pieces have closed forms, enclosed here by certified reals.
 * Proof: keep_curve.proof.md. */
#include "mechanisms/keep_curve.h"

#include <math.h>

#include "base/error.h"

/* out = delta (e^(n epsilon) - 1) / (E - 1): the first piece. */
static void enclose_growth(const dusk_keep_curve *curve, uint64_t n, dusk_interval *out)
{
    dusk_interval x;
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    dusk_interval_set(&x, curve->epsilon);
    dusk_interval_set_int(out, (dusk_int128)n);
    dusk_interval_mul(out, out, &x);
    dusk_interval_expm1(out, out);
    dusk_interval_expm1(&x, &x);
    dusk_interval_div(out, out, &x);
    dusk_interval_set(&x, curve->delta);
    dusk_interval_mul(out, out, &x);
    dusk_interval_clear(&x);
}

/* out = e^(-k epsilon) (1 - pi(bend)) - delta (1 - e^(-k epsilon)) / (E - 1):
 * one minus the second piece, k units after the bend; not positive from
 * `certain` on. */
static void enclose_remainder(const dusk_keep_curve *curve, uint64_t k, dusk_interval *out)
{
    dusk_interval power, x;
    dusk_interval_init(&power, mpfr_get_prec(out->lo));
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    dusk_interval_set(&x, curve->epsilon);
    dusk_interval_set_int(&power, -(dusk_int128)k);
    dusk_interval_mul(&power, &power, &x);
    dusk_interval_expm1(&x, &x);
    dusk_interval_expm1(out, &power);
    dusk_interval_div(&x, out, &x);
    dusk_interval_set(out, curve->delta);
    dusk_interval_mul(&x, &x, out); /* -delta (1 - e^(-k epsilon)) / (E - 1) */
    dusk_interval_exp(&power, &power);
    enclose_growth(curve, curve->bend, out);
    dusk_interval_mul(out, out, &power);
    dusk_interval_sub(out, &power, out);
    dusk_interval_add(out, out, &x);
    dusk_interval_clear(&power);
    dusk_interval_clear(&x);
}

void dusk_keep_curve_enclose(const dusk_keep_curve *curve, uint64_t units, dusk_interval *out)
{
    if (units <= curve->bend) {
        enclose_growth(curve, units, out);
        return;
    }
    dusk_interval one;
    dusk_interval_init(&one, mpfr_get_prec(out->lo));
    dusk_interval_set(&one, 1);
    enclose_remainder(curve, units - curve->bend, out);
    dusk_interval_sub(out, &one, out);
    dusk_interval_clear(&one);
}

/* Written so that no term is above 1 or loses digits: the exponents are below
 * 1500, which costs 2^-42 of a probability. */
double dusk_keep_curve_guess(const dusk_keep_curve *curve, uint64_t units)
{
    double epsilon = curve->epsilon, n = (double)(units < curve->bend ? units : curve->bend);
    double grown = exp(log(curve->delta) + (n - 1) * epsilon) * (expm1(-n * epsilon) / expm1(-epsilon));
    if (units <= curve->bend) return fmin(grown, 1);
    double k = (double)(units - curve->bend);
    double rest = exp(-k * epsilon) * (1 - grown) + curve->delta * (expm1(-k * epsilon) / expm1(epsilon));
    return fmin(fmax(1 - rest, 0), 1);
}

/* --- where the pieces end -------------------------------------------------------- */

typedef struct point {
    dusk_keep_curve curve;
    uint64_t n;
} point;

/* pi(n) - (1 - delta) / (1 + E), by the first piece. */
static dusk_status enclose_bend(void *real, dusk_interval *out, dusk_error *err)
{
    const point *p = real;
    dusk_interval x, one;
    (void)err;
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    dusk_interval_init(&one, mpfr_get_prec(out->lo));
    dusk_interval_set(&one, 1);
    dusk_interval_set(&x, p->curve.epsilon);
    dusk_interval_exp(&x, &x);
    dusk_interval_add(&x, &x, &one);
    dusk_interval_set(out, p->curve.delta);
    dusk_interval_sub(&one, &one, out);
    dusk_interval_div(&x, &one, &x);
    enclose_growth(&p->curve, p->n, out);
    dusk_interval_sub(out, out, &x);
    dusk_interval_clear(&x);
    dusk_interval_clear(&one);
    return DUSK_OK;
}

static dusk_status enclose_certain(void *real, dusk_interval *out, dusk_error *err)
{
    const point *p = real;
    (void)err;
    enclose_remainder(&p->curve, p->n, out);
    dusk_interval_neg(out, out);
    return DUSK_OK;
}

/* The least n >= 1 where the increasing number is positive, from a guess that is
 * near. It is 0 at no n, so every sign is found. */
static dusk_status first_positive(uint64_t *out, dusk_enclose *number, const dusk_keep_curve *curve,
                                  double guess, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    point p = { *curve, guess > 1 ? (uint64_t)guess : 1 };
    int sign = -1;

    for (;; p.n++) {
        DUSK_TRY(dusk_real_sign(&sign, number, &p, err));
        if (sign > 0) break;
    }
    for (; p.n > 1; p.n--) {
        point before = { *curve, p.n - 1 };
        DUSK_TRY(dusk_real_sign(&sign, number, &before, err));
        if (sign < 0) break;
    }
    *out = p.n;
done:
    return status;
}

/* ln(1 + e^x), whatever the size of x. */
static double log1p_exp(double x) { return x > 700 ? x : log1p(exp(x)); }

/* Solutions of the two equations in real n, close to the sought whole ones. */
static double bend_near(const dusk_keep_curve *curve)
{
    return log1p_exp(log(tanh(curve->epsilon / 2)) + log1p(-curve->delta) - log(curve->delta)) /
           curve->epsilon;
}

static double certain_near(const dusk_keep_curve *curve)
{
    double epsilon = curve->epsilon, rest = 1 - dusk_keep_curve_guess(curve, curve->bend);
    return log1p_exp(log(rest) + (epsilon > 40 ? epsilon : log(expm1(epsilon))) - log(curve->delta)) /
           epsilon;
}

/* What lies beyond 2^51 by a double's reckoning lies beyond all counts. */
DUSK_PROVEN(dusk_keep_curve_init)
dusk_status dusk_keep_curve_init(dusk_keep_curve *out, double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keep_curve curve = { .epsilon = epsilon, .delta = delta, .bend = 1, .certain = 2 };
    uint64_t more;

    if (delta < 0.5) { /* else pi(1) = delta and pi(2) = 1 */
        double near = bend_near(&curve);
        curve.bend = DUSK_KEEP_UNITS_MAX;
        curve.certain = UINT64_MAX;
        if (near < 0x1p51) {
            DUSK_TRY(first_positive(&curve.bend, enclose_bend, &curve, near, err));
            near = certain_near(&curve);
            if (near < 0x1p51) {
                DUSK_TRY(first_positive(&more, enclose_certain, &curve, near, err));
                curve.certain = curve.bend + more;
            }
        }
    }
    *out = curve;
done:
    return status;
}
