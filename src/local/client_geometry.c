/* SPDX-License-Identifier: Apache-2.0 */
/* Projective geometry response on a device [Feldman, Nelson, Nguyen & Talwar 2022]. Categories and answers are points of the projective space of
 * t coordinates over the field of q elements, q a prime; an answer is more often orthogonal to the truth than not.
 *
 * A point is written with its first coordinate that is not 0 made 1. Points are numbered so that those of the space of the last t - 1 coordinates
 * come first, and then those that begin with 1, by the base-q number of the others. Proof: client_geometry.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

/* Points of the space of t coordinates, 1 + q + ... + q^(t-1); 0: more than 2^32 - 1. */
uint32_t client_points(uint32_t q, uint32_t t)
{
    uint64_t points = 0;
    uint32_t i;
    for (i = 0; i < t; i++) {
        points = points * q + 1;
        if (points > UINT32_MAX) return 0;
    }
    return (uint32_t)points;
}

/* The coordinates of a point by its number; those of the first ones that are 0 included. */
void client_point(uint32_t q, uint32_t t, uint32_t number, uint32_t *coordinate)
{
    uint32_t smaller = client_points(q, t - 1), i = 0, j;
    while (i + 1 < t && number < smaller) {
        coordinate[i++] = 0;
        smaller = (smaller - 1) / q;
    }
    number -= smaller;
    for (j = t; j-- > i + 1; number /= q) coordinate[j] = number % q;
    coordinate[i] = 1;
}

/* a^(q - 2), which is 1 / a. */
uint32_t client_inverse(uint32_t q, uint32_t a)
{
    uint32_t result = 1, power;
    for (power = q - 2; power > 0; power >>= 1) {
        if (power & 1) result = result * a % q;
        a = a * a % q;
    }
    return result;
}

/* The number of the point on a line that is not 0. */
uint32_t client_point_number(uint32_t q, uint32_t t, const uint32_t *coordinate)
{
    uint32_t i = 0, j, number = 0, scale;
    while (coordinate[i] == 0) i++;
    scale = client_inverse(q, coordinate[i]);
    for (j = i + 1; j < t; j++) number = number * q + coordinate[j] * scale % q;
    return number + client_points(q, t - 1 - i);
}

/* Orthogonal: the coordinates beside the truth's first one are anything but all 0, and that one makes the product 0; every point is as many such
 * lines, q - 1. Otherwise they are anything, and that one makes the product 1; every other point is one such line. All is drawn, whichever is taken. */
DUSK_PROVEN(dusk_client_pgr)
int dusk_client_pgr(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t q = task->width, t = task->rows, bytes = client_bytes_for(client_points(q, t));
    const uint32_t truth = client_truth(task, value);
    const uint32_t lines = client_points(q, t) - client_points(q, t - 1); /* q^(t-1) */
    uint32_t x[DUSK_GEOMETRY_MOST], y[DUSK_GEOMETRY_MOST], lead = 0, i, within, outside, rest;
    uint64_t product = 0;
    int orthogonal;
    client_zero(report, bytes);
    orthogonal = client_coin(entropy, task->p);
    if (orthogonal < 0 || client_below(entropy, &within, lines - 1) || client_below(entropy, &outside, lines))
        return DUSK_CLIENT_NO_ENTROPY;
    rest = orthogonal ? DUSK_MUTATE(PGR_DRAWS_A_POINT_TWICE, within + 1, within ? within : 1) : outside;
    client_point(q, t, truth, x);
    while (x[lead] == 0) lead++;
    for (i = t; i-- > 0;) {
        if (i == lead) continue;
        y[i] = rest % q;
        rest /= q;
        product += (uint64_t)x[i] * y[i];
    }
    y[lead] = (uint32_t)((q - product % q + (orthogonal ? 0 : 1)) % q);
    client_put(report, client_point_number(q, t, y), bytes);
    return DUSK_CLIENT_OK;
}
