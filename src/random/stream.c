/* SPDX-License-Identifier: Apache-2.0 */
/* AES-256-CTR and ChaCha20 behind one face; see stream.h. The ciphers are the
 * libraries' own (NIST SP 800-38A, RFC 8439 with a 64-bit nonce); when to take
 * a new key is decided in generator.c. */
#include "random/stream.h"

#include <limits.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "base/error.h"
#include "base/memory.h"

bool dusk_stream_has_aes(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes");
#elif defined(__aarch64__)
    return getauxval(AT_HWCAP) & (1u << 3); /* HWCAP_AES */
#else
    return false;
#endif
}

static dusk_status fail_cipher(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_INTERNAL, "check the libcrypto and libsodium that the process has loaded",
                     "the cipher of the generator failed, so nothing was drawn");
}

dusk_status dusk_stream_open(dusk_stream *stream, bool use_aes, dusk_error *err)
{
    if (use_aes) {
        stream->aes = EVP_CIPHER_CTX_new();
        if (!stream->aes) return dusk_fail_memory(err);
        if (EVP_EncryptInit_ex(stream->aes, EVP_aes_256_ctr(), NULL, NULL, NULL) == 1) return DUSK_OK;
        EVP_CIPHER_CTX_free(stream->aes);
        stream->aes = NULL;
    }
    return sodium_init() >= 0 ? DUSK_OK : fail_cipher(err); /* chooses the fast ChaCha20 */
}

dusk_status dusk_stream_rekey(dusk_stream *stream, const unsigned char *key, dusk_error *err)
{
    if (!stream->aes)
        memcpy(stream->chacha, key, sizeof stream->chacha);
    else if (EVP_EncryptInit_ex(stream->aes, NULL, NULL, key, key + 32) != 1)
        return fail_cipher(err);
    return DUSK_OK;
}

dusk_status dusk_stream_fill(dusk_stream *stream, unsigned char *out, size_t n, dusk_error *err)
{
    if (stream->aes) {
        int written = 0;
        if (n > INT_MAX || EVP_EncryptUpdate(stream->aes, out, &written, out, (int)n) != 1 ||
            (size_t)written != n)
            return fail_cipher(err);
    } else if (crypto_stream_chacha20(out, n, stream->chacha + 32, stream->chacha) != 0) {
        return fail_cipher(err);
    }
    return DUSK_OK;
}

void dusk_stream_close(dusk_stream *stream)
{
    EVP_CIPHER_CTX_free(stream->aes);
    dusk_wipe(stream, sizeof *stream);
}
