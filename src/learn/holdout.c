/* SPDX-License-Identifier: Apache-2.0 */
/* A holdout that can be used again [Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015, Thresholdout], by mechanisms/sparse_vector.c: the query is
 * how many rows more or fewer than was claimed a model is right about. Proof: holdout.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/learn_select.h"
#include "dusk/mechanisms.h"
#include "learn/learner.h"
#include "learn/scores.h"

/* Of epsilon for comparisons; the rest for noisy accuracies. */
#define COMPARE_SHARE 0.7

struct dusk_holdout {
    const dusk_frame *frame; /* borrowed */
    dusk_sparse_vector *vector;
    dusk_train_options score; /* of one noisy accuracy */
    dusk_statement statement;
};

void dusk_holdout_options_init(dusk_holdout_options *options)
{
    *options = (dusk_holdout_options){ .size = sizeof *options, .tolerance = 0.05, .hits = 10 };
}

void dusk_holdout_free(dusk_holdout *holdout)
{
    if (!holdout) return;
    dusk_sparse_vector_free(holdout->vector);
    dusk_deallocate(holdout);
}

static dusk_status check(const dusk_holdout_options *o, dusk_error *err)
{
    if (o->rows < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare about how many there are", "rows must be declared");
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0.05", "tolerance is between 0 and 1");
    if (o->hits < 1 || o->hits > 10000)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 10", "hits are from 1 to 10000");
    return DUSK_OK;
}

/* Comparisons and accuracies, together epsilon. */
DUSK_PROVEN(plan)
static dusk_status plan(dusk_holdout *h, const dusk_holdout_options *o, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_fields *fields = h->frame->fields;
    const double each = o->epsilon * (1 - COMPARE_SHARE) * (1 - 0x1p-30) / o->hits;
    learn_budget budget;
    learn_noise noise;
    dusk_sparse_vector_options how;
    dusk_event comparisons, accuracies;

    DUSK_TRY(learn_budget_init(&budget, o->neighbours, o->epsilon, 0, fields->rows_per_unit, err));
    DUSK_TRY(check(o, err));
    dusk_train_options_init(&h->score);
    h->score.epsilon = each;
    h->score.neighbours = o->neighbours;
    dusk_sparse_vector_options_init(&how);
    how.sensitivity = DUSK_MUTATE(HOLDOUT_UNIT_HAS_ONE_ROW, budget.factor, 1);
    how.threshold = o->tolerance * (double)o->rows;
    how.hits = o->hits;
    how.epsilon = o->epsilon * COMPARE_SHARE * (1 - 0x1p-30);
    DUSK_TRY(dusk_sparse_vector_new(&h->vector, &how, gen, err));
    DUSK_TRY(dusk_sparse_vector_event(h->vector, &comparisons, err));
    DUSK_TRY(learn_budget_init(&budget, o->neighbours, each, 0, fields->rows_per_unit, err));
    DUSK_TRY(learn_budget_noise(&budget, &noise, 2, LEARN_EXCESS_ONE, -20, 1, 1,
                                err)); /* as a released score has */
    DUSK_TRY(dusk_event_repeat(&accuracies, &budget.event, o->hits, err));
    DUSK_TRY(dusk_event_add(&comparisons, &comparisons, &accuracies, err));
    DUSK_TRY(dusk_statement_init(&h->statement, &comparisons, 0, o->neighbours, fields->unit, err));
    DUSK_TRY(learn_assume_rows(&h->statement, fields, o->rows, err));
    if (!(h->statement.epsilon <= o->epsilon))
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a holdout for epsilon %.17g costs %.17g", o->epsilon,
                         h->statement.epsilon);
done:
    return status;
}

dusk_status dusk_holdout_new(dusk_holdout **out, const dusk_frame *frame, const dusk_holdout_options *options,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_holdout *holdout = NULL;
    *out = NULL;
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_holdout_options_init",
                         "the options were never made");
    DUSK_NEW(holdout, 1);
    holdout->frame = frame;
    DUSK_TRY(plan(holdout, options, gen, err));
    *out = holdout;
    holdout = NULL;
done:
    dusk_holdout_free(holdout);
    return status;
}

const dusk_statement *dusk_holdout_statement(const dusk_holdout *holdout) { return &holdout->statement; }

uint32_t dusk_holdout_hits_left(const dusk_holdout *holdout)
{
    return dusk_sparse_vector_hits_left(holdout->vector);
}

/* | rows that the model is right about - claim * rows |, of those with a label. */
DUSK_PROVEN(find_gap)
static dusk_status find_gap(double *out, const dusk_holdout *h, const dusk_model *model, double claim,
                            dusk_error *err)
{
    dusk_int128 gap = 0;
    dusk_status status = learn_excess(&gap, DUSK_METRIC_ACCURACY, model, h->frame, 1, claim, err);
    *out = (double)(gap < 0 ? -gap : gap) / LEARN_EXCESS_ONE;
    return status;
}

static dusk_status check_model(const dusk_holdout *h, const dusk_model *model, double claim, dusk_error *err)
{
    dusk_statement statement;
    if (!(claim >= 0 && claim <= 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "claim a share of rows, such as 0.9",
                         "an accuracy is from 0 to 1");
    return dusk_model_score_price(&statement, DUSK_METRIC_ACCURACY, model, h->frame->fields, &h->score, err);
}

DUSK_PROVEN(dusk_holdout_release)
dusk_status dusk_holdout_release(dusk_holdout *holdout, bool *right, double *accuracy,
                                 const dusk_model *model, double claim, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double gap, low, high, value = claim;
    dusk_statement statement;
    bool above;

    DUSK_TRY(check_model(holdout, model, claim, err));
    DUSK_TRY(find_gap(&gap, holdout, model, claim, err));
    DUSK_TRY(dusk_sparse_vector_release(holdout->vector, &above, NULL, gap, gen, err));
    if (above)
        DUSK_TRY(dusk_model_score_release(&value, &low, &high, &statement, DUSK_METRIC_ACCURACY, model,
                                          holdout->frame, &holdout->score, gen, err));
    *right = !above;
    *accuracy = value;
done:
    return status;
}
