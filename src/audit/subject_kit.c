/* SPDX-License-Identifier: Apache-2.0 */
/* Designs opened as subjects, their pairs, and noise in blocks; see subject_kit.h. The noise is
 * plain floating point: good enough to be audited through half-lines and scores of real
 * numbers, and not private, which is the business of the bit-level subjects. */
#include "audit/subject_kit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void audit_kit_pair(audit_kit *kit, const char *name, const double *a, const double *b)
{
    size_t k = kit->pair_count, bytes = kit->design->inputs * sizeof *a;
    if (k == AUDIT_PAIRS_MAX) return;
    memcpy(kit->inputs[k][0], a, bytes);
    memcpy(kit->inputs[k][1], b, bytes);
    kit->pairs[k] = (dusk_input_pair){ { kit->inputs[k][0], kit->inputs[k][1] }, name };
    kit->pair_count++;
}

void audit_kit_flat_pair(audit_kit *kit, const char *name, double a, double b)
{
    double p[AUDIT_INPUTS_MAX], q[AUDIT_INPUTS_MAX];
    for (size_t i = 0; i < AUDIT_INPUTS_MAX; i++) {
        p[i] = a;
        q[i] = b;
    }
    audit_kit_pair(kit, name, p, q);
}

static void close_kit(void *context)
{
    audit_kit *kit = context;
    if (!kit) return;
    dusk_input_pairs_free(kit->standard);
    dusk_deallocate(kit);
}

/* The largest of all pairs and both directions, and the inputs that have it; NaN where one is
 * not known. */
static double exact_epsilon(audit_kit *kit, const double *worst[2])
{
    double largest = 0;
    worst[0] = worst[1] = NULL;
    for (size_t i = 0; i < kit->pair_count; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            const dusk_input_pair *pair = &kit->pairs[i];
            double truth = kit->design->truth(kit, pair->input[swapped], pair->input[!swapped]);
            if (isnan(truth)) return NAN;
            if (!(truth > largest)) continue;
            largest = truth;
            worst[0] = pair->input[swapped];
            worst[1] = pair->input[!swapped];
        }
    return largest;
}

dusk_status audit_design_open(audit_case *out, const audit_design *design, double epsilon, uint64_t seed,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_kit *kit = NULL;
    const double *worst[2];

    DUSK_NEW(kit, 1);
    kit->design = design;
    kit->coins = audit_coins_seeded(seed);
    kit->epsilon = epsilon;
    design->prepare(kit);
    if (design->moves) {
        DUSK_TRY(dusk_input_pairs_new(&kit->standard, design->inputs, design->moves, err));
        for (size_t i = 0; i < kit->standard->count; i++) {
            const dusk_input_pair *pair = &kit->standard->list[i];
            audit_kit_pair(kit, pair->name, pair->input[0], pair->input[1]);
        }
    }
    audit_case opened = { .sampler = { .context = kit,
                                       .input_length = design->inputs,
                                       .output_length = design->outputs,
                                       .draw = design->draw,
                                       .log_density = design->log_density },
                          .pairs = kit->pairs,
                          .pair_count = kit->pair_count,
                          .epsilon = kit->epsilon,
                          .delta = kit->delta,
                          .exact = exact_epsilon(kit, worst),
                          .density = design->density,
                          .draws = design->draws,
                          .worth = design->worth,
                          .close = close_kit };
    opened.worst[0] = worst[0];
    opened.worst[1] = worst[1];
    *out = opened;
    kit = NULL;
done:
    close_kit(kit);
    return status;
}

/* --- noise -------------------------------------------------------------------------- */

/* Two logarithms at once, of numbers in (0, 1): u = 2^k m with m between sqrt(1/2) and sqrt(2),
 * ln m = 2 artanh(f), f = (m - 1)/(m + 1), |f| < 0.1716: eleven terms leave less than 1e-17.
 * Relative error below 1e-15 (tests/unit/audit/subject_kit.c). */
enum { LANES = 2 };
typedef double lanes __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

static inline lanes log_lanes(lanes u)
{
    const uint64_t one = 0x3FF0000000000000, root_half = 0x3FE6A09E667F3BCD, fraction = 0x000FFFFFFFFFFFFF;
    words t = (words)u + (one - root_half), exponent = (t >> 52) | 0x4330000000000000;
    lanes k = (lanes)exponent - (0x1p52 + 1023), m = (lanes)((t & fraction) + root_half);
    lanes f = (m - 1) / (m + 1), z = f * f;
    lanes high = z * (1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21)))));
    lanes sum = z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + high)))));
    return k * 0x1.62e42fefa39efp-1 + 2 * (f + f * sum);
}

void audit_log_block(double *numbers, size_t n)
{
    size_t i = 0;
    lanes u;
    for (; i + LANES <= n; i += LANES) {
        memcpy(&u, numbers + i, sizeof u);
        u = log_lanes(u);
        memcpy(numbers + i, &u, sizeof u);
    }
    for (; i < n; i++) {
        u = log_lanes((lanes){ numbers[i], 0.5 });
        numbers[i] = u[0];
    }
}

double audit_laplace_at(double u, double scale)
{
    return u < 0.5 ? -scale * log(2 * u) : scale * log(2 * (1 - u));
}

void audit_exponential(audit_coins *coins, double *out, size_t n, double scale)
{
    audit_coins own = *coins;
    for (size_t i = 0; i < n; i++) out[i] = audit_uniform(&own);
    *coins = own;
    audit_log_block(out, n);
    for (size_t i = 0; i < n; i++) out[i] *= -scale;
}

/* The sign is one of the bits that the uniform does not use. */
void audit_laplace(audit_coins *coins, double *out, size_t n, double scale)
{
    enum { BLOCK = 512 };
    double signs[BLOCK];
    audit_coins own = *coins;
    for (size_t done = 0; done < n; done += BLOCK) {
        size_t block = n - done < BLOCK ? n - done : BLOCK;
        for (size_t i = 0; i < block; i++) {
            uint64_t word = audit_word(&own);
            out[done + i] = ((double)(word >> 11) + 0.5) * 0x1p-53;
            signs[i] = scale * (double)((int)(word & 1) * 2 - 1);
        }
        audit_log_block(out + done, block);
        for (size_t i = 0; i < block; i++) out[done + i] *= signs[i];
    }
    *coins = own;
}

void audit_gaussian(audit_coins *coins, double *out, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        double radius = sqrt(-2 * log(audit_uniform(coins))), angle = 2 * acos(-1) * audit_uniform(coins);
        out[i] = radius * cos(angle);
        if (i + 1 < n) out[i + 1] = radius * sin(angle);
    }
}
