/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects that are mechanisms of Dusk: none yet. */
#include "audit/subject.h"

const audit_subject audit_dusk_subjects[] = { { .says = { .name = NULL } } };
