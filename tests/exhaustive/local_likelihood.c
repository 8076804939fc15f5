/* SPDX-License-Identifier: Apache-2.0 */
/* The chance of a report under a value is that of the law, for every report of small surveys: what estimates from pairs of reports rest on. */
#include "local/likelihood.h"
#include "local/survey.h"
#include "local_law.h"

enum { VALUES = 4 };

static void check(dusk_survey survey)
{
    local_law law[VALUES];
    local_likelihood l;
    const uint64_t candidate[VALUES] = { 0, 1, 2, 3 };
    double out[VALUES + 1], other = 0;
    assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
    assert_int_equal(local_likelihood_of(&l, &survey, NULL), DUSK_OK);
    for (uint64_t v = 0; v < VALUES; v++) law_of(&law[v], dusk_client_report, &survey.task, v);
    mpq_t weight;
    mpq_init(weight);
    for (size_t i = 0; i < law[0].count; i++) {
        assert_true(local_likelihoods(&l, law[0].report[i], candidate, VALUES, out));
        const double first = mpq_get_d(law[0].weight[i]);
        for (size_t v = 1; v < VALUES; v++) {
            law_weight(weight, &law[v], law[0].report[i]);
            const double right = log(mpq_get_d(weight) / first);
            if (!(fabs(out[v] - out[0] - right) < 1e-9))
                fail_msg("%s: %g, and %g is right", dusk_randomiser_name(survey.task.mechanism),
                         out[v] - out[0], right);
        }
        if (local_likelihood_hashed(&l)) other += first * exp(out[VALUES] - out[0]);
    }
    /* the chances of all reports under a text on no list add up to 1, too */
    if (local_likelihood_hashed(&l) && !(fabs(other - 1) < 1e-9))
        fail_msg("%s: chances of another text add up to %g", dusk_randomiser_name(survey.task.mechanism),
                 other);
    for (uint64_t v = 0; v < VALUES; v++) law_clear(&law[v]);
    mpq_clear(weight);
}

static void likelihoods(void **state)
{
    const uint64_t half = (uint64_t)1 << 63;
    dusk_survey s = { .name = "law", .low = -1, .high = 1 };
    (void)state;
    s.task = (dusk_client_task){ .mechanism = DUSK_GRR, .domain = 4, .p = half + 5 };
    check(s);
    s.task = (dusk_client_task){ .mechanism = DUSK_SUE, .domain = 4, .p = half + half / 2, .q = half / 2 };
    check(s);
    s.task = (dusk_client_task){ .mechanism = DUSK_OUE, .domain = 4, .p = half, .q = half / 3 };
    check(s);
    s.task =
        (dusk_client_task){ .mechanism = DUSK_CMS, .rows = 2, .width = 4, .p = half + half / 3, .seed = 3 };
    check(s);
    s.task =
        (dusk_client_task){ .mechanism = DUSK_HCMS, .rows = 3, .width = 4, .p = half + half / 3, .seed = 3 };
    check(s);
    for (uint32_t hashes = 1; hashes <= 3; hashes++) {
        s.task = (dusk_client_task){ .mechanism = DUSK_RAPPOR,
                                     .rows = 2,
                                     .width = 3,
                                     .hashes = hashes,
                                     .p = half / 2,
                                     .q = half + half / 2,
                                     .f = half / 4,
                                     .seed = 3 };
        check(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(likelihoods) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
