/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite file below a ledger. A commit that returns is on disk: write-ahead log with one
 * sync a transaction; where a file system cannot have one, a rollback journal that is synced and
 * whose removal is synced as well. Both are what synchronous = EXTRA asks for. */
#include "ledger/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"

/* ---- Errors ---------------------------------------------------------------------------------- */

const char *ledger_shown(const char *path)
{
    enum { SHOWN = 120 };
    size_t length = strlen(path);
    return length > SHOWN ? path + length - SHOWN : path;
}

dusk_status ledger_fail(const dusk_ledger *ledger, int rc, dusk_error *err)
{
    const char *path = ledger_shown(ledger->path);
    switch (rc & 0xff) {
    case SQLITE_NOMEM: return dusk_fail_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return dusk_fail(err, DUSK_ERR_BUSY, "try again when the other program is done",
                         "another program holds the ledger %s", path);
    case SQLITE_CORRUPT:
        return dusk_fail(err, DUSK_ERR_CORRUPT, "bring back a copy, with everything that was spent since",
                         "the ledger %s is damaged", path);
    case SQLITE_NOTADB:
        return dusk_fail(err, DUSK_ERR_IO, "name a file that `dusk init` made", "%s is not a ledger", path);
    case SQLITE_FULL:
        return dusk_fail(err, DUSK_ERR_IO, "make room; nothing was spent",
                         "the disk of the ledger %s is full", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return dusk_fail(err, DUSK_ERR_IO,
                         "make the file, its folder and FILE-wal, FILE-shm beside it writable",
                         "the ledger %s cannot be written", path);
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
        return dusk_fail(err, DUSK_ERR_IO, "look at the path and its permissions",
                         "the ledger %s cannot be opened", path);
    case SQLITE_TOOBIG: return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "a text is too long for a ledger");
    default:
        return dusk_fail(err, DUSK_ERR_IO, "look at the disk and at its limits",
                         "the ledger %s could not be read or written (SQLite %d)", path, rc);
    }
}

dusk_status ledger_fail_corrupt(const dusk_ledger *ledger, dusk_error *err, const char *format, ...)
{
    char what[160];
    va_list args;
    va_start(args, format);
    dusk_format_list(what, sizeof what, format, args);
    va_end(args);
    return dusk_fail(err, DUSK_ERR_CORRUPT, "bring back a copy, with everything that was spent since",
                     "the ledger %.80s is damaged: %s", ledger_shown(ledger->path), what);
}

/* ---- Files ------------------------------------------------------------------------------------- */

dusk_status ledger_store_make(const char *path, dusk_error *err)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0 && (errno == EEXIST || errno == ELOOP))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give another name, or open it", "%s is there already",
                         ledger_shown(path));
    if (file < 0 || close(file) != 0)
        return dusk_fail(err, DUSK_ERR_IO, "look at the folder and its permissions", "%s cannot be made: %s",
                         ledger_shown(path), strerror(errno));
    return DUSK_OK;
}

dusk_status ledger_store_sync_folder(const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = NULL;
    int file = -1;
    DUSK_NEW(folder, length + 2);
    memcpy(folder, path, length);
    folder[length] = '.';
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems have no sync of folders and say EINVAL. */
    if (file < 0 || (fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP))
        status = dusk_fail(err, DUSK_ERR_IO, "look at the disk", "the folder of %s cannot be synced: %s",
                           ledger_shown(path), strerror(errno));
done:
    if (file >= 0) close(file);
    dusk_deallocate(folder);
    return status;
}

/* What no analyst's text may change; a hostile file has no way to run anything either. */
static int make_safe(sqlite3 *db)
{
    static const char *const pragmas[] = {
        "PRAGMA trusted_schema = OFF",      "PRAGMA cell_size_check = ON",  "PRAGMA fullfsync = ON",
        "PRAGMA checkpoint_fullfsync = ON", "PRAGMA locking_mode = NORMAL",
    };
    int rc = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas && rc == SQLITE_OK; i++)
        rc = sqlite3_exec(db, pragmas[i], NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(
            db, DUSK_MUTATE(LEDGER_NOT_SYNCED, "PRAGMA synchronous = EXTRA", "PRAGMA synchronous = OFF"),
            NULL, NULL, NULL);
    return rc;
}

/* The log of a file is found by the file's name: whoever came by another name would not see the charges
 * that are in the log, and spend them again. So a file has one name, and keeps it while it is open. */
static dusk_status check_name(const dusk_ledger *ledger, const struct stat *what, dusk_error *err)
{
    if (what->st_dev != ledger->device || what->st_ino != ledger->inode)
        return dusk_fail(err, DUSK_ERR_IO, "open it again; do not move a ledger that is in use",
                         "the ledger %s was moved or replaced", ledger_shown(ledger->path));
    if (DUSK_MUTATE(LEDGER_TWO_NAMES, what->st_nlink > 1, false))
        return dusk_fail(err, DUSK_ERR_IO, "remove the other name; a symbolic link is fine",
                         "the ledger %s has a second name (a hard link)", ledger_shown(ledger->path));
    return DUSK_OK;
}

/* A file with links in its path is found once; what SQLite opens then has none, so that nobody
 * puts one in its place meanwhile. */
dusk_status ledger_store_open(dusk_ledger *ledger, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    struct stat what;
    char *real = realpath(path, NULL);
    DUSK_NEW(ledger->path, strlen(path) + 1);
    memcpy(ledger->path, path, strlen(path));
    if (!real || stat(real, &what) != 0) {
        status = dusk_fail(err, errno == ENOMEM ? DUSK_ERR_MEMORY : DUSK_ERR_IO,
                           "make one with `dusk init`, or look at the path",
                           "the ledger %s cannot be opened: %s", ledger_shown(path), strerror(errno));
        goto done;
    }
    if (!S_ISREG(what.st_mode)) {
        status = dusk_fail(err, DUSK_ERR_IO, "name a file that `dusk init` made", "%s is not a ledger",
                           ledger_shown(path));
        goto done;
    }
    ledger->device = what.st_dev;
    ledger->inode = what.st_ino;
    DUSK_TRY(check_name(ledger, &what, err));
    DUSK_NEW(ledger->real, strlen(real) + 1);
    memcpy(ledger->real, real, strlen(real));
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE;
    int rc = sqlite3_open_v2(real, &ledger->db, flags, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_extended_result_codes(ledger->db, 1);
    if (rc == SQLITE_OK) rc = sqlite3_busy_timeout(ledger->db, LEDGER_PATIENCE_MS);
    if (rc == SQLITE_OK) rc = make_safe(ledger->db);
    if (rc != SQLITE_OK) status = ledger_fail(ledger, rc, err);
done:
    free(real);
    return status;
}

dusk_status ledger_store_use_log(dusk_ledger *ledger, dusk_error *err)
{
    /* The answer is the mode that it has now; any is durable. A short log is soon written over from its
     * beginning, which is cheaper to sync than one that grows. */
    int rc = sqlite3_exec(ledger->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_wal_autocheckpoint(ledger->db, LEDGER_LOG_PAGES);
    return rc == SQLITE_OK ? DUSK_OK : ledger_fail(ledger, rc, err);
}

void ledger_store_close(dusk_ledger *ledger)
{
    for (size_t i = 0; i < LEDGER_STATEMENTS; i++) sqlite3_finalize(ledger->statement[i]);
    (void)sqlite3_close(ledger->db);
    dusk_deallocate(ledger->path);
    dusk_deallocate(ledger->real);
}

void ledger_store_patience(dusk_ledger *ledger, int milliseconds)
{
    (void)sqlite3_busy_timeout(ledger->db, milliseconds);
}

/* ---- Transactions ---------------------------------------------------------------------------- */

/* When the file is locked: it is still the one that was opened, by its one name. */
static dusk_status check_place(const dusk_ledger *ledger, dusk_error *err)
{
    struct stat what;
    if (stat(ledger->real, &what) != 0)
        return dusk_fail(err, DUSK_ERR_IO, "open it again; do not move a ledger that is in use",
                         "the ledger %s is no longer there", ledger_shown(ledger->path));
    return check_name(ledger, &what, err);
}

static dusk_status transact(dusk_ledger *ledger, const char *begin, ledger_work *work, void *context,
                            dusk_error *err)
{
    if (ledger->inside)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call it when the visit is over",
                         "a visitor must not use the ledger that it visits");
    int rc = sqlite3_exec(ledger->db, begin, NULL, NULL, NULL);
    if (rc != SQLITE_OK) return ledger_fail(ledger, rc, err);
    ledger->inside = true;
    dusk_status status = check_place(ledger, err);
    if (status == DUSK_OK) status = work(ledger, context, err);
    ledger->inside = false;
    if (status == DUSK_OK) {
        rc = sqlite3_exec(ledger->db, "COMMIT", NULL, NULL, NULL);
        if (rc != SQLITE_OK) status = ledger_fail(ledger, rc, err);
    }
    /* SQLite has rolled back by itself after some errors. */
    if (!sqlite3_get_autocommit(ledger->db)) (void)sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

dusk_status ledger_write(dusk_ledger *ledger, ledger_work *work, void *context, dusk_error *err)
{
    return transact(ledger, DUSK_MUTATE(LEDGER_LATE_LOCK, "BEGIN IMMEDIATE", "BEGIN"), work, context, err);
}

dusk_status ledger_read(dusk_ledger *ledger, ledger_work *work, void *context, dusk_error *err)
{
    return transact(ledger, "BEGIN", work, context, err);
}
