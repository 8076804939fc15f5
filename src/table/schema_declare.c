/* SPDX-License-Identifier: Apache-2.0 */
/* Facts, applied to a schema or refused: one function a property. A refusal leaves the schema as
 * it was, and says what may be written.
 *
 * Facts are kept by the ledger and applied again when the file is opened, in the order of their
 * first declaration and with their last value. So whether a fact is accepted may ask for the table
 * or column it stands on, which came first, and for nothing that may have been declared between
 * the two: units and links are looked up anew after every fact (table_resolve). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/utf8.h"
#include "table/domain.h"
#include "table/engine.h"
#include "table/schema.h"
#include "table/value.h"

typedef struct fact {
    dusk_schema *schema;
    dusk_table_schema *table; /* NULL: of the whole source, or not there yet */
    dusk_column *column;      /* NULL: of a table, or not there yet */
    const char *subject, *property, *value;
} fact;

static dusk_status refuse(const fact *f, const char *hint, const char *why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s of %s: %s", f->property,
                     *f->subject ? f->subject : "the source", why);
}

/* --- values of facts ------------------------------------------------------------------------ */

static dusk_status read_yes(const fact *f, bool *out, bool otherwise, const char *hint, dusk_error *err)
{
    bool yes = otherwise;
    if (f->value && !table_read_boolean(&yes, f->value, strlen(f->value)))
        return refuse(f, hint, "it is yes or no", err);
    *out = yes;
    return DUSK_OK;
}

static dusk_status read_count(const fact *f, uint32_t *out, const char *hint, dusk_error *err)
{
    int64_t n = 0;
    if (f->value && (!table_read_integer(&n, f->value, strlen(f->value)) || n < 1 || n > UINT32_MAX))
        return refuse(f, hint, "it is a whole number from 1 to 4294967295", err);
    *out = (uint32_t)n;
    return DUSK_OK;
}

static dusk_status check_name(const char *name, size_t length, bool dots, dusk_error *err)
{
    bool plain = dusk_utf8_valid(name, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F || (!dots && name[i] == '.')) plain = false;
    if (length >= 1 && length <= DUSK_NAME_MAX && plain) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     dots ? "rename the column" : "give the table a plain name: visits=visits.2024.csv",
                     "the name of a %s has 1 to %d bytes of UTF-8, without control characters%s",
                     dots ? "column" : "table", DUSK_NAME_MAX, dots ? "" : " and dots");
}

/* --- of the whole source ------------------------------------------------------------------------ */

static dusk_status declare_unit(const fact *f, dusk_error *err)
{
    char *unit = NULL;
    if (f->value) {
        size_t length;
        const char *column = table_split(f->value, &length);
        if (!column || !*column || length == 0)
            return refuse(f, "unit=customer.id", "it is a column, written table.column", err);
        size_t t = table_find(f->schema, f->value, length);
        if (t != DUSK_NO_LINK && f->schema->table[t].is_public)
            return refuse(f, "take back public of the table, or choose another unit",
                          "its table is declared public", err);
        if (!(unit = table_copy(f->value, strlen(f->value)))) return dusk_fail_memory(err);
    }
    dusk_deallocate(f->schema->unit);
    f->schema->unit = unit;
    return DUSK_OK;
}

static dusk_status declare_version(const fact *f, dusk_error *err)
{
    int64_t version = 0;
    if (!f->value || !table_read_integer(&version, f->value, strlen(f->value)) || version < 1)
        return refuse(f, "version=2", "it is a whole number from 1", err);
    if ((uint64_t)version < f->schema->version)
        return refuse(f, "raise it when the data changed", "it never goes down", err);
    f->schema->version = (uint64_t)version;
    return DUSK_OK;
}

/* --- of a table ------------------------------------------------------------------------------------ */

static dusk_status add_table(const fact *f, char *source, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_schema *s = f->schema;
    dusk_table_schema *larger = dusk_allocate(s->tables + 1, sizeof *larger);
    if (!larger) return dusk_fail_memory(err);
    DUSK_TRY(check_name(f->subject, strlen(f->subject), false, err));
    if (s->tables) memcpy(larger, s->table, s->tables * sizeof *larger);
    larger[s->tables] = (dusk_table_schema){ .source = source };
    memcpy(larger[s->tables].name, f->subject, strlen(f->subject));
    dusk_deallocate(s->table);
    s->table = larger;
    s->tables++;
    return DUSK_OK;
done:
    dusk_deallocate(larger);
    return status;
}

static dusk_status remove_table(const fact *f, dusk_error *err)
{
    dusk_schema *s = f->schema;
    size_t t = (size_t)(f->table - s->table);
    if (f->table->columns || f->table->is_public || f->table->rows_per_unit || f->table->groups_per_unit)
        return refuse(f, "take back its columns and other facts first", "facts of the table still stand",
                      err);
    table_clear(f->table);
    memmove(&s->table[t], &s->table[t + 1], (s->tables - t - 1) * sizeof *s->table);
    s->tables--;
    return DUSK_OK;
}

static dusk_status declare_source(const fact *f, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location;
    char *source = NULL;
    if (!f->value) return f->table ? remove_table(f, err) : DUSK_OK;
    DUSK_TRY(dusk_location_parse(&location, f->value, err));
    dusk_location_clear(&location);
    DUSK_NEW(source, strlen(f->value) + 1);
    memcpy(source, f->value, strlen(f->value));
    if (f->table) {
        dusk_deallocate(f->table->source);
        f->table->source = source;
        source = NULL;
    } else {
        DUSK_TRY(add_table(f, source, err));
        source = NULL;
    }
done:
    dusk_deallocate(source);
    return status;
}

static dusk_status declare_table_public(const fact *f, dusk_error *err)
{
    bool yes = false;
    dusk_status status = read_yes(f, &yes, false, "public=yes", err);
    if (status != DUSK_OK) return status;
    if (yes && f->schema->unit_table == (size_t)(f->table - f->schema->table))
        return refuse(f, "choose another unit first", "the unit is a column of this table", err);
    f->table->is_public = yes;
    return DUSK_OK;
}

static dusk_status declare_rows(const fact *f, dusk_error *err)
{
    return read_count(f, &f->table->rows_per_unit, "rows_per_unit=10", err);
}

static dusk_status declare_groups(const fact *f, dusk_error *err)
{
    return read_count(f, &f->table->groups_per_unit, "groups_per_unit=5", err);
}

/* --- of a column ------------------------------------------------------------------------------------ */

static bool is_number(dusk_type type) { return type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_REAL; }

static dusk_status add_column(const fact *f, dusk_type type, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_table_schema *t = f->table;
    size_t skipped;
    const char *name = table_split(f->subject, &skipped);
    dusk_column *larger = dusk_allocate(t->columns + 1, sizeof *larger);
    if (!larger) return dusk_fail_memory(err);
    DUSK_TRY(check_name(name, strlen(name), true, err));
    if (t->columns) memcpy(larger, t->column, t->columns * sizeof *larger);
    larger[t->columns] = (dusk_column){ .type = type, .nullable = true, .lower = NAN, .upper = NAN };
    memcpy(larger[t->columns].name, name, strlen(name));
    dusk_deallocate(t->column);
    t->column = larger;
    t->columns++;
    return DUSK_OK;
done:
    dusk_deallocate(larger);
    return status;
}

static dusk_status remove_column(const fact *f, dusk_error *err)
{
    dusk_table_schema *t = f->table;
    dusk_column *c = f->column;
    size_t at = (size_t)(c - t->column);
    if (!c->nullable || c->is_public || c->unique || !isnan(c->lower) || c->domain || c->link)
        return refuse(f, "take back its other facts first", "facts of the column still stand", err);
    if (f->schema->unit_table == (size_t)(t - f->schema->table) && f->schema->unit_column == at)
        return refuse(f, "choose another unit first", "the column is the unit", err);
    table_column_clear(c);
    memmove(c, c + 1, (t->columns - at - 1) * sizeof *c);
    t->columns--;
    return DUSK_OK;
}

static dusk_status declare_type(const fact *f, dusk_error *err)
{
    dusk_type type = f->value ? dusk_type_named(f->value) : (dusk_type)0;
    dusk_status status = DUSK_OK;
    char **domain = NULL;
    if (!f->value) return f->column ? remove_column(f, err) : DUSK_OK;
    if (!type)
        return refuse(f, "integer, real, text, boolean, date or timestamp", "there is no type of that name",
                      err);
    if (!f->column) return add_column(f, type, err);
    if (!isnan(f->column->lower) && !is_number(type))
        return refuse(f, "take back its bounds first", "bounds are declared, and those are of numbers", err);
    if (f->column->domain) {
        DUSK_TRY(table_domain_retype(&domain, f->column, type, err));
        size_t values = f->column->values;
        table_domain_free(f->column);
        f->column->domain = domain;
        f->column->values = values;
    }
    f->column->type = type;
done:
    return status;
}

static dusk_status declare_bounds(const fact *f, dusk_error *err)
{
    static const char hint[] = "write bounds=0:500, the least and the greatest number";
    double lower = NAN, upper = NAN;
    if (f->value) {
        const char *colon = strchr(f->value, ':');
        if (!is_number(f->column->type))
            return refuse(f, "declare type=integer or type=real first", "bounds are of numbers", err);
        if (!colon || !table_read_real(&lower, f->value, (size_t)(colon - f->value)) ||
            !table_read_real(&upper, colon + 1, strlen(colon + 1)))
            return refuse(f, hint, "two numbers with a colon between them are expected", err);
        if (!(lower < upper) || isinf(lower) || isinf(upper))
            return refuse(f, hint, "the numbers are finite, and the first is below the second", err);
    }
    f->column->lower = lower + 0.0;
    f->column->upper = upper + 0.0;
    return DUSK_OK;
}

static dusk_status declare_domain(const fact *f, dusk_error *err)
{
    char **domain = NULL;
    size_t values = 0;
    if (f->value) {
        dusk_status status = table_domain_parse(&domain, &values, f->column->type, f->value, err);
        if (status != DUSK_OK) return status;
    }
    table_domain_free(f->column);
    f->column->domain = domain;
    f->column->values = values;
    return DUSK_OK;
}

static dusk_status declare_nullable(const fact *f, dusk_error *err)
{
    return read_yes(f, &f->column->nullable, true, "nullable=no", err);
}

static dusk_status declare_public(const fact *f, dusk_error *err)
{
    return read_yes(f, &f->column->is_public, false, "public=yes", err);
}

static dusk_status declare_unique(const fact *f, dusk_error *err)
{
    return read_yes(f, &f->column->unique, false, "unique=yes", err);
}

static dusk_status declare_link(const fact *f, dusk_error *err)
{
    char *link = NULL;
    if (f->value) {
        size_t length;
        const char *column = table_split(f->value, &length);
        if (length == 0 || (column && !*column))
            return refuse(f, "link=customer, or link=customer.id", "it is a table, or table.column", err);
        if (!(link = table_copy(f->value, strlen(f->value)))) return dusk_fail_memory(err);
    }
    dusk_deallocate(f->column->link);
    f->column->link = link;
    return DUSK_OK;
}

/* --- all of them ------------------------------------------------------------------------------------ */

typedef enum scope { OF_SOURCE, OF_TABLE, OF_COLUMN } scope;

static const struct {
    const char *name;
    scope of;
    dusk_status (*apply)(const fact *f, dusk_error *err);
    bool creates; /* its subject need not be there yet */
} properties[] = {
    { "unit", OF_SOURCE, declare_unit, false },
    { "version", OF_SOURCE, declare_version, false },
    { "source", OF_TABLE, declare_source, true },
    { "public", OF_TABLE, declare_table_public, false },
    { "rows_per_unit", OF_TABLE, declare_rows, false },
    { "groups_per_unit", OF_TABLE, declare_groups, false },
    { "type", OF_COLUMN, declare_type, true },
    { "bounds", OF_COLUMN, declare_bounds, false },
    { "domain", OF_COLUMN, declare_domain, false },
    { "nullable", OF_COLUMN, declare_nullable, false },
    { "public", OF_COLUMN, declare_public, false },
    { "unique", OF_COLUMN, declare_unique, false },
    { "link", OF_COLUMN, declare_link, false },
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static dusk_status unknown_property(const fact *f, scope of, dusk_error *err)
{
    static const char *const known[] = {
        "of the source: unit, version", "of a table: source, public, rows_per_unit, groups_per_unit",
        "of a column: type, bounds, domain, nullable, public, unique, link"
    };
    return dusk_fail(err, DUSK_ERR_ARGUMENT, known[of], "%s has no property %s",
                     *f->subject ? f->subject : "the source", f->property);
}

static dusk_status find_subject(fact *f, scope of, bool creates, dusk_error *err)
{
    size_t length;
    const char *column = table_split(f->subject, &length);
    size_t t = of == OF_SOURCE ? DUSK_NO_LINK : table_find(f->schema, f->subject, length);
    if (t != DUSK_NO_LINK) f->table = &f->schema->table[t];
    if (of != OF_SOURCE && !f->table && !(of == OF_TABLE && creates))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "a table comes into being by its source",
                         "there is no table %.*s", (int)(length < 128 ? length : 128), f->subject);
    if (of != OF_COLUMN) return DUSK_OK;
    size_t c = dusk_schema_column(f->table, column);
    if (c != DUSK_NO_LINK) f->column = &f->table->column[c];
    if (!f->column && !creates)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "a column comes into being by its type",
                         "table %s has no column %.128s", f->table->name, column);
    return DUSK_OK;
}

dusk_status dusk_schema_declare(dusk_schema *schema, const char *subject, const char *property,
                                const char *value, dusk_error *err)
{
    fact f = { .schema = schema, .subject = subject, .property = property, .value = value };
    scope of = !*subject ? OF_SOURCE : strchr(subject, '.') ? OF_COLUMN : OF_TABLE;
    for (size_t i = 0; i < PROPERTIES; i++) {
        if (properties[i].of != of || strcmp(properties[i].name, property) != 0) continue;
        dusk_status status = find_subject(&f, of, properties[i].creates, err);
        if (status == DUSK_OK) status = properties[i].apply(&f, err);
        if (status == DUSK_OK) table_resolve(schema);
        return status;
    }
    return unknown_property(&f, of, err);
}
