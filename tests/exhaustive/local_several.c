/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes, with every choice of a device's coins: the epsilon of any two people, and of two who differ in one attribute, are exactly what the survey says, and every cell and every
 * table is right on average. */
#include "local_law.h"
#include "several_survey.h"

/* The second with 6 categories answers by bits where epsilon is small, the pair of 2 and 3 too. */
static const several_case cases[] = {
    { DUSK_SPL, 1, 1, 2, { 2, 3 } },       { DUSK_SPL, 0.2, 1, 2, { 2, 6 } },
    { DUSK_SPL, 4, 1, 3, { 2, 2, 2 } },    { DUSK_SPL, 0.01, 1, 1, { 3 } },
    { DUSK_SMP, 1, 1, 2, { 2, 3 } },       { DUSK_SMP, 0.2, 1, 3, { 3, 2, 6 } },
    { DUSK_SMP, 5, 1, 3, { 2, 2, 2 } },    { DUSK_SMP, 1, 2, 2, { 2, 3 } },
    { DUSK_SMP, 0.05, 2, 3, { 2, 3, 2 } }, { DUSK_SMP, 2, 2, 3, { 2, 3, 2 } },
    { DUSK_RSFD, 1, 1, 2, { 2, 3 } },      { DUSK_RSFD, 0.2, 1, 2, { 2, 6 } },
    { DUSK_RSFD, 4, 1, 3, { 2, 2, 2 } },   { DUSK_RSFD, 2, 1, 1, { 4 } },
};
enum { CASES = sizeof cases / sizeof *cases };

/* How many attributes of two values differ. */
static uint32_t differ(const dusk_client_task *task, uint64_t v, uint64_t w)
{
    uint32_t a[DUSK_ATTRIBUTES_MOST], b[DUSK_ATTRIBUTES_MOST], n = 0;
    dusk_client_unpack(task, v, a);
    dusk_client_unpack(task, w, b);
    for (uint32_t i = 0; i < task->attributes; i++) n += a[i] != b[i];
    return n;
}

/* The log of the largest ratio of two values that differ in `most` attributes at most. */
static double apart(const dusk_client_task *task, const local_law *law, uint64_t values, uint32_t most)
{
    mpq_t a, b, largest;
    mpfr_t log;
    mpq_inits(a, b, largest, NULL);
    for (uint64_t v = 0; v < values; v++)
        for (uint64_t w = 0; w < values; w++) {
            if (differ(task, v, w) > most) continue;
            for (size_t i = 0; i < law[v].count; i++) {
                law_weight(b, &law[w], law[v].report[i]);
                assert_true(mpq_sgn(b) > 0);
                mpq_div(a, law[v].weight[i], b);
                if (mpq_cmp(a, largest) > 0) mpq_set(largest, a);
            }
        }
    mpfr_init2(log, 200);
    mpfr_set_q(log, largest, MPFR_RNDN);
    mpfr_log(log, log, MPFR_RNDN);
    const double epsilon = mpfr_get_d(log, MPFR_RNDN);
    mpfr_clear(log);
    mpq_clears(a, b, largest, NULL);
    return epsilon;
}

static void is(double said, double truth, double asked, const several_case *c, const char *what)
{
    if (!(said >= truth * (1 - 1e-15) && said <= truth * (1 + 1e-12) && truth <= asked * (1 + 1e-15)))
        fail_msg("%s of %u attributes at %g: the epsilon %s is %.17g, the survey says %.17g",
                 dusk_randomiser_name(c->mechanism), c->attributes, c->epsilon, what, truth, said);
}

static void epsilons(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const dusk_survey survey = several_of(&cases[i]);
        const uint64_t values = several_values(&survey);
        local_law *law = calloc(values, sizeof *law);
        assert_non_null(law);
        for (uint64_t v = 0; v < values; v++) law_of(&law[v], dusk_client_report, &survey.task, v);
        const double any = apart(&survey.task, law, values, DUSK_ATTRIBUTES_MOST);
        const double one = apart(&survey.task, law, values, 1);
        is(survey.epsilon, any, cases[i].epsilon, &cases[i], "of any two people");
        is(dusk_survey_attribute_epsilon(&survey), one, any, &cases[i], "of one attribute");
        assert_true(any > 0.99 * cases[i].epsilon); /* as near as the weights allow */
        for (uint64_t v = 0; v < values; v++) law_clear(&law[v]);
        free(law);
    }
}

/* The paper's amplification: with the epsilon it gives to the one answer, two people who differ in one attribute have the epsilon that was to be had if all attributes have the same size, and more if not; two who
 * differ in all have more. */
static void amplification(void **state)
{
    static const double wanted = 1;
    const several_case c = { DUSK_RSFD, log(3 * (exp(wanted) - 1) + 1), 1, 3, { 2, 2, 2 } };
    const dusk_survey survey = several_of(&c);
    (void)state;
    assert_true(fabs(dusk_survey_attribute_epsilon(&survey) - wanted) < 1e-6);
    assert_true(survey.epsilon > 1.8 && survey.epsilon <= c.epsilon);
    assert_true(fabs(law_epsilon(dusk_client_report, &survey.task, 8) - c.epsilon) < 1e-6);
    const several_case uneven = { DUSK_RSFD, log(2 * (exp(wanted) - 1) + 1), 1, 2, { 2, 4 } };
    const dusk_survey other = several_of(&uneven);
    assert_true(dusk_survey_attribute_epsilon(&other) > 1.05);
}

static void check_tables(const dusk_survey *survey, const local_law *law, uint64_t value, uint32_t first,
                         uint32_t second, uint32_t n)
{
    const dusk_client_task *task = &survey->task;
    const uint32_t attributes[2] = { first, second }, width = task->sizes[first];
    const size_t all = (size_t)width * (n == 2 ? task->sizes[second] : 1);
    double mean[64] = { 0 }, count[64];
    uint32_t category[DUSK_ATTRIBUTES_MOST];
    assert_true(all <= 64);
    for (size_t i = 0; i < law->count; i++) {
        dusk_tally *tally;
        assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
        dusk_tally_add(tally, law->report[i], 1);
        assert_int_equal(dusk_tally_reports(tally), 1);
        assert_int_equal(dusk_tally_marginal(tally, attributes, n, count, NULL, NULL), DUSK_OK);
        for (size_t x = 0; x < all; x++) mean[x] += mpq_get_d(law->weight[i]) * count[x];
        dusk_tally_free(tally);
    }
    dusk_client_unpack(task, value, category);
    for (size_t x = 0; x < all; x++) {
        const double right = x % width == category[first] && (n == 1 || x / width == category[second]);
        if (!(fabs(mean[x] - right) < 1e-7))
            fail_msg("%s: of value %d cell %d of (%u, %u) is %.17g on average",
                     dusk_randomiser_name(task->mechanism), (int)value, (int)x, first, second, mean[x]);
    }
}

/* Tables of one attribute, and of two both ways round, from one report of every value. */
static void unbiased(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const dusk_survey survey = several_of(&cases[i]);
        for (uint64_t v = 0; v < several_values(&survey); v++) {
            local_law law;
            law_of(&law, dusk_client_report, &survey.task, v);
            for (uint32_t a = 0; a < cases[i].attributes; a++) {
                check_tables(&survey, &law, v, a, 0, 1);
                for (uint32_t b = 0; b < cases[i].attributes; b++)
                    if (cases[i].order == 2 && a != b) check_tables(&survey, &law, v, a, b, 2);
            }
            law_clear(&law);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epsilons),
        cmocka_unit_test(amplification),
        cmocka_unit_test(unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
