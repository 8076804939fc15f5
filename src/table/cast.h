/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_CAST_H
#define DUSK_TABLE_CAST_H

/* Values, casts between types, and the rules of a declared column: what does not parse is NULL, what
 * is outside the domain is NULL, and a NULL of a column that is not nullable is replaced. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/table.h"
#include "table/value.h"

/* A value of one of the types. Text points somewhere else, or into `room`: do not copy the struct. */
typedef struct table_value {
    bool null;
    int64_t integer;  /* integers and booleans */
    double real;      /* reals; never NaN */
    const char *text; /* text, dates and timestamps */
    size_t length;
    char room[TABLE_VALUE_MAX];
} table_value;

/* The value of `type` that something is, or NULL. Whole numbers from reals are the nearest, halves
 * away from 0. */
void table_cast_text(table_value *out, dusk_type type, const char *text, size_t length);
void table_cast_integer(table_value *out, dusk_type type, int64_t x);
void table_cast_real(table_value *out, dusk_type type, double x);

/* Longer texts are cut before a character, so that no row is too long for an engine. */
#define TABLE_TEXT_MAX ((size_t)1 << 18)
/* How many of `length` bytes stay. */
size_t table_text_cut(const char *text, size_t length);

/* The rules of a column, on their own: nothing is borrowed from the schema. */
typedef struct table_rule {
    dusk_type type;
    bool replaces;           /* NULL by `replacement` */
    table_value replacement; /* its text is in `domain`, in its own room, or constant */
    size_t values, slots;    /* of the domain; 0 slots: none is declared */
    table_value *domain;
    bool is_range; /* the domain is the whole numbers from low to high */
    int64_t low, high;
    char *texts;  /* of the domain */
    size_t *slot; /* 1 + number of a value, 0: free */
} table_rule;
DUSK_MUST_USE dusk_status table_rule_init(table_rule *out, const dusk_column *column, dusk_error *err);
void table_rule_clear(table_rule *rule);
/* Apply domain and replacement to a value of the rule's type. */
void table_rule_apply(const table_rule *rule, table_value *value);

#endif
