// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { chunk_count = 1 << 20 };

// Which needles may begin with two bytes: a bit for each pair.
typedef struct {
    uint8_t bits[1 << 13];
} beginnings;

static unsigned beginning(const uint8_t *bytes) { return bytes[0] | (unsigned)bytes[1] << 8; }

static void search_chunk(const uint8_t *chunk, size_t own, size_t count, const beginnings *known,
                         storm_needle *needles, size_t needle_count) {
    for (size_t at = 0; at < own && at + 1 < count; at++) {
        unsigned pair = beginning(chunk + at);
        if (!(known->bits[pair >> 3] & 1 << (pair & 7))) continue;
        for (size_t i = 0; i < needle_count; i++) {
            if (needles[i].count > count - at) continue;
            if (memcmp(chunk + at, needles[i].bytes, needles[i].count) == 0) needles[i].found++;
        }
    }
}

// What a search of a process works with.
typedef struct {
    int memory;
    uint8_t *chunk;
    size_t longest;
    beginnings known;
    storm_needle *needles;
    size_t needle_count;
} process_search;

static size_t search_mapping(process_search *search, unsigned long start, unsigned long end) {
    size_t total = 0;
    for (unsigned long at = start; at < end; at += chunk_count) {
        // A needle that begins in a chunk may end in the next.
        size_t own = end - at < chunk_count ? end - at : chunk_count;
        size_t wanted = end - at < chunk_count + search->longest ? end - at : chunk_count + search->longest;
        ssize_t count = pread(search->memory, search->chunk, wanted, (off_t)at);
        if (count <= 0) break;  // such as vvar, which is the kernel's
        total += (size_t)count < own ? (size_t)count : own;
        search_chunk(search->chunk, own, (size_t)count, &search->known, search->needles, search->needle_count);
    }
    return total;
}

size_t storm_search_process(pid_t process, int undumpable_only, storm_needle *needles, size_t needle_count) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/smaps", process);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return 0;
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    process_search search = {.needles = needles, .needle_count = needle_count};
    search.memory = open(path, O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < needle_count; i++) {
        unsigned pair = beginning(needles[i].bytes);
        search.known.bits[pair >> 3] |= 1 << (pair & 7);
        if (needles[i].count > search.longest) search.longest = needles[i].count;
        needles[i].found = 0;
    }
    search.chunk = malloc(chunk_count + search.longest);
    size_t total = 0;
    if (search.memory >= 0 && search.chunk != NULL) {
        char line[4096 + 128], mode[5] = "";
        unsigned long start = 0, end = 0, next_start, next_end;
        char next_mode[5];
        while (fgets(line, sizeof line, maps) != NULL) {
            if (sscanf(line, "%lx-%lx %4s", &next_start, &next_end, next_mode) == 3) {
                start = next_start;
                end = next_end;
                memcpy(mode, next_mode, sizeof mode);
            } else if (strncmp(line, "VmFlags:", 8) == 0 && mode[0] == 'r') {
                // The last line of a mapping (proc_pid_smaps(5)).
                if (!undumpable_only || strstr(line, " dd") != NULL) total += search_mapping(&search, start, end);
            }
        }
    }
    int failure = errno;
    free(search.chunk);
    if (search.memory >= 0) close(search.memory);
    fclose(maps);
    errno = failure;
    return total;
}
