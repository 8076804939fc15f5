/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes that other systems for private training have made, by their numbers in docs/deep-conformance.md: those that no other test here
 * looks for, on the training loop as it is shipped. */
#include <math.h>
#include <string.h>

#include "dusk/learn.h"
#include "learn/sampler.h"
#include "seeded.h"

static dusk_frame *rows_of(const dusk_fields *fields, size_t n)
{
    dusk_frame *frame;
    assert_int_equal(dusk_frame_new(&frame, fields, n, NULL), DUSK_OK);
    for (size_t c = 0; c < fields->count; c++)
        for (size_t i = 0; i < n; i++) {
            if (fields->field[c].kind == DUSK_FIELD_NUMERIC)
                frame->column[c].number[i] = 1;
            else
                frame->column[c].code[i] = 0;
        }
    return frame;
}

typedef struct trained {
    dusk_training *training;
    dusk_frame *frame;
    dusk_generator *gen;
    double sigma; /* of the event, in clips */
    size_t parameters;
    double *value; /* of the last run */
} trained;

/* `n` rows of 1 and of the first class. */
static trained open_trained(const char *learner, const char *fields_text, size_t n,
                            const char *const *settings, dusk_train_options o, uint64_t seed)
{
    dusk_fields *fields;
    dusk_error err = { .message = "" };
    trained t = { .gen = seeded(seed) };
    char text[400];
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    o.size = sizeof o;
    o.label = "y";
    o.settings = settings;
    while (settings[o.settings_count]) o.settings_count++;
    if (dusk_training_prepare(&t.training, learner, fields, &o, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_int_equal(dusk_event_format(&dusk_training_statement(t.training)->event, text, sizeof text, NULL),
                     DUSK_OK);
    const char *gaussian = strstr(text, "gaussian(");
    t.sigma = gaussian ? strtod(gaussian + 9, NULL) : 0; /* without privacy: none */
    t.frame = rows_of(fields, n);
    dusk_fields_free(fields);
    return t;
}

static const double *run(trained *t)
{
    dusk_model *model;
    size_t rows;
    assert_int_equal(dusk_training_run(t->training, &model, t->frame, t->gen, NULL), DUSK_OK);
    const double *p = dusk_model_array(model, "parameters", &rows, &t->parameters);
    free(t->value);
    t->value = malloc(t->parameters * sizeof *p);
    memcpy(t->value, p, t->parameters * sizeof *p);
    dusk_model_free(model);
    return t->value;
}

static void close_trained(trained *t)
{
    dusk_training_free(t->training);
    dusk_frame_free(t->frame);
    dusk_generator_free(t->gen);
    free(t->value);
}

/* The parameters of the last run outlive the rest. */
static double *close_but_value(trained *t)
{
    double *value = t->value;
    t->value = NULL;
    close_trained(t);
    return value;
}

#define ONE_STEP "clip=1", "rate=1", "steps=1", "learning_rate=1", "momentum=0"

/* 5: what is released lies on the grid of 2^-22 clips, and its last bits are as likely as any others. */
static void releases_lie_on_the_grid(void **state)
{
    (void)state;
    enum { RUNS = 60, CELLS = 64 };
    static const char *const settings[] = { "net=output", ONE_STEP, NULL };
    const dusk_train_options o = { .epsilon = 8, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 1 };
    trained t = open_trained("net", "x[200] numeric -1:1\ny category a,b\n", 1, settings, o, 5);
    double seen[CELLS] = { 0 }, all = 0, chi = 0;
    assert_true(t.sigma < 1); /* so that floats hold all steps of what is below 4 */
    for (int k = 0; k < RUNS; k++) {
        const double *p = run(&t);
        for (size_t j = 0; j < t.parameters; j++) {
            const double steps = p[j] * 0x1p22;
            if (fabs(p[j]) >= 4) continue;
            assert_true(steps == rint(steps));
            seen[(uint64_t)((int64_t)steps + (1 << 30)) % CELLS]++;
            all++;
        }
    }
    for (size_t c = 0; c < CELLS; c++) {
        const double apart = seen[c] - all / CELLS;
        chi += apart * apart / (all / CELLS);
    }
    assert_true(fabs(chi - (CELLS - 1)) < 5.5 * sqrt(2 * CELLS));
    close_trained(&t);
}

/* 6: noise of all parameters of all layers, over several steps, whoever draws it: as large as stated, and no two go together. */
static void noise_is_nowhere_used_twice(void **state)
{
    (void)state;
    enum { RUNS = 500, MOST = 32 };
    static const char *const threads[] = { "threads=1", "threads=3" };
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = { "net=dense 3 zero; tanh; dense 2 zero; tanh; output",
                                         threads[k],
                                         "clip=1",
                                         "rate=1",
                                         "steps=5",
                                         "learning_rate=1",
                                         "momentum=0",
                                         NULL };
        const dusk_train_options o = {
            .epsilon = 1, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 1
        };
        trained t =
            open_trained("net_numbers", "x numeric -1:1\ny numeric -1:1\n", 0, settings, o, 6 + (uint64_t)k);
        double product[MOST][MOST] = { { 0 } };
        for (int r = 0; r < RUNS; r++) {
            const double *p = run(&t);
            assert_true(t.parameters == 3 * 2 + 2 * 4 + 3);
            for (size_t i = 0; i < t.parameters; i++)
                for (size_t j = 0; j <= i; j++) product[i][j] += p[i] * p[j];
        }
        const double variance = 5 * t.sigma * t.sigma * RUNS;
        for (size_t i = 0; i < t.parameters; i++)
            for (size_t j = 0; j <= i; j++)
                assert_true(fabs(product[i][j] / variance - (i == j)) <
                            6 * sqrt((i == j ? 2.0 : 1.0) / RUNS));
        close_trained(&t);
    }
}

/* What a training begins with: of nobody and without noise it stays there. To be freed. */
static double *start_of(const char *fields, const char *const *settings, uint64_t seed)
{
    const dusk_train_options o = {
        .no_privacy = true, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 1
    };
    trained t = open_trained("net_numbers", fields, 0, settings, o, seed);
    (void)run(&t);
    return close_but_value(&t);
}

/* Of all tokens that there might be, a few or none are there: numbers of the others have noise like any, or it shows which. */
static void what_nobody_touches_has_noise(void **state)
{
    (void)state;
    enum { TOKENS = 1000, WIDTH = 2, RUNS = 4 };
    static const char *const fields = "x numeric 0:999\ny numeric -1:1\n";
    static const size_t counts[] = { 0, 1, 5 };
    static const char *const threads[] = { "threads=1", "threads=3" };
    for (size_t k = 0; k < 6; k++) {
        const char *const settings[] = { "net=embedding 1000 2; output", "range=raw", threads[k % 2],
                                         ONE_STEP, NULL };
        const dusk_train_options o = { .noise = 3, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 1 };
        double square = 0;
        size_t still = 0;
        for (uint64_t r = 0; r < RUNS; r++) {
            const uint64_t seed = 100 * k + r;
            double *start = start_of(fields, settings, seed);
            trained t = open_trained("net_numbers", fields, counts[k / 2], settings, o, seed);
            for (size_t i = 0; i < t.frame->rows; i++) t.frame->column[0].number[i] = (double)(1 + 7 * i);
            const double *p = run(&t);
            assert_true(t.parameters == TOKENS * WIDTH + WIDTH + 1);
            for (size_t j = 0; j < TOKENS * WIDTH;
                 j++) { /* the output is 0 yet: no row has a gradient here */
                const double moved = p[j] - start[j];
                still += moved == 0;
                square += moved * moved / (9 * TOKENS * WIDTH * RUNS);
            }
            free(start);
            close_trained(&t);
        }
        /* no step of 2^-22 in one of 3 * 10^7: three such of 8000 in less than one of 10^11 */
        assert_true(still <= 2);
        assert_true(fabs(square - 1) < 6 * sqrt(2.0 / (TOKENS * WIDTH * RUNS)));
    }
}

/* 7: a row is in a Poisson sample by coins of its own: no two rows go together, nor do two steps. */
static void rows_are_in_by_pairs_as_they_should(void **state)
{
    (void)state;
    enum { ROWS = 40, STEPS = 4000 };
    static bool in[2][ROWS];
    static double pair[ROWS][ROWS], next[ROWS];
    const double q = 0.1, sd = sqrt(q * q * (1 - q * q) * STEPS);
    learn_sampler sampler;
    learn_draw draw;
    size_t count;
    dusk_generator *gen = seeded(7);
    assert_int_equal(learn_sampler_init(&sampler, LEARN_POISSON, q, 0, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(learn_draw_open(&draw, &sampler, ROWS, gen, NULL), DUSK_OK);
    for (uint64_t step = 0; step < STEPS; step++) {
        bool *now = in[step % 2], *before = in[(step + 1) % 2];
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        memset(now, 0, ROWS * sizeof *now);
        for (size_t i = 0; i < count; i++) now[draw.row[i]] = true;
        for (size_t i = 0; i < ROWS; i++) {
            next[i] += now[i] && before[i];
            for (size_t j = 0; j < i; j++) pair[i][j] += now[i] && now[j];
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(fabs(next[i] - q * q * STEPS) < 7 * sd);
        for (size_t j = 0; j < i; j++) assert_true(fabs(pair[i][j] - q * q * STEPS) < 7 * sd);
    }
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

/* 9, 11: however many rows there are where few were declared, all are in the sum, and it is divided by what was declared. */
static void samples_are_not_cut_off(void **state)
{
    (void)state;
    static const char *const settings[] = { "net=output", ONE_STEP, NULL };
    const dusk_train_options o = { .epsilon = 1e4, .delta = 0.1, .neighbours = DUSK_ADD_REMOVE, .rows = 10 };
    static const size_t counts[] = { 1, 256, 257, 511, 512, 3000, 3001 };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        trained t =
            open_trained("net_numbers", "x numeric -1:1\ny numeric -1:1\n", counts[k], settings, o, 9);
        const double *p = run(&t), right = (double)counts[k] / 10 / sqrt(2);
        for (size_t j = 0; j < 2; j++)
            if (fabs(p[j] - right) > 6 * t.sigma / 10 + 1e-3 * right)
                fail_msg("%zu rows: %g, not %g", counts[k], p[j], right);
        close_trained(&t);
    }
}

static double tail(double x) { return 0.5 * erfc(x / sqrt(2)); }

/* 17: by the exact curve of the Gaussian mechanism, one that is exchanged moving a sum by two clips. */
static void replacement_has_twice_the_noise(void **state)
{
    (void)state;
    static const char *const settings[] = { "net=output",      "clip=0.3",   "rate=1", "steps=7",
                                            "learning_rate=1", "momentum=0", NULL };
    for (int k = 0; k < 4; k++) {
        dusk_train_options o = { .epsilon = k & 1 ? 0.5 : 3, .delta = 1e-4, .rows = 1 };
        double deviation[2];
        for (int way = 0; way < 2; way++) {
            double squares = 0;
            o.neighbours = way ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
            trained t = open_trained("net_numbers", "x numeric -1:1\ny numeric -1:1\n", 0, settings, o, 17);
            for (int r = 0; r < 200; r++) {
                const double *p = run(&t);
                squares += p[0] * p[0] + p[1] * p[1];
            }
            deviation[way] =
                sqrt(squares / 400 / 7) / 0.3; /* the same coins: more noise is the same, stretched */
            close_trained(&t);
        }
        const double mu = sqrt(7) / deviation[0], e = o.epsilon;
        const double delta = tail(e / mu - mu / 2) - exp(e) * tail(e / mu + mu / 2);
        assert_true(fabs(deviation[1] / deviation[0] - 2) < 1e-3);
        assert_true(delta < 4e-4 && delta > 1e-5); /* deviations are known to a twentieth */
    }
}

/* 19: nothing is scaled by what rows there are: a column without bounds is refused. */
static void bounds_are_not_read_from_rows(void **state)
{
    (void)state;
    dusk_fields *fields = NULL;
    assert_int_not_equal(dusk_fields_parse(&fields, "x numeric\ny category a,b\n", NULL), DUSK_OK);
    assert_null(fields);
}

/* Parameters of one step over `n` ordinary rows and, where it is asked for, one that is far away: with the same coins. To be freed. */
static double *step_with(const char *const *settings, bool far, double x, double y, size_t *parameters)
{
    enum { ROWS = 20 };
    const dusk_train_options o = { .noise = 0.5, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 20 };
    trained t = open_trained("net_numbers", "x numeric -1:1\nz numeric 0:4\ny numeric -1:1\n", ROWS + far,
                             settings, o, 19);
    for (size_t i = 0; i < t.frame->rows; i++) {
        t.frame->column[0].number[i] = i < ROWS ? 0.2 * sin((double)i) : x;
        t.frame->column[1].number[i] = i < ROWS ? 2 + 0.3 * cos((double)i) : 2 + 2 * x;
        t.frame->column[2].number[i] = i < ROWS ? 0.4 * cos(2 * (double)i) : y;
    }
    (void)run(&t);
    *parameters = t.parameters;
    return close_but_value(&t);
}

/* 19: one row that is far away changes nothing in others. At first all that is put out is 0: a row that wants it has no gradient, and one
 * without numbers has none by them. */
static void rows_far_away_change_no_others(void **state)
{
    (void)state;
    static const char *const ranges[] = { "range=bounds", "range=unit", "range=raw" };
    static const double far[] = { 1, -1, 3, -1e30, INFINITY, NAN };
    for (size_t k = 0; k < 3; k++) {
        const char *const settings[] = { "net=output", ranges[k], ONE_STEP, NULL };
        size_t n, m;
        double *without = step_with(settings, false, 0, 0, &n);
        for (size_t f = 0; f < sizeof far / sizeof *far; f++) {
            double *with = step_with(settings, true, far[f], 0, &m);
            assert_true(n == m && !memcmp(with, without, n * sizeof *with));
            free(with);
        }
        for (int up = 0; up < 2 && k == 0;
             up++) { /* both numbers in the middle are 0, and the constant is not */
            double *with = step_with(settings, true, 0, up ? 1e30 : -1, &m);
            assert_true(n == 3 && m == 3 && !memcmp(with, without, 2 * sizeof *with));
            assert_true(with[2] != without[2]);
            free(with);
        }
        free(without);
    }
}

/* 20, 22: a model has its parameters and nothing else, for every class that there might be, seen or not, and each with its noise. */
static void models_have_all_classes_and_nothing_else(void **state)
{
    (void)state;
    static const char *const settings[] = { "net=output", ONE_STEP, NULL };
    const dusk_train_options o = { .epsilon = 1, .delta = 1e-3, .neighbours = DUSK_ADD_REMOVE, .rows = 5 };
    trained t = open_trained("net", "x numeric -1:1\ny category a,b,c,d\n", 5, settings, o, 22);
    dusk_model *model;
    const double *p = run(&t);
    assert_int_equal(t.parameters, 8);
    for (size_t j = 0; j < 8; j++) assert_true(p[j] != 0);
    assert_int_equal(dusk_training_run(t.training, &model, t.frame, t.gen, NULL), DUSK_OK);
    assert_string_equal(dusk_model_array_at(model, 0), "parameters");
    assert_null(dusk_model_array_at(model, 1));
    dusk_model_free(model);
    close_trained(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_lie_on_the_grid),
        cmocka_unit_test(noise_is_nowhere_used_twice),
        cmocka_unit_test(what_nobody_touches_has_noise),
        cmocka_unit_test(rows_are_in_by_pairs_as_they_should),
        cmocka_unit_test(samples_are_not_cut_off),
        cmocka_unit_test(replacement_has_twice_the_noise),
        cmocka_unit_test(bounds_are_not_read_from_rows),
        cmocka_unit_test(rows_far_away_change_no_others),
        cmocka_unit_test(models_have_all_classes_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
