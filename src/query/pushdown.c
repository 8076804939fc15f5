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
static bool is_everywhere;
void query_pushdown_everywhere(bool on) { is_everywhere = on; }
#define IS_EVERYWHERE is_everywhere
#else
#define IS_EVERYWHERE false
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

bool query_pushdown_pays(const dusk_engine *engine) { return engine->remote || IS_EVERYWHERE; }

bool query_pushdown_fits(const bounding_options *options, dusk_dialect dialect)
{
    if (dialect != DUSK_DIALECT_POSTGRES) return false;
    if (options->keys + options->values + options->totals > COLUMNS_MAX) return false;
    for (size_t t = 0; t < options->totals; t++) {
        const bounding_total *total = &options->total[t];
        if (total->kind > BOUNDING_SQUARES) return false;
        if (total->kind >= BOUNDING_SUM && !stays_finite(total)) return false;
    }
    return groups_fit(options);
}

/* --- reading ------------------------------------------------------------------------------------------- */

struct query_pushdown {
    bounding_options options;
    char *statement;
    size_t own;          /* columns before the units: keys, or the number of a public group */
    group_table *keys;   /* of the groups, in their order; NULL: there are no keys */
    size_t groups, room; /* those that have come; how many there is room for */
    uint64_t *units;     /* of a group */
    dusk_int128 *sum;    /* totals of a group, one group after the other */
    uint32_t *code;      /* of the rows of a chunk */
    size_t codes;
};

void query_pushdown_free(query_pushdown *p)
{
    if (!p) return;
    group_table_free(p->keys);
    wipe_and_free(p->units, p->room * sizeof *p->units);
    wipe_and_free(p->sum, p->room * p->options.totals * sizeof *p->sum);
    wipe_and_free(p->code, p->codes * sizeof *p->code);
    wipe_and_free(p->statement, p->statement ? strlen(p->statement) : 0);
    dusk_deallocate(p);
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

static dusk_status make_room(query_pushdown *p, size_t groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = 2 * p->room + groups, totals = p->options.totals;
    uint64_t *units = NULL;
    dusk_int128 *sum = NULL;
    if (groups <= p->room) return DUSK_OK;
    DUSK_NEW(units, room);
    DUSK_NEW(sum, room * totals);
    if (p->room) {
        memcpy(units, p->units, p->room * sizeof *units);
        memcpy(sum, p->sum, p->room * totals * sizeof *sum);
    }
    wipe_and_free(p->units, p->room * sizeof *units);
    wipe_and_free(p->sum, p->room * totals * sizeof *sum);
    p->units = units;
    p->sum = sum;
    p->room = room;
    units = NULL;
done:
    dusk_deallocate(units);
    return status;
}

/* Which group each row of the chunk is; no group comes twice. */
static dusk_status name_groups(query_pushdown *p, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = &p->options;
    bool is_private = o->keys && !o->groups;
    if (chunk->rows > p->codes) {
        wipe_and_free(p->code, p->codes * sizeof *p->code);
        p->codes = 0;
        DUSK_NEW(p->code, chunk->rows);
        p->codes = chunk->rows;
    }
    if (is_private) DUSK_TRY(group_table_codes(p->keys, p->code, chunk->column, chunk->rows, true, err));
    for (size_t i = 0; i < chunk->rows; i++) {
        size_t group = p->groups + i;
        if (o->keys && o->groups) {
            int64_t number = chunk->column[0].integers[i];
            if (number < 1 || (uint64_t)number > o->groups_count) return unreadable(err);
            p->code[i] = (uint32_t)(number - 1);
        } else if (!is_private) {
            p->code[i] = 0;
            if (group != 0) return unreadable(err);
        } else if (p->code[i] != group) {
            return unreadable(err);
        }
    }
done:
    return status;
}

static dusk_status take_chunk(query_pushdown *p, const dusk_chunk *chunk, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(name_groups(p, chunk, err));
    if (p->options.keys && !p->options.groups) DUSK_TRY(make_room(p, p->groups + chunk->rows, err));
    for (size_t i = 0; i < chunk->rows; i++) {
        size_t group = p->code[i];
        p->units[group] = (uint64_t)chunk->column[p->own].integers[i];
        for (size_t t = 0; t < p->options.totals; t++) {
            const dusk_cells *cells = &chunk->column[p->own + 1 + t];
            if ((cells->null && cells->null[i]) ||
                !read_total(&p->sum[group * p->options.totals + t], cells->texts[i], cells->lengths[i]))
                return unreadable(err);
        }
    }
    p->groups += chunk->rows;
done:
    return status;
}

static dusk_status read_groups(query_pushdown *p, dusk_engine *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = &p->options;
    dusk_cell_type *types = NULL;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    DUSK_NEW(types, p->own + 1 + o->totals);
    for (size_t i = 0; i < p->own; i++) types[i] = o->groups ? DUSK_CELL_INTEGER : o->key_types[i];
    types[p->own] = DUSK_CELL_INTEGER;
    for (size_t t = 0; t < o->totals; t++) types[p->own + 1 + t] = DUSK_CELL_TEXT;
    DUSK_TRY(engine->class->query(engine, &cursor, p->statement, types, p->own + 1 + o->totals, err));
    for (;;) {
        DUSK_TRY(engine->class->next(cursor, &chunk, err));
        if (chunk.rows == 0) break;
        DUSK_TRY(take_chunk(p, &chunk, err));
    }
done:
    if (cursor) engine->class->end(cursor);
    dusk_deallocate(types);
    return status;
}

/* --- the whole ----------------------------------------------------------------------------------------- */

/* Public groups are all there from the start, each once. */
static dusk_status make_groups(query_pushdown *p, const uint64_t key[2], dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = &p->options;
    if (o->keys) DUSK_TRY(group_table_new(&p->keys, o->key_types, o->keys, key, err));
    for (size_t g = 0; o->keys && o->groups && g < o->groups_count; g++) {
        uint32_t code;
        bool is_new;
        DUSK_TRY(group_table_add(p->keys, &code, &is_new, o->groups + g * o->keys, err));
        if (!is_new)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "list each of them once",
                               "two public groups have the same keys"));
    }
    if (!o->keys || o->groups) DUSK_TRY(make_room(p, o->keys ? o->groups_count : 1, err));
done:
    return status;
}

DUSK_PROVEN(query_pushdown_new)
dusk_status query_pushdown_new(query_pushdown **out, const bounding_options *options, const char *sql,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_pushdown *p = NULL;
    struct {
        unsigned char secret[PUSHDOWN_SECRET];
        uint64_t table[2];
    } key;

    *out = NULL;
    DUSK_TRY(bounding_check(options, err));
    if (!query_pushdown_fits(options, DUSK_DIALECT_POSTGRES))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "stream the rows instead",
                           "these totals cannot be made on the server"));
    DUSK_NEW(p, 1);
    p->options = *options;
    p->own = options->keys && options->groups ? 1 : options->keys;
    DUSK_TRY(dusk_generator_bytes(gen, &key, sizeof key, err));
    DUSK_TRY(make_groups(p, key.table, err));
    DUSK_TRY(query_pushdown_sql(&p->statement, options, sql, key.secret, err));
    *out = p;
    p = NULL;
done:
    dusk_wipe(&key, sizeof key);
    query_pushdown_free(p);
    return status;
}

static dusk_status write_groups(bounded **out, const query_pushdown *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_options *o = &p->options;
    size_t groups = !o->keys ? 1 : o->groups ? o->groups_count : p->groups;
    bounded *made = NULL;
    DUSK_TRY(bounded_new(&made, groups, o->keys, o->totals, err));
    for (size_t g = 0; g < groups; g++) {
        if (o->keys) group_table_tuple(p->keys, made->key + g * o->keys, (uint32_t)g);
        made->units[g] = p->units[g];
        for (size_t t = 0; t < o->totals; t++) made->sum[t * groups + g] = p->sum[g * o->totals + t];
    }
    DUSK_TRY(bounded_own_texts(made, err));
    *out = made;
    made = NULL;
done:
    bounded_free(made);
    return status;
}

DUSK_PROVEN(query_pushdown_finish)
dusk_status query_pushdown_finish(query_pushdown *p, bounded **out, dusk_engine *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = NULL;
    DUSK_TRY(read_groups(p, engine, err));
    DUSK_TRY(write_groups(out, p, err));
done:
    return status;
}
