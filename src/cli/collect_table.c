/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of dusk collect: its words, its options, what the help says. */
#include <stddef.h>

#include "cli/collect.h"

#define SIZES "width rows hashes seed permanent length step grid cell corner within"
const dusk_operand dusk_collect_words[] = {
    { .name = "plan",
      .heading = "before",
      .summary = "which randomiser: the error to expect, bytes a report, counters; writes the survey",
      .needs = "users epsilon",
      .either = "--domain, --attributes, --texts, --grid, or --low and --high",
      .takes = "domain attributes order texts low high for mechanism name out c json " SIZES,
      .example = "dusk collect plan --domain 1024 --users 1000000 --epsilon 1 --out task.json",
      .also = "design choose",
      .usage = "--users N --epsilon E [options]" },
    { .name = "simulate",
      .heading = "before",
      .summary = "reports of made-up or real values through a randomiser: error, coverage, time",
      .needs = "mechanism users epsilon",
      .either =
          "--domain, --attributes or --data for categories, --grid for places; numbers need none of them",
      .takes =
          "domain attributes order data for zipf low high runs json liars targets attack defence alphabet "
          "rate top " SIZES,
      .example = "dusk collect simulate --mechanism olh --domain 1024 --users 100000 --epsilon 1 --json",
      .also = "simulation try",
      .usage = "--mechanism M --users N --epsilon E [options]" },
    { .name = "encode",
      .heading = "devices",
      .summary = "values into records, as a device would send them",
      .needs = "task",
      .either = "",
      .takes = "column values epoch out",
      .example = "dusk collect encode --task task.json --values words.txt answers.txt --out records.cbor",
      .also = "report randomise randomize" },
    { .name = "shuffle",
      .heading = "between",
      .summary =
          "the records of an epoch, in random order and without where they came from, once they are enough",
      .needs = "task out",
      .either = "",
      .takes = "epoch threshold threshold-epsilon delta liars buds json",
      .example = "dusk collect shuffle --task task.json --out shuffled.cbor records.cbor",
      .also = "mix anonymize anonymise",
      .usage = "--task FILE --out FILE [options] [FILE ...]" },
    { .name = "aggregate",
      .heading = "the server",
      .summary = "records from files, standard input or a socket into a state file; each counts once",
      .needs = "task state",
      .either = "",
      .takes = "epoch format merge listen threads checkpoint json",
      .example = "dusk collect aggregate --task task.json --state state.tally records.cbor",
      .also = "collect add serve",
      .usage = "[options] [FILE ...]" },
    { .name = "estimate",
      .heading = "the server",
      .summary = "how many people have a value or are in a range, quantiles, means, distributions",
      .needs = "state",
      .either = "",
      .takes = "task values attribute marginal range ranges quantiles consistent discoveries bins alphabet "
               "rate confidence top "
               "liars json plot",
      .example = "dusk collect estimate --state state.tally --values words.txt --top 10",
      .also = "decode show",
      .usage = "--state FILE [options]" },
    { .name = "associate",
      .heading = "the server",
      .summary = "two surveys of the same people: the share of each pair of values, with intervals",
      .needs = "task with",
      .either = "",
      .takes = "values with-values epoch confidence top json",
      .example = "dusk collect associate --task a.json --values words.txt --with b.json a.cbor b.cbor",
      .also = "joint pairs correlate",
      .usage = "--task FILE --with FILE [options] RECORDS RECORDS" },
    { .name = NULL },
};

#define AT(field) .offset = offsetof(collect_settings, field)
#define NUMBER .type = DUSK_OPTION_NUMBER
#define WHOLE .type = DUSK_OPTION_WHOLE
#define STRING .type = DUSK_OPTION_STRING
#define LIST .type = DUSK_OPTION_LIST
#define FLAG .type = DUSK_OPTION_FLAG
#define CHOICE .type = DUSK_OPTION_CHOICE

/* clang-format off */
const dusk_option dusk_collect_options_table[] = {
    { .name = "domain", .letter = 'd', .argument = "D", WHOLE, AT(domain), .low = 2, .high = 4294967295, .sample = "1024",
      .heading = "Survey", .help = "how many categories there are" },
    { .name = "attributes", .letter = 'a', .argument = "LIST", STRING, AT(attributes), .sample = "age:10,sex:2,region:20", .heading = "Survey",
      .help = "several attributes of a person, each with how many categories it has" },
    { .name = "order", .argument = "N", WHOLE, AT(order), .low = 1, .high = 2, .fallback = "1", .sample = "2",
      .heading = "Survey", .help = "of --attributes: 2 for tables of any two of them, too" },
    { .name = "for", .argument = "values|ranges", CHOICE, AT(purpose), .sample = "ranges", .heading = "Survey",
      .help = "what will be asked: how many have a value (the default), or how many are from one value to another; simulate measures ranges, too" },
    { .name = "texts", FLAG, AT(texts), .heading = "Survey",
      .help = "values are any texts, of which devices send hashes; which ones are asked about is decided later" },
    { .name = "low", .argument = "X", NUMBER, AT(low), .sample = "0", .heading = "Survey",
      .help = "values are numbers, and this is the lower end of their range" },
    { .name = "high", .argument = "X", NUMBER, AT(high), .sample = "100", .heading = "Survey",
      .help = "the upper end" },
    { .name = "grid", .argument = "CxR", STRING, AT(grid), .sample = "50x40", .heading = "Survey",
      .help = "values are places, of which devices report the cell of a grid of so many columns and rows" },
    { .name = "cell", .argument = "S", NUMBER, AT(cell), .fallback = "1", .sample = "100", .heading = "Survey",
      .help = "the side of a cell, in the units of places, such as metres" },
    { .name = "corner", .argument = "X,Y", STRING, AT(corner), .sample = "-2500,0", .heading = "Survey",
      .help = "the lower left corner of the grid (default 0,0)" },
    { .name = "within", .argument = "D", NUMBER, AT(within), .sample = "500", .heading = "Survey",
      .help = "--epsilon is for two places at most that far apart; those further apart can be told apart better" },
    { .name = "users", .letter = 'n', .argument = "N", WHOLE, AT(users), .low = 1, .high = 1000000000000, .sample = "1000000",
      .heading = "Survey", .help = "how many people report" },
    { .name = "epsilon", .letter = 'e', .argument = "E", NUMBER, AT(epsilon), .sample = "1", .heading = "Survey",
      .help = "of one report, at most" },
    { .name = "mechanism", .letter = 'm', .argument = "NAME", STRING, AT(mechanism), .sample = "olh", .heading = "Survey",
      .help = "the randomiser; plan chooses one where none is given, and lists all" },
    { .name = "name", .argument = "NAME", STRING, AT(name), .sample = "emoji", .heading = "Survey",
      .help = "of the survey; reports of surveys with different names do not mix (default survey)" },
    { .name = "width", .argument = "N", WHOLE, AT(width), .low = 0, .high = 4294967295, .fallback = "0", .sample = "1024",
      .heading = "Survey", .help = "a size of the randomiser, see dusk/local_client.h; 0: chosen" },
    { .name = "rows", .argument = "N", WHOLE, AT(rows), .low = 0, .high = 4294967295, .fallback = "0", .sample = "1024",
      .heading = "Survey", .help = "another one: hash functions of sketches, cohorts of rappor; 0: chosen" },
    { .name = "hashes", .argument = "N", WHOLE, AT(hashes), .low = 0, .high = 255, .fallback = "0", .sample = "2",
      .heading = "Survey", .help = "bits of rappor's filter that a value sets; 0: chosen" },
    { .name = "seed", .argument = "N", WHOLE, AT(seed), .low = 0, .high = 9007199254740991, .fallback = "0", .sample = "7",
      .heading = "Survey", .help = "of hash functions, which are public; it has nothing to do with coins" },
    { .name = "permanent", .argument = "E", NUMBER, AT(permanent), .sample = "4", .heading = "Survey",
      .help = "rappor: epsilon of all reports on one value, however many" },
    { .name = "length", .argument = "BYTES", WHOLE, AT(length), .low = 0, .high = 4294967295, .fallback = "0", .sample = "8",
      .heading = "Texts on no list", .help = "pem, treehist, sfp: so many bytes of a text count; 0: 8" },
    { .name = "step", .argument = "BYTES", WHOLE, AT(step), .low = 0, .high = 255, .fallback = "0", .sample = "2",
      .heading = "Texts on no list", .help = "pem, treehist: so many bytes more a level; sfp: bytes of a fragment; 0: 2, and 1 of treehist" },
    { .name = "alphabet", .argument = "LETTERS", STRING, AT(alphabet), .sample = "abcdefghijklmnopqrstuvwxyz", .heading = "Texts on no list",
      .help = "bytes that texts may have (default a to z and '); only such texts are found" },
    { .name = "rate", .argument = "R", NUMBER, AT(rate), .fallback = "0.05", .sample = "0.01", .heading = "Texts on no list",
      .help = "of false discoveries among the texts that are found" },
    { .name = "c", FLAG, AT(c), .heading = "Survey",
      .help = "plan: print the survey as a C initialiser, for devices" },
    { .name = "task", .letter = 't', .argument = "FILE", STRING, AT(task), .sample = "task.json", .heading = "Files",
      .help = "the survey, as plan wrote it; estimate checks that the state is of it" },
    { .name = "state", .letter = 's', .argument = "FILE", LIST, AT(state), .sample = "state.tally", .heading = "Files",
      .help = "where the counters are, with what is needed to count every record once; estimate adds several up" },
    { .name = "values", .letter = 'v', .argument = "FILE", STRING, AT(values), .sample = "words.txt", .heading = "Files",
      .help = "the names of categories, one a line, the first is category 0 (of --attributes: age:young); or the texts that estimate is to ask about" },
    { .name = "with", .argument = "FILE", STRING, AT(with), .sample = "second.json", .heading = "Files",
      .help = "associate: the second survey, as plan wrote it" },
    { .name = "with-values", .argument = "FILE", STRING, AT(with_values), .sample = "words.txt", .heading = "Files",
      .help = "associate: the names of the second survey's categories, or the texts to ask about" },
    { .name = "column", .argument = "NAME", STRING, AT(column), .sample = "answer", .heading = "Files",
      .help = "encode: the input is a table, and this its column" },
    { .name = "out", .letter = 'o', .argument = "FILE", STRING, AT(out), .sample = "task.json", .writes = true, .heading = "Files",
      .help = "plan: write the survey there; encode, shuffle: the records (encode: instead of to standard output)" },
    { .name = "epoch", .argument = "N", WHOLE, AT(epoch), .low = 0, .high = 9007199254740991, .fallback = "0", .sample = "20261116",
      .heading = "Files", .help = "which batch records belong to, such as the day; others are dropped" },
    { .name = "threshold", .argument = "N", WHOLE, AT(threshold), .low = 1, .high = 9007199254740991, .fallback = "1000", .sample = "1000",
      .heading = "Shuffler", .help = "with fewer reports nothing is written" },
    { .name = "threshold-epsilon", .argument = "E", NUMBER, AT(threshold_epsilon), .sample = "1", .heading = "Shuffler",
      .help = "hide how many report: a random number of reports is thrown away, and the threshold is for the rest; E is what the number costs" },
    { .name = "delta", .argument = "D", NUMBER, AT(delta), .fallback = "1e-6", .sample = "1e-8", .heading = "Shuffler",
      .help = "of the promise of a shuffled batch" },
    { .name = "liars", .argument = "SHARE", NUMBER, AT(liars), .fallback = "0", .sample = "0.05", .heading = "Shuffler",
      .help = "shuffle: the part of other people whose reports hide nobody, as they may tell what they sent; estimate: say how far so many could move it (0.01); simulate: so many of all lie" },
    { .name = "buds", .argument = "BATCHES", WHOLE, AT(buds), .low = 1, .high = 1000000000, .sample = "100", .heading = "Shuffler",
      .help = "print what iterative shuffling (BUDS) claims of so many batches, for comparison: a claim without a worst-case proof" },
    { .name = "format", .argument = "records|apple-json", CHOICE, AT(format), .sample = "apple-json", .heading = "Server",
      .help = "what inputs are: records (the default), or JSON as Apple's devices send it, for cms and hcms" },
    { .name = "merge", .argument = "FILE", LIST, AT(merge), .sample = "shard.tally", .heading = "Server",
      .help = "add the state of another shard; doing it again does nothing" },
    { .name = "listen", .letter = 'l', .argument = "PLACE", STRING, AT(listen), .sample = "127.0.0.1:7464", .heading = "Server",
      .help = "take records from connections to HOST:PORT or to the socket of a path, until SIGINT or SIGTERM" },
    { .name = "threads", .argument = "N", WHOLE, AT(threads), .low = 1, .high = 1024, .fallback = "1", .sample = "4",
      .heading = "Server", .help = "files or connections that are read at the same time" },
    { .name = "checkpoint", .argument = "SECONDS", NUMBER, AT(checkpoint), .fallback = "10", .sample = "1", .heading = "Server",
      .help = "write the state that often, and at the end; 0: as often as can be" },
    { .name = "data", .argument = "FILE", STRING, AT(data), .sample = "words.tsv", .heading = "Simulation",
      .help = "values of people, one a line; or lines of a value and how frequent it is; --users of them are made in these shares" },
    { .name = "zipf", .argument = "S", NUMBER, AT(zipf), .fallback = "1.1", .sample = "1.1", .heading = "Simulation",
      .help = "without --data category k has a share in proportion to 1 / (k + 1)^S" },
    { .name = "runs", .argument = "R", WHOLE, AT(runs), .low = 1, .high = 1000000, .sample = "20",
      .heading = "Simulation", .help = "how often all people report (default: until the error is known to 1 %, or for 8 seconds)" },
    { .name = "targets", .argument = "K", WHOLE, AT(targets), .low = 1, .high = 64, .fallback = "1", .sample = "10", .heading = "Simulation",
      .help = "how many values liars push, evenly over the domain" },
    { .name = "attack", .argument = "NAME", STRING, AT(attack), .sample = "hidden", .heading = "Simulation",
      .help = "what liars send: maximal (the report that pushes most, the default), hidden (one that looks honest), input (an honest one of a target), output (any)" },
    { .name = "defence", .argument = "NAME", STRING, AT(defence), .sample = "detect", .heading = "Simulation",
      .help = "none (the default), normalise (norm-sub), detect (leave suspects out), recover (LDPRecover), known (LDPRecover* that knows the targets), or all" },
    { .name = "range", .argument = "A:B", LIST, AT(range), .sample = "18:25", .heading = "Estimates",
      .help = "how many people have a value from A to B, both included; may be given several times; A and B are numbers of categories, names of --values, or, where values are numbers, numbers" },
    { .name = "ranges", .argument = "FILE", STRING, AT(ranges), .sample = "ranges.txt", .heading = "Estimates",
      .help = "such ranges, one a line" },
    { .name = "quantiles", .argument = "Q,...", STRING, AT(quantiles), .sample = "0.25,0.5,0.9", .heading = "Estimates",
      .help = "the values that these parts of people have or are below" },
    { .name = "consistent", .argument = "norm-sub|base-pos|base-cut", CHOICE, AT(consistent), .sample = "norm-sub", .heading = "Estimates",
      .help = "counts that can be counts: none below 0 and all together everybody; none below 0; or what is not found is 0. They are not unbiased; intervals stay those of the unbiased ones" },
    { .name = "discoveries", .argument = "RATE", NUMBER, AT(discoveries), .sample = "0.05", .heading = "Estimates",
      .help = "only values that are more than noise, of which a part of RATE at most is wrong on average" },
    { .name = "bins", .argument = "N", WHOLE, AT(bins), .low = 1, .high = 65536, .sample = "32", .heading = "Estimates",
      .help = "parts of the range that the distribution of numbers is shown in (default 20)" },
    { .name = "confidence", .argument = "P", NUMBER, AT(confidence), .fallback = "0.95", .sample = "0.99",
      .heading = "Output", .help = "of intervals" },
    { .name = "attribute", .argument = "NAME", STRING, AT(attribute), .sample = "age", .heading = "Output",
      .help = "estimate: this attribute only" },
    { .name = "marginal", .argument = "A,B", STRING, AT(marginal), .sample = "age,sex", .heading = "Output",
      .help = "estimate: the table of two attributes (plan --order 2)" },
    { .name = "top", .argument = "K", WHOLE, AT(top), .low = 1, .high = 1000000000, .sample = "20", .heading = "Output",
      .help = "the K largest estimates only (default: all where there are at most 50 values, else 20); simulate: the texts that recall is of (20)" },
    { .name = "plot", .argument = "FILE.svg", STRING, AT(plot), .sample = "estimates.svg", .writes = true, .heading = "Output",
      .help = "draw the estimates with their intervals; of places a map" },
    { .name = "json", FLAG, AT(json), .heading = "Output", .help = "one JSON object instead of text" },
    { .name = NULL },
};
/* clang-format on */

const dusk_section dusk_collect_sections[] = {
    { "Description", "Local privacy: every device randomises its own value, and only the randomised report "
                     "leaves it. Nobody has to be trusted with "
                     "values, so nothing is charged to a ledger: the promise is that of the report, and the "
                     "survey says its epsilon, computed "
                     "from the very fractions that devices toss coins with.\n"
                     "A survey goes from plan (one JSON file, and C for devices) over encode, which does "
                     "what devices do, to aggregate and "
                     "estimate. Who builds devices calls dusk/local_client.h instead of encode." },
    { "Records",
      "A record is a CBOR byte string with the version, the number of the task, the epoch, 8 random bytes "
      "and the report; records stand "
      "one behind the other. What is truncated, too long, malformed, replayed, or of another version, task "
      "or epoch is "
      "counted and dropped, and never stops the server.\n"
      "The state holds the 8 random bytes of every record that was counted. After a crash give all input "
      "again: what was counted "
      "before is dropped as replayed, so that nothing is lost and nothing counts twice. One state is one "
      "epoch.\n"
      "A connection to --listen sends records and then closes its sending side; once the state with them is "
      "on disk it is answered with two CBOR "
      "numbers, how many were taken and how many dropped. Who gets no answer sends the same bytes again." },
    { "Shuffling",
      "shuffle stands between devices and the server: it keeps the reports of one task and epoch, and "
      "writes them once, in uniformly random order, "
      "with new random bytes and nothing else that came with them. How many there are is public. The "
      "promise that it prints is what the server's view of all of them "
      "reveals of one, for the number of reports that there are; it holds if the shuffler forgets. Who "
      "does not trust it has the epsilon of a report.\n"
      "With --threshold-epsilon how many people report is private, too, and the promise is to who may report "
      "or not: of the reports "
      "some are thrown away by lot, about ln(1 / delta) / E and twice that at the most, and only if "
      "--threshold are left they are written. It is decided once: a batch that "
      "was too small is gone, and must not be given again." },
    { "Texts on no list",
      "With pem and treehist a device reports, once, a beginning of its text, how long a one is drawn "
      "by chance; estimate without --values then finds the frequent texts, beginning by beginning, and "
      "prints those that stand out. With sfp a device reports its whole text and a fragment of it, each with "
      "half of epsilon, and estimate puts fragments together. Rare texts, and those with other letters than "
      "--alphabet, are not "
      "found. Texts count as their first --length bytes. simulate --data prints what part of the --top most "
      "frequent texts was found (recall), and what part of those found somebody has (precision)." },
    { "Several attributes",
      "With --attributes a value is a line with a category of each, such as 3,0,17, or names of a --values "
      "file with lines such as age:young. spl answers for every attribute with its part of epsilon, smp for "
      "one of them, or with --order 2 for one pair, with all of it, rsfd for one among fakes, so that nobody "
      "sees which. Epsilon is that of any two people, however many of their attributes differ; plan prints "
      "that of two who differ in one attribute beside it. estimate prints a table of each attribute, of one "
      "(--attribute), or of two (--marginal)." },
    { "Two surveys at once",
      "associate takes the records of two surveys that the same people answered, the i-th of both being "
      "of one person, and prints what share of people has each pair of values: the most likely shares, which "
      "are none below 0 and together 1. Surveys are by grr, sue, oue, cms, hcms or rappor; texts that are no "
      "candidates are one category, (other). Who pairs two reports of a person gets the epsilons of both." },
    { "Estimates",
      "Estimates are unbiased, so that they may be negative or add up to more than everybody; "
      "an interval holds the true count "
      "of those who reported with the confidence given, one value at a time.\n"
      "Ranges are sums of counts. Their deviation is that of the law of reports for tree, grr, sue, oue, "
      "ss, hadamard and dbitflip, and a bound for others, of which the output says so. Quantiles have "
      "intervals of their own, ends included. Who wants ranges plans with tree (plan --for ranges). With "
      "--range, --ranges or "
      "--quantiles values are shown only if --top says how many.\n"
      "Of squarewave and piecewise the distribution is shown beside the mean: the most likely shares, "
      "smoothed, which have no intervals.\n"
      "simulate prints the squared error of a count (of a mean: in units of half the range) "
      "divided by the number of people, beside what theory says; the share "
      "of 95 % intervals that hold the truth; CPU time of a report on the device and in the "
      "tally; and the epsilon of the fractions." },
    { "Liars",
      "With --liars a share of all who report lie, and push --targets values. simulate then prints "
      "by how much the estimated shares of the targets together are above the truth, beside the bound "
      "that estimate prints for one value (of surveys of numbers: the mean, in units of half the range), and "
      "the mean squared error of all shares; "
      "and the same after a defence. detect has a rate of false alarms of 0.001; recover and "
      "known are told how many liars there are." },
    { "Places", "With --grid values are places in the plane, and a device reports a cell of the grid near "
                "it: planar Laplace noise on cells, exactly. encode and "
                "--data take lines of x and y, in the units of --cell; a place outside of the grid is in the "
                "nearest cell of it. "
                "The promise is by distance: --epsilon is for two places at most --within apart, twice as "
                "much for twice the distance. It is no epsilon for all places together, "
                "so shuffle refuses it.\n"
                "estimate prints the densest cells, by shares that make the reports most likely (expectation "
                "maximisation, edges of the grid included); there are no intervals. "
                "simulate prints the squared distance of reports from the truth beside theory, and the share "
                "of people that estimates put into wrong cells." },
    { NULL, NULL },
};

const dusk_example dusk_collect_examples[] = {
    { "which randomiser for 1024 categories and a million people",
      "dusk collect plan --domain 1024 --users 1000000 --epsilon 1 --out task.json" },
    { "places, hidden among those within 500 m",
      "dusk collect plan --grid 50x40 --cell 100 --within 500 --users 100000 --epsilon 1" },
    { "what devices send", "dusk collect encode --task task.json answers.txt --out records.cbor" },
    { "count it", "dusk collect aggregate --task task.json --state state.tally records.cbor" },
    { "the ten most frequent", "dusk collect estimate --state state.tally --top 10" },
    { "words that nobody listed",
      "dusk collect simulate --mechanism pem --data words.tsv --users 1000000 --epsilon 2" },
    { "a table of age and sex", "dusk collect estimate --state state.tally --marginal age,sex" },
    { "how many are from 18 to 25, and the median",
      "dusk collect estimate --state state.tally --range 18:25 --quantiles 0.5" },
    { "is the error as promised",
      "dusk collect simulate --mechanism grr --domain 16 --users 100000 --epsilon 1 --runs 20" },
    { "how far liars push ten values", "dusk collect simulate --mechanism oue --domain 128 --users 10000 "
                                       "--epsilon 1 --liars 0.05 --targets 10 --runs 2" },
    { NULL, NULL },
};
