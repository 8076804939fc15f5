/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_OBJECTIVES_H
#define TESTS_OBJECTIVES_H

/* Small matrices with labels, and gradients of objectives on them in long doubles. */

#include <math.h>
#include <stdlib.h>

#include "learn/objective.h"
#include "support.h"

typedef struct objectives_world {
    learn_matrix matrix;
    float *x;
    double *linear;
    learn_objective objective;
} objectives_world;

static inline double objectives_unit(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* `rows` rows of `width` columns, the last of them constant, labels that follow the first. */
static inline objectives_world objectives_make(size_t rows, size_t width, learn_loss loss, size_t outputs,
                                               double strength, double term, uint64_t seed)
{
    objectives_world w = { .x = calloc(rows * width + 1, sizeof *w.x) };
    w.matrix = (learn_matrix){ .rows = { .x = w.x, .rows = rows, .width = width },
                               .code = calloc(rows + 1, sizeof *w.matrix.code),
                               .target = calloc(rows + 1, sizeof *w.matrix.target),
                               .bound = ceil(sqrt((double)width) * LEARN_ONE) };
    w.linear = calloc(outputs * width, sizeof *w.linear);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < width; c++)
            w.x[i * width + c] =
                (float)(c + 1 == width ? LEARN_ONE : rint((2 * objectives_unit(&seed) - 1) * LEARN_ONE));
        double lean = (double)w.x[i * width] / LEARN_ONE + objectives_unit(&seed) - 0.5;
        w.matrix.code[i] = outputs > 1 ? (int32_t)(splitmix64(&seed) % outputs) : lean > 0;
        w.matrix.target[i] = (float)rint(fmax(fmin(lean, 1), -1) * LEARN_ONE);
    }
    for (size_t c = 0; c < outputs * width; c++)
        w.linear[c] = rint((2 * objectives_unit(&seed) - 1) * term * 0x1p20) * 0x1p-20;
    w.objective =
        (learn_objective){ .loss = loss, .outputs = outputs, .strength = learn_strength_up(strength) };
    return w;
}

static inline const learn_objective *objectives_open(objectives_world *w)
{
    w->objective.matrix = &w->matrix;
    w->objective.linear = w->linear;
    return &w->objective;
}

static inline void objectives_free(objectives_world *w)
{
    free(w->x);
    free(w->linear);
    free(w->matrix.code);
    free(w->matrix.target);
}

/* Slopes of row i at weights v, outputs of them. */
static inline void objectives_slopes(const learn_objective *o, const long double *v, size_t i,
                                     long double *out)
{
    const size_t d = o->matrix->rows.width, k = o->outputs;
    const float *x = o->matrix->rows.x + i * d;
    long double most = -1e300L, sum = 0;
    for (size_t j = 0; j < k; j++) {
        out[j] = 0;
        for (size_t c = 0; c < d; c++) out[j] += v[j * d + c] * (long double)x[c] / (long double)LEARN_ONE;
        most = fmaxl(most, out[j]);
    }
    if (k > 1) {
        for (size_t j = 0; j < k; j++) sum += out[j] = expl(out[j] - most);
        for (size_t j = 0; j < k; j++) out[j] = out[j] / sum - (o->matrix->code[i] == (int32_t)j);
        return;
    }
    long double h = o->loss.knee, y = o->loss.margin && o->matrix->code[i] != 1 ? -1 : 1, m = y * out[0];
    if (o->loss.kind == LEARN_LOGISTIC)
        out[0] = -y / (1 + expl(m));
    else if (o->loss.kind == LEARN_HUBER_SVM)
        out[0] = -y * fminl(fmaxl((1 + h - m) / (2 * h), 0), 1);
    else
        out[0] = fminl(fmaxl(out[0] - (long double)o->matrix->target[i] / (long double)LEARN_ONE, -h), h);
}

/* The length of the gradient at a point; `out` (cells) may be NULL. */
static inline double objectives_length(const learn_objective *o, const learn_point *point, long double *out)
{
    const size_t d = o->matrix->rows.width, cells = o->outputs * d;
    long double *v = calloc(cells, sizeof *v), *g = calloc(cells, sizeof *g), slopes[16], square = 0;
    for (size_t c = 0; c < cells; c++) {
        for (size_t l = LEARN_LIMBS; l-- > 0;)
            v[c] +=
                ldexpl((long double)point->part[l * cells + c], point->exponent - LEARN_LIMB_BITS * (int)l);
        g[c] = (long double)o->strength * v[c] + (long double)o->linear[c];
    }
    for (size_t i = 0; i < o->matrix->rows.rows; i++) {
        objectives_slopes(o, v, i, slopes);
        for (size_t c = 0; c < cells; c++)
            g[c] += slopes[c / d] * (long double)o->matrix->rows.x[i * d + c % d] / (long double)LEARN_ONE;
    }
    for (size_t c = 0; c < cells; c++) square += g[c] * g[c];
    if (out) memcpy(out, g, cells * sizeof *g);
    free(v);
    free(g);
    return (double)sqrtl(square);
}

#endif
