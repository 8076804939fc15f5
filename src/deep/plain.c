/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients without privacy. */
#include "deep/plain.h"

#include "base/memory.h"

/* Numbers of the gradient of one example that are made at a time. */
static size_t most_of(const deep_net *net)
{
    size_t most = 0;
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *layer = &net->layer[l];
        const size_t n = layer->kind->rows && !layer->shared ? deep_size(layer->out) : layer->parameters;
        if (n > most) most = n;
    }
    return most;
}

static size_t positions_of(const deep_net *net)
{
    size_t most = 1;
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].kind->rows && deep_size(net->layer[l].in) > most)
            most = deep_size(net->layer[l].in);
    return most;
}

dusk_status deep_plain_open(deep_plain *out, const deep_net *net, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plain plain = { .parameters = net->parameters,
                         .most = most_of(net),
                         .positions = positions_of(net) };
    *out = (deep_plain){ 0 };
    DUSK_NEW(plain.total, net->parameters);
    DUSK_NEW(plain.one, plain.most);
    DUSK_NEW(plain.row, plain.positions);
    *out = plain;
    plain = (deep_plain){ 0 };
done:
    deep_plain_close(&plain);
    return status;
}

void deep_plain_close(deep_plain *plain)
{
    if (plain->total) dusk_wipe(plain->total, plain->parameters * sizeof *plain->total);
    if (plain->one) dusk_wipe(plain->one, plain->most * sizeof *plain->one);
    if (plain->row) dusk_wipe(plain->row, plain->positions * sizeof *plain->row);
    dusk_deallocate(plain->row);
    dusk_deallocate(plain->total);
    dusk_deallocate(plain->one);
    *plain = (deep_plain){ 0 };
}

void deep_plain_reset(deep_plain *plain)
{
    memset(plain->total, 0, plain->parameters * sizeof *plain->total);
}

/* `n` positions, of one example or of several that lie one after the other. */
static void add_product(deep_pass *pass, const deep_factors *f, size_t n, deep_real *total)
{
    const size_t step = f->columns + f->constant;
    deep_gemm(pass->level, total, step, (deep_view){ f->left, 1, f->left_step },
              (deep_view){ f->right, f->right_step, 1 }, f->rows, f->columns, n, true, &pass->gemm);
    for (size_t t = 0; f->constant && t < n; t++)
        for (size_t r = 0; r < f->rows; r++) total[r * step + f->columns] += f->left[t * f->left_step + r];
}

static void add_factors(deep_pass *pass, size_t l, deep_real *total)
{
    const deep_kind *kind = pass->net->layer[l].kind;
    deep_factors f[DEEP_PAIRS], next[DEEP_PAIRS];
    const size_t pairs = kind->factors(pass, l, 0, f);
    if (pass->examples > 1) (void)kind->factors(pass, l, 1, next);
    for (size_t k = 0; k < pairs; k++) {
        const size_t n = f[k].positions;
        const bool in_line = pass->examples == 1 || (next[k].left == f[k].left + n * f[k].left_step &&
                                                     next[k].right == f[k].right + n * f[k].right_step);
        if (in_line) add_product(pass, &f[k], pass->examples * n, total + f[k].first);
        for (size_t i = 0; !in_line && i < pass->examples; i++) {
            (void)kind->factors(pass, l, i, next);
            add_product(pass, &next[k], n, total + f[k].first);
        }
    }
}

static void add_rows(deep_plain *plain, deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t width = layer->out.channels;
    for (size_t i = 0; i < pass->examples; i++) {
        const size_t count = layer->kind->rows(pass, l, i, plain->row, plain->one);
        for (size_t k = 0; k < count; k++) {
            deep_real *to = plain->total + layer->first + plain->row[k] * width;
            for (size_t c = 0; c < width; c++) to[c] += plain->one[k * width + c];
        }
    }
}

static void add_each(deep_plain *plain, deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    for (size_t i = 0; i < pass->examples; i++) {
        deep_gradient(pass, l, i, plain->one);
        for (size_t j = 0; j < layer->parameters; j++) plain->total[layer->first + j] += plain->one[j];
    }
}

void deep_plain_add(deep_plain *plain, deep_pass *pass)
{
    for (size_t l = 0; l < pass->net->layers; l++) {
        const deep_layer *layer = &pass->net->layer[l];
        deep_factors f[DEEP_PAIRS];
        if (layer->parameters == 0) continue;
        if (layer->shared) {
            add_each(plain, pass, l);
            continue;
        }
        if (layer->kind->factors && layer->kind->factors(pass, l, 0, f) > 0) {
            add_factors(pass, l, plain->total + layer->first);
            continue;
        }
        if (layer->kind->rows) {
            add_rows(plain, pass, l);
            continue;
        }
        if (layer->kind->add_gradients) {
            layer->kind->add_gradients(pass, l, plain->total + layer->first);
            continue;
        }
        add_each(plain, pass, l);
    }
}

void deep_plain_merge(deep_plain *plain, const deep_plain *other)
{
    for (size_t j = 0; j < plain->parameters; j++) plain->total[j] += other->total[j];
}
