/* SPDX-License-Identifier: Apache-2.0 */
/* Declared fields: making them by hand, by a schema, and as copies. Their text form is in fields_text.c. */
#include "table/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/utf8.h"
#include "table/domain.h"
#include "table/schema.h"

dusk_status table_fields_new(dusk_fields **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *fields = NULL;
    *out = NULL;
    DUSK_NEW(fields, 1);
    memcpy(fields->unit, "row", sizeof "row");
    fields->rows_per_unit = 1;
    *out = fields;
done:
    return status;
}

void dusk_fields_free(dusk_fields *fields)
{
    if (!fields) return;
    for (size_t i = 0; i < fields->count; i++)
        table_free_texts(fields->field[i].value, fields->field[i].values);
    dusk_deallocate(fields->field);
    dusk_deallocate(fields);
}

/* The list has room for a power of two, which its length tells. */
dusk_status table_fields_add(dusk_fields *fields, const dusk_field *field, dusk_error *err)
{
    size_t n = fields->count;
    dusk_status status = DUSK_OK;
    if (n >= TABLE_FIELDS_MAX)
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer", "there are more than %u fields",
                           TABLE_FIELDS_MAX);
    if (status == DUSK_OK && (n & (n - 1)) == 0) {
        void *larger = dusk_larger(fields->field, n, n ? 2 * n : 1, sizeof *fields->field);
        if (larger)
            fields->field = larger;
        else
            status = dusk_fail_memory(err);
    }
    if (status == DUSK_OK)
        fields->field[fields->count++] = *field;
    else
        table_free_texts(field->value, field->values);
    return status;
}

static dusk_status take_name(dusk_field *field, const char *name, dusk_error *err)
{
    size_t length = strlen(name);
    if (length == 0 || length > DUSK_NAME_MAX || !dusk_utf8_valid(name, length))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give another name",
                         "the name of a field has 1 to %d bytes of UTF-8", DUSK_NAME_MAX);
    memcpy(field->name, name, length + 1);
    return DUSK_OK;
}

dusk_status table_fields_add_number(dusk_fields *fields, const char *name, double lower, double upper,
                                    double missing, dusk_error *err)
{
    dusk_field field = { .kind = DUSK_FIELD_NUMERIC, .lower = lower + 0.0, .upper = upper + 0.0 };
    dusk_status status = take_name(&field, name, err);
    if (status != DUSK_OK) return status;
    if (!isfinite(lower) || !isfinite(upper) || !(lower < upper))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write numeric 0:100, the least and the greatest number",
                         "the bounds of %s are finite, and the first is below the second", name);
    field.missing = isnan(missing) ? lower / 2 + upper / 2 : missing + 0.0;
    if (!(field.missing >= lower && field.missing <= upper))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write numeric 0:100 missing 50",
                         "what a missing %s counts as is not within its bounds", name);
    return table_fields_add(fields, &field, err);
}

static dusk_status check_values(const char *name, const char *const *value, size_t values, dusk_error *err)
{
    size_t first = 0, second = 0;
    if (values < 1 || values > TABLE_CATEGORIES_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write category a,b,c", "%s has %zu categories, not 1 to %u",
                         name, values, TABLE_CATEGORIES_MAX);
    for (size_t v = 0; v < values; v++)
        if (!dusk_utf8_valid(value[v], strlen(value[v])))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "save the text as UTF-8",
                             "category %zu of %s is not UTF-8", v + 1, name);
    dusk_status status = table_find_twins(&first, &second, value, values, false, err);
    if (status != DUSK_OK || second == values) return status;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "name each category once",
                     "category %zu of %s is the same as %zu", second + 1, name, first + 1);
}

dusk_status table_fields_add_category(dusk_fields *fields, const char *name, const char *const *value,
                                      size_t values, dusk_error *err)
{
    dusk_field field = { .kind = DUSK_FIELD_CATEGORY };
    dusk_status status;
    DUSK_TRY(take_name(&field, name, err));
    DUSK_TRY(check_values(name, value, values, err));
    DUSK_NEW(field.value, values);
    for (; field.values < values; field.values++) {
        const char *text = value[field.values];
        if (!(field.value[field.values] = table_copy(text, strlen(text)))) {
            status = dusk_fail_memory(err);
            goto done;
        }
    }
    return table_fields_add(fields, &field, err);
done:
    table_free_texts(field.value, field.values);
    return status;
}

void table_fields_unit(dusk_fields *fields, const char *unit)
{
    size_t length = strlen(unit), used = 0, size;
    while ((size = dusk_utf8_size(unit + used, length - used)) > 0 && used + size < sizeof fields->unit)
        used += size;
    memcpy(fields->unit, unit, used);
    fields->unit[used] = '\0';
}

dusk_status table_fields_distinct(const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char **name = NULL;
    size_t first = 0, second = 0;
    DUSK_NEW(name, fields->count);
    for (size_t i = 0; i < fields->count; i++) name[i] = fields->field[i].name;
    DUSK_TRY(table_find_twins(&first, &second, name, fields->count, true, err));
    if (second < fields->count)
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "name each field once", "two fields are called %s",
                           name[second]);
done:
    dusk_deallocate(name);
    return status;
}

size_t dusk_fields_find(const dusk_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (table_same_name(name, strlen(name), fields->field[i].name)) return i;
    return DUSK_NO_LINK;
}

/* --- copies ------------------------------------------------------------------------------- */

static dusk_status add_copy(dusk_fields *fields, const dusk_field *field, dusk_error *err)
{
    if (field->kind == DUSK_FIELD_CATEGORY)
        return table_fields_add_category(fields, field->name, (const char *const *)field->value,
                                         field->values, err);
    return table_fields_add_number(fields, field->name, field->lower, field->upper, field->missing, err);
}

/* keep[field] for all that are named. */
static dusk_status mark_kept(bool *kept, const dusk_fields *fields, const char *const *keep,
                             size_t keep_count, dusk_error *err)
{
    for (size_t k = 0; k < keep_count; k++) {
        size_t at = dusk_fields_find(fields, keep[k]);
        if (at == DUSK_NO_LINK)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "name fields that are declared",
                             "there is no field %.128s", keep[k]);
        kept[at] = true;
    }
    return DUSK_OK;
}

dusk_status dusk_fields_copy(dusk_fields **out, const dusk_fields *fields, const char *const *keep,
                             size_t keep_count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *copy = NULL;
    bool *kept = NULL;
    *out = NULL;
    DUSK_NEW(kept, fields->count);
    if (keep) DUSK_TRY(mark_kept(kept, fields, keep, keep_count, err));
    DUSK_TRY(table_fields_new(&copy, err));
    snprintf(copy->unit, sizeof copy->unit, "%s", fields->unit);
    copy->rows_per_unit = fields->rows_per_unit;
    for (size_t i = 0; i < fields->count; i++)
        if (!keep || kept[i]) DUSK_TRY(add_copy(copy, &fields->field[i], err));
    *out = copy;
    copy = NULL;
done:
    dusk_fields_free(copy);
    dusk_deallocate(kept);
    return status;
}

/* --- of a schema ---------------------------------------------------------------------------- */

/* What NULL counts as where it cannot be: the number within the bounds that is nearest 0. */
static double nearest_zero(const dusk_column *column) { return fmin(fmax(0, column->lower), column->upper); }

static dusk_status add_schema_column(dusk_fields *fields, const dusk_column *column, dusk_error *err)
{
    static const char *const truth[] = { "false", "true" };
    if (column->domain)
        return table_fields_add_category(fields, column->name, (const char *const *)column->domain,
                                         column->values, err);
    if (column->type == DUSK_TYPE_BOOLEAN)
        return table_fields_add_category(fields, column->name, truth, 2, err);
    if (isnan(column->lower)) return DUSK_OK;
    return table_fields_add_number(fields, column->name, column->lower, column->upper,
                                   column->nullable ? NAN : nearest_zero(column), err);
}

/* How many rows of the table a unit has at most, by declaration; 0: not known. */
static uint32_t rows_of_unit(const dusk_schema *schema, size_t table)
{
    dusk_path path;
    const dusk_table_schema *from = &schema->table[table];
    if (!schema->unit || from->is_public || dusk_schema_path(schema, &path, table, NULL) != DUSK_OK) return 0;
    const dusk_column *unit = &schema->table[path.step[0].table].column[path.step[0].column];
    return unit->unique ? 1 : from->rows_per_unit;
}

dusk_status dusk_fields_from_schema(dusk_fields **out, const dusk_schema *schema, size_t table,
                                    dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *fields = NULL;
    *out = NULL;
    if (table >= schema->tables)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name a table of the source",
                         "the source has no such table");
    const dusk_table_schema *from = &schema->table[table];
    DUSK_TRY(table_fields_new(&fields, err));
    uint32_t rows = DUSK_MUTATE(FIELDS_UNIT_HAS_ONE_ROW, rows_of_unit(schema, table), 1);
    if (rows > 0) {
        table_fields_unit(fields, schema->unit ? schema->unit : "row");
        fields->rows_per_unit = rows;
    }
    for (size_t c = 0; c < from->columns; c++) DUSK_TRY(add_schema_column(fields, &from->column[c], err));
    *out = fields;
    fields = NULL;
done:
    dusk_fields_free(fields);
    return status;
}
