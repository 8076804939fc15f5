/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NUMBER_LAWS_H
#define TESTS_NUMBER_LAWS_H

/* For the tests of the laws for one number. */
#include <math.h>

#include "mechanisms/noise.h"
#include "support.h"

/* Noise that was made has an event; with another shape, filled in by hand, it has none. */
static inline void assert_shapes_refused(const dusk_noise *good, const double *shapes, size_t n)
{
    dusk_event event;
    assert_int_equal(dusk_noise_event(good, &event, NULL), DUSK_OK);
    for (size_t i = 0; i < n; i++) {
        dusk_noise noise = *good;
        noise.shape = shapes[i];
        assert_int_equal(dusk_noise_event(&noise, &event, NULL), DUSK_ERR_ARGUMENT);
    }
}

/* The whole steps t of an interval t + 1/2 on the grid 0. */
static inline double steps_within(const dusk_noise *noise, double confidence)
{
    double width;
    assert_int_equal(dusk_noise_interval(noise, &width, confidence, NULL), DUSK_OK);
    double t = width - 0.5;
    assert_true(t == rint(t) && t >= 0);
    return t;
}

/* What lies beyond an interval is little enough, and with its last steps it were not. */
static inline void assert_least(double beyond, double last, double confidence, double slack)
{
    assert_true(beyond <= (1 - confidence) * (1 + slack));
    assert_true(beyond + last > (1 - confidence) * (1 - slack));
}

#endif
