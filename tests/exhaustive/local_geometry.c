/* SPDX-License-Identifier: Apache-2.0 */
/* Projective geometry response on all points of small spaces, and bits of few buckets: the law of reports as fractions has the epsilon that the survey says, estimates are right on average, and
 * supports are those of the definition. */
#include "dusk/local.h"
#include "local/protocol.h"
#include "local/survey.h"
#include "local/tally.h"
#include "local_law.h"

static const uint32_t spaces[][2] = { { 2, 2 }, { 2, 3 }, { 2, 4 }, { 3, 2 },
                                      { 3, 3 }, { 5, 2 }, { 5, 3 }, { 7, 2 } };
enum { SPACES = sizeof spaces / sizeof *spaces };

static dusk_survey survey_of(uint32_t q, uint32_t t, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PGR;
    options.epsilon = epsilon;
    options.width = q;
    options.domain = client_points(q, t);
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    assert_int_equal(survey.task.width, q);
    assert_int_equal(survey.task.rows, t);
    return survey;
}

/* Every point once, in its own form. */
static void numbering(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPACES; s++) {
        const uint32_t q = spaces[s][0], t = spaces[s][1], points = client_points(q, t);
        uint32_t before[DUSK_GEOMETRY_MOST] = { 0 }, x[DUSK_GEOMETRY_MOST];
        for (uint32_t i = 0; i < points; i++) {
            uint32_t lead = 0, same = 0;
            client_point(q, t, i, x);
            while (lead < t && x[lead] == 0) lead++;
            assert_true(lead < t && x[lead] == 1);
            while (same < t && x[same] == before[same]) same++;
            assert_true(same < t && x[same] > before[same]); /* in order, so none twice */
            memcpy(before, x, sizeof x);
        }
    }
}

static bool orthogonal(uint32_t q, uint32_t t, uint32_t a, uint32_t b)
{
    uint32_t x[DUSK_GEOMETRY_MOST], y[DUSK_GEOMETRY_MOST], product = 0;
    client_point(q, t, a, x);
    client_point(q, t, b, y);
    for (uint32_t i = 0; i < t; i++) product += x[i] * y[i];
    return product % q == 0;
}

/* One answer at a time: it supports what is orthogonal to it and nothing else. */
static void supports(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPACES; s++) {
        const uint32_t q = spaces[s][0], t = spaces[s][1], points = client_points(q, t);
        const dusk_survey survey = survey_of(q, t, 1);
        const local_protocol *protocol = local_protocol_of(DUSK_PGR);
        int64_t cell[256] = { 0 };
        double count[256], high = 0, low = 0;
        assert_true(points <= 256);
        for (uint32_t y = 0; y < points; y++) {
            memset(cell, 0, sizeof cell);
            cell[y] = 1;
            assert_int_equal(protocol->counts(&survey.task, cell, 1, count, NULL, NULL, points, NULL),
                             DUSK_OK);
            for (uint32_t x = 0; x < points; x++)
                if (orthogonal(q, t, x, y))
                    high = count[x];
                else
                    low = count[x];
            assert_true(high > low);
            for (uint32_t x = 0; x < points; x++)
                assert_true(count[x] == (orthogonal(q, t, x, y) ? high : low));
        }
    }
}

static void law(void **state)
{
    static const double epsilon[] = { 0.1, 1, 2.5 };
    (void)state;
    for (size_t s = 0; s < SPACES; s++)
        for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++) {
            if (spaces[s][1] > 3 && e > 0) continue;
            const dusk_survey survey = survey_of(spaces[s][0], spaces[s][1], epsilon[e]);
            law_check(&survey, epsilon[e], survey.task.domain + 1);
        }
}

/* Blocks of both kinds: one, and several; halves, and whole blocks of others. */
static void blocks(void **state)
{
    static const uint32_t sizes[][2] = {
        { 1, 2 }, { 1, 4 }, { 1, 8 }, { 2, 4 }, { 3, 2 }, { 2, 8 }, { 4, 4 }
    };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        dusk_survey survey = { .name = "law", .low = -1, .high = 1 };
        survey.task = (dusk_client_task){ .mechanism = DUSK_HR, .rows = sizes[i][0], .width = sizes[i][1] };
        survey.task.domain = sizes[i][0] * (sizes[i][1] - 1);
        if (survey.task.domain < 2) continue;
        survey.task.p = local_keep_down(1.3, 2.0 * sizes[i][0] - 1);
        assert_int_equal(local_survey_complete(&survey, NULL), DUSK_OK);
        law_check(&survey, 1.3, survey.task.domain + 1);
    }
}

static void buckets(void **state)
{
    (void)state;
    for (uint32_t domain = 2; domain <= 4; domain++)
        for (uint32_t width = 1; width <= domain; width++) {
            dusk_survey survey;
            dusk_survey_options options;
            dusk_survey_options_init(&options);
            options.mechanism = DUSK_DBITFLIP;
            options.epsilon = 1.5;
            options.width = width;
            options.domain = domain;
            assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
            law_check(&survey, options.epsilon, domain + 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbering), cmocka_unit_test(supports), cmocka_unit_test(law),
        cmocka_unit_test(blocks),    cmocka_unit_test(buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
