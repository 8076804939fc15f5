/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, exhaustively: for every length up to 64, every window and every position the
 * released sums of neighbours differ by what the noise is calibrated to, and for some
 * position by no less; and on every coin tape a tree of two steps has exactly the law of
 * its definition, so that neighbours keep epsilon. */
#include "mechanisms/stream.h"

#include <math.h>
#include <string.h>

#include "random/tape.h"
#include "streams.h"
#include "support.h"

enum { LONGEST = 64, SUMS = 2 * LONGEST };

/* --- the distance between neighbours --------------------------------------------------- */

/* All sums that a tree releases when the numbers are 0 but at the given steps. */
static size_t released(dusk_int128 *out, bool all, uint64_t length, uint64_t window, uint64_t one,
                       uint64_t other)
{
    dusk_tree tree;
    size_t n = 0;
    unsigned first;
    assert_int_equal(dusk_tree_new(&tree, all, false, length, window, NULL), DUSK_OK);
    for (uint64_t t = 1; t <= length; t++) {
        unsigned count = dusk_tree_closing(&tree, &first);
        dusk_tree_add(&tree, (t == one) + (t == other), out + n);
        n += count;
    }
    dusk_tree_free(&tree);
    return n;
}

typedef struct norms {
    double l1, l2;
} norms;

static norms norms_of(const dusk_int128 *sums, size_t n)
{
    norms out = { 0, 0 };
    for (size_t i = 0; i < n; i++) {
        out.l1 += fabs((double)sums[i]);
        out.l2 += (double)(sums[i] * sums[i]);
    }
    out.l2 = sqrt(out.l2);
    return out;
}

/* One item moves at most `levels` sums by 1 each, whatever its step, and some item does. */
static void check_positions(bool all, uint64_t length, uint64_t window)
{
    dusk_int128 sums[SUMS];
    double levels = dusk_tree_levels(window);
    norms most = { 0, 0 };
    for (uint64_t one = 1; one <= length; one++) {
        norms item = norms_of(sums, released(sums, all, length, window, one, 0));
        if (!(item.l1 <= levels && item.l2 <= sqrt(levels)))
            fail_msg("length %lu window %lu: step %lu is in %g sums", (unsigned long)length,
                     (unsigned long)window, (unsigned long)one, item.l1);
        most.l1 = fmax(most.l1, item.l1);
    }
    assert_true(most.l1 == levels);
}

static void one_item_moves_as_many_sums_as_there_are_levels(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length++)
        for (uint64_t window = 1; window <= length; window++) {
            check_positions(false, length, window);
            check_positions(true, length, window);
        }
}

/* A unit with two items, at any two steps or at one. */
static void two_items_move_twice_as_much(void **state)
{
    (void)state;
    dusk_int128 sums[SUMS];
    for (uint64_t length = 1; length <= 20; length++)
        for (uint64_t window = 1; window <= length; window++)
            for (uint64_t one = 1; one <= length; one++)
                for (uint64_t other = one; other <= length; other++) {
                    double levels = dusk_tree_levels(window);
                    norms unit = norms_of(sums, released(sums, true, length, window, one, other));
                    assert_true(unit.l1 <= 2 * levels && unit.l2 <= 2 * sqrt(levels) * (1 + 1e-15));
                }
}

static dusk_stream_options request(uint64_t length, double delta)
{
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, length, delta);
    o.upper = 100;
    o.epsilon = 0.7;
    return o;
}

/* The noise of a sum is that of `distance` times what was measured above, and the event
 * says as much: scale >= l1 / epsilon, and epsilon of the event is l1 / scale. */
static void noise_covers_the_distance(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length++)
        for (uint32_t items = 1; items <= 3; items++) {
            dusk_stream_options o = request(length, 0);
            dusk_stream *s;
            dusk_event event;
            double epsilon, levels = dusk_tree_levels(length);
            o.items_per_unit = items;
            o.window = length % 5;
            if (o.window) levels = dusk_tree_levels(o.window < length ? o.window : length);
            assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
            assert_true(s->noise.scale >= items * levels / 0.7);
            assert_int_equal(dusk_stream_event(s, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 0, NULL), DUSK_OK);
            assert_true(epsilon >= items * levels / s->noise.scale);
            dusk_stream_free(s);
        }
}

/* The same for Gaussian noise, by the curve of one Gaussian mechanism of that distance. */
static void gaussian_noise_covers_the_distance(void **state)
{
    (void)state;
    for (uint64_t length = 1; length <= LONGEST; length++) {
        dusk_stream_options o = request(length, 1e-6);
        dusk_stream *s;
        dusk_event event;
        double epsilon, distance = 2 * sqrt(dusk_tree_levels(length)) * (1 - 1e-14);
        o.items_per_unit = 2;
        o.method = length % 2 ? DUSK_STREAM_TREE : DUSK_STREAM_HONAKER;
        assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_event_gaussian(&event, s->noise.scale / distance, NULL), DUSK_OK);
        assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 1e-6, NULL), DUSK_OK);
        assert_true(epsilon <= 0.7 && epsilon > 0.7 * (1 - 1e-9));
        dusk_stream_free(s);
    }
}

/* Without a length: what one item, or two, of size 1 move, each sum over the scale of its
 * noise, is no more than `items` over the scale of one level. */
static norms endless_norms(const dusk_stream *s, bool all, uint64_t one, uint64_t other)
{
    dusk_tree tree;
    dusk_int128 sums[DUSK_TREE_LEVELS_MAX];
    norms out = { 0, 0 };
    unsigned first;
    assert_int_equal(dusk_tree_new(&tree, all, false, DUSK_STREAM_LENGTH_MAX, DUSK_STREAM_LENGTH_MAX, NULL),
                     DUSK_OK);
    tree.steps = 1;
    for (uint64_t t = 1; t < LONGEST; t++) {
        tree.levels = dusk_tree_epoch(t) + 1;
        unsigned count = dusk_tree_closing(&tree, &first);
        dusk_tree_add(&tree, (t == one) + (t == other), sums);
        for (unsigned j = 0; j < count; j++) {
            double moved = (double)sums[j] / dusk_stream_epoch_scale(s, dusk_tree_epoch(t));
            out.l1 += moved;
            out.l2 += moved * moved;
        }
    }
    out.l2 = sqrt(out.l2);
    tree.levels = DUSK_TREE_LEVELS_MAX;
    dusk_tree_free(&tree);
    return out;
}

static void epochs_cost_no_more_than_one_level(void **state)
{
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        dusk_stream_options o = request(0, gaussian ? 1e-6 : 0);
        dusk_stream *s;
        double most = 0;
        assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
        for (uint64_t one = 1; one < LONGEST; one++)
            for (uint64_t other = one; other < LONGEST; other += 1 + (one % 5)) {
                norms two = endless_norms(s, true, one, other);
                double size = gaussian ? two.l2 : two.l1;
                assert_true(size <= 2 / s->unit_scale * (1 + 1e-14));
                most = fmax(most, size);
            }
        for (uint64_t one = 1; one < LONGEST; one++) {
            norms item = endless_norms(s, false, one, 0);
            assert_true((gaussian ? item.l2 : item.l1) <= 1 / s->unit_scale * (1 + 1e-14));
        }
        assert_true(most > 1.999 / s->unit_scale);
        dusk_stream_free(s);
    }
}

/* --- the law ------------------------------------------------------------------------------ */

enum { SIDE = 9, MIDDLE = SIDE / 2 };
typedef struct law {
    double number[2];
    double mass[SIDE][SIDE]; /* of answers -4..4, 4 standing for what lies beyond */
    double undecided;
} law;

static int place_of(double answer) { return (int)fmax(-MIDDLE, fmin(MIDDLE, answer)) + MIDDLE; }

static bool run(dusk_generator *gen, void *context)
{
    law *l = context;
    dusk_stream_options o = request(2, 0);
    dusk_stream *s;
    double answer[2];
    dusk_status status = DUSK_OK;
    o.whole = false;
    o.epsilon = 4;
    assert_int_equal(dusk_stream_new_on(&s, &o, 0, 2, 1, NULL), DUSK_OK);
    for (int i = 0; i < 2 && status == DUSK_OK; i++)
        status = dusk_stream_release(s, &answer[i], l->number[i], gen, NULL);
    dusk_stream_free(s);
    if (status != DUSK_OK) return false;
    l->mass[place_of(answer[0])][place_of(answer[1])] += dusk_tape_weight(gen);
    return true;
}

/* P(K >= k) for K = round(Z), Z ~ Laplace(2 / 4). */
static double at_least(double k) { return k >= 1 ? exp(-2 * (k - 0.5)) / 2 : 1 - exp(-2 * (0.5 - k)) / 2; }

/* The ends stand for all that lies beyond them. */
static double noise_mass(int place, double value)
{
    double k = place - MIDDLE - value;
    return (place == 0 ? 1 : at_least(k)) - (place == SIDE - 1 ? 0 : at_least(k + 1));
}

static void a_tree_of_two_steps_has_its_law(void **state)
{
    (void)state;
    const double numbers[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    static law laws[3];
    for (int n = 0; n < 3; n++) {
        law *l = &laws[n];
        memcpy(l->number, numbers[n], sizeof l->number);
        l->undecided = dusk_tape_walk(16, run, l);
        assert_true(l->undecided < 0.1);
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                double p = noise_mass(i, l->number[0]) * noise_mass(j, l->number[0] + l->number[1]);
                if (!(l->mass[i][j] <= p + 1e-12 && p <= l->mass[i][j] + l->undecided + 1e-12))
                    fail_msg("P(%d, %d) = %.9f is not in [%.9f, %.9f]", i, j, p, l->mass[i][j],
                             l->mass[i][j] + l->undecided);
            }
    }
    for (int n = 1; n < 3; n++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                double p = laws[0].mass[i][j], q = laws[n].mass[i][j];
                assert_true(p <= exp(4) * (q + laws[n].undecided) && q <= exp(4) * (p + laws[0].undecided));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_item_moves_as_many_sums_as_there_are_levels),
        cmocka_unit_test(two_items_move_twice_as_much),
        cmocka_unit_test(noise_covers_the_distance),
        cmocka_unit_test(gaussian_noise_covers_the_distance),
        cmocka_unit_test(epochs_cost_no_more_than_one_level),
        cmocka_unit_test(a_tree_of_two_steps_has_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
