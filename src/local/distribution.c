/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions from randomised answers by expectation maximisation: the iterative Bayesian update [Agrawal & Srikant 2000], with smoothing for numbers [EMS, Li et al. 2020, section 5.5].
 *
 * The chance of answer y under place v is `within` / width for the cells of the window that begins at v, and `beside` for all others: so the chances of all answers, and what each
 * place explains, are sums over windows, found by running sums. Randomized response is the window of one cell. Of places on a grid the law is that of planar_law.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_estimates.h"
#include "local/planar.h"
#include "local/tally.h"

#define ROUNDS 10000
#define GAIN 1e-9 /* of the mean log likelihood, below which it ends */
/* Places: of the log likelihood of all reports. Further rounds fit noise: heaps become needles. */
#define GAIN_OF_PLACES 0.5
#define ROUNDS_OF_PLACES 2000

typedef struct channel {
    size_t places, width; /* answers: places + width - 1 */
    double within, beside;
    bool smooth;
    local_planar_law *grid; /* NULL: a window */
} channel;

static dusk_status channel_of(channel *out, const dusk_client_task *task, dusk_error *err)
{
    const double p = local_chance(task->p), lie = local_chance(0 - task->p);
    switch (task->mechanism) {
    case DUSK_GRR:
        *out = (channel){ task->domain, 1, p, lie / (task->domain - 1), false, NULL };
        return DUSK_OK;
    case DUSK_PLANAR: *out = (channel){ task->domain, 1, 0, 0, false, NULL }; return DUSK_OK;
    case DUSK_PIECEWISE:
    case DUSK_SQUAREWAVE:
        *out = (channel){ task->domain, task->width, p / task->width, lie / (task->domain - 1), true, NULL };
        return DUSK_OK;
    default:
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         "plan the survey with squarewave, or ask for counts or the mean",
                         "distributions are estimated from squarewave, piecewise, planar and grr");
    }
}

/* out[y] = the chance of answer y when places have these shares. */
static void chances(const channel *c, double *out, const double *shares)
{
    double sum = 0, all = 0;
    if (c->grid) {
        local_planar_chances(c->grid, out, shares);
        return;
    }
    for (size_t v = 0; v < c->places; v++) all += shares[v];
    for (size_t y = 0; y < c->places + c->width - 1; y++) {
        if (y < c->places) sum += shares[y];
        if (y >= c->width) sum -= shares[y - c->width];
        out[y] = fmax(sum, 0) * (c->within - c->beside) + all * c->beside;
    }
}

/* shares[v] *= sum over y of weight[y] P(y | v). */
static void explain(const channel *c, double *shares, const double *weight, double *scratch)
{
    double sum = 0, all = 0;
    if (c->grid) {
        local_planar_explain(c->grid, scratch, weight);
        for (size_t v = 0; v < c->places; v++) shares[v] *= scratch[v];
        return;
    }
    for (size_t y = 0; y < c->places + c->width - 1; y++) all += weight[y];
    for (size_t y = 0; y + 1 < c->width; y++) sum += weight[y];
    for (size_t v = 0; v < c->places; v++) {
        sum += weight[v + c->width - 1];
        if (v > 0) sum -= weight[v - 1];
        shares[v] *= fmax(sum, 0) * (c->within - c->beside) + all * c->beside;
    }
}

/* A quarter to each neighbour; at the ends what would be outside stays. */
static void smooth(double *shares, size_t n)
{
    double before = shares[0];
    for (size_t v = 0; v < n; v++) {
        const double mine = shares[v], after = v + 1 < n ? shares[v + 1] : mine;
        shares[v] = 0.25 * before + 0.5 * mine + 0.25 * after;
        before = mine;
    }
}

static void normalise(double *shares, size_t n)
{
    double sum = 0;
    for (size_t v = 0; v < n; v++) sum += shares[v];
    for (size_t v = 0; v < n; v++) shares[v] = sum > 0 ? shares[v] / sum : 1 / (double)n;
}

static void maximise(const channel *c, double *shares, const int64_t *cell, double reports, double *weight,
                     double *scratch)
{
    const double least = c->grid ? GAIN_OF_PLACES / reports : GAIN * (c->smooth ? 1000 : 1);
    const size_t rounds = c->grid ? ROUNDS_OF_PLACES : ROUNDS;
    double likelihood = -INFINITY;
    for (size_t v = 0; v < c->places; v++) shares[v] = 1 / (double)c->places;
    for (size_t round = 0; round < rounds && reports > 0; round++) {
        double next = 0;
        chances(c, weight, shares);
        for (size_t y = 0; y < c->places + c->width - 1; y++) {
            weight[y] = fmax(weight[y], 1e-300);
            if (cell[y] > 0) next += (double)cell[y] / reports * log(weight[y]);
            weight[y] = cell[y] > 0 ? (double)cell[y] / reports / weight[y] : 0;
        }
        if (next - likelihood < least && round > 0) break;
        likelihood = next;
        explain(c, shares, weight, scratch);
        if (c->smooth) smooth(shares, c->places);
        normalise(shares, c->places);
    }
}

dusk_status dusk_tally_shares(const dusk_tally *tally, double *shares, size_t bins, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    channel c = { .places = 0 };
    double *places = NULL, *weight = NULL, *scratch = NULL;
    local_planar_law law = { .rows = 0 };
    DUSK_TRY(channel_of(&c, &tally->survey.task, err));
    if (bins < 1 || bins > c.places || (!c.smooth && bins != c.places))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "as many as the domain, or fewer of numbers",
                           "there are at most %zu bins in this survey", c.places));
    DUSK_NEW(places, c.places);
    DUSK_NEW(weight, c.places + c.width - 1);
    if (tally->survey.task.mechanism == DUSK_PLANAR) {
        DUSK_TRY(local_planar_law_new(&law, &tally->survey.task, err));
        DUSK_NEW(scratch, c.places);
        c.grid = &law;
    }
    maximise(&c, places, tally->cell, (double)tally->reports, weight, scratch);
    memset(shares, 0, bins * sizeof *shares);
    for (size_t v = 0; v < c.places;
         v++) { /* places are points from end to end; each goes to the bin that it is in */
        const size_t bin = c.places > 1 ? v * bins / c.places : 0;
        shares[bin] += places[v];
    }
done:
    dusk_deallocate(places);
    dusk_deallocate(weight);
    dusk_deallocate(scratch);
    local_planar_law_free(&law);
    return status;
}

double dusk_shares_quantile(const dusk_survey *survey, const double *shares, size_t bins, double q)
{
    double below = 0;
    size_t b = 0;
    q = q > 0 ? fmin(q, 1) : 0;
    while (b + 1 < bins && below + shares[b] < q) below += shares[b++];
    const double part = shares[b] > 0 ? fmin(fmax((q - below) / shares[b], 0), 1) : 0;
    return survey->low + (survey->high - survey->low) * ((double)b + part) / (double)bins;
}
