/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: files that were torn, changed or are of another plan, and trainings that were killed and go on: to the same model where nothing is
 * random, with new coins where something is, and never twice. */
#include "learn/checkpoint.h"

#include <fcntl.h>

#include "checkpoints.h"
#include "learn/model.h"

static const unsigned char plan_a[LEARN_PLAN_HASH] = { 1 }, plan_b[LEARN_PLAN_HASH] = { 2 },
                           entry[32] = { 3 };

static learn_checkpoint opened(const char *path, bool resume)
{
    learn_checkpoint c;
    OK(learn_checkpoint_open(&c, path, plan_a, 8, 1, resume, &err));
    return c;
}

/* A training of whatever size that cannot begin there, and why. */
static void refused(const char *path, bool resume, dusk_status wanted, const char *words)
{
    dusk_error why;
    learn_checkpoint c;
    assert_int_equal(learn_checkpoint_open(&c, path, plan_b, 99, 1, resume, &why), wanted);
    if (!strstr(why.message, words)) fail_msg("%s", why.message);
}

static void expect_state(const char *path, const char *wanted)
{
    char state[8];
    bool found;
    learn_checkpoint c = opened(path, true);
    OK(learn_checkpoint_load(&c, state, &found, &err));
    assert_int_equal(found, wanted != NULL);
    if (wanted) assert_memory_equal(state, wanted, 8);
    assert_int_equal(c.charge, 7);
    assert_memory_equal(c.entry, entry, sizeof entry);
    learn_checkpoint_close(&c);
}

/* Change a byte; places are 152 bytes each: 112 of a header, 8 of a state, 32 of a hash. */
enum { PLACE = 16 + LEARN_PLAN_HASH + 32 + 32 + 8 + 32 };
static void tear(const char *path, off_t at)
{
    unsigned char byte;
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    assert_int_equal(close(file), 0);
}

static void files(void **state)
{
    (void)state;
    folder f = folder_make();
    const char *path = f.file;
    learn_checkpoint c = opened(path, false), other;
    FAILS(DUSK_ERR_BUSY, learn_checkpoint_open(&other, path, plan_a, 8, 1, false, &err));
    FAILS(DUSK_ERR_BUSY, learn_checkpoint_open(&other, path, plan_a, 8, 1, true, &err));
    OK(learn_checkpoint_begin(&c, 7, entry, &err));
    learn_checkpoint_close(&c);
    expect_state(path, NULL);
    FAILS(DUSK_ERR_ARGUMENT, learn_checkpoint_open(&other, path, plan_a, 8, 1, false, &err));
    c = opened(path, true);
    OK(learn_checkpoint_save(&c, "state  1", false, &err));
    learn_checkpoint_close(&c);
    expect_state(path, "state  1");
    c = opened(path, true);
    OK(learn_checkpoint_save(&c, "state  2", false, &err));
    OK(learn_checkpoint_save(&c, "state  3", true, &err));
    learn_checkpoint_close(&c);
    expect_state(path, "state  3"); /* number 4, in place 0 */
    c = opened(path, true);
    assert_true(c.made);
    learn_checkpoint_close(&c);
    FAILS(DUSK_ERR_ARGUMENT, learn_checkpoint_open(&other, path, plan_b, 8, 1, true, &err));
    for (off_t at = 16 + LEARN_PLAN_HASH; at < PLACE; at++) { /* the first half of a write that was cut off */
        tear(path, at);
        expect_state(path, "state  2");
        tear(path, at);
    }
    tear(path, 90);
    tear(path, PLACE + 90);
    FAILS(DUSK_ERR_CORRUPT, learn_checkpoint_open(&other, path, plan_a, 8, 1, true, &err));
    tear(path, 90);
    c = opened(path, true);
    OK(learn_checkpoint_end(&c, &err));
    learn_checkpoint_close(&c);
    FAILS(DUSK_ERR_ARGUMENT, learn_checkpoint_open(&other, path, plan_a, 8, 1, true, &err));
    refused(path, false, DUSK_ERR_ARGUMENT, "has ended");
    assert_int_equal(truncate(path, 0), 0);
    c = opened(path, false); /* one that was empty stays when it was not begun, a new one does not */
    learn_checkpoint_close(&c);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    refused(path, true, DUSK_ERR_IO, "there is no checkpoint");
    c = opened(path, false);
    learn_checkpoint_close(&c);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    FAILS(DUSK_ERR_CORRUPT, learn_checkpoint_open(&other, path, plan_a, 8, 1, true, &err));
    FAILS(DUSK_ERR_IO, learn_checkpoint_open(&other, "/no/such/folder", plan_a, 8, 1, false, &err));
    folder_remove(&f);
}

/* --- trainings ---------------------------------------------------------------------------------------- */

/* A training that is killed half way, and one that is not; the second model may be kept as a file. */
static void check_nothing_lost(run *r, const dusk_frame *frame, dusk_generator *gen, const char *model_path)
{
    folder f = folder_make();
    dusk_generator *coins = seeded(5);
    dusk_training *training = prepared(r, frame);
    dusk_model *whole, *resumed;
    OK(dusk_training_run(training, &whole, frame, coins, &err));
    die(r, f.file, frame, NULL, 0.5); /* after 5 steps, of which 4 were kept */
    resumed = go_on(r, f.file, frame, gen);
    assert_true(fabs(r->first_part - 0.5) < 1e-9);
    assert_true(same(whole, resumed));
    assert_true(dusk_statement_is_none(dusk_model_statement(resumed)));
    if (model_path) OK(dusk_model_write(whole, model_path, &err));
    dusk_model_free(whole);
    dusk_model_free(resumed);
    dusk_training_free(training);
    dusk_generator_free(coins);
    folder_remove(&f);
}

/* Without noise, and of all rows: as if nothing had happened, whatever the optimiser has to remember, and whatever part is learned. */
static void nothing_is_lost(void **state)
{
    (void)state;
    const char *const optimiser[] = { "optimiser=sgd", "optimiser=adam", "optimiser=adagrad" };
    const char *const tune[] = { "tune=lora", "tune=bias" };
    folder models = folder_make();
    char start[200];
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    for (size_t i = 0; i < 3; i++) {
        run r = { .settings = { "net=dense 3; tanh; output", "rate=1", "steps=10", "average=0.5",
                                optimiser[i] },
                  .count = 5,
                  .plain = true,
                  .dies_at = 2 };
        check_nothing_lost(&r, frame, gen, i == 0 ? models.file : NULL);
    }
    for (size_t i = 0; i < 3; i++) { /* carriers come back, and what they follow */
        run r = { .settings = { "net=dense 6; tanh; output", "rate=1", "steps=10", "average=0.5",
                                optimiser[i], "carriers=1" },
                  .count = 6,
                  .plain = true,
                  .dies_at = 2 };
        check_nothing_lost(&r, frame, gen, NULL);
    }
    snprintf(start, sizeof start, "start=%s", models.file);
    for (size_t i = 0; i < 2; i++) {
        run r = { .settings = { "net=dense 3; tanh; output", "rate=1", "steps=10", "average=0.5", start,
                                "start_is=public", tune[i], "rank=1" },
                  .count = 8,
                  .plain = true,
                  .dies_at = 2 };
        check_nothing_lost(&r, frame, gen, NULL);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&models);
}

/* Directions of gradients are not kept: they are found anew by public rows, where the training goes on. */
static void directions_are_found_anew(void **state)
{
    (void)state;
    run r = { .settings = { "net=dense 3; tanh; output", "rate=1", "steps=10", "subspace=3" },
              .count = 4,
              .dies_at = 2 };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    size_t n;
    die(&r, f.file, frame, NULL, 0.5);
    dusk_model *model = go_on(&r, f.file, frame, gen);
    assert_true(fabs(r.first_part - 0.5) < 1e-9);
    const double *x = parameters(model, &n);
    for (size_t j = 0; j < n; j++) assert_true(isfinite(x[j]));
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

/* Rows are counted once, by the first coins of the process that died: half way, or after the first step, or before it, when how many steps there are may have been seen. */
static void check_count(double dies_at)
{
    run r = { .settings = { "net=output", "lot=20", "steps=10" }, .count = 3, .dies_at = 2, .counts = true };
    dusk_generator *gen = seeded(1), *coins = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    dusk_training *training = prepared(&r, frame);
    folder f = folder_make();
    dusk_model *model[2];
    size_t one;
    OK(dusk_training_run(training, &model[0], frame, coins, &err));
    die(&r, f.file, frame, NULL, dies_at);
    model[1] = go_on(&r, f.file, frame, gen);
    assert_true(*dusk_model_array(model[0], "rows", &one, &one) ==
                *dusk_model_array(model[1], "rows", &one, &one));
    for (int k = 0; k < 2; k++) dusk_model_free(model[k]);
    dusk_training_free(training);
    dusk_generator_free(coins);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

static void count_is_kept(void **state)
{
    (void)state;
    check_count(0.5);
    check_count(0.1);
    check_count(0); /* before anything but the count is known */
}

/* How noise was allocated is kept: stages before and after are within the allowance together. */
static void allocation_is_kept(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=1", "steps=32", "allocation=adaptive" },
              .count = 4,
              .dies_at = 2 };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    for (double dies_at = 0.45; dies_at < 0.5;
         dies_at += 0.03) { /* within a stage of two steps, and at its end */
        folder f = folder_make();
        size_t rows, stages;
        double information = 0;
        dusk_account account;
        dusk_composition *c;
        dusk_event event;
        die(&r, f.file, frame, NULL, dies_at);
        dusk_model *model = go_on(&r, f.file, frame, gen);
        const double *noise = dusk_model_array(model, "noise", &rows, &stages);
        assert_true(noise && stages == 16);
        for (size_t k = 0; k < stages; k++) information += 2 / (noise[k] * noise[k]);
        assert_true(isfinite(information));
        OK(dusk_event_gdp(&event, sqrt(information) * (1 - 1e-9), &err));
        OK(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err));
        OK(dusk_composition_add(c, &event, 1, &err));
        OK(dusk_account_epsilon(&account, c, 1e-6, DUSK_BEST, &err));
        assert_true(account.bound.upper <= 5 && account.bound.upper > 4.9);
        dusk_composition_free(c);
        dusk_model_free(model);
        folder_remove(&f);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void copy_file(const char *from, const char *to)
{
    char command[400];
    snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

/* Two that go on from copies of one file, one of them by the coins of the process that died: their models are the caller's to free. */
static void go_on_twice(run *r, const dusk_frame *frame, dusk_model *model[2])
{
    dusk_generator *gen = seeded(5), *other = seeded(2);
    folder f = folder_make();
    char copy[400];
    die(r, f.file, frame, NULL, r->dies_at);
    snprintf(copy, sizeof copy, "%s.copy", f.file);
    copy_file(f.file, copy);
    model[0] = go_on(r, f.file, frame, gen);
    model[1] = go_on(r, copy, frame, other);
    assert_int_equal(unlink(copy), 0);
    folder_remove(&f);
    dusk_generator_free(gen);
    dusk_generator_free(other);
}

/* Means and deviations of features were released once: two that go on from there have the same, and weights with other noise. So have those that start with the same frozen numbers. */
static void check_settled(const char *net, const char *frozen, bool measured, double dies_at)
{
    run r = { .settings = { net, "rate=0.5", "steps=20", frozen }, .count = 4, .dies_at = dies_at };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    dusk_model *model[2];
    size_t n, same = 0, zeros = 0;
    go_on_twice(&r, frame, model);
    const double *a = parameters(model[0], &n), *b = parameters(model[1], &n);
    /* of w columns there are 3 (w + 1) + 3 (3 + 1) parameters, and 2 w where they are measured */
    const size_t first = measured ? 2 * (n - 15) / 5 : 0, settled = measured ? first : n - 12;
    for (size_t j = 0; j < settled; j++) {
        assert_true(a[j] == b[j]);
        assert_true(j < first / 2 || j >= first || a[j] > 0);
        zeros += a[j] == 0;
    }
    for (size_t j = settled; j < n; j++) same += a[j] == b[j];
    assert_true(zeros <= 3 && n > settled && same == 0);
    dusk_model_free(model[0]);
    dusk_model_free(model[1]);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void what_was_settled_is_kept(void **state)
{
    (void)state;
    check_settled("net=standard; dense 3; tanh; output", "frozen=0", true, 0.5);
    check_settled("net=standard; dense 3; tanh; output", "frozen=0", true, 0.05); /* after the first step */
    check_settled("net=dense 3; tanh; output", "frozen=2", false, 0.5);
}

/* Scales of columns were released once, too: they are in the model. */
static void scales_are_kept(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=0.5", "steps=20", "scaling=standard" },
              .count = 4,
              .dies_at = 2 };
    dusk_generator *gen = seeded(1), *coins = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    dusk_training *training = prepared(&r, frame);
    dusk_model *model[2], *whole;
    OK(dusk_training_run(training, &whole, frame, coins, &err));
    r.dies_at = 0.5;
    go_on_twice(&r, frame, model);
    for (size_t i = 0; i < whole->features.width; i++)
        for (int k = 0; k < 2; k++) {
            const learn_feature *a = &whole->features.feature[i], *b = &model[k]->features.feature[i];
            assert_true(a->centre == b->centre && a->factor == b->factor);
        }
    assert_true(whole->features.feature[0].factor != 1);
    assert_false(same(model[0], model[1]));
    for (int k = 0; k < 2; k++) dusk_model_free(model[k]);
    dusk_model_free(whole);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(coins);
}

/* An epoch is one order of rows, or one allocation: trainings go on at the end of one, and tell of nothing else. */
static void epochs_are_whole(void **state)
{
    (void)state;
    static const char *const sampler[] = { "sampler=shuffled", "sampler=shuffled", "sampler=shuffled",
                                           "sampler=allocated" };
    static const char *const correlation[] = { "correlation=none", "correlation=tree", "correlation=bands",
                                               "correlation=none" };
    dusk_generator *gen = seeded(1), *coins = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    for (size_t i = 0; i < 4; i++) { /* four epochs of so many steps */
        const size_t epoch = i < 3 ? 4 : 50;
        char rate[32], steps[32];
        snprintf(rate, sizeof rate, "rate=%g", 1 / (double)epoch);
        snprintf(steps, sizeof steps, "steps=%zu", 4 * epoch);
        run r = { .settings = { "net=output", rate, steps, sampler[i], correlation[i] },
                  .count = 5,
                  .dies_at = (double)(epoch + 3) / (double)(4 * epoch),
                  .replaces = i < 3,
                  .epsilon = 0.5 };
        dusk_model *model[2];
        go_on_twice(&r, frame, model);
        assert_true(fabs(r.first_part - (double)(epoch + 1) / (double)(4 * epoch)) < 1e-9);
        assert_false(same(model[0], model[1]));
        for (int k = 0; k < 2; k++) dusk_model_free(model[k]);

        folder f = folder_make();
        r.check = frame;
        r.dies_told = 2 * epoch + 1; /* the next end is that of the third epoch */
        die(&r, f.file, frame, NULL, 2);
        r.dies_told = 0;
        dusk_model_free(go_on(&r, f.file, frame, coins));
        assert_int_equal(r.first_told, 3 * epoch);
        assert_int_equal(r.last_told, 4 * epoch);
        folder_remove(&f);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(coins);
}

static void make_alike(dusk_frame *frame)
{
    for (size_t c = 0; c < frame->fields->count; c++)
        for (size_t i = 0; i < frame->rows; i++) {
            dusk_frame_column *column = &frame->column[c];
            if (column->number) column->number[i] = column->number[0];
            if (column->code) column->code[i] = column->code[0];
        }
}

/* Of rows that are all alike any order is the same: with hardly any noise a training that goes on comes where one comes that was never stopped, whatever noise of earlier
 * steps is to be taken back. */
static void orders_are_begun_anew(void **state)
{
    (void)state;
    static const char *const correlation[] = { "correlation=none", "correlation=tree", "correlation=bands" };
    dusk_generator *gen = seeded(1), *coins = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    make_alike(frame);
    for (size_t i = 0; i < 3; i++) {
        run r = { .settings = { "net=dense 3; tanh; output", "rate=0.25", "steps=16", "sampler=shuffled",
                                correlation[i], "learning_rate=0.1", "momentum=0.5" },
                  .count = 7,
                  .dies_at = 2,
                  .replaces = true,
                  .epsilon = 1e9 };
        folder f = folder_make();
        dusk_training *training = prepared(&r, frame);
        dusk_model *whole, *resumed;
        size_t n;
        dusk_generator *first = seeded(5); /* the same numbers to begin with */
        OK(dusk_training_run(training, &whole, frame, first, &err));
        die(&r, f.file, frame, NULL, 7.0 / 16);
        resumed = go_on(&r, f.file, frame, coins);
        const double *a = parameters(whole, &n), *b = parameters(resumed, &n);
        for (size_t j = 0; j < n; j++) assert_true(fabs(a[j] - b[j]) < 1e-3);
        dusk_model_free(whole);
        dusk_model_free(resumed);
        dusk_training_free(training);
        dusk_generator_free(first);
        folder_remove(&f);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(coins);
}

/* Coins are new, the end is the end, and another plan is another plan. */
static void new_coins(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=1", "steps=6" }, .count = 3, .dies_at = 2 };
    dusk_generator *gen = seeded(2);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    char copy[200];
    uint64_t charge;
    snprintf(copy, sizeof copy, "%s/copy", f.path);
    die(&r, f.file, frame, NULL, 0.8);
    copy_file(f.file, copy);
    dusk_generator *coins = seeded(5); /* as in the process that died */
    dusk_model *a = go_on(&r, f.file, frame, coins), *b = go_on(&r, copy, frame, gen);
    assert_true(fabs(r.first_part - 5.0 / 6) < 1e-9);
    assert_false(same(a, b));
    dusk_training *training = prepared(&r, frame);
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_keep(training, f.file, 2, true, &charge, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_keep(training, f.file, 2, false, &charge, &err));
    dusk_training_free(training);
    dusk_model_free(a);
    dusk_model_free(b);
    assert_int_equal(remove(f.file), 0);
    die(&r, f.file, frame, NULL, 0.8);
    r.settings[2] = "steps=7";
    training = prepared(&r, frame);
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_keep(training, f.file, 2, true, &charge, &err));
    dusk_training_free(training);
    dusk_generator_free(coins);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

/* What was told of is never made again: neither a step between two checkpoints, nor the last one, of which there is no model yet. */
static void told_is_kept(void **state)
{
    (void)state;
    static const uint64_t at[] = { 3, 9, 10 }; /* checkpoints are made after every second step */
    dusk_generator *gen = seeded(6);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    for (size_t k = 0; k < 3; k++) {
        run r = { .settings = { "net=output", "rate=1", "steps=10" },
                  .count = 3,
                  .plain = true,
                  .dies_at = 2,
                  .check = frame,
                  .dies_told = at[k] };
        folder f = folder_make();
        die(&r, f.file, frame, NULL, 2);
        r.dies_told = 0;
        dusk_model_free(go_on(&r, f.file, frame, gen));
        assert_int_equal(r.first_told, at[k]); /* as it was, and from there on */
        assert_int_equal(r.last_told, 10);
        if (at[k] < 10) assert_true(fabs(r.first_part - (double)(at[k] + 1) / 10) < 1e-9);
        folder_remove(&f);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* Who is killed when all steps were taken gets the model that was made, as often as it is asked for, until it is safe. */
static void models_are_made_again(void **state)
{
    (void)state;
    run r = { .settings = { "net=dense 3; tanh; output", "rate=1", "steps=6", "average=0.5" },
              .count = 4,
              .stays = true,
              .dies_at = 2 };
    dusk_generator *gen = seeded(7);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    uint64_t charge;
    dusk_model *model[3];
    die(&r, f.file, frame, NULL, 1);
    for (int k = 0; k < 3; k++) {
        r.stays = k < 2;
        model[k] = go_on(&r, f.file, frame, gen);
        assert_true(same(model[0], model[k]));
    }
    dusk_training *training = prepared(&r, frame);
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_keep(training, f.file, 2, true, &charge, &err));
    dusk_training_free(training);
    for (int k = 0; k < 3; k++) dusk_model_free(model[k]);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

/* A handle makes one model of its file. */
static void once_a_handle(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=1", "steps=6" }, .count = 3, .dies_at = 2 };
    dusk_generator *gen = seeded(8);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    uint64_t charge;
    dusk_model *model;
    dusk_training *training = prepared(&r, frame);
    OK(dusk_training_keep(training, f.file, 2, false, &charge, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_end(training, &err));
    OK(dusk_training_run(training, &model, frame, gen, &err));
    dusk_model_free(model);
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_run(training, &model, frame, gen, &err));
    assert_null(model);
    OK(dusk_training_end(training, &err));
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

static dusk_status go_on_charged(run *r, const char *path, const dusk_frame *frame, dusk_ledger *ledger,
                                 dusk_model **model, dusk_generator *gen)
{
    uint64_t charge;
    dusk_training *training = prepared(r, frame);
    OK(dusk_training_keep(training, path, 2, true, &charge, &err));
    assert_true(charge > 0);
    const dusk_status status = dusk_training_run_charged(training, model, frame, ledger, "ana", 1, gen, NULL);
    dusk_training_free(training);
    return status;
}

/* Charged once, before the first step; gone on with by the ledger that it was charged to and no other; and of copies one gives a model, again and again. */
static void ledgers(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=1", "steps=6" }, .count = 3, .dies_at = 2 };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    char kept[200], copy[200], made[200], other[200];
    dusk_model *model, *again;
    snprintf(kept, sizeof kept, "%s/kept", f.path);
    snprintf(copy, sizeof copy, "%s/copy", f.path);
    snprintf(made, sizeof made, "%s/made", f.path);
    snprintf(other, sizeof other, "%s/other", f.path);
    ledger_make(f.file, DUSK_FILTER_BASIC, 6, 1e-5); /* enough for one */
    ledger_make(other, DUSK_FILTER_BASIC, 6, 1e-5);
    die(&r, kept, frame, f.file, 0.1); /* before the first checkpoint of a state */
    copy_file(kept, copy);
    dusk_ledger *ledger = ledger_of(f.file), *another = ledger_of(other);
    const double spent = spending_of(ledger, NULL).spent.epsilon;
    uint64_t id, first;
    assert_true(spent > 0);

    /* an entry of the same number, and of the same words, is another one */
    dusk_training *training = prepared(&r, frame);
    OK(dusk_training_keep(training, kept, 2, true, &first, &err));
    dusk_training_free(training);
    for (id = 0; id < first;) id = charge_of(another, "ana", "pure(0.01)");
    assert_true(id == first);
    assert_int_equal(go_on_charged(&r, kept, frame, another, &model, gen), DUSK_ERR_ARGUMENT);
    assert_null(model);
    training = prepared(&r, frame); /* nor without one */
    OK(dusk_training_keep(training, kept, 2, true, &first, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_run(training, &model, frame, gen, &err));
    dusk_training_free(training);

    assert_int_equal(go_on_charged(&r, kept, frame, ledger, &model, gen), DUSK_OK);
    copy_file(kept, made);
    assert_int_equal(go_on_charged(&r, copy, frame, ledger, &again, gen), DUSK_ERR_ARGUMENT);
    assert_null(again);
    assert_int_equal(go_on_charged(&r, made, frame, ledger, &again, gen),
                     DUSK_OK); /* the last state is that of the answer */
    assert_true(same(model, again));
    assert_true(spending_of(ledger, NULL).spent.epsilon == spent);
    dusk_model_free(model);
    dusk_model_free(again);
    dusk_ledger_close(another);
    dusk_ledger_close(ledger);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

/* Of two copies that come to their end at the same time one is answered; the other has a last state, too, and no model of it is ever given. */
static void copies_race(void **state)
{
    (void)state;
    run r = { .settings = { "net=output", "rate=1", "steps=6" }, .count = 3, .dies_at = 2 };
    dusk_generator *gen = seeded(9);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    folder f = folder_make();
    char kept[200], copy[200];
    uint64_t charge;
    dusk_model *model;
    snprintf(kept, sizeof kept, "%s/kept", f.path);
    snprintf(copy, sizeof copy, "%s/copy", f.path);
    ledger_make(f.file, DUSK_FILTER_BASIC, 6, 1e-5);
    die(&r, kept, frame, f.file, 0.1);
    copy_file(kept, copy);
    dusk_ledger *ledger = ledger_of(f.file);
    dusk_training *late = prepared(&r, frame);
    OK(dusk_training_keep(late, copy, 2, true, &charge, &err));
    OK(dusk_training_begin(late, ledger, charge, &err)); /* it was looked at before there was an answer */
    assert_int_equal(go_on_charged(&r, kept, frame, ledger, &model, gen), DUSK_OK);
    dusk_model_free(model);
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_run(late, &model, frame, gen, &err));
    assert_null(model);
    dusk_training_free(late);
    assert_int_equal(go_on_charged(&r, copy, frame, ledger, &model, gen), DUSK_ERR_ARGUMENT);
    assert_null(model);
    dusk_ledger_close(ledger);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

static void refusals(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 20, gen);
    dusk_train_options o;
    dusk_training *training;
    uint64_t charge;
    dusk_train_options_init(&o);
    o.label = "y";
    o.epsilon = 1;
    o.delta = 1e-6;
    o.neighbours = DUSK_ADD_REMOVE;
    OK(dusk_training_prepare(&training, "linear", frame->fields, &o, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_training_keep(training, "/tmp/x", 1, false, &charge, &err));
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(new_coins),
        cmocka_unit_test(models_are_made_again),
        cmocka_unit_test(once_a_handle),
        cmocka_unit_test(ledgers),
        cmocka_unit_test(copies_race),
        cmocka_unit_test(refusals),
        cmocka_unit_test(told_is_kept),
        cmocka_unit_test(directions_are_found_anew),
        cmocka_unit_test(allocation_is_kept),
        cmocka_unit_test(count_is_kept),
        cmocka_unit_test(what_was_settled_is_kept),
        cmocka_unit_test(scales_are_kept),
        cmocka_unit_test(epochs_are_whole),
        cmocka_unit_test(orders_are_begun_anew),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
