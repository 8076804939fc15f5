/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list, from fragments [Sequence Fragment Puzzle: Apple 2017]. Each place of a text has a Hadamard sketch of fragments with 8 bits of a hash of the whole text; and one sketch is of whole texts. At every place
 * all fragments with all hashes are candidates; those that are frequent are put together where they have the same hash, texts that do not have this hash are no solution, and what is left is looked up in
 * the sketch of whole texts, whose coins are others than those that chose it. Counts are from that sketch, which all devices report to.
 *
 * A report is two, and has the epsilon of both. Device: client_fragment.c. Proof: fragments.proof.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/texts.h"
#include "numeric/rounding.h"

#define HASHES 256
#define MORE                                                                                                 \
    20 /* fragments of a place that are kept, for one text that is: a hash tells most of them apart */
#define ALIKE 16  /* of one hash at a place */
#define BEAM 1024 /* beginnings of one hash */

/* --- plan --------------------------------------------------------------------------------------------------------------- */

/* Half of epsilon each. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(local_texts_plan(survey, options, 2, options->epsilon / 2, err));
    survey->task.q = survey->task.p;
done:
    return status;
}

DUSK_PROVEN(fragments_epsilon)
static double fragments_epsilon(const dusk_client_task *task)
{
    const double whole = local_log_odds_up(task->p, 1, 1), fragment = local_log_odds_up(task->q, 1, 1);
    return DUSK_MUTATE(FRAGMENT_IS_FREE, dusk_add_up(whole, fragment), whole);
}

/* --- reports ------------------------------------------------------------------------------------------------------------- */

/* The first sketch is of whole texts. */
static uint32_t sketches(const dusk_client_task *task) { return 1 + client_text_levels(task); }
static uint64_t cells(const dusk_client_task *task) { return local_sketches_cells(task, sketches(task)); }

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t size = dusk_report_size(task), half = size / 2, all = sketches(task);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++, reports += size) {
        const uint32_t place = reports[0];
        if (place + 1 >= all || !local_sketch_is_fine(task, reports + 1) ||
            !local_sketch_take(task, cell, all, 1 + place, reports + 1 + half)) {
            dropped++;
            continue;
        }
        (void)local_sketch_take(task, cell, all, 0, reports + 1); /* it is fine */
    }
    return dropped;
}

static uint64_t whole_value(const dusk_client_task *task, const local_text *text)
{
    return client_prefix_value(task, client_text_levels(task) - 1, text->byte, text->length);
}

static dusk_status texts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *counts,
                         double *deviations, const local_text *text, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_tally view = local_sketch_view(task, cell, sketches(task), 0, task->p);
    uint64_t *value = NULL;
    (void)reports; /* all of them are in the sketch */
    DUSK_NEW(value, n);
    for (size_t i = 0; i < n; i++) value[i] = whole_value(task, &text[i]);
    status = dusk_tally_counts(&view, counts, deviations, value, n, err);
done:
    dusk_deallocate(value);
    return status;
}

static double variance(const dusk_client_task *task, double share)
{
    const double m = task->width, scale = m / (m - 1), gain = 2 * local_chance(task->p) - 1;
    return scale * scale * (1 / (gain * gain) - share) + (1 - share) / (m - 1);
}

static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    const double m = task->width, scale = m / (m - 1), gain = 2 * local_chance(task->p) - 1;
    *least = targets * scale * (-1 / gain - 1 / m);
    *most = targets * scale * (1 / gain - 1 / m);
}

/* --- fragments ------------------------------------------------------------------------------------------------------------ */

typedef struct fragment {
    uint8_t byte[DUSK_STRING_MOST];
    uint8_t length, bits;
    double evidence; /* its count in deviations */
} fragment;

/* Fragments of a place with one hash, the strongest first. */
typedef struct pile {
    fragment of[ALIKE];
    uint32_t n;
} pile;

typedef struct puzzle {
    const dusk_tally *tally;
    const dusk_client_task *task;
    const dusk_find_options *options;
    fragment *all; /* of one place */
    uint64_t *value;
    double *count, *deviation;
    size_t room, n;
    pile *piles; /* places x HASHES */
    local_candidate *solution;
    size_t solutions, most;
} puzzle;

/* All fragments of up to `left` more letters, with all hashes. */
static void list_fragments(puzzle *p, fragment *f, uint32_t left)
{
    for (uint32_t bits = 0; bits < HASHES; bits++) {
        f->bits = (uint8_t)bits;
        p->all[p->n++] = *f;
    }
    if (left == 0) return;
    f->length++;
    for (const char *letter = p->options->alphabet; *letter; letter++) {
        f->byte[f->length - 1] = (uint8_t)*letter;
        list_fragments(p, f, left - 1);
    }
    f->byte[--f->length] = 0;
}

static int stronger(const void *a, const void *b)
{
    const fragment *x = a, *y = b;
    return (x->evidence < y->evidence) - (x->evidence > y->evidence);
}

static dusk_status sort_place(puzzle *p, uint32_t place, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_client_task *task = p->task;
    const uint32_t rest = task->domain - place * task->hashes;
    const dusk_tally view = local_sketch_view(task, p->tally->cell, sketches(task), 1 + place, task->q);
    fragment none = { .length = 0 };
    p->n = 0;
    list_fragments(p, &none, rest < task->hashes ? rest : task->hashes);
    for (size_t i = 0; i < p->n; i++)
        p->value[i] = client_fragment_value(task, place, p->all[i].byte, p->all[i].length, p->all[i].bits);
    DUSK_TRY(dusk_tally_decode(&view, p->count, p->deviation, p->value, p->n, err));
    for (size_t i = 0; i < p->n; i++)
        p->all[i].evidence = p->deviation[i] > 0 ? p->count[i] / p->deviation[i] : 0;
    qsort(p->all, p->n, sizeof *p->all, stronger);
    for (size_t i = 0; i < p->n && i < MORE * p->options->keep && p->all[i].evidence > 0; i++) {
        pile *to = &p->piles[(size_t)place * HASHES + p->all[i].bits];
        if (to->n < ALIKE) to->of[to->n++] = p->all[i];
    }
done:
    return status;
}

/* --- putting them together ------------------------------------------------------------------------------------------------- */

typedef struct piece {
    local_text text;
    double evidence; /* of its weakest fragment */
} piece;

static int stronger_piece(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    return (x->evidence < y->evidence) - (x->evidence > y->evidence);
}

/* A text that has the hash of its fragments. */
static void solve(puzzle *p, const local_text *text, uint32_t bits)
{
    const uint32_t own = client_text_bits(p->task, text->byte, text->length);
    if (p->solutions < p->most && own == bits)
        p->solution[p->solutions++] = (local_candidate){ .text = *text, .ended = true };
}

/* One more place: pieces that can go on become `next`, those that are whole are solutions. A full piece may be whole, too: what is behind it need not be looked for. Returns how many go on. */
static size_t join(puzzle *p, uint32_t place, uint32_t bits, const piece *now, size_t n, piece *next)
{
    const pile *mine = &p->piles[(size_t)place * HASHES + bits];
    size_t many = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < mine->n; k++) {
            const fragment *f = &mine->of[k];
            piece longer = now[i];
            if (f->length == 0 && place > 0) continue; /* it was a solution before */
            memcpy(longer.text.byte + longer.text.length, f->byte, f->length);
            longer.text.length += f->length;
            longer.evidence = fmin(longer.evidence, f->evidence);
            solve(p, &longer.text, bits);
            if (f->length == p->task->hashes) next[many++] = longer;
        }
    if (many > 0) qsort(next, many, sizeof *next, stronger_piece);
    return many < BEAM ? many : BEAM;
}

static dusk_status put_together(puzzle *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t places = client_text_levels(p->task);
    piece *now = NULL, *next = NULL;
    DUSK_NEW(now, BEAM);
    DUSK_NEW(next, (size_t)BEAM * ALIKE);
    for (uint32_t bits = 0; bits < HASHES; bits++) {
        size_t n = 1;
        now[0] = (piece){ .evidence = INFINITY };
        for (uint32_t place = 0; place < places && n > 0; place++) {
            n = join(p, place, bits, now, n, next);
            if (n > 0) memcpy(now, next, n * sizeof *now);
        }
    }
done:
    dusk_deallocate(now);
    dusk_deallocate(next);
    return status;
}

/* Solutions in the sketch of whole texts. */
static dusk_status look_up(puzzle *p, dusk_string_found *out, size_t most, size_t *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_tally view = local_sketch_view(p->task, p->tally->cell, sketches(p->task), 0, p->task->p);
    uint64_t *value = NULL;
    const size_t n = p->solutions;
    DUSK_NEW(value, n);
    for (size_t i = 0; i < n; i++) value[i] = whole_value(p->task, &p->solution[i].text);
    DUSK_TRY(local_candidates_ask(&view, p->solution, value, n, err));
    for (size_t i = 0; DUSK_MUTATE(FRAGMENT_ANY_WHOLE, false, true) && i < n; i++) p->solution[i].squares = 1;
    status =
        local_candidates_found(p->solution, n, n, p->tally->reports, p->options->rate, out, most, found, err);
done:
    dusk_deallocate(value);
    return status;
}

/* How many candidates a place has; 0: too many. */
static size_t room_for(const dusk_client_task *task, const dusk_find_options *options)
{
    double all = 0;
    for (uint32_t i = 0; i <= task->hashes; i++) all += HASHES * pow((double)strlen(options->alphabet), i);
    return all <= (double)LOCAL_CANDIDATES_MOST ? (size_t)all : 0;
}

static dusk_status find(const dusk_tally *tally, const dusk_find_options *options, dusk_string_found *out,
                        size_t most, size_t *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    puzzle p = { .tally = tally, .task = &tally->survey.task, .options = options, .most = (size_t)1 << 18 };
    const uint32_t places = client_text_levels(p.task);
    p.room = room_for(p.task, options);
    if (p.room == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "plan with shorter fragments, or give fewer letters",
                         "there are more than 2^22 fragments with a hash");
    DUSK_NEW(p.all, p.room);
    DUSK_NEW(p.value, p.room);
    DUSK_NEW(p.count, p.room);
    DUSK_NEW(p.deviation, p.room);
    DUSK_NEW(p.piles, (size_t)places * HASHES);
    DUSK_NEW(p.solution, p.most);
    for (uint32_t place = 0; place < places; place++) DUSK_TRY(sort_place(&p, place, err));
    DUSK_TRY(put_together(&p, err));
    status = look_up(&p, out, most, found, err);
done:
    dusk_deallocate(p.all);
    dusk_deallocate(p.value);
    dusk_deallocate(p.count);
    dusk_deallocate(p.deviation);
    dusk_deallocate(p.piles);
    dusk_deallocate(p.solution);
    return status;
}

const local_protocol local_sfp = {
    .name = "sfp",
    .about = "sequence fragment puzzle: frequent texts that are on no list, put together from fragments",
    .mechanism = DUSK_SFP,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan,
    .epsilon = fragments_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = local_packed_counts,
    .texts = texts,
    .find = find,
    .variance = variance,
    .reach = reach,
};
