/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of text files: files as they are found in the wild, and random ones against a plain
 * automaton, read in pieces of every size. */
#include "table/csv.h"

#include "base/memory.h"
#include "table_files.h"

/* --- what a file holds, as one text: fields in [], NULL as -, a line a record --------------- */

typedef struct shown {
    char text[4096];
    size_t length;
} shown;

static void put(shown *out, const char *text, size_t length)
{
    assert_true(out->length + length < sizeof out->text);
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = '\0';
}

static void put_field(shown *out, const char *text, size_t length)
{
    put(out, text ? "[" : "-", 1);
    if (!text) return;
    put(out, text, length);
    put(out, "]", 1);
}

static void read_rows(table_csv *csv, shown *out, size_t need)
{
    dusk_error err;
    bool found;
    table_csv_need(csv, need);
    for (;;) {
        assert_int_equal(table_csv_next(csv, &found, &err), DUSK_OK);
        if (!found) return;
        for (size_t c = 0; c < table_csv_columns(csv) && c < need; c++) {
            const char *text = NULL;
            size_t length = 0;
            if (!table_csv_field(csv, c, &text, &length)) text = NULL;
            if (text) assert_int_equal(table_csv_clean(csv, &text, &length, &err), DUSK_OK);
            put_field(out, text, length);
        }
        put(out, "\n", 1);
    }
}

static dusk_location location_of(const char *path, char delimiter, char *header)
{
    return (dusk_location){
        .kind = DUSK_SOURCE_CSV, .path = (char *)(uintptr_t)path, .delimiter = delimiter, .header = header
    };
}

/* All rows in pieces of every size up to 40 and in one; every way the same; and once more after a
 * rewind. */
static void check_file(const char *path, char delimiter, char *header, const char *wanted, size_t need)
{
    for (size_t piece = 0; piece <= 40; piece++) {
        dusk_location l = location_of(path, delimiter, header);
        dusk_error err = { .message = "" };
        table_csv *csv;
        shown rows = { .length = 0 };
        if (table_csv_open(&csv, &l, piece, &err) != DUSK_OK) fail_msg("%s", err.message);
        read_rows(csv, &rows, need);
        if (strcmp(rows.text, wanted) != 0)
            fail_msg("in pieces of %zu:\n%s\ninstead of\n%s", piece, rows.text, wanted);
        rows.length = 0;
        assert_int_equal(table_csv_rewind(csv, &err), DUSK_OK);
        read_rows(csv, &rows, need);
        assert_string_equal(rows.text, wanted);
        table_csv_close(csv);
    }
}

static void check(const char *text, const char *wanted)
{
    check_file(files_text("a.csv", text), ',', NULL, wanted, 1000);
}

static void plain_files(void **state)
{
    (void)state;
    check("a,b\n1,2\n3,4\n", "[1][2]\n[3][4]\n");
    check("a,b\r\n1,2\r\n3,4", "[1][2]\n[3][4]\n");
    check("a,b\n1,\n,2\n,", "[1]-\n-[2]\n--\n");
    check("a,b\n1\n1,2,3,4\n", "[1]-\n[1][2]\n");
    check("a\n1\n\n2\n", "[1]\n-\n[2]\n");
    check("a,b\n\n1,2\n\r\n\n3,4\n\n", "[1][2]\n[3][4]\n");
    check("\n\na,b\n1,2\n", "[1][2]\n");
    check("a,b\n", "");
    check("a,b", "");
    check("\xEF\xBB\xBF"
          "a,b\n1,2\n",
          "[1][2]\n");
    check("a,b\n\xEF\xBB\xBF,2\n", "[\xEF\xBB\xBF][2]\n");
    check("a,b\n a , b \n", "[a][b]\n");
    check("a,b\n1\r,2\r\r\n", "[1\r][2\r]\n");
}

static void quotes(void **state)
{
    (void)state;
    check("a,b\n\"1\",\"2\"\n", "[1][2]\n");
    check("a,b\n\"\",\n", "[]-\n");
    check("a,b\n\"x,y\",\"line\nbreak\"\r\n", "[x,y][line\nbreak]\n");
    check("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", "[say \"hi\"][\"]\n");
    check("a,b\n\"a\"tail,\"b\"\"c\"d\"e\"\r\n", "[atail][b\"cd\"e\"]\n");
    check("a,b\nx\"y,\"\"\n", "[x\"y][]\n");
    check("a,b\n1,\"never closed\n2,3\n", "[1][never closed\n2,3\n]\n");
    check("a,b\n1,\"", "[1][]\n");
    check("a,b\n1,\"\"", "[1][]\n");
    check("a,b\n1,\"\"\"", "[1][\"]\n");
    check("a,b\n\"1\" ,\" 2\"\n", "[1][2]\n");
    check("a,b\n\"1\r\n\",\"2\"\r\n", "[1\r\n][2]\n");
    check("\"a\nx\",\"b\"\"\"\n1,2\n", "[1][2]\n");
    check("a\n\"\"\n\n", "[]\n-\n");
}

static void columns_that_are_not_needed(void **state)
{
    const char *path = files_text("n.csv", "a,b,c\n1,2,3\n,5,6\n\n4,\"x\ny\",\"z\n\"\n7,\"8\"\"\n,\",9\n");
    (void)state;
    check_file(path, ',', NULL, "[1]\n-\n[4]\n[7]\n", 1);
    check_file(path, ',', NULL, "[1][2]\n-[5]\n[4][x\ny]\n[7][8\"\n,]\n", 2);
    check_file(path, ',', NULL, "\n\n\n\n", 0);
}

static void other_delimiters_and_headers(void **state)
{
    char names[] = " key, name\t";
    (void)state;
    check_file(files_text("t.tbl", "1|one|\n2|two|\n3||\n"), '|', names, "[1][one]\n[2][two]\n[3]-\n", 9);
    check_file(files_text("t.tsv", "a\tb\n1,5\t\"x\ty\"\n"), '\t', NULL, "[1,5][x\ty]\n", 9);
    check_file(files_text("h.tbl", "key|name|\n1|one|\n"), '|', NULL, "[1][one]\n", 9);
}

/* Blanks around a field do not count, quoted or not. */
static void blanks(void **state)
{
    const char *path = files_text("b.csv", " a ,\tb\n 1, x y \n  \n\" 2 \" , \"3\"\"\"\t\r\n ,\" \" z \n\t");
    char names[] = "a,b";
    (void)state;
    check_file(path, ',', NULL, "[1][x y]\n[2][3\"]\n-[z]\n", 9);
    check_file(path, ',', NULL, "[1]\n[2]\n-\n", 1);
    check_file(files_text("b.tsv", "1\t 2\n\t\n \" \"\t\"\t\"\n"), '\t', names, "[1][2]\n--\n[][]\n", 9);
    check_file(files_text("b.txt", "1  2\n 3\n"), ' ', names, "[1]-\n-[3]\n", 9);
    check("a\n  \n x", "-\n[x]\n");
    check("a,b\n39, State-gov\n?,\" Female\"\n", "[39][State-gov]\n[?][Female]\n");
}

static void bytes_that_are_no_text(void **state)
{
    static const char text[] = "a,b\n\xff"
                               "x,a\0b\n\xc3\xa4,\xc3\n\"\xe2\x82\"\"\",\xed\xa0\x80\n";
    (void)state;
    check_file(files_write("u.csv", text, sizeof text - 1), ',', NULL,
               "[\xEF\xBF\xBDx][a\xEF\xBF\xBD"
               "b]\n[\xc3\xa4][\xEF\xBF\xBD]\n"
               "[\xEF\xBF\xBD\xEF\xBF\xBD\"][\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD]\n",
               9);
}

static void long_fields(void **state)
{
    enum { LONG = 3 << 20 };
    char *text = malloc(LONG + 8);
    const char *field;
    size_t length = 0;
    bool found;
    dusk_error err;
    table_csv *csv;
    (void)state;
    assert_non_null(text);
    memcpy(text, "a,b\n1,\"", 7);
    memset(text + 7, 'x', LONG - 7);
    dusk_location l = location_of(files_write("long.csv", text, LONG), ',', NULL);
    free(text);
    assert_int_equal(table_csv_open(&csv, &l, 0, &err), DUSK_OK);
    assert_int_equal(table_csv_size(csv), LONG);
    assert_int_equal(table_csv_next(csv, &found, &err), DUSK_OK);
    assert_true(found && table_csv_field(csv, 1, &field, &length));
    assert_int_equal(length, LONG - 7);
    assert_int_equal(table_csv_next(csv, &found, &err), DUSK_OK);
    assert_false(found);
    table_csv_close(csv);
}

/* --- against an automaton that sees one character at a time ------------------------------------ */

typedef struct automaton {
    shown rows, field;
    size_t column, columns, line_bytes;
    bool quoted;
} automaton;

static void end_field(automaton *m)
{
    char *text = m->field.text;
    while (m->field.length && text[m->field.length - 1] == ' ') m->field.length--;
    size_t blank = strspn(text, " ") < m->field.length ? strspn(text, " ") : m->field.length;
    m->field.length -= blank;
    memmove(text, text + blank, m->field.length);
    if (m->field.length == 0 && !m->quoted) {
        if (m->column < m->columns) put_field(&m->rows, NULL, 0);
    } else if (m->column < m->columns)
        put_field(&m->rows, m->field.text, m->field.length);
    m->column++;
    m->field.length = 0;
    m->quoted = false;
}

static void end_record(automaton *m)
{
    end_field(m);
    while (m->column < m->columns) put_field(&m->rows, NULL, 0), m->column++;
    put(&m->rows, "\n", 1);
    m->column = m->line_bytes = 0;
}

static void run_automaton(automaton *m, const char *text, size_t length)
{
    enum { START, PLAIN, INSIDE, BEHIND } at = START;
    for (size_t i = 0; i <= length; i++) {
        char c = i < length ? text[i] : '\n';
        bool last = i == length, drop = c == '\r' && (i + 1 >= length || text[i + 1] == '\n');
        if (last && m->line_bytes == 0) return;
        m->line_bytes++;
        if (at == INSIDE && !last) {
            if (c != '"')
                put(&m->field, &c, 1);
            else if (i + 1 < length && text[i + 1] == '"')
                put(&m->field, &c, 1), i++;
            else
                at = BEHIND;
        } else if (c == '\n') {
            bool blank = at == START && m->column == 0;
            at = START;
            if (blank && m->columns > 1)
                m->line_bytes = 0;
            else
                end_record(m);
        } else if (c == ' ' && at == START) {
            continue;
        } else if (c == ',') {
            end_field(m);
            at = START;
        } else if (c == '"' && at == START) {
            at = INSIDE;
            m->quoted = true;
        } else if (!drop) {
            put(&m->field, &c, 1);
            if (at == START) at = PLAIN;
        }
    }
}

static void random_files(void **state)
{
    uint64_t seed = 20;
    (void)state;
    for (int round = 0; round < 400; round++) {
        char text[120] = "a,b,c\n";
        size_t length = 6, more = splitmix64(&seed) % 60;
        if (round % 4 == 0) memcpy(text, "a\n", 2), length = 2;
        automaton m = { .columns = round % 4 == 0 ? 1 : 3 };
        size_t start = length;
        for (size_t i = 0; i < more; i++) text[length++] = ",,\"\"\"\n\nxy\r  "[splitmix64(&seed) % 12];
        run_automaton(&m, text + start, length - start);
        check_file(files_write("r.csv", text, length), ',', NULL, m.rows.length ? m.rows.text : "", 1000);
    }
}

/* --- headers, and what is refused ----------------------------------------------------------------- */

static table_csv *open_text(const char *text, dusk_error *err)
{
    dusk_location l = location_of(files_text("h.csv", text), ',', NULL);
    table_csv *csv = NULL;
    *err = (dusk_error){ .status = DUSK_OK };
    dusk_status status = table_csv_open(&csv, &l, 0, err);
    assert_int_equal(status, err->status);
    assert_int_equal(csv == NULL, status != DUSK_OK);
    return csv;
}

static void names(void **state)
{
    dusk_error err;
    (void)state;
    table_csv *csv = open_text(", Name\t,\"a \"\"b\"\"\",x\xff\n", &err);
    assert_int_equal(table_csv_columns(csv), 4);
    assert_string_equal(table_csv_name(csv, 0), "column1");
    assert_string_equal(table_csv_name(csv, 1), "Name");
    assert_string_equal(table_csv_name(csv, 2), "a \"b\"");
    assert_string_equal(table_csv_name(csv, 3), "x\xEF\xBF\xBD");
    assert_int_equal(table_csv_find(csv, "NAME"), 1);
    assert_int_equal(table_csv_find(csv, ""), DUSK_NO_LINK);
    table_csv_close(csv);
}

static void refusals(void **state)
{
    dusk_error err;
    char text[400];
    table_csv *csv;
    (void)state;
    assert_null(open_text("", &err));
    assert_null(open_text("\n\n", &err));
    assert_null(open_text("a,b,A\n", &err));
    assert_non_null(strstr(err.message, "columns 1 and 3"));
    memset(text, 'x', 128);
    memcpy(text + 128, "\n", 2);
    assert_null(open_text(text, &err));
    dusk_location l = location_of(files_folder, ',', NULL);
    assert_int_equal(table_csv_open(&csv, &l, 0, &err), DUSK_ERR_IO);
    l = location_of("/nowhere/at.csv", ',', NULL);
    assert_int_equal(table_csv_open(&csv, &l, 0, &err), DUSK_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at.csv"));
    char *wide = malloc(20002);
    assert_non_null(wide);
    memset(wide, ',', 20000);
    memcpy(wide + 20000, "\n", 2);
    assert_null(open_text(wide, &err));
    assert_int_equal(err.status, DUSK_ERR_UNSUPPORTED);
    free(wide);
    table_csv_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files),
        cmocka_unit_test(quotes),
        cmocka_unit_test(columns_that_are_not_needed),
        cmocka_unit_test(other_delimiters_and_headers),
        cmocka_unit_test(blanks),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(long_fields),
        cmocka_unit_test(random_files),
        cmocka_unit_test(names),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
