/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RELEASE_PLAN_H
#define DUSK_QUERY_RELEASE_PLAN_H

/* Parts of the outermost SELECT. */

#include "query/aggregate.h"

/* public_keys and domain of a plan whose input is there; info[k] is what is known of key k. */
bool query_public_keys(binder *b, query_plan *plan, const bind_info *info);
/* measure, measures, values of a plan from the aggregates that were collected; value i is added to
 * `value`, which has room for all. */
bool query_measures_of(binder *b, query_plan *plan, const bind_calls *calls, const bind_source *source,
                       query_expression **value);
/* A copy of the relation without columns that are not needed. */
bool query_prune(binder *b, query_relation **top);
/* The rule of plan.h on a finished plan (emit_rule.c), and the columns of its top; DUSK_ERR_INTERNAL: a bug. */
DUSK_MUST_USE dusk_status query_plan_check(const query_plan *plan, dusk_error *err);

#endif
