/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_LINE_H
#define DUSK_ACCOUNTING_LINE_H

/* D_alpha <= start + slope (alpha - 1) for 1 < alpha <= 1 + most: what concentrated
 * privacy of every kind comes to. All >= 0, most > 0. */
typedef struct dusk_line {
    double start, slope, most;
} dusk_line;

/* The least epsilon at delta in [0, 1), and delta at epsilon >= 0, that such a line
 * gives at its best order; rounded up. */
double dusk_line_epsilon_up(dusk_line line, double delta);
double dusk_line_delta_up(dusk_line line, double epsilon);

#endif
