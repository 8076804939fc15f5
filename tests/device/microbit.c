/* SPDX-License-Identifier: Apache-2.0 */
/* A BBC micro:bit as QEMU has it: an nRF51 with an ARMv6-M core at 16 MHz, 256 KiB of flash and 16 KiB of memory. Output and the exit are semihosting calls. With
 * `-icount shift=6` an instruction takes 64 ns of its time, and the timer of the core ticks every 62.5 ns. */
#include "board.h"

#define TIMER ((volatile uint32_t *)0xe000e010) /* control, reload, current: SysTick */
#define PAINT 0xa5a5a5a5u

extern uint32_t image_data[], data_start[], data_end[], bss_end[], stack_top[];

static uint32_t semihost(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_put(char c) { (void)semihost(3, &c); }

/* 24 bits, counted down. */
void board_start(void)
{
    TIMER[0] = 0;
    TIMER[1] = 0xffffff;
    TIMER[2] = 0;
    TIMER[0] = 5;
}

uint32_t board_instructions(void)
{
    const uint32_t ticks = 0xffffff - TIMER[2];
    return ticks - (ticks >> 6) - (ticks >> 7); /* 62.5 / 64 */
}

static uint32_t *stack_pointer(void)
{
    uint32_t *sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

void board_paint(void)
{
    uint32_t *end = stack_pointer() - 8, *at;
    for (at = bss_end; at < end; at++) *at = PAINT;
}

uint32_t board_stack(void)
{
    const uint32_t *sp = stack_pointer(), *at = bss_end;
    while (at < sp && *at == PAINT) at++;
    return (uint32_t)((const char *)sp - (const char *)at);
}

/* Compilers call these. */
void *memcpy(void *to, const void *from, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++) ((volatile char *)to)[i] = (char)value;
    return to;
}

static void leave(int failed)
{
    (void)semihost(0x18,
                   (const void *)(failed ? 0x20023u : 0x20026u)); /* an exit without, and with success */
    for (;;) {
    }
}

void board_reset(void);
void board_reset(void)
{
    uint32_t *from = image_data, *to;
    for (to = data_start; to < data_end; to++) *to = *from++;
    for (; to < bss_end; to++) *to = 0;
    leave(reports_main());
}

static void board_fault(void) { leave(1); }

__attribute__((section(".vectors"), used)) static const struct {
    const uint32_t *stack;
    void (*entry[3])(void);
} vectors = { stack_top, { board_reset, board_fault, board_fault } };
