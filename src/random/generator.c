/* SPDX-License-Identifier: Apache-2.0 */
/* The secure generator: a buffer of cipher stream with fast key erasure
 * (Bernstein 2017, "Fast-key-erasure random-number generators").
 *
 * What is guaranteed against somebody who reads the process's memory later:
 * coins that were handed out are neither in the buffer (each is zeroed as it
 * is taken) nor can they be computed from the key (the key in memory is always
 * that of the next buffer). Coins still in the buffer are exposed.
 *
 * What is not done: no protection against swap or core dumps, and none against
 * a virtual machine that is resumed twice from one snapshot. */
#include "random/generator.h"

#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/rounding.h"
#include "random/entropy.h"
#include "random/record.h"
#include "random/state.h"
#include "random/tape.h"

enum { KEY = DUSK_STREAM_KEY, BUFFER = DUSK_GENERATOR_BUFFER, LINE = 64, PAGE = 4096 };
static const uint64_t entropy_interval = (uint64_t)1 << 30;

#ifdef DUSK_TESTING
static _Thread_local bool pretend_old_kernel, pretend_no_aes; /* test builds only */

void dusk_generator_pretend(bool old_kernel, bool no_aes)
{
    pretend_old_kernel = old_kernel;
    pretend_no_aes = no_aes;
}
#else
enum { pretend_old_kernel = 0, pretend_no_aes = 0 };
#endif

/* key = BLAKE2b(a, b): as secret as the better of the two. */
static void mix(unsigned char key[KEY], const unsigned char a[KEY], const unsigned char b[KEY])
{
    unsigned char both[2 * KEY];
    memcpy(both, a, KEY);
    memcpy(both + KEY, b, KEY);
    crypto_generichash(key, KEY, both, sizeof both, NULL, 0);
    dusk_wipe(both, sizeof both);
}

static void discard(dusk_generator *gen)
{
    dusk_wipe(gen->buffer, BUFFER);
    gen->next = BUFFER;
}

/* Requires an empty buffer; it is all zeros then, which the cipher turns into
 * its stream. On failure the buffer is empty again. */
static dusk_status refill(dusk_generator *gen, dusk_error *err)
{
    unsigned char fresh[KEY], key[KEY];
    bool due = DUSK_MUTATE(ENTROPY_NEVER_MIXED, gen->since_entropy >= entropy_interval, false);
    due = due && !gen->repeatable;
    dusk_status status;

    if (due) DUSK_TRY(dusk_entropy_bytes(fresh, KEY, err));
    DUSK_TRY(dusk_stream_fill(&gen->stream, gen->buffer, BUFFER, err));
    memcpy(key, gen->buffer, KEY);
    if (due) mix(key, gen->buffer, fresh);
    DUSK_TRY(DUSK_MUTATE(REFILL_KEEPS_KEY, dusk_stream_rekey(&gen->stream, key, err), DUSK_OK));
    memset(gen->buffer, 0, KEY);
    gen->next = KEY;
    gen->since_entropy = (due ? 0 : gen->since_entropy) + BUFFER;
done:
    if (status != DUSK_OK) discard(gen);
    dusk_wipe(fresh, sizeof fresh);
    dusk_wipe(key, sizeof key);
    return status;
}

/* Start again from a key of the operating system; in a forked child nothing
 * of the parent's stream may be used. */
static dusk_status rekey(dusk_generator *gen, dusk_error *err)
{
    unsigned char key[KEY];
    dusk_status status;

    discard(gen);
    DUSK_TRY(dusk_entropy_bytes(key, KEY, err));
    DUSK_TRY(dusk_stream_rekey(&gen->stream, key, err));
    gen->since_entropy = 0;
    if (gen->owner) gen->owner = getpid();
    *gen->alive = 1;
done:
    dusk_wipe(key, sizeof key);
    return status;
}

static bool is_forked(const dusk_generator *gen)
{
    return *gen->alive == 0 || (gen->owner && gen->owner != getpid());
}

/* Copy n bytes out and leave zeros behind. */
static inline void take(dusk_generator *gen, void *out, size_t n)
{
    memcpy(out, gen->buffer + gen->next, n);
    memset(gen->buffer + gen->next, 0, n);
    gen->next += n;
}

static dusk_status take_all(dusk_generator *gen, unsigned char *out, size_t n, dusk_error *err)
{
    dusk_status status;
    size_t done_bytes = 0;

    if (is_forked(gen)) DUSK_TRY(rekey(gen, err));
    while (done_bytes < n) {
        if (gen->next == BUFFER) DUSK_TRY(refill(gen, err));
        size_t have = BUFFER - gen->next, want = n - done_bytes;
        size_t now = want < have ? want : have;
        take(gen, out + done_bytes, now);
        done_bytes += now;
    }
    return DUSK_OK;
done:
    dusk_wipe(out, n);
    return status;
}

dusk_status dusk_generator_words(dusk_generator *gen, uint64_t *out, size_t n, unsigned bits, dusk_error *err)
{
#ifdef DUSK_TESTING
    if (gen->is_tape) return dusk_tape_words(&gen->tape, out, n, bits, err);
    if (gen->record) gen->record->taken += 8 * n;
#endif
    if (n <= 4 && BUFFER - gen->next >= 8 * n && !is_forked(gen)) {
        for (size_t i = 0; i < n; i++) take(gen, out + i, 8); /* word by word: no calls for a few bytes */
    } else {
        dusk_status status = take_all(gen, (unsigned char *)out, n * 8, err);
        if (status != DUSK_OK) return status;
    }
    if (bits < 64)
        for (size_t i = 0; i < n; i++) out[i] &= ~(UINT64_MAX >> bits);
    return DUSK_OK;
}

dusk_status dusk_generator_bytes(dusk_generator *gen, void *out, size_t n, dusk_error *err)
{
#ifdef DUSK_TESTING
    if (gen->is_tape) return dusk_tape_bytes(&gen->tape, out, n, err);
    if (gen->record) gen->record->taken += n;
#endif
    return take_all(gen, out, n, err);
}

/* Have the kernel tell us of a fork: a page that it zeroes in the child. */
static dusk_status watch_forks(dusk_generator *gen, dusk_error *err)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return dusk_fail_memory(err);
    gen->page = page;
    /* Emulators that say yes to any advice, even -1, do not do what they say. */
    bool works =
        !pretend_old_kernel && madvise(page, PAGE, -1) != 0 && madvise(page, PAGE, MADV_WIPEONFORK) == 0;
    if (!works) gen->owner = getpid();
    gen->alive = DUSK_MUTATE(FORK_KEEPS_STREAM, page, (void *)&gen->always);
    return DUSK_OK;
}

static dusk_status make(dusk_generator **out, const unsigned char key[KEY], bool repeatable, dusk_error *err)
{
    dusk_status status;
    dusk_generator *gen = NULL;
    unsigned char *storage;

    DUSK_NEW(gen, 1);
    gen->repeatable = repeatable;
    gen->alive = &gen->always;
    DUSK_NEW(storage, BUFFER + LINE);
    gen->storage = storage;
    gen->buffer = storage + (LINE - (uintptr_t)storage % LINE);
    gen->next = BUFFER;
    if (!repeatable) DUSK_TRY(watch_forks(gen, err));
    DUSK_TRY(dusk_stream_open(&gen->stream, dusk_stream_has_aes() && !pretend_no_aes, err));
    DUSK_TRY(dusk_stream_rekey(&gen->stream, key, err));
    *gen->alive = 1;
    *out = gen;
    gen = NULL;
done:
    dusk_generator_free(gen);
    return status;
}

dusk_status dusk_generator_new(dusk_generator **out, dusk_error *err)
{
    unsigned char key[KEY];
    dusk_status status;

    *out = NULL;
    DUSK_TRY(dusk_check_arithmetic(err));
    DUSK_TRY(dusk_entropy_bytes(key, KEY, err));
    DUSK_TRY(make(out, key, false, err));
done:
    dusk_wipe(key, sizeof key);
    return status;
}

/* The key of a fork is the parent's next coins mixed, unless the parent must
 * be repeatable, with the system's entropy. */
dusk_status dusk_generator_fork(dusk_generator **out, dusk_generator *parent, dusk_error *err)
{
    unsigned char inherited[KEY], fresh[KEY] = { 0 };
    dusk_status status;

    *out = NULL;
#ifdef DUSK_TESTING
    if (parent->is_tape)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "run tape tests in one thread",
                         "a coin tape cannot be forked");
#endif
    if (!parent->repeatable) DUSK_TRY(dusk_entropy_bytes(fresh, KEY, err));
    DUSK_TRY(dusk_generator_bytes(parent, inherited, KEY, err));
    mix(inherited, inherited, fresh);
    DUSK_TRY(make(out, inherited, parent->repeatable, err));
    DUSK_RECORD((*out)->record = parent->record;)
done:
    dusk_wipe(inherited, sizeof inherited);
    dusk_wipe(fresh, sizeof fresh);
    return status;
}

void dusk_generator_free(dusk_generator *gen)
{
    if (!gen) return;
    dusk_stream_close(&gen->stream);
    if (gen->buffer) dusk_wipe(gen->buffer, BUFFER);
    if (gen->page) munmap(gen->page, PAGE);
    dusk_deallocate(gen->storage);
    dusk_wipe(gen, sizeof *gen);
    dusk_deallocate(gen);
}

const char *dusk_generator_name(const dusk_generator *gen)
{
#ifdef DUSK_TESTING
    if (gen->is_tape) return "tape";
#endif
    return gen->stream.aes ? "aes-256-ctr" : "chacha20";
}

#ifdef DUSK_TESTING
dusk_status dusk_generator_new_seeded(dusk_generator **out, uint64_t seed, dusk_error *err)
{
    unsigned char key[KEY];

    *out = NULL;
    crypto_generichash(key, KEY, (const unsigned char *)&seed, sizeof seed, NULL, 0);
    return make(out, key, true, err);
}
#endif
