/* SPDX-License-Identifier: Apache-2.0 */
/* Public data sets as frames; what is declared of them is in learn_sets.c. Files are decompressed into a temporary one, with
 * the few changes that make them tables. */
#include "learn_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "bench.h"
#include "learn_sets.h"

enum { LINE_MAX_BYTES = 1 << 16, FIELDS_MAX_BYTES = 1 << 14, HEADER_MAX_BYTES = 1 << 14 };

/* --- lines ---------------------------------------------------------------------------------- */

/* The next word of a line, which ends it there; NULL at the end. */
static char *next_word(char **at, const char *border)
{
    char *word = *at + strspn(*at, border);
    if (!*word) return NULL;
    *at = word + strcspn(word, border);
    if (**at) *(*at)++ = '\0';
    return word;
}

static void put_blanks(FILE *to, char *line)
{
    const char *between = "";
    for (char *word; (word = next_word(&line, " \t")); between = ",") fprintf(to, "%s%s", between, word);
}

static void put_attack(FILE *to, char *line)
{
    char *comma = strrchr(line, ',');
    if (!comma) return;
    *comma = '\0';
    fprintf(to, "%s,%s", line, strcmp(comma + 1, "normal.") == 0 ? "no" : "yes");
}

/* Ten numbers, then 4 and 40 columns of which one is 1, then the class. */
static void put_cover(FILE *to, char *line)
{
    int column = 0;
    for (char *word; (word = next_word(&line, ",")); column++) {
        if (column < 10) fprintf(to, "%s,", word);
        if (column >= 10 && column < 54 && *word == '1')
            fprintf(to, "%d,", column < 14 ? column - 9 : column - 13);
        if (column == 54) fputs(word, to);
    }
}

static void put_line(FILE *to, char *line, bench_line kind)
{
    size_t length = strlen(line);
    if (kind == BENCH_LINE_NO_DOT && length > 0 && line[length - 1] == '.') line[length - 1] = '\0';
    if (kind == BENCH_LINE_BLANKS)
        put_blanks(to, line);
    else if (kind == BENCH_LINE_ATTACK)
        put_attack(to, line);
    else if (kind == BENCH_LINE_COVER)
        put_cover(to, line);
    else
        fputs(line, to);
    fputc('\n', to);
}

/* The file as a table in `path`, a name for mkstemps; false: it is not there. */
static bool unpack(char *path, const char *from, bench_line kind)
{
    char *line = malloc(LINE_MAX_BYTES);
    gzFile in = gzopen(from, "rb");
    int file = in ? mkstemps(path, 4) : -1;
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    bool first = true;
    while (line && out && gzgets(in, line, LINE_MAX_BYTES)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!first || kind != BENCH_LINE_NOT_FIRST) put_line(out, line, kind);
        first = false;
    }
    bool fine = line && out;
    if (out) fine = fclose(out) == 0 && fine;
    if (in) gzclose(in);
    free(line);
    return fine;
}

/* --- fields ----------------------------------------------------------------------------------- */

/* "0:1 2:3" are x0 and y. */
static void fields_of_bounds(char *text, const char *bounds)
{
    size_t used = 0, column = 0;
    while (*bounds) {
        size_t length = strcspn(bounds, " ");
        bool last = bounds[length] == '\0';
        char name[24] = "y";
        if (!last) snprintf(name, sizeof name, "x%zu", column++);
        used += (size_t)snprintf(text + used, FIELDS_MAX_BYTES - used, "%s numeric %.*s\n", name, (int)length,
                                 bounds);
        bounds += length + !last;
    }
}

static dusk_fields *fields_of(const bench_set *set)
{
    char text[FIELDS_MAX_BYTES];
    const char *from = set->fields;
    dusk_fields *fields;
    dusk_error err;
    if (set->bounds) {
        fields_of_bounds(text, set->bounds);
        from = text;
    }
    bench_require(dusk_fields_parse(&fields, from, &err), &err);
    return fields;
}

static void header_of(char *text, const bench_set *set, const dusk_fields *fields)
{
    size_t used = 0;
    bool named = set->bounds || (set->header && !*set->header);
    *text = '\0';
    if (set->header && *set->header)
        used += (size_t)snprintf(text, HEADER_MAX_BYTES, "?header=%s", set->header);
    for (size_t i = 0; named && i < fields->count; i++)
        used += (size_t)snprintf(text + used, HEADER_MAX_BYTES - used, "%s%s",
                                 i ? "," : "?header=", fields->field[i].name);
    if (set->delimiter)
        snprintf(text + used, HEADER_MAX_BYTES - used, "%sdelimiter=%c", used ? "&" : "?", set->delimiter);
}

/* --- frames -------------------------------------------------------------------------------------- */

/* The rows of part `test`, every fifth being one, or those that are not. */
static dusk_frame *part_of(const dusk_frame *frame, bool test)
{
    dusk_frame *out;
    dusk_error err;
    size_t n = frame->rows / 5, at = 0;
    bench_require(dusk_frame_new(&out, frame->fields, test ? n : frame->rows - n, &err), &err);
    for (size_t row = 0; row < frame->rows; row++) {
        if ((row % 5 == 4) != test) continue;
        for (size_t c = 0; c < frame->fields->count; c++) {
            if (frame->column[c].code)
                out->column[c].code[at] = frame->column[c].code[row];
            else
                out->column[c].number[at] = dusk_frame_number(&frame->column[c], row);
        }
        at++;
    }
    return out;
}

static void place(char *out, size_t size, const char *folder, const char *name)
{
    snprintf(out, size, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
}

/* One file of a set, or NULL when it is not there. */
static dusk_frame *read_part(const bench_set *set, const char *folder, const dusk_fields *fields, bool test)
{
    char from[1024], labels[1024], path[] = "/tmp/dusk-bench-XXXXXX.csv",
                                   source[sizeof path + HEADER_MAX_BYTES];
    char header[HEADER_MAX_BYTES];
    dusk_frame *frame = NULL;
    dusk_error err;
    place(from, sizeof from, folder, test ? set->test : set->train);
    if (set->labels[0]) {
        place(labels, sizeof labels, folder, set->labels[test]);
        if (access(from, R_OK) == 0) bench_require(dusk_frame_read(&frame, fields, from, labels, &err), &err);
        return frame;
    }
    if (!unpack(path, from, set->line)) return NULL;
    header_of(header, set, fields);
    snprintf(source, sizeof source, "%s%s", path, header);
    bench_require(dusk_frame_read(&frame, fields, source, NULL, &err), &err);
    (void)unlink(path);
    return frame;
}

static const bench_set *find_set(const char *name)
{
    for (const bench_set *set = bench_sets; set->name; set++)
        if (strcmp(set->name, name) == 0) return set;
    return NULL;
}

bool bench_data_open(bench_data *out, const char *name)
{
    const char *folder = getenv("DUSK_DATA");
    const bench_set *set = find_set(name);
    *out = (bench_data){ .train = NULL };
    if (!folder || !set) return false;
    dusk_fields *fields = fields_of(set);
    dusk_frame *first = read_part(set, folder, fields, false);
    dusk_frame *second = first && set->test ? read_part(set, folder, fields, true) : NULL;
    dusk_fields_free(fields);
    if (!first) return false;
    *out = (bench_data){ .train = first, .test = second, .label = set->label };
    if (!set->test) {
        *out =
            (bench_data){ .train = part_of(first, false), .test = part_of(first, true), .label = set->label };
        dusk_frame_free(first);
    }
    if (!out->test) bench_data_close(out);
    return out->test != NULL;
}

void bench_data_close(bench_data *data)
{
    dusk_frame_free(data->train);
    dusk_frame_free(data->test);
    *data = (bench_data){ .train = NULL };
}
