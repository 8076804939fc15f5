/* SPDX-License-Identifier: Apache-2.0 */
/* Model files with the right hash whose content makes no sense, of every learner that is listed: an array that is missing or has
 * another shape, numbers that no learner would write, settings and fields that do not fit the arrays. Each is refused, or is a
 * model that predicts and is scored without harm (run it with sanitizers, too). */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "dusk/ledger.h"
#include "learners.h"

enum { ROWS = 7, PLACES = 2 };

typedef struct victim {
    const dusk_learner *learner;
    dusk_frame *frame;
    json_t *body;
    size_t read, refused;
} victim;

static void use(const dusk_model *model, const dusk_frame *frame)
{
    dusk_prediction prediction;
    dusk_model_scores scores;
    /* fields may have been changed: then rows do not fit, which is refused */
    if (dusk_predict(&prediction, model, frame, NULL) != DUSK_OK) return;
    assert_int_equal(prediction.rows, frame->rows);
    dusk_prediction_clear(&prediction);
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
}

/* The body as it is now, with the hash of it. */
static void attempt(victim *v)
{
    static const char first[] = "dusk-model 1\n";
    unsigned char hash[32];
    char hex[65], *body = json_dumps(v->body, JSON_COMPACT | JSON_REAL_PRECISION(17));
    size_t room = strlen(body) + 100;
    char *text = malloc(room);
    crypto_generichash_state s;
    dusk_model *model;
    crypto_generichash_init(&s, NULL, 0, 32);
    crypto_generichash_update(&s, (const unsigned char *)first, strlen(first));
    crypto_generichash_update(&s, (const unsigned char *)body, strlen(body));
    crypto_generichash_final(&s, hash, 32);
    sodium_bin2hex(hex, sizeof hex, hash, 32);
    snprintf(text, room, "dusk-model 1 %s\n%s", hex, body);
    dusk_status status = dusk_model_parse(&model, text, strlen(text), NULL);
    if (status == DUSK_OK)
        use(model, v->frame);
    else
        assert_int_equal(status, DUSK_ERR_CORRUPT);
    *(status == DUSK_OK ? &v->read : &v->refused) += 1;
    dusk_model_free(model);
    free(text);
    free(body);
}

/* --- arrays ------------------------------------------------------------------------------------------------ */

static void try_shapes(victim *v, json_t *array)
{
    json_t *values = json_incref(json_object_get(array, "values"));
    double rows = json_number_value(json_object_get(array, "rows"));
    double columns = json_number_value(json_object_get(array, "columns"));
    size_t n = json_array_size(values);
    const double shapes[][2] = { { columns, rows }, { (double)n, 1 }, { 1, (double)n }, { 0, columns } };
    for (size_t i = 0; i < 4; i++) {
        json_object_set_new(array, "rows", json_real(shapes[i][0]));
        json_object_set_new(array, "columns", json_real(shapes[i][1]));
        json_t *none = json_array();
        if (i == 3) json_object_set(array, "values", none);
        attempt(v);
        json_decref(none);
    }
    json_object_set_new(array, "values", values);
    json_object_set_new(array, "rows", json_real(rows));
    json_object_set_new(array, "columns", json_real(columns));
}

/* One row or column less, with as many numbers. */
static void try_shorter(victim *v, json_t *array)
{
    json_t *values = json_incref(json_object_get(array, "values"));
    double rows = json_number_value(json_object_get(array, "rows"));
    double columns = json_number_value(json_object_get(array, "columns"));
    for (int way = 0; way < 4; way++) {
        double r = rows + (way == 0   ? -1
                           : way == 1 ? 1
                                      : 0),
               c = columns + (way == 2   ? -1
                              : way == 3 ? 1
                                         : 0);
        if (r < 0 || c < 0) continue;
        json_t *list = json_array();
        for (size_t i = 0; i < (size_t)(r * c); i++) {
            json_t *old = json_array_get(values, i);
            json_array_append(list, old ? old : json_array_get(values, 0));
        }
        json_object_set_new(array, "rows", json_real(r));
        json_object_set_new(array, "columns", json_real(c));
        json_object_set_new(array, "values", list);
        if (json_array_size(list) == (size_t)(r * c)) attempt(v);
    }
    json_object_set_new(array, "values", values);
    json_object_set_new(array, "rows", json_real(rows));
    json_object_set_new(array, "columns", json_real(columns));
}

static void try_numbers(victim *v, json_t *array)
{
    const double odd[] = { -1, 0.5, 1e9, -1e308 };
    json_t *values = json_object_get(array, "values");
    size_t n = json_array_size(values);
    for (size_t p = 0; p < PLACES && p < n; p++) {
        size_t at = p == 0 ? 0 : n - 1;
        json_t *was = json_incref(json_array_get(values, at));
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            json_array_set_new(values, at, json_real(odd[i]));
            attempt(v);
        }
        json_array_set_new(values, at, json_null());
        attempt(v);
        json_array_set_new(values, at, json_string("-inf"));
        attempt(v);
        json_array_set_new(values, at, was);
    }
}

static void try_arrays(victim *v)
{
    json_t *arrays = json_object_get(v->body, "arrays"), *copy = json_copy(arrays), *array;
    const char *name;
    json_object_foreach(copy, name, array)
    {
        json_object_del(arrays, name);
        attempt(v);
        json_object_set(arrays, name, array);
        try_shapes(v, array);
        try_shorter(v, array);
        try_numbers(v, array);
    }
    json_decref(copy);
}

/* --- the rest -------------------------------------------------------------------------------------------------- */

/* What a setting may be, although the arrays are of another. */
static void try_settings(victim *v)
{
    json_t *settings = json_object_get(v->body, "settings");
    for (const dusk_setting *s = v->learner->settings; s->name; s++) {
        json_t *was = json_incref(json_object_get(settings, s->name));
        char text[64];
        for (int i = 0; i < 2; i++) {
            static const char *const texts[2] = { "", "output; dense 268435455; output" };
            if (s->choices && !*s->choices) {
                json_object_set_new(settings, s->name, json_string(texts[i]));
                attempt(v);
                continue;
            }
            const char *word = s->choices && i ? strrchr(s->choices, '|') + 1 : s->choices;
            if (s->choices)
                snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "|"), word);
            else
                snprintf(text, sizeof text, "%.17g", i ? s->high : s->low);
            json_object_set_new(settings, s->name, json_string(text));
            attempt(v);
        }
        json_object_set_new(settings, s->name, was);
    }
}

static void try_fields(victim *v)
{
    static const char *const others[] = {
        "x numeric -1:1\ny numeric -5:5\ngood category no,yes\ncolour category red,green,blue\n",
        "x numeric -1:1\nz numeric 0:10\nsame numeric 0:1\ncolour category red,green,blue,black\n"
        "good category no,yes\ny numeric -5:5\n",
        "x numeric -1:1\nz numeric 0:10\nsame numeric 0:1\ncolour category red,green\ngood category no,yes\n"
        "y numeric -5:5\n",
        "x category a,b\nz numeric 0:10\nsame numeric 0:1\ncolour category red,green,blue\n"
        "good category no,yes\ny numeric -5:5\n",
        "more numeric 0:1\n" LEARNERS_FIELDS,
    };
    json_t *was = json_incref(json_object_get(v->body, "fields"));
    json_t *features = json_incref(json_object_get(v->body, "features"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_object_set_new(v->body, "fields", json_string(others[i]));
        attempt(v);
        json_object_set_new(v->body, "features", json_null());
        attempt(v);
        json_object_set(v->body, "features", features);
    }
    json_object_set_new(v->body, "fields", was);
    json_object_set_new(v->body, "features", json_null());
    attempt(v);
    json_object_set_new(v->body, "features", features);
}

static dusk_model *train(const dusk_learner *learner, const dusk_frame *frame, dusk_generator *gen)
{
    dusk_train_options options = learners_options(learner, 5, 1e-5);
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    const char *const few[] = { "trees=4" };
    options.rows = frame->rows;
    for (const dusk_setting *s = learner->settings; s->name; s++)
        if (!strcmp(s->name, "trees")) {
            options.settings = few;
            options.settings_count = 1;
        }
    if (dusk_training_prepare(&training, learner->name, frame->fields, &options, &err) != DUSK_OK ||
        dusk_training_run(training, &model, frame, gen, &err) != DUSK_OK)
        fail_msg("%s: %s", learner->name, err.message);
    dusk_training_free(training);
    return model;
}

static void every_learner(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        dusk_generator *gen = seeded(i);
        victim v = { .learner = dusk_learner_at(i) };
        v.frame = learners_frame(learners_fields(v.learner), ROWS, gen);
        dusk_model *model = train(v.learner, v.frame, gen);
        char *text;
        size_t length;
        assert_int_equal(dusk_model_format(model, &text, &length, NULL), DUSK_OK);
        v.body = json_loads(strchr(text, '\n') + 1, JSON_DECODE_INT_AS_REAL, NULL);
        assert_non_null(v.body);
        attempt(&v);
        assert_int_equal(v.read, 1);
        try_arrays(&v);
        try_settings(&v);
        try_fields(&v);
        assert_true(v.refused > 0);
        json_decref(v.body);
        dusk_ledger_free_text(text);
        dusk_model_free(model);
        dusk_frame_free(v.frame);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_learner) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
