/* SPDX-License-Identifier: Apache-2.0 */
/* Exact dictionary of tuples: open addressing over codes, tuples as bytes in pages. A tuple is written
 * cell by cell, a tag (the cell's type, or 0 for NULL) and then eight bytes of a number, or four of a
 * length and the text; so different tuples have different bytes. The hash is SipHash-2-4 [Aumasson &
 * Bernstein 2012], and for a single column of integers a multiplication. Nothing here is differentially
 * private; what a table holds is as private as the rows it came from. */
#include "query/group_table.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/wipe.h"

enum { PAGE = 1 << 16, FIRST_SLOTS = 64, SMALL = 4096, NULL_TAG = 0 };

typedef struct tuple_entry {
    uint64_t hash;
    const unsigned char *bytes;
    size_t size;
} tuple_entry;

/* Of the tuples of one integer each: the number beside its code, so that no other memory is touched. */
typedef struct number_slot {
    int64_t number;
    uint32_t code, used;
} number_slot;

typedef struct page {
    unsigned char *data;
    size_t size, used;
} page;

struct group_table {
    dusk_cell_type *types;
    size_t columns;
    unsigned char key[crypto_shorthash_KEYBYTES];
    uint64_t factor; /* odd, for numbers */
    tuple_entry *entry;
    size_t count, room;
    uint32_t *slot; /* code + 1, or 0; a power of two of them, at most half full */
    size_t slots;
    uint32_t *small;     /* the same for a single integer column: code + 1 of 0 to SMALL - 1, */
    number_slot *number; /* and other numbers */
    size_t numbers, numbers_used;
    page *pages;
    size_t pages_count, pages_room;
    unsigned char *scratch; /* the bytes of the tuple at hand */
    size_t scratch_room;
    uint64_t hash_mask; /* all ones; tests make hashes collide */
    bool by_hash_alone;
};

static bool is_number_table(const group_table *table)
{
    return table->columns == 1 && table->types[0] == DUSK_CELL_INTEGER;
}

dusk_status group_table_new(group_table **out, const dusk_cell_type *types, size_t columns,
                            const uint64_t key[2], dusk_error *err)
{
    dusk_status status = DUSK_OK;
    group_table *table = NULL;

    *out = NULL;
    DUSK_NEW(table, 1);
    DUSK_NEW(table->types, columns);
    for (size_t c = 0; c < columns; c++) table->types[c] = types[c];
    table->columns = columns;
    memcpy(table->key, key, sizeof table->key);
    table->factor = (key[0] ^ key[1]) | 1;
    table->by_hash_alone = DUSK_MUTATE(GROUP_TABLE_BY_HASH, false, true);
    table->hash_mask = UINT64_MAX;
    table->slots = FIRST_SLOTS;
    DUSK_NEW(table->slot, table->slots);
    if (is_number_table(table)) {
        table->numbers = FIRST_SLOTS;
        DUSK_NEW(table->number, table->numbers);
        DUSK_NEW(table->small, SMALL);
    }
    *out = table;
    table = NULL;
done:
    group_table_free(table);
    return status;
}

void group_table_free(group_table *table)
{
    if (!table) return;
    for (size_t p = 0; p < table->pages_count; p++) wipe_and_free(table->pages[p].data, table->pages[p].used);
    dusk_deallocate(table->pages);
    wipe_and_free(table->entry, table->count * sizeof *table->entry);
    wipe_and_free(table->slot, table->slots * sizeof *table->slot);
    wipe_and_free(table->number, table->numbers * sizeof *table->number);
    wipe_and_free(table->small, SMALL * sizeof *table->small);
    wipe_and_free(table->scratch, table->scratch_room);
    dusk_deallocate(table->types);
    wipe_and_free(table, sizeof *table);
}

#ifdef DUSK_TESTING
void group_table_collide(group_table *table) { table->hash_mask = 3; }
#endif

/* --- bytes of a tuple ---------------------------------------------------------------- */

static dusk_status reserve(group_table *table, size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (size > table->scratch_room) {
        unsigned char *larger;
        DUSK_NEW(larger, 2 * size);
        wipe_and_free(table->scratch, table->scratch_room);
        table->scratch = larger;
        table->scratch_room = 2 * size;
    }
done:
    return status;
}

static size_t put_null(unsigned char *to)
{
    *to = NULL_TAG;
    return 1;
}

static size_t put_number(unsigned char *to, dusk_cell_type tag, const void *eight)
{
    *to = (unsigned char)tag;
    memcpy(to + 1, eight, 8);
    return 9;
}

static size_t put_real(unsigned char *to, double x)
{
    double plain = x + 0.0; /* -0.0 becomes 0.0 */
    return isnan(x) ? put_null(to) : put_number(to, DUSK_CELL_REAL, &plain);
}

static size_t put_text(unsigned char *to, const char *text, size_t length)
{
    uint32_t n = (uint32_t)length;
    *to = DUSK_CELL_TEXT;
    memcpy(to + 1, &n, 4);
    if (n) memcpy(to + 5, text, n);
    return 5 + (size_t)n;
}

/* The bytes of row i at table->scratch. */
static dusk_status write_row(group_table *table, size_t *size, const dusk_cells *cells, size_t i,
                             dusk_error *err)
{
    size_t most = 0, at = 0;
    for (size_t c = 0; c < table->columns; c++)
        most += 9 + (cells[c].type == DUSK_CELL_TEXT ? cells[c].lengths[i] : 0);
    dusk_status status = reserve(table, most, err);
    if (status != DUSK_OK) return status;
    for (size_t c = 0; c < table->columns; c++) {
        const dusk_cells *cell = &cells[c];
        unsigned char *to = table->scratch + at;
        if (cell->null && cell->null[i])
            at += put_null(to);
        else if (cell->type == DUSK_CELL_INTEGER)
            at += put_number(to, DUSK_CELL_INTEGER, &cell->integers[i]);
        else if (cell->type == DUSK_CELL_REAL)
            at += put_real(to, cell->reals[i]);
        else
            at += put_text(to, cell->texts[i], cell->lengths[i]);
    }
    *size = at;
    return DUSK_OK;
}

static dusk_status write_tuple(group_table *table, size_t *size, const query_value *tuple, dusk_error *err)
{
    size_t most = 0, at = 0;
    for (size_t c = 0; c < table->columns; c++)
        most += 9 + (table->types[c] == DUSK_CELL_TEXT && !tuple[c].null ? tuple[c].length : 0);
    dusk_status status = reserve(table, most, err);
    if (status != DUSK_OK) return status;
    for (size_t c = 0; c < table->columns; c++) {
        unsigned char *to = table->scratch + at;
        if (tuple[c].null)
            at += put_null(to);
        else if (table->types[c] == DUSK_CELL_INTEGER)
            at += put_number(to, DUSK_CELL_INTEGER, &tuple[c].integer);
        else if (table->types[c] == DUSK_CELL_REAL)
            at += put_real(to, tuple[c].real);
        else
            at += put_text(to, tuple[c].text, tuple[c].length);
    }
    *size = at;
    return DUSK_OK;
}

void group_table_tuple(const group_table *table, query_value *tuple, uint32_t code)
{
    const unsigned char *from = table->entry[code].bytes;
    for (size_t c = 0; c < table->columns; c++) {
        query_value *v = &tuple[c];
        unsigned tag = *from++;
        *v = (query_value){ .null = tag == NULL_TAG };
        if (tag == DUSK_CELL_INTEGER) {
            memcpy(&v->integer, from, 8);
            v->real = (double)v->integer;
            from += 8;
        } else if (tag == DUSK_CELL_REAL) {
            memcpy(&v->real, from, 8);
            from += 8;
        } else if (tag == DUSK_CELL_TEXT) {
            uint32_t n;
            memcpy(&n, from, 4);
            v->text = (const char *)from + 4;
            v->length = n;
            from += 4 + (size_t)n;
        }
    }
}

/* --- looking up ---------------------------------------------------------------------- */

static uint64_t hash_of(const group_table *table, const unsigned char *bytes, size_t size)
{
    unsigned char out[crypto_shorthash_BYTES];
    uint64_t hash;
    crypto_shorthash(out, bytes, size, table->key);
    memcpy(&hash, out, sizeof hash);
    return hash & table->hash_mask;
}

static bool is_same(const group_table *table, const tuple_entry *e, uint64_t hash, const unsigned char *bytes,
                    size_t size)
{
    if (e->hash != hash) return false;
    return table->by_hash_alone || (e->size == size && memcmp(e->bytes, bytes, size) == 0);
}

/* Where the tuple is, or where it would go. */
static size_t find_slot(const group_table *table, uint64_t hash, const unsigned char *bytes, size_t size)
{
    size_t mask = table->slots - 1, s = (size_t)hash & mask;
    while (table->slot[s] && !is_same(table, &table->entry[table->slot[s] - 1], hash, bytes, size))
        s = (s + 1) & mask;
    return s;
}

static dusk_status widen_slots(group_table *table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t *larger;
    size_t slots = 2 * table->slots;
    DUSK_NEW(larger, slots);
    for (size_t code = 0; code < table->count; code++) {
        size_t s = (size_t)table->entry[code].hash & (slots - 1);
        while (larger[s]) s = (s + 1) & (slots - 1);
        larger[s] = (uint32_t)code + 1;
    }
    wipe_and_free(table->slot, table->slots * sizeof *table->slot);
    table->slot = larger;
    table->slots = slots;
done:
    return status;
}

static dusk_status keep_bytes(group_table *table, const unsigned char **kept, const unsigned char *bytes,
                              size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    page *last = table->pages_count ? &table->pages[table->pages_count - 1] : NULL;
    if (!last || last->size - last->used < size) {
        DUSK_GROW(table->pages, table->pages_room, table->pages_count);
        last = &table->pages[table->pages_count];
        last->size =
            size > PAGE / 4 ? size : PAGE; /* pages grow with nothing else: small tables stay small */
        DUSK_NEW(last->data, last->size);
        last->used = 0;
        table->pages_count++;
    }
    memcpy(last->data + last->used, bytes, size);
    *kept = last->data + last->used;
    last->used += size;
done:
    return status;
}

/* The tuple whose bytes are in table->scratch. */
static dusk_status look_up(group_table *table, uint32_t *code, bool *is_new, size_t size, bool grow,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t hash = hash_of(table, table->scratch, size);
    size_t s = find_slot(table, hash, table->scratch, size);

    *is_new = false;
    *code = GROUP_NONE;
    if (table->slot[s]) {
        *code = table->slot[s] - 1;
        return DUSK_OK;
    }
    if (!grow) return DUSK_OK;
    if (table->count >= GROUP_NONE - 1) return dusk_fail_memory(err);
    if (2 * (table->count + 1) > table->slots) {
        DUSK_TRY(widen_slots(table, err));
        s = find_slot(table, hash, table->scratch, size);
    }
    DUSK_GROW(table->entry, table->room, table->count);
    DUSK_TRY(keep_bytes(table, &table->entry[table->count].bytes, table->scratch, size, err));
    table->entry[table->count].hash = hash;
    table->entry[table->count].size = size;
    *code = (uint32_t)table->count++;
    table->slot[s] = *code + 1;
    *is_new = true;
done:
    return status;
}

/* --- numbers ------------------------------------------------------------------------- */

static inline number_slot *find_number(const group_table *table, int64_t number)
{
    uint64_t h = (uint64_t)number * table->factor;
    size_t mask = table->numbers - 1, s = (size_t)(h ^ h >> 32) & mask;
    while (table->number[s].used && table->number[s].number != number) s = (s + 1) & mask;
    return &table->number[s];
}

static inline uint32_t number_code(const group_table *table, int64_t number)
{
    if ((uint64_t)number < SMALL) return table->small[number] - 1; /* GROUP_NONE from 0 */
    const number_slot *found = find_number(table, number);
    return found->used ? found->code : GROUP_NONE;
}

static dusk_status keep_number(group_table *table, int64_t number, uint32_t code, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if ((uint64_t)number < SMALL) {
        table->small[number] = code + 1;
        return DUSK_OK;
    }
    if (2 * (table->numbers_used + 1) > table->numbers) {
        number_slot *old = table->number, *larger;
        size_t n = table->numbers;
        DUSK_NEW(larger, 2 * n);
        table->number = larger;
        table->numbers = 2 * n;
        for (size_t i = 0; i < n; i++)
            if (old[i].used) *find_number(table, old[i].number) = old[i];
        wipe_and_free(old, n * sizeof *old);
    }
    *find_number(table, number) = (number_slot){ number, code, 1 };
    table->numbers_used++;
done:
    return status;
}

static dusk_status number_codes(group_table *table, uint32_t *code, const dusk_cells *cells, size_t rows,
                                bool grow, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool is_new;
    size_t size;
    for (size_t i = 0; i < rows; i++) {
        bool null = cells->null && cells->null[i];
        if (!null) {
            code[i] = number_code(table, cells->integers[i]);
            if (code[i] != GROUP_NONE || !grow) continue;
        }
        DUSK_TRY(write_row(table, &size, cells, i, err));
        DUSK_TRY(look_up(table, &code[i], &is_new, size, grow, err));
        if (!null) DUSK_TRY(keep_number(table, cells->integers[i], code[i], err));
    }
done:
    return status;
}

/* --- the table ----------------------------------------------------------------------- */

dusk_status group_table_codes(group_table *table, uint32_t *code, const dusk_cells *cells, size_t rows,
                              bool grow, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool is_new;
    size_t size;
    if (is_number_table(table)) return number_codes(table, code, cells, rows, grow, err);
    for (size_t i = 0; i < rows; i++) {
        DUSK_TRY(write_row(table, &size, cells, i, err));
        DUSK_TRY(look_up(table, &code[i], &is_new, size, grow, err));
    }
done:
    return status;
}

dusk_status group_table_add(group_table *table, uint32_t *code, bool *is_new, const query_value *tuple,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size;
    for (size_t c = 0; c < table->columns; c++)
        if (!tuple[c].null && table->types[c] == DUSK_CELL_TEXT && tuple[c].length > UINT32_MAX)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "shorten it", "a text key has at most 2^32 - 1 bytes");
    DUSK_TRY(write_tuple(table, &size, tuple, err));
    DUSK_TRY(look_up(table, code, is_new, size, true, err));
    if (*is_new && is_number_table(table) && !tuple->null)
        DUSK_TRY(keep_number(table, tuple->integer, *code, err));
done:
    return status;
}

dusk_status group_table_merge(group_table *table, const group_table *other, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_value *tuple = NULL;
    uint32_t code;
    bool is_new;
    DUSK_NEW(tuple, table->columns);
    for (size_t i = 0; i < other->count; i++) {
        group_table_tuple(other, tuple, (uint32_t)i);
        DUSK_TRY(group_table_add(table, &code, &is_new, tuple, err));
    }
done:
    wipe_and_free(tuple, tuple ? table->columns * sizeof *tuple : 0);
    return status;
}

uint32_t group_table_count(const group_table *table) { return (uint32_t)table->count; }

/* --- order by content ------------------------------------------------------------------ */

/* The hash beside the code, so that sorting seldom looks further. */
typedef struct ticket {
    uint64_t hash;
    uint32_t code;
} ticket;

/* By hash, and those with the same hash by their bytes. */
static inline bool comes_first(const group_table *table, const ticket *a, const ticket *b)
{
    if (a->hash != b->hash) return a->hash < b->hash;
    const tuple_entry *x = &table->entry[a->code], *y = &table->entry[b->code];
    if (x->size != y->size) return x->size < y->size;
    return memcmp(x->bytes, y->bytes, x->size) < 0;
}

static void merge_tickets(const group_table *table, ticket *to, const ticket *a, size_t m, const ticket *b,
                          size_t n)
{
    size_t i = 0, j = 0;
    while (i < m || j < n)
        if (j == n || (i < m && !comes_first(table, &b[j], &a[i])))
            to[i + j] = a[i], i++;
        else
            to[i + j] = b[j], j++;
}

dusk_status group_table_order(const group_table *table, uint32_t *place, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ticket *from = NULL, *to = NULL;
    size_t n = table->count;

    DUSK_NEW(from, n);
    DUSK_NEW(to, n);
    for (size_t i = 0; i < n; i++) from[i] = (ticket){ table->entry[i].hash, (uint32_t)i };
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t m = n - at < width ? n - at : width, rest = n - at - m;
            merge_tickets(table, to + at, from + at, m, from + at + m, rest < width ? rest : width);
        }
        ticket *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++) place[from[i].code] = (uint32_t)i;
done:
    wipe_and_free(from, from ? n * sizeof *from : 0);
    wipe_and_free(to, to ? n * sizeof *to : 0);
    return status;
}
