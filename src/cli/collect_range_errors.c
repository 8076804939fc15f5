/* SPDX-License-Identifier: Apache-2.0 */
/* How far off ranges are: what plan expects, and what simulate sees. Ranges are from any value to any other, spread evenly [Roberts 2018, R2 sequence], and the same in every run. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_range_errors.h"

#define RANGES 128

static dusk_range nth(const dusk_survey *survey, size_t i)
{
    const double u = fmod(0.5 + (double)i * 0.7548776662466927, 1);
    const double v = fmod(0.5 + (double)i * 0.5698402909980532, 1);
    const uint64_t a = (uint64_t)(u * survey->task.domain), b = (uint64_t)(v * survey->task.domain);
    return (dusk_range){ a < b ? a : b, a < b ? b : a };
}

double collect_range_variance(const dusk_survey *survey)
{
    double sum = 0;
    if (!dusk_survey_ranges_known(survey)) return NAN;
    for (size_t i = 0; i < RANGES; i++) {
        const dusk_range r = nth(survey, i);
        const double share = (double)(r.to - r.from + 1) / survey->task.domain;
        sum += dusk_survey_range_variance(survey, r, share) / RANGES;
    }
    return sum;
}

dusk_status collect_range_errors_begin(collect_range_errors *e, const dusk_survey *survey,
                                       const uint64_t *people, uint64_t users, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *before = NULL;
    DUSK_NEW(before, survey->task.domain + (size_t)1);
    DUSK_NEW(e->truth, RANGES);
    e->users = (double)users;
    if (!dusk_survey_ranges_known(survey)) e->theory = NAN;
    for (uint32_t v = 0; v < survey->task.domain; v++) before[v + 1] = before[v] + (double)people[v];
    for (size_t i = 0; i < RANGES; i++) {
        const dusk_range r = nth(survey, i);
        e->truth[i] = before[r.to + 1] - before[r.from];
        e->theory += dusk_survey_range_variance(survey, r, e->truth[i] / e->users) / RANGES;
    }
done:
    dusk_deallocate(before);
    return status;
}

void collect_range_errors_free(collect_range_errors *e) { dusk_deallocate(e->truth); }

/* Errors of one survey go together: surveys, not ranges, are independent. */
dusk_status collect_range_errors_look(collect_range_errors *e, const dusk_tally *tally, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_range range[RANGES];
    double count[RANGES], deviation[RANGES], square = 0;
    for (size_t i = 0; i < RANGES; i++) range[i] = nth(dusk_tally_survey(tally), i);
    DUSK_TRY(dusk_tally_ranges(tally, count, deviation, range, RANGES, err));
    for (size_t i = 0; i < RANGES; i++) {
        const double off = count[i] - e->truth[i];
        square += off * off / e->users / RANGES;
        e->covered += fabs(off) <= collect_reach(0.95) * deviation[i];
    }
    e->squares += square;
    e->fourths += square * square;
    e->surveys++;
done:
    return status;
}

void collect_range_errors_say(const collect_range_errors *e, dusk_json *json)
{
    const double n = (double)e->surveys, mse = e->squares / n;
    const double error = sqrt(fmax(e->fourths / n - mse * mse, 0) / n);
    const double coverage = (double)e->covered / n / RANGES;
    if (json->file) {
        dusk_json_number_field(json, "ranges", RANGES);
        dusk_json_number_field(json, "range_mse", mse);
        dusk_json_number_field(json, "range_mse_error", error);
        dusk_json_number_field(json, "range_theory", e->theory);
        dusk_json_number_field(json, "range_coverage", coverage);
    } else {
        printf("%-17s %.4g +- %.2g ", "error of ranges", mse, error);
        if (isnan(e->theory))
            printf("(not known by theory), %d of them\n", RANGES);
        else
            printf("(theory %.4g), %d of them\n", e->theory, RANGES);
        printf("%-17s %.4g of 95 %% intervals of ranges hold the truth\n", "coverage", coverage);
    }
}
