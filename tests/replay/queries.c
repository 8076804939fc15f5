/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring queries and records with the same coins: whatever the answers are, the same
 * coins are taken and the same errors come, so neither time nor failure tells anything. And call
 * by call: queries move by what is declared, and one record is in so many answers above. */
#include <float.h>
#include <math.h>

#include "mechanisms/sparse_vector.h"
#include "mechanisms/threshold_monitor.h"
#include "replay.h"
#include "same_coins.h"

enum { ASKED = 200 };

static void sparse(dusk_sparse_vector_options o)
{
    const double odd[] = { NAN, INFINITY, -DBL_MAX, 0, 1e9, -0.0 };
    dusk_sparse_plan plan;
    o.sensitivity = 1;
    o.hits = 2 * ASKED;
    o.epsilon = 1;
    o.length = 4 * ASKED;
    assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        dusk_generator *gen[2];
        dusk_sparse_vector *sv[2];
        open_both(gen, seed);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_sparse_vector_start(&sv[side], &o, &plan, DUSK_WIDTH_FULL, gen[side], NULL),
                             DUSK_OK);
        for (int i = 0; i < ASKED; i++)
            for (int side = 0; side < 2; side++) {
                bool above;
                double value, query = side ? odd[i % 6] : 3 * i;
                assert_int_equal(dusk_sparse_vector_release(sv[side], &above, &value, query, gen[side], NULL),
                                 DUSK_OK);
            }
        close_both_alike(gen);
        for (int side = 0; side < 2; side++) dusk_sparse_vector_free(sv[side]);
    }
}

static void sparse_vectors_take_the_same_coins(void **state)
{
    (void)state;
    dusk_sparse_vector_options o;
    dusk_sparse_vector_options_init(&o);
    sparse(o);
    o.delta = 1e-6;
    sparse(o);
    o.numeric_epsilon = 1;
    sparse(o);
    o.noise = DUSK_GAUSSIAN;
    sparse(o);
}

static bool is_less(const void *record, void *limit) { return *(const double *)record < *(double *)limit; }

static void monitors_take_the_same_coins(void **state)
{
    (void)state;
    enum { RECORDS = 500 };
    double records[RECORDS];
    dusk_threshold_monitor_options o;
    dusk_monitor_plan plan = { .scale = 10, .least = 100 };
    dusk_generator *gen[2];
    dusk_threshold_monitor *m[2];
    dusk_threshold_monitor_options_init(&o);
    open_both(gen, 9);
    for (int i = 0; i < RECORDS; i++) records[i] = i % 7 ? (double)i : NAN;
    for (int side = 0; side < 2; side++)
        assert_int_equal(dusk_threshold_monitor_start(&m[side], &o, &plan, records, side ? RECORDS : 0,
                                                      sizeof *records, DUSK_WIDTH_FULL, NULL),
                         DUSK_OK);
    for (int i = 0; i < ASKED; i++)
        for (int side = 0; side < 2; side++) {
            double limit = 10 * i;
            bool above;
            assert_int_equal(
                dusk_threshold_monitor_release(m[side], &above, is_less, &limit, gen[side], NULL), DUSK_OK);
        }
    close_both_alike(gen);
    for (int side = 0; side < 2; side++) dusk_threshold_monitor_free(m[side]);
}

/* --- call by call ------------------------------------------------------------------------- */

static uint64_t seed = 93;

/* The next query: on the other side moved by 1 at most, up or down, or only up. */
static double ask(int side, double *kept, bool monotonic)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -0.0 };
    if (side == 1) return *kept;
    uint64_t x = splitmix64(&seed);
    double query = (double)(x % 4096) / 16 - 128, move = (double)(splitmix64(&seed) % 1025) / 1024;
    *kept = query + (monotonic || x >> 60 & 1 ? move : -move);
    if (x >> 32 & 7) return query;
    return *kept = odd[splitmix64(&seed) % 5]; /* the same odd one on both sides */
}

enum { QUERIES = 40 };

/* By the plan or, if there is none, as a caller does it. */
static void run_sparse(replay *r, const dusk_sparse_vector_options *o, const dusk_sparse_plan *plan)
{
    double kept[QUERIES], value[2][QUERIES];
    bool above[2][QUERIES] = { { false } };
    dusk_status status[2][QUERIES];
    for (int side = 0; side < 2; side++) {
        dusk_sparse_vector *sv;
        assert_int_equal(plan ? dusk_sparse_vector_start(&sv, o, plan, DUSK_WIDTH_FULL, r->gen[side], NULL)
                              : dusk_sparse_vector_new(&sv, o, r->gen[side], NULL),
                         DUSK_OK);
        for (int i = 0; i < QUERIES; i++) {
            value[side][i] = 0;
            status[side][i] = dusk_sparse_vector_release(
                sv, &above[side][i], &value[side][i], ask(side, &kept[i], o->monotonic), r->gen[side], NULL);
        }
        dusk_sparse_vector_free(sv);
    }
    assert_memory_equal(above[0], above[1], sizeof above[0]);
    assert_memory_equal(status[0], status[1], sizeof status[0]);
    replay_same(value[0], value[1], QUERIES);
}

static void sparse_vectors_call_by_call(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        dusk_sparse_vector_options o;
        dusk_sparse_plan plan;
        dusk_sparse_vector_options_init(&o);
        o.sensitivity = 1;
        o.threshold = 20;
        o.hits = 1 + kind;
        o.monotonic = kind / 2 % 2;
        o.epsilon = 0.8;
        o.numeric_epsilon = kind % 2 ? 0.5 : 0;
        o.delta = kind >= 3 ? 1e-6 : 0;
        o.length = QUERIES;
        if (kind == 5) o.noise = DUSK_GAUSSIAN;
        assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        for (uint64_t round = 0; round < 20; round++) {
            replay r = replay_open(round);
            run_sparse(&r, &o, o.delta > 0 ? &plan : NULL);
            /* comparisons are free where they are below: what hits add in numbers is priced, if pure */
            replay_close(&r, (replay_declared){ .epsilon = o.delta > 0 ? 0 : o.numeric_epsilon });
        }
    }
}

/* In how many answers above the two runs counted differently. */
static unsigned answers_above_that_differ(const replay *r)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->record[0]->n; i++) {
        const dusk_record_call *a = &r->record[0]->calls[i], *b = &r->record[1]->calls[i];
        count += a->output[0] && a->inputs[0].whole != b->inputs[0].whole;
    }
    return count;
}

static void monitors_call_by_call(void **state)
{
    enum { RECORDS = 60, QUESTIONS = 60 };
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        double records[2][RECORDS];
        bool above[2][QUESTIONS];
        dusk_threshold_monitor_options o;
        /* noise by hand: what a record may cost is not the matter here */
        dusk_monitor_plan plan = { .scale = 3, .least = 5 };
        bool shipped = round == 39; /* once as a caller makes it */
        replay r = replay_open(round);
        dusk_threshold_monitor_options_init(&o);
        o.contributions = 1 + (uint32_t)(round % 4);
        o.neighbours = round % 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        o.threshold = 5;
        o.epsilon = 20;
        o.delta = 1e-3;
        for (int i = 0; i < RECORDS; i++) records[0][i] = records[1][i] = (double)(splitmix64(&seed) % 200);
        records[1][RECORDS - 1] = (double)(splitmix64(&seed) % 200); /* another, or gone */
        for (int side = 0; side < 2; side++) {
            dusk_threshold_monitor *m;
            size_t n = round % 2 ? RECORDS : RECORDS - (size_t)side, size = sizeof **records;
            assert_int_equal(shipped ? dusk_threshold_monitor_new(&m, &o, records[side], n, size, NULL)
                                     : dusk_threshold_monitor_start(&m, &o, &plan, records[side], n, size,
                                                                    DUSK_WIDTH_FULL, NULL),
                             DUSK_OK);
            for (int i = 0; i < QUESTIONS; i++) {
                double limit = 40 + 3 * i;
                assert_int_equal(
                    dusk_threshold_monitor_release(m, &above[side][i], is_less, &limit, r.gen[side], NULL),
                    DUSK_OK);
            }
            dusk_threshold_monitor_free(m);
        }
        assert_memory_equal(above[0], above[1], sizeof above[0]);
        /* an exchanged record is one that goes and one that comes */
        unsigned units = round % 2 ? 2 : 1;
        assert_true(answers_above_that_differ(&r) <= units * o.contributions);
        replay_close(&r, (replay_declared){ .epsilon = 0 });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_vectors_call_by_call),
        cmocka_unit_test(monitors_call_by_call),
        cmocka_unit_test(sparse_vectors_take_the_same_coins),
        cmocka_unit_test(monitors_take_the_same_coins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
