/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns depend on each other most: a spanning tree of pairs [McKenna, Miklau & Sheldon
 * 2021, Algorithm 2]. The score of a pair is in counts, not divided by any private number, and
 * exact: the model's counts are brought to a public grid, and sums are of integers.
 * Proof: spanning_tree.proof.md. */
#include "mechanisms/spanning_tree.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/table.h"

/* A model's count in units of 2^-10, from 0 to 2^52. */
static int64_t fine_units(double count)
{
    double units = isnan(count) ? 0 : fmin(fmax(count * 0x1p10, 0), 0x1p52);
    return (int64_t)rint(units);
}

DUSK_PROVEN(dusk_pair_score)
double dusk_pair_score(uint64_t *exact, const dusk_table *table, dusk_column_pair pair,
                       const double *const *singles, double total)
{
    const dusk_marginal marginal = { 2, { pair.first, pair.second } };
    const uint64_t most = UINT64_C(1) << 42;
    size_t n = table->sizes[pair.first], m = table->sizes[pair.second];
    double rows = DUSK_MUTATE(PAIR_SCORE_USES_THE_ROWS, total, (double)table->rows);
    dusk_uint128 sum = 0;

    dusk_marginal_count(exact, table, &marginal);
    for (size_t i = 0; i < n * m; i++) {
        int64_t model = fine_units(singles[pair.first][i / m] * (singles[pair.second][i % m] / rows));
        int64_t units = (int64_t)((exact[i] < most ? exact[i] : most) << 10);
        uint64_t off = (uint64_t)(units > model ? units - model : model - units);
        sum = sum + off;
    }
    return (double)(uint64_t)(sum < (dusk_uint128)1 << 52 ? sum : (dusk_uint128)1 << 52) * 0x1p-10;
}

/* --- the tree ---------------------------------------------------------------------- */

/* The pairs that join two parts, and their scores. */
static size_t list_candidates(dusk_column_pair *pairs, double *open, size_t columns, const double *scores,
                              const uint32_t *part)
{
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = i + 1; j < columns; j++, at++) {
            if (part[i] == part[j]) continue;
            pairs[count] = (dusk_column_pair){ i, j };
            open[count++] = scores[at];
        }
    return count;
}

DUSK_PROVEN(dusk_spanning_tree_release)
dusk_status dusk_spanning_tree_release(dusk_column_pair *edges, size_t columns, const double *scores,
                                       const dusk_selection *selection, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t pairs_count = columns * (columns - 1) / 2, chosen = 0;
    uint32_t part[DUSK_TABLE_COLUMNS_MAX];
    dusk_column_pair *pairs = NULL;
    double *open = NULL;

    DUSK_NEW(pairs, pairs_count);
    DUSK_NEW(open, pairs_count);
    for (uint32_t c = 0; c < columns; c++) part[c] = c;
    for (size_t e = 0; e + 1 < columns; e++) {
        size_t n = list_candidates(pairs, open, columns, scores, part);
        DUSK_TRY(dusk_selection_release(selection, &chosen, open, n, gen, err));
        edges[e] = pairs[chosen];
        uint32_t from = part[edges[e].second], to = part[edges[e].first];
        for (uint32_t c = 0; c < columns; c++)
            if (part[c] == from) part[c] = to;
    }
done:
    if (open) dusk_wipe(open, pairs_count * sizeof *open);
    dusk_deallocate(open);
    dusk_deallocate(pairs);
    return status;
}
