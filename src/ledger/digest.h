/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_DIGEST_H
#define DUSK_LEDGER_DIGEST_H

/* BLAKE2b-256 [RFC 7693] of a list of values. Every number is 8 bytes, least significant first;
 * a text is its length and its bytes, a missing one the length 2^64 - 1: two different lists of
 * the same kinds never have the same bytes. */

#include <sodium.h>
#include <stdint.h>

typedef struct ledger_digest {
    crypto_generichash_state state;
} ledger_digest;

/* `purpose` is hashed first: what is one thing cannot be taken for another. */
void ledger_digest_begin(ledger_digest *digest, const char *purpose);
void ledger_digest_whole(ledger_digest *digest, uint64_t x);
void ledger_digest_real(ledger_digest *digest, double x); /* its bits */
void ledger_digest_text(ledger_digest *digest, const char *text);
void ledger_digest_bytes(ledger_digest *digest, const void *bytes, size_t n); /* with their number */
void ledger_digest_end(ledger_digest *digest, uint8_t out[32]);

/* 64 hexadecimal digits. */
void ledger_digest_hex(char out[65], const uint8_t hash[32]);
/* answer.c: the value of an ANSWERED entry. */
void ledger_answer_hash(char out[65], const void *answer, size_t length);

#endif
