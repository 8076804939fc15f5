/* SPDX-License-Identifier: Apache-2.0 */
/* Data like that of TPC-H, from a fixed seed: row counts, keys, domains and distributions are those of the
 * specification (revision 3, section 4.2) wherever a query looks; columns that no query reads are left out,
 * and comments are short. Two thirds of the customers have orders, an order has one to seven lines,
 * and one order comment in eighty says "special requests". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tpch.h"

const char *const tpch_tables[TPCH_TABLES] = { "region",   "nation",   "supplier", "part",
                                               "partsupp", "customer", "orders",   "lineitem" };

/* Columns and types of the text files, in the order in which they are written. */
static const char *const columns[TPCH_TABLES] = {
    "'r_regionkey': 'INTEGER', 'r_name': 'VARCHAR'",
    "'n_nationkey': 'INTEGER', 'n_name': 'VARCHAR', 'n_regionkey': 'INTEGER'",
    "'s_suppkey': 'BIGINT', 's_nationkey': 'INTEGER'",
    "'p_partkey': 'BIGINT', 'p_name': 'VARCHAR', 'p_brand': 'VARCHAR', 'p_type': 'VARCHAR', 'p_size': "
    "'INTEGER', 'p_container': 'VARCHAR'",
    "'ps_partkey': 'BIGINT', 'ps_suppkey': 'BIGINT', 'ps_supplycost': 'DECIMAL(15,2)'",
    "'c_custkey': 'BIGINT', 'c_nationkey': 'INTEGER', 'c_phone': 'VARCHAR', 'c_acctbal': 'DECIMAL(15,2)', "
    "'c_mktsegment': 'VARCHAR'",
    "'o_orderkey': 'BIGINT', 'o_custkey': 'BIGINT', 'o_totalprice': 'DECIMAL(15,2)', 'o_orderdate': 'DATE', "
    "'o_orderpriority': 'VARCHAR', 'o_shippriority': 'INTEGER', 'o_comment': 'VARCHAR'",
    "'l_orderkey': 'BIGINT', 'l_partkey': 'BIGINT', 'l_suppkey': 'BIGINT', 'l_linenumber': 'INTEGER', "
    "'l_quantity': 'DECIMAL(15,2)', 'l_extendedprice': 'DECIMAL(15,2)', 'l_discount': 'DECIMAL(15,2)', "
    "'l_tax': 'DECIMAL(15,2)', 'l_returnflag': 'VARCHAR', 'l_linestatus': 'VARCHAR', 'l_shipdate': 'DATE', "
    "'l_commitdate': 'DATE', 'l_receiptdate': 'DATE', 'l_shipinstruct': 'VARCHAR', 'l_shipmode': 'VARCHAR'",
};

static const char *const regions[] = { "AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST" };
static const char *const nations[] = {
    "ALGERIA", "ARGENTINA", "BRAZIL",         "CANADA",       "EGYPT", "ETHIOPIA", "FRANCE",
    "GERMANY", "INDIA",     "INDONESIA",      "IRAN",         "IRAQ",  "JAPAN",    "JORDAN",
    "KENYA",   "MOROCCO",   "MOZAMBIQUE",     "PERU",         "CHINA", "ROMANIA",  "SAUDI ARABIA",
    "VIETNAM", "RUSSIA",    "UNITED KINGDOM", "UNITED STATES"
};
static const int region_of[] = { 0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1 };
static const char *const colours[] = {
    "almond",    "antique",    "aquamarine", "azure",     "beige",     "bisque",     "black",     "blanched",
    "blue",      "blush",      "brown",      "burlywood", "burnished", "chartreuse", "chiffon",   "chocolate",
    "coral",     "cornflower", "cornsilk",   "cream",     "cyan",      "dark",       "deep",      "dim",
    "dodger",    "drab",       "firebrick",  "floral",    "forest",    "frosted",    "gainsboro", "ghost",
    "goldenrod", "green",      "grey",       "honeydew",  "hot",       "indian",     "ivory",     "khaki",
    "lace",      "lavender",   "lawn",       "lemon",     "light",     "lime",       "linen",     "magenta",
    "maroon",    "medium",     "metallic",   "midnight",  "mint",      "misty",      "moccasin",  "navajo",
    "navy",      "olive",      "orange",     "orchid",    "pale",      "papaya",     "peach",     "peru",
    "pink",      "plum",       "powder",     "puff",      "purple",    "red",        "rose",      "rosy",
    "royal",     "saddle",     "salmon",     "sandy",     "seashell",  "sienna",     "sky",       "slate",
    "smoke",     "snow",       "spring",     "steel",     "tan",       "thistle",    "tomato",    "turquoise",
    "violet",    "wheat",      "white",      "yellow"
};
static const char *const types[][6] = { { "STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO" },
                                        { "ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED" },
                                        { "TIN", "NICKEL", "BRASS", "STEEL", "COPPER" } };
static const char *const sizes[] = { "SM", "LG", "MED", "JUMBO", "WRAP" };
static const char *const boxes[] = { "CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM" };
static const char *const segments[] = { "AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD" };
static const char *const priorities[] = { "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW" };
static const char *const instructions[] = { "DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN" };
static const char *const modes[] = { "REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB" };
static const char *const words[] = { "carefully", "quickly",  "furiously", "final",    "express", "pending",
                                     "regular",   "deposits", "accounts",  "packages", "ideas",   "sleep" };
#define ANY(m, list) ((list)[below(m, sizeof(list) / sizeof *(list))])

typedef struct maker {
    uint64_t state;
    size_t suppliers, parts, customers, orders;
    FILE *file[TPCH_TABLES];
} maker;

static uint64_t below(maker *m, uint64_t n)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((z ^ z >> 31) >> 32) * n >> 32; /* n is far below 2^32 */
}

static uint64_t from_to(maker *m, uint64_t low, uint64_t high) { return low + below(m, high - low + 1); }

/* Days since 1992-01-01 as a date; till 1999. */
static const char *date(char out[16], unsigned day)
{
    static const unsigned char length[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    unsigned year = 1992, month = 0;
    for (unsigned n; day >= (n = year % 4 ? 365 : 366); year++) day -= n;
    for (unsigned n; day >= (n = length[month] + (month == 1 && year % 4 == 0 ? 1u : 0u)); month++) day -= n;
    snprintf(out, 16, "%u-%02u-%02u", year, month + 1, day + 1);
    return out;
}
enum { TODAY = 1263 /* 1995-06-17 */, LAST_ORDER = 2405 /* 1998-08-02 */ };

/* --- public tables ---------------------------------------------------------------------------- */

/* Cents. */
static uint64_t price_of(size_t part) { return 90000 + part / 10 % 20001 + 100 * (part % 1000); }

static size_t supplier_of(const maker *m, size_t part, size_t i)
{
    return (part + i * (m->suppliers / 4 + (part - 1) / m->suppliers)) % m->suppliers + 1;
}

static void make_parts(maker *m)
{
    for (size_t p = 1; p <= m->parts; p++) {
        fprintf(m->file[3], "%zu|%s %s %s %s %s|Brand#%d%d|", p, ANY(m, colours), ANY(m, colours),
                ANY(m, colours), ANY(m, colours), ANY(m, colours), (int)from_to(m, 1, 5),
                (int)from_to(m, 1, 5));
        fprintf(m->file[3], "%s %s %s|%d|%s %s\n", types[0][below(m, 6)], types[1][below(m, 5)],
                types[2][below(m, 5)], (int)from_to(m, 1, 50), ANY(m, sizes), ANY(m, boxes));
        for (size_t i = 0; i < 4; i++)
            fprintf(m->file[4], "%zu|%zu|%.2f\n", p, supplier_of(m, p, i),
                    (double)from_to(m, 100, 100000) / 100);
    }
}

static void make_public(maker *m)
{
    for (int i = 0; i < 5; i++) fprintf(m->file[0], "%d|%s\n", i, regions[i]);
    for (int i = 0; i < 25; i++) fprintf(m->file[1], "%d|%s|%d\n", i, nations[i], region_of[i]);
    for (size_t i = 1; i <= m->suppliers; i++) fprintf(m->file[2], "%zu|%d\n", i, (int)below(m, 25));
    make_parts(m);
}

/* --- private tables --------------------------------------------------------------------------- */

static void make_customers(maker *m)
{
    for (size_t c = 1; c <= m->customers; c++) {
        int nation = (int)below(m, 25);
        fprintf(m->file[5], "%zu|%d|%d-%03d-%03d-%04d|%.2f|%s\n", c, nation, nation + 10,
                (int)from_to(m, 100, 999), (int)from_to(m, 100, 999), (int)from_to(m, 1000, 9999),
                (double)from_to(m, 0, 1099998) / 100 - 999.99, ANY(m, segments));
    }
}

/* Writes a line and gives its price in cents. */
static uint64_t make_line(maker *m, size_t order, int number, unsigned ordered)
{
    char shipped[16], committed[16], received[16];
    size_t part = from_to(m, 1, m->parts);
    uint64_t quantity = from_to(m, 1, 50), price = quantity * price_of(part);
    unsigned ship = ordered + (unsigned)from_to(m, 1, 121), commit = ordered + (unsigned)from_to(m, 30, 90),
             receive = ship + (unsigned)from_to(m, 1, 30);
    fprintf(m->file[7], "%zu|%zu|%zu|%d|%d|%.2f|0.%02d|0.%02d|%s|%s|%s|%s|%s|%s|%s\n", order, part,
            supplier_of(m, part, below(m, 4)), number, (int)quantity, (double)price / 100, (int)below(m, 11),
            (int)below(m, 9),
            receive > TODAY ? "N"
            : below(m, 2)   ? "R"
                            : "A",
            ship > TODAY ? "O" : "F", date(shipped, ship), date(committed, commit), date(received, receive),
            ANY(m, instructions), ANY(m, modes));
    return price;
}

static void make_orders(maker *m)
{
    char day[16];
    for (size_t i = 0; i < m->orders; i++) {
        size_t key = i / 8 * 32 + i % 8 + 1, customer;
        unsigned ordered = (unsigned)below(m, LAST_ORDER + 1);
        int lines = (int)from_to(m, 1, 7);
        uint64_t total = 0;
        do customer = from_to(m, 1, m->customers);
        while (customer % 3 == 0);
        for (int n = 1; n <= lines; n++) total += make_line(m, key, n, ordered);
        fprintf(m->file[6], "%zu|%zu|%.2f|%s|%s|0|%s %s %s%s %s\n", key, customer, (double)total / 100,
                date(day, ordered), ANY(m, priorities), ANY(m, words), ANY(m, words), ANY(m, words),
                below(m, 80) ? "" : " special ideas requests", ANY(m, words));
    }
}

/* --- files ------------------------------------------------------------------------------------ */

static void open_files(maker *m, const char *folder)
{
    char path[BENCH_PATH + 32];
    for (int t = 0; t < TPCH_TABLES; t++) {
        snprintf(path, sizeof path, "%s/%s.tbl", folder, tpch_tables[t]);
        if (!(m->file[t] = fopen(path, "wb"))) {
            perror(path);
            exit(5);
        }
    }
}

void tpch_make(bench_plain *plain, const char *folder, double scale)
{
    maker m = { .state = 1,
                .suppliers = (size_t)(10000 * scale),
                .parts = (size_t)(200000 * scale),
                .customers = (size_t)(150000 * scale),
                .orders = (size_t)(1500000 * scale) };
    char path[BENCH_PATH + 32];
    open_files(&m, folder);
    make_public(&m);
    make_customers(&m);
    make_orders(&m);
    for (int t = 0; t < TPCH_TABLES; t++) {
        if (fclose(m.file[t]) != 0) exit(5);
        snprintf(path, sizeof path, "%s/%s", folder, tpch_tables[t]);
        bench_plain_run(plain,
                        "COPY (FROM read_csv('%s.tbl', delim = '|', header = false, columns = {%s})) TO "
                        "'%s.parquet' (FORMAT parquet)",
                        path, columns[t], path);
        snprintf(path, sizeof path, "%s/%s.tbl", folder, tpch_tables[t]);
        (void)remove(path);
        bench_plain_run(plain, "CREATE VIEW %s AS FROM '%s/%s.parquet'", tpch_tables[t], folder,
                        tpch_tables[t]);
    }
}
