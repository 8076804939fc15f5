/* SPDX-License-Identifier: Apache-2.0 */
/* Status names and the filling of dusk_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"

const char *dusk_version(void) { return DUSK_VERSION; }

const char *dusk_status_name(dusk_status status)
{
    switch (status) {
    case DUSK_OK: return "ok";
    case DUSK_ERR_ARGUMENT: return "argument";
    case DUSK_ERR_BUDGET: return "budget";
    case DUSK_ERR_UNSUPPORTED: return "unsupported";
    case DUSK_ERR_PARSE: return "parse";
    case DUSK_ERR_ENTROPY: return "entropy";
    case DUSK_ERR_MEMORY: return "memory";
    case DUSK_ERR_IO: return "io";
    case DUSK_ERR_CORRUPT: return "corrupt";
    case DUSK_ERR_BUSY: return "busy";
    case DUSK_ERR_INTERNAL: return "internal";
    case DUSK_ERR_CHECK: return "check";
    }
    return "unknown";
}

dusk_status dusk_fail(dusk_error *err, dusk_status status, const char *hint, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        dusk_format_list(err->message, sizeof err->message, format, args);
        snprintf(err->hint, sizeof err->hint, "%s", hint);
        va_end(args);
    }
    return status;
}
