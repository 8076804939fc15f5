/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_ACCOUNT_H
#define DUSK_CLI_ACCOUNT_H

/* dusk account: what an event costs. account.c reads the question and the
 * expression; account_answer.c answers with one number, account_solve.c with a
 * parameter, account_curve.c with a table or a drawing. Everything is computed
 * before the first byte is printed: an error leaves no half answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_account_command;
extern const dusk_operand dusk_account_events[];
extern const dusk_option dusk_account_options[];
extern const dusk_section dusk_account_sections[];
extern const dusk_example dusk_account_examples[];

/* Significant digits for people. */
#define ACCOUNT_DIGITS 8

typedef struct account_settings {
    double epsilon, delta;
    int64_t points, steps;
    const char *solve, *file, *plot;
    int neighbours, accountant;
    bool all, curve, tradeoff, attacker, json;
} account_settings;

/* One run. */
typedef struct account_job {
    const account_settings *settings;
    const dusk_parsed *parsed;
    char *text;     /* the expression                                        */
    char title[76]; /* the same as one short line without odd characters     */
    dusk_neighbours neighbours;
    const char *replacing; /* the event that made replace-one the default, or NULL */
    dusk_accountant accountant;
    dusk_composition *composition; /* NULL with --solve */
} account_job;

bool account_given(const account_job *job, const char *option);
/* Copy `text` as one line that may be shown: blanks for control characters, cut
 * to fit with "..." at the end. */
void account_plain(char *out, size_t size, const char *text);
/* A mistake in the expression: say line and column, and show the place. Other
 * errors are left alone. */
dusk_status account_explain(dusk_error *err, const char *text, const char *source);

/* The event in an expression that is about replacing by nature, or NULL. */
const char *account_replacing(const char *text);

/* "event", "neighbours": what every JSON object begins with. */
void account_json_begin(dusk_json *json, const account_job *job);
void account_json_end(dusk_json *json);
/* The last lines of every answer for people. */
void account_print_end(const account_job *job, const char *method);
/* What an accountant is, in a few words. */
const char *account_method(dusk_accountant accountant);

dusk_status account_answer(const account_job *job, dusk_error *err);
dusk_status account_compare(const account_job *job, dusk_error *err);
dusk_status account_solve(const account_job *job, dusk_error *err);
dusk_status account_curve(const account_job *job, dusk_error *err);
dusk_status account_tradeoff(const account_job *job, dusk_error *err);

/* A curve: y between lower and upper at every x. */
typedef struct account_series {
    double *x, *lower, *upper;
    size_t n;
    dusk_accountant accountant; /* who answered at the last point */
    bool approximation;
} account_series;
dusk_status account_series_new(account_series *out, size_t n, dusk_error *err);
void account_series_free(account_series *series); /* also after a failure */
/* Delta over epsilon, as far as `delta` unless an option says otherwise; with
 * `round` at epsilons of few digits. */
dusk_status account_sample_curve(const account_job *job, account_series *out, size_t n, double delta,
                                 bool round, dusk_error *err);
#define ACCOUNT_CURVE_DELTA 1e-10

/* Drawings; the answer, if there is one, is marked. */
dusk_status account_plot_curve(const account_job *job, dusk_error *err);
dusk_status account_plot_tradeoff(const account_job *job, dusk_error *err);
dusk_status account_plot_steps(const account_job *job, dusk_error *err);

#endif
