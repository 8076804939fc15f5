/* SPDX-License-Identifier: Apache-2.0 */
/* Biased coins on every coin tape with 4 to 10 leading digits. Only tapes that
 * are not decided grow, so the walk goes to 2^-45 with few digits: the bias lies
 * between the mass of heads and that plus the undecided mass, which leaves no
 * room for a wrong margin. Sums of powers of two down to 2^-52 are exact. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "random/noise_coin.h"
#include "random/rounded.h"
#include "random/tape.h"
#include "support.h"

#define DEEP 48       /* coins: what is not decided then has mass about 2^-48 */
#define ROUNDED 2e-16 /* a bias in double is off by no more */

typedef dusk_status toss(dusk_generator *gen, bool *out, const void *what, unsigned width);

typedef struct subject {
    toss *toss;
    const void *what;
    unsigned width;
    double heads, tails;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    bool up;
    if (s->toss(gen, &up, s->what, s->width) != DUSK_OK) return false;
    *(up ? &s->heads : &s->tails) += dusk_tape_weight(gen);
    return true;
}

static void check_bias(toss *f, const void *what, double p, unsigned width, unsigned depth)
{
    subject s = { .toss = f, .what = what, .width = width };
    double undecided = dusk_tape_walk(depth, run, &s);
    if (!(s.heads <= p + ROUNDED && p <= s.heads + undecided + ROUNDED))
        fail_msg("width %u: bias %.17g is not in [%.17g, %.17g]", width, p, s.heads, s.heads + undecided);
    if (fabs(s.heads + s.tails + undecided - 1) > ROUNDED) fail_msg("width %u: masses do not add up", width);
    if (undecided > 0.01) fail_msg("width %u: undecided mass %g", width, undecided);
}

/* The depth is whole requests, so that none is left half asked for. */
static void check_deep(toss *f, const void *what, double p)
{
    for (unsigned width = 4; width <= 10; width++)
        check_bias(f, what, p, width, width <= 6 ? DEEP / width * width : 2 * width);
}

/* --- ratios ------------------------------------------------------------------ */

static dusk_status toss_ratio(dusk_generator *gen, bool *out, const void *what, unsigned width)
{
    const uint64_t *ratio = what;
    return dusk_coin_ratio(gen, out, ratio[0], ratio[1], width, NULL);
}

static void test_ratio(void **state)
{
    static const uint64_t bottom[] = { 1, 2, 3, 7, 10, 16 };
    (void)state;
    for (size_t i = 0; i < sizeof bottom / sizeof *bottom; i++)
        for (uint64_t a = 0; a <= bottom[i]; a++)
            for (unsigned width = 4; width <= 10; width++) {
                uint64_t ratio[2] = { a, bottom[i] };
                unsigned turns = width <= 5 ? 5 : 2; /* a rejected word is one of a few that start anew */
                check_bias(toss_ratio, ratio, (double)a / (double)bottom[i], width, turns * width);
            }
}

/* --- exponentials -------------------------------------------------------------- */

static dusk_status toss_exp(dusk_generator *gen, bool *out, const void *what, unsigned width)
{
    const uint64_t *ratio = what;
    return dusk_coin_exp(gen, out, ratio[0], ratio[1], width, NULL);
}

static void test_exp(void **state)
{
    static const uint64_t ratios[][2] = {
        { 1, 1 },          { 1, 3 },          { 7, 5 },
        { 20, 1 },         { 1, 1000000 },    { 1000, 1 },
        { UINT64_MAX, 1 }, { 1, UINT64_MAX }, { UINT64_MAX - 1, UINT64_MAX },
        { 0, 1 },          { 0, UINT64_MAX }
    };
    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        check_deep(toss_exp, ratios[i], exp(-(double)ratios[i][0] / (double)ratios[i][1]));
}

/* --- reals ------------------------------------------------------------------------ */

typedef struct real_coin {
    dusk_enclose *enclose;
    double p, guess;
} real_coin;

static dusk_status enclose_logistic(void *real, dusk_interval *out, dusk_error *err)
{
    dusk_interval one; /* e / (e + 1) = 1 / (1 + e^-1) */
    (void)real, (void)err;
    dusk_interval_init(&one, mpfr_get_prec(out->lo));
    dusk_interval_set(&one, -1);
    dusk_interval_exp(out, &one);
    dusk_interval_set(&one, 1);
    dusk_interval_add(out, out, &one);
    dusk_interval_div(out, &one, out);
    dusk_interval_clear(&one);
    return DUSK_OK;
}

static dusk_status enclose_double(void *real, dusk_interval *out, dusk_error *err)
{
    (void)err;
    dusk_interval_set(out, ((const real_coin *)real)->p);
    return DUSK_OK;
}

static dusk_status toss_real(dusk_generator *gen, bool *out, const void *what, unsigned width)
{
    real_coin c = *(const real_coin *)what;
    return dusk_coin_real(gen, out, c.guess, c.enclose, &c, width, NULL);
}

static void test_real(void **state)
{
    static const double p[] = { 0.5, 0.3, 0.75, 0x1p-20, 0x1p-47, 1 - 0x1p-20, 1 - 0x1p-47 };
    (void)state;
    double logistic = 1 / (1 + exp(-1));
    check_deep(toss_real, &(real_coin){ enclose_logistic, 0, logistic }, logistic);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        check_deep(toss_real, &(real_coin){ enclose_double, p[i], p[i] }, p[i]);
}

/* Only the enclosure is trusted: p beside a number of few digits, and a guess
 * that is off to the other side of it by as much as it may be. */
static void test_real_with_a_poor_guess(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i += 5)
        for (int side = -1; side <= 1; side += 2) {
            double p = (i + 0.5) / 16 + side * 0x1p-42, off = side * -0x1p-40;
            check_deep(toss_real, &(real_coin){ enclose_double, p, p + off }, p);
        }
}

/* --- gaps -------------------------------------------------------------------------- */

typedef struct gap_coin {
    double top, score, numerator, denominator;
} gap_coin;

static dusk_status toss_gap(dusk_generator *gen, bool *out, const void *what, unsigned width)
{
    const gap_coin *g = what;
    uint64_t heads;
    dusk_status status =
        dusk_coin_gaps(gen, &heads, g->top, &g->score, 1, g->numerator, g->denominator, width, NULL);
    *out = heads == 1;
    return heads > 1 ? DUSK_ERR_INTERNAL : status;
}

static void test_gaps(void **state)
{
    static const double rate[][2] = { { 1, 1 }, { 0.1, 3 }, { 5, 0.7 } };
    static const double gap[] = { 0, 1e-6, 0.1, 1, 2.75, 20, 1e4, DBL_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
        for (size_t j = 0; j < sizeof gap / sizeof *gap; j++) {
            gap_coin g = { 0, -gap[j], rate[i][0], rate[i][1] };
            double p = exp(-gap[j] * rate[i][0] / rate[i][1]);
            check_deep(toss_gap, &g, p);
        }
    check_deep(toss_gap, &(gap_coin){ 0.3, 0.1, 1, 1 }, exp(-(0.3 - 0.1)));
    check_deep(toss_gap, &(gap_coin){ 1, 0x1p-60, 1, 1 }, exp(-1)); /* 1 - 2^-60 is no double */
    check_deep(toss_gap, &(gap_coin){ DBL_MAX, -DBL_MAX, 1, 1 }, 0);
}

/* Neither the rate nor the gap need be a double. */
static void test_gaps_beyond_doubles(void **state)
{
    (void)state;
    check_deep(toss_gap, &(gap_coin){ 0, 0, DBL_MAX, 0x1p-1074 }, 1);
    check_deep(toss_gap, &(gap_coin){ 0, -0x1p-1074, 0x1p1023, 0.5 }, 1 - 0x1p-50);
    check_deep(toss_gap, &(gap_coin){ 0, -0x1p-1074, 0x1p1023, 0x1p-51 }, exp(-1));
    check_deep(toss_gap, &(gap_coin){ 0x1p1023, -0x1p1023, 1, 0x1p1023 }, exp(-2));
    check_deep(toss_gap, &(gap_coin){ 0x1p1023, 0, 0x1p-1074, 0x1p-50 }, exp(-0.5));
    check_deep(toss_gap, &(gap_coin){ 0, -0x1p1023, 0x1p-1074, 1.5 }, 1 - 0x1p-51 / 1.5);
}

typedef struct pair_law {
    unsigned width;
    double score[2];
    double mass[4];
} pair_law;

static bool run_pair(dusk_generator *gen, void *context)
{
    pair_law *law = context;
    uint64_t heads;
    if (dusk_coin_gaps(gen, &heads, 1, law->score, 2, 1, 1, law->width, NULL) != DUSK_OK) return false;
    law->mass[heads & 3] += dusk_tape_weight(gen);
    return heads <= 3;
}

/* Two coins of one call: independent, and each in its own bit. */
static void test_gaps_are_independent(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 7; width++) {
        pair_law law = { .width = width, .score = { 0.9, -0.5 } };
        double p[2] = { exp(-0.1), exp(-1.5) },
               undecided = dusk_tape_walk((width < 6 ? 4 : 3) * width, run_pair, &law);
        for (unsigned k = 0; k < 4; k++) {
            double truth = (k & 1 ? p[0] : 1 - p[0]) * (k & 2 ? p[1] : 1 - p[1]);
            assert_true(law.mass[k] <= truth + ROUNDED && truth <= law.mass[k] + undecided + ROUNDED);
        }
        assert_true(undecided < 0.01);
    }
}

/* Production width and more coins than a turn: the gap 0 is heads whatever the
 * coins are, a gap beyond all bounds tails. */
static void test_gaps_in_bulk(void **state)
{
    enum { N = 5000 };
    static double score[N];
    static uint64_t heads[(N + 63) / 64];
    dusk_generator *gen;
    (void)state;
    for (size_t i = 0; i < N; i++) score[i] = i % 3 == 0 ? 1 : -1e300;
    assert_int_equal(dusk_generator_new_seeded(&gen, 1, NULL), DUSK_OK);
    for (int turn = 0; turn < 20; turn++) {
        assert_int_equal(dusk_coin_gaps(gen, heads, 1, score, N, 1, 1, DUSK_WIDTH_FULL, NULL), DUSK_OK);
        for (size_t i = 0; i < N; i++) assert_int_equal(heads[i / 64] >> i % 64 & 1, i % 3 == 0);
        assert_int_equal(heads[N / 64] >> N % 64, 0);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ratio),
                                        cmocka_unit_test(test_exp),
                                        cmocka_unit_test(test_real),
                                        cmocka_unit_test(test_real_with_a_poor_guess),
                                        cmocka_unit_test(test_gaps),
                                        cmocka_unit_test(test_gaps_beyond_doubles),
                                        cmocka_unit_test(test_gaps_are_independent),
                                        cmocka_unit_test(test_gaps_in_bulk) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
