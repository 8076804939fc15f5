/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy or memory fails at every place where a generator needs it: an error,
 * no coins, no leak, and the generator works again when the source does. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "random/entropy.h"
#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

static dusk_generator *fresh(void)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    return gen;
}

static bool all_zero(const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (words[i]) return false;
    return true;
}

static void no_entropy_no_generator(void **state)
{
    dusk_error err = { .status = DUSK_OK };
    dusk_generator *parent = fresh(), *gen = parent;
    uint64_t bytes[4] = { 1, 1, 1, 1 };

    (void)state;
    dusk_entropy_fail_at(1);
    assert_int_equal(dusk_entropy_bytes(bytes, sizeof bytes, &err), DUSK_ERR_ENTROPY);
    assert_true(all_zero(bytes, 4));
    dusk_entropy_fail_at(1);
    assert_int_equal(dusk_generator_new(&gen, &err), DUSK_ERR_ENTROPY);
    assert_null(gen);
    assert_int_equal(err.status, DUSK_ERR_ENTROPY);
    assert_non_null(strstr(err.message, "entropy"));
    assert_true(err.hint[0] != '\0');

    gen = parent;
    dusk_entropy_fail_at(1);
    assert_int_equal(dusk_generator_fork(&gen, parent, NULL), DUSK_ERR_ENTROPY);
    assert_null(gen);
    assert_int_equal(dusk_generator_fork(&gen, parent, NULL), DUSK_OK);
    dusk_generator_free(gen);
    dusk_generator_free(parent);
}

/* In the child: twice no entropy, then some. */
static int draw_without_entropy(dusk_generator *gen)
{
    uint64_t words[100];
    dusk_generator *forked;
    for (int i = 0; i < 2; i++) {
        memset(words, 1, sizeof words);
        dusk_entropy_fail_at(1);
        if (dusk_generator_words(gen, words, i ? 1 : 100, 64, NULL) != DUSK_ERR_ENTROPY) return 1;
        if (!all_zero(words, i ? 1 : 100)) return 2;
    }
    dusk_entropy_fail_at(2); /* the first is for the fork, the second for the re-key */
    if (dusk_generator_fork(&forked, gen, NULL) != DUSK_ERR_ENTROPY || forked) return 3;
    if (dusk_generator_words(gen, words, 100, 64, NULL) != DUSK_OK || all_zero(words, 100)) return 4;
    return 0;
}

static void child_without_entropy_draws_nothing(void **state)
{
    dusk_generator *gen = fresh();
    uint64_t word;
    int status = -1;

    (void)state;
    assert_int_equal(dusk_generator_words(gen, &word, 1, 64, NULL), DUSK_OK);
    pid_t child = fork();
    if (child == 0) _exit(draw_without_entropy(gen));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    dusk_generator_free(gen);
}

/* Draw until something fails, a gigabyte and a half at most; the bytes drawn. */
static size_t draw_until_failure(dusk_generator *gen, uint64_t *words, size_t n)
{
    size_t drawn = 0;
    while (drawn < (size_t)3 << 29) {
        if (dusk_generator_words(gen, words, n, 64, NULL) != DUSK_OK) return drawn;
        drawn += 8 * n;
    }
    return drawn;
}

static void entropy_is_mixed_in_every_gigabyte(void **state)
{
    enum { N = 16384 };
    static uint64_t words[N];
    const size_t gigabyte = (size_t)1 << 30;
    dusk_generator *gen = fresh();

    (void)state;
    for (int i = 0; i < 2; i++) {
        dusk_entropy_fail_at(1);
        size_t drawn = draw_until_failure(gen, words, N);
        /* A failed request was at most N words, and keys take a little of the stream. */
        assert_true(drawn <= gigabyte && drawn > gigabyte - gigabyte / 256);
        assert_true(all_zero(words, N));
        assert_int_equal(dusk_generator_words(gen, words, N, 64, NULL), DUSK_OK);
    }
    dusk_entropy_fail_at(0);
    dusk_generator_free(gen);
}

static int mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    int c, lines = 0;
    assert_non_null(maps);
    while ((c = getc(maps)) != EOF) lines += c == '\n';
    fclose(maps);
    return lines;
}

/* Make and free what is asked for, the n-th allocation failing. */
static dusk_status try_all(long n)
{
    dusk_generator *made[4] = { NULL, NULL, NULL, NULL };
    uint64_t none = 0;
    dusk_status status;
    dusk_error errors, *err = &errors;

    dusk_memory_fail_at(n);
    DUSK_TRY(dusk_generator_new(&made[0], err));
    DUSK_TRY(dusk_generator_fork(&made[1], made[0], err));
    DUSK_TRY(dusk_generator_new_seeded(&made[2], 1, err));
    DUSK_TRY(dusk_generator_new_tape(&made[3], &none, 0, err));
done:
    dusk_memory_fail_at(0);
    for (int i = 0; i < 4; i++) {
        /* What failed, and what was not reached, is NULL. */
        if (i && made[i]) assert_non_null(made[i - 1]);
        dusk_generator_free(made[i]);
    }
    if (status != DUSK_OK) assert_int_equal(errors.status, status);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;

    (void)state;
    assert_int_equal(try_all(0), DUSK_OK); /* the libraries' own caches are filled now */
    int maps = mappings();
    size_t heap = mallinfo2().uordblks;
    for (; try_all(n) != DUSK_OK; n++) assert_int_equal(try_all(n), DUSK_ERR_MEMORY);
    assert_int_equal(n, 8);
    for (int i = 0; i < 50; i++)
        for (long k = 1; k < n; k++) assert_int_equal(try_all(k), DUSK_ERR_MEMORY);
    assert_int_equal(mallinfo2().uordblks, heap);
    assert_true(mappings() < maps + 20); /* the heap's own may move a little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_entropy_no_generator),
        cmocka_unit_test(child_without_entropy_draws_nothing),
        cmocka_unit_test(entropy_is_mixed_in_every_gigabyte),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
