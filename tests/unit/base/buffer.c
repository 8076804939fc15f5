/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows: what is written is what is taken, whatever the sizes, and memory that runs out is
 * remembered until then. */
#include <stdio.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "support.h"

static void text_grows(void **state)
{
    dusk_buffer buffer = { 0 };
    static char expected[70000];
    size_t n = 0;
    char *text;
    (void)state;
    for (int i = 0; n < 60000; i++) {
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%d,%*s;", i, i % 700, "");
        if (i % 2) {
            dusk_buffer_add(&buffer, "%d,%*s;", i, i % 700, "");
        } else {
            char part[800];
            size_t length = (size_t)snprintf(part, sizeof part, "%d,%*s;", i, i % 700, "");
            dusk_buffer_bytes(&buffer, part, length);
        }
        assert_int_equal(buffer.length, n);
    }
    dusk_buffer_number(&buffer, 0.1);
    snprintf(expected + n, sizeof expected - n, "0.1");
    assert_int_equal(dusk_buffer_take(&buffer, &text, NULL), DUSK_OK);
    assert_string_equal(text, expected);
    assert_true(!buffer.data && !buffer.length);
    dusk_deallocate(text);
}

static void nothing_is_an_empty_text(void **state)
{
    dusk_buffer buffer = { 0 };
    char *text = NULL;
    (void)state;
    assert_int_equal(dusk_buffer_take(&buffer, &text, NULL), DUSK_OK);
    assert_string_equal(text, "");
    dusk_deallocate(text);
    dusk_buffer_clear(&buffer);
}

static void a_failure_is_remembered(void **state)
{
    dusk_buffer buffer = { 0 };
    char *text = NULL;
    (void)state;
    dusk_buffer_add(&buffer, "%100d", 1);
    dusk_memory_fail_at(1);
    dusk_buffer_add(&buffer, "%200d", 1);
    dusk_memory_fail_at(0);
    dusk_buffer_add(&buffer, "more");
    assert_int_equal(dusk_buffer_take(&buffer, &text, NULL), DUSK_ERR_MEMORY);
    assert_null(text);
    assert_true(!buffer.data && !buffer.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(nothing_is_an_empty_text),
        cmocka_unit_test(a_failure_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
