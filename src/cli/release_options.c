/* SPDX-License-Identifier: Apache-2.0 */
/* The options of dusk release; which mechanism takes which is in release_mechanisms.c. */
#include <stddef.h>

#include "cli/release.h"

#define AT(field) .offset = offsetof(release_settings, field)
#define NUMBER .type = DUSK_OPTION_NUMBER
#define WHOLE .type = DUSK_OPTION_WHOLE
#define STRING .type = DUSK_OPTION_STRING
#define CHOICE .type = DUSK_OPTION_CHOICE
#define FLAG .type = DUSK_OPTION_FLAG

/* clang-format off */
const dusk_option dusk_release_options[] = {
    { .name = "epsilon", .letter = 'e', .argument = "E", NUMBER, AT(epsilon), .sample = "1", .heading = "Promise",
      .help = "privacy loss of the whole release, above 0; smaller is more private" },
    { .name = "delta", .letter = 'd', .argument = "D", NUMBER, AT(delta), .sample = "1e-6", .heading = "Promise",
      .help = "failure probability, far below 1 over the number of people; summaries use "
              "Gaussian noise with it and Laplace noise without" },
    { .name = "sensitivity", .letter = 's', .argument = "S", NUMBER, AT(sensitivity), .sample = "1", .heading = "Promise",
      .help = "how far one unit can move the value, the vector or any one score" },
    { .name = "distance", .argument = "R", NUMBER, AT(distance), .sample = "200", .heading = "Promise",
      .help = "places at most R apart cannot be told apart beyond --epsilon, and nearer ones less in proportion" },
    { .name = "neighbours", .argument = "add-remove|replace-one", CHOICE, AT(neighbours), .sample = "replace-one",
      .heading = "Whose privacy", .fallback = "add-remove",
      .help = "which data the promise compares; randomized-response and planar-laplace always use replace-one" },
    { .name = "unit", .letter = 'u', .argument = "NAME", STRING, AT(unit), .sample = "person", .heading = "Whose privacy",
      .help = "whose privacy, in a word, for the statement (default row)" },
    { .name = "rows-per-unit", .argument = "M", WHOLE, AT(rows_per_unit), .low = 1, .high = 1000000000, .fallback = "1",
      .sample = "3", .heading = "Whose privacy", .help = "at most how many rows one unit has; you see to it" },
    { .name = "value", .letter = 'v', .argument = "V", NUMBER, AT(value), .sample = "42", .heading = "Data", .secret = true,
      .help = "the exact number to release, instead of FILE or standard input; other users of the machine can see "
              "command lines" },
    { .name = "column", .letter = 'c', .argument = "NAME", STRING, AT(column), .sample = "age", .heading = "Data",
      .help = "read this column of comma-separated values with a header" },
    { .name = "scores", .argument = "FILE", STRING, AT(scores), .sample = "scores.txt", .heading = "Data",
      .help = "lines of name and score, or only scores; - is standard input" },
    { .name = "bounds", .letter = 'b', .argument = "LO:HI", STRING, AT(bounds), .sample = "0:100", .heading = "Data",
      .help = "clamp rows into this range, which must not be taken from the data" },
    { .name = "bins", .argument = "LO:HI:N", STRING, AT(bins), .sample = "0:100:10", .heading = "Data",
      .help = "N bins of equal width; rows outside are in no bin" },
    { .name = "edges", .argument = "A,B,...", STRING, AT(edges), .sample = "0,18,65,120", .heading = "Data",
      .help = "bins between these increasing numbers; the last one is closed" },
    { .name = "values", .argument = "A,B,...", STRING, AT(values), .sample = "yes,no", .heading = "Data",
      .help = "mode: all values that a row may have, public; others are in no count" },
    { .name = "q", .letter = 'q', .argument = "Q,...", STRING, AT(q), .sample = "0.25,0.5,0.75", .heading = "Data",
      .help = "which quantiles, increasing, between 0 and 1" },
    { .name = "schema", .argument = "FILE", STRING, AT(schema), .sample = "survey.schema", .heading = "Data",
      .help = "what the columns of the table may hold, a line each: age numeric 0:100 bins 10, kids whole 0:9, "
              "sex category Female,Male; never inferred from the data" },
    { .name = "marginals", .argument = "A,B;C,...", STRING, AT(marginals), .sample = "'age,sex;sex,town'", .heading = "Data",
      .help = "sets of columns of the schema, or a number K for all sets of K columns" },
    { .name = "regions", .argument = "FILE", STRING, AT(regions), .sample = "regions.txt", .heading = "Data",
      .help = "the public tree, one region a line from the top: state/county/tract; regions without rows are "
              "released like all others" },
    { .name = "columns", .argument = "A,B,...", STRING, AT(columns), .sample = "town,sex", .heading = "Data",
      .help = "these columns of comma-separated values with a header: the levels of a region from the top "
              "(without it: lines of a region and its count); the two coordinates of a place" },
    { .name = "box", .argument = "A:B,C:D", STRING, AT(box), .sample = "40.5:40.9,-74.3:-73.7", .heading = "Data",
      .help = "public range of each of the two coordinates; a quadtree divides it into cells, planar-laplace brings what "
              "lies outside, and answers, to the nearest point of it" },
    { .name = "lat-lon", FLAG, AT(lat_lon), .heading = "Data",
      .help = "places are latitude and longitude in the --box, distances are metres on the earth" },
    { .name = "outside", .argument = "drop|clamp", CHOICE, AT(outside), .sample = "clamp", .fallback = "drop", .heading = "Data",
      .help = "quadtree: what becomes of points outside the box" },
    { .name = "grid", .argument = "K", WHOLE, AT(grid), .low = -1074, .high = 1023, .sample = "0", .heading = "Mechanism",
      .help = "answers are multiples of 2^K (default: fine enough not to matter; 0, whole numbers, for the discrete "
              "mechanisms)" },
    { .name = "norm", .argument = "l1|l2|linf", CHOICE, AT(norm), .sample = "l2", .heading = "Mechanism",
      .help = "in which one unit moves a vector by at most --sensitivity: sum of moves, length, or largest move" },
    { .name = "classical", .type = DUSK_OPTION_FLAG, AT(classical), .heading = "Mechanism",
      .help = "gaussian: the textbook scale, for epsilon below 1, instead of the least noise" },
    { .name = "gamma", .argument = "G", NUMBER, AT(gamma), .sample = "0.4", .heading = "Mechanism",
      .help = "staircase: the high part of each stair, between 0 and 1 (default: best for the absolute error)" },
    { .name = "squared", FLAG, AT(squared), .heading = "Mechanism",
      .help = "staircase: the gamma that is best for the squared error" },
    { .name = "monotonic", FLAG, AT(monotonic), .heading = "Mechanism",
      .help = "one unit moves all scores or queries in the same direction, as counts do: half the noise" },
    { .name = "noise", .argument = "exponential|gumbel|laplace|gaussian|cauchy|student-t", CHOICE, AT(noise),
      .sample = "gumbel", .heading = "Mechanism",
      .help = "noisy-max: exponential (default), gumbel or laplace; sparse-vector: laplace (default) or gaussian; "
              "smooth-median, smooth-quantile: student-t (default), "
              "cauchy, or with --delta laplace or gaussian" },
    { .name = "degrees", .argument = "D", WHOLE, AT(degrees), .low = 1, .high = 100, .fallback = "2", .sample = "3",
      .heading = "Mechanism", .help = "degrees of freedom of student-t noise: more have lighter tails and a smaller beta" },
    { .name = "beta", .argument = "B", NUMBER, AT(beta), .sample = "0.1", .heading = "Mechanism",
      .help = "how fast a smooth sensitivity forgets rows (default: what suits rows that lie evenly)" },
    { .name = "interval-epsilon", .argument = "E", NUMBER, AT(interval_epsilon), .sample = "0.1", .heading = "Mechanism",
      .help = "also give an interval where the noise follows the data, for E more" },
    { .name = "k", .letter = 'k', .argument = "K", WHOLE, AT(k), .low = 1, .high = 1000000000, .sample = "3", .heading = "Mechanism",
      .help = "how many candidates to choose" },
    { .name = "answers", .argument = "K", WHOLE, AT(answers), .low = 2, .high = 4294967295, .fallback = "2", .sample = "4",
      .heading = "Mechanism", .help = "how many different answers there are: 0 to K-1" },
    { .name = "first", .argument = "P", NUMBER, AT(first), .sample = "0.5", .heading = "Mechanism",
      .help = "two coins instead of --epsilon: with probability P tell the truth ..." },
    { .name = "second", .argument = "P", NUMBER, AT(second), .sample = "0.5", .heading = "Mechanism",
      .help = "... and otherwise answer 1 with probability P" },
    { .name = "estimate", FLAG, AT(estimate), .heading = "Mechanism",
      .help = "read the counts of randomized answers 0, 1, ... and estimate the true counts; costs nothing" },
    { .name = "threshold", .letter = 't', .argument = "T", NUMBER, AT(threshold), .sample = "100", .heading = "Mechanism",
      .help = "what queries are compared with; public" },
    { .name = "hits", .argument = "C", WHOLE, AT(hits), .low = 1, .high = 4294967295, .fallback = "1", .sample = "3",
      .heading = "Mechanism", .help = "stop after so many answers above" },
    { .name = "numeric-epsilon", .argument = "E", NUMBER, AT(numeric_epsilon), .sample = "1", .heading = "Mechanism",
      .help = "also give a noisy value for each hit, for E more in all" },
    { .name = "keys-per-unit", .argument = "L", WHOLE, AT(keys_per_unit), .low = 1, .high = 1000000000, .fallback = "1",
      .sample = "3", .heading = "Mechanism", .help = "at most how many keys one unit has; you see to it" },
    { .name = "unrestricted", FLAG, AT(unrestricted), .heading = "Mechanism",
      .help = "top-keys: a unit may have any number of keys" },
    { .name = "limit", .argument = "N", WHOLE, AT(limit), .low = 1, .high = 1073741824, .sample = "100",
      .heading = "Mechanism", .help = "top-keys: choose among the N keys of the largest counts (default 10 K)" },
    { .name = "method", .argument = "METHOD", .choices = "truncated-geometric|laplace|gaussian|tree|honaker|square-root|banded",
      CHOICE, AT(method), .sample = "laplace", .fallback = "truncated-geometric", .heading = "Mechanism",
      .help = "how keys are selected: truncated-geometric, or laplace or gaussian, which also give noisy counts; how "
              "streams are summed: tree (the default there); honaker, the same tree with about half the variance; with "
              "--delta also square-root, the least noise, or banded, for units with several items far apart" },
    { .name = "length", .argument = "N", WHOLE, AT(length), .low = 1, .high = INT64_C(1) << 40, .sample = "1000",
      .heading = "Mechanism",
      .help = "at most how many steps a stream has, or queries a sparse-vector run; public, and declared beforehand" },
    { .name = "window", .argument = "W", WHOLE, AT(window), .low = 1, .high = INT64_C(1) << 40, .sample = "24",
      .heading = "Mechanism", .help = "sums of the last W steps of a stream instead of all so far" },
    { .name = "bands", .argument = "B", WHOLE, AT(bands), .low = 1, .high = 65536, .sample = "24", .heading = "Mechanism",
      .help = "--method banded: how many steps a number is spread over" },
    { .name = "separation", .argument = "S", WHOLE, AT(separation), .low = 1, .high = INT64_C(1) << 40, .fallback = "1",
      .sample = "24", .heading = "Whose privacy",
      .help = "items of one unit are at least S steps apart, you see to it; less noise for --method banded when S is at "
              "least --bands" },
    { .name = "depth", .argument = "D", WHOLE, AT(depth), .low = 0, .high = 12, .sample = "6", .heading = "Mechanism",
      .help = "how often cells are cut into four: 4^D cells" },
    { .name = "branching", .argument = "B", WHOLE, AT(branching), .low = 2, .high = 1000000, .sample = "16", .heading = "Mechanism",
      .help = "how many nodes of the tree have one above them (default: best for random ranges)" },
    { .name = "shares", .argument = "WHICH", STRING, AT(shares), .sample = "1,2,4", .heading = "Mechanism",
      .help = "how the levels of a tree share the promise: equal, optimal (the variances of all nodes have the least "
              "sum), geometric (best for ranges; quadtree, its default), or proportions 1,2,4, the root first" },
    { .name = "rounds", .argument = "T", WHOLE, AT(rounds), .low = 1, .high = 100000, .fallback = "10", .sample = "20",
      .heading = "Mechanism", .help = "how many queries mwem measures" },
    { .name = "prefixes", FLAG, AT(prefixes), .heading = "Mechanism",
      .help = "mwem: a set of one column asks for at most v, for all v, which gives ranges, instead of for v" },
    { .name = "query", .argument = "RANGE;...", STRING, AT(query), .sample = "18:65", .heading = "Output",
      .help = "answer these ranges instead: LO:HI of a range-histogram, LO:HI,LO:HI of a quadtree; costs nothing more" },
    { .name = "prune", .argument = "T", NUMBER, AT(prune), .sample = "50", .heading = "Output",
      .help = "quadtree: do not divide cells whose noisy count is below T; costs nothing" },
    { .name = "counts", .argument = "raw|consistent|non-negative", CHOICE, AT(counts), .sample = "raw",
      .fallback = "consistent", .heading = "Output",
      .help = "marginals and trees as they were measured, made to agree, or also without negative counts (trees: in whole "
              "numbers)" },
    { .name = "confidence", .argument = "P", NUMBER, AT(confidence), .fallback = "0.95", .sample = "0.95", .heading = "Output",
      .help = "of the interval in the receipt, between 0 and 1" },
    { .name = "json", .letter = 'j', FLAG, AT(json), .heading = "Output",
      .help = "one JSON object with answer, interval and statement" },
    { .name = "dry-run", .letter = 'n', FLAG, AT(dry_run), .heading = "Output",
      .help = "print the receipt only: read no data, release nothing" },
    { .name = "list", .letter = 'l', FLAG, AT(list), .heading = "Output",
      .help = "print the mechanisms, what each needs and does" },
    { .name = NULL },
};
/* clang-format on */
