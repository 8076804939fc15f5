/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a sampler; see program_draws.h. A stream is one input and the program that
 * runs on it: what it prints waits in the pipe until a draw is asked for, so that the
 * programs of both inputs run while we read. */
#include "cli/program_draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/output.h"

#define STREAMS_MAX 8                     /* kept at a time; the one unused longest goes   */
#define LINE_MAX_BYTES ((size_t)1 << 20)  /* of one draw                                   */
#define READ_BYTES ((size_t)1 << 16)      /* what a pipe holds                             */
#define ASK_MAX ((uint64_t)1 << 20)       /* lines a start ...                             */
#define ASK_BYTES_MAX ((uint64_t)1 << 26) /* ... and their bytes, for who makes all first  */
#define NAP_NS                                                                                               \
    1000000              /* a program that prints a little at a time is
                                             better let alone than woken each time         */
#define PRINT_LINES 256  /* whose fingerprint is taken                    */
#define PRINT_CHANGES 20 /* pairs of them that must differ                */
#define AT_A_TIME_MAX 16 /* programs of one draw                          */

/* The first lines of a program, in brief. Two runs with the same lines, among which pairs of
 * neighbours differ so often, are no coincidence: with independent draws the chance is below
 * 5^-20 times the number of pairs, whatever the law. */
typedef struct fingerprint {
    uint64_t hash, before;
    unsigned lines, changes;
} fingerprint;

typedef struct stream {
    double *input;
    char *text; /* the input as the program gets it */
    dusk_child child;
    char *bytes; /* what was read: from `start` to `end` not yet taken, no line end before `scanned` */
    size_t room, start, scanned, end;
    bool ended, hasty;     /* hasty: we read faster than it prints  */
    uint64_t asked, taken; /* lines of the running program          */
    uint64_t starts, age;
    uint64_t lines, line_bytes; /* of all programs                       */
    fingerprint print, first_print;
    uint64_t first_line;
    bool varies; /* not all lines were the same           */
} stream;

struct program_draws {
    program_request request;
    char **words; /* the command, a place for the input, NULL */
    size_t input_place;
    draw_lines *lines;
    stream streams[STREAMS_MAX];
    uint64_t clock, drawn;
    size_t outputs, at_a_time;
    long patience_ms;
    bool anew; /* two runs were seen to differ */
    dusk_progress progress;
};

/* ---- Making --------------------------------------------------------------------------- */

static void stream_end(stream *s)
{
    dusk_child_kill(&s->child);
    dusk_deallocate(s->input);
    dusk_deallocate(s->text);
    dusk_deallocate(s->bytes);
    *s = (stream){ .child = { .output = -1 } };
}

void program_draws_rest(program_draws *draws)
{
    for (stream *s = draws->streams; s < draws->streams + STREAMS_MAX; s++) {
        dusk_child_kill(&s->child);
        s->taken = s->asked;
        s->start = s->scanned = s->end = 0;
    }
    dusk_progress_end(&draws->progress);
}

void program_draws_free(program_draws *draws)
{
    if (!draws) return;
    program_draws_rest(draws);
    for (size_t i = 0; i < STREAMS_MAX; i++) stream_end(&draws->streams[i]);
    draw_lines_free(draws->lines);
    dusk_deallocate(draws->words);
    dusk_deallocate(draws);
}

dusk_status program_draws_new(program_draws **out, const program_request *request, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    program_draws *draws = NULL;
    size_t n = 0;
    *out = NULL;
    while (request->command[n]) n++;
    DUSK_NEW(draws, 1);
    draws->request = *request;
    draws->input_place = n;
    draws->patience_ms = DUSK_CHILD_PATIENCE_MS;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    draws->at_a_time = processors < 1                     ? 1
                       : processors > (long)AT_A_TIME_MAX ? AT_A_TIME_MAX
                                                          : (size_t)processors;
    DUSK_NEW(draws->words, n + 2);
    memcpy(draws->words, request->command, n * sizeof *draws->words);
    DUSK_TRY(draw_lines_new(&draws->lines, err));
    dusk_progress_start(&draws->progress, 0, 0);
    *out = draws;
    draws = NULL;
done:
    program_draws_free(draws);
    return status;
}

/* The input as text: a word of the list, or numbers with commas between them. */
static dusk_status put_input(const program_draws *draws, stream *s, dusk_error *err)
{
    const program_request *request = &draws->request;
    dusk_status status = DUSK_OK;
    dusk_text text;
    char number[64];
    if (request->inputs) {
        const char *word = request->inputs[(size_t)s->input[0]];
        DUSK_NEW(s->text, strlen(word) + 1);
        memcpy(s->text, word, strlen(word));
        return DUSK_OK;
    }
    DUSK_NEW(s->text, 40 * request->input_length + 1);
    dusk_text_init(&text, s->text, 40 * request->input_length + 1);
    for (size_t i = 0; i < request->input_length; i++) {
        dusk_format_number(number, sizeof number, s->input[i]);
        dusk_text_add(&text, "%s%s", i ? "," : "", number);
    }
done:
    return status;
}

static bool is_on(const program_draws *draws, const stream *s, const double *input)
{
    return s->input && !memcmp(s->input, input, draws->request.input_length * sizeof *input);
}

static dusk_status find_stream(program_draws *draws, stream **out, const double *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    stream *oldest = draws->streams;
    size_t n = draws->request.input_length;
    draws->clock++;
    for (stream *s = draws->streams; s < draws->streams + STREAMS_MAX; s++) {
        if (is_on(draws, s, input)) {
            s->age = draws->clock;
            *out = s;
            return DUSK_OK;
        }
        if (s->age < oldest->age) oldest = s;
    }
    stream_end(oldest);
    oldest->age = draws->clock;
    oldest->room = 2 * READ_BYTES;
    DUSK_NEW(oldest->bytes, oldest->room);
    DUSK_NEW(oldest->input, n);
    memcpy(oldest->input, input, n * sizeof *input);
    DUSK_TRY(put_input(draws, oldest, err));
    *out = oldest;
    oldest = NULL;
done:
    if (oldest) stream_end(oldest);
    return status;
}

/* ---- Running ---------------------------------------------------------------------------- */

/* Say on which input. */
static dusk_status on_input(const stream *s, dusk_error *err, dusk_status status)
{
    if (!err || status != DUSK_ERR_PARSE) return status;
    size_t length = strlen(err->message);
    dusk_text text;
    dusk_text_init(&text, err->message + length, sizeof err->message - length);
    dusk_text_add(&text, ", on input '%.60s'", s->text);
    if (text.overflow) err->message[length] = '\0';
    return status;
}

static dusk_status start_program(program_draws *draws, const stream *s, dusk_child *child, uint64_t lines,
                                 dusk_error *err)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)lines);
    if (setenv("DUSK_DRAWS", number, 1) != 0) return dusk_fail_memory(err);
    draws->words[draws->input_place] = s->text;
    return dusk_child_start(child, draws->words, err);
}

/* How many lines to ask for: the first number twice, so that two runs can be compared, and
 * then twice as many every time. Once a program is known to draw anew, enough for now and for
 * the next time: a start costs more than lines that stay in the pipe. */
static uint64_t lines_to_ask(const program_draws *draws, const stream *s, uint64_t wanted)
{
    uint64_t lines = draws->request.first, most = ASK_MAX;
    if (!draws->anew && s->starts < 2) return lines;
    if (s->lines) {
        uint64_t fit = ASK_BYTES_MAX / (s->line_bytes / s->lines + 1);
        if (fit < most) most = fit > lines ? fit : lines;
    }
    for (uint64_t i = 1; i < s->starts && lines < most; i++) lines *= 2;
    if (lines < 2 * wanted) lines = 2 * wanted;
    return lines < most ? lines : most;
}

static dusk_status start_stream(program_draws *draws, stream *s, uint64_t wanted, dusk_error *err)
{
    uint64_t lines = lines_to_ask(draws, s, wanted);
    s->start = s->scanned = s->end = 0;
    s->ended = false;
    s->taken = 0;
    s->asked = lines;
    s->print = (fingerprint){ .hash = 0 };
    s->starts++;
    return start_program(draws, s, &s->child, lines, err);
}

/* All lines of a program were taken. */
static dusk_status finish_program(program_draws *draws, stream *s, dusk_error *err)
{
    if (s->start == s->end) return on_input(s, err, dusk_child_finish(&s->child, &draws->patience_ms, err));
    dusk_child_kill(&s->child);
    return DUSK_OK;
}

static dusk_status fail_lines(stream *s, dusk_error *err)
{
    uint64_t got = s->taken, asked = s->asked;
    long patience_ms = DUSK_CHILD_PATIENCE_MS;
    dusk_status status = dusk_child_finish(&s->child, &patience_ms, err);
    if (status != DUSK_OK) return on_input(s, err, status);
    status =
        dusk_fail(err, DUSK_ERR_PARSE,
                  got == 1 ? "print as many lines as DUSK_DRAWS in the environment says; or add --one-draw: "
                             "it is started for each draw"
                           : "print as many lines as DUSK_DRAWS in the environment says",
                  "the program printed %llu line%s where %llu %s asked for", (unsigned long long)got,
                  got == 1 ? "" : "s", (unsigned long long)asked, asked == 1 ? "was" : "were");
    return on_input(s, err, status);
}

static dusk_status fail_length(const stream *s, dusk_error *err)
{
    return on_input(s, err,
                    dusk_fail(err, DUSK_ERR_PARSE, "print one draw a line, each ended by a line end",
                              "the program prints a line of more than %zu bytes", LINE_MAX_BYTES));
}

/* More of what the program prints. */
static dusk_status fill(stream *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t got = 0;
    if (s->room - s->end < READ_BYTES && s->start > 0) {
        memmove(s->bytes, s->bytes + s->start, s->end - s->start);
        s->end -= s->start;
        s->scanned -= s->start;
        s->start = 0;
    }
    if (s->room - s->end < READ_BYTES) {
        char *larger = dusk_larger(s->bytes, s->end, 2 * s->room, 1);
        if (!larger) return dusk_fail_memory(err);
        s->bytes = larger;
        s->room *= 2;
    }
    if (s->hasty) (void)nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
    DUSK_TRY(dusk_child_read(&s->child, s->bytes + s->end, s->room - s->end, &got, err));
    s->hasty = got < READ_BYTES / 4 && s->asked > 1;
    s->end += got;
    s->ended = got == 0;
done:
    return status;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static uint64_t hash_line(const char *line, size_t length)
{
    uint64_t h = 0xCBF29CE484222325u ^ length;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)line[i]) * 0x100000001B3u;
    return (h ^ (h >> 29)) * 0x9E3779B97F4A7C15u;
}

static dusk_status compare_prints(program_draws *draws, stream *s, dusk_error *err)
{
    const fingerprint *print = &s->print;
    bool differ = DUSK_MUTATE(PROGRAM_SEED_UNNOTICED, print->hash != s->first_print.hash, true);
    if (s->starts == 1) {
        s->first_print = *print;
        return DUSK_OK;
    }
    draws->anew = draws->anew || differ;
    if (differ || print->changes < PRINT_CHANGES) return DUSK_OK;
    return on_input(s, err,
                    dusk_fail(err, DUSK_ERR_PARSE,
                              "remove the fixed seed, or one made from the time: each start must draw anew",
                              "the program prints the same %u lines whenever it is started", print->lines));
}

/* The first lines go into the fingerprint; whether all are the same is watched. */
static dusk_status note_line(program_draws *draws, stream *s, const char *line, size_t length,
                             dusk_error *err)
{
    fingerprint *print = &s->print;
    s->lines++;
    s->line_bytes += length + 1;
    if (print->lines >= PRINT_LINES && s->varies) return DUSK_OK;
    uint64_t hash = hash_line(line, length);
    if (s->lines == 1) s->first_line = hash;
    if (hash != s->first_line) s->varies = true;
    if (print->lines >= PRINT_LINES) return DUSK_OK;
    print->hash = (print->hash ^ hash) * 0x100000001B3u + 1;
    if (print->lines % 2 && hash != print->before) print->changes++;
    print->before = hash;
    print->lines++;
    return print->lines == PRINT_LINES || s->taken + 1 == s->asked ? compare_prints(draws, s, err) : DUSK_OK;
}

/* The next line of a running program, which has one more to print. */
static dusk_status running_line(program_draws *draws, stream *s, const char **line, size_t *length,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *end = NULL;
    while (!(end = memchr(s->bytes + s->scanned, '\n', s->end - s->scanned)) && !s->ended) {
        s->scanned = s->end;
        if (s->end - s->start > LINE_MAX_BYTES) return fail_length(s, err);
        DUSK_TRY(fill(s, err));
    }
    if (!end && s->start == s->end) return fail_lines(s, err);
    *line = s->bytes + s->start;
    *length = (size_t)((end ? end : s->bytes + s->end) - *line);
    s->start = s->scanned = end ? (size_t)(end - s->bytes) + 1 : s->end;
    DUSK_TRY(note_line(draws, s, *line, *length, err));
    s->taken++;
done:
    return status;
}

/* The next line on this input, of the running program or of a new one; `wanted` are needed. */
static dusk_status next_line(program_draws *draws, stream *s, uint64_t wanted, const char **line,
                             size_t *length, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->taken == s->asked) {
        if (s->starts) DUSK_TRY(finish_program(draws, s, err));
        DUSK_TRY(start_stream(draws, s, wanted, err));
    }
    status = running_line(draws, s, line, length, err);
done:
    return status;
}

/* ---- One draw a start ---------------------------------------------------------------------- */

typedef dusk_status use_line(program_draws *draws, void *context, const char *line, size_t length,
                             dusk_error *err);

/* n programs, some at a time, in the order of their start. */
static dusk_status each_alone(program_draws *draws, stream *s, size_t n, use_line *use, void *context,
                              dusk_error *err)
{
    dusk_child ahead[AT_A_TIME_MAX];
    dusk_status status = DUSK_OK;
    size_t started = 0, done_with = 0;
    for (size_t i = 0; i < AT_A_TIME_MAX; i++) ahead[i] = (dusk_child){ .output = -1 };
    for (; done_with < n; done_with++) {
        const char *line;
        size_t length;
        for (; started < n && started - done_with < draws->at_a_time; started++)
            DUSK_TRY(start_program(draws, s, &ahead[started % AT_A_TIME_MAX], 1, err));
        s->child = ahead[done_with % AT_A_TIME_MAX];
        ahead[done_with % AT_A_TIME_MAX] = (dusk_child){ .output = -1 };
        s->start = s->scanned = s->end = 0;
        s->taken = 0;
        s->asked = s->starts = 1;
        s->ended = false;
        s->print = (fingerprint){ .hash = 0 };
        DUSK_TRY(running_line(draws, s, &line, &length, err));
        DUSK_TRY(use(draws, context, line, length, err));
        DUSK_TRY(finish_program(draws, s, err));
        dusk_progress_count(&draws->progress, ++draws->drawn);
    }
done:
    dusk_child_kill(&s->child);
    for (size_t i = 0; i < AT_A_TIME_MAX; i++) dusk_child_kill(&ahead[i]);
    return status;
}

/* `n` lines on an input to `use`. */
static dusk_status each_line(program_draws *draws, const double *input, size_t n, use_line *use,
                             void *context, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    stream *s = NULL;
    DUSK_TRY(find_stream(draws, &s, input, err));
    if (draws->request.one_draw) return each_alone(draws, s, n, use, context, err);
    for (size_t i = 0; i < n; i++) {
        const char *line;
        size_t length;
        DUSK_TRY(next_line(draws, s, n - i, &line, &length, err));
        DUSK_TRY(use(draws, context, line, length, err));
        if (++draws->drawn % 1024 == 0) dusk_progress_count(&draws->progress, draws->drawn);
    }
done:
    return status;
}

/* ---- The sampler ----------------------------------------------------------------------------- */

static dusk_status look(program_draws *draws, void *context, const char *line, size_t length, dusk_error *err)
{
    (void)context;
    return draw_lines_look(draws->lines, line, length, err);
}

dusk_status program_draws_look(program_draws *draws, const double *input, dusk_error *err)
{
    uint64_t few = draws->at_a_time < 4 ? 4 : draws->at_a_time;
    return each_line(draws, input, draws->request.one_draw ? few : draws->request.first, look, NULL, err);
}

static dusk_status take(program_draws *draws, void *context, const char *line, size_t length, dusk_error *err)
{
    double **out = context;
    (void)err;
    draw_lines_read(draws->lines, *out, line, length);
    *out += draws->outputs;
    return DUSK_OK;
}

static dusk_status draw(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    return each_line(context, input, n, take, &out, err);
}

dusk_status program_draws_settle(program_draws *draws, dusk_sampler *out, dusk_error *err)
{
    dusk_status status = draw_lines_settle(draws->lines, &draws->outputs, err);
    if (status != DUSK_OK) return status;
    *out = (dusk_sampler){ .context = draws,
                           .input_length = draws->request.input_length,
                           .output_length = draws->outputs,
                           .draw = draw };
    return DUSK_OK;
}

const draw_lines *program_draws_lines(const program_draws *draws) { return draws->lines; }

const char *program_draws_recent(const program_draws *draws, size_t back)
{
    const stream *last = NULL;
    for (uint64_t before = UINT64_MAX; back != SIZE_MAX; back--, before = last->age) {
        last = NULL;
        for (const stream *s = draws->streams; s < draws->streams + STREAMS_MAX; s++)
            if (s->input && s->age < before && (!last || s->age > last->age)) last = s;
        if (!last) return NULL;
    }
    return last->text;
}

bool program_draws_constant(const program_draws *draws, const double *input)
{
    for (const stream *s = draws->streams; s < draws->streams + STREAMS_MAX; s++)
        if (is_on(draws, s, input)) return s->lines > 1 && !s->varies;
    return false;
}
