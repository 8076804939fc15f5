/* SPDX-License-Identifier: Apache-2.0 */
/* Reconstruction by least squares within the box: the attack of Dinur & Nissim 2003 as it is
 * run in practice. See box_fit.h for the fit and its certificate. */
#include <math.h>

#include "attack/box_fit.h"

/* The target moves with the misfit, which only falls. */
void attack_least_squares(attack_fit *fit, dusk_reconstruction *out, double tolerance)
{
    attack_fit_look(fit);
    double start = fit->misfit, enough;
    while (fit->gap > (enough = attack_fit_enough(fit, fit->misfit, start, tolerance))) {
        double before = fit->misfit;
        attack_fit_improve(fit, enough);
        if (fit->work >= fit->work_most || !(fit->misfit < before)) break;
    }
    out->misfit = fit->misfit;
    out->least = fmax(0, fit->misfit - fit->gap);
    out->solved = fit->gap <= attack_fit_enough(fit, fit->misfit, start, tolerance);
}
