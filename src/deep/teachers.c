/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers; see teachers.h. Arithmetic is plain, in a fixed order, or that of tensor/gemm.h: what a teacher says depends on its own rows bit for bit,
 * wherever they are in memory. Proof: teachers.proof.md. */
#include "deep/teachers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/real.h"
#include "deep/threads.h"
#include "random/keyed.h"
#include "tensor/lanes.h"

enum { DEAL_STREAM = 0, QUESTIONS = 64 /* at a time */ };

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

/* --- one teacher ----------------------------------------------------------------------------------------------------- */

/* Room for one teacher after the other, in one thread. */
typedef struct classroom {
    float *x;           /* its rows */
    float *square;      /* their squared lengths */
    float *gram;        /* rows_most^2, and QUESTIONS * rows_most */
    double *factor;     /* rows_most^2 */
    float *coefficient; /* rows_most * classes, and the same as doubles */
    double *solution;
    float *score;   /* QUESTIONS * classes */
    int32_t *code;  /* of its rows */
    int32_t *votes; /* of all questions, by the teachers of this thread */
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
    size_t threads, most;
} school;

static float squared_length(const float *x, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)x[j] * (double)x[j];
    return (float)sum;
}

/* Products of vectors become values of the kernel, in place. */
DEEP_LANES
static void apply_kernel(float *gram, size_t count, size_t n, const float *left, const float *right,
                         float each)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n; j++) {
            const float distance = left[i] + right[j] - 2 * gram[i * n + j];
            gram[i * n + j] = deep_exp(-each * (distance > 0 ? distance : 0));
        }
}

/* a = U^T U, in place, in the diagonal and above; a is positive definite by its ridge, and rounding shall not make it less. */
DEEP_LANES
static void factorise(double *a, size_t n, double ridge)
{
    for (size_t k = 0; k < n; k++) {
        double *at = a + k * n;
        const double root = sqrt(at[k] > ridge * 0.5 ? at[k] : ridge * 0.5);
        at[k] = root;
        for (size_t j = k + 1; j < n; j++) at[j] /= root;
        for (size_t i = k + 1; i < n; i++) {
            const double value = at[i];
            double *to = a + i * n;
            for (size_t j = i; j < n; j++) to[j] -= value * at[j];
        }
    }
}

/* s = (U^T U)^-1 s, for `k` columns. */
static void solve(const double *u, size_t n, double *s, size_t k)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < k; c++) s[i * k + c] /= u[i * n + i];
        for (size_t j = i + 1; j < n; j++)
            for (size_t c = 0; c < k; c++) s[j * k + c] -= u[i * n + j] * s[i * k + c];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            for (size_t c = 0; c < k; c++) s[i * k + c] -= u[i * n + j] * s[j * k + c];
        for (size_t c = 0; c < k; c++) s[i * k + c] /= u[i * n + i];
    }
}

static float kernel_rate(const deep_teaching *how) { return (float)(0.5 / (how->width * how->width)); }

static void learn(const school *s, classroom *r, size_t n)
{
    const size_t w = s->rows->width, k = s->how->classes;
    const tensor_view a = { r->x, w, 1 }, b = { r->x, 1, w };
    tensor_gemm(tensor_lanes_level(), r->gram, n, a, b, n, n, w, false, &r->gemm);
    apply_kernel(r->gram, n, n, r->square, r->square, kernel_rate(s->how));
    for (size_t i = 0; i < n * n; i++) r->factor[i] = (double)r->gram[i];
    for (size_t i = 0; i < n; i++) {
        r->factor[i * n + i] += s->how->ridge;
        for (size_t c = 0; c < k; c++) r->solution[i * k + c] = ((size_t)r->code[i] == c) - 1.0 / (double)k;
    }
    factorise(r->factor, n, s->how->ridge);
    solve(r->factor, n, r->solution, k);
    for (size_t i = 0; i < n * k; i++) r->coefficient[i] = (float)r->solution[i];
}

static void vote(const school *s, classroom *r, size_t n)
{
    const size_t w = s->rows->width, k = s->how->classes;
    const int level = tensor_lanes_level();
    for (size_t first = 0, count; first < s->questions; first += count) {
        count = s->questions - first < QUESTIONS ? s->questions - first : QUESTIONS;
        const tensor_view q = { s->question + first * w, w, 1 }, x = { r->x, 1, w };
        const tensor_view values = { r->gram, n, 1 }, coefficients = { r->coefficient, k, 1 };
        tensor_gemm(level, r->gram, n, q, x, count, n, w, false, &r->gemm);
        apply_kernel(r->gram, count, n, s->question_square + first, r->square, kernel_rate(s->how));
        tensor_gemm(level, r->score, k, values, coefficients, count, k, n, false, &r->gemm);
        for (size_t i = 0; i < count; i++) {
            size_t best = 0;
            for (size_t c = 1; c < k; c++)
                if (r->score[i * k + c] > r->score[i * k + best]) best = c;
            r->votes[(first + i) * k + best] += 1;
        }
    }
}

DUSK_PROVEN(teach)
static void teach(const school *s, classroom *r, size_t teacher)
{
    const size_t w = s->rows->width, held = s->first[teacher + 1] - s->first[teacher];
    const size_t n = held < s->how->rows_most ? held : s->how->rows_most;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) {
        const size_t row = s->row[s->first[teacher] + i];
        memcpy(r->x + i * w, s->rows->x + row * w, w * sizeof *r->x);
        r->square[i] = squared_length(r->x + i * w, w);
        r->code[i] = s->rows->code[row];
    }
    learn(s, r, n);
    vote(s, r, n);
}

static void teach_some(void *context, size_t number)
{
    school *s = context;
    for (size_t t = number; t < s->how->teachers; t += s->threads) teach(s, &s->room[number], t);
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

#define WIPE(pointer, n)                                                                                     \
    do {                                                                                                     \
        if (pointer) dusk_wipe(pointer, (n) * sizeof *(pointer));                                            \
        dusk_deallocate(pointer);                                                                            \
    } while (0)

static size_t gram_size(const school *s) { return s->most * (s->most > QUESTIONS ? s->most : QUESTIONS) + 1; }

static void close_room(const school *s, classroom *r)
{
    const size_t n = s->most + 1, k = s->how->classes;
    WIPE(r->x, n * s->rows->width);
    WIPE(r->square, n);
    WIPE(r->gram, gram_size(s));
    WIPE(r->factor, n * n);
    WIPE(r->coefficient, n * k);
    WIPE(r->solution, n * k);
    WIPE(r->score, QUESTIONS * k);
    WIPE(r->code, n);
    WIPE(r->votes, s->questions * k + 1);
    tensor_gemm_close(&r->gemm);
}

static dusk_status open_room(const school *s, classroom *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = s->most + 1, k = s->how->classes;
    DUSK_NEW(r->x, n * s->rows->width);
    DUSK_NEW(r->square, n);
    DUSK_NEW(r->gram, gram_size(s));
    DUSK_NEW(r->factor, n * n);
    DUSK_NEW(r->coefficient, n * k);
    DUSK_NEW(r->solution, n * k);
    DUSK_NEW(r->score, QUESTIONS * k);
    DUSK_NEW(r->code, n);
    DUSK_NEW(r->votes, s->questions * k + 1);
    DUSK_TRY(tensor_gemm_open(&r->gemm, err));
done:
    return status;
}

/* Rows by teacher, in the order that they have. */
static void order_rows(school *s, const uint32_t *teacher)
{
    const size_t n = s->rows->count, t = s->how->teachers;
    for (size_t i = 0; i < n; i++) s->first[teacher[i] + 1]++;
    for (size_t j = 0; j < t; j++) {
        const size_t held = s->first[j + 1];
        if (held > s->most) s->most = held;
        s->first[j + 1] += s->first[j];
    }
    if (s->most > s->how->rows_most) s->most = s->how->rows_most;
    for (size_t i = 0; i < n; i++) s->row[s->first[teacher[i]]++] = i;
    for (size_t j = t; j > 0; j--) s->first[j] = s->first[j - 1];
    s->first[0] = 0;
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
    while (s->threads < teaching->threads && s->threads < DEEP_THREADS_MOST) {
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
