/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_REPLAY_MODELS_H
#define DUSK_TESTS_REPLAY_MODELS_H

/* Two trainings of a replay end in the same model, bit for bit. */

#include "dusk/learn.h"
#include "replay.h"

static inline void replay_same_models(const dusk_model *a, const dusk_model *b)
{
    for (size_t i = 0; dusk_model_array_at(a, i); i++) {
        size_t rows[2], columns[2];
        const char *name = dusk_model_array_at(a, i);
        const double *x = dusk_model_array(a, name, &rows[0], &columns[0]);
        const double *y = dusk_model_array(b, name, &rows[1], &columns[1]);
        assert_non_null(y);
        assert_int_equal(rows[0] * columns[0], rows[1] * columns[1]);
        replay_same(x, y, rows[0] * columns[0]);
    }
}

#endif
