/* SPDX-License-Identifier: Apache-2.0 */
/* Names of types, and how names are compared. */
#include "table/schema.h"

#include <string.h>

static const char *const names[] = {
    [DUSK_TYPE_INTEGER] = "integer", [DUSK_TYPE_REAL] = "real", [DUSK_TYPE_TEXT] = "text",
    [DUSK_TYPE_BOOLEAN] = "boolean", [DUSK_TYPE_DATE] = "date", [DUSK_TYPE_TIMESTAMP] = "timestamp",
};
enum { TYPES = sizeof names / sizeof *names };

const char *dusk_type_name(dusk_type type)
{
    return type >= DUSK_TYPE_INTEGER && (int)type < TYPES ? names[type] : "unknown";
}

dusk_type dusk_type_named(const char *name)
{
    for (int i = DUSK_TYPE_INTEGER; i < TYPES; i++)
        if (table_same_name(name, strlen(name), names[i])) return (dusk_type)i;
    return (dusk_type)0;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool table_same_name(const char *name, size_t length, const char *other)
{
    if (strlen(other) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (lower(name[i]) != lower(other[i])) return false;
    return true;
}
