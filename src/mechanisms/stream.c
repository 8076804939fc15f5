/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of a stream: options, the step, statement and interval; see stream.h for
 * the way of a number, and stream_calibration.c for the noise. Every released sum gets independent noise once,
 * when its last step comes, from a pool drawn before the number of that step is looked
 * at; answers are made of noisy sums only. Proof: stream.proof.md. */
#include "mechanisms/stream.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "mechanisms/request.h"
#include "numeric/rounding.h"
#include "random/noise_additive.h"

#define BATCH 256 /* draws at a time */
#define KEPT_MAX (UINT64_C(1) << 26)

void dusk_stream_options_init(dusk_stream_options *options)
{
    *options = (dusk_stream_options){ .size = sizeof *options,
                                      .method = DUSK_STREAM_TREE,
                                      .lower = NAN,
                                      .upper = NAN,
                                      .items_per_unit = 1,
                                      .epsilon = NAN,
                                      .unit = "item" };
}

/* --- what was asked for ---------------------------------------------------------- */

static dusk_status check_numbers(const dusk_stream_options *o, dusk_error *err)
{
    if (!(isfinite(o->lower) && isfinite(o->upper) && o->lower < o->upper))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare bounds that do not come from the data",
                         "lower and upper must be finite, lower below upper");
    if (!(o->sensitivity >= 0 && isfinite(o->sensitivity)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 takes it from the bounds; for counts it is 1",
                         "sensitivity must be finite and not negative");
    if (o->items_per_unit < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how many items one unit may have",
                         "items_per_unit must be at least 1");
    if (dusk_stream_is_matrix(o) && o->length > DUSK_MATRIX_LENGTH_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take DUSK_STREAM_HONAKER, or begin anew from time to time",
                         "length must be at most 2^22 for this method");
    if (o->length > DUSK_STREAM_LENGTH_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 is for streams of any length",
                         "length must be at most 2^40");
    if (o->length == 0 && (dusk_stream_is_matrix(o) || o->keep || o->window > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "say how many steps there will be at most; 2^40 is enough for a window",
                         "length must be given for matrices, windows and keep");
    return DUSK_OK;
}

static dusk_status check_options(const dusk_stream_options *o, dusk_error *err)
{
    if (o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_stream_options_init first",
                         "the options were not initialised");
    if (o->method < DUSK_STREAM_TREE || o->method > DUSK_STREAM_BANDED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_STREAM_TREE or one of its kin",
                         "the method is not known");
    if (o->neighbours != DUSK_ADD_REMOVE && o->neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours must be set: it has no default");
    dusk_status status = dusk_request_epsilon(o->epsilon, err);
    if (status != DUSK_OK) return status;
    if (!(o->delta >= 0 && o->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for Laplace noise, or a small probability",
                         "delta must be at least 0 and below 1");
    if (dusk_stream_is_matrix(o) && o->delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta such as 1e-6, or take DUSK_STREAM_HONAKER",
                         "this method needs Gaussian noise: delta must be above 0");
    if (o->keep && (o->method != DUSK_STREAM_HONAKER || o->window > 0 || o->length > KEPT_MAX))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use DUSK_STREAM_HONAKER without a window",
                         "nodes are kept for one method only, and up to 2^26 steps");
    if (o->method == DUSK_STREAM_BANDED && (o->bands < 1 || o->bands > DUSK_MATRIX_BANDS_MAX))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take as many as the steps between items of one unit",
                         "bands must be between 1 and %d", DUSK_MATRIX_BANDS_MAX);
    return check_numbers(o, err);
}

bool dusk_stream_is_endless(const dusk_stream_options *options) { return options->length == 0; }

bool dusk_stream_is_matrix(const dusk_stream_options *options)
{
    return options->method == DUSK_STREAM_SQUARE_ROOT || options->method == DUSK_STREAM_BANDED;
}

/* --- the handle ----------------------------------------------------------------------- */

static dusk_status start(dusk_stream *s, const dusk_stream_options *options, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool endless = dusk_stream_is_endless(options);
    uint64_t length = endless ? DUSK_STREAM_LENGTH_MAX : options->length;
    s->options = *options;
    s->window = options->window == 0 || options->window > length ? length : options->window;
    if (dusk_stream_is_matrix(options)) {
        uint64_t bands = options->method == DUSK_STREAM_BANDED ? options->bands : length;
        DUSK_TRY(dusk_matrix_new(&s->matrix, length, bands, s->window, err));
    } else {
        DUSK_TRY(dusk_tree_new(&s->tree, options->method == DUSK_STREAM_HONAKER, options->keep, length,
                               s->window, err));
        if (endless)
            s->tree.steps = s->tree.levels = 1; /* levels rise with the epochs, and the noise with them */
        s->touched = DUSK_MUTATE(STREAM_LEVELS_OFF_BY_ONE, s->tree.levels, s->tree.levels - 1);
    }
    DUSK_TRY(dusk_stream_calibrate(s, grid, err)); /* refuses names that do not fit */
    if (options->unit) memcpy(s->unit, options->unit, strlen(options->unit));
    if (options->unit) s->options.unit = s->unit;
done:
    return status;
}

DUSK_PROVEN(dusk_stream_new_on)
dusk_status dusk_stream_new_on(dusk_stream **out, const dusk_stream_options *options, int grid,
                               unsigned width, size_t batch, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_stream *s = NULL;

    *out = NULL;
    DUSK_TRY(check_options(options, err));
    DUSK_NEW(s, 1);
    s->width = width;
    s->batch = batch;
    DUSK_TRY(start(s, options, grid, err));
    *out = s;
    s = NULL;
done:
    dusk_stream_free(s);
    return status;
}

dusk_status dusk_stream_new(dusk_stream **out, const dusk_stream_options *options, dusk_error *err)
{
    return dusk_stream_new_on(out, options, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, BATCH, err);
}

void dusk_stream_free(dusk_stream *stream)
{
    if (!stream) return;
    dusk_tree_free(&stream->tree);
    dusk_matrix_free(&stream->matrix);
    dusk_pool_clear(&stream->pool);
    dusk_wipe(stream, sizeof *stream);
    dusk_deallocate(stream);
}

/* Without a length a tree has a step 0. */
uint64_t dusk_stream_steps(const dusk_stream *stream)
{
    if (dusk_stream_is_matrix(&stream->options)) return stream->matrix.steps;
    return stream->tree.steps - dusk_stream_is_endless(&stream->options);
}

/* --- a step ------------------------------------------------------------------------------ */

/* At least `count` draws, before any number is looked at. */
static dusk_status draw(dusk_stream *s, size_t count, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool;
    if (s->pool.n - s->used >= count) return DUSK_OK;
    DUSK_TRY(dusk_pool_draw(&pool, &s->noise, count > s->batch ? count : s->batch, s->width, gen, err));
    /* an item is in one node of each level: how many there are in all is for the run */
    DUSK_RECORD(dusk_record_declare(pool.at, DUSK_RECORD_LINF, s->distance);)
    dusk_pool_clear(&s->pool);
    s->pool = pool;
    s->used = 0;
done:
    return status;
}

/* A new epoch has one level more, and more noise; what was drawn for the last is not used. */
DUSK_PROVEN(enter_epoch)
static void enter_epoch(dusk_stream *s)
{
    unsigned epoch = dusk_tree_epoch(s->tree.steps);
    if (s->tree.levels == epoch + 1) return;
    s->tree.levels = epoch + 1;
    s->noise.scale = DUSK_MUTATE(STREAM_EPOCH_NOISE_STAYS, dusk_stream_epoch_scale(s, epoch), s->noise.scale);
    dusk_pool_clear(&s->pool);
    s->used = 0;
}

/* NaN is a step in which nothing happened. */
static int64_t whole_of(const dusk_stream *s, double number)
{
    return dusk_fixed_round(number, &s->clamp) & -(int64_t)(number == number);
}

/* Sums with noise end at +-2^80, so that no combination of them can wrap. */
static dusk_int128 add_noise(dusk_stream *s, dusk_int128 sum)
{
    const dusk_int128 most = (dusk_int128)1 << DUSK_STREAM_WIDEST;
    dusk_int128 noisy = dusk_pool_add(&s->pool, s->used, sum);
    s->used += DUSK_MUTATE(STREAM_NODES_SHARE_NOISE, 1U, s->used % 2);
    return noisy > most ? most : noisy < -most ? -most : noisy;
}

/* Where an answer begins: it is the sum of steps from + 1 .. to of the tree. */
static uint64_t window_start(const dusk_stream *s, uint64_t to)
{
    if (dusk_stream_is_endless(&s->options)) return 1;
    return to > s->window ? to - s->window : 0;
}

static double tree_answer(const dusk_stream *s)
{
    uint64_t to = s->tree.steps, from = window_start(s, to);
    dusk_int128 sum = 0;
    if (s->options.method == DUSK_STREAM_HONAKER)
        return ldexp(dusk_honaker_sum(&s->tree, from, to), s->noise.grid);
    while (from < to) {
        unsigned level = dusk_tree_next_level(s->tree.levels, from, to);
        sum += *dusk_tree_node(&s->tree, level, from >> level);
        from += UINT64_C(1) << level;
    }
    return dusk_fixed_value(sum, s->noise.grid);
}

/* The sums of the tree that close now. */
static void step_tree(dusk_stream *s, int64_t number, unsigned first, unsigned count)
{
    dusk_int128 sums[DUSK_TREE_LEVELS_MAX];
    dusk_tree_add(&s->tree, number * ((dusk_int128)1 << s->shift), sums);
    for (unsigned j = first; j < first + count; j++) {
        uint64_t i = (s->tree.steps >> j) - 1;
        dusk_int128 noisy = add_noise(s, sums[j - first]);
        if (s->options.method == DUSK_STREAM_HONAKER)
            dusk_honaker_close(&s->tree, j, i, noisy);
        else
            *dusk_tree_node(&s->tree, j, i) = noisy;
    }
    dusk_wipe(sums, sizeof sums);
}

/* The next entry of C x with noise; what follows looks at nothing else. */
static void step_matrix(dusk_stream *s, int64_t number)
{
    dusk_int128 exact = dusk_matrix_add(&s->matrix, number), noisy = add_noise(s, exact);
    noisy -=
        DUSK_MUTATE(MATRIX_NOISE_COARSER_THAN_C, 0, (noisy - exact) & (((dusk_int128)1 << s->shift) - 1));
    dusk_matrix_estimate(&s->matrix, noisy);
}

static uint64_t most_steps(const dusk_stream_options *o)
{
    return dusk_stream_is_endless(o) ? DUSK_STREAM_LENGTH_MAX - 1 : o->length;
}

DUSK_PROVEN(dusk_stream_release)
dusk_status dusk_stream_release(dusk_stream *stream, double *value, double number, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool matrix = dusk_stream_is_matrix(&stream->options);
    unsigned first = 0, count = 1;

    if (dusk_stream_steps(stream) == most_steps(&stream->options))
        return dusk_fail(err, DUSK_ERR_BUDGET, "start a new stream, which is charged again",
                         "all steps of this stream were taken");
    if (dusk_stream_is_endless(&stream->options)) enter_epoch(stream);
    if (!matrix) count = dusk_tree_closing(&stream->tree, &first);
    DUSK_TRY(draw(stream, count, gen, err));
    if (matrix)
        step_matrix(stream, whole_of(stream, number));
    else
        step_tree(stream, whole_of(stream, number), first, count);
    *value = matrix ? dusk_fixed_value(stream->matrix.total, stream->noise.grid) : tree_answer(stream);
    *value +=
        DUSK_MUTATE(STREAM_NOISE_REDRAWN, 0, dusk_fixed_value(add_noise(stream, 0), stream->noise.grid));
done:
    return status;
}

/* --- what it says about itself ---------------------------------------------------------- */

dusk_status dusk_stream_event(const dusk_stream *stream, dusk_event *out, dusk_error *err)
{
    return dusk_stream_event_of(stream, &stream->noise, out, err);
}

/* Facts that the program cannot check. */
static dusk_status assume(const dusk_stream *s, dusk_statement *out, dusk_error *err)
{
    const dusk_stream_options *o = &s->options;
    char fact[224];
    dusk_text text;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "bounds ");
    dusk_text_number(&text, o->lower);
    dusk_text_add(&text, ":");
    dusk_text_number(&text, o->upper);
    dusk_text_add(&text, " declared; at most %u item%s a unit, each moves the number of its step by at most ",
                  o->items_per_unit, o->items_per_unit == 1 ? "" : "s");
    dusk_text_number(&text, dusk_stream_item_reach(o));
    if (o->separation > 1)
        dusk_text_add(&text, "; at least %llu steps apart", (unsigned long long)o->separation);
    return dusk_statement_assume(out, fact, err);
}

dusk_status dusk_stream_state(const dusk_stream *stream, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_stream_options *o = &stream->options;
    dusk_event event;
    dusk_statement made;

    DUSK_TRY(dusk_stream_event(stream, &event, err));
    DUSK_TRY(dusk_statement_init(&made, &event, o->delta, o->neighbours, o->unit, err));
    DUSK_TRY(assume(stream, &made, err));
    *out = made;
done:
    return status;
}

/* The weights of the noises in an answer. A node of Honaker's estimate has those of its
 * whole subtree: 2^(h-j) nodes of level j with weights 2^j / (2^(h+1) - 1). Noises of earlier
 * epochs are smaller: `scale` is that of the last. */
static dusk_combination combine_nodes(const dusk_stream *s, uint64_t from, uint64_t to, double scale)
{
    bool honaker = s->options.method == DUSK_STREAM_HONAKER, endless = dusk_stream_is_endless(&s->options);
    dusk_combination c = { 0 };
    while (from < to) {
        unsigned level = dusk_tree_next_level(endless ? DUSK_TREE_LEVELS_MAX : s->tree.levels, from, to);
        double share = honaker ? dusk_div_up(ldexp(1, (int)level), ldexp(2, (int)level) - 1) : 1, part = 1;
        if (endless) part = dusk_div_up(dusk_stream_epoch_scale(s, dusk_tree_epoch(from)), scale);
        c.squares = dusk_add_up(c.squares, dusk_mul_up(share, dusk_mul_up(part, part)));
        c.sizes = dusk_add_up(c.sizes, dusk_mul_up(share, honaker ? level + 1 : 1));
        c.largest = fmax(c.largest, dusk_mul_up(share, part));
        c.count += !honaker;
        from += UINT64_C(1) << level;
    }
    return c;
}

/* A row of A C^-1. Estimates are rounded to nearest, as the noise was: twice as many halves. */
static dusk_combination combine_row(const dusk_stream *s, uint64_t step)
{
    return (dusk_combination){ .squares = s->matrix.squares[step], .sizes = 2 * s->matrix.lengths[step] };
}

DUSK_PROVEN(dusk_stream_interval)
dusk_status dusk_stream_interval(const dusk_stream *stream, double *half_width, uint64_t step,
                                 double confidence, dusk_error *err)
{
    const dusk_noise *noise = &stream->noise;
    if (step < 1 || step > most_steps(&stream->options))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "steps count from 1", "there is no such step");
    dusk_status status = dusk_request_confidence(confidence, err);
    if (status != DUSK_OK) return status;
    bool matrix = dusk_stream_is_matrix(&stream->options), endless = dusk_stream_is_endless(&stream->options);
    uint64_t to = step + endless, from = window_start(stream, to);
    double scale = endless ? dusk_stream_epoch_scale(stream, dusk_tree_epoch(step)) : noise->scale;
    dusk_combination c = matrix ? combine_row(stream, step) : combine_nodes(stream, from, to, scale);
    double steps =
        dusk_combination_tail(&c, noise->law, ldexp(scale, -noise->grid), dusk_sub_down(1, confidence));
    if (stream->options.method == DUSK_STREAM_HONAKER) steps = dusk_add_up(steps, 0x1p-40);
    if (!stream->options.whole) /* numbers were cut */
        steps = dusk_add_up(steps, ldexp((double)(to - from), (int)stream->shift));
    *half_width = ldexp(steps, noise->grid);
    return DUSK_OK;
}
