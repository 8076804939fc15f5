/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions of the SQLite engine, as table/engine.h lists them. None of them ever raises an error
 * but for memory: what has no value is NULL. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/utf8.h"
#include "dusk/numeric.h"
#include "table/sqlite_engine.h"

/* --- values in and out ------------------------------------------------------------------------ */

void sqlite_argument(table_value *out, dusk_type type, sqlite3_value *argument)
{
    out->null = true;
    switch (sqlite3_value_type(argument)) {
    case SQLITE_INTEGER: table_cast_integer(out, type, sqlite3_value_int64(argument)); return;
    case SQLITE_FLOAT: table_cast_real(out, type, sqlite3_value_double(argument)); return;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        /* As a blob: sqlite3_value_text would copy the text to put a '\0' behind it. The connection's text
         * is UTF-8. */
        const char *text = sqlite3_value_blob(argument);
        table_cast_text(out, type, text ? text : "", (size_t)sqlite3_value_bytes(argument));
        return;
    }
    default: return;
    }
}

/* SQLite raises an error when a row is too long. */
static void result_text(sqlite3_context *context, const char *text, size_t length)
{
    length = DUSK_MUTATE(LONG_TEXT_RAISES, table_text_cut(text, length), length);
    if (!memchr(text, '\0', length) && dusk_utf8_valid(text, length)) {
        sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    }
    char *repaired = sqlite3_malloc64(3 * (sqlite3_uint64)length + 1);
    if (!repaired) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_text64(context, repaired, dusk_utf8_repair(repaired, text, length), sqlite3_free,
                          SQLITE_UTF8);
}

void sqlite_result(sqlite3_context *context, dusk_type type, const table_value *value)
{
    if (value->null) {
        sqlite3_result_null(context);
        return;
    }
    switch (type) {
    case DUSK_TYPE_INTEGER:
    case DUSK_TYPE_BOOLEAN: sqlite3_result_int64(context, value->integer); return;
    case DUSK_TYPE_REAL: sqlite3_result_double(context, value->real + 0.0); return; /* -0 is 0 */
    case DUSK_TYPE_TEXT: result_text(context, value->text, value->length); return;
    case DUSK_TYPE_DATE:
    case DUSK_TYPE_TIMESTAMP:
        sqlite3_result_text64(context, value->text, value->length, SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    }
}

/* The argument as a double; false: NULL. */
static bool number(double *out, sqlite3_value *argument)
{
    table_value value;
    sqlite_argument(&value, DUSK_TYPE_REAL, argument);
    *out = value.real;
    return !value.null;
}

/* Only finite numbers are values of arithmetic. */
static void result_number(sqlite3_context *context, double x)
{
    if (DUSK_MUTATE(ARITHMETIC_PASSES_INFINITY, isfinite(x), !isnan(x)))
        sqlite3_result_double(context, x + 0.0); /* -0 is 0 */
    else
        sqlite3_result_null(context);
}

/* --- casts --------------------------------------------------------------------------------------- */

static const dusk_type all_types[] = { DUSK_TYPE_INTEGER, DUSK_TYPE_REAL, DUSK_TYPE_TEXT,
                                       DUSK_TYPE_BOOLEAN, DUSK_TYPE_DATE, DUSK_TYPE_TIMESTAMP };

static void to_type(sqlite3_context *context, int n, sqlite3_value **argument)
{
    dusk_type type = *(const dusk_type *)sqlite3_user_data(context);
    table_value value;
    (void)n;
    sqlite_argument(&value, type, argument[0]);
    sqlite_result(context, type, &value);
}

static void field(sqlite3_context *context, int n, sqlite3_value **argument)
{
    const sqlite_engine *engine = sqlite3_user_data(context);
    uint64_t t = (uint64_t)sqlite3_value_int64(argument[0]), c = (uint64_t)sqlite3_value_int64(argument[1]);
    table_value value;
    (void)n;
    if (t >= engine->tables || c >= engine->table[t].columns) return;
    const table_rule *rule = &engine->table[t].rule[c];
    sqlite_argument(&value, rule->type, argument[2]);
    table_rule_apply(rule, &value);
    sqlite_result(context, rule->type, &value);
}

/* --- numbers --------------------------------------------------------------------------------------- */

typedef double number_function(double);
typedef struct named_function {
    const char *name;
    number_function *function;
} named_function;

static double itself(double x) { return x; }
static const named_function of_one[] = { { "dusk_ln", log },    { "dusk_exp", exp },
                                         { "dusk_sqrt", sqrt }, { "dusk_floor", floor },
                                         { "dusk_ceil", ceil }, { "dusk_finite", itself } };

static void apply_one(sqlite3_context *context, int n, sqlite3_value **argument)
{
    const named_function *f = sqlite3_user_data(context);
    double x;
    (void)n;
    if (number(&x, argument[0])) result_number(context, f->function(x));
}

static void divide(sqlite3_context *context, int n, sqlite3_value **argument)
{
    double a, b;
    (void)n;
    if (number(&a, argument[0]) && number(&b, argument[1]) && b != 0) result_number(context, a / b);
}

static void power(sqlite3_context *context, int n, sqlite3_value **argument)
{
    double a, b;
    (void)n;
    if (number(&a, argument[0]) && number(&b, argument[1])) result_number(context, pow(a, b));
}

static void modulo(sqlite3_context *context, int n, sqlite3_value **argument)
{
    table_value a, b;
    (void)n;
    sqlite_argument(&a, DUSK_TYPE_INTEGER, argument[0]);
    sqlite_argument(&b, DUSK_TYPE_INTEGER, argument[1]);
    if (a.null || b.null || b.integer == 0) return;
    sqlite3_result_int64(context, b.integer == -1 ? 0 : a.integer % b.integer);
}

static void round_to(sqlite3_context *context, int n, sqlite3_value **argument)
{
    double x, factor;
    int64_t digits = sqlite3_value_int64(argument[1]);
    (void)n;
    if (!number(&x, argument[0]) || digits < -15 || digits > 15) return;
    factor = pow(10, (double)(digits < 0 ? -digits : digits)); /* exact */
    if (digits < 0)
        result_number(context, round(x / factor) * factor);
    else if (fabs(x) >= 0x1p52 / factor)
        result_number(context, x); /* no half is left at that place */
    else
        result_number(context, round(x * factor) / factor);
}

/* --- sums ------------------------------------------------------------------------------------------- */

typedef struct total {
    dusk_exact_sum sum;
    int64_t n;
} total;

static void total_step(sqlite3_context *context, int n, sqlite3_value **argument)
{
    double x;
    (void)n;
    if (!number(&x, argument[0]) || !isfinite(x)) return;
    total *t = sqlite3_aggregate_context(context, sizeof *t);
    if (!t) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (t->n++ == 0) dusk_exact_sum_init(&t->sum);
    dusk_exact_sum_add(&t->sum, &x, 1);
}

static void sum_end(sqlite3_context *context)
{
    total *t = sqlite3_aggregate_context(context, 0);
    if (t && t->n) result_number(context, dusk_exact_sum_value(&t->sum));
}

static void average_end(sqlite3_context *context)
{
    total *t = sqlite3_aggregate_context(context, 0);
    if (t && t->n) result_number(context, dusk_exact_sum_value(&t->sum) / (double)t->n);
}

/* --- text ---------------------------------------------------------------------------------------------- */

static void change_case(sqlite3_context *context, int n, sqlite3_value **argument)
{
    const char *first = sqlite3_user_data(context); /* the letter from which the case changes: A or a */
    table_value value;
    (void)n;
    sqlite_argument(&value, DUSK_TYPE_TEXT, argument[0]);
    if (value.null) return;
    char *changed = sqlite3_malloc64((sqlite3_uint64)value.length + 1);
    if (!changed) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (size_t i = 0; i < value.length; i++) {
        char c = value.text[i];
        changed[i] = c >= *first && c < *first + 26 ? (char)(c ^ 0x20) : c;
    }
    sqlite3_result_text64(context, changed, value.length, sqlite3_free, SQLITE_UTF8);
}

/* Bytes of the character at text[at]; a byte that begins none counts as one. */
static size_t character(const char *text, size_t length, size_t at)
{
    size_t size = dusk_utf8_size(text + at, length - at);
    return size ? size : 1;
}

/* Whether the text is what the pattern says. Where it does not go on, the last % takes one character
 * more; earlier ones need not be tried again. */
static bool is_like(const char *text, size_t n, const char *pattern, size_t m)
{
    size_t i = 0, j = 0, star = SIZE_MAX, resume = 0;
    while (i < n) {
        size_t size = character(text, n, i);
        if (j < m && pattern[j] == '%') {
            star = ++j;
            resume = i;
            continue;
        }
        bool any = j < m && pattern[j] == '_';
        size_t at = j < m && pattern[j] == '\\' && j + 1 < m ? j + 1 : j;
        if (any || (at < m && m - at >= size && memcmp(pattern + at, text + i, size) == 0)) {
            j = any ? j + 1 : at + size;
            i += size;
        } else if (star != SIZE_MAX) {
            resume += character(text, n, resume);
            i = resume;
            j = star;
        } else
            return false;
    }
    while (j < m && pattern[j] == '%') j++;
    return j == m;
}

static void like(sqlite3_context *context, int n, sqlite3_value **argument)
{
    table_value text, pattern;
    (void)n;
    sqlite_argument(&text, DUSK_TYPE_TEXT, argument[0]);
    sqlite_argument(&pattern, DUSK_TYPE_TEXT, argument[1]);
    if (text.null || pattern.null) return;
    sqlite3_result_int(context, is_like(text.text, text.length, pattern.text, pattern.length));
}

/* --- registration ------------------------------------------------------------------------------------------ */

enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

int sqlite_add_function(sqlite3 *db, const char *name, int arguments, void *data, sqlite_function *function)
{
    return sqlite3_create_function_v2(db, name, arguments, FLAGS, data, function, NULL, NULL, NULL);
}

/* SQLite takes data that may be written to; ours is only read. */
static void *unwritten(const void *data) { return (void *)(uintptr_t)data; }

static int register_casts(sqlite_engine *e)
{
    static const char *const names[] = { "dusk_to_integer", "dusk_to_real", "dusk_to_text",
                                         "dusk_to_boolean", "dusk_to_date", "dusk_to_timestamp" };
    int code = sqlite_add_function(e->db, "dusk_field", 3, e, field);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof names / sizeof *names; i++)
        code = sqlite_add_function(e->db, names[i], 1, unwritten(&all_types[i]), to_type);
    return code;
}

static int register_numbers(sqlite3 *db)
{
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof of_one / sizeof *of_one; i++)
        code = sqlite_add_function(db, of_one[i].name, 1, unwritten(&of_one[i]), apply_one);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_divide", 2, NULL, divide);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_power", 2, NULL, power);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_modulo", 2, NULL, modulo);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_round", 2, NULL, round_to);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(db, "dusk_sum", 1, FLAGS, NULL, NULL, total_step, sum_end, NULL);
    if (code == SQLITE_OK)
        code =
            sqlite3_create_function_v2(db, "dusk_avg", 1, FLAGS, NULL, NULL, total_step, average_end, NULL);
    return code;
}

static int register_text(sqlite3 *db)
{
    int code = sqlite_add_function(db, "dusk_lower", 1, unwritten("A"), change_case);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_upper", 1, unwritten("a"), change_case);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_like", 2, NULL, like);
    return code;
}

dusk_status sqlite_functions_register(sqlite_engine *engine, dusk_error *err)
{
    int code = register_casts(engine);
    if (code == SQLITE_OK) code = register_numbers(engine->db);
    if (code == SQLITE_OK) code = register_text(engine->db);
    if (code == SQLITE_OK) code = sqlite_times_register(engine->db);
    return code == SQLITE_OK ? DUSK_OK : sqlite_failed(code, "starting", err);
}
