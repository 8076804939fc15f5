/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_LEARN_DATA_H
#define DUSK_BENCH_LEARN_DATA_H

/* Public data sets as frames. Fields are declared from what is known of the data sets, not from the rows. */

#include <stdbool.h>

#include "dusk/frame.h"

typedef struct bench_data {
    dusk_frame *train, *test;
    const char *label; /* NULL: none */
} bench_data;
/* The data set of that name, from the folder that DUSK_DATA names; false: not there. */
bool bench_data_open(bench_data *out, const char *name);
void bench_data_close(bench_data *data);

#endif
