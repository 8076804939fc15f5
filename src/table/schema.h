/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_SCHEMA_H
#define DUSK_TABLE_SCHEMA_H

/* Inside of dusk/table.h: names, copies, and how texts become links. */

#include <stdbool.h>
#include <stddef.h>

#include "dusk/table.h"

/* Whether name[0 .. length) is `other`, without regard to ASCII case. */
bool table_same_name(const char *name, size_t length, const char *other);
/* A copy of text[0 .. length) that ends in '\0'; NULL when there is no memory. */
char *table_copy(const char *text, size_t length);
/* "table.column": the table's name is text[0 .. *table), the column's begins behind the dot.
 * The first dot divides, since a table's name has none. NULL when there is no dot. */
const char *table_split(const char *text, size_t *table);

size_t table_find(const dusk_schema *schema, const char *name, size_t length);
size_t table_column_find(const dusk_table_schema *table, const char *name, size_t length);

/* Find the unit and the target of every link by its text: what is not there (yet) is
 * DUSK_NO_LINK. A link leads to a unique column, or to the unit, of the same type. */
void table_resolve(dusk_schema *schema);

void table_domain_free(dusk_column *column);
void table_column_clear(dusk_column *column);
void table_clear(dusk_table_schema *table);

#endif
