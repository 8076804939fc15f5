/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a training; see state.h. */
#include "deep/state.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

/* What follows from the count of rows, and is found again by it. */
typedef struct planned {
    uint64_t steps;
    double noise, order, most;
} planned;

typedef struct head {
    planned planned;
    uint64_t settled; /* 0: rows were counted, and nothing else is known */
    uint64_t steps, optimiser_steps;
    double rows, clip;
} head;

static planned planned_of(const deep_plan *plan)
{
    return (planned){ plan->steps, plan->noise.gauss.scale, plan->allowance.order, plan->allowance.most };
}

/* --- before the first step ------------------------------------------------------------------------------------------- */

/* Columns have a centre and a factor each. */
static size_t scales_size(const learn_job *job)
{
    return job->scaling_is_paid ? 2 * job->features.width * sizeof(double) : 0;
}

/* Numbers that are frozen and not of the start, which come first. */
static size_t frozen_size(const deep_plan *plan)
{
    const size_t given = plan->start.count;
    return plan->frozen_parameters > given ? (plan->frozen_parameters - given) * sizeof(float) : 0;
}

size_t deep_settled_size(const learn_job *job, const deep_plan *plan)
{
    return scales_size(job) + frozen_size(plan);
}

void deep_settled_pack(const learn_job *job, const deep_plan *plan, const float *parameters,
                       unsigned char *bytes)
{
    const size_t scales = scales_size(job), frozen = frozen_size(plan);
    for (size_t at = 0; at < scales; at += 2 * sizeof(double)) {
        const learn_feature *f = &job->features.feature[at / (2 * sizeof(double))];
        memcpy(bytes + at, (const double[]){ f->centre, f->factor }, 2 * sizeof(double));
    }
    if (frozen > 0) memcpy(bytes + scales, parameters + plan->start.count, frozen);
}

void deep_settled_unpack(learn_job *job, const deep_plan *plan, float *parameters, const unsigned char *state)
{
    const unsigned char *bytes = state + sizeof(head);
    const size_t scales = scales_size(job), frozen = frozen_size(plan);
    for (size_t at = 0; at < scales; at += 2 * sizeof(double)) {
        double scale[2];
        memcpy(scale, bytes + at, sizeof scale);
        learn_features_rescale(&job->features, at / sizeof scale, scale[0], scale[1]);
    }
    if (frozen > 0) memcpy(parameters + plan->start.count, bytes + scales, frozen);
}

/* --- steps ------------------------------------------------------------------------------------------------------------ */

/* Vectors of as many numbers as are learned; an optimiser has two moments at most. */
static size_t vectors(const deep_plan *plan)
{
    return 3u + (plan->average > 0) + (plan->carriers.part ? 1 : 0);
}

/* How noise is found on the way, whichever way, and a vector that was released. */
static size_t allocated_size(const deep_plan *plan)
{
    static const size_t size[] = {
        [DEEP_ADAPTIVE] = sizeof(deep_allocated), [DEEP_DESCENT] = sizeof(deep_descended)
    };
    return plan->allocates == DEEP_EVEN ? 0 : size[plan->allocates] + deep_released(plan) * sizeof(float);
}

static void list_allocated(const deep_plan *plan, const deep_state *state, void **kept, float **vector)
{
    const bool looks = plan->allocates == DEEP_DESCENT;
    *kept = looks ? (void *)&state->descent->kept : (void *)&state->allocation->kept;
    *vector = looks ? state->descent->gradient : state->allocation->last;
}

size_t deep_state_size(const learn_job *job, const deep_plan *plan)
{
    return sizeof(head) + deep_settled_size(job, plan) +
           (vectors(plan) * deep_learned(plan) + plan->carriers.learned) * sizeof(float) +
           allocated_size(plan);
}

uint64_t deep_state_piece(const deep_plan *plan)
{
    const bool ordered = plan->sampler.way == LEARN_SHUFFLED || plan->sampler.way == LEARN_ALLOCATED;
    return DUSK_MUTATE(DEEP_EPOCHS_ARE_BROKEN_OFF, ordered, false) ? learn_sampler_epoch(&plan->sampler) : 1;
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
    const head begin = {
        planned_of(plan), 1, state->steps, state->optimiser->steps, plan->rows, state->clip
    };
    const size_t size = deep_learned(plan) * sizeof(float);
    float *vector[MOST];
    const size_t n = list(state, vector);
    memcpy(bytes, &begin, sizeof begin);
    bytes += sizeof begin;
    if (plan->settled_size > 0) memcpy(bytes, plan->settled, plan->settled_size);
    bytes += plan->settled_size;
    memset(bytes, 0, vectors(plan) * size);
    for (size_t v = 0; v < n && v < vectors(plan); v++) memcpy(bytes + v * size, vector[v], size);
    bytes += vectors(plan) * size;
    if (state->carriers->carrier)
        memcpy(bytes, state->carriers->carrier, plan->carriers.learned * sizeof(float));
    bytes += plan->carriers.learned * sizeof(float);
    const size_t allocated = allocated_size(plan), released = deep_released(plan) * sizeof(float);
    if (allocated == 0) return;
    void *kept;
    float *last;
    list_allocated(plan, state, &kept, &last);
    memcpy(bytes, kept, allocated - released);
    memcpy(bytes + allocated - released, last, released);
}

void deep_state_unpack(const deep_plan *plan, deep_state *state, const unsigned char *bytes)
{
    const size_t size = deep_learned(plan) * sizeof(float);
    float *vector[MOST];
    head begin;
    const size_t n = list(state, vector);
    memcpy(&begin, bytes, sizeof begin);
    bytes += sizeof begin + plan->settled_size;
    for (size_t v = 0; v < n && v < vectors(plan); v++) memcpy(vector[v], bytes + v * size, size);
    bytes += vectors(plan) * size;
    if (DUSK_MUTATE(DEEP_CARRIERS_ARE_NOT_KEPT, state->carriers->carrier != NULL, false))
        memcpy(state->carriers->carrier, bytes, plan->carriers.learned * sizeof(float));
    bytes += plan->carriers.learned * sizeof(float);
    const size_t allocated = allocated_size(plan), released = deep_released(plan) * sizeof(float);
    if (DUSK_MUTATE(DEEP_ALLOCATION_IS_NOT_KEPT, allocated > 0, false)) {
        void *kept;
        float *last;
        list_allocated(plan, state, &kept, &last);
        memcpy(kept, bytes, allocated - released);
        if (DUSK_MUTATE(DEEP_HELD_GRADIENT_IS_NOT_KEPT, true, false))
            memcpy(last, bytes + allocated - released, released);
    }
    state->steps = begin.steps;
    state->clip = begin.clip;
    state->optimiser->steps = begin.optimiser_steps;
}

/* --- the count alone -------------------------------------------------------------------------------------------------- */

static head head_of(const unsigned char *state)
{
    head begin;
    memcpy(&begin, state, sizeof begin);
    return begin;
}

double deep_state_rows(const unsigned char *state) { return head_of(state).rows; }
bool deep_state_is_settled(const unsigned char *state) { return head_of(state).settled != 0; }

bool deep_state_is_planned(const deep_plan *plan, const unsigned char *state)
{
    const planned now = planned_of(plan), then = head_of(state).planned;
    return now.steps == then.steps && now.noise == then.noise && now.order == then.order &&
           now.most == then.most && head_of(state).steps <= then.steps;
}

dusk_status deep_state_keep_rows(learn_job *job, double rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const head begin = { .rows = rows };
    unsigned char *state = NULL;
    DUSK_NEW(state, job->state_size);
    memcpy(state, &begin, sizeof begin);
    DUSK_TRY(learn_checkpoint_save(&job->checkpoint, state, false, err));
done:
    dusk_deallocate(state);
    return status;
}
