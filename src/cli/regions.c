/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a tree of regions; see regions.h. */
#include "cli/regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Paths ------------------------------------------------------------------------ */

bool dusk_region_tidy(char *out, const char *text)
{
    size_t length = 0;
    for (const char *at = text; *at;) {
        size_t part = strcspn(at, "/");
        if (part) {
            if (length + part + 2 > DUSK_REGION_MAX) return false;
            if (length) out[length++] = '/';
            memcpy(out + length, at, part);
            length += part;
        }
        at += part + (at[part] == '/');
    }
    out[length] = '\0';
    return true;
}

/* The end of a part comes before any other byte, so that what is below a region follows
 * it before its sisters do. */
static int compare_paths(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int x = *a == '/' ? 1 : *a ? 2 + (unsigned char)*a : 0;
    int y = *b == '/' ? 1 : *b ? 2 + (unsigned char)*b : 0;
    return x - y;
}

static int by_path(const void *a, const void *b)
{
    return compare_paths(*(char *const *)a, *(char *const *)b);
}

/* Is `path` below `above`? Everything is below the root. */
static bool is_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return length == 0 || (!strncmp(path, above, length) && path[length] == '/');
}

/* ---- The file --------------------------------------------------------------------- */

typedef struct path_list {
    char **paths;
    size_t count, room;
} path_list;

static dusk_status add_path(path_list *list, const char *path, size_t length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *copy = NULL;
    DUSK_NEW(copy, length + 1);
    memcpy(copy, path, length);
    DUSK_GROW(list->paths, list->room, list->count);
    list->paths[list->count++] = copy;
    copy = NULL;
done:
    dusk_deallocate(copy);
    return status;
}

/* A region and all that is above it, but for what the last one has above it already. */
static dusk_status add_region(path_list *list, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 1; path[0]; i++) {
        if (path[i] != '/' && path[i]) continue;
        DUSK_TRY(add_path(list, path, i, err));
        if (!path[i]) break;
    }
done:
    return status;
}

static dusk_status fail_line(const char *path, size_t line, const char *what, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE, "one region a line, from the top: state/county/tract",
                     "%.100s line %zu: %s", path, line, what);
}

static dusk_status read_lines(path_list *list, FILE *file, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL, tidy[DUSK_REGION_MAX];
    size_t size = 0;
    ssize_t length;
    for (size_t line = 1; errno = 0, (length = getline(&text, &size, file)) >= 0; line++) {
        while (length > 0 && strchr(" \t\r\n", text[length - 1])) text[--length] = '\0';
        const char *start = text + strspn(text, " \t");
        if (line == 1 && !strncmp(start, "\xEF\xBB\xBF", 3)) start += 3;
        if (!*start || *start == '#') continue;
        if (strlen(text) != (size_t)length) DUSK_TRY(fail_line(path, line, "it has a zero byte", err));
        if (!dusk_region_tidy(tidy, start)) DUSK_TRY(fail_line(path, line, "the region is too long", err));
        DUSK_TRY(add_region(list, tidy, err));
    }
    if (errno == ENOMEM) DUSK_TRY(dusk_fail_memory(err));
done:
    free(text);
    return status;
}

/* ---- The tree --------------------------------------------------------------------- */

/* Sort, leave out what is there twice, and give each its parent. */
static dusk_status build(dusk_regions *out, path_list *list, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t kept = 0;
    qsort(list->paths, list->count, sizeof *list->paths, by_path);
    for (size_t i = 0; i < list->count; i++) {
        if (kept && !strcmp(list->paths[kept - 1], list->paths[i]))
            dusk_deallocate(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    }
    list->count = kept;
    DUSK_NEW(out->parents, kept);
    DUSK_NEW(out->leaf, kept);
    for (size_t i = 0; i < kept; i++) {
        size_t up = i ? i - 1 : 0;
        while (i && !is_below(list->paths[i], list->paths[up])) up = out->parents[up];
        out->parents[i] = (uint32_t)up;
        out->leaf[i] = true;
        if (i) out->leaf[up] = false;
    }
    out->paths = list->paths;
    out->nodes = kept;
    list->paths = NULL;
    list->count = 0;
done:
    return status;
}

dusk_status dusk_regions_read(dusk_regions *out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    path_list list = { 0 };
    dusk_regions regions = { 0 };
    FILE *file = fopen(path, "r");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "give the public list of regions: --regions FILE",
                         "cannot read %.150s: %s", path, strerror(errno));
    DUSK_TRY(add_path(&list, "", 0, err));
    DUSK_TRY(read_lines(&list, file, path, err));
    if (ferror(file))
        DUSK_TRY(
            dusk_fail(err, DUSK_ERR_IO, "check the file", "cannot read %.150s: %s", path, strerror(errno)));
    if (list.count == 1) DUSK_TRY(fail_line(path, 1, "there is no region in the file", err));
    DUSK_TRY(build(&regions, &list, err));
    *out = regions;
    regions = (dusk_regions){ 0 };
done:
    fclose(file);
    for (size_t i = 0; i < list.count; i++) dusk_deallocate(list.paths[i]);
    dusk_deallocate(list.paths);
    dusk_regions_free(&regions);
    return status;
}

void dusk_regions_free(dusk_regions *regions)
{
    for (size_t i = 0; regions->paths && i < regions->nodes; i++) dusk_deallocate(regions->paths[i]);
    dusk_deallocate(regions->paths);
    dusk_deallocate(regions->parents);
    dusk_deallocate(regions->leaf);
    *regions = (dusk_regions){ 0 };
}

size_t dusk_regions_find(const dusk_regions *regions, const char *path)
{
    size_t low = 0, high = regions->nodes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_paths(regions->paths[middle], path);
        if (order == 0) return regions->leaf[middle] ? middle : regions->nodes;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return regions->nodes;
}
