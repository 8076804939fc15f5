/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: pieces are zeroed, apart, aligned, and whole whatever their size. */
#include "support.h"

#include <stdalign.h>
#include <string.h>

#include "query/expression.h"

static void pieces_are_zeroed_and_apart(void **state)
{
    query_arena *arena;
    unsigned char *piece[300];
    size_t size[300];
    uint64_t seed = 1;
    (void)state;
    assert_int_equal(query_arena_new(&arena, NULL), DUSK_OK);
    for (size_t i = 0; i < 300; i++) {
        size[i] = (size_t)(splitmix64(&seed) % (i % 50 == 0 ? 100000 : 500));
        piece[i] = query_arena_take(arena, size[i], 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], 0);
        memset(piece[i], (int)(i % 255) + 1, size[i]);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], i % 255 + 1);
    assert_null(query_arena_take(arena, SIZE_MAX, 2));
    assert_null(query_arena_take(arena, SIZE_MAX / 2, 4));
    assert_string_equal(query_arena_text(arena, "unit and more", 4), "unit");
    query_arena_free(arena);
    query_arena_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pieces_are_zeroed_and_apart) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
