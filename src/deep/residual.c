/* SPDX-License-Identifier: Apache-2.0 */
/* Residual blocks: residual; ...; add. What went in at the first is added to what comes out of the layers between [He et al. 2016].
 * Blocks may lie within blocks. */
#include <string.h>

#include "deep/layer.h"

static void shape(deep_layer *layer, deep_words *words)
{
    (void)layer;
    (void)words;
}

static size_t count(const deep_pass *pass, size_t l)
{
    return pass->examples * deep_size(pass->net->layer[l].out);
}

static void pass_on(deep_pass *pass, size_t l)
{
    memcpy(pass->value[l + 1], pass->value[l], count(pass, l) * sizeof(deep_real));
}

static void join(deep_pass *pass, size_t l)
{
    const deep_real *before = pass->value[pass->net->layer[l].partner], *from = pass->value[l];
    deep_real *to = pass->value[l + 1];
    for (size_t i = 0, n = count(pass, l); i < n; i++) to[i] = from[i] + before[i];
}

static void part(deep_pass *pass, size_t l)
{
    const deep_real *around = pass->slope[pass->net->layer[l].partner + 1], *above = pass->slope[l + 1];
    deep_real *below = pass->slope[l];
    for (size_t i = 0, n = count(pass, l); i < n; i++) below[i] = above[i] + around[i];
}

static void hand_down(deep_pass *pass, size_t l)
{
    memcpy(pass->slope[l], pass->slope[l + 1], count(pass, l) * sizeof(deep_real));
}

const deep_kind deep_residual = { .name = "residual",
                                  .form = "residual; ...; add",
                                  .help = "what comes here is added to what comes out at add",
                                  .shape = shape,
                                  .forward = pass_on,
                                  .backward = part };
const deep_kind deep_add = { .name = "add",
                             .form = "add",
                             .help = "the end of a residual block; shapes at both ends are the same",
                             .shape = shape,
                             .forward = join,
                             .backward = hand_down };

dusk_status deep_pair_up(deep_net *net, dusk_error *err)
{
    size_t open = 0;
    for (size_t l = 0; l < net->layers; l++) {
        if (net->layer[l].kind == &deep_residual) {
            net->layer[l].partner = open; /* one more than the block around it, until its end is found */
            open = l + 1;
        } else if (net->layer[l].kind == &deep_add) {
            if (open == 0)
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "begin the block with residual",
                                 "layer %zu: add without residual", l + 1);
            deep_layer *first = &net->layer[open - 1];
            if (memcmp(&first->in, &net->layer[l].in, sizeof first->in) != 0)
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "keep the shape within the block",
                                 "layers %zu to %zu change the shape, and cannot be added to what came in",
                                 open, l + 1);
            net->layer[l].partner = open - 1;
            open = first->partner;
            first->partner = l;
        }
    }
    if (open == 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "end the block with add", "layer %zu: residual without add",
                     open);
}
