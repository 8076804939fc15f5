/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_FOLDER_H
#define DUSK_TABLE_FOLDER_H

/* Folders as data: a pair of IDX files with the usual names (train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz), or pictures, a
 * sub-folder for each category. */

#include "table/filler.h"

enum { TABLE_PATH_MOST = 4096 };

/* The two files of a pair. FOLDER names those that begin with "train", FOLDER/t10k those that begin with "t10k". */
typedef struct table_pair {
    char images[TABLE_PATH_MOST], labels[TABLE_PATH_MOST];
} table_pair;

bool table_folder_is(const char *path);
/* Whether `path` names a pair of IDX files. */
bool table_folder_pair(table_pair *out, const char *path);

/* Pictures (picture.h), a row each: all files but those whose name begins with a dot, in the order of their names. Where the last field is a category it is
 * the name of the sub-folder, and files are looked for in sub-folders only; otherwise in the folder, too. The other fields are the
 * numbers of a picture; those of a file that is no picture of this size are missing. Both: DUSK_ERR_ARGUMENT when the fields are no such, or a declared category has no sub-folder;
 * only reading of files and folders fails besides. */
DUSK_MUST_USE dusk_status table_folder_check(const dusk_fields *fields, const char *path, dusk_error *err);
DUSK_MUST_USE dusk_status table_folder_read(table_filler *to, const dusk_fields *fields, const char *path,
                                            dusk_error *err);

#endif
