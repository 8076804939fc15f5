/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in memory, and their split by coins. */
#include "dusk/frame.h"

#include <math.h>

#include "failing_memory.h"
#include "random/record.h"
#include "seeded.h"

static dusk_frame *made(size_t rows)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric 0:1\nk category a,b\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    dusk_fields_free(fields); /* the frame has a copy */
    return frame;
}

static void empty_ones(void **state)
{
    (void)state;
    dusk_frame *frame = made(3), *none = made(0);
    assert_int_equal(frame->rows, 3);
    assert_string_equal(frame->fields->field[1].value[1], "b");
    for (size_t i = 0; i < 3; i++)
        assert_true(frame->column[0].number[i] == 0 && frame->column[1].code[i] == 0);
    assert_null(frame->column[0].code);
    assert_null(frame->column[1].number);
    dusk_frame *huge;
    dusk_error err;
    assert_int_equal(dusk_frame_new(&huge, frame->fields, SIZE_MAX / 4, &err), DUSK_ERR_MEMORY);
    assert_null(huge);
    dusk_frame_free(frame);
    dusk_frame_free(none);
    dusk_frame_free(NULL);
}

static dusk_frame *numbered(size_t rows)
{
    dusk_frame *frame = made(rows);
    for (size_t i = 0; i < rows; i++) {
        frame->column[0].number[i] = (double)i;
        frame->column[1].code[i] = -(int32_t)i;
    }
    return frame;
}

/* Every row is in one part, whole, and in order. */
static void parts(void **state)
{
    (void)state;
    dusk_frame *frame = numbered(1000), *part[2];
    dusk_generator *gen = seeded(3);
    assert_int_equal(dusk_frame_split(frame, &part[0], &part[1], 0.2, gen, NULL), DUSK_OK);
    size_t at[2] = { 0, 0 };
    for (size_t i = 0; i < 1000; i++) {
        size_t p = at[0] < part[0]->rows && part[0]->column[0].number[at[0]] == (double)i ? 0 : 1;
        assert_true(at[p] < part[p]->rows && part[p]->column[0].number[at[p]] == (double)i);
        assert_int_equal(part[p]->column[1].code[at[p]], -(int32_t)i);
        at[p]++;
    }
    assert_true(at[0] == part[0]->rows && at[1] == part[1]->rows);
    assert_true(at[1] > 110 && at[1] < 290); /* 200, seven deviations either way */
    for (int p = 0; p < 2; p++) dusk_frame_free(part[p]);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

/* A row that comes last changes no other row's part. */
static void coins_are_own(void **state)
{
    (void)state;
    dusk_frame *frame = numbered(101), *part[4];
    dusk_generator *gen = seeded(5), *same = seeded(5);
    assert_int_equal(dusk_frame_split(frame, &part[0], &part[1], 0.5, gen, NULL), DUSK_OK);
    frame->rows = 100;
    assert_int_equal(dusk_frame_split(frame, &part[2], &part[3], 0.5, same, NULL), DUSK_OK);
    frame->rows = 101;
    for (int p = 0; p < 2; p++)
        assert_memory_equal(part[p]->column[0].number, part[2 + p]->column[0].number,
                            part[2 + p]->rows * sizeof(double));
    for (int p = 0; p < 4; p++) dusk_frame_free(part[p]);
    dusk_generator_free(gen);
    dusk_generator_free(same);
    dusk_frame_free(frame);
}

static void split_refusals(void **state)
{
    (void)state;
    static const double bad[] = { 0, 1, -1, 2, INFINITY, NAN };
    dusk_frame *frame = numbered(10), *first, *second;
    dusk_generator *gen = seeded(1), *none = zeros(512);
    dusk_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(dusk_frame_split(frame, &first, &second, bad[i], gen, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_frame_split(frame, &first, &second, 0.5, none, &err), DUSK_ERR_ENTROPY);
    assert_true(!first && !second);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_frame_split(frame, &first, &second, 0.5, gen, &err), &err, n, 100)) break;
        assert_true(!first && !second);
    }
    dusk_frame_free(first);
    dusk_frame_free(second);
    dusk_generator_free(gen);
    dusk_generator_free(none);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(empty_ones), cmocka_unit_test(parts),
                                        cmocka_unit_test(coins_are_own), cmocka_unit_test(split_refusals) };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
