/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_STUDENT_H
#define DUSK_DEEP_STUDENT_H

/* A network on public rows whose labels were released: ordinary training, which costs no privacy. */

#include "deep/rows.h"

typedef struct deep_student {
    const deep_net *net; /* what comes after the layers that do not learn */
    double rate;         /* of learning, by Adam, falling to 0 */
    size_t epochs, lot;
    const deep_rows *copy; /* `copies` of all rows, moved (moves.h): with the labels of their rows */
    size_t copies;
} deep_student;

/* `x`: deep_size(net->in) numbers a row; label -1: not learned from. `parameters` are the first values, and the trained ones after. */
DUSK_MUST_USE dusk_status deep_student_train(const deep_student *student, const float *x,
                                             const int32_t *label, size_t rows, float *parameters,
                                             dusk_generator *gen, dusk_error *err);

#endif
