/* SPDX-License-Identifier: Apache-2.0 */
/* A mechanism of Dusk as a sampler; see self.h. */
#include "audit/self.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"

#define ENOUGH (UINT64_C(1) << 20) /* draws, for a verdict */

static const double worlds[2 * SELF_PAIRS_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7 };

typedef struct self_subject {
    const self_mechanism *mechanism;
    dusk_generator *gen;
    dusk_input_pair pairs[SELF_PAIRS_MAX];
    max_align_t state[];
} self_subject;

static dusk_status draw(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    self_subject *subject = context;
    const self_mechanism *m = subject->mechanism;
    int world = (int)input[0];
    if (m->many) return m->many(subject->state, out, n, world, subject->gen, err);
    for (size_t i = 0; i < n; i++) {
        dusk_status status = m->one(subject->state, out + i * m->output_length, world, subject->gen, err);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}

static void close(void *context)
{
    self_subject *subject = context;
    if (subject->mechanism->end) subject->mechanism->end(subject->state);
    dusk_deallocate(subject);
}

double audit_self_tight(double epsilon) { return epsilon; }

dusk_status audit_self_open(audit_case *out, const self_mechanism *mechanism, double epsilon,
                            dusk_generator *gen, dusk_error *err)
{
    self_subject *subject = dusk_allocate(1, sizeof *subject + mechanism->state);
    if (!subject) return dusk_fail_memory(err);
    subject->mechanism = mechanism;
    subject->gen = gen;
    for (size_t i = 0; i < mechanism->pair_count; i++)
        subject->pairs[i] =
            (dusk_input_pair){ .input = { &worlds[2 * i], &worlds[2 * i + 1] }, .name = mechanism->names[i] };
    dusk_status status = mechanism->begin(subject->state, &epsilon, err);
    if (status != DUSK_OK) {
        dusk_deallocate(subject); /* begin frees what it had when it fails */
        return status;
    }
    *out = (audit_case){ .sampler = { .context = subject,
                                      .input_length = 1,
                                      .output_length = mechanism->output_length,
                                      .draw = draw },
                         .pairs = subject->pairs,
                         .pair_count = mechanism->pair_count,
                         .epsilon = epsilon,
                         .delta = mechanism->delta,
                         .exact = mechanism->exact ? mechanism->exact(epsilon) : NAN,
                         .draws = mechanism->draws ? mechanism->draws : ENOUGH,
                         .close = close };
    return DUSK_OK;
}
