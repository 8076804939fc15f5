/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as in the C locale; see format.h. The locale is changed for this thread and this call alone. */
#include "base/format.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mutant.h"

/* Of "C" no memory is taken, and none is to be given back; 0 where even that is not there. */
static locale_t plain(void)
{
    return DUSK_MUTATE(NUMBERS_OF_THE_LOCALE, newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0);
}

int dusk_format_list(char *out, size_t size, const char *format, va_list arguments)
{
    const locale_t here = plain(), before = here ? uselocale(here) : (locale_t)0;
    const int length = vsnprintf(out, size, format, arguments);
    if (here) uselocale(before);
    return length;
}

int dusk_format(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = dusk_format_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}

double dusk_number_at(const char *text, char **end)
{
    const locale_t here = plain(), before = here ? uselocale(here) : (locale_t)0;
    const double x = strtod(text, end);
    if (here) uselocale(before);
    return x;
}
