/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_CHILD_H
#define DUSK_CLI_CHILD_H

/* Programs of the user's that are run for what they print. Each is a process group of its
 * own with nothing on its standard input; what it says on standard error is passed on. None
 * is left behind: those still running are killed when this program is ended by Ctrl-C or
 * the like, or killed itself (guardian.h), and every one is waited for. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "dusk/base.h"

#define DUSK_CHILDREN_MAX 64 /* at a time */

typedef struct dusk_child {
    pid_t pid;  /* 0: none */
    int output; /* to read from */
} dusk_child;

/* Start words[0], found as a shell finds it. DUSK_ERR_PARSE when it cannot be started. */
dusk_status dusk_child_start(dusk_child *child, char *const *words, dusk_error *err);
/* Some of what it prints, waiting for it; 0 at the end. */
dusk_status dusk_child_read(dusk_child *child, char *bytes, size_t room, size_t *got, dusk_error *err);
/* It has printed what was wanted. Whether it ends by itself with exit code 0:
 * DUSK_ERR_PARSE otherwise. What prints on, or lives on for `patience_ms`, is ended, and that
 * is no failure; there is less patience the next time. */
#define DUSK_CHILD_PATIENCE_MS 2000
dusk_status dusk_child_finish(dusk_child *child, long *patience_ms, dusk_error *err);
/* End it now. */
void dusk_child_kill(dusk_child *child);

#endif
