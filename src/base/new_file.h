/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BASE_NEW_FILE_H
#define DUSK_BASE_NEW_FILE_H

/* A file that is whole or not there: it is written beside its place, synced and moved there. Where the file system has files without names it gets one
 * only when it is whole: who kills the program finds nothing left over. Devices and pipes are written to directly. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dusk_new_file dusk_new_file;

/* Whatever can be known now to fail fails now: no rights, no folder, a full disk, a database that would be lost. `noun` is what the file is, for
 * messages: "model". Nothing is changed at the place. */
DUSK_MUST_USE dusk_status dusk_new_file_open(dusk_new_file **out, const char *path, const char *noun,
                                             dusk_error *err);
/* Take so many bytes of the disk now, where that can be known: a full one is better found out before than after. */
DUSK_MUST_USE dusk_status dusk_new_file_reserve(dusk_new_file *file, uint64_t bytes, dusk_error *err);
/* The next bytes of it. */
DUSK_MUST_USE dusk_status dusk_new_file_write(dusk_new_file *file, const void *bytes, size_t n,
                                              dusk_error *err);
/* It is whole: to its place. Once. */
DUSK_MUST_USE dusk_status dusk_new_file_put(dusk_new_file *file, dusk_error *err);
/* What was not put is gone. NULL is fine. */
void dusk_new_file_close(dusk_new_file *file);

#endif
