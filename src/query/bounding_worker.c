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

enum { ROWS_PER_BUCKET = 4, BUCKET_BITS_MAX = 16 };

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
    wipe_and_free(w->disk, w->disk_room);
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

dusk_status bounding_worker_reserve(bounding_worker *w, size_t n, dusk_error *err)
{
    dusk_status status = reserve_entries(w, n, err);
    return status == DUSK_OK ? reserve_unit(w, n, err) : status;
}

/* --- loading -------------------------------------------------------------------------------------- */

/* w->loaded[i] is block i, those that are in the file having been read. */
static dusk_status load_blocks(bounding_worker *w, const bounding_partition *partition, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t disk = 0;
    if (partition->blocks > w->loaded_room) {
        dusk_deallocate(w->loaded);
        w->loaded_room = 0;
        DUSK_NEW(w->loaded, 2 * partition->blocks);
        w->loaded_room = 2 * partition->blocks;
    }
    for (size_t i = 0; i < partition->blocks; i++)
        disk += partition->block[i].data ? 0 : partition->block[i].used;
    if (disk > w->disk_room) {
        wipe_and_free(w->disk, w->disk_room);
        w->disk_room = 0;
        DUSK_NEW(w->disk, disk + disk / 8);
        w->disk_room = disk + disk / 8;
    }
    disk = 0;
    for (size_t i = 0; i < partition->blocks; i++) {
        const bounding_block *block = &partition->block[i];
        w->loaded[i] = block->data ? block->data : w->disk + disk;
        if (block->data) continue;
        DUSK_TRY(spill_read(w->b->file, w->loaded[i], block->used, block->offset, err));
        disk += block->used;
    }
done:
    return status;
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

/* Which bucket a name belongs to. */
typedef struct split {
    unsigned low;
    uint64_t mask;
} split;

static inline size_t bucket_of(const split *by, uint64_t name)
{
    return (size_t)(name >> by->low & by->mask);
}

/* `texts` is known when this is compiled in: without them every record has the same size. */
static inline __attribute__((always_inline)) void count_block(bounding_worker *w, const bounding_block *block,
                                                              const unsigned char *record, const split *by,
                                                              bool texts)
{
    const bounding_layout *layout = &w->b->layout;
    const unsigned char *end = record + block->used;
    while (record < end) {
        __builtin_prefetch(record + 1024);
        w->bucket[bucket_of(by, record_word(record, 0)) + 2]++;
        record += texts ? record_size(layout, record) : layout->stride;
    }
}

static inline __attribute__((always_inline)) void deal_block(bounding_worker *w, const bounding_block *block,
                                                             size_t number, const split *by, bool texts)
{
    const bounding_layout *layout = &w->b->layout;
    const unsigned char *record = w->loaded[number];
    size_t at = number << (w->block_bits - 3), end = at + block->used / 8;
    while (at < end) {
        uint64_t name = record_word(record, 0);
        uint32_t code = record_group(record), group = w->place ? w->place[code] : code;
        size_t size = texts ? record_size(layout, record) : layout->stride;
        w->entry[w->bucket[bucket_of(by, name) + 1]++] = (bounding_entry){ name, group, (uint32_t)at };
        record += size;
        at += size / 8;
    }
}

/* Deal the records to 2^bits buckets: w->entry, with bucket i from w->bucket[i] to w->bucket[i + 1]. */
static void deal(bounding_worker *w, const bounding_partition *partition, unsigned shift, unsigned bits)
{
    uint32_t *bucket = w->bucket;
    const split by = { shift - bits, ((uint64_t)1 << bits) - 1 };
    const bool texts = w->b->layout.texts;

    memset(bucket, 0, (((size_t)1 << bits) + 2) * sizeof *bucket);
    for (size_t i = 0; i < partition->blocks; i++)
        if (texts)
            count_block(w, &partition->block[i], w->loaded[i], &by, true);
        else
            count_block(w, &partition->block[i], w->loaded[i], &by, false);
    for (size_t i = 2; i < ((size_t)1 << bits) + 2; i++) bucket[i] += bucket[i - 1];
    for (size_t i = 0; i < partition->blocks; i++)
        if (texts)
            deal_block(w, &partition->block[i], i, &by, true);
        else
            deal_block(w, &partition->block[i], i, &by, false);
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

/* Few rows of one unit are sorted by group without branches: a row's place is the number of rows before
 * it, counted for several rows at once. */
enum { FEW = 128, RANKED = 32, LANES = 4, RANKED_GROUPS = 1 << 25 };
typedef int32_t lanes __attribute__((vector_size(16)));

/* `width` is known when this is compiled in, so that the counts stay in registers. */
static inline __attribute__((always_inline)) void rank_within(bounding_entry *e, bounding_entry *spare,
                                                              size_t n, size_t width)
{
    union {
        lanes wide[RANKED / LANES];
        int32_t one[RANKED];
    } key, place;
    lanes before[RANKED / LANES];
    for (size_t i = 0; i < n; i++) key.one[i] = (int32_t)(e[i].group * RANKED + (uint32_t)i); /* all differ */
    for (size_t i = n; i < width * LANES; i++) key.one[i] = INT32_MAX;
#pragma GCC unroll 8
    for (size_t k = 0; k < width; k++) before[k] = (lanes){ 0 };
    for (size_t i = 0; i < n; i++) {
        int32_t x = key.one[i];
        lanes all = { x, x, x, x };
#pragma GCC unroll 8
        for (size_t k = 0; k < width; k++) before[k] -= all < key.wide[k]; /* true is -1 */
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < width; k++) place.wide[k] = before[k];
    for (size_t i = 0; i < n; i++) spare[place.one[i]] = e[i];
    memcpy(e, spare, n * sizeof *e);
}

static void rank_rows(bounding_entry *e, bounding_entry *spare, size_t n)
{
    if (n <= 8)
        rank_within(e, spare, n, 2);
    else if (n <= 16)
        rank_within(e, spare, n, 4);
    else if (n <= 24)
        rank_within(e, spare, n, 6);
    else
        rank_within(e, spare, n, 8);
}

/* Bring the rows with the name of the first one to the front; how many they are. */
static size_t gather(bounding_entry *e, bounding_entry *spare, size_t n)
{
    size_t same = 0, other = 0;
    uint64_t name = e->name;
    for (size_t i = 0; i < n; i++)
        if (e[i].name == name)
            e[same++] = e[i];
        else
            spare[other++] = e[i];
    memcpy(e + same, spare, other * sizeof *e);
    return same;
}

/* All rows of every unit that has some among these are here. */
DUSK_PROVEN(take_many)
static dusk_status take_many(bounding_worker *w, bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
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

/* Of rows with one name: whether they are of one unit, too. */
static bool is_one_unit(const bounding_worker *w, const bounding_entry *e, size_t n)
{
    if (!w->b->layout.text_unit) return true;
    for (size_t i = 1; i < n; i++)
        if (!is_same_unit(w, &e[0], &e[i])) return false;
    return true;
}

/* The same where there are few. */
DUSK_PROVEN(take_few)
static dusk_status take_few(bounding_worker *w, bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t same; n > 0; e += same, n -= same) {
        same = gather(e, w->spare, n);
        if (same > RANKED || !is_one_unit(w, e, same)) {
            DUSK_TRY(take_many(w, e, same, err));
        } else {
            rank_rows(e, w->spare, same);
            DUSK_TRY(bounding_take_unit(w, e, same, err));
        }
    }
done:
    return status;
}

dusk_status bounding_worker_take(bounding_worker *w, const bounding_partition *partition, unsigned shift,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t rows = rows_at_most(w, partition);
    unsigned bits = bucket_bits(rows, shift);
    bool ranks = w->groups < RANKED_GROUPS && !w->b->unfiltered;

    if (rows == 0) return DUSK_OK;
    DUSK_TRY(load_blocks(w, partition, err));
    DUSK_TRY(reserve_entries(w, rows, err));
    DUSK_TRY(reserve_buckets(w, ((size_t)1 << bits) + 2, err));
    deal(w, partition, shift, bits);
    for (size_t i = 0; i < (size_t)1 << bits; i++) {
        bounding_entry *e = w->entry + w->bucket[i];
        size_t n = w->bucket[i + 1] - w->bucket[i];
        if (n == 0) continue;
        DUSK_TRY(reserve_unit(w, n, err));
        DUSK_TRY(n <= FEW && ranks ? take_few(w, e, n, err) : take_many(w, e, n, err));
    }
done:
    return status;
}
