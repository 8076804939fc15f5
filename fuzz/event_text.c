/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the text form of events. Whatever is read must be written back
 * and read again as the same text; whatever is refused must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/accounting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2048], first[4096], second[4096];
    dusk_event event, again;
    dusk_error err = { .status = DUSK_OK };
    double epsilon;
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (dusk_event_parse(&event, text, &err) != DUSK_OK) {
        if (err.message[0] == '\0') abort();
        return 0;
    }
    if (dusk_event_format(&event, first, sizeof first, &err) != DUSK_OK) abort();
    if (dusk_event_parse(&again, first, &err) != DUSK_OK) abort();
    if (dusk_event_format(&again, second, sizeof second, &err) != DUSK_OK) abort();
    if (strcmp(first, second) != 0) abort();
    if (dusk_event_epsilon_up(&event, &epsilon, 1e-6, &err) != DUSK_OK) return 0;
    if (!(epsilon >= 0)) abort(); /* NaN, or less than nothing */
    return 0;
}
