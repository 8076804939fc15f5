/* SPDX-License-Identifier: Apache-2.0 */
/* Lazily drawn uniforms: digits in pieces of any size are the digits at once,
 * the enclosure is exactly the numbers that begin with them, zeros at the front
 * have no end, and refining takes `width` coins. */
#include <stdbool.h>

#include "base/memory.h"
#include "random/lazy.h"
#include "random/tape.h"
#include "support.h"

#define DIGITS 400

static uint64_t seed = 7;

static uint64_t next(void) { return splitmix64(&seed); }

typedef struct digit_string {
    bool digit[DIGITS];
    unsigned length;
} digit_string;

static digit_string random_digits(unsigned zeros, unsigned length)
{
    digit_string d = { .length = length };
    for (unsigned i = zeros; i < length; i++) d.digit[i] = i == zeros || next() % 2;
    return d;
}

/* Hand over the digits in pieces of the sizes that `piece` gives, with rubbish
 * in the bits below. */
static void append_all(dusk_lazy *u, const digit_string *d, unsigned (*piece)(void))
{
    for (unsigned at = 0; at < d->length;) {
        unsigned want = piece(), n = want < d->length - at ? want : d->length - at;
        uint64_t word = n < 64 ? next() >> n : 0;
        for (unsigned i = 0; i < n; i++) word |= (uint64_t)d->digit[at + i] << (63 - i);
        assert_int_equal(dusk_lazy_append(u, word, n, NULL), DUSK_OK);
        at += n;
    }
}

static unsigned whole_words(void) { return 64; }
static unsigned single_digits(void) { return 1; }
static unsigned any_size(void) { return 1 + next() % 64; }

/* The interval of all numbers 0.d1 d2 d3..., computed digit by digit. */
static void truth(dusk_interval *out, const digit_string *d)
{
    mpfr_set_zero(out->lo, 1);
    for (unsigned i = 0; i < d->length; i++) {
        mpfr_set_ui_2exp(out->hi, 1, -(mpfr_exp_t)i - 1, MPFR_RNDN);
        if (d->digit[i]) mpfr_add(out->lo, out->lo, out->hi, MPFR_RNDN);
    }
    mpfr_set_ui_2exp(out->hi, 1, -(mpfr_exp_t)d->length, MPFR_RNDN);
    mpfr_add(out->hi, out->hi, out->lo, MPFR_RNDN);
}

static void assert_encloses(const dusk_lazy *u, const digit_string *d)
{
    dusk_interval exact, got, rough;
    dusk_interval_init(&exact, DIGITS + 10);
    dusk_interval_init(&got, DIGITS + 10);
    dusk_interval_init(&rough, 12);
    truth(&exact, d);
    dusk_lazy_enclose(u, &got);
    assert_true(mpfr_equal_p(exact.lo, got.lo) && mpfr_equal_p(exact.hi, got.hi));
    dusk_lazy_enclose(u, &rough);
    mpfr_prec_round(exact.lo, 12, MPFR_RNDD);
    mpfr_prec_round(exact.hi, 12, MPFR_RNDU);
    assert_true(mpfr_equal_p(exact.lo, rough.lo) && mpfr_equal_p(exact.hi, rough.hi));
    dusk_interval_clear(&exact);
    dusk_interval_clear(&got);
    dusk_interval_clear(&rough);
}

static void check_pieces(const digit_string *d, unsigned (*piece)(void))
{
    dusk_lazy u;
    dusk_lazy_init(&u, 64);
    append_all(&u, d, piece);
    unsigned zeros = 0;
    while (zeros < d->length && !d->digit[zeros]) zeros++;
    assert_int_equal(u.zeros, zeros);
    assert_int_equal(u.leading, zeros < d->length);
    assert_int_equal(u.count, u.leading ? d->length - zeros - 1 : 0);
    assert_encloses(&u, d);
    dusk_lazy_clear(&u);
}

static void test_pieces(void **state)
{
    (void)state;
    for (int turn = 0; turn < 500; turn++) {
        unsigned zeros = turn % 3 == 0 ? (unsigned)(next() % 200) : (unsigned)(next() % 4);
        digit_string d = random_digits(zeros, (unsigned)(next() % (DIGITS + 1)));
        check_pieces(&d, whole_words);
        check_pieces(&d, single_digits);
        check_pieces(&d, any_size);
    }
}

/* Every prefix of up to ten digits. */
static void test_short(void **state)
{
    (void)state;
    for (unsigned length = 0; length <= 10; length++)
        for (unsigned bits = 0; bits >> length == 0; bits++) {
            digit_string d = { .length = length };
            for (unsigned i = 0; i < length; i++) d.digit[i] = bits >> (length - 1 - i) & 1;
            check_pieces(&d, whole_words);
            check_pieces(&d, single_digits);
        }
}

/* The exponent has no cap: after 10000 zeros the number is still known. */
static void test_long_zeros(void **state)
{
    dusk_lazy u;
    dusk_interval x;
    (void)state;
    dusk_interval_init(&x, 64);
    dusk_lazy_init(&u, 64);
    for (int i = 0; i < 200; i++) assert_int_equal(dusk_lazy_append(&u, 0, 50, NULL), DUSK_OK);
    dusk_lazy_enclose(&u, &x);
    assert_true(mpfr_zero_p(x.lo) && mpfr_cmp_ui_2exp(x.hi, 1, -10000) == 0);
    assert_int_equal(dusk_lazy_append(&u, (uint64_t)5 << 61, 3, NULL), DUSK_OK);
    dusk_lazy_enclose(&u, &x);
    assert_true(mpfr_cmp_ui_2exp(x.lo, 5, -10003) == 0 && mpfr_cmp_ui_2exp(x.hi, 6, -10003) == 0);
    dusk_lazy_clear(&u);
    dusk_interval_clear(&x);
}

/* Refining takes `width` coins each time, in order; when the tape ends nothing
 * has changed. */
static void test_refine(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 64; width++) {
        uint64_t tape[4] = { next() >> (width % 5), next(), next(), next() };
        digit_string d = { .length = 256 / width * width };
        dusk_generator *gen;
        dusk_lazy u;
        for (unsigned i = 0; i < d.length; i++) d.digit[i] = tape[i / 64] >> (63 - i % 64) & 1;
        assert_int_equal(dusk_generator_new_tape(&gen, tape, 256, NULL), DUSK_OK);
        dusk_lazy_init(&u, width);
        for (unsigned at = width; at <= d.length; at += width) {
            assert_int_equal(dusk_lazy_refine(&u, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_generator_taken(gen), at);
        }
        assert_encloses(&u, &d);
        if (256 % width) {
            assert_int_equal(dusk_lazy_refine(&u, gen, NULL), DUSK_ERR_ENTROPY);
            assert_encloses(&u, &d);
        }
        dusk_lazy_clear(&u);
        dusk_generator_free(gen);
    }
}

/* Lack of memory is reported; clearing is fine then, and more than once. */
static void test_memory(void **state)
{
    dusk_lazy u;
    (void)state;
    dusk_lazy_init(&u, 64);
    assert_int_equal(dusk_lazy_append(&u, UINT64_MAX, 64, NULL), DUSK_OK);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_lazy_append(&u, UINT64_MAX, 64, NULL), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    dusk_lazy_clear(&u);
    dusk_lazy_clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pieces), cmocka_unit_test(test_short),
                                        cmocka_unit_test(test_long_zeros), cmocka_unit_test(test_refine),
                                        cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
