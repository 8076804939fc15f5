/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_EMIT_H
#define DUSK_QUERY_EMIT_H

/* Inside of query_emit (plan.h): how expressions become SQL text.
 *
 * A dialect is a table of templates. In a template $1, $2, ... are operands, $u is a unit of time,
 * $L and $H are the first and the last moment of the years 1 to 9999. An operand that is computed
 * and mentioned twice is bound to a name first, so that the text grows with the expression and
 * not with two to the power of its depth.
 *
 * No engine may raise an error, whatever the data:
 *   - Arithmetic is in doubles. SQLite and DuckDB go to infinity or NaN without an error, which is
 *     turned into NULL where a sum or product ends. PostgreSQL raises errors when a result
 *     overflows or underflows. There the span of every operand is reckoned beforehand: that of whole
 *     numbers is known, an operand of unknown span is NULL from 1e100 on and 0 below 1e-100 where
 *     the result could otherwise leave [1e-305, 1e305].
 *   - What has a domain (ln, casts, dates) is guarded by CASE on its operand.
 *   - Whole numbers and booleans that result from arithmetic become 64-bit numbers again by a cast
 *     that gives NULL out of range. */

#include "base/buffer.h"
#include "query/plan.h"

/* How the value of an expression is wanted. */
typedef enum emit_form {
    EMIT_NATIVE = 1, /* in the engine's own type for it                                    */
    EMIT_NUMBER,     /* a double, never NaN or infinite by arithmetic                      */
    EMIT_OPEN,       /* a double that may be NaN or infinite instead of NULL               */
    EMIT_TRIMMED     /* a double, NULL from 1e100 on and 0 below 1e-100                    */
} emit_form;

/* Every value but 0 has a magnitude within these. */
typedef struct emit_span {
    double low, high;
} emit_span;
#define EMIT_SPAN_LOW 1e-305
#define EMIT_SPAN_HIGH 1e305
#define EMIT_TRIM_LOW 1e-100
#define EMIT_TRIM_HIGH 1e100

#define EMIT_TYPES (DUSK_TYPE_TIMESTAMP + 1)
#define EMIT_FUNCTIONS (QUERY_TO_TIMESTAMP + 1)

/* Marks in templates besides operands; NULL where a template has none of the kind. */
typedef struct emit_marks {
    const char *unit;         /* $u: year, month, ... */
    const char *first, *last; /* $L, $H */
    const char *from, *count; /* $m, $d: months and days, or the place and length of a part */
    const char *pattern;      /* $p: a literal */
    const char *factor;       /* $f: a power of ten */
} emit_marks;

typedef struct emit_list {
    const char *open, *between, *close;
} emit_list;

typedef struct emit_dialect {
    const char *type[EMIT_TYPES];             /* for casts of NULL */
    const char *literal[EMIT_TYPES];          /* around a constant: before, then after a '|' */
    const char *truth[2];                     /* FALSE, TRUE */
    const char *function[EMIT_FUNCTIONS];     /* of plain functions */
    const char *compare_text[EMIT_FUNCTIONS]; /* comparisons of text by bytes, where they differ */
    const char *cast[EMIT_TYPES][EMIT_TYPES]; /* from, to; NULL: no such cast */
    const char *output[EMIT_TYPES];           /* as cells are handed over */
    const char *number_of_integer;            /* 64 bits to a double */
    const char *integer_of_number;            /* a whole double, maybe open, to 64 bits, or NULL */
    const char *closed;                       /* an open double to a number; NULL: none is open */
    const char *trimmed;                      /* a double to a trimmed one; NULL: nothing is trimmed */
    const char *round_digits, *round_tens;    /* to $d places, of which 1 / $f and $f are the last */
    emit_list least, greatest, concat;
    const char *text_in_list;          /* a text among the operands of least and greatest */
    const char *like, *like_escaped;   /* $p without, and with '\' in it */
    const char *extract, *truncate[2]; /* of $2; of dates, timestamps */
    const char *add[2];                /* to $1 */
    const char *days[2];               /* from $2 to $1 */
    const char *moment[2];             /* around a literal date or timestamp: before | after */
    const char *cross;                 /* between tables that WHERE joins */
    emit_list sum, average;            /* around what they take: aggregates of doubles that do not depend on
                                        * the order of rows, which others' rows could change */
    const char *summand;               /* what they take of a double; NULL: all of it */
    const char *least_of[EMIT_TYPES];  /* of rows of a group */
    const char *greatest_of[EMIT_TYPES];
    bool materialize; /* tables of joins */
    bool lambda;      /* how an operand is bound: by a lambda, or by a subselect */
} emit_dialect;

extern const emit_dialect emit_sqlite, emit_duckdb, emit_postgres;

/* How a column is called: r3.k0. */
typedef struct emit_name {
    char text[48];
} emit_name;

/* emit_table.c: tables of joins that are materialized first, with filters of their own. */
typedef struct emit_table {
    unsigned name; /* of the relation */
    size_t table;
    dusk_buffer where;
} emit_table;
typedef struct emit_tables {
    emit_table *table;
    size_t used, room;
} emit_tables;

typedef struct emitter {
    dusk_buffer *out;
    const emit_dialect *dialect;
    const emit_name *scope; /* of the columns that an expression stands on */
    size_t columns;
    emit_tables *tables;
    bool joined;    /* what is built is part of a join */
    unsigned names; /* used so far */
    unsigned scans; /* of tables, in all */
    unsigned depth;
    dusk_status status; /* of the first failure */
    dusk_error *err;
} emitter;

/* Expressions nest at most so deep: engines have limits of their own, and SQLite's is 1000. */
#define EMIT_DEPTH_MAX 300

/* An operand of a template. */
typedef struct emit_operand {
    const query_expression *e;
    emit_form form;
    char bound[40]; /* by which name, or "" */
} emit_operand;

/* Remember a failure; only the first counts. */
void emit_fail(emitter *em, dusk_status status, const char *message, const char *hint);
void emit_expression(emitter *em, const query_expression *e, emit_form form);
void emit_expand(emitter *em, const char *text, emit_operand *operand, size_t operands,
                 const emit_marks *marks);
/* A template whose only operand is the expression. */
void emit_one(emitter *em, const char *text, const query_expression *e, emit_form form);
/* emit_rule.c: whether a relation and all below it keep the rule of plan.h, node by node. */
DUSK_MUST_USE dusk_status emit_rule(const query_relation *relation, const dusk_schema *schema,
                                    dusk_error *err);
void emit_tables_clear(emit_tables *tables);
void emit_tables_add(emitter *em, unsigned name, size_t table);
/* The filters of the only materialized table that a condition names, or NULL. */
dusk_buffer *emit_tables_where(emitter *em, const char *condition);
/* Whether nothing is asked of a table but that it has a unit; leave a table out. */
bool emit_tables_plain(emitter *em, unsigned name);
void emit_tables_drop(emitter *em, unsigned name);
/* WITH ... before `sql`, the rest of it. */
void emit_tables_put(emitter *em, const dusk_schema *schema, const dusk_buffer *sql);
/* emit_group.c: an aggregate of the rows of a group. */
void emit_aggregate(emitter *em, const query_relation *group, size_t i);

/* emit_literal.c */
void emit_constant(emitter *em, const query_expression *e, emit_form form);
void emit_null(emitter *em, dusk_type type, emit_form form);
void emit_like(emitter *em, const query_expression *e);

/* emit_time.c: EXTRACT, DATE_TRUNC, DATE_ADD, DATE_DIFF. */
void emit_time(emitter *em, const query_expression *e);
/* Write a template of a date or timestamp that is NULL outside the years 1 to 9999. */
void emit_moment(emitter *em, const char *text, const query_expression *e, dusk_type type);

/* emit_depth.c: places on the stack of SQLite's parser, of which it has 100; from above. */
unsigned emit_depth(const char *sql);
/* SQLite joins at most so many tables, also when it makes one join of several, and reads so many bytes. */
#define EMIT_SCANS_MAX 64
#define EMIT_BYTES_MAX 1000000
#define EMIT_STACK_MAX 90

/* emit_span.c. Whether an expression is written as a double; its span as it is written; whether
 * the operands of a call must be trimmed. */
bool emit_is_number(const query_expression *e);
emit_span emit_span_of(const emitter *em, const query_expression *e);
bool emit_must_trim(const emitter *em, const query_expression *e);

#endif
