/* SPDX-License-Identifier: Apache-2.0 */
/* Draws from files; see stored_draws.h. */
#include "cli/stored_draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/input.h"

dusk_status draws_read(double **values, size_t *n, const char *path, const char *hint, dusk_error *err)
{
    dusk_input input;
    dusk_status status = dusk_input_open(&input, path, NULL, DUSK_INPUT_NUMBERS, err);
    if (status != DUSK_OK) return status;
    status = dusk_input_numbers(&input, values, n, err);
    dusk_status closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    if (status == DUSK_OK) status = closed;
    return status == DUSK_OK ? draws_are_numbers(*values, *n, path, hint, err) : status;
}

dusk_status draws_are_numbers(const double *values, size_t n, const char *name, const char *hint,
                              dusk_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(values[i]))
            return dusk_fail(err, DUSK_ERR_PARSE, hint, "%.200s: field %zu is not a number", name, i + 1);
    return DUSK_OK;
}

static dusk_status read_one(double **values, size_t *n, const char *path, dusk_error *err)
{
    dusk_status status =
        draws_read(values, n, path, "one number a line; print doubles with all their digits", err);
    if (status == DUSK_OK && draws_are_sorted(*values, *n))
        status = dusk_fail(err, DUSK_ERR_PARSE, "give the draws in the order in which they were made",
                           "%.200s: the draws were sorted, so that they are no longer independent", path);
    return status;
}

bool draws_are_sorted(const double *values, size_t n)
{
    bool rises = false, falls = false;
    for (size_t i = 1; i < n && !(rises && falls); i++) {
        rises = rises || values[i] > values[i - 1];
        falls = falls || values[i] < values[i - 1];
    }
    return n >= 64 && rises != falls;
}

dusk_status stored_draws_read(stored_draws *out, const char *const paths[2], dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (stored_draws){ .n = { 0, 0 } };
    for (int side = 0; side < 2; side++)
        DUSK_TRY(read_one(&out->values[side], &out->n[side], paths[side], err));
done:
    if (status != DUSK_OK) stored_draws_free(out);
    return status;
}

void stored_draws_free(stored_draws *draws)
{
    for (int side = 0; side < 2; side++) {
        dusk_numbers_free(draws->values[side], draws->n[side]);
        draws->values[side] = NULL;
        draws->n[side] = 0;
    }
}

static dusk_status give(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    stored_draws *draws = context;
    int side = input == draws->input[1] ? 1 : 0;
    if (draws->n[side] - draws->used[side] < n)
        return dusk_fail(err, DUSK_ERR_PARSE, "give more of them, or fewer --draws",
                         "there are not enough draws in the file of input %d", side + 1);
    memcpy(out, draws->values[side] + draws->used[side], n * sizeof *out);
    draws->used[side] += n;
    return DUSK_OK;
}

dusk_sampler stored_draws_sampler(stored_draws *draws, const dusk_input_pair *pair)
{
    for (int side = 0; side < 2; side++) draws->input[side] = pair->input[side];
    return (dusk_sampler){ .context = draws, .input_length = 1, .output_length = 1, .draw = give };
}

bool draws_are_decimals(const double *values, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.15g", values[i]);
        if (strtod(text, NULL) != values[i]) return false;
        any = any || (isfinite(values[i]) && rint(values[i] * 0x1p20) != values[i] * 0x1p20);
    }
    return any;
}
