/* SPDX-License-Identifier: Apache-2.0 */
/* The loop; see training.h. */
#include "deep/run.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/check.h"
#include "deep/state.h"
#include "deep/whole.h"
#include "mechanisms/totals.h"

enum { TURN_LEAST = 32 };

static void close_training(deep_run *t)
{
    deep_gains_close(&t->gains); /* rooms are those of turns */
    for (size_t k = 0; k < t->workers; k++) deep_turns_close(&t->worker[k]);
    deep_subspace_close(&t->subspace);
    deep_carriers_close(&t->carriers);
    dusk_ahead_clear(&t->ahead.draws);
    dusk_generator_free(t->ahead.gen);
    learn_draw_close(&t->draw);
    deep_history_close(&t->history);
    deep_allocation_close(&t->allocation);
    deep_descent_close(&t->descent);
    dusk_keyed_free(t->coins);
    if (t->unit) dusk_wipe(t->unit, t->coins_most * sizeof *t->unit);
    if (t->coin) dusk_wipe(t->coin, t->coins_most * sizeof *t->coin);
    dusk_deallocate(t->unit);
    dusk_deallocate(t->coin);
    dusk_deallocate(t->averaged);
    dusk_deallocate(t->moved);
    if (t->start) dusk_deallocate(t->learned);
    dusk_deallocate(t->start);
    dusk_deallocate(t->whole);
    dusk_deallocate(t->state);
    deep_optimiser_close(&t->optimiser);
}

static bool asks_for_coins(const deep_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].kind->coins) return true;
    return false;
}

/* What is learned, and its first values. */
static dusk_status open_learned(deep_run *t, bool going_on, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    t->learned = t->parameters;
    if (plan->directions > 0) {
        DUSK_TRY(deep_subspace_open(&t->subspace, &plan->net, plan->directions, err));
        DUSK_NEW(t->whole, plan->net.parameters);
    }
    if (plan->carriers.part) DUSK_TRY(deep_carriers_open(&t->carriers, &plan->net, &plan->carriers, err));
    if (plan->carriers.part && !going_on)
        DUSK_TRY(deep_carriers_begin(&t->carriers, t->parameters, gen, err));
    if (!plan->tuning.part) return DUSK_OK;
    t->learned = NULL;
    DUSK_NEW(t->start, plan->net.parameters);
    DUSK_NEW(t->learned, plan->tuning.learned);
    if (plan->plain) DUSK_NEW(t->whole, plan->tuning.learned);
    memcpy(t->start, t->parameters, plan->net.parameters * sizeof *t->start);
    if (!going_on)
        DUSK_TRY(deep_tuning_begin(&plan->tuning, &plan->net, t->parameters, t->learned, gen, err));
done:
    return status;
}

/* Parameters by `learned`, which is the numbers that are learned, or their average. */
static void set_parameters(deep_run *t, const float *learned)
{
    if (t->start)
        deep_tuning_apply(&t->plan->tuning, &t->plan->net, t->start, learned, t->parameters);
    else if (learned != t->parameters)
        memcpy(t->parameters, learned, t->plan->net.parameters * sizeof *learned);
}

/* What finds noise, or steps, on the way. */
static dusk_status open_allocation(deep_run *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const size_t n = deep_released(plan);
    if (plan->allocates == DEEP_ADAPTIVE)
        return deep_allocation_open(&t->allocation, &plan->allowance, plan->steps, plan->lot, n, err);
    if (plan->allocates != DEEP_DESCENT) return DUSK_OK;
    DUSK_TRY(deep_descent_open(&t->descent, &plan->allowance, &plan->measures, plan->rate, n, err));
    DUSK_TRY(deep_gains_open(&t->gains, t->worker, t->workers, n, err));
done:
    return status;
}

static dusk_status open_training(deep_run *t, bool going_on, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const size_t n = deep_learned(plan), released = deep_released(plan);
    DUSK_TRY(open_learned(t, going_on, gen, err));
    while (t->workers < plan->threads && t->workers < DEEP_RUN_THREADS)
        DUSK_TRY(deep_turns_open(&t->worker[t->workers++], plan, t->rows, &t->subspace,
                                 err)); /* counted, so that what it has is closed */
    if (plan->smooth > 0) DUSK_NEW(t->moved, plan->smooth * plan->net.parameters);
    if (asks_for_coins(&plan->net) || plan->bias_noise > 0) {
        t->coins_most = learn_sampler_most(&plan->sampler, t->rows->rows);
        DUSK_NEW(t->unit, t->coins_most + 1);
        DUSK_NEW(t->coin, t->coins_most + 1);
        DUSK_TRY(dusk_keyed_new(&t->coins, gen, err));
    }
    if (plan->average > 0) DUSK_NEW(t->averaged, n);
    if (t->job->checkpoint.open) DUSK_NEW(t->state, t->job->state_size);
    t->piece = t->state ? deep_state_piece(plan) : 1;
    DUSK_TRY(learn_draw_open(&t->draw, &plan->sampler, t->rows->rows, gen, err));
    DUSK_TRY(deep_optimiser_open(&t->optimiser, plan->method, plan->momentum, n, err));
    t->optimiser.weight_decay = DUSK_MUTATE(DEEP_DECAY_IS_IGNORED, plan->weight_decay, 0);
    if (t->workers > 1 && !plan->plain && !plan->one_by_one && (double)released <= DEEP_AHEAD_MOST)
        DUSK_TRY(dusk_generator_fork(&t->ahead.gen, gen, err));
    if (plan->correlation.way != DEEP_INDEPENDENT && !plan->plain)
        DUSK_TRY(deep_history_open(&t->history, &plan->correlation, released + 1, DEEP_PIECE, err));
    DUSK_TRY(open_allocation(t, err));
done:
    return status;
}

/* Coins of the rows of the sample: of the row and the step, under a key of their own. */
static dusk_status toss_coins(deep_run *t, uint64_t step, size_t count, dusk_error *err)
{
    t->sample.coin = t->coin;
    if (!t->coins || count == 0) return DUSK_OK;
    for (size_t i = 0; i < count; i++) t->unit[i] = t->draw.row[i];
    return dusk_keyed_words(t->coins, (uint32_t)step, t->unit, t->coin, count, err);
}

static const dusk_noise *noise_of(const deep_run *t, uint64_t step)
{
    const deep_plan *plan = t->plan;
    if (t->allocation.allowance) return &t->allocation.noise.gauss;
    if (t->descent.allowance) return &t->descent.noise.gauss;
    if (plan->stages == 0) return &plan->noise.gauss;
    return &plan->stage[DUSK_MUTATE(DEEP_LAST_STAGE_TOO_EARLY, deep_stage_of(step, plan->steps, plan->stages),
                                    plan->stages - 1)]
                .gauss;
}

static void set_sample(deep_run *t, size_t count)
{
    const size_t room = t->worker[0].pass.room, each = count / (2 * t->workers) + 1;
    deep_sample *s = &t->sample;
    s->row = t->draw.row;
    s->count = count;
    s->turn = each < TURN_LEAST ? TURN_LEAST : each;
    if (s->turn > room || t->workers == 1) s->turn = room;
    atomic_store(&s->next, 0);
}

static void share_out(deep_run *t, size_t count)
{
    set_sample(t, count);
    for (size_t k = 0; k < t->workers; k++) {
        deep_turns *w = &t->worker[k];
        w->sample = &t->sample;
        w->ahead = k > 0 && k + 1 == t->workers && t->ahead.gen ? &t->ahead : NULL;
        w->pass.parameters = t->parameters;
        w->moved = t->moved;
        w->pass.learned = t->carriers.carrier ? t->carriers.carrier : t->learned;
        if (t->plan->plain)
            deep_plain_reset(&w->plain);
        else
            deep_sum_reset(&w->sum, t->clip);
    }
}

/* The sum of clipped gradients of the sample, in the first worker; and with several threads the noise for it. */
static dusk_status add_up(deep_run *t, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    share_out(t, count);
    for (size_t k = 1; k < t->workers; k++) {
        deep_turns *w = &t->worker[k];
        w->started = pthread_create(&w->thread, NULL, deep_turns_work, w) == 0;
        if (!w->started) deep_turns_work(w);
    }
    deep_turns_work(&t->worker[0]);
    for (size_t k = 1; k < t->workers; k++)
        if (t->worker[k].started) pthread_join(t->worker[k].thread, NULL);
    for (size_t k = 0; k < t->workers; k++)
        if (t->worker[k].status != DUSK_OK) DUSK_TRY(dusk_fail_memory(err));
    for (size_t k = 1; k < t->workers; k++) {
        if (t->plan->plain)
            deep_plain_merge(&t->worker[0].plain, &t->worker[k].plain);
        else
            DUSK_TRY(deep_sum_merge(&t->worker[0].sum, &t->worker[k].sum, err));
    }
    if (t->ahead.status != DUSK_OK && err) *err = t->ahead.error;
    status = t->ahead.status;
done:
    return status;
}

static void set_optimiser(deep_run *t, uint64_t step)
{
    const deep_plan *plan = t->plan;
    const double noise = t->ahead.noise->scale * t->clip / plan->lot;
    const double part = deep_schedule_at(&plan->schedule, step, plan->steps);
    t->optimiser.rate = plan->rate * DUSK_MUTATE(DEEP_SCHEDULE_IS_IGNORED, part, 1);
    t->optimiser.noise_variance = deep_takes_noise_off(plan->method) && !plan->plain ? noise * noise : 0;
    t->optimiser.noise_variance *= DUSK_MUTATE(DEEP_MORE_NOISE_IS_TAKEN_OFF, 1, 4);
}

/* A step down the gradient that was released, as long as a sample of its own says. */
DUSK_PROVEN(descend)
static dusk_status descend(deep_run *t, uint64_t step, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t count = t->sample.count;
    if (DUSK_MUTATE(DEEP_CHOICE_BY_THE_SAME_ROWS, true, false))
        DUSK_TRY(learn_draw_take(&t->draw, 2 * step + 1, &count, err));
    set_sample(t, count);
    DUSK_TRY(deep_gains_step(&t->gains, &t->descent, t->learned, t->clip, t->clip / t->plan->lot, gen, err));
done:
    return status;
}

DUSK_PROVEN(take_step)
static dusk_status take_step(deep_run *t, uint64_t step, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const size_t n = deep_learned(plan);
    const uint64_t samples = t->descent.allowance ? 2 : 1; /* a step */
    size_t count;
    DUSK_TRY(learn_draw_take(&t->draw, samples * step, &count, err));
    if (DUSK_MUTATE(DEEP_EMPTY_SKIPPED, false, count == 0)) return DUSK_OK;
    if (DUSK_MUTATE(DEEP_SAMPLES_CUT_OFF, false, (double)count > 20 * plan->lot))
        count = (size_t)(20 * plan->lot);
    DUSK_TRY(toss_coins(t, step, count, err));
    if (t->moved)
        DUSK_TRY(deep_whole_move(t->moved, t->parameters, plan->net.parameters, plan->smooth,
                                 plan->smooth_radius, gen, err));
    if (t->allocation.allowance) DUSK_TRY(deep_allocation_begin(&t->allocation, step, err));
    t->ahead.noise = noise_of(t, step);
    DUSK_TRY(add_up(t, count, err));
    set_optimiser(t, step);
    deep_optimiser_begin(&t->optimiser);
    if (t->history.c) deep_history_begin(&t->history, step);
    if (plan->plain)
        deep_run_move_plainly(t);
    else
        DUSK_TRY(deep_run_release(t, step, &t->worker[0].sum, count, gen, err));
    if (t->descent.allowance) DUSK_TRY(descend(t, step, gen, err));
    if (DUSK_MUTATE(DEEP_START_IS_MOVED, false, t->start != NULL)) t->start[0] += (float)count;
    if (t->start) set_parameters(t, t->learned);
    for (size_t j = 0; t->averaged && j < n; j++)
        t->averaged[j] += (float)((1 - plan->average) * ((double)t->learned[j] - (double)t->averaged[j]));
done:
    return status;
}

/* Is there something that can be kept of so many steps, and be told of them? */
static bool is_end(const deep_run *t, uint64_t steps) { return steps % t->piece == 0 || steps == t->last; }

/* Is it to be told of? What lies between two ends is told of at the second. */
static bool is_observed(const deep_run *t, uint64_t steps)
{
    if (!is_end(t, steps) || !t->job->check_rows) return false;
    bool observed = learn_is_observed(t->job, steps);
    for (uint64_t back = 1; back < t->piece && back <= steps; back++)
        observed = observed || learn_is_observed(t->job, steps - back);
    return observed;
}

/* After `steps` steps; before anything is told of them, and after the last (checkpoint.proof.md). That there is a next step tells of this one where steps are looked at. */
static dusk_status keep(deep_run *t, uint64_t steps, dusk_error *err)
{
    learn_checkpoint *checkpoint = &t->job->checkpoint;
    const bool news = DUSK_MUTATE(DEEP_DESCENT_IS_KEPT_SELDOM, t->descent.allowance != NULL, false);
    const bool told = DUSK_MUTATE(DEEP_TOLD_BEFORE_KEPT, is_observed(t, steps), false);
    const bool made = steps == t->last;
    if (!t->state || !is_end(t, steps)) return DUSK_OK;
    if (!(told || made || news || steps == 0 || steps / checkpoint->every > t->kept / checkpoint->every))
        return DUSK_OK;
    t->kept = steps;
    const deep_state state = { steps,         t->clip,      t->learned,     t->averaged,
                               &t->optimiser, &t->carriers, &t->allocation, &t->descent };
    deep_state_pack(t->plan, &state, t->state);
    return learn_checkpoint_save(checkpoint, t->state, made, err);
}

/* How right the network would be on public rows if it were as it is now: made of what steps have released. */
static dusk_status tell(deep_run *t, uint64_t steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const dusk_field *label = t->job->label_field;
    deep_score score;
    if (!plan->check || !is_observed(t, steps)) return DUSK_OK;
    if (t->averaged && t->start) set_parameters(t, t->averaged); /* for so long */
    status =
        deep_check(&score, &plan->net, plan->loss, t->averaged && !t->start ? t->averaged : t->parameters,
                   plan->check, plan->threads, deep_training_room(plan), err);
    if (t->start) set_parameters(t, t->learned);
    DUSK_TRY(status);
    const double unit = label && label->kind == DUSK_FIELD_NUMERIC ? (label->upper - label->lower) / 2 : 1;
    learn_observe(t->job, &(dusk_train_point){ .step = steps,
                                               .steps = t->last,
                                               .loss = score.loss,
                                               .accuracy = score.right,
                                               .rmse = score.error * unit });
done:
    return status;
}

/* Nothing more is released: these steps are all. Which follows from releases. */
static dusk_status end_early(deep_run *t, uint64_t steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool told = is_observed(t, steps);
    t->last = t->job->steps = steps;
    if (DUSK_MUTATE(DEEP_EARLY_END_IS_NOT_KEPT, true, false)) DUSK_TRY(keep(t, steps, err));
    if (!told) DUSK_TRY(tell(t, steps, err));
done:
    return status;
}

dusk_status deep_train(learn_job *job, const deep_plan *plan, const deep_rows *rows, float *parameters,
                       const unsigned char *kept, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_run *t = NULL;
    uint64_t first = 0;
    DUSK_NEW(t, 1);
    *t = (deep_run){ .job = job, .plan = plan, .rows = rows, .parameters = parameters, .clip = plan->clip };
    t->last = job->steps = plan->steps;
    DUSK_TRY(open_training(t, kept != NULL, gen, err));
    if (t->averaged) memcpy(t->averaged, t->learned, deep_learned(plan) * sizeof *t->averaged);
    if (kept) {
        deep_state state = {
            0, 0, t->learned, t->averaged, &t->optimiser, &t->carriers, &t->allocation, &t->descent
        };
        deep_state_unpack(plan, &state, kept);
        set_parameters(t, t->learned);
        t->clip = state.clip;
        first = t->kept = state.steps;
        if (t->allocation.allowance) DUSK_TRY(deep_allocation_resume(&t->allocation, err));
        if (t->descent.allowance) DUSK_TRY(deep_descent_resume(&t->descent, err));
    }
    if (DUSK_MUTATE(DEEP_SETTLED_TOLD_BEFORE_KEPT, !kept, false)) DUSK_TRY(keep(t, 0, err));
    DUSK_TRY(tell(t, first, err));
    for (uint64_t step = first; step < t->last; step++) {
        bool goes_on = true;
        if (t->descent.allowance) DUSK_TRY(deep_descent_begin(&t->descent, &goes_on, err));
        if (!goes_on) {
            DUSK_TRY(end_early(t, step, err));
            break;
        }
        if (plan->directions > 0 && (step == first || step % plan->find_every == 0))
            DUSK_TRY(deep_subspace_find(&t->subspace, &plan->net, plan->loss, t->parameters,
                                        DUSK_MUTATE(DEEP_DIRECTIONS_BY_PRIVATE_ROWS, plan->open, t->rows),
                                        gen, err));
        if (t->carriers.carrier && step > 0)
            deep_carriers_find(&t->carriers, t->parameters, &t->worker[0].pass);
        DUSK_TRY(take_step(t, step, gen, err));
        if (DUSK_MUTATE(DEEP_STOPS_EARLY, false, 2 * t->worker[0].sum.within > t->sample.count)) break;
        DUSK_TRY(keep(t, step + 1, err));
        DUSK_TRY(tell(t, step + 1, err));
        learn_progress(job, (double)(step + 1) / (double)plan->steps);
    }
    if (DUSK_MUTATE(DEEP_AVERAGE_IS_IGNORED, t->averaged != NULL, false)) set_parameters(t, t->averaged);
    if (t->allocation.allowance && job->model) DUSK_TRY(deep_allocation_put(&t->allocation, job->model, err));
    if (t->descent.allowance && job->model) DUSK_TRY(deep_descent_put(&t->descent, job->model, err));
done:
    if (t) close_training(t);
    dusk_deallocate(t);
    return status;
}
