/* SPDX-License-Identifier: Apache-2.0 */
/* Networks when memory is out at any step: of layers that go each way, of the front of a net, of threads and averages, in training and in
 * prediction. They say so, give nothing, and lose no memory (the sanitizers see that). */
#include "learners.h"

#include "failing_memory.h"

static const char *const requests[][6] = {
    { "net=input 6 1; tanh; dense 9 each; relu; conv1d 3 2; output", "rate=1", "steps=2", "threads=3",
      "average=0.5", "optimiser=adam" },
    { "net=layernorm fixed; dense 4; residual; layernorm; dropout 0.5; add; output", "rate=1", "steps=2",
      "threads=2", "clipping=adaptive", "optimiser=adagrad" },
    { "net=input 6; embedding 4 3; attention 1; lstm 3 last; tied 2; tanh; output", "rate=1", "steps=2",
      "clip=0.1", "range=raw", "optimiser=adamw" },
    { "net=dense 4; tanh; output", "rate=1", "steps=2", "threads=2", "smooth=2", "bias_noise=1" },
    { "net=groupnorm 1 fixed; dense 4; tanh; output", "rate=1", "steps=2", "threads=2", "subspace=3",
      "clipping=adaptive" }, /* with public rows */
    { "net=dense 6; tanh; output", "rate=1", "steps=2", "threads=2", "carriers=1", "optimiser=adam" },
    { "net=output", "lot=4", "steps=2", "average=0.5", "clipping=layers", "threads=1" }, /* counted */
    { "net=output", "rate=0.5", "steps=16", "allocation=adaptive", "threads=1", "momentum=0" },
    { "net=output", "rate=0.5", "steps=6", "allocation=descent", "threads=2", "momentum=0" },
};

static void look(void *context, const dusk_train_point *point)
{
    (void)context;
    (void)point;
}

/* The n-th allocation fails: of the plan and all that follows, or of what follows alone. */
static bool try_at(long n, bool planned, const dusk_train_options *o, const dusk_frame *frame,
                   dusk_generator *gen)
{
    dusk_training *training = NULL;
    dusk_model *model = NULL;
    dusk_prediction said = { .rows = 0 };
    dusk_error err = { .message = "" };
    if (!planned) dusk_memory_fail_at(n);
    dusk_status status = dusk_training_prepare(&training, "net", frame->fields, o, &err);
    if (planned) dusk_memory_fail_at(n);
    if (status == DUSK_OK) status = dusk_training_run(training, &model, frame, gen, &err);
    if (status != DUSK_OK) assert_null(model);
    if (status == DUSK_OK) status = dusk_predict(&said, model, frame, &err);
    const bool done = went_through(status, &err, n, 100000);
    dusk_prediction_clear(&said);
    dusk_model_free(model);
    dusk_training_free(training);
    return done;
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        dusk_generator *gen = seeded(k + 1);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 12, gen);
        dusk_train_options o = learners_options(dusk_learner_named("net"), 2, 1e-3);
        long n = 1, m = 1;
        o.settings = requests[k];
        o.settings_count = sizeof requests[k] / sizeof *requests[k];
        o.check_rows = k == 0 ? frame : NULL;
        o.open_rows = k == 4 ? frame : NULL;
        o.observe = look;
        while (!try_at(n, false, &o, frame, gen)) n += 1 + n / 4;
        while (!try_at(m, true, &o, frame, gen)) m += 1 + m / (k < 6 ? 32 : 4);
        assert_true((n > m || k > 6) &&
                    m > 50); /* where noise is found on the way some prices are just tried */
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
