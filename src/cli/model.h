/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_MODEL_H
#define DUSK_CLI_MODEL_H

/* The commands that learn: train, predict and score, one file each, and what they have in common. */

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_train_command, dusk_predict_command, dusk_score_command;

/* Fill the table of learners, from the library; once, before a command is looked up. */
void dusk_train_begin(void);

/* Which rows of a source. */
typedef struct model_query {
    const char *sql;     /* NULL: the declared columns of a table */
    const char *table;   /* NULL: the only one */
    const char *columns; /* A,B,...: those of them, and the label; NULL: all */
    const char *engine;
    int64_t rows_per_unit; /* 0: as declared, else 1 */
} model_query;

/* Rows, and where they are from. */
typedef struct model_data {
    const char *path;
    const char *labels;  /* another IDX file, or NULL */
    dusk_source *source; /* of a .dusk file, or NULL; then */
    char *sql;           /* what gives the rows, and */
    dusk_query_options options;
    dusk_fields *fields;
    dusk_frame *frame;
} model_data;

/* Whether it is the name of a source. */
bool model_is_source(const char *path);
/* Open a source and find the fields of its rows; none is read. */
dusk_status model_source_open(model_data *data, const char *path, const model_query *query, const char *label,
                              dusk_error *err);
/* Declared fields: a text file, or a table (NULL: the only one) of a source. */
dusk_status model_fields(dusk_fields **out, const char *schema, const char *table, dusk_error *err);
/* Of *fields those that the list A,B,... names, and the label (NULL: none). */
dusk_status model_fields_keep(dusk_fields **fields, const char *list, const char *label, dusk_error *err);
/* The fields of a model, less the label unless it is wanted. */
dusk_status model_fields_of(dusk_fields **out, const dusk_model *model, bool label, dusk_error *err);
/* Rows of a file by these fields; a file that is none of them is bad input. */
dusk_status model_rows_read(dusk_frame **out, const dusk_fields *fields, const char *path, const char *labels,
                            dusk_error *err);
/* Whether that could be read, as far as can be known before a row is. */
dusk_status model_rows_check(const dusk_fields *fields, const char *path, const char *labels,
                             dusk_error *err);
/* Public rows: how many have a label that is known, of several (with "," between them) one at least; of no label (NULL) all. DUSK_ERR_PARSE: none. */
dusk_status model_rows_known(size_t *known, const dusk_frame *rows, const char *label, const char *path,
                             dusk_error *err);
/* Read data->frame by data->fields. The generator decides which rows of a unit stay. */
dusk_status model_data_read(model_data *data, dusk_generator *gen, dusk_error *err);
void model_data_clear(model_data *data);

/* That --delta (NaN: it was not given) is one; and a note of one that is large for so many rows (0: they are not declared). */
dusk_status model_delta_check(double delta, dusk_error *err);
void model_note_delta(const dusk_statement *statement, int64_t rows);

/* The relation that a promise is for: that of the source's ledger, or what was asked for. */
dusk_neighbours model_neighbours(const model_data *data, bool replace_one);
/* Charge it, on disk before a row is read; what can be found out before, is. */
dusk_status model_reserve(const model_data *data, uint64_t *id, const dusk_statement *statement,
                          const char *analyst, const char *purpose, dusk_error *err);
/* "cost: ..." of what was charged, and "left: ...", on standard error. */
void model_print_charged(dusk_ledger *ledger, const dusk_statement *statement, const char *analyst);
void model_print_charged_before(const dusk_statement *statement);
/* "NO PRIVACY: ..." on standard error, of a statement that promises nothing. */
void model_print_none(const dusk_statement *statement);
/* The same of a model, as a field of what is said of it; nothing where something is promised. */
void model_json_none(dusk_json *json, const dusk_model *model);
/* "net, epsilon 1 at delta 1e-6", or that there is no privacy, for drawings; `size` 300 suffices. */
void model_promise_words(char *text, size_t size, const dusk_model *model);
/* "cost: ..." of what no ledger keeps, on standard error. */
void model_print_cost(const dusk_statement *statement);
/* "promise: ..." and that no ledger keeps count, on standard error. */
dusk_status model_print_promise(const dusk_statement *statement, bool ledger, dusk_error *err);

/* "a number from 0 to 1", "a category of 3 values", in words; `size` 200 suffices. */
void model_field_words(char *text, size_t size, const dusk_field *field);
/* What is learned, in words: "groups", ... */
const char *model_task_words(dusk_task task);

struct train_curve;
/* The model card: what it is, what was released with which noise, on what it rests (train_card.c). `explained` as of
 * dusk_training_explain, or NULL; `curve`: how the training went, or NULL. */
dusk_status model_print_card(const dusk_model *model, const char *explained, const struct train_curve *curve,
                             const char *path, bool json, dusk_error *err);

/* What would be released and what it would cost, as JSON. */
dusk_status model_print_plan(const dusk_statement *statement, const char *explained, dusk_error *err);

/* The weights of a linear model (train_plot.c); DUSK_ERR_ARGUMENT where there are none. */
dusk_status model_plot_weights(const char *path, const dusk_model *model, dusk_error *err);
/* Plots of a model of categories on rows with labels (score_plot.c). */
dusk_status model_plot_roc(const char *path, const dusk_model *model, const dusk_frame *frame, double auc,
                           dusk_error *err);
dusk_status model_plot_calibration(const char *path, const dusk_model *model, const dusk_frame *frame,
                                   double error, dusk_error *err);

#endif
