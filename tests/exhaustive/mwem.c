/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript of one MWEM round on all neighbours of all small tables: what is chosen
 * and what is measured, with the shipped scores, shares and scales. The law is known
 * exactly, P(i) ~ exp(rate score_i) and discrete Laplace noise, so that the largest
 * privacy loss is computed, not estimated; that the shipped choice has this law is seen on
 * every coin tape for one pair of neighbours. */
#include <math.h>
#include <string.h>

#include "mechanisms/mwem.h"
#include "mechanisms/selection.h"
#include "mechanisms/table.h"
#include "random/tape.h"
#include "requests.h"
#include "support.h"

enum { QUERIES = 8, MOST_ROWS = 3 };

static const uint32_t sizes[2] = { 2, 2 };
static const dusk_marginal workload[3] = { { 1, { 0 } }, { 1, { 1 } }, { 2, { 0, 1 } } };

/* A table is how often each of the four kinds of rows is there. */
typedef struct kinds {
    unsigned of[4], rows;
} kinds;

static void count(uint64_t *exact, const kinds *k)
{
    uint32_t codes[2 * 4 * MOST_ROWS];
    size_t at = 0;
    for (uint32_t kind = 0; kind < 4; kind++)
        for (unsigned i = 0; i < k->of[kind]; i++) {
            codes[at++] = kind / 2;
            codes[at++] = kind % 2;
        }
    dusk_table table = { .columns = 2, .sizes = sizes, .rows = at / 2, .codes = codes };
    for (int i = 0; i < 3; i++) {
        dusk_marginal_count(exact, &table, &workload[i]);
        exact += dusk_marginal_cells(&table, &workload[i]);
    }
}

static size_t all_tables(kinds *out)
{
    size_t n = 0;
    for (unsigned code = 0; code < 256; code++) {
        kinds k = { { code % 4, code / 4 % 4, code / 16 % 4, code / 64 }, 0 };
        for (int i = 0; i < 4; i++) k.rows += k.of[i];
        if (k.rows <= MOST_ROWS) out[n++] = k;
    }
    return n;
}

static bool are_neighbours(const kinds *a, const kinds *b, bool replace)
{
    unsigned more = 0, less = 0;
    for (int i = 0; i < 4; i++) {
        more += b->of[i] > a->of[i] ? b->of[i] - a->of[i] : 0;
        less += a->of[i] > b->of[i] ? a->of[i] - b->of[i] : 0;
    }
    return replace ? more == 1 && less == 1 : more + less == 1;
}

static void choice_law(double *log_p, const kinds *k, const double *answers, const dusk_selection *selection)
{
    uint64_t exact[QUERIES];
    double scores[QUERIES], sum = 0, rate = selection->epsilon / (2 * selection->sensitivity);
    count(exact, k);
    dusk_mwem_scores(scores, exact, answers, QUERIES);
    for (int i = 0; i < QUERIES; i++) sum += exp(rate * scores[i]);
    for (int i = 0; i < QUERIES; i++) log_p[i] = rate * scores[i] - log(sum);
}

/* The largest loss of the round's transcript: choice, measurement and number of rows. */
static double largest_loss(const kinds *a, const kinds *b, const double *answers,
                           const dusk_schedule_part *parts, size_t n)
{
    double p[QUERIES], q[QUERIES], worst = -INFINITY;
    uint64_t x[QUERIES], y[QUERIES];
    choice_law(p, a, answers, &parts[DUSK_MWEM_CHOICE].selection);
    choice_law(q, b, answers, &parts[DUSK_MWEM_CHOICE].selection);
    count(x, a);
    count(y, b);
    for (int i = 0; i < QUERIES; i++)
        worst = fmax(worst,
                     p[i] - q[i] + fabs((double)x[i] - (double)y[i]) / parts[DUSK_MWEM_MEASURE].noise.scale);
    if (n > DUSK_MWEM_TOTAL)
        worst += fabs((double)a->rows - (double)b->rows) / parts[DUSK_MWEM_TOTAL].noise.scale;
    else
        assert_int_equal(a->rows, b->rows); /* public: it must not tell them apart */
    return worst;
}

static void a_round_keeps_its_epsilon(void **state)
{
    static const double models[][QUERIES] = { { 0 },
                                              { 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25 },
                                              { 1.3, 1.7, 2.9, 0.1, 1, 0.3, 1.9, -5 },
                                              { 3, 0, 0, 3, 1e9, 0.7, 2, 1.0 / 3 } };
    kinds tables[256];
    size_t n = all_tables(tables);
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        dusk_schedule_part parts[DUSK_MWEM_PARTS];
        dusk_statement statement;
        dusk_aggregate how = request_of(replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, 1, 0);
        double worst = 0;
        size_t used = dusk_mwem_parts(parts, &how, 1);
        assert_int_equal(dusk_schedule_calibrate(parts, used, &how, &statement, NULL), DUSK_OK);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                for (size_t m = 0; m < 4 && are_neighbours(&tables[a], &tables[b], replace); m++)
                    worst = fmax(worst, largest_loss(&tables[a], &tables[b], models[m], parts, used));
        assert_true(worst <= 1 + 1e-12);
        assert_true(worst > 0.8); /* and the promise is not far from what is needed */
    }
}

/* --- the shipped choice on every tape ------------------------------------------------ */

typedef struct law {
    dusk_selection selection;
    double scores[2], mass[2], undecided;
} law;

static bool choose(dusk_generator *gen, void *context)
{
    law *l = context;
    size_t index;
    if (dusk_selection_choose(&l->selection, &index, 1, l->scores, 2, 4, gen, NULL) != DUSK_OK) return false;
    l->mass[index] += dusk_tape_weight(gen);
    return true;
}

static void walk(law *l, const uint64_t *exact)
{
    const double answers[2] = { 1.4, 0.2 };
    unsigned depth = 8;
    dusk_mwem_scores(l->scores, exact, answers, 2);
    do {
        memset(l->mass, 0, sizeof l->mass);
        l->undecided = dusk_tape_walk(depth, choose, l);
        depth += 4;
    } while (l->undecided >= 0.02);
}

static void the_choice_has_the_law_of_the_scores(void **state)
{
    const uint64_t with[2] = { 4, 0 }, without[2] = { 3, 0 };
    law l[2] = { { .undecided = 1 }, { .undecided = 1 } };
    (void)state;
    for (int side = 0; side < 2; side++) {
        double sum = 0;
        assert_int_equal(dusk_selection_init(&l[side].selection, DUSK_SELECT_EXPONENTIAL, 1, false, 1, NULL),
                         DUSK_OK);
        walk(&l[side], side ? without : with);
        for (int i = 0; i < 2; i++) sum += exp(l[side].scores[i] / 2);
        for (int i = 0; i < 2; i++) {
            double p = exp(l[side].scores[i] / 2) / sum;
            assert_true(l[side].mass[i] <= p + 1e-12 && p <= l[side].mass[i] + l[side].undecided + 1e-12);
        }
    }
    for (int i = 0; i < 2; i++)
        assert_true(l[0].mass[i] <= exp(1) * (l[1].mass[i] + l[1].undecided) &&
                    l[1].mass[i] <= exp(1) * (l[0].mass[i] + l[0].undecided));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_keeps_its_epsilon),
        cmocka_unit_test(the_choice_has_the_law_of_the_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
