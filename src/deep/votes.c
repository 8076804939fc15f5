/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregators; see votes.h. Proof: votes.proof.md. */
#include "deep/votes.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"

enum { CLASSES_MOST = 1 << 12 };

/* --- plan ------------------------------------------------------------------------------------------------------------- */

static bool is_screened(const deep_votes *v)
{
    return v->way == DEEP_CONFIDENT || v->way == DEEP_INTERACTIVE;
}

/* Steps for learn_budget_noise, which multiplies them by budget->factor. One row that is added or removed changes one teacher; so does one that is
 * replaced, as the row in its place goes to the same teacher: half of what the factor has for it. */
DUSK_PROVEN(steps_of)
static double steps_of(const learn_budget *budget, double steps)
{
    return budget->neighbours == DUSK_REPLACE_ONE ? ceil(steps / 2) : steps;
}

/* Pure releases; with a delta they are composed as such. */
DUSK_PROVEN(plan_laplace)
static dusk_status plan_laplace(learn_job *job, deep_votes *v, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    const double moved = steps_of(b, 2 * DEEP_VOTE);
    learn_noise noise = { .laplace = true, .dimension = (uint32_t)v->classes, .grid = DEEP_VOTE_GRID };
    double epsilon;
    if (!(b->delta > 0))
        return learn_budget_cells(b, &v->counts, (uint32_t)v->classes, moved, DEEP_VOTE_GRID, b->left,
                                  v->questions, err);
    DUSK_TRY(learn_budget_pure_most(b, &epsilon, v->questions, err));
    DUSK_TRY(dusk_discrete_laplace_init(&noise.gauss, noise.dimension,
                                        ldexp(moved * b->factor, DEEP_VOTE_GRID), epsilon, DEEP_VOTE_GRID,
                                        err));
    DUSK_TRY(dusk_noise_for_total(&noise.gauss, err));
    noise.deviation = M_SQRT2 * noise.gauss.scale;
    v->counts = noise;
done:
    return status;
}

/* Steps of a vote where it is asked whether to answer. */
static double vote_to_ask(const deep_votes *v) { return v->sampler ? DEEP_VOTE_MOVES : DEEP_VOTE; }

/* Votes of fresh samples. Both noises are for DEEP_VOTE_MOVES steps: the screening has one number, of which one vote is that long. */
DUSK_PROVEN(plan_sampled)
static dusk_status plan_sampled(learn_job *job, deep_votes *v, double screening, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    const double steps = DUSK_MUTATE(PATE_VOTE_MOVES_ONE, DEEP_VOTE_MOVES, DEEP_VOTE);
    if (v->way == DEEP_INTERACTIVE || v->way == DEEP_LNMAX)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose gnmax or confident",
                         "votes over samples have Gaussian noise, and no student is asked");
    if (v->way == DEEP_GNMAX)
        return learn_budget_sampled(b, &v->counts, (uint32_t)v->classes, steps, DEEP_VOTE_GRID, b->left,
                                    v->sampler,
                                    DUSK_MUTATE(KNN_FEW_ARE_PAID, v->questions, v->questions / 10), err);
    const uint64_t times[2] = { DUSK_MUTATE(KNN_SCREENING_IS_FREE, v->questions, 1),
                                DUSK_MUTATE(KNN_FEW_ARE_PAID, v->answers, v->answers / 10) };
    const double factor[2] = { 1, sqrt((double)v->answers * screening /
                                       ((double)v->questions * (1 - screening))) };
    learn_noise noise[2];
    DUSK_TRY(learn_budget_stages(b, noise, 2, factor, times, (uint32_t)v->classes, steps, DEEP_VOTE_GRID,
                                 v->sampler, err));
    v->screen = noise[0];
    v->counts = noise[1];
done:
    return status;
}

/* Votes of all rows. */
DUSK_PROVEN(plan_all)
static dusk_status plan_all(learn_job *job, deep_votes *v, double screening, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_budget *b = &job->budget;
    const double moves = DUSK_MUTATE(PATE_VOTE_MOVES_ONE, DEEP_VOTE_MOVES, DEEP_VOTE);
    if (v->way == DEEP_LNMAX) return plan_laplace(job, v, err);
    if (is_screened(v))
        DUSK_TRY(learn_budget_noise(b, &v->screen, 1, steps_of(b, DEEP_VOTE), DEEP_VOTE_GRID,
                                    b->left * screening, DUSK_MUTATE(PATE_SCREENING_IS_FREE, v->questions, 1),
                                    err));
    DUSK_TRY(learn_budget_noise(b, &v->counts, (uint32_t)v->classes, steps_of(b, moves), DEEP_VOTE_GRID,
                                b->left, v->answers, err));
done:
    return status;
}

DUSK_PROVEN(deep_votes_plan)
dusk_status deep_votes_plan(learn_job *job, deep_votes *v, double screening, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *voters = v->sampler ? "nearest rows" : "teachers";
    if (v->classes > CLASSES_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fewer values", "votes are for at most %d classes",
                         CLASSES_MOST);
    if (v->way != DEEP_LNMAX && !(job->budget.delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --delta 1e-6, or --set method=lnmax",
                         "votes with Gaussian noise need a delta");
    if (!is_screened(v)) v->answers = v->questions;
    DUSK_TRY((v->sampler ? plan_sampled : plan_all)(job, v, screening, err));
    if (is_screened(v))
        learn_say(job, "%zu questions to %zu %s: whether %.4g votes agree, with noise of deviation %.4g",
                  v->questions, v->teachers, voters, v->threshold,
                  v->screen.deviation * (DEEP_VOTE / vote_to_ask(v)));
    learn_say(job,
              "%zu answers of %zu %s: votes of each class, with noise of deviation %.4g; the largest "
              "is the answer",
              v->answers, v->teachers, voters, v->counts.deviation);
done:
    return status;
}

/* --- answers ------------------------------------------------------------------------------------------------------------ */

/* The same in steps. */
static dusk_int128 largest(const deep_votes *v, const int32_t *count, const float *guess)
{
    const bool heard = guess && v->way == DEEP_INTERACTIVE;
    dusk_int128 most = 0;
    for (size_t c = 0; c < v->classes; c++) {
        const double score = heard ? fmin(fmax((double)guess[c], 0), 1) : 0; /* NaN: 0 */
        const double said = rint(score * (double)v->teachers * DEEP_VOTE);
        const dusk_int128 over = (dusk_int128)count[c] * (dusk_int128)DEEP_VOTE - (dusk_int128)said;
        if (c == 0 || over > most) most = over;
    }
    return most;
}

double deep_votes_over(const deep_votes *v, const int32_t *count, const float *guess)
{
    return (double)largest(v, count, DUSK_MUTATE(REPORT_WITHOUT_THE_STUDENT, guess, NULL)) / DEEP_VOTE;
}

static size_t surest(const deep_votes *v, const float *guess)
{
    size_t best = 0;
    for (size_t c = 1; c < v->classes; c++)
        if (guess[c] > guess[best]) best = c;
    return best;
}

/* Whether the teachers are to answer. */
DUSK_PROVEN(passes)
static dusk_status passes(const deep_votes *v, bool *yes, const int32_t *count, const float *guess,
                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 *totals = NULL; /* one, and of samples zeros besides */
    double *noisy = NULL;
    DUSK_NEW(totals, v->screen.dimension);
    DUSK_NEW(noisy, v->screen.dimension);
    totals[0] = largest(v, count, guess);
    if (v->sampler) totals[0] = totals[0] / (dusk_int128)DEEP_VOTE * (dusk_int128)DEEP_VOTE_MOVES;
    DUSK_TRY(learn_noise_release(&v->screen, noisy, totals, gen, err));
    *yes = noisy[0] * (DEEP_VOTE / vote_to_ask(v)) >= v->threshold;
done:
    if (totals) dusk_wipe(totals, v->screen.dimension * sizeof *totals);
    dusk_deallocate(totals);
    dusk_deallocate(noisy);
    return status;
}

DUSK_PROVEN(release_largest)
static dusk_status release_largest(const deep_votes *v, int32_t *answer, const int32_t *count,
                                   dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 *totals = NULL;
    double *noisy = NULL;
    size_t best = 0;
    DUSK_NEW(totals, v->classes);
    DUSK_NEW(noisy, v->classes);
    for (size_t c = 0; c < v->classes; c++) totals[c] = (dusk_int128)count[c] * (dusk_int128)DEEP_VOTE;
    DUSK_TRY(learn_noise_release(&v->counts, noisy, totals, gen, err));
    for (size_t c = 1; c < v->classes; c++)
        if (noisy[c] > noisy[best]) best = c;
    *answer = (int32_t)best;
    for (size_t c = 0; c < v->classes; c++)
        if (c != best && noisy[best] - noisy[c] < v->margin * v->counts.deviation) *answer = -1;
done:
    if (totals) dusk_wipe(totals, v->classes * sizeof *totals);
    dusk_deallocate(totals);
    dusk_deallocate(noisy);
    return status;
}

DUSK_PROVEN(deep_votes_answer)
dusk_status deep_votes_answer(const deep_votes *v, deep_asked *asked, const int32_t *asking,
                              const int32_t *count, const float *guess, int32_t *answer, dusk_generator *gen,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool yes = true;
    *answer = -1;
    if (asked->questions == v->questions || asked->answers == v->answers) return DUSK_OK;
    asked->questions++;
    if (is_screened(v)) DUSK_TRY(passes(v, &yes, asking, guess, gen, err));
    if (yes) {
        asked->answers++;
        DUSK_TRY(release_largest(v, answer, count, gen, err));
    } else if (v->way == DEEP_INTERACTIVE && guess && (double)guess[surest(v, guess)] > v->sure)
        *answer = (int32_t)surest(v, guess);
done:
    return status;
}
