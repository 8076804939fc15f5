/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails while a linear learner is planned or runs: it says so, gives no model, and leaks nothing (the
 * sanitizer build looks). */
#include "regressions.h"

#include "failing_memory.h"

static bool try_once(const regression_request *r, const dusk_frame *frame, dusk_generator *gen, long n)
{
    dusk_training *training = NULL;
    dusk_model *model = NULL;
    dusk_error err = { .message = "" };
    dusk_memory_fail_at(n);
    dusk_status status = regression_prepare(&training, r, frame->fields, &err);
    if (status == DUSK_OK) status = dusk_training_run(training, &model, frame, gen, &err);
    bool through = went_through(status, &err, n, 1000);
    assert_true(through == (model != NULL));
    dusk_model_free(model);
    dusk_training_free(training);
    return through;
}

static void fail_all(const regression_request *r, const char *text)
{
    dusk_frame *frame = regression_frame(text, 20, 1, 3);
    dusk_generator *gen;
    long n = 1;
    assert_int_equal(dusk_generator_new_seeded(&gen, 4, NULL), DUSK_OK);
    while (!try_once(r, frame, gen, n)) n++;
    assert_true(n > 5);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

static void test_statistics(void **unused)
{
    (void)unused;
    static const char *const learners[] = { "linear", "bayes_linear", "lasso", "aggregate_linear" };
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (int pure = 0; pure < 2; pure++)
            fail_all(&(regression_request){ learners[i], .epsilon = 1, .delta = pure ? 0 : 1e-6 },
                     regression_fields);
}

static void test_medians(void **unused)
{
    (void)unused;
    fail_all(&(regression_request){ "aggregate_linear", .settings = { "combine=median" }, .epsilon = 1 },
             regression_fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_statistics), cmocka_unit_test(test_medians) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
