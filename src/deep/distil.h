/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_DISTIL_H
#define DUSK_DEEP_DISTIL_H

/* From answers about public rows to a student. Public rows are mapped to vectors
 * (map.h), those that stand for many are asked about (spread.h), answers flow to the rest of them, and an ordinary network learns from
 * all (student.h). Only answers look at private rows. */

#include "deep/front.h"
#include "deep/map.h"
#include "deep/moves.h"
#include "deep/rows.h"
#include "deep/spread.h"
#include "learn/learner.h"

enum { DEEP_OPEN_MOST = 16384 }; /* public rows; further ones are not looked at */

typedef struct deep_distil {
    deep_net net; /* of the student */
    deep_net front,
        rest; /* its first layers, which do not learn and are the map's, too; and those that learn */
    size_t classes, questions;
    size_t components; /* the most numbers of a mapped vector */
    bool moves;        /* public rows are pictures, and are looked at as moved, too */
    size_t rounds;     /* how often the student is asked in between; 1: never */
    size_t epochs, threads;
    double rate;
} deep_distil;

/* What public rows give. */
typedef struct deep_public {
    size_t rows;
    float *through; /* after the layers that do not learn */
    deep_map map;
    size_t copies;              /* of every row, moved */
    deep_rows copy[DEEP_MOVES]; /* those that the student learns from, too, after the layers */
    size_t learned;             /* how many these are */
    float *x;                   /* mapped: rows, and then all of a copy after the other */
    size_t *question;           /* rows that are asked about */
    float *asked;               /* their vectors */
    deep_graph graph;
} deep_public;
DUSK_MUST_USE dusk_status deep_public_make(deep_public *out, const learn_job *job, const deep_distil *distil,
                                           dusk_error *err);
/* Fine on a zeroed one. */
void deep_public_clear(deep_public *open);
/* The rows of a frame that have a label, as vectors of the map; count * map.width numbers, to be wiped. `place`: where each was in the frame. */
DUSK_MUST_USE dusk_status deep_private_make(const learn_job *job, const deep_public *open,
                                            const dusk_frame *frame, size_t threads, float **x,
                                            int32_t **code, size_t **place, size_t *count, dusk_error *err);
void deep_private_clear(float *x, int32_t *code, size_t *place, size_t count, size_t width);

/* The answer to question number q, a class or -1; `guess` is what the student says of it, or NULL. */
typedef dusk_status (*deep_answer)(void *context, size_t q, const float *guess, int32_t *answer,
                                   dusk_generator *gen, dusk_error *err);
/* Ask all questions, in order, and train the student: puts "answers" (row, answer) and "parameters" into the model. */
DUSK_MUST_USE dusk_status deep_distil_run(learn_job *job, const deep_distil *distil, const deep_public *open,
                                          deep_answer answer, void *context, dusk_generator *gen,
                                          dusk_error *err);

void deep_distil_clear(deep_distil *distil); /* fine on a zeroed one */
/* For plans: the settings that both have. */
DUSK_MUST_USE dusk_status deep_distil_plan(learn_job *job, deep_distil *distil, dusk_error *err);
/* After the answers were said: whether they are too few to learn all classes from. */
void deep_distil_say(learn_job *job, const deep_distil *distil, size_t answers);
#define DEEP_DISTIL_SETTINGS                                                                                 \
    { "net",                                                                                                 \
      "output",                                                                                              \
      "",                                                                                                    \
      0,                                                                                                     \
      0,                                                                                                     \
      false,                                                                                                 \
      "the network that learns from the answers; layers that come before the first that learns, such as "    \
      "scatter, make the vectors that teachers see, too" },                                                  \
        { "components",                                                                                      \
          "256",                                                                                             \
          NULL,                                                                                              \
          1,                                                                                                 \
          4096,                                                                                              \
          true,                                                                                              \
          "rows are vectors of so many numbers, by the directions in which public rows differ most" },       \
        { "moves",                                                                                           \
          "yes",                                                                                             \
          "no|yes",                                                                                          \
          0,                                                                                                 \
          0,                                                                                                 \
          false,                                                                                             \
          "of pictures: those that are turned, slanted or scaled a little are of the same class" },          \
        { "epochs",                                                                                          \
          "0",                                                                                               \
          NULL,                                                                                              \
          0,                                                                                                 \
          10000,                                                                                             \
          true,                                                                                              \
          "of the network, over public rows; 0: 30 where one layer learns after others that do not, "        \
          "without moves, else 20" },                                                                        \
        { "learning_rate",                                                                                   \
          "0",                                                                                               \
          NULL,                                                                                              \
          0,                                                                                                 \
          10,                                                                                                \
          false,                                                                                             \
          "of the network, by Adam; 0: 0.02 where one layer learns after others that do not, else 0.003" },  \
        { "range",                                                                                           \
          "bounds",                                                                                          \
          "bounds|unit",                                                                                     \
          0,                                                                                                 \
          0,                                                                                                 \
          false,                                                                                             \
          "numbers to [-1, 1] by their bounds, or to [0, 1], which suits pictures" },                        \
    {                                                                                                        \
        "threads", "1", NULL, 1, 64, true, "how many"                                                        \
    }

#endif
