/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding as one statement of PostgreSQL (pushdown_sql.h): choosing, and adding up.
 *
 * What is chosen from is numbered in an order of its content first (u, g0, g1, ..., s0, s1, ...), and the
 * number is hashed: rows that are the same for every total are exchangeable, so that nothing depends on the
 * order in which the server comes across them. Where nothing has to go, nothing is hashed but the groups.
 * Proof: pushdown.proof.md. */
#include "query/pushdown_sql.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/fixed_sum.h"

/* What a hash is for. */
typedef enum stream { STREAM_UNIT_ROWS = 1, STREAM_GROUPS, STREAM_ROWS } stream;

/* --- pieces ---------------------------------------------------------------------------------------- */

static bool is_clamped(const bounding_total *total)
{
    return total->kind == BOUNDING_SUM && !isnan(total->unit_low);
}

static void put_columns(dusk_buffer *out, const pushdown_statement *s)
{
    dusk_buffer_add(out, "SELECT u");
    pushdown_put_groups(out, s, ", ");
    for (size_t t = 0; t < s->options->totals; t++)
        if (pushdown_has_term(&s->options->total[t])) dusk_buffer_add(out, ", s%zu", t);
    if (s->hashed) dusk_buffer_add(out, ", h");
}

/* Those of the same unit and group. */
static void put_same(dusk_buffer *out, const pushdown_statement *s)
{
    dusk_buffer_add(out, "PARTITION BY u%s", s->hashed ? ", h" : "");
    pushdown_put_groups(out, s, ", ");
}

/* An order of content; rows that are equal in it add the same to every total. */
static void put_order(dusk_buffer *out, const pushdown_statement *s, bool groups)
{
    const char *before = " ORDER BY ";
    if (DUSK_MUTATE(PUSHDOWN_ROWS_AS_THEY_COME, false, true)) return;
    for (size_t g = 0; groups && g < s->groups; g++, before = ", ") dusk_buffer_add(out, "%sg%zu", before, g);
    for (size_t t = 0; t < s->options->totals; t++) {
        if (!pushdown_has_term(&s->options->total[t])) continue;
        dusk_buffer_add(out, "%ss%zu", before, t);
        before = ", ";
    }
}

/* Bytes that tell the value. */
static void put_bytes(dusk_buffer *out, dusk_cell_type type, const char *column, size_t i)
{
    switch (type) {
    case DUSK_CELL_INTEGER: dusk_buffer_add(out, "int8send(%s%zu)", column, i); break;
    case DUSK_CELL_REAL: dusk_buffer_add(out, "float8send(%s%zu)", column, i); break;
    case DUSK_CELL_TEXT:
        dusk_buffer_add(out, "int4send(octet_length(%s%zu)) || textsend(%s%zu)", column, i, column, i);
        break;
    }
}

/* SHA-256 of the secret, what it is for, the unit, the group where it is of one, and a number where
 * there is one: no two of these have the same bytes. */
DUSK_PROVEN(put_hash)
static void put_hash(dusk_buffer *out, const pushdown_statement *s, stream what)
{
    const bounding_options *o = s->options;
    dusk_buffer_add(out, "sha256('\\x");
    for (size_t i = 0; i < PUSHDOWN_SECRET; i++) dusk_buffer_add(out, "%02x", s->secret[i]);
    dusk_buffer_add(out, "%02x'::bytea || ", (unsigned)what);
    if (o->unit_type == DUSK_CELL_INTEGER)
        dusk_buffer_add(out, "int8send(u)");
    else
        dusk_buffer_add(out, "int4send(octet_length(u)) || textsend(u)");
    for (size_t g = 0; what != STREAM_UNIT_ROWS && g < s->groups; g++) {
        dusk_buffer_add(out, s->public_groups ? " || " : " || COALESCE('\\x01'::bytea || ");
        put_bytes(out, s->public_groups ? DUSK_CELL_INTEGER : o->key_types[g], "g", g);
        if (!s->public_groups) dusk_buffer_add(out, ", '\\x00'::bytea)");
    }
    dusk_buffer_add(out, what == STREAM_GROUPS ? ")" : " || int8send(i))");
}

/* --- choosing ------------------------------------------------------------------------------------------ */

/* Of what has one number i among n, those stay whose hashes are the `most` smallest; n <= most: all. */
static void put_chosen(pushdown_statement *s, stream what, uint32_t most)
{
    dusk_buffer before = { 0 };
    char last[40];
    put_columns(&before, s);
    dusk_buffer_add(&before, ", row_number() OVER (");
    if (what == STREAM_ROWS)
        put_same(&before, s);
    else
        dusk_buffer_add(&before, "PARTITION BY u");
    dusk_buffer_add(&before, " ORDER BY CASE WHEN n > %u THEN ", (unsigned)most);
    put_hash(&before, s, what);
    dusk_buffer_add(&before, " END, i) AS r FROM (");
    pushdown_enclose(s, &before, ") AS q");
    put_columns(&before, s);
    dusk_buffer_add(&before, "%s FROM (", what == STREAM_ROWS ? ", r" : "");
    snprintf(last, sizeof last, ") AS q WHERE r <= %u", (unsigned)most);
    pushdown_enclose(s, &before, last);
}

/* At most rows_per_unit rows of a unit. */
DUSK_PROVEN(choose_unit_rows)
static void choose_unit_rows(pushdown_statement *s)
{
    dusk_buffer before = { 0 };
    if (!s->options->rows_per_unit) return;
    put_columns(&before, s);
    dusk_buffer_add(&before, ", row_number() OVER (PARTITION BY u");
    put_order(&before, s, true);
    dusk_buffer_add(&before, ") AS i, count(*) OVER (PARTITION BY u) AS n FROM (");
    pushdown_enclose(s, &before, ") AS q");
    put_chosen(s, STREAM_UNIT_ROWS, s->options->rows_per_unit);
}

/* At most groups_per_unit groups of a unit, all their rows. */
DUSK_PROVEN(choose_groups)
static void choose_groups(pushdown_statement *s)
{
    dusk_buffer before = { 0 };
    char last[40];
    if (s->groups == 0) return;
    put_columns(&before, s);
    dusk_buffer_add(&before, ", ");
    put_hash(&before, s, STREAM_GROUPS);
    dusk_buffer_add(&before, " AS h FROM (");
    pushdown_enclose(s, &before, ") AS q");
    s->hashed = true;
    put_columns(&before, s);
    dusk_buffer_add(&before, ", dense_rank() OVER (%sORDER BY h",
                    DUSK_MUTATE(PUSHDOWN_GROUPS_ACROSS_UNITS, "PARTITION BY u ", ""));
    pushdown_put_groups(&before, s, ", ");
    dusk_buffer_add(&before, ") AS d FROM (");
    pushdown_enclose(s, &before, ") AS q");
    put_columns(&before, s);
    dusk_buffer_add(&before, " FROM (");
    snprintf(last, sizeof last, ") AS q WHERE d <= %u", (unsigned)s->options->groups_per_unit);
    pushdown_enclose(s, &before, last);
}

static bool needs_rows(const bounding_options *options)
{
    for (size_t t = 0; t < options->totals; t++)
        if (options->total[t].kind != BOUNDING_UNITS) return true;
    return false;
}

/* At most rows_per_group rows of a unit's group; r is 1 for one of them. */
DUSK_PROVEN(choose_rows)
static void choose_rows(pushdown_statement *s)
{
    dusk_buffer before = { 0 };
    bool chooses = needs_rows(s->options);
    put_columns(&before, s);
    dusk_buffer_add(&before, ", row_number() OVER (");
    put_same(&before, s);
    if (chooses) put_order(&before, s, false);
    dusk_buffer_add(&before, ") AS %s", chooses ? "i, count(*) OVER (" : "r");
    if (chooses) {
        put_same(&before, s);
        dusk_buffer_add(&before, ") AS n");
    }
    dusk_buffer_add(&before, " FROM (");
    pushdown_enclose(s, &before, ") AS q");
    if (chooses) put_chosen(s, STREAM_ROWS, s->options->rows_per_group);
}

/* --- totals -------------------------------------------------------------------------------------------- */

static long long bound_on(double bound, int grid)
{
    dusk_fixed_clamp own = { bound, bound, grid };
    return dusk_fixed_round(bound, &own);
}

/* Where a unit's total in a group is clamped: one row for each unit and group, of so many. */
DUSK_PROVEN(add_up_units)
static bool add_up_units(pushdown_statement *s)
{
    const bounding_options *o = s->options;
    dusk_buffer before = { 0 }, after = { 0 };
    bool any = false;
    for (size_t t = 0; t < o->totals; t++) any |= is_clamped(&o->total[t]);
    if (!any) return false;
    dusk_buffer_add(&before, "SELECT 1 AS r, count(*) AS n");
    pushdown_put_groups(&before, s, ", ");
    for (size_t t = 0; t < o->totals; t++) {
        const bounding_total *total = &o->total[t];
        if (!pushdown_has_term(total)) continue;
        if (is_clamped(total))
            dusk_buffer_add(
                &before, ", CASE WHEN count(s%zu) > 0 THEN LEAST(GREATEST(sum(s%zu), %lld), %lld) END", t, t,
                bound_on(total->unit_low, total->grid), bound_on(total->unit_high, total->grid));
        else
            dusk_buffer_add(&before, ", sum(s%zu)", t);
        dusk_buffer_add(&before, " AS s%zu", t);
    }
    dusk_buffer_add(&before, " FROM (");
    dusk_buffer_add(&after, ") AS q GROUP BY u%s", s->hashed ? ", h" : "");
    pushdown_put_groups(&after, s, ", ");
    before.failed |= after.failed;
    pushdown_enclose(s, &before, after.data ? after.data : "");
    dusk_buffer_clear(&after);
    return true;
}

/* Sums of whole numbers of 64 bits are exact. */
DUSK_PROVEN(add_up)
static void add_up(pushdown_statement *s)
{
    const bounding_options *o = s->options;
    const char *const rows = add_up_units(s) ? "sum(n)" : "count(*)", *const units =
                                                                          "count(*) FILTER (WHERE r = 1)";
    dusk_buffer before = { 0 }, after = { 0 };
    dusk_buffer_add(&before, "SELECT ");
    pushdown_put_groups(&before, s, "");
    dusk_buffer_add(&before, "%s%s", s->groups ? ", " : "", units);
    for (size_t t = 0; t < o->totals; t++)
        if (pushdown_has_term(&o->total[t]))
            dusk_buffer_add(&before, ", COALESCE(sum(s%zu), 0)::text", t);
        else
            dusk_buffer_add(&before, ", COALESCE(%s, 0)::text",
                            o->total[t].kind == BOUNDING_ROWS ? rows : units);
    dusk_buffer_add(&before, " FROM (");
    dusk_buffer_add(&after, ") AS q%s", s->public_groups ? " WHERE g0 IS NOT NULL" : "");
    pushdown_put_groups(&after, s, " GROUP BY ");
    pushdown_put_groups(&after, s, " ORDER BY ");
    before.failed |= after.failed;
    pushdown_enclose(s, &before, after.data ? after.data : "");
    dusk_buffer_clear(&after);
}

DUSK_PROVEN(query_pushdown_sql)
dusk_status query_pushdown_sql(char **out, const bounding_options *options, const char *sql,
                               const unsigned char secret[PUSHDOWN_SECRET], dusk_error *err)
{
    bool public_groups = options->groups && options->keys;
    pushdown_statement s = { .options = options,
                             .secret = secret,
                             .public_groups = public_groups,
                             .groups = public_groups ? 1 : options->keys };
    pushdown_put_terms(&s, sql);
    if (DUSK_MUTATE(PUSHDOWN_GROUPS_FIRST, true, false)) {
        choose_unit_rows(&s);
        choose_groups(&s);
    } else {
        choose_groups(&s);
        choose_unit_rows(&s);
    }
    choose_rows(&s);
    add_up(&s);
    return dusk_buffer_take(&s.text, out, err);
}
