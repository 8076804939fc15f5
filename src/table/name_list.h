/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_NAME_LIST_H
#define DUSK_TABLE_NAME_LIST_H

/* Names of tables as dusk_engine_class.tables hands them over. */

#include <stddef.h>

#include "dusk/base.h"

/* `n` names that lie one after the other in all[0 .. bytes), each with its '\0', as a list that ends in NULL
 * and is one allocation. */
DUSK_MUST_USE dusk_status table_name_list(char ***out, const char *all, size_t bytes, size_t n,
                                          dusk_error *err);

#endif
