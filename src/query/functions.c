/* SPDX-License-Identifier: Apache-2.0 */
/* The functions and aggregates of SQL that are understood. */
#include "query/functions.h"

#include "query/parse.h"

static const query_signature functions[] = {
    { "abs", QUERY_ABS, "n", 'n' },
    { "sign", QUERY_SIGN, "n", 'n' },
    { "round", QUERY_ROUND, "n?I", 'n' },
    { "floor", QUERY_FLOOR, "n", 'n' },
    { "ceil", QUERY_CEIL, "n", 'n' },
    { "ceiling", QUERY_CEIL, "n", 'n' },
    { "sqrt", QUERY_SQRT, "n", 'r' },
    { "ln", QUERY_LN, "n", 'r' },
    { "exp", QUERY_EXP, "n", 'r' },
    { "power", QUERY_POWER, "nn", 'r' },
    { "pow", QUERY_POWER, "nn", 'r' },
    { "mod", QUERY_MODULO, "ii", 'i' },
    { "lower", QUERY_LOWER, "t", 't' },
    { "upper", QUERY_UPPER, "t", 't' },
    { "length", QUERY_LENGTH, "t", 'i' },
    { "char_length", QUERY_LENGTH, "t", 'i' },
    { "character_length", QUERY_LENGTH, "t", 'i' },
    { "trim", QUERY_TRIM, "t", 't' },
    { "btrim", QUERY_TRIM, "t", 't' },
    { "substring", QUERY_SUBSTRING, "tII", 't' },
    { "substr", QUERY_SUBSTRING, "tII", 't' },
    { "extract", QUERY_EXTRACT, "ud", 'i' },
    { "date_part", QUERY_EXTRACT, "ud", 'i' },
    { "date_trunc", QUERY_DATE_TRUNC, "ud", 'd' },
};

const query_signature *query_function_named(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (query_same_name(functions[i].name, name)) return &functions[i];
    return NULL;
}

static const query_aggregate aggregates[] = {
    { "count", QUERY_COUNT_ROWS, QUERY_INNER_COUNT },
    { "sum", QUERY_SUM, QUERY_INNER_SUM },
    { "avg", QUERY_MEAN, QUERY_INNER_AVG },
    { "min", QUERY_MINIMUM, QUERY_INNER_MIN },
    { "max", QUERY_MAXIMUM, QUERY_INNER_MAX },
    { "variance", QUERY_VARIANCE, 0 },
    { "var_samp", QUERY_VARIANCE, 0 },
    { "var_pop", QUERY_VARIANCE_POPULATION, 0 },
    { "stddev", QUERY_DEVIATION, 0 },
    { "stddev_samp", QUERY_DEVIATION, 0 },
    { "stddev_pop", QUERY_DEVIATION_POPULATION, 0 },
    { "median", QUERY_QUANTILE, 0 },
    { "percentile_cont", QUERY_QUANTILE, 0 },
    { "percentile_disc", QUERY_QUANTILE, 0 },
};

const query_aggregate *query_aggregate_named(const char *name)
{
    for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++)
        if (query_same_name(aggregates[i].name, name)) return &aggregates[i];
    return NULL;
}
