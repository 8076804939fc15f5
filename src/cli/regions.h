/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_REGIONS_H
#define DUSK_CLI_REGIONS_H

/* A public tree of regions from a text file: one region a line, written from the top with
 * '/' between the levels, as in Georgia/Fulton/1101. What stands above a region need not
 * be listed. Empty parts are left out; blank lines and lines that begin with # are
 * skipped. The root, all regions together, has the empty path. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

enum { DUSK_REGION_MAX = 1024 };

typedef struct dusk_regions {
    size_t nodes;
    char **paths;      /* of the nodes, sorted, the parent before its children */
    uint32_t *parents; /* as dusk_hierarchy_new wants them */
    bool *leaf;
} dusk_regions;

/* DUSK_ERR_PARSE names the line of a mistake. */
dusk_status dusk_regions_read(dusk_regions *out, const char *path, dusk_error *err);
void dusk_regions_free(dusk_regions *regions);
/* Write `text` without empty parts; false when it is too long for DUSK_REGION_MAX. */
bool dusk_region_tidy(char *out, const char *text);
/* The leaf of this tidy path, or `nodes` when it is none. */
size_t dusk_regions_find(const dusk_regions *regions, const char *path);

#endif
