/* SPDX-License-Identifier: Apache-2.0 */
/* Results as text: what is written reads back to the last bit, and nothing else reads at all. */
#include "query/result.h"

#include <math.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "support.h"

static uint64_t seed = 31;

static const char *const texts[] = {
    "",     "a",       "two words", "line\nbreak", "quote\"\\", "\xC3\xA9t\xC3\xA9", "\xF0\x9F\x8C\x86",
    "12 x", "\x01\x7F"
};

static double odd_number(void)
{
    static const double odd[] = { 0, -0.0, 1, -1.5, 0x1p-1074, INFINITY, -INFINITY, NAN, 0x1p53 };
    uint64_t x = splitmix64(&seed);
    return x % 3 ? odd[x / 3 % 9] : from_bits(splitmix64(&seed));
}

static dusk_cell odd_cell(void)
{
    uint64_t x = splitmix64(&seed);
    dusk_cell cell = { .type = (dusk_type)(1 + x % 6), .null = x >> 8 & 1, .exact = x >> 9 & 1 };
    if (query_type_is_text(cell.type)) {
        if (!cell.null) cell.text = texts[(x >> 16) % 9];
        return cell;
    }
    cell.number = odd_number();
    cell.low = odd_number();
    cell.high = odd_number();
    if (cell.type == DUSK_TYPE_INTEGER && x >> 24 & 1) {
        cell.integer = (int64_t)splitmix64(&seed) >> (x >> 32 & 31);
        cell.number = (double)cell.integer;
    }
    return cell;
}

static dusk_result *odd_result(size_t columns, size_t rows)
{
    dusk_result *r;
    dusk_cell row[8];
    assert_int_equal(query_result_new(&r, columns, NULL), DUSK_OK);
    for (size_t i = 0; i < columns; i++)
        assert_int_equal(query_result_set_name(r, i, texts[splitmix64(&seed) % 9], NULL), DUSK_OK);
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = 0; i < columns; i++) row[i] = odd_cell();
        assert_int_equal(query_result_add(r, row, NULL), DUSK_OK);
    }
    return r;
}

static void assert_same_cell(const dusk_cell *a, const dusk_cell *b)
{
    assert_int_equal(a->type, b->type);
    assert_true(a->null == b->null && a->exact == b->exact);
    assert_memory_equal(&a->number, &b->number, sizeof a->number);
    assert_memory_equal(&a->low, &b->low, sizeof a->low);
    assert_memory_equal(&a->high, &b->high, sizeof a->high);
    assert_true(a->integer == b->integer);
    assert_true(!a->text == !b->text);
    if (a->text) assert_string_equal(a->text, b->text);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    for (size_t round = 0; round < 300; round++) {
        dusk_result *r = odd_result(round % 8, splitmix64(&seed) % 20), *back;
        char *text, *again;
        size_t length, length_again;
        assert_int_equal(dusk_result_write(r, &text, &length, NULL), DUSK_OK);
        assert_int_equal(text[length], '\0');
        assert_int_equal(dusk_result_read(&back, text, length, NULL), DUSK_OK);
        assert_int_equal(dusk_result_rows(back), dusk_result_rows(r));
        assert_int_equal(dusk_result_columns(back), dusk_result_columns(r));
        for (size_t i = 0; i < r->columns; i++)
            assert_string_equal(dusk_result_name(back, i), dusk_result_name(r, i));
        for (size_t i = 0; i < r->rows; i++)
            for (size_t j = 0; j < r->columns; j++)
                assert_same_cell(dusk_result_cell(back, i, j), dusk_result_cell(r, i, j));
        assert_int_equal(dusk_result_write(back, &again, &length_again, NULL), DUSK_OK);
        assert_int_equal(length, length_again);
        assert_memory_equal(text, again, length);
        dusk_deallocate(text);
        dusk_deallocate(again);
        dusk_result_free(r);
        dusk_result_free(back);
    }
}

/* Whatever is accepted is what would have been written. */
static void hostile_texts_are_refused(void **state)
{
    unsigned accepted = 0;
    (void)state;
    for (size_t round = 0; round < 3000; round++) {
        dusk_result *r = odd_result(1 + round % 3, splitmix64(&seed) % 3), *back = NULL;
        char *text, *again;
        size_t length, size;
        dusk_error err = { 0 };
        assert_int_equal(dusk_result_write(r, &text, &length, NULL), DUSK_OK);
        for (size_t hits = 1 + splitmix64(&seed) % 2; hits > 0; hits--) {
            uint64_t x = splitmix64(&seed);
            if (x % 4 == 0)
                length = x / 4 % (length + 1);
            else if (length > 0)
                text[x / 4 % length] = x % 4 == 1 ? (char)(x >> 40) : "0123456789abef n-\n"[x >> 40 & 15];
        }
        dusk_status status = dusk_result_read(&back, text, length, &err);
        if (status == DUSK_OK) {
            accepted++;
            assert_int_equal(dusk_result_write(back, &again, &size, NULL), DUSK_OK);
            assert_int_equal(size, length);
            assert_memory_equal(text, again, length);
            dusk_deallocate(again);
        } else {
            assert_int_equal(status, DUSK_ERR_CORRUPT);
            assert_null(back);
            assert_non_null(strstr(err.message, "byte"));
        }
        dusk_deallocate(text);
        dusk_result_free(r);
        dusk_result_free(back);
    }
    assert_true(accepted > 50 && accepted < 2500); /* a changed digit is another number */
}

static void huge_shapes_ask_for_no_memory(void **state)
{
    static const char *const claims[] = { "dusk result 1\n999999999999999 1\n",
                                          "dusk result 1\n1 99999999999999\n",
                                          "dusk result 1\n1 1\n999999999999999 x\n",
                                          "dusk result 2\n0 0\n",
                                          "",
                                          "dusk result 1\n01 0\n1 x\n",
                                          "dusk result 1\n0 0\n\n" };
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        dusk_result *r;
        assert_int_equal(dusk_result_read(&r, claims[i], strlen(claims[i]), NULL), DUSK_ERR_CORRUPT);
        assert_null(r);
    }
}

static void texts_become_utf8(void **state)
{
    dusk_result *r;
    const dusk_cell bad = { .type = DUSK_TYPE_TEXT,
                            .text = "a\xFF"
                                    "b\xED\xA0\x80" };
    char *text;
    size_t length;
    (void)state;
    assert_int_equal(query_result_new(&r, 1, NULL), DUSK_OK);
    assert_int_equal(query_result_add(r, &bad, NULL), DUSK_OK);
    assert_memory_equal(dusk_result_cell(r, 0, 0)->text,
                        "a\xEF\xBF\xBD"
                        "b",
                        5);
    assert_int_equal(dusk_result_write(r, &text, &length, NULL), DUSK_OK);
    dusk_result_free(r);
    assert_int_equal(dusk_result_read(&r, text, length, NULL), DUSK_OK);
    dusk_result_free(r);
    dusk_deallocate(text);
}

static void memory_may_fail_anywhere(void **state)
{
    dusk_result *r = odd_result(3, 40);
    char *text;
    size_t length;
    (void)state;
    assert_int_equal(dusk_result_write(r, &text, &length, NULL), DUSK_OK);
    for (long n = 1;; n++) {
        dusk_result *back;
        dusk_error err;
        dusk_memory_fail_at(n);
        bool fine = went_through(dusk_result_read(&back, text, length, &err), &err, n, 100);
        assert_true(fine == (back != NULL));
        dusk_result_free(back);
        if (fine) break;
    }
    dusk_deallocate(text);
    dusk_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),    cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(huge_shapes_ask_for_no_memory), cmocka_unit_test(texts_become_utf8),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
