/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: text files. Any bytes are a file; its records are the same in pieces of any size, read
 * again after a rewind, and with fewer columns; cleaned fields are UTF-8 without NUL. The first two
 * bytes choose the delimiter and the size of pieces. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "table/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file without a name. */
static int file_of(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/dusk-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || unlink(path) != 0) abort();
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n <= 0) abort();
        done += (size_t)n;
    }
    return fd;
}

static void mix(uint64_t *hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) *hash = (*hash ^ b[i]) * 0x100000001b3u;
}

/* A hash of all fields of the columns before `need`. */
static uint64_t read_rows(table_csv *csv, size_t need)
{
    uint64_t hash = 0xcbf29ce484222325u;
    bool found;
    for (;;) {
        if (table_csv_next(csv, &found, NULL) != DUSK_OK) abort();
        if (!found) return hash;
        for (size_t c = 0; c < need; c++) {
            const char *text = NULL;
            size_t length = SIZE_MAX;
            if (table_csv_field(csv, c, &text, &length)) {
                if (table_csv_clean(csv, &text, &length, NULL) != DUSK_OK) abort();
                if (!dusk_utf8_valid(text, length) || memchr(text, '\0', length)) abort();
                mix(&hash, text, length);
            } else
                length = SIZE_MAX;
            mix(&hash, &length, sizeof length);
        }
        mix(&hash, "\n", 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    table_csv *whole = NULL, *pieces = NULL;
    dusk_error err = { .status = DUSK_OK };
    if (size < 2) return 0;
    int fd = file_of(data + 2, size - 2);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    dusk_location location = { .kind = DUSK_SOURCE_CSV, .path = path, .delimiter = ",;\t|"[data[0] % 4] };
    dusk_status status = table_csv_open(&whole, &location, 0, &err);
    if (status != table_csv_open(&pieces, &location, 1 + data[1] % 64, &err)) abort();
    if (status == DUSK_OK) {
        size_t columns = table_csv_columns(whole), some = columns * (data[1] / 64) / 4;
        uint64_t all = read_rows(whole, columns);
        if (columns == 0 || read_rows(pieces, columns) != all) abort();
        if (table_csv_rewind(whole, &err) != DUSK_OK || read_rows(whole, columns) != all) abort();
        if (table_csv_rewind(whole, &err) != DUSK_OK || table_csv_rewind(pieces, &err) != DUSK_OK) abort();
        table_csv_need(pieces, some);
        if (read_rows(whole, some) != read_rows(pieces, some)) abort();
    } else if (!err.message[0] || status == DUSK_ERR_IO || status == DUSK_ERR_INTERNAL)
        abort();
    table_csv_close(whole);
    table_csv_close(pieces);
    (void)close(fd);
    return 0;
}
