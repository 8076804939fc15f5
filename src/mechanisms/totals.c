/* SPDX-License-Identifier: Apache-2.0 */
/* A release of many totals in pieces; see totals.h. A block of noise at a time is drawn in bulk, added while it is
 * in the nearest cache, and forgotten: what is beyond the draws costs next to nothing. Totals are 64-bit numbers and
 * the sum is made in doubles, which is exact where it matters. Proof: totals.proof.md. */
#include "mechanisms/totals.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/noise.h"
#include "random/noise_additive.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK = 512 };
#define MOST 0x1p52 /* steps: all whole numbers up to twice as many are doubles */

dusk_status dusk_totals_check(const dusk_noise *noise, dusk_error *err)
{
    dusk_status status = dusk_noise_check(noise, err);
    if (status != DUSK_OK) return status;
    if (noise->law <= DUSK_DISCRETE_GAUSSIAN && dusk_noise_scale_in_steps(noise) <= DUSK_POOL_NARROW_SCALE)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose Laplace or Gaussian noise, and a coarser grid",
                     "this noise has no bulk draws, so that totals cannot be released in pieces");
}

static dusk_additive law_of(const dusk_noise *noise)
{
    dusk_additive law;
    dusk_additive_init(&law, (dusk_additive_law)noise->law, dusk_noise_scale_in_steps(noise),
                       DUSK_WIDTH_FULL);
    return law;
}

/* --- noise drawn ahead -------------------------------------------------------------------------------------- */

void dusk_ahead_clear(dusk_ahead *ahead)
{
    if (ahead->steps) dusk_wipe(ahead->steps, ahead->room * sizeof *ahead->steps);
    dusk_deallocate(ahead->steps);
    *ahead = (dusk_ahead){ .n = 0 };
}

DUSK_PROVEN(dusk_ahead_draw)
dusk_status dusk_ahead_draw(dusk_ahead *ahead, const dusk_noise *noise, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ahead->n = 0;
    DUSK_TRY(dusk_totals_check(noise, err));
    if (ahead->room < noise->dimension) {
        dusk_ahead_clear(ahead);
        DUSK_NEW(ahead->steps, noise->dimension);
        ahead->room = noise->dimension;
    }
    const dusk_additive law = law_of(noise);
    DUSK_TRY(dusk_additive_fill(&law, ahead->steps, noise->dimension, gen, err));
    ahead->noise = *noise;
    ahead->n = noise->dimension;
done:
    return status;
}

static bool is_same(const dusk_noise *a, const dusk_noise *b)
{
    return a->law == b->law && a->scale == b->scale && a->grid == b->grid && a->dimension == b->dimension;
}

/* --- the sum ------------------------------------------------------------------------------------------------ */

/* out[i] = clamp(clamp(totals[i]) + noise[i]) step, the clamps at +-MOST; the same work for all totals. */
DUSK_PROVEN(add)
static void add(double *out, const int64_t *totals, const int64_t *noise, size_t n, double step)
{
    for (size_t i = 0; i < n; i++) {
        double x = (double)totals[i];
        x = x < MOST ? x : MOST;
        x = x > -MOST ? x : -MOST;
        x += (double)noise[i];
        x = x < MOST ? x : MOST;
        x = x > -MOST ? x : -MOST;
        out[i] = x * step;
    }
}

#if defined(__x86_64__)
#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))

/* The same, eight at a time; n a multiple of 8. */
FOR_AVX512 static void add_eights(double *out, const int64_t *totals, const int64_t *noise, size_t n,
                                  double step)
{
    const __m512d most = _mm512_set1_pd(MOST), least = _mm512_set1_pd(-MOST), one = _mm512_set1_pd(step);
    for (size_t i = 0; i < n; i += 8) {
        __m512d x = _mm512_cvtepi64_pd(_mm512_loadu_si512(totals + i));
        x = _mm512_max_pd(_mm512_min_pd(x, most), least);
        x = _mm512_add_pd(x, _mm512_cvtepi64_pd(_mm512_loadu_si512(noise + i)));
        x = _mm512_max_pd(_mm512_min_pd(x, most), least);
        _mm512_storeu_pd(out + i, _mm512_mul_pd(x, one));
    }
}

FOR_AVX512 static void round_eights(float *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i += 8) _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(_mm512_loadu_pd(x + i)));
}
#endif

static void add_noise(double *out, const int64_t *totals, const int64_t *noise, size_t n, int grid)
{
    const double step = ldexp(1, grid);
    size_t done = 0;
#if defined(__x86_64__)
    done = dusk_noise_eights(n);
    if (done) add_eights(out, totals, noise, done, step);
#endif
    add(out + done, totals + done, noise + done, n - done, step);
    DUSK_DECLASSIFY(out, n * sizeof *out);
}

static void to_floats(float *out, const double *x, size_t n)
{
    size_t done = 0;
#if defined(__x86_64__)
    done = dusk_noise_eights(n);
    if (done) round_eights(out, x, done);
#endif
    for (; done < n; done++) out[done] = (float)x[done];
}

#ifdef DUSK_TESTING
/* Inputs as they were taken: the answer, a whole number of steps, less the noise, unless it was cut off. */
static void record(const dusk_totals *release, size_t first, double *out, const int64_t *totals,
                   const int64_t *noise, size_t n)
{
    const int64_t most = (int64_t)MOST;
    for (size_t i = 0; i < n; i++) {
        dusk_int128 answer = (dusk_int128)ldexp(out[i], -release->noise->grid), total = answer - noise[i];
        if (answer == most || answer == -most)
            total = totals[i] < -most ? -most : totals[i] < most ? totals[i] : most;
        dusk_record_whole(release->at, first + i, total, &answer);
        out[i] = ldexp((double)answer, release->noise->grid);
    }
}
#endif

/* --- the release -------------------------------------------------------------------------------------------- */

DUSK_PROVEN(dusk_totals_begin)
dusk_status dusk_totals_begin(dusk_totals *out, const dusk_noise *noise, dusk_ahead *ahead,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = dusk_totals_check(noise, err);
    *out = (dusk_totals){ .noise = noise };
    if (status != DUSK_OK) return status;
    if (ahead && (ahead->n < noise->dimension || !is_same(&ahead->noise, noise)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "draw noise ahead for every release, of the noise it is released with",
                         "there is no noise left that was drawn for this release");
    out->dimension = noise->dimension;
    if (ahead) {
        out->ahead = ahead->steps;
        ahead->n = DUSK_MUTATE(TOTALS_AHEAD_TWICE, 0, ahead->n);
    }
    (void)gen;
    DUSK_RECORD(out->at = dusk_noise_record(gen, noise, noise->dimension);)
    return DUSK_OK;
}

/* A block of at most BLOCK coordinates, with noise that was drawn ahead or is drawn now. */
static dusk_status release_block(const dusk_totals *release, size_t first, double *out, const int64_t *totals,
                                 size_t n, const dusk_additive *law, int64_t *room, dusk_generator *gen,
                                 dusk_error *err)
{
    const int64_t *noise = room;
    if (release->ahead) {
        noise = release->ahead + DUSK_MUTATE(TOTALS_AHEAD_FROM_START, first, first - release->released);
    } else {
        const size_t drawn = DUSK_MUTATE(TOTALS_TAIL_BARE, n, n / 8 * 8);
        dusk_status status = dusk_additive_fill(law, room, drawn, gen, err);
        if (status != DUSK_OK) return status;
    }
    add_noise(out, totals, noise, n, release->noise->grid);
    DUSK_RECORD(record(release, first, out, totals, noise, n);)
    return DUSK_OK;
}

/* To `doubles` or, where it is NULL, to `floats`. */
DUSK_PROVEN(release_piece)
static dusk_status release_piece(dusk_totals *release, double *doubles, float *floats, const int64_t *totals,
                                 size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t noise[BLOCK];
    double answers[BLOCK];
    const size_t used = (n < BLOCK ? n : BLOCK) * sizeof *noise;

    if (DUSK_MUTATE(TOTALS_NOT_COUNTED, n > release->dimension - release->released, false))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "begin a release for each vector of totals",
                           "more totals are to be released than the noise was made for"));
    memset(noise, 0, used);
    const dusk_additive law = law_of(release->noise);
    for (size_t at = 0; at < n; at += BLOCK) {
        const size_t m = n - at < BLOCK ? n - at : BLOCK;
        double *out = doubles ? doubles + at : answers;
        DUSK_TRY(release_block(release, release->released + at, out, totals + at, m, &law, noise, gen, err));
        if (floats) to_floats(floats + at, answers, m);
    }
    release->released += n;
done:
    if (status != DUSK_OK && doubles) memset(doubles, 0, n * sizeof *doubles);
    if (status != DUSK_OK && floats) memset(floats, 0, n * sizeof *floats);
    dusk_wipe(noise, used);
    return status;
}

dusk_status dusk_totals_release(dusk_totals *release, double *out, const int64_t *totals, size_t n,
                                dusk_generator *gen, dusk_error *err)
{
    return release_piece(release, out, NULL, totals, n, gen, err);
}

dusk_status dusk_totals_release_floats(dusk_totals *release, float *out, const int64_t *totals, size_t n,
                                       dusk_generator *gen, dusk_error *err)
{
    return release_piece(release, NULL, out, totals, n, gen, err);
}
