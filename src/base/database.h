/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_DATABASE_H
#define DUSK_BASE_DATABASE_H

#include <stdbool.h>

/* Whether a SQLite database is there, as every ledger is one. Nothing that is written replaces it: with a ledger all that
 * was spent would be forgotten. */
bool dusk_is_database(const char *path);

#endif
