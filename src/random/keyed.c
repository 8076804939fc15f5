/* SPDX-License-Identifier: Apache-2.0 */
/* Coins that are a function of (stream, unit) under a key: one block of AES-256, or of
 * ChaCha20 (RFC 8439, with a 64-bit nonce and a 64-bit counter), for each two words, or
 * for the first digits of eight samples. See keyed.h. Uniform integers as in sampling.c [Lemire 2019]; choosing k of n is algorithm S
 * of Knuth, The Art of Computer Programming 2, 3.4.2. Proof: keyed.proof.md.
 *
 * There is no fast key erasure: the key stays until the handle is freed, because the same
 * coins must be had again. */
#include "random/keyed.h"

#include <math.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "random/stream.h"

enum { KEY = 32, BATCH = 256, AHEAD = 16, SHARE = 8 };

struct dusk_keyed_coins {
    EVP_CIPHER_CTX *aes; /* NULL: ChaCha20 */
    unsigned char key[KEY];
};

/* One block for each (stream, unit, turn): what the cipher takes, and what it gives. */
typedef struct block {
    uint64_t unit;
    uint32_t stream, turn;
} block;
typedef struct coin_block {
    uint64_t first, second;
} coin_block;
_Static_assert(sizeof(block) == 16 && sizeof(coin_block) == 16, "a block of AES is 16 bytes");

/* --- the function ------------------------------------------------------------------ */

static dusk_status fail_cipher(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_INTERNAL, "check the libcrypto and libsodium that the process has loaded",
                     "the cipher of the keyed coins failed, so nothing was drawn");
}

static dusk_status open_cipher(dusk_keyed_coins *coins, bool use_aes, dusk_error *err)
{
    if (use_aes) {
        coins->aes = EVP_CIPHER_CTX_new();
        if (!coins->aes) return dusk_fail_memory(err);
        if (EVP_EncryptInit_ex(coins->aes, EVP_aes_256_ecb(), NULL, coins->key, NULL) == 1 &&
            EVP_CIPHER_CTX_set_padding(coins->aes, 0) == 1)
            return DUSK_OK;
        EVP_CIPHER_CTX_free(coins->aes);
        coins->aes = NULL;
    }
    return sodium_init() >= 0 ? DUSK_OK : fail_cipher(err);
}

dusk_status dusk_keyed_new_by(dusk_keyed_coins **out, bool use_aes, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;

    *out = NULL;
    DUSK_NEW(coins, 1);
    DUSK_TRY(dusk_generator_bytes(gen, coins->key, KEY, err));
    DUSK_TRY(open_cipher(coins, use_aes && dusk_stream_has_aes(), err));
    *out = coins;
    coins = NULL;
done:
    dusk_keyed_free(coins);
    return status;
}

dusk_status dusk_keyed_new(dusk_keyed_coins **out, dusk_generator *gen, dusk_error *err)
{
    return dusk_keyed_new_by(out, true, gen, err);
}

dusk_status dusk_keyed_copy(dusk_keyed_coins **out, const dusk_keyed_coins *from, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;

    *out = NULL;
    DUSK_NEW(coins, 1);
    memcpy(coins->key, from->key, KEY);
    DUSK_TRY(open_cipher(coins, from->aes != NULL, err));
    if (!coins->aes != !from->aes) DUSK_TRY(fail_cipher(err)); /* another cipher would toss other coins */
    *out = coins;
    coins = NULL;
done:
    dusk_keyed_free(coins);
    return status;
}

void dusk_keyed_free(dusk_keyed_coins *coins)
{
    if (!coins) return;
    EVP_CIPHER_CTX_free(coins->aes); /* wipes its key schedule */
    dusk_wipe(coins, sizeof *coins);
    dusk_deallocate(coins);
}

uint64_t dusk_keyed_unit(const dusk_keyed_coins *coins, const void *name, size_t size)
{
    unsigned char hash[16];
    uint64_t unit;
    crypto_generichash(hash, sizeof hash, name, size, coins->key, KEY);
    memcpy(&unit, hash, sizeof unit);
    return unit;
}

/* The coins of n <= BATCH blocks, encrypted in place: so MemorySanitizer, which does not see what
 * OpenSSL writes, knows that they are there. */
DUSK_PROVEN(toss)
static dusk_status toss(dusk_keyed_coins *coins, const block *in, coin_block *out, size_t n, dusk_error *err)
{
    if (coins->aes) {
        unsigned char *bytes = (unsigned char *)out;
        int written = 0, size = (int)(n * sizeof *in);
        memcpy(out, in, n * sizeof *in);
        if (EVP_EncryptUpdate(coins->aes, bytes, &written, bytes, size) != 1 || written != size)
            return fail_cipher(err);
        return DUSK_OK;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char nonce[8];
        memcpy(nonce, &in[i].stream, 4);
        memcpy(nonce + 4, &in[i].turn, 4);
        memset(&out[i], 0, sizeof out[i]);
        if (crypto_stream_chacha20_xor_ic((unsigned char *)&out[i], (const unsigned char *)&out[i],
                                          sizeof out[i], nonce, in[i].unit, coins->key) != 0)
            return fail_cipher(err);
    }
    return DUSK_OK;
}

/* The first block of n <= BATCH units, the first of which is number `at`. */
static dusk_status toss_units(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, size_t at,
                              coin_block *out, size_t n, dusk_error *err)
{
    block in[BATCH];
    for (size_t i = 0; i < n; i++) {
        uint64_t unit = units ? units[at + i] : at + i;
        in[i] = (block){ DUSK_MUTATE(KEYED_BY_POSITION, unit, at + i), stream, 0 };
    }
    return toss(coins, in, out, n, err);
}

/* --- the coins of one unit, one word after the other ----------------------------------- */

typedef struct purse {
    dusk_keyed_coins *coins;
    block next; /* the first that is not tossed yet */
    coin_block ahead[AHEAD];
    unsigned taken; /* words of `ahead`; all of them: none is left */
} purse;

static void purse_open(purse *p, dusk_keyed_coins *coins, uint32_t stream, uint64_t unit)
{
    p->coins = coins;
    p->next = (block){ unit, stream, 0 };
    p->taken = 2 * AHEAD;
}

DUSK_PROVEN(purse_word)
static inline dusk_status purse_word(purse *p, uint64_t *out, dusk_error *err)
{
    if (p->taken == 2 * AHEAD) {
        block in[AHEAD];
        for (unsigned i = 0; i < AHEAD; i++) {
            in[i] = p->next;
            p->next.turn++;
        }
        dusk_status status = toss(p->coins, in, p->ahead, AHEAD, err);
        if (status != DUSK_OK) return status;
        p->taken = 0;
    }
    *out = p->taken % 2 ? p->ahead[p->taken / 2].second : p->ahead[p->taken / 2].first;
    p->taken++;
    return DUSK_OK;
}

/* Lemire's draw: whether the word is accepted, and the number that it gives. */
DUSK_PROVEN(accept)
static inline bool accept(uint64_t word, uint64_t n, uint64_t *out)
{
    dusk_uint128 product = (dusk_uint128)word * n;
    uint64_t low = (uint64_t)product;
    *out = (uint64_t)(product >> 64);
    return low >= n || low >= DUSK_MUTATE(KEYED_SKIPS_REJECTION, (0 - n) % n, 0);
}

static inline dusk_status purse_below(purse *p, uint64_t *out, uint64_t n, dusk_error *err)
{
    uint64_t word;
    do {
        dusk_status status = purse_word(p, &word, err);
        if (status != DUSK_OK) return status;
    } while (!accept(word, n, out));
    return DUSK_OK;
}

/* --- many units ------------------------------------------------------------------------- */

DUSK_PROVEN(dusk_keyed_words)
dusk_status dusk_keyed_words(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, uint64_t *out,
                             size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    coin_block tossed[BATCH];
    for (size_t at = 0; at < n; at += BATCH) {
        size_t m = n - at < BATCH ? n - at : BATCH;
        DUSK_TRY(toss_units(coins, stream, units, at, tossed, m, err));
        for (size_t i = 0; i < m; i++) out[at + i] = tossed[i].first;
    }
done:
    dusk_wipe(tossed, sizeof tossed);
    return status;
}

DUSK_PROVEN(dusk_keyed_below)
dusk_status dusk_keyed_below(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, uint64_t *out,
                             size_t n, uint64_t below, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (below == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for a range that holds at least one number",
                         "a uniform draw needs at least one number to choose from");
    DUSK_TRY(dusk_keyed_words(coins, stream, units, out, n, err));
    for (size_t i = 0; i < n; i++) {
        purse own;
        if (accept(out[i], below, &out[i])) continue;
        purse_open(&own, coins, stream, units ? units[i] : i); /* the rare case: from its first word on */
        DUSK_TRY(purse_below(&own, &out[i], below, err));
    }
done:
    return status;
}

/* --- samples ------------------------------------------------------------------------------ */

/* The first digits of a unit's coin for a sample are 16 of a block that it shares with the seven units whose numbers
 * differ from its own in the last three digits; no purse gets as far as this turn. */
#define SHARED_TURN UINT32_MAX

/* The shared blocks of units `first`, ..., `first` + n - 1, first a multiple of 8 and n <= 8 BATCH. */
static dusk_status toss_row(dusk_keyed_coins *coins, uint32_t stream, uint64_t first, coin_block *out,
                            size_t n, dusk_error *err)
{
    block in[BATCH];
    const size_t blocks = (n + SHARE - 1) / SHARE;
    for (size_t i = 0; i < blocks; i++) in[i] = (block){ first / SHARE + i, stream, SHARED_TURN };
    return toss(coins, in, out, blocks, err);
}

/* The 16 digits of n <= BATCH named units. */
static dusk_status toss_leads(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, uint16_t *out,
                              size_t n, dusk_error *err)
{
    block in[BATCH];
    coin_block tossed[BATCH];
    for (size_t i = 0; i < n; i++) in[i] = (block){ units[i] / SHARE, stream, SHARED_TURN };
    dusk_status status = toss(coins, in, tossed, n, err);
    for (size_t i = 0; status == DUSK_OK && i < n; i++) {
        uint16_t lead[SHARE];
        memcpy(lead, &tossed[i], sizeof lead);
        out[i] = lead[units[i] % SHARE];
    }
    dusk_wipe(tossed, sizeof tossed);
    return status;
}

/* in[i] = lead[i] < rate, and whether any is equal; n is a multiple of 16. */
#if defined(__SSE2__)
static bool compare_leads(bool *in, const uint16_t *lead, size_t n, uint16_t rate)
{
    const __m128i top = _mm_set1_epi16(INT16_MIN),
                  one = _mm_set1_epi8(1); /* lanes compare numbers with signs */
    const __m128i limit = _mm_xor_si128(_mm_set1_epi16((int16_t)rate), top);
    __m128i ties = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += 16) {
        const __m128i a = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(lead + i)), top);
        const __m128i b = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)(lead + i + 8)), top);
        ties = _mm_or_si128(ties, _mm_or_si128(_mm_cmpeq_epi16(a, limit), _mm_cmpeq_epi16(b, limit)));
        const __m128i below = _mm_packs_epi16(_mm_cmplt_epi16(a, limit), _mm_cmplt_epi16(b, limit));
        _mm_storeu_si128((__m128i *)(void *)(in + i), _mm_and_si128(below, one));
    }
    return _mm_movemask_epi8(ties) != 0;
}
#else
static bool compare_leads(bool *in, const uint16_t *lead, size_t n, uint16_t rate)
{
    bool ties = false;
    for (size_t i = 0; i < n; i++) {
        in[i] = lead[i] < rate;
        ties |= lead[i] == rate;
    }
    return ties;
}
#endif

/* Those whose 16 digits are the rate's own, one in 2^16: by the digits that follow, which are their own words. */
static dusk_status settle_leads(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, size_t at,
                                bool *in, const uint16_t *lead, size_t n, uint64_t rate, dusk_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const block own = { units ? units[at + i] : at + i, stream, 0 };
        coin_block tossed;
        if (lead[i] != (uint16_t)(rate >> 48)) continue;
        dusk_status status = toss(coins, &own, &tossed, 1, err);
        if (status != DUSK_OK) return status;
        in[i] = DUSK_MUTATE(KEYED_INCLUDES_ONE_MORE, tossed.first < rate << 16, true);
    }
    return DUSK_OK;
}

/* Named units, or by number from `first` on. */
DUSK_PROVEN(include)
static dusk_status include(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, size_t first,
                           bool *in, size_t n, uint64_t rate, dusk_error *err)
{
    const size_t batch = units ? BATCH : BATCH * SHARE;
    dusk_status status = DUSK_OK;
    coin_block tossed[BATCH] = { { 0 } };
    uint16_t lead[BATCH * SHARE] = { 0 };
    bool below[BATCH * SHARE];
    for (size_t at = 0; at < n; at += batch) {
        const size_t m = n - at < batch ? n - at : batch;
        if (units) {
            DUSK_TRY(toss_leads(coins, stream, units + at, lead, m, err));
        } else {
            DUSK_TRY(toss_row(coins, stream, first + at, tossed, m, err));
            memcpy(lead, tossed, sizeof tossed);
        }
        bool ties = compare_leads(below, lead, (m + 15) / 16 * 16, (uint16_t)(rate >> 48));
        if (ties) DUSK_TRY(settle_leads(coins, stream, units, first + at, below, lead, m, rate, err));
        memcpy(in + at, below, m * sizeof *in);
    }
done:
    dusk_wipe(tossed, sizeof tossed);
    dusk_wipe(lead, sizeof lead);
    dusk_wipe(below, sizeof below);
    return status;
}

dusk_status dusk_keyed_include(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, bool *in,
                               size_t n, uint64_t rate, dusk_error *err)
{
    return include(coins, stream, units, 0, in, n, rate, err);
}

dusk_status dusk_keyed_include_rows(dusk_keyed_coins *coins, uint32_t stream, size_t first, bool *in,
                                    size_t n, uint64_t rate, dusk_error *err)
{
    return include(coins, stream, NULL, first, in, n, rate, err);
}

DUSK_PROVEN(dusk_keyed_rate_down)
uint64_t dusk_keyed_rate_down(double q)
{
    if (!(q > 0)) return 0;
    return q < 1 ? (uint64_t)ldexp(q, 64) : UINT64_MAX; /* exact but for the fraction, which is cut */
}

DUSK_PROVEN(dusk_keyed_choose)
dusk_status dusk_keyed_choose(dusk_keyed_coins *coins, uint32_t stream, uint64_t unit, size_t held,
                              size_t most, size_t *chosen, size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    purse own;
    size_t taken = 0;

    if (held >> 31)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "one unit has at most 2^31 - 1 contributions");
    purse_open(&own, coins, stream, unit);
    for (size_t i = 0; i < held && taken < most; i++) {
        uint64_t u = 0;
        if (held > most) DUSK_TRY(purse_below(&own, &u, held - i, err));
        chosen[taken] = i; /* and counted if it stays: no branch hangs on a coin */
        taken += held <= most || u < DUSK_MUTATE(KEYED_CHOOSES_EARLY, most - taken, most);
    }
    *count = taken;
done:
    dusk_wipe(&own, sizeof own);
    return status;
}

/* --- orders ------------------------------------------------------------------------------- */

typedef struct ticket {
    uint64_t word;
    size_t position;
} ticket;

/* Radix sort by the word, a byte at a time; equal words stay in order. */
static void sort_tickets(ticket *tickets, ticket *spare, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = { 0 };
        for (size_t i = 0; i < n; i++) start[(tickets[i].word >> shift & 255) + 1]++;
        for (size_t b = 0; b < 256; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) spare[start[tickets[i].word >> shift & 255]++] = tickets[i];
        ticket *swap = tickets; /* eight times: back where it began */
        tickets = spare;
        spare = swap;
    }
}

/* Whether unit b comes before unit a, both of whose first words are the same: by their
 * further words. The same unit does not come before itself. */
DUSK_PROVEN(comes_before)
static dusk_status comes_before(bool *out, dusk_keyed_coins *coins, uint32_t stream, uint64_t b, uint64_t a,
                                dusk_error *err)
{
    purse of_a, of_b;
    uint64_t x = 0, y = 0;
    *out = false;
    if (a == b) return DUSK_OK;
    purse_open(&of_a, coins, stream, a);
    purse_open(&of_b, coins, stream, b);
    while (x == y) {
        dusk_status status = purse_word(&of_a, &x, err);
        if (status == DUSK_OK) status = purse_word(&of_b, &y, err);
        if (status != DUSK_OK) return status;
    }
    *out = y < x;
    return DUSK_OK;
}

/* Insertion sort of what shares its first word: hardly ever more than one. */
static dusk_status settle_ties(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, ticket *t,
                               size_t n, dusk_error *err)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && t[j - 1].word == t[j].word; j--) {
            size_t a = t[j - 1].position, b = t[j].position;
            bool before;
            dusk_status status =
                comes_before(&before, coins, stream, units ? units[b] : b, units ? units[a] : a, err);
            if (status != DUSK_OK) return status;
            if (!before) break;
            t[j - 1].position = b;
            t[j].position = a;
        }
    return DUSK_OK;
}

DUSK_PROVEN(dusk_keyed_order)
dusk_status dusk_keyed_order(dusk_keyed_coins *coins, uint32_t stream, const uint64_t *units, size_t *order,
                             size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ticket *tickets = NULL, *spare = NULL;
    uint64_t *words = NULL;

    DUSK_NEW(tickets, n);
    DUSK_NEW(spare, n);
    DUSK_NEW(words, n);
    DUSK_TRY(dusk_keyed_words(coins, stream, units, words, n, err));
    for (size_t i = 0; i < n; i++) tickets[i] = (ticket){ words[i], i };
    sort_tickets(tickets, spare, n);
    DUSK_TRY(settle_ties(coins, stream, units, tickets, n, err));
    for (size_t i = 0; i < n; i++) order[i] = tickets[i].position;
done:
    if (tickets) dusk_wipe(tickets, n * sizeof *tickets);
    if (spare) dusk_wipe(spare, n * sizeof *spare);
    if (words) dusk_wipe(words, n * sizeof *words);
    dusk_deallocate(tickets);
    dusk_deallocate(spare);
    dusk_deallocate(words);
    return status;
}
