/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of two natures: which numbers are there and which repeat (the pattern: F, F, T,
 * nothing, ...), and what the others are. The score is the logarithm of how much likelier
 * the pattern is on the first side, and within it the cell of each number that does not
 * repeat. With one such number this is a table of patterns times cells, which is what the
 * sparse vector technique with answers needs. NaN for patterns that were seldom seen. */
#include <math.h>
#include <string.h>

#include "audit/cells.h"
#include "base/memory.h"

enum { MOST_PATTERNS = 256, LEAST_COUNT = 48, PLACES = 4096, FREE = 0xff };

typedef struct patterns {
    audit_cells cells;
    size_t count;
    uint8_t *word;  /* `length` symbols a pattern, FREE where the number does not repeat */
    double *whole;  /* the ratio of a pattern                                            */
    double *weight; /* [pattern][number][symbol], less `whole`                           */
    int16_t *place; /* PLACES: by hash, -1 where empty                                   */
} patterns;

/* The pattern of one output's symbols, in place of them; `symbols` keeps all. */
static uint64_t pattern_of(const audit_cells *cells, uint8_t *word, const uint8_t *symbols)
{
    uint64_t key = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < cells->length; i++) {
        word[i] = cells->atom[i * AUDIT_SYMBOLS + symbols[i]] ? symbols[i] : FREE;
        key = (key ^ word[i]) * 0xBF58476D1CE4E5B9u;
        key ^= key >> 29;
    }
    return key;
}

/* The index of a word, or -1; *free_place is where it could be put. */
static int find(const patterns *p, const uint8_t *word, uint64_t key, size_t *free_place)
{
    size_t i = key % PLACES;
    for (; p->place[i] >= 0; i = (i + 1) % PLACES)
        if (!memcmp(p->word + (size_t)p->place[i] * p->cells.length, word, p->cells.length))
            return p->place[i];
    *free_place = i;
    return -1;
}

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const patterns *p = score->self;
    size_t length = score->length, place;
    uint8_t *symbols = NULL;
    DUSK_NEW(symbols, 2 * length);
    for (size_t i = 0; i < n; i++) {
        audit_cells_of(&p->cells, symbols, outputs + i * length);
        int k = find(p, symbols + length, pattern_of(&p->cells, symbols + length, symbols), &place);
        if (k < 0 || isnan(p->whole[k])) {
            values[i] = NAN;
            continue;
        }
        double sum = p->whole[k];
        const double *weight = p->weight + (size_t)k * length * AUDIT_SYMBOLS;
        for (size_t j = 0; j < length; j++) sum += weight[j * AUDIT_SYMBOLS + symbols[j]];
        values[i] = sum;
    }
done:
    dusk_deallocate(symbols);
    return status;
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    const patterns *p = score->self;
    dusk_text_add(text, "learned score of %zu patterns of outputs and their cells %s %.6g", p->count,
                  above ? ">" : "<", threshold);
}

static void patterns_free(void *self)
{
    patterns *p = self;
    if (!p) return;
    audit_cells_clear(&p->cells);
    dusk_deallocate(p->word);
    dusk_deallocate(p->whole);
    dusk_deallocate(p->weight);
    dusk_deallocate(p->place);
    dusk_deallocate(p);
}

static const audit_score_kind kind = { "pattern", evaluate, describe, patterns_free };

/* Counts of the training draws: [side][pattern] and [side][pattern][number][symbol]. The
 * first MOST_PATTERNS patterns that turn up are kept. */
static dusk_status count(patterns *p, uint32_t *whole[2], uint32_t *cell[2], const audit_sample *train,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = train->length, place = 0;
    uint8_t *symbols = NULL;
    DUSK_NEW(symbols, 2 * length);
    for (size_t i = 0; i < 2 * train->n; i++) {
        size_t side = i % 2;
        uint8_t *word = symbols + length;
        audit_cells_of(&p->cells, symbols, train->out[side] + i / 2 * length);
        int k = find(p, word, pattern_of(&p->cells, word, symbols), &place);
        if (k < 0 && p->count == MOST_PATTERNS) continue;
        if (k < 0) {
            k = (int)p->count++;
            memcpy(p->word + (size_t)k * length, word, length);
            p->place[place] = (int16_t)k;
        }
        whole[side][k]++;
        for (size_t j = 0; j < length; j++)
            if (word[j] == FREE) cell[side][((size_t)k * length + j) * AUDIT_SYMBOLS + symbols[j]]++;
    }
done:
    dusk_deallocate(symbols);
    return status;
}

static void weigh(patterns *p, uint32_t *const whole[2], uint32_t *const cell[2])
{
    size_t length = p->cells.length;
    for (size_t k = 0; k < p->count; k++) {
        p->whole[k] =
            whole[0][k] + whole[1][k] < LEAST_COUNT ? NAN : audit_shrunk_ratio(whole[0][k], whole[1][k]);
        for (size_t s = k * length * AUDIT_SYMBOLS; s < (k + 1) * length * AUDIT_SYMBOLS; s++)
            if (cell[0][s] + cell[1][s] > 0)
                p->weight[s] = audit_shrunk_ratio(cell[0][s], cell[1][s]) - p->whole[k];
    }
}

static bool has_atoms(const audit_cells *cells)
{
    for (size_t j = 0; j < cells->length; j++)
        for (size_t s = 0; s <= cells->count[j]; s++)
            if (cells->atom[j * AUDIT_SYMBOLS + s]) return true;
    return false;
}

dusk_status audit_propose_patterns(audit_scores *scores, const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = MOST_PATTERNS * train->length * AUDIT_SYMBOLS;
    uint32_t *whole[2] = { NULL, NULL }, *cell[2] = { NULL, NULL };
    patterns *p = NULL;
    if (train->length > 64) return DUSK_OK;
    DUSK_NEW(p, 1);
    DUSK_TRY(audit_cells_make(&p->cells, train, false, err));
    if (!has_atoms(&p->cells)) goto done;
    DUSK_NEW(p->word, MOST_PATTERNS * train->length);
    DUSK_NEW(p->whole, MOST_PATTERNS);
    DUSK_NEW(p->weight, room);
    DUSK_NEW(p->place, PLACES);
    for (size_t i = 0; i < PLACES; i++) p->place[i] = -1;
    for (int side = 0; side < 2; side++) {
        DUSK_NEW(whole[side], MOST_PATTERNS);
        DUSK_NEW(cell[side], room);
    }
    DUSK_TRY(count(p, whole, cell, train, err));
    weigh(p, whole, cell);
    audit_score score = { &kind, p, train->length };
    p = NULL;
    status = audit_scores_take(scores, score, err);
done:
    for (int side = 0; side < 2; side++) {
        dusk_deallocate(whole[side]);
        dusk_deallocate(cell[side]);
    }
    patterns_free(p);
    return status;
}
