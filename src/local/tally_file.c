/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies and collectors as files; the format is in docs/collect/wire.md. All numbers are 64 bits, little-endian; the last 32 bytes are the
 * BLAKE2b hash of all before. What is read is checked against itself before memory is taken for it: a small file cannot ask for much. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/new_file.h"
#include "local/collector.h"

#define MAGIC "dusk-tally 1\n"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define HASH 32
#define TEXT_MOST 2048 /* of a survey, as dusk_survey_format promises */
#define SURVEY_HINT "take the file that was written last, or give the input again"

/* --- writing ------------------------------------------------------------------------------------------------------------ */

typedef struct writer {
    dusk_new_file *file;
    crypto_generichash_state hash;
    dusk_status status; /* of the first failure; nothing is written after it */
    dusk_error *err;
    size_t used;
    uint8_t block[1 << 16];
} writer;

static void flush(writer *w)
{
    if (w->status == DUSK_OK) {
        crypto_generichash_update(&w->hash, w->block, w->used);
        w->status = dusk_new_file_write(w->file, w->block, w->used, w->err);
    }
    w->used = 0;
}

static void put_bytes(writer *w, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    while (n > 0) {
        const size_t room = sizeof w->block - w->used, take = n < room ? n : room;
        memcpy(w->block + w->used, from, take);
        w->used += take;
        from += take;
        n -= take;
        if (w->used == sizeof w->block) flush(w);
    }
}

static void put(writer *w, uint64_t x)
{
    uint8_t bytes[8];
    client_put(bytes, x, 8);
    put_bytes(w, bytes, sizeof bytes);
}

static void put_tally(writer *w, const dusk_tally *tally)
{
    char text[TEXT_MOST];
    if (w->status == DUSK_OK) w->status = dusk_survey_format(&tally->survey, text, sizeof text, w->err);
    if (w->status != DUSK_OK) return;
    put_bytes(w, MAGIC, MAGIC_SIZE);
    put(w, strlen(text));
    put_bytes(w, text, strlen(text));
    put(w, tally->reports);
    put(w, tally->dropped);
    put(w, tally->cells);
    for (uint64_t i = 0; i < tally->cells; i++) put(w, (uint64_t)tally->cell[i]);
}

static bool put_nonce(void *context, uint64_t nonce)
{
    writer *w = context;
    put(w, nonce);
    return w->status == DUSK_OK;
}

static void put_collector(writer *w, const dusk_collector *collector)
{
    put_tally(w, collector->lane[0].tally);
    put(w, 1);
    put(w, collector->epoch);
    put(w, DUSK_TAKEN_KINDS);
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) put(w, collector->lane[0].kind[k]);
    put(w, local_nonces_count(collector->nonces));
    (void)local_nonces_each(collector->nonces, put_nonce, w);
}

/* One of the two. */
static dusk_status write_either(const dusk_tally *tally, const dusk_collector *collector, const char *path,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    writer *w = NULL;
    uint8_t hash[HASH];
    DUSK_NEW(w, 1);
    w->err = err;
    crypto_generichash_init(&w->hash, NULL, 0, HASH);
    DUSK_TRY(dusk_new_file_open(&w->file, path, "tally", err));
    if (collector) {
        put_collector(w, collector);
    } else {
        put_tally(w, tally);
        put(w, 0);
    }
    flush(w);
    DUSK_TRY(w->status);
    crypto_generichash_final(&w->hash, hash, HASH);
    DUSK_TRY(dusk_new_file_write(w->file, hash, HASH, err));
    DUSK_TRY(dusk_new_file_put(w->file, err));
done:
    if (w) dusk_new_file_close(w->file);
    dusk_deallocate(w);
    return status;
}

dusk_status dusk_tally_write(const dusk_tally *tally, const char *path, dusk_error *err)
{
    return write_either(tally, NULL, path, err);
}

dusk_status dusk_collector_write(dusk_collector *collector, const char *path, dusk_error *err)
{
    if (collector->broken)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "read the file that was written before",
                         "a merge has failed, and the collector holds half of it");
    local_collector_hold(collector);
    const dusk_status status = write_either(NULL, collector, path, err);
    local_collector_release(collector);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------------ */

/* What is left of the bytes. */
typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static dusk_status corrupt(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_CORRUPT, SURVEY_HINT, "this is no tally, or it was changed");
}

static bool take(source *s, const uint8_t **bytes, uint64_t n)
{
    if (n > s->left) return false;
    *bytes = s->at;
    s->at += n;
    s->left -= (size_t)n;
    return true;
}

static bool take_number(source *s, uint64_t *x)
{
    const uint8_t *bytes;
    if (!take(s, &bytes, 8)) return false;
    *x = client_get(bytes, 8);
    return true;
}

/* n numbers that stand there, without overflow. */
static bool take_numbers(source *s, const uint8_t **bytes, uint64_t n)
{
    return n <= s->left / 8 && take(s, bytes, 8 * n);
}

/* The magic and the hash; what is between them is left in *s. */
static dusk_status open_bytes(source *s, const uint8_t *bytes, size_t n, dusk_error *err)
{
    uint8_t hash[HASH];
    if (n < MAGIC_SIZE + HASH || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) {
        if (n >= 12 && !memcmp(bytes, MAGIC, 11) && bytes[11] != '1')
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use the version of dusk that wrote it",
                             "this tally is of another version of the format");
        return corrupt(err);
    }
    crypto_generichash(hash, HASH, bytes, n - HASH, NULL, 0);
    if (memcmp(hash, bytes + n - HASH, HASH) != 0) return corrupt(err);
    *s = (source){ bytes + MAGIC_SIZE, n - MAGIC_SIZE - HASH };
    return DUSK_OK;
}

/* A number that reports can add up to: far from where sums of tallies would overflow. */
static bool counts(int64_t x) { return x >= -((int64_t)1 << 53) && x <= (int64_t)1 << 53; }

static dusk_status read_tally(source *s, dusk_tally **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_tally *tally = NULL;
    dusk_survey survey;
    const uint8_t *text, *cell;
    uint64_t length, reports = 0, dropped = 0, cells = 0;
    if (!take_number(s, &length) || length >= TEXT_MOST || !take(s, &text, length)) return corrupt(err);
    if (dusk_survey_parse(&survey, (const char *)text, (size_t)length, NULL) != DUSK_OK) return corrupt(err);
    if (!take_number(s, &reports) || !take_number(s, &dropped) || !take_number(s, &cells))
        return corrupt(err);
    if (local_protocol_of(survey.task.mechanism)->cells(&survey.task) != cells ||
        !take_numbers(s, &cell, cells))
        return corrupt(err);
    DUSK_TRY(dusk_tally_new(&tally, &survey, err));
    if (reports >> 53 || dropped >> 53) DUSK_TRY(corrupt(err));
    tally->reports = reports;
    tally->dropped = dropped;
    for (uint64_t i = 0; i < cells; i++) {
        tally->cell[i] = (int64_t)client_get(cell + 8 * i, 8);
        if (!counts(tally->cell[i])) DUSK_TRY(corrupt(err));
    }
    *out = tally;
    tally = NULL;
done:
    dusk_tally_free(tally);
    return status;
}

/* A report that was counted, valid or not, has a nonce, and shards that share some count these twice: there are about as many. */
static bool belong_together(const dusk_tally *tally, uint64_t nonces)
{
    const uint64_t counted = tally->reports + tally->dropped;
    return nonces <= counted && nonces >= counted / 2;
}

/* Behind the tally of a collector; the collector has its tally already. */
static dusk_status read_rest(source *s, dusk_collector *collector, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint8_t *kind, *nonce;
    uint64_t kinds, count;
    if (!take_number(s, &kinds) || kinds > DUSK_TAKEN_KINDS || !take_numbers(s, &kind, kinds) ||
        !take_number(s, &count) || !take_numbers(s, &nonce, count) || s->left > 0)
        return corrupt(err);
    if (!belong_together(collector->lane[0].tally, count)) return corrupt(err);
    for (uint64_t k = 0; k < kinds; k++) {
        collector->lane[0].kind[k] = client_get(kind + 8 * k, 8);
        if (collector->lane[0].kind[k] >> 53) return corrupt(err);
    }
    DUSK_TRY(local_nonces_reserve(collector->nonces, count, err));
    for (uint64_t i = 0; i < count; i += LOCAL_BATCH) {
        const size_t n = count - i < LOCAL_BATCH ? (size_t)(count - i) : LOCAL_BATCH;
        uint64_t some[LOCAL_BATCH];
        bool added[LOCAL_BATCH];
        memcpy(some, nonce + 8 * i, 8 * n);
        DUSK_TRY(local_nonces_add_all(collector->nonces, some, n, added, err));
        for (size_t j = 0; j < n; j++)
            if (!added[j]) DUSK_TRY(corrupt(err));
    }
done:
    return status;
}

dusk_status dusk_tally_parse(dusk_tally **out, const uint8_t *bytes, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_tally *tally = NULL;
    source s;
    uint64_t more;
    *out = NULL;
    DUSK_TRY(open_bytes(&s, bytes, n, err));
    DUSK_TRY(read_tally(&s, &tally, err));
    if (!take_number(&s, &more) || more > 1 || (more == 0 && s.left > 0)) DUSK_TRY(corrupt(err));
    *out = tally;
    tally = NULL;
done:
    dusk_tally_free(tally);
    return status;
}

dusk_status dusk_collector_parse(dusk_collector **out, const uint8_t *bytes, size_t n, uint32_t lanes,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_collector *collector = NULL;
    dusk_tally *tally = NULL;
    source s;
    uint64_t more, epoch = 0;
    *out = NULL;
    DUSK_TRY(open_bytes(&s, bytes, n, err));
    DUSK_TRY(read_tally(&s, &tally, err));
    if (!take_number(&s, &more) || more > 1 || (more == 0 && s.left > 0)) DUSK_TRY(corrupt(err));
    if (more == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "give the file of a collector",
                           "this is a tally without the nonces of its records, and cannot be gone on with"));
    if (!take_number(&s, &epoch)) DUSK_TRY(corrupt(err));
    DUSK_TRY(dusk_collector_new(&collector, &tally->survey, epoch, lanes, err));
    dusk_tally_free(collector->lane[0].tally);
    collector->lane[0].tally = tally;
    tally = NULL;
    DUSK_TRY(read_rest(&s, collector, err));
    *out = collector;
    collector = NULL;
done:
    dusk_tally_free(tally);
    dusk_collector_free(collector);
    return status;
}

static dusk_status fail_read(const char *path, int why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "give a file that `dusk collect aggregate` has written",
                     "cannot read %.150s: %s", path, strerror(why ? why : EIO));
}

/* A whole file, at *bytes. */
static dusk_status read_file(uint8_t **bytes, size_t *n, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *all = NULL;
    struct stat facts;
    size_t used = 0;
    ssize_t got = 1;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    if (file < 0) return fail_read(path, errno, err);
    if (fstat(file, &facts) != 0) DUSK_TRY(fail_read(path, errno, err));
    if (!S_ISREG(facts.st_mode)) DUSK_TRY(fail_read(path, S_ISDIR(facts.st_mode) ? EISDIR : ENOTSUP, err));
    DUSK_NEW(all, (size_t)facts.st_size);
    while (used < (size_t)facts.st_size && got > 0) {
        do got = read(file, all + used, (size_t)facts.st_size - used);
        while (got < 0 && errno == EINTR);
        if (got < 0) DUSK_TRY(fail_read(path, errno, err));
        used += (size_t)got;
    }
    *bytes = all;
    *n = used;
    all = NULL;
done:
    (void)close(file);
    dusk_deallocate(all);
    return status;
}

dusk_status dusk_tally_read(dusk_tally **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *bytes = NULL;
    size_t n;
    *out = NULL;
    DUSK_TRY(read_file(&bytes, &n, path, err));
    status = dusk_tally_parse(out, bytes, n, err);
done:
    dusk_deallocate(bytes);
    return status;
}

dusk_status dusk_collector_read(dusk_collector **out, const char *path, uint32_t lanes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint8_t *bytes = NULL;
    size_t n;
    *out = NULL;
    DUSK_TRY(read_file(&bytes, &n, path, err));
    status = dusk_collector_parse(out, bytes, n, lanes, err);
done:
    dusk_deallocate(bytes);
    return status;
}
