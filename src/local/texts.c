/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list, the server's side: what prefix.c and fragments.c share; see texts.h. */
#include "local/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"

#define LENGTH 8
#define ROWS 64
#define WIDTH 4096

extern const local_protocol local_hcms;

local_text local_text_of(const uint8_t *bytes, size_t n, uint32_t most)
{
    local_text text = { .length = n < most ? (uint32_t)n : most };
    memcpy(text.byte, bytes, text.length);
    return text;
}

dusk_status local_texts_plan(dusk_survey *survey, const dusk_survey_options *options, uint32_t step,
                             double epsilon, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    task->domain = options->domain ? (uint32_t)options->domain : LENGTH;
    task->hashes = options->hashes ? options->hashes : task->domain < step ? task->domain : step;
    task->rows = options->rows ? options->rows : ROWS;
    task->width = options->width ? options->width : WIDTH;
    task->p = local_keep_down(epsilon, 1);
    if (options->domain > DUSK_STRING_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 8: longer texts count as their beginnings",
                         "texts that are found have at most %d bytes", DUSK_STRING_MOST);
    if (task->hashes > task->domain)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example steps of 2 bytes",
                         "a step has at most as many bytes as a text, %u", task->domain);
    if (task->width < 2 || (task->width & (task->width - 1)) != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a width of 4096",
                         "the width of a Hadamard sketch is a power of 2");
    return DUSK_OK;
}

/* ---- Sketches ------------------------------------------------------------------------------------------------------------- */

dusk_tally local_sketch_view(const dusk_client_task *task, const int64_t *cell, uint32_t sketches,
                             uint32_t which, uint64_t p)
{
    const uint64_t size = local_sketch_cells(task);
    dusk_tally view = { .protocol = &local_hcms, .cells = size };
    view.survey.task = *task;
    view.survey.task.mechanism = DUSK_HCMS;
    view.survey.task.p = p;
    view.reports = (uint64_t)cell[sketches * size + which];
    view.cell = (int64_t *)(uintptr_t)(cell + which * size); /* nobody writes through a view */
    return view;
}

bool local_sketch_is_fine(const dusk_client_task *task, const uint8_t *report)
{
    const uint32_t bytes = client_bytes_for(2 * task->rows * task->width);
    return client_get(report, bytes) >> 1 < local_sketch_cells(task);
}

bool local_sketch_take(const dusk_client_task *task, int64_t *cell, uint32_t sketches, uint32_t which,
                       const uint8_t *report)
{
    const uint32_t bytes = client_bytes_for(2 * task->rows * task->width);
    const uint64_t size = local_sketch_cells(task), number = client_get(report, bytes);
    if (number >> 1 >= size) return false;
    cell[which * size + (number >> 1)] += number & 1 ? -1 : 1;
    cell[sketches * size + which]++;
    return true;
}

/* ---- Counts ---------------------------------------------------------------------------------------------------------------- */

/* Who is in a sketch was drawn: given how many of all there are, the part of those who have a text varies as of a sample without replacement. */
void local_scale_up(double sum, double squares, uint64_t people, uint64_t reports, double *count,
                    double *deviation)
{
    if (people == 0) {
        *count = 0;
        *deviation = reports > 0 ? INFINITY : 0;
        return;
    }
    const double all = (double)reports, part = all / (double)people;
    *count = part * sum;
    const double own = fmin(fmax(*count, 0), all);
    *deviation = sqrt(part * part * squares + own * (1 - own / all) * (part - 1));
}

dusk_status local_packed_counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports,
                                double *counts, double *deviations, const uint64_t *values, size_t n,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    local_text *texts = NULL;
    uint8_t bytes[8];
    DUSK_NEW(texts, n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t length = client_unpack(values ? values[i] : i, bytes);
        texts[i] = local_text_of(bytes, length, task->domain);
    }
    status =
        local_protocol_of(task->mechanism)->texts(task, cell, reports, counts, deviations, texts, n, err);
done:
    dusk_deallocate(texts);
    return status;
}

dusk_status dusk_tally_texts(const dusk_tally *tally, double *counts, double *deviations,
                             const char *const *texts, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_client_task *task = &tally->survey.task;
    local_text *cut = NULL;
    uint64_t *hash = NULL;
    if (!tally->protocol->texts && !(tally->protocol->hashed && task->domain == 0))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for counts of categories", "%s is not for texts",
                         tally->protocol->name);
    DUSK_NEW(cut, n);
    DUSK_NEW(hash, n);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *bytes = (const uint8_t *)texts[i];
        if (tally->protocol->texts)
            cut[i] = local_text_of(bytes, strlen(texts[i]), task->domain);
        else
            hash[i] = dusk_client_hash(bytes, strlen(texts[i]));
    }
    status = tally->protocol->texts
                 ? tally->protocol->texts(task, tally->cell, tally->reports, counts, deviations, cut, n, err)
                 : dusk_tally_counts(tally, counts, deviations, hash, n, err);
done:
    dusk_deallocate(cut);
    dusk_deallocate(hash);
    return status;
}

/* ---- Candidates ------------------------------------------------------------------------------------------------------------ */

dusk_status local_candidates_ask(const dusk_tally *sketch, local_candidate *candidates,
                                 const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *count = NULL, *deviation = NULL;
    DUSK_NEW(count, n);
    DUSK_NEW(deviation, n);
    DUSK_TRY(dusk_tally_decode(sketch, count, deviation, values, n, err));
    for (size_t i = 0; i < n; i++) {
        local_candidate *c = &candidates[i];
        c->count = count[i];
        c->deviation = deviation[i];
        if (!c->ended) continue;
        c->sum += count[i];
        c->squares += deviation[i] * deviation[i];
        c->people += sketch->reports;
    }
done:
    dusk_deallocate(count);
    dusk_deallocate(deviation);
    return status;
}

static double evidence(const local_candidate *c) { return c->squares > 0 ? c->sum / sqrt(c->squares) : 0; }

static int by_evidence(const void *a, const void *b)
{
    const double x = evidence(a), y = evidence(b);
    return (x < y) - (x > y);
}

size_t local_candidates_best(local_candidate *candidates, size_t n, size_t keep)
{
    if (n > 0) qsort(candidates, n, sizeof *candidates, by_evidence);
    return n < keep ? n : keep;
}

static int by_count(const void *a, const void *b)
{
    const dusk_string_found *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* Texts that were looked at and given up are tests, too, none of which is found. */
dusk_status local_candidates_found(const local_candidate *candidates, size_t n, size_t looked_at,
                                   uint64_t reports, double rate, dusk_string_found *out, size_t most,
                                   size_t *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t tests = DUSK_MUTATE(FIND_TESTS_THOSE_LEFT, looked_at > n ? looked_at : n, n);
    double *sum = NULL, *deviation = NULL;
    bool *fine = NULL;
    dusk_string_found *list = NULL;
    size_t many = 0;
    DUSK_NEW(sum, tests);
    DUSK_NEW(deviation, tests);
    DUSK_NEW(fine, tests);
    DUSK_NEW(list, n);
    for (size_t i = 0; i < tests; i++) deviation[i] = 1;
    for (size_t i = 0; i < n; i++) sum[i] = evidence(&candidates[i]);
    DUSK_TRY(dusk_counts_found(fine, sum, deviation, tests, rate, err));
    for (size_t i = 0; i < n; i++) {
        const local_candidate *c = &candidates[i];
        if (!fine[i] || !(c->sum > 0)) continue;
        memcpy(list[many].text, c->text.byte, c->text.length);
        local_scale_up(c->sum, c->squares, c->people, reports, &list[many].count, &list[many].deviation);
        many++;
    }
    if (many > 0) qsort(list, many, sizeof *list, by_count);
    *found = many < most ? many : most;
    if (*found > 0) memcpy(out, list, *found * sizeof *out);
done:
    dusk_deallocate(sum);
    dusk_deallocate(deviation);
    dusk_deallocate(fine);
    dusk_deallocate(list);
    return status;
}

/* ---- Finding --------------------------------------------------------------------------------------------------------------- */

void dusk_find_options_init(dusk_find_options *options)
{
    *options = (dusk_find_options){
        .size = sizeof *options, .alphabet = "abcdefghijklmnopqrstuvwxyz'", .keep = 100, .rate = 0.05
    };
}

static dusk_status check_alphabet(const char *alphabet, dusk_error *err)
{
    const size_t n = alphabet ? strlen(alphabet) : 0;
    for (size_t i = 0; i < n && n < 256; i++)
        if (strchr(alphabet + i + 1, alphabet[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give each letter once", "a letter is there twice");
    if (n < 1 || n > 255)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example abcdefghijklmnopqrstuvwxyz",
                         "an alphabet has 1 to 255 letters");
    return DUSK_OK;
}

dusk_status dusk_tally_find(const dusk_tally *tally, const dusk_find_options *options, dusk_string_found *out,
                            size_t most, size_t *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *found = 0;
    if (!tally->protocol->find)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take pem, treehist or sfp",
                         "%s finds no texts that are on no list", tally->protocol->name);
    DUSK_TRY(check_alphabet(options->alphabet, err));
    if (options->keep < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 100", "at least one candidate must be kept");
    if (!(options->rate > 0 && options->rate < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.05",
                         "a rate of false discoveries lies between 0 and 1");
    status = tally->protocol->find(tally, options, out, most, found, err);
done:
    return status;
}

bool dusk_randomiser_finds(dusk_randomiser mechanism)
{
    const local_protocol *protocol = local_protocol_of((uint32_t)mechanism);
    return protocol && protocol->find;
}
