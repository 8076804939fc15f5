/* SPDX-License-Identifier: Apache-2.0 */
/* The self-audit: no mechanism of Dusk is accused, and all but those that are named below pass an
 * audit of their claim. With DUSK_SUBJECT and DUSK_EPSILON one subject is audited alone; so
 * tests/audit_mutants.txt names for every planted bug that changes privacy the subject that is
 * accused with it. DUSK_SEED chooses other coins.
 *
 * A pass says that a fault of a quarter of the claim would have been seen where DUSK_DEEP is set, as in
 * make soak; else one of half the claim, which takes a quarter of the draws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/audit_suite.h"
#include "seeded.h"

#define CLAIM 0.7
#define DRAWS 200000    /* a side at most, where a draw costs little */
#define FEW 50000       /* draws that show most planted bugs */
#define MANY 400000     /* and those that have to be rare to be seen */
#define NOT_AUDITED 125 /* neither passed nor accused: tests/must_fail takes it for no catch */

static uint64_t seed(void)
{
    const char *text = getenv("DUSK_SEED");
    return text ? strtoull(text, NULL, 10) : 20261116;
}

static void audit_subject(dusk_suite_result *out, size_t index, double epsilon, uint64_t draws, double worth)
{
    dusk_generator *gen = seeded(seed());
    dusk_audit_options options;
    dusk_error err = { 0 };
    dusk_audit_options_init(&options);
    options.seed = seed();
    options.draws = draws;
    options.worth = worth;
    if (dusk_suite_audit(out, index, epsilon, &options, gen, &err) != DUSK_OK) {
        fprintf(stderr, "%s: %s\n", dusk_suite_at(index)->name, err.message);
        exit(NOT_AUDITED);
    }
    dusk_generator_free(gen);
    printf("%-34s claimed %g at %g, at least %.3f, surely %.3f, %s: %s\n", dusk_suite_at(index)->name,
           out->report.claimed, out->report.delta, out->report.epsilon, out->report.epsilon_sure,
           dusk_verdict_name(out->report.verdict), out->report.event);
}

/* Fewer draws where they cost much; and, where it is known that they do not suffice for a pass, or
 * that nothing is told, why. The others must pass. */
typedef struct plan {
    const char *name;
    uint64_t draws;
    const char *open; /* NULL: must pass */
} plan;

static const plan plans[] = {
    { "dusk.candidates", 15000, "ten noisy looks a draw, 9 us, and the claim is a bound that is far away" },
    { "dusk.candidates.padded", 15000, "ten noisy looks a draw and as many that are thrown away, 14 us" },
    { "dusk.laplace.vector", 300000, NULL },
    { "dusk.top-k", 400000, NULL },
    { "dusk.sparse-vector.hits", 60000, "the words that tell most are rare" },
    { "dusk.sparse-vector.numeric", 30000, "the value is a tenth of epsilon, and its set is rare" },
    { "dusk.threshold-monitor", 8000, "ten answers a draw, 45 us, and its set is rare" },
    { "dusk.count-stream", 60000, NULL },
    { "dusk.count-stream.second", 30000, NULL },
    { "dusk.count-stream.endless", 64000, NULL },
    { "dusk.sum-stream", 4000, "70 us a run, and all three sums are large in a tenth of them" },
    { "dusk.sum-stream.honaker", 4000, "70 us a run, and all three sums are large in a tenth of them" },
    { "dusk.sum-stream.square-root", 64, "a stream with a delta is calibrated for 5 ms" },
    { "dusk.sum-stream.banded", 15000, "32 steps a unit, 28 us, and its tail is what tells" },
    { "dusk.collect.sfp", 500000, NULL },
    { "dusk.count", 30000, NULL },
    { "dusk.count.units", 30000, NULL },
    { "dusk.sum", 30000, NULL },
    { "dusk.sum.replace-one", 30000, NULL },
    { "dusk.mean", 50000, NULL },
    { "dusk.variance", 20000, "15 us a release, and the set is rare" },
    { "dusk.histogram", 40000, NULL },
    { "dusk.histogram.replace-one", 50000, NULL },
    { "dusk.mode", 60000, NULL },
    { "dusk.mode.replace-one", 60000, NULL },
    { "dusk.bounds", 10000, "the sets of bins that differ are rare" },
    { "dusk.quantiles", 60000, NULL },
    { "dusk.median", 100000, NULL },
    { "dusk.smooth-sensitivity", 1000, "a draw of certified noise costs 80 us" },
    { "dusk.smooth-sensitivity.student", 1000, "a draw of certified noise costs 80 us" },
    { "dusk.smooth-sensitivity.gaussian", 300, "a draw of certified noise costs 200 us" },
    { "dusk.smooth-sensitivity.laplace", 8000, "certified noise, 17 us a draw, and its tail is what tells" },
    { "dusk.smooth-sensitivity.stretch", 4000, "refused: nothing is told" },
    { "dusk.smooth-sensitivity.gaussian.stretch", 4000, "refused: nothing is told" },
    { "dusk.smooth-median", 300, "every release computes a smooth sensitivity, 300 us" },
    { "dusk.smooth-quantile", 300, "every release computes a smooth sensitivity, 300 us" },
    { "dusk.propose-test-release", 100000, NULL },
    { "dusk.propose-test-release.median", 32, "every release prices its statement, 10 ms" },
    { "dusk.keys", 1500, "the optimal rule tosses certified coins, 95 us" },
    { "dusk.keys.alone", 1000, "what is told of a unit alone is its delta" },
    { "dusk.keys.laplace.alone", 50000, "what is told of a unit alone is its delta" },
    { "dusk.keys.laplace", 100000, NULL },
    { "dusk.keys.gaussian", 100000, NULL },
    { "dusk.hierarchy", 80000, NULL },
    { "dusk.hierarchy.event", 80000, NULL },
    { "dusk.hierarchy.siblings", 80000, NULL },
    { "dusk.hierarchy.replace-one", 80000, NULL },
    { "dusk.range-histogram", 80000, NULL },
    { "dusk.quadtree", 80000, NULL },
    { "dusk.quadtree.edge", 80000, NULL },
    { "dusk.mwem", 22000, NULL },
    { "dusk.mode.private-values", 10000, "what is told of a unit alone is its delta" },
    { "dusk.sample-and-aggregate", 40000, NULL },
    { "dusk.sample-and-aggregate.units", 40000, NULL },
    { "dusk.sample-and-aggregate.named", 40000, NULL },
    { "dusk.marginals", 45000, NULL },
    { "dusk.marginals.replace-one", 20000, "8 us a release, and all four counts move seldom" },
};

static const plan *plan_of(const char *name)
{
    static const plan usual = { "", DRAWS, NULL };
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        if (!strcmp(plans[i].name, name)) return &plans[i];
    return &usual;
}

static void every_plan_has_a_subject(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        size_t found = 0;
        for (size_t j = 0; j < dusk_suite_size(); j++)
            found += !strcmp(plans[i].name, dusk_suite_at(j)->name);
        assert_int_equal(found, 1);
    }
}

static void no_mechanism_is_accused(void **state)
{
    bool deep = getenv("DUSK_DEEP") != NULL;
    unsigned count = 0;
    (void)state;
    if (getenv("DUSK_SUBJECT")) skip();
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        const plan *planned = plan_of(dusk_suite_at(i)->name);
        dusk_suite_result result;
        if (dusk_suite_at(i)->part != DUSK_SUITE_DUSK) continue;
        audit_subject(&result, i, CLAIM, deep ? planned->draws : planned->draws / 4, deep ? 0.25 : 0.5);
        assert_int_equal(result.expected, DUSK_PASS);
        assert_int_not_equal(result.report.verdict, DUSK_VIOLATION);
        if (!planned->open) assert_int_equal(result.report.verdict, DUSK_PASS);
        count++;
    }
    assert_in_range(count, 80, 120);
}

/* A second look with more draws where the first shows nothing. */
static void one_subject_is_not_accused(void **state)
{
    const char *name = getenv("DUSK_SUBJECT"), *text = getenv("DUSK_EPSILON");
    double epsilon = text ? strtod(text, NULL) : CLAIM;
    dusk_suite_result result;
    (void)state;
    if (!name) skip();
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        if (strcmp(name, dusk_suite_at(i)->name)) continue;
        audit_subject(&result, i, epsilon, FEW, 0.25);
        assert_int_not_equal(result.report.verdict, DUSK_VIOLATION);
        audit_subject(&result, i, epsilon, MANY, 0.25);
        assert_int_not_equal(result.report.verdict, DUSK_VIOLATION);
        return;
    }
    fprintf(stderr, "there is no subject %s\n", name);
    exit(NOT_AUDITED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_has_a_subject),
        cmocka_unit_test(no_mechanism_is_accused),
        cmocka_unit_test(one_subject_is_not_accused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
