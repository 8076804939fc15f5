/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of losses: binomial for two atoms, powers of a polynomial for more atoms
 * on a lattice, products. Masses are only multiplied, added and divided by
 * positive numbers, so that relative errors add up and nothing cancels. libm's
 * functions are counted with four units in the last place. */
#include "accounting/loss_list.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "accounting/bound.h"
#include "base/memory.h"
#include "base/mutant.h"

#define UNIT ((double)LDBL_EPSILON) /* twice the error of a rounding */
#define POWER_MAX 4096              /* entries of a power that is multiplied out */
#define FULL_MAX 65536              /* binomials up to this are listed whole */
#define DEVIATIONS 40.0
#define ONE_MAX 0x1p40 /* times of a single atom */
#define REACH_MAX 1e9

void dusk_loss_list_free(dusk_loss_list *list)
{
    dusk_deallocate(list->loss);
    dusk_deallocate(list->mass);
    *list = (dusk_loss_list){ 0 };
}

static dusk_status list_new(dusk_loss_list *out, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (dusk_loss_list){ .count = count };
    DUSK_NEW(out->loss, count);
    DUSK_NEW(out->mass, count);
    return DUSK_OK;
done:
    dusk_loss_list_free(out);
    return status;
}

dusk_status dusk_loss_list_one(dusk_loss_list *out, dusk_error *err)
{
    dusk_status status = list_new(out, 1, err);
    if (status == DUSK_OK) out->mass[0] = 1;
    return status;
}

bool dusk_pair_is_symmetric(const dusk_pair *pair)
{
    const dusk_bound *l = pair->loss;
    return pair->atoms == 2 && l[0].lower == -l[1].upper && l[0].upper == -l[1].lower && l[1].lower > 0 &&
           isinf(pair->absent_at) && pair->infinite.lower == pair->absent.lower &&
           pair->infinite.upper == pair->absent.upper;
}

/* The part of a binomial that is listed: all, or 40 sqrt(v) + 1000 around the mean,
 * v being the variance; what is outside has probability at most
 * 2 exp(-t^2/(2 (v + t/3))) < 2 exp(-800) [Bernstein], below every double. */
typedef struct window {
    uint64_t first, mode;
    size_t count;
} window;

static window window_of(const dusk_pair *pair)
{
    uint64_t n = pair->times;
    double p = pair->mass[1].upper / (pair->mass[0].upper + pair->mass[1].upper), mean = (double)n * p;
    double reach = DEVIATIONS * sqrt(mean * (1 - p)) + 1000;
    window w = { .mode = mean >= (double)n ? n : (uint64_t)mean };
    double first = mean - reach, last = mean + reach;
    if (n < FULL_MAX || !(last - first < DUSK_LOSS_LIST_MAX)) {
        w.count = n < FULL_MAX ? (size_t)n + 1 : SIZE_MAX;
        return w;
    }
    w.first = first > 0 ? (uint64_t)first : 0;
    w.count = (size_t)((last < (double)n ? (uint64_t)last : n) - w.first) + 1;
    return w;
}

static double reach_of(const dusk_pair *pair)
{
    double low = fabs(pair->loss[0].lower), high = fabs(pair->loss[pair->atoms - 1].upper);
    double other = fabs(pair->loss[0].upper);
    if (other > low) low = other;
    return dusk_mul_up(dusk_bound_of_whole(pair->times).upper, low > high ? low : high);
}

bool dusk_loss_list_has_lower(const dusk_pair *pair)
{
    if (pair->atoms != 2 || pair->times == 1 || dusk_pair_is_symmetric(pair)) return true;
    return pair->mass[0].lower > 0 && pair->mass[1].lower > 0;
}

size_t dusk_loss_list_count(const dusk_pair *pair)
{
    if (pair->kind != DUSK_PAIR_ATOMS || pair->atoms == 0 || !(reach_of(pair) <= REACH_MAX)) return SIZE_MAX;
    if (pair->atoms == 1 && (double)pair->times > ONE_MAX) return SIZE_MAX;
    if (pair->times == 1 || pair->atoms == 1) return pair->atoms;
    if (pair->atoms == 2 && !(pair->mass[0].upper > 0 && pair->mass[1].upper > 0)) return SIZE_MAX;
    if (pair->atoms == 2) return window_of(pair).count;
    if (!pair->lattice || pair->times > POWER_MAX || pair->atoms > POWER_MAX) return SIZE_MAX;
    size_t count = (pair->atoms - 1) * (size_t)pair->times + 1;
    return count <= POWER_MAX ? count : SIZE_MAX;
}

static double end_of(dusk_bound b, bool up) { return up ? b.upper : b.lower; }

/* Masses of one time for two atoms, m1 and m0/m1; better than doubles where it can be. */
static void two_masses(long double *m1, long double *ratio, const dusk_pair *pair, bool up)
{
    if (dusk_pair_is_symmetric(pair)) {
        *ratio = expl(-(long double)end_of(pair->loss[1], up));
        *m1 = (1 - (long double)end_of(pair->infinite, up)) / (1 + *ratio);
    } else {
        *m1 = end_of(pair->mass[1], up);
        *ratio = end_of(pair->mass[0], up) / *m1;
    }
}

/* mass[i] / mass[mode], then to the right total (m0 + m1)^n. */
static void binomial_masses(dusk_loss_list *out, const dusk_pair *pair, const window *w, bool up)
{
    long double m1, ratio, n = (long double)pair->times, sum = 1, *mass = out->mass;
    size_t mode = (size_t)(w->mode - w->first), last = out->count - 1;
    two_masses(&m1, &ratio, pair, up);
    mass[mode] = 1;
    for (size_t i = mode; i < last; i++) { /* i + 1 successes from i */
        long double at = (long double)(w->first + i);
        mass[i + 1] = mass[i] * ((n - at) / ((at + 1) * ratio));
        sum += mass[i + 1];
    }
    for (size_t i = mode; i > 0; i--) {
        long double at = (long double)(w->first + i);
        mass[i - 1] = mass[i] * (at * ratio / (n - at + 1));
        sum += mass[i - 1];
    }
    long double total = m1 * (1 + ratio);
    if (dusk_pair_is_symmetric(pair)) /* exactly 1 - infinite */
        total = expl(n * log1pl(-(long double)end_of(pair->infinite, up)));
    else
        total = expl(n * log1pl(total - 1));
    total /= sum;
    for (size_t i = 0; i <= last; i++) mass[i] *= total;
}

static dusk_status binomial_list(dusk_loss_list *out, const dusk_pair *pair, bool up, dusk_error *err)
{
    window w = window_of(pair);
    long double n = (long double)pair->times, a = end_of(pair->loss[0], up), b = end_of(pair->loss[1], up);
    dusk_status status = list_new(out, w.count, err);
    if (status != DUSK_OK) return status;
    if (dusk_pair_is_symmetric(pair)) a = -b;
    binomial_masses(out, pair, &w, up);
    for (size_t i = 0; i < w.count; i++) {
        long double ones = (long double)(w.first + i);
        out->loss[i] = DUSK_MUTATE(LOSS_PARITY, n - ones, n - 1 - ones) * a + ones * b;
    }
    /* steps from the mode: at most count, 8 roundings and 2 n ratios of 8 units each */
    out->relative = UNIT * (32 * (double)n + 8 * (double)w.count + 64);
    out->lost = w.count <= pair->times ? DBL_TRUE_MIN : 0;
    return DUSK_OK;
}

/* a times b as polynomials */
static void multiply(long double *out, const long double *a, size_t na, const long double *b, size_t nb)
{
    for (size_t i = 0; i < na + nb - 1; i++) out[i] = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) out[i + j] += a[i] * b[j];
}

/* Masses of an n-fold law on a lattice: the powers of a polynomial. */
static dusk_status power_masses(dusk_loss_list *out, const dusk_pair *pair, bool up, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    long double *base = NULL, *work = NULL;
    size_t atoms = pair->atoms, count = 1;
    double relative = 0;
    DUSK_NEW(base, atoms);
    DUSK_NEW(work, out->count);
    for (size_t i = 0; i < atoms; i++) base[i] = end_of(pair->mass[i], up);
    out->mass[0] = 1;
    for (int bit = 62; bit >= 0; bit--) {
        if (pair->times >> bit == 0) continue;
        multiply(work, out->mass, count, out->mass, count);
        relative = 2 * relative + UNIT * ((double)count + 2);
        count = 2 * count - 1;
        if (pair->times >> bit & 1) {
            multiply(out->mass, work, count, base, atoms);
            relative += UNIT * ((double)atoms + 2);
            count += atoms - 1;
        } else {
            for (size_t i = 0; i < count; i++) out->mass[i] = work[i];
        }
    }
    out->relative = relative;
done:
    dusk_deallocate(base);
    dusk_deallocate(work);
    return status;
}

static dusk_status power_list(dusk_loss_list *out, const dusk_pair *pair, bool up, dusk_error *err)
{
    dusk_status status = list_new(out, dusk_loss_list_count(pair), err);
    if (status != DUSK_OK) return status;
    if (pair->times == 1 || pair->atoms == 1) {
        long double n = (long double)pair->times;
        for (size_t i = 0; i < pair->atoms; i++) {
            out->loss[i] = n * end_of(pair->loss[i], up);
            out->mass[i] = end_of(pair->mass[i], up);
        }
        if (pair->times > 1) {
            out->mass[0] = expl(n * log1pl(out->mass[0] - 1));
            out->relative = UNIT * (16 * (double)n + 16);
        }
        return DUSK_OK;
    }
    status = power_masses(out, pair, up, err);
    if (status != DUSK_OK) {
        dusk_loss_list_free(out);
        return status;
    }
    for (size_t i = 0; i < out->count; i++)
        out->loss[i] =
            (long double)pair->times * end_of(pair->origin, up) + (long double)i * end_of(pair->step, up);
    return DUSK_OK;
}

dusk_status dusk_loss_list_of(dusk_loss_list *out, const dusk_pair *pair, bool up, dusk_error *err)
{
    bool two = pair->atoms == 2 && (pair->times > 1 || dusk_pair_is_symmetric(pair));
    dusk_status status = two ? binomial_list(out, pair, up, err) : power_list(out, pair, up, err);
    if (status != DUSK_OK) return status;
    out->reach = reach_of(pair);
    out->absolute = dusk_mul_up(4 * UNIT, out->reach);
    return DUSK_OK;
}

typedef struct entry {
    long double loss, mass;
} entry;

static int by_loss(const void *a, const void *b)
{
    long double x = ((const entry *)a)->loss, y = ((const entry *)b)->loss;
    return (x > y) - (x < y);
}

/* `b` copies of `a`, each shifted: merged when there are two, else sorted. */
static void fill(entry *all, const dusk_loss_list *a, const dusk_loss_list *b)
{
    size_t n = 0;
    if (b->count == 2) {
        size_t i = 0, j = 0;
        while (j < a->count) {
            bool low = i < a->count && a->loss[i] + b->loss[0] <= a->loss[j] + b->loss[1];
            size_t from = low ? i++ : j++, shift = low ? 0 : 1;
            all[n++] = (entry){ a->loss[from] + b->loss[shift], a->mass[from] * b->mass[shift] };
        }
        return;
    }
    for (size_t j = 0; j < b->count; j++)
        for (size_t i = 0; i < a->count; i++)
            all[n++] = (entry){ a->loss[i] + b->loss[j], a->mass[i] * b->mass[j] };
    if (b->count > 1) qsort(all, n, sizeof *all, by_loss);
}

dusk_status dusk_loss_list_product(dusk_loss_list *out, const dusk_loss_list *a, const dusk_loss_list *b,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    entry *all = NULL;
    size_t count = a->count * b->count;
    *out = (dusk_loss_list){ 0 };
    if (a->count < b->count) {
        const dusk_loss_list *smaller = a;
        a = b;
        b = smaller;
    }
    DUSK_NEW(all, count);
    DUSK_TRY(list_new(out, count, err));
    fill(all, a, b);
    for (size_t i = 0; i < count; i++) {
        out->loss[i] = all[i].loss;
        out->mass[i] = all[i].mass;
    }
    out->reach = dusk_add_up(a->reach, b->reach);
    out->relative = a->relative + b->relative + UNIT;
    out->absolute = dusk_add_up(dusk_add_up(a->absolute, b->absolute), dusk_mul_up(UNIT, out->reach));
    out->lost = dusk_add_up(a->lost, b->lost); /* masses are at most 1, and a bit */
done:
    dusk_deallocate(all);
    return status;
}
