/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of a stream: options, calibration, the step, event and statement; see
 * stream.h for the way of a number. Every released sum gets independent noise once,
 * when its last step comes, from a pool drawn before the number of that step is looked
 * at; answers are made of noisy sums only. Proof: stream.proof.md. */
#include "mechanisms/stream.h"

#include <float.h>
#include <math.h>

#include "accounting/gaussian.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "numeric/rounding.h"
#include "random/noise_additive.h"

#define BATCH 256 /* draws at a time */

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
    if (o->length < 1 || o->length > DUSK_STREAM_LENGTH_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say how many steps there will be at most",
                         "length must be between 1 and 2^40");
    return DUSK_OK;
}

static dusk_status check_options(const dusk_stream_options *o, dusk_error *err)
{
    if (o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_stream_options_init first",
                         "the options were not initialised");
    if (o->method < DUSK_STREAM_TREE || o->method > DUSK_STREAM_HONAKER)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_STREAM_TREE or one of its kin",
                         "the method is not known");
    if (o->neighbours != DUSK_ADD_REMOVE && o->neighbours != DUSK_REPLACE_ONE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE or DUSK_REPLACE_ONE",
                         "neighbours must be set: it has no default");
    if (!(o->epsilon > 0 && isfinite(o->epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                         "epsilon must be finite and above 0");
    if (!(o->delta >= 0 && o->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for Laplace noise, or a small probability",
                         "delta must be at least 0 and below 1");
    return check_numbers(o, err);
}

/* --- calibration -------------------------------------------------------------------- */

/* How far one item can move the number of its step: never further than the numbers that
 * there can be are apart, 0 being one of them; and no further than declared, if clamping
 * leaves the 0 of a step without items where it is. */
DUSK_PROVEN(item_reach)
static double item_reach(const dusk_stream_options *o)
{
    double apart = dusk_sub_up(fmax(o->upper, 0), fmin(o->lower, 0));
    bool declared = o->sensitivity > 0 && o->lower <= 0 && o->upper >= 0;
    return declared ? fmin(o->sensitivity, apart) : apart;
}

static double largest_number(const dusk_stream_options *o) { return fmax(fabs(o->lower), fabs(o->upper)); }

/* The norm of one item of size 1 in all released sums: one node of each level. */
static double item_norm_up(const dusk_stream *s)
{
    return s->options.delta == 0 ? s->touched : dusk_sqrt_up(s->touched);
}

/* Noise scale over sensitivity. */
static double ratio_up(const dusk_stream_options *o)
{
    return o->delta == 0 ? dusk_div_up(1, o->epsilon) : dusk_gaussian_sigma_up(o->epsilon, o->delta);
}

/* Trees of whole numbers have whole noise. Otherwise the grid is so fine that rounding is
 * far below the noise, and coarse enough for every sum to stay below 2^79 steps. */
static int choose_grid(const dusk_stream *s, double ratio)
{
    const dusk_stream_options *o = &s->options;
    if (o->whole && o->method == DUSK_STREAM_TREE) return 0;
    double reach = item_reach(o) * o->items_per_unit;
    int largest = ilogb(largest_number(o)) + 1, length = (int)dusk_tree_levels(o->length);
    int grid = ilogb(fmin(fmax(reach * item_norm_up(s) * ratio, DBL_MIN), DBL_MAX)) - 52;
    if (grid < largest - 61) grid = largest - 61;
    if (grid < largest + length - (DUSK_TREE_WIDEST - 1)) grid = largest + length - (DUSK_TREE_WIDEST - 1);
    if (grid < ilogb(reach) - 57) grid = ilogb(reach) - 57;
    return o->whole && grid > 0 ? 0 : grid;
}

/* The numbers on the grid: each at most 2^62 steps, all together at most 2^79. What is
 * whole is cut to whole numbers, also where the grid of the noise is finer. */
DUSK_PROVEN(place)
static dusk_status place(dusk_stream *s, int grid, dusk_error *err)
{
    const dusk_stream_options *o = &s->options;
    s->clamp = (dusk_fixed_clamp){ o->lower, o->upper, o->whole ? 0 : grid };
    s->shift = (unsigned)(s->clamp.grid - grid);
    double largest = ldexp(largest_number(o), -grid);
    if (!(largest <= 0x1p62 && largest * (double)o->length <= ldexp(1, DUSK_TREE_WIDEST - 1)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds or a shorter stream",
                         "a sum of that many numbers within these bounds is too large");
    double items = o->items_per_unit * (o->neighbours == DUSK_REPLACE_ONE ? 2.0 : 1.0);
    double each = ceil(fmax(ldexp(item_reach(o), -s->clamp.grid), DBL_MIN));
    s->distance = ldexp(dusk_mul_up(items, each), (int)s->shift);
    if (!(s->distance <= 0x1p60))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare narrower bounds or fewer items a unit",
                         "one unit moves the sums by more than 2^60 steps of the grid");
    return DUSK_OK;
}

static dusk_noise_law law_of(const dusk_stream_options *o)
{
    if (o->delta > 0) return DUSK_GAUSSIAN;
    return o->whole && o->method == DUSK_STREAM_TREE ? DUSK_DISCRETE_LAPLACE : DUSK_LAPLACE;
}

DUSK_PROVEN(event_of)
static dusk_status event_of(const dusk_stream *s, const dusk_noise *noise, dusk_event *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event node;
    double steps = ldexp(noise->scale, -noise->grid), ratio = dusk_div_down(steps, s->distance);

    if (noise->law == DUSK_GAUSSIAN) return dusk_event_tree(out, ratio, UINT64_C(1) << (s->touched - 1), err);
    if (noise->law == DUSK_LAPLACE)
        DUSK_TRY(dusk_event_laplace(&node, ratio, err));
    else
        DUSK_TRY(dusk_event_discrete_laplace(&node, steps, (uint64_t)s->distance, err));
    DUSK_TRY(dusk_event_repeat(out, &node, s->touched, err));
done:
    return status;
}

/* The scale, raised until what an accountant says of the event is what was promised. */
DUSK_PROVEN(settle)
static dusk_status settle(dusk_stream *s, const dusk_noise *start, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noise trial = *start;
    for (double excess = 0x1p-52; excess <= 0x1p-20; excess *= 2) {
        dusk_event event;
        dusk_statement statement;
        DUSK_TRY(event_of(s, &trial, &event, err));
        DUSK_TRY(dusk_statement_init(&statement, &event, s->options.delta, s->options.neighbours,
                                     s->options.unit, err));
        if (statement.epsilon <= s->options.epsilon) {
            s->noise = trial;
            return DUSK_OK;
        }
        DUSK_TRY(dusk_noise_settle(&trial, dusk_mul_up(trial.scale, 1 + excess), err));
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "no scale was found that keeps epsilon %.17g, delta %.17g",
                     s->options.epsilon, s->options.delta);
done:
    return status;
}

static dusk_status calibrate(dusk_stream *s, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_stream_options *o = &s->options;
    double ratio = ratio_up(o), sensitivity;
    dusk_noise noise;

    if (grid == DUSK_GRID_DEFAULT) grid = choose_grid(s, ratio);
    DUSK_TRY(place(s, grid, err));
    sensitivity = ldexp(dusk_mul_up(s->distance, item_norm_up(s)), grid);
    DUSK_TRY(dusk_noise_start(&noise, law_of(o), 1, sensitivity, o->epsilon, o->delta, err));
    DUSK_TRY(dusk_noise_place(&noise, ratio, grid, err));
    noise.grid_sensitivity = noise.sensitivity; /* numbers are cut one by one: see place */
    DUSK_TRY(dusk_noise_settle(&noise, dusk_mul_up(sensitivity, ratio), err));
    DUSK_TRY(settle(s, &noise, err));
done:
    return status;
}

/* --- the handle ----------------------------------------------------------------------- */

static dusk_status start(dusk_stream *s, const dusk_stream_options *options, int grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    s->options = *options;
    s->window = options->window == 0 || options->window > options->length ? options->length : options->window;
    DUSK_TRY(
        dusk_tree_new(&s->tree, options->method == DUSK_STREAM_HONAKER, options->length, s->window, err));
    s->touched = DUSK_MUTATE(STREAM_LEVELS_OFF_BY_ONE, s->tree.levels, s->tree.levels - 1);
    DUSK_TRY(calibrate(s, grid, err));
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
    dusk_pool_clear(&stream->pool);
    dusk_wipe(stream, sizeof *stream);
    dusk_deallocate(stream);
}

uint64_t dusk_stream_steps(const dusk_stream *stream) { return stream->tree.steps; }

/* --- a step ------------------------------------------------------------------------------ */

/* At least `count` draws, before any number is looked at. */
static dusk_status draw(dusk_stream *s, size_t count, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool;
    if (s->pool.n - s->used >= count) return DUSK_OK;
    DUSK_TRY(dusk_pool_draw(&pool, &s->noise, count > s->batch ? count : s->batch, s->width, gen, err));
    dusk_pool_clear(&s->pool);
    s->pool = pool;
    s->used = 0;
done:
    return status;
}

/* NaN is a step in which nothing happened. */
static dusk_int128 steps_of(const dusk_stream *s, double number)
{
    dusk_int128 steps = dusk_fixed_round(number, &s->clamp) & -(int64_t)(number == number);
    return steps * ((dusk_int128)1 << s->shift);
}

/* Sums with noise end at +-2^80, so that no combination of them can wrap. */
static dusk_int128 add_noise(dusk_stream *s, dusk_int128 sum)
{
    const dusk_int128 most = (dusk_int128)1 << DUSK_TREE_WIDEST;
    dusk_int128 noisy = dusk_pool_add(&s->pool, s->used, sum);
    s->used += DUSK_MUTATE(STREAM_NODES_SHARE_NOISE, 1U, s->tree.steps % 2);
    return noisy > most ? most : noisy < -most ? -most : noisy;
}

/* Where the answer of the last step begins: it is the sum of steps from + 1 .. to. */
static uint64_t window_start(const dusk_stream *s, uint64_t to)
{
    return to > s->window ? to - s->window : 0;
}

static double answer(const dusk_stream *s)
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

DUSK_PROVEN(dusk_stream_release)
dusk_status dusk_stream_release(dusk_stream *stream, double *value, double number, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 sums[DUSK_TREE_LEVELS_MAX];
    unsigned first, count;

    if (stream->tree.steps == stream->options.length)
        return dusk_fail(err, DUSK_ERR_BUDGET, "start a new stream, which is charged again",
                         "all steps of this stream were taken");
    count = dusk_tree_closing(&stream->tree, &first);
    DUSK_TRY(draw(stream, count, gen, err));
    dusk_tree_add(&stream->tree, steps_of(stream, number), sums);
    for (unsigned j = first; j < first + count; j++) {
        uint64_t i = (stream->tree.steps >> j) - 1;
        dusk_int128 noisy = add_noise(stream, sums[j - first]);
        if (stream->options.method == DUSK_STREAM_HONAKER)
            dusk_honaker_close(&stream->tree, j, i, noisy);
        else
            *dusk_tree_node(&stream->tree, j, i) = noisy;
    }
    dusk_wipe(sums, sizeof sums);
    *value = answer(stream);
    *value +=
        DUSK_MUTATE(STREAM_NOISE_REDRAWN, 0, dusk_fixed_value(add_noise(stream, 0), stream->noise.grid));
done:
    return status;
}

/* --- what it says about itself ---------------------------------------------------------- */

dusk_status dusk_stream_event(const dusk_stream *stream, dusk_event *out, dusk_error *err)
{
    return event_of(stream, &stream->noise, out, err);
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
    dusk_text_number(&text, item_reach(o));
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
 * whole subtree: (h + 1 - j) levels of 2^(h-j) nodes with weights 2^j / (2^(h+1) - 1). */
static dusk_combination combine(const dusk_stream *s, uint64_t from, uint64_t to)
{
    bool honaker = s->options.method == DUSK_STREAM_HONAKER;
    dusk_combination c = { 0 };
    while (from < to) {
        unsigned level = dusk_tree_next_level(s->tree.levels, from, to);
        double share = honaker ? dusk_div_up(ldexp(1, (int)level), ldexp(2, (int)level) - 1) : 1;
        c.squares = dusk_add_up(c.squares, share);
        c.sizes = dusk_add_up(c.sizes, dusk_mul_up(share, honaker ? level + 1 : 1));
        c.largest = fmax(c.largest, share);
        c.equals += !honaker;
        from += UINT64_C(1) << level;
    }
    return c;
}

DUSK_PROVEN(dusk_stream_interval)
dusk_status dusk_stream_interval(const dusk_stream *stream, double *half_width, uint64_t step,
                                 double confidence, dusk_error *err)
{
    const dusk_noise *noise = &stream->noise;
    if (step < 1 || step > stream->options.length)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "steps count from 1", "there is no such step");
    if (!(confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a probability such as 0.95",
                         "confidence must be above 0 and below 1");
    uint64_t from = window_start(stream, step);
    dusk_combination c = combine(stream, from, step);
    double steps = dusk_combination_tail(&c, noise->law, ldexp(noise->scale, -noise->grid),
                                         dusk_sub_down(1, confidence));
    if (stream->options.method == DUSK_STREAM_HONAKER) steps = dusk_add_up(steps, 0x1p-40);
    if (!stream->options.whole) steps = dusk_add_up(steps, (double)(step - from)); /* numbers were cut */
    *half_width = ldexp(steps, noise->grid);
    return DUSK_OK;
}
