/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences read place by place. lstm [Hochreiter & Schmidhuber 1997; Gers et al. 2000]:
 *     i, f, o = sigmoid(W x + U h), g = tanh(W x + U h);  c = f c + i g;  h = o tanh(c)
 * gru [Cho et al. 2014, with the reset after the product]:
 *     z, r = sigmoid(W x + U h), n = tanh(W x + r (U h));  h = (1 - z) n + z h
 * each with rows of W and U of its own, W with a constant. Both matrices are used at every place, so that a gradient is a sum of outer products over
 * places. All examples of a pass go one place further together. */
#include "deep/affine.h"

enum { WIDTH, PLACES, LAST };

/* Where the numbers of an example are among those that are kept; sizes in numbers. */
typedef struct cell {
    size_t places, channels, width; /* T, C, H */
    size_t
        gates; /* 4 H: lstm i f g o; gru n z r and q = U h of n. After backward their slopes, before the functions */
    size_t before;                 /* h before place t, at t * width; zero first */
    size_t cells;                  /* lstm: c before place t */
    size_t carried, carried_cell;  /* slopes of h and c that come from the next place */
    size_t rows_w, rows_u, from_u; /* gates that W and U make: from 0 on, from from_u on */
    size_t kept;
    const deep_real *w, *u;
} cell;

static cell cell_of(const deep_layer *layer, const deep_real *parameters, bool is_lstm)
{
    const size_t t = layer->size[PLACES], h = layer->size[WIDTH];
    cell c = { .places = t, .channels = layer->in.channels, .width = h };
    c.before = t * 4 * h;
    c.carried = c.before + (t + 1) * h;
    c.kept = c.carried + h;
    c.rows_w = c.rows_u = (is_lstm ? 4 : 3) * h;
    c.from_u = is_lstm ? 0 : h;
    if (is_lstm) {
        c.carried_cell = c.kept;
        c.cells = c.kept + h;
        c.kept += h + (t + 1) * h;
    }
    c.w = parameters;
    c.u = parameters ? parameters + c.rows_w * (c.channels + 1) : NULL;
    return c;
}

static void shape(deep_layer *layer, deep_words *words, bool is_lstm)
{
    const size_t h = deep_take(words, "how many channels", 1, 1 << 14);
    layer->size[WIDTH] = h;
    layer->size[PLACES] = deep_positions(layer->in);
    layer->size[LAST] = deep_flag(words, "last");
    layer->out = (deep_shape){ layer->size[LAST] ? 1 : layer->size[PLACES], 1, h };
    const cell c = cell_of(layer, NULL, is_lstm);
    layer->kept = c.kept;
    layer->parameters = c.rows_w * (c.channels + 1) + c.rows_u * h;
}

/* Uniform, gate by gate, as affine maps; lstm remembers at first: the constant of f is 1. */
static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins,
                  bool is_lstm)
{
    const cell c = cell_of(layer, parameters, is_lstm);
    const size_t h = c.width, step = c.channels + 1;
    deep_real *u = parameters + c.rows_w * step;
    for (size_t gate = 0; gate < c.rows_w / h; gate++)
        deep_affine_start(parameters + gate * h * step, h, c.channels, uniform, coins);
    for (size_t j = 0; is_lstm && j < h; j++) parameters[(h + j) * step + c.channels] = 1;
    for (size_t j = 0; j < c.rows_u * h; j++) u[j] = (deep_real)(sqrt(3 / (double)h) * uniform(coins));
}

/* --- one place of one example --------------------------------------------------------------------------------------------- */

DEEP_LANES
static void lstm_there(deep_real *restrict gate, const deep_real *restrict cell_before,
                       deep_real *restrict cell_now, deep_real *restrict out, size_t h)
{
    for (size_t j = 0; j < h; j++) {
        const deep_real i = deep_sigmoid(gate[j]), f = deep_sigmoid(gate[h + j]);
        const deep_real g = deep_tanh(gate[2 * h + j]), o = deep_sigmoid(gate[3 * h + j]);
        const deep_real now = f * cell_before[j] + i * g;
        gate[j] = i, gate[h + j] = f, gate[2 * h + j] = g, gate[3 * h + j] = o;
        cell_now[j] = now;
        out[j] = o * deep_tanh(now);
    }
}

/* above: the slope of h from the layer above, or NULL; carried ones come from the next place, and are made for the one before. */
DEEP_LANES
static void lstm_back(deep_real *restrict gate, const deep_real *restrict cell_before,
                      const deep_real *restrict cell_now, const deep_real *restrict above,
                      const deep_real *restrict carried, deep_real *restrict carried_cell, size_t h)
{
    for (size_t j = 0; j < h; j++) {
        const deep_real i = gate[j], f = gate[h + j], g = gate[2 * h + j], o = gate[3 * h + j];
        const deep_real y = deep_tanh(cell_now[j]), dh = above ? above[j] + carried[j] : carried[j];
        const deep_real dc = carried_cell[j] + dh * o * ((1 - y) * (1 + y));
        gate[j] = dc * g * (i * (1 - i));
        gate[h + j] = dc * cell_before[j] * (f * (1 - f));
        gate[2 * h + j] = dc * i * ((1 - g) * (1 + g));
        gate[3 * h + j] = dh * y * (o * (1 - o));
        carried_cell[j] = dc * f;
    }
}

DEEP_LANES
static void gru_there(deep_real *restrict gate, const deep_real *restrict before, deep_real *restrict out,
                      size_t h)
{
    for (size_t j = 0; j < h; j++) {
        const deep_real z = deep_sigmoid(gate[h + j]), r = deep_sigmoid(gate[2 * h + j]);
        const deep_real n = deep_tanh(gate[j] + r * gate[3 * h + j]);
        gate[j] = n, gate[h + j] = z, gate[2 * h + j] = r;
        out[j] = (1 - z) * n + z * before[j];
    }
}

DEEP_LANES
static void gru_back(deep_real *restrict gate, const deep_real *restrict before,
                     const deep_real *restrict above, deep_real *restrict carried, size_t h)
{
    for (size_t j = 0; j < h; j++) {
        const deep_real n = gate[j], z = gate[h + j], r = gate[2 * h + j], q = gate[3 * h + j];
        const deep_real dh = above ? above[j] + carried[j] : carried[j];
        const deep_real dn = dh * (1 - z) * ((1 - n) * (1 + n));
        gate[j] = dn;
        gate[h + j] = dh * (before[j] - n) * (z * (1 - z));
        gate[2 * h + j] = dn * q * (r * (1 - r));
        gate[3 * h + j] = dn * r;
        carried[j] = dh * z;
    }
}

/* --- all examples of a pass, place after place ------------------------------------------------------------------------------ */

/* Gates of place t before their functions: constants, and W x + U h. */
static void make_gates(deep_pass *pass, size_t l, const cell *c, size_t t)
{
    const size_t step = c->channels + 1;
    deep_real *gates = pass->kept[l] + c->gates + t * 4 * c->width;
    for (size_t i = 0; i < pass->examples; i++)
        for (size_t r = 0; r < 4 * c->width; r++)
            gates[i * c->kept + r] = r < c->rows_w ? c->w[r * step + c->channels] : 0;
    deep_gemm(pass->level, gates, c->kept,
              (deep_view){ pass->value[l] + t * c->channels, c->places * c->channels, 1 },
              (deep_view){ c->w, 1, step }, pass->examples, c->rows_w, c->channels, true, &pass->gemm);
    deep_gemm(pass->level, gates + c->from_u, c->kept,
              (deep_view){ pass->kept[l] + c->before + t * c->width, c->kept, 1 },
              (deep_view){ c->u, 1, c->width }, pass->examples, c->rows_u, c->width, true, &pass->gemm);
}

/* Slopes of gates to slopes of x, and of h before (added to what is carried, where `add`). */
static void spread_gates(deep_pass *pass, size_t l, const cell *c, size_t t, bool add)
{
    const deep_real *gates = pass->kept[l] + c->gates + t * 4 * c->width;
    deep_gemm(pass->level, pass->slope[l] + t * c->channels, c->places * c->channels,
              (deep_view){ gates, c->kept, 1 }, (deep_view){ c->w, c->channels + 1, 1 }, pass->examples,
              c->channels, c->rows_w, false, &pass->gemm);
    deep_gemm(pass->level, pass->kept[l] + c->carried, c->kept, (deep_view){ gates + c->from_u, c->kept, 1 },
              (deep_view){ c->u, c->width, 1 }, pass->examples, c->width, c->rows_u, add, &pass->gemm);
}

static void forward(deep_pass *pass, size_t l, bool is_lstm)
{
    const deep_layer *layer = &pass->net->layer[l];
    const cell c = cell_of(layer, deep_parameters(pass, l), is_lstm);
    const size_t h = c.width, size = h * sizeof(deep_real);
    for (size_t i = 0; i < pass->examples; i++) {
        memset(pass->kept[l] + i * c.kept + c.before, 0, size);
        if (is_lstm) memset(pass->kept[l] + i * c.kept + c.cells, 0, size);
    }
    for (size_t t = 0; t < c.places; t++) {
        make_gates(pass, l, &c, t);
        for (size_t i = 0; i < pass->examples; i++) {
            deep_real *kept = pass->kept[l] + i * c.kept, *gate = kept + c.gates + t * 4 * h;
            deep_real *before = kept + c.before + t * h, *cells = kept + c.cells + t * h;
            if (is_lstm)
                lstm_there(gate, cells, cells + h, before + h, h);
            else
                gru_there(gate, before, before + h, h);
            if (!layer->size[LAST]) memcpy(pass->value[l + 1] + (i * c.places + t) * h, before + h, size);
            if (layer->size[LAST] && t + 1 == c.places) memcpy(pass->value[l + 1] + i * h, before + h, size);
        }
    }
}

/* The slope of h at place t of example i, or NULL. */
static const deep_real *slope_above(const deep_pass *pass, size_t l, size_t i, size_t t)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t h = layer->size[WIDTH], places = layer->size[PLACES];
    if (!layer->size[LAST]) return pass->slope[l + 1] + (i * places + t) * h;
    return t + 1 == places ? pass->slope[l + 1] + i * h : NULL;
}

static void backward(deep_pass *pass, size_t l, bool is_lstm)
{
    const cell c = cell_of(&pass->net->layer[l], deep_parameters(pass, l), is_lstm);
    const size_t h = c.width;
    for (size_t i = 0; i < pass->examples; i++)
        memset(pass->kept[l] + i * c.kept + c.carried, 0, (is_lstm ? 2 : 1) * h * sizeof(deep_real));
    for (size_t t = c.places; t-- > 0;) {
        for (size_t i = 0; i < pass->examples; i++) {
            deep_real *kept = pass->kept[l] + i * c.kept, *gate = kept + c.gates + t * 4 * h;
            const deep_real *above = slope_above(pass, l, i, t), *cells = kept + c.cells + t * h;
            if (is_lstm)
                lstm_back(gate, cells, cells + h, above, kept + c.carried, kept + c.carried_cell, h);
            else
                gru_back(gate, kept + c.before + t * h, above, kept + c.carried, h);
        }
        spread_gates(pass, l, &c, t, !is_lstm);
    }
}

/* --- gradients ---------------------------------------------------------------------------------------------------------------- */

static size_t matrices(const deep_layer *layer, deep_matrix *out, bool is_lstm)
{
    const cell c = cell_of(layer, NULL, is_lstm);
    out[0] = (deep_matrix){ c.rows_w, c.channels, true, 0 };
    out[1] = (deep_matrix){ c.rows_u, c.width, false, c.rows_w * (c.channels + 1) };
    return 2;
}

static size_t factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out, bool is_lstm)
{
    const cell c = cell_of(&pass->net->layer[l], deep_parameters(pass, l), is_lstm);
    const deep_real *kept = pass->kept[l] + i * c.kept;
    out[0] = (deep_factors){ .positions = c.places, .rows = c.rows_w, .columns = c.channels };
    out[0].left = kept + c.gates;
    out[0].left_step = 4 * c.width;
    out[0].right = pass->value[l] + i * c.places * c.channels;
    out[0].right_step = c.channels;
    out[0].constant = true;
    out[1] = (deep_factors){ .positions = c.places, .rows = c.rows_u, .columns = c.width };
    out[1].left = kept + c.gates + c.from_u;
    out[1].left_step = 4 * c.width;
    out[1].right = kept + c.before;
    out[1].right_step = c.width;
    out[1].first = c.rows_w * (c.channels + 1);
    return 2;
}

#define KIND(symbol, word, lstm, help_of)                                                                    \
    static void symbol##_shape(deep_layer *layer, deep_words *words) { shape(layer, words, lstm); }          \
    static void symbol##_start(const deep_layer *layer, deep_real *parameters,                               \
                               double (*uniform)(void *coins), void *coins)                                  \
    {                                                                                                        \
        start(layer, parameters, uniform, coins, lstm);                                                      \
    }                                                                                                        \
    static void symbol##_forward(deep_pass *pass, size_t l) { forward(pass, l, lstm); }                      \
    static void symbol##_backward(deep_pass *pass, size_t l) { backward(pass, l, lstm); }                    \
    static size_t symbol##_factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out)             \
    {                                                                                                        \
        return factors(pass, l, i, out, lstm);                                                               \
    }                                                                                                        \
    static size_t symbol##_matrices(const deep_layer *layer, deep_matrix *out)                               \
    {                                                                                                        \
        return matrices(layer, out, lstm);                                                                   \
    }                                                                                                        \
    static void symbol##_gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)                       \
    {                                                                                                        \
        deep_factors f[DEEP_PAIRS];                                                                          \
        const size_t pairs = factors(pass, l, i, f, lstm);                                                   \
        for (size_t k = 0; k < pairs; k++) deep_affine_gradient(pass, &f[k], out + f[k].first);              \
    }                                                                                                        \
    const deep_kind deep_##symbol = { .name = word,                                                          \
                                      .form = word " H [last]",                                              \
                                      .help = help_of,                                                       \
                                      .shape = symbol##_shape,                                               \
                                      .start = symbol##_start,                                               \
                                      .forward = symbol##_forward,                                           \
                                      .backward = symbol##_backward,                                         \
                                      .inner = true,                                                         \
                                      .gradient = symbol##_gradient,                                         \
                                      .factors = symbol##_factors,                                           \
                                      .matrices = symbol##_matrices }

KIND(lstm, "lstm", true,
     "a sequence read place by place, with a memory of H numbers; last: what comes out at the end");
KIND(gru, "gru", false,
     "a sequence read place by place, with H numbers going on; last: what comes out at the end");
