/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the library is built on: it prints, and says nothing of instructions and stacks. */
#include <stdio.h>

#include "board.h"

void board_put(char c) { putchar(c); }
void board_start(void) {}
uint32_t board_instructions(void) { return 0; }
void board_paint(void) {}
uint32_t board_stack(void) { return 0; }

int main(void) { return reports_main(); }
