/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_EXPRESSION_H
#define DUSK_QUERY_EXPRESSION_H

/* Expressions over columns: the one form between SQL that was read and SQL that is generated.
 * Every function is total: what has no value (1/0, ln of a negative number, an overflow beyond
 * doubles, text that is no number) is NULL, in every engine alike. Arithmetic is in doubles,
 * that of whole numbers too, and exact for whole results below 2^53; PostgreSQL may take operands from
 * 1e100 on as NULL and those below 1e-100 as 0 (query/emit.h). Nodes live in an arena
 * and are freed with it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "dusk/table.h"

/* Memory that is freed as a whole. */
typedef struct query_arena query_arena;
DUSK_MUST_USE dusk_status query_arena_new(query_arena **out, dusk_error *err);
void query_arena_free(query_arena *arena);
/* Zeroed; NULL when there is none left. */
void *query_arena_take(query_arena *arena, size_t count, size_t size);
/* A copy that ends in '\0'. */
char *query_arena_text(query_arena *arena, const char *text, size_t length);

typedef enum query_kind {
    QUERY_CONSTANT = 1,
    QUERY_COLUMN, /* column `index` of the relation that the expression stands on */
    QUERY_CALL    /* function of arguments                                       */
} query_kind;

typedef enum query_function {
    /* Numbers. Whole if all arguments are (division, roots and the like: real). */
    QUERY_ADD = 1,
    QUERY_SUBTRACT,
    QUERY_MULTIPLY,
    QUERY_DIVIDE, /* NULL when the divisor is 0                                  */
    QUERY_MODULO, /* of whole numbers, sign of the dividend; NULL for divisor 0  */
    QUERY_NEGATE,
    QUERY_ABS,
    QUERY_SIGN,
    QUERY_ROUND, /* x, or x and constant digits from -15 to 15; halves away from 0 */
    QUERY_FLOOR,
    QUERY_CEIL,
    QUERY_SQRT,
    QUERY_LN,
    QUERY_EXP,
    QUERY_POWER,
    QUERY_LEAST, /* of the arguments that are not NULL                           */
    QUERY_GREATEST,
    /* Comparisons: boolean, NULL when an argument is. Both sides have one type. */
    QUERY_EQUAL,
    QUERY_UNEQUAL,
    QUERY_LESS,
    QUERY_LESS_EQUAL,
    QUERY_GREATER,
    QUERY_GREATER_EQUAL,
    QUERY_IN,   /* x, then constants                                             */
    QUERY_LIKE, /* x, constant pattern of % and _; case counts, '\' escapes      */
    QUERY_IS_NULL,
    QUERY_AND, /* two or more, three-valued                                      */
    QUERY_OR,
    QUERY_NOT,
    /* Choice. CASE: condition, value, condition, value, ..., otherwise. */
    QUERY_CASE,
    QUERY_COALESCE,
    QUERY_NULLIF,
    /* Text, in characters. */
    QUERY_LOWER, /* of ASCII letters                                             */
    QUERY_UPPER,
    QUERY_LENGTH,
    QUERY_TRIM,      /* blanks at both ends                                      */
    QUERY_CONCAT,    /* NULL when an argument is; of the first 65536 characters of each */
    QUERY_SUBSTRING, /* x, constant from >= 1, constant length >= 0              */
    /* Dates and timestamps. The unit is a constant text: year, quarter, month, week, day,
     * hour, minute, second; for EXTRACT also dow (Sunday is 0). */
    QUERY_EXTRACT,    /* unit, x: integer                                        */
    QUERY_DATE_TRUNC, /* unit, x: of the type of x; a week begins on Monday      */
    QUERY_DATE_ADD,   /* x, constant months, constant days; the end of a month stays in it */
    QUERY_DATE_DIFF,  /* a, b: days from the day of b to that of a               */
    /* Casts. */
    QUERY_TO_INTEGER, /* to the nearest, halves away from 0; NULL beyond 2^63    */
    QUERY_TO_REAL,
    QUERY_TO_TEXT,
    QUERY_TO_BOOLEAN,
    QUERY_TO_DATE,
    QUERY_TO_TIMESTAMP
} query_function;

typedef struct query_value {
    bool null;
    int64_t integer;  /* integers; booleans as 0 and 1                */
    double real;      /* reals; of integers the nearest double        */
    const char *text; /* text; dates and timestamps in ISO form; '\0' at its end */
    size_t length;
} query_value;

typedef struct query_expression query_expression;
struct query_expression {
    query_kind kind;
    dusk_type type;
    int position;            /* byte in the analyst's text from 0, or -1 */
    query_value value;       /* CONSTANT */
    size_t index;            /* COLUMN   */
    query_function function; /* CALL     */
    query_expression **argument;
    size_t arguments;
};

/* What is known about the values of an expression without looking at private data. */
typedef struct query_facts {
    double lower, upper; /* numbers; NaN: not known */
    bool nullable;
    const char *const *domain; /* every value it can have but NULL, as text; NULL: not known */
    size_t values;
} query_facts;

#endif
