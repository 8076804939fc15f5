/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers; see teachers.h. A few of them at a time are a class: their rows stand together, their systems are solved in lanes (cholesky.h), and questions are
 * multiplied with the rows of all. Arithmetic is plain, in a fixed order, or that of tensor/gemm.h: what a teacher says depends on its own rows bit for
 * bit, wherever they are in memory and whoever else is in the class. Proof: teachers.proof.md. */
#include "deep/teachers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/cholesky.h"
#include "deep/real.h"
#include "deep/threads.h"
#include "random/keyed.h"
#include "tensor/lanes.h"

enum {
    DEAL_STREAM = 0,
    MATES = DEEP_CHOLESKY_LANES,
    STRIP = 64 /* rows of kernels */,
    QUESTIONS = 256 /* at a time */
};

DUSK_PROVEN(deep_deal)
dusk_status deep_deal(uint32_t *teacher, size_t rows, size_t teachers, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;
    uint64_t *which = NULL;
    DUSK_NEW(which, rows + 1);
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    DUSK_TRY(dusk_keyed_below(coins, DEAL_STREAM, NULL, which, rows, teachers, err));
    for (size_t i = 0; i < rows; i++)
        teacher[i] = (uint32_t)DUSK_MUTATE(PATE_ROWS_IN_BLOCKS, which[i], i * teachers / rows);
done:
    if (which) dusk_wipe(which, (rows + 1) * sizeof *which);
    dusk_deallocate(which);
    dusk_keyed_free(coins);
    return status;
}

/* --- a few teachers ------------------------------------------------------------------------------------------------------- */

/* Room for some teachers after the others, in one thread. */
typedef struct classroom {
    size_t first[MATES + 1]; /* where the rows of each begin, and where those of the last end */
    float *x;                /* rows */
    float *square;           /* their squared lengths */
    int32_t *code;           /* of them */
    float *values;           /* of the kernel: strips of all matrices, or questions and all rows */
    float *coefficient;      /* of all rows and classes */
    float *score;            /* QUESTIONS * classes */
    int32_t *votes;          /* of all questions, by the teachers of this thread */
    deep_cholesky systems;
    tensor_gemm_work gemm;
} classroom;

typedef struct school {
    const deep_teaching *how;
    const deep_vectors *rows;
    const float *question;
    size_t questions;
    float *question_square;
    size_t *row;   /* rows by teacher */
    size_t *first; /* of each teacher in `row`; one more at the end */
    classroom room[DEEP_THREADS_MOST];
    size_t threads, together; /* teachers at a time in each */
    size_t most, many;        /* rows of one teacher, and of those at a time */
} school;

/* Part l of the sum has numbers l, l + 8, ..., on any machine. */
DEEP_LANES
static float squared_length(const float *x, size_t n)
{
    double part[MATES] = { 0 }, sum = 0;
    const size_t whole = n / MATES * MATES;
    for (size_t j = 0; j < whole; j += MATES)
        for (size_t l = 0; l < MATES; l++) part[l] += (double)x[j + l] * (double)x[j + l];
    for (size_t j = whole; j < n; j++) part[j - whole] += (double)x[j] * (double)x[j];
    for (size_t l = 0; l < MATES; l++) sum += part[l];
    return (float)sum;
}

/* Products of vectors become values of the kernel, in place. */
DEEP_LANES
static void apply_kernel(float *gram, size_t stride, size_t count, size_t n, const float *left,
                         const float *right, float each)
{
    for (size_t i = 0; i < count; i++, gram += stride)
        for (size_t j = 0; j < n; j++) {
            const float distance = left[i] + right[j] - 2 * gram[j];
            gram[j] = deep_exp(-each * (distance > 0 ? distance : 0));
        }
}

static float kernel_rate(const deep_teaching *how) { return (float)(0.5 / (how->width * how->width)); }

static size_t held(const school *s, size_t teacher)
{
    const size_t n = s->first[teacher + 1] - s->first[teacher];
    return DUSK_MUTATE(PATE_ROWS_WITHOUT_END, n < s->how->rows_most, true) ? n : s->how->rows_most;
}

DUSK_PROVEN(take_rows)
static void take_rows(const school *s, classroom *r, size_t mate, size_t teacher)
{
    const size_t w = s->rows->width;
    const size_t n = held(s, teacher);
    size_t at = DUSK_MUTATE(PATE_ROWS_OVERLAP, r->first[mate], r->first[mate] - (mate > 0 && n > 1));
    for (size_t i = 0; i < n; i++, at++) {
        const size_t row = s->row[s->first[teacher] + i];
        memcpy(r->x + at * w, s->rows->x + row * w, w * sizeof *r->x);
        r->square[at] = squared_length(r->x + at * w, w);
        r->code[at] = s->rows->code[row];
    }
    r->first[mate + 1] = at;
}

/* The upper halves of kernel matrices, a strip of rows at a time. */
DUSK_PROVEN(put_kernels)
static void put_kernels(const school *s, classroom *r)
{
    const size_t w = s->rows->width, stride = r->systems.size;
    for (size_t top = 0, count; top < r->systems.size; top += count) {
        count = r->systems.size - top < STRIP ? r->systems.size - top : STRIP;
        for (size_t l = 0; l < MATES; l++) {
            const size_t begin = r->first[l] + top, end = r->first[l + 1];
            if (begin >= end) continue;
            const size_t n = end - begin, m = n < count ? n : count;
            const tensor_view a = { r->x + begin * w, w, 1 }, b = { r->x + begin * w, 1, w };
            float *strip = r->values + l * count * stride;
            tensor_gemm(tensor_lanes_level(), strip, stride, a, b, m, n, w, false, &r->gemm);
            apply_kernel(strip, stride, m, n, r->square + begin, r->square + begin, kernel_rate(s->how));
        }
        deep_cholesky_put(&r->systems, top, count, r->values, stride, s->how->ridge);
    }
}

DUSK_PROVEN(learn)
static void learn(const school *s, classroom *r)
{
    const size_t k = s->how->classes;
    size_t own[MATES];
    for (size_t l = 0; l < MATES; l++) own[l] = r->first[l + 1] - r->first[l];
    deep_cholesky_begin(&r->systems, own, k);
    put_kernels(s, r);
    for (size_t l = 0; l < MATES; l++)
        for (size_t i = 0; i < own[l]; i++)
            for (size_t c = 0; c < k; c++)
                deep_cholesky_side(&r->systems, i, c)[l] =
                    ((size_t)r->code[r->first[l] + i] == c) - 1.0 / (double)k;
    deep_cholesky_solve(&r->systems, s->how->ridge * 0.5);
    for (size_t l = 0; l < MATES; l++)
        for (size_t i = 0; i < own[l]; i++)
            for (size_t c = 0; c < k; c++)
                r->coefficient[(r->first[l] + i) * k + c] = (float)deep_cholesky_side(&r->systems, i, c)[l];
}

/* One vote of one teacher for each of `count` questions. */
DUSK_PROVEN(vote)
static void vote(const school *s, classroom *r, size_t mate, size_t count, int32_t *votes)
{
    const size_t k = s->how->classes, all = r->first[MATES];
    const size_t first = r->first[mate], n = r->first[mate + 1] - first;
    const size_t from = DUSK_MUTATE(PATE_SEGMENT_TOO_EARLY, first, first - (first > 0));
    const tensor_view values = { r->values + from, all, 1 },
                      coefficients = { r->coefficient + first * k, k, 1 };
    if (n == 0) return;
    tensor_gemm(tensor_lanes_level(), r->score, k, values, coefficients, count, k, n, false, &r->gemm);
    for (size_t i = 0; i < count; i++) {
        size_t best = 0;
        for (size_t c = 1; c < k; c++)
            if (r->score[i * k + c] > r->score[i * k + best]) best = c;
        votes[i * k + best] += 1;
    }
}

DUSK_PROVEN(ask)
static void ask(const school *s, classroom *r)
{
    const size_t w = s->rows->width, all = r->first[MATES];
    for (size_t first = 0, count; first < s->questions; first += count) {
        count = s->questions - first < QUESTIONS ? s->questions - first : QUESTIONS;
        const tensor_view q = { s->question + first * w, w, 1 }, x = { r->x, 1, w };
        tensor_gemm(tensor_lanes_level(), r->values, all, q, x, count, all, w, false, &r->gemm);
        apply_kernel(r->values, all, count, all, s->question_square + first, r->square, kernel_rate(s->how));
        for (size_t l = 0; l < MATES; l++) vote(s, r, l, count, r->votes + first * s->how->classes);
    }
}

/* From `teacher` on. */
DUSK_PROVEN(teach)
static void teach(const school *s, classroom *r, size_t teacher)
{
    for (size_t l = 0; l < MATES; l++) {
        r->first[l + 1] = r->first[l];
        if (l < s->together && teacher + l < s->how->teachers) take_rows(s, r, l, teacher + l);
    }
    if (r->first[MATES] == 0) return;
    learn(s, r);
    ask(s, r);
}

static void teach_some(void *context, size_t number)
{
    school *s = context;
    for (size_t t = number * s->together; t < s->how->teachers; t += s->threads * s->together)
        teach(s, &s->room[number], t);
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

#define WIPE(pointer, n)                                                                                     \
    do {                                                                                                     \
        if (pointer) dusk_wipe(pointer, (n) * sizeof *(pointer));                                            \
        dusk_deallocate(pointer);                                                                            \
    } while (0)

static size_t values_size(const school *s)
{
    const size_t strips = MATES * STRIP * (s->most + DEEP_CHOLESKY_TILE), asked = QUESTIONS * s->many;
    return strips > asked ? strips : asked;
}

static void close_room(const school *s, classroom *r)
{
    const size_t n = s->many + 1, k = s->how->classes;
    WIPE(r->x, n * s->rows->width);
    WIPE(r->square, n);
    WIPE(r->code, n);
    WIPE(r->values, values_size(s));
    WIPE(r->coefficient, n * k);
    WIPE(r->score, QUESTIONS * k);
    WIPE(r->votes, s->questions * k + 1);
    deep_cholesky_close(&r->systems);
    tensor_gemm_close(&r->gemm);
}

static dusk_status open_room(const school *s, classroom *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = s->many + 1, k = s->how->classes;
    DUSK_NEW(r->x, n * s->rows->width);
    DUSK_NEW(r->square, n);
    DUSK_NEW(r->code, n);
    DUSK_NEW(r->values, values_size(s));
    DUSK_NEW(r->coefficient, n * k);
    DUSK_NEW(r->score, QUESTIONS * k);
    DUSK_NEW(r->votes, s->questions * k + 1);
    DUSK_TRY(deep_cholesky_open(&r->systems, tensor_lanes_level(), s->most, k, err));
    DUSK_TRY(tensor_gemm_open(&r->gemm, err));
done:
    return status;
}

/* Rows by teacher, in the order that they have. */
static void order_rows(school *s, const uint32_t *teacher)
{
    const size_t n = s->rows->count, t = s->how->teachers;
    for (size_t i = 0; i < n; i++) s->first[teacher[i] + 1]++;
    for (size_t j = 0; j < t; j++) s->first[j + 1] += s->first[j];
    for (size_t i = 0; i < n; i++) s->row[s->first[teacher[i]]++] = i;
    for (size_t j = t; j > 0; j--) s->first[j] = s->first[j - 1];
    s->first[0] = 0;
}

/* Teachers are put together so that no thread is without any. */
static void size_rooms(school *s)
{
    const size_t t = s->how->teachers, threads = s->how->threads, each = (t + threads - 1) / threads;
    s->together = each < MATES ? each : MATES;
    for (size_t j = 0; j < t; j += s->together) {
        size_t many = 0;
        for (size_t l = j; l < t && l < j + s->together; l++) {
            many += held(s, l);
            if (held(s, l) > s->most) s->most = held(s, l);
        }
        if (many > s->many) s->many = many;
    }
}

dusk_status deep_teachers_vote(const deep_teaching *teaching, const deep_vectors *rows,
                               const uint32_t *teacher, const float *question, size_t questions,
                               int32_t *votes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t cells = questions * teaching->classes;
    school *s = NULL;
    DUSK_NEW(s, 1);
    s->how = teaching;
    s->rows = rows;
    s->question = question;
    s->questions = questions;
    DUSK_NEW(s->row, rows->count + 1);
    DUSK_NEW(s->first, teaching->teachers + 1);
    DUSK_NEW(s->question_square, questions + 1);
    for (size_t q = 0; q < questions; q++)
        s->question_square[q] = squared_length(question + q * rows->width, rows->width);
    order_rows(s, teacher);
    size_rooms(s);
    while (s->threads < DEEP_THREADS_MOST && s->threads < teaching->threads &&
           s->threads * s->together < teaching->teachers) {
        s->threads++; /* counted, so that what it has is closed */
        DUSK_TRY(open_room(s, &s->room[s->threads - 1], err));
    }
    deep_work(teach_some, s, s->threads);
    memset(votes, 0, cells * sizeof *votes);
    for (size_t t = 0; t < s->threads; t++)
        for (size_t i = 0; i < cells; i++) votes[i] += s->room[t].votes[i];
done:
    for (size_t t = 0; s && t < s->threads; t++) close_room(s, &s->room[t]);
    if (s) {
        WIPE(s->row, rows->count + 1);
        WIPE(s->first, teaching->teachers + 1);
        dusk_deallocate(s->question_square);
    }
    dusk_deallocate(s);
    return status;
}
