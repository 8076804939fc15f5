/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text as draws; see draw_lines.h. */
#include "cli/draw_lines.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/quick_number.h"

#define LOOKED_AT_LEAST 200 /* words, before they are called all different */
#define LATE_WORDS 65536    /* numbers of words that were not looked at     */

/* What was seen in a field, and where it goes. */
typedef struct draw_field {
    uint64_t numbers, words, fresh; /* fresh: words that had not been seen before */
    uint32_t number_at, word_at;    /* in a draw; NOWHERE                         */
} draw_field;
#define NOWHERE UINT32_MAX

struct draw_lines {
    draw_field *fields;
    size_t field_count, outputs;
    bool settled;
    /* Words: letters one after the other, each word ended by '\0'; where each begins, and
     * where the next one will; and which one a hash is, plus one (0: none), open addressing. */
    char *letters;
    size_t *begins;
    uint32_t *slots;
    size_t letters_room, letters_used, begins_room, word_count, slot_count;
};

dusk_status draw_lines_new(draw_lines **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    draw_lines *lines = NULL;
    *out = NULL;
    DUSK_NEW(lines, 1);
    lines->slot_count = 64;
    lines->begins_room = 8;
    DUSK_NEW(lines->fields, DRAW_FIELDS_MAX);
    DUSK_NEW(lines->begins, lines->begins_room);
    DUSK_NEW(lines->slots, lines->slot_count);
    *out = lines;
    lines = NULL;
done:
    draw_lines_free(lines);
    return status;
}

void draw_lines_free(draw_lines *lines)
{
    if (!lines) return;
    dusk_deallocate(lines->fields);
    dusk_deallocate(lines->letters);
    dusk_deallocate(lines->begins);
    dusk_deallocate(lines->slots);
    dusk_deallocate(lines);
}

/* ---- Words ------------------------------------------------------------------------- */

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001B3u;
    return (h ^ (h >> 32)) * 0x9E3779B97F4A7C15u;
}

static size_t length_of(const draw_lines *lines, size_t word)
{
    return lines->begins[word + 1] - lines->begins[word] - 1;
}

/* The slot of a word, or the free one where it belongs. */
static uint32_t *slot_of(const draw_lines *lines, const char *text, size_t length)
{
    size_t mask = lines->slot_count - 1, i = hash_of(text, length) & mask;
    for (; lines->slots[i]; i = (i + 1) & mask) {
        size_t word = lines->slots[i] - 1;
        if (length_of(lines, word) == length && !memcmp(lines->letters + lines->begins[word], text, length))
            break;
    }
    return &lines->slots[i];
}

static dusk_status grow_slots(draw_lines *lines, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t *slots = NULL;
    DUSK_NEW(slots, 4 * lines->slot_count);
    dusk_deallocate(lines->slots);
    lines->slots = slots;
    lines->slot_count *= 4;
    for (size_t i = 0; i < lines->word_count; i++)
        *slot_of(lines, lines->letters + lines->begins[i], length_of(lines, i)) = (uint32_t)i + 1;
done:
    return status;
}

static dusk_status grow_letters(draw_lines *lines, size_t length, dusk_error *err)
{
    size_t wanted = lines->letters_used + length + 1, room = lines->letters_room ? lines->letters_room : 4096;
    if (lines->letters_room >= wanted) return DUSK_OK;
    while (room < wanted) room *= 2;
    void *moved = dusk_larger(lines->letters, lines->letters_used, room, 1);
    if (!moved) return dusk_fail_memory(err);
    lines->letters = moved;
    lines->letters_room = room;
    return DUSK_OK;
}

static dusk_status fail_words(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_PARSE, "numbers need a blank or a comma on either side",
                     "the program prints too many different words, %zu or more", DRAW_WORDS_MAX);
}

/* The number of a word; *fresh when it is a new one. */
static dusk_status find_word(draw_lines *lines, size_t *index, bool *fresh, const char *text, size_t length,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t *slot = slot_of(lines, text, length);
    *fresh = !*slot;
    *index = *slot ? *slot - 1 : lines->word_count;
    if (*slot) return DUSK_OK;
    if (lines->word_count == DRAW_WORDS_MAX || lines->letters_used + length >= DRAW_LETTERS_MAX)
        return fail_words(err);
    DUSK_TRY(grow_letters(lines, length, err));
    DUSK_GROW(lines->begins, lines->begins_room, lines->word_count + 1);
    memcpy(lines->letters + lines->letters_used, text, length);
    lines->letters[lines->letters_used + length] = '\0';
    lines->letters_used += length + 1;
    *slot = (uint32_t)++lines->word_count;
    lines->begins[lines->word_count] = lines->letters_used;
    if (lines->word_count > lines->slot_count / 2) status = grow_slots(lines, err);
done:
    return status;
}

size_t draw_lines_words(const draw_lines *lines) { return lines->word_count; }

const char *draw_lines_word(const draw_lines *lines, size_t index)
{
    return index < lines->word_count ? lines->letters + lines->begins[index] : NULL;
}

/* ---- Fields ------------------------------------------------------------------------ */

enum { TEXT = 0, BLANK = 1, COMMA = 2 };
static const unsigned char kind_of[256] = {
    ['\0'] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK, [' '] = BLANK,
    ['['] = BLANK,  [']'] = BLANK,  ['('] = BLANK,  [')'] = BLANK,  ['{'] = BLANK,  ['}'] = BLANK,
    ['"'] = BLANK,  [':'] = BLANK,  ['='] = BLANK,  [','] = COMMA,  [';'] = COMMA,
};

/* Where in a line we are. */
typedef struct line_reader {
    const char *at, *end;
    bool after_comma; /* or at the beginning: a comma would end an empty field */
} line_reader;

/* The next field, of length 0 where there is nothing between two commas; false at the end. */
static bool next_field(line_reader *reader, const char **text, size_t *length)
{
    const char *p = reader->at, *end = reader->end;
    for (; p < end && kind_of[(unsigned char)*p] != TEXT; p++) {
        if (kind_of[(unsigned char)*p] == BLANK) continue;
        if (reader->after_comma) {
            *text = p;
            *length = 0;
            reader->at = p + 1;
            return true;
        }
        reader->after_comma = true;
    }
    *text = p;
    while (p < end && kind_of[(unsigned char)*p] == TEXT) p++;
    *length = (size_t)(p - *text);
    reader->at = p;
    reader->after_comma = false;
    return *length > 0;
}

static dusk_status look_field(draw_lines *lines, draw_field *field, const char *text, size_t length,
                              dusk_error *err)
{
    double x;
    size_t word;
    bool fresh;
    if (length == 0) return DUSK_OK;
    if (dusk_quick_number(text, length, &x)) {
        field->numbers++;
        return DUSK_OK;
    }
    dusk_status status = find_word(lines, &word, &fresh, text, length, err);
    field->words++;
    field->fresh += fresh;
    return status;
}

dusk_status draw_lines_look(draw_lines *lines, const char *line, size_t length, dusk_error *err)
{
    line_reader reader = { .at = line, .end = line + length, .after_comma = true };
    const char *text;
    size_t size, n = 0;
    dusk_status status = DUSK_OK;
    for (; next_field(&reader, &text, &size); n++) {
        if (n == DRAW_FIELDS_MAX)
            return dusk_fail(err, DUSK_ERR_PARSE, "print less of it: an audit looks at few numbers at a time",
                             "the program prints a line of more than %d fields", DRAW_FIELDS_MAX);
        DUSK_TRY(look_field(lines, &lines->fields[n], text, size, err));
    }
    if (n > lines->field_count) lines->field_count = n;
done:
    return status;
}

dusk_status draw_lines_settle(draw_lines *lines, size_t *outputs, dusk_error *err)
{
    if (lines->field_count == 0) lines->field_count = 1; /* empty lines only, so far */
    lines->outputs = 0;
    for (size_t i = 0; i < lines->field_count; i++) {
        draw_field *field = &lines->fields[i];
        if (field->words >= LOOKED_AT_LEAST && field->fresh > field->words / 10 * 9)
            return dusk_fail(
                err, DUSK_ERR_PARSE,
                "print numbers, with a blank or a comma on either side; bits with blanks between",
                "field %zu of what the program prints is a different word nearly every time", i + 1);
        field->number_at = field->numbers || !field->words ? (uint32_t)lines->outputs++ : NOWHERE;
        field->word_at = field->words ? (uint32_t)lines->outputs++ : NOWHERE;
    }
    lines->settled = true;
    *outputs = lines->outputs;
    return DUSK_OK;
}

/* A word where only numbers were seen: below all numbers. */
static double unexpected(size_t word) { return -ldexp(0x1p30 + (double)word, 900); }

/* The number of a word. One that was not looked at has it from its letters: were it counted in
 * order of appearance, draws on the input that is counted last would have larger numbers. */
static size_t number_of(const draw_lines *lines, const char *text, size_t length)
{
    uint32_t slot = *slot_of(lines, text, length);
    size_t late = hash_of(text, length) % LATE_WORDS;
    return slot ? slot - 1 : lines->word_count + DUSK_MUTATE(DRAW_LINES_LATE_WORDS_ONE, late, 0);
}

static void read_word(const draw_lines *lines, const draw_field *field, double *out, const char *text,
                      size_t length)
{
    size_t word = number_of(lines, text, length);
    if (field->word_at != NOWHERE)
        out[field->word_at] = (double)word;
    else
        out[field->number_at] = unexpected(word);
}

void draw_lines_read(const draw_lines *lines, double *out, const char *line, size_t length)
{
    line_reader reader = { .at = line, .end = line + length, .after_comma = true };
    const char *text, *rest;
    size_t size, more, last = lines->field_count - 1;
    for (size_t i = 0; i < lines->outputs; i++) out[i] = NAN;
    for (size_t i = 0; i <= last && next_field(&reader, &text, &size); i++) {
        const draw_field *field = &lines->fields[i];
        double x;
        bool beyond = false;
        if (i == last && reader.at < reader.end) {
            line_reader ahead = reader;
            beyond = DUSK_MUTATE(DRAW_LINES_REST_LOST, next_field(&ahead, &rest, &more), false);
        }
        if (beyond)
            read_word(lines, field, out, text, (size_t)(line + length - text));
        else if (field->number_at != NOWHERE && dusk_quick_number(text, size, &x))
            out[field->number_at] = x;
        else if (size > 0)
            read_word(lines, field, out, text, size);
    }
}

size_t draw_lines_outputs(const draw_lines *lines) { return lines->outputs; }

bool draw_lines_place(const draw_lines *lines, size_t output, size_t *field)
{
    for (*field = 0; *field < lines->field_count; ++*field) {
        if (lines->fields[*field].number_at == output) return false;
        if (lines->fields[*field].word_at == output) return true;
    }
    return false;
}
