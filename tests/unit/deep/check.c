/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a training while it goes: how right it is on public rows, which changes nothing and is what the model says of them in the end; and what steps
 * so far would cost, which ends at the promise. */
#include "dusk/learn_select.h"
#include "learners.h"

#include <math.h>
#include <string.h>

enum { ROWS = 300, POINTS = 64, SETTINGS = 8 };

typedef struct curve {
    dusk_train_point point[POINTS];
    size_t count;
} curve;

static void observe(void *context, const dusk_train_point *point)
{
    curve *c = context;
    assert_true(c->count < POINTS);
    c->point[c->count++] = *point;
}

typedef struct request {
    const char *learner;
    const char *settings[SETTINGS];
    uint64_t every;
    double epsilon;
    dusk_neighbours neighbours;
    uint32_t rows_per_unit;
} request;

static dusk_train_options options_of(const request *r)
{
    dusk_train_options o = learners_options(dusk_learner_named(r->learner), r->epsilon, 1e-5);
    o.settings = r->settings;
    o.settings_count = 0;
    while (o.settings_count < SETTINGS && r->settings[o.settings_count]) o.settings_count++;
    if (r->epsilon == 0) o.noise = 30;
    if (r->neighbours) o.neighbours = r->neighbours;
    if (o.neighbours == DUSK_REPLACE_ONE) o.rows = ROWS;
    return o;
}

static dusk_frame *make_frame(size_t rows, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, rows, gen);
    dusk_generator_free(gen);
    return frame;
}

/* `told` NULL: nobody looks. */
static dusk_model *train(const request *r, const dusk_frame *frame, const dusk_frame *check, curve *told)
{
    dusk_train_options o = options_of(r);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (told) {
        *told = (curve){ .count = 0 };
        o.check_rows = check;
        o.check_every = r->every;
        o.observe = observe;
        o.observe_context = told;
    }
    if (dusk_training_prepare(&training, r->learner, frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

/* The last point is what the model says; the others come when they should; looking changes no bit of the model. */
static void test_told(void **state)
{
    (void)state;
    static const request requests[] = {
        { "net", { "net=dense 5; tanh; output", "rate=1", "steps=40" }, 10, 50, 0, 0 },
        { "net",
          { "net=dense 5; dropout 0.2; output", "rate=1", "steps=40", "average=0.9", "threads=3" },
          15,
          50,
          0,
          0 },
        { "net_numbers", { "net=dense 5; tanh; output", "rate=1", "steps=40" }, 0, 50, 0, 0 },
    };
    static const uint64_t steps[][24] = { { 0, 10, 20, 30, 40, 99 },
                                          { 0, 15, 30, 40, 99 },
                                          { 0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                            22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 99 } };
    dusk_frame *frame = make_frame(ROWS, 3), *check = make_frame(97, 4);
    check->column[LEARNERS_COLOUR].code[5] = -1; /* no label: left out */
    check->column[LEARNERS_Y].number[5] = NAN;
    for (size_t k = 0; k < 3; k++) {
        curve c;
        size_t one, n;
        dusk_model_scores scores;
        dusk_model *model = train(&requests[k], frame, check, &c);
        dusk_model *unseen = train(&requests[k], frame, NULL, NULL);
        const double *p = dusk_model_array(model, "parameters", &one, &n);
        assert_memory_equal(p, dusk_model_array(unseen, "parameters", &one, &n), n * sizeof *p);
        assert_int_equal(dusk_model_score(&scores, model, check, NULL), DUSK_OK);
        assert_int_equal(scores.rows, 96);
        for (size_t i = 0; i < c.count; i++) assert_int_equal(c.point[i].step, steps[k][i]);
        assert_int_equal(steps[k][c.count], 99);
        const dusk_train_point *last = &c.point[c.count - 1];
        if (k < 2) {
            assert_true(last->accuracy == scores.accuracy);
            assert_true(fabs(last->loss - scores.log_loss) < 1e-5);
            assert_true(isnan(last->rmse));
        } else {
            assert_true(fabs(last->rmse / scores.rmse - 1) < 1e-3); /* labels are rounded */
            assert_true(isnan(last->accuracy));
        }
        assert_true(last->loss < c.point[0].loss); /* much is learned at such an epsilon */
        dusk_model_free(model);
        dusk_model_free(unseen);
    }
    dusk_frame_free(frame);
    dusk_frame_free(check);
}

/* Several labels: the share of them that are right. */
static void test_labels(void **state)
{
    (void)state;
    static const char *const words[] = { "net=dense 5; tanh; output", "rate=1", "steps=40" };
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    dusk_generator *gen = seeded(7);
    curve c = { .count = 0 };
    uint64_t seed = 5;
    assert_int_equal(
        dusk_fields_parse(&fields, "x numeric -1:1\na category no,yes\nb category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const double x = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        frame->column[0].number[i] = x;
        frame->column[1].code[i] = i == 7 ? -1 : x > 0.2;
        frame->column[2].code[i] = x < -0.3;
    }
    dusk_train_options o = learners_options(dusk_learner_named("net_labels"), 100, 1e-5);
    o.label = "a,b";
    o.settings = words;
    o.settings_count = 3;
    o.check_rows = frame;
    o.observe = observe;
    o.observe_context = &c;
    assert_int_equal(dusk_training_prepare(&training, "net_labels", fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(fabs(c.point[c.count - 1].accuracy - scores.accuracy) < 1e-12);
    assert_true(c.point[c.count - 1].loss < c.point[0].loss);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

/* An autoencoder has no label to be right about. */
static void test_rebuilt(void **state)
{
    (void)state;
    const request r = { "autoencoder", { "net=dense 4; tanh; output", "rate=1", "steps=40" }, 20, 100, 0, 0 };
    dusk_frame *frame = make_frame(ROWS, 3), *check = make_frame(50, 4);
    curve c;
    dusk_model_free(train(&r, frame, check, &c));
    assert_int_equal(c.count, 3);
    assert_true(c.point[2].loss < c.point[0].loss && c.point[2].loss > 0);
    assert_true(isnan(c.point[2].accuracy) && isnan(c.point[2].rmse));
    dusk_frame_free(frame);
    dusk_frame_free(check);
}

/* Nobody: no numbers, no trouble. */
static void test_nobody(void **state)
{
    (void)state;
    const request r = { "net", { "net=output", "rate=1", "steps=4" }, 2, 5, 0, 0 };
    dusk_frame *frame = make_frame(20, 3), *check = make_frame(0, 4);
    curve c;
    dusk_model_free(train(&r, frame, check, &c));
    assert_int_equal(c.count, 3);
    for (size_t i = 0; i < 3; i++) assert_true(isnan(c.point[i].loss));
    dusk_frame_free(frame);
    dusk_frame_free(check);
}

/* Steps so far cost less than all of them, and all of them what was promised, by every sampler. */
static void test_spent(void **state)
{
    (void)state;
    static const request requests[] = {
        { "net", { "net=output", "rate=1", "steps=50" }, 0, 1, 0, 0 },
        { "net", { "net=output", "rate=0.1", "steps=200" }, 0, 1, 0, 0 },
        { "net", { "net=output", "rate=0.1", "steps=200", "noise_fall=0.5" }, 0, 1, 0, 0 },
        { "net", { "net=output", "rate=1", "steps=50", "noise_fall=0.5", "clipping=adaptive" }, 0, 1, 0, 0 },
        { "net", { "net=output", "rate=0.01", "steps=150", "sampler=allocated" }, 0, 1, 0, 0 },
        { "net", { "net=output", "rate=0.5", "steps=40", "sampler=fixed" }, 0, 0, DUSK_REPLACE_ONE, 0 },
        { "net", { "net=output", "rate=0.1", "steps=25", "sampler=shuffled" }, 0, 1, DUSK_REPLACE_ONE, 0 },
        { "net",
          { "net=output", "rate=0.1", "steps=25", "sampler=shuffled", "correlation=tree" },
          0,
          1,
          DUSK_REPLACE_ONE,
          0 },
        { "net", { "net=output", "rate=0.1", "steps=200", "scaling=standard" }, 0, 1, 0, 3 },
    };
    dusk_error err;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        const request *r = &requests[k];
        const dusk_train_options o = options_of(r);
        dusk_frame *frame = make_frame(1, 3);
        dusk_training *training;
        if (r->rows_per_unit) frame->fields->rows_per_unit = r->rows_per_unit;
        if (dusk_training_prepare(&training, r->learner, frame->fields, &o, &err) != DUSK_OK)
            fail_msg("%s", err.message);
        const uint64_t all = dusk_training_steps(training);
        const double promised = dusk_training_statement(training)->epsilon;
        double before = 0, now = 0;
        /* samples of a fixed size take long to price */
        for (uint64_t at = r->epsilon == 0 ? all : all / 2; at <= all; at += all - all / 2) {
            assert_int_equal(dusk_training_spent(training, at, &now, &err), DUSK_OK);
            if (!(now >= before && (at == all || now < promised) && now > 0))
                fail_msg("%zu: %g after %llu, %g before, of %g", k, now, (unsigned long long)at, before,
                         promised);
            before = now;
        }
        if (now != promised) fail_msg("%zu: %.17g in the end, and %.17g were promised", k, now, promised);
        assert_int_equal(dusk_training_spent(training, 0, &now, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_training_spent(training, all + 1, &now, &err), DUSK_ERR_ARGUMENT);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
}

/* Of others than networks, of rows without the label, and of a search, most of whose runs nobody may see. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const words[] = { "rate=1", "steps=3" }, *const candidates[] = { "clip=1", "clip=2" };
    static const char *const keep[] = { "x", "z", "same", "colour", "y" };
    dusk_frame *frame = make_frame(20, 3), *other;
    dusk_fields *fewer;
    dusk_error err;
    dusk_training *training;
    dusk_search *search;
    dusk_search_options so;
    dusk_train_options o = learners_options(dusk_learner_named("linear"), 1, 1e-6);
    o.check_rows = frame;
    o.observe = observe;
    assert_int_equal(dusk_training_prepare(&training, "linear", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "no steps"));
    assert_int_equal(dusk_fields_copy(&fewer, frame->fields, keep, 5, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&other, fewer, 1, NULL), DUSK_OK);
    o.label = "good";
    o.check_rows = other;
    o.settings = words;
    o.settings_count = 2;
    assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "lack the field good"));
    o.check_rows = frame;
    dusk_search_options_init(&so);
    so.candidates = candidates;
    so.candidates_count = 2;
    assert_int_equal(dusk_search_prepare(&search, "net", frame->fields, &o, &so, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "only the best of several"));
    dusk_frame_free(frame);
    dusk_frame_free(other);
    dusk_fields_free(fewer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),   cmocka_unit_test(test_labels), cmocka_unit_test(test_rebuilt),
        cmocka_unit_test(test_nobody), cmocka_unit_test(test_spent),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
