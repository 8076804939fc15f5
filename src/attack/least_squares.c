/* SPDX-License-Identifier: Apache-2.0 */
/* Reconstruction by least squares within the box: the attack of Dinur & Nissim 2003 as it is
 * run in practice. See box_fit.h for the fit and its certificate. Who knows how many people have
 * it in all fits twice: how far the first fit is off says how much the answers weigh against
 * what was known. */
#include <math.h>

#include "attack/box_fit.h"

/* The target moves with the misfit, which only falls. */
static void fit_squares(attack_fit *fit, dusk_reconstruction *out, double start, double tolerance)
{
    double enough;
    attack_fit_look(fit);
    while (fit->gap > (enough = attack_fit_enough(fit, fit->misfit, start, tolerance))) {
        double before = fit->misfit;
        attack_fit_improve(fit, enough);
        if (fit->work >= fit->work_most || !(fit->misfit < before)) break;
    }
    out->misfit = fit->misfit;
    out->least = fmax(0, fit->misfit - fit->gap);
    out->solved = fit->gap <= attack_fit_enough(fit, fit->misfit, start, tolerance);
}

/* The variance of the answers' errors, by what is left of them: each person who is not at an end has
 * taken one of them up. */
static double error_variance(const attack_fit *fit)
{
    double left = (double)fit->questions;
    for (size_t i = 0; i < fit->people; i++) left -= fit->x[i] > 0 && fit->x[i] < 1;
    return 2 * fit->misfit / fmax(left, 1);
}

void attack_least_squares(attack_fit *fit, dusk_reconstruction *out, double tolerance, double prior)
{
    attack_fit_look(fit);
    double start = fit->misfit;
    fit_squares(fit, out, start, tolerance);
    if (!(prior > 0)) return;
    fit->centre = prior;
    /* half of what a normal prior would have: the bounds of the box are knowledge, too (tried on the
     * data of the docs; it moves guesses, not the certificate) */
    fit->leash = 0.5 * error_variance(fit) / (prior * (1 - prior));
    fit_squares(fit, out, start, tolerance);
}
