/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan needs: measures are lowered to totals of groups. A mean is the middle of its bounds plus a
 * centred sum over a count, a variance needs the centred squares too; both as in mechanisms/mean.c and
 * variance.c. Equal totals are drawn once:
 *   - COUNT(x) of what is never NULL is COUNT(*), and so is the number of units where a unit has
 *     one row in a group;
 *   - SUM(x) beside AVG(x) is made of the centred sum and the count. With reach r and middle c that
 *     has the deviation sqrt(r^2 + c^2) of one share; a sum of its own would have r + |c|, and
 *     take a share from all others.
 * Whole numbers are added, and released, as whole numbers. No row is read here. */
#include "query/terms.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- contributions ------------------------------------------------------------------------ */

static uint32_t first_of(uint32_t asked, uint32_t declared, uint32_t otherwise)
{
    return asked ? asked : declared ? declared : otherwise;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* How many public groups there are, where declared domains say so; else as many as there may be. */
static uint32_t groups_of(const query_plan *plan)
{
    uint64_t groups = 1;
    if (plan->keys > 0 && (!plan->public_keys || plan->domain)) return UINT32_MAX;
    for (size_t k = 0; k < plan->keys; k++) {
        const query_facts *facts = &plan->input->column[1 + k].facts;
        if (!facts->domain) return UINT32_MAX;
        groups *= facts->values + facts->nullable;
        if (groups > QUERY_GROUPS_MAX) return UINT32_MAX;
    }
    return groups > 0 ? (uint32_t)groups : 1;
}

static void set_contributions(query_terms *terms)
{
    const query_plan *plan = terms->plan;
    const dusk_query_options *o = &terms->options;
    uint32_t rows = first_of(o->rows_per_unit, plan->rows_per_unit, 0);
    terms->groups_per_unit = first_of(o->groups_per_unit, plan->groups_per_unit, 1);
    terms->rows_per_group = first_of(o->rows_per_group, plan->rows_per_unit, 1);
    terms->groups_per_unit = least(terms->groups_per_unit, groups_of(plan));
    if (plan->one_row_per_unit) rows = 1;
    if (rows > 0) { /* no more groups or rows than rows */
        terms->groups_per_unit = least(terms->groups_per_unit, rows);
        terms->rows_per_group = least(terms->rows_per_group, rows);
        uint64_t most = (uint64_t)terms->groups_per_unit * terms->rows_per_group;
        if (rows >= most) rows = 0; /* it limits nothing */
    }
    terms->rows_per_unit = rows;
}

/* --- primitives --------------------------------------------------------------------------- */

static bool same_total(const bounding_total *a, const bounding_total *b)
{
    return a->kind == b->kind && a->value == b->value && a->lower == b->lower && a->upper == b->upper &&
           a->centre == b->centre && a->reach == b->reach && a->half_square == b->half_square &&
           a->grid == b->grid;
}

/* The number of the primitive with this total, which is added if there is none. */
static dusk_status add_primitive(query_terms *terms, size_t *out, bounding_total total, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    total.unit_low = total.unit_high = NAN;
    for (size_t i = 0; i < terms->primitives; i++)
        if (same_total(&terms->primitive[i].total, &total)) {
            *out = i;
            return DUSK_OK;
        }
    DUSK_GROW(terms->primitive, terms->room, terms->primitives);
    terms->primitive[terms->primitives] = (query_primitive){ .total = total };
    *out = terms->primitives++;
done:
    return status;
}

static dusk_status add_count(query_terms *terms, size_t *out, bounding_kind kind, size_t value,
                             dusk_error *err)
{
    const query_plan *plan = terms->plan;
    if (kind == BOUNDING_VALUES && !plan->input->column[1 + plan->keys + value].facts.nullable)
        kind = BOUNDING_ROWS;
    if (kind == BOUNDING_UNITS && terms->rows_per_group == 1) kind = BOUNDING_ROWS;
    if (kind == BOUNDING_UNITS || kind == BOUNDING_ROWS) value = 0;
    return add_primitive(terms, out, (bounding_total){ .kind = kind, .value = value }, err);
}

/* --- measures ----------------------------------------------------------------------------- */

static bool is_centred(query_measure_kind kind)
{
    return kind >= QUERY_MEAN && kind <= QUERY_DEVIATION_POPULATION;
}

static bool is_variance(query_measure_kind kind) { return is_centred(kind) && kind != QUERY_MEAN; }

static bool is_rank(query_measure_kind kind) { return kind >= QUERY_QUANTILE && kind <= QUERY_MAXIMUM; }

/* Bounds as they are used: a single point is widened to 0, because what is summed must have some reach. */
static dusk_status bounds_of(dusk_aggregate *how, const query_measure *measure, dusk_error *err)
{
    dusk_aggregate_init(how);
    how->lower = measure->lower;
    how->upper = measure->upper;
    if (how->lower == how->upper) {
        how->lower = fmin(how->lower, 0);
        how->upper = fmax(how->upper, 0);
        if (how->lower == how->upper) how->upper = 1;
    }
    if (isfinite(how->lower) && isfinite(how->upper) && how->lower < how->upper) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "declare them: dusk schema FILE set TABLE.COLUMN bounds=LOW:HIGH",
                     "a value that is added up has no bounds, at character %d", measure->position + 1);
}

static dusk_status add_centred(query_terms *terms, query_source_of *out, const query_measure *measure,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_aggregate how;
    DUSK_TRY(bounds_of(&how, measure, err));
    dusk_centre c = out->centre = dusk_centre_of(&how);
    bounding_total total = { .kind = BOUNDING_SUM,
                             .value = measure->value,
                             .lower = c.lower,
                             .upper = c.upper,
                             .centre = c.middle,
                             .reach = c.reach,
                             .grid = QUERY_GRID_OPEN };
    DUSK_TRY(add_count(terms, &out->count, BOUNDING_VALUES, measure->value, err));
    DUSK_TRY(add_primitive(terms, &out->sum, total, err));
    if (is_variance(measure->kind)) {
        total.kind = BOUNDING_SQUARES;
        total.half_square = total.reach = c.half_square;
        DUSK_TRY(add_primitive(terms, &out->squares, total, err));
    }
done:
    return status;
}

/* Whether a mean or the like of the same value is asked for anyway. */
static bool has_centred(const query_plan *plan, const query_measure *sum)
{
    for (size_t i = 0; i < plan->measures; i++) {
        const query_measure *m = &plan->measure[i];
        if (is_centred(m->kind) && m->value == sum->value && m->lower == sum->lower && m->upper == sum->upper)
            return true;
    }
    return false;
}

/* Whole numbers of at most 2^53, which doubles and the integers of a total hold exactly. */
static bool is_whole(const query_measure *measure, double lower, double upper)
{
    return measure->whole && lower <= upper && lower >= -0x1p53 && upper <= 0x1p53 &&
           (lower != 0 || upper != 0);
}

static dusk_status add_sum(query_terms *terms, query_source_of *out, const query_measure *measure,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_aggregate how;
    DUSK_TRY(bounds_of(&how, measure, err));
    double lower = ceil(how.lower), upper = floor(how.upper);
    out->derived = has_centred(terms->plan, measure);
    if (out->derived) return add_centred(terms, out, measure, err);
    bool whole = is_whole(measure, lower, upper);
    bounding_total total = { .kind = BOUNDING_SUM,
                             .value = measure->value,
                             .lower = whole ? lower : how.lower,
                             .upper = whole ? upper : how.upper };
    total.reach = fmax(fabs(total.lower), fabs(total.upper));
    total.grid = whole ? 0 : QUERY_GRID_OPEN;
    out->centre = (dusk_centre){ .lower = total.lower, .upper = total.upper, .reach = total.reach };
    DUSK_TRY(add_primitive(terms, &out->sum, total, err));
done:
    return status;
}

static double fraction_of(const query_measure *measure)
{
    if (measure->kind == QUERY_MINIMUM) return QUERY_LOWEST_FRACTION;
    if (measure->kind == QUERY_MAXIMUM) return QUERY_HIGHEST_FRACTION;
    return measure->fraction;
}

/* Fractions of one value are found together; they are kept in order. */
static dusk_status add_fraction(query_primitive *primitive, double fraction, dusk_error *err)
{
    size_t at = 0;
    while (at < primitive->fractions && primitive->fraction[at] < fraction) at++;
    if (at < primitive->fractions && primitive->fraction[at] == fraction) return DUSK_OK;
    double *larger =
        dusk_larger(primitive->fraction, primitive->fractions, primitive->fractions + 1, sizeof *larger);
    if (!larger) return dusk_fail_memory(err);
    memmove(larger + at + 1, larger + at, (primitive->fractions - at) * sizeof *larger);
    larger[at] = fraction;
    primitive->fraction = larger;
    primitive->fractions++;
    return DUSK_OK;
}

static dusk_status add_rank(query_terms *terms, query_source_of *out, const query_measure *measure,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_aggregate how;
    DUSK_TRY(bounds_of(&how, measure, err));
    bounding_total total = {
        .kind = BOUNDING_COLLECT, .value = measure->value, .lower = how.lower, .upper = how.upper
    };
    DUSK_TRY(add_primitive(terms, &out->collected, total, err));
    DUSK_TRY(add_fraction(&terms->primitive[out->collected], fraction_of(measure), err));
    out->centre = dusk_centre_of(&how);
done:
    return status;
}

static dusk_status lower_measure(query_terms *terms, query_source_of *out, const query_measure *measure,
                                 dusk_error *err)
{
    *out = (query_source_of){ QUERY_NONE, QUERY_NONE, QUERY_NONE, QUERY_NONE, .fraction = 0 };
    if (is_centred(measure->kind)) return add_centred(terms, out, measure, err);
    if (is_rank(measure->kind)) return add_rank(terms, out, measure, err);
    switch (measure->kind) {
    case QUERY_COUNT_VALUES: return add_count(terms, &out->count, BOUNDING_VALUES, measure->value, err);
    case QUERY_COUNT_UNITS: return add_count(terms, &out->count, BOUNDING_UNITS, 0, err);
    case QUERY_COUNT_DISTINCT: return add_count(terms, &out->count, BOUNDING_DISTINCT, measure->value, err);
    case QUERY_SUM: return add_sum(terms, out, measure, err);
    default: return add_count(terms, &out->count, BOUNDING_ROWS, 0, err);
    }
}

dusk_status query_terms_lower(query_terms *terms, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const query_plan *plan = terms->plan;
    set_contributions(terms);
    DUSK_NEW(terms->measure, plan->measures);
    for (size_t i = 0; i < plan->measures; i++)
        DUSK_TRY(lower_measure(terms, &terms->measure[i], &plan->measure[i], err));
    for (size_t i = 0; i < plan->measures; i++) { /* the lists of fractions are complete now */
        query_source_of *m = &terms->measure[i];
        if (m->collected == QUERY_NONE) continue;
        const query_primitive *p = &terms->primitive[m->collected];
        while (p->fraction[m->fraction] != fraction_of(&plan->measure[i])) m->fraction++;
    }
done:
    return status;
}

/* --- the handle ---------------------------------------------------------------------------- */

static dusk_status check_options(const query_plan *plan, const dusk_query_options *o,
                                 dusk_neighbours neighbours, dusk_error *err)
{
    if (o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_query_options_init first",
                         "the options of a query were not initialised");
    if (neighbours != DUSK_ADD_REMOVE && neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours must be set: it has no default");
    if (!(o->epsilon >= 0x1p-100 && o->epsilon <= 0x1p20))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--epsilon 1",
                         "epsilon must be said, above 2^-100 and at most 2^20");
    if (!(o->delta >= 0 && o->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--delta 1e-6", "delta must be at least 0 and below 1");
    if (!(o->confidence > 0 && o->confidence <= 1 - 0x1p-40))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--ci 0.95",
                         "confidence must be above 0, and below 1 by 2^-40 at least");
    if (o->noise != DUSK_QUERY_LAPLACE && o->noise != DUSK_QUERY_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--noise laplace or --noise gaussian",
                         "noise is neither Laplace nor Gaussian");
    if (o->noise == DUSK_QUERY_GAUSSIAN && o->delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--delta 1e-6, or --noise laplace",
                         "Gaussian noise needs a delta");
    if (!plan->public_keys && o->delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "--delta 1e-6, or declare the keys: dusk schema FILE set TABLE.COLUMN domain=a,b,c",
                         "the keys are private: to show them needs a delta");
    return DUSK_OK;
}

dusk_status query_terms_new(query_terms **out, const query_plan *plan, const dusk_query_options *options,
                            dusk_neighbours neighbours, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    query_terms *terms = NULL;
    *out = NULL;
    DUSK_TRY(check_options(plan, options, neighbours, err));
    DUSK_NEW(terms, 1);
    terms->plan = plan;
    terms->options = *options;
    terms->neighbours = neighbours;
    terms->selects = !plan->public_keys;
    terms->counted = QUERY_NONE;
    DUSK_TRY(query_terms_lower(terms, err));
    DUSK_TRY(query_terms_price(terms, err));
    DUSK_NEW(terms->total, terms->primitives);
    for (size_t i = 0; i < terms->primitives; i++) terms->total[i] = terms->primitive[i].total;
    *out = terms;
    terms = NULL;
done:
    query_terms_free(terms);
    return status;
}

void query_terms_free(query_terms *terms)
{
    if (!terms) return;
    for (size_t i = 0; i < terms->primitives; i++) dusk_deallocate(terms->primitive[i].fraction);
    dusk_deallocate(terms->primitive);
    dusk_deallocate(terms->measure);
    dusk_deallocate(terms->total);
    dusk_deallocate(terms);
}

const dusk_event *query_terms_event(const query_terms *terms) { return &terms->event; }

double query_terms_delta(const query_terms *terms) { return terms->delta; }

void query_terms_bounding(const query_terms *terms, bounding_options *out)
{
    *out = (bounding_options){ .keys = terms->plan->keys,
                               .values = terms->plan->values,
                               .total = terms->total,
                               .totals = terms->primitives,
                               .groups_per_unit = terms->groups_per_unit,
                               .rows_per_group = terms->rows_per_group,
                               .rows_per_unit = terms->rows_per_unit };
}
