/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of callers, checked; see names.h. */
#include "ledger/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "ledger/store.h"

/* Well formed, at most `most` bytes; without controls: no C0, DEL, C1. */
static bool is_text(const char *text, size_t most, bool controls)
{
    size_t length = strnlen(text, most + 1);
    if (length > most || !dusk_utf8_valid(text, length)) return false;
    for (const unsigned char *s = (const unsigned char *)text; *s && !controls; s++)
        if (*s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0)) return false;
    return true;
}

dusk_status ledger_check_analyst(const char *name, dusk_error *err)
{
    if (name && *name && *name != ' ' && name[strlen(name) - 1] != ' ' &&
        is_text(name, LEDGER_NAME_MAX, false))
        return DUSK_OK;
    return dusk_fail(
        err, DUSK_ERR_ARGUMENT, "give a name such as alice",
        "the analyst's name must be UTF-8 without control characters or blanks at its ends, at most "
        "%d bytes",
        LEDGER_NAME_MAX);
}

dusk_status ledger_check_text(const char *text, const char *what, size_t most, dusk_error *err)
{
    if (text && is_text(text, most, true)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the %s must be UTF-8 of at most %zu bytes", what, most);
}

dusk_status ledger_check_subject(const char *subject, dusk_error *err)
{
    if (subject && is_text(subject, LEDGER_SUBJECT_MAX, false)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a name such as visits.age",
                     "the subject of a fact must be UTF-8 without control characters, at most %d bytes",
                     LEDGER_SUBJECT_MAX);
}

dusk_status ledger_check_property(const char *property, dusk_error *err)
{
    if (property && *property && is_text(property, LEDGER_SUBJECT_MAX, false) && !strchr(property, ' '))
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a word such as bounds",
                     "the property of a fact must be one word of 1 to %d bytes of UTF-8", LEDGER_SUBJECT_MAX);
}
