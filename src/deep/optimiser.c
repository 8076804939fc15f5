/* SPDX-License-Identifier: Apache-2.0 */
/* Stochastic gradient descent with momentum, Adam [Kingma & Ba 2015], AdamW [Loshchilov & Hutter 2019], AdaGrad [Duchi et al. 2011]. */
#include "deep/optimiser.h"

#include <math.h>

#include "base/memory.h"

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
    if (method == DEEP_ADAM || method == DEEP_ADAMW || momentum > 0) DUSK_NEW(o.first_moment, parameters);
    if (method != DEEP_SGD) DUSK_NEW(o.second_moment, parameters);
    *out = o;
    o = (deep_optimiser){ .steps = 0 };
done:
    deep_optimiser_close(&o);
    return status;
}

void deep_optimiser_begin(deep_optimiser *optimiser) { optimiser->steps++; }

static void move_sgd(const deep_optimiser *o, float *p, const double *g, float *m, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double step = g[j] + o->weight_decay * (double)p[j];
        if (m) step = m[j] = (float)(o->momentum * (double)m[j] + step);
        p[j] -= (float)(o->rate * step);
    }
}

static void move_adagrad(const deep_optimiser *o, float *p, const double *g, float *v, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double slope = g[j] + o->weight_decay * (double)p[j];
        v[j] += (float)(slope * slope);
        p[j] -= (float)(o->rate * slope / (sqrt((double)v[j]) + TINY));
    }
}

static void move_adam(const deep_optimiser *o, float *p, const double *g, float *m, float *v, size_t n)
{
    const double t = (double)o->steps;
    const double first = 1 / (1 - pow(o->momentum, t)), second = 1 / (1 - pow(o->second, t));
    const double decay = o->method == DEEP_ADAMW ? 0 : o->weight_decay;
    const double shrink = o->method == DEEP_ADAMW ? 1 - o->rate * o->weight_decay : 1;
    for (size_t j = 0; j < n; j++) {
        const double slope = g[j] + decay * (double)p[j];
        m[j] = (float)(o->momentum * (double)m[j] + (1 - o->momentum) * slope);
        v[j] = (float)(o->second * (double)v[j] + (1 - o->second) * slope * slope);
        const double square = (double)v[j] * second - o->noise_variance;
        const double least = o->noise_variance > 0 ? o->noise_variance * 1e-2 : TINY * TINY;
        p[j] = (float)(shrink * (double)p[j] -
                       o->rate * (double)m[j] * first / sqrt(square > least ? square : least));
    }
}

void deep_optimiser_move(deep_optimiser *o, float *parameters, const double *gradient, size_t first, size_t n)
{
    float *p = parameters + first, *m = o->first_moment ? o->first_moment + first : NULL;
    float *v = o->second_moment ? o->second_moment + first : NULL;
    if (o->method == DEEP_SGD)
        move_sgd(o, p, gradient, m, n);
    else if (o->method == DEEP_ADAGRAD)
        move_adagrad(o, p, gradient, v, n);
    else
        move_adam(o, p, gradient, m, v, n);
}
