/* SPDX-License-Identifier: Apache-2.0 */
/* Reconstruction of a column from counts of groups: options, checks, and how many were right.
 * The decoders are least_squares.c and least_absolute.c. */
#include <math.h>
#include <string.h>

#include "attack/box_fit.h"
#include "base/memory.h"
#include "numeric/special.h"

void dusk_reconstruction_options_init(dusk_reconstruction_options *options)
{
    *options = (dusk_reconstruction_options){
        .size = sizeof *options, .decoder = DUSK_LEAST_SQUARES, .tolerance = 0.005, .work_most = 20000
    };
}

const char *dusk_decoder_name(dusk_decoder decoder)
{
    switch (decoder) {
    case DUSK_LEAST_SQUARES: return "squares";
    case DUSK_LEAST_ABSOLUTE: return "absolute";
    }
    return "unknown";
}

static dusk_status check(const dusk_groups *groups, const double *answers,
                         const dusk_reconstruction_options *options, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_reconstruction_options_init first",
                         "the options of a reconstruction were not initialised");
    if (options->decoder != DUSK_LEAST_SQUARES && options->decoder != DUSK_LEAST_ABSOLUTE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_LEAST_SQUARES or DUSK_LEAST_ABSOLUTE",
                         "there is no such decoder");
    if (!(options->tolerance > 0 && options->tolerance < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.001",
                         "the tolerance must be above 0 and below 1");
    if (!(options->prior >= 0 && options->prior < 1) ||
        (options->prior > 0 && options->decoder != DUSK_LEAST_SQUARES))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 for least absolute errors, and where nothing is known",
                         "the prior must be at least 0 and below 1, and goes with least squares only");
    for (size_t j = 0; j < dusk_groups_questions(groups); j++)
        if (!(fabs(answers[j]) <= 0x1p100))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out what was not answered",
                             "answer %zu is not a number of at most 2^100", j + 1);
    return DUSK_OK;
}

dusk_status dusk_reconstruct(dusk_reconstruction *out, double *values, const dusk_groups *groups,
                             const double *answers, const dusk_reconstruction_options *options,
                             dusk_error *err)
{
    attack_fit fit = { 0 };
    dusk_status status = DUSK_OK;
    DUSK_TRY(check(groups, answers, options, err));
    DUSK_TRY(attack_fit_new(&fit, groups, answers, options->work_most, err));
    *out = (dusk_reconstruction){ 0 };
    if (options->decoder == DUSK_LEAST_SQUARES)
        attack_least_squares(&fit, out, options->tolerance, options->prior);
    else
        attack_least_absolute(&fit, out, options->tolerance);
    out->work = fit.work;
    memcpy(values, fit.x, fit.people * sizeof *values);
done:
    attack_fit_free(&fit);
    return status;
}

size_t dusk_reconstruction_right(const double *values, const double *truth, size_t n)
{
    size_t right = 0;
    for (size_t i = 0; i < n; i++) right += (values[i] > 0.5) == (truth[i] > 0.5);
    return right;
}

double dusk_reconstruction_expected(size_t people, size_t questions, double deviation)
{
    if (questions <= people || !(deviation >= 0)) return NAN;
    if (deviation == 0) return 1;
    return dusk_normal_cdf(sqrt((double)(questions - people)) / (4 * deviation));
}
