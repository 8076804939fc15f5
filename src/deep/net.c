/* SPDX-License-Identifier: Apache-2.0 */
/* From a text to layers and shapes. Total on any text. */
#include "deep/net.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "deep/layer.h"
#include "dusk/learn.h"
#include "random/generator.h"

enum { LAYERS_MOST = 1000 };

/* --- words -------------------------------------------------------------------------------------------------------- */

/* How the layer is written, or, where there is none of that name, which is meant and which ones there are. */
static void put_hint(dusk_text *hint, const char *kind)
{
    dusk_layer layer;
    dusk_suggestion meant;
    const size_t n = strlen(kind);
    for (size_t i = 0; dusk_layer_at(&layer, i); i++)
        if (!strncmp(layer.form, kind, n) && strchr(" ;", layer.form[n])) {
            dusk_text_add(hint, "%s: %s", layer.form, layer.help);
            return;
        }
    dusk_suggestion_init(&meant, kind);
    for (size_t i = 0; deep_kinds[i]; i++) dusk_suggestion_offer(&meant, deep_kinds[i]->name);
    if (meant.best) dusk_text_add(hint, "did you mean %s? ", meant.best);
    dusk_text_add(hint, "layers are");
    for (size_t i = 0; dusk_layer_at(&layer, i); i++)
        dusk_text_add(hint, " %.*s", (int)strcspn(layer.form, " ;"), layer.form);
}

void deep_refuse(deep_words *words, const char *format, ...)
{
    char what[200], words_of_hint[256];
    dusk_text hint;
    va_list arguments;
    if (words->status != DUSK_OK) return;
    va_start(arguments, format);
    dusk_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    dusk_text_init(&hint, words_of_hint, sizeof words_of_hint);
    put_hint(&hint, words->kind);
    words->status = dusk_fail(words->err, DUSK_ERR_ARGUMENT, words_of_hint, "layer %zu (%s): %s",
                              words->layer, words->kind, what);
}

static size_t whole_of(deep_words *words, const char *what, double x, size_t low, size_t high)
{
    if (x >= (double)low && x <= (double)high && x == floor(x)) return (size_t)x;
    deep_refuse(words, "%s is a whole number from %zu to %zu", what, low, high);
    return low;
}

size_t deep_take(deep_words *words, const char *what, size_t low, size_t high)
{
    if (words->places_taken < words->places)
        return whole_of(words, what, words->place[words->places_taken++], low, high);
    deep_refuse(words, "%s is missing", what);
    return low;
}

double deep_take_number(deep_words *words, const char *what, double low, double high)
{
    if (words->places_taken == words->places) {
        deep_refuse(words, "%s is missing", what);
        return low;
    }
    const double x = words->place[words->places_taken++];
    if (x >= low && x <= high) return x;
    deep_refuse(words, "%s is a number from %g to %g", what, low, high);
    return low;
}

size_t deep_take_or(deep_words *words, const char *what, size_t low, size_t high, size_t fallback)
{
    return words->places_taken < words->places ? deep_take(words, what, low, high) : fallback;
}

/* The option, which has a number, or must not have one. */
static const double *find_option(deep_words *words, const char *name, bool valued)
{
    for (size_t i = 0; i < words->options; i++) {
        if (strcmp(words->option[i].name, name) != 0) continue;
        words->option[i].taken = true;
        if (words->option[i].valued != valued)
            deep_refuse(words, valued ? "%s needs a number" : "%s takes no number", name);
        return &words->option[i].value;
    }
    return NULL;
}

size_t deep_option(deep_words *words, const char *name, size_t low, size_t high, size_t fallback)
{
    const double *value = find_option(words, name, true);
    return value ? whole_of(words, name, *value, low, high) : fallback;
}

double deep_option_number(deep_words *words, const char *name, double low, double high, double fallback)
{
    const double *value = find_option(words, name, true);
    if (!value) return fallback;
    if (*value >= low && *value <= high) return *value;
    deep_refuse(words, "%s is a number from %g to %g", name, low, high);
    return fallback;
}

bool deep_flag(deep_words *words, const char *name) { return find_option(words, name, false) != NULL; }

static void check_all_taken(deep_words *words)
{
    if (words->places_taken < words->places)
        deep_refuse(words, "%g is a number too many", words->place[words->places_taken]);
    for (size_t i = 0; i < words->options; i++)
        if (!words->option[i].taken) deep_refuse(words, "it has no option %s", words->option[i].name);
}

/* One word of a layer, as long as `n`. */
static void add_word(deep_words *words, const char *text, size_t n)
{
    char word[32], *end;
    if (n >= sizeof word) {
        deep_refuse(words, "a word is too long");
        return;
    }
    memcpy(word, text, n);
    word[n] = 0;
    const double x = dusk_number_at(word, &end);
    const bool is_number = *end == 0 && isfinite(x);
    if (is_number && words->options > 0 && words->option[words->options - 1].valued) {
        deep_refuse(words, "%g is a number too many", x);
    } else if (is_number && words->options > 0) {
        words->option[words->options - 1].value = x;
        words->option[words->options - 1].valued = true;
    } else if (strchr(word, ',')) {
        deep_refuse(words, "a ; stands between layers, and a blank between words");
    } else if (is_number) {
        if (words->places == sizeof words->place / sizeof *words->place)
            deep_refuse(words, "it has too many numbers");
        else
            words->place[words->places++] = x;
    } else if (n >= sizeof words->option[0].name ||
               words->options == sizeof words->option / sizeof *words->option) {
        deep_refuse(words, "it has no option %s", word);
    } else {
        memcpy(words->option[words->options].name, word, n + 1);
        words->option[words->options].valued = false;
        words->options++;
    }
}

static const deep_kind *find_kind(const char *name)
{
    for (size_t i = 0; deep_kinds[i]; i++)
        if (!strcmp(deep_kinds[i]->name, name)) return deep_kinds[i];
    return NULL;
}

/* The words of the layer at *text, which moves behind it; false at the end. */
static bool next_layer(const char **text, deep_words *words)
{
    const char *p = *text;
    bool any = false;
    for (;;) {
        if (*p == '#') p += strcspn(p, "\n");
        if (*p == 0 || ((*p == ';' || *p == '\n') && any)) break;
        if (*p == ';' || isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        const size_t n = strcspn(p, " \t\r\n;#");
        if (any) {
            add_word(words, p, n);
        } else {
            snprintf(words->kind, sizeof words->kind, "%.*s", (int)(n < 15 ? n : 15), p);
            any = true;
        }
        p += n;
    }
    *text = p;
    return any;
}

/* --- shapes -------------------------------------------------------------------------------------------------------- */

static bool is_too_large(const deep_layer *layer)
{
    const double out = (double)layer->out.height * (double)layer->out.width * (double)layer->out.channels;
    return out < 1 || out > (double)DEEP_VALUES_MOST || layer->kept > DEEP_VALUES_MOST ||
           layer->parameters > DEEP_PARAMETERS_MOST ||
           (layer->kind->table && layer->kind->table(layer) > 2 * DEEP_VALUES_MOST);
}

static dusk_status take_input(deep_net *net, deep_words *words, size_t in)
{
    deep_shape shape = { 1, 1, 1 };
    shape.height = deep_take(words, "height", 1, 1 << 20);
    shape.width = deep_take_or(words, "width", 1, 1 << 20, 1);
    shape.channels = deep_take_or(words, "channels", 1, 1 << 20, 1);
    check_all_taken(words);
    if (words->status == DUSK_OK &&
        (double)shape.height * (double)shape.width * (double)shape.channels != (double)in)
        deep_refuse(words, "%zu x %zu x %zu numbers, and an example has %zu", shape.height, shape.width,
                    shape.channels, in);
    if (words->status == DUSK_OK && net->layers > 0) deep_refuse(words, "it comes first");
    net->in = net->out = shape;
    return words->status;
}

/* A dense layer of what is needed. */
static void take_output(deep_words *words, size_t outputs)
{
    if (words->places > 0) {
        deep_refuse(words, "it has no number: it is as large as needed");
        return;
    }
    memcpy(words->kind, "dense", sizeof "dense");
    words->place[words->places++] = (double)outputs;
    add_word(words, "zero", 4);
}

static dusk_status add_layer(deep_net *net, size_t *room, deep_words *words, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_layer layer = { .kind = find_kind(words->kind), .in = net->out, .out = net->out };
    if (!layer.kind) {
        deep_refuse(words, "there is no such layer");
        return words->status;
    }
    if (net->layers == LAYERS_MOST) deep_refuse(words, "there are too many layers (at most %d)", LAYERS_MOST);
    layer.first = net->parameters;
    if (net->parameters > 0 && !layer.kind->backward)
        deep_refuse(words, "it comes before all layers with parameters");
    layer.place = words->layer;
    words->net = net;
    if (words->status == DUSK_OK) layer.kind->shape(&layer, words);
    check_all_taken(words);
    if (words->status == DUSK_OK && is_too_large(&layer))
        deep_refuse(words, "it is too large, or has nothing left");
    if (words->status == DUSK_OK && net->parameters > DEEP_PARAMETERS_MOST - layer.parameters)
        deep_refuse(words, "there are too many parameters");
    if (words->status == DUSK_OK && net->all + deep_size(layer.out) + layer.kept > DEEP_ALL_MOST)
        deep_refuse(words, "the network is too large: an example would take more than %zu numbers",
                    DEEP_ALL_MOST);
    DUSK_TRY(words->status);
    DUSK_GROW(net->layer, *room, net->layers);
    net->layer[net->layers++] = layer;
    net->parameters += layer.parameters;
    net->all += deep_size(layer.out) + layer.kept;
    net->out = layer.out;
    if (layer.kind->share) net->layer[layer.partner].shared = true;
done:
    return status;
}

void deep_net_clear(deep_net *net)
{
    dusk_deallocate(net->layer);
    *net = (deep_net){ 0 };
}

dusk_status deep_net_parse(deep_net *out, const char *text, size_t in, size_t outputs, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net net = { .in = { 1, 1, in }, .out = { 1, 1, in } };
    size_t room = 0, number = 0;
    *out = (deep_net){ 0 };
    for (;;) {
        deep_words words = { .layer = ++number, .err = err };
        if (!next_layer(&text, &words)) break;
        if (!strcmp(words.kind, "output")) take_output(&words, outputs);
        if (!strcmp(words.kind, "input"))
            DUSK_TRY(take_input(&net, &words, in));
        else
            DUSK_TRY(add_layer(&net, &room, &words, err));
    }
    if (net.parameters == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "dense 10 is the least", "the network has no parameters"));
    DUSK_TRY(deep_pair_up(&net, err));
    if (deep_size(net.out) != outputs)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "end with a dense layer of so many outputs",
                           "the network gives %zu numbers, and %zu are needed", deep_size(net.out), outputs));
    *out = net;
    net = (deep_net){ 0 };
done:
    deep_net_clear(&net);
    return status;
}

/* --- first values ---------------------------------------------------------------------------------------------------- */

typedef struct coin_source {
    dusk_generator *gen;
    dusk_error *err;
    dusk_status status;
} coin_source;

static double toss(void *coins)
{
    coin_source *source = coins;
    uint64_t word = 0;
    if (source->status == DUSK_OK)
        source->status = dusk_generator_words(source->gen, &word, 1, 64, source->err);
    return (double)(word >> 11) * 0x1p-52 - 1;
}

dusk_status deep_net_start(const deep_net *net, deep_real *parameters, dusk_generator *gen, dusk_error *err)
{
    coin_source source = { gen, err, DUSK_OK };
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *layer = &net->layer[l];
        if (layer->kind->start) layer->kind->start(layer, parameters + layer->first, toss, &source);
    }
    return source.status;
}

dusk_status deep_uniform(deep_real *out, size_t n, double width, dusk_generator *gen, dusk_error *err)
{
    coin_source source = { gen, err, DUSK_OK };
    for (size_t j = 0; j < n; j++) out[j] = (deep_real)(width * toss(&source));
    return source.status;
}
