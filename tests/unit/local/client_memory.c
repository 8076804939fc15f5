/* SPDX-License-Identifier: Apache-2.0 */
/* Memories, streams and budgets of devices. */
#include <math.h>
#include <string.h>

#include "dusk/local.h"
#include "local/client.h"
#include "local/protocol.h"
#include "seeded.h"
#include "support.h"

/* RFC 8439, section 2.3.2. */
static void chacha(void **state)
{
    static const uint8_t right[64] = { 0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd,
                                       0x1f, 0xa3, 0x20, 0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0,
                                       0x68, 0x03, 0x04, 0x22, 0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2,
                                       0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa, 0x09, 0x14, 0xc2, 0xd7, 0x05,
                                       0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1, 0xde, 0x16, 0x4e,
                                       0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e };
    uint8_t key[32], block[64];
    (void)state;
    for (uint8_t i = 0; i < 32; i++) key[i] = i;
    client_chacha(key, 1 | (uint64_t)0x09000000 << 32, 0x4a000000, block);
    assert_memory_equal(block, right, 64);
}

static dusk_survey survey_of(dusk_randomiser mechanism, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = epsilon;
    options.domain = 20;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    return survey;
}

static dusk_memory memory_of(uint64_t number)
{
    dusk_memory memory = { { 0 } };
    client_put(memory.secret, number * 0x9e3779b97f4a7c15u + 1, 8);
    return memory;
}

static bool is_window(uint32_t mechanism)
{
    return mechanism == DUSK_PIECEWISE || mechanism == DUSK_HYBRID || mechanism == DUSK_SQUAREWAVE;
}

/* The same again, for every randomiser but RAPPOR, whose cohort stays; and other devices answer otherwise. */
static void one_answer(void **state)
{
    dusk_generator *gen = seeded(21);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++) {
        const dusk_survey survey = survey_of(local_protocols[i]->mechanism, 1);
        const size_t size = dusk_report_size(&survey.task);
        uint8_t first[256], again[256];
        size_t same = 0;
        assert_true(size <= sizeof first);
        for (uint64_t d = 0; d < 64; d++) {
            const dusk_memory memory = memory_of(d), other = memory_of(d + 1000);
            if (is_window(survey.task.mechanism)) {
                assert_int_equal(dusk_client_remembered(&survey.task, &memory, first, 3, &entropy),
                                 DUSK_CLIENT_BAD_TASK);
                continue;
            }
            assert_int_equal(dusk_client_remembered(&survey.task, &memory, first, 3, &entropy), 0);
            assert_int_equal(dusk_client_remembered(&survey.task, &memory, again, 3, &entropy), 0);
            if (survey.task.mechanism == DUSK_RAPPOR) {
                assert_int_equal(first[0], again[0]);
                assert_memory_not_equal(first, again, size);
                assert_int_equal(dusk_client_remembered(&survey.task, &memory, again, 4, &entropy), 0);
                assert_int_equal(first[0], again[0]); /* whatever the value */
            } else {
                assert_memory_equal(first, again, size);
            }
            if (survey.task.mechanism == DUSK_DBITFLIP) { /* the same buckets of another value */
                assert_int_equal(dusk_client_remembered(&survey.task, &memory, again, 4, &entropy), 0);
                assert_memory_equal(first, again, survey.task.width);
            }
            assert_int_equal(dusk_client_remembered(&survey.task, &other, again, 3, &entropy), 0);
            same += memcmp(first, again, size) == 0;
        }
        assert_true(same < 60 || is_window(survey.task.mechanism));
    }
    dusk_generator_free(gen);
}

/* Values beyond the domain are the last one, with its coins; other tasks have other coins. */
static void coins(void **state)
{
    const dusk_survey a = survey_of(DUSK_GRR, 1), b = survey_of(DUSK_GRR, 1.1);
    size_t differ = 0, values = 0;
    (void)state;
    for (uint64_t d = 0; d < 200; d++) {
        const dusk_memory memory = memory_of(d);
        uint8_t x[4], y[4], z[4];
        assert_int_equal(dusk_client_remembered(&a.task, &memory, x, 19, NULL), 0);
        assert_int_equal(dusk_client_remembered(&a.task, &memory, y, 77, NULL), 0);
        assert_int_equal(x[0], y[0]);
        assert_int_equal(dusk_client_remembered(&b.task, &memory, y, 19, NULL), 0);
        differ += x[0] != y[0];
        assert_int_equal(dusk_client_remembered(&a.task, &memory, z, 18, NULL), 0);
        values += (x[0] == 19) == (z[0] == 18);
    }
    assert_true(differ > 100);
    assert_true(values > 100 && values < 200); /* coins of another value are others */
}

/* Over devices an answer has the law of a fresh one: estimates of the same truth. alpha 1e-8. */
static void law(void **state)
{
    static const dusk_randomiser which[] = { DUSK_GRR, DUSK_HCMS, DUSK_RAPPOR, DUSK_DBITFLIP, DUSK_DUCHI };
    enum { DEVICES = 3000 };
    dusk_generator *gen = seeded(22);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    (void)state;
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        const dusk_survey survey = survey_of(which[i], 2);
        dusk_tally *tally = NULL;
        double out, deviation;
        const uint64_t value = 3;
        assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
        for (uint64_t d = 0; d < DEVICES; d++) {
            const dusk_memory memory = memory_of(d);
            uint8_t report[256];
            const uint64_t mine = which[i] == DUSK_DUCHI ? UINT32_MAX / 4 : d % 2 ? 3 : 9;
            assert_int_equal(dusk_client_remembered(&survey.task, &memory, report, mine, &entropy), 0);
            dusk_tally_add(tally, report, 1);
        }
        if (which[i] == DUSK_DUCHI)
            assert_int_equal(dusk_tally_mean(tally, &out, &deviation, NULL), DUSK_OK);
        else
            assert_int_equal(dusk_tally_counts(tally, &out, &deviation, &value, 1, NULL), DUSK_OK);
        assert_true(fabs(out - (which[i] == DUSK_DUCHI ? -0.5 : DEVICES / 2.0)) < 5.7 * deviation);
        dusk_tally_free(tally);
    }
    dusk_generator_free(gen);
}

/* A number that moves does not change the answer, unless it passes the device's own place. */
static void alpha_point(void **state)
{
    const dusk_survey survey = survey_of(DUSK_DUCHI, 1);
    size_t changes = 0;
    (void)state;
    for (uint64_t d = 0; d < 300; d++) {
        const dusk_memory memory = memory_of(d);
        uint8_t before = 2, report[1];
        size_t mine = 0;
        for (uint64_t v = 0; v <= UINT32_MAX; v += UINT32_MAX / 40) {
            assert_int_equal(dusk_client_remembered(&survey.task, &memory, report, v, NULL), 0);
            mine += before < 2 && report[0] != before;
            before = report[0];
        }
        assert_true(mine <= 1);
        changes += mine;
    }
    assert_true(changes > 50 && changes < 250);
}

static void budget(void **state)
{
    const dusk_survey survey = survey_of(DUSK_GRR, 1);
    dusk_client_budget left = { 2500000 };
    (void)state;
    assert_int_equal(dusk_survey_cost(&survey), 1000000);
    assert_int_equal(dusk_client_spend(&left, dusk_survey_cost(&survey)), DUSK_CLIENT_OK);
    assert_int_equal(dusk_client_spend(&left, dusk_survey_cost(&survey)), DUSK_CLIENT_OK);
    assert_int_equal(dusk_client_spend(&left, dusk_survey_cost(&survey)), DUSK_CLIENT_SPENT);
    assert_int_equal(left.left, 500000);
    assert_int_equal(dusk_client_spend(&left, 0), DUSK_CLIENT_SPENT); /* no report is free */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha), cmocka_unit_test(one_answer),  cmocka_unit_test(coins),
        cmocka_unit_test(law),    cmocka_unit_test(alpha_point), cmocka_unit_test(budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
