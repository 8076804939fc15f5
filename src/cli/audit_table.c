/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk audit: its words, its options, what the help says. */
#include <stddef.h>

#include "cli/audit.h"

const dusk_operand dusk_audit_words[] = {
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
    { NULL, NULL },
};

const dusk_example dusk_audit_examples[] = {
    { "run the standard subjects and every mechanism of Dusk", "dusk audit suite --epsilon 0.7" },
    { NULL, NULL },
};
