/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_PAIRS_OF_H
#define DUSK_TESTS_PAIRS_OF_H

/* What many tests of the accountants begin with: the composition that a text says,
 * and its dominating pairs in one direction. */

#include "accounting/pair.h"
#include "base/memory.h"
#include "support.h"

static inline dusk_composition *compose(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, neighbours, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

/* The pairs outlive the composition, so their trees are taken away. */
static inline dusk_status resolve_pairs(dusk_pairs *out, const char *text, dusk_direction direction,
                                        dusk_error *err)
{
    dusk_composition *c = compose(text, direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
    dusk_status status = dusk_pairs_resolve(out, c, direction, "test", err);
    for (size_t i = 0; status == DUSK_OK && i < out->count; i++) out->pair[i].tree = NULL;
    dusk_composition_free(c);
    return status;
}

static inline dusk_pairs pairs_of(const char *text, dusk_direction direction)
{
    dusk_pairs pairs;
    dusk_error err = { 0 };
    if (resolve_pairs(&pairs, text, direction, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return pairs;
}

/* One allocation fails, the first, the second and so on, until the pairs are made. */
static inline void resolve_while_memory_fails(const char *text, dusk_direction direction)
{
    dusk_composition *c = compose(text, direction == DUSK_REPLACE ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
    dusk_status status = DUSK_ERR_MEMORY;
    for (long n = 1; status != DUSK_OK; n++) {
        dusk_pairs pairs;
        assert_true(n < 100);
        dusk_memory_fail_at(n);
        status = dusk_pairs_resolve(&pairs, c, direction, "test", NULL);
        dusk_memory_fail_at(0);
        if (status == DUSK_OK)
            dusk_pairs_free(&pairs);
        else
            assert_int_equal(status, DUSK_ERR_MEMORY);
    }
    dusk_composition_free(c);
}

#endif
