/* SPDX-License-Identifier: Apache-2.0 */
/* The suite: the tables of subjects one after the other. */
#include "audit/subject.h"

static const audit_subject *const tables[] = { audit_standard_subjects, audit_float_subjects,
                                               audit_dusk_subjects };
enum { TABLES = sizeof tables / sizeof *tables };

/* The subject at `index`; NULL beyond the last one. */
static const audit_subject *subject_at(size_t index)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const audit_subject *s = tables[t]; s->says.name; s++)
            if (index-- == 0) return s;
    return NULL;
}

size_t dusk_suite_size(void)
{
    size_t size = 0;
    while (subject_at(size)) size++;
    return size;
}

const dusk_suite_subject *dusk_suite_at(size_t index)
{
    const audit_subject *s = subject_at(index);
    return s ? &s->says : NULL;
}
