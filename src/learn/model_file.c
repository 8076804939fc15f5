/* SPDX-License-Identifier: Apache-2.0 */
/* Models on disk: a file is whole or not there (base/new_file.h). The text is that of model_text.c. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/new_file.h"
#include "learn/training.h"

#define FILE_MAX ((size_t)1 << 30) /* bytes of a model file */
#define NUMBER 25                  /* bytes of a number, at most, and what stands between two */
#define REST ((uint64_t)1 << 18)   /* bytes of all but its numbers, about */

struct dusk_model_file {
    dusk_new_file *file;
    bool put;
};

dusk_status dusk_model_file_open(dusk_model_file **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_file *file = NULL;
    *out = NULL;
    DUSK_NEW(file, 1);
    DUSK_TRY(dusk_new_file_open(&file->file, path, "model", err));
    *out = file;
    file = NULL;
done:
    dusk_model_file_close(file);
    return status;
}

dusk_status dusk_model_file_reserve(dusk_model_file *file, const dusk_training *training, dusk_error *err)
{
    return dusk_new_file_reserve(file->file, REST + NUMBER * (uint64_t)training->job.numbers, err);
}

void dusk_model_file_close(dusk_model_file *file)
{
    if (file) dusk_new_file_close(file->file);
    dusk_deallocate(file);
}

dusk_status dusk_model_file_put(dusk_model_file *file, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    size_t length;

    if (file->put)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "open it again", "the model file was written already");
    DUSK_TRY(dusk_model_format(model, &text, &length, err));
    DUSK_TRY(dusk_new_file_write(file->file, text, length, err));
    DUSK_TRY(dusk_new_file_put(file->file, err));
    file->put = true;
done:
    dusk_ledger_free_text(text);
    return status;
}

dusk_status dusk_model_write(const dusk_model *model, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_file *file = NULL;
    DUSK_TRY(dusk_model_file_open(&file, path, err));
    DUSK_TRY(dusk_model_file_put(file, model, err));
done:
    dusk_model_file_close(file);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static dusk_status read_whole(dusk_buffer *out, const char *path, dusk_error *err)
{
    char block[1 << 16];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that dusk train has written",
                         "cannot read %.150s: %s", path, strerror(errno));
    while (out->length <= FILE_MAX && (n = fread(block, 1, sizeof block, file)) > 0)
        dusk_buffer_bytes(out, block, n);
    int why = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (why)
        return dusk_fail(err, DUSK_ERR_IO, "give a file that dusk train has written",
                         "cannot read %.150s: %s", path, strerror(why));
    if (out->length > FILE_MAX)
        return dusk_fail(err, DUSK_ERR_CORRUPT, "give a file that dusk train has written",
                         "%.150s is too long for a model file", path);
    return out->failed ? dusk_fail_memory(err) : DUSK_OK;
}

dusk_status dusk_model_read(dusk_model **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer text = { .data = NULL };

    *out = NULL;
    DUSK_TRY(read_whole(&text, path, err));
    DUSK_TRY(dusk_model_parse(out, text.data ? text.data : "", text.length, err));
done:
    dusk_buffer_clear(&text);
    return status;
}
