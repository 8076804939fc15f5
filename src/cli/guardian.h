/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_GUARDIAN_H
#define DUSK_CLI_GUARDIAN_H

/* A small process beside this one that outlives it by a moment. When this one ends without being able
 * to do anything about it (kill -9, no memory left), the guardian kills the process groups that were
 * still running, and ends, too. */

#include <stdbool.h>
#include <sys/types.h>

/* Start it, once. Where that fails there is none, and nothing else fails. */
void dusk_guardian_start(void);
/* A process group runs from now on, or is about to be waited for. */
void dusk_guardian_tell(pid_t group, bool runs);

#endif
