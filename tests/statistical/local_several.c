/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes at work: many small surveys with seeded coins. The squared error of a cell is what dusk_survey_marginal_variance says, and intervals of tables of one and of two attributes cover as
 * often as those of a normal law. Fixed seeds; both tests fail right code with probability below 1e-6 a row. DUSK_SEED chooses other coins. */
#include "local_errors.h"
#include "several_survey.h"

enum { PEOPLE = 3000, SURVEYS = 120, CELLS = 400 };

static const several_case cases[] = {
    { DUSK_SPL, 2, 1, 3, { 10, 2, 20 } },  { DUSK_SMP, 1, 1, 3, { 10, 2, 20 } },
    { DUSK_SMP, 4, 1, 3, { 10, 2, 20 } },  { DUSK_SMP, 2, 2, 3, { 5, 2, 20 } },
    { DUSK_RSFD, 2, 1, 3, { 10, 2, 20 } }, { DUSK_RSFD, 4, 1, 2, { 3, 60 } },
};

/* Small categories are frequent, and the second attribute goes with the first. */
static uint64_t deal(const dusk_client_task *task, size_t person)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST];
    uint64_t seed = person;
    for (uint32_t i = 0; i < task->attributes; i++) {
        const uint64_t a = splitmix64(&seed) % task->sizes[i], b = splitmix64(&seed) % task->sizes[i];
        category[i] = (uint32_t)(a < b ? a : b);
        if (i == 1 && person % 2) category[1] = category[0] % task->sizes[1];
    }
    return dusk_client_pack(task, category);
}

typedef struct table {
    uint32_t attribute[2], n;
    size_t cells;
    double truth[CELLS];
    moments error, cover;
} table;

static void begin(table *t, const dusk_client_task *task, uint32_t first, uint32_t second, uint32_t n)
{
    *t = (table){ .attribute = { first, second }, .n = n };
    t->cells = (size_t)task->sizes[first] * (n == 2 ? task->sizes[second] : 1);
    assert_true(t->cells <= CELLS);
    for (size_t i = 0; i < PEOPLE; i++) {
        uint32_t category[DUSK_ATTRIBUTES_MOST];
        dusk_client_unpack(task, deal(task, i), category);
        t->truth[category[first] + (n == 2 ? task->sizes[first] * category[second] : 0)]++;
    }
}

static void look(table *t, const dusk_tally *tally)
{
    const dusk_survey *survey = dusk_tally_survey(tally);
    double count[CELLS], deviation[CELLS], squares = 0, covered = 0;
    assert_int_equal(dusk_tally_marginal(tally, t->attribute, t->n, count, deviation, NULL), DUSK_OK);
    for (size_t x = 0; x < t->cells; x++) {
        const double off = count[x] - t->truth[x], share = t->truth[x] / PEOPLE;
        const double variance = PEOPLE * dusk_survey_marginal_variance(survey, t->attribute, t->n, share);
        squares += off * off / variance / (double)t->cells;
        covered += (fabs(off) <= 1.959963985 * deviation[x]) / (double)t->cells;
    }
    note(&t->error, squares);
    note(&t->cover, covered);
}

static void run(const several_case *c, dusk_generator *gen)
{
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    const dusk_survey survey = several_of(c);
    const size_t size = dusk_report_size(&survey.task);
    uint8_t *reports = malloc(PEOPLE * size);
    table tables[4];
    size_t n = 0;
    assert_non_null(reports);
    for (uint32_t a = 0; a < c->attributes; a++) begin(&tables[n++], &survey.task, a, 0, 1);
    if (c->order == 2) begin(&tables[n++], &survey.task, 1, 0, 2); /* the wrong way round */
    for (size_t s = 0; s < SURVEYS; s++) {
        for (size_t i = 0; i < PEOPLE; i++)
            assert_int_equal(
                dusk_client_report(&survey.task, reports + i * size, deal(&survey.task, i), &entropy), 0);
        dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
        assert_int_equal(dusk_tally_dropped(tally), 0);
        for (size_t t = 0; t < n; t++) look(&tables[t], tally);
        dusk_tally_free(tally);
    }
    for (size_t t = 0; t < n; t++) {
        check_mean(&tables[t].error, 1, 1, "error by theory is", c->mechanism, c->epsilon);
        check_mean(&tables[t].cover, 0.94, 0.96, "intervals cover", c->mechanism, c->epsilon);
    }
    free(reports);
}

static void errors_and_intervals(void **state)
{
    dusk_generator *gen = chosen_coins();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run(&cases[i], gen);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_and_intervals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
