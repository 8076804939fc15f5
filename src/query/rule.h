/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_RULE_H
#define DUSK_QUERY_RULE_H

/* The rule of plan.h, looked at once more on the finished plan: whatever reading and binding did, a plan
 * that passes is a disjoint union over units. */

#include "query/plan.h"

DUSK_MUST_USE dusk_status query_rule_check(const query_plan *plan, dusk_error *err);

#endif
