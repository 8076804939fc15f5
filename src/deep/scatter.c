/* SPDX-License-Identifier: Apache-2.0 */
/* The scattering transform of pictures [Bruna & Mallat 2013; Andreux et al. 2020]: waves of J sizes and L directions, the modulus of what they find, the
 * same once more with larger waves, each averaged over windows of 2^J x 2^J places. Nothing in it is learned, so nothing in it costs
 * privacy, and linear models on it do well [Tramer & Boneh 2021].
 *
 * Wave j in direction t is Morlet's: exp(i xi . u) - kappa under a bell of deviation 0.8 * 2^j along t and max(L / 4, 1) times that across it, |xi| = 3 pi / 4 / 2^j, kappa
 * such that it adds up to 0. The picture is mirrored at its sides and taken round: products of Fourier transforms are convolutions. Averages are by a bell of
 * deviation 0.8 * 2^(J - 1), cut off at 4 deviations, around the middle of each window. Channels come out as: the average; then all j, t; then for each j, t all larger
 * j', t'; those of the first channel of the picture first. */
#include "deep/fourier.h"
#include "deep/layer.h"

#define PI 3.14159265358979323846
#define DEVIATION 0.8
#define PLACES_MOST 0x1p22

enum { SIZES, DIRECTIONS, ROWS, COLUMNS, EACH }; /* the padded picture; channels for one of the picture */
enum { SIZES_MOST = 5, DIRECTIONS_MOST = 32 };

static void shape(deep_layer *layer, deep_words *words)
{
    const size_t sizes = deep_take(words, "how many sizes", 1, SIZES_MOST);
    const size_t directions = deep_take(words, "how many directions", 1, DIRECTIONS_MOST);
    const size_t window = (size_t)1 << sizes;
    if (layer->in.height < window || layer->in.width < window) {
        deep_refuse(words, "%zu sizes need pictures of %zu x %zu", sizes, window, window);
        return;
    }
    if ((double)layer->in.height * (double)layer->in.width * (double)directions > PLACES_MOST) {
        deep_refuse(words, "pictures have at most %.0f places, times directions", PLACES_MOST);
        return;
    }
    layer->size[SIZES] = sizes;
    layer->size[DIRECTIONS] = directions;
    layer->size[ROWS] = deep_fourier_side(layer->in.height + 2 * window, window);
    layer->size[COLUMNS] = deep_fourier_side(layer->in.width + 2 * window, window);
    layer->size[EACH] = 1 + sizes * directions + sizes * (sizes - 1) / 2 * directions * directions;
    layer->out.height = (layer->in.height + window - 1) / window;
    layer->out.width = (layer->in.width + window - 1) / window;
    layer->out.channels = layer->in.channels * layer->size[EACH];
}

/* --- public numbers: roots, waves, weights of averages ------------------------------------------------------------------ */

/* A wave over pictures of which every 2^fine-th place is there, for pictures of every 2^j-th: fine == 0 or fine < j. */
static size_t wave_size(const deep_layer *layer, size_t fine)
{
    return (layer->size[ROWS] >> fine) * (layer->size[COLUMNS] >> fine) * layer->size[DIRECTIONS];
}

static size_t waves_of(const deep_layer *layer, size_t fine, size_t j)
{
    size_t at = 2 * (layer->size[ROWS] + layer->size[COLUMNS]);
    for (size_t f = 0; f < fine; f++) at += (layer->size[SIZES] - f - (f > 0)) * wave_size(layer, f);
    return at + (j - fine - (fine > 0)) * wave_size(layer, fine);
}

static size_t weights_of(const deep_layer *layer, size_t coarse, bool across)
{
    size_t at = waves_of(layer, layer->size[SIZES], layer->size[SIZES] + 1);
    for (size_t c = 0; c < coarse; c++)
        at += layer->out.height * (layer->size[ROWS] >> c) + layer->out.width * (layer->size[COLUMNS] >> c);
    return at + (across ? layer->out.height * (layer->size[ROWS] >> coarse) : 0);
}

static size_t table(const deep_layer *layer) { return weights_of(layer, layer->size[SIZES], false); }

/* Of waves of size j and direction t. */
typedef struct wave {
    double cosine, sine, along, across, xi, period;
} wave;

static wave wave_of(const deep_layer *layer, size_t fine, size_t j, size_t t)
{
    const double angle = PI * (double)t / (double)layer->size[DIRECTIONS],
                 along = DEVIATION * ldexp(1, (int)j);
    return (wave){ .cosine = cos(angle),
                   .sine = sin(angle),
                   .along = along,
                   .across = along * fmax((double)layer->size[DIRECTIONS] / 4, 1),
                   .xi = 3 * PI / 4 / ldexp(1, (int)j),
                   .period = 2 * PI / ldexp(1, (int)fine) };
}

/* The transform of the bell, moved to frequencies `xi` along the wave; added up over all frequencies that look the same on the grid. */
static double bells(const wave *w, double y, double x, double xi)
{
    double sum = 0;
    y -= xi * w->sine;
    x -= xi * w->cosine;
    for (int v = -2; v <= 1; v++)
        for (int u = -2; u <= 1; u++) {
            const double a = ((x + u * w->period) * w->cosine + (y + v * w->period) * w->sine) * w->along,
                         b = ((y + v * w->period) * w->cosine - (x + u * w->period) * w->sine) * w->across;
            const double power = (a * a + b * b) / 2;
            if (power < 60) sum += exp(-power);
        }
    return sum;
}

static void make_wave(const deep_layer *layer, deep_real *out, size_t fine, size_t j)
{
    const size_t rows = layer->size[ROWS] >> fine, columns = layer->size[COLUMNS] >> fine;
    for (size_t t = 0; t < layer->size[DIRECTIONS]; t++) {
        const wave w = wave_of(layer, fine, j, t);
        const double kappa = bells(&w, 0, 0, w.xi) / bells(&w, 0, 0, 0);
        for (size_t v = 0; v < rows; v++)
            for (size_t u = 0; u < columns; u++) {
                const double y = 2 * PI * (double)v / (double)layer->size[ROWS],
                             x = 2 * PI * (double)u / (double)layer->size[COLUMNS];
                out[(v * columns + u) * layer->size[DIRECTIONS] + t] =
                    (deep_real)((bells(&w, y, x, w.xi) - kappa * bells(&w, y, x, 0)) /
                                (double)(rows * columns));
            }
    }
}

/* Places of the padded side, every `step`-th, that the average around window o sees. */
typedef struct band {
    size_t first, end;
    double middle, deviation;
} band;

static band band_of(const deep_layer *layer, size_t o, size_t coarse, size_t padded, size_t inside)
{
    const double window = ldexp(1, (int)layer->size[SIZES]), step = ldexp(1, (int)coarse);
    const size_t before = (padded - inside) / 2;
    band b = { .middle = (double)before + ((double)o + 0.5) * window - 0.5,
               .deviation = DEVIATION * window / 2 };
    const double first = ceil((b.middle - 4 * b.deviation) / step),
                 last = floor((b.middle + 4 * b.deviation) / step), most = (double)(padded >> coarse) - 1;
    b.first = first > 0 ? (size_t)first : 0;
    b.end = (size_t)(last < most ? last : most) + 1;
    return b;
}

static void make_weights(const deep_layer *layer, deep_real *out, size_t coarse, size_t windows,
                         size_t padded, size_t inside)
{
    for (size_t o = 0; o < windows; o++, out += padded >> coarse) {
        const band b = band_of(layer, o, coarse, padded, inside);
        double sum = 0;
        for (int second = 0; second < 2; second++)
            for (size_t k = b.first; k < b.end; k++) {
                const double away = (ldexp((double)k, (int)coarse) - b.middle) / b.deviation;
                const double weight = exp(-away * away / 2);
                if (second)
                    out[k] = (deep_real)(weight / sum);
                else
                    sum += weight;
            }
    }
}

static void prepare(const deep_layer *layer, deep_real *out)
{
    const size_t rows = layer->size[ROWS], columns = layer->size[COLUMNS], sizes = layer->size[SIZES];
    deep_fourier_roots(out, rows);
    deep_fourier_roots(out + 2 * rows, columns);
    for (size_t fine = 0; fine < sizes; fine++)
        for (size_t j = fine + (fine > 0); j < sizes; j++)
            make_wave(layer, out + waves_of(layer, fine, j), fine, j);
    for (size_t c = 0; c < sizes; c++) {
        make_weights(layer, out + weights_of(layer, c, false), c, layer->out.height, rows, layer->in.height);
        make_weights(layer, out + weights_of(layer, c, true), c, layer->out.width, columns, layer->in.width);
    }
}

/* --- one picture ---------------------------------------------------------------------------------------------------------- */

typedef struct work {
    const deep_layer *layer;
    const deep_real *table;
    deep_plane picture, spare, first, a,
        b;              /* transforms of the picture, and of what one size found; two for anything */
    deep_real *average; /* windows down, places across */
} work;

static size_t scratch(const deep_layer *layer)
{
    const size_t places = layer->size[ROWS] * layer->size[COLUMNS], lanes = layer->size[DIRECTIONS];
    return 4 * places + 6 * places * lanes + layer->out.height * layer->size[COLUMNS] * lanes;
}

static work work_of(const deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t places = layer->size[ROWS] * layer->size[COLUMNS], n = places * layer->size[DIRECTIONS];
    deep_real *s = pass->scratch + 4 * places;
    return (work){
        .layer = layer,
        .table = pass->table[l],
        .picture = { pass->scratch, pass->scratch + places },
        .spare = { pass->scratch + 2 * places, pass->scratch + 3 * places },
        .first = { s, s + n },
        .a = { s + 2 * n, s + 3 * n },
        .b = { s + 4 * n, s + 5 * n },
        .average = s + 6 * n,
    };
}

static size_t mirrored(size_t at, size_t before, size_t n)
{
    const size_t period = n > 1 ? 2 * (n - 1) : 1;
    const size_t k = (at + before * (period - 1)) % period; /* at - before */
    return k < n ? k : period - k;
}

/* Channel c of the picture with its margins. */
static void take_picture(const work *w, const deep_real *in, size_t c, deep_plane out)
{
    const deep_layer *layer = w->layer;
    const size_t rows = layer->size[ROWS], columns = layer->size[COLUMNS];
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++) {
            const size_t v = mirrored(y, (rows - layer->in.height) / 2, layer->in.height),
                         u = mirrored(x, (columns - layer->in.width) / 2, layer->in.width);
            out.re[y * columns + x] = in[(v * layer->in.width + u) * layer->in.channels + c];
            out.im[y * columns + x] = 0;
        }
}

static void transform(const work *w, size_t coarse, size_t lanes, bool back, deep_plane *a, deep_plane *spare)
{
    const size_t rows = w->layer->size[ROWS], columns = w->layer->size[COLUMNS];
    const deep_fourier f = { rows >> coarse, columns >> coarse, lanes, w->table, w->table + 2 * rows, rows,
                             columns };
    deep_plane x = *a, y = *spare;
    if (back) x = (deep_plane){ a->im, a->re }, y = (deep_plane){ spare->im, spare->re };
    deep_fourier_run(&f, &x, &y);
    *a = back ? (deep_plane){ x.im, x.re } : x;
    *spare = back ? (deep_plane){ y.im, y.re } : y;
}

DEEP_LANES
static void add_scaled(deep_real *restrict out, const deep_real *restrict x, deep_real by, size_t n)
{
    for (size_t k = 0; k < n; k++) out[k] += by * x[k];
}

/* Windows of x, which has every 2^coarse-th place, `lanes` at each, to the channels from `to` on. */
static void average(const work *w, const deep_real *x, size_t coarse, size_t lanes, deep_real *to)
{
    const deep_layer *layer = w->layer;
    const size_t columns = layer->size[COLUMNS] >> coarse, rows = layer->size[ROWS] >> coarse;
    const deep_real *down = w->table + weights_of(layer, coarse, false),
                    *across = w->table + weights_of(layer, coarse, true);
    const size_t line = columns * lanes;
    for (size_t o = 0; o < layer->out.height; o++) {
        const band b = band_of(layer, o, coarse, layer->size[ROWS], layer->in.height);
        deep_real *sum = w->average + o * line;
        memset(sum, 0, line * sizeof *sum);
        for (size_t k = b.first; k < b.end; k++) add_scaled(sum, x + k * line, down[o * rows + k], line);
    }
    for (size_t p = 0; p < layer->out.width; p++) {
        const band b = band_of(layer, p, coarse, layer->size[COLUMNS], layer->in.width);
        for (size_t o = 0; o < layer->out.height; o++) {
            deep_real *sum = to + (o * layer->out.width + p) * layer->out.channels;
            memset(sum, 0, lanes * sizeof *sum);
            for (size_t k = b.first; k < b.end; k++)
                add_scaled(sum, w->average + o * line + k * lanes, across[p * columns + k], lanes);
        }
    }
}

/* The transform x, of `apart` numbers a place, times waves, folded to every 2^(coarse - fine)-th place of those it has. */
DEEP_LANES
static void multiply(const work *w, deep_plane x, size_t apart, size_t fine, size_t coarse, deep_plane out)
{
    const size_t lanes = w->layer->size[DIRECTIONS], columns = w->layer->size[COLUMNS] >> fine,
                 rows = w->layer->size[ROWS] >> fine;
    const size_t few_rows = w->layer->size[ROWS] >> coarse, few = w->layer->size[COLUMNS] >> coarse;
    const deep_real *by = w->table + waves_of(w->layer, fine, coarse);
    memset(out.re, 0, few_rows * few * lanes * sizeof *out.re);
    memset(out.im, 0, few_rows * few * lanes * sizeof *out.im);
    for (size_t v = 0; v < rows; v++)
        for (size_t u = 0; u < columns; u++, by += lanes) {
            const size_t at = (v * columns + u) * apart, to = (v % few_rows * few + u % few) * lanes;
            const deep_real re = x.re[at], im = x.im[at];
            deep_real *restrict a = out.re + to, *restrict b = out.im + to;
            for (size_t t = 0; t < lanes; t++) {
                a[t] += re * by[t];
                b[t] += im * by[t];
            }
        }
}

DEEP_LANES
static void take_modulus(deep_plane x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        x.re[k] = (deep_real)sqrt(x.re[k] * x.re[k] + x.im[k] * x.im[k]);
        x.im[k] = 0;
    }
}

/* What waves of size j find in a transform of every 2^fine-th place: averaged to `to`, and left in w->a. */
static void find(work *w, deep_plane x, size_t apart, size_t fine, size_t j, deep_real *to)
{
    const size_t lanes = w->layer->size[DIRECTIONS];
    multiply(w, x, apart, fine, j, w->a);
    transform(w, j, lanes, true, &w->a, &w->b);
    take_modulus(w->a, (w->layer->size[ROWS] >> j) * (w->layer->size[COLUMNS] >> j) * lanes);
    average(w, w->a.re, j, lanes, to);
}

/* All channels that come of one, in their order. */
static void scatter(work *w, const deep_real *in, size_t c, deep_real *out)
{
    const size_t sizes = w->layer->size[SIZES], lanes = w->layer->size[DIRECTIONS];
    deep_real *second = out + 1 + sizes * lanes;
    deep_plane *const picture = &w->picture;
    take_picture(w, in, c, *picture);
    average(w, picture->re, 0, 1, out);
    transform(w, 0, 1, false, picture, &w->spare);
    for (size_t j = 0; j < sizes; j++) {
        find(w, *picture, 1, 0, j, out + 1 + j * lanes);
        if (j + 1 == sizes) break;
        transform(w, j, lanes, false, &w->a, &w->b);
        const deep_plane found = w->a;
        w->a = w->first;
        w->first = found;
        for (size_t t = 0; t < lanes; t++)
            for (size_t k = j + 1; k < sizes; k++, second += lanes)
                find(w, (deep_plane){ found.re + t, found.im + t }, lanes, j, k, second);
    }
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    for (size_t i = 0; i < pass->examples; i++)
        for (size_t c = 0; c < layer->in.channels; c++) {
            work w = work_of(pass, l);
            scatter(&w, pass->value[l] + i * deep_size(layer->in), c,
                    pass->value[l + 1] + i * deep_size(layer->out) + c * layer->size[EACH]);
        }
}

const deep_kind deep_scatter = {
    .name = "scatter",
    .form = "scatter J L",
    .help = "waves of J sizes and L directions and their moduli, twice, averaged over windows of 2^J x 2^J",
    .shape = shape,
    .scratch = scratch,
    .table = table,
    .prepare = prepare,
    .forward = forward,
};
