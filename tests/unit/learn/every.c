/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for every learner that is listed: it is described; it trains on any rows, none at all, one, rows without
 * labels, of one class only, with nothing but missing values; what it says of rows is finite and in range; its
 * statement costs no more than was asked for; its settings are refused out of range; and a model that was written reads back
 * and says the same. */
#include "learners.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "comma.h"
#include "dusk/ledger.h"

#define DELTA 1e-5

static const dusk_learner *each(size_t i) { return dusk_learner_at(i); }

static void are_described(void **state)
{
    (void)state;
    for (size_t i = 0; each(i); i++) {
        const dusk_learner *l = each(i);
        assert_ptr_equal(dusk_learner_named(l->name), l);
        assert_true(l->summary[0] && l->source[0] && l->task >= DUSK_TASK_BINARY &&
                    l->task <= DUSK_TASK_LABELS);
        for (const dusk_setting *s = l->settings; s->name; s++) {
            assert_true(s->help[0] && s->fallback[0]);
            if (!s->choices) assert_true(s->low <= s->high);
        }
    }
    assert_null(dusk_learner_named("no such learner"));
}

/* --- trainings ------------------------------------------------------------------------------------------- */

static dusk_model *train(const dusk_learner *l, const dusk_frame *frame, double delta, dusk_generator *gen)
{
    dusk_train_options o = learners_options(l, 1, delta);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    dusk_status status = dusk_training_prepare(&training, l->name, frame->fields, &o, &err);
    if (delta == 0 && status == DUSK_ERR_ARGUMENT) { /* no version without delta: it must say so */
        assert_non_null(strstr(err.message, "delta"));
        return NULL;
    }
    if (status != DUSK_OK) fail_msg("%s: %s", l->name, err.message);
    const dusk_statement *s = dusk_training_statement(training);
    assert_true(s->epsilon > 0 && s->epsilon <= 1 && s->delta <= delta);
    assert_int_equal(s->numerics, l->numerics);
    status = dusk_training_run(training, &model, frame, gen, &err);
    if (status != DUSK_OK) fail_msg("%s: %s", l->name, err.message);
    dusk_training_free(training);
    return model;
}

static void check_prediction(const dusk_learner *l, const dusk_model *model, const dusk_frame *frame)
{
    dusk_prediction p;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(p.rows, frame->rows);
    for (size_t r = 0; r < p.rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < p.columns; c++) {
            double value = p.value[r * p.columns + c];
            if (!isfinite(value)) fail_msg("%s predicts a number that is not finite", l->name);
            sum += value;
            if (l->task <= DUSK_TASK_CLASS || l->task == DUSK_TASK_GROUPS)
                assert_true(value >= 0 && value <= 1);
        }
        if (l->task <= DUSK_TASK_CLASS || l->task == DUSK_TASK_GROUPS) assert_true(fabs(sum - 1) < 1e-9);
    }
    dusk_prediction_clear(&p);
}

static void check_arrays(const dusk_learner *l, const dusk_model *model)
{
    for (size_t i = 0; dusk_model_array_at(model, i); i++) {
        size_t rows, columns;
        const double *value = dusk_model_array(model, dusk_model_array_at(model, i), &rows, &columns);
        for (size_t k = 0; k < rows * columns; k++)
            if (!isfinite(value[k])) fail_msg("%s: %s is not finite", l->name, dusk_model_array_at(model, i));
    }
}

static void check_file(const dusk_model *model, const dusk_frame *frame)
{
    char *text, *again;
    size_t length, size;
    dusk_model *copy;
    dusk_prediction p, q;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_model_format(model, &text, &length, NULL), DUSK_OK);
    if (dusk_model_parse(&copy, text, length, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_int_equal(dusk_model_format(copy, &again, &size, NULL), DUSK_OK);
    assert_int_equal(length, size);
    assert_memory_equal(text, again, size);
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(dusk_predict(&q, copy, frame, NULL), DUSK_OK);
    assert_memory_equal(p.value, q.value, p.rows * p.columns * sizeof *p.value);
    dusk_prediction_clear(&p);
    dusk_prediction_clear(&q);
    dusk_ledger_free_text(text);
    dusk_ledger_free_text(again);
    dusk_model_free(copy);
}

static void train_and_check(const dusk_learner *l, const dusk_frame *frame, const dusk_frame *seen,
                            double delta, dusk_generator *gen)
{
    dusk_model *model = train(l, frame, delta, gen);
    if (!model) return;
    check_arrays(l, model);
    check_prediction(l, model, seen);
    check_file(model, seen);
    dusk_model_free(model);
}

static void spoil(dusk_frame *frame)
{
    for (size_t c = 0; c < frame->fields->count; c++)
        for (size_t r = 0; r < frame->rows; r++) {
            static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 0 };
            if (frame->column[c].number) frame->column[c].number[r] = odd[r % 7];
            if (frame->column[c].code) frame->column[c].code[r] = r % 2 ? -1 : INT32_MAX;
        }
}

static void one_class_only(dusk_frame *frame)
{
    for (size_t c = 0; c < frame->fields->count; c++)
        for (size_t r = 0; frame->column[c].code && r < frame->rows; r++) frame->column[c].code[r] = 1;
}

static void train_on_any_rows(void **state)
{
    static const size_t sizes[] = { 0, 1, 40 };
    (void)state;
    for (size_t i = 0; each(i); i++) {
        const dusk_learner *l = each(i);
        dusk_generator *gen = seeded(i + 1);
        dusk_frame *seen = learners_frame(learners_fields(l), 5, gen), *frame;
        for (size_t k = 0; k < 3; k++)
            for (int pure = 0; pure < 2; pure++) {
                frame = learners_frame(learners_fields(l), sizes[k], gen);
                train_and_check(l, frame, seen, pure ? 0 : DELTA, gen);
                dusk_frame_free(frame);
            }
        frame = learners_frame(learners_fields(l), 40, gen);
        one_class_only(frame);
        train_and_check(l, frame, seen, DELTA, gen);
        spoil(frame);
        train_and_check(l, frame, frame, DELTA, gen);
        dusk_frame_free(frame);
        dusk_frame_free(seen);
        dusk_generator_free(gen);
    }
}

/* --- settings ---------------------------------------------------------------------------------------------- */

static dusk_status try_setting(const dusk_learner *l, const dusk_frame *frame, const char *name,
                               const char *value)
{
    char text[128];
    const char *settings[2] = { text, "rate=1" };
    dusk_train_options o = learners_options(l, 1, DELTA);
    dusk_training *training;
    snprintf(text, sizeof text, "%s=%s", name, value);
    o.settings = settings;
    /* samples of rows for hundreds of questions take seconds to price */
    o.settings_count = !strcmp(l->name, "private_knn") && strcmp(name, "rate") != 0 ? 2 : 1;
    dusk_status status = dusk_training_prepare(&training, l->name, frame->fields, &o, NULL);
    dusk_training_free(training);
    return status;
}

static void settings_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; each(i); i++) {
        const dusk_learner *l = each(i);
        dusk_generator *gen = seeded(7);
        dusk_frame *frame = learners_frame(learners_fields(l), 0, gen);
        for (const dusk_setting *s = l->settings; s->name; s++) {
            char beyond[64];
            assert_int_equal(try_setting(l, frame, s->name, s->fallback), DUSK_OK);
            assert_int_equal(try_setting(l, frame, s->name, "nonsense"), DUSK_ERR_ARGUMENT);
            assert_int_equal(try_setting(l, frame, s->name, "nan"), DUSK_ERR_ARGUMENT);
            if (s->choices) continue;
            snprintf(beyond, sizeof beyond, "%.17g", s->high > 0 ? s->high * 1.5 + 1 : s->high + 1);
            assert_int_equal(try_setting(l, frame, s->name, beyond), DUSK_ERR_ARGUMENT);
            snprintf(beyond, sizeof beyond, "%.17g", s->low - 1);
            assert_int_equal(try_setting(l, frame, s->name, beyond), DUSK_ERR_ARGUMENT);
        }
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* Programs that embed the library have locales: what is planned, written and read there is the same. */
static void a_comma_is_no_matter(void **state)
{
    (void)state;
    if (!comma_chosen()) skip(); /* not installed here */
    for (size_t i = 0; each(i); i++) {
        dusk_generator *gen = seeded(i + 1);
        dusk_frame *frame = learners_frame(learners_fields(each(i)), 40, gen);
        train_and_check(each(i), frame, frame, DELTA, gen);
        assert_int_equal(try_setting(each(i), frame, each(i)->settings[0].name, "0,5"), DUSK_ERR_ARGUMENT);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    point_again();
}

/* --- bytes --------------------------------------------------------------------------------------------------- */

/* Whole numbers in all columns of numbers: as doubles, or as bytes. */
static dusk_frame *whole_numbers(const char *fields, bool bytes)
{
    dusk_generator *gen = seeded(77);
    dusk_frame *frame = learners_frame(fields, 90, gen);
    for (size_t c = 0; c < frame->fields->count; c++) {
        dusk_frame_column *column = &frame->column[c];
        if (!column->number) continue;
        for (size_t r = 0; r < frame->rows; r++) column->number[r] = floor(fabs(column->number[r]) * 1.6);
        if (!bytes) continue;
        column->byte = dusk_allocate(frame->rows, 1);
        for (size_t r = 0; r < frame->rows; r++) column->byte[r] = (uint8_t)column->number[r];
        dusk_deallocate(column->number);
        column->number = NULL;
    }
    dusk_generator_free(gen);
    return frame;
}

static void score(char *out, size_t size, const dusk_model *model, const dusk_frame *frame)
{
    dusk_model_scores s = { .rows = 0 };
    const dusk_status status = dusk_model_score(&s, model, frame, NULL);
    snprintf(out, size, "%d %zu %.17g %.17g %.17g %.17g", status, s.rows, s.accuracy, s.rmse, s.r2,
             s.explained);
}

/* However numbers are kept: the same model, the same predictions, the same scores. */
static void bytes_are_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; each(i); i++) {
        char *text[2], scores[2][200];
        size_t length[2];
        dusk_prediction p[2];
        for (int k = 0; k < 2; k++) {
            dusk_generator *gen = seeded(78);
            dusk_frame *frame = whole_numbers(learners_fields(each(i)), k == 1), *parts[2];
            dusk_model *model = train(each(i), frame, DELTA, gen);
            assert_int_equal(dusk_model_format(model, &text[k], &length[k], NULL), DUSK_OK);
            assert_int_equal(dusk_frame_split(frame, &parts[0], &parts[1], 0.3, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_predict(&p[k], model, parts[0], NULL), DUSK_OK);
            score(scores[k], sizeof *scores, model, frame);
            for (int part = 0; part < 2; part++) dusk_frame_free(parts[part]);
            dusk_model_free(model);
            dusk_frame_free(frame);
            dusk_generator_free(gen);
        }
        if (length[0] != length[1] || memcmp(text[0], text[1], length[0]) != 0)
            fail_msg("%s learns something else of bytes", each(i)->name);
        assert_int_equal(p[0].rows, p[1].rows);
        assert_memory_equal(p[0].value, p[1].value, p[0].rows * p[0].columns * sizeof *p[0].value);
        assert_string_equal(scores[0], scores[1]);
        for (int k = 0; k < 2; k++) {
            dusk_prediction_clear(&p[k]);
            dusk_ledger_free_text(text[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comma_is_no_matter), cmocka_unit_test(are_described),
        cmocka_unit_test(bytes_are_numbers),    cmocka_unit_test(train_on_any_rows),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
