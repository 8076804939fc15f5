/* SPDX-License-Identifier: Apache-2.0 */
/* Learners on bins, on neighbouring tables with the same coins: the inputs of every release are within what it declares, and
 * all that a model holds follows from what was released. */
#include "learners.h"

#include "replay_models.h"

enum { ROWS = 80 };

static const char *const texts[] = {
    "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\nd category p,q,r\ngood category no,yes\ny numeric "
    "-10:10\n",
    "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\nd category p,q,r\ngood category no,yes\ny numeric -10:10\n"
    "rows_per_unit 2\n",
};

/* Anything: within bounds, at their ends, beyond them, and no number at all. */
static void fill_row(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        uint64_t r = splitmix64(seed);
        if (f->kind == DUSK_FIELD_CATEGORY) {
            frame->column[c].code[row] = (int32_t)(r % (f->values + 2)) - 1;
            continue;
        }
        double inside = f->lower + (f->upper - f->lower) * (double)(r >> 11) * 0x1p-53;
        double values[] = { inside, inside, inside, f->lower, f->upper, 1e308, -INFINITY, NAN };
        frame->column[c].number[row] = values[r % 8];
    }
}

static dusk_frame *fill(const char *text, size_t rows, uint64_t common, uint64_t own)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    dusk_fields_free(fields);
    for (size_t i = 0; i < rows; i++) fill_row(frame, i, i < ROWS ? &common : &own);
    return frame;
}

typedef struct request {
    const char *learner, *label, *setting;
    double epsilon, delta;
    dusk_neighbours neighbours;
} request;

static dusk_training *prepare(const request *r, const dusk_fields *fields)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_error err = { .message = "" };
    dusk_train_options_init(&o);
    o.label = r->label;
    o.epsilon = r->epsilon;
    o.delta = r->delta;
    o.neighbours = r->neighbours;
    o.settings = &r->setting;
    o.settings_count = 1;
    if (dusk_training_prepare(&training, r->learner, fields, &o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return training;
}

static void run_pair(const request *r, uint64_t seed, bool coins_vary)
{
    const bool replace = r->neighbours == DUSK_REPLACE_ONE;
    const char *text = texts[seed % 2];
    const size_t unit = 1 + seed % 2;
    dusk_frame *frame[2] = { fill(text, ROWS + (replace ? unit : 0), seed, 1000 + seed),
                             fill(text, ROWS + unit, seed, 2000 + seed) };
    dusk_training *training = prepare(r, frame[0]->fields);
    dusk_model *model[2];
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++)
        assert_int_equal(dusk_training_run(training, &model[side], frame[side], p.gen[side], NULL), DUSK_OK);
    dusk_training_free(training);
    replay_same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) {
        dusk_model_free(model[side]);
        dusk_frame_free(frame[side]);
    }
    replay_close(&p, (replay_declared){ .epsilon = r->epsilon, .delta = r->delta, .coins_vary = coins_vary });
}

/* Choices take as many coins as the scores want, and are priced more slowly. */
static void run_all(const char *learner, const char *label, const char *setting, bool coins_vary)
{
    for (int k = 0; k < 16; k++) {
        if (coins_vary && (k & 4) && k != 5 && k != 6) continue;
        request r = { learner,
                      label,
                      setting,
                      .epsilon = k & 8 ? 50 : 0.8,
                      .delta = k & 4 ? 1e-6 : 0,
                      .neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE };
        run_pair(&r, (uint64_t)(100 + k), coins_vary);
    }
}

static void boosting(void **state)
{
    (void)state;
    run_all("boosting", "good", "rounds=3", false);
    run_all("boosting_numbers", "y", "clip=0.25", false);
}

static void trees(void **state)
{
    (void)state;
    run_all("tree", "good", "score=gini", true);
    run_all("tree", "d", "score=accuracy", true);
}

static void forests(void **state)
{
    (void)state;
    run_all("forest", "good", "trees=5", false);
    run_all("forest", "d", "trees=3", false);
}

/* One row against all others, which the model is sure about: the largest residual there is. */
static void one_row_against_all(void **state)
{
    (void)state;
    const char *learners[] = { "forest", "boosting" }, *settings[] = { "rate=1", "rounds=20" };
    for (int k = 0; k < 2; k++) {
        request r = { learners[k], "good", settings[k], 50, 1e-6, DUSK_ADD_REMOVE };
        dusk_frame *frame[2] = { fill(texts[0], 1000, 1, 1), fill(texts[0], 1001, 1, 1) };
        dusk_training *training = prepare(&r, frame[0]->fields);
        dusk_model *model[2];
        replay p = replay_open(7);
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < frame[side]->rows; i++) frame[side]->column[4].code[i] = i < 1000;
            assert_int_equal(dusk_training_run(training, &model[side], frame[side], p.gen[side], NULL),
                             DUSK_OK);
        }
        replay_same_models(model[0], model[1]);
        for (int side = 0; side < 2; side++) {
            dusk_model_free(model[side]);
            dusk_frame_free(frame[side]);
        }
        dusk_training_free(training);
        replay_close(&p, (replay_declared){ .epsilon = r.epsilon, .delta = r.delta });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boosting),
        cmocka_unit_test(trees),
        cmocka_unit_test(forests),
        cmocka_unit_test(one_row_against_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
