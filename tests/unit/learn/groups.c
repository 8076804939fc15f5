/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows by group: exact, to the nearest centre, within the radius, and released with the noise that is claimed. */
#include "learn/groups.h"

#include <math.h>

#include "cluster_frames.h"
#include "learn/learner.h"

enum { ROWS = 50, K = 3, D = 3, EACH = D + 2 };

typedef struct world {
    dusk_frame *frame;
    learn_job job;
    learn_matrix matrix;
    learn_groups groups;
    learn_group_noise noise;
} world;

static void open_world(world *w, double epsilon, double delta)
{
    *w = (world){ .frame = cluster_frame("a numeric 0:1\nb numeric -1:0\nc numeric 5:6\n", ROWS, 4, 9) };
    w->job.fields = w->frame->fields;
    w->job.label = DUSK_NO_LINK;
    assert_int_equal(learn_features_init(&w->job.features, w->frame->fields, DUSK_NO_LINK, false, 0, NULL),
                     DUSK_OK);
    assert_int_equal(learn_budget_init(&w->job.budget, DUSK_ADD_REMOVE, epsilon, delta, 1, NULL), DUSK_OK);
    assert_int_equal(learn_plan_groups(&w->job, &w->noise, 1, 1, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&w->matrix, &w->job.features, w->frame, NULL), DUSK_OK);
    assert_int_equal(learn_groups_init(&w->groups, K, &w->job.features, w->frame->fields, NULL), DUSK_OK);
    for (size_t j = 0; j < K; j++) {
        double at[D] = { 1e4 * (double)j, -2e4, 3.3 };
        learn_groups_place(&w->groups, j, at);
        learn_groups_reach(&w->groups, j, 20000);
    }
}

static void close_world(world *w)
{
    learn_groups_clear(&w->groups);
    learn_matrix_clear(&w->matrix);
    learn_features_clear(&w->job.features);
    dusk_frame_free(w->frame);
}

/* All rows at once, or one block after the other of `part` rows. */
static void add_up(const world *w, tensor_sum *sum, int32_t *all)
{
    tensor_block block;
    double margins[1024 * K], scratch[LEARN_GROUP_SCRATCH(1024, D)];
    int32_t which[1024];
    assert_int_equal(tensor_block_open(&block, &w->matrix.rows, NULL), DUSK_OK);
    while (tensor_block_next(&block)) {
        learn_groups_nearest(&w->groups, &block, margins, which);
        for (size_t i = 0; i < block.rows; i++) all[block.first + i] = which[i];
        learn_groups_add(&w->groups, sum, &block, which, scratch);
    }
    tensor_block_close(&block);
}

/* With next to no noise: what plain arithmetic gives. */
static void sums_are_right(void **state)
{
    world w;
    tensor_sum sum;
    int32_t which[ROWS];
    double out[K * EACH], plain[K * EACH] = { 0 };
    dusk_generator *gen = seeded(2);
    (void)state;
    open_world(&w, 1e7, 0);
    assert_int_equal(learn_groups_sum(&w.groups, &sum, NULL), DUSK_OK);
    add_up(&w, &sum, which);
    assert_int_equal(learn_groups_release(&w.groups, &w.noise, &sum, out, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double least = INFINITY, square = 0, v[D];
        size_t nearest = 0;
        for (size_t j = 0; j < K; j++) {
            double here = 0;
            for (size_t a = 0; a < D; a++)
                here += pow((double)w.matrix.rows.x[i * D + a] - w.groups.centre[j * D + a], 2);
            if (here < least) {
                least = here;
                nearest = j;
            }
        }
        assert_int_equal(which[i], nearest);
        double part = fmin(1, w.groups.reach[nearest] / sqrt(least));
        for (size_t a = 0; a < D; a++) {
            v[a] = part * ((double)w.matrix.rows.x[i * D + a] - w.groups.centre[nearest * D + a]);
            plain[nearest * EACH + a] += v[a];
            square += v[a] * v[a];
        }
        plain[nearest * EACH + D]++;
        plain[nearest * EACH + D + 1] += square;
    }
    for (size_t c = 0; c < K * EACH; c++)
        assert_true(fabs(out[c] - plain[c]) <= (c % EACH == D ? 0.01 : c % EACH < D ? 50 : 2e6));
    tensor_sum_clear(&sum);
    close_world(&w);
    dusk_generator_free(gen);
}

static void centres_stay_in_the_ball(void **state)
{
    const double ats[][D] = { { INFINITY, NAN, -INFINITY }, { 1e300, 1e300, 1e300 }, { 12.4, -0.5, 70000 } };
    world w;
    (void)state;
    open_world(&w, 1, 0);
    for (double bound = 60000; bound > 1; bound = floor(bound / 7)) {
        w.groups.bound = bound;
        for (size_t i = 0; i < 3; i++) {
            learn_groups_place(&w.groups, 0, ats[i]);
            double square = 0;
            for (size_t a = 0; a < D; a++) {
                double c = w.groups.centre[a];
                assert_true(c == floor(c));
                square += c * c;
            }
            assert_true(square <= bound * bound && square == w.groups.square[0]);
        }
    }
    close_world(&w);
}

static void a_radius_has_a_scale(void **state)
{
    const double radii[] = { -1, 0, NAN, INFINITY, 1, 2, 3, 7.5, 1000, 32768, 113511, 1e9 };
    world w;
    (void)state;
    open_world(&w, 1, 0);
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        learn_groups_reach(&w.groups, 0, radii[i]);
        double scale = w.groups.scale[0], reach = w.groups.reach[0];
        assert_true(scale >= 1 && reach >= 1 && scale * reach <= LEARN_GROUP_SIZE);
        assert_true(scale == floor(scale) && reach == floor(reach));
        if (radii[i] >= 1 && radii[i] <= 2 * w.groups.bound) assert_true(reach >= floor(radii[i]));
    }
    close_world(&w);
}

/* Over seeds every released number varies as much as is claimed, whatever the bounds (they are 0:1, -1:0 and 5:6). */
static void released_numbers_vary(void **state)
{
    enum { SEEDS = 600 };
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        world w;
        tensor_sum sum;
        int32_t which[ROWS];
        static double out[SEEDS][K * EACH];
        dusk_generator *gen = seeded(3);
        open_world(&w, 1, pure ? 0 : 1e-6);
        assert_int_equal(learn_groups_sum(&w.groups, &sum, NULL), DUSK_OK);
        add_up(&w, &sum, which);
        for (int s = 0; s < SEEDS; s++)
            assert_int_equal(learn_groups_release(&w.groups, &w.noise, &sum, out[s], gen, NULL), DUSK_OK);
        for (size_t c = 0; c < K * EACH; c++) {
            double mean = 0, square = 0, scale = w.groups.scale[c / EACH];
            double unit = c % EACH < D    ? 1 / scale
                          : c % EACH == D ? 1 / w.noise.weight
                                          : 2 * LEARN_GROUP_SIZE / scale / scale;
            for (int s = 0; s < SEEDS; s++) mean += out[s][c] / SEEDS;
            for (int s = 0; s < SEEDS; s++) square += pow(out[s][c] - mean, 2) / (SEEDS - 1);
            double claimed = w.noise.noise.deviation * unit;
            if (!(square > 0.7 * claimed * claimed && square < 1.4 * claimed * claimed))
                fail_msg("number %zu varies by %g, claimed %g", c, sqrt(square), claimed);
        }
        tensor_sum_clear(&sum);
        close_world(&w);
        dusk_generator_free(gen);
    }
}

/* A mean that is known moves its centre; a group that is lost in noise does not. */
static void centres_move_when_it_is_known_where(void **state)
{
    world w;
    double many[K * EACH] = { 0 }, before[K * D];
    (void)state;
    open_world(&w, 1, 1e-6);
    memcpy(before, w.groups.centre, sizeof before);
    many[0] = 1e6 * 500;
    many[D] = 1e6;
    many[D + 1] = 1e6 * 250000;
    many[EACH] = 3 * 9000; /* three rows, which noise would explain */
    many[EACH + D] = 3;
    many[2 * EACH] = NAN;
    many[2 * EACH + D] = NAN;
    learn_groups_move(&w.groups, &w.noise, many);
    assert_true(fabs(w.groups.centre[0] - before[0] - 500) <= 1);
    for (size_t i = 1; i < K * D; i++) assert_true(w.groups.centre[i] == before[i]);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(centres_stay_in_the_ball),
        cmocka_unit_test(a_radius_has_a_scale),
        cmocka_unit_test(released_numbers_vary),
        cmocka_unit_test(centres_move_when_it_is_known_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
