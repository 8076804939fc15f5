/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list at small sizes, with every choice of coins: a report, its level included, has the epsilon that the survey says, and counts are, on average over reports, what texts that share places make of them. */
#include "local/protocol.h"
#include "local/texts.h"
#include "local_law.h"
#include "text_survey.h"

static const char *const text[] = { "", "a", "ab", "abc", "b", "cccc", "abd" };
enum { TEXTS = sizeof text / sizeof *text };

static int device(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    return dusk_client_text(task, report, (const uint8_t *)text[value], strlen(text[value]), entropy);
}

static void check_epsilon(const dusk_survey *survey, double asked)
{
    const double truth = law_epsilon(device, &survey->task, TEXTS), says = survey->epsilon;
    if (!(says >= truth * (1 - 1e-15) && says <= truth * (1 + 1e-12) && says <= asked * (1 + 1e-12)))
        fail_msg("%s: the law has %.17g, the survey says %.17g", dusk_randomiser_name(survey->task.mechanism),
                 truth, says);
}

/* What one report says of text w on average where the device has text v, by hand. */
static double right_prefix(const dusk_client_task *task, size_t w, size_t v)
{
    const uint32_t levels = (task->domain + task->hashes - 1) / task->hashes;
    const double m = task->width, f = ldexp((double)task->f, -64);
    size_t n = strlen(text[w]);
    double sum = 0;
    if (n > task->domain) n = task->domain;
    for (uint32_t level = 0; level < levels; level++) {
        double shared = 0, chance = 1.0 / levels;
        if (task->mechanism == DUSK_TREEHIST) chance = level + 1 == levels ? f : (1 - f) / (levels - 1);
        if (n >= (level + 1) * task->hashes && level + 1 < levels) continue; /* it may go on */
        for (uint32_t row = 0; row < task->rows; row++) {
            const uint64_t a = client_prefix_value(task, level, (const uint8_t *)text[w], strlen(text[w]));
            const uint64_t b = client_prefix_value(task, level, (const uint8_t *)text[v], strlen(text[v]));
            shared += client_place(task->seed, row, a, task->width) ==
                      client_place(task->seed, row, b, task->width);
        }
        sum += chance * (shared / task->rows - 1 / m) / (1 - 1 / m);
    }
    return sum;
}

static void check_means(const dusk_survey *survey, double (*right)(const dusk_client_task *, size_t, size_t))
{
    for (size_t v = 0; v < TEXTS; v++) {
        local_law law;
        double mean[TEXTS] = { 0 }, count[TEXTS];
        law_of(&law, device, &survey->task, v);
        for (size_t i = 0; i < law.count; i++) {
            dusk_tally *tally = NULL;
            assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
            dusk_tally_add(tally, law.report[i], 1);
            assert_int_equal(dusk_tally_reports(tally), 1);
            assert_int_equal(dusk_tally_texts(tally, count, NULL, text, TEXTS, NULL), DUSK_OK);
            for (size_t w = 0; w < TEXTS; w++) mean[w] += mpq_get_d(law.weight[i]) * count[w];
            dusk_tally_free(tally);
        }
        for (size_t w = 0; w < TEXTS; w++)
            if (!(fabs(mean[w] - right(&survey->task, w, v)) < 1e-9))
                fail_msg("%s: \"%s\" has %g on average, and %g is right",
                         dusk_randomiser_name(survey->task.mechanism), text[w], mean[w],
                         right(&survey->task, w, v));
        law_clear(&law);
    }
}

static void prefixes(void **state)
{
    static const dusk_randomiser mechanism[] = { DUSK_PEM, DUSK_TREEHIST };
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint32_t step = 1; step <= 3; step++)
            for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
                const dusk_survey survey = text_survey(mechanism[m], epsilon, 3, step, 2, 4);
                check_epsilon(&survey, epsilon);
                check_means(&survey, right_prefix);
            }
}

/* The same for whole texts of sfp, which every device reports. */
static double right_whole(const dusk_client_task *task, size_t w, size_t v)
{
    const uint32_t last = client_text_levels(task) - 1;
    const double m = task->width;
    double shared = 0;
    for (uint32_t row = 0; row < task->rows; row++) {
        const uint64_t a = client_prefix_value(task, last, (const uint8_t *)text[w], strlen(text[w]));
        const uint64_t b = client_prefix_value(task, last, (const uint8_t *)text[v], strlen(text[v]));
        shared +=
            client_place(task->seed, row, a, task->width) == client_place(task->seed, row, b, task->width);
    }
    return (shared / task->rows - 1 / m) / (1 - 1 / m);
}

/* Two reports in one: epsilon is that of both. */
static void fragments(void **state)
{
    (void)state;
    for (uint32_t step = 1; step <= 3; step++)
        for (double epsilon = 0.5; epsilon < 5; epsilon *= 3) {
            const dusk_survey survey = text_survey(DUSK_SFP, epsilon, 3, step, 2, 4);
            check_epsilon(&survey, epsilon);
            check_means(&survey, right_whole);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes),
        cmocka_unit_test(fragments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
