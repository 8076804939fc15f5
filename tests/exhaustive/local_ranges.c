/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of small domains under the law of a report, every choice of coins taken: estimates are right on average whoever reports, and their variance is the very one that the library says. */
#include "dusk/local_estimates.h"
#include "local/protocol.h"
#include "local_law.h"

enum { MOST = 16 };

static dusk_survey survey_of(dusk_randomiser mechanism, uint64_t domain, double epsilon, uint32_t size)
{
    dusk_survey_options options;
    dusk_survey survey;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.domain = domain;
    options.epsilon = epsilon;
    if (mechanism == DUSK_TREE) options.hashes = size;
    if (mechanism == DUSK_SS || mechanism == DUSK_DBITFLIP || mechanism == DUSK_PGR) options.width = size;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    return survey;
}

static size_t all_ranges(dusk_range *out, uint64_t domain)
{
    size_t n = 0;
    for (uint64_t a = 0; a < domain; a++)
        for (uint64_t b = a; b < domain; b++) out[n++] = (dusk_range){ a, b };
    return n;
}

/* The first two moments of every range's estimate when one person with a value reports. */
static void moments(const dusk_survey *survey, uint64_t value, const dusk_range *ranges, size_t n,
                    double *mean, double *square)
{
    double counts[MOST * MOST];
    local_law law;
    law_of(&law, dusk_client_report, &survey->task, value);
    for (size_t r = 0; r < n; r++) mean[r] = square[r] = 0;
    for (size_t i = 0; i < law.count; i++) {
        dusk_tally *tally = NULL;
        const double weight = mpq_get_d(law.weight[i]);
        assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
        dusk_tally_add(tally, law.report[i], 1);
        assert_int_equal(dusk_tally_ranges(tally, counts, NULL, ranges, n, NULL), DUSK_OK);
        for (size_t r = 0; r < n; r++) {
            mean[r] += weight * counts[r];
            square[r] += weight * counts[r] * counts[r];
        }
        dusk_tally_free(tally);
    }
    law_clear(&law);
}

static void check(dusk_survey survey)
{
    const uint64_t domain = survey.task.domain;
    dusk_range ranges[MOST * MOST];
    double mean[MOST * MOST], square[MOST * MOST];
    const size_t n = all_ranges(ranges, domain);
    for (uint64_t value = 0; value < domain; value++) {
        moments(&survey, value, ranges, n, mean, square);
        for (size_t r = 0; r < n; r++) {
            const double in = ranges[r].from <= value && value <= ranges[r].to;
            const double said = dusk_survey_range_variance(&survey, ranges[r], in);
            if (ranges[r].to - ranges[r].from + 1 == domain && in == 0) continue;
            const double off = square[r] - in - said, slack = 1e-9 * fmax(square[r], 1);
            const bool known = dusk_survey_ranges_known(&survey);
            if (!(fabs(mean[r] - in) < 1e-9) || !(off <= slack) || (known && !(off >= -slack)) ||
                !(said <= 3 * exp(survey.epsilon) * (square[r] - in) + 1))
                fail_msg("%s of %d, %d to %d, of value %d: %.12g and %.12g, not %g and %.12g",
                         dusk_randomiser_name(survey.task.mechanism), (int)domain, (int)ranges[r].from,
                         (int)ranges[r].to, (int)value, mean[r], square[r] - in, in, said);
        }
    }
}

static void histograms(void **state)
{
    static const dusk_randomiser mechanism[] = { DUSK_GRR, DUSK_SUE, DUSK_OUE, DUSK_HADAMARD };
    static const double epsilon[] = { 0.1, 1, 3 };
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        for (size_t m = 0; m < 4; m++)
            for (uint64_t k = 2; k <= 6; k++) check(survey_of(mechanism[m], k, epsilon[e], 0));
        for (uint32_t size = 1; size <= 4; size++) check(survey_of(DUSK_SS, 5, epsilon[e], size));
    }
    check(survey_of(DUSK_SS, 2, 1, 1));
}

/* Bits of some buckets; and bounds, where pairs of values depend on the third that somebody has: planes and spaces, one block and several. */
static void others(void **state)
{
    static const uint32_t prime[] = { 2, 3, 5, 7 };
    (void)state;
    for (uint32_t bits = 1; bits <= 5; bits++) check(survey_of(DUSK_DBITFLIP, 5, 1, bits));
    for (size_t i = 0; i < sizeof prime / sizeof *prime; i++)
        for (uint64_t k = 2; k <= 15; k += 1 + k / 4)
            check(survey_of(DUSK_PGR, k, 0.5 + (double)i, prime[i]));
    for (uint64_t k = 2; k <= 15; k++)
        for (double epsilon = 0.5; epsilon < 5; epsilon += 1.5) check(survey_of(DUSK_HR, k, epsilon, 0));
}

/* Full trees, and those whose last nodes have fewer children, down to one below one. */
static void trees(void **state)
{
    static const uint64_t domain[] = { 2, 3, 4, 5, 7, 8, 9, 13, 16 };
    (void)state;
    for (size_t d = 0; d < sizeof domain / sizeof *domain; d++)
        for (uint32_t fan = 2; fan <= 8; fan *= 2) check(survey_of(DUSK_TREE, domain[d], 1 + fan / 4.0, fan));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(histograms), cmocka_unit_test(others),
                                        cmocka_unit_test(trees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
