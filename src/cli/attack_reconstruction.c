/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack reconstruction: a column from counts of many groups. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/attack.h"
#include "cli/file.h"
#include "cli/input.h"

#define PEOPLE_MOST 1000
#define GROUPS_SEED 1
#define WRONG_SEED 2

typedef struct column {
    const double *values;
    size_t n;
} column;

static void put_guesses(FILE *file, const void *what)
{
    const column *c = what;
    for (size_t i = 0; i < c->n; i++) fputs(c->values[i] > 0.5 ? "1\n" : "0\n", file);
}

/* `share` is what is known of people before the answers, where --prior does not say: 0 for nothing. */
void attack_reconstruction_options(const attack_job *job, dusk_reconstruction_options *options, double share)
{
    dusk_reconstruction_options_init(options);
    options->decoder = job->settings->decoder == 1 ? DUSK_LEAST_ABSOLUTE : DUSK_LEAST_SQUARES;
    if (options->decoder != DUSK_LEAST_SQUARES) return;
    options->prior = isnan(job->settings->prior) ? share : job->settings->prior;
    if (options->prior == 1) options->prior = 0; /* nothing is left to find out */
}

static dusk_status solve(attack_job *job, const dusk_groups *groups, const double *answers, double share,
                         double *values, dusk_reconstruction *found, dusk_error *err)
{
    dusk_reconstruction_options options;
    column guessed = { .values = values, .n = dusk_groups_people(groups) };
    dusk_status status = DUSK_OK;
    attack_reconstruction_options(job, &options, share);
    DUSK_TRY(dusk_reconstruct(found, values, groups, answers, &options, err));
    if (job->settings->guesses)
        DUSK_TRY(dusk_file_replace(job->settings->guesses, put_guesses, &guessed, err));
done:
    return status;
}

/* For the bound: a coin where nothing is known, and where all are alike, which the attack does not know. */
static double prior_or_coin(double prior) { return prior > 0 && prior < 1 ? prior : 0.5; }

/* What is below it is the rounding of the fit. */
static double rounded(double misfit) { return misfit < 0.0005 ? 0 : misfit; }

static void say_fit(attack_job *job, const dusk_reconstruction *found)
{
    attack_say(job, "fit", "misfit %.5g by least %s; no column has less than %.5g%s", rounded(found->misfit),
               job->settings->decoder == 1 ? "absolute errors" : "squares", rounded(found->least),
               found->solved ? "" : " (given up before the two met)");
    attack_number(job, "misfit", found->misfit);
    attack_number(job, "least", found->least);
    if (job->settings->json) dusk_json_bool_field(&job->json, "solved", found->solved);
}

/* The share of people that were guessed right, beside what needs no answers. */
static double say_share(attack_job *job, const double *values, const double *truth, size_t n,
                        double *baseline)
{
    size_t right = dusk_reconstruction_right(values, truth, n), holders = 0;
    for (size_t i = 0; i < n; i++) holders += truth[i] > 0.5;
    bool most = 2 * holders > n;
    double share = (double)right / (double)n;
    *baseline = (double)(most ? holders : n - holders) / (double)n;
    attack_say(job, "recovered",
               "%zu of %zu people, %.2f %%; saying \"%s\" of everybody is right for %.2f %%", right, n,
               100 * share, most ? "yes" : "no", 100 * *baseline);
    attack_number(job, "people", (double)n);
    attack_number(job, "right", (double)right);
    attack_number(job, "share", share);
    attack_number(job, "baseline", *baseline);
    return share;
}

static dusk_status conclude(attack_job *job, double share, double baseline, double bound, dusk_error *err)
{
    attack_verdict verdict = attack_judge(share, baseline, bound);
    return attack_conclude(job, verdict,
                           verdict == ATTACK_FALLS ? "the answers give the column away"
                                                   : "the answers do not give the column away",
                           err);
}

/* ---- Answers that were given ----------------------------------------------------------------------- */

static dusk_status compare(attack_job *job, const double *values, size_t n, double bound, dusk_error *err)
{
    double *truth = NULL, baseline;
    size_t count = 0;
    dusk_status status = DUSK_OK;
    if (!job->settings->truth)
        return attack_given(job, "expect")
                   ? dusk_fail(err, DUSK_ERR_ARGUMENT, "give --truth FILE with a 0 or 1 for each person",
                               "without the truth nothing can be expected")
                   : DUSK_OK;
    DUSK_TRY(attack_read_numbers(job->settings->truth, "value", &truth, &count, err));
    if (count != n)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "give a 0 or 1 for each person",
                           "--truth has %zu values for %zu people", count, n));
    double share = say_share(job, values, truth, n, &baseline);
    status = conclude(job, share, baseline, bound, err);
done:
    dusk_numbers_free(truth, count);
    return status;
}

static dusk_status attack_given_answers(attack_job *job, dusk_error *err)
{
    dusk_groups *groups = NULL;
    double *answers = NULL, *values = NULL, bound;
    dusk_reconstruction found;
    dusk_status status = DUSK_OK;
    DUSK_TRY(attack_read_groups(job->settings->answers, &groups, &answers, err));
    size_t n = dusk_groups_people(groups), m = dusk_groups_questions(groups), holders = 0;
    DUSK_NEW(values, n);
    DUSK_TRY(attack_spend_event(job, m, err));
    DUSK_TRY(solve(job, groups, answers, 0, values, &found, err));
    for (size_t i = 0; i < n; i++) holders += values[i] > 0.5;
    attack_say(job, "answers", "%zu about groups of %zu people; %zu people are guessed to have it", m, n,
               holders);
    attack_number(job, "questions", (double)m);
    say_fit(job, &found);
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(attack_say_bound(job, prior_or_coin(job->settings->prior), &bound, err));
    status = compare(job, values, n, bound, err);
done:
    dusk_groups_free(groups);
    dusk_deallocate(answers);
    dusk_deallocate(values);
    return status;
}

/* ---- A release now ------------------------------------------------------------------------------------ */

/* A share of the answers, chosen at random, has nothing to do with the truth. */
static dusk_status spoil(const attack_job *job, double *answers, size_t m, size_t people, dusk_error *err)
{
    size_t *order = NULL, count = (size_t)(job->settings->wrong * (double)m);
    dusk_status status = DUSK_OK;
    DUSK_NEW(order, m);
    dusk_attack_order(order, m, WRONG_SEED);
    for (size_t j = 0; j < count; j++)
        answers[order[j]] = floor((double)people * (double)order[m - 1 - j] / (double)m);
done:
    dusk_deallocate(order);
    return status;
}

/* The root mean square of what the answers are off. */
static double deviation(const double *answers, const double *exact, size_t m)
{
    double sum = 0;
    for (size_t j = 0; j < m; j++) sum += (answers[j] - exact[j]) * (answers[j] - exact[j]) / (double)m;
    return sqrt(sum);
}

static void say_theory(attack_job *job, size_t n, size_t m, double off)
{
    double expected = dusk_reconstruction_expected(n, m, off);
    attack_say(job, "asked", "%zu random groups; the answers are off by %.4g, sqrt(people) is %.4g", m, off,
               sqrt((double)n));
    if (!isnan(expected) && job->settings->wrong == 0)
        attack_say(job, "theory", "least squares alone is expected to recover %.2f %%", 100 * expected);
    attack_number(job, "questions", (double)m);
    attack_number(job, "off", off);
    attack_number(job, "expected", expected);
}

dusk_status attack_reconstruction(attack_job *job, dusk_error *err)
{
    const attack_settings *s = job->settings;
    attack_secret secret = { .values = NULL };
    dusk_groups *groups = NULL;
    double *exact = NULL, *answers = NULL, *values = NULL, baseline, bound;
    char name[160];
    dusk_reconstruction found;
    dusk_status status = DUSK_OK;
    if (s->answers) return attack_given_answers(job, err);
    job->people_most = PEOPLE_MOST;
    DUSK_TRY(attack_check_release(job, err));
    DUSK_TRY(attack_read_secret(job, &secret, err));
    size_t n = secret.people, m = s->queries ? (size_t)s->queries : 2 * n;
    DUSK_TRY(dusk_groups_random(&groups, n, m, GROUPS_SEED, err));
    DUSK_NEW(exact, m);
    DUSK_NEW(answers, m);
    DUSK_NEW(values, n);
    dusk_groups_answer(groups, exact, secret.values);
    DUSK_TRY(attack_release_counts(job, answers, exact, m, err));
    DUSK_TRY(spoil(job, answers, m, n, err));
    DUSK_TRY(solve(job, groups, answers, (double)secret.holders / (double)n, values, &found, err));
    attack_name_secret(job, name, sizeof name);
    attack_say(job, "question", "which of %zu people have %s", n, name);
    say_theory(job, n, m, deviation(answers, exact, m));
    double share = say_share(job, values, secret.values, n, &baseline);
    say_fit(job, &found);
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(attack_say_bound(job, prior_or_coin((double)secret.holders / (double)n), &bound, err));
    if (s->plot) DUSK_TRY(attack_plot_reconstruction(job, &secret, groups, exact, err));
    status = conclude(job, share, baseline, bound, err);
done:
    dusk_groups_free(groups);
    dusk_deallocate(exact);
    dusk_deallocate(answers);
    dusk_deallocate(values);
    attack_secret_free(&secret);
    return status;
}
