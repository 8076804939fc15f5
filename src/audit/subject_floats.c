/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects that are noise as doubles, audited bit by bit: none yet. */
#include "audit/subject.h"

const audit_subject audit_float_subjects[] = { { .says = { .name = NULL } } };
