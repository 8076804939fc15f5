/* SPDX-License-Identifier: Apache-2.0 */
/* Random linear terms. Proof: linear_term.proof.md. */
#include "learn/linear_term.h"

#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

#define ROWS_MOST 16 /* of one change: the subsets of them are counted */
/* How far the term alone may carry the margin of a row, in widths of the curved part of a loss: beyond it a search for the minimum has
 * too few digits, and would end or not by how many rows there are. */
#define STEEPEST 0x1p20

learn_row_facts learn_row_facts_of(const learn_loss *loss, size_t outputs, double norm,
                                   const learn_budget *budget)
{
    const bool replaced = budget->neighbours == DUSK_REPLACE_ONE;
    learn_row_facts facts = { .norm = norm,
                              .lipschitz = loss->lipschitz,
                              .smoothness = loss->smoothness * (1 + 0x1p-40),
                              .rank = 1,
                              .alternatives = loss->margin ? 1 : 2,
                              .logistic = loss->kind == LEARN_LOGISTIC,
                              .rows = DUSK_MUTATE(LINEAR_TERM_UNIT_HAS_ONE_ROW, (unsigned)budget->factor, 1),
                              .removed = (unsigned)budget->factor / (replaced ? 2 : 1) };
    if (outputs > 1) {
        facts.lipschitz = LEARN_SOFTMAX_LIPSCHITZ;
        facts.smoothness = dusk_div_up(1, (double)outputs); /* in the mean over the rank, see the page */
        facts.rank = outputs - 1;
        facts.alternatives = outputs - 1;
        facts.logistic = false;
    }
    return facts;
}

/* --- the determinant ------------------------------------------------------------------------------------------------ */

/* sup over p in [0, 1] of p s + ln(1 + p (1 - p) q), rounded up: the slope is p, and the curvature p (1 - p). */
DUSK_PROVEN(logistic_loss_up)
static double logistic_loss_up(double s, double q)
{
    if (s >= q) return s;
    double b = s - 2, root = sqrt(b * b * q * q + 4 * s * q * (s + q)); /* where the derivative is 0 */
    double p = s < 2 ? 2 * (s + q) / (root - b * q) : (b * q + root) / (2 * s * q);
    p = fmin(fmax(p, 0.5), 1);
    double rest = 1 - p,
           value = dusk_add_up(dusk_mul_up(p, s), dusk_log1p_up(dusk_mul_up(dusk_mul_up(p, rest), q)));
    double slope = fabs(s + q * (1 - 2 * p) / (1 + q * p * rest)) + (s + q) * 0x1p-46;
    return dusk_add_up(value,
                       slope); /* the function is concave: below its tangent, and p moves by 1 at most */
}

/* ln of the most that the determinant changes by when one row leaves. */
static double determinant_up(const learn_row_facts *facts, double q)
{
    return dusk_mul_up((double)facts->rank, dusk_log1p_up(dusk_mul_up(facts->smoothness, q)));
}

static double left_of_logistic(double epsilon, double q)
{
    if (epsilon >= q) return epsilon;
    double low = 0, high = epsilon;
    if (!(logistic_loss_up(0, q) <= epsilon)) return 0;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (logistic_loss_up(middle, q) <= epsilon)
            low = middle;
        else
            high = middle;
    }
    return low;
}

DUSK_PROVEN(learn_linear_left_down)
double learn_linear_left_down(const learn_row_facts *facts, double epsilon, double strength)
{
    double q = dusk_div_up(dusk_mul_up(facts->norm, facts->norm), strength);
    if (facts->logistic && facts->rows == 1)
        return DUSK_MUTATE(LINEAR_TERM_IS_ALL, left_of_logistic(epsilon, q), epsilon);
    double determinant = dusk_mul_up(facts->removed, determinant_up(facts, q));
    return dusk_sub_down(epsilon, DUSK_MUTATE(LINEAR_TERM_LEAVES_JACOBIAN, determinant, 0));
}

/* --- the noise -------------------------------------------------------------------------------------------------------- */

/* Sum over 1 <= k <= rows of (rows over k) alternatives^k delta(k): the subsets of rows that have gradients. */
static double delta_of(const learn_row_facts *facts, double multiplier, double epsilon)
{
    double sum = 0, ways = 1;
    for (unsigned k = 1; k <= facts->rows; k++) {
        ways =
            dusk_div_up(dusk_mul_up(dusk_mul_up(ways, facts->rows - k + 1), (double)facts->alternatives), k);
        double one = dusk_gaussian_delta_up(dusk_div_down(multiplier, k), epsilon);
        sum = dusk_add_up(sum, dusk_mul_up(ways, one));
    }
    return sum;
}

/* The same, about, in plain arithmetic: plans look at many. */
static double delta_about(const learn_row_facts *facts, double multiplier, double epsilon)
{
    double sum = 0, ways = 1;
    for (unsigned k = 1; k <= facts->rows; k++) {
        double half = k / (2 * multiplier), at = epsilon * multiplier / k;
        ways *= (double)((facts->rows - k + 1) * facts->alternatives) / k;
        sum += ways * (dusk_normal_sf(at - half) - exp(epsilon + dusk_normal_log_sf(at + half)));
    }
    return sum;
}

static double multiplier_about(const learn_row_facts *facts, double left, double delta)
{
    double low = 0x1p-20, high = 0x1p40;
    if (!(left > 0) || facts->rows > ROWS_MOST) return INFINITY;
    for (int i = 0; i < 100 && high > low * (1 + 0x1p-48); i++) {
        double middle = sqrt(low * high);
        if (delta_about(facts, middle, left) <= delta)
            high = middle;
        else
            low = middle;
    }
    return high;
}

DUSK_PROVEN(learn_linear_multiplier_up)
double learn_linear_multiplier_up(const learn_row_facts *facts, double epsilon, double delta, double strength)
{
    double left = learn_linear_left_down(facts, epsilon, strength), more = 0x1p-40;
    double guess = multiplier_about(facts, left, delta);
    for (; guess < 0x1p39; more *= 16) {
        double multiplier = guess * (1 + more);
        if (delta_of(facts, multiplier, left) <= delta) return multiplier;
        if (more > 1) break;
    }
    return INFINITY;
}

/* The exponent of a grid with steps of at most `fine` / (4 sqrt(dimension)), but not so fine that noise cannot be drawn. */
static int grid_for(double fine, uint32_t dimension, double deviation)
{
    double wanted = log2(fine / (4 * sqrt((double)dimension))), finest = log2(deviation) - 38;
    return (int)floor(fmax(wanted, finest));
}

static dusk_status too_little(double epsilon, double strength, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give more epsilon, or a stronger regularisation",
                     "an epsilon of %.4g is too small for a linear term beside a regularisation of %.4g",
                     epsilon, strength);
}

static dusk_status make_gaussian(learn_linear_term *out, const learn_row_facts *facts, double multiplier,
                                 double fine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double sensitivity = dusk_mul_up(facts->norm, facts->lipschitz);
    int grid = grid_for(fine, out->dimension, sensitivity * multiplier);
    DUSK_TRY(dusk_gaussian_multiplier_init(&out->gauss, out->dimension, sensitivity, multiplier, grid, err));
    out->deviation = out->gauss.scale;
    out->rounding = dusk_mul_up(dusk_sqrt_up(out->dimension), ldexp(0.5, grid));
done:
    return status;
}

static dusk_status make_knorm(learn_linear_term *out, const learn_row_facts *facts, double left, double fine,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double sensitivity = dusk_mul_up(facts->rows, dusk_mul_up(facts->norm, facts->lipschitz));
    double deviation = sensitivity / left * sqrt(out->dimension + 1.0);
    int grid = grid_for(fine, out->dimension, deviation);
    DUSK_TRY(dusk_knorm_init(&out->knorm, DUSK_NORM_L2, out->dimension, sensitivity, left, grid, err));
    out->deviation = deviation;
    out->rounding = dusk_mul_up(dusk_sqrt_up(out->dimension), ldexp(0.5, grid));
done:
    return status;
}

DUSK_PROVEN(learn_linear_term_init)
dusk_status learn_linear_term_init(learn_linear_term *out, const learn_row_facts *facts, uint32_t dimension,
                                   double epsilon, double delta, double strength, double fine,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_linear_term term = { .gaussian = delta > 0, .dimension = dimension };
    double left = learn_linear_left_down(facts, epsilon, strength);

    if (facts->rows > ROWS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a learner that adds noise to sums",
                         "%u rows that one change moves are too many for a perturbed objective (at most %d)",
                         facts->rows, ROWS_MOST);
    if (!(left > 0)) return too_little(epsilon, strength, err);
    if (term.gaussian) {
        double multiplier = learn_linear_multiplier_up(facts, epsilon, delta, strength);
        if (!(multiplier < INFINITY)) return too_little(epsilon, strength, err);
        DUSK_TRY(make_gaussian(&term, facts, multiplier, fine, err));
    } else {
        DUSK_TRY(make_knorm(&term, facts, left, fine, err));
    }
    double margin = term.deviation / strength * fmax(facts->norm, 1) * fmax(facts->smoothness, 0.5);
    if (!(term.deviation <= 0x1p28 && margin <= STEEPEST)) return too_little(epsilon, strength, err);
    *out = term;
done:
    return status;
}

DUSK_PROVEN(learn_linear_term_draw)
dusk_status learn_linear_term_draw(const learn_linear_term *term, double *out, dusk_generator *gen,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 *none = NULL;
    double *zero = NULL;
    if (term->gaussian) {
        DUSK_NEW(none, term->dimension);
        DUSK_TRY(dusk_noise_release_totals(&term->gauss, out, none, term->dimension, gen, err));
    } else {
        DUSK_NEW(zero, term->dimension);
        DUSK_TRY(dusk_knorm_release(&term->knorm, out, zero, gen, err));
    }
done:
    dusk_deallocate(none);
    dusk_deallocate(zero);
    return status;
}

/* --- how strong ---------------------------------------------------------------------------------------------------------- */

static double deviation_of(const learn_row_facts *facts, uint32_t dimension, double epsilon, double delta,
                           double strength)
{
    double one = facts->norm * facts->lipschitz, left = learn_linear_left_down(facts, epsilon, strength);
    if (!(left > 0)) return INFINITY;
    if (delta > 0) return one * multiplier_about(facts, left, delta);
    return one * facts->rows / left * sqrt(dimension + 1.0);
}

double learn_linear_strength(const learn_row_facts *facts, uint32_t dimension, double epsilon, double delta,
                             double ratio)
{
    double low = facts->norm * facts->norm * 0x1p-20, high = low;
    while (high < 0x1p60 && !(high >= ratio * deviation_of(facts, dimension, epsilon, delta, high))) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 20; i++) {
        double middle = sqrt(low * high);
        if (middle >= ratio * deviation_of(facts, dimension, epsilon, delta, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
