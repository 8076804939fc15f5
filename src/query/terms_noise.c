/* SPDX-License-Identifier: Apache-2.0 */
/* What a query costs. One unit that comes or goes has, after bounding, at most G groups, m rows in each
 * and R in all: it moves counts of rows by at most l1 = min(G m, R) in the l1 norm over all groups, and by
 * sqrt(m l1) in the l2 norm; sums by that times the reach of a value; counts of units by G and sqrt(G).
 * Under replace-one two such moves happen.
 *
 * Epsilon is shared equally among the primitives and the selection of keys: with k shares a key is shown from
 * about ln(1/delta) k / epsilon units on, and noise is about k / epsilon rows then, a tenth of it. Laplace noises and quantiles
 * add up [Dwork & Roth 2014, Theorem 3.16]; all Gaussian noises together are one Gaussian
 * mechanism of a longer vector, calibrated by its exact curve [Balle & Wang 2018, Theorem 8]. Quantiles are
 * made group by group, and a unit is in up to G of them. Proof: terms_noise.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/quantile.h"
#include "numeric/rounding.h"
#include "query/terms.h"

/* --- sensitivities -------------------------------------------------------------------------- */

static double sides_of(const query_terms *terms)
{
    bool both = DUSK_MUTATE(TERMS_REPLACE_ONE_SIDED, terms->neighbours == DUSK_REPLACE_ONE, false);
    return both ? 2 : 1;
}

DUSK_PROVEN(set_sensitivity)
static void set_sensitivity(const query_terms *terms, query_primitive *p)
{
    double groups = DUSK_MUTATE(TERMS_GROUPS_FORGOTTEN, terms->groups_per_unit, 1);
    double each = p->total.kind == BOUNDING_UNITS ? 1 : terms->rows_per_group;
    double rows = dusk_mul_up(groups, each);
    if (terms->rows_per_unit > 0) rows = fmin(rows, terms->rows_per_unit);
    bool adds = p->total.kind == BOUNDING_SUM || p->total.kind == BOUNDING_SQUARES;
    double reach = adds ? p->total.reach : 1;
    p->l1 = dusk_mul_up(rows, reach);
    p->l2 = dusk_mul_up(dusk_sqrt_up(dusk_mul_up(rows, each)), reach);
    p->l1 = DUSK_MUTATE(TERMS_ROOT_FOR_LAPLACE, p->l1, p->l2);
}

/* --- shares ------------------------------------------------------------------------------------ */

static bool is_gaussian(const query_terms *terms, const query_primitive *p)
{
    return terms->options.noise == DUSK_QUERY_GAUSSIAN && p->total.kind != BOUNDING_COLLECT;
}

static size_t gaussians_of(const query_terms *terms)
{
    size_t n = 0;
    for (size_t i = 0; i < terms->primitives; i++) n += is_gaussian(terms, &terms->primitive[i]);
    return n;
}

/* `parts` shares of epsilon, a little less unless it is all of it, so that what an accountant adds up and
 * rounds up is not above epsilon. */
static double share_of(const query_terms *terms, size_t parts)
{
    size_t all = terms->primitives + (terms->selects && terms->counted == QUERY_NONE);
    double of = DUSK_MUTATE(TERMS_SHARE_COUNTED_TWICE, (double)all, fmax(1, (double)all - 1));
    if (parts == all) return terms->options.epsilon;
    return dusk_mul_down(dusk_div_down(dusk_mul_down(terms->options.epsilon, (double)parts), of),
                         1 - 0x1p-40);
}

/* --- noise --------------------------------------------------------------------------------------- */

static dusk_status set_noise(const query_terms *terms, query_primitive *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_aggregate how;
    double sides = sides_of(terms);
    unsigned parts = 1;
    dusk_aggregate_init(&how);
    how.epsilon = p->epsilon;
    if (is_gaussian(terms, p)) {
        parts = DUSK_MUTATE(TERMS_GAUSSIANS_NOT_JOINED, (unsigned)gaussians_of(terms), 1);
        how.epsilon = share_of(terms, gaussians_of(terms));
        how.delta = terms->selects ? terms->options.delta / 2 : terms->options.delta;
    }
    double l1 = sides * p->l1, l2 = sides * p->l2;
    if (p->total.kind == BOUNDING_SUM && l1 / how.epsilon * parts > 0x1p50)
        p->total.grid = QUERY_GRID_OPEN; /* whole numbers would be far finer than the noise */
    if (p->total.grid != QUERY_GRID_OPEN) {
        DUSK_TRY(dusk_aggregate_count_noise(&p->noise, &how, parts, 1, l1, l2, err));
    } else {
        DUSK_TRY(
            dusk_aggregate_sum_noise(&p->noise, &how, parts, how.delta == 0 ? l1 : l2, p->total.reach, err));
        p->total.grid = p->noise.grid;
        p->rounds = true;
    }
done:
    return status;
}

/* A group's quantiles get the G-th part of the share, the 2 G-th under replace-one: so many groups may
 * change, each by the rows of one unit. */
static dusk_status set_quantiles(const query_terms *terms, query_primitive *p, dusk_error *err)
{
    double groups = DUSK_MUTATE(TERMS_QUANTILES_OF_ONE_GROUP, terms->groups_per_unit, 1) * sides_of(terms);
    dusk_statement statement;
    dusk_aggregate_init(&p->quantiles);
    p->quantiles.neighbours = terms->neighbours;
    p->quantiles.lower = p->total.lower;
    p->quantiles.upper = p->total.upper;
    p->quantiles.rows_per_unit = terms->rows_per_group;
    p->quantiles.epsilon = dusk_div_down(p->epsilon, groups);
    p->quantiles.confidence = terms->options.confidence;
    if (groups > 1) p->quantiles.epsilon = dusk_mul_down(p->quantiles.epsilon, 1 - 0x1p-40);
    return dusk_quantiles_state(&statement, &p->quantiles, p->fraction, p->fractions, err);
}

/* --- keys --------------------------------------------------------------------------------------- */

/* The least number of units with which a key is shown every second time. */
static dusk_status half_point(uint64_t *units, const dusk_key_selection *selection, dusk_error *err)
{
    uint64_t low = 0, high = 1;
    double p = 0;
    dusk_status status = dusk_key_selection_probability(selection, &p, high, err);
    while (status == DUSK_OK && p < 0.5 && high < (uint64_t)1 << 52) {
        low = high;
        high *= 2;
        status = dusk_key_selection_probability(selection, &p, high, err);
    }
    while (status == DUSK_OK && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        status = dusk_key_selection_probability(selection, &p, middle, err);
        if (p < 0.5)
            low = middle;
        else
            high = middle;
    }
    *units = high;
    return status;
}

/* Of add/remove; two such steps make a replacement: (2 e, (1 + exp(e)) d) [Dwork & Roth 2014, Theorem 2.2]. */
static dusk_status init_selection(query_terms *terms, dusk_key_selection *out, uint64_t *half,
                                  dusk_key_method method, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double epsilon = terms->selection_epsilon = share_of(terms, 1);
    double delta = terms->selection_delta =
        gaussians_of(terms) > 0 ? terms->options.delta / 2 : terms->options.delta;
    if (sides_of(terms) == 2) {
        epsilon /= 2;
        delta = dusk_div_down(delta, dusk_add_up(1, dusk_exp_up(epsilon)));
    }
    uint32_t keys = DUSK_MUTATE(TERMS_KEYS_OF_ONE_GROUP, terms->groups_per_unit, 1);
    DUSK_TRY(dusk_key_selection_init(out, method, keys, epsilon, delta, err));
    DUSK_TRY(half_point(half, out, err));
done:
    return status;
}

/* A count of units that is asked for anyway; rows are units where each has one. */
static size_t count_of_units(const query_terms *terms)
{
    for (size_t i = 0; i < terms->primitives; i++) {
        bounding_kind kind = terms->primitive[i].total.kind;
        if (kind == BOUNDING_UNITS || (kind == BOUNDING_ROWS && terms->rows_per_group == 1)) return i;
    }
    return QUERY_NONE;
}

/* The optimal rule, unless another shows keys of as few units: where units have many keys, a threshold on
 * counts with Gaussian noise; where units are counted anyway, a threshold on those counts, which
 * are then released with the keys and need no share of their own. */
static dusk_status set_selection(query_terms *terms, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_key_selection other;
    uint64_t half;
    bool gaussian = terms->options.noise == DUSK_QUERY_GAUSSIAN;
    DUSK_TRY(
        init_selection(terms, &terms->selection, &terms->selection_half, DUSK_KEYS_TRUNCATED_GEOMETRIC, err));
    if (!gaussian) terms->counted = count_of_units(terms);
    if (!gaussian && terms->counted == QUERY_NONE) goto done;
    bool fine = init_selection(terms, &other, &half, gaussian ? DUSK_KEYS_GAUSSIAN : DUSK_KEYS_LAPLACE,
                               NULL) == DUSK_OK;
    if (fine && half <= terms->selection_half) {
        terms->selection = other;
        terms->selection_half = half;
    } else {
        terms->counted = QUERY_NONE;
        DUSK_TRY(init_selection(terms, &terms->selection, &half, DUSK_KEYS_TRUNCATED_GEOMETRIC, err));
    }
done:
    return status;
}

/* --- events ---------------------------------------------------------------------------------------- */

/* The event of a primitive. `own`: for the relation of the query as it is. Otherwise as filters and
 * compositions read it: noise relative to what one unit that comes or goes changes. */
static dusk_status primitive_event(const query_terms *terms, const query_primitive *p, bool own,
                                   dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    double sides = sides_of(terms);
    if (p->total.kind == BOUNDING_COLLECT) {
        DUSK_TRY(dusk_quantiles_state(&statement, &p->quantiles, p->fraction, p->fractions, err));
        return dusk_event_repeat(out, &statement.event, (uint64_t)sides * terms->groups_per_unit, err);
    }
    dusk_noise noise = p->noise;
    if (!own) {
        noise.sensitivity /= sides;
        noise.grid_sensitivity /= sides;
    }
    DUSK_TRY(dusk_noise_event(&noise, out, err));
done:
    return status;
}

static dusk_status sum_events(const query_terms *terms, bool own, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event, sum;
    const bool charged = DUSK_MUTATE(TERMS_SELECTION_FREE, terms->selects, false);
    if (charged)
        DUSK_TRY(dusk_event_approx(&sum, terms->selection_epsilon, terms->selection_delta, err));
    else
        DUSK_TRY(dusk_event_pure(&sum, 0, err));
    for (size_t i = 0; i < terms->primitives; i++) {
        if (i == terms->counted) continue; /* released with the keys */
        DUSK_TRY(primitive_event(terms, &terms->primitive[i], own, &event, err));
        if (i == 0 && !charged)
            sum = event;
        else if (dusk_event_add(&sum, &sum, &event, NULL) != DUSK_OK)
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for fewer things in one query",
                             "the query needs %zu totals, too many for one price", terms->primitives);
    }
    *out = sum;
done:
    return status;
}

/* The last word before anything is promised: basic composition of what will be drawn. */
static dusk_status check_promise(const query_terms *terms, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double epsilon, delta = terms->selects || gaussians_of(terms) > 0 ? terms->options.delta : 0;
    DUSK_TRY(sum_events(terms, true, &event, err));
    DUSK_TRY(dusk_event_epsilon_up(&event, &epsilon, delta, err));
    if (epsilon > terms->options.epsilon)
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "the noise of a query does not keep epsilon %.17g",
                         terms->options.epsilon);
done:
    return status;
}

/* --- widths ------------------------------------------------------------------------------------------ */

static dusk_status width_of(const query_terms *terms, double *out, size_t primitive, int parts,
                            dusk_error *err)
{
    dusk_aggregate how;
    if (primitive == QUERY_NONE) return DUSK_OK;
    dusk_aggregate_init(&how);
    how.confidence = terms->options.confidence;
    return dusk_aggregate_interval(out, &how, (unsigned)parts, &terms->primitive[primitive].noise, err);
}

/* A count that had to pass a threshold gets half the risk: see release_measure.c. */
static dusk_status set_widths(const query_terms *terms, query_source_of *m, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int parts = (m->count != QUERY_NONE) + (m->sum != QUERY_NONE) + (m->squares != QUERY_NONE);
    bool passed = m->count != QUERY_NONE && m->count == terms->counted;
    DUSK_TRY(width_of(terms, &m->width_of_count, m->count, passed ? 2 * parts : parts, err));
    DUSK_TRY(width_of(terms, &m->width_of_sum, m->sum, parts, err));
    DUSK_TRY(width_of(terms, &m->width_of_squares, m->squares, parts, err));
    m->width_of_count = floor(m->width_of_count); /* whole numbers, of which nothing was rounded */
    if (m->sum != QUERY_NONE && !terms->primitive[m->sum].rounds) m->width_of_sum = floor(m->width_of_sum);
done:
    return status;
}

DUSK_PROVEN(query_terms_price)
dusk_status query_terms_price(query_terms *terms, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (terms->selects) DUSK_TRY(set_selection(terms, err));
    for (size_t i = 0; i < terms->primitives; i++) {
        query_primitive *p = &terms->primitive[i];
        set_sensitivity(terms, p);
        p->epsilon = share_of(terms, 1);
        if (i == terms->counted)
            p->noise = terms->selection.noise;
        else if (p->total.kind == BOUNDING_COLLECT)
            DUSK_TRY(set_quantiles(terms, p, err));
        else
            DUSK_TRY(set_noise(terms, p, err));
    }
    DUSK_TRY(sum_events(terms, false, &terms->event, err));
    DUSK_TRY(check_promise(terms, err));
    terms->delta = gaussians_of(terms) > 0 ? terms->options.delta : 0;
    for (size_t i = 0; i < terms->plan->measures; i++) DUSK_TRY(set_widths(terms, &terms->measure[i], err));
done:
    return status;
}
