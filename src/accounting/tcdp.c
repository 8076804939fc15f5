/* SPDX-License-Identifier: Apache-2.0 */
/* Truncated concentrated privacy [Bun, Dwork, Rothblum & Steinke 2018]: D_alpha <=
 * rho alpha for 1 < alpha < omega. rho adds up and the least omega counts. What
 * has a Renyi curve of another shape is fitted below a line up to an omega, which
 * is searched for; that is how sampling enters. See tcdp.proof.md. */
#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/concentrated.h"
#include "accounting/line.h"
#include "base/mutant.h"

#define ORDERS 80  /* at which curves are looked at, 1.12^i: an omega each */
#define RATIO 1.12 /* of neighbouring ones */
#define FITTED_MAX 64

/* rho for omega = infinity, and for each order of the grid. */
typedef struct lines {
    double order[ORDERS], rho[ORDERS], untruncated;
    size_t count, fitted;
} lines;

static void set_orders(lines *l, double omega)
{
    double order = 1;
    l->count = 0;
    for (size_t i = 0; i < ORDERS && order < omega; i++) {
        order = fmin(order * RATIO, omega);
        l->order[l->count] = order;
        l->rho[l->count++] = 0;
    }
}

/* Add a curve: the largest D_alpha / alpha for 1 < alpha <= omega. Between two
 * orders D is at most that of the larger one, and alpha at least the smaller one. */
DUSK_PROVEN(add_curve)
static void add_curve(lines *l, const dusk_renyi_part *part, double line, double times)
{
    double most = 0, low = 1;
    for (size_t i = 0; i < l->count; low = l->order[i++]) {
        double d = dusk_renyi_part_up(part, DUSK_MUTATE(TCDP_FITS_LOW_ORDER, l->order[i], fmax(low, 1.001)));
        if (d > 0) most = fmax(most, dusk_div_up(d, low));
        double rho = fmin(most, line);
        if (rho > 0) l->rho[i] = dusk_add_up(l->rho[i], dusk_mul_up(times, rho));
    }
    l->fitted++;
}

static void add_part(lines *l, const dusk_renyi_part *part)
{
    dusk_concentrated c = dusk_concentrated_part(part);
    double line = c.xi == 0 ? c.rho : INFINITY, times = dusk_bound_of_whole(part->times).upper;
    bool truncated = part->tree->kind == DUSK_EVENT_TCDP && part->group == 1;
    if (truncated) line = part->tree->real[0]; /* no order of the grid is beyond its omega */
    l->untruncated = dusk_add_up(l->untruncated, truncated ? INFINITY : dusk_mul_up(times, line));
    bool curved = part->by_pairs || (isinf(line) && !truncated);
    for (size_t d = 0; d < part->directions && curved; d++) /* Gaussian noise is a line */
        if (part->pairs[d].count == 1 && part->pairs[d].pair[0].kind == DUSK_PAIR_GAUSSIAN) curved = false;
    if (curved) {
        add_curve(l, part, line, times);
        return;
    }
    for (size_t i = 0; i < l->count; i++)
        if (line > 0) l->rho[i] = dusk_add_up(l->rho[i], dusk_mul_up(times, line));
}

/* The least omega of the tcdp parts, a step below it. */
static double given_omega(const dusk_renyi *renyi)
{
    double omega = INFINITY;
    for (size_t i = 0; i < renyi->count; i += renyi->part[i].span)
        if (renyi->part[i].tree->kind == DUSK_EVENT_TCDP) omega = fmin(omega, renyi->part[i].tree->real[1]);
    return isinf(omega) ? omega : omega * (1 - 0x1p-52);
}

static double convert(double rho, double omega, double at, bool of_delta)
{
    dusk_line line = { rho, rho, dusk_sub_down(omega, 1) };
    if (!(rho < INFINITY) || !(line.most > 0)) return INFINITY;
    return of_delta ? dusk_line_delta_up(line, at) : dusk_line_epsilon_up(line, at);
}

/* What an omega is about worth: steers the choice only. */
static double worth(double rho, double omega, double at, bool of_delta)
{
    double s = omega - 1;
    if (of_delta) return s * (rho * omega - at);
    double best = sqrt(-log(at) / rho);
    if (best < s) s = best;
    return rho * (s + 1) - log(at) / s;
}

static double best_of(const lines *l, double at, bool of_delta)
{
    double best = convert(l->untruncated, INFINITY, at, of_delta), least = INFINITY;
    size_t chosen = l->count;
    for (size_t i = 0; i < l->count; i++) {
        if (!(l->rho[i] < INFINITY)) break;
        double value = worth(l->rho[i], l->order[i], at, of_delta);
        if (value < least) {
            least = value;
            chosen = i;
        }
    }
    for (size_t i = chosen > 2 ? chosen - 2 : 0; i < l->count && i <= chosen + 2; i++)
        best = fmin(best, convert(l->rho[i], l->order[i], at, of_delta));
    return best;
}

static dusk_status ask(dusk_bound *out, const dusk_composition *composition, double at, bool of_delta,
                       dusk_error *err)
{
    dusk_renyi renyi;
    lines l = { .count = 0 };
    dusk_status status = dusk_renyi_new(&renyi, composition, "tcdp", err);
    if (status != DUSK_OK) return status;
    set_orders(&l, given_omega(&renyi));
    for (size_t i = 0; i < renyi.count && l.fitted <= FITTED_MAX; i += renyi.part[i].span)
        add_part(&l, &renyi.part[i]);
    bool many = l.fitted > FITTED_MAX;
    dusk_renyi_free(&renyi);
    if (many)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask the rdp accountant",
                         "the tcdp accountant fits lines to at most %d different parts", FITTED_MAX);
    double best = best_of(&l, at, of_delta);
    const dusk_event_node *tree = dusk_composition_first(composition);
    if (isinf(best) && tree && (of_delta || at > 0)) return dusk_fail_unsupported(err, "tcdp", tree);
    *out = (dusk_bound){ 0, best };
    return DUSK_OK;
}

DUSK_PROVEN(dusk_tcdp_epsilon)
dusk_status dusk_tcdp_epsilon(dusk_bound *out, const dusk_composition *composition, double delta,
                              dusk_error *err)
{
    return ask(out, composition, delta, false, err);
}

dusk_status dusk_tcdp_delta(dusk_bound *out, const dusk_composition *composition, double epsilon,
                            dusk_error *err)
{
    return ask(out, composition, epsilon, true, err);
}
