/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_AUDIT_H
#define DUSK_CLI_AUDIT_H

/* dusk audit: what an attacker can show of a program, of samples, of a model, of Dusk. One
 * file a word (audit_exec.c, ...); the tables are in audit_table.c. */

#include <stdbool.h>
#include <stdint.h>

#include "base/decimal.h"
#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_audit_command;
extern const dusk_operand dusk_audit_words[];
extern const dusk_option dusk_audit_options_table[];
extern const dusk_section dusk_audit_sections[];
extern const dusk_example dusk_audit_examples[];

typedef struct audit_settings {
    double epsilon, delta, confidence, alarm, worth;
    double scale; /* of bits */
    const char *event, *inputs, *pairs, *renyi, *plot;
    int64_t draws, queries;
    int moves;
    bool json, strict, search, one_draw, curve, verbose;
    const char *columns, *guesses; /* of scores */
    double threshold;
    int lira;
    bool runs, coins, split, assume_gaussian;
    const char *only; /* of suite */
    int part;
    bool list;
} audit_settings;

/* One run. */
typedef struct audit_job {
    const audit_settings *settings;
    const dusk_parsed *parsed;
    const dusk_operand *word;
} audit_job;

typedef dusk_status audit_function(audit_job *job, dusk_error *err);
audit_function audit_exec;   /* audit_exec.c */
audit_function audit_bits;   /* audit_bits.c */
audit_function audit_timing; /* audit_timing.c */
audit_function audit_scores; /* audit_scores.c */
audit_function audit_suite;  /* audit_suite.c */

bool audit_given(const audit_job *job, const char *option);

/* x to so many decimal places, never above it. */
void audit_put_down(char text[DUSK_DECIMAL_SIZE], double x, int places);
/* "5.0e6", and small numbers as they are. */
void audit_put_draws(char text[DUSK_DECIMAL_SIZE], uint64_t draws);
/* "claimed 0.700 | measured >= 0.631 (95 %) | ... | pass | 5.0e6 draws | 0.9 s", without a line
 * end; the bound is cut, with places enough to hold it against the claim. `exact` NaN: not known. */
void audit_print_report(FILE *file, const dusk_audit_report *report, double confidence, double exact,
                        double cpu_s);
/* The fields of a report with all digits, into an object that is open; null: infinite or not
 * known. p and q are the sides of the bound. */
void audit_json_report(dusk_json *json, const dusk_audit_report *report, double exact, double cpu_s);
/* What the program says and returns after a verdict: DUSK_ERR_CHECK for a violation, and for
 * what is inconclusive with --strict. */
dusk_status audit_conclude(const audit_job *job, const dusk_audit_report *report, dusk_error *err);
/* n >= 2 points of the most that a test may reach under a claim, false alarms (x) from `low` to 1 by
 * equal factors; audit_scores_plot.c. */
void audit_region(double *x, double *y, size_t n, double low, double epsilon, double delta);
/* CPU seconds of this process and of the programs it has waited for. */
double audit_cpu(void);

#endif
