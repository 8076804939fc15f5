/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAILING_DISK_H
#define TESTS_FAILING_DISK_H

/* A disk below SQLite that fails at a given step. A step is a write, a sync, a truncation or a
 * removal. At the n-th
 *   DISK_KILL    the process dies, as by kill -9, after half of a write
 *   DISK_POWER   the power goes: what was not synced is lost, or with a seed some of it; the process dies
 *   DISK_FULL    it fails, once, as a full disk does
 *   DISK_STAYS_FULL  it and all steps after it fail so
 * To be used in a child process, or with DISK_GOOD set at the end. */

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

typedef enum disk_mode { DISK_GOOD, DISK_KILL, DISK_POWER, DISK_FULL, DISK_STAYS_FULL } disk_mode;

enum { DISK_FILES = 8, DISK_WRITES = 4096 };

/* What is on the platter of one file. */
typedef struct platter {
    char path[256];
    bool exists;
    unsigned char *data;
    size_t size;
} platter;

/* A write or (data NULL) a truncation that was not synced. */
typedef struct pending {
    platter *file;
    unsigned char *data;
    size_t at, size;
} pending;

static struct disk {
    disk_mode mode;
    long steps, fail_at, syncs;
    uint64_t seed; /* DISK_POWER: 0 loses all */
    platter files[DISK_FILES];
    pending writes[DISK_WRITES];
    size_t writes_count;
} disk;

typedef struct disk_file {
    sqlite3_file base;
    platter *file; /* NULL: not watched */
    sqlite3_file *real;
} disk_file;

static sqlite3_vfs disk_vfs, *disk_real;

static platter *disk_platter(const char *path)
{
    for (size_t i = 0; i < DISK_FILES; i++) {
        platter *p = &disk.files[i];
        if (*p->path && strcmp(p->path, path) == 0) return p;
        if (*p->path) continue;
        snprintf(p->path, sizeof p->path, "%s", path);
        return p;
    }
    abort();
}

/* The platter has what the file has now. */
static void disk_settle(platter *p)
{
    FILE *file = fopen(p->path, "rb");
    p->exists = file != NULL;
    p->size = 0;
    if (file) {
        fseek(file, 0, SEEK_END);
        p->size = (size_t)ftell(file);
        rewind(file);
        p->data = realloc(p->data, p->size + 1);
        if (fread(p->data, 1, p->size, file) != p->size) abort();
        fclose(file);
    }
    for (size_t i = 0; i < disk.writes_count; i++)
        if (disk.writes[i].file == p) disk.writes[i].file = NULL;
}

static void disk_pend(platter *p, const void *data, size_t size, size_t at)
{
    if (disk.mode != DISK_POWER || !p) return;
    if (disk.writes_count == DISK_WRITES) abort();
    pending *w = &disk.writes[disk.writes_count++];
    *w = (pending){ .file = p, .at = at, .size = size };
    if (!data) return;
    w->data = malloc(size + 1);
    memcpy(w->data, data, size);
}

static void disk_apply(const pending *w)
{
    platter *p = w->file;
    size_t end = w->data ? w->at + w->size : w->at;
    if (end > p->size) {
        p->data = realloc(p->data, end + 1);
        memset(p->data + p->size, 0, end - p->size);
        p->size = end;
    }
    if (w->data)
        memcpy(p->data + w->at, w->data, w->size);
    else
        p->size = w->at;
}

/* Some of what was pending reaches the platters; then the files are what the platters have. */
static void disk_lose_power(void)
{
    for (size_t i = 0; i < disk.writes_count; i++)
        if (disk.writes[i].file && disk.seed && splitmix64(&disk.seed) % 2) disk_apply(&disk.writes[i]);
    for (size_t i = 0; i < DISK_FILES && *disk.files[i].path; i++) {
        platter *p = &disk.files[i];
        if (!p->exists) {
            (void)unlink(p->path);
            continue;
        }
        FILE *file = fopen(p->path, "wb");
        if (!file || fwrite(p->data, 1, p->size, file) != p->size || fclose(file) != 0) abort();
    }
}

static void disk_die(void)
{
    (void)kill(getpid(), SIGKILL);
    pause();
}

/* Whether this step fails; a step at which the process dies does not come back. */
static bool disk_step(void)
{
    disk.steps++;
    if (disk.mode == DISK_GOOD || disk.steps < disk.fail_at) return false;
    if (disk.mode == DISK_STAYS_FULL) return true;
    if (disk.steps != disk.fail_at) return false;
    if (disk.mode == DISK_POWER) {
        disk_lose_power();
        disk_die();
    }
    if (disk.mode == DISK_KILL) disk_die();
    return true;
}

static sqlite3_file *disk_of(sqlite3_file *f) { return ((disk_file *)f)->real; }

static int disk_close(sqlite3_file *f) { return disk_of(f)->pMethods->xClose(disk_of(f)); }
static int disk_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return disk_of(f)->pMethods->xRead(disk_of(f), to, n, at);
}
static int disk_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    if (disk.mode == DISK_KILL && disk.steps + 1 == disk.fail_at)
        (void)disk_of(f)->pMethods->xWrite(disk_of(f), from, n / 2, at);
    if (disk_step()) return SQLITE_FULL;
    disk_pend(((disk_file *)f)->file, from, (size_t)n, (size_t)at);
    return disk_of(f)->pMethods->xWrite(disk_of(f), from, n, at);
}
static int disk_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    if (disk_step()) return SQLITE_IOERR_TRUNCATE;
    disk_pend(((disk_file *)f)->file, NULL, 0, (size_t)size);
    return disk_of(f)->pMethods->xTruncate(disk_of(f), size);
}
static int disk_sync(sqlite3_file *f, int flags)
{
    platter *p = ((disk_file *)f)->file;
    if (disk_step()) return SQLITE_IOERR_FSYNC;
    disk.syncs++;
    int rc = disk_of(f)->pMethods->xSync(disk_of(f), flags);
    if (rc == SQLITE_OK && p && disk.mode == DISK_POWER) disk_settle(p);
    return rc;
}
static int disk_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return disk_of(f)->pMethods->xFileSize(disk_of(f), size);
}
static int disk_lock(sqlite3_file *f, int level) { return disk_of(f)->pMethods->xLock(disk_of(f), level); }
static int disk_unlock(sqlite3_file *f, int level)
{
    return disk_of(f)->pMethods->xUnlock(disk_of(f), level);
}
static int disk_reserved(sqlite3_file *f, int *out)
{
    return disk_of(f)->pMethods->xCheckReservedLock(disk_of(f), out);
}
static int disk_control(sqlite3_file *f, int op, void *arg)
{
    return disk_of(f)->pMethods->xFileControl(disk_of(f), op, arg);
}
static int disk_sector(sqlite3_file *f) { return disk_of(f)->pMethods->xSectorSize(disk_of(f)); }
static int disk_device(sqlite3_file *f) { return disk_of(f)->pMethods->xDeviceCharacteristics(disk_of(f)); }
static int disk_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return disk_of(f)->pMethods->xShmMap(disk_of(f), page, size, extend, out);
}
static int disk_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return disk_of(f)->pMethods->xShmLock(disk_of(f), offset, n, flags);
}
static void disk_shm_barrier(sqlite3_file *f) { disk_of(f)->pMethods->xShmBarrier(disk_of(f)); }
static int disk_shm_unmap(sqlite3_file *f, int remove)
{
    return disk_of(f)->pMethods->xShmUnmap(disk_of(f), remove);
}

static const sqlite3_io_methods disk_methods = {
    2,           disk_close,   disk_read,     disk_write,       disk_truncate,  disk_sync,
    disk_size,   disk_lock,    disk_unlock,   disk_reserved,    disk_control,   disk_sector,
    disk_device, disk_shm_map, disk_shm_lock, disk_shm_barrier, disk_shm_unmap, NULL,
    NULL
};

static int disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out)
{
    disk_file *file = (disk_file *)f;
    (void)vfs;
    file->real = (sqlite3_file *)(file + 1);
    file->file = NULL;
    if (path && disk.mode == DISK_POWER) {
        platter *p = disk_platter(path);
        /* A file that was there before is on the platter; a new one is not. */
        if (!p->exists && access(path, F_OK) == 0) disk_settle(p);
        file->file = p;
    }
    int rc = disk_real->xOpen(disk_real, path, file->real, flags, out);
    f->pMethods = rc == SQLITE_OK ? &disk_methods : NULL;
    return rc;
}

static int disk_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
    (void)vfs;
    if (disk_step()) return SQLITE_IOERR_DELETE;
    int rc = disk_real->xDelete(disk_real, path, sync_folder);
    if (rc == SQLITE_OK && sync_folder && disk.mode == DISK_POWER) disk_settle(disk_platter(path));
    return rc;
}

/* From now on everything that SQLite opens is on this disk. */
static inline void disk_install(void)
{
    disk_real = sqlite3_vfs_find(NULL);
    disk_vfs = *disk_real;
    disk_vfs.zName = "failing";
    disk_vfs.szOsFile = (int)sizeof(disk_file) + disk_real->szOsFile;
    disk_vfs.xOpen = disk_open;
    disk_vfs.xDelete = disk_delete;
    assert_int_equal(sqlite3_vfs_register(&disk_vfs, 1), SQLITE_OK);
}

static inline void disk_set(disk_mode mode, long fail_at, uint64_t seed)
{
    disk.mode = mode;
    disk.steps = disk.syncs = 0;
    disk.fail_at = fail_at;
    disk.seed = seed;
}

#endif
