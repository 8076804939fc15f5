/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of the loop that trains networks, as it is shipped, on tables that are as bad as they can be: one layer that is 0 at first, and rates so
 * small that it stays there, so that a row adds a gradient as long as the clip, always the same way, at every step that it is in. What is looked
 * at are the trained parameters along that way. None is accused, and those where the sum of all steps tells as much as the steps show
 * nearly what is stated. With DUSK_SUBJECT and DUSK_EPSILON one is audited alone; tests/audit_mutants.txt names the planted bugs with which
 * it is accused (net.NAME). */
#include <malloc.h>
#include <math.h>
#include <unistd.h>

#include "dusk/audit_scores.h"
#include "training_audit.h"

/* A number: x and 1, times what is missing to the label. Two classes: half of that up for the one, and half down for the other. */
#define NUMBERS "net_numbers", "x numeric -1:1\ny numeric -1:1", "y"
#define CLASSES "net", "x numeric -1:1\ny category no,yes", "y"
#define THREE "net", "x numeric -1:1\ny numeric -1:1\nz numeric -1:1\nc category 0,1,2", "c"
#define UNITS "net_numbers", "x numeric -1:1\ny numeric -1:1\nrows_per_unit 3", "y"
#define BOTH "parameters"
#define STEPS(...)                                                                                           \
    {                                                                                                        \
        "net=output", "clip=0.1", "learning_rate=1e-6", "momentum=0", __VA_ARGS__, NULL                      \
    }

static char path[] = "/tmp/dusk_nets_XXXXXX", start[40];

static const world nobody = { .rows = 0 };
static const world one = { 1, { { 1, 1 } } };
static const world opposite = { 1, { { 1, -1 } } };
static const world three = { 3, { { 1, 1 }, { 1, 1 }, { 1, 1 } } };
static const world all_ones = { 1, { { 1, 1, 1, 0 } } };
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
SUBJECT(drawn, NUMBERS, STEPS("rate=1", "steps=20", "sampler=drawn"), DUSK_REPLACE_ONE, 0.05, 2, BOTH,
        { &opposite, &one })
/* Rows in one step of an epoch: what is known of them is far above what the sum of so few steps shows, which is nothing; rows in several steps of it would be seen. */
SUBJECT(turns, NUMBERS, STEPS("rate=0.01", "steps=400", "sampler=allocated"), DUSK_ADD_REMOVE, 0.05, 2, BOTH,
        { &nobody, &one })
SUBJECT(shuffled, NUMBERS, STEPS("rate=0.5", "steps=2", "sampler=shuffled"), DUSK_REPLACE_ONE, 0.5, 2, BOTH,
        { &opposite, &one })
SUBJECT(epochs, NUMBERS, STEPS("rate=1", "steps=4", "sampler=shuffled"), DUSK_REPLACE_ONE, 0.05, 1, BOTH,
        { &opposite, &one })

/* Noise that is found on the way. */
SUBJECT(allocated, NUMBERS, STEPS("rate=1", "steps=2", "allocation=adaptive"), DUSK_ADD_REMOVE, 0.05, 1, BOTH,
        { &nobody, &one })
SUBJECT(allocated_sampled, NUMBERS, STEPS("rate=0.5", "steps=3", "allocation=adaptive"), DUSK_ADD_REMOVE,
        0.05, 2, BOTH, { &nobody, &one })

/* Steps that are looked at, by as much noise; how far they go says something, too. */
SUBJECT(descended, NUMBERS, STEPS("rate=1", "steps=2", "allocation=descent"), DUSK_ADD_REMOVE, 0.05, 1, BOTH,
        { &nobody, &one })

/* Noise that later steps take back. Of bands the sum of all steps, where a row is as often as there are epochs, shows most of what is stated. Of a tree it shows less: the row is in other nodes, too. */
SUBJECT(bands, NUMBERS, STEPS("rate=0.5", "steps=32", "sampler=shuffled", "correlation=bands", "bands=32"),
        DUSK_REPLACE_ONE, 0.05, 2, BOTH, { &opposite, &one })
SUBJECT(tree, NUMBERS, STEPS("rate=0.5", "steps=8", "sampler=shuffled", "correlation=tree"), DUSK_REPLACE_ONE,
        0.05, 2, BOTH, { &opposite, &one })
/* Three classes by three numbers: low-rank updates of a public model, and carriers of gradients. */
SUBJECT(tuned, THREE,
        { "net=output", "clip=0.1", "learning_rate=1e-6", "momentum=0", "rate=1", "steps=2", "tune=lora",
          "rank=1", start, "start_is=public", NULL },
        DUSK_ADD_REMOVE, 0.05, 1, BOTH, { &nobody, &all_ones })
SUBJECT(carried, THREE, STEPS("rate=1", "steps=1", "carriers=1"), DUSK_ADD_REMOVE, 0.05, 1, BOTH,
        { &nobody, &all_ones })

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

/* Of three rows of three weights and a constant: weights along the way of the row, and whether the first two rows of them are of one direction. So they are where only one side of carriers
 * has noise, and with updates of rank one, as long as what is public stays. */
static void draw_directions(double *out, const double *number)
{
    const double across = number[0] * number[5] - number[1] * number[4];
    const double along = fabs(number[0] * number[5]) + fabs(number[1] * number[4]);
    for (size_t c = 0; c < 3; c++) out[0] += number[c] - 0.5 * (number[4 + c] + number[8 + c]);
    out[1] = along > 0 ? fabs(across) / along : 0;
}

static void draw_tuned(double *out, int w)
{
    double number[12];
    draw_numbers(number, w, 12);
    out[0] = 0;
    draw_directions(out, number);
}

static void draw_carried(double *out, int w)
{
    double number[12];
    draw_numbers(number, w, 12);
    out[0] = number[3] - 0.5 * (number[7] + number[11]);
    draw_directions(out, number);
}

static const subject subjects[] = {
    { "all", "a row that is clipped", 1, 1, 3000, begin_all, draw_sum, NULL },
    { "classes", "a row of two classes", 1, 1, 3000, begin_classes, draw_between, NULL },
    { "among", "a row like three others", 1, 1, 3000, begin_among, draw_sum, NULL },
    { "exchanged", "a row is exchanged for its opposite", 1, 1, 3000, begin_exchanged, draw_sum, NULL },
    { "unit", "a unit of three rows", 1, 1, 3000, begin_unit, draw_sum, NULL },
    { "sampled", "a row that may be in", 1, 1, 3000, begin_sampled, draw_sum, NULL },
    { "sampled.exchanged", "a row that may be in is exchanged", 1, 1, 3000, begin_sampled_exchanged, draw_sum,
      NULL },
    { "fixed", "one of two is exchanged", 1, 1, 3000, begin_fixed, draw_sum, NULL },
    { "drawn", "one of two is exchanged, and drawn again", 1, 1, 3000, begin_drawn, draw_sum, NULL },
    { "turns", "a row in one step of an epoch", 1, 1, 3000, begin_turns, draw_sum, NULL },
    { "shuffled", "one of two is exchanged", 1, 1, 3000, begin_shuffled, draw_sum, NULL },
    { "epochs", "a row is exchanged, of several epochs", 1, 1, 3000, begin_epochs, draw_sum, NULL },
    { "allocated", "a row, noise being found on the way", 1, 1, 3000, begin_allocated, draw_sum, NULL },
    { "allocated.sampled", "a row that may be in, noise being found on the way", 1, 1, 3000,
      begin_allocated_sampled, draw_sum, NULL },
    { "descended", "a row, steps being looked at", 1, 1, 3000, begin_descended, draw_sum, NULL },
    { "bands", "one of two is exchanged, in bands of steps", 1, 1, 3000, begin_bands, draw_sum, NULL },
    { "tree", "one of two is exchanged, in trees of steps", 1, 1, 3000, begin_tree, draw_sum, NULL },
    { "tuned", "a row that tunes a public model", 1, 2, 3000, begin_tuned, draw_tuned, NULL },
    { "carried", "a row by carriers of its gradient", 1, 2, 3000, begin_carried, draw_carried, NULL },
};

static void no_loop_is_accused(void **state)
{
    (void)state;
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
    end_training();
}

/* --- how much of the claim is shown ------------------------------------------------------------------------- */

enum { RUNS = 40000, FEWER = 20000 }; /* in each world */

typedef struct worst {
    const char *subject;
    double least; /* parameters along the way of the row that speak for it: chosen beforehand */
    double share; /* of what is stated */
    size_t runs;
} worst;

/* All that is stated but for what so few runs cannot tell: 0.83 to 0.93 of it over a dozen seeds. Of rows that are drawn again and again the sum of all
 * steps leaves out how often they came in each, and 0.76 to 0.85 is shown. Of the last four, whose sums leave out more, thirteen seeds showed 0.69, 0.48, 0.57 and 0.70 on average, with deviations
 * of 0.025 at most: what is asked for is five of them below, which chance passes less than once in 10^6. */
static const worst worst_ones[] = {
    { "all", 1.055e-6, 0.8, RUNS },     { "sampled", 2.84e-6, 0.8, RUNS }, { "drawn", 4.85e-6, 0.7, RUNS },
    { "bands", 4.2e-6, 0.55, FEWER },   { "tree", 1.57e-6, 0.35, FEWER },  { "tuned", 2.5e-7, 0.45, FEWER },
    { "carried", 2.66e-7, 0.6, FEWER },
};

static const subject *subject_named(const char *name)
{
    size_t i = 0;
    while (strcmp(subjects[i].name, name)) i++;
    return &subjects[i];
}

static void honest_loops_show_what_they_state(void **state)
{
    (void)state;
    static double score[2 * RUNS];
    static bool member[2 * RUNS];
    if (getenv("DUSK_SUBJECT")) return;
    for (size_t k = 0; k < sizeof worst_ones / sizeof *worst_ones; k++) {
        const subject *s = subject_named(worst_ones[k].subject);
        dusk_scores *scores;
        dusk_score_options o;
        dusk_score_report report;
        coins = seeded((getenv("DUSK_SEED") ? strtoull(getenv("DUSK_SEED"), NULL, 10) : 17) + k);
        claim said = s->begin(s->epsilon);
        const size_t n = 2 * worst_ones[k].runs;
        for (size_t i = 0; i < n; i++) {
            double out[OUTPUTS_MAX];
            member[i] = i % 2;
            s->draw(out, (int)(i % 2));
            score[i] = out[0];
        }
        dusk_generator_free(coins);
        dusk_score_options_init(&o);
        o.delta = said.delta;
        o.epsilon = dusk_training_statement(training)->epsilon;
        o.many_runs = true;
        o.rule = DUSK_CHOICE_FIXED;
        o.threshold = worst_ones[k].least;
        must(dusk_scores_new(&scores, score, member, n, NULL));
        must(dusk_scores_audit(&report, scores, &o, NULL));
        dusk_scores_free(scores);
        printf("%-18s stated %.4f, shown %.4f\n", s->name, o.epsilon, report.epsilon);
        assert_true(report.epsilon >= worst_ones[k].share * o.epsilon);
        assert_true(report.verdict != DUSK_VIOLATION);
    }
    end_training();
}

/* A public model that is 0, of nobody's rows. */
static int open_start(void **state)
{
    static const asked a = { THREE,
                             { "net=output", "rate=1", "steps=1", "learning_rate=1e-9", NULL },
                             DUSK_ADD_REMOVE,
                             0.05,
                             1,
                             BOTH,
                             { &nobody, &nobody },
                             NULL };
    dusk_model *model;
    (void)state;
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || remove(path) != 0) return 1;
    snprintf(start, sizeof start, "start=%s", path);
    coins = seeded(1);
    (void)begin(&a, 1);
    must(dusk_training_run(training, &model, table[0], coins, NULL));
    must(dusk_model_write(model, path, NULL));
    dusk_model_free(model);
    dusk_generator_free(coins);
    return 0;
}

static int remove_start(void **state)
{
    (void)state;
    return remove(path);
}

/* --- as a program ------------------------------------------------------------------------------------------------- */

/* For `dusk audit exec` (tests/audit/nets.sh): SUBJECT EPSILON WORLD, and as many trainings as DUSK_DRAWS says, what is looked at of each on a line. */
static int print_trainings(const subject *s, double epsilon, int w)
{
    const char *draws = getenv("DUSK_DRAWS");
    double x[OUTPUTS_MAX];
    must(dusk_generator_new(&coins, NULL));
    (void)s->begin(epsilon);
    for (unsigned long i = draws ? strtoul(draws, NULL, 10) : 1; i > 0; i--) {
        s->draw(x, w);
        for (size_t k = 0; k < s->outputs; k++) printf("%.17g%c", x[k], k + 1 < s->outputs ? ' ' : '\n');
    }
    end_training();
    dusk_generator_free(coins);
    return 0;
}

int main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 18); /* large rooms that stay empty are then not zeroed for every run */
    if (argc == 4) return print_trainings(subject_named(argv[1]), strtod(argv[2], NULL), *argv[3] == '1');
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_loop_is_accused),
                                        cmocka_unit_test(honest_loops_show_what_they_state) };
    return cmocka_run_group_tests(tests, open_start, remove_start);
}
