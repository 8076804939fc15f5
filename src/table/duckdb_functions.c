/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions of the DuckDB engine, as table/engine.h lists them: text to values by the rules that all
 * engines share, numbers to text, and exact sums. DuckDB's own sum of doubles depends on the order in
 * which its threads see the rows. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mutant.h"
#include "dusk/numeric.h"
#include "table/calendar.h"
#include "table/duckdb_engine.h"

/* --- values into vectors ---------------------------------------------------------------------- */

duckdb_type_id duckdb_type_of(dusk_type type)
{
    switch (type) {
    case DUSK_TYPE_INTEGER: return DUCKDB_BIGINT;
    case DUSK_TYPE_REAL: return DUCKDB_DOUBLE;
    case DUSK_TYPE_TEXT: return DUCKDB_VARCHAR;
    case DUSK_TYPE_BOOLEAN: return DUCKDB_BOOLEAN;
    case DUSK_TYPE_DATE: return DUCKDB_DATE;
    case DUSK_TYPE_TIMESTAMP: return DUCKDB_TIMESTAMP;
    }
    return DUCKDB_VARCHAR;
}

void duckdb_writer_begin(duckdb_writer *out, const duckdb_api *api, duckdb_vector vector, dusk_type type)
{
    *out =
        (duckdb_writer){ .api = api, .vector = vector, .type = type, .data = api->vector_get_data(vector) };
}

void duckdb_put_null(duckdb_writer *w, size_t row)
{
    if (!w->valid) {
        w->api->vector_ensure_validity_writable(w->vector);
        w->valid = w->api->vector_get_validity(w->vector);
    }
    w->valid[row / 64] &= ~((uint64_t)1 << (row % 64));
}

static void put_text(duckdb_writer *w, size_t row, const char *text, size_t length)
{
    duckdb_text *out = (duckdb_text *)w->data + row;
    if (length > DUCKDB_INLINED) {
        w->api->vector_assign_string_element_len(w->vector, row, text, length);
        return;
    }
    memset(out, 0, sizeof *out); /* what is behind the text takes part in comparisons */
    out->length = (uint32_t)length;
    if (length) memcpy(out->inlined.text, text, length);
}

/* Dates are days, timestamps microseconds since 1970. */
static void put_time(duckdb_writer *w, size_t row, const table_value *value)
{
    table_time time;
    if (!table_read_time(&time, value->text, value->length)) {
        duckdb_put_null(w, row);
        return;
    }
    int64_t days = table_days(&time), seconds = time.hour * 3600 + time.minute * 60 + time.second;
    if (w->type == DUSK_TYPE_DATE)
        ((int32_t *)w->data)[row] = (int32_t)days;
    else
        ((int64_t *)w->data)[row] = (days * 86400 + seconds) * 1000000;
}

void duckdb_put(duckdb_writer *w, size_t row, const table_value *value)
{
    if (value->null) {
        duckdb_put_null(w, row);
        return;
    }
    switch (w->type) {
    case DUSK_TYPE_INTEGER: ((int64_t *)w->data)[row] = value->integer; return;
    case DUSK_TYPE_REAL: ((double *)w->data)[row] = value->real + 0.0; return; /* -0 is 0 */
    case DUSK_TYPE_BOOLEAN: ((bool *)w->data)[row] = value->integer != 0; return;
    case DUSK_TYPE_TEXT: put_text(w, row, value->text, value->length); return;
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP: put_time(w, row, value); return;
    }
}

static bool is_valid(const uint64_t *valid, size_t row)
{
    return !valid || (valid[row / 64] >> (row % 64) & 1);
}

/* --- scalars ------------------------------------------------------------------------------------ */

/* dusk_to_integer(text) and its kin; dusk_cut(text). */
static void text_to_value(duckdb_info info, duckdb_chunk input, duckdb_vector output)
{
    const duckdb_api *api = duckdb_loaded();
    const dusk_type *type = api->scalar_function_get_extra_info(info);
    duckdb_vector vector = api->data_chunk_get_vector(input, 0);
    const duckdb_text *texts = api->vector_get_data(vector);
    const uint64_t *valid = api->vector_get_validity(vector);
    size_t rows = (size_t)api->data_chunk_get_size(input);
    duckdb_writer writer;
    duckdb_writer_begin(&writer, api, output, *type);
    for (size_t i = 0; i < rows; i++) {
        table_value value = { .null = true };
        if (is_valid(valid, i)) table_cast_text(&value, *type, DUCKDB_TEXT(texts[i]), texts[i].length);
        if (*type == DUSK_TYPE_TEXT && !value.null) value.length = table_text_cut(value.text, value.length);
        duckdb_put(&writer, i, &value);
    }
}

/* dusk_number_text(number). */
static void number_to_text(duckdb_info info, duckdb_chunk input, duckdb_vector output)
{
    const duckdb_api *api = duckdb_loaded();
    duckdb_vector vector = api->data_chunk_get_vector(input, 0);
    const double *numbers = api->vector_get_data(vector);
    const uint64_t *valid = api->vector_get_validity(vector);
    size_t rows = (size_t)api->data_chunk_get_size(input);
    duckdb_writer writer;
    (void)info;
    duckdb_writer_begin(&writer, api, output, DUSK_TYPE_TEXT);
    for (size_t i = 0; i < rows; i++) {
        table_value value = { .null = true };
        if (is_valid(valid, i)) table_cast_real(&value, DUSK_TYPE_TEXT, numbers[i]);
        duckdb_put(&writer, i, &value);
    }
}

static bool add_scalar(const duckdb_engine *e, const char *name, duckdb_type_id from, const dusk_type *to,
                       void (*call)(duckdb_info, duckdb_chunk, duckdb_vector))
{
    const duckdb_api *api = e->api;
    duckdb_scalar function = api->create_scalar_function();
    duckdb_type argument = api->create_logical_type(from),
                result = api->create_logical_type(duckdb_type_of(*to));
    api->scalar_function_set_name(function, name);
    api->scalar_function_add_parameter(function, argument);
    api->scalar_function_set_return_type(function, result);
    api->scalar_function_set_special_handling(function); /* NULLs are ours to see */
    api->scalar_function_set_extra_info(function, (void *)(uintptr_t)to, NULL);
    api->scalar_function_set_function(function, call);
    bool fine = api->register_scalar_function(e->connection, function) == 0;
    api->destroy_logical_type(&argument);
    api->destroy_logical_type(&result);
    api->destroy_scalar_function(&function);
    return fine;
}

/* --- exact sums ----------------------------------------------------------------------------------- */

/* The sum lies in a state of DuckDB's, whose beginning is aligned to 8 bytes, as ours need be. */
typedef struct total {
    uint64_t n;
    dusk_exact_sum sum;
} total;

static uint64_t total_size(duckdb_info info)
{
    (void)info;
    return sizeof(total);
}

static void total_init(duckdb_info info, duckdb_state state)
{
    total *t = state;
    (void)info;
    t->n = 0;
    dusk_exact_sum_init(&t->sum);
}

/* What is not finite is left out. */
static void total_update(duckdb_info info, duckdb_chunk input, duckdb_state *states)
{
    const duckdb_api *api = duckdb_loaded();
    duckdb_vector vector = api->data_chunk_get_vector(input, 0);
    const double *numbers = api->vector_get_data(vector);
    const uint64_t *valid = api->vector_get_validity(vector);
    size_t rows = (size_t)api->data_chunk_get_size(input);
    (void)info;
    for (size_t i = 0; i < rows; i++) {
        if (!is_valid(valid, i) || !isfinite(numbers[i])) continue;
        total *t = states[i];
        t->n++;
        dusk_exact_sum_add(&t->sum, &numbers[i], 1);
        if (DUSK_MUTATE(DUCKDB_SUM_OF_DOUBLES, false, true)) {
            double rounded = dusk_exact_sum_value(&t->sum);
            dusk_exact_sum_init(&t->sum);
            dusk_exact_sum_add(&t->sum, &rounded, 1);
        }
    }
}

static void total_combine(duckdb_info info, duckdb_state *from, duckdb_state *to, uint64_t n)
{
    (void)info;
    for (uint64_t i = 0; i < n; i++) {
        const total *f = from[i];
        total *t = to[i];
        t->n += f->n;
        dusk_exact_sum_merge(&t->sum, &f->sum);
    }
}

/* NULL of no rows, and where the sum is beyond doubles. */
static void put_totals(duckdb_state *states, duckdb_vector result, uint64_t n, uint64_t offset, bool average)
{
    duckdb_writer writer;
    duckdb_writer_begin(&writer, duckdb_loaded(), result, DUSK_TYPE_REAL);
    for (uint64_t i = 0; i < n; i++) {
        const total *t = states[i];
        double sum = dusk_exact_sum_value(&t->sum);
        table_value value = { .real = average ? sum / (double)t->n : sum };
        value.null = t->n == 0 || !isfinite(value.real);
        duckdb_put(&writer, (size_t)(offset + i), &value);
    }
}

static void sum_end(duckdb_info info, duckdb_state *states, duckdb_vector result, uint64_t n, uint64_t offset)
{
    (void)info;
    put_totals(states, result, n, offset, false);
}

static void average_end(duckdb_info info, duckdb_state *states, duckdb_vector result, uint64_t n,
                        uint64_t offset)
{
    (void)info;
    put_totals(states, result, n, offset, true);
}

static bool add_aggregate(const duckdb_engine *e, const char *name,
                          void (*end)(duckdb_info, duckdb_state *, duckdb_vector, uint64_t, uint64_t))
{
    const duckdb_api *api = e->api;
    duckdb_aggregate function = api->create_aggregate_function();
    duckdb_type number = api->create_logical_type(DUCKDB_DOUBLE);
    api->aggregate_function_set_name(function, name);
    api->aggregate_function_add_parameter(function, number);
    api->aggregate_function_set_return_type(function, number);
    api->aggregate_function_set_functions(function, total_size, total_init, total_update, total_combine, end);
    bool fine = api->register_aggregate_function(e->connection, function) == 0;
    api->destroy_logical_type(&number);
    api->destroy_aggregate_function(&function);
    return fine;
}

dusk_status duckdb_functions_register(duckdb_engine *e, dusk_error *err)
{
    static const struct {
        const char *name;
        dusk_type type;
    } casts[] = {
        { "dusk_to_integer", DUSK_TYPE_INTEGER },     { "dusk_to_real", DUSK_TYPE_REAL },
        { "dusk_to_boolean", DUSK_TYPE_BOOLEAN },     { "dusk_to_date", DUSK_TYPE_DATE },
        { "dusk_to_timestamp", DUSK_TYPE_TIMESTAMP }, { "dusk_cut", DUSK_TYPE_TEXT },
    };
    static const dusk_type text = DUSK_TYPE_TEXT;
    bool fine = add_scalar(e, "dusk_number_text", DUCKDB_DOUBLE, &text, number_to_text);
    for (size_t i = 0; fine && i < sizeof casts / sizeof *casts; i++)
        fine = add_scalar(e, casts[i].name, DUCKDB_VARCHAR, &casts[i].type, text_to_value);
    fine = fine && add_aggregate(e, "dusk_sum", sum_end) && add_aggregate(e, "dusk_avg", average_end);
    return fine ? DUSK_OK : dusk_engine_failed(err, "duckdb", "starting");
}
