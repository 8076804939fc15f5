/* SPDX-License-Identifier: Apache-2.0 */
/* Threshold monitor: one answer on every coin tape, and the law of whole transcripts of the
 * shipped code on neighbouring data. An answer is a fresh comparison, so the probability
 * of a transcript is a product; the counts in it are read from the shipped code, whose
 * answers are forced by coin tapes that give the noise wanted. The hockey-stick divergence at epsilon is then summed over all
 * transcripts, for an analyst who asks about one record again and again, or changes
 * the question after an answer. */
#include <math.h>
#include <string.h>

#include "mechanisms/threshold_monitor.h"
#include "random/noise_additive.h"
#include "random/tape.h"
#include "support.h"

/* A record is a set of properties; a query is one of them. */
typedef unsigned record;
static bool has(const void *r, void *query) { return (*(const record *)r & *(const unsigned *)query) != 0; }

static dusk_threshold_monitor_options options_of(uint32_t k, double epsilon, double delta)
{
    dusk_threshold_monitor_options options;
    dusk_threshold_monitor_options_init(&options);
    options.threshold = 2;
    options.contributions = k;
    options.neighbours = DUSK_ADD_REMOVE;
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

static double at_least(double scale, int64_t j)
{
    double q = exp(-1 / scale);
    return j >= 1 ? pow(q, (double)j) / (1 + q) : 1 - pow(q, (double)(1 - j)) / (1 + q);
}

/* --- one answer on every tape ---------------------------------------------------- */

typedef struct tape_law {
    dusk_threshold_monitor_options options;
    dusk_monitor_plan plan;
    record records[4];
    double above, below;
} tape_law;

static bool run(dusk_generator *gen, void *context)
{
    tape_law *l = context;
    dusk_threshold_monitor *m;
    unsigned query = 1;
    bool above = false;
    assert_int_equal(
        dusk_threshold_monitor_start(&m, &l->options, &l->plan, l->records, 4, sizeof(record), 2, NULL),
        DUSK_OK);
    dusk_status status = dusk_threshold_monitor_release(m, &above, has, &query, gen, NULL);
    dusk_threshold_monitor_free(m);
    if (status != DUSK_OK) return false;
    *(above ? &l->above : &l->below) += dusk_tape_weight(gen);
    return true;
}

static void an_answer_on_every_tape(void **state)
{
    (void)state;
    for (int64_t least = 0; least <= 5; least++) {
        tape_law l = { .options = options_of(1, 1, 0.1), .records = { 1, 3, 1, 2 } };
        l.plan.scale = 1;
        l.plan.least = least;
        double undecided = dusk_tape_walk(18, run, &l), p = at_least(1, least - 3);
        assert_true(undecided < 0.05);
        assert_true(l.above <= p + 1e-9 && p <= l.above + undecided + 1e-9);
        assert_true(l.below <= 1 - p + 1e-9 && 1 - p <= l.below + undecided + 1e-9);
    }
}

/* --- whole transcripts -------------------------------------------------------------- */

enum { QUERIES = 10, REACH = 6, FAR = REACH, WORDS = 8 };

/* Coin tapes whose first draw of noise is the number wanted. */
static uint64_t tape_for[2 * REACH + 1][WORDS];

/* Random enough to find every number. */
static void fill(uint64_t *bits, uint64_t *seed)
{
    for (int i = 0; i < WORDS; i++) {
        *seed += 0x9e3779b97f4a7c15;
        uint64_t z = (*seed ^ *seed >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        bits[i] = z ^ z >> 31;
    }
}

static void find_tapes(double scale)
{
    dusk_additive sampler;
    dusk_generator *gen;
    uint64_t bits[WORDS], seed = 1;
    bool found[2 * REACH + 1] = { false };
    dusk_additive_init(&sampler, DUSK_ADDITIVE_DISCRETE_LAPLACE, scale, 64);
    assert_int_equal(dusk_generator_new_tape(&gen, bits, 64 * WORDS, NULL), DUSK_OK);
    for (int missing = 2 * REACH + 1; missing > 0;) {
        dusk_int128 k;
        fill(bits, &seed);
        dusk_generator_rewind(gen, bits, 64 * WORDS);
        assert_int_equal(dusk_additive_draw(&sampler, &k, gen, NULL), DUSK_OK);
        if (k < -REACH || k > REACH || found[k + REACH]) continue;
        found[k + REACH] = true;
        memcpy(tape_for[k + REACH], bits, sizeof bits);
        missing--;
    }
    dusk_generator_free(gen);
}

/* Data, an analyst, and what is known of the monitor. */
typedef struct subject {
    dusk_threshold_monitor_options options;
    dusk_monitor_plan plan;
    record records[4];
    size_t n;
    int analyst;
} subject;

/* What is asked after which answers (bit j: answer j was above). */
static unsigned ask(int analyst, unsigned answers, unsigned i)
{
    if (analyst == 0) return 1; /* always the same */
    if (analyst == 1) return i > 0 && (answers >> (i - 1) & 1) ? 2 : 1;
    return i % 3 == 2 ? 2 : 1;
}

static bool step(dusk_threshold_monitor *m, unsigned query, int noise)
{
    bool above;
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_tape(&gen, tape_for[noise + REACH], 64 * WORDS, NULL), DUSK_OK);
    assert_int_equal(dusk_threshold_monitor_release(m, &above, has, &query, gen, NULL), DUSK_OK);
    dusk_generator_free(gen);
    return above;
}

/* The count that the shipped code has at query i after the given answers, which are forced by
 * far noise: the least noise that is above tells it. */
static int64_t count_at(const subject *s, unsigned answers, unsigned i)
{
    for (int noise = -3; noise <= 3; noise++) {
        dusk_threshold_monitor *m;
        assert_int_equal(dusk_threshold_monitor_start(&m, &s->options, &s->plan, s->records, s->n,
                                                      sizeof(record), 64, NULL),
                         DUSK_OK);
        for (unsigned j = 0; j < i; j++) {
            bool wanted = answers >> j & 1;
            assert_int_equal(step(m, ask(s->analyst, answers, j), wanted ? FAR : -FAR), wanted);
        }
        bool above = step(m, ask(s->analyst, answers, i), noise);
        dusk_threshold_monitor_free(m);
        if (above) return s->plan.least - noise;
    }
    fail();
    return 0;
}

/* p[answers] for all transcripts of QUERIES answers; a transcript is built bit by bit. */
static void transcript_law(double *p, const subject *s)
{
    p[0] = 1;
    for (unsigned i = 0; i < QUERIES; i++)
        for (unsigned answers = 1U << i; answers-- > 0;) {
            double above = at_least(s->plan.scale, s->plan.least - count_at(s, answers, i)), now = p[answers];
            p[answers] = now * (1 - above);
            p[answers | 1U << i] = now * above;
        }
}

static double divergence(const double *p, const double *q, double epsilon)
{
    double sum = 0;
    for (unsigned a = 0; a < 1U << QUERIES; a++) sum += fmax(0, p[a] - exp(epsilon) * q[a]);
    return sum;
}

/* The larger divergence of the two orders; the last record of `with` is not in the
 * other data set, or is exchanged for `instead`. */
static double worst(subject s, unsigned instead)
{
    static double with[1U << QUERIES], without[1U << QUERIES];
    transcript_law(with, &s);
    if (instead)
        s.records[s.n - 1] = instead;
    else
        s.n--;
    transcript_law(without, &s);
    return fmax(divergence(with, without, s.options.epsilon), divergence(without, with, s.options.epsilon));
}

static subject subject_of(uint32_t k, dusk_neighbours neighbours)
{
    subject s = { .options = options_of(k, 1, 0.05), .records = { 3, 2, 1, 1 }, .n = 4 };
    s.options.neighbours = neighbours;
    assert_int_equal(dusk_monitor_plan_make(&s.plan, &s.options, NULL), DUSK_OK);
    find_tapes(s.plan.scale);
    return s;
}

static void transcripts_of_neighbours_keep_the_promise(void **state)
{
    (void)state;
    double most = 0;
    for (uint32_t k = 1; k <= 2; k++) {
        subject s = subject_of(k, DUSK_ADD_REMOVE);
        for (s.analyst = 0; s.analyst < 3; s.analyst++)
            for (s.plan.least = 1; s.plan.least <= 3; s.plan.least++) {
                double d = worst(s, 0);
                assert_true(d <= 0.05);
                most = fmax(most, d);
            }
    }
    assert_true(most > 0.02); /* ten answers cannot show all of it */
}

static void replaced_records_keep_the_promise(void **state)
{
    (void)state;
    subject s = subject_of(1, DUSK_REPLACE_ONE);
    s.analyst = 2;
    s.plan.least = 1;
    s.records[0] = s.records[1] = s.records[2] = 0;
    double d = worst(s, 2);
    assert_true(d <= 0.05 && d > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_on_every_tape),
        cmocka_unit_test(transcripts_of_neighbours_keep_the_promise),
        cmocka_unit_test(replaced_records_keep_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
