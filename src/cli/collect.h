/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLLECT_H
#define DUSK_CLI_COLLECT_H

/* dusk collect: reports that are private before they leave a device, from the plan of a survey to estimates. One file a word (collect_plan.c,
 * ...); the tables are in collect_table.c. */

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_collect_command;
extern const dusk_operand dusk_collect_words[];
extern const dusk_option dusk_collect_options_table[];
extern const dusk_section dusk_collect_sections[];
extern const dusk_example dusk_collect_examples[];

typedef struct collect_settings {
    double epsilon, low, high, confidence, zipf, checkpoint, permanent, delta, liars, rate, discoveries,
        threshold_epsilon, cell, within;
    const char *mechanism, *name, *task, *column, *values, *out, *listen, *plot, *data, *attack, *defence,
        *alphabet, *ranges, *quantiles, *attributes, *attribute, *marginal, *grid, *corner, *with,
        *with_values;
    dusk_option_list state, merge, range;
    int consistent, purpose, format; /* -1: not given */
    int64_t domain, users, epoch, threads, top, runs, width, rows, hashes, seed, threshold, buds, targets,
        length, step, bins, order;
    bool json, c, texts;
} collect_settings;

/* Attributes of a person, as --attributes names them. */
typedef struct collect_attributes {
    uint32_t count, size[DUSK_ATTRIBUTES_MOST];
    char name[DUSK_ATTRIBUTES_MOST][DUSK_ATTRIBUTE_NAME];
} collect_attributes;

typedef struct collect_job {
    const collect_settings *settings;
    const dusk_parsed *parsed;
    const dusk_operand *word;
    const char *const *inputs; /* what follows the word */
    size_t input_count;
    collect_attributes attributes;
} collect_job;

typedef dusk_status collect_function(const collect_job *job, dusk_error *err);
collect_function collect_plan, collect_encode, collect_shuffle, collect_aggregate, collect_estimate,
    collect_simulate, collect_associate;

bool collect_given(const collect_job *job, const char *option);
/* At most one input, NULL where there is none. */
dusk_status collect_one_input(const collect_job *job, const char **path, dusk_error *err);

/* --- surveys ------------------------------------------------------------------------------------------------------------ */

/* Numbers are 1 to this. */
#define COLLECT_RANDOMISERS 32

/* The options of a survey by a randomiser as given on the command line. */
void collect_survey_options(const collect_job *job, dusk_randomiser mechanism, dusk_survey_options *options);
/* A survey as plan wrote it; and --task FILE. */
dusk_status collect_read_survey(const char *path, dusk_survey *out, dusk_error *err);
dusk_status collect_read_task(const collect_job *job, dusk_survey *out, dusk_error *err);
/* What a report promises, where a person makes one. */
dusk_status collect_promise(const dusk_survey *survey, dusk_statement *out, dusk_error *err);
/* A number in the range of the survey, in steps of devices; beyond an end it is the end, and no number is the middle. */
uint64_t collect_steps(const dusk_survey *survey, double x);
/* How many deviations an interval reaches on either side. */
double collect_reach(double confidence);

/* --- values --------------------------------------------------------------------------------------------------------------- */

/* The values that a survey is about, by name: lines of a file, the first one is category 0. */
typedef struct collect_values {
    char **name;
    double *weight; /* the number that stood behind the name, 1 where there was none */
    size_t count, room, weights, places;
    size_t *place; /* of a name by its hash; 0: none, or 1 + its index */
    bool weighed;  /* lines had numbers */
} collect_values;

/* Every name once. With `weights` a line may end in a number, and a name that comes again adds to the first. */
dusk_status collect_values_read(collect_values *out, const char *path, bool weights, dusk_error *err);
void collect_values_free(collect_values *values);
/* A name with its weight; one that comes again adds to the first, and *known is set. */
dusk_status collect_values_add(collect_values *values, const char *name, double weight, bool *known,
                               dusk_error *err);
/* Its index, or SIZE_MAX. */
size_t collect_values_find(const collect_values *values, const char *name);
/* What a device takes for a text, where values are texts. */
uint64_t collect_hash(const char *text);
/* CPU seconds of the program so far. */
double collect_cpu(void);

/* --- texts on no list ---------------------------------------------------------------------------------------------------- */

/* Options that are for surveys which find texts only: refused where the survey is none. */
dusk_status collect_check_finds(const collect_job *job, dusk_randomiser mechanism, dusk_error *err);
/* The texts that stand out, in *out, to be freed; --alphabet, --rate and --top are followed. */
dusk_status collect_find(const collect_job *job, const dusk_tally *tally, dusk_string_found **out, size_t *n,
                         dusk_error *err);
/* Texts as surveys see them: their first bytes, those that are the same added up. */
dusk_status collect_cut(collect_values *values, uint32_t length, dusk_error *err);
/* Which of the most frequent texts were found, and which that were found somebody has. */
typedef struct collect_search {
    size_t top, runs;
    double recall, precision, texts, seconds; /* sums over runs */
} collect_search;
dusk_status collect_search_once(collect_search *search, const collect_job *job, const dusk_tally *tally,
                                const collect_values *values, const uint64_t *people, dusk_error *err);

/* --- several attributes ------------------------------------------------------------------------------------------------ */

dusk_status collect_attributes_read(collect_attributes *out, const char *text, dusk_error *err);
void collect_attributes_set(const collect_attributes *from, dusk_survey_options *options);
/* Names of categories are lines "age:young", those of an attribute in the order of its categories. */
dusk_status collect_attributes_check(collect_values *values, const dusk_survey *survey, const char *path,
                                     dusk_error *err);
/* The value of a line with a category of each attribute, commas between them; *known: all of them are categories. Those that are none are the last. */
uint64_t collect_attributes_value(const collect_values *values, const dusk_survey *survey, char *line,
                                  bool *known);

/* Values of so many people, by --data or by Zipf's law, and how many of them are in each cell of the survey; both all 0 before. */
dusk_status collect_people(uint64_t *person, uint64_t *people, uint64_t users, const dusk_survey *survey,
                           const collect_job *job, dusk_error *err);

/* Tables to be printed, one behind the other. */
typedef struct collect_one_table {
    uint32_t attribute[2], n;
    size_t at, cells;
} collect_one_table;
typedef struct collect_tables {
    collect_one_table table[DUSK_ATTRIBUTES_MOST];
    size_t count, cells;
} collect_tables;
/* --attribute and --marginal; of every attribute by itself where neither is given. */
dusk_status collect_tables_choose(collect_tables *out, const dusk_survey *survey, const char *attribute,
                                  const char *marginal, dusk_error *err);
dusk_status collect_tables_fill(const collect_tables *tables, const dusk_tally *tally, double *counts,
                                double *deviations, dusk_error *err);
/* "age:3", or "age:3,sex:1". */
void collect_tables_name(const collect_tables *tables, const dusk_survey *survey,
                         const collect_values *values, size_t i, char *text, size_t size);

/* --- inputs of aggregate ---------------------------------------------------------------------------------------------------- */

/* Taking records, with the state on disk. */
typedef struct collect_server {
    dusk_collector *collector;
    const char *state; /* its file */
    double interval;   /* seconds between writings, at least */
    bool json;         /* inputs are in Apple's form */
    uint32_t threads;
    uint64_t written;  /* records that were read when it was written last */
    double last, cost; /* when, and how long it took, in seconds */
} collect_server;

double collect_clock(void);
/* All records that were read so far, taken or not. */
uint64_t collect_server_seen(const collect_server *server);
/* A file of records to be read, or standard input for "-". */
dusk_status collect_open_input(const char *path, int *file, dusk_error *err);
/* All of it; to be freed. */
dusk_status collect_read_all(const char *path, uint8_t **bytes, size_t *n, dusk_error *err);
/* Write the state. */
dusk_status collect_server_write(collect_server *server, dusk_error *err);
/* Whether it is time for that. */
bool collect_server_due(const collect_server *server);
/* Take what comes through a socket until SIGINT or SIGTERM. */
dusk_status collect_listen(collect_server *server, const char *place, dusk_error *err);

/* --- drawings --------------------------------------------------------------------------------------------------------------- */

typedef struct collect_bar {
    const char *name;
    double low, middle, high;
} collect_bar;
dusk_status collect_plot(const char *path, const char *title, const char *subtitle, const collect_bar *bars,
                         size_t n, dusk_error *err);

#endif
