/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release smooth-median, smooth-quantile and smooth-sensitivity: noise that follows
 * the data. How much there is is private, so that the receipt speaks of multiples of the smooth
 * sensitivity, unless an interval is paid for. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/release.h"

/* --noise: what the option lists, in its order. */
static const struct {
    const char *name;
    dusk_smooth_law law;
} noises[] = {
    { "exponential", 0 },
    { "gumbel", 0 },
    { "laplace", DUSK_SMOOTH_LAPLACE },
    { "gaussian", DUSK_SMOOTH_GAUSSIAN },
    { "cauchy", DUSK_SMOOTH_CAUCHY },
    { "student-t", DUSK_SMOOTH_STUDENT_T },
};

static dusk_status read_options(const release_job *job, dusk_smooth_options *options, double delta,
                                dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_smooth_options_init(options);
    if (release_given(job, "noise"))
        options->law = noises[s->noise].law;
    else if (release_given(job, "degrees"))
        options->law = DUSK_SMOOTH_STUDENT_T;
    if (!options->law)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --noise cauchy, student-t, laplace or gaussian",
                         "%s has no %s noise", job->mechanism->name, noises[s->noise].name);
    bool pure = options->law == DUSK_SMOOTH_CAUCHY || options->law == DUSK_SMOOTH_STUDENT_T;
    if (pure && delta > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --delta away, or take --noise laplace or gaussian",
                         "%s noise keeps epsilon alone and takes no --delta",
                         options->law == DUSK_SMOOTH_CAUCHY ? "cauchy" : "student-t");
    if (!pure && delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --delta 1e-6, or take --noise cauchy",
                         "%s noise needs --delta here", noises[s->noise].name);
    if (release_given(job, "degrees") && options->law != DUSK_SMOOTH_STUDENT_T)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --noise student-t", "%s noise has no --degrees",
                         noises[s->noise].name);
    options->degrees = (uint32_t)s->degrees;
    if (release_given(job, "beta")) {
        options->beta = s->beta;
        if (!(s->beta > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --beta away for the usual choice",
                             "--beta must be above 0");
    }
    if (release_given(job, "interval-epsilon")) {
        options->interval_epsilon = s->interval_epsilon;
        if (!(s->interval_epsilon > 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --interval-epsilon away for no interval",
                             "--interval-epsilon must be above 0");
    }
    return DUSK_OK;
}

static void print_answer(release_job *job, const dusk_answer *answer, bool paid, double multiple)
{
    dusk_json *json = &job->json;
    if (!release_value(job, answer->value)) return;
    if (paid && !job->settings->dry_run) release_json_interval(job, answer->low, answer->high);
    dusk_json_number_field(json, "multiple_of_smooth_sensitivity", multiple);
    dusk_json_number_field(json, "confidence", answer->confidence);
}

static void describe(const release_job *job, const dusk_answer *answer, bool paid, double multiple,
                     release_receipt *receipt)
{
    char range[200];
    dusk_text text;
    double percent = 100 * answer->confidence;
    bool dry = job->settings->dry_run;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    if (paid && !dry) {
        receipt->label = "interval";
        dusk_format_interval(range, sizeof range, answer->low, answer->high);
        dusk_text_add(&text, "the exact answer is between %s with %g %% confidence", range, percent);
    } else {
        dusk_format_width(range, sizeof range, multiple);
        dusk_text_add(&text,
                      "the answer %s within %s times the smooth sensitivity of the exact one with %g %% "
                      "confidence; %s",
                      dry ? "will be" : "is", range, percent,
                      paid ? "how much that is will be estimated"
                      : dusk_options_listed(job->mechanism->takes, "interval-epsilon")
                          ? "how much that is stays private unless --interval-epsilon pays for it"
                          : "how much that is stays private");
    }
}

static dusk_status release_smooth(release_job *job, double q, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_smooth_options options;
    dusk_smooth smooth;
    dusk_answer answer;
    release_receipt receipt = {
        .statement = &answer.statement,
        .label = "accuracy",
        .input = "rows are clamped into the bounds; what is not a number counts as the one nearest 0",
    };
    double *rows = NULL, multiple;
    size_t n = 0;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(read_options(job, &options, how.delta, err));
    DUSK_TRY(dusk_smooth_quantile_release(&answer, &how, &options, q, NULL, 0, job->gen, err));
    DUSK_TRY(dusk_smooth_init(&smooth, options.law, options.degrees, options.beta, how.epsilon, how.delta, 0,
                              err));
    DUSK_TRY(dusk_smooth_interval(&smooth, &multiple, how.confidence, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(dusk_smooth_quantile_release(&answer, &how, &options, q, rows, n, job->gen, err));
    }
    bool paid = options.interval_epsilon > 0;
    print_answer(job, &answer, paid, multiple);
    describe(job, &answer, paid, multiple, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_numbers_free(rows, n);
    return status;
}

dusk_status release_smooth_median(release_job *job, dusk_error *err) { return release_smooth(job, 0.5, err); }

dusk_status release_smooth_quantile(release_job *job, dusk_error *err)
{
    double q[2];
    if (dusk_parse_list(job->settings->q, ',', q, 2) != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk release quantiles takes several at once",
                         "--q must be one number between 0 and 1 here");
    return release_smooth(job, q[0], err);
}

/* A number of the user's, then its local sensitivity at distance 0, 1, 2, ... Without any of
 * those it may be anything. */
dusk_status release_smooth_sensitivity(release_job *job, dusk_error *err)
{
    const release_settings *s = job->settings;
    double delta = release_given(job, "delta") ? s->delta : 0, *numbers = NULL, multiple, sensitivity = NAN;
    dusk_status status;
    dusk_smooth_options options;
    dusk_smooth smooth;
    dusk_event event;
    dusk_answer answer = { .confidence = s->confidence };
    release_receipt receipt = { .statement = &answer.statement,
                                .label = "accuracy",
                                .input = "a number that is none counts as 0, a sensitivity as the largest" };
    size_t n = 0;
    DUSK_TRY(read_options(job, &options, delta, err));
    DUSK_TRY(dusk_smooth_init(&smooth, options.law, options.degrees, options.beta, s->epsilon, delta,
                              (int)s->grid, err));
    DUSK_TRY(dusk_smooth_interval(&smooth, &multiple, s->confidence, err));
    DUSK_TRY(dusk_smooth_event(&smooth, &event, err));
    DUSK_TRY(release_state(job, &answer.statement, &event, delta,
                           "local sensitivities hold, at distance k not above those of neighbours at k + 1",
                           err));
    if (!s->dry_run) {
        DUSK_TRY(release_read(job, &numbers, &n, err));
        if (n > 1) sensitivity = dusk_smooth_sensitivity(&smooth, numbers + 1, n - 1);
        DUSK_TRY(
            dusk_smooth_release(&smooth, &answer.value, n > 0 ? numbers[0] : 0, sensitivity, job->gen, err));
    }
    print_answer(job, &answer, false, multiple);
    describe(job, &answer, false, multiple, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_numbers_free(numbers, n);
    return status;
}
