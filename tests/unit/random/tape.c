/* SPDX-License-Identifier: Apache-2.0 */
/* The coin tape itself: which coins it gives, when it stops, and that a walk
 * over all tapes visits each exactly once. */
#include <string.h>

#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

static void coins_come_in_order(void **state)
{
    const uint64_t bits[3] = { 0xA123456789ABCDEFu, 0xFEDCBA9876543210u, 0 };
    uint64_t words[2];
    unsigned char bytes[2];
    dusk_generator *gen;

    (void)state;
    assert_int_equal(dusk_generator_new_tape(&gen, bits, 130, NULL), DUSK_OK);
    assert_string_equal(dusk_generator_name(gen), "tape");
    assert_int_equal(dusk_generator_words(gen, words, 2, 4, NULL), DUSK_OK);
    assert_true(words[0] == (uint64_t)0xA << 60 && words[1] == (uint64_t)0x1 << 60);
    assert_int_equal(dusk_generator_bytes(gen, bytes, 2, NULL), DUSK_OK);
    assert_true(bytes[0] == 0x23 && bytes[1] == 0x45);
    assert_int_equal(dusk_generator_words(gen, words, 1, 64, NULL), DUSK_OK);
    assert_true(words[0] == 0x6789ABCDEFFEDCBAu);
    assert_int_equal(dusk_generator_taken(gen), 88);
    dusk_generator_rewind(gen, NULL, 3);
    assert_int_equal(dusk_generator_words(gen, words, 1, 3, NULL), DUSK_OK);
    assert_true(words[0] == (uint64_t)5 << 61);
    assert_true(dusk_tape_weight(gen) == 0.125);
    dusk_generator_free(gen);
}

static void short_tape_gives_nothing(void **state)
{
    const uint64_t bits[1] = { UINT64_MAX };
    uint64_t words[3] = { 1, 1, 1 };
    unsigned char byte = 1;
    dusk_generator *gen, *forked;
    dusk_error err;

    (void)state;
    assert_int_equal(dusk_generator_new_tape(&gen, bits, 7, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, words, 3, 3, &err), DUSK_ERR_ENTROPY);
    assert_int_equal(err.status, DUSK_ERR_ENTROPY);
    assert_true(words[0] == 0 && words[1] == 0 && words[2] == 0);
    assert_int_equal(dusk_generator_bytes(gen, &byte, 1, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(byte, 0);
    assert_int_equal(dusk_generator_taken(gen), 0);
    assert_int_equal(dusk_generator_fork(&forked, gen, NULL), DUSK_ERR_UNSUPPORTED);
    assert_null(forked);
    dusk_generator_free(gen);
}

typedef struct tally {
    unsigned request; /* coins a request */
    unsigned visits;
    double decided;
} tally;

/* Requests until one is all ones. */
static bool until_ones(dusk_generator *gen, void *context)
{
    tally *t = context;
    uint64_t word = 0;
    t->visits++;
    while (word != ~(UINT64_MAX >> t->request))
        if (dusk_generator_words(gen, &word, 1, t->request, NULL) != DUSK_OK) return false;
    t->decided += dusk_tape_weight(gen);
    return true;
}

static void walk_visits_every_tape_once(void **state)
{
    (void)state;
    tally one = { .request = 1 }, three = { .request = 3 }, wide = { .request = 40 };
    double undecided = dusk_tape_walk(20, until_ones, &one);
    assert_true(undecided == 0x1p-20 && one.decided == 1 - undecided);
    assert_int_equal(one.visits, 1 + 2 * 20);
    /* 8 continuations of each of the tapes 1, 7, 49; 10 coins hold three requests. */
    undecided = dusk_tape_walk(10, until_ones, &three);
    assert_true(undecided == 343 / 512.0 && three.decided == 1 - undecided);
    assert_int_equal(three.visits, 1 + 8 + 56 + 392);
    assert_true(dusk_tape_walk(50, until_ones, &wide) == 1);
    assert_true(dusk_tape_walk(0, until_ones, &one) == 1);
    assert_true(dusk_tape_walk(100000, until_ones, &one) == 1);
}

static bool never(dusk_generator *gen, void *context)
{
    (void)gen;
    (void)context;
    return false;
}

static void walk_ends_when_a_run_gives_up(void **state)
{
    (void)state;
    assert_true(dusk_tape_walk(30, never, NULL) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_come_in_order),
        cmocka_unit_test(short_tape_gives_nothing),
        cmocka_unit_test(walk_visits_every_tape_once),
        cmocka_unit_test(walk_ends_when_a_run_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
