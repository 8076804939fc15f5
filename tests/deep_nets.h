/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DEEP_NETS_H
#define TESTS_DEEP_NETS_H

/* Networks that tests of the room deep run: every kind of layer at least once, in odd shapes. A new kind adds a line or two. */

#include <stdio.h>

#include "base/memory.h"
#include "deep/layer.h"
#include "deep/loss.h"
#include "support.h"

typedef struct tried_net {
    const char *text;
    size_t in, out;
} tried_net;

static const tried_net tried_nets[] = {
    /* dense: one position; few positions; many */
    { "dense 1", 1, 1 },
    { "dense 10", 37, 10 },
    { "dense 9; relu; dense 17; sigmoid; output", 23, 3 },
    { "input 3 1 7; dense 19 each; tanh; dense 5", 21, 5 },
    { "input 3 1 7; dense 19 each", 21, 57 },
    { "input 4 5 2; dense 3 each; elu; dense 2 each; gelu; output", 40, 2 },
    { "tempered; dense 7; tempered scale 2 inverse 1.5 offset 1; dense 4", 6, 4 },
    { "dense 6; residual; tanh; residual; dense 6; add; add; relu; dense 2", 5, 2 },
    /* convolutions: many positions, few (patches are kept), windows partly outside, groups, sequences */
    { "input 9 8; conv 5 3; tanh; output", 72, 3 },
    { "input 10 7 2; conv 4 5 3 stride 2 pad 2; tanh; dense 3", 140, 3 },
    { "input 6 6 3; conv 17 4 stride 2; relu; conv 9 2; dense 2", 108, 2 },
    { "input 11 9 4; conv 6 3 2 stride 3 dilation 2 groups 2 pad 1; elu; conv 4 2 groups 2 same; dense 2",
      396, 2 },
    { "input 5 6 3; conv 6 3 groups 3 same stride 2; conv 3 1; tanh; output", 90, 2 },
    { "input 23 1 3; conv1d 7 5 stride 2 pad 2; tanh; conv1d 4 3 dilation 2 same; conv1d 4 2 groups 4; "
      "output",
      69, 4 },
    /* pools */
    { "input 9 7 3; maxpool 3 2 pad 1; conv 4 2; tanh; maxpool 2 1; dense 3", 189, 3 },
    { "input 7 7 2; conv 5 3 pad 1; relu; maxpool 2; tanh; avgpool 2 1 same; output", 98, 2 },
    { "input 20 1 2; conv1d 6 4; tanh; maxpool 3; avgpool all; output", 40, 3 },
    { "input 6 5 4; avgpool 3 2 pad 1; maxpool all; dense 3", 120, 3 },
    /* norms, dropout, flatten */
    { "input 5 1 37; layernorm; dense 4 each; tanh; layernorm; output", 185, 3 },
    { "input 4 3 6; groupnorm 3; conv 4 2; groupnorm 1; tanh; flatten; layernorm; dense 2", 72, 2 },
    { "input 3 3 4; layernorm fixed; dense 6; groupnorm 3 fixed; output", 36, 2 },
    { "input 4 3 5; standard; dense 4; tanh; standard clip 3; output", 60, 2 },
    { "groupnorm 2; dropout 0.4; dense 9; dropout 0.2; tanh; output", 34, 3 },
    /* waves: sides of all kinds, several channels, three sizes */
    { "input 5 7 2; scatter 1 3; groupnorm 2 fixed; output", 70, 3 },
    { "input 9 4; tanh; scatter 2 5; dense 2", 36, 2 },
    { "input 8 10; scatter 3 2; layernorm; output", 80, 2 },
    /* tokens: numbers near 0, 1 and 2, again and again, and negative ones, which are none */
    { "input 9; embedding 4 5; tanh; dense 3", 9, 3 },
    { "embedding 3 17 pad 1; dense 2 each; relu; output", 12, 3 },
    { "input 7 1 3; lstm 5; dense 2", 21, 2 },
    { "input 2 2 19; lstm 18 last; output", 76, 3 },
    { "input 6; embedding 4 3; lstm 4; lstm 3 last; output", 6, 2 },
    { "input 6 1 2; gru 5; tanh; gru 3 last; output", 12, 3 },
    { "input 2 1 20; gru 17; output", 40, 2 },
    { "input 5 1 6; attention 2; dense 3", 30, 3 },
    { "input 3 1 36; attention 3 causal; tanh; output", 108, 2 },
    { "input 6; embedding 5 4; positions; residual; layernorm; attention 2 causal; add; dense 2", 6, 2 },
    { "input 4 1 5; positions sines; dense 3 each; attention 1; gelu; attention 3 causal; avgpool all; "
      "output",
      20, 3 },
    { "input 3 2 1; embedding 200 6 pad 0; layernorm; avgpool all; dense 4; tanh; output", 6, 2 },
    /* one matrix for two layers */
    { "dense 5; tanh; tied 1; tanh; output", 9, 2 },
    { "input 4 1 3; dense 6 each; tanh; tied 2 each; relu; output", 12, 2 },
    { "input 3; embedding 7 4; lstm 4 last; tied 2", 3, 7 },
    { "input 3; embedding 5 2; dense 4 each; relu; tied 3 each; tied 2 each; tanh; output", 3, 2 },
};
enum { TRIED_NETS = sizeof tried_nets / sizeof *tried_nets };

/* --- nets by chance -------------------------------------------------------------------------------------------------------- */

/* What stands for a layer: small numbers for A to E, the same for the same letter, and for P the place of its first layer among those of the net, for
 * Q that of its second. */
static inline size_t write_chance(char *text, size_t room, const char *form, const unsigned number[5],
                                  size_t place)
{
    size_t n = 0;
    for (; *form; form++)
        if (*form >= 'A' && *form <= 'E')
            n += (size_t)snprintf(text + n, room - n, "%u", number[*form - 'A']);
        else if (*form == 'P' || *form == 'Q')
            n += (size_t)snprintf(text + n, room - n, "%zu", place + (*form == 'Q'));
        else
            n += (size_t)snprintf(text + n, room - n, "%c", *form);
    return n;
}

/* Layers in a text, where each ends with a semicolon. */
static inline size_t places_in(const char *text)
{
    size_t n = 0;
    while ((text = strchr(text, ';'))) n++, text++;
    return n;
}

/* A text of a few layers of any kind below, with small numbers; it is for the caller to see whether it is one that fits. */
static inline tried_net chance_net(uint64_t *coins, char *text, size_t room)
{
    static const char *const layers[] = {
        "conv A B",
        "conv A B C stride D pad E",
        "conv A B dilation C",
        "conv A B same groups C",
        "conv A B stride C same",
        "dense 4 each; conv 6 A B dilation C groups 2 stride D pad E",
        "conv1d A B stride C",
        "conv1d A B same",
        "conv1d A B groups C pad D",
        "dense D each; conv1d D A dilation B groups D same",
        "maxpool A B",
        "maxpool A B pad C",
        "avgpool A same",
        "avgpool A B pad C",
        "dense A each",
        "tanh",
        "sigmoid",
        "relu",
        "elu",
        "gelu",
        "tempered",
        "layernorm",
        "groupnorm A",
        "dropout 0.A",
        "flatten; embedding A B",
        "lstm A",
        "lstm A last",
        "gru A",
        "gru A last",
        "attention A",
        "attention A causal",
        "positions",
        "positions sines",
        /* blocks that keep their shape, one within another, and where all that is learned is within */
        "dense A each; residual; dense B each; tanh; dense A each; add",
        "conv A B; residual; conv A C same; elu; residual; tanh; conv A B same dilation C; add; add",
        "residual; layernorm; tanh; add",
        /* one matrix for several layers, with what is between them */
        "dense A each; tanh; tied P each",
        "dense A; elu; tied P; dense A; tied P; tanh",
        "flatten; embedding A B; gelu; dense C each; tanh; dense B each; residual; tanh; add; tied Q each",
    };
    /* what comes before all layers with parameters */
    static const char *const fronts[] = { "scatter A B; ", "scatter A B; groupnorm A fixed; ",
                                          "tanh; scatter A B; layernorm; " };
    const unsigned height = 1 + (unsigned)(splitmix64(coins) % 9),
                   channels = 1 + (unsigned)(splitmix64(coins) % 4);
    const unsigned width = splitmix64(coins) % 4 ? 1 + (unsigned)(splitmix64(coins) % 9) : 1;
    unsigned number[5];
    size_t n = (size_t)snprintf(text, room, "input %u %u %u; ", height, width, channels);
    for (uint64_t k = splitmix64(coins) % 5 + 1, first = k; k-- > 0;) {
        const bool front = k + 1 == first && splitmix64(coins) % 8 == 0;
        const char *form = front ? fronts[splitmix64(coins) % (sizeof fronts / sizeof *fronts)]
                                 : layers[splitmix64(coins) % (sizeof layers / sizeof *layers)];
        for (size_t j = 0; j < 5; j++) number[j] = 1 + (unsigned)(splitmix64(coins) % 4);
        n += write_chance(text + n, room - n, form, number, places_in(text) + 1);
        if (!front) n += (size_t)snprintf(text + n, room - n, "; ");
    }
    snprintf(text + n, room - n, "output");
    return (tried_net){ text, (size_t)height * width * channels, 1 + splitmix64(coins) % 3 };
}

static inline bool fits(const tried_net *tried)
{
    deep_net net;
    const bool good = deep_net_parse(&net, tried->text, tried->in, tried->out, NULL) == DUSK_OK;
    deep_net_clear(&net);
    return good;
}

/* --- a net, its parameters, and a pass ----------------------------------------------------------------------------------- */

typedef struct tried_pass {
    deep_net net;
    deep_pass pass;
    deep_real *parameters;
    uint64_t coins;
} tried_pass;

/* In [-1, 1). */
static inline double tried_number(uint64_t *coins) { return (double)(splitmix64(coins) >> 11) * 0x1p-52 - 1; }

static inline void open_tried(tried_pass *t, const tried_net *tried, size_t room, uint64_t seed)
{
    dusk_error err = { 0 };
    t->coins = seed;
    if (deep_net_parse(&t->net, tried->text, tried->in, tried->out, &err) != DUSK_OK)
        fail_msg("%s: %s", tried->text, err.message);
    assert_int_equal(deep_pass_open(&t->pass, &t->net, room, NULL), DUSK_OK);
    t->parameters = dusk_allocate(t->net.parameters, sizeof *t->parameters);
    for (size_t j = 0; j < t->net.parameters; j++)
        t->parameters[j] = (deep_real)(0.7 * tried_number(&t->coins));
    t->pass.parameters = t->parameters;
}

static inline void close_tried(tried_pass *t)
{
    deep_pass_close(&t->pass);
    deep_net_clear(&t->net);
    dusk_deallocate(t->parameters);
}

static inline void random_numbers(uint64_t *coins, deep_real *x, size_t n, double scale)
{
    for (size_t j = 0; j < n; j++) x[j] = (deep_real)(scale * tried_number(coins));
}

/* All the way back, also where training would stop. */
static inline void back_to_input(deep_pass *pass)
{
    for (size_t l = pass->net->layers; l-- > 0 && pass->net->layer[l].kind->backward;)
        pass->net->layer[l].kind->backward(pass, l);
}
static inline bool goes_back(const deep_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        if (!net->layer[l].kind->backward) return false;
    return true;
}

static inline size_t tried_size(const deep_net *net, size_t l)
{
    return deep_size(l < net->layers ? net->layer[l].in : net->out);
}

#endif
