/* SPDX-License-Identifier: Apache-2.0 */
/* Randomised labels: for all shares on a small grid, ties and zeros among them, as many classes are asked
 * about as make the answer right most often, and the law that follows keeps its epsilon; and on every coin
 * tape the masses of the decided tapes bracket that law, whatever the label is, or if there is none. */
#include <math.h>
#include <string.h>

#include "deep/response.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 4, SIDES = 4 };

/* P(answer | label); a label that is no class: -1. */
static double chance(const deep_response *r, int32_t label, int32_t answer)
{
    bool in = false, out = true;
    for (uint32_t c = 0; c < r->among; c++) {
        in |= (int32_t)r->rank[c].class == label;
        out &= (int32_t)r->rank[c].class != answer;
    }
    const double k = r->among;
    if (out) return 0;
    if (!in) return 1 / k;
    return (label == answer ? exp(r->epsilon) : 1) / (exp(r->epsilon) + k - 1);
}

/* --- what is asked about ------------------------------------------------------------- */

static void check_ranks(const deep_response *r, const double *share)
{
    for (size_t c = 0; c + 1 < r->classes; c++) {
        const uint32_t a = r->rank[c].class, b = r->rank[c + 1].class;
        assert_true(share[a] > share[b] || (share[a] == share[b] && a < b));
    }
}

/* The best number by trying all, and the law is one and keeps epsilon. */
static void check_law(const deep_response *r, const double *share)
{
    double sum = 0, best = 0, right = 0;
    for (size_t c = 0; c < r->classes; c++) sum += share[c];
    for (size_t k = 1; k <= r->classes; k++) {
        deep_response tried = *r;
        double rate = 0;
        tried.among = (uint32_t)k;
        for (int32_t c = 0; c < (int32_t)r->classes; c++) {
            bool in = false;
            for (size_t j = 0; j < k; j++) in |= (int32_t)r->rank[j].class == c;
            if (in) rate += share[c] / sum * chance(&tried, c, c);
        }
        best = fmax(best, rate);
        if (k == r->among) right = rate;
    }
    assert_true(right >= best * (1 - 1e-12) && fabs(r->right - right) < 1e-12);
    for (int32_t a = -1; a <= (int32_t)r->classes; a++) {
        double all = 0;
        for (int32_t i = 0; i < (int32_t)r->classes; i++) {
            all += chance(r, a, i);
            for (int32_t b = -1; b <= (int32_t)r->classes; b++)
                assert_true(chance(r, a, i) <= exp(r->epsilon) * chance(r, b, i) * (1 + 1e-12));
        }
        assert_true(fabs(all - 1) < 1e-12);
    }
}

static void check_likelihood(const deep_response *r)
{
    deep_real likelihood[MOST];
    for (uint32_t i = 0; i < r->among; i++) {
        const int32_t answer = (int32_t)r->rank[i].class;
        deep_response_likelihood(r, answer, likelihood);
        for (int32_t c = 0; c < (int32_t)r->classes; c++)
            assert_true(fabs((double)likelihood[c] * chance(r, answer, answer) - chance(r, c, answer)) <
                        1e-6);
    }
}

static void all_shares(void **state)
{
    (void)state;
    const double epsilons[] = { 0.1, 1, 3 };
    for (size_t e = 0; e < 3; e++)
        for (size_t k = 2; k <= MOST; k++) {
            deep_response r;
            size_t grid = 1;
            assert_int_equal(deep_response_open(&r, k, epsilons[e], NULL), DUSK_OK);
            assert_int_equal(r.among, k);
            for (size_t c = 0; c < k; c++) grid *= SIDES;
            for (size_t g = 1; g < grid; g++) {
                double share[MOST];
                for (size_t c = 0, rest = g; c < k; c++, rest /= SIDES) share[c] = (double)(rest % SIDES);
                deep_response_know(&r, share);
                check_ranks(&r, share);
                check_law(&r, share);
                check_likelihood(&r);
            }
            deep_response_close(&r);
        }
}

/* Nothing is known by what is no share. */
static void odd_shares(void **state)
{
    (void)state;
    const double odd[][3] = {
        { NAN, 1, 1 }, { -1, 1, 1 }, { 0, 0, 0 }, { INFINITY, 1, 1 }, { 1e308, 1e308, 1e308 }
    };
    deep_response r;
    assert_int_equal(deep_response_open(&r, 3, 1, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        deep_response_know(&r, (const double[]){ 0.1, 0.1, 0.8 });
        assert_int_equal(r.among, 1);
        deep_response_know(&r, odd[i]);
        assert_int_equal(r.among, 3);
        for (uint32_t c = 0; c < 3; c++) assert_int_equal(r.rank[c].class, c);
    }
    deep_response_close(&r);
}

/* --- every tape ---------------------------------------------------------------------- */

typedef struct law {
    const deep_response *r;
    int32_t label;
    double mass[MOST], undecided;
} law;

static bool respond(dusk_generator *gen, void *context)
{
    law *l = context;
    int32_t answer = -1;
    if (deep_response_draw(l->r, &answer, l->label, 4, gen, NULL) != DUSK_OK) return false;
    assert_true(answer >= 0 && answer < (int32_t)l->r->classes);
    l->mass[answer] += dusk_tape_weight(gen);
    return true;
}

static void walk(law *l)
{
    unsigned depth = 8;
    do {
        memset(l->mass, 0, sizeof l->mass);
        l->undecided = dusk_tape_walk(depth, respond, l);
        depth += 4;
    } while (l->undecided >= 0.1);
}

/* All labels, and all pairs of them. */
static void check_tapes(const deep_response *r)
{
    static law laws[MOST + 2];
    const size_t labels = r->classes + 2;
    for (size_t a = 0; a < labels; a++) {
        laws[a] = (law){ .r = r, .label = (int32_t)a - 1 };
        walk(&laws[a]);
        for (int32_t i = 0; i < (int32_t)r->classes; i++) {
            const double exact = chance(r, laws[a].label, i);
            assert_true(laws[a].mass[i] <= exact + 1e-12);
            assert_true(exact <= laws[a].mass[i] + laws[a].undecided + 1e-12);
        }
    }
    for (size_t a = 0; a < labels; a++)
        for (size_t b = 0; b < labels; b++)
            for (size_t i = 0; i < r->classes; i++)
                assert_true(laws[a].mass[i] <= exp(r->epsilon) * (laws[b].mass[i] + laws[b].undecided));
}

static void every_tape(void **state)
{
    (void)state;
    const double shares[][MOST] = { { 3, 3, 1 }, { 1, 3, 3 }, { 3, 1, 2.9 }, { 0, 1, 1 },
                                    { 9, 1, 1 }, { 0, 0, 1 }, { 1, 1, 1 } };
    deep_response r;
    bool seen[MOST + 1] = { false };
    assert_int_equal(deep_response_open(&r, 3, 1, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        deep_response_know(&r, shares[i]);
        seen[r.among] = true;
        check_tapes(&r);
    }
    assert_true(seen[1] && seen[2] && seen[3]);
    deep_response_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shares),
        cmocka_unit_test(odd_shares),
        cmocka_unit_test(every_tape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
