/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_NAMES_H
#define DUSK_LEDGER_NAMES_H

/* What the texts of callers may be: UTF-8 that can be shown and written as JSON. */

#include <stddef.h>

#include "base/error.h"

/* DUSK_ERR_ARGUMENT unless it is 1 to LEDGER_NAME_MAX bytes of UTF-8 without control characters. */
DUSK_MUST_USE dusk_status ledger_check_analyst(const char *name, dusk_error *err);
/* At most `most` bytes of UTF-8; `what` names it in the message. */
DUSK_MUST_USE dusk_status ledger_check_text(const char *text, const char *what, size_t most, dusk_error *err);
/* A subject, which may be empty (the whole source), or a property, which has no blank and may
 * not: at most LEDGER_SUBJECT_MAX bytes without control characters. */
DUSK_MUST_USE dusk_status ledger_check_subject(const char *subject, dusk_error *err);
DUSK_MUST_USE dusk_status ledger_check_property(const char *property, dusk_error *err);

#endif
