// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainPeers.h"
#include "children.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A comparison in a separate process, which shares the memory of this one.
struct comparison {
    const pid_t *threads;
    int count;
    bool *results;
    atomic_int done;
};

static int compare(void *argument) {
    struct comparison *comparison = argument;
    for (int index = 0; index < comparison->count; index++) {
        pid_t first = comparison->threads[0], other = comparison->threads[index];
        comparison->results[index] = syscall(SYS_kcmp, first, other, KCMP_VM, 0, 0) == 0;
        atomic_store(&comparison->done, index + 1);
    }
    syscall(SYS_futex, &comparison->done, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return 0;
}

// Whether a process waits for something that no signal but SIGKILL interrupts, rather than for a processor.
static bool is_asleep(pid_t process) {
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") D", 3) == 0;
}

int keychain_compare_memory(const pid_t *threads, int count, bool *results) {
    struct comparison comparison = {.threads = threads, .count = count, .results = results};
    struct keychain_child child = {.run = compare, .argument = &comparison};
    struct timespec patience = {.tv_nsec = 20000000};
    // With a descriptor table of its own, it could have the last reference to a file, and its exit could take long.
    pid_t process = keychain_child_start(&child, CLONE_FILES);
    if (process < 0) return -1;
    // One sleep may be for memory that is being read from the disk.
    int done, asleep = 0;
    bool has_ended = false;
    while ((done = atomic_load(&comparison.done)) < count && !has_ended) {
        syscall(SYS_futex, &comparison.done, FUTEX_WAIT_PRIVATE, done, &patience, NULL, 0);
        asleep = atomic_load(&comparison.done) == done && is_asleep(process) ? asleep + 1 : 0;
        if (asleep == 3) break;
        has_ended = keychain_child_has_ended(process);
    }
    if (has_ended) return atomic_load(&comparison.done) < count ? -1 : count;
    kill(process, SIGKILL);
    keychain_child_await(process);
    return atomic_load(&comparison.done);
}
