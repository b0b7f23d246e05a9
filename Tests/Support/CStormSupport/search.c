// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <stdio.h>
#include <string.h>

// One byte of the pattern, from the finalizer of SplitMix64.
static inline uint8_t pattern_byte(size_t index) {
    uint64_t value = (index + 1) * 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return (uint8_t)(value ^ (value >> 31));
}

void storm_fill_pattern(uint8_t *bytes) {
    for (size_t i = 0; i < storm_pattern_count; i++) bytes[i] = pattern_byte(i);
}

static int is_fragment(const volatile uint8_t *bytes, size_t start) {
    for (size_t i = 0; i < storm_fragment_count; i++) {
        if (bytes[i] != pattern_byte(start + i)) return 0;
    }
    return 1;
}

// Memory is read in place: a copy of it would be found, too.
size_t storm_find_pattern(uintptr_t *addresses, size_t capacity) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) return SIZE_MAX;
    uint8_t first[storm_pattern_count / storm_fragment_count];
    for (size_t i = 0; i < sizeof first; i++) first[i] = pattern_byte(i * storm_fragment_count);
    size_t found = 0;
    char line[512];
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start, end;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[0] != 'r') continue;
        if (strstr(line, "[v") != NULL) continue;  // vvar, vdso, vsyscall
        if (mode[3] == 's') continue;              // a shared file may end before its mapping does
        for (uintptr_t at = start; at + storm_fragment_count <= end; at++) {
            uint8_t byte = *(const volatile uint8_t *)at;
            for (size_t i = 0; i < sizeof first; i++) {
                if (byte != first[i] || !is_fragment((const volatile uint8_t *)at, i * storm_fragment_count)) continue;
                if (found < capacity) addresses[found] = at;
                found++;
            }
        }
    }
    fclose(maps);
    return found;
}
