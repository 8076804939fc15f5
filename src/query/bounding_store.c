/* SPDX-License-Identifier: Apache-2.0 */
/* Records by partition, in blocks. While there is memory, full blocks stay; beyond the limit each block
 * goes to the temporary file as it gets full, and its memory is used again. So at most what exceeds
 * the limit is written, once. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/bounding_inner.h"

enum { SLAB_FIRST = 1 << 18, SLAB_MOST = 1 << 26 };

dusk_status bounding_store_init(bounding_store *store, unsigned bits, unsigned shift, unsigned block_bits,
                                size_t most, spill *file, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *store = (bounding_store){ .bits = bits,
                               .shift = shift,
                               .block_bits = block_bits,
                               .most = most,
                               .file = file,
                               .spill_loses_last = DUSK_MUTATE(BOUNDING_LAST_BLOCK_LOST, false, true) };
    DUSK_NEW(store->partition, (size_t)1 << bits);
    DUSK_NEW(store->cursor, (size_t)1 << bits);
done:
    if (status != DUSK_OK) bounding_store_clear(store);
    return status;
}

void bounding_partition_clear(bounding_partition *partition)
{
    for (size_t i = 0; i < partition->blocks; i++) {
        bounding_block *block = &partition->block[i];
        if (!block->data) continue;
        dusk_wipe(block->data, block->used);
        if (block->own) dusk_deallocate(block->data);
    }
    dusk_deallocate(partition->block);
    *partition = (bounding_partition){ 0 };
}

void bounding_store_clear(bounding_store *store)
{
    bounding_store_close(store);
    if (store->partition)
        for (size_t p = 0; p < (size_t)1 << store->bits; p++) bounding_partition_clear(&store->partition[p]);
    for (size_t i = 0; i < store->slabs; i++) dusk_deallocate(store->slab[i]);
    dusk_deallocate(store->slab);
    dusk_deallocate(store->partition);
    dusk_deallocate(store->cursor);
    *store = (bounding_store){ 0 };
}

/* The open block of partition p learns how much it holds. */
static bounding_block *settle(bounding_store *store, size_t p)
{
    bounding_partition *partition = &store->partition[p];
    if (!partition->blocks) return NULL;
    bounding_block *last = &partition->block[partition->blocks - 1];
    if (last->data && store->cursor[p].next) last->used = (size_t)(store->cursor[p].next - last->data);
    return last;
}

void bounding_store_close(bounding_store *store)
{
    if (!store->partition || !store->cursor) return;
    for (size_t p = 0; p < (size_t)1 << store->bits; p++) {
        const bounding_block *last = settle(store, p);
        if (store->spill_loses_last && last && store->partition[p].blocks > 1 &&
            !store->partition[p].block[0].data)
            store->partition[p].block[store->partition[p].blocks - 1].used = 0;
        store->cursor[p] = (bounding_cursor){ NULL, NULL };
    }
}

dusk_status bounding_store_flush(bounding_store *store, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_store_close(store);
    for (size_t p = 0; p < (size_t)1 << store->bits; p++)
        for (size_t i = 0; i < store->partition[p].blocks; i++) {
            bounding_block *block = &store->partition[p].block[i];
            if (!block->data) continue;
            DUSK_TRY(spill_write(store->file, block->data, block->used, &block->offset, err));
            if (block->own) dusk_deallocate(block->data);
            block->data = NULL;
        }
done:
    return status;
}

/* A block whose memory is not used for now: its first bytes say which one was put aside before it. */
static void put_aside(bounding_store *store, unsigned char *data)
{
    memcpy(data, &store->aside, sizeof store->aside);
    store->aside = data;
}

/* A block of the usual size. Slabs grow, so that a small table takes little. */
static dusk_status cut_block(bounding_store *store, unsigned char **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t usual = (size_t)1 << store->block_bits;
    if (store->aside) {
        *out = store->aside;
        memcpy(&store->aside, *out, sizeof store->aside);
        return DUSK_OK;
    }
    if (store->free == store->free_end) {
        size_t size = store->slab_size ? 2 * store->slab_size : SLAB_FIRST;
        if (size > SLAB_MOST) size = SLAB_MOST;
        DUSK_GROW(store->slab, store->slabs_room, store->slabs);
        DUSK_NEW(store->slab[store->slabs], size);
        store->free = store->slab[store->slabs++];
        store->free_end = store->free + size;
        store->slab_size = size;
    }
    *out = store->free;
    store->free += usual;
done:
    return status;
}

/* Memory for a new block: that of `full`, which goes to the file beyond the limit, or more. */
static dusk_status find_memory(bounding_store *store, bounding_block *full, bounding_block *out, size_t size,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t usual = (size_t)1 << store->block_bits;

    *out = (bounding_block){ .size = size > usual ? size : usual, .own = size > usual };
    if (full && full->data && store->held + out->size > store->most) {
        DUSK_TRY(spill_write(store->file, full->data, full->used, &full->offset, err));
        if (!full->own && !out->own) {
            out->data = full->data;
            full->data = NULL;
            return DUSK_OK;
        }
        store->held -= full->size;
        if (full->own) /* what was in it is encrypted */
            dusk_deallocate(full->data);
        else
            put_aside(store, full->data);
        full->data = NULL;
    }
    if (out->own)
        DUSK_NEW(out->data, out->size);
    else
        DUSK_TRY(cut_block(store, &out->data, err));
    store->held += out->size;
done:
    return status;
}

dusk_status bounding_store_open(bounding_store *store, size_t p, size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_partition *partition = &store->partition[p];
    bounding_block *full = settle(store, p), fresh;

    store->cursor[p] = (bounding_cursor){ NULL, NULL };
    if (partition->blocks == partition->room) {
        DUSK_GROW(partition->block, partition->room, partition->blocks);
        full = partition->blocks ? &partition->block[partition->blocks - 1] : NULL;
    }
    DUSK_TRY(find_memory(store, full, &fresh, size, err));
    partition->block[partition->blocks++] = fresh;
    store->cursor[p] = (bounding_cursor){ fresh.data, fresh.data + fresh.size };
done:
    return status;
}
