/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace, Gaussian, geometric and discrete Laplace noise from exactly rounded
 * quantiles; see noise_additive.h and additive.proof.md. */
#include "random/noise_additive.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "random/discrete_gaussian.h"

void dusk_additive_init(dusk_additive *out, dusk_additive_law law, double scale, unsigned width)
{
    *out = (dusk_additive){ .law = law, .scale = scale };
    switch (law) {
    case DUSK_ADDITIVE_LAPLACE:
        dusk_rounded_init(&out->draw, DUSK_TAIL_EXPONENTIAL, scale, 0, 0.5, width);
        break;
    case DUSK_ADDITIVE_GAUSSIAN:
        dusk_rounded_init(&out->draw, DUSK_TAIL_HALF_NORMAL, scale, 0, 0.5, width);
        break;
    case DUSK_ADDITIVE_DISCRETE_LAPLACE:
    case DUSK_ADDITIVE_GEOMETRIC:
        dusk_rounded_init(&out->draw, DUSK_TAIL_EXPONENTIAL, scale, 0, 0, width);
        break;
    case DUSK_ADDITIVE_DISCRETE_GAUSSIAN: dusk_discrete_gaussian_sampler_init(out, scale, width); break;
    }
}

/* One magnitude, and its sign if asked for. */
static dusk_status draw_one(const dusk_additive *a, dusk_int128 *out, bool with_sign, dusk_generator *gen,
                            dusk_error *err)
{
    dusk_rounded_draw draw;
    dusk_status status = dusk_rounded_few(&a->draw, &draw, 1, gen, err);
    if (status != DUSK_OK) return status;
    dusk_int128 sign = -(dusk_int128)(with_sign & draw.negative);
    *out = (draw.magnitude ^ sign) - sign;
    if (draw.resolved) dusk_lazy_clear(&draw.v);
    return DUSK_OK;
}

/* The difference of two independent geometric numbers. Their saturation at
 * 2^126 would take 2^65 coins. */
static dusk_status draw_discrete_laplace(const dusk_additive *a, dusk_int128 *out, dusk_generator *gen,
                                         dusk_error *err)
{
    dusk_rounded_draw draw[2];
    dusk_status status = dusk_rounded_few(&a->draw, draw, 2, gen, err);
    if (status != DUSK_OK) return status;
    *out =
        draw[0].magnitude - DUSK_MUTATE(DISCRETE_LAPLACE_ONE_SIDED, draw[1].magnitude, draw[0].magnitude / 2);
    for (int i = 0; i < 2; i++)
        if (draw[i].resolved) dusk_lazy_clear(&draw[i].v);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_additive_draw)
dusk_status dusk_additive_draw(const dusk_additive *additive, dusk_int128 *out, dusk_generator *gen,
                               dusk_error *err)
{
    switch (additive->law) {
    case DUSK_ADDITIVE_LAPLACE:
    case DUSK_ADDITIVE_GAUSSIAN: return draw_one(additive, out, true, gen, err);
    case DUSK_ADDITIVE_GEOMETRIC: return draw_one(additive, out, false, gen, err);
    case DUSK_ADDITIVE_DISCRETE_LAPLACE: return draw_discrete_laplace(additive, out, gen, err);
    case DUSK_ADDITIVE_DISCRETE_GAUSSIAN: return dusk_discrete_gaussian_sampler_draw(additive, out, gen, err);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "unknown noise law");
}

/* up - down where at least one of two geometric numbers was saturated at 2^62:
 * a geometric number that is at least 2^62 is 2^62 plus a fresh one. */
static dusk_status subtract_saturated(const dusk_additive *a, int64_t *out, int64_t up, int64_t down,
                                      dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 62;
    dusk_int128 more = 0, less = 0, k;
    dusk_status status = DUSK_OK;
    if (up == most) DUSK_TRY(draw_one(a, &more, false, gen, err));
    if (down == most) DUSK_TRY(draw_one(a, &less, false, gen, err));
    k = up + more - (down + less);
    *out = (int64_t)(k > most ? most : k < -most ? -most : k);
done:
    return status;
}

static dusk_status fill_discrete_laplace(const dusk_additive *a, int64_t *out, size_t n, dusk_generator *gen,
                                         dusk_error *err)
{
    const int64_t most = (int64_t)1 << 62;
    int64_t down[DUSK_BLOCK];
    dusk_status status = DUSK_OK;
    for (size_t at = 0; at < n; at += DUSK_BLOCK) {
        size_t m = n - at < DUSK_BLOCK ? n - at : DUSK_BLOCK;
        int64_t *up = out + at, saturated = 0;
        DUSK_TRY(dusk_rounded_fill(&a->draw, up, m, false, gen, err));
        DUSK_TRY(dusk_rounded_fill(&a->draw, down, m, false, gen, err));
        for (size_t i = 0; i < m; i++) saturated |= (up[i] | down[i]) & most;
        for (size_t i = 0; i < m && saturated; i++)
            if ((up[i] | down[i]) & most) {
                DUSK_TRY(subtract_saturated(a, &up[i], up[i], down[i], gen, err));
                down[i] = 0;
            }
        for (size_t i = 0; i < m; i++) up[i] -= down[i];
    }
done:
    dusk_wipe(down, sizeof down);
    return status;
}

DUSK_PROVEN(dusk_additive_fill)
dusk_status dusk_additive_fill(const dusk_additive *additive, int64_t *out, size_t n, dusk_generator *gen,
                               dusk_error *err)
{
    switch (additive->law) {
    case DUSK_ADDITIVE_LAPLACE:
    case DUSK_ADDITIVE_GAUSSIAN: return dusk_rounded_fill(&additive->draw, out, n, true, gen, err);
    case DUSK_ADDITIVE_GEOMETRIC: return dusk_rounded_fill(&additive->draw, out, n, false, gen, err);
    case DUSK_ADDITIVE_DISCRETE_LAPLACE: return fill_discrete_laplace(additive, out, n, gen, err);
    case DUSK_ADDITIVE_DISCRETE_GAUSSIAN:
        return dusk_discrete_gaussian_sampler_fill(additive, out, n, gen, err);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "unknown noise law");
}
