/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to a model: what is refused before a row is seen, what is charged and when, and that a plan can be run again. */
#include <fenv.h>
#include <math.h>

#include "base/memory.h"
#include "dusk/learn_select.h"
#include "learners.h"
#include "ledgers.h"

static dusk_fields *fields_of(const char *text)
{
    dusk_fields *fields;
    OK(dusk_fields_parse(&fields, text, &err));
    return fields;
}

static dusk_train_options options_of(const char *label)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = label;
    o.epsilon = 1;
    o.delta = 1e-6;
    o.neighbours = DUSK_ADD_REMOVE;
    return o;
}

static void refused(const char *learner, const dusk_fields *fields, const dusk_train_options *o,
                    const char *word)
{
    dusk_training *training;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, learner, fields, o, &err) != DUSK_ERR_ARGUMENT)
        fail_msg("%s was not refused for %s", learner, word);
    assert_null(training);
    assert_true(*err.hint);
    if (!strstr(err.message, word)) fail_msg("%s: %s", word, err.message);
}

static void requests(void **state)
{
    dusk_fields *fields = fields_of(LEARNERS_FIELDS "three category a,b,c\none category a\n");
    dusk_train_options good = options_of("y"), o = good;
    (void)state;
    o.size = 0;
    refused("linear", fields, &o, "never made");
    refused("linearly", fields, &good, "linearly");
    o = options_of(NULL);
    refused("linear", fields, &o, "label");
    o = options_of("absent");
    refused("linear", fields, &o, "absent");
    o = options_of("good");
    refused("linear", fields, &o, "category");
    o = options_of("y");
    refused("pca", fields, &o, "without a label");
    o = options_of(NULL);
    o.epsilon = 1e-6, o.delta = 1e-300;
    refused("pca", fields, &o, "drown");
    o = options_of("y");
    refused("boosting", fields, &o, "numeric");
    o = options_of("one");
    refused("boosting", fields, &o, "one");
    const double epsilons[] = { 0, -1, NAN, INFINITY }, deltas[] = { -1, 1, NAN };
    for (int i = 0; i < 4; i++) {
        o = good;
        o.epsilon = epsilons[i];
        refused("linear", fields, &o, "epsilon");
    }
    for (int i = 0; i < 3; i++) {
        o = good;
        o.delta = deltas[i];
        refused("linear", fields, &o, "delta");
    }
    o = good;
    o.neighbours = (dusk_neighbours)0;
    refused("linear", fields, &o, "neighbouring");
    dusk_fields_free(fields);
}

static void settings(void **state)
{
    static const char *const bad[][2] = {
        { "depth=3", "no setting" }, { "norm", "name=value" },
        { "norm=", "norm" },         { "norm=-1", "norm" },
        { "norm=65", "norm" },       { "norm=nan", "norm" },
        { "norm=1x", "norm" },       { "scaling=other", "bounds|standard" },
        { "=1", "no setting" },      { "scaling_share=0", "scaling_share" }
    };
    static const char *const twice[] = { "norm=1", "norm=1" };
    dusk_fields *fields = fields_of(LEARNERS_FIELDS);
    dusk_train_options o = options_of(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.settings = &bad[i][0];
        o.settings_count = 1;
        refused("pca", fields, &o, bad[i][1]);
    }
    o.settings = twice;
    o.settings_count = 2;
    refused("pca", fields, &o, "twice");
    dusk_fields_free(fields);
}

static void statements(void **state)
{
    dusk_fields *fields = fields_of(LEARNERS_FIELDS "unit person\nrows_per_unit 3\n");
    dusk_train_options o = options_of("y");
    dusk_training *training;
    char *text;
    (void)state;
    o.rows = 500;
    OK(dusk_training_prepare(&training, "linear", fields, &o, &err));
    const dusk_statement *s = dusk_training_statement(training);
    assert_true(s->epsilon <= 1 && s->epsilon > 0.95 && s->delta == 1e-6);
    assert_int_equal(s->neighbours, DUSK_ADD_REMOVE);
    assert_string_equal(s->unit, "person");
    assert_string_equal(s->assumed, "at most 3 rows a unit; about 500 rows, declared");
    OK(dusk_training_explain(training, &text, &err));
    assert_non_null(strstr(text, "rows are vectors of"));
    dusk_ledger_free_text(text);
    dusk_training_free(training);
    dusk_training_free(NULL);
    dusk_fields_free(fields);
}

/* Frames of other fields are refused before anything is read or charged. */
/* What uses no delta promises epsilon at delta 0, however large the delta it was given. */
static void pure_statements(void **state)
{
    static const char *const learners[] = { "tree", "linear" };
    static const double deltas[] = { 0, 1e-6, 0.5 };
    dusk_fields *fields = fields_of(LEARNERS_FIELDS);
    (void)state;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < 3; i++) {
            dusk_train_options o = options_of(l == 0 ? "good" : "y");
            dusk_training *training;
            o.delta = deltas[i];
            OK(dusk_training_prepare(&training, learners[l], fields, &o, &err));
            const dusk_statement *s = dusk_training_statement(training);
            if (s->delta != (l == 0 ? 0 : deltas[i]) || !(s->epsilon > 0.9 && s->epsilon <= 1))
                fail_msg("%s at delta %g: epsilon %g at delta %g", learners[l], deltas[i], s->epsilon,
                         s->delta);
            dusk_training_free(training);
        }
    dusk_fields_free(fields);
}

static void other_frames(void **state)
{
    static const char *const other[] = {
        "x numeric -1:1\ny numeric -5:4\n", "x numeric -1:1 missing 1\ny numeric -5:5\n",
        "x numeric -1:1\nz numeric -5:5\n", "x numeric -1:1\ny numeric -5:5\nz numeric 0:1\n",
        "y numeric -5:5\nx numeric -1:1\n", "x numeric -1:1\ny numeric -5:5\nrows_per_unit 2\n",
        "x numeric -1:1\ny category a\n",
    };
    dusk_fields *fields = fields_of("x numeric -1:1\ny numeric -5:5\n");
    dusk_train_options o = options_of("y");
    dusk_training *training;
    dusk_generator *gen = seeded(1);
    (void)state;
    OK(dusk_training_prepare(&training, "linear", fields, &o, &err));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        dusk_fields *f = fields_of(other[i]);
        dusk_frame *frame;
        dusk_model *model;
        OK(dusk_frame_new(&frame, f, 5, &err));
        FAILS(DUSK_ERR_ARGUMENT, dusk_training_run(training, &model, frame, gen, &err));
        assert_null(model);
        dusk_frame_free(frame);
        dusk_fields_free(f);
    }
    dusk_training_free(training);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

static char *trained(dusk_training *training, const dusk_frame *frame, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_model *model;
    char *text;
    size_t length;
    OK(dusk_training_run(training, &model, frame, gen, &err));
    OK(dusk_model_format(model, &text, &length, &err));
    dusk_model_free(model);
    dusk_generator_free(gen);
    return text;
}

/* A plan is as it was after a run, and after one that failed half way: features that were rescaled are forgotten. */
static void runs_again(void **state)
{
    static const char *const standard[] = { "scaling=standard" };
    dusk_generator *gen = seeded(4), *none = zeros(512);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 50, gen);
    dusk_train_options o = options_of("y");
    dusk_training *training;
    dusk_model *model;
    (void)state;
    o.settings = standard;
    o.settings_count = 1;
    OK(dusk_training_prepare(&training, "linear", frame->fields, &o, &err));
    char *first = trained(training, frame, 7);
    FAILS(DUSK_ERR_ENTROPY, dusk_training_run(training, &model, frame, none, &err));
    assert_null(model);
    for (long n = 1; n < 100; n += 3) { /* wherever memory ends, before and after the scaling is released */
        dusk_memory_fail_at(n);
        if (dusk_training_run(training, &model, frame, gen, NULL) == DUSK_OK) dusk_model_free(model);
        dusk_memory_fail_at(0);
    }
    char *second = trained(training, frame, 7), *third = trained(training, frame, 8);
    assert_string_equal(first, second);
    assert_string_not_equal(first, third);
    dusk_ledger_free_text(first);
    dusk_ledger_free_text(second);
    dusk_ledger_free_text(third);
    dusk_training_free(training);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(none);
}

/* A training is refused in another mode of rounding than its bounds are made for, though it was prepared in the right one; and nothing is charged. */
static void refused_upward(dusk_training *training, const dusk_frame *frame, dusk_ledger *ledger,
                           dusk_generator *gen)
{
    dusk_model *model;
    const double before = spending_of(ledger, "ann").spent.epsilon;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    const dusk_status run = dusk_training_run(training, &model, frame, gen, NULL);
    const dusk_status charged =
        dusk_training_run_charged(training, &model, frame, ledger, "ann", 1, gen, NULL);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_int_equal(run, DUSK_ERR_UNSUPPORTED);
    assert_int_equal(charged, DUSK_ERR_UNSUPPORTED);
    assert_true(spending_of(ledger, "ann").spent.epsilon == before);
}

/* The charge is there before the first row is seen: also when the run fails; and without it there is no run. */
static void charges(void **state)
{
    folder f = folder_make();
    dusk_generator *gen = seeded(4), *none = zeros(0);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
    dusk_train_options o = options_of("y");
    dusk_training *training, *other;
    dusk_model *model;
    (void)state;
    ledger_make(f.file, DUSK_FILTER_BASIC, 2.5, 1e-5);
    dusk_ledger *ledger = ledger_of(f.file);
    OK(dusk_training_prepare(&training, "linear", frame->fields, &o, &err));
    refused_upward(training, frame, ledger, gen);
    OK(dusk_training_run_charged(training, &model, frame, ledger, "ann", 1, gen, &err));
    dusk_model_free(model);
    double once = spending_of(ledger, "ann").spent.epsilon;
    assert_true(once > 0.9 && once <= 1.0000001);
    FAILS(DUSK_ERR_ENTROPY, dusk_training_run_charged(training, &model, frame, ledger, "ann", 1, none, &err));
    assert_null(model);
    assert_true(spending_of(ledger, "ann").spent.epsilon > 1.9 * once);
    FAILS(DUSK_ERR_BUDGET, dusk_training_run_charged(training, &model, frame, ledger, "ann", 1, gen, &err));
    assert_null(model);
    o.neighbours = DUSK_REPLACE_ONE;
    o.epsilon = 0.1;
    OK(dusk_training_prepare(&other, "linear", frame->fields, &o, &err));
    FAILS(DUSK_ERR_ARGUMENT, dusk_training_run_charged(other, &model, frame, ledger, "ann", 1, gen, &err));
    dusk_training_free(other);
    dusk_training_free(training);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    dusk_generator_free(none);
}

/* What holds in ideal arithmetic only is asked for twice, and never charged. */
static void idealised(void **state)
{
    folder f = folder_make();
    dusk_generator *gen = seeded(4);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, 30, gen);
    (void)state;
    ledger_make(f.file, DUSK_FILTER_BASIC, 100, 1e-3);
    dusk_ledger *ledger = ledger_of(f.file);
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        dusk_train_options o = options_of(learners_label(l));
        dusk_training *training;
        dusk_model *model;
        if (l->numerics != DUSK_NUMERICS_IDEALISED || strcmp(learners_fields(l), LEARNERS_FIELDS)) continue;
        refused(l->name, frame->fields, &o, "ideal");
        o.accept_idealised = true;
        if (dusk_training_prepare(&training, l->name, frame->fields, &o, NULL) != DUSK_OK) continue;
        assert_int_equal(dusk_training_statement(training)->numerics, DUSK_NUMERICS_IDEALISED);
        FAILS(DUSK_ERR_UNSUPPORTED,
              dusk_training_run_charged(training, &model, frame, ledger, "a", 1, gen, &err));
        dusk_training_free(training);
    }
    assert_true(spending_of(ledger, "a").spent.epsilon == 0);
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
}

/* --- what learners have ---------------------------------------------------------------------------------- */

/* Whether it is prepared; what else the options of the learner are was fine. */
static bool prepared(const dusk_learner *l, const dusk_fields *fields, const dusk_train_options *o)
{
    dusk_training *training;
    const dusk_status status = dusk_training_prepare(&training, l->name, fields, o, NULL);
    dusk_training_free(training);
    return status == DUSK_OK;
}

static void same(const dusk_learner *l, const char *what, bool has, bool does)
{
    if (has != does)
        fail_msg("%s: it is said that %s it has: %d, and it is taken: %d", l->name, what, has, does);
}

static void has_what_is_prepared(const dusk_learner *l, const dusk_frame *frame)
{
    const dusk_train_options o = learners_options(l, 1, 1e-5);
    const dusk_fields *fields = frame->fields;
    const char *subspace[8];
    dusk_train_options memory = o, check = o, noise = o, none = o, open = o, closed = o, exchanged = o;
    memory.memory = 1 << 30;
    check.check_rows = frame;
    noise.epsilon = none.epsilon = 0;
    noise.noise = 2;
    none.no_privacy = true;
    noise.rows = none.rows = frame->rows; /* nothing is left to pay a count with */
    open.open_rows = learners_open_rows();
    if (learners_is_net(l)) { /* to these it is of use with a subspace only */
        memcpy(subspace, o.settings, o.settings_count * sizeof *subspace);
        subspace[open.settings_count++] = "subspace=2";
        open.settings = subspace;
    }
    closed.open_rows = NULL;
    exchanged.neighbours = DUSK_REPLACE_ONE;
    const bool steps = dusk_learner_has(l, DUSK_ABILITY_STEPS),
               told = dusk_learner_has(l, DUSK_ABILITY_NOISE);
    assert_true(prepared(l, fields, &o));
    same(l, "memory", steps, prepared(l, fields, &memory));
    same(l, "check_rows", steps, prepared(l, fields, &check));
    same(l, "noise", told, prepared(l, fields, &noise));
    same(l, "no_privacy", told, prepared(l, fields, &none));
    same(l, "open_rows", dusk_learner_has(l, DUSK_ABILITY_OPEN_ROWS), prepared(l, fields, &open));
    same(l, "no open_rows", !dusk_learner_needs_open_rows(l), prepared(l, fields, &closed));
    same(l, "replace-one", dusk_learner_has(l, DUSK_ABILITY_EXCHANGE), prepared(l, fields, &exchanged));
}

static void has_what_is_kept(const dusk_learner *l, const dusk_frame *frame, dusk_ledger *ledger,
                             const char *file)
{
    const dusk_train_options o = learners_options(l, 1, 1e-5);
    dusk_training *training;
    uint64_t charge;
    OK(dusk_training_prepare(&training, l->name, frame->fields, &o, NULL));
    same(l, "steps", dusk_learner_has(l, DUSK_ABILITY_STEPS),
         dusk_training_keep(training, file, 1, false, &charge, NULL) == DUSK_OK);
    same(l, "a ledger", dusk_learner_has(l, DUSK_ABILITY_LEDGER),
         dusk_ledger_reserve_statement(ledger, &charge, dusk_training_statement(training), "a", "b", 1,
                                       NULL) == DUSK_OK);
    dusk_training_free(training); /* takes the file away, as it was not begun */
}

static void has_what_chooses(const dusk_learner *l, const dusk_frame *frame)
{
    static const char *const plain[] = { "" }, *const output[] = { "form=output" };
    dusk_train_options o = learners_options(l, 1, 1e-5);
    dusk_ladder_options versions;
    dusk_search_options some;
    dusk_validation_options stable;
    dusk_ladder *ladder;
    dusk_search *search;
    dusk_validation *validation;
    dusk_ladder_options_init(&versions);
    dusk_search_options_init(&some);
    dusk_validation_options_init(&stable);
    static const char *const bounds[] = { "scaling=bounds" }, *const alone[] = { "structure=independent" };
    const char *const *words = NULL; /* of which each number is released once */
    if (!strcmp(l->name, "functional")) words = bounds;
    if (!strcmp(l->name, "density")) words = alone;
    dusk_train_options once = o;
    if (words) {
        once.settings = words;
        once.settings_count = 1;
    }
    versions.target = l->task == DUSK_TASK_NUMBER ? 3 : 0.5;
    versions.rows = frame;
    some.candidates = plain;
    stable.candidates = output;
    some.candidates_count = stable.candidates_count = 1;
    o.rows = 1000;
    same(l, "versions", dusk_learner_has(l, DUSK_ABILITY_VERSIONS),
         dusk_ladder_prepare(&ladder, l->name, frame->fields, &once, &versions, NULL) == DUSK_OK);
    bool searched = dusk_search_prepare(&search, l->name, frame->fields, &o, &some, NULL) == DUSK_OK;
    if (!searched) { /* the price of some is that of pure noise only without a delta */
        o.delta = 0;
        searched = dusk_search_prepare(&search, l->name, frame->fields, &o, &some, NULL) == DUSK_OK;
        o.delta = 1e-5;
    }
    same(l, "a search", dusk_learner_has(l, DUSK_ABILITY_SEARCH), searched);
    same(l, "a validation", dusk_learner_has(l, DUSK_ABILITY_VALIDATION),
         dusk_validation_prepare(&validation, l->name, frame->fields, &o, &stable, NULL) == DUSK_OK);
    dusk_ladder_free(ladder);
    dusk_search_free(search);
    dusk_validation_free(validation);
}

/* What a learner is said to have is taken, and what it is said not to have is refused. */
static void abilities(void **state)
{
    folder f = folder_make();
    dusk_generator *gen = seeded(8);
    char kept[600];
    (void)state;
    ledger_make(f.file, DUSK_FILTER_BASIC, 1000, 0.1);
    snprintf(kept, sizeof kept, "%s.kept", f.file);
    dusk_ledger *ledger = ledger_of(f.file);
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        dusk_frame *frame = learners_frame(learners_fields(l), 30, gen);
        has_what_is_prepared(l, frame);
        has_what_is_kept(l, frame, ledger, kept);
        has_what_chooses(l, frame);
        dusk_frame_free(frame);
    }
    const dusk_learner other = { .name = "net" };
    assert_false(dusk_learner_has(&other, DUSK_ABILITY_STEPS) || dusk_learner_needs_open_rows(&other));
    dusk_ledger_close(ledger);
    folder_remove(&f);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),     cmocka_unit_test(settings),        cmocka_unit_test(statements),
        cmocka_unit_test(other_frames), cmocka_unit_test(runs_again),      cmocka_unit_test(charges),
        cmocka_unit_test(idealised),    cmocka_unit_test(pure_statements), cmocka_unit_test(abilities),
    };
    return cmocka_run_group_tests_name("training", tests, NULL, NULL);
}
