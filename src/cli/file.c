/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are whole or not there; see file.h. */
#include "cli/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/database.h"
#include "base/error.h"
#include "base/memory.h"

static dusk_status fail_write(const char *path, int why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "give a file that can be written, on a disk with room",
                     "cannot write %.150s: %s", path, why ? strerror(why) : "a write failed");
}

/* Close it and say whether everything was written. */
static dusk_status finish(FILE *file, const char *path, dusk_error *err)
{
    bool failed = ferror(file) != 0;
    errno = 0;
    if (fclose(file) != 0) failed = true;
    return failed ? fail_write(path, errno, err) : DUSK_OK;
}

static dusk_status write_directly(const char *path, void (*put)(FILE *file, const void *what),
                                  const void *what, dusk_error *err)
{
    FILE *file = fopen(path, "w");
    if (!file) return fail_write(path, errno, err);
    put(file, what);
    return finish(file, path, err);
}

/* mkstemp makes files that nobody else may read; give it the usual mode. */
static int usual_mode(int file)
{
    mode_t mask = umask(022);
    umask(mask);
    return fchmod(file, 0666 & ~mask);
}

dusk_status dusk_file_replace(const char *path, void (*put)(FILE *file, const void *what), const void *what,
                              dusk_error *err)
{
    struct stat there;
    dusk_status status = DUSK_OK;
    char *beside = NULL, *real = NULL;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return fail_write(path, EISDIR, err);
    if (exists && !S_ISREG(there.st_mode)) return write_directly(path, put, what, err);
    if (exists && dusk_is_database(path))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a file of its own",
                         "%.150s is a database or a ledger, and would be lost", path);
    if (exists && access(path, W_OK) != 0) return fail_write(path, errno, err);
    if (exists) real = realpath(path, NULL); /* a link stays a link */
    const char *target = real ? real : path;
    DUSK_NEW(beside, strlen(target) + 8);
    memcpy(beside, target, strlen(target));
    memcpy(beside + strlen(target), ".XXXXXX", 8);
    int descriptor = mkstemp(beside);
    if (descriptor < 0) {
        status = fail_write(path, errno, err);
        goto done;
    }
    FILE *file = fdopen(descriptor, "w");
    if (!file || usual_mode(descriptor) != 0) {
        status = fail_write(path, errno, err);
        if (file)
            fclose(file);
        else
            close(descriptor);
    } else {
        put(file, what);
        status = finish(file, path, err);
    }
    if (status == DUSK_OK && rename(beside, target) != 0) status = fail_write(path, errno, err);
    if (status != DUSK_OK) unlink(beside);
done:
    dusk_deallocate(beside);
    free(real);
    return status;
}
