/* SPDX-License-Identifier: Apache-2.0 */
/* Terms in words, for people and for fingerprints. Made of public numbers alone. */
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "query/terms.h"

/* Write with `write` into memory that is large enough. */
typedef void write_terms(dusk_text *text, const query_terms *terms);
static dusk_status written(char **out, const query_terms *terms, write_terms *write, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_text text = { .overflow = true };
    char *data = NULL;
    for (size_t capacity = 4096; text.overflow; capacity *= 2) {
        dusk_deallocate(data);
        DUSK_NEW(data, capacity);
        dusk_text_init(&text, data, capacity);
        write(&text, terms);
    }
    *out = data;
done:
    return status;
}

/* --- names --------------------------------------------------------------------------------------- */

static const char *kind_name(query_measure_kind kind)
{
    static const char *const names[] = { [QUERY_COUNT_ROWS] = "count of rows",
                                         [QUERY_COUNT_VALUES] = "count of values",
                                         [QUERY_COUNT_UNITS] = "count of units",
                                         [QUERY_COUNT_DISTINCT] = "count of different values",
                                         [QUERY_SUM] = "sum",
                                         [QUERY_MEAN] = "mean",
                                         [QUERY_VARIANCE] = "variance",
                                         [QUERY_VARIANCE_POPULATION] = "population variance",
                                         [QUERY_DEVIATION] = "deviation",
                                         [QUERY_DEVIATION_POPULATION] = "population deviation",
                                         [QUERY_QUANTILE] = "quantile",
                                         [QUERY_MINIMUM] = "minimum, as the 1% quantile",
                                         [QUERY_MAXIMUM] = "maximum, as the 99% quantile" };
    return names[kind];
}

static const char *total_name(const query_primitive *p)
{
    static const char *const names[] = {
        [BOUNDING_UNITS] = "units",      [BOUNDING_ROWS] = "rows",       [BOUNDING_VALUES] = "values",
        [BOUNDING_SUM] = "sum",          [BOUNDING_SQUARES] = "squares", [BOUNDING_DISTINCT] = "distinct",
        [BOUNDING_COLLECT] = "quantiles"
    };
    return names[p->total.kind];
}

/* The column that a value is, by the name that the analyst knows. */
static const char *value_name(const query_terms *terms, size_t value)
{
    const query_plan *plan = terms->plan;
    const query_relation *input = plan->input;
    const char *name = input->column[1 + plan->keys + value].name;
    const query_expression *e = input->expression ? input->expression[1 + plan->keys + value] : NULL;
    if (e && e->kind == QUERY_COLUMN && input->input) name = input->input->column[e->index].name;
    return *name ? name : "an expression";
}

static const char *law_name(const query_primitive *p)
{
    if (p->total.kind == BOUNDING_COLLECT) return "exponential";
    return p->noise.law == DUSK_GAUSSIAN           ? "Gaussian"
           : p->noise.law == DUSK_DISCRETE_LAPLACE ? "discrete Laplace"
                                                   : "Laplace";
}

static bool has_value(const query_primitive *p)
{
    return p->total.kind != BOUNDING_UNITS && p->total.kind != BOUNDING_ROWS;
}

/* --- for people ------------------------------------------------------------------------------------ */

/* `most`, "row", "in a group": one line, and where the number comes from. */
static void describe_limit(dusk_text *text, uint32_t most, const char *what, const char *where,
                           uint32_t asked, uint32_t declared)
{
    dusk_text_add(text, "  at most %u %s%s%s (%s)\n", most, what, most == 1 ? "" : "s", where,
                  asked      ? "asked"
                  : declared ? "declared"
                             : "default");
}

static void describe_bounding(dusk_text *text, const query_terms *terms)
{
    const query_plan *plan = terms->plan;
    const dusk_query_options *o = &terms->options;
    dusk_text_add(text, "contributions of one unit:\n");
    if (plan->one_row_per_unit) {
        dusk_text_add(text, "  one row (declared)\n");
        return;
    }
    if (plan->keys > 0)
        describe_limit(text, terms->groups_per_unit, "group", "", o->groups_per_unit, plan->groups_per_unit);
    describe_limit(text, terms->rows_per_group, "row", plan->keys > 0 ? " in a group" : "", o->rows_per_group,
                   plan->rows_per_unit);
    if (terms->rows_per_unit > 0)
        describe_limit(text, terms->rows_per_unit, "row", " in all", o->rows_per_unit, plan->rows_per_unit);
    dusk_text_add(
        text,
        "  of a unit with more, rows that stay are chosen at random; intervals do not count the rest\n");
}

/* How far a rank may be off, about; worst case of the exponential mechanism. */
static double rank_error(const query_primitive *p)
{
    double levels = ceil(log2((double)p->fractions + 1)), risk = 1 - p->quantiles.confidence;
    return 2 * p->quantiles.rows_per_unit * levels / p->quantiles.epsilon *
           log(0x1p30 * (double)p->fractions / risk);
}

static void describe_total(dusk_text *text, const query_terms *terms, const query_primitive *p)
{
    char name[2 * DUSK_NAME_MAX], sensitivity[48] = "ranks";
    dusk_text part;
    dusk_text_init(&part, name, sizeof name);
    dusk_text_add(&part, "%s", total_name(p));
    if (has_value(p)) dusk_text_add(&part, " of %.60s", value_name(terms, p->total.value));
    if (p->total.kind == BOUNDING_SUM || p->total.kind == BOUNDING_SQUARES ||
        p->total.kind == BOUNDING_COLLECT)
        dusk_text_add(&part, " in %.6g:%.6g", p->total.lower, p->total.upper);
    if (p->total.centre != 0) dusk_text_add(&part, " about %.6g", p->total.centre);
    dusk_text_init(&part, sensitivity, sizeof sensitivity);
    if (p->total.kind == BOUNDING_COLLECT)
        dusk_text_add(&part, "%u rank%s", p->quantiles.rows_per_unit,
                      p->quantiles.rows_per_unit == 1 ? "" : "s");
    else
        dusk_text_add(&part, "%s %.6g", p->noise.law == DUSK_GAUSSIAN ? "l2" : "l1", p->noise.sensitivity);
    dusk_text_add(text, "  %-36s %-12s %-17s", name, sensitivity, law_name(p));
    if (p->total.kind == BOUNDING_COLLECT)
        dusk_text_add(text, "%-12s %s\n", "", dusk_shown_up(p->epsilon, 6).text);
    else
        dusk_text_add(text, "%-12.6g %s\n", p->noise.scale, dusk_shown_up(p->epsilon, 6).text);
}

/* The output that is this measure and nothing else, or "". */
static const char *output_name(const query_plan *plan, size_t measure)
{
    for (size_t i = 0; i < plan->outputs; i++) {
        const query_expression *e = plan->output[i].expression;
        if (e->kind == QUERY_COLUMN && e->index == plan->keys + measure) return plan->output[i].name;
    }
    return "";
}

static void describe_measure(dusk_text *text, const query_terms *terms, size_t i)
{
    const query_measure *measure = &terms->plan->measure[i];
    const query_source_of *of = &terms->measure[i];
    char name[2 * DUSK_NAME_MAX];
    dusk_text part;
    dusk_text_init(&part, name, sizeof name);
    dusk_text_add(&part, "%s", kind_name(measure->kind));
    if (measure->kind == QUERY_QUANTILE) dusk_text_add(&part, " %.6g", measure->fraction);
    if (measure->value != QUERY_NONE && measure->kind != QUERY_COUNT_ROWS &&
        measure->kind != QUERY_COUNT_UNITS)
        dusk_text_add(&part, " of %.60s", value_name(terms, measure->value));
    dusk_text_add(text, "  %-20s %-36s ", output_name(terms->plan, i), name);
    if (of->collected != QUERY_NONE)
        dusk_text_add(text, "about %.3g ranks\n", rank_error(&terms->primitive[of->collected]));
    else if (measure->kind == QUERY_SUM && of->derived)
        dusk_text_add(text, "+- %.6g\n", of->width_of_sum + fabs(of->centre.middle) * of->width_of_count);
    else if (measure->kind == QUERY_SUM)
        dusk_text_add(text, "+- %.6g\n", of->width_of_sum);
    else if (measure->kind == QUERY_MEAN)
        dusk_text_add(text, "about +- %.6g / number of values\n",
                      of->width_of_sum + of->centre.reach * of->width_of_count);
    else if (of->squares != QUERY_NONE)
        dusk_text_add(text, "of its square, about +- %.6g / number of values\n",
                      of->width_of_squares + 2 * of->centre.reach * of->width_of_sum +
                          of->centre.half_square * of->width_of_count);
    else
        dusk_text_add(text, "+- %.6g\n", of->width_of_count);
}

static void describe_keys(dusk_text *text, const query_terms *terms)
{
    if (terms->plan->keys == 0) return;
    if (!terms->selects) {
        dusk_text_add(text, "keys: public; every one is shown, absent ones with noise\n");
        return;
    }
    dusk_text_add(text,
                  "keys: private; shown by %s, epsilon %s, delta %s; one with %llu units is shown "
                  "every second time\n",
                  terms->counted != QUERY_NONE                    ? "a threshold on their noisy count"
                  : terms->selection.method == DUSK_KEYS_GAUSSIAN ? "a threshold with Gaussian noise"
                                                                  : "the optimal rule",
                  dusk_shown_up(terms->selection_epsilon, 6).text,
                  dusk_shown_up(terms->selection_delta, 3).text, (unsigned long long)terms->selection_half);
}

static void write_words(dusk_text *text, const query_terms *terms)
{
    const dusk_query_options *o = &terms->options;
    char event[8192];
    describe_bounding(text, terms);
    describe_keys(text, terms);
    dusk_text_add(text, "drawn for every group:\n  %-36s %-12s %-17s%-12s %s\n", "total", "sensitivity",
                  "noise", "scale", "epsilon");
    for (size_t i = 0; i < terms->primitives; i++) describe_total(text, terms, &terms->primitive[i]);
    dusk_text_add(text, "expected error, with confidence %.6g for each by itself:\n", o->confidence);
    for (size_t i = 0; i < terms->plan->measures; i++) describe_measure(text, terms, i);
    const double epsilon = terms->selects || terms->primitives > 0 ? o->epsilon : 0;
    dusk_text_add(
        text, "cost: epsilon %s",
        DUSK_MUTATE(QUERY_COST_SHOWN_DOWN, dusk_shown_up(epsilon, 6), dusk_shown_down(epsilon, 6)).text);
    if (terms->selects || terms->delta > 0)
        dusk_text_add(text, ", delta %s", dusk_shown_up(o->delta, 3).text);
    dusk_text_add(text, " for one unit, %s\n", dusk_neighbours_name(terms->neighbours));
    if (dusk_event_format(&terms->event, event, sizeof event, NULL) == DUSK_OK)
        dusk_text_add(text, "event: %s\n", event);
    dusk_text_add(text, "rests on: bounds, domains and links as declared\n");
}

dusk_status query_terms_describe(const query_terms *terms, char **out, dusk_error *err)
{
    return written(out, terms, write_words, err);
}

/* --- for fingerprints ---------------------------------------------------------------------------------- */

/* Shares follow from the list of totals, noise from them and epsilon. */
static void write_normal(dusk_text *text, const query_terms *terms)
{
    const dusk_query_options *o = &terms->options;
    dusk_text_add(text, "terms 1\nneighbours %s\nnoise %d\ndelta ", dusk_neighbours_name(terms->neighbours),
                  (int)o->noise);
    dusk_text_number(text, terms->selects || terms->delta > 0 ? o->delta : 0);
    dusk_text_add(text, "\nconfidence ");
    dusk_text_number(text, o->confidence);
    dusk_text_add(text, "\ncontributions %u %u %u\nkeys %s\n", terms->groups_per_unit, terms->rows_per_group,
                  terms->rows_per_unit, terms->selects ? "private" : "public");
    for (size_t i = 0; i < terms->primitives; i++) {
        const query_primitive *p = &terms->primitive[i];
        dusk_text_add(text, "total %d %zu ", (int)p->total.kind, p->total.value);
        dusk_text_number(text, p->total.lower);
        dusk_text_add(text, " ");
        dusk_text_number(text, p->total.upper);
        dusk_text_add(text, " ");
        dusk_text_number(text, p->total.centre);
        for (size_t f = 0; f < p->fractions; f++) {
            dusk_text_add(text, " ");
            dusk_text_number(text, p->fraction[f]);
        }
        dusk_text_add(text, "\n");
    }
}

dusk_status query_terms_normal(const query_terms *terms, char **out, dusk_error *err)
{
    return written(out, terms, write_normal, err);
}
