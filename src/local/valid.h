/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_VALID_H
#define DUSK_LOCAL_VALID_H

/* Whether some device could have made a report, without counters: for who passes reports on and does not count them. */

#include "local/protocol.h"

/* How many reports there are, where a report is a number below that; 0 where it is not. */
uint64_t local_answers(const dusk_client_task *task);
/* Whether it is known here for the randomiser; of others absorb says it (local/protocol.h). */
bool local_validity_is_known(const dusk_client_task *task);
/* Whether absorb would add a report, of such a randomiser. */
bool local_report_is_valid(const dusk_client_task *task, const uint8_t *report);

#endif
