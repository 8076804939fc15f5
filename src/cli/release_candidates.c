/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release candidates: a random number of runs, each of which takes one of the
 * candidates at random and gives its score noise; the best run is shown.
 * The program's epsilon is that of the whole release: the noise of one run is
 * found so that the accountant gives that. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

enum { NOISE_LAPLACE = 2, NOISE_GAUSSIAN = 3 }; /* as --noise lists them */

/* The gamma with this mean number of runs; the mean falls as gamma grows. */
static dusk_status find_gamma(const release_job *job, dusk_candidates *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    double low = 0x1p-40, high = 1 - 0x1p-30;
    if (!(s->runs > 1 && s->runs <= 1e6))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --runs 10",
                         "--runs must be above 1 and at most 1e6");
    if (s->eta == 1) return dusk_candidates_init(out, 1, 1 / s->runs, err);
    if (!(s->eta > -1 && s->eta <= 100))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away for a geometric number of runs",
                         "--eta must be above -1 and at most 100");
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);
        dusk_candidates trial;
        if (dusk_candidates_init(&trial, s->eta, middle, NULL) == DUSK_OK && trial.mean <= s->runs)
            high = middle;
        else
            low = middle;
    }
    return dusk_candidates_init(out, s->eta, high, err);
}

static dusk_status prepare_runs(const release_job *job, dusk_candidates *out, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status;
    if (s->poisson && release_given(job, "eta"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->mechanism->example,
                         "--eta is not for a Poisson number of runs");
    if (s->poisson && !release_given(job, "delta"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --delta 1e-6, or leave --poisson away",
                         "a Poisson number of runs has no finite epsilon without --delta");
    if (release_given(job, "noise") && s->noise != NOISE_LAPLACE && s->noise != NOISE_GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away for Laplace noise",
                         "--noise of candidates must be laplace or gaussian");
    if (s->noise == NOISE_GAUSSIAN && !release_given(job, "delta"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --delta 1e-6, or leave --noise away",
                         "Gaussian noise has no finite epsilon without --delta");
    status = s->poisson ? dusk_candidates_poisson_init(out, s->runs, err) : find_gamma(job, out, err);
    if (status == DUSK_OK) out->padding = (uint64_t)s->padding;
    return status;
}

static dusk_status state(const release_job *job, const dusk_candidates *candidates, const dusk_noise *noise,
                         dusk_statement *out, dusk_error *err)
{
    char fact[128], sensitivity[64];
    dusk_text text;
    dusk_event run, event;
    dusk_status status;
    DUSK_TRY(dusk_noise_event(noise, &run, err));
    DUSK_TRY(dusk_candidates_event(candidates, &event, &run, err));
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, noise->sensitivity);
    dusk_text_add(&text, "score sensitivity %s; candidates public; the number of runs stays hidden",
                  sensitivity);
    DUSK_TRY(
        release_state(job, out, &event, release_given(job, "delta") ? job->settings->delta : 0, fact, err));
done:
    return status;
}

static bool is_gaussian(const release_job *job) { return job->settings->noise == NOISE_GAUSSIAN; }

/* Noise with which a single run would be 1/ratio private (at delta for Gaussian noise). */
static dusk_status init_run(const release_job *job, dusk_noise *noise, double ratio, dusk_error *err)
{
    const release_settings *s = job->settings;
    if (is_gaussian(job))
        return dusk_gaussian_init(noise, 1, s->sensitivity, 1 / ratio, s->delta, DUSK_GRID_DEFAULT, err);
    return dusk_laplace_init(noise, 1, s->sensitivity, 1 / ratio, DUSK_GRID_DEFAULT, err);
}

/* Whether runs with this noise keep the promise together. */
static dusk_status try_ratio(const release_job *job, const dusk_candidates *candidates, double ratio,
                             dusk_noise *noise, dusk_statement *statement, bool *kept, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_status status;
    DUSK_TRY(init_run(job, noise, ratio, err));
    DUSK_TRY(state(job, candidates, noise, statement, err));
    *kept = statement->epsilon <= s->epsilon;
done:
    return status;
}

/* The noise of one run: as little as the promise allows, to a millionth. Without a delta
 * the price is 2 + eta runs [Papernot & Steinke 2022]. */
static dusk_status prepare_noise(const release_job *job, const dusk_candidates *candidates, dusk_noise *noise,
                                 dusk_statement *statement, dusk_error *err)
{
    const release_settings *s = job->settings;
    double high = (s->poisson ? 3 : 2 + s->eta) / s->epsilon * (1 + 1e-9), low = high / 32;
    bool kept = false;
    dusk_status status;
    /* names what is wrong with epsilon or sensitivity before anything is divided */
    DUSK_TRY(dusk_laplace_init(noise, 1, s->sensitivity, s->epsilon, DUSK_GRID_DEFAULT, err));
    for (int i = 0; i < 20 && !kept; i++, high = kept ? high : (low = high, 2 * high))
        DUSK_TRY(try_ratio(job, candidates, high, noise, statement, &kept, err));
    if (!kept)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "raise --epsilon or --delta",
                         "no noise reaches this promise");
    for (int i = 0; i < 22 && release_given(job, "delta"); i++) {
        double middle = sqrt(low * high);
        DUSK_TRY(try_ratio(job, candidates, middle, noise, statement, &kept, err));
        *(kept ? &high : &low) = middle;
    }
    DUSK_TRY(try_ratio(job, candidates, high, noise, statement, &kept, err));
done:
    return status;
}

/* Noise of all runs together, and how good the best of them is. */
static dusk_status describe(const release_job *job, const dusk_candidates *candidates,
                            const dusk_noise *noise, double *fraction, double *width,
                            release_receipt *receipt, dusk_error *err)
{
    double beta = 1 - job->settings->confidence;
    char around[64], shares[64];
    dusk_text text;
    uint64_t most;
    dusk_status status;
    DUSK_TRY(dusk_candidates_interval(candidates, fraction, job->settings->confidence, err));
    DUSK_TRY(dusk_noise_interval(noise, width, 1 - beta / (2 * fmax(candidates->mean, 1)), err));
    DUSK_TRY(dusk_candidates_runs(candidates, &most, job->settings->confidence, err));
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_format_width(around, sizeof around, *width);
    dusk_format_width(shares, sizeof shares, 100 * *fraction);
    dusk_text_add(&text,
                  "the exact score is within %s of the noisy one, and the run is among the best %s %% of all "
                  "possible runs, each with %g %% confidence",
                  around, shares, 100 * job->settings->confidence);
    if (candidates->padding < most)
        dusk_text_add(&text, "; the time tells how many runs there were, --padding %llu hides it as often",
                      (unsigned long long)most);
done:
    return status;
}

static void print_best(release_job *job, const char *name, double score, double fraction, double width)
{
    dusk_json *json = &job->json;
    if (!release_json(job)) {
        if (!name) return;
        printf("%s\t", name);
        dusk_print_number(stdout, score);
        fputc('\n', stdout);
        return;
    }
    dusk_json_key(json, "value");
    if (name)
        dusk_json_string(json, name);
    else
        dusk_json_null(json);
    dusk_json_number_field(json, "score", name ? score : NAN);
    dusk_json_number_field(json, "half_width", width);
    dusk_json_number_field(json, "best_fraction", fraction);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

dusk_status release_candidates(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_candidates candidates;
    dusk_noise noise;
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .label = "accuracy",
                                .input = "what is not a number is the score 0" };
    dusk_named *list = NULL;
    double *scores = NULL, score = NAN, fraction, width;
    size_t n = 0, index = 0;
    bool any = false;
    DUSK_TRY(prepare_runs(job, &candidates, err));
    DUSK_TRY(prepare_noise(job, &candidates, &noise, &statement, err));
    DUSK_TRY(describe(job, &candidates, &noise, &fraction, &width, &receipt, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read_scores(job, &list, &scores, &n, err));
        DUSK_TRY(dusk_candidates_release_scores(&candidates, &any, &index, &score, &noise, scores, n,
                                                job->gen, err));
    }
    print_best(job, any ? list[index].name : NULL, score, fraction, width);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_named_free(list, n);
    dusk_numbers_free(scores, scores ? n : 0);
    return status;
}
