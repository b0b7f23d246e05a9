// SPDX-License-Identifier: Apache-2.0
// Preloaded (ld.so(8), LD_PRELOAD), it makes every sync of a file take longer by the microseconds that the variable
// BENCHMARK_SYNC_DELAY says: a disk as slow as most, for machines that have a faster one.
#define _GNU_SOURCE
#include "slow_sync.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static long delay_microseconds;
static int (*sync_file)(int);
static int (*sync_data)(int);

__attribute__((constructor)) static void prepare(void) {
    const char *text = getenv(BENCHMARK_SYNC_DELAY);
    delay_microseconds = text == NULL ? 0 : strtol(text, NULL, 10);
    sync_file = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    sync_data = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static void delay(void) {
    if (delay_microseconds <= 0) return;
    // Or the kernel adds 50 microseconds.
    prctl(PR_SET_TIMERSLACK, 1000L);
    struct timespec rest = {.tv_sec = delay_microseconds / 1000000, .tv_nsec = delay_microseconds % 1000000 * 1000};
    while (nanosleep(&rest, &rest) != 0) continue;
}

int fsync(int descriptor) {
    int status = sync_file(descriptor);
    delay();
    return status;
}

int fdatasync(int descriptor) {
    int status = sync_data(descriptor);
    delay();
    return status;
}
