/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_TRAIN_STOP_H
#define DUSK_CLI_TRAIN_STOP_H

/* What is said when a training is stopped by Ctrl-C or the like: what stays charged, and whether it can go on. */

#include "cli/train.h"

/* From now on; `source`: a ledger is charged. */
void train_stop_watch(const train_plan *plan, const train_settings *s, bool source);
/* Not any more. */
void train_stop_end(void);

#endif
