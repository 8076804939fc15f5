/* SPDX-License-Identifier: Apache-2.0 */
/* The shuffler: what goes in comes out, in an order that says nothing, with other nonces, once, and only when there is enough of it; and what a batch promises. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dusk/local_shuffle.h"
#include "local/record.h"
#include "random/tape.h"
#include "support.h"

enum { ROOM = 1 << 16 };

typedef struct pile {
    uint8_t bytes[ROOM];
    size_t used;
    bool fail;
} pile;

static dusk_status pile_up(void *context, const uint8_t *bytes, size_t n, dusk_error *err)
{
    pile *p = context;
    (void)err;
    if (p->fail) return DUSK_ERR_IO;
    assert_true(p->used + n <= ROOM);
    memcpy(p->bytes + p->used, bytes, n);
    p->used += n;
    return DUSK_OK;
}

static dusk_survey survey_of(dusk_randomiser mechanism, uint64_t domain)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = mechanism;
    o.epsilon = 1;
    o.domain = domain;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

/* Records of the reports 0 .. n - 1. */
static void make_records(pile *p, const dusk_survey *survey, uint64_t epoch, uint32_t n, dusk_generator *gen)
{
    dusk_generator_entropy coins;
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    p->used = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t report[2] = { (uint8_t)i, (uint8_t)(i >> 8) };
        p->used += dusk_client_record(&survey->task, epoch, p->bytes + p->used, report, &entropy);
    }
}

/* The reports of a pile in their order, and their nonces. */
static size_t read_pile(const pile *p, const dusk_survey *survey, uint64_t epoch, uint32_t *report,
                        uint64_t *nonce)
{
    size_t count = 0, head;
    uint64_t length;
    local_record record;
    for (size_t at = 0; at < p->used; at += head + length, count++) {
        assert_int_equal(local_frame_read(p->bytes + at, p->used - at, &head, &length), LOCAL_FRAME_WHOLE);
        assert_int_equal(local_record_read(&record, p->bytes + at + head, length, &survey->task, epoch, 2),
                         DUSK_TAKEN);
        report[count] = record.report[0] | (uint32_t)record.report[1] << 8;
        nonce[count] = record.nonce;
    }
    return count;
}

static void all_once_in_another_order(void **state)
{
    static pile in, out;
    static uint32_t before[1000], after[1000];
    static uint64_t old[1000], fresh[1000];
    const dusk_survey survey = survey_of(DUSK_GRR, 1000);
    dusk_generator *gen;
    dusk_shuffler *s;
    uint64_t kinds[DUSK_TAKEN_KINDS];
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 1, NULL), DUSK_OK);
    make_records(&in, &survey, 7, 1000, gen);
    assert_int_equal(read_pile(&in, &survey, 7, before, old), 1000);
    assert_int_equal(dusk_shuffler_new(&s, &survey, 7, 1000, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK); /* all of it again */
    dusk_shuffler_kinds(s, kinds);
    assert_int_equal(kinds[DUSK_TAKEN], 1000);
    assert_int_equal(kinds[DUSK_DROPPED_REPLAYED], 1000);
    out.used = 0;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_OK);
    assert_int_equal(read_pile(&out, &survey, 7, after, fresh), 1000);
    size_t seen[1000] = { 0 }, stay = 0;
    for (size_t i = 0; i < 1000; i++) {
        seen[after[i]]++;
        stay += after[i] == i;
        for (size_t j = 0; j < 1000; j++) assert_true(fresh[i] != old[j]);
    }
    for (size_t i = 0; i < 1000; i++) assert_int_equal(seen[i], 1);
    assert_true(stay < 15); /* Poisson of mean 1 */
    out.used = 0;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(out.used, 0);
    dusk_shuffler_free(s);
    dusk_generator_free(gen);
}

/* Of three reports all six orders come equally often: 6000 runs, 7 deviations. */
static void every_order_as_often(void **state)
{
    static pile in, out;
    const dusk_survey survey = survey_of(DUSK_GRR, 1000);
    dusk_generator *gen;
    size_t seen[9] = { 0 };
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 2, NULL), DUSK_OK);
    make_records(&in, &survey, 0, 3, gen);
    for (int run = 0; run < 6000; run++) {
        dusk_shuffler *s;
        uint32_t report[3];
        uint64_t nonce[3];
        out.used = 0;
        assert_int_equal(dusk_shuffler_new(&s, &survey, 0, 1, NULL), DUSK_OK);
        assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
        assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_OK);
        assert_int_equal(read_pile(&out, &survey, 0, report, nonce), 3);
        seen[3 * report[0] + report[1]]++;
        dusk_shuffler_free(s);
    }
    for (size_t i = 0; i < 9; i++)
        if (i / 3 != i % 3) assert_true(seen[i] > 798 && seen[i] < 1202);
    dusk_generator_free(gen);
}

static void not_enough_and_hostile(void **state)
{
    static pile in, out;
    const dusk_survey survey = survey_of(DUSK_GRR, 1000), other = survey_of(DUSK_GRR, 1001);
    static const uint8_t oversized[] = { 0x5a, 0x7f, 0xff, 0xff, 0xff, 0 };
    dusk_generator *gen;
    dusk_shuffler *s;
    uint64_t kinds[DUSK_TAKEN_KINDS];
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_new(&s, &survey, 7, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffler_new(&s, &survey, 7, 1003, NULL), DUSK_OK);
    make_records(&in, &survey, 7, 1002, gen); /* the last two are no category */
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used - 1, NULL), DUSK_OK);
    make_records(&in, &survey, 8, 5, gen);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
    make_records(&in, &other, 7, 6, gen);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_take(s, (const uint8_t *)"hello", 5, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_take(s, oversized, sizeof oversized, NULL), DUSK_OK);
    dusk_shuffler_kinds(s, kinds);
    assert_int_equal(kinds[DUSK_TAKEN], 1000);
    assert_int_equal(kinds[DUSK_DROPPED_INVALID], 1);
    assert_int_equal(kinds[DUSK_DROPPED_TRUNCATED], 1);
    assert_int_equal(kinds[DUSK_DROPPED_EPOCH], 5);
    assert_int_equal(kinds[DUSK_DROPPED_TASK], 6);
    assert_int_equal(kinds[DUSK_DROPPED_UNFRAMED], 1);
    assert_int_equal(kinds[DUSK_DROPPED_OVERSIZED], 1);
    out.used = 0;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(out.used, 0);
    make_records(&in, &survey, 7, 3, gen);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
    out.fail = true;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_ERR_IO);
    out.fail = false;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, NULL), DUSK_ERR_ARGUMENT); /* not twice */
    assert_int_equal(out.used, 0);
    dusk_shuffler_free(s);
    dusk_generator_free(gen);
}

/* Beside what other programs say of 10^4 reports at epsilon 1 and delta 1e-6: 0.0535 by clones, 0.0432 by a tighter bound. */
static void promises(void **state)
{
    const dusk_survey oue = survey_of(DUSK_OUE, 16), grr = survey_of(DUSK_GRR, 1024);
    dusk_statement all, fewer, lied, response, one;
    (void)state;
    assert_int_equal(dusk_shuffled_statement(&all, &oue, 10000, 0, 1e-6, NULL), DUSK_OK);
    assert_true(all.epsilon > 0.03 && all.epsilon < 0.06);
    assert_int_equal(dusk_shuffled_statement(&lied, &oue, 10000, 0.2, 1e-6, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffled_statement(&fewer, &oue, 8000, 0, 1e-6, NULL), DUSK_OK);
    assert_true(lied.epsilon == fewer.epsilon && lied.epsilon > all.epsilon);
    assert_int_equal(dusk_shuffled_statement(&response, &grr, 10000, 0, 1e-6, NULL), DUSK_OK);
    assert_true(response.epsilon < all.epsilon);
    assert_int_equal(dusk_shuffled_statement(&one, &grr, 1, 0, 1e-6, NULL), DUSK_OK);
    assert_true(one.epsilon > 0.99 && one.epsilon <= grr.epsilon);
    assert_int_equal(dusk_shuffled_statement(&one, &grr, 10, 1, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffled_statement(&one, &grr, 0, 0, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(all.assumed, "forgets"));
    assert_true(isnan(dusk_buds_claim(0, 5, 1)) && isnan(dusk_buds_claim(5, 1, 1)));
    assert_true(dusk_buds_claim(5, 3, 2) == log(5) - 2 * log(2) && dusk_buds_claim(2, 100, 3) == 0);
}

/* The number is hidden: promises for who reports or not, whatever the batch; refusals; one decision. */
static void hidden_numbers(void **state)
{
    static pile in, out;
    const dusk_survey oue = survey_of(DUSK_OUE, 16), grr = survey_of(DUSK_GRR, 1000);
    dusk_statement small, large, shuffled, cheap;
    dusk_generator *gen;
    dusk_shuffler *s;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_hidden_statement(&small, &oue, 100, 1, 1e-6, NULL), DUSK_OK);
    assert_int_equal(dusk_hidden_statement(&large, &oue, 10000, 1, 1e-6, NULL), DUSK_OK);
    assert_int_equal(dusk_hidden_statement(&cheap, &oue, 10000, 0.1, 1e-6, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffled_statement(&shuffled, &oue, 10000, 0, 5e-7, NULL), DUSK_OK);
    assert_true(large.epsilon > 1 && large.epsilon <= 1 + shuffled.epsilon + 1e-9);
    assert_true(small.epsilon > large.epsilon && cheap.epsilon < 0.2 && cheap.epsilon > 0.1);
    assert_true(large.delta == 1e-6 && strstr(large.assumed, "or not at all") != NULL);
    assert_int_equal(dusk_hidden_statement(&small, &oue, 0, 1, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_hidden_statement(&small, &oue, 10, 0, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_hidden_statement(&small, &oue, 10, 1, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_generator_new_seeded(&gen, 8, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_new(&s, &grr, 0, 500, NULL), DUSK_OK);
    assert_int_equal(dusk_shuffler_hide_number(s, -1, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffler_hide_number(s, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffler_hide_number(s, 1, 1e-6, NULL), DUSK_OK);
    make_records(&in, &grr, 0, 400, gen);
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_OK);
    out.used = 0;
    assert_int_equal(dusk_shuffler_release(s, gen, pile_up, &out, &err), DUSK_ERR_ARGUMENT);
    assert_null(strstr(err.message, "400")); /* the error does not tell */
    assert_int_equal(dusk_shuffler_take(s, in.bytes, in.used, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_shuffler_hide_number(s, 1, 1e-6, NULL), DUSK_ERR_ARGUMENT);
    assert_true(out.used == 0 && dusk_shuffler_left(s) == 0);
    dusk_shuffler_free(s);
    dusk_generator_free(gen);
}

static void memory_fails(void **state)
{
    static pile in, out;
    const dusk_survey survey = survey_of(DUSK_GRR, 1000);
    dusk_generator *gen;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 4, NULL), DUSK_OK);
    make_records(&in, &survey, 0, 200, gen);
    bool failed = true;
    for (long at = 1; failed; at++) {
        dusk_shuffler *s = NULL;
        out.used = 0;
        dusk_memory_fail_at(at);
        dusk_status status = dusk_shuffler_new(&s, &survey, 0, 1, NULL);
        if (status == DUSK_OK) status = dusk_shuffler_take(s, in.bytes, in.used, NULL);
        if (status == DUSK_OK) status = dusk_shuffler_release(s, gen, pile_up, &out, NULL);
        dusk_memory_fail_at(0);
        failed = status != DUSK_OK;
        assert_true(status == DUSK_OK || (status == DUSK_ERR_MEMORY && out.used == 0));
        dusk_shuffler_free(s);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_once_in_another_order),
        cmocka_unit_test(every_order_as_often),
        cmocka_unit_test(not_enough_and_hostile),
        cmocka_unit_test(promises),
        cmocka_unit_test(hidden_numbers),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
