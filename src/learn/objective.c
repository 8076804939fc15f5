/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of objectives, with a bound on the length of the true one. Proof: objective.proof.md. */
#include "learn/objective.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"

#define SATURATED ((dusk_int128)1 << 120)

double learn_strength_up(double strength)
{
    int exponent;
    (void)frexp(strength, &exponent);
    double up = ldexp(ceil(ldexp(strength, 23 - exponent)), exponent - 23);
    return up;
}

/* value 2^shift, rounded down; ends at +-2^120. */
static dusk_int128 shifted(dusk_int128 value, int shift)
{
    if (shift <= 0) return shift <= -127 ? (value < 0 ? -1 : 0) : value >> -shift;
    if (value == 0) return 0;
    if (shift >= 120 || value >= SATURATED >> shift) return value > 0 ? SATURATED : -SATURATED;
    return value <= -(SATURATED >> shift) ? -SATURATED : value * ((dusk_int128)1 << shift);
}

/* --- points ---------------------------------------------------------------------------------------------------------- */

dusk_status learn_point_init(learn_point *out, size_t cells, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_point point = { .cells = cells };
    *out = (learn_point){ 0 };
    DUSK_NEW(point.part, LEARN_LIMBS * cells);
    *out = point;
done:
    return status;
}

void learn_point_clear(learn_point *point)
{
    if (point->part) dusk_wipe(point->part, LEARN_LIMBS * point->cells * sizeof *point->part);
    dusk_deallocate(point->part);
    *point = (learn_point){ 0 };
}

/* Weight c in units of 2^(exponent - LEARN_LIMB_BITS (limbs - 1)): at most 2^36 in the first limb, so below 2^89. */
static dusk_int128 weight_units(const learn_point *point, size_t c, size_t limbs)
{
    dusk_int128 units = 0;
    for (size_t l = 0; l < limbs; l++)
        units = units * (1 << LEARN_LIMB_BITS) + (int64_t)point->part[l * point->cells + c];
    return units;
}

double learn_point_weight(const learn_point *point, size_t cell)
{
    return ldexp((double)weight_units(point, cell, LEARN_LIMBS),
                 point->exponent - LEARN_LIMB_BITS * (LEARN_LIMBS - 1));
}

DUSK_PROVEN(learn_point_steps)
void learn_point_steps(const learn_point *point, dusk_int128 *out, int grid)
{
    int shift = point->exponent - LEARN_LIMB_BITS * (LEARN_LIMBS - 1) - grid;
    for (size_t c = 0; c < point->cells; c++) {
        dusk_int128 units = weight_units(point, c, LEARN_LIMBS);
        if (shift < 0 && shift > -120) units += (dusk_int128)1 << (-shift - 1); /* to the nearest */
        out[c] = shift <= -120 ? 0 : shifted(units, shift);
    }
}

/* The exponent of a point: |row| |first limb| <= 2^52 for every output, and no number above 2^36. */
static int exponent_for(const learn_objective *objective, const double *hi)
{
    const size_t d = objective->matrix->rows.width;
    double most = 0x1p-60, root = sqrt((double)d);
    for (size_t j = 0; j < objective->outputs; j++) {
        double square = 0;
        for (size_t c = 0; c < d; c++) square += hi[j * d + c] * hi[j * d + c];
        most = fmax(most, sqrt(square));
    }
    double room =
        fmin(0x1p51 / fmax(objective->matrix->bound, 1), 0x1p35) - root; /* roundings move by 1/2 each */
    return (int)ceil(log2(most / room)) + 1;
}

DUSK_PROVEN(learn_point_set)
void learn_point_set(learn_point *point, const learn_objective *objective, const double *hi, const double *lo,
                     size_t limbs)
{
    const size_t cells = point->cells;
    point->exponent = exponent_for(objective, hi);
    memset(point->part, 0, LEARN_LIMBS * cells * sizeof *point->part);
    for (size_t c = 0; c < cells; c++) {
        double at = ldexp(hi[c], -point->exponent), rest = ldexp(lo[c], -point->exponent);
        for (size_t l = 0; l < limbs; l++) {
            double whole = rint(at + rest);
            point->part[l * cells + c] = whole;
            at = ldexp(at - whole, LEARN_LIMB_BITS);
            rest = ldexp(rest, LEARN_LIMB_BITS);
        }
    }
}

/* --- slopes ------------------------------------------------------------------------------------------------------------ */

/* How many digits a limb of slopes has: a limb times a number of a row is at most TENSOR_ROW_MOST, and the gradient of
 * 2^32 rows in units of the last digit is below 2^110. */
static int slope_bits(const learn_objective *objective, size_t limbs)
{
    int bits = 43 - (int)ceil(log2(fmax(objective->matrix->bound, 2))),
        most = limbs > 2 ? 18 : LEARN_LIMB_BITS;
    return bits < most ? bits : most;
}

/* The most that a slope computed below is wrong by, for margins that are one rounding off. */
DUSK_PROVEN(slope_error)
static double slope_error(const learn_loss *loss, size_t outputs)
{
    if (outputs > 1) return (20 + 2 * (double)outputs) * DUSK_UNIT;
    switch (loss->kind) {
    case LEARN_LOGISTIC: return 6 * DUSK_UNIT;
    case LEARN_HUBER_SVM: return (2 * (1 + loss->knee) / loss->knee + 4) * DUSK_UNIT;
    default: return 8 * DUSK_UNIT;
    }
}

/* What losses add up to: sum + ln(product), so that few logarithms are taken. Plain arithmetic; nothing rests on it. */
typedef struct loss_sum {
    double sum, product;
} loss_sum;

static void add_loss(loss_sum *losses, double loss, double factor)
{
    losses->sum += loss;
    losses->product *= factor;
    if (losses->product > 0x1p900) {
        losses->sum += log(losses->product);
        losses->product = 1;
    }
}

/* As in loss.c, but by functions whose errors are known. */
static double slope_of(const learn_loss *loss, double at, loss_sum *losses)
{
    const double h = loss->knee;
    if (loss->kind == LEARN_LOGISTIC) {
        double less = exp(-fabs(at));
        add_loss(losses, fmax(-at, 0), 1 + less);
        return at > 0 ? -less / (1 + less) : -1 / (1 + less);
    }
    add_loss(losses, learn_loss_value(loss, at), 1);
    return loss->kind == LEARN_HUBER_SVM ? -fmin(fmax((1 + h - at) / (2 * h), 0), 1) : fmin(fmax(at, -h), h);
}

/* Limbs of a number to a double: sum of z[l * stride] 2^(exponent - 26 l - LEARN_BITS). */
static double number_of(const double *z, size_t stride, size_t limbs, int exponent)
{
    double sum = z[(limbs - 1) * stride];
    for (size_t l = limbs - 1; l-- > 0;) sum = sum * 0x1p-26 + z[l * stride];
    return ldexp(sum, exponent - LEARN_BITS);
}

static void put_digits(double *out, size_t stride, size_t limbs, double slope, double scale)
{
    for (size_t l = 0; l < limbs; l++) {
        slope *= scale;
        double digit = rint(slope);
        out[l * stride] = digit;
        slope -= digit;
    }
}

/* The slope of a row by its score, times the sign of its label. */
static double slope_of_row(const learn_objective *objective, size_t row, double score, loss_sum *losses)
{
    const learn_matrix *matrix = objective->matrix;
    double sign = !objective->loss.margin || matrix->code[row] == 1 ? 1 : -1;
    double at = objective->loss.margin ? sign * score : score - (double)matrix->target[row] / LEARN_ONE;
    return sign * slope_of(&objective->loss, at, losses);
}

/* p - e_class. Scores enter as differences from the largest, which are formed limb by limb without an error. */
static void softmax_of_row(double *slopes, double *scratch, const double *z, size_t k, size_t limbs,
                           int exponent, size_t class, loss_sum *losses)
{
    size_t top = 0;
    double sum = 0;
    for (size_t j = 0; j < k; j++) slopes[j] = number_of(z + j, k, limbs, exponent);
    add_loss(losses, learn_softmax_value(slopes, k, class), 1);
    for (size_t j = 1; j < k; j++) top = slopes[j] > slopes[top] ? j : top;
    for (size_t j = 0; j < k; j++) {
        for (size_t l = 0; l < limbs; l++) scratch[l] = z[l * k + j] - z[l * k + top];
        slopes[j] = exp(number_of(scratch, 1, limbs, exponent));
        sum += slopes[j];
    }
    for (size_t j = 0; j < k; j++) slopes[j] = slopes[j] / sum - (j == class);
}

static void block_slopes(learn_certified *gradient, size_t limbs, int exponent)
{
    const learn_objective *objective = gradient->objective;
    const size_t k = objective->outputs;
    const double scale = ldexp(1, slope_bits(objective, limbs));
    loss_sum losses = { 0, 1 };
    for (size_t i = 0; i < gradient->block.rows; i++) {
        const double *z = gradient->margins + i * k * limbs;
        double *out = gradient->slopes + i * k * limbs, scratch[LEARN_LIMBS];
        size_t row = gradient->block.first + i;
        if (k == 1) {
            double score = number_of(z, 1, limbs, exponent);
            put_digits(out, 1, limbs, slope_of_row(objective, row, score, &losses), scale);
            continue;
        }
        double *p =
            gradient->slopes + gradient->block.room * k * LEARN_LIMBS; /* k numbers behind the block's */
        softmax_of_row(p, scratch, z, k, limbs, exponent, (size_t)objective->matrix->code[row], &losses);
        for (size_t j = 0; j < k; j++) put_digits(out + j, k, limbs, p[j], scale);
    }
    gradient->losses += losses.sum + log(losses.product);
}

/* --- gradients ----------------------------------------------------------------------------------------------------------- */

dusk_status learn_certified_init(learn_certified *out, const learn_objective *objective, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = objective->outputs;
    learn_certified gradient = { .objective = objective, .cells = k * objective->matrix->rows.width };

    *out = (learn_certified){ 0 };
    DUSK_TRY(tensor_block_open(&gradient.block, &objective->matrix->rows, err));
    DUSK_TRY(tensor_sum_init(&gradient.sum, LEARN_LIMBS * gradient.cells, err));
    DUSK_NEW(gradient.margins, gradient.block.room * k * LEARN_LIMBS);
    DUSK_NEW(gradient.slopes, gradient.block.room * k * LEARN_LIMBS + k);
    DUSK_NEW(gradient.value, gradient.cells);
    *out = gradient;
    gradient = (learn_certified){ 0 };
done:
    learn_certified_clear(&gradient);
    return status;
}

void learn_certified_clear(learn_certified *gradient)
{
    const size_t room =
        gradient->objective ? gradient->block.room * gradient->objective->outputs * LEARN_LIMBS : 0;
    if (gradient->margins) dusk_wipe(gradient->margins, room * sizeof *gradient->margins);
    if (gradient->slopes) dusk_wipe(gradient->slopes, room * sizeof *gradient->slopes);
    tensor_block_close(&gradient->block);
    tensor_sum_clear(&gradient->sum);
    if (gradient->value) dusk_wipe(gradient->value, gradient->cells * sizeof *gradient->value);
    dusk_deallocate(gradient->margins);
    dusk_deallocate(gradient->slopes);
    dusk_deallocate(gradient->value);
    *gradient = (learn_certified){ 0 };
}

static double smoothness_of(const learn_objective *objective)
{
    return objective->outputs > 1 ? LEARN_SOFTMAX_SMOOTHNESS : objective->loss.smoothness;
}

DUSK_PROVEN(learn_certified_error)
double learn_certified_error(const learn_objective *objective, int exponent, size_t limbs)
{
    const int bits = slope_bits(objective, limbs);
    const double k = (double)objective->outputs, n = (double)objective->matrix->rows.rows;
    const double cells = k * (double)objective->matrix->rows.width;
    double slope = slope_error(&objective->loss, objective->outputs) + ldexp(1, -bits * (int)limbs - 1) +
                   (limbs > 2 ? smoothness_of(objective) * ldexp(k, exponent - 41) : 0);
    double rows = n * slope * sqrt(k) * objective->matrix->bound / LEARN_ONE;
    return DUSK_MUTATE(OBJECTIVE_ROWS_HAVE_NO_ERROR, rows * (1 + 0x1p-20), 0) +
           2.5 * sqrt(cells) * ldexp(1, -LEARN_BITS - bits * (int)limbs);
}

double learn_certified_reachable(const learn_loss *loss, size_t outputs, double norm)
{
    double slope = slope_error(loss, outputs) + 2 * DUSK_UNIT;
    return 2 * LEARN_OBJECTIVE_ROWS * slope * sqrt((double)outputs) * norm * (1 + 0x1p-10);
}

/* The digits that were summed, the regularisation and the linear term, in units of 2^-unit. */
static dusk_int128 gradient_units(const learn_objective *objective, const learn_point *point,
                                  const dusk_int128 *totals, size_t c, size_t limbs, int unit)
{
    const int bits = slope_bits(objective, limbs);
    int exponent;
    double digits = frexp(objective->strength, &exponent);
    dusk_int128 sum = 0;
    for (size_t l = 0; l < limbs; l++) sum = sum * ((dusk_int128)1 << bits) + totals[l * point->cells + c];
    dusk_int128 pull = weight_units(point, c, limbs) * (int64_t)ldexp(digits, 24);
    pull = shifted(pull, exponent - 24 + point->exponent - LEARN_LIMB_BITS * (int)(limbs - 1) + unit);
    return sum + pull + (dusk_int128)ldexp(objective->linear[c], unit);
}

DUSK_PROVEN(learn_certified_at)
void learn_certified_at(learn_certified *gradient, const learn_point *point, size_t limbs)
{
    const learn_objective *objective = gradient->objective;
    const size_t k = limbs * objective->outputs;
    const int bits = slope_bits(objective, limbs), unit = LEARN_BITS + bits * (int)limbs;
    const double most = ldexp(fmax(objective->matrix->bound, 1), bits);
    double square = 0;

    gradient->losses = 0;
    tensor_sum_reset(&gradient->sum);
    while (tensor_block_next(&gradient->block)) {
        tensor_block_multiply(&gradient->block, gradient->margins, point->part, k);
        block_slopes(gradient, limbs, point->exponent);
        tensor_sum_combine(&gradient->sum, &gradient->block, gradient->slopes, k, most);
    }
    const dusk_int128 *totals = tensor_sum_totals(&gradient->sum);
    for (size_t c = 0; c < gradient->cells; c++) {
        dusk_int128 units = gradient_units(objective, point, totals, c, limbs, unit);
        gradient->value[c] = ldexp((double)units, -unit);
        square += gradient->value[c] * gradient->value[c];
    }
    gradient->length_up =
        sqrt(square) * (1 + 0x1p-20) + learn_certified_error(objective, point->exponent, limbs);
}
