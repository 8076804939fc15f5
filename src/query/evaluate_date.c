/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and timestamps of released rows (table/calendar.h). What is none, or leaves the years 1 to 9999, is
 * NULL. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "query/evaluate.h"
#include "table/calendar.h"

static bool read_time(table_time *out, const char *text)
{
    return text && table_read_time(out, text, strlen(text));
}

static dusk_status set_time(dusk_cell *out, const query_call *call, const table_time *time, dusk_error *err)
{
    char text[TABLE_TIMESTAMP_LENGTH + 1];
    if (out->type == DUSK_TYPE_TIMESTAMP)
        table_write_timestamp(text, time);
    else
        table_write_date(text, time);
    return query_set_text(out, query_arena_text(call->arena, text, strlen(text)), err);
}

/* Days since 1970-01-01 of a date that keeps its time of day; false outside the calendar. */
static bool move_to(table_time *time, int64_t days)
{
    table_time day;
    if (!table_from_days(&day, days)) return false;
    time->year = day.year;
    time->month = day.month;
    time->day = day.day;
    return true;
}

/* --- parts ------------------------------------------------------------------------------------------- */

typedef enum date_unit { YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, DOW, NO_UNIT } date_unit;

static date_unit unit_named(const char *name)
{
    static const char *const names[] = { "year", "quarter", "month",  "week", "day",
                                         "hour", "minute",  "second", "dow" };
    for (int i = 0; name && i < NO_UNIT; i++)
        if (strcmp(name, names[i]) == 0) return (date_unit)i;
    return NO_UNIT;
}

/* Monday is 0: 1970-01-01 was a Thursday. */
static int weekday_of(int64_t days) { return (int)(((days + 3) % 7 + 7) % 7); }

/* ISO 8601: the week of the year in which its Thursday lies. */
static double week_of(int64_t days)
{
    int64_t thursday = days - weekday_of(days) + 3;
    table_time time;
    if (!table_from_days(&time, thursday)) return NAN;
    const table_time first = { .year = time.year, .month = 1, .day = 1 };
    return (double)((thursday - table_days(&first)) / 7) + 1;
}

static double part_of(date_unit unit, const table_time *time)
{
    switch (unit) {
    case YEAR: return time->year;
    case QUARTER: return (time->month + 2) / 3;
    case MONTH: return time->month;
    case WEEK: return week_of(table_days(time));
    case DAY: return time->day;
    case HOUR: return time->hour;
    case MINUTE: return time->minute;
    case SECOND: return time->second;
    case DOW: return (weekday_of(table_days(time)) + 1) % 7;
    default: return NAN;
    }
}

/* The first moment of the unit; false when it lies before the calendar. */
static bool truncate_to(date_unit unit, table_time *time)
{
    if (unit < SECOND) time->second = 0;
    if (unit < MINUTE) time->minute = 0;
    if (unit < HOUR) time->hour = 0;
    if (unit == WEEK) return move_to(time, table_days(time) - weekday_of(table_days(time)));
    if (unit == YEAR) time->month = 1;
    if (unit == QUARTER) time->month -= (time->month - 1) % 3;
    if (unit < WEEK) time->day = 1;
    return true;
}

/* The end of a month stays in it. */
static bool shift(table_time *time, double months, double days)
{
    double month = time->year * 12.0 + time->month - 1 + trunc(months), year = floor(month / 12);
    if (!(year >= 1 && year <= 9999) || !(fabs(days) <= 1e7)) return false;
    time->year = (int)year;
    time->month = (int)(month - 12 * year) + 1;
    int most = table_days_in_month(time->year, time->month);
    if (time->day > most) time->day = most;
    return move_to(time, table_days(time) + (int64_t)days);
}

dusk_status query_evaluate_date(dusk_cell *out, const query_call *call, dusk_error *err)
{
    const dusk_cell *a = call->argument;
    bool by_unit = call->function == QUERY_EXTRACT || call->function == QUERY_DATE_TRUNC, fine;
    date_unit unit = by_unit ? unit_named(a[0].text) : DAY;
    table_time time, other;
    fine = read_time(&time, a[by_unit].text) && unit != NO_UNIT;
    if (fine && call->function == QUERY_EXTRACT) {
        query_set_number(out, part_of(unit, &time));
        return DUSK_OK;
    }
    if (fine && call->function == QUERY_DATE_DIFF && read_time(&other, a[1].text)) {
        query_set_number(out, (double)(table_days(&time) - table_days(&other)));
        return DUSK_OK;
    }
    fine = fine && call->function != QUERY_DATE_DIFF &&
           (by_unit ? unit != DOW && truncate_to(unit, &time) : shift(&time, a[1].number, a[2].number));
    if (fine) return set_time(out, call, &time, err);
    query_set_null(out);
    return DUSK_OK;
}
