/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript of a synthetic table, counts of columns, a spanning tree and counts of its pairs, on
 * all neighbours of all small tables of three columns, with the shipped scores, shares and scales. The
 * law is known: each edge has P ~ exp(rate score) among the pairs that join two parts, and the noise
 * is discrete Laplace. So the largest privacy loss over all transcripts is computed, not estimated. */
#include "mechanisms/synthetic_table.h"

#include <math.h>

#include "mechanisms/spanning_tree.h"
#include "mechanisms/table.h"
#include "requests.h"
#include "seeded.h"

enum { COLUMNS = 3, KINDS = 8, MOST_ROWS = 3 };

static const uint32_t sizes[COLUMNS] = { 2, 2, 2 };
static const dusk_marginal pairs[3] = { { 2, { 0, 1 } }, { 2, { 0, 2 } }, { 2, { 1, 2 } } };
static const dusk_marginal singles_of[3] = { { 1, { 0 } }, { 1, { 1 } }, { 1, { 2 } } };

/* A table is a list of kinds of rows, 0 to 7. */
typedef struct rows {
    unsigned kind[MOST_ROWS];
    size_t n;
    double score[3];
    uint64_t pair[3][4], single[3][2];
} rows;

static void look_at(rows *r, const double *const *model, double total)
{
    uint32_t codes[COLUMNS * MOST_ROWS];
    for (size_t i = 0; i < r->n; i++)
        for (unsigned c = 0; c < COLUMNS; c++) codes[COLUMNS * i + c] = r->kind[i] >> c & 1;
    dusk_table table = { .columns = COLUMNS, .sizes = sizes, .rows = r->n, .codes = codes };
    for (int i = 0; i < 3; i++) {
        dusk_column_pair pair = { pairs[i].column[0], pairs[i].column[1] };
        r->score[i] = dusk_pair_score(r->pair[i], &table, pair, model, total);
        dusk_marginal_count(r->single[i], &table, &singles_of[i]);
    }
}

/* ln P of choosing pair i first and pair j then; any two of the three make a tree. */
static double log_chance(const rows *r, int i, int j, double rate)
{
    double all = 0, left = 0;
    for (int k = 0; k < 3; k++) all += exp(rate * r->score[k]);
    for (int k = 0; k < 3; k++) left += k == i ? 0 : exp(rate * r->score[k]);
    return rate * (r->score[i] + r->score[j]) - log(all) - log(left);
}

static double distance(const uint64_t *a, const uint64_t *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

static double largest_loss(const rows *a, const rows *b, const dusk_schedule_part *parts)
{
    const dusk_selection *selection = &parts[DUSK_SYNTHETIC_CHOICES].selection;
    double rate = selection->epsilon / (2 * selection->sensitivity), worst = -INFINITY, columns = 0;
    for (int c = 0; c < 3; c++) columns += distance(a->single[c], b->single[c], 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (i == j) continue;
            double chosen = log_chance(a, i, j, rate) - log_chance(b, i, j, rate);
            double measured = distance(a->pair[i], b->pair[i], 4) + distance(a->pair[j], b->pair[j], 4);
            worst = fmax(worst, chosen + measured / parts[DUSK_SYNTHETIC_PAIRS].noise.scale);
        }
    return worst + columns / parts[DUSK_SYNTHETIC_SINGLES].noise.scale;
}

static const double first[][2] = { { 0.5, 0.5 }, { 0.1, 2.7 }, { 1.3, 0.4 }, { 0, 3 } };

/* All tables of up to two rows, with each row that can be added, or exchanged for another. */
static double worst_of_all(const dusk_schedule_part *parts, bool replace, int which)
{
    const double *model[COLUMNS] = { first[which], first[(which + 1) % 4], first[(which + 2) % 4] };
    double total = model[0][0] + model[0][1], worst = 0;
    for (size_t n = 0; n < MOST_ROWS; n++)
        for (unsigned base = 0; base < (n == 0 ? 1 : n == 1 ? KINDS : KINDS * KINDS); base++)
            for (unsigned x = 0; x < KINDS; x++)
                for (unsigned y = 0; y < (replace ? KINDS : 1); y++) {
                    rows a = { { base % KINDS, base / KINDS }, n, { 0 }, { { 0 } }, { { 0 } } }, b = a;
                    a.kind[a.n++] = x;
                    if (replace) b.kind[b.n++] = y;
                    look_at(&a, model, total);
                    look_at(&b, model, total);
                    worst = fmax(worst, fmax(largest_loss(&a, &b, parts), largest_loss(&b, &a, parts)));
                }
    return worst;
}

static void a_table_keeps_its_epsilon(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS];
        dusk_statement statement;
        dusk_aggregate how = request_of(replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, 1, 0);
        double worst = 0;
        size_t n = dusk_synthetic_table_parts(parts, &how, COLUMNS);
        assert_int_equal(dusk_schedule_calibrate(parts, n, &how, &statement, NULL), DUSK_OK);
        for (int which = 0; which < 4; which++) worst = fmax(worst, worst_of_all(parts, replace, which));
        assert_true(worst <= 1 + 1e-12);
        assert_true(worst > 0.75); /* measurements reach theirs, choices between so few do not quite */
    }
}

/* The shipped choice of edges is that law. */
static void trees_come_with_their_chances(void **state)
{
    enum { RUNS = 20000 };
    const double scores[3] = { 2, 0.5, 1 };
    rows r = { .score = { 2, 0.5, 1 } };
    dusk_selection selection;
    dusk_generator *gen = seeded(7);
    int seen[3][3] = { { 0 } };
    (void)state;
    assert_int_equal(dusk_selection_init(&selection, DUSK_SELECT_EXPONENTIAL, 1, false, 2, NULL), DUSK_OK);
    for (int run = 0; run < RUNS; run++) {
        dusk_column_pair edges[2];
        assert_int_equal(dusk_spanning_tree_release(edges, 3, scores, &selection, gen, NULL), DUSK_OK);
        unsigned i = edges[0].first + edges[0].second - 1, j = edges[1].first + edges[1].second - 1;
        assert_true(i < 3 && j < 3 && i != j);
        seen[i][j]++;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double p = i == j ? 0 : exp(log_chance(&r, i, j, 1));
            assert_true(fabs(seen[i][j] - RUNS * p) <= 5 * sqrt(RUNS * p * (1 - p)));
        }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_keeps_its_epsilon),
        cmocka_unit_test(trees_come_with_their_chances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
