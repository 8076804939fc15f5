/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_TRAIN_CURVE_H
#define DUSK_CLI_TRAIN_CURVE_H

/* A training while it goes, for whoever waits, and its learning curve afterwards: how right it was on public rows after which step, and what the steps
 * until then would have cost had they been all, by a decision made in advance. The promise is for all steps. Nothing of private rows is in it. */

#include "cli/model.h"

typedef struct train_curve {
    dusk_progress progress;
    const dusk_training *training; /* NULL, or without steps: only a part of the work is known */
    uint64_t steps, begun;         /* all of them, and the first that was taken in this run, */
    double since;                  /* when */
    size_t rows;                   /* public ones */
    dusk_train_point *point;
    double *epsilon; /* of each, after train_curve_price; NaN: not known */
    size_t count, room;
    bool failed;        /* there was no memory for a point */
    double shown_spent; /* of the line: of `shown_until` steps */
    uint64_t shown_until;
    double pricing; /* seconds that the line's prices have taken */
} train_curve;

/* For options.progress and options.observe; the context is the curve. */
void train_curve_progress(void *context, double part);
void train_curve_observe(void *context, const dusk_train_point *point);
/* When the training begins; `training` may be NULL. */
void train_curve_start(train_curve *curve, const dusk_training *training, const dusk_statement *promise);
/* The line goes away; and all points are priced, when there are some, as far as that takes no more than a few seconds. */
dusk_status train_curve_end(train_curve *curve, dusk_error *err);
void train_curve_clear(train_curve *curve);

/* As lines of the card, or as a field of it; nothing without points. */
void train_curve_print(const train_curve *curve);
void train_curve_json(const train_curve *curve, dusk_json *json);
/* train_curve_plot.c: as SVG. */
dusk_status train_curve_plot(const train_curve *curve, const dusk_model *model, const char *path,
                             dusk_error *err);

#endif
