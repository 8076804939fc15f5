/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_TPCH_H
#define DUSK_BENCH_TPCH_H

/* Data like that of TPC-H, and its queries in the form in which a customer can be the unit of privacy. */

#include <stdint.h>

#include "plain.h"

enum { TPCH_TABLES = 8 };
extern const char *const tpch_tables[TPCH_TABLES];

/* Write FOLDER/<table>.parquet for all tables. Scale 1 has 6 million lines of orders. */
void tpch_make(bench_plain *plain, const char *folder, double scale);
/* What is declared of them. */
extern const char *const tpch_facts[][3];

/* A query, and what it is asked with. */
typedef struct tpch_query {
    const char *name;
    const char *first; /* released before, and put for each $ of both texts; or NULL */
    const char *sql;
    double delta;
    uint32_t groups, rows;
} tpch_query;
/* The one after the last has no name. */
extern const tpch_query tpch_queries[];

#endif
