/* SPDX-License-Identifier: Apache-2.0 */
/* Several marginals of one table under one promise [Barak, Chaudhuri, Dwork, Kale,
 * McSherry & Talwar 2007]: all their cells are one vector of counts, and every cell gets
 * noise for what one unit changes in the whole vector. Which marginals there are is
 * public. What is released need not agree on shared columns; consistency.c sees to that
 * afterwards. Proof: marginals.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "mechanisms/table.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

typedef struct marginals_plan {
    dusk_noise noise;
    double half_width;
    dusk_statement statement;
} marginals_plan;

DUSK_PROVEN(dusk_marginals_change)
double dusk_marginals_change(const dusk_aggregate *how, size_t n)
{
    double m = how->rows_per_unit, k = DUSK_MUTATE(MARGINALS_COUNT_AS_ONE, (double)n, 1);
    double sides = how->neighbours == DUSK_REPLACE_ONE ? 2 : 1;
    return how->delta == 0 ? sides * k * m : dusk_mul_up(m, dusk_sqrt_up(sides * k));
}

static dusk_status make_plan(marginals_plan *plan, const dusk_aggregate *how, size_t n, size_t cells,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double change = dusk_marginals_change(how, n);

    DUSK_TRY(dusk_aggregate_count_noise(&plan->noise, how, 1, (uint32_t)cells, change, change, err));
    DUSK_TRY(dusk_aggregate_interval(&plan->half_width, how, 1, &plan->noise, err));
    plan->half_width = floor(plan->half_width); /* counts are whole; nothing was rounded */
    DUSK_TRY(dusk_noise_event(&plan->noise, &event, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, false, &event, err));
    DUSK_TRY(dusk_statement_assume(&plan->statement, "domain declared", err));
done:
    return status;
}

DUSK_PROVEN(dusk_marginals_release)
dusk_status dusk_marginals_release(double *counts, double *half_width, dusk_statement *statement,
                                   const dusk_aggregate *how, const dusk_table *table,
                                   const dusk_marginal *marginals, size_t n, dusk_generator *gen,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    marginals_plan plan;
    dusk_pool pool = { 0 };
    uint64_t *exact = NULL;
    size_t cells = 0, at = 0;

    DUSK_TRY(dusk_aggregate_check(how, false, err));
    DUSK_TRY(dusk_marginals_cells(&cells, table, marginals, n, err));
    DUSK_TRY(make_plan(&plan, how, n, cells, err));
    DUSK_NEW(exact, cells);
    DUSK_TRY(dusk_pool_draw(&pool, &plan.noise, cells, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) {
        dusk_marginal_count(exact + at, table, &marginals[i]);
        at += dusk_marginal_cells(table, &marginals[i]);
    }
    for (size_t i = 0; i < cells; i++) counts[i] = (double)dusk_pool_add(&pool, i, exact[i]);
    *half_width = plan.half_width;
    *statement = plan.statement;
done:
    dusk_pool_clear(&pool);
    if (exact) dusk_wipe(exact, cells * sizeof *exact);
    dusk_deallocate(exact);
    return status;
}
