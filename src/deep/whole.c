/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients made whole; see whole.h. */
#include "deep/whole.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/training.h"
#include "learn/normals.h"

enum { PIECE = 512 };

dusk_status deep_whole_plan(learn_job *job, deep_plan *p, dusk_error *err)
{
    p->smooth = (size_t)learn_setting(job, "smooth");
    p->smooth_radius = learn_setting(job, "smooth_radius");
    p->bias_noise = learn_setting(job, "bias_noise");
    if (p->smooth == 0 && p->bias_noise == 0) return DUSK_OK;
    if (p->tuning.part)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out smooth and bias_noise, or tune all",
                         "gradients by a part of the parameters are not made whole");
    if (p->net.parameters - p->frozen_parameters > DEEP_WHOLE_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out smooth and bias_noise",
                         "gradients of %zu numbers are too large to be made whole, row by row",
                         p->net.parameters - p->frozen_parameters);
    if (p->bias_noise > 0 && job->plain)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out bias_noise",
                         "without privacy gradients are not clipped, and there is no bias");
    if (p->smooth > 0)
        learn_say(job, "gradients are means over %zu networks, parameters moved by normal numbers of %.4g",
                  p->smooth, p->smooth_radius);
    if (p->bias_noise > 0)
        learn_say(job, "noise of about %.4g times the clip is added to each gradient before it is clipped",
                  p->bias_noise);
    return DUSK_OK;
}

bool deep_is_whole(const deep_plan *p) { return (p->smooth > 0 && !p->plain) || p->bias_noise > 0; }

size_t deep_whole_room(const deep_net *net, size_t most)
{
    const size_t room = ((size_t)1 << 22) / (net->parameters + 1);
    return room > most ? most : room < 1 ? 1 : room;
}

dusk_status deep_whole_open(deep_whole *out, const deep_net *net, size_t room, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_whole whole = { .parameters = net->parameters, .room = room };
    *out = (deep_whole){ 0 };
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].parameters > whole.most) whole.most = net->layer[l].parameters;
    DUSK_NEW(whole.gradient, room * whole.parameters);
    DUSK_NEW(whole.one, whole.most);
    *out = whole;
    whole = (deep_whole){ 0 };
done:
    deep_whole_close(&whole);
    return status;
}

void deep_whole_close(deep_whole *whole)
{
    if (whole->gradient)
        dusk_wipe(whole->gradient, whole->room * whole->parameters * sizeof *whole->gradient);
    if (whole->one) dusk_wipe(whole->one, whole->most * sizeof *whole->one);
    dusk_deallocate(whole->gradient);
    dusk_deallocate(whole->one);
    *whole = (deep_whole){ 0 };
}

void deep_whole_reset(deep_whole *whole, size_t examples)
{
    if (DUSK_MUTATE(DEEP_WHOLE_IS_KEPT, true, false))
        memset(whole->gradient, 0, examples * whole->parameters * sizeof *whole->gradient);
    (void)examples;
}

DEEP_LANES
static void add(deep_real *restrict to, const deep_real *restrict from, size_t n, deep_real share)
{
    for (size_t j = 0; j < n; j++) to[j] += from[j] * share;
}

void deep_whole_add(deep_whole *whole, deep_pass *pass, deep_real share)
{
    for (size_t l = 0; l < pass->net->layers; l++) {
        const deep_layer *layer = &pass->net->layer[l];
        for (size_t i = 0; layer->parameters > 0 && i < pass->examples; i++) {
            deep_gradient(pass, l, i, whole->one);
            add(whole->gradient + i * whole->parameters + layer->first, whole->one, layer->parameters, share);
        }
    }
}

/* Sums of four uniform numbers of 16 bits: about normal, and exactly symmetric [splitmix64: Steele et al. 2014]. */
DEEP_LANES
static void shake(deep_real *to, size_t n, uint64_t coin, deep_real scale)
{
    for (size_t j = 0; j < n; j++) {
        uint64_t z = (coin ^ 0x5851f42d4c957f2du) + 0x9e3779b97f4a7c15u * (j + 1);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        const int32_t sum =
            (int32_t)((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48)) - 2 * 0xffff;
        to[j] += (deep_real)sum * scale;
    }
}

void deep_whole_shake(deep_whole *whole, const deep_pass *pass, double length)
{
    /* the deviation of a sum is sqrt(4 / 12) 2^16 */
    const double scale = length / (sqrt((double)whole->parameters / 3) * 0x1p16);
    for (size_t i = 0; i < pass->examples; i++)
        shake(whole->gradient + i * whole->parameters, whole->parameters,
              pass->coin[i] + DUSK_MUTATE(DEEP_SHAKEN_BY_OTHERS, 0, pass->examples), (deep_real)scale);
}

dusk_status deep_whole_move(float *out, const float *parameters, size_t n, size_t copies, double radius,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double normal[PIECE];
    for (size_t k = 0; k < copies; k++, out += n)
        for (size_t first = 0, size; first < n; first += size) {
            size = n - first < PIECE ? n - first : PIECE;
            DUSK_TRY(learn_normals(normal, size, gen, err));
            for (size_t j = 0; j < size; j++)
                out[first + j] = (float)((double)parameters[first + j] + radius * normal[j]);
        }
done:
    return status;
}
