/* SPDX-License-Identifier: Apache-2.0 */
/* Correlated noise: what one place moves, in all releases of all epochs, is within what is declared, and not far below; undoing the sums gives
 * totals back; the noise of the sum of all steps is what is said; networks learn by it; samples are refused. */
#include "deep/correlation.h"

#include <math.h>
#include <string.h>

#include "dusk/learn.h"
#include "random/record.h"
#include "seeded.h"

enum { CELLS = 48, STEPS_MOST = 160 };

static const struct {
    deep_correlating way;
    uint64_t epoch;
    size_t bands;
} designs[] = { { DEEP_TREE, 1, 1 },   { DEEP_TREE, 7, 1 },   { DEEP_TREE, 16, 1 }, { DEEP_TREE, 20, 1 },
                { DEEP_BANDS, 1, 9 },  { DEEP_BANDS, 5, 1 },  { DEEP_BANDS, 8, 3 }, { DEEP_BANDS, 12, 12 },
                { DEEP_BANDS, 6, 40 }, { DEEP_BANDS, 40, 32 } };
enum { DESIGNS = sizeof designs / sizeof *designs };

static deep_correlation design(size_t k)
{
    deep_correlation c;
    deep_correlation_init(&c, designs[k].way, designs[k].epoch, designs[k].bands);
    return c;
}

static int64_t some(uint64_t *seed, int64_t most)
{
    return (int64_t)(splitmix64(seed) % (uint64_t)(2 * most + 1)) - most;
}

/* The squared length of what is moved by `each` in every cell at step `at` of every epoch; by others of either sign with `signs`. */
static double moved(const deep_correlation *c, uint64_t steps, uint64_t at, int64_t each, bool signs)
{
    deep_history h[2];
    uint64_t seed = 11 + at;
    double square = 0;
    int64_t x[2][CELLS];
    for (int w = 0; w < 2; w++) assert_int_equal(deep_history_open(&h[w], c, CELLS, CELLS, NULL), DUSK_OK);
    for (uint64_t t = 0; t < steps; t++) {
        for (size_t j = 0; j < CELLS; j++) {
            x[0][j] = some(&seed, 1 << 20);
            const bool down = signs && splitmix64(&seed) % 2;
            x[1][j] = x[0][j] + (t % c->epoch == at ? (down ? -each : each) : 0);
        }
        for (size_t first = 0; first < CELLS; first += CELLS / 2) {
            const int64_t *y[2];
            for (int w = 0; w < 2; w++) {
                deep_history_begin(&h[w], t);
                y[w] = deep_history_mix(&h[w], x[w] + first, first, CELLS / 2);
            }
            for (size_t j = 0; j < CELLS / 2; j++) square += pow((double)(y[1][j] - y[0][j]), 2);
        }
    }
    for (int w = 0; w < 2; w++) deep_history_close(&h[w]);
    return square;
}

static void a_place_moves_what_is_declared(void **state)
{
    (void)state;
    for (size_t k = 0; k < DESIGNS; k++) {
        const deep_correlation c = design(k);
        const uint64_t epochs = 3, steps = epochs * c.epoch - c.epoch / 2;
        for (int64_t each = 1; each < 1 << 20; each *= 1000) {
            const double length = ceil((double)each * sqrt(CELLS));
            const double most = deep_correlation_steps(&c, length, CELLS);
            double worst = 0;
            for (uint64_t at = 0; at < c.epoch; at++)
                for (int signs = 0; signs < 2; signs++)
                    worst = fmax(worst, moved(&c, steps, at, each, signs));
            assert_true(worst <= (double)epochs * most * most);
            if (each > 1) assert_true(worst >= 0.9 * (double)epochs * most * most);
        }
    }
}

/* Of what was released without noise: totals, but for the rounding of c_k x, which is undone as well as it can be. */
static void undoing_gives_totals_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < DESIGNS; k++) {
        const deep_correlation c = design(k);
        deep_history h;
        uint64_t seed = 5;
        assert_int_equal(deep_history_open(&h, &c, CELLS, CELLS, NULL), DUSK_OK);
        for (uint64_t t = 0; t < 3 * c.epoch; t++) {
            int64_t x[CELLS];
            float noisy[CELLS];
            for (size_t j = 0; j < CELLS; j++) x[j] = some(&seed, 10000);
            deep_history_begin(&h, t);
            const int64_t *y = deep_history_mix(&h, x, 0, CELLS);
            for (size_t j = 0; j < CELLS; j++) noisy[j] = (float)y[j];
            deep_history_undo(&h, noisy, 0, CELLS);
            for (size_t j = 0; j < CELLS; j++) assert_true(fabs((double)noisy[j] - (double)x[j]) < 2);
        }
        deep_history_close(&h);
    }
}

/* Noise of one step alone, and what it leaves in the sum of all estimates. */
static double left_of(const deep_correlation *c, uint64_t steps, uint64_t at)
{
    deep_history h;
    double sum = 0;
    const int64_t none = 0;
    assert_int_equal(deep_history_open(&h, c, 1, 1, NULL), DUSK_OK);
    for (uint64_t t = 0; t < steps; t++) {
        float noisy = t == at;
        deep_history_begin(&h, t);
        assert_true(*deep_history_mix(&h, &none, 0, 1) == 0);
        deep_history_undo(&h, &noisy, 0, 1);
        sum += (double)noisy;
    }
    deep_history_close(&h);
    return sum;
}

static void the_noise_of_sums_is_what_is_said(void **state)
{
    (void)state;
    for (size_t k = 0; k < DESIGNS; k++) {
        const deep_correlation c = design(k);
        const uint64_t steps = 2 * c.epoch + c.epoch / 3;
        double square = 0;
        for (uint64_t at = 0; at < steps; at++) square += pow(left_of(&c, steps, at), 2);
        assert_true(fabs(sqrt(square) / deep_correlation_error(&c, steps) - 1) < 1e-5);
    }
    /* and of many steps it is far below that of as many independent ones, for the same price */
    deep_correlation tree, bands;
    deep_correlation_init(&tree, DEEP_TREE, 256, 1);
    deep_correlation_init(&bands, DEEP_BANDS, 256, 256);
    assert_true(deep_correlation_error(&tree, 255) * deep_correlation_steps(&tree, 1e6, 1) <
                0.6e6 * sqrt(255));
    assert_true(deep_correlation_error(&bands, 255) * deep_correlation_steps(&bands, 1e6, 1) <
                0.3e6 * sqrt(255));
}

/* --- networks ------------------------------------------------------------------------------------------------------ */

static const char *const fields_text = "x numeric -1:1\nz numeric -1:1\ny category no,yes\n";

static dusk_status prepare(dusk_training **out, const char *const *settings, double epsilon)
{
    dusk_fields *fields;
    dusk_train_options o = { .size = sizeof o,
                             .epsilon = epsilon,
                             .delta = 1e-3,
                             .neighbours = DUSK_REPLACE_ONE,
                             .rows = 400,
                             .label = "y",
                             .settings = settings };
    while (settings[o.settings_count]) o.settings_count++;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    dusk_status status = dusk_training_prepare(out, "net", fields, &o, NULL);
    dusk_fields_free(fields);
    return status;
}

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

static void nets_learn(void **state)
{
    (void)state;
    static const char *const ways[][8] = {
        { "net=dense 16; tanh; output", "sampler=shuffled", "lot=40", "epochs=30", "correlation=tree",
          "learning_rate=1", NULL },
        { "net=dense 16; tanh; output", "sampler=shuffled", "lot=40", "epochs=30", "correlation=bands",
          "learning_rate=1", "clipping=adaptive", NULL },
    };
    dusk_frame *frame = some_rows(400);
    for (size_t k = 0; k < 2; k++) {
        dusk_training *training;
        dusk_model *model;
        dusk_model_scores scores;
        char text[200];
        dusk_generator *gen = seeded(k + 1);
        assert_int_equal(prepare(&training, ways[k], 2000), DUSK_OK);
        assert_int_equal(
            dusk_event_format(&dusk_training_statement(training)->event, text, sizeof text, NULL), DUSK_OK);
        assert_non_null(strstr(text, "gaussian("));
        assert_non_null(strstr(text, " * 30")); /* one for every epoch */
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
        if (!(scores.accuracy > 0.9)) fail_msg("way %zu: %g", k, scores.accuracy);
        dusk_model_free(model);
        dusk_training_free(training);
        dusk_generator_free(gen);
    }
    dusk_frame_free(frame);
}

/* --- what it costs ---------------------------------------------------------------------------------------------- */

/* How far the releases of an epoch are moved together by a total that moves by 1: in the most nodes of a tree that a step may be in, or by a column of the matrix of bands. By definition. */
static double column_of(const char *way, unsigned epoch, unsigned bands)
{
    double square = 0, root = 1;
    if (!strcmp(way, "correlation=none")) return 1;
    if (!strcmp(way, "correlation=tree")) return sqrt(floor(log2((double)epoch)) + 1);
    for (unsigned k = 0; k < bands && k < epoch; k++) {
        square += pow(rint(256 * root) / 256, 2);
        root *= (double)(2 * k + 1) / (2 * k + 2);
    }
    return sqrt(square);
}

/* The deviation of the first step of nobody, in clips: the coins of a run are the same for all ways, so that more noise is the same, stretched. */
static double deviation_of(const char *way, const char *bands, const char *lot, const char *epochs)
{
    enum { RUNS = 100, PARAMETERS = 6 };
    const char *const settings[] = { "net=output", "sampler=shuffled", way, bands, lot, epochs, NULL };
    double square = 0;
    dusk_training *training;
    dusk_frame *nobody = some_rows(0);
    assert_int_equal(prepare(&training, settings, 1), DUSK_OK);
    for (uint64_t r = 0; r < RUNS; r++) {
        dusk_record record = { .n = 0 };
        dusk_model *model;
        dusk_generator *gen = seeded(77 + r);
        dusk_generator_record(gen, &record);
        assert_int_equal(dusk_training_run(training, &model, nobody, gen, NULL), DUSK_OK);
        assert_true(record.n == dusk_training_steps(training) && record.calls[0].n == PARAMETERS);
        for (size_t j = 0; j < PARAMETERS; j++)
            square +=
                pow(ldexp((double)record.calls[0].inputs[j].whole_output, -22), 2) / (RUNS * PARAMETERS);
        for (size_t k = 1; k < record.n; k++) /* all steps alike */
            assert_true(record.calls[k].header.scale == record.calls[0].header.scale);
        dusk_generator_free(gen);
        dusk_record_clear(&record);
        dusk_model_free(model);
    }
    dusk_training_free(training);
    dusk_frame_free(nobody);
    return sqrt(square);
}

static double tail(double x) { return 0.5 * erfc(x / sqrt(2)); }

/* A place is in several releases of an epoch, and noise is for all of them: as many times as long as where it is in one. */
static void noise_is_for_all_releases_of_an_epoch(void **state)
{
    (void)state;
    static const struct {
        const char *way, *bands, *lot, *epochs;
        unsigned epoch, band;
        double times;
    } plans[] = {
        { "correlation=none", "bands=1", "lot=50", "epochs=2", 8, 1, 2 },
        { "correlation=bands", "bands=8", "lot=50", "epochs=2", 8, 8, 2 },
        { "correlation=bands", "bands=3", "lot=50", "epochs=2", 8, 3, 2 },
        { "correlation=bands", "bands=64", "lot=50", "epochs=2", 8, 64, 2 },
        { "correlation=tree", "bands=1", "lot=50", "epochs=2", 8, 1, 2 },
        { "correlation=tree", "bands=1", "lot=58", "epochs=2", 7, 1, 2 },
        { "correlation=none", "bands=1", "lot=10", "epochs=1", 40, 1, 1 },
        { "correlation=tree", "bands=1", "lot=10", "epochs=1", 40, 1, 1 },
        { "correlation=bands", "bands=32", "lot=10", "epochs=1", 40, 32, 1 },
    };
    double alone = 0;
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        const double deviation = deviation_of(plans[k].way, plans[k].bands, plans[k].lot, plans[k].epochs);
        if (!strcmp(plans[k].way, "correlation=none")) {
            /* one that is exchanged moves a release by two clips: by the exact curve of the Gaussian mechanism, the deviation being known to a sixth, which
             * chance leaves once in 10^8 */
            const double mu = 2 * sqrt(plans[k].times) / deviation;
            const double delta = tail(1 / mu - mu / 2) - exp(1) * tail(1 / mu + mu / 2);
            assert_true(delta > 1e-4 && delta < 1e-2);
            alone = deviation;
        }
        const double ratio = deviation / alone / column_of(plans[k].way, plans[k].epoch, plans[k].band);
        if (!(fabs(ratio - 1) < 1e-3)) fail_msg("plan %zu has %g of its noise", k, ratio);
    }
}

static void samples_are_refused(void **state)
{
    (void)state;
    static const char *const samplers[] = { "sampler=poisson", "sampler=fixed" };
    for (size_t k = 0; k < 2; k++) {
        const char *settings[] = { samplers[k], "lot=40", "correlation=bands", NULL };
        dusk_training *training = NULL;
        assert_int_equal(prepare(&training, settings, 1), DUSK_ERR_ARGUMENT);
        assert_null(training);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_moves_what_is_declared),        cmocka_unit_test(undoing_gives_totals_back),
        cmocka_unit_test(the_noise_of_sums_is_what_is_said),     cmocka_unit_test(nets_learn),
        cmocka_unit_test(noise_is_for_all_releases_of_an_epoch), cmocka_unit_test(samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
