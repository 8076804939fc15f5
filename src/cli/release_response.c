/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release randomized-response: each person's answer, randomized; or, with
 * --estimate, true counts from randomized ones, which are public already. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

#define ANSWERS_COUNTED_MAX 1000000

static dusk_status prepare(const release_job *job, dusk_randomized_response *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    bool first = release_given(job, "first"), second = release_given(job, "second");
    bool epsilon = release_given(job, "epsilon"), answers = release_given(job, "answers");
    if (first != second)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "dusk release randomized-response --first 0.5 --second 0.5 --value 1",
                         "--first and --second go together");
    if (first && (epsilon || (answers && s->answers != 2)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "dusk release randomized-response --first 0.5 --second 0.5 --value 1",
                         "two coins are for two answers, and epsilon follows from them");
    if (!first && !epsilon)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "randomized-response needs --epsilon, or --first and --second");
    return first ? dusk_two_coin_init(out, s->first, s->second, err)
                 : dusk_randomized_response_init(out, (uint32_t)s->answers, s->epsilon, err);
}

static dusk_status report(release_job *job, const dusk_randomized_response *rr, const uint32_t *answers,
                          size_t n, dusk_error *err)
{
    dusk_status status;
    dusk_event event;
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .input = "what is not an answer counts as the last answer" };
    DUSK_TRY(dusk_randomized_response_event(rr, &event, err));
    DUSK_TRY(release_state(job, &statement, &event, 0, "each person answers once", err));
    if (release_json(job)) {
        dusk_json_key(&job->json, "values");
        dusk_json_open(&job->json, '[');
        for (size_t i = 0; i < n; i++) dusk_json_number(&job->json, answers[i]);
        dusk_json_close(&job->json, ']');
    } else {
        for (size_t i = 0; i < n; i++) printf("%lu\n", (unsigned long)answers[i]);
    }
    DUSK_TRY(release_end(job, &receipt, err));
done:
    return status;
}

/* The answer as the library wants it; whatever it is, no branch is an error. */
static uint32_t to_answer(const dusk_randomized_response *rr, double x)
{
    bool fits = x >= 0 && x < rr->answers && x == floor(x);
    return fits ? (uint32_t)x : rr->answers - 1;
}

static dusk_status randomize(release_job *job, const dusk_randomized_response *rr, dusk_error *err)
{
    dusk_status status;
    double *values = NULL;
    uint32_t *answers = NULL, *randomized = NULL;
    size_t n = 1;
    if (job->settings->dry_run) return report(job, rr, NULL, 0, err);
    if (!release_given(job, "value")) DUSK_TRY(release_read(job, &values, &n, err));
    DUSK_NEW(answers, n);
    DUSK_NEW(randomized, n);
    for (size_t i = 0; i < n; i++) answers[i] = to_answer(rr, values ? values[i] : job->settings->value);
    DUSK_TRY(dusk_randomized_response_release(rr, randomized, answers, n, job->gen, err));
    DUSK_TRY(report(job, rr, randomized, n, err));
done:
    if (answers) dusk_wipe(answers, n * sizeof *answers);
    dusk_numbers_free(values, values ? n : 0);
    dusk_deallocate(answers);
    dusk_deallocate(randomized);
    return status;
}

/* ---- Estimates --------------------------------------------------------------------- */

/* Counts of randomized answers are public, so mistakes in them are errors. */
static dusk_status read_counts(const release_job *job, const dusk_randomized_response *rr, uint64_t *counts,
                               dusk_error *err)
{
    dusk_status status;
    double *values = NULL;
    size_t n = 0;
    DUSK_TRY(release_read(job, &values, &n, err));
    if (n != rr->answers)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE,
                           "give how many said 0, how many said 1, ...; --answers says how many kinds",
                           "%lu counts are needed and %zu were given", (unsigned long)rr->answers, n));
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] >= 0 && values[i] < 0x1p53 && values[i] == floor(values[i])))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "counts are whole numbers from 0 on",
                               "count %zu is not a count", i + 1));
        counts[i] = (uint64_t)values[i];
    }
done:
    dusk_numbers_free(values, n);
    return status;
}

static void print_numbers(dusk_json *json, const char *key, const double *x, size_t n)
{
    dusk_json_key(json, key);
    dusk_json_open(json, '[');
    for (size_t i = 0; i < n; i++) dusk_json_number(json, x[i]);
    dusk_json_close(json, ']');
}

static dusk_status report_estimates(release_job *job, const double *estimates, const double *half_widths,
                                    size_t n, dusk_error *err)
{
    release_receipt receipt = { .statement = NULL };
    dusk_text text;
    if (release_json(job)) {
        print_numbers(&job->json, "estimates", estimates, n);
        print_numbers(&job->json, "half_widths", half_widths, n);
        dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
    } else {
        for (size_t i = 0; i < n; i++) {
            char width[64];
            dusk_format_width(width, sizeof width, half_widths[i]);
            printf("%zu\t%.1f\t%s\n", i, estimates[i], width);
        }
    }
    dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
    dusk_text_add(&text, "each true count is within the third column of the second with %g %% confidence",
                  100 * job->settings->confidence);
    return release_end(job, &receipt, err);
}

static dusk_status estimate(release_job *job, const dusk_randomized_response *rr, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *counts = NULL;
    double *estimates = NULL, *half_widths = NULL;
    size_t n = rr->answers;
    if (n > ANSWERS_COUNTED_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a smaller --answers",
                         "estimates are for at most %d answers", ANSWERS_COUNTED_MAX);
    if (job->settings->dry_run || release_given(job, "value"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "printf '310 690' | dusk release randomized-response --epsilon 1 --estimate",
                         "--estimate reads counts and costs nothing: leave --%s away",
                         job->settings->dry_run ? "dry-run" : "value");
    DUSK_NEW(counts, n);
    DUSK_NEW(estimates, n);
    DUSK_NEW(half_widths, n);
    /* checks the confidence before the input is read */
    DUSK_TRY(dusk_randomized_response_estimate(rr, estimates, half_widths, counts, job->settings->confidence,
                                               err));
    DUSK_TRY(read_counts(job, rr, counts, err));
    DUSK_TRY(dusk_randomized_response_estimate(rr, estimates, half_widths, counts, job->settings->confidence,
                                               err));
    DUSK_TRY(report_estimates(job, estimates, half_widths, n, err));
done:
    dusk_deallocate(counts);
    dusk_deallocate(estimates);
    dusk_deallocate(half_widths);
    return status;
}

dusk_status release_randomized_response(release_job *job, dusk_error *err)
{
    dusk_randomized_response rr;
    dusk_status status = prepare(job, &rr, err);
    if (status != DUSK_OK) return status;
    return job->settings->estimate ? estimate(job, &rr, err) : randomize(job, &rr, err);
}
