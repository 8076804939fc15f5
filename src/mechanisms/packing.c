/* SPDX-License-Identifier: Apache-2.0 */
/* Packing rare values together [McKenna, Miklau & Sheldon 2021, section 3.3]; see packing.h. */
#include "mechanisms/packing.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "random/sampling.h"

static void pack_column(dusk_packing *packing, size_t c, const double *counts, double least)
{
    uint32_t n = packing->sizes[c], rare = 0, next = 0;
    double sum = 0;
    for (uint32_t x = 0; x < n; x++) {
        if (counts[x] >= least) continue;
        rare++;
        sum += fmax(counts[x], 0);
    }
    if (rare < 2) rare = 0;
    for (uint32_t x = 0; x < n; x++) {
        bool alone = rare == 0 || counts[x] >= least;
        packing->code[c][x] = alone ? next++ : n - rare;
        packing->within[c][x] = alone ? 1 : sum > 0 ? fmax(counts[x], 0) / sum : 1 / (double)rare;
    }
    packing->packed[c] = n - rare + (rare > 0);
}

dusk_status dusk_packing_make(dusk_packing *packing, const dusk_table *domain, const double *counts,
                              double least, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *packing = (dusk_packing){ .columns = domain->columns, .sizes = domain->sizes };
    for (size_t c = 0; c < domain->columns; c++) {
        DUSK_NEW(packing->code[c], domain->sizes[c]);
        DUSK_NEW(packing->within[c], domain->sizes[c]);
        pack_column(packing, c, counts, least);
        counts += domain->sizes[c];
    }
done:
    if (status != DUSK_OK) dusk_packing_clear(packing);
    return status;
}

void dusk_packing_clear(dusk_packing *packing)
{
    for (size_t c = 0; c < packing->columns; c++) {
        dusk_deallocate(packing->code[c]);
        dusk_deallocate(packing->within[c]);
    }
    *packing = (dusk_packing){ 0 };
}

DUSK_PROVEN(dusk_packing_rows)
void dusk_packing_rows(const dusk_packing *packing, uint32_t *codes, const dusk_table *table)
{
    for (size_t r = 0; r < table->rows; r++)
        for (size_t c = 0; c < table->columns; c++) {
            uint32_t code = table->codes[r * table->columns + c], last = table->sizes[c] - 1;
            codes[r * table->columns + c] = packing->code[c][code < last ? code : last];
        }
}

void dusk_packing_counts(const dusk_packing *packing, size_t c, double *packed, const double *counts)
{
    for (uint32_t k = 0; k < packing->packed[c]; k++) packed[k] = 0;
    for (uint32_t x = 0; x < packing->sizes[c]; x++) packed[packing->code[c][x]] += counts[x];
}

/* A value with this packed code. */
static uint32_t choose_value(const dusk_packing *packing, size_t c, uint32_t code, double u)
{
    uint32_t last = 0;
    for (uint32_t x = 0; x < packing->sizes[c]; x++) {
        if (packing->code[c][x] != code) continue;
        last = x;
        if ((u -= packing->within[c][x]) < 0) return x;
    }
    return last;
}

dusk_status dusk_packing_undo(const dusk_packing *packing, uint32_t *codes, size_t rows, dusk_generator *gen,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t c = 0; c < packing->columns; c++) {
        if (packing->packed[c] == packing->sizes[c]) continue; /* codes are values */
        for (size_t r = 0; r < rows; r++) {
            uint32_t *code = &codes[r * packing->columns + c];
            uint64_t word;
            DUSK_TRY(dusk_uniform_below(gen, &word, UINT64_C(1) << 52, err));
            *code = choose_value(packing, c, *code, (double)word * 0x1p-52);
        }
    }
done:
    return status;
}
