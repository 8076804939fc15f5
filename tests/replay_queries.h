/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REPLAY_QUERIES_H
#define TESTS_REPLAY_QUERIES_H

/* Whole queries on neighbouring worlds, call by call: two sources, each with a ledger of its own, the same
 * coins. Both are refused for the same reason or both run; every draw has its twin, totals move by what the
 * noise declares, all moves together cost no more than what was charged, both charges are equal, and
 * the answers are the same to the last bit. */

#include "base/memory.h"
#include "query/source.h"
#include "query_generator.h"
#include "replay.h"

typedef struct side {
    char *answer, *explained;
    dusk_receipt receipt;
    dusk_status prepared;
    dusk_error err;
} side;

static inline dusk_query_options random_options(uint64_t *random)
{
    dusk_query_options o;
    dusk_query_options_init(&o);
    o.epsilon = world_chance(random, 2) ? 0.5 : 40;
    o.delta = world_chance(random, 2) ? 1e-6 : 1e-3;
    o.noise = world_chance(random, 3) ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE;
    o.groups_per_unit = 1 + (uint32_t)world_below(random, 4);
    o.rows_per_group = 1 + (uint32_t)world_below(random, 3);
    o.rows_per_unit = (uint32_t)world_below(random, 6);
    o.threads = 1;
    return o;
}

static inline void run(side *s, dusk_source *source, const char *text, const dusk_query_options *o,
                       dusk_generator *gen)
{
    dusk_query *query;
    dusk_result *result;
    size_t length;
    *s = (side){ .err = { .message = "" } };
    s->prepared = dusk_query_prepare(&query, source, text, o, &s->err);
    if (s->prepared != DUSK_OK) return;
    OK(dusk_query_explain(query, &s->explained, &err));
    OK(dusk_query_run(query, &result, &s->receipt, gen, &err));
    OK(dusk_result_write(result, &s->answer, &length, &err));
    dusk_result_free(result);
    dusk_query_free(query);
}

static inline bool same_receipt(const dusk_receipt *a, const dusk_receipt *b)
{
    return a->charged == b->charged && a->cached == b->cached && a->cost.epsilon == b->cost.epsilon &&
           a->cost.delta == b->cost.delta && a->total.share == b->total.share &&
           a->total.spent.epsilon == b->total.spent.epsilon && a->total.spent.delta == b->total.spent.delta &&
           a->total.charges == b->total.charges;
}

/* Gaussian noise selects keys by noise for each, and how many there are is private: only the rule that tosses
 * a coin a key can be matched. */
static inline void choose_rule(dusk_source *source, const char *text, dusk_query_options *o)
{
    query_plan *plan;
    if (query_plan_new(&plan, dusk_source_schema(source), text, NULL) != DUSK_OK) return;
    if (!plan->public_keys) o->noise = DUSK_QUERY_LAPLACE;
    query_plan_free(plan);
}

/* One query on both sides; whether it ran. */
static inline bool replay_query(world_source at[2], const char *text, const dusk_query_options *o,
                                uint64_t coins)
{
    side s[2];
    char why[REPLAY_WHY];
    replay r = replay_open(coins);
    for (int i = 0; i < 2; i++) run(&s[i], at[i].source, text, o, r.gen[i]);
    bool ran = s[0].prepared == DUSK_OK, cached = s[0].receipt.cached;
    if (s[0].prepared != s[1].prepared || strcmp(s[0].err.message, s[1].err.message) != 0)
        fail_msg("%s\n%s\n%s", text, s[0].err.message, s[1].err.message);
    const replay_declared declared = { .epsilon = o->epsilon, .delta = o->delta, .coins_vary = true };
    if (ran) {
        assert_string_equal(s[0].explained, s[1].explained);
        if (strcmp(s[0].answer, s[1].answer) != 0)
            fail_msg("%s\nhas the answers\n%s\n%s", text, s[0].answer, s[1].answer);
        assert_true(same_receipt(&s[0].receipt, &s[1].receipt));
        if (cached)
            assert_true(r.record[0]->n == 0 && r.record[1]->n == 0);
        else if (!replay_compare(why, r.record[0], r.record[1], &declared))
            fail_msg("%s\n%s", text, why);
    }
    for (int i = 0; i < 2; i++) {
        dusk_deallocate(s[i].answer);
        dusk_deallocate(s[i].explained);
    }
    replay_free(&r);
    return ran && !cached;
}

#endif
