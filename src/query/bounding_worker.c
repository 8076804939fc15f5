/* SPDX-License-Identifier: Apache-2.0 */
/* A partition at a time: its rows are brought together by unit and sorted by group, in memory that fits
 * a cache, and every unit is bounded by itself. First the rows are dealt to buckets by further bits of
 * the unit's name, about as many as there are units; a bucket is then sorted by comparison. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/bounding_inner.h"
#include "query/entry_sort.h"

enum { ROWS_PER_BUCKET = 8, BUCKET_BITS_MAX = 16 };

dusk_status bounding_worker_init(bounding_worker *w, const bounding *b, const uint32_t *place, size_t groups,
                                 dusk_error *err)
{
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    dusk_status status = DUSK_OK;
    bool distinct = false;

    *w = (bounding_worker){ .b = b, .place = place, .groups = groups, .block_bits = b->store.block_bits };
    for (size_t t = 0; t < b->terms; t++) distinct |= b->term[t].total.kind == BOUNDING_DISTINCT;
    DUSK_TRY(dusk_keyed_copy(&w->coins, b->coins, err));
    if (distinct) DUSK_TRY(group_table_new(&w->distinct, types, 3, b->table_key, err));
    if (b->terms > SIZE_MAX / sizeof *w->sum / (groups + 1)) DUSK_TRY(dusk_fail_memory(err));
    DUSK_NEW(w->sum, b->terms * groups);
    DUSK_NEW(w->units, groups);
done:
    if (status != DUSK_OK) bounding_worker_clear(w);
    return status;
}

static void clear_unit(bounding_worker *w)
{
    wipe_and_free(w->spare, w->unit_room * sizeof *w->spare);
    wipe_and_free(w->list, w->unit_room * sizeof *w->list);
    wipe_and_free(w->start, w->unit_room * sizeof *w->start);
    wipe_and_free(w->chosen, w->unit_room * sizeof *w->chosen);
    wipe_and_free(w->rows, w->unit_room * sizeof *w->rows);
    w->spare = w->list = NULL;
    w->start = w->chosen = w->rows = NULL;
    w->unit_room = 0;
}

void bounding_worker_clear(bounding_worker *w)
{
    dusk_keyed_free(w->coins);
    group_table_free(w->distinct);
    if (w->b) wipe_and_free(w->sum, w->b->terms * w->groups * sizeof *w->sum);
    wipe_and_free(w->units, w->groups * sizeof *w->units);
    wipe_and_free(w->kept, w->kept_count * sizeof *w->kept);
    wipe_and_free(w->entry, w->entry_room * sizeof *w->entry);
    wipe_and_free(w->bucket, w->bucket_room * sizeof *w->bucket);
    clear_unit(w);
    dusk_deallocate(w->loaded);
    *w = (bounding_worker){ 0 };
}

/* --- memory ------------------------------------------------------------------------------------ */

static dusk_status reserve_entries(bounding_worker *w, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (n > w->entry_room) {
        wipe_and_free(w->entry, w->entry_room * sizeof *w->entry);
        w->entry_room = 0;
        DUSK_NEW(w->entry, n + n / 8);
        w->entry_room = n + n / 8;
    }
done:
    return status;
}

static dusk_status reserve_buckets(bounding_worker *w, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (n > w->bucket_room) {
        wipe_and_free(w->bucket, w->bucket_room * sizeof *w->bucket);
        w->bucket_room = 0;
        DUSK_NEW(w->bucket, n);
        w->bucket_room = n;
    }
done:
    return status;
}

/* For a bucket of n rows; some lists have one more. */
static dusk_status reserve_unit(bounding_worker *w, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = n + n / 2 + 64;
    if (n < w->unit_room) return DUSK_OK;
    clear_unit(w);
    DUSK_NEW(w->spare, room);
    DUSK_NEW(w->list, room);
    DUSK_NEW(w->start, room);
    DUSK_NEW(w->chosen, room);
    DUSK_NEW(w->rows, room);
    w->unit_room = room;
done:
    return status;
}

/* --- loading -------------------------------------------------------------------------------------- */

/* Blocks that are in the file come back to memory; the partition has them then. */
static dusk_status load_blocks(bounding_worker *w, bounding_partition *partition, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (partition->blocks > w->loaded_room) {
        dusk_deallocate(w->loaded);
        w->loaded_room = 0;
        DUSK_NEW(w->loaded, 2 * partition->blocks);
        w->loaded_room = 2 * partition->blocks;
    }
    for (size_t i = 0; i < partition->blocks; i++) {
        bounding_block *block = &partition->block[i];
        if (!block->data) {
            unsigned char *data;
            DUSK_NEW(data, block->used);
            status = spill_read(w->b->file, data, block->used, block->offset, err);
            block->data = data;
            if (status != DUSK_OK) goto done;
        }
        w->loaded[i] = block->data;
    }
done:
    return status;
}

/* Every record of the partition: its block, and its first byte there. */
typedef struct walk {
    const bounding_worker *w;
    const bounding_partition *partition;
    size_t block, at;
} walk;

static inline const unsigned char *walk_next(walk *k, uint32_t *at)
{
    while (k->block < k->partition->blocks && k->at == k->partition->block[k->block].used) {
        k->block++;
        k->at = 0;
    }
    if (k->block == k->partition->blocks) return NULL;
    const unsigned char *record = k->w->loaded[k->block] + k->at;
    *at = (uint32_t)(k->block << (k->w->block_bits - 3) | k->at / 8);
    k->at += record_size(&k->w->b->layout, record);
    return record;
}

static size_t rows_at_most(const bounding_worker *w, const bounding_partition *partition)
{
    size_t n = 0;
    for (size_t i = 0; i < partition->blocks; i++) n += partition->block[i].used / w->b->layout.stride;
    return n;
}

/* --- bringing units together ------------------------------------------------------------------------ */

static unsigned bucket_bits(size_t rows, unsigned shift)
{
    unsigned bits = 0;
    while (bits < BUCKET_BITS_MAX && bits < shift && rows >> bits > ROWS_PER_BUCKET) bits++;
    return bits;
}

/* Deal the records to 2^bits buckets: w->entry, with bucket i from w->bucket[i] to w->bucket[i + 1]. */
static void deal(bounding_worker *w, const bounding_partition *partition, unsigned shift, unsigned bits)
{
    uint32_t *bucket = w->bucket, at;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const unsigned char *record;
    unsigned low = shift - bits;
    walk k = { w, partition, 0, 0 };

    memset(bucket, 0, (((size_t)1 << bits) + 2) * sizeof *bucket);
    while ((record = walk_next(&k, &at))) bucket[(record_word(record, 0) >> low & mask) + 2]++;
    for (size_t i = 2; i < ((size_t)1 << bits) + 2; i++) bucket[i] += bucket[i - 1];
    k = (walk){ w, partition, 0, 0 };
    while ((record = walk_next(&k, &at))) {
        uint64_t name = record_word(record, 0);
        uint32_t code = record_group(record), group = w->place ? w->place[code] : code;
        w->entry[bucket[(name >> low & mask) + 1]++] = (bounding_entry){ name, group, at };
    }
}

static inline bool number_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b,
                               size_t value)
{
    (void)w, (void)value;
    return a->name != b->name ? a->name < b->name : a->group < b->group;
}

static inline bool text_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b,
                             size_t value)
{
    (void)value;
    if (a->name != b->name) return a->name < b->name;
    int order = record_compare_units(&w->b->layout, worker_record(w, a->at), worker_record(w, b->at));
    return order != 0 ? order < 0 : a->group < b->group;
}

static bool is_same_unit(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b)
{
    if (a->name != b->name) return false;
    return !w->b->layout.text_unit ||
           record_compare_units(&w->b->layout, worker_record(w, a->at), worker_record(w, b->at)) == 0;
}

/* All rows of every unit that has some among these are here. */
static dusk_status take_bucket(bounding_worker *w, bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(reserve_unit(w, n, err));
    if (w->b->layout.text_unit)
        entry_sort(w, e, w->spare, n, text_less, 0);
    else
        entry_sort(w, e, w->spare, n, number_less, 0);
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && is_same_unit(w, &e[first], &e[last]);) last++;
        DUSK_TRY(bounding_take_unit(w, e + first, last - first, err));
    }
done:
    return status;
}

dusk_status bounding_worker_take(bounding_worker *w, bounding_partition *partition, unsigned shift,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t rows = rows_at_most(w, partition);
    unsigned bits = bucket_bits(rows, shift);

    if (rows == 0) return DUSK_OK;
    if (rows > UINT32_MAX) return dusk_fail_memory(err);
    DUSK_TRY(load_blocks(w, partition, err));
    DUSK_TRY(reserve_entries(w, rows, err));
    DUSK_TRY(reserve_buckets(w, ((size_t)1 << bits) + 2, err));
    deal(w, partition, shift, bits);
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        if (w->bucket[i + 1] > w->bucket[i])
            DUSK_TRY(take_bucket(w, w->entry + w->bucket[i], w->bucket[i + 1] - w->bucket[i], err));
done:
    return status;
}
