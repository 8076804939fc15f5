/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TABLE_FILES_H
#define TESTS_TABLE_FILES_H

/* Real files for tests of tables, in a folder of their own that is removed at the end. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static char files_folder[64];
static char files_made[64][128];
static size_t files_count;

static inline int files_begin(void **state)
{
    (void)state;
    snprintf(files_folder, sizeof files_folder, "/tmp/dusk-table-XXXXXX");
    return mkdtemp(files_folder) ? 0 : -1;
}

/* The path of a file of that name, which is removed at the end; valid until then. */
static inline const char *files_path(const char *name)
{
    char path[sizeof files_made[0]];
    snprintf(path, sizeof path, "%s/%s", files_folder, name);
    for (size_t i = 0; i < files_count; i++)
        if (strcmp(files_made[i], path) == 0) return files_made[i];
    assert_true(files_count < sizeof files_made / sizeof *files_made);
    memcpy(files_made[files_count], path, sizeof path);
    return files_made[files_count++];
}

static inline const char *files_write(const char *name, const char *text, size_t length)
{
    const char *path = files_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *files_text(const char *name, const char *text)
{
    return files_write(name, text, strlen(text));
}

static inline int files_end(void **state)
{
    (void)state;
    for (size_t i = files_count; i-- > 0;) (void)remove(files_made[i]); /* folders after what is in them */
    files_count = 0;
    return rmdir(files_folder);
}

#endif
