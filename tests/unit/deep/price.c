/* SPDX-License-Identifier: Apache-2.0 */
/* Lots of rows that nobody declared: samples, steps and noise follow from a noisy count, and cost no more than what the count leaves; by an account of its own. */
#include "deep/price.h"

#include <math.h>
#include <stdio.h>

#include "learners.h"

enum { ROWS = 400, SETTINGS = 5 };

typedef struct request {
    const char *settings[SETTINGS];
    dusk_neighbours neighbours;
    double lot, epochs, epsilon; /* epsilon 0: 2 */
} request;

static const request requests[] = {
    { { "net=output", "lot=40", "epochs=3" }, DUSK_ADD_REMOVE, 40, 3, 0 },
    { { "net=output", "lot=40", "epochs=3" }, DUSK_REPLACE_ONE, 40, 3, 0 },
    { { "net=output", "lot=30", "steps=7", "clipping=adaptive" }, DUSK_ADD_REMOVE, 30, 0, 0 },
    { { "net=output", "lot=100000", "epochs=4" }, DUSK_ADD_REMOVE, 1e5, 4, 0 }, /* more than there are: all */
    { { "net=dense 3; output", "lot=40", "epochs=2", "noise_fall=0.5" }, DUSK_ADD_REMOVE, 40, 2, 0 },
    { { "net=output", "lot=40", "epochs=4", "allocation=adaptive" }, DUSK_ADD_REMOVE, 40, 4, 0 },
};

static dusk_training *prepared(const request *r, const dusk_frame *frame)
{
    dusk_training *training;
    dusk_error err = { .message = "" };
    dusk_train_options o = learners_options(dusk_learner_named("net"), r->epsilon > 0 ? r->epsilon : 2, 1e-5);
    o.rows = 0;
    o.neighbours = r->neighbours;
    o.settings = r->settings;
    o.settings_count = 0;
    while (o.settings_count < SETTINGS && r->settings[o.settings_count]) o.settings_count++;
    if (dusk_training_prepare(&training, "net", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return training;
}

static double number_of(const dusk_model *model, const char *name)
{
    size_t rows, columns;
    const double *x = dusk_model_array(model, name, &rows, &columns);
    assert_true(x && rows == 1 && columns == 1);
    return *x;
}

/* What steps with this noise cost, stage by stage as steps are shared among stages. */
static double cost_of(const dusk_model *model, const request *r, double rate, uint64_t steps)
{
    size_t rows, stages;
    const double *noise = dusk_model_array(model, "noise", &rows, &stages);
    char text[4000] = "";
    size_t at = 0;
    dusk_composition *c;
    dusk_account account;
    dusk_event event;
    assert_true(noise && rows == 1);
    for (size_t k = 0; k < stages; k++) {
        const uint64_t first = (steps * k + stages - 1) / stages,
                       next = (steps * (k + 1) + stages - 1) / stages;
        at += (size_t)snprintf(text + at, sizeof text - at, "%spoisson(%.17g, gaussian(%.17g)) * %llu",
                               k ? " + " : "", rate, noise[k], (unsigned long long)(next - first));
    }
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_new(&c, r->neighbours, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_epsilon(&account, c, 1e-5, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(c);
    return account.bound.upper;
}

static void counts_are_paid_for(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(11);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        const request *r = &requests[k];
        dusk_training *training = prepared(r, frame);
        assert_true(dusk_training_statement(training)->epsilon <= 2);
        assert_int_equal(dusk_training_steps(training), r->epochs > 0 ? 0 : 7);
        for (int run = 0; run < 2; run++) {
            dusk_model *model;
            assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
            const double rows = number_of(model, "rows"), steps = number_of(model, "steps");
            const double rate = fmin(r->lot / rows, 1);
            /* Laplace noise of 50 rows, or twice that: beyond 16 times that in one of ten million */
            assert_true(fabs(rows - ROWS) < 1700 && rows == floor(rows) && rows >= 1);
            assert_true(steps == (r->epochs > 0 ? fmax(rint(r->epochs / rate), 1) : 7));
            assert_int_equal(dusk_training_steps(training), (uint64_t)steps);
            /* with adaptive clips what a row adds is 0.8 % longer than the clip, and the cost is more than this */
            const double cost = cost_of(model, r, rate, (uint64_t)steps);
            if (!(cost <= 1.98 + 1e-9 && cost > 1.6)) fail_msg("%zu: %g", k, cost);
            dusk_model_free(model);
        }
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The count is the one thing that is told of how many there are: twice as many rows are steps twice as many. */
static void steps_follow_the_count(void **state)
{
    (void)state;
    const request r = { { "net=output", "lot=400", "epochs=10" }, DUSK_ADD_REMOVE, 400, 10, 0 };
    dusk_generator *gen = seeded(12);
    double steps[2];
    for (size_t k = 0; k < 2; k++) {
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 4000 * (k + 1), gen);
        dusk_training *training = prepared(&r, frame);
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        steps[k] = number_of(model, "steps");
        dusk_model_free(model);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    assert_true(fabs(steps[0] - 100) < 40 && fabs(steps[1] - 200) < 40);
    dusk_generator_free(gen);
}

static void refused(const char *sampler, double epsilon, bool plain)
{
    const char *const settings[] = { "net=output", "lot=40", sampler };
    dusk_training *training;
    dusk_error err;
    dusk_generator *gen = seeded(13);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 5, gen);
    dusk_train_options o = learners_options(dusk_learner_named("net"), epsilon, 1e-5);
    o.no_privacy = plain;
    o.rows = 0;
    o.neighbours = DUSK_ADD_REMOVE;
    o.settings = settings;
    o.settings_count = 3;
    assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "--rows N"));
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void others_are_refused(void **state)
{
    (void)state;
    refused("sampler=allocated", 1, false);
    refused("sampler=fixed", 1, false);
    refused("scaling=standard", 1, false);
    refused("sampler=poisson", 0, true);
}

/* No error is left to those who have counted: what is impossible for any count is refused before, and steps that are too many for the noise are halved. */
static void counts_have_a_price(void **state)
{
    (void)state;
    static const request r = { { "net=output", "lot=40", "epochs=1000000" }, DUSK_ADD_REMOVE, 40, 1e6, 0.1 };
    static const char *const bad[][4] = { { "net=output", "lot=40", "epochs=3", "noise_fall=1" },
                                          { "net=output", "lot=40", "allocation=adaptive",
                                            "noise_fall=0.5" } };
    dusk_generator *gen = seeded(14);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    for (size_t k = 0; k < 2; k++) {
        dusk_training *training;
        dusk_train_options o = learners_options(dusk_learner_named("net"), k == 0 ? 1e-4 : 2, 1e-5);
        o.rows = 0;
        o.settings = bad[k];
        o.settings_count = 4;
        assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, NULL), DUSK_ERR_ARGUMENT);
    }
    for (int run = 0; run < 4; run++) {
        dusk_training *training = prepared(&r, frame);
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        const double rows = number_of(model, "rows"), steps = number_of(model, "steps");
        const double rate = fmin(r.lot / rows, 1), asked = fmin(rint(r.epochs / rate), 1e7);
        uint64_t halved = (uint64_t)asked;
        while ((double)halved > steps) halved /= 2;
        assert_true((double)halved == steps && steps < asked && steps >= 1);
        assert_true(cost_of(model, &r, rate, (uint64_t)steps) <= 0.099 + 1e-9);
        dusk_model_free(model);
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_paid_for),
        cmocka_unit_test(steps_follow_the_count),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(counts_have_a_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
