/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_SEVERAL_SURVEY_H
#define DUSK_TESTS_SEVERAL_SURVEY_H

/* Surveys of several attributes by a few words. */

#include "dusk/local.h"
#include "support.h"

typedef struct several_case {
    dusk_randomiser mechanism;
    double epsilon;
    uint32_t order, attributes, sizes[DUSK_ATTRIBUTES_MOST];
} several_case;

static inline dusk_status several_try(dusk_survey *survey, const several_case *c, dusk_error *err)
{
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = c->mechanism;
    options.epsilon = c->epsilon;
    options.hashes = c->order;
    options.attributes = c->attributes;
    memcpy(options.sizes, c->sizes, sizeof options.sizes);
    return dusk_survey_init(survey, &options, err);
}

static inline dusk_survey several_of(const several_case *c)
{
    dusk_survey survey;
    dusk_error err;
    if (several_try(&survey, c, &err) != DUSK_OK) fail_msg("%s: %s", err.message, err.hint);
    return survey;
}

/* How many values people can have. */
static inline uint64_t several_values(const dusk_survey *survey)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < survey->task.attributes; i++) product *= survey->task.sizes[i];
    return product;
}

#endif
