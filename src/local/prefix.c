/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list, from their beginnings. Every level of devices has a Hadamard sketch of beginnings: the first says which ones of `step` bytes are frequent, the next which of their
 * continuations are, and so on. Every sketch is decoded by regression on its candidates (decode.c), so that places which candidates share do not mislead.
 *
 *   PEM        the best `keep` beginnings of a level are followed           [Wang, Li & Jha 2018]
 *   TreeHist   all that stand out at the rate of false discoveries are      [Bassily, Nissim, Stemmer & Thakurta 2017]
 *
 * A text that ends before a level's last byte is reported whole by it and by all levels after: its count is from all of these together. Whether it is found is tested with these, too, among all whole texts that were
 * ever looked at; a text is first looked at because of its beginning, by the reports of others. Device: client_prefix.c. Proof: prefix.proof.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"
#include "local/texts.h"

/* --- plan --------------------------------------------------------------------------------------------------------------- */

static dusk_status plan_pem(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    return local_texts_plan(survey, options, 2, options->epsilon, err);
}

/* The paper lets half of the devices report whole texts: of 8 levels the others would then have deviations that are sqrt(14 / 8) as large, and what they lose is not found; and shorter texts, which
 * several levels report whole, would be known no better. All levels are as large (docs/collect/strings.md has both measured). */
static dusk_status plan_treehist(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(local_texts_plan(survey, options, 1, options->epsilon, err));
    survey->task.f = UINT64_MAX / client_text_levels(&survey->task);
done:
    return status;
}

DUSK_PROVEN(prefix_epsilon)
static double prefix_epsilon(const dusk_client_task *task) { return local_log_odds_up(task->p, 1, 1); }

/* --- reports ------------------------------------------------------------------------------------------------------------- */

static uint64_t cells(const dusk_client_task *task)
{
    return local_sketches_cells(task, client_text_levels(task));
}

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t size = dusk_report_size(task), levels = client_text_levels(task);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++, reports += size)
        dropped += reports[0] >= levels || !local_sketch_take(task, cell, levels, reports[0], reports + 1);
    return dropped;
}

/* --- counts of texts ------------------------------------------------------------------------------------------------------ */

/* The first level that reports the whole text and that it ended. */
static uint32_t first_whole(const dusk_client_task *task, uint32_t length)
{
    const uint32_t level = length / task->hashes, last = client_text_levels(task) - 1;
    return level < last ? level : last;
}

static dusk_status texts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *counts,
                         double *deviations, const local_text *text, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t levels = client_text_levels(task);
    local_candidate *c = NULL;
    double *count = NULL, *deviation = NULL;
    uint64_t *value = NULL;
    DUSK_NEW(c, n);
    DUSK_NEW(count, n);
    DUSK_NEW(deviation, n);
    DUSK_NEW(value, n);
    for (uint32_t level = 0; level < levels; level++) {
        const dusk_tally view = local_sketch_view(task, cell, levels, level, task->p);
        size_t asked = 0;
        for (size_t i = 0; i < n; i++)
            if (first_whole(task, text[i].length) <= level)
                value[asked++] = client_prefix_value(task, level, text[i].byte, text[i].length);
        DUSK_TRY(dusk_tally_counts(&view, count, deviation, value, asked, err));
        for (size_t i = n; i-- > 0;) {
            if (first_whole(task, text[i].length) > level) continue;
            asked--;
            c[i].sum += count[asked];
            c[i].squares += deviation[asked] * deviation[asked];
            c[i].people += view.reports;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double spread;
        local_scale_up(c[i].sum, c[i].squares, c[i].people, reports, &counts[i], &spread);
        if (deviations) deviations[i] = spread;
    }
done:
    dusk_deallocate(c);
    dusk_deallocate(count);
    dusk_deallocate(deviation);
    dusk_deallocate(value);
    return status;
}

/* The part of devices that the last level has. */
static double last_share(const dusk_client_task *task)
{
    const uint32_t levels = client_text_levels(task);
    return levels == 1 ? 1 : task->mechanism == DUSK_PEM ? 1.0 / levels : local_chance(task->f);
}

/* Of a text of full length, which the last level alone reports whole. */
static double variance(const dusk_client_task *task, double share)
{
    const double m = task->width, scale = m / (m - 1), gain = 2 * local_chance(task->p) - 1,
                 part = 1 / last_share(task);
    const double own = 1 / (gain * gain) - share;
    return part * (scale * scale * own + (1 - share) / (m - 1)) + share * (1 - share) * (part - 1);
}

/* A report of the last level counts as often as it has fewer, and makes the level larger. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    const double m = task->width, scale = m / (m - 1), gain = 2 * local_chance(task->p) - 1,
                 part = 1 / last_share(task);
    *least = part * targets * scale * (-1 / gain - 1 / m) - (part - 1);
    *most = part * targets * scale * (1 / gain - 1 / m);
}

/* --- finding --------------------------------------------------------------------------------------------------------------- */

typedef struct descent {
    const dusk_tally *tally;
    const dusk_client_task *task;
    const dusk_find_options *options;
    local_candidate *open, *ended,
        *now; /* beginnings to be continued, whole texts, and candidates of a level */
    uint64_t *value;
    bool *found;
    double *count, *deviation;
    size_t opens, endeds, n, looked_at;
} descent;

/* All continuations by up to `left` letters; where a text ends before, it is whole. */
static void extend(descent *d, local_text *text, uint32_t left, bool last)
{
    const bool whole = left > 0 || last;
    d->now[d->n++] = (local_candidate){ .text = *text, .ended = whole };
    d->looked_at += whole;
    if (left == 0) return;
    text->length++;
    for (const char *letter = d->options->alphabet; *letter; letter++) {
        text->byte[text->length - 1] = (uint8_t)*letter;
        extend(d, text, left - 1, last);
    }
    text->byte[--text->length] = 0;
}

static int more_people(const void *a, const void *b)
{
    const local_candidate *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* Whole texts, and beginnings that are followed; others are given up. */
static dusk_status sort_out(descent *d, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t keep = d->options->keep;
    const bool tree = d->task->mechanism == DUSK_TREEHIST;
    for (size_t i = 0; i < d->n; i++) {
        d->count[i] = d->now[i].count;
        d->deviation[i] = d->now[i].deviation;
    }
    DUSK_TRY(dusk_counts_found(d->found, d->count, d->deviation, d->n, d->options->rate, err));
    d->opens = d->endeds = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->now[i].ended)
            d->ended[d->endeds++] = d->now[i];
        else if (tree ? d->found[i] : d->now[i].count > 0)
            d->open[d->opens++] = d->now[i];
    if (d->opens > 0) qsort(d->open, d->opens, sizeof *d->open, more_people);
    if (d->opens > keep) d->opens = keep;
    d->endeds = local_candidates_best(d->ended, d->endeds, keep);
done:
    return status;
}

static dusk_status ask_level(descent *d, uint32_t level, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t levels = client_text_levels(d->task), from = level * d->task->hashes;
    const uint32_t rest = d->task->domain - from, step = rest < d->task->hashes ? rest : d->task->hashes;
    const dusk_tally view = local_sketch_view(d->task, d->tally->cell, levels, level, d->task->p);
    d->n = 0;
    for (size_t i = 0; i < d->endeds; i++) d->now[d->n++] = d->ended[i];
    for (size_t i = 0; i < d->opens; i++) extend(d, &d->open[i].text, step, level + 1 == levels);
    for (size_t i = 0; i < d->n; i++)
        d->value[i] = client_prefix_value(d->task, level, d->now[i].text.byte, d->now[i].text.length);
    DUSK_TRY(local_candidates_ask(&view, d->now, d->value, d->n, err));
    status = sort_out(d, err);
done:
    return status;
}

/* How many candidates a level can have; 0: too many. */
static size_t room_for(const dusk_client_task *task, const dusk_find_options *options)
{
    const double letters = (double)strlen(options->alphabet), keep = (double)options->keep;
    double each = 0;
    for (uint32_t i = 0; i <= task->hashes; i++) each += pow(letters, i);
    const double all = keep * (each + 1);
    return all <= (double)LOCAL_CANDIDATES_MOST ? (size_t)all : 0;
}

static dusk_status find(const dusk_tally *tally, const dusk_find_options *options, dusk_string_found *out,
                        size_t most, size_t *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    descent d = { .tally = tally, .task = &tally->survey.task, .options = options, .opens = 1 };
    const size_t room = room_for(d.task, options);
    if (room == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for fewer, or plan with smaller steps",
                         "beginnings would have more than 2^22 continuations");
    DUSK_NEW(d.open, room);
    DUSK_NEW(d.ended, room);
    DUSK_NEW(d.now, room);
    DUSK_NEW(d.value, room);
    DUSK_NEW(d.found, room);
    DUSK_NEW(d.count, room);
    DUSK_NEW(d.deviation, room);
    for (uint32_t level = 0; level < client_text_levels(d.task); level++) DUSK_TRY(ask_level(&d, level, err));
    status = local_candidates_found(d.ended, d.endeds, d.looked_at, tally->reports, options->rate, out, most,
                                    found, err);
done:
    dusk_deallocate(d.open);
    dusk_deallocate(d.ended);
    dusk_deallocate(d.now);
    dusk_deallocate(d.value);
    dusk_deallocate(d.found);
    dusk_deallocate(d.count);
    dusk_deallocate(d.deviation);
    return status;
}

const local_protocol local_pem = {
    .name = "pem",
    .about = "prefix extending: frequent texts that are on no list, from the best beginnings",
    .mechanism = DUSK_PEM,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan_pem,
    .epsilon = prefix_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = local_packed_counts,
    .texts = texts,
    .find = find,
    .variance = variance,
    .reach = reach,
};

const local_protocol local_treehist = {
    .name = "treehist",
    .about = "a tree of beginnings: frequent texts that are on no list, letter by letter",
    .mechanism = DUSK_TREEHIST,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan_treehist,
    .epsilon = prefix_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = local_packed_counts,
    .texts = texts,
    .find = find,
    .variance = variance,
    .reach = reach,
};
