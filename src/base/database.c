/* SPDX-License-Identifier: Apache-2.0 */
#include "base/database.h"

#include <stdio.h>
#include <string.h>

bool dusk_is_database(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    return n == sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0;
}
