/* SPDX-License-Identifier: Apache-2.0 */
/* A query from text to answer. The order of steps is the promise:
 *   prepare   plan and price, from declared facts alone
 *   recall    a stored answer, if there is one
 *   open      engine and public groups: what can fail without a charge fails here
 *   reserve   the charge is on disk
 *   read      rows into bounding, here or on the server; exact totals
 *   release   noise
 *   commit    the answer is on disk beside its charge
 * After `reserve` nothing is refused: what fails is memory, disk, network or entropy, and the
 * charge stays. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/pushdown.h"
#include "query/source.h"

void dusk_query_free(dusk_query *query)
{
    if (!query) return;
    query_terms_free(query->terms);
    query_plan_free(query->plan);
    dusk_deallocate(query->analyst);
    dusk_deallocate(query->engine);
    dusk_deallocate(query->folder);
    dusk_deallocate(query->sql);
    dusk_deallocate(query);
}

static dusk_status copy_options(dusk_query *query, const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query->options = *options;
    DUSK_TRY(query_copy_text(&query->analyst, options->analyst, err));
    DUSK_TRY(query_copy_text(&query->engine, options->engine, err));
    DUSK_TRY(query_copy_text(&query->folder, options->folder, err));
    query->options.analyst = query->analyst;
    query->options.engine = query->engine;
    query->options.folder = query->folder;
done:
    return status;
}

dusk_status query_check_options(const dusk_query_options *options, dusk_error *err)
{
    if (options->size == sizeof *options && options->analyst) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_query_options_init first",
                     "the options of a query were not initialised");
}

dusk_status dusk_query_prepare(dusk_query **out, dusk_source *source, const char *sql,
                               const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger_options made;
    dusk_query *query = NULL;
    *out = NULL;
    DUSK_TRY(query_check_options(options, err));
    DUSK_NEW(query, 1);
    query->source = source;
    DUSK_TRY(query_copy_text(&query->sql, sql, err));
    DUSK_TRY(copy_options(query, options, err));
    DUSK_TRY(query_plan_new(&query->plan, source->schema, sql, err));
    dusk_ledger_made_with(source->ledger, &made);
    if (!query->plan->public_keys && made.filter != DUSK_FILTER_BASIC) {
        status =
            dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                      "declare them: dusk schema FILE set TABLE.COLUMN domain=a,b,c; or ask a source that "
                      "was made with --filter basic",
                      "keys that are not declared cannot be charged here: the filter of this source counts "
                      "no delta for each query");
        goto done;
    }
    DUSK_TRY(query_terms_new(&query->terms, query->plan, &query->options, made.neighbours, err));
    *out = query;
    query = NULL;
done:
    dusk_query_free(query);
    return status;
}

const dusk_event *dusk_query_event(const dusk_query *query) { return query_terms_event(query->terms); }

/* --- explain -------------------------------------------------------------------------------- */

dusk_status dusk_query_explain(const dusk_query *query, char **text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *plan = NULL, *terms = NULL, *both = NULL;
    size_t size;
    *text = NULL;
    DUSK_TRY(query_plan_describe(query->plan, &plan, err));
    DUSK_TRY(query_terms_describe(query->terms, &terms, err));
    size = strlen(plan) + strlen(terms) + 2;
    DUSK_NEW(both, size);
    snprintf(both, size, "%s\n%s", plan, terms);
    *text = both;
done:
    dusk_deallocate(plan);
    dusk_deallocate(terms);
    return status;
}

/* --- run -------------------------------------------------------------------------------------- */

/* Only a basic filter needs to be told at which delta to price an event. */
static void fill_charge(dusk_charge *charge, const dusk_query *query, const char *fingerprint)
{
    dusk_ledger_options made;
    dusk_ledger_made_with(query->source->ledger, &made);
    *charge = (dusk_charge){ .analyst = query->options.analyst,
                             .event = query_terms_event(query->terms),
                             .delta = made.filter == DUSK_FILTER_BASIC ? query_terms_delta(query->terms) : 0,
                             .purpose = query->sql,
                             .fingerprint = fingerprint,
                             .epsilon = query->options.epsilon,
                             .version = query->source->schema->version };
}

dusk_status query_receipt(dusk_receipt *receipt, dusk_source *source, const char *analyst, dusk_budget cost,
                          bool cached, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_receipt made = { .cost = cost, .charged = !cached, .cached = cached };
    DUSK_TRY(dusk_ledger_spending(source->ledger, &made.total, NULL, err));
    DUSK_TRY(dusk_ledger_spending(source->ledger, &made.analyst, analyst, err));
    *receipt = made;
done:
    return status;
}

/* Delta is used for private keys and Gaussian noise only; public keys by themselves cost nothing. */
static dusk_budget cost_of(const dusk_query *query)
{
    if (query->plan->public_keys && query->plan->measures == 0) return (dusk_budget){ 0, 0 };
    bool delta = !query->plan->public_keys || query_terms_delta(query->terms) > 0;
    return (dusk_budget){ query->options.epsilon, delta ? query->options.delta : 0 };
}

/* Everything the engine is asked for, and room for its rows: ready before the charge. */
typedef struct preparation {
    dusk_engine *engine;
    query_groups groups;
    char *sql;
    dusk_cell_type *types;
    query_pushdown *pushed; /* bounding on the server, */
    bounding *rows;         /* or here */
} preparation;

static void clear_preparation(preparation *ready)
{
    query_pushdown_free(ready->pushed);
    bounding_free(ready->rows);
    query_groups_clear(&ready->groups);
    dusk_deallocate(ready->sql);
    dusk_deallocate(ready->types);
}

static dusk_status open_bounding(preparation *ready, const dusk_query *query, dusk_generator *gen,
                                 dusk_error *err)
{
    const query_plan *plan = query->plan;
    bounding_options options;
    query_terms_bounding(query->terms, &options);
    options.unit_type = ready->types[0];
    options.key_types = ready->types + 1;
    options.keys = plan->keys;
    options.value_types = ready->types + 1 + plan->keys;
    options.values = plan->values;
    options.groups = plan->public_keys ? ready->groups.value : NULL;
    options.groups_count = ready->groups.groups;
    options.memory = query->options.memory;
    options.folder = query->options.folder;
    options.threads = query->options.threads;
    if (query_pushdown_pays(ready->engine) && query_pushdown_fits(&options, ready->engine->class->dialect))
        return query_pushdown_new(&ready->pushed, &options, ready->sql, gen, err);
    return bounding_new(&ready->rows, &options, gen, err);
}

static dusk_status prepare(preparation *ready, const dusk_query *query, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const query_plan *plan = query->plan;
    DUSK_TRY(query_source_engine(query->source, &ready->engine, query->options.engine, err));
    if (plan->public_keys) DUSK_TRY(query_groups_of(&ready->groups, plan, ready->engine, err));
    DUSK_NEW(ready->types, plan->input->columns);
    DUSK_TRY(query_emit(&ready->sql, ready->types, plan, plan->input, ready->engine->class->dialect, err));
    DUSK_TRY(open_bounding(ready, query, gen, err));
done:
    return status;
}

dusk_status query_read_rows(bounding *b, dusk_engine *engine, const char *sql, const dusk_cell_type *types,
                            size_t columns, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    DUSK_TRY(engine->class->query(engine, &cursor, sql, types, columns, err));
    for (;;) {
        DUSK_TRY(engine->class->next(cursor, &chunk, err));
        if (chunk.rows == 0) break;
        DUSK_TRY(bounding_add(b, &chunk, err));
    }
done:
    if (cursor) engine->class->end(cursor);
    return status;
}

static dusk_status bound(bounded **out, const dusk_query *query, preparation *ready, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (ready->pushed) {
        DUSK_TRY(query_pushdown_finish(ready->pushed, out, ready->engine, err));
    } else {
        DUSK_TRY(query_read_rows(ready->rows, ready->engine, ready->sql, ready->types,
                                 query->plan->input->columns, err));
        DUSK_TRY(bounding_finish(ready->rows, out, err));
    }
done:
    query_pushdown_free(ready->pushed);
    bounding_free(ready->rows);
    ready->pushed = NULL;
    ready->rows = NULL;
    return status;
}

/* The stored answer, if there is one; *out is NULL when there is none. */
static dusk_status recall(dusk_result **out, bool *shared, const dusk_query *query, const dusk_charge *charge,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    size_t length;
    DUSK_TRY(dusk_ledger_recall(query->source->ledger, &text, &length, shared, charge, err));
    if (text) DUSK_TRY(dusk_result_read(out, text, length, err));
done:
    dusk_ledger_free_text(text);
    return status;
}

/* Charge, read, draw, store. */
static dusk_status answer(dusk_result **out, const dusk_query *query, const dusk_charge *charge,
                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    preparation ready = { 0 };
    bounded *groups = NULL;
    dusk_result *result = NULL;
    char *text = NULL;
    size_t length;
    uint64_t id = 0;
    const bool first = DUSK_MUTATE(QUERY_CHARGE_AFTER_DRAW, true, false);
    DUSK_TRY(prepare(&ready, query, gen, err));
    if (first) DUSK_TRY(dusk_ledger_reserve(query->source->ledger, &id, charge, err));
    DUSK_TRY(bound(&groups, query, &ready, err));
    DUSK_TRY(query_release(&result, query->plan, query->terms, groups, gen, err));
    DUSK_TRY(dusk_result_write(result, &text, &length, err));
    if (!first) DUSK_TRY(dusk_ledger_reserve(query->source->ledger, &id, charge, err));
    DUSK_TRY(dusk_ledger_commit(query->source->ledger, id, text, length, err));
    *out = result;
    result = NULL;
done:
    dusk_ledger_free_text(text);
    dusk_result_free(result);
    bounded_free(groups);
    clear_preparation(&ready);
    return status;
}

dusk_status dusk_query_run(dusk_query *query, dusk_result **out, dusk_receipt *receipt, dusk_generator *gen,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char fingerprint[QUERY_FINGERPRINT_SIZE];
    dusk_charge charge;
    dusk_result *result = NULL;
    bool cached, shared = false;
    *out = NULL;
    DUSK_TRY(query_fingerprint(fingerprint, query, err));
    fill_charge(&charge, query, fingerprint);
    DUSK_TRY(recall(&result, &shared, query, &charge, err));
    cached = result != NULL;
    if (!cached) DUSK_TRY(answer(&result, query, &charge, gen, err));
    if (receipt) {
        DUSK_TRY(query_receipt(receipt, query->source, query->analyst, cost_of(query), cached, err));
        receipt->shared = shared;
    }
    *out = result;
    result = NULL;
done:
    dusk_result_free(result);
    return status;
}
