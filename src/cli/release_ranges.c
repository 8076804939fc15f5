/* SPDX-License-Identifier: Apache-2.0 */
/* dusk release range-histogram: a histogram over public bins with a tree above them, so
 * that sums over adjacent bins err less than those of a plain histogram [Hay, Rastogi,
 * Miklau & Suciu 2010; Qardaji, Yang & Li 2013]. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/release_tree.h"

enum { BINS_MAX = 1000000 };

typedef struct ranges_job {
    double low, high;
    size_t bins, first; /* node of the first bin */
    uint32_t *parents;
    release_tree tree;
    release_range *ranges;
    double *answers, *widths;
    size_t range_count;
} ranges_job;

static void free_job(ranges_job *r)
{
    release_tree_free(&r->tree);
    dusk_deallocate(r->parents);
    dusk_deallocate(r->ranges);
    dusk_deallocate(r->answers);
    dusk_deallocate(r->widths);
}

/* Edge number i, as in dusk release histogram. */
static double edge(const ranges_job *r, size_t i)
{
    double part = (double)i / (double)r->bins;
    return i == r->bins ? r->high : r->low * (1 - part) + r->high * part;
}

/* ---- What is public --------------------------------------------------------------- */

static dusk_status read_bins(const release_job *job, ranges_job *r, dusk_error *err)
{
    double part[3];
    size_t n = dusk_parse_list(job->settings->bins, ':', part, 3);
    if (n != 3 || !(part[0] < part[1]) || !(part[2] >= 1 && part[2] <= BINS_MAX && part[2] == floor(part[2])))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --bins 0:100:1024",
                         "--bins must have the form LO:HI:N, LO below HI and 1 to %d bins", BINS_MAX);
    r->low = part[0];
    r->high = part[1];
    r->bins = (size_t)part[2];
    return DUSK_OK;
}

static dusk_status build_tree(const release_job *job, ranges_job *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t nodes;
    uint32_t branching = release_given(job, "branching") ? (uint32_t)job->settings->branching
                                                         : dusk_hierarchy_branching(r->bins, 1);
    DUSK_TRY(dusk_hierarchy_balanced(NULL, &nodes, r->bins, branching, err));
    DUSK_NEW(r->parents, nodes);
    DUSK_TRY(dusk_hierarchy_balanced(r->parents, &nodes, r->bins, branching, err));
    r->first = nodes - r->bins;
    DUSK_TRY(release_tree_new(job, &r->tree, r->parents, nodes, err));
done:
    return status;
}

static dusk_status prepare(const release_job *job, ranges_job *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(release_tree_check_query(job, err));
    DUSK_TRY(read_bins(job, r, err));
    DUSK_TRY(build_tree(job, r, err));
    if (!job->settings->query) return DUSK_OK;
    DUSK_NEW(r->ranges, RELEASE_QUERIES_MAX);
    DUSK_NEW(r->answers, RELEASE_QUERIES_MAX);
    DUSK_NEW(r->widths, RELEASE_QUERIES_MAX);
    DUSK_TRY(release_ranges_parse(r->ranges, &r->range_count, RELEASE_QUERIES_MAX, 1, "query",
                                  job->settings->query, err));
done:
    return status;
}

/* ---- Rows ------------------------------------------------------------------------- */

static void count_rows(ranges_job *r, const double *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = r->bins;
        if (!(rows[i] >= r->low && rows[i] <= r->high)) continue;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (rows[i] >= edge(r, middle))
                low = middle;
            else
                high = middle;
        }
        r->tree.exact[r->first + low]++;
    }
}

/* ---- Answers ---------------------------------------------------------------------- */

/* The part of bin i that lies in the range. */
static double overlap(const ranges_job *r, size_t i, const release_range *range)
{
    double low = edge(r, i), high = edge(r, i + 1);
    double width = fmin(high, range->high[0]) / 2 - fmax(low, range->low[0]) / 2, whole = high / 2 - low / 2;
    if (range->low[0] <= low && high <= range->high[0]) return 1;
    if (!(width > 0)) return 0;
    return width < whole ? width / whole : 1;
}

static dusk_status answer_all(ranges_job *r, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *weights = NULL;
    DUSK_NEW(weights, r->tree.nodes);
    for (size_t k = 0; k < r->range_count; k++) {
        for (size_t i = 0; i < r->bins; i++) weights[r->first + i] = overlap(r, i, &r->ranges[k]);
        DUSK_TRY(release_tree_answer(&r->tree, weights, &r->answers[k], &r->widths[k], err));
    }
done:
    dusk_deallocate(weights);
    return status;
}

static void print_bins(release_job *job, const ranges_job *r, bool json)
{
    if (json) {
        dusk_json_key(&job->json, "bins");
        dusk_json_open(&job->json, '[');
    }
    for (size_t i = 0; i < r->bins && (json || !job->settings->dry_run); i++) {
        if (json) {
            dusk_json_open(&job->json, '{');
            dusk_json_number_field(&job->json, "low", edge(r, i));
            dusk_json_number_field(&job->json, "high", edge(r, i + 1));
            release_tree_json(job, &r->tree, r->first + i);
            dusk_json_close(&job->json, '}');
            continue;
        }
        dusk_print_number(stdout, edge(r, i));
        fputc('\t', stdout);
        dusk_print_number(stdout, edge(r, i + 1));
        fputc('\t', stdout);
        dusk_print_number(stdout, r->tree.counts[r->first + i]);
        fputc('\n', stdout);
    }
    if (json) dusk_json_close(&job->json, ']');
}

dusk_status release_range_histogram(release_job *job, dusk_error *err)
{
    dusk_status status;
    ranges_job r = { .bins = 0 };
    dusk_statement statement;
    release_receipt receipt = { .statement = &statement,
                                .input = "what is in no bin or not a number is not counted" };
    double *rows = NULL;
    size_t n = 0;
    bool dry = job->settings->dry_run, json;

    DUSK_TRY(prepare(job, &r, err));
    DUSK_TRY(dusk_hierarchy_state(r.tree.hierarchy, &statement, err));
    if (!dry) {
        DUSK_TRY(release_read(job, &rows, &n, err));
        count_rows(&r, rows, n);
        DUSK_TRY(release_tree_release(job, &r.tree, err));
    }
    DUSK_TRY(answer_all(&r, err));
    json = release_json(job);
    if (job->settings->query)
        release_answers_print(job, dry ? NULL : r.answers, r.widths, r.range_count, json);
    else
        print_bins(job, &r, json);
    if (json) {
        dusk_json_number_field(&job->json, "confidence", job->settings->confidence);
    }
    if (job->settings->query)
        release_tree_describe_answers(job, &receipt, r.widths, r.range_count);
    else
        release_tree_describe(job, &r.tree, &receipt);
    DUSK_TRY(release_end(job, &receipt, err));
done:
    dusk_numbers_free(rows, n);
    free_job(&r);
    return status;
}
