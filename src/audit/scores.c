/* SPDX-License-Identifier: Apache-2.0 */
/* Audits from scores: the scores, the shares of the error, the verdict; see audit_scores.h.
 * The bounds are in score_one_run.c and score_threshold.c. */
#include "audit/scores.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

/* --- the scores ------------------------------------------------------------------------ */

dusk_status dusk_scores_new(dusk_scores **out, const double *score, const bool *member, size_t n,
                            dusk_error *err)
{
    dusk_scores *scores = NULL;
    dusk_status status = DUSK_OK;
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give -INFINITY where there is no score",
                             "score %zu is not a number", i + 1);
    DUSK_NEW(scores, 1);
    DUSK_NEW(scores->rows, n);
    scores->n = n;
    for (size_t i = 0; i < n; i++) {
        scores->rows[i] = (audit_row){ .score = score[i], .member = member[i] };
        scores->members += member[i];
    }
    *out = scores;
    scores = NULL;
done:
    dusk_scores_free(scores);
    return status;
}

void dusk_scores_free(dusk_scores *scores)
{
    if (!scores) return;
    dusk_deallocate(scores->rows);
    dusk_deallocate(scores);
}

size_t dusk_scores_members(const dusk_scores *scores) { return scores->members; }
size_t dusk_scores_others(const dusk_scores *scores) { return scores->n - scores->members; }

/* --- ranking ------------------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const audit_row *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Keys go by the place of a row in the file, never by its score or membership: halves and
 * ties are decided by coins of their own, also where a file lists all members first. */
DUSK_PROVEN(audit_rank)
dusk_status audit_rank(audit_ranking *out, const dusk_scores *scores, audit_part part, uint64_t seed,
                       dusk_error *err)
{
    audit_coins coins = audit_coins_seeded(seed);
    audit_ranking ranking = { .n = 0 };
    dusk_status status = DUSK_OK;
    DUSK_NEW(ranking.rows, scores->n);
    DUSK_NEW(ranking.before, scores->n + 1);
    for (size_t i = 0; i < scores->n; i++) {
        audit_row row = scores->rows[i];
        row.key = audit_word(&coins);
        bool first = row.key & 1;
        if (part == AUDIT_ALL || first == (part == AUDIT_FIRST_HALF)) ranking.rows[ranking.n++] = row;
    }
    qsort(ranking.rows, ranking.n, sizeof *ranking.rows, compare);
    for (size_t i = 0; i < ranking.n; i++) ranking.before[i + 1] = ranking.before[i] + ranking.rows[i].member;
    *out = ranking;
    ranking = (audit_ranking){ .n = 0 };
done:
    audit_ranking_free(&ranking);
    return status;
}

void audit_ranking_free(audit_ranking *ranking)
{
    dusk_deallocate(ranking->rows);
    dusk_deallocate(ranking->before);
}

size_t audit_rank_of(const audit_ranking *ranking, double threshold)
{
    size_t low = 0, high = ranking->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranking->rows[middle].score >= threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- the audit -------------------------------------------------------------------------------- */

void dusk_score_options_init(dusk_score_options *options)
{
    *options = (dusk_score_options){ .size = sizeof *options,
                                     .epsilon = NAN,
                                     .confidence = 0.95,
                                     .alarm = 1e-6,
                                     .rule = DUSK_CHOICE_LIST,
                                     .threshold = NAN,
                                     .seed = 1 };
}

const char *dusk_score_method_name(dusk_score_method method)
{
    static const char *const names[] = {
        "?", "one run", "one run f-DP", "one run GDP", "Clopper-Pearson", "threshold GDP", "one run event"
    };
    return names[method >= 1 && method <= DUSK_SCORE_METHODS ? method : 0];
}

static dusk_status check_numbers(const dusk_score_options *o, dusk_error *err)
{
    if (o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_score_options_init first", "size is not set");
    if (!isnan(o->epsilon) && !(o->epsilon >= 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1", "epsilon must be at least 0");
    if (!(o->delta >= 0 && o->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1e-5", "delta must be at least 0 and below 1");
    if (o->assume_gaussian && o->delta == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta above 0",
                         "a Gaussian trade-off has no epsilon at delta 0");
    if (!(o->confidence > 0 && o->confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 0.95", "confidence must be between 0 and 1");
    if (!(o->alarm > 0 && o->alarm < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 1e-6", "alarm must be between 0 and 1");
    return DUSK_OK;
}

static dusk_status check_choice(const dusk_score_options *o, size_t n, dusk_error *err)
{
    bool fixed = o->rule == DUSK_CHOICE_FIXED;
    if (o->rule < DUSK_CHOICE_LIST || o->rule > DUSK_CHOICE_FIXED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "rule must be one of dusk_choice_rule");
    if (o->many_runs && fixed && isnan(o->threshold))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "a fixed choice of many runs needs a threshold");
    if (!o->many_runs && fixed &&
        (o->positives > n || o->negatives > n - o->positives || o->positives + o->negatives == 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "guess fewer canaries",
                         "there must be at least one guess, and at most as many as scores");
    return DUSK_OK;
}

/* The bounds of one run are about fair coins. Refused where so few members, or others, have a
 * chance below 1e-9. */
static dusk_status check_coins(const dusk_scores *scores, dusk_error *err)
{
    double n = (double)scores->n, members = (double)scores->members, few = fmin(members, n - members);
    if (n > 0 && dusk_beta_inc(n - few, few + 1, 0.5) >= 5e-10) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                     "put each canary in by a fair coin; or give one score a run (--runs)",
                     "%zu members of %zu are not what fair coins give", scores->members, scores->n);
}

/* Exactly half, or next to it: perhaps not coins but a fixed number of members. Such a draw is coins
 * given their sum, and what has a chance of p under coins has one of at most p over that of the sum,
 * which is at least this. */
DUSK_PROVEN(chance_of_half)
static double chance_of_half(const dusk_scores *scores)
{
    size_t others = scores->n - scores->members;
    bool half = scores->members <= others + 1 && others <= scores->members + 1;
    if (!DUSK_MUTATE(ONE_RUN_HALF_IS_BY_COINS, half, false)) return 1;
    return dusk_div_down(1, dusk_sqrt_up(2 * ((double)scores->n + 1)));
}

static dusk_status claim_of(double *epsilon, const dusk_score_options *options, dusk_error *err)
{
    dusk_account found;
    *epsilon = options->epsilon;
    if (!options->event) return DUSK_OK;
    dusk_status status = dusk_account_epsilon(&found, options->event, options->delta, DUSK_BEST, err);
    if (status == DUSK_OK) *epsilon = found.bound.upper;
    return status;
}

static dusk_verdict conclude(const dusk_score_report *report)
{
    bool could = false;
    for (size_t i = 0; i < report->count; i++) {
        const dusk_score_bound *b = &report->bound[i];
        if (b->decides && b->refutes) return DUSK_VIOLATION;
        could = could || (b->decides && b->could);
    }
    return could ? DUSK_PASS : DUSK_INCONCLUSIVE;
}

DUSK_PROVEN(dusk_scores_audit)
dusk_status dusk_scores_audit(dusk_score_report *out, const dusk_scores *scores,
                              const dusk_score_options *options, dusk_error *err)
{
    dusk_score_report report = { .delta = options->delta,
                                 .members = scores->members,
                                 .others = scores->n - scores->members };
    dusk_status status = DUSK_OK;
    DUSK_TRY(check_numbers(options, err));
    DUSK_TRY(check_choice(options, scores->n, err));
    if (!options->many_runs) DUSK_TRY(check_coins(scores, err));
    DUSK_TRY(claim_of(&report.claimed, options, err));
    /* How many speak for the verdict: they share its error. */
    double deciding =
        (options->many_runs ? 1 : 2) + (options->event && !options->many_runs) + options->assume_gaussian;
    audit_levels levels = { .alone = 1 - options->confidence,
                            .shared = (1 - options->confidence) / deciding,
                            .sure = options->alarm / deciding };
    if (!options->many_runs) {
        double share = options->fair_coins ? 1 : chance_of_half(scores);
        audit_levels coins = { share * levels.alone, share * levels.shared, share * levels.sure };
        DUSK_TRY(audit_score_one_run(&report, scores, options, &coins, err));
    }
    DUSK_TRY(audit_score_threshold(&report, scores, options, &levels, err));
    if (!isnan(report.claimed)) report.verdict = conclude(&report);
    *out = report;
done:
    return status;
}
