/* SPDX-License-Identifier: Apache-2.0 */
/* Models on disk: a file is written beside its place, synced and moved there, so that it is whole or not there. Where the file system has
 * files without names it gets one only when it is whole: who kills the program finds nothing left over. The text is that of
 * model_text.c. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/database.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/learn.h"

#define ROOM ((off_t)1 << 18)      /* what is taken of the disk in advance */
#define FILE_MAX ((size_t)1 << 30) /* bytes of a model file */
#define TRIES 100                  /* of names beside the file */

struct dusk_model_file {
    char *path;   /* as given, for messages */
    char *target; /* where it goes: links are followed */
    char *
        beside; /* the file that is written, or gets that name; NULL: it has no name yet, or target itself is written, being no plain file */
    char nameless[40]; /* a way to the file that has no name; empty: it has one */
    int descriptor;
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
static dusk_status make_beside(dusk_model_file *file, bool (*make)(dusk_model_file *), dusk_error *err)
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

static bool make_file(dusk_model_file *file)
{
    file->descriptor = open(file->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file->descriptor >= 0;
}

/* Exchange the file for one without a name, of which nothing is left should the program be killed, where there are such and one could be given a
 * name later. The one with a name was made first: where none can be made, that is known before anything is paid for. */
static void leave_name(dusk_model_file *file)
{
#ifdef O_TMPFILE
    char *folder = NULL;
    if (join(&folder, file->target, "", NULL) != DUSK_OK) return;
    int descriptor = open(dirname(folder), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
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

static bool name_it(dusk_model_file *file)
{
    return linkat(AT_FDCWD, file->nameless, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0;
}

/* Take room on the disk now: a full one is better found out before than after. */
static dusk_status take_room(const dusk_model_file *file, dusk_error *err)
{
    int why = posix_fallocate(file->descriptor, 0, ROOM);
    if (why == 0 || why == EOPNOTSUPP || why == EINVAL || why == ENODEV || why == ESPIPE) return DUSK_OK;
    return fail_write(file->path, why, err);
}

dusk_status dusk_model_file_open(dusk_model_file **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_file *file = NULL;
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
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give the model a file of its own",
                           "%.150s is a database or a ledger, and would be lost", path);
        goto done;
    }
    if (exists && !S_ISREG(there.st_mode)) {
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0) status = fail_write(path, errno, err);
    } else {
        DUSK_TRY(make_beside(file, make_file, err));
        leave_name(file);
        status = take_room(file, err);
    }
    if (status != DUSK_OK) goto done;
    *out = file;
    file = NULL;
done:
    free(real);
    dusk_model_file_close(file);
    return status;
}

void dusk_model_file_close(dusk_model_file *file)
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

static bool write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(descriptor, text, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n;
        length -= (size_t)n;
    }
    return true;
}

/* The name is on disk once its folder is. Some file systems cannot sync a folder; then there is no more to be done. */
static void sync_folder(char *target)
{
    int folder = open(dirname(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

static bool fill(dusk_model_file *file, const char *text, size_t length)
{
    return write_all(file->descriptor, text, length) && ftruncate(file->descriptor, (off_t)length) == 0 &&
           fsync(file->descriptor) == 0;
}

/* A file system that makes files without names, and then gives them none, gets one that has a name from the beginning. */
static dusk_status give_name(dusk_model_file *file, const char *text, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (make_beside(file, name_it, NULL) == DUSK_OK) return DUSK_OK;
    (void)close(file->descriptor);
    file->descriptor = -1;
    DUSK_TRY(make_beside(file, make_file, err));
    if (!fill(file, text, length)) status = fail_write(file->path, errno, err);
done:
    return status;
}

static dusk_status put_beside(dusk_model_file *file, const char *text, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    errno = 0;
    if (!fill(file, text, length)) return fail_write(file->path, errno, err);
    if (*file->nameless) DUSK_TRY(give_name(file, text, length, err));
    errno = 0;
    if (rename(file->beside, file->target) != 0) return fail_write(file->path, errno, err);
    file->put = true;
    sync_folder(file->target);
done:
    return status;
}

dusk_status dusk_model_file_put(dusk_model_file *file, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    size_t length;

    if (file->put)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "open it again", "the model file was written already");
    DUSK_TRY(dusk_model_format(model, &text, &length, err));
    errno = 0;
    if (file->beside || *file->nameless)
        status = put_beside(file, text, length, err);
    else if (!write_all(file->descriptor, text, length))
        status = fail_write(file->path, errno, err);
    if (status == DUSK_OK) file->put = true;
done:
    dusk_ledger_free_text(text);
    return status;
}

dusk_status dusk_model_write(const dusk_model *model, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_file *file = NULL;
    DUSK_TRY(dusk_model_file_open(&file, path, err));
    DUSK_TRY(dusk_model_file_put(file, model, err));
done:
    dusk_model_file_close(file);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static dusk_status read_whole(dusk_buffer *out, const char *path, dusk_error *err)
{
    char block[1 << 16];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that dusk train has written",
                         "cannot read %.150s: %s", path, strerror(errno));
    while (out->length <= FILE_MAX && (n = fread(block, 1, sizeof block, file)) > 0)
        dusk_buffer_bytes(out, block, n);
    int why = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (why)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that dusk train has written",
                         "cannot read %.150s: %s", path, strerror(why));
    if (out->length > FILE_MAX)
        return dusk_fail(err, DUSK_ERR_CORRUPT, "give a file that dusk train has written",
                         "%.150s is too long for a model file", path);
    return out->failed ? dusk_fail_memory(err) : DUSK_OK;
}

dusk_status dusk_model_read(dusk_model **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer text = { .data = NULL };

    *out = NULL;
    DUSK_TRY(read_whole(&text, path, err));
    DUSK_TRY(dusk_model_parse(out, text.data ? text.data : "", text.length, err));
done:
    dusk_buffer_clear(&text);
    return status;
}
