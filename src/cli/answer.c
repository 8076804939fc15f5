/* SPDX-License-Identifier: Apache-2.0 */
/* A released table for people, spreadsheets and machines. Numbers with noise are printed with
 * their intervals; keys are exact. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/ask.h"

#define CELL_SIZE 160

static bool is_number(const dusk_cell *cell)
{
    return cell->type == DUSK_TYPE_INTEGER || cell->type == DUSK_TYPE_REAL;
}

static bool has_interval(const dusk_cell *cell) { return !cell->null && !cell->exact && is_number(cell); }

/* Digits beyond a thousandth of the interval say nothing. */
static double sensible(double x, double low, double high)
{
    double width = high - low, step;
    if (!(width > 0) || !isfinite(width)) return x;
    step = fmin(pow(10, floor(log10(width)) - 3), 1);
    return step > 0 ? round(x / step) * step : x;
}

static bool is_integer(const dusk_cell *cell)
{
    return cell->type == DUSK_TYPE_INTEGER && cell->exact && !cell->null;
}

/* The text of a cell: its own, or in `room`. */
static const char *cell_text(char room[CELL_SIZE], const dusk_cell *cell)
{
    if (cell->null) return "NULL";
    if (cell->type == DUSK_TYPE_BOOLEAN) return cell->number != 0 ? "true" : "false";
    if (!is_number(cell)) return cell->text;
    if (is_integer(cell))
        snprintf(room, CELL_SIZE, "%" PRId64, cell->integer);
    else
        snprintf(room, CELL_SIZE, "%.12g",
                 has_interval(cell) ? sensible(cell->number, cell->low, cell->high) : cell->number);
    return room;
}

/* --- aligned --------------------------------------------------------------------------------- */

/* Columns on a terminal: bytes of UTF-8 that begin a character. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* An end of an interval, rounded outward to a hundredth of its width. */
static void interval_end(char text[DUSK_DECIMAL_SIZE], double x, double width,
                         void (*write)(char[DUSK_DECIMAL_SIZE], double, int))
{
    double digits = 2 + ceil(log10(fmax(fabs(x), width) / width));
    write(text, x, digits >= 1 && digits <= 17 ? (int)digits : 17);
}

static void interval_text(char text[CELL_SIZE], const dusk_cell *cell)
{
    char low[DUSK_DECIMAL_SIZE], high[DUSK_DECIMAL_SIZE];
    text[0] = '\0';
    if (!has_interval(cell)) return;
    interval_end(low, cell->low, cell->high - cell->low, dusk_decimal_down);
    interval_end(high, cell->high, cell->high - cell->low, dusk_decimal_up);
    snprintf(text, CELL_SIZE, "[%s, %s]", low, high);
}

typedef struct layout {
    size_t value, interval;
    bool numbers;
} layout;

static layout column_layout(const dusk_result *result, size_t column)
{
    char text[CELL_SIZE];
    layout l = { .value = width_of(dusk_result_name(result, column)) };
    for (size_t row = 0; row < dusk_result_rows(result); row++) {
        const dusk_cell *cell = dusk_result_cell(result, row, column);
        size_t width = width_of(cell_text(text, cell));
        if (width > l.value) l.value = width;
        interval_text(text, cell);
        if (width_of(text) > l.interval) l.interval = width_of(text);
        l.numbers = l.numbers || is_number(cell);
    }
    return l;
}

void ask_print_padded(const char *text, size_t width, bool right)
{
    size_t blanks = width > width_of(text) ? width - width_of(text) : 0;
    if (right) printf("%*s", (int)blanks, "");
    dusk_print_tame(stdout, text);
    if (!right) printf("%*s", (int)blanks, "");
}

static dusk_status print_table(const dusk_result *result, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t columns = dusk_result_columns(result);
    char text[CELL_SIZE];
    layout *l = NULL;
    DUSK_NEW(l, columns + 1);
    for (size_t c = 0; c < columns; c++) l[c] = column_layout(result, c);
    for (size_t c = 0; c < columns; c++) {
        bool last = c + 1 == columns;
        ask_print_padded(dusk_result_name(result, c), last && !l[c].numbers ? 0 : l[c].value, l[c].numbers);
        if (l[c].interval > 0 && !last) printf("  %-*s", (int)l[c].interval, "");
        fputs(last ? "\n" : "  ", stdout);
    }
    for (size_t row = 0; row < dusk_result_rows(result); row++)
        for (size_t c = 0; c < columns; c++) {
            const dusk_cell *cell = dusk_result_cell(result, row, c);
            bool last = c + 1 == columns;
            ask_print_padded(cell_text(text, cell), last && !l[c].numbers ? 0 : l[c].value, l[c].numbers);
            interval_text(text, cell);
            if (last ? text[0] != '\0' : l[c].interval > 0) {
                fputs("  ", stdout);
                ask_print_padded(text, last ? 0 : l[c].interval, false);
            }
            fputs(last ? "\n" : "  ", stdout);
        }
done:
    dusk_deallocate(l);
    return status;
}

/* --- comma-separated --------------------------------------------------------------------------- */

/* Files get the bytes; a terminal must not obey them. */
static void print_raw(FILE *file, const char *text)
{
    if (isatty(fileno(file)))
        dusk_print_tame(file, text);
    else
        fputs(text, file);
}

void ask_print_field(FILE *file, const char *text)
{
    char part[256];
    if (!strpbrk(text, ",\"\r\n")) {
        print_raw(file, text);
        return;
    }
    fputc('"', file);
    while (*text) {
        size_t n = 0;
        for (; *text && *text != '"' && n + 4 < sizeof part; text++) part[n++] = *text;
        /* A character stays in one part. */
        while (n < sizeof part - 1 && ((unsigned char)*text & 0xC0) == 0x80) part[n++] = *text++;
        part[n] = '\0';
        print_raw(file, part);
        if (*text == '"') {
            fputs("\"\"", file);
            text++;
        }
    }
    fputc('"', file);
}

static bool column_has_interval(const dusk_result *result, size_t column)
{
    for (size_t row = 0; row < dusk_result_rows(result); row++)
        if (has_interval(dusk_result_cell(result, row, column))) return true;
    return false;
}

static void print_csv_cell(const dusk_cell *cell, bool interval)
{
    char text[CELL_SIZE];
    if (cell->null)
        ;
    else if (is_number(cell) && !is_integer(cell))
        dusk_print_number(stdout, cell->number);
    else if (cell->text && !cell->text[0])
        fputs("\"\"", stdout); /* nothing is NULL */
    else
        ask_print_field(stdout, cell_text(text, cell));
    if (!interval) return;
    for (int high = 0; high < 2; high++) {
        fputc(',', stdout);
        if (has_interval(cell)) dusk_print_number(stdout, high ? cell->high : cell->low);
    }
}

static void print_csv_names(const dusk_result *result, const bool *interval)
{
    static const char *const ends[] = { "", " low", " high" };
    char name[2 * DUSK_NAME_MAX];
    for (size_t c = 0; c < dusk_result_columns(result); c++)
        for (int i = 0; i < (interval[c] ? 3 : 1); i++) {
            if (c || i) fputc(',', stdout);
            snprintf(name, sizeof name, "%s%s", dusk_result_name(result, c), ends[i]);
            ask_print_field(stdout, name);
        }
    fputc('\n', stdout);
}

static dusk_status print_csv(const dusk_result *result, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t columns = dusk_result_columns(result);
    bool *interval = NULL;
    DUSK_NEW(interval, columns + 1);
    for (size_t c = 0; c < columns; c++) interval[c] = column_has_interval(result, c);
    print_csv_names(result, interval);
    for (size_t row = 0; row < dusk_result_rows(result); row++)
        for (size_t c = 0; c < columns; c++) {
            if (c) fputc(',', stdout);
            print_csv_cell(dusk_result_cell(result, row, c), interval[c]);
            if (c + 1 == columns) fputc('\n', stdout);
        }
done:
    dusk_deallocate(interval);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------------ */

static void json_cell(dusk_json *json, const dusk_cell *cell)
{
    dusk_json_open(json, '{');
    if (cell->null) {
        dusk_json_key(json, "value");
        dusk_json_null(json);
    } else if (cell->type == DUSK_TYPE_BOOLEAN) {
        dusk_json_bool_field(json, "value", cell->number != 0);
    } else if (is_integer(cell)) {
        char digits[32];
        snprintf(digits, sizeof digits, "%" PRId64, cell->integer);
        dusk_json_key(json, "value");
        dusk_json_raw(json, digits);
    } else if (is_number(cell)) {
        dusk_json_number_field(json, "value", cell->number);
    } else {
        dusk_json_string_field(json, "value", cell->text);
    }
    dusk_json_number_field(json, "low", has_interval(cell) ? cell->low : NAN);
    dusk_json_number_field(json, "high", has_interval(cell) ? cell->high : NAN);
    dusk_json_close(json, '}');
}

static void print_json(const dusk_result *result, const dusk_receipt *receipt)
{
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_key(&json, "columns");
    dusk_json_open(&json, '[');
    for (size_t c = 0; c < dusk_result_columns(result); c++)
        dusk_json_string(&json, dusk_result_name(result, c));
    dusk_json_close(&json, ']');
    dusk_json_key(&json, "rows");
    dusk_json_open(&json, '[');
    for (size_t row = 0; row < dusk_result_rows(result); row++) {
        dusk_json_open(&json, '[');
        for (size_t c = 0; c < dusk_result_columns(result); c++)
            json_cell(&json, dusk_result_cell(result, row, c));
        dusk_json_close(&json, ']');
    }
    dusk_json_close(&json, ']');
    dusk_json_number_field(&json, "epsilon", receipt->cost.epsilon);
    dusk_json_number_field(&json, "delta", receipt->cost.delta);
    dusk_json_number_field(&json, "charged", receipt->charged || receipt->shared ? receipt->cost.epsilon : 0);
    dusk_json_number_field(&json, "remaining", receipt->analyst.left.epsilon);
    dusk_json_number_field(&json, "remaining_delta", receipt->analyst.left.delta);
    dusk_json_bool_field(&json, "cached", receipt->cached);
    dusk_json_close(&json, '}');
    fputc('\n', stdout);
}

dusk_status ask_print(const dusk_result *result, const dusk_receipt *receipt, ask_format format,
                      dusk_error *err)
{
    switch (format) {
    case ASK_CSV: return print_csv(result, err);
    case ASK_JSON: print_json(result, receipt); return DUSK_OK;
    case ASK_TABLE: break;
    }
    return print_table(result, err);
}
