/* SPDX-License-Identifier: Apache-2.0 */
/* Nonces that were seen: open addressing with linear probing, at most three quarters full, in stripes with a lock each. Places are
 * SipHash-2-4 [Aumasson & Bernstein 2012] of the number under a key of the set's own. */
#include "local/nonces.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "random/generator.h"

#define STRIPES 64
#define FIRST 64 /* places of a stripe in the beginning */
#define AHEAD 8  /* numbers whose places are fetched in advance */

/* 0 marks an empty place; the number 0 itself is `zero`. `slot` and `mask` change under the lock; who only wants to fetch a place in advance reads
 * them without, and at worst fetches the wrong one. */
typedef struct stripe {
    pthread_mutex_t lock;
    _Atomic(uint64_t *) slot;
    _Atomic uint64_t mask;
    uint64_t used;
    bool zero;
} stripe;

struct local_nonces {
    unsigned char key[crypto_shorthash_KEYBYTES];
    size_t locks; /* that were made */
    stripe stripe[STRIPES];
};

static uint64_t *slots_of(const stripe *s) { return atomic_load_explicit(&s->slot, memory_order_relaxed); }
static uint64_t mask_of(const stripe *s) { return atomic_load_explicit(&s->mask, memory_order_relaxed); }

dusk_status local_nonces_new(local_nonces **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    local_nonces *set = NULL;
    dusk_generator *gen = NULL;
    *out = NULL;
    DUSK_NEW(set, 1);
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(dusk_generator_bytes(gen, set->key, sizeof set->key, err));
    for (size_t i = 0; i < STRIPES; i++) {
        uint64_t *slot;
        if (pthread_mutex_init(&set->stripe[i].lock, NULL) != 0) DUSK_TRY(dusk_fail_memory(err));
        set->locks++;
        DUSK_NEW(slot, FIRST);
        atomic_init(&set->stripe[i].slot, slot);
        atomic_init(&set->stripe[i].mask, FIRST - 1);
    }
    *out = set;
    set = NULL;
done:
    dusk_generator_free(gen);
    local_nonces_free(set);
    return status;
}

void local_nonces_free(local_nonces *set)
{
    for (size_t i = 0; set && i < set->locks; i++) {
        dusk_deallocate(slots_of(&set->stripe[i]));
        (void)pthread_mutex_destroy(&set->stripe[i].lock);
    }
    dusk_deallocate(set);
}

static uint64_t hash_of(const local_nonces *set, uint64_t nonce)
{
    uint64_t hash;
    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)&nonce, sizeof nonce, set->key);
    return hash;
}

/* The stripe is by the highest bits of the hash, the place by the lowest. */
static size_t stripe_of(uint64_t hash) { return (size_t)(hash >> 58); }

/* Where the number is, or would be: there is always an empty place. */
static uint64_t *place_of(uint64_t *slot, uint64_t mask, uint64_t hash, uint64_t nonce)
{
    uint64_t i = hash & mask;
    while (slot[i] != 0 && slot[i] != nonce) i = (i + 1) & mask;
    return &slot[i];
}

static bool grow(local_nonces *set, stripe *s)
{
    uint64_t *old = slots_of(s);
    const uint64_t places = mask_of(s) + 1, mask = 2 * places - 1;
    uint64_t *slot = dusk_allocate(2 * places, sizeof *slot);
    if (!slot) return false;
    for (uint64_t i = 0; i < places; i++)
        if (old[i]) *place_of(slot, mask, hash_of(set, old[i]), old[i]) = old[i];
    atomic_store_explicit(&s->slot, slot, memory_order_relaxed);
    atomic_store_explicit(&s->mask, mask, memory_order_relaxed);
    dusk_deallocate(old);
    return true;
}

dusk_status local_nonces_reserve(local_nonces *set, uint64_t count, dusk_error *err)
{
    for (size_t i = 0; i < STRIPES; i++)
        while (3 * (mask_of(&set->stripe[i]) + 1) / 4 < count / STRIPES)
            if (!grow(set, &set->stripe[i])) return dusk_fail_memory(err);
    return DUSK_OK;
}

/* Whether it was added; *full: there was no memory. The lock is held. */
static bool add_to(local_nonces *set, stripe *s, uint64_t hash, uint64_t nonce, bool *full)
{
    if (nonce == 0) {
        const bool added = !s->zero;
        s->zero = true;
        return added;
    }
    if (4 * (s->used + 1) > 3 * (mask_of(s) + 1) && !grow(set, s)) {
        *full = true;
        return false;
    }
    uint64_t *place = place_of(slots_of(s), mask_of(s), hash, nonce);
    if (DUSK_MUTATE(NONCES_FORGET, *place == nonce, false)) return false;
    *place = nonce;
    s->used++;
    return true;
}

static dusk_status add_hashed(local_nonces *set, uint64_t hash, uint64_t nonce, bool *added, dusk_error *err)
{
    stripe *s = &set->stripe[stripe_of(hash)];
    bool full = false;
    (void)pthread_mutex_lock(&s->lock);
    *added = add_to(set, s, hash, nonce, &full);
    (void)pthread_mutex_unlock(&s->lock);
    return full ? dusk_fail_memory(err) : DUSK_OK;
}

dusk_status local_nonces_add(local_nonces *set, uint64_t nonce, bool *added, dusk_error *err)
{
    return add_hashed(set, hash_of(set, nonce), nonce, added, err);
}

static void fetch(const local_nonces *set, uint64_t hash)
{
    const stripe *s = &set->stripe[stripe_of(hash)];
    __builtin_prefetch(slots_of(s) + (hash & mask_of(s)), 1);
}

dusk_status local_nonces_add_all(local_nonces *set, const uint64_t *nonces, size_t n, bool *added,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t hash[AHEAD];
    for (size_t i = 0; i < n + AHEAD; i++) {
        if (i >= AHEAD) DUSK_TRY(add_hashed(set, hash[i % AHEAD], nonces[i - AHEAD], &added[i - AHEAD], err));
        if (i < n) {
            hash[i % AHEAD] = hash_of(set, nonces[i]);
            fetch(set, hash[i % AHEAD]);
        }
    }
done:
    return status;
}

bool local_nonces_has(const local_nonces *set, uint64_t nonce)
{
    const uint64_t hash = hash_of(set, nonce);
    const stripe *s = &set->stripe[stripe_of(hash)];
    return nonce ? *place_of(slots_of(s), mask_of(s), hash, nonce) == nonce : s->zero;
}

uint64_t local_nonces_count(const local_nonces *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < STRIPES; i++) count += set->stripe[i].used + set->stripe[i].zero;
    return count;
}

bool local_nonces_each(const local_nonces *set, bool (*visit)(void *context, uint64_t nonce), void *context)
{
    for (size_t i = 0; i < STRIPES; i++) {
        const stripe *s = &set->stripe[i];
        const uint64_t *slot = slots_of(s);
        if (s->zero && !visit(context, 0)) return false;
        for (uint64_t j = 0; j <= mask_of(s); j++)
            if (slot[j] && !visit(context, slot[j])) return false;
    }
    return true;
}
