/* SPDX-License-Identifier: Apache-2.0 */
/* Near words; see suggestion.h. */
#include "base/suggestion.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MAX 32

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits (insert, delete, replace, swap neighbours) from a to b; words of more
 * than WORD_MAX letters are far from everything. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[WORD_MAX + 1][WORD_MAX + 1];
    if (n > WORD_MAX || m > WORD_MAX) return WORD_MAX;
    for (size_t i = 0; i <= n; i++) d[i][0] = i;
    for (size_t j = 0; j <= m; j++) d[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* "lr" of "learning_rate". */
static bool are_initials(const char *typed, const char *known)
{
    bool begins = true;
    for (; *known; known++) {
        if (begins && *known != *typed++) return false;
        begins = *known == '_' || *known == '-';
    }
    return !*typed;
}

void dusk_suggestion_init(dusk_suggestion *suggestion, const char *typed)
{
    size_t near = strlen(typed) / 3; /* a third of the letters may be wrong */
    *suggestion = (dusk_suggestion){ .typed = typed, .distance = (near ? near : 1) + 1 };
}

void dusk_suggestion_offer(dusk_suggestion *suggestion, const char *known)
{
    size_t distance = edit_distance(suggestion->typed, known), typed = strlen(suggestion->typed);
    if (typed >= 3 && !strncmp(suggestion->typed, known, typed)) distance = 1; /* cut short */
    if (typed >= 2 && are_initials(suggestion->typed, known)) distance = 1;
    if (distance >= suggestion->distance) return;
    suggestion->distance = distance;
    suggestion->best = known;
}
