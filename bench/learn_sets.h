/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_LEARN_SETS_H
#define DUSK_BENCH_LEARN_SETS_H

/* What is declared of the public data sets: where they are below DUSK_DATA, and their fields. */

#include "learn_data.h"

/* What is done to the lines of a file before they are read as text with commas. */
typedef enum bench_line {
    BENCH_LINE_AS_IS = 0,
    BENCH_LINE_NO_DOT,    /* a "." at the end goes: adult.test */
    BENCH_LINE_BLANKS,    /* runs of blanks are commas: x y */
    BENCH_LINE_NOT_FIRST, /* the header line goes, since names come twice in it */
    BENCH_LINE_ATTACK,    /* the last column is "no" for normal connections, else "yes" */
    BENCH_LINE_COVER      /* 4 and 40 columns of 0 and 1 are a category each, from 1 */
} bench_line;

typedef struct bench_set {
    const char *name;
    const char *train, *test; /* from "/" on, or below DUSK_DATA; test NULL: every fifth row of train */
    const char *labels[2];    /* of IDX files, train and test */
    const char *header;       /* names of the columns; "": those of the fields; NULL: the file has them */
    char delimiter;           /* 0: a comma */
    bench_line line;
    const char *fields; /* their text form */
    const char *bounds; /* or "0:1 2:3": fields x0, x1, and at last y */
    const char *label;  /* NULL: none */
} bench_set;

/* The one after the last has no name. */
extern const bench_set bench_sets[];

#endif
