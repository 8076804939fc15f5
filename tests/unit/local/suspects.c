/* SPDX-License-Identifier: Apache-2.0 */
/* Liars among honest reports: who is suspected, who is not, and what is left of the attack. */
#include "base/memory.h"
#include "dusk/local_estimates.h"
#include "dusk/local_liars.h"
#include "local_survey.h"

enum { DOMAIN = 64, PEOPLE = 4000, TARGETS = 6 };

static const dusk_randomiser all[] = { DUSK_GRR, DUSK_SUE, DUSK_OUE, DUSK_OLH,  DUSK_SS,     DUSK_HADAMARD,
                                       DUSK_HR,  DUSK_PGR, DUSK_CMS, DUSK_HCMS, DUSK_RAPPOR, DUSK_DBITFLIP };

static dusk_survey small_survey(dusk_randomiser mechanism, double epsilon)
{
    const bool sketch = mechanism == DUSK_CMS || mechanism == DUSK_HCMS || mechanism == DUSK_RAPPOR;
    dusk_survey_options o;
    dusk_survey survey;
    dusk_survey_options_init(&o);
    o.mechanism = mechanism;
    o.epsilon = epsilon;
    o.domain = sketch ? 0 : DOMAIN;
    o.width = sketch ? 64 : 0;
    o.rows = sketch ? 32 : 0;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    return survey;
}

typedef struct crowd {
    dusk_survey survey;
    uint8_t *reports;
    size_t n, liars, size; /* liars come last */
    bool suspect[PEOPLE];
    dusk_suspicion found;
} crowd;

static const uint64_t targets[TARGETS] = { 9, 20, 31, 33, 48, 60 };

/* Zipf people, and liars among them. */
static void gather(crowd *c, dusk_randomiser mechanism, double epsilon, size_t liars, dusk_attack attack,
                   size_t target_count, uint64_t seed)
{
    uint64_t values[DOMAIN];
    dusk_generator *gen;
    dusk_generator_entropy context;
    *c = (crowd){ .survey = small_survey(mechanism, epsilon), .n = PEOPLE, .liars = liars };
    c->size = dusk_report_size(&c->survey.task);
    c->reports = malloc(PEOPLE * c->size);
    assert_non_null(c->reports);
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < PEOPLE - liars; i++)
        assert_int_equal(dusk_client_report(&c->survey.task, c->reports + i * c->size,
                                            (uint64_t)(DOMAIN / (1.0 + (double)(i * 37 % DOMAIN))), &entropy),
                         DUSK_CLIENT_OK);
    for (size_t i = PEOPLE - liars; i < PEOPLE; i++)
        assert_int_equal(dusk_liar_report(&c->survey, attack, targets, target_count, c->reports + i * c->size,
                                          &entropy, NULL),
                         DUSK_OK);
    for (uint64_t v = 0; v < DOMAIN; v++) values[v] = v;
    assert_int_equal(dusk_reports_suspects(&c->survey, c->reports, PEOPLE, values, DOMAIN, 1e-3, c->suspect,
                                           &c->found, NULL),
                     DUSK_OK);
    dusk_generator_free(gen);
}

static void count(const crowd *c, size_t *honest, size_t *liars)
{
    *honest = *liars = 0;
    for (size_t i = 0; i < c->n; i++) *(i < c->n - c->liars ? honest : liars) += c->suspect[i];
    assert_int_equal(*honest + *liars, c->found.invalid + c->found.bits + c->found.repeats + c->found.sets);
}

static void nobody_without_liars(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++)
        for (int e = 0; e < 2; e++) {
            crowd c;
            size_t honest, liars;
            gather(&c, all[m], e ? 3 : 1, 0, DUSK_ATTACK_INPUT, TARGETS, 10 + m);
            count(&c, &honest, &liars);
            if (honest > 0 || c.found.target_count > 0)
                fail_msg("%s: %zu honest reports are suspected", dusk_randomiser_name(all[m]), honest);
            free(c.reports);
        }
}

/* How many of 400 liars are found at least, and of 3600 honest ones are at most suspected with them. */
static void found(dusk_randomiser mechanism, double epsilon, dusk_attack attack, size_t least, size_t most)
{
    crowd c;
    size_t honest, liars;
    gather(&c, mechanism, epsilon, 400, attack, TARGETS, 77);
    count(&c, &honest, &liars);
    if (liars < least || honest > most)
        fail_msg("%s at %g: %zu liars and %zu honest", dusk_randomiser_name(mechanism), epsilon, liars,
                 honest);
    free(c.reports);
}

/* Six targets, 10 % of liars: but for grr they are found, whether they hide or not. Of hr those who hide are in different blocks, where no report supports two targets. */
static void several_targets(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++) {
        found(all[m], 2, DUSK_ATTACK_MAXIMAL, all[m] == DUSK_GRR ? 0 : 380, 80);
        found(all[m], 2, DUSK_ATTACK_HIDDEN, all[m] == DUSK_GRR || all[m] == DUSK_HR ? 0 : 330, 150);
    }
}

/* Who sends what an honest device with a target sends is not found, nor is who pushes one value and hides. */
static void nobody_can(void **state)
{
    static const dusk_randomiser some[] = { DUSK_OUE, DUSK_OLH, DUSK_SS, DUSK_CMS };
    (void)state;
    for (size_t m = 0; m < sizeof some / sizeof *some; m++)
        for (int one = 0; one < 2; one++) {
            crowd c;
            size_t honest, liars;
            gather(&c, some[m], 1, 400, one ? DUSK_ATTACK_HIDDEN : DUSK_ATTACK_INPUT, one ? 1 : TARGETS, 78);
            count(&c, &honest, &liars);
            if (liars + honest > 0) fail_msg("%s: %zu liars", dusk_randomiser_name(some[m]), liars);
            free(c.reports);
        }
}

/* The values that liars push are named; bits and invalid reports are counted; what is left without suspects is near the truth. */
static void what_is_said(void **state)
{
    crowd c;
    double counts[DOMAIN], deviations[DOMAIN];
    size_t kept = 0, named = 0;
    (void)state;
    gather(&c, DUSK_SUE, 2, 400, DUSK_ATTACK_HIDDEN, TARGETS, 79);
    for (size_t i = 0; i < c.found.target_count; i++)
        for (size_t t = 0; t < TARGETS; t++) named += c.found.targets[i] == targets[t];
    assert_int_equal(named, TARGETS);
    for (size_t i = 0; i < PEOPLE; i++)
        if (!c.suspect[i]) memmove(c.reports + kept++ * c.size, c.reports + i * c.size, c.size);
    dusk_tally *tally = survey_tally(&c.survey, c.reports, kept);
    assert_int_equal(dusk_tally_counts(tally, counts, deviations, NULL, DOMAIN, NULL), DUSK_OK);
    for (size_t t = 0; t < TARGETS; t++) assert_true(counts[targets[t]] < 150 + 6 * deviations[targets[t]]);
    dusk_tally_free(tally);
    memset(c.reports, 0xff, 3 * c.size); /* all 64 bits */
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, kept, NULL, DOMAIN, 0.5, c.suspect, &c.found, NULL),
        DUSK_OK);
    assert_true(c.suspect[0] && c.suspect[1] && c.suspect[2] && c.found.bits == 3);
    free(c.reports);
    gather(&c, DUSK_SS, 2, 0, DUSK_ATTACK_INPUT, 1, 80);
    memset(c.reports, 0xff, c.size); /* too many members */
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, PEOPLE, NULL, DOMAIN, 1e-3, c.suspect, &c.found, NULL),
        DUSK_OK);
    assert_true(c.suspect[0] && c.found.invalid == 1 && c.found.repeats == 0 && c.found.sets == 0);
    free(c.reports);
}

/* A report comes three times of 4000: seldom enough for each report by itself, and not for all that there are. */
static void repeats_of_all(void **state)
{
    crowd c;
    (void)state;
    gather(&c, DUSK_OLH, 1, 0, DUSK_ATTACK_INPUT, 1, 81);
    for (size_t i = 1; i < 5; i++) memcpy(c.reports + i * c.size, c.reports, c.size);
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, PEOPLE, NULL, DOMAIN, 1e-3, c.suspect, &c.found, NULL),
        DUSK_OK);
    assert_int_equal(c.found.repeats, 0);
    for (size_t i = 5; i < 15; i++) memcpy(c.reports + i * c.size, c.reports, c.size);
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, PEOPLE, NULL, DOMAIN, 1e-3, c.suspect, &c.found, NULL),
        DUSK_OK);
    assert_true(c.found.repeats >= 15 && c.found.repeats < 20);
    free(c.reports);
}

/* Any bytes: what no device makes is counted and set aside, and nothing is read beyond a report. */
static void any_bytes(void **state)
{
    uint64_t seed = 5, values[DOMAIN];
    (void)state;
    for (uint64_t v = 0; v < DOMAIN; v++) values[v] = v;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++) {
        const dusk_survey survey = small_survey(all[m], 1);
        const size_t size = dusk_report_size(&survey.task);
        uint8_t *reports = malloc(300 * size);
        bool suspect[300];
        dusk_suspicion out;
        assert_non_null(reports);
        for (size_t i = 0; i < 300 * size; i++)
            reports[i] = (uint8_t)((seed = seed * 6364136223846793005u + 1) >> (i % 7 ? 56 : 62));
        memset(reports, 0xff, 3 * size);
        assert_int_equal(
            dusk_reports_suspects(&survey, reports, 300, values, DOMAIN, 1e-3, suspect, &out, NULL), DUSK_OK);
        dusk_tally *tally = survey_tally(&survey, reports, 300);
        assert_int_equal(out.invalid, dusk_tally_dropped(tally));
        dusk_tally_free(tally);
        free(reports);
    }
}

static void refusals_and_memory(void **state)
{
    crowd c;
    const dusk_survey mean = survey_of(DUSK_DUCHI, 0, 1);
    bool failed = true;
    (void)state;
    gather(&c, DUSK_CMS, 2, 400, DUSK_ATTACK_HIDDEN, TARGETS, 82);
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, 9, NULL, DOMAIN, 1e-3, c.suspect, &c.found, NULL),
        DUSK_ERR_ARGUMENT); /* texts have no numbers */
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, 9, targets, TARGETS, 0, c.suspect, &c.found, NULL),
        DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_reports_suspects(&mean, c.reports, 9, NULL, 1, 1e-3, c.suspect, &c.found, NULL),
                     DUSK_ERR_UNSUPPORTED);
    assert_int_equal(
        dusk_reports_suspects(&c.survey, c.reports, 0, targets, 0, 1e-3, c.suspect, &c.found, NULL), DUSK_OK);
    for (long at = 1; failed; at++) {
        dusk_memory_fail_at(at);
        const dusk_status status = dusk_reports_suspects(&c.survey, c.reports, PEOPLE, targets, TARGETS, 1e-3,
                                                         c.suspect, &c.found, NULL);
        dusk_memory_fail_at(0);
        failed = status != DUSK_OK;
        assert_true(!failed || status == DUSK_ERR_MEMORY);
    }
    free(c.reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_without_liars), cmocka_unit_test(several_targets),
        cmocka_unit_test(nobody_can),           cmocka_unit_test(what_is_said),
        cmocka_unit_test(repeats_of_all),       cmocka_unit_test(any_bytes),
        cmocka_unit_test(refusals_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
