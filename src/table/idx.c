/* SPDX-License-Identifier: Apache-2.0 */
/* IDX files; see idx.h. Nothing is believed of a header but what a row of it costs: rows are read one by one. */
#include "table/idx.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define WIDTH_MAX ((size_t)1 << 20)

bool table_idx_named(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strstr(name, "-idx") || strstr(name, ".idx");
}

static dusk_status refuse(const table_idx *idx, const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE, "give an IDX file, such as train-images-idx3-ubyte.gz", "%s: %s",
                     idx->input.path, what);
}

static uint64_t big_endian(const unsigned char *from, size_t bytes)
{
    uint64_t x = 0;
    for (size_t i = 0; i < bytes; i++) x = x << 8 | from[i];
    return x;
}

/* Bytes of a number of a type; 0: there is none. */
static size_t bytes_of(int type)
{
    switch (type) {
    case 8:
    case 9: return 1;
    case 11: return 2;
    case 12:
    case 13: return 4;
    case 14: return 8;
    default: return 0;
    }
}

static dusk_status read_header(table_idx *idx, dusk_error *err)
{
    unsigned char head[4], dimension[4];
    size_t got;
    dusk_status status = table_input_fill(&idx->input, head, sizeof head, &got, err);
    if (status != DUSK_OK) return status;
    if (got < sizeof head || head[0] || head[1] || !bytes_of(head[2]) || head[3] < 1)
        return refuse(idx, "this is not the beginning of an IDX file", err);
    idx->type = head[2];
    idx->bytes = bytes_of(head[2]);
    idx->width = 1;
    for (int d = 0; d < head[3]; d++) {
        status = table_input_fill(&idx->input, dimension, sizeof dimension, &got, err);
        if (status != DUSK_OK) return status;
        if (got < sizeof dimension) return refuse(idx, "the dimensions of an IDX file are missing", err);
        uint64_t n = big_endian(dimension, sizeof dimension);
        if (d == 0)
            idx->left = n;
        else if (n < 1 || n > WIDTH_MAX / idx->width)
            return refuse(idx, "a row of an IDX file has no number, or more than 2^20", err);
        else
            idx->width *= n;
    }
    return DUSK_OK;
}

dusk_status table_idx_open(table_idx *out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_idx idx = { .input = { .file = -1 } };
    *out = idx;
    DUSK_TRY(table_input_open(&idx.input, path, true, err));
    DUSK_TRY(read_header(&idx, err));
    DUSK_NEW(idx.row, idx.width * idx.bytes);
    *out = idx;
    idx = (table_idx){ .input = { .file = -1 } };
done:
    table_idx_close(&idx);
    return status;
}

dusk_status table_idx_next(table_idx *idx, bool *found, dusk_error *err)
{
    size_t got;
    *found = false;
    if (idx->left == 0) return DUSK_OK;
    dusk_status status = table_input_fill(&idx->input, idx->row, idx->width * idx->bytes, &got, err);
    if (status != DUSK_OK) return status;
    *found = got == idx->width * idx->bytes;
    idx->left = *found ? idx->left - 1 : 0;
    return DUSK_OK;
}

/* Two's complement: what is above the middle is below zero. */
static double whole(uint64_t bits, size_t bytes)
{
    double x = (double)bits, all = bytes == 1 ? 0x1p8 : bytes == 2 ? 0x1p16 : 0x1p32;
    return x < all / 2 ? x : x - all;
}

double table_idx_number(const table_idx *idx, size_t i)
{
    uint64_t bits = big_endian(idx->row + i * idx->bytes, idx->bytes);
    uint32_t low = (uint32_t)bits;
    float single;
    double real;
    switch (idx->type) {
    case TABLE_IDX_BYTES: return (double)bits;
    case 13: memcpy(&single, &low, sizeof single); return (double)single;
    case 14: memcpy(&real, &bits, sizeof real); return real;
    default: return whole(bits, idx->bytes);
    }
}

void table_idx_close(table_idx *idx)
{
    table_input_close(&idx->input);
    dusk_deallocate(idx->row);
    idx->row = NULL;
}
