/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_FILE_H
#define DUSK_CLI_FILE_H

#include <stdio.h>

#include "dusk/base.h"

/* Write a file with `put`: first beside it, then moved into place. What is there
 * stays when anything fails; a database is never replaced. Devices and pipes are written to directly. */
dusk_status dusk_file_replace(const char *path, void (*put)(FILE *file, const void *what), const void *what,
                              dusk_error *err);

#endif
