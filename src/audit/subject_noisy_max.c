/* SPDX-License-Identifier: Apache-2.0 */
/* Choices as subjects: report noisy max in the four forms of Ding et al. 2018, with the gap
 * (Ding, Wang, Zhang & Kifer 2019), and the exponential mechanism (McSherry & Talwar 2007).
 * Five scores that each move by at most 1. */
#include <math.h>

#include "audit/subject_kit.h"

enum { SCORES = 5 };

/* parameter[0]: 1 where the noise is exponential. */
static bool one_sided(const audit_kit *kit) { return kit->design->parameter[0] == 1; }

static void prepare(audit_kit *kit)
{
    static const double level[SCORES] = { 1, 1, 1, 1, 1 }, apart[SCORES] = { 2, 0, 0, 0, 0 };
    kit->scale[0] = 2 / kit->epsilon;
    audit_kit_flat_pair(kit, "all move", 0, 1);
    audit_kit_pair(kit, "one above, the rest below", level, apart);
}

/* The noisy scores of one draw after the other lie in `noisy`. */
enum { BLOCK = 256 };
typedef double answer(double *out, const double *noisy);

static void draw_noisy(audit_kit *kit, double *noisy, size_t n, const double *input)
{
    (one_sided(kit) ? audit_exponential : audit_laplace)(&kit->coins, noisy, n * SCORES, kit->scale[0]);
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < SCORES; i++) noisy[k * SCORES + (size_t)i] += input[i];
}

static int largest_of(const double *noisy)
{
    int best = 0;
    for (int i = 1; i < SCORES; i++)
        if (noisy[i] > noisy[best]) best = i;
    return best;
}

/* What is told: parameter[1] 0: which is the largest; 1: how large it is; 2: which, and by
 * how much it leads. */
static dusk_status draw(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    double noisy[BLOCK * SCORES];
    (void)err;
    while (n > 0) {
        size_t block = n < BLOCK ? n : BLOCK;
        draw_noisy(kit, noisy, block, input);
        for (size_t k = 0; k < block; k++, out += kit->design->outputs) {
            const double *x = noisy + k * SCORES;
            int best = largest_of(x);
            out[0] = kit->design->parameter[1] == 1 ? x[best] : best;
            if (kit->design->outputs == 1) continue;
            double second = -INFINITY;
            for (int i = 0; i < SCORES; i++)
                if (i != best) second = fmax(second, x[i]);
            out[1] = x[best] - second;
        }
        n -= block;
    }
    return DUSK_OK;
}

static double which_truth(audit_kit *kit, const double *p, const double *q)
{
    double law[2][SCORES];
    if (!audit_argmax_law(law[0], p, SCORES, kit->scale[0], one_sided(kit)) ||
        !audit_argmax_law(law[1], q, SCORES, kit->scale[0], one_sided(kit)))
        return NAN;
    return audit_table_epsilon(law[0], law[1], SCORES, 0);
}

/* Below all scores the density of the largest is that of p times e^(sum of (q - p) / scale).
 * No values have a ratio above e^(5 / scale) in any pair, and where all move it is had. */
static double value_truth(audit_kit *kit, const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < SCORES; i++) sum += q[i] - p[i];
    return fmax(0, sum / kit->scale[0]);
}

static dusk_status value_density(void *context, double *out, const double *outputs, size_t n,
                                 const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        out[i] = audit_max_log_density(outputs[i], input, SCORES, kit->scale[0], one_sided(kit));
    return DUSK_OK;
}

/* Exponential noise: values below the largest score are impossible. */
static double one_sided_truth(audit_kit *kit, const double *p, const double *q)
{
    (void)kit;
    return p[largest_of(p)] < q[largest_of(q)] ? (double)INFINITY : 0;
}

/* Theorem 2 of Ding et al. 2019: epsilon, as without the gap. */
static double unknown(audit_kit *kit, const double *p, const double *q)
{
    (void)kit, (void)p, (void)q;
    return NAN;
}

/* --- the exponential mechanism --------------------------------------------------------- */

/* parameter[0]: the exponent is this times epsilon times the score. */
static void exponential_law(const audit_kit *kit, double law[SCORES], const double *scores)
{
    double sum = 0, top = scores[largest_of(scores)];
    for (int i = 0; i < SCORES; i++)
        sum += law[i] = exp(kit->design->parameter[0] * kit->epsilon * (scores[i] - top));
    for (int i = 0; i < SCORES; i++) law[i] /= sum;
}

static dusk_status draw_exponential(void *context, double *out, size_t n, const double *input,
                                    dusk_error *err)
{
    audit_kit *kit = context;
    double law[SCORES];
    (void)err;
    exponential_law(kit, law, input);
    for (size_t k = 0; k < n; k++) {
        double u = audit_uniform(&kit->coins);
        int i = 0;
        while (i < SCORES - 1 && u > law[i]) u -= law[i++];
        out[k] = i;
    }
    return DUSK_OK;
}

static double exponential_truth(audit_kit *kit, const double *p, const double *q)
{
    double law[2][SCORES];
    exponential_law(kit, law[0], p);
    exponential_law(kit, law[1], q);
    return audit_table_epsilon(law[0], law[1], SCORES, 0);
}

/* --- the table ---------------------------------------------------------------------------- */

#define CHOICE(numbers, draws, tells, ...)                                                                   \
    {                                                                                                        \
        .inputs = SCORES, .outputs = (numbers), .moves = DUSK_ALL_MOVE, .prepare = prepare, .draw = (draws), \
        .truth = (tells), .parameter = {                                                                     \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define LARGEST(tells, sided)                                                                                \
    {                                                                                                        \
        .inputs = SCORES, .outputs = 1, .moves = DUSK_ALL_MOVE, .prepare = prepare, .draw = draw,            \
        .log_density = value_density, .truth = (tells), .parameter = {                                       \
            (sided),                                                                                         \
            1                                                                                                \
        }                                                                                                    \
    }
static const audit_design rnm1 = CHOICE(1, draw, which_truth, 0), rnm2 = CHOICE(1, draw, which_truth, 1),
                          rnm3 = LARGEST(value_truth, 0), rnm4 = LARGEST(one_sided_truth, 1),
                          gap = CHOICE(2, draw, unknown, 0, 2),
                          exponential = CHOICE(1, draw_exponential, exponential_truth, 0.5),
                          exponential_wrong = CHOICE(1, draw_exponential, exponential_truth, 1);

AUDIT_OPENS(rnm1)
AUDIT_OPENS(rnm2)
AUDIT_OPENS(rnm3)
AUDIT_OPENS(rnm4)
AUDIT_OPENS(gap)
AUDIT_OPENS(exponential)
AUDIT_OPENS(exponential_wrong)

const audit_subject audit_noisy_max_subjects[] = {
    AUDIT_ROW("rnm1", "which score is largest with Laplace noise 2/epsilon: right", open_rnm1),
    AUDIT_ROW("rnm2", "which score is largest with exponential noise 2/epsilon: right", open_rnm2),
    AUDIT_ROW("rnm3", "the value of the largest noisy score, not its place: 5/2 of epsilon", open_rnm3),
    AUDIT_ROW("rnm4", "the value of the largest score with one-sided noise: no epsilon at all", open_rnm4),
    AUDIT_ROW("rnm-gap", "which score is largest, and by how much it leads: right", open_gap),
    AUDIT_ROW("exponential", "exponential mechanism: right", open_exponential),
    AUDIT_ROW("exponential-2x", "exponential mechanism without the 2 under the exponent",
              open_exponential_wrong),
    AUDIT_LAST_ROW,
};
