/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_INPUT_H
#define DUSK_TABLE_INPUT_H

/* Bytes of a plain file, as they are or out of gzip (zlib). Only input and memory can fail. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

/* `path` is the caller's and stays. A file of -1 is closed. */
typedef struct table_input {
    int file;
    void *gzip; /* of zlib; NULL: bytes as they are */
    const char *path;
    uint64_t size; /* bytes of the file, as the system says it */
} table_input;

/* `gzip`: what begins as gzip does is decompressed, other bytes are as they are. On failure nothing is open. */
DUSK_MUST_USE dusk_status table_input_open(table_input *out, const char *path, bool gzip, dusk_error *err);
/* Up to `room` bytes, *got of them; 0 at the end only. */
DUSK_MUST_USE dusk_status table_input_read(table_input *input, void *to, size_t room, size_t *got,
                                           dusk_error *err);
/* As many as there are, up to `room`. */
DUSK_MUST_USE dusk_status table_input_fill(table_input *input, void *to, size_t room, size_t *got,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status table_input_rewind(table_input *input, dusk_error *err);
void table_input_close(table_input *input);
/* Whether the name ends in ".gz". */
bool table_input_named_gzip(const char *path);

#endif
