/* SPDX-License-Identifier: Apache-2.0 */
/* Prices by votes: never below the divergence that is there, whatever the method, those of the authors' program, never further apart between neighbours than is said; and a report that
 * bounds what it reports. */
#include "deep/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/rdp_conversion.h"
#include "learn/model.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "seeded.h"

enum { CLASSES = 3, TEACHERS = 60, QUESTIONS = 40 };
static const deep_aggregation ways[] = { DEEP_GNMAX, DEEP_CONFIDENT, DEEP_LNMAX, DEEP_INTERACTIVE };

/* rdp_gaussian of research/pate_2018/core.py in tensorflow/privacy. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        double q, noise, order, price;
    } known[] = {
        { 1e-3, 40, 20, 0.000729019180305 },  { 1e-6, 40, 20, 1.97022615635e-06 },
        { 1e-12, 40, 32, 1.1390309653e-10 },  { 1e-4, 15, 2.5, 0.000105683255743 },
        { 1e-8, 100, 64, 3.63805833586e-08 }, { 0.05, 40, 8, 0.005 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double price =
            deep_agreed_price_up(known[i].q, 1 / (known[i].noise * known[i].noise), known[i].order);
        assert_true(price >= known[i].price * (1 - 1e-7) && price <= known[i].price * (1 + 1e-4));
    }
}

/* Of an answer that is the second class with the probability that a normal number is above `z`, from one with `y`. */
static double divergence(double z, double y, double order)
{
    const double part[2] = { order * dusk_normal_log_sf(z) - (order - 1) * dusk_normal_log_sf(y),
                             order * dusk_normal_log_sf(-z) - (order - 1) * dusk_normal_log_sf(-y) };
    return dusk_log_sum_exp(part, 2) / (order - 1);
}

/* Two classes: the law of the answer is known, here and at every neighbour, and so is the divergence. */
static void test_holds(void **state)
{
    (void)state;
    size_t below = 0;
    for (double noise = 2; noise < 300; noise *= 3.7)
        for (double lead = 0; lead < 12 * noise; lead += 1 + noise / 3)
            for (double order = 1.5; order < 200; order *= 2.4)
                for (double changed = 1; changed < 5; changed += 3) {
                    const double wide = noise * M_SQRT2, q = fmax(dusk_normal_sf(lead / wide), 1e-200);
                    const double always = order * changed * changed / (noise * noise);
                    const double price = deep_agreed_price_up(q, changed * changed / (noise * noise), order);
                    assert_true(price <= always * (1 + 1e-12));
                    below += price < 0.5 * always;
                    for (double move = -2 * changed; move <= 2 * changed; move += changed)
                        assert_true(divergence(lead / wide, (lead + move) / wide, order) <=
                                    price * (1 + 1e-9) + 1e-13);
                    /* and of what is likelier still */
                    assert_true(deep_agreed_price_up(q / 2, changed * changed / (noise * noise), order) <=
                                price * (1 + 1e-12) + 1e-15);
                }
    assert_true(below > 100);
}

/* What a student says of a question, if it is asked: anything, and sometimes what is no number. */
static const float *guess_of(size_t q)
{
    static const float said[4][CLASSES] = {
        { 0.9f, 0.05f, 0.05f }, { 0.3f, 0.3f, 0.4f }, { 0, 1, 0 }, { NAN, 2, -1 }
    };
    return q % 5 == 4 ? NULL : said[q % 5];
}

static size_t cell_of(const deep_agreement *a, const deep_votes *v, const int32_t *count, const float *guess)
{
    return deep_agreement_cell(a, count, deep_votes_over(v, count, guess));
}

/* The total of all questions. */
static void total_to(const deep_agreement *a, const deep_votes *v, const int32_t *count, double *total,
                     double **local, size_t *n)
{
    size_t cell[QUESTIONS];
    for (size_t q = 0; q < a->questions; q++) cell[q] = cell_of(a, v, count + q * CLASSES, guess_of(q));
    assert_int_equal(deep_agreement_total(a, cell, total, local, n, NULL), DUSK_OK);
}

/* Votes are planned, and a tenth of the budget is left. */
static deep_votes votes_of(learn_job *job, deep_aggregation way, double epsilon, double margin,
                           uint32_t rows_per_unit, dusk_neighbours neighbours)
{
    deep_votes v = { .way = way,
                     .classes = CLASSES,
                     .teachers = TEACHERS,
                     .questions = QUESTIONS,
                     .answers = QUESTIONS / 2,
                     .threshold = 0.6 * TEACHERS,
                     .margin = margin };
    *job = (learn_job){ .rows = 0 };
    assert_int_equal(learn_budget_init(&job->budget, neighbours, epsilon, 1e-5, rows_per_unit, NULL),
                     DUSK_OK);
    job->budget.left = 0.9;
    assert_int_equal(deep_votes_plan(job, &v, 0.3, NULL), DUSK_OK);
    job->budget.left = 0.1;
    dusk_buffer_clear(&job->said);
    return v;
}

static deep_votes plan_of(learn_job *job, deep_agreement *a, deep_aggregation way, double epsilon,
                          double margin, uint32_t rows_per_unit, dusk_neighbours neighbours)
{
    const deep_votes v = votes_of(job, way, epsilon, margin, rows_per_unit, neighbours);
    dusk_statement statement;
    dusk_error err;
    if (deep_agreement_plan(job, a, &v, &err) != DUSK_OK)
        fail_msg("epsilon %g, %u rows: %s", epsilon, rows_per_unit, err.message);
    assert_int_equal(learn_budget_state(&job->budget, &statement, "row", NULL), DUSK_OK);
    assert_true(job->budget.left == 0 && statement.epsilon <= epsilon);
    assert_true(way != DEEP_GNMAX || statement.epsilon > 0.9 * epsilon);
    assert_true(a->price[a->zero] > 0 && a->steps >= TEACHERS);
    dusk_buffer_clear(&job->said);
    return v;
}

static deep_votes plan(learn_job *job, deep_agreement *a, double epsilon, double margin,
                       uint32_t rows_per_unit, dusk_neighbours neighbours)
{
    return plan_of(job, a, DEEP_GNMAX, epsilon, margin, rows_per_unit, neighbours);
}

/* Of any votes: the price of their lead is no less than that of the answer that may not come. */
static void check_price(const deep_agreement *a, const deep_votes *v, const int32_t *count, double margin)
{
    double q = 0;
    size_t best = 0;
    for (size_t c = 1; c < CLASSES; c++)
        if (count[c] > count[best]) best = c;
    for (size_t c = 0; c < CLASSES; c++)
        if (c != best)
            q += dusk_normal_sf((count[best] - count[c] - margin * a->noise) / (a->noise * M_SQRT2));
    const double real = deep_agreed_price_up(fmin(fmax(q, 1e-200), 1), a->square, a->order);
    const double price = ldexp((double)a->price[cell_of(a, v, count, NULL)], a->grid);
    assert_true(price >= real * (1 - 1e-12));
}

/* All votes of few teachers, and all that one of them can do: leads move by no more than is said. */
static void test_leads(void **state)
{
    (void)state;
    static const int move[][CLASSES] = { { 1, -1, 0 }, { -1, 1, 0 }, { 0, 1, -1 }, { -1, 0, 1 },
                                         { 1, 0, 0 },  { 0, -1, 0 }, { 0, 0, 1 } };
    for (int how = 0; how < 4; how++) {
        const double margin = how & 1 ? 1.5 : 0;
        learn_job job;
        deep_agreement a;
        const deep_votes v =
            plan(&job, &a, how & 2 ? 300 : 30, margin, 1, how & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        assert_true(a.price[a.steps] < a.price[0] / 2); /* there is something to see */
        for (int32_t x = 1; x < TEACHERS; x += 3)
            for (int32_t y = 1; x + y < TEACHERS; y += 2) {
                const int32_t count[CLASSES] = { x, y, TEACHERS - x - y };
                const size_t lead = cell_of(&a, &v, count, NULL);
                check_price(&a, &v, count, margin);
                for (size_t m = 0; m < sizeof move / sizeof *move; m++) {
                    int32_t other[CLASSES];
                    for (size_t c = 0; c < CLASSES; c++) other[c] = count[c] + move[m][c];
                    const size_t far = cell_of(&a, &v, other, NULL);
                    assert_true(far <= lead + a.moved && lead <= far + a.moved);
                }
            }
        deep_agreement_clear(&a);
    }
}

/* Any votes: mostly one class, or anything. */
static void fill(int32_t *count, uint64_t *seed)
{
    for (size_t q = 0; q < QUESTIONS; q++) {
        int32_t *at = count + q * CLASSES;
        const int32_t first = (int32_t)(splitmix64(seed) % (TEACHERS + 1));
        memset(at, 0, CLASSES * sizeof *at);
        at[q % CLASSES] = q % 2 ? first : TEACHERS - first / 8;
        at[(q + 1) % CLASSES] = TEACHERS - at[q % CLASSES];
    }
}

/* `rows` teachers say something else of every question. */
static void change(int32_t *count, int rows, uint64_t *seed)
{
    for (size_t q = 0; q < QUESTIONS; q++)
        for (int r = 0; r < rows; r++) {
            int32_t *at = count + q * CLASSES;
            const size_t from = splitmix64(seed) % CLASSES, to = splitmix64(seed) % (CLASSES + 1);
            if (at[from] > 0) at[from]--;
            if (to < CLASSES) at[to]++;
        }
}

static void test_sensitivity(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int how = 0; how < 48; how++) {
        const int rows = how % 3 + 1;
        const deep_aggregation way = ways[how / 12];
        int32_t here[QUESTIONS * CLASSES], there[QUESTIONS * CLASSES];
        learn_job job;
        deep_agreement a;
        double total[2], *local[2];
        size_t n;
        const deep_votes v = votes_of(&job, way, how & 1 ? 40 : 400, how & 2 ? 1.5 : 0, (uint32_t)rows,
                                      how & 4 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        assert_int_equal(deep_agreement_of(&a, &job.budget, &v, 1.5 + how % 5, NULL), DUSK_OK);
        const double answer = rows * rows / (a.noise * a.noise) * (way == DEEP_LNMAX ? 2 : 1);
        const bool asks = way == DEEP_CONFIDENT || way == DEEP_INTERACTIVE;
        const double screening = asks ? rows * rows / (2 * a.screen * a.screen) : 0;
        assert_true(fabs(a.square / (answer + screening) - 1) < 1e-12);
        assert_true(
            fabs(a.always / ((way == DEEP_CONFIDENT ? 0.5 : 1) * QUESTIONS * answer + QUESTIONS * screening) -
                 1) < 1e-12);
        assert_true(a.as_asked == (way == DEEP_INTERACTIVE) && a.delta == (a.as_asked ? 5e-6 : 1e-5));
        fill(here, &seed);
        memcpy(there, here, sizeof here);
        change(there, rows, &seed);
        total_to(&a, &v, here, &total[0], &local[0], &n);
        total_to(&a, &v, there, &total[1], &local[1], &n);
        assert_true(fabs(total[0] - total[1]) <= fmin(local[0][0], local[1][0]));
        for (size_t k = 0; k + 1 < n; k++)
            assert_true(local[0][k] <= local[1][k + 1] && local[1][k] <= local[0][k + 1] &&
                        local[0][k] <= local[0][k + 1]);
        assert_true(local[0][n - 1] == local[1][n - 1]);
        free(local[0]);
        free(local[1]);
        deep_agreement_clear(&a);
    }
}

/* All questions alike, and all of them move the same way. */
static void test_steepest(void **state)
{
    (void)state;
    for (int w = 0; w < 4; w++) {
        int32_t count[2][QUESTIONS * CLASSES];
        learn_job job;
        deep_agreement a;
        double total[2], *local[2], steepest = 0;
        size_t n;
        const deep_votes v = plan_of(&job, &a, ways[w], 400, 0, 1, DUSK_ADD_REMOVE);
        for (int32_t first = 1; first < TEACHERS; first++) {
            for (int side = 0; side < 2; side++) {
                for (size_t i = 0; i < QUESTIONS * CLASSES; i++)
                    count[side][i] = i % CLASSES == 0   ? first - side
                                     : i % CLASSES == 1 ? TEACHERS - first + side
                                                        : 0;
                total_to(&a, &v, count[side], &total[side], &local[side], &n);
            }
            assert_true(fabs(total[0] - total[1]) <= fmin(local[0][0], local[1][0]));
            steepest = fmax(steepest, fabs(total[0] - total[1]) / local[0][0]);
            free(local[0]);
            free(local[1]);
        }
        assert_true(steepest > (ways[w] == DEEP_INTERACTIVE ? 0.1 : 0.5));
        deep_agreement_clear(&a);
    }
}

/* Units of many rows, of whether teachers agree it is known far better than of what they say: one change takes a question from one end to the other. */
static void test_ends(void **state)
{
    (void)state;
    enum { MANY = 1000, CHANGED = 400 };
    size_t furthest = 0;
    learn_job job = { .rows = 0 };
    deep_agreement a;
    deep_votes v = { .way = DEEP_CONFIDENT,
                     .classes = CLASSES,
                     .teachers = MANY,
                     .questions = 1,
                     .answers = 1,
                     .threshold = 0.8 * MANY };
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 300, 1e-5, CHANGED, NULL), DUSK_OK);
    job.budget.left = 0.9;
    assert_int_equal(deep_votes_plan(&job, &v, 0.9, NULL), DUSK_OK);
    job.budget.left = 0.1;
    assert_int_equal(deep_agreement_of(&a, &job.budget, &v, 3, NULL), DUSK_OK);
    assert_true(a.moved <= a.zero + a.steps + 1);
    for (int32_t first = CHANGED; first <= MANY; first++) {
        const int32_t left = MANY - first, count[2][CLASSES] = { { first, left / 2, left - left / 2 },
                                                                 { first - CHANGED, left / 2 + CHANGED / 2,
                                                                   left - left / 2 + CHANGED / 2 } };
        double total[2], *local[2];
        size_t cell[2], n;
        for (int side = 0; side < 2; side++) {
            cell[side] = cell_of(&a, &v, count[side], NULL);
            assert_int_equal(deep_agreement_total(&a, &cell[side], &total[side], &local[side], &n, NULL),
                             DUSK_OK);
        }
        const size_t far = cell[0] > cell[1] ? cell[0] - cell[1] : cell[1] - cell[0];
        furthest = far > furthest ? far : furthest;
        assert_true(far <= a.moved);
        assert_true(fabs(total[0] - total[1]) <= fmin(local[0][0], local[1][0]));
        for (size_t k = 0; k + 1 < n; k++)
            assert_true(local[0][k] <= local[1][k + 1] && local[1][k] <= local[0][k + 1]);
        for (int side = 0; side < 2; side++) free(local[side]);
    }
    if (furthest < a.steps + 1000) fail_msg("%zu cells is no long way", furthest);
    deep_agreement_clear(&a);
    dusk_buffer_clear(&job.said);
}

/* Logarithms of the law of what comes of a question with two classes: nothing, the first, the second. `said`: votes that a student is worth. */
static void outcomes(const deep_agreement *a, const int32_t *count, const double said[2], double law[3])
{
    const double d = (double)(count[0] - count[1]), x = fabs(d) / a->noise;
    const double other = a->laplace ? log((2 + x) / 4) - x : dusk_normal_log_sf(x / M_SQRT2);
    const double most = fmax((double)count[0] - said[0], (double)count[1] - said[1]);
    const double rest = a->screen > 0 ? dusk_normal_log_sf((a->enough - most) / a->screen) : 0;
    law[0] = a->screen > 0 ? dusk_normal_log_sf((most - a->enough) / a->screen) : -INFINITY;
    law[1] = rest + (d >= 0 ? log1p(-exp(other)) : other);
    law[2] = rest + (d >= 0 ? other : log1p(-exp(other)));
}

static double divergence_of(const double here[3], const double there[3], double order)
{
    double sum = 0;
    for (int o = 0; o < 3; o++)
        if (here[o] > -INFINITY) {
            const double gain = (order - 1) * (here[o] - there[o]);
            sum += gain < 1 ? exp(here[o]) * expm1(gain) : exp(here[o] + gain) - exp(here[o]);
        }
    return log1p(sum) / (order - 1);
}

/* Questions that are asked first whether teachers agree, and those with Laplace noise: of two classes all that may come of one is known, at all neighbours too. */
static void test_methods(void **state)
{
    static const float scores[][2] = { { 0, 0 }, { 0.25, 0.75 }, { 1, 0 } };
    (void)state;
    for (int w = 0; w < 6; w++)
        for (double epsilon = 15; epsilon < 2000; epsilon *= 4) {
            const deep_aggregation way = w < 3 ? ways[w] : DEEP_INTERACTIVE;
            const float *score = scores[w % 3];
            const double said[] = { way == DEEP_INTERACTIVE ? (double)score[0] * TEACHERS : 0,
                                    way == DEEP_INTERACTIVE ? (double)score[1] * TEACHERS : 0 };
            size_t cheap[2] = { 0 };
            learn_job job;
            deep_agreement a;
            deep_votes v = votes_of(&job, way, epsilon, 0, 1, DUSK_ADD_REMOVE);
            assert_int_equal(deep_agreement_of(&a, &job.budget, &v, epsilon > 100 ? 1.5 : 4, NULL), DUSK_OK);
            a.classes = v.classes = 2; /* prices are for three, and no less */
            for (int32_t x = 0; x <= TEACHERS; x++)
                for (int32_t y = 0; x + y <= TEACHERS; y += 1 + (TEACHERS - x - y) / 9) {
                    const int32_t count[2] = { x, y };
                    const size_t cell = cell_of(&a, &v, count, score);
                    const double price = ldexp((double)a.price[cell], a.grid);
                    double here[3], there[3], most = 0;
                    outcomes(&a, count, said, here);
                    for (int32_t i = -1; i <= 1; i++)
                        for (int32_t j = -1; j <= 1; j++) {
                            const int32_t other[2] = { x + i, y + j };
                            if (i * j == 1) continue; /* two teachers */
                            outcomes(&a, other, said, there);
                            most = fmax(most, divergence_of(here, there, a.order));
                        }
                    assert_true(most <= price * (1 + 1e-4) + 1e-12);
                    cheap[cell < a.zero] += price < 0.1 * a.order * a.square;
                }
            if (epsilon > 400) assert_true((cheap[0] > 0 || w == 5) && (w == 0 || w == 2 || cheap[1] > 0));
            deep_agreement_clear(&a);
        }
}

/* Questions one after the other, the student saying of each what came of the one before. */
enum { TURNS = 2 };
typedef struct path {
    const deep_agreement *a;
    const deep_votes *v;
    int32_t here[TURNS][2], there[TURNS][2];
    double delta;
    double mean; /* of e^((order - 1) (loss - price)) over all that may come */
    double
        excess; /* how much likelier that is here than e^epsilon allows for, epsilon being that of the price */
} path;

static void follow(path *p, size_t q, const float *guess, double price, double log_here, double log_there)
{
    static const float next[3][2] = { { 0, 0 }, { 1, 0.25f }, { 0, 1 } };
    const double said[] = { guess ? (double)guess[0] * TEACHERS : 0,
                            guess ? (double)guess[1] * TEACHERS : 0 };
    double law[2][3];
    if (q == TURNS) {
        const double order = p->a->order,
                     epsilon = dusk_moment_to_epsilon_up(order - 1, (order - 1) * price, p->delta);
        p->mean += exp(order * log_here - (order - 1) * (log_there + price));
        p->excess += fmax(exp(log_here) - exp(epsilon + log_there), 0);
        return;
    }
    price += ldexp((double)p->a->price[cell_of(p->a, p->v, p->here[q], guess)], p->a->grid);
    outcomes(p->a, p->here[q], said, law[0]);
    outcomes(p->a, p->there[q], said, law[1]);
    for (int o = 0; o < 3; o++) follow(p, q + 1, next[o], price, log_here + law[0][o], log_there + law[1][o]);
}

/* Interactive: what a report says holds of the answers as they came, whatever they were. */
static void test_paths(void **state)
{
    (void)state;
    uint64_t seed = 8;
    double least = 1;
    for (int how = 0; how < 12; how++) {
        learn_job job;
        deep_agreement a;
        const uint32_t rows = 1 + (uint32_t)how / 3 % 3;
        deep_votes v = votes_of(&job, DEEP_INTERACTIVE, 20 << how % 3, 0, rows,
                                how % 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        assert_int_equal(deep_agreement_of(&a, &job.budget, &v, 1.5 + how / 3 * 1.5, NULL), DUSK_OK);
        a.classes = v.classes = 2;
        for (int turn = 0; turn < 1000; turn++) {
            path p = { .a = &a, .v = &v, .delta = turn % 2 ? 0.3 : 0.01 };
            for (size_t q = 0; q < TURNS; q++) {
                const int32_t first = (int32_t)(splitmix64(&seed) % (TEACHERS - 2 * rows) + rows);
                const int32_t moved = (int32_t)(splitmix64(&seed) % (2 * rows + 1)) - (int32_t)rows;
                memcpy(p.here[q], (int32_t[]){ first, TEACHERS - first }, sizeof p.here[q]);
                memcpy(p.there[q], (int32_t[]){ first + moved, TEACHERS - first - moved }, sizeof p.there[q]);
            }
            follow(&p, 0, NULL, 0, 0, 0);
            if (!(p.mean <= 1 + 1e-9 && p.excess <= p.delta))
                fail_msg("%d, %d: %g, and %g for %g", how, turn, p.mean, p.excess, p.delta);
            least = fmin(least, p.mean);
        }
        deep_agreement_clear(&a);
    }
    assert_true(least < 0.9); /* prices are seen */
}

/* Votes of all questions. */
static void agree(int32_t *count, int32_t first)
{
    for (size_t i = 0; i < QUESTIONS * CLASSES; i++)
        count[i] = i % CLASSES == 1 ? first : (TEACHERS - first) / 2;
}

/* The total, and if noise follows it the smooth sensitivity, in divergences. */
static double total_of(const deep_agreement *a, const deep_votes *v, const int32_t *count,
                       double *sensitivity)
{
    double total, *local;
    size_t n;
    total_to(a, v, count, &total, &local, &n);
    for (size_t k = 0; k < n; k++) local[k] = ldexp(local[k], a->grid);
    *sensitivity = a->smoothly ? dusk_smooth_sensitivity(&a->smooth, local, n) : 0;
    free(local);
    return ldexp(total, a->grid);
}

static void report_of(double out[6], learn_job *job, const deep_agreement *a, const deep_votes *v,
                      const int32_t *count, dusk_generator *gen)
{
    size_t cell[QUESTIONS];
    dusk_model model = { .arrays = 0 };
    size_t rows, columns;
    job->model = &model;
    for (size_t q = 0; q < QUESTIONS; q++) cell[q] = cell_of(a, v, count + q * CLASSES, NULL);
    assert_int_equal(deep_agreement_report(job, a, cell, gen, NULL), DUSK_OK);
    const double *report = dusk_model_array(&model, "report", &rows, &columns);
    assert_true(report && rows == 1 && columns == 6);
    memcpy(out, report, 6 * sizeof *out);
    free(model.array[0].value);
    free(model.array);
}

/* What is reported is above the total in 95 of 100, and below what noise guarantees; no epsilon is above that of the answers' own event. */
static void check_report(double epsilon, bool smoothly)
{
    int32_t count[QUESTIONS * CLASSES];
    int above = 0, useful = 0;
    learn_job job;
    deep_agreement a;
    dusk_generator *gen = seeded(1);
    double sensitivity, report[6];
    const deep_votes v = plan(&job, &a, epsilon, 0, 1, DUSK_ADD_REMOVE);
    assert_int_equal(a.smoothly, smoothly);
    assert_true(a.alone < epsilon && a.alone > 0.85 * epsilon);
    if (!smoothly) { /* noise is for all questions that move as far as any may, together */
        int64_t move = 0;
        for (size_t i = 0; i <= a.zero + a.steps; i++) move = a.moves[i] > move ? a.moves[i] : move;
        const double moves = ldexp((double)move * QUESTIONS, a.grid);
        assert_true(a.total.gauss.grid_sensitivity >= moves * (1 - 1e-12) &&
                    a.total.gauss.grid_sensitivity < 1.01 * moves);
    }
    agree(count, TEACHERS - 4);
    const double total = total_of(&a, &v, count, &sensitivity);
    for (int i = 0; i < 100; i++) {
        report_of(report, &job, &a, &v, count, gen);
        assert_true(report[0] == a.order && report[3] >= 0 && report[3] <= a.alone && report[4] == 1e-5 &&
                    report[5] == a.alone);
        above += report[2] >= total;
        useful += report[2] < 0.7 * a.order * a.square * QUESTIONS && report[3] < a.alone;
    }
    if (!(above >= 87 && useful >= 60)) fail_msg("%d of 100 are above, and %d of use", above, useful);
    agree(count, TEACHERS / 3); /* nobody agrees: what is known without votes */
    report_of(report, &job, &a, &v, count, gen);
    assert_true(report[3] == a.alone);
    deep_agreement_clear(&a);
    dusk_generator_free(gen);
}

static void test_report(void **state)
{
    (void)state;
    check_report(7, false);
    check_report(200, true);
}

static double price_of_answers(const deep_votes *v, double delta)
{
    dusk_event all, event;
    dusk_statement statement;
    assert_int_equal(dusk_noise_event(&v->counts.gauss, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_repeat(&all, &event, v->answers, NULL), DUSK_OK);
    assert_int_equal(dusk_noise_event(&v->screen.gauss, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_repeat(&event, &event, v->questions, NULL), DUSK_OK);
    assert_int_equal(dusk_event_add(&all, &all, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &all, delta, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

/* Interactive: which of two epsilons is the lesser depends on answers, and each is at half of the delta. (Let outcomes A and B be likelier here than there, by delta each. One epsilon may be 0 on A
 * and endless elsewhere, the other 0 on B: both hold at delta, and the lesser of them at no less than twice that.) What was not asked does not count. */
static void test_halves(void **state)
{
    (void)state;
    learn_job job;
    deep_agreement a;
    dusk_generator *gen = seeded(3);
    double report[6], total, *local;
    size_t rows, columns, n, below = 0;
    const deep_votes v = plan_of(&job, &a, DEEP_INTERACTIVE, 200, 0, 1, DUSK_ADD_REMOVE);
    const double half = price_of_answers(&v, 5e-6), all = price_of_answers(&v, 1e-5);
    assert_true(half > all);
    for (size_t asked = 0; asked <= QUESTIONS; asked += 5) {
        size_t cell[QUESTIONS];
        dusk_model model = { .arrays = 0 };
        for (size_t q = 0; q < QUESTIONS; q++) cell[q] = q < asked ? a.zero + a.steps / 3 : DEEP_NOT_ASKED;
        job.model = &model;
        assert_int_equal(deep_agreement_report(&job, &a, cell, gen, NULL), DUSK_OK);
        memcpy(report, dusk_model_array(&model, "report", &rows, &columns), sizeof report);
        const double s = a.order - 1, said = dusk_moment_to_epsilon_up(s, s * report[2], 5e-6);
        assert_true(fabs(report[3] / fmin(said, half) - 1) < 1e-9);
        assert_true(report[4] == 1e-5 && fabs(report[5] / all - 1) < 1e-9);
        below += said < half;
        assert_int_equal(deep_agreement_total(&a, cell, &total, &local, &n, NULL), DUSK_OK);
        assert_true(total == (double)asked * (double)a.price[a.zero + a.steps / 3]);
        free(local);
        free(model.array[0].value);
        free(model.array);
    }
    assert_true(below > 0);
    deep_agreement_clear(&a);
    dusk_generator_free(gen);
}

static void add_event(dusk_event *all, const dusk_event *event, uint64_t times)
{
    dusk_event repeated;
    assert_int_equal(dusk_event_repeat(&repeated, event, times, NULL), DUSK_OK);
    assert_int_equal(dusk_event_add(all, all, &repeated, NULL), DUSK_OK);
}

static double price_of_event(const dusk_event *event)
{
    dusk_statement statement;
    assert_int_equal(dusk_statement_init(&statement, event, 1e-5, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

/* What is charged is what noise is made for: answers, the total and the logarithm, each by its own event. */
static void test_charged(void **state)
{
    (void)state;
    static const double epsilons[] = { 30, 60, 200 };
    for (size_t i = 0; i < 3; i++) {
        learn_job job;
        deep_agreement a;
        dusk_event all, event;
        const deep_votes v = plan_of(&job, &a, DEEP_GNMAX, epsilons[i], 0, 1, DUSK_ADD_REMOVE);
        assert_true(a.smoothly);
        assert_int_equal(dusk_noise_event(&v.counts.gauss, &event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_repeat(&all, &event, QUESTIONS, NULL), DUSK_OK);
        assert_true(fabs(price_of_event(&all) / a.alone - 1) < 1e-9);
        assert_int_equal(dusk_noise_event(&a.log_noise.gauss, &event, NULL), DUSK_OK);
        add_event(&all, &event, 1);
        assert_int_equal(dusk_smooth_event(&a.smooth, &event, NULL), DUSK_OK);
        add_event(&all, &event, 1);
        const double price = price_of_event(&all);
        assert_true(price <= epsilons[i] && price > 0.99 * epsilons[i]);
        assert_true(fabs(price / price_of_event(&job.budget.event) - 1) < 1e-6);
        /* the logarithm of what is beta-smooth moves by beta, which is what that noise is for */
        assert_true(a.log_noise.gauss.grid_sensitivity >= a.smooth.beta &&
                    a.log_noise.gauss.grid_sensitivity < a.smooth.beta * (1 + 1e-6) + 1e-9);
        deep_agreement_clear(&a);
    }
}

/* What noise alone says of the answers is what they were charged, before there is a report; Laplace noise may say a little less than what is pure does. */
static void test_alone(void **state)
{
    (void)state;
    for (int how = 0; how < 16; how++) {
        const deep_aggregation way = ways[how % 4];
        const dusk_neighbours neighbours = how < 8 ? DUSK_ADD_REMOVE : DUSK_REPLACE_ONE;
        learn_job job;
        deep_agreement a;
        dusk_statement charged;
        const deep_votes v = votes_of(&job, way, 4, 0, how / 4 % 2 ? 3 : 1, neighbours);
        assert_int_equal(deep_agreement_of(&a, &job.budget, &v, 3, NULL), DUSK_OK);
        assert_int_equal(dusk_statement_init(&charged, &job.budget.event, 1e-5, neighbours, "row", NULL),
                         DUSK_OK);
        assert_true(way == DEEP_INTERACTIVE ? a.known > a.alone : a.known == a.alone);
        assert_true(a.alone <= charged.epsilon * (1 + 1e-9) && charged.epsilon < 4);
        assert_true(a.alone >= charged.epsilon * (way == DEEP_LNMAX ? 0.95 : 1 - 1e-9));
        deep_agreement_clear(&a);
    }
}

/* Half of all releases are as near as half of the law of the noise is, for the total and for the logarithm: 600 of them are out of these bounds once in a million. */
static void test_spread(void **state)
{
    (void)state;
    enum { TIMES = 600, OUT = 61 }; /* five deviations of the number that is near */
    int32_t count[QUESTIONS * CLASSES];
    int near = 0, near_log = 0;
    learn_job job;
    deep_agreement a;
    dusk_generator *gen = seeded(7);
    double sensitivity, report[6];
    const deep_votes v = plan(&job, &a, 410, 0, 1, DUSK_ADD_REMOVE);
    assert_true(a.smoothly);
    double total = 0, half = 1;
    for (int32_t first = TEACHERS / 2; total < 3 * half; first--) { /* where next to nothing is cut off */
        agree(count, first);
        total = total_of(&a, &v, count, &sensitivity);
        half = 0.764892 * sensitivity / a.smooth.ratio;
    }
    assert_true(total + a.multiple * sensitivity * exp(2 * a.reach) < a.order * a.always);
    for (int i = 0; i < TIMES; i++) {
        report_of(report, &job, &a, &v, count, gen);
        if (report[1] == 0) continue; /* further off, and cut off */
        const double log_noisy = log((report[2] - report[1]) / a.multiple) - a.reach;
        near += fabs(report[1] - total) < half;
        near_log += fabs(log_noisy - log(sensitivity)) < 0.67449 * a.log_noise.deviation;
    }
    if (abs(near - TIMES / 2) > OUT || abs(near_log - TIMES / 2) > OUT)
        fail_msg("%d and %d of %d are near", near, near_log, TIMES);
    deep_agreement_clear(&a);
    dusk_generator_free(gen);
}

/* Noise that leaves nothing to say, even if all teachers agreed, is refused before anything is released. */
static void test_worthless(void **state)
{
    (void)state;
    learn_job job = { .rows = 0 };
    deep_agreement a = { .noise = 0 };
    dusk_error err;
    deep_votes v = { .way = DEEP_GNMAX, .classes = CLASSES, .teachers = 20, .questions = 12, .margin = 1.5 };
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 0.7, 1e-6, 1, NULL), DUSK_OK);
    job.budget.left = 0.9;
    assert_int_equal(deep_votes_plan(&job, &v, 0.3, NULL), DUSK_OK);
    job.budget.left = 0.1;
    assert_int_equal(deep_agreement_plan(&job, &a, &v, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "if all teachers agreed"));
    assert_non_null(strstr(err.hint, "margin=0"));
    assert_true(job.budget.left == 0.1 && a.price == NULL);
    dusk_buffer_clear(&job.said);
}

static void test_refusals(void **state)
{
    (void)state;
    learn_job job = { .rows = 0 };
    deep_agreement a = { .noise = 0 };
    dusk_error err;
    const deep_votes v = {
        .way = DEEP_LNMAX, .classes = 3, .teachers = 5, .questions = 3
    }; /* without a delta */
    assert_int_equal(deep_agreement_plan(&job, &a, &v, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "report=no"));
    deep_agreement_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),   cmocka_unit_test(test_holds),    cmocka_unit_test(test_leads),
        cmocka_unit_test(test_sensitivity), cmocka_unit_test(test_report),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_steepest), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_charged),     cmocka_unit_test(test_alone),    cmocka_unit_test(test_spread),
        cmocka_unit_test(test_worthless),   cmocka_unit_test(test_paths),    cmocka_unit_test(test_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
