/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_TOTALS_H
#define DUSK_MECHANISMS_TOTALS_H

/* One release of very many exact totals, in pieces: neither the totals nor their noise need
 * to be in one place at a time. The sensitivity of the noise is that of the whole vector in
 * its norm, so that each of its noise->dimension coordinates may be released once: pieces come
 * one after the other, from the first coordinate to the last, and are counted.
 *
 *     dusk_totals_begin(&release, &noise, NULL, gen, err)
 *     dusk_totals_release(&release, out, totals, n, gen, err)        again and again
 *
 * Noise may be drawn ahead, in another thread and by its generator, while the totals are
 * still being made; it is good for one release. */

#include <stddef.h>
#include <stdint.h>

#include "dusk/mechanisms.h"
#include "random/record.h"

/* Noise for one release. Zeroed by the owner before its first use; not to be copied. */
typedef struct dusk_ahead {
    dusk_noise noise; /* whose draws these are */
    int64_t *steps;
    size_t n, room; /* draws not given to a release yet; how many fit */
} dusk_ahead;

/* noise->dimension draws of it, in the place of all that were there. `ahead` is empty on failure,
 * and keeps its room. The time may depend on the draws, and on nothing else. */
DUSK_MUST_USE dusk_status dusk_ahead_draw(dusk_ahead *ahead, const dusk_noise *noise, dusk_generator *gen,
                                          dusk_error *err);
/* Wipe and free; fine on an empty one. */
void dusk_ahead_clear(dusk_ahead *ahead);

/* A release that goes on. A value; nothing to clear. */
typedef struct dusk_totals {
    const dusk_noise *noise;    /* borrowed */
    const int64_t *ahead;       /* borrowed; NULL: noise is drawn piece by piece */
    size_t dimension, released; /* coordinates */
    DUSK_RECORD(dusk_record_at at;)
} dusk_totals;

/* Whether noise can be released so: what dusk_totals_begin says of it, for plans. */
DUSK_MUST_USE dusk_status dusk_totals_check(const dusk_noise *noise, dusk_error *err);

/* With `ahead`, which may be NULL, its draws are taken over: it is empty from now on, and must neither be
 * filled again nor cleared before the last piece. They must be of this noise. DUSK_ERR_ARGUMENT for laws without
 * bulk draws, and for a scale above DUSK_POOL_NARROW_SCALE steps: a matter of the noise alone. */
DUSK_MUST_USE dusk_status dusk_totals_begin(dusk_totals *out, const dusk_noise *noise, dusk_ahead *ahead,
                                            dusk_generator *gen, dusk_error *err);

/* out[i] = (totals[i] + noise) 2^grid for the next n coordinates; totals, in steps, and answers end at +-2^52
 * steps. On failure `out` is zero and the coordinates may be asked for again: with fresh noise, or with that
 * of `ahead`. The time may depend on the draws, not on the totals. A piece of some thousands is as fast as any. */
DUSK_MUST_USE dusk_status dusk_totals_release(dusk_totals *release, double *out, const int64_t *totals,
                                              size_t n, dusk_generator *gen, dusk_error *err);
/* The same answers, each then rounded to the nearest float. */
DUSK_MUST_USE dusk_status dusk_totals_release_floats(dusk_totals *release, float *out, const int64_t *totals,
                                                     size_t n, dusk_generator *gen, dusk_error *err);

#endif
