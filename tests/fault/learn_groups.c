/* SPDX-License-Identifier: Apache-2.0 */
/* Clustering with every method when memory is out at any step (all learners with their defaults: learners.c): it says so, gives no model,
 * and loses no memory (the sanitizers see that). */
#include "cluster_frames.h"

#include "failing_memory.h"

static void run_out(const cluster_request *r, const char *text)
{
    dusk_frame *frame = cluster_frame(text, 20, 2, 3);
    dusk_generator *gen = seeded(1);
    bool done = false;
    for (long n = 1; !done; n += 1 + n / 16) {
        dusk_training *training = NULL;
        dusk_model *model = NULL;
        dusk_error err = { .message = "" };
        dusk_memory_fail_at(n);
        dusk_status status = cluster_prepare(&training, r, frame->fields, &err);
        if (status == DUSK_OK) status = dusk_training_run(training, &model, frame, gen, &err);
        done = went_through(status, &err, n, 100000);
        assert_true(done == (model != NULL));
        dusk_model_free(model);
        dusk_training_free(training);
    }
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

static void memory_runs_out(void **state)
{
    static const char *const methods[] = { "method=grid",   "method=hash",   "method=lloyd",
                                           "method=choice", "method=blocks", "method=sketch" };
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        cluster_request r = { "kmeans", .settings = { "groups=2", methods[i], "rounds=1" }, .epsilon = 1 };
        run_out(&r, "a numeric 0:1\nb numeric 0:1\n");
    }
    cluster_request full = { "mixture", .settings = { "groups=2", "covariance=full" }, .epsilon = 1,
                             .delta = 1e-6 };
    run_out(&full, "a numeric 0:1\nb numeric 0:1\n");
    cluster_request normal = { "naive_bayes", .settings = { "numbers=normal" }, .label = "c", .epsilon = 1 };
    run_out(&normal, "a numeric 0:1\nc category p,q\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
