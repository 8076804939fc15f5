/* SPDX-License-Identifier: Apache-2.0 */
/* Apple's JSON: the same counters as from records of the wire, an input that is given again counts once, and anything else is counted and dropped. */
#include <string.h>

#include "base/text.h"
#include "dusk/local_wire.h"
#include "failing_memory.h"
#include "local/tally.h"
#include "local_survey.h"
#include "seeded.h"

enum { TEXT = 1 << 20, PEOPLE = 60 };
static char text[TEXT];

static dusk_survey sketch(dusk_randomiser mechanism, uint32_t rows, uint32_t width)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.name = "com.example.emoji";
    options.mechanism = mechanism;
    options.epsilon = 4;
    options.rows = rows;
    options.width = width;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    return survey;
}

static void say_record(dusk_text *t, const dusk_client_task *task, const uint8_t *report)
{
    const uint32_t bytes = client_bytes_for(task->rows);
    if (task->mechanism == DUSK_HCMS) {
        const uint64_t number = client_get(report, dusk_report_size(task)), at = number >> 1;
        dusk_text_add(t, "\"%u,%u,%s1\"", (unsigned)(at / task->width), (unsigned)(at % task->width),
                      number & 1 ? "-"
                      : at % 2   ? "+"
                                 : "");
        return;
    }
    dusk_text_add(t, "\"%u,", (unsigned)client_get(report, bytes));
    for (uint32_t d = 0; d < (task->width + 3) / 4; d++) {
        unsigned digit = 0;
        for (uint32_t b = 4 * d; b < 4 * d + 4; b++)
            digit = 2 * digit + (b < task->width && (report[bytes + b / 8] >> b % 8 & 1));
        dusk_text_add(t, d % 2 ? "%x" : "%X", digit);
    }
    dusk_text_add(t, "\"");
}

static void begin(dusk_text *t, const dusk_survey *survey)
{
    dusk_text_add(t,
                  "{\"version\":1,\"segments\":[{\"algorithm\":\"%s\",\"key\":\"%s\",\"parameters\":{"
                  "\"epsilon\":4,\"k\":%u,\"m\":%u},\"records\":[",
                  survey->task.mechanism == DUSK_CMS ? "CountMedianSketch" : "HadamardCountMedianSketch",
                  survey->name, survey->task.rows, survey->task.width);
}

static void take(dusk_collector *collector, const char *bytes, size_t n)
{
    dusk_intake *intake = NULL;
    assert_int_equal(dusk_intake_new(&intake, collector, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_intake_take_json(intake, (const uint8_t *)bytes, n, NULL), DUSK_OK);
    dusk_intake_end(intake);
    dusk_intake_free(intake);
}

static uint64_t kind(dusk_collector *collector, dusk_taken which)
{
    uint64_t kinds[DUSK_TAKEN_KINDS];
    dusk_collector_kinds(collector, kinds);
    return kinds[which];
}

/* From one document, or from one a line; again, and after a crash; the counters are those of the reports. */
static void same_counters(void **state)
{
    static const struct {
        dusk_randomiser mechanism;
        uint32_t rows, width;
    } row[] = { { DUSK_CMS, 5, 16 }, { DUSK_CMS, 300, 30 }, { DUSK_HCMS, 7, 16 }, { DUSK_HCMS, 1024, 1024 } };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int lines = 0; lines < 2; lines++) {
            const dusk_survey survey = sketch(row[i].mechanism, row[i].rows, row[i].width);
            const size_t size = dusk_report_size(&survey.task);
            uint8_t *reports = survey_reports(&survey, PEOPLE, 9, 3);
            dusk_tally *want = survey_tally(&survey, reports, PEOPLE);
            dusk_collector *collector = NULL;
            dusk_text t;
            dusk_text_init(&t, text, sizeof text);
            if (!lines) begin(&t, &survey);
            for (size_t k = 0; k < PEOPLE; k++) {
                if (lines) begin(&t, &survey);
                say_record(&t, &survey.task, reports + k * size);
                dusk_text_add(&t, lines ? "]}]}\n" : k + 1 < PEOPLE ? ",\n" : "]}]}");
            }
            assert_false(t.overflow);
            assert_int_equal(dusk_collector_new(&collector, &survey, 0, 1, NULL), DUSK_OK);
            take(collector, text, strlen(text));
            survey_same(dusk_collector_tally(collector), want);
            take(collector, text, strlen(text));
            assert_int_equal(kind(collector, DUSK_TAKEN), PEOPLE);
            assert_int_equal(kind(collector, DUSK_DROPPED_REPLAYED), PEOPLE);
            memcpy(text + strlen(text), " ", 2); /* another input */
            take(collector, text, strlen(text));
            assert_int_equal(kind(collector, DUSK_TAKEN), 2 * PEOPLE);
            dusk_collector_free(collector);
            dusk_tally_free(want);
            free(reports);
        }
}

/* One mistake each. */
static void mistakes(void **state)
{
    static const struct {
        const char *text;
        dusk_taken kind;
        uint64_t count;
    } row[] = {
#define GOOD_HEAD                                                                                            \
    "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"com.example.emoji\","             \
    "\"parameters\":{\"epsilon\":4,\"k\":7,\"m\":16},\"records\":["
#define TAIL "]}]}"
        { GOOD_HEAD "\"6,15,-1\",\"0,0,1\",\"0,0,+1\"" TAIL, DUSK_TAKEN, 3 },
        { GOOD_HEAD TAIL, DUSK_TAKEN, 0 },
        { GOOD_HEAD "\"7,15,-1\",\"0,16,1\",\"999999999,0,1\"" TAIL, DUSK_DROPPED_INVALID, 3 },
        { GOOD_HEAD "\"\",\"1\",\"1,2\",\"1,2,\",\"1,2,0\",\"1,2,2\",\"1,2,-1 \",\"-1,2,1\",\"1, "
                    "2,1\",\"1,2,1,1\",\"1,2,--1\"" TAIL,
          DUSK_DROPPED_MALFORMED, 11 },
        { GOOD_HEAD "\"9999999999,2,1\",\"18446744073709551617,2,1\",\"0x1,2,1\",7,null,[],{},true" TAIL,
          DUSK_DROPPED_MALFORMED, 8 },
        { "{\"segments\":[{\"algorithm\":\"CountMedianSketch\",\"key\":\"com.example.emoji\",\"parameters\":{"
          "\"epsilon\":4,\"k\":7,\"m\":16},\"records\":[\"1,2,1\",\"\"]}]}",
          DUSK_DROPPED_TASK, 2 },
        { "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"other\",\"parameters\":{"
          "\"epsilon\":4,\"k\":7,\"m\":16},\"records\":[\"1,2,1\"]}]}",
          DUSK_DROPPED_TASK, 1 },
        { "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"com.example.emoji\","
          "\"parameters\":{\"epsilon\":8,\"k\":7,\"m\":16},\"records\":[\"1,2,1\"]}]}",
          DUSK_DROPPED_TASK, 1 },
        { "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"com.example.emoji\","
          "\"parameters\":{\"epsilon\":4,\"k\":8,\"m\":16},\"records\":[\"1,2,1\"]}]}",
          DUSK_DROPPED_TASK, 1 },
        { "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"com.example.emoji\","
          "\"parameters\":{\"epsilon\":4,\"k\":7,\"m\":16.0},\"records\":[\"1,2,1\"]}]}",
          DUSK_DROPPED_TASK, 1 },
        { "{\"segments\":[{\"algorithm\":\"HadamardCountMedianSketch\",\"key\":\"com.example.emoji\","
          "\"parameters\":{\"k\":7,\"m\":16},\"records\":[\"1,2,1\"]}]}",
          DUSK_DROPPED_TASK, 1 },
        { "{\"segments\":[{},7,null,{\"algorithm\":1,\"key\":2,\"parameters\":3,\"records\":4},\"x\"]}",
          DUSK_DROPPED_MALFORMED, 5 },
        { "{\"segments\":{}}", DUSK_DROPPED_MALFORMED, 1 },
        { "{}", DUSK_DROPPED_MALFORMED, 1 },
        { "[]", DUSK_DROPPED_MALFORMED, 1 },
        { "nothing of the kind", DUSK_DROPPED_MALFORMED, 1 },
        { "{\"segments\":[", DUSK_DROPPED_MALFORMED, 1 },
        { "{\"segments\":[],\"segments\":[]}", DUSK_DROPPED_MALFORMED, 1 },
        { "\xff\xfe{", DUSK_DROPPED_MALFORMED, 1 },
        { "", DUSK_DROPPED_MALFORMED, 0 },
        { "{\n" GOOD_HEAD "\"6,15,-1\"" TAIL "\n  " GOOD_HEAD "\"6,14,-1\"" TAIL "\r\n\n", DUSK_TAKEN, 2 },
    };
    const dusk_survey survey = sketch(DUSK_HCMS, 7, 16);
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        dusk_collector *collector = NULL;
        uint64_t kinds[DUSK_TAKEN_KINDS], all = 0;
        assert_int_equal(dusk_collector_new(&collector, &survey, 5, 1, NULL), DUSK_OK);
        take(collector, row[i].text, strlen(row[i].text));
        dusk_collector_kinds(collector, kinds);
        for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) all += kinds[k];
        if (kinds[row[i].kind] != row[i].count || (all != row[i].count && row[i].text[1] != '\n'))
            fail_msg("%s: %d of %d, %d in all", row[i].text, (int)kinds[row[i].kind], (int)row[i].count,
                     (int)all);
        dusk_collector_free(collector);
    }
}

static void maps(void **state)
{
#define MAPS                                                                                                 \
    "{\"segments\":[{\"algorithm\":\"CountMedianSketch\",\"key\":\"com.example.emoji\",\"parameters\":{"     \
    "\"epsilon\":4,\"k\":5,\"m\":6},\"records\":["
    static const char bytes[] =
        MAPS "\"0,84\",\"4,fC\",\"4,F\",\"4,FC0\",\"5,FC\",\"0,FF\",\"0,G0\",\"0,\",\",FC\"" TAIL;
    const dusk_survey survey = sketch(DUSK_CMS, 5, 6);
    dusk_collector *collector = NULL;
    (void)state;
    assert_int_equal(dusk_collector_new(&collector, &survey, 0, 1, NULL), DUSK_OK);
    take(collector, bytes, sizeof bytes - 1);
    assert_int_equal(kind(collector, DUSK_TAKEN), 2);
    assert_int_equal(kind(collector, DUSK_DROPPED_LENGTH), 3);  /* one digit, three, none */
    assert_int_equal(kind(collector, DUSK_DROPPED_INVALID), 2); /* no such row; bits that there are not */
    assert_int_equal(kind(collector, DUSK_DROPPED_MALFORMED), 2);
    const dusk_tally *tally = dusk_collector_tally(collector);
    assert_true(tally->cell[0] == 1 && tally->cell[1] == 0 && tally->cell[4] == 0 &&
                tally->cell[5] == 1); /* 1000 01 */
    dusk_collector_free(collector);
}

/* Bytes of an enemy: good documents with some bytes changed, cut off or doubled. Everything is counted at most once, and nothing fails. */
static void hostile(void **state)
{
    const dusk_survey survey = sketch(DUSK_HCMS, 7, 16), grr = survey_of(DUSK_GRR, 4, 1);
    static const char good[] = GOOD_HEAD "\"6,15,-1\",\"0,0,1\",\"3,4,-1\"" TAIL;
    uint64_t seed = 9;
    dusk_collector *collector = NULL, *other = NULL;
    dusk_intake *intake = NULL;
    dusk_error err;
    char bytes[sizeof good];
    (void)state;
    assert_int_equal(dusk_collector_new(&collector, &survey, 0, 1, NULL), DUSK_OK);
    for (size_t trial = 0; trial < 3000; trial++) {
        const uint64_t before = kind(collector, DUSK_TAKEN);
        size_t n = sizeof good - 1;
        memcpy(bytes, good, sizeof good);
        for (uint64_t k = splitmix64(&seed) % 4; k > 0; k--)
            bytes[splitmix64(&seed) % n] =
                splitmix64(&seed) % 3 ? (char)splitmix64(&seed) : "{}[]\",0-"[splitmix64(&seed) % 8];
        if (splitmix64(&seed) % 3 == 0) n = splitmix64(&seed) % n;
        take(collector, bytes, n);
        assert_true(kind(collector, DUSK_TAKEN) <= before + 3);
    }
    char *deep = malloc(400000);
    assert_non_null(deep);
    memset(deep, '[', 400000);
    take(collector, deep, 400000);
    memset(deep, '{', 400000);
    for (size_t i = 1; i < 400000; i += 2) deep[i] = '\n';
    take(collector, deep, 400000);
    free(deep);
    dusk_collector_free(collector);
    assert_int_equal(dusk_collector_new(&other, &grr, 0, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_intake_new(&intake, other, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_intake_take_json(intake, (const uint8_t *)good, sizeof good - 1, &err),
                     DUSK_ERR_UNSUPPORTED);
    dusk_intake_free(intake);
    dusk_collector_free(other);
}

/* Whichever allocation fails, it is said; given again, all records count once. */
static void without_memory(void **state)
{
    const dusk_survey survey = sketch(DUSK_HCMS, 7, 16);
    static const char bytes[] = GOOD_HEAD "\"6,15,-1\",\"0,0,1\",\"3,4,-1\"" TAIL;
    dusk_collector *collector = NULL;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_collector_new(&collector, &survey, 0, 1, NULL), DUSK_OK);
    for (long n = 1;; n++) {
        dusk_intake *intake = NULL;
        assert_int_equal(dusk_intake_new(&intake, collector, 0, NULL), DUSK_OK);
        dusk_memory_fail_at(n);
        const dusk_status status =
            dusk_intake_take_json(intake, (const uint8_t *)bytes, sizeof bytes - 1, &err);
        const bool through = went_through(status, &err, n, 100);
        dusk_intake_free(intake);
        if (through) break;
    }
    assert_int_equal(kind(collector, DUSK_TAKEN), 3);
    dusk_collector_free(collector);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_counters), cmocka_unit_test(mistakes),
                                        cmocka_unit_test(maps), cmocka_unit_test(hostile),
                                        cmocka_unit_test(without_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
