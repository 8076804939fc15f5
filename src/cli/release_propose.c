/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release propose-test-release: a quantile with noise for a sensitivity that is
 * proposed, if a private test finds that it holds with room to spare. "refused" is an
 * answer like any other: it is on standard output, paid for, and no error. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/release.h"

enum { LAPLACE = 2, GAUSSIAN = 3 }; /* places in the list of --noise */

static dusk_status read_noise(const release_job *job, dusk_noise_law *law, dusk_error *err)
{
    *law = DUSK_LAPLACE;
    if (!release_given(job, "noise")) return DUSK_OK;
    if (job->settings->noise != LAPLACE && job->settings->noise != GAUSSIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --noise laplace or gaussian",
                         "propose-test-release has no such noise");
    if (job->settings->noise == GAUSSIAN) *law = DUSK_GAUSSIAN;
    return DUSK_OK;
}

static void print_answer(release_job *job, const dusk_answer *answer, bool released)
{
    dusk_json *json = &job->json;
    bool dry = job->settings->dry_run;
    if (!release_json(job)) {
        if (dry) return;
        if (released)
            dusk_print_number(stdout, answer->value);
        else
            fputs("refused", stdout);
        fputc('\n', stdout);
        return;
    }
    if (!dry) dusk_json_key(json, "released");
    if (!dry) dusk_json_bool(json, released);
    dusk_json_number_field(json, "value", dry || !released ? NAN : answer->value);
    if (!dry && released) release_json_interval(job, answer->low, answer->high);
    dusk_json_number_field(json, "confidence", answer->confidence);
}

static dusk_status describe(const release_job *job, const dusk_answer *answer, bool released,
                            dusk_noise_law law, release_receipt *receipt, dusk_error *err)
{
    const release_settings *s = job->settings;
    char range[200];
    dusk_text text;
    dusk_propose propose;
    uint64_t enough;
    double half_width;
    dusk_status status;
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    DUSK_TRY(dusk_propose_init(&propose, law, s->sensitivity, 0, s->epsilon, s->delta, err));
    DUSK_TRY(dusk_propose_interval(&propose, &half_width, &enough, s->confidence, err));
    if (!s->dry_run && released) {
        receipt->label = "interval";
        dusk_format_interval(range, sizeof range, answer->low, answer->high);
        dusk_text_add(&text, "the exact answer is between %s with %g %% confidence", range,
                      100 * s->confidence);
        goto done;
    }
    dusk_format_width(range, sizeof range, half_width);
    dusk_text_add(
        &text,
        "data that %llu or more units would have to change before one could move the answer by more "
        "than the proposed sensitivity are answered, within %s, each with %g %% confidence",
        (unsigned long long)enough, range, 100 * s->confidence);
done:
    return status;
}

dusk_status release_propose_test_release(release_job *job, dusk_error *err)
{
    dusk_status status;
    dusk_aggregate how;
    dusk_noise_law law;
    dusk_answer answer;
    release_receipt receipt = {
        .statement = &answer.statement,
        .label = "accuracy",
        .input = "rows are clamped into the bounds; what is not a number counts as the one nearest 0",
    };
    double *rows = NULL, q[2] = { 0.5, 0.5 };
    size_t n = 0;
    bool released = false;
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(read_noise(job, &law, err));
    if (job->settings->q && dusk_parse_list(job->settings->q, ',', q, 2) != 1)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --q away for the median",
                           "--q must be one number between 0 and 1 here"));
    DUSK_TRY(dusk_propose_quantile_release(&answer, &released, &how, law, job->settings->sensitivity, q[0],
                                           NULL, 0, job->gen, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        DUSK_TRY(dusk_propose_quantile_release(&answer, &released, &how, law, job->settings->sensitivity,
                                               q[0], rows, n, job->gen, err));
    }
    print_answer(job, &answer, released);
    DUSK_TRY(describe(job, &answer, released, law, &receipt, err));
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_numbers_free(rows, n);
    return status;
}
