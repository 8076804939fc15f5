/* SPDX-License-Identifier: Apache-2.0 */
/* Scores that are independent of each other: one threshold, two counts, exact intervals
 * [Clopper & Pearson 1934]. The threshold is the caller's, or was chosen on one random half
 * of the scores and is counted on the other. The same counts bound mu [Nasr et al. 2023]: that no mechanism
 * below this mu has such errors is shown; epsilon at another delta is so only if the trade-off is Gaussian. */
#include <math.h>

#include "audit/scores.h"
#include "base/memory.h"
#include "base/mutant.h"

/* A set of scores, at or above a threshold or below it, and how often it happened. */
typedef struct cut {
    double threshold;
    bool below;
    uint64_t hits[2], trials[2]; /* members, others */
} cut;

static cut count_cut(const audit_ranking *ranking, double threshold, bool below)
{
    size_t above = audit_rank_of(ranking, threshold);
    uint64_t members = ranking->before[ranking->n], others = ranking->n - members;
    uint64_t in = ranking->before[above], out = above - in;
    return (cut){ .threshold = threshold,
                  .below = below,
                  .hits = { below ? members - in : in, below ? others - out : out },
                  .trials = { members, others } };
}

/* Scores above speak for members, scores below for the others: P is the side that a set
 * speaks for. */
static double epsilon_of(const cut *c, double delta, double error)
{
    int p = c->below, q = !p;
    return dusk_epsilon_down(c->hits[p], c->trials[p], c->hits[q], c->trials[q], delta, error);
}

static double mu_of(const cut *c, double error)
{
    int p = c->below, q = !p;
    return dusk_gaussian_mu_down(c->hits[p], c->trials[p], c->hits[q], c->trials[q], error);
}

static double value_of(const cut *c, bool gaussian, double delta, double error)
{
    return gaussian ? mu_of(c, error) : epsilon_of(c, delta, error);
}

/* The best of some thresholds, among them all with few hits on the rarer side: places 1, 2,
 * 3, ... by steps that grow to an eighth, from both ends. */
static cut best_cut(const audit_ranking *ranking, bool gaussian, double delta, double error)
{
    cut best = count_cut(ranking, INFINITY, false);
    double most = -1;
    for (int below = 0; below < 2; below++)
        for (size_t k = 1; k <= ranking->n; k += 1 + k / 8) {
            double at = ranking->rows[below ? ranking->n - k : k - 1].score;
            cut c = count_cut(ranking, at, below);
            double x = value_of(&c, gaussian, delta, error);
            if (x <= most) continue;
            most = x;
            best = c;
        }
    return best;
}

DUSK_PROVEN(choose_cut)
static dusk_status choose_cut(cut *out, const dusk_scores *scores, bool gaussian,
                              const dusk_score_options *options, dusk_error *err)
{
    audit_ranking first = { .n = 0 }, counted = { .n = 0 };
    dusk_status status = DUSK_OK;
    if (options->many_runs && options->rule == DUSK_CHOICE_FIXED) {
        DUSK_TRY(audit_rank(&counted, scores, AUDIT_ALL, options->seed, err));
        *out = count_cut(&counted, options->threshold, false);
        goto done;
    }
    DUSK_TRY(audit_rank(&first, scores, AUDIT_FIRST_HALF, options->seed, err));
    DUSK_TRY(audit_rank(&counted, scores, AUDIT_SECOND_HALF, options->seed, err));
    cut chosen = best_cut(&first, gaussian, options->delta, 1 - options->confidence);
    *out = count_cut(DUSK_MUTATE(SCORES_COUNT_WHERE_THEY_CHOSE, &counted, &first), chosen.threshold,
                     chosen.below);
done:
    audit_ranking_free(&first);
    audit_ranking_free(&counted);
    return status;
}

static double epsilon_at(const cut *c, bool gaussian, double delta, double error)
{
    return gaussian ? dusk_mu_epsilon_down(mu_of(c, error), delta) : epsilon_of(c, delta, error);
}

static void add_bound(dusk_score_report *report, const cut *c, bool gaussian,
                      const dusk_score_options *options, const audit_levels *levels)
{
    double delta = options->delta;
    bool fixed = options->many_runs && options->rule == DUSK_CHOICE_FIXED;
    dusk_score_bound b = { .method = gaussian ? DUSK_THRESHOLD_GDP : DUSK_CLOPPER_PEARSON,
                           .assumes = (gaussian ? DUSK_ASSUMES_GAUSSIAN : 0u) |
                                      (options->many_runs ? 0u : DUSK_ASSUMES_INDEPENDENT),
                           .epsilon = epsilon_at(c, gaussian, delta, levels->alone),
                           .epsilon_sure = epsilon_at(c, gaussian, delta, levels->sure),
                           .mu = gaussian ? mu_of(c, levels->alone) : NAN,
                           .decides = options->many_runs && (!gaussian || options->assume_gaussian),
                           .rule = fixed ? DUSK_CHOICE_FIXED : DUSK_CHOICE_SPLIT,
                           .choices = 1,
                           .canaries = c->trials[0] + c->trials[1],
                           .threshold = c->threshold,
                           .below = c->below,
                           .hits = { c->hits[0], c->hits[1] },
                           .trials = { c->trials[0], c->trials[1] } };
    b.refutes = b.epsilon_sure > report->claimed;
    if (b.decides) {
        cut perfect = *c;
        perfect.hits[c->below] = c->trials[c->below];
        perfect.hits[!c->below] = 0;
        report->epsilon = fmax(report->epsilon, epsilon_at(c, gaussian, delta, levels->shared));
        report->epsilon_sure = fmax(report->epsilon_sure, b.epsilon_sure);
        double most = epsilon_at(&perfect, gaussian, delta, levels->sure);
        b.could = most > report->claimed;
        report->detectable = fmax(report->detectable, most);
    }
    report->bound[report->count++] = b;
}

dusk_status audit_score_threshold(dusk_score_report *report, const dusk_scores *scores,
                                  const dusk_score_options *options, const audit_levels *levels,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        cut c;
        DUSK_TRY(choose_cut(&c, scores, gaussian, options, err));
        add_bound(report, &c, gaussian, options, levels);
    }
done:
    return status;
}
