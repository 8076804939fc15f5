/* SPDX-License-Identifier: Apache-2.0 */
/* Double-double arithmetic over a type T that is double or a vector of
 * doubles; included once for each with T, FMA, RINT, SELECT and NAME(x) defined
 * [Dekker 1971; Knuth, TAOCP 2, 4.2.2]. No include guard on purpose.
 * Error bounds: rounded.proof.md. */

typedef struct NAME(pair) { /* an unevaluated sum; lo is small beside hi, not always below ulp(hi) / 2 */
    T hi, lo;
} NAME(pair);

/* Exactly a + b. */
static inline NAME(pair) NAME(two_sum)(T a, T b)
{
    T s = a + b, t = s - a;
    return (NAME(pair)){ s, (a - (s - t)) + (b - t) };
}

/* p + a. */
static inline NAME(pair) NAME(add)(NAME(pair) p, T a_hi, T a_lo)
{
    NAME(pair) s = NAME(two_sum)(a_hi, p.hi);
    return (NAME(pair)){ s.hi, s.lo + (a_lo + p.lo) };
}

/* p rho. Not brought to normal form: the next step's high part then waits for
 * two operations only. */
static inline NAME(pair) NAME(multiply)(NAME(pair) p, NAME(pair) rho)
{
    T h = p.hi * rho.hi, e = FMA(p.hi, rho.hi, -h);
    return (NAME(pair)){ h, FMA(p.lo, rho.hi, FMA(p.hi, rho.lo, e)) };
}

/* k step + sum_{n < terms} a_n rho^n over a row of the wide table, the first
 * `paired` coefficients in double-double; k is a small whole number. */
static inline NAME(pair)
    NAME(polynomial)(const T *a, NAME(pair) rho, int terms, int paired, T k, double step_hi, double step_lo)
{
    T p = a[DUSK_TABLE_HIGH(terms - 1)];
    for (int n = terms - 2; n >= paired; n--) p = FMA(p, rho.hi, a[DUSK_TABLE_HIGH(n)]);
    NAME(pair) q = { p, p - p };
    for (int n = paired - 1; n >= 0; n--)
        q = NAME(add)(NAME(multiply)(q, rho), a[DUSK_TABLE_HIGH(n)], a[DUSK_TABLE_LOW(n)]);
    return NAME(add)(q, k * step_hi, k * step_lo);
}

/* scale x + shift as whole_hi + whole_lo + rest with |rest| <= 1/2. The true
 * value of scale x is not negative, so one that is computed below `margin` may
 * as well be the margin: it rounds the same way and is not undecided. */
static inline void NAME(round)(T *whole_hi, T *whole_lo, T *rest, NAME(pair) x, NAME(pair) scale, T shift,
                               T margin)
{
    T zero = shift - shift;
    NAME(pair) t = NAME(multiply)(x, scale);
    t.lo = SELECT(t.hi < margin, zero, t.lo);
    t.hi = SELECT(t.hi < margin, margin, t.hi);
    NAME(pair) s = NAME(two_sum)(t.hi, shift);
    T high = RINT(s.hi), low = (s.lo + t.lo) + (s.hi - high), whole = RINT(low);
    *whole_hi = high;
    *whole_lo = whole;
    *rest = low - whole;
}

#undef T
#undef FMA
#undef RINT
#undef SELECT
#undef NAME
