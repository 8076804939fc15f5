/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_PROGRAM_DRAWS_H
#define DUSK_CLI_PROGRAM_DRAWS_H

/* A program as a sampler. It is started with the input as its last argument and DUSK_DRAWS,
 * the number of draws that is wanted, in its environment, prints that many lines, one draw a
 * line (draw_lines.h), and ends with exit code 0. It is started again whenever more draws
 * are wanted, with larger and larger numbers, and must then print others: a program that
 * prints the same lines again has a fixed seed and is refused. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/draw_lines.h"
#include "dusk/audit_mechanisms.h"

typedef struct program_request {
    char *const *command;      /* its words, ended by NULL                             */
    const char *const *inputs; /* what the numbers 0, 1, ... stand for; NULL: an input
                                  is numbers, and they are written with commas between */
    size_t input_length;       /* 1 with `inputs`                                      */
    uint64_t first;            /* lines to ask for at first, 1 or more                 */
    bool one_draw;             /* it prints one draw whenever it is started            */
} program_request;

typedef struct program_draws program_draws;

dusk_status program_draws_new(program_draws **out, const program_request *request, dusk_error *err);
void program_draws_free(program_draws *draws);

/* Look at draws on this input, to learn what they look like; then no longer. */
dusk_status program_draws_look(program_draws *draws, const double *input, dusk_error *err);
dusk_status program_draws_settle(program_draws *draws, dusk_sampler *out, dusk_error *err);

/* End what is running; more draws can be had all the same. */
void program_draws_rest(program_draws *draws);

const draw_lines *program_draws_lines(const program_draws *draws);
/* The input of the latest draws as the program got it (back 0), and of those on another one
 * before them (1); NULL when there was none. */
const char *program_draws_recent(const program_draws *draws, size_t back);
/* Whether every draw on this input was the same, and there were some. */
bool program_draws_constant(const program_draws *draws, const double *input);

#endif
