/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TESTS_COMMA_H
#define DUSK_TESTS_COMMA_H

/* A host program that has chosen a locale in which numbers have a comma. The locale is made when the tests are configured
 * (tests/CMakeLists.txt). */

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Choose it; false where there is none. point_again() after the test. */
static inline bool comma_chosen(void)
{
    setenv("LOCPATH", DUSK_LOCALE_FOLDER, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && !strcmp(localeconv()->decimal_point, ",");
}

static inline void point_again(void) { setlocale(LC_ALL, "C"); }

#endif
