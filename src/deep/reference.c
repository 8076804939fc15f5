/* SPDX-License-Identifier: Apache-2.0 */
/* One example through all layers, by the book; see reference.h. */
#include "deep/reference.h"

#include <string.h>

#include "base/memory.h"
#include "deep/layer.h"

static const deep_reference_kind *const tables[] = {
    deep_reference_plain,   deep_reference_pictures,  deep_reference_norms,
    deep_reference_scatter, deep_reference_sequences, deep_reference_attention,
};

static const deep_reference_kind *kind_of(const deep_reference *r, size_t l)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const deep_reference_kind *kind = tables[t]; kind->name; kind++)
            if (!strcmp(kind->name, r->net->layer[l].kind->name)) return kind;
    return NULL;
}

static size_t size_of(const deep_net *net, size_t l)
{
    return deep_size(l < net->layers ? net->layer[l].in : net->out);
}

/* What sequences ask for: tables of place by place, and a few numbers for each number that comes in or out of a place. */
static size_t work_size(const deep_net *net)
{
    size_t most = 1;
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *layer = &net->layer[l];
        const size_t n = deep_positions(layer->in), wide = layer->in.channels + layer->out.channels;
        if (n * n + 12 * (n + 1) * wide > most) most = n * n + 12 * (n + 1) * wide;
    }
    return most;
}

void deep_reference_close(deep_reference *r)
{
    for (size_t l = 0; r->net && l <= r->net->layers; l++) {
        if (r->value) dusk_deallocate(r->value[l]);
        if (r->slope) dusk_deallocate(r->slope[l]);
    }
    dusk_deallocate(r->value);
    dusk_deallocate(r->slope);
    dusk_deallocate(r->gradient);
    dusk_deallocate(r->work);
    *r = (deep_reference){ 0 };
}

dusk_status deep_reference_open(deep_reference *out, const deep_net *net, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_reference r = { .net = net };
    *out = (deep_reference){ 0 };
    DUSK_NEW(r.value, net->layers + 1);
    DUSK_NEW(r.slope, net->layers + 1);
    DUSK_NEW(r.gradient, net->parameters);
    DUSK_NEW(r.work, work_size(net));
    for (size_t l = 0; l <= net->layers; l++) {
        DUSK_NEW(r.value[l], size_of(net, l));
        DUSK_NEW(r.slope[l], size_of(net, l));
    }
    *out = r;
    r = (deep_reference){ 0 };
done:
    deep_reference_close(&r);
    return status;
}

bool deep_reference_forward(deep_reference *r)
{
    for (size_t l = 0; l < r->net->layers; l++) {
        const deep_reference_kind *kind = kind_of(r, l);
        if (!kind) return false;
        kind->forward(r, l);
    }
    return true;
}

void deep_reference_backward(deep_reference *r)
{
    memset(r->gradient, 0, r->net->parameters * sizeof *r->gradient);
    for (size_t l = 0; l < r->net->layers; l++) memset(r->slope[l], 0, size_of(r->net, l) * sizeof(double));
    for (size_t l = r->net->layers; l-- > 0;) {
        const deep_reference_kind *kind = kind_of(r, l);
        if (kind) kind->backward(r, l);
    }
}
