/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk attack: its words, its options, what the help says. */
#include <stddef.h>

#include "cli/attack.h"

#define DATA "column equals people release epsilon delta"
const dusk_operand dusk_attack_words[] = {
    { .name = "differencing",
      .heading = "of counts",
      .summary = "the count with somebody less the count without: does that one person have it?",
      .needs = "",
      .either = "--answers, or a file of data with --column and --release",
      .takes = "answers event step confidence person trials " DATA,
      .example = "dusk attack differencing people.csv --column sick --release dusk --epsilon 1",
      .also = "difference diff tracker" },
    { .name = "averaging",
      .heading = "of counts",
      .summary = "the same question many times: does fresh noise average out?",
      .needs = "",
      .either = "--answers, or a file of data with --column and --release",
      .takes = "answers event step confidence queries " DATA,
      .example = "dusk attack averaging people.csv --column sick --release overspent --epsilon 1",
      .also = "average mean repeat" },
    { .name = "reconstruction",
      .heading = "of counts",
      .summary = "counts of many groups: is the whole column given back? [Dinur & Nissim 2003]",
      .needs = "",
      .either = "--answers, or a file of data with --column and --release",
      .takes = "answers event truth guesses decoder prior queries wrong plot " DATA,
      .example = "dusk attack reconstruction people.csv --column sick --release exact",
      .also = "dinur-nissim reconstruct database" },
    { .name = "membership",
      .heading = "of means",
      .summary = "means of many attributes: who is in the study? [Homer et al. 2008]",
      .needs = "",
      .either = "--means and --reference, or --release; and a file of people",
      .takes = "means reference event score false-positives confidence members release epsilon delta",
      .example = "dusk attack membership people.csv --members 100 --release exact",
      .also = "homer tracing mean-membership" },
    { .name = NULL },
};

#define AT(field) .offset = offsetof(attack_settings, field)
#define NUMBER .type = DUSK_OPTION_NUMBER
#define WHOLE .type = DUSK_OPTION_WHOLE
#define STRING .type = DUSK_OPTION_STRING
#define CHOICE .type = DUSK_OPTION_CHOICE
#define FLAG .type = DUSK_OPTION_FLAG

/* clang-format off */
const dusk_option dusk_attack_options_table[] = {
    { .name = "release", .letter = 'r', .argument = "exact|dusk|overspent|kept", CHOICE, AT(release),
      .sample = "dusk", .heading = "A release now",
      .help = "make a release and attack it: without noise (exact), under one budget of --epsilon for all "
              "answers (dusk), with --epsilon for each of them (overspent), or one answer given again and "
              "again (kept)" },
    { .name = "column", .letter = 'c', .argument = "NAME", STRING, AT(column), .sample = "sick",
      .heading = "A release now",
      .help = "the column of the table that is asked about: 0 and 1, or give --equals" },
    { .name = "equals", .argument = "VALUE", STRING, AT(equals), .sample = "yes", .heading = "A release now",
      .help = "people with this value are those who are counted" },
    { .name = "epsilon", .letter = 'e', .argument = "E", NUMBER, AT(epsilon), .sample = "1",
      .heading = "A release now",
      .help = "what is spent" },
    { .name = "delta", .letter = 'd', .argument = "D", NUMBER, AT(delta), .sample = "1e-6",
      .heading = "A release now",
      .help = "with Gaussian noise instead of Laplace noise" },
    { .name = "people", .argument = "N", WHOLE, AT(people), .low = 2, .high = 100000000, .sample = "1000",
      .heading = "A release now",
      .help = "the first N rows only (reconstruction: 1000, where you do not say)" },
    { .name = "queries", .letter = 'q', .argument = "N", WHOLE, AT(queries), .low = 1, .high = 10000000,
      .sample = "2000", .heading = "A release now",
      .help = "how many answers: where you do not say, averaging has 1000 and reconstruction twice as "
              "many as people" },
    { .name = "members", .argument = "N", WHOLE, AT(members), .low = 1, .high = 10000000, .fallback = "100",
      .sample = "100", .heading = "A release now",
      .help = "how many people the study has" },
    { .name = "person", .argument = "N", WHOLE, AT(person), .low = 1, .high = 100000000, .fallback = "1",
      .sample = "1", .heading = "A release now",
      .help = "the row that is left out of the second answer" },
    { .name = "answers", .letter = 'a', .argument = "FILE", STRING, AT(answers), .sample = "answers.txt",
      .heading = "What was released",
      .help = "answers of your own: numbers (differencing: pairs, with the person and without); "
              "reconstruction: lines of an answer and a word of 0 and 1, one for each person" },
    { .name = "event", .argument = "EVENT", STRING, AT(event), .sample = "'laplace(1)'",
      .heading = "What was released",
      .help = "what one answer (membership: all means) is, as in dusk account; then the price and its "
              "bound are said, too" },
    { .name = "step", .argument = "X", NUMBER, AT(step), .fallback = "1", .sample = "1",
      .heading = "What was released",
      .help = "what a person adds; true values are multiples of it" },
    { .name = "means", .argument = "FILE", STRING, AT(means), .sample = "means.txt",
      .heading = "What was released",
      .help = "the means of a study, one for each column of the file of people" },
    { .name = "reference", .argument = "FILE", STRING, AT(reference), .sample = "others.csv",
      .heading = "What was released",
      .help = "a table of people who are known not to be in the study" },
    { .name = "truth", .argument = "FILE", STRING, AT(truth), .sample = "truth.txt",
      .heading = "What was released",
      .help = "a 0 or 1 for each person, to see how many guesses are right" },
    { .name = "trials", .argument = "N", WHOLE, AT(trials), .low = 1, .high = 100000000, .fallback = "2000",
      .sample = "10000", .heading = "Attack",
      .help = "how often differencing is tried, each time on fresh answers" },
    { .name = "decoder", .argument = "squares|absolute", CHOICE, AT(decoder), .fallback = "squares",
      .sample = "absolute", .heading = "Attack",
      .help = "least squares, or the linear program of least absolute errors, which survives wrong answers" },
    { .name = "prior", .argument = "SHARE", NUMBER, AT(prior), .sample = "0.2", .heading = "Attack",
      .help = "so many of the people are known to have it (--release: as many as there are), and guesses "
              "lean to it where the answers are uncertain; 0: that is not known" },
    { .name = "wrong", .argument = "SHARE", NUMBER, AT(wrong), .fallback = "0", .sample = "0.1",
      .heading = "Attack",
      .help = "so many of the answers are made arbitrary" },
    { .name = "score", .argument = "inner|likelihood|whitened", CHOICE, AT(score), .fallback = "whitened",
      .sample = "inner", .heading = "Attack",
      .help = "how people are compared with the means; whitened: for attributes that hang together" },
    { .name = "false-positives", .argument = "P", NUMBER, AT(false_positives), .fallback = "0.01",
      .sample = "0.01", .heading = "Attack",
      .help = "at most this share of people who are not in the study is taken for members" },
    { .name = "confidence", .argument = "P", NUMBER, AT(confidence), .fallback = "0.95", .sample = "0.99",
      .heading = "Attack",
      .help = "of intervals" },
    { .name = "expect", .argument = "falls|holds", CHOICE, AT(expect), .sample = "holds", .heading = "Output",
      .help = "anything else has exit code 6" },
    { .name = "guesses", .argument = "FILE", STRING, AT(guesses), .sample = "guesses.txt", .writes = true,
      .heading = "Output",
      .help = "write a 0 or 1 for each person" },
    { .name = "plot", .argument = "FILE.svg", STRING, AT(plot), .sample = "reconstruction.svg", .writes = true,
      .heading = "Output",
      .help = "draw the share that is recovered over what is spent" },
    { .name = "json", FLAG, AT(json), .heading = "Output",
      .help = "one JSON object instead of text" },
    { .name = NULL },
};
/* clang-format on */

const dusk_section dusk_attack_sections[] = {
    { "Description",
      "Attacks released numbers with what an outsider has: the numbers. Give answers of your own "
      "with --answers, or let a release of a column be made and attacked at once, to see what "
      "falls: exact answers, answers that spend without counting (--release overspent), answers "
      "under one budget (--release dusk).\n"
      "A release falls when the attack comes at least halfway from guessing without any answers to "
      "knowing: differencing when at least 75 % of guesses are right, averaging when the true value "
      "is the only one left, reconstruction when the share of people guessed right is halfway "
      "between that of the more frequent value and 100 %, membership when members are found, at "
      "--confidence, five times as often as others are taken for members, or halfway from that rate to "
      "all of them. What is shown by luck against a promise that rules it out in the long run makes "
      "nothing fall. Two answers of your own fall when they have no noise; with noise of an --event "
      "they hold where the bound is below 75 %, and all else is open. So are answers that are all the same.\n"
      "That a release holds against an attack proves nothing about others: the line bound says what "
      "the accountant proves about all of them. Where the guesses of differencing beat that bound "
      "beyond chance, the exit code is 6." },
    { "Answers of your own",
      "Numbers may stand on lines of their own or with blanks between them; - is standard input. An "
      "answer is fresh noise on the truth: averaging is not for answers that a cache gave again in "
      "part.\n"
      "A table of people has a header and a number in every field." },
    { NULL, NULL },
};

const dusk_example dusk_attack_examples[] = {
    { "2000 exact counts give a column of 1000 people back",
      "dusk attack reconstruction people.csv --column sick --release exact" },
    { "the same under one budget",
      "dusk attack reconstruction people.csv --column sick --release dusk --epsilon 1" },
    { "a question asked a thousand times",
      "dusk attack averaging people.csv --column sick --release overspent --epsilon 0.1" },
    { "two answers that a colleague wants to publish",
      "echo 1342 1341 | dusk attack differencing --answers -" },
    { NULL, NULL },
};
