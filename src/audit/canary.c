/* SPDX-License-Identifier: Apache-2.0 */
/* Canaries: what an auditor plants in training data. Everything is a function of a seed and
 * an index, so that the one who trains and the one who scores need not share files. Made of
 * the audit's fast coins; nothing here protects anybody. */
#include <math.h>

#include "audit/coins.h"
#include "base/error.h"
#include "dusk/audit_scores.h"

/* Coins of one canary; `purpose` keeps different uses of the same index apart. */
static audit_coins coins_of(uint64_t seed, uint64_t index, uint64_t purpose)
{
    uint64_t x = seed, y = audit_splitmix(&x) ^ index, z = audit_splitmix(&y) ^ purpose;
    return audit_coins_seeded(audit_splitmix(&z));
}

bool dusk_canary_member(uint64_t seed, uint64_t index)
{
    audit_coins coins = coins_of(seed, index, 1);
    return audit_word(&coins) >> 63;
}

/* Two independent normal numbers [Box & Muller 1958]. */
static void normals(double pair[2], audit_coins *coins)
{
    double radius = sqrt(-2 * log(audit_uniform(coins))), angle = 2 * M_PI * audit_uniform(coins);
    pair[0] = radius * cos(angle);
    pair[1] = radius * sin(angle);
}

void dusk_canary_direction(double *out, size_t dimension, double norm, uint64_t seed, uint64_t index)
{
    audit_coins coins = coins_of(seed, index, 2);
    double pair[2], squares = 0, rest = 0;
    for (size_t i = 0; i < dimension; i++) {
        if (i % 2 == 0) normals(pair, &coins);
        out[i] = pair[i % 2];
        /* compensated, so that the norm is right in any dimension [Kahan 1965] */
        double term = out[i] * out[i] - rest, sum = squares + term;
        rest = (sum - squares) - term;
        squares = sum;
    }
    for (size_t i = 0; i < dimension; i++) out[i] *= norm / sqrt(squares);
}

dusk_status dusk_canary_coordinate(double *out, size_t dimension, double norm, uint64_t seed, uint64_t index,
                                   dusk_error *err)
{
    if (index >= dimension)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use dusk_canary_direction for more canaries",
                         "there are only as many right angles as dimensions");
    audit_coins coins = coins_of(seed, 0, 3);
    uint64_t first = audit_below(&coins, dimension), left = dimension - first;
    for (size_t i = 0; i < dimension; i++) out[i] = 0;
    out[index < left ? first + index : index - left] = norm;
    return DUSK_OK;
}

void dusk_canary_input(double *out, size_t dimension, double low, double high, uint64_t seed, uint64_t index)
{
    audit_coins coins = coins_of(seed, index, 4);
    for (size_t i = 0; i < dimension; i++) {
        double u = audit_uniform(&coins);
        out[i] = low * (1 - u) + high * u;
    }
}

uint64_t dusk_canary_label(uint64_t label, uint64_t classes, uint64_t seed, uint64_t index)
{
    audit_coins coins = coins_of(seed, index, 5);
    if (classes < 2 || label >= classes) return label;
    uint64_t other = audit_below(&coins, classes - 1);
    return other + (other >= label);
}
