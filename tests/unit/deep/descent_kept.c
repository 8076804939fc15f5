/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are looked at, by a training that was killed and goes on. */
#include "checkpoints.h"
#include "descended.h"

#include "deep/state.h"
#include "learn/training.h"

/* What a training is about, and where its checkpoint is. */
typedef struct scene {
    dusk_generator *gen;
    dusk_frame *frame;
    folder f;
} scene;

static scene scene_open(uint64_t seed)
{
    scene s = { .gen = seeded(seed), .f = folder_make() };
    s.frame = learners_frame(LEARNERS_FIELDS, 60, s.gen);
    return s;
}

static void scene_close(const scene *s)
{
    folder_remove(&s->f);
    dusk_frame_free(s->frame);
    dusk_generator_free(s->gen);
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
        const scene s = scene_open(seed);
        r.check = s.frame;
        die(&r, s.f.file, s.frame, NULL, 0.4);
        dusk_model *model[2];
        uint64_t told[2];
        for (int turn = 0; turn < 2; turn++) {
            model[turn] = go_on(&r, s.f.file, s.frame, s.gen);
            told[turn] = r.last_told;
        }
        const double *steps = dusk_model_array(model[0], "steps", &one, &n);
        const double epsilon = descended_epsilon(model[0], 1e-6);
        if (!(epsilon <= 5 && epsilon > 4)) fail_msg("epsilon %g of 5 in %g steps", epsilon, *steps);
        assert_true(same(model[0], model[1]));
        assert_true(*steps == *dusk_model_array(model[1], "steps", &one, &n));
        assert_true((double)told[0] == *steps && (double)told[1] == *steps); /* the last step is told of */
        early += *steps < 41;
        for (int turn = 0; turn < 2; turn++) dusk_model_free(model[turn]);
        scene_close(&s);
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
        const scene s = scene_open(seed);
        die(&r, s.f.file, s.frame, NULL, 0.3);
        dusk_model *model =
            go_on(&r, s.f.file, s.frame, s.gen); /* and it has ended, before its time or not */
        early += *dusk_model_array(model, "steps", &one, &n) < 40;
        if (!(r.first_part > 0.3)) fail_msg("it goes on at %g", r.first_part);
        dusk_model_free(model);
        scene_close(&s);
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
    const scene here = scene_open(3);
    dusk_training *training = prepared(&r, here.frame);
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
    scene_close(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(descent_is_kept),
                                        cmocka_unit_test(every_step_is_kept),
                                        cmocka_unit_test(what_is_held_is_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
