/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: JSON as Apple's devices send it. What was given once is not taken again, and nothing is counted that is not there. */
#include <stdint.h>
#include <stdlib.h>

#include "dusk/local_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(dusk_collector *collector, const uint8_t *data, size_t size, uint64_t *taken,
                 uint64_t *dropped)
{
    dusk_intake *intake;
    if (dusk_intake_new(&intake, collector, 0, NULL) != DUSK_OK) abort();
    if (dusk_intake_take_json(intake, data, size, NULL) != DUSK_OK) abort();
    *taken = dusk_intake_taken(intake);
    *dropped = dusk_intake_dropped(intake);
    dusk_intake_end(intake);
    dusk_intake_free(intake);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < 2; i++) {
        dusk_survey survey;
        dusk_survey_options options;
        dusk_collector *collector;
        uint64_t taken, dropped, again, replayed;
        dusk_survey_options_init(&options);
        options.mechanism = i ? DUSK_HCMS : DUSK_CMS;
        options.epsilon = 4;
        options.rows = options.width = 8;
        if (dusk_survey_init(&survey, &options, NULL) != DUSK_OK) abort();
        if (dusk_collector_new(&collector, &survey, 0, 1, NULL) != DUSK_OK) abort();
        feed(collector, data, size, &taken, &dropped);
        if (taken != dusk_tally_reports(dusk_collector_tally(collector)) || taken > size) abort();
        feed(collector, data, size, &again, &replayed);
        if (again != 0 || replayed != taken + dropped) abort();
        dusk_collector_free(collector);
    }
    return 0;
}
