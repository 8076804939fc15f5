/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm, by enclosures: for the few coordinates that double cannot round,
 * and for the tests, which have few coins. Every uniform is known to lie in an
 * interval of its digits; the noise is enclosed for all numbers there, and further
 * digits of all of them are drawn until the rounding is the same throughout. Radius
 * and sum of lengths are kept from one coordinate to the next. Proof:
 * ball_real.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "random/noise_ball.h"
#include "random/rounded.h"

/* A question about one coordinate. */
typedef struct asked {
    dusk_ball *ball;
    size_t i;
    double scale, value;
    int grid;
    dusk_generator *gen;
    unsigned level; /* how often it was asked */
} asked;

/* The digits of uniform j as a whole number; how many there are. */
static unsigned digits_of(mpz_t out, const dusk_ball *ball, size_t j)
{
    mpz_set_ui(out, 0);
    for (unsigned l = 0; l < ball->layers; l++) {
        mpz_mul_2exp(out, out, ball->width);
        mpz_add_ui(out, out, ball->coins[l * ball->at.count + j] >> (64 - ball->width));
    }
    return ball->layers * ball->width;
}

/* [digits, digits + 1] / 2^count. */
static void set_digits(dusk_interval *out, mpz_t digits, unsigned count)
{
    mpfr_set_z_2exp(out->lo, digits, -(mpfr_exp_t)count, MPFR_RNDD);
    mpz_add_ui(digits, digits, 1);
    mpfr_set_z_2exp(out->hi, digits, -(mpfr_exp_t)count, MPFR_RNDU);
}

static void enclose_uniform(const dusk_ball *ball, size_t j, dusk_interval *out)
{
    mpz_t digits;
    mpz_init(digits);
    unsigned count = digits_of(digits, ball, j);
    set_digits(out, digits, count);
    mpz_clear(digits);
}

static void enclose_exponential(const dusk_ball *ball, size_t j, dusk_interval *out)
{
    enclose_uniform(ball, j, out);
    dusk_tail_quantile(DUSK_TAIL_EXPONENTIAL, out, out);
}

/* -ln of a product: the sum of n exponentials. */
static void enclose_sum(const dusk_ball *ball, size_t from, size_t n, dusk_interval *out)
{
    dusk_interval v;
    mpz_t digits;
    mpz_init(digits);
    dusk_interval_init(&v, mpfr_get_prec(out->lo));
    dusk_interval_set(out, 1);
    for (size_t j = from; j < from + n; j++) {
        unsigned count = digits_of(digits, ball, j);
        set_digits(&v, digits, count);
        mpfr_mul(out->lo, out->lo, v.lo, MPFR_RNDD);
        mpfr_mul(out->hi, out->hi, v.hi, MPFR_RNDU);
    }
    dusk_tail_quantile(DUSK_TAIL_EXPONENTIAL, out, out);
    dusk_interval_clear(&v);
    mpz_clear(digits);
}

/* cos or sin of 2 pi V: that of the lower end, and no further off than the angle. */
static void enclose_direction(const dusk_ball *ball, size_t k, bool sine, dusk_interval *out)
{
    int (*f)(mpfr_t, const mpfr_t, mpfr_rnd_t) = sine ? mpfr_sin : mpfr_cos;
    dusk_interval angle, turn;
    dusk_interval_init(&angle, mpfr_get_prec(out->lo));
    dusk_interval_init(&turn, mpfr_get_prec(out->lo));
    mpfr_const_pi(turn.lo, MPFR_RNDD);
    mpfr_const_pi(turn.hi, MPFR_RNDU);
    dusk_interval_scale(&turn, &turn, 1);
    enclose_uniform(ball, ball->at.directions + k, &angle);
    dusk_interval_mul(&angle, &angle, &turn);
    mpfr_sub(turn.hi, angle.hi, angle.lo, MPFR_RNDU);
    f(out->lo, angle.lo, MPFR_RNDD);
    f(out->hi, angle.lo, MPFR_RNDU);
    mpfr_sub(out->lo, out->lo, turn.hi, MPFR_RNDD);
    mpfr_add(out->hi, out->hi, turn.hi, MPFR_RNDU);
    dusk_interval_clear(&angle);
    dusk_interval_clear(&turn);
}

/* The sum of squares of the last pair, of which an odd dimension has the cosine only. */
static void add_last(const dusk_ball *ball, dusk_interval *sum)
{
    size_t k = ball->at.pairs - 1;
    dusk_interval e, c;
    dusk_interval_init(&e, mpfr_get_prec(sum->lo));
    dusk_interval_init(&c, mpfr_get_prec(sum->lo));
    enclose_exponential(ball, ball->at.lengths + k, &e);
    enclose_direction(ball, k, false, &c);
    dusk_interval_mul(&c, &c, &c);
    if (mpfr_sgn(c.lo) < 0) mpfr_set_zero(c.lo, 1);
    if (mpfr_number_p(e.hi)) {
        dusk_interval_mul(&e, &e, &c);
    } else {
        mpfr_mul(e.lo, e.lo, c.lo, MPFR_RNDD);
        mpfr_set_inf(e.hi, 1);
    }
    dusk_interval_add(sum, sum, &e);
    dusk_interval_clear(&e);
    dusk_interval_clear(&c);
}

/* The radius and the sum of the lengths, once for each level. */
static void enclose_whole(dusk_ball *ball, unsigned level, mpfr_prec_t precision)
{
    const dusk_ball_places *at = &ball->at;
    if (ball->level >= level) return;
    for (int i = 0; i < 2; i++) {
        mpfr_set_prec(ball->whole[i].lo, precision + 32);
        mpfr_set_prec(ball->whole[i].hi, precision + 32);
    }
    enclose_sum(ball, 0, at->radius, &ball->whole[0]);
    if (ball->norm == DUSK_BALL_L2 && ball->dimension > 2) {
        bool odd = ball->dimension % 2;
        enclose_sum(ball, at->lengths, at->pairs - odd, &ball->whole[1]);
        if (odd) add_last(ball, &ball->whole[1]);
    }
    ball->level = level;
}

/* sign E: the first digit is the sign. */
static void enclose_laplace(const dusk_ball *ball, size_t i, dusk_interval *out)
{
    mpz_t digits;
    mpz_init(digits);
    unsigned count = digits_of(digits, ball, i) - 1;
    bool negative = mpz_tstbit(digits, count);
    mpz_clrbit(digits, count);
    set_digits(out, digits, count);
    dusk_tail_quantile(DUSK_TAIL_EXPONENTIAL, out, out);
    if (negative) dusk_interval_neg(out, out);
    mpz_clear(digits);
}

/* A coordinate of the point on the sphere, from -1 to 1 for all that is known
 * otherwise. */
static void enclose_sphere(const dusk_ball *ball, size_t i, dusk_interval *out)
{
    const dusk_interval *sum = &ball->whole[1];
    dusk_interval e;
    enclose_direction(ball, i / 2, i % 2, out);
    if (ball->dimension == 2) return;
    dusk_interval_init(&e, mpfr_get_prec(out->lo));
    enclose_exponential(ball, ball->at.lengths + i / 2, &e);
    if (mpfr_sgn(sum->lo) > 0 && mpfr_number_p(sum->hi) && mpfr_number_p(e.hi)) {
        dusk_interval_div(&e, &e, sum);
        mpfr_sqrt(e.lo, e.lo, MPFR_RNDD);
        mpfr_sqrt(e.hi, e.hi, MPFR_RNDU);
        dusk_interval_mul(out, out, &e);
    } else {
        mpfr_set_si(out->lo, -1, MPFR_RNDN);
        mpfr_set_si(out->hi, 1, MPFR_RNDN);
    }
    dusk_interval_clear(&e);
}

/* 2 V - 1. */
static void enclose_cube(const dusk_ball *ball, size_t i, dusk_interval *out)
{
    enclose_uniform(ball, ball->at.directions + i, out);
    dusk_interval_scale(out, out, 1);
    mpfr_sub_ui(out->lo, out->lo, 1, MPFR_RNDD);
    mpfr_sub_ui(out->hi, out->hi, 1, MPFR_RNDU);
}

/* Coordinate i of the noise of scale 1. */
static void enclose_noise(const dusk_ball *ball, size_t i, dusk_interval *out)
{
    const dusk_interval *radius = &ball->whole[0];
    if (ball->norm == DUSK_BALL_L1) {
        enclose_laplace(ball, i, out);
        return;
    }
    if (ball->norm == DUSK_BALL_L2)
        enclose_sphere(ball, i, out);
    else
        enclose_cube(ball, i, out);
    if (mpfr_number_p(radius->hi)) {
        dusk_interval_mul(out, out, radius);
    } else {
        mpfr_set_inf(out->lo, -1);
        mpfr_set_inf(out->hi, 1);
    }
}

/* value / 2^grid + scale Z + 1/2. */
DUSK_PROVEN(enclose_answer)
static dusk_status enclose_answer(void *real, dusk_interval *out, dusk_error *err)
{
    asked *q = real;
    dusk_ball *ball = q->ball;
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    dusk_interval x;
    /* the first question is about what was drawn at once, each further one needs more */
    while (ball->layers < (ball->width == DUSK_WIDTH_FULL ? 2u : 1u) + q->level) {
        dusk_status status = dusk_ball_refine(ball, q->gen, err);
        if (status != DUSK_OK) return status;
    }
    q->level++;
    enclose_whole(ball, q->level, precision);
    enclose_noise(ball, q->i, out);
    dusk_interval_init(&x, precision);
    dusk_interval_set(&x, q->scale);
    dusk_interval_mul(out, out, &x);
    dusk_interval_set(&x, q->value);
    dusk_interval_scale(&x, &x, -(long)q->grid);
    dusk_interval_add(out, out, &x);
    dusk_interval_set(&x, DUSK_MUTATE(BALL_ROUNDS_DOWN, 0.5, 0));
    dusk_interval_add(out, out, &x);
    dusk_interval_clear(&x);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_ball_round_real)
dusk_status dusk_ball_round_real(dusk_ball *ball, dusk_int128 *out, size_t i, double scale, double value,
                                 int grid, dusk_generator *gen, dusk_error *err)
{
    asked q = { .ball = ball, .i = i, .scale = scale, .value = value, .grid = grid, .gen = gen };
    return dusk_real_floor(out, enclose_answer, &q, err);
}
