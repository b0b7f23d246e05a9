// SPDX-License-Identifier: Apache-2.0
// What Swift on Linux cannot reach by itself: variadic calls, calls behind _GNU_SOURCE, and fork handlers.
#ifndef CKEYCHAIN_SUPPORT_H
#define CKEYCHAIN_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

// Overwrites memory with zeros in a way that the optimizer may not remove (explicit_bzero(3)).
void keychain_wipe(void *bytes, size_t count);

// Makes the calling process undumpable: no core file, no /proc/PID/mem for others of the same user. For executables only.
int keychain_disable_dumps(void);

// Memory for long-lived keys: its own mapping, locked, left out of core dumps, zero in a forked child.
// Returns NULL when there is no memory; *locked tells whether mlock(2) worked.
void *keychain_locked_allocate(size_t count, int *locked);
void keychain_locked_free(void *bytes, size_t count);

// The fork gate. Work on a store happens between enter and leave; a fork waits until nobody is inside,
// so a child never inherits a transaction under way. The generation changes in every forked child.
// A thread inside may neither enter again nor fork.
void keychain_fork_gate_enter(void);
void keychain_fork_gate_leave(void);
uint64_t keychain_fork_generation(void);

// Sets what is done before every fork, while nobody is inside the gate.
void keychain_prepare_forks(void (*prepare)(void));

// The value of an environment variable; NULL in a program that runs with more rights than its caller (secure_getenv(3)).
const char *keychain_environment(const char *name);

#endif
