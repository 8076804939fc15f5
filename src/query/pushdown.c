/* SPDX-License-Identifier: Apache-2.0 */
/* Running the statement of pushdown_sql.c, and reading what comes: a line for each group that has rows.
 * Proof: pushdown.proof.md. */
#include "query/pushdown.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/bounding_inner.h"
#include "query/group_table.h"
#include "query/wipe.h"

/* So many columns are sorted by, far below the most that a SELECT of PostgreSQL has. */
enum { COLUMNS_MAX = 500 };

#ifdef DUSK_TESTING
static bool is_off;
void query_pushdown_switch_off(bool off) { is_off = off; }
#define IS_OFF is_off
#else
#define IS_OFF false
#endif

/* --- what fits ------------------------------------------------------------------------------------- */

/* PostgreSQL raises an error where a finite number becomes infinite: nothing that a value within
 * its bounds can come to does. */
DUSK_PROVEN(stays_finite)
static bool stays_finite(const bounding_total *total)
{
    double most = fmax(fabs(total->lower - total->centre), fabs(total->upper - total->centre));
    if (total->kind == BOUNDING_SUM) return isfinite(most);
    return isfinite(most * most) && isfinite(most * most - total->half_square);
}

static bool groups_fit(const bounding_options *o)
{
    size_t bytes = 0;
    if (!o->groups || o->keys == 0) return true;
    if (o->groups_count > PUSHDOWN_GROUPS_MAX) return false;
    for (size_t i = 0; i < o->groups_count * o->keys; i++) {
        const query_value *value = &o->groups[i];
        if (value->null || o->key_types[i % o->keys] != DUSK_CELL_TEXT) continue;
        if (value->length && memchr(value->text, '\0', value->length)) return false;
        bytes += value->length;
    }
    return bytes <= PUSHDOWN_TEXT_MAX;
}

bool query_pushdown_fits(const bounding_options *options, dusk_dialect dialect)
{
    if (IS_OFF || dialect != DUSK_DIALECT_POSTGRES) return false;
    if (options->keys + options->values + options->totals > COLUMNS_MAX) return false;
    for (size_t t = 0; t < options->totals; t++) {
        const bounding_total *total = &options->total[t];
        if (total->kind > BOUNDING_SQUARES) return false;
        if (total->kind >= BOUNDING_SUM && !stays_finite(total)) return false;
    }
    return groups_fit(options);
}

/* --- reading ------------------------------------------------------------------------------------------- */

typedef struct reading {
    const bounding_options *options;
    size_t own;          /* columns before the units: keys, or the number of a public group */
    group_table *keys;   /* of the groups, in their order; NULL: there are no keys */
    size_t groups, room; /* private ones that have come */
    uint64_t *units;     /* of a group */
    dusk_int128 *sum;    /* totals of a group, one group after the other */
    uint32_t *code;      /* of the rows of a chunk */
    size_t codes;
} reading;

static void clear_reading(reading *r)
{
    group_table_free(r->keys);
    wipe_and_free(r->units, r->room * sizeof *r->units);
    wipe_and_free(r->sum, r->room * r->options->totals * sizeof *r->sum);
    wipe_and_free(r->code, r->codes * sizeof *r->code);
}

static dusk_status unreadable(dusk_error *err)
{
    return dusk_engine_failed(err, "postgres", "reading totals");
}

/* A whole number of at most 38 digits. */
static bool read_total(dusk_int128 *out, const char *text, size_t length)
{
    dusk_int128 x = 0;
    size_t at = length && text[0] == '-';
    if (length <= at || length - at > 38) return false;
    for (size_t i = at; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        x = 10 * x + (text[i] - '0');
    }
    *out = at ? -x : x;
    return true;
}

static dusk_status make_room(reading *r, size_t groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = 2 * r->room + groups, totals = r->options->totals;
    uint64_t *units = NULL;
    dusk_int128 *sum = NULL;
    if (groups <= r->room) return DUSK_OK;
    DUSK_NEW(units, room);
    DUSK_NEW(sum, room * totals);
    if (r->room) {
        memcpy(units, r->units, r->room * sizeof *units);
        memcpy(sum, r->sum, r->room * totals * sizeof *sum);
    }
    wipe_and_free(r->units, r->room * sizeof *units);
    wipe_and_free(r->sum, r->room * totals * sizeof *sum);
    r->units = units;
    r->sum = sum;
    r->room = room;
    units = NULL;
done:
    dusk_deallocate(units);
    return status;
}

/* Which group each row of the chunk is; no group comes twice. */
static dusk_status name_groups(reading *r, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = r->options;
    bool is_private = o->keys && !o->groups;
    if (chunk->rows > r->codes) {
        wipe_and_free(r->code, r->codes * sizeof *r->code);
        r->codes = 0;
        DUSK_NEW(r->code, chunk->rows);
        r->codes = chunk->rows;
    }
    if (is_private) DUSK_TRY(group_table_codes(r->keys, r->code, chunk->column, chunk->rows, true, err));
    for (size_t i = 0; i < chunk->rows; i++) {
        size_t group = r->groups + i;
        if (o->keys && o->groups) {
            int64_t number = chunk->column[0].integers[i];
            if (number < 1 || (uint64_t)number > o->groups_count) return unreadable(err);
            r->code[i] = (uint32_t)(number - 1);
        } else if (!is_private) {
            r->code[i] = 0;
            if (group != 0) return unreadable(err);
        } else if (r->code[i] != group) {
            return unreadable(err);
        }
    }
done:
    return status;
}

static dusk_status take_chunk(reading *r, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(name_groups(r, chunk, err));
    if (r->options->keys && !r->options->groups) DUSK_TRY(make_room(r, r->groups + chunk->rows, err));
    for (size_t i = 0; i < chunk->rows; i++) {
        size_t group = r->code[i];
        r->units[group] = (uint64_t)chunk->column[r->own].integers[i];
        for (size_t t = 0; t < r->options->totals; t++) {
            const dusk_cells *cells = &chunk->column[r->own + 1 + t];
            if ((cells->null && cells->null[i]) ||
                !read_total(&r->sum[group * r->options->totals + t], cells->texts[i], cells->lengths[i]))
                return unreadable(err);
        }
    }
    r->groups += chunk->rows;
done:
    return status;
}

static dusk_status read_groups(reading *r, dusk_engine *engine, const char *sql, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = r->options;
    dusk_cell_type *types = NULL;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    DUSK_NEW(types, r->own + 1 + o->totals);
    for (size_t i = 0; i < r->own; i++) types[i] = o->groups ? DUSK_CELL_INTEGER : o->key_types[i];
    types[r->own] = DUSK_CELL_INTEGER;
    for (size_t t = 0; t < o->totals; t++) types[r->own + 1 + t] = DUSK_CELL_TEXT;
    DUSK_TRY(engine->class->query(engine, &cursor, sql, types, r->own + 1 + o->totals, err));
    for (;;) {
        DUSK_TRY(engine->class->next(cursor, &chunk, err));
        if (chunk.rows == 0) break;
        DUSK_TRY(take_chunk(r, &chunk, err));
    }
done:
    if (cursor) engine->class->end(cursor);
    dusk_deallocate(types);
    return status;
}

/* --- the whole ----------------------------------------------------------------------------------------- */

/* Public groups are all there from the start, each once. */
static dusk_status begin_reading(reading *r, const bounding_options *o, const uint64_t key[2],
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *r = (reading){ .options = o, .own = o->keys && o->groups ? 1 : o->keys };
    if (o->keys) DUSK_TRY(group_table_new(&r->keys, o->key_types, o->keys, key, err));
    for (size_t g = 0; o->keys && o->groups && g < o->groups_count; g++) {
        uint32_t code;
        bool is_new;
        DUSK_TRY(group_table_add(r->keys, &code, &is_new, o->groups + g * o->keys, err));
        if (!is_new)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "list each of them once",
                               "two public groups have the same keys"));
    }
    if (!o->keys || o->groups) DUSK_TRY(make_room(r, o->keys ? o->groups_count : 1, err));
done:
    return status;
}

static dusk_status write_groups(bounded **out, const reading *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = r->options;
    size_t groups = !o->keys ? 1 : o->groups ? o->groups_count : r->groups;
    bounded *made = NULL;
    DUSK_TRY(bounded_new(&made, groups, o->keys, o->totals, err));
    for (size_t g = 0; g < groups; g++) {
        if (o->keys) group_table_tuple(r->keys, made->key + g * o->keys, (uint32_t)g);
        made->units[g] = r->units[g];
        for (size_t t = 0; t < o->totals; t++) made->sum[t * groups + g] = r->sum[g * o->totals + t];
    }
    DUSK_TRY(bounded_own_texts(made, err));
    *out = made;
    made = NULL;
done:
    bounded_free(made);
    return status;
}

DUSK_PROVEN(query_pushdown)
dusk_status query_pushdown(bounded **out, const bounding_options *options, dusk_engine *engine,
                           const char *sql, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    reading r = { .options = options };
    struct {
        unsigned char secret[PUSHDOWN_SECRET];
        uint64_t table[2];
    } key;
    char *statement = NULL;

    *out = NULL;
    DUSK_TRY(bounding_check(options, err));
    if (!query_pushdown_fits(options, engine->class->dialect))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "stream the rows instead",
                           "these totals cannot be made on the server"));
    DUSK_TRY(dusk_generator_bytes(gen, &key, sizeof key, err));
    DUSK_TRY(begin_reading(&r, options, key.table, err));
    DUSK_TRY(query_pushdown_sql(&statement, options, sql, key.secret, err));
    DUSK_TRY(read_groups(&r, engine, statement, err));
    DUSK_TRY(write_groups(out, &r, err));
done:
    dusk_wipe(&key, sizeof key);
    wipe_and_free(statement, statement ? strlen(statement) : 0);
    clear_reading(&r);
    return status;
}
