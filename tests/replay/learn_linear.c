/* SPDX-License-Identifier: Apache-2.0 */
/* Linear learners on neighbouring tables with the same coins: the inputs of every release are within what it declares, and
 * all that a model holds follows from what was released. */
#include "regressions.h"

#include "replay.h"

enum { ROWS = 60 };

static const char *const texts[] = {
    regression_fields,
    "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny numeric -10:10\nrows_per_unit 2\n",
};

/* Extreme rows, so that bounds are met: every column and the label at an end. */
static void make_extreme(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < 4; c++) {
        const dusk_field *f = &frame->fields->field[c];
        uint64_t r = splitmix64(seed) % 5;
        double values[] = { f->lower, f->upper, 1e308, -INFINITY, NAN };
        frame->column[c].number[row] = c == 3 && r >= 3 ? f->lower : values[r];
    }
}

static void same_models(const dusk_model *a, const dusk_model *b)
{
    for (size_t i = 0; dusk_model_array_at(a, i); i++) {
        size_t rows[2], columns[2];
        const char *name = dusk_model_array_at(a, i);
        const double *x = dusk_model_array(a, name, &rows[0], &columns[0]);
        const double *y = dusk_model_array(b, name, &rows[1], &columns[1]);
        assert_non_null(y);
        assert_int_equal(rows[0] * columns[0], rows[1] * columns[1]);
        replay_same(x, y, rows[0] * columns[0]);
    }
}

static void run_pair(const regression_request *r, uint64_t seed)
{
    bool replace = r->neighbours == DUSK_REPLACE_ONE;
    dusk_frame *frame[2];
    dusk_model *model[2];
    for (int side = 0; side < 2; side++) {
        size_t more = replace || side == 1 ? 1 + seed % 2 : 0; /* rows of the unit that is changed */
        uint64_t state = seed;
        frame[side] = regression_frame(texts[seed % 2], ROWS + more, 1, 77 + seed);
        for (size_t i = 0; i < 6; i++) make_extreme(frame[side], i, &state);
        state += (uint64_t)side * 1000;
        for (size_t i = ROWS; i < ROWS + more; i++) make_extreme(frame[side], i, &state);
    }
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++) model[side] = regression_run(r, frame[side], p.gen[side]);
    same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) {
        dusk_model_free(model[side]);
        dusk_frame_free(frame[side]);
    }
    replay_close(&p, (replay_declared){ .epsilon = r->epsilon, .delta = r->delta });
}

static void run_all(const char *learner, const char *setting)
{
    for (int k = 0; k < 16; k++) {
        regression_request r = { learner,
                                 .settings = { setting },
                                 .epsilon = k & 8 ? 100 : 0.8,
                                 .delta = k % 2 ? 1e-6 : 0,
                                 .neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE,
                                 .rows = k & 4 ? ROWS : 0 };
        run_pair(&r, (uint64_t)(100 + k));
    }
}

static void test_linear(void **unused)
{
    (void)unused;
    run_all("linear", "method=adassp");
    run_all("linear", "method=ssp");
}

static void test_others(void **unused)
{
    (void)unused;
    run_all("bayes_linear", "prior=0.5");
    run_all("lasso", "lambda=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_linear), cmocka_unit_test(test_others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
