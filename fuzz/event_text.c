/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the text form of events and compositions. Whatever is read must
 * be written back and read again as the same text; whatever is refused must
 * say why, and where; an event is also a composition. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/accounting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(dusk_status status, const dusk_error *err)
{
    if (err->status != status || err->message[0] == '\0') abort();
    if (status == DUSK_ERR_PARSE && !strstr(err->message, "column ")) abort();
    if (status == DUSK_ERR_INTERNAL) abort();
}

/* With a free variable, without one, and twice. */
static dusk_status read_as_composition(const char *text, const dusk_event *event)
{
    dusk_composition *composition;
    dusk_error err = { .status = DUSK_OK };
    if (dusk_composition_new(&composition, DUSK_ADD_REMOVE, &err) != DUSK_OK) return DUSK_ERR_MEMORY;
    dusk_status with = dusk_composition_parse_with(composition, text, "x", 2.5, &err);
    if (with != DUSK_OK) check_refusal(with, &err);
    dusk_status plain = dusk_composition_parse(composition, text, &err);
    if (plain != DUSK_OK) check_refusal(plain, &err);
    if (plain == DUSK_OK && with == DUSK_OK) abort(); /* the name is there, or it is not */
    dusk_status again = dusk_composition_parse(composition, text, &err);
    if (plain != DUSK_OK && again == DUSK_OK) abort();
    if (event && plain == DUSK_OK) {
        dusk_status added = dusk_composition_add(composition, event, 3, &err);
        if (added != DUSK_OK) check_refusal(added, &err);
    }
    dusk_composition_free(composition);
    return plain;
}

static void check_round_trip(const dusk_event *event)
{
    char first[8192], second[8192];
    dusk_event again;
    dusk_error err = { .status = DUSK_OK };
    double epsilon;
    if (dusk_event_format(event, first, sizeof first, &err) != DUSK_OK) abort();
    if (dusk_event_parse(&again, first, &err) != DUSK_OK) abort();
    if (dusk_event_format(&again, second, sizeof second, &err) != DUSK_OK) abort();
    if (strcmp(first, second) != 0 || memcmp(event, &again, sizeof again) != 0) abort();
    if (dusk_event_epsilon_up(event, &epsilon, 1e-6, &err) != DUSK_OK) return;
    if (!(epsilon >= 0)) abort(); /* NaN, or less than nothing */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2048];
    dusk_event event;
    dusk_error err = { .status = DUSK_OK };
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    dusk_status status = dusk_event_parse(&event, text, &err);
    dusk_status as_composition = read_as_composition(text, status == DUSK_OK ? &event : NULL);
    if (status != DUSK_OK) {
        check_refusal(status, &err);
        return 0;
    }
    if (as_composition != DUSK_OK) abort();
    check_round_trip(&event);
    return 0;
}
