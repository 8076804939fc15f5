/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows; see buffer.h. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"

/* Room for `more` bytes and the '\0'. */
static bool reserve(dusk_buffer *buffer, size_t more)
{
    if (buffer->failed) return false;
    if (more < buffer->room - buffer->length) return true;
    size_t room = buffer->room ? buffer->room : 128;
    while (room <= SIZE_MAX / 2 && room - buffer->length <= more) room *= 2;
    char *larger = room - buffer->length > more ? dusk_larger(buffer->data, buffer->length, room, 1) : NULL;
    if (!larger) {
        buffer->failed = true;
        return false;
    }
    buffer->data = larger;
    buffer->room = room;
    return true;
}

void dusk_buffer_bytes(dusk_buffer *buffer, const char *bytes, size_t length)
{
    if (!reserve(buffer, length)) return;
    if (length) memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void dusk_buffer_add(dusk_buffer *buffer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = dusk_format_list(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        buffer->failed = true;
    else if (reserve(buffer, (size_t)n)) {
        dusk_format_list(buffer->data + buffer->length, (size_t)n + 1, format, again);
        buffer->length += (size_t)n;
    }
    va_end(again);
}

void dusk_buffer_number(dusk_buffer *buffer, double x)
{
    char digits[400];
    dusk_text text;
    dusk_text_init(&text, digits, sizeof digits);
    dusk_text_number(&text, x);
    dusk_buffer_bytes(buffer, digits, text.length);
}

dusk_status dusk_buffer_take(dusk_buffer *buffer, char **out, dusk_error *err)
{
    dusk_buffer_bytes(buffer, "", 0);
    if (buffer->failed) {
        dusk_buffer_clear(buffer);
        return dusk_fail_memory(err);
    }
    *out = buffer->data;
    *buffer = (dusk_buffer){ 0 };
    return DUSK_OK;
}

void dusk_buffer_clear(dusk_buffer *buffer)
{
    dusk_deallocate(buffer->data);
    *buffer = (dusk_buffer){ 0 };
}
