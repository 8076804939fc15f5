/* SPDX-License-Identifier: Apache-2.0 */
/* Clipping and exact sums; see sums.h. The gradient g of an example, with the activations of outer layers as they were rounded, becomes
 * factor * g in steps, rounded to the nearest whole numbers: no longer than factor * |g| + slack. Proof: sums.proof.md. */
#include "deep/sums.h"

#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

#define PENDING_MOST 511
#define RIGHT_BITS 11 /* activations of an example are at most 2^RIGHT_BITS steps long */
#define LEFT_MOST 0x1p14
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

/* Of an example and a group of layers. */
typedef struct deep_length {
    double square;  /* an upper bound of |g|^2 */
    double slack;   /* of the squared length of what rounding to steps adds, in steps */
    double largest; /* factor times this must be at most LEFT_MOST: so that 16 bits hold it */
    double factor;
} deep_length;

static void wipe(void *room, size_t size)
{
    if (room) dusk_wipe(room, size);
    dusk_deallocate(room);
}

void deep_sum_close(deep_sum *sum)
{
    const deep_net *net = sum->net;
    for (size_t l = 0; net && sum->outer && l < net->layers; l++) {
        const deep_outer *o = &sum->outer[l];
        wipe(o->left, sum->room * o->positions * o->rows * sizeof *o->left);
        wipe(o->right, sum->room * o->positions * o->columns * sizeof *o->right);
    }
    dusk_deallocate(sum->outer);
    dusk_deallocate(sum->group);
    if (net) {
        wipe(sum->length, sum->groups * sizeof *sum->length);
        wipe(sum->power, net->layers * sizeof *sum->power);
        wipe(sum->gram, sum->gram_size * sizeof *sum->gram);
        wipe(sum->gram16, sum->gram_size * sizeof *sum->gram16);
        wipe(sum->direct, net->parameters * sizeof *sum->direct);
        wipe(sum->part, net->parameters * sizeof *sum->part);
        wipe(sum->total, net->parameters * sizeof *sum->total);
    }
    *sum = (deep_sum){ 0 };
}

static dusk_status open_layer(deep_sum *sum, const deep_pass *pass, size_t l, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_layer *layer = &sum->net->layer[l];
    deep_outer *o = &sum->outer[l];
    deep_factors f;
    sum->group[l] = sum->clipping == DEEP_CLIP_LAYERS ? sum->groups : 0;
    sum->groups += layer->parameters > 0 && (sum->clipping == DEEP_CLIP_LAYERS || sum->groups == 0);
    if (!layer->kind->factors || !layer->kind->factors(pass, l, 0, &f)) return DUSK_OK;
    if (!deep_factors_win(f.positions, f.rows, f.columns)) return DUSK_OK;
    *o = (deep_outer){ .positions = f.positions, .rows = f.rows, .columns = f.columns + f.constant };
    DUSK_NEW(o->left, sum->room * o->positions * o->rows);
    DUSK_NEW(o->right, sum->room * o->positions * o->columns);
    if (f.positions > 1 && f.positions * f.positions > sum->gram_size)
        sum->gram_size = f.positions * f.positions;
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
    DUSK_NEW(sum.group, net->layers);
    DUSK_NEW(sum.outer, net->layers);
    DUSK_NEW(sum.power, net->layers);
    for (size_t l = 0; l < net->layers; l++) DUSK_TRY(open_layer(&sum, pass, l, err));
    DUSK_NEW(sum.length, sum.groups);
    if (sum.gram_size > 0) {
        DUSK_NEW(sum.gram, sum.gram_size);
        DUSK_NEW(sum.gram16, sum.gram_size);
    }
    DUSK_NEW(sum.direct, net->parameters);
    DUSK_NEW(sum.part, net->parameters);
    DUSK_NEW(sum.total, net->parameters);
    *out = sum;
    sum = (deep_sum){ 0 };
done:
    deep_sum_close(&sum);
    return status;
}

void deep_sum_reset(deep_sum *sum, double clip)
{
    memset(sum->part, 0, sum->net->parameters * sizeof *sum->part);
    memset(sum->total, 0, sum->net->parameters * sizeof *sum->total);
    sum->pending = 0;
    sum->within = 0;
    sum->clip = clip;
}

/* --- lengths -------------------------------------------------------------------------------------------------------- */

/* right (and the constant 1) to whole numbers, so that all positions together are at most 2^RIGHT_BITS long; returns 1 over the
 * step. 0, and all zeros, when it cannot be. */
DUSK_PROVEN(round_right)
DEEP_LANES
static double round_right(const deep_factors *f, int16_t *out)
{
    double square = f->constant ? (double)f->positions : 0;
    int exponent;
    for (size_t t = 0; t < f->positions; t++) square += squares_of(f->right + t * f->right_step, f->columns);
    const size_t width = f->columns + f->constant;
    const bool fits = square > 0x1p-200 && square < 0x1p200;
    /* 2^(exponent - 1) <= length < 2^exponent; rounding adds at most half a step a number */
    if (fits) (void)frexp(sqrt(square), &exponent);
    const double power = fits ? ldexp(1, RIGHT_BITS - exponent) : 0;
    for (size_t t = 0; t < f->positions; t++, out += width) {
        const deep_real *x = f->right + t * f->right_step;
        for (size_t c = 0; fits && c < f->columns; c++)
            out[c] = (int16_t)(((double)x[c] * power + SHIFTER) - SHIFTER);
        for (size_t c = 0; !fits && c < f->columns; c++) out[c] = 0;
        if (f->constant) out[f->columns] = (int16_t)((power + SHIFTER) - SHIFTER);
    }
    return power;
}

/* |right_t|^2 as rounded: exact, at most 2^24. */
DEEP_LANES
static double right_squares(const int16_t *x, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (int32_t)x[i] * x[i];
    return (double)sum;
}

/* An upper bound of the squared length of sum over t of left_t right_t^T: the sum over t and u of (left_t left_u)(right_t right_u), the
 * first by floats with their error. `rights`: the sum of |right_t|. */
DUSK_PROVEN(ghost_square)
static double ghost_square(deep_sum *sum, deep_pass *pass, const deep_factors *f, const int16_t *right,
                           size_t width, double rights)
{
    const size_t n = f->positions;
    double square = 0, lengths = 0;
    memset(sum->gram16, 0, n * n * sizeof *sum->gram16);
    deep_gemm(pass->level, sum->gram, n, (deep_view){ f->left, f->left_step, 1 },
              (deep_view){ f->left, 1, f->left_step }, n, n, f->rows, false, &pass->gemm);
    tensor_gemm16(pass->level, sum->gram16, n, (tensor_view16){ right, width, 1 },
                  (tensor_view16){ right, 1, width }, n, n, width, &pass->gemm);
    const size_t step = DUSK_MUTATE(DEEP_GHOST_WITHOUT_CROSS_TERMS, 1, n + 1);
    for (size_t i = 0; i < n * n; i += step) square += (double)sum->gram[i] * (double)sum->gram16[i];
    for (size_t t = 0; t < n; t++)
        lengths +=
            sqrt(squares_of(f->left + t * f->left_step, f->rows) * right_squares(right + t * width, width));
    if (square < 0) square = 0; /* NaN, of products too large for floats, stays */
    const double least =
        DUSK_MUTATE(DEEP_UNDERFLOW_FORGOTTEN, 0x1p-124, 0); /* floats are not as exact below */
    return square + ((double)f->rows + 2) * (0x1p-23 * lengths * lengths + least * rights * rights);
}

static void measure_outer(deep_sum *sum, deep_pass *pass, size_t l, size_t i, deep_length *length)
{
    const deep_outer *o = &sum->outer[l];
    int16_t *right = o->right + i * o->positions * o->columns;
    deep_factors f;
    (void)pass->net->layer[l].kind->factors(pass, l, i, &f);
    const double power = sum->power[l] = round_right(&f, right);
    const double least = power > 0 ? 1 / power : 0; /* a step of right */
    double square, rights = 0, largest = 0;
    for (size_t t = 0; t < o->positions; t++) {
        rights += sqrt(right_squares(right + t * o->columns, o->columns));
        largest = fmax(largest, largest_of(f.left + t * f.left_step, o->rows));
    }
    if (o->positions == 1)
        square = squares_of(f.left, o->rows) * right_squares(right, o->columns);
    else
        square = ghost_square(sum, pass, &f, right, o->columns, rights);
    length->square += square * least * least;
    length->slack += 0.25 * (double)o->rows * rights * rights;
    length->largest = fmax(length->largest, largest * least);
}

static void measure(deep_sum *sum, deep_pass *pass, size_t i)
{
    for (size_t g = 0; g < sum->groups; g++) sum->length[g] = (deep_length){ 0 };
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_layer *layer = &sum->net->layer[l];
        deep_length *length = &sum->length[sum->group[l]];
        if (layer->parameters == 0) continue;
        if (sum->outer[l].positions > 0) {
            measure_outer(sum, pass, l, i, length);
        } else {
            layer->kind->gradient(pass, l, i, sum->direct + layer->first);
            length->square += squares_of(sum->direct + layer->first, layer->parameters);
            length->slack += 0.25 * (double)layer->parameters;
        }
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
    bool within = true;
    for (size_t g = 0; g < sum->groups; g++) {
        deep_length *length = &sum->length[g];
        const double size = sqrt(length->square) * (1 + 0x1p-30);
        const double room = limit - DUSK_MUTATE(DEEP_SLACK_FORGOTTEN, sqrt(length->slack), 0);
        double factor = sum->clipping == DEEP_CLIP_AUTOMATIC ? limit / (size + AUTOMATIC_OFFSET) : unit;
        if (DUSK_MUTATE(DEEP_CLIPS_NOTHING, size * factor > room, false)) {
            factor = room / size;
            within = false;
        }
        if (length->largest * factor > LEFT_MOST) factor = LEFT_MOST / length->largest;
        const bool fits = size < 0x1p100 && room > 0 && factor < 0x1p200; /* not when a number is NaN */
        length->factor = DUSK_MUTATE(DEEP_NAN_IS_KEPT, fits, true) ? factor : 0;
    }
    sum->within += within;
}

/* --- sums ----------------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(round_left)
DEEP_LANES
static void round_left(const deep_factors *f, double factor, int16_t *out)
{
    for (size_t t = 0; t < f->positions; t++, out += f->rows) {
        const deep_real *x = f->left + t * f->left_step;
        for (size_t r = 0; factor > 0 && r < f->rows; r++)
            out[r] = (int16_t)(((double)x[r] * factor + SHIFTER) - SHIFTER);
        for (size_t r = 0; !(factor > 0) && r < f->rows; r++) out[r] = 0;
    }
}

DEEP_LANES
static void add_direct(int32_t *restrict part, const deep_real *restrict g, double factor, size_t n)
{
    if (!(factor > 0)) return;
    for (size_t j = 0; j < n; j++) part[j] += (int32_t)(((double)g[j] * factor + SHIFTER) - SHIFTER);
}

static void add_example(deep_sum *sum, deep_pass *pass, size_t i)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_layer *layer = &sum->net->layer[l];
        const deep_outer *o = &sum->outer[l];
        if (layer->parameters == 0) continue;
        const double factor = sum->length[sum->group[l]].factor;
        if (o->positions > 0) {
            deep_factors f;
            (void)layer->kind->factors(pass, l, i, &f);
            round_left(&f, sum->power[l] > 0 ? factor / sum->power[l] : 0,
                       o->left + i * o->positions * o->rows);
        } else {
            add_direct(sum->part + layer->first, sum->direct + layer->first, factor, layer->parameters);
        }
    }
}

DEEP_LANES
static void move_to_totals(deep_sum *sum)
{
    const bool forgotten = DUSK_MUTATE(DEEP_FLUSH_FORGOTTEN, false, sum->pending == PENDING_MOST);
    for (size_t j = 0; !forgotten && j < sum->net->parameters; j++) {
        sum->total[j] += sum->part[j];
        sum->part[j] = 0;
    }
    sum->pending = 0;
}

/* Outer layers of examples from `first` on. */
static void add_products(deep_sum *sum, deep_pass *pass, size_t first, size_t n)
{
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_outer *o = &sum->outer[l];
        if (o->positions == 0) continue;
        const int16_t *left = o->left + first * o->positions * o->rows;
        const int16_t *right = o->right + first * o->positions * o->columns;
        tensor_gemm16(pass->level, sum->part + sum->net->layer[l].first, o->columns,
                      (tensor_view16){ left, 1, o->rows }, (tensor_view16){ right, o->columns, 1 }, o->rows,
                      o->columns, n * o->positions, &pass->gemm);
    }
}

DUSK_PROVEN(deep_sum_add)
void deep_sum_add(deep_sum *sum, deep_pass *pass)
{
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
}

void deep_sum_merge(deep_sum *sum, deep_sum *other)
{
    const int64_t *total = deep_sum_totals(other);
    for (size_t j = 0; j < sum->net->parameters; j++) sum->total[j] += total[j];
    sum->within += other->within;
}

const int64_t *deep_sum_totals(deep_sum *sum)
{
    move_to_totals(sum);
    return sum->total;
}
