/* SPDX-License-Identifier: Apache-2.0 */
/* Published and computed epsilons of shuffled reports. The clone pair of
 * Feldman, McMillan & Talwar 2020 comes from the project's
 * vectors/accounting.json (exact sums): our clones are that number, and the
 * answer is at most that. The best known values of other programs (Wang et al.
 * 2024, "Privacy amplification via shuffling: unified, simplified, and
 * tightened") are given with the digits they printed. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/shuffle.h"
#include "support.h"

static const struct row {
    uint64_t n;
    double local_epsilon, delta, clones;
} rows[] = {
    { 1000, 1, 1e-6, 0.18241234748058202 },   { 10000, 0.5, 1e-6, 0.02040145509731904 },
    { 10000, 2, 1e-6, 0.15504524250420224 },  { 10000, 4, 1e-6, 0.6009087636363318 },
    { 100000, 6, 1e-6, 0.5241805460656329 },  { 1000000, 1, 1e-10, 0.007561686226099378 },
    { 1000000, 4, 1e-8, 0.0641968432647251 }, { 1000000, 8, 1e-6, 0.4444687453388075 },
};

static void clones_are_the_published_ones(void **state)
{
    const dusk_shuffle_bound clones = { .kind = DUSK_BLANKET_CLONES };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        double epsilon = dusk_shuffle_bound_epsilon_up(clones, r->n, r->local_epsilon, r->delta);
        if (!(epsilon >= r->clones * (1 - 1e-9) && epsilon <= r->clones * (1 + 1e-9)))
            fail_msg("row %zu: %.17g", i, epsilon);
        double best = dusk_shuffle_epsilon_up(r->n, r->local_epsilon, r->delta);
        if (!(best <= r->clones && best > r->clones / 2)) fail_msg("row %zu: best is %.17g", i, best);
        double back = dusk_shuffle_delta_up(r->n, r->local_epsilon, best);
        if (!(back <= r->delta && back > r->delta * (1 - 1e-8))) fail_msg("row %zu: back to %g", i, back);
    }
}

/* n, eps0, worst case, 1024 answers, at delta = 1e-6; printed with three digits. */
static void best_known_values_are_met(void **state)
{
    static const struct {
        uint64_t n;
        double local_epsilon, worst, response;
    } known[] = {
        { 10000, 1, 0.0432, 0.00203 },
        { 100000, 1, 0.0124, 0.00054 },
        { 1000000, 1, 0.0035, 0.00014 },
        { 100000, 4, 0.118, 0.0240 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double worst = dusk_shuffle_epsilon_up(known[i].n, known[i].local_epsilon, 1e-6);
        double response = dusk_shuffle_response_epsilon_up(known[i].n, known[i].local_epsilon, 1024, 1e-6);
        if (!(fabs(worst / known[i].worst - 1) < 0.011)) fail_msg("row %zu: %.10g", i, worst);
        if (!(fabs(response / known[i].response - 1) < 0.011)) fail_msg("row %zu: %.10g", i, response);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clones_are_the_published_ones),
        cmocka_unit_test(best_known_values_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
