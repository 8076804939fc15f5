/* SPDX-License-Identifier: Apache-2.0 */
/* Reading private numbers without telling anything about them; see input.h. */
#include "cli/input.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/output.h"

#define FIELD_MAX 512 /* longer fields are no numbers and no names of columns */

static int next_byte(dusk_input *input)
{
    int c = getc_unlocked(input->file);
    if (c != EOF) input->bytes++;
    return c;
}

/* ---- Fields ------------------------------------------------------------------ */

typedef struct field {
    char text[FIELD_MAX];
    size_t length;
    bool quoted, too_long;
} field;

static void field_add(field *f, int c)
{
    if (f->length + 1 < sizeof f->text)
        f->text[f->length++] = (char)c;
    else
        f->too_long = true;
}

static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Trim an unquoted field, drop a byte order mark from the very first one. */
static void field_end(dusk_input *input, field *f)
{
    const char mark[] = "\xEF\xBB\xBF";
    size_t from = 0;
    if (!input->begun && f->length >= 3 && !memcmp(f->text, mark, 3)) from = 3;
    input->begun = true;
    while (!f->quoted && f->length > from && is_space(f->text[f->length - 1])) f->length--;
    while (!f->quoted && from < f->length && is_space(f->text[from])) from++;
    memmove(f->text, f->text + from, f->length - from);
    f->length -= from;
    f->text[f->length] = '\0';
}

/* Where in a field of a table we are. */
typedef struct quotes {
    bool begun, quoted, inside; /* inside: neither a comma nor a line end is the end */
} quotes;

/* Whether c is text of the field: quotes around it are not, nor is space behind them; the
 * second of two quotes is one quote. */
static inline bool quotes_take(quotes *q, int c)
{
    bool inside = q->inside, begun = q->begun;
    q->begun = true;
    if (c != '"') return inside || !q->quoted || !is_space(c);
    q->inside = !inside && (q->quoted || !begun);
    q->quoted = q->quoted || q->inside;
    return !inside && begun;
}

/* One field of a table; gives what ended it: ',', '\n' or EOF. */
static int read_field(dusk_input *input, field *f)
{
    quotes q = { .begun = false };
    int c;
    f->length = 0;
    f->too_long = false;
    for (;;) {
        c = next_byte(input);
        if (c == EOF || (!q.inside && (c == ',' || c == '\n'))) break;
        if (quotes_take(&q, c)) field_add(f, c);
    }
    f->quoted = q.quoted;
    field_end(input, f);
    return c;
}

/* NaN for whatever is not a number from its first to its last byte. */
static double field_number(const field *f)
{
    char *end = NULL;
    if (f->length == 0 || f->too_long || is_space(f->text[0])) return NAN;
    double x = strtod(f->text, &end);
    return end == f->text + f->length ? x : NAN;
}

/* One record of a table; its column in *wanted, empty when it is too short. False at the end. */
static bool read_record(dusk_input *input, field *wanted)
{
    field other;
    int end;
    bool empty;
    do {
        wanted->length = 0;
        wanted->too_long = false;
        empty = true;
        size_t index = 0;
        do {
            field *into = index++ == input->column ? wanted : &other;
            end = read_field(input, into);
            if (into->length || into->quoted || end == ',') empty = false;
        } while (end == ',');
        if (input->columns == 1 && end == '\n') empty = false;
    } while (empty && end != EOF);
    return !empty;
}

/* ---- Opening ----------------------------------------------------------------- */

static dusk_status fail_read(const char *name, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "check the name and the rights, or give the data on standard input",
                     "cannot read %.150s: %s", name, strerror(errno));
}

/* Find the column in the header, which is public. */
static dusk_status read_header(dusk_input *input, const char *column, dusk_error *err)
{
    field f;
    int end;
    char names[220];
    dusk_text text;
    size_t found = 0, index = 0;
    dusk_text_init(&text, names, sizeof names);
    dusk_text_add(&text, "columns:");
    do {
        end = read_field(input, &f);
        if (column && !strcmp(f.text, column) && found++ == 0) input->column = index;
        dusk_text_add(&text, "%s %.60s", index ? "," : "", f.text);
        index++;
    } while (end == ',');
    input->columns = index;
    if (ferror(input->file)) return fail_read(input->name, err);
    if (!column || found == 1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_PARSE, names, "%.100s has %s column called %.60s", input->name,
                     found ? "more than one" : "no", column);
}

static bool ends_in_csv(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 4 && (!strcmp(path + length - 4, ".csv") || !strcmp(path + length - 4, ".CSV"));
}

static dusk_status open_file(dusk_input *input, const char *path, dusk_error *err)
{
    struct stat facts;
    if (!path || !strcmp(path, "-")) {
        input->file = stdin;
        input->name = "standard input";
        if (isatty(STDIN_FILENO))
            dusk_output_note("reading", "type the data, end with Ctrl-D on a line of its own");
        return DUSK_OK;
    }
    input->file = fopen(path, "r");
    if (!input->file) return fail_read(path, err);
    if (fstat(fileno(input->file), &facts) == 0) {
        if (S_ISREG(facts.st_mode)) input->total = (uint64_t)facts.st_size;
        if (S_ISDIR(facts.st_mode)) {
            errno = EISDIR;
            return fail_read(path, err);
        }
    }
    return DUSK_OK;
}

dusk_status dusk_input_open(dusk_input *input, const char *path, const char *column, dusk_input_kind kind,
                            dusk_error *err)
{
    dusk_status status;
    *input = (dusk_input){ .name = path,
                           .table = column || kind == DUSK_INPUT_RECORDS ||
                                    (kind != DUSK_INPUT_NAMED && ends_in_csv(path)) };
    if (input->table && !column && kind == DUSK_INPUT_NUMBERS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say which column to read: --column NAME",
                         "%.150s is a table", path);
    DUSK_TRY(open_file(input, path, err));
    if (input->table && kind < DUSK_INPUT_RECORDS) DUSK_TRY(read_header(input, column, err));
    return DUSK_OK;
done:
    if (input->file && input->file != stdin) fclose(input->file);
    input->file = NULL;
    return status;
}

dusk_status dusk_input_close(dusk_input *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!input->file) return DUSK_OK;
    if (ferror(input->file)) status = fail_read(input->name, err);
    if (input->file != stdin) fclose(input->file);
    input->file = NULL;
    return status;
}

/* ---- Numbers ----------------------------------------------------------------- */

/* The next word of plain text. */
static bool read_word(dusk_input *input, field *f)
{
    int c;
    f->length = 0;
    f->quoted = f->too_long = false;
    do c = next_byte(input);
    while (is_space(c) || c == ',');
    for (; c != EOF && c != ',' && !is_space(c); c = next_byte(input)) field_add(f, c);
    if (f->length == 0 && !f->too_long) return false;
    field_end(input, f);
    return true;
}

bool dusk_input_number(dusk_input *input, double *x)
{
    field f;
    if (!(input->table ? read_record(input, &f) : read_word(input, &f))) return false;
    *x = field_number(&f);
    return true;
}

bool dusk_input_step(dusk_input *input, double *x)
{
    field f, other;
    int c;
    bool last;
    f.length = 0;
    f.quoted = f.too_long = false;
    if (input->table) {
        size_t index = 0;
        do c = read_field(input, index++ == input->column ? &f : &other);
        while (c == ',');
        last = c == EOF && index == 1 && (input->column ? other.length : f.length) == 0;
    } else {
        while ((c = next_byte(input)) != EOF && c != '\n') field_add(&f, c);
        last = c == EOF && f.length == 0;
        field_end(input, &f);
    }
    if (last) return false;
    *x = field_number(&f);
    return true;
}

bool dusk_input_row(dusk_input *input)
{
    field f;
    int c;
    bool blank = true;
    if (input->table) return read_record(input, &f);
    while ((c = next_byte(input)) != EOF && (c != '\n' || blank))
        if (!is_space(c)) blank = false;
    return !blank;
}

/* The next line of plain text that is not blank. */
static bool read_line(dusk_input *input, field *f)
{
    int c;
    do {
        f->length = 0;
        f->quoted = f->too_long = false;
        while ((c = next_byte(input)) != EOF && c != '\n') field_add(f, c);
        field_end(input, f);
    } while (f->length == 0 && c != EOF);
    return f->length > 0;
}

bool dusk_input_value(dusk_input *input, char *text, size_t size)
{
    field f;
    if (!(input->table ? read_record(input, &f) : read_line(input, &f))) return false;
    snprintf(text, size, "%.*s", (int)f.length, f.text);
    return true;
}

bool dusk_input_record(dusk_input *input, dusk_input_take *take, void *context)
{
    field f;
    int end;
    bool empty = true;
    while (empty) {
        size_t index = 0;
        do {
            end = read_field(input, &f);
            if (f.length || f.quoted || end == ',' || (input->columns == 1 && end == '\n')) empty = false;
            if (!empty) take(context, index++, f.too_long ? "" : f.text);
        } while (end == ',');
        if (input->columns == 0) input->columns = index; /* the header */
        if (end == EOF) break;
    }
    return !empty;
}

static bool is_blank(const char *text) { return text[strspn(text, " \t\r\n\v\f")] == '\0'; }

dusk_status dusk_input_whole(dusk_input *input, char **text, size_t *room, bool *any, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int c;
    do {
        quotes q = { .begun = false };
        size_t n = 0;
        while ((c = next_byte(input)) != EOF && (c != '\n' || q.inside)) {
            if (input->table && c == ',' && !q.inside)
                q = (quotes){ .begun = false };
            else if (input->table)
                (void)quotes_take(&q, c);
            DUSK_GROW(*text, *room, n);
            if (c) (*text)[n++] = (char)c;
        }
        DUSK_GROW(*text, *room, n);
        (*text)[n] = '\0';
    } while (is_blank(*text) && c != EOF);
    *any = !is_blank(*text);
done:
    return status;
}

void dusk_numbers_free(double *values, size_t n)
{
    if (values) dusk_wipe(values, n * sizeof *values);
    dusk_deallocate(values);
}

dusk_status dusk_input_numbers(dusk_input *input, double **values, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *list = NULL, x;
    size_t count = 0, capacity = 1024;
    dusk_progress progress;
    dusk_progress_start(&progress, input->total, input->epsilon);
    DUSK_NEW(list, capacity);
    while (dusk_input_number(input, &x)) {
        if (count == capacity) {
            double *wider;
            DUSK_NEW(wider, 2 * capacity);
            memcpy(wider, list, count * sizeof *list);
            dusk_numbers_free(list, capacity);
            list = wider;
            capacity *= 2;
        }
        list[count++] = x;
        if (count % 65536 == 0) dusk_progress_at(&progress, input->bytes);
    }
    *values = list;
    *n = count;
    list = NULL;
done:
    dusk_progress_end(&progress);
    dusk_numbers_free(list, capacity);
    return status;
}

/* ---- Names and numbers ------------------------------------------------------- */

/* Where the number of a line begins, and where the name ends. */
static char *split_line(char *line, size_t *name_length)
{
    char *tab = strrchr(line, '\t'), *comma = strrchr(line, ','), *space = strrchr(line, ' ');
    char *at = tab ? tab : comma ? comma : space;
    if (!at) return NULL;
    if (!tab && comma && space && space > comma) at = space;
    *name_length = (size_t)(at - line);
    while (*name_length && (is_space(line[*name_length - 1]) || line[*name_length - 1] == ','))
        --*name_length;
    return at + 1;
}

static void trim(char *line)
{
    size_t length = strlen(line), from = strspn(line, " \t\r\n");
    while (length > from && is_space(line[length - 1])) length--;
    memmove(line, line + from, length - from);
    line[length - from] = '\0';
}

static dusk_status parse_named(dusk_named *out, char *line, size_t place, dusk_error *err)
{
    field f = { .length = 0 };
    char place_text[32];
    size_t name_length = 0;
    const char *number = split_line(line, &name_length), *name = line;
    out->placed = !number;
    if (!number) {
        snprintf(place_text, sizeof place_text, "%zu", place);
        number = line;
        name = place_text;
        name_length = strlen(place_text);
    }
    for (const char *c = number; *c; c++) field_add(&f, *c);
    f.text[f.length] = '\0';
    out->number = field_number(&f);
    out->name = dusk_allocate(name_length + 1, 1);
    if (!out->name) return dusk_fail_memory(err);
    memcpy(out->name, name, name_length);
    return DUSK_OK;
}

void dusk_named_free(dusk_named *list, size_t n)
{
    for (size_t i = 0; list && i < n; i++) dusk_deallocate(list[i].name);
    if (list) dusk_wipe(list, n * sizeof *list);
    dusk_deallocate(list);
}

dusk_status dusk_input_named(dusk_input *input, dusk_named **out, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_named *list = NULL, *wider;
    size_t count = 0, capacity = 256, size = 0;
    char *line = NULL;
    DUSK_NEW(list, capacity);
    while (errno = 0, getline(&line, &size, input->file) >= 0) {
        trim(line);
        if (!line[0]) continue;
        if (count == capacity) {
            DUSK_NEW(wider, 2 * capacity);
            memcpy(wider, list, count * sizeof *list);
            dusk_wipe(list, count * sizeof *list);
            dusk_deallocate(list);
            list = wider;
            capacity *= 2;
        }
        DUSK_TRY(parse_named(&list[count], line, count + 1, err));
        count++;
    }
    if (errno == ENOMEM) DUSK_TRY(dusk_fail_memory(err));
    *out = list;
    *n = count;
    list = NULL;
done:
    free(line);
    dusk_named_free(list, count);
    return status;
}
