/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk audit: its words, its options, what the help says. */
#include <stddef.h>

#include "cli/audit.h"

const dusk_operand dusk_audit_words[] = {
    { .name = "scores",
      .heading = "Models",
      .summary = "a model, from scores of canaries that were in or out of its training data",
      .needs = "",
      .takes = "epsilon delta event confidence alarm strict plot columns runs guesses split threshold lira "
               "assume-gaussian",
      .example = "dusk audit scores scores.csv --epsilon 1 --delta 1e-5" },
    { .name = NULL },
};

#define AT(field) .offset = offsetof(audit_settings, field)
const dusk_option dusk_audit_options_table[] = {
    { .name = "epsilon",
      .letter = 'e',
      .argument = "E",
      .type = DUSK_OPTION_NUMBER,
      AT(epsilon),
      .sample = "1",
      .heading = "Claim",
      .help = "the epsilon that is claimed" },
    { .name = "delta",
      .letter = 'd',
      .argument = "D",
      .type = DUSK_OPTION_NUMBER,
      AT(delta),
      .fallback = "0",
      .sample = "1e-6",
      .heading = "Claim",
      .help = "the delta that is claimed" },
    { .name = "confidence",
      .argument = "P",
      .type = DUSK_OPTION_NUMBER,
      AT(confidence),
      .fallback = "0.95",
      .sample = "0.99",
      .heading = "Audit",
      .help = "of the bound that is printed" },
    { .name = "alarm",
      .argument = "P",
      .type = DUSK_OPTION_NUMBER,
      AT(alarm),
      .fallback = "1e-6",
      .sample = "1e-6",
      .heading = "Audit",
      .help = "chance of accusing a right mechanism: a violation is said only beyond it" },
    { .name = "draws",
      .letter = 'n',
      .argument = "N",
      .type = DUSK_OPTION_WHOLE,
      AT(draws),
      .low = 1,
      .high = (int64_t)1 << 40,
      .sample = "1000000",
      .heading = "Audit",
      .help = "draws a side that the bound rests on" },
    { .name = "strict",
      .type = DUSK_OPTION_FLAG,
      AT(strict),
      .heading = "Audit",
      .help = "what is inconclusive has exit code 6, too" },
    { .name = "event",
      .argument = "EXPR",
      .type = DUSK_OPTION_STRING,
      AT(event),
      .sample = "'poisson(0.01, gaussian(1)) * 1000'",
      .heading = "Claim",
      .help = "what was done, as for dusk account: its whole privacy curve is the claim" },
    { .name = "columns",
      .argument = "A,B",
      .type = DUSK_OPTION_STRING,
      AT(columns),
      .sample = "loss,in",
      .heading = "Scores",
      .help = "what the columns score and member are called, and run if there is one; with --lira those of "
              "example, model, member and score" },
    { .name = "runs",
      .type = DUSK_OPTION_FLAG,
      AT(runs),
      .heading = "Scores",
      .help =
          "every score is of a run of its own, so that scores are independent; otherwise all are canaries of "
          "one run, each put in by a fair coin" },
    { .name = "guesses",
      .argument = "IN,OUT",
      .type = DUSK_OPTION_STRING,
      AT(guesses),
      .sample = "100,0",
      .heading = "Scores",
      .help =
          "guess that so many highest scores are members and so many lowest are not, chosen before looking; "
          "otherwise the best of a list, which shares the error" },
    { .name = "split",
      .type = DUSK_OPTION_FLAG,
      AT(split),
      .heading = "Scores",
      .help = "choose the guesses on a random half of the canaries and count them on the other" },
    { .name = "threshold",
      .argument = "T",
      .type = DUSK_OPTION_NUMBER,
      AT(threshold),
      .sample = "0.5",
      .heading = "Scores",
      .help = "with --runs: call members what has at least this score, chosen before looking; otherwise "
              "chosen on a random half" },
    { .name = "lira",
      .argument = "KIND",
      .choices = "online|offline|online-pooled|offline-pooled",
      .type = DUSK_OPTION_CHOICE,
      AT(lira),
      .sample = "online",
      .heading = "Scores",
      .help = "make the scores by LiRA from a table of example, model, member and score (a scaled "
              "confidence): the model called target is audited, the others are its shadows; pooled: one "
              "variance for all examples" },
    { .name = "assume-gaussian",
      .type = DUSK_OPTION_FLAG,
      AT(assume_gaussian),
      .heading = "Scores",
      .help = "let bounds that hold only for a Gaussian trade-off speak for the verdict" },
    { .name = "plot",
      .argument = "FILE.svg",
      .type = DUSK_OPTION_STRING,
      AT(plot),
      .sample = "audit.svg",
      .heading = "Output",
      .help = "draw what was found" },
    { .name = "json",
      .type = DUSK_OPTION_FLAG,
      AT(json),
      .heading = "Output",
      .help = "one JSON object a line instead of text" },
    { .name = NULL },
};

const dusk_section dusk_audit_sections[] = {
    { "Description", "Attacks a promise. An accountant proves that epsilon is at most something; an audit "
                     "shows, from draws, that "
                     "it is at least something. The printed bound holds at --confidence; the verdict "
                     "violation is said only where "
                     "a right mechanism would be accused with a chance of at most --alarm." },
    { "Scores",
      "A table with a header and one line a canary: score, larger for what looks more like a member, and "
      "member, 1 or 0. Without --runs all are canaries of one training run, each put in by a fair coin: "
      "the bounds of one run hold, others are printed with what they assume. With --runs each score is of a "
      "run of "
      "its own. A claim with a delta cannot be accused by one run at an --alarm below it." },
    { NULL, NULL },
};

const dusk_example dusk_audit_examples[] = {
    { "a model that claims (1, 1e-5), from scores of its canaries",
      "dusk audit scores scores.csv --epsilon 1 --delta 1e-5" },
    { "run the standard subjects and every mechanism of Dusk", "dusk audit suite --epsilon 0.7" },
    { NULL, NULL },
};
