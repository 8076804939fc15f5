/* SPDX-License-Identifier: Apache-2.0 */
/* dusk attack membership: who is in a study, from its means. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/attack.h"
#include "cli/input.h"

#define ORDER_SEED 3
/* So many times as often as others must members be found for a release to fall, or halfway from that
 * rate to all of them: a convention, for the halfway of the other attacks would be half of the members
 * at any small rate. */
#define TELLING 5
/* Beyond it nothing that can be told is left to bound. */
#define EPSILON_MOST 40

/* What scores are made with: the released means, those of the population, and people who are
 * known not to be in the study. */
typedef struct study {
    double *means, *weights, *population, *outsiders;
    size_t attributes, outsider_count;
    dusk_membership_score score;
} study;

static void study_free(study *s)
{
    dusk_deallocate(s->means);
    dusk_deallocate(s->weights);
    dusk_deallocate(s->population);
    dusk_deallocate(s->outsiders);
}

static dusk_status study_new(attack_job *job, study *s, size_t attributes, size_t outsiders, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    s->attributes = attributes;
    s->outsider_count = outsiders;
    s->score = (dusk_membership_score)(job->settings->score + 1); /* in the order of the words */
    if ((double)(outsiders + 1) * job->settings->false_positives < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "give more people who are not in it, or a larger --false-positives",
                         "%zu outsiders are too few for a rate of false positives of %g", outsiders,
                         job->settings->false_positives);
    DUSK_NEW(s->means, attributes);
    DUSK_NEW(s->weights, attributes);
    DUSK_NEW(s->population, attributes);
    DUSK_NEW(s->outsiders, outsiders);
done:
    return status;
}

static void add_row(double *sums, const double *row, size_t n)
{
    for (size_t j = 0; j < n; j++) sums[j] += row[j];
}

static double p_value(const study *s, const double *row)
{
    double score;
    dusk_membership_scores(&score, row, 1, s->weights, s->population, s->attributes);
    return dusk_membership_p_value(score, s->outsiders, s->outsider_count);
}

/* No power is above 1 - f(false positives), f the trade-off curve of what was released. */
static dusk_status say_power_bound(attack_job *job, double *bound, dusk_error *err)
{
    dusk_account price;
    dusk_status status = DUSK_OK;
    double rate = job->settings->false_positives;
    *bound = 1;
    if (!job->spent) return DUSK_OK;
    DUSK_TRY(dusk_account_epsilon(&price, job->spent, isnan(job->settings->delta) ? 0 : job->settings->delta,
                                  DUSK_BEST, err));
    if (price.bound.upper < EPSILON_MOST) {
        DUSK_TRY(dusk_account_tradeoff(&price, job->spent, rate, DUSK_BEST, err));
        *bound = 1 - price.bound.lower;
    }
    attack_say(job, "bound",
               "in the long run no attack on this release finds more than %s %% of members at that rate",
               dusk_shown_up(100 * *bound, 4).text);
    attack_number(job, "bound", *bound);
done:
    return status;
}

/* ---- Means that were released ------------------------------------------------------------------------ */

/* Weights from `each` people in the order given, and scores of `s->outsider_count` who come after them. */
static dusk_status compare_with(study *s, const attack_matrix *data, const size_t *order, size_t each,
                                dusk_error *err)
{
    size_t d = s->attributes;
    double *reference = NULL;
    dusk_status status = DUSK_OK;
    DUSK_NEW(reference, each * d);
    for (size_t i = 0; i < each; i++)
        memcpy(reference + i * d, data->values + order[i] * d, d * sizeof *reference);
    DUSK_TRY(dusk_membership_weights(s->weights, s->population, s->score, s->means, reference, each, d, err));
    for (size_t i = 0; i < s->outsider_count; i++)
        dusk_membership_scores(&s->outsiders[i], data->values + order[each + i] * d, 1, s->weights,
                               s->population, d);
done:
    dusk_deallocate(reference);
    return status;
}

static dusk_status prepare_given(attack_job *job, study *s, const attack_matrix *targets, dusk_error *err)
{
    attack_matrix reference = { .values = NULL };
    double *means = NULL;
    size_t *order = NULL, count = 0, d = targets->columns;
    dusk_status status = DUSK_OK;
    if (!job->settings->reference)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example,
                         "--means needs --reference: people who are known not to be in the study");
    DUSK_TRY(attack_read_numbers(job->settings->means, "mean", &means, &count, err));
    DUSK_TRY(attack_read_matrix(job->settings->reference, &reference, err));
    if (count != d || reference.columns != d || reference.rows < 2)
        DUSK_TRY(dusk_fail(
            err, DUSK_ERR_PARSE, "give the same attributes in the same order, and two people or more",
            "there are %zu means, %zu attributes of %zu people to compare with, %zu of targets", count,
            reference.columns, reference.rows, d));
    size_t half = reference.rows / 2;
    DUSK_TRY(study_new(job, s, d, reference.rows - half, err));
    memcpy(s->means, means, d * sizeof *means);
    DUSK_NEW(order, reference.rows); /* a random half: the table may be sorted */
    dusk_attack_order(order, reference.rows, ORDER_SEED);
    status = compare_with(s, &reference, order, half, err);
done:
    dusk_deallocate(order);
    dusk_numbers_free(means, count);
    attack_matrix_free(&reference);
    return status;
}

static dusk_status attack_given_means(attack_job *job, dusk_error *err)
{
    attack_matrix targets = { .values = NULL };
    study s = { .means = NULL };
    double *p = NULL, bound;
    size_t called = 0;
    dusk_status status = DUSK_OK;
    if (!job->path)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, job->word->example,
                         "--means needs a file of people to look for");
    if (attack_given(job, "expect"))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "--release makes a study whose members are known",
                         "without the truth nothing can be expected");
    DUSK_TRY(attack_read_matrix(job->path, &targets, err));
    DUSK_TRY(prepare_given(job, &s, &targets, err));
    DUSK_NEW(p, targets.rows);
    for (size_t i = 0; i < targets.rows; i++) p[i] = p_value(&s, targets.values + i * s.attributes);
    if (job->settings->json) {
        dusk_json_key(&job->json, "p_values");
        dusk_json_open(&job->json, '[');
        for (size_t i = 0; i < targets.rows; i++) dusk_json_number(&job->json, p[i]);
        dusk_json_close(&job->json, ']');
    }
    for (size_t i = 0; i < targets.rows; i++) {
        bool member = p[i] <= job->settings->false_positives;
        called += member;
        attack_say(job, "target", "row %zu: %.3g %% of outsiders score as high%s", i + 1, 100 * p[i],
                   member ? "; a member" : "");
    }
    attack_say(job, "members", "%zu of %zu, at a rate of false positives of %g", called, targets.rows,
               job->settings->false_positives);
    attack_number(job, "members", (double)called);
    DUSK_TRY(attack_spend_event(job, 1, err));
    DUSK_TRY(attack_say_spent(job, err));
    status = say_power_bound(job, &bound, err);
done:
    dusk_deallocate(p);
    study_free(&s);
    attack_matrix_free(&targets);
    return status;
}

/* ---- A release now ---------------------------------------------------------------------------------------- */

/* Rows in a random order: members, then three equal parts of those who are not: for the means of
 * the population, outsiders to compare with, and outsiders to be tried. */
typedef struct parts {
    size_t *order;
    size_t members, each;
} parts;

static dusk_status make_study(attack_job *job, study *s, const attack_matrix *data, const parts *p,
                              dusk_error *err)
{
    size_t d = data->columns;
    double *sums = NULL;
    dusk_status status = DUSK_OK;
    DUSK_TRY(study_new(job, s, d, p->each, err));
    DUSK_NEW(sums, d);
    for (size_t i = 0; i < p->members; i++) add_row(sums, data->values + p->order[i] * d, d);
    DUSK_TRY(attack_release_sums(job, s->means, sums, d, err));
    for (size_t j = 0; j < d; j++) s->means[j] /= (double)p->members;
    status = compare_with(s, data, p->order + p->members, p->each, err);
done:
    dusk_deallocate(sums);
    return status;
}

/* How many of `n` people are called members. */
static size_t call(const attack_job *job, const study *s, const attack_matrix *data, const size_t *who,
                   size_t n)
{
    size_t called = 0;
    for (size_t i = 0; i < n; i++)
        called += p_value(s, data->values + who[i] * data->columns) <= job->settings->false_positives;
    return called;
}

static dusk_status read_parts(attack_job *job, attack_matrix *data, parts *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(attack_read_matrix(job->path, data, err));
    for (size_t i = 0; i < data->rows * data->columns; i++)
        if (!(data->values[i] >= 0 && data->values[i] <= 1))
            DUSK_TRY(dusk_fail(err, DUSK_ERR_PARSE, "0 and 1 for yes and no; leave other columns out",
                               "row %zu has a number below 0 or above 1 in column %zu", i / data->columns + 1,
                               i % data->columns + 1));
    p->members = (size_t)job->settings->members;
    if (p->members + 3 > data->rows)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give fewer --members",
                           "%zu rows are too few for %zu members and people who are not", data->rows,
                           p->members));
    p->each = (data->rows - p->members) / 3;
    DUSK_NEW(p->order, data->rows);
    dusk_attack_order(p->order, data->rows, ORDER_SEED);
done:
    return status;
}

dusk_status attack_membership(attack_job *job, dusk_error *err)
{
    attack_matrix data = { .values = NULL };
    study s = { .means = NULL };
    parts p = { .order = NULL };
    dusk_status status = DUSK_OK;
    double rate = job->settings->false_positives, bound;
    if (job->settings->means) return attack_given_means(job, err);
    DUSK_TRY(attack_check_release(job, err));
    DUSK_TRY(read_parts(job, &data, &p, err));
    DUSK_TRY(make_study(job, &s, &data, &p, err));
    size_t found = call(job, &s, &data, p.order, p.members);
    size_t wrong = call(job, &s, &data, p.order + p.members + 2 * p.each, p.each);
    dusk_guesses power;
    DUSK_TRY(dusk_guesses_count(&power, found, p.members, job->settings->confidence, err));
    attack_say(job, "question", "who of %zu people is in a study of %zu, whose %zu means are known",
               data.rows, p.members, s.attributes);
    attack_say(job, "members", "%zu of %zu found, %.1f %%, at a rate of false positives of at most %g", found,
               p.members, 100 * power.share, rate);
    attack_say(job, "outsiders", "%zu of %zu others taken for members, %.2f %%", wrong, p.each,
               100 * (double)wrong / (double)p.each);
    attack_number(job, "power", power.share);
    attack_number(job, "low", power.low);
    attack_number(job, "high", power.high);
    attack_number(job, "false_positives", (double)wrong / (double)p.each);
    DUSK_TRY(attack_say_spent(job, err));
    DUSK_TRY(say_power_bound(job, &bound, err));
    double telling = fmin(TELLING * rate, 0.5 * (1 + rate));
    bool falls = power.low >= telling && bound >= telling;
    status = attack_conclude(
        job, falls ? ATTACK_FALLS : ATTACK_HOLDS,
        falls ? "the means tell who is in the study" : "the means do not tell who is in the study", err);
done:
    dusk_deallocate(p.order);
    study_free(&s);
    attack_matrix_free(&data);
    return status;
}
