/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names; see name_list.h. */
#include "table/name_list.h"

#include <string.h>

#include "base/memory.h"

dusk_status table_name_list(char ***out, const char *all, size_t bytes, size_t n, dusk_error *err)
{
    char **list = dusk_allocate(1, (n + 1) * sizeof *list + bytes);
    if (!list) return dusk_fail_memory(err);
    char *at = (char *)(list + n + 1);
    if (bytes) memcpy(at, all, bytes);
    for (size_t i = 0; i < n; i++, at += strlen(at) + 1) list[i] = at;
    *out = list;
    return DUSK_OK;
}
