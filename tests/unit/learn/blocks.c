/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "learn/blocks.h"
#include "support.h"

static const char fields_text[] =
    "a numeric 0:1\nkind category u,v,w\nb numeric -5:3 missing 2\ny numeric -10:30\n"
    "c numeric 1e6:2e6\n";

static double odd_number(const dusk_field *f, uint64_t *seed)
{
    const double odd[] = { NAN, INFINITY, -1e300, f->lower, f->upper };
    uint64_t r = splitmix64(seed);
    return r % 8 < 5 ? odd[r % 8] : f->lower + (f->upper - f->lower) * ((double)(r >> 11) * 0x1p-53);
}

static dusk_frame *make_frame(size_t rows, uint64_t seed)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < 5; c++)
            if (c == 1)
                frame->column[c].code[i] = (int32_t)(splitmix64(&seed) % 5) - 1;
            else
                frame->column[c].number[i] = odd_number(&fields->field[c], &seed);
    dusk_fields_free(fields);
    return frame;
}

/* The same numbers as in the matrix of all rows. */
static void check_same(const dusk_frame *frame, size_t label, bool constant, double norm)
{
    learn_features features;
    learn_matrix matrix;
    learn_blocks blocks;
    size_t at = 0;
    assert_int_equal(learn_features_init(&features, frame->fields, label, constant, norm, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&matrix, &features, frame, NULL), DUSK_OK);
    assert_int_equal(learn_blocks_open(&blocks, &features, frame, LEARN_BLOCKS_JOINED, NULL), DUSK_OK);
    const size_t width = features.width, stride = blocks.shape.width;
    assert_int_equal(stride, width + (label == 3));
    while (learn_blocks_next(&blocks)) {
        assert_int_equal(blocks.block.first, at);
        for (size_t k = 0; k < blocks.block.rows; k++, at++) {
            const double *x = blocks.block.x + k * stride;
            double square = 0;
            for (size_t i = 0; i < width; i++) {
                assert_true(x[i] == (double)matrix.rows.x[at * width + i]);
                square += x[i] * x[i];
            }
            assert_true(square <= features.bound * features.bound);
            if (label == 3) assert_true(x[width] == (double)matrix.target[at]);
        }
    }
    assert_int_equal(at, matrix.rows.rows);
    assert_int_equal(at, blocks.used);
    learn_blocks_close(&blocks);
    learn_matrix_clear(&matrix);
    learn_features_clear(&features);
}

static void test_same(void **unused)
{
    (void)unused;
    static const size_t sizes[] = { 0, 1, 7, 512, 513, 1500 };
    static const double norms[] = { 0, 0.01, 0.7, 1.5, 64 };
    for (size_t s = 0; s < 6; s++) {
        dusk_frame *frame = make_frame(sizes[s], s);
        for (size_t k = 0; k < 5; k++) {
            check_same(frame, 3, true, norms[k]);
            check_same(frame, DUSK_NO_LINK, false, norms[k]);
        }
        for (size_t i = 0; i < sizes[s]; i++) frame->column[3].number[i] = NAN; /* no labels at all */
        check_same(frame, 3, true, 0);
        dusk_frame_free(frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
