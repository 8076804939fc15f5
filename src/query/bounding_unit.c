/* SPDX-License-Identifier: Apache-2.0 */
/* The bounded contribution of one unit. Its rows come sorted by group. Wherever more are held than may
 * stay, they are put into an order that depends on their content alone, and the unit's own coins choose
 * among the places of that list, every set as likely as any other (random/keyed.h). So what stays is a
 * function of this unit's rows, as a multiset, and of its coins. Proof: bounding.proof.md.
 *
 * Coins are tossed only where something has to go. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/bounding_inner.h"
#include "query/entry_sort.h"

static bool values_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b,
                        size_t value)
{
    (void)value;
    if (a->group != b->group) return a->group < b->group;
    return record_compare_values(&w->b->layout, worker_record(w, a->at), worker_record(w, b->at)) < 0;
}

static bool value_less(const bounding_worker *w, const bounding_entry *a, const bounding_entry *b,
                       size_t value)
{
    return record_compare_value(&w->b->layout, worker_record(w, a->at), worker_record(w, b->at), value) < 0;
}

/* The number under which the unit's coins are tossed. */
static uint64_t number_of(const bounding_worker *w, const bounding_entry *entry)
{
    const bounding_layout *layout = &w->b->layout;
    if (!layout->text_unit) return bounding_unmix(w->b, entry->name);
    const unsigned char *record = worker_record(w, entry->at);
    return dusk_keyed_unit(w->coins, record + layout->stride, record_word(record, layout->length_at));
}

DUSK_PROVEN(bounding_choose)
dusk_status bounding_choose(bounding_worker *w, uint32_t stream, const bounding_entry *unit, size_t held,
                            size_t most, size_t *chosen, size_t *count, dusk_error *err)
{
    if (held > BOUNDING_HELD_MAX) held = BOUNDING_HELD_MAX;
    if (held > most && w->b->first_come) held = most;
    return dusk_keyed_choose(w->coins, stream, number_of(w, unit), held, most, chosen, count, err);
}

/* --- terms -------------------------------------------------------------------------------- */

static inline double number_at(const bounding_layout *layout, const unsigned char *record, size_t value)
{
    uint64_t word = record_word(record, layout->value_at + 8 * value);
    double x;
    if (layout->types[value] == DUSK_CELL_INTEGER) return (double)(int64_t)word;
    memcpy(&x, &word, sizeof x);
    return x;
}

static inline double clamp(double x, const bounding_total *total)
{
    x = x > total->lower ? x : total->lower;
    return x < total->upper ? x : total->upper;
}

/* The term of a value on the grid: at most reach in size, whatever the value. */
DUSK_PROVEN(step_of)
static inline int64_t step_of(const bounding_term *term, double value)
{
    double x = clamp(value, &term->total) - term->total.centre;
    if (term->total.kind == BOUNDING_SQUARES) x = x * x - term->total.half_square;
    return dusk_fixed_step(x, &term->map);
}

/* What the n rows, which stay, add to a SUM or SQUARES; *any: whether one has a value. */
static dusk_int128 add_steps(const bounding_worker *w, const bounding_term *term, const bounding_entry *e,
                             size_t n, bool *any)
{
    const bounding_layout *layout = &w->b->layout;
    dusk_int128 sum = 0;
    *any = false;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *record = worker_record(w, e[i].at);
        if (record_is_null(record, term->total.value)) continue;
        *any = true;
        sum += step_of(term, number_at(layout, record, term->total.value));
    }
    return sum;
}

static uint64_t count_values(const bounding_worker *w, const bounding_entry *e, size_t n, size_t value)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) count += !record_is_null(worker_record(w, e[i].at), value);
    return count;
}

static dusk_status collect(bounding_worker *w, size_t t, const bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_total *total = &w->b->term[t].total;
    if (w->kept_room - w->kept_count < n) {
        size_t room = 2 * w->kept_room + n + 64;
        bounding_kept *larger;
        DUSK_NEW(larger, room);
        if (w->kept) {
            memcpy(larger, w->kept, w->kept_count * sizeof *larger);
            dusk_wipe(w->kept, w->kept_count * sizeof *larger);
            dusk_deallocate(w->kept);
        }
        w->kept = larger;
        w->kept_room = room;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned char *record = worker_record(w, e[i].at);
        if (record_is_null(record, total->value)) continue;
        double x = clamp(number_at(&w->b->layout, record, total->value), total);
        w->kept[w->kept_count++] = (bounding_kept){ x, (uint32_t)t, e[i].group };
    }
done:
    return status;
}

/* --- different values ------------------------------------------------------------------------ */

static dusk_status keep_value(bounding_worker *w, size_t t, const bounding_entry *e, dusk_error *err)
{
    const bounding_layout *layout = &w->b->layout;
    const unsigned char *record = worker_record(w, e->at);
    size_t value = w->b->term[t].total.value;
    query_value tuple[3] = { { .integer = (int64_t)t }, { .integer = e->group }, { .null = false } };
    uint32_t code;
    bool is_new;
    tuple[2].text = (const char *)record_value(layout, record, value, &tuple[2].length);
    return group_table_add(w->distinct, &code, &is_new, tuple, err);
}

/* The different values of a group's n rows, at most rows_per_group of them. */
DUSK_PROVEN(bounding_take_values)
dusk_status bounding_take_values(bounding_worker *w, size_t t, size_t place, const bounding_entry *e,
                                 size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_layout *layout = &w->b->layout;
    size_t value = w->b->term[t].total.value, different = 0, count;
    bounding_entry *list = w->list;

    for (size_t i = 0; i < n; i++)
        if (!record_is_null(worker_record(w, e[i].at), value)) list[different++] = e[i];
    size_t held = different;
    entry_sort(w, list, w->spare, held, value_less, value);
    different = 0;
    for (size_t i = 0; i < held; i++)
        if (i == 0 || record_compare_value(layout, worker_record(w, list[different - 1].at),
                                           worker_record(w, list[i].at), value) != 0)
            list[different++] = list[i];
    if (different <= w->b->rows_per_group) {
        for (size_t i = 0; i < different; i++) DUSK_TRY(keep_value(w, t, &list[i], err));
        return DUSK_OK;
    }
    uint32_t stream = BOUNDING_STREAM_VALUES + ((uint32_t)(place * w->b->terms + t) & BOUNDING_STREAM_MASK);
    DUSK_TRY(bounding_choose(w, stream, e, different, w->b->rows_per_group, w->rows, &count, err));
    for (size_t i = 0; i < count; i++) DUSK_TRY(keep_value(w, t, &list[w->rows[i]], err));
done:
    return status;
}

/* --- a group ---------------------------------------------------------------------------------- */

/* The rows stay: add them to every total. */
DUSK_PROVEN(bounding_add_rows)
dusk_status bounding_add_rows(bounding_worker *w, const bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t t = 0; t < w->b->terms; t++) {
        const bounding_term *term = &w->b->term[t];
        dusk_int128 *sum = &w->sum[t * w->groups + e->group], own;
        bool any;
        switch (term->total.kind) {
        case BOUNDING_UNITS: *sum += 1; break;
        case BOUNDING_ROWS: *sum += (dusk_int128)n; break;
        case BOUNDING_VALUES: *sum += (dusk_int128)count_values(w, e, n, term->total.value); break;
        case BOUNDING_SUM:
        case BOUNDING_SQUARES:
            own = add_steps(w, term, e, n, &any);
            if (any && term->is_clamped)
                own = own < term->low ? term->low : own > term->high ? term->high : own;
            *sum += own;
            break;
        case BOUNDING_COLLECT: DUSK_TRY(collect(w, t, e, n, err)); break;
        case BOUNDING_DISTINCT: break;
        }
    }
done:
    return status;
}

/* The n rows of a group that stays, the `place`-th of its unit. */
DUSK_PROVEN(take_group)
static dusk_status take_group(bounding_worker *w, size_t place, bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t most = w->b->rows_per_group;

    if (w->b->unfiltered && e->group >= w->groups) return DUSK_OK;
    if (w->distinct)
        for (size_t t = 0; t < w->b->terms; t++)
            if (w->b->term[t].total.kind == BOUNDING_DISTINCT)
                DUSK_TRY(bounding_take_values(w, t, place, e, n, err));
    if (n > most && w->b->needs_rows) {
        uint32_t stream = BOUNDING_STREAM_ROWS + ((uint32_t)place & BOUNDING_STREAM_MASK);
        entry_sort(w, e, w->spare, n, values_less, 0);
        DUSK_TRY(bounding_choose(w, stream, e, n, most, w->rows, &n, err));
        for (size_t i = 0; i < n; i++) e[i] = e[w->rows[i]];
    }
    w->units[e->group]++;
    DUSK_TRY(bounding_add_rows(w, e, n, err));
done:
    return status;
}

/* --- the unit ----------------------------------------------------------------------------------- */

DUSK_PROVEN(bounding_take_unit)
dusk_status bounding_take_unit(bounding_worker *w, bounding_entry *e, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t groups = 0, most = w->b->groups_per_unit, count;

    if (w->b->rows_per_unit && n > w->b->rows_per_unit) {
        entry_sort(w, e, w->spare, n, values_less, 0);
        DUSK_TRY(bounding_choose(w, BOUNDING_STREAM_UNIT_ROWS, e, n, w->b->rows_per_unit, w->rows, &n, err));
        for (size_t i = 0; i < n; i++) e[i] = e[w->rows[i]];
    }
    for (size_t i = 0; i < n; i++)
        if (i == 0 || e[i].group != e[i - 1].group) w->start[groups++] = i;
    w->start[groups] = n;
    if (groups <= most) {
        for (size_t g = 0; g < groups; g++)
            DUSK_TRY(take_group(w, g, e + w->start[g], w->start[g + 1] - w->start[g], err));
        return DUSK_OK;
    }
    DUSK_TRY(bounding_choose(w, BOUNDING_STREAM_GROUPS, e, groups, most, w->chosen, &count, err));
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(worker_record(w, e[w->start[w->chosen[i]]].at) + 16);
    for (size_t i = 0; i < count; i++) {
        size_t g = w->chosen[i];
        DUSK_TRY(take_group(w, i, e + w->start[g], w->start[g + 1] - w->start[g], err));
    }
done:
    return status;
}
