/* SPDX-License-Identifier: Apache-2.0 */
/* How well scores tell members from others: the ROC curve, the area under it, the best
 * threshold, and the share of members found at a small share of false alarms (Carlini et al.
 * 2022 argue for the latter: an attack that is sure of a few is a breach, whatever the
 * average). Figures of these scores; only dusk_scores_tpr has intervals. */
#include <math.h>

#include "audit/scores.h"
#include "base/error.h"
#include "base/mutant.h"

/* Call `at` with (members, others) at or above each different score, from the highest. */
typedef void visit(void *context, uint64_t members, uint64_t others);
static void walk(const audit_ranking *ranking, visit *at, void *context)
{
    for (size_t i = 1; i <= ranking->n; i++)
        if (i == ranking->n || ranking->rows[i].score != ranking->rows[i - 1].score)
            at(context, ranking->before[i], i - ranking->before[i]);
}

/* --- the curve ------------------------------------------------------------------------- */

typedef struct curve {
    double *fpr, *tpr, members, others;
    size_t n;
} curve;

static void add_point(void *context, uint64_t members, uint64_t others)
{
    curve *c = context;
    if (c->fpr) c->fpr[c->n] = c->others > 0 ? (double)others / c->others : 0;
    if (c->tpr) c->tpr[c->n] = c->members > 0 ? (double)members / c->members : 0;
    c->n++;
}

static dusk_status make_curve(const dusk_scores *scores, curve *c, dusk_error *err)
{
    audit_ranking ranking;
    dusk_status status = audit_rank(&ranking, scores, AUDIT_ALL, 1, err);
    if (status != DUSK_OK) return status;
    c->members = (double)scores->members;
    c->others = (double)(scores->n - scores->members);
    add_point(c, 0, 0);
    walk(&ranking, add_point, c);
    audit_ranking_free(&ranking);
    return DUSK_OK;
}

dusk_status dusk_scores_roc_size(size_t *out, const dusk_scores *scores, dusk_error *err)
{
    curve c = { .n = 0 };
    dusk_status status = make_curve(scores, &c, err);
    if (status == DUSK_OK) *out = c.n;
    return status;
}

dusk_status dusk_scores_roc(double *fpr, double *tpr, const dusk_scores *scores, dusk_error *err)
{
    curve c = { .fpr = fpr, .tpr = tpr };
    return make_curve(scores, &c, err);
}

/* --- figures ----------------------------------------------------------------------------- */

typedef struct summary {
    double members, others;     /* all of them    */
    double last_in, last_out;   /* of the last point */
    double area;                /* times members times others */
    double accuracy, advantage; /* the best so far */
    double median, largest;     /* exposures        */
} summary;

static void add_figures(void *context, uint64_t members, uint64_t others)
{
    summary *s = context;
    double in = (double)members, out = (double)others;
    s->area += (out - s->last_out) * 0.5 * (in + s->last_in); /* ties are a slope: half */
    s->accuracy = fmax(s->accuracy, in + s->others - out);
    s->advantage = fmax(s->advantage, in / s->members - out / s->others);
    /* Members at this score have `out` others beside or above them. */
    double exposure = dusk_exposure(others + 1, (uint64_t)s->others + 1);
    if (in > 0 && s->last_in == 0) s->largest = exposure;
    if (2 * in >= s->members && 2 * s->last_in < s->members) s->median = exposure;
    s->last_in = in;
    s->last_out = out;
}

dusk_status dusk_scores_figures(dusk_attack_figures *out, const dusk_scores *scores, dusk_error *err)
{
    audit_ranking ranking;
    summary s = { .members = (double)scores->members, .others = (double)(scores->n - scores->members) };
    if (!(s.members > 0 && s.others > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "score both members and others",
                         "the scores are all of one kind");
    dusk_status status = audit_rank(&ranking, scores, AUDIT_ALL, 1, err);
    if (status != DUSK_OK) return status;
    s.accuracy = fmax(s.members, s.others);
    walk(&ranking, add_figures, &s);
    audit_ranking_free(&ranking);
    *out = (dusk_attack_figures){ .area = s.area / (s.members * s.others),
                                  .accuracy = s.accuracy / (s.members + s.others),
                                  .advantage = s.advantage,
                                  .exposure_median = s.median,
                                  .exposure_largest = s.largest };
    return DUSK_OK;
}

/* --- members found at few false alarms --------------------------------------------------------- */

typedef struct least {
    double fpr, others;        /* at most this share of all others is accused     */
    uint64_t members, accused; /* the last point at which that holds               */
} least;

static void find_point(void *context, uint64_t members, uint64_t others)
{
    least *l = context;
    if ((double)others > l->fpr * l->others) return;
    l->members = members;
    l->accused = others;
}

static least tpr_point(const audit_ranking *ranking, double fpr)
{
    least l = { .fpr = fpr, .others = (double)(ranking->n - ranking->before[ranking->n]) };
    walk(ranking, find_point, &l);
    return l;
}

static void interval(double *rate, double *down, double *up, uint64_t hits, uint64_t trials, double error)
{
    *rate = trials ? (double)hits / (double)trials : 0;
    *down = dusk_clopper_pearson_down(hits, trials, error / 2);
    *up = dusk_clopper_pearson_up(hits, trials, error / 2);
}

dusk_status dusk_scores_tpr(dusk_tpr *out, const dusk_scores *scores, double fpr, double confidence,
                            uint64_t seed, dusk_error *err)
{
    audit_ranking all = { .n = 0 }, first = { .n = 0 }, second = { .n = 0 };
    dusk_status status = DUSK_OK;
    dusk_tpr found;
    if (!(fpr > 0 && fpr < 1 && confidence > 0 && confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "fpr and confidence must be between 0 and 1");
    DUSK_TRY(audit_rank(&all, scores, AUDIT_ALL, seed, err));
    DUSK_TRY(audit_rank(&first, scores, AUDIT_FIRST_HALF, seed, err));
    DUSK_TRY(audit_rank(&second, scores, AUDIT_SECOND_HALF, seed, err));
    least chosen = tpr_point(&first, fpr), whole = tpr_point(&all, fpr);
    size_t top = chosen.members + chosen.accused;
    double threshold = top ? first.rows[top - 1].score : INFINITY;
    size_t above = audit_rank_of(&second, threshold);
    uint64_t members = second.before[second.n], in = second.before[above];
    found.whole = scores->members ? (double)whole.members / (double)scores->members : 0;
    interval(&found.tpr, &found.tpr_down, &found.tpr_up, in, members, 1 - confidence);
    interval(&found.fpr, &found.fpr_down, &found.fpr_up, above - in, second.n - members, 1 - confidence);
    *out = found;
done:
    audit_ranking_free(&all);
    audit_ranking_free(&first);
    audit_ranking_free(&second);
    return status;
}
