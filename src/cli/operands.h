/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_OPERANDS_H
#define DUSK_CLI_OPERANDS_H

/* The first operand of a command that has a table of them: finding its row, and holding the
 * options that were given against what the row needs and takes. */

#include "cli/options.h"

/* The row of the first operand, found by its name. `list` is what to type to see them all. */
dusk_status dusk_operand_find(const dusk_operand **out, const dusk_command *command,
                              const dusk_parsed *parsed, const char *list, dusk_error *err);

/* Options that would be ignored are refused, unless `everywhere` lists them; so are missing
 * ones. Values of secret options are not repeated in the hint. */
dusk_status dusk_operand_check(const dusk_operand *operand, const dusk_command *command,
                               const dusk_parsed *parsed, const char *everywhere, dusk_error *err);

#endif
