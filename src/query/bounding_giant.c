/* SPDX-License-Identifier: Apache-2.0 */
/* A unit whose rows do not fit the memory is bounded as any other, with the same result. Its rows are
 * sorted by group and values in pieces, through the temporary file, and counted by group on the way; the
 * counts are all that the coins need to know. One pass over the merged pieces then meets the rows in their
 * order and picks those that stay. Proof: bounding_giant.proof.md.
 *
 * What stays of one group is held in memory (rows_per_group rows, and the different values of a DISTINCT). */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/bounding_inner.h"
#include "query/entry_sort.h"

/* Records in memory, one after the other. */
typedef struct pile {
    unsigned char *data;
    size_t used, room;
    size_t *at; /* where each begins */
    size_t count, at_room;
} pile;

typedef struct giant {
    bounding_worker *w;
    bounding_partition *runs; /* sorted pieces */
    size_t runs_count, runs_room;
    uint64_t *held;        /* rows by place of group */
    unsigned char *sample; /* a record of the unit */
    uint64_t rows;

    size_t *picked; /* of all rows, ascending: those that rows_per_unit leaves; NULL: all */
    size_t picked_count;
    size_t *groups; /* which of the groups that are left; NULL: all */
    size_t groups_count;
    pile kept, values; /* of the group at hand */
    group_table *seen; /* (total, value) of the group at hand */
} giant;

static void pile_clear(pile *p)
{
    wipe_and_free(p->data, p->used);
    wipe_and_free(p->at, p->count * sizeof *p->at);
    *p = (pile){ NULL, 0, 0, NULL, 0, 0 };
}

static dusk_status pile_add(pile *p, const unsigned char *record, size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_GROW(p->at, p->at_room, p->count);
    if (p->room - p->used < size) {
        unsigned char *larger;
        DUSK_NEW(larger, 2 * p->room + size);
        if (p->used) memcpy(larger, p->data, p->used);
        wipe_and_free(p->data, p->used);
        p->data = larger;
        p->room = 2 * p->room + size;
    }
    memcpy(p->data + p->used, record, size);
    p->at[p->count++] = p->used;
    p->used += size;
done:
    return status;
}

static uint32_t place_of(const bounding_worker *w, const unsigned char *record)
{
    uint32_t code = record_group(record);
    return w->place ? w->place[code] : code;
}

/* Before, same or after, in the order of a unit's rows. */
static int compare_rows(const bounding_worker *w, const unsigned char *a, const unsigned char *b)
{
    uint32_t x = place_of(w, a), y = place_of(w, b);
    if (x != y) return x < y ? -1 : 1;
    return record_compare_values(&w->b->layout, a, b);
}

static bool row_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b, size_t value)
{
    (void)value;
    return compare_rows(w, worker_record(w, a->at), worker_record(w, b->at)) < 0;
}

/* Make the records of a pile those of the worker: entry i is record i. */
static dusk_status load_pile(bounding_worker *w, const pile *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (p->count > w->loaded_room) {
        dusk_deallocate(w->loaded);
        w->loaded_room = 0;
        DUSK_NEW(w->loaded, 2 * p->count);
        w->loaded_room = 2 * p->count;
    }
    DUSK_TRY(bounding_worker_reserve(w, p->count, err));
    for (size_t i = 0; i < p->count; i++) {
        const unsigned char *record = p->data + p->at[i];
        w->loaded[i] = p->data + p->at[i];
        w->entry[i] = (bounding_entry){ record_word(record, 0), place_of(w, record), (uint32_t)i };
    }
done:
    return status;
}

/* --- sorted pieces -------------------------------------------------------------------------- */

static dusk_status write_run(giant *g, pile *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_worker *w = g->w;
    bounding_store out = { .partition = NULL };
    unsigned char *to;

    if (p->count == 0) return DUSK_OK;
    DUSK_TRY(load_pile(w, p, err));
    if (DUSK_MUTATE(BOUNDING_PIECE_UNSORTED, true, false))
        entry_sort(w, w->entry, w->spare, p->count, row_less, 0);
    DUSK_TRY(bounding_store_init(&out, 0, 0, w->b->store.block_bits, 0, w->b->file, err));
    for (size_t i = 0; i < p->count; i++) {
        const unsigned char *record = worker_record(w, w->entry[i].at);
        size_t size = record_size(&w->b->layout, record);
        DUSK_TRY(bounding_store_place(&out, &to, 0, size, err));
        memcpy(to, record, size);
    }
    DUSK_TRY(bounding_store_flush(&out, err));
    DUSK_GROW(g->runs, g->runs_room, g->runs_count);
    g->runs[g->runs_count++] = out.partition[0];
    out.partition[0] = (bounding_partition){ .block = NULL };
done:
    bounding_store_clear(&out);
    pile_clear(p);
    return status;
}

/* The rows of the partition that are of the same unit as g->sample, in sorted pieces of a quarter of the
 * share. */
static dusk_status sort_rows(giant *g, const bounding_partition *partition, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_worker *w = g->w;
    const unsigned char *record;
    pile p = { .data = NULL };
    bounding_reader r;

    bounding_reader_init(&r, w->b, partition);
    for (;;) {
        DUSK_TRY(bounding_reader_next(&r, &record, err));
        if (!record) break;
        if (record_compare_units(&w->b->layout, record, g->sample) != 0) continue;
        if (w->b->unfiltered && place_of(w, record) >= w->groups) continue;
        DUSK_TRY(pile_add(&p, record, record_size(&w->b->layout, record), err));
        g->held[place_of(w, record)]++;
        g->rows++;
        if (p.used + p.count * 64 > w->share / 4) DUSK_TRY(write_run(g, &p, err));
    }
    DUSK_TRY(write_run(g, &p, err));
done:
    pile_clear(&p);
    bounding_reader_clear(&r);
    return status;
}

/* --- what stays --------------------------------------------------------------------------------- */

/* The coins need an entry of the unit whose record can be found. */
static bounding_entry unit_entry(giant *g)
{
    g->w->loaded[0] = g->sample;
    return (bounding_entry){ record_word(g->sample, 0), 0, 0 };
}

/* Steps 2 and 3 from the counts alone: afterwards held[] is what step 2 leaves. */
static dusk_status choose_groups(giant *g, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding *b = g->w->b;
    bounding_entry unit = unit_entry(g);
    size_t groups = 0, at = 0;
    uint64_t first = 0;

    if (b->rows_per_unit && g->rows > b->rows_per_unit) {
        DUSK_NEW(g->picked, b->rows_per_unit);
        DUSK_TRY(bounding_choose(g->w, BOUNDING_STREAM_UNIT_ROWS, &unit, g->rows, b->rows_per_unit, g->picked,
                                 &g->picked_count, err));
        for (size_t i = 0; i < g->w->groups; i++) {
            uint64_t end = first + g->held[i], left = 0;
            for (; at < g->picked_count && g->picked[at] < end; at++) left++;
            first = end;
            g->held[i] = left;
        }
    }
    for (size_t i = 0; i < g->w->groups; i++) groups += g->held[i] > 0;
    g->groups_count = groups;
    if (groups <= b->groups_per_unit) return DUSK_OK;
    DUSK_NEW(g->groups, b->groups_per_unit);
    DUSK_TRY(bounding_choose(g->w, BOUNDING_STREAM_GROUPS, &unit, groups, b->groups_per_unit, g->groups,
                             &g->groups_count, err));
done:
    return status;
}

/* --- merging --------------------------------------------------------------------------------- */

/* A heap of the pieces that have a record left, by their next record. */
typedef struct merger {
    bounding_reader *reader;
    const unsigned char **head; /* the next record of each piece */
    size_t *heap;
    size_t n, left;
} merger;

static void merger_clear(merger *m)
{
    for (size_t i = 0; m->reader && i < m->n; i++) bounding_reader_clear(&m->reader[i]);
    dusk_deallocate(m->reader);
    dusk_deallocate(m->head);
    dusk_deallocate(m->heap);
}

static bool comes_before(const merger *m, const bounding_worker *w, size_t a, size_t b)
{
    return compare_rows(w, m->head[m->heap[a]], m->head[m->heap[b]]) < 0;
}

static void sift(merger *m, const bounding_worker *w, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < m->left; at = child) {
        if (child + 1 < m->left && comes_before(m, w, child + 1, child)) child++;
        if (!comes_before(m, w, child, at)) return;
        size_t swap = m->heap[at];
        m->heap[at] = m->heap[child];
        m->heap[child] = swap;
    }
}

static dusk_status merger_init(merger *m, const giant *g, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *m = (merger){ .n = g->runs_count };
    DUSK_NEW(m->reader, m->n);
    DUSK_NEW(m->head, m->n);
    DUSK_NEW(m->heap, m->n);
    for (size_t i = 0; i < m->n; i++) bounding_reader_init(&m->reader[i], g->w->b, &g->runs[i]);
    for (size_t i = 0; i < m->n; i++) {
        DUSK_TRY(bounding_reader_next(&m->reader[i], &m->head[i], err));
        m->heap[i] = i; /* no piece is empty */
    }
    m->left = m->n;
    for (size_t i = m->left; i-- > 0;) sift(m, g->w, i);
done:
    return status;
}

static const unsigned char *merger_first(const merger *m) { return m->head[m->heap[0]]; }

/* Go on behind the first record, which is no longer valid. */
static dusk_status merger_skip(merger *m, const bounding_worker *w, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t i = m->heap[0];
    DUSK_TRY(bounding_reader_next(&m->reader[i], &m->head[i], err));
    if (!m->head[i]) m->heap[0] = m->heap[--m->left];
    sift(m, w, 0);
done:
    return status;
}

/* --- one group after the other ------------------------------------------------------------------ */

/* A row that steps 2 and 3 leave: keep one record of each different value. */
static dusk_status see_values(giant *g, const unsigned char *record, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding *b = g->w->b;
    bool wanted = false;
    for (size_t t = 0; t < b->terms; t++) {
        uint32_t code;
        bool is_new;
        query_value tuple[2] = { { .integer = (int64_t)t }, { .null = false } };
        if (b->term[t].total.kind != BOUNDING_DISTINCT) continue;
        if (record_is_null(record, b->term[t].total.value)) continue;
        tuple[1].text =
            (const char *)record_value(&b->layout, record, b->term[t].total.value, &tuple[1].length);
        DUSK_TRY(group_table_add(g->seen, &code, &is_new, tuple, err));
        wanted |= is_new;
    }
    if (wanted) DUSK_TRY(pile_add(&g->values, record, record_size(&b->layout, record), err));
done:
    return status;
}

/* The rows of a group are over: the `place`-th that stays. */
static dusk_status end_group(giant *g, size_t place, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_worker *w = g->w;
    if (g->values.count) {
        DUSK_TRY(load_pile(w, &g->values, err));
        for (size_t t = 0; t < w->b->terms; t++)
            if (w->b->term[t].total.kind == BOUNDING_DISTINCT)
                DUSK_TRY(bounding_take_values(w, t, place, w->entry, g->values.count, err));
    }
    DUSK_TRY(load_pile(w, &g->kept, err));
    w->units[w->entry[0].group]++;
    DUSK_TRY(bounding_add_rows(w, w->entry, g->kept.count, err));
done:
    pile_clear(&g->values);
    pile_clear(&g->kept);
    group_table_free(g->seen);
    g->seen = NULL;
    return status;
}

/* Where the pass over the rows stands. */
typedef struct course {
    merger rows;
    uint64_t row;      /* of all rows */
    size_t picked;     /* of g->picked */
    size_t group;      /* of the groups that are left */
    size_t kept_group; /* of those that stay */
    size_t *stays;     /* of the rows that are left of the group: which stay; NULL: all */
    size_t stays_count;
} course;

/* `all` rows came, `left` of them are left by step 2. */
static dusk_status take_next_group(giant *g, course *c, uint64_t all, uint64_t left, bool stay,
                                   dusk_error *err)
{
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    dusk_status status = DUSK_OK;
    const bounding *b = g->w->b;
    bounding_entry unit = unit_entry(g);
    size_t index = 0, next = 0;

    dusk_deallocate(c->stays);
    c->stays = NULL;
    if (stay && left > b->rows_per_group) {
        uint32_t stream = BOUNDING_STREAM_ROWS + ((uint32_t)c->kept_group & BOUNDING_STREAM_MASK);
        DUSK_NEW(c->stays, b->rows_per_group);
        DUSK_TRY(
            bounding_choose(g->w, stream, &unit, left, b->rows_per_group, c->stays, &c->stays_count, err));
    }
    if (stay && g->w->distinct) DUSK_TRY(group_table_new(&g->seen, types, 2, b->table_key, err));
    for (uint64_t i = 0; i < all; i++, c->row++) {
        const unsigned char *record = merger_first(&c->rows);
        bool is_left = !g->picked || (c->picked < g->picked_count && g->picked[c->picked] == c->row);
        if (is_left && g->picked) c->picked++;
        if (is_left && stay) {
            bool stays = !c->stays || (next < c->stays_count && c->stays[next] == index);
            if (stays && c->stays) next++;
            index++;
            if (g->seen) DUSK_TRY(see_values(g, record, err));
            if (stays) DUSK_TRY(pile_add(&g->kept, record, record_size(&b->layout, record), err));
        }
        DUSK_TRY(merger_skip(&c->rows, g->w, err));
    }
    if (stay) DUSK_TRY(end_group(g, c->kept_group++, err));
done:
    return status;
}

/* The rows of one unit, which the pieces hold. `before`: rows by group as they came. */
static dusk_status take_groups(giant *g, const uint64_t *before, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    course c = { .row = 0 };
    DUSK_TRY(merger_init(&c.rows, g, err));
    for (size_t i = 0; i < g->w->groups; i++) {
        if (!before[i]) continue;
        bool left = g->held[i] > 0, stay = left;
        if (left && g->groups) stay = c.kept_group < g->groups_count && g->groups[c.kept_group] == c.group;
        DUSK_TRY(take_next_group(g, &c, before[i], g->held[i], stay, err));
        c.group += left;
    }
done:
    dusk_deallocate(c.stays);
    merger_clear(&c.rows);
    return status;
}

static void giant_clear(giant *g)
{
    for (size_t i = 0; i < g->runs_count; i++) bounding_partition_clear(&g->runs[i]);
    dusk_deallocate(g->runs);
    wipe_and_free(g->held, g->w->groups * sizeof *g->held);
    wipe_and_free(g->sample, g->sample ? record_size(&g->w->b->layout, g->sample) : 0);
    dusk_deallocate(g->picked);
    dusk_deallocate(g->groups);
    pile_clear(&g->kept);
    pile_clear(&g->values);
    group_table_free(g->seen);
}

/* A copy of the first record whose unit is not in `done`, where it is then; NULL: there is none. */
static dusk_status find_unit(const bounding *b, const bounding_partition *partition, group_table *done_units,
                             unsigned char **sample, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const unsigned char *record;
    bounding_reader r;
    bool is_new = false;

    *sample = NULL;
    bounding_reader_init(&r, b, partition);
    while (!is_new) {
        uint32_t code;
        DUSK_TRY(bounding_reader_next(&r, &record, err));
        if (!record) break;
        query_value unit = { .text = (const char *)record + b->layout.stride };
        if (b->layout.text_unit && !b->layout.by_name_alone)
            unit.length = record_word(record, b->layout.length_at);
        DUSK_TRY(group_table_add(done_units, &code, &is_new, &unit, err));
    }
    if (is_new) {
        size_t size = record_size(&b->layout, record);
        DUSK_NEW(*sample, size);
        memcpy(*sample, record, size);
    }
done:
    bounding_reader_clear(&r);
    return status;
}

/* The unit of `sample`, which is freed. */
DUSK_PROVEN(take_one)
static dusk_status take_one(bounding_worker *w, const bounding_partition *partition, unsigned char *sample,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    giant g = { .w = w, .sample = sample };
    uint64_t *before = NULL;

    DUSK_NEW(g.held, w->groups);
    DUSK_NEW(before, w->groups);
    DUSK_TRY(sort_rows(&g, partition, err));
    if (g.rows == 0) goto done;
    memcpy(before, g.held, w->groups * sizeof *before);
    DUSK_TRY(choose_groups(&g, err));
    DUSK_TRY(take_groups(&g, before, err));
done:
    wipe_and_free(before, before ? w->groups * sizeof *before : 0);
    giant_clear(&g);
    return status;
}

/* All records have the same name: one unit, or texts whose hashes are the same. */
dusk_status bounding_take_giant(bounding_worker *w, const bounding_partition *partition, dusk_error *err)
{
    static const dusk_cell_type type = DUSK_CELL_TEXT;
    dusk_status status = DUSK_OK;
    group_table *done_units = NULL;
    unsigned char *sample;
    unsigned block_bits = w->block_bits;

    w->block_bits = 3; /* a record is a block of its own */
    DUSK_TRY(group_table_new(&done_units, &type, 1, w->b->table_key, err));
    for (;;) {
        DUSK_TRY(find_unit(w->b, partition, done_units, &sample, err));
        if (!sample) break;
        DUSK_TRY(take_one(w, partition, sample, err));
    }
done:
    w->block_bits = block_bits;
    group_table_free(done_units);
    return status;
}
