/* SPDX-License-Identifier: Apache-2.0 */
/* Files with flipped bits, cut files, and files of noise: each is refused, or says all that it said
 * before. Nothing crashes (the sanitizer build looks). */
#include <fcntl.h>

#include "ledgers.h"

/* Everything that a ledger says, as text. */
typedef struct saying {
    char text[16384];
    size_t n;
} saying;

static void say(saying *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->n, sizeof s->text - s->n, format, args);
    va_end(args);
    assert_true(n >= 0 && s->n + (size_t)n < sizeof s->text);
    s->n += (size_t)n;
}

static dusk_status say_fact(void *context, const dusk_fact *fact, dusk_error *err)
{
    (void)err;
    say(context, "%s %s %s\n", fact->subject, fact->property, fact->value);
    return DUSK_OK;
}

static dusk_status say_entry(void *context, const dusk_entry *e, dusk_error *err)
{
    (void)err;
    say(context, "%d %d %lld %s %s %s %d %a %a\n", (int)e->number, (int)e->kind, (long long)e->time,
        e->subject, e->value ? e->value : "-", e->purpose, (int)e->charge, e->cost.epsilon, e->cost.delta);
    return DUSK_OK;
}

static dusk_status say_analyst(void *context, const char *analyst, const dusk_spending *s, dusk_error *err)
{
    (void)err;
    say(context, "%s %a %a %a %a %a %a %a %d %d\n", analyst, s->limit.epsilon, s->limit.delta, s->share,
        s->spent.epsilon, s->spent.delta, s->left.epsilon, s->left.delta, (int)s->charges, s->limited);
    return DUSK_OK;
}

static const dusk_charge wanted = { .analyst = "alice", .fingerprint = "q", .epsilon = 0.02, .version = 4 };

static dusk_status say_all(saying *s, dusk_ledger *ledger, bool verified, dusk_error *err)
{
    dusk_spending total;
    char *answer;
    size_t length;
    dusk_status status = DUSK_OK;
    s->n = 0;
    if (verified) status = dusk_ledger_verify(ledger, err);
    if (status == DUSK_OK) status = dusk_ledger_facts(ledger, say_fact, s, err);
    if (status == DUSK_OK) status = dusk_ledger_history(ledger, 1, say_entry, s, err);
    if (status == DUSK_OK) status = dusk_ledger_analysts(ledger, say_analyst, s, err);
    if (status == DUSK_OK) status = dusk_ledger_spending(ledger, &total, NULL, err);
    if (status == DUSK_OK) status = say_analyst(s, "", &total, err);
    if (status == DUSK_OK) status = dusk_ledger_recall(ledger, &answer, &length, NULL, &wanted, err);
    if (status != DUSK_OK) return status;
    say(s, "%s\n", answer ? answer : "none");
    dusk_ledger_free_text(answer);
    return DUSK_OK;
}

static void make_rich(const char *path)
{
    uint64_t id = 0;
    ledger_make(path, DUSK_FILTER_BASIC, 3, 1e-6);
    dusk_ledger *ledger = ledger_of(path);
    OK(dusk_ledger_declare(ledger, "visits.age", "bounds", "0:120", &err));
    OK(dusk_ledger_declare(ledger, "visits.fee", "domain", "a,b", &err));
    OK(dusk_ledger_declare(ledger, "visits.fee", "domain", NULL, &err));
    OK(dusk_ledger_grant(ledger, "alice", (dusk_budget){ 1, 1e-7 }, &err));
    dusk_event event = event_of("pure(0.02)");
    dusk_charge charge = wanted;
    charge.event = &event;
    OK(dusk_ledger_reserve(ledger, &id, &charge, &err));
    OK(dusk_ledger_commit(ledger, id, "forty-two", 9, &err));
    charge.analyst = "bob";
    char *answer;
    size_t length;
    OK(dusk_ledger_recall(ledger, &answer, &length, NULL, &charge, &err));
    dusk_ledger_free_text(answer);
    (void)charge_of(ledger, "bob", "laplace(30)");
    dusk_ledger_close(ledger);
}

typedef struct content {
    unsigned char *data;
    size_t size;
} content;

static content read_file(const char *path)
{
    content c = { 0 };
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    c.size = (size_t)ftell(file);
    rewind(file);
    c.data = malloc(c.size + 1);
    assert_non_null(c.data);
    assert_int_equal(fread(c.data, 1, c.size, file), c.size);
    fclose(file);
    return c;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Refused as damaged or as no ledger, or the same as before. true: refused. */
static bool judge(const char *path, const saying *right, size_t place)
{
    static saying now;
    dusk_error err = { .message = "" };
    dusk_ledger *ledger = NULL;
    dusk_status status = dusk_ledger_open(&ledger, path, &err);
    if (status == DUSK_OK) status = say_all(&now, ledger, true, &err);
    dusk_ledger_close(ledger);
    if (status == DUSK_OK && strcmp(now.text, right->text) != 0)
        fail_msg("place %zu is changed and nobody saw it:\n%s\n%s", place, right->text, now.text);
    if (status != DUSK_OK && status != DUSK_ERR_CORRUPT && status != DUSK_ERR_IO &&
        status != DUSK_ERR_UNSUPPORTED)
        fail_msg("place %zu: %s: %s", place, dusk_status_name(status), err.message);
    assert_true(status == DUSK_OK || (err.status == status && *err.message));
    return status != DUSK_OK;
}

typedef struct sample {
    folder f;
    saying right;
    content whole;
} sample;

static void sample_make(sample *s)
{
    s->f = folder_make();
    make_rich(s->f.file);
    dusk_ledger *ledger = ledger_of(s->f.file);
    OK(say_all(&s->right, ledger, true, &err));
    dusk_ledger_close(ledger);
    s->whole = read_file(s->f.file);
}

static void sample_free(sample *s)
{
    free(s->whole.data);
    folder_remove(&s->f);
}

/* Whatever SQLite made of the last one is gone. */
static void put_back(const sample *s, const void *data, size_t size)
{
    char side[128];
    static const char *const ends[] = { "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < 3; i++) {
        snprintf(side, sizeof side, "%s%s", s->f.file, ends[i]);
        (void)unlink(side);
    }
    write_file(s->f.file, data, size);
}

static void flipped(void **state)
{
    (void)state;
    static sample s;
    uint64_t seed = 5;
    size_t refused = 0, tried = 0, used = 0;
    sample_make(&s);
    unsigned char *bytes = s.whole.data;
    for (size_t i = 0; i < s.whole.size; i += i < 108 ? 1 : 1 + splitmix64(&seed) % 5) {
        if (i >= 108 && bytes[i] == 0 && splitmix64(&seed) % 16) continue; /* most zeros are not used */
        unsigned char kept = bytes[i];
        bytes[i] ^= (unsigned char)(1u << splitmix64(&seed) % 8);
        put_back(&s, bytes, s.whole.size);
        bool was_refused = judge(s.f.file, &s.right, i);
        bytes[i] = kept;
        refused += was_refused;
        used += kept != 0;
        tried++;
    }
    assert_true(tried > 1000 && refused > used / 2);
    sample_free(&s);
}

static void cut(void **state)
{
    (void)state;
    static sample s;
    sample_make(&s);
    for (size_t size = 0; size < s.whole.size; size += size < 600 ? 37 : 509) {
        put_back(&s, s.whole.data, size);
        if (!judge(s.f.file, &s.right, size)) fail_msg("cut at %zu it is whole", size);
    }
    for (size_t page = 0; page < s.whole.size; page += 4096) { /* a page of zeros, one of noise */
        unsigned char kept[4096];
        uint64_t seed = page + 1;
        memcpy(kept, s.whole.data + page, 4096);
        memset(s.whole.data + page, 0, 4096);
        put_back(&s, s.whole.data, s.whole.size);
        assert_true(judge(s.f.file, &s.right, page));
        for (size_t i = 0; i < 4096; i++) s.whole.data[page + i] = (unsigned char)splitmix64(&seed);
        put_back(&s, s.whole.data, s.whole.size);
        assert_true(judge(s.f.file, &s.right, page));
        memcpy(s.whole.data + page, kept, 4096);
    }
    sample_free(&s);
}

/* A log that was damaged, more and more, loses its end or is refused; what is left verifies. */
static void flipped_log(void **state)
{
    (void)state;
    folder f = folder_make(), g = folder_make();
    char log[128], copy[128];
    uint64_t seed = 9;
    ledger_make(f.file, DUSK_FILTER_BASIC, 3, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    for (int i = 0; i < 6; i++) (void)charge_of(ledger, "alice", "pure(0.125)");
    snprintf(log, sizeof log, "%s-wal", f.file);
    snprintf(copy, sizeof copy, "%s-wal", g.file);
    content file = read_file(f.file), wal = read_file(log);
    dusk_ledger_close(ledger);
    for (size_t i = 0; i < wal.size; i += 1 + splitmix64(&seed) % 200) {
        dusk_error err = { .message = "" };
        wal.data[i] ^= (unsigned char)(1u << splitmix64(&seed) % 8);
        write_file(g.file, file.data, file.size);
        write_file(copy, wal.data, wal.size);
        dusk_status status = dusk_ledger_open(&ledger, g.file, &err);
        if (status == DUSK_OK) status = dusk_ledger_verify(ledger, &err);
        if (status == DUSK_OK) assert_true(spending_of(ledger, NULL).spent.epsilon <= 0.75);
        if (status != DUSK_OK) assert_true(status == DUSK_ERR_CORRUPT || status == DUSK_ERR_IO);
        dusk_ledger_close(ledger);
    }
    free(file.data);
    free(wal.data);
    folder_remove(&f);
    folder_remove(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flipped), cmocka_unit_test(cut),
                                        cmocka_unit_test(flipped_log) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
