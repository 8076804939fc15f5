/* SPDX-License-Identifier: Apache-2.0 */
/* Networks that start from a model: it is read where layers are the same, and only if it is said to be public; frozen layers stay as they were, bit by bit, and the rest
 * is learned; layers that cannot be frozen are refused. Parts of layers that are tuned: all else stays as it was, bit by bit, updates have their rank, and
 * they learn. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "deep/front.h"
#include "dusk/learn.h"
#include "seeded.h"

static const char *const fields_text = "x numeric -1:1\nz numeric -1:1\ny category no,yes\n";
static char path[] = "/tmp/dusk_start_XXXXXX";

static dusk_frame *some_rows(size_t n)
{
    dusk_fields *fields;
    dusk_frame *frame;
    uint64_t seed = 3;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, n, NULL), DUSK_OK);
    for (size_t i = 0; i < n; i++) {
        const double x = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1,
                     z = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        frame->column[0].number[i] = x;
        frame->column[1].number[i] = z;
        frame->column[2].code[i] = x * z > 0;
    }
    dusk_fields_free(fields);
    return frame;
}

static dusk_status train(dusk_model **out, double epsilon, const char *const *settings)
{
    dusk_fields *fields;
    dusk_training *training;
    dusk_frame *frame = some_rows(400);
    dusk_train_options o = { .size = sizeof o,
                             .epsilon = epsilon,
                             .no_privacy = epsilon == 0,
                             .delta = 1e-3,
                             .neighbours = DUSK_ADD_REMOVE,
                             .rows = 400,
                             .label = "y",
                             .settings = settings };
    *out = NULL;
    while (settings[o.settings_count]) o.settings_count++;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    dusk_status status = dusk_training_prepare(&training, "net", fields, &o, NULL);
    if (status == DUSK_OK) {
        dusk_generator *gen = seeded(2);
        assert_int_equal(dusk_training_run(training, out, frame, gen, NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_generator_free(gen);
    }
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    return status;
}

static int open_start(void **state)
{
    static const char *const settings[] = { "net=dense 16; tanh; output", "rate=1", "steps=300",
                                            "learning_rate=1", NULL };
    dusk_model *model;
    (void)state;
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || remove(path) != 0) return 1;
    if (train(&model, 2000, settings) != DUSK_OK) return 1;
    const dusk_status status = dusk_model_write(model, path, NULL);
    dusk_model_free(model);
    return status == DUSK_OK ? 0 : 1;
}

static int remove_start(void **state)
{
    (void)state;
    return remove(path);
}

static double accuracy(const dusk_model *model)
{
    dusk_model_scores scores;
    dusk_frame *frame = some_rows(400);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    dusk_frame_free(frame);
    return scores.accuracy;
}

/* A step too short to move anything: it is the model again. With noise that destroys the last layer, the frozen ones are as before. */
static void frozen_layers_stay(void **state)
{
    (void)state;
    char start[100];
    snprintf(start, sizeof start, "start=%s", path);
    const char *again[] = { "net=dense 16; tanh; output", start, "start_is=public", "steps=1", "rate=1",
                            "learning_rate=1e-9",         NULL };
    const char *rest[] = {
        "net=dense 16; tanh; output", start, "start_is=public", "steps=5", "rate=1", "frozen=2", NULL
    };
    const char *other[] = {
        "net=dense 16; tanh; dense 3; output", start, "start_is=public", "steps=5", "rate=1", "frozen=1", NULL
    };
    dusk_model *before, *model;
    size_t rows, columns, n;
    assert_int_equal(dusk_model_read(&before, path, NULL), DUSK_OK);
    const double *was = dusk_model_array(before, "parameters", &rows, &n);
    assert_int_equal(n, 16 * 3 + 2 * 17);
    assert_int_equal(train(&model, 2000, again), DUSK_OK);
    assert_true(accuracy(model) > 0.9);
    dusk_model_free(model);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(train(&model, 0.5, k ? other : rest), DUSK_OK);
        const double *is = dusk_model_array(model, "parameters", &rows, &columns);
        assert_memory_equal(was, is, 16 * 3 * sizeof *is);
        for (size_t j = 16 * 3; j < columns; j++) assert_true(is[j] != (k ? 0 : was[j]));
        dusk_model_free(model);
    }
    dusk_model_free(before);
}

static void frozen_layers_are_learned_upon(void **state)
{
    (void)state;
    char start[100];
    snprintf(start, sizeof start, "start=%s", path);
    /* another last layer: that of the start does not fit, and is learned anew on what is frozen */
    const char *settings[] = { "net=dense 16; tanh; dense 8; tanh; output",
                               start,
                               "start_is=public",
                               "frozen=2",
                               "rate=1",
                               "steps=300",
                               "learning_rate=1",
                               NULL };
    dusk_model *model;
    assert_int_equal(train(&model, 2000, settings), DUSK_OK);
    assert_true(accuracy(model) > 0.9);
    dusk_model_free(model);
}

static const char *const hidden_net = "net=dense 16; tanh; output";

/* Parameters of 16 rows of 3, and 2 rows of 17, the last of each being constants. */
enum { FIRST = 16 * 3, ALL = FIRST + 2 * 17 };
static bool is_constant(size_t j) { return j < FIRST ? j % 3 == 2 : (j - FIRST) % 17 == 16; }

/* Two rows of an update of rank 1 are in line, whatever the noise was. */
static void check_rank_one(const double *was, const double *is)
{
    for (size_t r = 1; r < 16; r++) {
        const double a = is[0] - was[0], b = is[1] - was[1];
        const double c = is[3 * r] - was[3 * r], d = is[3 * r + 1] - was[3 * r + 1];
        assert_true(fabs(a * d - b * c) <= 1e-3 * (fabs(a * d) + fabs(b * c)));
        assert_true(a != 0 && b != 0 && c != 0 && d != 0);
    }
}

static void parts_are_tuned(void **state)
{
    (void)state;
    static const char *const tune[] = { "tune=bias", "tune=lora", "tune=lora", "tune=all", "tune=last" };
    static const char *const tuned[] = { "tuned=all", "tuned=1", "tuned=all", "tuned=3", "tuned=all" };
    char start[100];
    dusk_model *before, *model;
    size_t rows, columns;
    snprintf(start, sizeof start, "start=%s", path);
    assert_int_equal(dusk_model_read(&before, path, NULL), DUSK_OK);
    const double *was = dusk_model_array(before, "parameters", &rows, &columns);
    for (size_t k = 0; k < 5; k++)
        for (int threads = 0; threads < 2; threads++) {
            const char *settings[] = { hidden_net,
                                       start,
                                       "start_is=public",
                                       "steps=5",
                                       "rate=1",
                                       tune[k],
                                       tuned[k],
                                       "rank=1",
                                       k == 1 ? "average=0.5" : "average=0",
                                       "learning_rate=10",
                                       threads ? "threads=2" : "threads=1",
                                       NULL };
            assert_int_equal(train(&model, 0.5, settings), DUSK_OK);
            const double *is = dusk_model_array(model, "parameters", &rows, &columns);
            assert_int_equal(columns, ALL);
            for (size_t j = 0; j < ALL; j++) {
                const bool learned[] = { is_constant(j), j < FIRST && !is_constant(j), !is_constant(j),
                                         j >= FIRST, j >= FIRST };
                assert_int_equal(is[j] != was[j], learned[k]);
            }
            if (tune[k][5] == 'l' && tune[k][6] == 'o') check_rank_one(was, is);
            dusk_model_free(model);
        }
    dusk_model_free(before);
}

/* The start is right for another label; with next to no noise a part is enough to turn it, with or without privacy; layers after those of the start are learned as
 * a whole. */
static void parts_learn(void **state)
{
    (void)state;
    char start[100];
    snprintf(start, sizeof start, "start=%s", path);
    const char *lora[] = { "net=dense 16; tanh; dense 12; tanh; output",
                           start,
                           "start_is=public",
                           "steps=200",
                           "rate=1",
                           "tune=lora",
                           "rank=1",
                           "start_layers=1",
                           "learning_rate=1",
                           NULL };
    const char *bias[] = { "net=dense 16; tanh; dense 12; tanh; output",
                           start,
                           "start_is=public",
                           "steps=200",
                           "rate=1",
                           "tune=bias",
                           "start_layers=1",
                           "learning_rate=1",
                           NULL };
    const char *const *const ways[] = { lora, bias };
    dusk_model *model;
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(train(&model, k < 2 ? 2000 : 0, ways[k % 2]), DUSK_OK);
        assert_true(accuracy(model) > 0.9);
        dusk_model_free(model);
    }
}

/* A start that was trained without privacy is not forgotten: the promise of what begins with it names it. */
static void a_start_without_privacy_is_named(void **state)
{
    (void)state;
    char start[120], plain[110];
    snprintf(plain, sizeof plain, "%s.plain", path);
    dusk_model *model;
    for (int k = 0; k < 2; k++) {
        const char *const first[] = { hidden_net, "rate=1", "steps=3", NULL };
        snprintf(start, sizeof start, "start=%s", k ? plain : path);
        const char *const then[] = { hidden_net, start, "start_is=public", "rate=1", "steps=2", NULL };
        assert_int_equal(train(&model, 0, first), DUSK_OK);
        assert_int_equal(dusk_model_write(model, plain, NULL), DUSK_OK);
        dusk_model_free(model);
        assert_int_equal(train(&model, 1, then), DUSK_OK);
        const char *assumed = dusk_model_statement(model)->assumed;
        assert_non_null(strstr(assumed, "start from"));
        assert_int_equal(strstr(assumed, "NO PRIVACY") != NULL, k);
        dusk_model_free(model);
        assert_int_equal(remove(plain), 0);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    char start[100];
    snprintf(start, sizeof start, "start=%s", path);
    const char *unsaid[] = { "net=dense 16; tanh; output", start, NULL };
    const char *unlike[] = { "net=dense 15; tanh; output", start, "start_is=public", NULL };
    const char *absent[] = { "start=/nowhere", "start_is=public", NULL };
    const char *all[] = { "net=dense 16; tanh; output", "frozen=3", NULL };
    const char *more[] = { "net=dense 16; tanh; output", "frozen=4", NULL };
    const char *cut[] = { "net=dense 4; residual; dense 4; tanh; dense 4; add; output", "frozen=3", NULL };
    const char *tied[] = { "net=dense 4; tanh; tied 1; output", "frozen=1", NULL };
    const char *alone[] = { "net=dense 16; tanh; output", "tune=lora", NULL };
    const char *named[] = { "net=dense 16; tanh; output", "tuned=1", NULL };
    const char *none[] = { hidden_net, start, "start_is=public", "tune=lora", "tuned=2", NULL };
    const char *twice[] = { "net=dense 16; tanh; output", "tune=last", "frozen=1", NULL };
    const char *ends[] = { "net=dense 4; tanh; tied 1; tanh", "tune=last", NULL };
    const char *fewer[] = {
        "net=dense 16; tanh; output", start, "start_is=public", "tune=lora", "carriers=2", NULL
    };
    const char *const *const wrong[] = { unsaid, unlike, absent, all,   more, cut,  tied,
                                         alone,  named,  none,   twice, ends, fewer };
    dusk_model *model;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_not_equal(train(&model, 1, wrong[k]), DUSK_OK);
        assert_null(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_layers_stay),
        cmocka_unit_test(frozen_layers_are_learned_upon),
        cmocka_unit_test(parts_are_tuned),
        cmocka_unit_test(parts_learn),
        cmocka_unit_test(a_start_without_privacy_is_named),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, open_start, remove_start);
}
