/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of scores: comma-separated values with a header, one line a row; see
 * audit_scores.h. Strict: what cannot be read is an error that names the line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/audit_scores.h"
#include "cli/columns.h"

#define TARGET "target"

enum { PLACES = 4, FIELDS_MAX = 256 };

/* Columns that are looked for, by their usual names. */
static const char *const plain_names[] = { "score", "member", "run" };
static const char *const lira_names[] = { "example", "model", "member", "score" };

typedef struct row {
    char *words; /* the line, cut into fields */
    const char *example, *model;
    bool member;
    double score;
    size_t line;
} row;

typedef struct table {
    const audit_score_request *request;
    const char *name;     /* for messages */
    size_t line;          /* from 1 */
    size_t place[PLACES]; /* of the columns; SIZE_MAX: not there */
    size_t fields;        /* of the header */
    row *rows;
    size_t n, room;
} table;

static dusk_status fail_line(const table *t, dusk_error *err, const char *hint, const char *what)
{
    return dusk_fail(err, DUSK_ERR_PARSE, hint, "%.100s, line %zu: %s", t->name, t->line, what);
}

/* --- fields --------------------------------------------------------------------------- */

/* A field without blanks and quotes around it. */
static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1])) text[--n] = '\0';
    if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
        text[n - 1] = '\0';
        text++;
    }
    return text;
}

static size_t cut_fields(char *line, char *fields[FIELDS_MAX])
{
    size_t n = 0;
    for (char *at = line; at && n < FIELDS_MAX; n++) {
        char *comma = strchr(at, ',');
        if (comma) *comma = '\0';
        fields[n] = trim(at);
        at = comma ? comma + 1 : NULL;
    }
    return n;
}

static bool read_member(const char *text, bool *out)
{
    static const char *const yes[] = { "1", "true", "in", "yes" }, *const no[] = { "0", "false", "out",
                                                                                   "no" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(text, yes[i]) != 0 && strcmp(text, no[i]) != 0) continue;
        *out = !strcmp(text, yes[i]);
        return true;
    }
    return false;
}

static bool read_score(const char *text, double *out)
{
    char *end;
    if (!*text) return false;
    *out = strtod(text, &end);
    return !*end && !isnan(*out);
}

/* --- the header ----------------------------------------------------------------------------- */

/* The place of a column; SIZE_MAX where there is none. */
static dusk_status find_column(size_t *out, const table *t, char *const *fields, const char *name,
                               dusk_error *err)
{
    size_t count = 0;
    *out = SIZE_MAX;
    for (size_t i = 0; *name && i < t->fields; i++)
        if (!strcmp(fields[i], name)) {
            *out = i;
            count++;
        }
    if (count < 2) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_PARSE, "give each column a name of its own",
                     "%.100s, line %zu: %zu columns are called %.60s", t->name, t->line, count, name);
}

static dusk_status read_header(table *t, char *line, dusk_error *err)
{
    const audit_score_request *request = t->request;
    const char *const *names = request->lira ? lira_names : plain_names;
    size_t needed = request->lira ? 4 : 2, known = request->lira ? 4 : 3;
    char *fields[FIELDS_MAX];
    dusk_columns chosen;
    dusk_status status = DUSK_OK;
    if (request->columns) {
        DUSK_TRY(dusk_columns_parse(&chosen, request->columns, err));
        if (chosen.count < needed || chosen.count > known)
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             request->lira ? "for example --columns example,model,member,score"
                                           : "for example --columns loss,in",
                             "--columns must name %s",
                             request->lira ? "example, model, member and score"
                                           : "score and member, and may name run");
    }
    if (!strncmp(line, "\xEF\xBB\xBF", 3)) line += 3;
    t->fields = cut_fields(line, fields);
    if (t->fields == FIELDS_MAX) DUSK_TRY(fail_line(t, err, "leave some out", "there are too many columns"));
    for (size_t k = 0; k < known; k++) {
        const char *name = !request->columns ? names[k] : k < chosen.count ? chosen.name[k] : "";
        DUSK_TRY(find_column(&t->place[k], t, fields, name, err));
        if (t->place[k] == SIZE_MAX && k < needed)
            return dusk_fail(err, DUSK_ERR_PARSE, "--columns says what they are called",
                             "%.100s, line %zu: there is no column called %.60s", t->name, t->line, name);
    }
done:
    return status;
}

/* --- rows -------------------------------------------------------------------------------------- */

static dusk_status read_row(table *t, char *line, dusk_error *err)
{
    bool lira = t->request->lira;
    size_t at_score = t->place[lira ? 3 : 0], at_member = t->place[lira ? 2 : 1];
    char *fields[FIELDS_MAX];
    row r = { .line = t->line };
    dusk_status status = DUSK_OK;
    if (line[strspn(line, " \t\r\n")] == '\0') return DUSK_OK;
    DUSK_NEW(r.words, strlen(line) + 1);
    memcpy(r.words, line, strlen(line) + 1);
    size_t n = cut_fields(r.words, fields);
    if (n != t->fields) {
        status = dusk_fail(err, DUSK_ERR_PARSE, "give one value a column, with commas between them",
                           "%.100s, line %zu: %zu values under %zu columns", t->name, t->line, n, t->fields);
        goto done;
    }
    if (!read_member(fields[at_member], &r.member))
        DUSK_TRY(
            fail_line(t, err, "1 for a member of the training data, 0 for another", "member must be 0 or 1"));
    if (!read_score(fields[at_score], &r.score))
        DUSK_TRY(fail_line(t, err, "larger for what looks more like a member", "score must be a number"));
    r.example = lira ? fields[t->place[0]] : "";
    r.model = lira ? fields[t->place[1]] : t->place[2] != SIZE_MAX ? fields[t->place[2]] : "";
    DUSK_GROW(t->rows, t->room, t->n);
    t->rows[t->n++] = r;
    r.words = NULL;
done:
    dusk_deallocate(r.words);
    return status;
}

static dusk_status read_lines(table *t, FILE *file, dusk_error *err)
{
    char *line = NULL;
    size_t room = 0;
    dusk_status status = DUSK_OK;
    errno = 0;
    for (ssize_t got; (got = getline(&line, &room, file)) >= 0;) {
        t->line++;
        if (strlen(line) != (size_t)got) DUSK_TRY(fail_line(t, err, "give plain text", "there is a byte 0"));
        DUSK_TRY(t->line == 1 ? read_header(t, line, err) : read_row(t, line, err));
    }
    if (ferror(file))
        status = dusk_fail(err, DUSK_ERR_IO, "give a file that can be read", "cannot read %.150s: %s",
                           t->name, strerror(errno));
    else if (!t->n)
        status =
            dusk_fail(err, DUSK_ERR_PARSE, "a header, and one line a score", "%.100s has no scores", t->name);
done:
    free(line); /* getline's own */
    return status;
}

/* --- runs and models ------------------------------------------------------------------------------ */

static int by_model(const void *left, const void *right)
{
    const row *const *a = left, *const *b = right;
    int order = strcmp((*a)->model, (*b)->model);
    return order ? order : ((*a)->line > (*b)->line) - ((*a)->line < (*b)->line);
}

static dusk_status sorted(row ***out, const table *t, int (*order)(const void *, const void *),
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    row **list = NULL;
    DUSK_NEW(list, t->n);
    for (size_t i = 0; i < t->n; i++) list[i] = &t->rows[i];
    qsort(list, t->n, sizeof *list, order);
    *out = list;
done:
    return status;
}

/* Rows of the same run depend on each other. */
static dusk_status check_runs(table *t, dusk_error *err)
{
    row **list = NULL;
    dusk_status status = DUSK_OK;
    if (!t->request->runs || t->place[2] == SIZE_MAX) return DUSK_OK;
    DUSK_TRY(sorted(&list, t, by_model, err));
    for (size_t i = 1; i < t->n; i++)
        if (!strcmp(list[i]->model, list[i - 1]->model)) {
            t->line = list[i]->line;
            DUSK_TRY(fail_line(t, err, "leave --runs out: canaries of a run are not independent",
                               "with --runs every score must be of a run of its own"));
        }
done:
    dusk_deallocate(list);
    return status;
}

/* Each row's model and example as numbers, for LiRA. */
typedef struct grid {
    size_t *model, *example; /* of each row; model SIZE_MAX: the target */
    size_t models, examples;
} grid;

static int by_example(const void *left, const void *right)
{
    const row *const *a = left, *const *b = right;
    int order = strcmp((*a)->example, (*b)->example);
    return order ? order : by_model(left, right);
}

static dusk_status make_grid(grid *out, table *t, dusk_error *err)
{
    row **list = NULL;
    dusk_status status = DUSK_OK;
    DUSK_NEW(out->model, t->n);
    DUSK_NEW(out->example, t->n);
    DUSK_TRY(sorted(&list, t, by_model, err));
    for (size_t i = 0; i < t->n; i++) {
        bool target = !strcmp(list[i]->model, TARGET);
        bool fresh = i == 0 || strcmp(list[i]->model, list[i - 1]->model) != 0;
        if (fresh && !target) out->models++;
        out->model[list[i] - t->rows] = target ? SIZE_MAX : out->models - 1;
    }
    qsort(list, t->n, sizeof *list, by_example);
    for (size_t i = 0; i < t->n; i++) {
        bool fresh = i == 0 || strcmp(list[i]->example, list[i - 1]->example) != 0;
        if (!fresh && !strcmp(list[i]->model, list[i - 1]->model)) {
            t->line = list[i]->line;
            DUSK_TRY(fail_line(t, err, "one line for an example and a model", "this was scored before"));
        }
        out->examples += fresh;
        out->example[list[i] - t->rows] = out->examples - 1;
    }
done:
    dusk_deallocate(list);
    return status;
}

static dusk_status score_by_lira(audit_score_table *out, table *t, const grid *g, dusk_error *err)
{
    double *target = NULL, *confidence = NULL;
    bool *in = NULL;
    dusk_status status = DUSK_OK;
    if (!g->models)
        return dusk_fail(err, DUSK_ERR_PARSE, "score the examples on models with and without them, too",
                         "%.100s has only the model " TARGET, t->name);
    DUSK_NEW(target, g->examples);
    DUSK_NEW(confidence, g->examples * g->models);
    DUSK_NEW(in, g->examples * g->models);
    DUSK_NEW(out->score, g->examples);
    DUSK_NEW(out->member, g->examples);
    for (size_t i = 0; i < g->examples; i++) target[i] = NAN;
    for (size_t i = 0; i < g->examples * g->models; i++) confidence[i] = NAN;
    for (size_t i = 0; i < t->n; i++) {
        size_t e = g->example[i], at = e * g->models + g->model[i];
        if (g->model[i] == SIZE_MAX) {
            target[e] = t->rows[i].score;
            out->member[e] = t->rows[i].member;
        } else {
            confidence[at] = t->rows[i].score;
            in[at] = t->rows[i].member;
        }
    }
    for (size_t i = 0; i < t->n; i++)
        if (isnan(target[g->example[i]])) {
            t->line = t->rows[i].line;
            DUSK_TRY(fail_line(t, err, "the audited model is called " TARGET,
                               "the example has no score of the model " TARGET));
        }
    out->n = g->examples;
    status = dusk_lira(out->score, &out->unscored, target, confidence, in, g->examples, g->models,
                       &t->request->lira_options, err);
done:
    dusk_deallocate(target);
    dusk_deallocate(confidence);
    dusk_deallocate(in);
    return status;
}

static dusk_status take_plain(audit_score_table *out, const table *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(out->score, t->n);
    DUSK_NEW(out->member, t->n);
    out->n = t->n;
    for (size_t i = 0; i < t->n; i++) {
        out->score[i] = t->rows[i].score;
        out->member[i] = t->rows[i].member;
    }
done:
    return status;
}

/* --- all of it ------------------------------------------------------------------------------------ */

dusk_status audit_score_read(audit_score_table *out, const audit_score_request *request, dusk_error *err)
{
    bool standard = !strcmp(request->path, "-");
    table t = { .request = request, .name = standard ? "standard input" : request->path };
    grid g = { .models = 0 };
    dusk_status status = DUSK_OK;
    *out = (audit_score_table){ .n = 0 };
    FILE *file = standard ? stdin : fopen(request->path, "r");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that exists and can be read",
                         "cannot open %.150s: %s", request->path, strerror(errno));
    DUSK_TRY(read_lines(&t, file, err));
    if (request->lira) {
        DUSK_TRY(make_grid(&g, &t, err));
        DUSK_TRY(score_by_lira(out, &t, &g, err));
    } else {
        DUSK_TRY(check_runs(&t, err));
        DUSK_TRY(take_plain(out, &t, err));
    }
done:
    if (!standard) fclose(file);
    for (size_t i = 0; i < t.n; i++) dusk_deallocate(t.rows[i].words);
    dusk_deallocate(t.rows);
    dusk_deallocate(g.model);
    dusk_deallocate(g.example);
    if (status != DUSK_OK) audit_score_table_free(out);
    return status;
}

void audit_score_table_free(audit_score_table *scores)
{
    dusk_deallocate(scores->score);
    dusk_deallocate(scores->member);
    *scores = (audit_score_table){ .n = 0 };
}
