/* SPDX-License-Identifier: Apache-2.0 */
/* Two parts of a frame by a coin for each row. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dusk/frame.h"
#include "random/sampling.h"
#include "table/numbers.h"

/* Which rows go to the second part. Every row has a coin of its own, whatever the others are; the probability is rounded to a
 * whole number of 2^-53. */
static dusk_status toss(bool *second, size_t *count, size_t rows, double fraction, dusk_generator *gen,
                        dusk_error *err)
{
    const uint64_t limit = (uint64_t)(fraction * 0x1p53);
    *count = 0;
    for (size_t row = 0; row < rows; row++) {
        uint64_t coin;
        dusk_status status = dusk_uniform_below(gen, &coin, (uint64_t)1 << 53, err);
        if (status != DUSK_OK) return status;
        second[row] = coin < limit;
        *count += second[row];
    }
    return DUSK_OK;
}

static void copy_rows(dusk_frame *to, const dusk_frame *from, const bool *second, bool wanted)
{
    for (size_t c = 0; c < from->fields->count; c++) {
        const dusk_frame_column *in = &from->column[c];
        const dusk_frame_column *out = &to->column[c];
        size_t at = 0;
        for (size_t row = 0; row < from->rows; row++) {
            if (second[row] != wanted) continue;
            if (in->code)
                out->code[at] = in->code[row];
            else
                out->number[at] = table_number(in, row);
            at++;
        }
    }
}

dusk_status dusk_frame_split(const dusk_frame *frame, dusk_frame **first, dusk_frame **second,
                             double fraction, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame *parts[2] = { NULL, NULL };
    bool *goes = NULL;
    size_t count;
    *first = *second = NULL;
    if (!(fraction > 0 && fraction < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give 0.2 for a fifth of the rows",
                         "the fraction of rows for the second part must be between 0 and 1");
    DUSK_NEW(goes, frame->rows);
    DUSK_TRY(toss(goes, &count, frame->rows, fraction, gen, err));
    DUSK_TRY(dusk_frame_new(&parts[0], frame->fields, frame->rows - count, err));
    DUSK_TRY(dusk_frame_new(&parts[1], frame->fields, count, err));
    copy_rows(parts[0], frame, goes, false);
    copy_rows(parts[1], frame, goes, true);
    *first = parts[0];
    *second = parts[1];
    parts[0] = parts[1] = NULL;
done:
    if (goes) dusk_wipe(goes, frame->rows * sizeof *goes);
    dusk_deallocate(goes);
    dusk_frame_free(parts[0]);
    dusk_frame_free(parts[1]);
    return status;
}
