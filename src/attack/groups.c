/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of people as a matrix of bits; see groups.h. */
#include "attack/groups.h"

#include <string.h>

#include "attack/choices.h"
#include "base/memory.h"

#define BITS_MOST ((size_t)1 << 32)
enum { PER_BYTE = 8, TABLE = 256, ABREAST = 4 };

static size_t bytes_across(size_t width) { return (width + PER_BYTE - 1) / PER_BYTE; }

dusk_status dusk_groups_new(dusk_groups **out, size_t people, size_t questions, dusk_error *err)
{
    dusk_groups *groups = NULL;
    dusk_status status = DUSK_OK;
    *out = NULL;
    if (people < 1 || questions < 1 || people > BITS_MOST / questions)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave people or questions out",
                         "there must be people and questions, and their product at most 2^32");
    DUSK_NEW(groups, 1);
    groups->people = (attack_bits){ .height = questions, .width = people };
    groups->questions = (attack_bits){ .height = people, .width = questions };
    DUSK_NEW(groups->people.bytes, bytes_across(people) * questions);
    DUSK_NEW(groups->questions.bytes, bytes_across(questions) * people);
    *out = groups;
    groups = NULL;
done:
    dusk_groups_free(groups);
    return status;
}

void dusk_groups_free(dusk_groups *groups)
{
    if (!groups) return;
    dusk_deallocate(groups->people.bytes);
    dusk_deallocate(groups->questions.bytes);
    dusk_deallocate(groups);
}

static void put(attack_bits *bits, size_t row, size_t column)
{
    bits->bytes[column / PER_BYTE * bits->height + row] |= (uint8_t)(1u << column % PER_BYTE);
}

void dusk_groups_put(dusk_groups *groups, size_t question, size_t person)
{
    put(&groups->people, question, person);
    put(&groups->questions, person, question);
}

bool dusk_groups_has(const dusk_groups *groups, size_t question, size_t person)
{
    const attack_bits *bits = &groups->people;
    return bits->bytes[person / PER_BYTE * bits->height + question] >> person % PER_BYTE & 1;
}

size_t dusk_groups_people(const dusk_groups *groups) { return groups->people.width; }
size_t dusk_groups_questions(const dusk_groups *groups) { return groups->people.height; }

dusk_status dusk_groups_random(dusk_groups **out, size_t people, size_t questions, uint64_t seed,
                               dusk_error *err)
{
    attack_choices choices = { seed };
    dusk_status status = dusk_groups_new(out, people, questions, err);
    if (status != DUSK_OK) return status;
    for (size_t q = 0; q < questions; q++) {
        uint64_t word = 0;
        for (size_t p = 0; p < people; p++, word >>= 1) {
            if (p % 64 == 0) word = attack_word(&choices);
            if (word & 1) dusk_groups_put(*out, q, p);
        }
    }
    return DUSK_OK;
}

/* table[b] = the sum of x[i] over the bits i of b, of `n` <= 8 numbers. */
static void fill_table(double *table, const double *x, size_t n)
{
    table[0] = 0;
    for (size_t i = 0; i < PER_BYTE; i++) {
        size_t half = (size_t)1 << i;
        double add = i < n ? x[i] : 0;
        for (size_t b = 0; b < half; b++) table[half + b] = table[b] + add;
    }
}

/* out = M x. Four columns of bytes at a time: their tables fit the nearest cache. */
static void multiply(const attack_bits *m, double *out, const double *x)
{
    double table[ABREAST][TABLE];
    size_t across = bytes_across(m->width), height = m->height;
    memset(out, 0, height * sizeof *out);
    for (size_t c = 0; c < across; c += ABREAST) {
        size_t n = across - c < ABREAST ? across - c : ABREAST;
        const uint8_t *at = m->bytes + c * height;
        for (size_t k = 0; k < n; k++) {
            size_t first = (c + k) * PER_BYTE, left = m->width - first;
            fill_table(table[k], x + first, left < PER_BYTE ? left : PER_BYTE);
        }
        if (n == ABREAST) {
            const uint8_t *b0 = at, *b1 = b0 + height, *b2 = b1 + height, *b3 = b2 + height;
            for (size_t r = 0; r < height; r++)
                out[r] += (table[0][b0[r]] + table[1][b1[r]]) + (table[2][b2[r]] + table[3][b3[r]]);
            continue;
        }
        for (size_t k = 0; k < n; k++)
            for (size_t r = 0; r < height; r++) out[r] += table[k][at[k * height + r]];
    }
}

void attack_counts(const dusk_groups *groups, double *out, const double *x)
{
    multiply(&groups->people, out, x);
}

void attack_shares(const dusk_groups *groups, double *out, const double *y)
{
    multiply(&groups->questions, out, y);
}

void dusk_groups_answer(const dusk_groups *groups, double *answers, const double *values)
{
    attack_counts(groups, answers, values);
}
