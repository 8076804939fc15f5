/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of every randomiser, whichever there are: plans keep what was asked, texts of surveys come back, tasks and reports of an enemy do no harm, a tally is a sum,
 * and a device without entropy sends nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/local.h"
#include "local/protocol.h"
#include "local/valid.h"
#include "random/generator.h"
#include "seeded.h"
#include "support.h"

static const double epsilons[] = { 0.001, 0.05, 0.5, 1, 2.7, 8, 20, 40 };
static const uint64_t domains[] = { 2, 3, 10, 64, 1000 };
enum { EPSILONS = sizeof epsilons / sizeof *epsilons, DOMAINS = sizeof domains / sizeof *domains };

static bool planned(dusk_survey *survey, const local_protocol *protocol, double epsilon, uint64_t domain)
{
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = protocol->mechanism;
    options.epsilon = epsilon;
    if (protocol->question == DUSK_ASKS_COUNTS) options.domain = domain;
    if (protocol->find && domain > DUSK_STRING_MOST) options.domain = 0; /* bytes of a text */
    if (dusk_survey_init(survey, &options, &err) == DUSK_OK) return true;
    if (err.status == DUSK_ERR_INTERNAL)
        fail_msg("%s of %g and %d: %s", protocol->name, epsilon, (int)domain, err.message);
    return false;
}

static void plans(void **state)
{
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++)
        for (size_t e = 0; e < EPSILONS; e++)
            for (size_t d = 0; d < DOMAINS; d++) {
                const local_protocol *protocol = local_protocols[i];
                dusk_survey survey, again;
                char text[2048];
                if (!planned(&survey, protocol, epsilons[e], domains[d])) continue;
                assert_true(survey.epsilon > 0 && survey.epsilon <= epsilons[e] * (1 + 1e-12));
                if (!(dusk_survey_variance(&survey, 0.3) > 0))
                    fail_msg("%s of %g and %d has no variance", protocol->name, epsilons[e], (int)domains[d]);
                assert_in_range(dusk_report_size(&survey.task), 1, DUSK_REPORT_MOST);
                assert_int_equal(dusk_survey_format(&survey, text, sizeof text, NULL), DUSK_OK);
                assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_OK);
                assert_memory_equal(&again.task, &survey.task, sizeof again.task);
                assert_true(again.epsilon == survey.epsilon);
            }
}

/* All of them can be had in the middle of their range. */
static void ordinary(void **state)
{
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++) {
        dusk_survey survey;
        assert_true(planned(&survey, local_protocols[i], 1, 64));
        assert_true(survey.epsilon > 0.8);
    }
}

static dusk_client_task wild_task(uint32_t mechanism, dusk_generator *gen)
{
    uint64_t word[8];
    dusk_client_task task = { .mechanism = mechanism };
    assert_int_equal(dusk_generator_bytes(gen, word, sizeof word, NULL), DUSK_OK);
    task.p = word[0] & 1 ? word[1] : 0;
    task.q = word[0] & 2 ? word[2] : 0;
    task.f = word[0] & 4 ? word[3] : 0;
    task.seed = word[4];
    task.domain = (uint32_t)(word[5] >> (word[0] >> 8 & 63));
    task.width = (uint32_t)(word[6] >> (word[0] >> 16 & 63));
    task.rows = (uint32_t)(word[7] >> (word[0] >> 24 & 63));
    task.hashes = (uint32_t)(word[7] >> (32 + (word[0] >> 32 & 31)));
    if (word[0] & 8) task.width = (uint32_t)1 << (word[6] & 31);
    if (word[0] & 16) task.rows = (uint32_t)(word[7] & 7);
    if (word[0] & 32) task.domain = (uint32_t)(word[5] & 1023);
    if (word[0] & 64) task.hashes = task.rows = 0;
    return task;
}

/* A task that passes the check can be answered and added up, whatever it is. */
static void hostile_tasks(void **state)
{
    dusk_generator *gen = seeded(11);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    uint8_t *report = malloc(DUSK_REPORT_MOST);
    size_t passed = 0;
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++)
        for (size_t trial = 0; trial < 400; trial++) {
            dusk_survey survey = { .name = "x", .low = 0, .high = 1 };
            dusk_tally *tally = NULL;
            survey.task = wild_task(local_protocols[i]->mechanism, gen);
            if (dusk_client_check(&survey.task) != DUSK_CLIENT_OK) continue;
            assert_in_range(dusk_report_size(&survey.task), 1, DUSK_REPORT_MOST);
            assert_int_equal(dusk_client_report(&survey.task, report, (uint64_t)trial * trial, &entropy), 0);
            if (local_protocols[i]->cells(&survey.task) > 1 << 20) continue;
            passed++;
            assert_true(local_protocols[i]->epsilon(&survey.task) >= 0);
            assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
            dusk_tally_add(tally, report, 1);
            assert_int_equal(dusk_tally_reports(tally), 1); /* what a device makes is not dropped */
            dusk_tally_free(tally);
        }
    assert_true(passed > 20);
    for (uint32_t mechanism = 0; mechanism < 300; mechanism++)
        if (!local_protocol_of(mechanism))
            assert_int_equal(
                dusk_client_check(&(dusk_client_task){ .mechanism = mechanism, .domain = 4, .p = 1 }),
                DUSK_CLIENT_BAD_TASK);
    free(report);
    dusk_generator_free(gen);
}

/* Bytes of an enemy are added or dropped; each counts once. */
static void hostile_reports(void **state)
{
    enum { REPORTS = 50 };
    dusk_generator *gen = seeded(12);
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++)
        for (size_t d = 0; d < DOMAINS; d++) {
            dusk_survey survey;
            dusk_tally *tally = NULL;
            if (!planned(&survey, local_protocols[i], 1, domains[d])) continue;
            const size_t size = dusk_report_size(&survey.task);
            uint8_t *reports = malloc(REPORTS * size);
            assert_non_null(reports);
            assert_int_equal(dusk_generator_bytes(gen, reports, REPORTS * size, NULL), DUSK_OK);
            memset(reports, 255, size);
            assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
            dusk_tally_add(tally, reports, REPORTS);
            assert_int_equal(dusk_tally_reports(tally) + dusk_tally_dropped(tally), REPORTS);
            dusk_tally_free(tally);
            free(reports);
        }
    dusk_generator_free(gen);
}

/* What can be told without counters is what counters tell: of reports of devices, of bytes of an enemy, and of reports with a bit turned. */
static void validity(void **state)
{
    dusk_generator *gen = seeded(14);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    uint64_t seen[2] = { 0, 0 };
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++)
        for (size_t d = 0; d < DOMAINS; d++) {
            dusk_survey survey;
            dusk_tally *tally = NULL;
            if (!planned(&survey, local_protocols[i], 1, domains[d])) continue;
            if (!local_validity_is_known(&survey.task)) continue;
            const size_t size = dusk_report_size(&survey.task);
            uint8_t *report = malloc(size);
            assert_non_null(report);
            assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
            for (uint32_t r = 0; r < 300; r++) {
                assert_int_equal(dusk_client_report(&survey.task, report, r, &entropy), DUSK_CLIENT_OK);
                if (r % 3 == 1) report[size - 1 - r / 3 % size] ^= (uint8_t)(1 << r % 8);
                if (r % 3 == 2) assert_int_equal(dusk_generator_bytes(gen, report, size, NULL), DUSK_OK);
                const uint64_t before = dusk_tally_dropped(tally);
                dusk_tally_add(tally, report, 1);
                const bool valid = dusk_tally_dropped(tally) == before;
                if (local_report_is_valid(&survey.task, report) != valid)
                    fail_msg("%s: a report is %s", local_protocols[i]->name, valid ? "valid" : "invalid");
                seen[valid]++;
            }
            dusk_tally_free(tally);
            free(report);
        }
    assert_true(seen[0] > 2000 && seen[1] > 2000);
    dusk_generator_free(gen);
}

static void estimate(const dusk_tally *tally, double *out, double *deviation)
{
    const uint64_t value = 1;
    if (dusk_randomiser_question((dusk_randomiser)dusk_tally_survey(tally)->task.mechanism) ==
        DUSK_ASKS_COUNTS)
        assert_int_equal(dusk_tally_counts(tally, out, deviation, &value, 1, NULL), DUSK_OK);
    else
        assert_int_equal(dusk_tally_mean(tally, out, deviation, NULL), DUSK_OK);
}

/* In two parts, in any order, is the same as at once; and what comes out is near the truth. */
static void sums(void **state)
{
    enum { REPORTS = 4000 };
    dusk_generator *gen = seeded(13);
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++) {
        dusk_survey survey;
        dusk_tally *whole = NULL, *part = NULL, *other = NULL;
        double a, b, deviation, same;
        if (!local_protocols[i]->counts && !local_protocols[i]->mean) continue; /* unit/local/planar.c */
        assert_true(planned(&survey, local_protocols[i], 2, 20));
        const bool counts = local_protocols[i]->question == DUSK_ASKS_COUNTS;
        const size_t size = dusk_report_size(&survey.task);
        uint8_t *reports = malloc(REPORTS * size);
        assert_non_null(reports);
        for (size_t r = 0; r < REPORTS; r++) {
            const uint64_t value = r % 4 == 0 ? 1 : 7;
            assert_int_equal(dusk_client_report(&survey.task, reports + r * size,
                                                counts       ? value
                                                : value == 1 ? UINT32_MAX
                                                             : 0,
                                                &entropy),
                             DUSK_CLIENT_OK);
        }
        assert_int_equal(dusk_tally_new(&whole, &survey, NULL), DUSK_OK);
        assert_int_equal(dusk_tally_new(&part, &survey, NULL), DUSK_OK);
        assert_int_equal(dusk_tally_new(&other, &survey, NULL), DUSK_OK);
        dusk_tally_add(whole, reports, REPORTS);
        dusk_tally_add(other, reports + 1234 * size, REPORTS - 1234);
        for (size_t r = 0; r < 1234; r++) dusk_tally_add(part, reports + r * size, 1);
        assert_int_equal(dusk_tally_merge(part, other, NULL), DUSK_OK);
        assert_int_equal(dusk_tally_reports(part), REPORTS);
        estimate(whole, &a, &deviation);
        estimate(part, &b, &same);
        assert_true(a == b && deviation == same);
        const double truth = counts ? REPORTS / 4.0 : -0.5;
        if (!(fabs(a - truth) < 6 * deviation)) /* one in 10^8 seeds */
            fail_msg("%s: %g, and %g is right, with a deviation of %g", local_protocols[i]->name, a, truth,
                     deviation);
        assert_true(deviation < (counts ? 0.25 * REPORTS : 0.2));
        dusk_tally_free(whole);
        dusk_tally_free(part);
        dusk_tally_free(other);
        free(reports);
    }
    dusk_generator_free(gen);
}

static int fails_after(void *context, uint8_t *bytes, size_t n)
{
    size_t *left = context;
    if (*left == 0) return 1;
    --*left;
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(170 + 83 * *left + 29 * i);
    return 0;
}

/* However far it came, a device whose entropy ends leaves nothing behind. */
static void no_entropy(void **state)
{
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++) {
        dusk_survey survey;
        assert_true(planned(&survey, local_protocols[i], 1, 20));
        uint8_t report[256], zero[256] = { 0 };
        const size_t size = dusk_report_size(&survey.task);
        assert_true(size <= sizeof report);
        int status = DUSK_CLIENT_NO_ENTROPY;
        for (size_t n = 0; status != DUSK_CLIENT_OK && n < 2000; n++) {
            size_t left = n;
            dusk_entropy entropy = { fails_after, &left };
            memset(report, 77, sizeof report);
            status = dusk_client_report(&survey.task, report, 3, &entropy);
            if (status == DUSK_CLIENT_OK) continue;
            assert_int_equal(status, DUSK_CLIENT_NO_ENTROPY);
            assert_memory_equal(report, zero, size);
            assert_int_equal(report[size], 77);
        }
        assert_int_equal(status, DUSK_CLIENT_OK);
    }
}

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; local_protocols[i]; i++) {
        dusk_survey survey;
        dusk_survey_options options;
        dusk_error err;
        dusk_survey_options_init(&options);
        options.mechanism = local_protocols[i]->mechanism;
        options.domain = 16;
        const double bad[] = { 0, -1, NAN, INFINITY, 0.0001, 100 };
        for (size_t e = 0; e < sizeof bad / sizeof *bad; e++) {
            options.epsilon = bad[e];
            assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
            assert_true(err.hint[0]);
        }
        options.epsilon = 1;
        options.name = "not a name";
        assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
        options.name = "a";
        options.domain = (uint64_t)1 << 40;
        if (local_protocols[i]->question == DUSK_ASKS_COUNTS)
            assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans),           cmocka_unit_test(ordinary), cmocka_unit_test(hostile_tasks),
        cmocka_unit_test(hostile_reports), cmocka_unit_test(validity), cmocka_unit_test(sums),
        cmocka_unit_test(no_entropy),      cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
