/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SPARSE_VECTORS_H
#define TESTS_SPARSE_VECTORS_H

/* Sparse vectors with sensitivity 1 and threshold 100 and what their tests begin with. */

#include "dusk/mechanisms.h"
#include "random/tape.h"
#include "support.h"

static inline dusk_sparse_vector_options sparse_request(uint32_t hits, double delta)
{
    dusk_sparse_vector_options options;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = 1;
    options.threshold = 100;
    options.hits = hits;
    options.epsilon = 1;
    options.delta = delta;
    return options;
}

/* Coins: those of the group's state. */
static inline dusk_sparse_vector *start(const dusk_sparse_vector_options *options, void **state)
{
    dusk_sparse_vector *sv;
    assert_int_equal(dusk_sparse_vector_new(&sv, options, *state, NULL), DUSK_OK);
    return sv;
}

/* What a run with these options says that it spends. */
static inline void event_text(char *text, size_t size, const dusk_sparse_vector_options *options,
                              void **state)
{
    dusk_sparse_vector *sv = start(options, state);
    dusk_event event;
    assert_int_equal(dusk_sparse_vector_event(sv, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, size, NULL), DUSK_OK);
    dusk_sparse_vector_free(sv);
}

/* Options are refused with a message, and before any coin is taken: there are none. */
static inline void refused(const dusk_sparse_vector_options *options)
{
    uint64_t bits = 0;
    dusk_generator *tape;
    dusk_sparse_vector *sv = (dusk_sparse_vector *)&bits;
    dusk_error err;
    assert_int_equal(dusk_generator_new_tape(&tape, &bits, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_sparse_vector_new(&sv, options, tape, &err), DUSK_ERR_ARGUMENT);
    assert_null(sv);
    assert_true(strlen(err.message) > 10);
    dusk_generator_free(tape);
}

#endif
