/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: an affine map of what a window shows, the same for all its places. Patches of the picture are laid out as rows, a few
 * at a time, and multiplied as matrices. Channels may be in groups, each with maps of its own.
 *
 * The gradient of an example has so many positions that it is mostly cheaper to make it than to work with its factors; where it is not,
 * patches are kept. */
#include <string.h>

#include "deep/affine.h"
#include "deep/window.h"

enum { NEAR = 1 << 14, FAR = 1 << 16 }; /* numbers of patches that stay in the first cache, in the second */
enum { GROUPS = 6 };                    /* of layer->size, behind those of the window */

typedef struct conv {
    deep_window window;
    size_t positions, outputs;    /* of the layer */
    size_t groups, rows, columns; /* maps: rows and columns of each group */
    size_t channels;              /* of a group */
    size_t in, out;               /* numbers of an example */
} conv;

static conv conv_of(const deep_layer *layer)
{
    conv c = { .window = deep_window_of(layer), .groups = layer->size[GROUPS] };
    c.positions = deep_positions(layer->out);
    c.outputs = layer->out.channels;
    c.rows = c.outputs / c.groups;
    c.channels = layer->in.channels / c.groups;
    c.columns = c.window.rows * c.window.columns * c.channels;
    c.in = deep_size(layer->in);
    c.out = deep_size(layer->out);
    return c;
}

static void shape_of(deep_layer *layer, deep_words *words, size_t rows, size_t columns, size_t n)
{
    const size_t groups = deep_option(words, "groups", 1, 1 << 20, 1);
    deep_window_shape(layer, words, rows, columns, 1);
    if (layer->in.channels % groups != 0 || n % groups != 0)
        deep_refuse(words, "%zu groups do not divide %zu channels and %zu outputs", groups,
                    layer->in.channels, n);
    const double width = (double)rows * (double)columns * (double)(layer->in.channels / groups) + 1;
    if ((double)n * width > (double)DEEP_PARAMETERS_MOST) deep_refuse(words, "it has too many parameters");
    if (words->status != DUSK_OK) return;
    layer->size[GROUPS] = groups;
    layer->out.channels = n;
    const conv c = conv_of(layer);
    layer->parameters = n * (c.columns + 1);
    if (groups == 1 && deep_factors_win(c.positions, n, c.columns)) layer->kept = c.positions * c.columns;
}

static void shape(deep_layer *layer, deep_words *words)
{
    const size_t n = deep_take(words, "how many outputs", 1, DEEP_VALUES_MOST);
    const size_t rows = deep_take(words, "the window", 1, 1 << 12);
    shape_of(layer, words, rows,
             deep_take_or(words, "its width", 1, 1 << 12, layer->in.width == 1 ? 1 : rows), n);
}

static void shape_1d(deep_layer *layer, deep_words *words)
{
    const size_t n = deep_take(words, "how many outputs", 1, DEEP_VALUES_MOST);
    const size_t rows = deep_take(words, "the window", 1, 1 << 12);
    if (layer->in.width != 1)
        deep_refuse(words, "it is for sequences, and what comes here is %zu wide", layer->in.width);
    shape_of(layer, words, rows, 1, n);
}

/* As deep_affine_start, each number going to as many outputs as there are taps. */
static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    const conv c = conv_of(layer);
    const double taps = (double)(c.window.rows * c.window.columns);
    const double width = sqrt(6 / ((double)c.columns + (double)c.rows * taps));
    for (size_t r = 0; r < c.outputs; r++, parameters += c.columns + 1) {
        for (size_t j = 0; j < c.columns; j++) parameters[j] = (deep_real)(width * uniform(coins));
        parameters[c.columns] = 0;
    }
}

static size_t rows_within(const conv *c, size_t numbers)
{
    return c->columns < numbers ? numbers / c->columns : 1;
}

static size_t scratch(const deep_layer *layer)
{
    const conv c = conv_of(layer);
    return rows_within(&c, FAR) * c.columns;
}

/* --- patches ----------------------------------------------------------------------------------------------------------- */

static void copy(deep_real *restrict to, const deep_real *restrict from, size_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8) memcpy(to, from, 8 * sizeof *to);
    for (size_t j = 0; j < n; j++) to[j] = from[j];
}

static void clear(deep_real *to, size_t n)
{
    for (size_t j = 0; j < n; j++) to[j] = 0;
}

static void add(deep_real *restrict to, const deep_real *restrict from, size_t n)
{
    for (size_t j = 0; j < n; j++) to[j] += from[j];
}

/* What a window sees of a row of the picture: `run` numbers at a time, `step` apart. */
typedef struct line {
    size_t lead, runs, run, step, trail; /* numbers outside, seen, outside */
    ptrdiff_t first;                     /* where in the row */
} line;

static line line_of(const conv *c, size_t place)
{
    const deep_window *w = &c->window;
    const deep_reach reach =
        deep_window_reach(place, w->stride, w->before, w->dilation, w->columns, w->width);
    line x = { .lead = reach.from * c->channels,
               .runs = reach.to - reach.from,
               .run = c->channels,
               .step = w->dilation * w->channels,
               .trail = (w->columns - reach.to) * c->channels };
    x.first = (reach.start + (ptrdiff_t)(reach.from * w->dilation)) * (ptrdiff_t)w->channels;
    if (c->groups == 1 && w->dilation == 1) {
        x.run *= x.runs;
        x.runs = x.runs > 0;
    }
    return x;
}

/* Patches of positions from `first` on, of one picture and group: rows of `columns` numbers. */
static void gather(const conv *c, const deep_real *picture, size_t first, size_t n, deep_real *to)
{
    const deep_window *w = &c->window;
    const size_t pitch = w->width * w->channels;
    for (size_t p = first; p < first + n; p++) {
        const deep_reach rows =
            deep_window_reach(p / w->out_width, w->stride, w->above, w->dilation, w->rows, w->height);
        const line x = line_of(c, p % w->out_width);
        clear(to, rows.from * w->columns * c->channels);
        to += rows.from * w->columns * c->channels;
        for (size_t k = rows.from; k < rows.to; k++) {
            const deep_real *from =
                picture + (rows.start + (ptrdiff_t)(k * w->dilation)) * (ptrdiff_t)pitch + x.first;
            clear(to, x.lead);
            to += x.lead;
            for (size_t r = 0; r < x.runs; r++, to += x.run) copy(to, from + r * x.step, x.run);
            clear(to, x.trail);
            to += x.trail;
        }
        clear(to, (w->rows - rows.to) * w->columns * c->channels);
        to += (w->rows - rows.to) * w->columns * c->channels;
    }
}

/* The way back: what patches mean for the picture. */
static void scatter(const conv *c, deep_real *picture, size_t first, size_t n, const deep_real *from)
{
    const deep_window *w = &c->window;
    const size_t pitch = w->width * w->channels, across = w->columns * c->channels;
    for (size_t p = first; p < first + n; p++, from += c->columns) {
        const deep_reach rows =
            deep_window_reach(p / w->out_width, w->stride, w->above, w->dilation, w->rows, w->height);
        const line x = line_of(c, p % w->out_width);
        for (size_t k = rows.from; k < rows.to; k++) {
            deep_real *to =
                picture + (rows.start + (ptrdiff_t)(k * w->dilation)) * (ptrdiff_t)pitch + x.first;
            for (size_t r = 0; r < x.runs; r++)
                add(to + r * x.step, from + k * across + x.lead + r * x.run, x.run);
        }
    }
}

/* --- there and back ---------------------------------------------------------------------------------------------------- */

/* y of `n` positions from `first` on, counted through all examples. */
static void multiply(deep_pass *pass, size_t l, const conv *c, size_t g, const deep_real *patches,
                     size_t first, size_t n)
{
    const deep_real *weights = deep_parameters(pass, l) + g * c->rows * (c->columns + 1);
    deep_real *y = pass->value[l + 1] + first * c->outputs + g * c->rows;
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < c->rows; r++)
            y[t * c->outputs + r] = weights[r * (c->columns + 1) + c->columns];
    deep_gemm(pass->level, y, c->outputs, (deep_view){ patches, c->columns, 1 },
              (deep_view){ weights, 1, c->columns + 1 }, n, c->rows, c->columns, true, &pass->gemm);
}

static void forward(deep_pass *pass, size_t l)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const size_t all = pass->examples * c.positions, most = rows_within(&c, NEAR);
    if (pass->net->layer[l].kept > 0) {
        for (size_t i = 0; i < pass->examples; i++)
            gather(&c, pass->value[l] + i * c.in, 0, c.positions,
                   pass->kept[l] + i * c.positions * c.columns);
        multiply(pass, l, &c, 0, pass->kept[l], 0, all);
        return;
    }
    for (size_t g = 0; g < c.groups; g++)
        for (size_t first = 0, n; first < all; first += n) {
            n = all - first < most ? all - first : most;
            for (size_t t = 0, part; t < n; t += part) { /* example by example */
                const size_t i = (first + t) / c.positions, p = (first + t) % c.positions;
                part = n - t < c.positions - p ? n - t : c.positions - p;
                gather(&c, pass->value[l] + i * c.in + g * c.channels, p, part,
                       pass->scratch + t * c.columns);
            }
            multiply(pass, l, &c, g, pass->scratch, first, n);
        }
}

static void backward(deep_pass *pass, size_t l)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const size_t all = pass->examples * c.positions, most = rows_within(&c, NEAR);
    memset(pass->slope[l], 0, pass->examples * c.in * sizeof(deep_real));
    for (size_t g = 0; g < c.groups; g++)
        for (size_t first = 0, n; first < all; first += n) {
            n = all - first < most ? all - first : most;
            deep_gemm(
                pass->level, pass->scratch, c.columns,
                (deep_view){ pass->slope[l + 1] + first * c.outputs + g * c.rows, c.outputs, 1 },
                (deep_view){ deep_parameters(pass, l) + g * c.rows * (c.columns + 1), c.columns + 1, 1 }, n,
                c.columns, c.rows, false, &pass->gemm);
            for (size_t t = 0, part; t < n; t += part) {
                const size_t i = (first + t) / c.positions, p = (first + t) % c.positions;
                part = n - t < c.positions - p ? n - t : c.positions - p;
                scatter(&c, pass->slope[l] + i * c.in + g * c.channels, p, part,
                        pass->scratch + t * c.columns);
            }
        }
}

static bool factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out)
{
    const conv c = conv_of(&pass->net->layer[l]);
    if (pass->net->layer[l].kept == 0) return false;
    *out = (deep_factors){ .positions = c.positions, .rows = c.rows, .columns = c.columns };
    out->left = pass->slope[l + 1] + i * c.out;
    out->right = pass->kept[l] + i * c.positions * c.columns;
    out->left_step = c.rows;
    out->right_step = c.columns;
    out->constant = true;
    return true;
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const size_t most = rows_within(&c, FAR);
    deep_factors f;
    if (factors(pass, l, i, &f)) {
        deep_affine_gradient(pass, &f, out);
        return;
    }
    for (size_t g = 0; g < c.groups; g++, out += c.rows * (c.columns + 1)) {
        const deep_real *left = pass->slope[l + 1] + i * c.out + g * c.rows;
        for (size_t first = 0, n; first < c.positions; first += n) {
            n = c.positions - first < most ? c.positions - first : most;
            gather(&c, pass->value[l] + i * c.in + g * c.channels, first, n, pass->scratch);
            deep_gemm(pass->level, out, c.columns + 1, (deep_view){ left + first * c.outputs, 1, c.outputs },
                      (deep_view){ pass->scratch, c.columns, 1 }, c.rows, c.columns, n, first > 0,
                      &pass->gemm);
        }
        deep_affine_constants(left, c.outputs, c.positions, c.rows, out + c.columns, c.columns + 1);
    }
}

#define KIND(symbol, word, shape_is, form_is, help_is)                                                       \
    const deep_kind symbol = { .name = word,                                                                 \
                               .form = form_is,                                                              \
                               .help = help_is,                                                              \
                               .shape = shape_is,                                                            \
                               .scratch = scratch,                                                           \
                               .start = start,                                                               \
                               .forward = forward,                                                           \
                               .backward = backward,                                                         \
                               .gradient = gradient,                                                         \
                               .factors = factors }

KIND(deep_conv, "conv", shape, "conv N H [W] [stride S] [pad P | same] [dilation D] [groups G]",
     "N sums of weights times what a window of H x W shows, everywhere in a picture");
KIND(deep_conv1d, "conv1d", shape_1d, "conv1d N K [stride S] [pad P | same] [dilation D] [groups G]",
     "N sums of weights times K places of a sequence, everywhere in it");
