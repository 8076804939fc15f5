/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_BUFFER_H
#define DUSK_BASE_BUFFER_H

/* Text that grows as it is written. A failed allocation is remembered, further writes do nothing,
 * and dusk_buffer_take reports it: writers need no check of their own. */

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* All zero is an empty buffer. */
typedef struct dusk_buffer {
    char *data; /* NULL, or ends in '\0' */
    size_t length, room;
    bool failed;
} dusk_buffer;

void dusk_buffer_add(dusk_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dusk_buffer_bytes(dusk_buffer *buffer, const char *bytes, size_t length);
/* The fewest digits that read back as the same double; see base/text.h. */
void dusk_buffer_number(dusk_buffer *buffer, double x);
/* Hand the text over, "" when nothing was written; to be freed with dusk_deallocate. The buffer
 * is empty afterwards, also on failure. */
DUSK_MUST_USE dusk_status dusk_buffer_take(dusk_buffer *buffer, char **out, dusk_error *err);
void dusk_buffer_clear(dusk_buffer *buffer);

#endif
