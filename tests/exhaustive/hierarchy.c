/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped release of a tree on every coin tape, for no row and for one, and
 * both orders: no set of answers may be told from the neighbour's by more than
 * (epsilon, delta). The tree is a root with one child, so that a row moves both levels:
 * neither may have the whole promise. */
#include <math.h>
#include <string.h>

#include "mechanisms/hierarchy.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 10, SIDE = 2 * RANGE + 1, ROWS = 2 };

typedef struct answers {
    const dusk_hierarchy *h;
    uint64_t exact[2];
    double mass[SIDE][SIDE], undecided;
} answers;

static size_t cell(double count) { return (size_t)(fmin(fmax(count, -RANGE), RANGE) + RANGE); }

static bool release(dusk_generator *gen, void *context)
{
    answers *a = context;
    double noisy[2];
    if (dusk_hierarchy_release_width(a->h, noisy, a->exact, 3, gen, NULL) != DUSK_OK) return false;
    a->mass[cell(noisy[0])][cell(noisy[1])] += dusk_tape_weight(gen);
    return true;
}

/* The least and the most that the worst set of answers can tell: what is undecided may
 * all fall on it, or none. */
static void tell_apart(const answers *a, const answers *b, double epsilon, double *least, double *most)
{
    double set = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) set += fmax(a->mass[i][j] - exp(epsilon) * b->mass[i][j], 0);
    *least = set - exp(epsilon) * b->undecided;
    *most = set + a->undecided;
}

static void rows_move_both_levels(void **state)
{
    static answers all[ROWS];
    const uint32_t parents[] = { 0, 0 };
    const double epsilon = 0.5, delta = 0.1;
    dusk_aggregate how;
    dusk_hierarchy *h;
    (void)state;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = epsilon;
    how.delta = delta;
    assert_int_equal(dusk_hierarchy_new(&h, &how, parents, 2, NULL, 0, NULL), DUSK_OK);
    memset(all, 0, sizeof all);
    for (uint64_t n = 0; n < ROWS; n++) {
        all[n].h = h;
        all[n].exact[1] = n;
        all[n].undecided = dusk_tape_walk(16, release, &all[n]);
        if (all[n].undecided > 0.1) fail_msg("undecided: %g", all[n].undecided);
    }
    for (int n = 0; n + 1 < ROWS; n++)
        for (int side = 0; side < 2; side++) {
            double least, most;
            tell_apart(&all[n + side], &all[n + 1 - side], epsilon, &least, &most);
            if (!(least <= delta)) fail_msg("%d and %d rows are told apart by %g", n, n + 1, least);
            if (!(most >= 0.75 * delta)) fail_msg("%d and %d rows: too much noise, %g", n, n + 1, most);
        }
    dusk_hierarchy_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_move_both_levels) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
