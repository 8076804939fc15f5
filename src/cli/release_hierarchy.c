/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release hierarchy: counts over a public tree of regions that agree with each
 * other. The tree and everything public is checked before the data is opened; a dry run
 * ends there. Rows of regions that are not leaves of the tree are in no count. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/regions.h"
#include "cli/release_tree.h"

static dusk_status count_records(const release_job *job, const dusk_regions *regions, dusk_columns *columns,
                                 uint64_t *exact, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_input input = { .file = NULL };
    char path[DUSK_COLUMNS_MAX * DUSK_FIELD_MAX], tidy[DUSK_REGION_MAX];
    dusk_text text;

    DUSK_TRY(release_open(job, &input, DUSK_INPUT_RECORDS, err));
    DUSK_TRY(dusk_columns_header(columns, &input, err));
    while (dusk_columns_next(columns, &input)) {
        dusk_text_init(&text, path, sizeof path);
        for (size_t i = 0; i < columns->count; i++) dusk_text_add(&text, "%s/", columns->field[i]);
        if (text.overflow || !dusk_region_tidy(tidy, path)) continue;
        size_t leaf = dusk_regions_find(regions, tidy);
        if (leaf < regions->nodes) exact[leaf]++;
    }
    DUSK_TRY(dusk_input_close(&input, err));
done:
    if (dusk_input_close(&input, NULL) != DUSK_OK && status == DUSK_OK) status = DUSK_ERR_IO;
    dusk_wipe(columns->field, sizeof columns->field);
    return status;
}

/* Lines of a region and its count; several of one region are added up, to 2^63 at most: one
 * row more never moves a sum by more than one. */
static dusk_status count_named(const release_job *job, const dusk_regions *regions, uint64_t *exact,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_input input = { .file = NULL };
    dusk_named *list = NULL;
    const uint64_t most = UINT64_C(1) << 63;
    char tidy[DUSK_REGION_MAX];
    size_t n = 0;

    DUSK_TRY(release_open(job, &input, DUSK_INPUT_NAMED, err));
    DUSK_TRY(dusk_input_named(&input, &list, &n, err));
    DUSK_TRY(dusk_input_close(&input, err));
    for (size_t i = 0; i < n; i++) {
        double x = list[i].number;
        uint64_t count = x >= 1 ? x < 0x1p53 ? (uint64_t)x : UINT64_C(1) << 53 : 0;
        if (!dusk_region_tidy(tidy, list[i].name)) continue;
        size_t leaf = dusk_regions_find(regions, tidy);
        if (leaf < regions->nodes) exact[leaf] = exact[leaf] > most - count ? most : exact[leaf] + count;
    }
done:
    if (dusk_input_close(&input, NULL) != DUSK_OK && status == DUSK_OK) status = DUSK_ERR_IO;
    dusk_named_free(list, n);
    return status;
}

static void print_lines(const dusk_regions *regions, const release_tree *tree)
{
    for (size_t i = 0; i < regions->nodes; i++) {
        printf("%s\t", i ? regions->paths[i] : "/");
        dusk_print_number(stdout, tree->counts[i]);
        fputc('\n', stdout);
    }
}

static void print_json(release_job *job, const dusk_regions *regions, const release_tree *tree)
{
    dusk_json *json = &job->json;
    dusk_json_key(json, "regions");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < regions->nodes; i++) {
        dusk_json_open(json, '{');
        dusk_json_string_field(json, "region", i ? regions->paths[i] : "/");
        release_tree_json(job, tree, i);
        dusk_json_close(json, '}');
    }
    dusk_json_close(json, ']');
    dusk_json_number_field(json, "confidence", job->settings->confidence);
}

dusk_status release_hierarchy(release_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_regions regions = { 0 };
    dusk_columns *columns = NULL;
    release_tree tree = { 0 };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .input = "rows of regions that are not leaves of the list are not counted" };

    if (job->settings->columns) {
        DUSK_NEW(columns, 1);
        DUSK_TRY(dusk_columns_parse(columns, job->settings->columns, err));
    }
    DUSK_TRY(dusk_regions_read(&regions, job->settings->regions, err));
    DUSK_TRY(release_tree_new(job, &tree, regions.parents, regions.nodes, err));
    DUSK_TRY(dusk_hierarchy_state(tree.hierarchy, &statement, err));
    if (!job->settings->dry_run) {
        DUSK_TRY(columns ? count_records(job, &regions, columns, tree.exact, err)
                         : count_named(job, &regions, tree.exact, err));
        DUSK_TRY(release_tree_release(job, &tree, err));
    }
    if (release_json(job))
        print_json(job, &regions, &tree);
    else if (!job->settings->dry_run)
        print_lines(&regions, &tree);
    release_tree_describe(job, &tree, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    release_tree_free(&tree);
    dusk_regions_free(&regions);
    dusk_deallocate(columns);
    return status;
}
