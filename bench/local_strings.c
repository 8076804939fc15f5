/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a list, and words that nobody listed, from sketches: a million people with a word each as often as English has it (DUSK_DATA, word-frequency), all 50,000 words as candidates. What part of the 20 most frequent words is
 * among those found, and the CPU time of the decoder beside looking each candidate up by itself. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bench.h"
#include "dusk/local.h"
#include "dusk/local_estimates.h"
#include "dusk/local_strings.h"

enum { WORDS = 50000, PEOPLE = 1000000, TOP = 20 };

typedef struct setting {
    dusk_randomiser mechanism;
    double epsilon;
    bool seconds;
} setting;

typedef struct list {
    uint64_t word[WORDS];
    double upto[WORDS]; /* of this word and those before, by all */
    double count[WORDS], deviation[WORDS];
    bool found[WORDS];
    char text[WORDS][DUSK_STRING_MOST + 1];
} list;

/* False: there is no such file. */
static bool read_words(list *l)
{
    char path[1024], line[256];
    const char *folder = getenv("DUSK_DATA");
    size_t n = 0;
    double sum = 0;
    snprintf(path, sizeof path, "%s/word-frequency/en_50k.txt.gz", folder ? folder : "");
    gzFile in = folder ? gzopen(path, "rb") : NULL;
    if (!in) return false;
    for (; n < WORDS && gzgets(in, line, sizeof line); n++) {
        const size_t length = strcspn(line, " ");
        snprintf(l->text[n], sizeof l->text[n], "%.*s", (int)length, line);
        l->word[n] = dusk_client_hash((const uint8_t *)line, length);
        l->upto[n] = sum += strtod(line + length, NULL);
    }
    gzclose(in);
    return n == WORDS;
}

static size_t word_at(const list *l, double at)
{
    size_t low = 0, high = WORDS - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (l->upto[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void collect(dusk_tally *tally, const list *l, dusk_generator *gen)
{
    const dusk_client_task *task = &dusk_tally_survey(tally)->task;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    uint8_t *report = bench_allocate(1, dusk_report_size(task));
    double *at = bench_uniform(PEOPLE, 0, l->upto[WORDS - 1], gen);
    for (size_t i = 0; i < PEOPLE; i++) {
        dusk_client_report(task, report, l->word[word_at(l, at[i])], &entropy);
        dusk_tally_add(tally, report, 1);
    }
    free(at);
    free(report);
}

/* Recall of the most frequent ones by the decoder, or its seconds; the floor is the same of counts one at a time. */
static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static list l;
    const setting *how = self->setup;
    dusk_survey survey;
    dusk_survey_options options;
    dusk_tally *tally;
    dusk_error err;
    double seconds[2], recall[2] = { 0, 0 };
    if (!read_words(&l)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no word-frequency\n", self->name);
        *out = (bench_result){ .value = NAN, .floor_value = NAN };
        return;
    }
    dusk_survey_options_init(&options);
    options.mechanism = how->mechanism;
    options.epsilon = how->epsilon;
    bench_require(dusk_survey_init(&survey, &options, &err), &err);
    bench_require(dusk_tally_new(&tally, &survey, &err), &err);
    collect(tally, &l, gen);
    for (int way = 0; way < 2; way++) {
        const double from = bench_cpu_seconds();
        size_t many = 0;
        bench_require(way == 0 ? dusk_tally_decode(tally, l.count, l.deviation, l.word, WORDS, &err)
                               : dusk_tally_counts(tally, l.count, l.deviation, l.word, WORDS, &err),
                      &err);
        seconds[way] = bench_cpu_seconds() - from;
        bench_require(dusk_counts_found(l.found, l.count, l.deviation, WORDS, 0.05, &err), &err);
        for (size_t v = 0; v < WORDS; v++) {
            if (v < TOP && l.found[v]) recall[way] += 1.0 / TOP;
            many += l.found[v];
        }
        fprintf(stderr, "%s: %s found %zu words\n", self->name, way == 0 ? "all at once" : "one by one",
                many);
    }
    *out = how->seconds ? (bench_result){ .value = seconds[0], .floor_value = seconds[1] }
                        : (bench_result){ .value = recall[0], .floor_value = recall[1] };
    out->epsilon = survey.epsilon;
    dusk_tally_free(tally);
}

typedef struct search {
    dusk_randomiser mechanism;
    double epsilon;
    size_t top; /* 0: the seconds */
} search;

static void report_words(dusk_tally *tally, const list *l, dusk_generator *gen)
{
    const dusk_client_task *task = &dusk_tally_survey(tally)->task;
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    uint8_t report[64];
    double *at = bench_uniform(PEOPLE, 0, l->upto[WORDS - 1], gen);
    for (size_t i = 0; i < PEOPLE; i++) {
        const char *text = l->text[word_at(l, at[i])];
        dusk_client_text(task, report, (const uint8_t *)text, strlen(text), &entropy);
        dusk_tally_add(tally, report, 1);
    }
    free(at);
}

/* What part of the most frequent words are found, as far as their first bytes go. */
static double part_found(const list *l, const dusk_string_found *found, size_t n, size_t top, size_t length)
{
    double part = 0;
    for (size_t v = 0; v < top; v++)
        for (size_t i = 0; i < n; i++)
            if (strncmp(l->text[v], found[i].text, length) == 0) {
                part += 1.0 / (double)top;
                break;
            }
    return part;
}

/* Words that nobody listed. Recall of the most frequent ones; the floor is what is possible. */
static void run_search(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static list l;
    static dusk_string_found found[1000];
    const search *how = self->setup;
    dusk_survey survey;
    dusk_survey_options options;
    dusk_find_options ways;
    dusk_tally *tally;
    dusk_error err;
    size_t n, words = 0;
    if (!read_words(&l)) {
        fprintf(stderr, "%s: skipped, DUSK_DATA has no word-frequency\n", self->name);
        *out = (bench_result){ .value = NAN, .floor_value = NAN };
        return;
    }
    dusk_survey_options_init(&options);
    dusk_find_options_init(&ways);
    options.mechanism = how->mechanism;
    options.epsilon = how->epsilon;
    bench_require(dusk_survey_init(&survey, &options, &err), &err);
    bench_require(dusk_tally_new(&tally, &survey, &err), &err);
    report_words(tally, &l, gen);
    const double from = bench_cpu_seconds();
    bench_require(dusk_tally_find(tally, &ways, found, 1000, &n, &err), &err);
    const double seconds = bench_cpu_seconds() - from;
    for (size_t i = 0; i < n; i++) {
        size_t v = 0;
        while (v < WORDS && strncmp(l.text[v], found[i].text, survey.task.domain) != 0) v++;
        words += v < WORDS;
    }
    fprintf(stderr, "%s: found %zu texts, %zu of them words; %.2f of 20 and %.2f of 50; %.2f s\n", self->name,
            n, words, part_found(&l, found, n, 20, survey.task.domain),
            part_found(&l, found, n, 50, survey.task.domain), seconds);
    *out = how->top == 0 ? (bench_result){ .value = seconds, .floor_value = 0 }
                         : (bench_result){ .value = part_found(&l, found, n, how->top, survey.task.domain),
                                           .floor_value = 1 };
    out->epsilon = survey.epsilon;
    dusk_tally_free(tally);
}

#define FOUND(name_, mechanism_, epsilon_, top_)                                                             \
    {                                                                                                        \
        .name = "local/strings/" name_,                                                                      \
        .what = "the " #top_ " most frequent words that are found without a list", .unit = "part",           \
        .floor = "all of them", .aim = "", .run = run_search, .setup = &(const search)                       \
        {                                                                                                    \
            mechanism_, epsilon_, top_                                                                       \
        }                                                                                                    \
    }
#define SEARCHES(name_, mechanism_)                                                                          \
    FOUND(name_ "/recall/epsilon=1", mechanism_, 1, 20),                                                     \
        FOUND(name_ "/recall/epsilon=2", mechanism_, 2, 20),                                                 \
        FOUND(name_ "/recall/epsilon=4", mechanism_, 4, 20),                                                 \
        FOUND(name_ "/recall50/epsilon=1", mechanism_, 1, 50),                                               \
        FOUND(name_ "/recall50/epsilon=2", mechanism_, 2, 50),                                               \
        FOUND(name_ "/recall50/epsilon=4", mechanism_, 4, 50),                                               \
    {                                                                                                        \
        .name = "local/strings/" name_ "/seconds", .what = "finding words of a million reports",             \
        .unit = "s", .floor = "none", .aim = "", .run = run_search, .setup = &(const search)                 \
        {                                                                                                    \
            mechanism_, 2, 0                                                                                 \
        }                                                                                                    \
    }

#define RECALL(name_, ...)                                                                                   \
    {                                                                                                        \
        .name = "local/strings/" name_, .what = "the 20 most frequent of 50,000 words that are found",       \
        .unit = "part", .floor = "one candidate at a time", .aim = "", .run = run, .setup = &(const setting) \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

const bench_case bench_local_string_cases[] = {
    RECALL("rappor/recall/epsilon=2", DUSK_RAPPOR, 2, false),
    RECALL("rappor/recall/epsilon=4", DUSK_RAPPOR, 4, false),
    RECALL("hcms/recall/epsilon=2", DUSK_HCMS, 2, false),
    { .name = "local/strings/rappor/seconds",
      .what = "50,000 candidates of a million RAPPOR reports, all at once",
      .unit = "s",
      .floor = "one candidate at a time",
      .aim = "",
      .run = run,
      .setup = &(const setting){ DUSK_RAPPOR, 4, true } },
    SEARCHES("pem", DUSK_PEM),
    SEARCHES("treehist", DUSK_TREEHIST),
    SEARCHES("sfp", DUSK_SFP),
    { .name = NULL },
};
