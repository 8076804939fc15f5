/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_FIELDS_H
#define DUSK_TABLE_FIELDS_H

/* Inside of dusk/frame.h: making declared fields one after the other. */

#include "dusk/frame.h"

#define TABLE_FIELDS_MAX (1u << 16)
#define TABLE_CATEGORIES_MAX (1u << 20)

/* No fields, unit "row", one row each. */
DUSK_MUST_USE dusk_status table_fields_new(dusk_fields **out, dusk_error *err);
/* Add one, whose values are taken over: they are freed also on failure. */
DUSK_MUST_USE dusk_status table_fields_add(dusk_fields *fields, const dusk_field *field, dusk_error *err);
/* A numeric field, and one of categories that are copied; what they are is checked: DUSK_ERR_ARGUMENT. `missing` NaN: the
 * middle. */
DUSK_MUST_USE dusk_status table_fields_add_number(dusk_fields *fields, const char *name, double lower,
                                                  double upper, double missing, dusk_error *err);
DUSK_MUST_USE dusk_status table_fields_add_category(dusk_fields *fields, const char *name,
                                                    const char *const *value, size_t values, dusk_error *err);
/* Whose privacy: as many whole characters of the text as there is room for. */
void table_fields_unit(dusk_fields *fields, const char *unit);
/* DUSK_ERR_ARGUMENT when two have the same name. */
DUSK_MUST_USE dusk_status table_fields_distinct(const dusk_fields *fields, dusk_error *err);

#endif
