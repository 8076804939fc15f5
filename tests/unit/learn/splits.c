/* SPDX-License-Identifier: Apache-2.0 */
/* Trees on bins: impurity moves as its proof says, rows go where splits send them, and few rows follow those above. */
#include "learn/splits.h"

#include <math.h>

#include "support.h"

enum { MOST = 7 };

/* All counts up to 7 of up to 3 classes, beside the formula in doubles, and with one row more of any class. */
static void impurity_moves_by_two_at_most(void **state)
{
    (void)state;
    const int64_t two = (int64_t)(2 * LEARN_IMPURITY_ONE);
    int64_t largest = 0;
    for (int64_t code = 0; code < (MOST + 1) * (MOST + 1) * (MOST + 1); code++) {
        int64_t count[3] = { code % 8, code / 8 % 8, code / 64 };
        double n = (double)(count[0] + count[1] + count[2]), squares = 0;
        for (size_t c = 0; c < 3; c++) squares += (double)(count[c] * count[c]);
        int64_t here = learn_impurity(count, 3);
        assert_int_equal(here, n > 0 ? (int64_t)floor((n * n - squares) * LEARN_IMPURITY_ONE / n + 1e-9) : 0);
        for (size_t c = 0; c < 3; c++) {
            count[c]++;
            int64_t move = learn_impurity(count, 3) - here;
            count[c]--;
            assert_true(move >= 0 && move <= two);
            largest = move > largest ? move : largest;
        }
    }
    assert_true(largest > two / 2); /* the bound is not idle */
    int64_t many[2] = { 0, (int64_t)1 << 38 };
    int64_t before = learn_impurity(many, 2);
    many[0]++;
    assert_true(learn_impurity(many, 2) - before <= two && learn_impurity(many, 2) - before >= two - 1);
}

static void rows_go_down(void **state)
{
    (void)state;
    dusk_fields *fields;
    dusk_frame *frame;
    learn_bins bins;
    learn_candidates candidates;
    learn_codes codes;
    uint16_t node[4] = { 0, 0, 0, 0 };
    dusk_int128 totals[8];
    assert_int_equal(dusk_fields_parse(&fields, "x numeric 5:9\nc category a,b\ny category no,yes\n", NULL),
                     DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, 4, NULL), DUSK_OK);
    const double x[] = { 5, 6.5, 7, 9 };
    const int32_t c[] = { 0, 1, -1, 1 };
    for (size_t i = 0; i < 4; i++) {
        frame->column[0].number[i] = x[i];
        frame->column[1].code[i] = c[i];
        frame->column[2].code[i] = (int32_t)(i % 2);
    }
    assert_int_equal(learn_bins_init(&bins, fields, 2, 4, NULL), DUSK_OK);
    assert_int_equal(learn_candidates_init(&candidates, &bins, fields, NULL), DUSK_OK);
    assert_int_equal(candidates.count, 3 + 3); /* three places between four bins; two values and none */
    assert_int_equal(learn_codes_make(&codes, &bins, frame, NULL), DUSK_OK);
    learn_splits_descend(node, &codes, &(learn_split){ 0, 2 }, candidates.ordered); /* 7 and above */
    const uint16_t first[] = { 0, 0, 1, 1 };
    for (size_t i = 0; i < 4; i++) assert_int_equal(node[i], first[i]);
    learn_splits_descend(node, &codes, (learn_split[]){ { 1, 1 }, { 1, 2 } }, candidates.ordered);
    const uint16_t second[] = { 0, 1, 3, 2 };
    for (size_t i = 0; i < 4; i++) assert_int_equal(node[i], second[i]);
    learn_leaves_count(totals, node, &codes, 2, 2);
    const int expected[] = { 1, 0, 0, 1, 0, 1, 1, 0 };
    for (size_t i = 0; i < 8; i++) assert_true(totals[i] == expected[i]);
    learn_codes_clear(&codes);
    learn_candidates_clear(&candidates);
    learn_bins_clear(&bins);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void few_rows_follow_those_above(void **state)
{
    (void)state;
    const double counts[] = { 9000, 1000, 5, 5, -3, 1, 0, 0 };
    double chances[8];
    assert_int_equal(learn_leaves_chances(chances, counts, 2, 2, 0, NULL), DUSK_OK);
    assert_true(fabs(chances[0] - 0.9) < 0.01);         /* many rows: their own share */
    assert_true(chances[2] > 0.6 && chances[2] < 0.9);  /* few: between theirs and that above */
    assert_true(chances[6] > 0.1 && chances[6] < 0.95); /* none */
    assert_int_equal(learn_leaves_chances(chances, counts, 2, 2, 1e9, NULL), DUSK_OK);
    for (size_t i = 0; i < 8; i++) assert_true(fabs(chances[i] - 0.5) < 0.01); /* all noise: even */
    for (size_t i = 0; i < 4; i++) assert_true(fabs(chances[2 * i] + chances[2 * i + 1] - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impurity_moves_by_two_at_most),
        cmocka_unit_test(rows_go_down),
        cmocka_unit_test(few_rows_follow_those_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
