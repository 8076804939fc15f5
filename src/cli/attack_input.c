/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack: what it reads. Nothing here is protected: the data is the user's own, and is read
 * to see whether an attack was right. Messages name lines and columns all the same, never
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/attack.h"
#include "cli/columns.h"

/* ---- A column ------------------------------------------------------------------------------ */

static dusk_status take_holder(const attack_job *job, const dusk_columns *columns, size_t row, double *out,
                               dusk_error *err)
{
    const attack_settings *s = job->settings;
    double x = dusk_columns_number(columns, 0);
    *out = s->equals ? !strcmp(columns->field[0], s->equals) : x;
    if (!s->equals && x != 0 && x != 1)
        return dusk_fail(err, DUSK_ERR_PARSE, "say which value is asked about: --equals VALUE",
                         "row %zu of column %.60s is neither 0 nor 1", row, s->column);
    return DUSK_OK;
}

dusk_status attack_read_secret(attack_job *job, attack_secret *out, dusk_error *err)
{
    dusk_status status = DUSK_OK, closed;
    dusk_input input = { .file = NULL };
    dusk_columns *columns = NULL;
    size_t room = 0, most = (size_t)job->settings->people;
    if (!most) most = job->people_most ? job->people_most : SIZE_MAX;
    *out = (attack_secret){ .values = NULL };
    if (!job->settings->column)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example, "--release needs --column");
    DUSK_NEW(columns, 1);
    DUSK_TRY(dusk_columns_parse(columns, job->settings->column, err));
    DUSK_TRY(dusk_input_open(&input, job->path, NULL, DUSK_INPUT_RECORDS, err));
    DUSK_TRY(dusk_columns_header(columns, &input, err));
    while (out->people < most && dusk_columns_next(columns, &input)) {
        DUSK_GROW(out->values, room, out->people);
        DUSK_TRY(take_holder(job, columns, out->people + 1, &out->values[out->people], err));
        out->holders += out->values[out->people++] > 0;
    }
    if (out->people < 2)
        status = dusk_fail(err, DUSK_ERR_PARSE, "give a table with a row for each person",
                           "there are fewer than two people in %.100s", job->path);
done:
    dusk_deallocate(columns);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

void attack_secret_free(attack_secret *secret) { dusk_deallocate(secret->values); }

void attack_name_secret(const attack_job *job, char *text, size_t size)
{
    dusk_text words;
    dusk_text_init(&words, text, size);
    dusk_text_add(&words, "%.60s = %.60s", job->settings->column,
                  job->settings->equals ? job->settings->equals : "1");
}

/* ---- Numbers -------------------------------------------------------------------------------- */

dusk_status attack_read_numbers(const char *path, const char *what, double **values, size_t *n,
                                dusk_error *err)
{
    dusk_input input = { .file = NULL };
    dusk_status status = DUSK_OK, closed;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_NUMBERS, err));
    DUSK_TRY(dusk_input_numbers(&input, values, n, err));
    if (*n == 0)
        status = dusk_fail(err, DUSK_ERR_PARSE, "give a file of numbers", "there is no %s in %.100s", what,
                           input.name);
    for (size_t i = 0; i < *n && status == DUSK_OK; i++)
        if (!isfinite((*values)[i]))
            status = dusk_fail(err, DUSK_ERR_PARSE, "give numbers with blanks or line ends between them",
                               "%s %zu is not a finite number", what, i + 1);
done:
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

/* ---- A table of numbers ------------------------------------------------------------------------ */

typedef struct matrix_reader {
    double *values;
    size_t room, used, fields;
    size_t bad; /* the first column that holds no number, from 1 */
    bool full;  /* memory ran out */
} matrix_reader;

static void take_number(void *context, size_t index, const char *text)
{
    matrix_reader *r = context;
    char *end = NULL;
    double x = strtod(text, &end);
    r->fields = index + 1;
    if ((end == text || *end || !isfinite(x)) && !r->bad) r->bad = index + 1;
    if (r->used == r->room) {
        size_t wider = r->room ? 2 * r->room : 1024;
        double *more = dusk_larger(r->values, r->used, wider, sizeof *more);
        if (!more) {
            r->full = true;
            return;
        }
        r->values = more;
        r->room = wider;
    }
    r->values[r->used++] = x;
}

static void count_field(void *context, size_t index, const char *text)
{
    (void)text;
    *(size_t *)context = index + 1;
}

dusk_status attack_read_matrix(const char *path, attack_matrix *out, dusk_error *err)
{
    dusk_input input = { .file = NULL };
    dusk_status status = DUSK_OK, closed;
    matrix_reader r = { .values = NULL };
    size_t columns = 0, rows = 0;
    *out = (attack_matrix){ .values = NULL };
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_RECORDS, err));
    (void)dusk_input_record(&input, count_field, &columns);
    while (dusk_input_record(&input, take_number, &r)) {
        rows++;
        if (r.full) DUSK_TRY(dusk_fail_memory(err));
        if (r.fields != columns)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "the first line of the table names its columns",
                               "row %zu of %.100s has %zu fields, the header has %zu", rows, input.name,
                               r.fields, columns));
        if (r.bad)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "give numbers only, 0 and 1 for yes and no",
                               "row %zu of %.100s has no number in column %zu", rows, input.name, r.bad));
    }
    if (rows == 0 || columns == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "give a table with a header and a row for each person",
                           "there are no rows in %.100s", input.name));
    *out = (attack_matrix){ .values = r.values, .rows = rows, .columns = columns };
    r.values = NULL;
done:
    dusk_deallocate(r.values);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}

void attack_matrix_free(attack_matrix *matrix) { dusk_deallocate(matrix->values); }

/* ---- Groups -------------------------------------------------------------------------------------- */

typedef struct group_lines {
    char *bits; /* question after question, people bytes each */
    double *answers;
    size_t bits_room, answers_room, questions, people;
} group_lines;

/* "12.5 0110": the answer, and one digit for each person. */
static dusk_status take_line(group_lines *lines, const char *line, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *end = NULL;
    double x = strtod(line, &end);
    const char *word = end + strspn(end, " \t,;");
    size_t length = strspn(word, "01"), rest = strspn(word + length, " \t\r");
    if (end == line || !isfinite(x) || length == 0 || word[length + rest])
        return dusk_fail(err, DUSK_ERR_PARSE, "for example 2.5 0110: who is counted has a 1",
                         "line %zu is not an answer and a word of 0 and 1", lines->questions + 1);
    if (lines->people && length != lines->people)
        return dusk_fail(err, DUSK_ERR_PARSE, "give every person a digit in every line",
                         "line %zu is about %zu people, the first about %zu", lines->questions + 1, length,
                         lines->people);
    lines->people = length;
    DUSK_GROW(lines->answers, lines->answers_room, lines->questions);
    if ((lines->questions + 1) * length > lines->bits_room) {
        size_t wider = 2 * (lines->questions + 1) * length;
        char *more = dusk_larger(lines->bits, lines->questions * length, wider, 1);
        if (!more) return dusk_fail_memory(err);
        lines->bits = more;
        lines->bits_room = wider;
    }
    memcpy(lines->bits + lines->questions * length, word, length);
    lines->answers[lines->questions++] = x;
done:
    return status;
}

static dusk_status make_groups(const group_lines *lines, dusk_groups **out, dusk_error *err)
{
    dusk_status status = dusk_groups_new(out, lines->people, lines->questions, err);
    for (size_t q = 0; status == DUSK_OK && q < lines->questions; q++)
        for (size_t p = 0; p < lines->people; p++)
            if (lines->bits[q * lines->people + p] == '1') dusk_groups_put(*out, q, p);
    return status;
}

dusk_status attack_read_groups(const char *path, dusk_groups **groups, double **answers, dusk_error *err)
{
    dusk_input input = { .file = NULL };
    dusk_status status = DUSK_OK, closed;
    group_lines lines = { .bits = NULL };
    char *line = NULL;
    size_t room = 0;
    bool any = true;
    DUSK_TRY(dusk_input_open(&input, path, NULL, DUSK_INPUT_WHOLE, err));
    for (;;) {
        DUSK_TRY(dusk_input_whole(&input, &line, &room, &any, err));
        if (!any) break;
        DUSK_TRY(take_line(&lines, line, err));
    }
    if (!lines.questions)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE,
                           "a line is an answer and a word of 0 and 1, one for each person",
                           "there are no answers in %.100s", input.name));
    DUSK_TRY(make_groups(&lines, groups, err));
    *answers = lines.answers;
    lines.answers = NULL;
done:
    dusk_deallocate(line);
    dusk_deallocate(lines.bits);
    dusk_deallocate(lines.answers);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : closed;
}
