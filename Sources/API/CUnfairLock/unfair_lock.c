// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CUnfairLock.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The thread sanitizer does not understand futexes: if it is linked, it is informed of the ordering.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static _Thread_local uint32_t identifier;

// The one thread of a forked child has another identifier.
static void forget_identifier(void) { identifier = 0; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_identifier); }

static uint32_t own_identifier(void) {
    if (identifier == 0) identifier = (uint32_t)syscall(SYS_gettid);
    return identifier;
}

static _Noreturn void stop(const char *reason, size_t length) {
    ssize_t ignored = write(STDERR_FILENO, reason, length);
    (void)ignored;
    abort();
}

#define STOP(reason) stop(reason "\n", sizeof(reason "\n") - 1)

int unfair_lock_is_owned(const uint32_t *lock) {
    return (__atomic_load_n(lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == own_identifier();
}

int unfair_lock_try(uint32_t *lock) {
    uint32_t nobody = 0;
    int taken =
        __atomic_compare_exchange_n(lock, &nobody, own_identifier(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (taken && __tsan_acquire) __tsan_acquire(lock);
    return taken;
}

void unfair_lock_lock(uint32_t *lock) {
    if (unfair_lock_try(lock)) return;
    if (unfair_lock_is_owned(lock)) STOP("os_unfair_lock: this thread has the lock already");
    while (syscall(SYS_futex, lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0) {
        if (errno != EINTR && errno != EAGAIN) STOP("os_unfair_lock: the lock is corrupt, or its owner has ended");
    }
    if (__tsan_acquire) __tsan_acquire(lock);
}

void unfair_lock_unlock(uint32_t *lock) {
    if (!unfair_lock_is_owned(lock)) STOP("os_unfair_lock: this thread does not have the lock that it unlocks");
    if (__tsan_release) __tsan_release(lock);
    uint32_t owner = own_identifier();
    if (__atomic_compare_exchange_n(lock, &owner, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
    // A thread is waiting: the kernel hands the lock over.
    if (syscall(SYS_futex, lock, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0) {
        STOP("os_unfair_lock: the lock is corrupt");
    }
}
