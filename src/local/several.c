/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes of a person, the server's side [Arcolezi, Couchot, Al Bouna & Xiao 2021]. spl: every attribute with an m-th of epsilon. smp: one attribute, or one pair, with all of it. rsfd: one
 * attribute with all of it and fakes of the others. Values are cells, see several.h. Device: client_several.c. Proof: several.proof.md.
 *
 * The paper gives rsfd an epsilon of ln(m (e^epsilon - 1) + 1) to answer with. That is right for two people who differ in one attribute, and not for any two people: where they differ in all of
 * them, every answer tells them apart by as much as the true one. The epsilon here is that of any two, and the other is dusk_survey_attribute_epsilon. */
#include "local/several.h"

#include <math.h>
#include <string.h>

#include "base/mutant.h"
#include "local/counting.h"
#include "numeric/rounding.h"

/* --- plans ------------------------------------------------------------------------------------------------------------------ */

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    const bool splits = task->mechanism == DUSK_SPL;
    const double share = splits ? dusk_div_down(options->epsilon, task->attributes) : options->epsilon;
    uint64_t categories = 0;
    task->hashes = options->hashes ? options->hashes : 1;
    if (task->hashes > 2 || (task->hashes == 2 && task->mechanism != DUSK_SMP))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "order 1, or smp with order 2",
                         "this randomiser does not answer for %u attributes together", task->hashes);
    if (task->hashes == 2 && task->attributes < 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name two attributes", "order 2 needs two attributes");
    task->p = local_keep_down(share, 1) >> 34; /* of 2^30, rounded down */
    task->q = CLIENT_WEIGHTS - task->p;
    for (uint32_t g = 0; g < client_groups(task); g++) {
        const uint64_t size = client_group_size(task, g);
        categories = size > LOCAL_CELLS_MOST ? LOCAL_CELLS_MOST + 1 : categories + size;
        if (categories > LOCAL_CELLS_MOST - SEVERAL_GROUPS)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "fewer or smaller attributes, or order 1",
                             "the attributes would need more than 2^28 counters");
    }
    task->domain = (uint32_t)categories;
    if (dusk_client_check(task) != DUSK_CLIENT_OK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "fewer or smaller attributes, or smp",
                         "reports would be longer than %d bytes", DUSK_REPORT_MOST);
    return DUSK_OK;
}

DUSK_PROVEN(spl_epsilon)
static double spl_epsilon(const dusk_client_task *task)
{
    return dusk_mul_up(DUSK_MUTATE(SPL_COUNTS_ONE_ATTRIBUTE, task->attributes, 1),
                       local_log_ratio_up(task->p, task->q));
}

DUSK_PROVEN(smp_epsilon)
static double smp_epsilon(const dusk_client_task *task) { return local_log_ratio_up(task->p, task->q); }

/* What an answer of an attribute that does not differ is at least worth, in units of how likely a fake gives it. */
static double least_of(const dusk_client_task *task, uint32_t k)
{
    const double p = (double)task->p, q = (double)task->q, others = (double)k - 1;
    const bool bits = client_answer_is_bits(task, k);
    const double all = bits ? dusk_add_up(dusk_mul_up(others, p), q) : dusk_add_up(dusk_mul_up(others, q), p);
    return dusk_div_down(dusk_mul_down(k, q), all);
}

/* The largest over attributes of 1 + (A - B) / (B + S): A and B are the worth of the answer of the attribute that differs, S is that of all others at the least. */
DUSK_PROVEN(rsfd_one)
static double rsfd_one(const dusk_client_task *task)
{
    const double p = (double)task->p, q = (double)task->q;
    double most = 0;
    for (uint32_t i = 0; i < task->attributes; i++) {
        const double k = task->sizes[i];
        const double apart = dusk_div_up(dusk_mul_up(k, p - q), dusk_add_down(dusk_mul_down(k - 1, q), p));
        double below = dusk_div_down(dusk_mul_down(k, q), dusk_add_up(dusk_mul_up(k - 1, q), p));
        for (uint32_t j = 0; j < task->attributes; j++)
            if (j != i) below = dusk_add_down(below, least_of(task, task->sizes[j]));
        most = fmax(most, dusk_div_up(apart, below));
    }
    return fmin(dusk_log1p_up(most), local_log_ratio_up(task->p, task->q));
}

DUSK_PROVEN(rsfd_epsilon)
static double rsfd_epsilon(const dusk_client_task *task)
{
    return DUSK_MUTATE(RSFD_AMPLIFIED_FOR_ALL, local_log_ratio_up(task->p, task->q), rsfd_one(task));
}

/* --- counters --------------------------------------------------------------------------------------------------------------- */

/* Of rsfd the answer is a fake in all but one of m times: support has the chance of a fake, and the share 1 / m of what it would be. */
static void set_chances(several_group *group, const dusk_client_task *task)
{
    const double k = group->size, p = (double)task->p, q = (double)task->q, m = task->attributes;
    group->truth = group->bits ? 0.5 : p / (p + (k - 1) * q);
    group->other = group->bits ? q / (p + q) : q / (p + (k - 1) * q);
    group->prior = 1 / k;
    if (task->mechanism != DUSK_RSFD) return;
    const double fake = (group->truth + (k - 1) * group->other) / k;
    group->truth = fake + (group->truth - fake) / m;
    group->other = fake + (group->other - fake) / m;
}

void several_lay_out(several_layout *out, const dusk_client_task *task)
{
    uint32_t at = 0, place = 0;
    out->sampled = task->mechanism == DUSK_SMP;
    out->groups = client_groups(task);
    out->size = client_several_bytes(task);
    for (uint32_t g = 0; g < out->groups; g++) {
        several_group *group = &out->group[g];
        client_group(task, g, &group->first, &group->second);
        group->size = (uint32_t)client_group_size(task, g);
        group->at = at;
        group->bits = client_answer_is_bits(task, group->size);
        group->bytes = client_answer_bytes(task, group->size);
        group->place = out->sampled ? 1 : place;
        set_chances(group, task);
        at += group->size;
        place += group->bytes;
    }
    out->categories = at;
}

static uint64_t cells(const dusk_client_task *task)
{
    return (uint64_t)task->domain + (task->mechanism == DUSK_SMP ? client_groups(task) : 0);
}

static bool answer_is_fine(const several_group *group, const uint8_t *report)
{
    const uint8_t *answer = report + group->place;
    if (group->bits) return !local_row_is_padded(group->size, answer);
    return client_get(answer, group->bytes) < group->size;
}

/* Answers for one group of n reports that are fine. */
static void add_answers(const several_group *group, size_t stride, int64_t *cell, const uint8_t *reports,
                        size_t n)
{
    if (group->bits) {
        local_columns_add(cell + group->at, group->size, reports + group->place, stride, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        cell[group->at + client_get(reports + i * stride + group->place, group->bytes)]++;
}

/* Reports between two that no device makes are added together. */
static uint64_t absorb_all(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    several_layout layout;
    uint64_t dropped = 0;
    size_t from = 0;
    several_lay_out(&layout, task);
    for (size_t i = 0; i <= n; i++) {
        bool fine = i < n;
        for (uint32_t g = 0; fine && g < layout.groups; g++)
            fine = answer_is_fine(&layout.group[g], reports + i * layout.size);
        if (fine) continue;
        for (uint32_t g = 0; g < layout.groups; g++)
            add_answers(&layout.group[g], layout.size, cell, reports + from * layout.size, i - from);
        from = i + 1;
        dropped += i < n;
    }
    return dropped;
}

static bool sample_is_fine(const several_layout *layout, const uint8_t *report)
{
    if (report[0] >= layout->groups) return false;
    const several_group *group = &layout->group[report[0]];
    for (uint32_t b = 1 + group->bytes; b < layout->size; b++)
        if (report[b]) return false;
    return answer_is_fine(group, report);
}

enum { BLOCK = 1 << 15 };

/* Bit maps of one group stand between those of others: they are brought together before they are added. */
static void add_maps(const several_layout *layout, uint32_t g, int64_t *cell, const uint8_t *reports,
                     size_t n)
{
    const several_group *group = &layout->group[g];
    uint8_t block[BLOCK];
    const size_t most = BLOCK / group->bytes;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *report = reports + i * layout->size;
        if (report[0] != g || !sample_is_fine(layout, report)) continue;
        if (most == 0) {
            local_columns_add(cell + group->at, group->size, report + 1, group->bytes, 1);
            continue;
        }
        memcpy(block + used * group->bytes, report + 1, group->bytes);
        if (++used < most) continue;
        local_columns_add(cell + group->at, group->size, block, group->bytes, used);
        used = 0;
    }
    local_columns_add(cell + group->at, group->size, block, group->bytes, used);
}

static uint64_t absorb_samples(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    several_layout layout;
    uint64_t dropped = 0, asked[SEVERAL_GROUPS] = { 0 };
    several_lay_out(&layout, task);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *report = reports + i * layout.size;
        if (!sample_is_fine(&layout, report)) {
            dropped++;
            continue;
        }
        const several_group *group = &layout.group[report[0]];
        asked[report[0]]++;
        if (!group->bits) cell[group->at + client_get(report + 1, group->bytes)]++;
    }
    for (uint32_t g = 0; g < layout.groups; g++) {
        cell[layout.categories + g] += (int64_t)asked[g];
        if (layout.group[g].bits && asked[g] > 0) add_maps(&layout, g, cell, reports, n);
    }
    return dropped;
}

/* --- estimates --------------------------------------------------------------------------------------------------------------- */

several_source several_source_of(const several_group *group, uint32_t together)
{
    const double p = group->truth, q = group->other, n = together;
    several_source s = { .part = 1, .base = n * q, .gain = p - q };
    if (group->bits) {
        s.of_other = n * q * (1 - q);
        s.of_holder = p * (1 - p) + (n - 1) * q * (1 - q);
    } else {
        const double any = p + (n - 1) * q;
        s.of_other = n * q * (1 - n * q);
        s.of_holder = any * (1 - any);
    }
    return s;
}

/* A report says `prior`, and where it answers for a group g, one of M, besides M part_g (W - prior), W = (supports - base) / gain, which is 1 on average of holders and 0 of others. */
double several_variance(const several_layout *layout, const several_source *source, size_t n, double prior,
                        bool holder)
{
    const double from = (holder ? 1 : 0) - prior;
    double noise = 0, parts = 0;
    for (size_t i = 0; i < n; i++) {
        const several_source *s = &source[i];
        noise += s->part * s->part * (holder ? s->of_holder : s->of_other) / (s->gain * s->gain);
        parts += s->part * s->part;
    }
    if (!layout->sampled) return noise;
    return layout->groups * noise + from * from * (layout->groups * parts - 1);
}

void several_estimate(const several_layout *layout, const several_source *source, size_t n, double prior,
                      double reports, double *count, double *deviation)
{
    const double factor = DUSK_MUTATE(SMP_COUNTS_THE_ASKED, layout->groups, 1);
    double estimate = prior * reports;
    for (size_t i = 0; i < n; i++) {
        const several_source *s = &source[i];
        estimate += factor * s->part * ((s->supports - s->asked * s->base) / s->gain - prior * s->asked);
    }
    const double holders = fmin(fmax(estimate, 0), reports);
    *count = estimate;
    if (deviation)
        *deviation = sqrt(holders * several_variance(layout, source, n, prior, true) +
                          (reports - holders) * several_variance(layout, source, n, prior, false));
}

/* The group of a cell; the last of them for cells that there are not. */
static const several_group *group_of(const several_layout *layout, uint64_t value)
{
    uint32_t low = 0, high = layout->groups;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (layout->group[middle].at <= value)
            low = middle;
        else
            high = middle;
    }
    return &layout->group[low];
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    several_layout layout;
    (void)err;
    several_lay_out(&layout, task);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        const several_group *group = group_of(&layout, value);
        double *deviation = deviations ? &deviations[i] : NULL;
        if (value >= layout.categories) {
            local_no_estimate(&out[i], deviation);
        } else if (layout.sampled) {
            several_source s = several_source_of(group, 1);
            s.supports = (double)cell[value];
            s.asked = (double)cell[layout.categories + (uint64_t)(group - layout.group)];
            several_estimate(&layout, &s, 1, group->prior, (double)reports, &out[i], deviation);
        } else {
            local_pure_estimate(group->truth, group->other, (double)cell[value], (double)reports, &out[i],
                                deviation);
        }
    }
    return DUSK_OK;
}

static double variance_in(const several_layout *layout, const several_group *group, double share)
{
    const several_source s = several_source_of(group, 1);
    return share * several_variance(layout, &s, 1, group->prior, true) +
           (1 - share) * several_variance(layout, &s, 1, group->prior, false);
}

static double variance_of(const dusk_client_task *task, uint64_t value, double share)
{
    several_layout layout;
    several_lay_out(&layout, task);
    return variance_in(&layout, group_of(&layout, value), share);
}

/* The mean over all cells. */
static double variance(const dusk_client_task *task, double share)
{
    several_layout layout;
    double sum = 0;
    several_lay_out(&layout, task);
    for (uint32_t g = 0; g < layout.groups; g++)
        sum += layout.group[g].size * variance_in(&layout, &layout.group[g], share);
    return sum / layout.categories;
}

/* Bounds: an answer supports one value, or as many as it has bits, and a report answers for one group or for all. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    several_layout layout;
    double up = -INFINITY, idle = -INFINITY, down = INFINITY, all = 0, longest = 0;
    several_lay_out(&layout, task);
    for (uint32_t g = 0; g < layout.groups; g++) {
        const several_group *group = &layout.group[g];
        const double m = layout.sampled ? layout.groups : 1, prior = layout.sampled ? group->prior : 0;
        const double gain = group->truth - group->other, supported = group->bits ? group->size : 1;
        up = fmax(up, prior + m * ((1 - group->other) / gain - prior));
        down = fmin(down, prior - m * (group->other / gain + prior));
        idle = fmax(idle, layout.sampled && layout.groups > 1 ? prior : -group->other / gain);
        all += supported;
        longest = fmax(longest, supported);
    }
    const double together = fmin(layout.sampled ? longest : all, targets);
    *least = targets * down;
    *most = together * up + (targets - together) * idle;
}

const local_protocol local_spl = {
    .name = "spl",
    .about = "several attributes, each answered with a part of epsilon",
    .mechanism = DUSK_SPL,
    .question = DUSK_ASKS_COUNTS,
    .several = true,
    .plan = plan,
    .epsilon = spl_epsilon,
    .one = smp_epsilon,
    .cells = cells,
    .absorb = absorb_all,
    .counts = counts,
    .variance = variance,
    .variance_of = variance_of,
    .reach = reach,
};

const local_protocol local_smp = {
    .name = "smp",
    .about = "several attributes, of which one or a pair is answered, with all of epsilon",
    .mechanism = DUSK_SMP,
    .question = DUSK_ASKS_COUNTS,
    .several = true,
    .plan = plan,
    .epsilon = smp_epsilon,
    .cells = cells,
    .absorb = absorb_samples,
    .counts = counts,
    .variance = variance,
    .variance_of = variance_of,
    .reach = reach,
};

const local_protocol local_rsfd = {
    .name = "rsfd",
    .about = "several attributes, of which one is answered, and nobody sees which",
    .mechanism = DUSK_RSFD,
    .question = DUSK_ASKS_COUNTS,
    .several = true,
    .plan = plan,
    .epsilon = rsfd_epsilon,
    .one = rsfd_one,
    .cells = cells,
    .absorb = absorb_all,
    .counts = counts,
    .variance = variance,
    .variance_of = variance_of,
    .reach = reach,
};
