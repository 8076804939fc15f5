/* SPDX-License-Identifier: Apache-2.0 */
/* Liars: bounds beside the closed forms of Cao, Jia & Gong 2021, and beside what every single report can do; an attack that is undone. */
#include <math.h>

#include "dusk/local_estimates.h"
#include "dusk/local_liars.h"
#include "local/protocol.h"
#include "random/tape.h"
#include "support.h"

static dusk_survey survey_of(dusk_randomiser mechanism, uint64_t domain, double epsilon)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = mechanism;
    o.epsilon = epsilon;
    o.domain = domain;
    o.width = mechanism == DUSK_CMS || mechanism == DUSK_HCMS ? 8 : 0;
    o.rows = mechanism == DUSK_CMS || mechanism == DUSK_HCMS ? 4 : 0;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

static double up_of(dusk_randomiser mechanism, double epsilon)
{
    const dusk_survey survey = survey_of(mechanism, 1024, epsilon);
    double up, down;
    assert_int_equal(dusk_survey_push(&survey, 0.05, 10, &up, &down, NULL), DUSK_OK);
    assert_true(down > 0);
    return up;
}

static void as_in_the_paper(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double e = i ? 0.5 : 1, grr = 0.05 * (1 + 1014 / expm1(e)), oue = 0.05 * (20 + 20 / expm1(e));
        assert_true(fabs(up_of(DUSK_GRR, e) / grr - 1) < 1e-9);
        assert_true(fabs(up_of(DUSK_OUE, e) / oue - 1) < 1e-9);
        assert_true(fabs(up_of(DUSK_OLH, e) / oue - 1) < 0.12); /* of whole numbers of answers */
    }
    assert_true(fabs(up_of(DUSK_GRR, 1) - 29.56) < 0.01 && fabs(up_of(DUSK_OUE, 1) - 1.58) < 0.01);
}

/* Every report of one or two bytes, alone in a tally: its estimates are within reach, and where it is said to be reached, some are at its ends. */
static void whatever_is_sent(void **state)
{
    static const dusk_randomiser all[] = { DUSK_GRR,      DUSK_SUE, DUSK_OUE,      DUSK_OLH,
                                           DUSK_HADAMARD, DUSK_PGR, DUSK_DBITFLIP, DUSK_CMS,
                                           DUSK_HCMS,     DUSK_SS,  DUSK_HR,       DUSK_TREE };
    (void)state;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++)
        for (uint32_t targets = 1; targets <= 3; targets++) {
            const dusk_survey survey = survey_of(all[m], 5, 1);
            const local_protocol *protocol = local_protocol_of(survey.task.mechanism);
            const uint32_t size = dusk_report_size(&survey.task);
            double least, most, low = INFINITY, high = -INFINITY;
            protocol->reach(&survey.task, targets, &least, &most);
            uint64_t seed = 1;
            for (uint32_t number = 0; number < 65536; number++) {
                uint8_t report[16] = { (uint8_t)number, (uint8_t)(number >> 8) };
                double counts[3], sum = 0;
                dusk_tally *tally;
                if (size < 2 && number > 255) break;
                for (uint32_t i = 2; i < size; i++)
                    report[i] = (uint8_t)((seed = seed * 6364136223846793005u + 1) >> 61);
                if (size > 2) report[0] %= 5;
                assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
                dusk_tally_add(tally, report, 1);
                if (dusk_tally_reports(tally) == 1) {
                    assert_int_equal(dusk_tally_counts(tally, counts, NULL, NULL, targets, NULL), DUSK_OK);
                    for (uint32_t i = 0; i < targets; i++) sum += counts[i];
                    low = fmin(low, sum);
                    high = fmax(high, sum);
                }
                dusk_tally_free(tally);
            }
            assert_true(low >= least - 1e-9 && high <= most + 1e-9);
            if (all[m] == DUSK_GRR || all[m] == DUSK_SUE || all[m] == DUSK_OUE || all[m] == DUSK_HADAMARD)
                assert_true(fabs(low - least) < 1e-9 && fabs(high - most) < 1e-9);
        }
}

/* Rappor: every filter of 8 bits in every cohort; values that set all their bits, or none, are at the ends. */
static void filters(void **state)
{
    dusk_survey_options o;
    dusk_survey survey;
    (void)state;
    dusk_survey_options_init(&o);
    o.mechanism = DUSK_RAPPOR;
    o.epsilon = 1;
    o.width = 8;
    o.rows = 4;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    for (uint32_t targets = 1; targets <= 3; targets++) {
        double least, most, low = INFINITY, high = -INFINITY;
        local_protocol_of(DUSK_RAPPOR)->reach(&survey.task, targets, &least, &most);
        for (uint32_t number = 0; number < 4 * 256; number++) {
            const uint8_t report[2] = { (uint8_t)(number / 256), (uint8_t)number };
            double counts[3], sum = 0;
            dusk_tally *tally;
            assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
            dusk_tally_add(tally, report, 1);
            assert_int_equal(dusk_tally_counts(tally, counts, NULL, NULL, targets, NULL), DUSK_OK);
            for (uint32_t i = 0; i < targets; i++) sum += counts[i];
            low = fmin(low, sum);
            high = fmax(high, sum);
            dusk_tally_free(tally);
        }
        assert_true(fabs(low - least) < 1e-9 && fabs(high - most) < 1e-9);
    }
}

/* Numbers: every answer alone in a tally, and the ends of what they say are the reach. In closed form: of a window of w cells among d places the answer is a line, with the slope of the window's chance. */
static void answers_of_numbers(void **state)
{
    static const dusk_randomiser all[] = { DUSK_ONEBIT, DUSK_DUCHI, DUSK_PIECEWISE, DUSK_HYBRID,
                                           DUSK_SQUAREWAVE };
    (void)state;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++)
        for (int e = 0; e < 2; e++) {
            const dusk_survey survey = survey_of(all[m], 0, e ? 3 : 0.5);
            const dusk_client_task *task = &survey.task;
            const local_protocol *protocol = local_protocol_of(task->mechanism);
            const uint64_t cells = protocol->cells(task);
            double least, most, low = INFINITY, high = -INFINITY, up, down;
            protocol->reach(task, 1, &least, &most);
            for (uint64_t x = 0; x <= cells; x++) {
                uint8_t report[4];
                double mean, deviation;
                dusk_tally *tally;
                if (x > 20 && x + 20 < cells && x % 97) continue; /* a line: the ends are what matters */
                client_put(report, x, dusk_report_size(task));
                assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
                dusk_tally_add(tally, report, 1);
                assert_int_equal(dusk_tally_reports(tally), x < cells);
                assert_int_equal(dusk_tally_mean(tally, &mean, &deviation, NULL), DUSK_OK);
                if (x < cells) low = fmin(low, mean);
                if (x < cells) high = fmax(high, mean);
                dusk_tally_free(tally);
            }
            if (!(fabs(low - least) < 1e-9 && fabs(high - most) < 1e-9))
                fail_msg("%s: %.9g .. %.9g, not %.9g .. %.9g", protocol->name, low, high, least, most);
            assert_true(fabs(least + most) < 1e-6 * most); /* even */
            assert_int_equal(dusk_survey_push(&survey, 0.1, 1, &up, &down, NULL), DUSK_OK);
            assert_true(fabs(up - 0.1 * (most + 1)) < 1e-9 && fabs(up - down) < 1e-6 * up);
            if (task->width == 0 || task->q > 0) continue;
            const double p = local_chance(task->p), others = task->domain - 1.0;
            const double slope = p - (1 - p) * task->width / others;
            assert_true(fabs(most - ((double)cells - 1) / slope / others) < 1e-6 * most);
        }
}

/* 1000 liars among 20000 set the bits of two targets; the gain is the bound, and taking it off gives the truth. */
static void an_attack_undone(void **state)
{
    enum { HONEST = 19000, LIARS = 1000, DOMAIN = 16 };
    const dusk_survey survey = survey_of(DUSK_OUE, DOMAIN, 2);
    const uint64_t targets[] = { 3, 11 };
    const uint8_t lie[2] = { 1 << 3, 1 << 3 };
    const double all = HONEST + LIARS, share = LIARS / all;
    double counts[DOMAIN], deviations[DOMAIN], up, down;
    dusk_generator_entropy coins;
    dusk_generator *gen;
    dusk_tally *tally;
    uint8_t report[2];
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 5, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    for (int i = 0; i < HONEST; i++) { /* nobody has a target */
        assert_int_equal(dusk_client_report(&survey.task, report, (uint64_t)i % 3, &entropy), DUSK_CLIENT_OK);
        dusk_tally_add(tally, report, 1);
    }
    for (int i = 0; i < LIARS; i++) dusk_tally_add(tally, lie, 1);
    assert_int_equal(dusk_tally_counts(tally, counts, deviations, NULL, DOMAIN, NULL), DUSK_OK);
    assert_int_equal(dusk_survey_push(&survey, share, 2, &up, &down, NULL), DUSK_OK);
    const double noise = 6 * sqrt(2) * deviations[3];
    assert_true(fabs(counts[3] + counts[11] - up * all) < noise);
    assert_true(up * all > 5 * noise / 6);
    dusk_recovery_options o;
    dusk_recovery_options_init(&o);
    o.liars = share;
    o.targets = targets;
    o.target_count = 2;
    o.whole = false;
    assert_int_equal(dusk_counts_recover(counts, DOMAIN, all, &survey, &o, NULL), DUSK_OK);
    assert_true(fabs(counts[3]) < noise && fabs(counts[11]) < noise);
    dusk_tally_free(tally);
    dusk_generator_free(gen);
}

/* Liars who hide, targets known: all counts come back, those of others too. Targets not known: the same is taken from all that are there, which norm-sub does anyway. */
static void recovered(void **state)
{
    enum { HONEST = 18000, LIARS = 2000, DOMAIN = 32 };
    const dusk_survey survey = survey_of(DUSK_OUE, DOMAIN, 2);
    const uint64_t targets[] = { 5, 30 };
    const double all = HONEST + LIARS;
    double counts[DOMAIN], again[DOMAIN], deviations[DOMAIN], sum = 0;
    dusk_generator_entropy coins;
    dusk_generator *gen;
    dusk_tally *tally;
    uint8_t report[4];
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 7, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    for (int i = 0; i < HONEST; i++) {
        assert_int_equal(dusk_client_report(&survey.task, report, (uint64_t)i % 4, &entropy), DUSK_CLIENT_OK);
        dusk_tally_add(tally, report, 1);
    }
    for (int i = 0; i < LIARS; i++) {
        assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_HIDDEN, targets, 2, report, &entropy, NULL),
                         DUSK_OK);
        dusk_tally_add(tally, report, 1);
    }
    assert_int_equal(dusk_tally_counts(tally, counts, deviations, NULL, DOMAIN, NULL), DUSK_OK);
    memcpy(again, counts, sizeof counts);
    dusk_recovery_options o;
    dusk_recovery_options_init(&o);
    o.liars = LIARS / all;
    o.targets = targets;
    o.target_count = 2;
    assert_true(counts[5] > 1500 && counts[30] > 1500);
    assert_int_equal(dusk_counts_recover(counts, DOMAIN, all, &survey, &o, NULL), DUSK_OK);
    for (int v = 0; v < DOMAIN; v++) {
        sum += counts[v];
        if (!(fabs(counts[v] - (v < 4 ? all / 4 : 0)) < 6 * deviations[v] + 100))
            fail_msg("value %d: %.1f", v, counts[v]);
    }
    assert_true(fabs(sum - all) < 1e-6 * all);
    o.targets = NULL;
    o.target_count = 0;
    o.whole = false;
    memcpy(counts, again, sizeof counts);
    assert_int_equal(dusk_counts_recover(counts, DOMAIN, all, &survey, &o, NULL), DUSK_OK);
    const double p = 0.5, q = 1 / (exp(2) + 1), lies = LIARS * (1 - DOMAIN * q) / (p - q);
    double there = 0;
    for (int v = 0; v < DOMAIN; v++) there += again[v] > 0;
    for (int v = 0; v < DOMAIN; v++) {
        const double right = (again[v] - (again[v] > 0 ? lies / there : 0)) / 0.9;
        if (!(fabs(counts[v] - right) < 1e-6 * all))
            fail_msg("value %d: %.3f, not %.3f", v, counts[v], right);
    }
    dusk_tally_free(tally);
    dusk_generator_free(gen);
}

static void refusals_and_means(void **state)
{
    const dusk_survey oue = survey_of(DUSK_OUE, 16, 1), bit = survey_of(DUSK_DUCHI, 0, 1);
    const uint64_t beyond[] = { 16 };
    double up, down, counts[16] = { 0 };
    (void)state;
    assert_int_equal(dusk_survey_push(&oue, 1, 1, &up, &down, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_survey_push(&oue, NAN, 1, &up, &down, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_survey_push(&oue, 0.1, 17, &up, &down, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_survey_push(&oue, 0.1, 0, &up, &down, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_survey_push(&bit, 0.1, 2, &up, &down, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_survey_push(&bit, 0.1, 1, &up, &down, NULL), DUSK_OK);
    const double ends = (exp(1) + 1) / (exp(1) - 1);
    assert_true(fabs(up - 0.1 * (1 + ends)) < 1e-9 && fabs(down - up) < 1e-9);
    dusk_recovery_options o;
    dusk_recovery_options_init(&o);
    assert_int_equal(dusk_counts_recover(counts, 16, 100, &bit, &o, NULL), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_counts_recover(counts, 16, NAN, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_counts_recover(counts, 0, 100, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    o.targets = beyond;
    assert_int_equal(dusk_counts_recover(counts, 16, 100, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    o.target_count = 1;
    assert_int_equal(dusk_counts_recover(counts, 16, 100, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    o.liars = 1;
    assert_int_equal(dusk_counts_recover(counts, 17, 100, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    o.size = 0;
    assert_int_equal(dusk_counts_recover(counts, 17, 100, &oue, &o, NULL), DUSK_ERR_ARGUMENT);
    for (int i = 0; i < 16; i++) assert_true(counts[i] == 0);
}

/* Of 256 categories at epsilon 1 about 69 bits are set: none, ten and all were made up; of honest ones few are thrown away, no more than the limit says. */
static void implausible_reports(void **state)
{
    const dusk_survey oue = survey_of(DUSK_OUE, 256, 1), grr = survey_of(DUSK_GRR, 256, 1);
    uint8_t none[32] = { 0 }, ten[32] = { 0xff, 3 }, all[32], report[32];
    dusk_generator_entropy coins;
    dusk_generator *gen;
    double chance;
    int thrown = 0;
    (void)state;
    memset(all, 0xff, sizeof all);
    assert_int_equal(dusk_generator_new_seeded(&gen, 6, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&coins, gen);
    assert_int_equal(dusk_report_chance(&grr, none, &chance, NULL), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_report_chance(&oue, none, &chance, NULL), DUSK_OK);
    assert_true(chance < 1e-15);
    assert_int_equal(dusk_report_chance(&oue, ten, &chance, NULL), DUSK_OK);
    assert_true(chance < 1e-15);
    assert_int_equal(dusk_report_chance(&oue, all, &chance, NULL), DUSK_OK);
    assert_true(chance < 1e-15);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(dusk_client_report(&oue.task, report, 5, &entropy), DUSK_CLIENT_OK);
        assert_int_equal(dusk_report_chance(&oue, report, &chance, NULL), DUSK_OK);
        thrown += chance < 0.05;
    }
    assert_true(thrown > 20 && thrown < 165); /* 100 at most, on average */
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_the_paper),  cmocka_unit_test(whatever_is_sent),
        cmocka_unit_test(filters),          cmocka_unit_test(answers_of_numbers),
        cmocka_unit_test(an_attack_undone), cmocka_unit_test(refusals_and_means),
        cmocka_unit_test(recovered),        cmocka_unit_test(implausible_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
