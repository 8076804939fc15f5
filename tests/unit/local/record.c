/* SPDX-License-Identifier: Apache-2.0 */
/* Records: the bytes of docs/collect/wire.md, what is dropped and why, and that it does not matter how bytes are cut or what is around them. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "local/collector.h"
#include "local/record.h"
#include "support.h"

static int count_up(void *context, uint8_t *bytes, size_t n)
{
    uint8_t *next = context;
    for (size_t i = 0; i < n; i++) bytes[i] = (*next)++;
    return 0;
}

static int nothing(void *context, uint8_t *bytes, size_t n)
{
    (void)context;
    (void)bytes;
    (void)n;
    return 1;
}

static dusk_survey survey_of(uint64_t domain)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_GRR;
    o.epsilon = 1;
    o.domain = domain;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

/* The example of docs/collect/wire.md. */
static void the_example(void **state)
{
    static const uint8_t expected[] = { 0x58, 0x19, 0x85, 0x01, 0x1b, 0x0f, 0x1e, 0x2d, 0x3c,
                                        0x4b, 0x5a, 0x69, 0x78, 0x18, 0x2a, 0x48, 0x01, 0x02,
                                        0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x42, 0x39, 0x05 };
    const dusk_client_task task = { .id = 0x0f1e2d3c4b5a6978, .mechanism = DUSK_GRR, .domain = 2000, .p = 1 };
    const uint8_t report[] = { 0x39, 0x05 };
    uint8_t record[DUSK_RECORD_HEAD + 2], next = 1;
    dusk_entropy entropy = { count_up, &next };
    (void)state;
    assert_int_equal(dusk_client_record(&task, 42, record, report, &entropy), sizeof expected);
    assert_memory_equal(record, expected, sizeof expected);
    entropy.fill = nothing;
    assert_int_equal(dusk_client_record(&task, 42, record, report, &entropy), 0);
}

/* Numbers and lengths at all sizes of heads, read as they were written. */
static void every_head(void **state)
{
    static const uint64_t numbers[] = { 0,     1,     23,         24,          255,       256,
                                        65535, 65536, 0xffffffff, 0x100000000, UINT64_MAX };
    static const uint32_t domains[] = { 2, 256, 257, 1 << 20 };
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
                const dusk_client_task task = {
                    .id = numbers[i], .mechanism = DUSK_GRR, .domain = domains[k], .p = 1
                };
                uint8_t report[4] = { 1, 2, 3, 4 }, record[DUSK_RECORD_HEAD + 4], next = 9;
                dusk_entropy entropy = { count_up, &next };
                const uint32_t size = dusk_report_size(&task),
                               n = dusk_client_record(&task, numbers[j], record, report, &entropy);
                size_t head;
                uint64_t length;
                local_record read;
                assert_true(n > 0 && n <= DUSK_RECORD_HEAD + size);
                assert_int_equal(local_frame_read(record, n, &head, &length), LOCAL_FRAME_WHOLE);
                assert_int_equal(head + length, n);
                assert_int_equal(local_record_read(&read, record + head, length, &task, numbers[j], size),
                                 DUSK_TAKEN);
                assert_memory_equal(read.report, report, size);
                assert_int_equal(local_record_read(&read, record + head, length, &task, numbers[j] ^ 1, size),
                                 DUSK_DROPPED_EPOCH);
                assert_int_equal(local_record_read(&read, record + head, length, &task, numbers[j], size + 1),
                                 DUSK_DROPPED_LENGTH);
                for (size_t cut = 0; cut < length;
                     cut++) { /* in memory of its own, so that a sanitizer sees the end */
                    uint8_t *some = malloc(cut + 1);
                    memcpy(some, record + head, cut);
                    const dusk_taken kind = local_record_read(&read, some, cut, &task, numbers[j], size);
                    assert_int_equal(kind, DUSK_DROPPED_MALFORMED);
                    free(some);
                }
            }
}

/* --- streams ---------------------------------------------------------------------------------------------------------------- */

typedef struct stream {
    uint8_t bytes[1 << 20];
    size_t n;
} stream;

static void add_bytes(stream *s, const void *bytes, size_t n)
{
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

static size_t add_record(stream *s, const dusk_client_task *task, uint64_t epoch, uint64_t *seed,
                         uint32_t answer)
{
    uint8_t report[4] = { (uint8_t)answer, (uint8_t)(answer >> 8), 0, 0 }, next = 0;
    dusk_entropy entropy = { count_up, &next };
    const size_t n = dusk_client_record(task, epoch, s->bytes + s->n, report, &entropy);
    const uint64_t nonce = splitmix64(seed);
    memcpy(s->bytes + s->n + n - dusk_report_size(task) - 1 - 8, &nonce, 8);
    s->n += n;
    return n;
}

static void feed(dusk_collector *collector, const stream *s, size_t piece)
{
    dusk_intake *intake;
    assert_int_equal(dusk_intake_new(&intake, collector, 0, NULL), DUSK_OK);
    for (size_t i = 0; i < s->n; i += piece)
        assert_int_equal(dusk_intake_take(intake, s->bytes + i, s->n - i < piece ? s->n - i : piece, NULL),
                         DUSK_OK);
    dusk_intake_end(intake);
    dusk_intake_free(intake);
}

/* One of every kind, between good ones. Ends in a frame that is cut off. */
static void make_mixture(stream *s, const dusk_survey *survey, uint64_t expected[DUSK_TAKEN_KINDS])
{
    dusk_client_task other = survey->task;
    uint64_t seed = 7;
    size_t n;
    memset(expected, 0, DUSK_TAKEN_KINDS * sizeof *expected);
    s->n = 0;
#define GOOD(k)                                                                                              \
    for (int i_ = 0; i_ < (k); i_++)                                                                         \
    add_record(s, &survey->task, 3, &seed, (uint32_t)i_ % 1000), expected[0]++
    GOOD(300);
    for (int i = 0; i < 2; i++) { /* garbage in good frames */
        add_bytes(s,
                  "\x43"
                  "abc",
                  4);
        add_bytes(s, "\x40", 1);
        add_bytes(s, "\x58\x00", 2);
        add_bytes(s, "\x41\x80", 2);
        add_bytes(s, "\x46\x85\x01\x00\x00\x40\x40", 7); /* no nonce */
        add_bytes(s, "\x47\x9f\x01\x00\x00\x40\x40\xff", 8);
        expected[DUSK_DROPPED_MALFORMED] += 6;
    }
    GOOD(10);
    n = add_record(s, &survey->task, 3, &seed, 5); /* a byte too many in the frame */
    s->bytes[s->n - n + 1]++;
    add_bytes(s, "x", 1);
    expected[DUSK_DROPPED_MALFORMED]++;
    n = add_record(s, &survey->task, 3, &seed, 5);
    s->bytes[s->n - n + 3] = 2; /* behind two bytes of the frame and one of the array */
    expected[DUSK_DROPPED_VERSION]++;
    add_bytes(s, "\x42\x81\x18", 3); /* the number of the version is cut off */
    expected[DUSK_DROPPED_MALFORMED]++;
    other.id ^= 1;
    add_record(s, &other, 3, &seed, 5);
    expected[DUSK_DROPPED_TASK]++;
    other = survey->task;
    other.domain = 1 << 20;
    add_record(s, &other, 3, &seed, 5);
    expected[DUSK_DROPPED_LENGTH]++;
    add_record(s, &survey->task, 4, &seed, 5);
    expected[DUSK_DROPPED_EPOCH]++;
    n = add_record(s, &survey->task, 3, &seed, 5);
    expected[0]++;
    add_bytes(s, s->bytes + s->n - n, n);
    add_bytes(s, s->bytes + s->n - n, n);
    add_bytes(s, s->bytes, n); /* the first of all */
    expected[DUSK_DROPPED_REPLAYED] += 3;
    add_record(s, &survey->task, 3, &seed, 1000); /* no such category */
    expected[DUSK_DROPPED_INVALID]++;
    add_bytes(s, "\x5a\x00\x02\x00\xff", 5); /* longer than any record, and skipped */
    memset(s->bytes + s->n, 0x5b, 0x200ff);
    s->n += 0x200ff;
    expected[DUSK_DROPPED_OVERSIZED]++;
    GOOD(5);
    add_record(s, &survey->task, 3, &seed, 5);
    s->n--; /* the last one is cut off */
    expected[DUSK_DROPPED_TRUNCATED]++;
#undef GOOD
}

static void alike(const uint64_t a[DUSK_TAKEN_KINDS], const uint64_t b[DUSK_TAKEN_KINDS])
{
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) {
        if (a[k] != b[k]) print_message("%s: %lu, expected %lu\n", dusk_taken_name(k), a[k], b[k]);
        assert_int_equal(a[k], b[k]);
    }
}

static void every_kind_is_counted(void **state)
{
    static stream s;
    const dusk_survey survey = survey_of(1000);
    uint64_t expected[DUSK_TAKEN_KINDS], kinds[DUSK_TAKEN_KINDS];
    static const size_t pieces[] = { 1 << 20, 1, 2, 3, 7, 29, 64, 1000, 65536 };
    (void)state;
    make_mixture(&s, &survey, expected);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        dusk_collector *c;
        assert_int_equal(dusk_collector_new(&c, &survey, 3, 1, NULL), DUSK_OK);
        feed(c, &s, pieces[i]);
        dusk_collector_kinds(c, kinds);
        alike(kinds, expected);
        assert_int_equal(dusk_tally_reports(dusk_collector_tally(c)), expected[0]);
        feed(c, &s, 500); /* all again: nothing is taken */
        dusk_collector_kinds(c, kinds);
        assert_int_equal(kinds[DUSK_TAKEN], expected[DUSK_TAKEN]);
        assert_int_equal(kinds[DUSK_DROPPED_REPLAYED],
                         2 * expected[DUSK_DROPPED_REPLAYED] + expected[0] + expected[DUSK_DROPPED_INVALID]);
        dusk_collector_free(c);
    }
}

/* Heads in longer forms than they need, as other writers may have them. */
static void long_heads(void **state)
{
    const dusk_client_task task = { .id = 5, .mechanism = DUSK_GRR, .domain = 300, .p = 1 };
    static const uint8_t record[] = { 0x98, 0x05, 0x18, 0x01, 0x1b, 0, 0, 0, 0, 0, 0, 0,    5, 0x1a, 0, 0, 0,
                                      7,    0x58, 0x08, 1,    2,    3, 4, 5, 6, 7, 8, 0x59, 0, 2,    9, 1 };
    local_record read;
    (void)state;
    assert_int_equal(local_record_read(&read, record, sizeof record, &task, 7, 2), DUSK_TAKEN);
    assert_int_equal(read.report[0], 9);
}

/* Where no frame begins the rest of an input is lost, and no other. */
static void lost_inputs(void **state)
{
    static stream s;
    const dusk_survey survey = survey_of(1000);
    uint64_t kinds[DUSK_TAKEN_KINDS], seed = 1;
    dusk_collector *c;
    (void)state;
    for (int first = 0; first < 256; first++) {
        const bool frame = first >> 5 == 2 && (first & 31) < 28;
        const uint8_t byte = (uint8_t)first;
        assert_int_equal(dusk_collector_new(&c, &survey, 0, 1, NULL), DUSK_OK);
        s.n = 0;
        add_record(&s, &survey.task, 0, &seed, 1);
        add_bytes(&s, &byte, 1);
        add_record(&s, &survey.task, 0, &seed, 1);
        feed(c, &s, 10);
        s.n = 0;
        add_record(&s, &survey.task, 0, &seed, 1);
        feed(c, &s, 10);
        dusk_collector_kinds(c, kinds);
        assert_true(kinds[DUSK_TAKEN] >= 2); /* the first record, and the other input */
        if (!frame) assert_int_equal(kinds[DUSK_DROPPED_UNFRAMED], 1);
        if (!frame) assert_int_equal(kinds[DUSK_TAKEN], 2);
        dusk_collector_free(c);
    }
}

/* Any bytes at all, cut in any way: the same counts, and a good input after them is taken whole. */
static void noise(void **state)
{
    static stream s, good;
    const dusk_survey survey = survey_of(1000);
    uint64_t seed = 99, first[DUSK_TAKEN_KINDS], kinds[DUSK_TAKEN_KINDS];
    (void)state;
    for (int i = 0; i < 50; i++) add_record(&good, &survey.task, 3, &seed, 5);
    for (int round = 0; round < 300; round++) {
        dusk_collector *c;
        s.n = 0;
        for (int i = 0; i < 20; i++) add_record(&s, &survey.task, 3, &seed, 5);
        for (int i = 0; i < 8; i++) s.bytes[splitmix64(&seed) % s.n] = (uint8_t)splitmix64(&seed);
        s.n -= splitmix64(&seed) % 30;
        for (size_t piece = 1; piece < 700; piece = piece * 3 + 1) {
            assert_int_equal(dusk_collector_new(&c, &survey, 3, 1, NULL), DUSK_OK);
            feed(c, &s, piece);
            dusk_collector_kinds(c, kinds);
            if (piece == 1) memcpy(first, kinds, sizeof first);
            assert_memory_equal(first, kinds, sizeof first);
            feed(c, &good, 64);
            dusk_collector_kinds(c, kinds);
            assert_int_equal(kinds[DUSK_TAKEN], first[DUSK_TAKEN] + 50);
            dusk_collector_free(c);
        }
    }
}

/* --- lanes ------------------------------------------------------------------------------------------------------------------ */

typedef struct worker {
    dusk_collector *collector;
    const stream *s;
    uint32_t lane;
} worker;

static void *work(void *context)
{
    const worker *w = context;
    dusk_intake *intake;
    if (dusk_intake_new(&intake, w->collector, w->lane, NULL) != DUSK_OK) return NULL;
    for (size_t i = 0; i < w->s->n; i += 4096)
        if (dusk_intake_take(intake, w->s->bytes + i, w->s->n - i < 4096 ? w->s->n - i : 4096, NULL) !=
            DUSK_OK)
            break;
    dusk_intake_end(intake);
    dusk_intake_free(intake);
    return NULL;
}

/* Three threads read the same records: each is taken once, by one of them. */
static void many_lanes(void **state)
{
    static stream s;
    const dusk_survey survey = survey_of(1000);
    uint64_t seed = 3, kinds[DUSK_TAKEN_KINDS];
    dusk_collector *c;
    dusk_intake *none;
    pthread_t thread[3];
    worker w[3];
    (void)state;
    s.n = 0;
    for (int i = 0; i < 20000; i++) add_record(&s, &survey.task, 3, &seed, (uint32_t)i % 1000);
    assert_int_equal(dusk_collector_new(&c, &survey, 3, 3, NULL), DUSK_OK);
    for (uint32_t i = 0; i < 3; i++) {
        w[i] = (worker){ c, &s, i };
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    dusk_collector_kinds(c, kinds);
    assert_int_equal(kinds[DUSK_TAKEN], 20000);
    assert_int_equal(kinds[DUSK_DROPPED_REPLAYED], 40000);
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(dusk_collector_tally(c)->cell[i], 20);
    assert_int_equal(dusk_intake_new(&none, c, 3, NULL), DUSK_ERR_ARGUMENT);
    dusk_collector_free(c);
    assert_int_equal(dusk_collector_new(&c, &survey, 3, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_collector_new(&c, &survey, 3, 2000, NULL), DUSK_ERR_ARGUMENT);
}

/* Whichever allocation fails, what was taken has its nonce and its count, or neither. */
static void without_memory(void **state)
{
    static stream s;
    const dusk_survey survey = survey_of(1000);
    uint64_t seed = 3, kinds[DUSK_TAKEN_KINDS];
    (void)state;
    s.n = 0;
    for (int i = 0; i < 6000; i++) add_record(&s, &survey.task, 3, &seed, (uint32_t)i % 1000);
    bool failed = true;
    for (long at = 1; failed; at += at < 80 ? 1 : 17) {
        dusk_collector *c = NULL;
        dusk_intake *intake = NULL;
        dusk_memory_fail_at(at);
        dusk_status status = dusk_collector_new(&c, &survey, 3, 2, NULL);
        if (status == DUSK_OK) status = dusk_intake_new(&intake, c, 1, NULL);
        for (size_t i = 0; status == DUSK_OK && i < s.n; i += 100)
            status = dusk_intake_take(intake, s.bytes + i, s.n - i < 100 ? s.n - i : 100, NULL);
        dusk_memory_fail_at(0);
        failed = status != DUSK_OK;
        if (failed) assert_int_equal(status, DUSK_ERR_MEMORY);
        if (intake) dusk_intake_end(intake);
        dusk_intake_free(intake);
        if (c) {
            dusk_collector_kinds(c, kinds);
            assert_int_equal(kinds[DUSK_TAKEN], local_nonces_count(c->nonces));
            assert_int_equal(kinds[DUSK_DROPPED_REPLAYED], 0);
            feed(c, &s, 1 << 16);
            dusk_collector_kinds(c, kinds);
            assert_int_equal(kinds[DUSK_TAKEN], 6000);
        }
        dusk_collector_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example),
        cmocka_unit_test(every_head),
        cmocka_unit_test(every_kind_is_counted),
        cmocka_unit_test(long_heads),
        cmocka_unit_test(lost_inputs),
        cmocka_unit_test(noise),
        cmocka_unit_test(many_lanes),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
