/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_AUDIT_SAMPLERS_H
#define TESTS_AUDIT_SAMPLERS_H

/* Small mechanisms to audit, whose true epsilon is known, on repeatable coins. */

#include <math.h>

#include "audit/coins.h"
#include "dusk/audit_mechanisms.h"

typedef struct toy {
    audit_coins coins;
    double scale; /* of the noise, or the chance of a true answer */
    size_t inputs, outputs;
} toy;

static inline double toy_laplace(audit_coins *coins)
{
    double u = audit_uniform(coins) - 0.5;
    return u < 0 ? log1p(2 * u) : -log1p(-2 * u);
}

/* [Box & Muller 1958] */
static inline double toy_normal(audit_coins *coins)
{
    return sqrt(-2 * log(audit_uniform(coins))) * cos(2 * M_PI * audit_uniform(coins));
}

/* Each number with Laplace noise: the differences of the inputs over the scale. */
static inline dusk_status draw_laplace(void *context, double *out, size_t n, const double *input,
                                       dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t->outputs; j++) *out++ = input[j] + t->scale * toy_laplace(&t->coins);
    return DUSK_OK;
}

static inline dusk_status density_laplace(void *context, double *out, const double *outputs, size_t n,
                                          const double *input, dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t j = 0; j < t->outputs; j++) out[i] -= fabs(*outputs++ - input[j]) / t->scale;
    }
    return DUSK_OK;
}

/* Running sums of the same. */
static inline dusk_status draw_prefix_sums(void *context, double *out, size_t n, const double *input,
                                           dusk_error *err)
{
    toy *t = context;
    dusk_status status = draw_laplace(context, out, n, input, err);
    for (size_t i = 0; i < n; i++, out += t->outputs)
        for (size_t j = 1; j < t->outputs; j++) out[j] += out[j - 1];
    return status;
}

/* Each bit kept with probability `scale`, else turned: epsilon ln(scale / (1 - scale)) a bit. */
static inline dusk_status draw_response(void *context, double *out, size_t n, const double *input,
                                        dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t->outputs; j++)
            *out++ = audit_uniform(&t->coins) < t->scale ? input[j] : 1 - input[j];
    return DUSK_OK;
}

/* The place of the largest number with Laplace noise. */
static inline dusk_status draw_noisy_max(void *context, double *out, size_t n, const double *input,
                                         dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        double most = -INFINITY;
        for (size_t j = 0; j < t->inputs; j++) {
            double x = input[j] + t->scale * toy_laplace(&t->coins);
            if (x > most) most = x, out[i] = (double)j;
        }
    }
    return DUSK_OK;
}

/* Sparse vector with c = 1 and threshold 0, forms of Lyu et al. 2017: F's, then the first T
 * (or its noisy value: form 3), then nothing. `scale` is the claimed epsilon. */
static inline dusk_status draw_sparse(void *context, double *out, size_t n, const double *input, int form,
                                      dusk_error *err)
{
    toy *t = context;
    double e = t->scale, rho_scale = form == 4 ? 4 / e : 2 / e;
    double nu_scale = form == 3 || form == 6 ? 2 / e : form == 4 ? 4 / (3 * e) : form == 5 ? 0 : 4 / e;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        double rho = rho_scale * toy_laplace(&t->coins);
        bool ended = false;
        for (size_t j = 0; j < t->inputs; j++) {
            double x = ended ? 0 : input[j] + nu_scale * toy_laplace(&t->coins);
            double said = x >= rho ? (form == 3 ? x : 1) : 0;
            *out++ = ended ? NAN : said;
            if (x >= rho && form < 5) ended = true;
        }
    }
    return DUSK_OK;
}
static inline dusk_status draw_sparse1(void *c, double *o, size_t n, const double *in, dusk_error *e)
{
    return draw_sparse(c, o, n, in, 1, e);
}
static inline dusk_status draw_sparse3(void *c, double *o, size_t n, const double *in, dusk_error *e)
{
    return draw_sparse(c, o, n, in, 3, e);
}
static inline dusk_status draw_sparse4(void *c, double *o, size_t n, const double *in, dusk_error *e)
{
    return draw_sparse(c, o, n, in, 4, e);
}
static inline dusk_status draw_sparse5(void *c, double *o, size_t n, const double *in, dusk_error *e)
{
    return draw_sparse(c, o, n, in, 5, e);
}
static inline dusk_status draw_sparse6(void *c, double *o, size_t n, const double *in, dusk_error *e)
{
    return draw_sparse(c, o, n, in, 6, e);
}

typedef dusk_status toy_draw(void *, double *, size_t, const double *, dusk_error *);
static inline dusk_sampler toy_sampler(toy *t, toy_draw *draw)
{
    return (dusk_sampler){ t, t->inputs, t->outputs, draw, NULL };
}

#endif
