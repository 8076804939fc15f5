/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of relations. Each function here makes one kind of node, sees to it that the unit stays
 * among its columns, and carries along what is known of columns. A node that would mix the rows of
 * different units is not made. */
#include <math.h>
#include <string.h>

#include "base/mutant.h"
#include "query/bind.h"

bind_scope bind_scope_of(const bind_source *source)
{
    return (bind_scope){ .name = source->name,
                         .names = source->names,
                         .column = source->relation->column,
                         .info = source->info,
                         .columns = source->relation->columns };
}

/* --- tags --------------------------------------------------------------------------------- */

void bind_tags_init(binder *b)
{
    const dusk_schema *schema = b->in.schema;
    b->tags = 1;
    for (size_t t = 0; t < schema->tables; t++)
        for (size_t c = 0; c < schema->table[t].columns; c++)
            if (!schema->table[t].is_public && schema->table[t].column[c].unique && b->tags < BIND_TAGS_MAX)
                b->tag[b->tags++] = (bind_tag){ .table = t, .column = c };
}

static uint64_t tag_of(const binder *b, size_t table, size_t column)
{
    for (size_t i = 1; i < b->tags; i++)
        if (b->tag[i].table == table && b->tag[i].column == column) return (uint64_t)1 << i;
    return 0;
}

/* The columns a and b of a conjunct a = b. */
bool bind_is_equality(const query_expression *e, size_t *x, size_t *y)
{
    if (e->kind != QUERY_CALL || e->function != QUERY_EQUAL) return false;
    if (e->argument[0]->kind != QUERY_COLUMN || e->argument[1]->kind != QUERY_COLUMN) return false;
    *x = e->argument[0]->index;
    *y = e->argument[1]->index;
    return true;
}

/* In rows for which a = b is true both are not NULL and have each other's tags. */
void bind_spread_tags(bind_info *info, size_t columns, query_expression *condition)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0, x, y; i < bind_conjuncts(condition); i++) {
            if (!bind_is_equality(bind_conjunct(condition, i), &x, &y) || x >= columns || y >= columns)
                continue;
            uint64_t all = info[x].weak | info[y].weak;
            again = again || info[x].strong != all || info[y].strong != all;
            info[x].strong = info[x].weak = info[y].strong = info[y].weak = all;
        }
    }
}

/* --- parts --------------------------------------------------------------------------------- */

bind_source *bind_make_source(binder *b, query_relation_kind kind, size_t columns)
{
    if (columns > QUERY_COLUMNS_MAX)
        return query_refuse(&b->in, -1, "join fewer tables, or select columns in subqueries",
                            "a join has more than %u columns", QUERY_COLUMNS_MAX);
    bind_source *s = query_take(&b->in, 1, sizeof *s);
    if (!s || !query_enter(&b->in, NULL)) return NULL; /* counts as work; depth is that of the text */
    query_leave(&b->in);
    s->relation = query_take(&b->in, 1, sizeof *s->relation);
    s->info = query_take(&b->in, columns, sizeof *s->info);
    if (!s->relation || !s->info) return NULL;
    for (size_t i = 0; i < columns; i++) s->info[i].table = s->info[i].column = QUERY_NONE;
    *s->relation = (query_relation){ .kind = kind, .columns = columns, .unit = QUERY_NONE };
    s->relation->column = query_take(&b->in, columns, sizeof *s->relation->column);
    return s->relation->column ? s : NULL;
}

/* A public relation is where the values of its own columns come from. */
bool bind_own_origins(binder *b, bind_source *s)
{
    if (bind_is_private(s)) return true;
    for (size_t i = 0; i < s->relation->columns; i++) {
        s->info[i].origin = s->relation;
        if (!(s->info[i].from_origin = bind_make_column(b, i, s->relation->column[i].type, -1))) return false;
    }
    return true;
}

static void set_name(query_column *column, const char *name)
{
    size_t length = strnlen(name, DUSK_NAME_MAX);
    memcpy(column->name, name, length);
    column->name[length] = '\0';
}

/* Names of columns that have one, without a table. */
bool bind_plain_names(binder *b, bind_source *s)
{
    if (!(s->name = query_take(&b->in, s->relation->columns, sizeof *s->name))) return false;
    s->names = 0;
    for (size_t i = 0; i < s->relation->columns; i++) {
        const char *name = s->relation->column[i].name;
        size_t length = query_name_length(name);
        if (length == 0) continue;
        if (name[length] && !(name = query_keep(&b->in, name, length))) return false;
        s->name[s->names++] = (bind_name){ .table = "", .name = name, .column = i };
    }
    return true;
}

/* --- scans ---------------------------------------------------------------------------------- */

static void describe_column(binder *b, bind_source *s, size_t table, size_t c)
{
    const dusk_column *declared = &b->in.schema->table[table].column[c];
    query_column *column = &s->relation->column[c];
    set_name(column, declared->name);
    column->type = declared->type;
    column->facts = (query_facts){ .lower = declared->lower,
                                   .upper = declared->upper,
                                   .nullable = declared->nullable,
                                   .domain = (const char *const *)declared->domain,
                                   .values = declared->values };
    s->info[c].unique = declared->unique;
    s->info[c].table = table;
    s->info[c].column = c;
    s->relation->from[c] = c;
}

/* The way to the unit. A column that links to the unit itself holds it: no table has to be asked. */
static bool find_path(binder *b, dusk_path *path, size_t table, int position)
{
    const dusk_schema *schema = b->in.schema;
    dusk_error why = { .message = "" };
    if (dusk_schema_path(schema, path, table, &why) != DUSK_OK) {
        if (why.status == DUSK_ERR_MEMORY) return query_refuse_memory(&b->in) != NULL;
        query_refuse(&b->in, position, why.hint, "%s", why.message);
        return false;
    }
    while (path->steps >= 2) {
        size_t t = path->step[path->steps - 2].table, c = path->step[path->steps - 2].column;
        const dusk_column *link = &schema->table[t].column[c];
        if (link->link_table != schema->unit_table || link->link_column != schema->unit_column) break;
        path->steps--;
    }
    return true;
}

/* The column that holds the unit, and those that lead to it. */
static bool describe_unit(binder *b, bind_source *s, size_t table, int position)
{
    const dusk_schema *schema = b->in.schema;
    query_relation *r = s->relation;
    const dusk_path *path = &r->path;
    const dusk_column *unit = &schema->table[schema->unit_table].column[schema->unit_column];
    size_t first = path->step[0].column, columns = schema->table[table].columns;
    const dusk_column *last =
        &schema->table[path->step[path->steps - 1].table].column[path->step[path->steps - 1].column];
    if (last->type != unit->type) {
        query_refuse(&b->in, position, "declare the same type for both ends of the link",
                     "the unit of table %s is of another type than the unit itself",
                     schema->table[table].name);
        return false;
    }
    for (size_t c = 0; c < columns; c++) s->info[c].strong = tag_of(b, table, c);
    if (path->steps == 1) {
        r->unit = first;
        s->info[first].strong |= 1;
    } else {
        const dusk_column *link = &schema->table[table].column[first];
        r->unit = columns;
        r->from[columns] = QUERY_NONE;
        r->column[columns] = (query_column){ .name = "", .type = unit->type };
        r->column[columns].facts = (query_facts){ .lower = unit->lower, .upper = unit->upper };
        s->info[columns].strong = 1;
        s->info[first].strong |= tag_of(b, link->link_table, link->link_column);
    }
    r->column[r->unit].facts.nullable = r->column[first].facts.nullable = false; /* other rows have no unit */
    for (size_t c = 0; c < r->columns; c++) s->info[c].weak = s->info[c].strong;
    return true;
}

bind_source *bind_scan(binder *b, size_t table, int position)
{
    const dusk_table_schema *t = &b->in.schema->table[table];
    dusk_path path = { .steps = 0 };
    if (t->columns == 0)
        return query_refuse(&b->in, position, "declare its columns: dusk schema FILE set t.c type=integer",
                            "the table %s has no columns", t->name);
    if (!t->is_public && !find_path(b, &path, table, position)) return NULL;
    bind_source *s = bind_make_source(b, QUERY_SCAN, t->columns + (path.steps > 1));
    if (!s || !(s->relation->from = query_take(&b->in, s->relation->columns, sizeof(size_t)))) return NULL;
    s->relation->table = table;
    s->relation->path = path;
    for (size_t c = 0; c < t->columns; c++) describe_column(b, s, table, c);
    if (!t->is_public) {
        if (!describe_unit(b, s, table, position)) return NULL;
        b->private_scans++;
        b->private_table = table;
    }
    return bind_plain_names(b, s) && bind_own_origins(b, s) ? s : NULL;
}

/* --- one row at a time ------------------------------------------------------------------------ */

bool bind_filter(binder *b, bind_source *source, query_expression *condition)
{
    if (!condition) return true;
    bind_source *s = bind_make_source(b, QUERY_FILTER, source->relation->columns);
    if (!s) return false;
    query_relation *r = s->relation;
    r->input = source->relation;
    r->unit = source->relation->unit;
    r->condition = condition;
    memcpy(r->column, source->relation->column, r->columns * sizeof *r->column);
    if (!bind_narrow(b, r->column, r->columns, condition)) return false;
    bind_spread_tags(source->info, r->columns, condition);
    source->relation = r;
    return bind_own_origins(b, source);
}

/* Where the values of an expression come from, when all its columns come from one public relation. */
static bool origin_of(binder *b, bind_info *out, const bind_source *source, const query_expression *e)
{
    size_t n = source->relation->columns;
    query_relation *origin = NULL;
    query_expression **with = query_take(&b->in, n, sizeof *with);
    if (!with) return false;
    for (size_t i = 0; i < n; i++) {
        with[i] = source->info[i].from_origin;
        if (!bind_mentions(e, i, i + 1)) continue;
        if (!source->info[i].origin || (origin && origin != source->info[i].origin)) return true;
        origin = source->info[i].origin;
    }
    if (!origin) return true;
    out->origin = origin;
    return (out->from_origin = bind_substitute(b, e, with, n)) != NULL;
}

static bool project_column(binder *b, bind_source *s, const bind_source *source, size_t i,
                           query_expression *e)
{
    query_column *column = &s->relation->column[i];
    s->relation->expression[i] = e;
    column->type = e->type;
    if (e->kind == QUERY_COLUMN) {
        s->info[i] = source->info[e->index];
        column->facts = source->relation->column[e->index].facts;
        return true;
    }
    return bind_facts(b, &column->facts, e, source->relation->column, source->relation->columns) &&
           origin_of(b, &s->info[i], source, e);
}

bind_source *bind_project(binder *b, const bind_source *source, query_expression **expression,
                          const char *const *name, size_t n)
{
    size_t unit = QUERY_NONE, held = source->relation->unit;
    for (size_t i = n; i-- > 0 && held != QUERY_NONE;)
        if (expression[i]->kind == QUERY_COLUMN && expression[i]->index == held) unit = i;
    bool hidden = held != QUERY_NONE && unit == QUERY_NONE;
    bind_source *s = bind_make_source(b, QUERY_PROJECT, n + hidden);
    if (!s || !(s->relation->expression = query_take(&b->in, n + hidden, sizeof *expression))) return NULL;
    s->relation->input = source->relation;
    s->relation->unit = hidden ? n : unit;
    for (size_t i = 0; i < n; i++) {
        if (!project_column(b, s, source, i, expression[i])) return NULL;
        if (name) set_name(&s->relation->column[i], name[i]);
    }
    if (hidden) {
        query_expression *e = bind_make_column(b, held, source->relation->column[held].type, -1);
        if (!e || !project_column(b, s, source, n, e)) return NULL;
    }
    return bind_plain_names(b, s) && bind_own_origins(b, s) ? s : NULL;
}

/* --- rows of one unit ---------------------------------------------------------------------------- */

/* A row of one unit can only equal rows of that unit when a column tells the unit. */
bind_source *bind_distinct(binder *b, const bind_source *source, int position)
{
    const query_relation *of = source->relation;
    bool tells = !bind_is_private(source), only_unit = true;
    for (size_t i = 0; i < of->columns; i++) {
        if (!of->column[i].name[0]) continue;
        tells = tells || source->info[i].strong != 0;
        only_unit = only_unit && (source->info[i].strong & 1);
    }
    if (DUSK_MUTATE(DISTINCT_WITHOUT_UNIT, !tells, false))
        return query_refuse(&b->in, position, "select the unit's column too, or group by it",
                            "DISTINCT without the unit would compare rows of different units");
    bind_source *s = bind_make_source(b, QUERY_DISTINCT, of->columns);
    if (!s) return NULL;
    s->relation->input = source->relation;
    s->relation->unit = of->unit;
    memcpy(s->relation->column, of->column, of->columns * sizeof *of->column);
    memcpy(s->info, source->info, of->columns * sizeof *s->info);
    for (size_t i = 0; i < of->columns; i++)
        if (DUSK_MUTATE(DISTINCT_IS_ONE_ROW, only_unit, true) && (source->info[i].strong & 1))
            s->info[i].unique = true;
    return bind_plain_names(b, s) && bind_own_origins(b, s) ? s : NULL;
}

static bool inner_facts(binder *b, query_column *column, query_inner inner, const query_expression *argument,
                        const query_relation *of)
{
    query_facts f = { .lower = NAN, .upper = NAN, .nullable = false };
    if (argument && !bind_facts(b, &f, argument, of->column, of->columns)) return false;
    column->type = argument ? argument->type : DUSK_TYPE_INTEGER;
    f.domain = inner == QUERY_INNER_MIN || inner == QUERY_INNER_MAX ? f.domain : NULL;
    if (inner == QUERY_INNER_COUNT || inner == QUERY_INNER_COUNT_DISTINCT) {
        column->type = DUSK_TYPE_INTEGER;
        f.lower = 0;
        f.upper = NAN;
        f.nullable = false;
    } else if (inner == QUERY_INNER_SUM) {
        f.lower = f.lower >= 0 ? 0 : NAN;
        f.upper = f.upper <= 0 ? 0 : NAN;
        f.nullable = true; /* it may be beyond doubles */
    } else if (inner == QUERY_INNER_AVG) {
        column->type = DUSK_TYPE_REAL;
    }
    if (!f.domain) f.values = 0;
    column->facts = f;
    return true;
}

/* Groups lie within a unit when a key tells the unit; the unit itself becomes a key too. */
bind_source *bind_group(binder *b, const bind_source *source, query_expression **expression, size_t keys,
                        const query_inner *inner, size_t aggregates, int position)
{
    const query_relation *of = source->relation;
    bool tells = !bind_is_private(source), only_unit = true, hidden = bind_is_private(source);
    size_t unit = keys;
    for (size_t i = 0; i < keys; i++) {
        bool column = expression[i]->kind == QUERY_COLUMN;
        uint64_t strong = column ? source->info[expression[i]->index].strong : 0;
        tells = tells || strong != 0;
        only_unit = only_unit && (strong & 1);
        if (hidden && column && expression[i]->index == of->unit) hidden = false, unit = i;
    }
    if (DUSK_MUTATE(GROUP_WITHOUT_UNIT, !tells, false) || keys == 0)
        return query_refuse(&b->in, position,
                            "add the unit's column to this GROUP BY, or aggregate in the outer SELECT",
                            "a subquery groups rows of different units together");
    bind_source *s = bind_make_source(b, QUERY_GROUP, keys + hidden + aggregates);
    if (!s) return NULL;
    query_relation *r = s->relation;
    r->expression = query_take(&b->in, r->columns, sizeof *expression);
    r->inner = query_take(&b->in, aggregates, sizeof *inner);
    if (!r->expression || !r->inner) return NULL;
    r->input = source->relation;
    r->keys = keys + hidden;
    r->unit = bind_is_private(source) ? unit : QUERY_NONE;
    for (size_t i = 0; i < keys + hidden; i++) {
        query_expression *e =
            i < keys ? expression[i] : bind_make_column(b, of->unit, of->column[of->unit].type, -1);
        if (!e || !project_column(b, s, source, i, e)) return NULL;
        s->info[i].unique = (keys == 1 && s->info[i].strong != 0 && i < keys) || (only_unit && i == r->unit);
    }
    for (size_t i = 0; i < aggregates; i++) {
        r->expression[r->keys + i] = expression[keys + i];
        r->inner[i] = inner[i];
        if (!inner_facts(b, &r->column[r->keys + i], inner[i], expression[keys + i], of)) return NULL;
    }
    return bind_plain_names(b, s) && bind_own_origins(b, s) ? s : NULL;
}
