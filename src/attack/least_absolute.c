/* SPDX-License-Identifier: Apache-2.0 */
/* Reconstruction by least absolute errors within the box: the linear program of Dwork, McSherry
 * & Talwar 2007, which gives the column back although a share of the answers is arbitrarily
 * wrong. Solved by smoothing: |e| is bent to a parabola near 0, and the bend made smaller
 * [Madsen & Nielsen 1993].
 *
 * The certificate is that of the linear program, not of the smooth one: y = phi'(e) has |y_j|
 * <= 1, so for every x' in the box
 *     sum |A x' - b|_j >= y . (A x' - b) >= y . e - sum_i max(s_i x_i, s_i (x_i - 1)),  s = A^T y. */
#include <math.h>

#include "attack/box_fit.h"
#include "attack/dot.h"
#include "base/mutant.h"

#define BEND_STEP 0.25
#define BEND_LEAST 1e-12

static double sum_of_errors(const attack_fit *fit)
{
    double sum = 0;
    for (size_t j = 0; j < fit->questions; j++) sum += fabs(fit->error[j]);
    return sum;
}

/* The sum of absolute errors, and the lower bound of it that the pulls at hand give. */
static void judge(const attack_fit *fit, double *misfit, double *least)
{
    double agree = attack_dot(fit->pull, fit->error, fit->questions);
    *misfit = sum_of_errors(fit);
    *least = fmax(*least, DUSK_MUTATE(ATTACK_LEAST_FORGETS_GAP, agree - fit->gap, agree));
}

void attack_least_absolute(attack_fit *fit, dusk_reconstruction *out, double tolerance)
{
    dusk_reconstruction squares;
    attack_fit_look(fit);
    double start = sum_of_errors(fit);
    attack_least_squares(fit, &squares, fmax(tolerance, 0.01), 0);
    fit->bend = fmax(sum_of_errors(fit) / (double)fit->questions, BEND_LEAST);
    out->least = 0;
    for (;; fit->bend *= BEND_STEP) {
        attack_fit_look(fit);
        judge(fit, &out->misfit, &out->least);
        double enough = attack_fit_enough(fit, out->misfit, start, tolerance);
        /* no nearer to the minimum of the smooth problem than that is to the other */
        attack_fit_improve(fit, 0.5 * fmax(enough, out->misfit - fit->misfit));
        judge(fit, &out->misfit, &out->least);
        out->solved = out->misfit - out->least <= attack_fit_enough(fit, out->misfit, start, tolerance);
        if (out->solved || fit->work >= fit->work_most || fit->bend <= BEND_LEAST) break;
    }
}
