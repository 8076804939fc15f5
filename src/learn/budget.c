/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a promise. Proof: budget.proof.md. */
#include "learn/budget.h"

#include <math.h>
#include <string.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"

enum { TURNS = 12 };      /* tries of an epsilon */
#define NOISE_MOST 0x1p59 /* steps: a deviation that noise of sums can have */

/* The mu of (epsilon, delta), a hair less, so that what is priced anew in the end stays within. */
static double allowed_mu(double epsilon, double delta)
{
    return dusk_div_down(1, dusk_gaussian_sigma_up(epsilon, delta)) * (1 - 0x1p-30);
}

DUSK_PROVEN(learn_budget_init)
dusk_status learn_budget_init(learn_budget *out, dusk_neighbours neighbours, double epsilon, double delta,
                              uint32_t rows_per_unit, dusk_error *err)
{
    dusk_status status = dusk_request_epsilon(epsilon, err);
    if (status != DUSK_OK) return status;
    if (!(delta >= 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6, or 0",
                         "delta must be at least 0 and below 1");
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "the neighbouring relation must be chosen");
    if (rows_per_unit < 1 || rows_per_unit > 1u << 20)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 1 where every row is somebody else's",
                         "rows_per_unit must be from 1 to 2^20");
    double sides = neighbours == DUSK_REPLACE_ONE ? DUSK_MUTATE(LEARN_REPLACE_HAS_ONE_SIDE, 2, 1) : 1;
    *out = (learn_budget){ .neighbours = neighbours,
                           .epsilon = epsilon,
                           .delta = delta,
                           .factor = sides * rows_per_unit,
                           .mu = delta > 0 ? allowed_mu(epsilon, delta) : 0,
                           .left = 1,
                           .fresh = 1 };
    return DUSK_OK;
}

dusk_status learn_budget_by_noise(learn_budget *out, dusk_neighbours neighbours, double multiplier,
                                  double delta, uint32_t rows_per_unit, dusk_error *err)
{
    if (!(multiplier >= 1e-3 && multiplier <= 1e9))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1.1",
                         "the noise is a number from 0.001 to 1e9, times the clip");
    if (!(delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "what noise costs is said at a delta above 0");
    dusk_status status = learn_budget_init(out, neighbours, 1, delta, rows_per_unit, err);
    if (status != DUSK_OK) return status;
    out->epsilon = INFINITY;
    out->mu = 0;
    out->multiplier = multiplier;
    return DUSK_OK;
}

void learn_budget_version(learn_budget *budget, learn_versions *versions)
{
    const double ratio = versions->before / versions->now;
    versions->noises = 0;
    budget->mu = versions->now;
    budget->fresh = 1 - ratio * ratio;
    budget->versions = versions;
}

/* What is no noise for one release of sums cannot be drawn again and averaged. */
static dusk_status refuse_versions(const learn_budget *budget, dusk_error *err)
{
    if (!budget->versions) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                     "choose another learner or setting, or a training without a target",
                     "a learner that does more than to release sums once has no versions with less noise");
}

/* Shares are public constants of learners and settings of the user. */
static dusk_status take_share(learn_budget *budget, double share, uint64_t times, dusk_error *err)
{
    if (budget->multiplier > 0 && !(share == 1 && budget->left == 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare --rows N, and use scaling=bounds",
                         "with a given noise gradients are all that is paid for");
    if (!(share > 0) || times < 1 || share > budget->left * (1 + 0x1p-40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave something for the learner itself",
                         "the shares of the budget add to more than it is");
    budget->left = fmax(budget->left - share, 0);
    budget->spent += budget->mu * budget->mu * share;
    return DUSK_OK;
}

static dusk_status collect(learn_budget *budget, const dusk_event *event, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event repeated;
    DUSK_TRY(dusk_event_repeat(&repeated, event, times, err));
    if (budget->any)
        DUSK_TRY(dusk_event_add(&budget->event, &budget->event, &repeated, err));
    else
        budget->event = repeated;
    budget->any = true;
done:
    return status;
}

/* --- sums --------------------------------------------------------------------------------------------- */

static dusk_status make_gaussian(learn_noise *out, double sensitivity, double mu, dusk_event *event,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_gaussian_multiplier_init(&out->gauss, out->dimension, sensitivity, dusk_div_up(1, mu),
                                           out->grid, err));
    DUSK_TRY(dusk_noise_for_total(&out->gauss, err));
    DUSK_TRY(dusk_noise_event(&out->gauss, event, err));
    out->deviation = out->gauss.scale * sqrt(out->fresh);
done:
    return status;
}

static dusk_status make_norm(learn_noise *out, double sensitivity, double epsilon, dusk_event *event,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_knorm_init(&out->norm, DUSK_NORM_L2, out->dimension, sensitivity, epsilon,
                             DUSK_GRID_DEFAULT, err));
    DUSK_TRY(dusk_knorm_event(&out->norm, event, err));
    out->deviation = out->norm.scale * sqrt(out->dimension + 1.0); /* E|Z|^2 = d (d + 1) scale^2 */
done:
    return status;
}

static dusk_status make_laplace(learn_noise *out, double sensitivity, double epsilon, dusk_event *event,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_discrete_laplace_init(&out->gauss, out->dimension, sensitivity, epsilon, out->grid, err));
    DUSK_TRY(dusk_noise_for_total(&out->gauss, err));
    DUSK_TRY(dusk_noise_event(&out->gauss, event, err));
    out->deviation = M_SQRT2 * out->gauss.scale;
done:
    return status;
}

/* `cells`: `steps` is in l1 when there is no delta; else, and with delta, in l2. */
DUSK_PROVEN(make_noise)
static dusk_status make_noise(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                              bool cells, int grid, double share, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool gaussian = budget->delta > 0;
    learn_noise noise = { .gaussian = gaussian,
                          .laplace = cells && !gaussian,
                          .dimension = dimension,
                          .grid = grid,
                          .fresh = budget->fresh,
                          .versions = budget->versions };
    double sensitivity = ldexp(steps * DUSK_MUTATE(LEARN_UNIT_HAS_ONE_ROW, budget->factor, 1), grid);
    dusk_event event;

    if (!(steps >= 1 && steps <= 0x1p50) || steps != floor(steps) || !(steps * budget->factor <= 0x1p53))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds, or fewer rows a unit",
                         "a contribution of %.3g steps is too much for an exact sum", steps);
    if (budget->versions) {
        if (!gaussian || times > 1 || budget->versions->noises == LEARN_VERSIONS_NOISES)
            return refuse_versions(budget, err);
        noise.number = budget->versions->noises++;
    }
    DUSK_TRY(take_share(budget, share, times, err));
    share /= (double)times;
    const double mu = budget->mu * dusk_sqrt_down(share * budget->fresh);
    if (noise.gaussian && !(sensitivity <= mu * ldexp(NOISE_MOST, grid)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a larger epsilon or delta",
                         "noise of deviation %.3g would drown every sum of rows", sensitivity / mu);
    if (noise.gaussian)
        DUSK_TRY(make_gaussian(&noise, sensitivity, mu, &event, err));
    else
        DUSK_TRY((cells ? make_laplace : make_norm)(
            &noise, sensitivity, dusk_mul_down(budget->epsilon * (1 - 0x1p-40), share), &event, err));
    DUSK_TRY(collect(budget, &event, times, err));
    *out = noise;
done:
    return status;
}

dusk_status learn_budget_noise(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                               int grid, double share, uint64_t times, dusk_error *err)
{
    return make_noise(budget, out, dimension, steps, false, grid, share, times, err);
}

dusk_status learn_budget_cells(learn_budget *budget, learn_noise *out, uint32_t dimension, double steps,
                               int grid, double share, uint64_t times, dusk_error *err)
{
    return make_noise(budget, out, dimension, steps, true, grid, share, times, err);
}

void learn_versions_clear(learn_versions *versions)
{
    for (size_t i = 0; i < LEARN_VERSIONS_NOISES; i++) dusk_deallocate(versions->known[i]);
    *versions = (learn_versions){ .before = 0 };
}

/* Average what was released with what is known of the same sums; all of it was released. */
static dusk_status average(const learn_noise *noise, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double **known = &noise->versions->known[noise->number];
    const double fresh = DUSK_MUTATE(VERSIONS_ARE_NOT_AVERAGED, noise->fresh, 1);
    if (*known)
        for (uint32_t i = 0; i < noise->dimension; i++) out[i] = fresh * out[i] + (1 - fresh) * (*known)[i];
    else
        DUSK_NEW(*known, noise->dimension);
    memcpy(*known, out, noise->dimension * sizeof *out);
done:
    return status;
}

DUSK_PROVEN(learn_noise_release)
dusk_status learn_noise_release(const learn_noise *noise, double *out, const dusk_int128 *totals,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_int128 most = (dusk_int128)1 << 53;
    double *values = NULL;

    if (noise->gaussian || noise->laplace) {
        DUSK_TRY(dusk_noise_release_totals(&noise->gauss, out, totals, noise->dimension, gen, err));
        return noise->versions ? average(noise, out, err) : DUSK_OK;
    }
    DUSK_NEW(values, noise->dimension);
    for (uint32_t i = 0; i < noise->dimension; i++) {
        dusk_int128 total = totals[i] < most ? totals[i] : most;
        values[i] = ldexp((double)(total > -most ? total : -most), noise->grid);
    }
    DUSK_TRY(dusk_knorm_release(&noise->norm, out, values, gen, err));
done:
    if (values) dusk_wipe(values, noise->dimension * sizeof *values);
    dusk_deallocate(values);
    return status;
}

/* --- counts ---------------------------------------------------------------------------------------------- */

/* Give `share` of epsilon to what is pure; the mu for the shares that are left is then that of the rest of epsilon, less what
 * Gaussian noise has already taken. */
static dusk_status take_pure(learn_budget *budget, double share, dusk_error *err)
{
    double pure = budget->pure + share * budget->epsilon, rest = budget->epsilon - pure;
    bool all = rest <= budget->epsilon * 0x1p-20;
    double mu = all ? 0 : allowed_mu(rest, budget->delta) * (1 - 0x1p-20);
    if (!(share > 0) || pure > budget->epsilon * (1 + 0x1p-40) || budget->left == 0 ||
        (all ? budget->spent > 0 : mu * mu <= budget->spent))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave something for the learner itself",
                         "the shares of the budget add to more than it is");
    budget->pure = pure;
    budget->mu = all ? 0 : sqrt((mu * mu - budget->spent) / budget->left);
    if (all) budget->left = 0;
    return DUSK_OK;
}

DUSK_PROVEN(learn_budget_counts)
dusk_status learn_budget_counts(learn_budget *budget, learn_noise *out, double steps, double share,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_noise noise = { .dimension = 1 };
    double epsilon = dusk_mul_down(budget->epsilon * (1 - 0x1p-30), share);
    double sensitivity = steps * DUSK_MUTATE(LEARN_COUNTS_OF_ONE_ROW, budget->factor, 1);
    dusk_event event;

    if (!(steps >= 1 && steps <= 0x1p50) || steps != floor(steps) || !(steps * budget->factor <= 0x1p53))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer rows a unit",
                         "a contribution of %.3g steps is too much for an exact sum", steps);
    DUSK_TRY(refuse_versions(budget, err));
    DUSK_TRY(budget->delta > 0 ? take_pure(budget, share, err) : take_share(budget, share, 1, err));
    DUSK_TRY(dusk_discrete_laplace_init(&noise.gauss, 1, sensitivity, epsilon, 0, err));
    DUSK_TRY(dusk_noise_for_total(&noise.gauss, err));
    DUSK_TRY(dusk_noise_event(&noise.gauss, &event, err));
    DUSK_TRY(collect(budget, &event, 1, err));
    noise.deviation = noise.gauss.scale * M_SQRT2;
    *out = noise;
done:
    return status;
}

DUSK_PROVEN(learn_counts_release)
dusk_status learn_counts_release(const learn_noise *noise, double *out, const dusk_int128 *totals, size_t n,
                                 dusk_generator *gen, dusk_error *err)
{
    return dusk_noise_release_totals(&noise->gauss, out, totals, n, gen, err);
}

/* --- other parts ---------------------------------------------------------------------------------------- */

/* An epsilon whose pure privacy is at most mu-Gaussian: ln(Phi(mu/2) / Phi(-mu/2)), a hair less. Far out Phi(-x) is below
 * the normal density at x over x. */
static double pure_of_mu(double mu)
{
    double x = mu / 2, right = erfc(-x * M_SQRT1_2), wrong = erfc(x * M_SQRT1_2), epsilon;
    if (x > 30)
        epsilon = x * x / 2 + log(x) + 0.9189385332046727;
    else
        epsilon = x > 0.25 ? log(right / wrong) : log1p(2 * erf(x * M_SQRT1_2) / wrong);
    return epsilon * (1 - 0x1p-30);
}

DUSK_PROVEN(learn_budget_pure)
dusk_status learn_budget_pure(learn_budget *budget, double *epsilon, bool choice, double share,
                              uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double each;

    DUSK_TRY(refuse_versions(budget, err));
    DUSK_TRY(take_share(budget, share, times, err));
    share /= (double)times;
    each = budget->delta > 0 /* never above epsilon: alone it is priced by itself, however large delta is */
               ? fmin(pure_of_mu(budget->mu * sqrt(share)), budget->epsilon)
               : dusk_mul_down(budget->epsilon * (1 - 0x1p-40), share);
    DUSK_TRY(choice ? dusk_event_exponential(&event, each, err) : dusk_event_pure(&event, each, err));
    DUSK_TRY(collect(budget, &event, times, err));
    *epsilon = each;
done:
    return status;
}

DUSK_PROVEN(learn_budget_whole)
dusk_status learn_budget_whole(learn_budget *budget, double *epsilon, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double each = budget->epsilon * (1 - 0x1p-30) / (double)times;
    dusk_event event;
    if (budget->delta == 0 || budget->left != 1)
        return learn_budget_pure(budget, epsilon, false, budget->left, times, err);
    DUSK_TRY(dusk_event_pure(&event, each, err));
    DUSK_TRY(learn_budget_event(budget, &event, budget->left, times, err));
    *epsilon = each;
done:
    return status;
}

DUSK_PROVEN(learn_budget_event)
dusk_status learn_budget_event(learn_budget *budget, const dusk_event *event, double share, uint64_t times,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(refuse_versions(budget, err));
    DUSK_TRY(take_share(budget, share, times, err));
    DUSK_TRY(collect(budget, event, times, err));
done:
    return status;
}

DUSK_PROVEN(learn_budget_state)
dusk_status learn_budget_state(const learn_budget *budget, dusk_statement *out, const char *unit,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    if (!budget->any) return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a learner that releases nothing");
    DUSK_TRY(dusk_statement_init(&statement, &budget->event, budget->delta, budget->neighbours, unit, err));
    if (!(statement.epsilon <= budget->epsilon))
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a plan for epsilon %.17g costs %.17g", budget->epsilon,
                         statement.epsilon);
    *out = statement;
done:
    return status;
}

/* Whether `times` pure releases of `each` keep the promise beside what was given, and what was set aside for others: a share that is neither left nor given, of Gaussian noise. */
static bool pure_fits(const learn_budget *budget, double each, uint64_t times)
{
    learn_budget trial = *budget;
    dusk_statement statement;
    dusk_event event;
    const double all = budget->mu * budget->mu, aside = all * (1 - budget->left) - budget->spent;
    trial.epsilon *= 1 - 0x1p-20; /* for what is rounded when the others come */
    if (aside > all * 0x1p-30 && (dusk_event_gaussian(&event, 1 / sqrt(aside), NULL) != DUSK_OK ||
                                  collect(&trial, &event, 1, NULL) != DUSK_OK))
        return false;
    return dusk_event_pure(&event, each, NULL) == DUSK_OK &&
           collect(&trial, &event, times, NULL) == DUSK_OK &&
           learn_budget_state(&trial, &statement, "row", NULL) == DUSK_OK;
}

DUSK_PROVEN(learn_budget_pure_most)
dusk_status learn_budget_pure_most(learn_budget *budget, double *epsilon, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    double low, high = before.epsilon;
    dusk_event event;
    DUSK_TRY(learn_budget_pure(budget, epsilon, false, budget->left, times, err));
    if (!(before.delta > 0)) return DUSK_OK;
    const double added = before.epsilon * (1 - 0x1p-18) / (double)times; /* epsilons that only add up */
    low = added > *epsilon && pure_fits(&before, added, times) ? added : *epsilon;
    for (int turn = 0; turn < TURNS && low < high; turn++) {
        const double middle = sqrt(low * high);
        if (pure_fits(&before, middle, times))
            low = middle;
        else
            high = middle;
    }
    if (!(low > *epsilon)) return DUSK_OK;
    *budget = before;
    DUSK_TRY(dusk_event_pure(&event, low, err));
    DUSK_TRY(learn_budget_event(budget, &event, budget->left, times, err));
    *epsilon = low;
done:
    return status;
}

uint64_t learn_budget_pure_times(const learn_budget *budget, double epsilon, uint64_t most)
{
    uint64_t low = 1, high = most + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (pure_fits(budget, epsilon, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- choices -------------------------------------------------------------------------------------------- */

/* Take choices of bounded range `each` out of a budget; *price is the epsilon of all that was taken. */
static dusk_status take_choices(learn_budget *budget, double *price, double each, uint64_t times,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    dusk_event event;
    DUSK_TRY(dusk_event_exponential(&event, each, err));
    DUSK_TRY(learn_budget_event(budget, &event, budget->left, times, err));
    DUSK_TRY(learn_budget_state(budget, &statement, "row", err));
    *price = statement.epsilon;
done:
    return status;
}

DUSK_PROVEN(learn_budget_choices)
dusk_status learn_budget_choices(learn_budget *budget, double *epsilon, uint64_t times, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    double each, price;
    DUSK_TRY(learn_budget_pure(budget, &each, true, budget->left, times, err));
    *epsilon = each;
    for (int turn = 0; turn < 2 && budget->delta > 0; turn++) {
        learn_budget trial = before;
        if (take_choices(&trial, &price, each, times, NULL) != DUSK_OK) break;
        *budget = trial;
        *epsilon = each;
        if (price > 0.97 * budget->epsilon) break;
        each += (budget->epsilon * (1 - 0x1p-20) - price) / (double)times;
    }
done:
    return status;
}

/* --- the rest, at a delta -------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_budget_rest)
dusk_status learn_budget_rest(learn_budget *budget, double *epsilon, double delta, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_budget before = *budget;
    double low = 0, high = before.epsilon * (1 - 0x1p-20);
    for (int turn = 0; turn < (before.any ? 6 : 1); turn++) {
        double each = before.any ? (low + high) / 2 : high;
        learn_budget trial = before;
        dusk_statement statement;
        dusk_event event;
        DUSK_TRY(dusk_event_approx(&event, each, delta, err));
        DUSK_TRY(learn_budget_event(&trial, &event, trial.left, 1, err));
        if (learn_budget_state(&trial, &statement, "row", NULL) == DUSK_OK) {
            low = each;
            *budget = trial;
        } else
            high = each;
    }
    *epsilon = low;
done:
    return status;
}
