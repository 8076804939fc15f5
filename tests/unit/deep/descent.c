/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are looked at: which is chosen, what is measured after it, what a row may say of it, which rows say it, and that all of it is within the allowance, by an account of its own. */
#include "deep/descent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/filter.h"
#include "base/memory.h"
#include "deep/gains.h"
#include "descended.h"
#include "dusk/learn.h"
#include "seeded.h"

enum { NUMBERS = 50 };

static learn_allowance allowance_of(double rate, double epsilon, uint64_t steps)
{
    learn_budget budget;
    learn_sampler sampler;
    learn_allowance out;
    assert_int_equal(learn_budget_init(&budget, DUSK_ADD_REMOVE, epsilon, 1e-5, 1, NULL), DUSK_OK);
    assert_int_equal(learn_sampler_init(&sampler, LEARN_POISSON, rate, 0, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(learn_budget_allow(&budget, &out, NUMBERS, 0x1p22, -22, &sampler, steps, NULL), DUSK_OK);
    return out;
}

static void open_descent(deep_descent *d, const learn_allowance *a, uint64_t steps, double rate)
{
    deep_measures measures;
    assert_int_equal(deep_descent_plan(&measures, a, steps, NULL), DUSK_OK);
    assert_int_equal(deep_descent_open(d, a, &measures, rate, NUMBERS, NULL), DUSK_OK);
}

static bool begin(deep_descent *d)
{
    bool goes_on;
    assert_int_equal(deep_descent_begin(d, &goes_on, NULL), DUSK_OK);
    return goes_on;
}

/* A step of numbers that are all the same. */
static void take(deep_descent *d, float number)
{
    float released[NUMBERS];
    for (size_t j = 0; j < NUMBERS; j++) released[j] = number;
    assert_true(begin(d));
    deep_descent_take(d, released, 0, NUMBERS / 3);
    deep_descent_take(d, released + NUMBERS / 3, NUMBERS / 3, NUMBERS - NUMBERS / 3);
}

static const double none[DEEP_LENGTHS] = { -1, 0, -3, -2 }, third[DEEP_LENGTHS] = { -5, 1, 4, 3 };

static void near(double x, double wanted)
{
    if (!(fabs(x / wanted - 1) < 1e-6)) fail_msg("%.9g, and not %.9g", x, wanted);
}

static void the_best_is_chosen(void **state)
{
    (void)state;
    const learn_allowance a = allowance_of(1, 2, 20);
    deep_descent d;
    open_descent(&d, &a, 20, 3);
    take(&d, 1);
    near(deep_descent_choose(&d, third, 1), 1.5); /* 6, 3, 1.5, 0.75 */
    take(&d, 1);
    assert_true(deep_descent_choose(&d, none, 1) == 0);
    const double last[DEEP_LENGTHS] = { -5, -1, -4, 1e-9 };
    take(&d, 1);
    near(deep_descent_choose(&d, last, 1), 0.75);
    deep_descent_close(&d);
}

/* What is kept and what is measured anew are averaged by their precision, and together have that of the next level. */
static void what_is_kept_counts(void **state)
{
    (void)state;
    const learn_allowance a = allowance_of(1, 2, 60);
    deep_descent d;
    open_descent(&d, &a, 60, 3);
    take(&d, 10);
    near(d.noise.deviation, d.measures.first);
    assert_true(deep_descent_choose(&d, none, 1) == 0);
    take(&d, 20);
    near(d.noise.deviation, d.measures.first / sqrt(DEEP_RAISED));
    near((double)d.gradient[0], (10 + DEEP_RAISED * 20) / (1 + DEEP_RAISED));
    near((double)d.gradient[NUMBERS - 1], (double)d.gradient[0]);
    assert_true(deep_descent_choose(&d, none, 1) == 0);
    take(&d, 5);
    const double second = DEEP_RAISED * (1 + DEEP_RAISED);
    near(d.noise.deviation, d.measures.first / sqrt(second));
    near((double)d.gradient[7], (10 + DEEP_RAISED * 20 + second * 5) / pow(1 + DEEP_RAISED, 2));
    assert_true(deep_descent_choose(&d, third, 1) > 0);
    take(&d, 7); /* a new gradient, as precise as the last one was in the end */
    near(d.noise.deviation, d.measures.first / (1 + DEEP_RAISED));
    near((double)d.gradient[3], 7);
    deep_descent_close(&d);
}

/* Precision ends somewhere: then the gradient is measured again as it was. */
static void precision_ends(void **state)
{
    (void)state;
    const learn_allowance a = allowance_of(1, 2, 400);
    deep_descent d;
    open_descent(&d, &a, 400, 3);
    assert_true(d.measures.levels > 12 && d.measures.levels < DEEP_LEVELS &&
                pow(1 + DEEP_RAISED, (double)d.measures.levels) > 4);
    const uint64_t top = d.measures.levels - 1;
    for (uint64_t step = 0; step <= top; step++) {
        take(&d, 10);
        assert_true(deep_descent_choose(&d, none, 1) == 0);
    }
    const double least = d.measures.first * pow(1 + DEEP_RAISED, -(double)top / 2);
    take(&d, 20);
    near(d.noise.deviation, least);
    near((double)d.gradient[0], 15);
    assert_true(deep_descent_choose(&d, none, 1) == 0);
    take(&d, 0);
    near((double)d.gradient[0], 10);
    near(1 / sqrt(d.kept.held + d.precision), least / sqrt(3));
    assert_true(d.kept.alone[top] == 2 && d.kept.added[top] == 1 && d.kept.alone[0] == 1);
    deep_descent_close(&d);
}

static void longest_steps_follow(void **state)
{
    (void)state;
    const learn_allowance a = allowance_of(1, 2, 4000);
    const double seldom[DEEP_LENGTHS] = { 1, -1, -1, -1 }, large[DEEP_LENGTHS] = { 20, 1, 1, 1 };
    deep_descent d;
    open_descent(&d, &a, 4000, 3);
    near(deep_descent_rate(&d, 0), 6);
    for (int step = 0; step < 10; step++) { /* all gains count together: 10 and 9 times 4 */
        near(deep_descent_rate(&d, 0), 6);
        take(&d, 1);
        (void)deep_descent_choose(&d, step < 9 ? third : seldom, 1);
    }
    near(deep_descent_rate(&d, 0), 3); /* twice the third */
    for (int step = 0; step < 10; step++) {
        take(&d, 1); /* in the unit of losses: a large gain of a small clip is none */
        (void)deep_descent_choose(&d, step == 4 ? large : third, step == 4 ? 0.01 : 1);
    }
    near(deep_descent_rate(&d, 0), 1.5);
    for (int step = 0; step < 10; step++) {
        take(&d, 1);
        (void)deep_descent_choose(&d, none, 1);
    }
    near(deep_descent_rate(&d, 0), 0.75);
    for (int step = 0; step < 300; step++) {
        take(&d, 1);
        (void)deep_descent_choose(&d, seldom, 1);
    }
    near(deep_descent_rate(&d, 0), 3 * 0x1p20); /* not without end */
    deep_descent_close(&d);
}

/* --- cost -------------------------------------------------------------------------------------------------------------------- */

/* An account of its own of what was released, of samples of all kinds, both relations and units of several rows. */
typedef struct relation {
    learn_sampling way;
    double rate;
    uint64_t places;
    dusk_neighbours neighbours;
    uint32_t units;
} relation;

static relation one_row(double rate) { return (relation){ LEARN_POISSON, rate, 0, DUSK_ADD_REMOVE, 1 }; }

static size_t put_event(char *text, size_t room, const relation *r, double multiplier, uint64_t times)
{
    char one[200];
    if (r->rate >= 1)
        snprintf(one, sizeof one, "gaussian(%.17g)", multiplier);
    else if (r->way == LEARN_POISSON)
        snprintf(one, sizeof one, "poisson(%.17g, gaussian(%.17g))", r->rate, multiplier);
    else
        snprintf(one, sizeof one, "without_replacement(%u, %u, gaussian(%.17g))",
                 (unsigned)(r->rate * (double)r->places), (unsigned)r->places, multiplier);
    if (r->units > 1 && r->rate < 1)
        return (size_t)snprintf(text, room, "group(%u, %s) * %u + ", r->units, one, (unsigned)times);
    return (size_t)snprintf(text, room, "%s * %u + ", one, (unsigned)times);
}

static double cost_of(const relation *r, const deep_descent *d)
{
    static char text[40000];
    size_t at = 0;
    dusk_event event;
    dusk_statement statement;
    for (int l = 0; l < DEEP_LEVELS; l++) {
        const double level = d->measures.first * pow(1 + DEEP_RAISED, -l / 2.0);
        const double before = d->measures.first * pow(1 + DEEP_RAISED, (1 - l) / 2.0);
        if (d->kept.alone[l] > 0) at += put_event(text + at, sizeof text - at, r, level, d->kept.alone[l]);
        if (d->kept.added[l] > 0)
            at += put_event(text + at, sizeof text - at, r,
                            1 / sqrt(1 / (level * level) - 1 / (before * before)), d->kept.added[l]);
    }
    at += put_event(text + at, sizeof text - at, r, d->measures.choosing, d->kept.choices);
    text[at - 3] = 0;
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    /* of all rows a multiplier is of what a change does, whichever it is */
    assert_int_equal(dusk_statement_init(&statement, &event, 1e-5,
                                         r->rate >= 1 ? DUSK_ADD_REMOVE : r->neighbours, "row", NULL),
                     DUSK_OK);
    return statement.epsilon;
}

/* Steps of which a part is none; how many there were. */
static uint64_t run(deep_descent *d, uint64_t steps, unsigned part, uint64_t *seed)
{
    uint64_t step = 0;
    for (; step < steps && begin(d); step++)
        (void)deep_descent_choose(d, part > 0 && splitmix64(seed) % part == 0 ? none : third, 1);
    return step;
}

static void what_is_taken_is_within(void **state)
{
    (void)state;
    enum { STEPS = 100 };
    uint64_t seed = 3;
    for (int all = 0; all < 2; all++) {
        const relation r = one_row(all ? 1 : 0.05);
        const learn_allowance a = allowance_of(r.rate, 2, STEPS);
        for (unsigned part = 0; part < 4; part++) { /* none of them, all, a half, a third */
            deep_descent d;
            open_descent(&d, &a, STEPS, 1);
            const uint64_t steps = run(&d, STEPS, part, &seed);
            assert_int_equal(steps, d.kept.choices);
            if (part == 0) assert_int_equal(steps, STEPS);
            if (part == 2) assert_true(steps < STEPS && d.kept.ended);
            const double cost = cost_of(&r, &d), left = dusk_filter_left_down(d.filter) / a.most;
            if (!(cost <= 2 && cost > (all ? 1.9 : 1.2))) fail_msg("%d, %u: %g", all, part, cost);
            assert_true(left < 0.01 * (all ? a.most : 1));          /* a step or two at the first precision */
            assert_true(part == 0 || !begin(&d) || steps == STEPS); /* for good */
            deep_descent_close(&d);
        }
    }
}

static void go_on_from_here(deep_descent *d, const learn_allowance *a, uint64_t steps)
{
    deep_descent other;
    open_descent(&other, a, steps, 1);
    other.kept = d->kept;
    assert_int_equal(deep_descent_resume(&other, NULL), DUSK_OK);
    deep_descent_close(d);
    *d = other;
}

/* What was charged, going on from a state now and then, is within the promise, and noise is what was charged. */
static void relations_are_charged(void **state)
{
    (void)state;
    enum { STEPS = 40 };
    static const relation relations[] = { { LEARN_POISSON, 1, 0, DUSK_ADD_REMOVE, 3 },
                                          { LEARN_POISSON, 1, 0, DUSK_REPLACE_ONE, 2 },
                                          { LEARN_POISSON, 0.03, 0, DUSK_REPLACE_ONE, 1 },
                                          { LEARN_POISSON, 0.03, 0, DUSK_ADD_REMOVE, 2 },
                                          { LEARN_FIXED, 0.05, 2000, DUSK_REPLACE_ONE, 1 } };
    uint64_t seed = 21;
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        const relation *r = &relations[k];
        learn_budget budget;
        learn_sampler sampler;
        learn_allowance a;
        deep_descent d;
        assert_int_equal(learn_budget_init(&budget, r->neighbours, 2, 1e-5, r->units, NULL), DUSK_OK);
        assert_int_equal(learn_sampler_init(&sampler, r->way, r->rate, r->places, r->neighbours, NULL),
                         DUSK_OK);
        assert_int_equal(learn_budget_allow(&budget, &a, NUMBERS, 0x1p22, -22, &sampler, STEPS, NULL),
                         DUSK_OK);
        open_descent(&d, &a, STEPS, 1);
        const double factor = a.all ? a.factor : 1;
        for (uint64_t step = 0; step < STEPS && begin(&d); step++) {
            near(d.noise.gauss.scale, factor / sqrt(d.precision));
            near(d.choice.gauss.scale, factor * d.measures.choosing);
            (void)deep_descent_choose(&d, splitmix64(&seed) % 3 == 0 ? none : third, 1);
            if (step % 7 == 6) go_on_from_here(&d, &a, STEPS);
        }
        const double cost = cost_of(r, &d);
        if (!(cost <= 2 && cost > 1)) fail_msg("%zu: %g", k, cost);
        deep_descent_close(&d);
    }
}

/* What a training has released is charged again before it goes on. */
static void what_was_taken_is_taken(void **state)
{
    (void)state;
    uint64_t seed = 4;
    const learn_allowance a = allowance_of(0.05, 2, 60);
    deep_descent one, other;
    open_descent(&one, &a, 60, 1);
    open_descent(&other, &a, 60, 1);
    assert_int_equal(run(&one, 20, 4, &seed), 20);
    other.kept = one.kept;
    assert_int_equal(deep_descent_resume(&other, NULL), DUSK_OK);
    const double left = dusk_filter_left_down(one.filter), again = dusk_filter_left_down(other.filter);
    assert_true(fabs(again - left) < 1e-9 * one.allowance->most);
    (void)run(&other, 60, 4, &seed);
    const relation r = one_row(0.05);
    assert_true(cost_of(&r, &other) <= 2);
    deep_descent_close(&one);
    deep_descent_close(&other);
}

/* --- rows -------------------------------------------------------------------------------------------------------------------- */

static void rows_are_bounded(void **state)
{
    (void)state;
    static const double strange[] = {
        0,          1e-300, 1, 1e9, 1e300, -1e300, 1e-12, -1, 0x1p-1074, (double)INFINITY, -(double)INFINITY,
        (double)NAN
    };
    enum { STRANGE = sizeof strange / sizeof *strange };
    const double bound = 0x1p44;
    uint64_t seed = 5;
    int64_t out[DEEP_LENGTHS];
    double longest = 0;
    for (int turn = 0; turn < 200000; turn++) {
        double loss[1 + DEEP_LENGTHS], square = 0;
        const double size = exp2((double)(splitmix64(&seed) % 60) - 40);
        const double clip = turn % 7 ? 0.25 : strange[splitmix64(&seed) % STRANGE];
        for (size_t k = 0; k <= DEEP_LENGTHS; k++) {
            const uint64_t coin = splitmix64(&seed);
            loss[k] = turn % 3 == 0 && coin % 4 == 0 ? strange[coin / 4 % STRANGE]
                                                     : size * ((double)(coin >> 11) * 0x1p-52 - 1);
        }
        deep_gain_of(out, loss, clip);
        for (size_t k = 0; k < DEEP_LENGTHS; k++) square += (double)out[k] * (double)out[k];
        if (!(square <= bound)) fail_msg("a row is %g times as long as it may be", sqrt(square / bound));
        if (!isfinite(loss[0])) assert_true(square == 0);
        longest = fmax(longest, square);
    }
    assert_true(longest > 0.999 * bound); /* no shorter than need be */
    const double small[1 + DEEP_LENGTHS] = { 0.5, 0.4, 0.45, 0.5, 0.6 };
    deep_gain_of(out, small, 1);
    near((double)out[0], 0x1.999999p-4 * 0x1p22);
    assert_true(out[2] == 0 && out[3] < 0 && llabs(out[3] + out[0]) <= 1);
    const double lost[1 + DEEP_LENGTHS] = { 0.5, (double)NAN, 0.5, 0.5, 0.5 };
    deep_gain_of(out, lost, 0.25);
    assert_true(out[0] < -4100000 && out[1] == 0); /* a step that loses a row is none */
}

enum { ROWS = 301, WIDTH = 5, CLASSES = 3 };

typedef struct table {
    deep_plan plan;
    deep_rows rows;
    float parameters[3 * 6];
    size_t order[ROWS];
} table;

static void open_table(table *t, uint64_t seed, size_t room)
{
    *t = (table){ .plan = { .loss = DEEP_SOFTMAX, .clip = 1, .room = room, .threads = 3, .lot = ROWS },
                  .rows = { .rows = ROWS, .width = WIDTH } };
    assert_int_equal(deep_net_parse(&t->plan.net, "output", WIDTH, CLASSES, NULL), DUSK_OK);
    assert_int_equal(t->plan.net.parameters, 18);
    t->rows.x = dusk_allocate(ROWS * WIDTH, sizeof *t->rows.x);
    t->rows.code = dusk_allocate(ROWS, sizeof *t->rows.code);
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        t->rows.x[i] = (int16_t)((int)(splitmix64(&seed) % 8192) - 4096);
    for (size_t i = 0; i < ROWS; i++) t->rows.code[i] = t->rows.x[i * WIDTH] > 500 ? 2 : (int32_t)(i % 2);
    for (size_t i = 0; i < ROWS; i++) t->order[i] = i * 8 % ROWS;
    for (size_t j = 0; j < 18; j++) t->parameters[j] = 0.1f * (float)(j % 4);
}

static void close_table(table *t)
{
    deep_net_clear(&t->plan.net);
    deep_rows_clear(&t->rows);
}

/* Totals by so many threads, of rows that come in an order. */
static void totals_of(table *t, const float *gradient, double rate, size_t threads, dusk_int128 *total)
{
    static deep_turns turns[3];
    const deep_subspace subspace = { .directions = 0 };
    deep_sample sample = { .row = t->order, .count = ROWS, .turn = t->plan.room };
    deep_gains g;
    for (size_t k = 0; k < threads; k++) {
        turns[k] = (deep_turns){ .plan = NULL };
        assert_int_equal(deep_turns_open(&turns[k], &t->plan, &t->rows, &subspace, NULL), DUSK_OK);
        turns[k].sample = &sample;
    }
    assert_int_equal(deep_gains_open(&g, turns, threads, 18, NULL), DUSK_OK);
    g.parameters = t->parameters;
    g.gradient = gradient;
    g.clip = 0.3;
    for (size_t k = 0; k < DEEP_LENGTHS; k++) g.rate[k] = ldexp(rate, -(int)k);
    atomic_store(&sample.next, 0);
    deep_gains_add_up(&g, total);
    deep_gains_close(&g);
    for (size_t k = 0; k < threads; k++) deep_turns_close(&turns[k]);
}

/* The loss of a row, in doubles. */
static double loss_of(const table *t, size_t row, const float *gradient, double rate)
{
    double out[CLASSES], sum = 0;
    for (size_t c = 0; c < CLASSES; c++) {
        const size_t at = c * (WIDTH + 1);
        out[c] = (double)t->parameters[at + WIDTH] - rate * (double)gradient[at + WIDTH];
        for (size_t j = 0; j < WIDTH; j++)
            out[c] += ((double)t->parameters[at + j] - rate * (double)gradient[at + j]) *
                      ldexp((double)t->rows.x[row * WIDTH + j], -DEEP_INPUT_BITS);
        sum += exp(out[c]);
    }
    return log(sum) - out[t->rows.code[row]];
}

/* Gains are those of the losses, whatever the threads, the rooms and the order; and one row less takes no more than the bound. */
static void gains_are_those_of_rows(void **state)
{
    (void)state;
    float gradient[18];
    uint64_t seed = 6;
    dusk_int128 total[DEEP_LENGTHS], other[DEEP_LENGTHS];
    table t;
    for (size_t j = 0; j < 18; j++) gradient[j] = (float)(splitmix64(&seed) % 7) - 3;
    open_table(&t, 7, 64);
    totals_of(&t, gradient, 0.5, 1, total);
    for (size_t k = 0; k < DEEP_LENGTHS; k++) {
        double wanted = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double gain[DEEP_LENGTHS], square = 0;
            for (size_t l = 0; l < DEEP_LENGTHS; l++) {
                gain[l] = (loss_of(&t, i, gradient, 0) - loss_of(&t, i, gradient, ldexp(0.5, -(int)l))) / 0.3;
                square += gain[l] * gain[l];
            }
            wanted += gain[k] / fmax(sqrt(square), 1);
        }
        const double found = ldexp((double)total[k], DEEP_GAIN_GRID);
        if (!(fabs(found - wanted) < 1e-3)) fail_msg("%zu: %.9g, and not %.9g", k, found, wanted);
    }
    totals_of(&t, gradient, 0.5, 3, other);
    assert_memory_equal(total, other, sizeof total);
    t.plan.room = 1;
    for (size_t i = 0; i < ROWS; i++) t.order[i] = i;
    totals_of(&t, gradient, 0.5, 2, other);
    assert_memory_equal(total, other, sizeof total);
    /* a row that is like no other one */
    for (size_t j = 0; j < WIDTH; j++) t.rows.x[j] = INT16_MAX;
    t.rows.code[0] = 1;
    totals_of(&t, gradient, 0.5, 1, other);
    double square = 0;
    for (size_t k = 0; k < DEEP_LENGTHS; k++) square += pow((double)(other[k] - total[k]), 2);
    assert_true(square > 0 && square <= 4 * 0x1p44);
    close_table(&t);
}

/* With little noise the step is the best of four, and there is none uphill. */
static void steps_go_down(void **state)
{
    (void)state;
    const learn_allowance a = allowance_of(1, 100, 10);
    const deep_subspace subspace = { .directions = 0 };
    dusk_generator *gen = seeded(8);
    deep_gains g;
    deep_turns turn = { .plan = NULL };
    deep_sample sample = { .count = ROWS, .turn = 64 };
    deep_descent d;
    table t;
    open_table(&t, 9, 64);
    sample.row = t.order;
    assert_int_equal(deep_turns_open(&turn, &t.plan, &t.rows, &subspace, NULL), DUSK_OK);
    turn.sample = &sample;
    assert_int_equal(deep_gains_open(&g, &turn, 1, 18, NULL), DUSK_OK);
    for (int uphill = 0; uphill < 2; uphill++) {
        float gradient[NUMBERS] = { 0 }, before[18];
        double best = 0, rate = 0, all = 0;
        open_descent(&d, &a, 10, 16); /* the longest is far too long */
        for (size_t i = 0; i < ROWS; i++) all += loss_of(&t, i, gradient, 0);
        for (size_t j = 0; j < 18; j++) { /* by differences */
            float along[18] = { 0 };
            double sum = -all;
            along[j] = -1;
            for (size_t i = 0; i < ROWS; i++) sum += loss_of(&t, i, along, 1e-4);
            gradient[j] = (float)((uphill ? -1 : 1) * sum / 1e-4);
        }
        for (int k = 0; k < DEEP_LENGTHS; k++) {
            double gain = all;
            for (size_t i = 0; i < ROWS; i++) gain -= loss_of(&t, i, gradient, ldexp(32, -k) / ROWS);
            if (gain > best) rate = ldexp(32, -k);
            best = fmax(best, gain);
        }
        assert_true(uphill ? best == 0 : rate < 32 && rate > 4); /* one between */
        memcpy(before, t.parameters, sizeof before);
        assert_true(begin(&d));
        deep_descent_take(&d, gradient, 0, NUMBERS);
        atomic_store(&sample.next, 0);
        assert_int_equal(deep_gains_step(&g, &d, t.parameters, 1, 1.0 / ROWS, gen, NULL), DUSK_OK);
        for (size_t j = 0; j < 18; j++)
            assert_true(fabs((double)(before[j] - t.parameters[j]) - rate / ROWS * (double)gradient[j]) <
                        1e-5);
        assert_true((d.kept.held > 0) == (rate == 0));
        memcpy(t.parameters, before, sizeof before);
        deep_descent_close(&d);
    }
    deep_gains_close(&g);
    deep_turns_close(&turn);
    close_table(&t);
    dusk_generator_free(gen);
}

/* --- as it is shipped ----------------------------------------------------------------------------------------------------- */

typedef struct shipped {
    dusk_fields *fields;
    dusk_training *training;
    dusk_frame *frame;
} shipped;

static shipped ship(const char *const *settings, size_t count, double epsilon, size_t rows)
{
    shipped s;
    dusk_train_options o = { .size = sizeof o,
                             .epsilon = epsilon,
                             .delta = 1e-3,
                             .neighbours = DUSK_ADD_REMOVE,
                             .rows = 2,
                             .label = "y",
                             .settings = settings,
                             .settings_count = count };
    assert_int_equal(dusk_fields_parse(&s.fields, "x numeric -1:1\ny category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&s.frame, s.fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        s.frame->column[0].number[i] = 1;
        s.frame->column[1].code[i] = 1;
    }
    assert_int_equal(dusk_training_prepare(&s.training, "net", s.fields, &o, NULL), DUSK_OK);
    return s;
}

static void unship(shipped *s)
{
    dusk_training_free(s->training);
    dusk_frame_free(s->frame);
    dusk_fields_free(s->fields);
}

/* All that a model says it has released is within the promise; a training of nobody, whose steps are as good as none, ends early. */
static void models_say_what_was_taken(void **state)
{
    (void)state;
    enum { STEPS = 60, RUNS = 20 };
    static const char *const settings[] = { "net=output", "rate=1", "steps=60", "allocation=descent",
                                            "learning_rate=1" };
    shipped s = ship(settings, 5, 2, 0);
    dusk_generator *gen = seeded(10);
    size_t early = 0;
    for (int run = 0; run < RUNS; run++) {
        size_t rows, n;
        dusk_model *model;
        assert_int_equal(dusk_training_run(s.training, &model, s.frame, gen, NULL), DUSK_OK);
        const double *steps = dusk_model_array(model, "steps", &rows, &n);
        assert_true(steps[0] <= STEPS && steps[0] > STEPS / 8);
        early += steps[0] < STEPS;
        const double epsilon = descended_epsilon(model, 1e-3);
        assert_true(epsilon <= 2 && epsilon > 1.7);
        dusk_model_free(model);
    }
    assert_true(early > RUNS / 2);
    unship(&s);
    dusk_generator_free(gen);
}

/* A row that is in the sample of the gradient is in that of gains by other coins. With hardly any noise it says there that the longest step is the best; where nobody is there any
 * length may be. So among many trainings that went down the gradient some went by another length. */
static void samples_are_fresh(void **state)
{
    (void)state;
    enum { RUNS = 120 };
    static const char *const settings[] = { "net=output", "rate=0.5", "steps=1", "allocation=descent",
                                            "learning_rate=0.1" };
    shipped s = ship(settings, 5, 3000, 1);
    dusk_generator *gen = seeded(11);
    double longest = 0, moved[RUNS];
    for (int run = 0; run < RUNS; run++) {
        size_t rows, n;
        dusk_model *model;
        assert_int_equal(dusk_training_run(s.training, &model, s.frame, gen, NULL), DUSK_OK);
        const double *w = dusk_model_array(model, "parameters", &rows, &n);
        moved[run] = fabs(w[n - 1]);
        longest = fmax(longest, moved[run]);
        dusk_model_free(model);
    }
    size_t far = 0, less = 0;
    for (int run = 0; run < RUNS; run++) {
        far += moved[run] > 0.8 * longest;
        less += moved[run] > 0.1 * longest && moved[run] < 0.6 * longest;
    }
    if (!(far > 10 && less > 5)) fail_msg("%zu far, %zu less", far, less);
    unship(&s);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_chosen),
        cmocka_unit_test(what_is_kept_counts),
        cmocka_unit_test(precision_ends),
        cmocka_unit_test(longest_steps_follow),
        cmocka_unit_test(what_is_taken_is_within),
        cmocka_unit_test(relations_are_charged),
        cmocka_unit_test(what_was_taken_is_taken),
        cmocka_unit_test(rows_are_bounded),
        cmocka_unit_test(gains_are_those_of_rows),
        cmocka_unit_test(steps_go_down),
        cmocka_unit_test(models_say_what_was_taken),
        cmocka_unit_test(samples_are_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
