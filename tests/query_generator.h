/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_GENERATOR_H
#define TESTS_QUERY_GENERATOR_H

/* Random SQL over the world of query_world.h: aggregates with FILTER, CASE and arithmetic over joins
 * along links and with public tables, subqueries, WITH, groups of a unit's own rows, UNION ALL, DISTINCT,
 * EXISTS and IN, keys public and private. Most of it is what the planner accepts; some is not. */

#include "query_world.h"

enum { QUERY_TEXT = 6000, QUERY_PART = 2500, QUERY_COLUMNS_MOST = 24 };

typedef struct generator {
    uint64_t random;
    unsigned names;
    bool plain;  /* only what SQLite understands the same way */
    bool totals; /* no quantiles, and no joins of joins: worlds are larger */
} generator;

/* A column in sight. kind: u the unit, i integer, r real, t text, b boolean, d date, p product, k kind of
 * product. */
typedef struct generated_column {
    char name[32], kind;
    bool bounded, domain;
} generated_column;

typedef struct generated_from {
    char text[QUERY_PART];
    char where[120]; /* a condition that belongs to it, or "" */
    generated_column column[QUERY_COLUMNS_MOST];
    size_t columns;
} generated_from;

static inline unsigned pick(generator *g, unsigned n) { return (unsigned)world_below(&g->random, n); }

/* Add to a text that never overflows: what does not fit is cut, and the query is refused then. */
#define PUT(text, ...) put_at(text, sizeof(text), __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static inline void put_at(char *text, size_t size, const char *format,
                                                                ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static inline void generate_column(generated_from *f, unsigned alias, const char *name, char kind,
                                   bool limited, bool domain)
{
    if (f->columns == QUERY_COLUMNS_MOST) return;
    generated_column *c = &f->column[f->columns++];
    snprintf(c->name, sizeof c->name, "a%u.%s", alias, name);
    c->kind = kind;
    c->bounded = limited;
    c->domain = domain;
}

/* The first, or a random column whose kind is among `kinds`, or NULL. */
static inline const generated_column *generated_of(generator *g, const generated_from *f, const char *kinds)
{
    const generated_column *found = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < f->columns; i++)
        if (strchr(kinds, f->column[i].kind) && pick(g, ++n) == 0) found = &f->column[i];
    return found;
}

/* --- expressions --------------------------------------------------------------------------------- */

typedef char generated_text[600];
typedef char generated_where[1400];

static inline void generate_condition(generator *g, const generated_from *f, char *out, int depth);

static inline void generate_number(generator *g, const generated_from *f, char *out, int depth)
{
    generated_text a, b, when;
    const generated_column *c = generated_of(g, f, "ir");
    unsigned kind = depth > 0 ? pick(g, 12) : 0;
    if (!c) {
        snprintf(out, sizeof a, "%u", pick(g, 9));
        return;
    }
    if (kind >= 6) kind = 0;
    if (kind != 0) {
        generate_number(g, f, a, depth - 1);
        generate_number(g, f, b, depth - 1);
        if (strlen(a) + strlen(b) > 300) kind = 0;
    }
    switch (kind) {
    case 1: snprintf(out, sizeof a, "(%.280s %c %.280s)", a, "+-*"[pick(g, 3)], b); break;
    case 2:
        generate_condition(g, f, when, depth - 1);
        if (strlen(when) > 200)
            snprintf(out, sizeof a, "%.280s", a);
        else
            snprintf(out, sizeof a, "CASE WHEN %.200s THEN %.180s ELSE %.180s END", when, a,
                     pick(g, 3) ? b : "0");
        break;
    case 3: snprintf(out, sizeof a, "COALESCE(%.280s, %u)", a, pick(g, 5)); break;
    case 4: snprintf(out, sizeof a, "ABS(%.280s - %u)", a, pick(g, 50)); break;
    case 5: snprintf(out, sizeof a, "(%.280s / %u.5)", a, pick(g, 3)); break;
    default:
        if (c->bounded || pick(g, 8) == 0)
            snprintf(out, sizeof a, "%s", c->name);
        else
            snprintf(out, sizeof a, "%s(%s(%s, %u), 0)", "GREATEST", "LEAST", c->name, 5 + pick(g, 300));
    }
}

static inline void generate_comparison(generator *g, const generated_from *f, char *out)
{
    static const char *const operators[] = { "=", "<>", "<", "<=", ">", ">=" };
    const generated_column *c = generated_of(g, f, "irtbdpu");
    generated_text x;
    const char *operator= operators[pick(g, 6)];
    if (!c) {
        snprintf(out, sizeof x, "1 = 1");
    } else if (pick(g, 6) == 0) {
        snprintf(out, sizeof x, "%s IS %sNULL", c->name, pick(g, 2) ? "" : "NOT ");
    } else if (c->kind == 't') {
        static const char *const patterns[] = { "n%", "%o%", "_a%", "%" };
        if (pick(g, 3) == 0)
            snprintf(out, sizeof x, "%s %sLIKE '%s'", c->name, pick(g, 3) ? "" : "NOT ",
                     WORLD_CHOICE(&g->random, patterns));
        else if (pick(g, 2))
            snprintf(out, sizeof x, "%s IN ('%s', '%s')", c->name, WORLD_CHOICE(&g->random, world_regions),
                     WORLD_CHOICE(&g->random, world_states));
        else
            snprintf(out, sizeof x, "%s %s '%s'", c->name, operator, WORLD_CHOICE(&g->random, world_states));
    } else if (c->kind == 'b') {
        snprintf(out, sizeof x, pick(g, 2) ? "%s" : "NOT %s", c->name);
    } else if (c->kind == 'd') {
        snprintf(out, sizeof x, "%s %s %s'%s'", c->name, operator, g->plain ? "" : "DATE ",
                 WORLD_CHOICE(&g->random, world_days));
    } else if (c->kind == 'u' || c->kind == 'p') {
        snprintf(out, sizeof x, "%s %s %u", c->name, operator, pick(g, 6));
    } else {
        generate_number(g, f, x, 1);
        snprintf(out, sizeof x, "%.500s %s %u", x, operator, pick(g, 120));
    }
}

static inline void generate_condition(generator *g, const generated_from *f, char *out, int depth)
{
    generated_text a, b;
    if (depth <= 0 || pick(g, 2)) {
        generate_comparison(g, f, out);
        return;
    }
    generate_condition(g, f, a, depth - 1);
    generate_condition(g, f, b, depth - 1);
    if (strlen(a) + strlen(b) > 500)
        snprintf(out, sizeof a, "%.580s", a);
    else if (pick(g, 5) == 0)
        snprintf(out, sizeof a, "NOT (%.250s)", strlen(a) < 250 ? a : "1 = 1");
    else
        snprintf(out, sizeof a, "(%.280s %s %.280s)", strlen(a) < 280 ? a : "1 = 1",
                 pick(g, 2) ? "AND" : "OR", strlen(b) < 280 ? b : "1 = 0");
}

/* A subquery of a condition, or "". */
static inline void generate_sublink(generator *g, const generated_from *f, char *out)
{
    const generated_column *unit = generated_of(g, f, "u"), *product = generated_of(g, f, "p");
    const char *not = pick(g, 3) ? "" : "NOT ";
    unsigned limit = pick(g, 400);
    out[0] = '\0';
    if (unit && pick(g, 2))
        snprintf(out, sizeof(generated_text),
                 "%sEXISTS (SELECT 1 FROM orders AS z WHERE z.customer = %s AND z.amount > %u)", not,
                 unit->name, limit);
    else if (unit && pick(g, 2))
        snprintf(out, sizeof(generated_text),
                 "%s IN (SELECT z.customer FROM orders AS z WHERE z.amount < %u)", unit->name, limit);
    else if (unit && pick(g, 2))
        snprintf(out, sizeof(generated_text),
                 "%s IN (SELECT z.customer FROM orders AS z GROUP BY z.customer HAVING COUNT(*) > %u)",
                 unit->name, pick(g, 4));
    else if (product)
        snprintf(out, sizeof(generated_text), "%s IN (SELECT z.id FROM product AS z WHERE z.kind = 'food')",
                 product->name);
    else if (pick(g, 6) == 0) /* refused: other units' rows */
        snprintf(out, sizeof(generated_text), "%sEXISTS (SELECT 1 FROM orders AS z WHERE z.amount > %u)", not,
                 limit);
}

/* WHERE ..., or "". */
static inline void generate_where(generator *g, const generated_from *f, generated_where *out)
{
    generated_text more;
    char *text = *out;
    text[0] = '\0';
    if (f->where[0]) PUT(*out, " WHERE %s", f->where);
    if (pick(g, 2)) return;
    generate_condition(g, f, more, 2);
    PUT(*out, "%s%s", text[0] ? " AND " : " WHERE ", more);
    generate_sublink(g, f, more);
    if (more[0] && pick(g, 2)) PUT(*out, " AND %s", more);
}

/* --- FROM ------------------------------------------------------------------------------------------- */

static inline unsigned generate_table(generator *g, generated_from *f, size_t table)
{
    unsigned a = g->names++;
    PUT(f->text, "%s AS a%u", world_names[table].name, a);
    if (table == WORLD_CUSTOMER) {
        generate_column(f, a, "id", 'u', false, false);
        generate_column(f, a, "age", 'i', true, false);
        generate_column(f, a, "region", 't', false, true);
        generate_column(f, a, "vip", 'b', false, true);
    } else if (table == WORLD_ORDERS) {
        generate_column(f, a, "customer", 'u', false, false);
        generate_column(f, a, "amount", 'r', true, false);
        generate_column(f, a, "status", 't', false, true);
        generate_column(f, a, "day", 'd', false, false);
    } else if (table == WORLD_ITEM) {
        generate_column(f, a, "product", 'p', false, false);
        generate_column(f, a, "quantity", 'i', true, false);
        generate_column(f, a, "price", 'r', true, false);
    } else {
        generate_column(f, a, "kind", 'k', false, true);
    }
    return a;
}

static inline void generate_from(generator *g, generated_from *f, int depth);

/* What a subquery selects of `in`: its columns by new names, the unit more often than not. */
static inline void generate_list(generator *g, const generated_from *in, generated_from *out, unsigned alias,
                                 char *list, size_t size)
{
    unsigned n = 0;
    for (size_t i = 0; i < in->columns; i++) {
        const generated_column *c = &in->column[i];
        char name[16];
        if (pick(g, c->kind == 'u' ? 8 : 3) == 0 || out->columns == QUERY_COLUMNS_MOST) continue;
        snprintf(name, sizeof name, "c%u", n);
        put_at(list, size, "%s%s AS %s", n++ ? ", " : "", c->name, name);
        generate_column(out, alias, name, c->kind, c->bounded, c->domain);
    }
    if (n == 0) put_at(list, size, "1 AS one");
}

static inline void generate_plain_subquery(generator *g, generated_from *f, int depth, bool distinct)
{
    generated_from in = { .columns = 0 };
    generated_where where;
    char list[800] = "";
    unsigned alias = g->names++;
    generate_from(g, &in, depth - 1);
    generate_list(g, &in, f, alias, list, sizeof list);
    generate_where(g, &in, &where);
    PUT(f->text, "(SELECT %s%s FROM %s%s) AS a%u", distinct ? "DISTINCT " : "", list, in.text, where, alias);
}

/* Groups of a unit's own rows. */
static inline void generate_groups(generator *g, generated_from *f, int depth)
{
    generated_from in = { .columns = 0 };
    generated_where where;
    generated_text x;
    char list[1600], keys[80];
    unsigned alias = g->names++;
    generate_from(g, &in, depth - 1);
    const generated_column *unit = generated_of(g, &in, "u"),
                           *key = pick(g, 3) ? NULL : generated_of(g, &in, "tbkp");
    generate_where(g, &in, &where);
    if (!unit) {
        PUT(f->text, "customer AS a%u", alias);
        generate_column(f, alias, "id", 'u', false, false);
        return;
    }
    snprintf(keys, sizeof keys, "%s%s%s", unit->name, key ? ", " : "", key ? key->name : "");
    snprintf(list, sizeof list, "%s AS u, COUNT(*) AS n", unit->name);
    generate_column(f, alias, "u", 'u', false, false);
    generate_column(f, alias, "n", 'i', false, false);
    if (key) {
        PUT(list, ", %s AS k", key->name);
        generate_column(f, alias, "k", key->kind, false, key->domain);
    }
    if (generated_of(g, &in, "ir")) {
        static const char *const aggregates[] = { "SUM", "AVG", "MIN", "MAX", "COUNT" };
        unsigned which = pick(g, 5);
        generate_number(g, &in, x, 1);
        PUT(list, ", %s(%s%s) AS s", aggregates[which], which == 4 && pick(g, 2) ? "DISTINCT " : "", x);
        generate_column(f, alias, "s", 'r', false, false);
    }
    PUT(f->text, "(SELECT %s FROM %s%s GROUP BY %s%s) AS a%u", list, in.text, where, keys,
        pick(g, 4) ? "" : " HAVING COUNT(*) > 1", alias);
}

static inline void generate_union(generator *g, generated_from *f)
{
    unsigned alias = g->names++;
    static const char *const sides[] = {
        "SELECT customer AS u, amount AS x FROM orders",
        "SELECT id AS u, age * 1.5 AS x FROM customer WHERE vip",
        "SELECT customer AS u, amount + 1 AS x FROM orders WHERE amount > 99",
        "SELECT o.customer AS u, i.price AS x FROM item i JOIN orders o ON order_id = o.id"
    };
    PUT(f->text, "(%s UNION ALL %s) AS a%u", WORLD_CHOICE(&g->random, sides), WORLD_CHOICE(&g->random, sides),
        alias);
    generate_column(f, alias, "u", 'u', false, false);
    generate_column(f, alias, "x", 'r', true, false);
}

/* A second relation with the unit, joined over it. */
static inline void generate_unit_join(generator *g, generated_from *f, int depth)
{
    generated_from other = { .columns = 0 };
    const generated_column *left = generated_of(g, f, "u"), *right;
    generate_from(g, &other, depth - 1);
    right = generated_of(g, &other, "u");
    if (!left || !right || strlen(f->text) + strlen(other.text) > QUERY_PART - 300) return;
    bool outer = pick(g, 3) == 0;
    PUT(f->text, " %sJOIN (SELECT %s AS j FROM %s%s%s) AS a%u ON %s = a%u.j", outer ? "LEFT " : "",
        right->name, other.text, other.where[0] ? " WHERE " : "", other.where, g->names, left->name,
        g->names);
    g->names++;
}

/* Joins along the links, and with the public table. */
static inline void generate_link_join(generator *g, generated_from *f)
{
    unsigned item, orders, customer;
    bool outer = pick(g, 4) == 0, comma = pick(g, 4) == 0;
    item = generate_table(g, f, WORLD_ITEM);
    PUT(f->text, "%s", comma ? ", " : outer ? " LEFT JOIN " : " JOIN ");
    orders = generate_table(g, f, WORLD_ORDERS);
    if (comma)
        PUT(f->where, "a%u.order_id = a%u.id", item, orders);
    else
        PUT(f->text, " ON a%u.order_id = a%u.id", item, orders);
    if (!comma && pick(g, 2)) {
        PUT(f->text, " JOIN ");
        customer = generate_table(g, f, WORLD_CUSTOMER);
        PUT(f->text, " ON a%u.customer = a%u.id", orders, customer);
    }
}

static inline void generate_public_join(generator *g, generated_from *f)
{
    const generated_column *product = generated_of(g, f, "p");
    unsigned p;
    bool outer = pick(g, 3) == 0;
    if (!product && pick(g, 3)) return;
    PUT(f->text, " %sJOIN ", outer ? "LEFT " : "");
    p = generate_table(g, f, WORLD_PRODUCT);
    if (product)
        PUT(f->text, " ON a%u.id %s %s", p, pick(g, 4) ? "=" : "<", product->name);
    else
        PUT(f->text, " ON a%u.id < %u", p, pick(g, 5));
}

static inline void generate_from(generator *g, generated_from *f, int depth)
{
    switch (pick(g, depth > 0 ? 14 : 6)) {
    case 0: generate_table(g, f, WORLD_CUSTOMER); break;
    case 1:
    case 2: generate_table(g, f, WORLD_ORDERS); break;
    case 3: generate_table(g, f, WORLD_ITEM); break;
    case 4:
    case 5: generate_link_join(g, f); break;
    case 6: generate_union(g, f); break;
    case 7:
    case 8: generate_plain_subquery(g, f, depth, false); break;
    case 9: generate_plain_subquery(g, f, depth, true); break;
    case 10:
    case 11: generate_groups(g, f, depth); break;
    default: generate_from(g, f, depth - 1); generate_unit_join(g, f, depth);
    }
    if (!f->where[0] && pick(g, 4) == 0) generate_public_join(g, f); /* JOIN binds tighter than a comma */
}

/* --- the whole ---------------------------------------------------------------------------------------- */

static inline void generate_aggregate(generator *g, const generated_from *f, char *out)
{
    static const char *const plain[] = { "SUM", "AVG", "VARIANCE", "STDDEV", "SUM", "MIN", "MAX", "MEDIAN" };
    generated_text x, when;
    const generated_column *c = generated_of(g, f, "ir"), *unit = generated_of(g, f, "u");
    const generated_column *other = generated_of(g, f, "tbdpk");
    unsigned kind = pick(g, 9);
    if (kind < 2 || (!c && kind >= 4))
        snprintf(out, sizeof x, "COUNT(*)");
    else if (kind == 2)
        snprintf(out, sizeof x, "COUNT(DISTINCT %s)", unit ? unit->name : other ? other->name : "1");
    else if (kind == 3)
        snprintf(out, sizeof x, "COUNT(%s%s)", pick(g, 2) ? "DISTINCT " : "", other ? other->name : "1");
    else {
        const char *name = plain[pick(g, g->totals ? 5 : 8)];
        bool squares = strcmp(name, "VARIANCE") == 0 || strcmp(name, "STDDEV") == 0;
        generate_number(g, f, x, g->plain && squares ? 0 : 2); /* the grid of squares of products is coarse */
        if (strlen(x) > 400) snprintf(x, sizeof x, "%s", c->name);
        if (!g->plain && !g->totals && pick(g, 8) == 0)
            snprintf(out, sizeof x, "PERCENTILE_CONT(0.%u) WITHIN GROUP (ORDER BY %.400s)", 1 + pick(g, 9),
                     x);
        else
            snprintf(out, sizeof x, "%s(%.500s)", name, x);
    }
    if (pick(g, 5) == 0) {
        generate_condition(g, f, when, 1);
        if (strlen(out) + strlen(when) < 560) put_at(out, sizeof x, " FILTER (WHERE %s)", when);
    }
}

/* A key: of a column, or made of one. */
static inline bool generate_key(generator *g, const generated_from *f, char *out, bool *is_private)
{
    const generated_column *c = generated_of(g, f, "tbkpd");
    if (!c) return false;
    *is_private = !c->domain;
    if (c->kind == 'd' && !g->plain)
        snprintf(out, sizeof(generated_text), "EXTRACT(year FROM %s)", c->name);
    else if (c->kind == 't' && pick(g, 4) == 0)
        snprintf(out, sizeof(generated_text), "CASE WHEN %s = 'north' THEN 'n' ELSE 'other' END", c->name);
    else
        snprintf(out, sizeof(generated_text), "%s", c->name);
    return true;
}

typedef struct generated_query {
    char text[QUERY_TEXT];
    unsigned keys;
    char kind[3]; /* first letter of the aggregates after the keys; D of STDDEV */
} generated_query;

static inline void generate_tail(generator *g, generated_query *q, char key[2][sizeof(generated_text)])
{
    if (q->keys) PUT(q->text, " GROUP BY %s%s%s", key[0], q->keys > 1 ? ", " : "", q->keys > 1 ? key[1] : "");
    if (!q->keys || pick(g, 3)) return;
    PUT(q->text, " HAVING COUNT(*) > %u", pick(g, 3));
    if (pick(g, 2)) return;
    PUT(q->text, " ORDER BY 1%s NULLS LAST", pick(g, 2) ? " DESC" : "");
    if (q->keys > 1) PUT(q->text, ", 2 NULLS LAST");
    if (pick(g, 2)) PUT(q->text, " LIMIT %u", 1 + pick(g, 4));
}

/* The next query. */
static inline void generate_query(generator *g, generated_query *q)
{
    generated_from f = { .columns = 0 };
    generated_where where;
    generated_text one, key[2];
    bool is_private;
    memset(q, 0, sizeof *q);
    g->names = 0;
    generate_from(g, &f, (int)pick(g, g->totals ? 2 : 3));
    generate_where(g, &f, &where);
    unsigned keys = pick(g, 5) < 2 ? 0 : 1 + (pick(g, 3) == 0);
    for (unsigned k = 0; k < keys; k++) q->keys += generate_key(g, &f, key[q->keys], &is_private);
    if (q->keys > 1 && strcmp(key[0], key[1]) == 0) q->keys = 1;
    bool with = pick(g, 6) == 0;
    if (with) PUT(q->text, "WITH w AS (SELECT customer AS u, amount AS x FROM orders WHERE amount > 9) ");
    PUT(q->text, "SELECT ");
    for (unsigned k = 0; k < q->keys; k++) PUT(q->text, "%s AS k%u, ", key[k], k);
    for (unsigned i = 0, n = 1 + pick(g, 3); i < n; i++) {
        generate_aggregate(g, &f, one);
        q->kind[i] = strncmp(one, "STDDEV", 6) == 0 ? 'D' : one[0];
        PUT(q->text, "%s%s AS m%u", i ? ", " : "", one, i);
    }
    const generated_column *unit = generated_of(g, &f, "u");
    PUT(q->text, " FROM %s", f.text);
    if (with && unit && !f.where[0] && pick(g, 2)) PUT(q->text, " JOIN w ON w.u = %s", unit->name);
    if (pick(g, 30) == 0) PUT(q->text, " JOIN orders AS y ON y.amount < 10"); /* refused: pairs units */
    PUT(q->text, "%s", where);
    generate_tail(g, q, key);
}

#endif
