/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm: drawing the coins, and rounding value + noise in double where
 * that decides; see noise_ball.h. Where it does not: ball_real.c. The margin depends
 * on the noise alone, never on the value. Proof: ball.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "numeric/rounding.h"
#include "random/ball_kernel.h"
#include "random/noise_ball.h"
#include "random/rounded.h"

#define U DUSK_UNIT

/* --- memory and coins --------------------------------------------------------- */

static dusk_ball_places places_of(dusk_ball_norm norm, size_t d)
{
    size_t pairs = (d + 1) / 2;
    size_t lengths = d == 2 ? 0 : pairs; /* of one pair the direction is all there is */
    switch (norm) {
    case DUSK_BALL_L2: return (dusk_ball_places){ d, pairs, d, d + lengths, d + lengths + pairs };
    case DUSK_BALL_LINF: {
        size_t terms = d + DUSK_MUTATE(BALL_CUBE_RADIUS_SHORT, 1, 0);
        return (dusk_ball_places){ terms, 0, terms, terms, terms + d };
    }
    case DUSK_BALL_L1: break;
    }
    return (dusk_ball_places){ 0, 0, 0, 0, d };
}

/* How many layers are drawn at once: 128 digits; in tests as few as there can be. */
static unsigned first_layers(const dusk_ball *ball) { return ball->width == DUSK_WIDTH_FULL ? 2 : 1; }

dusk_status dusk_ball_init(dusk_ball *out, dusk_ball_norm norm, size_t dimension, unsigned width,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    /* in one dimension all norms are the same */
    dusk_ball ball = { .norm = dimension == 1 ? DUSK_BALL_L1 : norm, .dimension = dimension, .width = width };
    ball.at = places_of(ball.norm, dimension);
    ball.room = first_layers(&ball);
    DUSK_NEW(ball.coins, ball.room * ball.at.count);
    if (ball.norm != DUSK_BALL_L1) DUSK_NEW(ball.length, ball.at.pairs ? ball.at.pairs : 1);
    for (int i = 0; i < 2; i++) dusk_interval_init(&ball.whole[i], DUSK_REAL_PRECISION);
    *out = ball;
    return DUSK_OK;
done:
    dusk_deallocate(ball.coins);
    return status;
}

static void forget_coins(dusk_ball *ball)
{
    if (ball->coins) dusk_wipe(ball->coins, ball->room * ball->at.count * sizeof *ball->coins);
    dusk_deallocate(ball->coins);
}

void dusk_ball_clear(dusk_ball *ball)
{
    if (!ball->coins) return;
    forget_coins(ball);
    if (ball->length) dusk_wipe(ball->length, (ball->at.pairs ? ball->at.pairs : 1) * sizeof *ball->length);
    dusk_deallocate(ball->length);
    for (int i = 0; i < 2; i++) dusk_interval_clear(&ball->whole[i]);
    *ball = (dusk_ball){ 0 };
}

dusk_status dusk_ball_refine(dusk_ball *ball, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = ball->at.count, known = ball->layers * n;
    uint64_t *larger = NULL;
    if (ball->layers == ball->room) {
        unsigned room = ball->room + 2;
        DUSK_NEW(larger, room * n);
        for (size_t i = 0; i < known; i++) larger[i] = ball->coins[i];
        forget_coins(ball);
        ball->coins = larger;
        ball->room = room;
    }
    DUSK_TRY(dusk_generator_words(gen, ball->coins + known, n, ball->width, err));
    ball->layers++;
done:
    return status;
}

/* --- in double ------------------------------------------------------------------ */

/* The sum of -ln over the n uniforms, by one product; within *error of it. */
static double sum_of_exponentials(const uint64_t *hi, const uint64_t *lo, size_t n, double *error)
{
    double product = 1;
    int exponent = 0, e;
    for (size_t j = 0; j < n;) {
        size_t end = j + 15 < n ? j + 15 : n; /* no factor is below 2^-64 */
        for (; j < end; j++) product *= dusk_ball_uniform(hi[j], lo[j]);
        product = frexp(product, &e);
        exponent += e;
    }
    double sum = dusk_ball_minus_log(product, exponent);
    *error = (4 * (double)n + 11 * sum) * U;
    return sum;
}

/* Leave in length[k] the part of the radius that pair k has, and give the relative
 * error of that: sqrt(E_k / S). */
static double share_radius(dusk_ball *ball, const uint64_t *hi, const uint64_t *lo, double radius)
{
    const dusk_ball_places *at = &ball->at;
    size_t pairs = at->pairs;
    dusk_ball_sum sum = { 0, 0 };
    double loose = 0;
    if (ball->dimension == 2) {
        ball->length[0] = radius;
        return 0;
    }
    for (size_t k = 0; k < pairs; k++) {
        double e = dusk_ball_exponential(hi[at->lengths + k], lo[at->lengths + k]), c = 1, s;
        ball->length[k] = e;
        if (k == pairs - 1 && DUSK_MUTATE(BALL_ODD_DIMENSION_KEEPS_SINE, ball->dimension % 2, 0)) {
            dusk_ball_direction(&c, &s, hi[at->directions + k]); /* of the last pair one is used */
            loose = e;
        }
        dusk_ball_add(&sum, e * (c * c));
    }
    double total = sum.high + sum.low;
    for (size_t k = 0; k < pairs; k++) ball->length[k] = radius * sqrt(ball->length[k] / total);
    double error = (19 * total + 12 * loose) * U / total;
    return error <= 0x1p-20 ? (17 * U + error) / 2 + U : INFINITY;
}

/* An exponential whose first 64 digits are all alike is too much for the kernel. */
static bool has_extreme(const uint64_t *hi, size_t n)
{
    bool extreme = false;
    for (size_t j = 0; j < n; j++) extreme |= hi[j] == 0 || hi[j] == UINT64_MAX;
    return extreme;
}

static void measure(dusk_ball *ball)
{
    const uint64_t *hi = ball->coins, *lo = ball->coins + ball->at.count;
    double radius, error;
    ball->rough = ball->width != DUSK_WIDTH_FULL || has_extreme(hi, ball->at.directions);
    if (ball->rough) return;
    if (ball->norm == DUSK_BALL_L1) {
        ball->doubt = 18 * U;
        return;
    }
    radius = sum_of_exponentials(hi, lo, ball->at.radius, &error);
    ball->doubt = error / radius + 9 * U;
    if (ball->norm == DUSK_BALL_L2)
        ball->doubt += share_radius(ball, hi, lo, radius);
    else
        ball->length[0] = radius;
}

dusk_status dusk_ball_draw(dusk_ball *ball, dusk_generator *gen, dusk_error *err)
{
    ball->layers = first_layers(ball);
    ball->level = 0;
    dusk_status status =
        dusk_generator_words(gen, ball->coins, ball->layers * ball->at.count, ball->width, err);
    if (status == DUSK_OK) measure(ball);
    return status;
}

/* Coordinate i of the noise in steps, and how far off that may be; false when
 * nothing is known. */
DUSK_PROVEN(coordinate)
static bool coordinate(const dusk_ball *ball, size_t i, double scale, double *z, double *margin)
{
    size_t n = ball->at.count, j = ball->at.directions + (ball->norm == DUSK_BALL_L2 ? i / 2 : i);
    uint64_t hi = ball->coins[j], lo = ball->coins[n + j];
    double c, s, length;
    switch (ball->norm) {
    case DUSK_BALL_L1: { /* a sign, then the digits of the exponential */
        uint64_t digits = hi << 1 | lo >> 63;
        if (digits == 0 || digits == UINT64_MAX) return false;
        length = scale * dusk_ball_exponential(digits, lo << 1);
        *z = hi >> 63 ? -length : length;
        break;
    }
    case DUSK_BALL_L2:
        length = scale * ball->length[i / 2];
        dusk_ball_direction(&c, &s, hi);
        *z = length * (i % 2 ? s : c);
        break;
    default:
        length = scale * ball->length[0];
        *z = length * ((double)(int64_t)(hi ^ UINT64_C(1) << 63) * 0x1p-63);
        break;
    }
    *margin = length * DUSK_MUTATE(BALL_MARGIN_TOO_SMALL, ball->doubt, 0) * (1 + 0x1p-10) + 8 * U;
    return true;
}

/* --- rounding --------------------------------------------------------------------- */

/* 2^k as a normal double, by its bits. */
static double power_of_two(int k)
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* NaN is 0; the rest ends at +-2^100 steps. */
static double clamp_value(double value, int grid)
{
    const double limit = power_of_two(100 + grid);
    value = isnan(value) ? 0 : value;
    value = value < limit ? value : limit;
    return value > -limit ? value : -limit;
}

/* floor(x + z + 1/2) when all numbers within the margin of z give the same. */
DUSK_PROVEN(decide)
static bool decide(dusk_int128 *out, double x, double z, double margin)
{
    double whole_x = floor(x), whole_z = floor(z);
    double rest = (x - whole_x) + (z - whole_z) + 0.5, whole = floor(rest);
    rest -= whole;
    bool decided = rest > margin && rest < 1 - margin;
    if (fabs(x) < 0x1p51 && fabs(z) < 0x1p51)
        *out = (int64_t)(whole_x + whole_z + whole); /* exact */
    else
        *out = (dusk_int128)whole_x + (dusk_int128)whole_z + (dusk_int128)whole;
    DUSK_DECLASSIFY(&decided, sizeof decided); /* value and noise together */
    DUSK_DECLASSIFY(out, sizeof *out);
    return decided;
}

DUSK_PROVEN(dusk_ball_round)
dusk_status dusk_ball_round(dusk_ball *ball, dusk_int128 *out, size_t i, double scale, double value, int grid,
                            dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 125;
    double x = clamp_value(value, grid), z, margin;
    dusk_status status = DUSK_OK;
    dusk_int128 answer;
    if (ball->rough || !coordinate(ball, i, scale, &z, &margin) || !(fabs(z) < 0x1p100) ||
        !decide(&answer, x * power_of_two(-grid), z, margin))
        status = dusk_ball_round_real(ball, &answer, i, scale, x, grid, gen, err);
    if (status != DUSK_OK) return status;
    answer = answer < most ? answer : most;
    *out = answer > -most ? answer : -most;
    return DUSK_OK;
}
