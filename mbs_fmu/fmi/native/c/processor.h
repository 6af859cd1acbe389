/* Whether this processor runs the machine code for x86-64-v3, in libraries that contain it. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#ifdef HAVE_V3
#include <cpuid.h>
#include <stdbool.h>

/* True if a leaf of the processor's description has all these bits in its registers b and c. */
static bool has_features(unsigned leaf, unsigned of_b, unsigned of_c) {
    unsigned a, b, c, d;
    return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) && (b & of_b) == of_b && (c & of_c) == of_c;
}

/* True if the system saves the registers of SSE and AVX. Only processors with OSXSAVE have the instruction. */
static bool saves_registers(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

static bool runs_v3(void) {
    return has_features(1, 0, bit_AVX | bit_FMA | bit_OSXSAVE | bit_MOVBE | bit_F16C)
        && has_features(7, bit_AVX2 | bit_BMI | bit_BMI2, 0)
        && has_features(0x80000001, 0, bit_LZCNT)
        && saves_registers();
}
#endif

#endif
