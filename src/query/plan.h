/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_PLAN_H
#define DUSK_QUERY_PLAN_H

/* A query as Dusk understands it: relations below the release, which the engine computes; what
 * is bounded and added up, which Dusk does; and what is made of the released numbers.
 *
 * The rule that makes it safe: every private relation has the unit among its columns, and
 *     f(D) = disjoint union over units u of f(D_u, public tables).
 * It holds node by node:
 *   scan     a private table, with inner joins along the links to its unit
 *   filter, project, distinct   look at one row, or at rows of one unit; the unit stays
 *   join     of two private relations: generated SQL always has "and left.unit = right.unit".
 *            A condition of the analyst that does not imply it is refused, because
 *            its meaning would change. With a public relation: any condition, but never with the
 *            public side as the one whose unmatched rows stay
 *   union    of private relations
 *   group    by the unit, and by more if wanted
 * The order of rows is never part of a result. */

#include "query/expression.h"
#include "table/engine.h"

#define QUERY_NONE SIZE_MAX

typedef enum query_relation_kind {
    QUERY_SCAN = 1,
    QUERY_FILTER,
    QUERY_PROJECT,
    QUERY_JOIN,
    QUERY_UNION,   /* all rows of both; the same number and types of columns */
    QUERY_GROUP,   /* aggregation of each unit's own rows                    */
    QUERY_DISTINCT /* rows that differ                                       */
} query_relation_kind;

typedef enum query_join { QUERY_INNER = 1, QUERY_LEFT, QUERY_SEMI, QUERY_ANTI } query_join;

/* Aggregates below the release, of one unit's rows. */
typedef enum query_inner {
    QUERY_INNER_COUNT = 1, /* rows (no argument), or values that are not NULL */
    QUERY_INNER_COUNT_DISTINCT,
    QUERY_INNER_SUM,
    QUERY_INNER_AVG,
    QUERY_INNER_MIN,
    QUERY_INNER_MAX
} query_inner;

typedef struct query_column {
    char name[DUSK_NAME_MAX + 1]; /* as the analyst may call it; "": hidden */
    dusk_type type;
    query_facts facts;
} query_column;

typedef struct query_relation query_relation;
struct query_relation {
    query_relation_kind kind;
    query_relation *input, *other; /* `other`: right side of a join or union */
    query_column *column;          /* of the output */
    size_t columns;
    size_t unit; /* the output column that holds the unit; QUERY_NONE: a public relation */

    size_t table; /* SCAN */
    size_t
        *from; /* SCAN: output column i is column from[i] of the table, or QUERY_NONE: the unit by `path` */
    dusk_path path; /* SCAN of a private table */

    query_expression *condition; /* FILTER; JOIN: over left columns, then right ones; NULL: no condition */
    query_join join;             /* output: left columns, then right ones; SEMI and ANTI: left ones only */

    query_expression **expression; /* PROJECT: one a column. GROUP: keys, then arguments (NULL: rows) */
    query_inner *inner;            /* GROUP: of output column keys + i */
    size_t keys;                   /* GROUP: so many output columns are keys; the unit is among them */
};

/* What is released of a group. `value` counts among the value columns of the plan. */
typedef enum query_measure_kind {
    QUERY_COUNT_ROWS = 1,
    QUERY_COUNT_VALUES,   /* not NULL */
    QUERY_COUNT_UNITS,    /* who have a row */
    QUERY_COUNT_DISTINCT, /* values; a unit brings rows_per_group of them at most */
    QUERY_SUM,
    QUERY_MEAN,
    QUERY_VARIANCE, /* of the sample: n - 1 */
    QUERY_VARIANCE_POPULATION,
    QUERY_DEVIATION,
    QUERY_DEVIATION_POPULATION,
    QUERY_QUANTILE, /* MIN and MAX are quantiles near 0 and 1, and it is said so */
    QUERY_MINIMUM,
    QUERY_MAXIMUM
} query_measure_kind;

typedef struct query_measure {
    query_measure_kind kind;
    size_t value;        /* QUERY_NONE: rows */
    double fraction;     /* of a quantile, in (0, 1) */
    double lower, upper; /* bounds of the value where the kind needs them */
    bool whole;          /* its values are whole numbers */
    int position;
} query_measure;

typedef struct query_output {
    char name[DUSK_NAME_MAX + 1];
    query_expression *expression; /* over the released row: keys, then measures */
} query_output;

typedef struct query_order {
    query_expression *expression; /* over the released row */
    bool descending, nulls_first;
} query_order;

typedef struct query_plan {
    query_arena *arena; /* owns all of it, the plan included */
    const dusk_schema *schema;
    query_relation *input; /* a PROJECT; its columns: the unit, the keys, the values */
    size_t keys, values;   /* key i is column 1 + i of it, value i is column 1 + keys + i */
    query_measure *measure;
    size_t measures;
    query_output *output;
    size_t outputs;
    query_expression *having; /* or NULL */
    query_order *order;
    size_t orders;
    uint64_t limit, offset; /* limit UINT64_MAX: none */

    /* A public key's values are its column's facts: the domain, and NULL after them where it is nullable.
     * Booleans are "false" and "true" there, whole numbers decimal. */
    bool public_keys;       /* every combination of keys is released, absent ones too; true without keys */
    query_relation *domain; /* where some key is a column of a public table: a public relation with the keys
                               as its columns, distinct, for the engine; NULL: the product of the domains */
    bool one_row_per_unit;  /* declared: one row, and so one group */
    uint32_t rows_per_unit, groups_per_unit; /* declared by the tables that are read; 0: not */
} query_plan;

/* All combinations of public keys together are at most so many. */
#define QUERY_GROUPS_MAX (1u << 24)

/* SQL -> plan, by the schema alone, which must outlive it; docs/sql.md says what is understood. DUSK_ERR_PARSE or DUSK_ERR_UNSUPPORTED with the place
 * ("at character 17") and a hint. */
DUSK_MUST_USE dusk_status query_plan_new(query_plan **out, const dusk_schema *schema, const char *sql,
                                         dusk_error *err);
/* The rows of a SELECT, which are private: the input has the unit, then the columns of its list, by their names, as values.
 * Nothing is measured. */
DUSK_MUST_USE dusk_status query_plan_rows(query_plan **out, const dusk_schema *schema, const char *sql,
                                          dusk_error *err);
void query_plan_free(query_plan *plan);

/* Texts about a plan, to be freed with dusk_deallocate. _normal: equal for two plans exactly when they
 * ask the same of the same columns, whatever the analyst called them (names of outputs count); for
 * fingerprints. _describe: for people, a line a node. */
DUSK_MUST_USE dusk_status query_plan_normal(const query_plan *plan, char **out, dusk_error *err);
DUSK_MUST_USE dusk_status query_plan_describe(const query_plan *plan, char **out, dusk_error *err);

/* A relation as SQL of a dialect, with the types of its columns (room for relation->columns); to
 * be freed with dusk_deallocate. Rows whose unit is NULL are left out. */
DUSK_MUST_USE dusk_status query_emit(char **sql, dusk_cell_type *types, const query_plan *plan,
                                     const query_relation *relation, dusk_dialect dialect, dusk_error *err);

#endif
