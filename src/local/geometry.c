/* SPDX-License-Identifier: Apache-2.0 */
/* Projective geometry response, the server's side [Feldman, Nelson, Nguyen & Talwar 2022]: the variance of subset selection, and an answer is one
 * number. Counters: one a point. Device: client_geometry.c. Proof: geometry.proof.md.
 *
 * An answer supports the points that are orthogonal to it. How many answers each of K points is supported by is found for all of them
 * together, in about t K q additions instead of K^2: let w run over the points of the space of t - 1 coordinates, and G(r, w) be how many answers are the point (r : w). The
 * point (1 : u) is supported by those with r = -u w. For w = (0 ... 0, 1, w_l+1, ...) and one coordinate after the other, sums over w_j for every u_j
 * replace w_j by u_j: T[.. u_j ..][r] = sum over w_j of T[.. w_j ..][r - u_j w_j]. The point (0 : u) is supported by the answer (1 : 0) and by all with u w
 * = 0, which is the same in a space with one coordinate less. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

/* --- plan -------------------------------------------------------------------------------------------------------------- */

static uint64_t points_of(const dusk_client_task *task) { return client_points(task->width, task->rows); }
/* Points that are orthogonal to a point, and those that are to two. */
static uint64_t hyperplane(const dusk_client_task *task)
{
    return client_points(task->width, task->rows - 1);
}
static uint64_t meeting(const dusk_client_task *task)
{
    return task->rows > 2 ? client_points(task->width, task->rows - 2) : 0;
}

static double truth_of(const dusk_client_task *task) { return local_chance(task->p); }
static double other_of(const dusk_client_task *task)
{
    const double p = truth_of(task);
    return p * (double)meeting(task) / (double)hyperplane(task) + local_chance(0 - task->p) / task->width;
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(truth_of(task), other_of(task), share);
}

/* The largest p that keeps epsilon, where so many are orthogonal and so many are not. */
static void set_chance(dusk_client_task *task, double epsilon)
{
    const double within = (double)hyperplane(task), outside = (double)(points_of(task) - hyperplane(task));
    task->p = local_keep_down(epsilon, nextafter(outside / within, INFINITY));
}

/* Of all primes up to a few times e^epsilon + 1, with the fewest coordinates that have room for the domain, the one with the least variance. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task best = survey->task;
    const double ideal = fmin(exp(options->epsilon) + 1, 65521);
    double least = INFINITY;
    for (uint32_t q = options->width ? options->width : 2;
         q <= (options->width ? options->width : 2 * ideal + 3); q++) {
        dusk_client_task task = survey->task;
        if (!client_is_prime(q) || q > 65521) continue;
        task.width = q;
        for (task.rows = 2; points_of(&task) != 0 && points_of(&task) < task.domain;) task.rows++;
        if (points_of(&task) == 0 || points_of(&task) > LOCAL_CELLS_MOST) continue;
        set_chance(&task, options->epsilon);
        if (!(variance(&task, 0) < least)) continue;
        least = variance(&task, 0);
        best = task;
    }
    if (!(least < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "take hadamard or olh, or a smaller domain; a width must be a prime",
                         "there is no projective space for this domain and epsilon");
    survey->task = best;
    return DUSK_OK;
}

/* A point has p / |within| if it is orthogonal to the truth and (1 - p) / |outside| if not. */
DUSK_PROVEN(pgr_epsilon)
static double pgr_epsilon(const dusk_client_task *task)
{
    return local_log_odds_up(task->p, points_of(task) - hyperplane(task), hyperplane(task));
}

/* --- reports ------------------------------------------------------------------------------------------------------------ */

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t points = (uint32_t)points_of(task);
    return local_histogram_add(cell, points, reports, client_bytes_for(points), n);
}

/* --- supports ----------------------------------------------------------------------------------------------------------- */

typedef struct space {
    uint32_t q, t;
    uint32_t *inverse; /* of 1 .. q - 1 */
    int64_t *table;    /* q^(t-1): T of one leading coordinate */
    int64_t *twice;    /* q rows of 2 q: those of one coordinate, each row two times */
} space;

/* T of the points w whose first 1 is at l, of m = t - 1 coordinates: `free` of them after it. And sum[w], over r. */
static void load(const space *s, uint32_t t, uint32_t free, int64_t *sum, const int64_t *count)
{
    const uint32_t q = s->q, smaller = client_points(q, t - 1), first = client_points(q, free);
    uint64_t rows = 1;
    uint32_t digit[DUSK_GEOMETRY_MOST];
    for (uint32_t j = 0; j < free; j++) rows *= q;
    for (uint64_t w = 0; w < rows; w++) {
        int64_t *row = s->table + w * q;
        uint64_t rest = w;
        for (uint32_t j = free; j-- > 0; rest /= q) digit[j] = (uint32_t)(rest % q);
        row[0] = count[first + w]; /* (0 : w) */
        sum[first + w] = row[0];
        for (uint32_t r = 1; r < q; r++) { /* (r : w) is (1 : w / r) */
            const uint32_t scale = s->inverse[r];
            uint64_t number = scale;
            for (uint32_t j = 0; j < free; j++) number = number * q + digit[j] * scale % q;
            row[r] = count[smaller + number];
            sum[first + w] += row[r];
        }
    }
}

/* w_j -> u_j, where `stride` rows are between two of the coordinate. */
static void replace(const space *s, uint64_t rows, uint64_t stride)
{
    const uint32_t q = s->q;
    for (uint64_t block = 0; block < rows; block += stride * q)
        for (uint64_t at = block; at < block + stride; at++) {
            for (uint32_t w = 0; w < q; w++) {
                const int64_t *row = s->table + (at + w * stride) * q;
                memcpy(s->twice + (size_t)w * 2 * q, row, q * sizeof *row);
                memcpy(s->twice + (size_t)w * 2 * q + q, row, q * sizeof *row);
            }
            for (uint32_t u = 0; u < q; u++) {
                int64_t *restrict to = s->table + (at + u * stride) * q;
                memcpy(to, s->twice, q * sizeof *to);
                for (uint32_t w = 1, shift = 0; w < q; w++) {
                    shift += u; /* u w mod q; r - u w is q - that further on */
                    if (shift >= q) shift -= q;
                    const int64_t *restrict from = s->twice + (size_t)w * 2 * q + (shift ? q - shift : 0);
                    for (uint32_t r = 0; r < q; r++) to[r] += from[r];
                }
            }
        }
}

/* support[(1 : u)] += T[u_l+1 ...][-u_l], whatever the coordinates before l. */
static void add_supports(const space *s, uint32_t t, uint64_t rows, int64_t *support)
{
    const uint32_t q = s->q, smaller = client_points(q, t - 1);
    const uint64_t all = client_points(q, t) - smaller, period = rows * q;
    for (uint64_t begin = 0; begin < all; begin += period)
        for (uint32_t lead = 0; lead < q; lead++) {
            const uint32_t r = lead ? q - lead : 0;
            int64_t *to = support + smaller + begin + lead * rows;
            for (uint64_t u = 0; u < rows; u++) to[u] += s->table[u * q + r];
        }
}

/* support[x] = how many answers are orthogonal to x, in the space of t coordinates; `sum` has room for the points of all smaller spaces. */
DUSK_PROVEN(find_supports)
static void find_supports(const space *s, uint32_t t, int64_t *support, const int64_t *count, int64_t *sum)
{
    const uint32_t q = s->q, smaller = client_points(q, t - 1);
    memset(support, 0, client_points(q, t) * sizeof *support);
    if (t == 1) return;
    uint64_t rows = 1;
    for (uint32_t free = 0; free + 1 < t; free++, rows *= q) {
        load(s, t, free, sum, count);
        for (uint64_t stride = 1; stride < rows; stride *= q) replace(s, rows, stride);
        add_supports(s, t, rows, support);
    }
    find_supports(s, t - 1, support, sum, sum + smaller);
    for (uint32_t i = 0; i < smaller; i++) support[i] += count[smaller]; /* the answer (1 : 0) */
}

static dusk_status supports(const dusk_client_task *task, int64_t **out, const int64_t *cell, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t q = task->width;
    space s = { .q = q, .t = task->rows };
    int64_t *support = NULL, *sum = NULL;
    DUSK_NEW(support, points_of(task));
    DUSK_NEW(sum, 2 * hyperplane(task));
    DUSK_NEW(s.table, points_of(task) - hyperplane(task));
    DUSK_NEW(s.twice, (size_t)2 * q * q);
    DUSK_NEW(s.inverse, q);
    s.inverse[1] = 1;
    for (uint32_t a = 2; a < q; a++) s.inverse[a] = (uint32_t)((uint64_t)(q - q / a) * s.inverse[q % a] % q);
    find_supports(&s, task->rows, support, cell, sum);
    *out = support;
    support = NULL;
done:
    dusk_deallocate(support);
    dusk_deallocate(sum);
    dusk_deallocate(s.table);
    dusk_deallocate(s.twice);
    dusk_deallocate(s.inverse);
    return status;
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t *support = NULL;
    DUSK_TRY(supports(task, &support, cell, err));
    local_pure_counts(truth_of(task), other_of(task), support, task->domain, reports, out, deviations, values,
                      n);
done:
    dusk_deallocate(support);
    return status;
}

/* At most: all targets need not lie in one hyperplane. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(truth_of(task), other_of(task), targets, targets, least, most);
}

/* Squares, on average, of how many of m points an answer is orthogonal to: sums over pairs of them of how many points are orthogonal to both, and to the truth as well. A pair that is on a line with the truth has as many as two points have;
 * that line has q + 1 points, so that there are at most m (q - 1) such pairs. */
static double squares(const dusk_client_task *task, double m, double with_truth)
{
    const double three = task->rows > 3 ? client_points(task->width, task->rows - 3) : 0;
    const double one = (double)hyperplane(task), two = (double)meeting(task);
    const double yes = truth_of(task) / one, no = local_chance(0 - task->p) / ((double)points_of(task) - one);
    const double others = m - with_truth, pairs = others * (others - 1);
    const double lines =
        DUSK_MUTATE(RANGE_IGNORES_LINES, yes > no, false) ? fmin(pairs, others * (task->width - 1.0)) : 0;
    return no * (m * one + m * (m - 1) * two) +
           (yes - no) *
               (with_truth * (one + 2 * others * two) + others * two + (pairs - lines) * three + lines * two);
}

static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double m = (double)(to - from + 1), q = other_of(task), gain = truth_of(task) - q;
    const double in = truth_of(task) + (m - 1) * q, out = m * q;
    *inside = fmax(squares(task, m, 1) - in * in, 0) / (gain * gain);
    *outside = fmax(squares(task, m, 0) - out * out, 0) / (gain * gain);
}

const local_protocol local_pgr = {
    .name = "pgr",
    .about = "projective geometry response: one number, the least variance",
    .mechanism = DUSK_PGR,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = pgr_epsilon,
    .cells = points_of,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .range = range,
    .range_bound = true,
    .supports = local_supports_point,
    .craft = local_craft_point,
};
