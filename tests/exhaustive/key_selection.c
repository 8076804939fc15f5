/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped selection of keys on every coin tape, for two keys with few units
 * each, against all neighbours: one more unit on up to keys_per_unit of them.
 * What is shown, noisy counts included, must keep (epsilon, delta). */
#include <math.h>
#include <string.h>

#include "mechanisms/key_selection.h"
#include "random/tape.h"
#include "support.h"

/* What is seen of a key: nothing, or that it is there, or its count up to RANGE. */
enum { RANGE = 24, SIDE = RANGE + 2, MOST = 3 };

typedef struct shown {
    const dusk_key_selection *selection;
    uint64_t units[2];
    unsigned width;
    double mass[SIDE * SIDE];
    double undecided;
} shown;

static size_t sight(bool keep, double count)
{
    if (!keep) {
        assert_true(isnan(count));
        return 0;
    }
    return isnan(count) ? 1 : (size_t)fmin(count, RANGE) + 1;
}

static bool release(dusk_generator *gen, void *context)
{
    shown *s = context;
    bool keep[2];
    double counts[2];
    if (dusk_key_selection_release_width(s->selection, keep, counts, s->units, 2, s->width, gen, NULL) !=
        DUSK_OK)
        return false;
    for (int i = 0; i < 2; i++) {
        assert_false(keep[i] && s->units[i] == 0);
        assert_false(keep[i] && counts[i] < (double)s->selection->threshold);
    }
    s->mass[sight(keep[0], counts[0]) * SIDE + sight(keep[1], counts[1])] += dusk_tape_weight(gen);
    return true;
}

/* P(a in O) <= e^epsilon P(b in O) + delta for the worst set O of sights. */
static void check_pair(const shown *a, const shown *b)
{
    double factor = exp(a->selection->epsilon), set = 0, other = b->undecided;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        if (a->mass[i] <= factor * b->mass[i]) continue;
        set += a->mass[i];
        other += b->mass[i];
    }
    if (set - factor * other > a->selection->delta + 1e-12)
        fail_msg("method %d: units (%d, %d) and (%d, %d) are told apart by %g", (int)a->selection->method,
                 (int)a->units[0], (int)a->units[1], (int)b->units[0], (int)b->units[1],
                 set - factor * other);
}

static bool is_neighbour(const shown *more, const shown *less, uint32_t keys_per_unit)
{
    uint64_t first = more->units[0] - less->units[0], second = more->units[1] - less->units[1];
    return first <= 1 && second <= 1 && first + second >= 1 && first + second <= keys_per_unit;
}

/* All pairs of counts up to `most`; a method that keeps keys of one unit too often
 * shows at (0, 0) against (1, 1). */
static void check_method(dusk_key_method method, uint32_t keys_per_unit, double epsilon, double delta,
                         uint64_t most, unsigned width, unsigned depth, double undecided)
{
    static shown all[(MOST + 1) * (MOST + 1)];
    dusk_key_selection selection;
    size_t n = 0, pairs = 0;
    assert_int_equal(dusk_key_selection_init(&selection, method, keys_per_unit, epsilon, delta, NULL),
                     DUSK_OK);
    memset(all, 0, sizeof all);
    for (uint64_t a = 0; a <= most; a++)
        for (uint64_t b = 0; b <= a; b++, n++) {
            all[n] = (shown){ .selection = &selection, .units = { a, b }, .width = width };
            all[n].undecided = dusk_tape_walk(depth, release, &all[n]);
            if (all[n].undecided > undecided)
                fail_msg("method %d: undecided %g", (int)method, all[n].undecided);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (!is_neighbour(&all[i], &all[j], keys_per_unit)) continue;
            check_pair(&all[i], &all[j]);
            check_pair(&all[j], &all[i]);
            pairs++;
        }
    assert_true(pairs >= n);
}

static void optimal_keys(void **state)
{
    (void)state;
    for (uint32_t keys = 1; keys <= 2; keys++) {
        check_method(DUSK_KEYS_TRUNCATED_GEOMETRIC, keys, 1, 0.1, MOST, 4, 16, 0.01);
        check_method(DUSK_KEYS_TRUNCATED_GEOMETRIC, keys, 0.3, 0.05, MOST, 5, 15, 0.01);
    }
}

static void laplace_threshold(void **state)
{
    (void)state;
    check_method(DUSK_KEYS_LAPLACE, 2, 3, 0.2, 2, 3, 18, 0.02);
}

static void gaussian_threshold(void **state)
{
    (void)state;
    check_method(DUSK_KEYS_GAUSSIAN, 2, 4, 0.2, 2, 3, 18, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimal_keys),
        cmocka_unit_test(laplace_threshold),
        cmocka_unit_test(gaussian_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
