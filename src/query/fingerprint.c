/* SPDX-License-Identifier: Apache-2.0 */
/* What names a request, so that asking again is free: the plan, the terms but for epsilon, and
 * everything that was declared about the tables it reads. Two requests with the same fingerprint
 * on the same version of the data have answers of the same law, up to epsilon. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/source.h"

/* Lengths first: no two lists of texts give the same bytes. */
static void add_bytes(crypto_generichash_state *state, const void *bytes, size_t size)
{
    uint64_t length = size;
    crypto_generichash_update(state, (const unsigned char *)&length, sizeof length);
    crypto_generichash_update(state, bytes, size);
}

static void add_text(crypto_generichash_state *state, const char *text)
{
    add_bytes(state, text, strlen(text));
}

static void add_column(crypto_generichash_state *state, const dusk_column *column)
{
    const uint64_t facts[] = { (uint64_t)column->type, column->nullable,    column->is_public, column->unique,
                               column->link_table,     column->link_column, column->values };
    const double bounds[] = { column->lower, column->upper };
    add_text(state, column->name);
    add_bytes(state, facts, sizeof facts);
    add_bytes(state, bounds, sizeof bounds);
    for (size_t i = 0; i < column->values; i++) add_text(state, column->domain[i]);
}

static void add_table(crypto_generichash_state *state, const dusk_schema *schema, size_t t)
{
    const dusk_table_schema *table = &schema->table[t];
    const uint64_t facts[] = { t, table->is_public, table->columns };
    add_text(state, table->name);
    add_text(state, table->source);
    add_bytes(state, facts, sizeof facts);
    for (size_t c = 0; c < table->columns; c++) add_column(state, &table->column[c]);
}

static void add_relation(crypto_generichash_state *state, const dusk_schema *schema,
                         const query_relation *relation)
{
    if (!relation) return;
    add_relation(state, schema, relation->input);
    add_relation(state, schema, relation->other);
    if (relation->kind != QUERY_SCAN) return;
    add_table(state, schema, relation->table);
    for (size_t i = 0; i < relation->path.steps; i++) add_table(state, schema, relation->path.step[i].table);
}

dusk_status query_fingerprint(char out[QUERY_FINGERPRINT_SIZE], const dusk_query *query, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_schema *schema = query->source->schema;
    const uint64_t unit[] = { schema->unit_table, schema->unit_column };
    char *plan = NULL, *terms = NULL;
    unsigned char hash[32];
    crypto_generichash_state state;
    DUSK_TRY(query_plan_normal(query->plan, &plan, err));
    DUSK_TRY(query_terms_normal(query->terms, &terms, err));
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    add_text(&state, plan);
    add_text(&state, terms);
    add_bytes(&state, unit, sizeof unit);
    if (DUSK_MUTATE(FINGERPRINT_FORGETS_FACTS, true, false)) {
        add_relation(&state, schema, query->plan->input);
        add_relation(&state, schema, query->plan->domain);
    }
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(out, QUERY_FINGERPRINT_SIZE, hash, sizeof hash);
done:
    dusk_deallocate(plan);
    dusk_deallocate(terms);
    return status;
}
