/* SPDX-License-Identifier: Apache-2.0 */
/* How functions are written for DuckDB. Doubles overflow to infinity and give NaN without an error;
 * casts are TRY_CAST, behind patterns where it would accept more than our rules for text do. */
#include "query/emit.h"

/* A day of the years 1 to 9999, and a time of it. Which days a month has is seen to by TRY_CAST. */
#define DAY "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-[0-9]{2}-[0-9]{2}"
#define CLOCK "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?Z?"
#define TIME "'[ \\t]*" DAY "(" CLOCK ")?[ \\t]*'"
#define TRIMMED "trim($1, ' ' || chr(9))"
#define REAL "'[ \\t]*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[ \\t]*'"
#define LETTERS "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"
#define SMALL "'abcdefghijklmnopqrstuvwxyz'"
#define WITHIN(made) "CASE WHEN $1 BETWEEN $L AND $H THEN " made " END"
#define DATE_TEXT "CAST($1 AS VARCHAR)"
#define TIMESTAMP_TEXT "left(CAST($1 AS VARCHAR), 19)"
#define BOTH_WITHIN(made) "CASE WHEN $1 BETWEEN $L AND $H AND $2 BETWEEN $L AND $H THEN " made " END"

const emit_dialect emit_duckdb = {
    .type = { [DUSK_TYPE_INTEGER] = "BIGINT",
              [DUSK_TYPE_REAL] = "DOUBLE",
              [DUSK_TYPE_TEXT] = "VARCHAR",
              [DUSK_TYPE_BOOLEAN] = "BOOLEAN",
              [DUSK_TYPE_DATE] = "DATE",
              [DUSK_TYPE_TIMESTAMP] = "TIMESTAMP" },
    .literal = { [DUSK_TYPE_INTEGER] = "CAST(| AS BIGINT)",
                 [DUSK_TYPE_REAL] = "CAST(| AS DOUBLE)",
                 [DUSK_TYPE_TEXT] = "|",
                 [DUSK_TYPE_DATE] = "DATE '|'",
                 [DUSK_TYPE_TIMESTAMP] = "TIMESTAMP '|'" },
    .truth = { "FALSE", "TRUE" },
    .function = { [QUERY_ADD] = "($1 + $2)",
                  [QUERY_SUBTRACT] = "($1 - $2)",
                  [QUERY_MULTIPLY] = "($1 * $2)",
                  [QUERY_DIVIDE] = "CASE WHEN $2 <> 0 THEN $1 / $2 END",
                  [QUERY_MODULO] = "CASE WHEN $2 = -1 THEN $1 * 0 ELSE $1 % $2 END",
                  [QUERY_NEGATE] = "(- $1)",
                  [QUERY_ABS] = "abs($1)",
                  [QUERY_SIGN] = "CAST(sign($1) AS DOUBLE)",
                  [QUERY_ROUND] = "round($1)",
                  [QUERY_FLOOR] = "floor($1)",
                  [QUERY_CEIL] = "ceil($1)",
                  [QUERY_SQRT] = "CASE WHEN $1 >= 0 THEN sqrt($1) END",
                  [QUERY_LN] = "CASE WHEN $1 > 0 THEN ln($1) END",
                  [QUERY_EXP] = "exp($1)",
                  [QUERY_POWER] = "pow($1, $2)",
                  [QUERY_EQUAL] = "($1 = $2)",
                  [QUERY_UNEQUAL] = "($1 <> $2)",
                  [QUERY_LESS] = "($1 < $2)",
                  [QUERY_LESS_EQUAL] = "($1 <= $2)",
                  [QUERY_GREATER] = "($1 > $2)",
                  [QUERY_GREATER_EQUAL] = "($1 >= $2)",
                  [QUERY_IS_NULL] = "($1 IS NULL)",
                  [QUERY_NOT] = "(NOT $1)",
                  [QUERY_NULLIF] = "CASE WHEN $1 = $2 THEN NULL ELSE $1 END",
                  [QUERY_LOWER] = "translate($1, " LETTERS ", " SMALL ")",
                  [QUERY_UPPER] = "translate($1, " SMALL ", " LETTERS ")",
                  [QUERY_LENGTH] = "length($1)",
                  [QUERY_TRIM] = "trim($1, ' ')",
                  [QUERY_SUBSTRING] = "substring($1, $m, $d)" },
    .cast = { [DUSK_TYPE_INTEGER] = { [DUSK_TYPE_TEXT] = "CAST($1 AS VARCHAR)",
                                      [DUSK_TYPE_BOOLEAN] = "($1 <> 0)" },
              [DUSK_TYPE_REAL] = { [DUSK_TYPE_INTEGER] = "TRY_CAST(round($1) AS BIGINT)",
                                   [DUSK_TYPE_TEXT] = "regexp_replace(CAST($1 AS VARCHAR), '\\.0$$', '')",
                                   [DUSK_TYPE_BOOLEAN] = "($1 <> 0)" },
              [DUSK_TYPE_TEXT] = { [DUSK_TYPE_INTEGER] =
                                       "CASE WHEN regexp_full_match($1, '[ \\t]*[+-]?[0-9]+[ "
                                       "\\t]*') THEN TRY_CAST(" TRIMMED " AS BIGINT) END",
                                   [DUSK_TYPE_REAL] = "CASE WHEN regexp_full_match($1, " REAL
                                                      ") THEN TRY_CAST(" TRIMMED " AS DOUBLE) END",
                                   [DUSK_TYPE_BOOLEAN] = "CASE WHEN regexp_full_match($1, '(?i)[ "
                                                         "\\t]*(true|t|1|yes|on|y)[ \\t]*') "
                                                         "THEN TRUE WHEN regexp_full_match($1, '(?i)[ "
                                                         "\\t]*(false|f|0|no|off|n)[ \\t]*') THEN FALSE END",
                                   [DUSK_TYPE_DATE] = "CASE WHEN regexp_full_match($1, " TIME
                                                      ") THEN TRY_CAST(left(" TRIMMED ", 10) AS DATE) END",
                                   [DUSK_TYPE_TIMESTAMP] = "CASE WHEN regexp_full_match($1, " TIME
                                                           ") THEN TRY_CAST(rtrim(left(" TRIMMED
                                                           ", 19), 'Z') AS TIMESTAMP) END" },
              [DUSK_TYPE_BOOLEAN] = { [DUSK_TYPE_INTEGER] = "CAST($1 AS BIGINT)",
                                      [DUSK_TYPE_REAL] = "CAST($1 AS DOUBLE)",
                                      [DUSK_TYPE_TEXT] = "CAST($1 AS VARCHAR)" },
              [DUSK_TYPE_DATE] = { [DUSK_TYPE_TEXT] = WITHIN(DATE_TEXT),
                                   [DUSK_TYPE_TIMESTAMP] = WITHIN("CAST($1 AS TIMESTAMP)") },
              [DUSK_TYPE_TIMESTAMP] = { [DUSK_TYPE_TEXT] = WITHIN(TIMESTAMP_TEXT),
                                        [DUSK_TYPE_DATE] = WITHIN("CAST($1 AS DATE)") } },
    .output = { [DUSK_TYPE_INTEGER] = "$1",
                [DUSK_TYPE_REAL] = "$1",
                [DUSK_TYPE_TEXT] = "$1",
                [DUSK_TYPE_BOOLEAN] = "CAST($1 AS BIGINT)",
                [DUSK_TYPE_DATE] = WITHIN(DATE_TEXT),
                [DUSK_TYPE_TIMESTAMP] = WITHIN(TIMESTAMP_TEXT) },
    .number_of_integer = "CAST($1 AS DOUBLE)",
    .integer_of_number = "TRY_CAST($1 AS BIGINT)",
    .closed = "CASE WHEN isfinite($1) THEN $1 END",
    .round_digits = "CASE WHEN abs($1) < 4503599627370496e0 / $f THEN round($1 * $f) / $f ELSE $1 END",
    .round_tens = "(round($1 / $f) * $f)",
    .least = { "least(", ", ", ")" },
    .greatest = { "greatest(", ", ", ")" },
    .concat = { "(left(", ", 65536) || left(", ", 65536))" },
    .like = "($1 LIKE $p)",
    .like_escaped = "($1 LIKE $p ESCAPE '\\')",
    .extract = WITHIN("date_part('$u', $1)"),
    .truncate = { WITHIN("CAST(date_trunc('$u', $1) AS DATE)"),
                  WITHIN("CAST(date_trunc('$u', $1) AS TIMESTAMP)") },
    .add = { WITHIN("CAST($1 + INTERVAL ($m) MONTH + INTERVAL ($d) DAY AS DATE)"),
             WITHIN("CAST($1 + INTERVAL ($m) MONTH + INTERVAL ($d) DAY AS TIMESTAMP)") },
    .days = { BOTH_WITHIN("date_diff('day', $2, $1)"), BOTH_WITHIN("date_diff('day', $2, $1)") },
    .moment = { "DATE '|'", "TIMESTAMP '|'" },
    .cross = " CROSS JOIN ",
    .sum = { "dusk_sum(", "", ")" },
    .average = { "dusk_avg(", "", ")" },
    .summand = "CASE WHEN abs($1) < 1e290 THEN $1 END",
    .least_of = { [DUSK_TYPE_INTEGER] = "MIN($1)",
                  [DUSK_TYPE_REAL] = "MIN($1 + 0.0)",
                  [DUSK_TYPE_TEXT] = "MIN($1)",
                  [DUSK_TYPE_BOOLEAN] = "MIN($1)",
                  [DUSK_TYPE_DATE] = "MIN($1)",
                  [DUSK_TYPE_TIMESTAMP] = "MIN($1)" },
    .greatest_of = { [DUSK_TYPE_INTEGER] = "MAX($1)",
                     [DUSK_TYPE_REAL] = "MAX($1 + 0.0)",
                     [DUSK_TYPE_TEXT] = "MAX($1)",
                     [DUSK_TYPE_BOOLEAN] = "MAX($1)",
                     [DUSK_TYPE_DATE] = "MAX($1)",
                     [DUSK_TYPE_TIMESTAMP] = "MAX($1)" },
    .lambda = true,
};
