/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of liars: devices could have made them, and they move estimates as far as the bound says and no further. */
#include "local/attacks.h"
#include "dusk/local_liars.h"
#include "local_survey.h"

enum { DOMAIN = 60, LIARS = 40 };

static const dusk_randomiser counting[] = { DUSK_GRR, DUSK_SUE,      DUSK_OUE,    DUSK_OLH,
                                            DUSK_SS,  DUSK_HADAMARD, DUSK_HR,     DUSK_PGR,
                                            DUSK_CMS, DUSK_HCMS,     DUSK_RAPPOR, DUSK_DBITFLIP };
static const dusk_randomiser numbers[] = { DUSK_ONEBIT, DUSK_DUCHI, DUSK_PIECEWISE, DUSK_HYBRID,
                                           DUSK_SQUAREWAVE };

static dusk_survey small_survey(dusk_randomiser mechanism, double epsilon)
{
    const bool sketch = mechanism == DUSK_CMS || mechanism == DUSK_HCMS || mechanism == DUSK_RAPPOR;
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = mechanism;
    o.epsilon = epsilon;
    o.domain = dusk_randomiser_question(mechanism) == DUSK_ASKS_COUNTS && !sketch ? DOMAIN : 0;
    o.width = sketch ? 32 : 0;
    o.rows = sketch ? 8 : 0;
    o.seed = 11;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

/* Targets that one report can support: of hr those of one block; of pgr points that are all orthogonal to another: the first ones, which have a first coordinate 0. */
static void choose_targets(const dusk_survey *survey, uint64_t *targets, size_t n)
{
    const uint64_t step = survey->task.mechanism == DUSK_HR    ? survey->task.rows
                          : survey->task.mechanism == DUSK_PGR ? 1
                                                               : 7;
    for (size_t i = 0; i < n; i++) targets[i] = i * step;
}

/* What one report adds to the targets together; it is one that a device makes. */
static double worth(const dusk_survey *survey, const uint8_t *report, const uint64_t *targets, size_t n)
{
    double counts[LOCAL_TARGETS_MOST], sum = 0;
    dusk_tally *tally = survey_tally(survey, report, 1);
    assert_int_equal(dusk_tally_dropped(tally), 0);
    assert_int_equal(dusk_tally_counts(tally, counts, NULL, targets, n, NULL), DUSK_OK);
    for (size_t i = 0; i < n; i++) sum += counts[i];
    dusk_tally_free(tally);
    return sum;
}

typedef void each(const dusk_survey *survey, const uint64_t *targets, uint32_t n, dusk_entropy *entropy);

static void for_all(each *check)
{
    dusk_generator *gen;
    dusk_generator_entropy context;
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t m = 0; m < sizeof counting / sizeof *counting; m++)
        for (int e = 0; e < 2; e++)
            for (uint32_t n = 1; n <= 7; n += 3) {
                const dusk_survey survey = small_survey(counting[m], e ? 3 : 1);
                uint64_t targets[7];
                choose_targets(&survey, targets, n);
                check(&survey, targets, n, &entropy);
            }
    dusk_generator_free(gen);
}

/* Every crafted report reaches the bound; of pgr there are spaces with too few coordinates for 7 targets, and of hr blocks with too few values. */
static void reach_it(const dusk_survey *survey, const uint64_t *targets, uint32_t n, dusk_entropy *entropy)
{
    const dusk_client_task *task = &survey->task;
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    double least, most;
    uint8_t report[64];
    assert_true(dusk_report_size(task) <= sizeof report);
    if (task->mechanism == DUSK_PGR && targets[n - 1] >= client_points(task->width, task->rows - 1)) return;
    if (task->mechanism == DUSK_HR && targets[n - 1] >= DOMAIN) return;
    protocol->reach(task, n, &least, &most);
    for (int i = 0; i < LIARS; i++) {
        assert_int_equal(dusk_liar_report(survey, DUSK_ATTACK_MAXIMAL, targets, n, report, entropy, NULL),
                         DUSK_OK);
        const double gain = worth(survey, report, targets, n);
        if (!(fabs(gain - most) < 1e-9 * fabs(most)))
            fail_msg("%s, %u targets: %.6f of %.6f", protocol->name, n, gain, most);
    }
}

static void as_far_as_the_bound(void **state)
{
    (void)state;
    for_all(reach_it);
}

/* Whatever the attack and the targets, no report goes further; and none is dropped. Values that liars push are also pushed by those who hide, and by honest devices with them: on average by 1. */
static void stay_below(const dusk_survey *survey, const uint64_t *targets, uint32_t n, dusk_entropy *entropy)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    uint64_t spread[7];
    uint8_t report[64];
    double least, most, sum[5] = { 0 };
    protocol->reach(&survey->task, n, &least, &most);
    for (uint32_t i = 0; i < n; i++) spread[i] = (targets[i] * 5 + 3 * i) % DOMAIN;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (spread[i] == spread[j]) return;
    for (int attack = DUSK_ATTACK_OUTPUT; attack <= DUSK_ATTACK_HIDDEN; attack++)
        for (int i = 0; i < LIARS; i++) {
            assert_int_equal(dusk_liar_report(survey, (dusk_attack)attack, spread, n, report, entropy, NULL),
                             DUSK_OK);
            const double gain = worth(survey, report, spread, n);
            if (!(gain <= most + 1e-9 && gain >= least - 1e-9))
                fail_msg("%s, %u targets, attack %d: %.6f not in %.6f .. %.6f", protocol->name, n, attack,
                         gain, least, most);
            sum[attack] += gain / LIARS;
        }
    assert_true(sum[DUSK_ATTACK_MAXIMAL] >= sum[DUSK_ATTACK_HIDDEN] - 1e-9);
    if (!(sum[DUSK_ATTACK_HIDDEN] > sum[DUSK_ATTACK_INPUT] - 1e-9))
        fail_msg("%s: who hides gains %.4f, an honest device %.4f", protocol->name, sum[DUSK_ATTACK_HIDDEN],
                 sum[DUSK_ATTACK_INPUT]);
}

static void never_beyond_it(void **state)
{
    (void)state;
    for_all(stay_below);
}

/* A report supports a value exactly where one report alone is worth the most that one can be to it. */
static void support_is_worth(const dusk_survey *survey, const uint64_t *targets, uint32_t n,
                             dusk_entropy *entropy)
{
    const local_protocol *protocol = local_protocol_of(survey->task.mechanism);
    uint8_t report[64];
    double least, most;
    protocol->reach(&survey->task, 1, &least, &most);
    if (n > 1) return;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(dusk_client_report(&survey->task, report, targets[0] + (uint64_t)i % 3, entropy),
                         DUSK_CLIENT_OK);
        for (uint64_t v = 0; v < 4; v++) {
            const bool full = fabs(worth(survey, report, &v, 1) - most) < 1e-9 * most;
            if (protocol->supports(&survey->task, report, v) != full)
                fail_msg("%s: support of %llu", protocol->name, (unsigned long long)v);
        }
    }
}

static void supports(void **state)
{
    (void)state;
    for_all(support_is_worth);
}

/* Hidden reports of unary encoding, sketches and filters have as many bits as honest ones: the same mean, to within 6 deviations. */
static void as_many_bits(void **state)
{
    static const dusk_randomiser maps[] = { DUSK_OUE, DUSK_SUE, DUSK_CMS, DUSK_RAPPOR };
    const uint64_t targets[] = { 1, 2, 3, 30, 31, 32 };
    dusk_generator *gen;
    dusk_generator_entropy context;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 4, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
        const dusk_survey survey = small_survey(maps[m], 1);
        const bool row = maps[m] == DUSK_CMS || maps[m] == DUSK_RAPPOR;
        double sum[2] = { 0 }, squares[2] = { 0 };
        for (int i = 0; i < 4000; i++)
            for (int liar = 0; liar < 2; liar++) {
                uint8_t report[64] = { 0 };
                double bits = 0;
                if (liar)
                    assert_int_equal(
                        dusk_liar_report(&survey, DUSK_ATTACK_HIDDEN, targets, 6, report, &entropy, NULL),
                        DUSK_OK);
                else
                    assert_int_equal(dusk_client_report(&survey.task, report, 5, &entropy), DUSK_CLIENT_OK);
                for (size_t b = row; b < sizeof report; b++) bits += __builtin_popcount(report[b]);
                sum[liar] += bits / 4000;
                squares[liar] += bits * bits / 4000;
            }
        const double spread = (squares[0] - sum[0] * sum[0] + squares[1] - sum[1] * sum[1]) / 4000;
        assert_true(fabs(sum[0] - sum[1]) < 6 * sqrt(spread));
    }
    dusk_generator_free(gen);
}

/* Numbers: the top, exactly; an honest device with the top is on average at 1; nothing hides. */
static void the_top_of_numbers(void **state)
{
    dusk_generator *gen;
    dusk_generator_entropy context;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 5, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t m = 0; m < sizeof numbers / sizeof *numbers; m++) {
        const dusk_survey survey = small_survey(numbers[m], 1);
        const uint64_t target = 1;
        double least, most, mean, deviation;
        uint8_t report[8];
        local_protocol_of(survey.task.mechanism)->reach(&survey.task, 1, &least, &most);
        assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_MAXIMAL, NULL, 0, report, &entropy, NULL),
                         DUSK_OK);
        dusk_tally *tally = survey_tally(&survey, report, 1);
        assert_int_equal(dusk_tally_mean(tally, &mean, &deviation, NULL), DUSK_OK);
        assert_true(fabs(mean - most) < 1e-9 * most);
        dusk_tally_free(tally);
        assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
        for (int i = 0; i < 2000; i++)
            for (int attack = DUSK_ATTACK_OUTPUT; attack <= DUSK_ATTACK_INPUT; attack++) {
                assert_int_equal(
                    dusk_liar_report(&survey, (dusk_attack)attack, NULL, 0, report, &entropy, NULL), DUSK_OK);
                dusk_tally_add(tally, report, 1);
            }
        assert_int_equal(dusk_tally_dropped(tally), 0);
        assert_int_equal(dusk_tally_mean(tally, &mean, &deviation, NULL), DUSK_OK);
        if (numbers[m] == DUSK_ONEBIT)
            assert_true(fabs(mean - 0.5) < 6 * deviation); /* any bit: 0; the top: 1 */
        dusk_tally_free(tally);
        assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_HIDDEN, NULL, 0, report, &entropy, NULL),
                         DUSK_ERR_UNSUPPORTED);
        assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_INPUT, &target, 1, report, &entropy, NULL),
                         DUSK_ERR_ARGUMENT);
    }
    dusk_generator_free(gen);
}

static int no_coins(void *context, uint8_t *bytes, size_t n)
{
    (void)context, (void)bytes, (void)n;
    return 1;
}

static void refusals(void **state)
{
    const dusk_survey survey = small_survey(DUSK_OUE, 1);
    const uint64_t twice[] = { 3, 3 }, two[] = { 3, 4 }, beyond[] = { DOMAIN }, many[65] = { 0 };
    dusk_entropy none = { no_coins, NULL };
    dusk_attack attack;
    uint8_t report[8];
    (void)state;
    assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_INPUT, twice, 2, report, &none, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_INPUT, beyond, 1, report, &none, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_INPUT, many, 65, report, &none, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_liar_report(&survey, DUSK_ATTACK_INPUT, NULL, 0, report, &none, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_liar_report(&survey, (dusk_attack)9, twice, 1, report, &none, NULL),
                     DUSK_ERR_ARGUMENT);
    for (size_t m = 0; m < sizeof counting / sizeof *counting; m++)
        for (int a = DUSK_ATTACK_OUTPUT; a <= DUSK_ATTACK_HIDDEN; a++) {
            const dusk_survey any = small_survey(counting[m], 1);
            const bool coinless =
                a == DUSK_ATTACK_MAXIMAL && (counting[m] == DUSK_HADAMARD || counting[m] == DUSK_HR);
            uint8_t room[64];
            assert_int_equal(dusk_liar_report(&any, (dusk_attack)a, two, 2, room, &none, NULL),
                             coinless ? DUSK_OK : DUSK_ERR_ENTROPY);
        }
    assert_int_equal(dusk_attack_find(&attack, "hidden", NULL), DUSK_OK);
    assert_int_equal(attack, DUSK_ATTACK_HIDDEN);
    assert_int_equal(dusk_attack_find(&attack, "sly", NULL), DUSK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_far_as_the_bound),
        cmocka_unit_test(never_beyond_it),
        cmocka_unit_test(supports),
        cmocka_unit_test(as_many_bits),
        cmocka_unit_test(the_top_of_numbers),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
