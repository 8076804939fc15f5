/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release quadtree: how many points lie in each cell of a public box, or in
 * rectangles of it. Cells are those of the box, whatever the points are; what is public
 * is checked before the data is opened, and a dry run ends there. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/release_tree.h"

typedef struct spatial_job {
    dusk_quadtree *quadtree;
    uint32_t *parents;
    release_tree tree;
    release_range *ranges;
    double *answers, *widths; /* of the ranges */
    size_t range_count;
    dusk_columns *columns;
    double *x, *y; /* the points */
    size_t points, room;
} spatial_job;

static void free_points(spatial_job *s)
{
    dusk_numbers_free(s->x, s->room);
    dusk_numbers_free(s->y, s->room);
    s->x = s->y = NULL;
}

static void free_job(spatial_job *s)
{
    free_points(s);
    release_tree_free(&s->tree);
    dusk_quadtree_free(s->quadtree);
    dusk_deallocate(s->parents);
    dusk_deallocate(s->ranges);
    dusk_deallocate(s->answers);
    dusk_deallocate(s->widths);
    dusk_deallocate(s->columns);
}

/* ---- What is public --------------------------------------------------------------- */

static dusk_status find_shares(const release_job *job, double *shares, bool *geometric, dusk_error *err)
{
    size_t levels, depth = (size_t)job->settings->depth;
    *geometric = !job->settings->shares || !strcmp(job->settings->shares, "geometric");
    if (*geometric) return DUSK_OK;
    dusk_status status = release_tree_shares(job, shares, &levels, err);
    if (status != DUSK_OK) return status;
    if (levels == 0)
        for (size_t l = 0; l <= depth; l++) shares[l] = 1;
    else if (levels == SIZE_MAX) /* 4^l cells */
        for (size_t l = 0; l <= depth; l++)
            shares[l] = pow(4, (double)l / (release_given(job, "delta") ? 2 : 3));
    else if (levels != depth + 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one share a level, that of the whole box first",
                         "there are %zu shares and %zu levels", levels, depth + 1);
    return DUSK_OK;
}

static dusk_status prepare(const release_job *job, spatial_job *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const release_settings *settings = job->settings;
    double shares[DUSK_HIERARCHY_LEVELS_MAX];
    bool geometric;
    release_range frame;
    size_t one;
    dusk_aggregate how;

    DUSK_TRY(release_tree_check_query(job, err));
    DUSK_NEW(s->columns, 1);
    DUSK_TRY(dusk_columns_parse(s->columns, settings->columns, err));
    if (s->columns->count != 2)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --columns longitude,latitude",
                           "quadtree needs two columns, x and y"));
    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(release_ranges_parse(&frame, &one, 1, 2, "box", settings->box, err));
    DUSK_TRY(find_shares(job, shares, &geometric, err));
    const dusk_box box = { frame.low[0], frame.high[0], frame.low[1], frame.high[1] };
    DUSK_TRY(dusk_quadtree_new(&s->quadtree, &how, &box, 2, (uint32_t)settings->depth,
                               geometric ? NULL : shares,
                               settings->outside == 1 ? DUSK_OUTSIDE_CLAMP : DUSK_OUTSIDE_DROP, err));
    size_t nodes = dusk_quadtree_nodes(s->quadtree);
    DUSK_NEW(s->parents, nodes);
    for (size_t i = 1; i < nodes; i++) s->parents[i] = (uint32_t)((i - 1) / 4);
    DUSK_TRY(
        release_tree_borrow(job, &s->tree, dusk_quadtree_hierarchy(s->quadtree), s->parents, nodes, err));
    if (settings->query) {
        DUSK_NEW(s->ranges, RELEASE_QUERIES_MAX);
        DUSK_NEW(s->answers, RELEASE_QUERIES_MAX);
        DUSK_NEW(s->widths, RELEASE_QUERIES_MAX);
        DUSK_TRY(release_ranges_parse(s->ranges, &s->range_count, RELEASE_QUERIES_MAX, 2, "query",
                                      settings->query, err));
    }
done:
    return status;
}

/* ---- Points ----------------------------------------------------------------------- */

/* Twice the room, nothing left behind. */
static dusk_status grow(spatial_job *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = s->room ? 2 * s->room : 1024;
    double *x = NULL, *y = NULL;
    DUSK_NEW(x, room);
    DUSK_NEW(y, room);
    if (s->points) memcpy(x, s->x, s->points * sizeof *x);
    if (s->points) memcpy(y, s->y, s->points * sizeof *y);
    free_points(s);
    s->x = x;
    s->y = y;
    s->room = room;
    return DUSK_OK;
done:
    dusk_deallocate(x);
    dusk_deallocate(y);
    return status;
}

static dusk_status read_points(const release_job *job, spatial_job *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_input input = { .file = NULL };
    DUSK_TRY(release_open(job, &input, DUSK_INPUT_RECORDS, err));
    DUSK_TRY(dusk_columns_header(s->columns, &input, err));
    while (dusk_columns_next(s->columns, &input)) {
        if (s->points == s->room) DUSK_TRY(grow(s, err));
        s->x[s->points] = dusk_columns_number(s->columns, 0);
        s->y[s->points++] = dusk_columns_number(s->columns, 1);
    }
    DUSK_TRY(dusk_input_close(&input, err));
done:
    if (dusk_input_close(&input, NULL) != DUSK_OK && status == DUSK_OK) status = DUSK_ERR_IO;
    dusk_wipe(s->columns->field, sizeof s->columns->field);
    return status;
}

/* ---- Answers ---------------------------------------------------------------------- */

static dusk_status answer_all(spatial_job *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < s->range_count; i++) {
        const release_range *r = &s->ranges[i];
        const dusk_box box = { r->low[0], r->high[0], r->low[1], r->high[1] };
        double fitted;
        DUSK_TRY(dusk_quadtree_query(s->quadtree, &fitted, &s->widths[i], s->tree.fitted, &box, err));
        DUSK_TRY(dusk_quadtree_query(s->quadtree, &s->answers[i], NULL, s->tree.counts, &box, err));
        if (!isnan(s->answers[i])) s->widths[i] += fabs(s->answers[i] - fitted);
    }
done:
    return status;
}

static void print_cell(release_job *job, const spatial_job *s, size_t node, bool json)
{
    dusk_box c = dusk_quadtree_cell(s->quadtree, node);
    const double edges[] = { c.x_low, c.x_high, c.y_low, c.y_high };
    if (json) {
        dusk_json_open(&job->json, '{');
        dusk_json_key(&job->json, "box");
        dusk_json_open(&job->json, '[');
        for (int i = 0; i < 4; i++) dusk_json_number(&job->json, edges[i]);
        dusk_json_close(&job->json, ']');
        release_tree_json(job, &s->tree, node);
        dusk_json_close(&job->json, '}');
        return;
    }
    for (int i = 0; i < 4; i++) {
        dusk_print_number(stdout, edges[i]);
        fputc('\t', stdout);
    }
    dusk_print_number(stdout, s->tree.counts[node]);
    fputc('\n', stdout);
}

/* Cells of the last level; with --prune, a cell below that count is not looked into. */
static void print_cells(release_job *job, const spatial_job *s, size_t node, bool json)
{
    bool last = 4 * node + 1 >= s->tree.nodes;
    if (last || (release_given(job, "prune") && s->tree.counts[node] < job->settings->prune)) {
        print_cell(job, s, node, json);
        return;
    }
    for (size_t k = 1; k <= 4; k++) print_cells(job, s, 4 * node + k, json);
}

static void print_tree(release_job *job, const spatial_job *s, bool json)
{
    if (json) {
        dusk_json_key(&job->json, "cells");
        dusk_json_open(&job->json, '[');
    }
    if (!job->settings->dry_run) print_cells(job, s, 0, json);
    if (json) dusk_json_close(&job->json, ']');
}

dusk_status release_quadtree(release_job *job, dusk_error *err)
{
    dusk_status status;
    spatial_job s = { .quadtree = NULL };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement };
    bool dry = job->settings->dry_run, json;

    DUSK_TRY(prepare(job, &s, err));
    DUSK_TRY(dusk_quadtree_state(s.quadtree, &statement, err));
    if (!dry) {
        DUSK_TRY(read_points(job, &s, err));
        DUSK_TRY(dusk_quadtree_release(s.quadtree, s.tree.counts, s.x, s.y, s.points, job->gen, err));
        DUSK_TRY(release_tree_adjust(job, &s.tree, err));
    }
    DUSK_TRY(answer_all(&s, err));
    json = release_json(job);
    if (job->settings->query)
        release_answers_print(job, dry ? NULL : s.answers, s.widths, s.range_count, json);
    else
        print_tree(job, &s, json);
    if (json) {
        dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
    }
    if (job->settings->query)
        release_tree_describe_answers(job, &receipt, s.widths, s.range_count);
    else
        release_tree_describe(job, &s.tree, &receipt);
    snprintf(receipt.input, sizeof receipt.input, "points outside the box are %s; what is not a number is %s",
             job->settings->outside == 1 ? "moved to its edge" : "not counted", "not counted");
    DUSK_TRY(release_end(job, &receipt, err));
done:
    free_job(&s);
    return status;
}
