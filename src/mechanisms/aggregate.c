/* SPDX-License-Identifier: Apache-2.0 */
/* The shared parts of the aggregates. A request is checked in full before the
 * first row is read, so that no error depends on the rows. Several noises of
 * one answer share its promise: Laplace noises split epsilon (basic composition
 * [Dwork & Roth 2014, Theorem 3.16]); Gaussian noises split mu^2, being one
 * Gaussian mechanism of a longer vector [Dong, Roth & Su 2022, Corollary 3.3].
 * Proof: aggregate.proof.md. */
#include "mechanisms/aggregate.h"

#include <float.h>
#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/text.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"

void dusk_aggregate_init(dusk_aggregate *how)
{
    *how = (dusk_aggregate){ .size = sizeof *how,
                             .lower = NAN,
                             .upper = NAN,
                             .rows_per_unit = 1,
                             .epsilon = NAN,
                             .confidence = 0.95,
                             .unit = "row" };
}

/* --- the request --------------------------------------------------------------- */

static dusk_status check_promise(const dusk_aggregate *how, dusk_error *err)
{
    dusk_status status = dusk_request_epsilon(how->epsilon, err);
    if (status != DUSK_OK) return status;
    if (!(how->delta >= 0 && how->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for Laplace noise, or a small probability",
                         "delta must be at least 0 and below 1");
    if (!(how->confidence > 0 && how->confidence <= 1 - 0x1p-40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a probability such as 0.95",
                         "confidence must be above 0, and below 1 by 2^-40 at least");
    return DUSK_OK;
}

dusk_status dusk_aggregate_check(const dusk_aggregate *how, bool bounded, dusk_error *err)
{
    if (how->size != sizeof *how)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_aggregate_init first",
                         "the dusk_aggregate was not initialised");
    if (how->neighbours != DUSK_ADD_REMOVE && how->neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours must be set: it has no default");
    if (how->rows_per_unit < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how many rows one unit may hold",
                         "rows_per_unit must be at least 1");
    if (bounded && !(isfinite(how->lower) && isfinite(how->upper) && how->lower < how->upper))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare bounds that do not come from the data",
                         "lower and upper must be finite, lower below upper");
    return check_promise(how, err);
}

bool dusk_aggregate_size_is_public(const dusk_aggregate *how)
{
    return how->neighbours == DUSK_REPLACE_ONE && how->rows_per_unit == 1;
}

/* --- noise ----------------------------------------------------------------------- */

/* epsilon / parts, a little less when that is not exact, so that what an
 * accountant adds up and rounds up is not above epsilon. */
static double epsilon_share(const dusk_aggregate *how, unsigned parts)
{
    double share = dusk_div_down(how->epsilon, parts);
    return (parts & (parts - 1)) == 0 ? share : dusk_mul_down(share, 1 - 0x1p-40);
}

/* Scale over sensitivity; the noises of all parts together keep the promise. */
static double share_ratio(const dusk_aggregate *how, unsigned parts)
{
    if (how->delta == 0) return dusk_div_up(1, epsilon_share(how, parts));
    double ratio = dusk_gaussian_sigma_up(how->epsilon, how->delta);
    return parts == 1 ? ratio : dusk_mul_up(dusk_mul_up(ratio, dusk_sqrt_up(parts)), 1 + 0x1p-36);
}

static dusk_status start(dusk_noise *out, const dusk_aggregate *how, unsigned parts, dusk_noise_law law,
                         uint32_t dimension, double sensitivity, dusk_error *err)
{
    double epsilon = how->delta == 0 ? epsilon_share(how, parts) : how->epsilon;
    return dusk_noise_start(out, law, dimension, sensitivity, epsilon, how->delta, err);
}

DUSK_PROVEN(dusk_aggregate_sum_noise)
dusk_status dusk_aggregate_sum_noise(dusk_noise *out, const dusk_aggregate *how, unsigned parts,
                                     double sensitivity, double largest, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise_law law = how->delta == 0 ? DUSK_LAPLACE : DUSK_GAUSSIAN;
    double ratio = share_ratio(how, parts);
    int grid = 0, coarse;
    dusk_noise noise;

    DUSK_TRY(start(&noise, how, parts, law, 1, sensitivity, err));
    grid = ilogb(fmax(sensitivity * ratio, DBL_MIN)) - 52;
    coarse = ilogb(largest) - 60; /* rows must fit 2^62 steps */
    if (grid < coarse) grid = coarse;
    DUSK_TRY(dusk_noise_place(&noise, ratio, grid, err));
    DUSK_TRY(dusk_noise_settle(&noise, dusk_mul_up(noise.grid_sensitivity, ratio), err));
    *out = noise;
done:
    return status;
}

DUSK_PROVEN(dusk_aggregate_count_noise)
dusk_status dusk_aggregate_count_noise(dusk_noise *out, const dusk_aggregate *how, unsigned parts,
                                       uint32_t dimension, double l1, double l2, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool pure = how->delta == 0;
    dusk_noise noise;

    DUSK_TRY(start(&noise, how, parts, pure ? DUSK_DISCRETE_LAPLACE : DUSK_GAUSSIAN, dimension,
                   pure ? l1 : l2, err));
    noise.grid = 0;
    noise.grid_sensitivity = noise.sensitivity; /* whole numbers stay as they are */
    DUSK_TRY(dusk_noise_settle(&noise, dusk_mul_up(noise.sensitivity, share_ratio(how, parts)), err));
    *out = noise;
done:
    return status;
}

/* --- statement and interval -------------------------------------------------------- */

dusk_status dusk_aggregate_event(dusk_event *out, const dusk_noise *noises, unsigned n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;

    if (n == 0) return dusk_event_pure(out, 0, err);
    DUSK_TRY(dusk_noise_event(&noises[0], out, err));
    for (unsigned i = 1; i < n; i++) {
        DUSK_TRY(dusk_noise_event(&noises[i], &event, err));
        DUSK_TRY(dusk_event_add(out, out, &event, err));
    }
done:
    return status;
}

static dusk_status assume_bounds(dusk_statement *out, const dusk_aggregate *how, dusk_error *err)
{
    char fact[96];
    dusk_text text;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "bounds ");
    dusk_text_number(&text, how->lower);
    dusk_text_add(&text, ":");
    dusk_text_number(&text, how->upper);
    dusk_text_add(&text, " declared");
    return dusk_statement_assume(out, fact, err);
}

static dusk_status assume_rows(dusk_statement *out, const dusk_aggregate *how, dusk_error *err)
{
    char fact[64];
    dusk_text text;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "%s %u row%s a unit", dusk_aggregate_size_is_public(how) ? "exactly" : "at most",
                  how->rows_per_unit, how->rows_per_unit == 1 ? "" : "s");
    return dusk_statement_assume(out, fact, err);
}

dusk_status dusk_aggregate_state(dusk_statement *out, const dusk_aggregate *how, bool bounded,
                                 const dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_statement_init(out, event, how->delta, how->neighbours, how->unit, err));
    if (bounded) DUSK_TRY(assume_bounds(out, how, err));
    DUSK_TRY(assume_rows(out, how, err));
done:
    return status;
}

dusk_status dusk_aggregate_interval(double *half_width, const dusk_aggregate *how, unsigned parts,
                                    const dusk_noise *noise, dusk_error *err)
{
    double confidence = dusk_sub_up(1, dusk_div_down(dusk_sub_down(1, how->confidence), parts));
    return dusk_noise_interval(noise, half_width, confidence, err);
}

/* --- rows about their middle --------------------------------------------------------- */

dusk_centre dusk_centre_of(const dusk_aggregate *how)
{
    double middle = how->lower / 2 + how->upper / 2;
    double reach = fmax(dusk_sub_up(how->upper, middle), dusk_sub_up(middle, how->lower));
    return (dusk_centre){ .lower = how->lower,
                          .upper = how->upper,
                          .middle = middle,
                          .reach = reach,
                          .half_square = dusk_mul_up(reach, reach) / 2 };
}

static inline double deviation(const dusk_centre *centre, double row)
{
    double x = isnan(row) ? 0 : row;
    return fmin(fmax(x, centre->lower), centre->upper) - centre->middle;
}

DUSK_PROVEN(dusk_centre_sum)
dusk_int128 dusk_centre_sum(const dusk_centre *centre, const double *rows, size_t n, int grid)
{
    const dusk_fixed_clamp clamp = { -centre->reach, centre->reach, grid };
    double block[256];
    dusk_int128 sum = 0;
    for (size_t at = 0; at < n; at += 256) {
        size_t m = n - at < 256 ? n - at : 256;
        for (size_t i = 0; i < m; i++) block[i] = deviation(centre, rows[at + i]);
        sum += dusk_fixed_sum(block, m, &clamp);
    }
    return sum;
}

DUSK_PROVEN(dusk_centre_sum_squares)
dusk_int128 dusk_centre_sum_squares(const dusk_centre *centre, const double *rows, size_t n, int grid)
{
    const dusk_fixed_clamp clamp = { -centre->half_square, centre->half_square, grid };
    double block[256];
    dusk_int128 sum = 0;
    for (size_t at = 0; at < n; at += 256) {
        size_t m = n - at < 256 ? n - at : 256;
        for (size_t i = 0; i < m; i++) {
            double x = deviation(centre, rows[at + i]);
            block[i] = x * x - centre->half_square;
        }
        sum += dusk_fixed_sum(block, m, &clamp);
    }
    return sum;
}

/* --- intervals -------------------------------------------------------------------------- */

dusk_range dusk_range_about(double value, double half_width, int grid)
{
    double size = fabs(value);
    if (size >= ldexp(1, grid + 53)) half_width = dusk_add_up(half_width, size * 0x1p-52);
    return (dusk_range){ dusk_sub_down(value, half_width), dusk_add_up(value, half_width) };
}

dusk_range dusk_range_ratio(dusk_range total, dusk_range count)
{
    return (dusk_range){
        .low = dusk_div_down(total.low, total.low < 0 ? count.low : count.high),
        .high = dusk_div_up(total.high, total.high < 0 ? count.high : count.low),
    };
}

dusk_range dusk_range_square(dusk_range x)
{
    double near = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0, far = fmax(-x.low, x.high);
    return (dusk_range){ dusk_mul_down(near, near), dusk_mul_up(far, far) };
}

dusk_range dusk_range_clamp(dusk_range x, double low, double high)
{
    return (dusk_range){ fmin(fmax(x.low, low), high), fmin(fmax(x.high, low), high) };
}
