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

static unsigned char folded_byte(char c, bool folded)
{
    return (unsigned char)(folded && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* FNV-1a; the order of a domain is the user's, so equal values are found by hash. */
static size_t hash_of(const char *text, bool folded)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ folded_byte(*text, folded)) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

static bool same_text(const char *a, const char *b, bool folded)
{
    return folded ? table_same_name(a, strlen(a), b) : strcmp(a, b) == 0;
}

dusk_status table_find_twins(size_t *first, size_t *second, const char *const *texts, size_t n, bool folded,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size = 1, *slots = NULL;
    *second = n;
    while (size < 2 * n) size *= 2;
    DUSK_NEW(slots, size);
    for (size_t i = 0; i < n; i++) {
        size_t at = hash_of(texts[i], folded) & (size - 1);
        for (; slots[at]; at = (at + 1) & (size - 1))
            if (same_text(texts[slots[at] - 1], texts[i], folded)) {
                *first = slots[at] - 1;
                *second = i;
                goto done;
            }
        slots[at] = i + 1;
    }
done:
    dusk_deallocate(slots);
    return status;
}

static dusk_status refuse_twins(char *const *domain, size_t n, dusk_error *err)
{
    size_t first = 0, second;
    dusk_status status = table_find_twins(&first, &second, (const char *const *)domain, n, false, err);
    if (status != DUSK_OK || second == n) return status;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "name each value once: domain=a,b,c",
                     "value %zu of the domain is the same as value %zu", second + 1, first + 1);
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

void table_free_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++) dusk_deallocate(texts[i]);
    dusk_deallocate(texts);
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
    table_free_texts(domain, n);
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
    table_free_texts(domain, column->values);
    return status;
}
