/* SPDX-License-Identifier: Apache-2.0 */
/* Examples through all layers, there and back. */
#include "base/memory.h"
#include "deep/layer.h"
#include "tensor/lanes.h"

static size_t scratch_size(const deep_net *net)
{
    size_t most = 0;
    for (size_t l = 0; l < net->layers; l++) {
        const deep_kind *kind = net->layer[l].kind;
        const size_t size = kind->scratch ? kind->scratch(&net->layer[l]) : 0;
        if (size > most) most = size;
    }
    return most;
}

static size_t value_size(const deep_net *net, size_t l)
{
    return deep_size(l < net->layers ? net->layer[l].in : net->out);
}

size_t deep_pass_room(const deep_net *net, size_t most)
{
    size_t each = deep_size(net->out);
    for (size_t l = 0; l < net->layers; l++) each += deep_size(net->layer[l].in) + net->layer[l].kept;
    const size_t room = ((size_t)1 << 22) / each;
    return room > most ? most : room < 1 ? 1 : room;
}

static void wipe(deep_real *x, size_t n)
{
    if (x) dusk_wipe(x, n * sizeof *x);
    dusk_deallocate(x);
}

void deep_pass_close(deep_pass *pass)
{
    const deep_net *net = pass->net;
    for (size_t l = 0; net && l <= net->layers; l++) {
        if (pass->value) wipe(pass->value[l], pass->room * value_size(net, l));
        if (pass->slope) wipe(pass->slope[l], pass->room * value_size(net, l));
        if (pass->table) dusk_deallocate(pass->table[l]);
        if (pass->kept && l < net->layers) wipe(pass->kept[l], pass->room * net->layer[l].kept);
    }
    dusk_deallocate(pass->value);
    dusk_deallocate(pass->slope);
    dusk_deallocate(pass->kept);
    dusk_deallocate(pass->table);
    if (net) wipe(pass->scratch, scratch_size(net));
    tensor_gemm_close(&pass->gemm);
    *pass = (deep_pass){ 0 };
}

static dusk_status make_tables(deep_pass *pass, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t l = 0; l < pass->net->layers; l++) {
        const deep_layer *layer = &pass->net->layer[l];
        const size_t n = layer->kind->table ? layer->kind->table(layer) : 0;
        if (n == 0) continue;
        DUSK_NEW(pass->table[l], n);
        layer->kind->prepare(layer, pass->table[l]);
    }
done:
    return status;
}

dusk_status deep_pass_open(deep_pass *out, const deep_net *net, size_t room, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_pass pass = { .net = net, .room = room, .level = tensor_lanes_level() };
    *out = (deep_pass){ 0 };
    DUSK_NEW(pass.value, net->layers + 1);
    DUSK_NEW(pass.slope, net->layers + 1);
    DUSK_NEW(pass.kept, net->layers + 1);
    DUSK_NEW(pass.table, net->layers + 1);
    DUSK_TRY(make_tables(&pass, err));
    for (size_t l = 0; l <= net->layers; l++) {
        DUSK_NEW(pass.value[l], room * value_size(net, l));
        DUSK_NEW(pass.slope[l], room * value_size(net, l));
        if (l < net->layers && net->layer[l].kept > 0) DUSK_NEW(pass.kept[l], room * net->layer[l].kept);
    }
    if (scratch_size(net) > 0) DUSK_NEW(pass.scratch, scratch_size(net));
    DUSK_TRY(tensor_gemm_open(&pass.gemm, err));
    *out = pass;
    pass = (deep_pass){ 0 };
done:
    deep_pass_close(&pass);
    return status;
}

double deep_pass_bytes(const deep_net *net, size_t room)
{
    double each = 0, fixed = (double)scratch_size(net) + 8 * ((double)net->layers + 1);
    for (size_t l = 0; l <= net->layers; l++) {
        const deep_layer *layer = l < net->layers ? &net->layer[l] : NULL;
        each += 2 * (double)value_size(net, l) + (layer ? (double)layer->kept : 0);
        if (layer && layer->kind->table) fixed += (double)layer->kind->table(layer);
    }
    return (double)sizeof(deep_real) * (fixed + (double)room * each) + (double)tensor_gemm_bytes();
}

void deep_forward(deep_pass *pass)
{
    for (size_t l = 0; l < pass->net->layers; l++) pass->net->layer[l].kind->forward(pass, l);
}

/* The first layer with parameters; nothing before it needs a slope. */
static size_t first_learned(const deep_net *net)
{
    size_t l = 0;
    while (l < net->layers && net->layer[l].parameters == 0) l++;
    return l;
}

void deep_backward(deep_pass *pass)
{
    const size_t stop = first_learned(pass->net);
    for (size_t l = pass->net->layers; l-- > stop;)
        if (l > stop || pass->net->layer[l].kind->inner) pass->net->layer[l].kind->backward(pass, l);
}

void deep_gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_net *net = pass->net;
    if (pass->given) {
        memcpy(out, pass->given + i * net->parameters + net->layer[l].first,
               net->layer[l].parameters * sizeof *out);
        return;
    }
    net->layer[l].kind->gradient(pass, l, i, out);
    for (size_t k = l + 1; net->layer[l].shared && k < net->layers; k++)
        if (net->layer[k].kind->share && net->layer[k].partner == l)
            net->layer[k].kind->share(pass, k, i, out);
}
