/* SPDX-License-Identifier: Apache-2.0 */
/* Several labels; see labels.h. */
#include "learn/labels.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/suggestion.h"

void learn_labels_clear(learn_labels *labels)
{
    dusk_deallocate(labels->field);
    *labels = (learn_labels){ .count = 0 };
}

dusk_status learn_label_unknown(const dusk_fields *fields, const char *label, const char *hint,
                                dusk_error *err)
{
    char meant[120];
    dusk_suggestion suggestion;
    dusk_suggestion_init(&suggestion, label);
    for (size_t i = 0; i < fields->count; i++) dusk_suggestion_offer(&suggestion, fields->field[i].name);
    if (suggestion.best) snprintf(meant, sizeof meant, "did you mean %.100s?", suggestion.best);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, suggestion.best ? meant : hint,
                     "the label %.60s is not among the fields", label);
}

/* The field whose name is the first `length` bytes of the text. */
static size_t find(const dusk_fields *fields, const char *text, size_t length)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strlen(fields->field[i].name) == length && !memcmp(fields->field[i].name, text, length)) return i;
    return DUSK_NO_LINK;
}

static dusk_status mark(bool *marked, const dusk_fields *fields, const char *text, size_t length,
                        dusk_error *err)
{
    const size_t at = find(fields, text, length);
    char name[61];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    if (at == DUSK_NO_LINK)
        return learn_label_unknown(fields, name, "name fields with \",\" between them: a,b,c", err);
    if (fields->field[at].kind != DUSK_FIELD_CATEGORY || fields->field[at].values != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare it as one: category no,yes",
                         "the label %.60s is no category of two values", fields->field[at].name);
    if (marked[at])
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name it once", "the label %.60s is named twice",
                         fields->field[at].name);
    marked[at] = true;
    return DUSK_OK;
}

dusk_status learn_labels_read(learn_labels *out, const dusk_fields *fields, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_labels labels = { .count = 0 };
    bool *marked = NULL;
    size_t length, count = 0;
    *out = labels;
    DUSK_NEW(marked, fields->count + 1);
    for (const char *at = text;; at += length + 1) {
        length = strcspn(at, ",");
        DUSK_TRY(mark(marked, fields, at, length, err));
        count++;
        if (!at[length]) break;
    }
    if (count > LEARN_LABELS_MOST) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "learn some of them at a time",
                           "%zu labels are too many: %d are the most", count, LEARN_LABELS_MOST);
        goto done;
    }
    DUSK_NEW(labels.field, count);
    for (size_t i = 0; i < fields->count; i++)
        if (marked[i]) labels.field[labels.count++] = i;
    *out = labels;
    labels = (learn_labels){ .count = 0 };
done:
    dusk_deallocate(marked);
    learn_labels_clear(&labels);
    return status;
}

dusk_status learn_labels_copy(learn_labels *out, const learn_labels *labels, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = (learn_labels){ .count = 0 };
    if (labels->count == 0) return DUSK_OK;
    DUSK_NEW(out->field, labels->count);
    memcpy(out->field, labels->field, labels->count * sizeof *out->field);
    out->count = labels->count;
done:
    return status;
}

bool learn_labels_have(const learn_labels *labels, size_t field)
{
    for (size_t k = 0; k < labels->count; k++)
        if (labels->field[k] == field) return true;
    return false;
}

void learn_labels_add(const learn_labels *labels, const dusk_fields *fields, dusk_buffer *out)
{
    for (size_t k = 0; k < labels->count; k++)
        dusk_buffer_add(out, "%s%s", k ? "," : "", fields->field[labels->field[k]].name);
}

dusk_status learn_labels_leave_out(const learn_labels *labels, learn_features *features, dusk_error *err)
{
    size_t kept = 0;
    if (labels->count == 0) return DUSK_OK;
    for (size_t j = 0; j < features->width; j++)
        if (DUSK_MUTATE(LABELS_ARE_LEARNED_FROM, !learn_labels_have(labels, features->feature[j].column),
                        true))
            features->feature[kept++] = features->feature[j];
    features->width = kept;
    if (kept > (size_t)features->constant) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare fields besides the labels",
                     "there are no columns to learn from");
}
