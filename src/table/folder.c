/* SPDX-License-Identifier: Apache-2.0 */
/* Folders; see folder.h. What a sub-folder is called is public, as the categories are that it is for. What is in one is private: which files there are, and what is
 * in them, decides what rows are, and nothing else. */
#include "table/folder.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggestion.h"
#include "table/input.h"
#include "table/picture.h"

#define FILE_MOST ((uint64_t)1 << 26) /* bytes of a picture; larger files are none */

static bool is_kind(const char *path, mode_t kind)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

bool table_folder_is(const char *path) { return is_kind(path, S_IFDIR); }

/* --- pairs of IDX files ------------------------------------------------------------------------------ */

/* The first of the usual names that is there. */
static bool find_file(char out[TABLE_PATH_MOST], const char *start, const char *what)
{
    for (int i = 0; i < 4; i++) {
        int n = snprintf(out, TABLE_PATH_MOST, "%s-%s%cidx%c-ubyte%s", start, what, i < 2 ? '-' : '.',
                         what[0] == 'i' ? '3' : '1', i % 2 ? ".gz" : "");
        if (n > 0 && n < TABLE_PATH_MOST && is_kind(out, S_IFREG)) return true;
    }
    return false;
}

bool table_folder_pair(table_pair *out, const char *path)
{
    char start[TABLE_PATH_MOST];
    int n = snprintf(start, sizeof start, "%s%s", path, table_folder_is(path) ? "/train" : "");
    if (n < 0 || n >= TABLE_PATH_MOST) return false;
    return find_file(out->images, start, "images") && find_file(out->labels, start, "labels");
}

/* --- names in a folder ------------------------------------------------------------------------------- */

typedef struct names {
    char **name;
    size_t count, room;
} names;

static void names_clear(names *list)
{
    for (size_t i = 0; i < list->count; i++) {
        dusk_wipe(list->name[i], strlen(list->name[i]));
        dusk_deallocate(list->name[i]);
    }
    dusk_deallocate(list->name);
    *list = (names){ .count = 0 };
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static dusk_status names_add(names *list, const char *name, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t size = strlen(name) + 1;
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        char **more = NULL;
        DUSK_NEW(more, room);
        if (list->count) memcpy(more, list->name, list->count * sizeof *more);
        dusk_deallocate(list->name);
        list->name = more;
        list->room = room;
    }
    DUSK_NEW(list->name[list->count], size);
    memcpy(list->name[list->count++], name, size);
done:
    return status;
}

static dusk_status cannot_read(const char *path, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "see that the folder is there and can be read",
                     "%.150s cannot be read: %s", path, strerror(errno));
}

/* All but hidden ones, in their order. */
static dusk_status names_read(names *out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DIR *folder = opendir(path);
    if (!folder) return cannot_read(path, err);
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry && errno) {
            status = cannot_read(path, err);
            goto done;
        }
        if (!entry) break;
        if (entry->d_name[0] != '.') DUSK_TRY(names_add(out, entry->d_name, err));
    }
    if (out->count) qsort(out->name, out->count, sizeof *out->name, by_name);
done:
    closedir(folder);
    return status;
}

/* --- pictures ---------------------------------------------------------------------------------------- */

typedef struct gallery {
    table_filler *to;
    size_t numbers, label; /* of a picture; the field of the category, or DUSK_NO_LINK */
    unsigned char *picture, *bytes;
    size_t room;
} gallery;

static void gallery_clear(gallery *g)
{
    if (g->picture) dusk_wipe(g->picture, g->numbers);
    if (g->bytes) dusk_wipe(g->bytes, g->room);
    dusk_deallocate(g->picture);
    dusk_deallocate(g->bytes);
}

/* The bytes of a file, *size of them; 0: too many. */
static dusk_status load(gallery *g, const char *path, size_t *size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_input input = { .file = -1 };
    *size = 0;
    DUSK_TRY(table_input_open(&input, path, false, err));
    if (input.size > FILE_MOST) goto done;
    if (input.size > g->room || !g->bytes) {
        if (g->bytes) dusk_wipe(g->bytes, g->room);
        dusk_deallocate(g->bytes);
        g->bytes = NULL;
        g->room = (size_t)input.size + 4096;
        DUSK_NEW(g->bytes, g->room);
    }
    DUSK_TRY(table_input_fill(&input, g->bytes, (size_t)input.size, size, err));
done:
    table_input_close(&input);
    return status;
}

static dusk_status add_picture(gallery *g, const char *path, const char *category, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t size;
    DUSK_TRY(load(g, path, &size, err));
    DUSK_TRY(table_filler_row(g->to, err));
    const bool there = table_picture_decode(g->picture, g->numbers, g->bytes, size);
    for (size_t i = 0; i < g->numbers; i++)
        table_filler_number(g->to, i, there ? (double)g->picture[i] : (double)NAN);
    if (g->label != DUSK_NO_LINK) table_filler_text(g->to, g->label, category, strlen(category));
    table_filler_end(g->to);
done:
    return status;
}

/* The files of a folder, and of its sub-folders where `deep`. */
static dusk_status add_folder(gallery *g, const char *path, const char *category, bool deep, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    names list = { .count = 0 };
    char inside[TABLE_PATH_MOST];
    DUSK_TRY(names_read(&list, path, err));
    for (size_t i = 0; i < list.count; i++) {
        int n = snprintf(inside, sizeof inside, "%s/%s", path, list.name[i]);
        if (n < 0 || n >= TABLE_PATH_MOST) continue;
        if (deep && table_folder_is(inside))
            DUSK_TRY(add_folder(g, inside, list.name[i], false, err));
        else if ((!deep || g->label == DUSK_NO_LINK) && is_kind(inside, S_IFREG))
            DUSK_TRY(add_picture(g, inside, category, err));
    }
done:
    names_clear(&list);
    return status;
}

static dusk_status check_fields(const dusk_fields *fields, const char *path, size_t *label, dusk_error *err)
{
    const size_t last = fields->count - 1;
    *label = fields->field[last].kind == DUSK_FIELD_CATEGORY ? last : DUSK_NO_LINK;
    for (size_t i = 0; i < fields->count; i++)
        if (i != *label && fields->field[i].kind != DUSK_FIELD_NUMERIC)
            return dusk_fail(
                err, DUSK_ERR_ARGUMENT,
                "give a file of rows; or declare pixel[784] numeric 0:255, and then digit category 0,1,...",
                "%.150s is a folder, and of pictures in one only the last field may be a category, which "
                "%.60s is not",
                path, fields->field[i].name);
    if (fields->count > (*label != DUSK_NO_LINK)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare them first, as in pixel[784] numeric 0:255",
                     "no field is declared for the numbers of a picture");
}

static bool has_folder(const char *path, const char *name)
{
    char inside[TABLE_PATH_MOST];
    const int n = snprintf(inside, sizeof inside, "%s/%s", path, name);
    return n > 0 && n < TABLE_PATH_MOST && table_folder_is(inside);
}

static bool is_declared(const dusk_field *label, const char *name)
{
    for (size_t v = 0; v < label->values; v++)
        if (!strcmp(label->value[v], name)) return true;
    return false;
}

/* A category has no sub-folder; perhaps it is called otherwise. */
static dusk_status lacks_folder(const dusk_field *label, const char *category, const char *path,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    names list = { .count = 0 };
    char hint[240];
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, category);
    DUSK_TRY(names_read(&list, path, err));
    for (size_t i = 0; i < list.count; i++)
        if (!is_declared(label, list.name[i]) && has_folder(path, list.name[i]))
            dusk_suggestion_offer(&suggestion, list.name[i]);
    if (suggestion.best)
        snprintf(hint, sizeof hint, "rename %.60s, or declare it so", suggestion.best);
    else
        snprintf(hint, sizeof hint, "make one, with pictures in it or not; or do not declare it");
    status = dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%.150s has no sub-folder for the %.60s %.60s", path,
                       label->name, category);
done:
    names_clear(&list);
    return status;
}

/* Whether this is such a folder, where pictures have a category: all that are declared have a sub-folder. Which do is public, as all names of
 * the schema are; what is in them is not. */
static dusk_status check_layout(const dusk_field *label, const char *path, dusk_error *err)
{
    char inside[TABLE_PATH_MOST], hint[240];
    table_pair pair;
    size_t there = 0, missing = 0;
    for (size_t v = label->values; v-- > 0;)
        if (has_folder(path, label->value[v]))
            there++;
        else
            missing = v;
    if (there == label->values) return DUSK_OK;
    if (there > 0) return lacks_folder(label, label->value[missing], path, err);
    snprintf(inside, sizeof inside, "%.4000s/t10k", path);
    if (table_folder_pair(&pair, inside))
        snprintf(hint, sizeof hint, "there is a pair that begins with t10k: name it as %.120s", inside);
    else
        snprintf(hint, sizeof hint, "make a sub-folder for each %.60s that is declared, such as %.60s",
                 label->name, label->value[0]);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                     "%.150s has no pair of IDX files that begins with train, and no sub-folder for a %.60s",
                     path, label->name);
}

static dusk_status check_all(const dusk_fields *fields, const char *path, size_t *label, dusk_error *err)
{
    const dusk_status status = check_fields(fields, path, label, err);
    return status == DUSK_OK && *label != DUSK_NO_LINK ? check_layout(&fields->field[*label], path, err)
                                                       : status;
}

dusk_status table_folder_check(const dusk_fields *fields, const char *path, dusk_error *err)
{
    size_t label;
    return check_all(fields, path, &label, err);
}

dusk_status table_folder_read(table_filler *to, const dusk_fields *fields, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    gallery g = { .to = to };
    DUSK_TRY(check_all(fields, path, &g.label, err));
    g.numbers = fields->count - (g.label != DUSK_NO_LINK);
    DUSK_NEW(g.picture, g.numbers);
    DUSK_TRY(add_folder(&g, path, "", true, err));
done:
    gallery_clear(&g);
    return status;
}
