/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_OPTIONS_H
#define DUSK_CLI_OPTIONS_H

/* One table of options and one struct a command. A row says where its value
 * goes, what is put there when it is not given, and what the help says; the
 * parser, -h, --help, the man page and the completions all read the same rows.
 *
 * Words accepted: --name V, --name=V, -n V, -nV; `--` ends the options, and
 * begins the program of a command that runs one; a lone `-` is an operand. An option given
 * twice is refused, unless it is a list: one of the two would be lost silently. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/suggestion.h"
#include "dusk/base.h"

typedef enum dusk_option_type {
    DUSK_OPTION_FLAG = 1, /* bool                                              */
    DUSK_OPTION_STRING,   /* const char *, NULL when not given                 */
    DUSK_OPTION_NUMBER,   /* double, finite; NaN when not given                */
    DUSK_OPTION_WHOLE,    /* int64_t between low and high                      */
    DUSK_OPTION_CHOICE,   /* int: which of the words, or -1                    */
    DUSK_OPTION_LIST      /* dusk_option_list; may be given several times      */
} dusk_option_type;

#define DUSK_OPTION_LIST_MAX 64
typedef struct dusk_option_list {
    const char *word[DUSK_OPTION_LIST_MAX];
    size_t count;
} dusk_option_list;

typedef struct dusk_option {
    const char *name;     /* long name, without dashes                         */
    const char *argument; /* its name in the help; for choices "this|that"     */
    const char *choices;  /* the words of a choice when `argument` only names them */
    const char *fallback; /* the default as text, or NULL                      */
    const char *sample;   /* a value to show in a hint                         */
    const char *heading;  /* where the help lists it                           */
    const char *help;     /* a sentence or two, without a final full stop      */
    size_t offset;        /* into the command's struct                         */
    int64_t low, high;    /* range of a whole number                           */
    dusk_option_type type;
    char letter; /* short name, or 0                                           */
    bool secret; /* its value is private: never repeated in a message          */
    bool sets;   /* NAME=VALUE of what the first operand lets be set           */
    bool writes; /* its value is the name of a file that is written            */
} dusk_option;

/* One of these. */
typedef struct dusk_setting_words {
    const char *name;
    const char *choices; /* "this|that", or NULL: a number or a text            */
    char says[640];
} dusk_setting_words;

/* A word the first operand may be, with what the help says of it. */
typedef struct dusk_operand {
    const char *name;
    const char *heading;
    const char *summary; /* one line                                           */
    const char *needs;   /* options that must be given, space between them     */
    const char *either;  /* options of which one must be given, in words; what
                            has no options: the form in which it is written    */
    const char *takes;   /* options that may be given                          */
    const char *example; /* a whole command line                               */
    const char *also;    /* other names people use for it, or NULL             */
    const char *usage;   /* what follows its name, or NULL: [options] [FILE]   */
    const char *first;   /* of a long help: what -h shows of the options that it takes; NULL: all */
    /* more to say in its help, or NULL; `brief`: on one screen */
    void (*details)(FILE *file, const char *name, bool brief);
    /* what may be set of it, number i; false beyond the last. NULL: nothing */
    bool (*setting)(const char *name, size_t i, dusk_setting_words *out);
} dusk_operand;

typedef struct dusk_example {
    const char *says;
    const char *command;
} dusk_example;

/* Prose of --help and the man page; paragraphs are separated by '\n'. */
typedef struct dusk_section {
    const char *heading;
    const char *text;
} dusk_section;

#define DUSK_OPERANDS_MAX 64
#define DUSK_OPTIONS_MAX 128

typedef enum dusk_help_kind { DUSK_HELP_NONE, DUSK_HELP_SHORT, DUSK_HELP_LONG } dusk_help_kind;

typedef struct dusk_parsed {
    dusk_help_kind help;
    bool given[DUSK_OPTIONS_MAX]; /* row by row of the table */
    const char *operands[DUSK_OPERANDS_MAX];
    size_t operand_count;
    char **program; /* the words after `--` of a command that runs one; ends in NULL, or is NULL */
    int argc;       /* as typed, for hints */
    char **argv;
} dusk_parsed;

/* A command: everything that is said about it, and what runs it. Lists end in
 * a row without a name (or heading, or command line). */
typedef struct dusk_command {
    const char *name;     /* "dusk release"                                    */
    const char *summary;  /* one line                                          */
    const char *synopsis; /* what follows the name; '\n' between forms         */
    const char *operand;  /* what the words of `operands` are called           */
    const char *noun;     /* what one of them is: "a mechanism"                */
    const char *note;     /* a sentence about them, or NULL                    */
    const dusk_operand *operands;
    const dusk_option *options;
    const dusk_section *sections;
    const dusk_example *examples; /* the first one is in -h                    */
    bool runs_program;            /* the words after `--` are a program of the user's */
    size_t settings_size;
    dusk_status (*run)(const void *settings, const dusk_parsed *parsed, dusk_error *err);
} dusk_command;

/* Fill the command's struct with defaults and then from the words after the
 * command's name. Stops at -h or --help. */
dusk_status dusk_options_parse(const dusk_command *command, void *settings, dusk_parsed *parsed, int argc,
                               char **argv, dusk_error *err);
/* The words of a choice, '|' between them. */
const char *dusk_option_choices(const dusk_option *option);
/* The row called `name` (and its number in *row when not NULL), or NULL. */
const dusk_option *dusk_options_find(const dusk_command *command, const char *name, size_t *row);
/* The option whose values are NAME=VALUE of the first operand, or NULL. */
const dusk_option *dusk_option_that_sets(const dusk_command *command);
bool dusk_options_given(const dusk_command *command, const dusk_parsed *parsed, const char *name);
/* Whether the space-separated `list` contains `name`. */
bool dusk_options_listed(const char *list, const char *name);

/* The whole of `text` as a finite number; false otherwise. */
bool dusk_parse_number(const char *text, double *out);
bool dusk_parse_whole(const char *text, int64_t low, int64_t high, int64_t *out);
/* Numbers with `separator` between them, at most `capacity`: how many there
 * are, or 0 when the text is anything else. */
size_t dusk_parse_list(const char *text, char separator, double *out, size_t capacity);

#endif
