/* SPDX-License-Identifier: Apache-2.0 */
/* Validation by stability [Chaudhuri & Vinterbo 2013]: candidates are rehearsed in private, one is chosen by scores that hardly move when a row
 * changes, and trained anew. How far scores move is worked out from the plan of each candidate, in whole steps. Proof: validate.proof.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/learn_select.h"
#include "dusk/mechanisms.h"
#include "learn/learner.h"
#include "numeric/rounding.h"

#define WEIGHT_BITS 20 /* weights count in steps of 2^-20, */
#define WEIGHT_MOST 30 /* and end at 2^30 of them */
#define SCORE_BITS 20  /* a row's score: 0 to 2^20 */
#define MEAN_BITS 20   /* a mean of scores is so much finer */

struct dusk_validation {
    dusk_fields *fields;
    dusk_training **training; /* of each candidate */
    size_t count;
    double held_out;
    double rows;   /* held out, as declared; at least 1, whole */
    double factor; /* rows of a change */
    dusk_selection choice;
    dusk_statement statement;
    char name[DUSK_NAME_MAX + 1];
    dusk_buffer said;
};

void dusk_validation_options_init(dusk_validation_options *options)
{
    *options = (dusk_validation_options){ .size = sizeof *options, .held_out = 0.2, .choice_share = 0.3 };
}

static void forget_trainings(dusk_validation *v)
{
    for (size_t i = 0; v->training && i < v->count; i++) {
        dusk_training_free(v->training[i]);
        v->training[i] = NULL;
    }
}

void dusk_validation_free(dusk_validation *validation)
{
    if (!validation) return;
    forget_trainings(validation);
    dusk_deallocate(validation->training);
    dusk_fields_free(validation->fields);
    dusk_buffer_clear(&validation->said);
    dusk_deallocate(validation);
}

/* --- plan ------------------------------------------------------------------------------------------------------------ */

/* How far the score of a candidate moves for one row of a change, in steps of a mean: a row that was learned from, or one held out. */
DUSK_PROVEN(score_moves)
static double score_moves(const dusk_validation *v, const learn_stability *s, const learn_features *features)
{
    double weights = dusk_add_up(ldexp(s->moved, s->grid + WEIGHT_BITS), dusk_sqrt_up((double)s->cells));
    double row = dusk_add_up(
        ldexp(dusk_mul_up(features->bound, weights), SCORE_BITS - LEARN_BITS - WEIGHT_BITS - 1), 1);
    double learned = dusk_add_up(ldexp(DUSK_MUTATE(VALIDATE_WEIGHTS_STAY, row, 1), MEAN_BITS), 1);
    double held = dusk_add_up(dusk_div_up(ldexp(1, SCORE_BITS + MEAN_BITS), v->rows), 1);
    return ceil(fmax(learned, DUSK_MUTATE(VALIDATE_ROWS_HELD_OUT_STAY, held, 0)));
}

static dusk_status plan_candidate(dusk_validation *v, size_t i, const char *candidate, double *moves,
                                  const dusk_train_options *train, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *word[LEARN_WORDS_MAX];
    char text[1024];
    dusk_train_options options = *train;
    learn_stability s;
    DUSK_TRY(learn_candidate_words(word, &options.settings_count, text, sizeof text, candidate, train, err));
    options.settings = word;
    options.epsilon = epsilon;
    options.rows = (uint64_t)((double)train->rows * (1 - v->held_out));
    options.progress = NULL;
    DUSK_TRY(dusk_training_prepare(&v->training[i], v->name, v->fields, &options, err));
    const learn_job *job = learn_training_job(v->training[i]);
    DUSK_TRY(job->learner->stability(job, &s, err));
    *moves = score_moves(v, &s, &job->features);
done:
    return status;
}

/* The whole with trainings at this epsilon. */
DUSK_PROVEN(plan_all)
static dusk_status plan_all(dusk_validation *v, const dusk_train_options *train,
                            const dusk_validation_options *o, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_statement *worst = NULL;
    double moves = 0, each;
    dusk_event event;
    forget_trainings(v);
    for (size_t i = 0; i < v->count; i++) {
        DUSK_TRY(plan_candidate(v, i, o->candidates[i], &each, train, epsilon, err));
        const dusk_statement *own = dusk_training_statement(v->training[i]);
        if (!worst || own->epsilon > worst->epsilon) worst = own;
        moves = fmax(moves, each);
    }
    DUSK_TRY(dusk_selection_init(&v->choice, DUSK_SELECT_PERMUTE_AND_FLIP,
                                 dusk_mul_up(moves, DUSK_MUTATE(VALIDATE_UNIT_HAS_ONE_ROW, v->factor, 1)),
                                 false, train->epsilon * o->choice_share * (1 - 0x1p-30), err));
    DUSK_TRY(dusk_selection_event(&v->choice, 1, &event, err));
    DUSK_TRY(dusk_event_add(&event, &event, &worst->event, err));
    DUSK_TRY(dusk_statement_init(&v->statement, DUSK_MUTATE(VALIDATE_CHOICE_IS_FREE, &event, &worst->event),
                                 train->delta, train->neighbours, v->fields->unit, err));
    v->statement.numerics = worst->numerics;
    DUSK_TRY(learn_assume_rows(&v->statement, v->fields, train->rows, err));
done:
    return status;
}

static dusk_status check(const dusk_train_options *train, const dusk_validation_options *o, dusk_error *err)
{
    if (train->size != sizeof *train || o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "call dusk_train_options_init and dusk_validation_options_init",
                         "the options were never made");
    if (o->candidates_count < 1 || o->candidates_count > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give settings to choose from",
                         "a validation has 1 to 4096 candidates");
    if (!(o->held_out > 0 && o->held_out < 1) || !(o->choice_share > 0 && o->choice_share < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0.2 and 0.3",
                         "held_out and choice_share are between 0 and 1");
    if (train->rows < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare about how many there are",
                         "a mean over rows held out needs the number of rows as a public fact");
    return DUSK_OK;
}

/* One training and one choice are within epsilon by adding up; where the price of both is less, trainings are given more. */
static dusk_status share_epsilon(dusk_validation *v, const dusk_train_options *train,
                                 const dusk_validation_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double rest = train->epsilon * (1 - o->choice_share) * (1 - 0x1p-20);
    DUSK_TRY(plan_all(v, train, o, rest, err));
    for (int turn = 0; turn < 2 && v->statement.epsilon < 0.97 * train->epsilon; turn++) {
        double more = rest + 0.9 * (train->epsilon - v->statement.epsilon);
        DUSK_TRY(plan_all(v, train, o, more, err));
        if (v->statement.epsilon <= train->epsilon) {
            rest = more;
        } else {
            DUSK_TRY(plan_all(v, train, o, rest, err));
            break;
        }
    }
    if (!(v->statement.epsilon <= train->epsilon))
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a validation for epsilon %.17g costs %.17g",
                         train->epsilon, v->statement.epsilon);
    dusk_buffer_add(
        &v->said,
        "one of %zu candidates, by their scores on about %.0f %% of the rows, with noise of scale %.4g for "
        "means from 0 to 1, epsilon %s; the one that is chosen is trained for epsilon %s\n",
        v->count, 100 * v->held_out,
        ldexp(2 * v->choice.sensitivity / v->choice.epsilon, -SCORE_BITS - MEAN_BITS),
        dusk_shown_up(v->choice.epsilon, 4).text, dusk_shown_up(rest, 4).text);
done:
    return status;
}

DUSK_PROVEN(plan)
static dusk_status plan(dusk_validation *v, const char *name, const dusk_train_options *train,
                        const dusk_validation_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_learner *learner = NULL;
    learn_budget budget;
    DUSK_TRY(check(train, o, err));
    DUSK_TRY(learn_find(&learner, name, err));
    if (!learner->stability)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         "amp_logistic, amp_svm and amp_huber are, with form=output",
                         "%s is not known to be stable when a row changes", name);
    DUSK_TRY(learn_budget_init(&budget, train->neighbours, train->epsilon, train->delta,
                               v->fields->rows_per_unit, err));
    v->factor = budget.factor;
    v->held_out = o->held_out;
    v->rows = fmax(floor((double)train->rows * o->held_out), 1);
    snprintf(v->name, sizeof v->name, "%s", name);
    DUSK_NEW(v->training, o->candidates_count);
    v->count = o->candidates_count;
    DUSK_TRY(share_epsilon(v, train, o, err));
done:
    return status;
}

dusk_status dusk_validation_prepare(dusk_validation **out, const char *learner, const dusk_fields *fields,
                                    const dusk_train_options *train, const dusk_validation_options *options,
                                    dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_validation *validation = NULL;
    *out = NULL;
    DUSK_NEW(validation, 1);
    DUSK_TRY(dusk_fields_copy(&validation->fields, fields, NULL, 0, err));
    DUSK_TRY(plan(validation, learner, train, options, err));
    *out = validation;
    validation = NULL;
done:
    dusk_validation_free(validation);
    return status;
}

const dusk_statement *dusk_validation_statement(const dusk_validation *validation)
{
    return &validation->statement;
}

dusk_status dusk_validation_explain(const dusk_validation *validation, char **text, dusk_error *err)
{
    dusk_buffer copy = { .data = NULL };
    if (validation->said.failed) return dusk_fail_memory(err);
    dusk_buffer_add(&copy, "%s", validation->said.data ? validation->said.data : "");
    return dusk_buffer_take(&copy, text, err);
}

/* --- scores ------------------------------------------------------------------------------------------------------------- */

/* A weight in steps of 2^-WEIGHT_BITS, rounded down, within +-2^WEIGHT_MOST of them; `shift` from its own steps. */
DUSK_PROVEN(place_weight)
static int64_t place_weight(dusk_int128 weight, int shift)
{
    const dusk_int128 most = (dusk_int128)1 << WEIGHT_MOST;
    if (shift < 0) weight = weight >> (shift > -126 ? -shift : 126);
    const int up = shift < 0 ? 0 : shift > 120 ? 120 : shift;
    const dusk_int128 end = up <= WEIGHT_MOST ? most >> up : 0;
    if (weight > end) return (int64_t)most;
    if (weight < -end) return -(int64_t)most;
    return (int64_t)(weight * ((dusk_int128)1 << (up <= WEIGHT_MOST ? up : 0)));
}

/* What a row loses: a ramp of its margin, or its absolute error over the label's range; 0 to 2^SCORE_BITS. */
static int64_t row_loss(const learn_matrix *matrix, size_t i, const int64_t *weights)
{
    const size_t d = matrix->rows.width;
    const float *x = matrix->rows.x + i * d;
    const int shift = LEARN_BITS + WEIGHT_BITS + 1 - SCORE_BITS;
    int64_t sum = 0, loss;
    for (size_t c = 0; c < d; c++) sum += (int64_t)x[c] * weights[c];
    if (matrix->code) {
        if (matrix->code[i] == 1) sum = -sum;
        loss = ((int64_t)1 << (SCORE_BITS - 1)) + (sum >> shift);
    } else {
        sum -= (int64_t)matrix->target[i] * ((int64_t)1 << WEIGHT_BITS);
        loss = (sum < 0 ? -sum : sum) >> shift;
    }
    const int64_t most = (int64_t)1 << SCORE_BITS;
    return loss < 0 ? 0 : loss > most ? most : loss;
}

/* Minus the mean of the losses, over at least as many rows as were declared. */
DUSK_PROVEN(find_score)
static dusk_status find_score(double *out, const dusk_validation *v, const learn_job *job,
                              const learn_stability *s, const dusk_int128 *weights, const dusk_frame *held,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_matrix matrix = { .bound = 0 };
    int64_t *placed = NULL;
    dusk_int128 total = 0;
    DUSK_NEW(placed, s->cells);
    DUSK_TRY(learn_matrix_make(&matrix, &job->features, held, err));
    for (size_t c = 0; c < s->cells; c++) placed[c] = place_weight(weights[c], s->grid + WEIGHT_BITS);
    for (size_t i = 0; i < matrix.rows.rows; i++) total += row_loss(&matrix, i, placed);
    const dusk_int128 rows = (dusk_int128)fmax(v->rows, (double)matrix.rows.rows);
    *out = -(double)((total << MEAN_BITS) / rows);
done:
    if (placed) dusk_wipe(placed, s->cells * sizeof *placed);
    dusk_deallocate(placed);
    learn_matrix_clear(&matrix);
    return status;
}

/* --- run ------------------------------------------------------------------------------------------------------------------- */

/* Train a candidate in private, and score it. */
DUSK_PROVEN(rehearse_one)
static dusk_status rehearse_one(const dusk_validation *v, size_t i, double *score, const dusk_frame *first,
                                const dusk_frame *second, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = learn_training_job(v->training[i]);
    learn_stability s;
    dusk_int128 *weights = NULL;
    DUSK_TRY(job->learner->stability(job, &s, err));
    DUSK_NEW(weights, s.cells);
    DUSK_TRY(job->learner->rehearse(job, weights, first, gen, err));
    DUSK_TRY(find_score(score, v, job, &s, weights, second, err));
done:
    if (weights) dusk_wipe(weights, s.cells * sizeof *weights);
    dusk_deallocate(weights);
    return status;
}

DUSK_PROVEN(dusk_validation_run)
dusk_status dusk_validation_run(dusk_validation *validation, dusk_model **model, size_t *candidate,
                                const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_frame *first = NULL, *second = NULL;
    dusk_model *made = NULL;
    double *scores = NULL;
    size_t chosen = 0;

    *model = NULL;
    DUSK_TRY(learn_check_frame(validation->fields, frame, err));
    DUSK_NEW(scores, validation->count);
    DUSK_TRY(dusk_frame_split(frame, &first, &second, validation->held_out, gen, err));
    for (size_t i = 0; i < validation->count; i++)
        DUSK_TRY(rehearse_one(validation, i, &scores[i], first, second, gen, err));
    DUSK_TRY(dusk_selection_release(&validation->choice, &chosen, scores, validation->count, gen, err));
    DUSK_TRY(dusk_training_run(validation->training[chosen], &made, first, gen, err));
    made->statement = validation->statement;
    *model = made;
    *candidate = chosen;
done:
    if (scores) dusk_wipe(scores, validation->count * sizeof *scores);
    dusk_deallocate(scores);
    dusk_frame_free(first);
    dusk_frame_free(second);
    return status;
}

dusk_status dusk_validation_run_charged(dusk_validation *validation, dusk_model **model, size_t *candidate,
                                        const dusk_frame *frame, dusk_ledger *ledger, const char *analyst,
                                        uint64_t version, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char purpose[160];
    uint64_t id;

    *model = NULL;
    DUSK_TRY(learn_check_frame(validation->fields, frame, err));
    snprintf(purpose, sizeof purpose, "validate %s", validation->name);
    DUSK_TRY(
        dusk_ledger_reserve_statement(ledger, &id, &validation->statement, analyst, purpose, version, err));
    DUSK_TRY(dusk_validation_run(validation, model, candidate, frame, gen, err));
done:
    return status;
}
