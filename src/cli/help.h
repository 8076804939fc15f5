/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_HELP_H
#define DUSK_CLI_HELP_H

/* Everything that is written about a command, made from its table: the help on
 * the screen, the man page, the completions of the shells. `commands` is the
 * program itself first, then every command; it ends in NULL. */

#include <stdio.h>

#include "cli/options.h"

/* -h: one screen, one example. */
void dusk_help_short(FILE *file, const dusk_command *command);
/* --help: everything. */
void dusk_help_long(FILE *file, const dusk_command *command);
/* Either, for one operand of the command: what it needs and takes. `brief`: of a long one, what fits on a screen. */
void dusk_help_operand(FILE *file, const dusk_command *command, const dusk_operand *operand, bool brief);
/* Words in lines of one screen, behind a heading of its own. */
void dusk_help_words(FILE *file, const char *heading, const char *words);
/* A row of a table in a help: a name, and what is said of it, in lines of one screen. */
void dusk_help_row(FILE *file, const char *name, const char *says);
/* The operands with what each needs, one line each. */
void dusk_help_list(FILE *file, const dusk_command *command);

/* Operands that let the same be set stand together: whether `operand` is the first of those of its command, and the names of all of
 * them with `between`. */
bool dusk_help_leads_settings(const dusk_command *command, const dusk_operand *operand);
void dusk_help_put_alike(FILE *file, const dusk_command *command, const dusk_operand *operand,
                         const char *between);

/* What the exit codes mean; {NULL, NULL} ends the list. */
extern const char *const dusk_exit_meanings[][2];

/* Write DIR/dusk.1, DIR/dusk-release.1, ... */
dusk_status dusk_manual_write(const dusk_command *const *commands, const char *folder, dusk_error *err);

void dusk_completion_bash(FILE *file, const dusk_command *const *commands);
void dusk_completion_zsh(FILE *file, const dusk_command *const *commands);
void dusk_completion_fish(FILE *file, const dusk_command *const *commands);

#endif
