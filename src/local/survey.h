/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_SURVEY_H
#define DUSK_LOCAL_SURVEY_H

/* What making a survey and reading one have in common. */

#include "dusk/local.h"

bool local_name_is_fine(const char *name);
/* Each attribute has a name of its own, and what is none has no name. */
bool local_attributes_are_fine(const dusk_survey *survey);
uint64_t local_survey_id(const dusk_survey *survey);
/* Check the task and fill in what follows from it: epsilon, permanent, id. */
DUSK_MUST_USE dusk_status local_survey_complete(dusk_survey *survey, dusk_error *err);

#endif
