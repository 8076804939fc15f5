/* SPDX-License-Identifier: Apache-2.0 */
/* What networks promise when they are told the noise, or to have none. */
#include "learners.h"
#include "ledgers.h"

static dusk_train_options options(const char *const *settings, size_t count)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = "colour";
    o.delta = 1e-6;
    o.rows = 1000;
    o.neighbours = DUSK_ADD_REMOVE;
    o.settings = settings;
    o.settings_count = count;
    return o;
}

static dusk_fields *fields_of(void)
{
    dusk_fields *fields;
    OK(dusk_fields_parse(&fields, LEARNERS_FIELDS, &err));
    return fields;
}

/* The statement is that of the event with this noise; the same epsilon gives the same noise back. */
static void given_noise(void **state)
{
    (void)state;
    const char *const sampled[] = { "net=output", "rate=0.02", "steps=100" };
    const char *const all[] = { "net=output", "rate=1", "steps=4" };
    const char *const events[] = { "poisson(0.02, gaussian(1.5)) * 100", "gaussian(1.5) * 4" };
    dusk_fields *fields = fields_of();
    for (int i = 0; i < 2; i++) {
        dusk_train_options o = options(i ? all : sampled, 3);
        dusk_training *training;
        dusk_statement wanted;
        const dusk_event event = event_of(events[i]);
        o.noise = 1.5;
        OK(dusk_training_prepare(&training, "net", fields, &o, &err));
        OK(dusk_statement_init(&wanted, &event, 1e-6, DUSK_ADD_REMOVE, "row", &err));
        const double epsilon = dusk_training_statement(training)->epsilon;
        if (fabs(epsilon / wanted.epsilon - 1) > 1e-3) fail_msg("%.9g, not %.9g", epsilon, wanted.epsilon);
        dusk_training_free(training);
    }
    dusk_fields_free(fields);
}

static void refused(dusk_train_options o, const char *learner)
{
    dusk_fields *fields = fields_of();
    dusk_training *training;
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_prepare(&training, learner, fields, &o, &err));
    assert_null(training);
    dusk_fields_free(fields);
}

static void refusals(void **state)
{
    (void)state;
    const char *const net[] = { "net=output", "scaling=standard" };
    dusk_train_options o = options(net, 1), other = o;
    refused(o, "net"); /* nothing was said */
    o.noise = -1;
    refused(o, "net");
    o.noise = NAN;
    refused(o, "net");
    o.noise = 1;
    other = o;
    other.delta = 0;
    refused(other, "net");
    other = o;
    other.rows = 0;
    refused(other, "net");
    other = o;
    other.epsilon = 1;
    refused(other, "net");
    other = o;
    other.no_privacy = true;
    refused(other, "net");
    other = o;
    other.settings_count = 2;
    refused(other, "net");
    other = options(NULL, 0);
    other.noise = 1;
    refused(other, "multinomial");
    other.noise = 0;
    other.no_privacy = true;
    refused(other, "multinomial");
    other = options(net, 1);
    other.no_privacy = true;
    other.rows = 0;
    refused(other, "net");
}

/* Marked in the statement, in the file and after reading it; never charged. */
static void none(void **state)
{
    (void)state;
    const char *const net[] = { "net=output", "rate=1", "steps=60", "learning_rate=0.5" };
    dusk_generator *gen = seeded(1);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 200, gen);
    dusk_train_options o = options(net, 4);
    dusk_training *training;
    dusk_model *model, *again;
    char *text, *said;
    size_t length;
    o.label = "good";
    o.no_privacy = true;
    o.rows = 200;
    OK(dusk_training_prepare(&training, "net", frame->fields, &o, &err));
    OK(dusk_training_explain(training, &said, &err));
    assert_non_null(strstr(said, "NO PRIVACY"));
    dusk_ledger_free_text(said);
    folder f = folder_make();
    ledger_make(f.file, DUSK_FILTER_BASIC, 1e6, 1e-5);
    dusk_ledger *ledger = ledger_of(f.file);
    FAILS(DUSK_ERR_UNSUPPORTED,
          dusk_training_run_charged(training, &model, frame, ledger, "ana", 1, gen, &err));
    uint64_t id;
    dusk_error refusal;
    assert_int_not_equal(dusk_ledger_reserve_statement(ledger, &id, dusk_training_statement(training), "ana",
                                                       "x", 1, &refusal),
                         DUSK_OK);
    assert_true(spending_of(ledger, NULL).spent.epsilon == 0);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    OK(dusk_training_run(training, &model, frame, gen, &err));
    OK(dusk_model_format(model, &text, &length, &err));
    assert_non_null(strstr(text, "NO PRIVACY"));
    OK(dusk_model_parse(&again, text, length, &err));
    assert_true(dusk_statement_is_none(dusk_model_statement(again)));
    assert_true(dusk_model_statement(again)->delta == 1);
    dusk_ledger_free_text(text);
    dusk_model_free(model);
    dusk_model_free(again);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_noise),
        cmocka_unit_test(refusals),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests_name("promise", tests, NULL, NULL);
}
