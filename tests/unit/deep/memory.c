/* SPDX-License-Identifier: Apache-2.0 */
/* A limit of memory is kept, by what is allocated; what is learned with less memory is the same, to the last bit; what cannot be is refused with what would do. */
#include "learners.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "deep/training.h"
#include "ledgers.h"

enum {
    ROWS = 40,
    SETTINGS = 8,
    BYTES_A_ROW = 400
}; /* of this frame: encoded rows, and what samplers have of each */

typedef struct request {
    const char *settings[SETTINGS];
    bool plain, check, loose; /* loose: rows of an embedding that might be touched are counted */
} request;

static const request requests[] = {
    { { "net=dense 300; relu; output", "rate=1", "steps=3" }, false, false, false },
    { { "net=dense 300; relu; output", "rate=1", "steps=3", "threads=3", "optimiser=adam", "average=0.5" },
      false,
      true,
      false },
    { { "net=input 6 1; conv1d 32 3; relu; dense 100; dropout 0.5; output", "rate=0.5", "steps=40",
        "threads=2", "momentum=0" },
      false,
      false,
      false },
    { { "net=input 6; embedding 50 20; lstm 30 last; output", "rate=1", "steps=3", "range=raw" },
      false,
      false,
      true },
    { { "net=layernorm fixed; dense 2000; tanh; output", "rate=1", "steps=3", "threads=2" },
      true,
      true,
      false },
    { { "net=dense 300; relu; output", "rate=1", "steps=3", "threads=2", "smooth=3", "bias_noise=0.1" },
      false,
      false,
      false },
    { { "net=dense 300; relu; output", "rate=0.5", "steps=4", "sampler=shuffled", "correlation=tree" },
      false,
      false,
      false },
    { { "net=dense 3000; relu; output", "rate=1", "steps=3", "allocation=adaptive" }, false, false, false },
    { { "net=dense 600; relu; dense 600; output", "rate=1", "steps=3", "allocation=descent", "threads=2" },
      false,
      false,
      false },
    { { "net=dense 300; relu; output", "rate=1", "steps=3", "subspace=20" }, false, true, false },
    { { "net=groupnorm 1 fixed; dense 600; relu; output", "rate=1", "steps=3", "subspace=4", "threads=2",
        "clipping=adaptive" },
      false,
      false,
      false },
    { { "net=dense 600; relu; output", "rate=1", "steps=3", "subspace=4" }, true, false, false },
    { { "net=dense 100; relu; dense 300; relu; output", "rate=0.5", "steps=4", "carriers=2", "threads=2",
        "optimiser=adam", "sampler=shuffled" },
      false,
      false,
      false },
    { { "net=groupnorm 1 fixed; dense 200; relu; dense 200; output", "rate=1", "steps=3", "carriers=40" },
      true,
      false,
      false },
};

static void look(void *context, const dusk_train_point *point)
{
    (void)context;
    (void)point;
}

static dusk_status prepare(dusk_training **out, const request *r, const dusk_frame *frame, uint64_t memory,
                           dusk_error *err)
{
    dusk_train_options o = learners_options(dusk_learner_named("net"), r->plain ? 0 : 1, 1e-5);
    o.no_privacy = r->plain;
    o.rows = ROWS;
    o.settings = r->settings;
    o.settings_count = 0;
    while (o.settings_count < SETTINGS && r->settings[o.settings_count]) {
        if (strstr(r->settings[o.settings_count], "shuffled")) o.neighbours = DUSK_REPLACE_ONE;
        if (strstr(r->settings[o.settings_count], "subspace")) o.open_rows = frame;
        o.settings_count++;
    }
    o.memory = memory;
    o.check_rows = r->check ? frame : NULL;
    o.observe = look;
    return dusk_training_prepare(out, "net", frame->fields, &o, err);
}

static const deep_plan *plan_of(dusk_training *training) { return learn_training_job(training)->plan; }

/* What running it with a checkpoint allocates at most, besides the rows. */
static double measure(dusk_training *training, const dusk_frame *frame, dusk_model **model)
{
    dusk_generator *gen = seeded(5);
    folder f = folder_make();
    uint64_t charge;
    const size_t before = dusk_memory_used();
    assert_int_equal(dusk_training_keep(training, f.file, 1, false, &charge, NULL), DUSK_OK);
    assert_int_equal(dusk_training_begin(training, NULL, 0, NULL), DUSK_OK);
    dusk_memory_watch();
    assert_int_equal(dusk_training_run(training, model, frame, gen, NULL), DUSK_OK);
    const double most = (double)(dusk_memory_most() - before);
    assert_int_equal(dusk_training_end(training, NULL), DUSK_OK);
    folder_remove(&f);
    dusk_generator_free(gen);
    return most - ROWS * BYTES_A_ROW;
}

static void expect_same(const dusk_model *a, const dusk_model *b)
{
    size_t one, n, m;
    const double *x = dusk_model_array(a, "parameters", &one, &n),
                 *y = dusk_model_array(b, "parameters", &one, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n * sizeof *x);
}

static void expect_kept(const request *list, size_t count, const dusk_frame *frame)
{
    dusk_error err;
    for (size_t k = 0; k < count; k++) {
        const request *r = &list[k];
        dusk_training *free_one, *much, *little;
        dusk_model *a, *b, *c;
        assert_int_equal(prepare(&free_one, r, frame, 0, &err), DUSK_OK);
        assert_int_equal(prepare(&much, r, frame, (uint64_t)1 << 40, &err), DUSK_OK);
        const double bound = plan_of(much)->memory, used = measure(much, frame, &b);
        (void)measure(free_one, frame, &a);
        if (!(used <= bound)) fail_msg("%zu: %g bytes, %g were said to be the most", k, used, bound);
        if (!(r->loose || bound < 1.25 * used + 0x1p19)) fail_msg("%zu: %g bytes of %g", k, used, bound);
        if (!r->plain) expect_same(a, b); /* without privacy sums are of floats, as they come */
        dusk_model_free(b);
        assert_int_equal(prepare(&little, r, frame, 1, &err), DUSK_ERR_ARGUMENT);
        const char *said = strstr(err.hint, "--memory ");
        assert_non_null(said);
        const double least = 1000 * strtod(said + 9, NULL);
        assert_true(least <= bound + 1000);
        assert_int_equal(prepare(&little, r, frame, (uint64_t)(least - 1001), &err), DUSK_ERR_ARGUMENT);
        /* the least, and half of what is above it: fewer rows at a time, or fewer threads */
        for (int half = 0; half < 2; half++) {
            const double limit = half ? (least + bound) / 2 : least;
            assert_int_equal(prepare(&little, r, frame, (uint64_t)ceil(limit), &err), DUSK_OK);
            assert_true(plan_of(little)->memory <= ceil(limit));
            const double now = measure(little, frame, &c);
            if (!(now <= limit)) fail_msg("%zu: %g bytes, and %g are the limit", k, now, limit);
            /* several threads draw other noise than one */
            if (!r->plain && (plan_of(little)->threads > 1) == (plan_of(much)->threads > 1))
                expect_same(a, c);
            dusk_model_free(c);
            dusk_training_free(little);
        }
        dusk_model_free(a);
        dusk_training_free(free_one);
        dusk_training_free(much);
    }
}

static void kept(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    expect_kept(requests, sizeof requests / sizeof *requests, frame);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* Parts of a network that is there. */
static void tuned(void **state)
{
    (void)state;
    static const request whole = {
        { "net=dense 200; relu; dense 200; tanh; output", "rate=1", "steps=1" }, true, false, false
    };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    folder f = folder_make();
    char start[300];
    dusk_training *training;
    dusk_model *model;
    assert_int_equal(prepare(&training, &whole, frame, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_model_write(model, f.file, NULL), DUSK_OK);
    snprintf(start, sizeof start, "start=%s", f.file);
    const request list[] = {
        { { whole.settings[0], "rate=1", "steps=3", start, "start_is=public", "tune=lora", "threads=2" },
          false,
          false,
          false },
        { { whole.settings[0], "rate=1", "steps=3", start, "start_is=public", "tune=bias", "average=0.9" },
          false,
          true,
          false },
        { { whole.settings[0], "rate=1", "steps=3", start, "start_is=public", "frozen=2", "threads=2" },
          false,
          true,
          false },
    };
    expect_kept(list, sizeof list / sizeof *list, frame);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

static void refused(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 5, gen);
    dusk_train_options o = learners_options(dusk_learner_named("linear"), 1, 1e-5);
    dusk_training *training;
    dusk_error err;
    o.memory = 1 << 20;
    assert_int_equal(dusk_training_prepare(&training, "linear", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "no limit of memory"));
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kept), cmocka_unit_test(tuned),
                                        cmocka_unit_test(refused) };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
