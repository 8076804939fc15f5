/* SPDX-License-Identifier: Apache-2.0 */
/* Where additive noise meets a value: the value on the grid, a draw of exactly the
 * law of the noise, and their sum in whole steps. Which laws and scales keep a
 * promise: noise.c. Proof: noise_release.proof.md. */
#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/taint.h"
#include "mechanisms/noise.h"
#include "numeric/fixed_sum.h"
#include "random/noise_additive.h"
#include "random/noise_sinh_normal.h"
#include "random/noise_staircase.h"
#include "random/noise_window.h"
#include "random/record.h"

static dusk_int128 clamp_steps(dusk_int128 steps, dusk_int128 limit)
{
    steps = steps < limit ? steps : limit;
    return steps > -limit ? steps : -limit;
}

DUSK_PROVEN(dusk_noise_steps)
dusk_int128 dusk_noise_steps(double value, int grid)
{
    double x = ldexp(isnan(value) ? 0 : value, -grid); /* exact, or tiny, or infinite */
    x = fmin(fmax(x, -0x1p100), 0x1p100);
    double whole = floor(x);
    whole += x - whole >= 0.5;
    /* by two conversions to 64 bits: that to 128 takes a time that depends on the number */
    double high = floor(whole * 0x1p-50);
    return (dusk_int128)(int64_t)high * ((dusk_int128)1 << 50) + (int64_t)(whole - high * 0x1p50);
}

/* What draws the law of a noise: the first four laws by `additive`, in bulk too. */
typedef struct sampler {
    dusk_noise_law law;
    dusk_additive additive;
    dusk_staircase_sampler staircase;
    dusk_window_sampler window;
    dusk_uint128 most; /* of the window, on both sides */
    dusk_sinh_normal_sampler sinh_normal;
} sampler;

static bool is_simple(const sampler *s) { return s->law <= DUSK_DISCRETE_GAUSSIAN; }

static void sampler_init(sampler *out, const dusk_noise *noise, unsigned width)
{
    double scale = dusk_noise_scale_in_steps(noise);
    out->law = noise->law;
    if (is_simple(out)) {
        dusk_additive_init(&out->additive, (dusk_additive_law)noise->law, scale, width);
    } else if (noise->law == DUSK_STAIRCASE) {
        dusk_staircase_sampler_init(&out->staircase, dusk_staircase_ratio(noise),
                                    (dusk_uint128)dusk_noise_sensitivity_in_steps(noise),
                                    (dusk_uint128)dusk_staircase_inner(noise), width);
    } else if (noise->law == DUSK_SINH_NORMAL) {
        dusk_sinh_normal_sampler_init(&out->sinh_normal, scale, dusk_sinh_normal_bend(noise), width);
    } else {
        dusk_window_sampler_init(&out->window, scale, width);
        out->most = (dusk_uint128)dusk_truncated_laplace_most(noise);
    }
}

static dusk_status sampler_draw(const sampler *s, dusk_int128 *out, dusk_generator *gen, dusk_error *err)
{
    if (is_simple(s)) return dusk_additive_draw(&s->additive, out, gen, err);
    if (s->law == DUSK_STAIRCASE) return dusk_staircase_sampler_draw(&s->staircase, out, gen, err);
    if (s->law == DUSK_SINH_NORMAL) return dusk_sinh_normal_sampler_draw(&s->sinh_normal, out, gen, err);
    return dusk_window_sampler_draw(&s->window, out, s->most, s->most, gen, err);
}

_Static_assert((int)DUSK_LAPLACE == (int)DUSK_ADDITIVE_LAPLACE &&
                   (int)DUSK_GAUSSIAN == (int)DUSK_ADDITIVE_GAUSSIAN &&
                   (int)DUSK_DISCRETE_LAPLACE == (int)DUSK_ADDITIVE_DISCRETE_LAPLACE &&
                   (int)DUSK_DISCRETE_GAUSSIAN == (int)DUSK_ADDITIVE_DISCRETE_GAUSSIAN,
               "the laws have the same numbers in both rooms");

static const dusk_int128 widest = (dusk_int128)1 << 125;

#ifdef DUSK_TESTING
dusk_record_at dusk_noise_record(dusk_generator *gen, const dusk_noise *noise, size_t n)
{
    static const char *const name[] = {
        [DUSK_LAPLACE] = "laplace",
        [DUSK_GAUSSIAN] = "gaussian",
        [DUSK_DISCRETE_LAPLACE] = "discrete_laplace",
        [DUSK_DISCRETE_GAUSSIAN] = "discrete_gaussian",
        [DUSK_STAIRCASE] = "staircase",
        [DUSK_TRUNCATED_LAPLACE] = "truncated_laplace",
        [DUSK_SINH_NORMAL] = "sinh_normal",
    };
    static const dusk_record_law law[] = { [DUSK_LAPLACE] = DUSK_RECORD_LAPLACE,
                                           [DUSK_GAUSSIAN] = DUSK_RECORD_GAUSSIAN,
                                           [DUSK_DISCRETE_LAPLACE] = DUSK_RECORD_DISCRETE_LAPLACE,
                                           [DUSK_SINH_NORMAL] = DUSK_RECORD_OTHER };
    bool euclidean = noise->law == DUSK_GAUSSIAN || noise->law == DUSK_DISCRETE_GAUSSIAN;
    dusk_record_header header = {
        .what = name[noise->law],
        .law = law[noise->law],
        .norm = euclidean ? DUSK_RECORD_L2 : DUSK_RECORD_L1,
        .sensitivity = dusk_noise_sensitivity_in_steps(noise),
        .scale = dusk_noise_scale_in_steps(noise),
        .epsilon = noise->promise.epsilon,
        .delta = noise->promise.delta,
        .parameter = { { "grid", noise->grid }, { "how many", (double)n }, { "shape", noise->shape } },
    };
    return dusk_record_begin(gen, &header);
}
#endif

DUSK_PROVEN(dusk_noise_release_steps)
dusk_status dusk_noise_release_steps(const dusk_noise *noise, double *out, dusk_int128 steps, unsigned width,
                                     dusk_generator *gen, dusk_error *err)
{
    sampler law;
    dusk_int128 draw;
    sampler_init(&law, noise, width);
    dusk_status status = sampler_draw(&law, &draw, gen, err);
    if (status != DUSK_OK) return status;
    DUSK_RECORD(const dusk_int128 input = clamp_steps(steps, widest);)
    steps = clamp_steps(clamp_steps(steps, widest) + draw, widest);
    DUSK_RECORD(dusk_record_whole(dusk_noise_record(gen, noise, 1), 0, input, &steps);)
    DUSK_DECLASSIFY(&steps, sizeof steps);
    *out = dusk_fixed_value(steps, noise->grid);
    return DUSK_OK;
}

void dusk_pool_clear(dusk_pool *pool)
{
    if (pool->narrow) dusk_wipe(pool->narrow, pool->n * sizeof *pool->narrow);
    if (pool->wide) dusk_wipe(pool->wide, pool->n * sizeof *pool->wide);
    dusk_deallocate(pool->narrow);
    dusk_deallocate(pool->wide);
    *pool = (dusk_pool){ 0 };
}

/* Noise of 2^62 steps stands for more; at these scales it is 2^30 scales away and
 * would take a billion coins that all fall the same way. */
static dusk_status check_unsaturated(const dusk_pool *pool, dusk_error *err)
{
    const int64_t most = (int64_t)1 << 62;
    int64_t saturated = 0;
    for (size_t i = 0; i < pool->n; i++) saturated |= (pool->narrow[i] >= most) | (pool->narrow[i] <= -most);
    return saturated ? dusk_fail(err, DUSK_ERR_INTERNAL, "", "a draw was too large for bulk noise") : DUSK_OK;
}

DUSK_PROVEN(dusk_pool_draw)
dusk_status dusk_pool_draw(dusk_pool *pool, const dusk_noise *noise, size_t n, unsigned width,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sampler law;
    sampler_init(&law, noise, width);
    bool narrow = is_simple(&law) && law.additive.scale <= DUSK_POOL_NARROW_SCALE;

    *pool = (dusk_pool){ .n = n };
    if (narrow) {
        DUSK_NEW(pool->narrow, n);
        DUSK_TRY(dusk_additive_fill(&law.additive, pool->narrow, n, gen, err));
        DUSK_TRY(check_unsaturated(pool, err));
    } else {
        DUSK_NEW(pool->wide, n);
        for (size_t i = 0; i < n; i++) DUSK_TRY(sampler_draw(&law, &pool->wide[i], gen, err));
    }
    DUSK_RECORD(pool->at = dusk_noise_record(gen, noise, n);)
done:
    if (status != DUSK_OK) dusk_pool_clear(pool);
    return status;
}

dusk_int128 dusk_pool_add(const dusk_pool *pool, size_t i, dusk_int128 steps)
{
    dusk_int128 draw = pool->narrow ? pool->narrow[i] : pool->wide[i];
    DUSK_RECORD(const dusk_int128 input = clamp_steps(steps, widest);)
    steps = clamp_steps(clamp_steps(steps, widest) + draw, widest);
    DUSK_RECORD(dusk_record_whole(pool->at, i, input, &steps);)
    DUSK_DECLASSIFY(&steps, sizeof steps);
    return steps;
}

DUSK_PROVEN(dusk_noise_release_totals)
dusk_status dusk_noise_release_totals(const dusk_noise *noise, double *out, const dusk_int128 *totals,
                                      size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };

    DUSK_TRY(dusk_noise_check(noise, err));
    DUSK_TRY(dusk_pool_draw(&pool, noise, n, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) out[i] = dusk_fixed_value(dusk_pool_add(&pool, i, totals[i]), noise->grid);
done:
    dusk_pool_clear(&pool);
    return status;
}

DUSK_PROVEN(dusk_noise_release_whole)
dusk_status dusk_noise_release_whole(const dusk_noise *noise, dusk_int128 *out, const dusk_int128 *totals,
                                     size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };

    DUSK_TRY(dusk_noise_check(noise, err));
    DUSK_TRY(dusk_pool_draw(&pool, noise, n, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) out[i] = dusk_pool_add(&pool, i, totals[i]);
done:
    dusk_pool_clear(&pool);
    return status;
}

/* Noise for a dusk_total counts on contributions that were rounded one by one. */
static dusk_status check_rounding(const dusk_noise *noise, dusk_error *err)
{
    if (noise->grid_sensitivity >= dusk_noise_rounded_sensitivity(noise)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "use it with a dusk_total, or make it anew",
                     "this noise was recalibrated for a total and does not cover the rounding of values");
}

size_t dusk_noise_eights(size_t n)
{
#if defined(__x86_64__) && !defined(DUSK_TAINT)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return n / 8 * 8;
#endif
    return n & 0;
}

/* What add_narrow does below, in lanes; n is a multiple of 8. */
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512dq"))) static void add_eights(double *out, const double *values,
                                                                            const int64_t *noise, size_t n,
                                                                            double inverse, double step,
                                                                            double limit)
{
    const __m512d most = _mm512_set1_pd(limit), least = _mm512_set1_pd(-limit), half = _mm512_set1_pd(0.5);
    for (size_t i = 0; i < n; i += 8) {
        const __m512d value = _mm512_loadu_pd(values + i);
        const __mmask8 number = _mm512_cmp_pd_mask(value, value, _CMP_ORD_Q);
        __m512d x = _mm512_maskz_mul_pd(number, value, _mm512_set1_pd(inverse));
        x = _mm512_max_pd(_mm512_min_pd(x, most), least);
        __m512d whole = _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        const __mmask8 up = _mm512_cmp_pd_mask(_mm512_sub_pd(x, whole), half, _CMP_GE_OQ);
        whole = _mm512_mask_add_pd(whole, up, whole, _mm512_set1_pd(1));
        whole = _mm512_add_pd(whole, _mm512_cvtepi64_pd(_mm512_loadu_si512(noise + i)));
        _mm512_storeu_pd(out + i, _mm512_mul_pd(whole, _mm512_set1_pd(step)));
    }
}
#else
static void add_eights(double *out, const double *values, const int64_t *noise, size_t n, double inverse,
                       double step, double limit)
{
    (void)out, (void)values, (void)noise, (void)n, (void)inverse, (void)step, (void)limit;
}
#endif

/* dusk_noise_steps and dusk_pool_add for bulk noise below 2^53 steps: the value's
 * steps and the noise are whole doubles, and their sum is rounded once, so that
 * it depends on nothing but the exact sum. The step and its inverse are normal
 * doubles, so that both products are exact or, the first, tiny or infinite. */
DUSK_PROVEN(add_narrow)
static void add_narrow(double *out, const double *values, const int64_t *noise, size_t n, int grid)
{
    const double inverse = ldexp(1, -grid), step = ldexp(1, grid), limit = 0x1p100;
    const size_t eights = dusk_noise_eights(n);
    if (eights) add_eights(out, values, noise, eights, inverse, step, limit);
    for (size_t i = eights; i < n; i++) {
        double x = isnan(values[i]) ? 0 : values[i] * inverse;
        x = x < limit ? x : limit;
        x = x > -limit ? x : -limit;
        double whole = floor(x);
        out[i] = ((whole + (x - whole >= 0.5)) + (double)noise[i]) * step;
    }
    DUSK_DECLASSIFY(out, n * sizeof *out);
}

#ifdef DUSK_TESTING
/* Inputs as add_narrow took them: the answer, a multiple of the step, less the noise, where their sum was
 * not rounded. */
static void record_narrow(const dusk_pool *pool, double *out, const double *values, int grid)
{
    for (size_t i = 0; i < pool->n; i++) {
        const double steps = ldexp(out[i], -grid);
        const bool exact = fabs(steps) < 0x1p53;
        dusk_int128 answer = (dusk_int128)steps;
        dusk_record_whole(pool->at, i, exact ? answer - pool->narrow[i] : dusk_noise_steps(values[i], grid),
                          &answer);
        out[i] = dusk_fixed_value(answer, grid);
    }
}
#endif

static bool is_small(const dusk_pool *pool)
{
    int64_t large = !pool->narrow;
    for (size_t i = 0; pool->narrow && i < pool->n; i++)
        large |= (pool->narrow[i] > (int64_t)1 << 53) | (pool->narrow[i] < -((int64_t)1 << 53));
    return !large;
}

DUSK_PROVEN(dusk_noise_release_width)
dusk_status dusk_noise_release_width(const dusk_noise *noise, double *out, const double *values,
                                     unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };

    DUSK_TRY(dusk_noise_check(noise, err));
    DUSK_TRY(check_rounding(noise, err));
    if (noise->dimension == 1) {
        dusk_int128 steps = DUSK_MUTATE(NOISE_TIES_TO_EVEN, dusk_noise_steps(values[0], noise->grid),
                                        (dusk_int128)rint(ldexp(values[0], -noise->grid)));
        return dusk_noise_release_steps(noise, out, steps, width, gen, err);
    }
    DUSK_TRY(dusk_pool_draw(&pool, noise, noise->dimension, width, gen, err));
    if (is_small(&pool)) {
        add_narrow(out, values, pool.narrow, pool.n, noise->grid);
        DUSK_RECORD(record_narrow(&pool, out, values, noise->grid);)
        goto done;
    }
    for (size_t i = 0; i < pool.n; i++) {
        dusk_int128 steps = dusk_pool_add(&pool, i, dusk_noise_steps(values[i], noise->grid));
        out[i] = dusk_fixed_value(steps, noise->grid);
    }
done:
    dusk_pool_clear(&pool);
    return status;
}

dusk_status dusk_noise_release(const dusk_noise *noise, double *out, double value, dusk_generator *gen,
                               dusk_error *err)
{
    if (noise->dimension != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use dusk_noise_release_vector",
                         "this noise is for vectors, not for one number");
    return dusk_noise_release_width(noise, out, &value, DUSK_WIDTH_FULL, gen, err);
}

dusk_status dusk_noise_release_vector(const dusk_noise *noise, double *out, const double *values,
                                      dusk_generator *gen, dusk_error *err)
{
    return dusk_noise_release_width(noise, out, values, DUSK_WIDTH_FULL, gen, err);
}
