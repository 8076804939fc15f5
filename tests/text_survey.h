/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_TEXT_SURVEY_H
#define DUSK_TESTS_TEXT_SURVEY_H

/* Surveys of texts on no list, and devices that report some. */

#include "dusk/local_strings.h"
#include "local_survey.h"

static inline dusk_survey text_survey(dusk_randomiser mechanism, double epsilon, uint32_t length,
                                      uint32_t step, uint32_t rows, uint32_t width)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = epsilon;
    options.domain = length;
    options.hashes = step;
    options.rows = rows;
    options.width = width;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

/* n people, of whom the i-th has text[i % texts]. */
static inline void report_texts(dusk_tally *tally, const char *const *text, size_t texts, size_t n,
                                uint64_t seed)
{
    const dusk_client_task *task = &dusk_tally_survey(tally)->task;
    dusk_generator *gen;
    dusk_generator_entropy context;
    uint8_t report[16];
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < n; i++) {
        const char *own = text[i % texts];
        assert_int_equal(dusk_client_text(task, report, (const uint8_t *)own, strlen(own), &entropy),
                         DUSK_CLIENT_OK);
        dusk_tally_add(tally, report, 1);
    }
    dusk_generator_free(gen);
}

#endif
