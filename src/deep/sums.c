/* SPDX-License-Identifier: Apache-2.0 */
/* Clipping and exact sums; see sums.h. The gradient g of an example, with the activations of outer layers as they were rounded, becomes
 * factor * g in steps, rounded to the nearest whole numbers: no longer than factor * |g| + slack. Proof: sums.proof.md. */
#include "deep/sums.h"

#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

#define PENDING_MOST 511
#define SHIFTER 0x1.8p52 /* rounds numbers below 2^51 to whole ones */
#define AUTOMATIC_OFFSET 0.01

/* --- squares ----------------------------------------------------------------------------------------------------- */

/* The sum of squares of floats, in an order that depends on n alone; wrong by less than (n / 16 + 32) 2^-53 of itself. */
DEEP_LANES
static double squares_of(const deep_real *x, size_t n)
{
    double lane[16] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 16; j++) lane[j] += (double)x[i + j] * (double)x[i + j];
    for (size_t j = 0; j < 16; j++) sum += lane[j];
    for (; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

/* The largest |x|; infinity when one of them is NaN. */
DEEP_LANES
static double largest_of(const deep_real *x, size_t n)
{
    deep_real most = 0;
    bool odd = false;
    for (size_t i = 0; i < n; i++) {
        const deep_real a = x[i] < 0 ? -x[i] : x[i];
        most = a > most ? a : most;
        odd |= a != a;
    }
    return odd ? (double)INFINITY : (double)most;
}

/* --- open and close ------------------------------------------------------------------------------------------------- */

static void wipe(void *room, size_t size)
{
    if (room) dusk_wipe(room, size);
    dusk_deallocate(room);
}

static void close_share(deep_sum *sum, size_t l)
{
    deep_share *share = &sum->share[l];
    for (size_t k = 0; k < share->outers; k++) {
        const deep_outer *o = &share->outer[k];
        wipe(o->left, sum->room * o->positions * o->rows * sizeof *o->left);
        wipe(o->right, sum->room * o->positions * o->columns * sizeof *o->right);
    }
    wipe(share->turned, share->turned_size * sizeof *share->turned);
    wipe(share->row, deep_size(sum->net->layer[l].in) * sizeof *share->row);
    deep_touched_close(&share->touched);
}

void deep_sum_close(deep_sum *sum)
{
    for (size_t l = 0; sum->share && l < sum->net->layers; l++) close_share(sum, l);
    dusk_deallocate(sum->share);
    wipe(sum->length, sum->groups * sizeof *sum->length);
    wipe(sum->gram, sum->gram_size * sizeof *sum->gram);
    wipe(sum->gram16, sum->gram_size * sizeof *sum->gram16);
    wipe(sum->made, sum->made_size * sizeof *sum->made);
    wipe(sum->whole, sum->whole_size * sizeof *sum->whole);
    wipe(sum->part, sum->numbers * sizeof *sum->part);
    wipe(sum->total, sum->numbers * sizeof *sum->total);
    wipe(sum->piece, DEEP_PIECE * sizeof *sum->piece);
    *sum = (deep_sum){ 0 };
}

/* All matrices of a layer as outer products, or none. */
static bool outer_wins(const deep_factors *f, size_t pairs)
{
    size_t wins = 0;
    for (size_t k = 0; k < pairs; k++) wins += deep_factors_win(f[k].positions, f[k].rows, f[k].columns);
    return pairs > 0 && wins == pairs;
}

static dusk_status open_outer(deep_sum *sum, deep_share *share, const deep_factors *f, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_outer *o = &share->outer[share->outers++];
    *o = (deep_outer){ .positions = f->positions,
                       .rows = f->rows,
                       .columns = f->columns + f->constant,
                       .place = share->place + f->first };
    DUSK_NEW(o->left, sum->room * o->positions * o->rows);
    DUSK_NEW(o->right, sum->room * o->positions * o->columns);
    if (f->positions > 1 && f->positions * f->positions > sum->gram_size)
        sum->gram_size = f->positions * f->positions;
done:
    return status;
}

/* Factors of example i: those of the kind, or of what is learned. */
static size_t factors_of(const deep_share *share, const deep_pass *pass, size_t l, size_t i,
                         deep_factors *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    if (share->tuned) return deep_tuned_factors(pass, l, i, share->turned, out);
    const bool alone =
        DUSK_MUTATE(DEEP_SHARED_IS_ALONE, !layer->shared, true); /* what is shared is added up as it is */
    return alone && layer->kind->factors ? layer->kind->factors(pass, l, i, out) : 0;
}

/* Room for the gradient by a layer of which a part is learned, or for factors of it. */
static dusk_status open_tuned(deep_sum *sum, const deep_pass *pass, size_t l, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_share *share = &sum->share[l];
    if (share->way == DEEP_OUTER) {
        share->turned_size = deep_tuned_room(pass, l);
        DUSK_NEW(share->turned, share->turned_size);
    } else if (sum->net->layer[l].parameters > sum->whole_size) {
        sum->whole_size = sum->net->layer[l].parameters;
    }
done:
    return status;
}

static dusk_status open_share(deep_sum *sum, const deep_pass *pass, size_t l, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_layer *layer = &sum->net->layer[l];
    deep_share *share = &sum->share[l];
    deep_factors f[DEEP_TUNED_PAIRS];
    const deep_part part = deep_part_of(pass->tuning, pass->net, l);
    *share = (deep_share){ .way = DEEP_NOTHING, .place = sum->numbers, .made = sum->made_size };
    share->group = sum->clipping == DEEP_CLIP_LAYERS ? sum->groups : 0;
    share->first = part.first;
    share->count = part.count;
    share->tuned = part.way != DEEP_TUNE_ALL;
    sum->learned += part.count;
    if (part.count == 0) return DUSK_OK;
    sum->groups += sum->clipping == DEEP_CLIP_LAYERS || sum->groups == 0;
    const size_t pairs = pass->given ? 0 : factors_of(share, pass, l, 0, f); /* given ones are direct */
    if (!pass->given && !share->tuned && !layer->shared && layer->kind->rows) {
        share->way = DEEP_ROWS;
        sum->made_size += deep_size(layer->out);
        deep_touched_open(&share->touched, layer->parameters / layer->out.channels, layer->out.channels);
        DUSK_NEW(share->row, deep_size(layer->in));
        if (!sum->piece) DUSK_NEW(sum->piece, DEEP_PIECE);
        return DUSK_OK;
    }
    share->way = outer_wins(f, pairs) ? DEEP_OUTER : DEEP_DIRECT;
    sum->numbers += share->count;
    if (share->way == DEEP_DIRECT) sum->made_size += share->count;
    if (share->tuned) DUSK_TRY(open_tuned(sum, pass, l, err));
    for (size_t k = 0; share->way == DEEP_OUTER && k < pairs; k++)
        DUSK_TRY(open_outer(sum, share, &f[k], err));
done:
    return status;
}

dusk_status deep_sum_open(deep_sum *out, const deep_pass *pass, deep_clipping clipping, double clip,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_net *net = pass->net;
    deep_sum sum = { .net = net, .room = pass->room, .clipping = clipping, .clip = clip };
    *out = (deep_sum){ 0 };
    DUSK_NEW(sum.share, net->layers);
    for (size_t l = 0; l < net->layers; l++) DUSK_TRY(open_share(&sum, pass, l, err));
    DUSK_NEW(sum.length, sum.groups);
    if (sum.gram_size > 0) {
        DUSK_NEW(sum.gram, sum.gram_size);
        DUSK_NEW(sum.gram16, sum.gram_size);
    }
    if (sum.made_size > 0) DUSK_NEW(sum.made, sum.made_size);
    if (sum.whole_size > 0) DUSK_NEW(sum.whole, sum.whole_size);
    if (sum.numbers > 0) {
        DUSK_NEW(sum.part, sum.numbers);
        DUSK_NEW(sum.total, sum.numbers);
    }
    deep_sum_reset(&sum, clip);
    *out = sum;
    sum = (deep_sum){ 0 };
done:
    deep_sum_close(&sum);
    return status;
}

void deep_sum_reset(deep_sum *sum, double clip)
{
    if (sum->numbers > 0) memset(sum->part, 0, sum->numbers * sizeof *sum->part);
    if (sum->numbers > 0) memset(sum->total, 0, sum->numbers * sizeof *sum->total);
    for (size_t l = 0; l < sum->net->layers; l++) deep_touched_reset(&sum->share[l].touched);
    sum->pending = 0;
    sum->within = 0;
    sum->clip = clip;
}

/* --- lengths -------------------------------------------------------------------------------------------------------- */

/* right (and the constant 1) to whole numbers, so that all positions together are at most 2^DEEP_RIGHT_BITS long; returns 1 over the
 * step. 0, and all zeros, when it cannot be. */
DUSK_PROVEN(round_right)
DEEP_LANES
static double round_right(const deep_factors *f, deep_short *out)
{
    double square = f->constant ? (double)f->positions : 0;
    int exponent;
    for (size_t t = 0; t < f->positions; t++) square += squares_of(f->right + t * f->right_step, f->columns);
    const size_t width = f->columns + f->constant;
    const bool fits = square > 0x1p-200 && square < 0x1p200;
    /* 2^(exponent - 1) <= length < 2^exponent; rounding adds at most half a step a number */
    if (fits) (void)frexp(sqrt(square), &exponent);
    const int bits = DUSK_MUTATE(DEEP_RIGHT_HAS_FEW_BITS, DEEP_RIGHT_BITS, 9);
    const double power = fits ? ldexp(1, bits - exponent) : 0;
    for (size_t t = 0; t < f->positions; t++, out += width) {
        const deep_real *x = f->right + t * f->right_step;
        for (size_t c = 0; fits && c < f->columns; c++)
            out[c] = (deep_short)(((double)x[c] * power + SHIFTER) - SHIFTER);
        for (size_t c = 0; !fits && c < f->columns; c++) out[c] = 0;
        if (f->constant) out[f->columns] = (deep_short)((power + SHIFTER) - SHIFTER);
    }
    return fits || square < 1 ? power : INFINITY; /* not a number, or too large */
}

/* |right_t|^2 as rounded: exact, at most 2^24. */
DEEP_LANES
static double right_squares(const deep_short *x, size_t n)
{
    deep_count sum = 0;
    for (size_t i = 0; i < n; i++) sum += (deep_count)x[i] * x[i];
    return (double)sum;
}

/* An upper bound of the squared length of sum over t of left_t right_t^T: the sum over t and u of (left_t left_u)(right_t right_u), the
 * first by floats with their error. `rights`: the sum of |right_t|. */
DUSK_PROVEN(ghost_square)
static double ghost_square(deep_sum *sum, deep_pass *pass, const deep_factors *f, const deep_short *right,
                           size_t width, double rights)
{
    const size_t n = f->positions;
    double square = 0, lengths = 0;
    memset(sum->gram16, 0, n * n * sizeof *sum->gram16);
    deep_gemm(pass->level, sum->gram, n, (deep_view){ f->left, f->left_step, 1 },
              (deep_view){ f->left, 1, f->left_step }, n, n, f->rows, false, &pass->gemm);
    deep_gemm16(pass->level, sum->gram16, n, (deep_view16){ right, width, 1 },
                (deep_view16){ right, 1, width }, n, n, width, &pass->gemm);
    const size_t step = DUSK_MUTATE(DEEP_GHOST_WITHOUT_CROSS_TERMS, 1, n + 1);
    const size_t all = DUSK_MUTATE(DEEP_GHOST_LOSES_A_POSITION, n * n, n * n - 1);
    for (size_t i = 0; i < all; i += step) square += (double)sum->gram[i] * (double)sum->gram16[i];
    for (size_t t = 0; t < n; t++)
        lengths +=
            sqrt(squares_of(f->left + t * f->left_step, f->rows) * right_squares(right + t * width, width));
    /* products too large for floats: -inf too, which may be there while those of a vector with itself are finite */
    if (DUSK_MUTATE(DEEP_OVERFLOW_FORGOTTEN, !(square > -INFINITY), false)) return (double)INFINITY;
    if (square < 0) square = 0;
    const double least =
        DUSK_MUTATE(DEEP_UNDERFLOW_FORGOTTEN, 0x1p-124, 0); /* floats are not as exact below */
    return square + ((double)f->rows + 2) * (DEEP_ULP * lengths * lengths + least * rights * rights);
}

static void measure_outer(deep_sum *sum, deep_pass *pass, size_t i, deep_outer *o, const deep_factors *f,
                          deep_length *length)
{
    deep_short *right = o->right + i * o->positions * o->columns;
    o->power = round_right(f, right);
    if (!isfinite(o->power)) length->square = INFINITY;
    const double least = o->power > 0 ? 1 / o->power : 0; /* a step of right */
    double square, rights = 0, largest = 0;
    for (size_t t = 0; t < o->positions; t++) {
        rights += sqrt(right_squares(right + t * o->columns, o->columns));
        largest = fmax(largest, largest_of(f->left + t * f->left_step, o->rows));
    }
    if (o->positions == 1)
        square = squares_of(f->left, o->rows) * right_squares(right, o->columns);
    else
        square = ghost_square(sum, pass, f, right, o->columns, rights);
    square *= least * least;
    length->square =
        DUSK_MUTATE(DEEP_FACTORS_CLIPPED_APART, length->square + square, fmax(length->square, square));
    length->slack += 0.25 * (double)o->rows * rights * rights;
    length->largest = fmax(length->largest, largest * least);
}

/* Numbers of the gradient of the example at hand that were made. */
static size_t made_of(const deep_layer *layer, const deep_share *share)
{
    return share->way == DEEP_ROWS ? share->rows * layer->out.channels : share->count;
}

static void measure(deep_sum *sum, deep_pass *pass, size_t i)
{
    for (size_t g = 0; g < sum->groups; g++) sum->length[g] = (deep_length){ 0 };
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_layer *layer = &sum->net->layer[l];
        deep_share *share = &sum->share[l];
        deep_length *length = &sum->length[share->group];
        deep_factors f[DEEP_TUNED_PAIRS];
        if (share->way == DEEP_NOTHING) continue;
        if (share->way == DEEP_OUTER) {
            (void)factors_of(share, pass, l, i, f);
            for (size_t k = 0; k < share->outers;
                 k += DUSK_MUTATE(DEEP_ONE_FACTOR_IS_MEASURED, 1, share->tuned ? 2 : 1))
                measure_outer(sum, pass, i, &share->outer[k], &f[k], length);
            continue;
        }
        deep_real *made = sum->made + share->made;
        if (share->way == DEEP_ROWS)
            share->rows = layer->kind->rows(pass, l, i, share->row, made);
        else if (share->tuned)
            deep_tuned_gradient(pass, l, i, sum->whole, made);
        else
            deep_gradient(pass, l, i, made);
        length->square += squares_of(made, made_of(layer, share));
        length->slack += 0.25 * (double)made_of(layer, share);
    }
}

/* What g of each group is multiplied by to be in steps, so that rounded it is at most DEEP_STEPS / sqrt(groups) long. */
DUSK_PROVEN(set_factors)
static void set_factors(deep_sum *sum, size_t examples)
{
    const double limit = DEEP_STEPS / sqrt((double)sum->groups) * (1 - 0x1p-30) *
                         DUSK_MUTATE(DEEP_CLIPS_THE_MEAN, 1, (double)examples);
    (void)examples;
    const double unit = DEEP_STEPS / sum->clip;
    bool within = true, numbers = true;
    for (size_t g = 0; g < sum->groups; g++) {
        deep_length *length = &sum->length[g];
        const double size = sqrt(length->square) * (1 + 0x1p-30);
        const double room = limit - DUSK_MUTATE(DEEP_SLACK_FORGOTTEN, sqrt(length->slack), 0);
        double factor = sum->clipping == DEEP_CLIP_AUTOMATIC ? limit / (size + AUTOMATIC_OFFSET) : unit;
        if (DUSK_MUTATE(DEEP_CLIPS_NOTHING, size * factor > room, false)) {
            factor = room / size;
            within = false;
        }
        if (length->largest * factor > DEEP_LEFT_MOST) factor = DEEP_LEFT_MOST / length->largest;
        const bool number = DUSK_MUTATE(DEEP_NAN_IS_KEPT, size < 0x1p100, true); /* false for NaN */
        factor *= DUSK_MUTATE(DEEP_GRADIENTS_ARE_SHORT, 1, 0.98);
        length->factor = number && room > 0 && factor < 0x1p200 ? factor : 0;
        numbers = numbers && number;
    }
    for (size_t g = 0; DUSK_MUTATE(DEEP_NAN_OF_ONE_LAYER, !numbers, false) && g < sum->groups; g++)
        sum->length[g].factor = 0;
    sum->within += within;
}

/* --- sums ----------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(round_left)
DEEP_LANES
static void round_left(const deep_factors *f, double factor, deep_short *out)
{
    for (size_t t = 0; t < f->positions; t++, out += f->rows) {
        const deep_real *x = f->left + t * f->left_step;
        for (size_t r = 0; factor > 0 && r < f->rows; r++)
            out[r] = (deep_short)(((double)x[r] * factor + SHIFTER) - SHIFTER);
        for (size_t r = 0; !(factor > 0) && r < f->rows; r++) out[r] = 0;
    }
}

DEEP_LANES
static void add_direct(deep_count *restrict part, const deep_real *restrict g, double factor, size_t n)
{
    if (!(factor > 0)) return;
    for (size_t j = 0; j < n; j++) part[j] += (deep_count)(((double)g[j] * factor + SHIFTER) - SHIFTER);
}

/* The rows that an example touched: whole numbers of at most 2^22, into 64 bits. */
static void add_rows(deep_share *share, const deep_real *g, double factor)
{
    const size_t width = share->touched.width;
    for (size_t k = 0; factor > 0 && k < share->rows; k++) {
        int64_t *total = deep_touched_row(&share->touched, share->row[k]);
        for (size_t j = 0; j < width; j++)
            total[j] += (int64_t)(((double)g[k * width + j] * factor + SHIFTER) - SHIFTER);
    }
}

static void add_example(deep_sum *sum, deep_pass *pass, size_t i)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        deep_share *share = &sum->share[l];
        deep_factors f[DEEP_TUNED_PAIRS];
        if (share->way == DEEP_NOTHING) continue;
        const double factor = sum->length[share->group].factor;
        if (share->way == DEEP_OUTER) (void)factors_of(share, pass, l, i, f);
        for (size_t k = 0; k < share->outers; k++) {
            const deep_outer *o = &share->outer[k];
            round_left(&f[k], o->power > 0 ? factor / o->power : 0, o->left + i * o->positions * o->rows);
        }
        if (share->way == DEEP_DIRECT)
            add_direct(sum->part + share->place, sum->made + share->made, factor, share->count);
        if (share->way == DEEP_ROWS) add_rows(share, sum->made + share->made, factor);
    }
}

DEEP_LANES
static void move_to_totals(deep_sum *sum)
{
    const bool forgotten = DUSK_MUTATE(DEEP_FLUSH_FORGOTTEN, false, sum->pending == PENDING_MOST);
    for (size_t j = 0; !forgotten && j < sum->numbers; j++) {
        sum->total[j] += (int64_t)sum->part[j];
        sum->part[j] = 0;
    }
    sum->pending = 0;
}

/* Outer layers of examples from `first` on. */
static void add_products(deep_sum *sum, deep_pass *pass, size_t first, size_t n)
{
    for (size_t l = 0; l < sum->net->layers; l++)
        for (size_t k = 0; k < sum->share[l].outers; k++) {
            const deep_outer *o = &sum->share[l].outer[k];
            const deep_short *left = o->left + first * o->positions * o->rows;
            const deep_short *right = o->right + first * o->positions * o->columns;
            deep_gemm16(pass->level, sum->part + o->place, o->columns, (deep_view16){ left, 1, o->rows },
                        (deep_view16){ right, o->columns, 1 }, o->rows, o->columns, n * o->positions,
                        &pass->gemm);
        }
}

/* Room for all rows that the examples of the pass may touch. */
static dusk_status make_room(deep_sum *sum, const deep_pass *pass, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t l = 0; l < sum->net->layers; l++)
        if (sum->share[l].way == DEEP_ROWS)
            DUSK_TRY(deep_touched_expect(&sum->share[l].touched,
                                         pass->examples * deep_size(sum->net->layer[l].in), err));
done:
    return status;
}

DUSK_PROVEN(deep_sum_add)
dusk_status deep_sum_add(deep_sum *sum, deep_pass *pass, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(make_room(sum, pass, err));
    for (size_t l = 0; l < sum->net->layers; l++)
        if (sum->share[l].turned) deep_tuned_prepare(pass, l, sum->share[l].turned);
    for (size_t first = 0; first < pass->examples;) {
        size_t n = pass->examples - first;
        if (sum->pending == PENDING_MOST) move_to_totals(sum);
        if (n > PENDING_MOST - sum->pending) n = PENDING_MOST - sum->pending;
        for (size_t i = first; i < first + n; i++) {
            measure(sum, pass, i);
            set_factors(sum, n);
            add_example(sum, pass, i);
        }
        add_products(sum, pass, first, n);
        sum->pending += n;
        first += n;
    }
done:
    return status;
}

dusk_status deep_sum_merge(deep_sum *sum, deep_sum *other, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t l = 0; l < sum->net->layers; l++)
        if (sum->share[l].way == DEEP_ROWS)
            DUSK_TRY(deep_touched_merge(&sum->share[l].touched, &other->share[l].touched, err));
    move_to_totals(other);
    for (size_t j = 0; j < sum->numbers; j++) sum->total[j] += other->total[j];
    sum->within += DUSK_MUTATE(DEEP_VOTES_OF_OTHERS_LOST, other->within, 0);
done:
    return status;
}

const int64_t *deep_sum_totals(deep_sum *sum, size_t first, size_t *n)
{
    const size_t layers = sum->net->layers;
    size_t l = 0, end;
    if (sum->pending > 0) move_to_totals(sum);
    while (first >= sum->share[l].first + sum->share[l].count) l++;
    deep_share *share = &sum->share[l];
    const size_t within = first - share->first;
    if (share->way == DEEP_ROWS) {
        const size_t left = share->count - within;
        if (*n > left) *n = left;
        if (*n > DEEP_PIECE) *n = DEEP_PIECE;
        deep_touched_copy(&share->touched, within, *n, sum->piece);
        return sum->piece;
    }
    for (end = l; end < layers && sum->share[end].way != DEEP_ROWS;) end++;
    const size_t stop = end < layers ? sum->share[end].first : sum->learned;
    if (*n > stop - first) *n = stop - first;
    return sum->total + share->place + within;
}
