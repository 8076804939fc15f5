/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_SPREAD_H
#define DUSK_DEEP_SPREAD_H

/* What public rows tell by themselves: which of them to ask about, and what answers about a few say of the rest. All of it is
 * computed from public vectors and released answers, and costs no privacy. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Public vectors. */
typedef struct deep_open {
    const float *x;
    size_t count, width;
} deep_open;

/* The mean squared distance of two of them. */
double deep_open_spread(const deep_open *open);
/* `questions` different rows that stand for all: those nearest to the centres of as many groups [k-means: Lloyd 1982], those of the largest group
 * first. questions <= count. */
DUSK_MUST_USE dusk_status deep_choose_questions(size_t *question, size_t questions, const deep_open *open,
                                                size_t threads, dusk_error *err);

/* Every row and its nearest ones. */
typedef struct deep_graph {
    size_t count, degree;
    uint32_t *neighbour; /* count * degree */
    float *weight;
} deep_graph;
/* open->x goes on with `copies` copies of all rows (moves.h): a row is as near as the nearest of its copies. */
DUSK_MUST_USE dusk_status deep_graph_make(deep_graph *out, const deep_open *open, size_t copies,
                                          size_t threads, dusk_error *err);
/* Fine on a zeroed one. */
void deep_graph_clear(deep_graph *graph);
/* Answers flow along the graph [Zhu, Ghahramani & Lafferty 2003]: score[i * classes + c], adding to 1 for every row, or all 0 where no answer gets to. answer[i] is a class,
 * or -1. */
DUSK_MUST_USE dusk_status deep_graph_spread(const deep_graph *graph, const int32_t *answer, size_t classes,
                                            float *score, dusk_error *err);

#endif
