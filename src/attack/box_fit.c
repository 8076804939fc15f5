/* SPDX-License-Identifier: Apache-2.0 */
/* Projected Newton steps for a fit within bounds [Bertsekas 1982], for |e| with the weights
 * of iteratively reweighted least squares; see box_fit.h.
 *
 * Whoever is at an end and pulled outward is held there; for the others the Newton system is
 * solved by conjugate gradients. Random groups have one huge singular value (the size of a
 * group) and the rest close together: conjugate gradients deal with the one in a step, where
 * gradient methods would take sqrt(people) times as many.
 *
 * The certificate (Fenchel duality): with y = phi'(e) and s = A^T y,
 *     sum phi(A x' - b) >= sum phi(e) + y . A (x' - x) >= misfit - sum_i max(s_i x_i, s_i (x_i - 1))
 * for every x' in the box, phi being convex. That sum is the gap; it goes to 0 at the minimum. (With
 * a leash, which is convex too, its slope is in s.) */
#include "attack/box_fit.h"

#include <math.h>

#include "attack/dot.h"
#include "base/memory.h"
#include "base/mutant.h"

#define ACCURACY_LEAST 0.1
enum { CONJUGATE_MOST = 60, HALVINGS = 12, SEARCHES = 40 };

dusk_status attack_fit_new(attack_fit *fit, const dusk_groups *groups, const double *answers,
                           uint64_t work_most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = dusk_groups_people(groups), m = dusk_groups_questions(groups);
    *fit = (attack_fit){ .groups = groups, .answers = answers, .people = n, .questions = m };
    fit->bend = INFINITY;
    fit->work_most = work_most;
    DUSK_NEW(fit->x, n);
    DUSK_NEW(fit->slope, n);
    DUSK_NEW(fit->step, n);
    DUSK_NEW(fit->residual, n);
    DUSK_NEW(fit->along, n);
    DUSK_NEW(fit->product, n);
    DUSK_NEW(fit->free, n);
    DUSK_NEW(fit->error, m);
    DUSK_NEW(fit->pull, m);
    DUSK_NEW(fit->weight, m);
    DUSK_NEW(fit->moved, m);
    for (size_t i = 0; i < n; i++) fit->x[i] = 0.5;
done:
    return status;
}

void attack_fit_free(attack_fit *fit)
{
    double *lists[] = { fit->x,       fit->slope, fit->step, fit->residual, fit->along,
                        fit->product, fit->error, fit->pull, fit->weight,   fit->moved };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) dusk_deallocate(lists[i]);
    dusk_deallocate(fit->free);
}

double attack_fit_enough(const attack_fit *fit, double misfit, double start, double tolerance)
{
    double floor = 0.001 * (double)fit->questions;
    return tolerance * fmax(fmin(misfit, start - misfit), floor);
}

static double phi(double error, double bend)
{
    double size = fabs(error);
    if (isinf(bend)) return 0.5 * error * error;
    return size <= bend ? 0.5 * error * error / bend : size - 0.5 * bend;
}

static double phi_slope(double error, double bend)
{
    return isinf(bend) ? error : fmax(-1, fmin(1, error / bend));
}

void attack_fit_look(attack_fit *fit)
{
    attack_counts(fit->groups, fit->error, fit->x);
    fit->misfit = 0;
    for (size_t j = 0; j < fit->questions; j++) {
        fit->error[j] -= fit->answers[j];
        fit->pull[j] = phi_slope(fit->error[j], fit->bend);
        fit->misfit += phi(fit->error[j], fit->bend);
    }
    attack_shares(fit->groups, fit->slope, fit->pull);
    fit->gap = 0;
    for (size_t i = 0; i < fit->people; i++) {
        double x = fit->x[i], away = x - fit->centre, s = fit->slope[i] += fit->leash * away;
        fit->misfit += 0.5 * fit->leash * away * away;
        fit->gap += DUSK_MUTATE(ATTACK_GAP_INSIDE_ONLY, fmax(s * x, s * (x - 1)), fabs(s) * x * (1 - x));
    }
    fit->work += 2;
}

/* ---- The step ----------------------------------------------------------------------------- */

/* product = (A^T W A + ridge) along, for those who are free; others have 0 in `along`. */
static void multiply_hessian(attack_fit *fit, double ridge)
{
    attack_counts(fit->groups, fit->moved, fit->along);
    for (size_t j = 0; j < fit->questions; j++) fit->moved[j] *= fit->weight[j];
    attack_shares(fit->groups, fit->product, fit->moved);
    for (size_t i = 0; i < fit->people; i++)
        fit->product[i] = fit->free[i] ? fit->product[i] + ridge * fit->along[i] : 0;
    fit->work += 2;
}

/* Who is free, and the curvature: the parabola that touches phi at an error and lies above it
 * everywhere else has phi'(e)/e, which is phi'' where phi is one itself. (With phi'' alone the
 * few errors within a small bend would say where to go.) Gives a ridge that keeps the system
 * regular with fewer questions than people. */
static double prepare_step(attack_fit *fit)
{
    double inside = 0;
    for (size_t j = 0; j < fit->questions; j++) {
        fit->weight[j] = isinf(fit->bend) ? 1 : 1 / fmax(fabs(fit->error[j]), fit->bend);
        inside += fit->weight[j];
    }
    for (size_t i = 0; i < fit->people; i++) {
        double s = fit->slope[i], x = fit->x[i];
        fit->free[i] = !((x <= 0 && s > 0) || (x >= 1 && s < 0));
    }
    return 1e-6 * inside + fit->leash;
}

/* step: an approximate solution of (A^T W A + ridge) step = -slope for those who are free. */
static void solve_step(attack_fit *fit, double accuracy)
{
    double ridge = prepare_step(fit), *r = fit->residual, *p = fit->along;
    size_t n = fit->people;
    for (size_t i = 0; i < n; i++) {
        fit->step[i] = 0;
        r[i] = p[i] = fit->free[i] ? -fit->slope[i] : 0;
    }
    double size = attack_dot(r, r, n), goal = size * accuracy * accuracy;
    for (int k = 0; k < CONJUGATE_MOST && size > goal && fit->work < fit->work_most; k++) {
        multiply_hessian(fit, ridge);
        double bent = attack_dot(p, fit->product, n);
        if (!(bent > 0)) break;
        double length = size / bent;
        for (size_t i = 0; i < n; i++) {
            fit->step[i] += length * p[i];
            r[i] -= length * fit->product[i];
        }
        double next = attack_dot(r, r, n), keep = next / size;
        for (size_t i = 0; i < n; i++) p[i] = r[i] + keep * p[i];
        size = next;
    }
}

/* along = the way from x to where `length` steps lead, brought back into the box; gives the
 * slope of the misfit that way. */
static double aim(attack_fit *fit, double length)
{
    double down = 0;
    for (size_t i = 0; i < fit->people; i++) {
        double to = fit->x[i] + length * fit->step[i];
        fit->along[i] = fmax(0, fmin(1, to)) - fit->x[i];
        down += fit->along[i] * fit->slope[i];
    }
    return down;
}

/* The slope of the misfit after the part t of the way `along`, whose counts are `moved`. */
static double slope_at(const attack_fit *fit, double t)
{
    double down = 0;
    for (size_t j = 0; j < fit->questions; j++)
        down += fit->moved[j] * phi_slope(fit->error[j] + t * fit->moved[j], fit->bend);
    for (size_t i = 0; fit->leash > 0 && i < fit->people; i++)
        down += fit->leash * fit->along[i] * (fit->x[i] + t * fit->along[i] - fit->centre);
    return down;
}

/* The misfit at the end of the way `along`. */
static double misfit_there(attack_fit *fit)
{
    double sum = 0;
    attack_counts(fit->groups, fit->moved, fit->along);
    fit->work++;
    for (size_t j = 0; j < fit->questions; j++) sum += phi(fit->error[j] + fit->moved[j], fit->bend);
    for (size_t i = 0; fit->leash > 0 && i < fit->people; i++) {
        double away = fit->x[i] + fit->along[i] - fit->centre;
        sum += 0.5 * fit->leash * away * away;
    }
    return sum;
}

/* Go the best part of the way `along`, which leads down: the slope is monotone. */
static void walk(attack_fit *fit)
{
    attack_counts(fit->groups, fit->moved, fit->along);
    fit->work++;
    double low = 0, high = 1;
    if (slope_at(fit, 1) > 0) {
        for (int k = 0; k < SEARCHES && high - low > 1e-3 * high; k++) {
            double middle = 0.5 * (low + high);
            if (slope_at(fit, middle) > 0)
                high = middle;
            else
                low = middle;
        }
        high = low > 0 ? low : high;
    }
    for (size_t i = 0; i < fit->people; i++) fit->x[i] = fmax(0, fmin(1, fit->x[i] + high * fit->along[i]));
}

/* Move: a Newton step brought into the box, or a shorter one, which leaves people exactly at
 * the ends; where none leads down, the plain slope, which always does. */
static bool move(attack_fit *fit)
{
    double length = 1;
    for (int k = 0; k < HALVINGS; k++, length *= 0.5) {
        double down = aim(fit, length);
        if (!(down < 0) || !(misfit_there(fit) <= fit->misfit + 1e-4 * down)) continue;
        for (size_t i = 0; i < fit->people; i++) fit->x[i] = fmax(0, fmin(1, fit->x[i] + fit->along[i]));
        return true;
    }
    double largest = 0;
    for (size_t i = 0; i < fit->people; i++) {
        fit->step[i] = -fit->slope[i];
        largest = fmax(largest, fabs(fit->slope[i]));
    }
    if (!(largest > 0) || !(aim(fit, 1 / largest) < 0)) return false;
    walk(fit);
    return true;
}

void attack_fit_improve(attack_fit *fit, double enough)
{
    attack_fit_look(fit);
    double accuracy = 0.4, before = INFINITY;
    while (fit->gap > enough && fit->work < fit->work_most) {
        solve_step(fit, accuracy);
        before = fit->misfit;
        if (!move(fit)) break;
        attack_fit_look(fit);
        if (!(fit->misfit < before)) break;
        if (!(fit->misfit < 0.9 * before)) accuracy = fmax(ACCURACY_LEAST, 0.5 * accuracy);
    }
}
