/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_DUCKDB_API_H
#define DUSK_TABLE_DUCKDB_API_H

/* The part of DuckDB's C interface that the engine uses, with prototypes of our own: the library is
 * opened at run time, and no header of it is needed to build Dusk. Versions 1.2 and later are taken.
 * See https://duckdb.org/docs/stable/clients/c/api. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

typedef struct duckdb_database_ *duckdb_database;
typedef struct duckdb_connection_ *duckdb_connection;
typedef struct duckdb_config_ *duckdb_config;
typedef struct duckdb_statement_ *duckdb_statement;
typedef struct duckdb_chunk_ *duckdb_chunk;
typedef struct duckdb_vector_ *duckdb_vector;
typedef struct duckdb_type_ *duckdb_type;
typedef struct duckdb_scalar_ *duckdb_scalar;
typedef struct duckdb_table_ *duckdb_table;
typedef struct duckdb_aggregate_ *duckdb_aggregate;
typedef struct duckdb_info_ *duckdb_info; /* of a bind, an init, or a call */
typedef void *duckdb_state;               /* of an aggregate */

/* Handed over by value. */
typedef struct duckdb_result {
    uint64_t unused[5];
    void *internal;
} duckdb_result;

/* A text of a vector: up to 12 bytes lie in it, longer ones behind the pointer. */
typedef union duckdb_text {
    uint32_t length;
    struct {
        uint32_t length;
        char text[12];
    } inlined;
    struct {
        uint32_t length;
        char prefix[4];
        char *text;
    } apart;
} duckdb_text;
#define DUCKDB_INLINED 12
#define DUCKDB_TEXT(t) ((t).length <= DUCKDB_INLINED ? (t).inlined.text : (t).apart.text)
_Static_assert(sizeof(duckdb_result) == 48 && sizeof(duckdb_text) == 16,
               "the layout of DuckDB's C interface");

typedef enum duckdb_type_id {
    DUCKDB_BOOLEAN = 1,
    DUCKDB_TINYINT = 2,
    DUCKDB_SMALLINT = 3,
    DUCKDB_INTEGER = 4,
    DUCKDB_BIGINT = 5,
    DUCKDB_UTINYINT = 6,
    DUCKDB_USMALLINT = 7,
    DUCKDB_UINTEGER = 8,
    DUCKDB_UBIGINT = 9,
    DUCKDB_FLOAT = 10,
    DUCKDB_DOUBLE = 11,
    DUCKDB_TIMESTAMP = 12,
    DUCKDB_DATE = 13,
    DUCKDB_HUGEINT = 16,
    DUCKDB_VARCHAR = 17,
    DUCKDB_DECIMAL = 19,
    DUCKDB_TIMESTAMP_S = 20,
    DUCKDB_TIMESTAMP_MS = 21,
    DUCKDB_TIMESTAMP_NS = 22,
    DUCKDB_TIMESTAMP_TZ = 31,
    DUCKDB_UHUGEINT = 32
} duckdb_type_id;

#define DUCKDB_ERROR_OUT_OF_MEMORY 33 /* of duckdb_result_error_type */
typedef void duckdb_free_function(void *);

/* X(result, name without duckdb_, arguments). A result of `int` is 0 for success. */
#define DUCKDB_FUNCTIONS(X)                                                                                  \
    X(const char *, library_version, (void))                                                                 \
    X(int, create_config, (duckdb_config *))                                                                 \
    X(int, set_config, (duckdb_config, const char *, const char *))                                          \
    X(void, destroy_config, (duckdb_config *))                                                               \
    X(int, open_ext, (const char *, duckdb_database *, duckdb_config, char **))                              \
    X(void, close, (duckdb_database *))                                                                      \
    X(int, connect, (duckdb_database, duckdb_connection *))                                                  \
    X(void, disconnect, (duckdb_connection *))                                                               \
    X(void, free, (void *))                                                                                  \
    X(int, query, (duckdb_connection, const char *, duckdb_result *))                                        \
    X(void, destroy_result, (duckdb_result *))                                                               \
    X(const char *, result_error, (duckdb_result *))                                                         \
    X(int, result_error_type, (duckdb_result *))                                                             \
    X(uint64_t, column_count, (duckdb_result *))                                                             \
    X(const char *, column_name, (duckdb_result *, uint64_t))                                                \
    X(duckdb_type_id, column_type, (duckdb_result *, uint64_t))                                              \
    X(int, prepare, (duckdb_connection, const char *, duckdb_statement *))                                   \
    X(void, destroy_prepare, (duckdb_statement *))                                                           \
    X(int, execute_prepared_streaming, (duckdb_statement, duckdb_result *))                                  \
    X(duckdb_chunk, fetch_chunk, (duckdb_result))                                                            \
    X(void, destroy_data_chunk, (duckdb_chunk *))                                                            \
    X(uint64_t, data_chunk_get_size, (duckdb_chunk))                                                         \
    X(void, data_chunk_set_size, (duckdb_chunk, uint64_t))                                                   \
    X(duckdb_vector, data_chunk_get_vector, (duckdb_chunk, uint64_t))                                        \
    X(uint64_t, vector_size, (void))                                                                         \
    X(void *, vector_get_data, (duckdb_vector))                                                              \
    X(uint64_t *, vector_get_validity, (duckdb_vector))                                                      \
    X(void, vector_ensure_validity_writable, (duckdb_vector))                                                \
    X(void, vector_assign_string_element_len, (duckdb_vector, uint64_t, const char *, uint64_t))             \
    X(duckdb_type, create_logical_type, (duckdb_type_id))                                                    \
    X(void, destroy_logical_type, (duckdb_type *))                                                           \
    X(duckdb_scalar, create_scalar_function, (void))                                                         \
    X(void, scalar_function_set_name, (duckdb_scalar, const char *))                                         \
    X(void, scalar_function_add_parameter, (duckdb_scalar, duckdb_type))                                     \
    X(void, scalar_function_set_return_type, (duckdb_scalar, duckdb_type))                                   \
    X(void, scalar_function_set_special_handling, (duckdb_scalar))                                           \
    X(void, scalar_function_set_extra_info, (duckdb_scalar, void *, duckdb_free_function *))                 \
    X(void *, scalar_function_get_extra_info, (duckdb_info))                                                 \
    X(void, scalar_function_set_function,                                                                    \
      (duckdb_scalar, void (*)(duckdb_info, duckdb_chunk, duckdb_vector)))                                   \
    X(void, scalar_function_set_error, (duckdb_info, const char *))                                          \
    X(int, register_scalar_function, (duckdb_connection, duckdb_scalar))                                     \
    X(void, destroy_scalar_function, (duckdb_scalar *))                                                      \
    X(duckdb_table, create_table_function, (void))                                                           \
    X(void, table_function_set_name, (duckdb_table, const char *))                                           \
    X(void, table_function_set_extra_info, (duckdb_table, void *, duckdb_free_function *))                   \
    X(void, table_function_set_bind, (duckdb_table, void (*)(duckdb_info)))                                  \
    X(void, table_function_set_init, (duckdb_table, void (*)(duckdb_info)))                                  \
    X(void, table_function_set_function, (duckdb_table, void (*)(duckdb_info, duckdb_chunk)))                \
    X(void, table_function_supports_projection_pushdown, (duckdb_table, bool))                               \
    X(int, register_table_function, (duckdb_connection, duckdb_table))                                       \
    X(void, destroy_table_function, (duckdb_table *))                                                        \
    X(void *, bind_get_extra_info, (duckdb_info))                                                            \
    X(void, bind_add_result_column, (duckdb_info, const char *, duckdb_type))                                \
    X(void *, init_get_extra_info, (duckdb_info))                                                            \
    X(void, init_set_init_data, (duckdb_info, void *, duckdb_free_function *))                               \
    X(uint64_t, init_get_column_count, (duckdb_info))                                                        \
    X(uint64_t, init_get_column_index, (duckdb_info, uint64_t))                                              \
    X(void, init_set_max_threads, (duckdb_info, uint64_t))                                                   \
    X(void, init_set_error, (duckdb_info, const char *))                                                     \
    X(void *, function_get_init_data, (duckdb_info))                                                         \
    X(void, function_set_error, (duckdb_info, const char *))                                                 \
    X(duckdb_aggregate, create_aggregate_function, (void))                                                   \
    X(void, aggregate_function_set_name, (duckdb_aggregate, const char *))                                   \
    X(void, aggregate_function_add_parameter, (duckdb_aggregate, duckdb_type))                               \
    X(void, aggregate_function_set_return_type, (duckdb_aggregate, duckdb_type))                             \
    X(void, aggregate_function_set_extra_info, (duckdb_aggregate, void *, duckdb_free_function *))           \
    X(void *, aggregate_function_get_extra_info, (duckdb_info))                                              \
    X(void, aggregate_function_set_functions,                                                                \
      (duckdb_aggregate, uint64_t(*)(duckdb_info), void (*)(duckdb_info, duckdb_state),                      \
       void (*)(duckdb_info, duckdb_chunk, duckdb_state *),                                                  \
       void (*)(duckdb_info, duckdb_state *, duckdb_state *, uint64_t),                                      \
       void (*)(duckdb_info, duckdb_state *, duckdb_vector, uint64_t, uint64_t)))                            \
    X(void, aggregate_function_set_special_handling, (duckdb_aggregate))                                     \
    X(int, register_aggregate_function, (duckdb_connection, duckdb_aggregate))                               \
    X(void, destroy_aggregate_function, (duckdb_aggregate *))

#define DUCKDB_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct duckdb_api {
    DUCKDB_FUNCTIONS(DUCKDB_MEMBER)
} duckdb_api;
#undef DUCKDB_MEMBER

/* Open the library: the file that DUSK_DUCKDB names, and no other, when it is set; else the first
 * libduckdb.so that is usable among: beside this library or program, in lib/ of that folder, in lib/ and
 * lib/dusk/ of the folder above, in ~/.local/lib/dusk/, and where the system looks. Once found it stays open
 * as long as the process lives: it has threads and thread-local data of its own. */
DUSK_MUST_USE dusk_status duckdb_load(const duckdb_api **out, dusk_error *err);
/* Whether duckdb_load would succeed. */
bool duckdb_is_usable(void);
/* The functions of the library that is open; for functions that DuckDB calls. */
const duckdb_api *duckdb_loaded(void);

#endif
