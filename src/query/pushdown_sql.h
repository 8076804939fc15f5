/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_PUSHDOWN_SQL_H
#define DUSK_QUERY_PUSHDOWN_SQL_H

/* A statement while it is made: from the inside out, a SELECT around what there is.
 *
 *   pushdown_terms.c
 *     rows        the relation: unit, keys, values; units that are NULL and rows in no public group go
 *     terms       what each row would add to each total: whole numbers s0, s1, ..., on the total's grid
 *   pushdown_sql.c
 *     unit rows   where rows_per_unit is set
 *     groups      the groups of a unit in the order of their hashes h
 *     rows        of a group, in the order of theirs
 *     totals      of groups */

#include "base/buffer.h"
#include "query/pushdown.h"

typedef struct pushdown_statement {
    const bounding_options *options;
    const unsigned char *secret;
    dusk_buffer text;
    size_t groups;      /* columns g0, g1, ...: the keys, or the number of the public group */
    bool public_groups; /* there are keys, and these are public */
    bool hashed;        /* there is a column h */
} pushdown_statement;

/* u, g0, g1, ..., s0, s1, ... of the rows of `sql`. */
void pushdown_put_terms(pushdown_statement *s, const char *sql);

/* The text becomes that before it, itself, and that after it; `before` is empty afterwards. */
void pushdown_enclose(pushdown_statement *s, dusk_buffer *before, const char *after);
/* Whether rows have a term s<t> for the total. */
bool pushdown_has_term(const bounding_total *total);
/* `before` and then g0, g1, ...; nothing where there are none. */
void pushdown_put_groups(dusk_buffer *out, const pushdown_statement *s, const char *before);

#endif
