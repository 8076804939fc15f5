/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_PAIRS_OF_H
#define DUSK_TESTS_PAIRS_OF_H

/* What many tests of the accountants begin with: the composition that a text says,
 * and its dominating pairs in one direction. */

#include "accounting/pair.h"
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

#endif
