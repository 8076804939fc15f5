/* SPDX-License-Identifier: Apache-2.0 */
/* The minimiser of an objective, to a certified gradient. Steps are quasi-Newton (limited-memory BFGS [Nocedal 1980] about the
 * second derivative at some earlier point). Far away J itself must fall by them; once rounding hides how much it falls, the slope
 * along the step must not have turned, or the gradient must be shorter than ever, measured by the inverse of a matrix M that is above
 * every second derivative of J. Where they do not do it the step -M^-1 gradient of [Boehning & Lindsay 1988] does, always. So it
 * ends, whatever the rows are. Proof: minimum.proof.md.
 *
 * The search itself is plain arithmetic and may go anywhere: what is promised is the gradient at the point that is given
 * back. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/objective.h"

#define PAIRS 12     /* that BFGS remembers */
#define STALE 0.3    /* a gradient that falls by less makes the second derivative anew */
#define ARMIJO 1e-4  /* the part of what the slope says that J must fall by */
#define HIDDEN 1e-10 /* of J is lost in rounding */
#define HALVINGS 60  /* of a step, along which J is looked at */
#define SHORTER 0.9  /* a gradient that is so much shorter than ever before is progress */
#define MOST_STEPS 200000
#define SAMPLE 16         /* of so many rows one is in the sample that the search begins with */
#define LARGE 32768       /* rows from which there is a sample */
#define NEWTON_CELLS 2048 /* weights of several outputs up to which their second derivative is made */

typedef struct search {
    const learn_objective *objective;
    size_t cells, width, outputs;
    learn_certified gradient;
    learn_point point;
    size_t limbs;
    bool newton;          /* second derivatives are made at all */
    size_t side;          /* of `near`; 0: M is taken for it */
    double *curved;       /* a block of rows, times second derivatives */
    double *bound, *near; /* Cholesky factors of M, width * width, and of a second derivative */
    double *hi, *lo;      /* the point that is searched from */
    double *at, *step, *scratch;
    double *trial_hi, *trial_lo;
    double value, merit;    /* J there, about, and the length of its gradient in the norm of M^-1 */
    double least;           /* the least merit so far */
    bool close;             /* rounding hides how J falls */
    bool fresh;             /* `near` is of this point */
    bool warm;              /* the search begins near the minimum */
    double factor;          /* by which the gradient fell in the last step */
    double *moved, *turned; /* PAIRS * cells: differences of points and of gradients */
    double product[PAIRS];
    size_t pairs;
} search;

/* --- matrices -------------------------------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t n) { return cblas_ddot((int)n, a, 1, b, 1); }

/* x = M^-1 x, output by output. */
static void solve(const search *s, double *x)
{
    (void)LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (int)s->width, (int)s->outputs, s->bound, (int)s->width, x,
                         (int)s->width);
}

/* The same by the second derivative of some earlier point, where there is one. */
static void solve_near(const search *s, double *x)
{
    if (s->side == 0)
        solve(s, x);
    else
        (void)LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (int)s->side, 1, s->near, (int)s->side, x, (int)s->side);
}

/* The factor of a matrix of side `side` once the regularisation is on its diagonal; false when it has none. */
static bool factorise(const search *s, double *matrix, size_t side)
{
    for (size_t i = 0; i < side; i++) matrix[i * side + i] += s->objective->strength;
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)side, matrix, (int)side) == 0;
}

static double smoothness(const search *s)
{
    return s->outputs > 1 ? LEARN_SOFTMAX_SMOOTHNESS : s->objective->loss.smoothness;
}

/* M = smoothness X^T X + strength. */
static dusk_status make_bound(search *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double bound = fmax(s->objective->matrix->bound, 1);
    tensor_sum sum = { 0 };
    DUSK_TRY(tensor_sum_init(&sum, s->width * s->width, err));
    while (tensor_block_next(&s->gradient.block)) tensor_sum_gram(&sum, &s->gradient.block, bound * bound);
    const dusk_int128 *totals = tensor_sum_totals(&sum);
    for (size_t i = 0; i < s->width * s->width; i++)
        s->bound[i] = (double)totals[i] * smoothness(s) * ldexp(1, -2 * LEARN_BITS);
    if (!factorise(s, s->bound, s->width))
        status = dusk_fail(err, DUSK_ERR_INTERNAL, "", "a matrix above the identity has no factor");
done:
    tensor_sum_clear(&sum);
    return status;
}

/* The second derivative of row i of a block in outputs a and b. `scores` are those of the row, or its probabilities. */
static double curvature(const search *s, size_t i, const double *scores, size_t a, size_t b)
{
    const learn_matrix *matrix = s->objective->matrix;
    const size_t row = s->gradient.block.first + i;
    if (s->outputs > 1) return scores[a] * ((a == b) - scores[b]);
    if (!s->objective->loss.margin)
        return learn_loss_curvature(&s->objective->loss, scores[0] - (double)matrix->target[row] / LEARN_ONE);
    return learn_loss_curvature(&s->objective->loss, matrix->code[row] == 1 ? scores[0] : -scores[0]);
}

/* Scores of a block, or probabilities of classes. */
static void block_scores(search *s, double *out)
{
    const size_t k = s->outputs, rows = s->gradient.block.rows;
    tensor_block_multiply(&s->gradient.block, out, s->point.part, k);
    for (size_t i = 0; i < rows * k; i++) out[i] = ldexp(out[i], s->point.exponent - LEARN_BITS);
    for (size_t i = 0; k > 1 && i < rows; i++) learn_softmax(out + i * k, out + i * k, k);
}

/* Add the second derivatives of a block in outputs a and b. Plain sums: nothing rests on this matrix. */
static void add_block(search *s, const double *scores, size_t a, size_t b)
{
    const size_t d = s->width;
    const tensor_block *block = &s->gradient.block;
    for (size_t i = 0; i < block->rows; i++) {
        double weight = curvature(s, i, scores + i * s->outputs, a, b);
        for (size_t c = 0; c < d; c++) s->curved[i * d + c] = weight * block->x[i * d + c];
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)d, (int)d, (int)block->rows,
                ldexp(1, -2 * LEARN_BITS), block->x, (int)d, s->curved, (int)d, 1,
                s->near + a * d * s->cells + b * d, (int)s->cells);
}

/* The second derivative at s->point; M where it has no factor. */
static void renew(search *s)
{
    const size_t n = s->cells;
    double *scores = s->gradient.margins;
    memset(s->near, 0, n * n * sizeof *s->near);
    while (tensor_block_next(&s->gradient.block)) {
        block_scores(s, scores);
        for (size_t a = 0; a < s->outputs; a++)
            for (size_t b = 0; b <= a; b++) add_block(s, scores, a, b);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) s->near[j * n + i] = s->near[i * n + j];
    s->side = factorise(s, s->near, n) ? n : 0;
    s->pairs = 0;
    s->fresh = true;
}

/* --- steps -------------------------------------------------------------------------------------------------------------- */

/* The length of the gradient in the norm of M^-1. */
static double merit_of(search *s, const double *gradient)
{
    memcpy(s->scratch, gradient, s->cells * sizeof *gradient);
    solve(s, s->scratch);
    return sqrt(fmax(dot(s->scratch, gradient, s->cells), 0));
}

/* s->step = -(what BFGS takes for the inverse of the second derivative) * gradient, by two loops over the pairs. */
static void quasi_newton(search *s)
{
    const size_t n = s->cells, first = s->pairs > PAIRS ? s->pairs - PAIRS : 0;
    double part[PAIRS];
    for (size_t c = 0; c < n; c++) s->step[c] = -s->at[c];
    for (size_t k = s->pairs; k-- > first;) {
        size_t i = k % PAIRS;
        part[i] = dot(s->moved + i * n, s->step, n) / s->product[i];
        cblas_daxpy((int)n, -part[i], s->turned + i * n, 1, s->step, 1);
    }
    solve_near(s, s->step);
    for (size_t k = first; k < s->pairs; k++) {
        size_t i = k % PAIRS;
        double back = part[i] - dot(s->turned + i * n, s->step, n) / s->product[i];
        cblas_daxpy((int)n, back, s->moved + i * n, 1, s->step, 1);
    }
}

/* Look at the point one step on: hi + lo + size * step, in twice the digits of a double. */
static void look(search *s, double size)
{
    for (size_t c = 0; c < s->cells; c++) {
        double step = size * s->step[c], sum = s->hi[c] + step, part = sum - s->hi[c];
        double rest = (s->hi[c] - (sum - part)) + (step - part) + s->lo[c];
        s->trial_hi[c] = sum + rest;
        s->trial_lo[c] = rest - (s->trial_hi[c] - sum);
    }
    learn_point_set(&s->point, s->objective, s->trial_hi, s->trial_lo, s->limbs);
    learn_certified_at(&s->gradient, &s->point, s->limbs);
}

/* J where the last look went, about. */
static double value_of(const search *s)
{
    double sum = s->gradient.losses;
    for (size_t c = 0; c < s->cells; c++)
        sum += s->trial_hi[c] * (s->objective->strength / 2 * s->trial_hi[c] + s->objective->linear[c]);
    return sum;
}

/* Be where the last look went. */
static void settle(search *s)
{
    memcpy(s->hi, s->trial_hi, s->cells * sizeof *s->hi);
    memcpy(s->lo, s->trial_lo, s->cells * sizeof *s->lo);
    memcpy(s->at, s->gradient.value, s->cells * sizeof *s->at);
    s->value = value_of(s);
    s->merit = merit_of(s, s->at);
    s->least = fmin(s->least, s->merit);
}

/* The same, by a step: the factor by which the gradient fell. */
static double go(search *s, double size)
{
    const size_t n = s->cells, i = s->pairs % PAIRS;
    const double before = s->merit;
    for (size_t c = 0; c < n; c++) {
        s->moved[i * n + c] = size * s->step[c];
        s->turned[i * n + c] = s->gradient.value[c] - s->at[c];
    }
    s->product[i] = dot(s->moved + i * n, s->turned + i * n, n);
    if (s->product[i] > 0) s->pairs++;
    s->fresh = false;
    settle(s);
    s->factor = s->merit / before;
    return s->factor;
}

/* How many steps to go while J itself says whether it falls; 0: nowhere. */
static double size_by_value(search *s, double slope)
{
    for (double size = 1; size > 0x1p-30; size /= 2) {
        look(s, size);
        if (value_of(s) <= s->value + ARMIJO * size * slope) return size;
    }
    return 0;
}

/* The same once rounding hides it. J is convex: where its slope along the step is not yet above 0 it has fallen all the way, and the
 * slope is known to many digits. Or the gradient is shorter than ever. */
static double size_by_slope(search *s, double slope)
{
    double low = 0, high = 1, size = 1;
    for (int i = 0; i < HALVINGS; i++) {
        look(s, size);
        if (merit_of(s, s->gradient.value) <= SHORTER * s->least) return size;
        double there = dot(s->gradient.value, s->step, s->cells);
        if (there > 0)
            high = size;
        else if (size == 1 || there >= slope / 2)
            return size;
        else
            low = size;
        size = low + (high - low) / 2;
    }
    return 0;
}

/* One step; 1: none, and the second derivative is wanted first. */
static double advance(search *s)
{
    quasi_newton(s);
    double slope = dot(s->at, s->step, s->cells);
    if (!s->close && -slope <= HIDDEN * (1 + fabs(s->value))) {
        if (!s->fresh && s->newton && s->factor > STALE) return 1;
        s->close = true;
    }
    double size = !(slope < 0) ? 0 : s->close ? size_by_slope(s, slope) : size_by_value(s, slope);
    if (size > 0) return go(s, size);
    if (s->fresh || !s->newton) s->close = true;
    for (size_t c = 0; c < s->cells; c++) s->step[c] = -s->at[c];
    solve(s, s->step);
    look(s, 1);
    return go(s, 1);
}

/* --- the search ------------------------------------------------------------------------------------------------------------ */

static void end(search *s)
{
    if (s->curved) dusk_wipe(s->curved, s->gradient.block.room * s->width * sizeof *s->curved);
    double *part[] = { s->curved, s->bound,   s->near,     s->hi,       s->lo,    s->at,
                       s->step,   s->scratch, s->trial_hi, s->trial_lo, s->moved, s->turned };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) dusk_deallocate(part[i]);
    learn_certified_clear(&s->gradient);
    learn_point_clear(&s->point);
}

static dusk_status begin(search *s, const learn_objective *objective, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = objective->matrix->rows.width, n = d * objective->outputs;
    *s = (search){ .objective = objective,
                   .cells = n,
                   .width = d,
                   .outputs = objective->outputs,
                   .limbs = 1,
                   .least = INFINITY };
    DUSK_TRY(learn_certified_init(&s->gradient, objective, err));
    DUSK_TRY(learn_point_init(&s->point, n, err));
    DUSK_NEW(s->bound, d * d);
    DUSK_NEW(s->curved, s->gradient.block.room * d);
    s->newton = s->outputs == 1 || n <= NEWTON_CELLS;
    if (s->newton) DUSK_NEW(s->near, n * n);
    DUSK_NEW(s->hi, n);
    DUSK_NEW(s->lo, n);
    DUSK_NEW(s->at, n);
    DUSK_NEW(s->step, n);
    DUSK_NEW(s->scratch, n);
    DUSK_NEW(s->trial_hi, n);
    DUSK_NEW(s->trial_lo, n);
    DUSK_NEW(s->moved, PAIRS * n);
    DUSK_NEW(s->turned, PAIRS * n);
    DUSK_TRY(make_bound(s, err));
done:
    return status;
}

/* Look at the point itself, with as many limbs as there are now. */
static void look_here(search *s)
{
    memset(s->step, 0, s->cells * sizeof *s->step);
    look(s, 0);
    settle(s);
}

/* What the digits of weights and slopes do to a gradient, about. */
static double floor_of(const search *s)
{
    const learn_matrix *matrix = s->objective->matrix;
    double norm = matrix->bound / LEARN_ONE, n = (double)matrix->rows.rows;
    double curved = n * smoothness(s) * norm * norm + s->objective->strength;
    int last = s->point.exponent - LEARN_LIMB_BITS * (int)(s->limbs - 1);
    return learn_certified_error(s->objective, s->point.exponent, s->limbs) +
           curved * sqrt((double)s->cells) * ldexp(1, last);
}

static dusk_status descend(search *s, double gamma, dusk_error *err)
{
    look_here(s);
    if (s->warm && s->newton && s->gradient.length_up > gamma) renew(s);
    for (int steps = 0; s->gradient.length_up > gamma; steps++) {
        if (steps == MOST_STEPS)
            return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a strongly convex function has no minimum");
        if (s->limbs < LEARN_LIMBS && s->gradient.length_up <= fmax(4 * floor_of(s), gamma)) {
            s->limbs++;
            look_here(s);
            continue;
        }
        double factor = advance(s);
        if (factor > STALE && s->newton && s->gradient.length_up > gamma) renew(s);
    }
    return DUSK_OK;
}

/* Every SAMPLE-th row. */
static dusk_status take_sample(learn_matrix *out, const learn_matrix *all, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = all->rows.width, n = all->rows.rows / SAMPLE;
    learn_matrix sample = { .rows = { .width = d }, .bound = all->bound };
    float *x = NULL;

    *out = (learn_matrix){ 0 };
    DUSK_NEW(x, n * d);
    sample.rows.x = x;
    sample.rows.rows = n;
    if (all->code) DUSK_NEW(sample.code, n);
    if (all->target) DUSK_NEW(sample.target, n);
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * d, all->rows.x + i * SAMPLE * d, d * sizeof *x);
        if (all->code) sample.code[i] = all->code[i * SAMPLE];
        if (all->target) sample.target[i] = all->target[i * SAMPLE];
    }
    *out = sample;
    sample = (learn_matrix){ 0 };
done:
    learn_matrix_clear(&sample);
    return status;
}

/* Begin where a sample of the rows has its minimum: most steps are then taken with few rows. */
static dusk_status begin_warm(search *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_objective *all = s->objective;
    learn_matrix sample = { .bound = 0 };
    search few = { 0 };
    double *linear = NULL;

    DUSK_NEW(linear, s->cells);
    DUSK_TRY(take_sample(&sample, all->matrix, err));
    for (size_t c = 0; c < s->cells; c++) linear[c] = all->linear[c] / SAMPLE;
    const learn_objective part = { .matrix = &sample,
                                   .loss = all->loss,
                                   .outputs = all->outputs,
                                   .strength = learn_strength_up(all->strength / SAMPLE),
                                   .linear = linear };
    DUSK_TRY(begin(&few, &part, err));
    DUSK_TRY(descend(&few, 0.01 * sqrt((double)sample.rows.rows) * sample.bound / LEARN_ONE, err));
    memcpy(s->hi, few.trial_hi, s->cells * sizeof *s->hi);
    s->warm = true;
done:
    end(&few);
    learn_matrix_clear(&sample);
    if (linear) dusk_wipe(linear, s->cells * sizeof *linear);
    dusk_deallocate(linear);
    return status;
}

DUSK_PROVEN(learn_minimise)
dusk_status learn_minimise(const learn_objective *objective, learn_point *out, double gamma, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    search s = { 0 };

    *out = (learn_point){ 0 };
    if ((double)objective->matrix->rows.rows > LEARN_OBJECTIVE_ROWS) return dusk_fail_memory(err);
    for (size_t c = 0; c < objective->outputs * objective->matrix->rows.width; c++)
        if (!(fabs(objective->linear[c]) <= LEARN_OBJECTIVE_LINEAR_MOST))
            return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a linear term that is never drawn");
    DUSK_TRY(begin(&s, objective, err));
    if (objective->matrix->rows.rows >= LARGE) DUSK_TRY(begin_warm(&s, err));
    DUSK_TRY(descend(&s, gamma, err));
    *out = s.point;
    s.point = (learn_point){ 0 };
done:
    end(&s);
    return status;
}
