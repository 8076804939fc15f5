/* SPDX-License-Identifier: Apache-2.0 */
/* Bins: their edges grow, zero is an edge, every value has its bin whatever it is, and rows without a label are left out. */
#include "learn/bins.h"

#include <math.h>
#include <stdio.h>

#include "learn/features.h"
#include "support.h"

static dusk_fields *parse(const char *text)
{
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    return fields;
}

static void edges_grow_from_the_lower_bound(void **state)
{
    (void)state;
    const double bounds[][2] = { { 0, 1 },      { -1, 1 },      { -1, 0 },         { 5, 6 },
                                 { -0.3, 0.3 }, { -8019, 1e5 }, { -1e308, 1e308 }, { 0, 4e-300 } };
    const size_t parts[] = { 1, 2, 3, 7, 32, 4096 };
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            char text[120];
            learn_bins bins;
            snprintf(text, sizeof text, "x numeric %.17g:%.17g\n", bounds[k][0], bounds[k][1]);
            dusk_fields *fields = parse(text);
            assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, parts[p], NULL), DUSK_OK);
            size_t n = bins.first[1];
            assert_true(n >= parts[p] && n <= parts[p] + 17 && n == bins.widest);
            assert_true(bins.edge[0] == bounds[k][0] && bins.edge[n - 1] <= bounds[k][1]);
            for (size_t v = 1; v < n; v++) assert_true(bins.edge[v] > bins.edge[v - 1]);
            bool zero = false;
            for (size_t v = 0; v < n; v++) zero = zero || bins.edge[v] == 0;
            assert_int_equal(zero, bounds[k][0] <= 0 && bounds[k][1] > 0);
            learn_bins_clear(&bins);
            dusk_fields_free(fields);
        }
}

static void amounts_have_fine_bins_beside_zero(void **state)
{
    (void)state;
    dusk_fields *fields = parse("x numeric 0:1024\n");
    learn_bins bins;
    assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, 2, NULL), DUSK_OK);
    const double edges[] = { 0, 2, 4, 8, 16, 32, 64, 128, 256, 512 };
    assert_int_equal(bins.first[1], 10);
    for (size_t v = 0; v < 10; v++) assert_true(bins.edge[v] == edges[v]);
    learn_bins_clear(&bins);
    dusk_fields_free(fields);
}

/* A bin holds what is from its edge to the next, after clamping; what is no number is what was declared. */
static void every_value_has_a_bin(void **state)
{
    (void)state;
    dusk_fields *fields = parse("x numeric -3:10 missing 7\nc category a,b\n");
    const double values[] = { -3, 10, 0, 1e-9, -1e-9, 6.5, NAN, INFINITY, -INFINITY, 1e300, -1e300, 9.999 };
    const int32_t codes[] = { 0, 1, 2, -1, INT32_MAX, INT32_MIN };
    enum { ROWS = 12 };
    dusk_frame *frame;
    learn_bins bins;
    learn_codes made;
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        frame->column[0].number[i] = values[i];
        frame->column[1].code[i] = codes[i % 6];
    }
    assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, 8, NULL), DUSK_OK);
    assert_true(learn_bins_ordered(&bins, fields, 0) && !learn_bins_ordered(&bins, fields, 1));
    assert_int_equal(learn_codes_make(&made, &bins, frame, NULL), DUSK_OK);
    assert_int_equal(made.rows, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double x = isfinite(values[i]) ? fmin(fmax(values[i], -3), 10) : 7;
        size_t v = made.code[0][i];
        assert_true(v < bins.first[1] && bins.edge[v] <= x);
        assert_true(v + 1 == bins.first[1] || bins.edge[v + 1] > x);
        assert_int_equal(made.code[1][i], codes[i % 6] == 0 ? 0 : codes[i % 6] == 1 ? 1 : 2);
    }
    learn_codes_clear(&made);
    learn_bins_clear(&bins);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void rows_without_a_label_are_left_out(void **state)
{
    (void)state;
    const char *texts[] = { "x numeric 0:4\ny category no,yes\n", "x numeric 0:4\ny numeric 10:20\n" };
    for (int numeric = 0; numeric < 2; numeric++) {
        dusk_fields *fields = parse(texts[numeric]);
        dusk_frame *frame;
        learn_bins bins;
        learn_codes kept, all;
        assert_int_equal(dusk_frame_new(&frame, fields, 5, NULL), DUSK_OK);
        for (size_t i = 0; i < 5; i++) {
            const double y[] = { 10, NAN, 25, INFINITY, 15 };
            const int32_t code[] = { 1, -1, 0, 2, 1 };
            frame->column[0].number[i] = (double)i;
            if (numeric)
                frame->column[1].number[i] = y[i];
            else
                frame->column[1].code[i] = code[i];
        }
        assert_int_equal(learn_bins_init(&bins, fields, 1, 4, NULL), DUSK_OK);
        assert_int_equal(learn_codes_make(&kept, &bins, frame, NULL), DUSK_OK);
        assert_int_equal(learn_codes_make_all(&all, &bins, frame, NULL), DUSK_OK);
        assert_int_equal(kept.rows, 3);
        assert_int_equal(all.rows, 5);
        assert_null(all.target);
        for (size_t i = 0; i < 3; i++) assert_int_equal(kept.code[0][i], all.code[0][2 * i]);
        const int32_t one = (int32_t)LEARN_ONE;
        const int32_t targets[2][3] = { { 1, 0, 1 }, { -one, one, 0 } };
        for (size_t i = 0; i < 3; i++) assert_int_equal(kept.target[i], targets[numeric][i]);
        learn_codes_clear(&kept);
        learn_codes_clear(&all);
        learn_bins_clear(&bins);
        dusk_frame_free(frame);
        dusk_fields_free(fields);
    }
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    learn_bins bins;
    dusk_fields *fields = parse("x numeric 0:4\n");
    assert_int_equal(learn_bins_init(&bins, fields, 0, 4, NULL), DUSK_ERR_ARGUMENT); /* a label only */
    assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, 0, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, 5000, NULL), DUSK_ERR_ARGUMENT);
    dusk_fields_free(fields);
    fields = parse("x[2049] numeric 0:4\n");
    assert_int_equal(learn_bins_init(&bins, fields, DUSK_NO_LINK, 4, NULL), DUSK_ERR_ARGUMENT);
    dusk_fields_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_grow_from_the_lower_bound),
        cmocka_unit_test(amounts_have_fine_bins_beside_zero),
        cmocka_unit_test(every_value_has_a_bin),
        cmocka_unit_test(rows_without_a_label_are_left_out),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
