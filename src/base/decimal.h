/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_DECIMAL_H
#define DUSK_BASE_DECIMAL_H

/* Bounds in decimal, for people: an upper bound is never printed smaller than
 * it is, a lower bound never larger. A sentence that has a promise in it takes
 * its numbers from here, not from %g. */

#include <stddef.h>

#define DUSK_DECIMAL_SIZE 64

/* x to at most `digits` significant digits (1 to 17), rounded up or down. A
 * number whose shortest form that reads back as x has no more digits is written
 * in that form: 0.1 stays 0.1. "infinity" and "nan" are words. */
void dusk_decimal_up(char text[DUSK_DECIMAL_SIZE], double x, int digits);
void dusk_decimal_down(char text[DUSK_DECIMAL_SIZE], double x, int digits);
/* The same as a value, for the arguments of printf and its kin:
 * dusk_shown_up(x, 4).text is there until the call is over. */
typedef struct dusk_shown {
    char text[DUSK_DECIMAL_SIZE];
} dusk_shown;
dusk_shown dusk_shown_up(double x, int digits);
dusk_shown dusk_shown_down(double x, int digits);
/* The shortest form that reads back as x; 1e-6 rather than 0.000001. */
void dusk_decimal(char text[DUSK_DECIMAL_SIZE], double x);
/* A confidence in percent, without the sign: 95. Six digits, and as many more as it takes not to make
 * the chance of an error look smaller than it is, so never 100 for what is below 1. */
void dusk_decimal_percent(char text[DUSK_DECIMAL_SIZE], double confidence);

#endif
