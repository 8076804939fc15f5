/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys are public, and where a public table says what they are: the relation of all combinations. */
#include <string.h>

#include "query/bind.h"
#include "query/release_plan.h"

#define LISTED_MAX 256u /* declared values beside keys of public tables */

/* A public relation of these expressions over `of`, without repetition. */
static bind_source *distinct_of(binder *b, query_relation *of, query_expression **e, size_t n)
{
    static const char *const none[] = { "" };
    const char **name = query_take(&b->in, n, sizeof *name);
    bind_source from = { .relation = of };
    if (!name || !(from.info = query_take(&b->in, of->columns, sizeof *from.info))) return NULL;
    for (size_t i = 0; i < n; i++) name[i] = none[0];
    bind_source *made = bind_project(b, &from, e, name, n);
    return made ? bind_distinct(b, made, -1) : NULL;
}

/* Values of a declared domain, one row each: constants over any public relation that has rows. A union in
 * halves, so that it is not deep. */
static bind_source *listed_values(binder *b, query_relation *over, const query_column *key, size_t from,
                                  size_t to)
{
    if (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        bind_source *l = listed_values(b, over, key, from, middle);
        bind_source *r = l ? listed_values(b, over, key, middle, to) : NULL;
        return r ? bind_union(b, l, r, -1) : NULL;
    }
    query_expression *e = from < key->facts.values ? bind_make_value(b, key->type, key->facts.domain[from])
                                                   : bind_make_null(b, key->type, -1);
    return e ? distinct_of(b, over, &e, 1) : NULL;
}

static bind_source *times(binder *b, bind_source *all, bind_source *next)
{
    if (!all || !next) return next;
    return bind_join(b, QUERY_INNER, all, next, NULL, -1);
}

/* Keys of one public relation together; `at` says where key k is in the product. */
static bind_source *keys_of_origin(binder *b, const query_plan *plan, const bind_info *info,
                                   query_relation *origin, size_t *at, size_t base)
{
    query_expression **e = query_take(&b->in, plan->keys, sizeof *e);
    size_t n = 0;
    if (!e) return NULL;
    for (size_t k = 0; k < plan->keys; k++) {
        if (info[k].origin != origin || plan->input->column[1 + k].facts.domain) continue;
        at[k] = base + n;
        e[n++] = info[k].from_origin;
    }
    return distinct_of(b, origin, e, n);
}

static bool domain_relation(binder *b, query_plan *plan, const bind_info *info)
{
    bind_source *all = NULL;
    query_relation *some = NULL;
    size_t *at = query_take(&b->in, plan->keys, sizeof *at), listed = 0;
    query_expression **e = query_take(&b->in, plan->keys, sizeof *e);
    if (!at || !e) return false;
    for (size_t k = 0; k < plan->keys; k++) at[k] = QUERY_NONE;
    for (size_t k = 0; k < plan->keys; k++) {
        if (at[k] != QUERY_NONE || plan->input->column[1 + k].facts.domain) continue;
        some = info[k].origin;
        if (!(all = times(b, all, keys_of_origin(b, plan, info, some, at, all ? all->relation->columns : 0))))
            return false;
    }
    for (size_t k = 0; k < plan->keys; k++) {
        const query_column *key = &plan->input->column[1 + k];
        size_t values = key->facts.values + key->facts.nullable;
        if (at[k] != QUERY_NONE) continue;
        if ((listed += values) > LISTED_MAX) {
            query_refuse(&b->in, plan->input->expression[1 + k]->position,
                         "group by fewer keys, or put these values into a public table",
                         "more than %u declared values are combined with keys of public tables", LISTED_MAX);
            return false;
        }
        at[k] = all->relation->columns;
        bind_source *one = listed_values(b, some, key, 0, values);
        bind_source *kept = one ? bind_distinct(b, one, -1) : NULL;
        if (!kept || !(all = times(b, all, kept))) return false;
    }
    for (size_t k = 0; k < plan->keys; k++)
        if (!(e[k] = bind_make_column(b, at[k], plan->input->column[1 + k].type, -1))) return false;
    if (!(all = bind_project(b, all, e, NULL, plan->keys))) return false;
    plan->domain = all->relation;
    return true;
}

bool query_public_keys(binder *b, query_plan *plan, const bind_info *info)
{
    size_t groups = 1;
    bool tables = false;
    plan->public_keys = true;
    for (size_t k = 0; k < plan->keys && plan->public_keys; k++) {
        query_column *key = &plan->input->column[1 + k];
        if (!bind_domain(b, &key->facts, key->type)) return false;
        tables = tables || !key->facts.domain;
        plan->public_keys = key->facts.domain || info[k].origin;
    }
    if (!plan->public_keys) return true;
    for (size_t k = 0; k < plan->keys; k++) {
        const query_facts *facts = &plan->input->column[1 + k].facts;
        if (!facts->domain) continue;
        if (facts->values + facts->nullable > QUERY_GROUPS_MAX / groups) {
            query_refuse(&b->in, plan->input->expression[1 + k]->position,
                         "group by fewer keys, or by coarser ones", "the keys have more than %u combinations",
                         QUERY_GROUPS_MAX);
            return false;
        }
        groups *= facts->values + facts->nullable;
    }
    return !tables || domain_relation(b, plan, info);
}
