/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the text form of fields. Any text is fields or is refused with a sentence that names its line; what was taken
 * has a text form that is taken again, and is its own text form. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/frame.h"
#include "dusk/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dusk_fields *again(const dusk_fields *fields, char **text)
{
    dusk_fields *out;
    if (dusk_fields_format(fields, text, NULL) != DUSK_OK) abort();
    if (dusk_fields_parse(&out, *text, NULL) != DUSK_OK) abort();
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dusk_error err = { .status = DUSK_OK };
    dusk_fields *fields = NULL;
    char *text = malloc(size + 1), *first, *second;
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    dusk_status status = dusk_fields_parse(&fields, text, &err);
    if (status == DUSK_OK) {
        dusk_fields *twice = again(fields, &first), *thrice = again(twice, &second);
        if (strcmp(first, second) != 0 || twice->count != fields->count) abort();
        dusk_ledger_free_text(first);
        dusk_ledger_free_text(second);
        dusk_fields_free(twice);
        dusk_fields_free(thrice);
    } else if (status != DUSK_ERR_PARSE || fields || !err.message[0] || !err.hint[0])
        abort();
    dusk_fields_free(fields);
    free(text);
    return 0;
}
