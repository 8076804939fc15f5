/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregators: what is planned is what is drawn, answers are right when noise is small, and what was planned is never exceeded. */
#include "deep/votes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random/tape.h"
#include "seeded.h"

enum { CLASSES = 4, TEACHERS = 100 };

static void plan(learn_job *job, deep_votes *v, deep_aggregation way, dusk_neighbours neighbours,
                 double epsilon, double delta)
{
    *job = (learn_job){ .rows = 0 };
    assert_int_equal(learn_budget_init(&job->budget, neighbours, epsilon, delta, 1, NULL), DUSK_OK);
    *v = (deep_votes){ .way = way,
                       .classes = CLASSES,
                       .teachers = TEACHERS,
                       .questions = 20,
                       .answers = 10,
                       .threshold = 60,
                       .sure = 0.7 };
    assert_int_equal(deep_votes_plan(job, v, 0.3, NULL), DUSK_OK);
}

/* Noise is as planned: for both relations one vote that moves. */
static void test_price(void **state)
{
    (void)state;
    for (int way = DEEP_GNMAX; way <= DEEP_LNMAX; way++) {
        learn_job add, replace;
        deep_votes a, r;
        dusk_statement statement;
        plan(&add, &a, (deep_aggregation)way, DUSK_ADD_REMOVE, 2, 1e-5);
        plan(&replace, &r, (deep_aggregation)way, DUSK_REPLACE_ONE, 2, 1e-5);
        assert_true(fabs(a.counts.deviation / r.counts.deviation - 1) < 1e-5);
        assert_int_equal(learn_budget_state(&add.budget, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= 2 && statement.epsilon > 1.9);
        dusk_buffer_clear(&add.said);
        dusk_buffer_clear(&replace.said);
    }
    learn_job job;
    deep_votes v;
    plan(&job, &v, DEEP_GNMAX, DUSK_ADD_REMOVE, 2, 1e-5);
    const double mu = job.budget.mu; /* 20 answers: sqrt(2 * 20) / mu */
    assert_true(fabs(v.counts.deviation * mu / sqrt(40) - 1) < 1e-5);
    dusk_buffer_clear(&job.said);
    plan(&job, &v, DEEP_CONFIDENT, DUSK_ADD_REMOVE, 2, 1e-5);
    assert_true(fabs(v.screen.deviation * mu / sqrt(20 / 0.3) - 1) < 1e-5);
    assert_true(fabs(v.counts.deviation * mu / sqrt(2 * 10 / 0.7) - 1) < 1e-5);
    dusk_buffer_clear(&job.said);
    plan(&job, &v, DEEP_LNMAX, DUSK_ADD_REMOVE, 2, 0);
    assert_true(fabs(v.counts.gauss.scale / (2 * 20 / 2.0) - 1) < 1e-5);
    dusk_buffer_clear(&job.said);
}

/* A delta makes Laplace noise no larger, and far less where there are many answers. */
static void test_laplace(void **state)
{
    (void)state;
    static const size_t questions[] = { 1, 15, 60, 400 };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        for (int r = 0; r < 2; r++) {
            double scale[2];
            for (int with = 0; with < 2; with++) {
                learn_job job = { .rows = 0 };
                deep_votes v = {
                    .way = DEEP_LNMAX, .classes = CLASSES, .teachers = TEACHERS, .questions = questions[i]
                };
                assert_int_equal(learn_budget_init(&job.budget, r ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, 1,
                                                   with ? 1e-6 : 0, 1, NULL),
                                 DUSK_OK);
                assert_int_equal(deep_votes_plan(&job, &v, 0.3, NULL), DUSK_OK);
                scale[with] = v.counts.gauss.scale;
                dusk_buffer_clear(&job.said);
            }
            assert_true(scale[1] <= scale[0] * (1 + 1e-5));
            assert_true(questions[i] < 400 || scale[1] < 0.4 * scale[0]);
        }
}

static void sampled_plan(learn_job *job, deep_votes *v, const learn_sampler *sampler, deep_aggregation way,
                         uint32_t rows_per_unit, char *text, size_t size)
{
    *job = (learn_job){ .rows = 0 };
    assert_int_equal(learn_budget_init(&job->budget, DUSK_ADD_REMOVE, 2, 1e-5, rows_per_unit, NULL), DUSK_OK);
    *v = (deep_votes){ .way = way,
                       .classes = CLASSES,
                       .teachers = TEACHERS,
                       .sampler = sampler,
                       .questions = 120,
                       .answers = 50,
                       .threshold = 60 };
    assert_int_equal(deep_votes_plan(job, v, 0.3, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&job->budget.event, text, size, NULL), DUSK_OK);
    dusk_buffer_clear(&job->said);
}

/* An event, written here from the noise: what it costs is what was asked for, and it is what was charged. */
static void check_event(const char *charged, const char *wanted)
{
    dusk_event event;
    dusk_statement statement;
    char text[400];
    assert_int_equal(dusk_event_parse(&event, wanted, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, charged);
    assert_int_equal(dusk_statement_init(&statement, &event, 1e-5, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    assert_true(statement.epsilon <= 2 && statement.epsilon > 1.97);
}

/* Noise in votes over the sqrt(2) that a row moves, in parts of 2^-20 votes; the event has it a hair less. */
static double multiplier_of(const learn_noise *noise) { return noise->gauss.scale * 0x1p20 / 1482911; }

/* Plans over samples: every answer, and every screening, is in the event with the rate of the sampler and the noise that is drawn. */
static void test_samples(void **state)
{
    (void)state;
    for (uint32_t unit = 1; unit < 4; unit += 2) {
        learn_job job;
        deep_votes v;
        learn_sampler sampler;
        char text[400], wanted[400], one[2][100];
        double x[2];
        const char *group =
            unit > 1 ? "group(3, poisson(0.25, gaussian(%.17g)))" : "poisson(0.25, gaussian(%.17g))";
        assert_int_equal(learn_sampler_init(&sampler, LEARN_POISSON, 0.25, 0, DUSK_ADD_REMOVE, NULL),
                         DUSK_OK);
        sampled_plan(&job, &v, &sampler, DEEP_GNMAX, unit, text, sizeof text);
        assert_int_equal(sscanf(strstr(text, "gaussian("), "gaussian(%lf)", &x[0]), 1);
        assert_true(x[0] <= multiplier_of(&v.counts) && x[0] > multiplier_of(&v.counts) * (1 - 1e-12));
        snprintf(one[0], sizeof one[0], group, x[0]);
        snprintf(wanted, sizeof wanted, "%s * 120", one[0]);
        check_event(text, wanted);
        sampled_plan(&job, &v, &sampler, DEEP_CONFIDENT, unit, text, sizeof text);
        assert_int_equal(sscanf(strstr(text, "gaussian("), "gaussian(%lf)", &x[0]), 1);
        assert_int_equal(sscanf(strstr(strstr(text, "gaussian(") + 1, "gaussian("), "gaussian(%lf)", &x[1]),
                         1);
        assert_true(x[0] <= multiplier_of(&v.screen) && x[0] > multiplier_of(&v.screen) * (1 - 1e-12));
        assert_true(x[1] <= multiplier_of(&v.counts) && x[1] > multiplier_of(&v.counts) * (1 - 1e-12));
        for (int i = 0; i < 2; i++) snprintf(one[i], sizeof one[i], group, x[i]);
        snprintf(wanted, sizeof wanted, "%s * 120 + %s * 50", one[0], one[1]);
        check_event(text, wanted);
    }
}

static void test_answers(void **state)
{
    (void)state;
    const int32_t agree[CLASSES] = { 2, 90, 5, 3 }, split[CLASSES] = { 20, 40, 10, 30 };
    const float says_1[CLASSES] = { 0, 0.9f, 0.1f, 0 }, says_2[CLASSES] = { 0.1f, 0, 0.9f, 0 },
                unsure[CLASSES] = { 0.3f, 0.4f, 0.3f, 0 };
    dusk_generator *gen = seeded(1);
    for (int way = DEEP_GNMAX; way <= DEEP_LNMAX; way++) {
        learn_job job;
        deep_votes v;
        deep_asked asked = { 0, 0 };
        int32_t answer;
        plan(&job, &v, (deep_aggregation)way, DUSK_ADD_REMOVE, 1e5, 1e-5);
        const bool screened = way == DEEP_CONFIDENT || way == DEEP_INTERACTIVE;
        assert_int_equal(deep_votes_answer(&v, &asked, agree, agree, NULL, &answer, gen, NULL), DUSK_OK);
        assert_int_equal(answer, 1);
        assert_int_equal(deep_votes_answer(&v, &asked, split, split, NULL, &answer, gen, NULL), DUSK_OK);
        assert_int_equal(answer, screened ? -1 : 1);
        if (way == DEEP_INTERACTIVE) {
            /* the student is right: its answer, and none of the teachers'; it is wrong; it does not know */
            assert_int_equal(deep_votes_answer(&v, &asked, agree, agree, says_1, &answer, gen, NULL),
                             DUSK_OK);
            assert_int_equal(answer, 1);
            assert_int_equal(asked.answers, 1);
            assert_int_equal(deep_votes_answer(&v, &asked, agree, agree, says_2, &answer, gen, NULL),
                             DUSK_OK);
            assert_int_equal(answer, 1);
            assert_int_equal(asked.answers, 2);
            assert_int_equal(deep_votes_answer(&v, &asked, split, split, unsure, &answer, gen, NULL),
                             DUSK_OK);
            assert_int_equal(answer, -1);
        }
        /* no more than was planned */
        for (int i = 0; i < 50; i++)
            assert_int_equal(deep_votes_answer(&v, &asked, agree, agree, NULL, &answer, gen, NULL), DUSK_OK);
        assert_int_equal(answer, -1);
        assert_int_equal(asked.answers, screened ? 10 : 20);
        assert_true(asked.questions <= 20);
        dusk_buffer_clear(&job.said);
    }
    dusk_generator_free(gen);
}

static void test_refusals(void **state)
{
    (void)state;
    learn_job job = { .rows = 0 };
    deep_votes v = { .way = DEEP_GNMAX, .classes = 2, .teachers = 5, .questions = 3, .answers = 3 };
    dusk_error err;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 1, 0, 1, NULL), DUSK_OK);
    assert_int_equal(deep_votes_plan(&job, &v, 0.3, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "lnmax"));
    dusk_buffer_clear(&job.said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_price),   cmocka_unit_test(test_laplace),  cmocka_unit_test(test_samples),
        cmocka_unit_test(test_answers), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
