/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and sequences, by definition. */
#include <math.h>

#include "deep/reference.h"

#define EVERY(i, n) for (size_t i = 0; i < (n); i++)

/* --- embedding: row number x of a matrix ---------------------------------------------------------------------------------- */

/* The token of a number: the nearest whole one, 0 for what is none of them. */
static long token_of(const deep_layer *layer, double x)
{
    const double token = floor(x + 0.5);
    return token > 0 && token < (double)layer->parameters / (double)layer->out.channels ? (long)token : 0;
}

static void embedding(deep_reference *r, size_t l, bool back)
{
    const deep_layer *layer = &r->net->layer[l];
    const size_t width = layer->out.channels;
    EVERY(t, deep_size(layer->in)) EVERY(c, width)
    {
        const long token = token_of(layer, r->value[l][t]);
        const size_t at = layer->first + (size_t)token * width + c;
        const bool nothing = layer->size[1] > 0 && token == (long)layer->size[1] - 1;
        if (!back) r->value[l + 1][t * width + c] = nothing ? 0 : r->parameters[at];
        if (back && !nothing) r->gradient[at] += r->slope[l + 1][t * width + c];
    }
}

static void embedding_forward(deep_reference *r, size_t l) { embedding(r, l, false); }
static void embedding_backward(deep_reference *r, size_t l) { embedding(r, l, true); }

/* --- lstm and gru: all places forward, once more for backward, which goes through them from the end -------------------------- */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* What one place of one number of h is made of. */
typedef struct step {
    double i, f, g, o, c; /* lstm */
    double z, r, n, q;    /* gru; q = U h of n */
    double h;
} step;

typedef struct cell {
    size_t places, channels, width;
    const double *w, *u; /* rows of channels + 1, and of width */
    double *dw, *du;
    const double *x;
    double *dx;
    step *at;               /* places * width */
    double *dh, *next, *dc; /* slopes of h at the place at hand, of h before, and of c */
} cell;

static cell cell_of(deep_reference *r, size_t l, size_t gates)
{
    const deep_layer *layer = &r->net->layer[l];
    cell c = { deep_positions(layer->in), layer->in.channels, layer->out.channels, .at = (step *)r->work };
    const size_t w = gates * c.width * (c.channels + 1);
    c.w = r->parameters + layer->first, c.u = c.w + w;
    c.dw = r->gradient + layer->first, c.du = c.dw + w;
    c.x = r->value[l], c.dx = r->slope[l];
    c.dh = (double *)(c.at + c.places * c.width), c.next = c.dh + c.width, c.dc = c.next + c.width;
    EVERY(j, 3 * c.width) c.dh[j] = 0;
    return c;
}

static double h_before(const cell *c, size_t t, size_t j)
{
    return t > 0 ? c->at[(t - 1) * c->width + j].h : 0;
}

static double by_w(const cell *c, size_t t, size_t row)
{
    const double *w = c->w + row * (c->channels + 1);
    double sum = w[c->channels];
    EVERY(k, c->channels) sum += w[k] * c->x[t * c->channels + k];
    return sum;
}

static double by_u(const cell *c, size_t t, size_t row)
{
    double sum = 0;
    EVERY(k, c->width) sum += c->u[row * c->width + k] * h_before(c, t, k);
    return sum;
}

/* What slope d of by_w and by_u means. */
static void back_w(cell *c, size_t t, size_t row, double d)
{
    const size_t first = row * (c->channels + 1);
    EVERY(k, c->channels)
    {
        c->dw[first + k] += d * c->x[t * c->channels + k];
        c->dx[t * c->channels + k] += d * c->w[first + k];
    }
    c->dw[first + c->channels] += d;
}

static void back_u(cell *c, size_t t, size_t row, double d)
{
    EVERY(k, c->width)
    {
        c->du[row * c->width + k] += d * h_before(c, t, k);
        c->next[k] += d * c->u[row * c->width + k];
    }
}

static void lstm_steps(cell *c)
{
    const size_t h = c->width;
    EVERY(t, c->places) EVERY(j, h)
    {
        step *s = &c->at[t * h + j];
        s->i = sigmoid(by_w(c, t, j) + by_u(c, t, j));
        s->f = sigmoid(by_w(c, t, h + j) + by_u(c, t, h + j));
        s->g = tanh(by_w(c, t, 2 * h + j) + by_u(c, t, 2 * h + j));
        s->o = sigmoid(by_w(c, t, 3 * h + j) + by_u(c, t, 3 * h + j));
        s->c = s->f * (t > 0 ? s[-(long)h].c : 0) + s->i * s->g;
        s->h = s->o * tanh(s->c);
    }
}

static void gru_steps(cell *c)
{
    const size_t h = c->width;
    EVERY(t, c->places) EVERY(j, h)
    {
        step *s = &c->at[t * h + j];
        s->z = sigmoid(by_w(c, t, h + j) + by_u(c, t, j));
        s->r = sigmoid(by_w(c, t, 2 * h + j) + by_u(c, t, h + j));
        s->q = by_u(c, t, 2 * h + j);
        s->n = tanh(by_w(c, t, j) + s->r * s->q);
        s->h = (1 - s->z) * s->n + s->z * h_before(c, t, j);
    }
}

static void put(deep_reference *r, size_t l, const cell *c)
{
    const bool last = r->net->layer[l].size[2];
    EVERY(t, c->places) EVERY(j, c->width)
    {
        if (!last) r->value[l + 1][t * c->width + j] = c->at[t * c->width + j].h;
        if (last && t + 1 == c->places) r->value[l + 1][j] = c->at[t * c->width + j].h;
    }
}

/* dh of place t: from above, and what came from the next. */
static void take(const deep_reference *r, size_t l, cell *c, size_t t)
{
    const bool last = r->net->layer[l].size[2];
    EVERY(j, c->width)
    {
        c->dh[j] = c->next[j];
        c->next[j] = 0;
        if (!last) c->dh[j] += r->slope[l + 1][t * c->width + j];
        if (last && t + 1 == c->places) c->dh[j] += r->slope[l + 1][j];
    }
}

static void lstm(deep_reference *r, size_t l, bool back)
{
    cell c = cell_of(r, l, 4);
    const size_t h = c.width;
    lstm_steps(&c);
    if (!back) put(r, l, &c);
    for (size_t t = c.places; back && t-- > 0;) {
        take(r, l, &c, t);
        EVERY(j, h)
        {
            const step *s = &c.at[t * h + j];
            const double y = tanh(s->c);
            c.dc[j] += c.dh[j] * s->o * (1 - y * y);
            const double d[4] = { c.dc[j] * s->g * s->i * (1 - s->i),
                                  c.dc[j] * (t > 0 ? s[-(long)h].c : 0) * s->f * (1 - s->f),
                                  c.dc[j] * s->i * (1 - s->g * s->g), c.dh[j] * y * s->o * (1 - s->o) };
            EVERY(k, 4) back_w(&c, t, k * h + j, d[k]);
            EVERY(k, 4) back_u(&c, t, k * h + j, d[k]);
            c.dc[j] *= s->f;
        }
    }
}

static void gru(deep_reference *r, size_t l, bool back)
{
    cell c = cell_of(r, l, 3);
    const size_t h = c.width;
    gru_steps(&c);
    if (!back) put(r, l, &c);
    for (size_t t = c.places; back && t-- > 0;) {
        take(r, l, &c, t);
        EVERY(j, h)
        {
            const step *s = &c.at[t * h + j];
            const double dn = c.dh[j] * (1 - s->z) * (1 - s->n * s->n);
            const double dz = c.dh[j] * (h_before(&c, t, j) - s->n) * s->z * (1 - s->z);
            const double dr = dn * s->q * s->r * (1 - s->r);
            back_w(&c, t, j, dn);
            back_w(&c, t, h + j, dz);
            back_w(&c, t, 2 * h + j, dr);
            back_u(&c, t, j, dz);
            back_u(&c, t, h + j, dr);
            back_u(&c, t, 2 * h + j, dn * s->r);
            c.next[j] += c.dh[j] * s->z;
        }
    }
}

static void lstm_forward(deep_reference *r, size_t l) { lstm(r, l, false); }
static void lstm_backward(deep_reference *r, size_t l) { lstm(r, l, true); }
static void gru_forward(deep_reference *r, size_t l) { gru(r, l, false); }
static void gru_backward(deep_reference *r, size_t l) { gru(r, l, true); }

const deep_reference_kind deep_reference_sequences[] = {
    { "embedding", embedding_forward, embedding_backward },
    { "lstm", lstm_forward, lstm_backward },
    { "gru", gru_forward, gru_backward },
    { NULL, NULL, NULL },
};
