/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_TEACHERS_H
#define DUSK_DEEP_TEACHERS_H

/* Teachers and their votes [Papernot et al. 2017]. Private rows are dealt out to teachers, each row by coins of its own; a teacher learns from its
 * rows alone, without privacy, and says for each question, a public vector, which class it takes it for. So one row more or less changes the votes
 * of one teacher: of each question one vote at most moves, appears or goes. Nothing else here is private or random. Proof: teachers.proof.md.
 *
 * A teacher is a kernel ridge classifier: with a Gaussian kernel K on its vectors, coefficients (K + ridge)^-1 (classes - 1/k). All of them are one problem, whose
 * matrix has a block for each; eight blocks at a time are factorised in lanes (cholesky.h), and questions are multiplied with the rows of eight teachers at once.
 * Still a teacher is by itself, bit for bit: what the rows of others are, or how many, changes nothing that it says. Learning costs 250 teachers as much as a pass over all rows.
 *
 * Room of a thread, in bytes, with n rows of w numbers in the largest teacher: 32 n^2 + 32 n (w + 288), and some for gemm.h; 9 MB with 240 of 256 numbers and what chance adds. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/platform.h"
#include "dusk/random.h"

typedef struct deep_teaching {
    size_t teachers, classes;
    size_t rows_most;    /* of a teacher; further rows that are dealt to it are left out */
    double width, ridge; /* the kernel is exp(-|x - y|^2 / (2 width^2)) */
    size_t threads;
} deep_teaching;

/* Private vectors, `width` numbers each, with their classes. */
typedef struct deep_vectors {
    const float *x;
    const int32_t *code;
    size_t count, width;
} deep_vectors;

/* teacher[i] of row i: uniform, by coins of its own. */
DUSK_MUST_USE dusk_status deep_deal(uint32_t *teacher, size_t rows, size_t teachers, dusk_generator *gen,
                                    dusk_error *err);
/* votes[q * classes + c]: how many teachers take question q for class c. A teacher without rows does not vote. */
DUSK_MUST_USE dusk_status deep_teachers_vote(const deep_teaching *teaching, const deep_vectors *rows,
                                             const uint32_t *teacher, const float *question, size_t questions,
                                             int32_t *votes, dusk_error *err);

#endif
