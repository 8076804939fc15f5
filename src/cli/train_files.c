/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a training reads and writes, besides those that options and operands name (main.c). None that is read is replaced, and those that are written can be: all of it
 * is found out before a budget is charged or a row is read, and in a dry run as well. */
#include <string.h>

#include "base/error.h"
#include "cli/file.h"
#include "cli/train.h"

/* ---- What is read --------------------------------------------------------------------------------------- */

/* The file of start=FILE: a word of --set, or among those of --try, where blanks are `between` words. */
static dusk_status keep_start(const dusk_outputs *outputs, const dusk_option_list *list, const char *between,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char path[4096];
    for (size_t i = 0; i < list->count && status == DUSK_OK; i++)
        for (const char *word = list->word[i]; *word && status == DUSK_OK; word += strspn(word, between)) {
            const size_t length = strcspn(word, between);
            const bool is_start = !strncmp(word, "start=", 6) && length < sizeof path;
            snprintf(path, sizeof path, "%.*s", is_start ? (int)length - 6 : 0, word + (is_start ? 6 : 0));
            if (is_start) status = dusk_outputs_keep(outputs, path, err);
            word += length;
        }
    return status;
}

/* The files that a source reads. */
static dusk_status keep_tables(const dusk_outputs *outputs, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t t = 0; status == DUSK_OK && t < schema->tables; t++)
        status = dusk_outputs_keep_rows(outputs, schema->table[t].source, err);
    return status;
}

static dusk_status keep_inputs(const dusk_outputs *outputs, const model_data *data, const train_settings *s,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_outputs_keep(outputs, s->net && train_net_is_file(s->net) ? s->net : NULL, err));
    DUSK_TRY(keep_start(outputs, &s->set, "", err));
    DUSK_TRY(keep_start(outputs, &s->candidates, " ", err));
    if (data->source) DUSK_TRY(keep_tables(outputs, dusk_source_schema(data->source), err));
done:
    return status;
}

/* ---- Whose rows are public ---------------------------------------------------------------------------------- */

static dusk_status check_public(const char *option, const char *path, const char *private_rows,
                                dusk_error *err)
{
    if (!path || !dusk_rows_same(path, private_rows)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "public rows are of other people: give a file of theirs, or leave it away",
                     "%s %.150s: these are the private rows themselves", option, path);
}

/* What is shown of rows, or learned from them for nothing, is not of those that are private. */
static dusk_status check_rows(const model_data *data, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_schema *schema = data->source ? dusk_source_schema(data->source) : NULL;
    DUSK_TRY(check_public("--check", s->check, data->path, err));
    DUSK_TRY(check_public("--public", s->open, data->path, err));
    for (size_t t = 0; schema && t < schema->tables; t++) {
        DUSK_TRY(check_public("--check", s->check, schema->table[t].source, err));
        DUSK_TRY(check_public("--public", s->open, schema->table[t].source, err));
    }
done:
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------------------- */

dusk_status train_files_check(const model_data *data, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_outputs outputs = { .count = 0 };
    dusk_outputs_add(&outputs, s->out);
    dusk_outputs_add(&outputs, s->plot);
    dusk_outputs_add(&outputs, s->checkpoint);
    DUSK_TRY(keep_inputs(&outputs, data, s, err));
    DUSK_TRY(check_rows(data, s, err));
    if (!data->source) status = model_rows_check(data->fields, data->path, data->labels, err);
done:
    return status;
}

dusk_status train_files_try(const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_file *file = NULL;
    if (s->out) DUSK_TRY(dusk_model_file_open(&file, s->out, err));
    if (s->plot) status = dusk_file_try(s->plot, err);
done:
    dusk_model_file_close(file);
    return status;
}
