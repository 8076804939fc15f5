/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_STREAM_H
#define DUSK_RANDOM_STREAM_H

/* A keyed stream of bytes: AES-256-CTR by OpenSSL where the processor has AES
 * instructions, ChaCha20 by libsodium elsewhere. */

#include <stdbool.h>
#include <stddef.h>

#include "dusk/base.h"

enum { DUSK_STREAM_KEY = 48 }; /* 32 bytes of key, then the first counter block */

typedef struct dusk_stream {
    struct evp_cipher_ctx_st *aes; /* NULL: ChaCha20 */
    unsigned char chacha[DUSK_STREAM_KEY];
} dusk_stream;

/* Whether this processor computes AES by instructions: fast, and without
 * tables whose cache lines would tell the key. */
bool dusk_stream_has_aes(void);

/* Prepare a zeroed stream; it has no key yet. With `use_aes` false, or when
 * OpenSSL's configuration has no AES-256-CTR, the stream is ChaCha20.
 * Requires that the system's entropy has been seen to work: libsodium aborts
 * the process without it. */
DUSK_MUST_USE dusk_status dusk_stream_open(dusk_stream *stream, bool use_aes, dusk_error *err);

/* Forget the old key and start at the beginning of the stream of a new one. */
DUSK_MUST_USE dusk_status dusk_stream_rekey(dusk_stream *stream, const unsigned char *key, dusk_error *err);

/* Write the first n bytes of the key's stream (n a multiple of 64) to `out`,
 * which must hold zeros. To be called once a key. */
DUSK_MUST_USE dusk_status dusk_stream_fill(dusk_stream *stream, unsigned char *out, size_t n,
                                           dusk_error *err);

/* Wipe the key and free what the stream holds; a zeroed stream is fine. */
void dusk_stream_close(dusk_stream *stream);

#endif
