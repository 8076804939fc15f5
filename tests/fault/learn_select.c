/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails, or entropy is out, while a search is planned or runs: it says so, gives no model, and leaks nothing (the
 * sanitizer build looks). */
#include "dusk/learn_select.h"

#include "learners.h"

#include "failing_memory.h"

typedef struct request {
    const char *learner;
    double delta;
    const char *candidate[2];
} request;

static const request requests[] = {
    { "boosting", 0, { "rounds=1", "rounds=1 bins=2" } },
    { "net", 1e-5, { "net=output rate=1 steps=2", "net=output rate=1 steps=1" } }, /* by their curves */
};

static dusk_status attempt(dusk_search_result *result, const request *r, const dusk_frame *frame,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_train_options train;
    dusk_search_options options;
    dusk_search *search = NULL;
    dusk_train_options_init(&train);
    train.label = "good";
    train.epsilon = 4;
    train.delta = r->delta;
    train.rows = 10;
    train.neighbours = DUSK_ADD_REMOVE;
    dusk_search_options_init(&options);
    options.candidates = r->candidate;
    options.candidates_count = 2;
    dusk_status status = dusk_search_prepare(&search, r->learner, frame->fields, &train, &options, err);
    if (status == DUSK_OK) status = dusk_search_run(search, result, frame, gen, err);
    dusk_search_free(search);
    return status;
}

static void memory_runs_out_of(const request *r)
{
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 10, gen);
    bool done = false;
    for (long n = 1; !done; n += 1 + n / 16) {
        dusk_generator *coins = seeded(2);
        dusk_search_result result = { .model = NULL };
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        done = went_through(attempt(&result, r, frame, coins, &err), &err, n, 100000);
        assert_true(done == (result.model != NULL));
        dusk_model_free(result.model);
        dusk_generator_free(coins);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) memory_runs_out_of(&requests[k]);
}

static void entropy_runs_out(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 10, gen);
    for (unsigned bits = 1; bits <= 512; bits *= 2) {
        dusk_generator *empty = zeros(bits);
        dusk_search_result result = { .model = NULL };
        assert_int_equal(attempt(&result, &requests[0], frame, empty, NULL), DUSK_ERR_ENTROPY);
        assert_null(result.model);
        dusk_generator_free(empty);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(entropy_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
