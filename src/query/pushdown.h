/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_PUSHDOWN_H
#define DUSK_QUERY_PUSHDOWN_H

/* Bounding on the server: the steps of bounding.h as one statement of window functions around the SQL of a
 * relation, so that what travels is a line for each group and not one for each row. The totals are those
 * that bounding.h would have made of the same rows, integers, bit by bit; what stays of a unit that holds too
 * much is chosen by the same law, with SHA-256 under a secret of 32 bytes in place of the keyed coins
 * (pushdown.proof.md). DISTINCT and COLLECT are not made this way: values would have to travel.
 *
 * The server sorts in its work_mem and goes to its own disk beyond it. What can fail is the connection,
 * and the server's memory, disk or temp_file_limit: that a table is too large for a server cannot be
 * hidden. Here the groups are held in memory: their keys and totals.
 *
 * The server takes seven to nine times the CPU time that streaming takes of both (docs/benchmarks.md), so
 * it is done where rows would go over a network, and not on the same machine. */

#include "query/bounding.h"

/* More public groups than this are not sent with a statement, nor more bytes of their texts. */
#define PUSHDOWN_GROUPS_MAX ((size_t)1 << 16)
#define PUSHDOWN_TEXT_MAX ((size_t)1 << 24)
enum { PUSHDOWN_SECRET = 32 };

/* Whether rows would travel. */
bool query_pushdown_pays(const dusk_engine *engine);
/* Whether the server can do it; depends on declared things alone. */
bool query_pushdown_fits(const bounding_options *options, dusk_dialect dialect);

/* As bounding_new, bounding_add and bounding_finish over the rows of `sql`, whose columns are the unit, the
 * keys and the values. What is refused is refused by _new, which reads no row; memory, folder and threads of
 * the options do not matter, and what they point to must live on. */
typedef struct query_pushdown query_pushdown;
DUSK_MUST_USE dusk_status query_pushdown_new(query_pushdown **out, const bounding_options *options,
                                             const char *sql, dusk_generator *gen, dusk_error *err);
/* Once. */
DUSK_MUST_USE dusk_status query_pushdown_finish(query_pushdown *p, bounded **out, dusk_engine *engine,
                                                dusk_error *err);
/* It is wiped; NULL is fine. */
void query_pushdown_free(query_pushdown *p);

/* The statement (pushdown_sql.c), to be freed with dusk_deallocate. Its columns: the keys where they are private, or the
 * number of the public group from 1 where there are keys; the units; each total as text. */
DUSK_MUST_USE dusk_status query_pushdown_sql(char **out, const bounding_options *options, const char *sql,
                                             const unsigned char secret[PUSHDOWN_SECRET], dusk_error *err);

#ifdef DUSK_TESTING
/* It pays on this machine, too, until it is called with false: so that a test can have queries run both ways. */
void query_pushdown_everywhere(bool on);
#endif

#endif
