/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of the loop that trains networks, as it is shipped, on tables that are as bad as they can be: one layer that is 0 at first, and rates so
 * small that it stays there, so that a row adds a gradient as long as the clip, always the same way, at every step that it is in. What is looked
 * at are the trained parameters along that way. None is accused, and those where the sum of all steps tells as much as the steps show
 * nearly what is stated. With DUSK_SUBJECT and DUSK_EPSILON one is audited alone; tests/audit_mutants.txt names the planted bugs with which
 * it is accused (net.NAME). */
#include "training_audit.h"

/* A number: x and 1, times what is missing to the label. Two classes: half of that up for the one, and half down for the other. */
#define NUMBERS "net_numbers", "x numeric -1:1\ny numeric -1:1", "y"
#define CLASSES "net", "x numeric -1:1\ny category no,yes", "y"
#define UNITS "net_numbers", "x numeric -1:1\ny numeric -1:1\nrows_per_unit 3", "y"
#define BOTH "parameters"
#define STEPS(...)                                                                                           \
    {                                                                                                        \
        "net=output", "clip=0.1", "learning_rate=1e-6", "momentum=0", __VA_ARGS__, NULL                      \
    }

static const world nobody = { .rows = 0 };
static const world one = { 1, { { 1, 1 } } };
static const world opposite = { 1, { { 1, -1 } } };
static const world three = { 3, { { 1, 1 }, { 1, 1 }, { 1, 1 } } };
static const world four = { 4, { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } } };

SUBJECT(all, NUMBERS, STEPS("rate=1", "steps=4"), DUSK_ADD_REMOVE, 0.05, 1, BOTH, { &nobody, &one })
SUBJECT(classes, CLASSES, STEPS("rate=1", "steps=2", "clipping=automatic"), DUSK_ADD_REMOVE, 0.05, 1, BOTH,
        { &nobody, &one })
SUBJECT(among, NUMBERS, STEPS("rate=1", "steps=2"), DUSK_ADD_REMOVE, 0.05, 4, BOTH, { &three, &four })
SUBJECT(exchanged, NUMBERS, STEPS("rate=1", "steps=4"), DUSK_REPLACE_ONE, 0.05, 1, BOTH, { &opposite, &one })
SUBJECT(unit, UNITS, STEPS("rate=1", "steps=2"), DUSK_ADD_REMOVE, 0.05, 3, BOTH, { &nobody, &three })
SUBJECT(sampled, NUMBERS, STEPS("rate=0.5", "steps=20"), DUSK_ADD_REMOVE, 0.05, 2, BOTH, { &nobody, &one })
SUBJECT(sampled_exchanged, NUMBERS, STEPS("rate=0.5", "steps=20"), DUSK_REPLACE_ONE, 0.05, 2, BOTH,
        { &opposite, &one })
SUBJECT(fixed, NUMBERS, STEPS("rate=0.5", "steps=20", "sampler=fixed"), DUSK_REPLACE_ONE, 0.05, 2, BOTH,
        { &opposite, &one })
SUBJECT(shuffled, NUMBERS, STEPS("rate=0.5", "steps=2", "sampler=shuffled"), DUSK_REPLACE_ONE, 0.05, 2, BOTH,
        { &opposite, &one })
SUBJECT(epochs, NUMBERS, STEPS("rate=1", "steps=4", "sampler=shuffled"), DUSK_REPLACE_ONE, 0.05, 1, BOTH,
        { &opposite, &one })

static void draw_sum(double *out, int w)
{
    double number[2];
    draw_numbers(number, w, 2);
    *out = number[0] + number[1];
}

static void draw_between(double *out, int w)
{
    double number[4];
    draw_numbers(number, w, 4);
    *out = number[2] + number[3] - number[0] - number[1];
}

static const subject subjects[] = {
    { "all", "a row that is clipped", 1, 1, 20000, begin_all, draw_sum, NULL },
    { "classes", "a row of two classes", 1, 1, 20000, begin_classes, draw_between, NULL },
    { "among", "a row like three others", 1, 1, 20000, begin_among, draw_sum, NULL },
    { "exchanged", "a row is exchanged for its opposite", 1, 1, 20000, begin_exchanged, draw_sum, NULL },
    { "unit", "a unit of three rows", 1, 1, 20000, begin_unit, draw_sum, NULL },
    { "sampled", "a row that may be in", 1, 1, 20000, begin_sampled, draw_sum, NULL },
    { "sampled.exchanged", "a row that may be in is exchanged", 1, 1, 20000, begin_sampled_exchanged,
      draw_sum, NULL },
    { "fixed", "one of two is exchanged", 1, 1, 20000, begin_fixed, draw_sum, NULL },
    { "shuffled", "one of two is exchanged", 1, 1, 20000, begin_shuffled, draw_sum, NULL },
    { "epochs", "a row is exchanged, of several epochs", 1, 1, 20000, begin_epochs, draw_sum, NULL },
};

static void no_loop_is_accused(void **state)
{
    (void)state;
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
    close_sides();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_loop_is_accused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
