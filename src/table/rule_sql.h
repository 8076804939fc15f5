/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_RULE_SQL_H
#define DUSK_TABLE_RULE_SQL_H

/* SQL for the rules of columns, for engines that apply them themselves (DuckDB, PostgreSQL). */

#include "base/buffer.h"
#include "table/cast.h"

/* Text in quotes of the kind, those within it doubled: a literal by ', a name by ". */
void table_put_quoted(dusk_buffer *out, const char *text, char quote);
/* Column c out of a<c>, which has the declared type already: domain, then replacement of NULL. `types` are the
 * engine's names of types. A domain of at most list_max texts is written as list_contains([...], a<c>). */
void table_put_rules(dusk_buffer *out, size_t c, const dusk_column *column, const table_rule *rule,
                     const char *const types[DUSK_TYPE_TIMESTAMP + 1], size_t list_max);

#endif
