/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches: waves are whole numbers that are short enough for exact phases, the same for the same box; heaps are found from
 * their own sketch, without noise and with some; nothing but noise, and no numbers at all, give centres within the box. */
#include "learn/sketch.h"

#include <math.h>
#include <stdlib.h>

#include "cluster_frames.h"

typedef struct scene {
    dusk_fields *fields;
    learn_features features;
    learn_groups groups;
    learn_sketch sketch;
} scene;

static scene open_scene(const char *text, size_t k, double waves)
{
    scene s;
    assert_int_equal(dusk_fields_parse(&s.fields, text, NULL), DUSK_OK);
    assert_int_equal(learn_features_init(&s.features, s.fields, DUSK_NO_LINK, false, 0, NULL), DUSK_OK);
    assert_int_equal(learn_groups_init(&s.groups, k, &s.features, s.fields, NULL), DUSK_OK);
    size_t n = waves > 0 ? (size_t)waves : learn_sketch_waves(k, s.groups.width, false);
    assert_int_equal(learn_sketch_init(&s.sketch, n, &s.groups, NULL), DUSK_OK);
    return s;
}

static void close_scene(scene *s)
{
    learn_sketch_clear(&s->sketch);
    learn_groups_clear(&s->groups);
    learn_features_clear(&s->features);
    dusk_fields_free(s->fields);
}

static void phases_are_exact(void **state)
{
    static const char *const texts[] = { "a numeric 0:1e-9\n", "x[64] numeric -1:1\nc category p,q\n",
                                         "a category p\n" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        scene a = open_scene(texts[i], 200, 300), b = open_scene(texts[i], 200, 300);
        for (size_t w = 0; w < a.sketch.waves; w++) {
            double square = 0;
            for (size_t c = 0; c < a.sketch.width; c++) {
                double x = a.sketch.wave[w * a.sketch.width + c];
                assert_true(x == rint(x) && x == b.sketch.wave[w * a.sketch.width + c]);
                square += x * x;
            }
            assert_true(sqrt(square) * a.groups.bound <= 0x1p53);
        }
        close_scene(&a);
        close_scene(&b);
    }
}

/* Heaps of 100, 200, ... rows at places that are apart, and their sketch. */
static void heaps_are_found(void **state)
{
    enum { K = 6 };
    (void)state;
    for (int run = 0; run < 6; run++) {
        const double deviation = run % 3 * 10;
        scene s = open_scene(run < 3 ? "x[2] numeric -1:1\n" : "x[5] numeric 0:1\n", K, 0);
        const size_t d = s.sketch.width, m = s.sketch.waves;
        double *sums = calloc(2 * m, sizeof *sums), centre[K * 5];
        uint64_t seed = 7 + (uint64_t)run;
        for (size_t i = 0; i < K * d; i++) centre[i] = 2 * (double)(i * i * 7 % 11) / 11 - 0.9;
        for (size_t w = 0; w < m; w++)
            for (size_t j = 0; j < K; j++) {
                double phase = 0, size = 100 * (double)(j + 1) * exp(-0.003 * s.sketch.square[w] / 2);
                for (size_t c = 0; c < d; c++) phase += s.sketch.turn[w * d + c] * centre[j * d + c];
                sums[2 * w] += size * cos(phase);
                sums[2 * w + 1] += size * sin(phase);
            }
        for (size_t i = 0; i < 2 * m; i++) sums[i] += deviation * 3.46 * (cluster_uniform(&seed) - 0.5);
        assert_int_equal(learn_sketch_decode(&s.groups, &s.sketch, sums, NULL), DUSK_OK);
        for (size_t j = 0; j < K; j++) {
            double least = INFINITY, count = 0;
            for (size_t g = 0; g < K; g++) {
                double far = 0;
                for (size_t c = 0; c < d; c++)
                    far = fmax(far, fabs(s.groups.centre[g * d + c] / s.sketch.half[c] - centre[j * d + c]));
                if (far < least) count = s.groups.count[g];
                least = fmin(least, far);
            }
            if (!(least < 0.01 + 0.003 * deviation &&
                  fabs(count / 100 - (double)(j + 1)) < 0.2 + deviation / 25))
                fail_msg("run %d, heap %zu: %g away, %g rows", run, j, least, count);
        }
        free(sums);
        close_scene(&s);
    }
}

static void odd_sums_are_defined(void **state)
{
    (void)state;
    for (int run = 0; run < 4; run++) {
        scene s = open_scene(run % 2 ? "x[3] numeric 5:6\n" : "a category p\n", 4, 70);
        double *sums = calloc(140, sizeof *sums);
        uint64_t seed = 3;
        for (size_t i = 0; run > 1 && i < 140; i++) sums[i] = 1e12 * (cluster_uniform(&seed) - 0.5);
        assert_int_equal(learn_sketch_decode(&s.groups, &s.sketch, sums, NULL), DUSK_OK);
        for (size_t j = 0; j < 4; j++) {
            assert_true(isfinite(s.groups.count[j]) && s.groups.count[j] >= 0 && s.groups.spread[j] >= 0);
            for (size_t c = 0; c < s.sketch.width; c++) {
                double x = s.groups.centre[j * s.sketch.width + c];
                assert_true(x >= s.groups.low[c] && x <= s.groups.high[c]);
            }
        }
        free(sums);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_exact),
        cmocka_unit_test(heaps_are_found),
        cmocka_unit_test(odd_sums_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
