/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: IDX files. Any bytes are one, or are refused with a sentence; plain ones have no more rows than bytes. */
#include "table/idx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file without a name. */
static int file_of(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/dusk-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || unlink(path) != 0) abort();
    if (write(fd, data, size) != (ssize_t)size) abort();
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    table_idx idx;
    dusk_error err = { .status = DUSK_OK };
    int fd = file_of(data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    dusk_status status = table_idx_open(&idx, path, &err);
    bool plain = size < 2 || data[0] != 0x1f || data[1] != 0x8b;
    if (status == DUSK_OK) {
        bool found = true;
        double sum = 0;
        for (size_t rows = 0; found && rows < 4096; rows++) {
            dusk_status next = table_idx_next(&idx, &found, &err);
            if (next != DUSK_OK && (plain || next != DUSK_ERR_IO)) abort();
            if (next != DUSK_OK) break;
            if (found && plain && rows >= size) abort();
            for (size_t i = 0; found && i < idx.width; i++) sum += table_idx_number(&idx, i);
        }
        (void)sum;
    } else if (!err.message[0] || (status != DUSK_ERR_PARSE && (plain || status != DUSK_ERR_IO)))
        abort();
    table_idx_close(&idx);
    (void)close(fd);
    return 0;
}
