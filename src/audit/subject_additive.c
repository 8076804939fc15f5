/* SPDX-License-Identifier: Apache-2.0 */
/* Added noise as subjects: Laplace noise and less of it than it takes, histograms, running
 * sums (DP-Sniper, Bichsel et al. 2021), Gaussian noise calibrated well and badly, and answers
 * with no noise, or with noise that depends on the data (DP-Auditorium, Kong et al. 2024). */
#include <math.h>

#include "audit/subject_kit.h"
#include "base/platform.h"

enum { BINS = 5, SUMS = 10, COPIES = 20, RECORDS = 4 };

/* Largest of |p_i - q_i|, and their sum. */
static double farthest(const double *p, const double *q, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(p[i] - q[i]));
    return largest;
}

static double distance(const double *p, const double *q, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(p[i] - q[i]);
    return sum;
}

/* --- Laplace noise on every number ---------------------------------------------------- */

/* parameter[0]: the scale, times 1/epsilon. */
static void prepare_laplace(audit_kit *kit)
{
    kit->scale[0] = kit->design->parameter[0] / kit->epsilon;
    audit_kit_flat_pair(kit, "0 and 1", 0, 1);
}

static void prepare_histogram(audit_kit *kit)
{
    static const double none[BINS] = { 0 }, one[BINS] = { 1 };
    kit->scale[0] = 1 / kit->epsilon;
    audit_kit_pair(kit, "one bin", none, one);
}

static void prepare_wrong_histogram(audit_kit *kit)
{
    prepare_histogram(kit);
    kit->scale[0] = kit->epsilon;
}

static dusk_status draw_laplace(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    size_t length = kit->design->outputs;
    (void)err;
    audit_laplace(&kit->coins, out, n * length, kit->scale[0]);
    for (; n-- > 0; out += length)
        for (size_t i = 0; i < length; i++) out[i] += input[i];
    return DUSK_OK;
}

static dusk_status laplace_density(void *context, double *out, const double *outputs, size_t n,
                                   const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    size_t length = kit->design->outputs;
    (void)err;
    for (size_t k = 0; k < n; k++, outputs += length)
        out[k] = -distance(outputs, input, length) / kit->scale[0];
    return DUSK_OK;
}

static double laplace_truth(audit_kit *kit, const double *p, const double *q)
{
    return distance(p, q, kit->design->inputs) / kit->scale[0];
}

/* --- one number, many times --------------------------------------------------------- */

static dusk_status draw_copies(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    (void)err;
    audit_laplace(&kit->coins, out, n * COPIES, kit->scale[0]);
    for (size_t i = 0; i < n * COPIES; i++) out[i] += input[0];
    return DUSK_OK;
}

static dusk_status copies_density(void *context, double *out, const double *outputs, size_t n,
                                  const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    (void)err;
    for (size_t k = 0; k < n; k++, outputs += COPIES) {
        double sum = 0;
        for (int i = 0; i < COPIES; i++) sum += fabs(outputs[i] - input[0]);
        out[k] = -sum / kit->scale[0];
    }
    return DUSK_OK;
}

static double copies_truth(audit_kit *kit, const double *p, const double *q)
{
    return COPIES * fabs(p[0] - q[0]) / kit->scale[0];
}

/* --- running sums -------------------------------------------------------------------- */

static void prepare_sums(audit_kit *kit)
{
    kit->scale[0] = 1 / kit->epsilon;
    audit_kit_flat_pair(kit, "all move", 0, 1);
}

static void prepare_sums_of_one(audit_kit *kit)
{
    static const double none[SUMS] = { 0 }, one[SUMS] = { 0, 0, 1 };
    kit->scale[0] = 1 / kit->epsilon;
    audit_kit_pair(kit, "the third moves", none, one);
}

static dusk_status draw_sums(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    (void)err;
    audit_laplace(&kit->coins, out, n * SUMS, kit->scale[0]);
    for (; n-- > 0; out += SUMS) {
        out[0] += input[0];
        for (int i = 1; i < SUMS; i++) out[i] += out[i - 1] + input[i];
    }
    return DUSK_OK;
}

static dusk_status sums_density(void *context, double *out, const double *outputs, size_t n,
                                const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    (void)err;
    for (size_t k = 0; k < n; k++, outputs += SUMS) {
        double sum = fabs(outputs[0] - input[0]);
        for (int i = 1; i < SUMS; i++) sum += fabs(outputs[i] - outputs[i - 1] - input[i]);
        out[k] = -sum / kit->scale[0];
    }
    return DUSK_OK;
}

/* --- Gaussian noise -------------------------------------------------------------------- */

static const double DELTA = 0.01;

static void prepare_gaussian(audit_kit *kit)
{
    kit->delta = DELTA;
    kit->scale[0] = audit_gaussian_sigma(kit->epsilon, DELTA);
    audit_kit_flat_pair(kit, "0 and 1", 0, 1);
}

/* Dwork & Roth 2014, theorem A.1: for epsilon <= 1 only. */
static double classic(double epsilon, double delta) { return sqrt(2 * log(1.25 / delta)) / epsilon; }

static void prepare_classic(audit_kit *kit)
{
    prepare_gaussian(kit);
    kit->scale[0] = classic(kit->epsilon, DELTA);
}

static void prepare_classic_beyond(audit_kit *kit)
{
    prepare_gaussian(kit);
    kit->epsilon = 10;
    kit->delta = 0.1;
    kit->scale[0] = classic(kit->epsilon, kit->delta);
}

static void prepare_wrong_delta(audit_kit *kit)
{
    prepare_gaussian(kit);
    kit->scale[0] = classic(kit->epsilon, 1);
}

static dusk_status draw_gaussian(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    (void)err;
    audit_gaussian(&kit->coins, out, n);
    for (size_t i = 0; i < n; i++) out[i] = input[0] + kit->scale[0] * out[i];
    return DUSK_OK;
}

static dusk_status gaussian_density(void *context, double *out, const double *outputs, size_t n,
                                    const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        double x = (outputs[i] - input[0]) / kit->scale[0];
        out[i] = -x * x / 2;
    }
    return DUSK_OK;
}

static double gaussian_truth(audit_kit *kit, const double *p, const double *q)
{
    double moved = farthest(p, q, 1);
    return moved > 0 ? audit_gaussian_epsilon(kit->scale[0] / moved, kit->delta) : 0;
}

/* --- no noise, and noise that tells ----------------------------------------------------- */

/* Records are numbers of [0, 1]; NaN: no such record. */
static size_t records(const double *input, double *sum)
{
    size_t count = 0;
    *sum = 0;
    for (int i = 0; i < RECORDS; i++)
        if (!isnan(input[i])) {
            *sum += input[i];
            count++;
        }
    return count;
}

static void prepare_records(audit_kit *kit)
{
    const double two[RECORDS] = { 1, 0, NAN, NAN }, one[RECORDS] = { 1, NAN, NAN, NAN };
    audit_kit_pair(kit, "one record less", two, one);
}

static dusk_status draw_count(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    double sum, count = (double)records(input, &sum);
    (void)context, (void)err;
    for (size_t i = 0; i < n; i++) out[i] = count;
    return DUSK_OK;
}

static dusk_status draw_mean(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    double sum, count = (double)records(input, &sum);
    (void)context, (void)err;
    for (size_t i = 0; i < n; i++) out[i] = count > 0 ? sum / count : 0;
    return DUSK_OK;
}

/* Noise for the sensitivity 1/count, the exact one. */
static dusk_status draw_noisy_mean(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    double sum, count = fmax(1, (double)records(input, &sum));
    (void)err;
    audit_laplace(&kit->coins, out, n, 1 / (count * kit->epsilon));
    for (size_t i = 0; i < n; i++) out[i] += sum / count;
    return DUSK_OK;
}

/* Without noise what is seen on one side cannot happen on the other; with noise of different
 * scales the ratio of the densities grows without bound on the side of the larger scale. */
static double endless(audit_kit *kit, const double *p, const double *q)
{
    double sum, left = (double)records(p, &sum), right = (double)records(q, &sum);
    bool noisy = kit->design->draw == draw_noisy_mean;
    return left < right || (left != right && !noisy) ? (double)INFINITY : 0;
}

/* --- the table ---------------------------------------------------------------------------- */

/* How a density is used: not at all where plain sets show the truth, as a score where it takes
 * many numbers together. Where the set that decides is too rare to be counted it is believed
 * (audit_design_open). */
#define BLACK_BOX DUSK_DENSITY_UNUSED
#define SCORE DUSK_DENSITY_SCORE

#define LAPLACE(share)                                                                                       \
    .inputs = 1, .outputs = 1, .prepare = prepare_laplace, .draw = draw_laplace, .density = BLACK_BOX,       \
    .log_density = laplace_density, .truth = laplace_truth, .parameter = { (share) }
static const audit_design laplace = { LAPLACE(1) }, laplace95 = { LAPLACE(0.95) },
                          laplace90 = { LAPLACE(0.90) }, laplace75 = { LAPLACE(0.75) },
                          laplace50 = { LAPLACE(0.50) };
/* A fault of one percent. On the half-line of all its ratio, P = 1/2 and Q = P e^-e, n draws a side
 * move the logarithm of the ratio by s/sqrt(n), s^2 = 1 + (1 - Q)/Q, and the bounds of an alarm of
 * 1e-6 take 4.9 (1 + sqrt((1 - Q)/Q))/sqrt(n) of it. At a claim of 0.1, where the fault is 0.00101,
 * 2^28 draws leave 4.2 standard deviations: it is missed once in 10^5. */
static const audit_design laplace99 = { LAPLACE(0.99), .draws = UINT64_C(1) << 28, .worth = 0.006 };

#define HISTOGRAM(prepares)                                                                                  \
    {                                                                                                        \
        .inputs = BINS, .outputs = BINS, .prepare = (prepares), .draw = draw_laplace,                        \
        .log_density = laplace_density, .truth = laplace_truth                                               \
    }
static const audit_design histogram = HISTOGRAM(prepare_histogram),
                          wrong_histogram = HISTOGRAM(prepare_wrong_histogram);

static const audit_design copies = { .inputs = 1,
                                     .outputs = COPIES,
                                     .prepare = prepare_laplace,
                                     .draw = draw_copies,
                                     .log_density = copies_density,
                                     .truth = copies_truth,
                                     .density = SCORE,
                                     .parameter = { COPIES } };

#define RUNNING_SUMS(prepares, use)                                                                          \
    {                                                                                                        \
        .inputs = SUMS, .outputs = SUMS, .prepare = (prepares), .draw = draw_sums, .density = (use),         \
        .log_density = sums_density, .truth = laplace_truth                                                  \
    }
static const audit_design prefix_sums = RUNNING_SUMS(prepare_sums, SCORE),
                          prefix_sums_of_one = RUNNING_SUMS(prepare_sums_of_one, SCORE);

#define GAUSSIAN(prepares, use)                                                                              \
    {                                                                                                        \
        .inputs = 1, .outputs = 1, .prepare = (prepares), .draw = draw_gaussian, .density = (use),           \
        .log_density = gaussian_density, .truth = gaussian_truth                                             \
    }
static const audit_design gaussian = GAUSSIAN(prepare_gaussian, BLACK_BOX),
                          gaussian_classic = GAUSSIAN(prepare_classic, BLACK_BOX),
                          gaussian_beyond = GAUSSIAN(prepare_classic_beyond, BLACK_BOX),
                          gaussian_wrong_delta = GAUSSIAN(prepare_wrong_delta, BLACK_BOX);

#define OF_RECORDS(draws)                                                                                    \
    {                                                                                                        \
        .inputs = RECORDS, .outputs = 1, .prepare = prepare_records, .draw = (draws), .truth = endless       \
    }
static const audit_design count = OF_RECORDS(draw_count), mean = OF_RECORDS(draw_mean),
                          noisy_mean = OF_RECORDS(draw_noisy_mean);

AUDIT_OPENS(laplace)
AUDIT_OPENS(laplace99)
AUDIT_OPENS(laplace95)
AUDIT_OPENS(laplace90)
AUDIT_OPENS(laplace75)
AUDIT_OPENS(laplace50)
AUDIT_OPENS(histogram)
AUDIT_OPENS(wrong_histogram)
AUDIT_OPENS(copies)
AUDIT_OPENS(prefix_sums)
AUDIT_OPENS(prefix_sums_of_one)
AUDIT_OPENS(gaussian)
AUDIT_OPENS(gaussian_classic)
AUDIT_OPENS(gaussian_beyond)
AUDIT_OPENS(gaussian_wrong_delta)
AUDIT_OPENS(count)
AUDIT_OPENS(mean)
AUDIT_OPENS(noisy_mean)

const audit_subject audit_additive_subjects[] = {
    AUDIT_ROW("laplace", "Laplace noise of scale 1/epsilon: right", open_laplace),
    AUDIT_ROW("laplace-99", "Laplace noise of 99 % of the scale: 1/0.99 of epsilon", open_laplace99),
    AUDIT_ROW("laplace-95", "Laplace noise of 95 % of the scale", open_laplace95),
    AUDIT_ROW("laplace-90", "Laplace noise of 90 % of the scale", open_laplace90),
    AUDIT_ROW("laplace-75", "Laplace noise of 75 % of the scale", open_laplace75),
    AUDIT_ROW("laplace-50", "Laplace noise of half the scale: twice epsilon", open_laplace50),
    AUDIT_ROW("laplace-parallel", "20 noisy copies of a number, epsilon/20 each: right", open_copies),
    AUDIT_ROW("noisy-hist1", "histogram with Laplace noise of scale 1/epsilon: right", open_histogram),
    AUDIT_ROW("noisy-hist2", "histogram with noise of scale epsilon: wrong for epsilon below 1",
              open_wrong_histogram),
    AUDIT_ROW("prefix-sum", "running sums, noise for one number although all ten move", open_prefix_sums),
    AUDIT_ROW("prefix-sum-one", "running sums of which one number moves: right", open_prefix_sums_of_one),
    AUDIT_ROW("gaussian", "Gaussian noise, least sigma for (epsilon, 0.01): right", open_gaussian),
    AUDIT_ROW("gaussian-classic", "Gaussian noise, sqrt(2 ln(1.25/delta))/epsilon: right up to epsilon 1",
              open_gaussian_classic),
    AUDIT_ROW("gaussian-classic-10", "the same formula for (10, 0.1), far beyond its range",
              open_gaussian_beyond),
    AUDIT_ROW("gaussian-wrong-delta", "the same formula with delta forgotten under the logarithm",
              open_gaussian_wrong_delta),
    AUDIT_ROW("exact-count", "a count without noise", open_count),
    AUDIT_ROW("exact-mean", "a mean without noise", open_mean),
    AUDIT_ROW("mean-exact-count", "a mean whose noise depends on the exact number of records",
              open_noisy_mean),
    AUDIT_LAST_ROW,
};
