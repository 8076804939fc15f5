/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of an example brought to mean 0 and variance 1, then scaled and moved by a gain and an offset of their channel: layernorm, each
 * position by itself [Ba et al. 2016]; groupnorm, groups of channels over all positions [Wu & He 2018]. Statistics are of the example
 * alone, in training as after it. Fixed ones have
 * gains of 1, offsets of 0 and no parameters. There is no norm over a batch: it would make every example depend on the others. */
#include "deep/layer.h"

#define LEAST ((deep_real)1e-5) /* is added to variances */

/* Numbers that are brought to mean 0 together: `positions` times `channels` side by side. */
enum { SETS, POSITIONS, CHANNELS, APART, CHANNELS_APART, FIXED };

static void set_sizes(deep_layer *layer, size_t sets, size_t positions, size_t channels, bool each,
                      bool fixed)
{
    layer->size[SETS] = sets;
    layer->size[POSITIONS] = positions;
    layer->size[CHANNELS] = channels;
    layer->size[APART] = channels;
    layer->size[CHANNELS_APART] = each ? 0 : channels;
    layer->size[FIXED] = fixed;
    layer->parameters = fixed ? 0 : 2 * layer->in.channels; /* gains, then offsets */
    layer->kept = 2 * sets;
}

static void shape_layer(deep_layer *layer, deep_words *words)
{
    set_sizes(layer, deep_positions(layer->in), 1, layer->in.channels, true, deep_flag(words, "fixed"));
    if (layer->in.channels < 2) deep_refuse(words, "one channel would be 0 at every place");
}

static void shape_group(deep_layer *layer, deep_words *words)
{
    const size_t groups = deep_take(words, "how many groups", 1, layer->in.channels);
    if (layer->in.channels % groups != 0)
        deep_refuse(words, "%zu groups do not divide %zu channels", groups, layer->in.channels);
    set_sizes(layer, groups, deep_positions(layer->in), layer->in.channels / groups, false,
              deep_flag(words, "fixed"));
    if (deep_size(layer->in) == groups) deep_refuse(words, "groups of one number would be 0");
}

/* Gains of 1 and offsets of 0. */
static void prepare(const deep_layer *layer, deep_real *out)
{
    for (size_t c = 0; c < layer->in.channels; c++) {
        out[c] = 1;
        out[layer->in.channels + c] = 0;
    }
}

static size_t table(const deep_layer *layer) { return layer->size[FIXED] ? 2 * layer->in.channels : 0; }

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    (void)uniform, (void)coins;
    if (!layer->size[FIXED]) prepare(layer, parameters);
}

/* --- one set of numbers ------------------------------------------------------------------------------------------------- */

enum { LANES = 16 };

/* In an order that depends on n alone. */
static inline deep_real sum_lanes(const deep_real *lane)
{
    deep_real sum = 0;
    for (size_t j = 0; j < LANES; j++) sum += lane[j];
    return sum;
}

/* Sums over j of f(j), position after position, channel c into lane c % LANES. */
#define SUM(result, f)                                                                                       \
    do {                                                                                                     \
        deep_real lane[LANES] = { 0 };                                                                       \
        for (size_t t = 0; t < s->positions; t++) {                                                          \
            const size_t at = t * s->step;                                                                   \
            size_t c = 0;                                                                                    \
            for (; c + LANES <= s->channels; c += LANES)                                                     \
                for (size_t k = 0; k < LANES; k++) {                                                         \
                    const size_t j = at + c + k, p = c + k;                                                  \
                    (void)p;                                                                                 \
                    lane[k] += (f);                                                                          \
                }                                                                                            \
            for (size_t k = 0; c + k < s->channels; k++) {                                                   \
                const size_t j = at + c + k, p = c + k;                                                      \
                (void)p;                                                                                     \
                lane[k] += (f);                                                                              \
            }                                                                                                \
        }                                                                                                    \
        (result) = sum_lanes(lane);                                                                          \
    } while (0)

typedef struct set {
    size_t positions, channels, step;
    const deep_real *gain, *offset;
    deep_real *statistics; /* the mean, and 1 / the deviation */
} set;

DEEP_LANES
static void normalise(const set *s, const deep_real *restrict x, deep_real *restrict y)
{
    const deep_real n = (deep_real)(s->positions * s->channels);
    deep_real mean, variance;
    SUM(mean, x[j]);
    mean /= n;
    SUM(variance, (x[j] - mean) * (x[j] - mean));
    const deep_real scale = 1 / (deep_real)sqrt(variance / n + LEAST);
    s->statistics[0] = mean;
    s->statistics[1] = scale;
    for (size_t t = 0; t < s->positions; t++)
        for (size_t c = 0, j = t * s->step; c < s->channels; c++, j++)
            y[j] = (x[j] - mean) * scale * s->gain[c] + s->offset[c];
}

/* With z = (x - mean) * scale, dz = dy * gain: dx = scale (dz - mean of dz - z * mean of z dz). */
DEEP_LANES
static void turn_back(const set *s, const deep_real *restrict x, const deep_real *restrict dy,
                      deep_real *restrict dx)
{
    const deep_real n = (deep_real)(s->positions * s->channels), mean = s->statistics[0],
                    scale = s->statistics[1];
    deep_real plain, along;
    SUM(plain, dy[j] * s->gain[p]);
    SUM(along, dy[j] * s->gain[p] * ((x[j] - mean) * scale));
    plain /= n;
    along /= n;
    for (size_t t = 0; t < s->positions; t++)
        for (size_t c = 0, j = t * s->step; c < s->channels; c++, j++)
            dx[j] = scale * (dy[j] * s->gain[c] - plain - (x[j] - mean) * scale * along);
}

DEEP_LANES
static void add_gradient(const set *s, const deep_real *restrict x, const deep_real *restrict dy,
                         deep_real *restrict gain, deep_real *restrict offset)
{
    const deep_real mean = s->statistics[0], scale = s->statistics[1];
    for (size_t t = 0; t < s->positions; t++)
        for (size_t c = 0, j = t * s->step; c < s->channels; c++, j++) {
            gain[c] += dy[j] * ((x[j] - mean) * scale);
            offset[c] += dy[j];
        }
}

/* --- all sets of all examples ------------------------------------------------------------------------------------------- */

static set set_of(const deep_pass *pass, size_t l, size_t i, size_t which)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_real *all = layer->size[FIXED] ? pass->table[l] : deep_parameters(pass, l);
    const deep_real *gain = all + which * layer->size[CHANNELS_APART];
    return (set){ layer->size[POSITIONS],    layer->size[CHANNELS],
                  layer->in.channels,        gain,
                  gain + layer->in.channels, pass->kept[l] + i * layer->kept + 2 * which };
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    for (size_t i = 0; i < pass->examples; i++)
        for (size_t k = 0; k < layer->size[SETS]; k++) {
            const set s = set_of(pass, l, i, k);
            const size_t at = i * deep_size(layer->in) + k * layer->size[APART];
            normalise(&s, pass->value[l] + at, pass->value[l + 1] + at);
        }
}

static void backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    for (size_t i = 0; i < pass->examples; i++)
        for (size_t k = 0; k < layer->size[SETS]; k++) {
            const set s = set_of(pass, l, i, k);
            const size_t at = i * deep_size(layer->in) + k * layer->size[APART];
            turn_back(&s, pass->value[l] + at, pass->slope[l + 1] + at, pass->slope[l] + at);
        }
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    memset(out, 0, layer->parameters * sizeof *out);
    for (size_t k = 0; k < layer->size[SETS]; k++) {
        const set s = set_of(pass, l, i, k);
        const size_t at = i * deep_size(layer->in) + k * layer->size[APART],
                     first = k * layer->size[CHANNELS_APART];
        add_gradient(&s, pass->value[l] + at, pass->slope[l + 1] + at, out + first,
                     out + layer->in.channels + first);
    }
}

const deep_kind deep_layernorm = {
    .name = "layernorm",
    .form = "layernorm [fixed]",
    .help = "channels of every place to mean 0 and variance 1, then a gain and an offset",
    .shape = shape_layer,
    .table = table,
    .prepare = prepare,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .moves = true,
};

const deep_kind deep_groupnorm = {
    .name = "groupnorm",
    .form = "groupnorm G [fixed]",
    .help = "G groups of channels, over all places, to mean 0 and variance 1, then a gain and an offset",
    .shape = shape_group,
    .table = table,
    .prepare = prepare,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .moves = true,
};
