/* Start of a program on a bare Cortex-M whose standard output is the emulator's, by semihosting. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t bss_begin[], bss_end[];
void initialise_monitor_handles(void);
int main(void);

void reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xfu << 20; /* floating-point unit on */
    __asm volatile("dsb\n isb");
    for (uint32_t *p = bss_begin; p < bss_end; p++) *p = 0;
    initialise_monitor_handles();
    exit(main());
}

static void fault(void) { abort(); }

/* Behind the stack's top, which cortex_m.ld places first. */
__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    reset, fault, fault, fault, fault, fault,
};

void _init(void) {}
void _fini(void) {}
