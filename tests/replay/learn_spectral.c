/* SPDX-License-Identifier: Apache-2.0 */
/* Components by every method, on neighbouring tables with the same coins: a row at the far end of all bounds is there or not. The listed
 * learners with their usual settings are in tests/replay/learners.c; here are the other ways. */
#include "replay.h"
#include "spectral.h"

enum { ROWS = 30, D = 4 };

static dusk_frame *side_of(size_t more, uint64_t seed)
{
    dusk_frame *frame = frame_of("x[3] numeric -1:1\nz numeric 5:6\nc category a,b\n", ROWS + more);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < D; c++)
            frame->column[c].number[i] = c < 3 ? even(&seed) * 0.3 : 5.5 + 0.2 * even(&seed);
        frame->column[D].code[i] = (int32_t)(splitmix64(&seed) % 3) - 1;
    }
    for (size_t i = ROWS; i < ROWS + more; i++) {
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = seed % 2 ? 1e300 : -INFINITY;
        frame->column[D].code[i] = 1;
    }
    return frame;
}

static void run_pair(const char *learner, const char *settings, double epsilon, double delta, bool declared,
                     uint64_t seed)
{
    const char *words[8];
    char text[128], *at = text;
    dusk_model *model[2];
    replay r = replay_open(seed);
    dusk_train_options o;
    dusk_train_options_init(&o);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word; (word = strtok_r(at, " ", &at));) words[o.settings_count++] = word;
    o.settings = words;
    o.epsilon = epsilon;
    o.delta = delta;
    o.rows = declared ? ROWS : 0;
    o.neighbours = DUSK_ADD_REMOVE;
    for (int side = 0; side < 2; side++) {
        dusk_frame *frame = side_of((size_t)side, seed);
        dusk_training *training;
        assert_int_equal(dusk_training_prepare(&training, learner, frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, r.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    for (size_t i = 0; dusk_model_array_at(model[0], i); i++) {
        size_t rows, columns;
        const char *name = dusk_model_array_at(model[0], i);
        const double *x = dusk_model_array(model[0], name, &rows, &columns);
        replay_same(x, dusk_model_array(model[1], name, &rows, &columns), rows * columns);
    }
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&r, (replay_declared){ .epsilon = epsilon, .delta = delta });
}

static void neighbours_look_alike(void **state)
{
    static const struct {
        const char *learner, *settings;
    } ways[] = {
        { "pca", "" },
        { "pca", "centre=no" },
        { "pca", "radius=bounds" },
        { "pca", "centre=no radius=bounds norm=1" },
        { "pca", "method=power iterations=3" },
        { "pca", "method=power centre=no components=6" },
        { "covariance", "" },
        { "covariance", "norm=1" },
        { "pca", "scaling=standard" },
        { "covariance", "scaling=standard" },
    };
    (void)state;
    for (uint64_t t = 0; t < 16 * (sizeof ways / sizeof *ways); t++)
        run_pair(ways[t / 16].learner, ways[t / 16].settings, t % 2 ? 40 : 0.7, t / 2 % 2 ? 0 : 1e-6,
                 t / 4 % 2, t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
