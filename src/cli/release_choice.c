/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release exponential, permute-and-flip, noisy-max, top-k: a choice among
 * public candidates with private scores. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release.h"

static dusk_status state(const release_job *job, const dusk_selection *selection, size_t k,
                         dusk_statement *out, dusk_error *err)
{
    char fact[128], sensitivity[64];
    dusk_text text;
    dusk_event event;
    dusk_status status = dusk_selection_event(selection, k, &event, err);
    if (status != DUSK_OK) return status;
    dusk_text_init(&text, fact, sizeof fact);
    dusk_format_number(sensitivity, sizeof sensitivity, selection->sensitivity);
    dusk_text_add(&text, "score sensitivity %s%s; candidates public", sensitivity,
                  selection->monotonic ? ", all scores move together" : "");
    return release_state(job, out, &event, 0, fact, err);
}

static void print_json(release_job *job, const dusk_named *list, const size_t *chosen, size_t k,
                       double shortfall)
{
    dusk_json *json = &job->json;
    dusk_json_key(json, k > 1 ? "values" : "value");
    if (k > 1) dusk_json_open(json, '[');
    for (size_t i = 0; list && i < k; i++) dusk_json_string(json, list[chosen[i]].name);
    if (k > 1) dusk_json_close(json, ']');
    if (!list && k == 1) dusk_json_null(json);
    if (!list) return;
    dusk_json_number_field(json, "shortfall", shortfall);
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

/* Print the chosen ones (list NULL: a dry run) and the receipt. */
static dusk_status report(release_job *job, const dusk_selection *selection, const dusk_named *list, size_t n,
                          const size_t *chosen, size_t k, dusk_error *err)
{
    dusk_status status;
    dusk_statement statement;
    double shortfall = NAN;
    char width[64];
    dusk_text text;
    release_receipt receipt = { .statement = &statement,
                                .label = "accuracy",

                                .input = "what is not a number is the lowest score" };
    DUSK_TRY(state(job, selection, k, &statement, err));
    if (list) DUSK_TRY(dusk_selection_interval(selection, &shortfall, k, n, job->settings->confidence, err));
    if (release_json(job))
        print_json(job, list, chosen, k, shortfall);
    else
        for (size_t i = 0; list && i < k; i++) printf("%s\n", list[chosen[i]].name);
    if (list) {
        dusk_text_init(&text, receipt.interval, sizeof receipt.interval);
        dusk_format_width(width, sizeof width, shortfall);
        dusk_text_add(&text, "%s at most %s below the %s with %g %% confidence",
                      k > 1 ? "each score is" : "its score is", width,
                      k > 1 ? "true one of its rank" : "best", 100 * job->settings->confidence);
    }
    DUSK_TRY(release_end(job, &receipt, err));
done:
    return status;
}

dusk_status release_read_scores(const release_job *job, dusk_named **list, double **scores, size_t *n,
                                dusk_error *err)
{
    dusk_input input;
    dusk_status status, closed;
    DUSK_TRY(release_open(job, &input, DUSK_INPUT_NAMED, err));
    status = dusk_input_named(&input, list, n, err);
    closed = dusk_input_close(&input, status == DUSK_OK ? err : NULL);
    DUSK_TRY(status != DUSK_OK ? status : closed);
    if (*n == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "give one candidate a line, as in: tea 40",
                           "there are no candidates to choose from"));
    DUSK_NEW(*scores, *n);
    for (size_t i = 0; i < *n; i++) (*scores)[i] = (*list)[i].number;
done:
    return status;
}

static dusk_status choose(release_job *job, const dusk_selection *selection, bool top, size_t k,
                          dusk_error *err)
{
    dusk_status status;
    dusk_named *list = NULL;
    double *scores = NULL, unused;
    size_t n = 0, *chosen = NULL;
    dusk_statement statement;
    /* Everything public is checked before the scores are opened. */
    DUSK_TRY(state(job, selection, k, &statement, err));
    DUSK_TRY(dusk_selection_interval(selection, &unused, 1, 2, job->settings->confidence, err));
    if (job->settings->dry_run) return report(job, selection, NULL, 0, NULL, k, err);
    DUSK_TRY(release_read_scores(job, &list, &scores, &n, err));
    if (k > n)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a smaller --k",
                           "there are fewer than %zu candidates", k));
    DUSK_NEW(chosen, k);
    DUSK_TRY(top ? dusk_selection_release_top(selection, chosen, k, scores, n, job->gen, err)
                 : dusk_selection_release(selection, chosen, scores, n, job->gen, err));
    DUSK_TRY(report(job, selection, list, n, chosen, k, err));
done:
    dusk_named_free(list, n);
    dusk_numbers_free(scores, scores ? n : 0);
    dusk_deallocate(chosen);
    return status;
}

static dusk_status choose_one(release_job *job, dusk_selection_method method, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_selection selection;
    dusk_status status;
    DUSK_TRY(dusk_selection_init(&selection, method, s->sensitivity, s->monotonic, s->epsilon, err));
    DUSK_TRY(choose(job, &selection, false, 1, err));
done:
    return status;
}

dusk_status release_exponential(release_job *job, dusk_error *err)
{
    return choose_one(job, DUSK_SELECT_EXPONENTIAL, err);
}

dusk_status release_permute_and_flip(release_job *job, dusk_error *err)
{
    return choose_one(job, DUSK_SELECT_PERMUTE_AND_FLIP, err);
}

dusk_status release_noisy_max(release_job *job, dusk_error *err)
{
    static const dusk_selection_method methods[] = {
        DUSK_SELECT_NOISY_MAX_EXPONENTIAL,
        DUSK_SELECT_NOISY_MAX_GUMBEL,
        DUSK_SELECT_NOISY_MAX_LAPLACE,
    };
    size_t noise = release_given(job, "noise") ? (size_t)job->settings->noise : 0;
    if (noise >= sizeof methods / sizeof *methods)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take --noise exponential, gumbel or laplace",
                         "noisy-max has no such noise");
    return choose_one(job, methods[noise], err);
}

/* The library's epsilon is that of one choice, the program's that of all k. */
dusk_status release_top_k(release_job *job, dusk_error *err)
{
    const release_settings *s = job->settings;
    dusk_selection selection;
    dusk_status status;
    double each = s->k > 1 ? nextafter(s->epsilon / (double)s->k, 0) : s->epsilon;
    DUSK_TRY(
        dusk_selection_init(&selection, DUSK_SELECT_EXPONENTIAL, s->sensitivity, s->monotonic, each, err));
    DUSK_TRY(choose(job, &selection, true, (size_t)s->k, err));
done:
    return status;
}
