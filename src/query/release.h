/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RELEASE_H
#define DUSK_QUERY_RELEASE_H

/* What a plan costs, and its release. Terms are fixed from the plan and the options alone, before any
 * row is read: which totals are needed, the noise of each, the rule by which private keys are shown, and
 * the event that is charged. Then the bounded groups become a released table, and what the analyst
 * makes of it (expressions, HAVING, ORDER BY, LIMIT) is post-processing. */

#include "dusk/mechanisms.h"
#include "dusk/query.h"
#include "query/bounding.h"
#include "query/plan.h"

typedef struct query_terms query_terms;

/* DUSK_ERR_ARGUMENT, DUSK_ERR_UNSUPPORTED with a hint where the options do not fit the plan, which must outlive
 * the terms. */
DUSK_MUST_USE dusk_status query_terms_new(query_terms **out, const query_plan *plan,
                                          const dusk_query_options *options, dusk_neighbours neighbours,
                                          dusk_error *err);
void query_terms_free(query_terms *terms);
/* As filters and compositions read it: parameters of noise are relative to what one unit that comes or goes can
 * change, and price twice the distance under replace-one; the noise is drawn for that. */
const dusk_event *query_terms_event(const query_terms *terms);
/* The delta at which a basic filter prices the event (dusk_charge.delta). */
double query_terms_delta(const query_terms *terms);
/* Everything but `groups`, memory, folder and threads of the bounding; borrowed from the terms. */
void query_terms_bounding(const query_terms *terms, bounding_options *out);
/* Sensitivities, noise, expected error of each output, and cost, in words; to be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status query_terms_describe(const query_terms *terms, char **out, dusk_error *err);
/* All that makes two answers interchangeable but epsilon: delta, bounds, shares, the law of noise, confidence,
 * neighbours; for fingerprints. */
DUSK_MUST_USE dusk_status query_terms_normal(const query_terms *terms, char **out, dusk_error *err);

/* Draw, and make the table. Private keys: those that the rule shows, sorted by their values. */
DUSK_MUST_USE dusk_status query_release(dusk_result **out, const query_plan *plan, const query_terms *terms,
                                        const bounded *groups, dusk_generator *gen, dusk_error *err);

#ifdef DUSK_TESTING
/* Leave all noise out, show all keys, and make quantiles those of the rows, until it is called with false: so
 * that a test can compare a whole query with plain arithmetic. */
void query_release_without_noise(bool off);
#endif

/* Post-processing, an expression over a released row. `cells` are the columns; the interval is that of the
 * expression over the box of the cells' intervals, or [-inf, inf] where it is not known. Total. */
DUSK_MUST_USE dusk_status query_evaluate(dusk_cell *out, const query_expression *expression,
                                         const dusk_cell *cells, query_arena *arena, dusk_error *err);

#endif
