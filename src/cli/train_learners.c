/* SPDX-License-Identifier: Apache-2.0 */
/* The learners as operands of dusk train. Which options one needs and takes, and what may be set, follows from what the library says
 * that it has: what is listed is not refused, and what is refused is not listed. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/help.h"
#include "cli/train.h"

enum { LEARNERS_MAX = 96 };

/* Filled once, when the program begins; learners of a task stand together. */
dusk_operand train_learners[LEARNERS_MAX + 1];
char train_layers[4096];
static char learner_examples[LEARNERS_MAX][240];
static char learner_needs[LEARNERS_MAX][64], learner_takes[LEARNERS_MAX][480];

/* What -h shows of what a learner takes. */
#define FIRST "schema label epsilon delta out set rows dry-run net lot epochs check public accept-idealised"

static bool has_setting(const dusk_learner *learner, const char *name)
{
    for (const dusk_setting *s = learner->settings; s->name; s++)
        if (!strcmp(s->name, name)) return true;
    return false;
}

static bool is_labelled(const dusk_learner *learner)
{
    return learner->task <= DUSK_TASK_NUMBER || learner->task == DUSK_TASK_LABELS;
}

/* What a learner needs and takes follows from what the library says that it has. */
static bool needs(const dusk_learner *learner, const char *option)
{
    if (!strcmp(option, "label")) return is_labelled(learner);
    if (!strcmp(option, "epsilon")) return !dusk_learner_has(learner, DUSK_ABILITY_NOISE);
    if (!strcmp(option, "public")) return dusk_learner_needs_open_rows(learner);
    return false;
}

static bool takes(const dusk_learner *learner, const char *option)
{
    static const struct {
        const char *options;
        dusk_ability ability;
    } of[] = {
        { "check checkpoint every resume check-every plot memory", DUSK_ABILITY_STEPS },
        { "epsilon noise no-privacy", DUSK_ABILITY_NOISE },
        { "public", DUSK_ABILITY_OPEN_ROWS },
        { "query rows-per-unit analyst engine", DUSK_ABILITY_LEDGER },
        { "replace-one", DUSK_ABILITY_EXCHANGE },
        { "check until charge-each", DUSK_ABILITY_VERSIONS },
        { "try", DUSK_ABILITY_SEARCH },
        { "try by-stability", DUSK_ABILITY_VALIDATION },
    };
    if (dusk_options_listed("net lot epochs rate steps", option))
        return has_setting(learner, "net") && has_setting(learner, option);
    if (!strcmp(option, "accept-idealised")) return learner->numerics == DUSK_NUMERICS_IDEALISED;
    if (!strcmp(option, "set")) return learner->settings[0].name != NULL;
    bool some = false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (!dusk_options_listed(of[i].options, option)) continue;
        if (dusk_learner_has(learner, of[i].ability)) return true;
        some = true;
    }
    return !some && strcmp(option, "label") != 0;
}

/* What the library asks for and explains when it is not there. */
static const char *needs_besides(const dusk_learner *learner)
{
    if (dusk_learner_has(learner, DUSK_ABILITY_NOISE)) return "--epsilon, --noise or --no-privacy";
    if (dusk_learner_is_for_labels(learner))
        return "--replace-one, as its promise is for labels that are exchanged";
    if (learner->numerics == DUSK_NUMERICS_IDEALISED)
        return "--accept-idealised, as its promise holds for real numbers only";
    return NULL;
}

static void list_options(char *out, size_t size, const dusk_learner *learner, bool needed)
{
    dusk_text text;
    dusk_text_init(&text, out, size);
    for (const dusk_option *option = dusk_train_command.options; option->name; option++)
        if (needed == needs(learner, option->name) && (needed || takes(learner, option->name)))
            dusk_text_add(&text, "%s%s", text.length ? " " : "", option->name);
}

static const char *numerics_words(dusk_numerics numerics)
{
    switch (numerics) {
    case DUSK_NUMERICS_EXACT: return "exact: what is promised is what is computed";
    case DUSK_NUMERICS_CERTIFIED: return "certified: but for an event whose probability is in delta";
    case DUSK_NUMERICS_IDEALISED:
        return "idealised: the promise holds for real numbers only; --accept-idealised";
    }
    return "";
}

/* "name=default ...". */
static void print_defaults(FILE *file, const dusk_learner *learner)
{
    char words[2048];
    dusk_text text;
    dusk_text_init(&text, words, sizeof words);
    for (const dusk_setting *s = learner->settings; s->name; s++)
        dusk_text_add(&text, strchr(s->fallback, ' ') ? "%s='%s' " : "%s=%s ", s->name, s->fallback);
    dusk_help_words(file, "settings, as in --set NAME=VALUE, and what they are by default", words);
}

static bool setting_at(const char *learner, size_t i, dusk_setting_words *out)
{
    const dusk_setting *s = dusk_learner_named(learner)->settings;
    for (; s->name && i > 0; i--) s++;
    if (!s->name) return false;
    out->name = s->name;
    out->choices = s->choices && *s->choices ? s->choices : NULL;
    if (s->choices && !*s->choices)
        snprintf(out->says, sizeof out->says, "%s (default '%s')", s->help, s->fallback);
    else if (s->choices)
        snprintf(out->says, sizeof out->says, "%s: %s (default %s)", s->choices, s->help, s->fallback);
    else
        snprintf(out->says, sizeof out->says, "%s; from %g to %g (default %s)", s->help, s->low, s->high,
                 s->fallback);
    return true;
}

/* All layers, or their names. */
static void print_layers(FILE *file, bool brief)
{
    char names[1024];
    dusk_text text;
    dusk_layer layer;
    if (!brief) {
        fputs("\nlayers, with \";\" or a new line between them\n", file);
        for (size_t i = 0; dusk_layer_at(&layer, i); i++) dusk_help_row(file, layer.form, layer.help);
        return;
    }
    dusk_text_init(&text, names, sizeof names);
    for (size_t i = 0; dusk_layer_at(&layer, i); i++)
        dusk_text_add(&text, "%.*s ", (int)strcspn(layer.form, " ;"), layer.form);
    dusk_help_words(file, "layers", names);
}

static void print_settings(FILE *file, const char *name, bool brief)
{
    const dusk_learner *learner = dusk_learner_named(name);
    dusk_setting_words setting;
    fprintf(file, "\nafter     %s\nnumerics  %s\n", learner->source, numerics_words(learner->numerics));
    if (dusk_learner_is_for_labels(learner))
        fputs(
            "private   labels alone: all other columns, and how many rows there are, are taken for public\n",
            file);
    if (has_setting(learner, "net")) print_layers(file, brief);
    if (brief && learner->settings[0].name) {
        print_defaults(file, learner);
        return;
    }
    if (learner->settings[0].name) fputs("\nsettings, as in --set NAME=VALUE\n", file);
    for (size_t i = 0; setting_at(name, i, &setting); i++) dusk_help_row(file, setting.name, setting.says);
}

static const char *example_label(dusk_task task)
{
    switch (task) {
    case DUSK_TASK_BINARY:
    case DUSK_TASK_CLASS: return " --label repaid";
    case DUSK_TASK_NUMBER: return " --label income";
    case DUSK_TASK_LABELS: return " --label repaid";
    default: return "";
    }
}

/* What the example of a learner needs besides, of the sample in examples/. */
static const char *example_more(const char *name)
{
    static const char *const more[][2] = {
        { "theil_sen", " --columns years" },
        { "bernstein_logistic", " --columns debt,income,years" },
        { "bernstein_huber", " --columns age,debt,years" },
        { "oracle_ramp", " --columns debt,income,years" },
        { "pate", " --public credit_new.csv" },
        { "private_knn", " --public credit_new.csv" },
        { "label_net", " --replace-one" },
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (!strcmp(more[i][0], name)) return more[i][1];
    return "";
}

static void add_learner(size_t at, const dusk_learner *learner)
{
    const bool labelled = is_labelled(learner);
    snprintf(learner_examples[at], sizeof learner_examples[at],
             "dusk train %s credit.csv --schema credit.fields%s%s --epsilon 1 --delta 1e-6%s --out a.model",
             learner->name, example_label(learner->task), example_more(learner->name),
             learner->numerics == DUSK_NUMERICS_IDEALISED ? " --accept-idealised" : "");
    list_options(learner_needs[at], sizeof learner_needs[at], learner, true);
    list_options(learner_takes[at], sizeof learner_takes[at], learner, false);
    train_learners[at] = (dusk_operand){
        .name = learner->name,
        .heading = model_task_words(learner->task),
        .summary = learner->summary,
        .needs = learner_needs[at],
        .either = needs_besides(learner),
        .takes = learner_takes[at],
        .first = FIRST,
        .example = learner_examples[at],
        .usage = labelled ? "DATA --schema FILE --label FIELD --epsilon E --out FILE [options]"
                          : "DATA --schema FILE --epsilon E --out FILE [options]",
        .details = print_settings,
        .setting = learner->settings[0].name ? setting_at : NULL,
    };
}

/* A paragraph for each. */
static void write_layers(void)
{
    dusk_text text;
    dusk_layer layer;
    dusk_text_init(&text, train_layers, sizeof train_layers);
    dusk_text_add(
        &text,
        "What --net is made of, with \";\" or a new line between layers; \"#\" begins a comment. Numbers "
        "stand in their places, and options are a word, or a word and a number.");
    for (size_t i = 0; dusk_layer_at(&layer, i); i++)
        dusk_text_add(&text, "\n%s: %s.", layer.form, layer.help);
}

void dusk_train_begin(void)
{
    size_t count = 0;
    write_layers();
    const dusk_learner *learner;
    for (int task = DUSK_TASK_BINARY; task <= DUSK_TASK_LABELS; task++)
        for (size_t i = 0; (learner = dusk_learner_at(i)) && count < LEARNERS_MAX; i++)
            if ((int)learner->task == task) add_learner(count++, learner);
}
