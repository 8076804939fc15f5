/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions: columns are found by name, the label need not be there, slices join without a seam, and a frame that does
 * not fit is refused. */
#include "failing_memory.h"
#include "toy_models.h"

static void columns_are_found_by_name(void **state)
{
    dusk_model *model = toy_model(&toy_number, TOY_NUMBERS);
    dusk_frame *frame = toy_frame("other numeric 0:1\nC category a,b\nx numeric 0:99\n", 3);
    dusk_prediction got;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        frame->column[1].code[i] = (int32_t)i - 1;
        frame->column[2].number[i] = 2.5 * (double)i;
    }
    assert_int_equal(dusk_predict(&got, model, frame, NULL), DUSK_OK);
    assert_int_equal(got.rows, 3);
    assert_int_equal(got.columns, 1);
    assert_true(got.value[0] == 0 && got.value[1] == 2.5 && got.value[2] == 6);
    dusk_prediction_clear(&got);
    dusk_prediction_clear(&got);
    dusk_frame_free(frame);
    dusk_model_free(model);
}

/* Rows are looked at in slices of 4096 at most. */
static void slices_join(void **state)
{
    const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 12289 };
    dusk_model *model = toy_model(&toy_likely, TOY_PLAIN);
    (void)state;
    for (size_t s = 0; s < 6; s++) {
        dusk_frame *frame = toy_frame(TOY_PLAIN, sizes[s]);
        dusk_prediction got;
        for (size_t i = 0; i < sizes[s]; i++) frame->column[0].number[i] = (double)i;
        assert_int_equal(dusk_predict(&got, model, frame, NULL), DUSK_OK);
        assert_int_equal(got.rows, sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++) assert_true(got.value[i] == -(double)i);
        dusk_prediction_clear(&got);
        dusk_frame_free(frame);
    }
    dusk_model_free(model);
}

static void what_does_not_fit_is_refused(void **state)
{
    const char *const wrong[] = { "c category a,b\n", "x category 1,2\nc category a,b\n",
                                  "x numeric 0:10\nc category b,a\n", "x numeric 0:10\nc category a,b,d\n",
                                  "x numeric 0:10\nc numeric 0:1\n" };
    dusk_model *model = toy_model(&toy_number, TOY_NUMBERS);
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dusk_frame *frame = toy_frame(wrong[i], 2);
        dusk_prediction got = { .rows = 77 };
        dusk_error err = { .message = "" };
        assert_int_equal(dusk_predict(&got, model, frame, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, i == 0 || i == 1 ? "field x" : "field c"));
        assert_true(*err.hint);
        assert_int_equal(got.rows, 77);
        dusk_frame_free(frame);
    }
    dusk_model_free(model);
}

static void memory_may_fail(void **state)
{
    dusk_model *model = toy_model(&toy_number, TOY_NUMBERS);
    dusk_frame *frame = toy_frame(TOY_PLAIN, 5);
    (void)state;
    for (long n = 1;; n++) {
        dusk_prediction got = { .rows = 77 };
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        if (went_through(dusk_predict(&got, model, frame, &err), &err, n, 50)) {
            dusk_prediction_clear(&got);
            break;
        }
        assert_int_equal(got.rows, 77);
    }
    dusk_frame_free(frame);
    dusk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(slices_join),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
