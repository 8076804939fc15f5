/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EXHAUSTIVE_LAW_H
#define TESTS_EXHAUSTIVE_LAW_H

/* Exhaustive tests of integer samplers: the mass that finished tapes gave to
 * each small integer, and the check that it brackets the exact law. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "random/discrete_gaussian.h"
#include "random/noise_additive.h"
#include "random/tape.h"
#include "support.h"

#define LAW_RANGE 200

typedef struct law_table {
    double mass[2 * LAW_RANGE + 1];
    double outside;
} law_table;

static inline void law_add(law_table *law, dusk_int128 k, double weight)
{
    if (k < -LAW_RANGE || k > LAW_RANGE)
        law->outside += weight;
    else
        law->mass[k + LAW_RANGE] += weight;
}

/* The exact probability of k under the law that `of` says. */
typedef double law_exact(const void *of, int64_t k);

/* Masses bracket the law, and make 1 with those undecided, of which there may be `most`. */
static inline void law_brackets(const law_table *law, double undecided, double most, law_exact *exact,
                                const void *of, const char *what)
{
    double total = undecided + law->outside;
    for (int64_t k = -LAW_RANGE; k <= LAW_RANGE; k++) {
        double p = exact(of, k), decided = law->mass[k + LAW_RANGE];
        total += decided;
        if (!(decided <= p + 1e-12 && p <= decided + undecided + 1e-12))
            fail_msg("%s: P(%ld) = %.9f not in [%.9f, %.9f]", what, (long)k, p, decided, decided + undecided);
    }
    assert_true(fabs(total - 1) < 1e-9);
    if (undecided > most) fail_msg("%s: undecided mass %.4f", what, undecided);
}

/* exp(-k^2 / (2 s^2)) over its sum. */
static inline double law_discrete_gaussian(double scale, int64_t k)
{
    double sum = 0;
    for (int64_t i = -LAW_RANGE; i <= LAW_RANGE; i++) sum += exp(-(double)(i * i) / (2 * scale * scale));
    return exp(-(double)(k * k) / (2 * scale * scale)) / sum;
}

/* Which code path draws; TRIAL is one trial of the discrete Gaussian, whose
 * rejection counts as an outcome outside the range. */
typedef enum law_path { DRAW, FILL_NARROW, FILL_WIDE, TRIAL } law_path;

typedef struct law_subject {
    dusk_additive sampler;
    dusk_additive_law kind;
    double scale;
    law_path form;
    law_table law;
} law_subject;

static inline dusk_status law_draw(const law_subject *s, int64_t *out, dusk_generator *gen)
{
    dusk_int128 k = 0;
    bool accepted = true;
    dusk_status status;
    if (s->form == TRIAL)
        status = dusk_discrete_gaussian_sampler_try(&s->sampler, &accepted, &k, gen, NULL);
    else if (s->form == DRAW)
        status = dusk_additive_draw(&s->sampler, &k, gen, NULL);
    else
        return dusk_additive_fill(&s->sampler, out, 1, gen, NULL);
    *out = accepted ? (int64_t)k : INT64_MAX;
    return status;
}

static inline bool law_run(dusk_generator *gen, void *context)
{
    law_subject *s = context;
    int64_t k = 0;
    if (law_draw(s, &k, gen) != DUSK_OK) return false;
    law_add(&s->law, k, dusk_tape_weight(gen));
    return true;
}

/* Exact probability of k; `of` is a law_subject. */
static inline double law_truth(const void *of, int64_t k)
{
    const law_subject *s = of;
    double scale = s->scale;
    double a = fabs((double)k), q = exp(-1 / scale);
    switch (s->kind) {
    case DUSK_ADDITIVE_LAPLACE:
        return k == 0 ? -expm1(-0.5 / scale) : (exp(-(a - 0.5) / scale) - exp(-(a + 0.5) / scale)) / 2;
    case DUSK_ADDITIVE_GAUSSIAN: {
        double lower = erfc((a - 0.5) / scale / sqrt(2)), upper = erfc((a + 0.5) / scale / sqrt(2));
        return (lower - upper) / 2;
    }
    case DUSK_ADDITIVE_GEOMETRIC: return k < 0 ? 0 : pow(q, a) * (1 - q);
    case DUSK_ADDITIVE_DISCRETE_LAPLACE: return pow(q, a) * (1 - q) / (1 + q);
    case DUSK_ADDITIVE_DISCRETE_GAUSSIAN:
        if (s->form != TRIAL) return law_discrete_gaussian(scale, k);
        return exp(-a * a / (2 * scale * scale)) *
               (scale < 1 ? -expm1(-1 / (2 * scale * scale)) / 2
                          : exp(-1 / (8 * scale * scale)) / (scale * sqrt(8 * atan(1))));
    }
    return NAN;
}

/* Run a sampler on every tape and bracket the law; at most `undecided_max` may
 * stay undecided at `depth` coins. */
static inline void law_check(dusk_additive_law law, double scale, unsigned width, unsigned depth,
                             law_path form, double undecided_max)
{
    law_subject s = { .kind = law, .scale = scale, .form = form };
    char what[80];
    dusk_additive_init(&s.sampler, law, scale, width);
    if (form == FILL_WIDE) s.sampler.draw.narrow_suffices = false;
    double undecided = dusk_tape_walk(depth, law_run, &s);
    (void)snprintf(what, sizeof what, "law %d scale %g width %u form %d", (int)law, scale, width, (int)form);
    law_brackets(&s.law, undecided, undecided_max, law_truth, &s, what);
}

#endif
