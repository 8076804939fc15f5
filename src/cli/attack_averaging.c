/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack averaging: the same question again and again. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/attack.h"
#include "cli/input.h"

#define REPEATS 1000

static void say_average(attack_job *job, const dusk_average *a)
{
    if (a->distinct == 1)
        attack_say(job, "answers", "%zu, all of them %.12g", a->answers, a->median);
    else
        attack_say(job, "answers", "%zu, with %zu different values; mean %.8g, median %.8g", a->answers,
                   a->distinct, a->mean, a->median);
    if (isfinite(a->low))
        attack_say(job, "interval", "between %.8g and %.8g with confidence %g", a->low, a->high,
                   job->settings->confidence);
    else
        attack_say(job, "interval", "none: %s",
                   a->answers > 1 && a->distinct == 1
                       ? "the answers are all the same, and repeating has told nothing more"
                       : "there are too few answers");
    attack_number(job, "answers", (double)a->answers);
    attack_number(job, "distinct", (double)a->distinct);
    attack_number(job, "mean", a->mean);
    attack_number(job, "median", a->median);
    attack_number(job, "low", a->low);
    attack_number(job, "high", a->high);
    attack_number(job, "value", a->value);
    if (job->settings->json) dusk_json_bool_field(&job->json, "pinned", a->pinned);
}

static const char *say_why(const dusk_average *a, bool falls)
{
    if (falls) return a->pinned ? "fresh noise has averaged out" : "there is no noise";
    return a->distinct == 1 ? "one answer, however often, is one answer"
                            : "the noise is too much to average out over these answers";
}

/* Answers that are all the same may be one that was kept. Where they are known to be fresh, the smallest
 * and the largest of n are an interval that errs with probability 2^(1-n): a point. */
static void trust_fresh(const attack_job *job, dusk_average *a)
{
    const attack_settings *s = job->settings;
    if (s->release != ATTACK_DUSK && s->release != ATTACK_OVERSPENT) return;
    if (a->distinct > 1 || ldexp(1, 1 - (int)fmin((double)a->answers, 1000)) > 1 - s->confidence) return;
    a->low = a->high = a->value = a->median;
    a->pinned = true;
}

static dusk_status conclude(attack_job *job, const dusk_average *a, double truth, dusk_error *err)
{
    bool exact = job->settings->release == ATTACK_EXACT;
    bool falls = exact || (a->pinned && (isnan(truth) || a->value == truth));
    double bound;
    dusk_status status = DUSK_OK;
    if (exact)
        attack_say(job, "recovered", "%.12g: every answer is the truth", truth);
    else if (a->pinned && isnan(truth))
        attack_say(job, "recovered", "%.12g is the only possible value in it", a->value);
    else if (a->pinned)
        attack_say(job, "recovered", "%.12g is the only possible value in it; the truth is %.12g", a->value,
                   truth);
    else if (!isnan(truth))
        attack_say(job, "recovered", "nothing for certain: the nearest guess is %.12g, the truth is %.12g",
                   a->value, truth);
    if (!isnan(truth)) attack_number(job, "truth", truth);
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(attack_say_bound(job, 0.5, &bound, err));
    if (isnan(truth) && a->distinct == 1)
        status = attack_conclude(job, ATTACK_OPEN,
                                 "it may be that one answer was kept, or that there is no noise", err);
    else
        status = attack_conclude(job, falls ? ATTACK_FALLS : ATTACK_HOLDS, say_why(a, falls), err);
done:
    return status;
}

static dusk_status attack_given_answers(attack_job *job, dusk_error *err)
{
    double *answers = NULL;
    size_t n = 0;
    dusk_average average;
    dusk_status status = DUSK_OK;
    DUSK_TRY(attack_read_numbers(job->settings->answers, "answer", &answers, &n, err));
    DUSK_TRY(dusk_average_answers(&average, answers, n, job->settings->step, job->settings->confidence, err));
    DUSK_TRY(attack_spend_event(job, n, err));
    say_average(job, &average);
    status = conclude(job, &average, NAN, err);
done:
    dusk_numbers_free(answers, n);
    return status;
}

dusk_status attack_averaging(attack_job *job, dusk_error *err)
{
    const attack_settings *s = job->settings;
    attack_secret secret = { .values = NULL };
    double *exact = NULL, *answers = NULL;
    char name[160];
    dusk_average average;
    dusk_status status = DUSK_OK;
    size_t n = s->queries ? (size_t)s->queries : REPEATS;
    if (s->answers) return attack_given_answers(job, err);
    DUSK_TRY(attack_check_release(job, err));
    DUSK_TRY(attack_read_secret(job, &secret, err));
    DUSK_NEW(exact, n);
    DUSK_NEW(answers, n);
    for (size_t i = 0; i < n; i++) exact[i] = (double)secret.holders;
    DUSK_TRY(attack_release_counts(job, answers, exact, n, err));
    DUSK_TRY(dusk_average_answers(&average, answers, n, 1, s->confidence, err));
    trust_fresh(job, &average);
    attack_name_secret(job, name, sizeof name);
    attack_say(job, "question", "how many of %zu people have %s; asked %zu times", secret.people, name, n);
    say_average(job, &average);
    status = conclude(job, &average, (double)secret.holders, err);
done:
    dusk_deallocate(exact);
    dusk_deallocate(answers);
    attack_secret_free(&secret);
    return status;
}
