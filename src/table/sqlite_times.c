/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions of dates and timestamps in the SQLite engine. Both are ISO text there; a date has
 * ten characters, and stays one. Results outside the years 1 to 9999 are NULL. */
#include <string.h>

#include "table/calendar.h"
#include "table/schema.h"
#include "table/sqlite_engine.h"

typedef enum unit { YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, DOW, UNITS } unit;

static unit unit_of(sqlite3_value *argument)
{
    static const char *const names[] = { "year", "quarter", "month",  "week", "day",
                                         "hour", "minute",  "second", "dow" };
    const char *text = (const char *)sqlite3_value_text(argument);
    unit u = YEAR;
    if (!text) return UNITS;
    while (u < UNITS && !table_same_name(text, strlen(text), names[u])) u++;
    return u;
}

/* The moment that an argument is; *is_date when it was written as a date. */
static bool moment(table_time *out, bool *is_date, sqlite3_value *argument)
{
    table_value value;
    sqlite_argument(&value, DUSK_TYPE_TEXT, argument);
    if (value.null) return false;
    *is_date = value.length <= TABLE_DATE_LENGTH;
    return table_read_time(out, value.text, value.length);
}

static void result_moment(sqlite3_context *context, const table_time *time, bool is_date)
{
    char text[TABLE_TIMESTAMP_LENGTH + 1];
    if (is_date)
        table_write_date(text, time);
    else
        table_write_timestamp(text, time);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* Sunday is 0; 1970-01-01 was a Thursday. */
static int day_of_week(const table_time *t) { return (int)(((table_days(t) + 4) % 7 + 7) % 7); }

/* The Monday of its week, as a day. */
static int64_t monday_of(const table_time *t) { return table_days(t) - (day_of_week(t) + 6) % 7; }

/* ISO 8601: the week belongs to the year that its Thursday is in, and is the first with one. */
static int week_of(const table_time *t)
{
    table_time thursday = { .year = 0 };
    int64_t day = monday_of(t) + 3;
    if (!table_from_days(&thursday, day)) return 52; /* 9999-12-31 is a Friday: not reached */
    table_time first = { .year = thursday.year, .month = 1, .day = 1 };
    return (int)((day - table_days(&first)) / 7) + 1;
}

static void extract(sqlite3_context *context, int n, sqlite3_value **argument)
{
    table_time t;
    bool is_date;
    (void)n;
    if (!moment(&t, &is_date, argument[1])) return;
    switch (unit_of(argument[0])) {
    case YEAR: sqlite3_result_int(context, t.year); return;
    case QUARTER: sqlite3_result_int(context, (t.month + 2) / 3); return;
    case MONTH: sqlite3_result_int(context, t.month); return;
    case WEEK: sqlite3_result_int(context, week_of(&t)); return;
    case DAY: sqlite3_result_int(context, t.day); return;
    case HOUR: sqlite3_result_int(context, t.hour); return;
    case MINUTE: sqlite3_result_int(context, t.minute); return;
    case SECOND: sqlite3_result_int(context, t.second); return;
    case DOW: sqlite3_result_int(context, day_of_week(&t)); return;
    case UNITS: return;
    }
}

static void truncate_to(sqlite3_context *context, int n, sqlite3_value **argument)
{
    table_time t;
    bool is_date;
    unit u = unit_of(argument[0]);
    (void)n;
    if (u > SECOND || !moment(&t, &is_date, argument[1])) return;
    if (u == WEEK && !table_from_days(&t, monday_of(&t))) return;
    if (u == QUARTER) t.month -= (t.month - 1) % 3;
    if (u == YEAR) t.month = 1;
    if (u == YEAR || u == QUARTER || u == MONTH) t.day = 1;
    if (u < HOUR) t.hour = 0;
    if (u < MINUTE) t.minute = 0;
    if (u < SECOND) t.second = 0;
    result_moment(context, &t, is_date);
}

static void add(sqlite3_context *context, int n, sqlite3_value **argument)
{
    const int64_t most = 4000000; /* beyond any of ten thousand years */
    table_time t;
    bool is_date;
    int64_t months = sqlite3_value_int64(argument[1]), days = sqlite3_value_int64(argument[2]);
    (void)n;
    if (!moment(&t, &is_date, argument[0])) return;
    if (months < -most || months > most || days < -most || days > most) return;
    int64_t month = (int64_t)t.year * 12 + t.month - 1 + months;
    if (month < 12 || month >= 120000) return;
    t.year = (int)(month / 12);
    t.month = (int)(month % 12) + 1;
    int last = table_days_in_month(t.year, t.month);
    if (t.day > last) t.day = last;
    if (table_from_days(&t, table_days(&t) + days)) result_moment(context, &t, is_date);
}

static void days_between(sqlite3_context *context, int n, sqlite3_value **argument)
{
    table_time a, b;
    bool is_date;
    (void)n;
    if (moment(&a, &is_date, argument[0]) && moment(&b, &is_date, argument[1]))
        sqlite3_result_int64(context, table_days(&a) - table_days(&b));
}

int sqlite_times_register(sqlite3 *db)
{
    int code = sqlite_add_function(db, "dusk_extract", 2, NULL, extract);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_trunc", 2, NULL, truncate_to);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_add", 3, NULL, add);
    if (code == SQLITE_OK) code = sqlite_add_function(db, "dusk_days", 2, NULL, days_between);
    return code;
}
