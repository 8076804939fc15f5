/* SPDX-License-Identifier: Apache-2.0 */
/* Directions by public gradients, and coordinates of private ones; see subspace.h. */
#include "deep/subspace.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

enum { BLOCK = DEEP_COORDINATES_BLOCK, ROWS_LEAST = 64, ROWS_MOST = 2048 };

/* --- directions --------------------------------------------------------------------------------------------------------- */

size_t deep_subspace_rows(size_t directions, size_t rows)
{
    size_t n = 2 * directions < ROWS_LEAST ? ROWS_LEAST : 2 * directions;
    if (n > ROWS_MOST) n = ROWS_MOST;
    return n < rows ? n : rows;
}

dusk_status deep_subspace_open(deep_subspace *out, const deep_net *net, size_t directions, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_subspace s = { .numbers = net->parameters, .directions = directions };
    *out = (deep_subspace){ .numbers = 0 };
    DUSK_NEW(s.direction, s.numbers * directions);
    *out = s;
done:
    return status;
}

void deep_subspace_close(deep_subspace *s)
{
    dusk_deallocate(s->direction);
    *s = (deep_subspace){ .numbers = 0 };
}

/* The gradient of example i by all parameters. */
static void gradient_of(deep_pass *pass, size_t i, deep_real *out)
{
    for (size_t l = 0; l < pass->net->layers; l++)
        if (pass->net->layer[l].parameters > 0) deep_gradient(pass, l, i, out + pass->net->layer[l].first);
}

/* To length 1; zeros where it is no number, or 0. */
static void normalise(deep_real *x, size_t n)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) square += (double)x[j] * (double)x[j];
    const bool fits = square > 1e-60 && square < 1e60;
    const deep_real scale = fits ? (deep_real)(1 / sqrt(square)) : 0;
    for (size_t j = 0; j < n; j++) x[j] = fits ? x[j] * scale : 0;
}

/* A label by chance, whatever it is. */
typedef struct label {
    int32_t code;
    deep_real *number;
    int8_t *mark;
} label;

static dusk_status draw_label(label *out, size_t outputs, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(deep_uniform(out->number, outputs, 1, gen, err));
    const double place = (0.5 + 0.5 * (double)out->number[0]) * (double)outputs;
    out->code = place < (double)outputs ? (int32_t)place : 0;
    for (size_t j = 0; j < outputs; j++) out->mark[j] = out->number[j] > 0;
done:
    return status;
}

/* Gradients of some public rows, of length 1, one below the other. */
static dusk_status public_gradients(deep_real *out, deep_pass *pass, deep_loss loss, const deep_rows *rows,
                                    size_t count, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = pass->net->parameters, outputs = deep_size(pass->net->out);
    label chance = { .code = 0 };
    DUSK_NEW(chance.number, outputs);
    DUSK_NEW(chance.mark, outputs);
    pass->examples = 1;
    for (size_t i = 0; i < count; i++) {
        const deep_wanted wanted = { &chance.code, chance.number, chance.mark };
        DUSK_TRY(draw_label(&chance, outputs, gen, err));
        deep_rows_take(rows, rows->rows / count * i, pass->value[0]);
        deep_forward(pass);
        deep_loss_slopes(loss, pass, &wanted);
        deep_backward(pass);
        gradient_of(pass, 0, out + i * n);
        normalise(out + i * n, n);
    }
done:
    dusk_deallocate(chance.number);
    dusk_deallocate(chance.mark);
    return status;
}

/* Rows of weights: eigenvectors of products of gradients, those of the largest values first, so that weights times gradients have length 1; zeros where there is none. */
static void weigh(const double *vectors, const double *values, size_t count, size_t directions,
                  deep_real *out)
{
    for (size_t k = 0; k < directions; k++) {
        const size_t at = count - 1 - k; /* values rise */
        const bool any = k < count && values[at] > 1e-6 * values[count - 1] && values[at] > 0;
        for (size_t i = 0; i < count; i++)
            out[k * count + i] = any ? (deep_real)(vectors[i * count + at] / sqrt(values[at])) : 0;
    }
}

dusk_status deep_subspace_find(deep_subspace *s, const deep_net *net, deep_loss loss,
                               const deep_real *parameters, const deep_rows *rows, dusk_generator *gen,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t count = deep_subspace_rows(s->directions, rows->rows), n = s->numbers;
    deep_pass pass = { .net = NULL };
    deep_real *gradient = NULL, *product = NULL, *weight = NULL;
    double *square = NULL, *values = NULL;
    DUSK_TRY(deep_pass_open(&pass, net, 1, err));
    DUSK_NEW(gradient, count * n);
    DUSK_NEW(product, count * count);
    DUSK_NEW(square, count * count);
    DUSK_NEW(values, count);
    DUSK_NEW(weight, count * s->directions);
    pass.parameters = parameters;
    DUSK_TRY(public_gradients(gradient, &pass, loss, rows, count, gen, err));
    deep_gemm(pass.level, product, count, (deep_view){ gradient, n, 1 }, (deep_view){ gradient, 1, n }, count,
              count, n, false, &pass.gemm);
    for (size_t i = 0; i < count * count; i++) square[i] = (double)product[i];
    const lapack_int failed =
        LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)count, square, (int)count, values);
    if (failed == LAPACK_WORK_MEMORY_ERROR || failed == LAPACK_TRANSPOSE_MEMORY_ERROR)
        DUSK_TRY(dusk_fail_memory(err));
    if (failed == 0)
        weigh(square, values, count, s->directions, weight); /* else: no directions, and steps stand still */
    deep_gemm(pass.level, s->direction, n, (deep_view){ weight, count, 1 }, (deep_view){ gradient, n, 1 },
              s->directions, n, count, false, &pass.gemm);
done:
    deep_pass_close(&pass);
    dusk_deallocate(gradient);
    dusk_deallocate(product);
    dusk_deallocate(square);
    dusk_deallocate(values);
    dusk_deallocate(weight);
    return status;
}

double deep_subspace_bytes(const deep_net *net, size_t directions, size_t rows)
{
    const double count = (double)deep_subspace_rows(directions, rows), outputs = (double)deep_size(net->out);
    const double reals = count * ((double)net->parameters + count + (double)directions);
    /* products in doubles; LAPACK has them once more, and twice to work with */
    const double doubles = 4 * count * count + 8 * count + 16;
    return deep_pass_bytes(net, 1) + sizeof(deep_real) * (reals + outputs) + sizeof(double) * doubles +
           sizeof(int64_t) * (5 * count + 16) + outputs;
}

void deep_subspace_expand(const deep_subspace *s, const float *coordinates, float *out)
{
    memset(out, 0, s->numbers * sizeof *out);
    for (size_t k = 0; k < s->directions; k++) {
        const deep_real *direction = s->direction + k * s->numbers;
        for (size_t j = 0; j < s->numbers; j++) out[j] += coordinates[k] * (float)direction[j];
    }
}

void deep_subspace_take(const deep_subspace *s, const deep_real *gradient, float *out)
{
    for (size_t k = 0; k < s->directions; k++) {
        const deep_real *direction = s->direction + k * s->numbers;
        double sum = 0;
        for (size_t j = 0; j < s->numbers; j++) sum += (double)direction[j] * (double)gradient[j];
        out[k] = (float)sum;
    }
}

/* --- coordinates of examples ---------------------------------------------------------------------------------------------- */

static void copy_coordinates(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const size_t k = pass->net->layer[l].parameters;
    memcpy(out, pass->value[0] + i * k, k * sizeof *out);
}

static const deep_kind coordinates_kind = { .name = "coordinates", .gradient = copy_coordinates };

dusk_status deep_coordinates_open(deep_coordinates *out, const deep_subspace *s, const deep_pass *pass,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_shape shape = { 1, 1, s->directions };
    *out = (deep_coordinates){ .subspace = s };
    out->layer = (deep_layer){ .kind = &coordinates_kind, .in = shape, .out = shape };
    out->layer.parameters = s->directions;
    out->net = (deep_net){ .layer = &out->layer, .layers = 1, .in = shape, .out = shape };
    out->net.parameters = s->directions;
    DUSK_NEW(out->gradient, BLOCK * s->numbers);
    DUSK_TRY(deep_pass_open(&out->pass, &out->net, pass->room, err));
done:
    return status;
}

void deep_coordinates_close(deep_coordinates *c)
{
    if (c->gradient) dusk_wipe(c->gradient, BLOCK * c->subspace->numbers * sizeof *c->gradient);
    dusk_deallocate(c->gradient);
    deep_pass_close(&c->pass);
    *c = (deep_coordinates){ .subspace = NULL };
}

DUSK_PROVEN(deep_coordinates_make)
void deep_coordinates_make(deep_coordinates *c, deep_pass *pass)
{
    const deep_subspace *s = c->subspace;
    c->pass.examples = pass->examples;
    for (size_t first = 0, n; first < pass->examples; first += n) {
        n = pass->examples - first < BLOCK ? pass->examples - first : BLOCK;
        for (size_t i = 0; i < n; i++) gradient_of(pass, first + i, c->gradient + i * s->numbers);
        /* a planted bug: the first example of a block has a share of all */
        for (size_t i = 1; DUSK_MUTATE(DEEP_COORDINATES_MIX, false, true) && i < n; i++)
            for (size_t j = 0; j < s->numbers; j++) c->gradient[j] += c->gradient[i * s->numbers + j];
        deep_gemm(pass->level, c->pass.value[0] + first * s->directions, s->directions,
                  (deep_view){ c->gradient, s->numbers, 1 }, (deep_view){ s->direction, 1, s->numbers }, n,
                  s->directions, s->numbers, false, &pass->gemm);
    }
}
