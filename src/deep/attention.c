/* SPDX-License-Identifier: Apache-2.0 */
/* Every place looks at all places, or at those up to itself: multi-head attention [Vaswani et al. 2017]. Q, K and V are affine maps of what comes in; each head
 * has its share of their channels, and gives softmax(Q K^T / sqrt(d)) V; an affine map of all heads comes out. And the places
 * themselves, as numbers that are added. */
#include "deep/affine.h"
#include "deep/loss.h"

enum { HEADS, CAUSAL };

/* Numbers of an example that are kept, and where. */
typedef struct parts {
    size_t places, channels, heads, width; /* T, C, and C / heads */
    size_t mixed, weights, slopes,
        kept; /* after Q, K, V (T x 3C): T x C; heads of T x T; slopes of Q, K, V */
} parts;

static parts parts_of(const deep_layer *layer)
{
    parts p = { .places = deep_positions(layer->in), .channels = layer->in.channels };
    p.heads = layer->size[HEADS];
    p.width = p.channels / p.heads;
    p.mixed = p.places * 3 * p.channels;
    p.weights = p.mixed + p.places * p.channels;
    p.slopes = p.weights + p.heads * p.places * p.places;
    p.kept = p.slopes + p.places * 3 * p.channels;
    return p;
}

static void shape(deep_layer *layer, deep_words *words)
{
    const size_t c = layer->in.channels, t = deep_positions(layer->in);
    layer->size[HEADS] = deep_take(words, "how many heads", 1, 1024);
    layer->size[CAUSAL] = deep_flag(words, "causal");
    if (c % layer->size[HEADS] != 0)
        deep_refuse(words, "%zu heads do not divide %zu channels", layer->size[HEADS], c);
    if (t > 1 << 12 || c > 1 << 13) {
        deep_refuse(words, "it is too large: at most 4096 places of 8192 channels");
        return;
    }
    layer->kept = parts_of(layer).kept;
    layer->parameters = 4 * c * (c + 1);
}

/* Slopes of what is mixed, T x C, and of weights, T x T. */
static size_t scratch(const deep_layer *layer)
{
    const parts p = parts_of(layer);
    return p.places * p.channels + p.places * p.places;
}

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    const size_t c = layer->in.channels;
    for (size_t k = 0; k < 4; k++) deep_affine_start(parameters + k * c * (c + 1), c, c, uniform, coins);
}

static deep_affine map_in(const deep_pass *pass, size_t l)
{
    const size_t c = pass->net->layer[l].in.channels;
    return (deep_affine){ deep_parameters(pass, l), 3 * c, c };
}

static deep_affine map_out(const deep_pass *pass, size_t l)
{
    const size_t c = pass->net->layer[l].in.channels;
    return (deep_affine){ deep_parameters(pass, l) + 3 * c * (c + 1), c, c };
}

/* The weights of one head: T x T, each row of sum 1; zero where a place is not looked at. */
static void weigh(deep_real *w, const parts *p, bool causal)
{
    const deep_real scale = 1 / (deep_real)sqrt((double)p->width);
    for (size_t t = 0; t < p->places; t++, w += p->places) {
        const size_t seen = causal ? t + 1 : p->places;
        for (size_t u = 0; u < seen; u++) w[u] *= scale;
        deep_softmax(w, w, seen);
        for (size_t u = seen; u < p->places; u++) w[u] = 0;
    }
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const parts p = parts_of(layer);
    const deep_affine in = map_in(pass, l), out = map_out(pass, l);
    const size_t n = p.places, c = p.channels, step = 3 * c;
    for (size_t i = 0; i < pass->examples; i++) {
        deep_real *kept = pass->kept[l] + i * p.kept;
        deep_affine_forward(pass, &in, pass->value[l] + i * n * c, kept, n);
        for (size_t h = 0; h < p.heads; h++) {
            const deep_real *q = kept + h * p.width, *k = q + c, *v = k + c;
            deep_real *w = kept + p.weights + h * n * n;
            deep_gemm(pass->level, w, n, (deep_view){ q, step, 1 }, (deep_view){ k, 1, step }, n, n, p.width,
                      false, &pass->gemm);
            weigh(w, &p, layer->size[CAUSAL]);
            deep_gemm(pass->level, kept + p.mixed + h * p.width, c, (deep_view){ w, n, 1 },
                      (deep_view){ v, step, 1 }, n, p.width, n, false, &pass->gemm);
        }
        deep_affine_forward(pass, &out, kept + p.mixed, pass->value[l + 1] + i * n * c, n);
    }
}

/* Slopes of weights to those of products of Q and K, in place: dS = W (dW - sum of W dW) / sqrt(d), row by row. */
DEEP_LANES
static void unweigh(deep_real *restrict d, const deep_real *restrict w, const parts *p)
{
    const deep_real scale = 1 / (deep_real)sqrt((double)p->width);
    for (size_t t = 0; t < p->places; t++, d += p->places, w += p->places) {
        deep_real sum = 0;
        for (size_t u = 0; u < p->places; u++) sum += w[u] * d[u];
        for (size_t u = 0; u < p->places; u++) d[u] = w[u] * (d[u] - sum) * scale;
    }
}

static void backward(deep_pass *pass, size_t l)
{
    const parts p = parts_of(&pass->net->layer[l]);
    const deep_affine in = map_in(pass, l), out = map_out(pass, l);
    const size_t n = p.places, c = p.channels, step = 3 * c;
    deep_real *mixed = pass->scratch, *d = mixed + n * c;
    for (size_t i = 0; i < pass->examples; i++) {
        const deep_real *kept = pass->kept[l] + i * p.kept;
        deep_real *slopes = pass->kept[l] + i * p.kept + p.slopes;
        deep_affine_backward(pass, &out, pass->slope[l + 1] + i * n * c, mixed, n);
        for (size_t h = 0; h < p.heads; h++) {
            const deep_real *q = kept + h * p.width, *k = q + c, *v = k + c;
            const deep_real *w = kept + p.weights + h * n * n, *dm = mixed + h * p.width;
            deep_real *dq = slopes + h * p.width, *dk = dq + c, *dv = dk + c;
            deep_gemm(pass->level, dv, step, (deep_view){ w, 1, n }, (deep_view){ dm, c, 1 }, n, p.width, n,
                      false, &pass->gemm);
            deep_gemm(pass->level, d, n, (deep_view){ dm, c, 1 }, (deep_view){ v, 1, step }, n, n, p.width,
                      false, &pass->gemm);
            unweigh(d, w, &p);
            deep_gemm(pass->level, dq, step, (deep_view){ d, n, 1 }, (deep_view){ k, step, 1 }, n, p.width, n,
                      false, &pass->gemm);
            deep_gemm(pass->level, dk, step, (deep_view){ d, 1, n }, (deep_view){ q, step, 1 }, n, p.width, n,
                      false, &pass->gemm);
        }
        deep_affine_backward(pass, &in, slopes, pass->slope[l] + i * n * c, n);
    }
}

static size_t matrices(const deep_layer *layer, deep_matrix *out)
{
    const size_t c = layer->in.channels;
    out[0] = (deep_matrix){ 3 * c, c, true, 0 };
    out[1] = (deep_matrix){ c, c, true, 3 * c * (c + 1) };
    return 2;
}

static size_t factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out)
{
    const parts p = parts_of(&pass->net->layer[l]);
    const size_t n = p.places, c = p.channels;
    const deep_real *kept = pass->kept[l] + i * p.kept;
    out[0] = (deep_factors){ .positions = n, .rows = 3 * c, .columns = c };
    out[0].left = kept + p.slopes;
    out[0].left_step = 3 * c;
    out[0].right = pass->value[l] + i * n * c;
    out[1] = (deep_factors){ .positions = n, .rows = c, .columns = c };
    out[1].left = pass->slope[l + 1] + i * n * c;
    out[1].left_step = c;
    out[1].right = kept + p.mixed;
    out[1].first = 3 * c * (c + 1);
    out[0].right_step = out[1].right_step = c;
    out[0].constant = out[1].constant = true;
    return 2;
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    deep_factors f[DEEP_PAIRS];
    const size_t pairs = factors(pass, l, i, f);
    for (size_t k = 0; k < pairs; k++) deep_affine_gradient(pass, &f[k], out + f[k].first);
}

const deep_kind deep_attention = {
    .name = "attention",
    .form = "attention HEADS [causal]",
    .help = "every place looks at all places by so many heads; causal: at those up to itself",
    .shape = shape,
    .scratch = scratch,
    .start = start,
    .forward = forward,
    .backward = backward,
    .inner = true,
    .gradient = gradient,
    .factors = factors,
    .matrices = matrices,
};
