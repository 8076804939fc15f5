/* SPDX-License-Identifier: Apache-2.0 */
/* Decision trees on bins: rows go down, leaves are counted, and what is released becomes chances. No promise is made here. */
#include "learn/splits.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- splits ----------------------------------------------------------------------------------------------------------- */

dusk_status learn_candidates_init(learn_candidates *out, const learn_bins *bins, const dusk_fields *fields,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_candidates made = { .count = 0 };
    *out = made;
    DUSK_NEW(made.split, bins->first[bins->columns]);
    DUSK_NEW(made.ordered, bins->columns);
    for (size_t j = 0; j < bins->columns; j++) {
        made.ordered[j] = learn_bins_ordered(bins, fields, j);
        for (size_t v = made.ordered[j]; v < bins->first[j + 1] - bins->first[j]; v++)
            made.split[made.count++] = (learn_split){ (uint16_t)j, (uint16_t)v };
    }
    if (made.count == 0) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "use more bins", "no field can be split");
        goto done;
    }
    *out = made;
    made = (learn_candidates){ .count = 0 };
done:
    learn_candidates_clear(&made);
    return status;
}

void learn_candidates_clear(learn_candidates *candidates)
{
    dusk_deallocate(candidates->split);
    dusk_deallocate(candidates->ordered);
    *candidates = (learn_candidates){ .count = 0 };
}

DUSK_PROVEN(learn_impurity)
int64_t learn_impurity(const int64_t *count, size_t classes)
{
    dusk_uint128 rows = 0, squares = 0;
    for (size_t c = 0; c < classes; c++) {
        rows += (uint64_t)count[c];
        squares += (dusk_uint128)(uint64_t)count[c] * (uint64_t)count[c];
    }
    if (rows == 0) return 0;
    return (int64_t)(((rows * rows - squares) << LEARN_IMPURITY_BITS) / rows);
}

void learn_splits_descend(uint16_t *node, const learn_codes *codes, const learn_split *level,
                          const bool *ordered)
{
    for (size_t i = 0; i < codes->rows; i++) {
        const learn_split split = level[node[i]];
        const bool second = learn_split_second(split, ordered[split.column], codes->code[split.column][i]);
        node[i] = (uint16_t)(2 * node[i] + second);
    }
}

void learn_leaves_count(dusk_int128 *totals, const uint16_t *node, const learn_codes *codes, unsigned depth,
                        size_t classes)
{
    memset(totals, 0, (classes << depth) * sizeof *totals);
    for (size_t i = 0; i < codes->rows; i++) totals[node[i] * classes + (size_t)codes->target[i]]++;
}

/* --- chances ------------------------------------------------------------------------------------------------------------ */

/* Sums of the counts of what is below each node, leaves included. */
static void add_up_nodes(double *sums, const double *counts, unsigned depth, size_t classes)
{
    const size_t inner = learn_inner(depth);
    memcpy(sums + inner * classes, counts, (classes << depth) * sizeof *sums);
    for (size_t k = inner; k-- > 0;)
        for (size_t c = 0; c < classes; c++)
            sums[k * classes + c] = sums[(2 * k + 1) * classes + c] + sums[(2 * k + 2) * classes + c];
}

/* Chances of a node from its sums, and those of the node above. A count has variance `noise`; that of chances in a node
 * around those above is about 0.05, and 0.25 over the rows by chance alone. */
static void draw_towards(double *chances, const double *sums, const double *above, size_t classes,
                         double noise)
{
    double rows = 0, all = 0;
    for (size_t c = 0; c < classes; c++) rows += fmax(sums[c], 0);
    const double weight = rows * rows / (rows * rows + 20 * noise + 5 * rows + 1);
    for (size_t c = 0; c < classes; c++) {
        const double own = rows > 0 ? fmax(sums[c], 0) / rows : above[c];
        chances[c] = fmax(above[c] + weight * (own - above[c]), 1e-6);
        all += chances[c];
    }
    for (size_t c = 0; c < classes; c++) chances[c] /= all;
}

dusk_status learn_leaves_chances(double *chances, const double *counts, unsigned depth, size_t classes,
                                 double deviation, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t inner = learn_inner(depth), nodes = learn_inner(depth + 1);
    double *sums = NULL, *all = NULL, *even = NULL;

    DUSK_NEW(sums, nodes * classes);
    DUSK_NEW(all, nodes * classes);
    DUSK_NEW(even, classes);
    add_up_nodes(sums, counts, depth, classes);
    for (size_t c = 0; c < classes; c++) even[c] = 1.0 / (double)classes;
    for (size_t k = 0, below = (size_t)1 << depth; k < nodes; k++) {
        if (k > 0 && (k & (k + 1)) == 0)
            below /= 2; /* the first node of a level: how many leaves are below each */
        draw_towards(all + k * classes, sums + k * classes, k ? all + (k - 1) / 2 * classes : even, classes,
                     deviation * deviation * (double)below);
    }
    memcpy(chances, all + inner * classes, (classes << depth) * sizeof *chances);
done:
    dusk_deallocate(sums);
    dusk_deallocate(all);
    dusk_deallocate(even);
    return status;
}

/* --- models -------------------------------------------------------------------------------------------------------------- */

dusk_status learn_trees_put(dusk_model *model, const learn_bins *bins, const learn_split *split,
                            const double *scores, size_t trees, unsigned depth, size_t classes,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = trees * learn_inner(depth);
    double *values = NULL;
    DUSK_NEW(values, 2 * n);
    for (size_t k = 0; k < n; k++) {
        values[2 * k] = (double)bins->column[split[k].column];
        values[2 * k + 1] = split[k].bin;
    }
    DUSK_TRY(learn_model_put(model, "splits", n, 2, values, err));
    DUSK_TRY(learn_model_put(model, "bins", 1, bins->first[bins->columns], bins->edge, err));
    DUSK_TRY(learn_model_put(model, "scores", trees << depth, classes, scores, err));
done:
    dusk_deallocate(values);
    return status;
}

/* What a model says of itself, with its arrays. */
typedef struct stand {
    learn_bins bins;
    learn_split *split;
    bool *ordered; /* of each column */
    const double *scores;
    size_t trees, classes;
    unsigned depth;
} stand;

static void close_stand(stand *s)
{
    learn_bins_clear(&s->bins);
    dusk_deallocate(s->split);
    dusk_deallocate(s->ordered);
}

/* Split k of a file: a field that is not the label, and one of its bins. */
static bool read_split(stand *s, const double *value, size_t k)
{
    for (size_t j = 0; j < s->bins.columns; j++)
        if ((double)s->bins.column[j] == value[2 * k]) {
            const double bin = value[2 * k + 1], most = (double)(s->bins.first[j + 1] - s->bins.first[j]);
            if (!(bin >= 0 && bin < most) || bin != floor(bin)) return false;
            s->split[k] = (learn_split){ (uint16_t)j, (uint16_t)bin };
            return true;
        }
    return false;
}

static bool has_shape(const dusk_model *model, const char *name, size_t rows, size_t columns)
{
    size_t r, c;
    const double *value = dusk_model_array(model, name, &r, &c);
    for (size_t i = 0; value && r == rows && c == columns && i < r * c; i++)
        if (!isfinite(value[i])) return false;
    return value && r == rows && c == columns;
}

/* *fine: the arrays are whole. */
static dusk_status open_stand(stand *out, const dusk_model *model, bool *fine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    stand s = { .trees = learn_model_whole(model, "trees", 1),
                .depth = (unsigned)learn_model_whole(model, "depth", 0) };
    size_t r, c;

    *fine = false;
    if (model->label == DUSK_NO_LINK || s.trees < 1 || s.trees > 4096 || s.depth < 1 ||
        s.depth > LEARN_DEPTH_MOST)
        return DUSK_OK;
    DUSK_TRY(learn_bins_init(&s.bins, model->fields, model->label, learn_model_whole(model, "bins", 0), err));
    s.classes = model->fields->field[model->label].values;
    const size_t inner = s.trees * learn_inner(s.depth);
    *fine = has_shape(model, "splits", inner, 2) && has_shape(model, "scores", s.trees << s.depth, s.classes);
    if (!*fine) goto done;
    s.scores = dusk_model_array(model, "scores", &r, &c);
    DUSK_NEW(s.split, inner);
    DUSK_NEW(s.ordered, s.bins.columns);
    for (size_t j = 0; j < s.bins.columns; j++) s.ordered[j] = learn_bins_ordered(&s.bins, model->fields, j);
    for (size_t k = 0; *fine && k < inner; k++)
        *fine = read_split(&s, dusk_model_array(model, "splits", &r, &c), k);
    *out = s;
    s = (stand){ .trees = 0 };
done:
    close_stand(&s);
    return status;
}

bool learn_trees_complete(const dusk_model *model)
{
    stand s = { .trees = 0 };
    bool fine = false;
    dusk_status status = open_stand(&s, model, &fine, NULL);
    close_stand(&s);
    return status == DUSK_OK && fine;
}

static size_t leaf_of(const stand *s, const learn_codes *codes, size_t tree, size_t row)
{
    const learn_split *split = s->split + tree * learn_inner(s->depth);
    size_t k = 0;
    for (unsigned level = 0; level < s->depth; level++) {
        const learn_split at = split[k];
        k = 2 * k + 1 + learn_split_second(at, s->ordered[at.column], codes->code[at.column][row]);
    }
    return (tree << s->depth) + k - learn_inner(s->depth);
}

/* exp(x - the largest), adding to 1. */
static void to_chances(double *x, size_t n)
{
    double most = x[0], all = 0;
    for (size_t c = 1; c < n; c++) most = fmax(most, x[c]);
    for (size_t c = 0; c < n; c++) all += x[c] = exp(x[c] - most);
    for (size_t c = 0; c < n; c++) x[c] /= all;
}

dusk_status learn_trees_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    stand s = { .trees = 0 };
    learn_codes codes = { .rows = 0 };
    bool fine;

    DUSK_TRY(open_stand(&s, model, &fine, err));
    DUSK_TRY(learn_codes_make_all(&codes, &s.bins, frame, err));
    for (size_t i = 0; i < codes.rows; i++) {
        double *row = out + i * s.classes;
        for (size_t c = 0; c < s.classes; c++) row[c] = 0;
        for (size_t t = 0; t < s.trees; t++) {
            const double *leaf = s.scores + leaf_of(&s, &codes, t, i) * s.classes;
            for (size_t c = 0; c < s.classes; c++) row[c] += leaf[c];
        }
        to_chances(row, s.classes);
    }
done:
    learn_codes_clear(&codes);
    close_stand(&s);
    return status;
}
