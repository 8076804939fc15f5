/* SPDX-License-Identifier: Apache-2.0 */
/* How likely a report supports several values at once, by the exact law of devices: never above what the detection of liars reckons with, and at it for some value where all reports are as likely as others. */
#include "dusk/local.h"
#include "local/attacks.h"
#include "local/protocol.h"
#include "local_law.h"

enum { VALUES = 4 };

static dusk_survey survey_of(dusk_randomiser mechanism, double epsilon, uint64_t domain, uint32_t width,
                             uint32_t rows, uint32_t hashes)
{
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = mechanism;
    o.epsilon = epsilon;
    o.domain = domain;
    o.width = width;
    o.rows = rows;
    o.hashes = hashes;
    o.seed = 5;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

/* The chance that at least `least` of a set are supported, of a value. */
static double truth_of(const dusk_survey *survey, const local_law *law, uint32_t set, uint32_t least)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    double sum = 0;
    for (size_t i = 0; i < law->count; i++) {
        uint32_t supported = 0;
        for (uint32_t v = 0; v < VALUES; v++)
            supported += (set >> v & 1) && protocol->supports(&survey->task, law->report[i], v);
        if (supported >= least) sum += mpq_get_d(law->weight[i]);
    }
    return sum;
}

/* `exact`: of all values of a set the bound is reached. */
static void check(const dusk_survey *survey, uint64_t people, bool exact)
{
    static const uint64_t values[VALUES] = { 0, 1, 2, 3 };
    local_together together;
    local_law law[8];
    double peak = 0, log_peak, kinds;
    assert_true(people <= 8);
    assert_int_equal(local_together_new(&together, &survey->task, values, VALUES, NULL), DUSK_OK);
    for (uint64_t v = 0; v < people; v++) law_of(&law[v], dusk_client_report, &survey->task, v);
    for (uint32_t set = 1; set < 1 << VALUES; set++)
        for (uint32_t least = 1; least <= (uint32_t)__builtin_popcount(set); least++) {
            const bool all = least == (uint32_t)__builtin_popcount(set);
            const double bound = all ? together.chance[set] : local_together_tail(&together, set, least);
            double most = 0;
            for (uint64_t v = 0; v < people; v++) most = fmax(most, truth_of(survey, &law[v], set, least));
            if (!(most <= bound * (1 + 1e-12) + 1e-15) || (exact && all && !(most >= bound * (1 - 1e-9))))
                fail_msg("%s: %u of set %x: %.9g, bound %.9g", dusk_randomiser_name(survey->task.mechanism),
                         least, set, most, bound);
        }
    for (uint64_t v = 0; v < people; v++)
        for (size_t i = 0; i < law[v].count; i++) peak = fmax(peak, mpq_get_d(law[v].weight[i]));
    if (local_report_peak(&survey->task, &log_peak, &kinds)) {
        assert_true(log(peak) <= log_peak + 1e-12 && log(peak) >= log_peak - 1e-9);
        assert_true(log((double)law[0].count) <= kinds + 1e-9);
    }
    for (uint64_t v = 0; v < people; v++) law_clear(&law[v]);
    local_together_free(&together);
}

static void bounds_hold(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        const double epsilon = e ? 3 : 0.7;
        dusk_survey s;
        s = survey_of(DUSK_SUE, epsilon, 5, 0, 0, 0);
        check(&s, 5, true);
        s = survey_of(DUSK_OUE, epsilon, 5, 0, 0, 0);
        check(&s, 5, true);
        s = survey_of(DUSK_SS, epsilon, 6, 4, 0, 0);
        check(&s, 6, true);
        s = survey_of(DUSK_OLH, epsilon, 5, 3, 7, 0);
        check(&s, 5, true);
        s = survey_of(DUSK_HADAMARD, epsilon, 7, 0, 0, 0);
        check(&s, 7, false);
        s = survey_of(DUSK_HR, epsilon, 7, 0, 0, 0);
        check(&s, 7, false);
        s = survey_of(DUSK_PGR, epsilon, 7, 2, 0, 0);
        check(&s, 7, false);
        s = survey_of(DUSK_DBITFLIP, epsilon, 5, 4, 0, 0);
        check(&s, 5, true);
        s = survey_of(DUSK_CMS, epsilon, 0, 5, 3, 0);
        check(&s, 8, false);
        s = survey_of(DUSK_HCMS, epsilon, 0, 8, 3, 0);
        check(&s, 8, false);
        s = survey_of(DUSK_RAPPOR, epsilon, 0, 3, 2, 2);
        check(&s, 8, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
