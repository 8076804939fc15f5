/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of one or two attributes from a tally of several. A table of one attribute from answers for pairs is the mean of what the pairs with it say, each weighed by its noise, which is public. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "local/several.h"
#include "local/tally.h"

/* The group of these attributes; `turned`: they stand the other way round in it. NULL: there is none. */
static const several_group *find(const several_layout *layout, const uint32_t *attributes, uint32_t n,
                                 bool *turned)
{
    const uint32_t a = attributes[0], b = n == 2 ? attributes[1] : a;
    for (uint32_t g = 0; g < layout->groups; g++) {
        const several_group *group = &layout->group[g];
        *turned = n == 2 && group->first == b;
        if (n == 2 && a == b) return NULL;
        if (*turned ? group->second == a : group->first == a && group->second == b) return group;
    }
    return NULL;
}

uint64_t dusk_survey_cell(const dusk_survey *survey, const uint32_t *attributes, const uint32_t *categories,
                          uint32_t n)
{
    const dusk_client_task *task = &survey->task;
    several_layout layout;
    bool turned;
    if (!local_protocol_of(task->mechanism)->several || n != task->hashes) return UINT64_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (attributes[i] >= task->attributes || categories[i] >= task->sizes[attributes[i]])
            return UINT64_MAX;
    several_lay_out(&layout, task);
    const several_group *group = find(&layout, attributes, n, &turned);
    if (!group) return UINT64_MAX;
    if (n == 1) return group->at + (uint64_t)categories[0];
    const uint64_t low = categories[turned ? 1 : 0], high = categories[turned ? 0 : 1];
    return group->at + low + task->sizes[group->first] * high;
}

uint32_t dusk_survey_attribute(const dusk_survey *survey, const char *name)
{
    for (uint32_t i = 0; i < survey->task.attributes; i++)
        if (!strcmp(survey->attribute[i], name)) return i;
    return UINT32_MAX;
}

/* As many sources as there are pairs with the attribute; parts are in proportion to 1 / variance of somebody who does not have the value, which does not depend on reports. */
static size_t pairs_with(const several_layout *layout, const dusk_client_task *task, uint32_t attribute,
                         several_source *source, uint32_t *group)
{
    double all = 0;
    size_t n = 0;
    for (uint32_t g = 0; g < layout->groups; g++) {
        const several_group *pair = &layout->group[g];
        if (pair->first != attribute && pair->second != attribute) continue;
        const uint32_t partner = pair->first == attribute ? pair->second : pair->first;
        source[n] = several_source_of(pair, task->sizes[partner]);
        source[n].part = source[n].gain * source[n].gain / source[n].of_other;
        all += source[n].part;
        group[n++] = g;
    }
    for (size_t i = 0; i < n; i++) source[i].part /= all;
    return n;
}

static void from_pairs(const dusk_tally *tally, const several_layout *layout, uint32_t attribute,
                       double *counts, double *deviations)
{
    const dusk_client_task *task = &tally->survey.task;
    several_source source[DUSK_ATTRIBUTES_MOST];
    uint32_t group[DUSK_ATTRIBUTES_MOST];
    const uint32_t size = task->sizes[attribute];
    const size_t n = pairs_with(layout, task, attribute, source, group);
    for (uint32_t x = 0; x < size; x++) {
        for (size_t i = 0; i < n; i++) {
            const several_group *pair = &layout->group[group[i]];
            const bool low = pair->first == attribute;
            const uint32_t others = pair->size / size, step = low ? size : 1;
            const int64_t *cell = tally->cell + pair->at + (low ? x : x * task->sizes[pair->first]);
            source[i].supports = 0;
            for (uint32_t y = 0; y < others; y++) source[i].supports += (double)cell[(size_t)y * step];
            source[i].asked = (double)tally->cell[layout->categories + group[i]];
        }
        several_estimate(layout, source, n, 1.0 / size, (double)tally->reports, &counts[x],
                         deviations ? &deviations[x] : NULL);
    }
}

double dusk_survey_marginal_variance(const dusk_survey *survey, const uint32_t *attributes, uint32_t n,
                                     double share)
{
    const dusk_client_task *task = &survey->task;
    several_layout layout;
    several_source source[DUSK_ATTRIBUTES_MOST];
    uint32_t group[DUSK_ATTRIBUTES_MOST];
    const uint64_t cell = dusk_survey_cell(survey, attributes, (uint32_t[2]){ 0, 0 }, n);
    if (cell < UINT64_MAX) return dusk_survey_variance_of(survey, cell, share);
    if (n != 1 || task->hashes != 2 || attributes[0] >= task->attributes) return INFINITY;
    several_lay_out(&layout, task);
    const size_t pairs = pairs_with(&layout, task, attributes[0], source, group);
    const double prior = 1.0 / task->sizes[attributes[0]];
    return share * several_variance(&layout, source, pairs, prior, true) +
           (1 - share) * several_variance(&layout, source, pairs, prior, false);
}

/* A table whose cells are counters of one group. */
static dusk_status from_group(const dusk_tally *tally, const uint32_t *attributes, uint32_t n, double *counts,
                              double *deviations, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_survey *survey = &tally->survey;
    const uint32_t first = survey->task.sizes[attributes[0]];
    const size_t all = first * (n == 2 ? (size_t)survey->task.sizes[attributes[1]] : 1);
    uint64_t *cell = NULL;
    DUSK_NEW(cell, all);
    for (size_t i = 0; i < all; i++) {
        const uint32_t categories[2] = { (uint32_t)(i % first), (uint32_t)(i / first) };
        cell[i] = dusk_survey_cell(survey, attributes, categories, n);
    }
    status = dusk_tally_counts(tally, counts, deviations, cell, all, err);
done:
    dusk_deallocate(cell);
    return status;
}

dusk_status dusk_tally_marginal(const dusk_tally *tally, const uint32_t *attributes, uint32_t n,
                                double *counts, double *deviations, dusk_error *err)
{
    const dusk_client_task *task = &tally->survey.task;
    several_layout layout;
    if (!tally->protocol->several)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for counts", "a survey by %s is of one attribute",
                         tally->protocol->name);
    if (n < 1 || n > 2 || attributes[0] >= task->attributes ||
        (n == 2 && (attributes[1] >= task->attributes || attributes[0] == attributes[1])))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name one or two attributes of the survey",
                         "there is no such table");
    if (n > task->hashes)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "plan with smp and order 2",
                         "devices answered for one attribute at a time: there are no tables of two");
    if (n == task->hashes) return from_group(tally, attributes, n, counts, deviations, err);
    several_lay_out(&layout, task);
    from_pairs(tally, &layout, attributes[0], counts, deviations);
    return DUSK_OK;
}
