/* SPDX-License-Identifier: Apache-2.0 */
/* Versions with less and less noise: each is as good as a training at its epsilon, all together cost what the last one does, the first that is good
 * enough ends it, and a ledger is charged before anything is drawn. */
#include "dusk/learn_select.h"

#include <math.h>

#include "learn/budget.h"
#include "learners.h"
#include "ledgers.h"

static dusk_train_options promise(const char *label, double epsilon, double delta)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    return o;
}

static dusk_ladder_options until(double target, const dusk_frame *rows)
{
    dusk_ladder_options o;
    dusk_ladder_options_init(&o);
    o.target = target;
    o.rows = rows;
    return o;
}

/* Three versions of two sums, many times over: the last has the deviation that it says, which is that of one release. */
static void noise_is_averaged_away(void **state)
{
    (void)state;
    enum { TIMES = 2000 };
    dusk_generator *gen = seeded(1);
    learn_versions versions = { .before = 0 };
    learn_noise noise[3], plain;
    dusk_event all = { .opaque = { 0 } };
    const double mu[] = { 0.2, 0.3, 0.4 };
    const dusk_int128 totals[2] = { 5000, -70000 };
    for (int i = 0; i < 3; i++) {
        learn_budget b;
        dusk_statement s;
        OK(learn_budget_init(&b, DUSK_ADD_REMOVE, 3, 1e-6, 1, &err));
        versions.now = mu[i];
        learn_budget_version(&b, &versions);
        OK(learn_budget_noise(&b, &noise[i], 2, 100, -4, 1, 1, &err));
        OK(learn_budget_state(&b, &s, "row", &err));
        if (i)
            OK(dusk_event_add(&all, &all, &b.event, &err));
        else
            all = b.event;
        versions.before = versions.now;
    }
    dusk_statement together, alone;
    dusk_event event;
    OK(dusk_statement_init(&together, &all, 1e-6, DUSK_ADD_REMOVE, "row", &err));
    OK(dusk_event_gdp(&event, 0.4, &err));
    OK(dusk_statement_init(&alone, &event, 1e-6, DUSK_ADD_REMOVE, "row", &err));
    assert_true(fabs(together.epsilon / alone.epsilon - 1) < 1e-6);
    learn_budget b;
    OK(learn_budget_init(&b, DUSK_ADD_REMOVE, alone.epsilon, 1e-6, 1, &err));
    OK(learn_budget_noise(&b, &plain, 2, 100, -4, 1, 1, &err));
    assert_true(fabs(plain.deviation / noise[2].deviation - 1) < 1e-3);
    assert_true(fabs(noise[1].deviation / noise[2].deviation - 4 / 3.0) < 1e-3 &&
                noise[0].deviation > noise[1].deviation);
    double square = 0;
    for (int t = 0; t < TIMES; t++) {
        double out[2];
        learn_versions_clear(&versions);
        for (int i = 0; i < 3; i++) OK(learn_noise_release(&noise[i], out, totals, gen, &err));
        for (int i = 0; i < 2; i++) square += pow(out[i] - (double)totals[i] / 16, 2);
    }
    square /= 2 * TIMES * noise[2].deviation * noise[2].deviation;
    assert_true(fabs(square - 1) < 5 * sqrt(1.0 / TIMES)); /* 2 TIMES squares, of variance 2 each */
    learn_versions_clear(&versions);
    dusk_generator_free(gen);
}

/* What is no noise for one release of sums is refused. */
static void only_sums_have_versions(void **state)
{
    (void)state;
    learn_versions versions = { .now = 0.3 };
    learn_budget b;
    learn_noise noise;
    dusk_event event;
    double each;
    OK(learn_budget_init(&b, DUSK_ADD_REMOVE, 3, 1e-6, 1, &err));
    learn_budget_version(&b, &versions);
    OK(dusk_event_pure(&event, 0.1, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_noise(&b, &noise, 2, 1, 0, 0.5, 2, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_counts(&b, &noise, 1, 0.5, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_pure(&b, &each, false, 0.5, 1, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_choices(&b, &each, 1, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_event(&b, &event, 0.5, 1, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, learn_budget_rest(&b, &each, 1e-7, &err));
    assert_true(!b.any && b.left == 1);
}

/* Every learner has versions or says that it has none; those that have are as good at the end as a training is. */
static void every_learner(void **state)
{
    (void)state;
    int with = 0;
    dusk_generator *gen = seeded(2);
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *learner = dusk_learner_at(i);
        dusk_frame *frame = learners_frame(learners_fields(learner), 400, gen);
        dusk_train_options train = learners_options(learner, 50, 1e-6);
        dusk_ladder_options options = until(learner->task == DUSK_TASK_NUMBER    ? 1e-9
                                            : learner->task == DUSK_TASK_DENSITY ? 1e9
                                                                                 : 1 - 1e-12,
                                            frame);
        const char *setting = strcmp(learner->name, "density") ? "scaling=bounds" : "structure=independent";
        dusk_ladder *ladder;
        dusk_ladder_result result;
        if (!strcmp(learner->name, "functional") || !strcmp(learner->name, "density")) {
            train.settings = &setting;
            train.settings_count = 1;
        }
        dusk_status status =
            dusk_ladder_prepare(&ladder, learner->name, frame->fields, &train, &options, NULL);
        if (status == DUSK_OK) {
            dusk_training *training;
            dusk_model *model;
            dusk_model_scores a, b;
            with++;
            OK(dusk_ladder_run(ladder, &result, frame, gen, &err));
            assert_true(result.version == 6 || result.met);
            OK(dusk_training_prepare(&training, learner->name, frame->fields, &train, &err));
            OK(dusk_training_run(training, &model, frame, gen, &err));
            OK(dusk_model_score(&a, result.model, frame, &err));
            OK(dusk_model_score(&b, model, frame, &err));
            if (learner->task <= DUSK_TASK_CLASS) assert_true(fabs(a.accuracy - b.accuracy) < 0.1);
            if (learner->task == DUSK_TASK_NUMBER) assert_true(fabs(a.rmse - b.rmse) < 0.2);
            if (learner->task == DUSK_TASK_DENSITY)
                assert_true(fabs(a.log_likelihood - b.log_likelihood) < 0.3);
            dusk_model_free(model);
            dusk_model_free(result.model);
            dusk_training_free(training);
        } else {
            assert_int_equal(status, DUSK_ERR_UNSUPPORTED);
            assert_null(ladder);
        }
        dusk_ladder_free(ladder);
        dusk_frame_free(frame);
    }
    assert_int_equal(with, 7);
    dusk_generator_free(gen);
}

/* The whole is what was asked for, nearly; the first version that is good enough costs less; what is stated is the whole. */
static void the_first_that_is_good_enough(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        dusk_generator *gen = seeded(3);
        const bool number = k & 1, private = k & 2;
        const char *text = k >= 3 ? LEARNERS_FIELDS "rows_per_unit 2\n" : LEARNERS_FIELDS;
        dusk_frame *frame = learners_frame(text, 3000, gen);
        const char *setting = "scaling=bounds";
        dusk_train_options train = promise(number ? "y" : "good", 20, 1e-6);
        dusk_ladder_options options = until(number ? 1.5 : 0.7, private ? NULL : frame);
        dusk_ladder *ladder;
        dusk_ladder_result result;
        dusk_model_scores scores;
        char *words;
        if (k >= 3) train.neighbours = DUSK_REPLACE_ONE;
        train.settings = &setting;
        train.settings_count = 1;
        options.versions = private ? 3 : 8;
        options.first = 0.2;
        OK(dusk_ladder_prepare(&ladder, number ? "linear" : "functional", frame->fields, &train, &options,
                               &err));
        const dusk_statement *s = dusk_ladder_statement(ladder);
        assert_true(s->epsilon <= 20 && s->epsilon > (private ? 0.8 : 0.97) * 20);
        OK(dusk_ladder_explain(ladder, &words, &err));
        assert_non_null(strstr(words, private ? "version 3: epsilon" : "version 8: epsilon"));
        assert_true(private == (strstr(words, "held out") != NULL));
        dusk_ledger_free_text(words);
        OK(dusk_ladder_run(ladder, &result, frame, gen, &err));
        assert_true(result.met && result.version >= 1 && result.version < options.versions);
        assert_true(result.spent.epsilon < 0.9 * s->epsilon && result.spent.delta == 1e-6);
        assert_memory_equal(dusk_model_statement(result.model), s, sizeof *s);
        OK(dusk_model_score(&scores, result.model, frame, &err));
        assert_true(number ? scores.rmse < 1.7 : scores.accuracy > 0.65);
        dusk_model_free(result.model);
        dusk_ladder_free(ladder);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 5, gen);
    dusk_frame *other = learners_frame("x numeric -1:1\ny numeric -5:5\n", 3, gen);
    dusk_train_options good = promise("good", 1, 1e-6), number = promise("y", 1, 1e-6),
                       pure = promise("good", 1, 0), none = promise(NULL, 1, 1e-6);
    dusk_ladder *ladder;
    dusk_ladder_result result;
    dusk_ladder_options fine = until(0.8, NULL), o[9];
    for (int i = 0; i < 9; i++) o[i] = fine;
    o[0].target = 1;
    o[1].target = NAN;
    o[2].target = 0;
    o[3].versions = 1;
    o[4].versions = 17;
    o[5].first = 1;
    o[6].held_out = 0;
    o[7].size = 0;
    o[8].rows = other;
    const char *bounds[] = { "scaling=bounds" };
    good.settings = bounds;
    good.settings_count = 1;
    for (int i = 0; i < 9; i++) {
        FAILS(DUSK_ERR_ARGUMENT,
              dusk_ladder_prepare(&ladder, "functional", frame->fields, &good, &o[i], &err));
        assert_null(ladder);
    }
    const char *standard[] = { "scaling=standard" }, *tree[] = { "structure=tree" };
    dusk_train_options scaled = good, pairs = none;
    scaled.settings = standard;
    pairs.settings = tree;
    scaled.settings_count = pairs.settings_count = 1;
    dusk_ladder_options negative = until(-1, NULL), seen = until(-1, frame);
    FAILS(DUSK_ERR_ARGUMENT, dusk_ladder_prepare(&ladder, "functional", frame->fields, &pure, &fine, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ladder_prepare(&ladder, "linear", frame->fields, &number, &negative, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ladder_prepare(&ladder, "nothing", frame->fields, &good, &fine, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ladder_prepare(&ladder, "logistic", frame->fields, &good, &fine, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ladder_prepare(&ladder, "kmeans", frame->fields, &none, &fine, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ladder_prepare(&ladder, "density", frame->fields, &none, &fine, &err));
    FAILS(DUSK_ERR_UNSUPPORTED,
          dusk_ladder_prepare(&ladder, "functional", frame->fields, &scaled, &fine, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ladder_prepare(&ladder, "density", frame->fields, &pairs, &seen, &err));
    OK(dusk_ladder_prepare(&ladder, "functional", frame->fields, &good, &fine, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_ladder_run(ladder, &result, other, gen, &err));
    assert_null(result.model);
    dusk_ladder_free(ladder);
    dusk_frame_free(other);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* No rows at all, and a label that is never there. */
static void empty_rows(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(5);
    for (size_t rows = 0; rows < 40; rows += 20) {
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, rows, gen);
        for (size_t i = 0; i < rows; i++) frame->column[LEARNERS_GOOD].code[i] = -1;
        dusk_train_options train = promise("good", 1, 1e-6);
        dusk_ladder_options options = until(0.8, NULL);
        dusk_ladder *ladder;
        dusk_ladder_result result;
        OK(dusk_ladder_prepare(&ladder, "naive_bayes", frame->fields, &train, &options, &err));
        OK(dusk_ladder_run(ladder, &result, frame, gen, &err));
        assert_non_null(result.model);
        dusk_model_free(result.model);
        dusk_ladder_free(ladder);
        dusk_frame_free(frame);
    }
    dusk_generator_free(gen);
}

/* The maximum is charged at once; version by version as they are made, and no further than the budget goes. */
static void ladders_are_charged(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(6), *nothing = zeros(0);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3000, gen);
    const dusk_filter_kind kinds[] = { DUSK_FILTER_GDP, DUSK_FILTER_GDP, DUSK_FILTER_ZCDP, DUSK_FILTER_GDP };
    for (int k = 0; k < 4; k++) {
        const bool each = k != 1, private = k % 2;
        folder f = folder_make();
        dusk_train_options train = promise("y", 1, 1e-6);
        dusk_ladder_options easy = until(2.5, private ? NULL : frame),
                            hard = until(1e-6, private ? NULL : frame);
        dusk_ladder *a, *b;
        dusk_ladder_result result;
        easy.each = hard.each = each;
        easy.versions = hard.versions = 4;
        easy.check_share = 0.5;
        ledger_make(f.file, kinds[k], 1.6, 1e-6);
        dusk_ledger *ledger = ledger_of(f.file);
        OK(dusk_ladder_prepare(&a, "linear", frame->fields, &train, &easy, &err));
        OK(dusk_ladder_prepare(&b, "linear", frame->fields, &train, &hard, &err));
        OK(dusk_ladder_charge(a, ledger, "ann", 1, &err));
        const double before = spending_of(ledger, "ann").spent.epsilon;
        OK(dusk_ladder_run(a, &result, frame, gen, &err));
        const double after = spending_of(ledger, "ann").spent.epsilon;
        assert_true(result.met);
        if (each) {
            assert_int_equal(spending_of(ledger, "ann").charges, result.version);
            assert_true(result.version < 4 && after >= before && after < 0.95 * train.epsilon);
            assert_true(after >= 0.98 * result.spent.epsilon); /* what was made is what was charged */
        } else {
            assert_true(after == before && after > 0.95);
        }
        dusk_model_free(result.model);
        /* the ledger ends before the ladder does, on its third run at the latest */
        dusk_status status = DUSK_OK;
        for (int run = 0; run < 40 && status == DUSK_OK; run++) {
            const uint64_t charges = spending_of(ledger, "ann").charges;
            status = dusk_ladder_charge(b, ledger, "ann", 1, NULL);
            if (status != DUSK_OK) break;
            OK(dusk_ladder_run(b, &result, frame, gen, &err));
            if (each) assert_int_equal(spending_of(ledger, "ann").charges - charges, result.version);
            assert_true(!result.met || private);
            dusk_model_free(result.model);
        }
        assert_int_equal(status, DUSK_ERR_BUDGET);
        dusk_ladder_free(a);
        dusk_ladder_free(b);
        dusk_ledger_close(ledger);
        folder_remove(&f);
    }
    /* what fails afterwards stays charged; a basic filter takes the maximum only */
    folder f = folder_make();
    dusk_train_options train = promise("y", 1, 1e-6);
    dusk_ladder_options options = until(1, frame);
    dusk_ladder *ladder;
    dusk_ladder_result result;
    ledger_make(f.file, DUSK_FILTER_BASIC, 2.5, 1e-5);
    dusk_ledger *ledger = ledger_of(f.file);
    options.each = true;
    OK(dusk_ladder_prepare(&ladder, "linear", frame->fields, &train, &options, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_ladder_charge(ladder, ledger, "ann", 1, &err));
    assert_int_equal(spending_of(ledger, "ann").charges, 0);
    dusk_ladder_free(ladder);
    options.each = false;
    OK(dusk_ladder_prepare(&ladder, "linear", frame->fields, &train, &options, &err));
    OK(dusk_ladder_charge(ladder, ledger, "ann", 1, &err));
    FAILS(DUSK_ERR_ENTROPY, dusk_ladder_run(ladder, &result, frame, nothing, &err));
    assert_null(result.model);
    assert_true(spending_of(ledger, "ann").spent.epsilon > 0.97);
    dusk_ladder_free(ladder);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_averaged_away),
        cmocka_unit_test(only_sums_have_versions),
        cmocka_unit_test(every_learner),
        cmocka_unit_test(the_first_that_is_good_enough),
        cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(empty_rows),
        cmocka_unit_test(ladders_are_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
