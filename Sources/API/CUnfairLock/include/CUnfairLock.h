// SPDX-License-Identifier: Apache-2.0
// A lock of four bytes that knows its owner: a futex with priority inheritance (futex(2), FUTEX_LOCK_PI). Zero is unlocked.
#ifndef CUNFAIR_LOCK_H
#define CUNFAIR_LOCK_H

#include <stdint.h>

// Waits for the lock. A thread that already holds it is stopped with a message, as is one that unlocks a lock it does
// not hold.
void unfair_lock_lock(uint32_t *lock);
void unfair_lock_unlock(uint32_t *lock);

// Takes the lock if it is free; returns 0 otherwise.
int unfair_lock_try(uint32_t *lock);

// Whether the calling thread has the lock.
int unfair_lock_is_owned(const uint32_t *lock);

#endif
