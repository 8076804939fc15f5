/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk audit: its words, its options, what the help says. */
#include <stddef.h>

#include "cli/audit.h"

const dusk_operand dusk_audit_words[] = {
    { .name = "exec",
      .heading = "Mechanisms",
      .summary = "any program that prints draws: a lower bound of its epsilon",
      .usage = "--epsilon E [--delta D] --inputs A,B [options] -- COMMAND...",
      .needs = "",
      .either = "--epsilon or --event; --inputs, --pairs or --queries",
      .takes = "epsilon delta event inputs pairs queries moves search draws worth one-draw confidence alarm "
               "strict "
               "verbose curve renyi plot",
      .example = "dusk audit exec --epsilon 1 --inputs 5,6 -- python3 noisy.py",
      .also = "program command run" },
    { .name = "bits",
      .heading = "Mechanisms",
      .summary = "the doubles a program prints, or two files of them, bit by bit: holes of naive noise",
      .usage = "--epsilon E [--delta D] --inputs A,B [--scale S] [options] -- COMMAND... | FILE FILE",
      .needs = "epsilon inputs",
      .takes = "delta scale draws confidence alarm strict",
      .example = "dusk audit bits --epsilon 1 --inputs 0,1 --scale 1 -- python3 noisy.py",
      .also = "floats support mironov" },
    { .name = "timing",
      .heading = "Mechanisms",
      .summary = "whether the time of a draw tells its value, from lines of a value and a duration",
      .usage = "[options] -- COMMAND... | FILE",
      .needs = "",
      .takes = "inputs draws alarm strict",
      .example = "dusk audit timing times.txt",
      .also = "time" },
    { .name = "scores",
      .heading = "Models",
      .summary = "a model, from scores of canaries that were in or out of its training data",
      .usage = "FILE.csv [--epsilon E] [--delta D] [options]",
      .needs = "",
      .takes =
          "epsilon delta event confidence alarm strict plot columns runs coins guesses split threshold lira "
          "assume-gaussian",
      .example = "dusk audit scores scores.csv --epsilon 1 --delta 1e-5",
      .also = "model canaries membership lira" },
    { .name = "suite",
      .heading = "Dusk and the auditor",
      .summary = "standard subjects, right and broken, and every mechanism of Dusk",
      .needs = "",
      .either = "--epsilon or --list",
      .takes = "epsilon list only part draws confidence alarm strict plot",
      .example = "dusk audit suite --epsilon 0.7",
      .also = "self subjects benchmark svt" },
    { .name = NULL },
};

#define AT(field) .offset = offsetof(audit_settings, field)
#define NUMBER .type = DUSK_OPTION_NUMBER
#define WHOLE .type = DUSK_OPTION_WHOLE
#define STRING .type = DUSK_OPTION_STRING
#define CHOICE .type = DUSK_OPTION_CHOICE
#define FLAG .type = DUSK_OPTION_FLAG

/* clang-format off */
const dusk_option dusk_audit_options_table[] = {
    { .name = "epsilon", .letter = 'e', .argument = "E", NUMBER, AT(epsilon), .sample = "1",
      .heading = "Claim",
      .help = "the epsilon that is claimed" },
    { .name = "delta", .letter = 'd', .argument = "D", NUMBER, AT(delta), .fallback = "0", .sample = "1e-6",
      .heading = "Claim",
      .help = "the delta that is claimed" },
    { .name = "event", .argument = "EVENT", STRING, AT(event), .sample = "'gaussian(2)'", .heading = "Claim",
      .help = "what was done, written as for dusk account, instead of --epsilon: its whole privacy curve "
              "is the claim, and epsilon is printed at --delta" },
    { .name = "inputs", .letter = 'i', .argument = "A,B", STRING, AT(inputs), .sample = "5,6",
      .heading = "Inputs",
      .help = "two neighbouring inputs, each the last argument of COMMAND in its turn" },
    { .name = "pairs", .argument = "FILE", STRING, AT(pairs), .sample = "pairs.txt", .heading = "Inputs",
      .help = "pairs of neighbouring inputs, one a line with a tab between the two; - is standard input" },
    { .name = "queries", .argument = "N", WHOLE, AT(queries), .low = 1, .high = 1000, .sample = "10",
      .heading = "Inputs",
      .help = "standard pairs of N answers to queries, given as numbers with commas between them" },
    { .name = "moves", .argument = "one|all", CHOICE, AT(moves), .fallback = "all", .sample = "one",
      .heading = "Inputs",
      .help = "how many of the N numbers differ between neighbours, by at most 1 each" },
    { .name = "search", FLAG, AT(search), .heading = "Inputs",
      .help = "vary the best of the standard pairs" },
    { .name = "scale", .argument = "S", NUMBER, AT(scale), .sample = "1.5", .heading = "Inputs",
      .help = "of the noise, where it is known: b of Laplace or sigma of Gaussian noise; outputs are then "
              "also led back through the formulae that people use" },
    { .name = "confidence", .argument = "P", NUMBER, AT(confidence), .fallback = "0.95", .sample = "0.99",
      .heading = "Audit",
      .help = "of the bound that is printed" },
    { .name = "alarm", .argument = "P", NUMBER, AT(alarm), .fallback = "1e-6", .sample = "1e-6",
      .heading = "Audit",
      .help = "chance of accusing a right mechanism: a violation is said only beyond it" },
    { .name = "draws", .letter = 'n', .argument = "N", WHOLE, AT(draws), .low = 1, .high = (int64_t)1 << 40,
      .sample = "1000000", .heading = "Audit",
      .help = "draws a side that the bound rests on" },
    { .name = "worth", .argument = "SHARE", NUMBER, AT(worth), .fallback = "0.25", .sample = "0.1",
      .heading = "Audit",
      .help = "a pass must be able to see a true epsilon this share above the claim; smaller ones need "
              "more draws" },
    { .name = "one-draw", FLAG, AT(one_draw), .heading = "Audit",
      .help = "COMMAND prints one draw and ends; it is started for every draw, which is slow" },
    { .name = "strict", FLAG, AT(strict), .heading = "Audit",
      .help = "what is inconclusive has exit code 6, too" },
    { .name = "columns", .argument = "A,B", STRING, AT(columns), .sample = "loss,in", .heading = "Scores",
      .help = "what the columns score and member are called, and run if there is one; with --lira those "
              "of example, model, member and score" },
    { .name = "runs", FLAG, AT(runs), .heading = "Scores",
      .help = "every score is of a run of its own, so that scores are independent; otherwise all are "
              "canaries of one run, each put in by a fair coin" },
    { .name = "coins", FLAG, AT(coins), .heading = "Scores",
      .help = "you know of those coins: where half are members they are not taken for a fixed number of them" },
    { .name = "guesses", .argument = "IN,OUT", STRING, AT(guesses), .sample = "100,0", .heading = "Scores",
      .help = "guess that so many highest scores are members and so many lowest are not, chosen before "
              "looking; otherwise the best of a list, which shares the error" },
    { .name = "split", FLAG, AT(split), .heading = "Scores",
      .help = "choose the guesses on a random half of the canaries and count them on the other" },
    { .name = "threshold", .argument = "T", NUMBER, AT(threshold), .sample = "0.5", .heading = "Scores",
      .help = "with --runs: call members what has at least this score, chosen before looking; otherwise "
              "chosen on a random half" },
    { .name = "lira", .argument = "KIND", .choices = "online|offline|online-pooled|offline-pooled|relative",
      CHOICE, AT(lira), .sample = "online", .heading = "Scores",
      .help = "make the scores by LiRA from a table of example, model, member and score (a scaled "
              "confidence): the model called target is audited, the others are its shadows; pooled: one "
              "variance for all examples; relative: RMIA" },
    { .name = "assume-gaussian", FLAG, AT(assume_gaussian), .heading = "Scores",
      .help = "let bounds that hold only for a Gaussian trade-off speak for the verdict" },
    { .name = "plot", .argument = "FILE.svg", STRING, AT(plot), .sample = "audit.svg", .writes = true, .heading = "Output",
      .help = "draw what was found" },
    { .name = "curve", .letter = 'c', FLAG, AT(curve), .heading = "Output",
      .help = "epsilon at several deltas beside what is claimed there; all hold together" },
    { .name = "renyi", .argument = "ORDERS", STRING, AT(renyi), .sample = "2,4,8", .heading = "Output",
      .help = "Renyi divergences of these orders, with commas between them; 2:0.1 claims that the one of "
              "order 2 is at most 0.1, and is held against it" },
    { .name = "verbose", .letter = 'v', FLAG, AT(verbose), .heading = "Output",
      .help = "say which inputs and which set of outputs decided, how often it happened, and how small a "
              "fault would have been seen" },
    { .name = "only", .argument = "NAMES", STRING, AT(only), .sample = "svt1,svt3", .heading = "Suite",
      .help = "these subjects, commas between them; * stands for anything" },
    { .name = "part", .argument = "standard|floats|dusk", CHOICE, AT(part), .sample = "dusk",
      .heading = "Suite",
      .help = "subjects of the literature, noise as doubles, or the mechanisms of Dusk" },
    { .name = "list", FLAG, AT(list), .heading = "Suite",
      .help = "name the subjects and audit nothing" },
    { .name = "json", FLAG, AT(json), .heading = "Output",
      .help = "one JSON object a line instead of text" },
    { .name = NULL },
};
/* clang-format on */

const dusk_section dusk_audit_sections[] = {
    { "Description", "Attacks a promise. An accountant proves that epsilon is at most something; an audit "
                     "shows, from draws, that "
                     "it is at least something. The printed bound holds at --confidence; the verdict "
                     "violation is said only where "
                     "a right mechanism would be accused with a chance of at most --alarm." },
    { "Programs",
      "exec runs COMMAND with an input as its last argument and DUSK_DRAWS in its environment, the number of "
      "draws that is wanted. It prints so many lines, one independent draw a line, and ends with exit code "
      "0. "
      "It is started many times and must draw anew every time: no fixed seed. A line is numbers or words, "
      "with blanks, commas or brackets between them; what is missing at its end is a value, too.\n"
      "The line that is printed has what is claimed, a lower bound of the true epsilon at --confidence, the "
      "verdict, the draws of all steps, and the CPU seconds of dusk and of COMMAND together. pass: no fault "
      "was shown, and one worth showing would have been. inconclusive: none was shown, but a larger one "
      "could "
      "have hidden. violation: exit code 6." },
    { "Bits and times",
      "bits audits noise that was made in floating point. The inputs are the numbers that noise is added to, "
      "and COMMAND is run as by exec, or its draws are in two files, one for each input. Doubles must arrive "
      "with all their digits: print %.17g, repr() or hexadecimal numbers. The second line says which "
      "test decided, and on which outputs; A and B are the inputs. Values should be of the size of the "
      "noise, "
      "as 0 and 1: beside large ones the holes are rounded away.\n"
      "timing reads a value and a duration a line, in the order in which they were drawn, and compares ranks "
      "within blocks of 16 lines. p is the chance of such a correlation without a dependence; violation "
      "needs "
      "a p below --alarm for certain. COMMAND gets the word of --inputs, or 0." },
    { "Scores",
      "A table with a header and one line a canary: score, larger for what looks more like a member, and "
      "member, 1 or 0. Without --runs all are canaries of one training run, each put in by a fair coin: "
      "the bounds of one run hold, others are printed with what they assume. With --runs each score is of a "
      "run of "
      "its own. A claim with a delta cannot be accused by one run at an --alarm below it." },
    { NULL, NULL },
};

const dusk_example dusk_audit_examples[] = {
    { "audit a program that adds Laplace noise",
      "dusk audit exec --epsilon 1 --inputs 5,6 -- python3 noisy.py" },
    { "ten queries, each of which moves by at most 1",
      "dusk audit exec --epsilon 0.7 --queries 10 --search -- ./sparse_vector" },
    { "a Gaussian mechanism against its whole curve",
      "dusk audit exec --event 'gaussian(2)' --delta 1e-6 --inputs 0,1 --curve -- python3 gauss.py" },
    { "look for the holes of noise made in floating point",
      "dusk audit bits --epsilon 1 --inputs 0,1 --scale 1 -- python3 noisy.py" },
    { "a model that claims (1, 1e-5), from scores of its canaries",
      "dusk audit scores scores.csv --epsilon 1 --delta 1e-5" },
    { "run the standard subjects and every mechanism of Dusk", "dusk audit suite --epsilon 0.7" },
    { NULL, NULL },
};
