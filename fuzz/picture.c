/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: pictures. Any bytes are one, or are none; twice the same. */
#include "table/picture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t numbers[] = { 1, 4, 12, 784, 3072 };
    unsigned char once[3072], again[3072];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        memset(once, 1, sizeof once);
        memset(again, 2, sizeof again);
        const bool there = table_picture_decode(once, numbers[i], data, size);
        if (table_picture_decode(again, numbers[i], data, size) != there) abort();
        if (there && memcmp(once, again, numbers[i]) != 0) abort();
    }
    return 0;
}
