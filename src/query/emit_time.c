/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of dates and timestamps as SQL text. The engines' calendars reach farther than ours, and
 * past their ends they raise errors; so every function is guarded to the years 1 to 9999, and a
 * sum to those dates for which the result stays there. */
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "query/emit.h"
#include "table/calendar.h"

enum { MOMENT_MAX = 80 };

/* DATE '...' or TIMESTAMP '...' of a day, at its beginning or its end. */
static void write_moment(char out[MOMENT_MAX], const emitter *em, dusk_type type, int64_t days, bool end)
{
    const char *around = em->dialect->moment[type == DUSK_TYPE_TIMESTAMP];
    size_t before = strcspn(around, "|");
    char day[TABLE_DATE_LENGTH + 1] = "";
    table_time time = { 0 };
    if (table_from_days(&time, days)) table_write_date(day, &time);
    snprintf(out, MOMENT_MAX, "%.*s%s%s%s", (int)before, around, day,
             type == DUSK_TYPE_DATE ? ""
             : end                  ? " 23:59:59.999999"
                                    : " 00:00:00",
             around + before + (around[before] != '\0'));
}

static int64_t first_day(void) { return table_days(&(table_time){ .year = 1, .month = 1, .day = 1 }); }
static int64_t last_day(void) { return table_days(&(table_time){ .year = 9999, .month = 12, .day = 31 }); }

void emit_moment(emitter *em, const char *text, const query_expression *e, dusk_type type)
{
    char first[MOMENT_MAX], last[MOMENT_MAX];
    emit_operand operand = { .e = e, .form = EMIT_NATIVE };
    emit_marks marks = { .first = first, .last = last };
    write_moment(first, em, type, first_day(), false);
    write_moment(last, em, type, last_day(), true);
    emit_expand(em, text, &operand, 1, &marks);
}

/* --- sums ------------------------------------------------------------------------------------------- */

/* The day of a day plus months, then days: -1 and +1 for before and after the years 1 to 9999, else 0. */
static int side_of_sum(int64_t day, int64_t months, int64_t days)
{
    table_time time = { 0 };
    if (!table_from_days(&time, day)) return 1;
    int64_t month = 12 * (int64_t)time.year + time.month - 1 + months;
    if (month < 12) return -1;
    if (month >= 120000) return 1;
    time.year = (int)(month / 12);
    time.month = (int)(month % 12) + 1;
    int longest = table_days_in_month(time.year, time.month);
    if (time.day > longest) time.day = longest;
    int64_t sum = table_days(&time) + days;
    return sum < first_day() ? -1 : sum > last_day() ? 1 : 0;
}

/* The least day whose sum is not on a side below `side`; past the last day when there is none. */
static int64_t least_day(int64_t months, int64_t days, int side)
{
    int64_t low = first_day() - 1, high = last_day() + 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (side_of_sum(middle, months, days) >= side)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* No shift by more than the calendar leads anywhere in it. */
static int64_t limited(int64_t x) { return x > 4000000 ? 4000000 : x < -4000000 ? -4000000 : x; }

static void put_sum(emitter *em, const query_expression *e)
{
    char first[MOMENT_MAX], last[MOMENT_MAX], month[24], day[24];
    emit_operand operand = { .e = e->argument[0], .form = EMIT_NATIVE };
    emit_marks marks = { .first = first, .last = last, .from = month, .count = day };
    int64_t months = limited(e->argument[1]->value.integer), days = limited(e->argument[2]->value.integer);
    int64_t from = DUSK_MUTATE(EMIT_DATE_SUM_UNGUARDED, least_day(months, days, 0), first_day());
    int64_t to = least_day(months, days, 1) - 1;
    if (e->argument[1]->value.null || e->argument[2]->value.null || from > to) {
        emit_null(em, e->type, EMIT_NATIVE);
        return;
    }
    write_moment(first, em, e->type, from, false);
    write_moment(last, em, e->type, to, true);
    snprintf(month, sizeof month, "%d", (int)months);
    snprintf(day, sizeof day, "%d", (int)days);
    emit_expand(em, em->dialect->add[e->type == DUSK_TYPE_TIMESTAMP], &operand, 1, &marks);
}

/* --- parts ------------------------------------------------------------------------------------------- */

/* A word of ours, never the analyst's own. */
static const char *unit_of(const query_expression *e)
{
    static const char *const units[] = { "year", "quarter", "month",  "week", "day",
                                         "hour", "minute",  "second", "dow" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (e->kind == QUERY_CONSTANT && e->value.text && strcmp(e->value.text, units[i]) == 0)
            return units[i];
    return NULL;
}

static void put_part(emitter *em, const char *text, const query_expression *e)
{
    char first[MOMENT_MAX], last[MOMENT_MAX];
    const query_expression *x = e->argument[1];
    emit_operand operand = { .e = x, .form = EMIT_NATIVE };
    emit_marks marks = { .unit = unit_of(e->argument[0]), .first = first, .last = last };
    write_moment(first, em, x->type, first_day(), false);
    write_moment(last, em, x->type, last_day(), true);
    emit_expand(em, text, &operand, 1, &marks);
}

static void put_days(emitter *em, const query_expression *e)
{
    char first[MOMENT_MAX], last[MOMENT_MAX];
    dusk_type type = e->argument[0]->type;
    emit_operand operand[2] = { { .e = e->argument[0], .form = EMIT_NATIVE },
                                { .e = e->argument[1], .form = EMIT_NATIVE } };
    emit_marks marks = { .first = first, .last = last };
    write_moment(first, em, type, first_day(), false);
    write_moment(last, em, type, last_day(), true);
    emit_expand(em, em->dialect->days[type == DUSK_TYPE_TIMESTAMP], operand, 2, &marks);
}

void emit_time(emitter *em, const query_expression *e)
{
    switch (e->function) {
    case QUERY_EXTRACT: put_part(em, em->dialect->extract, e); break;
    case QUERY_DATE_TRUNC:
        put_part(em, em->dialect->truncate[e->argument[1]->type == DUSK_TYPE_TIMESTAMP], e);
        break;
    case QUERY_DATE_ADD: put_sum(em, e); break;
    default: put_days(em, e);
    }
}
