/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says, and where; see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"

int dusk_exit_code(dusk_status status)
{
    switch (status) {
    case DUSK_OK: return DUSK_EXIT_DONE;
    case DUSK_ERR_ARGUMENT:
    case DUSK_ERR_UNSUPPORTED: return DUSK_EXIT_USAGE;
    case DUSK_ERR_PARSE:
    case DUSK_ERR_CORRUPT: return DUSK_EXIT_INPUT;
    case DUSK_ERR_BUDGET: return DUSK_EXIT_BUDGET;
    case DUSK_ERR_ENTROPY:
    case DUSK_ERR_MEMORY:
    case DUSK_ERR_IO:
    case DUSK_ERR_BUSY: return DUSK_EXIT_ENVIRONMENT;
    case DUSK_ERR_CHECK: return DUSK_EXIT_CHECK;
    case DUSK_ERR_INTERNAL: return DUSK_EXIT_BUG;
    }
    return DUSK_EXIT_BUG;
}

/* Whether standard error is a terminal that wants colour (no-color.org). */
static bool colour(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(none && none[0]) && term && strcmp(term, "dumb") != 0;
}

/* "label: " in the colour of an error (31) or in bold (1). */
static void put_label(const char *label, int code)
{
    if (colour())
        fprintf(stderr, "\033[%dm%s:\033[0m ", code, label);
    else
        fprintf(stderr, "%s: ", label);
}

/* The control character at s (C0, DEL, C1), or 0. */
static unsigned control_at(const char *s)
{
    unsigned char c = (unsigned char)s[0], next = (unsigned char)s[1];
    if (c == 0xc2 && next < 0xa0) return next;
    return c < 0x20 || c == 0x7f ? c : 0;
}

/* Names and lines of files come along in messages: what would move the cursor or change the colour of
 * a terminal, or is no UTF-8, is a question mark. */
static void put_tame(FILE *file, const char *s, bool lines)
{
    while (*s) {
        size_t n = dusk_utf8_length(s);
        unsigned control = control_at(s);
        if (n == 0 || (control && !(lines && (control == '\n' || control == '\t'))))
            fputc('?', file);
        else
            fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
}

void dusk_print_tame(FILE *file, const char *text) { put_tame(file, text, false); }
void dusk_print_tame_lines(FILE *file, const char *text) { put_tame(file, text, true); }

int dusk_output_error(const char *command, const dusk_error *err)
{
    fflush(stdout);
    put_label(command, 31);
    put_tame(stderr, err->message, true);
    fputc('\n', stderr);
    if (err->status == DUSK_ERR_INTERNAL)
        dusk_output_note("hint", "this is a bug in dusk: please report the command that led here");
    else if (err->hint[0])
        dusk_output_note("hint", "%s", err->hint);
    return dusk_exit_code(err->status);
}

void dusk_output_note(const char *label, const char *format, ...)
{
    char usual[1024], *text = usual;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(usual, sizeof usual, format, args);
    va_end(args);
    size_t size = length < 0 ? 0 : (size_t)length + 1;
    if (size > sizeof usual && (text = dusk_allocate(size, 1))) {
        va_start(args, format);
        (void)vsnprintf(text, size, format, args);
        va_end(args);
    }
    put_label(label, 1);
    put_tame(stderr, text ? text : usual, true); /* without memory it is cut */
    fputc('\n', stderr);
    if (text != usual) dusk_deallocate(text);
}

static dusk_status fail_write(int why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "write somewhere with room; what a release has spent stays spent",
                     "cannot write to standard output: %s", why ? strerror(why) : "a write failed");
}

dusk_status dusk_output_flush(dusk_error *err)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0) failed = true;
    return failed ? fail_write(errno, err) : DUSK_OK;
}

dusk_status dusk_output_finish(dusk_error *err)
{
    dusk_status status = dusk_output_flush(err);
    errno = 0;
    if (fclose(stdout) != 0 && status == DUSK_OK) status = fail_write(errno, err);
    return status;
}

/* ---- Numbers ----------------------------------------------------------------- */

void dusk_format_number(char *text, size_t size, double x)
{
    int digits = 1;
    if (!isfinite(x)) {
        snprintf(text, size, "%s", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    if (x == 0) x = 0; /* no minus sign on zero */
    for (; digits < 17; digits++) {
        snprintf(text, size, "%.*e", digits - 1, x);
        if (strtod(text, NULL) == x) break;
    }
    snprintf(text, size, "%.*e", digits - 1, x);
    const char *e = strchr(text, 'e');
    int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    int decimals = digits - 1 - exponent;
    if (exponent >= -6 && exponent <= 16) snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, x);
}

void dusk_print_number(FILE *file, double x)
{
    char text[64];
    dusk_format_number(text, sizeof text, x);
    fputs(text, file);
}

/* The power of ten that leaves three digits of `width`. */
static int rounding_place(double width)
{
    if (!(width > 0) || !isfinite(width)) return 0;
    return (int)floor(log10(width)) - 2;
}

/* x to the place 10^place, away from the inside of an interval. */
static void format_outward(char *text, size_t size, double x, int place, bool up)
{
    if (place < -15 || place > 12 || !isfinite(x)) {
        dusk_format_number(text, size, x);
        return;
    }
    double unit = pow(10, place), rounded = (up ? ceil(x / unit) : floor(x / unit)) * unit;
    if (rounded == 0) rounded = 0;
    snprintf(text, size, "%.*f", place < 0 ? -place : 0, rounded);
}

void dusk_format_interval(char *text, size_t size, double low, double high)
{
    char from[400], to[400];
    int place = rounding_place(high - low);
    if (place < 0 && low == floor(low) && high == floor(high)) place = 0;
    format_outward(from, sizeof from, low, place, false);
    format_outward(to, sizeof to, high, place, true);
    snprintf(text, size, "%s and %s", from, to);
}

void dusk_format_width(char *text, size_t size, double width)
{
    int place = rounding_place(width);
    format_outward(text, size, width, place < 0 && width == floor(width) ? 0 : place, true);
}

void dusk_format_up(char *text, size_t size, double x, int places)
{
    snprintf(text, size, "%.*f", places, x);
    if (strtod(text, NULL) < x) snprintf(text, size, "%.*f", places, x + pow(10, -places));
}

/* ---- JSON -------------------------------------------------------------------- */

static void begin_value(dusk_json *json)
{
    if (json->comma) fputc(',', json->file);
    json->comma = true;
}

void dusk_json_raw(dusk_json *json, const char *text)
{
    begin_value(json);
    fputs(text, json->file);
}

void dusk_json_open(dusk_json *json, char bracket)
{
    begin_value(json);
    fputc(bracket, json->file);
    json->comma = false;
}

void dusk_json_close(dusk_json *json, char bracket)
{
    fputc(bracket, json->file);
    json->comma = true;
}

void dusk_json_bool(dusk_json *json, bool x) { dusk_json_raw(json, x ? "true" : "false"); }

void dusk_json_null(dusk_json *json) { dusk_json_raw(json, "null"); }

void dusk_json_number(dusk_json *json, double x)
{
    char text[64] = "null";
    if (isfinite(x)) dusk_format_number(text, sizeof text, x);
    dusk_json_raw(json, text);
}

size_t dusk_utf8_length(const char *text) { return dusk_utf8_size(text, strnlen(text, 3) + 1); }

void dusk_json_string(dusk_json *json, const char *s)
{
    begin_value(json);
    fputc('"', json->file);
    while (*s) {
        size_t n = dusk_utf8_length(s);
        if (n == 0)
            fputs("\\ufffd", json->file);
        else if (control_at(s))
            fprintf(json->file, "\\u%04x", control_at(s));
        else if (*s == '"' || *s == '\\')
            fprintf(json->file, "\\%c", *s);
        else
            fwrite(s, 1, n, json->file);
        s += n ? n : 1;
    }
    fputc('"', json->file);
}

void dusk_json_number_field(dusk_json *json, const char *key, double x)
{
    dusk_json_key(json, key);
    dusk_json_number(json, x);
}

void dusk_json_bool_field(dusk_json *json, const char *key, bool x)
{
    dusk_json_key(json, key);
    dusk_json_bool(json, x);
}

void dusk_json_string_field(dusk_json *json, const char *key, const char *s)
{
    dusk_json_key(json, key);
    dusk_json_string(json, s);
}

void dusk_json_key(dusk_json *json, const char *key)
{
    dusk_json_string(json, key);
    fputc(':', json->file);
    json->comma = false;
}

/* ---- Progress ---------------------------------------------------------------- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void dusk_progress_start(dusk_progress *progress, uint64_t total, double epsilon)
{
    *progress = (dusk_progress){ .on = isatty(STDERR_FILENO) != 0, .total = total, .epsilon = epsilon };
    clock_gettime(CLOCK_MONOTONIC, &progress->start);
    progress->last = progress->start;
}

void dusk_progress_at(dusk_progress *progress, uint64_t bytes)
{
    if (!progress->on || seconds_since(&progress->last) < 0.5) return;
    double elapsed = seconds_since(&progress->start), rate = (double)bytes / elapsed;
    fprintf(stderr, "\rread %.0f MB, %.0f MB/s", (double)bytes / 1e6, rate / 1e6);
    if (progress->total > bytes)
        fprintf(stderr, ", %.0f s left", ceil((double)(progress->total - bytes) / rate));
    if (progress->epsilon > 0)
        fprintf(stderr, ", will cost epsilon %s", dusk_shown_up(progress->epsilon, 6).text);
    fputs("   ", stderr);
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
    progress->shown = true;
}

void dusk_progress_count(dusk_progress *progress, uint64_t done)
{
    if (!progress->on || !done || seconds_since(&progress->last) < 0.5) return;
    double elapsed = seconds_since(&progress->start);
    if (!progress->total)
        fprintf(stderr, "\r%.0f so far, %.0f a second   ", (double)done, (double)done / elapsed);
    else
        fprintf(stderr, "\r%.0f of %.0f, %.0f s left   ", (double)done, (double)progress->total,
                ceil(elapsed * (double)(progress->total - done) / (double)done));
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
    progress->shown = true;
}

void dusk_progress_part(dusk_progress *progress, double part)
{
    if (!progress->on || !(part > 0) || seconds_since(&progress->last) < 0.5) return;
    double elapsed = seconds_since(&progress->start);
    fprintf(stderr, "\r%.0f %%, %.0f s left", 100 * part, ceil(elapsed * (1 - part) / part));
    if (progress->epsilon > 0)
        fprintf(stderr, ", costs epsilon %s", dusk_shown_up(progress->epsilon, 6).text);
    fputs("   ", stderr);
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
    progress->shown = true;
}

bool dusk_progress_due(const dusk_progress *progress)
{
    return progress->on && seconds_since(&progress->last) >= 0.5;
}

size_t dusk_progress_columns(void)
{
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

void dusk_progress_show(dusk_progress *progress, const char *line)
{
    fprintf(stderr, "\r%s\033[K", line);
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
    progress->shown = true;
}

void dusk_progress_end(dusk_progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
