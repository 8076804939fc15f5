/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, and then the source of entropy: making, releasing, fitting
 * and rounding counts of trees answer with a status, leave outputs untouched and leak
 * nothing (the sanitizer build looks). */
#include "failing_memory.h"
#include "random/tape.h"
#include "support.h"

enum { NODES = 5 };

typedef struct work {
    dusk_aggregate how;
    double noisy[NODES], whole[NODES];
} work;

typedef dusk_status subject(work *w, dusk_generator *gen, dusk_error *err);

static dusk_status hierarchy(work *w, dusk_generator *gen, dusk_error *err)
{
    const uint32_t parents[NODES] = { 0, 0, 0, 1, 1 };
    const uint64_t exact[NODES] = { 0, 0, 7, 3, 4 };
    double noisy[NODES], fitted[NODES], whole[NODES], widths[NODES], shares[64];
    dusk_hierarchy *h = NULL;
    size_t levels;
    dusk_status status = dusk_hierarchy_optimal_shares(shares, &levels, parents, NODES, w->how.delta, err);
    if (status == DUSK_OK) status = dusk_hierarchy_new(&h, &w->how, parents, NODES, shares, levels, err);
    if (status == DUSK_OK) status = dusk_hierarchy_release(h, noisy, exact, gen, err);
    if (status == DUSK_OK) status = dusk_hierarchy_fit(h, fitted, noisy, err);
    if (status == DUSK_OK) status = dusk_hierarchy_whole(h, whole, fitted, err);
    if (status == DUSK_OK) status = dusk_hierarchy_interval(h, widths, true, err);
    dusk_hierarchy_free(h);
    if (status == DUSK_OK) memcpy(w->whole, whole, sizeof whole);
    return status;
}

static dusk_status quadtree(work *w, dusk_generator *gen, dusk_error *err)
{
    const dusk_box box = { 0, 1, 0, 1 };
    const double x[] = { 0.1, 0.7, 2 }, y[] = { 0.1, 0.9, 0.5 };
    dusk_quadtree *q = NULL;
    dusk_status status = dusk_quadtree_new(&q, &w->how, &box, 2, 1, NULL, DUSK_OUTSIDE_DROP, err);
    if (status == DUSK_OK) status = dusk_quadtree_release(q, w->noisy, x, y, 3, gen, err);
    dusk_quadtree_free(q);
    return status;
}

static void fail_everywhere(subject *run, double delta)
{
    work w = { .noisy = { 0 } };
    dusk_generator *gen;
    dusk_error err;
    long n = 1;
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    dusk_aggregate_init(&w.how);
    w.how.neighbours = DUSK_ADD_REMOVE;
    w.how.epsilon = 1;
    w.how.delta = delta;
    for (;; n++) {
        work before = w;
        memset(&err, 0, sizeof err);
        dusk_memory_fail_at(n);
        if (went_through(run(&w, gen, &err), &err, n, 1000)) break;
        assert_memory_equal(&w, &before, sizeof w);
    }
    assert_true(n > 8);
    dusk_generator_free(gen);
}

static void memory(void **state)
{
    (void)state;
    fail_everywhere(hierarchy, 0);
    fail_everywhere(hierarchy, 1e-6);
    fail_everywhere(quadtree, 0);
}

/* A tape that is too short: no count is written. */
static void entropy(void **state)
{
    const uint64_t bits[8] = { 0x123456789abcdef0 };
    work w = { .noisy = { 0 } }, before;
    dusk_generator *gen;
    (void)state;
    dusk_aggregate_init(&w.how);
    w.how.neighbours = DUSK_ADD_REMOVE;
    w.how.epsilon = 1;
    before = w;
    assert_int_equal(dusk_generator_new_tape(&gen, bits, 100, NULL), DUSK_OK);
    assert_int_equal(hierarchy(&w, gen, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(quadtree(&w, gen, NULL), DUSK_ERR_ENTROPY);
    assert_memory_equal(&w, &before, sizeof w);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory), cmocka_unit_test(entropy) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
