/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of all events and the check of their parameters: what is in a
 * dusk_event is what these functions let through. Making events is
 * event_make.c, reading and writing their text event_text.c and event_write.c;
 * what they cost is for the accountants. Nothing here looks at data. */
#include "accounting/event.h"

#include <math.h>
#include <string.h>

#include "base/mutant.h"

/* Tables are typed in decimals, and 0.9 + 0.1 is not 1 in binary. */
#define TRADEOFF_TOLERANCE 1e-12
#define MASS_TOLERANCE 1e-9

#define REAL(text, which) .reals = 1, .real_name = { text }, .range = { DUSK_RANGE_##which }
#define REALS(one, which1, two, which2)                                                                      \
    .reals = 2, .real_name = { one, two }, .range = { DUSK_RANGE_##which1, DUSK_RANGE_##which2 }
#define WHOLE(text, least) .wholes = 1, .whole_name = { text }, .whole_least = { least }

static const dusk_event_form forms[DUSK_EVENT_KINDS] = {
    [DUSK_EVENT_PURE] = { "pure", REAL("epsilon", NOT_NEGATIVE) },
    [DUSK_EVENT_APPROX] = { "approx", REALS("epsilon", NOT_NEGATIVE, "delta", DELTA) },
    [DUSK_EVENT_ZCDP] = { "zcdp", REALS("rho", POSITIVE, "xi", NOT_NEGATIVE), .real_may_be_left_out = true },
    [DUSK_EVENT_GDP] = { "gdp", REAL("mu", POSITIVE) },
    [DUSK_EVENT_LAPLACE] = { "laplace", REAL("scale", POSITIVE) },
    [DUSK_EVENT_GAUSSIAN] = { "gaussian", REAL("sigma", POSITIVE) },
    [DUSK_EVENT_DISCRETE_LAPLACE] = { "discrete_laplace", REAL("scale", POSITIVE), WHOLE("sensitivity", 1),
                                      .whole_may_be_left_out = true },
    [DUSK_EVENT_DISCRETE_GAUSSIAN] = { "discrete_gaussian", REAL("sigma", POSITIVE), WHOLE("sensitivity", 1),
                                       .whole_may_be_left_out = true },
    [DUSK_EVENT_RANDOMIZED_RESPONSE] = { "randomized_response", REAL("epsilon", POSITIVE),
                                         WHOLE("answers", 2) },
    [DUSK_EVENT_EXPONENTIAL] = { "exponential", REAL("epsilon", POSITIVE) },
    [DUSK_EVENT_PERMUTE_AND_FLIP] = { "permute_and_flip", REAL("epsilon", POSITIVE) },
    [DUSK_EVENT_NOISY_MAX] = { "noisy_max", REAL("epsilon", POSITIVE) },
    [DUSK_EVENT_SVT] = { "svt", REALS("epsilon_threshold", POSITIVE, "epsilon_queries", POSITIVE),
                         WHOLE("hits", 1) },
    [DUSK_EVENT_METRIC] = { "metric", REALS("epsilon", NOT_NEGATIVE, "distance", NOT_NEGATIVE) },
    [DUSK_EVENT_MCDP] = { "mcdp", REALS("mu", NOT_NEGATIVE, "tau", POSITIVE) },
    [DUSK_EVENT_TCDP] = { "tcdp", REALS("rho", POSITIVE, "omega", ABOVE_ONE) },
    [DUSK_EVENT_RDP] = { "rdp", .real_name = { "order", "epsilon" }, .below = DUSK_BELOW_POINTS },
    [DUSK_EVENT_FDP] = { "fdp", .real_name = { "type I error", "type II error" },
                         .below = DUSK_BELOW_POINTS },
    [DUSK_EVENT_PLD] = { "pld", .real_name = { "loss", "probability" }, .below = DUSK_BELOW_POINTS },
    [DUSK_EVENT_STAIRCASE] = { "staircase", REALS("epsilon", POSITIVE, "gamma", BETWEEN) },
    [DUSK_EVENT_SVT_GAUSSIAN] = { "svt_gaussian",
                                  REALS("sigma_threshold", POSITIVE, "sigma_queries", POSITIVE),
                                  WHOLE("queries", 1) },
    [DUSK_EVENT_THRESHOLD_MONITOR] = { "threshold_monitor", REAL("epsilon", POSITIVE),
                                       WHOLE("contributions", 1) },
    [DUSK_EVENT_TREE] = { "tree", REAL("sigma", POSITIVE), WHOLE("items", 1) },
    [DUSK_EVENT_MATRIX] = { "matrix", REALS("sigma", POSITIVE, "column_norm", POSITIVE) },
    [DUSK_EVENT_SHUFFLE] = { "shuffle", REAL("epsilon", NOT_NEGATIVE), WHOLE("reports", 1),
                             .wholes_first = true },
    [DUSK_EVENT_SHUFFLE_RESPONSE] = { "shuffle_response", REAL("epsilon", NOT_NEGATIVE), .wholes = 2,
                                      .whole_name = { "reports", "answers" }, .whole_least = { 1, 2 },
                                      .wholes_first = true },
    [DUSK_EVENT_POISSON] = { "poisson", REAL("rate", PROBABILITY), .below = DUSK_BELOW_SUM },
    [DUSK_EVENT_WITHOUT_REPLACEMENT] = { "without_replacement", .wholes = 2,
                                         .whole_name = { "sample", "units" }, .whole_least = { 1, 1 },
                                         .below = DUSK_BELOW_SUM },
    [DUSK_EVENT_WITH_REPLACEMENT] = { "with_replacement", .wholes = 2, .whole_name = { "draws", "units" },
                                      .whole_least = { 1, 1 }, .below = DUSK_BELOW_SUM },
    [DUSK_EVENT_GROUP] = { "group", WHOLE("size", 1), .below = DUSK_BELOW_SUM },
    [DUSK_EVENT_PARALLEL] = { "parallel", .below = DUSK_BELOW_BRANCHES },
    [DUSK_EVENT_SELECT_BEST] = { "select_best", REALS("eta", ABOVE_MINUS_ONE, "gamma", BETWEEN),
                                 .below = DUSK_BELOW_SUM },
    [DUSK_EVENT_SELECT_POISSON] = { "select_poisson", REAL("mu", POSITIVE), .below = DUSK_BELOW_SUM },
};

const dusk_event_form *dusk_event_form_of(uint32_t kind) { return &forms[kind]; }

uint32_t dusk_event_kind_named(const char *name, size_t length)
{
    for (uint32_t kind = 1; kind < DUSK_EVENT_KINDS; kind++)
        if (strlen(forms[kind].name) == length && memcmp(forms[kind].name, name, length) == 0) return kind;
    return 0;
}

static bool in_range(dusk_event_range range, double x)
{
    switch (range) {
    case DUSK_RANGE_POSITIVE: return isfinite(x) && x > 0;
    case DUSK_RANGE_NOT_NEGATIVE: return isfinite(x) && x >= 0;
    case DUSK_RANGE_DELTA: return x >= 0 && x < 1;
    case DUSK_RANGE_PROBABILITY: return x >= 0 && x <= 1;
    case DUSK_RANGE_BETWEEN: return x > 0 && x < 1;
    case DUSK_RANGE_ABOVE_ONE: return isfinite(x) && x > 1;
    case DUSK_RANGE_ABOVE_MINUS_ONE: return isfinite(x) && x > -1;
    }
    return false;
}

static dusk_status check_real(const dusk_event_form *form, unsigned i, double x, dusk_error *err)
{
    static const char *const must[][2] = {
        [DUSK_RANGE_POSITIVE] = { "finite and above 0", "give a number such as 0.5" },
        [DUSK_RANGE_NOT_NEGATIVE] = { "finite and at least 0", "give a number such as 0.5" },
        [DUSK_RANGE_DELTA] = { "at least 0 and below 1", "give a small probability such as 1e-6" },
        [DUSK_RANGE_PROBABILITY] = { "from 0 to 1", "give a probability such as 0.01" },
        [DUSK_RANGE_BETWEEN] = { "above 0 and below 1", "give a number such as 0.5" },
        [DUSK_RANGE_ABOVE_ONE] = { "finite and above 1", "give a number such as 10" },
        [DUSK_RANGE_ABOVE_MINUS_ONE] = { "finite and above -1", "give a number such as 1" },
    };
    if (in_range(form->range[i], x)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, must[form->range[i]][1], "%s: %s must be %s", form->name,
                     form->real_name[i], must[form->range[i]][0]);
}

static dusk_status fail_point(dusk_error *err, const dusk_event_node *table, size_t i, const char *what)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "see the list of events in dusk/accounting.h",
                     "%s: at point %zu %s", forms[table->kind].name, i + 1, what);
}

static dusk_status check_rdp(const dusk_event_node *table, const dusk_event_node *point, size_t n,
                             dusk_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double before = i ? point[i - 1].real[0] : 1, order = point[i].real[0], epsilon = point[i].real[1];
        if (!(isfinite(order) && order > before))
            return fail_point(err, table, i, "orders must be finite, above 1 and increasing");
        if (!(isfinite(epsilon) && epsilon >= 0))
            return fail_point(err, table, i, "epsilon must be finite and at least 0");
    }
    return DUSK_OK;
}

static bool is_above_chord(const dusk_event_node *point)
{
    double left = point[-1].real[0], here = point[0].real[0], right = point[1].real[0];
    double share = (here - left) / (right - left);
    double chord = point[-1].real[1] + share * (point[1].real[1] - point[-1].real[1]);
    return point[0].real[1] > chord + TRADEOFF_TOLERANCE;
}

static dusk_status check_fdp(const dusk_event_node *table, const dusk_event_node *point, size_t n,
                             dusk_error *err)
{
    if (point[0].real[0] != 0) return fail_point(err, table, 0, "the first type I error must be 0");
    if (n < 2 || point[n - 1].real[0] != 1)
        return fail_point(err, table, n - 1, "the last type I error must be 1");
    for (size_t i = 0; i < n; i++) {
        double a = point[i].real[0], b = point[i].real[1];
        if (i && !(a > point[i - 1].real[0]))
            return fail_point(err, table, i, "type I errors must be increasing");
        if (!(b >= 0 && b <= 1 - a + TRADEOFF_TOLERANCE))
            return fail_point(err, table, i, "the type II error must be from 0 to 1 minus the type I error");
        if (i && b > point[i - 1].real[1])
            return fail_point(err, table, i, "type II errors must not increase");
        if (i > 1 && is_above_chord(&point[i - 1]))
            return fail_point(err, table, i - 1, "the trade-off function must be convex");
    }
    return DUSK_OK;
}

static dusk_status check_pld(const dusk_event_node *table, const dusk_event_node *point, size_t n,
                             dusk_error *err)
{
    double sum = 0, tilted = 0;
    for (size_t i = 0; i < n; i++) {
        double loss = point[i].real[0], p = point[i].real[1];
        if (!(p >= 0 && p <= 1)) return fail_point(err, table, i, "the probability must be from 0 to 1");
        if (isnan(loss) || loss == -INFINITY || (i && !(loss > point[i - 1].real[0])))
            return fail_point(err, table, i, "losses must be increasing numbers, and inf the last");
        sum += p;
        if (p > 0) tilted += p * exp(-loss);
    }
    if (!(sum <= 1 + MASS_TOLERANCE))
        return fail_point(err, table, n - 1, "the probabilities have come to more than 1");
    if (DUSK_MUTATE(EVENT_LOSSES_NOT_TILTED, !(tilted <= 1 + MASS_TOLERANCE), 0))
        return fail_point(err, table, n - 1, "the probabilities times exp(-loss) have come to more than 1");
    return DUSK_OK;
}

static dusk_status check_points(const dusk_event_node *table, dusk_error *err)
{
    const dusk_event_node *point = table + 1;
    size_t n = table->span - 1;
    if (n == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "see the list of events in dusk/accounting.h",
                         "%s: at least one point is needed", forms[table->kind].name);
    if (table->kind == DUSK_EVENT_RDP) return check_rdp(table, point, n, err);
    if (table->kind == DUSK_EVENT_FDP) return check_fdp(table, point, n, err);
    return check_pld(table, point, n, err);
}

dusk_status dusk_event_check(const dusk_event_node *node, dusk_error *err)
{
    const dusk_event_form *form = &forms[node->kind];
    for (unsigned i = 0; i < form->reals; i++) {
        dusk_status status = check_real(form, i, node->real[i], err);
        if (status != DUSK_OK) return status;
    }
    for (unsigned i = 0; i < form->wholes; i++)
        if (node->whole[i] < form->whole_least[i])
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a larger whole number",
                             "%s: %s must be at least %d", form->name, form->whole_name[i],
                             (int)form->whole_least[i]);
    if (node->kind == DUSK_EVENT_WITHOUT_REPLACEMENT && node->whole[0] > node->whole[1])
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write without_replacement(sample, units, ...)",
                         "%s: sample must be at most units", form->name);
    if (node->kind == DUSK_EVENT_METRIC && !isfinite(node->real[0] * node->real[1]))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure distances in another unit",
                         "%s: epsilon times distance must be finite", form->name);
    return form->below == DUSK_BELOW_POINTS ? check_points(node, err) : DUSK_OK;
}

static bool is_forest(const dusk_event_node *node, size_t count, unsigned depth);

static bool are_points(const dusk_event_node *node, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (node[i].kind != DUSK_EVENT_POINT || node[i].span != 1 || node[i].times != 1) return false;
    return true;
}

static bool are_branches(const dusk_event_node *node, size_t count, unsigned depth)
{
    if (count == 0) return false;
    for (size_t i = 0; i < count; i += node[i].span)
        if (node[i].kind != DUSK_EVENT_BRANCH || node[i].times != 1 || node[i].span < 2 ||
            node[i].span > count - i || !is_forest(node + i + 1, node[i].span - 1, depth))
            return false;
    return true;
}

/* One tree of count >= span nodes. `depth` wrappers may still follow below. */
static bool is_tree(const dusk_event_node *node, unsigned depth)
{
    size_t below = node->span - 1;
    switch (forms[node->kind].below) {
    case DUSK_BELOW_NOTHING: return below == 0;
    case DUSK_BELOW_SUM: return depth && is_forest(node + 1, below, depth - 1);
    case DUSK_BELOW_BRANCHES: return depth && are_branches(node + 1, below, depth - 1);
    case DUSK_BELOW_POINTS: return are_points(node + 1, below);
    }
    return false;
}

/* A sum of at least one tree, whatever bytes are there. */
static bool is_forest(const dusk_event_node *node, size_t count, unsigned depth)
{
    if (count == 0) return false;
    for (size_t i = 0; i < count; i += node[i].span)
        if (node[i].kind < 1 || node[i].kind >= DUSK_EVENT_KINDS || node[i].span < 1 ||
            node[i].span > count - i || node[i].times < 1 || node[i].times > DUSK_EVENT_TIMES_MAX ||
            !is_tree(&node[i], depth) || dusk_event_check(&node[i], NULL) != DUSK_OK)
            return false;
    return true;
}

dusk_status dusk_event_read(dusk_event_nodes *out, const dusk_event *event, dusk_error *err)
{
    memcpy(out, event, sizeof *out);
    if (out->count <= DUSK_EVENT_NODES_MAX && is_forest(out->node, out->count, DUSK_EVENT_DEPTH_MAX))
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it with a dusk_event function or dusk_event_parse",
                     "the event was never made");
}

static dusk_status check_length(const dusk_event_node *node, size_t count, dusk_error *err)
{
    char buffer[DUSK_EVENT_TEXT_MAX];
    dusk_text text;
    /* A node is at most 120 bytes with what joins it to the next one. */
    if (count <= DUSK_EVENT_TEXT_MAX / 121) return DUSK_OK;
    dusk_text_init(&text, buffer, sizeof buffer);
    dusk_event_write(&text, node, count);
    if (!text.overflow) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                     "an event cannot have a text of more than %d bytes", DUSK_EVENT_TEXT_MAX - 1);
}

dusk_status dusk_event_seal(dusk_event *out, const dusk_event_node *node, size_t count, dusk_error *err)
{
    dusk_event_nodes made = { .count = count };
    if (count > DUSK_EVENT_NODES_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                         "an event cannot have more than %d different parts", DUSK_EVENT_NODES_MAX);
    memcpy(made.node, node, count * sizeof *node);
    if (!is_forest(made.node, count, DUSK_EVENT_DEPTH_MAX))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "unwrap it", "events are nested more than %d deep",
                         DUSK_EVENT_DEPTH_MAX);
    dusk_status status = check_length(made.node, count, err);
    if (status == DUSK_OK) memcpy(out, &made, sizeof *out);
    return status;
}

bool dusk_event_same(const dusk_event_node *a, const dusk_event_node *b)
{
    return a->kind == b->kind && a->span == b->span && memcmp(a->real, b->real, sizeof a->real) == 0 &&
           memcmp(a->whole, b->whole, sizeof a->whole) == 0 &&
           DUSK_MUTATE(EVENT_ROOTS_COMPARED_ONLY, memcmp(a + 1, b + 1, (a->span - 1) * sizeof *a) == 0, 1);
}

dusk_status dusk_fail_times(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                     "an event cannot have one part more than 2^62 times");
}
