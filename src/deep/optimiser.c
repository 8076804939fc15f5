/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic gradient descent with momentum, Adam [Kingma & Ba 2015], AdamW [Loshchilov & Hutter 2019], AdaGrad [Duchi et al. 2011]. */
#include "deep/optimiser.h"

#include <math.h>

#include "base/memory.h"
#include "deep/real.h"

#define TINY 1e-8

void deep_optimiser_close(deep_optimiser *optimiser)
{
    dusk_deallocate(optimiser->first_moment);
    dusk_deallocate(optimiser->second_moment);
    *optimiser = (deep_optimiser){ .steps = 0 };
}

dusk_status deep_optimiser_open(deep_optimiser *out, deep_method method, double momentum, size_t parameters,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_optimiser o = { .method = method, .momentum = momentum, .second = 0.999, .parameters = parameters };
    *out = (deep_optimiser){ .steps = 0 };
    if ((method != DEEP_SGD && method != DEEP_ADAGRAD) || momentum > 0) DUSK_NEW(o.first_moment, parameters);
    if (method != DEEP_SGD) DUSK_NEW(o.second_moment, parameters);
    *out = o;
    o = (deep_optimiser){ .steps = 0 };
done:
    deep_optimiser_close(&o);
    return status;
}

void deep_optimiser_begin(deep_optimiser *optimiser) { optimiser->steps++; }

DEEP_LANES
static void move_sgd(const deep_optimiser *o, float *restrict p, const float *restrict g, float unit,
                     float *restrict m, size_t n)
{
    const float rate = (float)o->rate, decay = (float)o->weight_decay, momentum = (float)o->momentum;
    if (!m) {
        for (size_t j = 0; j < n; j++) p[j] -= rate * (g[j] * unit + decay * p[j]);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        m[j] = momentum * m[j] + (g[j] * unit + decay * p[j]);
        p[j] -= rate * m[j];
    }
}

DEEP_LANES
static void move_adagrad(const deep_optimiser *o, float *restrict p, const float *restrict g, float unit,
                         float *restrict v, size_t n)
{
    const float rate = (float)o->rate, decay = (float)o->weight_decay;
    for (size_t j = 0; j < n; j++) {
        const float slope = g[j] * unit + decay * p[j];
        v[j] += slope * slope;
        p[j] -= rate * slope / (sqrtf(v[j]) + (float)TINY);
    }
}

/* Does decay stay out of the gradient [Loshchilov & Hutter 2019]? */
static bool goes_apart(deep_method method) { return method == DEEP_ADAMW || method == DEEP_ADAMW_UNBIASED; }

DEEP_LANES
static void move_adam(const deep_optimiser *o, float *restrict p, const float *restrict g, float unit,
                      float *restrict m, float *restrict v, size_t n)
{
    const double t = (double)o->steps, apart = goes_apart(o->method) ? o->weight_decay : 0;
    const float first = (float)(1 / (1 - pow(o->momentum, t))), second = (float)(1 / (1 - pow(o->second, t)));
    const float decay = (float)(o->weight_decay - apart), shrink = (float)(1 - o->rate * apart);
    const float keep = (float)o->momentum, keep2 = (float)o->second, rate = (float)o->rate;
    const float noise = (float)o->noise_variance;
    const float least = noise > 0 ? noise * 0.01f : (float)(TINY * TINY);
    for (size_t j = 0; j < n; j++) {
        const float slope = g[j] * unit + decay * p[j];
        m[j] = keep * m[j] + (1 - keep) * slope;
        v[j] = keep2 * v[j] + (1 - keep2) * slope * slope;
        const float square = v[j] * second - noise;
        p[j] = shrink * p[j] - rate * m[j] * first / sqrtf(square > least ? square : least);
    }
}

void deep_optimiser_move(deep_optimiser *o, float *parameters, const float *gradient, double unit,
                         size_t first, size_t n)
{
    float *p = parameters + first, *m = o->first_moment ? o->first_moment + first : NULL;
    float *v = o->second_moment ? o->second_moment + first : NULL;
    if (o->method == DEEP_SGD)
        move_sgd(o, p, gradient, (float)unit, m, n);
    else if (o->method == DEEP_ADAGRAD)
        move_adagrad(o, p, gradient, (float)unit, v, n);
    else
        move_adam(o, p, gradient, (float)unit, m, v, n);
}
