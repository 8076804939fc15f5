/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of a few rows; see turns.h. */
#include "deep/turns.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

enum { ROOM_MOST = 256, AHEAD = 4 }; /* AHEAD: rows that are fetched before they are taken */

void deep_turns_close(deep_turns *w)
{
    deep_sum_close(&w->sum);
    deep_plain_close(&w->plain);
    deep_whole_close(&w->whole);
    deep_coordinates_close(&w->coordinates);
    if (w->code) dusk_wipe(w->code, w->pass.room * sizeof *w->code);
    if (w->number) dusk_wipe(w->number, w->pass.room * w->numbers * sizeof *w->number);
    if (w->mark) dusk_wipe(w->mark, w->pass.room * w->rows->marks * sizeof *w->mark);
    if (w->coin) dusk_wipe(w->coin, w->pass.room * sizeof *w->coin);
    deep_pass_close(&w->pass);
    dusk_deallocate(w->code);
    dusk_deallocate(w->number);
    dusk_deallocate(w->mark);
    dusk_deallocate(w->coin);
}

size_t deep_training_room(const deep_plan *plan)
{
    const size_t room = deep_pass_room(&plan->net, ROOM_MOST);
    if (plan->room > 0) return plan->room;
    return deep_is_whole(plan) ? deep_whole_room(&plan->net, room) : room;
}

dusk_status deep_turns_open(deep_turns *w, const deep_plan *plan, const deep_rows *rows,
                            const deep_subspace *subspace, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    w->plan = plan;
    w->rows = rows;
    const size_t room = deep_training_room(plan);
    if (deep_is_whole(plan)) DUSK_TRY(deep_whole_open(&w->whole, &plan->net, room, err));
    DUSK_TRY(deep_pass_open(&w->pass, &plan->net, room, err));
    w->pass.given = w->whole.gradient;
    w->pass.tuning = deep_looked_at(plan);
    const bool along = subspace->directions > 0 && !plan->plain;
    if (along) DUSK_TRY(deep_coordinates_open(&w->coordinates, subspace, &w->pass, err));
    DUSK_TRY(plan->plain ? deep_plain_open(&w->plain, &plan->net, err)
                         : deep_sum_open(&w->sum, along ? &w->coordinates.pass : &w->pass, plan->clipping,
                                         plan->clip, err));
    DUSK_NEW(w->code, w->pass.room);
    w->numbers = rows->numbers ? rows->numbers : 1;
    DUSK_NEW(w->number, w->pass.room * w->numbers);
    if (rows->marks > 0) DUSK_NEW(w->mark, w->pass.room * rows->marks);
    DUSK_NEW(w->coin, w->pass.room);
    w->pass.training = true;
    w->pass.coin = w->coin;
done:
    return status;
}

static void make_whole(deep_turns *w, deep_real share)
{
    w->pass.given = NULL; /* by this pass */
    deep_whole_add(&w->whole, &w->pass, share);
    w->pass.given = w->whole.gradient;
}

size_t deep_passes(const deep_plan *plan) { return plan->smooth > 0 ? plan->smooth : 1; }

void deep_turns_take(deep_turns *w, size_t first, size_t n)
{
    const size_t size = deep_size(w->plan->net.in), marks = w->rows->marks;
    w->pass.examples = n;
    for (size_t i = 0; i < n; i++) {
        const size_t row = w->sample->row[first + i];
        if (i + AHEAD < n) deep_rows_expect(w->rows, w->sample->row[first + i + AHEAD]);
        deep_rows_take(w->rows, row, w->pass.value[0] + i * size);
        if (w->rows->code) w->code[i] = w->rows->code[row];
        if (w->rows->number)
            memcpy(w->number + i * w->numbers, w->rows->number + row * w->numbers,
                   w->numbers * sizeof *w->number);
        if (w->mark) memcpy(w->mark + i * marks, w->rows->mark + row * marks, marks * sizeof *w->mark);
        if (w->sample->coin) w->coin[i] = w->sample->coin[first + i];
    }
}

/* Rows of the sample from `first` on, `n` of them. */
static void add_turn(deep_turns *w, size_t first, size_t n)
{
    const deep_wanted wanted = { w->code, w->number, w->mark };
    const size_t passes = deep_passes(w->plan);
    deep_pass *pass = &w->pass;
    deep_turns_take(w, first, n);
    if (w->whole.gradient) deep_whole_reset(&w->whole, n);
    for (size_t k = 0; k < passes; k++) {
        if (w->moved) pass->parameters = w->moved + k * w->plan->net.parameters;
        deep_forward(pass);
        deep_loss_slopes(w->plan->loss, pass, &wanted);
        deep_backward(pass);
        if (w->plan->plain) deep_plain_add(&w->plain, pass);
        if (w->whole.gradient) make_whole(w, 1 / (deep_real)passes);
    }
    const double shake = w->plan->bias_noise * DUSK_MUTATE(DEEP_BIAS_NOISE_IS_LONG, 1, 10);
    if (DUSK_MUTATE(DEEP_BIAS_NOISE_IS_IGNORED, shake > 0, false))
        deep_whole_shake(&w->whole, pass, shake * w->sum.clip);
    if (w->plan->plain) return;
    if (w->coordinates.subspace) deep_coordinates_make(&w->coordinates, pass);
    w->status = deep_sum_add(&w->sum, w->coordinates.subspace ? &w->coordinates.pass : pass, NULL);
}

void *deep_turns_work(void *argument)
{
    deep_turns *w = argument;
    deep_sample *s = w->sample;
    deep_ahead *ahead = w->ahead;
    if (ahead) ahead->status = dusk_ahead_draw(&ahead->draws, ahead->noise, ahead->gen, &ahead->error);
    w->status = DUSK_OK;
    for (size_t first; w->status == DUSK_OK && (first = atomic_fetch_add(&s->next, s->turn)) < s->count;)
        add_turn(w, first, s->count - first < s->turn ? s->count - first : s->turn);
    return NULL;
}
