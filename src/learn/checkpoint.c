/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints; see checkpoint.h. Proof: checkpoint.proof.md. */
#define _GNU_SOURCE /* fallocate */
#include "learn/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

#define HASH 32
static const char magic[16] = "dusk-checkpoint";

typedef enum stage { BEGUN = 1, UNDER_WAY = 2, ENDED = 3, MADE = 4 } stage;

/* Of a place: this, a state, a hash. Written as the machine has it: nobody but this machine reads it. */
typedef struct header {
    char magic[16];
    unsigned char plan[LEARN_PLAN_HASH], entry[32];
    uint64_t size, charge, sequence, stage;
} header;

static size_t place_size(const learn_checkpoint *c) { return sizeof(header) + c->size + HASH; }

static void hash_place(unsigned char out[HASH], const unsigned char *place, size_t size)
{
    crypto_generichash(out, HASH, place, size - HASH, NULL, 0);
}

static void hash_state(learn_checkpoint *c, const unsigned char *state)
{
    crypto_generichash(c->state, sizeof c->state, state, c->size, NULL, 0);
}

static dusk_status disk_failed(const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "see that the folder is there and the disk is not full",
                     "the checkpoint cannot be %s: %s", what, strerror(errno));
}

/* --- places ----------------------------------------------------------------------------------------- */

static bool write_all(int file, const unsigned char *bytes, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t n = pwrite(file, bytes, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static size_t read_all(int file, unsigned char *bytes, size_t size, off_t at)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = pread(file, bytes + got, size - got, at + (off_t)got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got;
}

/* The other place than that of the last one. */
static dusk_status write_place(learn_checkpoint *c, stage at, const void *state, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t size = place_size(c);
    unsigned char *place = NULL;
    header head = { .size = c->size, .charge = c->charge, .sequence = c->sequence + 1, .stage = at };
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.plan, c->plan, sizeof head.plan);
    memcpy(head.entry, c->entry, sizeof head.entry);
    DUSK_NEW(place, size);
    memcpy(place, &head, sizeof head);
    if (state) memcpy(place + sizeof head, state, c->size);
    hash_place(place + size - HASH, place, size);
    if (!write_all(c->file, place, size, (off_t)(head.sequence % 2 * size)) || fdatasync(c->file) != 0)
        status = disk_failed("written", err);
    else
        c->sequence = head.sequence;
done:
    dusk_deallocate(place);
    return status;
}

/* A place that is whole; its header in *head. */
static bool read_place(const learn_checkpoint *c, unsigned char *place, size_t which, header *head)
{
    const size_t size = place_size(c);
    unsigned char hash[HASH];
    if (read_all(c->file, place, size, (off_t)(which * size)) != size) return false;
    hash_place(hash, place, size);
    memcpy(head, place, sizeof *head);
    return DUSK_MUTATE(CHECKPOINT_HASH_IGNORED, memcmp(hash, place + size - HASH, HASH) == 0, true) &&
           !memcmp(head->magic, magic, sizeof magic) && head->size == c->size;
}

/* The later of the two; false: neither is whole. `place` has room for one. */
static bool find_last(const learn_checkpoint *c, unsigned char *place, header *last)
{
    header head[2];
    const bool whole[2] = { read_place(c, place, 0, &head[0]), read_place(c, place, 1, &head[1]) };
    if (!whole[0] && !whole[1]) return false;
    const size_t which = !whole[0] || (whole[1] && head[1].sequence > head[0].sequence);
    return read_place(c, place, which, last);
}

/* --- files ------------------------------------------------------------------------------------------ */

/* A full disk is better found out before anything is paid for. The file stays empty. */
static dusk_status take_room(learn_checkpoint *c, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    c->resumed = false;
    DUSK_NEW(c->path, strlen(path) + 1);
    memcpy(c->path, path, strlen(path) + 1);
#ifdef FALLOC_FL_KEEP_SIZE
    if (fallocate(c->file, FALLOC_FL_KEEP_SIZE, 0, (off_t)(2 * place_size(c))) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        status = disk_failed("written", err);
#endif
done:
    return status;
}

static dusk_status take_over(learn_checkpoint *c, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    unsigned char *place = NULL;
    unsigned char first[sizeof(header)] = { 0 };
    header last;
    (void)read_all(c->file, first, sizeof first, 0);
    memcpy(&last, first, sizeof last);
    if (!memcmp(last.magic, magic, sizeof magic) &&
        DUSK_MUTATE(CHECKPOINT_OF_ANY_PLAN, memcmp(last.plan, c->plan, sizeof last.plan) != 0, false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the same data, schema and options as when it was made",
                         "the checkpoint is of another training");
    DUSK_NEW(place, place_size(c));
    if (!find_last(c, place, &last) || memcmp(last.plan, c->plan, sizeof last.plan) != 0)
        status = dusk_fail(err, DUSK_ERR_CORRUPT, "begin anew, without --resume, in another file",
                           "the checkpoint is damaged, or none");
    else if (DUSK_MUTATE(CHECKPOINT_GOES_ON_TWICE, last.stage == ENDED, false))
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "train anew, which costs anew",
                           "the training of this checkpoint has ended, and its model was written");
    c->sequence = last.sequence;
    c->charge = last.charge;
    c->resumed = true;
    c->made = last.stage == MADE;
    memcpy(c->entry, last.entry, sizeof c->entry);
    hash_state(c, place + sizeof last);
done:
    dusk_deallocate(place);
    return status;
}

/* A file that is there and is not to be gone on with. One that has ended says so in both of its places. */
static dusk_status is_taken(const learn_checkpoint *c, const char *path, dusk_error *err)
{
    unsigned char bytes[sizeof(header)] = { 0 };
    header first;
    (void)read_all(c->file, bytes, sizeof bytes, 0);
    memcpy(&first, bytes, sizeof first);
    if (!memcmp(first.magic, magic, sizeof magic) && first.stage == ENDED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name another file; what is trained anew costs anew",
                         "%.150s is of a training that has ended, and whose model was written", path);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "go on with --resume, or name another file",
                     "%.150s is there already", path);
}

/* Without `resume` one that is not there yet, or is there already. */
static dusk_status open_file(learn_checkpoint *c, const char *path, bool resume, dusk_error *err)
{
    const int how = O_RDWR | O_CLOEXEC;
    c->file = resume ? -1 : open(path, how | O_CREAT | O_EXCL, 0600);
    c->fresh = c->file >= 0;
    if (c->file < 0 && (resume || errno == EEXIST)) c->file = open(path, resume ? how : how | O_CREAT, 0600);
    if (c->file >= 0) return DUSK_OK;
    if (resume && errno == ENOENT)
        return dusk_fail(err, DUSK_ERR_IO, "see how it was called; the first run has no --resume",
                         "there is no checkpoint %.150s to go on from", path);
    return disk_failed("opened", err);
}

dusk_status learn_checkpoint_open(learn_checkpoint *out, const char *path,
                                  const unsigned char plan[LEARN_PLAN_HASH], size_t size, uint64_t every,
                                  bool resume, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_checkpoint c = { .size = size, .every = every };
    memcpy(c.plan, plan, sizeof c.plan);
    *out = (learn_checkpoint){ .open = false };
    status = open_file(&c, path, resume, err);
    if (status != DUSK_OK) return status;
    c.open = c.resumed = true; /* until it is known to be a new one */
    if (flock(c.file, LOCK_EX | LOCK_NB) != 0)
        status = dusk_fail(err, DUSK_ERR_BUSY, "wait for the other one",
                           "another process goes on from %.150s", path);
    else if (resume)
        status = take_over(&c, err);
    else if (lseek(c.file, 0, SEEK_END) != 0) /* an empty one was never begun */
        status = is_taken(&c, path, err);
    else
        status = take_room(&c, path, err);
    if (status == DUSK_OK)
        *out = c;
    else
        learn_checkpoint_close(&c);
    return status;
}

dusk_status learn_checkpoint_begin(learn_checkpoint *c, uint64_t charge, const unsigned char entry[32],
                                   dusk_error *err)
{
    c->charge = charge;
    memcpy(c->entry, entry, sizeof c->entry);
    return write_place(c, BEGUN, NULL, err);
}

dusk_status learn_checkpoint_load(const learn_checkpoint *c, void *state, bool *found, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    unsigned char *place = NULL;
    header last = { .stage = BEGUN };
    *found = false;
    if (!c->resumed) return DUSK_OK;
    DUSK_NEW(place, place_size(c));
    if (!find_last(c, place, &last) || last.sequence != c->sequence) {
        status =
            dusk_fail(err, DUSK_ERR_CORRUPT, "begin anew, in another file", "the checkpoint has changed");
        goto done;
    }
    *found = last.stage == UNDER_WAY || last.stage == MADE;
    if (*found) memcpy(state, place + sizeof last, c->size);
done:
    dusk_deallocate(place);
    return status;
}

DUSK_PROVEN(learn_checkpoint_save)
dusk_status learn_checkpoint_save(learn_checkpoint *c, const void *state, bool made, dusk_error *err)
{
    dusk_status status = write_place(c, made ? MADE : UNDER_WAY, state, err);
    if (status != DUSK_OK) return status;
    c->made = made;
    hash_state(c, state);
    return DUSK_OK;
}

/* Twice, so that no state is left in either place. */
DUSK_PROVEN(learn_checkpoint_end)
dusk_status learn_checkpoint_end(learn_checkpoint *c, dusk_error *err)
{
    dusk_status status = write_place(c, ENDED, NULL, err);
    return status == DUSK_OK ? write_place(c, ENDED, NULL, err) : status;
}

void learn_checkpoint_close(learn_checkpoint *c)
{
    if (c->open && c->fresh && !c->resumed && c->sequence == 0) (void)unlink(c->path);
    if (c->open) (void)close(c->file);
    dusk_deallocate(c->path);
    *c = (learn_checkpoint){ .open = false };
}
