/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_BOUNDING_INNER_H
#define DUSK_QUERY_BOUNDING_INNER_H

/* What the files of the bounding share: records, where they are kept, and the workers that turn them
 * into totals.
 *
 * A record is one row: the name of its unit, the code of its group, which values are NULL, and the
 * values, eight bytes each; texts follow after these. The name of an integer unit is mixed by a bijection,
 * so that its bits can say where it goes; that of a text is its hash, and the text itself decides.
 *
 *   0               name of the unit, 8 bytes
 *   8               group, 4 bytes
 *   12              NULL bits, 4 bytes for each 32 values, then filled up to 8
 *   length_at       length of the unit's text, 8 bytes; texts only
 *   value_at        values: an integer, a double (no NaN, no -0.0), or the length of a text; 0 for NULL
 *   stride          texts: of the unit, of the values; filled up to 8 */

#include <stdatomic.h>
#include <string.h>

#include "base/platform.h"
#include "numeric/fixed_sum.h"
#include "query/bounding.h"
#include "query/group_table.h"
#include "query/spill.h"
#include "query/wipe.h"
#include "random/keyed.h"

/* Streams of the unit's coins. */
enum {
    BOUNDING_STREAM_KEYS = 0,          /* "units" 0, 1, ...: keys of the hashes and of the temporary file   */
    BOUNDING_STREAM_UNIT_ROWS = 1,     /* which rows of the unit                                            */
    BOUNDING_STREAM_GROUPS = 2,        /* which groups                                                      */
    BOUNDING_STREAM_ROWS = 0x10000000, /* + place of the group among those kept: which rows of it           */
    BOUNDING_STREAM_VALUES =
        0x20000000 /* + place * totals + total: which of the different values           */
};
#define BOUNDING_STREAM_MASK 0x0fffffffu

/* More rows of one unit than this are left out, the last ones in the order of their content. */
#define BOUNDING_HELD_MAX ((size_t)INT32_MAX)

typedef struct bounding_layout {
    bool text_unit, texts; /* `texts`: some record may be longer than the stride */
    size_t length_at, value_at, stride;
    size_t values;
    dusk_cell_type *types; /* of the values */
    bool by_name_alone;    /* a planted bug */
} bounding_layout;

/* Blocks of records: in memory, or in the temporary file where data is NULL. */
typedef struct bounding_block {
    unsigned char *data;
    uint64_t offset;
    size_t used, size;
    bool own; /* allocated by itself: longer than the others */
} bounding_block;

typedef struct bounding_partition {
    bounding_block *block; /* the last one is open */
    size_t blocks, room;
} bounding_partition;

/* Where the next record of a partition goes; apart, since this is what every row touches. */
typedef struct bounding_cursor {
    unsigned char *next, *end;
} bounding_cursor;

/* A set of partitions by some bits of the unit's name: bit `shift` and those above it, `bits` of them. */
typedef struct bounding_store {
    bounding_partition *partition;
    bounding_cursor *cursor;
    unsigned bits, shift;
    unsigned block_bits;  /* a block has 2^block_bits bytes, or a single record that is longer */
    size_t held, most;    /* bytes in memory, and how many before blocks go to the file */
    unsigned char **slab; /* blocks are cut from these */
    size_t slabs, slabs_room, slab_size;
    unsigned char *free, *free_end; /* what is left of the last one */
    unsigned char *aside;           /* blocks that were given back */
    spill *file;                    /* of all stores of a bounding */
    bool spill_loses_last;
} bounding_store;

/* What a total does to a value, made ready. */
typedef struct bounding_term {
    bounding_total total;
    dusk_fixed_map map;
    bool is_clamped; /* the unit's total */
    dusk_int128 low, high;
} bounding_term;

struct bounding {
    bounding_layout layout;
    bounding_term *term;
    size_t terms, keys;
    bool needs_rows; /* some total looks at rows that are bounded by group */
    uint32_t groups_per_unit, rows_per_group, rows_per_unit;
    bool public_groups;
    dusk_cell_type *key_types;
    group_table *groups; /* codes of public groups are their places in the options; NULL without keys */
    dusk_keyed_coins *coins;
    uint64_t mix[2];            /* odd factors of the bijection */
    unsigned char text_key[16]; /* of the hash of text units */
    uint64_t table_key[2];
    bounding_store store;
    spill *file;
    uint32_t *code; /* of the rows of a chunk */
    size_t code_room;
    size_t memory;
    unsigned threads;
    bool failed, finished;
    uint64_t name_mask;          /* all ones; tests make names of texts collide */
    bool unfiltered, first_come; /* planted bugs */
};

/* --- the name of an integer unit ----------------------------------------------------------- */

static inline uint64_t bounding_mix(const bounding *b, uint64_t x)
{
    x = (x ^ x >> 32) * b->mix[0];
    x = (x ^ x >> 29) * b->mix[1];
    return x ^ x >> 32;
}
uint64_t bounding_unmix(const bounding *b, uint64_t x);

/* --- records -------------------------------------------------------------------------------- */

static inline uint64_t record_word(const unsigned char *record, size_t at)
{
    uint64_t word;
    memcpy(&word, record + at, sizeof word);
    return word;
}

static inline uint32_t record_group(const unsigned char *record)
{
    uint32_t group;
    memcpy(&group, record + 8, sizeof group);
    return group;
}

static inline bool record_is_null(const unsigned char *record, size_t value)
{
    return record[12 + value / 8] >> value % 8 & 1;
}

static inline size_t bounding_fill(size_t size) { return (size + 7) & ~(size_t)7; }

/* Bytes of a record. */
static inline size_t record_size(const bounding_layout *layout, const unsigned char *record)
{
    size_t texts = 0;
    if (!layout->texts) return layout->stride;
    if (layout->text_unit) texts += record_word(record, layout->length_at);
    for (size_t v = 0; v < layout->values; v++)
        if (layout->types[v] == DUSK_CELL_TEXT) texts += record_word(record, layout->value_at + 8 * v);
    return layout->stride + bounding_fill(texts);
}

/* < 0, 0, > 0: by the text of the unit, of records whose names are the same. */
int record_compare_units(const bounding_layout *layout, const unsigned char *a, const unsigned char *b);
/* The same by one value, NULL first; and by all of them. */
int record_compare_value(const bounding_layout *layout, const unsigned char *a, const unsigned char *b,
                         size_t value);
int record_compare_values(const bounding_layout *layout, const unsigned char *a, const unsigned char *b);
/* A value that is a text; *length bytes. */
const unsigned char *record_text(const bounding_layout *layout, const unsigned char *record, size_t value,
                                 size_t *length);

/* The bytes of a value that is not NULL: equal for equal values, and for no others. */
const unsigned char *record_value(const bounding_layout *layout, const unsigned char *record, size_t value,
                                  size_t *length);

/* --- stores -------------------------------------------------------------------------------- */

DUSK_MUST_USE dusk_status bounding_store_init(bounding_store *store, unsigned bits, unsigned shift,
                                              unsigned block_bits, size_t most, spill *file, dusk_error *err);
void bounding_store_clear(bounding_store *store);
/* Room for a record of `size` bytes in partition p; the caller writes it. */
DUSK_MUST_USE dusk_status bounding_store_open(bounding_store *store, size_t p, size_t size, dusk_error *err);
/* No more records come: cursors are closed. */
void bounding_store_close(bounding_store *store);
/* The same, and everything goes to the file. */
DUSK_MUST_USE dusk_status bounding_store_flush(bounding_store *store, dusk_error *err);
/* Wipe the blocks of a partition; their memory is freed with the store. */
void bounding_partition_clear(bounding_partition *partition);

static inline dusk_status bounding_store_place(bounding_store *store, unsigned char **record, uint64_t name,
                                               size_t size, dusk_error *err)
{
    size_t p = (size_t)(name >> store->shift) & (((size_t)1 << store->bits) - 1);
    bounding_cursor *cursor = &store->cursor[p];
    if ((size_t)(cursor->end - cursor->next) < size) {
        dusk_status status = bounding_store_open(store, p, size, err);
        if (status != DUSK_OK) return status;
    }
    *record = cursor->next;
    cursor->next += size;
    __builtin_prefetch(cursor->next + 64, 1); /* for a later row: by then others have come between */
    return DUSK_OK;
}

/* --- workers ------------------------------------------------------------------------------- */

/* A row in a sorted list: its unit's name, the place of its group, and where the record is. */
typedef struct bounding_entry {
    uint64_t name;
    uint32_t group;
    uint32_t at; /* block, and eighths within it */
} bounding_entry;

typedef struct bounding_kept {
    double value;
    uint32_t total, group;
} bounding_kept;

/* One thread's part. */
typedef struct bounding_worker {
    const bounding *b;
    dusk_keyed_coins *coins;
    const uint32_t *place; /* of the group of a code; NULL: the code */
    size_t groups;
    dusk_int128 *sum; /* as in `bounded` */
    uint64_t *units;
    bounding_kept *kept; /* COLLECT */
    size_t kept_count, kept_room;
    group_table *distinct; /* (total, group, value); NULL when no total is DISTINCT */

    unsigned block_bits;
    bounding_entry *entry; /* of the partition, by unit */
    size_t entry_room;
    uint32_t *bucket; /* first entry of each bucket, and one more */
    size_t bucket_room;
    bounding_entry *spare, *list; /* of a bucket or unit: room for `unit_room` rows each */
    size_t *start, *chosen, *rows;
    size_t unit_room;
    unsigned char **loaded; /* blocks of the partition, */
    size_t loaded_room;
    unsigned char *disk; /* those from the file: here */
    size_t disk_room;
    size_t share; /* bytes that it may use */
} bounding_worker;

static inline const unsigned char *worker_record(const bounding_worker *w, uint32_t at)
{
    unsigned shift = w->block_bits - 3;
    return w->loaded[at >> shift] + 8 * (size_t)(at & ((1u << shift) - 1));
}

DUSK_MUST_USE dusk_status bounding_worker_init(bounding_worker *w, const bounding *b, const uint32_t *place,
                                               size_t groups, dusk_error *err);
void bounding_worker_clear(bounding_worker *w);
/* Memory for n entries of a partition, and for a unit that has all of them. */
DUSK_MUST_USE dusk_status bounding_worker_reserve(bounding_worker *w, size_t n, dusk_error *err);

/* Bound the units of a partition and add up. The names of its units agree in bit `shift` and above. It is
 * cleared. */
DUSK_MUST_USE dusk_status bounding_take_partition(bounding_worker *w, bounding_partition *partition,
                                                  unsigned shift, dusk_error *err);
/* The same in memory, and for a single name that does not fit. */
DUSK_MUST_USE dusk_status bounding_worker_take(bounding_worker *w, const bounding_partition *partition,
                                               unsigned shift, dusk_error *err);
DUSK_MUST_USE dusk_status bounding_take_giant(bounding_worker *w, const bounding_partition *partition,
                                              dusk_error *err);
/* The rows of one unit, sorted by group. */
DUSK_MUST_USE dusk_status bounding_take_unit(bounding_worker *w, bounding_entry *entry, size_t n,
                                             dusk_error *err);
/* Its parts: which of `held` things stay when `most` may, by the coins of the unit that the entry is of; the
 * different values of a group's rows for total t; the rows of a group that stay. */
DUSK_MUST_USE dusk_status bounding_choose(bounding_worker *w, uint32_t stream, const bounding_entry *unit,
                                          size_t held, size_t most, size_t *chosen, size_t *count,
                                          dusk_error *err);
DUSK_MUST_USE dusk_status bounding_take_values(bounding_worker *w, size_t t, size_t place,
                                               const bounding_entry *entry, size_t n, dusk_error *err);
DUSK_MUST_USE dusk_status bounding_add_rows(bounding_worker *w, const bounding_entry *entry, size_t n,
                                            dusk_error *err);

/* Records of a partition one after the other, a block at a time. */
typedef struct bounding_reader {
    const bounding *b;
    const bounding_partition *partition;
    size_t next, at; /* block, and byte in it */
    bool is_open;
    const unsigned char *data;
    unsigned char *buffer; /* for blocks from the file */
    size_t room;
} bounding_reader;
void bounding_reader_init(bounding_reader *r, const bounding *b, const bounding_partition *partition);
void bounding_reader_clear(bounding_reader *r);
/* NULL at the end; valid until the next call. */
DUSK_MUST_USE dusk_status bounding_reader_next(bounding_reader *r, const unsigned char **record,
                                               dusk_error *err);

/* --- answers --------------------------------------------------------------------------------- */

/* Whether the options make sense; bounding_new asks this first. */
DUSK_MUST_USE dusk_status bounding_check(const bounding_options *options, dusk_error *err);
/* All zero, with room for `keys` values a group. */
DUSK_MUST_USE dusk_status bounded_new(bounded **out, size_t groups, size_t keys, size_t totals,
                                      dusk_error *err);
/* Texts of the keys, which are someone else's, are copied and end in '\0'; once. */
DUSK_MUST_USE dusk_status bounded_own_texts(bounded *groups, dusk_error *err);

#endif
