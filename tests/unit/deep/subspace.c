/* SPDX-License-Identifier: Apache-2.0 */
/* Directions by public gradients: of length 1 and orthogonal, with the public gradients among them; coordinates are products with them, the same in whatever company, and never longer than
 * the clip; there and back is the same. Trainings along them learn, and wrong ones are refused. */
#include "deep/subspace.h"

#include <math.h>

#include "base/platform.h"
#include "deep/sums.h"
#include "deep_nets.h"
#include "learners.h"

enum { ROWS = 40, ROOM = 21, WIDTH = 6 };

static deep_rows public_rows(uint64_t seed)
{
    deep_rows rows = { .rows = ROWS, .width = WIDTH };
    rows.x = dusk_allocate(ROWS * WIDTH, sizeof *rows.x);
    for (size_t j = 0; j < ROWS * WIDTH; j++) rows.x[j] = (int16_t)(4096 * tried_number(&seed));
    return rows;
}

static double product(const deep_real *x, const deep_real *y, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)x[j] * (double)y[j];
    return sum;
}

typedef struct found {
    tried_pass t;
    deep_subspace s;
    deep_rows rows;
} found;

static const tried_net net = { "dense 5; tanh; layernorm; dense 3", WIDTH, 3 };

static void open_found(found *f, size_t directions, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    open_tried(&f->t, &net, ROOM, seed);
    f->rows = public_rows(seed + 1);
    assert_int_equal(deep_subspace_open(&f->s, &f->t.net, directions, NULL), DUSK_OK);
    assert_int_equal(deep_subspace_find(&f->s, &f->t.net, DEEP_SOFTMAX, f->t.parameters, &f->rows, gen, NULL),
                     DUSK_OK);
    dusk_generator_free(gen);
}

static void close_found(found *f)
{
    deep_subspace_close(&f->s);
    deep_rows_clear(&f->rows);
    close_tried(&f->t);
}

/* Gradients of other labels of the same rows: how much of them the directions keep. */
static double kept_of(found *f)
{
    double kept = 0, all = 0;
    deep_real *g = dusk_allocate(f->s.numbers, sizeof *g);
    float *y = dusk_allocate(f->s.directions, sizeof *y);
    for (size_t i = 0; i < ROWS; i++) {
        const int32_t code = (int32_t)(i % 3);
        const deep_wanted wanted = { &code, NULL, NULL };
        f->t.pass.examples = 1;
        deep_rows_take(&f->rows, i, f->t.pass.value[0]);
        deep_forward(&f->t.pass);
        deep_loss_slopes(DEEP_SOFTMAX, &f->t.pass, &wanted);
        deep_backward(&f->t.pass);
        for (size_t l = 0; l < f->t.net.layers; l++)
            if (f->t.net.layer[l].parameters > 0)
                deep_gradient(&f->t.pass, l, 0, g + f->t.net.layer[l].first);
        deep_subspace_take(&f->s, g, y);
        all += product(g, g, f->s.numbers);
        for (size_t k = 0; k < f->s.directions; k++) kept += (double)y[k] * (double)y[k];
    }
    dusk_deallocate(g);
    dusk_deallocate(y);
    return kept / all;
}

static void directions_are_orthogonal(void **state)
{
    (void)state;
    double before = 0;
    for (size_t directions = 1; directions <= 16; directions *= 2) {
        found f;
        open_found(&f, directions, 3);
        for (size_t a = 0; a < directions; a++)
            for (size_t b = 0; b <= a; b++) {
                const double p =
                    product(f.s.direction + a * f.s.numbers, f.s.direction + b * f.s.numbers, f.s.numbers);
                assert_true(fabs(p - (a == b)) < 1e-3);
            }
        const double kept = kept_of(&f);
        assert_true(kept > before && kept < 1 + 1e-4);
        before = kept;
        close_found(&f);
    }
    assert_true(before > 0.9);
}

static void there_and_back(void **state)
{
    (void)state;
    found f;
    float y[7], z[7], g[200];
    uint64_t coins = 8;
    open_found(&f, 7, 4);
    for (size_t k = 0; k < 7; k++) y[k] = (float)tried_number(&coins);
    deep_subspace_expand(&f.s, y, g);
    deep_subspace_take(&f.s, g, z);
    for (size_t k = 0; k < 7; k++) assert_true(fabs((double)(y[k] - z[k])) < 1e-3);
    close_found(&f);
}

/* Nothing can be told of rows that have no gradient. */
static void few_directions(void **state)
{
    (void)state;
    found f;
    dusk_generator *gen = seeded(1);
    open_found(&f, 30, 4);
    memset(f.t.parameters, 0, f.t.net.parameters * sizeof *f.t.parameters);
    /* zero weights: only constants of the last layer, and two directions among them, for three classes that sum up to 0 */
    assert_int_equal(deep_subspace_find(&f.s, &f.t.net, DEEP_SOFTMAX, f.t.parameters, &f.rows, gen, NULL),
                     DUSK_OK);
    for (size_t k = 0; k < 30; k++) {
        const deep_real *d = f.s.direction + k * f.s.numbers;
        assert_true(fabs(product(d, d, f.s.numbers) - (k < 2)) < 1e-3);
    }
    dusk_generator_free(gen);
    close_found(&f);
}

static void forward_and_back(found *f, size_t examples, const deep_real *x, const deep_real *slopes)
{
    f->t.pass.examples = examples;
    memcpy(f->t.pass.value[0], x, examples * WIDTH * sizeof *x);
    deep_forward(&f->t.pass);
    memcpy(f->t.pass.slope[f->t.net.layers], slopes, examples * 3 * sizeof *slopes);
    deep_backward(&f->t.pass);
}

/* Whatever the others are; and summed up they are within the clip. */
static void coordinates_by_themselves(void **state)
{
    (void)state;
    static const double scale[] = { 1, 1e3, 1e-9, 1e20, 1e38 };
    found f;
    deep_coordinates c;
    deep_sum sum;
    deep_real x[ROOM * WIDTH], d[ROOM * 3], one[5], g[200];
    open_found(&f, 5, 9);
    assert_int_equal(deep_coordinates_open(&c, &f.s, &f.t.pass, NULL), DUSK_OK);
    assert_int_equal(deep_sum_open(&sum, &c.pass, DEEP_CLIP_FLAT, 0.5, NULL), DUSK_OK);
    assert_int_equal(sum.learned, 5);
    for (size_t run = 0; run < 20; run++) {
        random_numbers(&f.t.coins, x, ROOM * WIDTH, 1);
        random_numbers(&f.t.coins, d, ROOM * 3, scale[run % 5]);
        if (run % 4 == 3) d[7] = (deep_real)NAN;
        const size_t i = splitmix64(&f.t.coins) % ROOM;
        forward_and_back(&f, 1, x + i * WIDTH, d + i * 3);
        for (size_t l = 0; l < f.t.net.layers; l++)
            if (f.t.net.layer[l].parameters > 0) deep_gradient(&f.t.pass, l, 0, g + f.t.net.layer[l].first);
        deep_coordinates_make(&c, &f.t.pass);
        memcpy(one, c.pass.value[0], sizeof one);
        deep_sum_reset(&sum, 0.5);
        assert_int_equal(deep_sum_add(&sum, &c.pass, NULL), DUSK_OK);
        size_t n = 5;
        const int64_t *v = deep_sum_totals(&sum, 0, &n);
        dusk_int128 square = 0;
        for (size_t k = 0; k < 5; k++) square += (dusk_int128)v[k] * v[k];
        assert_true(square <= (dusk_int128)1 << 44);
        for (size_t k = 0; k < 5 && run % 5 == 0 && run % 4 != 3; k++)
            assert_true(fabs((double)one[k] - product(g, f.s.direction + k * f.s.numbers, f.s.numbers)) <
                        1e-4);
        forward_and_back(&f, ROOM, x, d);
        deep_coordinates_make(&c, &f.t.pass);
        assert_memory_equal(one, c.pass.value[0] + i * 5, sizeof one);
    }
    deep_sum_close(&sum);
    deep_coordinates_close(&c);
    close_found(&f);
}

/* --- trainings ---------------------------------------------------------------------------------------------------------------- */

static dusk_status train(dusk_model **out, const char *const *settings, size_t count, bool open,
                         double epsilon)
{
    dusk_training *training;
    dusk_train_options o = learners_options(dusk_learner_named("net"), epsilon, 1e-3);
    dusk_generator *gen = seeded(6);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 300, gen),
               *more = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    *out = NULL;
    o.label = "good";
    o.rows = 300;
    o.no_privacy = epsilon == 0;
    o.settings = settings;
    o.settings_count = count;
    o.open_rows = open ? more : NULL;
    const dusk_status status = dusk_training_prepare(&training, "net", frame->fields, &o, NULL);
    if (status == DUSK_OK) {
        assert_int_equal(dusk_training_run(training, out, frame, gen, NULL), DUSK_OK);
        dusk_training_free(training);
    }
    dusk_frame_free(frame);
    dusk_frame_free(more);
    dusk_generator_free(gen);
    return status;
}

static double accuracy(const dusk_model *model)
{
    dusk_model_scores scores;
    dusk_generator *gen = seeded(61);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 300, gen);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    return scores.accuracy;
}

static void trainings_learn(void **state)
{
    (void)state;
    static const char *const ways[][8] = {
        { "net=dense 8; tanh; output", "rate=1", "steps=60", "subspace=8", "learning_rate=0.5", "threads=2" },
        { "net=dense 8; tanh; output", "rate=1", "steps=60", "subspace=6", "optimiser=adam",
          "learning_rate=0.05" },
        { "net=groupnorm 1 fixed; dense 8; tanh; output", "rate=1", "steps=60", "subspace=8",
          "clipping=adaptive", "average=0.5" },
    };
    dusk_model *model;
    for (size_t k = 0; k < 3; k++)
        for (int plain = 0; plain < 2; plain++) {
            assert_int_equal(train(&model, ways[k], 6, true, plain ? 0 : 2000), DUSK_OK);
            if (!(accuracy(model) > 0.85)) fail_msg("way %zu: %g", k, accuracy(model));
            dusk_model_free(model);
        }
}

static void others_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][4] = {
        { "net=output", "subspace=41", NULL },
        { "net=output", "subspace=2", "optimiser=adam_unbiased", NULL },
        { "net=output", "subspace=2", "smooth=2", NULL },
        { "net=output", "subspace=2", "bias_noise=0.1", NULL },
        { "net=output", "subspace=2", "clipping=layers", NULL },
        { "net=output", NULL }, /* and public rows */
        { "net=dense 1000; dense 100000; output", "subspace=40", NULL },
    };
    dusk_model *model;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t n = 0;
        while (wrong[k][n]) n++;
        assert_int_equal(train(&model, wrong[k], n, true, 1), DUSK_ERR_ARGUMENT);
    }
    static const char *const alone[] = { "net=output", "subspace=2" };
    assert_int_equal(train(&model, alone, 2, false, 1), DUSK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_orthogonal),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(few_directions),
        cmocka_unit_test(coordinates_by_themselves),
        cmocka_unit_test(trainings_learn),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
