// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

enum { needle_size = 16, chunk_size = 1 << 20 };

// One search at a time: what one has read another would find.
static pthread_mutex_t searching = PTHREAD_MUTEX_INITIALIZER;

// What a search works with.
struct search {
    const uint8_t *needles;
    size_t count;
    uint64_t mask;
    unsigned char begins[1 << 16];  // whether a needle begins with these two bytes
    storm_find *finds;
    size_t capacity, found;
};

static void compare(struct search *search, const uint8_t *bytes, uintptr_t address) {
    uint64_t words[2];
    memcpy(words, bytes, sizeof words);
    words[0] ^= search->mask;
    words[1] ^= search->mask;
    for (size_t needle = 0; needle < search->count; needle++) {
        if (memcmp(words, search->needles + needle * needle_size, needle_size) != 0) continue;
        if (search->found < search->capacity) search->finds[search->found] = (storm_find){needle, address};
        search->found++;
    }
}

// A needle covers a whole aligned word, and none of its words is zero: most memory is passed over.
static void look_at(struct search *search, const uint8_t *bytes, size_t size, uintptr_t address) {
    const size_t word_size = sizeof(uint64_t);
    for (size_t word = 0; word + word_size <= size; word += word_size) {
        if (*(const uint64_t *)(bytes + word) == 0) continue;
        for (size_t at = word < word_size ? 0 : word + 1 - word_size; at <= word; at++) {
            if (at + needle_size > size) break;
            if (search->begins[bytes[at] | bytes[at + 1] << 8]) compare(search, bytes + at, address + at);
        }
    }
}

// Memory is read through the kernel, because another thread may unmap it, and into a mapping that is left out.
static void look_in(struct search *search, int memory, uintptr_t start, uintptr_t end, uint8_t *chunk) {
    for (uintptr_t at = start; at < end; at += chunk_size) {
        size_t wanted = chunk_size + needle_size;
        if (wanted > end - at) wanted = end - at;
        ssize_t size = pread(memory, chunk, wanted, (off_t)at);
        if (size > 0) look_at(search, chunk, (size_t)size, at);
    }
}

size_t storm_find_masked(const uint8_t *needles, size_t count, uint8_t mask, storm_find *finds, size_t capacity) {
    pthread_mutex_lock(&searching);
    size_t mapping = 2 * chunk_size;
    uint8_t *chunk = mmap(NULL, mapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct search *search = calloc(1, sizeof *search);
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    size_t found = SIZE_MAX;
    if (chunk != MAP_FAILED && search != NULL && maps != NULL && memory >= 0) {
        *search = (struct search){.needles = needles, .count = count, .finds = finds, .capacity = capacity};
        memset(&search->mask, mask, sizeof search->mask);
        for (size_t needle = 0; needle < count; needle++) {
            const uint8_t *bytes = needles + needle * needle_size;
            search->begins[(bytes[0] ^ mask) | (bytes[1] ^ mask) << 8] = 1;
        }
        char line[512];
        while (fgets(line, sizeof line, maps) != NULL) {
            uintptr_t start, end;
            char mode[5];
            if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[1] != 'w' || mode[3] == 's') continue;
            // The kernel may have joined the mapping with others.
            uintptr_t own = (uintptr_t)chunk;
            if (own < start || own >= end) {
                look_in(search, memory, start, end, chunk);
            } else {
                look_in(search, memory, start, own, chunk);
                look_in(search, memory, own + mapping, end, chunk);
            }
        }
        found = search->found;
    }
    if (memory >= 0) close(memory);
    if (maps != NULL) fclose(maps);
    free(search);
    if (chunk != MAP_FAILED) munmap(chunk, mapping);
    pthread_mutex_unlock(&searching);
    return found;
}
