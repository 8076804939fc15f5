/* SPDX-License-Identifier: Apache-2.0 */
/* Declared domains; see domain.h. */
#include "table/domain.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "table/schema.h"
#include "table/value.h"

/* The next value of the list at *at, unescaped into `out`, which has room for all of it; *at goes
 * behind its comma, or to the end. False for an escape that is none. */
static bool take_value(char *out, size_t *length, const char **at)
{
    const char *p = *at;
    *length = 0;
    for (; *p && *p != ','; p++) {
        if (*p == '\\' && *++p != ',' && *p != '\\') return false;
        out[(*length)++] = *p;
    }
    *at = p;
    return true;
}

static size_t count_values(const char *text)
{
    size_t n = 1;
    for (; *text; text++) {
        if (*text == '\\' && text[1])
            text++;
        else if (*text == ',')
            n++;
    }
    return n;
}

/* FNV-1a; the order of a domain is the user's, so equal values are found by hash. */
static size_t hash_of(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static dusk_status refuse_twins(char *const *domain, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size = 1, *slots = NULL;
    while (size < 2 * n) size *= 2;
    DUSK_NEW(slots, size);
    for (size_t i = 0; i < n; i++) {
        size_t at = hash_of(domain[i]) & (size - 1);
        for (; slots[at]; at = (at + 1) & (size - 1))
            if (strcmp(domain[slots[at] - 1], domain[i]) == 0) {
                status = dusk_fail(err, DUSK_ERR_ARGUMENT, "name each value once: domain=a,b,c",
                                   "value %zu of the domain is the same as value %zu", i + 1, slots[at]);
                goto done;
            }
        slots[at] = i + 1;
    }
done:
    dusk_deallocate(slots);
    return status;
}

/* One value as its type writes it, or a refusal that says which. */
static dusk_status keep_value(char **out, dusk_type type, const char *text, size_t length, size_t number,
                              dusk_error *err)
{
    char written[TABLE_VALUE_MAX];
    bool fine =
        type == DUSK_TYPE_TEXT ? dusk_utf8_valid(text, length) : table_canonical(written, type, text, length);
    if (!fine)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write domain=a,b,c; a comma in a value is written \\,",
                         "value %zu of the domain is not of type %s", number, dusk_type_name(type));
    *out = type == DUSK_TYPE_TEXT ? table_copy(text, length) : table_copy(written, strlen(written));
    return *out ? DUSK_OK : dusk_fail_memory(err);
}

static void free_values(char **domain, size_t n)
{
    for (size_t i = 0; domain && i < n; i++) dusk_deallocate(domain[i]);
    dusk_deallocate(domain);
}

dusk_status table_domain_parse(char ***out, size_t *values, dusk_type type, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char **domain = NULL, *room = NULL;
    size_t n = count_values(text), length;
    const char *at = text;
    DUSK_NEW(domain, n);
    DUSK_NEW(room, strlen(text) + 1);
    for (size_t i = 0; i < n; i++) {
        if (!take_value(room, &length, &at)) {
            status = dusk_fail(err, DUSK_ERR_ARGUMENT, "write \\, for a comma and \\\\ for a backslash",
                               "value %zu of the domain has a backslash that escapes nothing", i + 1);
            goto done;
        }
        if (*at) at++;
        DUSK_TRY(keep_value(&domain[i], type, room, length, i + 1, err));
    }
    DUSK_TRY(refuse_twins(domain, n, err));
    *out = domain;
    *values = n;
    domain = NULL;
done:
    free_values(domain, n);
    dusk_deallocate(room);
    return status;
}

dusk_status table_domain_retype(char ***out, const dusk_column *column, dusk_type type, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char **domain = NULL;
    DUSK_NEW(domain, column->values);
    for (size_t i = 0; i < column->values; i++)
        DUSK_TRY(keep_value(&domain[i], type, column->domain[i], strlen(column->domain[i]), i + 1, err));
    DUSK_TRY(refuse_twins(domain, column->values, err));
    *out = domain;
    domain = NULL;
done:
    free_values(domain, column->values);
    return status;
}
