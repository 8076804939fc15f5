/* SPDX-License-Identifier: Apache-2.0 */
/* How functions are written for PostgreSQL, which raises an error for nearly everything: overflow and
 * underflow of doubles, domains, dates out of range, text that is no number. Operands of arithmetic
 * are trimmed (emit.h); the rest is guarded by CASE, whose branches are only evaluated
 * when they are chosen, also when constants are folded: a guard and what it guards have the same
 * operands, so that one is constant when the other is. Text is compared by its bytes. */
#include "query/emit.h"

/* A day that exists, of the years 1 to 9999. */
#define YEAR "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
#define DAY                                                                                                  \
    "(" YEAR                                                                                                 \
    "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]"        \
    "|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][48]|[2468]0|[13579][26])00)-02-29)"
#define CLOCK "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?Z?"
#define TIME "'^[ \\t]*" DAY "(" CLOCK ")?[ \\t]*$$'"
#define TRIMMED "btrim($1, ' ' || chr(9))"
#define WHOLE "'^[ \\t]*[+-]?[0-9]+[ \\t]*$$'"
#define REAL "'^[ \\t]*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?0*[0-9]{1,2})?[ \\t]*$$'"
#define WITHIN(made) "CASE WHEN $1 BETWEEN $L AND $H THEN " made " END"
#define BOTH_WITHIN(made) "CASE WHEN $1 BETWEEN $L AND $H AND $2 BETWEEN $L AND $H THEN " made " END"
#define ROUNDED(x) "trunc(" x ") + CASE WHEN abs(" x " - trunc(" x ")) >= 0.5 THEN sign(" x ") ELSE 0 END"
#define DATE_TEXT "to_char($1, 'YYYY-MM-DD')"
#define TIMESTAMP_TEXT "to_char($1, 'YYYY-MM-DD HH24:MI:SS')"
/* 64 bits: the last double below 2^63 is 1024 less, the first below -2^63 is 2048 less. */
#define NOT_OUT(x)                                                                                           \
    "NULLIF(NULLIF(LEAST(GREATEST(" x ", '-9223372036854777856'::float8), "                                  \
    "'9223372036854775808'::float8), '9223372036854775808'::float8), '-9223372036854777856'::float8)"
/* x^y for x > 0 by the size of y ln x; the smallest are 0, the largest NULL. */
#define POWER(size)                                                                                          \
    "CASE WHEN " size " > -690 AND " size " < 690 THEN power($1, $2) WHEN " size " <= -690 THEN 0 END"

const emit_dialect emit_postgres = {
    .type = { [DUSK_TYPE_INTEGER] = "bigint",
              [DUSK_TYPE_REAL] = "float8",
              [DUSK_TYPE_TEXT] = "text",
              [DUSK_TYPE_BOOLEAN] = "boolean",
              [DUSK_TYPE_DATE] = "date",
              [DUSK_TYPE_TIMESTAMP] = "timestamp" },
    .literal = { [DUSK_TYPE_INTEGER] = "'|'::bigint",
                 [DUSK_TYPE_REAL] = "'|'::float8",
                 [DUSK_TYPE_TEXT] = "|::text",
                 [DUSK_TYPE_DATE] = "DATE '|'",
                 [DUSK_TYPE_TIMESTAMP] = "TIMESTAMP '|'" },
    .truth = { "FALSE", "TRUE" },
    .function = { [QUERY_ADD] = "($1 + $2)",
                  [QUERY_SUBTRACT] = "($1 - $2)",
                  [QUERY_MULTIPLY] = "($1 * $2)",
                  [QUERY_DIVIDE] = "($1 / NULLIF($2, 0))",
                  [QUERY_MODULO] = "($1 % NULLIF($2, 0))",
                  [QUERY_NEGATE] = "(- $1)",
                  [QUERY_ABS] = "abs($1)",
                  [QUERY_SIGN] = "sign($1)",
                  [QUERY_ROUND] = "(" ROUNDED("$1") ")",
                  [QUERY_FLOOR] = "floor($1)",
                  [QUERY_CEIL] = "ceil($1)",
                  [QUERY_SQRT] = "CASE WHEN $1 >= 0 THEN sqrt($1) END",
                  [QUERY_LN] = "CASE WHEN $1 > 0 THEN ln($1) END",
                  [QUERY_EXP] = "CASE WHEN $1 <= -690 THEN 0 WHEN $1 < 690 THEN exp($1) END",
                  [QUERY_POWER] = "CASE WHEN $1 > 0 THEN " POWER(
                      "$2 * ln($1)") " WHEN $1 = 0 THEN CASE WHEN $2 > 0 THEN 0 WHEN $2 = 0 THEN 1 END WHEN "
                                     "$2 = trunc($2) THEN " POWER("$2 * ln(- $1)") " END",
                  [QUERY_EQUAL] = "($1 = $2)",
                  [QUERY_UNEQUAL] = "($1 <> $2)",
                  [QUERY_LESS] = "($1 < $2)",
                  [QUERY_LESS_EQUAL] = "($1 <= $2)",
                  [QUERY_GREATER] = "($1 > $2)",
                  [QUERY_GREATER_EQUAL] = "($1 >= $2)",
                  [QUERY_IS_NULL] = "($1 IS NULL)",
                  [QUERY_NOT] = "(NOT $1)",
                  [QUERY_NULLIF] = "NULLIF($1, $2)",
                  [QUERY_LOWER] = "lower($1 COLLATE \"C\")",
                  [QUERY_UPPER] = "upper($1 COLLATE \"C\")",
                  [QUERY_LENGTH] = "length($1)::bigint",
                  [QUERY_TRIM] = "btrim($1, ' ')",
                  [QUERY_SUBSTRING] = "substr($1, $m, $d)" },
    .compare_text = { [QUERY_LESS] = "($1 COLLATE \"C\" < $2)",
                      [QUERY_LESS_EQUAL] = "($1 COLLATE \"C\" <= $2)",
                      [QUERY_GREATER] = "($1 COLLATE \"C\" > $2)",
                      [QUERY_GREATER_EQUAL] = "($1 COLLATE \"C\" >= $2)" },
    .cast = { [DUSK_TYPE_INTEGER] = { [DUSK_TYPE_TEXT] = "$1::text", [DUSK_TYPE_BOOLEAN] = "($1 <> 0)" },
              [DUSK_TYPE_REAL] = { [DUSK_TYPE_INTEGER] =
                                       "CASE WHEN $1 >= '-9223372036854775808'::float8 AND $1 < "
                                       "'9223372036854775808'::float8 THEN (" ROUNDED("$1") ")::bigint END",
                                   [DUSK_TYPE_TEXT] = "$1::text",
                                   [DUSK_TYPE_BOOLEAN] = "($1 <> 0)" },
              [DUSK_TYPE_TEXT] = { [DUSK_TYPE_INTEGER] =
                                       "CASE WHEN length($1) < 1000 AND $1 ~ " WHOLE
                                       " THEN CASE WHEN $1::numeric BETWEEN -9223372036854775808 AND "
                                       "9223372036854775807 THEN $1::numeric::bigint END END",
                                   [DUSK_TYPE_REAL] =
                                       "CASE WHEN length($1) < 100 AND $1 ~ " REAL " THEN $1::float8 END",
                                   [DUSK_TYPE_BOOLEAN] =
                                       "CASE WHEN $1 ~* '^[ \\t]*(true|t|1|yes|on|y)[ \\t]*$$' THEN TRUE "
                                       "WHEN $1 ~* "
                                       "'^[ \\t]*(false|f|0|no|off|n)[ \\t]*$$' THEN FALSE END",
                                   [DUSK_TYPE_DATE] =
                                       "CASE WHEN $1 ~ " TIME " THEN left(" TRIMMED ", 10)::date END",
                                   [DUSK_TYPE_TIMESTAMP] = "CASE WHEN $1 ~ " TIME " THEN rtrim(left(" TRIMMED
                                                           ", 19), 'Z')::timestamp END" },
              [DUSK_TYPE_BOOLEAN] = { [DUSK_TYPE_INTEGER] = "$1::int::bigint",
                                      [DUSK_TYPE_REAL] = "$1::int::float8",
                                      [DUSK_TYPE_TEXT] = "$1::text" },
              [DUSK_TYPE_DATE] = { [DUSK_TYPE_TEXT] = WITHIN(DATE_TEXT),
                                   [DUSK_TYPE_TIMESTAMP] = WITHIN("$1::timestamp") },
              [DUSK_TYPE_TIMESTAMP] = { [DUSK_TYPE_TEXT] = WITHIN(TIMESTAMP_TEXT),
                                        [DUSK_TYPE_DATE] = WITHIN("$1::date") } },
    .output = { [DUSK_TYPE_INTEGER] = "$1",
                [DUSK_TYPE_REAL] = "$1",
                [DUSK_TYPE_TEXT] = "$1",
                [DUSK_TYPE_BOOLEAN] = "$1::int::bigint",
                [DUSK_TYPE_DATE] = WITHIN(DATE_TEXT),
                [DUSK_TYPE_TIMESTAMP] = WITHIN(TIMESTAMP_TEXT) },
    .number_of_integer = "$1::float8",
    .integer_of_number = "(" NOT_OUT("$1") ")::bigint",
    .trimmed = "CASE WHEN abs($1) < 1e-100::float8 THEN 0 WHEN abs($1) < 1e100::float8 THEN $1 END",
    .round_digits = "CASE WHEN abs($1) < 4503599627370496 / '$f'::float8 THEN (SELECT (" ROUNDED(
        "b.v") ") / '$f'::float8 FROM (SELECT $1 * '$f'::float8 AS v OFFSET 0) AS b) ELSE $1 END",
    .round_tens =
        "(SELECT (" ROUNDED("b.v") ") * '$f'::float8 FROM (SELECT $1 / '$f'::float8 AS v OFFSET 0) AS b)",
    .least = { "LEAST(", ", ", ")" },
    .greatest = { "GREATEST(", ", ", ")" },
    .concat = { "(left(", ", 65536) || left(", ", 65536))" },
    .text_in_list = "($1 COLLATE \"C\")",
    .like = "($1 COLLATE \"C\" LIKE $p ESCAPE '\\')",
    .like_escaped = "($1 COLLATE \"C\" LIKE $p ESCAPE '\\')",
    .extract = WITHIN("floor(date_part('$u', $1))::bigint"),
    .truncate = { WITHIN("date_trunc('$u', $1::timestamp)::date"), WITHIN("date_trunc('$u', $1)") },
    .add = { WITHIN("($1 + INTERVAL '$m months $d days')::date"),
             WITHIN("($1 + INTERVAL '$m months $d days')") },
    .days = { BOTH_WITHIN("($1 - $2)::bigint"), BOTH_WITHIN("($1::date - $2::date)::bigint") },
    .moment = { "DATE '|'", "TIMESTAMP '|'" },
    .cross = " CROSS JOIN ",
    /* Sums of numeric are exact; the text of a double reads back as the same number, a cast would round it. */
    .sum = { "SUM(", "", ")::float8" },
    .average = { "AVG(", "", ")::float8" },
    .summand = "($1)::text::numeric",
    .least_of = { [DUSK_TYPE_INTEGER] = "MIN($1)",
                  [DUSK_TYPE_REAL] = "MIN($1 + 0.0)",
                  [DUSK_TYPE_TEXT] = "MIN($1 COLLATE \"C\")",
                  [DUSK_TYPE_BOOLEAN] = "bool_and($1)",
                  [DUSK_TYPE_DATE] = "MIN($1)",
                  [DUSK_TYPE_TIMESTAMP] = "MIN($1)" },
    .greatest_of = { [DUSK_TYPE_INTEGER] = "MAX($1)",
                     [DUSK_TYPE_REAL] = "MAX($1 + 0.0)",
                     [DUSK_TYPE_TEXT] = "MAX($1 COLLATE \"C\")",
                     [DUSK_TYPE_BOOLEAN] = "bool_or($1)",
                     [DUSK_TYPE_DATE] = "MAX($1)",
                     [DUSK_TYPE_TIMESTAMP] = "MAX($1)" },
};
