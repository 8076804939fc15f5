/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_TRAIN_H
#define DUSK_CLI_TRAIN_H

/* What dusk train may do: a training, a search among settings by runs or by stability, or versions with less and less noise
 * (train_plan.c). */

#include "cli/model.h"
#include "cli/train_curve.h"

typedef struct train_settings {
    const char *schema, *label, *out, *columns, *labels;
    const char *query, *table, *analyst, *engine, *check, *open;
    const char *checkpoint, *plot, *memory;
    const char *net, *rate, *steps, *lot, *epochs; /* texts: settings, which the library reads */
    double epsilon, delta, until, noise;
    int64_t rows, rows_per_unit, every, check_every;
    dusk_option_list set, candidates;
    bool replace_one, idealised, json, dry, each, stable, no_privacy, resume;
} train_settings;

typedef struct train_plan {
    dusk_training *training; /* one of four */
    dusk_search *search;
    dusk_validation *validation;
    dusk_ladder *ladder;
    dusk_frame *check;   /* public rows of a ladder, or of a network, or NULL */
    dusk_frame *open;    /* public rows to learn from, or NULL */
    uint64_t charge;     /* that it was charged as, now or when a checkpoint was begun; 0: it was not */
    bool charged;        /* now */
    dusk_statement cost; /* what is charged: the promise, or what versions were made */
} train_plan;

/* All learners, those of a task together, since dusk_train_begin (train_learners.c). */
extern dusk_operand train_learners[];
/* The layers of networks, a paragraph each, since then too. */
extern char train_layers[];

/* --set, and the options that are shorter forms of it (train_net.c). */
typedef struct train_words {
    const char *word[DUSK_OPTION_LIST_MAX + 8];
    size_t count;
    char text[4][64];
    char *net;
} train_words;
dusk_status train_words_make(train_words *words, const train_settings *s, dusk_error *err);
/* That there is an epsilon, or a noise, or that no privacy is asked for. `noise`: the learner can be told it. */
dusk_status train_promise_check(const train_settings *s, bool noise, bool source, const char *example,
                                dusk_error *err);
/* "500M" as bytes; 0 for NULL. */
dusk_status train_memory_read(uint64_t *out, const char *text, dusk_error *err);
void train_words_clear(train_words *words); /* fine on a zeroed one */
/* Whether --net names a file. */
bool train_net_is_file(const char *net);

/* That no file that is read is written, none is written twice, and rows that are said to be public are not the private ones (train_files.c). */
dusk_status train_files_check(const model_data *data, const train_settings *s, dusk_error *err);
/* That the files of the model and of the drawing can be written; nothing is left there. */
dusk_status train_files_try(const train_settings *s, dusk_error *err);

/* That the options of searches, versions and learners that go in steps go together. */
dusk_status train_plan_check(const train_settings *s, bool steps, bool source, dusk_error *err);
dusk_status train_plan_prepare(train_plan *plan, const char *learner, const dusk_fields *fields,
                               const dusk_train_options *options, const train_settings *s, dusk_error *err);
/* Read the public rows of --public, and put them into the options. */
dusk_status train_plan_open_rows(train_plan *plan, dusk_train_options *options, const dusk_fields *fields,
                                 const train_settings *s, dusk_error *err);
/* Read those of --check, by which a network is looked at, and put them into the options, with the curve. */
dusk_status train_plan_check_rows(train_plan *plan, dusk_train_options *options, train_curve *curve,
                                  const dusk_fields *fields, const train_settings *s, dusk_error *err);
void train_plan_clear(train_plan *plan);
const dusk_statement *train_plan_statement(const train_plan *plan);
dusk_status train_plan_explain(const train_plan *plan, char **text, dusk_error *err);
/* Where --checkpoint is given: make its file, or take it over. A dry run finds out that it could. */
dusk_status train_plan_keep(train_plan *plan, const train_settings *s, bool source, dusk_error *err);
/* Whether that could be charged now, of a source; nothing is. */
dusk_status train_plan_quote(const train_plan *plan, const model_data *data, const train_settings *s,
                             dusk_error *err);
/* On disk before a row is read; nothing where a checkpoint was charged before. */
dusk_status train_plan_charge(train_plan *plan, const char *learner, const model_data *data,
                              const train_settings *s, dusk_error *err);
/* Of data->frame. */
dusk_status train_plan_run(train_plan *plan, dusk_model **out, const model_data *data,
                           const train_settings *s, dusk_generator *gen, dusk_error *err);

#endif
