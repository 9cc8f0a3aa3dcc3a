// SPDX-License-Identifier: MIT

#include "cpu.h"

#include "os.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <stdbool.h>

static const unsigned extended = 0x80000000; // the first of the second row of leaves

// Intel SDM volume 2A, CPUID, and AMD APM volume 3, appendix E. Leaf 1 tells in EBX which
// core it was asked on, and in bit 27 of ECX what the system has turned on; the rest is
// the same on all cores.
void cpu_describe(struct buffer *to)
{
    static const struct {
        unsigned leaf;
        unsigned subleaf;
    } leaves[] = {{0, 0},    {1, 0},    {7, 0},          {7, 1},
                  {0x14, 0}, {0x19, 0}, {0x80000001, 0}, {0x80000008, 0}};
    // On a virtual machine each of these costs microseconds.
    const unsigned last = (unsigned)__get_cpuid_max(0, NULL);
    const unsigned last_extended = (unsigned)__get_cpuid_max(extended, NULL);
    bool has_xgetbv = false;
    buffer_append_string(to, "x86");
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        const unsigned leaf = leaves[i].leaf;
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        if (leaf <= (leaf < extended ? last : last_extended)) {
            __cpuid_count(leaf, leaves[i].subleaf, a, b, c, d);
        }
        if (leaf == 1) {
            b = 0;
            has_xgetbv = (c & bit_OSXSAVE) != 0;
        }
        buffer_append_u32(to, a);
        buffer_append_u32(to, b);
        buffer_append_u32(to, c);
        buffer_append_u32(to, d);
    }
    if (has_xgetbv) {
        unsigned low = 0;
        unsigned high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        buffer_append_u32(to, low);
        buffer_append_u32(to, high);
    }
}

#else

// Elsewhere the system knows.
void cpu_describe(struct buffer *to)
{
    buffer_append_string(to, "other");
    os_describe_cpu(to);
}

#endif
