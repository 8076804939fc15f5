/* SPDX-License-Identifier: Apache-2.0 */
/* Trees for dusk release; see release_tree.h. */
#include "cli/release_tree.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { RAW, CONSISTENT, NON_NEGATIVE }; /* of --counts */

dusk_status release_tree_shares(const release_job *job, double *shares, size_t *levels, dusk_error *err)
{
    const char *text = job->settings->shares;
    *levels = 0;
    if (!text || !strcmp(text, "equal")) return DUSK_OK;
    *levels = SIZE_MAX;
    if (!strcmp(text, "optimal")) return DUSK_OK;
    *levels = dusk_parse_list(text, ',', shares, DUSK_HIERARCHY_LEVELS_MAX);
    if (*levels > 0) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     "for example --shares 1,2,4, the root first; or equal, or optimal",
                     "--shares must be equal, optimal, or one number a level");
}

dusk_status release_tree_borrow(const release_job *job, release_tree *tree, const dusk_hierarchy *hierarchy,
                                const uint32_t *parents, size_t nodes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tree->hierarchy = hierarchy;
    tree->nodes = nodes;
    DUSK_NEW(tree->level, nodes);
    DUSK_NEW(tree->exact, nodes);
    DUSK_NEW(tree->fitted, nodes);
    DUSK_NEW(tree->counts, nodes);
    DUSK_NEW(tree->widths, nodes);
    for (size_t i = 0; i < nodes; i++) {
        tree->level[i] = i ? tree->level[parents[i]] + 1 : 0;
        if (tree->level[i] >= tree->levels) tree->levels = tree->level[i] + 1;
        tree->counts[i] = NAN;
    }
    DUSK_TRY(dusk_hierarchy_interval(hierarchy, tree->widths, job->settings->counts != RAW, err));
done:
    return status;
}

dusk_status release_tree_new(const release_job *job, release_tree *tree, const uint32_t *parents,
                             size_t nodes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double shares[DUSK_HIERARCHY_LEVELS_MAX];
    dusk_aggregate how;
    size_t levels;

    DUSK_TRY(release_aggregate(job, &how, err));
    DUSK_TRY(release_tree_shares(job, shares, &levels, err));
    if (levels == SIZE_MAX)
        DUSK_TRY(dusk_hierarchy_optimal_shares(shares, &levels, parents, nodes, how.delta, err));
    DUSK_TRY(dusk_hierarchy_new(&tree->own, &how, parents, nodes, levels ? shares : NULL, levels, err));
    DUSK_TRY(release_tree_borrow(job, tree, tree->own, parents, nodes, err));
done:
    return status;
}

dusk_status release_tree_release(const release_job *job, release_tree *tree, dusk_error *err)
{
    dusk_status status = dusk_hierarchy_release(tree->hierarchy, tree->counts, tree->exact, job->gen, err);
    return status == DUSK_OK ? release_tree_adjust(job, tree, err) : status;
}

dusk_status release_tree_adjust(const release_job *job, release_tree *tree, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (job->settings->counts == RAW) return DUSK_OK;
    DUSK_TRY(dusk_hierarchy_fit(tree->hierarchy, tree->fitted, tree->counts, err));
    memcpy(tree->counts, tree->fitted, tree->nodes * sizeof *tree->counts);
    if (job->settings->counts != NON_NEGATIVE) return DUSK_OK;
    DUSK_TRY(dusk_hierarchy_whole(tree->hierarchy, tree->counts, tree->fitted, err));
    for (size_t i = 0; i < tree->nodes; i++) /* the interval is about the fitted count */
        tree->widths[i] += fabs(tree->counts[i] - tree->fitted[i]);
done:
    return status;
}

void release_tree_json(release_job *job, const release_tree *tree, size_t i)
{
    dusk_json *json = &job->json;
    dusk_json_number_field(json, "count", tree->counts[i]);
    if (job->settings->dry_run) return;
    release_json_interval(job,
                          isnan(tree->counts[i]) ? (double)NAN : fmax(tree->counts[i] - tree->widths[i], 0),
                          tree->counts[i] + tree->widths[i]);
}

void release_tree_describe(const release_job *job, const release_tree *tree, release_receipt *receipt)
{
    double most[DUSK_HIERARCHY_LEVELS_MAX];
    bool dry = job->settings->dry_run, counted = false;
    char width[64];
    dusk_text text;
    for (size_t l = 0; l < tree->levels; l++) most[l] = NAN;
    for (size_t i = 0; i < tree->nodes; i++)
        most[tree->level[i]] = fmax(most[tree->level[i]], tree->widths[i]); /* NaN gives way */
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_text_add(&text, "with %g %% confidence all counts%s %s within", 100 * job->settings->confidence,
                  dry && job->settings->counts == NON_NEGATIVE ? ", before they are made whole," : "",
                  dry ? "will be" : "are");
    for (size_t l = 0; l < tree->levels; l++) {
        if (isnan(most[l])) continue;
        dusk_format_width(width, sizeof width, most[l]);
        dusk_text_add(&text, "%s %s (level %zu)", counted ? "," : "", width, l);
        counted = true;
    }
    dusk_text_add(&text, " of the exact ones");
    if (text.overflow) memcpy(receipt->interval + sizeof receipt->interval - 4, "...", 4);
}

/* ---- Queries ---------------------------------------------------------------------- */

dusk_status release_tree_check_query(const release_job *job, dusk_error *err)
{
    if (!job->settings->query || job->settings->counts != RAW) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave --counts away",
                     "--query needs counts that agree, not raw ones");
}

dusk_status release_tree_answer(const release_tree *tree, const double *weights, double *value, double *width,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double fitted;
    DUSK_TRY(dusk_hierarchy_query(tree->hierarchy, &fitted, width, weights, tree->fitted, err));
    DUSK_TRY(dusk_hierarchy_query(tree->hierarchy, value, NULL, weights, tree->counts, err));
    if (!isnan(*value)) *width += fabs(*value - fitted);
done:
    return status;
}

void release_tree_describe_answers(const release_job *job, release_receipt *receipt, const double *widths,
                                   size_t n)
{
    double most = 0;
    char width[64];
    dusk_text text;
    for (size_t i = 0; i < n; i++) most = fmax(most, widths[i]);
    dusk_format_width(width, sizeof width, most);
    dusk_text_init(&text, receipt->interval, sizeof receipt->interval);
    dusk_text_add(&text,
                  "noise %s %s answer by at most %s with %g %% confidence%s; that rows lie evenly in what a "
                  "range cuts is assumed",
                  job->settings->dry_run ? "will move" : "moves", n == 1 ? "the" : "each", width,
                  100 * job->settings->confidence, n == 1 ? "" : " each");
}

dusk_status release_ranges_parse(release_range *out, size_t *n, size_t room, size_t dimensions,
                                 const char *option, const char *text, dusk_error *err)
{
    const char *at = text;
    for (*n = 0; *n < room; ++*n) {
        release_range *range = &out[*n];
        for (size_t d = 0; d < dimensions; d++) {
            char part[128];
            double ends[2];
            size_t length = strcspn(at, ",;");
            if (length == 0 || length >= sizeof part) goto bad;
            memcpy(part, at, length);
            part[length] = '\0';
            if (dusk_parse_list(part, ':', ends, 2) != 2 || !(ends[0] < ends[1])) goto bad;
            range->low[d] = ends[0];
            range->high[d] = ends[1];
            at += length;
            if (d + 1 < dimensions && *at++ != ',') goto bad;
        }
        if (!*at) {
            ++*n;
            return DUSK_OK;
        }
        if (*at++ != ';') goto bad;
    }
bad:
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     room == 1         ? "for example --box 4:5,43:46"
                     : dimensions == 2 ? "for example --query '4:5,43:46', or several with ';' between them"
                                       : "for example --query 18:65, or several with ';' between them",
                     "--%s must have the form %s, LO below HI%s", option,
                     dimensions == 2 ? "LO:HI,LO:HI" : "LO:HI", room == 1 ? "" : ", at most 1000 times");
}

void release_answers_print(release_job *job, const double *values, const double *widths, size_t n, bool json)
{
    if (json) {
        dusk_json_key(&job->json, "answers");
        dusk_json_open(&job->json, '[');
    }
    for (size_t i = 0; values && i < n; i++) {
        if (json) {
            dusk_json_open(&job->json, '{');
            dusk_json_number_field(&job->json, "value", values[i]);
            dusk_json_number_field(&job->json, "half_width", widths[i]);
            dusk_json_close(&job->json, '}');
        } else {
            dusk_print_number(stdout, values[i]);
            fputc('\n', stdout);
        }
    }
    if (json) dusk_json_close(&job->json, ']');
}

void release_tree_free(release_tree *tree)
{
    dusk_hierarchy_free(tree->own);
    if (tree->exact) dusk_wipe(tree->exact, tree->nodes * sizeof *tree->exact);
    dusk_deallocate(tree->level);
    dusk_deallocate(tree->exact);
    dusk_deallocate(tree->fitted);
    dusk_deallocate(tree->counts);
    dusk_deallocate(tree->widths);
}
