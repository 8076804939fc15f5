/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CHECK_H
#define DUSK_DEEP_CHECK_H

/* How right a net is on rows that are public: what may be told while it is trained. Never for private rows. */

#include "deep/loss.h"
#include "deep/rows.h"

typedef struct deep_score {
    double loss; /* mean over the rows; NaN without rows */
    double
        right; /* share of labels that are right, of classes: of rows whose largest output is theirs; NaN without */
    double error; /* of a number: root of the mean squared error, [-1, 1] being what it may be; else NaN */
} deep_score;

enum { DEEP_CHECK_ROOM = 64 };
/* `room`: rows at a time, in a thread; more than DEEP_CHECK_ROOM are as many. */
DUSK_MUST_USE dusk_status deep_check(deep_score *out, const deep_net *net, deep_loss loss,
                                     const float *parameters, const deep_rows *rows, size_t threads,
                                     size_t room, dusk_error *err);

#endif
