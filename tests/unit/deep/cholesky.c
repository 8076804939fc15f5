/* SPDX-License-Identifier: Apache-2.0 */
/* Systems in lanes: solutions are those of plain Cholesky to the last bit, of every size up to four panels and more, and what is in other lanes changes nothing. */
#include "deep/cholesky.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "support.h"
#include "tensor/lanes.h"

enum { MOST = 140, SIDES = 5, STRIP = 24, CELLS = DEEP_CHOLESKY_LANES * STRIP * MOST };
#define RIDGE 0.1
#define LEAST 0.05

/* A matrix, and sides * n numbers of right sides that become solutions. */
typedef struct problem {
    size_t n;
    float matrix[MOST][MOST];
    double side[MOST][SIDES];
} problem;

static uint64_t coins;
static double number(void) { return (double)(splitmix64(&coins) >> 11) * 0x1p-52 - 1; }

/* Kernels of places on a line: near to singular without the ridge. */
static void fill(problem *p, size_t n, uint64_t seed)
{
    double place[MOST];
    coins = seed;
    p->n = n;
    for (size_t i = 0; i < n; i++) place[i] = 3 * number();
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            p->matrix[i][j] = (float)exp(-(place[i] - place[j]) * (place[i] - place[j]));
        for (size_t c = 0; c < SIDES; c++) p->side[i][c] = number();
    }
}

/* One system by itself, by the plainest loops. */
static void solve(problem *p)
{
    static double a[MOST][MOST];
    const size_t n = p->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) a[i][j] = (double)p->matrix[i][j] + (i == j ? RIDGE : 0);
    for (size_t k = 0; k < n; k++) {
        a[k][k] = sqrt(a[k][k] > LEAST ? a[k][k] : LEAST);
        for (size_t j = k + 1; j < n; j++) a[k][j] /= a[k][k];
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = i; j < n; j++) a[i][j] -= a[k][i] * a[k][j];
    }
    for (size_t c = 0; c < SIDES; c++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < i; k++) p->side[i][c] -= a[k][i] * p->side[k][c];
            p->side[i][c] /= a[i][i];
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t k = n; k-- > i + 1;) p->side[i][c] -= a[i][k] * p->side[k][c];
            p->side[i][c] /= a[i][i];
        }
    }
}

/* What is not of a problem in `from` is `beyond`. */
static void solve_all(deep_cholesky *s, const problem *p, float beyond)
{
    static float from[CELLS];
    size_t own[DEEP_CHOLESKY_LANES];
    for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) own[l] = p[l].n;
    deep_cholesky_begin(s, own, SIDES);
    for (size_t first = 0, count; first < s->size; first += count) {
        count = s->size - first < STRIP ? s->size - first : STRIP;
        for (size_t i = 0; i < CELLS; i++) from[i] = beyond;
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++)
            for (size_t i = first; i < first + count && i < own[l]; i++)
                for (size_t j = first; j < own[l]; j++)
                    from[(l * count + i - first) * MOST + j - first] = p[l].matrix[i][j];
        deep_cholesky_put(s, first, count, from, MOST, RIDGE);
    }
    for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++)
        for (size_t i = 0; i < own[l]; i++)
            for (size_t c = 0; c < SIDES; c++) deep_cholesky_side(s, i, c)[l] = p[l].side[i][c];
    deep_cholesky_solve(s, LEAST);
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

/* The solutions in `lane` are those of `want`. */
static void check(const deep_cholesky *s, size_t lane, const problem *want)
{
    for (size_t i = 0; i < want->n; i++)
        for (size_t c = 0; c < SIDES; c++)
            if (!same(deep_cholesky_side(s, i, c)[lane], want->side[i][c]))
                fail_msg("lane %zu of %zu unknowns: %.17g instead of %.17g", lane, want->n,
                         deep_cholesky_side(s, i, c)[lane], want->side[i][c]);
    for (size_t i = want->n; i < s->size; i++)
        for (size_t c = 0; c < SIDES; c++) assert_true(deep_cholesky_side(s, i, c)[lane] == 0);
}

static problem lanes[DEEP_CHOLESKY_LANES], alone[DEEP_CHOLESKY_LANES];

/* At every level that there is: seeds take turns. */
static deep_cholesky opened(uint64_t seed)
{
    deep_cholesky s;
    const int level = (int)(seed % (1 + (uint64_t)tensor_lanes_level()));
    assert_int_equal(deep_cholesky_open(&s, level, MOST, SIDES, NULL), DUSK_OK);
    return s;
}

static void test_one_by_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        deep_cholesky s = opened(seed);
        coins = seed;
        const size_t most = seed / 3 % 2 ? MOST : 20;
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++)
            lanes[l].n = (size_t)(splitmix64(&coins) % (most + 1));
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) {
            fill(&lanes[l], lanes[l].n, 100 * seed + l);
            alone[l] = lanes[l];
            solve(&alone[l]);
        }
        solve_all(&s, lanes, 0);
        solve_all(&s, lanes, 0); /* what is there from before does not matter */
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) check(&s, l, &alone[l]);
        deep_cholesky_close(&s);
    }
}

/* Solutions solve. */
static void test_right(void **state)
{
    (void)state;
    static problem p;
    fill(&p, 100, 5);
    const problem before = p;
    solve(&p);
    for (size_t i = 0; i < p.n; i++)
        for (size_t c = 0; c < SIDES; c++) {
            double sum = RIDGE * p.side[i][c] - before.side[i][c];
            for (size_t j = 0; j < p.n; j++) sum += (double)p.matrix[i][j] * p.side[j][c];
            assert_true(fabs(sum) < 1e-10);
        }
}

/* All lanes but one have something else: what is no number, what is huge, what is not definite, more or nothing. */
static void spoil(problem *p, size_t lane, uint64_t seed)
{
    static const float numbers[] = { NAN, INFINITY, -INFINITY, 3e38f, -1, 0 };
    for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) {
        if (l == lane) continue;
        fill(&p[l], (size_t)(seed * 37 + l * 29) % (MOST + 1), seed + l);
        const float x = numbers[(seed + l) % 6];
        for (size_t i = 0; i < p[l].n; i++)
            for (size_t j = 0; j < p[l].n; j++)
                if ((i + j) % (1 + seed % 5) == 0) p[l].matrix[i][j] = x;
    }
}

static void test_lanes_are_apart(void **state)
{
    (void)state;
    static problem whole;
    for (uint64_t seed = 0; seed < 48; seed++) {
        deep_cholesky s = opened(seed);
        const size_t lane = seed / 3 % DEEP_CHOLESKY_LANES;
        fill(&whole, (size_t)(7 * seed) % MOST, seed);
        lanes[lane] = whole;
        spoil(lanes, lane, seed);
        solve(&whole);
        solve_all(&s, lanes, seed % 4 == 0 ? NAN : seed % 4 == 1 ? 1e30f : 0);
        check(&s, lane, &whole);
        deep_cholesky_close(&s);
    }
}

/* A system that is not definite, or has no numbers, is what the plain loops make of it. */
static void test_no_numbers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        deep_cholesky s = opened(seed);
        spoil(lanes, DEEP_CHOLESKY_LANES, seed);
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) {
            for (size_t i = 0; i < lanes[l].n; i++)
                for (size_t j = 0; j < i; j++) lanes[l].matrix[i][j] = lanes[l].matrix[j][i];
            alone[l] = lanes[l];
            solve(&alone[l]);
        }
        solve_all(&s, lanes, 0);
        for (size_t l = 0; l < DEEP_CHOLESKY_LANES; l++) check(&s, l, &alone[l]);
        deep_cholesky_close(&s);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    deep_cholesky s;
    dusk_memory_fail_at(1);
    assert_int_equal(deep_cholesky_open(&s, 0, MOST, SIDES, NULL), DUSK_ERR_MEMORY);
    deep_cholesky_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_by_one),      cmocka_unit_test(test_right),
        cmocka_unit_test(test_lanes_are_apart), cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
