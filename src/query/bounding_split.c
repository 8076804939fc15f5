/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions that are larger than a thread's share of the memory: they are dealt once more by further bits
 * of the units' names, through the temporary file, until each fits. What has one name only cannot be
 * dealt: that is a unit by itself (bounding_giant.c). */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/bounding_inner.h"

enum { SPLIT_BITS = 6, ROW_OVERHEAD = 72 }; /* entries, and lists of a unit */

/* --- reading a partition from its first record to its last ---------------------------------- */

void bounding_reader_init(bounding_reader *r, const bounding *b, const bounding_partition *partition)
{
    *r = (bounding_reader){ .b = b, .partition = partition };
}

void bounding_reader_clear(bounding_reader *r)
{
    wipe_and_free(r->buffer, r->room);
    *r = (bounding_reader){ .b = NULL };
}

/* The block becomes readable. */
static dusk_status read_block(bounding_reader *r, const bounding_block *block, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    r->data = block->data;
    if (block->data || !block->used) return DUSK_OK;
    if (block->used > r->room) {
        wipe_and_free(r->buffer, r->room);
        r->room = 0;
        DUSK_NEW(r->buffer, block->used);
        r->room = block->used;
    }
    DUSK_TRY(spill_read(r->b->file, r->buffer, block->used, block->offset, err));
    r->data = r->buffer;
done:
    return status;
}

dusk_status bounding_reader_next(bounding_reader *r, const unsigned char **record, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_block *block = r->partition->block;
    *record = NULL;
    while (r->next < r->partition->blocks && (!r->is_open || r->at == block[r->next].used)) {
        if (r->is_open) r->next++;
        r->is_open = false;
        if (r->next == r->partition->blocks) break;
        DUSK_TRY(read_block(r, &block[r->next], err));
        r->is_open = true;
        r->at = 0;
    }
    if (r->next == r->partition->blocks) return DUSK_OK;
    *record = r->data + r->at;
    r->at += record_size(&r->b->layout, *record);
done:
    return status;
}

/* --- splitting ------------------------------------------------------------------------------- */

/* Bytes that a worker needs for the partition beside what is in memory already. */
static bool fits(const bounding_worker *w, const bounding_partition *partition)
{
    size_t disk = 0, rows = 0;
    for (size_t i = 0; i < partition->blocks; i++) {
        disk += partition->block[i].data ? 0 : partition->block[i].used;
        rows += partition->block[i].used / w->b->layout.stride;
    }
    return disk + rows * ROW_OVERHEAD <= w->share && rows <= UINT32_MAX / 2 &&
           partition->blocks < (size_t)1 << (32 - (w->block_bits - 3));
}

static dusk_status has_one_name(const bounding *b, const bounding_partition *partition, bool *one,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const unsigned char *record;
    uint64_t name = 0;
    bool first = true;
    bounding_reader r;

    bounding_reader_init(&r, b, partition);
    *one = true;
    for (;;) {
        DUSK_TRY(bounding_reader_next(&r, &record, err));
        if (!record) break;
        if (!first && record_word(record, 0) != name) {
            *one = false;
            break;
        }
        name = record_word(record, 0);
        first = false;
    }
done:
    bounding_reader_clear(&r);
    return status;
}

/* Every record of the partition to the store, which is by further bits. */
static dusk_status deal_again(const bounding *b, const bounding_partition *partition, bounding_store *store,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const unsigned char *record;
    unsigned char *to;
    bounding_reader r;

    bounding_reader_init(&r, b, partition);
    for (;;) {
        DUSK_TRY(bounding_reader_next(&r, &record, err));
        if (!record) break;
        size_t size = record_size(&b->layout, record);
        DUSK_TRY(bounding_store_place(store, &to, record_word(record, 0), size, err));
        memcpy(to, record, size);
    }
    bounding_store_close(store);
done:
    bounding_reader_clear(&r);
    return status;
}

dusk_status bounding_take_partition(bounding_worker *w, bounding_partition *partition, unsigned shift,
                                    dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_store parts = { .partition = NULL };
    unsigned bits = shift < SPLIT_BITS ? shift : SPLIT_BITS;
    bool one = true;

    if (fits(w, partition)) {
        DUSK_TRY(bounding_worker_take(w, partition, shift, err));
        goto done;
    }
    if (shift > 0) DUSK_TRY(has_one_name(w->b, partition, &one, err));
    if (one) {
        DUSK_TRY(bounding_take_giant(w, partition, err));
        goto done;
    }
    DUSK_TRY(bounding_store_init(&parts, bits, shift - bits, w->block_bits, 0, w->b->file, err));
    DUSK_TRY(deal_again(w->b, partition, &parts, err));
    bounding_partition_clear(partition);
    for (size_t p = 0; p < (size_t)1 << bits; p++)
        DUSK_TRY(bounding_take_partition(w, &parts.partition[p], shift - bits, err));
done:
    bounding_partition_clear(partition);
    bounding_store_clear(&parts);
    return status;
}
