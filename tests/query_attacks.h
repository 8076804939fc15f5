/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_ATTACKS_H
#define TESTS_QUERY_ATTACKS_H

/* A table of visits (person, value, kind) given as text, opened as a source, and asked. The engine is that
 * of DUSK_TEST_ENGINE, or SQLite. */

#include <math.h>

#include "query/release.h"
#include "query_world.h"
#include "random/generator.h"
#include "random/tape.h"

typedef struct attack {
    folder at;
    dusk_source *source;
    dusk_generator *gen;
    dusk_query_options options;
} attack;

static inline void attack_declare(attack *a, const char *subject, const char *property, const char *value)
{
    OK(dusk_source_declare(a->source, subject, property, value, &err));
}

/* Rows "person,value,kind\n"; a public table of sizes (size) of its own rows. */
static inline void attack_open_with(attack *a, const char *rows, const char *bounds, const char *sizes)
{
    char path[2][WORLD_URI];
    const char *uri[2] = { path[0], path[1] };
    dusk_source_options o;
    *a = (attack){ .at = folder_make() };
    world_put(path[0], &a->at, "visits", "person,value,kind", rows);
    world_put(path[1], &a->at, "sizes", "size", sizes);
    dusk_source_options_init(&o);
    o.sources = uri;
    o.sources_count = 2;
    o.unit = "visits.person";
    o.engine = world_engine();
    o.ledger.neighbours = DUSK_ADD_REMOVE;
    o.ledger.budget = (dusk_budget){ 1e6, 0.5 };
    OK(dusk_source_create(a->at.file, &o, &err));
    OK(dusk_source_open(&a->source, a->at.file, &err));
    attack_declare(a, "visits.person", "type", "integer");
    attack_declare(a, "visits.value", "type", "real");
    if (bounds) attack_declare(a, "visits.value", "bounds", bounds);
    attack_declare(a, "sizes", "public", "yes");
    attack_declare(a, "sizes.size", "type", "integer");
    OK(dusk_generator_new_seeded(&a->gen, 7, &err));
    dusk_query_options_init(&a->options);
    a->options.epsilon = 1;
    a->options.threads = 1;
}

static inline void attack_open(attack *a, const char *rows, const char *bounds)
{
    attack_open_with(a, rows, bounds, "1\n");
}

static inline void attack_close(attack *a)
{
    dusk_generator_free(a->gen);
    dusk_source_close(a->source);
    folder_remove(&a->at);
}

/* All that an analyst sees of a question. */
typedef struct transcript {
    dusk_status status;
    dusk_error err;
    dusk_result *result; /* NULL: there is none */
    dusk_receipt receipt;
    dusk_spending after;
    char *explained;
} transcript;

static inline transcript attack_ask(attack *a, const char *sql)
{
    transcript t = { .err = { .message = "" } };
    dusk_query *query = NULL;
    t.status = dusk_query_prepare(&query, a->source, sql, &a->options, &t.err);
    if (t.status == DUSK_OK) OK(dusk_query_explain(query, &t.explained, &err));
    if (t.status == DUSK_OK) t.status = dusk_query_run(query, &t.result, &t.receipt, a->gen, &t.err);
    t.after = spending_of(dusk_source_ledger(a->source), NULL);
    dusk_query_free(query);
    return t;
}

static inline void transcript_clear(transcript *t)
{
    dusk_result_free(t->result);
    dusk_ledger_free_text(t->explained);
}

/* The transcripts are the same but for the numbers that have noise. */
static inline void transcripts_alike(const transcript *a, const transcript *b)
{
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->err.message, b->err.message);
    assert_string_equal(a->err.hint, b->err.hint);
    assert_true((a->explained == NULL) == (b->explained == NULL));
    if (a->explained) assert_string_equal(a->explained, b->explained);
    assert_true(a->after.charges == b->after.charges && a->after.share == b->after.share &&
                a->after.spent.epsilon == b->after.spent.epsilon);
    assert_true(a->receipt.charged == b->receipt.charged && a->receipt.cached == b->receipt.cached);
    assert_true((a->result == NULL) == (b->result == NULL));
    if (!a->result) return;
    assert_int_equal(dusk_result_rows(a->result), dusk_result_rows(b->result));
    assert_int_equal(dusk_result_columns(a->result), dusk_result_columns(b->result));
    for (size_t c = 0; c < dusk_result_columns(a->result); c++) {
        assert_string_equal(dusk_result_name(a->result, c), dusk_result_name(b->result, c));
        for (size_t r = 0; r < dusk_result_rows(a->result); r++) {
            const dusk_cell *x = dusk_result_cell(a->result, r, c), *y = dusk_result_cell(b->result, r, c);
            assert_true(x->type == y->type && x->null == y->null && x->exact == y->exact);
            if (x->exact && !x->null && x->text) assert_string_equal(x->text, y->text);
            if (x->exact && !x->null && !x->text) assert_true(x->number == y->number);
            if (!x->exact && !x->null) assert_true(isfinite(x->number) && isfinite(y->number));
        }
    }
}

/* The first cell of the answer without noise. */
static inline double attack_exact(attack *a, const char *sql)
{
    query_release_without_noise(true);
    transcript t = attack_ask(a, sql);
    query_release_without_noise(false);
    if (t.status != DUSK_OK) fail_msg("%s: %s", sql, t.err.message);
    assert_true(dusk_result_rows(t.result) >= 1);
    double number = dusk_result_cell(t.result, 0, 0)->number;
    transcript_clear(&t);
    return number;
}

#endif
