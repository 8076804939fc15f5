/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: SQL over a fixed schema. Whatever is read is a plan that keeps the rule, or a refusal with a
 * sentence and a hint; the same text gives the same of both. As a release, and as rows to learn from. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query/plan.h"
#include "query/release_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const facts[][3] = {
    { "v", "source", "v.csv" },   { "v.u", "type", "integer" },   { "", "unit", "v.u" },
    { "v.c", "type", "text" },    { "v.c", "domain", "a,b" },     { "v.x", "type", "real" },
    { "v.x", "bounds", "-1:5" },  { "v.n", "type", "integer" },   { "v.n", "bounds", "0:9" },
    { "v.d", "type", "date" },    { "v.t", "type", "timestamp" }, { "v.o", "type", "boolean" },
    { "w", "source", "w.csv" },   { "w.k", "type", "integer" },   { "w.k", "unique", "yes" },
    { "w.u", "type", "integer" }, { "w.u", "link", "v" },         { "w.y", "type", "real" },
    { "l", "source", "l.csv" },   { "l.k", "type", "integer" },   { "l.k", "link", "w" },
    { "l.z", "type", "real" },    { "l.z", "bounds", "0:1" },     { "p", "source", "p.csv" },
    { "p", "public", "yes" },     { "p.c", "type", "text" },      { "p.c", "unique", "yes" },
    { "p.s", "type", "integer" },
};

static dusk_schema *make_schema(void)
{
    dusk_schema *schema = NULL;
    if (dusk_schema_new(&schema, NULL) != DUSK_OK) abort();
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], NULL) != DUSK_OK) abort();
    return schema;
}

typedef dusk_status maker(query_plan **out, const dusk_schema *schema, const char *sql, dusk_error *err);

static void check(maker *make, const dusk_schema *schema, const char *sql)
{
    query_plan *plan = NULL;
    dusk_error err = { .status = DUSK_OK };
    dusk_status status = make(&plan, schema, sql, &err);
    if (status == DUSK_OK) {
        if (query_plan_check(plan, &err) != DUSK_OK) abort();
    } else {
        if (status != DUSK_ERR_PARSE && status != DUSK_ERR_UNSUPPORTED) abort();
        if (err.status != status || err.message[0] == '\0' || err.hint[0] == '\0' || plan) abort();
    }
    query_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dusk_schema *schema;
    if (!schema) schema = make_schema();
    if (size > 8192) return 0;
    char *sql = malloc(size + 1);
    if (!sql) return 0;
    if (size) memcpy(sql, data, size);
    sql[size] = '\0';
    check(query_plan_new, schema, sql);
    check(query_plan_rows, schema, sql);
    free(sql);
    return 0;
}
