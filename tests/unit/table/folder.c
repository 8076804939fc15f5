/* SPDX-License-Identifier: Apache-2.0 */
/* Folders as data: pictures in sub-folders, pairs of IDX files, and whatever else lies in a folder. */
#include "table/folder.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dusk/frame.h"
#include "failing_memory.h"
#include "table_files.h"

static const char four[] = "pixel[4] numeric 0:255\nkind category cat,dog,bird\n";
static const char pets[] = "pixel[4] numeric 0:255\nkind category cat,dog\n";

static dusk_fields *parsed(const char *text)
{
    dusk_fields *fields;
    dusk_error err;
    if (dusk_fields_parse(&fields, text, &err) != DUSK_OK) fail_msg("%s", err.message);
    return fields;
}

static dusk_frame *read_as(const char *fields_text, const char *source)
{
    dusk_fields *fields = parsed(fields_text);
    dusk_frame *frame;
    dusk_error err;
    if (dusk_frame_read(&frame, fields, source, NULL, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_fields_free(fields);
    return frame;
}

static void refused(const char *fields_text, const char *source, dusk_status expected)
{
    dusk_fields *fields = parsed(fields_text);
    dusk_frame *frame;
    dusk_error err;
    if (dusk_frame_read(&frame, fields, source, NULL, &err) != expected)
        fail_msg("%s of %s", err.message, source);
    assert_null(frame);
    assert_true(*err.hint);
    dusk_fields_free(fields);
}

static const char *folder(const char *name)
{
    const char *path = files_path(name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static void expect_row(const dusk_frame *frame, size_t row, const double *pixels, int32_t code)
{
    for (size_t j = 0; j < 4; j++) {
        const double x = dusk_frame_number(&frame->column[j], row);
        if (isnan(pixels[j]) ? !isnan(x) : x != pixels[j]) fail_msg("row %zu, pixel %zu: %g", row, j, x);
    }
    if (frame->fields->count > 4) assert_int_equal(frame->column[4].code[row], code);
}

static const double none[] = { NAN, NAN, NAN, NAN };

/* Files are rows whatever is in them; names that are not declared are no category; what is hidden, or no file, is no row. */
static void pictures(void **state)
{
    (void)state;
    folder("zoo");
    folder("zoo/cat");
    folder("zoo/dog");
    folder("zoo/bird");
    folder("zoo/horse");
    folder("zoo/cat/deeper");
    files_text("zoo/cat/b.pgm", "P2 2 2 255 1 2 3 4");
    files_text("zoo/cat/a.pgm", "P2 4 1 255 5 6 7 8"); /* as many numbers */
    files_text("zoo/cat/c.pgm", "P2 3 2 255 1 2 3 4 5 6");
    files_text("zoo/cat/d.txt", "not a picture");
    files_write("zoo/cat/e", "", 0);
    files_text("zoo/cat/.hidden", "P2 2 2 255 1 2 3 4");
    files_text("zoo/dog/a.pgm", "P2 2 2 255 9 9 9 9");
    files_text("zoo/horse/a.pgm", "P2 2 2 255 8 8 8 8");
    files_text("zoo/a.pgm", "P2 2 2 255 7 7 7 7");
    const double a[] = { 5, 6, 7, 8 }, b[] = { 1, 2, 3, 4 }, dog[] = { 9, 9, 9, 9 };
    const double horse[] = { 8, 8, 8, 8 }, top[] = { 7, 7, 7, 7 };
    dusk_frame *frame = read_as(four, files_path("zoo"));
    assert_int_equal(frame->rows, 7);
    expect_row(frame, 0, a, 0);
    expect_row(frame, 1, b, 0);
    for (size_t row = 2; row < 5; row++) expect_row(frame, row, none, 0);
    expect_row(frame, 5, dog, 1);
    expect_row(frame, 6, horse, -1);
    dusk_frame_free(frame);

    /* without a field for the label all files count */
    frame = read_as("pixel[4] numeric 0:255\n", files_path("zoo"));
    assert_int_equal(frame->rows, 8);
    expect_row(frame, 0, top, 0);
    expect_row(frame, 1, a, 0);
    expect_row(frame, 7, horse, 0);
    dusk_frame_free(frame);

    /* nothing is in the folders of the classes, but they are there; none is */
    folder("zoo/cat/deeper/still");
    folder("zoo/cat/deeper/still/dog");
    folder("zoo/cat/deeper/still/cat");
    frame = read_as(pets, files_path("zoo/cat/deeper/still"));
    assert_int_equal(frame->rows, 0);
    dusk_frame_free(frame);
    refused(pets, files_path("zoo/cat/deeper/still/dog"), DUSK_ERR_ARGUMENT);
}

static void expect_words(const char *source, const char *message, const char *hint)
{
    dusk_fields *fields = parsed(four);
    dusk_frame *frame;
    dusk_error err;
    for (int checked = 0; checked < 2; checked++) {
        const dusk_status status = checked ? dusk_frame_check(fields, source, NULL, &err)
                                           : dusk_frame_read(&frame, fields, source, NULL, &err);
        assert_int_equal(status, DUSK_ERR_ARGUMENT);
        if (!strstr(err.message, message) || !strstr(err.hint, hint))
            fail_msg("%s: %s", err.message, err.hint);
    }
    dusk_fields_free(fields);
}

/* A class without a folder is named, and a folder that may be meant for it. */
static void classes_without_folders(void **state)
{
    (void)state;
    folder("farm");
    folder("farm/cat");
    folder("farm/dog");
    expect_words(files_path("farm"), "no sub-folder for the kind bird", "make one");
    folder("farm/horse");
    files_text("farm/brd", "no folder");
    expect_words(files_path("farm"), "no sub-folder for the kind bird", "make one");
    folder("farm/Bird");
    expect_words(files_path("farm"), "no sub-folder for the kind bird", "rename Bird");
    folder("farm/bird");
    dusk_frame *frame = read_as(four, files_path("farm"));
    assert_int_equal(frame->rows, 0);
    dusk_frame_free(frame);
}

/* What a source is read from, and whether it could be, without a row. */
static void known_before(void **state)
{
    (void)state;
    char files[2][DUSK_FRAME_PATH_MOST];
    dusk_error err;
    dusk_fields *fields = parsed("a numeric 0:1\nb numeric 0:1\n");
    files_text("one.csv", "a,c\n");
    files_text("good.csv", "b,a\n");
    assert_int_equal(dusk_frame_check(fields, files_path("one.csv"), NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_frame_check(fields, files_path("good.csv"), NULL, &err), DUSK_OK);
    assert_int_equal(dusk_frame_check(fields, files_path("absent.csv"), NULL, &err), DUSK_OK);
    assert_int_equal(dusk_frame_check(fields, files_path("absent"), NULL, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_frame_check(fields, files_path("good.csv"), "labels", &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_frame_files(files, "a.csv.gz?header=a,b"), 1);
    assert_string_equal(files[0], "a.csv.gz");
    assert_int_equal(dusk_frame_files(files, "a.db#people"), 1);
    assert_string_equal(files[0], "a.db");
    assert_int_equal(dusk_frame_files(files, "nothing"), 1);
    assert_string_equal(files[0], "nothing");
    assert_int_equal(dusk_frame_files(files, "postgres://ana@host/data"), 0);
    dusk_fields_free(fields);
}

static void colours(void **state)
{
    (void)state;
    folder("paint");
    folder("paint/cat");
    files_text("paint/cat/a.ppm", "P3 1 2 255 1 2 3 4 5 6");
    dusk_frame *frame = read_as("pixel[6] numeric 0:255\nkind category cat\n", files_path("paint"));
    assert_int_equal(frame->rows, 1);
    for (size_t j = 0; j < 6; j++) assert_true(dusk_frame_number(&frame->column[j], 0) == (double)(j + 1));
    dusk_frame_free(frame);
}

static void fields_that_are_none(void **state)
{
    (void)state;
    folder("park");
    refused("kind category cat,dog\npixel[4] numeric 0:255\n", files_path("park"), DUSK_ERR_ARGUMENT);
    refused("kind category cat,dog\n", files_path("park"), DUSK_ERR_ARGUMENT);
    refused(four, files_path("no_such_folder/"), DUSK_ERR_IO);
}

static const unsigned char images[] = {
    0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8
};
static const unsigned char labels[] = { 0, 0, 8, 1, 0, 0, 0, 2, 1, 0 };
static const unsigned char other[] = { 0, 0, 8, 1, 0, 0, 0, 2, 0, 7 };

static void put(const char *name, const void *bytes, size_t size) { files_write(name, bytes, size); }

static void pairs(void **state)
{
    (void)state;
    const char digits[] = "pixel[4] numeric 0:255\ndigit category 0,1\n";
    const double one[] = { 1, 2, 3, 4 }, two[] = { 5, 6, 7, 8 };
    char source[600];
    folder("mnist");
    put("mnist/train-images-idx3-ubyte", images, sizeof images);
    put("mnist/t10k-images.idx3-ubyte", images, sizeof images);
    put("mnist/t10k-labels.idx1-ubyte", other, sizeof other);
    table_pair pair;
    assert_false(table_folder_pair(&pair, files_path("mnist"))); /* one of two is missing */
    put("mnist/train-labels-idx1-ubyte", labels, sizeof labels);
    dusk_frame *frame = read_as(digits, files_path("mnist"));
    assert_int_equal(frame->rows, 2);
    expect_row(frame, 0, one, 1);
    expect_row(frame, 1, two, 0);
    dusk_frame_free(frame);
    snprintf(source, sizeof source, "%s/t10k", files_path("mnist"));
    frame = read_as(digits, source);
    expect_row(frame, 0, one, 0);
    expect_row(frame, 1, two, -1);
    dusk_frame_free(frame);
    frame = read_as("pixel[4] numeric 0:255\n", source);
    assert_int_equal(frame->rows, 2);
    dusk_frame_free(frame);
    char of[2][DUSK_FRAME_PATH_MOST];
    assert_int_equal(dusk_frame_files(of, source), 2);
    assert_non_null(strstr(of[0], "t10k-images"));
    assert_non_null(strstr(of[1], "t10k-labels"));
    refused("pixel[9] numeric 0:255\ndigit category 0,1\n", source, DUSK_ERR_ARGUMENT);
}

static void memory_fails(void **state)
{
    (void)state;
    dusk_fields *fields = parsed(four);
    dusk_frame *frame;
    dusk_error err;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_frame_read(&frame, fields, files_path("zoo"), NULL, &err), &err, n, 200)) break;
        assert_null(frame);
    }
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures),
        cmocka_unit_test(colours),
        cmocka_unit_test(fields_that_are_none),
        cmocka_unit_test(pairs),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(classes_without_folders),
        cmocka_unit_test(known_before),
    };
    return cmocka_run_group_tests_name("folder", tests, files_begin, files_end);
}
