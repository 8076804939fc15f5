/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_CALENDAR_H
#define DUSK_TABLE_CALENDAR_H

/* Days and seconds of the Gregorian calendar, carried back before its invention as ISO 8601
 * does, for the years 1 to 9999. No zones, no leap seconds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct table_time {
    int year, month, day; /* 1 .. 9999, 1 .. 12, 1 .. 31 */
    int hour, minute, second;
} table_time;

#define TABLE_DATE_LENGTH 10      /* 1998-12-01          */
#define TABLE_TIMESTAMP_LENGTH 19 /* 1998-12-01 12:34:56 */

/* Days since 1970-01-01, and back; false outside the years 1 to 9999. */
int64_t table_days(const table_time *time);
bool table_from_days(table_time *out, int64_t days);
int table_days_in_month(int year, int month);
/* Write a date, or a timestamp, and '\0'. */
void table_write_date(char out[TABLE_DATE_LENGTH + 1], const table_time *time);
void table_write_timestamp(char out[TABLE_TIMESTAMP_LENGTH + 1], const table_time *time);
/* 1998-12-01, alone or followed by a blank or T and 12:34[:56[.789]]; blanks around it and a Z
 * at its end are allowed, fractions are cut. False when there is no such day or time. */
bool table_read_time(table_time *out, const char *text, size_t length);

#endif
