// SPDX-License-Identifier: Apache-2.0
// Locked memory for keys. A slab is one mapping; a bit records whether a unit of 32 bytes, the size of a key, is taken.
// The bookkeeping is outside the slabs, because they are zero in a forked child.
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "fork.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLAB_SIZE ((size_t)16 << 10)
#define UNIT_SIZE ((size_t)32)
#define UNIT_COUNT (SLAB_SIZE / UNIT_SIZE)

struct slab {
    struct slab *next;
    unsigned char *bytes;
    size_t taken_count;
    int locked;
    unsigned char taken[UNIT_COUNT];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct slab *slabs;

static struct slab *make_slab(void) {
    struct slab *slab = calloc(1, sizeof *slab);
    if (slab == NULL) return NULL;
    void *bytes = mmap(NULL, SLAB_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        free(slab);
        return NULL;
    }
    madvise(bytes, SLAB_SIZE, MADV_DONTDUMP);
    madvise(bytes, SLAB_SIZE, MADV_WIPEONFORK);
    slab->bytes = bytes;
    slab->next = slabs;
    slabs = slab;
    return slab;
}

static void unmake_slab(struct slab *slab) {
    struct slab **link = &slabs;
    while (*link != slab) link = &(*link)->next;
    *link = slab->next;
    munmap(slab->bytes, SLAB_SIZE);
    free(slab);
}

// The first unit of a run of free units; UNIT_COUNT if there is none.
static size_t find_free(const struct slab *slab, size_t count) {
    size_t run = 0;
    for (size_t unit = 0; unit < UNIT_COUNT; unit++) {
        run = slab->taken[unit] ? 0 : run + 1;
        if (run == count) return unit + 1 - count;
    }
    return UNIT_COUNT;
}

static void *take(struct slab *slab, size_t first, size_t count, int *locked) {
    // It may have been refused before, or be a forked child's, which inherits no lock.
    if (!slab->locked) slab->locked = mlock(slab->bytes, SLAB_SIZE) == 0;
    for (size_t unit = first; unit < first + count; unit++) slab->taken[unit] = 1;
    slab->taken_count += count;
    *locked = slab->locked;
    return slab->bytes + first * UNIT_SIZE;
}

static size_t unit_count(size_t byte_count) {
    return byte_count == 0 ? 1 : (byte_count + UNIT_SIZE - 1) / UNIT_SIZE;
}

void *keychain_locked_allocate(size_t byte_count, int *locked) {
    if (byte_count > SLAB_SIZE) return NULL;
    size_t count = unit_count(byte_count);
    void *bytes = NULL;
    pthread_mutex_lock(&mutex);
    for (struct slab *slab = slabs; slab != NULL && bytes == NULL; slab = slab->next) {
        size_t first = find_free(slab, count);
        if (first < UNIT_COUNT) bytes = take(slab, first, count, locked);
    }
    if (bytes == NULL) {
        struct slab *slab = make_slab();
        if (slab != NULL) bytes = take(slab, 0, count, locked);
    }
    pthread_mutex_unlock(&mutex);
    return bytes;
}

void keychain_locked_free(void *bytes, size_t byte_count) {
    unsigned char *start = bytes;
    size_t count = unit_count(byte_count);
    keychain_wipe(start, count * UNIT_SIZE);
    pthread_mutex_lock(&mutex);
    struct slab *slab = slabs;
    while (start < slab->bytes || start >= slab->bytes + SLAB_SIZE) slab = slab->next;
    size_t first = (size_t)(start - slab->bytes) / UNIT_SIZE;
    for (size_t unit = first; unit < first + count; unit++) slab->taken[unit] = 0;
    slab->taken_count -= count;
    if (slab->taken_count == 0) unmake_slab(slab);
    pthread_mutex_unlock(&mutex);
}

void keychain_locked_before_fork(void) { pthread_mutex_lock(&mutex); }

void keychain_locked_in_parent(void) { pthread_mutex_unlock(&mutex); }

void keychain_locked_in_child(void) {
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex = fresh;
    for (struct slab *slab = slabs; slab != NULL; slab = slab->next) slab->locked = 0;
}
