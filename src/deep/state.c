/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a training; see state.h. */
#include "deep/state.h"

#include <string.h>

#include "base/mutant.h"

typedef struct head {
    uint64_t steps, optimiser_steps;
    double rows, clip;
} head;

/* Vectors of as many numbers as are learned; an optimiser has two moments at most. */
static size_t vectors(const deep_plan *plan)
{
    return 3u + (plan->average > 0) + (plan->carriers.part ? 1 : 0);
}

size_t deep_state_size(const learn_job *job, const deep_plan *plan)
{
    /* an order of rows that is begun would have to be ended, and scales and earlier noise that were released be kept */
    if (plan->sampler.way == LEARN_SHUFFLED || plan->sampler.way == LEARN_ALLOCATED || job->scaling_is_paid ||
        plan->correlation.way != DEEP_INDEPENDENT)
        return 0;
    if (plan->frozen_parameters - plan->standards > plan->start.count)
        return 0; /* frozen ones that are random are drawn once */
    return sizeof(head) +
           (plan->standards + vectors(plan) * deep_learned(plan) + plan->carriers.learned) * sizeof(float) +
           (plan->allocates ? sizeof(deep_allocated) + deep_released(plan) * sizeof(float) : 0);
}

/* The vectors of a state, one after the other; moments that a method does not have are not there. */
enum { MOST = 5 };
static size_t list(const deep_state *state, float *out[MOST])
{
    size_t n = 0;
    out[n++] = state->learned;
    if (state->averaged) out[n++] = state->averaged;
    if (state->optimiser->first_moment) out[n++] = state->optimiser->first_moment;
    if (state->optimiser->second_moment) out[n++] = state->optimiser->second_moment;
    if (state->carriers->first) out[n++] = state->carriers->first;
    return n;
}

void deep_state_pack(const deep_plan *plan, const deep_state *state, unsigned char *bytes)
{
    const head begin = { state->steps, state->optimiser->steps, plan->rows, state->clip };
    const size_t size = deep_learned(plan) * sizeof(float);
    float *vector[MOST];
    const size_t n = list(state, vector);
    memcpy(bytes, &begin, sizeof begin);
    bytes += sizeof begin;
    if (plan->standards > 0) memcpy(bytes, plan->standard, plan->standards * sizeof(float));
    bytes += plan->standards * sizeof(float);
    memset(bytes, 0, vectors(plan) * size);
    for (size_t v = 0; v < n && v < vectors(plan); v++) memcpy(bytes + v * size, vector[v], size);
    bytes += vectors(plan) * size;
    if (state->carriers->carrier)
        memcpy(bytes, state->carriers->carrier, plan->carriers.learned * sizeof(float));
    bytes += plan->carriers.learned * sizeof(float);
    if (!state->allocation->allowance) return;
    memcpy(bytes, &state->allocation->kept, sizeof state->allocation->kept);
    memcpy(bytes + sizeof state->allocation->kept, state->allocation->last,
           deep_released(plan) * sizeof(float));
}

void deep_state_unpack(const deep_plan *plan, deep_state *state, const unsigned char *bytes)
{
    const size_t size = deep_learned(plan) * sizeof(float);
    float *vector[MOST];
    head begin;
    const size_t n = list(state, vector);
    memcpy(&begin, bytes, sizeof begin);
    bytes += sizeof begin + plan->standards * sizeof(float);
    for (size_t v = 0; v < n && v < vectors(plan); v++) memcpy(vector[v], bytes + v * size, size);
    bytes += vectors(plan) * size;
    if (DUSK_MUTATE(DEEP_CARRIERS_ARE_NOT_KEPT, state->carriers->carrier != NULL, false))
        memcpy(state->carriers->carrier, bytes, plan->carriers.learned * sizeof(float));
    bytes += plan->carriers.learned * sizeof(float);
    if (DUSK_MUTATE(DEEP_ALLOCATION_IS_NOT_KEPT, state->allocation->allowance != NULL, false)) {
        memcpy(&state->allocation->kept, bytes, sizeof state->allocation->kept);
        memcpy(state->allocation->last, bytes + sizeof state->allocation->kept,
               deep_released(plan) * sizeof(float));
    }
    state->steps = begin.steps;
    state->clip = begin.clip;
    state->optimiser->steps = begin.optimiser_steps;
}

double deep_state_rows(const unsigned char *bytes)
{
    head begin;
    memcpy(&begin, bytes, sizeof begin);
    return begin.rows;
}

void deep_state_standard(const deep_plan *plan, float *out, const unsigned char *bytes)
{
    memcpy(out, bytes + sizeof(head), plan->standards * sizeof *out);
}
