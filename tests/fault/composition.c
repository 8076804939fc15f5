/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, for every n until the call succeeds, while events
 * are read and compositions grow: DUSK_ERR_MEMORY with one sentence, nothing
 * added, nothing leaked (the sanitizer build looks). */
#include "accounting/composition.h"

#include <string.h>

#include "failing_memory.h"
#include "support.h"

static const char text[] = "(poisson(0.5, gaussian(1) + pure(1) + gaussian(1)) + pure(2)) * 3 + "
                           "parallel(pure(1) + pure(2), rdp(2: 1, 3: 2)) + group(2, pure(3)) + pure(2)";

/* The nodes of a composition before a call that is to fail. */
typedef struct copy {
    size_t count;
    dusk_event_node node[64];
} copy;

static void take_copy(copy *out, const dusk_composition *c)
{
    out->count = c->count;
    assert_true(c->count <= 64);
    if (c->count) memcpy(out->node, c->node, c->count * sizeof *c->node);
}

static void assert_unchanged(const copy *before, const dusk_composition *c)
{
    assert_int_equal(c->count, before->count);
    if (c->count) assert_memory_equal(c->node, before->node, c->count * sizeof *c->node);
}

typedef dusk_status subject(dusk_composition *c, dusk_error *err);

static dusk_status parse(dusk_composition *c, dusk_error *err)
{
    return dusk_composition_parse(c, text, err);
}

static dusk_status parse_with(dusk_composition *c, dusk_error *err)
{
    return dusk_composition_parse_with(c, "gaussian(x) * x + pure(x)", "x", 2, err);
}

static dusk_status add(dusk_composition *c, dusk_error *err)
{
    dusk_event event;
    dusk_memory_fail_at(0); /* what follows is to fail, not the reading */
    assert_int_equal(dusk_event_parse(&event, "tree(1, 7) + tree(2, 7)", NULL), DUSK_OK);
    dusk_memory_fail_at(1);
    dusk_status status = dusk_composition_add(c, &event, 1, err);
    dusk_memory_fail_at(2);
    if (status != DUSK_OK) status = dusk_composition_add(c, &event, 1, err);
    dusk_memory_fail_at(0);
    return status;
}

static long fail_everywhere(dusk_composition *c, subject *run)
{
    for (long n = 1;; n++) {
        copy before;
        dusk_error err = { .message = "" };
        take_copy(&before, c);
        dusk_memory_fail_at(n);
        if (went_through(run(c, &err), &err, n, 1000)) return n - 1;
        assert_unchanged(&before, c);
    }
}

static void composition_grows(void **state)
{
    dusk_composition *c = NULL;
    dusk_error err;
    (void)state;
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_null(c);
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
    assert_true(fail_everywhere(c, parse) >= 5);
    assert_true(fail_everywhere(c, parse_with) >= 1);
    assert_true(fail_everywhere(c, parse) >= 3);
    size_t trees = 0;
    for (const dusk_event_node *tree = dusk_composition_first(c); tree; tree = dusk_composition_next(c, tree))
        trees++;
    assert_int_equal(trees, 5);
    dusk_composition_free(c);

    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err), DUSK_OK);
    assert_int_equal(add(c, &err), DUSK_ERR_MEMORY);
    assert_int_equal(c->count, 0);
    assert_int_equal(c->index.count, 0);
    dusk_composition_free(c);
}

static void event_is_read(void **state)
{
    dusk_event event, before;
    dusk_error err;
    (void)state;
    memset(&event, 0x5a, sizeof event);
    before = event;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_event_parse(&event, text, &err), &err, n, 1000)) break;
        assert_memory_equal(&event, &before, sizeof event);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(composition_grows),
                                        cmocka_unit_test(event_is_read) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
