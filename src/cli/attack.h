/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_ATTACK_H
#define DUSK_CLI_ATTACK_H

/* dusk attack: what can be read off released numbers. Each word takes answers of the user's
 * (--answers, --means), or makes a release of a column of the user's and attacks it at once
 * (--release). One file a word (attack_averaging.c, ...); the tables are in attack_table.c. */

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_attack_command;
extern const dusk_operand dusk_attack_words[];
extern const dusk_option dusk_attack_options_table[];
extern const dusk_section dusk_attack_sections[];
extern const dusk_example dusk_attack_examples[];

/* The words of --release, in their order. */
typedef enum attack_kind { ATTACK_EXACT, ATTACK_DUSK, ATTACK_OVERSPENT, ATTACK_KEPT } attack_kind;
/* The first two are also the words of --expect. Open: nothing was shown, either way. */
typedef enum attack_verdict { ATTACK_FALLS, ATTACK_HOLDS, ATTACK_OPEN } attack_verdict;

typedef struct attack_settings {
    double epsilon, delta, confidence, step, wrong, prior, false_positives;
    const char *answers, *event, *column, *equals, *truth, *means, *reference, *guesses, *plot;
    int64_t people, queries, trials, members, person;
    int release, decoder, score, expect;
    bool json;
} attack_settings;

/* One run. `spent` is what was released, or NULL where that is not known or has no price. */
typedef struct attack_job {
    const attack_settings *settings;
    const dusk_parsed *parsed;
    const dusk_operand *word;
    const char *path;   /* of the data, or NULL */
    size_t people_most; /* rows that are read where --people does not say */
    dusk_generator *gen;
    dusk_composition *spent;
    char event[200];  /* what `spent` is, in words */
    dusk_noise noise; /* of so many counts together; kept, for calibrating takes longer than drawing */
    size_t noise_for;
    FILE *out; /* answers wait here: an error leaves no half of one */
    dusk_json json;
} attack_job;

typedef dusk_status attack_function(attack_job *job, dusk_error *err);
attack_function attack_differencing, attack_averaging, attack_reconstruction, attack_membership;

bool attack_given(const attack_job *job, const char *option);
/* "exact", "dusk", ... as given. */
const char *attack_release_name(const attack_job *job);
/* --release needs a file of data and, unless the answers are exact, --epsilon. */
dusk_status attack_check_release(const attack_job *job, dusk_error *err);

/* --- answers: a label and a text for people, a key and a value for machines ----------------- */

void attack_say(attack_job *job, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void attack_number(attack_job *job, const char *key, double x);
/* What was spent, epsilon at --delta; nothing where that is not known. */
dusk_status attack_say_spent(attack_job *job, dusk_error *err);
/* What the accountant leaves to somebody who guesses about one person, whose fact holds with
 * probability `prior`; 1 where there is no price. */
dusk_status attack_say_bound(attack_job *job, double prior, double *bound, dusk_error *err);
/* Falls where a share of right guesses is at least halfway from what needs no answers to knowing, and
 * the promise does not rule that out in the long run: few guesses may all be right by luck. */
attack_verdict attack_judge(double share, double baseline, double bound);
/* "verdict: falls", and whether that was expected. */
dusk_status attack_conclude(attack_job *job, attack_verdict verdict, const char *why, dusk_error *err);

/* --- data ------------------------------------------------------------------------------------ */

/* Whether people have what is asked about: 1 or 0 a row of --column; free `values`. */
typedef struct attack_secret {
    double *values;
    size_t people, holders;
} attack_secret;
dusk_status attack_read_secret(attack_job *job, attack_secret *out, dusk_error *err);
void attack_secret_free(attack_secret *secret);
/* "married = 1". */
void attack_name_secret(const attack_job *job, char *text, size_t size);

/* All finite numbers of a plain file, which are called `what` in messages. */
dusk_status attack_read_numbers(const char *path, const char *what, double **values, size_t *n,
                                dusk_error *err);

/* A table of numbers with a header, row by row. */
typedef struct attack_matrix {
    double *values;
    size_t rows, columns;
} attack_matrix;
dusk_status attack_read_matrix(const char *path, attack_matrix *out, dusk_error *err);
void attack_matrix_free(attack_matrix *matrix);

/* Lines of an answer and a word of 0 and 1, one for each person. */
dusk_status attack_read_groups(const char *path, dusk_groups **groups, double **answers, dusk_error *err);

/* --- releases --------------------------------------------------------------------------------- */

/* n counts as --release has it: as they are, under one budget of --epsilon for all, with
 * --epsilon for each, or the first one given n times. `job->spent` gets what that was. */
dusk_status attack_release_counts(attack_job *job, double *answers, const double *exact, size_t n,
                                  dusk_error *err);
/* n >= 1 counts with `each` spent on every one, and what the event of one is. */
dusk_status attack_release_each(attack_job *job, double *answers, const double *exact, size_t n,
                                dusk_budget each, dusk_event *event, dusk_error *err);
/* The same for the sums of `n` attributes of `members` people, each between 0 and 1; the number of
 * members is public, and neighbours exchange one. */
dusk_status attack_release_sums(attack_job *job, double *answers, const double *exact, size_t n,
                                dusk_error *err);
/* What the user says an answer's event is (--event), `times` times. */
dusk_status attack_spend_event(attack_job *job, uint64_t times, dusk_error *err);

/* How --decoder and --prior have it; `share` of people is known to have it where --prior does not say. */
void attack_reconstruction_options(const attack_job *job, dusk_reconstruction_options *options, double share);
/* The share of a column that is reconstructed over what was spent. */
dusk_status attack_plot_reconstruction(attack_job *job, const attack_secret *secret,
                                       const dusk_groups *groups, const double *exact, dusk_error *err);

#endif
