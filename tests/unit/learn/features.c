/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as vectors: the same as by plain arithmetic, whole, no longer than the bound whatever is in a row, and by the row alone. */
#include "learn/features.h"

#include <math.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "support.h"

static dusk_fields *parsed(const char *text)
{
    dusk_fields *fields;
    dusk_error err;
    if (dusk_fields_parse(&fields, text, &err) != DUSK_OK) fail_msg("%s", err.message);
    return fields;
}

static const char mixed[] = "a numeric 17:90\n"
                            "k category x,y,z\n"
                            "b numeric -1e300:1.7e308 missing 0\n"
                            "label category no,yes\n"
                            "c numeric 0:4.9406564584124654e-324\n"
                            "d numeric -1:1 missing -1\n";

/* Any double at all, bounds and their neighbours among them. */
static double hostile_number(uint64_t *seed)
{
    static const double odd[] = { NAN,  INFINITY, -INFINITY, 0, -0.0, 17,    90,   53.5,      -1,
                                  1e-5, 1.7e308,  -1.7e308,  1, 16.9, 90.01, 0.99, 0x1p-1074, 1e300 };
    uint64_t word = splitmix64(seed);
    return word % 3 ? odd[word / 3 % (sizeof odd / sizeof *odd)] : from_bits(splitmix64(seed));
}

static dusk_frame *hostile_frame(const char *text, size_t rows, uint64_t seed)
{
    dusk_fields *fields = parsed(text);
    dusk_frame *frame;
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t c = 0; c < fields->count; c++)
        for (size_t i = 0; i < rows; i++) {
            if (frame->column[c].number) frame->column[c].number[i] = hostile_number(&seed);
            if (frame->column[c].code) frame->column[c].code[i] = (int32_t)(splitmix64(&seed) % 6) - 2;
            if (frame->column[c].code && i % 7 == 0) frame->column[c].code[i] = (int32_t)splitmix64(&seed);
        }
    dusk_fields_free(fields);
    return frame;
}

/* What features.h says, one number at a time. */
static double plain_number(const dusk_field *field, double centre, double factor, double x)
{
    if (!isfinite(x)) x = field->missing;
    x = fmin(fmax(x, field->lower), field->upper);
    x = factor == 0 ? 0 : (x - centre) * factor;
    return trunc(fmin(fmax(x, -LEARN_NORM_MOST), LEARN_NORM_MOST) * LEARN_ONE);
}

static double plain_feature(const learn_feature *f, const dusk_frame *frame, size_t row)
{
    if (f->column == DUSK_NO_LINK) return LEARN_ONE;
    const dusk_frame_column *column = &frame->column[f->column];
    if (f->code >= 0) return column->code[row] == f->code ? LEARN_ONE : 0;
    return plain_number(&frame->fields->field[f->column], f->centre, f->factor, column->number[row]);
}

static bool labelled(const dusk_frame *frame, size_t label, size_t row)
{
    const dusk_frame_column *column = &frame->column[label];
    if (column->number) return isfinite(column->number[row]);
    return column->code[row] >= 0 && (size_t)column->code[row] < frame->fields->field[label].values;
}

/* The length in exact integers. */
static dusk_uint128 square(const float *x, size_t width)
{
    dusk_uint128 sum = 0;
    for (size_t i = 0; i < width; i++) {
        int64_t v = (int64_t)x[i];
        assert_true((float)v == x[i]);
        sum += (uint64_t)(v * v);
    }
    return sum;
}

static void check_row(const learn_matrix *m, size_t at, const learn_features *f, const dusk_frame *frame,
                      size_t row)
{
    const float *x = m->rows.x + at * f->width;
    dusk_uint128 length = square(x, f->width), whole = (dusk_uint128)m->length[at];
    double plain = 0;
    assert_true(length <= (dusk_uint128)f->bound * (dusk_uint128)f->bound);
    assert_true(length <= whole * whole && (whole == 0 || length > (whole - 1) * (whole - 1)));
    for (size_t i = 0; i < f->width; i++) plain += pow(plain_feature(&f->feature[i], frame, row), 2);
    double factor = plain > f->bound * f->bound ? f->bound / sqrt(plain) : 1;
    for (size_t i = 0; i < f->width; i++) {
        double y = plain_feature(&f->feature[i], frame, row) * factor;
        if (!(fabs(x[i] - y) <= (factor < 1 ? 3 : 0)))
            fail_msg("row %zu column %zu: %g, not %g", row, i, x[i], y);
    }
}

static void rows_are_vectors(void **state)
{
    static const double norms[] = { 0, 0.001, 0.5, 1, 2, 64 };
    (void)state;
    for (size_t n = 0; n < sizeof norms / sizeof *norms; n++)
        for (int constant = 0; constant < 2; constant++) {
            dusk_frame *frame = hostile_frame(mixed, 700, 11 + n);
            learn_features f;
            learn_matrix m;
            assert_int_equal(learn_features_init(&f, frame->fields, 3, constant, norms[n], NULL), DUSK_OK);
            assert_int_equal(f.width, 7 + (size_t)constant);
            assert_true(norms[n] == 0 || f.norm == norms[n]);
            assert_true(f.bound >= 1 && f.bound == floor(f.bound) && f.bound <= fmax(f.norm * LEARN_ONE, 1));
            assert_int_equal(learn_matrix_make(&m, &f, frame, NULL), DUSK_OK);
            size_t at = 0;
            for (size_t row = 0; row < frame->rows; row++) {
                if (!labelled(frame, 3, row)) continue;
                check_row(&m, at, &f, frame, row);
                assert_int_equal(m.code[at++], frame->column[3].code[row]);
            }
            assert_int_equal(m.rows.rows, at);
            assert_true(at > 100 && at < 600 && !m.target && m.bound == f.bound);
            learn_matrix_clear(&m);
            learn_features_clear(&f);
            dusk_frame_free(frame);
        }
}

/* Numbers that a learner scales its own way, up to where they end. */
static void rescaled(void **state)
{
    (void)state;
    static const double scale[][2] = {
        { 50, 0.1 }, { 0, 1e9 }, { 53.5, -0.25 }, { NAN, INFINITY }, { 20, 0 }
    };
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        dusk_frame *frame = hostile_frame("a numeric 17:90\nd numeric -1:1\n", 600, 3 + s);
        learn_features f;
        learn_matrix m;
        assert_int_equal(learn_features_init(&f, frame->fields, DUSK_NO_LINK, false, 5, NULL), DUSK_OK);
        learn_features_rescale(&f, 0, scale[s][0], scale[s][1]);
        assert_true(f.norm == 5 && isfinite(f.feature[0].centre) && isfinite(f.feature[0].factor));
        assert_int_equal(learn_matrix_make(&m, &f, frame, NULL), DUSK_OK);
        assert_int_equal(m.rows.rows, 600);
        for (size_t row = 0; row < 600; row++) check_row(&m, row, &f, frame, row);
        learn_matrix_clear(&m);
        learn_features_clear(&f);
        dusk_frame_free(frame);
    }
}

static void remove_row(dusk_frame *frame, size_t row)
{
    for (size_t c = 0; c < frame->fields->count; c++)
        for (size_t i = row; i + 1 < frame->rows; i++) {
            if (frame->column[c].number) frame->column[c].number[i] = frame->column[c].number[i + 1];
            if (frame->column[c].code) frame->column[c].code[i] = frame->column[c].code[i + 1];
        }
    frame->rows--;
}

/* Without a row all others are what they were, wherever they come to lie. */
static void neighbours(void **state)
{
    (void)state;
    for (size_t gone = 0; gone < 520; gone += 103) {
        dusk_frame *frame = hostile_frame(mixed, 520, 5);
        learn_features f;
        learn_matrix all, less;
        assert_int_equal(learn_features_init(&f, frame->fields, DUSK_NO_LINK, true, 0.7, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make_all(&all, &f, frame, NULL), DUSK_OK);
        remove_row(frame, gone);
        assert_int_equal(learn_matrix_make_all(&less, &f, frame, NULL), DUSK_OK);
        assert_int_equal(less.rows.rows, 519);
        size_t before = gone * f.width, after = (519 - gone) * f.width;
        assert_memory_equal(all.rows.x, less.rows.x, before * sizeof(float));
        assert_memory_equal(all.rows.x + before + f.width, less.rows.x + before, after * sizeof(float));
        assert_memory_equal(all.length + gone + 1, less.length + gone, (519 - gone) * sizeof(float));
        learn_matrix_clear(&all);
        learn_matrix_clear(&less);
        learn_features_clear(&f);
        dusk_frame_free(frame);
    }
}

static void numeric_labels(void **state)
{
    (void)state;
    dusk_frame *frame = hostile_frame("x numeric 0:1\ny numeric 17:90\n", 600, 8);
    const dusk_field *field = &frame->fields->field[1];
    learn_features f;
    learn_matrix m;
    assert_int_equal(learn_features_init(&f, frame->fields, 1, false, 0, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&m, &f, frame, NULL), DUSK_OK);
    size_t at = 0;
    for (size_t row = 0; row < 600; row++) {
        double y = frame->column[1].number[row];
        if (!isfinite(y)) continue;
        double steps = m.target[at++];
        assert_true(steps == trunc(steps) && fabs(steps) <= LEARN_ONE);
        assert_true(fabs(learn_target_value(field, steps) - fmin(fmax(y, 17), 90)) <
                    36.5 / LEARN_ONE * 1.001);
    }
    assert_true(m.rows.rows == at && at < 600 && !m.code);
    assert_true(learn_target_steps(field, 17) == -LEARN_ONE && learn_target_steps(field, 1e9) == LEARN_ONE);
    learn_matrix_clear(&m);
    assert_int_equal(learn_matrix_make_all(&m, &f, frame, NULL), DUSK_OK);
    assert_true(m.rows.rows == 600 && !m.target);
    learn_matrix_clear(&m);
    learn_features_clear(&f);
    dusk_frame_free(frame);
}

/* Many columns: sums of squares beyond what a double holds at once. */
static void wide_rows(void **state)
{
    (void)state;
    dusk_frame *frame = hostile_frame("x[5000] numeric -1:1\n", 3, 1);
    learn_features f;
    learn_matrix m;
    for (size_t c = 0; c < 5000; c++) frame->column[c].number[1] = c % 2 ? 1 : -1;
    assert_int_equal(learn_features_init(&f, frame->fields, DUSK_NO_LINK, false, 1, NULL), DUSK_OK);
    for (size_t c = 0; c < 5000; c++) learn_features_rescale(&f, c, 0, 64);
    f.bound = 0x1p30; /* longer than any row */
    assert_int_equal(learn_matrix_make_all(&m, &f, frame, NULL), DUSK_OK);
    assert_true(square(m.rows.x + 5000, 5000) == (dusk_uint128)5000 << 42);
    assert_true(m.length[1] == (float)ceil(sqrt(5000) * 0x1p21));
    learn_matrix_clear(&m);
    learn_features_clear(&f);
    assert_int_equal(learn_features_init(&f, frame->fields, DUSK_NO_LINK, false, 0, NULL), DUSK_ERR_ARGUMENT);
    dusk_frame_free(frame);
}

static void longest_rows(void **state)
{
    (void)state;
    dusk_fields *fields = parsed("a numeric 0:10\nb numeric -5:3\nk category u,v,w\n");
    learn_features f;
    assert_int_equal(learn_features_init(&f, fields, DUSK_NO_LINK, true, 0, NULL), DUSK_OK);
    assert_true(f.norm >= 2 && f.norm < 2.0000001); /* 1 + 1 + 1 + 1 */
    learn_features_clear(&f);
    assert_int_equal(learn_features_init(&f, fields, 2, false, 0, NULL), DUSK_OK);
    assert_true(f.norm >= M_SQRT2 && f.norm < M_SQRT2 + 1e-9 && f.width == 2);
    learn_features_clear(&f);
    dusk_error err;
    assert_int_equal(learn_features_init(&f, fields, 2, false, 64.1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(learn_features_init(&f, fields, 2, false, INFINITY, &err), DUSK_ERR_ARGUMENT);
    dusk_fields_free(fields);
    fields = parsed("y numeric 0:1\n");
    assert_int_equal(learn_features_init(&f, fields, 0, true, 0, &err), DUSK_ERR_ARGUMENT);
    assert_null(f.feature);
    dusk_fields_free(fields);
}

static void names(void **state)
{
    (void)state;
    static const char *const expected[] = { "age", "sex=Female", "sex=Male", "1" };
    dusk_fields *fields = parsed("age numeric 0:9\nsex category Female,Male\n");
    learn_features f;
    assert_int_equal(learn_features_init(&f, fields, DUSK_NO_LINK, true, 0, NULL), DUSK_OK);
    for (size_t i = 0; i < 4; i++) {
        dusk_buffer out = { 0 };
        learn_feature_name(&f, fields, i, &out);
        assert_string_equal(out.data, expected[i]);
        dusk_buffer_clear(&out);
    }
    learn_features_clear(&f);
    dusk_fields_free(fields);
}

static dusk_status make_both(const dusk_frame *frame, dusk_error *err)
{
    learn_features f = { 0 };
    learn_matrix m = { 0 };
    dusk_status status = learn_features_init(&f, frame->fields, 3, true, 1, err);
    if (status == DUSK_OK) status = learn_matrix_make(&m, &f, frame, err);
    learn_matrix_clear(&m);
    learn_features_clear(&f);
    return status;
}

static void no_rows_and_no_memory(void **state)
{
    (void)state;
    dusk_frame *none = hostile_frame(mixed, 0, 1), *some = hostile_frame(mixed, 9, 1);
    dusk_error err;
    assert_int_equal(make_both(none, &err), DUSK_OK);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(make_both(some, &err), &err, n, 20)) break;
    }
    dusk_frame_free(none);
    dusk_frame_free(some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_vectors),
        cmocka_unit_test(rescaled),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(numeric_labels),
        cmocka_unit_test(wide_rows),
        cmocka_unit_test(longest_rows),
        cmocka_unit_test(names),
        cmocka_unit_test(no_rows_and_no_memory),
    };
    return cmocka_run_group_tests_name("features", tests, NULL, NULL);
}
