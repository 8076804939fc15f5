/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DEVICE_BOARD_H
#define TESTS_DEVICE_BOARD_H

/* What the program of reports.c needs of the machine that it runs on. Freestanding C99. */

#include <stdint.h>

void board_put(char c);
/* Instructions since board_start, where the machine can say; always 0 where it cannot. */
void board_start(void);
uint32_t board_instructions(void);
/* Fill the stack below the caller, and how much of that was used since; 0 where it is not known. */
void board_paint(void);
uint32_t board_stack(void);
/* All of the test, in reports.c; not 0: something is wrong. */
int reports_main(void);

#endif
