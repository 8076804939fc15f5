/* SPDX-License-Identifier: Apache-2.0 */
/* Sums for a layer `standard`; see moments.h. Proof: moments.proof.md. */
#include "deep/moments.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

#define BITS 30      /* a row's numbers over the clip are in steps of 2^-30 */
#define HAIR 0x1p-24 /* more than the rounding of a length */
#define LEAST 1e-12  /* of variances, without noise */

/* --- plan ------------------------------------------------------------------------------------------------------------- */

size_t deep_before_standard(const deep_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].kind->measured) return l;
    return DUSK_NO_LINK;
}

dusk_status deep_refuse_standard(const deep_net *net, dusk_error *err)
{
    const size_t l = deep_before_standard(net);
    if (l == DUSK_NO_LINK) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "use layernorm fixed or groupnorm fixed, or train net",
                     "layer %zu (standard): this learner does not measure features", net->layer[l].place);
}

dusk_status deep_check_standard(const deep_net *net, size_t frozen, dusk_error *err)
{
    const size_t at = deep_before_standard(net);
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *other = &net->layer[l];
        if (l > at && other->kind->measured)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave one of them out",
                             "layer %zu (standard): there is another one before it", other->place);
        if (l < at && l >= frozen && (other->parameters > 0 || other->kind->coins))
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "put it before all layers that are learned, or freeze those before it",
                             "layer %zu (standard): what comes before it changes from step to step",
                             net->layer[at].place);
        if (l < at && !strcmp(other->kind->name, "residual") && other->partner > at)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "put it before or behind the block",
                             "layer %zu (standard): it stands within a residual block", net->layer[at].place);
    }
    return DUSK_OK;
}

DUSK_PROVEN(deep_plan_moments)
dusk_status deep_plan_moments(learn_job *job, deep_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t at = deep_before_standard(&p->net);
    p->measured = DUSK_NO_LINK;
    if (at == DUSK_NO_LINK) return DUSK_OK;
    const deep_layer *layer = &p->net.layer[at];
    if (p->start.layers > at) return DUSK_OK; /* its numbers come with the start */
    p->measured = at;
    if (job->plain) return DUSK_OK;
    if (job->budget.multiplier > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon",
                         "a layer standard is paid for by a part of epsilon");
    DUSK_TRY(learn_budget_noise(&job->budget, &p->moments, (uint32_t)(2 * layer->in.channels), 0x1p30, -BITS,
                                job->budget.left * learn_setting(job, "scaling_share"), 1, err));
    learn_say(job,
              "means and squares of %zu channels of features, a row's held down to %.4g, with noise of %.4g "
              "times that: features are scaled "
              "to mean 0 and deviation 1",
              layer->in.channels, layer->number[0], p->moments.deviation);
done:
    return status;
}

/* --- fit ------------------------------------------------------------------------------------------------------------------ */

/* Means over the places of a row, of each channel and of its square. */
static void moments_of(const deep_real *x, size_t places, size_t channels, double *out)
{
    for (size_t c = 0; c < 2 * channels; c++) out[c] = 0;
    for (size_t t = 0; t < places; t++)
        for (size_t c = 0; c < channels; c++) {
            const double value = (double)x[t * channels + c];
            out[c] += value;
            out[channels + c] += value * value;
        }
    for (size_t c = 0; c < 2 * channels; c++) out[c] /= (double)places;
}

/* In steps, no longer than 2^BITS of them together; nothing where one is no number. */
DUSK_PROVEN(add_row)
static void add_row(const double *moment, size_t n, double clip, dusk_int128 *total)
{
    double square = 0;
    for (size_t j = 0; j < n; j++) square += moment[j] * moment[j];
    const double length = sqrt(square) * (1 + HAIR) / clip;
    if (!isfinite(length)) return;
    const double scale = 0x1p30 / (clip * DUSK_MUTATE(DEEP_MOMENTS_ARE_NOT_CLIPPED, fmax(length, 1), 1));
    for (size_t j = 0; j < n; j++) total[j] += (dusk_int128)(moment[j] * scale * (1 - HAIR));
}

/* What was released, as means and 1 / deviations. A variance that the noise could have made is not believed. */
static void set_scales(const deep_plan *p, const double *released, size_t channels, double clip, float *out)
{
    const double noise = p->plain ? 0 : p->moments.deviation, least = 2 * noise * clip / p->rows + LEAST;
    for (size_t c = 0; c < channels; c++) {
        const double mean = released[c] * clip / p->rows, square = released[channels + c] * clip / p->rows;
        out[c] = (float)mean;
        out[channels + c] = (float)(1 / sqrt(fmax(square - mean * mean, least)));
    }
}

DUSK_PROVEN(deep_fit_moments)
dusk_status deep_fit_moments(const deep_plan *p, const deep_rows *rows, float *parameters,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_layer *layer = &p->net.layer[p->measured];
    const size_t channels = layer->in.channels, n = 2 * channels;
    dusk_int128 *total = NULL;
    double *released = NULL, *moment = NULL;
    deep_real *x = NULL;
    DUSK_NEW(total, n);
    DUSK_NEW(released, n);
    DUSK_NEW(moment, n);
    DUSK_NEW(x, rows->width);
    for (size_t i = 0; i < rows->rows; i++) {
        deep_rows_take(rows, i, x);
        moments_of(x, deep_positions(layer->in), channels, moment);
        add_row(moment, n, layer->number[0], total);
    }
    if (p->plain)
        for (size_t j = 0; j < n; j++) released[j] = ldexp((double)total[j], -BITS);
    else
        DUSK_TRY(learn_noise_release(&p->moments, released, total, gen, err));
    set_scales(p, released, channels, layer->number[0], parameters + layer->first);
done:
    if (total) dusk_wipe(total, n * sizeof *total);
    if (moment) dusk_wipe(moment, n * sizeof *moment);
    if (x) dusk_wipe(x, rows->width * sizeof *x);
    dusk_deallocate(total);
    dusk_deallocate(released);
    dusk_deallocate(moment);
    dusk_deallocate(x);
    return status;
}
