/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_DESCRIBE_H
#define DUSK_QUERY_DESCRIBE_H

/* Expressions in words that people read; see describe.c. */

#include "base/buffer.h"
#include "query/plan.h"

/* How column i is called: writes the name. */
typedef struct describe_names {
    void (*put)(dusk_buffer *out, const void *from, size_t i);
    const void *from;
} describe_names;

void describe_expression(dusk_buffer *out, const query_expression *e, const describe_names *names);

#endif
