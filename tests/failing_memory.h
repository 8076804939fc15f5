/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

/* For loops in which the n-th allocation of a call fails, for n = 1, 2, ... until none
 * is left that could. */

#include <stdbool.h>

#include "base/memory.h"
#include "dusk/dusk.h"
#include "support.h"

/* Whether the call with the failing allocation n succeeded. If not, it has said in one
 * sentence that memory is out; with n >= most it would go on for ever. */
static inline bool went_through(dusk_status status, const dusk_error *err, long n, long most)
{
    dusk_memory_fail_at(0);
    if (status == DUSK_OK) return true;
    assert_int_equal(status, DUSK_ERR_MEMORY);
    assert_int_equal(err->status, DUSK_ERR_MEMORY);
    assert_string_equal(err->message, "out of memory");
    assert_true(n < most);
    return false;
}

#endif
