/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk account: its events, its options, what the help says. */
#include "cli/account.h"

#include <stddef.h>

#define EVENT(word, form, under, says, sample)                                                               \
    .name = word, .either = form, .heading = under, .summary = says, .needs = "", .takes = "",               \
    .example = "dusk account '" sample "' --delta 1e-6"
const dusk_operand dusk_account_events[] = {
    { EVENT("gaussian", "gaussian(sigma)", "Noise", "noise deviation over l2 sensitivity",
            "gaussian(2) * 10"),
      .also = "normal gauss" },
    { EVENT("laplace", "laplace(b)", "Noise", "noise scale over l1 sensitivity", "laplace(2) * 10"),
      .also = "lap" },
    { EVENT("discrete_gaussian", "discrete_gaussian(sigma[, s])", "Noise",
            "on whole numbers, sensitivity s (1)", "discrete_gaussian(2) * 10") },
    { EVENT("discrete_laplace", "discrete_laplace(b[, s])", "Noise", "law ~ exp(-|k|/b), sensitivity s (1)",
            "discrete_laplace(2) * 10"),
      .also = "geometric" },
    { EVENT("staircase", "staircase(eps, gamma)", "Noise", "piecewise constant density",
            "staircase(1, 0.5)") },
    { EVENT("tree", "tree(sigma, n)", "Noise", "running sums of n items by a binary tree",
            "tree(10, 1000)") },
    { EVENT("matrix", "matrix(sigma, s)", "Noise", "matrix factorisation of column norm s",
            "matrix(10, 3)") },
    { EVENT("exponential", "exponential(eps)", "Choices", "exponential mechanism: bounded range eps",
            "exponential(0.1) * 10") },
    { EVENT("permute_and_flip", "permute_and_flip(eps)", "Choices", "never worse than exponential",
            "permute_and_flip(0.1) * 10") },
    { EVENT("noisy_max", "noisy_max(eps)", "Choices", "largest after Laplace noise", "noisy_max(0.1) * 10") },
    { EVENT("svt", "svt(eps1, eps2, c)", "Choices", "sparse vector, stops after c hits", "svt(0.5, 0.5, 3)"),
      .also = "sparse_vector above_threshold" },
    { EVENT("threshold_monitor", "threshold_monitor(eps, k)", "Choices", "comparisons, removed after k above",
            "threshold_monitor(0.05, 20)"),
      .also = "kaplan_mansour_stemmer target_charging" },
    { EVENT("svt_gaussian", "svt_gaussian(sigma1, sigma2, n)", "Choices",
            "Gaussian noise, one hit, at most n queries", "svt_gaussian(8, 8, 100)") },
    { EVENT("randomized_response", "randomized_response(eps, k)", "Choices", "one of k answers; replace-one",
            "randomized_response(0.1, 2) * 10"),
      .also = "rr warner" },
    { EVENT("pure", "pure(eps)", "Promises", "epsilon-private, by whatever means", "pure(0.1) * 100"),
      .also = "epsilon dp" },
    { EVENT("metric", "metric(eps, r)", "Promises", "eps a unit of distance, up to r; replace-one",
            "metric(0.01, 100) * 2"),
      .also = "geo geo_indistinguishability planar_laplace" },
    { EVENT("approx", "approx(eps, delta)", "Promises", "(epsilon, delta)-private",
            "approx(0.1, 1e-9) * 100") },
    { EVENT("zcdp", "zcdp(rho[, xi])", "Promises", "D_alpha <= xi + rho alpha for all alpha > 1",
            "zcdp(0.01) * 10"),
      .also = "cdp" },
    { EVENT("mcdp", "mcdp(mu, tau)", "Promises", "mean-concentrated", "mcdp(0.01, 0.1)") },
    { EVENT("tcdp", "tcdp(rho, omega)", "Promises", "D_alpha <= rho alpha for alpha < omega",
            "tcdp(0.01, 50)") },
    { EVENT("rdp", "rdp(alpha: eps, ...)", "Promises", "Renyi divergence at each order",
            "rdp(2: 0.01, 8: 0.05, 32: 0.3)"),
      .also = "renyi" },
    { EVENT("gdp", "gdp(mu)", "Promises", "Gaussian privacy", "gdp(0.1) * 10") },
    { EVENT("fdp", "fdp(a: b, ...)", "Promises", "trade-off function, straight between points",
            "fdp(0: 0.99, 0.5: 0.4, 1: 0)") },
    { EVENT("pld", "pld(loss: p, ...)", "Promises", "privacy losses and their chances; also inf: p",
            "pld(-0.1: 0.475, 0.1: 0.525)") },
    { EVENT("poisson", "poisson(q, e)", "Sampling", "each unit is in the sample with chance q",
            "poisson(0.01, gaussian(1)) * 10000"),
      .also = "sampled subsampled" },
    { EVENT("without_replacement", "without_replacement(m, n, e)", "Sampling",
            "exactly m of n units; replace-one", "without_replacement(10, 1000, gaussian(2))") },
    { EVENT("with_replacement", "with_replacement(m, n, e)", "Sampling",
            "m draws of one of n units; Gaussian noise", "with_replacement(10, 1000, gaussian(2))") },
    { EVENT("shuffle", "shuffle(n, eps0)", "Sampling", "n reports, each eps0 locally; replace-one",
            "shuffle(1e6, 1)"),
      .also = "shuffled" },
    { EVENT("shuffle_response", "shuffle_response(n, k, eps0)", "Sampling",
            "n randomized responses of k; replace-one", "shuffle_response(1e6, 16, 1)") },
    { EVENT("group", "group(k, e)", "Together", "k units together", "group(3, gaussian(10))") },
    { EVENT("parallel", "parallel(e, e, ...)", "Together", "on disjoint parts of the data",
            "parallel(gaussian(2), laplace(3))") },
    { EVENT("select_best", "select_best(eta, gamma, e)", "Together",
            "best of a negative binomial number of runs", "select_best(1, 0.1, gaussian(10))") },
    { EVENT("select_poisson", "select_poisson(mu, e)", "Together", "best of a Poisson number of runs",
            "select_poisson(10, gaussian(10))") },
    { .name = NULL },
};

#define AT(field) .offset = offsetof(account_settings, field)
#define NUMBER .type = DUSK_OPTION_NUMBER
#define WHOLE .type = DUSK_OPTION_WHOLE
#define STRING .type = DUSK_OPTION_STRING
#define CHOICE .type = DUSK_OPTION_CHOICE
#define FLAG .type = DUSK_OPTION_FLAG

/* clang-format off */
const dusk_option dusk_account_options[] = {
    { .name = "delta", .letter = 'd', .argument = "D", NUMBER, AT(delta), .sample = "1e-6", .heading = "Question",
      .help = "ask for epsilon at this delta, from 0 to below 1" },
    { .name = "epsilon", .letter = 'e', .argument = "E", NUMBER, AT(epsilon), .sample = "1", .heading = "Question",
      .help = "ask for delta at this epsilon" },
    { .name = "solve", .letter = 's', .argument = "NAME", STRING, AT(solve), .sample = "sigma", .heading = "Question",
      .help = "find the value of NAME, which stands for a number in the expression; the promise to reach is "
              "--epsilon at --delta, and the value is rounded so that it is kept" },
    { .name = "all", .letter = 'a', FLAG, AT(all), .heading = "Question",
      .help = "compare all accountants, the smallest bound first; with --plot draw epsilon over steps" },
    { .name = "curve", .letter = 'c', FLAG, AT(curve), .heading = "Question",
      .help = "delta over epsilon as a table; from 0 up to --epsilon, or as far as --delta (default 1e-10)" },
    { .name = "tradeoff", .letter = 't', FLAG, AT(tradeoff), .heading = "Question",
      .help = "what an attacker's test can do; type II error over type I error as a table" },
    { .name = "attacker", FLAG, AT(attacker), .heading = "Question",
      .help = "add what an attacker can gain; membership advantage and posterior odds" },
    { .name = "neighbours", .argument = "add-remove|replace-one", CHOICE, AT(neighbours), .sample = "replace-one",
      .heading = "Whose privacy", .fallback = "add-remove",
      .help = "which data the promise compares; noise events have twice the distance under replace-one" },
    { .name = "accountant", .argument = "NAME", CHOICE, AT(accountant), .sample = "rdp", .fallback = "best",
      .choices = "best|exact|basic|advanced|optimal|zcdp|mcdp|tcdp|rdp|moments|gdp|clt|lattice|contour",
      .heading = "How", .help = "ask one accountant instead of the best of all" },
    { .name = "file", .letter = 'f', .argument = "FILE", STRING, AT(file), .sample = "events.txt", .heading = "How",
      .help = "read the expression from FILE; - is standard input" },
    { .name = "plot", .letter = 'p', .argument = "FILE", STRING, AT(plot), .sample = "curve.svg", .writes = true, .heading = "Output",
      .help = "draw as SVG: delta over epsilon, with --tradeoff the trade-off curve, with --all epsilon over steps" },
    { .name = "points", .argument = "N", WHOLE, AT(points), .low = 2, .high = 10001, .fallback = "21", .sample = "101",
      .heading = "Output", .help = "rows of the table of --curve and --tradeoff" },
    { .name = "steps", .argument = "N", WHOLE, AT(steps), .low = 1, .high = INT64_C(4611686018427387904), .sample = "1000",
      .heading = "Output", .help = "--all --plot: how far to draw (default: the count at the end of the expression, or 100)" },
    { .name = "json", .letter = 'j', FLAG, AT(json), .heading = "Output",
      .help = "one JSON object, numbers with all digits; null is infinity" },
    { .name = NULL },
};
/* clang-format on */

const dusk_section dusk_account_sections[] = {
    { "Description",
      "Says what an expression of events costs: the epsilon at a delta, or the delta at an epsilon, as an "
      "upper bound that holds with all errors of the computation counted, and a lower bound that says how "
      "much it could be improved by anybody. Nothing is read but the expression; no data, no ledger.\n"
      "e * n runs e n times, e + e one after the other, parentheses group; whole numbers may be written 1e6. "
      "Each step may depend on the answers before it, but the list of events is fixed beforehand." },
    { "Neighbours",
      "The promise compares data with and without one unit (add-remove, the default), or with one unit's "
      "data exchanged (replace-one). sigma and b are relative to what adding or removing a unit changes: "
      "under replace-one such an event has twice the distance. Events that are promises themselves (pure, "
      "approx, zcdp, gdp, exponential, svt, ...) hold for the relation that is asked about. "
      "Shuffling, randomized response and sampling without replacement are about replacing: an expression "
      "that has them is priced for replace-one unless --neighbours says otherwise." },
    { "Accountants",
      "best takes the smallest bound of all that apply. exact: the curve of a single mechanism. basic: "
      "epsilons and deltas add up. advanced: Dwork, Rothblum and Vadhan. optimal: Kairouz, Oh and "
      "Viswanath; Murtagh and Vadhan. zcdp, mcdp, tcdp: concentrated privacy. rdp: Renyi divergences at the "
      "best real order. moments: the closed form of Abadi and others. gdp: Gaussian privacy. clt: its "
      "central limit theorem, an approximation and not a bound; never charge it. lattice: convolution of "
      "privacy losses, certified. contour: a contour integral of the moment generating function, "
      "certified." },
    { "Output",
      "Printed upper bounds are rounded up and lower bounds down. With --json the object has epsilon, "
      "epsilon_lower, delta, method, neighbours and more; for --epsilon it has delta, delta_lower and "
      "epsilon; for --solve NAME it has NAME and the promise that its value keeps; for --curve and "
      "--tradeoff it has arrays." },
    { NULL, NULL },
};

const dusk_example dusk_account_examples[] = {
    { "10000 steps of training on samples of 1 %",
      "dusk account 'poisson(0.01, gaussian(1)) * 10000' --delta 1e-6" },
    { "How much noise for epsilon 1",
      "dusk account 'poisson(0.01, gaussian(sigma)) * 10000' --solve sigma --epsilon 1 --delta 1e-6" },
    { "How many questions fit", "dusk account 'laplace(20) * n' --solve n --epsilon 1 --delta 1e-6" },
    { "Delta at epsilon, for machines", "dusk account 'laplace(2) * 3 + gaussian(4)' --epsilon 2 --json" },
    { "Compare the accountants", "dusk account 'pure(0.1) * 100' --delta 1e-6 --all" },
    { "What an attacker can gain", "dusk account 'gaussian(1)' --delta 1e-6 --attacker" },
    { "Draw delta over epsilon", "dusk account 'gaussian(1) * 4' --plot curve.svg" },
    { "Type II over type I errors of any test", "dusk account 'gaussian(1)' --tradeoff --points 5" },
    { "Shuffled reports of a million people", "dusk account 'shuffle(1e6, 1)' --delta 1e-6" },
    { NULL, NULL },
};
