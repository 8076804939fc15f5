/* SPDX-License-Identifier: Apache-2.0 */
/* Frames out of text, IDX files and databases. */
#include <math.h>
#include <sqlite3.h>
#include <zlib.h>

#include "dusk/frame.h"
#include "failing_memory.h"
#include "table/duckdb_api.h"
#include "table/idx.h"
#include "table_files.h"

static dusk_fields *parsed(const char *text)
{
    dusk_fields *fields;
    dusk_error err;
    if (dusk_fields_parse(&fields, text, &err) != DUSK_OK) fail_msg("%s", err.message);
    return fields;
}

static dusk_frame *read_as(const char *fields_text, const char *source, const char *labels)
{
    dusk_fields *fields = parsed(fields_text);
    dusk_frame *frame;
    dusk_error err;
    if (dusk_frame_read(&frame, fields, source, labels, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_fields_free(fields);
    return frame;
}

static void refused(const char *fields_text, const char *source, const char *labels, dusk_status expected)
{
    dusk_fields *fields = parsed(fields_text);
    dusk_frame *frame;
    dusk_error err;
    if (dusk_frame_read(&frame, fields, source, labels, &err) != expected)
        fail_msg("%s of %s", err.message, source);
    assert_null(frame);
    assert_true(*err.hint);
    dusk_fields_free(fields);
}

/* Columns in another order than the file's; NaN and -1 stand for what is missing. */
static void expect(dusk_frame *frame, const double *x, const int32_t *k, size_t rows)
{
    assert_int_equal(frame->rows, rows);
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x[i]) ? !isnan(dusk_frame_number(&frame->column[0], i))
                        : dusk_frame_number(&frame->column[0], i) != x[i])
            fail_msg("row %zu: %g, not %g", i, dusk_frame_number(&frame->column[0], i), x[i]);
        assert_int_equal(frame->column[1].code[i], k[i]);
    }
    dusk_frame_free(frame);
}

static const char people[] = "x numeric 0:10\nkind category a,\"b c\",\"\"\n";
static const char table[] = "kind,id,X\n"
                            "a,1,2.5\n"
                            "b c,2,-1e3\n"
                            " \"b c\" ,3, 7 \n"
                            "\"\",4,nan\n"
                            ",5,inf\n"
                            "A,6,\n"
                            "a,7,0x10\n"
                            "b\xff,8,1 2\n"
                            "a\n"
                            "\n"
                            "a,9,1e400,more\n"
                            "a,10,3";
static const double table_x[] = { 2.5, -1000, 7, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 3 };
static const int32_t table_k[] = { 0, 1, 1, 2, -1, -1, 0, -1, 0, 0, 0 };

static void text(void **state)
{
    (void)state;
    char source[256];
    expect(read_as(people, files_text("people.csv", table), NULL), table_x, table_k, 11);
    snprintf(source, sizeof source, "%s?header=kind,id,x&delimiter=;",
             files_text("plain.txt", "a;1;2\n;2;3\n"));
    expect(read_as(people, source, NULL), (const double[]){ 2, 3 }, (const int32_t[]){ 0, -1 }, 2);
    expect(read_as(people, files_text("none.csv", "x,kind\n"), NULL), NULL, NULL, 0);
    refused(people, files_text("lacks.csv", "x,id\n1,2\n"), NULL, DUSK_ERR_ARGUMENT);
    refused(people, files_path("absent.csv"), NULL, DUSK_ERR_IO);
    refused(people, files_path("what.is"), NULL, DUSK_ERR_IO);
    refused(people, files_text("there.is", "x"), NULL, DUSK_ERR_ARGUMENT);
    refused("", files_path("people.csv"), NULL, DUSK_ERR_ARGUMENT);
    refused(people, files_path("people.csv"), files_path("people.csv"), DUSK_ERR_ARGUMENT);
}

static const char *compressed(const char *name, const void *bytes, size_t length)
{
    const char *path = files_path(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)length), (int)length);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

/* Text out of gzip is the same text; a damaged file is an error, whatever is in it. */
static void gzip(void **state)
{
    (void)state;
    char bytes[1024];
    const char *path = compressed("people.csv.gz", table, sizeof table - 1);
    expect(read_as(people, path, NULL), table_x, table_k, 11);
    expect(read_as(people, files_text("not.csv.gz", "x,kind\n1,a\n"), NULL), (const double[]){ 1 },
           (const int32_t[]){ 0 }, 1);
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    refused(people, files_write("cut.csv.gz", bytes, length - 9), NULL, DUSK_ERR_IO);
    refused(people, files_write("cut.csv.gz", bytes, 20), NULL, DUSK_ERR_IO);
    bytes[length - 6] ^= 1; /* of the checksum */
    refused(people, files_write("bad.csv.gz", bytes, length), NULL, DUSK_ERR_IO);
}

/* Many rows: columns grow, and numbers are those that were written. */
static void many_rows(void **state)
{
    (void)state;
    const char *path = files_path("many.csv");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("kind,x\n", file);
    for (int i = 0; i < 10000; i++) fprintf(file, "%s,%.17g\n", i % 3 ? "a" : "b c", i / 7.0);
    assert_int_equal(fclose(file), 0);
    dusk_frame *frame = read_as(people, path, NULL);
    assert_int_equal(frame->rows, 10000);
    for (int i = 0; i < 10000; i++) {
        assert_true(dusk_frame_number(&frame->column[0], (size_t)i) == i / 7.0);
        assert_int_equal(frame->column[1].code[i], i % 3 == 0);
    }
    dusk_frame_free(frame);
}

/* --- IDX ------------------------------------------------------------------------------------- */

static const unsigned char pixels[] = {
    0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 255, 7, 128, 9, 1
};
static const unsigned char digits[] = { 0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 250 };
static const char image[] = "p[2] numeric 0:255\ndigit category 0,7\n";

static void idx(void **state)
{
    (void)state;
    static const double expected[2][3] = { { 0, 7, 9 }, { 255, 128, 1 } };
    for (int zipped = 0; zipped < 2; zipped++) {
        const char *images = zipped ? compressed("i-idx3-ubyte.gz", pixels, sizeof pixels)
                                    : files_write("i.idx3-ubyte", (const char *)pixels, sizeof pixels);
        dusk_frame *frame =
            read_as(image, images, files_write("l-idx1-ubyte", (const char *)digits, sizeof digits));
        assert_int_equal(frame->rows, 3);
        for (int c = 0; c < 2; c++) assert_true(frame->column[c].byte && !frame->column[c].number);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < 3; i++)
                assert_true(dusk_frame_number(&frame->column[c], (size_t)i) == expected[c][i]);
        assert_true(frame->column[2].code[0] == 1 && frame->column[2].code[1] == 0 &&
                    frame->column[2].code[2] == -1);
        dusk_frame_free(frame);
        frame = read_as("p[2] numeric 0:255\n", images, NULL);
        assert_int_equal(frame->rows, 3);
        dusk_frame_free(frame);
    }
}

static void idx_types(void **state)
{
    (void)state;
    static const struct {
        unsigned char bytes[16];
        size_t length;
        double x;
    } one[] = {
        { { 0, 0, 9, 1, 0, 0, 0, 1, 0xff }, 9, -1 },
        { { 0, 0, 11, 1, 0, 0, 0, 1, 0x80, 0 }, 10, -32768 },
        { { 0, 0, 11, 1, 0, 0, 0, 1, 0x7f, 0xff }, 10, 32767 },
        { { 0, 0, 12, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe }, 12, -2 },
        { { 0, 0, 13, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0 }, 12, 1 },
        { { 0, 0, 13, 1, 0, 0, 0, 1, 0x7f, 0xc0, 0, 0 }, 12, NAN },
        { { 0, 0, 14, 1, 0, 0, 0, 1, 0xc0, 0x04, 0, 0, 0, 0, 0, 0 }, 16, -2.5 },
        { { 0, 0, 14, 1, 0, 0, 0, 1, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0 }, 16, NAN },
    };
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        dusk_frame *frame = read_as("x numeric 0:1\n",
                                    files_write("one.idx", (const char *)one[i].bytes, one[i].length), NULL);
        assert_int_equal(frame->rows, 1);
        double x = dusk_frame_number(&frame->column[0], 0);
        assert_true(isnan(one[i].x) ? isnan(x) : x == one[i].x);
        dusk_frame_free(frame);
    }
}

static dusk_frame *with_bytes(const unsigned char *bytes, size_t length, const char *fields_text)
{
    return read_as(fields_text, files_write("h.idx", (const char *)bytes, length), NULL);
}

/* Headers that promise what is not there, or too much. */
static void idx_hostile(void **state)
{
    (void)state;
    static const unsigned char bad[][16] = {
        { 0, 0, 8, 0 },
        { 0, 0, 10, 1, 0, 0, 0, 1 },
        { 0, 1, 8, 1, 0, 0, 0, 1 },
        { 0, 0, 8, 255, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 },
        { 0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 0 },
        { 0, 0, 8, 2, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff },
        { 0, 0, 14, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 8, 0, 0 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused("x numeric 0:1\n", files_write("bad.idx", (const char *)bad[i], 16), NULL, DUSK_ERR_PARSE);
    for (size_t length = 0; length < 8; length++)
        refused("x numeric 0:1\n", files_write("bad.idx", "\0\0\10\1\0\0\0\1", length), NULL, DUSK_ERR_PARSE);
    refused(image, files_write("bad.idx", (const char *)pixels, sizeof pixels), NULL, DUSK_ERR_ARGUMENT);
    const char *images = files_path("bad.idx");
    refused(image, images, images, DUSK_ERR_ARGUMENT);
    refused("x numeric 0:1\n", files_path("absent.idx"), NULL, DUSK_ERR_IO);
    refused("x numeric 0:1\n", "/tmp/.idx", NULL, DUSK_ERR_IO);
    /* four thousand million rows, of which two are there, the second not whole */
    static const unsigned char promises[] = { 0, 0, 11, 1, 255, 255, 255, 255, 0, 5, 9 };
    dusk_frame *frame = with_bytes(promises, sizeof promises, "x numeric 0:1\n");
    assert_int_equal(frame->rows, 1);
    assert_true(dusk_frame_number(&frame->column[0], 0) == 5);
    dusk_frame_free(frame);
    frame = with_bytes(pixels, sizeof pixels - 1, "p[2] numeric 0:255\n");
    assert_int_equal(frame->rows, 2);
    dusk_frame_free(frame);
    /* the shorter of two files counts */
    frame = read_as(image, files_write("l.idx", (const char *)pixels, sizeof pixels),
                    files_write("s.idx", (const char *)digits, sizeof digits - 2));
    assert_int_equal(frame->rows, 1);
    dusk_frame_free(frame);
}

/* --- engines ------------------------------------------------------------------------------------ */

static void databases(void **state)
{
    (void)state;
    sqlite3 *db;
    char source[256];
    const char *path = files_path("clinic.db");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE visits (kind TEXT, id INTEGER, X REAL);"
                     "INSERT INTO visits VALUES ('a', 1, 2.5), ('b c', 2, NULL), (NULL, 3, 'seven'),"
                     "('', 4, 9e999), ('A', 5, 7)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    snprintf(source, sizeof source, "%s#visits", path);
    expect(read_as(people, source, NULL), (const double[]){ 2.5, NAN, NAN, NAN, 7 },
           (const int32_t[]){ 0, 1, -1, 2, -1 }, 5);
    refused("y numeric 0:1\n", source, NULL, DUSK_ERR_ARGUMENT);
    snprintf(source, sizeof source, "%s#absent", path);
    refused(people, source, NULL, DUSK_ERR_ARGUMENT);
}

static void memory_fails(void **state)
{
    (void)state;
    dusk_fields *fields = parsed(people), *of_images = parsed(image);
    const char *path = files_text("people.csv", table);
    const char *images = files_write("m.idx", (const char *)pixels, sizeof pixels);
    const char *labels = files_write("n.idx", (const char *)digits, sizeof digits);
    dusk_frame *frame;
    dusk_error err;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_frame_read(&frame, fields, path, NULL, &err), &err, n, 100)) break;
        assert_null(frame);
    }
    dusk_frame_free(frame);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_frame_read(&frame, of_images, images, labels, &err), &err, n, 100)) break;
        assert_null(frame);
    }
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    dusk_fields_free(of_images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),      cmocka_unit_test(gzip),         cmocka_unit_test(many_rows),
        cmocka_unit_test(idx),       cmocka_unit_test(idx_types),    cmocka_unit_test(idx_hostile),
        cmocka_unit_test(databases), cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests_name("frame_read", tests, files_begin, files_end);
}
