/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_NUMERIC_GAUSS_LEGENDRE_H
#define DUSK_NUMERIC_GAUSS_LEGENDRE_H

/* The rule of 24 nodes on [-1, 1], which is symmetric: the positive nodes, and their weights. Of a function that is analytic within the ellipse with foci -1 and 1 and half axes LONG_AXIS and
 * SHORT_AXIS, and at most B there, the sum is off by LEGENDRE_ERROR B at most: Chebyshev coefficients are at most 2 B rho^-k, rho = 4; the rule is exact below degree 48, and for even k >= 4 both the integral of T_k
 * and its sum are at most 2 + 2/15 together (odd k vanish), which adds up to (64/15) B rho^-48 / (1 - rho^-2). */

#define DUSK_NODES 12
#define DUSK_LONG_AXIS 2.125
#define DUSK_SHORT_AXIS 1.875
#define DUSK_LEGENDRE_ERROR (64. / 15 * 0x1p-96 / (1 - 1. / 16))

static const double dusk_gauss_legendre[DUSK_NODES][2] = {
    { 0x1.0660853eda2e8p-4, 0x1.060475e763736p-3 }, { 0x1.8769542b94f8dp-3, 0x1.01b7117cf8bd8p-3 },
    { 0x1.429a8c588e910p-2, 0x1.f25cbce1d1ff6p-4 }, { 0x1.bc345d81e24b5p-2, 0x1.d91c78acb1b2dp-4 },
    { 0x1.17417bac4d72bp-1, 0x1.b8177ba4a68dcp-4 }, { 0x1.4bd2ee5fa1086p-1, 0x1.8fd8936444b16p-4 },
    { 0x1.7af18edb9ddd6p-1, 0x1.6108ef504463ap-4 }, { 0x1.a3d74ce0d3700p-1, 0x1.2c6d5c2eff064p-4 },
    { 0x1.c5d841864d0f5p-1, 0x1.e5c6255d25edap-5 }, { 0x1.e06585a70aa4dp-1, 0x1.6ab884f57c979p-5 },
    { 0x1.f30f9f0cbf876p-1, 0x1.d375514486f1dp-6 }, { 0x1.fd892de691982p-1, 0x1.9465bd3112202p-7 },
};

#endif
