/* SPDX-License-Identifier: Apache-2.0 */
/* The generator: its stream against the ciphers called directly, what it
 * leaves in memory, and what happens to it across fork(2). */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <sodium.h>

#include "base/memory.h"
#include "random/entropy.h"
#include "random/state.h"
#include "random/tape.h"
#include "support.h"

enum { BUFFER = DUSK_GENERATOR_BUFFER, KEY = DUSK_STREAM_KEY, SAMPLE = 32 };

static dusk_generator *seeded(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    return gen;
}

/* One buffer of a cipher's stream, by one call and with a context of its own. */
static void cipher_buffer(bool aes, unsigned char *out, const unsigned char *key)
{
    if (!aes) {
        crypto_stream_chacha20(out, BUFFER, key + 32, key);
        return;
    }
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0;
    memset(out, 0, BUFFER);
    assert_int_equal(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, key + 32), 1);
    assert_int_equal(EVP_EncryptUpdate(context, out, &n, out, BUFFER), 1);
    EVP_CIPHER_CTX_free(context);
}

static void check_stream(bool aes)
{
    static unsigned char want[BUFFER], got[BUFFER - KEY];
    unsigned char key[KEY];
    uint64_t seed = 7;
    dusk_generator *gen = seeded(seed);

    assert_string_equal(dusk_generator_name(gen), aes ? "aes-256-ctr" : "chacha20");
    crypto_generichash(key, KEY, (const unsigned char *)&seed, sizeof seed, NULL, 0);
    for (int i = 0; i < 3; i++) {
        cipher_buffer(aes, want, key);
        assert_int_equal(dusk_generator_bytes(gen, got, sizeof got, NULL), DUSK_OK);
        assert_memory_equal(got, want + KEY, sizeof got);
        memcpy(key, want, KEY);
    }
    dusk_generator_free(gen);
}

static void stream_is_the_cipher_with_a_new_key_each_buffer(void **state)
{
    (void)state;
    if (dusk_stream_has_aes()) check_stream(true);
    dusk_generator_pretend(false, true);
    check_stream(false);
    dusk_generator_pretend(false, false);
}

static void request_sizes_do_not_matter(void **state)
{
    enum { TOTAL = 4 * BUFFER };
    static unsigned char whole[TOTAL], parts[TOTAL];
    dusk_generator *a = seeded(1), *b = seeded(1);

    (void)state;
    assert_int_equal(dusk_generator_bytes(a, whole, TOTAL, NULL), DUSK_OK);
    for (size_t at = 0, step = 1; at < TOTAL; at += step, step = step * 3 % 5003 + 1) {
        if (step > TOTAL - at) step = TOTAL - at;
        assert_int_equal(dusk_generator_bytes(b, parts + at, step, NULL), DUSK_OK);
    }
    assert_memory_equal(whole, parts, TOTAL);
    dusk_generator_free(a);
    dusk_generator_free(b);
}

static void words_have_their_coins_on_top(void **state)
{
    enum { N = 100 };
    uint64_t full[N], part[N];

    (void)state;
    for (unsigned bits = 1; bits <= 64; bits++) {
        dusk_generator *a = seeded(bits), *b = seeded(bits);
        assert_int_equal(dusk_generator_words(a, full, N, 64, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_words(b, part, N - 1, bits, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_words(b, part + N - 1, 1, bits, NULL), DUSK_OK);
        for (int i = 0; i < N; i++) assert_true(part[i] == full[i] >> (64 - bits) << (64 - bits));
        dusk_generator_free(a);
        dusk_generator_free(b);
    }
}

static void taken_coins_leave_no_copy(void **state)
{
    uint64_t words[1000];
    dusk_generator *gen;

    (void)state;
    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, words, 1000, 64, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(gen, words, 1, 64, NULL), DUSK_OK);
    assert_int_equal(gen->next, KEY + 8008);
    for (size_t i = 0; i < gen->next; i++) assert_int_equal(gen->buffer[i], 0);
    dusk_generator_free(gen);
    dusk_generator_free(NULL);
}

static void new_generators_differ(void **state)
{
    uint64_t a[4], b[4];
    dusk_generator *first, *second;

    (void)state;
    assert_int_equal(dusk_generator_new(&first, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_new(&second, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(first, a, 4, 64, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_words(second, b, 4, 64, NULL), DUSK_OK);
    assert_memory_not_equal(a, b, sizeof a);
    dusk_generator_free(first);
    dusk_generator_free(second);
}

/* In a process of its own: draw, let a grandchild draw, report both. */
static void draw_in_child(dusk_generator *gen, unsigned char *out, int generations)
{
    int ends[2];
    if (pipe(ends) != 0) fail();
    pid_t child = fork();
    if (child == 0) {
        unsigned char seen[4 * SAMPLE] = { 0 };
        if (dusk_generator_bytes(gen, seen, SAMPLE, NULL) != DUSK_OK) _exit(1);
        if (generations > 1) draw_in_child(gen, seen + SAMPLE, generations - 1);
        size_t size = (size_t)generations * SAMPLE;
        _exit(write(ends[1], seen, size) == (ssize_t)size ? 0 : 1);
    }
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(read(ends[0], out, (size_t)generations * SAMPLE), generations * SAMPLE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
}

static void assert_all_differ(const unsigned char *samples, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(samples + i * SAMPLE, samples + j * SAMPLE, SAMPLE);
}

static void check_process_fork(bool draw_before)
{
    unsigned char samples[9 * SAMPLE];
    dusk_generator *gen;

    assert_int_equal(dusk_generator_new(&gen, NULL), DUSK_OK);
    if (draw_before) assert_int_equal(dusk_generator_bytes(gen, samples, SAMPLE, NULL), DUSK_OK);
    draw_in_child(gen, samples, 3);
    draw_in_child(gen, samples + 3 * SAMPLE, 3);
    for (int i = 6; i < 9; i++)
        assert_int_equal(dusk_generator_bytes(gen, samples + i * SAMPLE, SAMPLE, NULL), DUSK_OK);
    assert_all_differ(samples, 9);
    dusk_generator_free(gen);
}

static void processes_draw_different_coins(void **state)
{
    (void)state;
    check_process_fork(false);
    check_process_fork(true);
}

static void processes_draw_different_coins_on_old_kernels(void **state)
{
    (void)state;
    dusk_generator_pretend(true, false);
    check_process_fork(false);
    check_process_fork(true);
    dusk_generator_pretend(false, false);
}

static void forked_generators_differ(void **state)
{
    unsigned char samples[4 * SAMPLE];
    dusk_generator *parent, *gens[3];

    (void)state;
    assert_int_equal(dusk_generator_new(&parent, NULL), DUSK_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dusk_generator_fork(&gens[i], i < 2 ? parent : gens[0], NULL), DUSK_OK);
        assert_int_equal(dusk_generator_bytes(gens[i], samples + i * SAMPLE, SAMPLE, NULL), DUSK_OK);
    }
    assert_int_equal(dusk_generator_bytes(parent, samples + 3 * SAMPLE, SAMPLE, NULL), DUSK_OK);
    assert_all_differ(samples, 4);
    dusk_generator_free(parent); /* the others do not depend on it */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dusk_generator_bytes(gens[i], samples, SAMPLE, NULL), DUSK_OK);
        dusk_generator_free(gens[i]);
    }
}

static void seeded_generators_repeat(void **state)
{
    unsigned char samples[4 * SAMPLE];

    (void)state;
    for (int i = 0; i < 2; i++) {
        dusk_generator *gen = seeded(5), *forked;
        assert_int_equal(dusk_generator_fork(&forked, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_bytes(gen, samples + 2 * i * SAMPLE, SAMPLE, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_bytes(forked, samples + (2 * i + 1) * SAMPLE, SAMPLE, NULL), DUSK_OK);
        dusk_generator_free(gen);
        dusk_generator_free(forked);
    }
    assert_memory_equal(samples, samples + 2 * SAMPLE, 2 * SAMPLE);
    assert_all_differ(samples, 2);
}

static void entropy_comes_from_true_devices_only(void **state)
{
    unsigned char a[SAMPLE], b[SAMPLE];
    char plain[] = "/tmp/dusk_entropy_XXXXXX";
    int fd = mkstemp(plain);

    (void)state;
    assert_true(fd >= 0 && write(fd, plain, sizeof plain) == (ssize_t)sizeof plain);
    close(fd);
    assert_int_equal(dusk_entropy_from_device("/dev/urandom", a, sizeof a), 0);
    assert_int_equal(dusk_entropy_bytes(b, sizeof b, NULL), DUSK_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(dusk_entropy_from_device(plain, a, 8), -1);
    assert_int_equal(dusk_entropy_from_device("/dev/null", a, 8), -1);
    assert_int_equal(dusk_entropy_from_device("/dev/no-such-device", a, 8), -1);
    unlink(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_the_cipher_with_a_new_key_each_buffer),
        cmocka_unit_test(request_sizes_do_not_matter),
        cmocka_unit_test(words_have_their_coins_on_top),
        cmocka_unit_test(taken_coins_leave_no_copy),
        cmocka_unit_test(new_generators_differ),
        cmocka_unit_test(processes_draw_different_coins),
        cmocka_unit_test(processes_draw_different_coins_on_old_kernels),
        cmocka_unit_test(forked_generators_differ),
        cmocka_unit_test(seeded_generators_repeat),
        cmocka_unit_test(entropy_comes_from_true_devices_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
