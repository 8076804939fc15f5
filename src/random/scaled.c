/* SPDX-License-Identifier: Apache-2.0 */
/* value + scale Z, rounded exactly: the digits of a uniform v are drawn until
 * the enclosure of value +- scale Q(v) lies within one step of the grid. There is
 * no table and no fast path: a release takes one draw, and finding the scale
 * costs more. Proof: scaled.proof.md. */
#include "random/lazy.h"
#include "random/noise_scaled.h"
#include "random/rounded.h"

#include "base/mutant.h"

void dusk_scaled_quantile(dusk_scaled_law law, unsigned degrees, dusk_interval *out, const dusk_interval *v)
{
    if (law == DUSK_SCALED_STUDENT_T)
        dusk_student_t_quantile(degrees, out, v);
    else
        dusk_tail_quantile(law == DUSK_SCALED_LAPLACE ? DUSK_TAIL_EXPONENTIAL : DUSK_TAIL_HALF_NORMAL, out,
                           v);
}

typedef struct draw {
    const dusk_scaled *what;
    bool negative;
    bool again; /* the digits known so far did not decide */
    dusk_lazy v;
    dusk_generator *gen;
} draw;

static dusk_status enclose_draw(void *real, dusk_interval *out, dusk_error *err)
{
    draw *d = real;
    dusk_interval t;
    dusk_status status = DUSK_OK;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    if (d->again) DUSK_TRY(dusk_lazy_refine(&d->v, d->gen, err));
    d->again = true;
    dusk_lazy_enclose(&d->v, &t);
    dusk_scaled_quantile(d->what->law, d->what->degrees, out, &t);
    dusk_interval_set(&t, d->what->scale);
    dusk_interval_mul(out, out, &t);
    dusk_interval_set(&t, d->what->divisor);
    dusk_interval_div(out, out, &t);
    if (d->negative) dusk_interval_neg(out, out);
    dusk_interval_set(&t, d->what->value);
    dusk_interval_add(out, out, &t);
    dusk_interval_scale(out, out, -(long)d->what->grid);
    dusk_interval_set(&t, 0.5);
    dusk_interval_add(out, out, &t);
done:
    dusk_interval_clear(&t);
    return status;
}

DUSK_PROVEN(dusk_scaled_draw)
dusk_status dusk_scaled_draw(const dusk_scaled *what, dusk_int128 *steps, unsigned width, dusk_generator *gen,
                             dusk_error *err)
{
    draw d = { .what = what, .gen = gen };
    dusk_status status = DUSK_OK;
    uint64_t sign;

    dusk_lazy_init(&d.v, width);
    DUSK_TRY(dusk_generator_words(gen, &sign, 1, 1, err));
    d.negative = DUSK_MUTATE(SCALED_NOISE_ONE_SIDED, sign != 0, false);
    DUSK_TRY(dusk_lazy_refine(&d.v, gen, err));
    if (width == DUSK_WIDTH_FULL) DUSK_TRY(dusk_lazy_refine(&d.v, gen, err));
    DUSK_TRY(dusk_real_floor(steps, enclose_draw, &d, err));
done:
    dusk_lazy_clear(&d.v);
    return status;
}
