/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds of layers. */
#include "deep/layer.h"
#include "dusk/learn.h"

extern const deep_kind deep_add;
extern const deep_kind deep_attention;
extern const deep_kind deep_avgpool;
extern const deep_kind deep_conv;
extern const deep_kind deep_conv1d;
extern const deep_kind deep_dense;
extern const deep_kind deep_dropout;
extern const deep_kind deep_elu;
extern const deep_kind deep_embedding;
extern const deep_kind deep_flatten;
extern const deep_kind deep_gelu;
extern const deep_kind deep_groupnorm;
extern const deep_kind deep_gru;
extern const deep_kind deep_layernorm;
extern const deep_kind deep_lstm;
extern const deep_kind deep_maxpool;
extern const deep_kind deep_positions_kind;
extern const deep_kind deep_relu;
extern const deep_kind deep_residual;
extern const deep_kind deep_scatter;
extern const deep_kind deep_sigmoid_kind;
extern const deep_kind deep_standard;
extern const deep_kind deep_tanh_kind;
extern const deep_kind deep_tempered;
extern const deep_kind deep_tied;

const deep_kind *const deep_kinds[] = {
    &deep_dense,
    &deep_conv,
    &deep_conv1d,
    &deep_maxpool,
    &deep_avgpool,
    &deep_relu,
    &deep_tanh_kind,
    &deep_sigmoid_kind,
    &deep_tempered,
    &deep_elu,
    &deep_gelu,
    &deep_residual,
    &deep_add,
    &deep_layernorm,
    &deep_groupnorm,
    &deep_dropout,
    &deep_flatten,
    &deep_scatter,
    &deep_embedding,
    &deep_lstm,
    &deep_gru,
    &deep_attention,
    &deep_positions_kind,
    &deep_tied,
    &deep_standard,
    NULL,
};

/* What a text may name besides, and net.c takes apart. */
static const dusk_layer others[] = {
    { "input H [W] [C]",
      "the shape of a row, H x W places of C channels, where it is more than a list; comes first" },
    { "output", "dense, with as many numbers as are needed" },
};

bool dusk_layer_at(dusk_layer *out, size_t i)
{
    const size_t first = sizeof others / sizeof *others;
    if (i < first) {
        *out = others[i];
        return true;
    }
    for (size_t k = 0; deep_kinds[k]; k++)
        if (k == i - first) {
            *out = (dusk_layer){ deep_kinds[k]->form, deep_kinds[k]->help };
            return true;
        }
    return false;
}
