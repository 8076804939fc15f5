/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary file without a name, encrypted by AES-256-CTR: byte i of the file meets byte i of the key
 * stream, once, since nothing is written twice at the same place. */
#include "query/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

enum { KEY = 32, CIPHER_BLOCK = 16, PIECE = 1 << 30 };

struct spill {
    int descriptor;
    atomic_ullong end;
    unsigned char key[KEY];
};

static dusk_status fail_file(dusk_error *err, const char *doing)
{
    return dusk_fail(err, DUSK_ERR_IO, "give a folder for temporary files with more room, or more memory",
                     "%s a temporary file failed", doing);
}

/* The file has its name for a moment only, and is for its owner alone. */
dusk_status spill_new(spill **out, const char *folder, const uint64_t key[4], dusk_error *err)
{
    static const char name[] = "/dusk-XXXXXX";
    dusk_status status = DUSK_OK;
    spill *file = NULL;
    char *pattern = NULL;

    *out = NULL;
    if (!folder) folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    DUSK_NEW(pattern, strlen(folder) + sizeof name);
    memcpy(pattern, folder, strlen(folder));
    memcpy(pattern + strlen(folder), name, sizeof name);
    DUSK_NEW(file, 1);
    atomic_init(&file->end, 0);
    memcpy(file->key, key, KEY);
    file->descriptor = mkstemp(pattern);
    if (file->descriptor < 0) {
        status = fail_file(err, "making");
        goto done;
    }
    unlink(pattern);
    fcntl(file->descriptor, F_SETFD, FD_CLOEXEC);
    *out = file;
    file = NULL;
done:
    dusk_deallocate(pattern);
    spill_free(file);
    return status;
}

void spill_free(spill *file)
{
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    dusk_wipe(file, sizeof *file);
    dusk_deallocate(file);
}

uint64_t spill_size(const spill *file) { return atomic_load(&file->end); }

/* The key stream from byte `offset`, a multiple of CIPHER_BLOCK, over the data, in place. */
static dusk_status cipher(const spill *file, unsigned char *data, size_t size, uint64_t offset,
                          dusk_error *err)
{
    unsigned char counter[CIPHER_BLOCK] = { 0 };
    uint64_t block = DUSK_MUTATE(SPILL_STREAM_REPEATS, offset / CIPHER_BLOCK, 0);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool good = context != NULL;

    size = DUSK_MUTATE(SPILL_IN_THE_CLEAR, size, 0);
    for (unsigned i = 0; i < 8; i++) counter[15 - i] = (unsigned char)(block >> 8 * i);
    good = good && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, file->key, counter) == 1;
    for (size_t at = 0; good && at < size; at += PIECE) {
        int n = (int)(size - at < PIECE ? size - at : PIECE), written = 0;
        good = EVP_EncryptUpdate(context, data + at, &written, data + at, n) == 1 && written == n;
    }
    EVP_CIPHER_CTX_free(context);
    return good ? DUSK_OK
                : dusk_fail(err, DUSK_ERR_INTERNAL, "check the libcrypto that the process has loaded",
                            "the cipher of the temporary file failed");
}

dusk_status spill_write(spill *file, unsigned char *data, size_t size, uint64_t *offset, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t whole = (size + CIPHER_BLOCK - 1) / CIPHER_BLOCK * CIPHER_BLOCK;
    uint64_t at = atomic_fetch_add(&file->end, whole);

    DUSK_TRY(cipher(file, data, size, at, err));
    *offset = at;
    while (size > 0) {
        ssize_t n = pwrite(file->descriptor, data, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail_file(err, "writing");
        data += n;
        size -= (size_t)n;
        at += (size_t)n;
    }
done:
    return status;
}

dusk_status spill_read(spill *file, unsigned char *data, size_t size, uint64_t offset, dusk_error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(file->descriptor, data + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail_file(err, "reading");
        done += (size_t)n;
    }
    return cipher(file, data, size, offset, err);
}
