/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, for every n until the call succeeds, in the mechanisms for tables: each
 * answers DUSK_ERR_MEMORY, leaves its outputs untouched, and leaks nothing (the sanitizer build
 * looks). */
#include <math.h>
#include <string.h>

#include "failing_memory.h"
#include "support.h"

enum { COLUMNS = 3, ROWS = 50, CELLS = 64 };

static const uint32_t sizes[COLUMNS] = { 2, 3, 4 };
static const dusk_marginal pairs[3] = { { 2, { 0, 1 } }, { 2, { 1, 2 } }, { 2, { 0, 2 } } };

typedef struct work { /* inputs and outputs of every subject */
    dusk_generator *gen;
    dusk_aggregate how;
    uint32_t codes[COLUMNS * ROWS], drawn[COLUMNS * ROWS];
    double out[CELLS], width;
    dusk_statement statement;
    dusk_synthetic_table *made;
} work;

typedef dusk_status subject(work *w, dusk_error *err);

static dusk_table table_of(const work *w)
{
    return (dusk_table){ .columns = COLUMNS, .sizes = sizes, .rows = ROWS, .codes = w->codes };
}

static dusk_status marginals(work *w, dusk_error *err)
{
    dusk_table table = table_of(w);
    return dusk_marginals_release(w->out, &w->width, &w->statement, &w->how, &table, pairs, 3, w->gen, err);
}

static dusk_status reconcile(work *w, dusk_error *err)
{
    dusk_table table = table_of(w);
    return dusk_marginals_reconcile(w->out, &w->width, &table, pairs, 3, NULL, NAN, true, err);
}

static dusk_status mwem(work *w, dusk_error *err)
{
    dusk_table table = table_of(w);
    dusk_mwem_options options;
    dusk_mwem_options_init(&options);
    options.marginals = pairs;
    options.marginals_count = 3;
    options.rounds = 2;
    return dusk_mwem_release(w->out, &w->width, &w->statement, &w->how, &options, &table, w->gen, err);
}

static dusk_status synthetic(work *w, dusk_error *err)
{
    dusk_table table = table_of(w);
    return dusk_synthetic_table_release(&w->made, &w->statement, &w->how, &table, w->gen, err);
}

static dusk_status model_marginal(work *w, dusk_error *err)
{
    return dusk_synthetic_table_marginal(w->made, w->out, &pairs[1], err);
}

static dusk_status draw(work *w, dusk_error *err)
{
    return dusk_synthetic_table_draw(w->made, w->drawn, ROWS, w->gen, err);
}

static void fail_everywhere(work *w, subject *run)
{
    dusk_error err;
    long n = 1;
    for (;; n++) {
        work before = *w;
        memset(&err, 0, sizeof err);
        dusk_memory_fail_at(n);
        if (went_through(run(w, &err), &err, n, 1000)) break;
        assert_memory_equal(w, &before, sizeof before);
    }
    assert_true(n > 1);
}

static void test_tables(void **state)
{
    subject *const subjects[] = { marginals, reconcile, mwem, synthetic, model_marginal, draw };
    static work w;
    (void)state;
    assert_int_equal(dusk_generator_new(&w.gen, NULL), DUSK_OK);
    dusk_aggregate_init(&w.how);
    w.how.neighbours = DUSK_ADD_REMOVE;
    w.how.epsilon = 1;
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) w.codes[i] = i % 5;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) fail_everywhere(&w, subjects[i]);
    dusk_synthetic_table_free(w.made);
    dusk_generator_free(w.gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tables) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
