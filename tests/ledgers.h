/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LEDGERS_H
#define TESTS_LEDGERS_H

/* Ledgers in a folder that is made for a test and removed after it. */

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dusk/ledger.h"
#include "support.h"

typedef struct folder {
    char path[64], file[96]; /* file: where the ledger is */
} folder;

/* In memory where there is such a place: syncs are what takes time. */
static inline folder folder_make(void)
{
    folder f;
    snprintf(f.path, sizeof f.path, "%s", "/dev/shm/dusk-ledger-XXXXXX");
    if (!mkdtemp(f.path)) {
        snprintf(f.path, sizeof f.path, "%s", "/tmp/dusk-ledger-XXXXXX");
        if (!mkdtemp(f.path)) fail_msg("no folder");
    }
    snprintf(f.file, sizeof f.file, "%s/x.dusk", f.path);
    return f;
}

static inline void folder_remove(const folder *f)
{
    DIR *dir = opendir(f->path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[400];
        snprintf(path, sizeof path, "%.63s/%.255s", f->path, e->d_name);
        if (e->d_name[0] != '.') (void)remove(path);
    }
    if (dir) closedir(dir);
    (void)rmdir(f->path);
}

#define OK(call)                                                                                             \
    do {                                                                                                     \
        dusk_error err = { .message = "" };                                                                  \
        dusk_status status_ = (call);                                                                        \
        if (status_ != DUSK_OK) fail_msg("%s: %s", dusk_status_name(status_), err.message);                  \
    } while (0)
/* The call fails so, with a sentence. */
#define FAILS(wanted, call)                                                                                  \
    do {                                                                                                     \
        dusk_error err = { .message = "" };                                                                  \
        dusk_status status_ = (call);                                                                        \
        if (status_ != (wanted) || err.status != status_ || !*err.message)                                   \
            fail_msg("%s: %s", dusk_status_name(status_), err.message);                                      \
    } while (0)

static inline void ledger_make(const char *path, dusk_filter_kind kind, double epsilon, double delta)
{
    dusk_ledger_options options;
    dusk_ledger_options_init(&options);
    options.filter = kind;
    options.neighbours = DUSK_ADD_REMOVE;
    options.budget = (dusk_budget){ epsilon, delta };
    OK(dusk_ledger_create(path, &options, &err));
}

static inline dusk_ledger *ledger_of(const char *path)
{
    dusk_ledger *ledger = NULL;
    OK(dusk_ledger_open(&ledger, path, &err));
    return ledger;
}

static inline dusk_event event_of(const char *text)
{
    dusk_event event;
    OK(dusk_event_parse(&event, text, &err));
    return event;
}

static inline dusk_status try_charge(dusk_ledger *ledger, uint64_t *id, const char *analyst, const char *text,
                                     dusk_error *err)
{
    uint64_t unused;
    dusk_event event = event_of(text);
    dusk_charge charge = { .analyst = analyst, .event = &event, .purpose = "a question" };
    return dusk_ledger_reserve(ledger, id ? id : &unused, &charge, err);
}

static inline uint64_t charge_of(dusk_ledger *ledger, const char *analyst, const char *text)
{
    uint64_t id = 0;
    OK(try_charge(ledger, &id, analyst, text, &err));
    return id;
}

static inline dusk_spending spending_of(dusk_ledger *ledger, const char *analyst)
{
    dusk_spending spending;
    OK(dusk_ledger_spending(ledger, &spending, analyst, &err));
    return spending;
}

/* Run SQL on the file behind the ledger's back. */
static inline void tamper(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *said = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &said) != SQLITE_OK) fail_msg("%s: %s", sql, said);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

#endif
