/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of all steps again, once the stream has gone on: with every node of the tree,
 * also those that closed later ("from above", Honaker 2015; the least squares of Hay,
 * Rastogi, Miklau & Suciu 2010). Complete trees stand side by side, one for each binary
 * digit 1 of the number of steps. In each the estimates from below are there already
 * (honaker.c); going down, what the halves are short of their parent is shared equally.
 * Post-processing: it costs nothing. Proof: stream_smooth.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "mechanisms/request.h"
#include "mechanisms/stream.h"
#include "numeric/rounding.h"

/* The estimate of a node from below, in steps. */
static double from_below(const dusk_tree *tree, unsigned level, uint64_t i)
{
    return (double)*dusk_tree_node(tree, level, i) / (ldexp(2, (int)level) - 1);
}

/* Write the sums of all steps of a node, whose own estimate is `sum` and before which the
 * sum is `before`. Recursion is as deep as there are levels. */
static void go_down(const dusk_tree *tree, double *out, unsigned level, uint64_t i, double before, double sum)
{
    if (level == 0) {
        out[i] = before + sum;
        return;
    }
    double left = from_below(tree, level - 1, 2 * i), right = from_below(tree, level - 1, 2 * i + 1);
    left += (sum - (left + right)) / 2;
    go_down(tree, out, level - 1, 2 * i, before, left);
    go_down(tree, out, level - 1, 2 * i + 1, before + left, sum - left);
}

static double variance_below(unsigned level) { return ldexp(1, (int)level) / (ldexp(2, (int)level) - 1); }

/* Variance of the sum of the first p + 1 of 2^height steps, of one node's: the first steps
 * of ever larger nodes around step p, each seen with its own noise. */
DUSK_PROVEN(variance_within)
static double variance_within(unsigned height, uint64_t p)
{
    double variance = 1, covariance = 1; /* with the whole node */
    for (unsigned j = 0; j < height; j++) {
        double half = variance_below(j);
        if (p >> j & 1) {
            variance += half;
            covariance += half;
        }
        variance -= covariance * covariance / (2 * half + 1);
        covariance /= 2 * half + 1;
    }
    return variance;
}

DUSK_PROVEN(width_of)
static double width_of(const dusk_stream *s, double variance, uint64_t steps, double p)
{
    double squares = variance * (1 + 1e-10), root = sqrt(squares) * (1 + 1e-10);
    dusk_combination c = { .squares = squares,
                           .largest = root,
                           .sizes = root * sqrt(2 * (double)steps) * (1 + 1e-10) };
    double scale = ldexp(s->noise.scale, -s->noise.grid);
    double width = dusk_combination_tail(&c, s->noise.law, scale, p);
    return s->options.whole ? width : dusk_add_up(width, (double)steps); /* numbers were cut */
}

static dusk_status check(const dusk_stream *s, double confidence, dusk_error *err)
{
    if (!s->options.keep || s->options.method != DUSK_STREAM_HONAKER)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "set keep, with DUSK_STREAM_HONAKER and no window",
                         "this stream does not keep its nodes");
    return dusk_request_confidence(confidence, err);
}

DUSK_PROVEN(dusk_stream_smooth)
dusk_status dusk_stream_smooth(const dusk_stream *stream, double *sums, double *half_widths,
                               double confidence, dusk_error *err)
{
    dusk_status status = check(stream, confidence, err);
    if (status != DUSK_OK) return status;
    const dusk_tree *tree = &stream->tree;
    double before = 0, variance = 0, p = dusk_sub_down(1, confidence);
    for (uint64_t from = 0; from < tree->steps;) {
        unsigned level = dusk_tree_next_level(tree->levels, from, tree->steps);
        uint64_t i = from >> level, size = UINT64_C(1) << level;
        double sum = from_below(tree, level, i);
        go_down(tree, sums, level, i, before, sum);
        for (uint64_t k = 0; half_widths && k < size; k++)
            half_widths[from + k] = ldexp(
                width_of(stream, variance + variance_within(level, k), from + k + 1, p), stream->noise.grid);
        before += sum;
        variance += DUSK_MUTATE(STREAM_SMOOTH_FORGETS_TREES, variance_below(level), 0);
        from += size;
    }
    for (uint64_t t = 0; t < tree->steps; t++) sums[t] = ldexp(sums[t], stream->noise.grid);
    return DUSK_OK;
}
