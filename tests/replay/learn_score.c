/* SPDX-License-Identifier: Apache-2.0 */
/* Released scores on neighbours: a row more or less, or another, moves the totals by what is declared, and nothing else
 * differs. Rows are hostile on purpose. */
#include "replay.h"
#include "toy_models.h"

enum { ROWS = 12, ROUNDS = 40 };

static uint64_t seed = 11;

static double odd_number(void)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, 10, 5 };
    uint64_t r = splitmix64(&seed);
    return r % 2 ? odd[r / 2 % 8] : (double)(r / 2 % 1000) / 100;
}

static void fill(dusk_frame *frame, size_t row)
{
    for (size_t c = 0; c < frame->fields->count; c++)
        if (frame->column[c].number)
            frame->column[c].number[row] = odd_number();
        else
            frame->column[c].code[row] = (int32_t)(splitmix64(&seed) % 4) - 1;
}

static void copy_row(dusk_frame *to, size_t at, const dusk_frame *from, size_t row)
{
    for (size_t c = 0; c < from->fields->count; c++)
        if (from->column[c].number)
            to->column[c].number[at] = from->column[c].number[row];
        else
            to->column[c].code[at] = from->column[c].code[row];
}

/* Two frames: the second lacks a row of the first, or has another in its place. */
static void make_pair(dusk_frame *frame[2], const char *fields, bool replace)
{
    size_t which = splitmix64(&seed) % ROWS;
    frame[0] = toy_frame(fields, ROWS);
    frame[1] = toy_frame(fields, replace ? ROWS : ROWS - 1);
    for (size_t i = 0; i < ROWS; i++) fill(frame[0], i);
    for (size_t i = 0, at = 0; i < ROWS; i++) {
        if (i == which && !replace) continue;
        copy_row(frame[1], at++, frame[0], i);
    }
    if (replace) fill(frame[1], which);
}

static void compare(const dusk_model *model, dusk_metric metric, const char *fields, double delta,
                    uint64_t rows, bool replace)
{
    dusk_train_options options;
    dusk_frame *frame[2];
    double value[2][3];
    dusk_statement statement;
    make_pair(frame, fields, replace);
    dusk_train_options_init(&options);
    options.epsilon = 0.8;
    options.delta = delta;
    options.rows = rows;
    options.neighbours = replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    replay r = replay_open(seed);
    for (int side = 0; side < 2; side++)
        assert_int_equal(dusk_model_score_release(&value[side][0], &value[side][1], &value[side][2],
                                                  &statement, metric, model, frame[side], &options,
                                                  r.gen[side], NULL),
                         DUSK_OK);
    replay_same(value[0], value[1], 3);
    replay_close(&r, (replay_declared){ .epsilon = 0.8, .delta = delta });
    dusk_frame_free(frame[0]);
    dusk_frame_free(frame[1]);
}

static void scores(void **state)
{
    dusk_model *model = toy_model(&toy_binary, TOY_CLASSES), *line = toy_model(&toy_number, TOY_NUMBERS);
    dusk_model *group = toy_model(&toy_group, TOY_PLAIN);
    const double centres[6] = { -0.5, 1, 0, 0.5, 0, 30 };
    (void)state;
    assert_int_equal(learn_model_put(group, "centres", 2, 3, centres, NULL), DUSK_OK);
    for (int round = 0; round < ROUNDS; round++) {
        double delta = round % 2 ? 1e-6 : 0;
        uint64_t rows = round / 2 % 2 ? ROWS : 0;
        bool replace = round / 4 % 2;
        compare(model, DUSK_METRIC_ACCURACY, TOY_CLASSES, delta, rows, replace);
        compare(line, DUSK_METRIC_MSE, TOY_NUMBERS, delta, rows, replace);
        compare(group, DUSK_METRIC_INERTIA, TOY_PLAIN, delta, rows, replace);
    }
    dusk_model_free(model);
    dusk_model_free(line);
    dusk_model_free(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(scores) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
