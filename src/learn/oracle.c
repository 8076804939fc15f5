/* SPDX-License-Identifier: Apache-2.0 */
/* The discretised oracle method [Neel, Roth, Vietri & Wu 2020] for classifiers of few columns with a loss that is not convex: the ramp, which is the
 * hinge with an end, or plain errors. The objective on a lattice of weights gets a random linear term and is minimised exactly; only the place of
 * the minimum is released. It is private by a shift of the term, for which no convexity, smoothness or density is needed, but
 * the minimum has to be exact. An oracle that may fail would be part of the promise; this one looks at all points, in whole numbers.
 *
 * The paper gives the noise one number a column and brings all weights to one length by one more; its shift grows with the square of diameter over gap.
 * Here the noise has a number for every gap of every column. All points are equally long then, too, a shift needs one gap a column, and where
 * losses have a slope it shrinks with the lattice: each round has a lattice half as wide about the last choice, and noise to match.
 *
 * The shift depends on the point that is chosen, hence a delta buys nothing: noise is Laplacian. Proof: oracle.proof.md. */
#include "learn/oracle.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/classifier.h"
#include "learn/learner.h"
#include "learn/polynomial.h"
#include "mechanisms/noise.h"

enum { TOGETHER = 64, ROUNDS_MOST = 16, SIDES_LEAST = 2 };

/* --- the minimum --------------------------------------------------------------------------------------------------- */

DUSK_PROVEN(learn_oracle_shift)
double learn_oracle_shift(const learn_oracle *oracle)
{
    const double columns = (double)oracle->width;
    const double range = columns * DUSK_MUTATE(ORACLE_LOSS_IS_HALF, oracle->knee, ceil(oracle->knee / 2));
    const double slope = floor(ldexp(oracle->half * oracle->length, -LEARN_ORACLE_BITS)) + columns;
    const double sides = DUSK_MUTATE(ORACLE_SHIFTS_ONE_SIGN, (double)oracle->sides, 1);
    return oracle->ramp ? fmin(slope * sides, range) : range;
}

void learn_oracle_weights(const learn_oracle *oracle, size_t point, int64_t *out)
{
    size_t at[LEARN_ORACLE_WIDTH_MOST];
    learn_lattice_point(point, oracle->sides, oracle->width, at);
    for (size_t j = 0; j < oracle->width; j++)
        out[j] = oracle->centre[j] + (2 * (int64_t)at[j] - (int64_t)oracle->sides) * (int64_t)oracle->half;
}

/* The term at a point: noise times signs. */
static dusk_int128 term_of(const learn_oracle *oracle, size_t point, const dusk_int128 *noise)
{
    size_t at[LEARN_ORACLE_WIDTH_MOST];
    dusk_int128 sum = 0;
    learn_lattice_point(point, oracle->sides, oracle->width, at);
    for (size_t j = 0; j < oracle->width; j++)
        for (size_t t = 1; t <= oracle->sides; t++) {
            dusk_int128 one = noise[j * oracle->sides + t - 1];
            sum += t <= at[j] ? one : -one;
        }
    return sum;
}

/* The loss of one row, a whole number of steps of a product: from its margin, in such steps. */
DUSK_PROVEN(margin_loss)
static inline double margin_loss(double margin, double knee, bool ramp)
{
    if (!ramp) return margin > 0 ? 0 : 2 * knee;
    double loss = knee - margin;
    loss = loss > 0 ? loss : 0;
    return loss < 2 * knee ? loss : 2 * knee;
}

/* What a row's products are times to be its margins: 1 or -1 by its label, and 0 for a row that is too long. */
DUSK_PROVEN(row_sign)
static double row_sign(const learn_oracle *oracle, const learn_matrix *matrix, size_t row)
{
    double length = 0;
    for (size_t j = 0; j < oracle->width; j++)
        length += fabs((double)matrix->rows.x[row * oracle->width + j]);
    if (length > DUSK_MUTATE(ORACLE_ROWS_KEEP_LENGTH, oracle->length, INFINITY)) return 0;
    return matrix->code[row] == 1 ? 1 : -1;
}

typedef struct work {
    tensor_block block;
    double *weights, *product;
} work;

static dusk_status work_init(work *w, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(tensor_block_open(&w->block, &matrix->rows, err));
    DUSK_NEW(w->weights, TOGETHER * matrix->rows.width);
    DUSK_NEW(w->product, w->block.room * TOGETHER);
done:
    return status;
}

static void work_clear(work *w)
{
    if (w->product) dusk_wipe(w->product, w->block.room * TOGETHER * sizeof *w->product);
    dusk_deallocate(w->weights);
    dusk_deallocate(w->product);
    tensor_block_close(&w->block);
}

/* total[c] = the sum of the losses of all rows at the k points from `first` on. */
DUSK_PROVEN(add_losses)
static void add_losses(const learn_oracle *oracle, const learn_matrix *matrix, work *w, size_t first,
                       size_t k, int64_t *total)
{
    const double knee = ldexp(oracle->knee, LEARN_ORACLE_BITS);
    memset(total, 0, k * sizeof *total);
    for (size_t c = 0; c < k; c++) {
        int64_t at[LEARN_ORACLE_WIDTH_MOST];
        learn_oracle_weights(oracle, first + c, at);
        for (size_t j = 0; j < oracle->width; j++) w->weights[c * oracle->width + j] = (double)at[j];
    }
    while (tensor_block_next(&w->block)) {
        double sum[TOGETHER] = { 0 };
        tensor_block_multiply(&w->block, w->product, w->weights, k);
        for (size_t i = 0; i < w->block.rows; i++) {
            const double sign = row_sign(oracle, matrix, w->block.first + i);
            for (size_t c = 0; c < k; c++)
                sum[c] += margin_loss(sign * w->product[i * k + c], knee, oracle->ramp);
        }
        for (size_t c = 0; c < k; c++) total[c] += (int64_t)sum[c];
    }
}

DUSK_PROVEN(learn_oracle_minimise)
dusk_status learn_oracle_minimise(const learn_oracle *oracle, size_t *out, const learn_matrix *matrix,
                                  const dusk_int128 *noise, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t points = learn_lattice_points(oracle->sides, oracle->width, LEARN_ORACLE_POINTS_MOST);
    const size_t end = DUSK_MUTATE(ORACLE_STOPS_EARLY, points, points - points / 4);
    work w = { .weights = NULL };
    dusk_int128 least = 0;
    size_t best = 0;
    int64_t total[TOGETHER];
    DUSK_TRY(work_init(&w, matrix, err));
    for (size_t first = 0; first < end; first += TOGETHER) {
        size_t k = end - first < TOGETHER ? end - first : TOGETHER;
        add_losses(oracle, matrix, &w, first, k, total);
        for (size_t c = 0; c < k; c++) {
            dusk_int128 value =
                total[c] - term_of(oracle, first + c, noise) * ((dusk_int128)1 << LEARN_ORACLE_BITS);
            if (first + c == 0 || value < least) best = first + c, least = value;
        }
    }
    *out = best;
done:
    dusk_wipe(total, sizeof total);
    dusk_wipe(&least, sizeof least);
    work_clear(&w);
    return status;
}

/* --- plan ---------------------------------------------------------------------------------------------------------- */

typedef struct oracle_plan {
    learn_oracle oracle; /* but for half and centre */
    size_t rounds;
    double half[ROUNDS_MOST];
    dusk_noise noise[ROUNDS_MOST];
} oracle_plan;

/* How large the numbers of a row are together at most, in steps: a field adds 1 where bounds scale, and no row is longer than the
 * norm. Nothing rests on it (row_sign). */
static double row_length(const learn_job *job)
{
    const learn_features *f = &job->features;
    const double by_norm = ceil(sqrt((double)f->width) * f->bound * (1 + 0x1p-40));
    const double fields = (double)job->fields->count; /* the label is none, and the constant is one more */
    return job->scaling_is_paid ? by_norm : fmin(by_norm, fields * LEARN_ONE);
}

/* Noise of one round that costs `epsilon`. */
static dusk_status plan_noise(learn_job *job, dusk_noise *out, const learn_oracle *oracle, double shift,
                              double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!(shift / epsilon <= DUSK_POOL_NARROW_SCALE / 2))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give more epsilon, or ask for fewer rounds",
                         "an epsilon of %.3g a round is too little for a perturbed objective", epsilon);
    DUSK_TRY(dusk_discrete_laplace_init(out, (uint32_t)(oracle->width * oracle->sides),
                                        DUSK_MUTATE(ORACLE_SHIFT_IS_HALF, shift, ceil(shift / 2)), epsilon, 0,
                                        err));
    DUSK_TRY(dusk_noise_for_total(out, err));
    learn_say(job,
              "the weights of the least loss on a lattice of width %.4g, perturbed by noise of deviation "
              "%.4g, epsilon %s",
              ldexp(2 * oracle->half * (double)oracle->sides, -LEARN_ORACLE_BITS),
              M_SQRT2 * out->scale / LEARN_ONE, dusk_shown_up(epsilon, 4).text);
done:
    return status;
}

/* Noise of all rounds, which together cost `epsilon`: parts by the root of the shift, with which noise is least in all. */
DUSK_PROVEN(plan_rounds)
static dusk_status plan_rounds(learn_job *job, oracle_plan *p, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double shift[ROUNDS_MOST], parts = 0, half = learn_setting(job, "radius") / (double)p->oracle.sides;
    learn_oracle one = p->oracle;
    for (size_t r = 0; r < p->rounds; r++, half *= learn_setting(job, "shrink")) {
        one.half = p->half[r] = fmax(rint(ldexp(half, LEARN_ORACLE_BITS)), 1);
        shift[r] = learn_oracle_shift(&one) * DUSK_MUTATE(ORACLE_UNIT_HAS_ONE_ROW, job->budget.factor, 1);
        parts += sqrt(shift[r]);
    }
    for (size_t r = 0; r < p->rounds; r++) {
        one.half = p->half[r];
        DUSK_TRY(plan_noise(job, &p->noise[r], &one, shift[r],
                            epsilon * (1 - 0x1p-40) * sqrt(shift[r]) / parts, err));
    }
done:
    return status;
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    oracle_plan *p = NULL;
    double epsilon;
    DUSK_TRY(learn_plan_features(job, true, err));
    const size_t width = job->features.width, sides = (size_t)learn_setting(job, "sides");
    if (width > LEARN_ORACLE_WIDTH_MOST || !learn_lattice_points(sides, width, LEARN_ORACLE_POINTS_MOST))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name fewer columns, or use another learner",
                         "a lattice of %zu points a side has more than %d points for %zu columns, with the "
                         "constant",
                         sides + 1, LEARN_ORACLE_POINTS_MOST, width);
    DUSK_NEW(p, 1);
    job->plan = p;
    p->rounds = (size_t)learn_setting(job, "rounds");
    p->oracle = (learn_oracle){ .width = width,
                                .sides = sides,
                                .ramp = learn_choice(job, "loss") == 0,
                                .knee = rint(learn_setting(job, "knee") * LEARN_ONE),
                                .length = row_length(job) };
    DUSK_TRY(learn_budget_whole(&job->budget, &epsilon, 1, err));
    DUSK_TRY(plan_rounds(job, p, epsilon, err));
done:
    return status;
}

/* --- fit ----------------------------------------------------------------------------------------------------------- */

/* One round: `centre` becomes the point of the perturbed minimum. */
DUSK_PROVEN(choose)
static dusk_status choose(const oracle_plan *p, size_t round, int64_t *centre, const learn_matrix *matrix,
                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_oracle oracle = p->oracle;
    dusk_int128 *noise = NULL, *none = NULL;
    int64_t next[LEARN_ORACLE_WIDTH_MOST];
    const size_t n = oracle.width * oracle.sides;
    size_t chosen;
    oracle.half = p->half[round];
    oracle.centre = centre;
    DUSK_NEW(noise, n);
    DUSK_NEW(none, n);
    DUSK_TRY(dusk_noise_release_whole(&p->noise[round], noise, none, n, gen, err));
    DUSK_TRY(learn_oracle_minimise(&oracle, &chosen, matrix, noise, err));
    learn_oracle_weights(&oracle, chosen, next);
    memcpy(centre, next, oracle.width * sizeof *next);
done:
    if (noise) dusk_wipe(noise, n * sizeof *noise);
    dusk_deallocate(noise);
    dusk_deallocate(none);
    return status;
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const oracle_plan *p = job->plan;
    learn_matrix matrix = { .bound = 0 };
    int64_t centre[LEARN_ORACLE_WIDTH_MOST] = { 0 };
    double weights[LEARN_ORACLE_WIDTH_MOST];
    DUSK_TRY(learn_fit_features(job, &matrix, frame, gen, err));
    for (size_t round = 0; round < p->rounds; round++) {
        DUSK_TRY(choose(p, round, centre, &matrix, gen, err));
        learn_progress(job, (double)(round + 1) / (double)p->rounds);
    }
    for (size_t j = 0; j < p->oracle.width; j++) weights[j] = ldexp((double)centre[j], -LEARN_ORACLE_BITS);
    DUSK_TRY(learn_model_put(job->model, "weights", 1, p->oracle.width, weights, err));
done:
    learn_matrix_clear(&matrix);
    return status;
}

static const dusk_setting settings[] = {
    { "loss", "ramp", "ramp|errors", 0, 0, false, "the hinge with an end, or how many rows are wrong" },
    { "knee", "1", NULL, 0.01, 4, false, "margins from minus this to this are on the ramp" },
    { "sides", "2", NULL, SIDES_LEAST, 16, true, "of the lattice: one less than its points along a column" },
    { "rounds", "3", NULL, 1, ROUNDS_MOST, true, "choices, each on a smaller lattice about the last" },
    { "shrink", "0.5", NULL, 0.1, 1, false, "how much smaller it is" },
    { "radius", "4", NULL, 0.01, 16, false, "the first lattice goes from minus this to this" },
    LEARN_FEATURE_SETTINGS,
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_oracle_ramp = {
    .shown = { "oracle_ramp", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "classes by a loss with an end, the minimum of a perturbed objective, for few columns",
               "Neel, Roth, Vietri & Wu 2020", settings },
    .plan = plan,
    .fit = fit,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};
