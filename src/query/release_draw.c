/* SPDX-License-Identifier: Apache-2.0 */
/* Exact totals of groups become noisy ones. Every group that is shown gets noise, whether or not
 * any row is in it; which groups are shown is public, or was selected before. Proof:
 * release_draw.proof.md. */
#include "query/release_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"
#include "random/record.h"

#ifdef DUSK_TESTING
static bool noise_is_off;
void query_release_without_noise(bool off) { noise_is_off = off; }
#define NOISE_IS_OFF noise_is_off
#else
#define NOISE_IS_OFF false
#endif

void query_released_clear(query_released *released, size_t primitives)
{
    for (size_t p = 0; released->number && p < primitives; p++) dusk_deallocate(released->number[p]);
    dusk_deallocate(released->number);
    dusk_deallocate(released->group);
    *released = (query_released){ 0 };
}

/* --- order of keys ---------------------------------------------------------------------------- */

static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* Numbers by size, texts by their bytes, NULL last. */
static int compare_values(const query_value *a, const query_value *b, dusk_type type)
{
    if (a->null || b->null) return a->null - b->null;
    if (type == DUSK_TYPE_REAL) return compare_numbers(a->real, b->real);
    if (type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_BOOLEAN)
        return (a->integer > b->integer) - (a->integer < b->integer);
    size_t shared = a->length < b->length ? a->length : b->length;
    int order = shared ? memcmp(a->text, b->text, shared) : 0;
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

typedef struct shown_key {
    const query_plan *plan;
    const query_value *key;
    size_t group;
} shown_key;

static int compare_keys(const void *a, const void *b)
{
    const shown_key *x = a, *y = b;
    int order = 0;
    for (size_t k = 0; k < x->plan->keys && order == 0; k++)
        order = compare_values(&x->key[k], &y->key[k], x->plan->input->column[1 + k].type);
    return order;
}

/* --- which groups -------------------------------------------------------------------------------- */

static dusk_status show_all(query_released *out, const bounded *groups, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(out->group, groups->groups);
    for (size_t i = 0; i < groups->groups; i++) out->group[i] = i;
    out->groups = groups->groups;
done:
    return status;
}

/* counts[i]: what a threshold method shows of a kept key. */
static dusk_status select_keys(bool *keep, double *counts, const query_terms *terms, const uint64_t *units,
                               size_t n, dusk_generator *gen, dusk_error *err)
{
    if (!DUSK_MUTATE(RELEASE_ALL_KEYS_SHOWN, NOISE_IS_OFF, true))
        return dusk_key_selection_release(&terms->selection, keep, counts, units, n, gen, err);
    for (size_t i = 0; i < n; i++) {
        keep[i] = units[i] > 0;
        counts[i] = (double)units[i];
    }
    return DUSK_OK;
}

#ifdef DUSK_TESTING
/* Names for records: neighbouring data has other keys, so that a place says nothing. */
static uint64_t *record_names(const shown_key *sorted, size_t n, size_t keys)
{
    uint64_t *name = malloc((n + 1) * sizeof *name);
    if (!name) abort();
    for (size_t i = 0; i < n; i++) {
        name[i] = 14695981039346656037u;
        for (size_t k = 0; k < keys; k++) {
            const query_value *v = &sorted[i].key[k];
            name[i] = (name[i] ^ (uint64_t)v->integer ^ (uint64_t)v->null << 63) * 1099511628211u;
            for (size_t c = 0; v->text && c < v->length; c++)
                name[i] = (name[i] ^ (unsigned char)v->text[c]) * 1099511628211u;
            uint64_t bits;
            memcpy(&bits, &v->real, sizeof bits);
            name[i] = (name[i] ^ bits >> 7) * 1099511628211u;
        }
    }
    return name;
}
#endif

/* In the order of their values from the first step on: how groups come out of bounding is nobody's
 * business. */
static dusk_status show_selected(query_released *out, const query_terms *terms, const bounded *groups,
                                 dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = groups->groups, keys = terms->plan->keys;
    shown_key *sorted = NULL;
    uint64_t *units = NULL;
    double *counts = NULL;
    bool *keep = NULL;
    DUSK_RECORD(uint64_t *name = NULL;)

    DUSK_NEW(sorted, n);
    DUSK_NEW(units, n);
    DUSK_NEW(counts, n);
    DUSK_NEW(keep, n);
    DUSK_NEW(out->group, n);
    for (size_t i = 0; i < n; i++) sorted[i] = (shown_key){ terms->plan, groups->key + i * keys, i };
    if (DUSK_MUTATE(RELEASE_KEYS_UNSORTED, n > 1, false)) qsort(sorted, n, sizeof *sorted, compare_keys);
    for (size_t i = 0; i < n; i++) units[i] = groups->units[sorted[i].group];
    DUSK_RECORD(name = record_names(sorted, n, keys);)
    DUSK_RECORD(dusk_record_names(gen, name, n);)
    DUSK_TRY(select_keys(keep, counts, terms, units, n, gen, err));
    for (size_t i = 0; i < n; i++) {
        if (!keep[i]) continue;
        counts[out->groups] = counts[i];
        out->group[out->groups++] = sorted[i].group;
    }
    if (terms->counted != QUERY_NONE) {
        out->number[terms->counted] = counts;
        counts = NULL;
    }
done:
    DUSK_RECORD(dusk_record_names(gen, NULL, 0);)
    DUSK_RECORD(free(name);)
    if (units) dusk_wipe(units, n * sizeof *units);
    dusk_deallocate(sorted);
    dusk_deallocate(units);
    dusk_deallocate(counts);
    dusk_deallocate(keep);
    return status;
}

/* --- totals ------------------------------------------------------------------------------------------ */

DUSK_PROVEN(draw_totals)
static dusk_status draw_totals(query_released *out, const query_terms *terms, const bounded *groups, size_t p,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_noise *noise = &terms->primitive[p].noise;
    const dusk_int128 *sum = groups->sum + p * groups->groups;
    dusk_int128 *total = NULL;

    DUSK_NEW(out->number[p], out->groups);
    DUSK_NEW(total, out->groups);
    for (size_t i = 0; i < out->groups; i++) total[i] = sum[out->group[i]];
    if (NOISE_IS_OFF)
        for (size_t i = 0; i < out->groups; i++) out->number[p][i] = dusk_fixed_value(total[i], noise->grid);
    else
        DUSK_TRY(dusk_noise_release_totals(noise, out->number[p], total, out->groups, gen, err));
    for (size_t i = 0; DUSK_MUTATE(RELEASE_ABSENT_KEYS_BARE, false, true) && i < out->groups; i++)
        if (groups->units[out->group[i]] == 0) out->number[p][i] = 0;
done:
    if (total) dusk_wipe(total, out->groups * sizeof *total);
    dusk_deallocate(total);
    return status;
}

/* --- quantiles -------------------------------------------------------------------------------------- */

#ifdef DUSK_TESTING
static int compare_doubles(const void *a, const void *b)
{
    return compare_numbers(*(const double *)a, *(const double *)b);
}

/* As PERCENTILE_CONT has it; of the extremes, the extremes themselves. */
static void exact_quantiles(double *out, const query_primitive *p, double *rows, size_t n)
{
    if (n > 1) qsort(rows, n, sizeof *rows, compare_doubles);
    for (size_t f = 0; f < p->fractions; f++) {
        double q = p->fraction[f];
        if (q == QUERY_LOWEST_FRACTION) q = 0;
        if (q == QUERY_HIGHEST_FRACTION) q = 1;
        double at = q * ((double)n - 1), below = floor(at);
        size_t i = n ? (size_t)below : 0, j = i + 1 < n ? i + 1 : i;
        out[f] = n ? rows[i] + (at - below) * (rows[j] - rows[i]) : p->total.lower;
    }
}
#endif

/* By a generator of its own: how many coins a choice takes depends on the rows, and no other group shall feel
 * it. */
static dusk_status group_quantiles(double *values, const query_primitive *p, double *rows, size_t n,
                                   dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_generator *own = NULL;
    dusk_statement statement;
    double rank_error;
#ifdef DUSK_TESTING
    if (noise_is_off) {
        exact_quantiles(values, p, rows, n);
        return DUSK_OK;
    }
#endif
    DUSK_TRY(dusk_generator_fork(&own, gen, err));
    DUSK_TRY(dusk_quantiles_release(values, &rank_error, &statement, &p->quantiles, p->fraction, p->fractions,
                                    rows, n, own, err));
done:
    dusk_generator_free(own);
    return status;
}

DUSK_PROVEN(draw_quantiles)
static dusk_status draw_quantiles(query_released *out, const query_terms *terms, const bounded *groups,
                                  size_t p, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t m = terms->primitive[p].fractions;

    DUSK_NEW(out->number[p], out->groups * m);
    for (size_t i = 0; i < out->groups; i++) {
        size_t at = p * groups->groups + out->group[i];
        DUSK_RECORD(dusk_record_scope(gen, "group", i);)
        DUSK_TRY(group_quantiles(out->number[p] + i * m, &terms->primitive[p], groups->collected[at],
                                 groups->collected_count[at], gen, err));
    }
done:
    DUSK_RECORD(dusk_record_scope(gen, NULL, 0);)
    return status;
}

DUSK_PROVEN(query_draw)
dusk_status query_draw(query_released *out, const query_terms *terms, const bounded *groups,
                       dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_released made = { 0 };

    DUSK_NEW(made.number, terms->primitives);
    if (terms->selects)
        DUSK_TRY(show_selected(&made, terms, groups, gen, err));
    else
        DUSK_TRY(show_all(&made, groups, err));
    for (size_t p = 0; p < terms->primitives; p++) {
        if (p == terms->counted) continue; /* drawn with the keys */
        if (terms->primitive[p].total.kind == BOUNDING_COLLECT)
            DUSK_TRY(draw_quantiles(&made, terms, groups, p, gen, err));
        else
            DUSK_TRY(draw_totals(&made, terms, groups, p, gen, err));
    }
    *out = made;
    made = (query_released){ 0 };
done:
    query_released_clear(&made, terms->primitives);
    return status;
}
