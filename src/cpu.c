// SPDX-License-Identifier: MIT

#include "cpu.h"

#include "os.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

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
    buffer_append_string(to, "x86");
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        (void)__get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &a, &b, &c, &d);
        buffer_append_u32(to, a);
        buffer_append_u32(to, leaves[i].leaf == 1 ? 0 : b);
        buffer_append_u32(to, c);
        buffer_append_u32(to, d);
    }
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0) {
        unsigned low = 0;
        unsigned high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        buffer_append_u32(to, low);
        buffer_append_u32(to, high);
    }
}

#else

// Elsewhere the system knows: on Linux /proc/cpuinfo without the lines that change.
void cpu_describe(struct buffer *to)
{
    buffer_append_string(to, "other");
    os_describe_cpu(to);
}

#endif
