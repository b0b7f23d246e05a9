// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "locked.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

void keychain_wipe(void *bytes, size_t count) {
    if (bytes != NULL && count > 0) explicit_bzero(bytes, count);
}

int keychain_random(void *bytes, size_t count) {
    for (size_t filled = 0; filled < count;) {
        ssize_t got = getrandom((unsigned char *)bytes + filled, count - filled, 0);
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) filled += (size_t)got;
    }
    return 0;
}

int keychain_disable_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

int keychain_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

// A waiting fork goes before new work, or busy threads would keep it waiting for ever.
#define KEYCHAIN_GATE_OPEN PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP

static pthread_rwlock_t gate = KEYCHAIN_GATE_OPEN;
static _Atomic uint64_t generation;
static void (*_Atomic preparation)(void);

static void before_fork(void) {
    pthread_rwlock_wrlock(&gate);
    void (*prepare)(void) = atomic_load(&preparation);
    if (prepare != NULL) prepare();
    keychain_locked_before_fork();
}

static void in_parent(void) {
    keychain_locked_in_parent();
    pthread_rwlock_unlock(&gate);
}

static void in_child(void) {
    keychain_locked_in_child();
    keychain_terminal_in_child();
    // The lock's owner does not exist in the child, so the lock is made anew rather than released.
    pthread_rwlock_t fresh = KEYCHAIN_GATE_OPEN;
    gate = fresh;
    atomic_fetch_add(&generation, 1);
}

__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}

void keychain_fork_gate_enter(void) { pthread_rwlock_rdlock(&gate); }

void keychain_fork_gate_leave(void) { pthread_rwlock_unlock(&gate); }

uint64_t keychain_fork_generation(void) { return atomic_load(&generation); }

void keychain_prepare_forks(void (*prepare)(void)) { atomic_store(&preparation, prepare); }

const char *keychain_environment(const char *name) { return secure_getenv(name); }
