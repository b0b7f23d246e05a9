// SPDX-License-Identifier: Apache-2.0
// The fork gate, a monitor: one mutex protects the number of threads inside, the turns that are taken, and the forking
// thread. Turns are taken and released together with the gate, so that a child that was forked while no thread was
// inside inherits none that is taken.
//
// A thread that leaves passes its turns directly to waiting threads, so that a thread that arrives later cannot
// overtake them. A turn goes to the share with the fewest turns, among those to a different share than the last, and
// among those to the longest waiter.
#define _GNU_SOURCE
#include "fork.h"
#include "CKeychainSupport.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// How long a fork waits for the threads inside, which wait for nothing but the disk.
#define LONGEST_WAIT_NS 100000000

struct keychain_turn {
    int taken;
    // Whose it is, or was.
    uint64_t share;
};

// A thread that is entering: with one of the turns if there is a pointer for its index, else with all of them.
struct entrant {
    keychain_turn *const *turns;
    size_t count;
    size_t *chosen;
    uint64_t share;
    // The number of later arrivals that have taken one of the turns.
    size_t passed;
    int entered;
    pthread_cond_t woken;
    struct entrant *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static unsigned inside;
// The threads that wait to enter, the longest waiter first; the entries are on their stacks.
static struct entrant *first;
// Forks that wait for a change.
static unsigned waiting;
// Forks that wait or are under way: they go before new work, or busy threads would keep them waiting.
static unsigned forks;
// Whether a fork is being prepared, or has been, for all that are in progress. Until the last of them has ended, no
// thread enters.
static int preparing;
static int prepared;

static _Atomic int abandoned;
static _Atomic uint64_t generation;
static void (*_Atomic preparation)(void);

// Whether no thread is inside the gate during the fork of this thread.
static _Thread_local int has_gate;

// A time-out of the wall clock would move with it.
static void make_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static int wait_on(pthread_cond_t *condition, const struct timespec *deadline) {
    return deadline == NULL ? pthread_cond_wait(condition, &mutex)
                            : pthread_cond_timedwait(condition, &mutex, deadline);
}

static int wait_until(const struct timespec *deadline) {
    waiting++;
    int error = wait_on(&changed, deadline);
    waiting--;
    return error;
}

keychain_turn *keychain_turn_make(void) { return calloc(1, sizeof(keychain_turn)); }

void keychain_turn_free(keychain_turn *turn) { free(turn); }

// How many of the turns a share has.
static size_t turns_of(uint64_t share, keychain_turn *const *turns, size_t count) {
    size_t found = 0;
    for (size_t index = 0; index < count; index++)
        if (turns[index]->taken && turns[index]->share == share) found++;
    return found;
}

static int wants_turn(const struct entrant *entrant, const keychain_turn *turn) {
    for (size_t index = 0; index < entrant->count; index++)
        if (entrant->turns[index] == turn) return 1;
    return 0;
}

// Whether a longer waiter that was overtaken often enough needs the turn together with others, which might never be
// free at the same time.
static int is_reserved(const keychain_turn *turn, const struct entrant *entrant) {
    for (const struct entrant *other = first; other != NULL && other != entrant; other = other->next)
        if (!other->entered && other->chosen == NULL && other->count > 1 && other->passed >= other->count &&
            wants_turn(other, turn))
            return 1;
    return 0;
}

// Selects a turn that may be taken; the last one is reserved for a share that has none of them.
static int choose(const struct entrant *entrant, size_t *chosen) {
    size_t left = 0;
    int found = 0;
    for (size_t index = entrant->count; index-- > 0;) {
        if (entrant->turns[index]->taken) continue;
        left++;
        if (is_reserved(entrant->turns[index], entrant)) continue;
        *chosen = index;
        found = 1;
    }
    int is_last = left == 1 && entrant->share != 0;
    return found && !(is_last && turns_of(entrant->share, entrant->turns, entrant->count) > 0);
}

static int may_enter(const struct entrant *entrant) {
    if (forks > 0) return 0;
    size_t chosen = 0;
    if (entrant->chosen != NULL) return choose(entrant, &chosen);
    for (size_t index = 0; index < entrant->count; index++)
        if (entrant->turns[index]->taken || is_reserved(entrant->turns[index], entrant)) return 0;
    return 1;
}

static void take(keychain_turn *turn, const struct entrant *entrant) {
    turn->taken = 1;
    turn->share = entrant->share;
    for (struct entrant *other = first; other != NULL && other != entrant; other = other->next)
        if (!other->entered && wants_turn(other, turn)) other->passed++;
}

static void enter_now(struct entrant *entrant) {
    if (entrant->chosen != NULL) {
        choose(entrant, entrant->chosen);
        take(entrant->turns[*entrant->chosen], entrant);
    } else {
        for (size_t index = 0; index < entrant->count; index++) take(entrant->turns[index], entrant);
    }
    entrant->entered = 1;
    inside++;
}

// Whether a free turn was its share's before.
static int had_turn(const struct entrant *entrant) {
    for (size_t index = 0; index < entrant->count; index++)
        if (!entrant->turns[index]->taken && entrant->turns[index]->share == entrant->share) return 1;
    return 0;
}

static int is_before(const struct entrant *entrant, const struct entrant *other) {
    size_t turns = turns_of(entrant->share, entrant->turns, entrant->count);
    size_t turns_of_other = turns_of(other->share, other->turns, other->count);
    if (turns != turns_of_other) return turns < turns_of_other;
    return had_turn(entrant) < had_turn(other);
}

// Lets those enter who can.
static void hand_out(void) {
    for (;;) {
        struct entrant *next = NULL;
        for (struct entrant *entrant = first; entrant != NULL; entrant = entrant->next)
            if (!entrant->entered && may_enter(entrant) && (next == NULL || is_before(entrant, next))) next = entrant;
        if (next == NULL) return;
        enter_now(next);
        pthread_cond_signal(&next->woken);
    }
}

static void note_change(void) {
    hand_out();
    if (waiting > 0) pthread_cond_broadcast(&changed);
}

static int wait_to_enter(struct entrant *entrant, const struct timespec *deadline) {
    make_condition(&entrant->woken);
    struct entrant **end = &first;
    while (*end != NULL) end = &(*end)->next;
    *end = entrant;
    int error = 0;
    // A fork causes no thread to be refused.
    while (!entrant->entered && (error != ETIMEDOUT || forks > 0))
        error = wait_on(&entrant->woken, forks > 0 ? NULL : deadline);
    for (end = &first; *end != entrant;) end = &(*end)->next;
    *end = entrant->next;
    pthread_cond_destroy(&entrant->woken);
    if (entrant->entered) return 0;
    // Others may have waited for it alone.
    hand_out();
    return error;
}

static int enter(struct entrant *entrant, const struct timespec *deadline) {
    if (atomic_load(&abandoned)) return ECANCELED;
    int error = 0;
    pthread_mutex_lock(&mutex);
    if (may_enter(entrant)) enter_now(entrant);
    else error = wait_to_enter(entrant, deadline);
    pthread_mutex_unlock(&mutex);
    return error;
}

int keychain_fork_gate_enter(keychain_turn *const *turns, size_t count, uint64_t share, const struct timespec *deadline) {
    struct entrant entrant = {.turns = turns, .count = count, .share = share};
    return enter(&entrant, deadline);
}

int keychain_fork_gate_enter_one(keychain_turn *const *turns, size_t count, size_t *chosen, uint64_t share,
                                 const struct timespec *deadline) {
    struct entrant entrant = {.turns = turns, .count = count, .chosen = chosen, .share = share};
    return enter(&entrant, deadline);
}

size_t keychain_fork_gate_waiting(keychain_turn *const *turns, size_t count) {
    size_t found = 0;
    pthread_mutex_lock(&mutex);
    for (const struct entrant *entrant = first; entrant != NULL; entrant = entrant->next) {
        size_t index = 0;
        while (index < count && !wants_turn(entrant, turns[index])) index++;
        if (index < count && !entrant->entered) found++;
    }
    pthread_mutex_unlock(&mutex);
    return found;
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

// A fork that was under way counts no longer.
static void end_fork(void) {
    forks--;
    if (forks == 0) prepared = 0;
    note_change();
    if (forks > 0) return;
    // Their time may be over.
    for (struct entrant *entrant = first; entrant != NULL; entrant = entrant->next)
        pthread_cond_signal(&entrant->woken);
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
    // The preparing thread has the gate and only closes files, so that this takes a moment.
    while (preparing || (inside > 0 && error != ETIMEDOUT)) error = wait_until(preparing ? NULL : &end);
    has_gate = inside == 0;
    int prepares = has_gate && !prepared;
    preparing = prepares;
    if (!has_gate) end_fork();
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
    end_fork();
    pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
    keychain_locked_in_child();
    keychain_private_descriptors_in_child();
    keychain_terminal_in_child();
    // An operation of a thread that does not exist in the child is never completed there: SQLite's own locks may be
    // held.
    if (!has_gate) atomic_store(&abandoned, 1);
    // Other threads of the parent may have held or awaited these.
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex = fresh;
    make_condition(&changed);
    first = NULL;
    inside = waiting = forks = 0;
    preparing = prepared = 0;
    atomic_fetch_add(&generation, 1);
}

__attribute__((constructor)) static void watch_forks(void) {
    make_condition(&changed);
    pthread_atfork(before_fork, in_parent, in_child);
}

int keychain_is_abandoned(void) { return atomic_load(&abandoned); }

uint64_t keychain_fork_generation(void) { return atomic_load(&generation); }

void keychain_prepare_forks(void (*prepare)(void)) { atomic_store(&preparation, prepare); }
