// SPDX-License-Identifier: Apache-2.0
// The fork gate, a monitor: who is inside, which turns are taken, and which thread forks, under one mutex. Turns are taken
// and given back together with the gate, so that a child that was forked while nobody was inside inherits none that is taken.
#define _GNU_SOURCE
#include "fork.h"
#include "CKeychainSupport.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// How long a fork waits for those inside, who wait for nobody but the disk.
#define LONGEST_WAIT_NS 100000000

struct keychain_turn {
    int taken;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static unsigned inside;
static unsigned waiting;
// Forks that wait or are under way: they go before new work, or busy threads would keep them waiting.
static unsigned forks;
// Whether a fork prepares for all that are under way, or has done so. Until the last of them has ended, nobody enters.
static int preparing;
static int prepared;

static _Atomic int abandoned;
static _Atomic uint64_t generation;
static void (*_Atomic preparation)(void);

// Whether nobody is inside the gate during the fork of this thread.
static _Thread_local int has_gate;

// A time-out of the wall clock would move with it.
static void make_condition(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static int wait_until(const struct timespec *deadline) {
    waiting++;
    int error = deadline == NULL ? pthread_cond_wait(&changed, &mutex)
                                 : pthread_cond_timedwait(&changed, &mutex, deadline);
    waiting--;
    return error;
}

static void note_change(void) {
    if (waiting > 0) pthread_cond_broadcast(&changed);
}

keychain_turn *keychain_turn_make(void) { return calloc(1, sizeof(keychain_turn)); }

void keychain_turn_free(keychain_turn *turn) { free(turn); }

static int take_all(keychain_turn *const *turns, size_t count) {
    for (size_t index = 0; index < count; index++)
        if (turns[index]->taken) return 0;
    for (size_t index = 0; index < count; index++) turns[index]->taken = 1;
    return 1;
}

static int take_one(keychain_turn *const *turns, size_t count, size_t *chosen) {
    for (size_t index = 0; index < count; index++) {
        if (turns[index]->taken) continue;
        turns[index]->taken = 1;
        *chosen = index;
        return 1;
    }
    return 0;
}

// With one of the turns if there is a place for its index, else with all of them.
static int enter(keychain_turn *const *turns, size_t count, size_t *chosen, const struct timespec *deadline) {
    if (atomic_load(&abandoned)) return ECANCELED;
    int error = 0;
    pthread_mutex_lock(&mutex);
    for (;;) {
        if (forks > 0) {
            wait_until(NULL);
        } else if (chosen != NULL ? take_one(turns, count, chosen) : take_all(turns, count)) {
            inside++;
            error = 0;
            break;
        } else if (error == ETIMEDOUT) {
            break;
        } else {
            error = wait_until(deadline);
        }
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

int keychain_fork_gate_enter(keychain_turn *const *turns, size_t count, const struct timespec *deadline) {
    return enter(turns, count, NULL, deadline);
}

int keychain_fork_gate_enter_one(keychain_turn *const *turns, size_t count, size_t *chosen,
                                 const struct timespec *deadline) {
    return enter(turns, count, chosen, deadline);
}

void keychain_fork_gate_leave(keychain_turn *const *turns, size_t count) {
    pthread_mutex_lock(&mutex);
    for (size_t index = 0; index < count; index++) turns[index]->taken = 0;
    inside--;
    note_change();
    pthread_mutex_unlock(&mutex);
}

static struct timespec longest_wait(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += LONGEST_WAIT_NS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    return end;
}

static void prepare_forks(void) {
    void (*prepare)(void) = atomic_load(&preparation);
    if (prepare != NULL && !atomic_load(&abandoned)) prepare();
    pthread_mutex_lock(&mutex);
    preparing = 0;
    prepared = 1;
    note_change();
    pthread_mutex_unlock(&mutex);
}

static void before_fork(void) {
    struct timespec end = longest_wait();
    int error = 0;
    pthread_mutex_lock(&mutex);
    forks++;
    // Who prepares has the gate and only closes files, so that this takes a moment.
    while (preparing || (inside > 0 && error != ETIMEDOUT)) error = wait_until(preparing ? NULL : &end);
    has_gate = inside == 0;
    int prepares = has_gate && !prepared;
    preparing = prepares;
    if (!has_gate) {
        forks--;
        note_change();
    }
    pthread_mutex_unlock(&mutex);
    if (prepares) prepare_forks();
    keychain_private_descriptors_before_fork();
    keychain_locked_before_fork();
}

static void in_parent(void) {
    keychain_locked_in_parent();
    keychain_private_descriptors_in_parent();
    if (!has_gate) return;
    pthread_mutex_lock(&mutex);
    forks--;
    if (forks == 0) prepared = 0;
    note_change();
    pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
    keychain_locked_in_child();
    keychain_private_descriptors_in_child();
    keychain_terminal_in_child();
    // What a thread was doing that the child does not have is never finished there: SQLite's own locks may be taken.
    if (!has_gate) atomic_store(&abandoned, 1);
    // Other threads of the parent may have held or awaited these.
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex = fresh;
    make_condition();
    inside = waiting = forks = 0;
    preparing = prepared = 0;
    atomic_fetch_add(&generation, 1);
}

__attribute__((constructor)) static void watch_forks(void) {
    make_condition();
    pthread_atfork(before_fork, in_parent, in_child);
}

int keychain_is_abandoned(void) { return atomic_load(&abandoned); }

uint64_t keychain_fork_generation(void) { return atomic_load(&generation); }

void keychain_prepare_forks(void (*prepare)(void)) { atomic_store(&preparation, prepare); }
