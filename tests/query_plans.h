/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_PLANS_H
#define TESTS_QUERY_PLANS_H

/* Plans and bounded groups made by hand, for tests of what comes after SQL and before it. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/release.h"
#include "support.h"

enum { KIT_MOST = 16 };

typedef struct plan_kit {
    query_plan plan;
    query_relation input;
    query_column column[1 + 2 * KIT_MOST];
    query_measure measure[KIT_MOST];
    query_output output[2 * KIT_MOST];
    query_expression expression[2 * KIT_MOST];
} plan_kit;

/* The unit, so many keys and so many real values, nothing measured yet; outputs are keys, then measures. */
static inline void kit_open(plan_kit *kit, size_t keys, size_t values, bool public_keys)
{
    *kit = (plan_kit){ .plan = { .keys = keys, .values = values, .public_keys = public_keys } };
    kit->plan.limit = UINT64_MAX;
    kit->plan.input = &kit->input;
    kit->plan.measure = kit->measure;
    kit->plan.output = kit->output;
    kit->input = (query_relation){ .column = kit->column, .columns = 1 + keys + values };
    for (size_t i = 0; i < kit->input.columns; i++) {
        kit->column[i].type = i <= keys ? DUSK_TYPE_INTEGER : DUSK_TYPE_REAL;
        kit->column[i].facts.nullable = true;
        snprintf(kit->column[i].name, sizeof kit->column[i].name, "c%zu", i);
    }
    for (size_t i = 0; i < 2 * KIT_MOST; i++) {
        kit->expression[i] = (query_expression){ .kind = QUERY_COLUMN, .type = DUSK_TYPE_REAL, .index = i };
        if (i < keys) kit->expression[i].type = DUSK_TYPE_INTEGER;
        kit->output[i].expression = &kit->expression[i];
        snprintf(kit->output[i].name, sizeof kit->output[i].name, "o%zu", i);
    }
    kit->plan.outputs = keys;
}

/* The next measure, of value `value` within bounds. */
static inline query_measure *kit_add(plan_kit *kit, query_measure_kind kind, size_t value, double lower,
                                     double upper)
{
    query_measure *m = &kit->measure[kit->plan.measures++];
    *m = (query_measure){
        .kind = kind, .value = value, .lower = lower, .upper = upper, .fraction = 0.5, .position = -1
    };
    kit->plan.outputs++;
    return m;
}

static inline dusk_query_options kit_options(double epsilon, double delta, dusk_query_noise noise)
{
    dusk_query_options o;
    dusk_query_options_init(&o);
    o.epsilon = epsilon;
    o.delta = delta;
    o.noise = noise;
    return o;
}

static inline query_terms *kit_terms(const plan_kit *kit, const dusk_query_options *options,
                                     dusk_neighbours neighbours)
{
    query_terms *terms;
    dusk_error err = { 0 };
    dusk_status status = query_terms_new(&terms, &kit->plan, options, neighbours, &err);
    if (status != DUSK_OK) fail_msg("terms: %s", err.message);
    return terms;
}

/* Groups with keys 0, 1, ... and nothing in them. */
static inline bounded *kit_bounded(size_t groups, size_t keys, size_t totals)
{
    bounded *b = calloc(1, sizeof *b);
    b->groups = groups;
    b->key = calloc(groups * keys + 1, sizeof *b->key);
    b->units = calloc(groups + 1, sizeof *b->units);
    b->sum = calloc(groups * totals + 1, sizeof *b->sum);
    b->collected = calloc(groups * totals + 1, sizeof *b->collected);
    b->collected_count = calloc(groups * totals + 1, sizeof *b->collected_count);
    for (size_t g = 0; g < groups; g++)
        for (size_t k = 0; k < keys; k++) {
            b->key[g * keys + k].integer = (int64_t)g;
            b->key[g * keys + k].real = (double)g;
        }
    return b;
}

static inline void kit_bounded_free(bounded *b, size_t totals)
{
    for (size_t i = 0; i < b->groups * totals; i++) free(b->collected[i]);
    free(b->key);
    free(b->units);
    free(b->sum);
    free(b->collected);
    free(b->collected_count);
    free(b);
}

/* One row of a unit in a group, value[v] for each value column; NaN: NULL. The same arithmetic as the
 * contract of bounding, written down again. */
static inline void kit_add_row(bounded *b, const bounding_options *o, size_t group, const double *value)
{
    for (size_t t = 0; t < o->totals; t++) {
        const bounding_total *total = &o->total[t];
        size_t at = t * b->groups + group;
        double x = value ? value[total->value] : 0, d = fmin(fmax(x, total->lower), total->upper);
        d -= total->centre;
        if (total->kind == BOUNDING_SQUARES) d = d * d - total->half_square;
        d = fmin(fmax(d, -total->reach), total->reach);
        if (total->kind == BOUNDING_ROWS) b->sum[at]++;
        if (total->kind >= BOUNDING_VALUES && isnan(x)) continue;
        if (total->kind == BOUNDING_VALUES || total->kind == BOUNDING_DISTINCT) b->sum[at]++;
        if (total->kind == BOUNDING_SUM || total->kind == BOUNDING_SQUARES)
            b->sum[at] += (dusk_int128)trunc(ldexp(d, -total->grid));
        if (total->kind == BOUNDING_COLLECT) {
            double *more = realloc(b->collected[at], (b->collected_count[at] + 1) * sizeof *more);
            more[b->collected_count[at]++] = fmin(fmax(x, total->lower), total->upper);
            b->collected[at] = more;
        }
    }
}

/* The unit is in the group. */
static inline void kit_add_unit(bounded *b, const bounding_options *o, size_t group)
{
    b->units[group]++;
    for (size_t t = 0; t < o->totals; t++)
        if (o->total[t].kind == BOUNDING_UNITS) b->sum[t * b->groups + group]++;
}

#endif
