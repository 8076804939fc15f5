/* SPDX-License-Identifier: Apache-2.0 */
/* Rows come in: their units and groups are named exactly, rows in no public group are left out, and the
 * others are written as records to the partition of their unit. See bounding.h, and bounding_inner.h for
 * the records. What is private here is never looked at beyond that: whether options are refused does not
 * depend on rows. Proof: bounding.proof.md. */
#include "query/bounding.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/bounding_inner.h"

enum { MEMORY_DEFAULT = 1 << 30, BITS_MOST = 10, BITS_LEAST = 3, BLOCK_MOST = 15, BLOCK_LEAST = 9 };

/* --- options ------------------------------------------------------------------------------------ */

static dusk_status refuse(dusk_error *err, const char *hint, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s", what);
}

static bool is_type(dusk_cell_type type)
{
    return type == DUSK_CELL_INTEGER || type == DUSK_CELL_REAL || type == DUSK_CELL_TEXT;
}

static bool is_clamped(const bounding_total *total)
{
    return total->kind == BOUNDING_SUM || total->kind == BOUNDING_SQUARES || total->kind == BOUNDING_COLLECT;
}

/* |x| / 2^grid <= 2^62, so that fewer than 2^63 of them are below 2^125. */
DUSK_PROVEN(fits_grid)
static bool fits_grid(double x, int grid)
{
    return isfinite(x) && grid >= -1074 && grid <= 970 && ldexp(fabs(x), -grid) <= 0x1p62;
}

static dusk_status check_term(const bounding_total *total, dusk_error *err)
{
    if (!(isfinite(total->lower) && isfinite(total->upper) && total->lower <= total->upper))
        return refuse(err, "declare bounds of the column", "lower and upper must be finite and in order");
    if (total->kind == BOUNDING_COLLECT) return DUSK_OK;
    if (!isfinite(total->centre) || (total->kind == BOUNDING_SQUARES && !isfinite(total->half_square)))
        return refuse(err, "", "the centre and half the square of a total must be finite");
    if (!(total->reach >= 0 && fits_grid(total->reach, total->grid)))
        return refuse(err, "choose a coarser grid",
                      "the reach of a total must be 0 to 2^62 steps of its grid");
    if (isnan(total->unit_low) && isnan(total->unit_high)) return DUSK_OK;
    if (!(isfinite(total->unit_low) && isfinite(total->unit_high) && total->unit_low <= total->unit_high))
        return refuse(err, "give both, or NaN for neither",
                      "bounds of a unit's total must be finite and in order");
    if (total->kind != BOUNDING_SUM)
        return refuse(err, "give NaN", "bounds of a unit's total are for sums only");
    if (!(fits_grid(total->unit_low, total->grid) && fits_grid(total->unit_high, total->grid)))
        return refuse(err, "choose a coarser grid", "bounds of a unit's total must be at most 2^62 steps");
    return DUSK_OK;
}

static dusk_status check_total(const bounding_options *options, const bounding_total *total, dusk_error *err)
{
    if (total->kind < BOUNDING_UNITS || total->kind > BOUNDING_COLLECT)
        return refuse(err, "", "a total has no such kind");
    if (total->kind == BOUNDING_UNITS || total->kind == BOUNDING_ROWS) return DUSK_OK;
    if (total->value >= options->values)
        return refuse(err, "", "a total is of a value column that is not there");
    if (!is_clamped(total)) return DUSK_OK;
    if (options->value_types[total->value] == DUSK_CELL_TEXT)
        return refuse(err, "count it instead", "a text cannot be added up");
    return check_term(total, err);
}

dusk_status bounding_check(const bounding_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (options->unit_type != DUSK_CELL_INTEGER && options->unit_type != DUSK_CELL_TEXT)
        return refuse(err, "cast it to text", "a unit is an integer or a text");
    for (size_t i = 0; i < options->keys + options->values; i++)
        if (!is_type(i < options->keys ? options->key_types[i] : options->value_types[i - options->keys]))
            return refuse(err, "", "a column of the bounding has no such type");
    if (options->groups_per_unit < 1 || options->rows_per_group < 1)
        return refuse(err, "give 1 or more", "groups_per_unit and rows_per_group must be at least 1");
    if (options->groups && options->keys && options->groups_count >= GROUP_NONE - 1)
        return refuse(err, "group by fewer keys", "there are too many public groups");
    for (size_t t = 0; t < options->totals; t++) DUSK_TRY(check_total(options, &options->total[t], err));
done:
    return status;
}

/* --- making ------------------------------------------------------------------------------------------ */

/* Toward zero: a bound of a unit's total on the grid. */
static dusk_int128 bound_on(double bound, int grid)
{
    dusk_fixed_clamp own = { bound, bound, grid };
    return dusk_fixed_round(bound, &own);
}

static dusk_status make_terms(bounding *b, const bounding_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    b->terms = options->totals;
    DUSK_NEW(b->term, b->terms);
    for (size_t t = 0; t < b->terms; t++) {
        bounding_term *term = &b->term[t];
        term->total = options->total[t];
        b->needs_rows |= term->total.kind != BOUNDING_UNITS && term->total.kind != BOUNDING_DISTINCT;
        if (term->total.kind != BOUNDING_SUM && term->total.kind != BOUNDING_SQUARES) continue;
        if (DUSK_MUTATE(BOUNDING_VALUES_UNCLAMPED, false, true)) {
            term->total.lower = -DBL_MAX;
            term->total.upper = DBL_MAX;
            term->total.reach = ldexp(1, term->total.grid + 62);
        }
        dusk_fixed_clamp clamp = { -term->total.reach, term->total.reach, term->total.grid };
        term->map = dusk_fixed_prepare(&clamp);
        term->is_clamped = !isnan(term->total.unit_low) && DUSK_MUTATE(BOUNDING_UNIT_UNCLAMPED, true, false);
        if (!term->is_clamped) continue;
        term->low = bound_on(term->total.unit_low, term->total.grid);
        term->high = bound_on(term->total.unit_high, term->total.grid);
    }
done:
    return status;
}

static dusk_status make_layout(bounding *b, const bounding_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding_layout *layout = &b->layout;
    layout->text_unit = layout->texts = options->unit_type == DUSK_CELL_TEXT;
    layout->values = options->values;
    DUSK_NEW(layout->types, options->values);
    for (size_t v = 0; v < options->values; v++) {
        layout->types[v] = options->value_types[v];
        layout->texts |= layout->types[v] == DUSK_CELL_TEXT;
    }
    layout->length_at = bounding_fill(12 + 4 * (options->values ? (options->values + 31) / 32 : 1));
    layout->value_at = layout->length_at + (layout->text_unit ? 8 : 0);
    layout->stride = layout->value_at + 8 * options->values;
done:
    return status;
}

/* Everything secret comes from the 32 bytes of the coins: how much is taken from the generator does not
 * depend on rows. */
static dusk_status make_keys(bounding *b, const char *folder, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t word[10];
    DUSK_TRY(dusk_keyed_new(&b->coins, gen, err));
    DUSK_TRY(dusk_keyed_words(b->coins, BOUNDING_STREAM_KEYS, NULL, word, 10, err));
    b->mix[0] = word[0] | 1;
    b->mix[1] = word[1] | 1;
    memcpy(b->text_key, word + 2, sizeof b->text_key);
    memcpy(b->table_key, word + 4, sizeof b->table_key);
    DUSK_TRY(spill_new(&b->file, folder, word + 6, err));
done:
    dusk_wipe(word, sizeof word);
    return status;
}

static dusk_status make_groups(bounding *b, const bounding_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    b->keys = options->keys;
    b->public_groups = options->groups != NULL || options->keys == 0;
    if (b->keys == 0) return DUSK_OK;
    DUSK_NEW(b->key_types, b->keys);
    for (size_t k = 0; k < b->keys; k++) b->key_types[k] = options->key_types[k];
    DUSK_TRY(group_table_new(&b->groups, options->key_types, options->keys, b->table_key, err));
    for (size_t g = 0; b->public_groups && g < options->groups_count; g++) {
        uint32_t code;
        bool is_new;
        DUSK_TRY(group_table_add(b->groups, &code, &is_new, options->groups + g * options->keys, err));
        if (!is_new) DUSK_TRY(refuse(err, "list each of them once", "two public groups have the same keys"));
    }
done:
    return status;
}

/* As many partitions as make sense, but their open blocks take at most a quarter of the memory. */
static dusk_status make_store(bounding *b, dusk_error *err)
{
    unsigned bits = BITS_MOST, block = BLOCK_MOST;
    while (block > BLOCK_LEAST && (size_t)1 << (bits + block) > b->memory / 4) block--;
    while (bits > BITS_LEAST && (size_t)1 << (bits + block) > b->memory / 4) bits--;
    return bounding_store_init(&b->store, bits, 64 - bits, block, b->memory / 2, b->file, err);
}

dusk_status bounding_new(bounding **out, const bounding_options *options, dusk_generator *gen,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounding *b = NULL;

    *out = NULL;
    DUSK_TRY(bounding_check(options, err));
    DUSK_NEW(b, 1);
    b->groups_per_unit = options->groups_per_unit + DUSK_MUTATE(BOUNDING_ONE_GROUP_MORE, 0, 1);
    b->rows_per_group = options->rows_per_group + DUSK_MUTATE(BOUNDING_ONE_ROW_MORE, 0, 1);
    b->rows_per_unit = DUSK_MUTATE(BOUNDING_UNIT_ROWS_IGNORED, options->rows_per_unit, 0);
    b->memory = options->memory ? options->memory : MEMORY_DEFAULT;
    b->threads = options->threads;
    b->name_mask = UINT64_MAX;
    b->layout.by_name_alone = DUSK_MUTATE(BOUNDING_TEXT_BY_HASH, false, true);
    b->unfiltered = DUSK_MUTATE(BOUNDING_UNFILTERED, false, true);
    b->first_come = DUSK_MUTATE(BOUNDING_FIRST_COME, false, true);
    DUSK_TRY(make_terms(b, options, err));
    DUSK_TRY(make_layout(b, options, err));
    DUSK_TRY(make_keys(b, options->folder, gen, err));
    DUSK_TRY(make_groups(b, options, err));
    DUSK_TRY(make_store(b, err));
    *out = b;
    b = NULL;
done:
    bounding_free(b);
    return status;
}

void bounding_free(bounding *b)
{
    if (!b) return;
    bounding_store_clear(&b->store);
    spill_free(b->file);
    group_table_free(b->groups);
    dusk_keyed_free(b->coins);
    wipe_and_free(b->code, b->code_room * sizeof *b->code);
    dusk_deallocate(b->term);
    dusk_deallocate(b->layout.types);
    dusk_deallocate(b->key_types);
    wipe_and_free(b, sizeof *b);
}

/* --- rows -------------------------------------------------------------------------------------------- */

static dusk_status check_chunk(const bounding *b, const dusk_chunk *chunk, dusk_error *err)
{
    bool fits = chunk->columns == 1 + b->keys + b->layout.values;
    if (fits) fits = chunk->column[0].type == (b->layout.text_unit ? DUSK_CELL_TEXT : DUSK_CELL_INTEGER);
    for (size_t k = 0; fits && k < b->keys; k++) fits = chunk->column[1 + k].type == b->key_types[k];
    for (size_t v = 0; fits && v < b->layout.values; v++)
        fits = chunk->column[1 + b->keys + v].type == b->layout.types[v];
    if (fits) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a chunk does not have the columns of the bounding");
}

static dusk_status find_groups(bounding *b, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (chunk->rows > b->code_room) {
        wipe_and_free(b->code, b->code_room * sizeof *b->code);
        b->code_room = 0;
        DUSK_NEW(b->code, chunk->rows);
        b->code_room = chunk->rows;
    }
    if (b->keys == 0)
        memset(b->code, 0, chunk->rows * sizeof *b->code);
    else
        DUSK_TRY(
            group_table_codes(b->groups, b->code, chunk->column + 1, chunk->rows, !b->public_groups, err));
done:
    return status;
}

static bool is_absent(const dusk_cells *cells, size_t i) { return cells->null && cells->null[i]; }

/* A value as the record has it: a number, or the length of a text. */
static inline uint64_t value_word(const dusk_cells *cells, size_t i, bool *null)
{
    uint64_t word = 0;
    *null = is_absent(cells, i);
    if (*null) return 0;
    if (cells->type == DUSK_CELL_TEXT) return cells->lengths[i];
    if (cells->type == DUSK_CELL_INTEGER) return (uint64_t)cells->integers[i];
    double x = cells->reals[i] + 0.0; /* -0.0 becomes 0.0 */
    *null = isnan(x);
    if (!*null) memcpy(&word, &x, sizeof word);
    return word;
}

static size_t record_length(const bounding *b, const dusk_chunk *chunk, size_t i)
{
    size_t texts = b->layout.text_unit ? chunk->column[0].lengths[i] : 0;
    for (size_t v = 0; v < b->layout.values; v++) {
        const dusk_cells *cells = &chunk->column[1 + b->keys + v];
        if (cells->type == DUSK_CELL_TEXT && !is_absent(cells, i)) texts += cells->lengths[i];
    }
    return b->layout.stride + bounding_fill(texts);
}

static inline uint64_t name_of(const bounding *b, const dusk_cells *unit, size_t i)
{
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t name;
    if (!b->layout.text_unit) return bounding_mix(b, (uint64_t)unit->integers[i]);
    crypto_shorthash(hash, (const unsigned char *)unit->texts[i], unit->lengths[i], b->text_key);
    memcpy(&name, hash, sizeof name);
    return name & b->name_mask;
}

static void write_texts(const bounding *b, unsigned char *record, const dusk_chunk *chunk, size_t i,
                        size_t size)
{
    unsigned char *to = record + b->layout.stride;
    memset(record + size - 8, 0, 8);
    if (b->layout.text_unit) {
        uint64_t length = chunk->column[0].lengths[i];
        memcpy(record + b->layout.length_at, &length, sizeof length);
        if (length) memcpy(to, chunk->column[0].texts[i], length);
        to += length;
    }
    for (size_t v = 0; v < b->layout.values; v++) {
        const dusk_cells *cells = &chunk->column[1 + b->keys + v];
        if (cells->type != DUSK_CELL_TEXT || is_absent(cells, i) || !cells->lengths[i]) continue;
        memcpy(to, cells->texts[i], cells->lengths[i]);
        to += cells->lengths[i];
    }
}

/* A record of any layout. */
static inline void write_record(const bounding *b, unsigned char *record, const dusk_chunk *chunk, size_t i,
                                uint64_t name, size_t size)
{
    const bounding_layout *layout = &b->layout;
    if (layout->texts) write_texts(b, record, chunk, i, size);
    memcpy(record, &name, 8);
    memcpy(record + 8, &b->code[i], 4);
    memset(record + 12, 0, 4);
    for (size_t at = 16; at < layout->length_at; at += 8) memset(record + at, 0, 8);
    for (size_t v = 0; v < layout->values; v++) {
        bool null;
        uint64_t word = value_word(&chunk->column[1 + b->keys + v], i, &null);
        memcpy(record + layout->value_at + 8 * v, &word, 8);
        if (null) record[12 + v / 8] |= (unsigned char)(1u << v % 8);
    }
}

/* Rows of any layout. */
static dusk_status add_any(bounding *b, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_cells *unit = chunk->column;
    unsigned char *record;
    for (size_t i = 0; i < chunk->rows; i++) {
        if (is_absent(unit, i) || (b->code[i] == GROUP_NONE && !b->unfiltered)) continue;
        uint64_t name = name_of(b, unit, i);
        size_t size = b->layout.texts ? record_length(b, chunk, i) : b->layout.stride;
        DUSK_TRY(bounding_store_place(&b->store, &record, name, size, err));
        write_record(b, record, chunk, i, name, size);
    }
done:
    return status;
}

/* The common case, in the same form: an integer unit, and one value that is no text. What does not change
 * is kept in registers, which the compiler cannot do by itself: a record might overlap anything. */
static dusk_status add_numbers(bounding *b, const dusk_chunk *chunk, dusk_error *err)
{
    enum { STRIDE = 24 };
    dusk_status status = DUSK_OK;
    const dusk_cells unit = chunk->column[0], value = chunk->column[1 + b->keys];
    const bounding own = *b; /* for its constants */
    unsigned char *record;
    for (size_t i = 0; i < chunk->rows; i++) {
        uint32_t code = own.code[i];
        if (is_absent(&unit, i) || (code == GROUP_NONE && !own.unfiltered)) continue;
        uint64_t name = bounding_mix(&own, (uint64_t)unit.integers[i]);
        bool null;
        uint64_t word = value_word(&value, i, &null);
        const unsigned char null_bits[4] = { null };
        DUSK_TRY(bounding_store_place(&b->store, &record, name, STRIDE, err));
        memcpy(record, &name, 8);
        memcpy(record + 8, &code, 4);
        memcpy(record + 12, null_bits, 4);
        memcpy(record + 16, &word, 8);
    }
done:
    return status;
}

dusk_status bounding_add(bounding *b, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (b->failed || b->finished)
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "rows cannot be added any more");
    DUSK_TRY(check_chunk(b, chunk, err));
    b->failed = true; /* until all is in */
    DUSK_TRY(find_groups(b, chunk, err));
    if (!b->layout.texts && b->layout.values == 1)
        DUSK_TRY(add_numbers(b, chunk, err));
    else
        DUSK_TRY(add_any(b, chunk, err));
    b->failed = false;
done:
    return status;
}
