/* SPDX-License-Identifier: Apache-2.0 */
/* The replay library on a small room of its own: counts by group, where a unit may be in many
 * groups and stays in three of them, groups come from the data, and those that are kept are
 * counted with noise. As it should be, it passes; each way to get it wrong is noticed, and said. */
#include <stdlib.h>

#include "dusk/mechanisms.h"
#include "random/keyed.h"
#include "replay.h"

enum { UNITS = 60, GROUPS = 40, STAY = 3, ROUNDS = 20 };

typedef enum fault {
    RIGHT,
    UNBOUNDED,         /* a unit counts in all of its groups */
    WRONG_SENSITIVITY, /* the noise of the counts is for one group a unit */
    SCALE_FROM_DATA,   /* epsilon grows with the number of units */
    EXTRA_CALL,        /* one more answer when there are many units */
    BY_POSITION,       /* the coins of a unit are those of its place in the list */
    EXACT_ANSWER,      /* the first count leaves without noise */
    LAX_THRESHOLD,     /* keys are shown from one unit on */
    FAULTS
} fault;

static const char *const said[FAULTS] = {
    [UNBOUNDED] = "inputs move by",
    [WRONG_SENSITIVITY] = "more than",
    [SCALE_FROM_DATA] = "is public, but",
    [EXTRA_CALL] = "only one side has this call",
    [BY_POSITION] = "move by",
    [EXACT_ANSWER] = "answers differ",
    [LAX_THRESHOLD] = "shown with probability",
};

typedef struct people {
    uint64_t unit[UNITS];
    uint64_t groups[UNITS]; /* a bit each */
    size_t n;
} people;

typedef struct answers {
    bool kept[GROUPS];
    double count[GROUPS], total;
} answers;

static uint64_t seed = 77;

/* Every unit is in up to ten groups, the first ones are common. */
static people gather(void)
{
    people p = { .n = 20 + splitmix64(&seed) % (UNITS - 20) };
    for (size_t i = 0; i < p.n; i++) {
        p.unit[i] = splitmix64(&seed);
        p.groups[i] = 31;
        for (int j = 0; j < 5; j++) p.groups[i] |= UINT64_C(1) << splitmix64(&seed) % GROUPS;
    }
    return p;
}

static people without(const people *all, size_t gone)
{
    people p = *all;
    p.n--;
    for (size_t i = gone; i < p.n; i++) {
        p.unit[i] = all->unit[i + 1];
        p.groups[i] = all->groups[i + 1];
    }
    return p;
}

/* How many units stay in each group. */
static void count_groups(uint64_t *counts, const people *p, fault wrong, dusk_generator *gen)
{
    dusk_keyed_coins *coins;
    assert_int_equal(dusk_keyed_new(&coins, gen, NULL), DUSK_OK);
    for (size_t i = 0; i < p->n; i++) {
        uint64_t unit = wrong == BY_POSITION ? i : p->unit[i];
        size_t held[GROUPS], chosen[GROUPS], n = 0, stay;
        for (size_t g = 0; g < GROUPS; g++)
            if (p->groups[i] >> g & 1) held[n++] = g;
        assert_int_equal(
            dusk_keyed_choose(coins, 1, unit, n, wrong == UNBOUNDED ? GROUPS : STAY, chosen, &stay, NULL),
            DUSK_OK);
        for (size_t j = 0; j < stay; j++) counts[held[chosen[j]]]++;
    }
    dusk_keyed_free(coins);
}

static void run(answers *out, const people *p, fault wrong, dusk_generator *gen)
{
    uint64_t counts[GROUPS] = { 0 };
    dusk_key_selection keys;
    dusk_noise noise;
    double sensitivity = wrong == WRONG_SENSITIVITY ? 1 : STAY;
    double epsilon = wrong == SCALE_FROM_DATA ? 1 + (double)p->n / 1000 : 1;
    *out = (answers){ .total = 0 };
    count_groups(counts, p, wrong, gen);
    assert_int_equal(dusk_key_selection_init(&keys, DUSK_KEYS_LAPLACE, STAY, 6, 1e-6, NULL), DUSK_OK);
    if (wrong == LAX_THRESHOLD) keys.threshold = 2;
    assert_int_equal(dusk_key_selection_release(&keys, out->kept, NULL, counts, GROUPS, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_discrete_laplace_init(&noise, 1, sensitivity, epsilon, 0, NULL), DUSK_OK);
    for (size_t g = 0; g < GROUPS; g++) {
        if (!out->kept[g]) continue;
        DUSK_RECORD(dusk_record_scope(gen, "group", g);)
        assert_int_equal(dusk_noise_release(&noise, &out->count[g], (double)counts[g], gen, NULL), DUSK_OK);
        if (wrong == EXACT_ANSWER) out->count[g] = (double)counts[g];
    }
    DUSK_RECORD(dusk_record_scope(gen, NULL, 0);)
    if (wrong == EXTRA_CALL && p->n % 2)
        assert_int_equal(dusk_noise_release(&noise, &out->total, (double)p->n, gen, NULL), DUSK_OK);
}

/* Whether the rounds pass, and if not what was said. */
static bool passes(fault wrong, char *why)
{
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static answers answer[2];
        people one = gather(), two = without(&one, splitmix64(&seed) % one.n);
        replay r = replay_open(round);
        run(&answer[0], &one, wrong, r.gen[0]);
        run(&answer[1], &two, wrong, r.gen[1]);
        bool fine = replay_compare(why, r.record[0], r.record[1],
                                   &(replay_declared){ .epsilon = 7, .delta = 1e-6, .coins_vary = true });
        replay_free(&r);
        if (fine && memcmp(&answer[0], &answer[1], sizeof answer[0]) != 0) {
            snprintf(why, REPLAY_WHY, "answers differ");
            fine = false;
        }
        if (!fine) return false;
    }
    return true;
}

static void a_right_room_passes(void **state)
{
    char why[REPLAY_WHY] = "";
    (void)state;
    if (!passes(RIGHT, why)) fail_msg("%s", why);
}

static void every_fault_is_noticed(void **state)
{
    (void)state;
    for (fault wrong = RIGHT + 1; wrong < FAULTS; wrong++) {
        char why[REPLAY_WHY] = "";
        if (passes(wrong, why)) fail_msg("fault %d was not noticed", (int)wrong);
        if (!strstr(why, said[wrong])) fail_msg("fault %d: %s", (int)wrong, why);
    }
}

/* --- calls by hand ------------------------------------------------------------------------- */

/* One call on each side with these inputs; whether they pass. */
static bool compare_two(const dusk_record_header *h, const double *a, size_t n, const double *b, size_t m,
                        const replay_declared *declared, char *why)
{
    replay r = replay_open(1);
    dusk_record_at at = dusk_record_begin(r.gen[0], h), bt = dusk_record_begin(r.gen[1], h);
    for (size_t i = 0; i < n; i++) dusk_record_real(at, i, a[i], NULL);
    for (size_t i = 0; i < m; i++) dusk_record_real(bt, i, b[i], NULL);
    bool fine = replay_compare(why, r.record[0], r.record[1], declared);
    replay_free(&r);
    return fine;
}

static void norms_are_what_they_say(void **state)
{
    const double a[] = { 1, 2, 3 }, b[] = { 1, 5, -1 }; /* 0, +3, -4 */
    const struct {
        dusk_record_norm norm;
        double most;
    } cases[] = { { DUSK_RECORD_L1, 7 },
                  { DUSK_RECORD_L2, 5 },
                  { DUSK_RECORD_LINF, 4 },
                  { DUSK_RECORD_RANGE, 7 },
                  { DUSK_RECORD_L0, 2 } };
    char why[REPLAY_WHY];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_record_header h = { .what = "hand", .norm = cases[i].norm, .sensitivity = cases[i].most };
        assert_true(compare_two(&h, a, 3, b, 3, &(replay_declared){ 0 }, why));
        h.sensitivity *= 1 - 1e-12;
        assert_false(compare_two(&h, a, 3, b, 3, &(replay_declared){ 0 }, why));
        assert_non_null(strstr(why, "hand #0: inputs move by"));
    }
}

static void prices_are_added_up(void **state)
{
    const double a[] = { 0, 0 }, b[] = { 3, 4 };
    char why[REPLAY_WHY];
    (void)state;
    dusk_record_header h = { .what = "hand", .law = DUSK_RECORD_LAPLACE, .sensitivity = 7, .scale = 10 };
    assert_true(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 0.7 }, why));
    assert_false(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 0.69 }, why));
    assert_non_null(strstr(why, "more than 0.69"));
    h.law = DUSK_RECORD_GAUSSIAN; /* mu = 0.5: delta 1e-5 at epsilon 2.0 or so */
    assert_true(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 2.1, .delta = 1e-5 }, why));
    assert_false(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 1.9, .delta = 1e-5 }, why));
    h.law = DUSK_RECORD_GUMBEL;
    h.choices = 2;
    assert_true(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 0.8 }, why));
    assert_false(compare_two(&h, a, 2, b, 2, &(replay_declared){ .epsilon = 0.79 }, why));
}

/* Keys on one side, against the exact tail of each law. */
static void selections_are_held_to_their_delta(void **state)
{
    const double a[] = { 10, 1 }, b[] = { 10 };
    const double q = exp(-1 / 2.0);
    const struct {
        dusk_record_law law;
        double chance; /* that 1 reaches 9, at scale 2 */
    } cases[] = {
        { DUSK_RECORD_LAPLACE, exp(-7.5 / 2) / 2 },
        { DUSK_RECORD_GAUSSIAN, erfc(7.5 / 2 / sqrt(2)) / 2 },
        { DUSK_RECORD_DISCRETE_LAPLACE, pow(q, 8) / (1 + q) },
        { DUSK_RECORD_GUMBEL, 1 / (1 + exp(8 / 2.0)) },
    };
    char why[REPLAY_WHY];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_record_header h = { .what = "hand", .law = cases[i].law, .scale = 2, .threshold = 9 };
        h.delta = 1;
        assert_false(compare_two(&h, a, 2, b, 1, &(replay_declared){ 0 }, why));
        assert_non_null(strstr(why, "this is no selection"));
        h.selects = true;
        h.delta = cases[i].chance * (1 + 1e-6);
        assert_true(compare_two(&h, a, 2, b, 1, &(replay_declared){ 0 }, why));
        h.delta = cases[i].chance * (1 - 1e-6);
        assert_false(compare_two(&h, a, 2, b, 1, &(replay_declared){ 0 }, why));
        assert_false(compare_two(&h, b, 1, a, 2, &(replay_declared){ 0 }, why));
    }
}

static void noise_is_used_once(void **state)
{
    replay r = replay_open(3);
    char why[REPLAY_WHY];
    (void)state;
    for (int side = 0; side < 2; side++) {
        dusk_record_at at = dusk_record_begin(r.gen[side], &(dusk_record_header){ .what = "hand" });
        dusk_record_real(at, 4, 1, NULL);
        dusk_record_real(at, 4, 2, NULL);
    }
    assert_false(replay_compare(why, r.record[0], r.record[1], &(replay_declared){ 0 }));
    assert_non_null(strstr(why, "key 4 is there 2 times"));
    replay_free(&r);
}

static void coins_are_counted(void **state)
{
    replay r = replay_open(3);
    char why[REPLAY_WHY];
    uint64_t word;
    (void)state;
    assert_int_equal(dusk_generator_words(r.gen[1], &word, 1, 64, NULL), DUSK_OK);
    assert_false(replay_compare(why, r.record[0], r.record[1], &(replay_declared){ 0 }));
    assert_non_null(strstr(why, "0 bytes of coins were taken on one side and 8 on the other"));
    replay_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_room_passes),
        cmocka_unit_test(every_fault_is_noticed),
        cmocka_unit_test(norms_are_what_they_say),
        cmocka_unit_test(prices_are_added_up),
        cmocka_unit_test(selections_are_held_to_their_delta),
        cmocka_unit_test(noise_is_used_once),
        cmocka_unit_test(coins_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
