/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are whole or not there; see file.h. */
#include "cli/file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/database.h"
#include "base/error.h"
#include "base/memory.h"
#include "dusk/frame.h"

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

/* What is there and cannot be replaced. */
static dusk_status check_place(const char *path, const struct stat *there, dusk_error *err)
{
    if (S_ISDIR(there->st_mode)) return fail_write(path, EISDIR, err);
    if (S_ISREG(there->st_mode) && dusk_is_database(path))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a file of its own",
                         "%.150s is a database or a ledger, and would be lost", path);
    return access(path, W_OK) != 0 ? fail_write(path, errno, err) : DUSK_OK;
}

/* A new file beside the one that is there, or will be. */
typedef struct beside {
    char *name, *real;  /* a link stays a link: then what it leads to */
    const char *target; /* what the new file is to become */
    int descriptor;     /* -1: a device or a pipe, which is written to directly */
} beside;

static void clear_beside(beside *b)
{
    dusk_deallocate(b->name);
    free(b->real);
}

static dusk_status make_beside(beside *out, const char *path, dusk_error *err)
{
    struct stat there;
    dusk_status status = DUSK_OK;
    beside b = { .target = path, .descriptor = -1 };
    *out = b;
    const bool exists = stat(path, &there) == 0;
    if (exists) DUSK_TRY(check_place(path, &there, err));
    if (exists && !S_ISREG(there.st_mode)) return DUSK_OK;
    if (exists) b.real = realpath(path, NULL);
    if (b.real) b.target = b.real;
    const size_t length = strlen(b.target);
    DUSK_NEW(b.name, length + 8);
    memcpy(b.name, b.target, length);
    memcpy(b.name + length, ".XXXXXX", 8);
    b.descriptor = mkstemp(b.name);
    if (b.descriptor < 0) DUSK_TRY(fail_write(path, errno, err));
    *out = b;
    b = (beside){ .name = NULL };
done:
    clear_beside(&b);
    return status;
}

dusk_status dusk_file_replace(const char *path, void (*put)(FILE *file, const void *what), const void *what,
                              dusk_error *err)
{
    beside b;
    dusk_status status = make_beside(&b, path, err);
    if (status != DUSK_OK) return status;
    if (b.descriptor < 0) return write_directly(path, put, what, err);
    FILE *file = fdopen(b.descriptor, "w");
    if (!file || usual_mode(b.descriptor) != 0) {
        status = fail_write(path, errno, err);
        if (file)
            fclose(file);
        else
            close(b.descriptor);
    } else {
        put(file, what);
        status = finish(file, path, err);
    }
    if (status == DUSK_OK && rename(b.name, b.target) != 0) status = fail_write(path, errno, err);
    if (status != DUSK_OK) unlink(b.name);
    clear_beside(&b);
    return status;
}

dusk_status dusk_file_try(const char *path, dusk_error *err)
{
    beside b;
    const dusk_status status = make_beside(&b, path, err);
    if (status != DUSK_OK || b.descriptor < 0) return status;
    close(b.descriptor);
    unlink(b.name);
    clear_beside(&b);
    return DUSK_OK;
}

/* ---- Which file it is ------------------------------------------------------------------------------- */

/* The folder of a name, resolved, and the name in it; false: the folder is not there either. */
static bool resolve(char folder[PATH_MAX], char name[PATH_MAX], const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= PATH_MAX || !realpath(dirname(copy), folder)) return false;
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(name, PATH_MAX, "%s", basename(copy));
    return true;
}

bool dusk_file_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    char folder[2][PATH_MAX], name[2][PATH_MAX];
    const bool is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
    if (is_a != is_b) return false;
    if (is_a)
        return (S_ISREG(of_a.st_mode) || S_ISDIR(of_a.st_mode)) && of_a.st_dev == of_b.st_dev &&
               of_a.st_ino == of_b.st_ino;
    return resolve(folder[0], name[0], a) && resolve(folder[1], name[1], b) &&
           !strcmp(folder[0], folder[1]) && !strcmp(name[0], name[1]);
}

/* A file that is there, and lies in that folder or deeper. */
static bool is_within(const char *path, const char *folder)
{
    struct stat there;
    char inner[PATH_MAX], outer[PATH_MAX];
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) return false;
    if (stat(folder, &there) != 0 || !S_ISDIR(there.st_mode)) return false;
    if (!realpath(path, inner) || !realpath(folder, outer)) return false;
    const size_t length = strlen(outer);
    return !strncmp(inner, outer, length) && inner[length] == '/';
}

void dusk_outputs_add(dusk_outputs *outputs, const char *path)
{
    if (path && outputs->count < DUSK_OUTPUTS_MAX) outputs->path[outputs->count++] = path;
}

dusk_status dusk_outputs_check(const dusk_outputs *outputs, dusk_error *err)
{
    for (size_t i = 0; i < outputs->count; i++)
        for (size_t j = 0; j < i; j++)
            if (dusk_file_same(outputs->path[i], outputs->path[j]))
                return dusk_fail(err, DUSK_ERR_ARGUMENT, "give each a file of its own",
                                 "%.150s would be written twice, and what was there first be lost",
                                 outputs->path[i]);
    return DUSK_OK;
}

dusk_status dusk_outputs_keep(const dusk_outputs *outputs, const char *read, dusk_error *err)
{
    if (!read || access(read, F_OK) != 0) return DUSK_OK; /* nothing of it can be lost */
    for (size_t i = 0; i < outputs->count; i++)
        if (dusk_file_same(outputs->path[i], read) || is_within(outputs->path[i], read))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "write to a file of its own",
                             "%.150s is read, and would be replaced by what is written", outputs->path[i]);
    return DUSK_OK;
}

dusk_status dusk_outputs_keep_rows(const dusk_outputs *outputs, const char *source, dusk_error *err)
{
    char files[2][DUSK_FRAME_PATH_MOST];
    dusk_status status = DUSK_OK;
    const size_t count = source ? dusk_frame_files(files, source) : 0;
    for (size_t i = 0; i < count && status == DUSK_OK; i++)
        status = dusk_outputs_keep(outputs, files[i], err);
    return status;
}

bool dusk_rows_same(const char *a, const char *b)
{
    char of_a[2][DUSK_FRAME_PATH_MOST], of_b[2][DUSK_FRAME_PATH_MOST];
    const char *table_a = strchr(a, '#'), *table_b = strchr(b, '#');
    if (table_a && table_b && strcmp(table_a, table_b) != 0) return false;
    return dusk_frame_files(of_a, a) > 0 && dusk_frame_files(of_b, b) > 0 && dusk_file_same(of_a[0], of_b[0]);
}
