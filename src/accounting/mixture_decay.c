/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the characteristic function phi of a tilted loss falls. The loss is a
 * monotone function of x, so that its law has a density, of which cells of x
 * give a lower bound. A stack of level sets, each an interval of losses, is a
 * mixture of uniform laws that lies below the density:
 *     law = sum_i share_i U_i + rest,   |phi(t)| <= 1 - sum_i share_i (1 - |sin y_i / y_i|),
 * y_i = t width_i / 2. */
#include <math.h>

#include "accounting/bound.h"
#include "accounting/mixture.h"
#include "base/memory.h"
#include "base/mutant.h"

#define CELLS_MAX 2048
#define LEVEL 0.7 /* from one layer to the next */

/* Cell i has losses between edge[i] and edge[i + 1], density at least density[i]. */
typedef struct cells {
    size_t count;
    double *edge, *error, *density;
} cells;

/* What is known at one x. */
typedef struct place {
    double log_mass, loss, error, slope, mirror_slope;
} place;

static place place_at(const dusk_mixture *mixture, double c, double x)
{
    const dusk_pair *pair = mixture->pair;
    dusk_mixture_ratio a, b;
    dusk_mixture_ratios(&a, &b, pair, x);
    place p = { .loss = a.log - b.log, .error = a.error + b.error };
    double taper_error, taper = dusk_mixture_log_taper(mixture, x, &taper_error);
    double log_f = -(x * x) / (2 * (pair->sigma * pair->sigma)) + taper - taper_error, up = (c + 1) * a.log,
           down = c * b.log;
    p.log_mass = log_f + up - down - (2 * c + 1) * p.error - 0x1p-48 * (fabs(log_f) + fabs(up) + fabs(down));
    p.slope = pair->direction == DUSK_ADD ? b.slope : a.slope;
    p.mirror_slope = pair->direction == DUSK_REPLACE ? b.slope : 0;
    return p;
}

/* The least density of the loss on the cell between two places: the logarithm of
 * the density of x bends up by at most `bend`, and ln r is convex. */
DUSK_PROVEN(cell_density)
static double cell_density(const dusk_pair *pair, const place *left, const place *right, double bend,
                           double step, double log_moment)
{
    double least = left->log_mass < right->log_mass ? left->log_mass : right->log_mass;
    double slope = 1.0001 * (right->slope + left->mirror_slope);
    double log_x = least - bend * step * step / 8 - log_moment - 1e-9 - 0x1p-48 * fabs(log_moment);
    return slope > 0 ? exp(log_x) / (pair->sigma * DUSK_ROOT_2PI * slope) : 0;
}

static void fill(cells *out, const dusk_mixture *mixture, const dusk_mixture_grid *grid)
{
    const dusk_pair *pair = mixture->pair;
    double variance = pair->sigma * pair->sigma, J = (double)pair->shifts, c = grid->c;
    double bend =
        pair->direction == DUSK_ADD ? 0 : (c + 1) * J * J / (4 * variance * variance) - 1 / variance;
    double range = grid->left + grid->right, wanted = pair->sigma / 8;
    if (bend > 0 && wanted > 0.5 / sqrt(bend)) wanted = 0.5 / sqrt(bend);
    if (!(bend > 0)) bend = 0;
    double number = ceil(range / wanted);
    out->count = number < CELLS_MAX ? (size_t)number : CELLS_MAX;
    double step = range / (double)out->count, log_moment = grid->log_moment + grid->log_moment_error;
    place before = place_at(mixture, c, -grid->left);
    for (size_t i = 0; i <= out->count; i++) {
        place now = i == 0 ? before : place_at(mixture, c, (double)i * step - grid->left);
        out->edge[i] = now.loss;
        out->error[i] = now.error;
        if (i > 0) out->density[i - 1] = cell_density(pair, &before, &now, bend, 1.0001 * step, log_moment);
        before = now;
    }
}

/* The widest interval of losses whose cells all have at least that density. */
static double widest(const cells *c, double level)
{
    double best = 0;
    for (size_t i = 0; i < c->count;) {
        size_t from = i;
        while (i < c->count && c->density[i] >= level) i++;
        double width = fabs(c->edge[i] - c->edge[from]) - c->error[i] - c->error[from];
        if (i > from && width > best) best = width;
        if (i == from) i++;
    }
    return best;
}

DUSK_PROVEN(dusk_decay_init)
dusk_status dusk_decay_init(dusk_decay *decay, const dusk_mixture *mixture, const dusk_mixture_grid *grid,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    cells c = { 0 };
    double top = 0;
    DUSK_NEW(c.edge, 3 * (CELLS_MAX + 1));
    c.error = c.edge + CELLS_MAX + 1;
    c.density = c.error + CELLS_MAX + 1;
    fill(&c, mixture, grid);
    for (size_t i = 0; i < c.count; i++)
        if (c.density[i] > top) top = c.density[i];
    decay->layers = DUSK_DECAY_LAYERS;
    for (size_t i = 0; i < DUSK_DECAY_LAYERS; i++) {
        double level = top * pow(LEVEL, (double)(i + 1)),
               next = i + 1 < DUSK_DECAY_LAYERS ? level * LEVEL : 0;
        decay->width[i] = widest(&c, level);
        decay->share[i] = DUSK_MUTATE(DECAY_TOO_FAST, 1 - 1e-12, 4) * (level - next) * decay->width[i];
    }
done:
    dusk_deallocate(c.edge);
    return status;
}

/* At least |sin z / z| for every z >= y. */
static double envelope(double y)
{
    if (y <= 2.4) return y > 0 ? sin(y) / y : 1;
    return 1 / y < 0.2815 ? 1 / y : 0.2815;
}

DUSK_PROVEN(dusk_decay_log_up)
double dusk_decay_log_up(const dusk_decay *decay, double t)
{
    double loss = 0;
    for (size_t i = 0; i < decay->layers; i++)
        loss += decay->share[i] * (1 - envelope(t * decay->width[i] / 2) - 0x1p-50);
    if (!(loss > 0)) return 0;
    return log1p(loss < 0.999 ? -loss : -0.999) * (1 - 1e-12);
}
