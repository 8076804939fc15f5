/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients without privacy. */
#include "deep/plain.h"

#include "base/memory.h"

dusk_status deep_plain_open(deep_plain *out, const deep_net *net, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_plain plain = { .parameters = net->parameters };
    *out = (deep_plain){ 0 };
    DUSK_NEW(plain.total, net->parameters);
    DUSK_NEW(plain.one, net->parameters);
    *out = plain;
    plain = (deep_plain){ 0 };
done:
    deep_plain_close(&plain);
    return status;
}

void deep_plain_close(deep_plain *plain)
{
    if (plain->total) dusk_wipe(plain->total, plain->parameters * sizeof *plain->total);
    if (plain->one) dusk_wipe(plain->one, plain->parameters * sizeof *plain->one);
    dusk_deallocate(plain->total);
    dusk_deallocate(plain->one);
    *plain = (deep_plain){ 0 };
}

void deep_plain_reset(deep_plain *plain)
{
    memset(plain->total, 0, plain->parameters * sizeof *plain->total);
}

/* All examples of the pass lie one after the other, and so do their positions. */
static void add_factors(deep_plain *plain, deep_pass *pass, size_t l, const deep_factors *f)
{
    const size_t n = pass->examples * f->positions, step = f->columns + f->constant;
    deep_real *total = plain->total + pass->net->layer[l].first;
    deep_gemm(pass->level, total, step, (deep_view){ f->left, 1, f->left_step },
              (deep_view){ f->right, f->right_step, 1 }, f->rows, f->columns, n, true, &pass->gemm);
    for (size_t t = 0; f->constant && t < n; t++)
        for (size_t r = 0; r < f->rows; r++) total[r * step + f->columns] += f->left[t * f->left_step + r];
}

void deep_plain_add(deep_plain *plain, deep_pass *pass)
{
    for (size_t l = 0; l < pass->net->layers; l++) {
        const deep_layer *layer = &pass->net->layer[l];
        deep_factors f;
        if (layer->parameters == 0) continue;
        if (layer->kind->factors && layer->kind->factors(pass, l, 0, &f)) {
            add_factors(plain, pass, l, &f);
            continue;
        }
        if (layer->kind->add_gradients) {
            layer->kind->add_gradients(pass, l, plain->total + layer->first);
            continue;
        }
        for (size_t i = 0; i < pass->examples; i++) {
            layer->kind->gradient(pass, l, i, plain->one);
            for (size_t j = 0; j < layer->parameters; j++) plain->total[layer->first + j] += plain->one[j];
        }
    }
}

void deep_plain_merge(deep_plain *plain, const deep_plain *other)
{
    for (size_t j = 0; j < plain->parameters; j++) plain->total[j] += other->total[j];
}
