/* SPDX-License-Identifier: Apache-2.0 */
/* dusk_event_epsilon_up: basic composition [Dwork & Roth 2014, Theorem 3.16]
 * over the parts of an event, each part priced by its own exact curve or pure
 * bound. Gaussian parts are first merged into one (mu^2 adds: Dong, Roth & Su
 * 2022, Corollary 3.3), and so are zCDP parts (rho adds: Bun & Steinke 2016,
 * Lemma 1.7); both are exact. Every operation rounds so that epsilon can only
 * grow. Advanced composition and numerical accountants are not here. */
#include <math.h>

#include "accounting/event.h"
#include "accounting/gaussian.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

/* n as a double, not below n. */
static double count_up(uint64_t n)
{
    double x = (double)n;
    return x < 0x1p64 && (uint64_t)x < n ? nextafter(x, INFINITY) : x;
}

static double times_up(const dusk_event_node *part)
{
    return DUSK_MUTATE(EPSILON_REPEAT_IGNORED, count_up(part->times), 1.0);
}

/* x in [0, inf): a negative sum of bounds is 0, and NaN (which no path leads
 * to) would be no promise. */
static double at_least_zero(double x) { return x > 0 ? x : isnan(x) ? INFINITY : 0; }

/* What one part costs with delta 0, or +inf when it has no finite price there. */
DUSK_PROVEN(pure_price_up)
static double pure_price_up(const dusk_event_node *part)
{
    switch ((dusk_event_kind)part->kind) {
    case DUSK_EVENT_PURE:
    case DUSK_EVENT_APPROX:
    case DUSK_EVENT_RANDOMIZED_RESPONSE:
    case DUSK_EVENT_EXPONENTIAL:
    case DUSK_EVENT_PERMUTE_AND_FLIP:
    case DUSK_EVENT_NOISY_MAX: return part->real[0];
    case DUSK_EVENT_SVT: return dusk_add_up(part->real[0], part->real[1]);
    case DUSK_EVENT_METRIC:
        return DUSK_MUTATE(EPSILON_DISTANCE_IGNORED, dusk_mul_up(part->real[0], part->real[1]),
                           part->real[0]);
    case DUSK_EVENT_LAPLACE: return dusk_div_up(1, part->real[0]);
    case DUSK_EVENT_DISCRETE_LAPLACE: return dusk_div_up(count_up(part->whole[0]), part->real[0]);
    case DUSK_EVENT_ZCDP:
    case DUSK_EVENT_GDP:
    case DUSK_EVENT_GAUSSIAN:
    case DUSK_EVENT_DISCRETE_GAUSSIAN:
    default: break;
    }
    return INFINITY;
}

/* Randomized response over k answers with pure bound e0 has
 * delta(eps) = (e^e0 - e^eps) / (e^e0 + k - 1). */
static double response_price_up(double e0, double answers, double delta)
{
    double others = dusk_mul_down(answers - 1, dusk_exp_down(-e0));
    double lost = dusk_mul_down(delta, dusk_add_down(1, others));
    return lost < 1 ? at_least_zero(dusk_add_up(e0, dusk_log1p_up(-lost))) : 0;
}

/* A single part that needs no delta, given all of it. Laplace noise has
 * delta(eps) = 1 - exp((eps - 1/b)/2), in any dimension at the same l1
 * sensitivity; the others keep their pure price. */
DUSK_PROVEN(single_price_up)
static double single_price_up(const dusk_event_node *part, double delta)
{
    double pure = pure_price_up(part);
    if (delta > 0 && part->kind == DUSK_EVENT_LAPLACE)
        return at_least_zero(dusk_add_up(pure, 2 * dusk_log1p_up(-delta)));
    if (delta > 0 && part->kind == DUSK_EVENT_RANDOMIZED_RESPONSE && part->whole[0] < (UINT64_C(1) << 53))
        return response_price_up(pure, (double)part->whole[0], delta);
    return pure;
}

/* The a = alpha - 1 that is best for zcdp_price_up: its derivative vanishes
 * where rho a^2 + ln(1 + a) = ln(1/delta). Any a > 0 would be sound. */
static double best_order(double rho, double log_inverse)
{
    double high = sqrt(log_inverse / rho), low = expm1(log_inverse / 2);
    if (expm1(log_inverse) < high) high = expm1(log_inverse);
    if (high / 2 < low) low = high / 2;
    for (int i = 0; i < 100 && low < high; i++) {
        double a = sqrt(low) * sqrt(high);
        if (rho * a * a + log1p(a) < log_inverse)
            low = a;
        else
            high = a;
    }
    return high;
}

/* Canonne, Kamath & Steinke 2020, Proposition 12 at (alpha, xi + alpha rho), solved
 * for epsilon:
 *   epsilon = xi + alpha rho + ln(1 - 1/alpha) + (ln(1/delta) - ln alpha)/(alpha - 1). */
DUSK_PROVEN(zcdp_price_up)
static double zcdp_price_up(double rho, double xi, double delta)
{
    if (isinf(rho)) return INFINITY;
    double a = best_order(rho, -log(delta));
    if (!(a > 0) || isinf(a)) return INFINITY;
    double alpha_up = dusk_add_up(1, a), alpha_down = dusk_add_down(1, a);
    double first = dusk_add_up(xi, dusk_mul_up(alpha_up, rho));
    double second = -dusk_log1p_down(dusk_div_down(1, a)); /* ln(a/(1+a)) = -ln(1 + 1/a) */
    double third = dusk_div_up(dusk_sub_up(-dusk_log_down(delta), dusk_log_down(alpha_down)), a);
    return at_least_zero(dusk_add_up(dusk_add_up(first, second), third));
}

/* The parts, sorted by how they are priced. All sums are rounded up. */
typedef struct bill {
    double epsilon;      /* of all parts that need no delta          */
    double delta;        /* of all approx parts                      */
    double mu_squared;   /* of all Gaussian parts                    */
    double rho;          /* of all zCDP parts                        */
    double xi;           /* of all zCDP parts                        */
    double claims;       /* how many shares of the remaining delta   */
    double single_sigma; /* of a Gaussian that runs once, alone      */
} bill;

static double mu_squared_up(const dusk_event_node *part)
{
    double mu = part->kind == DUSK_EVENT_GDP ? part->real[0] : dusk_div_up(1, part->real[0]);
    return DUSK_MUTATE(EPSILON_MU_NOT_SQUARED, dusk_mul_up(mu, mu), mu);
}

static void add_pure(bill *b, double price)
{
    b->epsilon = DUSK_MUTATE(EPSILON_TINY_SPENDS_VANISH, dusk_add_up(b->epsilon, price), b->epsilon + price);
}

DUSK_PROVEN(add_to_bill)
static void add_to_bill(bill *b, const dusk_event_node *part)
{
    double n = times_up(part);
    switch ((dusk_event_kind)part->kind) {
    case DUSK_EVENT_GDP:
    case DUSK_EVENT_GAUSSIAN:
        if (b->mu_squared == 0) b->claims = dusk_add_up(b->claims, 1);
        /* sigma = 1/mu only when exactly so; then the merged price is exact. */
        b->single_sigma =
            b->mu_squared == 0 && n == 1 && part->kind == DUSK_EVENT_GAUSSIAN ? part->real[0] : 0;
        b->mu_squared = dusk_add_up(b->mu_squared, dusk_mul_up(n, mu_squared_up(part)));
        break;
    case DUSK_EVENT_ZCDP:
        if (b->rho == 0) b->claims = dusk_add_up(b->claims, 1);
        b->rho = dusk_add_up(b->rho, dusk_mul_up(n, part->real[0]));
        b->xi = DUSK_MUTATE(EPSILON_XI_IGNORED, dusk_add_up(b->xi, dusk_mul_up(n, part->real[1])), 0);
        break;
    case DUSK_EVENT_DISCRETE_GAUSSIAN: b->claims = dusk_add_up(b->claims, n); break;
    case DUSK_EVENT_APPROX:
        b->delta = dusk_add_up(b->delta, dusk_mul_up(n, part->real[1]));
        add_pure(b, dusk_mul_up(n, pure_price_up(part)));
        break;
    default: add_pure(b, dusk_mul_up(n, pure_price_up(part))); break;
    }
}

/* The parts that take one share of delta each. */
static double claims_price_up(const bill *b, const dusk_event_nodes *parts, double share)
{
    double epsilon = 0;
    if (b->mu_squared > 0) {
        double sigma = b->single_sigma > 0 ? b->single_sigma : dusk_div_down(1, dusk_sqrt_up(b->mu_squared));
        epsilon = dusk_add_up(epsilon, dusk_gaussian_epsilon_up(sigma, share));
    }
    if (b->rho > 0) epsilon = dusk_add_up(epsilon, zcdp_price_up(b->rho, b->xi, share));
    for (uint64_t i = 0; i < parts->count; i++) {
        const dusk_event_node *part = &parts->node[i];
        if (part->kind != DUSK_EVENT_DISCRETE_GAUSSIAN) continue;
        double one = dusk_discrete_gaussian_epsilon_up(part->real[0], part->whole[0], share);
        epsilon = dusk_add_up(epsilon, one > 0 ? dusk_mul_up(times_up(part), one) : 0);
    }
    return epsilon;
}

static bool is_known(const dusk_event_node *part)
{
    return part->kind >= DUSK_EVENT_PURE && part->kind <= DUSK_EVENT_METRIC;
}

/* Every part is of a kind that pure_price_up and add_to_bill know. */
static dusk_status check_known(const dusk_event_nodes *parts, dusk_error *err)
{
    for (uint64_t i = 0; i < parts->count; i += parts->node[i].span)
        if (!is_known(&parts->node[i]))
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use dusk_account_epsilon",
                             "basic composition has no price for %s",
                             dusk_event_form_of(parts->node[i].kind)->name);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_event_epsilon_up)
dusk_status dusk_event_epsilon_up(const dusk_event *event, double *epsilon, double delta, dusk_error *err)
{
    dusk_event_nodes parts;
    dusk_status status = dusk_event_read(&parts, event, err);
    if (status != DUSK_OK) return status;
    if (!(delta >= 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a small probability such as 1e-6",
                         "delta must be at least 0 and below 1");
    status = check_known(&parts, err);
    if (status != DUSK_OK) return status;
    bill b = { 0 };
    for (uint64_t i = 0; i < parts.count; i++) add_to_bill(&b, &parts.node[i]);
    if (b.delta > delta) {
        *epsilon = INFINITY;
        return DUSK_OK;
    }
    if (parts.count == 1 && parts.node[0].times == 1 && b.claims == 0)
        b.epsilon = single_price_up(&parts.node[0], delta);
    if (b.claims > 0) {
        double rest = dusk_sub_down(delta, b.delta);
        double share = DUSK_MUTATE(EPSILON_DELTA_NOT_SHARED, dusk_div_down(rest, b.claims), rest);
        b.epsilon = share > 0 ? dusk_add_up(b.epsilon, claims_price_up(&b, &parts, share)) : INFINITY;
    }
    *epsilon = at_least_zero(b.epsilon);
    return DUSK_OK;
}
