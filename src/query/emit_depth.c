/* SPDX-License-Identifier: Apache-2.0 */
/* How deep SQL is nested, as SQLite's parser sees it: its stack has 100 places, and what does not fit is an
 * error when the query is run. The places that a text needs are reckoned here from above, so that such a
 * query is refused when its plan becomes SQL, before anything is charged. */
#include <ctype.h>
#include <string.h>

#include "query/emit.h"

enum { LEVELS = 128 };

typedef struct depth {
    unsigned base[LEVELS], more[LEVELS]; /* places of a bracket or CASE, and of what stands before in it */
    size_t level;
    unsigned sum, most;
} depth;

static void grow(depth *d, unsigned more)
{
    if (d->more[d->level] >= more) return;
    d->sum += more - d->more[d->level];
    d->more[d->level] = more;
    if (d->sum > d->most) d->most = d->sum;
}

static void open_level(depth *d, unsigned base)
{
    if (d->level + 1 == LEVELS) {
        d->most = LEVELS;
        return;
    }
    d->level++;
    d->base[d->level] = base;
    d->more[d->level] = 0;
    d->sum += base;
    if (d->sum > d->most) d->most = d->sum;
}

static void close_level(depth *d)
{
    if (d->level == 0) return;
    d->sum -= d->base[d->level] + d->more[d->level];
    d->level--;
}

static bool is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && strncmp(word, other, length) == 0;
}

static void take_word(depth *d, const char *word, size_t length)
{
    if (is_word(word, length, "CASE"))
        open_level(d, 4);
    else if (is_word(word, length, "END"))
        close_level(d);
    else if (is_word(word, length, "SELECT"))
        grow(d, 5);
    else if (is_word(word, length, "FROM") || is_word(word, length, "JOIN") || is_word(word, length, "WHERE"))
        grow(d, 7);
    else if (isupper((unsigned char)*word))
        grow(d, 2); /* THEN, ELSE, AND, OR, IN, ... */
}

unsigned emit_depth(const char *sql)
{
    depth d = { .level = 0 };
    bool named = false;
    while (*sql && d.most < LEVELS) {
        size_t length = 1;
        if (*sql == '\'') {
            length += strcspn(sql + 1, "'") + 1; /* a doubled quote begins another text */
            if (strlen(sql) < length) break;
        } else if (isalnum((unsigned char)*sql) || *sql == '_') {
            while (isalnum((unsigned char)sql[length]) || sql[length] == '_' || sql[length] == '.') length++;
            take_word(&d, sql, length);
        } else if (*sql == '(') {
            open_level(&d, named ? 3 : 1);
        } else if (*sql == ')') {
            close_level(&d);
        } else if (*sql != ' ') {
            grow(&d, 2);
        }
        named = isalnum((unsigned char)*sql) != 0;
        sql += length;
    }
    return d.most;
}
