/* SPDX-License-Identifier: Apache-2.0 */
/* Private labels of public rows: it learns, with and without stages; it says that only labels are private,
 * in the statement, the explanation and the file; and it is taken for nothing else: not under add/remove,
 * not by a ledger, not in a search. */
#include <math.h>
#include <string.h>

#include "dusk/learn_select.h"
#include "learners.h"
#include "ledgers.h"

static dusk_train_options options(const char *const *settings, size_t count, double epsilon)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = "good";
    o.epsilon = epsilon;
    o.neighbours = DUSK_REPLACE_ONE;
    o.settings = settings;
    o.settings_count = count;
    return o;
}

static double accuracy(const dusk_frame *frame, const char *const *settings, size_t count, double epsilon,
                       dusk_generator *gen)
{
    const dusk_train_options o = options(settings, count, epsilon);
    dusk_training *training;
    dusk_model *model;
    dusk_model_scores scores;
    OK(dusk_training_prepare(&training, "label_net", frame->fields, &o, &err));
    OK(dusk_training_run(training, &model, frame, gen, &err));
    OK(dusk_model_score(&scores, model, frame, &err));
    dusk_model_free(model);
    dusk_training_free(training);
    return scores.accuracy;
}

static void learns(void **state)
{
    (void)state;
    const char *const settings[][4] = {
        { "learning_rate=0.02", "epochs=20", "stages=1", "threads=2" },
        { "learning_rate=0.02", "epochs=20", "stages=3", "first=0.4" },
        { "learning_rate=0.02", "epochs=20", "shares=0.5,0.5", "range=unit" },
    };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 1500, gen);
    for (size_t i = 0; i < 3; i++) {
        assert_true(accuracy(frame, settings[i], 4, 60, gen) > 0.93);
        assert_true(accuracy(frame, settings[i], 4, 1, gen) > 0.8); /* one label in four is wrong */
    }
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* --- what it says -------------------------------------------------------------------- */

static void check_words(const char *more, double epsilon, const char *unit, const char *event)
{
    const char *const settings[] = { "stages=1" };
    const dusk_train_options o = options(settings, 1, epsilon);
    char text[512], *said;
    dusk_fields *fields;
    dusk_training *training;
    snprintf(text, sizeof text, "%s%s", LEARNERS_FIELDS, more);
    OK(dusk_fields_parse(&fields, text, &err));
    OK(dusk_training_prepare(&training, "label_net", fields, &o, &err));
    const dusk_statement *s = dusk_training_statement(training);
    assert_string_equal(s->unit, unit);
    assert_true(dusk_statement_is_for_labels(s));
    assert_int_equal(s->neighbours, DUSK_REPLACE_ONE);
    assert_int_equal(s->numerics, DUSK_NUMERICS_EXACT);
    assert_true(s->delta == 0 && s->epsilon <= epsilon && s->epsilon > epsilon * (1 - 1e-9));
    assert_non_null(strstr(s->assumed, "all columns but the label are public"));
    OK(dusk_event_format(&s->event, text, sizeof text, &err));
    if (!strstr(text, event)) fail_msg("the event is %s", text);
    OK(dusk_training_explain(training, &said, &err));
    assert_non_null(strstr(said, "PUBLIC are all columns but good"));
    dusk_ledger_free_text(said);
    dusk_training_free(training);
    dusk_fields_free(fields);
}

static void says_what_is_private(void **state)
{
    (void)state;
    check_words("", 1, "label of a row", "randomized_response(0.99999");
    check_words("unit person\n", 2, "label of a person", "randomized_response(1.99999");
    check_words("unit person\nrows_per_unit 3\n", 3, "label of a person's rows",
                "randomized_response(0.99999");
    assert_true(dusk_learner_is_for_labels(dusk_learner_named("label_net")));
    for (size_t i = 0; dusk_learner_at(i); i++)
        assert_int_equal(dusk_learner_is_for_labels(dusk_learner_at(i)),
                         !strcmp(dusk_learner_at(i)->name, "label_net"));
}

/* Of stages two classes are the worst that is asked about. */
static void prices_stages(void **state)
{
    (void)state;
    const char *const stages[] = { "stages=2" }, *const shares[] = { "stages=1", "shares=0.4,0.4,0.2" };
    const char *const *const asked[] = { stages, shares };
    dusk_fields *fields;
    OK(dusk_fields_parse(&fields, LEARNERS_FIELDS, &err));
    for (size_t i = 0; i < 2; i++) {
        dusk_train_options o = options(asked[i], i + 1, 1);
        char text[512];
        dusk_training *training;
        o.label = "colour";
        OK(dusk_training_prepare(&training, "label_net", fields, &o, &err));
        OK(dusk_event_format(&dusk_training_statement(training)->event, text, sizeof text, &err));
        assert_non_null(strstr(text, ", 2)"));
        dusk_training_free(training);
    }
    dusk_fields_free(fields);
}

/* --- refusals ------------------------------------------------------------------------ */

static void refused(dusk_train_options o, const char *hint)
{
    dusk_fields *fields;
    dusk_training *training;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_fields_parse(&fields, LEARNERS_FIELDS, NULL), DUSK_OK);
    assert_int_not_equal(dusk_training_prepare(&training, "label_net", fields, &o, &err), DUSK_OK);
    if (!strstr(err.hint, hint)) fail_msg("%s (%s)", err.message, err.hint);
    dusk_fields_free(fields);
}

static void refusals(void **state)
{
    (void)state;
    const char *const bad[] = { "shares=1",        "shares=0.5,0.5,0", "shares=0.5;0.5", "shares=0.9,0.9",
                                "shares=-0.5,1.5", "shares=",          "shares=0.5,nan" };
    const char *const sure[] = { "shares=0.99,0.01" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(options(&bad[i], 1, 1), "shares=");
    refused(options(sure, 1, 1), "larger epsilon");
    dusk_train_options o = options(NULL, 0, 1);
    o.neighbours = DUSK_ADD_REMOVE;
    refused(o, "--replace-one");
    o = options(NULL, 0, 0);
    o.no_privacy = true;
    refused(o, "give an epsilon");
    o = options(NULL, 0, 1);
    o.label = "y";
    refused(o, "category");
}

static void no_ledger_and_no_search(void **state)
{
    (void)state;
    const char *const candidates[] = { "epochs=1", "epochs=2" };
    const dusk_train_options o = options(NULL, 0, 1);
    dusk_generator *gen = seeded(2);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 20, gen);
    folder f = folder_make();
    dusk_ledger_options made;
    dusk_ledger *ledger;
    dusk_training *training;
    dusk_search_options search;
    dusk_search *found;
    dusk_model *model;
    uint64_t charge;
    dusk_ledger_options_init(&made);
    made.filter = DUSK_FILTER_BASIC;
    made.neighbours = DUSK_REPLACE_ONE;
    made.budget = (dusk_budget){ 1e6, 0 };
    OK(dusk_ledger_create(f.file, &made, &err));
    ledger = ledger_of(f.file);
    OK(dusk_training_prepare(&training, "label_net", frame->fields, &o, &err));
    FAILS(DUSK_ERR_UNSUPPORTED,
          dusk_training_run_charged(training, &model, frame, ledger, "ana", 1, gen, &err));
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0);
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_training_keep(training, f.file, 10, false, &charge, &err));
    dusk_search_options_init(&search);
    search.candidates = candidates;
    search.candidates_count = 2;
    FAILS(DUSK_ERR_UNSUPPORTED, dusk_search_prepare(&found, "label_net", frame->fields, &o, &search, &err));
    dusk_training_free(training);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns),
        cmocka_unit_test(says_what_is_private),
        cmocka_unit_test(prices_stages),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_ledger_and_no_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
