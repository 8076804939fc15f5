/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STREAMS_H
#define TESTS_STREAMS_H

/* A request for a stream of whole numbers, from which tests of streams depart. */

#include "dusk/mechanisms.h"

static inline dusk_stream_options stream_request(dusk_stream_method method, uint64_t length, double delta)
{
    dusk_stream_options o;
    dusk_stream_options_init(&o);
    o.method = method;
    o.neighbours = DUSK_ADD_REMOVE;
    o.whole = true;
    o.lower = 0;
    o.upper = 1000;
    o.length = length;
    o.bands = 8;
    o.epsilon = 1;
    o.delta = delta;
    return o;
}

/* The same where one item moves its number by 1 at most, whatever the bounds. */
static inline dusk_stream_options stream_of_ones(dusk_stream_method method, uint64_t length, double delta)
{
    dusk_stream_options o = stream_request(method, length, delta);
    o.sensitivity = 1;
    return o;
}

#endif
