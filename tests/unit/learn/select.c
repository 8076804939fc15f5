/* SPDX-License-Identifier: Apache-2.0 */
/* The best of several settings: the better one wins, the price is that of the whole, and what is refused. */
#include "dusk/learn_select.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "learn/learner.h"
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

static dusk_search_options of(const char *const *candidates, size_t n)
{
    dusk_search_options o;
    dusk_search_options_init(&o);
    o.candidates = candidates;
    o.candidates_count = n;
    return o;
}

/* A tree that may not ask enough questions, and one that may. */
static void the_better_one_wins(void **state)
{
    (void)state;
    const char *candidates[] = { "depth=1", "depth=3" };
    int better = 0;
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 3000, gen);
    for (size_t i = 0; i < frame->rows; i++)
        frame->column[LEARNERS_COLOUR].code[i] =
            frame->column[LEARNERS_X].number[i] > 0 ? 2 : frame->column[LEARNERS_Z].number[i] > 5;
    dusk_train_options train = promise("colour", 20, 0);
    dusk_search_options options = of(candidates, 2);
    dusk_search *search;
    assert_int_equal(dusk_search_prepare(&search, "tree", frame->fields, &train, &options, NULL), DUSK_OK);
    for (int k = 0; k < 20; k++) {
        dusk_search_result result;
        dusk_model_scores scores;
        assert_int_equal(dusk_search_run(search, &result, frame, gen, NULL), DUSK_OK);
        assert_true(result.candidate < 2);
        assert_int_equal(dusk_model_score(&scores, result.model, frame, NULL), DUSK_OK);
        assert_true(fabs(scores.accuracy - result.score) < 0.1);
        assert_string_equal(dusk_model_setting(result.model, 0), candidates[result.candidate]);
        assert_memory_equal(dusk_model_statement(result.model), dusk_search_statement(search),
                            sizeof(dusk_statement));
        better += result.candidate == 1;
        dusk_model_free(result.model);
    }
    assert_true(better >= 14); /* a single run has it once in two; sometimes only the other one was tried */
    dusk_search_free(search);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The price of the whole is what was asked for, nearly, and that of a run is far less. */
static void the_whole_is_priced(void **state)
{
    (void)state;
    const char *candidates[] = { "", "rounds=4", "bins=8 rounds=2" };
    const char *learners[] = { "boosting", "boosting_numbers" }, *labels[] = { "good", "y" };
    for (int k = 0; k < 6; k++) {
        dusk_generator *gen = seeded(2);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
        dusk_train_options train = promise(labels[k % 2], k & 4 ? 0.3 : 3, k & 2 ? 1e-6 : 0);
        dusk_search_options options = of(candidates, 3);
        dusk_search_result result;
        dusk_search *search;
        dusk_error err = { .message = "" };
        char *text;
        options.eta = k % 3 ? 1 : 0;
        if (dusk_search_prepare(&search, learners[k % 2], frame->fields, &train, &options, &err) != DUSK_OK)
            fail_msg("%s", err.message);
        const dusk_statement *s = dusk_search_statement(search);
        assert_true(s->epsilon <= train.epsilon && s->epsilon > 0.97 * train.epsilon);
        assert_int_equal(dusk_search_explain(search, &text, NULL), DUSK_OK);
        assert_non_null(strstr(text, "candidate 2: bins=8 rounds=2"));
        dusk_ledger_free_text(text);
        assert_int_equal(dusk_search_run(search, &result, frame, gen, NULL), DUSK_OK);
        assert_true(isfinite(result.score));
        dusk_model_free(result.model);
        dusk_search_free(search);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
}

/* Liu and Talwar: the best of a geometric number of pure runs costs three of them, the score included. */
static void a_run_costs_a_third(void **state)
{
    (void)state;
    const char *candidates[] = { "rounds=1" };
    dusk_generator *gen = seeded(3);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    dusk_train_options train = promise("good", 3, 0);
    dusk_search_options options = of(candidates, 1);
    dusk_search *search;
    char *text;
    double training, score;
    options.eta = 1;
    options.runs = 10;
    options.score_share = 0.25;
    assert_int_equal(dusk_search_prepare(&search, "boosting", frame->fields, &train, &options, NULL),
                     DUSK_OK);
    assert_int_equal(dusk_search_explain(search, &text, NULL), DUSK_OK);
    assert_int_equal(sscanf(strstr(text, "for epsilon"), "for epsilon %lf", &score), 1);
    assert_int_equal(sscanf(strstr(text, "rounds=1, epsilon"), "rounds=1, epsilon %lf", &training), 1);
    assert_true(fabs(score - 0.25) < 0.01 && fabs(training - 0.75) < 0.01);
    dusk_ledger_free_text(text);
    dusk_search_free(search);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    const char *good[] = { "rounds=1" }, *bad[] = { "rounds" }, *twice[] = { "rounds=1 rounds=2" };
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    dusk_train_options train = promise("good", 1, 0), none = promise(NULL, 1, 0);
    dusk_search_options o[] = { of(good, 0), of(bad, 1),  of(twice, 1), of(good, 1),
                                of(good, 1), of(good, 1), of(good, 1) };
    o[3].held_out = 1;
    o[4].score_share = 0;
    o[5].eta = -1;
    o[6].size = 0;
    for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
        dusk_search *search;
        assert_int_equal(dusk_search_prepare(&search, "boosting", frame->fields, &train, &o[k], NULL),
                         DUSK_ERR_ARGUMENT);
        assert_null(search);
    }
    dusk_search *search;
    dusk_search_options fine = of(good, 1);
    assert_int_equal(dusk_search_prepare(&search, "nothing", frame->fields, &train, &fine, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_search_prepare(&search, "boosting", frame->fields, &none, &fine, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_search_prepare(&search, "pca", frame->fields, &none, &fine, NULL),
                     DUSK_ERR_UNSUPPORTED);
    /* a frame of other fields */
    assert_int_equal(dusk_search_prepare(&search, "boosting", frame->fields, &train, &fine, NULL), DUSK_OK);
    dusk_frame *other = learners_frame("x numeric -1:1\ny numeric -5:5\n", 3, gen);
    dusk_search_result result;
    assert_int_equal(dusk_search_run(search, &result, other, gen, NULL), DUSK_ERR_ARGUMENT);
    assert_null(result.model);
    dusk_search_free(search);
    dusk_frame_free(other);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* What the search says of a run's parts, each to six digits. */
static double said(const char *text, const char *before)
{
    double epsilon;
    const char *at = strstr(text, before);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(before), "%lf", &epsilon), 1);
    return epsilon;
}

/* What a search would cost that has one candidate, from public functions alone. */
static double cost_alone(const dusk_search *search, const char *learner, const dusk_frame *frame,
                         const dusk_train_options *promised, const char *candidate, double epsilon,
                         double scoring, dusk_metric metric)
{
    const char *word[LEARN_WORDS_MAX];
    char copy[100], text[8192];
    double eta, gamma;
    dusk_event whole, run;
    dusk_statement score, all;
    dusk_model *model;
    dusk_training *training;
    dusk_generator *gen = seeded(9);
    dusk_train_options o = *promised;
    assert_int_equal(
        learn_candidate_words(word, &o.settings_count, copy, sizeof copy, candidate, promised, NULL),
        DUSK_OK);
    o.settings = word;
    o.epsilon = epsilon;
    o.rows = promised->rows / 5 * 4;
    assert_int_equal(dusk_training_prepare(&training, learner, frame->fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    o.epsilon = scoring;
    o.settings_count = 0;
    o.rows = 0;
    assert_int_equal(dusk_model_score_price(&score, metric, model, frame->fields, &o, NULL), DUSK_OK);
    assert_int_equal(dusk_event_add(&run, &dusk_training_statement(training)->event, &score.event, NULL),
                     DUSK_OK);
    assert_int_equal(dusk_event_format(&dusk_search_statement(search)->event, text, sizeof text, NULL),
                     DUSK_OK);
    assert_int_equal(sscanf(text, "select_best(%lf, %lf,", &eta, &gamma), 2);
    assert_int_equal(dusk_event_select_best(&whole, eta, gamma, &run, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&all, &whole, o.delta, o.neighbours, "row", NULL), DUSK_OK);
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_generator_free(gen);
    return all.epsilon;
}

/* Runs that sample rows are priced by their own curves, and the search by the dearest of its candidates, in whichever place. */
static void samples_are_priced(void **state)
{
    (void)state;
    static const struct {
        const char *learner, *label, *candidate[2];
        dusk_neighbours neighbours;
        dusk_metric metric;
    } searches[] = {
        { "net",
          "good",
          { "rate=0.01 steps=1000", "rate=1 steps=2" },
          DUSK_ADD_REMOVE,
          DUSK_METRIC_ACCURACY },
        { "net",
          "good",
          { "rate=1 steps=2", "rate=0.01 steps=1000" },
          DUSK_ADD_REMOVE,
          DUSK_METRIC_ACCURACY },
        { "net_numbers",
          "y",
          { "rate=0.1 steps=30 sampler=shuffled", "rate=0.01 steps=100 sampler=shuffled" },
          DUSK_REPLACE_ONE,
          DUSK_METRIC_MSE },
        { "net",
          "good",
          { "rate=0.02 steps=50 clip=2", "rate=0.02 steps=50" },
          DUSK_ADD_REMOVE,
          DUSK_METRIC_ACCURACY },
    };
    dusk_generator *gen = seeded(8);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 200, gen);
    for (size_t k = 0; k < sizeof searches / sizeof *searches; k++) {
        double most = 0;
        char *text;
        dusk_train_options train = promise(searches[k].label, 2, 1e-5);
        dusk_search_options options = of(searches[k].candidate, 2);
        dusk_search_result result;
        dusk_search *search;
        train.neighbours = searches[k].neighbours;
        train.rows = 200;
        OK(dusk_search_prepare(&search, searches[k].learner, frame->fields, &train, &options, &err));
        const double epsilon = dusk_search_statement(search)->epsilon;
        assert_true(epsilon <= 2 && epsilon > 1.97);
        OK(dusk_search_explain(search, &text, &err));
        for (int i = 0; i < 2; i++) {
            char before[120];
            snprintf(before, sizeof before, "%s, epsilon ", searches[k].candidate[i]);
            most = fmax(most, cost_alone(search, searches[k].learner, frame, &train, searches[k].candidate[i],
                                         said(text, before), said(text, "for epsilon "), searches[k].metric));
        }
        if (!(most <= epsilon * 1.0001 && most > 0.98 * epsilon))
            fail_msg("%zu: %g of the dearest, %g of all", k, most, epsilon);
        OK(dusk_search_run(search, &result, frame, gen, &err));
        assert_true(isfinite(result.score));
        dusk_model_free(result.model);
        dusk_ledger_free_text(text);
        dusk_search_free(search);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* A search rests on what any of its trainings rests on, and on the number of runs staying unseen. */
static void facts_are_told(void **state)
{
    (void)state;
    folder f = folder_make();
    char start[300], public_start[340];
    const char *of_start[] = { "learning_rate=1", public_start }, *plain[] = { "learning_rate=1" };
    const char *settings[] = { "net=output", "rate=1", "steps=2" };
    dusk_generator *gen = seeded(12);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 40, gen);
    dusk_train_options train = promise("good", 2, 1e-5);
    dusk_search_options options = of(plain, 1);
    dusk_training *training;
    dusk_model *model;
    dusk_search *search;
    train.settings = settings;
    train.settings_count = 3;
    train.rows = 40;
    OK(dusk_training_prepare(&training, "net", frame->fields, &train, &err));
    OK(dusk_training_run(training, &model, frame, gen, &err));
    OK(dusk_model_write(model, f.file, &err));
    dusk_training_free(training);
    dusk_model_free(model);
    snprintf(start, sizeof start, "start=%s", f.file);
    snprintf(public_start, sizeof public_start, "%s start_is=public", start);
    for (int k = 0; k < 2; k++) {
        options = of(k ? of_start : plain, k ? 2 : 1);
        options.padding = k ? 5 : 0;
        OK(dusk_search_prepare(&search, "net", frame->fields, &train, &options, &err));
        const char *assumed = dusk_search_statement(search)->assumed;
        assert_non_null(strstr(assumed, "about 40 rows, declared"));
        assert_true((strstr(assumed, "the model to start from is public") != NULL) == (k == 1));
        assert_non_null(strstr(assumed, k ? "if there were more than 5 runs" : "how many runs there were"));
        dusk_search_free(search);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    folder_remove(&f);
}

/* What a search takes of memory does not grow with its runs, whose number nobody is to learn. */
static void models_that_lost_are_gone(void **state)
{
    (void)state;
    const char *candidates[] = { "learning_rate=1", "learning_rate=2" };
    const char *settings[] = { "net=dense 3000; relu; output", "rate=1", "steps=1" };
    dusk_generator *gen = seeded(14);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 5, gen);
    dusk_train_options train = promise("good", 20, 1e-5);
    double most[2];
    train.settings = settings;
    train.settings_count = 3;
    train.rows = 5;
    for (int k = 0; k < 2; k++) {
        dusk_search_options options = of(candidates, 2);
        dusk_search_result result;
        dusk_search *search;
        options.runs = k ? 60 : 2;
        options.eta = 10;
        OK(dusk_search_prepare(&search, "net", frame->fields, &train, &options, &err));
        const size_t before = dusk_memory_used();
        dusk_memory_watch();
        OK(dusk_search_run(search, &result, frame, gen, &err));
        most[k] = (double)(dusk_memory_most() - before);
        dusk_model_free(result.model);
        dusk_search_free(search);
    }
    if (!(most[1] < 1.6 * most[0])) fail_msg("%g bytes of many runs, %g of few", most[1], most[0]);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* So many runs as were asked for, or a refusal. */
static void runs_are_those_asked_for(void **state)
{
    (void)state;
    static const struct {
        double eta, runs;
        bool refused;
    } cases[] = {
        { 10, 1e6, false }, { 0, 1e6, false }, { -0.5, 1e6, true }, { -0.99, 50, true }, { 3, 2, false }
    };
    const char *candidates[] = { "rounds=1" };
    dusk_generator *gen = seeded(15);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        dusk_train_options train = promise("good", 20, 0);
        dusk_search_options options = of(candidates, 1);
        dusk_search *search = NULL;
        char *text;
        double runs;
        options.eta = cases[k].eta;
        options.runs = cases[k].runs;
        const dusk_status status =
            dusk_search_prepare(&search, "boosting", frame->fields, &train, &options, NULL);
        assert_int_equal(status, cases[k].refused ? DUSK_ERR_ARGUMENT : DUSK_OK);
        if (cases[k].refused) continue;
        OK(dusk_search_explain(search, &text, &err));
        runs = said(text, "number of runs, ");
        assert_true(fabs(runs - cases[k].runs) < 0.01 * cases[k].runs);
        dusk_ledger_free_text(text);
        dusk_search_free(search);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* A delta of a run's own is not multiplied in silence. */
static void what_has_no_price_is_refused(void **state)
{
    (void)state;
    const char *learners[] = { "amp_logistic", "net" }, *candidates[] = { "" }, *lot = "lot=20";
    dusk_generator *gen = seeded(5);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 0, gen);
    for (size_t k = 0; k < 2; k++) {
        dusk_train_options train = promise("good", 1, 1e-6);
        dusk_search_options options = of(candidates, 1);
        dusk_search *search;
        train.settings = &lot;
        train.settings_count = k; /* rows are counted */
        FAILS(DUSK_ERR_UNSUPPORTED,
              dusk_search_prepare(&search, learners[k], frame->fields, &train, &options, &err));
        assert_null(search);
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* The charge is there before the first row is seen, also when the run fails; a pure search needs no delta. */
static void searches_are_charged(void **state)
{
    (void)state;
    const char *candidates[] = { "depth=1", "depth=2" }, *any[] = { "" };
    folder f = folder_make();
    dusk_generator *gen = seeded(6), *none = zeros(0);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
    dusk_train_options train = promise("colour", 1, 0), ideal = promise("y", 0.1, 0);
    dusk_search_options options = of(candidates, 2), one = of(any, 1);
    dusk_search_result result;
    dusk_search *search;
    ledger_make(f.file, DUSK_FILTER_BASIC, 2.5, 0);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_search_prepare(&search, "tree", frame->fields, &train, &options, &err));
    OK(dusk_search_run_charged(search, &result, frame, ledger, "ann", 1, gen, &err));
    dusk_model_free(result.model);
    double once = spending_of(ledger, "ann").spent.epsilon;
    assert_true(once > 0.97 && once >= dusk_search_statement(search)->epsilon && once <= 1.0000001);
    FAILS(DUSK_ERR_ENTROPY, dusk_search_run_charged(search, &result, frame, ledger, "ann", 1, none, &err));
    assert_null(result.model);
    assert_true(spending_of(ledger, "ann").spent.epsilon > 1.9 * once);
    FAILS(DUSK_ERR_BUDGET, dusk_search_run_charged(search, &result, frame, ledger, "ann", 1, gen, &err));
    dusk_search_free(search);
    train.neighbours = DUSK_REPLACE_ONE;
    train.epsilon = 0.1;
    OK(dusk_search_prepare(&search, "tree", frame->fields, &train, &options, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_search_run_charged(search, &result, frame, ledger, "ann", 1, gen, &err));
    dusk_search_free(search);
    ideal.accept_idealised = true;
    OK(dusk_search_prepare(&search, "posterior_linear", frame->fields, &ideal, &one, &err));
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_search_run_charged(search, &result, frame, ledger, "ann", 1, gen, &err));
    dusk_search_free(search);
    assert_true(spending_of(ledger, "ann").spent.epsilon < 2.1 * once);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_one_wins),          cmocka_unit_test(the_whole_is_priced),
        cmocka_unit_test(a_run_costs_a_third),          cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(samples_are_priced),           cmocka_unit_test(facts_are_told),
        cmocka_unit_test(models_that_lost_are_gone),    cmocka_unit_test(runs_are_those_asked_for),
        cmocka_unit_test(what_has_no_price_is_refused), cmocka_unit_test(searches_are_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
