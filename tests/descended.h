/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DESCENDED_H
#define TESTS_DESCENDED_H

/* What a model of allocation=descent says it has released. */

#include <math.h>

#include "dusk/learn.h"
#include "support.h"

/* All of it, of all rows and relative to one that comes or goes. */
static inline double descended_epsilon(const dusk_model *model, double delta)
{
    size_t one, kinds, n;
    const double *steps = dusk_model_array(model, "steps", &one, &n);
    const double *choice = dusk_model_array(model, "choice_noise", &one, &n);
    const double *times = dusk_model_array(model, "gradients", &one, &kinds);
    const double *noise = dusk_model_array(model, "noise", &one, &n);
    assert_true(steps && choice && times && noise && n == kinds);
    double information = *steps / (*choice * *choice), gradients = 0;
    for (size_t k = 0; k < n; k++) {
        information += times[k] / (noise[k] * noise[k]);
        gradients += times[k];
    }
    assert_true(gradients == *steps);
    dusk_event event;
    dusk_statement statement;
    assert_int_equal(dusk_event_gdp(&event, sqrt(information) * (1 - 1e-9), NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, delta, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

#endif
