/* SPDX-License-Identifier: Apache-2.0 */
/* The suite: the tables of subjects one after the other, and the audit of one of them: open it
 * for the claim, audit it as any caller would, and say what the verdict ought to be. */
#include <math.h>

#include "audit/rarer_side.h"
#include "audit/self.h"
#include "audit/subject.h"
#include "base/error.h"
#include "base/mutant.h"

static const audit_subject *const tables[] = {
    audit_additive_subjects, audit_discrete_subjects, audit_noisy_max_subjects, audit_sparse_vector_subjects,
    audit_float_subjects,    audit_self_numbers,      audit_self_places,        audit_self_choice,
    audit_self_streams,      audit_self_sums,         audit_self_summaries,     audit_self_ranks,
    audit_self_keys,         audit_self_tables,       audit_self_reports
};
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

/* By the truth where it is known, whatever the audit found; the oracles are right to 1e-9. */
static dusk_verdict expected_verdict(const audit_case *c)
{
    if (isnan(c->exact)) return c->broken ? DUSK_VIOLATION : DUSK_PASS;
    return c->exact > c->epsilon + DUSK_MUTATE(SUITE_EXPECTS_TOO_MUCH, 1e-9, 1.0) ? DUSK_VIOLATION
                                                                                  : DUSK_PASS;
}

static dusk_status audit_open_case(dusk_suite_result *out, const audit_case *c,
                                   const dusk_audit_options *options, uint64_t seed, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_audit_options own = *options;
    dusk_suite_result result = { .exact = c->exact };

    own.epsilon = c->epsilon;
    own.delta = c->delta;
    own.event = NULL;
    own.search = c->search;
    own.density = c->density;
    own.seed = seed;
    if (c->sampler.log_density && c->worst[0] && isfinite(c->exact)) {
        DUSK_TRY(audit_rarer_mass(&result.rarer_mass, &c->sampler, c->worst, c->delta, c->exact, err));
        if (result.rarer_mass < AUDIT_RAREST) own.density = DUSK_DENSITY_TRUSTED;
    }
    if (c->draws > 0 && (own.draws == 0 || own.draws > c->draws)) own.draws = c->draws;
    if (c->worth > 0) own.worth = fmin(own.worth, c->worth);
    DUSK_TRY(dusk_audit_run(&result.report, &c->sampler, c->pairs, c->pair_count, &own, err));
    result.expected = expected_verdict(c);
    *out = result;
done:
    return status;
}

dusk_status dusk_suite_audit(dusk_suite_result *out, size_t index, double epsilon,
                             const dusk_audit_options *options, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const audit_subject *subject = subject_at(index);
    audit_case c = { .close = NULL };
    uint64_t seed;

    if (!subject)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "see dusk_suite_size", "the suite has no subject %zu",
                         index);
    if (!(epsilon >= 0.01 && epsilon <= 10))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 0.7 or 0.1",
                         "subjects of the suite claim an epsilon from 0.01 to 10");
    if (subject->audit) return subject->audit(out, epsilon, options, gen, err);
    DUSK_TRY(audit_seed(&seed, options->seed, err));
    /* The subject's coins and the auditor's choices come from different seeds. */
    DUSK_TRY(subject->open(&c, epsilon, audit_splitmix(&seed), gen, err));
    DUSK_TRY(audit_open_case(out, &c, options, audit_splitmix(&seed), err));
done:
    if (c.close) c.close(c.sampler.context);
    return status;
}
