/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack differencing: the count with somebody, less the count without. */
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/attack.h"
#include "cli/input.h"

/* A violation is said only where that has a chance of at most this if all is right. */
#define ALARM 1e-6
#define AMOUNT 1.0

/* ---- Answers that were given -------------------------------------------------------------------- */

static void json_pairs(attack_job *job, const double *answers, size_t n)
{
    if (!job->settings->json) return;
    dusk_json_key(&job->json, "guesses");
    dusk_json_open(&job->json, '[');
    for (size_t i = 0; i + 1 < n; i += 2)
        dusk_json_bool(&job->json, dusk_differencing_guess(answers[i], answers[i + 1], job->settings->step));
    dusk_json_close(&job->json, ']');
}

/* Whether all pairs differ as answers without noise do. */
static bool look_exact(const double *answers, size_t n, double amount)
{
    for (size_t i = 0; i < n; i += 2) {
        double d = answers[i] - answers[i + 1];
        double rounding = 1e-12 * fmax(fabs(answers[i]), amount);
        if (!(fabs(d) <= rounding || fabs(d - amount) <= rounding)) return false;
    }
    return true;
}

/* How often guesses were right is not known here: what can be said is what the promise rules out, and
 * that answers without noise are the fact itself. */
static dusk_status conclude_given(attack_job *job, bool exact, double bound, dusk_error *err)
{
    if (!job->spent)
        return exact
                   ? attack_conclude(job, ATTACK_FALLS, "without noise two answers differ by the person", err)
                   : attack_conclude(job, ATTACK_OPEN, "there is noise; give --event, what an answer is",
                                     err);
    if (attack_judge(1, 0.5, bound) == ATTACK_HOLDS)
        return attack_conclude(job, ATTACK_HOLDS, "no guess gets halfway from a coin to knowing", err);
    return attack_conclude(job, ATTACK_OPEN, "the promise does not rule out that the guess is right", err);
}

static dusk_status attack_given_answers(attack_job *job, dusk_error *err)
{
    double *answers = NULL, amount = job->settings->step, bound = 1;
    size_t n = 0;
    dusk_status status = DUSK_OK;
    if (!(amount > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1 for counts",
                         "--step must be above 0: what a person adds");
    DUSK_TRY(attack_read_numbers(job->settings->answers, "answer", &answers, &n, err));
    if (n % 2)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "first with the person, then without, in pairs",
                           "there are %zu answers, which are not pairs", n));
    for (size_t i = 0; i < n; i += 2) {
        bool there = dusk_differencing_guess(answers[i], answers[i + 1], amount);
        attack_say(job, "guess", "%.12g with, %.12g without: %s", answers[i], answers[i + 1],
                   there ? "counted" : "not counted");
    }
    json_pairs(job, answers, n);
    DUSK_TRY(attack_spend_event(job, 2, err)); /* of one person: two answers */
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(attack_say_bound(job, 0.5, &bound, err));
    status = conclude_given(job, look_exact(answers, n, amount), bound, err);
done:
    dusk_numbers_free(answers, n);
    return status;
}

/* ---- A release now --------------------------------------------------------------------------------- */

typedef struct game {
    attack_job *job;
    double others; /* how many of the others are counted */
} game;

static dusk_status answer_twice(void *context, double answers[2], bool there, dusk_error *err)
{
    game *g = context;
    const double exact[2] = { g->others + (there ? AMOUNT : 0), g->others };
    return attack_release_counts(g->job, answers, exact, 2, err);
}

/* The one release of this data, and what it says of the person. */
static dusk_status play_once(attack_job *job, game *g, const attack_secret *secret, size_t person,
                             dusk_error *err)
{
    double answers[2];
    char name[160];
    bool there = secret->values[person] > 0;
    dusk_status status = answer_twice(g, answers, there, err);
    if (status != DUSK_OK) return status;
    bool guess = dusk_differencing_guess(answers[0], answers[1], AMOUNT);
    attack_name_secret(job, name, sizeof name);
    attack_say(job, "question", "how many of %zu people have %s; with row %zu, and without", secret->people,
               name, person + 1);
    attack_say(job, "answers", "%.12g and %.12g: row %zu %s, which is %s", answers[0], answers[1], person + 1,
               guess ? "has it" : "does not have it", guess == there ? "right" : "wrong");
    attack_number(job, "with", answers[0]);
    attack_number(job, "without", answers[1]);
    if (job->settings->json) dusk_json_bool_field(&job->json, "guess", guess);
    if (job->settings->json) dusk_json_bool_field(&job->json, "right", guess == there);
    return DUSK_OK;
}

/* The accountant has the last word: guesses that beat it are a bug. */
static dusk_status check_bound(const dusk_guesses *played, double bound, dusk_error *err)
{
    dusk_guesses sure;
    dusk_status status = dusk_guesses_count(&sure, played->right, played->trials, 1 - 2 * ALARM, err);
    if (status == DUSK_OK && sure.low > bound)
        status = dusk_fail(err, DUSK_ERR_CHECK, "",
                           "guesses are right more often than the promise allows: at least %s %%, not %s %%",
                           dusk_shown_down(100 * sure.low, 4).text, dusk_shown_up(100 * bound, 4).text);
    return status;
}

dusk_status attack_differencing(attack_job *job, dusk_error *err)
{
    const attack_settings *s = job->settings;
    attack_secret secret = { .values = NULL };
    dusk_guesses played;
    double bound = 1;
    dusk_status status = DUSK_OK;
    if (s->answers) return attack_given_answers(job, err);
    DUSK_TRY(attack_check_release(job, err));
    DUSK_TRY(attack_read_secret(job, &secret, err));
    if ((size_t)s->person > secret.people)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "--person 1 is the first row", "there is no row %lld",
                           (long long)s->person));
    size_t person = (size_t)s->person - 1;
    game g = { .job = job, .others = (double)secret.holders - secret.values[person] };
    DUSK_TRY(play_once(job, &g, &secret, person, err));
    DUSK_TRY(dusk_differencing_play(&played, answer_twice, &g, AMOUNT, (uint64_t)s->trials, s->confidence, 1,
                                    err));
    attack_say(job, "guesses", "%llu of %llu such games right, %.2f %% (%.2f to %.2f %% with confidence %g)",
               (unsigned long long)played.right, (unsigned long long)played.trials, 100 * played.share,
               100 * played.low, 100 * played.high, s->confidence);
    attack_number(job, "share", played.share);
    attack_number(job, "low", played.low);
    attack_number(job, "high", played.high);
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(attack_say_bound(job, 0.5, &bound, err));
    DUSK_TRY(check_bound(&played, bound, err));
    attack_verdict verdict = attack_judge(played.share, 0.5, bound);
    status = attack_conclude(job, verdict,
                             verdict == ATTACK_FALLS ? "two answers tell whether one person has it"
                                                     : "two answers do not tell whether one person has it",
                             err);
done:
    attack_secret_free(&secret);
    return status;
}
