/* SPDX-License-Identifier: Apache-2.0 */
/* Models to begin with; see start.h. */
#include "deep/start.h"

#include <string.h>

#include "base/memory.h"
#include "deep/net_learner.h"
#include "dusk/learn.h"

void deep_start_clear(deep_start *start)
{
    dusk_deallocate(start->parameters);
    *start = (deep_start){ .count = 0 };
}

static bool same_shape(deep_shape a, deep_shape b)
{
    return a.height == b.height && a.width == b.width && a.channels == b.channels;
}

static bool is_same(const deep_layer *a, const deep_layer *b)
{
    return a->kind == b->kind && same_shape(a->in, b->in) && same_shape(a->out, b->out) &&
           a->parameters == b->parameters && !memcmp(a->size, b->size, sizeof a->size) &&
           a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

/* Parameters lie layer after layer. */
static void count_same(deep_start *out, const deep_net *net, const deep_net *other, size_t most)
{
    size_t l = 0;
    while (l < most && l < net->layers && l < other->layers && is_same(&net->layer[l], &other->layer[l]))
        out->count += net->layer[l++].parameters;
    out->layers = l;
}

dusk_status deep_start_read(deep_start *out, const deep_net *net, const char *path, size_t most,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_start start = { .count = 0 };
    dusk_model *model = NULL;
    deep_net other = { .layers = 0 };
    size_t rows, columns;
    *out = start;
    DUSK_TRY(dusk_model_read(&model, path, err));
    if (!deep_complete(model))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give a model that dusk train net wrote",
                           "%s is no network", path));
    DUSK_TRY(deep_net_parse(&other, learn_model_value(model, "net"), model->features.width,
                            deep_outputs(model), err));
    start.plain = dusk_statement_is_none(dusk_model_statement(model));
    count_same(&start, net, &other, most);
    if (start.count == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "begin the network with the same layers, and columns",
                           "the network of %s has no first layers in common with this one", path));
    const double *values = dusk_model_array(model, "parameters", &rows, &columns);
    DUSK_NEW(start.parameters, start.count);
    for (size_t j = 0; j < start.count; j++) start.parameters[j] = (float)values[j];
    *out = start;
    start = (deep_start){ .count = 0 };
done:
    deep_start_clear(&start);
    deep_net_clear(&other);
    dusk_model_free(model);
    return status;
}
