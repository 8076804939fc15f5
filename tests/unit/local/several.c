/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "local/several.h"
#include "local_survey.h"
#include "several_survey.h"

static const several_case cases[] = {
    { DUSK_SPL, 1, 1, 3, { 10, 2, 20 } },
    { DUSK_SPL, 8, 1, 16, { 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3 } },
    { DUSK_SMP, 1, 1, 3, { 10, 2, 20 } },
    { DUSK_SMP, 1, 2, 3, { 10, 2, 20 } },
    { DUSK_SMP, 3, 2, 4, { 2, 2, 300, 5 } },
    { DUSK_RSFD, 1, 1, 3, { 10, 2, 20 } },
    { DUSK_RSFD, 5, 1, 2, { 70, 1000 } },
};
enum { CASES = sizeof cases / sizeof *cases };

static void packs(void **state)
{
    const dusk_survey survey = several_of(&(several_case){ DUSK_SPL, 1, 1, 3, { 3, 2, 5 } });
    uint32_t category[3];
    (void)state;
    for (uint64_t v = 0; v < 30; v++) {
        dusk_client_unpack(&survey.task, v, category);
        assert_true(category[0] == v % 3 && category[1] == v / 3 % 2 && category[2] == v / 6);
        assert_int_equal(dusk_client_pack(&survey.task, category), v);
    }
    dusk_client_unpack(&survey.task, UINT64_MAX, category);
    assert_int_equal(category[2], 4); /* beyond the last is the last */
    assert_int_equal(dusk_client_pack(&survey.task, (uint32_t[]){ 7, 7, 7 }), 29);
}

/* Pairs in order, every cell once, both ways round. */
static void cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const dusk_survey survey = several_of(&cases[i]);
        const dusk_client_task *task = &survey.task;
        uint64_t next = 0;
        for (uint32_t a = 0; a < task->attributes; a++)
            for (uint32_t b = task->hashes == 2 ? a + 1 : 0; b < (task->hashes == 2 ? task->attributes : 1);
                 b++)
                for (uint32_t y = 0; y < (task->hashes == 2 ? task->sizes[b] : 1); y++)
                    for (uint32_t x = 0; x < task->sizes[a]; x++, next++) {
                        const uint32_t at[2] = { a, b }, of[2] = { x, y };
                        assert_int_equal(dusk_survey_cell(&survey, at, of, task->hashes), next);
                        if (task->hashes == 2)
                            assert_int_equal(
                                dusk_survey_cell(&survey, (uint32_t[]){ b, a }, (uint32_t[]){ y, x }, 2),
                                next);
                    }
        assert_int_equal(next, task->domain);
        assert_true(dusk_survey_cell(&survey, (uint32_t[]){ 0, 0 }, (uint32_t[]){ 0, 0 }, 2) == UINT64_MAX);
        assert_true(dusk_survey_cell(&survey, (uint32_t[]){ 0, 99 }, (uint32_t[]){ 0, 0 }, 2) == UINT64_MAX);
        assert_true(dusk_survey_cell(&survey, (uint32_t[]){ 0 }, (uint32_t[]){ 4096 }, 1) == UINT64_MAX);
    }
}

static void shapes(void **state)
{
    several_layout layout;
    (void)state;
    /* a third of epsilon: 20 categories are bits, 10 as well, 2 are not */
    const dusk_survey split = several_of(&cases[0]), sampled = several_of(&cases[2]),
                      pairs = several_of(&cases[3]);
    several_lay_out(&layout, &split.task);
    assert_true(layout.group[0].bits && !layout.group[1].bits && layout.group[2].bits);
    assert_int_equal(dusk_report_size(&split.task), 2 + 1 + 3);
    several_lay_out(&layout, &sampled.task);
    assert_true(!layout.group[0].bits && !layout.group[1].bits && layout.group[2].bits);
    assert_int_equal(dusk_report_size(&sampled.task), 1 + 3);
    several_lay_out(&layout, &pairs.task);
    assert_int_equal(layout.groups, 3);
    assert_int_equal(layout.group[1].size, 200);
    assert_int_equal(dusk_report_size(&pairs.task), 1 + 25);
    assert_true(split.epsilon <= 1 && split.epsilon > 1 - 1e-7);
    assert_true(pairs.epsilon <= 1 && pairs.epsilon > 1 - 1e-7);
}

static void adds_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const dusk_survey survey = several_of(&cases[i]);
        survey_adds_up(&survey, 700, several_values(&survey));
        survey_without_entropy(&survey, 3);
        assert_true(survey_takes_garbage(&survey, 300, i) > 0);
    }
}

/* What reports say, counted one by one as the wire has it. */
static void counts_plainly(void **state)
{
    enum { REPORTS = 500 };
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const dusk_survey survey = several_of(&cases[i]);
        uint8_t *reports = survey_reports(&survey, REPORTS, several_values(&survey), i);
        dusk_tally *tally = survey_tally(&survey, reports, REPORTS);
        several_layout layout;
        several_lay_out(&layout, &survey.task);
        int64_t *cell = calloc(tally->cells, sizeof *cell);
        assert_non_null(cell);
        for (size_t r = 0; r < REPORTS; r++)
            for (uint32_t g = 0; g < layout.groups; g++) {
                const several_group *group = &layout.group[g];
                const uint8_t *report = reports + r * layout.size, *answer = report + group->place;
                if (layout.sampled && report[0] != g) continue;
                if (layout.sampled) cell[layout.categories + g]++;
                for (uint32_t x = 0; x < group->size; x++)
                    cell[group->at + x] +=
                        group->bits ? answer[x / 8] >> x % 8 & 1 : client_get(answer, group->bytes) == x;
            }
        assert_memory_equal(cell, tally->cell, tally->cells * sizeof *cell);
        free(cell);
        dusk_tally_free(tally);
        free(reports);
    }
}

/* A task that is changed in one place is refused, or as safe as any. */
static void hostile_tasks(void **state)
{
    static uint8_t report[DUSK_REPORT_MOST + 1];
    uint64_t seed = 3;
    dusk_generator *gen;
    dusk_generator_entropy context;
    size_t passed = 0;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 5, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < 4000; i++) {
        dusk_survey survey = several_of(&cases[i % CASES]);
        dusk_client_task *task = &survey.task;
        const uint64_t x = splitmix64(&seed), wild = splitmix64(&seed) >> (x >> 32 & 63);
        switch (x % 8) {
        case 0: task->p = wild; break;
        case 1: task->q = wild; break;
        case 2:
            task->p = wild % CLIENT_WEIGHTS;
            task->q = CLIENT_WEIGHTS - task->p;
            break;
        case 3: task->hashes = (uint32_t)wild & 3; break;
        case 4: task->attributes = (uint32_t)wild; break;
        case 5: task->sizes[x >> 8 & 15] = (uint32_t)wild; break;
        case 6: task->domain = (uint32_t)wild; break;
        default: task->mechanism = DUSK_SPL + (uint32_t)(wild % 3); break;
        }
        if (dusk_client_check(task)) continue;
        passed++;
        const uint32_t size = dusk_report_size(task);
        assert_in_range(size, 1, DUSK_REPORT_MOST);
        report[size] = 0xee;
        assert_int_equal(dusk_client_report(task, report, splitmix64(&seed), &entropy), DUSK_CLIENT_OK);
        assert_int_equal(report[size], 0xee);
        dusk_tally *tally = survey_tally(&survey, report, 1);
        assert_int_equal(dusk_tally_reports(tally), 1);
        dusk_tally_free(tally);
    }
    assert_true(passed > 500);
    dusk_generator_free(gen);
}

static void refusals(void **state)
{
    static const several_case bad[] = {
        { DUSK_GRR, 1, 0, 2, { 2, 3 } },
        { DUSK_SPL, 1, 2, 2, { 2, 3 } },
        { DUSK_RSFD, 1, 2, 2, { 2, 3 } },
        { DUSK_SMP, 1, 3, 3, { 2, 3, 2 } },
        { DUSK_SMP, 1, 2, 1, { 5 } },
        { DUSK_SMP, 1, 1, 2, { 2, 1 } },
        { DUSK_SMP, 1, 1, 17, { 2 } },
        { DUSK_SMP, 1, 1, 3, { 1u << 31, 1u << 31, 4 } },
        { DUSK_SMP, 1, 2, 2, { 40000, 40000 } },
        { DUSK_SPL, 1, 1, 2, { 1 << 20, 1 << 20 } },
        { DUSK_SMP, 1, 1, 2, { 2, 1u << 28 } },
    };
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (several_try(&survey, &bad[i], &err) != DUSK_ERR_ARGUMENT) fail_msg("case %d passes", (int)i);
        assert_true(err.hint[0]);
    }
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_SPL;
    options.epsilon = 1;
    options.attributes = 2;
    options.sizes[0] = options.sizes[1] = 4;
    options.domain = 16;
    assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
    options.domain = 0;
    static const char *const names[][2] = { { "age", "age" },
                                            { "a b", "c" },
                                            { "", "c" },
                                            { "a1", NULL },
                                            { "x", "of-more-than-thirty-one-letters-" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        options.attribute[0] = names[i][0];
        options.attribute[1] = names[i][1];
        assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
    }
    options.attribute[0] = "age";
    options.attribute[1] = NULL;
    assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_OK);
    assert_int_equal(dusk_survey_attribute(&survey, "age"), 0);
    assert_int_equal(dusk_survey_attribute(&survey, "a1"), 1);
    assert_true(dusk_survey_attribute(&survey, "sex") == UINT32_MAX);
}

/* Texts come back, and names belong to the id. */
static void texts(void **state)
{
    char text[2048], other[2048];
    dusk_survey again, large = several_of(&cases[1]);
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        dusk_survey survey = several_of(&cases[i]);
        assert_int_equal(dusk_survey_format(&survey, text, sizeof text, NULL), DUSK_OK);
        assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_OK);
        assert_memory_equal(&again.task, &survey.task, sizeof again.task);
        assert_memory_equal(again.attribute, survey.attribute, sizeof again.attribute);
        char *name = strstr(text, "\"a0\"");
        assert_non_null(name);
        name[1] = 'b';
        assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_ERR_CORRUPT);
    }
    for (uint32_t i = 0; i < 16; i++)
        snprintf(large.attribute[i], 32, "a-name-of-thirty-one-letters--%c", 'a' + (char)i);
    assert_int_equal(dusk_survey_format(&large, other, sizeof other, NULL), DUSK_OK);
    static const char *const bad[] = { "\"sizes\":[10,2]",      "\"sizes\":[10,2,1]",
                                       "\"sizes\":[10,2,20.0]", "\"sizes\":[10,2,\"20\"]",
                                       "\"sizes\":10",          "\"size\":[10,2,20]" };
    dusk_survey survey = several_of(&cases[0]);
    assert_int_equal(dusk_survey_format(&survey, text, sizeof text, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = strstr(text, "\"sizes\":[10,2,20]");
        assert_non_null(at);
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, bad[i], at + 17);
        assert_int_equal(dusk_survey_parse(&again, other, strlen(other), NULL), DUSK_ERR_PARSE);
    }
}

/* Tables are asked for in words that make sense, and tables of one attribute add up to all people where answers are categories. */
static void tables(void **state)
{
    double counts[64], sum = 0;
    const uint32_t same[2] = { 1, 1 }, beyond[2] = { 0, 3 }, two[2] = { 1, 0 };
    dusk_error err;
    (void)state;
    const dusk_survey survey = several_of(&cases[2]), plain = survey_of(DUSK_GRR, 4, 1);
    uint8_t *reports = survey_reports(&survey, 500, several_values(&survey), 1);
    dusk_tally *tally = survey_tally(&survey, reports, 500), *one = survey_tally(&plain, reports, 0);
    assert_int_equal(dusk_tally_marginal(tally, two, 2, counts, NULL, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_tally_marginal(one, two, 1, counts, NULL, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_tally_marginal(tally, same, 2, counts, NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_marginal(tally, beyond, 2, counts, NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_marginal(tally, beyond + 1, 1, counts, NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_marginal(tally, two, 3, counts, NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_marginal(tally, &(uint32_t){ 0 }, 1, counts, NULL, &err), DUSK_OK);
    for (size_t i = 0; i < 10; i++) sum += counts[i];
    assert_true(fabs(sum - 500) < 1e-6);
    dusk_tally_free(tally);
    dusk_tally_free(one);
    free(reports);
}

/* No report moves estimates by more than reach says: every report of a small survey. */
static void reaches(void **state)
{
    static const several_case small[] = {
        { DUSK_SPL, 0.3, 1, 2, { 2, 6 } },  { DUSK_SMP, 1, 1, 2, { 2, 3 } },
        { DUSK_SMP, 0.1, 1, 2, { 2, 6 } },  { DUSK_RSFD, 1, 1, 2, { 3, 2 } },
        { DUSK_RSFD, 0.1, 1, 2, { 2, 6 } }, { DUSK_SMP, 1, 2, 3, { 2, 2, 2 } }
    };
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const dusk_survey survey = several_of(&small[i]);
        const local_protocol *protocol = local_protocol_of(survey.task.mechanism);
        const uint32_t size = dusk_report_size(&survey.task), domain = survey.task.domain;
        double count[64], least[65], most[65];
        assert_true(size == 2 && domain <= 64);
        for (uint32_t t = 1; t <= domain; t++) protocol->reach(&survey.task, t, &least[t], &most[t]);
        for (uint32_t bytes = 0; bytes < 65536; bytes++) {
            const uint8_t report[2] = { (uint8_t)bytes, (uint8_t)(bytes >> 8) };
            dusk_tally *tally = survey_tally(&survey, report, 1);
            if (dusk_tally_reports(tally) == 1) {
                assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, domain, NULL), DUSK_OK);
                for (uint32_t a = 0; a < domain; a++)
                    for (uint32_t b = a + 1; b < domain; b++) {
                        assert_true(count[a] <= most[1] + 1e-9 && count[a] >= least[1] - 1e-9);
                        assert_true(count[a] + count[b] <= most[2] + 1e-9);
                        assert_true(count[a] + count[b] >= least[2] - 1e-9);
                    }
            }
            dusk_tally_free(tally);
        }
    }
}

/* A device with a memory is asked about one attribute for good, each as often, and changes of others do not show. */
static void remembers(void **state)
{
    const dusk_survey survey = several_of(&(several_case){ DUSK_SMP, 2, 1, 3, { 4, 3, 5 } });
    size_t asked[3] = { 0 }, changed = 0;
    uint64_t seed = 9;
    (void)state;
    for (size_t d = 0; d < 3000; d++) {
        dusk_memory memory;
        uint8_t first[8], report[8];
        for (size_t i = 0; i < 32; i++) memory.secret[i] = (uint8_t)(splitmix64(&seed) >> 56);
        assert_int_equal(dusk_client_remembered(&survey.task, &memory, first, 17, NULL), DUSK_CLIENT_OK);
        asked[first[0]]++;
        for (uint64_t v = 0; v < 60; v += 7) {
            uint32_t was[3], is[3];
            assert_int_equal(dusk_client_remembered(&survey.task, &memory, report, v, NULL), DUSK_CLIENT_OK);
            dusk_client_unpack(&survey.task, 17, was);
            dusk_client_unpack(&survey.task, v, is);
            assert_int_equal(report[0], first[0]);
            if (was[first[0]] == is[first[0]])
                assert_memory_equal(report, first, dusk_report_size(&survey.task));
            else
                changed += report[1] != first[1];
        }
    }
    const dusk_survey split = several_of(&(several_case){ DUSK_SPL, 6, 1, 3, { 4, 4, 5 } });
    size_t alike = 0;
    assert_int_equal(dusk_report_size(&split.task), 3);
    for (size_t d = 0; d < 3000; d++) {
        dusk_memory memory;
        uint8_t first[8], report[8];
        for (size_t i = 0; i < 32; i++) memory.secret[i] = (uint8_t)(splitmix64(&seed) >> 56);
        assert_int_equal(dusk_client_remembered(&split.task, &memory, first, 0, NULL), DUSK_CLIENT_OK);
        assert_int_equal(dusk_client_remembered(&split.task, &memory, report, 4 * 2, NULL), DUSK_CLIENT_OK);
        assert_true(report[0] == first[0] && report[2] == first[2]); /* the second changed */
        changed += report[1] != first[1];
        alike += first[0] == first[1];
    }
    /* the truth is kept by 7.39 of 10.39, and other answers are 1 each: two independent answers are alike with 0.5337 */
    assert_true(fabs((double)alike - 0.5337 * 3000) < 6 * sqrt(3000 * 0.25));
    for (size_t a = 0; a < 3; a++) assert_true(fabs((double)asked[a] - 1000) < 6 * sqrt(3000 * 2 / 9.0));
    assert_true(changed > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs),    cmocka_unit_test(cells),          cmocka_unit_test(shapes),
        cmocka_unit_test(adds_up),  cmocka_unit_test(counts_plainly), cmocka_unit_test(hostile_tasks),
        cmocka_unit_test(refusals), cmocka_unit_test(texts),          cmocka_unit_test(tables),
        cmocka_unit_test(reaches),  cmocka_unit_test(remembers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
