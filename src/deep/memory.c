/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a training, before it begins; see memory.h. What layers take is asked of a pass and a sum of one example, which have the sizes of all that they
 * allocate, so that this cannot be forgotten when one of them changes. */
#include "deep/memory.h"

#include <math.h>
#include <stdio.h>

#include "base/format.h"
#include "base/mutant.h"
#include "deep/check.h"
#include "deep/front.h"
#include "deep/gains.h"
#include "deep/whole.h"

#define SMALL 0x1p18 /* all that has a size of its own: generators, keys, tables of layers and threads */
#define REAL ((double)sizeof(deep_real))

/* A sum that was opened for one example. */
static void add_sum(deep_needs *needs, const deep_sum *sum)
{
    double fixed = (double)sum->numbers * (double)(sizeof *sum->part + sizeof *sum->total);
    fixed += REAL * (double)(sum->made_size + sum->whole_size);
    fixed += (double)sum->gram_size * (double)(sizeof *sum->gram + sizeof *sum->gram16);
    fixed += sum->piece ? DEEP_PIECE * (double)sizeof *sum->piece : 0;
    for (size_t l = 0; l < sum->net->layers; l++) {
        const deep_share *share = &sum->share[l];
        fixed += (double)sizeof *share + 64;
        if (share->row) fixed += (double)deep_size(sum->net->layer[l].in) * (double)sizeof *share->row;
        if (share->way == DEEP_ROWS) fixed += deep_touched_bytes(&share->touched);
        needs->row += REAL * (double)share->turned_size;
        for (size_t k = 0; k < share->outers; k++) {
            const deep_outer *o = &share->outer[k];
            needs->row += (double)o->positions * (double)(o->rows + o->columns) * (double)sizeof *o->left;
        }
    }
    needs->thread += fixed;
}

/* What one thread has, and what it has of each row. */
static dusk_status add_worker(deep_needs *needs, const deep_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const deep_net *net = &plan->net;
    deep_pass pass = { .net = NULL };
    deep_sum sum = { .net = NULL };
    const deep_subspace subspace = { .numbers = net->parameters, .directions = plan->directions };
    deep_coordinates coordinates = { .subspace = NULL };
    needs->row = deep_pass_bytes(net, 2) - deep_pass_bytes(net, 1);
    needs->thread = deep_pass_bytes(net, 0);
    needs->row +=
        sizeof(int32_t) + REAL + sizeof(uint64_t) + (double)deep_size(net->out); /* labels and coins */
    if (plan->plain) {
        needs->thread += REAL * 2 * (double)net->parameters; /* all of it, and one layer at most */
        return DUSK_OK;
    }
    DUSK_TRY(deep_pass_open(&pass, net, 1, err));
    pass.tuning = deep_looked_at(plan);
    if (deep_is_whole(plan)) {
        pass.given = pass.value[0]; /* any: gradients are made elsewhere */
        needs->thread += REAL * (double)net->parameters;
        needs->row += REAL * (double)net->parameters;
    }
    if (plan->directions > 0) {
        DUSK_TRY(deep_coordinates_open(&coordinates, &subspace, &pass, err));
        needs->thread += REAL * DEEP_COORDINATES_BLOCK * (double)net->parameters;
        needs->thread += deep_pass_bytes(&coordinates.net, 0);
        needs->row += deep_pass_bytes(&coordinates.net, 2) - deep_pass_bytes(&coordinates.net, 1);
    }
    DUSK_TRY(deep_sum_open(&sum, plan->directions > 0 ? &coordinates.pass : &pass, plan->clipping, plan->clip,
                           err));
    add_sum(needs, &sum);
done:
    deep_sum_close(&sum);
    deep_coordinates_close(&coordinates);
    deep_pass_close(&pass);
    return status;
}

dusk_status deep_needs_of(deep_needs *out, const deep_plan *plan, const deep_net *front, const learn_job *job,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double learned = (double)deep_learned(plan), all = (double)plan->net.parameters;
    const double released = (double)deep_released(plan);
    const double state = (double)job->state_size, width = (double)job->features.width;
    deep_needs needs = { .before = 0 };
    DUSK_TRY(add_worker(&needs, plan, err));
    if (front->layers > 0) needs.before = deep_pass_bytes(front, deep_front_room(front));
    needs.check = job->check_rows ? deep_pass_bytes(&plan->net, 0) : 0;
    needs.fixed = 2 * state; /* as it is, and on its way into a file */
    needs.fixed += REAL * learned * (plan->average > 0);
    if (plan->allocates != DEEP_DESCENT) needs.fixed += REAL * learned * 2; /* two moments at most */
    needs.fixed += REAL * all * (double)plan->smooth;
    if (plan->tuning.part) needs.fixed += REAL * (all + learned * (1 + plan->plain));
    if (plan->carriers.part)
        needs.fixed +=
            DUSK_MUTATE(DEEP_MEMORY_WITHOUT_CARRIERS, deep_carriers_bytes(&plan->net, &plan->carriers), 0);
    if (plan->directions > 0) {
        needs.fixed += REAL * all * (double)(plan->directions + 1);
        needs.find = deep_subspace_bytes(&plan->net, plan->directions, job->open_rows->rows);
    }
    if (plan->correlation.way != DEEP_INDEPENDENT)
        needs.fixed += deep_history_bytes(&plan->correlation, (size_t)released + 1, DEEP_PIECE);
    if (plan->allocates) needs.fixed += REAL * released;
    if (DUSK_MUTATE(DEEP_MEMORY_WITHOUT_GAINS, plan->allocates == DEEP_DESCENT, false)) {
        needs.thread += deep_gains_bytes(plan->net.parameters);
        needs.row += deep_gains_row_bytes();
    }
    if (!plan->plain && released <= DEEP_AHEAD_MOST) needs.ahead = (released + 1) * (double)sizeof(int64_t);
    /* parameters in doubles, twice, on their way into the model; or a slice of rows on its way to bits */
    needs.after = fmax(2 * sizeof(double) * (all + (double)plan->frozen_parameters),
                       DEEP_SLICE * (width + 4) * sizeof(float) + 16 * (double)job->fields->count);
    needs.always =
        SMALL + REAL * (all + (double)plan->frozen_parameters) + state + (double)plan->settled_size;
    *out = needs;
done:
    return status;
}

double deep_needs_bytes(const deep_needs *needs, size_t threads, size_t room)
{
    const double k = (double)DUSK_MUTATE(DEEP_MEMORY_OF_ONE_THREAD, threads, 1), n = (double)room;
    const double checked = fmin(n, DEEP_CHECK_ROOM);
    double steps = needs->fixed + k * (needs->thread + n * needs->row) + (threads > 1 ? needs->ahead : 0);
    const double check = needs->check > 0 ? k * (needs->check + checked * needs->row) : 0;
    steps += fmax(check, DUSK_MUTATE(DEEP_MEMORY_WITHOUT_DIRECTIONS, needs->find, 0));
    return needs->always + fmax(fmax(steps, k * needs->before), needs->after);
}

dusk_status deep_fit_memory(deep_plan *plan, const deep_needs *needs, double bytes, dusk_error *err)
{
    const size_t good = plan->room;
    const double least = deep_needs_bytes(needs, 1, 1);
    char hint[80];
    while (deep_needs_bytes(needs, plan->threads, plan->room) > bytes &&
           (plan->threads > 1 || plan->room > 1)) {
        const bool fewer = plan->threads > 1 && plan->room <= 8;
        if (fewer) plan->threads--;
        plan->room = fewer ? good : (plan->room + 1) / 2;
    }
    if (deep_needs_bytes(needs, plan->threads, plan->room) <= bytes) return DUSK_OK;
    dusk_format(hint, sizeof hint, "give --memory %.0fK, or a smaller network", ceil(least / 1000));
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                     "this network takes %.4g MB at least besides the rows, and %.4g MB are allowed",
                     least / 1e6, bytes / 1e6);
}
