/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar; see calendar.h. Days are counted in eras of 400 years that begin in March, so
 * that the leap day is the last of its year. */
#include "table/calendar.h"

#include <string.h>

#include "base/mutant.h"

#define DAYS_OF_ERA 146097
#define DAYS_TO_1970 719468 /* from 0000-03-01 */

static bool is_leap(int year)
{
    return year % 4 == 0 && (DUSK_MUTATE(CENTURIES_ARE_LEAP, year % 100 != 0, true) || year % 400 == 0);
}

int table_days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

int64_t table_days(const table_time *time)
{
    int64_t year = time->month <= 2 ? time->year - 1 : time->year;
    int64_t era = year / 400, of_era = year % 400; /* year >= 0 */
    int64_t month = (time->month + 9) % 12;        /* March is 0 */
    int64_t of_year = (153 * month + 2) / 5 + time->day - 1;
    return era * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970;
}

bool table_from_days(table_time *out, int64_t days)
{
    static const table_time first = { 1, 1, 1, 0, 0, 0 }, last = { 9999, 12, 31, 0, 0, 0 };
    if (days < table_days(&first) || days > table_days(&last)) return false;
    int64_t z = days + DAYS_TO_1970;
    int64_t era = z / DAYS_OF_ERA, of_era = z % DAYS_OF_ERA;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    out->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    out->month = (int)(month < 10 ? month + 3 : month - 9);
    out->year = (int)(year + era * 400 + (out->month <= 2));
    return true;
}

static void write_number(char *out, int value, int digits)
{
    for (int i = digits - 1; i >= 0; i--, value /= 10) out[i] = (char)('0' + value % 10);
}

void table_write_date(char out[TABLE_DATE_LENGTH + 1], const table_time *time)
{
    memcpy(out, "0000-00-00", TABLE_DATE_LENGTH + 1);
    write_number(out, time->year, 4);
    write_number(out + 5, time->month, 2);
    write_number(out + 8, time->day, 2);
}

void table_write_timestamp(char out[TABLE_TIMESTAMP_LENGTH + 1], const table_time *time)
{
    table_write_date(out, time);
    memcpy(out + TABLE_DATE_LENGTH, " 00:00:00", TABLE_TIMESTAMP_LENGTH - TABLE_DATE_LENGTH + 1);
    write_number(out + 11, time->hour, 2);
    write_number(out + 14, time->minute, 2);
    write_number(out + 17, time->second, 2);
}

/* `digits` digits at *at, and on; -1 when they are not there. */
static int read_number(const char **at, const char *end, int digits)
{
    int value = 0;
    if (end - *at < digits) return -1;
    for (int i = 0; i < digits; i++, ++*at) {
        if (**at < '0' || **at > '9') return -1;
        value = 10 * value + (**at - '0');
    }
    return value;
}

static bool skip(const char **at, const char *end, char c)
{
    if (*at == end || **at != c) return false;
    ++*at;
    return true;
}

static bool read_date(table_time *t, const char **at, const char *end)
{
    t->year = read_number(at, end, 4);
    if (t->year < 1 || !skip(at, end, '-')) return false;
    t->month = read_number(at, end, 2);
    if (t->month < 1 || t->month > 12 || !skip(at, end, '-')) return false;
    t->day = read_number(at, end, 2);
    return t->day >= 1 && t->day <= table_days_in_month(t->year, t->month);
}

static bool read_clock(table_time *t, const char **at, const char *end)
{
    t->hour = read_number(at, end, 2);
    if (t->hour < 0 || t->hour > 23 || !skip(at, end, ':')) return false;
    t->minute = read_number(at, end, 2);
    if (t->minute < 0 || t->minute > 59) return false;
    t->second = 0;
    if (!skip(at, end, ':')) return true;
    t->second = read_number(at, end, 2);
    if (t->second < 0 || t->second > 59) return false;
    if (skip(at, end, '.')) {
        if (read_number(at, end, 1) < 0) return false;
        while (*at < end && **at >= '0' && **at <= '9') ++*at;
    }
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool table_read_time(table_time *out, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    table_time t = { .year = 0 };
    while (at < end && is_blank(*at)) at++;
    while (end > at && is_blank(end[-1])) end--;
    if (!read_date(&t, &at, end)) return false;
    if (at < end) {
        if (!skip(&at, end, ' ') && !skip(&at, end, 'T')) return false;
        if (!read_clock(&t, &at, end)) return false;
        (void)skip(&at, end, 'Z');
    }
    if (at != end) return false;
    *out = t;
    return true;
}
