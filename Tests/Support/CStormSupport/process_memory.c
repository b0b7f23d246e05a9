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

size_t storm_search_process(pid_t process, storm_needle *needles, size_t needle_count) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return 0;
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    beginnings known = {{0}};
    size_t longest = 0;
    for (size_t i = 0; i < needle_count; i++) {
        unsigned pair = beginning(needles[i].bytes);
        known.bits[pair >> 3] |= 1 << (pair & 7);
        if (needles[i].count > longest) longest = needles[i].count;
        needles[i].found = 0;
    }
    uint8_t *chunk = malloc(chunk_count + longest);
    if (memory < 0 || chunk == NULL) {
        int failure = errno;
        if (memory >= 0) close(memory);
        free(chunk);
        fclose(maps);
        errno = failure;
        return 0;
    }
    size_t total = 0;
    char line[4096 + 128];
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[0] != 'r') continue;
        for (unsigned long at = start; at < end; at += chunk_count) {
            // A needle that begins in a chunk may end in the next.
            size_t own = end - at < chunk_count ? end - at : chunk_count;
            size_t wanted = end - at < chunk_count + longest ? end - at : chunk_count + longest;
            ssize_t count = pread(memory, chunk, wanted, (off_t)at);
            if (count <= 0) break;  // such as vvar, which is the kernel's
            total += (size_t)count < own ? (size_t)count : own;
            search_chunk(chunk, own, (size_t)count, &known, needles, needle_count);
        }
    }
    free(chunk);
    close(memory);
    fclose(maps);
    return total;
}
