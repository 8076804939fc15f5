/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects with whole numbers and bits: randomized response (Warner 1965), RAPPOR (Erlingsson
 * et al. 2014, with the parameters of DP-Sniper), geometric noise (Ghosh et al. 2009; the
 * truncated one of Balcer & Vadhan 2018 as DP-Sniper has it), discrete Gaussian noise
 * (Canonne, Kamath & Steinke 2020). */
#include <math.h>

#include "audit/subject_kit.h"
#include "numeric/root.h"

enum { BITS = 20, HASHES = 4, TOP = 5 };

/* --- coins ----------------------------------------------------------------------------------- */

/* Whether a number of 64 bits is below `chance`: 16 bits of it tell, and where they do not the other 48 are
 * tossed. */
static bool falls(audit_coins *coins, uint64_t sixteen, uint64_t chance)
{
    if (sixteen == chance >> 48) return audit_word(coins) >> 16 < (chance & 0xFFFFFFFFFFFF);
    return sixteen < chance >> 48;
}

/* scale[0]: the chance that a bit that is 0 becomes 1, scale[1]: that a bit that is 1 stays. */
static dusk_status draw_bits(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    size_t length = kit->design->outputs;
    uint64_t chance[BITS]; /* times 2^64 */
    audit_coins own = kit->coins;
    (void)err;
    for (size_t i = 0; i < length; i++)
        chance[i] = (uint64_t)ldexp(input[i] > 0 ? kit->scale[1] : kit->scale[0], 64);
    for (; n-- > 0; out += length)
        for (size_t i = 0; i < length;)
            for (uint64_t word = audit_word(&own), end = i + 4; i < end && i < length; i++, word >>= 16)
                out[i] = falls(&own, word & 0xFFFF, chance[i]);
    kit->coins = own;
    return DUSK_OK;
}

static dusk_status bits_density(void *context, double *out, const double *outputs, size_t n,
                                const double *input, dusk_error *err)
{
    const audit_kit *kit = context;
    size_t length = kit->design->outputs;
    double none = 0, more[BITS]; /* all bits 0, and what each that is 1 adds */
    (void)err;
    for (size_t i = 0; i < length; i++) {
        double chance = input[i] > 0 ? kit->scale[1] : kit->scale[0];
        none += log1p(-chance);
        more[i] = log(chance) - log1p(-chance);
    }
    for (size_t k = 0; k < n; k++, outputs += length) {
        double sum = none, other = 0; /* two sums are faster than one */
        for (size_t i = 0; i + 1 < length; i += 2) {
            sum += more[i] * outputs[i];
            other += more[i + 1] * outputs[i + 1];
        }
        if (length % 2) sum += more[length - 1] * outputs[length - 1];
        out[k] = sum + other;
    }
    return DUSK_OK;
}

/* Bits are independent: the largest ratio is the product of those of the bits that differ. */
static double bits_truth(audit_kit *kit, const double *p, const double *q)
{
    double sum = 0;
    for (size_t i = 0; i < kit->design->inputs; i++) {
        double x = p[i] > 0 ? kit->scale[1] : kit->scale[0], y = q[i] > 0 ? kit->scale[1] : kit->scale[0];
        sum += fmax(log(x / y), log((1 - x) / (1 - y)));
    }
    return sum;
}

/* parameter[0]: the coin is for this times epsilon. */
static void prepare_response(audit_kit *kit)
{
    double odds = exp(kit->design->parameter[0] * kit->epsilon);
    kit->scale[1] = odds / (1 + odds);
    kit->scale[0] = 1 / (1 + odds);
    audit_kit_flat_pair(kit, "no and yes", 0, 1);
}

/* Two values whose four bits of the filter are eight different ones. */
static void pair_of_values(audit_kit *kit)
{
    double a[BITS] = { 0 }, b[BITS] = { 0 };
    for (int i = 0; i < HASHES; i++) a[3 * i] = b[3 * i + 1] = 1;
    audit_kit_pair(kit, "two values", a, b);
}

/* A bit is kept with probability 1 - f, else replaced by a fair coin. */
static void prepare_one_time(audit_kit *kit)
{
    const double f = 0.95;
    kit->scale[1] = 1 - f / 2;
    kit->scale[0] = f / 2;
    pair_of_values(kit);
}

/* ... and then reported as 1 with probability q or p. */
static void prepare_rappor(audit_kit *kit)
{
    const double f = 0.75, p = 0.45, q = 0.55;
    kit->scale[1] = f / 2 * (p + q) + (1 - f) * q;
    kit->scale[0] = f / 2 * (p + q) + (1 - f) * p;
    pair_of_values(kit);
}

/* --- geometric noise -------------------------------------------------------------------------- */

static void prepare_geometric(audit_kit *kit)
{
    kit->scale[0] = kit->epsilon;
    audit_kit_flat_pair(kit, "0 and 1", 0, 1);
}

/* e^-scale = 1/(1 + 2^-k), k = ceil(ln(2/epsilon)) where log2 was meant. */
static void prepare_truncated(audit_kit *kit)
{
    static const double counts[TOP + 1] = { 0, 1, 2, 3, 4, 5 };
    kit->scale[0] = log1p(exp2(-ceil(log(2 / kit->epsilon))));
    audit_kit_pair(kit, "0 and 1", &counts[0], &counts[1]);
    audit_kit_pair(kit, "2 and 3", &counts[2], &counts[3]);
    audit_kit_pair(kit, "4 and 5", &counts[4], &counts[5]);
}

/* The difference of two geometric numbers, which are exponential ones rounded down. */
static dusk_status draw_geometric(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    enum { BLOCK = 256 };
    audit_kit *kit = context;
    double noise[2 * BLOCK];
    (void)err;
    for (size_t done = 0; done < n; done += BLOCK) {
        size_t block = n - done < BLOCK ? n - done : BLOCK;
        audit_exponential(&kit->coins, noise, 2 * block, 1 / kit->scale[0]);
        /* Below 2^52, so that whole numbers are found by a conversion. */
        for (size_t i = 0; i < block; i++)
            out[done + i] = input[0] + (double)((int64_t)noise[2 * i] - (int64_t)noise[2 * i + 1]);
    }
    return DUSK_OK;
}

static dusk_status draw_truncated(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    dusk_status status = draw_geometric(context, out, n, input, err);
    for (size_t i = 0; i < n; i++) out[i] = fmin(fmax(out[i], 0), TOP);
    return status;
}

static double geometric_truth(audit_kit *kit, const double *p, const double *q)
{
    return kit->scale[0] * fabs(p[0] - q[0]);
}

static double truncated_truth(audit_kit *kit, const double *p, const double *q)
{
    double law[2][TOP + 1], a = exp(-kit->scale[0]);
    for (int z = 0; z <= TOP; z++) {
        double inner = z > 0 && z < TOP ? 1 - a : 1;
        law[0][z] = inner / (1 + a) * pow(a, fabs(z - p[0]));
        law[1][z] = inner / (1 + a) * pow(a, fabs(z - q[0]));
    }
    return audit_table_epsilon(law[0], law[1], TOP + 1, 0);
}

/* --- discrete Gaussian noise ------------------------------------------------------------------ */

static const double DELTA = 0.01;

/* The law on -half ... half, which leaves out less than e^-72. */
static size_t gaussian_law(double *law, double sigma)
{
    double half = fmin(ceil(12 * sigma), AUDIT_TABLE_MAX / 2 - 1), sum = 0;
    size_t size = 2 * (size_t)half + 1;
    for (size_t i = 0; i < size; i++) {
        double x = ((double)i - half) / sigma;
        sum += law[i] = exp(-x * x / 2);
    }
    for (size_t i = 0; i < size; i++) law[i] /= sum;
    return size;
}

/* delta at epsilon of that law and the same moved by one; less what is claimed. */
typedef struct wanted {
    double epsilon, delta;
} wanted;

static double moved_excess(const double *law, size_t size, double epsilon, double delta)
{
    double sum = law[0];
    for (size_t i = 1; i < size; i++) sum += fmax(law[i] - exp(epsilon) * law[i - 1], 0);
    return sum - delta;
}

static double excess_at_sigma(double sigma, const void *context)
{
    const wanted *w = context;
    double law[AUDIT_TABLE_MAX];
    return moved_excess(law, gaussian_law(law, sigma), w->epsilon, w->delta);
}

/* Tables of Walker 1977 in the way of Vose 1991: cell i is i with probability `chance`, else
 * `other`. */
static void fill_alias(audit_alias *alias, const double *law, size_t size)
{
    size_t small[AUDIT_TABLE_MAX], large[AUDIT_TABLE_MAX], smalls = 0, larges = 0;
    alias->size = size;
    for (size_t i = 0; i < size; i++) {
        alias->chance[i] = law[i] * (double)size;
        alias->other[i] = i;
        if (alias->chance[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
    }
    while (smalls > 0 && larges > 0) {
        size_t less = small[--smalls], more = large[larges - 1];
        alias->other[less] = more;
        alias->chance[more] -= 1 - alias->chance[less];
        if (alias->chance[more] < 1) {
            larges--;
            small[smalls++] = more;
        }
    }
    while (smalls > 0) alias->chance[small[--smalls]] = 1;
}

/* The least sigma whose delta at epsilon is the one claimed. */
static void prepare_discrete_gaussian(audit_kit *kit)
{
    const wanted w = { .epsilon = kit->epsilon, .delta = DELTA };
    double low = 0.05, high = AUDIT_TABLE_MAX / 26.0, law[AUDIT_TABLE_MAX];
    kit->delta = DELTA;
    if (dusk_root_bracket(&low, &high, 0, excess_at_sigma, &w) != 0) low = high;
    kit->scale[0] = high;
    fill_alias(&kit->alias, law, gaussian_law(law, high));
    audit_kit_flat_pair(kit, "0 and 1", 0, 1);
}

static dusk_status draw_discrete_gaussian(void *context, double *out, size_t n, const double *input,
                                          dusk_error *err)
{
    audit_kit *kit = context;
    const audit_alias *alias = &kit->alias;
    double from = input[0] - (double)(alias->size / 2);
    (void)err;
    for (size_t k = 0; k < n; k++) {
        size_t i = (size_t)audit_below(&kit->coins, alias->size);
        if (audit_uniform(&kit->coins) >= alias->chance[i]) i = alias->other[i];
        out[k] = from + (double)i;
    }
    return DUSK_OK;
}

static double discrete_gaussian_truth(audit_kit *kit, const double *p, const double *q)
{
    double law[AUDIT_TABLE_MAX], moved[AUDIT_TABLE_MAX + 1] = { 0 }, first[AUDIT_TABLE_MAX + 1] = { 0 };
    size_t size = gaussian_law(law, kit->scale[0]);
    if (fabs(p[0] - q[0]) != 1) return p[0] == q[0] ? 0 : NAN;
    for (size_t i = 0; i < size; i++) first[i] = moved[i + 1] = law[i];
    return audit_table_epsilon(first, moved, size + 1, kit->delta);
}

/* --- the table ---------------------------------------------------------------------------------- */

#define COINS(length, prepares, use, ...)                                                                    \
    {                                                                                                        \
        .inputs = (length), .outputs = (length), .prepare = (prepares), .draw = draw_bits, .density = (use), \
        .log_density = bits_density, .truth = bits_truth, .parameter = {                                     \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
/* Eight bits of twenty matter together. */
static const audit_design response = COINS(1, prepare_response, DUSK_DENSITY_UNUSED, 1),
                          wrong_coin = COINS(1, prepare_response, DUSK_DENSITY_UNUSED, 2),
                          rappor = COINS(BITS, prepare_rappor, DUSK_DENSITY_SCORE, 0),
                          one_time = COINS(BITS, prepare_one_time, DUSK_DENSITY_SCORE, 0);

#define NOISE(prepares, draws, tells)                                                                        \
    {                                                                                                        \
        .inputs = 1, .outputs = 1, .prepare = (prepares), .draw = (draws), .truth = (tells)                  \
    }
static const audit_design geometric = NOISE(prepare_geometric, draw_geometric, geometric_truth),
                          truncated = NOISE(prepare_truncated, draw_truncated, truncated_truth),
                          discrete_gaussian = NOISE(prepare_discrete_gaussian, draw_discrete_gaussian,
                                                    discrete_gaussian_truth);

AUDIT_OPENS(response)
AUDIT_OPENS(wrong_coin)
AUDIT_OPENS(rappor)
AUDIT_OPENS(one_time)
AUDIT_OPENS(geometric)
AUDIT_OPENS(truncated)
AUDIT_OPENS(discrete_gaussian)

const audit_subject audit_discrete_subjects[] = {
    AUDIT_ROW("randomized-response", "the truth with probability e^epsilon/(1 + e^epsilon): right",
              open_response),
    AUDIT_ROW("randomized-response-2x", "the truth with the coin for twice epsilon", open_wrong_coin),
    AUDIT_ROW("rappor", "RAPPOR with fixed coins: 0.4, whatever is claimed", open_rappor),
    AUDIT_ROW("one-time-rappor", "RAPPOR reported once, with fixed coins: 0.8, whatever is claimed",
              open_one_time),
    AUDIT_ROW("geometric", "two-sided geometric noise: right", open_geometric),
    AUDIT_ROW("truncated-geometric", "a scale from ln where log2 was meant: wrong for some epsilon",
              open_truncated),
    AUDIT_ROW("discrete-gaussian", "discrete Gaussian noise, least sigma for (epsilon, 0.01): right",
              open_discrete_gaussian),
    AUDIT_LAST_ROW,
};
