/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: SQL of an analyst. Any bytes are a question to a source; it is understood or refused, with a
 * sentence and the same one whatever the rows are: the other source has the same facts, and its files are
 * gone. The first byte says what stands around the bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dusk/query.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dusk_source *sources[2];
static char folders[2][32];

static const char *const tables[] = { "customer", "orders", "product" };
static const char *const rows[] = { "id,age,region,vip\n1,30,north,true\n",
                                    "id,customer,amount,day\n7,1,9.5,2024-02-29\n", "id,kind\n1,food\n" };
static const char *const facts[][3] = {
    { "customer.id", "type", "integer" },     { "customer.id", "unique", "yes" },
    { "customer.age", "type", "integer" },    { "customer.age", "bounds", "0:100" },
    { "customer.region", "domain", "a,b,c" }, { "customer.vip", "type", "boolean" },
    { "orders.id", "type", "integer" },       { "orders.id", "unique", "yes" },
    { "orders.customer", "type", "integer" }, { "orders.customer", "link", "customer" },
    { "orders.amount", "type", "real" },      { "orders.amount", "bounds", "0:500" },
    { "orders.day", "type", "date" },         { "product", "public", "yes" },
    { "product.id", "type", "integer" },      { "product.id", "unique", "yes" },
};

static void must(dusk_status status)
{
    if (status != DUSK_OK) abort();
}

static dusk_source *make(char folder[32], bool data_stays)
{
    char path[3][64], file[64];
    const char *uri[3] = { path[0], path[1], path[2] };
    dusk_source_options o;
    dusk_source *source;
    snprintf(folder, 32, "/tmp/dusk-fuzz-XXXXXX");
    if (!mkdtemp(folder)) abort();
    snprintf(file, sizeof file, "%s/x.dusk", folder);
    for (int t = 0; t < 3; t++) {
        snprintf(path[t], sizeof path[t], "%s/%s.csv", folder, tables[t]);
        FILE *out = fopen(path[t], "w");
        if (!out || fputs(rows[t], out) < 0 || fclose(out) != 0) abort();
    }
    dusk_source_options_init(&o);
    o.sources = uri;
    o.sources_count = 3;
    o.unit = "customer.id";
    o.engine = "sqlite";
    o.ledger.neighbours = DUSK_ADD_REMOVE;
    o.ledger.budget = (dusk_budget){ 10, 1e-6 };
    must(dusk_source_create(file, &o, NULL));
    must(dusk_source_open(&source, file, NULL));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        must(dusk_source_declare(source, facts[i][0], facts[i][1], facts[i][2], NULL));
    for (int t = 0; t < 3 && !data_stays; t++) (void)unlink(path[t]);
    return source;
}

static void clean(void)
{
    static const char *const files[] = { "customer.csv", "orders.csv", "product.csv", "x.dusk" };
    for (int i = 0; i < 2; i++) {
        char path[64];
        dusk_source_close(sources[i]);
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            snprintf(path, sizeof path, "%s/%s", folders[i], files[f]);
            (void)unlink(path);
        }
        (void)rmdir(folders[i]);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    for (int i = 0; i < 2; i++) sources[i] = make(folders[i], i == 0);
    (void)atexit(clean);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const around[][2] = {
        { "", "" },
        { "SELECT COUNT(*) FROM orders o JOIN customer c ON customer = c.id WHERE ", "" },
        { "SELECT ", " FROM orders" },
        { "SELECT region, ", " FROM customer GROUP BY region" },
        { "SELECT COUNT(*) FROM (SELECT ", " FROM orders GROUP BY customer) t" },
        { "SELECT SUM(age) FROM customer ", "" }
    };
    dusk_query_options o;
    dusk_error err[2] = { { .message = "" }, { .message = "" } };
    dusk_status status[2];
    char *text[2] = { NULL, NULL };
    if (size < 1 || size > 4000) return 0;
    const char *const *place = around[data[0] % (sizeof around / sizeof *around)];
    size_t room = size + 200;
    char *sql = malloc(room);
    if (!sql) abort();
    snprintf(sql, room, "%s%.*s%s", place[0], (int)(size - 1), (const char *)data + 1, place[1]);
    dusk_query_options_init(&o);
    o.epsilon = 1;
    o.delta = data[0] & 64 ? 1e-6 : 0;
    o.noise = data[0] & 128 ? DUSK_QUERY_GAUSSIAN : DUSK_QUERY_LAPLACE;
    for (int i = 0; i < 2; i++) {
        dusk_query *query;
        status[i] = dusk_query_prepare(&query, sources[i], sql, &o, &err[i]);
        if (status[i] == DUSK_ERR_INTERNAL || status[i] == DUSK_ERR_IO) abort();
        if (status[i] != DUSK_OK && !err[i].message[0]) abort();
        if (status[i] == DUSK_OK) must(dusk_query_explain(query, &text[i], NULL));
        dusk_query_free(query);
    }
    if (status[0] != status[1] || strcmp(err[0].message, err[1].message) != 0) abort();
    if (text[0] && strcmp(text[0], text[1]) != 0) abort();
    for (int i = 0; i < 2; i++) dusk_ledger_free_text(text[i]);
    free(sql);
    return 0;
}
