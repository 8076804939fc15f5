/* SPDX-License-Identifier: Apache-2.0 */
/* Declared columns over what a table of PostgreSQL has: every column is cast to its declared type by the rules of
 * cast.h, then its domain and its replacement of NULL apply. PostgreSQL raises an error for nearly everything that
 * does not fit, so every cast stands behind a CASE that lets through only what does. Text is compared by its
 * bytes. */
#include <string.h>

#include "table/postgres_engine.h"
#include "table/rule_sql.h"

/* What a type of PostgreSQL is to us; OIDs are those of pg_type.dat and never change. */
typedef enum kind { WHOLE, FLOATING, DECIMAL, TRUTH, DAY, MOMENT, ZONED, OTHER } kind;

static kind kind_of(Oid type)
{
    switch (type) {
    case 16: return TRUTH;
    case 20: /* int8 */
    case 21: /* int2 */
    case 23: return WHOLE;
    case 700: /* float4 */
    case 701: return FLOATING;
    case 1700: return DECIMAL;
    case 1082: return DAY;
    case 1114: return MOMENT;
    case 1184: return ZONED;
    default: return OTHER;
    }
}

dusk_type postgres_type_of(Oid type)
{
    static const dusk_type types[] = {
        [WHOLE] = DUSK_TYPE_INTEGER,   [FLOATING] = DUSK_TYPE_REAL, [DECIMAL] = DUSK_TYPE_REAL,
        [TRUTH] = DUSK_TYPE_BOOLEAN,   [DAY] = DUSK_TYPE_DATE,      [MOMENT] = DUSK_TYPE_TIMESTAMP,
        [ZONED] = DUSK_TYPE_TIMESTAMP, [OTHER] = DUSK_TYPE_TEXT
    };
    return types[kind_of(type)];
}

/* --- casts; $ is the column ----------------------------------------------------------------------------- */

/* A number of decimal digits to a double. From 2^1024 - 2^970 on it is infinite, up to 2^-1075 it is 0: what
 * a nearest double would be. */
#define BEYOND                                                                                               \
    "'"                                                                                                      \
    "17976931348623158079372897140530341507993413271003782693617377898044496829276475"                       \
    "09466490179775872070963302864166928879109465555478519404026306574886715058206819"                       \
    "08902000708383676273854845817711531764475730270069855571366959622842914819860834"                       \
    "936475292719074168444365510704342711559699508093042880177904174497792"                                  \
    "'::numeric"
#define DOUBLE_OF(x)                                                                                         \
    "CASE WHEN " x " = 'NaN' THEN NULL WHEN " x " >= " BEYOND " THEN 'Infinity'::float8 WHEN " x             \
    " <= - " BEYOND " THEN '-Infinity'::float8 WHEN abs(" x ") <= 2.4703282292062327e-324 THEN 0 ELSE " x    \
    "::float8 END"

#define IN_64_BITS(x)                                                                                        \
    "CASE WHEN " x " BETWEEN -9223372036854775808 AND 9223372036854775807 THEN " x "::bigint END"
/* Halves away from 0; NaN is above all numbers. */
#define ROUNDED                                                                                              \
    "(trunc($::float8) + CASE WHEN abs($::float8 - trunc($::float8)) >= 0.5 THEN sign($::float8) ELSE 0 "    \
    "END)"
#define WHOLE_OF_FLOATING                                                                                    \
    "CASE WHEN $ >= '-9223372036854775808'::float8 AND $ < '9223372036854775808'::float8 THEN " ROUNDED      \
    "::bigint END"

#define IN_DAYS(made) "CASE WHEN $ BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN " made " END"
#define IN_MOMENTS(x, made)                                                                                  \
    "CASE WHEN " x " BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN " made   \
    " END"
#define UTC "($ AT TIME ZONE 'UTC')"

#define TEXT "($::text COLLATE \"C\")"
/* 2^16 characters are at most TABLE_TEXT_MAX bytes. */
#define CUT(x) "CASE WHEN octet_length(" x ") > 262144 THEN left(" x ", 65536) ELSE " x " END"
_Static_assert(TABLE_TEXT_MAX == 262144, "as it is written above");

/* What value.h and calendar.h read, as patterns. */
#define B "[ \t]*"
#define WHOLE_TEXT "'^" B "[+-]?[0-9]+" B "$'"
#define REAL_TEXT "'^" B "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?0*[0-9]{1,4})?" B "$'"
#define LARGE_TEXT "'^" B "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)[eE][+]?[0-9]+" B "$'"
#define SMALL_TEXT "'^" B "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)[eE]-[0-9]+" B "$'"
#define ZERO_TEXT "'^" B "[+-]?[0.]+[eE]'"
#define YEAR "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
#define MONTH_DAY                                                                                            \
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])" \
    ")"
#define LEAP_DAY "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29"
#define CLOCK "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
#define TIME_TEXT "'^" B "(" YEAR "-" MONTH_DAY "|" LEAP_DAY ")(" CLOCK ")?Z?" B "$'"
#define TRIMMED "btrim(" TEXT ", E' \\t')"

#define REAL_OF_TEXT                                                                                         \
    "CASE WHEN length(" TEXT ") > 800 THEN NULL WHEN " TEXT " ~ " REAL_TEXT                                  \
    " THEN " DOUBLE_OF(TEXT "::numeric") " WHEN " TEXT " ~ " ZERO_TEXT " THEN CASE WHEN " TEXT               \
                                         " ~ " LARGE_TEXT " OR " TEXT " ~ " SMALL_TEXT                       \
                                         " THEN 0 END WHEN " TEXT " ~ " SMALL_TEXT " THEN 0 WHEN " TEXT      \
                                         " ~ " LARGE_TEXT " OR " TEXT " ~* '^" B "[+-]?inf(inity)?" B        \
                                         "$' THEN CASE WHEN " TEXT                                           \
                                         " ~ '-' THEN '-Infinity'::float8 ELSE 'Infinity'::float8 END END"
#define TRUTH_OF_TEXT                                                                                        \
    "CASE WHEN " TEXT " ~* '^" B "(true|t|1|yes|on|y)" B "$' THEN TRUE WHEN " TEXT " ~* '^" B                \
    "(false|f|0|no|off|n)" B "$' THEN FALSE END"

static const char *const none[] = {
    [DUSK_TYPE_INTEGER] = "NULL::bigint", [DUSK_TYPE_REAL] = "NULL::float8",
    [DUSK_TYPE_TEXT] = "NULL::text",      [DUSK_TYPE_BOOLEAN] = "NULL::boolean",
    [DUSK_TYPE_DATE] = "NULL::date",      [DUSK_TYPE_TIMESTAMP] = "NULL::timestamp"
};

/* NULL: such a value is none of that type. Doubles: -0 is 0. */
static const char *const casts[][DUSK_TYPE_TIMESTAMP + 1] = {
    [WHOLE] = { [DUSK_TYPE_INTEGER] = "$::bigint",
                [DUSK_TYPE_REAL] = "$::float8",
                [DUSK_TYPE_TEXT] = TEXT,
                [DUSK_TYPE_BOOLEAN] = "($ <> 0)" },
    [FLOATING] = { [DUSK_TYPE_INTEGER] = WHOLE_OF_FLOATING,
                   [DUSK_TYPE_REAL] = "NULLIF($::float8, 'NaN'::float8) + 0",
                   [DUSK_TYPE_TEXT] = "(NULLIF($::float8, 'NaN'::float8) + 0)::text COLLATE \"C\"",
                   [DUSK_TYPE_BOOLEAN] = "(NULLIF($::float8, 'NaN'::float8) <> 0)" },
    [DECIMAL] = { [DUSK_TYPE_INTEGER] = IN_64_BITS("round($)"),
                  [DUSK_TYPE_REAL] = DOUBLE_OF("$"),
                  [DUSK_TYPE_TEXT] = CUT(TEXT),
                  [DUSK_TYPE_BOOLEAN] = "(NULLIF($, 'NaN'::numeric) <> 0)" },
    [TRUTH] = { [DUSK_TYPE_INTEGER] = "$::int::bigint",
                [DUSK_TYPE_REAL] = "$::int::float8",
                [DUSK_TYPE_TEXT] = TEXT,
                [DUSK_TYPE_BOOLEAN] = "$" },
    [DAY] = { [DUSK_TYPE_TEXT] = TEXT,
              [DUSK_TYPE_DATE] = IN_DAYS("$"),
              [DUSK_TYPE_TIMESTAMP] = IN_DAYS("$::timestamp") },
    [MOMENT] = { [DUSK_TYPE_TEXT] = TEXT,
                 [DUSK_TYPE_DATE] = IN_MOMENTS("$", "$::date"),
                 [DUSK_TYPE_TIMESTAMP] = IN_MOMENTS("$", "date_trunc('second', $)") },
    [ZONED] = { [DUSK_TYPE_TEXT] = TEXT,
                [DUSK_TYPE_DATE] = IN_MOMENTS(UTC, UTC "::date"),
                [DUSK_TYPE_TIMESTAMP] = IN_MOMENTS(UTC, "date_trunc('second', " UTC ")") },
    [OTHER] = { [DUSK_TYPE_INTEGER] = "CASE WHEN length(" TEXT ") < 1000 AND " TEXT " ~ " WHOLE_TEXT
                                      " THEN " IN_64_BITS(TEXT "::numeric") " END",
                [DUSK_TYPE_REAL] = REAL_OF_TEXT,
                [DUSK_TYPE_TEXT] = CUT(TEXT),
                [DUSK_TYPE_BOOLEAN] = TRUTH_OF_TEXT,
                [DUSK_TYPE_DATE] = "CASE WHEN " TEXT " ~ " TIME_TEXT " THEN left(" TRIMMED ", 10)::date END",
                [DUSK_TYPE_TIMESTAMP] = "CASE WHEN " TEXT " ~ " TIME_TEXT " THEN rtrim(left(" TRIMMED
                                        ", 19), 'Z.')::timestamp END" },
};

static const char *const type_names[] = {
    [DUSK_TYPE_INTEGER] = "bigint",  [DUSK_TYPE_REAL] = "float8", [DUSK_TYPE_TEXT] = "text",
    [DUSK_TYPE_BOOLEAN] = "boolean", [DUSK_TYPE_DATE] = "date",   [DUSK_TYPE_TIMESTAMP] = "timestamp"
};

static bool is_column(const char *made) { return made[1] != '\''; }

void postgres_put_cast(dusk_buffer *out, Oid from, dusk_type to, const char *column)
{
    const char *made = casts[kind_of(from)][to];
    if (!made) made = none[to];
    for (; *made; made++)
        if (*made == '$' && is_column(made)) /* not the $ at the end of a pattern */
            table_put_quoted(out, column, '"');
        else
            dusk_buffer_bytes(out, made, 1);
}

void postgres_view(dusk_buffer *out, const dusk_table_schema *t, const table_rule *rules, const char *table,
                   const postgres_found *found, const size_t *at)
{
    dusk_buffer_add(out, "SELECT ");
    for (size_t c = 0; c < t->columns; c++) {
        if (c) dusk_buffer_add(out, ", ");
        table_put_rules(out, c, &t->column[c], &rules[c], type_names, 0);
        dusk_buffer_add(out, " AS c%zu", c);
    }
    dusk_buffer_add(out, " FROM (SELECT ");
    for (size_t c = 0; c < t->columns; c++) {
        const postgres_found *column = &found[at[c]];
        if (c) dusk_buffer_add(out, ", ");
        postgres_put_cast(out, column->type, t->column[c].type, column->name);
        dusk_buffer_add(out, " AS a%zu", c);
    }
    dusk_buffer_add(out, " FROM %s) AS columns", table);
}
