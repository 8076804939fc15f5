/* SPDX-License-Identifier: Apache-2.0 */
/* Lines as draws: fields, words, what comes unexpected, limits; every allocation may fail. */
#include "cli/draw_lines.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "support.h"

#include "cli/draw_lines.c"

static draw_lines *lines;
static double draw[64];

static size_t settled(const char *const *looked)
{
    size_t outputs = 0;
    draw_lines_free(lines);
    assert_int_equal(draw_lines_new(&lines, NULL), DUSK_OK);
    for (; *looked; looked++)
        assert_int_equal(draw_lines_look(lines, *looked, strlen(*looked), NULL), DUSK_OK);
    assert_int_equal(draw_lines_settle(lines, &outputs, NULL), DUSK_OK);
    assert_int_equal(outputs, draw_lines_outputs(lines));
    return outputs;
}

static const double *read_line(const char *text)
{
    char exact[200]; /* no byte behind the line */
    size_t length = strlen(text);
    memcpy(exact + sizeof exact - length, text, length);
    draw_lines_read(lines, draw, exact + sizeof exact - length, length);
    return draw;
}

#define LOOK(...) settled((const char *const[]){ __VA_ARGS__, NULL })

static void numbers(void **state)
{
    (void)state;
    assert_int_equal(LOOK("3.7"), 1);
    assert_true(read_line("3.7")[0] == 3.7);
    assert_true(read_line(" -1e3\r")[0] == -1000);
    assert_true(read_line("0x1p-3")[0] == 0.125);
    assert_true(read_line("inf")[0] == INFINITY);
    assert_true(isnan(read_line("nan")[0]));
    assert_true(isnan(read_line("")[0]));
    assert_true(isnan(read_line("  \t ")[0]));
    assert_true(read_line("np.float64(2)")[0] < -1e250); /* two fields where there was one */
    assert_int_equal(LOOK("1,2", "[1.5, 2.5, 3]", "1\t2"), 3);
    const double *out = read_line("[1.5, 2.5, 3]");
    assert_true(out[0] == 1.5 && out[1] == 2.5 && out[2] == 3);
    out = read_line("4,,6");
    assert_true(out[0] == 4 && isnan(out[1]) && out[2] == 6);
    out = read_line(",5");
    assert_true(isnan(out[0]) && out[1] == 5 && isnan(out[2]));
    out = read_line("7 , 8 ,");
    assert_true(out[0] == 7 && out[1] == 8 && isnan(out[2]));
    assert_int_equal(LOOK("{\"count\": 3.7}"), 2);
    assert_true(read_line("{\"count\":5}")[1] == 5);
    assert_int_equal(LOOK("x=1"), 2);
}

static void words(void **state)
{
    (void)state;
    assert_int_equal(LOOK("T F", "F F"), 2);
    const double *out = read_line("T F");
    assert_string_equal(draw_lines_word(lines, (size_t)out[0]), "T");
    assert_string_equal(draw_lines_word(lines, (size_t)out[1]), "F");
    out = read_line("T");
    assert_string_equal(draw_lines_word(lines, (size_t)out[0]), "T");
    assert_true(isnan(out[1]));
    /* A new word, a number among words, and one field too many have their own numbers. */
    double fresh = read_line("perhaps F")[0], number = read_line("0 F")[0], two = read_line("T F F")[1];
    assert_true(fresh >= 2 && number >= 2 && two >= 2 && fresh != number && fresh != two && number != two);
    assert_true(read_line("00 F")[0] != number);
    assert_null(draw_lines_word(lines, draw_lines_words(lines)));
    /* Whatever came before: what is counted later would look different. */
    LOOK("T F", "F F");
    assert_true(read_line("T F F")[1] == two && read_line("0 F")[0] == number);
    assert_true(read_line("perhaps F")[0] == fresh);
}

static void mixed(void **state)
{
    (void)state;
    size_t field;
    assert_int_equal(LOOK("F F 3.7", "F T", "F F F 1.5"), 5); /* word, word, number and word, number */
    assert_true(draw_lines_place(lines, 0, &field) && field == 0);
    assert_true(draw_lines_place(lines, 1, &field) && field == 1);
    assert_true(!draw_lines_place(lines, 2, &field) && field == 2);
    assert_true(draw_lines_place(lines, 3, &field) && field == 2);
    assert_true(!draw_lines_place(lines, 4, &field) && field == 3);
    const double *out = read_line("F F 3.5");
    assert_true(out[2] == 3.5 && isnan(out[3]) && isnan(out[4]));
    out = read_line("F F F 2.5");
    assert_true(isnan(out[2]) && out[3] == out[0] && out[4] == 2.5);
    out = read_line("F F F T"); /* a word where only numbers were seen */
    double unseen = out[4];
    assert_true(unseen < -1e250 && isfinite(unseen));
    out = read_line("F F F F");
    assert_true(out[4] < -1e250 && out[4] != unseen);
}

/* Bytes of any kind have a draw, and the same one again. */
static void any_bytes(void **state)
{
    (void)state;
    uint64_t seed = 9;
    assert_int_equal(LOOK("a 1", "2 b"), 4);
    for (int i = 0; i < 20000; i++) {
        unsigned char text[40];
        double first[4], again[4];
        size_t length = splitmix64(&seed) % sizeof text;
        for (size_t j = 0; j < length; j++) text[j] = (unsigned char)splitmix64(&seed);
        draw_lines_read(lines, first, (char *)text, length);
        draw_lines_read(lines, again, (char *)text, length);
        assert_memory_equal(first, again, sizeof first);
    }
}

static void limits(void **state)
{
    (void)state;
    dusk_error err;
    static char text[3 * DRAW_FIELDS_MAX];
    for (size_t i = 0; i < DRAW_FIELDS_MAX; i++) memcpy(text + 2 * i, "1 ", 2);
    LOOK("1");
    assert_int_equal(draw_lines_look(lines, text, 2 * DRAW_FIELDS_MAX, &err), DUSK_OK);
    memcpy(text + 2 * DRAW_FIELDS_MAX, "1", 2);
    assert_int_equal(draw_lines_look(lines, text, 2 * DRAW_FIELDS_MAX + 1, &err), DUSK_ERR_PARSE);
    /* Words that are nearly all different. */
    size_t outputs;
    LOOK("1");
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(text, sizeof text, "x%d", i);
        assert_int_equal(draw_lines_look(lines, text, (size_t)length, &err), DUSK_OK);
    }
    assert_int_equal(draw_lines_settle(lines, &outputs, &err), DUSK_ERR_PARSE);
    /* Too many of them. */
    LOOK("word");
    dusk_status status = DUSK_OK;
    int count = 0;
    for (; status == DUSK_OK && count < 2 << 20; count++) {
        int length = snprintf(text, sizeof text, "x%d", count);
        status = draw_lines_look(lines, text, (size_t)length, &err);
    }
    assert_int_equal(status, DUSK_ERR_PARSE);
    assert_int_equal(count, DRAW_WORDS_MAX);
}

static void failing_memory(void **state)
{
    (void)state;
    dusk_status status = DUSK_ERR_MEMORY;
    long n = 1;
    for (; status != DUSK_OK && n < 1000; n++) {
        draw_lines *made = NULL;
        size_t outputs;
        char text[40];
        dusk_memory_fail_at(n);
        status = draw_lines_new(&made, NULL);
        for (int i = 0; status == DUSK_OK && i < 6000; i++)
            status =
                draw_lines_look(made, text, (size_t)snprintf(text, sizeof text, "w%d 1", i % 3000), NULL);
        if (status == DUSK_OK) status = draw_lines_settle(made, &outputs, NULL);
        dusk_memory_fail_at(0);
        if (status != DUSK_OK) assert_int_equal(status, DUSK_ERR_MEMORY);
        draw_lines_free(made);
    }
    assert_int_equal(status, DUSK_OK);
    assert_true(n > 10);
}

static int end(void **state)
{
    (void)state;
    draw_lines_free(lines);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),   cmocka_unit_test(words),  cmocka_unit_test(mixed),
        cmocka_unit_test(any_bytes), cmocka_unit_test(limits), cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
