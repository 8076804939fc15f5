/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes, plain and out of gzip: the same bytes in pieces of any size, again after a rewind. */
#include "table/input.h"

#include <zlib.h>

#include "table/csv.h"
#include "table_files.h"

enum { LENGTH = 300000 };
static char bytes[LENGTH];

static const char *made(bool gzip)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < LENGTH; i++) bytes[i] = (char)(splitmix64(&seed) % 7);
    bytes[0] = 'x'; /* not as gzip begins */
    if (!gzip) return files_write("plain", bytes, LENGTH);
    gzFile file = gzopen(files_path("small.gz"), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, LENGTH), LENGTH);
    assert_int_equal(gzclose(file), Z_OK);
    return files_path("small.gz");
}

static void check(table_input *in, size_t piece)
{
    static char room[LENGTH + 10];
    size_t at = 0, got;
    do {
        size_t want = piece < sizeof room - at ? piece : sizeof room - at;
        assert_int_equal(table_input_read(in, room + at, want, &got, NULL), DUSK_OK);
        assert_true(got <= want);
        at += got;
    } while (got > 0 && at < sizeof room);
    assert_int_equal(at, LENGTH);
    assert_memory_equal(room, bytes, LENGTH);
}

static void pieces(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) { /* plain, plain where gzip may be, gzip */
        const char *path = made(way == 2);
        table_input in;
        assert_int_equal(table_input_open(&in, path, way > 0, NULL), DUSK_OK);
        assert_true(way == 2 ? in.size < LENGTH : in.size == LENGTH);
        for (size_t piece = 997; piece <= 997 * 1000; piece *= 10) {
            check(&in, piece);
            assert_int_equal(table_input_rewind(&in, NULL), DUSK_OK);
        }
        size_t got;
        char some[100];
        assert_int_equal(table_input_fill(&in, some, sizeof some, &got, NULL), DUSK_OK);
        assert_true(got == sizeof some && memcmp(some, bytes, sizeof some) == 0);
        table_input_close(&in);
        table_input_close(&in); /* once is enough, twice is fine */
    }
}

static void names(void **state)
{
    (void)state;
    assert_true(table_input_named_gzip("a.csv.gz") && table_input_named_gzip("A.GZ"));
    assert_false(table_input_named_gzip(".gz") || table_input_named_gzip("gz") ||
                 table_input_named_gzip("a.gzip"));
}

static void refusals(void **state)
{
    table_input in;
    dusk_error err;
    (void)state;
    assert_int_equal(table_input_open(&in, "/tmp", false, &err), DUSK_ERR_IO);
    assert_int_equal(in.file, -1);
    assert_int_equal(table_input_open(&in, files_path("absent"), true, &err), DUSK_ERR_IO);
    table_input_close(&in);
}

/* Text out of gzip is read again from its first record. */
static void records(void **state)
{
    const char text[] = "a,b\n1,2\n3,4\n";
    dusk_location location = { .kind = DUSK_SOURCE_CSV, .delimiter = ',' };
    table_csv *csv;
    bool found;
    (void)state;
    gzFile file = gzopen(files_path("t.csv.gz"), "wb");
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    char path[128];
    snprintf(path, sizeof path, "%s", files_path("t.csv.gz"));
    location.path = path;
    assert_int_equal(table_csv_open(&csv, &location, 3, NULL), DUSK_OK);
    for (int round = 0; round < 3; round++) {
        for (int row = 0; row < 2; row++) {
            const char *field = NULL;
            size_t length = 0;
            assert_int_equal(table_csv_next(csv, &found, NULL), DUSK_OK);
            assert_true(found && table_csv_field(csv, 1, &field, &length));
            assert_true(length == 1 && *field == (row ? '4' : '2'));
        }
        assert_int_equal(table_csv_next(csv, &found, NULL), DUSK_OK);
        assert_false(found);
        assert_int_equal(table_csv_rewind(csv, NULL), DUSK_OK);
    }
    table_csv_close(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pieces), cmocka_unit_test(names),
                                        cmocka_unit_test(refusals), cmocka_unit_test(records) };
    return cmocka_run_group_tests_name("input", tests, files_begin, files_end);
}
