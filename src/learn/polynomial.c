/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in Bernstein's form. All of it is plain arithmetic on numbers that were released; no promise rests on its digits. */
#include "learn/polynomial.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { SWEEPS = 200, GRID = 32, HALVINGS = 40 };

size_t learn_lattice_points(size_t degree, size_t width, size_t most)
{
    size_t points = 1;
    for (size_t j = 0; j < width; j++) {
        if (points > most / (degree + 1)) return 0;
        points *= degree + 1;
    }
    return points;
}

void learn_lattice_point(size_t number, size_t degree, size_t width, size_t *out)
{
    for (size_t j = width; j-- > 0; number /= degree + 1) out[j] = number % (degree + 1);
}

/* out[i] = (degree over i) t^i (1 - t)^(degree - i): degree + 1 numbers >= 0 that add to 1. */
static void basis(double t, size_t degree, double *out)
{
    out[0] = 1;
    for (size_t k = 1; k <= degree; k++) {
        out[k] = 0;
        for (size_t i = k; i > 0; i--) out[i] = out[i] * (1 - t) + out[i - 1] * t;
        out[0] *= 1 - t;
    }
}

/* --- the operator ----------------------------------------------------------------------------------------------- */

/* values = the polynomial with these coefficients at all points of the lattice, one axis after the other. */
static void values_of(const learn_polynomial *p, double *values)
{
    const size_t side = p->degree + 1;
    double weight[LEARN_DEGREE_MOST + 1][LEARN_DEGREE_MOST + 1], line[LEARN_DEGREE_MOST + 1];
    for (size_t q = 0; q < side; q++) basis((double)q / (double)p->degree, p->degree, weight[q]);
    for (size_t stride = 1; stride < p->points; stride *= side)
        for (size_t first = 0; first < p->points; first++) {
            if (first / stride % side) continue;
            for (size_t q = 0; q < side; q++) line[q] = values[first + q * stride];
            for (size_t q = 0; q < side; q++) {
                double sum = 0;
                for (size_t i = 0; i < side; i++) sum += weight[q][i] * line[i];
                values[first + q * stride] = sum;
            }
        }
}

/* 1 - (1 - B)^h = B (1 + (1 - B) + ... + (1 - B)^(h-1)): the sum of the powers makes the coefficients. */
dusk_status learn_polynomial_iterate(learn_polynomial *polynomial, size_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = polynomial->points;
    double *power = NULL, *smooth = NULL;
    DUSK_NEW(power, n);
    DUSK_NEW(smooth, n);
    memcpy(power, polynomial->value, n * sizeof *power);
    for (size_t turn = 1; turn < times; turn++) {
        memcpy(smooth, power, n * sizeof *smooth);
        values_of(polynomial, smooth);
        for (size_t i = 0; i < n; i++) {
            power[i] -= smooth[i];
            polynomial->value[i] += power[i];
        }
    }
done:
    dusk_deallocate(power);
    dusk_deallocate(smooth);
    return status;
}

/* --- values ----------------------------------------------------------------------------------------------------------- */

/* The polynomial along axis `free` through t, as its degree + 1 coefficients; free = width: its value alone. Returns where they
 * are, within scratch. */
static const double *section(const learn_polynomial *p, const double *t, size_t free, double *scratch)
{
    const size_t side = p->degree + 1;
    const double *from = p->value;
    double weight[LEARN_DEGREE_MOST + 1], *to = scratch;
    size_t outer = p->points, inner = 1;
    for (size_t j = p->width; j-- > 0;) {
        outer /= side;
        if (j == free) {
            inner = side;
            continue;
        }
        basis(t[j], p->degree, weight);
        for (size_t o = 0; o < outer; o++)
            for (size_t q = 0; q < inner; q++) {
                double sum = 0;
                for (size_t i = 0; i < side; i++) sum += weight[i] * from[(o * side + i) * inner + q];
                to[o * inner + q] = sum;
            }
        from = to;
        to = to == scratch ? scratch + p->points : scratch;
    }
    return from;
}

double learn_polynomial_at(const learn_polynomial *polynomial, const double *t, double *scratch)
{
    return section(polynomial, t, polynomial->width, scratch)[0];
}

/* --- the minimum -------------------------------------------------------------------------------------------------------- */

static double along(const double *coefficients, size_t degree, double penalty, double t)
{
    double weight[LEARN_DEGREE_MOST + 1], sum = penalty * (2 * t - 1) * (2 * t - 1);
    basis(t, degree, weight);
    for (size_t i = 0; i <= degree; i++) sum += weight[i] * coefficients[i];
    return sum;
}

/* A t in [0, 1] where a polynomial of one number is small: the best of a grid, then halved intervals about it. */
static double minimum_along(const double *coefficients, size_t degree, double penalty)
{
    double best = 0.5, least = along(coefficients, degree, penalty, best);
    for (int i = 0; i <= GRID; i++) {
        double value = along(coefficients, degree, penalty, (double)i / GRID);
        if (value < least) best = (double)i / GRID, least = value;
    }
    double low = fmax(best - 1.0 / GRID, 0), high = fmin(best + 1.0 / GRID, 1);
    for (int turn = 0; turn < HALVINGS; turn++) {
        double left = low + 0.382 * (high - low), right = low + 0.618 * (high - low);
        if (along(coefficients, degree, penalty, left) <= along(coefficients, degree, penalty, right))
            high = right;
        else
            low = left;
    }
    double middle = (low + high) / 2;
    return along(coefficients, degree, penalty, middle) < least ? middle : best;
}

/* One axis after the other until nothing moves. Returns the value at the end. */
static double descend(const learn_polynomial *p, double penalty, double *t, double *scratch)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (size_t j = 0; j < p->width; j++) {
            double to = minimum_along(section(p, t, j, scratch), p->degree, penalty);
            moved = fmax(moved, fabs(to - t[j]));
            t[j] = to;
        }
        if (moved < 1e-7) break;
    }
    double value = learn_polynomial_at(p, t, scratch);
    for (size_t j = 0; j < p->width; j++) value += penalty * (2 * t[j] - 1) * (2 * t[j] - 1);
    return value;
}

/* The point of the lattice where the polynomial is least. */
static void best_point(const learn_polynomial *p, double penalty, double *values, double *t)
{
    size_t at[LEARN_POLYNOMIAL_WIDTH_MOST];
    double least = INFINITY;
    memcpy(values, p->value, p->points * sizeof *values);
    values_of(p, values);
    for (size_t i = 0; i < p->points; i++) {
        double value = values[i];
        learn_lattice_point(i, p->degree, p->width, at);
        for (size_t j = 0; j < p->width; j++) {
            double side = 2 * (double)at[j] / (double)p->degree - 1;
            value += penalty * side * side;
        }
        if (!(value < least)) continue;
        least = value;
        for (size_t j = 0; j < p->width; j++) t[j] = (double)at[j] / (double)p->degree;
    }
}

dusk_status learn_polynomial_minimum(const learn_polynomial *polynomial, double penalty, double *out,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *scratch = NULL, other[LEARN_POLYNOMIAL_WIDTH_MOST] = { 0 };
    DUSK_NEW(scratch, 2 * polynomial->points);
    for (size_t j = 0; j < polynomial->width; j++) out[j] = other[j] = 0.5;
    best_point(polynomial, penalty, scratch, other);
    double value = descend(polynomial, penalty, out, scratch);
    if (descend(polynomial, penalty, other, scratch) < value)
        memcpy(out, other, polynomial->width * sizeof *out);
done:
    dusk_deallocate(scratch);
    return status;
}
