/* SPDX-License-Identifier: Apache-2.0 */
/* Variational posteriors of latent classes from noisy counts [Park, Foulds, Chaudhuri & Welling 2020; Attias 2000]. In a conjugate family the posterior is the prior
 * plus expected counts, so noisy counts give it at once. Counts of a class and column are drawn to what all classes have in common, by as much as
 * noise explains (the positive part of James and Stein), so that values that are lost in noise say nothing. */
#include "learn/latent.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/normals.h"
#include "learn/points.h"
#include "learn/tallies.h"

#define APART 1.0 /* deviation of logarithms of chances, in the beginning */

static size_t size_of(const learn_bins *bins, size_t c) { return bins->first[c + 1] - bins->first[c]; }

dusk_status learn_latent_init(learn_latent *out, const learn_bins *bins, size_t k, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_latent l = { .bins = bins, .k = k, .cells = bins->first[bins->columns] };
    *out = (learn_latent){ .k = 0 };
    DUSK_NEW(l.common, l.cells);
    DUSK_NEW(l.counts, l.cells * k);
    DUSK_NEW(l.rows, k);
    DUSK_NEW(l.alpha, l.cells * k);
    DUSK_NEW(l.noise, bins->columns * k);
    DUSK_NEW(l.log_chance, l.cells * k);
    DUSK_NEW(l.log_share, k);
    DUSK_NEW(l.scratch, bins->widest);
    DUSK_NEW(l.other, bins->widest);
    *out = l;
    l = (learn_latent){ .k = 0 };
done:
    learn_latent_clear(&l);
    return status;
}

void learn_latent_clear(learn_latent *l)
{
    dusk_deallocate(l->common);
    dusk_deallocate(l->counts);
    dusk_deallocate(l->rows);
    dusk_deallocate(l->alpha);
    dusk_deallocate(l->noise);
    dusk_deallocate(l->log_chance);
    dusk_deallocate(l->log_share);
    dusk_deallocate(l->scratch);
    dusk_deallocate(l->other);
    *l = (learn_latent){ .k = 0 };
}

/* psi(x) = psi(x + 1) - 1 / x, and its series at 6 and above. */
double learn_digamma(double x)
{
    double sum = 0;
    for (; x < 6; x++) sum -= 1 / x;
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

/* The number of rows by all columns together: those with fewer values know better. `stride` apart. */
static double rows_of(const learn_latent *l, const double *counts, size_t stride)
{
    double sum = 0, weights = 0;
    for (size_t c = 0; c < l->bins->columns; c++) {
        double total = 0, values = (double)size_of(l->bins, c);
        for (size_t v = l->bins->first[c]; v < l->bins->first[c + 1]; v++) total += counts[v * stride];
        sum += total / values;
        weights += 1 / values;
    }
    return sum / weights;
}

double learn_latent_doubt(const learn_latent *l)
{
    double weights = 0;
    for (size_t c = 0; c < l->bins->columns; c++) weights += 1 / (double)size_of(l->bins, c);
    return sqrt(l->variance / weights);
}

void learn_latent_begin(learn_latent *l, const double *released, double deviation)
{
    const learn_bins *bins = l->bins;
    uint64_t seed = 2020;
    l->total = fmax(rows_of(l, released, 1), 1);
    l->start = deviation;
    for (size_t c = 0; c < bins->columns; c++) {
        const size_t n = size_of(bins, c);
        double *own = l->common + bins->first[c], more = 1 + deviation;
        memcpy(own, released + bins->first[c], n * sizeof *own);
        learn_project_total(own, n, l->total, l->scratch);
        for (size_t v = 0; v < n; v++) own[v] = (own[v] + more / (double)n) / (l->total + more);
    }
    for (size_t i = 0; i < l->cells * l->k; i++) {
        double radius = sqrt(-2 * log(learn_part_of(learn_points_coin(&seed))));
        l->log_chance[i] =
            log(l->common[i / l->k]) + APART * radius * cos(2 * M_PI * learn_points_uniform(&seed));
    }
    for (size_t j = 0; j < l->k; j++) l->log_share[j] = -log((double)l->k);
}

/* Column c of class j: counts without what noise explains, >= 0 and adding to the rows of the class; then the Dirichlet law. */
static void settle_column(learn_latent *l, size_t c, size_t j)
{
    const size_t first = l->bins->first[c], n = size_of(l->bins, c), k = l->k;
    const double deviation = sqrt(l->variance), prior = 1 + deviation, rows = l->rows[j];
    double *own = l->other, sum = 0, square = 0, total = 0;
    for (size_t v = 0; v < n; v++) sum += l->counts[(first + v) * k + j];
    for (size_t v = 0; v < n; v++) {
        own[v] = l->counts[(first + v) * k + j] + (rows - sum) / (double)n - rows * l->common[first + v];
        square += own[v] * own[v];
    }
    double part = square > 0 ? fmax(1 - (double)(n - 1) * l->variance / square, 0) : 1;
    for (size_t v = 0; v < n; v++) own[v] = rows * l->common[first + v] + part * own[v];
    learn_project_total(own, n, rows, l->scratch);
    for (size_t v = 0; v < n; v++) total += own[v] += prior * l->common[first + v];
    for (size_t v = 0; v < n; v++) {
        l->alpha[(first + v) * k + j] = own[v];
        l->log_chance[(first + v) * k + j] = learn_digamma(own[v]) - learn_digamma(total);
    }
    l->noise[c * k + j] = hypot(part * deviation, (1 - part) * l->start * rows / l->total);
}

void learn_latent_move(learn_latent *l, const double *released, double part, double deviation)
{
    const size_t k = l->k;
    double least, all = 0;
    for (size_t i = 0; i < l->cells * k; i++) l->counts[i] = (1 - part) * l->counts[i] + part * released[i];
    l->variance = (1 - part) * (1 - part) * l->variance + part * part * deviation * deviation;
    least = fmax(learn_latent_doubt(l), 1 / (double)k);
    for (size_t j = 0; j < k; j++) all += l->rows[j] = fmax(rows_of(l, l->counts + j, k), least);
    for (size_t j = 0; j < k; j++) {
        l->log_share[j] = learn_digamma(l->rows[j] + 1 / (double)k) - learn_digamma(all + 1);
        for (size_t c = 0; c < l->bins->columns; c++) settle_column(l, c, j);
    }
}
