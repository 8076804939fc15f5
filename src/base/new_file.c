/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are whole or not there; see new_file.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/database.h"
#include "base/memory.h"
#include "base/mutant.h"

#define ROOM (1u << 18) /* what is taken of the disk in advance */
#define TRIES 100       /* of names beside the file */

struct dusk_new_file {
    char *path;   /* as given, for messages */
    char *target; /* where it goes: links are followed */
    char *
        beside; /* the file that is written, or gets that name; NULL: it has no name yet, or target itself is written, being no plain file */
    char nameless[40]; /* a way to the file that has no name; empty: it has one */
    int descriptor;
    size_t length; /* that was written */
    bool put;
};

static dusk_status fail_write(const char *path, int why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "give a file that can be written, on a disk with room",
                     "cannot write %.150s: %s", path, strerror(why ? why : EIO));
}

static dusk_status join(char **out, const char *a, const char *b, dusk_error *err)
{
    dusk_buffer text = { .data = NULL };
    dusk_buffer_add(&text, "%s%s", a, b);
    return dusk_buffer_take(&text, out, err);
}

/* --- making a file -------------------------------------------------------------------------------------------- */

/* A new name beside the target, by `make`, with the mode that files have here: a file, or a name for the one that has none yet. */
static dusk_status make_beside(dusk_new_file *file, bool (*make)(dusk_new_file *), dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool made = false;
    for (int i = 0; i < TRIES && !made; i++) {
        char end[48];
        snprintf(end, sizeof end, ".%ld-%d.tmp", (long)getpid(), i);
        dusk_deallocate(file->beside);
        file->beside = NULL;
        DUSK_TRY(join(&file->beside, file->target, end, err));
        made = make(file);
        if (!made && errno != EEXIST) break;
    }
    if (made) return DUSK_OK;
    int why = errno;
    dusk_deallocate(file->beside); /* it is not ours to remove */
    file->beside = NULL;
    return fail_write(file->path, why, err);
done:
    return status;
}

static bool make_file(dusk_new_file *file)
{
    file->descriptor = open(file->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file->descriptor >= 0;
}

/* Exchange the file for one without a name, of which nothing is left should the program be killed, where there are such and one could be given a
 * name later. The one with a name was made first: where none can be made, that is known before anything is paid for. */
static void leave_name(dusk_new_file *file)
{
#ifdef O_TMPFILE
    char *folder = NULL;
    if (join(&folder, file->target, "", NULL) != DUSK_OK) return;
    int descriptor = open(dirname(folder), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    dusk_deallocate(folder);
    if (descriptor < 0) return;
    snprintf(file->nameless, sizeof file->nameless, "/proc/self/fd/%d", descriptor);
    if (access(file->nameless, F_OK) != 0) {
        (void)close(descriptor);
        *file->nameless = '\0';
        return;
    }
    (void)close(file->descriptor);
    (void)unlink(file->beside);
    dusk_deallocate(file->beside);
    file->beside = NULL;
    file->descriptor = descriptor;
#else
    (void)file;
#endif
}

static bool name_it(dusk_new_file *file)
{
    return linkat(AT_FDCWD, file->nameless, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0;
}

dusk_status dusk_new_file_reserve(dusk_new_file *file, uint64_t bytes, dusk_error *err)
{
    if (!file->beside && !*file->nameless) return DUSK_OK; /* a device, or a pipe */
    int why = posix_fallocate(file->descriptor, 0, (off_t)bytes);
    if (why == 0 || why == EOPNOTSUPP || why == EINVAL || why == ENODEV || why == ESPIPE) return DUSK_OK;
    return fail_write(file->path, why, err);
}

dusk_status dusk_new_file_open(dusk_new_file **out, const char *path, const char *noun, dusk_error *err)
{
    char hint[80];
    dusk_status status = DUSK_OK;
    dusk_new_file *file = NULL;
    struct stat there;
    bool exists = stat(path, &there) == 0;
    char *real = exists ? realpath(path, NULL) : NULL;

    *out = NULL;
    DUSK_NEW(file, 1);
    file->descriptor = -1;
    DUSK_TRY(join(&file->path, path, "", err));
    DUSK_TRY(join(&file->target, real ? real : path, "", err));
    if (exists && (S_ISDIR(there.st_mode) || access(path, W_OK) != 0)) {
        status = fail_write(path, S_ISDIR(there.st_mode) ? EISDIR : errno, err);
        goto done;
    }
    if (DUSK_MUTATE(MODEL_OVER_LEDGER, exists && S_ISREG(there.st_mode) && dusk_is_database(path), false)) {
        snprintf(hint, sizeof hint, "give the %s a file of its own", noun);
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                           "%.150s is a database or a ledger, and would be lost", path);
        goto done;
    }
    if (exists && !S_ISREG(there.st_mode)) {
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0) status = fail_write(path, errno, err);
    } else {
        DUSK_TRY(make_beside(file, make_file, err));
        leave_name(file);
        status = dusk_new_file_reserve(file, ROOM, err);
    }
    if (status != DUSK_OK) goto done;
    *out = file;
    file = NULL;
done:
    free(real);
    dusk_new_file_close(file);
    return status;
}

void dusk_new_file_close(dusk_new_file *file)
{
    if (!file) return;
    if (file->descriptor >= 0) (void)close(file->descriptor);
    if (file->beside && !file->put) (void)unlink(file->beside);
    dusk_deallocate(file->beside);
    dusk_deallocate(file->target);
    dusk_deallocate(file->path);
    dusk_deallocate(file);
}

/* --- filling it ------------------------------------------------------------------------------------------------- */

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(descriptor, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

dusk_status dusk_new_file_write(dusk_new_file *file, const void *bytes, size_t n, dusk_error *err)
{
    errno = 0;
    if (!write_all(file->descriptor, bytes, n)) return fail_write(file->path, errno, err);
    file->length += n;
    return DUSK_OK;
}

/* The name is on disk once its folder is. Some file systems cannot sync a folder; then there is no more to be done. */
static void sync_folder(char *target)
{
    int folder = open(dirname(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

/* Nothing of the room that was taken in advance stays, and all is on disk. */
static bool settle(dusk_new_file *file)
{
    return ftruncate(file->descriptor, (off_t)file->length) == 0 && fsync(file->descriptor) == 0;
}

static bool copy_all(int to, int from)
{
    char block[1 << 14];
    ssize_t n;
    if (lseek(from, 0, SEEK_SET) != 0) return false;
    while ((n = read(from, block, sizeof block)) > 0)
        if (!write_all(to, block, (size_t)n)) return false;
    return n == 0;
}

/* A file system that makes files without names, and then gives them none, gets one that has a name from the beginning. */
static dusk_status give_name(dusk_new_file *file, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const int nameless = file->descriptor;
    if (make_beside(file, name_it, NULL) == DUSK_OK) return DUSK_OK;
    file->descriptor = -1;
    DUSK_TRY(make_beside(file, make_file, err));
    errno = 0;
    if (!copy_all(file->descriptor, nameless) || !settle(file)) status = fail_write(file->path, errno, err);
done:
    (void)close(nameless);
    return status;
}

static dusk_status put_beside(dusk_new_file *file, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    errno = 0;
    if (!settle(file)) return fail_write(file->path, errno, err);
    if (*file->nameless) DUSK_TRY(give_name(file, err));
    errno = 0;
    if (rename(file->beside, file->target) != 0) return fail_write(file->path, errno, err);
    file->put = true;
    sync_folder(file->target);
done:
    return status;
}

dusk_status dusk_new_file_put(dusk_new_file *file, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (file->put) return dusk_fail(err, DUSK_ERR_ARGUMENT, "open it again", "the file was written already");
    if (file->beside || *file->nameless) status = put_beside(file, err);
    if (status == DUSK_OK) file->put = true;
    return status;
}
