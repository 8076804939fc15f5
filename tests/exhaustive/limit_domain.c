/* SPDX-License-Identifier: Apache-2.0 */
/* The limited domain on all small tables: four keys with counts 0 to 3, every
 * unit that may come on top, every tie. The list is filled by the shipped code on
 * every coin tape; the law of Gumbel choices from it is P ~ exp(rate score), one
 * after the other. Between all neighbours, in both orders, the hockey-stick
 * divergence recomputed from these laws is not above what the event says. */
#include <math.h>
#include <string.h>

#include "mechanisms/limit_domain.h"
#include "random/tape.h"
#include "support.h"

enum { KEYS = 4, LEVELS = 4, TABLES = 256, OUTCOMES = 25, PLACES = 5 };

/* The law of what is seen: up to two keys as digits 1..4 in base 5, 0: nothing. */
typedef struct outcome_law {
    double mass[OUTCOMES];
} outcome_law;

typedef struct subject {
    const dusk_limit_domain *domain;
    uint64_t counts[KEYS];
    outcome_law law;
    double decided;
} subject;

/* Choose place after place, removing what was chosen, until the threshold. */
static void choose(subject *s, const dusk_limit_places *places, double *weight, size_t left, int seen,
                   double p)
{
    size_t n = s->domain->limit + 1;
    double total = 0;
    for (size_t i = 0; i < n; i++) total += weight[i];
    for (size_t i = 0; i < n; i++) {
        double w = weight[i], q = p * w / total;
        bool end = i == n - 1;
        int now = end || places->key[i] == DUSK_NO_KEY ? seen : 5 * seen + (int)places->key[i] + 1;
        if (w == 0) continue;
        weight[i] = 0;
        if (end || left == 1)
            s->law.mass[now] += q;
        else
            choose(s, places, weight, left - 1, now, q);
        weight[i] = w;
    }
}

static bool fill(dusk_generator *gen, void *context)
{
    subject *s = context;
    size_t key[PLACES];
    double scores[PLACES], weight[PLACES];
    dusk_limit_places places = { key, scores };
    if (dusk_limit_domain_fill(s->domain, &places, s->counts, KEYS, 2, gen, NULL) != DUSK_OK) return false;
    for (size_t i = 0; i <= s->domain->limit; i++)
        weight[i] = exp(s->domain->epsilon / s->domain->count_per_key * scores[i]);
    choose(s, &places, weight, s->domain->k, 0, dusk_tape_weight(gen));
    s->decided += dusk_tape_weight(gen);
    return true;
}

/* Tapes that are too short are those that drew again: what they would give has
 * the law of the others, so that the law is that of the others. */
static void find_law(outcome_law *out, const dusk_limit_domain *domain, int table)
{
    subject s = { .domain = domain };
    for (int i = 0; i < KEYS; i++, table /= LEVELS) s.counts[i] = (uint64_t)(table % LEVELS);
    double undecided = dusk_tape_walk(12, fill, &s), total = 0;
    assert_true(undecided < 0.01);
    *out = s.law;
    for (int i = 0; i < OUTCOMES; i++) total += out->mass[i] /= s.decided;
    assert_true(fabs(total - 1) < 1e-12);
}

static double divergence(const outcome_law *p, const outcome_law *q, double epsilon)
{
    double sum = 0;
    for (int i = 0; i < OUTCOMES; i++) sum += fmax(p->mass[i] - exp(epsilon) * q->mass[i], 0);
    return sum;
}

/* Every unit: any set of at most L keys, each up by at most `step`. -1 if it does
 * not fit the tables. */
static int add_unit(int table, int unit, uint32_t keys, int step)
{
    int out = 0, place = 1;
    uint32_t touched = 0;
    for (int i = 0; i < KEYS; i++, table /= LEVELS, unit /= LEVELS, place *= LEVELS) {
        int more = unit % LEVELS;
        if (more > step || table % LEVELS + more >= LEVELS) return -1;
        touched += more > 0;
        out += place * (table % LEVELS + more);
    }
    return keys == 0 || touched <= keys ? out : -1;
}

/* How far above the price the worst pair of neighbours is; below 0 when all is well. */
static double worst(const dusk_limit_domain *domain, const outcome_law *laws, double epsilon, double delta,
                    size_t *pairs)
{
    double most = -1;
    for (int table = 0; table < TABLES; table++)
        for (int unit = 1; unit < TABLES; unit++) {
            int more = add_unit(table, unit, domain->keys_per_unit, (int)domain->count_per_key);
            if (more < 0) continue;
            most = fmax(most, divergence(&laws[table], &laws[more], epsilon) - delta);
            most = fmax(most, divergence(&laws[more], &laws[table], epsilon) - delta);
            ++*pairs;
        }
    return most;
}

static double price(const dusk_limit_domain *domain, double epsilon)
{
    dusk_event event;
    dusk_composition *composition;
    dusk_account account;
    assert_int_equal(dusk_limit_domain_event(domain, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_new(&composition, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(composition, &event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_delta(&account, composition, epsilon, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(composition);
    return account.bound.upper;
}

static void check(size_t k, size_t limit, uint32_t keys, uint32_t step, double epsilon, double delta)
{
    static outcome_law laws[TABLES];
    dusk_limit_domain domain;
    size_t pairs = 0;
    assert_int_equal(dusk_limit_domain_init(&domain, k, limit, keys, step, epsilon, delta, NULL), DUSK_OK);
    for (int table = 0; table < TABLES; table++) find_law(&laws[table], &domain, table);
    for (int i = 1; i <= 3; i += 2) {
        double at = (double)k * epsilon * i / 3, paid = price(&domain, at);
        double above = worst(&domain, laws, at, paid, &pairs);
        if (above > 1e-12)
            fail_msg("k %zu limit %zu keys %u step %u: %g above %g at epsilon %g", k, limit, keys, step,
                     above, paid, at);
    }
    assert_true(pairs > 1000);
    assert_true(price(&domain, (double)k * epsilon) <= delta * (1 + 1e-9));
}

static void units_with_one_key(void **state)
{
    (void)state;
    check(1, 1, 1, 1, 1, 0.05);
    check(1, 2, 1, 1, 0.5, 0.1);
    check(2, 3, 1, 1, 1, 0.02);
}

static void units_with_several_keys(void **state)
{
    (void)state;
    check(1, 1, 2, 1, 1, 0.05);
    check(2, 2, 2, 1, 0.7, 0.1);
    check(2, 3, 0, 1, 1, 0.05);
    check(2, 4, 3, 1, 2, 1e-3);
}

static void units_that_raise_a_count_by_more(void **state)
{
    (void)state;
    check(1, 1, 1, 2, 1, 0.05);
    check(2, 2, 0, 2, 1.5, 0.05);
}

/* A threshold that is exhausted: delta is really spent, not only allowed. */
static void delta_is_nearly_spent(void **state)
{
    (void)state;
    static outcome_law laws[TABLES];
    dusk_limit_domain domain;
    size_t pairs = 0;
    assert_int_equal(dusk_limit_domain_init(&domain, 1, 2, 2, 1, 1, 0.05, NULL), DUSK_OK);
    for (int table = 0; table < TABLES; table++) find_law(&laws[table], &domain, table);
    assert_true(worst(&domain, laws, 1, 0, &pairs) > 0.9 * 0.05);
}

/* --- the whole release on every tape ------------------------------------------------ */

typedef struct whole {
    const dusk_limit_domain *domain;
    const uint64_t *counts;
    size_t n;
    double mass[4]; /* none, key 0, key 1, ... */
} whole;

static bool release(dusk_generator *gen, void *context)
{
    whole *w = context;
    size_t index = 0, shown = 77;
    if (dusk_limit_domain_release_width(w->domain, &index, &shown, w->counts, w->n, 5, gen, NULL) != DUSK_OK)
        return false;
    assert_true(shown <= 1 && index < w->n);
    w->mass[shown ? index + 1 : 0] += dusk_tape_weight(gen);
    return true;
}

/* One place: the larger count against the threshold, or one of two equal ones. */
static void the_release_has_the_law(void **state)
{
    (void)state;
    const uint64_t tables[][2] = { { 5, 2 }, { 3, 3 }, { 0, 1 }, { 0, 0 } };
    dusk_limit_domain domain;
    assert_int_equal(dusk_limit_domain_init(&domain, 1, 1, 1, 1, 1, 0.2, NULL), DUSK_OK);
    for (size_t t = 0; t < 4; t++) {
        const uint64_t *c = tables[t];
        whole w = { .domain = &domain, .counts = c, .n = 2 };
        double undecided = 1, gap = fabs((double)c[0] - (double)c[1]);
        for (unsigned depth = 15; undecided > 0.08; depth += 5) {
            memset(w.mass, 0, sizeof w.mass);
            undecided = dusk_tape_walk(depth, release, &w);
        }
        double p = 1 / (1 + exp(domain.threshold - gap)), law[3] = { 1 - p, 0, 0 };
        for (int i = 0; i < 2; i++) law[i + 1] = c[i] > c[1 - i] ? p : c[i] == c[1 - i] && c[i] ? p / 2 : 0;
        if (c[0] + c[1] == 0) law[0] = 1;
        for (int i = 0; i < 3; i++)
            assert_true(w.mass[i] <= law[i] + 1e-9 && law[i] <= w.mass[i] + undecided + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_with_one_key),
        cmocka_unit_test(units_with_several_keys),
        cmocka_unit_test(units_that_raise_a_count_by_more),
        cmocka_unit_test(delta_is_nearly_spent),
        cmocka_unit_test(the_release_has_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
