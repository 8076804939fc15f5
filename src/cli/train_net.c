/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of networks as options of their own: --net, --rate, --steps, --lot and --epochs are shorter forms of --set. The
 * library checks their values, and that nothing is set twice. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/train.h"

enum { FILE_MOST = 65536 };

/* A name with a "." or "/" in it, which no layer has, and without what is between layers. */
bool train_net_is_file(const char *net) { return !strpbrk(net, " \t\n;") && strpbrk(net, "./"); }

static dusk_status read_text(char **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO,
                         "see that the file is there, or write the layers: --net 'dense 64; relu; output'",
                         "%.150s cannot be opened: %s", path, strerror(errno));
    DUSK_NEW(text, FILE_MOST + 1);
    size_t got = fread(text, 1, FILE_MOST + 1, file);
    if (ferror(file) || got > FILE_MOST || memchr(text, '\0', got)) {
        status = dusk_fail(err, DUSK_ERR_PARSE, "give a text file of layers, a line each",
                           "%.150s is no text, or more than 64 KiB of it", path);
        goto done;
    }
    text[got] = '\0';
    *out = text;
    text = NULL;
done:
    dusk_deallocate(text);
    fclose(file);
    return status;
}

/* Lines without comments and blanks at their ends, ";" between them. */
static void add_layers(dusk_buffer *to, const char *text)
{
    bool any = false;
    while (*text) {
        size_t length = strcspn(text, "\r\n"), begin = 0, end = strcspn(text, "#\r\n");
        while (begin < end && strchr(" \t;", text[begin])) begin++;
        while (end > begin && strchr(" \t;", text[end - 1])) end--;
        if (end > begin) {
            dusk_buffer_add(to, "%s%.*s", any ? "; " : "", (int)(end - begin), text + begin);
            any = true;
        }
        text += length + (text[length] != '\0');
    }
}

static dusk_status add_net(train_words *words, const char *net, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer word = { .data = NULL };
    char *text = NULL;
    if (train_net_is_file(net)) DUSK_TRY(read_text(&text, net, err));
    dusk_buffer_add(&word, "net=");
    add_layers(&word, text ? text : net);
    DUSK_TRY(dusk_buffer_take(&word, &words->net, err));
    words->word[words->count++] = words->net;
done:
    dusk_buffer_clear(&word);
    dusk_deallocate(text);
    return status;
}

dusk_status train_words_make(train_words *words, const train_settings *s, dusk_error *err)
{
    const char *const name[] = { "rate", "steps", "lot", "epochs" };
    const char *const value[] = { s->rate, s->steps, s->lot, s->epochs };
    *words = (train_words){ .count = 0 };
    if (s->steps && s->epochs)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "--steps and --epochs are two ways to say how long to train");
    for (size_t i = 0; i < s->set.count; i++) words->word[words->count++] = s->set.word[i];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        if (!value[i]) continue;
        snprintf(words->text[i], sizeof words->text[i], "%s=%.40s", name[i], value[i]);
        words->word[words->count++] = words->text[i];
    }
    return s->net ? add_net(words, s->net, err) : DUSK_OK;
}

dusk_status train_promise_check(const train_settings *s, bool noise, bool source, const char *example,
                                dusk_error *err)
{
    const int said = !isnan(s->epsilon) + !isnan(s->noise) + s->no_privacy;
    if (noise && said == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, example,
                         "say what the training may cost: --epsilon, or --noise");
    if (said > 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "--epsilon, --noise and --no-privacy exclude each other");
    if (!isnan(s->epsilon) && !(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, example,
                         "--epsilon must be above 0: what the whole training may cost");
    if (!isnan(s->noise) && !(s->noise > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --noise 1.1; --no-privacy is for none at all",
                         "--noise must be above 0: the deviation of the noise, times the clip");
    if (s->no_privacy && source)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "train on rows that may be seen",
                         "--no-privacy does not go with a source, whose ledger would not know");
    if (isnan(s->epsilon) && (s->candidates.count > 0 || !isnan(s->until)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --epsilon", "--try and --until need an epsilon");
    return DUSK_OK;
}

dusk_status train_memory_read(uint64_t *out, const char *text, dusk_error *err)
{
    static const char units[] = "KMG";
    *out = 0;
    if (!text) return DUSK_OK;
    const size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    char number[40];
    double x;
    snprintf(number, sizeof number, "%.*s", (int)(unit ? length - 1 : length), text);
    if (length >= sizeof number || !dusk_parse_number(number, &x) ||
        !((x *= unit ? pow(1000, (double)(unit - units) + 1) : 1) >= 1 && x <= 0x1p53))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --memory 500M",
                         "--memory is a number of bytes, or of K, M or G of them");
    *out = (uint64_t)x;
    return DUSK_OK;
}

void train_words_clear(train_words *words)
{
    dusk_deallocate(words->net);
    *words = (train_words){ .count = 0 };
}
