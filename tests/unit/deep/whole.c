/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients that are made whole: what is added up is the mean over passes, held down to the clip, turn after turn; noise before clipping is of the example
 * alone, symmetric, and as long as was asked for; and what is refused. */
#include "deep/whole.h"

#include <math.h>
#include <unistd.h>

#include "base/platform.h"
#include "deep/sums.h"
#include "deep_nets.h"
#include "learners.h"

enum { EXAMPLES = 4, PASSES = 3 };

static void forward_and_back(tried_pass *t, const deep_real *x, const deep_real *slopes)
{
    t->pass.examples = EXAMPLES;
    memcpy(t->pass.value[0], x, EXAMPLES * deep_size(t->net.in) * sizeof *x);
    deep_forward(&t->pass);
    memcpy(t->pass.slope[t->net.layers], slopes, EXAMPLES * deep_size(t->net.out) * sizeof *slopes);
    deep_backward(&t->pass);
}

/* Means of gradients by other parameters, which `whole` gets, too. */
static void make(tried_pass *t, deep_whole *whole, const float *moved, double *mean, const deep_real *x,
                 const deep_real *slopes)
{
    const size_t n = t->net.parameters;
    deep_real *g = dusk_allocate(n, sizeof *g);
    for (size_t j = 0; j < EXAMPLES * n; j++) mean[j] = 0;
    t->pass.given = NULL;
    deep_whole_reset(whole, EXAMPLES);
    for (size_t k = 0; k < PASSES; k++) {
        t->pass.parameters = moved + k * n;
        forward_and_back(t, x, slopes);
        deep_whole_add(whole, &t->pass, (deep_real)1 / PASSES);
        for (size_t i = 0; i < EXAMPLES; i++)
            for (size_t l = 0; l < t->net.layers; l++) {
                const deep_layer *layer = &t->net.layer[l];
                if (layer->parameters == 0) continue;
                deep_gradient(&t->pass, l, i, g);
                for (size_t j = 0; j < layer->parameters; j++)
                    mean[i * n + layer->first + j] += (double)g[j] / PASSES;
            }
    }
    t->pass.given = whole->gradient;
    dusk_deallocate(g);
}

static void check_net(const tried_net *tried, uint64_t seed)
{
    tried_pass t;
    deep_whole whole;
    deep_sum sum;
    const double clip = 0.5;
    dusk_generator *gen = seeded(seed);
    open_tried(&t, tried, EXAMPLES, seed);
    const size_t n = t.net.parameters, in = EXAMPLES * tried->in, out = EXAMPLES * tried->out;
    float *moved = dusk_allocate(PASSES * n, sizeof *moved);
    double *mean = dusk_allocate(EXAMPLES * n, sizeof *mean), *right = dusk_allocate(n, sizeof *right);
    deep_real *x = dusk_allocate(in, sizeof *x), *slopes = dusk_allocate(out, sizeof *slopes);
    for (size_t j = 0; j < n; j++) right[j] = 0;
    assert_int_equal(deep_whole_move(moved, t.parameters, n, PASSES, 0.3, gen, NULL), DUSK_OK);
    assert_int_equal(deep_whole_open(&whole, &t.net, EXAMPLES, NULL), DUSK_OK);
    t.pass.given = whole.gradient;
    assert_int_equal(deep_sum_open(&sum, &t.pass, DEEP_CLIP_FLAT, clip, NULL), DUSK_OK);
    for (size_t turn = 0; turn < 2; turn++) {
        random_numbers(&t.coins, x, in, 2);
        random_numbers(&t.coins, slopes, out, 1);
        make(&t, &whole, moved, mean, x, slopes);
        assert_int_equal(deep_sum_add(&sum, &t.pass, NULL), DUSK_OK);
        for (size_t i = 0; i < EXAMPLES; i++) {
            double square = 0;
            for (size_t j = 0; j < n; j++) square += mean[i * n + j] * mean[i * n + j];
            const double factor = fmin(1, clip / sqrt(square));
            for (size_t j = 0; j < n; j++) right[j] += factor * mean[i * n + j];
        }
    }
    for (size_t first = 0, size; first < n; first += size) {
        size = n - first;
        const int64_t *total = deep_sum_totals(&sum, first, &size);
        for (size_t j = 0; j < size; j++) {
            const double got = (double)total[j] * clip / DEEP_STEPS;
            if (!(fabs(got - right[first + j]) < 1e-3 * clip))
                fail_msg("%s: %g instead of %g", tried->text, got, right[first + j]);
        }
    }
    deep_sum_close(&sum);
    deep_whole_close(&whole);
    t.pass.given = NULL;
    close_tried(&t);
    dusk_generator_free(gen);
    dusk_deallocate(moved);
    dusk_deallocate(mean);
    dusk_deallocate(right);
    dusk_deallocate(x);
    dusk_deallocate(slopes);
}

static void test_means(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED_NETS; k++) check_net(&tried_nets[k], 100 + k);
}

/* Noise of the coins of an example, wherever it stands; and no longer than the clip after it. */
static void test_shaken(void **state)
{
    static const tried_net tried = { "dense 40; tanh; dense 20", 30, 20 };
    const uint64_t coin[EXAMPLES] = { 5, 6, 5, 7 };
    tried_pass t;
    deep_whole whole;
    deep_sum sum;
    (void)state;
    open_tried(&t, &tried, EXAMPLES, 9);
    const size_t n = t.net.parameters;
    assert_int_equal(deep_whole_open(&whole, &t.net, EXAMPLES, NULL), DUSK_OK);
    t.pass.given = whole.gradient;
    t.pass.coin = coin;
    t.pass.examples = EXAMPLES;
    deep_whole_reset(&whole, EXAMPLES);
    whole.gradient[3 * n] = (deep_real)NAN;
    deep_whole_shake(&whole, &t.pass, 3);
    assert_memory_equal(whole.gradient, whole.gradient + 2 * n, n * sizeof *whole.gradient);
    for (size_t i = 0; i < 2; i++) {
        double sums = 0, square = 0, other = 0;
        for (size_t j = 0; j < n; j++) {
            const double x = (double)whole.gradient[i * n + j];
            sums += x;
            square += x * x;
            other += x * (double)whole.gradient[(1 - i) * n + j];
        }
        assert_true(fabs(sqrt(square) - 3) < 0.3); /* n = 2060 */
        assert_true(fabs(sums) < 3 * 6 && fabs(other) < 9 * 6 / sqrt((double)n));
    }
    assert_int_equal(deep_sum_open(&sum, &t.pass, DEEP_CLIP_FLAT, 1, NULL), DUSK_OK);
    t.pass.examples = 1;
    assert_int_equal(deep_sum_add(&sum, &t.pass, NULL), DUSK_OK);
    size_t size = n;
    const int64_t *total = deep_sum_totals(&sum, 0, &size);
    dusk_int128 square = 0;
    for (size_t j = 0; j < size; j++) square += (dusk_int128)total[j] * total[j];
    assert_true(size == n && square <= (dusk_int128)1 << 44 && square > (dusk_int128)1 << 43);
    deep_sum_close(&sum);
    deep_whole_close(&whole);
    t.pass.given = NULL;
    t.pass.coin = NULL;
    close_tried(&t);
}

static dusk_model *train(const char *const *settings, size_t count, bool privacy, const dusk_frame *frame)
{
    dusk_train_options o = learners_options(dusk_learner_named("net"), privacy ? 1e6 : 0, privacy ? 1e-6 : 0);
    dusk_generator *gen = seeded(7);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    o.settings = settings;
    o.settings_count = count;
    o.no_privacy = !privacy;
    o.rows = frame->rows;
    if (dusk_training_prepare(&training, "net", frame->fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return model;
}

/* Networks that are all the same are one; with a radius they are not; with and without privacy. */
static void test_networks(void **state)
{
    static const char *const settings[] = { "net=tanh; output", "rate=1",   "steps=20",
                                            "clip=10",          "smooth=3", "smooth_radius=0" };
    static const char *const wide[] = { "net=tanh; output", "rate=1",   "steps=20",
                                        "clip=10",          "smooth=3", "smooth_radius=2" };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 60, gen);
    size_t rows, columns;
    (void)state;
    for (int privacy = 0; privacy < 2; privacy++) {
        dusk_model *model[3] = { train(settings, 4, privacy, frame), train(settings, 6, privacy, frame),
                                 train(wide, 6, privacy, frame) };
        double same = 0, other = 0;
        const double *w = dusk_model_array(model[0], "parameters", &rows, &columns);
        for (size_t j = 0; j < columns; j++) {
            same += fabs(w[j] - dusk_model_array(model[1], "parameters", &rows, &columns)[j]);
            other += fabs(w[j] - dusk_model_array(model[2], "parameters", &rows, &columns)[j]);
        }
        if (!(same < 0.5 && other > 2)) fail_msg("%d: %g and %g", privacy, same, other);
        for (size_t k = 0; k < 3; k++) dusk_model_free(model[k]);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void test_refused(void **state)
{
    static const char *const large[] = { "net=dense 4000; dense 5000; output", "smooth=1" };
    static const char *const plain[] = { "bias_noise=1", "rate=1", "steps=2" };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 6, gen);
    dusk_train_options o = learners_options(dusk_learner_named("net"), 1, 1e-6);
    dusk_training *training;
    dusk_error err = { .message = "" };
    (void)state;
    o.settings = large;
    o.settings_count = 2;
    assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "too large to be made whole"));
    o.settings = plain;
    o.settings_count = 3;
    o.epsilon = o.delta = 0;
    o.no_privacy = true;
    o.rows = 6;
    assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "there is no bias"));
    static const char *const small[] = { "net=dense 3; output", "rate=1", "steps=1" };
    char path[64], start[80];
    snprintf(path, sizeof path, "/tmp/whole_%ld.model", (long)getpid());
    snprintf(start, sizeof start, "start=%s", path);
    const char *const tuned[] = { small[0],   start,    "start_is=public", "tune=bias",
                                  "smooth=2", "rate=1", "steps=2" };
    dusk_model *model = train(small, 3, true, frame);
    assert_int_equal(dusk_model_write(model, path, NULL), DUSK_OK);
    dusk_model_free(model);
    o = learners_options(dusk_learner_named("net"), 1, 1e-6);
    o.settings = tuned;
    o.settings_count = 7;
    assert_int_equal(dusk_training_prepare(&training, "net", frame->fields, &o, &err), DUSK_ERR_ARGUMENT);
    if (!strstr(err.message, "by a part of the parameters")) fail_msg("%s", err.message);
    (void)unlink(path);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_shaken),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
