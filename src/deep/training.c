/* SPDX-License-Identifier: Apache-2.0 */
/* The loop; see training.h. */
#include "deep/training.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/state.h"
#include "mechanisms/totals.h"

enum { ROOM_MOST = 256, TURN_LEAST = 32, THREADS_MOST = 64 };
#define AHEAD_MOST                                                                                           \
    ((size_t)1                                                                                               \
     << 23) /* noise is drawn ahead for so many parameters; for more it would take their memory twice */

/* --- a sample, and what one thread does of it ------------------------------------------------------------------------ */

/* Threads take turns of a few rows as long as there are some; who gets which makes no difference to a sum of whole numbers. */
typedef struct sample {
    const size_t *row;
    const uint64_t *coin; /* of each of them, or NULL */
    size_t count, turn;
    atomic_size_t next;
} sample;

/* Noise that one thread draws while the others begin. */
typedef struct noise_ahead {
    dusk_ahead draws;
    dusk_generator *gen;
    const dusk_noise *noise;
    dusk_status status;
    dusk_error error;
} noise_ahead;

typedef struct worker {
    const deep_plan *plan;
    const deep_rows *rows;
    sample *sample;
    noise_ahead *ahead; /* of the one that draws it; else NULL */
    deep_pass pass;
    deep_sum sum;
    deep_plain plain; /* instead, without privacy */
    int32_t *code;
    deep_real *number;
    uint64_t *coin;
    pthread_t thread;
    bool started;
    dusk_status status; /* of this step: it may fail by memory alone */
} worker;

static void worker_close(worker *w)
{
    deep_sum_close(&w->sum);
    deep_plain_close(&w->plain);
    if (w->code) dusk_wipe(w->code, w->pass.room * sizeof *w->code);
    if (w->number) dusk_wipe(w->number, w->pass.room * sizeof *w->number);
    if (w->coin) dusk_wipe(w->coin, w->pass.room * sizeof *w->coin);
    deep_pass_close(&w->pass);
    dusk_deallocate(w->code);
    dusk_deallocate(w->number);
    dusk_deallocate(w->coin);
}

static dusk_status worker_open(worker *w, const deep_plan *plan, const deep_rows *rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    w->plan = plan;
    w->rows = rows;
    DUSK_TRY(deep_pass_open(&w->pass, &plan->net, deep_pass_room(&plan->net, ROOM_MOST), err));
    DUSK_TRY(plan->plain ? deep_plain_open(&w->plain, &plan->net, err)
                         : deep_sum_open(&w->sum, &w->pass, plan->clipping, plan->clip, err));
    DUSK_NEW(w->code, w->pass.room);
    DUSK_NEW(w->number, w->pass.room);
    DUSK_NEW(w->coin, w->pass.room);
    w->pass.training = true;
    w->pass.coin = w->coin;
done:
    return status;
}

/* Rows of the sample from `first` on, `n` of them. */
static void add_turn(worker *w, size_t first, size_t n)
{
    const deep_wanted wanted = { w->code, w->number };
    const size_t size = deep_size(w->plan->net.in);
    deep_pass *pass = &w->pass;
    pass->examples = n;
    for (size_t i = 0; i < n; i++) {
        const size_t row = w->sample->row[first + i];
        deep_rows_take(w->rows, row, pass->value[0] + i * size);
        if (w->rows->code) w->code[i] = w->rows->code[row];
        if (w->rows->number) w->number[i] = w->rows->number[row];
        if (w->sample->coin) w->coin[i] = w->sample->coin[first + i];
    }
    deep_forward(pass);
    deep_loss_slopes(w->plan->loss, pass, &wanted);
    deep_backward(pass);
    if (w->plan->plain)
        deep_plain_add(&w->plain, pass);
    else
        w->status = deep_sum_add(&w->sum, pass, NULL);
}

static void *work(void *argument)
{
    worker *w = argument;
    sample *s = w->sample;
    noise_ahead *ahead = w->ahead;
    if (ahead) ahead->status = dusk_ahead_draw(&ahead->draws, ahead->noise, ahead->gen, &ahead->error);
    w->status = DUSK_OK;
    for (size_t first; w->status == DUSK_OK && (first = atomic_fetch_add(&s->next, s->turn)) < s->count;)
        add_turn(w, first, s->count - first < s->turn ? s->count - first : s->turn);
    return NULL;
}

/* --- training ---------------------------------------------------------------------------------------------------------- */

typedef struct training {
    learn_job *job;
    const deep_plan *plan;
    const deep_rows *rows;
    float *parameters, *averaged;
    worker worker[THREADS_MOST];
    size_t workers;
    sample sample;
    noise_ahead ahead; /* with several threads */
    learn_draw draw;
    dusk_keyed_coins *coins; /* of layers that toss them, or NULL */
    uint64_t *unit, *coin;   /* of each row of the sample: its number, and 64 of them */
    deep_optimiser optimiser;
    double clip;          /* of this step */
    deep_history history; /* where noise is correlated */
    unsigned char *state; /* to be kept */
    float gradient[DEEP_PIECE];
} training;

static void close_training(training *t)
{
    for (size_t k = 0; k < t->workers; k++) worker_close(&t->worker[k]);
    dusk_ahead_clear(&t->ahead.draws);
    dusk_generator_free(t->ahead.gen);
    learn_draw_close(&t->draw);
    deep_history_close(&t->history);
    dusk_keyed_free(t->coins);
    if (t->unit) dusk_wipe(t->unit, t->rows->rows * sizeof *t->unit);
    if (t->coin) dusk_wipe(t->coin, t->rows->rows * sizeof *t->coin);
    dusk_deallocate(t->unit);
    dusk_deallocate(t->coin);
    dusk_deallocate(t->averaged);
    dusk_deallocate(t->state);
    deep_optimiser_close(&t->optimiser);
}

static bool asks_for_coins(const deep_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        if (net->layer[l].kind->coins) return true;
    return false;
}

static dusk_status open_training(training *t, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const size_t n = plan->net.parameters;
    while (t->workers < plan->threads && t->workers < THREADS_MOST)
        DUSK_TRY(worker_open(&t->worker[t->workers++], plan, t->rows,
                             err)); /* counted, so that what it has is closed */
    if (asks_for_coins(&plan->net)) {
        DUSK_NEW(t->unit, t->rows->rows + 1);
        DUSK_NEW(t->coin, t->rows->rows + 1);
        DUSK_TRY(dusk_keyed_new(&t->coins, gen, err));
    }
    if (plan->average > 0) DUSK_NEW(t->averaged, n);
    if (t->job->checkpoint.open) DUSK_NEW(t->state, t->job->state_size);
    DUSK_TRY(learn_draw_open(&t->draw, &plan->sampler, t->rows->rows, gen, err));
    DUSK_TRY(deep_optimiser_open(&t->optimiser, plan->method, plan->momentum, n, err));
    t->optimiser.weight_decay = plan->weight_decay;
    if (t->workers > 1 && !plan->plain && n <= AHEAD_MOST)
        DUSK_TRY(dusk_generator_fork(&t->ahead.gen, gen, err));
    if (plan->correlation.way != DEEP_INDEPENDENT && !plan->plain)
        DUSK_TRY(deep_history_open(&t->history, &plan->correlation, n + 1, DEEP_PIECE, err));
done:
    return status;
}

/* Coins of the rows of the sample: of the row and the step, under a key of their own. */
static dusk_status toss_coins(training *t, uint64_t step, size_t count, dusk_error *err)
{
    t->sample.coin = t->coin;
    if (!t->coins || count == 0) return DUSK_OK;
    for (size_t i = 0; i < count; i++) t->unit[i] = t->draw.row[i];
    return dusk_keyed_words(t->coins, (uint32_t)step, t->unit, t->coin, count, err);
}

static const dusk_noise *noise_of(const deep_plan *plan, uint64_t step)
{
    if (plan->stages == 0) return &plan->noise.gauss;
    return &plan->stage[DUSK_MUTATE(DEEP_LAST_STAGE_TOO_EARLY, deep_stage_of(step, plan->steps, plan->stages),
                                    plan->stages - 1)]
                .gauss;
}

static void share_out(training *t, size_t count)
{
    const size_t room = t->worker[0].pass.room, each = count / (2 * t->workers) + 1;
    sample *s = &t->sample;
    s->row = t->draw.row;
    s->count = count;
    s->turn = each < TURN_LEAST ? TURN_LEAST : each;
    if (s->turn > room || t->workers == 1) s->turn = room;
    atomic_store(&s->next, 0);
    for (size_t k = 0; k < t->workers; k++) {
        worker *w = &t->worker[k];
        w->sample = s;
        w->ahead = k > 0 && k + 1 == t->workers && t->ahead.gen ? &t->ahead : NULL;
        w->pass.parameters = t->parameters;
        if (t->plan->plain)
            deep_plain_reset(&w->plain);
        else
            deep_sum_reset(&w->sum, t->clip);
    }
}

/* The sum of clipped gradients of the sample, in the first worker; and with several threads the noise for it. */
static dusk_status add_up(training *t, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    share_out(t, count);
    for (size_t k = 1; k < t->workers; k++) {
        worker *w = &t->worker[k];
        w->started = pthread_create(&w->thread, NULL, work, w) == 0;
        if (!w->started) work(w);
    }
    work(&t->worker[0]);
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

static void set_optimiser(training *t, uint64_t step)
{
    const deep_plan *plan = t->plan;
    const double noise = t->ahead.noise->scale * t->clip / plan->lot;
    t->optimiser.rate = plan->rate * deep_schedule_at(&plan->schedule, step, plan->steps);
    t->optimiser.noise_variance = plan->method == DEEP_ADAM_UNBIASED && !plan->plain ? noise * noise : 0;
}

/* Coordinates from `first` on of the release of a step, to estimates of the totals. */
static dusk_status release_piece(training *t, dusk_totals *totals, float *out, const int64_t *total,
                                 size_t first, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_history *history = t->history.c ? &t->history : NULL;
    if (history) total = deep_history_mix(history, total, first, n);
    DUSK_TRY(dusk_totals_release_floats(totals, out, total, n, gen, err));
    for (size_t j = 0; DUSK_MUTATE(DEEP_NO_NOISE, false, true) && j < n; j++)
        out[j] = (float)ldexp((double)total[j], DEEP_GRID);
    if (history) deep_history_undo(history, out, first, n);
done:
    return status;
}

/* Votes are the last coordinate of the totals. */
static dusk_status release_votes(training *t, dusk_totals *totals, size_t count, dusk_generator *gen,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    int64_t votes = deep_votes(t->worker[0].sum.within, count);
    float noisy;
    DUSK_TRY(release_piece(t, totals, &noisy, &votes, plan->net.parameters, 1, gen, err));
    t->clip = deep_next_clip(
        t->clip, DUSK_MUTATE(DEEP_CLIP_BY_PRIVATE_VOTES, (double)noisy, ldexp((double)votes, DEEP_GRID)),
        plan->lot, plan->quantile, plan->clip_rate);
done:
    dusk_wipe(&votes, sizeof votes);
    return status;
}

/* Totals with noise, piece by piece, and a step down each. */
static dusk_status release(training *t, deep_sum *sum, size_t count, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    (void)count; /* private: nothing is divided by it */
    const double unit = t->clip / DUSK_MUTATE(DEEP_DIVIDES_BY_WHAT_CAME, t->plan->lot, (double)count + 1);
    const size_t n = t->plan->net.parameters;
    dusk_totals totals;
    DUSK_TRY(dusk_totals_begin(&totals, t->ahead.noise, t->ahead.gen ? &t->ahead.draws : NULL, gen, err));
    for (size_t first = 0, size; first < n; first += size) {
        size = n - first < DEEP_PIECE ? n - first : DEEP_PIECE;
        const int64_t *total = deep_sum_totals(sum, first, &size);
        DUSK_TRY(release_piece(t, &totals, t->gradient, total, first, size, gen, err));
        deep_optimiser_move(&t->optimiser, t->parameters, t->gradient, unit, first, size);
    }
    if (t->plan->clipping == DEEP_CLIP_ADAPTIVE) DUSK_TRY(release_votes(t, &totals, count, gen, err));
done:
    return status;
}

DUSK_PROVEN(take_step)
static dusk_status take_step(training *t, uint64_t step, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_plan *plan = t->plan;
    const size_t n = plan->net.parameters;
    size_t count;
    DUSK_TRY(learn_draw_take(&t->draw, step, &count, err));
    if (DUSK_MUTATE(DEEP_EMPTY_SKIPPED, false, count == 0)) return DUSK_OK;
    DUSK_TRY(toss_coins(t, step, count, err));
    t->ahead.noise = noise_of(plan, step);
    DUSK_TRY(add_up(t, count, err));
    set_optimiser(t, step);
    deep_optimiser_begin(&t->optimiser);
    if (t->history.c) deep_history_begin(&t->history, step);
    if (plan->plain)
        deep_optimiser_move(&t->optimiser, t->parameters, t->worker[0].plain.total, 1 / plan->lot, 0, n);
    else
        DUSK_TRY(release(t, &t->worker[0].sum, count, gen, err));
    for (size_t j = 0; t->averaged && j < n; j++)
        t->averaged[j] += (float)((1 - plan->average) * ((double)t->parameters[j] - (double)t->averaged[j]));
done:
    return status;
}

/* After `steps` steps. */
static dusk_status keep(training *t, uint64_t steps, dusk_error *err)
{
    learn_checkpoint *checkpoint = &t->job->checkpoint;
    if (!t->state || steps % checkpoint->every != 0 || steps == t->plan->steps) return DUSK_OK;
    const deep_state state = { steps, t->clip, t->parameters, t->averaged, &t->optimiser };
    deep_state_pack(t->plan, &state, t->state);
    return learn_checkpoint_save(checkpoint, t->state, err);
}

dusk_status deep_train(learn_job *job, const deep_plan *plan, const deep_rows *rows, float *parameters,
                       const unsigned char *kept, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    training *t = NULL;
    uint64_t first = 0;
    DUSK_NEW(t, 1);
    *t = (training){ .job = job, .plan = plan, .rows = rows, .parameters = parameters, .clip = plan->clip };
    DUSK_TRY(open_training(t, gen, err));
    if (t->averaged) memcpy(t->averaged, parameters, plan->net.parameters * sizeof *parameters);
    if (kept) {
        deep_state state = { 0, 0, parameters, t->averaged, &t->optimiser };
        deep_state_unpack(plan, &state, kept);
        t->clip = state.clip;
        first = state.steps;
    }
    for (uint64_t step = first; step < plan->steps; step++) {
        DUSK_TRY(take_step(t, step, gen, err));
        DUSK_TRY(keep(t, step + 1, err));
        learn_progress(job, (double)(step + 1) / (double)plan->steps);
    }
    if (t->averaged) memcpy(parameters, t->averaged, plan->net.parameters * sizeof *parameters);
done:
    if (t) close_training(t);
    dusk_deallocate(t);
    return status;
}
