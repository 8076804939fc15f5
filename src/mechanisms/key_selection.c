/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys may be shown, when the keys themselves come from the data. Keys
 * are kept with the optimal probabilities [Desfontaines, Voss, Gipson &
 * Mandayam 2022, Theorem 1], or when a noisy count of their units reaches a
 * threshold that a single unit reaches with probability delta at most
 * [Korolova, Kenthapadi, Mishra & Ntoulas 2009; Wilson et al. 2020, Theorem 2].
 * A unit touches up to L0 keys: the optimal method splits epsilon and delta over
 * them; a threshold has noise for all of them. Proof: key_selection.proof.md.
 *
 * Counting units, not rows, and bounding their keys is done by the caller. */
#include "mechanisms/key_selection.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/keep_curve.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "numeric/special.h"
#include "random/noise_coin.h"
#include "random/record.h"
#include "random/rounded.h"

/* --- parameters ------------------------------------------------------------------- */

static dusk_status check(dusk_key_method method, uint32_t keys_per_unit, double epsilon, double delta,
                         dusk_error *err)
{
    if (method != DUSK_KEYS_TRUNCATED_GEOMETRIC && method != DUSK_KEYS_LAPLACE &&
        method != DUSK_KEYS_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use DUSK_KEYS_TRUNCATED_GEOMETRIC",
                         "method is none of the three methods of key selection");
    if (keys_per_unit < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how many keys one unit may touch",
                         "keys_per_unit must be at least 1");
    if (!(dusk_div_down(epsilon, keys_per_unit) >= 0x1p-900 && epsilon <= 0x1p20))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "epsilon must be above 0, and between 2^-900 and 2^20");
    if (!(dusk_div_down(delta, keys_per_unit) >= 0x1p-1000 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be above 0 and below 1, and 2^-1000 at least for one key");
    return DUSK_OK;
}

/* An upper bound of P(noise >= j), |j| <= 2^52. */
static double reaches_up(const dusk_noise *noise, int64_t j)
{
    double from = (double)j - 0.5; /* a rounded number reaches j when the ideal one reaches this */
    if (noise->law == DUSK_GAUSSIAN) return dusk_normal_cdf_up(dusk_div_up(-from, noise->scale));
    if (from > 0) return dusk_exp_up(-dusk_div_down(from, noise->scale)) / 2;
    return dusk_sub_up(1, dusk_exp_down(dusk_div_down(from, noise->scale)) / 2);
}

/* The least threshold >= 1 that one unit alone reaches with probability at most
 * p; 0 when it would be beyond 2^52. */
static int64_t find_threshold(const dusk_noise *noise, double p)
{
    int64_t low = -1, high = (int64_t)1 << 52; /* of the noise: the unit itself counts 1 */
    if (reaches_up(noise, high) > p) return 0;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (reaches_up(noise, middle) <= p)
            high = middle;
        else
            low = middle;
    }
    return high + 1;
}

/* delta_keys bounds the probability that any of the up to L0 keys that only one
 * unit holds is shown: 1 - (1 - p)^L0 <= delta_keys. */
static dusk_status set_threshold(dusk_key_selection *selection, double delta_keys, dusk_error *err)
{
    double keys = DUSK_MUTATE(KEYS_THRESHOLD_FOR_ONE_KEY, selection->keys_per_unit, 1);
    double p = -dusk_expm1_up(dusk_div_up(dusk_log1p_up(-delta_keys), keys));
    selection->threshold = find_threshold(&selection->noise, p);
    if (selection->threshold > 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "raise epsilon or delta",
                     "the threshold would be above 2^52 units: nothing would ever be shown");
}

DUSK_PROVEN(dusk_key_selection_init)
dusk_status dusk_key_selection_init(dusk_key_selection *out, dusk_key_method method, uint32_t keys_per_unit,
                                    double epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_key_selection made = {
        .method = method, .keys_per_unit = keys_per_unit, .epsilon = epsilon, .delta = delta
    };

    DUSK_TRY(check(method, keys_per_unit, epsilon, delta, err));
    if (method == DUSK_KEYS_LAPLACE) {
        DUSK_TRY(dusk_laplace_init(&made.noise, 1, keys_per_unit, epsilon, 0, err));
        DUSK_TRY(set_threshold(&made, delta, err));
    } else if (method == DUSK_KEYS_GAUSSIAN) {
        double l2 = dusk_sqrt_up(keys_per_unit);
        DUSK_TRY(dusk_gaussian_init(&made.noise, 1, l2, epsilon, delta / 2, 0, err));
        DUSK_TRY(dusk_noise_for_total(&made.noise, err)); /* counts are whole: nothing is rounded */
        DUSK_TRY(set_threshold(&made, delta / 2, err));
    }
    *out = made;
done:
    return status;
}

static dusk_status curve_of(dusk_keep_curve *out, const dusk_key_selection *selection, dusk_error *err)
{
    double keys = selection->keys_per_unit;
    double epsilon =
        DUSK_MUTATE(KEYS_EPSILON_NOT_SPLIT, dusk_div_down(selection->epsilon, keys), selection->epsilon);
    double delta = DUSK_MUTATE(KEYS_DELTA_NOT_SPLIT, dusk_div_down(selection->delta, keys), selection->delta);
    return dusk_keep_curve_init(out, epsilon, delta, err);
}

/* The fields are public, so somebody may have filled them by hand. */
static dusk_status check_selection(const dusk_key_selection *selection, dusk_error *err)
{
    dusk_event event;
    if (selection->method != DUSK_KEYS_TRUNCATED_GEOMETRIC) {
        if (selection->threshold < 1)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with dusk_key_selection_init",
                             "the key selection was never made");
        dusk_status status = dusk_noise_event(&selection->noise, &event, err);
        if (status != DUSK_OK) return status;
    }
    return check(selection->method, selection->keys_per_unit, selection->epsilon, selection->delta, err);
}

/* --- release -------------------------------------------------------------------------- */

typedef struct keep_real {
    const dusk_keep_curve *curve;
    uint64_t units;
} keep_real;

static dusk_status enclose_keep(void *real, dusk_interval *out, dusk_error *err)
{
    const keep_real *keep = real;
    (void)err;
    dusk_keep_curve_enclose(keep->curve, keep->units, out);
    return DUSK_OK;
}

static uint64_t count_of(uint64_t units) { return units < DUSK_KEEP_UNITS_MAX ? units : DUSK_KEEP_UNITS_MAX; }

#ifdef DUSK_TESTING
/* `curve`: what decides, or NULL. */
static dusk_record_at record_keys(const dusk_key_selection *selection, const dusk_keep_curve *curve,
                                  dusk_generator *gen)
{
    bool tossed = curve != NULL;
    double keys = selection->keys_per_unit;
    dusk_record_header header = {
        .what = "keys",
        .law = tossed                                    ? DUSK_RECORD_TRUNCATED_GEOMETRIC
               : selection->method == DUSK_KEYS_GAUSSIAN ? DUSK_RECORD_GAUSSIAN
                                                         : DUSK_RECORD_LAPLACE,
        .norm = DUSK_RECORD_L1,
        .sensitivity = keys,
        .scale = tossed ? 0 : selection->noise.scale,
        .epsilon = tossed ? keys * curve->epsilon : selection->epsilon,
        .delta = tossed                                    ? keys * curve->delta
                 : selection->method == DUSK_KEYS_GAUSSIAN ? selection->delta / 2
                                                           : selection->delta,
        .selects = true,
        .threshold = (double)selection->threshold,
        .parameter = { { "method", selection->method }, { "keys per unit", keys } },
    };
    return dusk_record_begin(gen, &header);
}

/* How many keys there are is private here, and their noise is no more public than the selection makes it. */
static void record_unsized(dusk_record_at at)
{
    if (!at.record) return;
    dusk_record_header *header = &at.record->calls[at.call].header;
    for (size_t i = 0; i < DUSK_RECORD_PARAMETERS; i++)
        if (header->parameter[i].name && strcmp(header->parameter[i].name, "how many") == 0)
            header->parameter[i].value = 0;
}

static void record_key(dusk_record_at at, size_t key, uint64_t units, bool *keep)
{
    dusk_int128 kept = *keep;
    dusk_record_whole(at, key, (dusk_int128)units, &kept);
    *keep = kept != 0;
}
#endif

DUSK_PROVEN(toss_keys)
static dusk_status toss_keys(const dusk_key_selection *selection, bool *keep, const uint64_t *units, size_t n,
                             unsigned width, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keep_curve curve;

    DUSK_TRY(curve_of(&curve, selection, err));
    DUSK_RECORD(const dusk_record_at at = record_keys(selection, &curve, gen);)
    for (size_t i = 0; i < n; i++) {
        keep_real real = { &curve, count_of(units[i]) };
        keep[i] = real.units >= curve.certain;
        if (real.units == 0) continue;
        if (!keep[i]) {
            double guess = dusk_keep_curve_guess(&curve, real.units);
            DUSK_TRY(dusk_coin_real(gen, &keep[i], guess, enclose_keep, &real, width, err));
        }
        DUSK_RECORD(record_key(at, i, real.units, &keep[i]);)
    }
done:
    return status;
}

/* counts[i] is the noisy count, or NaN where the key is not shown. */
DUSK_PROVEN(threshold_keys)
static dusk_status threshold_keys(const dusk_key_selection *selection, bool *keep, double *counts,
                                  const uint64_t *units, size_t n, unsigned width, dusk_generator *gen,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };

    DUSK_TRY(dusk_pool_draw(&pool, &selection->noise, n, width, gen, err));
    DUSK_RECORD(record_unsized(pool.at);)
    DUSK_RECORD(const dusk_record_at at = record_keys(selection, NULL, gen);)
    for (size_t i = 0; i < n; i++) {
        dusk_int128 noisy = dusk_pool_add(&pool, i, (dusk_int128)count_of(units[i]));
        int64_t least = selection->threshold - DUSK_MUTATE(REPLAY_THRESHOLD_FROM_DATA, 0, (int64_t)units[0]);
        keep[i] = units[i] > 0 && noisy >= least;
        DUSK_RECORD(if (units[i] > 0) dusk_record_whole(at, i, (dusk_int128)count_of(units[i]), NULL);)
        counts[i] = keep[i] ? (double)noisy : NAN;
    }
done:
    dusk_pool_clear(&pool);
    return status;
}

DUSK_PROVEN(dusk_key_selection_release_width)
dusk_status dusk_key_selection_release_width(const dusk_key_selection *selection, bool *keep, double *counts,
                                             const uint64_t *units, size_t n, unsigned width,
                                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool *kept = NULL;
    double *noisy = NULL;

    DUSK_TRY(check_selection(selection, err));
    DUSK_NEW(kept, n);
    DUSK_NEW(noisy, n);
    for (size_t i = 0; i < n; i++) noisy[i] = NAN;
    if (selection->method == DUSK_KEYS_TRUNCATED_GEOMETRIC)
        DUSK_TRY(toss_keys(selection, kept, units, n, width, gen, err));
    else
        DUSK_TRY(threshold_keys(selection, kept, noisy, units, n, width, gen, err));
    if (n > 0) memcpy(keep, kept, n * sizeof *kept);
    if (n > 0 && counts) memcpy(counts, noisy, n * sizeof *noisy);
done:
    dusk_deallocate(kept);
    dusk_deallocate(noisy);
    return status;
}

dusk_status dusk_key_selection_release(const dusk_key_selection *selection, bool *keep, double *counts,
                                       const uint64_t *units, size_t n, dusk_generator *gen, dusk_error *err)
{
    return dusk_key_selection_release_width(selection, keep, counts, units, n, DUSK_WIDTH_FULL, gen, err);
}

dusk_status dusk_key_selection_event(const dusk_key_selection *selection, dusk_event *out, dusk_error *err)
{
    dusk_status status = check_selection(selection, err);
    return status == DUSK_OK ? dusk_event_approx(out, selection->epsilon, selection->delta, err) : status;
}

/* --- how likely ------------------------------------------------------------------------- */

static double threshold_probability(const dusk_key_selection *selection, uint64_t units)
{
    double from = (double)selection->threshold - (double)count_of(units) - 0.5;
    double x = from / selection->noise.scale;
    if (selection->method == DUSK_KEYS_GAUSSIAN) return dusk_normal_sf(x);
    return from > 0 ? exp(-x) / 2 : 1 - exp(x) / 2;
}

static double curve_probability(const dusk_keep_curve *curve, uint64_t units)
{
    dusk_interval pi;
    if (units >= curve->certain) return 1;
    dusk_interval_init(&pi, 2 * DUSK_REAL_PRECISION);
    dusk_keep_curve_enclose(curve, units, &pi);
    double middle = mpfr_get_d(pi.lo, MPFR_RNDN);
    dusk_interval_clear(&pi);
    return middle;
}

dusk_status dusk_key_selection_probability(const dusk_key_selection *selection, double *probability,
                                           uint64_t units, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keep_curve curve;

    DUSK_TRY(check_selection(selection, err));
    if (units == 0) {
        *probability = 0;
    } else if (selection->method == DUSK_KEYS_TRUNCATED_GEOMETRIC) {
        DUSK_TRY(curve_of(&curve, selection, err));
        *probability = curve_probability(&curve, count_of(units));
    } else {
        *probability = threshold_probability(selection, units);
    }
done:
    return status;
}
