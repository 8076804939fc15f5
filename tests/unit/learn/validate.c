/* SPDX-License-Identifier: Apache-2.0 */
/* Validation by stability: weights and scores move no further than is said, the better candidate is chosen where scores are stable enough, one choice and one training are
 * what it costs, and what is refused. */
#include "dusk/learn_select.h"

#include <math.h>

#include "learn/learner.h"
#include "learners.h"
#include "ledgers.h"

static dusk_train_options promise(const char *label, double epsilon, double delta)
{
    static const char *const form = "form=output";
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = 3000;
    o.settings = &form;
    o.settings_count = 1;
    return o;
}

static dusk_validation_options of(const char *const *candidates, size_t n)
{
    dusk_validation_options o;
    dusk_validation_options_init(&o);
    o.candidates = candidates;
    o.candidates_count = n;
    return o;
}

static dusk_int128 magnitude(dusk_int128 x) { return x < 0 ? -x : x; }

/* Weights of tables that differ by a row, rehearsed with the same coins, are within `moved`; the same table gives the same ones. */
static void weights_are_stable(void **state)
{
    (void)state;
    const char *learners[] = { "amp_logistic", "amp_svm", "amp_huber" };
    for (int k = 0; k < 12; k++) {
        const char *settings[] = { "form=output", k & 1 ? "regularisation=0.5" : "regularisation=30" };
        dusk_generator *gen = seeded((uint64_t)k);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 40, gen);
        dusk_train_options train = promise(k % 3 == 2 ? "y" : "good", 1, k & 2 ? 0 : 1e-6);
        dusk_training *training;
        learn_stability s;
        dusk_int128 weights[2][16];
        train.settings = settings;
        train.settings_count = 2;
        OK(dusk_training_prepare(&training, learners[k % 3], frame->fields, &train, &err));
        learn_job *job = learn_training_job(training);
        OK(job->learner->stability(job, &s, &err));
        assert_true(s.cells <= 16 && s.moved >= 1 && s.moved == floor(s.moved));
        for (int side = 0; side < 2; side++) {
            dusk_generator *coins = seeded(99);
            frame->rows = side ? 39 : 40;
            frame->column[LEARNERS_X].number[39] = 1;
            frame->column[LEARNERS_GOOD].code[39] = 0;
            frame->column[LEARNERS_Y].number[39] = -5;
            OK(job->learner->rehearse(job, weights[side], frame, coins, &err));
            dusk_generator_free(coins);
        }
        double square = 0;
        for (size_t c = 0; c < s.cells; c++)
            square += pow((double)magnitude(weights[0][c] - weights[1][c]), 2);
        assert_true(sqrt(square) <= s.moved && sqrt(square) > 0.001 * s.moved);
        frame->rows = 40;
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* With many rows, a candidate that learns wins over one that is held to nothing. */
static void the_better_one_wins(void **state)
{
    (void)state;
    const char *candidates[] = { "regularisation=1e9", "regularisation=200", "regularisation=1e8" };
    for (int k = 0; k < 2; k++) {
        int better = 0;
        dusk_generator *gen = seeded(1);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3000, gen);
        dusk_train_options train = promise(k ? "y" : "good", 20, k ? 0 : 1e-6);
        dusk_validation_options options = of(candidates, 3);
        dusk_validation *v;
        OK(dusk_validation_prepare(&v, k ? "amp_huber" : "amp_logistic", frame->fields, &train, &options,
                                   &err));
        for (int t = 0; t < 10; t++) {
            dusk_model *model;
            size_t candidate;
            OK(dusk_validation_run(v, &model, &candidate, frame, gen, &err));
            assert_memory_equal(dusk_model_statement(model), dusk_validation_statement(v),
                                sizeof(dusk_statement));
            better += candidate == 1;
            dusk_model_free(model);
        }
        assert_true(better >= 9);
        dusk_validation_free(v);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* One choice and one training, however many candidates there are. */
static void the_whole_is_priced(void **state)
{
    (void)state;
    const char *candidates[64];
    for (int i = 0; i < 64; i++) candidates[i] = i % 2 ? "regularisation=100" : "";
    dusk_generator *gen = seeded(2);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
    double last = 0;
    for (int k = 0; k < 6; k++) {
        dusk_train_options train = promise("good", k & 1 ? 0.3 : 3, k & 2 ? 0 : 1e-6);
        dusk_validation_options options = of(candidates, k >= 4 ? 64 : 2);
        dusk_validation *v;
        dusk_model *model;
        size_t candidate;
        char *text;
        double choice = 0, training = 0;
        OK(dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &options, &err));
        const dusk_statement *s = dusk_validation_statement(v);
        assert_true(s->epsilon <= train.epsilon && s->epsilon > 0.95 * train.epsilon);
        OK(dusk_validation_explain(v, &text, &err));
        assert_int_equal(sscanf(strstr(text, "0 to 1, epsilon"), "0 to 1, epsilon %lf", &choice), 1);
        assert_int_equal(sscanf(strstr(text, "for epsilon"), "for epsilon %lf", &training), 1);
        assert_true(fabs(choice - 0.3 * train.epsilon) < 1e-3 && training >= 0.699 * train.epsilon);
        if (train.delta == 0) assert_true(training + choice <= train.epsilon * 1.0001);
        if (k == 0) last = training;
        if (k == 4) assert_true(fabs(training - last) < 1e-3 * last);
        dusk_ledger_free_text(text);
        OK(dusk_validation_run(v, &model, &candidate, frame, gen, &err));
        assert_true(candidate < options.candidates_count);
        dusk_model_free(model);
        dusk_validation_free(v);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    const char *good[] = { "regularisation=10" }, *bad[] = { "regularisation" }, *twice[] = { "form=output" };
    const char *objective[] = { "form=objective" }, *standard[] = { "scaling=standard" };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    dusk_frame *other = learners_frame("x numeric -1:1\ny numeric -5:5\n", 3, gen);
    dusk_train_options train = promise("good", 1, 1e-6), bare = train, hidden = train;
    dusk_validation_options fine = of(good, 1), o[] = { of(good, 0), of(bad, 1),  of(twice, 1),
                                                        of(good, 1), of(good, 1), of(good, 1) };
    dusk_validation *v;
    dusk_model *model;
    size_t candidate;
    o[3].held_out = 1;
    o[4].choice_share = 0;
    o[5].size = 0;
    for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
        FAILS(DUSK_ERR_ARGUMENT, dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &o[k], &err));
        assert_null(v);
    }
    hidden.rows = 0;
    FAILS(DUSK_ERR_ARGUMENT, dusk_validation_prepare(&v, "amp_svm", frame->fields, &hidden, &fine, &err));
    bare.settings_count = 0;
    dusk_validation_options perturbed = of(objective, 1), scaled = of(standard, 1);
    FAILS(DUSK_ERR_UNSUPPORTED,
          dusk_validation_prepare(&v, "amp_svm", frame->fields, &bare, &perturbed, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &scaled, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_validation_prepare(&v, "logistic", frame->fields, &train, &fine, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_validation_prepare(&v, "nothing", frame->fields, &train, &fine, &err));
    OK(dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &fine, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_validation_run(v, &model, &candidate, other, gen, &err));
    assert_null(model);
    OK(dusk_validation_run(v, &model, &candidate, frame, gen, &err)); /* no rows at all */
    dusk_model_free(model);
    dusk_validation_free(v);
    dusk_frame_free(other);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The charge is there before the first row is seen, also when the run fails. */
static void validations_are_charged(void **state)
{
    (void)state;
    const char *candidates[] = { "regularisation=10", "regularisation=100" };
    folder f = folder_make();
    dusk_generator *gen = seeded(6), *none = zeros(0);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
    dusk_train_options train = promise("good", 1, 0);
    dusk_validation_options options = of(candidates, 2);
    dusk_validation *v;
    dusk_model *model;
    size_t candidate;
    ledger_make(f.file, DUSK_FILTER_BASIC, 2.5, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_validation_prepare(&v, "amp_svm", frame->fields, &train, &options, &err));
    OK(dusk_validation_run_charged(v, &model, &candidate, frame, ledger, "ann", 1, gen, &err));
    dusk_model_free(model);
    assert_true(spending_of(ledger, "ann").spent.epsilon > 0.97);
    FAILS(DUSK_ERR_ENTROPY,
          dusk_validation_run_charged(v, &model, &candidate, frame, ledger, "ann", 1, none, &err));
    assert_null(model);
    assert_true(spending_of(ledger, "ann").spent.epsilon > 1.9);
    FAILS(DUSK_ERR_BUDGET,
          dusk_validation_run_charged(v, &model, &candidate, frame, ledger, "ann", 1, gen, &err));
    dusk_validation_free(v);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_stable),      cmocka_unit_test(the_better_one_wins),
        cmocka_unit_test(the_whole_is_priced),     cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(validations_are_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
