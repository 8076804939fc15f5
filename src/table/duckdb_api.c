/* SPDX-License-Identifier: Apache-2.0 */
/* Where DuckDB's library is, and its functions; see duckdb_api.h. */
#define _GNU_SOURCE /* dladdr */
#include "table/duckdb_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define LIBRARY "libduckdb.so"

/* "v1.5.6": whether all that is used is in that version. */
static bool is_known_version(const char *version)
{
    int major, minor;
    return version && sscanf(version, "v%d.%d", &major, &minor) == 2 && major == 1 && minor >= 2;
}

static bool take_functions(duckdb_api *api, void *handle)
{
    void *symbol;
#define TAKE(result, name, arguments)                                                                        \
    if (!(symbol = dlsym(handle, "duckdb_" #name))) return false;                                            \
    memcpy(&api->name, &symbol, sizeof symbol);
    DUCKDB_FUNCTIONS(TAKE)
#undef TAKE
    return is_known_version(api->library_version());
}

static bool open_at(duckdb_api *api, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle && take_functions(api, handle);
}

static bool open_within(duckdb_api *api, const char *folder, size_t length, const char *below)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s%s" LIBRARY, (int)length, folder, below);
    return n > 0 && (size_t)n < sizeof path && open_at(api, path);
}

/* Beside this library, or the program that it is part of. */
static bool open_beside(duckdb_api *api)
{
    static const char *const below[] = { "/", "/lib/", "/../lib/", "/../lib/dusk/" };
    Dl_info here;
    bool (*own)(void) = duckdb_is_usable;
    void *address;
    memcpy(&address, &own, sizeof address);
    if (!dladdr(address, &here) || !here.dli_fname) return false;
    char file[PATH_MAX];
    if (!realpath(here.dli_fname, file)) return false;
    size_t length = (size_t)(strrchr(file, '/') - file);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (open_within(api, file, length, below[i])) return true;
    return false;
}

static bool open_any(duckdb_api *api)
{
    const char *named = getenv("DUSK_DUCKDB"), *home = getenv("HOME");
    if (named && *named) return open_at(api, named);
    return open_beside(api) ||
           (home && *home == '/' && open_within(api, home, strlen(home), "/.local/lib/dusk/")) ||
           open_at(api, LIBRARY);
}

/* Addresses of functions of a library that is never closed: the same for everybody in the process, written
 * once. Functions that DuckDB calls have no other way to them. */
static struct {
    pthread_mutex_t lock;
    _Atomic(bool) is_open;
    duckdb_api api;
} library = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool duckdb_is_usable(void)
{
    if (library.is_open) return true;
    (void)pthread_mutex_lock(&library.lock);
    duckdb_api api;
    if (!library.is_open && open_any(&api)) {
        library.api = api;
        library.is_open = true;
    }
    (void)pthread_mutex_unlock(&library.lock);
    return library.is_open;
}

const duckdb_api *duckdb_loaded(void) { return &library.api; }

dusk_status duckdb_load(const duckdb_api **out, dusk_error *err)
{
    const char *named = getenv("DUSK_DUCKDB");
    if (duckdb_is_usable()) {
        *out = &library.api;
        return DUSK_OK;
    }
    if (named && *named)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "name libduckdb.so of version 1.2 or later, or unset it",
                         "DUSK_DUCKDB names no DuckDB library that is usable: %.150s", named);
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "tools/setup --duckdb fetches it, or name it in DUSK_DUCKDB",
                     "DuckDB's library (libduckdb.so, 1.2 or later) is not found");
}
