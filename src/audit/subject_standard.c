/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects of the literature: none yet. */
#include "audit/subject.h"

const audit_subject audit_standard_subjects[] = { { .says = { .name = NULL } } };
