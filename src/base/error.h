/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_ERROR_H
#define DUSK_BASE_ERROR_H

#include "dusk/base.h"

/* Fill `err` (when not NULL) with a status, one sentence and a hint, and
 * return the status, so that a check is one line:
 *     return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --epsilon 0.5", "epsilon must be ...");
 * `hint` may be "". Neither text may contain a data value. */
dusk_status dusk_fail(dusk_error *err, dusk_status status, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The one control-flow macro: on failure go to `done` with `status` set. */
#define DUSK_TRY(call)                                                                                       \
    do {                                                                                                     \
        if ((status = (call)) != DUSK_OK) goto done;                                                         \
    } while (0)

#endif
