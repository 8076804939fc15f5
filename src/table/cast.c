/* SPDX-License-Identifier: Apache-2.0 */
/* Casts and the rules of columns; see cast.h. */
#include "table/cast.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "table/calendar.h"

/* --- casts -------------------------------------------------------------------------------- */

static void cast_time(table_value *out, dusk_type type, const char *text, size_t length)
{
    table_time time;
    if (!table_read_time(&time, text, length)) return;
    if (type == DUSK_TYPE_DATE)
        table_write_date(out->room, &time);
    else
        table_write_timestamp(out->room, &time);
    out->text = out->room;
    out->length = type == DUSK_TYPE_DATE ? TABLE_DATE_LENGTH : TABLE_TIMESTAMP_LENGTH;
    out->null = false;
}

void table_cast_text(table_value *out, dusk_type type, const char *text, size_t length)
{
    bool truth;
    out->null = true;
    switch (type) {
    case DUSK_TYPE_INTEGER: out->null = !table_read_integer(&out->integer, text, length); return;
    case DUSK_TYPE_REAL: out->null = !table_read_real(&out->real, text, length); return;
    case DUSK_TYPE_BOOLEAN:
        if (!table_read_boolean(&truth, text, length)) return;
        out->integer = truth;
        out->null = false;
        return;
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP: cast_time(out, type, text, length); return;
    case DUSK_TYPE_TEXT:
        out->text = text;
        out->length = length;
        out->null = false;
        return;
    }
}

void table_cast_integer(table_value *out, dusk_type type, int64_t x)
{
    out->null = type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
    out->integer = type == DUSK_TYPE_BOOLEAN ? x != 0 : x;
    out->real = (double)x;
    if (type != DUSK_TYPE_TEXT) return;
    snprintf(out->room, sizeof out->room, "%" PRId64, x);
    out->text = out->room;
    out->length = strlen(out->room);
}

void table_cast_real(table_value *out, dusk_type type, double x)
{
    dusk_text writer;
    out->null = isnan(x) || type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
    if (out->null) return;
    out->real = x;
    if (type == DUSK_TYPE_BOOLEAN) out->integer = x != 0;
    if (type == DUSK_TYPE_INTEGER) out->null = !table_whole(&out->integer, x);
    if (type != DUSK_TYPE_TEXT) return;
    dusk_text_init(&writer, out->room, sizeof out->room);
    dusk_text_number(&writer, x);
    out->text = out->room;
    out->length = writer.length;
}

size_t table_text_cut(const char *text, size_t length)
{
    if (length <= TABLE_TEXT_MAX) return length;
    length = TABLE_TEXT_MAX;
    while (length > TABLE_TEXT_MAX - 4 && (text[length] & 0xC0) == 0x80) length--;
    return length;
}

/* --- domains --------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static size_t place(const table_rule *rule, const table_value *v)
{
    uint64_t h = 0;
    switch (rule->type) {
    case DUSK_TYPE_INTEGER:
    case DUSK_TYPE_BOOLEAN: h = (uint64_t)v->integer; break;
    case DUSK_TYPE_REAL: h = bits_of(v->real); break;
    case DUSK_TYPE_TEXT:
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP: h = hash_bytes(v->text, v->length); break;
    }
    h *= 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 32) & (rule->slots - 1);
}

static bool same(const table_rule *rule, const table_value *a, const table_value *b)
{
    switch (rule->type) {
    case DUSK_TYPE_INTEGER:
    case DUSK_TYPE_BOOLEAN: return a->integer == b->integer;
    case DUSK_TYPE_REAL: return a->real == b->real;
    case DUSK_TYPE_TEXT:
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP: return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    }
    return false;
}

/* The slot of a value, or the free one where it would be. */
static size_t *find(const table_rule *rule, const table_value *v)
{
    size_t at = place(rule, v);
    while (rule->slot[at] && !same(rule, v, &rule->domain[rule->slot[at] - 1]))
        at = (at + 1) & (rule->slots - 1);
    return &rule->slot[at];
}

/* --- rules ------------------------------------------------------------------------------------- */

/* Keys are often the numbers from 0 or 1 on; values of a domain are distinct. */
static void find_range(table_rule *rule)
{
    rule->is_range = rule->type == DUSK_TYPE_INTEGER;
    for (size_t i = 0; i < rule->values && rule->is_range; i++) {
        int64_t x = rule->domain[i].integer;
        rule->is_range = !rule->domain[i].null;
        if (i == 0 || x < rule->low) rule->low = x;
        if (i == 0 || x > rule->high) rule->high = x;
    }
    if (rule->is_range) rule->is_range = (uint64_t)rule->high - (uint64_t)rule->low == rule->values - 1;
}

static dusk_status take_domain(table_rule *rule, const dusk_column *column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t bytes = 0, used = 0;
    for (size_t i = 0; i < column->values; i++) bytes += strlen(column->domain[i]) + 1;
    for (rule->slots = 2; rule->slots < 2 * column->values;) rule->slots *= 2;
    DUSK_NEW(rule->domain, column->values);
    DUSK_NEW(rule->texts, bytes);
    DUSK_NEW(rule->slot, rule->slots);
    rule->values = column->values;
    for (size_t i = 0; i < column->values; i++) {
        size_t length = strlen(column->domain[i]);
        memcpy(rule->texts + used, column->domain[i], length);
        table_cast_text(&rule->domain[i], rule->type, rule->texts + used, length);
        used += length + 1;
        if (!rule->domain[i].null) *find(rule, &rule->domain[i]) = i + 1;
    }
    find_range(rule);
done:
    return status;
}

/* What a NULL counts as. */
static void take_replacement(table_rule *rule, const dusk_column *column)
{
    table_value *r = &rule->replacement;
    double nearest = 0; /* to 0, within the bounds */
    if (column->lower > 0) nearest = column->lower;
    if (column->upper < 0) nearest = column->upper;
    if (rule->type == DUSK_TYPE_DATE || rule->type == DUSK_TYPE_TIMESTAMP)
        table_cast_text(r, rule->type, "1970-01-01", 10);
    else if (rule->type == DUSK_TYPE_TEXT)
        table_cast_text(r, rule->type, "", 0);
    else
        table_cast_real(r, rule->type, nearest);
    rule->replaces = true;
}

dusk_status table_rule_init(table_rule *out, const dusk_column *column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (table_rule){ .type = column->type };
    if (column->domain) DUSK_TRY(take_domain(out, column, err));
    if (!column->nullable) take_replacement(out, column);
done:
    if (status != DUSK_OK) table_rule_clear(out);
    return status;
}

void table_rule_clear(table_rule *rule)
{
    dusk_deallocate(rule->domain);
    dusk_deallocate(rule->texts);
    dusk_deallocate(rule->slot);
    *rule = (table_rule){ .replaces = false };
}

static void copy_value(table_value *out, const table_value *from)
{
    out->null = from->null;
    out->integer = from->integer;
    out->real = from->real;
    out->text = from->text; /* of the rule, which outlives the value */
    out->length = from->length;
}

static bool is_within(const table_rule *rule, const table_value *value)
{
    if (rule->is_range) return value->integer >= rule->low && value->integer <= rule->high;
    return *find(rule, value) != 0;
}

void table_rule_apply(const table_rule *rule, table_value *value)
{
    if (!value->null && rule->slots && DUSK_MUTATE(DOMAIN_LETS_OTHERS_IN, !is_within(rule, value), false))
        value->null = true;
    if (!value->null || !rule->replaces) return;
    copy_value(value, rule->values ? &rule->domain[0] : &rule->replacement);
}
