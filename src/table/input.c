/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bytes; see input.h. */
#include "table/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "table/schema.h"

enum { GZIP_BUFFER = 1 << 17 };

static dusk_status failed(const table_input *input, const char *what, const char *why, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_IO, "see that the file is there and can be read", "%s cannot be %s: %s",
                     input->path, what, why);
}

static dusk_status open_gzip(table_input *input, dusk_error *err)
{
    gzFile gzip = gzdopen(input->file, "rb");
    if (!gzip) return dusk_fail_memory(err);
    input->gzip = gzip;
    return gzbuffer(gzip, GZIP_BUFFER) == 0 ? DUSK_OK : dusk_fail_memory(err);
}

dusk_status table_input_open(table_input *out, const char *path, bool gzip, dusk_error *err)
{
    struct stat info;
    dusk_status status = DUSK_OK;
    table_input input = { .path = path };
    *out = (table_input){ .file = -1, .path = path };
    input.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (input.file < 0 || fstat(input.file, &info) != 0)
        status = failed(&input, "opened", strerror(errno), err);
    else if (!S_ISREG(info.st_mode))
        status = dusk_fail(err, DUSK_ERR_IO, "a source is read more than once: give a plain file",
                           "%s is not a file", path);
    else
        input.size = (uint64_t)info.st_size;
    if (status == DUSK_OK && gzip) status = open_gzip(&input, err);
    if (status == DUSK_OK)
        *out = input;
    else
        table_input_close(&input);
    return status;
}

/* zlib says that the file ends within its data only when nothing is left to be read. */
static dusk_status read_gzip(table_input *input, void *to, size_t room, size_t *got, dusk_error *err)
{
    int code;
    int n = gzread(input->gzip, to, (unsigned)(room < INT_MAX ? room : INT_MAX));
    if (n < 0) return failed(input, "read", "its gzip data is damaged", err);
    *got = (size_t)n;
    if (n > 0) return DUSK_OK;
    (void)gzerror(input->gzip, &code);
    return code == Z_OK || code == Z_STREAM_END ? DUSK_OK
                                                : failed(input, "read", "its gzip data does not end", err);
}

dusk_status table_input_read(table_input *input, void *to, size_t room, size_t *got, dusk_error *err)
{
    ssize_t n;
    if (input->gzip) return read_gzip(input, to, room, got, err);
    do {
        n = read(input->file, to, room);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return failed(input, "read", strerror(errno), err);
    *got = (size_t)n;
    return DUSK_OK;
}

dusk_status table_input_fill(table_input *input, void *to, size_t room, size_t *got, dusk_error *err)
{
    size_t n = 1;
    for (*got = 0; *got < room && n > 0; *got += n) {
        dusk_status status = table_input_read(input, (char *)to + *got, room - *got, &n, err);
        if (status != DUSK_OK) return status;
    }
    return DUSK_OK;
}

dusk_status table_input_rewind(table_input *input, dusk_error *err)
{
    if (input->gzip ? gzrewind(input->gzip) != 0 : lseek(input->file, 0, SEEK_SET) < 0)
        return failed(input, "read", "it cannot be read from its beginning", err);
    return DUSK_OK;
}

void table_input_close(table_input *input)
{
    if (input->gzip)
        (void)gzclose(input->gzip); /* closes the file as well */
    else if (input->file >= 0)
        (void)close(input->file);
    input->gzip = NULL;
    input->file = -1;
}

bool table_input_named_gzip(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && table_same_name(path + length - 3, 3, ".gz");
}
