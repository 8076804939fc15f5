/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: results as the ledger stores them. What is read is written back as the same bytes; what is
 * refused says where. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dusk_result *result = NULL;
    dusk_error err = { .status = DUSK_OK };
    char *text = NULL;
    size_t length = 0;
    dusk_status status = dusk_result_read(&result, (const char *)data, size, &err);
    if (status == DUSK_ERR_MEMORY) return 0;
    if (status != DUSK_OK) {
        if (status != DUSK_ERR_CORRUPT || result || !strstr(err.message, "byte ")) abort();
        return 0;
    }
    if (dusk_result_write(result, &text, &length, &err) != DUSK_OK) abort();
    if (length != size || memcmp(text, data, size) != 0) abort();
    dusk_ledger_free_text(text);
    dusk_result_free(result);
    return 0;
}
