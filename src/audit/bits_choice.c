/* SPDX-License-Identifier: Apache-2.0 */
/* The set that tells two inputs apart best, among those that the features can name: cells in
 * the order of their likelihood ratio (Neyman & Pearson), cut off where the bound to be
 * expected is largest. The order comes from one half of the draws and the cut from the
 * other, or the rarest cells would always win. Nothing here is a bound. */
#include "audit/bits_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const audit_bits_feature *const features[] = { &audit_low_bits, &audit_low_bits_scaled,
                                                      &audit_laplace_support, &audit_gaussian_pairs };
enum { FEATURES = sizeof features / sizeof *features };

/* Where a look takes long, a glance at so many units comes first, which must promise so much. */
enum { GLANCE = 1 << 11 };
#define WORTH_A_LOOK 1.0
/* Cells with less than this share of a set's units are left out of it: the other side may have a
 * few of them that were not seen. */
#define RARE 3e-3

/* --- lenses ------------------------------------------------------------------------------ */

size_t audit_lens_units(const audit_lens *lens, size_t outputs)
{
    if (!lens->doubled) return outputs;
    return outputs > lens->phase ? (outputs - lens->phase) / 2 : 0;
}

static unsigned key_of(const audit_lens *lens, const audit_bits *bits, const double *outputs, size_t unit)
{
    const double *y = lens->doubled ? outputs + lens->phase + 2 * unit : outputs + unit * bits->length;
    return lens->feature->key(bits, y, lens->coordinate, lens->form);
}

uint64_t audit_cells_hits(const audit_cells *cells, const audit_bits *bits, const double *outputs, size_t n)
{
    size_t units = audit_lens_units(&cells->lens, n);
    uint64_t hits = 0;
    for (size_t i = 0; i < units; i++) hits += cells->has[key_of(&cells->lens, bits, outputs, i)];
    return hits;
}

/* --- counts by cell ------------------------------------------------------------------------ */

typedef struct cell {
    uint32_t made[2], cut[2]; /* on either side, in the half that makes the order and the one that cuts */
    unsigned key;
} cell;

typedef struct chooser {
    const audit_bits *bits;
    const double *half[2][2]; /* side, half */
    size_t n;                 /* outputs of a half */
    const audit_forecast *forecast;
    cell *all;  /* AUDIT_CELLS                 */
    cell *seen; /* those that hold anything    */
} chooser;

static void count_half(chooser *c, const audit_lens *lens, int half, size_t units)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < units; i++) {
            cell *one = &c->all[key_of(lens, c->bits, c->half[side][half], i)];
            (half ? one->cut : one->made)[side]++;
        }
}

/* The likelihood ratio of P to Q with a little doubt added; P is side 0. */
static double ratio(const cell *x, int p) { return (x->made[p] + 0.25) / (x->made[1 - p] + 0.5); }

static int by_ratio(const cell *a, const cell *b, int p)
{
    double x = ratio(a, p), y = ratio(b, p);
    return x != y ? (x < y) - (x > y) : (a->key > b->key) - (a->key < b->key);
}
static int by_first(const void *a, const void *b) { return by_ratio(a, b, 0); }
static int by_second(const void *a, const void *b) { return by_ratio(a, b, 1); }

/* Where to cut the ordered cells: how many are in, and what they promise. */
static size_t cut_off(const chooser *c, const cell *seen, size_t count, int p, double units, bool doubled,
                      double *promise)
{
    audit_forecast forecast = *c->forecast;
    size_t best = 0;
    audit_counts counts = { .trials = units };
    *promise = -INFINITY;
    if (doubled) {
        forecast.delta *= 2;
        forecast.draws /= 2;
    }
    for (size_t i = 0; i < count; i++) {
        counts.p_hits += seen[i].cut[p];
        counts.q_hits += seen[i].cut[1 - p];
        double epsilon = audit_forecast_epsilon(&forecast, counts) / (doubled ? 2 : 1);
        if (epsilon > *promise) {
            *promise = epsilon;
            best = i + 1;
        }
    }
    return best;
}

static void take(audit_cells *out, const audit_lens *lens, const cell *seen, size_t count, int p,
                 double promise)
{
    double all = 0;
    uint32_t most = 0;
    memset(out, 0, sizeof *out);
    out->lens = *lens;
    out->swapped = p == 1;
    out->forecast = promise;
    for (size_t i = 0; i < count; i++) all += (double)seen[i].cut[p] + seen[i].made[p];
    for (size_t i = 0; i < count; i++) {
        if ((double)seen[i].cut[p] + seen[i].made[p] < RARE * all) continue;
        out->has[seen[i].key] = 1;
        out->count++;
        if (seen[i].cut[p] < most) continue;
        most = seen[i].cut[p];
        out->heaviest = seen[i].key;
    }
}

/* What is won by looking at bits must be worth it: the first lens is the size of outputs. */
static bool is_better(const audit_cells *best, double promise)
{
    return promise > best->forecast + (isfinite(best->forecast) ? 0.02 : 0);
}

/* Look at so many units; the set of a lens is taken when it is better. What it promises at
 * most is returned. */
static double look(chooser *c, audit_cells *best, const audit_lens *lens, size_t units)
{
    size_t count = 0;
    double most = -INFINITY;
    memset(c->all, 0, AUDIT_CELLS * sizeof *c->all);
    count_half(c, lens, 0, units);
    count_half(c, lens, 1, units);
    for (unsigned key = 0; key < AUDIT_CELLS; key++) {
        if (c->all[key].made[0] + c->all[key].made[1] == 0) continue;
        c->all[key].key = key;
        c->seen[count++] = c->all[key];
    }
    for (int p = 0; p < 2; p++) {
        double promise;
        qsort(c->seen, count, sizeof *c->seen, p ? by_second : by_first);
        size_t cells = cut_off(c, c->seen, count, p, (double)units, lens->doubled, &promise);
        most = fmax(most, promise);
        if (cells > 0 && is_better(best, promise)) take(best, lens, c->seen, cells, p, promise);
    }
    return most;
}

static void try_lens(chooser *c, audit_cells *best, const audit_lens *lens)
{
    size_t units = audit_lens_units(lens, c->n);
    if (lens->feature->scaled && units > GLANCE && look(c, best, lens, GLANCE) < WORTH_A_LOOK) return;
    look(c, best, lens, units);
}

static void try_feature(chooser *c, audit_cells *best, const audit_bits_feature *feature)
{
    size_t length = c->bits->length;
    if (feature->scaled && !(c->bits->scale > 0)) return;
    audit_lens lens = { .feature = feature, .doubled = feature->paired && length == 1 };
    /* pairs of longer outputs: the first two numbers, which one call would have made */
    size_t coordinates = feature->paired ? 1 : length;
    for (lens.form = 0; lens.form < feature->forms; lens.form++)
        for (lens.coordinate = 0; lens.coordinate < coordinates; lens.coordinate++)
            for (lens.phase = 0; lens.phase < (lens.doubled ? 2 : 1); lens.phase++) try_lens(c, best, &lens);
}

dusk_status audit_cells_choose(audit_cells **out, const audit_bits *bits, const double *const outputs[2],
                               size_t n, const audit_forecast *forecast, dusk_error *err)
{
    chooser c = { .bits = bits, .n = n / 2, .forecast = forecast };
    audit_cells *best = NULL;
    dusk_status status = DUSK_OK;
    *out = NULL;
    for (int side = 0; side < 2; side++)
        for (size_t half = 0; half < 2; half++)
            c.half[side][half] = outputs[side] + half * c.n * bits->length;
    DUSK_NEW(best, 1);
    DUSK_NEW(c.all, AUDIT_CELLS);
    DUSK_NEW(c.seen, AUDIT_CELLS);
    best->forecast = -INFINITY;
    best->lens.feature = features[0];
    for (size_t i = 0; i < FEATURES; i++) try_feature(&c, best, features[i]);
    *out = best;
    best = NULL;
done:
    dusk_deallocate(c.all);
    dusk_deallocate(c.seen);
    dusk_deallocate(best);
    return status;
}
