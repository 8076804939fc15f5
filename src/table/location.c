/* SPDX-License-Identifier: Apache-2.0 */
/* Sources by their URI: what kind it is, and its parts. Nothing is opened here. */
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "table/engine.h"
#include "table/schema.h"

static const struct {
    const char *suffix;
    dusk_source_kind kind;
    char delimiter; /* of text */
} suffixes[] = {
    { ".csv", DUSK_SOURCE_CSV, ',' },       { ".tsv", DUSK_SOURCE_CSV, '\t' },
    { ".data", DUSK_SOURCE_CSV, ',' },      { ".tbl", DUSK_SOURCE_CSV, '|' },
    { ".txt", DUSK_SOURCE_CSV, ',' },       { ".db", DUSK_SOURCE_SQLITE, 0 },
    { ".sqlite", DUSK_SOURCE_SQLITE, 0 },   { ".sqlite3", DUSK_SOURCE_SQLITE, 0 },
    { ".parquet", DUSK_SOURCE_PARQUET, 0 }, { ".duckdb", DUSK_SOURCE_DUCKDB, 0 },
};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* The number of the suffix that path[0 .. length) ends in, or -1. Text may be compressed: a.csv.gz. */
static int suffix_of(const char *path, size_t length)
{
    bool gzip = length > 3 && table_same_name(path + length - 3, 3, ".gz");
    if (gzip) length -= 3;
    for (int i = 0; i < SUFFIXES; i++) {
        size_t n = strlen(suffixes[i].suffix);
        if (gzip && suffixes[i].kind != DUSK_SOURCE_CSV) continue;
        if (length > n && table_same_name(path + length - n, n, suffixes[i].suffix)) return i;
    }
    return -1;
}

static dusk_status copy_part(char **out, const char *text, size_t length, dusk_error *err)
{
    *out = table_copy(text, length);
    return *out ? DUSK_OK : dusk_fail_memory(err);
}

static dusk_status parse_delimiter(dusk_location *out, const char *value, size_t length, dusk_error *err)
{
    if (table_same_name(value, length, "tab"))
        out->delimiter = '\t';
    else if (length == 1 && (*value == '\t' || (*value >= ' ' && *value <= '~' && *value != '"')))
        out->delimiter = *value;
    else
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write ?delimiter=; or ?delimiter=tab",
                         "a delimiter is one character of ASCII, not a quote, or the word tab");
    return DUSK_OK;
}

/* One option[0 .. length) of a text file. */
static dusk_status parse_option(dusk_location *out, const char *option, size_t length, dusk_error *err)
{
    const char *delimiter = "delimiter=", *header = "header=";
    size_t d = strlen(delimiter), h = strlen(header);
    if (length >= d && memcmp(option, delimiter, d) == 0)
        return parse_delimiter(out, option + d, length - d, err);
    if (length > h && memcmp(option, header, h) == 0 && !out->header)
        return copy_part(&out->header, option + h, length - h, err);
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "write ?delimiter=; or ?header=name,age,city, with & between them",
                     "a text file has the options delimiter and header, each once");
}

static dusk_status parse_options(dusk_location *out, const char *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (const char *at = options; status == DUSK_OK;) {
        size_t length = strcspn(at, "&");
        status = parse_option(out, at, length, err);
        if (!at[length]) break;
        at += length + 1;
    }
    return status;
}

static dusk_status parse_postgres(dusk_location *out, const char *uri, dusk_error *err)
{
    const char *hash = strchr(uri, '#');
    dusk_status status = copy_part(&out->path, uri, hash ? (size_t)(hash - uri) : strlen(uri), err);
    out->kind = DUSK_SOURCE_POSTGRES;
    if (status == DUSK_OK && hash && hash[1])
        status = copy_part(&out->table, hash + 1, strlen(hash + 1), err);
    return status;
}

/* Where the file's name ends: at its end, or before the first ? of text or # of a database that
 * follow a known suffix. -1 as kind: no suffix is known. */
static int split_file(const char *uri, size_t *length)
{
    int kind = -1;
    for (size_t i = 0;; i++) {
        if (uri[i] && uri[i] != '?' && uri[i] != '#') continue;
        kind = suffix_of(uri, i);
        bool text = kind >= 0 && suffixes[kind].kind == DUSK_SOURCE_CSV;
        bool database = kind >= 0 && !text && suffixes[kind].kind != DUSK_SOURCE_PARQUET;
        if (!uri[i] || (uri[i] == '?' && text) || (uri[i] == '#' && database)) {
            *length = i;
            return kind;
        }
    }
}

static dusk_status parse_file(dusk_location *out, const char *uri, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length;
    int i = split_file(uri, &length);
    if (i < 0)
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT,
            "a source is a file *.csv, *.tsv, *.tbl, *.txt, *.data, *.db, *.sqlite, *.parquet, *.duckdb, "
            "or postgres://user@host/database",
            "what kind of source %.150s is cannot be told from its name", uri);
    out->kind = suffixes[i].kind;
    out->delimiter = suffixes[i].delimiter;
    DUSK_TRY(copy_part(&out->path, uri, length, err));
    if (uri[length] == '?') DUSK_TRY(parse_options(out, uri + length + 1, err));
    if (uri[length] == '#' && uri[length + 1])
        DUSK_TRY(copy_part(&out->table, uri + length + 1, strlen(uri + length + 1), err));
done:
    return status;
}

dusk_status dusk_location_parse(dusk_location *out, const char *uri, dusk_error *err)
{
    dusk_location location = { .path = NULL };
    bool postgres = begins(uri, "postgres://") || begins(uri, "postgresql://");
    dusk_status status = (postgres ? parse_postgres : parse_file)(&location, uri, err);
    if (status == DUSK_OK)
        *out = location;
    else
        dusk_location_clear(&location);
    return status;
}

void dusk_location_clear(dusk_location *location)
{
    dusk_deallocate(location->path);
    dusk_deallocate(location->table);
    dusk_deallocate(location->header);
    *location = (dusk_location){ .path = NULL };
}
