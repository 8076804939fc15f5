/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_FILE_H
#define DUSK_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "dusk/base.h"

/* Write a file with `put`: first beside it, then moved into place. What is there
 * stays when anything fails; a database is never replaced. Devices and pipes are written to directly. */
dusk_status dusk_file_replace(const char *path, void (*put)(FILE *file, const void *what), const void *what,
                              dusk_error *err);
/* That it could be done now, as far as that can be known; nothing is left there, and nothing is changed. */
dusk_status dusk_file_try(const char *path, dusk_error *err);

/* Whether both names are of one file or folder: by device and number where both are there, otherwise by the folder and the name in
 * it. Devices and pipes are nobody's. */
bool dusk_file_same(const char *a, const char *b);

/* The files that a command writes: none of them is to replace what is read, nor another of them. */
#define DUSK_OUTPUTS_MAX 8
typedef struct dusk_outputs {
    const char *path[DUSK_OUTPUTS_MAX];
    size_t count;
} dusk_outputs;
void dusk_outputs_add(dusk_outputs *outputs, const char *path); /* NULL: it is not written */
dusk_status dusk_outputs_check(const dusk_outputs *outputs, dusk_error *err);
/* `read`: a file, or a folder whose files are read; NULL: nothing is. */
dusk_status dusk_outputs_keep(const dusk_outputs *outputs, const char *read, dusk_error *err);
/* The same of rows, by the name of their source (dusk/frame.h). */
dusk_status dusk_outputs_keep_rows(const dusk_outputs *outputs, const char *source, dusk_error *err);
/* Whether rows are of the same file, and not of two tables of it that are named. */
bool dusk_rows_same(const char *a, const char *b);

#endif
