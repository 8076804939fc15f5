/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a table by name; see columns.h. */
#include "cli/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static dusk_status fail_list(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --columns town,sex",
                     "--columns must have the form A,B,... with at most %d different names of columns",
                     DUSK_COLUMNS_MAX);
}

dusk_status dusk_columns_parse(dusk_columns *out, const char *list, dusk_error *err)
{
    out->count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= DUSK_FIELD_MAX || out->count == DUSK_COLUMNS_MAX) return fail_list(err);
        char *name = out->name[out->count];
        memcpy(name, at, length);
        name[length] = '\0';
        for (size_t i = 0; i < out->count; i++)
            if (!strcmp(out->name[i], name)) return fail_list(err);
        out->count++;
        at += length;
        if (!*at) return DUSK_OK;
    }
}

typedef struct header {
    dusk_columns *columns;
    dusk_text names; /* for the hint */
} header;

static void take_name(void *context, size_t index, const char *text)
{
    header *h = context;
    dusk_text_add(&h->names, "%s %.60s", index ? "," : "columns:", text);
    for (size_t i = 0; i < h->columns->count; i++)
        if (!strcmp(h->columns->name[i], text) && h->columns->found[i]++ == 0) h->columns->place[i] = index;
}

dusk_status dusk_columns_header(dusk_columns *columns, dusk_input *input, dusk_error *err)
{
    char names[220] = "the first line of the table names its columns";
    header h = { .columns = columns };
    memset(columns->found, 0, sizeof columns->found);
    dusk_text_init(&h.names, names, sizeof names);
    (void)dusk_input_record(input, take_name, &h);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->found[i] != 1)
            return dusk_fail(err, DUSK_ERR_PARSE, names, "%.100s has %s column called %.60s", input->name,
                             columns->found[i] ? "more than one" : "no", columns->name[i]);
    return DUSK_OK;
}

static void take_field(void *context, size_t index, const char *text)
{
    dusk_columns *columns = context;
    for (size_t i = 0; i < columns->count; i++)
        if (columns->place[i] == index) memcpy(columns->field[i], text, strlen(text) + 1);
}

bool dusk_columns_next(dusk_columns *columns, dusk_input *input)
{
    for (size_t i = 0; i < columns->count; i++) columns->field[i][0] = '\0';
    return dusk_input_record(input, take_field, columns);
}

double dusk_columns_number(const dusk_columns *columns, size_t i)
{
    const char *text = columns->field[i];
    char *end = NULL;
    if (!text[0] || strchr(" \t\r\n", text[0])) return NAN;
    double x = strtod(text, &end);
    return *end ? NAN : x;
}
