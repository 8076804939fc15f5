/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of one run: guesses are the highest scores (members) and the lowest (not members);
 * how many of each is chosen by one of the three rules; see audit_scores.h. */
#include <math.h>

#include "audit/one_run.h"
#include "audit/scores.h"
#include "base/memory.h"
#include "base/mutant.h"

enum { CHOICES_MAX = 32, POINTS = 40 };

/* A way to guess: so many of the highest, so many of the lowest scores. */
typedef struct choice {
    uint64_t positives, negatives, correct;
} choice;

typedef struct choices {
    choice at[CHOICES_MAX];
    size_t count;
    uint64_t canaries;
} choices;

/* --- which guesses ------------------------------------------------------------------------ */

static void count_correct(choice *c, const audit_ranking *ranking)
{
    uint64_t members = ranking->before[ranking->n];
    uint64_t lowest = members - ranking->before[ranking->n - c->negatives]; /* of them: wrong */
    c->correct = ranking->before[c->positives] + c->negatives - lowest;
}

static void add_choice(choices *list, uint64_t positives, uint64_t negatives)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].positives == positives && list->at[i].negatives == negatives) return;
    if (positives + negatives > list->canaries || list->count == CHOICES_MAX) return;
    list->at[list->count++] = (choice){ .positives = positives, .negatives = negatives };
}

/* Made from the number of canaries alone: attacks may be sure of members, of others or of both. */
static void make_list(choices *list, size_t n)
{
    static const double shares[] = { 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5 };
    list->canaries = n;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        uint64_t k = (uint64_t)fmax(1, floor(shares[i] * (double)n));
        add_choice(list, k, k);
        add_choice(list, k, 0);
        add_choice(list, 0, k);
    }
}

static double bound(dusk_score_method method, const audit_guessed *guessed, double from)
{
    if (method == DUSK_ONE_RUN) return audit_one_run_epsilon(guessed, from);
    if (method == DUSK_ONE_RUN_FDP) return audit_one_run_fdp_epsilon(guessed, from);
    return audit_one_run_mu(guessed, from);
}

/* The largest bound of the list, each at its share of the error; and whose it is. */
DUSK_PROVEN(best_bound)
static double best_bound(const choices *list, dusk_score_method method, double delta, double error,
                         bool perfect, size_t *which)
{
    double best = 0, share = error / DUSK_MUTATE(ONE_RUN_NO_CORRECTION, (double)list->count, 1);
    for (size_t i = 0; i < list->count; i++) {
        const choice *c = &list->at[i];
        audit_guessed guessed = {
            .canaries = list->canaries, .guesses = c->positives + c->negatives, .delta = delta, .error = share
        };
        guessed.correct = perfect ? guessed.guesses : c->correct;
        double x = bound(method, &guessed, best);
        if (x > best && which) *which = i;
        best = fmax(best, x);
    }
    return best;
}

/* The best of the list on one half, and as large a part of the other half, which is counted. */
static dusk_status split(choices *out, const dusk_scores *scores, const dusk_score_options *options,
                         dusk_error *err)
{
    audit_ranking first = { .n = 0 }, second = { .n = 0 };
    choices list = { .count = 0 };
    size_t which = 0;
    dusk_status status = DUSK_OK;
    DUSK_TRY(audit_rank(&first, scores, AUDIT_FIRST_HALF, options->seed, err));
    DUSK_TRY(audit_rank(&second, scores, AUDIT_SECOND_HALF, options->seed, err));
    make_list(&list, first.n);
    for (size_t i = 0; i < list.count; i++) count_correct(&list.at[i], &first);
    double error = (double)list.count * (1 - options->confidence);
    best_bound(&list, DUSK_ONE_RUN_FDP, options->delta, fmin(error, 0.999), false, &which);
    double ratio = first.n ? (double)second.n / (double)first.n : 0;
    choice c = { .positives = (uint64_t)floor(ratio * (double)list.at[which].positives),
                 .negatives = (uint64_t)floor(ratio * (double)list.at[which].negatives) };
    if (c.positives > second.n) c.positives = second.n;
    if (c.negatives > second.n - c.positives) c.negatives = second.n - c.positives;
    count_correct(&c, DUSK_MUTATE(ONE_RUN_COUNTS_WHERE_IT_CHOSE, &second, &first));
    *out = (choices){ .at = { c }, .count = 1, .canaries = second.n };
done:
    audit_ranking_free(&first);
    audit_ranking_free(&second);
    return status;
}

static dusk_status choose(choices *out, const dusk_scores *scores, const dusk_score_options *options,
                          dusk_error *err)
{
    audit_ranking all = { .n = 0 };
    dusk_status status = DUSK_OK;
    *out = (choices){ .canaries = scores->n };
    if (options->rule == DUSK_CHOICE_SPLIT) return split(out, scores, options, err);
    DUSK_TRY(audit_rank(&all, scores, AUDIT_ALL, options->seed, err));
    if (options->rule == DUSK_CHOICE_FIXED)
        add_choice(out, options->positives, options->negatives);
    else
        make_list(out, scores->n);
    for (size_t i = 0; i < out->count; i++) count_correct(&out->at[i], &all);
done:
    audit_ranking_free(&all);
    return status;
}

/* --- the claimed event ------------------------------------------------------------------------- */

/* Points of the privacy curve, deltas rounded up: whoever keeps the event's promise keeps
 * these. */
static dusk_status curve_points(double *epsilons, double *deltas, size_t *n, const dusk_composition *event,
                                dusk_error *err)
{
    dusk_account found;
    dusk_status status = DUSK_OK;
    *n = 0;
    DUSK_TRY(dusk_account_epsilon(&found, event, 1e-12, DUSK_BEST, err));
    double most = isfinite(found.bound.upper) ? found.bound.upper : 50;
    for (int i = 0; i < POINTS; i++) {
        double epsilon = most * i / (POINTS - 1);
        DUSK_TRY(dusk_account_delta(&found, event, epsilon, DUSK_BEST, err));
        if (!(found.bound.upper < 1)) continue;
        epsilons[*n] = epsilon;
        deltas[(*n)++] = found.bound.upper;
    }
done:
    return status;
}

/* Whether one of the choices refutes it, each at its share of the error, and which; and
 * whether perfect guesses would have. */
static dusk_status refute_event(dusk_score_bound *out, size_t *which, const choices *list,
                                const dusk_composition *event, double error, dusk_error *err)
{
    double epsilons[POINTS], deltas[POINTS], share = error / (double)list->count;
    dusk_promise promise = { .epsilons = epsilons, .deltas = deltas };
    dusk_status status = curve_points(epsilons, deltas, &promise.n, event, err);
    if (status != DUSK_OK) return status;
    for (size_t i = 0; promise.n && i < list->count && !out->refutes; i++) {
        const choice *c = &list->at[i];
        uint64_t m = list->canaries, guesses = c->positives + c->negatives;
        *which = i;
        out->refutes = dusk_one_run_refutes(&promise, m, guesses, c->correct, share);
        out->could = out->could || dusk_one_run_refutes(&promise, m, guesses, guesses, share);
    }
    return DUSK_OK;
}

/* --- the bounds ---------------------------------------------------------------------------------- */

static void describe(dusk_score_bound *out, const choices *list, size_t which, dusk_choice_rule rule)
{
    const choice *c = &list->at[which];
    out->rule = rule;
    out->choices = list->count;
    out->canaries = list->canaries;
    out->positives = c->positives;
    out->negatives = c->negatives;
    out->guesses = c->positives + c->negatives;
    out->correct = c->correct;
}

/* Epsilon of what a method bounds, at an error: itself, or that of the Gaussian mu. */
static double epsilon_at(dusk_score_method method, const choices *list, double delta, double error,
                         bool perfect, size_t *which, double *mu)
{
    double x = best_bound(list, method, delta, error, perfect, which);
    if (method != DUSK_ONE_RUN_GDP) return x;
    if (mu) *mu = x;
    return dusk_mu_epsilon_down(x, delta);
}

static void add_bound(dusk_score_report *report, dusk_score_method method, const choices *list,
                      const dusk_score_options *options, const audit_levels *levels)
{
    bool gaussian = method == DUSK_ONE_RUN_GDP;
    dusk_score_bound b = { .method = method,
                           .assumes = gaussian ? DUSK_ASSUMES_GAUSSIAN : DUSK_ASSUMES_NOTHING,
                           .mu = NAN,
                           .threshold = NAN,
                           .decides = !gaussian || options->assume_gaussian };
    size_t which = 0;
    double delta = options->delta;
    b.epsilon = epsilon_at(method, list, delta, levels->alone, false, &which, gaussian ? &b.mu : NULL);
    b.epsilon_sure = epsilon_at(method, list, delta, levels->sure, false, NULL, NULL);
    b.refutes = b.epsilon_sure > report->claimed;
    describe(&b, list, which, options->rule);
    if (b.decides) {
        double shared = epsilon_at(method, list, delta, levels->shared, false, NULL, NULL);
        double perfect = epsilon_at(method, list, delta, levels->sure, true, NULL, NULL);
        b.could = perfect > report->claimed;
        report->epsilon = fmax(report->epsilon, shared);
        report->epsilon_sure = fmax(report->epsilon_sure, b.epsilon_sure);
        report->detectable = fmax(report->detectable, perfect);
    }
    report->bound[report->count++] = b;
}

DUSK_PROVEN(audit_score_one_run)
dusk_status audit_score_one_run(dusk_score_report *report, const dusk_scores *scores,
                                const dusk_score_options *options, const audit_levels *levels,
                                dusk_error *err)
{
    choices list;
    dusk_status status = DUSK_OK;
    DUSK_TRY(choose(&list, scores, options, err));
    add_bound(report, DUSK_ONE_RUN, &list, options, levels);
    add_bound(report, DUSK_ONE_RUN_FDP, &list, options, levels);
    add_bound(report, DUSK_ONE_RUN_GDP, &list, options, levels);
    if (options->event) {
        dusk_score_bound b = { .method = DUSK_ONE_RUN_EVENT,
                               .epsilon = NAN,
                               .epsilon_sure = NAN,
                               .mu = NAN,
                               .threshold = NAN,
                               .decides = true };
        size_t which = 0;
        DUSK_TRY(refute_event(&b, &which, &list, options->event, levels->sure, err));
        describe(&b, &list, which, options->rule);
        report->bound[report->count++] = b;
    }
done:
    return status;
}
