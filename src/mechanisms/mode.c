/* SPDX-License-Identifier: Apache-2.0 */
/* The mode: the most frequent value. Where the values are public the counts are
 * scores of a choice by permute-and-flip [McKenna & Sheldon 2020]: all of them
 * move in the same direction when a unit comes or goes. Where the values come
 * from the data it is the first key of a limited domain (limit_domain.c), and
 * there may be none. Proof: mode.proof.md. Counting rows is done by the caller. */
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"

/* So many values may be chosen from when they come from the data. */
enum { LIMIT = 100 };

/* Counts as scores: exact up to 2^52, and no unit moves them by more after the cut. */
static double score_of(uint64_t count)
{
    const uint64_t most = (uint64_t)1 << 52;
    return (double)(count < most ? count : most);
}

DUSK_PROVEN(choose_public)
static dusk_status choose_public(size_t *index, const dusk_selection *selection, const uint64_t *counts,
                                 size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *scores = NULL;

    DUSK_NEW(scores, n);
    for (size_t i = 0; i < n; i++) scores[i] = score_of(counts[i]);
    DUSK_TRY(dusk_selection_release(selection, index, scores, n, gen, err));
done:
    if (scores) dusk_wipe(scores, n * sizeof *scores);
    dusk_deallocate(scores);
    return status;
}

static dusk_status release_public(size_t *index, double *shortfall, dusk_statement *statement,
                                  const dusk_aggregate *how, const uint64_t *counts, size_t n,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_selection selection;
    dusk_event event;
    bool together = how->neighbours == DUSK_ADD_REMOVE;

    DUSK_TRY(dusk_selection_init(&selection, DUSK_SELECT_PERMUTE_AND_FLIP, how->rows_per_unit,
                                 DUSK_MUTATE(MODE_REPLACES_ONE_WAY, together, true), how->epsilon, err));
    DUSK_TRY(dusk_selection_interval(&selection, shortfall, 1, n, how->confidence, err));
    DUSK_TRY(dusk_selection_event(&selection, 1, &event, err));
    DUSK_TRY(dusk_aggregate_state(statement, how, false, &event, err));
    DUSK_TRY(dusk_statement_assume(statement, "values public", err));
    DUSK_TRY(choose_public(index, &selection, counts, n, gen, err));
done:
    return status;
}

static dusk_status release_unknown(size_t *index, double *shortfall, dusk_statement *statement,
                                   const dusk_aggregate *how, const uint64_t *counts, size_t n,
                                   dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_limit_domain domain;
    dusk_event event;
    size_t found = DUSK_NO_MODE, shown = 0;
    uint32_t rows = DUSK_MUTATE(MODE_IGNORES_ROWS_PER_UNIT, how->rows_per_unit, 1);

    if (how->neighbours != DUSK_ADD_REMOVE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_ADD_REMOVE, or make the values public: delta 0",
                         "the mode of values that come from the data promises for add-remove only");
    DUSK_TRY(dusk_limit_domain_init(&domain, 1, LIMIT, rows, rows, how->epsilon, how->delta, err));
    DUSK_TRY(dusk_limit_domain_interval(&domain, shortfall, how->confidence, err));
    DUSK_TRY(dusk_event_approx(&event, domain.epsilon, domain.delta, err)); /* priced in no time */
    DUSK_TRY(dusk_aggregate_state(statement, how, false, &event, err));
    DUSK_TRY(dusk_limit_domain_release(&domain, &found, &shown, counts, n, gen, err));
    *index = shown ? found : DUSK_NO_MODE;
done:
    return status;
}

DUSK_PROVEN(dusk_mode_release)
dusk_status dusk_mode_release(size_t *index, double *shortfall, dusk_statement *statement,
                              const dusk_aggregate *how, const uint64_t *counts, size_t n,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement made;
    double width = 0;
    size_t chosen = DUSK_NO_MODE;

    DUSK_TRY(dusk_aggregate_check(how, false, err));
    if (how->delta > 0)
        DUSK_TRY(release_unknown(&chosen, &width, &made, how, counts, n, gen, err));
    else
        DUSK_TRY(release_public(&chosen, &width, &made, how, counts, n, gen, err));
    *index = chosen;
    *shortfall = width;
    *statement = made;
done:
    return status;
}
