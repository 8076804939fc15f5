/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_NET_H
#define DUSK_DEEP_NET_H

/* Networks: a text, the layers that it names, and their shapes. A text is layers, ";" or a new line between them; "#" begins a
 * comment:
 *
 *     input 28 28 1; conv 16 8 stride 2 pad 3; tanh; maxpool 2 1; dense 32; tanh; output
 *
 * input is the shape of an example, output a dense layer of as many numbers as are needed. A layer is a word, numbers in their places, and options, a word each or a word and a number. Everything about a network but the values of
 * its parameters is public, and known before a row is read.
 *
 * Values of an example between two layers are numbers (real.h): height x width positions of `channels` numbers each, channels
 * last. A sequence has a width of 1; a plain vector is one position. */

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "deep/real.h"
#include "dusk/random.h"

#define DEEP_SIZES 8
#define DEEP_PARAMETERS_MOST ((size_t)1 << 28)
#define DEEP_VALUES_MOST ((size_t)1 << 24) /* of an example, between two layers */
#define DEEP_ALL_MOST ((size_t)1 << 27)    /* of an example, all that layers give and keep */

typedef struct deep_shape {
    size_t height, width, channels;
} deep_shape;
static inline size_t deep_positions(deep_shape s) { return s.height * s.width; }
static inline size_t deep_size(deep_shape s) { return s.height * s.width * s.channels; }

struct deep_kind;

typedef struct deep_layer {
    const struct deep_kind *kind;
    deep_shape in, out;
    size_t size[DEEP_SIZES]; /* of the text; what they are is the kind's affair */
    double number[2];        /* the same */
    size_t parameters;       /* how many, and where they are among those of the net */
    size_t first;
    size_t kept; /* numbers an example that forward leaves to backward, besides values */
    size_t
        partner; /* another layer that this one belongs with: the two ends of a residual block, one that is tied and the other */
    size_t place; /* its number in the text */
    bool shared;  /* other layers have its matrix too */
} deep_layer;

typedef struct deep_net {
    deep_layer *layer;
    size_t layers;
    deep_shape in, out;
    size_t parameters;
    size_t all; /* numbers of an example that layers give and keep */
} deep_net;

/* `in`: the shape of an example when the text does not say (`input` must have as many numbers); `outputs`: how many numbers the last layer must
 * give. DUSK_ERR_ARGUMENT names the layer. */
DUSK_MUST_USE dusk_status deep_net_parse(deep_net *out, const char *text, size_t in, size_t outputs,
                                         dusk_error *err);
/* residual.c: find the two ends of every residual block. */
DUSK_MUST_USE dusk_status deep_pair_up(deep_net *net, dusk_error *err);
/* Fine on a zeroed one. */
void deep_net_clear(deep_net *net);
/* First values of all parameters: random, and public. */
DUSK_MUST_USE dusk_status deep_net_start(const deep_net *net, deep_real *parameters, dusk_generator *gen,
                                         dusk_error *err);

/* The same of single numbers: uniform in [-width, width). */
DUSK_MUST_USE dusk_status deep_uniform(deep_real *out, size_t n, double width, dusk_generator *gen,
                                       dusk_error *err);

/* ---- for kinds ------------------------------------------------------------------------------------------------------- */

/* The words of one layer. Numbers in places and options are taken one by one; what is left over is refused. */
typedef struct deep_words {
    size_t layer;        /* its number in the text, from 1 */
    const deep_net *net; /* the layers before it */
    char kind[16];
    double place[8];
    size_t places, places_taken;
    struct {
        char name[16];
        double value;
        bool valued; /* it has a number */
        bool taken;
    } option[8];
    size_t options;
    dusk_status status; /* of the first that was wrong */
    dusk_error *err;
} deep_words;
/* The next number in its place: whole, from `low` to `high`; `what` is what it is called in an error. */
size_t deep_take(deep_words *words, const char *what, size_t low, size_t high);
/* The same of a number that need not be whole. */
double deep_take_number(deep_words *words, const char *what, double low, double high);
/* A whole one, which may be left out. */
size_t deep_take_or(deep_words *words, const char *what, size_t low, size_t high, size_t fallback);
size_t deep_option(deep_words *words, const char *name, size_t low, size_t high, size_t fallback);
double deep_option_number(deep_words *words, const char *name, double low, double high, double fallback);
bool deep_flag(deep_words *words, const char *name);
/* What is wrong with the layer, when its words are right by themselves. */
void deep_refuse(deep_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
