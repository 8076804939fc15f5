/* SPDX-License-Identifier: Apache-2.0 */
/* Optimisers against their definitions in doubles, in pieces as training gives them; noise that is known is taken off second moments. */
#include "deep/optimiser.h"

#include <math.h>

#include "seeded.h"

enum { N = 23, STEPS = 40 };

typedef struct reference {
    double p[N], m[N], v[N];
} reference;

static void step_reference(reference *r, const deep_optimiser *o, const double *g, int t)
{
    for (int j = 0; j < N; j++) {
        const bool apart = o->method == DEEP_ADAMW || o->method == DEEP_ADAMW_UNBIASED;
        const double slope = g[j] + (apart ? 0 : o->weight_decay * r->p[j]);
        if (o->method == DEEP_SGD) {
            r->m[j] = o->momentum * r->m[j] + slope;
            r->p[j] -= o->rate * r->m[j];
        } else if (o->method == DEEP_ADAGRAD) {
            r->v[j] += slope * slope;
            r->p[j] -= o->rate * slope / (sqrt(r->v[j]) + 1e-8);
        } else {
            r->m[j] = o->momentum * r->m[j] + (1 - o->momentum) * slope;
            r->v[j] = o->second * r->v[j] + (1 - o->second) * slope * slope;
            const double first = r->m[j] / (1 - pow(o->momentum, t)),
                         second = r->v[j] / (1 - pow(o->second, t));
            const double left = fmax(second - o->noise_variance, fmax(o->noise_variance * 0.01, 1e-16));
            if (apart) r->p[j] *= 1 - o->rate * o->weight_decay;
            r->p[j] -= o->rate * first / sqrt(left);
        }
    }
}

static void steps_are_those_of_the_definitions(void **state)
{
    (void)state;
    for (int method = DEEP_SGD; method <= DEEP_ADAMW_UNBIASED; method++) {
        deep_optimiser o;
        reference r = { .p = { 0 } };
        float p[N];
        uint64_t seed = 9;
        assert_int_equal(deep_optimiser_open(&o, (deep_method)method, 0.9, N, NULL), DUSK_OK);
        o.weight_decay = 0.1;
        o.noise_variance = deep_takes_noise_off((deep_method)method) ? 0.05 : 0;
        for (int j = 0; j < N; j++) r.p[j] = (double)(p[j] = (float)j / N);
        for (int t = 1; t <= STEPS; t++) {
            double g[N];
            float scaled[N];
            for (int j = 0; j < N; j++) {
                scaled[j] = (float)(splitmix64(&seed) % 1000) / 250 - 1 - (float)j / N;
                g[j] = (double)scaled[j] * 0.5;
            }
            o.rate = 0.1 / t;
            deep_optimiser_begin(&o);
            for (size_t first = 0; first < N; first += 8)
                deep_optimiser_move(&o, p, scaled + first, 0.5, first, N - first < 8 ? N - first : 8);
            step_reference(&r, &o, g, t);
        }
        for (int j = 0; j < N; j++) assert_true(fabs((double)p[j] - r.p[j]) < 1e-4);
        deep_optimiser_close(&o);
    }
}

/* A small slope in large noise: adam goes by the noise; with that taken off it goes as far as it would without. */
static void known_noise_is_taken_off(void **state)
{
    (void)state;
    double far[2];
    for (int unbiased = 0; unbiased < 2; unbiased++) {
        deep_optimiser o;
        float p = 0;
        uint64_t seed = 4;
        assert_int_equal(deep_optimiser_open(&o, unbiased ? DEEP_ADAM_UNBIASED : DEEP_ADAM, 0.9, 1, NULL),
                         DUSK_OK);
        o.rate = 0.01;
        o.noise_variance = unbiased ? 1 : 0;
        for (int t = 0; t < 20000; t++) {
            const float g = 0.5f + (splitmix64(&seed) % 2 ? 1 : -1);
            deep_optimiser_begin(&o);
            deep_optimiser_move(&o, &p, &g, 1, 0, 1);
        }
        far[unbiased] = -(double)p / (0.01 * 20000);
        deep_optimiser_close(&o);
    }
    assert_true(fabs(far[0] - 0.5 / sqrt(1.25)) < 0.03);
    assert_true(fabs(far[1] - 1) < 0.08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_definitions),
        cmocka_unit_test(known_noise_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
