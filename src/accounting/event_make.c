/* SPDX-License-Identifier: Apache-2.0 */
/* Making events, one function for each form, and their sums and repetitions.
 * What is allowed is in event.c. */
#include <math.h>
#include <string.h>

#include "accounting/event.h"
#include "base/mutant.h"

/* An event of one node and at most DUSK_EVENT_NODES_MAX under it. */
static dusk_status make(dusk_event *out, dusk_event_node root, const dusk_event_node *below, size_t count,
                        dusk_error *err)
{
    dusk_event_node node[1 + DUSK_EVENT_NODES_MAX];
    root.span = (uint32_t)count + 1;
    root.times = 1;
    for (unsigned i = 0; i < 2; i++) root.real[i] += 0.0; /* -0 is 0: equal nodes have equal bytes */
    node[0] = root;
    if (count) memcpy(node + 1, below, count * sizeof *node);
    dusk_status status = dusk_event_check(node, err);
    return status == DUSK_OK ? dusk_event_seal(out, node, count + 1, err) : status;
}

static dusk_status make_reals(dusk_event *out, dusk_event_kind kind, double x, double y, dusk_error *err)
{
    return make(out, (dusk_event_node){ .kind = kind, .real = { x, y } }, NULL, 0, err);
}

static dusk_status make_whole(dusk_event *out, dusk_event_kind kind, double x, uint64_t whole,
                              dusk_error *err)
{
    return make(out, (dusk_event_node){ .kind = kind, .real = { x }, .whole = { whole } }, NULL, 0, err);
}

static dusk_status make_sparse_vector(dusk_event *out, dusk_event_kind kind, double x, double y,
                                      uint64_t whole, dusk_error *err)
{
    return make(out, (dusk_event_node){ .kind = kind, .real = { x, y }, .whole = { whole } }, NULL, 0, err);
}

static dusk_status wrap(dusk_event *out, dusk_event_node wrapper, const dusk_event *event, dusk_error *err)
{
    dusk_event_nodes inner;
    dusk_status status = dusk_event_read(&inner, event, err);
    return status == DUSK_OK ? make(out, wrapper, inner.node, inner.count, err) : status;
}

static dusk_status fail_too_many(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "split it into several events",
                     "an event cannot have more than %d different parts", DUSK_EVENT_NODES_MAX);
}

static dusk_status make_table(dusk_event *out, dusk_event_kind kind, const double *left, const double *right,
                              size_t n, double infinite, dusk_error *err)
{
    dusk_event_node point[DUSK_EVENT_NODES_MAX];
    size_t count = 0;
    if (n >= DUSK_EVENT_NODES_MAX) return fail_too_many(err);
    for (; count < n; count++)
        point[count] = (dusk_event_node){
            .kind = DUSK_EVENT_POINT, .span = 1, .real = { left[count] + 0.0, right[count] + 0.0 }, .times = 1
        };
    if (infinite != 0)
        point[count++] = (dusk_event_node){
            .kind = DUSK_EVENT_POINT, .span = 1, .real = { INFINITY, infinite }, .times = 1
        };
    return make(out, (dusk_event_node){ .kind = kind }, point, count, err);
}

dusk_status dusk_event_pure(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_PURE, epsilon, 0, err);
}

dusk_status dusk_event_approx(dusk_event *out, double epsilon, double delta, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_APPROX, epsilon, delta, err);
}

dusk_status dusk_event_zcdp(dusk_event *out, double rho, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_ZCDP, rho, 0, err);
}

dusk_status dusk_event_approximate_zcdp(dusk_event *out, double rho, double xi, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_ZCDP, rho, xi, err);
}

dusk_status dusk_event_mcdp(dusk_event *out, double mu, double tau, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_MCDP, mu, tau, err);
}

dusk_status dusk_event_tcdp(dusk_event *out, double rho, double omega, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_TCDP, rho, omega, err);
}

dusk_status dusk_event_gdp(dusk_event *out, double mu, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_GDP, mu, 0, err);
}

dusk_status dusk_event_rdp(dusk_event *out, const double *orders, const double *epsilons, size_t n,
                           dusk_error *err)
{
    return make_table(out, DUSK_EVENT_RDP, orders, epsilons, n, 0, err);
}

dusk_status dusk_event_fdp(dusk_event *out, const double *type_one, const double *type_two, size_t n,
                           dusk_error *err)
{
    return make_table(out, DUSK_EVENT_FDP, type_one, type_two, n, 0, err);
}

dusk_status dusk_event_pld(dusk_event *out, const double *losses, const double *probabilities, size_t n,
                           double infinite, dusk_error *err)
{
    return make_table(out, DUSK_EVENT_PLD, losses, probabilities, n, infinite, err);
}

dusk_status dusk_event_laplace(dusk_event *out, double scale_over_sensitivity, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_LAPLACE, scale_over_sensitivity, 0, err);
}

dusk_status dusk_event_gaussian(dusk_event *out, double sigma_over_sensitivity, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_GAUSSIAN, sigma_over_sensitivity, 0, err);
}

dusk_status dusk_event_staircase(dusk_event *out, double epsilon, double gamma, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_STAIRCASE, epsilon, gamma, err);
}

dusk_status dusk_event_discrete_laplace(dusk_event *out, double scale, uint64_t sensitivity, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_DISCRETE_LAPLACE, scale, sensitivity, err);
}

dusk_status dusk_event_discrete_gaussian(dusk_event *out, double sigma, uint64_t sensitivity, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_DISCRETE_GAUSSIAN, sigma, sensitivity, err);
}

dusk_status dusk_event_randomized_response(dusk_event *out, double epsilon, uint64_t answers, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_RANDOMIZED_RESPONSE, epsilon, answers, err);
}

dusk_status dusk_event_exponential(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_EXPONENTIAL, epsilon, 0, err);
}

dusk_status dusk_event_permute_and_flip(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_PERMUTE_AND_FLIP, epsilon, 0, err);
}

dusk_status dusk_event_noisy_max(dusk_event *out, double epsilon, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_NOISY_MAX, epsilon, 0, err);
}

dusk_status dusk_event_metric(dusk_event *out, double epsilon, double distance, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_METRIC, epsilon, distance, err);
}

dusk_status dusk_event_threshold_monitor(dusk_event *out, double epsilon, uint64_t contributions,
                                         dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_THRESHOLD_MONITOR, epsilon, contributions, err);
}

dusk_status dusk_event_svt(dusk_event *out, double epsilon_threshold, double epsilon_queries, uint64_t hits,
                           dusk_error *err)
{
    return make_sparse_vector(out, DUSK_EVENT_SVT, epsilon_threshold, epsilon_queries, hits, err);
}

dusk_status dusk_event_svt_gaussian(dusk_event *out, double sigma_threshold, double sigma_queries,
                                    uint64_t queries, dusk_error *err)
{
    return make_sparse_vector(out, DUSK_EVENT_SVT_GAUSSIAN, sigma_threshold, sigma_queries, queries, err);
}

dusk_status dusk_event_tree(dusk_event *out, double sigma, uint64_t items, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_TREE, sigma, items, err);
}

dusk_status dusk_event_matrix(dusk_event *out, double sigma, double column_norm, dusk_error *err)
{
    return make_reals(out, DUSK_EVENT_MATRIX, sigma, column_norm, err);
}

dusk_status dusk_event_shuffle(dusk_event *out, uint64_t reports, double local_epsilon, dusk_error *err)
{
    return make_whole(out, DUSK_EVENT_SHUFFLE, local_epsilon, reports, err);
}

dusk_status dusk_event_shuffle_response(dusk_event *out, uint64_t reports, uint64_t answers,
                                        double local_epsilon, dusk_error *err)
{
    dusk_event_node node = { .kind = DUSK_EVENT_SHUFFLE_RESPONSE,
                             .real = { local_epsilon },
                             .whole = { reports, answers } };
    return make(out, node, NULL, 0, err);
}

dusk_status dusk_event_poisson(dusk_event *out, double rate, const dusk_event *event, dusk_error *err)
{
    return wrap(out, (dusk_event_node){ .kind = DUSK_EVENT_POISSON, .real = { rate } }, event, err);
}

dusk_status dusk_event_without_replacement(dusk_event *out, uint64_t sample, uint64_t units,
                                           const dusk_event *event, dusk_error *err)
{
    dusk_event_node root = { .kind = DUSK_EVENT_WITHOUT_REPLACEMENT, .whole = { sample, units } };
    return wrap(out, root, event, err);
}

dusk_status dusk_event_with_replacement(dusk_event *out, uint64_t draws, uint64_t units,
                                        const dusk_event *event, dusk_error *err)
{
    dusk_event_node root = { .kind = DUSK_EVENT_WITH_REPLACEMENT, .whole = { draws, units } };
    return wrap(out, root, event, err);
}

dusk_status dusk_event_group(dusk_event *out, uint64_t size, const dusk_event *event, dusk_error *err)
{
    return wrap(out, (dusk_event_node){ .kind = DUSK_EVENT_GROUP, .whole = { size } }, event, err);
}

dusk_status dusk_event_select_best(dusk_event *out, double eta, double gamma, const dusk_event *event,
                                   dusk_error *err)
{
    return wrap(out, (dusk_event_node){ .kind = DUSK_EVENT_SELECT_BEST, .real = { eta, gamma } }, event, err);
}

dusk_status dusk_event_select_poisson(dusk_event *out, double mu, const dusk_event *event, dusk_error *err)
{
    return wrap(out, (dusk_event_node){ .kind = DUSK_EVENT_SELECT_POISSON, .real = { mu } }, event, err);
}

dusk_status dusk_event_parallel(dusk_event *out, const dusk_event *events, size_t n, dusk_error *err)
{
    dusk_event_node below[DUSK_EVENT_NODES_MAX];
    dusk_event_nodes branch;
    size_t count = 0;
    if (n == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one event or more", "parallel: there are no events");
    for (size_t i = 0; i < n; i++) {
        dusk_status status = dusk_event_read(&branch, &events[i], err);
        if (status != DUSK_OK) return status;
        if (branch.count + 1 > DUSK_EVENT_NODES_MAX - count) return fail_too_many(err);
        below[count++] =
            (dusk_event_node){ .kind = DUSK_EVENT_BRANCH, .span = (uint32_t)branch.count + 1, .times = 1 };
        memcpy(below + count, branch.node, branch.count * sizeof *below);
        count += branch.count;
    }
    return make(out, (dusk_event_node){ .kind = DUSK_EVENT_PARALLEL }, below, count, err);
}

/* One more tree in a sum with room for it: counted with its equal, if any. */
static dusk_status add_tree(dusk_event_node *sum, size_t *count, const dusk_event_node *tree, dusk_error *err)
{
    size_t i = 0;
    while (i < *count && !dusk_event_same(&sum[i], tree)) i += sum[i].span;
    if (i == *count) {
        memcpy(sum + i, tree, tree->span * sizeof *tree);
        *count += tree->span;
        return DUSK_OK;
    }
    if (tree->times > DUSK_EVENT_TIMES_MAX - sum[i].times) return dusk_fail_times(err);
    sum[i].times += DUSK_MUTATE(EVENT_EQUALS_COUNT_ONCE, tree->times, 1);
    return DUSK_OK;
}

dusk_status dusk_event_add(dusk_event *out, const dusk_event *a, const dusk_event *b, dusk_error *err)
{
    dusk_event_node sum[2 * DUSK_EVENT_NODES_MAX];
    dusk_event_nodes some, more;
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_event_read(&some, a, err));
    DUSK_TRY(dusk_event_read(&more, b, err));
    size_t count = some.count;
    memcpy(sum, some.node, count * sizeof *sum);
    for (size_t i = 0; i < more.count; i += more.node[i].span)
        DUSK_TRY(add_tree(sum, &count, &more.node[i], err));
    DUSK_TRY(dusk_event_seal(out, sum, count, err));
done:
    return status;
}

dusk_status dusk_event_repeat(dusk_event *out, const dusk_event *event, uint64_t times, dusk_error *err)
{
    dusk_event_nodes nodes;
    dusk_status status = dusk_event_read(&nodes, event, err);
    if (status != DUSK_OK) return status;
    if (times < 1) return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 1 or more", "times must be at least 1");
    for (size_t i = 0; i < nodes.count; i += nodes.node[i].span) {
        if (times > DUSK_EVENT_TIMES_MAX / nodes.node[i].times) return dusk_fail_times(err);
        nodes.node[i].times *= times;
    }
    return dusk_event_seal(out, nodes.node, nodes.count, err);
}
