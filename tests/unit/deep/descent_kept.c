/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are looked at, by a training that was killed and goes on. */
#include "checkpoints.h"

#include "deep/state.h"
#include "learn/training.h"

/* By all that a model says it has released; relative to one row that comes or goes. */
static double epsilon_of(const dusk_model *model)
{
    size_t one, n;
    const double *steps = dusk_model_array(model, "steps", &one, &n);
    const double *choice = dusk_model_array(model, "choice_noise", &one, &n);
    const double *times = dusk_model_array(model, "gradients", &one, &n);
    const double *noise = dusk_model_array(model, "noise", &one, &n);
    double information = *steps / (*choice * *choice);
    for (size_t k = 0; k < n; k++) information += times[k] / (noise[k] * noise[k]);
    dusk_account account;
    dusk_composition *c;
    dusk_event event;
    OK(dusk_event_gdp(&event, sqrt(information) * (1 - 1e-9), &err));
    OK(dusk_composition_new(&c, DUSK_ADD_REMOVE, &err));
    OK(dusk_composition_add(c, &event, 1, &err));
    OK(dusk_account_epsilon(&account, c, 1e-6, DUSK_BEST, &err));
    dusk_composition_free(c);
    return account.bound.upper;
}

/* What steps that were looked at have released is charged again; a training that ends before its time has ended for good. */
static void descent_is_kept(void **state)
{
    (void)state;
    run r = { .settings = { "net=dense 4; tanh; output", "rate=1", "steps=41", "allocation=descent",
                            "learning_rate=3" },
              .count = 5,
              .dies_at = 2,
              .stays = true };
    size_t early = 0, one, n;
    for (uint64_t seed = 1; seed < 9; seed++) {
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
        folder f = folder_make();
        r.check = frame;
        die(&r, f.file, frame, NULL, 0.4);
        dusk_model *model[2];
        uint64_t told[2];
        for (int turn = 0; turn < 2; turn++) {
            model[turn] = go_on(&r, f.file, frame, gen);
            told[turn] = r.last_told;
        }
        const double *steps = dusk_model_array(model[0], "steps", &one, &n);
        const double epsilon = epsilon_of(model[0]);
        if (!(epsilon <= 5 && epsilon > 4)) fail_msg("epsilon %g of 5 in %g steps", epsilon, *steps);
        assert_true(same(model[0], model[1]));
        assert_true(*steps == *dusk_model_array(model[1], "steps", &one, &n));
        assert_true((double)told[0] == *steps && (double)told[1] == *steps); /* the last step is told of */
        early += *steps < 41;
        for (int turn = 0; turn < 2; turn++) dusk_model_free(model[turn]);
        folder_remove(&f);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    assert_true(early > 0);
}

/* Nothing is known of a step that is not kept, not even that another one follows: a training that was killed goes on behind what was shown of its progress. */
static void every_step_is_kept(void **state)
{
    (void)state;
    run r = { .settings = { "net=dense 4; tanh; output", "rate=1", "steps=40", "allocation=descent",
                            "learning_rate=3" },
              .count = 5,
              .dies_at = 2,
              .every = 1000 };
    size_t early = 0, one, n;
    for (uint64_t seed = 1; seed < 9; seed++) {
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
        folder f = folder_make();
        die(&r, f.file, frame, NULL, 0.3);
        dusk_model *model = go_on(&r, f.file, frame, gen); /* and it has ended, before its time or not */
        early += *dusk_model_array(model, "steps", &one, &n) < 40;
        if (!(r.first_part > 0.3)) fail_msg("it goes on at %g", r.first_part);
        dusk_model_free(model);
        folder_remove(&f);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    assert_true(early > 0);
}

/* A gradient that is held is part of a state. */
static void what_is_held_is_kept(void **state)
{
    (void)state;
    run r = { .settings = { "net=dense 4; tanh; output", "rate=1", "steps=40", "allocation=descent",
                            "learning_rate=300" },
              .count = 5,
              .dies_at = 2 };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    dusk_training *training = prepared(&r, frame);
    const deep_plan *plan = training->job.plan;
    deep_descent d[2] = { { .allowance = &plan->allowance }, { .allowance = &plan->allowance } };
    const deep_carriers carriers = { .first = NULL };
    deep_allocation allocation = { .allowance = NULL };
    deep_optimiser optimiser = { .steps = 0 };
    const size_t n = deep_released(plan);
    float *learned = calloc(n, sizeof *learned);
    unsigned char *bytes = malloc(deep_state_size(&training->job, plan));
    for (int side = 0; side < 2; side++) d[side].gradient = calloc(n, sizeof(float));
    for (size_t j = 0; j < n; j++) d[0].gradient[j] = (float)j + 1;
    d[0].kept.held = 7;
    for (int side = 0; side < 2; side++) {
        deep_state s = { 3, 1, learned, NULL, &optimiser, &carriers, &allocation, &d[side] };
        if (side == 0) deep_state_pack(plan, &s, bytes);
        if (side == 1) deep_state_unpack(plan, &s, bytes);
    }
    assert_memory_equal(d[0].gradient, d[1].gradient, n * sizeof(float));
    assert_memory_equal(&d[0].kept, &d[1].kept, sizeof d[0].kept);
    for (int side = 0; side < 2; side++) free(d[side].gradient);
    free(learned);
    free(bytes);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(descent_is_kept),
                                        cmocka_unit_test(every_step_is_kept),
                                        cmocka_unit_test(what_is_held_is_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
