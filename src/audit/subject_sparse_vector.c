/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vectors of the literature as subjects: SVT1 to SVT6 of Lyu, Su & Li 2017 (figure 1),
 * their algorithm 7 with a third of epsilon for the answer (the numerical one), and two in
 * parallel (DP-Sniper). Ten queries that each move by at most 1, threshold 1, at most one
 * answer above (c = 1; SVT2: two).
 *
 * Given the noise rho of the threshold, query i is above when its noise nu_i is at least
 * x = T + rho - q_i. With nu_i drawn by the inverse of its upper tail from a uniform u_i that
 * is u_i <= P(nu >= x), so that only shown noise is ever computed. */
#include <math.h>
#include <string.h>

#include "audit/subject_kit.h"
#include "base/error.h"

enum { QUERIES = 10 };
#define NOTHING ((double)NAN)

/* parameter[0]: scale of rho, [1]: of nu, [2]: of fresh noise on the answer, each times
 * 1/epsilon; [3]: 1 where it never stops. */
static void set_scales(audit_kit *kit)
{
    const double *parameter = kit->design->parameter;
    for (int i = 0; i < 3; i++) kit->scale[i] = parameter[i] / kit->epsilon;
    kit->svt = (audit_svt){ .queries = QUERIES,
                            .threshold = 1,
                            .threshold_scale = kit->scale[0],
                            .query_scale = kit->scale[1],
                            .stops = parameter[3] == 0 };
}

/* The worst pairs that are known. With one stop: all below and then one above. */
static void prepare_one_stop(audit_kit *kit)
{
    static const double above[QUERIES] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 1 };
    static const double below[QUERIES] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2 };
    set_scales(kit);
    audit_kit_pair(kit, "last one apart", below, above);
}

static void prepare_two_stops(audit_kit *kit)
{
    static const double above[QUERIES] = { 2, 2, 2, 2, 1, 2, 2, 2, 2, 1 };
    static const double below[QUERIES] = { 1, 1, 1, 1, 2, 1, 1, 1, 1, 2 };
    set_scales(kit);
    audit_kit_pair(kit, "two apart", below, above);
}

/* A value that is shown tells most where all queries move together. */
static void prepare_shown(audit_kit *kit)
{
    prepare_one_stop(kit);
    audit_kit_flat_pair(kit, "all above", 1, 2);
}

static void prepare_no_stop(audit_kit *kit)
{
    static const double level[QUERIES] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const double halves[QUERIES] = { 2, 2, 2, 2, 2, 0, 0, 0, 0, 0 };
    set_scales(kit);
    audit_kit_pair(kit, "half above, half below", level, halves);
}

/* e^(-rho / nu) of the threshold's noise rho, and its inverse. */
typedef struct level {
    double down, up;
} level;

/* What draws need of the queries: which values there are, e^(-(T - q) / nu) of each and its inverse;
 * and the ratio of the scales of rho and nu, free of rounding. And of one draw: for how many of 2^53
 * uniform words a query of each value is above, given rho, and fresh noise for its answer. */
typedef struct audit_levels {
    size_t count, of[QUERIES]; /* of values, and the value of a query */
    double down[QUERIES], up[QUERIES], ratio;
    uint64_t above[QUERIES];
    double fresh;
} levels;

static levels levels_of(const audit_svt *svt, const double *queries)
{
    levels l = { .ratio = 0 };
    if (svt->query_scale == 0) return l; /* nobody asks */
    l.ratio = nearbyint(6 * svt->threshold_scale / svt->query_scale) / 6;
    for (int i = 0; i < QUERIES; i++) {
        int same = 0;
        while (same < i && queries[same] != queries[i]) same++;
        l.of[i] = same < i ? l.of[same] : l.count++;
        l.down[l.of[i]] = exp((queries[i] - svt->threshold) / svt->query_scale);
        l.up[l.of[i]] = 1 / l.down[l.of[i]];
    }
    return l;
}

/* P(nu >= T + rho - q) for each value q: with far = e^(-x/nu) it is far/2 below 1 and 1 - 1/(2 far)
 * above. No branches, as rho's sign is a coin. */
static void set_threshold(levels *l, level rho)
{
    for (size_t k = 0; k < l->count; k++) {
        double far = rho.down * l->down[k], near = rho.up * l->up[k];
        double chance = 0.5 + copysign(0.5 - 0.5 * (far < near ? far : near), far - 1);
        l->above[k] = (uint64_t)(chance * 0x1p53 + 0.5);
    }
}

/* x^ratio, mostly without a logarithm: ratios of scales are 1/2, 1 and 3. */
static double power(double x, double ratio)
{
    return ratio == 1 ? x : ratio == 0.5 ? sqrt(x) : ratio == 3 ? x * x * x : pow(x, ratio);
}

/* Fresh noise of n thresholds: rho = -+scale ln(v), v uniform. For many draws at once, as nothing then
 * waits for roots and quotients. */
static void fresh_thresholds(level *out, size_t n, audit_coins *coins, double ratio)
{
    audit_coins own = *coins;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = audit_word(&own), sign = word & 1;
        double v = power(((double)(word >> 11) + 0.5) * 0x1p-53, ratio), either[2] = { v, 1 / v };
        out[i] = (level){ either[sign], either[1 - sign] };
    }
    *coins = own;
}

/* The first query above from query i on, or QUERIES; *u is the uniform that made it so. */
static int first_above(audit_coins *coins, const levels *l, int i, double *u)
{
    audit_coins own = *coins;
    uint64_t word = 0;
    while (i < QUERIES && (word = audit_word(&own) >> 11) >= l->above[l->of[i]]) i++;
    *coins = own;
    *u = ((double)word + 0.5) * 0x1p-53;
    return i;
}

/* Answers 0 up to the 1 at place `at`, then nothing. */
static void show_until(double *out, int at)
{
    static const double window[2 * QUERIES + 1] = { [QUERIES] = 1, NOTHING, NOTHING, NOTHING,
                                                    NOTHING,       NOTHING, NOTHING, NOTHING,
                                                    NOTHING,       NOTHING, NOTHING };
    memcpy(out, window + QUERIES - at, QUERIES * sizeof *out);
}

/* Answers 0 and 1 up to the first 1, then nothing. */
static void draw_until(audit_kit *kit, const levels *l, const double *input, double *out)
{
    double u;
    int first = first_above(&kit->coins, l, 0, &u);
    (void)input;
    show_until(out, first);
}

/* The same with up to two answers above, the threshold's noise redrawn after the first. */
static void draw_redrawn(audit_kit *kit, const levels *l, const double *input, double *out)
{
    double u;
    int first = first_above(&kit->coins, l, 0, &u), second = QUERIES;
    (void)input;
    if (first < QUERIES) second = first_above(&kit->coins, l + 1, first + 1, &u);
    show_until(out, second);
    if (first < QUERIES) out[first] = 1;
}

/* Answers 0 and 1 to all queries. */
static void draw_all(audit_kit *kit, const levels *l, const double *input, double *out)
{
    (void)input;
    for (int i = 0; i < QUERIES; i++) /* 1 where the difference of two small numbers wraps: no branch */
        out[i] = (double)(((audit_word(&kit->coins) >> 11) - l->above[l->of[i]]) >> 63);
}

/* The same without noise on the queries. */
static void draw_bare(audit_kit *kit, const levels *l, const double *input, double *out)
{
    double noisy =
        kit->svt.threshold + audit_laplace_at(audit_uniform(&kit->coins), kit->svt.threshold_scale);
    (void)l;
    for (int i = 0; i < QUERIES; i++) out[i] = input[i] >= noisy;
}

/* How many answers were below before the first above, and its value: with the noise of the
 * comparison, or with fresh noise. Nothing where none was above. */
static void draw_shown(audit_kit *kit, const levels *l, const double *input, double *out)
{
    double u;
    int first = first_above(&kit->coins, l, 0, &u);
    out[0] = out[1] = NOTHING;
    if (first == QUERIES) return;
    out[0] = first;
    out[1] = input[first] + (kit->scale[2] > 0 ? l->fresh : audit_laplace_at(u, kit->svt.query_scale));
}

/* SVT3 and SVT4 on the same queries. */
static void draw_two(audit_kit *kit, const levels *l, const double *input, double *out)
{
    double u;
    draw_shown(kit, l, input, out);
    int first = first_above(&kit->coins, l + 1, 0, &u);
    out[2] = first < QUERIES ? first : NOTHING;
}

/* The second sparse vector of svt34-parallel. */
static audit_svt fourth_of(const audit_kit *kit)
{
    return (audit_svt){ QUERIES, kit->svt.threshold, 4 / kit->epsilon, 4 / (3 * kit->epsilon), true };
}

static dusk_status draw_many(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    enum { BLOCK = 128 };
    audit_kit *kit = context;
    const audit_design *design = kit->design;
    const audit_svt second = design->draw_one == draw_two ? fourth_of(kit) : kit->svt;
    bool twice = design->draw_one == draw_two || design->draw_one == draw_redrawn;
    levels l[2] = { levels_of(&kit->svt, input), levels_of(&second, input) };
    level rho[2][BLOCK] = { 0 };
    double fresh[BLOCK] = { 0 };
    (void)err;
    for (size_t now; n > 0; n -= now) {
        now = n < BLOCK ? n : BLOCK;
        fresh_thresholds(rho[0], now, &kit->coins, l[0].ratio);
        if (twice) fresh_thresholds(rho[1], now, &kit->coins, l[1].ratio);
        if (kit->scale[2] > 0) audit_laplace(&kit->coins, fresh, now, kit->scale[2]);
        for (size_t i = 0; i < now; i++, out += design->outputs) {
            set_threshold(&l[0], rho[0][i]);
            if (twice) set_threshold(&l[1], rho[1][i]);
            l[0].fresh = fresh[i];
            design->draw_one(kit, l, input, out);
        }
    }
    return DUSK_OK;
}

/* --- truths -------------------------------------------------------------------------- */

static double largest_ratio(const audit_svt *svt, const double *p, const double *q)
{
    double law[2][1 << QUERIES];
    if (!audit_svt_law(law[0], svt, p) || !audit_svt_law(law[1], svt, q)) return NAN;
    return audit_table_epsilon(law[0], law[1], audit_svt_patterns(svt), 0);
}

static double truth_of_pattern(audit_kit *kit, const double *p, const double *q)
{
    return largest_ratio(&kit->svt, p, q);
}

/* The law of svt2: out[PLACES a + b] for the first answer above at a and the second at b; QUERIES
 * stands for none. After the first everything begins anew on the queries that are left. */
enum { PLACES = QUERIES + 1 };
static bool redrawn_law(double *out, const audit_svt *svt, const double *queries)
{
    double first[PLACES], then[PLACES];
    memset(out, 0, PLACES * PLACES * sizeof *out);
    if (!audit_svt_law(first, svt, queries)) return false;
    for (size_t a = 0; a < PLACES; a++) {
        audit_svt rest = *svt;
        if (a + 1 >= QUERIES) {
            out[PLACES * a + QUERIES] = first[a];
            continue;
        }
        rest.queries = QUERIES - 1 - a;
        if (!audit_svt_law(then, &rest, queries + a + 1)) return false;
        for (size_t b = 0; b <= rest.queries; b++) out[PLACES * a + a + 1 + b] = first[a] * then[b];
    }
    return true;
}

static double truth_of_redrawn(audit_kit *kit, const double *p, const double *q)
{
    double law[2][PLACES * PLACES];
    if (!redrawn_law(law[0], &kit->svt, p) || !redrawn_law(law[1], &kit->svt, q)) return NAN;
    return audit_table_epsilon(law[0], law[1], PLACES * PLACES, 0);
}

/* Fresh noise on the answer: its density differs most, by e^(|p_k - q_k| / scale), on the far
 * side of both values, whatever the pattern. */
static double truth_of_fresh(audit_kit *kit, const double *p, const double *q)
{
    double law[2][QUERIES + 1], largest = 0;
    if (!audit_svt_law(law[0], &kit->svt, p) || !audit_svt_law(law[1], &kit->svt, q)) return NAN;
    for (size_t k = 0; k <= QUERIES; k++) {
        double moved = k < QUERIES ? fabs(p[k] - q[k]) / kit->scale[2] : 0;
        largest = fmax(largest, log(law[0][k] / law[1][k]) + moved);
    }
    return largest;
}

/* The noise of the comparison is shown. Where all queries move up by 1 the ratio is
 * e^(10 / scale) on values below them, and no pair has a larger one: F(x) / F(x - 1) <= e^(1 / scale). */
static double truth_of_shown(audit_kit *kit, const double *p, const double *q)
{
    audit_shown *law = kit->shown;
    kit->laws = 0;
    if (!audit_shown_make(&law[0], &kit->svt, p) || !audit_shown_make(&law[1], &kit->svt, q)) return NAN;
    return audit_shown_epsilon(&law[0], &law[1]);
}

/* Independent outputs: the largest ratios multiply. */
static double truth_of_two(audit_kit *kit, const double *p, const double *q)
{
    const audit_svt fourth = fourth_of(kit);
    return truth_of_shown(kit, p, q) + largest_ratio(&fourth, p, q);
}

/* --- densities ------------------------------------------------------------------------- */

/* Answers as bits, two at once: 1 where one is not 0. */
typedef double lanes __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));
static unsigned bits_of(const double *answers)
{
    words bits = { 0, 0 }, place = { 1, 2 };
    for (int i = 0; i < QUERIES; i += 2, place <<= 2) {
        lanes two;
        memcpy(&two, answers + i, sizeof two);
        bits |= (words)(two != 0) & place;
    }
    return (unsigned)(bits[0] | bits[1]);
}

/* The place of the lowest of some bits; QUERIES where there is none. */
static size_t lowest(unsigned bits) { return (size_t)__builtin_ctz(bits | 1u << QUERIES); }

static double pattern_density(const audit_kit *kit, size_t slot, const double *output, const double *input)
{
    unsigned bits = bits_of(output);
    (void)input;
    return kit->log_law[slot][kit->svt.stops ? lowest(bits) : bits];
}

static double redrawn_density(const audit_kit *kit, size_t slot, const double *output, const double *input)
{
    unsigned bits = bits_of(output), rest = bits & (bits - 1);
    (void)input;
    return kit->log_law[slot][PLACES * lowest(bits) + lowest(rest)];
}

/* NaN: none above. */
static size_t below(double index) { return isnan(index) ? QUERIES : (size_t)index; }

static double fresh_density(const audit_kit *kit, size_t slot, const double *output, const double *input)
{
    size_t k = below(output[0]);
    /* of the value with respect to a measure that leaves out the 1/(2 scale) of its density */
    return kit->log_law[slot][k] - (k < QUERIES ? fabs(output[1] - input[k]) / kit->scale[2] : 0);
}

static double shown_density(const audit_kit *kit, size_t slot, const double *output, const double *input)
{
    (void)input;
    return audit_shown_log_density(&kit->shown[slot], below(output[0]), output[1]);
}

static double two_density(const audit_kit *kit, size_t slot, const double *output, const double *input)
{
    return shown_density(kit, slot, output, input) + kit->log_law[slot][below(output[2])];
}

/* Logarithms of the law of the patterns, and the law of what is shown where that is asked for. */
static dusk_status fill_law(audit_kit *kit, size_t slot, const double *input, dusk_error *err)
{
    const audit_design *design = kit->design;
    bool two = design->density_of == two_density, redrawn = design->density_of == redrawn_density;
    const audit_svt svt = two ? fourth_of(kit) : kit->svt;
    double *law = kit->log_law[slot];
    bool made = (redrawn ? redrawn_law : audit_svt_law)(law, &svt, input);
    size_t size = redrawn ? PLACES * PLACES : audit_svt_patterns(&svt);
    if (made && (two || design->density_of == shown_density))
        made = audit_shown_make(&kit->shown[slot], &kit->svt, input);
    if (!made)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "", "the queries are too far apart to compute their law");
    for (size_t i = 0; i < size; i++) law[i] = log(law[i]);
    return DUSK_OK;
}

/* The slot of an input's laws, made in place of the older ones unless they are there. */
static dusk_status find_law(size_t *slot, audit_kit *kit, const double *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t bytes = QUERIES * sizeof *input;
    for (*slot = 0; *slot < kit->laws; ++*slot)
        if (!memcmp(kit->law_input[*slot], input, bytes)) return DUSK_OK;
    if (*slot == 2) *slot = 1 - kit->newest;
    kit->law_input[*slot][0] = NAN; /* nobody's, should this fail */
    DUSK_TRY(fill_law(kit, *slot, input, err));
    memcpy(kit->law_input[*slot], input, bytes);
    kit->newest = *slot;
    if (kit->laws <= *slot) kit->laws = *slot + 1;
done:
    return status;
}

static dusk_status law_density(void *context, double *out, const double *outputs, size_t n,
                               const double *input, dusk_error *err)
{
    audit_kit *kit = context;
    const audit_design *design = kit->design;
    dusk_status status = DUSK_OK;
    size_t slot;
    DUSK_TRY(find_law(&slot, kit, input, err));
    for (size_t i = 0; i < n; i++, outputs += design->outputs)
        out[i] = design->density_of(kit, slot, outputs, input);
done:
    return status;
}

/* --- the table ------------------------------------------------------------------------ */

/* Densities choose the sets. */
#define DESIGN(numbers, prepares, draws, densities, tells, ...)                                              \
    .inputs = QUERIES, .outputs = (numbers), .prepare = (prepares), .draw = draw_many, .draw_one = (draws),  \
    .log_density = law_density, .density_of = (densities), .density = DUSK_DENSITY_SCORE, .truth = (tells),  \
    .parameter = { __VA_ARGS__ }

static const audit_design svt1 = { DESIGN(QUERIES, prepare_one_stop, draw_until, pattern_density,
                                          truth_of_pattern, 2, 4) };
static const audit_design svt2 = { DESIGN(QUERIES, prepare_two_stops, draw_redrawn, redrawn_density,
                                          truth_of_redrawn, 4, 8) };
static const audit_design svt3 = { DESIGN(2, prepare_shown, draw_shown, shown_density, truth_of_shown, 2,
                                          2) };
/* These two are looked for among all standard pairs. */
static const audit_design svt4 = { DESIGN(QUERIES, prepare_one_stop, draw_until, pattern_density,
                                          truth_of_pattern, 4, 4.0 / 3),
                                   .moves = DUSK_ALL_MOVE };
static const audit_design svt5 = { DESIGN(QUERIES, prepare_no_stop, draw_bare, pattern_density,
                                          truth_of_pattern, 2, 0, 0, 1),
                                   .moves = DUSK_ALL_MOVE };
static const audit_design svt6 = { DESIGN(QUERIES, prepare_no_stop, draw_all, pattern_density,
                                          truth_of_pattern, 2, 2, 0, 1) };
static const audit_design numerical = { DESIGN(2, prepare_one_stop, draw_shown, fresh_density, truth_of_fresh,
                                               3, 6, 3) };
static const audit_design parallel = { DESIGN(3, prepare_shown, draw_two, two_density, truth_of_two, 2, 2) };

AUDIT_OPENS(svt1)
AUDIT_OPENS(svt2)
AUDIT_OPENS(svt3)
AUDIT_OPENS(svt4)
AUDIT_OPENS(svt5)
AUDIT_OPENS(svt6)
AUDIT_OPENS(numerical)
AUDIT_OPENS(parallel)

const audit_subject audit_sparse_vector_subjects[] = {
    AUDIT_ROW("svt1", "sparse vector, noise 2/epsilon and 4/epsilon, stops: right", open_svt1),
    AUDIT_ROW("svt2", "the same for two answers above, threshold redrawn after each: right", open_svt2),
    AUDIT_ROW("svt3", "shows the noisy value that it compared: grows with the queries", open_svt3),
    AUDIT_ROW("svt4", "too little noise on the queries: 7/4 of epsilon", open_svt4),
    AUDIT_ROW("svt5", "no noise on the queries, never stops: no epsilon at all", open_svt5),
    AUDIT_ROW("svt6", "never stops: grows with the queries", open_svt6),
    AUDIT_ROW("numerical-svt", "shows the value with fresh noise: right", open_numerical),
    AUDIT_ROW("svt34-parallel", "svt3 and svt4 on the same queries", open_parallel),
    AUDIT_LAST_ROW,
};
