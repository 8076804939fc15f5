/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_PARSE_H
#define DUSK_QUERY_PARSE_H

/* The analyst's text as PostgreSQL's own parser reads it, and the one way to look at the tree: what
 * is not asked for by name is refused. Nothing of the text but names goes into a message. */

#include <jansson.h>
#include <stdbool.h>

#include "query/expression.h"

#define QUERY_TEXT_MAX ((size_t)65536) /* bytes of SQL */
#define QUERY_DEPTH_MAX 64u            /* nested expressions and subqueries */
#define QUERY_WORK_MAX 20000u          /* nodes that are looked at, those of a WITH at each use */
#define QUERY_COLUMNS_MAX 4096u        /* columns of a join */
#define QUERY_MEMORY_MAX ((size_t)256 << 20)
#define QUERY_LIST_MAX 256u /* columns of a SELECT list, constants of a list */

/* One reading of one text. Functions that make something give NULL when they refuse; the first
 * refusal is in `err`. */
typedef struct query_reader {
    query_arena *arena;
    const dusk_schema *schema;
    const char *sql;
    dusk_error *err;
    dusk_status status;
    unsigned depth;
    unsigned work;
    size_t taken; /* bytes */
} query_reader;

/* "at character 17: ...", always NULL. Position in bytes from 0; below 0: no place is named. */
void *query_refuse(query_reader *in, int position, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void *query_refuse_memory(query_reader *in);
/* query_arena_take that refuses. */
void *query_take(query_reader *in, size_t count, size_t size);
/* query_arena_text that refuses. */
char *query_keep(query_reader *in, const char *text, size_t length);

/* The one SELECT of the text: its SelectStmt. *root is to be given to json_decref. */
const json_t *query_parse(query_reader *in, json_t **root);

/* A node is an object with one member, named after its kind: the kind, or "" when it is not one. */
const char *query_node(const json_t *node, const json_t **body);
bool query_node_is(const json_t *node, const char *kind, const json_t **body);
/* Refuses when the node has a member that is not among `allowed` (names with blanks between them). */
bool query_only(query_reader *in, const json_t *body, const char *allowed, const char *what);
/* The first place in a node, or -1. */
int query_place(const json_t *node);
const char *query_string(const json_t *body, const char *member); /* "" when it is not there */
bool query_flag(const json_t *body, const char *member);
/* The text of {"String":{"sval":...}}, or NULL. */
const char *query_name(const json_t *node);
/* One level further down; refuses beyond the limits. Every success is followed by query_leave. */
bool query_enter(query_reader *in, const json_t *node);
void query_leave(query_reader *in);
bool query_same_name(const char *a, const char *b); /* without regard to ASCII case */
/* How many bytes of a declared name the parser leaves of it when it is written: at most 63, in whole characters. */
size_t query_name_length(const char *name);

#endif
