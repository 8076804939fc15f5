/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

/* cmocka, with the headers that it wants to come first. */

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
