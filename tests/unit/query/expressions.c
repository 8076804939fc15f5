/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions over a grid of nasty values on real engines, like functions.c. Functions whose last
 * digit differs between machines are left out: floor and comparisons would make much of it. */
#include "query_grid.h"

static query_expression *random_of(bench *b, dusk_type type, uint64_t *seed, unsigned depth);

static query_expression *random_number(bench *b, dusk_type type, uint64_t *seed, unsigned depth)
{
    static const query_function sums[] = { QUERY_ADD, QUERY_SUBTRACT, QUERY_MULTIPLY, QUERY_LEAST,
                                           QUERY_GREATEST };
    static const query_function ones[] = { QUERY_NEGATE, QUERY_ABS, QUERY_SIGN, QUERY_FLOOR, QUERY_CEIL };
    query_expression *x = random_of(b, type, seed, depth - 1);
    switch (splitmix64(seed) % 6) {
    case 0: return CALL(ones[splitmix64(seed) % 5], type, x);
    case 1:
        if (type == DUSK_TYPE_INTEGER)
            return CALL(QUERY_MODULO, type, x, random_of(b, type, seed, depth - 1));
        return CALL(QUERY_DIVIDE, type, x, random_of(b, DUSK_TYPE_INTEGER, seed, depth - 1));
    case 2:
        if (type == DUSK_TYPE_INTEGER)
            return CALL(QUERY_LENGTH, type, random_of(b, DUSK_TYPE_TEXT, seed, depth - 1));
        return CALL(QUERY_TO_REAL, type,
                    random_of(b, splitmix64(seed) % 2 ? DUSK_TYPE_INTEGER : DUSK_TYPE_TEXT, seed, depth - 1));
    default: return CALL(sums[splitmix64(seed) % 5], type, x, random_of(b, type, seed, depth - 1));
    }
}

static query_expression *random_truth(bench *b, uint64_t *seed, unsigned depth)
{
    static const query_function compare[] = { QUERY_EQUAL, QUERY_LESS, QUERY_GREATER_EQUAL, QUERY_UNEQUAL };
    dusk_type type = types_of[1 + splitmix64(seed) % 6];
    query_expression *x = random_of(b, type, seed, depth - 1);
    switch (splitmix64(seed) % 4) {
    case 0: return CALL(QUERY_IS_NULL, DUSK_TYPE_BOOLEAN, x);
    case 1: return CALL(QUERY_NOT, DUSK_TYPE_BOOLEAN, random_of(b, DUSK_TYPE_BOOLEAN, seed, depth - 1));
    case 2:
        return CALL(splitmix64(seed) % 2 ? QUERY_AND : QUERY_OR, DUSK_TYPE_BOOLEAN,
                    random_of(b, DUSK_TYPE_BOOLEAN, seed, depth - 1),
                    random_of(b, DUSK_TYPE_BOOLEAN, seed, depth - 1));
    default:
        return CALL(compare[splitmix64(seed) % (type == DUSK_TYPE_BOOLEAN ? 1 : 4)], DUSK_TYPE_BOOLEAN, x,
                    random_of(b, type, seed, depth - 1));
    }
}

static query_expression *random_of(bench *b, dusk_type type, uint64_t *seed, unsigned depth)
{
    size_t c = type; /* WHOLE is the first of the types */
    if (depth == 0) return splitmix64(seed) % 2 ? COL(c) : SECOND(c);
    switch (splitmix64(seed) % 5) {
    case 0:
        return CALL(QUERY_CASE, type, random_of(b, DUSK_TYPE_BOOLEAN, seed, depth - 1),
                    random_of(b, type, seed, depth - 1), random_of(b, type, seed, depth - 1));
    case 1:
        return CALL(QUERY_COALESCE, type, random_of(b, type, seed, depth - 1),
                    random_of(b, type, seed, depth - 1));
    default: break;
    }
    switch (type) {
    case DUSK_TYPE_INTEGER:
    case DUSK_TYPE_REAL: return random_number(b, type, seed, depth);
    case DUSK_TYPE_BOOLEAN: return random_truth(b, seed, depth);
    case DUSK_TYPE_TEXT:
        if (splitmix64(seed) % 2) return CALL(QUERY_UPPER, type, random_of(b, type, seed, depth - 1));
        return CALL(QUERY_TO_TEXT, type, random_of(b, DUSK_TYPE_INTEGER, seed, depth - 1));
    default:
        if (splitmix64(seed) % 2)
            return CALL(QUERY_DATE_ADD, type, random_of(b, type, seed, depth - 1),
                        whole(&b->m, (int64_t)(splitmix64(seed) % 100) - 50),
                        whole(&b->m, (int64_t)(splitmix64(seed) % 100) - 50));
        return CALL(
            type == DUSK_TYPE_DATE ? QUERY_TO_DATE : QUERY_TO_TIMESTAMP, type,
            random_of(b, type == DUSK_TYPE_DATE ? DUSK_TYPE_TIMESTAMP : DUSK_TYPE_TEXT, seed, depth - 1));
    }
}

static void check_all(bench *b)
{
    uint64_t seed = 2024;
    for (int i = 0; i < 300; i++) {
        dusk_type type = types_of[1 + splitmix64(&seed) % 6];
        check(b, random_of(b, type, &seed, 1 + (unsigned)(i % 4)), 12);
    }
}

static void sqlite(void **state) { (void)state, on_engine(open_sqlite, check_all); }
static void duckdb(void **state) { (void)state, on_engine(open_duckdb, check_all); }
static void postgres(void **state) { (void)state, on_engine(open_postgres, check_all); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqlite),
        cmocka_unit_test(duckdb),
        cmocka_unit_test(postgres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
