/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of lists; see digest.h. */
#include "ledger/digest.h"

#include <string.h>

static void add(ledger_digest *digest, const void *bytes, size_t n)
{
    /* Cannot fail: the state was made by _begin. */
    (void)crypto_generichash_update(&digest->state, bytes, n);
}

void ledger_digest_begin(ledger_digest *digest, const char *purpose)
{
    (void)crypto_generichash_init(&digest->state, NULL, 0, 32);
    ledger_digest_text(digest, purpose);
}

void ledger_digest_whole(ledger_digest *digest, uint64_t x)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(x >> 8 * i);
    add(digest, bytes, sizeof bytes);
}

void ledger_digest_real(ledger_digest *digest, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    ledger_digest_whole(digest, bits);
}

void ledger_digest_bytes(ledger_digest *digest, const void *bytes, size_t n)
{
    ledger_digest_whole(digest, n);
    if (n > 0) add(digest, bytes, n);
}

void ledger_digest_text(ledger_digest *digest, const char *text)
{
    if (text)
        ledger_digest_bytes(digest, text, strlen(text));
    else
        ledger_digest_whole(digest, UINT64_MAX);
}

void ledger_digest_end(ledger_digest *digest, uint8_t out[32])
{
    (void)crypto_generichash_final(&digest->state, out, 32);
}

void ledger_digest_hex(char out[65], const uint8_t hash[32])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 32; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[64] = '\0';
}
