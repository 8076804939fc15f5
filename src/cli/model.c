/* SPDX-License-Identifier: Apache-2.0 */
/* What train, predict and score have in common; see model.h. */
#include "cli/model.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/ask.h"

bool model_is_source(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".dusk");
}

static dusk_status find_table(size_t *out, const dusk_schema *schema, const char *table, dusk_error *err)
{
    if (!table && schema->tables == 1) {
        *out = 0;
        return DUSK_OK;
    }
    for (size_t t = 0; table && t < schema->tables; t++)
        if (!strcmp(schema->table[t].name, table)) {
            *out = t;
            return DUSK_OK;
        }
    if (table)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk schema FILE.dusk lists them",
                         "the source has no table %.100s", table);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "name it: --table visits",
                     "the source has several tables, and one is needed");
}

dusk_status model_fields(dusk_fields **out, const char *schema, const char *table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_source *source = NULL;
    size_t at = 0;
    if (!model_is_source(schema)) return dusk_fields_read(out, schema, err);
    DUSK_TRY(dusk_source_open(&source, schema, err));
    DUSK_TRY(find_table(&at, dusk_source_schema(source), table, err));
    DUSK_TRY(dusk_fields_from_schema(out, dusk_source_schema(source), at, err));
done:
    dusk_source_close(source);
    return status;
}

static dusk_status fail_column(const dusk_fields *fields, const char *word, dusk_error *err)
{
    char hint[160];
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, word);
    for (size_t i = 0; i < fields->count; i++) dusk_suggestion_offer(&suggestion, fields->field[i].name);
    snprintf(hint, sizeof hint, "did you mean %.100s?", suggestion.best ? suggestion.best : "");
    return dusk_fail(err, DUSK_ERR_ARGUMENT, suggestion.best ? hint : "for example --columns age,years",
                     "--columns: the schema has no field %.100s", *word ? word : "without a name");
}

dusk_status model_fields_keep(dusk_fields **fields, const char *list, const char *label, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *kept = NULL;
    const char **keep = NULL;
    char *words = NULL, *next;
    size_t n = 0;
    const bool one = label && dusk_fields_find(*fields, label) != DUSK_NO_LINK;
    const size_t more = label && !one ? strlen(label) + 1 : 0; /* several labels are more of the list */
    DUSK_NEW(words, strlen(list) + more + 1);
    DUSK_NEW(keep, strlen(list) + more + 2);
    memcpy(words, list, strlen(list));
    if (more) {
        words[strlen(list)] = ',';
        memcpy(words + strlen(list) + 1, label, more - 1);
    }
    for (char *word = words; word; word = next) {
        next = strchr(word, ',');
        if (next) *next++ = '\0';
        if (dusk_fields_find(*fields, word) == DUSK_NO_LINK) {
            status = fail_column(*fields, word, err);
            goto done;
        }
        keep[n++] = word;
    }
    if (one) keep[n++] = label;
    DUSK_TRY(dusk_fields_copy(&kept, *fields, keep, n, err));
    dusk_fields_free(*fields);
    *fields = kept;
done:
    dusk_deallocate(words);
    dusk_deallocate(keep);
    return status;
}

dusk_status model_fields_of(dusk_fields **out, const dusk_model *model, bool label, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_fields *fields = dusk_model_fields(model);
    const char **keep = NULL;
    size_t kept = 0;
    DUSK_NEW(keep, fields->count + 1);
    for (size_t i = 0; i < fields->count; i++)
        if (label || !dusk_model_is_label(model, i)) keep[kept++] = fields->field[i].name;
    DUSK_TRY(dusk_fields_copy(out, fields, keep, kept, err));
done:
    dusk_deallocate(keep);
    return status;
}

dusk_status model_rows_check(const dusk_fields *fields, const char *path, const char *labels, dusk_error *err)
{
    dusk_status status = dusk_frame_check(fields, path, labels, err);
    if (status == DUSK_ERR_ARGUMENT) err->status = status = DUSK_ERR_PARSE; /* a bad file: exit code 3 */
    return status;
}

dusk_status model_rows_read(dusk_frame **out, const dusk_fields *fields, const char *path, const char *labels,
                            dusk_error *err)
{
    dusk_status status = dusk_frame_read(out, fields, path, labels, err);
    if (status == DUSK_ERR_ARGUMENT) err->status = status = DUSK_ERR_PARSE; /* a bad file: exit code 3 */
    return status;
}

static bool is_known(const dusk_frame *rows, size_t column, size_t row)
{
    const dusk_field *field = &rows->fields->field[column];
    if (field->kind == DUSK_FIELD_NUMERIC) return isfinite(dusk_frame_number(&rows->column[column], row));
    const int32_t code = rows->column[column].code[row];
    return code >= 0 && (size_t)code < field->values;
}

/* Whether "a,b,c" names the field. */
static bool is_label(const char *label, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = label; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length])) return true;
    return false;
}

dusk_status model_rows_known(size_t *known, const dusk_frame *rows, const char *label, const char *path,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *column = NULL, count = 0;
    *known = 0;
    DUSK_NEW(column, rows->fields->count);
    for (size_t c = 0; label && c < rows->fields->count; c++)
        if (is_label(label, rows->fields->field[c].name)) column[count++] = c;
    for (size_t row = 0; row < rows->rows; row++) {
        bool any = !label;
        for (size_t k = 0; !any && k < count; k++) any = is_known(rows, column[k], row);
        *known += any;
    }
    if (*known == 0)
        status = dusk_fail(err, DUSK_ERR_PARSE,
                           label ? "see that the column is there, and has values that are declared"
                                 : "see that this is the file that was meant",
                           label ? "%.150s has no row whose label is known" : "%.150s has no rows", path);
done:
    dusk_deallocate(column);
    return status;
}

dusk_status model_data_read(model_data *data, dusk_generator *gen, dusk_error *err)
{
    if (data->source)
        return dusk_query_frame(data->source, &data->frame, data->sql, &data->options, gen, err);
    return model_rows_read(&data->frame, data->fields, data->path, data->labels, err);
}

void model_data_clear(model_data *data)
{
    dusk_frame_free(data->frame);
    dusk_fields_free(data->fields);
    dusk_deallocate(data->sql);
    dusk_source_close(data->source);
    *data = (model_data){ .path = NULL };
}

/* ---- Sources -------------------------------------------------------------------------------------- */

static void add_name(dusk_buffer *out, const char *name)
{
    dusk_buffer_add(out, "\"");
    for (; *name; name++) dusk_buffer_add(out, *name == '"' ? "\"\"" : "%c", *name);
    dusk_buffer_add(out, "\"");
}

/* SELECT "a", "b" FROM "t": the columns of which something is declared. */
static dusk_status write_sql(char **out, const dusk_source *source, const model_query *query,
                             const char *label, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_schema *schema = dusk_source_schema(source);
    dusk_fields *fields = NULL;
    dusk_buffer sql = { .data = NULL };
    size_t at = 0;
    DUSK_TRY(find_table(&at, schema, query->table, err));
    DUSK_TRY(dusk_fields_from_schema(&fields, schema, at, err));
    if (query->columns) DUSK_TRY(model_fields_keep(&fields, query->columns, label, err));
    for (size_t i = 0; i < fields->count; i++) {
        dusk_buffer_add(&sql, i ? ", " : "SELECT ");
        add_name(&sql, fields->field[i].name);
    }
    if (fields->count == 0) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk schema FILE.dusk set TABLE.COLUMN bounds=0:100",
                           "no column of %.100s has bounds or a domain", schema->table[at].name);
        goto done;
    }
    dusk_buffer_add(&sql, " FROM ");
    add_name(&sql, schema->table[at].name);
    DUSK_TRY(dusk_buffer_take(&sql, out, err));
done:
    dusk_buffer_clear(&sql);
    dusk_fields_free(fields);
    return status;
}

static dusk_status copy_sql(char **out, const char *text, dusk_error *err)
{
    dusk_buffer copy = { .data = NULL };
    dusk_buffer_add(&copy, "%s", text);
    return dusk_buffer_take(&copy, out, err);
}

dusk_status model_source_open(model_data *data, const char *path, const model_query *query, const char *label,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    data->path = path;
    dusk_query_options_init(&data->options);
    data->options.rows_per_unit = (uint32_t)query->rows_per_unit;
    data->options.engine = query->engine;
    DUSK_TRY(dusk_source_open(&data->source, path, err));
    DUSK_TRY(query->sql ? copy_sql(&data->sql, query->sql, err)
                        : write_sql(&data->sql, data->source, query, label, err));
    status = dusk_query_fields(data->source, &data->fields, data->sql, &data->options, err);
    if (status == DUSK_ERR_UNSUPPORTED) err->status = status = DUSK_ERR_PARSE; /* a bad query: exit code 3 */
done:
    return status;
}

dusk_neighbours model_neighbours(const model_data *data, bool replace_one)
{
    dusk_ledger_options made;
    if (!data->source) return replace_one ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    dusk_ledger_made_with(dusk_source_ledger(data->source), &made);
    return made.neighbours;
}

dusk_status model_reserve(const model_data *data, uint64_t *id, const dusk_statement *statement,
                          const char *analyst, const char *purpose, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_query_frame_ready(data->source, data->sql, &data->options, err));
    DUSK_TRY(dusk_ledger_reserve_statement(dusk_source_ledger(data->source), id, statement, analyst, purpose,
                                           dusk_source_schema(data->source)->version, err));
done:
    return status;
}

/* ---- Delta ---------------------------------------------------------------------------------------- */

#define DELTA_MOST 0.1

dusk_status model_delta_check(double delta, dusk_error *err)
{
    if (isnan(delta) || (delta >= 0 && delta <= DELTA_MOST)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --delta 1e-6",
                     delta >= 0 && delta < 1
                         ? "--delta is the chance that the promise fails, and is %g at most"
                         : "--delta must be at least 0, and %g at most",
                     DELTA_MOST);
}

void model_note_delta(const dusk_statement *statement, int64_t rows)
{
    if (rows < 1 || dusk_statement_is_none(statement) || !(statement->delta > 1 / (double)rows)) return;
    dusk_output_note(
        "delta",
        "%s is above 1 / rows: a promise like that allows to show whole rows; choose one far below "
        "%s",
        dusk_shown_up(statement->delta, 6).text, dusk_shown_down(1 / (double)rows, 3).text);
}

/* ---- Receipts ----------------------------------------------------------------------------------- */

void model_print_charged(dusk_ledger *ledger, const dusk_statement *statement, const char *analyst)
{
    dusk_query_options who;
    dusk_receipt receipt = { .cost = { statement->epsilon, statement->delta }, .charged = true };
    dusk_query_options_init(&who);
    who.analyst = analyst;
    if (dusk_ledger_spending(ledger, &receipt.total, NULL, NULL) == DUSK_OK &&
        dusk_ledger_spending(ledger, &receipt.analyst, analyst, NULL) == DUSK_OK)
        ask_print_receipt(&receipt, &who);
    else
        dusk_output_note("cost", "was charged; dusk budget FILE.dusk says what is left");
}

void model_print_charged_before(const dusk_statement *statement)
{
    char cost[ASK_BUDGET_SIZE];
    ask_budget_up(cost, (dusk_budget){ statement->epsilon, statement->delta });
    dusk_output_note("cost", "%s, which was charged when the training was begun", cost);
}

void model_print_none(const dusk_statement *statement)
{
    if (dusk_statement_is_none(statement))
        dusk_output_note("NO PRIVACY",
                         "the model was trained without noise, for comparisons; it tells about its rows");
}

void model_json_none(dusk_json *json, const dusk_model *model)
{
    if (dusk_statement_is_none(dusk_model_statement(model)))
        dusk_json_string_field(json, "promise", "none: NO PRIVACY");
}

void model_promise_words(char *text, size_t size, const dusk_model *model)
{
    const dusk_statement *s = dusk_model_statement(model);
    const char *name = dusk_model_learner(model)->name;
    char delta[ASK_BUDGET_SIZE];
    ask_delta_up(delta, s->delta);
    if (dusk_statement_is_none(s))
        snprintf(text, size, "%s, NO PRIVACY", name);
    else
        snprintf(text, size, "%s, epsilon %s at delta %s", name, dusk_shown_up(s->epsilon, 4).text, delta);
}

void model_print_cost(const dusk_statement *statement)
{
    if (dusk_statement_is_none(statement)) {
        model_print_none(statement);
        return;
    }
    char cost[ASK_BUDGET_SIZE];
    ask_budget_up(cost, (dusk_budget){ statement->epsilon, statement->delta });
    dusk_output_note("cost", "%s", cost);
    dusk_output_note("no ledger", "nothing was charged, keep count yourself");
}

dusk_status model_print_promise(const dusk_statement *statement, bool ledger, dusk_error *err)
{
    char text[16384];
    dusk_status status = dusk_statement_format(statement, text, sizeof text, err);
    if (status != DUSK_OK) return status;
    if (dusk_statement_is_none(statement)) {
        model_print_none(statement);
        return DUSK_OK;
    }
    dusk_output_note("promise", "%s", text);
    if (statement->numerics == DUSK_NUMERICS_IDEALISED)
        dusk_output_note("idealised",
                         "the promise holds for real numbers; that of the computer is not proven");
    if (!ledger) dusk_output_note("no ledger", "nothing was charged, keep count yourself");
    return DUSK_OK;
}

/* ---- Words ---------------------------------------------------------------------------------------- */

void model_field_words(char *text, size_t size, const dusk_field *field)
{
    char low[40], high[40];
    if (field->kind == DUSK_FIELD_CATEGORY) {
        snprintf(text, size, "a category of %zu values", field->values);
        return;
    }
    dusk_format_number(low, sizeof low, field->lower);
    dusk_format_number(high, sizeof high, field->upper);
    snprintf(text, size, "a number from %s to %s", low, high);
}

const char *model_task_words(dusk_task task)
{
    switch (task) {
    case DUSK_TASK_BINARY: return "Two classes";
    case DUSK_TASK_CLASS: return "Classes";
    case DUSK_TASK_NUMBER: return "Numbers";
    case DUSK_TASK_GROUPS: return "Groups";
    case DUSK_TASK_VECTOR: return "Coordinates";
    case DUSK_TASK_DENSITY: return "Densities";
    case DUSK_TASK_LABELS: return "Several labels";
    }
    return "Other";
}
