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
    size_t height,
        width; /* of the picture with all that windows see, and whether that is the picture itself */
    bool inside;
} conv;

static conv conv_of(const deep_layer *layer)
{
    conv c = { .window = deep_window_of(layer), .groups = layer->size[GROUPS] };
    const deep_window *w = &c.window;
    c.positions = deep_positions(layer->out);
    c.outputs = layer->out.channels;
    c.rows = c.outputs / c.groups;
    c.channels = w->channels / c.groups;
    c.columns = w->rows * w->columns * c.channels;
    c.in = deep_size(layer->in);
    c.out = deep_size(layer->out);
    c.height = (w->out_height - 1) * w->stride + (w->rows - 1) * w->dilation + 1;
    c.width = (w->out_width - 1) * w->stride + (w->columns - 1) * w->dilation + 1;
    c.inside = w->above == 0 && w->before == 0 && c.height <= w->height && c.width <= w->width;
    if (c.inside) c.width = w->width;
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
    if ((double)c.height * (double)c.width * (double)layer->in.channels > 2 * (double)DEEP_VALUES_MOST)
        deep_refuse(words, "it is too large with all that is outside of the picture");
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

/* What scratch is for: the weights of all groups, columns as rows and constants last; patches; and a picture with what is around it. */
typedef struct places {
    deep_real *weights, *patches, *picture;
} places;

static places places_of(const deep_pass *pass, size_t l, const conv *c)
{
    deep_real *patches = pass->scratch + pass->net->layer[l].parameters;
    return (places){ pass->scratch, patches, patches + rows_within(c, FAR) * c->columns };
}

static size_t scratch(const deep_layer *layer)
{
    const conv c = conv_of(layer);
    const size_t picture = c.inside ? 0 : c.height * c.width * c.window.channels;
    return layer->parameters + rows_within(&c, FAR) * c.columns + picture;
}

/* --- patches ----------------------------------------------------------------------------------------------------------- */

/* Rows and columns of the picture that windows see: not always all. */
static size_t seen(size_t size, size_t outside, size_t all)
{
    return all - outside < size ? all - outside : size;
}

/* The picture with zeros around it, where windows are partly outside. */
static const deep_real *surround(const conv *c, const deep_real *picture, deep_real *room)
{
    const deep_window *w = &c->window;
    if (c->inside) return picture;
    memset(room, 0, c->height * c->width * w->channels * sizeof *room);
    for (size_t y = 0; y < seen(w->height, w->above, c->height); y++)
        memcpy(room + ((y + w->above) * c->width + w->before) * w->channels,
               picture + y * w->width * w->channels,
               seen(w->width, w->before, c->width) * w->channels * sizeof *room);
    return room;
}

/* The way back. */
static void cut_out(const conv *c, deep_real *picture, const deep_real *room)
{
    const deep_window *w = &c->window;
    memset(picture, 0, c->in * sizeof *picture);
    for (size_t y = 0; y < seen(w->height, w->above, c->height); y++)
        memcpy(picture + y * w->width * w->channels,
               room + ((y + w->above) * c->width + w->before) * w->channels,
               seen(w->width, w->before, c->width) * w->channels * sizeof *room);
}

DEEP_INLINE void copy(deep_real *restrict to, const deep_real *restrict from, size_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16) memcpy(to, from, 16 * sizeof *to);
    if (n >= 8) {
        memcpy(to, from, 8 * sizeof *to);
        n -= 8, to += 8, from += 8;
    }
    for (size_t j = 0; j < n; j++) to[j] = from[j];
}

/* A patch is runs of numbers that lie side by side. */
typedef struct runs {
    size_t down, across, run; /* how many, and how long */
    size_t down_step, across_step;
} runs;

static runs runs_of(const conv *c)
{
    const deep_window *w = &c->window;
    runs r = { w->rows, w->columns, c->channels, w->dilation * c->width * w->channels,
               w->dilation * w->channels };
    if (c->groups == 1 && w->dilation == 1) {
        r.run *= r.across;
        r.across = 1;
    }
    return r;
}

/* Windows from one position to the next. */
typedef struct walk {
    size_t x, at, out_width, step,
        turn; /* the column, where the window begins; the last of a row goes `turn` on */
} walk;

static walk walk_from(const conv *c, size_t p)
{
    const deep_window *w = &c->window;
    const size_t step = w->stride * w->channels, y = p / w->out_width, x = p % w->out_width;
    return (walk){ x, (y * c->width + x) * step, w->out_width, step, (c->width + 1 - w->out_width) * step };
}

DEEP_INLINE void go_on(walk *k)
{
    const bool last = ++k->x == k->out_width;
    k->at += last ? k->turn : k->step;
    k->x = last ? 0 : k->x;
}

/* Patches of positions from `first` on, of one surrounded picture and group: rows of `columns` numbers. */
DEEP_LANES
static void gather(const conv *c, const deep_real *restrict picture, size_t first, size_t n,
                   deep_real *restrict to)
{
    const runs r = runs_of(c);
    walk w = walk_from(c, first);
    if (r.across == 1 && r.run == 8) /* a grey picture, and windows of 8 */
        for (size_t p = 0; p < n; p++, go_on(&w))
            for (size_t k = 0; k < r.down; k++, to += 8)
                memcpy(to, picture + w.at + k * r.down_step, 8 * sizeof *to);
    else
        for (size_t p = 0; p < n; p++, go_on(&w))
            for (size_t k = 0; k < r.down; k++)
                for (size_t j = 0; j < r.across; j++, to += r.run)
                    copy(to, picture + w.at + k * r.down_step + j * r.across_step, r.run);
}

/* The way back: what patches mean for the picture. */
DEEP_LANES
static void scatter(const conv *c, deep_real *restrict picture, size_t first, size_t n,
                    const deep_real *restrict from)
{
    const runs r = runs_of(c);
    walk w = walk_from(c, first);
    for (size_t p = 0; p < n; p++, go_on(&w))
        for (size_t k = 0; k < r.down; k++)
            for (size_t j = 0; j < r.across; j++, from += r.run) {
                deep_real *run = picture + w.at + k * r.down_step + j * r.across_step;
                for (size_t q = 0; q < r.run; q++) run[q] += from[q];
            }
}

/* --- there and back ---------------------------------------------------------------------------------------------------- */

static void turn_weights(const conv *c, const deep_real *from, deep_real *to)
{
    for (size_t g = 0; g < c->groups;
         g++, from += c->rows * (c->columns + 1), to += c->rows * (c->columns + 1))
        for (size_t r = 0; r < c->rows; r++)
            for (size_t j = 0; j <= c->columns; j++) to[j * c->rows + r] = from[r * (c->columns + 1) + j];
}

DEEP_LANES
static void repeat(deep_real *restrict y, size_t step, const deep_real *restrict constants, size_t rows,
                   size_t n)
{
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < rows; r++) y[t * step + r] = constants[r];
}

/* y of `n` positions from `first` on, counted through all examples. */
static void multiply(deep_pass *pass, size_t l, const conv *c, size_t g, const deep_real *patches,
                     size_t first, size_t n)
{
    const deep_real *weights = pass->scratch + g * c->rows * (c->columns + 1);
    const deep_real *constants = weights + c->columns * c->rows;
    deep_real *y = pass->value[l + 1] + first * c->outputs + g * c->rows;
    repeat(y, c->outputs, constants, c->rows, n);
    deep_gemm(pass->level, y, c->outputs, (deep_view){ patches, c->columns, 1 },
              (deep_view){ weights, c->rows, 1 }, n, c->rows, c->columns, true, &pass->gemm);
}

/* An example whose patches are too many for one product, or has groups. */
static void forward_alone(deep_pass *pass, size_t l, const conv *c, size_t i)
{
    const places at = places_of(pass, l, c);
    const deep_real *picture = surround(c, pass->value[l] + i * c->in, at.picture);
    const size_t most = rows_within(c, NEAR);
    for (size_t g = 0; g < c->groups; g++)
        for (size_t first = 0, n; first < c->positions; first += n) {
            n = c->positions - first < most ? c->positions - first : most;
            gather(c, picture + g * c->channels, first, n, at.patches);
            multiply(pass, l, c, g, at.patches, i * c->positions + first, n);
        }
}

static void forward(deep_pass *pass, size_t l)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const places at = places_of(pass, l, &c);
    const bool keep = pass->net->layer[l].kept > 0;
    const size_t size = c.positions * c.columns;
    size_t many = keep ? pass->examples : c.groups == 1 ? rows_within(&c, NEAR) / c.positions : 0;
    turn_weights(&c, deep_parameters(pass, l), at.weights);
    for (size_t i = 0; i < pass->examples && many == 0; i++) forward_alone(pass, l, &c, i);
    for (size_t i = 0; i < pass->examples && many > 0; i += many) {
        deep_real *patches = keep ? pass->kept[l] : at.patches;
        if (many > pass->examples - i) many = pass->examples - i;
        for (size_t e = 0; e < many; e++) {
            const deep_real *picture = surround(&c, pass->value[l] + (i + e) * c.in, at.picture);
            gather(&c, picture, 0, c.positions, patches + e * size);
        }
        multiply(pass, l, &c, 0, patches, i * c.positions, many * c.positions);
    }
}

static void backward(deep_pass *pass, size_t l)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const places at = places_of(pass, l, &c);
    const size_t most = rows_within(&c, NEAR);
    for (size_t i = 0; i < pass->examples; i++) {
        deep_real *below = pass->slope[l] + i * c.in, *picture = c.inside ? below : at.picture;
        memset(picture, 0, (c.inside ? c.in : c.height * c.width * c.window.channels) * sizeof *picture);
        for (size_t g = 0; g < c.groups; g++)
            for (size_t first = 0, n; first < c.positions; first += n) {
                n = c.positions - first < most ? c.positions - first : most;
                const deep_real *above = pass->slope[l + 1] + i * c.out + first * c.outputs + g * c.rows;
                const deep_real *weights = deep_parameters(pass, l) + g * c.rows * (c.columns + 1);
                deep_gemm(pass->level, at.patches, c.columns, (deep_view){ above, c.outputs, 1 },
                          (deep_view){ weights, c.columns + 1, 1 }, n, c.columns, c.rows, false, &pass->gemm);
                scatter(&c, picture + g * c.channels, first, n, at.patches);
            }
        if (!c.inside) cut_out(&c, below, picture);
    }
}

/* Those of groups are one below the other. */
static size_t matrices(const deep_layer *layer, deep_matrix *out)
{
    const conv c = conv_of(layer);
    *out = (deep_matrix){ c.outputs, c.columns, true, 0 };
    return 1;
}

static size_t factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out)
{
    const conv c = conv_of(&pass->net->layer[l]);
    if (pass->net->layer[l].kept == 0) return 0;
    *out = (deep_factors){ .positions = c.positions, .rows = c.rows, .columns = c.columns };
    out->left = pass->slope[l + 1] + i * c.out;
    out->right = pass->kept[l] + i * c.positions * c.columns;
    out->left_step = c.rows;
    out->right_step = c.columns;
    out->constant = true;
    return 1;
}

/* The gradient of example i, or that added to `out` where it is without its factors. */
static void gradient_of(deep_pass *pass, size_t l, size_t i, deep_real *out, bool add)
{
    const conv c = conv_of(&pass->net->layer[l]);
    const places at = places_of(pass, l, &c);
    const size_t most = rows_within(&c, FAR);
    const deep_real *picture = surround(&c, pass->value[l] + i * c.in, at.picture);
    for (size_t g = 0; g < c.groups; g++, out += c.rows * (c.columns + 1)) {
        const deep_real *left = pass->slope[l + 1] + i * c.out + g * c.rows;
        for (size_t first = 0, n; first < c.positions; first += n) {
            n = c.positions - first < most ? c.positions - first : most;
            gather(&c, picture + g * c.channels, first, n, at.patches);
            deep_gemm(pass->level, out, c.columns + 1, (deep_view){ left + first * c.outputs, 1, c.outputs },
                      (deep_view){ at.patches, c.columns, 1 }, c.rows, c.columns, n, add || first > 0,
                      &pass->gemm);
        }
        deep_affine_constants(left, c.outputs, c.positions, c.rows, out + c.columns, c.columns + 1, add);
    }
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    deep_factors f;
    if (factors(pass, l, i, &f))
        deep_affine_gradient(pass, &f, out);
    else
        gradient_of(pass, l, i, out, false);
}

static void add_gradients(deep_pass *pass, size_t l, deep_real *total)
{
    for (size_t i = 0; i < pass->examples; i++) gradient_of(pass, l, i, total, true);
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
                               .add_gradients = add_gradients,                                               \
                               .factors = factors,                                                           \
                               .matrices = matrices }

KIND(deep_conv, "conv", shape, "conv N H [W] [stride S] [pad P | same] [dilation D] [groups G]",
     "N sums of weights times what a window of H x W shows, everywhere in a picture");
KIND(deep_conv1d, "conv1d", shape_1d, "conv1d N K [stride S] [pad P | same] [dilation D] [groups G]",
     "N sums of weights times K places of a sequence, everywhere in it");
